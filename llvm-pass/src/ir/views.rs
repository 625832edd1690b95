//! Views of values: what only calls, functions, globals, constants, or some instructions can answer.
//!
//! Invariant: whoever makes a view knows that the value is of that kind.

use std::ffi::CStr;

use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMConstIntGetZExtValue, LLVMCountIncoming, LLVMCountParams, LLVMGetAlignment,
    LLVMGetAllocatedType, LLVMGetAtomicRMWBinOp, LLVMGetCallSiteEnumAttribute, LLVMGetCalledFunctionType,
    LLVMGetCalledValue, LLVMGetCmpXchgFailureOrdering, LLVMGetCmpXchgSuccessOrdering, LLVMGetDebugLocDirectory,
    LLVMGetDebugLocFilename, LLVMGetEnumAttributeAtIndex, LLVMGetFirstBasicBlock, LLVMGetGEPSourceElementType,
    LLVMGetIncomingBlock, LLVMGetIncomingValue, LLVMGetIndices, LLVMGetInitializer, LLVMGetInlineAsmAsmString,
    LLVMGetInlineAsmConstraintString, LLVMGetIntrinsicID, LLVMGetLinkage, LLVMGetMetadata, LLVMGetNextBasicBlock,
    LLVMGetNumArgOperands, LLVMGetNumIndices, LLVMGetOrdering, LLVMGetParam, LLVMGetParamParent, LLVMGetSection,
    LLVMGetTypeAttributeValue, LLVMGetVolatile, LLVMGetWeak, LLVMGlobalGetValueType, LLVMIsAtomicSingleThread,
    LLVMIsDeclaration, LLVMIsGlobalConstant, LLVMIsNull, LLVMIsThreadLocal, LLVMSetLinkage, LLVMSetMetadata,
    LLVMSetVolatile,
};
use inkwell::llvm_sys::prelude::{LLVMAttributeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode};

use super::handles::{Block, Type, Value};
use super::text::{attribute_kind, text};

/// Defines methods that hand their question to one function of LLVM's C interface.
macro_rules! questions {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty = $function:ident;)*) => {$(
        #[doc = concat!("What `", stringify!($function), "` answers.")]
        pub(crate) fn $name(self $(, $argument: $kind)*) -> $result {
            // SAFETY: the handle is live and of the kind of this view (the invariant of this file).
            unsafe { $function(self.0.raw() $(, $argument)*) }
        }
    )*};
}

/// Defines methods that put a question of yes or no to LLVM's C interface.
macro_rules! truths {
    ($($name:ident = $function:ident;)*) => {$(
        #[doc = concat!("What `", stringify!($function), "` answers.")]
        pub(crate) fn $name(self) -> bool {
            // SAFETY: the handle is live and of the kind of this view (the invariant of this file).
            (unsafe { $function(self.0.raw()) }) != 0
        }
    )*};
}

/// A call, in any of its three forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call(pub(crate) Value);

impl Call {
    questions! {
        argument_count() -> u32 = LLVMGetNumArgOperands;
    }

    /// Returns what a call calls.
    pub(crate) fn callee(self) -> Value {
        // SAFETY: the handle is a live call.
        Value(unsafe { LLVMGetCalledValue(self.0.raw()) })
    }

    /// Returns the arguments of a call.
    pub(crate) fn arguments(self) -> impl Iterator<Item = (u32, Value)> {
        (0..self.argument_count()).map(move |index| (index, self.0.operand(index)))
    }

    /// Returns the type of the function that a call takes the function called for.
    pub(crate) fn called_type(self) -> Type {
        // SAFETY: the handle is a live call.
        Type(unsafe { LLVMGetCalledFunctionType(self.0.raw()) })
    }

    /// Whether a call must stay right before the return of its function.
    pub(crate) fn is_must_tail_call(self) -> bool {
        use inkwell::llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
        use inkwell::llvm_sys::core::LLVMGetTailCallKind;
        // SAFETY: the handle is a live call.
        self.0.opcode() == Some(LLVMOpcode::LLVMCall)
            && (unsafe { LLVMGetTailCallKind(self.0.raw()) }) == LLVMTailCallKindMustTail
    }

    /// Whether a call is marked as one that is not to be replaced by the function's body.
    pub(crate) fn is_never_inlined(self) -> bool {
        let whole = LLVMAttributeFunctionIndex;
        // SAFETY: the handle is a live call.
        !unsafe { LLVMGetCallSiteEnumAttribute(self.0.raw(), whole, attribute_kind("noinline")) }.is_null()
    }

    /// Returns the type attribute (`byval`, `elementtype`, …) of a call's argument.
    pub(crate) fn type_attribute(self, argument: u32, kind: u32) -> Option<Type> {
        // SAFETY: the handle is a live call.
        attribute_type(unsafe { LLVMGetCallSiteEnumAttribute(self.0.raw(), argument + 1, kind) })
    }
}

