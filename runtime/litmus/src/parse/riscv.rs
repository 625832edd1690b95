//! Tests in assembly of RISC-V.
//!
//! A pair of `lr` and `sc` to the same address with nothing but computation between them becomes one [`Operation::Update`]
//! that always succeeds. What depends on its status, which only branches may, waits for the store.

use crate::code::{Binary, Code, Computed, Expression, Fence, Operation, Register, Strength};
use crate::parse::columns::{self, Column, InstructionCell};
use crate::parse::exclusive::{Alone, Reservation};
use crate::parse::names::Names;
use crate::parse::widths::Width;
use crate::text::{Error, Tokens, error};
use engine::graph::{Annotations, Fences};
use engine::mapping::Order;
use engine::mapping::graphs::{FULL, LIGHTWEIGHT, NOTHING};

/// Reads the program.
pub(super) fn program(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    columns::program(tokens, names, lower)
}

/// Operands of an instruction.
struct RiscvOperands<'c, 'a> {
    cell: &'c mut InstructionCell<'a>,
    code: &'c mut Code,
    names: &'c mut Names,
    /// The registers that hold a status.
    statuses: &'c mut Vec<Register>,
}

impl RiscvOperands<'_, '_> {
    fn comma(&mut self) -> Result<(), Error> {
        self.cell.operands.expect(",")
    }

    /// Reads a register that is written. What is written to the zero register goes to one that nothing reads.
    fn destination(&mut self) -> Result<Register, Error> {
        let token = self.cell.operands.name("a register")?;
        let name = self.names.register_name(token)?;
        let register = self.code.register(if name == "x0" { "#none" } else { &name });
        self.statuses.retain(|status| *status != register);
        Ok(register)
    }

    /// Reads a register that is read; it may hold a status only if a branch reads it.
    fn any_value(&mut self) -> Result<Expression, Error> {
        let token = self.cell.operands.name("a register")?;
        let name = self.names.register_name(token)?;
        Ok(if name == "x0" { Expression::Number(0) } else { Expression::Register(self.code.register(&name)) })
    }

    fn value(&mut self) -> Result<Expression, Error> {
        let position = self.cell.operands.position();
        let value = self.any_value()?;
        match &value {
            Expression::Register(register) if self.statuses.contains(register) => {
                error(position, "the result of `sc` elsewhere than in a branch is not supported")
            }
            _ => Ok(value),
        }
    }

    /// Reads an address behind a comma: `,0(x1)`, or `,(x1)`.
    fn address(&mut self, width: Width) -> Result<Expression, Error> {
        self.comma()?;
        let position = self.cell.operands.position();
        let offset = if self.cell.operands.is_next("(") { 0 } else { self.cell.operands.number()? };
        self.cell.operands.expect("(")?;
        let base = self.value()?;
        self.cell.operands.expect(")")?;
        let address =
            if offset == 0 { base } else { Expression::binary(Binary::Add, base, Expression::Number(offset)) };
        self.names.access(self.code, &address, width, position)?;
        Ok(address)
    }

    fn push(&mut self, operation: Operation) {
        self.code.push(operation, self.cell.mnemonic.position, &self.cell.text);
    }

    /// Declares that the register gets what is read, so that final states list it, unless it is the one that nothing reads.
    fn returns(&mut self, register: Register) -> Register {
        let is_none = self.code.registers[register.index()].name.starts_with('#');
        if is_none { register } else { self.code.loads(register) }
    }

    fn compute(&mut self, operator: Binary, number: Immediate) -> Result<(), Error> {
        let to = self.destination()?;
        self.comma()?;
        let left = self.value()?;
        self.comma()?;
        let right = match number {
            Immediate::Yes => Expression::Number(self.cell.operands.number()?),
            Immediate::No => self.value()?,
        };
        self.push(Operation::Assign { to, value: Expression::binary(operator, left, right) });
        Ok(())
    }
}

/// Whether the last operand is a number.
#[derive(Clone, Copy)]
enum Immediate {
    Yes,
    No,
}

