//! Builds anew what inline assembly does: hooks where other threads could see it, ordinary code else.
//!
//! Each register is a number of 64 bits, known by the last value written to it; the flags are truths. A register that
//! nobody has written is zero.

use std::collections::BTreeMap;

use inkwell::IntPredicate;
use inkwell::values::{BasicValue, BasicValueEnum, IntValue, PointerValue};

use crate::accesses::simple_bytes;
use crate::assembly::Program;
use crate::assembly::constraints::{Place, Role};
use crate::assembly::instructions::{BitOperator, Condition, Instruction, Lock, Operator, Test};
use crate::assembly::operands::{Base, Memory, Named, Operand, Register};
use crate::calls::SEQ_CST;
use crate::emit::{replace, width as bits_of};
use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Type, Value};

/// The hook ABI's numbers of operations.
const EXCHANGE: u32 = 0;
const ADD: u32 = 1;
const SUBTRACT: u32 = 2;
const AND: u32 = 3;
const OR: u32 = 5;
const XOR: u32 = 6;
const NEGATE: u32 = 11;

/// The flags after an instruction, as far as they are known.
#[derive(Clone, Copy)]
struct Flags<'ctx> {
    carry: IntValue<'ctx>,
    zero: IntValue<'ctx>,
    sign: IntValue<'ctx>,
    overflow: IntValue<'ctx>,
}

/// Lifts one piece of inline assembly.
pub(crate) struct Lifter<'a, 'ctx> {
    hooks: &'a mut Hooks<'ctx>,
    call: Value,
    program: &'a Program,
    /// The arguments through which others could see memory.
    shared: &'a [u32],
    site: BasicValueEnum<'ctx>,
    registers: BTreeMap<Register, IntValue<'ctx>>,
    flags: Flags<'ctx>,
}

/// Where an access is, and whether others could see it.
#[derive(Clone, Copy)]
struct Target<'ctx> {
    pointer: PointerValue<'ctx>,
    shared: bool,
}

impl<'a, 'ctx> Lifter<'a, 'ctx> {
    /// Ready to lift: the inputs are in their registers.
    pub(crate) fn new(
        hooks: &'a mut Hooks<'ctx>,
        call: Value,
        program: &'a Program,
        shared: &'a [u32],
        site: BasicValueEnum<'ctx>,
    ) -> Result<Self> {
        let off = hooks.context.bool_type().const_zero();
        let flags = Flags { carry: off, zero: off, sign: off, overflow: off };
        let mut lifter = Self { hooks, call, program, shared, site, registers: BTreeMap::new(), flags };
        for number in 0..program.slots.len() {
            if let (Some(argument), Some(register)) = (lifter.argument(number), Register::of(&program.slots, number)) {
                let value = call.operand(argument);
                let bytes = program.slots[number].bytes.ok_or_else(|| Failure::new("an operand that is no scalar"))?;
                let value = lifter.hooks.to_bits(value.basic(), bytes)?;
                let value = lifter.extended(value)?;
                lifter.registers.insert(register, value);
            }
        }
        Ok(lifter)
    }

    /// The argument of the call that an input slot is.
    fn argument(&self, slot: usize) -> Option<u32> {
        let slots = &self.program.slots;
        let before = slots[..slot].iter().filter(|slot| slot.role == Role::Input).count();
        (slots[slot].role == Role::Input).then(|| u32::try_from(before).ok())?
    }

    /// Lifts, and removes the assembly.
    pub(crate) fn lift(mut self) -> Result<()> {
        for instruction in &self.program.instructions {
            self.instruction(instruction)?;
        }
        let slots = self.program.slots.iter().enumerate().filter(|(_, slot)| slot.role == Role::Output);
        let outputs: Vec<usize> = slots.map(|(number, _)| number).collect();
        let kind = self.call.kind();
        match outputs.as_slice() {
            [] => self.call.erase(),
            &[only] => {
                let value = self.output(only)?;
                replace(self.call, self.narrowed_to(value, kind)?)?;
            }
            several => {
                let mut all = kind.typed().into_struct_type().get_undef();
                for (index, &slot) in (0..).zip(several) {
                    let value = self.narrowed_to(self.output(slot)?, kind.struct_element(index))?;
                    all = self.hooks.builder.build_insert_value(all, value, index, "")?.into_struct_value();
                }
                replace(self.call, all.into())?;
            }
        }
        Ok(())
    }

