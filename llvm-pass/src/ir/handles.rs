//! Values, blocks and types of LLVM's, and the sizes of types.
//!
//! What only some kinds of values can answer is asked through a view ([`super::views`]).

use std::ffi::CStr;

use inkwell::llvm_sys::core::{
    LLVMConstNull, LLVMCountStructElementTypes, LLVMGetArrayLength2, LLVMGetBasicBlockParent,
    LLVMGetBasicBlockTerminator, LLVMGetConstOpcode, LLVMGetElementType, LLVMGetFirstInstruction, LLVMGetFirstUse,
    LLVMGetInstructionOpcode, LLVMGetInstructionParent, LLVMGetIntTypeWidth, LLVMGetNextInstruction, LLVMGetNextUse,
    LLVMGetNumOperands, LLVMGetNumSuccessors, LLVMGetOperand, LLVMGetPointerAddressSpace, LLVMGetStructName,
    LLVMGetSuccessor, LLVMGetTypeKind, LLVMGetUser, LLVMGetValueName2, LLVMInstructionEraseFromParent,
    LLVMIsAAllocaInst, LLVMIsAArgument, LLVMIsAConstantExpr, LLVMIsAConstantInt, LLVMIsAConstantPointerNull,
    LLVMIsAFunction, LLVMIsAGlobalAlias, LLVMIsAGlobalVariable, LLVMIsAInlineAsm, LLVMIsAInstruction, LLVMIsAPHINode,
    LLVMIsAUndefValue, LLVMReplaceAllUsesWith, LLVMSetOperand, LLVMSetValueName2, LLVMStructGetTypeAtIndex, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};

use super::location::Location;
use super::text::text;