/// Returns the width of an access of this name (`w`, `d`), if it has one that is supported.
fn width(name: &str) -> Option<Width> {
    match name {
        "w" => Some(Width::Bits32),
        "d" => Some(Width::Bits64),
        _ => None,
    }
}

/// Returns whether a suffix has an acquire, and whether it has a release: `.aq`, `.rl`, `.aqrl`, `.aq.rl`.
fn annotated(suffix: &str) -> Option<[bool; 2]> {
    Some(match suffix {
        "" => [false, false],
        ".aq" => [true, false],
        ".rl" => [false, true],
        ".aqrl" | ".aq.rl" => [true, true],
        _ => return None,
    })
}

fn read_annotations([acquires, releases]: [bool; 2]) -> Annotations {
    let acquires = if acquires { Annotations::ACQUIRE } else { Annotations::NONE };
    acquires.and(if releases { Annotations::READ_RELEASES } else { Annotations::NONE })
}

fn write_annotations([acquires, releases]: [bool; 2]) -> Annotations {
    let acquires = if acquires { Annotations::WRITE_ACQUIRES } else { Annotations::NONE };
    acquires.and(if releases { Annotations::RELEASE } else { Annotations::NONE })
}

/// The kind of an access, by its name.
#[derive(Clone, Copy)]
enum AccessName {
    Load,
    Store,
    Reserve,
    StoreConditionally,
    Update(Computed),
}

fn access(name: &str) -> Option<(AccessName, Width, [bool; 2])> {
    const UPDATES: [(&str, Computed); 5] = [
        ("amoswap.", |operand| operand),
        ("amoadd.", |operand| Expression::binary(Binary::Add, Expression::Read, operand)),
        ("amoxor.", |operand| Expression::binary(Binary::Xor, Expression::Read, operand)),
        ("amoor.", |operand| Expression::binary(Binary::Or, Expression::Read, operand)),
        ("amoand.", |operand| Expression::binary(Binary::And, Expression::Read, operand)),
    ];
    let (access, rest) = if let Some((begin, new)) = UPDATES.into_iter().find(|(begin, _)| name.starts_with(begin)) {
        (AccessName::Update(new), &name[begin.len()..])
    } else if let Some(rest) = name.strip_prefix("lr.") {
        (AccessName::Reserve, rest)
    } else if let Some(rest) = name.strip_prefix("sc.") {
        (AccessName::StoreConditionally, rest)
    } else if let Some(rest) = name.strip_prefix('l') {
        (AccessName::Load, rest)
    } else {
        (AccessName::Store, name.strip_prefix('s')?)
    };
    let width = width(rest.get(..1)?)?;
    Some((access, width, annotated(&rest[1..])?))
}

fn lower(cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names) -> Result<(), Error> {
    const BRANCHES: [&str; 9] = ["beq", "bne", "beqz", "bnez", "blt", "bge", "bgt", "ble", "j"];
    const NARROW: [&str; 7] = ["lb", "lbu", "lh", "lhu", "lwu", "sb", "sh"];
    let mnemonic = cell.mnemonic;
    if BRANCHES.contains(&mnemonic.text) {
        return branch(cell, column, names);
    }
    if NARROW.contains(&mnemonic.text) {
        let message = format!("`{}`: accesses of 8 or 16 bits, or of mixed sizes, are not supported", mnemonic.text);
        return error(mnemonic.position, message);
    }
    let at = column.code.instructions.len();
    match access(mnemonic.text) {
        Some((AccessName::Reserve, width, annotations)) => return reserve(width, annotations, cell, column, names),
        Some((AccessName::StoreConditionally, width, annotations)) => {
            return store_conditionally(width, annotations, cell, column, names);
        }
        Some((access, width, annotations)) => {
            let statuses = &mut column.statuses;
            let mut operands = RiscvOperands { cell, code: &mut column.code, names, statuses };
            perform(&mut operands, access, width, annotations)?;
        }
        None => {
            let statuses = &mut column.statuses;
            let mut operands = RiscvOperands { cell, code: &mut column.code, names, statuses };
            if mnemonic.text.starts_with("fence") {
                let fences = fence(&mut operands)?;
                operands.push(Operation::Fence(Fence::Counted(fences)));
            } else {
                compute(&mut operands)?;
            }
        }
    }
    column.pairs.only_computes(&mut column.code, at, mnemonic)
}

