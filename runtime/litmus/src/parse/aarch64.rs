//! Tests in assembly of ARMv8, 64 bits.
//!
//! A pair of `ldxr` and `stxr` to the same address with nothing but computation between them becomes one
//! [`Operation::Update`] that always succeeds, and its status carries no dependency, so a branch back on it is left out. An
//! `ldxr` without `stxr` is a load, an `stxr` without `ldxr` fails. The flags are a register that holds the difference, or
//! the result, that set them.

use crate::code::{Binary, Code, Computed, Expression, Fence, Operation, Register, Strength};
use crate::parse::columns::{self, Column, InstructionCell};
use crate::parse::exclusive::{Alone, Reservation};
use crate::parse::names::Names;
use crate::parse::widths::Width;
use crate::text::{Error, Kind, Token, Tokens, error};
use engine::graph::{Annotations, Fences};
use engine::mapping::Order;
use engine::mapping::graphs::{FULL, LOADS, NOTHING, STORES};

/// Reads the program.
pub(super) fn program(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    columns::program(tokens, names, lower)
}

/// The name of the register that stands for the flags.
const FLAGS: &str = "#flags";

/// The operands of an instruction.
struct ArmOperands<'c, 'a> {
    cell: &'c mut InstructionCell<'a>,
    code: &'c mut Code,
    names: &'c mut Names,
}

