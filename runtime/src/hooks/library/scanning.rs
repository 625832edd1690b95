//! `sscanf` and its sisters: libc reads a copy of the text. Where other threads could see the program's memory, libc
//! puts its results into memory of the runtime's, from where they are written piece by piece.

use std::ffi::{c_char, c_int, c_void};

use crate::hooks::library::cursor::{self, gather_string, is_watched};
use crate::hooks::library::formats::{Arguments, Conversion, Count, Length, conversion};
use crate::process::scratch::ScratchText;
use crate::process::sites::{RecordPointer, call_site};
use crate::run;
use crate::state::unwritten;

unsafe extern "C" {
    fn vsscanf(text: *const c_char, format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// The bytes that a conversion writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// A value of this number of bytes.
    Bytes(usize),
    /// A string, with its zero byte.
    String,
}

impl Size {
    /// Returns the most bytes that a result takes if it comes from a text of `text` bytes.
    const fn longest(self, text: usize) -> usize {
        match self {
            Self::Bytes(count) => count,
            Self::String => text,
        }
    }
}

/// Returns the bytes that a conversion which writes writes.
fn size(one: &Conversion) -> Size {
    let whole = match one.length {
        Length::Char => 1,
        Length::Short => 2,
        Length::None => 4,
        Length::Long | Length::LongDouble => 8,
    };
    match one.letter {
        b's' | b'[' => Size::String,
        b'c' => Size::Bytes(if let Count::Number(width) = one.width { width } else { 1 }),
        b'p' => Size::Bytes(8),
        b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if one.length == Length::LongDouble => Size::Bytes(16),
        _ => Size::Bytes(whole),
    }
}

/// Returns the position behind the set of a `[` conversion, whose `[` is before `at`.
fn end_of_set(format: &[u8], at: usize) -> usize {
    let mut index = at;
    if format.get(index) == Some(&b'^') {
        index += 1;
    }
    // A bracket that comes first is one of the set.
    index += 1;
    while format.get(index).is_some_and(|&byte| byte != b']') {
        index += 1;
    }
    index + 1
}

/// The result of one conversion: where it belongs, and where libc puts it.
struct Slot {
    /// The address at which the program wants the result.
    target: usize,
    /// The text in scratch memory that libc puts the result into ([`ScratchText::keep`]).
    own: usize,
    size: Size,
    /// The number of the conversion among those that are counted; `None` for `%n`.
    number: Option<usize>,
}

/// The byte that fills a result before libc writes it, by which a `%n` that is not reached is known.
const UNTOUCHED: u8 = 0xee;

/// Makes the list of arguments for libc: places that other threads can see are replaced by slots of the runtime's own.
fn replace(format: &[u8], from: &mut Arguments, longest: usize, site: RecordPointer, slots: &mut Slots) -> ScratchText {
    let list = ScratchText::new();
    let (mut at, mut number) = (0, 0);
    while let Some(one) = conversion(format, at) {
        at = if one.letter == b'[' { end_of_set(format, one.end) } else { one.end };
        if one.numbered || one.letter == b'm' {
            run::unsupported("a format that numbers its arguments or allocates memory", site);
        }
        if one.width == Count::Argument || one.letter == 0 {
            continue;
        }
        let counted = (one.letter != b'n').then_some(number);
        number += usize::from(counted.is_some());
        let target = usize::from_le_bytes(from.word());
        let size = size(&one);
        let address = if is_watched(target) {
            slots.add(target, size, counted, longest)
        } else {
            unwritten::written(target, size.longest(longest));
            target
        };
        address.to_le_bytes().iter().for_each(|&byte| list.push(byte));
    }
    list
}

/// The most conversions of one call that can write into memory that other threads see.
const SLOTS: usize = 32;

/// The results of a call that libc puts into memory of the runtime's.
struct Slots {
    slots: [Option<Slot>; SLOTS],
    used: usize,
}

impl Slots {
    /// Adds a result, and returns the address at which libc puts it.
    fn add(&mut self, target: usize, size: Size, number: Option<usize>, longest: usize) -> usize {
        let length = size.longest(longest);
        let text = ScratchText::new();
        (0..length).for_each(|_| text.push(UNTOUCHED));
        let address = text.pointer() as usize;
        let Some(slot) = self.slots.get_mut(self.used) else {
            run::unsupported("a scanf with very many results in shared memory", call_site());
        };
        *slot = Some(Slot { target, own: text.keep(), size, number });
        self.used += 1;
        address
    }

    /// Writes the results where they belong; `found` conversions gave one.
    fn write(&mut self, found: usize, site: RecordPointer) {
        for slot in &mut self.slots[..self.used] {
            let Some(Slot { target, own, size, number }) = slot.take() else { continue };
            let text = ScratchText::kept(own);
            let reached = number.map_or_else(|| text.bytes().iter().any(|&byte| byte != UNTOUCHED), |one| one < found);
            if reached {
                let end = text.bytes().iter().position(|&byte| byte == 0).map_or(text.bytes().len(), |end| end + 1);
                let length = if size == Size::String { end } else { text.bytes().len() };
                cursor::write(target, &text.bytes()[..length], site);
            }
            text.release();
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vsscanf(text: usize, format: usize, arguments: *mut Arguments) -> c_int {
    let site = call_site();
    // SAFETY: the caller was passed a list of arguments.
    let arguments = unsafe { &mut *arguments };
    let (text, format) = (gather_string(text, site), gather_string(format, site));
    let mut slots = Slots { slots: [const { None }; SLOTS], used: 0 };
    let list = replace(format.bytes(), arguments, text.bytes().len(), site, &mut slots);
    let mut own = Arguments::in_memory(list.pointer());
    // SAFETY: libc is passed two strings, and an address for each result that the format asks for.
    let found = unsafe { vsscanf(text.pointer().cast(), format.pointer().cast(), own.pass()) };
    list.release();
    format.release();
    text.release();
    slots.write(usize::try_from(found).unwrap_or(0), site);
    found
}

#[unsafe(no_mangle)]
extern "C" fn __fh___isoc99_vsscanf(text: usize, format: usize, arguments: *mut Arguments) -> c_int {
    __fh_vsscanf(text, format, arguments)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___isoc23_vsscanf(text: usize, format: usize, arguments: *mut Arguments) -> c_int {
    __fh_vsscanf(text, format, arguments)
}
