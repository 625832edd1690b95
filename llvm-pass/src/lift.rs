//! Builds anew what inline assembly does: hooks where other threads could see it, ordinary code elsewhere.
//!
//! Each register is a number of 64 bits, the last value written to it; each flag is a truth value. A register that was never
//! written is zero. How to read: [`machine`] is what instructions work on, [`flags`] what they leave behind, and this file what
//! each of them does.

mod flags;
mod machine;

use inkwell::IntPredicate;
use inkwell::values::{BasicValue, BasicValueEnum, IntValue, PointerValue};

use crate::abi::{FH_RMW_ADD, FH_RMW_AND, FH_RMW_EXCHANGE, FH_RMW_NEGATE, FH_RMW_OR, FH_RMW_SUB, FH_RMW_XOR};
use crate::assembly::AssemblyProgram;
use crate::assembly::constraints::{Place, Role};
use crate::assembly::instructions::{BitOperator, Instruction, Lock, Operator};
use crate::assembly::operands::{Operand, Register};
use crate::assembly::registers::Named;
use crate::calls::SEQ_CST;
use crate::failure::{Failure, Result};
use crate::hooks::{Hooks, replace, width as bits_of};
use crate::ir::{Type, Value};
use flags::{Flags, compare};
use machine::{AccessTarget, Machine};

/// The builder for one piece of inline assembly.
pub(crate) struct Lifter<'a, 'ctx> {
    machine: Machine<'a, 'ctx>,
    flags: Flags<'ctx>,
}

impl<'a, 'ctx> Lifter<'a, 'ctx> {
    /// Makes a builder for a call of inline assembly.
    pub(crate) fn new(
        hooks: &'a mut Hooks<'ctx>,
        call: Value,
        program: &'a AssemblyProgram,
        shared: &'a [u32],
        site: BasicValueEnum<'ctx>,
    ) -> Result<Self> {
        let flags = Flags::new(hooks);
        Ok(Self { machine: Machine::new(hooks, call, program, shared, site)?, flags })
    }

    /// Builds the hooks and the code, and removes the assembly.
    pub(crate) fn lift(mut self) -> Result<()> {
        for instruction in &self.machine.program.instructions {
            self.instruction(instruction)?;
        }
        let slots = self.machine.program.slots.iter().enumerate().filter(|(_, slot)| slot.role == Role::Output);
        let outputs: Vec<usize> = slots.map(|(number, _)| number).collect();
        let kind = self.machine.call.kind();
        match outputs.as_slice() {
            [] => self.machine.call.erase(),
            &[only] => {
                let value = self.output(only)?;
                replace(self.machine.call, self.narrowed_to(value, kind)?)?;
            }
            several => {
                let mut all = kind.typed().into_struct_type().get_undef();
                for (index, &slot) in (0..).zip(several) {
                    let value = self.narrowed_to(self.output(slot)?, kind.struct_element(index))?;
                    all = self.machine.hooks.builder.build_insert_value(all, value, index, "")?.into_struct_value();
                }
                replace(self.machine.call, all.into())?;
            }
        }
        Ok(())
    }