impl<'a> ArmOperands<'_, 'a> {
    fn comma(&mut self) -> Result<(), Error> {
        self.cell.operands.expect(",")
    }

    /// Reads a register, and returns how many bits of it are meant.
    fn register(&mut self) -> Result<(Token<'a>, Width), Error> {
        let token = self.cell.operands.name("a register")?;
        self.names.register_name(token)?;
        let width = if token.text.starts_with(['W', 'w']) { Width::Bits32 } else { Width::Bits64 };
        Ok((token, width))
    }

    /// Reads a register that is written. What is written to the zero register goes to one that nothing reads.
    fn destination(&mut self) -> Result<(Register, Width), Error> {
        let (token, width) = self.register()?;
        let name = self.names.register_name(token)?;
        Ok((self.code.register(if name == "XZR" { "#none" } else { &name }), width))
    }

    fn source(&mut self) -> Result<(Expression, Width), Error> {
        let (token, width) = self.register()?;
        let name = self.names.register_name(token)?;
        let is_zero = name == "XZR";
        Ok((if is_zero { Expression::Number(0) } else { Expression::Register(self.code.register(&name)) }, width))
    }

    fn value(&mut self) -> Result<Expression, Error> {
        Ok(self.source()?.0)
    }

    /// Reads a register, or a number such as `#1`.
    fn operand(&mut self) -> Result<Expression, Error> {
        let is_number = self.cell.operands.peek().is_some_and(|token| token.kind == Kind::Number || token.text == "-");
        if self.cell.operands.take("#") || is_number {
            return self.cell.operands.number().map(Expression::Number);
        }
        let value = self.value()?;
        if self.cell.operands.take(",") {
            self.extension()?;
        }
        Ok(value)
    }

    /// Reads an extension, which means nothing here since values are 64 bits wide, or a shift by 0.
    fn extension(&mut self) -> Result<(), Error> {
        const EXTENSIONS: [&str; 4] = ["SXTW", "UXTW", "SXTX", "LSL"];
        let token = self.cell.operands.name("an extension")?;
        if !EXTENSIONS.contains(&token.text.to_ascii_uppercase().as_str()) {
            return error(token.position, format!("`{}` is not supported", token.text));
        }
        if self.cell.operands.take("#") && self.cell.operands.number()? != 0 {
            return error(token.position, "a shift is not supported");
        }
        Ok(())
    }

    /// Reads an address behind a comma: `,[X1]`, `,[X1,#4]`, `,[X1,W2,SXTW]`.
    fn address(&mut self, width: Width) -> Result<Expression, Error> {
        self.comma()?;
        let position = self.cell.operands.position();
        self.cell.operands.expect("[")?;
        let base = self.value()?;
        let address = if self.cell.operands.take(",") {
            match self.operand()? {
                Expression::Number(0) => base,
                offset => Expression::binary(Binary::Add, base, offset),
            }
        } else {
            base
        };
        self.cell.operands.expect("]")?;
        if self.cell.operands.is_next("!") {
            return error(position, "an address that changes its register before the access is not supported");
        }
        self.names.access(self.code, &address, width, position)?;
        Ok(address)
    }

    /// Reads the `,#4` behind an address, if it is there: the address's register moves on by that, behind the access.
    fn moves_on(&mut self, address: Expression) -> Result<(), Error> {
        if !self.cell.operands.is_next(",") {
            return Ok(());
        }
        self.comma()?;
        self.cell.operands.expect("#")?;
        let position = self.cell.operands.position();
        let distance = Expression::Number(self.cell.operands.number()?);
        let Expression::Register(to) = address else {
            return error(position, "two offsets of an address are not supported");
        };
        self.push(Operation::Assign { to, value: Expression::binary(Binary::Add, address, distance) });
        Ok(())
    }

    fn push(&mut self, operation: Operation) {
        self.code.push(operation, self.cell.mnemonic.position, &self.cell.text);
    }

    fn load(&mut self, order: Order, annotations: Annotations) -> Result<(), Error> {
        let (to, width) = self.destination()?;
        let address = self.address(width)?;
        let to = self.returns(to);
        self.push(Operation::Load { to, address: address.clone(), order, annotations });
        self.moves_on(address)
    }

    /// Declares that the register gets what is read, so that final states list it, unless it is the one that nothing reads.
    fn returns(&mut self, register: Register) -> Register {
        let is_none = self.code.registers[register.index()].name.starts_with('#');
        if is_none { register } else { self.code.loads(register) }
    }

    fn store(&mut self, order: Order, annotations: Annotations) -> Result<(), Error> {
        let (value, width) = self.source()?;
        let address = self.address(width)?;
        self.push(Operation::Store { address: address.clone(), value, order, annotations });
        self.moves_on(address)
    }

    /// Reads a read-modify-write, `SWP Ws,Wt,[Xn]` or `LDADD Ws,Wt,[Xn]`: Wt gets what is read.
    fn update(&mut self, new: Computed, annotations: Annotations) -> Result<(), Error> {
        let operand = self.value()?;
        self.comma()?;
        let (to, width) = self.destination()?;
        let address = self.address(width)?;
        let strength = Strength::Annotated(self.used(to, annotations));
        let to = self.returns(to);
        self.push(Operation::Update { to, address, expected: None, new: new(operand), strength });
        Ok(())
    }

    /// Returns the annotations of a read-modify-write; one whose result goes nowhere is no acquire.
    fn used(&self, to: Register, annotations: Annotations) -> Annotations {
        if self.code.registers[to.index()].name.starts_with('#') {
            annotations.without(Annotations::ACQUIRE).and(Annotations::UNUSED)
        } else {
            annotations
        }
    }

    /// Reads a read-modify-write without a result, `STADD Ws,[Xn]`.
    fn unused_update(&mut self, new: Computed, annotations: Annotations) -> Result<(), Error> {
        let (operand, width) = self.source()?;
        let address = self.address(width)?;
        let to = self.code.register("#none");
        let strength = Strength::Annotated(self.used(to, annotations));
        self.push(Operation::Update { to, address, expected: None, new: new(operand), strength });
        Ok(())
    }

    /// Reads a compare-and-swap, `CAS Ws,Wt,[Xn]`: Ws is what is expected, and gets what is read; Wt is what is written.
    fn compare_and_swap(&mut self, annotations: Annotations) -> Result<(), Error> {
        let (to, _) = self.destination()?;
        let strength = Strength::Annotated(self.used(to, annotations));
        let is_zero = self.code.registers[to.index()].name.starts_with('#');
        let expected = Some(if is_zero { Expression::Number(0) } else { Expression::Register(to) });
        self.comma()?;
        let (new, width) = self.source()?;
        let address = self.address(width)?;
        let to = self.returns(to);
        self.push(Operation::Update { to, address, expected, new, strength });
        Ok(())
    }

    fn compute(&mut self, operator: Binary) -> Result<Register, Error> {
        let (to, _) = self.destination()?;
        self.comma()?;
        let left = self.value()?;
        self.comma()?;
        let right = self.operand()?;
        self.push(Operation::Assign { to, value: Expression::binary(operator, left, right) });
        Ok(to)
    }

    fn set_flags(&mut self, value: Expression) {
        let to = self.code.register(FLAGS);
        self.push(Operation::Assign { to, value });
    }

    fn compare(&mut self) -> Result<(), Error> {
        let left = self.value()?;
        self.comma()?;
        let right = self.operand()?;
        self.set_flags(Expression::binary(Binary::Subtract, left, right));
        Ok(())
    }

    fn select(&mut self) -> Result<(), Error> {
        let (to, _) = self.destination()?;
        self.comma()?;
        let one = self.value()?;
        self.comma()?;
        let other = self.value()?;
        self.comma()?;
        let name = self.cell.operands.name("a condition")?;
        let condition = condition(self.code, name, name.text)?;
        self.push(Operation::Assign { to, value: Expression::Select(Box::new([condition, one, other])) });
        Ok(())
    }
}

