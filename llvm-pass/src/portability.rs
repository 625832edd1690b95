//! The machines that a module is written for, as shown by what keeps its accesses in order: inline assembly of x86 and barriers
//! for the compiler alone, which mean nothing elsewhere, or orders of C11, which compilers for all machines obey. Assembly of
//! another machine shows that x86 is not meant.

use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMOpcode};

use crate::assembly::is_foreign;
use crate::calls::{Callee, callee, fence_intrinsic};
use crate::ir::{Call, Class, Function, InlineAssembly, Instruction, Value, definitions};
use crate::names::Names;

/// The kinds of what keeps the accesses of a module in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Fences {
    /// Whether there is assembly that the compiler moves no access across, a fence of x86, or a barrier for the compiler alone.
    pub(crate) has_native: bool,
    /// Whether there are fences and orders of C11, or what older compilers have for them, or assembly of other machines.
    pub(crate) has_portable: bool,
}

impl Fences {
    /// Returns the kinds in a module that is not instrumented yet.
    pub(crate) fn of(module: LLVMModuleRef, names: &Names) -> Self {
        let mut fences = Self::default();
        for instruction in definitions(module).into_iter().flat_map(|function| Function(function).instructions()) {
            fences.see(instruction, names);
        }
        fences
    }

    fn see(&mut self, instruction: Value, names: &Names) {
        let view = Instruction(instruction);
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore | LLVMOpcode::LLVMAtomicRMW) => {
                self.has_portable |= is_order(view.ordering());
            }
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => self.has_portable |= is_order(view.success_ordering()),
            Some(LLVMOpcode::LLVMFence) if view.is_single_thread() => self.has_native = true,
            Some(LLVMOpcode::LLVMFence) => self.has_portable = true,
            _ if instruction.is_call() => self.call(instruction, names),
            _ => {}
        }
    }

    fn call(&mut self, call: Value, names: &Names) {
        let called = Call(call).callee();
        if called.is(Class::InlineAssembly) {
            let assembly = InlineAssembly(called);
            if is_foreign(&assembly.text(), &names.templates) {
                self.has_portable = true;
            } else {
                self.has_native |= assembly.constraints().contains("~{memory}");
            }
            return;
        }
        match callee(call, names) {
            Callee::AtomicLibrary(_) => self.has_portable = true,
            Callee::Intrinsic(name) => self.has_native |= fence_intrinsic(&name).is_some(),
            _ => {}
        }
    }
}

/// Whether an access with this ordering is ordered with others.
const fn is_order(ordering: LLVMAtomicOrdering) -> bool {
    matches!(
        ordering,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire
            | LLVMAtomicOrdering::LLVMAtomicOrderingRelease
            | LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease
            | LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent
    )
}