    /// Returns the value that an output slot holds in the end, in 64 bits.
    fn output(&self, slot: usize) -> Result<IntValue<'ctx>> {
        match (self.machine.program.slots[slot].place, Register::of(&self.machine.program.slots, slot)) {
            (Place::Flag(condition), _) => self.machine.extended(self.flags.holds(self.machine.hooks, condition)?),
            (_, Some(register)) => Ok(self.machine.register(register)),
            _ => Err(Failure::new("an output that is in no register")),
        }
    }

    /// Returns the lower part of 64 bits as a scalar of a type.
    fn narrowed_to(&self, value: IntValue<'ctx>, kind: Type) -> Result<BasicValueEnum<'ctx>> {
        match kind.simple_bytes() {
            Some(bytes) if kind.typed().is_float_type() => {
                let bits = self.machine.hooks.integer_type(bits_of(bytes))?;
                let value = self.machine.hooks.builder.build_int_truncate(value, bits, "")?;
                self.machine.hooks.value_of(value, kind.typed())
            }
            _ => self.machine.hooks.value_of(value, kind.typed()),
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<()> {
        match *instruction {
            Instruction::Fence(number) => self.machine.fence(number),
            Instruction::Move { from, to, width } => {
                let value = self.machine.read(from, width)?;
                self.machine.write(to, width, value)
            }
            Instruction::Exchange { register, with, width } => self.exchange(register, with, width),
            Instruction::Arithmetic { target: Operand::Stack, .. } => self.machine.fence(SEQ_CST),
            Instruction::Arithmetic { operator, source, target, width, lock } => {
                self.arithmetic(operator, source, target, width, lock)
            }
            Instruction::ExchangeAdd { register, target, width, lock } => {
                let addend = self.machine.low(self.machine.register(register), width)?;
                let old =
                    self.machine.modify(target, width, lock, FH_RMW_ADD, addend, |hooks: &Hooks<'ctx>, old| {
                        Ok(hooks.builder.build_int_add(old, addend, "")?)
                    })?;
                let sum = self.machine.hooks.builder.build_int_add(old, addend, "")?;
                self.flags.set_after_sum(self.machine.hooks, old, addend, sum)?;
                // Where both are the same register, the sum stays.
                if target != Operand::Register(register) {
                    self.machine.set_register(register, width, old)?;
                }
                Ok(())
            }
            Instruction::CompareExchange { desired, target, width, lock } => {
                self.compare_exchange(desired, target, width, lock)
            }
            Instruction::CompareExchangePair { target, half } => self.compare_exchange_pair(target, half),
            Instruction::Bit { operator, offset, target, width, lock } => {
                self.bit(operator, offset, target, width, lock)
            }
            Instruction::Set { condition, target } => {
                let byte = self.machine.hooks.integer_type(8)?;
                let value = self.machine.hooks.builder.build_int_z_extend(
                    self.flags.holds(self.machine.hooks, condition)?,
                    byte,
                    "",
                )?;
                self.machine.write(target, 1, value)
            }
            Instruction::Borrow { register, width } => {
                let kind = self.machine.hooks.integer_type(bits_of(width))?;
                let value = self.machine.hooks.builder.build_int_s_extend(self.flags.carry, kind, "")?;
                self.machine.set_register(register, width, value)
            }
        }
    }

    fn exchange(&mut self, register: Register, with: Operand, width: u64) -> Result<()> {
        let new = self.machine.low(self.machine.register(register), width)?;
        let old = self.machine.modify(with, width, Lock::Locked, FH_RMW_EXCHANGE, new, |_, _| Ok(new))?;
        self.machine.set_register(register, width, old)
    }

    fn arithmetic(
        &mut self,
        operator: Operator,
        source: Operand,
        target: Operand,
        width: u64,
        lock: Lock,
    ) -> Result<()> {
        let kind = self.machine.hooks.integer_type(bits_of(width))?;
        let (zero, one, ones) = (kind.const_zero(), kind.const_int(1, false), kind.const_all_ones());
        let source = match operator {
            Operator::Increment | Operator::Decrement => one,
            Operator::Negate => zero,
            Operator::Not => ones,
            _ => self.machine.read(source, width)?,
        };
        if matches!(operator, Operator::Compare | Operator::Test) {
            let old = self.machine.read(target, width)?;
            return self.flags_after(operator, old, source);
        }
        let operation = match operator {
            Operator::Add | Operator::Increment => FH_RMW_ADD,
            Operator::Subtract | Operator::Decrement => FH_RMW_SUB,
            Operator::And => FH_RMW_AND,
            Operator::Or => FH_RMW_OR,
            Operator::Negate => FH_RMW_NEGATE,
            Operator::Xor | Operator::Not | Operator::Compare | Operator::Test => FH_RMW_XOR,
        };
        let change = |hooks: &Hooks<'ctx>, old| result(hooks, operator, old, source);
        let old = self.machine.modify(target, width, lock, operation, source, change)?;
        self.flags_after(operator, old, source)
    }

    fn flags_after(&mut self, operator: Operator, old: IntValue<'ctx>, source: IntValue<'ctx>) -> Result<()> {
        let result = result(self.machine.hooks, operator, old, source)?;
        let carry = self.flags.carry;
        match operator {
            Operator::Add => self.flags.set_after_sum(self.machine.hooks, old, source, result),
            Operator::Subtract | Operator::Compare => {
                self.flags.set_after_difference(self.machine.hooks, old, source, result)
            }
            Operator::Increment => {
                self.flags.set_after_sum(self.machine.hooks, old, source, result)?;
                self.flags.carry = carry;
                Ok(())
            }
            Operator::Decrement => {
                self.flags.set_after_difference(self.machine.hooks, old, source, result)?;
                self.flags.carry = carry;
                Ok(())
            }
            Operator::Negate => self.flags.set_after_difference(self.machine.hooks, source, old, result),
            Operator::Not => Ok(()),
            Operator::And | Operator::Or | Operator::Xor | Operator::Test => {
                let off = self.machine.hooks.context.bool_type().const_zero();
                (self.flags.carry, self.flags.overflow) = (off, off);
                self.flags.set_after(self.machine.hooks, result)
            }
        }
    }

    fn compare_exchange(&mut self, desired: Register, target: Operand, width: u64, lock: Lock) -> Result<()> {
        let accumulator = Register::Named(Named::A);
        let expected = self.machine.low(self.machine.register(accumulator), width)?;
        let new = self.machine.low(self.machine.register(desired), width)?;
        let place = match target {
            Operand::Memory(memory) => Some(self.machine.target(memory)?),
            _ => None,
        };
        let old = match place {
            Some(place) if lock == Lock::Locked && place.shared => {
                let orders = self.machine.hooks.number(SEQ_CST | SEQ_CST << 8).into();
                let arguments = [place.pointer.into(), expected.into(), new.into(), orders, self.machine.site];
                self.machine.hooks.call(&format!("__fh_cas{width}"), &arguments)?
            }
            place => self.machine.modify_place(
                place,
                target,
                width,
                lock,
                FH_RMW_EXCHANGE,
                new,
                |hooks: &Hooks<'ctx>, old| {
                    let equal = compare(hooks, IntPredicate::EQ, old, expected)?;
                    Ok(hooks.builder.build_select(equal, new, old, "")?.into_int_value())
                },
            )?,
        };
        let difference = self.machine.hooks.builder.build_int_sub(expected, old, "")?;
        self.flags.set_after_difference(self.machine.hooks, expected, old, difference)?;
        self.machine.set_register(accumulator, width, old)
    }

    /// Builds `cmpxchg8b` or `cmpxchg16b`, which compare with D:A, and write C:B.
    fn compare_exchange_pair(&mut self, target: Operand, half: u64) -> Result<()> {
        let Operand::Memory(memory) = target else { return Err(Failure::new("a pair outside memory")) };
        let place = self.machine.target(memory)?;
        let [low, high] = [Named::A, Named::D].map(Register::Named);
        let [new_low, new_high] = [Named::B, Named::C].map(Register::Named);
        let word = self.machine.hooks.integer_type(bits_of(half))?;
        let kind = word.array_type(2);
        let function = self.machine.call.function();
        let rooms = [self.machine.hooks.variable(function, kind)?, self.machine.hooks.variable(function, kind)?];
        for (room, values) in rooms.into_iter().zip([[low, high], [new_low, new_high]]) {
            for (index, register) in (0..).zip(values) {
                let value = self.machine.low(self.machine.register(register), half)?;
                self.machine.hooks.builder.build_store(self.machine.displaced(room, index * half)?, value)?;
            }
        }
        let length = self.machine.hooks.long(2 * half).into();
        let success = if place.shared {
            let orders = self.machine.hooks.number(SEQ_CST | SEQ_CST << 8).into();
            let arguments = [place.pointer.into(), rooms[0].into(), rooms[1].into(), length, orders, self.machine.site];
            self.machine.hooks.call("__fh_atomic_cas", &arguments)?
        } else {
            self.machine.fence(SEQ_CST)?;
            self.compare_exchange_private(place.pointer, rooms, 2 * half)?
        };
        let one = success.get_type().const_zero();
        self.flags.zero = compare(self.machine.hooks, IntPredicate::NE, success, one)?;
        for (index, register) in (0..).zip([low, high]) {
            let place = self.machine.displaced(rooms[0], index * half)?;
            let value = self.machine.hooks.builder.build_load(word, place, "")?.into_int_value();
            self.machine.set_register(register, half, value)?;
        }
        Ok(())
    }

    /// Builds a compare-and-exchange of private memory, and returns its result; the old value is in the first room afterwards.
    fn compare_exchange_private(
        &self,
        place: PointerValue<'ctx>,
        rooms: [PointerValue<'ctx>; 2],
        bytes: u64,
    ) -> Result<IntValue<'ctx>> {
        let kind = self.machine.hooks.integer_type(u32::try_from(8 * bytes).map_err(Failure::new)?)?;
        let [place, expected, desired] =
            [place, rooms[0], rooms[1]].map(|pointer| AccessTarget { pointer, shared: false });
        let load = |from: AccessTarget<'ctx>| -> Result<IntValue<'ctx>> {
            let value = self.machine.hooks.builder.build_load(kind, from.pointer, "")?;
            let load = value.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
            load.set_alignment(1).map_err(Failure::new)?;
            Ok(value.into_int_value())
        };
        let (old, wanted, new) = (load(place)?, load(expected)?, load(desired)?);
        let equal = compare(self.machine.hooks, IntPredicate::EQ, old, wanted)?;
        let now = self.machine.hooks.builder.build_select(equal, new, old, "")?.into_int_value();
        self.machine.store(place, bytes, now)?;
        self.machine.store(expected, bytes, old)?;
        Ok(equal)
    }

    fn bit(&mut self, operator: BitOperator, offset: Operand, target: Operand, width: u64, lock: Lock) -> Result<()> {
        let kind = self.machine.hooks.integer_type(bits_of(width))?;
        let bits = u64::from(bits_of(width));
        let position = self.machine.read(offset, width)?;
        let builder = &self.machine.hooks.builder;
        let bit = builder.build_and(position, kind.const_int(bits - 1, false), "")?;
        let mask = builder.build_left_shift(kind.const_int(1, false), bit, "")?;
        let place = match target {
            // An offset in a register reaches beyond the operand: it counts words.
            Operand::Memory(memory) => {
                let mut place = self.machine.target(memory)?;
                if matches!(offset, Operand::Register(_)) {
                    let shift = kind.const_int(u64::from(bits.trailing_zeros()), false);
                    let words = builder.build_right_shift(position, shift, true, "")?;
                    let words =
                        builder.build_int_s_extend_or_bit_cast(words, self.machine.hooks.context.i64_type(), "")?;
                    // SAFETY: the program's own arithmetic; without `inbounds` it promises nothing.
                    place.pointer = unsafe { builder.build_gep(kind, place.pointer, &[words], "") }?;
                }
                Some(place)
            }
            _ => None,
        };
        let (operation, operand) = match operator {
            BitOperator::Set => (FH_RMW_OR, mask),
            BitOperator::Reset => (FH_RMW_AND, builder.build_not(mask, "")?),
            BitOperator::Complement => (FH_RMW_XOR, mask),
            BitOperator::Test => (FH_RMW_OR, kind.const_zero()),
        };
        let old = if operator == BitOperator::Test {
            place.map_or_else(|| self.machine.read(target, width), |place| self.machine.load(place, width))?
        } else {
            self.machine.modify_place(place, target, width, lock, operation, operand, |hooks: &Hooks<'ctx>, old| {
                let builder = &hooks.builder;
                Ok(match operation {
                    FH_RMW_OR => builder.build_or(old, operand, "")?,
                    FH_RMW_AND => builder.build_and(old, operand, "")?,
                    _ => builder.build_xor(old, operand, "")?,
                })
            })?
        };
        let bit = self.machine.hooks.builder.build_and(old, mask, "")?;
        self.flags.carry = compare(self.machine.hooks, IntPredicate::NE, bit, kind.const_zero())?;
        Ok(())
    }
}

/// Returns what an operator computes from the target's old value and the source.
fn result<'ctx>(
    hooks: &Hooks<'ctx>,
    operator: Operator,
    old: IntValue<'ctx>,
    source: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    let builder = &hooks.builder;
    Ok(match operator {
        Operator::Add | Operator::Increment => builder.build_int_add(old, source, "")?,
        Operator::Subtract | Operator::Decrement | Operator::Compare => builder.build_int_sub(old, source, "")?,
        Operator::And | Operator::Test => builder.build_and(old, source, "")?,
        Operator::Or => builder.build_or(old, source, "")?,
        Operator::Xor | Operator::Not => builder.build_xor(old, source, "")?,
        Operator::Negate => builder.build_int_neg(old, "")?,
    })
}
