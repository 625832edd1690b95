//! What a call calls, and what it does with its arguments.

use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::accesses::simple_bytes;
use crate::assembly::constraints::Place;
use crate::assembly::{Assembly, as_written, understand};
use crate::atomic_library;
use crate::ir::{Type, Value, attribute_kind};
use crate::names::{Capture, Names};

/// What a call calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    /// Inline assembly.
    Assembly(Assembly),
    /// An intrinsic of LLVM's, by its name, other than those of `Memory`.
    Intrinsic(String),
    /// memcpy, memmove (`true`) or memset (`false`), intrinsic or function: to, from or byte, length.
    Memory(bool),
    /// A function of the compiler's atomic library (`__atomic_load`, …), by name.
    AtomicLibrary(String),
    /// A function that cannot be run under control, by name.
    Unsupported(String),
    /// A function that the runtime models.
    Modelled(String),
    /// `setjmp`, by whatever name: the runtime is told of it first.
    SetJump,
    /// The same with a second argument, which says whether the blocked signals are kept.
    SetJumpWithSignals,
    /// A function that does nothing but say where some memory of the C library is.
    Library,
    /// Another function without a body in this file, by name.
    External(String),
    /// A function with a body in this file.
    Own,
    /// Whatever a pointer points to.
    Indirect,
}

/// C11's number of the sequentially consistent order.
pub(crate) const SEQ_CST: u32 = 5;
/// The hook ABI's numbers of `sfence` and `lfence`.
const STORES: u32 = 6;
const INSTRUCTIONS: u32 = 8;

/// What a call calls.
pub(crate) fn callee(call: Value, names: &Names) -> Callee {
    let callee = call.callee();
    if callee.is_inline_assembly() {
        return Callee::Assembly(assembly(call, names));
    }
    if callee.is_global_alias() {
        return Callee::Own;
    }
    if !callee.is_function() {
        return Callee::Indirect;
    }
    if callee.intrinsic() != 0 {
        let name = intrinsic_name(callee);
        return memory_intrinsic(&name).map_or(Callee::Intrinsic(name), Callee::Memory);
    }
    if !callee.is_declaration() {
        return Callee::Own;
    }
    external(callee.name(), names)
}

/// What a function without a body is, by its name.
fn external(name: String, names: &Names) -> Callee {
    match name.as_str() {
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Callee::Memory(true),
        "memset" | "__memset_chk" => Callee::Memory(false),
        "setjmp" | "_setjmp" | "__setjmp" => Callee::SetJump,
        "sigsetjmp" | "__sigsetjmp" => Callee::SetJumpWithSignals,
        _ if names.is_library_data(&name) => Callee::Library,
        _ if names.is_harmless(&name) => Callee::External(name),
        _ if names.is_modelled(&name) => Callee::Modelled(name),
        _ if name.starts_with("__atomic_") || name.starts_with("__sync_") => Callee::AtomicLibrary(name),
        _ if names.is_unsupported(&name) => Callee::Unsupported(name),
        _ => Callee::External(name),
    }
}

/// The name of an intrinsic.
pub(crate) fn intrinsic_name(function: Value) -> String {
    function.name()
}

/// Whether an intrinsic copies (`true`) or fills (`false`) memory in the plain way.
fn memory_intrinsic(name: &str) -> Option<bool> {
    if name.contains(".element.unordered.atomic") {
        return None;
    }
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        return Some(true);
    }
    name.starts_with("llvm.memset.").then_some(false)
}

/// Whether an intrinsic does nothing to the memory that its arguments point to, or only what is the compiler's own
/// business.
pub(crate) fn is_quiet_intrinsic(name: &str) -> bool {
    const QUIET: [&str; 22] = [
        "llvm.lifetime.",
        "llvm.dbg.",
        "llvm.va_",
        "llvm.stack",
        "llvm.invariant.",
        "llvm.assume",
        "llvm.prefetch",
        "llvm.objectsize",
        "llvm.threadlocal.address",
        "llvm.ptr.annotation",
        "llvm.var.annotation",
        "llvm.annotation",
        "llvm.launder.",
        "llvm.strip.",
        "llvm.ptrmask",
        "llvm.ssa.copy",
        "llvm.frameaddress",
        "llvm.returnaddress",
        "llvm.expect",
        "llvm.is.constant",
        "llvm.experimental.noalias.scope.decl",
        "llvm.eh.",
    ];
    QUIET.iter().any(|prefix| name.starts_with(prefix))
}

