//! Reading LLVM's IR: small copyable handles over `llvm_sys` for what typed inkwell does not reach (it panics on
//! metadata and token operands, and knows neither orderings of cmpxchg nor constant expressions).
//!
//! Invariant: a handle stands for a live object of the module that is being instrumented. Only [`Value::erase`]
//! ends one; who calls it keeps no copy.

use std::ffi::{CStr, CString, c_char};

use inkwell::llvm_sys::core::{
    LLVMAddFunction, LLVMConstIntGetSExtValue, LLVMConstIntGetZExtValue, LLVMConstNull, LLVMCountIncoming,
    LLVMCountParams, LLVMCountStructElementTypes, LLVMGetAlignment, LLVMGetAllocatedType, LLVMGetAtomicRMWBinOp,
    LLVMGetBasicBlockParent, LLVMGetBasicBlockTerminator, LLVMGetCallSiteEnumAttribute, LLVMGetCalledFunctionType,
    LLVMGetCalledValue, LLVMGetCmpXchgFailureOrdering, LLVMGetCmpXchgSuccessOrdering, LLVMGetConstOpcode,
    LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetElementType, LLVMGetEnumAttributeAtIndex,
    LLVMGetEnumAttributeKindForName, LLVMGetFirstBasicBlock, LLVMGetFirstFunction, LLVMGetFirstGlobal,
    LLVMGetFirstInstruction, LLVMGetFirstUse, LLVMGetGEPSourceElementType, LLVMGetIncomingBlock, LLVMGetIncomingValue,
    LLVMGetIndices, LLVMGetInitializer, LLVMGetInlineAsmAsmString, LLVMGetInlineAsmConstraintString,
    LLVMGetInstructionOpcode, LLVMGetInstructionParent, LLVMGetIntTypeWidth, LLVMGetIntrinsicID, LLVMGetLinkage,
    LLVMGetMDKindID, LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands, LLVMGetMetadata, LLVMGetNamedFunction,
    LLVMGetNamedMetadataNumOperands, LLVMGetNamedMetadataOperands, LLVMGetNextBasicBlock, LLVMGetNextFunction,
    LLVMGetNextGlobal, LLVMGetNextInstruction, LLVMGetNextUse, LLVMGetNumArgOperands, LLVMGetNumIndices,
    LLVMGetNumOperands, LLVMGetNumSuccessors, LLVMGetOperand, LLVMGetOrdering, LLVMGetParam, LLVMGetParamParent,
    LLVMGetPointerAddressSpace, LLVMGetSection, LLVMGetSourceFileName, LLVMGetStructName, LLVMGetSuccessor,
    LLVMGetTypeAttributeValue, LLVMGetTypeKind, LLVMGetUser, LLVMGetValueName2, LLVMGetVolatile, LLVMGetWeak,
    LLVMGlobalGetValueType, LLVMInstructionEraseFromParent, LLVMIsAAllocaInst, LLVMIsAArgument, LLVMIsAConstantExpr,
    LLVMIsAConstantInt, LLVMIsAConstantPointerNull, LLVMIsAFunction, LLVMIsAGlobalAlias, LLVMIsAGlobalVariable,
    LLVMIsAInlineAsm, LLVMIsAInstruction, LLVMIsAPHINode, LLVMIsAUndefValue, LLVMIsAtomicSingleThread,
    LLVMIsDeclaration, LLVMIsGlobalConstant, LLVMIsNull, LLVMIsThreadLocal, LLVMReplaceAllUsesWith, LLVMSetLinkage,
    LLVMSetMetadata, LLVMSetOperand, LLVMSetValueName2, LLVMSetVolatile, LLVMStructGetTypeAtIndex, LLVMTypeOf,
    LLVMValueAsMetadata,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt,
    LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile,
};
use inkwell::llvm_sys::prelude::{
    LLVMAttributeRef, LLVMBasicBlockRef, LLVMMetadataRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef,
};
use inkwell::llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode, LLVMTypeKind,
};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, IntValue, PointerValue};

