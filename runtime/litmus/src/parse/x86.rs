//! Tests in x86 assembly, in Intel's order: the destination first.

use crate::code::{Binary, Code, Expression, Fence, Operation, Register, Strength};
use crate::parse::columns::{self, Column, InstructionCell};
use crate::parse::names::Names;
use crate::parse::registers;
use crate::test::address;
use crate::text::{Error, Kind, Tokens, error};
use engine::graph::Annotations;
use engine::mapping::Order;

/// The name of the register that stands for the flags: the difference of the last comparison, which conditional branches look at.
const FLAGS: &str = "flags";
/// The name of the register for what an instruction reads from memory for itself.
const READ: &str = "read";

/// Reads the program.
pub(super) fn program(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    columns::program(tokens, names, |cell, column, names| {
        let locked = cell.mnemonic.text.eq_ignore_ascii_case("LOCK");
        if locked {
            cell.operands.take(";");
            cell.mnemonic = cell.operands.name("an instruction")?;
        }
        let prefix = if locked { Prefix::Lock } else { Prefix::None };
        lower(cell, column, names, prefix)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    Lock,
}

/// An operand: a place that can be written, or a value that cannot.
#[derive(Clone, PartialEq)]
enum Operand {
    Register(Register),
    Memory(Expression),
    Immediate(Expression),
}

struct Lowering<'c, 'a> {
    cell: &'c mut InstructionCell<'a>,
    code: &'c mut Code,
    names: &'c mut Names,
    prefix: Prefix,
}

impl Lowering<'_, '_> {
    fn operand(&mut self) -> Result<Operand, Error> {
        let bracket = if self.cell.operands.take("[") {
            Some("]")
        } else if self.cell.operands.take("(") {
            Some(")")
        } else {
            None
        };
        if let Some(end) = bracket {
            let place = self.value()?;
            self.cell.operands.expect(end)?;
            return Ok(Operand::Memory(place));
        }
        self.value().map(|value| match value {
            Expression::Register(register) => Operand::Register(register),
            value => Operand::Immediate(value),
        })
    }

    /// Reads a register, a number, or the address of a location.
    fn value(&mut self) -> Result<Expression, Error> {
        let dollar = self.cell.operands.take("$");
        let Some(name) = self.cell.operands.take_kind(Kind::Name) else {
            return self.cell.operands.number().map(Expression::Number);
        };
        match registers::x86(name.text).filter(|_| !dollar) {
            Some(register) => Ok(Expression::Register(self.code.register(&register))),
            None => Ok(Expression::Number(address(self.names.location(name.text)))),
        }
    }

    fn next_operand(&mut self) -> Result<Operand, Error> {
        self.cell.operands.expect(",")?;
        self.operand()
    }

    fn push(&mut self, operation: Operation) {
        self.code.push(operation, self.cell.mnemonic.position, &self.cell.text);
    }

    /// Returns the operand's value; one in memory is read into a register first.
    fn fetch(&mut self, operand: &Operand) -> Expression {
        match operand {
            Operand::Register(register) => Expression::Register(*register),
            Operand::Immediate(value) => value.clone(),
            Operand::Memory(place) => {
                let to = self.code.register(READ);
                self.push(Operation::Load {
                    to,
                    address: place.clone(),
                    order: Order::Relaxed,
                    annotations: Annotations::NONE,
                });
                Expression::Register(to)
            }
        }
    }

    fn store(&mut self, to: &Operand, value: Expression) -> Result<(), Error> {
        match to {
            Operand::Register(to) => self.push(Operation::Assign { to: *to, value }),
            Operand::Memory(place) => {
                self.push(Operation::Store {
                    address: place.clone(),
                    value,
                    order: Order::Relaxed,
                    annotations: Annotations::NONE,
                });
            }
            Operand::Immediate(_) => return error(self.cell.mnemonic.position, "a number cannot be written to"),
        }
        Ok(())
    }

    fn moves(&mut self) -> Result<(), Error> {
        let to = self.operand()?;
        let from = self.next_operand()?;
        match (&to, from) {
            (Operand::Register(to), Operand::Memory(address)) => {
                let to = self.code.loads(*to);
                self.push(Operation::Load { to, address, order: Order::Relaxed, annotations: Annotations::NONE });
                Ok(())
            }
            (Operand::Memory(_), Operand::Memory(_)) => self.two_places(),
            (_, from) => {
                let value = self.fetch(&from);
                self.store(&to, value)
            }
        }
    }

    fn two_places<T>(&self) -> Result<T, Error> {
        error(self.cell.mnemonic.position, "an instruction has at most one operand in memory")
    }

    /// Adds an interlocked operation; the value read goes to the register.
    fn update(&mut self, to: Register, address: Expression, expected: Option<Expression>, new: Expression) {
        self.push(Operation::Update { to, address, expected, new, strength: Strength::Locked });
    }

    fn exchange(&mut self) -> Result<(), Error> {
        let (one, other) = (self.operand()?, self.next_operand()?);
        match (one, other) {
            (Operand::Memory(address), Operand::Register(register))
            | (Operand::Register(register), Operand::Memory(address)) => {
                let to = self.code.loads(register);
                self.update(to, address, None, Expression::Register(to));
            }
            (Operand::Register(one), Operand::Register(other)) => {
                let to = self.code.register(READ);
                self.push(Operation::Assign { to, value: Expression::Register(one) });
                self.push(Operation::Assign { to: one, value: Expression::Register(other) });
                self.push(Operation::Assign { to: other, value: Expression::Register(to) });
            }
            _ => return error(self.cell.mnemonic.position, "XCHG needs a register and a place"),
        }
        Ok(())
    }

    /// Reads `XADD [x],EAX`: the sum goes to memory, and what was there to the register.
    fn exchange_and_add(&mut self) -> Result<(), Error> {
        let (one, other) = (self.operand()?, self.next_operand()?);
        let (Operand::Memory(address), Operand::Register(register)) = (one, other) else {
            return error(self.cell.mnemonic.position, "XADD is supported on a place and a register");
        };
        let to = self.code.loads(register);
        let sum = |read| Expression::binary(Binary::Add, read, Expression::Register(to));
        if self.prefix == Prefix::Lock {
            self.update(to, address, None, sum(Expression::Read));
        } else {
            let read = self.code.register(READ);
            self.push(Operation::Load {
                to: read,
                address: address.clone(),
                order: Order::Relaxed,
                annotations: Annotations::NONE,
            });
            self.push(Operation::Store {
                address,
                value: sum(Expression::Register(read)),
                order: Order::Relaxed,
                annotations: Annotations::NONE,
            });
            self.push(Operation::Assign { to, value: Expression::Register(read) });
        }
        Ok(())
    }

    /// Reads `CMPXCHG [x],EBX`: what was in memory goes to EAX, and EBX goes to memory if that was what EAX held.
    fn compare_and_exchange(&mut self) -> Result<(), Error> {
        let (one, other) = (self.operand()?, self.next_operand()?);
        let (Operand::Memory(address), Operand::Register(new)) = (one, other) else {
            return error(self.cell.mnemonic.position, "CMPXCHG is supported on a place and a register");
        };
        if self.prefix == Prefix::None {
            return error(self.cell.mnemonic.position, "CMPXCHG is supported with LOCK only");
        }
        let accumulator = self.code.register("EAX");
        let accumulator = self.code.loads(accumulator);
        let (read, flags) = (self.code.register(READ), self.code.register(FLAGS));
        let old = Expression::Register(accumulator);
        self.update(read, address, Some(old.clone()), Expression::Register(new));
        let difference = Expression::binary(Binary::Subtract, old, Expression::Register(read));
        self.push(Operation::Assign { to: flags, value: difference });
        self.push(Operation::Assign { to: accumulator, value: Expression::Register(read) });
        Ok(())
    }

    /// Reads an instruction that computes its first operand from itself and another one, and sets the flags.
    fn compute(&mut self, operator: Binary, right: Option<Expression>) -> Result<(), Error> {
        let to = self.operand()?;
        let right = match right {
            Some(right) => right,
            None => match (&to, self.next_operand()?) {
                (Operand::Memory(_), Operand::Memory(_)) => return self.two_places(),
                (_, right) => self.fetch(&right),
            },
        };
        let flags = self.code.register(FLAGS);
        let result = |left| Expression::binary(operator, left, right.clone());
        if let (Operand::Memory(address), Prefix::Lock) = (&to, self.prefix) {
            let read = self.code.register(READ);
            self.update(read, address.clone(), None, result(Expression::Read));
            self.push(Operation::Assign { to: flags, value: result(Expression::Register(read)) });
            return Ok(());
        }
        let left = self.fetch(&to);
        self.push(Operation::Assign { to: flags, value: result(left) });
        self.store(&to, Expression::Register(flags))
    }

    fn compare(&mut self, operator: Binary) -> Result<(), Error> {
        let (left, right) = (self.operand()?, self.next_operand()?);
        if let (Operand::Memory(_), Operand::Memory(_)) = (&left, &right) {
            return self.two_places();
        }
        let left = self.fetch(&left);
        let right = self.fetch(&right);
        let to = self.code.register(FLAGS);
        self.push(Operation::Assign { to, value: Expression::binary(operator, left, right) });
        Ok(())
    }
}

fn lower(cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names, prefix: Prefix) -> Result<(), Error> {
    let position = cell.mnemonic.position;
    let mnemonic = cell.mnemonic.text.to_ascii_uppercase();
    if mnemonic.starts_with('J') {
        return branch(&mnemonic, cell, column);
    }
    let known = ["MOV", "XCHG", "XADD", "CMPXCHG", "INC", "DEC", "ADD", "SUB", "AND", "OR", "XOR", "CMP", "TEST"];
    let stem = mnemonic.strip_suffix(['L', 'Q']).filter(|stem| known.contains(stem)).unwrap_or(&mnemonic);
    if prefix == Prefix::Lock && ["MOV", "CMP", "TEST", "MFENCE", "SFENCE", "LFENCE", "NOP"].contains(&stem) {
        return error(position, format!("`{stem}` cannot be locked"));
    }
    let mut lowering = Lowering { cell, code: &mut column.code, names, prefix };
    let one = Some(Expression::Number(1));
    match stem {
        "MFENCE" => lowering.push(Operation::Fence(Fence::Full)),
        "SFENCE" => lowering.push(Operation::Fence(Fence::Stores)),
        "LFENCE" => lowering.push(Operation::Fence(Fence::Instructions)),
        "NOP" => {}
        "MOV" => lowering.moves()?,
        "XCHG" => lowering.exchange()?,
        "XADD" => lowering.exchange_and_add()?,
        "CMPXCHG" => lowering.compare_and_exchange()?,
        "INC" => lowering.compute(Binary::Add, one)?,
        "DEC" => lowering.compute(Binary::Subtract, one)?,
        "ADD" => lowering.compute(Binary::Add, None)?,
        "SUB" => lowering.compute(Binary::Subtract, None)?,
        "AND" => lowering.compute(Binary::And, None)?,
        "OR" => lowering.compute(Binary::Or, None)?,
        "XOR" => lowering.compute(Binary::Xor, None)?,
        "CMP" => lowering.compare(Binary::Subtract)?,
        "TEST" => lowering.compare(Binary::And)?,
        _ => return error(position, format!("the instruction `{mnemonic}` is not supported")),
    }
    Ok(())
}

fn branch(mnemonic: &str, cell: &mut InstructionCell<'_>, column: &mut Column) -> Result<(), Error> {
    let flags = Expression::Register(column.code.register(FLAGS));
    let zero = Expression::Number(0);
    let condition = match mnemonic {
        "JMP" => Expression::Number(1),
        "JE" | "JZ" => Expression::binary(Binary::Equal, flags, zero),
        "JNE" | "JNZ" => Expression::binary(Binary::NotEqual, flags, zero),
        "JL" | "JS" => Expression::binary(Binary::Less, flags, zero),
        "JLE" => Expression::binary(Binary::LessOrEqual, flags, zero),
        "JG" => Expression::binary(Binary::Less, zero, flags),
        "JGE" | "JNS" => Expression::binary(Binary::LessOrEqual, zero, flags),
        _ => return error(cell.mnemonic.position, format!("the instruction `{mnemonic}` is not supported")),
    };
    let label = cell.operands.name("a label")?;
    column.labels.branch(&mut column.code, condition, cell, label);
    Ok(())
}
