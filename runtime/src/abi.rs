//! The hook ABI, held against its one source: from `include/fencehound_hooks.h`, `build.rs` makes a function for each
//! hook and for each struct that compares a definition of the runtime's with the declaration there. [`same_hooks`] and
//! [`same_record`] call these functions where the definitions are, when the runtime is compiled; a declaration that
//! nobody has compared does not compile either.

/// A type, as far as it matters for a call.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// No value.
    Void,
    /// An integer, by its bytes and whether it is signed.
    Integer(usize, bool),
    /// A pointer, by whether what is pointed to is constant, and by the bytes of that, where C says so.
    Pointer(bool, Option<usize>),
    /// A struct of this number of bytes.
    Struct(usize),
    /// An address that the hook does not follow itself: a pointer of any kind.
    Address,
}

impl Kind {
    /// Whether a definition of this kind fits a declaration of another one.
    pub(crate) const fn is(self, declared: Self) -> bool {
        match (self, declared) {
            (Self::Void, Self::Void) | (Self::Address, Self::Pointer(..) | Self::Integer(8, false)) => true,
            (Self::Integer(bytes, signed), Self::Integer(its_bytes, its_signed)) => {
                bytes == its_bytes && signed == its_signed
            }
            (Self::Pointer(constant, to), Self::Pointer(its_constant, its_to)) => {
                constant == its_constant && (is_unknown(its_to) || is_same(to, its_to))
            }
            (Self::Struct(bytes), Self::Struct(its_bytes)) => bytes == its_bytes,
            _ => false,
        }
    }
}

/// Whether the header does not say how many bytes a pointer points to.
const fn is_unknown(bytes: Option<usize>) -> bool {
    bytes.is_none()
}

/// Whether two pointers point to the same number of bytes.
const fn is_same(one: Option<usize>, other: Option<usize>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one == other)
}

/// A type of parameters and results of hooks.
pub(crate) trait Passed {
    /// The kind of the type.
    const KIND: Kind;
}

macro_rules! passed {
    ($($of:ty: $kind:expr;)*) => {$(
        impl Passed for $of {
            const KIND: Kind = $kind;
        }
    )*};
}
passed! {
    (): Kind::Void;
    bool: Kind::Integer(1, false);
    u8: Kind::Integer(1, false);
    u16: Kind::Integer(2, false);
    u32: Kind::Integer(4, false);
    u64: Kind::Integer(8, false);
    i32: Kind::Integer(4, true);
    usize: Kind::Address;
}

impl<T> Passed for *const T {
    const KIND: Kind = Kind::Pointer(true, Some(size_of::<T>()));
}

impl<T> Passed for *mut T {
    const KIND: Kind = Kind::Pointer(false, Some(size_of::<T>()));
}

/// A mark that a definition has been compared with its declaration.
pub(crate) trait Compared {}

/// Compares hooks with their declarations.
macro_rules! same_hooks {
    ($($hook:ident),* $(,)?) => {$(
        impl $crate::abi::Compared for $crate::abi::declared::$hook::It {}
        const _: () = $crate::abi::declared::$hook::compare($hook);
    )*};
}

/// Compares a struct with its declaration: its size, and the places and sizes of its fields, in their order.
macro_rules! same_record {
    ($of:ident, $record:ty, $($field:ident),*) => {
        impl $crate::abi::Compared for $crate::abi::declared::$of::It {}
        const _: () = $crate::abi::declared::$of::compare(
            size_of::<$record>(),
            &[$((
                std::mem::offset_of!($record, $field),
                $crate::abi::size_of_field(|record: &$record| &record.$field),
            )),*],
        );
    };
}

pub(crate) use {same_hooks, same_record};

/// Returns the bytes of a field, given a function that returns the field.
pub(crate) const fn size_of_field<Record, Field>(_: fn(&Record) -> &Field) -> usize {
    size_of::<Field>()
}

/// Returns the value of an enumerator of the header.
pub(crate) const fn number(name: &str) -> u32 {
    let mut index = 0;
    while index < declared::NUMBERS.len() {
        let (known, value) = declared::NUMBERS[index];
        if is_name(known.as_bytes(), name.as_bytes()) {
            return value;
        }
        index += 1;
    }
    panic!("fencehound_hooks.h has no such number")
}

/// Whether two names are equal.
const fn is_name(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// The numbers of read-modify-write operations.
pub(crate) mod rmw {
    use super::number;

    pub(crate) const EXCHANGE: u32 = number("FH_RMW_EXCHANGE");
    pub(crate) const ADD: u32 = number("FH_RMW_ADD");
    pub(crate) const SUB: u32 = number("FH_RMW_SUB");
    pub(crate) const AND: u32 = number("FH_RMW_AND");
    pub(crate) const NAND: u32 = number("FH_RMW_NAND");
    pub(crate) const OR: u32 = number("FH_RMW_OR");
    pub(crate) const XOR: u32 = number("FH_RMW_XOR");
    pub(crate) const MAX: u32 = number("FH_RMW_MAX");
    pub(crate) const MIN: u32 = number("FH_RMW_MIN");
    pub(crate) const UMAX: u32 = number("FH_RMW_UMAX");
    pub(crate) const UMIN: u32 = number("FH_RMW_UMIN");
    pub(crate) const NEGATE: u32 = number("FH_RMW_NEGATE");
    pub(crate) const FADD: u32 = number("FH_RMW_FADD");
    pub(crate) const FSUB: u32 = number("FH_RMW_FSUB");
    pub(crate) const FMAX: u32 = number("FH_RMW_FMAX");
    pub(crate) const FMIN: u32 = number("FH_RMW_FMIN");
}

/// The declarations of the header, which `build.rs` has generated.
pub(crate) mod declared {
    include!(concat!(env!("OUT_DIR"), "/declared.rs"));
}
