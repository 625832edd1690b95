//! The functions that write text: what they print is read from the program's memory piece by piece, libc makes text of
//! it, and that goes to libc's stream, or piece by piece into the program's memory.

use std::ffi::{c_char, c_int, c_void};

use crate::hooks::library::cursor::{self, Limit, gather, gather_string, is_watched};
use crate::hooks::library::formats::{Arguments, Conversion, Count, Length, conversion};
use crate::hooks::memory::allocation::new_block;
use crate::process::scratch::ScratchText;
use crate::process::sites::{RecordPointer, call_site};
use crate::{run, world};

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    fn vsnprintf(to: *mut c_char, size: usize, format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// Collects the arguments of a conversion's width and precision, and returns the precision.
fn counts(one: &Conversion, from: &mut Arguments, into: &ScratchText) -> Option<usize> {
    let mut count = |count| match count {
        Count::None => None,
        Count::Number(number) => Some(number),
        Count::Argument => {
            let word = from.word();
            append(into, &word);
            let number = i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            usize::try_from(number).ok()
        }
    };
    count(one.width);
    count(one.precision)
}

/// Appends bytes to a text.
fn append(into: &ScratchText, bytes: &[u8]) {
    bytes.iter().for_each(|&byte| into.push(byte));
}

/// Copies what a string conversion prints, if other threads can see the program's string.
fn string(address: usize, precision: Option<usize>, site: RecordPointer) -> Option<ScratchText> {
    is_watched(address).then(|| {
        let text = gather(address, precision.map_or(Limit::String, Limit::StringWithin), site);
        text.push(0);
        text
    })
}

/// Collects the arguments that a format asks for, one after the other. Strings that other threads can see are copied,
/// and the copies are kept in `strings`.
fn collect(format: &[u8], from: &mut Arguments, strings: &ScratchText, site: RecordPointer) -> ScratchText {
    let into = ScratchText::new();
    let mut at = 0;
    while let Some(one) = conversion(format, at) {
        at = one.end;
        if one.numbered {
            run::unsupported("a format that numbers its arguments", site);
        }
        let precision = counts(&one, from, &into);
        match one.letter {
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' if one.length == Length::LongDouble => {
                while !into.bytes().len().is_multiple_of(16) {
                    into.push(0);
                }
                append(&into, &from.wide());
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => append(&into, &from.double()),
            b'm' | 0 => {}
            letter => {
                let word = from.word();
                let address = usize::from_le_bytes(word);
                let narrow = letter == b's' && one.length != Length::Long;
                let refused = matches!(letter, b's' | b'S' | b'n') && !narrow;
                if refused && is_watched(address) {
                    run::unsupported("a wide string or %n on memory that other threads can see", site);
                }
                let text = if narrow { string(address, precision, site) } else { None };
                let word = text.map_or(word, |text| {
                    let own = (text.pointer() as usize).to_le_bytes();
                    append(strings, &text.keep().to_le_bytes());
                    own
                });
                append(&into, &word);
            }
        }
    }
    into
}

/// Returns the text that a format and its arguments make, with a zero byte at its end; `None` if libc refuses them.
fn print(format: usize, arguments: *mut Arguments, site: RecordPointer) -> Option<ScratchText> {
    // SAFETY: the caller was passed a list of arguments.
    let arguments = unsafe { &mut *arguments };
    let format = gather_string(format, site);
    let strings = ScratchText::new();
    let list = collect(format.bytes(), arguments, &strings, site);
    let text = ScratchText::zeros(128);
    let mut result = None;
    for _ in 0..2 {
        let size = text.bytes().len();
        let mut again = Arguments::in_memory(list.pointer());
        // SAFETY: libc is passed a format, room for `size` bytes, and the arguments that the format asks for.
        let length = unsafe { vsnprintf(text.pointer().cast(), size, format.pointer().cast(), again.pass()) };
        let Ok(length) = usize::try_from(length) else { break };
        if length < size {
            result = Some(length);
            break;
        }
        (size..=length).for_each(|_| text.push(0));
    }
    strings.bytes().chunks_exact(8).for_each(|slot| {
        ScratchText::kept(usize::from_le_bytes(slot.try_into().unwrap_or_default())).release();
    });
    strings.release();
    list.release();
    format.release();
    if let Some(length) = result {
        text.truncate(length + 1);
        Some(text)
    } else {
        text.release();
        None
    }
}

/// Passes the text of a format, without its zero byte, to `put`; returns its length, or -1 if `put` fails.
fn print_to(format: usize, arguments: *mut Arguments, put: impl FnOnce(&[u8], RecordPointer) -> bool) -> c_int {
    let site = call_site();
    let Some(text) = print(format, arguments, site) else { return -1 };
    let length = text.bytes().len() - 1;
    let done = put(&text.bytes()[..length], site);
    text.release();
    if done { c_int::try_from(length).unwrap_or(-1) } else { -1 }
}

/// Writes bytes to a stream; returns whether all were written.
fn put(stream: *mut libc::FILE, bytes: &[u8]) -> bool {
    world::library::prints(bytes);
    // SAFETY: the program passes a stream; the bytes are the runtime's own.
    let written = unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stream) };
    written == bytes.len()
}

