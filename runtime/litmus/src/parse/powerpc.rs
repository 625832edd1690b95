//! Tests in POWER assembly.
//!
//! A pair of `lwarx` and `stwcx.` to the same address with nothing but computation between them becomes one
//! [`Operation::Update`] that always succeeds: its retry branch then is never taken, and carries no dependency.

use crate::code::{Binary, Code, Expression, Fence, Operation, Register, Strength};
use crate::parse::columns::{self, Column, InstructionCell};
use crate::parse::exclusive::{Alone, Reservation};
use crate::parse::names::Names;
use crate::text::{Error, Kind, Tokens, error};
use engine::graph::Annotations;
use engine::mapping::Order;

/// Reads the program.
pub(super) fn program(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    columns::program(tokens, names, |cell, column, names| lower(cell, column, names))
}

/// Registers and operands of an instruction.
struct Operands<'c, 'a> {
    cell: &'c mut InstructionCell<'a>,
    code: &'c mut Code,
    names: &'c mut Names,
}

impl Operands<'_, '_> {
    fn register(&mut self) -> Result<Register, Error> {
        let token = self.cell.operands.name("a register")?;
        Ok(self.code.register(&self.names.register_name(token)?))
    }

    fn comma(&mut self) -> Result<(), Error> {
        self.cell.operands.expect(",")
    }

    fn value(&mut self) -> Result<Expression, Error> {
        self.register().map(Expression::Register)
    }

    fn next_value(&mut self) -> Result<Expression, Error> {
        self.comma()?;
        self.value()
    }

    fn next_number(&mut self) -> Result<Expression, Error> {
        self.comma()?;
        self.cell.operands.number().map(Expression::Number)
    }

    /// Reads an address with a displacement behind a comma: `,0(r1)`, or `,0,r1`.
    fn displaced(&mut self) -> Result<Expression, Error> {
        let offset = self.next_number()?;
        let base = if self.cell.operands.take("(") {
            let base = self.value()?;
            self.cell.operands.expect(")")?;
            base
        } else {
            self.next_value()?
        };
        Ok(if offset == Expression::Number(0) { base } else { Expression::binary(Binary::Add, offset, base) })
    }

    /// Reads an indexed address behind a comma: `,r1,r2`, or `,0,r2`.
    fn indexed(&mut self) -> Result<Expression, Error> {
        self.comma()?;
        let left = match self.cell.operands.peek() {
            Some(token) if token.kind == Kind::Number => Expression::Number(self.cell.operands.number()?),
            _ => self.value()?,
        };
        let right = self.next_value()?;
        Ok(if left == Expression::Number(0) { right } else { Expression::binary(Binary::Add, left, right) })
    }

    fn push(&mut self, operation: Operation) {
        self.code.push(operation, self.cell.mnemonic.position, &self.cell.text);
    }

    fn compute(&mut self, operator: Binary, right: fn(&mut Self) -> Result<Expression, Error>) -> Result<(), Error> {
        let to = self.register()?;
        let left = self.next_value()?;
        let right = right(self)?;
        self.push(Operation::Assign { to, value: Expression::binary(operator, left, right) });
        Ok(())
    }

    fn load(&mut self, address: fn(&mut Self) -> Result<Expression, Error>) -> Result<(), Error> {
        let to = self.register()?;
        let address = address(self)?;
        let to = self.code.loads(to);
        self.push(Operation::Load { to, address, order: Order::Relaxed, annotations: Annotations::NONE });
        Ok(())
    }

    fn store(&mut self, address: fn(&mut Self) -> Result<Expression, Error>) -> Result<(), Error> {
        let value = self.value()?;
        let address = address(self)?;
        self.push(Operation::Store { address, value, order: Order::Relaxed, annotations: Annotations::NONE });
        Ok(())
    }

    /// Sets the condition register to the sign of the difference.
    fn compare(&mut self, right: fn(&mut Self) -> Result<Expression, Error>) -> Result<(), Error> {
        let field = self.cell.operands.peek().filter(|token| token.text.starts_with("cr"));
        if field.is_some() {
            self.cell.operands.next();
            self.comma()?;
        }
        let to = self.condition_field(field.map_or("cr0", |token| token.text));
        let left = self.value()?;
        let right = right(self)?;
        let more = Expression::binary(Binary::Less, right.clone(), left.clone());
        let less = Expression::binary(Binary::Less, left, right);
        self.push(Operation::Assign { to, value: Expression::binary(Binary::Subtract, more, less) });
        Ok(())
    }

    fn condition_field(&mut self, name: &str) -> Register {
        self.code.register(name)
    }
}