/// Returns the value of a condition such as `EQ` by the flags.
fn condition(code: &mut Code, token: Token<'_>, name: &str) -> Result<Expression, Error> {
    let flags = Expression::Register(code.register(FLAGS));
    let zero = Expression::Number(0);
    Ok(match name.to_ascii_uppercase().as_str() {
        "EQ" => Expression::binary(Binary::Equal, flags, zero),
        "NE" => Expression::binary(Binary::NotEqual, flags, zero),
        "LT" => Expression::binary(Binary::Less, flags, zero),
        "LE" => Expression::binary(Binary::LessOrEqual, flags, zero),
        "GT" => Expression::binary(Binary::Less, zero, flags),
        "GE" => Expression::binary(Binary::LessOrEqual, zero, flags),
        _ => return error(token.position, format!("the condition `{name}` is not supported")),
    })
}

fn lower(cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names) -> Result<(), Error> {
    let mnemonic = cell.mnemonic;
    let name = mnemonic.text.to_ascii_uppercase();
    if let Some(what) = unsupported_width(&name) {
        return error(mnemonic.position, format!("`{}`: {what} are not supported", mnemonic.text));
    }
    if name == "CBZ" || name == "CBNZ" || name == "B" || name.starts_with("B.") {
        return branch(&name, cell, column, names);
    }
    match name.as_str() {
        "LDXR" => return exclusive_load(Annotations::NONE, cell, column, names),
        "LDAXR" => return exclusive_load(Annotations::ACQUIRE, cell, column, names),
        "STXR" => return exclusive_store(Annotations::NONE, cell, column, names),
        "STLXR" => return exclusive_store(Annotations::RELEASE, cell, column, names),
        _ => {}
    }
    let at = column.code.instructions.len();
    let mut operands = ArmOperands { cell, code: &mut column.code, names };
    match name.as_str() {
        "LDR" => operands.load(Order::Relaxed, Annotations::NONE)?,
        "LDAR" => operands.load(Order::Acquire, Annotations::ACQUIRE)?,
        "LDAPR" => operands.load(Order::Acquire, Annotations::ACQUIRE_PC)?,
        "STR" => operands.store(Order::Relaxed, Annotations::NONE)?,
        "STLR" => operands.store(Order::Release, Annotations::RELEASE)?,
        "ISB" => operands.push(Operation::Fence(Fence::Context)),
        "DMB" | "DSB" => {
            let domain = operands.cell.operands.name("a domain")?;
            let fences = barrier(&name, domain)?;
            operands.push(Operation::Fence(Fence::Counted(fences)));
        }
        _ if updates(&mut operands, &name)? => {}
        _ => compute(&mut operands, &name)?,
    }
    column.pairs.only_computes(&mut column.code, at, mnemonic)
}

