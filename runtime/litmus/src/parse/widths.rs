//! The widths of accesses; all accesses to a location must have the same.

/// The width of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
}