/// Returns libc's stream of standard output.
fn standard_output() -> *mut libc::FILE {
    // SAFETY: libc's own variable.
    unsafe { stdout }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vprintf(format: usize, arguments: *mut Arguments) -> c_int {
    print_to(format, arguments, |bytes, _| put(standard_output(), bytes))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vfprintf(stream: *mut libc::FILE, format: usize, arguments: *mut Arguments) -> c_int {
    print_to(format, arguments, |bytes, _| put(stream, bytes))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vdprintf(file: c_int, format: usize, arguments: *mut Arguments) -> c_int {
    print_to(format, arguments, |bytes, _| {
        world::library::prints(bytes);
        // SAFETY: the bytes are the runtime's own.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        written.cast_unsigned() == bytes.len()
    })
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vsnprintf(to: usize, size: usize, format: usize, arguments: *mut Arguments) -> c_int {
    print_to(format, arguments, |bytes, site| {
        if let Some(room) = size.checked_sub(1) {
            let shown = ScratchText::new();
            append(&shown, &bytes[..bytes.len().min(room)]);
            shown.push(0);
            cursor::write(to, shown.bytes(), site);
            shown.release();
        }
        true
    })
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vsprintf(to: usize, format: usize, arguments: *mut Arguments) -> c_int {
    __fh_vsnprintf(to, usize::MAX, format, arguments)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_vasprintf(place: usize, format: usize, arguments: *mut Arguments) -> c_int {
    print_to(format, arguments, |bytes, site| {
        let block = new_block(bytes);
        cursor::write(place, &(block as usize).to_le_bytes(), site);
        !block.is_null()
    })
}

// These are the functions that the compiler calls instead with _FORTIFY_SOURCE.

#[unsafe(no_mangle)]
extern "C" fn __fh___vprintf_chk(_flag: c_int, format: usize, arguments: *mut Arguments) -> c_int {
    __fh_vprintf(format, arguments)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___vfprintf_chk(
    stream: *mut libc::FILE,
    _flag: c_int,
    format: usize,
    arguments: *mut Arguments,
) -> c_int {
    __fh_vfprintf(stream, format, arguments)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___vsprintf_chk(
    to: usize,
    _flag: c_int,
    _room: usize,
    format: usize,
    arguments: *mut Arguments,
) -> c_int {
    __fh_vsprintf(to, format, arguments)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___vsnprintf_chk(
    to: usize,
    size: usize,
    _flag: c_int,
    _room: usize,
    format: usize,
    arguments: *mut Arguments,
) -> c_int {
    __fh_vsnprintf(to, size, format, arguments)
}

/// Writes a string of the program's and then `end` to a stream, with the result of `puts`.
fn put_string(string: usize, stream: *mut libc::FILE, end: &[u8]) -> c_int {
    let text = gather(string, Limit::String, call_site());
    append(&text, end);
    let done = put(stream, text.bytes());
    text.release();
    if done { 1 } else { libc::EOF }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_puts(string: usize) -> c_int {
    put_string(string, standard_output(), b"\n")
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fputs(string: usize, stream: *mut libc::FILE) -> c_int {
    put_string(string, stream, b"")
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fputc(byte: c_int, stream: *mut libc::FILE) -> c_int {
    let [byte, ..] = byte.to_le_bytes();
    if put(stream, &[byte]) { c_int::from(byte) } else { libc::EOF }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_putc(byte: c_int, stream: *mut libc::FILE) -> c_int {
    __fh_fputc(byte, stream)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_putchar(byte: c_int) -> c_int {
    __fh_fputc(byte, standard_output())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fwrite(from: usize, size: usize, count: usize, stream: *mut libc::FILE) -> usize {
    let text = gather(from, Limit::Bytes(size.saturating_mul(count)), call_site());
    world::library::prints(text.bytes());
    // SAFETY: the program passes a stream; the bytes are the runtime's own.
    let written = unsafe { libc::fwrite(text.pointer().cast(), size, count, stream) };
    text.release();
    written
}
