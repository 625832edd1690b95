//! The machine that inline assembly works on: registers, memory, and the fence that locks are.

use std::collections::BTreeMap;

use inkwell::values::{BasicValue, BasicValueEnum, IntValue, PointerValue};

use crate::assembly::AssemblyProgram;
use crate::assembly::constraints::Role;
use crate::assembly::instructions::Lock;
use crate::assembly::operands::{Base, Memory, Operand, Register};
use crate::calls::SEQ_CST;
use crate::failure::{Failure, Result};
use crate::hooks::{Hooks, width as bits_of};
use crate::ir::Value;

/// The place of an access, and whether others could see it.
#[derive(Clone, Copy)]
pub(super) struct AccessTarget<'ctx> {
    pub(super) pointer: PointerValue<'ctx>,
    pub(super) shared: bool,
}

/// The registers and the memory of one piece of inline assembly, in the place of which code is built.
pub(super) struct Machine<'a, 'ctx> {
    pub(super) hooks: &'a mut Hooks<'ctx>,
    /// The call of the assembly.
    pub(super) call: Value,
    pub(super) program: &'a AssemblyProgram,
    /// The arguments through which others could see memory.
    shared: &'a [u32],
    pub(super) site: BasicValueEnum<'ctx>,
    /// The last value written to each register.
    registers: BTreeMap<Register, IntValue<'ctx>>,
}

impl<'a, 'ctx> Machine<'a, 'ctx> {
    /// Makes the machine at the beginning of the assembly, with the inputs in their registers.
    pub(super) fn new(
        hooks: &'a mut Hooks<'ctx>,
        call: Value,
        program: &'a AssemblyProgram,
        shared: &'a [u32],
        site: BasicValueEnum<'ctx>,
    ) -> Result<Self> {
        let mut machine = Self { hooks, call, program, shared, site, registers: BTreeMap::new() };
        for number in 0..program.slots.len() {
            if let (Some(argument), Some(register)) = (machine.argument(number), Register::of(&program.slots, number)) {
                let value = call.operand(argument);
                let bytes = program.slots[number].bytes.ok_or_else(|| Failure::new("an operand that is no scalar"))?;
                let value = machine.hooks.to_bits(value.basic(), bytes)?;
                let value = machine.extended(value)?;
                machine.registers.insert(register, value);
            }
        }
        Ok(machine)
    }

    /// Returns the argument of the call that an input slot is.
    fn argument(&self, slot: usize) -> Option<u32> {
        let slots = &self.program.slots;
        let before = slots[..slot].iter().filter(|slot| slot.role == Role::Input).count();
        (slots[slot].role == Role::Input).then(|| u32::try_from(before).ok())?
    }

    pub(super) fn fence(&self, number: u32) -> Result<()> {
        self.hooks.call("__fh_fence", &[self.hooks.number(number).into(), self.site]).map(drop)
    }