fn lower(cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names) -> Result<(), Error> {
    let mnemonic = cell.mnemonic;
    if mnemonic.text.starts_with('b') {
        return branch(cell, column);
    }
    if mnemonic.text == "stwcx." {
        return conditional_store(cell, column, names);
    }
    let at = column.code.instructions.len();
    let mut operands = Operands { cell, code: &mut column.code, names };
    match mnemonic.text {
        "lwarx" => {
            let to = operands.register()?;
            let address = operands.indexed()?;
            let to = operands.code.loads(to);
            let (expected, new, strength) = (None, Expression::Read, Strength::Reserved);
            operands.push(Operation::Update { to, address, expected, new, strength });
            let reservation =
                Reservation { at, position: mnemonic.position, names: ["lwarx", "stwcx."], alone: Alone::Refused };
            return column.pairs.begin(&mut column.code, reservation);
        }
        "lwz" | "ld" => operands.load(Operands::displaced)?,
        "lwzx" | "ldx" => operands.load(Operands::indexed)?,
        "stw" | "std" => operands.store(Operands::displaced)?,
        "stwx" | "stdx" => operands.store(Operands::indexed)?,
        "sync" => operands.push(Operation::Fence(Fence::Full)),
        "lwsync" => operands.push(Operation::Fence(Fence::Lightweight)),
        "eieio" => operands.push(Operation::Fence(Fence::Stores)),
        "isync" => operands.push(Operation::Fence(Fence::Instructions)),
        _ => compute(&mut operands)?,
    }
    column.pairs.only_computes(&mut column.code, at, mnemonic)
}

/// Reads an instruction that computes.
fn compute(operands: &mut Operands<'_, '_>) -> Result<(), Error> {
    let mnemonic = operands.cell.mnemonic;
    match mnemonic.text {
        "nop" => {}
        "li" => {
            let to = operands.register()?;
            let value = operands.next_number()?;
            operands.push(Operation::Assign { to, value });
        }
        "mr" => {
            let to = operands.register()?;
            let value = operands.next_value()?;
            operands.push(Operation::Assign { to, value });
        }
        "addi" => operands.compute(Binary::Add, Operands::next_number)?,
        "add" => operands.compute(Binary::Add, Operands::next_value)?,
        "sub" => operands.compute(Binary::Subtract, Operands::next_value)?,
        "mulli" => operands.compute(Binary::Multiply, Operands::next_number)?,
        "mullw" | "mulld" => operands.compute(Binary::Multiply, Operands::next_value)?,
        "divw" | "divd" => operands.compute(Binary::Divide, Operands::next_value)?,
        "and" => operands.compute(Binary::And, Operands::next_value)?,
        "or" => operands.compute(Binary::Or, Operands::next_value)?,
        "ori" => operands.compute(Binary::Or, Operands::next_number)?,
        "xor" => operands.compute(Binary::Xor, Operands::next_value)?,
        "xori" => operands.compute(Binary::Xor, Operands::next_number)?,
        "andi." => {
            operands.compute(Binary::And, Operands::next_number)?;
            sign_of_last(operands);
        }
        "cmpw" | "cmpd" => operands.compare(Operands::next_value)?,
        "cmpwi" | "cmpdi" => operands.compare(Operands::next_number)?,
        other => return error(mnemonic.position, format!("the instruction `{other}` is not supported")),
    }
    Ok(())
}

/// Sets the condition register, as instructions with a dot do, too.
fn sign_of_last(operands: &mut Operands<'_, '_>) {
    let Some(Operation::Assign { to: last, .. }) = operands.code.instructions.last().map(|last| &last.operation) else {
        unreachable!("an assignment has just been made");
    };
    let value = Expression::Register(*last);
    let zero = || Expression::Number(0);
    let more = Expression::binary(Binary::Less, zero(), value.clone());
    let less = Expression::binary(Binary::Less, value, zero());
    let to = operands.condition_field("cr0");
    operands.push(Operation::Assign { to, value: Expression::binary(Binary::Subtract, more, less) });
}

fn branch(cell: &mut InstructionCell<'_>, column: &mut Column) -> Result<(), Error> {
    let mnemonic = cell.mnemonic;
    column.pairs.interrupt(&mut column.code, mnemonic.position, "a branch")?;
    let field = cell.operands.peek().filter(|token| token.text.starts_with("cr"));
    if field.is_some() {
        cell.operands.next();
        cell.operands.expect(",")?;
    }
    let field = Expression::Register(column.code.register(field.map_or("cr0", |token| token.text)));
    let zero = Expression::Number(0);
    let condition = match mnemonic.text {
        "b" => Expression::Number(1),
        "beq" => Expression::binary(Binary::Equal, field, zero),
        "bne" => Expression::binary(Binary::NotEqual, field, zero),
        "blt" => Expression::binary(Binary::Less, field, zero),
        "ble" => Expression::binary(Binary::LessOrEqual, field, zero),
        "bgt" => Expression::binary(Binary::Less, zero, field),
        "bge" => Expression::binary(Binary::LessOrEqual, zero, field),
        other => return error(mnemonic.position, format!("the instruction `{other}` is not supported")),
    };
    let label = cell.operands.name("a label")?;
    column.labels.branch(&mut column.code, condition, cell, label);
    Ok(())
}

/// Reads a store on condition that the reservation holds, which it always does.
fn conditional_store(cell: &mut InstructionCell<'_>, column: &mut Column, names: &mut Names) -> Result<(), Error> {
    let position = cell.mnemonic.position;
    if !column.pairs.is_open()? {
        return error(position, "a `stwcx.` without its `lwarx` is not supported");
    }
    let mut operands = Operands { cell, code: &mut column.code, names };
    let stored = operands.register()?;
    let stored_at = operands.indexed()?;
    let condition = operands.condition_field("cr0");
    // The status says that the store succeeds: it always does, whatever was loaded.
    operands.push(Operation::Assign { to: condition, value: Expression::Number(0) });
    column.pairs.join(&mut column.code, position, &Expression::Register(stored), &stored_at)?;
    Ok(())
}
