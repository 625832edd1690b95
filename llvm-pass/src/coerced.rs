//! The replacement of the accesses by which clang passes structures in registers: they become copies.
//!
//! The x86-64 calling convention packs `struct { int x, y; }` into one register of eight bytes. Clang loads these eight
//! bytes at once where it passes such a structure, and stores them at once where it gets one. The program has no access
//! of this width: it copies a structure, as by `memcpy`. Such a load or store is known by its alignment, which is that of
//! the widest member and less than its own width. It becomes a copy from or to a variable, where the members are put
//! together or taken apart.

use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
use inkwell::llvm_sys::LLVMOpcode::{LLVMLoad, LLVMRet, LLVMStore};
use inkwell::llvm_sys::LLVMTypeKind::{LLVMIntegerTypeKind, LLVMVectorTypeKind};
use inkwell::llvm_sys::core::{LLVMGetAlignment, LLVMIsAArgument};
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::values::{AsValueRef, BasicValue, IntValue, PointerValue};

use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Function, Instruction, Layout, Value, definitions};

/// Turns all such accesses of a module into copies.
pub(crate) fn replace(module: LLVMModuleRef) -> Result<()> {
    let (hooks, layout) = (Hooks::new(module), Layout::of(module));
    for instruction in definitions(module).into_iter().flat_map(|function| Function(function).instructions()) {
        if let Some(pieces) = Pieces::of(instruction, layout) {
            match instruction.opcode() {
                Some(LLVMLoad) => pieces.load(&hooks, instruction)?,
                _ => pieces.store(&hooks, instruction)?,
            }
            instruction.erase();
        }
    }
    Ok(())
}

/// The shape of a structure in a register: `count` members, or parts of members, of `bits` bits each.
struct Pieces {
    count: u32,
    bits: u32,
}

impl Pieces {
    /// Returns the shape of what an instruction accesses; none if that is no structure in a register.
    fn of(instruction: Value, layout: Layout) -> Option<Self> {
        let value = match instruction.opcode()? {
            LLVMLoad => instruction,
            LLVMStore => instruction.operand(0),
            _ => return None,
        };
        let is_plain = !Instruction(instruction).is_volatile()
            && Instruction(instruction).ordering() == LLVMAtomicOrderingNotAtomic;
        if !is_plain || !matches!(value.kind().kind(), LLVMIntegerTypeKind | LLVMVectorTypeKind) {
            return None;
        }
        let bytes = u32::try_from(layout.store_size(value.kind())).ok()?;
        // SAFETY: the handle is a live load or store.
        let alignment = unsafe { LLVMGetAlignment(instruction.raw()) };
        // One byte is the alignment of packed structures, whose members may be as wide as the access.
        let is_structure = matches!((bytes, alignment), (8 | 16, 2 | 4));
        let passes = if instruction == value { is_passed(value) } else { is_got(value) };
        (is_structure && passes).then_some(Self { count: bytes / alignment, bits: 8 * alignment })
    }

    /// Copies the structure into a variable, and puts the register together from there.
    fn load(&self, hooks: &Hooks, load: Value) -> Result<()> {
        let copy = self.copy(hooks, load.block().function())?;
        hooks.before(load);
        let builder = &hooks.builder;
        let alignment = self.bits / 8;
        builder
            .build_memcpy(copy, alignment, load.operand(0).pointer(), alignment, hooks.long(u64::from(self.bytes())))
            .map_err(Failure::new)?;
        let (piece, whole) = (hooks.integer_type(self.bits)?, hooks.integer_type(self.bits * self.count)?);
        let mut value = whole.const_zero();
        for index in 0..self.count {
            let part = builder.build_load(piece, self.address(hooks, copy, index)?, "")?;
            let loaded = part.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
            loaded.set_alignment(alignment).map_err(Failure::new)?;
            let wide = builder.build_int_z_extend(part.into_int_value(), whole, "")?;
            let shifted = builder.build_left_shift(wide, self.shift(hooks, index)?, "")?;
            value = builder.build_or(value, shifted, "")?;
        }
        let value = builder.build_bit_cast(value, load.kind().typed(), "")?;
        load.replace_by(Value::from_raw(value.as_value_ref()).ok_or_else(|| Failure::new("no value was built"))?);
        Ok(())
    }

    /// Takes the register apart into a variable, and copies that to where the structure is.
    fn store(&self, hooks: &Hooks, store: Value) -> Result<()> {
        let copy = self.copy(hooks, store.block().function())?;
        hooks.before(store);
        let builder = &hooks.builder;
        let alignment = self.bits / 8;
        let (piece, whole) = (hooks.integer_type(self.bits)?, hooks.integer_type(self.bits * self.count)?);
        let value = builder.build_bit_cast(store.operand(0).basic(), whole, "")?.into_int_value();
        for index in 0..self.count {
            let shifted = builder.build_right_shift(value, self.shift(hooks, index)?, false, "")?;
            let part = builder.build_int_truncate(shifted, piece, "")?;
            let stored = builder.build_store(self.address(hooks, copy, index)?, part)?;
            stored.set_alignment(alignment).map_err(Failure::new)?;
        }
        let bytes = hooks.long(u64::from(self.bytes()));
        builder
            .build_memcpy(store.operand(1).pointer(), alignment, copy, alignment, bytes)
            .map_err(Failure::new)
            .map(|_| ())
    }

    /// Returns a new variable for the structure.
    fn copy<'ctx>(&self, hooks: &Hooks<'ctx>, function: Value) -> Result<PointerValue<'ctx>> {
        hooks.variable(function, hooks.integer_type(self.bits)?.array_type(self.count))
    }

    const fn bytes(&self) -> u32 {
        self.count * self.bits / 8
    }

    fn address<'ctx>(&self, hooks: &Hooks<'ctx>, begin: PointerValue<'ctx>, index: u32) -> Result<PointerValue<'ctx>> {
        let offset = hooks.long(u64::from(index * self.bits / 8));
        // SAFETY: the offset is within the access.
        Ok(unsafe { hooks.builder.build_in_bounds_gep(hooks.context.i8_type(), begin, &[offset], "") }?)
    }

    /// Returns by how many bits a piece is shifted against the first one.
    fn shift<'ctx>(&self, hooks: &Hooks<'ctx>, index: u32) -> Result<IntValue<'ctx>> {
        Ok(hooks.integer_type(self.bits * self.count)?.const_int(u64::from(index * self.bits), false))
    }
}

/// Whether a value is only passed to functions, or returned.
fn is_passed(value: Value) -> bool {
    let users = value.users();
    !users.is_empty() && users.iter().all(|user| user.is_call() || user.opcode() == Some(LLVMRet))
}

/// Whether a value is an argument of the function, or the result of a call.
fn is_got(value: Value) -> bool {
    // SAFETY: the handle is a live value.
    value.is_call() || !unsafe { LLVMIsAArgument(value.raw()) }.is_null()
}