    pub(super) fn register(&self, register: Register) -> IntValue<'ctx> {
        self.registers.get(&register).copied().unwrap_or_else(|| self.hooks.long(0))
    }

    /// Returns an integer of at most 64 bits, extended with zeros.
    pub(super) fn extended(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        let long = self.hooks.context.i64_type();
        if value.get_type() == long {
            return Ok(value);
        }
        Ok(self.hooks.builder.build_int_z_extend(value, long, "")?)
    }

    /// Returns the lower `width` bytes of 64 bits.
    pub(super) fn low(&self, value: IntValue<'ctx>, width: u64) -> Result<IntValue<'ctx>> {
        let kind = self.hooks.integer_type(bits_of(width))?;
        if value.get_type() == kind {
            return Ok(value);
        }
        Ok(self.hooks.builder.build_int_truncate(value, kind, "")?)
    }

    /// Writes to a register, or to its lower bytes: four bytes clear those above, fewer leave them.
    pub(super) fn set_register(&mut self, register: Register, width: u64, value: IntValue<'ctx>) -> Result<()> {
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

    /// Returns the place of an operand in memory.
    pub(super) fn target(&self, memory: Memory) -> Result<AccessTarget<'ctx>> {
        let byte = self.hooks.context.i8_type();
        let (pointer, shared) = match memory.base {
            Base::Slot(slot) => {
                let argument = self.argument(slot).ok_or_else(|| Failure::new("memory that is no argument"))?;
                (self.call.operand(argument).pointer(), self.shared.contains(&argument))
            }
            // Passing an address in a register lets others know it.
            Base::Register(register) => {
                let address = self.register(register);
                (self.hooks.builder.build_int_to_ptr(address, self.hooks.pointer_type(), "")?, true)
            }
        };
        let distance = self.hooks.long(memory.displacement.cast_unsigned());
        // SAFETY: the program's own arithmetic; without `inbounds` it promises nothing.
        let pointer = unsafe { self.hooks.builder.build_gep(byte, pointer, &[distance], "") }?;
        Ok(AccessTarget { pointer, shared })
    }

    pub(super) fn load(&self, target: AccessTarget<'ctx>, width: u64) -> Result<IntValue<'ctx>> {
        if target.shared {
            let arguments = [target.pointer.into(), self.site];
            return self.hooks.call(&format!("__fh_load{width}"), &arguments);
        }
        let kind = self.hooks.integer_type(bits_of(width))?;
        let value = self.hooks.builder.build_load(kind, target.pointer, "")?;
        let load = value.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
        load.set_alignment(1).map_err(Failure::new)?;
        Ok(value.into_int_value())
    }

    pub(super) fn store(&self, target: AccessTarget<'ctx>, width: u64, value: IntValue<'ctx>) -> Result<()> {
        if target.shared {
            let arguments = [target.pointer.into(), value.into(), self.site];
            return self.hooks.call(&format!("__fh_store{width}"), &arguments).map(drop);
        }
        let store = self.hooks.builder.build_store(target.pointer, value)?;
        store.set_alignment(1).map_err(Failure::new)
    }

    /// Returns the value of an operand.
    pub(super) fn read(&self, operand: Operand, width: u64) -> Result<IntValue<'ctx>> {
        match operand {
            Operand::Immediate(value) => self.low(self.hooks.long(value.cast_unsigned()), width),
            Operand::Register(register) => self.low(self.register(register), width),
            Operand::Memory(memory) => self.load(self.target(memory)?, width),
            Operand::Stack => Err(Failure::new("an operand on the stack")),
        }
    }

    pub(super) fn write(&mut self, operand: Operand, width: u64, value: IntValue<'ctx>) -> Result<()> {
        match operand {
            Operand::Register(register) => self.set_register(register, width, value),
            Operand::Memory(memory) => self.store(self.target(memory)?, width, value),
            Operand::Immediate(_) | Operand::Stack => Err(Failure::new("a write to a constant")),
        }
    }

    /// Changes a target, and returns the old value. Where the instruction is locked and others could see the target, that is one
    /// event of the hook's operation with `operand`; else it is a load and a store.
    pub(super) fn modify(
        &mut self,
        target: Operand,
        width: u64,
        lock: Lock,
        operation: u32,
        operand: IntValue<'ctx>,
        change: impl Fn(&Hooks<'ctx>, IntValue<'ctx>) -> Result<IntValue<'ctx>>,
    ) -> Result<IntValue<'ctx>> {
        let place = match target {
            Operand::Memory(memory) => Some(self.target(memory)?),
            _ => None,
        };
        self.modify_place(place, target, width, lock, operation, operand, change)
    }

    #[expect(clippy::too_many_arguments, reason = "what `modify` takes, and the place that it found")]
    pub(super) fn modify_place(
        &mut self,
        place: Option<AccessTarget<'ctx>>,
        target: Operand,
        width: u64,
        lock: Lock,
        operation: u32,
        operand: IntValue<'ctx>,
        change: impl Fn(&Hooks<'ctx>, IntValue<'ctx>) -> Result<IntValue<'ctx>>,
    ) -> Result<IntValue<'ctx>> {
        match place {
            Some(place) if lock == Lock::Locked && place.shared => {
                let (operation, order) = (self.hooks.number(operation).into(), self.hooks.number(SEQ_CST).into());
                let arguments = [place.pointer.into(), operand.into(), operation, order, self.site];
                self.hooks.call(&format!("__fh_rmw{width}"), &arguments)
            }
            Some(place) => {
                // A locked instruction is a full fence, whatever it changes.
                if lock == Lock::Locked {
                    self.fence(SEQ_CST)?;
                }
                let old = self.load(place, width)?;
                let new = change(self.hooks, old)?;
                self.store(place, width, new)?;
                Ok(old)
            }
            None => {
                let old = self.read(target, width)?;
                let new = change(self.hooks, old)?;
                self.write(target, width, new)?;
                Ok(old)
            }
        }
    }

    pub(super) fn displaced(&self, pointer: PointerValue<'ctx>, bytes: u64) -> Result<PointerValue<'ctx>> {
        let distance = self.hooks.long(bytes);
        // SAFETY: the distance is within the variable.
        Ok(unsafe { self.hooks.builder.build_gep(self.hooks.context.i8_type(), pointer, &[distance], "") }?)
    }
}
