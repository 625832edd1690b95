//! The building of hooks: what `accesses.rs` decided is carried out, with hooks in the place of instructions or before them.

use inkwell::IntPredicate;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Linkage;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};

use crate::accesses::{Action, Hook};
use crate::atomic_library::LibraryFunction;
use crate::failure::{Failure, Result};
use crate::hooks::{Hooks, handle, replace};
use crate::ir::{Call, Constant, Layout, Type, Value};
use crate::lift::Lifter;
use crate::shim;

/// The builder that puts hooks into a module.
pub(crate) struct Emitter<'a, 'ctx> {
    pub(crate) hooks: &'a mut Hooks<'ctx>,
    pub(crate) layout: Layout,
}

impl<'ctx> Emitter<'_, 'ctx> {
    /// Puts one hook in the place of its instruction, or before it.
    pub(crate) fn emit(&mut self, hook: &Hook) -> Result<()> {
        let instruction = hook.instruction;
        self.hooks.before(instruction);
        let site = self.hooks.site(&hook.site)?;
        match &hook.action {
            Action::Load => self.load(instruction, site),
            Action::Store => self.store(instruction, site),
            Action::AtomicLoad(order) => self.atomic_load(instruction, *order, site),
            Action::AtomicStore(order) => self.atomic_store(instruction, *order, site),
            Action::ReadModifyWrite(operation, order) => self.read_modify_write(instruction, *operation, *order, site),
            Action::CompareExchange(orders) => self.compare_exchange(instruction, *orders, site),
            Action::Fence(order) => self.fence(instruction, *order, site),
            Action::FenceBefore(order) => self.fence_before(*order, site),
            Action::Lift { program, shared } => Lifter::new(self.hooks, instruction, program, shared, site)?.lift(),
            Action::Library { function, shared } => self.library(instruction, *function, shared, site),
            Action::Copy { to_native, from_native } => self.copy(instruction, *to_native, *from_native, site),
            Action::Fill => self.fill(instruction, site),
            Action::PassByValue(argument, kind) => self.pass_by_value(instruction, *argument, *kind, site),
            Action::Refuse(what) => self.refuse(what, site),
            Action::RefuseForeign(what) => self.refuse_foreign(instruction, what, site),
            Action::Drop => drop_assembly(instruction),
            Action::StoreSite => self.store_site(site),
            Action::SetJump { saves_mask } => {
                let none = self.hooks.number(0).into();
                let saves = saves_mask.map_or(none, |argument| instruction.operand(argument).basic());
                self.hooks.call("__fh_setjmp", &[instruction.operand(0).basic(), saves, site]).map(|_| ())
            }
            Action::Announce { name, harmless, pointers } => {
                self.announce(instruction, name, *harmless, pointers, site)
            }
        }
    }

    fn load(&mut self, load: Value, site: BasicValueEnum<'ctx>) -> Result<()> {
        let kind = load.kind();
        let address = load.operand(0).basic();
        let value = if let Some(bytes) = kind.simple_bytes() {
            let bits = self.hooks.call(&format!("__fh_load{bytes}"), &[address, site])?;
            self.hooks.value_of(bits, kind.typed())?
        } else {
            let room = self.hooks.temporary(load.function(), kind)?;
            let length = self.hooks.long(self.layout.store_size(kind));
            self.hooks.call("__fh_read", &[address, room.into(), length.into(), site])?;
            self.hooks.builder.build_load::<BasicTypeEnum>(kind.typed(), room, "")?
        };
        replace(load, value)
    }

    fn store(&mut self, store: Value, site: BasicValueEnum<'ctx>) -> Result<()> {
        let value = store.operand(0);
        let address = store.operand(1).basic();
        if let Some(bytes) = value.kind().simple_bytes() {
            let bits = self.hooks.to_bits(value.basic(), bytes)?;
            self.hooks.call(&format!("__fh_store{bytes}"), &[address, bits.into(), site])?;
        } else {
            let room = self.hooks.temporary(store.function(), value.kind())?;
            let length = self.hooks.long(self.layout.store_size(value.kind()));
            self.hooks.builder.build_store(room, value.basic())?;
            self.hooks.call("__fh_write", &[address, room.into(), length.into(), site])?;
        }
        store.erase();
        Ok(())
    }

    fn atomic_load(&mut self, load: Value, order: u32, site: BasicValueEnum<'ctx>) -> Result<()> {
        let (kind, address) = (load.kind(), load.operand(0).basic());
        let order = self.hooks.number(order).into();
        if let Some(bytes) = kind.simple_bytes() {
            let arguments = [address, order, site];
            let bits = self.hooks.call(&format!("__fh_atomic_load{bytes}"), &arguments)?;
            return replace(load, self.hooks.value_of(bits, kind.typed())?);
        }
        let room = self.hooks.temporary(load.function(), kind)?;
        let arguments = [address, room.into(), self.length(kind), order, site];
        self.hooks.call("__fh_atomic_read", &arguments)?;
        replace(load, self.hooks.builder.build_load::<BasicTypeEnum>(kind.typed(), room, "")?)
    }

    fn atomic_store(&mut self, store: Value, order: u32, site: BasicValueEnum<'ctx>) -> Result<()> {
        let (value, address) = (store.operand(0), store.operand(1).basic());
        let order = self.hooks.number(order).into();
        if let Some(bytes) = value.kind().simple_bytes() {
            let bits = self.hooks.to_bits(value.basic(), bytes)?;
            self.hooks.call(&format!("__fh_atomic_store{bytes}"), &[address, bits.into(), order, site])?;
        } else {
            let room = self.room_with(store, value)?;
            let arguments = [address, room.into(), self.length(value.kind()), order, site];
            self.hooks.call("__fh_atomic_write", &arguments)?;
        }
        store.erase();
        Ok(())
    }

    /// Returns the length of a type, as hooks take it.
    fn length(&self, kind: Type) -> BasicValueEnum<'ctx> {
        self.hooks.long(self.layout.store_size(kind)).into()
    }

    /// Returns a new variable of the frame, which holds the value.
    fn room_with(&self, instruction: Value, value: Value) -> Result<PointerValue<'ctx>> {
        let room = self.hooks.variable(instruction.function(), value.kind().typed::<'ctx>())?;
        self.hooks.builder.build_store(room, value.basic())?;
        Ok(room)
    }

    fn read_modify_write(
        &mut self,
        instruction: Value,
        operation: u32,
        order: u32,
        site: BasicValueEnum<'ctx>,
    ) -> Result<()> {
        let (value, address) = (instruction.operand(1), instruction.operand(0).basic());
        let kind = value.kind();
        let (operation, order) = (self.hooks.number(operation).into(), self.hooks.number(order).into());
        if let Some(bytes) = kind.simple_bytes() {
            let bits = self.hooks.to_bits(value.basic(), bytes)?;
            let arguments = [address, bits.into(), operation, order, site];
            let old = self.hooks.call(&format!("__fh_rmw{bytes}"), &arguments)?;
            return replace(instruction, self.hooks.value_of(old, kind.typed())?);
        }
        let room = self.room_with(instruction, value)?;
        let arguments = [address, room.into(), room.into(), self.length(kind), operation, order, site];
        self.hooks.call("__fh_atomic_rmw", &arguments)?;
        replace(instruction, self.hooks.builder.build_load::<BasicTypeEnum>(kind.typed(), room, "")?)
    }

    fn compare_exchange(&mut self, instruction: Value, orders: u32, site: BasicValueEnum<'ctx>) -> Result<()> {
        let (address, expected, desired) =
            (instruction.operand(0).basic(), instruction.operand(1), instruction.operand(2));
        let kind = expected.kind();
        let weak = orders >> 16 & 1 == 1;
        let (old, equal) = if let Some(bytes) = kind.simple_bytes() {
            let expected = self.hooks.to_bits(expected.basic(), bytes)?;
            let desired = self.hooks.to_bits(desired.basic(), bytes)?;
            let orders = self.hooks.number(orders & 0xffff).into();
            let arguments = [address, expected.into(), desired.into(), orders];
            let (old, equal) = if weak {
                self.weak_exchange(instruction, bytes, &arguments, site)?
            } else {
                let arguments = [&arguments[..], &[site]].concat();
                let old = self.hooks.call(&format!("__fh_cas{bytes}"), &arguments)?;
                (old, self.hooks.builder.build_int_compare(IntPredicate::EQ, old, expected, "")?)
            };
            (self.hooks.value_of(old, kind.typed())?, equal)
        } else {
            let (old, new) = (self.room_with(instruction, expected)?, self.room_with(instruction, desired)?);
            let arguments =
                [address, old.into(), new.into(), self.length(kind), self.hooks.number(orders).into(), site];
            let success = self.hooks.call("__fh_atomic_cas", &arguments)?;
            (self.hooks.builder.build_load::<BasicTypeEnum>(kind.typed(), old, "")?, self.truth(success)?)
        };
        let pair = instruction.kind().typed().into_struct_type().get_undef();
        let pair = self.hooks.builder.build_insert_value(pair, old, 0, "")?;
        let pair = self.hooks.builder.build_insert_value(pair, equal, 1, "")?.into_struct_value();
        replace(instruction, pair.into())
    }

    /// Builds a weak compare-and-exchange, which may fail although the old value is the expected one, and returns the old value
    /// and whether it succeeded.
    fn weak_exchange(
        &self,
        instruction: Value,
        bytes: u64,
        arguments: &[BasicValueEnum<'ctx>],
        site: BasicValueEnum<'ctx>,
    ) -> Result<(IntValue<'ctx>, IntValue<'ctx>)> {
        let byte = self.hooks.context.i8_type();
        let success = self.hooks.variable(instruction.function(), byte)?;
        let arguments = [arguments, &[success.into(), site]].concat();
        let old = self.hooks.call(&format!("__fh_weak_cas{bytes}"), &arguments)?;
        let success = self.hooks.builder.build_load(byte, success, "")?.into_int_value();
        Ok((old, self.truth(success)?))
    }

    /// Whether a number is not zero.
    fn truth(&self, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
        Ok(self.hooks.builder.build_int_compare(IntPredicate::NE, value, value.get_type().const_zero(), "")?)
    }

    /// Builds a call of the atomic library. Buffers that others could see are read before it, and written after it, as the caller
    /// would.
    fn library(
        &mut self,
        call: Value,
        function: LibraryFunction,
        shared: &[u32],
        site: BasicValueEnum<'ctx>,
    ) -> Result<()> {
        if function == LibraryFunction::IsLockFree {
            call.replace_by(call.kind().zero());
            call.erase();
            return Ok(());
        }
        let length = call.operand(0);
        let size = u32::try_from(Constant(length).unsigned()).map_err(Failure::new)?;
        let mut buffers = Vec::new();
        for &(position, _) in function.buffers() {
            let own = call.operand(position).basic();
            buffers.push(if shared.contains(&position) {
                let kind = self.hooks.context.i8_type().array_type(size);
                let room = self.hooks.variable(call.function(), kind)?.into();
                let is_read = (function, position) != (LibraryFunction::Load, 2)
                    && (function, position) != (LibraryFunction::Exchange, 3);
                if is_read {
                    self.hooks.call("__fh_read", &[own, room, length.basic(), site])?;
                }
                room
            } else {
                own
            });
        }
        let object = call.operand(1).basic();
        let last = call.operand(Call(call).argument_count() - 1).basic();
        let write_back = |emitter: &Self, position: u32, buffer| {
            let wanted = shared.contains(&position);
            let arguments = [call.operand(position).basic(), buffer, length.basic(), site];
            if wanted { emitter.hooks.call("__fh_write", &arguments).map(drop) } else { Ok(()) }
        };
        match function {
            LibraryFunction::Load => {
                self.hooks.call("__fh_atomic_read", &[object, buffers[0], length.basic(), last, site])?;
                write_back(self, 2, buffers[0])?;
            }
            LibraryFunction::Store => {
                self.hooks.call("__fh_atomic_write", &[object, buffers[0], length.basic(), last, site])?;
            }
            LibraryFunction::Exchange => {
                let exchange = self.hooks.number(0).into();
                let arguments = [object, buffers[0], buffers[1], length.basic(), exchange, last, site];
                self.hooks.call("__fh_atomic_rmw", &arguments)?;
                write_back(self, 3, buffers[1])?;
            }
            LibraryFunction::CompareExchange => {
                let failure = last.into_int_value();
                let failure = self.hooks.builder.build_left_shift(failure, self.hooks.number(8), "")?;
                let orders = self.hooks.builder.build_or(call.operand(4).integer(), failure, "")?.into();
                let arguments = [object, buffers[0], buffers[1], length.basic(), orders, site];
                let success = self.hooks.call("__fh_atomic_cas", &arguments)?;
                let success = self.truth(success)?;
                if shared.contains(&2) {
                    let failed = self.hooks.builder.build_not(success, "")?;
                    self.hooks.before(shim::split(handle(&failed)?, call)?);
                    write_back(self, 2, buffers[0])?;
                }
                if !call.users().is_empty() {
                    self.hooks.before(call);
                    call.replace_by(handle(&self.hooks.value_of(success, call.kind().typed())?)?);
                }
            }
            LibraryFunction::IsLockFree => {}
        }
        call.erase();
        Ok(())
    }

    fn fence_before(&mut self, order: u32, site: BasicValueEnum<'ctx>) -> Result<()> {
        let order = self.hooks.number(order).into();
        self.hooks.call("__fh_fence", &[order, site]).map(drop)
    }

    fn fence(&mut self, instruction: Value, order: u32, site: BasicValueEnum<'ctx>) -> Result<()> {
        self.fence_before(order, site)?;
        if instruction.users().is_empty() && !crate::calls::is_terminator(instruction) {
            instruction.erase();
        }
        Ok(())
    }

    fn copy(&mut self, call: Value, to_native: bool, from_native: bool, site: BasicValueEnum<'ctx>) -> Result<()> {
        let (to, from) = (call.operand(0).basic(), call.operand(1).basic());
        let length = self.widened(call.operand(2), 64)?.into();
        match (to_native, from_native) {
            (true, _) => self.hooks.call("__fh_read", &[from, to, length, site])?,
            (false, true) => self.hooks.call("__fh_write", &[to, from, length, site])?,
            (false, false) => self.hooks.call("__fh_copy", &[to, from, length, site])?,
        };
        remove_memory_call(call);
        Ok(())
    }

    fn fill(&mut self, call: Value, site: BasicValueEnum<'ctx>) -> Result<()> {
        let byte = self.widened(call.operand(1), 32)?.into();
        let length = self.widened(call.operand(2), 64)?.into();
        self.hooks.call("__fh_fill", &[call.operand(0).basic(), byte, length, site])?;
        remove_memory_call(call);
        Ok(())
    }

    /// Extends an integer to at least this many bits.
    fn widened(&self, value: Value, bits: u32) -> Result<IntValue<'ctx>> {
        let value: IntValue = value.integer();
        if value.get_type().get_bit_width() >= bits {
            return Ok(value);
        }
        Ok(self.hooks.builder.build_int_z_extend(value, self.hooks.integer_type(bits)?, "")?)
    }

    fn pass_by_value(&mut self, call: Value, argument: u32, kind: Type, site: BasicValueEnum<'ctx>) -> Result<()> {
        // A variable of its own: two arguments of a call may be of one type.
        let room = self.hooks.variable(call.function(), kind.typed::<'ctx>())?;
        if let Some(instruction) = room.as_instruction() {
            // No parameter asks for a larger alignment.
            instruction.set_alignment(64).map_err(Failure::new)?;
        }
        let length = self.hooks.long(self.layout.store_size(kind));
        self.hooks.call("__fh_read", &[call.operand(argument).basic(), room.into(), length.into(), site])?;
        call.set_operand(argument, handle(&room)?);
        Ok(())
    }

    /// Refuses an instruction, which stays where it is for a program that nobody controls.
    fn refuse(&mut self, what: &str, site: BasicValueEnum<'ctx>) -> Result<()> {
        let what = self.hooks.string(what).into();
        self.hooks.call("__fh_unsupported", &[what, site]).map(drop)
    }

    /// Refuses inline assembly of another machine, and ends a program that nobody controls where it is reached.
    fn refuse_foreign(&mut self, call: Value, what: &str, site: BasicValueEnum<'ctx>) -> Result<()> {
        self.refuse(what, site)?;
        let trap = Intrinsic::find("llvm.trap").and_then(|trap| trap.get_declaration(&self.hooks.module, &[]));
        let trap = trap.ok_or_else(|| Failure::new("LLVM has no trap"))?;
        self.hooks.builder.build_call(trap, &[], "")?;
        drop_assembly(call)
    }

    /// Tells the runtime the place of the call that the program is about to make.
    pub(crate) fn store_site(&mut self, site: BasicValueEnum<'ctx>) -> Result<()> {
        const NAME: &str = "__fh_call_site";
        let place = self
            .hooks
            .module
            .get_global(NAME)
            .unwrap_or_else(|| self.hooks.module.add_global(self.hooks.pointer_type(), None, NAME));
        self.hooks.builder.build_store(place.as_pointer_value(), site)?;
        Ok(())
    }

    /// Announces the call of an external function, unless another instrumented file of the program defines it, which
    /// the file says by a marker (`externals.rs`).
    fn announce(
        &mut self,
        call: Value,
        name: &str,
        harmless: bool,
        pointers: &[u32],
        site: BasicValueEnum<'ctx>,
    ) -> Result<()> {
        let marker = crate::externals::marker(name);
        let marker = self.hooks.module.get_global(&marker).unwrap_or_else(|| {
            let global = self.hooks.module.add_global(self.hooks.context.i8_type(), None, &marker);
            global.set_linkage(Linkage::ExternalWeak);
            global.set_constant(true);
            global
        });
        let undefined = self.hooks.builder.build_is_null(marker.as_pointer_value(), "")?;
        self.hooks.before(shim::split(handle(&undefined)?, call)?);
        let known = self.hooks.number(u32::from(harmless)).into();
        let name = self.hooks.string(name).into();
        self.hooks.call("__fh_external", &[name, known, site])?;
        for &position in pointers {
            self.hooks.call("__fh_external_pointer", &[call.operand(position).basic(), site])?;
        }
        if let Some(next) = call.next().filter(|_| !pointers.is_empty() && !Call(call).is_must_tail_call()) {
            self.hooks.before(next);
            self.hooks.call("__fh_external_returns", &[site])?;
        }
        Ok(())
    }
}

/// Removes a copy or fill that a hook has done; its result is its first argument.
fn remove_memory_call(call: Value) {
    if !call.users().is_empty() {
        call.replace_by(call.operand(0));
    }
    if crate::calls::is_terminator(call) {
        call.set_operand(2, call.operand(2).kind().zero());
    } else {
        call.erase();
    }
}

/// Takes inline assembly out; what it would have computed is zero.
fn drop_assembly(call: Value) -> Result<()> {
    if !call.users().is_empty() {
        call.replace_by(call.kind().zero());
    }
    call.erase();
    Ok(())
}
