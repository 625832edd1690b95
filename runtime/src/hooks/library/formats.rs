//! The conversions of printf's and scanf's formats, as far as they decide which memory is read and written; and the
//! lists of their arguments.

use std::ffi::c_void;

/// The `va_list` of x86-64, which says where the next argument is (psABI, 3.5.7).
#[repr(C)]
pub(crate) struct Arguments {
    /// The bytes of the saved general registers that are used up, of 48.
    general: u32,
    /// The bytes of all saved registers that are used up, of 176.
    floating: u32,
    /// The address of the next argument in memory.
    memory: *const u8,
    /// The address of the saved registers.
    saved: *const u8,
}

/// The bytes of the saved general registers.
const GENERAL: u32 = 48;
/// The bytes of all saved registers.
const FLOATING: u32 = 176;

impl Arguments {
    /// Makes a list whose arguments are all in memory, one after the other as [`Arguments::wide`] and its sisters read
    /// them.
    pub(crate) const fn in_memory(memory: *const u8) -> Self {
        Self { general: GENERAL, floating: FLOATING, memory, saved: std::ptr::null() }
    }

    /// Takes the next argument in memory.
    fn next_in_memory<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        let at = self.memory.cast::<[u8; COUNT]>();
        self.memory = self.memory.wrapping_add(COUNT);
        // SAFETY: the program passes as many arguments as its format asks for.
        unsafe { at.read_unaligned() }
    }

    /// Returns a saved register.
    fn saved(&self, offset: u32) -> [u8; 8] {
        let at = self.saved.wrapping_add(offset as usize).cast::<[u8; 8]>();
        // SAFETY: the ABI says that the registers were saved there.
        unsafe { at.read_unaligned() }
    }

    /// Takes the next argument that is an integer or a pointer.
    pub(crate) fn word(&mut self) -> [u8; 8] {
        if self.general < GENERAL {
            self.general += 8;
            return self.saved(self.general - 8);
        }
        self.next_in_memory()
    }

    /// Takes the next argument that is a `double`.
    pub(crate) fn double(&mut self) -> [u8; 8] {
        if self.floating < FLOATING {
            self.floating += 16;
            return self.saved(self.floating - 16);
        }
        self.next_in_memory()
    }

    /// Takes the next argument that is a `long double`.
    pub(crate) fn wide(&mut self) -> [u8; 16] {
        let at = (self.memory as usize).next_multiple_of(16);
        self.memory = self.memory.wrapping_add(at - self.memory as usize);
        self.next_in_memory()
    }

    /// Returns the list in the form in which C passes it to libc.
    pub(crate) const fn pass(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }
}

/// The length modifier of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    None,
    /// The modifier `hh`.
    Char,
    /// The modifier `h`.
    Short,
    /// The modifiers `l`, `ll`, `q`, `j`, `z`, `Z` and `t`.
    Long,
    /// The modifier `L`.
    LongDouble,
}

/// A width or precision of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Count {
    None,
    /// An argument holds it.
    Argument,
    Number(usize),
}

/// A conversion of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conversion {
    pub(crate) width: Count,
    pub(crate) precision: Count,
    pub(crate) length: Length,
    /// The letter at the end of the conversion.
    pub(crate) letter: u8,
    /// Whether its argument is given by number (`%1$d`).
    pub(crate) numbered: bool,
    /// The position in the format behind the conversion.
    pub(crate) end: usize,
}

/// Returns the first conversion of a format at or after a position; `%%` is no conversion.
pub(crate) fn conversion(format: &[u8], from: usize) -> Option<Conversion> {
    let at = |index: usize| format.get(index).copied().unwrap_or(0);
    let mut index = from;
    loop {
        index += format.get(index..)?.iter().position(|&byte| byte == b'%')? + 1;
        if at(index) != b'%' {
            break;
        }
        index += 1;
    }
    let digits = |mut index: usize| {
        let mut number = 0_usize;
        while at(index).is_ascii_digit() {
            number = number.saturating_mul(10).saturating_add(usize::from(at(index) - b'0'));
            index += 1;
        }
        (number, index)
    };
    let count = |index: usize| match at(index) {
        b'*' => (Count::Argument, index + 1),
        byte if byte.is_ascii_digit() => {
            let (number, index) = digits(index);
            (Count::Number(number), index)
        }
        _ => (Count::None, index),
    };
    while b"-+ #0'I".contains(&at(index)) && at(index) != 0 {
        index += 1;
    }
    let (width, next) = count(index);
    index = next;
    let mut numbered = at(index) == b'$';
    let mut precision = Count::None;
    if at(index) == b'.' {
        (precision, index) = count(index + 1);
        if precision == Count::None {
            precision = Count::Number(0);
        }
    }
    numbered |= at(index) == b'$';
    let (length, taken) = match (at(index), at(index + 1)) {
        (b'h', b'h') => (Length::Char, 2),
        (b'h', _) => (Length::Short, 1),
        (b'l', b'l') => (Length::Long, 2),
        (b'l' | b'q' | b'j' | b'z' | b'Z' | b't', _) => (Length::Long, 1),
        (b'L', _) => (Length::LongDouble, 1),
        _ => (Length::None, 0),
    };
    index += taken;
    Some(Conversion { width, precision, length, letter: at(index), numbered, end: index + 1 })
}
