//! The types of a module's variables, as the debug information has them (types.cpp). All answers are empty where a file was
//! compiled with line tables alone.

use std::ffi::{c_char, c_void};

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

use crate::ir::{self, Global, Layout, Type, Value};

unsafe extern "C" {
    fn fencehound_types(module: LLVMModuleRef) -> *mut c_void;
    fn fencehound_free_types(types: *mut c_void);
    fn fencehound_struct_members(
        types: *mut c_void,
        name: *const c_char,
        length: usize,
        found: *mut usize,
    ) -> *const c_char;
    fn fencehound_variable_members(types: *mut c_void, variable: LLVMValueRef, found: *mut usize) -> *const c_char;
    fn fencehound_local_members(types: *mut c_void, room: LLVMValueRef, found: *mut usize) -> *const c_char;
    fn fencehound_local_name(types: *mut c_void, room: LLVMValueRef, found: *mut usize) -> *const c_char;
    fn fencehound_pointer_name(types: *mut c_void, pointer: LLVMValueRef, found: *mut usize) -> *const c_char;
}

/// A question about a value.
type Question = unsafe extern "C" fn(*mut c_void, LLVMValueRef, *mut usize) -> *const c_char;

/// The types of a module. Members are text, as `hook_abi::members` has them.
pub(crate) struct Types(*mut c_void);

impl Types {
    /// Reads the types of a module.
    pub(crate) fn of(module: LLVMModuleRef) -> Self {
        // SAFETY: the module is live.
        Self(unsafe { fencehound_types(module) })
    }

    /// Returns the members of the struct or union that LLVM calls by this name.
    pub(crate) fn of_struct(&self, name: &str) -> String {
        let mut length = 0;
        // SAFETY: ours until it is freed; the name is as long as is said; the function writes the length.
        let start = unsafe { fencehound_struct_members(self.0, name.as_ptr().cast(), name.len(), &raw mut length) };
        ir::text(start, length)
    }

    /// Returns the members of a variable with static storage, or at least the elements if it is an array of numbers or pointers.
    pub(crate) fn of_variable(&self, variable: Value, layout: Layout) -> String {
        let known = self.ask(fencehound_variable_members, variable);
        let kind = Global(variable).value_type();
        if known.is_empty() && kind.kind() == LLVMTypeKind::LLVMArrayTypeKind {
            return elements(kind, layout).unwrap_or_default();
        }
        known
    }

    /// Returns the members of a local variable for which an alloca makes room.
    pub(crate) fn of_local(&self, room: Value) -> String {
        self.ask(fencehound_local_members, room)
    }

    /// Returns the name of a local variable for which an alloca makes room.
    pub(crate) fn local_name(&self, room: Value) -> String {
        self.ask(fencehound_local_name, room)
    }

    /// Returns the name of a pointer of the source that has this value.
    pub(crate) fn pointer_name(&self, pointer: Value) -> String {
        self.ask(fencehound_pointer_name, pointer)
    }

    fn ask(&self, question: Question, value: Value) -> String {
        let mut length = 0;
        // SAFETY: ours until it is freed; the value is live, and of the kind that the caller's name says; the function
        // writes the length.
        let start = unsafe { question(self.0, value.raw(), &raw mut length) };
        ir::text(start, length)
    }
}

/// Returns the members of an array of numbers or pointers, going by LLVM's type.
fn elements(kind: Type, layout: Layout) -> Option<String> {
    match kind.kind() {
        LLVMTypeKind::LLVMArrayTypeKind => {
            let element = kind.element();
            let (count, distance) = (kind.array_length(), layout.allocated_size(element));
            Some(format!("[{count}*{distance} {}]", elements(element, layout)?))
        }
        LLVMTypeKind::LLVMStructTypeKind => None,
        _ => Some(format!("n{}", layout.allocated_size(kind))),
    }
}

impl Drop for Types {
    fn drop(&mut self) {
        // SAFETY: made by the function above, and not used any more.
        unsafe { fencehound_free_types(self.0) }
    }
}
