//! How wide accesses are: of one location all must be alike.

/// The width of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
}
