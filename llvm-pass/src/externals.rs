//! The functions of a module as others see them: modelled ones are renamed, definitions are marked, and attributes
//! that promise what hooks do not keep are removed.

use inkwell::llvm_sys::LLVMAttributeIndex;
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{
    LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex, LLVMGetCallSiteAttributeCount, LLVMGetCallSiteAttributes,
    LLVMGetEnumAttributeKind, LLVMGetStringAttributeKind, LLVMIsStringAttribute, LLVMRemoveCallSiteEnumAttribute,
    LLVMRemoveCallSiteStringAttribute, LLVMRemoveEnumAttributeAtIndex, LLVMRemoveStringAttributeAtIndex,
};
use inkwell::llvm_sys::prelude::{LLVMAttributeRef, LLVMModuleRef};
use inkwell::module::Linkage;

use crate::hooks::Hooks;
use crate::ir::{Call, Class, Function, Global, Value, attribute_kind, definitions, functions};
use crate::names::Names;
use crate::portability::Fences;
use crate::stubs;

const FUNCTION: LLVMAttributeIndex = LLVMAttributeIndex::MAX;

/// Attributes of any function and call that a hook inside, or a switch of threads, would break.
const BROKEN: [&str; 6] = ["memory", "willreturn", "nosync", "nofree", "speculatable", "norecurse"];

/// The attributes that renamed declarations, and calls of them, keep: those that the calling convention needs, and
/// which functions do not come back.
const KEPT: [&str; 13] = [
    "noreturn",
    "nounwind",
    "returns_twice",
    "nomerge",
    "zeroext",
    "signext",
    "noundef",
    "byval",
    "sret",
    "align",
    "inreg",
    "nest",
    "elementtype",
];

/// Returns the name of the symbol by which an instrumented file declares that it defines a function.
pub(crate) fn marker(function: &str) -> String {
    format!("__fh_defined_{function}")
}

/// Renames modelled functions, marks definitions and removes attributes, after all hooks are in place.
pub(crate) fn finish(hooks: &Hooks, module: LLVMModuleRef, names: &Names) {
    let defined = definitions(module);
    for function in functions(module).into_iter().filter(|&function| Function(function).intrinsic() == 0) {
        if !function.name().starts_with("__fh_") {
            remove_broken(function);
        }
    }
    for &function in &defined {
        mark(hooks, function);
        Function(function).instructions().into_iter().filter(|one| one.is_call()).for_each(remove_broken_from_call);
    }
    for function in functions(module).into_iter().filter(|&function| Global(function).is_declaration()) {
        let name = function.name();
        if names.is_modelled(&name) {
            strip(function);
            let is_shared = function.users().into_iter().any(is_outside_of_main);
            if is_shared && SHARED.contains(&&*name) {
                say(hooks, "__fh_shares_library", "fh_shares");
            }
            if LOOKS.contains(&&*name) && !function.users().is_empty() {
                say(hooks, "__fh_looks_at_clock", "fh_looks");
            }
            if is_shared && LOOKS.iter().chain(&SLEEPS).any(|one| *one == name) {
                say(hooks, "__fh_shares_clock", "fh_clocks");
            }
            let calls = function.users().into_iter().filter(|&user| user.is_call() && Call(user).callee() == function);
            calls.for_each(strip_call);
            function.set_name(&stubs::name_of(module, &name));
            match &*name {
                "pthread_cancel" => say_that_it_cancels(hooks),
                "exit" | "_exit" | "_Exit" | "quick_exit" => say(hooks, "__fh_calls_exit", "fh_exits"),
                "pthread_tryjoin_np" | "pthread_timedjoin_np" | "pthread_clockjoin_np" => {
                    say_that_it_asks_for_ends(hooks);
                }
                _ => {}
            }
        }
    }
    if let Some(main) = defined.into_iter().find(|function| function.name() == "main") {
        main.set_name("__fh_main");
    }
}