/// Returns a name for what is not supported in an access that is not 32 or 64 bits wide, going by the instruction's name.
fn unsupported_width(name: &str) -> Option<&'static str> {
    let is_access = ["LD", "ST", "SWP", "CAS"].iter().any(|begin| name.starts_with(begin));
    if !is_access || updated_by(name).is_some() {
        return None;
    }
    let is_pair = name.ends_with('P') && name != "SWP" || name.starts_with("CASP") || name.starts_with("SWPP");
    if is_pair || name.starts_with("LDIAPP") || name.starts_with("STILP") {
        return Some("accesses of pairs of registers, or of 128 bits,");
    }
    (name.ends_with('B') || name.ends_with('H')).then_some("accesses of 8 or 16 bits")
}

/// Returns the fences that a barrier is.
fn barrier(name: &str, domain: Token<'_>) -> Result<Fences, Error> {
    Ok(match domain.text.to_ascii_uppercase().as_str() {
        "SY" | "ISH" | "OSH" => FULL,
        "LD" | "ISHLD" | "OSHLD" => LOADS,
        "ST" | "ISHST" | "OSHST" if name == "DSB" => Fences { write_read: 1, write_write: 1, ..NOTHING },
        "ST" | "ISHST" | "OSHST" => STORES,
        _ => return error(domain.position, format!("`{name} {}` is not supported", domain.text)),
    })
}

/// Returns how an instruction such as `LDADDAL` computes what it writes, and its annotations.
fn updated_by(name: &str) -> Option<(Computed, Annotations, &str)> {
    const KINDS: [(&str, Computed); 5] = [
        ("SWP", |operand| operand),
        ("ADD", |operand| Expression::binary(Binary::Add, Expression::Read, operand)),
        ("EOR", |operand| Expression::binary(Binary::Xor, Expression::Read, operand)),
        ("SET", |operand| Expression::binary(Binary::Or, Expression::Read, operand)),
        ("CLR", |operand| {
            let complement = Expression::binary(Binary::Xor, operand, Expression::Number(-1));
            Expression::binary(Binary::And, Expression::Read, complement)
        }),
    ];
    let (begin, rest) = match name.get(..2) {
        Some("LD" | "ST") => name.split_at(2),
        _ => ("", name),
    };
    let (kind, new) = KINDS.into_iter().find(|(kind, _)| rest.starts_with(kind))?;
    let annotations = match &rest[kind.len()..] {
        "" => Annotations::NONE,
        "A" if begin != "ST" => Annotations::ACQUIRE,
        "L" => Annotations::RELEASE,
        "AL" if begin != "ST" => Annotations::ACQUIRE.and(Annotations::RELEASE),
        _ => return None,
    };
    ((kind == "SWP") == begin.is_empty()).then_some((new, annotations.and(Annotations::SINGLE), begin))
}

/// Reads a read-modify-write of one instruction; returns whether the instruction is one.
fn updates(operands: &mut ArmOperands<'_, '_>, name: &str) -> Result<bool, Error> {
    if let Some((new, annotations, begin)) = updated_by(name) {
        if begin == "ST" {
            operands.unused_update(new, annotations)?;
        } else {
            operands.update(new, annotations)?;
        }
        return Ok(true);
    }
    let annotations = match name {
        "CAS" => Annotations::NONE,
        "CASA" => Annotations::ACQUIRE,
        "CASL" => Annotations::RELEASE,
        "CASAL" => Annotations::ACQUIRE.and(Annotations::RELEASE),
        _ => return Ok(false),
    };
    operands.compare_and_swap(annotations.and(Annotations::SINGLE))?;
    Ok(true)
}

