//! The unsigned numbers that accesses load and store.

/// An unsigned number of 1, 2, 4 or 8 bytes that an access loads or stores.
pub(crate) trait Bits: Copy + Eq {
    /// The width in bytes.
    const WIDTH: u8;
    /// Returns the number, extended by zeros.
    fn wide(self) -> u64;
    /// Returns the lowest bits of a number.
    fn narrow(wide: u64) -> Self;
    /// Returns the number as a signed one of its width, extended by its sign.
    fn signed(self) -> i64;
}

macro_rules! bits {
    ($($unsigned:ty, $signed:ty);*) => {$(
        impl Bits for $unsigned {
            const WIDTH: u8 = size_of::<Self>() as u8;
            #[inline]
            fn wide(self) -> u64 {
                self.into()
            }
            #[inline]
            fn narrow(wide: u64) -> Self {
                wide as Self
            }
            #[inline]
            fn signed(self) -> i64 {
                (self as $signed).into()
            }
        }
    )*};
}
bits!(u8, i8; u16, i16; u32, i32; u64, i64);
