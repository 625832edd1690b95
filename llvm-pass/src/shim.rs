//! The functions of shim.cpp, which reach what LLVM's C interface does not.

use std::collections::HashSet;
use std::ffi::{CStr, c_char};

use inkwell::llvm_sys::prelude::{LLVMMetadataRef, LLVMModuleRef, LLVMValueRef};

use crate::failure::{Failure, Result};
use crate::ir::{self, Location, Value, c_text};

/// The answer to what clang asks a plugin: LLVM's `PassPluginLibraryInfo`.
#[repr(C)]
pub struct PluginInfo {
    version: u32,
    name: *const c_char,
    plugin_version: *const c_char,
    register: Option<extern "C" fn(*mut std::ffi::c_void)>,
}

unsafe extern "C" {
    fn fencehound_plugin_info() -> PluginInfo;
    fn fencehound_fatal(message: *const c_char);
    fn fencehound_delete_body(function: LLVMValueRef);
    fn fencehound_split(condition: LLVMValueRef, before: LLVMValueRef) -> LLVMValueRef;
    fn fencehound_expand_constants(global: LLVMValueRef);
    fn fencehound_keep(module: LLVMModuleRef, globals: *const LLVMValueRef, count: usize);
    fn fencehound_pad(variable: LLVMValueRef, bytes: u32) -> LLVMValueRef;
    fn fencehound_can_inline(function: LLVMValueRef) -> bool;
    fn fencehound_inline(call: LLVMValueRef) -> bool;
    fn fencehound_mark_moved(function: LLVMValueRef, list: u32);
    fn fencehound_function_name(location: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    fn fencehound_moved(module: LLVMModuleRef, list: u32, number: u32) -> LLVMMetadataRef;
    fn fencehound_subprogram(location: LLVMMetadataRef) -> LLVMMetadataRef;
    fn fencehound_template_file() -> *const c_char;
    fn fencehound_wants_labels() -> bool;
    fn fencehound_wants_unwritten() -> bool;
}

/// Returns the name and the callbacks of the plugin.
pub(crate) fn plugin_info() -> PluginInfo {
    // SAFETY: the function has no conditions.
    unsafe { fencehound_plugin_info() }
}

/// Ends the compilation.
pub(crate) fn fatal(message: &str) -> ! {
    let message = c_text(message);
    // SAFETY: the message ends with a zero.
    unsafe { fencehound_fatal(message.as_ptr()) };
    std::process::exit(1)
}

/// Returns the file of templates of inline assembly that the user names, or "".
pub(crate) fn template_file() -> String {
    // SAFETY: the function has no conditions.
    let name = unsafe { fencehound_template_file() };
    // SAFETY: the name ends with a zero, and lives as long as the plugin.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// Whether values are to have labels of the loads that they depend on.
pub(crate) fn wants_labels() -> bool {
    // SAFETY: the function has no conditions.
    unsafe { fencehound_wants_labels() }
}

/// Whether values that were never written are to be followed.
pub(crate) fn wants_unwritten() -> bool {
    // SAFETY: the function has no conditions.
    unsafe { fencehound_wants_unwritten() }
}

/// Turns a definition into a declaration.
pub(crate) fn delete_body(function: Value) {
    // SAFETY: the handle is a live function.
    unsafe { fencehound_delete_body(function.raw()) }
}

/// Whether the body of a function may stand in the place of its calls.
pub(crate) fn can_inline(function: Value) -> bool {
    // SAFETY: the handle is a live function with a body.
    unsafe { fencehound_can_inline(function.raw()) }
}

/// Puts the body of the called function in the place of the call, which is gone then; returns false if that cannot be done.
pub(crate) fn inline(call: Value) -> bool {
    // SAFETY: the handle is a live call of a function with a body.
    unsafe { fencehound_inline(call.raw()) }
}

/// The reasons for which the bodies of functions are put in the place of calls; the numbers are those of the lists in shim.cpp.
#[derive(Clone, Copy)]
pub(crate) enum Moved {
    /// The function is a wrapper.
    Wrapper = 0,
    /// The function hands results to local variables of its callers.
    Results = 1,
}

/// Notes why a function is moved, to be recognised when its body stands elsewhere.
pub(crate) fn mark_moved(function: Value, why: Moved) {
    // SAFETY: the handle is a live function.
    unsafe { fencehound_mark_moved(function.raw(), why as u32) }
}

/// Returns the name in the source of the function that a place is in.
pub(crate) fn function_name(location: Location) -> String {
    let mut length = 0;
    // SAFETY: the handle is a live place; the function writes the length.
    let start = unsafe { fencehound_function_name(location.raw(), &raw mut length) };
    ir::text(start, length)
}

/// A function of the source, as the debug information has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Subprogram(LLVMMetadataRef);

/// Returns the functions that were moved for this reason.
pub(crate) fn moved(module: LLVMModuleRef, why: Moved) -> HashSet<Subprogram> {
    let subprogram = |number| {
        // SAFETY: the module is live.
        let moved = unsafe { fencehound_moved(module, why as u32, number) };
        (!moved.is_null()).then_some(Subprogram(moved))
    };
    (0..).map_while(subprogram).collect()
}

/// Returns the function of the source that a place is in.
pub(crate) fn subprogram(location: Location) -> Subprogram {
    // SAFETY: the place is live.
    Subprogram(unsafe { fencehound_subprogram(location.raw()) })
}

/// Builds an empty `if (condition) {}` before an instruction, and returns its end, before which to build.
pub(crate) fn split(condition: Value, before: Value) -> Result<Value> {
    // SAFETY: the condition is a live i1, which dominates the live instruction.
    let end = unsafe { fencehound_split(condition.raw(), before.raw()) };
    Value::from_raw(end).ok_or_else(|| Failure::new("a block could not be split"))
}

/// Turns the constant expressions over a global that functions use into instructions.
pub(crate) fn expand_constants(global: Value) {
    // SAFETY: the handle is a live global variable.
    unsafe { fencehound_expand_constants(global.raw()) }
}

/// Keeps globals that nothing in their module names. Each call takes as long as there are globals that are kept already.
pub(crate) fn keep(module: LLVMModuleRef, globals: &[Value]) {
    let globals: Vec<LLVMValueRef> = globals.iter().map(|global| global.raw()).collect();
    // SAFETY: module and globals are live; pointer and length are of one list.
    unsafe { fencehound_keep(module, globals.as_ptr(), globals.len()) }
}

/// Puts this many bytes that belong to nothing behind a variable, and returns the variable that takes its place.
pub(crate) fn pad(variable: Value, bytes: u32) -> Result<Value> {
    // SAFETY: the handle is a live global variable with an initializer; it is not used any more.
    let padded = unsafe { fencehound_pad(variable.raw(), bytes) };
    Value::from_raw(padded).ok_or_else(|| Failure::new("a variable could not be padded"))
}
