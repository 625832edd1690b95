//! Places in the source, from the debug information.

use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt,
    LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile,
};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;

use super::text::text;

/// A place in the source, with the calls through which an inlined instruction got where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location(pub(super) LLVMMetadataRef);

impl Location {
    /// Returns LLVM's own handle.
    pub(crate) fn raw(self) -> LLVMMetadataRef {
        self.0
    }

    /// Returns the line, from 1; 0 if unknown.
    pub(crate) fn line(self) -> u32 {
        // SAFETY: the place is live.
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    /// Returns the column, from 1; 0 if unknown.
    pub(crate) fn column(self) -> u32 {
        // SAFETY: the place is live.
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    /// Returns the file name and folder.
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

    /// Returns the call in whose place the function's body was put, if the place is in an inlined function.
    pub(crate) fn call(self) -> Option<Self> {
        // SAFETY: the place is live.
        let call = unsafe { LLVMDILocationGetInlinedAt(self.0) };
        (!call.is_null()).then_some(Self(call))
    }
}
