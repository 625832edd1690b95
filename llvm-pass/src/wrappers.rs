//! Wrappers: the small functions through which libraries reach memory (`ck_pr_load_int`, `vatomic32_read`,
//! `smp_store_release`). Their bodies are put in the place of their calls before anything is instrumented, so that the
//! place of an access says who called.
//!
//! This happens to functions with `always_inline`, and to static ones that do one thing to the memory behind their
//! parameters: the same ones at each optimisation level, where clang tells of `inline` from -O1 on alone. It also happens to
//! static functions that are no wrappers but hand results to local variables of their callers in loops ([`Results`]); their places stay their own. A
//! function stays where it is if it has a variable that must be in memory (its life ends when the function returns), is a
//! transaction or an atomic block as a whole, calls itself, or says `noinline` (which clang says of all at -O0, so that
//! it counts from -O1 on).

use std::collections::HashSet;

use inkwell::llvm_sys::core::LLVMDeleteFunction;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode};

use crate::assembly::Assembly;
use crate::brackets::{Bracket, annotated};
use crate::calls::{Callee, callee, fence_intrinsic, is_quiet_intrinsic};
use crate::ir::{Call, Class, Function, Global, Instruction, Layout, Value, attribute_kind, definitions};
use crate::names::Names;
use crate::prepare::{has_attribute, hidden_name, plain_mark};
use crate::results::{Results, parameters};
use crate::shim::{self, Moved};

/// The most plain accesses that a wrapper may have besides the one that matters: for what was expected, or what is returned.
const BESIDE: usize = 4;

/// Puts the bodies of the wrappers that call no other one in the place of their calls; returns false if there was none.
pub(crate) fn inline(module: LLVMModuleRef, names: &Names) -> bool {
    let atomic = annotated(module);
    let results = Results::new(names, Layout::of(module));
    let reader = Reader { names, plain: plain_mark(module), results };
    let is_movable = |&function: &Value| {
        let stays = Bracket::of(function, &atomic, names).is_some() || function.name() == "main";
        !stays && reader.is_movable(function)
    };
    let movable: Vec<Value> = definitions(module).into_iter().filter(is_movable).collect();
    let set: HashSet<Value> = movable.iter().copied().collect();
    let mut found = false;
    for &function in &movable {
        let calls_another = calls(function).any(|call| set.contains(&Call(call).callee()));
        let callers = calls_of(function);
        if calls_another || callers.is_empty() {
            continue;
        }
        if reader.is_wrapper(function) {
            shim::mark_moved(function, Moved::Wrapper);
        } else if !has_attribute(function, "alwaysinline") {
            shim::mark_moved(function, Moved::Results);
        }
        for call in callers {
            found |= shim::inline(call);
        }
        if is_static(function) && function.users().is_empty() {
            // SAFETY: the function is live and used no more.
            unsafe { LLVMDeleteFunction(function.raw()) }
        }
    }
    found
}

/// Returns the calls in a function.
fn calls(function: Value) -> impl Iterator<Item = Value> {
    Function(function).instructions().into_iter().filter(|one| one.is_call())
}

/// Returns the calls of a function that may be replaced, each once: a call may use the function as an argument, too.
fn calls_of(function: Value) -> Vec<Value> {
    let mut seen = HashSet::new();
    function.users().into_iter().filter(|&user| is_call_of(user, function) && seen.insert(user)).collect()
}

/// Whether a user of a function is a call of it, by its own type, that may be replaced.
fn is_call_of(user: Value, function: Value) -> bool {
    user.is_call()
        && Call(user).callee() == function
        && Call(user).called_type() == Global(function).value_type()
        && !Call(user).is_never_inlined()
        && user.function() != function
}

fn is_static(function: Value) -> bool {
    matches!(Global(function).linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
}

/// The number of accesses of each kind that a function makes.
#[derive(Default)]
struct Doings {
    /// The number of atomic and volatile accesses, assembly, and operations on objects of pthreads.
    special: usize,
    plain: usize,
    /// The number of fences, those for the compiler alone included.
    fences: usize,
}

/// The recogniser of wrappers.
struct Reader<'a> {
    names: &'a Names,
    /// The kind of metadata of accesses that are volatile for the time of SROA alone.
    plain: u32,
    results: Results<'a>,
}