fn perform(
    operands: &mut RiscvOperands<'_, '_>,
    access: AccessName,
    width: Width,
    annotations: [bool; 2],
) -> Result<(), Error> {
    let [acquires, releases] = annotations;
    match access {
        AccessName::Load => {
            let to = operands.destination()?;
            let address = operands.address(width)?;
            let to = operands.returns(to);
            let order = if acquires { Order::Acquire } else { Order::Relaxed };
            let annotations = read_annotations(annotations);
            operands.push(Operation::Load { to, address, order, annotations });
        }
        AccessName::Store => {
            let value = operands.value()?;
            let address = operands.address(width)?;
            let order = if releases { Order::Release } else { Order::Relaxed };
            let annotations = write_annotations(annotations);
            operands.push(Operation::Store { address, value, order, annotations });
        }
        AccessName::Update(new) => {
            let to = operands.destination()?;
            operands.comma()?;
            let operand = operands.value()?;
            let address = operands.address(width)?;
            let to = operands.returns(to);
            let both = read_annotations(annotations).and(write_annotations(annotations));
            let strength = Strength::Annotated(both.and(Annotations::SINGLE));
            operands.push(Operation::Update { to, address, expected: None, new: new(operand), strength });
        }
        AccessName::Reserve | AccessName::StoreConditionally => unreachable!("they come in pairs"),
    }
    Ok(())
}

/// Returns the fences that a `fence` is: of all accesses, or of those named on both sides, `r,rw`.
fn fence(operands: &mut RiscvOperands<'_, '_>) -> Result<Fences, Error> {
    let mnemonic = operands.cell.mnemonic;
    match mnemonic.text {
        "fence.tso" => return Ok(LIGHTWEIGHT),
        "fence.i" => return Ok(NOTHING),
        "fence" if operands.cell.operands.is_done() => return Ok(FULL),
        "fence" => {}
        other => return error(mnemonic.position, format!("the instruction `{other}` is not supported")),
    }
    let [before, after] = [side(operands, ",")?, side(operands, "")?];
    let count = |first: char, second: char| u16::from(before.contains(first) && after.contains(second));
    let fences = Fences {
        full: 0,
        read_read: count('r', 'r'),
        read_write: count('r', 'w'),
        write_read: count('w', 'r'),
        write_write: count('w', 'w'),
    };
    let is_full = [fences.read_read, fences.read_write, fences.write_read, fences.write_write] == [1; 4];
    Ok(if is_full { FULL } else { fences })
}

/// Reads one side of a fence, and the sign that follows it.
fn side(operands: &mut RiscvOperands<'_, '_>, end: &str) -> Result<String, Error> {
    let token = operands.cell.operands.name("some of i, o, r and w")?;
    if !token.text.chars().all(|letter| "iorw".contains(letter)) {
        return error(token.position, format!("`{}` is no set of accesses: some of i, o, r and w", token.text));
    }
    if !end.is_empty() {
        operands.cell.operands.expect(end)?;
    }
    Ok(token.text.to_owned())
}

/// Reads an instruction that computes.
fn compute(operands: &mut RiscvOperands<'_, '_>) -> Result<(), Error> {
    let mnemonic = operands.cell.mnemonic;
    match mnemonic.text {
        "nop" => {}
        "li" => {
            let to = operands.destination()?;
            operands.comma()?;
            let value = Expression::Number(operands.cell.operands.number()?);
            operands.push(Operation::Assign { to, value });
        }
        "mv" => {
            let to = operands.destination()?;
            operands.comma()?;
            let value = operands.value()?;
            operands.push(Operation::Assign { to, value });
        }
        "add" | "addw" => operands.compute(Binary::Add, Immediate::No)?,
        "addi" | "addiw" => operands.compute(Binary::Add, Immediate::Yes)?,
        "sub" | "subw" => operands.compute(Binary::Subtract, Immediate::No)?,
        "and" => operands.compute(Binary::And, Immediate::No)?,
        "andi" => operands.compute(Binary::And, Immediate::Yes)?,
        "or" => operands.compute(Binary::Or, Immediate::No)?,
        "ori" => operands.compute(Binary::Or, Immediate::Yes)?,
        "xor" => operands.compute(Binary::Xor, Immediate::No)?,
        "xori" => operands.compute(Binary::Xor, Immediate::Yes)?,
        other => return error(mnemonic.position, format!("the instruction `{other}` is not supported")),
    }
    Ok(())
}

