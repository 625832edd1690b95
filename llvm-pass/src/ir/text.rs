//! Text that comes from LLVM or goes there, and the numbers that LLVM gives to names.

use std::ffi::{CString, c_char};

use inkwell::llvm_sys::core::{LLVMGetEnumAttributeKindForName, LLVMGetMDKindID};

/// Returns the number of the kind of attribute with this name.
pub(crate) fn attribute_kind(name: &str) -> u32 {
    // SAFETY: pointer and length are of one string.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Returns the number of the kind of metadata with this name, which must be one that LLVM knows by itself.
pub(crate) fn metadata_kind(name: &str) -> u32 {
    let length = u32::try_from(name.len()).unwrap_or(0);
    // SAFETY: pointer and length are of one string.
    unsafe { LLVMGetMDKindID(name.as_ptr().cast(), length) }
}

/// Copies a string that LLVM owns.
pub(crate) fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: LLVM handed over a string of this length, alive until the next change of the module.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns text that ends with a zero, for LLVM; what follows a zero inside is lost.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}
