//! The kind of what a call calls: a function, an intrinsic or assembly, known by name, shape and text.

use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::abi::{FH_FENCE_INSTRUCTIONS, FH_FENCE_STORES};
use crate::assembly::constraints::Place;
use crate::assembly::notation::as_written;
use crate::assembly::{Assembly, understand};
use crate::ir::{Call, Class, Function, Global, InlineAssembly, Type, Value, attribute_kind};
use crate::names::Names;

/// The kind of what a call calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    /// Inline assembly.
    Assembly(Assembly),
    /// An intrinsic of LLVM's, by its name, other than those of `Memory`.
    Intrinsic(String),
    /// memcpy or memmove (`true`), or memset (`false`), as an intrinsic or a function. The arguments are: to, from or byte,
    /// length.
    Memory(bool),
    /// A function of the compiler's atomic library (`__atomic_load`, …), by name.
    AtomicLibrary(String),
    /// A function that cannot be run under control, by name.
    Unsupported(String),
    /// A function that the runtime models.
    Modelled(String),
    /// `setjmp`, by whatever name; the runtime is told of the call first.
    SetJump,
    /// `sigsetjmp`, by whatever name: its second argument says whether the blocked signals are kept.
    SetJumpWithSignals,
    /// A function that does nothing but return the address of some memory of the C library.
    Library,
    /// Another function without a body in this file, by name.
    External(String),
    /// A function with a body in this file.
    Own,
    /// Whatever a pointer points to at the time of the call.
    Indirect,
}

/// The number that C11 gives to the sequentially consistent order.
pub(crate) const SEQ_CST: u32 = 5;

/// Returns the kind of what a call calls.
pub(crate) fn callee(call: Value, names: &Names) -> Callee {
    let callee = Call(call).callee();
    if callee.is(Class::InlineAssembly) {
        return Callee::Assembly(assembly(call, names));
    }
    if callee.is(Class::GlobalAlias) {
        return Callee::Own;
    }
    if !callee.is(Class::Function) {
        return Callee::Indirect;
    }
    if Function(callee).intrinsic() != 0 {
        let name = intrinsic_name(callee);
        return memory_intrinsic(&name).map_or(Callee::Intrinsic(name), Callee::Memory);
    }
    if !Global(callee).is_declaration() {
        return Callee::Own;
    }
    external(callee.name(), names)
}

/// Returns the kind of a function without a body, going by its name.
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

/// Returns the name of an intrinsic.
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

/// Returns the order of an intrinsic that is a fence.
pub(crate) fn fence_intrinsic(name: &str) -> Option<u32> {
    match name {
        "llvm.x86.sse2.mfence" => Some(SEQ_CST),
        "llvm.x86.sse2.lfence" => Some(FH_FENCE_INSTRUCTIONS),
        "llvm.x86.sse.sfence" => Some(FH_FENCE_STORES),
        _ => None,
    }
}

/// Returns what inline assembly does.
fn assembly(call: Value, names: &Names) -> Assembly {
    let callee = Call(call).callee();
    let elementtype = attribute_kind("elementtype");
    let constraints = InlineAssembly(callee).constraints();
    let outputs = output_sizes(call.kind());
    let mut arguments = Call(call).arguments().map(|(index, argument)| {
        Call(call).type_attribute(index, elementtype).map_or_else(|| argument.kind().simple_bytes(), Type::simple_bytes)
    });
    let mut outputs = outputs.into_iter();
    let bytes: Vec<Option<u64>> = constraints
        .split(',')
        .filter(|one| !one.starts_with('~') && !one.starts_with('!'))
        .map(|one| if one.starts_with('=') && !one.contains('*') { outputs.next() } else { arguments.next() }.flatten())
        .collect();
    let meaning = understand(&InlineAssembly(callee).text(), &constraints, &bytes, &names.templates);
    let scalars = bytes.iter().all(Option::is_some);
    match meaning {
        // What is in memory may be of any type: a suffix says how much of it is accessed.
        Assembly::Program(program)
            if !scalars && program.slots.iter().any(|slot| slot.bytes.is_none() && slot.place != Place::Memory) =>
        {
            Assembly::Unknown(as_written(&InlineAssembly(callee).text()))
        }
        meaning => meaning,
    }
}

/// Returns the sizes of the results, where they are scalars.
fn output_sizes(kind: Type) -> Vec<Option<u64>> {
    match kind.kind() {
        LLVMTypeKind::LLVMVoidTypeKind => Vec::new(),
        LLVMTypeKind::LLVMStructTypeKind => {
            (0..kind.struct_element_count()).map(|index| kind.struct_element(index).simple_bytes()).collect()
        }
        _ => vec![kind.simple_bytes()],
    }
}

/// Whether a call ends its block, as a call with several continuations does; it cannot be replaced then.
pub(crate) fn is_terminator(call: Value) -> bool {
    matches!(call.opcode(), Some(LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr))
}

/// Whether a call is an asm goto.
pub(crate) fn passes_control_elsewhere(call: Value) -> bool {
    call.opcode() == Some(LLVMOpcode::LLVMCallBr)
}