/// The functions of the C library whose state all threads share.
const SHARED: [&str; 14] = [
    "rand",
    "srand",
    "random",
    "srandom",
    "drand48",
    "lrand48",
    "mrand48",
    "srand48",
    "getrandom",
    "getentropy",
    "arc4random",
    "arc4random_uniform",
    "arc4random_buf",
    "strtok",
];

/// The functions that look at a clock.
const LOOKS: [&str; 5] = ["time", "clock", "gettimeofday", "clock_gettime", "timespec_get"];

/// The functions that let time pass.
const SLEEPS: [&str; 8] = ["sleep", "usleep", "nanosleep", "clock_nanosleep", "poll", "ppoll", "select", "pselect"];

/// Whether something uses a function elsewhere than in `main`.
fn is_outside_of_main(user: Value) -> bool {
    !user.is_call() || user.function().name() != "main"
}

/// Tells the runtime that the program cancels threads; in other programs cancellation points are no events.
fn say_that_it_cancels(hooks: &Hooks) {
    say(hooks, "__fh_calls_cancel", "fh_cancels");
}

/// Tells the runtime that the program asks whether threads have ended; in other programs the ends of threads are never events.
fn say_that_it_asks_for_ends(hooks: &Hooks) {
    say(hooks, "__fh_asks_for_ends", "fh_asks");
}

/// Tells the runtime that transactions of the program may end with stores that still wait.
pub(crate) fn say_that_it_is_unfenced(hooks: &Hooks) {
    say(hooks, "__fh_unfenced", "fh_unfenced");
}

/// Tells the runtime that values that were never written are followed.
pub(crate) fn say_that_unwritten_is_tracked(hooks: &Hooks) {
    say(hooks, "__fh_unwritten", "fh_unwritten");
}

/// Tells the runtime that the module's values have no labels of the loads that they depend on.
pub(crate) fn say_that_it_is_unlabelled(hooks: &Hooks) {
    say(hooks, "__fh_unlabelled", "fh_unlabelled");
}

/// Tells the tool what keeps the module's accesses in order.
pub(crate) fn say_how_it_is_fenced(hooks: &Hooks, fences: Fences) {
    if fences.has_native {
        say(hooks, "__fh_fences_natively", "fh_native");
    }
    if fences.has_portable {
        say(hooks, "__fh_fences_portably", "fh_portable");
    }
}

/// Puts a byte with this name into a section, where the runtime or the tool finds it.
fn say(hooks: &Hooks, name: &str, section: &str) {
    let kind = hooks.context.i8_type();
    let global = hooks.module.add_global(kind, None, name);
    global.set_initializer(&kind.const_int(1, false));
    global.set_linkage(Linkage::WeakAny);
    global.set_section(Some(section));
}

/// Emits the marker of a function that other files can call.
fn mark(hooks: &Hooks, function: Value) {
    let linkage = match Global(function).linkage() {
        LLVMLinkage::LLVMExternalLinkage => Linkage::External,
        LLVMLinkage::LLVMWeakAnyLinkage
        | LLVMLinkage::LLVMWeakODRLinkage
        | LLVMLinkage::LLVMLinkOnceAnyLinkage
        | LLVMLinkage::LLVMLinkOnceODRLinkage => Linkage::WeakAny,
        _ => return,
    };
    let name = function.name();
    if name == "main" {
        return;
    }
    let kind = hooks.context.i8_type();
    let marker = marker(&name);
    let global = hooks.module.get_global(&marker).unwrap_or_else(|| hooks.module.add_global(kind, None, &marker));
    global.set_initializer(&kind.const_int(1, false));
    global.set_constant(true);
    global.set_linkage(linkage);
}

/// Removes the promises of a function that hooks break.
fn remove_broken(function: Value) {
    for name in BROKEN {
        // SAFETY: the function is live; removing what is not there does nothing.
        unsafe { LLVMRemoveEnumAttributeAtIndex(function.raw(), FUNCTION, attribute_kind(name)) }
    }
}