/// Reads an instruction that computes.
fn compute(operands: &mut ArmOperands<'_, '_>, name: &str) -> Result<(), Error> {
    match name {
        "NOP" => {}
        "MOV" => {
            let (to, _) = operands.destination()?;
            operands.comma()?;
            let value = operands.operand()?;
            operands.push(Operation::Assign { to, value });
        }
        "CSEL" => operands.select()?,
        "CMP" => operands.compare()?,
        "ADD" => drop(operands.compute(Binary::Add)?),
        "SUB" => drop(operands.compute(Binary::Subtract)?),
        "AND" => drop(operands.compute(Binary::And)?),
        "ORR" => drop(operands.compute(Binary::Or)?),
        "EOR" => drop(operands.compute(Binary::Xor)?),
        "ADDS" | "SUBS" | "ANDS" => {
            let operator = match name {
                "ADDS" => Binary::Add,
                "SUBS" => Binary::Subtract,
                _ => Binary::And,
            };
            let to = operands.compute(operator)?;
            operands.set_flags(Expression::Register(to));
        }
        _ => {
            let mnemonic = operands.cell.mnemonic;
            return error(mnemonic.position, format!("the instruction `{}` is not supported", mnemonic.text));
        }
    }
    Ok(())
}

fn branch(name: &str, cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names) -> Result<(), Error> {
    let mnemonic = cell.mnemonic;
    column.pairs.interrupt(&mut column.code, mnemonic.position, "a branch")?;
    let zero = Expression::Number(0);
    let mut operands = ArmOperands { cell, code: &mut column.code, names };
    let mut is_status = false;
    let condition = match name {
        "B" => Expression::Number(1),
        "CBZ" | "CBNZ" => {
            let value = operands.value()?;
            operands.comma()?;
            let operator = if name == "CBZ" { Binary::Equal } else { Binary::NotEqual };
            is_status = matches!(&value, Expression::Register(register) if column.statuses.contains(register));
            Expression::binary(operator, value, zero)
        }
        _ => condition(operands.code, mnemonic, &name[2..])?,
    };
    let label = cell.operands.name("a label")?;
    // A loop around a pair that succeeds is left, and on ARM no branch depends on the success.
    if name == "CBNZ" && is_status && column.labels.is_known(label.text) {
        return Ok(());
    }
    column.labels.branch(&mut column.code, condition, cell, label);
    Ok(())
}

fn exclusive_load(
    annotations: Annotations,
    cell: &mut InstructionCell<'_>,
    column: &mut Column,
    names: &mut Names,
) -> Result<(), Error> {
    let position = cell.mnemonic.position;
    column.pairs.end(&mut column.code)?;
    let mut operands = ArmOperands { cell, code: &mut column.code, names };
    let (to, width) = operands.destination()?;
    let address = operands.address(width)?;
    let to = operands.returns(to);
    let at = operands.code.instructions.len();
    let strength = Strength::Annotated(annotations);
    operands.push(Operation::Update { to, address, expected: None, new: Expression::Read, strength });
    column.pairs.begin(&mut column.code, Reservation { at, position, names: ["LDXR", "STXR"], alone: Alone::Loads })
}

fn exclusive_store(
    annotations: Annotations,
    cell: &mut InstructionCell<'_>,
    column: &mut Column,
    names: &mut Names,
) -> Result<(), Error> {
    let position = cell.mnemonic.position;
    let mut operands = ArmOperands { cell, code: &mut column.code, names };
    let (status, _) = operands.destination()?;
    operands.comma()?;
    let (stored, width) = operands.source()?;
    let address = operands.address(width)?;
    let fails = !column.pairs.is_open()?;
    let value = Expression::Number(i64::from(fails));
    column.code.push(Operation::Assign { to: status, value }, position, &cell.text);
    if fails {
        return Ok(());
    }
    if let Some(all) = column.pairs.join(&mut column.code, position, &stored, &address)? {
        *all = all.and(annotations);
    }
    column.statuses.push(status);
    Ok(())
}
