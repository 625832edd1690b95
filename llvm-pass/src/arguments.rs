//! The use that a call makes of the memory that its arguments point to.

use crate::assembly::Assembly;
use crate::atomic_library::{Buffer, LibraryFunction};
use crate::calls::{Callee, callee, is_quiet_intrinsic};
use crate::ir::{Call, Value};
use crate::names::{Capture, Names};

/// The use that a call makes of a pointer argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgumentUse {
    /// The call looks at the address at most, or returns it.
    Ignored,
    /// The call may read the memory, and does not keep the address.
    Read,
    /// The call may read and write the memory, and does not keep the address.
    Written,
    /// The call may keep the address.
    Kept,
}

/// Returns the use that a call makes of a pointer argument. `byval` and `elementtype` are the numbers of these attributes.
pub(crate) fn argument_use(call: Value, argument: u32, names: &Names, byval: u32, elementtype: u32) -> ArgumentUse {
    match callee(call, names) {
        Callee::Intrinsic(name) if name.starts_with("llvm.va_") => ArgumentUse::Written,
        Callee::Intrinsic(name) if is_quiet_intrinsic(&name) => ArgumentUse::Ignored,
        Callee::Memory(true) if argument == 1 => ArgumentUse::Read,
        Callee::Memory(_) if argument == 0 => returned(call),
        Callee::Assembly(meaning)
            if !matches!(meaning, Assembly::Unknown(_))
                && Call(call).type_attribute(argument, elementtype).is_some() =>
        {
            ArgumentUse::Written
        }
        Callee::AtomicLibrary(name) => of_atomic_library(&name, argument),
        _ if Call(call).type_attribute(argument, byval).is_some() => ArgumentUse::Read,
        Callee::External(name) | Callee::Modelled(name) => match names.capture(&name, argument) {
            Capture::Kept => ArgumentUse::Kept,
            Capture::Dropped => ArgumentUse::Written,
            Capture::Returned => returned(call),
        },
        _ => ArgumentUse::Kept,
    }
}

/// Returns the use that a call makes of an argument which its result may be.
fn returned(call: Value) -> ArgumentUse {
    if call.users().is_empty() { ArgumentUse::Written } else { ArgumentUse::Kept }
}

/// Returns the use that a function of the atomic library makes of a pointer argument. The object itself counts as kept, so that
/// it is shared.
fn of_atomic_library(name: &str, argument: u32) -> ArgumentUse {
    let Some(function) = LibraryFunction::of(name) else { return ArgumentUse::Kept };
    if function == LibraryFunction::IsLockFree {
        return ArgumentUse::Ignored;
    }
    match function.buffers().iter().find(|&&(position, _)| position == argument) {
        Some((_, Buffer::Read)) => ArgumentUse::Read,
        Some((_, Buffer::Written)) => ArgumentUse::Written,
        None => ArgumentUse::Kept,
    }
}
