//! The preparation of a module for SROA, which is undone after it.
//!
//! SROA turns local variables into values, at each optimisation level alike. It must not touch shared memory: it
//! would split or drop copies of structs of which not all parts are used, and load from both sides of a
//! `select`. So all loads and stores that are not of local variables are made volatile before it runs, and such
//! copies become calls of a function that SROA does not know, which keeps the variables they use whole. What accesses a
//! local variable only after SROA has turned another one into a value (`int *p = &local; *p = 1;`) is freed in the
//! next round, until there is nothing more to free.

use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
use inkwell::llvm_sys::core::LLVMDeleteFunction;
use inkwell::llvm_sys::core::{LLVMGetMDKindIDInContext, LLVMGetModuleContext, LLVMMDNodeInContext2};
use inkwell::llvm_sys::core::{LLVMMetadataAsValue, LLVMRemoveEnumAttributeAtIndex};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode};

use crate::calls::{Callee, callee};
use crate::ir::{
    self, Call, Class, Function, Global, Instruction, Layout, Value, attribute_kind, definitions, functions,
};
use crate::names::Names;
use crate::objects::{Object, Objects};
use crate::shim;

/// The beginning of the names of the functions that SROA does not know.
const HIDDEN: &str = "fencehound.hidden.";

/// Prepares the module for another run of SROA; returns false if nothing would be gained by one.
pub(crate) fn prepare(module: LLVMModuleRef, names: &Names, first: bool) -> bool {
    if first {
        settle_inline_bodies(module, names);
        definitions(module).into_iter().for_each(allow_optimisation);
    }
    let preparation = Preparation::new(module, names);
    let mut freed = false;
    for instruction in definitions(module).into_iter().flat_map(|function| Function(function).instructions()) {
        if first {
            preparation.fix(instruction);
        } else {
            freed |= preparation.free(instruction, false);
        }
    }
    first || freed
}

/// Undoes what is left of the preparation.
pub(crate) fn finish(module: LLVMModuleRef, names: &Names) {
    let preparation = Preparation::new(module, names);
    for instruction in definitions(module).into_iter().flat_map(|function| Function(function).instructions()) {
        if is_lifetime_marker(instruction) {
            instruction.erase();
        } else {
            preparation.free(instruction, true);
        }
    }
    for function in functions(module).into_iter().filter(|function| function.name().starts_with(HIDDEN)) {
        // SAFETY: the function is live and used no more.
        unsafe { LLVMDeleteFunction(function.raw()) }
    }
}

/// Whether an instruction marks the beginning or the end of a local variable's life. Such markers exist from -O1 on
/// only; without them all levels are alike, and what the hooks of loops compare is always there.
fn is_lifetime_marker(instruction: Value) -> bool {
    instruction.is_call()
        && Call(instruction).callee().is(Class::Function)
        && Function(Call(instruction).callee()).intrinsic() != 0
        && Call(instruction).callee().name().starts_with("llvm.lifetime.")
}

/// Drops the bodies that headers of the C library give to functions from -O1 on (`extern inline`) if they are known
/// by name. Other bodies that stand for a function elsewhere become the module's own: an optimiser that does not
/// inline them would call the other function, unseen.
fn settle_inline_bodies(module: LLVMModuleRef, names: &Names) {
    for function in functions(module) {
        let name = function.name();
        if Global(function).is_declaration()
            || Global(function).linkage() != LLVMLinkage::LLVMAvailableExternallyLinkage
        {
            continue;
        }
        if names.is_harmless(&name) || names.is_modelled(&name) {
            shim::delete_body(function);
        } else {
            Global(function).set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
}

/// Removes what -O0 puts on each function to keep passes away.
fn allow_optimisation(function: Value) {
    for name in ["optnone", "noinline"] {
        if name == "optnone" && !has_attribute(function, name) {
            return;
        }
        // SAFETY: the function is live; removing what is not there does nothing.
        unsafe {
            LLVMRemoveEnumAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, attribute_kind(name));
        }
    }
}

/// Whether a function has an attribute without a value.
pub(crate) fn has_attribute(function: Value, name: &str) -> bool {
    use inkwell::llvm_sys::core::LLVMGetEnumAttributeAtIndex;
    // SAFETY: the function is live.
    !unsafe { LLVMGetEnumAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, attribute_kind(name)) }.is_null()
}

