//! The functions of the compiler's atomic library that clang calls for objects without an instruction of their own:
//! `__atomic_load(size, object, into, order)` and its like.

/// What a function of the library does with a buffer of its caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Buffer {
    /// It reads it.
    Read,
    /// It writes it, and may read it before.
    Written,
}

/// A function of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LibraryFunction {
    /// `__atomic_load(size, object, into, order)`.
    Load,
    /// `__atomic_store(size, object, from, order)`.
    Store,
    /// `__atomic_exchange(size, object, from, into, order)`.
    Exchange,
    /// `__atomic_compare_exchange(size, object, expected, desired, success, failure)`.
    CompareExchange,
    /// `__atomic_is_lock_free(size, object)`: clang answers itself where it is.
    IsLockFree,
}

impl LibraryFunction {
    /// Returns the function of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "__atomic_load" => Self::Load,
            "__atomic_store" => Self::Store,
            "__atomic_exchange" => Self::Exchange,
            "__atomic_compare_exchange" => Self::CompareExchange,
            "__atomic_is_lock_free" => Self::IsLockFree,
            _ => return None,
        })
    }

    /// Returns the arguments that are buffers of the caller's, and what is done with them.
    pub(crate) const fn buffers(self) -> &'static [(u32, Buffer)] {
        match self {
            Self::Load => &[(2, Buffer::Written)],
            Self::Store => &[(2, Buffer::Read)],
            Self::Exchange => &[(2, Buffer::Read), (3, Buffer::Written)],
            Self::CompareExchange => &[(2, Buffer::Written), (3, Buffer::Read)],
            Self::IsLockFree => &[],
        }
    }
}