impl Reader<'_> {
    /// Whether the function's body may and should stand in the place of its calls.
    fn is_movable(&self, function: Value) -> bool {
        let byval = attribute_kind("byval");
        let copies = || {
            (0..Function(function).parameter_count())
                .any(|one| Function(function).parameter_type_attribute(one, byval).is_some())
        };
        let asked = has_attribute(function, "alwaysinline");
        let may = || is_static(function) && !has_attribute(function, "noinline");
        let should = || self.is_wrapper(function) || self.results.are_handed_in_loops(function, &calls_of(function));
        (asked || (may() && should()))
            && !Function(function).instructions().into_iter().any(|value: Value| value.is(Class::Alloca))
            && !copies()
            && shim::can_inline(function)
    }

    /// Whether a function does one thing to the memory behind its parameters, or is a fence.
    fn is_wrapper(&self, function: Value) -> bool {
        let mut doings = Doings::default();
        let understood = Function(function).instructions().into_iter().all(|one| self.add(one, &mut doings).is_some());
        let access = match doings.special {
            0 => doings.plain == 1 || doings.plain == 0 && doings.fences > 0,
            1 => doings.plain <= BESIDE,
            _ => false,
        };
        understood && access
    }

    /// Adds what an instruction does; returns none if that is more than a wrapper does.
    fn add(&self, instruction: Value, doings: &mut Doings) -> Option<()> {
        let (pointer, kind) = match instruction.opcode()? {
            LLVMOpcode::LLVMLoad => (instruction.operand(0), self.kind(instruction, doings)),
            LLVMOpcode::LLVMStore => (instruction.operand(1), self.kind(instruction, doings)),
            LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => (instruction.operand(0), &mut doings.special),
            LLVMOpcode::LLVMFence => {
                doings.fences += 1;
                return Some(());
            }
            LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr | LLVMOpcode::LLVMVAArg => return None,
            LLVMOpcode::LLVMCall => return self.add_call(instruction, doings),
            _ => return Some(()),
        };
        *kind += 1;
        comes_from_parameters(pointer).then_some(())
    }

    /// Returns the count that a load or store belongs to, by its kind of access.
    fn kind<'d>(&self, access: Value, doings: &'d mut Doings) -> &'d mut usize {
        use inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        let is_volatile = Instruction(access).is_volatile() && !Instruction(access).has_metadata(self.plain);
        if is_volatile || Instruction(access).ordering() != LLVMAtomicOrderingNotAtomic {
            &mut doings.special
        } else {
            &mut doings.plain
        }
    }

    fn add_call(&self, call: Value, doings: &mut Doings) -> Option<()> {
        let pointers: Vec<Value> = Call(call)
            .arguments()
            .map(|(_, argument)| argument)
            .filter(|argument| argument.kind().is_pointer())
            .collect();
        let are_parameters = || !pointers.is_empty() && pointers.iter().all(|pointer| comes_from_parameters(*pointer));
        if hidden_name(call).is_some() {
            doings.plain += 1;
            return are_parameters().then_some(());
        }
        match callee(call, self.names) {
            Callee::Assembly(Assembly::Nothing) => {
                doings.fences += 1;
                Some(())
            }
            Callee::Assembly(Assembly::Program(_)) if pointers.is_empty() => {
                doings.fences += 1;
                Some(())
            }
            Callee::Assembly(Assembly::Program(_)) | Callee::Modelled(_) => {
                doings.special += 1;
                are_parameters().then_some(())
            }
            Callee::Memory(_) => {
                doings.plain += 1;
                are_parameters().then_some(())
            }
            Callee::Intrinsic(name) if fence_intrinsic(&name).is_some() => {
                doings.fences += 1;
                Some(())
            }
            Callee::Intrinsic(name) => (is_quiet_intrinsic(&name) || pointers.is_empty()).then_some(()),
            _ => None,
        }
    }
}

/// Whether a pointer is one of the function's parameters, or an address counted from one.
fn comes_from_parameters(pointer: Value) -> bool {
    !parameters(pointer).is_empty()
}