fn branch(cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names) -> Result<(), Error> {
    let mnemonic = cell.mnemonic;
    column.pairs.interrupt(&mut column.code, mnemonic.position, "a branch")?;
    let mut operands = RiscvOperands { cell, code: &mut column.code, names, statuses: &mut column.statuses };
    let mut compared = Vec::new();
    let count = match mnemonic.text {
        "j" => 0,
        "beqz" | "bnez" => 1,
        _ => 2,
    };
    for _ in 0..count {
        compared.push(operands.any_value()?);
        operands.comma()?;
    }
    let is_status =
        |value: &Expression| matches!(value, Expression::Register(register) if column.statuses.contains(register));
    let is_retry = compared.iter().any(is_status);
    let mut compared = compared.into_iter();
    let mut next = || compared.next().unwrap_or(Expression::Number(0));
    let condition = match mnemonic.text {
        "j" => Expression::Number(1),
        "beq" | "beqz" => Expression::binary(Binary::Equal, next(), next()),
        "bne" | "bnez" => Expression::binary(Binary::NotEqual, next(), next()),
        "blt" => Expression::binary(Binary::Less, next(), next()),
        "bge" => flipped(Binary::LessOrEqual, next(), next()),
        "bgt" => flipped(Binary::Less, next(), next()),
        _ => Expression::binary(Binary::LessOrEqual, next(), next()),
    };
    let label = cell.operands.name("a label")?;
    if is_retry && column.labels.is_known(label.text) {
        // Since the pair succeeds, the branch back is not taken, but what follows depends on it.
        let target = column.code.instructions.len() + 1;
        column.code.push(Operation::Branch { condition, target }, mnemonic.position, &cell.text);
        return Ok(());
    }
    column.labels.branch(&mut column.code, condition, cell, label);
    Ok(())
}

fn flipped(operator: Binary, left: Expression, right: Expression) -> Expression {
    Expression::binary(operator, right, left)
}

fn reserve(
    width: Width,
    annotations: [bool; 2],
    cell: &mut InstructionCell<'_>,
    column: &mut Column,
    names: &mut Names,
) -> Result<(), Error> {
    let position = cell.mnemonic.position;
    let at = column.code.instructions.len();
    let mut operands = RiscvOperands { cell, code: &mut column.code, names, statuses: &mut column.statuses };
    let to = operands.destination()?;
    let address = operands.address(width)?;
    let to = operands.returns(to);
    let strength = Strength::Annotated(read_annotations(annotations));
    operands.push(Operation::Update { to, address, expected: None, new: Expression::Read, strength });
    column.pairs.begin(&mut column.code, Reservation { at, position, names: ["lr", "sc"], alone: Alone::Refused })
}

fn store_conditionally(
    width: Width,
    annotations: [bool; 2],
    cell: &mut InstructionCell<'_>,
    column: &mut Column,
    names: &mut Names,
) -> Result<(), Error> {
    let position = cell.mnemonic.position;
    if !column.pairs.is_open()? {
        return error(position, "a `sc` without its `lr` is not supported");
    }
    let mut operands = RiscvOperands { cell, code: &mut column.code, names, statuses: &mut column.statuses };
    let status = operands.destination()?;
    operands.comma()?;
    let stored = operands.value()?;
    let address = operands.address(width)?;
    if let Some(all) = column.pairs.join(&mut column.code, position, &stored, &address)? {
        *all = all.and(write_annotations(annotations));
    }
    column.code.push(Operation::Assign { to: status, value: Expression::Stored }, position, &cell.text);
    column.statuses.push(status);
    Ok(())
}
