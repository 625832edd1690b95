//! The functions that read numbers from text. All bytes that could be part of a number are gathered, and libc reads it
//! from there.

use std::ffi::{c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong};

use crate::hooks::library::cursor::{self, Cursor, Limit};
use crate::process::scratch::ScratchText;
use crate::process::sites::call_site;

/// Gathers the longest text from the address on that could be a number, as a string.
fn gather_number(address: usize) -> ScratchText {
    let text = ScratchText::new();
    let mut cursor = Cursor::new(address, Limit::String, call_site());
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"\x0b+-._()".contains(&byte);
    while let Some(byte) = cursor.next().filter(|&byte| part(byte)) {
        text.push(byte);
    }
    text.push(0);
    text
}

/// Lets libc read a number from text, and stores the address of its end to `end` unless that is 0.
fn number<T>(address: usize, end: usize, read: impl FnOnce(*const c_char, *mut *mut c_char) -> T) -> T {
    let site = call_site();
    let text = gather_number(address);
    let begin = text.pointer().cast::<c_char>();
    let mut stopped = begin;
    let value = read(begin, &raw mut stopped);
    let length = stopped as usize - begin as usize;
    text.release();
    if end != 0 {
        cursor::write(end, &(address + length).to_le_bytes(), site);
    }
    value
}

macro_rules! whole {
    ($($type:ty: $read:path = $($name:ident)*;)*) => {$($(
        #[unsafe(no_mangle)]
        extern "C" fn $name(text: usize, end: usize, base: c_int) -> $type {
            // SAFETY: libc is passed a string of the runtime's own, and a place for its end.
            number(text, end, |text, end| unsafe { $read(text, end, base) })
        }
    )*)*};
}
whole!(
    c_long: libc::strtol = __fh_strtol __fh___isoc23_strtol;
    c_ulong: libc::strtoul = __fh_strtoul __fh___isoc23_strtoul;
    c_longlong: libc::strtoll = __fh_strtoll __fh_strtoimax __fh___isoc23_strtoll __fh___isoc23_strtoimax;
    c_ulonglong: libc::strtoull = __fh_strtoull __fh_strtoumax __fh___isoc23_strtoull __fh___isoc23_strtoumax;
);

#[unsafe(no_mangle)]
extern "C" fn __fh_strtod(text: usize, end: usize) -> f64 {
    // SAFETY: libc is passed a string of the runtime's own, and a place for its end.
    number(text, end, |text, end| unsafe { libc::strtod(text, end) })
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strtof(text: usize, end: usize) -> f32 {
    // SAFETY: libc is passed a string of the runtime's own, and a place for its end.
    number(text, end, |text, end| unsafe { libc::strtof(text, end) })
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atof(text: usize) -> f64 {
    __fh_strtod(text, 0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atoi(text: usize) -> c_int {
    __fh_strtol(text, 0, 10) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atol(text: usize) -> c_long {
    __fh_strtol(text, 0, 10)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atoll(text: usize) -> c_longlong {
    __fh_strtoll(text, 0, 10)
}