/// A function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function(pub(crate) Value);

impl Function {
    questions! {
        parameter_count() -> u32 = LLVMCountParams;
        intrinsic() -> u32 = LLVMGetIntrinsicID;
    }

    /// Returns a function's parameter.
    pub(crate) fn parameter(self, index: u32) -> Value {
        // SAFETY: the handle is a live function with more than `index` parameters.
        Value(unsafe { LLVMGetParam(self.0.raw(), index) })
    }

    /// Returns the function of an argument.
    pub(crate) fn of_argument(argument: Value) -> Self {
        // SAFETY: the handle is a live argument.
        Self(Value(unsafe { LLVMGetParamParent(argument.raw()) }))
    }

    /// Returns the type attribute of a function's parameter.
    pub(crate) fn parameter_type_attribute(self, parameter: u32, kind: u32) -> Option<Type> {
        // SAFETY: the handle is a live function.
        attribute_type(unsafe { LLVMGetEnumAttributeAtIndex(self.0.raw(), parameter + 1, kind) })
    }

    /// Returns the file name and folder of the function's debug information.
    pub(crate) fn subprogram_file(self) -> Option<(String, String)> {
        let (mut file_length, mut folder_length) = (0, 0);
        // SAFETY: the handle is a live function; LLVM writes the length.
        let file = unsafe { LLVMGetDebugLocFilename(self.0.raw(), &raw mut file_length) };
        // SAFETY: as above.
        let folder = unsafe { LLVMGetDebugLocDirectory(self.0.raw(), &raw mut folder_length) };
        (!file.is_null()).then(|| (text(file, file_length as usize), text(folder, folder_length as usize)))
    }

    /// Returns the line at which the function begins; 0 if that is not known.
    pub(crate) fn subprogram_line(self) -> u32 {
        use inkwell::llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
        // SAFETY: the handle is a live function.
        let subprogram = unsafe { LLVMGetSubprogram(self.0.raw()) };
        if subprogram.is_null() {
            return 0;
        }
        // SAFETY: the subprogram is live.
        unsafe { LLVMDISubprogramGetLine(subprogram) }
    }

    /// Returns the block with which a function begins, if it has a body.
    pub(crate) fn entry(self) -> Option<Block> {
        // SAFETY: the handle is a live function.
        let first = unsafe { LLVMGetFirstBasicBlock(self.0.raw()) };
        (!first.is_null()).then_some(Block(first))
    }

    /// Returns the blocks of a function, in order.
    pub(crate) fn blocks(self) -> Vec<Block> {
        std::iter::successors(self.entry(), |block| {
            // SAFETY: the block is live.
            let next = unsafe { LLVMGetNextBasicBlock(block.0) };
            (!next.is_null()).then_some(Block(next))
        })
        .collect()
    }

    /// Returns the instructions of a function, in order.
    pub(crate) fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }
}

/// A global variable or a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Global(pub(crate) Value);

impl Global {
    truths! {
        is_declaration = LLVMIsDeclaration;
        is_thread_local = LLVMIsThreadLocal;
        is_constant = LLVMIsGlobalConstant;
    }

    questions! {
        alignment() -> u32 = LLVMGetAlignment;
        linkage() -> LLVMLinkage = LLVMGetLinkage;
        set_linkage(linkage: LLVMLinkage) -> () = LLVMSetLinkage;
    }

    /// Returns the type of a global variable's value, or of a function.
    pub(crate) fn value_type(self) -> Type {
        // SAFETY: the handle is a live global value.
        Type(unsafe { LLVMGlobalGetValueType(self.0.raw()) })
    }

    /// Returns a global variable's initializer.
    pub(crate) fn initializer(self) -> Option<Value> {
        // SAFETY: the handle is a live global variable.
        Value::from_raw(unsafe { LLVMGetInitializer(self.0.raw()) })
    }

    /// Returns the section of a global, or "".
    pub(crate) fn section(self) -> String {
        // SAFETY: the handle is a live global.
        let start = unsafe { LLVMGetSection(self.0.raw()) };
        if start.is_null() {
            return String::new();
        }
        // SAFETY: LLVM ends the section's name with a zero.
        unsafe { CStr::from_ptr(start) }.to_string_lossy().into_owned()
    }
}

/// An instruction, and what some kinds of instructions can answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction(pub(crate) Value);

impl Instruction {
    truths! {
        is_single_thread = LLVMIsAtomicSingleThread;
        is_weak = LLVMGetWeak;
        is_volatile = LLVMGetVolatile;
    }

    questions! {
        ordering() -> LLVMAtomicOrdering = LLVMGetOrdering;
        success_ordering() -> LLVMAtomicOrdering = LLVMGetCmpXchgSuccessOrdering;
        failure_ordering() -> LLVMAtomicOrdering = LLVMGetCmpXchgFailureOrdering;
        rmw_operation() -> LLVMAtomicRMWBinOp = LLVMGetAtomicRMWBinOp;
        incoming_count() -> u32 = LLVMCountIncoming;
    }