/// The preparation, which fixes accesses before SROA and frees them after it.
struct Preparation<'a> {
    module: LLVMModuleRef,
    names: &'a Names,
    objects: Objects<'a>,
    context: LLVMContextRef,
    /// The metadata of accesses that are not really volatile.
    mark: u32,
}

impl<'a> Preparation<'a> {
    fn new(module: LLVMModuleRef, names: &'a Names) -> Self {
        // SAFETY: the module is live.
        let context = unsafe { LLVMGetModuleContext(module) };
        Self { module, names, objects: Objects::new(names, Layout::of(module)), context, mark: plain_mark(module) }
    }

    /// Keeps SROA from an access, if it is not of local variables alone.
    fn fix(&self, instruction: Value) {
        if self.is_local(instruction) {
            return;
        }
        if instruction.is_call() {
            self.hide(instruction);
        } else if !Instruction(instruction).is_volatile()
            && Instruction(instruction).ordering() == LLVMAtomicOrderingNotAtomic
        {
            Instruction(instruction).set_volatile(true);
            // SAFETY: the context is live; the node has no operands.
            let node = unsafe { LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0) };
            // SAFETY: context and node are live.
            let node = unsafe { LLVMMetadataAsValue(self.context, node) };
            Instruction(instruction).set_metadata(self.mark, Some(node));
        }
    }

    /// Lets SROA have an access, if it is of local variables by now or `always`.
    fn free(&self, instruction: Value, always: bool) -> bool {
        let hidden = hidden_name(instruction);
        let fixed = hidden.is_some() || Instruction(instruction).has_metadata(self.mark);
        let freed = fixed && (always || self.is_local(instruction));
        if freed && let Some(name) = hidden {
            self.set_callee(instruction, &name);
        } else if freed {
            Instruction(instruction).set_metadata(self.mark, None);
            Instruction(instruction).set_volatile(false);
        }
        freed
    }

    /// Makes a copying or filling intrinsic a call of an unknown function of the same type.
    fn hide(&self, call: Value) {
        if Function(Call(call).callee()).intrinsic() != 0 {
            let name = format!("{HIDDEN}{}", Call(call).callee().name());
            self.set_callee(call, &name);
        }
    }

    /// Makes a call one of another function of the same type.
    fn set_callee(&self, call: Value, name: &str) {
        let callee = ir::declare(self.module, name, Global(Call(call).callee()).value_type());
        call.set_operand(call.operand_count() - 1, callee);
    }

    /// Whether an instruction accesses local variables (and constants) alone.
    fn is_local(&self, instruction: Value) -> bool {
        let pointers: &[u32] = match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => &[0],
            Some(LLVMOpcode::LLVMStore) => &[1],
            _ if !instruction.is_call() => return true,
            _ => match (hidden_name(instruction), callee(instruction, self.names)) {
                (Some(name), _) if name.starts_with("llvm.memset.") => &[0],
                (Some(_), _) | (None, Callee::Memory(true)) => &[0, 1],
                (None, Callee::Memory(false)) => &[0],
                (None, _) => return true,
            },
        };
        pointers.iter().all(|&position| {
            self.objects.all(instruction.operand(position), |object| match object {
                Object::Local(value) => value.is(Class::Alloca),
                Object::Constant => true,
                _ => false,
            })
        })
    }
}

/// Returns the kind of the metadata of accesses that are not really volatile.
pub(crate) fn plain_mark(module: LLVMModuleRef) -> u32 {
    const MARK: &str = "fencehound.plain";
    // SAFETY: the module is live.
    let context = unsafe { LLVMGetModuleContext(module) };
    let length = u32::try_from(MARK.len()).unwrap_or(0);
    // SAFETY: the context is live, pointer and length are of one string.
    unsafe { LLVMGetMDKindIDInContext(context, MARK.as_ptr().cast(), length) }
}

/// Returns the name of the intrinsic that a call was before it was hidden.
pub(crate) fn hidden_name(instruction: Value) -> Option<String> {
    let callee =
        instruction.is_call().then(|| Call(instruction).callee()).filter(|callee| callee.is(Class::Function))?;
    callee.name().strip_prefix(HIDDEN).map(str::to_owned)
}
