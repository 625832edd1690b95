//! The functions of the compiler's atomic library that clang calls for objects without an instruction of their own:
//! `__atomic_load(size, object, into, order)` and its like.

/// The use that a function of the library makes of a buffer of its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Buffer {
    /// The function reads the buffer.
    Read,
    /// The function writes the buffer, and may read it before.
    Written,
}

/// A function of the compiler's atomic library.
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
    /// `__atomic_is_lock_free(size, object)`; where the object is lock-free, clang answers by itself.
    IsLockFree,
}

impl LibraryFunction {
    /// Returns the function with this name.
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

    /// Returns the positions of the arguments that are buffers of the caller, and what is done with each.
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