/// A value: an instruction, a constant, a function, an argument, …
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Value(LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Block(LLVMBasicBlockRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Type(LLVMTypeRef);

/// A place in the source, with the calls through which an inlined instruction got where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location(LLVMMetadataRef);

/// Sizes and offsets on the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout(LLVMTargetDataRef);

/// Defines methods that hand their question to one function of LLVM's C interface.
macro_rules! questions {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty = $function:ident;)*) => {$(
        #[doc = concat!("`", stringify!($function), "` of this.")]
        pub(crate) fn $name(self $(, $argument: $kind)*) -> $result {
            // SAFETY: the handle is live (the invariant of this file) and the caller asks what its kind can answer.
            unsafe { $function(self.0 $(, $argument)*) }
        }
    )*};
}

/// Defines methods whether a value is of a class of LLVM's.
macro_rules! classes {
    ($($name:ident = $function:ident;)*) => {$(
        #[doc = concat!("`", stringify!($function), "` of this.")]
        pub(crate) fn $name(self) -> bool {
            // SAFETY: the handle is live (the invariant of this file).
            !unsafe { $function(self.0) }.is_null()
        }
    )*};
}

/// Defines methods that ask for a truth.
macro_rules! truths {
    ($($name:ident = $function:ident;)*) => {$(
        #[doc = concat!("`", stringify!($function), "` of this.")]
        pub(crate) fn $name(self) -> bool {
            // SAFETY: the handle is live (the invariant of this file) and the caller asks what its kind can answer.
            (unsafe { $function(self.0) }) != 0
        }
    )*};
}

impl Value {
    classes! {
        is_instruction = LLVMIsAInstruction;
        is_alloca = LLVMIsAAllocaInst;
        is_argument = LLVMIsAArgument;
        is_constant_expression = LLVMIsAConstantExpr;
        is_constant_int = LLVMIsAConstantInt;
        is_function = LLVMIsAFunction;
        is_global_variable = LLVMIsAGlobalVariable;
        is_global_alias = LLVMIsAGlobalAlias;
        is_inline_assembly = LLVMIsAInlineAsm;
        is_undefined = LLVMIsAUndefValue;
        is_null_pointer = LLVMIsAConstantPointerNull;
        is_phi = LLVMIsAPHINode;
    }

    truths! {
        is_null = LLVMIsNull;
        is_declaration = LLVMIsDeclaration;
        is_thread_local = LLVMIsThreadLocal;
        is_global_constant = LLVMIsGlobalConstant;
        is_single_thread = LLVMIsAtomicSingleThread;
        is_weak = LLVMGetWeak;
        is_volatile = LLVMGetVolatile;
    }

    questions! {
        instruction_opcode() -> LLVMOpcode = LLVMGetInstructionOpcode;
        constant_opcode() -> LLVMOpcode = LLVMGetConstOpcode;
        ordering() -> LLVMAtomicOrdering = LLVMGetOrdering;
        success_ordering() -> LLVMAtomicOrdering = LLVMGetCmpXchgSuccessOrdering;
        failure_ordering() -> LLVMAtomicOrdering = LLVMGetCmpXchgFailureOrdering;
        rmw_operation() -> LLVMAtomicRMWBinOp = LLVMGetAtomicRMWBinOp;
        argument_count() -> u32 = LLVMGetNumArgOperands;
        incoming_count() -> u32 = LLVMCountIncoming;
        intrinsic() -> u32 = LLVMGetIntrinsicID;
        parameter_count() -> u32 = LLVMCountParams;
        linkage() -> LLVMLinkage = LLVMGetLinkage;
        alignment() -> u32 = LLVMGetAlignment;
        set_linkage(linkage: LLVMLinkage) -> () = LLVMSetLinkage;
        constant_unsigned() -> u64 = LLVMConstIntGetZExtValue;
        constant_signed() -> i64 = LLVMConstIntGetSExtValue;
        successor_count() -> u32 = LLVMGetNumSuccessors;
        erase() -> () = LLVMInstructionEraseFromParent;
        raw_operand_count() -> i32 = LLVMGetNumOperands;
    }