/// Removes the promises of a call that hooks break, unless it calls an intrinsic or a hook.
fn remove_broken_from_call(call: Value) {
    let callee = Call(call).callee();
    if callee.is(Class::Function) && (Function(callee).intrinsic() != 0 || callee.name().starts_with("__fh_")) {
        return;
    }
    for name in BROKEN {
        // SAFETY: the call is live; removing what is not there does nothing.
        unsafe { LLVMRemoveCallSiteEnumAttribute(call.raw(), FUNCTION, attribute_kind(name)) }
    }
}

/// An attribute that a renamed function loses, by its number or name.
enum Loss {
    Kind(u32),
    Text(Vec<u8>),
}

/// Returns the loss of an attribute, if a renamed function loses it.
fn loss(attribute: LLVMAttributeRef) -> Option<Loss> {
    // SAFETY: the attribute is live.
    if (unsafe { LLVMIsStringAttribute(attribute) }) != 0 {
        let mut length = 0;
        // SAFETY: the attribute is live and a string; LLVM writes the length.
        let start = unsafe { LLVMGetStringAttributeKind(attribute, &raw mut length) };
        // SAFETY: LLVM handed over a string of this length.
        let text = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length as usize) };
        return text.starts_with(b"alloc-").then(|| Loss::Text(text.to_vec()));
    }
    // SAFETY: the attribute is live and no string.
    let kind = unsafe { LLVMGetEnumAttributeKind(attribute) };
    (!KEPT.iter().any(|name| attribute_kind(name) == kind)).then_some(Loss::Kind(kind))
}

/// Returns the places at which a function with this many parameters may have attributes.
fn indices(parameters: u32) -> impl Iterator<Item = LLVMAttributeIndex> {
    (0..=parameters).chain([FUNCTION])
}

/// Removes the attributes of a renamed declaration.
fn strip(function: Value) {
    for index in indices(Function(function).parameter_count()) {
        // SAFETY: the function is live.
        let count = unsafe { LLVMGetAttributeCountAtIndex(function.raw(), index) };
        let mut attributes = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: there is room for as many attributes as LLVM said.
        unsafe { LLVMGetAttributesAtIndex(function.raw(), index, attributes.as_mut_ptr()) };
        for lost in attributes.into_iter().filter_map(loss) {
            match lost {
                // SAFETY: the function is live and has the attribute.
                Loss::Kind(kind) => unsafe { LLVMRemoveEnumAttributeAtIndex(function.raw(), index, kind) },
                Loss::Text(text) => {
                    let length = u32::try_from(text.len()).unwrap_or(0);
                    // SAFETY: the function is live; pointer and length are of one string.
                    unsafe { LLVMRemoveStringAttributeAtIndex(function.raw(), index, text.as_ptr().cast(), length) }
                }
            }
        }
    }
}

/// Removes the attributes of a call of a renamed declaration.
fn strip_call(call: Value) {
    for index in indices(Call(call).argument_count()) {
        // SAFETY: the call is live.
        let count = unsafe { LLVMGetCallSiteAttributeCount(call.raw(), index) };
        let mut attributes = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: there is room for as many attributes as LLVM said.
        unsafe { LLVMGetCallSiteAttributes(call.raw(), index, attributes.as_mut_ptr()) };
        for lost in attributes.into_iter().filter_map(loss) {
            match lost {
                // SAFETY: the call is live and has the attribute.
                Loss::Kind(kind) => unsafe { LLVMRemoveCallSiteEnumAttribute(call.raw(), index, kind) },
                Loss::Text(text) => {
                    let length = u32::try_from(text.len()).unwrap_or(0);
                    // SAFETY: the call is live; pointer and length are of one string.
                    unsafe { LLVMRemoveCallSiteStringAttribute(call.raw(), index, text.as_ptr().cast(), length) }
                }
            }
        }
    }
}