    /// What an output slot holds in the end, in 64 bits.
    fn output(&self, slot: usize) -> Result<IntValue<'ctx>> {
        match (self.program.slots[slot].place, Register::of(&self.program.slots, slot)) {
            (Place::Flag(condition), _) => self.extended(self.condition(condition)?),
            (_, Some(register)) => Ok(self.register(register)),
            _ => Err(Failure::new("an output that is in no register")),
        }
    }

    /// The lower part of 64 bits, as a scalar of a type.
    fn narrowed_to(&self, value: IntValue<'ctx>, kind: Type) -> Result<BasicValueEnum<'ctx>> {
        match simple_bytes(kind) {
            Some(bytes) if kind.typed().is_float_type() => {
                let bits = self.hooks.integer_type(bits_of(bytes))?;
                let value = self.hooks.builder.build_int_truncate(value, bits, "")?;
                self.hooks.value_of(value, kind.typed())
            }
            _ => self.hooks.value_of(value, kind.typed()),
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<()> {
        match *instruction {
            Instruction::Fence(number) => self.fence(number),
            Instruction::Move { from, to, width } => {
                let value = self.read(from, width)?;
                self.write(to, width, value)
            }
            Instruction::Exchange { register, with, width } => self.exchange(register, with, width),
            Instruction::Arithmetic { target: Operand::Stack, .. } => self.fence(SEQ_CST),
            Instruction::Arithmetic { operator, source, target, width, lock } => {
                self.arithmetic(operator, source, target, width, lock)
            }
            Instruction::ExchangeAdd { register, target, width, lock } => {
                let addend = self.low(self.register(register), width)?;
                let old = self.modify(target, width, lock, ADD, addend, |lifter, old| {
                    Ok(lifter.hooks.builder.build_int_add(old, addend, "")?)
                })?;
                let sum = self.hooks.builder.build_int_add(old, addend, "")?;
                self.flags_of_sum(old, addend, sum)?;
                // Where both are one register, the sum stays.
                if target != Operand::Register(register) {
                    self.set_register(register, width, old)?;
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
                let byte = self.hooks.integer_type(8)?;
                let value = self.hooks.builder.build_int_z_extend(self.condition(condition)?, byte, "")?;
                self.write(target, 1, value)
            }
            Instruction::Borrow { register, width } => {
                let kind = self.hooks.integer_type(bits_of(width))?;
                let value = self.hooks.builder.build_int_s_extend(self.flags.carry, kind, "")?;
                self.set_register(register, width, value)
            }
        }
    }

    fn fence(&self, number: u32) -> Result<()> {
        self.hooks.call("__fh_fence", 0, &[self.hooks.number(number).into(), self.site]).map(drop)
    }

    // Registers.

    fn register(&self, register: Register) -> IntValue<'ctx> {
        self.registers.get(&register).copied().unwrap_or_else(|| self.hooks.long(0))
    }

    /// An integer of at most 64 bits with zeros above.
    fn extended(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let long = self.hooks.context.i64_type();
        if value.get_type() == long {
            return Ok(value);
        }
        Ok(self.hooks.builder.build_int_z_extend(value, long, "")?)
    }

    /// The lower bytes of 64 bits.
    fn low(&self, value: IntValue<'ctx>, width: u64) -> Result<IntValue<'ctx>> {
        let kind = self.hooks.integer_type(bits_of(width))?;
        if value.get_type() == kind {
            return Ok(value);
        }
        Ok(self.hooks.builder.build_int_truncate(value, kind, "")?)
    }

    /// Writes to a register, or to its lower bytes: four bytes clear those above, fewer leave them.
    fn set_register(&mut self, register: Register, width: u64, value: IntValue<'ctx>) -> Result<()> {
        let value = self.extended(value)?;
        let whole = if width >= 4 {
            value
        } else {
            let above = self.hooks.long(u64::MAX << (8 * width));
            let kept = self.hooks.builder.build_and(self.register(register), above, "")?;
            self.hooks.builder.build_or(kept, value, "")?
        };
        self.registers.insert(register, whole);
        Ok(())
    }

    // Memory.

    /// The place of an operand in memory.
    fn target(&self, memory: Memory) -> Result<Target<'ctx>> {
        let byte = self.hooks.context.i8_type();
        let (pointer, shared) = match memory.base {
            Base::Slot(slot) => {
                let argument = self.argument(slot).ok_or_else(|| Failure::new("memory that is no argument"))?;
                (self.call.operand(argument).pointer(), self.shared.contains(&argument))
            }
            // Who passes an address in a register lets others know it.
            Base::Register(register) => {
                let address = self.register(register);
                (self.hooks.builder.build_int_to_ptr(address, self.hooks.pointer_type(), "")?, true)
            }
        };
        let distance = self.hooks.long(memory.displacement.cast_unsigned());
        // SAFETY: the program's own arithmetic; without `inbounds` it promises nothing.
        let pointer = unsafe { self.hooks.builder.build_gep(byte, pointer, &[distance], "") }?;
        Ok(Target { pointer, shared })
    }

    fn load(&self, target: Target<'ctx>, width: u64) -> Result<IntValue<'ctx>> {
        if target.shared {
            let arguments = [target.pointer.into(), self.site];
            return self.hooks.call(&format!("__fh_load{width}"), bits_of(width), &arguments);
        }
        let kind = self.hooks.integer_type(bits_of(width))?;
        let value = self.hooks.builder.build_load(kind, target.pointer, "")?;
        let load = value.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
        load.set_alignment(1).map_err(Failure::new)?;
        Ok(value.into_int_value())
    }

    fn store(&self, target: Target<'ctx>, width: u64, value: IntValue<'ctx>) -> Result<()> {
        if target.shared {
            let arguments = [target.pointer.into(), value.into(), self.site];
            return self.hooks.call(&format!("__fh_store{width}"), 0, &arguments).map(drop);
        }
        let store = self.hooks.builder.build_store(target.pointer, value)?;
        store.set_alignment(1).map_err(Failure::new)
    }

    /// The value of an operand.
    fn read(&self, operand: Operand, width: u64) -> Result<IntValue<'ctx>> {
        match operand {
            Operand::Immediate(value) => self.low(self.hooks.long(value.cast_unsigned()), width),
            Operand::Register(register) => self.low(self.register(register), width),
            Operand::Memory(memory) => self.load(self.target(memory)?, width),
            Operand::Stack => Err(Failure::new("an operand on the stack")),
        }
    }

    fn write(&mut self, operand: Operand, width: u64, value: IntValue<'ctx>) -> Result<()> {
        match operand {
            Operand::Register(register) => self.set_register(register, width, value),
            Operand::Memory(memory) => self.store(self.target(memory)?, width, value),
            Operand::Immediate(_) | Operand::Stack => Err(Failure::new("a write to a constant")),
        }
    }

    /// Changes a target: as one event of the hook's operation with `operand` where it is locked and others could see
    /// it, else by a load and a store. The old value.
    fn modify(
        &mut self,
        target: Operand,
        width: u64,
        lock: Lock,
        operation: u32,
        operand: IntValue<'ctx>,
        change: impl Fn(&Self, IntValue<'ctx>) -> Result<IntValue<'ctx>>,
    ) -> Result<IntValue<'ctx>> {
        let place = match target {
            Operand::Memory(memory) => Some(self.target(memory)?),
            _ => None,
        };
        self.modify_place(place, target, width, lock, operation, operand, change)
    }

    #[expect(clippy::too_many_arguments, reason = "what `modify` takes, and the place that it found")]
    fn modify_place(
        &mut self,
        place: Option<Target<'ctx>>,
        target: Operand,
        width: u64,
        lock: Lock,
        operation: u32,
        operand: IntValue<'ctx>,
        change: impl Fn(&Self, IntValue<'ctx>) -> Result<IntValue<'ctx>>,
    ) -> Result<IntValue<'ctx>> {
        match place {
            Some(place) if lock == Lock::Locked && place.shared => {
                let (operation, order) = (self.hooks.number(operation).into(), self.hooks.number(SEQ_CST).into());
                let arguments = [place.pointer.into(), operand.into(), operation, order, self.site];
                self.hooks.call(&format!("__fh_rmw{width}"), bits_of(width), &arguments)
            }
            Some(place) => {
                // A locked instruction is a full fence, whatever it changes.
                if lock == Lock::Locked {
                    self.fence(SEQ_CST)?;
                }
                let old = self.load(place, width)?;
                let new = change(self, old)?;
                self.store(place, width, new)?;
                Ok(old)
            }
            None => {
                let old = self.read(target, width)?;
                let new = change(self, old)?;
                self.write(target, width, new)?;
                Ok(old)
            }
        }
    }

    // Instructions.

    fn exchange(&mut self, register: Register, with: Operand, width: u64) -> Result<()> {
        let new = self.low(self.register(register), width)?;
        let old = self.modify(with, width, Lock::Locked, EXCHANGE, new, |_, _| Ok(new))?;
        self.set_register(register, width, old)
    }

    fn arithmetic(
        &mut self,
        operator: Operator,
        source: Operand,
        target: Operand,
        width: u64,
        lock: Lock,
    ) -> Result<()> {
        let kind = self.hooks.integer_type(bits_of(width))?;
        let (zero, one, ones) = (kind.const_zero(), kind.const_int(1, false), kind.const_all_ones());
        let source = match operator {
            Operator::Increment | Operator::Decrement => one,
            Operator::Negate => zero,
            Operator::Not => ones,
            _ => self.read(source, width)?,
        };
        if matches!(operator, Operator::Compare | Operator::Test) {
            let old = self.read(target, width)?;
            return self.flags_after(operator, old, source);
        }
        let operation = match operator {
            Operator::Add | Operator::Increment => ADD,
            Operator::Subtract | Operator::Decrement => SUBTRACT,
            Operator::And => AND,
            Operator::Or => OR,
            Operator::Negate => NEGATE,
            Operator::Xor | Operator::Not | Operator::Compare | Operator::Test => XOR,
        };
        let change = |lifter: &Self, old| lifter.result(operator, old, source);
        let old = self.modify(target, width, lock, operation, source, change)?;
        self.flags_after(operator, old, source)
    }

    /// What an operator makes of the target's old value and the source.
    fn result(&self, operator: Operator, old: IntValue<'ctx>, source: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let builder = &self.hooks.builder;
        Ok(match operator {
            Operator::Add | Operator::Increment => builder.build_int_add(old, source, "")?,
            Operator::Subtract | Operator::Decrement | Operator::Compare => builder.build_int_sub(old, source, "")?,
            Operator::And | Operator::Test => builder.build_and(old, source, "")?,
            Operator::Or => builder.build_or(old, source, "")?,
            Operator::Xor | Operator::Not => builder.build_xor(old, source, "")?,
            Operator::Negate => builder.build_int_neg(old, "")?,
        })
    }

    fn flags_after(&mut self, operator: Operator, old: IntValue<'ctx>, source: IntValue<'ctx>) -> Result<()> {
        let result = self.result(operator, old, source)?;
        let carry = self.flags.carry;
        match operator {
            Operator::Add => self.flags_of_sum(old, source, result),
            Operator::Subtract | Operator::Compare => self.flags_of_difference(old, source, result),
            Operator::Increment => {
                self.flags_of_sum(old, source, result)?;
                self.flags.carry = carry;
                Ok(())
            }
            Operator::Decrement => {
                self.flags_of_difference(old, source, result)?;
                self.flags.carry = carry;
                Ok(())
            }
            Operator::Negate => self.flags_of_difference(source, old, result),
            Operator::Not => Ok(()),
            Operator::And | Operator::Or | Operator::Xor | Operator::Test => {
                let off = self.hooks.context.bool_type().const_zero();
                (self.flags.carry, self.flags.overflow) = (off, off);
                self.flags_of_result(result)
            }
        }
    }

    fn compare(&self, predicate: IntPredicate, one: IntValue<'ctx>, other: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        Ok(self.hooks.builder.build_int_compare(predicate, one, other, "")?)
    }

    fn is_negative(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        self.compare(IntPredicate::SLT, value, value.get_type().const_zero())
    }

    /// Zero and sign.
    fn flags_of_result(&mut self, result: IntValue<'ctx>) -> Result<()> {
        self.flags.zero = self.compare(IntPredicate::EQ, result, result.get_type().const_zero())?;
        self.flags.sign = self.is_negative(result)?;
        Ok(())
    }

    fn flags_of_sum(&mut self, one: IntValue<'ctx>, other: IntValue<'ctx>, sum: IntValue<'ctx>) -> Result<()> {
        self.flags.carry = self.compare(IntPredicate::ULT, sum, one)?;
        let builder = &self.hooks.builder;
        let (left, right) = (builder.build_xor(one, sum, "")?, builder.build_xor(other, sum, "")?);
        let both = builder.build_and(left, right, "")?;
        self.flags.overflow = self.is_negative(both)?;
        self.flags_of_result(sum)
    }

    /// Of `one - other`.
    fn flags_of_difference(
        &mut self,
        one: IntValue<'ctx>,
        other: IntValue<'ctx>,
        difference: IntValue<'ctx>,
    ) -> Result<()> {
        self.flags.carry = self.compare(IntPredicate::ULT, one, other)?;
        let builder = &self.hooks.builder;
        let (left, right) = (builder.build_xor(one, other, "")?, builder.build_xor(one, difference, "")?);
        let both = builder.build_and(left, right, "")?;
        self.flags.overflow = self.is_negative(both)?;
        self.flags_of_result(difference)
    }

    fn condition(&self, condition: Condition) -> Result<IntValue<'ctx>> {
        let Flags { carry, zero, sign, overflow } = self.flags;
        let builder = &self.hooks.builder;
        let holds = match condition.test {
            Test::Overflow => overflow,
            Test::Below => carry,
            Test::Equal => zero,
            Test::BelowOrEqual => builder.build_or(carry, zero, "")?,
            Test::Sign => sign,
            Test::Less => builder.build_xor(sign, overflow, "")?,
            Test::LessOrEqual => builder.build_or(zero, builder.build_xor(sign, overflow, "")?, "")?,
        };
        if condition.negated { Ok(builder.build_not(holds, "")?) } else { Ok(holds) }
    }

    fn compare_exchange(&mut self, desired: Register, target: Operand, width: u64, lock: Lock) -> Result<()> {
        let accumulator = Register::Named(Named::A);
        let expected = self.low(self.register(accumulator), width)?;
        let new = self.low(self.register(desired), width)?;
        let place = match target {
            Operand::Memory(memory) => Some(self.target(memory)?),
            _ => None,
        };
        let old = match place {
            Some(place) if lock == Lock::Locked && place.shared => {
                let orders = self.hooks.number(SEQ_CST | SEQ_CST << 8).into();
                let arguments = [place.pointer.into(), expected.into(), new.into(), orders, self.site];
                self.hooks.call(&format!("__fh_cas{width}"), bits_of(width), &arguments)?
            }
            place => self.modify_place(place, target, width, lock, EXCHANGE, new, |lifter, old| {
                let equal = lifter.compare(IntPredicate::EQ, old, expected)?;
                Ok(lifter.hooks.builder.build_select(equal, new, old, "")?.into_int_value())
            })?,
        };
        let difference = self.hooks.builder.build_int_sub(expected, old, "")?;
        self.flags_of_difference(expected, old, difference)?;
        self.set_register(accumulator, width, old)
    }

    /// `cmpxchg8b` and `cmpxchg16b`: compares with D:A, and writes C:B.
    fn compare_exchange_pair(&mut self, target: Operand, half: u64) -> Result<()> {
        let Operand::Memory(memory) = target else { return Err(Failure::new("a pair outside memory")) };
        let place = self.target(memory)?;
        let [low, high] = [Named::A, Named::D].map(Register::Named);
        let [new_low, new_high] = [Named::B, Named::C].map(Register::Named);
        let word = self.hooks.integer_type(bits_of(half))?;
        let kind = word.array_type(2);
        let function = self.call.function();
        let rooms = [self.hooks.variable(function, kind)?, self.hooks.variable(function, kind)?];
        for (room, values) in rooms.into_iter().zip([[low, high], [new_low, new_high]]) {
            for (index, register) in (0..).zip(values) {
                let value = self.low(self.register(register), half)?;
                self.hooks.builder.build_store(self.displaced(room, index * half)?, value)?;
            }
        }
        let length = self.hooks.long(2 * half).into();
        let success = if place.shared {
            let orders = self.hooks.number(SEQ_CST | SEQ_CST << 8).into();
            let arguments = [place.pointer.into(), rooms[0].into(), rooms[1].into(), length, orders, self.site];
            self.hooks.call("__fh_atomic_cas", 8, &arguments)?
        } else {
            self.fence(SEQ_CST)?;
            self.compare_exchange_private(place.pointer, rooms, 2 * half)?
        };
        let one = success.get_type().const_zero();
        self.flags.zero = self.compare(IntPredicate::NE, success, one)?;
        for (index, register) in (0..).zip([low, high]) {
            let place = self.displaced(rooms[0], index * half)?;
            let value = self.hooks.builder.build_load(word, place, "")?.into_int_value();
            self.set_register(register, half, value)?;
        }
        Ok(())
    }

    /// A compare-and-exchange of private memory; the old value is in the first room afterwards.
    fn compare_exchange_private(
        &self,
        place: PointerValue<'ctx>,
        rooms: [PointerValue<'ctx>; 2],
        bytes: u64,
    ) -> Result<IntValue<'ctx>> {
        let kind = self.hooks.integer_type(u32::try_from(8 * bytes).map_err(Failure::new)?)?;
        let [place, expected, desired] = [place, rooms[0], rooms[1]].map(|pointer| Target { pointer, shared: false });
        let load = |from: Target<'ctx>| -> Result<IntValue<'ctx>> {
            let value = self.hooks.builder.build_load(kind, from.pointer, "")?;
            let load = value.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
            load.set_alignment(1).map_err(Failure::new)?;
            Ok(value.into_int_value())
        };
        let (old, wanted, new) = (load(place)?, load(expected)?, load(desired)?);
        let equal = self.compare(IntPredicate::EQ, old, wanted)?;
        let now = self.hooks.builder.build_select(equal, new, old, "")?.into_int_value();
        self.store(place, bytes, now)?;
        self.store(expected, bytes, old)?;
        Ok(equal)
    }

    fn displaced(&self, pointer: PointerValue<'ctx>, bytes: u64) -> Result<PointerValue<'ctx>> {
        let distance = self.hooks.long(bytes);
        // SAFETY: the distance is within the variable.
        Ok(unsafe { self.hooks.builder.build_gep(self.hooks.context.i8_type(), pointer, &[distance], "") }?)
    }

    fn bit(&mut self, operator: BitOperator, offset: Operand, target: Operand, width: u64, lock: Lock) -> Result<()> {
        let kind = self.hooks.integer_type(bits_of(width))?;
        let bits = u64::from(bits_of(width));
        let position = self.read(offset, width)?;
        let builder = &self.hooks.builder;
        let bit = builder.build_and(position, kind.const_int(bits - 1, false), "")?;
        let mask = builder.build_left_shift(kind.const_int(1, false), bit, "")?;
        let place = match target {
            // An offset in a register reaches beyond the operand: it counts words.
            Operand::Memory(memory) => {
                let mut place = self.target(memory)?;
                if matches!(offset, Operand::Register(_)) {
                    let shift = kind.const_int(u64::from(bits.trailing_zeros()), false);
                    let words = builder.build_right_shift(position, shift, true, "")?;
                    let words = builder.build_int_s_extend_or_bit_cast(words, self.hooks.context.i64_type(), "")?;
                    // SAFETY: the program's own arithmetic; without `inbounds` it promises nothing.
                    place.pointer = unsafe { builder.build_gep(kind, place.pointer, &[words], "") }?;
                }
                Some(place)
            }
            _ => None,
        };
        let (operation, operand) = match operator {
            BitOperator::Set => (OR, mask),
            BitOperator::Reset => (AND, builder.build_not(mask, "")?),
            BitOperator::Complement => (XOR, mask),
            BitOperator::Test => (OR, kind.const_zero()),
        };
        let old = if operator == BitOperator::Test {
            place.map_or_else(|| self.read(target, width), |place| self.load(place, width))?
        } else {
            self.modify_place(place, target, width, lock, operation, operand, |lifter, old| {
                let builder = &lifter.hooks.builder;
                Ok(match operation {
                    OR => builder.build_or(old, operand, "")?,
                    AND => builder.build_and(old, operand, "")?,
                    _ => builder.build_xor(old, operand, "")?,
                })
            })?
        };
        let bit = self.hooks.builder.build_and(old, mask, "")?;
        self.flags.carry = self.compare(IntPredicate::NE, bit, kind.const_zero())?;
        Ok(())
    }
}