    /// Wraps a value that LLVM handed over; none if it is null.
    pub(crate) fn from_raw(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw))
    }

    /// The value as LLVM's C interface takes it.
    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0
    }

    /// The opcode of an instruction or of a constant expression.
    pub(crate) fn opcode(self) -> Option<LLVMOpcode> {
        if self.is_instruction() {
            Some(self.instruction_opcode())
        } else if self.is_constant_expression() {
            Some(self.constant_opcode())
        } else {
            None
        }
    }

    /// Whether this is a call, in any of its three forms.
    pub(crate) fn is_call(self) -> bool {
        matches!(self.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr))
    }

    /// Its type.
    pub(crate) fn kind(self) -> Type {
        // SAFETY: the handle is live (the invariant of this file).
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// The number of operands.
    pub(crate) fn operand_count(self) -> u32 {
        self.raw_operand_count().unsigned_abs()
    }

    /// Operand `index`.
    pub(crate) fn operand(self, index: u32) -> Value {
        // SAFETY: the handle is a live user with more than `index` operands.
        Self(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// All operands, blocks and metadata included.
    pub(crate) fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// Replaces operand `index`.
    pub(crate) fn set_operand(self, index: u32, value: Value) {
        // SAFETY: the handle is a live user with more than `index` operands; the types agree.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// The arguments of a call.
    pub(crate) fn arguments(self) -> impl Iterator<Item = (u32, Value)> {
        (0..self.argument_count()).map(move |index| (index, self.operand(index)))
    }

    /// How many indices an `extractvalue` or `insertvalue` has.
    pub(crate) fn index_count(self) -> u32 {
        // SAFETY: the handle is such an instruction.
        unsafe { LLVMGetNumIndices(self.0) }
    }

    /// The first of them.
    pub(crate) fn first_index(self) -> u32 {
        // SAFETY: the handle is such an instruction.
        let indices = unsafe { LLVMGetIndices(self.0) };
        // SAFETY: it has at least one.
        unsafe { *indices }
    }

    /// What a call calls.
    pub(crate) fn callee(self) -> Value {
        // SAFETY: the handle is a live call.
        Self(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// The incoming values of a phi.
    pub(crate) fn incoming(self) -> impl Iterator<Item = (Value, Block)> {
        (0..self.incoming_count()).map(move |index| {
            // SAFETY: the handle is a live phi with more than `index` entries.
            let value = unsafe { LLVMGetIncomingValue(self.0, index) };
            // SAFETY: as above.
            let block = unsafe { LLVMGetIncomingBlock(self.0, index) };
            (Value(value), Block(block))
        })
    }

    /// The block of an instruction.
    pub(crate) fn block(self) -> Block {
        // SAFETY: the handle is a live instruction.
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// The function of an instruction.
    pub(crate) fn function(self) -> Value {
        self.block().function()
    }

    /// The instruction after this one in its block.
    pub(crate) fn next(self) -> Option<Value> {
        // SAFETY: the handle is a live instruction.
        Self::from_raw(unsafe { LLVMGetNextInstruction(self.0) })
    }

    /// The name, as a linker sees it but for a leading \x01 (which asm labels have).
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the handle is live; LLVM writes the length.
        let start = unsafe { LLVMGetValueName2(self.0, &raw mut length) };
        text(start, length).trim_start_matches('\u{1}').to_owned()
    }

    /// Gives it a name.
    pub(crate) fn set_name(self, name: &str) {
        // SAFETY: the handle is live; pointer and length are of one string.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// Where it is in the source, if that is known.
    pub(crate) fn location(self) -> Option<Location> {
        use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
        // SAFETY: the handle is a live instruction.
        let location = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        (!location.is_null()).then_some(Location(location))
    }

    /// Whether a call must stay right before the return of its function.
    pub(crate) fn is_must_tail_call(self) -> bool {
        use inkwell::llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
        use inkwell::llvm_sys::core::LLVMGetTailCallKind;
        // SAFETY: the handle is a live call.
        self.opcode() == Some(LLVMOpcode::LLVMCall)
            && (unsafe { LLVMGetTailCallKind(self.0) }) == LLVMTailCallKindMustTail
    }

    /// The type of the function that a call takes the function called for.
    pub(crate) fn called_type(self) -> Type {
        // SAFETY: the handle is a live call.
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// Whether a call is marked as one that is not to be replaced by the function's body.
    pub(crate) fn is_never_inlined(self) -> bool {
        let whole = LLVMAttributeFunctionIndex;
        // SAFETY: the handle is a live call.
        !unsafe { LLVMGetCallSiteEnumAttribute(self.0, whole, attribute_kind("noinline")) }.is_null()
    }

    /// The file name and folder of the function's debug information.
    pub(crate) fn subprogram_file(self) -> Option<(String, String)> {
        let (mut file_length, mut folder_length) = (0, 0);
        // SAFETY: the handle is a live function; LLVM writes the length.
        let file = unsafe { LLVMGetDebugLocFilename(self.0, &raw mut file_length) };
        // SAFETY: as above.
        let folder = unsafe { LLVMGetDebugLocDirectory(self.0, &raw mut folder_length) };
        (!file.is_null()).then(|| (text(file, file_length as usize), text(folder, folder_length as usize)))
    }

    /// The line at which the function begins; 0 if that is not known.
    pub(crate) fn subprogram_line(self) -> u32 {
        use inkwell::llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
        // SAFETY: the handle is a live function.
        let subprogram = unsafe { LLVMGetSubprogram(self.0) };
        if subprogram.is_null() {
            return 0;
        }
        // SAFETY: the subprogram is live.
        unsafe { LLVMDISubprogramGetLine(subprogram) }
    }

    /// The operands of a metadata node.
    fn metadata_operands(self) -> Vec<Option<Value>> {
        // SAFETY: the handle is a live metadata node.
        let count = unsafe { LLVMGetMDNodeNumOperands(self.0) };
        let mut operands = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: there is room for as many operands as LLVM said.
        unsafe { LLVMGetMDNodeOperands(self.0, operands.as_mut_ptr()) };
        operands.into_iter().map(Self::from_raw).collect()
    }

    /// The type that an alloca makes room for.
    pub(crate) fn allocated_type(self) -> Type {
        // SAFETY: the handle is a live alloca.
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// The type that a getelementptr's indices walk.
    pub(crate) fn source_element_type(self) -> Type {
        // SAFETY: the handle is a live getelementptr, instruction or constant.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// The type of a global variable's value, or of a function.
    pub(crate) fn global_value_type(self) -> Type {
        // SAFETY: the handle is a live global value.
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    /// A global variable's initializer.
    pub(crate) fn initializer(self) -> Option<Value> {
        // SAFETY: the handle is a live global variable.
        Self::from_raw(unsafe { LLVMGetInitializer(self.0) })
    }

    /// The text of a constant array of characters.
    pub(crate) fn constant_text(self) -> Option<String> {
        use inkwell::llvm_sys::core::{LLVMGetAsString, LLVMIsAConstantDataArray, LLVMIsConstantString};
        // SAFETY: the handle is a live value.
        if unsafe { LLVMIsAConstantDataArray(self.0) }.is_null() {
            return None;
        }
        // SAFETY: it is a constant array.
        if unsafe { LLVMIsConstantString(self.0) } == 0 {
            return None;
        }
        let mut length = 0;
        // SAFETY: it is a constant string; the length is written through the pointer.
        let text = unsafe { LLVMGetAsString(self.0, &raw mut length) };
        // SAFETY: LLVM gives so many bytes, which live as long as the constant.
        let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// A function's parameter.
    pub(crate) fn parameter(self, index: u32) -> Value {
        // SAFETY: the handle is a live function with more than `index` parameters.
        Self(unsafe { LLVMGetParam(self.0, index) })
    }

    /// The function of an argument.
    pub(crate) fn argument_function(self) -> Value {
        // SAFETY: the handle is a live argument.
        Self(unsafe { LLVMGetParamParent(self.0) })
    }

    /// The blocks of a function, in order.
    pub(crate) fn blocks(self) -> Vec<Block> {
        // SAFETY: the handle is a live function.
        let first = unsafe { LLVMGetFirstBasicBlock(self.0) };
        std::iter::successors((!first.is_null()).then_some(Block(first)), |block| {
            // SAFETY: the block is live.
            let next = unsafe { LLVMGetNextBasicBlock(block.0) };
            (!next.is_null()).then_some(Block(next))
        })
        .collect()
    }

    /// The instructions of a function, in order.
    pub(crate) fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    /// The users of a value.
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

    /// Makes all its users use another value.
    pub(crate) fn replace_by(self, other: Value) {
        // SAFETY: both are live and of one type.
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Sets whether a load or store is volatile.
    pub(crate) fn set_volatile(self, volatile: bool) {
        // SAFETY: the handle is a live load or store.
        unsafe { LLVMSetVolatile(self.0, i32::from(volatile)) }
    }

    /// Whether it carries metadata of a kind.
    pub(crate) fn has_metadata(self, kind: u32) -> bool {
        // SAFETY: the handle is a live instruction.
        !unsafe { LLVMGetMetadata(self.0, kind) }.is_null()
    }

    /// Sets metadata of a kind, or removes it.
    pub(crate) fn set_metadata(self, kind: u32, node: Option<LLVMValueRef>) {
        // SAFETY: the handle is a live instruction, the node (if any) a metadata node of its context.
        unsafe { LLVMSetMetadata(self.0, kind, node.unwrap_or(std::ptr::null_mut())) }
    }

    /// The text of inline assembly.
    pub(crate) fn assembly_text(self) -> String {
        let mut length = 0;
        // SAFETY: the handle is live inline assembly; LLVM writes the length.
        let start = unsafe { LLVMGetInlineAsmAsmString(self.0, &raw mut length) };
        text(start, length)
    }

    /// The constraints of inline assembly.
    pub(crate) fn assembly_constraints(self) -> String {
        let mut length = 0;
        // SAFETY: the handle is live inline assembly; LLVM writes the length.
        let start = unsafe { LLVMGetInlineAsmConstraintString(self.0, &raw mut length) };
        text(start, length)
    }

    /// The section of a global, or "".
    pub(crate) fn section(self) -> String {
        // SAFETY: the handle is a live global.
        let start = unsafe { LLVMGetSection(self.0) };
        if start.is_null() {
            return String::new();
        }
        // SAFETY: LLVM ends the section's name with a zero.
        unsafe { CStr::from_ptr(start) }.to_string_lossy().into_owned()
    }

    /// The type attribute (`byval`, `elementtype`, …) of a call's argument.
    pub(crate) fn call_type_attribute(self, argument: u32, kind: u32) -> Option<Type> {
        // SAFETY: the handle is a live call.
        attribute_type(unsafe { LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind) })
    }

    /// The type attribute of a function's parameter.
    pub(crate) fn parameter_type_attribute(self, parameter: u32, kind: u32) -> Option<Type> {
        // SAFETY: the handle is a live function.
        attribute_type(unsafe { LLVMGetEnumAttributeAtIndex(self.0, parameter + 1, kind) })
    }

    /// Typed inkwell's view of it.
    pub(crate) fn basic<'ctx>(self) -> BasicValueEnum<'ctx> {
        // SAFETY: the handle is live and of a first-class type.
        unsafe { BasicValueEnum::new(self.0) }
    }

    /// Typed inkwell's view of a pointer.
    pub(crate) fn pointer<'ctx>(self) -> PointerValue<'ctx> {
        // SAFETY: the handle is a live pointer.
        unsafe { PointerValue::new(self.0) }
    }

    /// Typed inkwell's view of an integer.
    pub(crate) fn integer<'ctx>(self) -> IntValue<'ctx> {
        // SAFETY: the handle is a live integer.
        unsafe { IntValue::new(self.0) }
    }
}

/// The type that a type attribute carries.
fn attribute_type(attribute: LLVMAttributeRef) -> Option<Type> {
    if attribute.is_null() {
        return None;
    }
    // SAFETY: the attribute is live and of a kind with a type.
    Some(Type(unsafe { LLVMGetTypeAttributeValue(attribute) }))
}

/// The number of a kind of attribute.
pub(crate) fn attribute_kind(name: &str) -> u32 {
    // SAFETY: pointer and length are of one string.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// The number of a kind of metadata that LLVM has of itself.
pub(crate) fn metadata_kind(name: &str) -> u32 {
    let length = u32::try_from(name.len()).unwrap_or(0);
    // SAFETY: pointer and length are of one string.
    unsafe { LLVMGetMDKindID(name.as_ptr().cast(), length) }
}

/// Copies a string of LLVM's.
pub(crate) fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: LLVM handed over a string of this length, alive until the next change of the module.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl Location {
    /// LLVM's own handle.
    pub(crate) fn raw(self) -> LLVMMetadataRef {
        self.0
    }

    /// The line, from 1; 0 if unknown.
    pub(crate) fn line(self) -> u32 {
        // SAFETY: the place is live.
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    /// The column, from 1; 0 if unknown.
    pub(crate) fn column(self) -> u32 {
        // SAFETY: the place is live.
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    /// The file name and folder.
    pub(crate) fn file(self) -> (String, String) {
        let (mut file_length, mut folder_length) = (0, 0);
        // SAFETY: the place is live.
        let scope = unsafe { LLVMDILocationGetScope(self.0) };
        // SAFETY: a place has a scope.
        let file = unsafe { LLVMDIScopeGetFile(scope) };
        if file.is_null() {
            return (String::new(), String::new());
        }
        // SAFETY: the file is live; LLVM writes the length.
        let name = unsafe { LLVMDIFileGetFilename(file, &raw mut file_length) };
        // SAFETY: as above.
        let folder = unsafe { LLVMDIFileGetDirectory(file, &raw mut folder_length) };
        (text(name, file_length as usize), text(folder, folder_length as usize))
    }

    /// The call in whose place the function's body was put, if it was.
    pub(crate) fn call(self) -> Option<Self> {
        // SAFETY: the place is live.
        let call = unsafe { LLVMDILocationGetInlinedAt(self.0) };
        (!call.is_null()).then_some(Self(call))
    }
}

impl Block {
    /// Its instructions, in order.
    pub(crate) fn instructions(self) -> Vec<Value> {
        // SAFETY: the block is live.
        let first = Value::from_raw(unsafe { LLVMGetFirstInstruction(self.0) });
        std::iter::successors(first, |instruction| instruction.next()).collect()
    }

    /// Its last instruction.
    pub(crate) fn terminator(self) -> Option<Value> {
        // SAFETY: the block is live.
        Value::from_raw(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// Its function.
    pub(crate) fn function(self) -> Value {
        // SAFETY: the block is live and in a function.
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }

    /// Where its last instruction may go, once for each edge.
    pub(crate) fn successors(self) -> Vec<Block> {
        let Some(terminator) = self.terminator() else { return Vec::new() };
        (0..terminator.successor_count())
            .map(|index| {
                // SAFETY: the terminator is live and has more than `index` successors.
                Block(unsafe { LLVMGetSuccessor(terminator.0, index) })
            })
            .collect()
    }

    /// Its first instruction that is not a phi.
    pub(crate) fn first_non_phi(self) -> Option<Value> {
        self.instructions().into_iter().find(|instruction| !instruction.is_phi())
    }

    /// Typed inkwell's view of it.
    pub(crate) fn typed<'ctx>(self) -> Option<inkwell::basic_block::BasicBlock<'ctx>> {
        // SAFETY: the block is live.
        unsafe { inkwell::basic_block::BasicBlock::new(self.0) }
    }
}

impl Type {
    questions! {
        kind() -> LLVMTypeKind = LLVMGetTypeKind;
        integer_bits() -> u32 = LLVMGetIntTypeWidth;
        address_space() -> u32 = LLVMGetPointerAddressSpace;
        struct_element_count() -> u32 = LLVMCountStructElementTypes;
    }

    /// Whether it is a pointer.
    pub(crate) fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// Whether it is a pointer or a vector of pointers.
    pub(crate) fn holds_pointers(self) -> bool {
        match self.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => true,
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => self.element().is_pointer(),
            _ => false,
        }
    }

    /// The type of an array's or a vector's elements.
    pub(crate) fn element(self) -> Type {
        // SAFETY: the type is a live array or vector.
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    /// The type of a struct's element.
    pub(crate) fn struct_element(self, index: u32) -> Type {
        // SAFETY: the type is a live struct with more than `index` elements.
        Type(unsafe { LLVMStructGetTypeAtIndex(self.0, index) })
    }

    /// A named struct's name.
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

    /// The zero of this type.
    pub(crate) fn zero(self) -> Value {
        // SAFETY: the type is live and has a zero.
        Value(unsafe { LLVMConstNull(self.0) })
    }

    /// Typed inkwell's view of it.
    pub(crate) fn typed<'ctx>(self) -> BasicTypeEnum<'ctx> {
        // SAFETY: the type is live and first-class.
        unsafe { BasicTypeEnum::new(self.0) }
    }
}

impl Layout {
    /// The layout that a module is compiled for.
    pub(crate) fn of(module: LLVMModuleRef) -> Self {
        // SAFETY: the module is live; its layout lives as long.
        Self(unsafe { LLVMGetModuleDataLayout(module) })
    }

    /// The number of bytes that a store of the type writes.
    pub(crate) fn store_size(self, kind: Type) -> u64 {
        // SAFETY: the type is live and has a size.
        unsafe { LLVMStoreSizeOfType(self.0, kind.0) }
    }

    /// The distance between two elements of the type in an array.
    pub(crate) fn allocated_size(self, kind: Type) -> u64 {
        // SAFETY: the type is live and has a size.
        unsafe { LLVMABISizeOfType(self.0, kind.0) }
    }

    /// Where a struct's element begins.
    pub(crate) fn element_offset(self, kind: Type, index: u32) -> u64 {
        // SAFETY: the type is a live struct with more than `index` elements.
        unsafe { LLVMOffsetOfElement(self.0, kind.0, index) }
    }
}

/// The function of a name, declared if it is not there yet.
pub(crate) fn declare(module: LLVMModuleRef, name: &str, kind: Type) -> Value {
    let name = c_text(name);
    // SAFETY: the module is live, the name ends with a zero.
    let known = Value::from_raw(unsafe { LLVMGetNamedFunction(module, name.as_ptr()) });
    known.unwrap_or_else(|| {
        // SAFETY: as above; the type is a live function type.
        Value(unsafe { LLVMAddFunction(module, name.as_ptr(), kind.0) })
    })
}

/// The functions of a module, in order.
pub(crate) fn functions(module: LLVMModuleRef) -> Vec<Value> {
    // SAFETY: the module is live.
    let first = Value::from_raw(unsafe { LLVMGetFirstFunction(module) });
    std::iter::successors(first, |function| {
        // SAFETY: the function is live.
        Value::from_raw(unsafe { LLVMGetNextFunction(function.0) })
    })
    .collect()
}

/// The functions of a module that have a body, in order.
pub(crate) fn definitions(module: LLVMModuleRef) -> Vec<Value> {
    functions(module).into_iter().filter(|function| !function.is_declaration()).collect()
}

/// The global variables of a module, in order.
pub(crate) fn globals(module: LLVMModuleRef) -> Vec<Value> {
    // SAFETY: the module is live.
    let first = Value::from_raw(unsafe { LLVMGetFirstGlobal(module) });
    std::iter::successors(first, |global| {
        // SAFETY: the global is live.
        Value::from_raw(unsafe { LLVMGetNextGlobal(global.0) })
    })
    .collect()
}

/// The name of a module's main file, as the compiler was given it.
pub(crate) fn source_file(module: LLVMModuleRef) -> String {
    let mut length = 0;
    // SAFETY: the module is live; LLVM writes the length.
    let start = unsafe { LLVMGetSourceFileName(module, &raw mut length) };
    text(start, length)
}

/// The folder that the compilation ran in, from the debug information.
pub(crate) fn compilation_folder(module: LLVMModuleRef) -> Option<String> {
    let name = c"llvm.dbg.cu".as_ptr();
    // SAFETY: the module is live, the name ends with a zero.
    let count = unsafe { LLVMGetNamedMetadataNumOperands(module, name) };
    let mut units = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for as many operands as LLVM said.
    unsafe { LLVMGetNamedMetadataOperands(module, name, units.as_mut_ptr()) };
    let unit = Value::from_raw(*units.first()?)?;
    let file = unit.metadata_operands().first().copied().flatten()?;
    // SAFETY: the first operand of a compile unit is its file.
    let file = unsafe { LLVMValueAsMetadata(file.0) };
    let mut length = 0;
    // SAFETY: the file is a live DIFile; LLVM writes the length.
    let start = unsafe { LLVMDIFileGetDirectory(file, &raw mut length) };
    Some(text(start, length as usize))
}

/// Text that ends with a zero, for LLVM; what follows a zero inside is lost.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}