    /// Sets whether a load or store is volatile.
    pub(crate) fn set_volatile(self, volatile: bool) {
        // SAFETY: the handle is a live load or store.
        unsafe { LLVMSetVolatile(self.0.raw(), i32::from(volatile)) }
    }

    /// Returns the incoming values of a phi.
    pub(crate) fn incoming(self) -> impl Iterator<Item = (Value, Block)> {
        (0..self.incoming_count()).map(move |index| {
            // SAFETY: the handle is a live phi with more than `index` entries.
            let value = unsafe { LLVMGetIncomingValue(self.0.raw(), index) };
            // SAFETY: as above.
            let block = unsafe { LLVMGetIncomingBlock(self.0.raw(), index) };
            (Value(value), Block(block))
        })
    }

    /// Returns how many indices an `extractvalue` or `insertvalue` has.
    pub(crate) fn index_count(self) -> u32 {
        // SAFETY: the handle is such an instruction.
        unsafe { LLVMGetNumIndices(self.0.raw()) }
    }

    /// Returns the first of these indices.
    pub(crate) fn first_index(self) -> u32 {
        // SAFETY: the handle is such an instruction.
        let indices = unsafe { LLVMGetIndices(self.0.raw()) };
        // SAFETY: it has at least one.
        unsafe { *indices }
    }

    /// Returns the type that an alloca makes room for.
    pub(crate) fn allocated_type(self) -> Type {
        // SAFETY: the handle is a live alloca.
        Type(unsafe { LLVMGetAllocatedType(self.0.raw()) })
    }

    /// Returns the type that a getelementptr's indices go through.
    pub(crate) fn source_element_type(self) -> Type {
        // SAFETY: the handle is a live getelementptr, instruction or constant.
        Type(unsafe { LLVMGetGEPSourceElementType(self.0.raw()) })
    }

    /// Whether the instruction carries metadata of a kind.
    pub(crate) fn has_metadata(self, kind: u32) -> bool {
        // SAFETY: the handle is a live instruction.
        !unsafe { LLVMGetMetadata(self.0.raw(), kind) }.is_null()
    }

    /// Sets metadata of a kind, or removes it.
    pub(crate) fn set_metadata(self, kind: u32, node: Option<LLVMValueRef>) {
        // SAFETY: the handle is a live instruction, the node (if any) a metadata node of its context.
        unsafe { LLVMSetMetadata(self.0.raw(), kind, node.unwrap_or(std::ptr::null_mut())) }
    }
}

/// A constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant(pub(crate) Value);

impl Constant {
    truths! {
        is_null = LLVMIsNull;
    }

    questions! {
        unsigned() -> u64 = LLVMConstIntGetZExtValue;
        signed() -> i64 = LLVMConstIntGetSExtValue;
    }

    /// Returns the text of a constant array of characters.
    pub(crate) fn text(self) -> Option<String> {
        use inkwell::llvm_sys::core::{LLVMGetAsString, LLVMIsAConstantDataArray, LLVMIsConstantString};
        // SAFETY: the handle is a live value.
        if unsafe { LLVMIsAConstantDataArray(self.0.raw()) }.is_null() {
            return None;
        }
        // SAFETY: it is a constant array.
        if unsafe { LLVMIsConstantString(self.0.raw()) } == 0 {
            return None;
        }
        let mut length = 0;
        // SAFETY: it is a constant string; the length is written through the pointer.
        let text = unsafe { LLVMGetAsString(self.0.raw(), &raw mut length) };
        // SAFETY: LLVM gives so many bytes, which live as long as the constant.
        let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Inline assembly, as what a call calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InlineAssembly(pub(crate) Value);

impl InlineAssembly {
    /// Returns the text of inline assembly.
    pub(crate) fn text(self) -> String {
        let mut length = 0;
        // SAFETY: the handle is live inline assembly; LLVM writes the length.
        let start = unsafe { LLVMGetInlineAsmAsmString(self.0.raw(), &raw mut length) };
        text(start, length)
    }

    /// Returns the constraints of inline assembly.
    pub(crate) fn constraints(self) -> String {
        let mut length = 0;
        // SAFETY: the handle is live inline assembly; LLVM writes the length.
        let start = unsafe { LLVMGetInlineAsmConstraintString(self.0.raw(), &raw mut length) };
        text(start, length)
    }
}

/// Returns the type that a type attribute carries.
fn attribute_type(attribute: LLVMAttributeRef) -> Option<Type> {
    if attribute.is_null() {
        return None;
    }
    // SAFETY: the attribute is live and of a kind with a type.
    Some(Type(unsafe { LLVMGetTypeAttributeValue(attribute) }))
}
