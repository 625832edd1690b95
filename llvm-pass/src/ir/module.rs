//! The contents of a module, and what is known of its compilation.

use inkwell::llvm_sys::core::{
    LLVMAddFunction, LLVMGetFirstFunction, LLVMGetFirstGlobal, LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands,
    LLVMGetNamedFunction, LLVMGetNamedMetadataNumOperands, LLVMGetNamedMetadataOperands, LLVMGetNextFunction,
    LLVMGetNextGlobal, LLVMGetSourceFileName, LLVMValueAsMetadata,
};
use inkwell::llvm_sys::debuginfo::LLVMDIFileGetDirectory;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use super::handles::{Type, Value};
use super::text::{c_text, text};
use super::views::Global;

/// Returns the function with this name; a missing one is declared.
pub(crate) fn declare(module: LLVMModuleRef, name: &str, kind: Type) -> Value {
    let name = c_text(name);
    // SAFETY: the module is live, the name ends with a zero.
    let known = Value::from_raw(unsafe { LLVMGetNamedFunction(module, name.as_ptr()) });
    known.unwrap_or_else(|| {
        // SAFETY: as above; the type is a live function type.
        Value(unsafe { LLVMAddFunction(module, name.as_ptr(), kind.0) })
    })
}

/// Returns the functions of a module, in order.
pub(crate) fn functions(module: LLVMModuleRef) -> Vec<Value> {
    // SAFETY: the module is live.
    let first = Value::from_raw(unsafe { LLVMGetFirstFunction(module) });
    std::iter::successors(first, |function| {
        // SAFETY: the function is live.
        Value::from_raw(unsafe { LLVMGetNextFunction(function.0) })
    })
    .collect()
}

/// Returns the functions of a module that have a body, in order.
pub(crate) fn definitions(module: LLVMModuleRef) -> Vec<Value> {
    functions(module).into_iter().filter(|function| !Global(*function).is_declaration()).collect()
}

/// Returns the global variables of a module, in order.
pub(crate) fn globals(module: LLVMModuleRef) -> Vec<Value> {
    // SAFETY: the module is live.
    let first = Value::from_raw(unsafe { LLVMGetFirstGlobal(module) });
    std::iter::successors(first, |global| {
        // SAFETY: the global is live.
        Value::from_raw(unsafe { LLVMGetNextGlobal(global.0) })
    })
    .collect()
}

/// Returns the name of a module's main file, as the compiler was given it.
pub(crate) fn source_file(module: LLVMModuleRef) -> String {
    let mut length = 0;
    // SAFETY: the module is live; LLVM writes the length.
    let start = unsafe { LLVMGetSourceFileName(module, &raw mut length) };
    text(start, length)
}

/// Returns the folder that the compilation ran in, from the debug information.
pub(crate) fn compilation_folder(module: LLVMModuleRef) -> Option<String> {
    let name = c"llvm.dbg.cu".as_ptr();
    // SAFETY: the module is live, the name ends with a zero.
    let count = unsafe { LLVMGetNamedMetadataNumOperands(module, name) };
    let mut units = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for as many operands as LLVM said.
    unsafe { LLVMGetNamedMetadataOperands(module, name, units.as_mut_ptr()) };
    let unit = Value::from_raw(*units.first()?)?;
    let file = metadata_operands(unit).first().copied().flatten()?;
    // SAFETY: the first operand of a compile unit is its file.
    let file = unsafe { LLVMValueAsMetadata(file.0) };
    let mut length = 0;
    // SAFETY: the file is a live DIFile; LLVM writes the length.
    let start = unsafe { LLVMDIFileGetDirectory(file, &raw mut length) };
    Some(text(start, length as usize))
}

/// Returns the operands of a metadata node.
fn metadata_operands(node: Value) -> Vec<Option<Value>> {
    // SAFETY: the handle is a live metadata node.
    let count = unsafe { LLVMGetMDNodeNumOperands(node.raw()) };
    let mut operands = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for as many operands as LLVM said.
    unsafe { LLVMGetMDNodeOperands(node.raw(), operands.as_mut_ptr()) };
    operands.into_iter().map(Value::from_raw).collect()
}