/// The order of an intrinsic that is a fence.
pub(crate) fn fence_intrinsic(name: &str) -> Option<u32> {
    match name {
        "llvm.x86.sse2.mfence" => Some(SEQ_CST),
        "llvm.x86.sse2.lfence" => Some(INSTRUCTIONS),
        "llvm.x86.sse.sfence" => Some(STORES),
        _ => None,
    }
}

/// What inline assembly does.
fn assembly(call: Value, names: &Names) -> Assembly {
    let callee = call.callee();
    let elementtype = attribute_kind("elementtype");
    let constraints = callee.assembly_constraints();
    let outputs = output_sizes(call.kind());
    let mut arguments = call.arguments().map(|(index, argument)| {
        call.call_type_attribute(index, elementtype).map_or_else(|| simple_bytes(argument.kind()), simple_bytes)
    });
    let mut outputs = outputs.into_iter();
    let bytes: Vec<Option<u64>> = constraints
        .split(',')
        .filter(|one| !one.starts_with('~') && !one.starts_with('!'))
        .map(|one| if one.starts_with('=') && !one.contains('*') { outputs.next() } else { arguments.next() }.flatten())
        .collect();
    let meaning = understand(&callee.assembly_text(), &constraints, &bytes, &names.templates);
    let scalars = bytes.iter().all(Option::is_some);
    match meaning {
        // What is in memory may be of any type: a suffix says what of it is accessed.
        Assembly::Program(program)
            if !scalars && program.slots.iter().any(|slot| slot.bytes.is_none() && slot.place != Place::Memory) =>
        {
            Assembly::Unknown(as_written(&callee.assembly_text()))
        }
        meaning => meaning,
    }
}

/// The sizes of the results, where they are scalars.
fn output_sizes(kind: Type) -> Vec<Option<u64>> {
    match kind.kind() {
        LLVMTypeKind::LLVMVoidTypeKind => Vec::new(),
        LLVMTypeKind::LLVMStructTypeKind => {
            (0..kind.struct_element_count()).map(|index| simple_bytes(kind.struct_element(index))).collect()
        }
        _ => vec![simple_bytes(kind)],
    }
}

/// What a call does with a pointer argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgumentUse {
    /// It looks at the address at most, or gives it back.
    Ignored,
    /// It may read the memory, and does not keep the address.
    Read,
    /// It may read and write the memory, and does not keep the address.
    Written,
    /// It may keep the address.
    Kept,
}

/// What a call does with a pointer argument. `byval` and `elementtype` are the numbers of these attributes.
pub(crate) fn argument_use(call: Value, argument: u32, names: &Names, byval: u32, elementtype: u32) -> ArgumentUse {
    match callee(call, names) {
        Callee::Intrinsic(name) if name.starts_with("llvm.va_") => ArgumentUse::Written,
        Callee::Intrinsic(name) if is_quiet_intrinsic(&name) => ArgumentUse::Ignored,
        Callee::Memory(true) if argument == 1 => ArgumentUse::Read,
        Callee::Memory(_) if argument == 0 => returned(call),
        Callee::Assembly(meaning)
            if !matches!(meaning, Assembly::Unknown(_))
                && call.call_type_attribute(argument, elementtype).is_some() =>
        {
            ArgumentUse::Written
        }
        Callee::AtomicLibrary(name) => atomic_library::argument_use(&name, argument),
        _ if call.call_type_attribute(argument, byval).is_some() => ArgumentUse::Read,
        Callee::External(name) | Callee::Modelled(name) => match names.capture(&name, argument) {
            Capture::Kept => ArgumentUse::Kept,
            Capture::Dropped => ArgumentUse::Written,
            Capture::Returned => returned(call),
        },
        _ => ArgumentUse::Kept,
    }
}

/// The use of an argument that the result may be.
fn returned(call: Value) -> ArgumentUse {
    if call.users().is_empty() { ArgumentUse::Written } else { ArgumentUse::Kept }
}

/// Whether a call's results go anywhere but to the next instruction (a call with several ends cannot be replaced).
pub(crate) fn is_terminator(call: Value) -> bool {
    matches!(call.opcode(), Some(LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr))
}

/// Whether a call is an asm goto.
pub(crate) fn passes_control_elsewhere(call: Value) -> bool {
    call.opcode() == Some(LLVMOpcode::LLVMCallBr)
}