/// A value: an instruction, a constant, a function, an argument, …
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Value(pub(super) LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Block(pub(super) LLVMBasicBlockRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Type(pub(super) LLVMTypeRef);

/// Sizes and offsets on the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout(LLVMTargetDataRef);

/// A class of values that LLVM tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// An instruction that makes room for a local variable.
    Alloca,
    /// A parameter of a function, in its body.
    Argument,
    /// An integer constant.
    ConstantInt,
    /// A function, with a body or without.
    Function,
    /// Another name of a global.
    GlobalAlias,
    /// A global variable.
    GlobalVariable,
    /// A piece of inline assembly, as what a call calls.
    InlineAssembly,
    /// An instruction of any kind.
    Instruction,
    /// The null pointer.
    NullPointer,
    /// An instruction whose value depends on the block that control comes from.
    Phi,
    /// A value that is undefined.
    Undefined,
}

impl Value {
    /// Whether the value is of a class of LLVM's.
    pub(crate) fn is(self, class: Class) -> bool {
        let cast = match class {
            Class::Alloca => LLVMIsAAllocaInst,
            Class::Argument => LLVMIsAArgument,
            Class::ConstantInt => LLVMIsAConstantInt,
            Class::Function => LLVMIsAFunction,
            Class::GlobalAlias => LLVMIsAGlobalAlias,
            Class::GlobalVariable => LLVMIsAGlobalVariable,
            Class::InlineAssembly => LLVMIsAInlineAsm,
            Class::Instruction => LLVMIsAInstruction,
            Class::NullPointer => LLVMIsAConstantPointerNull,
            Class::Phi => LLVMIsAPHINode,
            Class::Undefined => LLVMIsAUndefValue,
        };
        // SAFETY: the handle is live (the invariant of this file).
        !unsafe { cast(self.0) }.is_null()
    }

    /// Wraps a value that LLVM handed over; none if it is null.
    pub(crate) fn from_raw(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw))
    }

    /// Returns the value as LLVM's C interface takes it.
    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0
    }

    /// Returns the opcode of an instruction or of a constant expression.
    pub(crate) fn opcode(self) -> Option<LLVMOpcode> {
        if self.is(Class::Instruction) {
            // SAFETY: the handle is a live instruction.
            return Some(unsafe { LLVMGetInstructionOpcode(self.0) });
        }
        // SAFETY: the handle is live (the invariant of this file).
        let is_expression = !unsafe { LLVMIsAConstantExpr(self.0) }.is_null();
        is_expression.then(|| {
            // SAFETY: the handle is a live constant expression.
            unsafe { LLVMGetConstOpcode(self.0) }
        })
    }

    /// Whether this is a call, in any of its three forms.
    pub(crate) fn is_call(self) -> bool {
        matches!(self.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr))
    }

    /// Returns the type of the value.
    pub(crate) fn kind(self) -> Type {
        // SAFETY: the handle is live (the invariant of this file).
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// Returns the number of operands.
    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: the handle is live (the invariant of this file).
        unsafe { LLVMGetNumOperands(self.0) }.unsigned_abs()
    }

    /// Returns operand `index`.
    pub(crate) fn operand(self, index: u32) -> Value {
        // SAFETY: the handle is a live user with more than `index` operands.
        Self(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// Returns all operands, blocks and metadata included.
    pub(crate) fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// Replaces operand `index`.
    pub(crate) fn set_operand(self, index: u32, value: Value) {
        // SAFETY: the handle is a live user with more than `index` operands; the types agree.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// Returns the block of an instruction.
    pub(crate) fn block(self) -> Block {
        // SAFETY: the handle is a live instruction.
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// Returns the function of an instruction.
    pub(crate) fn function(self) -> Value {
        self.block().function()
    }

    /// Returns the instruction after this one in its block.
    pub(crate) fn next(self) -> Option<Value> {
        // SAFETY: the handle is a live instruction.
        Self::from_raw(unsafe { LLVMGetNextInstruction(self.0) })
    }

    /// Removes an instruction from its block. No copy of the handle may be used afterwards.
    pub(crate) fn erase(self) {
        // SAFETY: the handle is a live instruction without users.
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Returns the name, as a linker sees it but for a leading \x01 (which asm labels have).
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the handle is live; LLVM writes the length.
        let start = unsafe { LLVMGetValueName2(self.0, &raw mut length) };
        text(start, length).trim_start_matches('\u{1}').to_owned()
    }

    /// Gives the value a name.
    pub(crate) fn set_name(self, name: &str) {
        // SAFETY: the handle is live; pointer and length are of one string.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// Returns the place of an instruction in the source, if that is known.
    pub(crate) fn location(self) -> Option<Location> {
        use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
        // SAFETY: the handle is a live instruction.
        let location = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        (!location.is_null()).then_some(Location(location))
    }

    /// Returns the users of a value.
    pub(crate) fn users(self) -> Vec<Value> {
        // SAFETY: the handle is live.
        let first = unsafe { LLVMGetFirstUse(self.0) };
        std::iter::successors((!first.is_null()).then_some(first), |&one| {
            // SAFETY: the use is live, nothing is changed meanwhile.
            let next = unsafe { LLVMGetNextUse(one) };
            (!next.is_null()).then_some(next)
        })
        .map(|one| {
            // SAFETY: the use is live.
            Self(unsafe { LLVMGetUser(one) })
        })
        .collect()
    }

    /// Makes all users of the value use another one.
    pub(crate) fn replace_by(self, other: Value) {
        // SAFETY: both are live and of one type.
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Returns inkwell's typed view of the value.
    pub(crate) fn basic<'ctx>(self) -> BasicValueEnum<'ctx> {
        // SAFETY: the handle is live and of a first-class type.
        unsafe { BasicValueEnum::new(self.0) }
    }

    /// Returns inkwell's typed view of a pointer.
    pub(crate) fn pointer<'ctx>(self) -> PointerValue<'ctx> {
        // SAFETY: the handle is a live pointer.
        unsafe { PointerValue::new(self.0) }
    }

    /// Returns inkwell's typed view of an integer.
    pub(crate) fn integer<'ctx>(self) -> IntValue<'ctx> {
        // SAFETY: the handle is a live integer.
        unsafe { IntValue::new(self.0) }
    }
}

impl Block {
    /// Returns the first instruction of the block.
    pub(crate) fn first(self) -> Option<Value> {
        // SAFETY: the block is live.
        Value::from_raw(unsafe { LLVMGetFirstInstruction(self.0) })
    }

    /// Returns the instructions of the block, in order.
    pub(crate) fn instructions(self) -> Vec<Value> {
        std::iter::successors(self.first(), |instruction| instruction.next()).collect()
    }

    /// Returns the last instruction of the block.
    pub(crate) fn terminator(self) -> Option<Value> {
        // SAFETY: the block is live.
        Value::from_raw(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// Returns the function that the block is in.
    pub(crate) fn function(self) -> Value {
        // SAFETY: the block is live and in a function.
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }

    /// Returns the blocks to which the last instruction may go, once for each edge.
    pub(crate) fn successors(self) -> Vec<Block> {
        let Some(terminator) = self.terminator() else { return Vec::new() };
        // SAFETY: the terminator is live.
        let count = unsafe { LLVMGetNumSuccessors(terminator.0) };
        (0..count)
            .map(|index| {
                // SAFETY: the terminator is live and has more than `index` successors.
                Block(unsafe { LLVMGetSuccessor(terminator.0, index) })
            })
            .collect()
    }

    /// Returns the first instruction of the block that is not a phi.
    pub(crate) fn first_non_phi(self) -> Option<Value> {
        std::iter::successors(self.first(), |instruction| instruction.next())
            .find(|instruction| !instruction.is(Class::Phi))
    }

    /// Returns inkwell's typed view of the block.
    pub(crate) fn typed<'ctx>(self) -> Option<inkwell::basic_block::BasicBlock<'ctx>> {
        // SAFETY: the block is live.
        unsafe { inkwell::basic_block::BasicBlock::new(self.0) }
    }
}

impl Type {
    /// Returns the kind of the type.
    pub(crate) fn kind(self) -> LLVMTypeKind {
        // SAFETY: the type is live.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Returns the number of bits of an integer type.
    pub(crate) fn integer_bits(self) -> u32 {
        // SAFETY: the type is a live integer type.
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Returns the address space of a pointer type.
    pub(crate) fn address_space(self) -> u32 {
        // SAFETY: the type is a live pointer type.
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    /// Returns the number of elements of a struct type.
    pub(crate) fn struct_element_count(self) -> u32 {
        // SAFETY: the type is a live struct type.
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// Whether the type is a pointer.
    pub(crate) fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// Whether the type is a pointer or a vector of pointers.
    pub(crate) fn holds_pointers(self) -> bool {
        match self.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => true,
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => self.element().is_pointer(),
            _ => false,
        }
    }

    /// Returns the type of an array's or a vector's elements.
    pub(crate) fn element(self) -> Type {
        // SAFETY: the type is a live array or vector.
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    /// Returns the number of an array's elements.
    pub(crate) fn array_length(self) -> u64 {
        // SAFETY: the type is a live array.
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    /// Returns the type of a struct's element.
    pub(crate) fn struct_element(self, index: u32) -> Type {
        // SAFETY: the type is a live struct with more than `index` elements.
        Type(unsafe { LLVMStructGetTypeAtIndex(self.0, index) })
    }

    /// Returns a named struct's name.
    pub(crate) fn struct_name(self) -> Option<String> {
        if self.kind() != LLVMTypeKind::LLVMStructTypeKind {
            return None;
        }
        // SAFETY: the type is a live struct.
        let name = unsafe { LLVMGetStructName(self.0) };
        if name.is_null() {
            return None;
        }
        // SAFETY: LLVM ends the name with a zero.
        Some(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// Returns the width in bytes of a type that a hook takes as a value: 1, 2, 4 or 8.
    pub(crate) fn simple_bytes(self) -> Option<u64> {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => match self.integer_bits() {
                1 | 8 => Some(1),
                16 => Some(2),
                32 => Some(4),
                64 => Some(8),
                _ => None,
            },
            LLVMTypeKind::LLVMPointerTypeKind if self.address_space() == 0 => Some(8),
            LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => Some(2),
            LLVMTypeKind::LLVMFloatTypeKind => Some(4),
            LLVMTypeKind::LLVMDoubleTypeKind => Some(8),
            _ => None,
        }
    }

    /// Returns the zero of this type.
    pub(crate) fn zero(self) -> Value {
        // SAFETY: the type is live and has a zero.
        Value(unsafe { LLVMConstNull(self.0) })
    }

    /// Returns inkwell's typed view of the type.
    pub(crate) fn typed<'ctx>(self) -> BasicTypeEnum<'ctx> {
        // SAFETY: the type is live and first-class.
        unsafe { BasicTypeEnum::new(self.0) }
    }
}

impl Layout {
    /// Returns the layout that a module is compiled for.
    pub(crate) fn of(module: LLVMModuleRef) -> Self {
        // SAFETY: the module is live; its layout lives as long.
        Self(unsafe { LLVMGetModuleDataLayout(module) })
    }

    /// Returns the number of bytes that a store of the type writes.
    pub(crate) fn store_size(self, kind: Type) -> u64 {
        // SAFETY: the type is live and has a size.
        unsafe { LLVMStoreSizeOfType(self.0, kind.0) }
    }

    /// Returns the distance between two elements of the type in an array.
    pub(crate) fn allocated_size(self, kind: Type) -> u64 {
        // SAFETY: the type is live and has a size.
        unsafe { LLVMABISizeOfType(self.0, kind.0) }
    }

    /// Returns the offset in bytes of a struct's element.
    pub(crate) fn element_offset(self, kind: Type, index: u32) -> u64 {
        // SAFETY: the type is a live struct with more than `index` elements.
        unsafe { LLVMOffsetOfElement(self.0, kind.0, index) }
    }
}
