//! The functions of `<string.h>` and `<strings.h>`. They read and write memory that other threads could see piece by
//! piece ([`crate::hooks::library::cursor`]), in an order that the C standard allows: those that compare and search
//! stop as soon as the answer is known, and those that copy read all before they write.

use std::cmp::Ordering;
use std::ffi::{c_char, c_int};

use crate::hooks::library::cursor::{self, Cursor, Limit, gather, gather_string};
use crate::process::scratch::ScratchText;
use crate::process::sites::{RecordPointer, call_site};
use crate::state::library::Common;
use crate::world::library::change;

/// Returns the length of a string.
fn length(address: usize, limit: Limit, site: RecordPointer) -> usize {
    let mut cursor = Cursor::new(address, limit, site);
    let mut length = 0;
    while cursor.next().is_some_and(|byte| byte != 0) {
        length += 1;
    }
    length
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strlen(string: usize) -> usize {
    length(string, Limit::String, call_site())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strnlen(string: usize, limit: usize) -> usize {
    length(string, Limit::StringWithin(limit), call_site())
}

/// Compares byte by byte, after `fold`, up to the first difference; `limit` is that of both.
fn compare(one: usize, other: usize, limit: Limit, fold: fn(u8) -> u8) -> c_int {
    let site = call_site();
    let (mut left, mut right) = (Cursor::new(one, limit, site), Cursor::new(other, limit, site));
    while let (Some(a), Some(b)) = (left.next(), right.next()) {
        let (a, b) = (fold(a), fold(b));
        match a.cmp(&b) {
            Ordering::Equal if a == 0 && !matches!(limit, Limit::Bytes(_)) => return 0,
            Ordering::Equal => {}
            Ordering::Less | Ordering::Greater => return c_int::from(a) - c_int::from(b),
        }
    }
    0
}

/// Returns the byte as it is.
const fn same(byte: u8) -> u8 {
    byte
}

/// Returns the byte as a lower-case letter, if it is an upper-case one.
const fn lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcmp(one: usize, other: usize) -> c_int {
    compare(one, other, Limit::String, same)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strncmp(one: usize, other: usize, limit: usize) -> c_int {
    compare(one, other, Limit::StringWithin(limit), same)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcasecmp(one: usize, other: usize) -> c_int {
    compare(one, other, Limit::String, lower)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strncasecmp(one: usize, other: usize, limit: usize) -> c_int {
    compare(one, other, Limit::StringWithin(limit), lower)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memcmp(one: usize, other: usize, count: usize) -> c_int {
    compare(one, other, Limit::Bytes(count), same)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_bcmp(one: usize, other: usize, count: usize) -> c_int {
    compare(one, other, Limit::Bytes(count), same)
}

/// Returns the offset of the first byte that is wanted, among those up to the limit.
fn first(address: usize, limit: Limit, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut cursor = Cursor::new(address, limit, call_site());
    let mut offset = 0;
    loop {
        let byte = cursor.next()?;
        if wanted(byte) {
            return Some(offset);
        }
        if byte == 0 && !matches!(limit, Limit::Until(..)) {
            return None;
        }
        offset += 1;
    }
}

/// Returns the address at an offset; 0 if there is none.
fn address_of(string: usize, offset: Option<usize>) -> usize {
    offset.map_or(0, |offset| string + offset)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memchr(memory: usize, byte: c_int, count: usize) -> usize {
    let wanted = byte as u8;
    address_of(memory, first(memory, Limit::Until(wanted, count), |byte| byte == wanted))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_rawmemchr(memory: usize, byte: c_int) -> usize {
    __fh_memchr(memory, byte, usize::MAX)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strchr(string: usize, byte: c_int) -> usize {
    let wanted = byte as u8;
    address_of(string, first(string, Limit::StringUntil(wanted), |byte| byte == wanted))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_index(string: usize, byte: c_int) -> usize {
    __fh_strchr(string, byte)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strchrnul(string: usize, byte: c_int) -> usize {
    let wanted = byte as u8;
    address_of(string, first(string, Limit::StringUntil(wanted), |byte| byte == wanted || byte == 0))
}

/// Gathers the bytes, and returns the address at the offset that `find` returns; 0 if it finds none.
fn search(address: usize, limit: Limit, find: impl FnOnce(&[u8]) -> Option<usize>) -> usize {
    let text = gather(address, limit, call_site());
    let offset = find(text.bytes());
    text.release();
    address_of(address, offset)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memrchr(memory: usize, byte: c_int, count: usize) -> usize {
    search(memory, Limit::Bytes(count), |bytes| bytes.iter().rposition(|&one| one == byte as u8))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strrchr(string: usize, byte: c_int) -> usize {
    let wanted = byte as u8;
    search(string, Limit::String, |bytes| match wanted {
        0 => Some(bytes.len()),
        _ => bytes.iter().rposition(|&one| one == wanted),
    })
}

#[unsafe(no_mangle)]
extern "C" fn __fh_rindex(string: usize, byte: c_int) -> usize {
    __fh_strrchr(string, byte)
}

/// Returns the address at which the needle begins in the hay, both of which are gathered first; 0 if it is not there.
fn find(hay: (usize, Limit), needle: (usize, Limit), fold: fn(u8) -> u8) -> usize {
    let needle = gather(needle.0, needle.1, call_site());
    let found = search(hay.0, hay.1, |hay| {
        let wanted = needle.bytes();
        let matches = |part: &[u8]| part.iter().zip(wanted).all(|(&a, &b)| fold(a) == fold(b));
        if wanted.is_empty() { Some(0) } else { hay.windows(wanted.len()).position(matches) }
    });
    needle.release();
    found
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strstr(hay: usize, needle: usize) -> usize {
    find((hay, Limit::String), (needle, Limit::String), same)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcasestr(hay: usize, needle: usize) -> usize {
    find((hay, Limit::String), (needle, Limit::String), lower)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memmem(hay: usize, length: usize, needle: usize, count: usize) -> usize {
    find((hay, Limit::Bytes(length)), (needle, Limit::Bytes(count)), same)
}

/// Returns the length of the string's beginning whose bytes are all in the set, or, unless `of_set`, all outside of it.
fn span(string: usize, set: usize, of_set: bool, site: RecordPointer) -> usize {
    let set = gather(set, Limit::String, site);
    let mut cursor = Cursor::new(string, Limit::String, site);
    let mut offset = 0;
    while cursor.next().is_some_and(|byte| byte != 0 && set.bytes().contains(&byte) == of_set) {
        offset += 1;
    }
    set.release();
    offset
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strspn(string: usize, set: usize) -> usize {
    span(string, set, true, call_site())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcspn(string: usize, set: usize) -> usize {
    span(string, set, false, call_site())
}

/// Returns the byte at an address.
fn byte_at(address: usize, site: RecordPointer) -> u8 {
    Cursor::new(address, Limit::Bytes(1), site).next().unwrap_or(0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strpbrk(string: usize, set: usize) -> usize {
    let site = call_site();
    let at = string + span(string, set, false, site);
    if byte_at(at, site) == 0 { 0 } else { at }
}

/// Copies a string, with its zero byte, and returns its length.
fn copy(to: usize, from: usize, limit: Limit, site: RecordPointer) -> usize {
    let text = gather(from, limit, site);
    text.push(0);
    cursor::write(to, text.bytes(), site);
    let length = text.bytes().len() - 1;
    text.release();
    length
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcpy(to: usize, from: usize) -> usize {
    copy(to, from, Limit::String, call_site());
    to
}

#[unsafe(no_mangle)]
extern "C" fn __fh_stpcpy(to: usize, from: usize) -> usize {
    to + copy(to, from, Limit::String, call_site())
}

/// Copies at most `count` bytes of a string and fills the rest with zeros; returns the string's length.
fn copy_filled(to: usize, from: usize, count: usize) -> usize {
    let site = call_site();
    let text = gather(from, Limit::StringWithin(count), site);
    let length = text.bytes().len();
    (length..count).for_each(|_| text.push(0));
    cursor::write(to, text.bytes(), site);
    text.release();
    length
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strncpy(to: usize, from: usize, count: usize) -> usize {
    copy_filled(to, from, count);
    to
}

#[unsafe(no_mangle)]
extern "C" fn __fh_stpncpy(to: usize, from: usize, count: usize) -> usize {
    to + copy_filled(to, from, count)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcat(to: usize, from: usize) -> usize {
    __fh_strncat(to, from, usize::MAX)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strncat(to: usize, from: usize, count: usize) -> usize {
    let site = call_site();
    copy(to + length(to, Limit::String, site), from, Limit::StringWithin(count), site);
    to
}

// These are the functions that the compiler calls instead of the above with _FORTIFY_SOURCE: the last argument is the
// size of the target.

#[unsafe(no_mangle)]
extern "C" fn __fh___strcpy_chk(to: usize, from: usize, _size: usize) -> usize {
    __fh_strcpy(to, from)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___stpcpy_chk(to: usize, from: usize, _size: usize) -> usize {
    __fh_stpcpy(to, from)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___strncpy_chk(to: usize, from: usize, count: usize, _size: usize) -> usize {
    __fh_strncpy(to, from, count)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___strcat_chk(to: usize, from: usize, _size: usize) -> usize {
    __fh_strcat(to, from)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___strncat_chk(to: usize, from: usize, count: usize, _size: usize) -> usize {
    __fh_strncat(to, from, count)
}

/// Copies bytes, all of which are read before the first is written, and returns them.
fn move_bytes(to: usize, from: usize, limit: Limit, site: RecordPointer) -> ScratchText {
    let text = gather(from, limit, site);
    cursor::write(to, text.bytes(), site);
    text
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mempcpy(to: usize, from: usize, count: usize) -> usize {
    move_bytes(to, from, Limit::Copied(count), call_site()).release();
    to + count
}

#[unsafe(no_mangle)]
extern "C" fn __fh_bcopy(from: usize, to: usize, count: usize) {
    move_bytes(to, from, Limit::Copied(count), call_site()).release();
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memccpy(to: usize, from: usize, stop: c_int, count: usize) -> usize {
    let site = call_site();
    let text = gather(from, Limit::Until(stop as u8, count), site);
    let stopped = text.bytes().len() < count;
    if stopped {
        text.push(stop as u8);
    }
    cursor::write(to, text.bytes(), site);
    let end = to + text.bytes().len();
    text.release();
    if stopped { end } else { 0 }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_bzero(memory: usize, count: usize) {
    let zeros = ScratchText::zeros(count);
    cursor::write(memory, zeros.bytes(), call_site());
    zeros.release();
}

#[unsafe(no_mangle)]
extern "C" fn __fh_explicit_bzero(memory: usize, count: usize) {
    __fh_bzero(memory, count);
}

/// Returns the pointer that the program keeps at the address.
pub(crate) fn load_pointer(address: usize, site: RecordPointer) -> usize {
    let mut cursor = Cursor::new(address, Limit::Bytes(size_of::<usize>()), site);
    usize::from_le_bytes(std::array::from_fn(|_| cursor.next().unwrap_or(0)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strsep(place: usize, set: usize) -> usize {
    let site = call_site();
    let string = load_pointer(place, site);
    if string == 0 {
        return 0;
    }
    let end = string + span(string, set, false, site);
    let mut rest = 0;
    if byte_at(end, site) != 0 {
        cursor::write(end, &[0], site);
        rest = end + 1;
    }
    cursor::write(place, &usize::to_le_bytes(rest), site);
    string
}

/// Returns the next token from the address on (0 if there is none), and the address from which to look for the one
/// after it.
fn token(string: usize, set: usize, site: RecordPointer) -> (usize, usize) {
    let begin = string + span(string, set, true, site);
    if byte_at(begin, site) == 0 {
        return (0, begin);
    }
    let end = begin + span(begin, set, false, site);
    if byte_at(end, site) == 0 {
        return (begin, end);
    }
    cursor::write(end, &[0], site);
    (begin, end + 1)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strtok_r(string: usize, set: usize, place: usize) -> usize {
    let site = call_site();
    let from = if string == 0 { load_pointer(place, site) } else { string };
    if from == 0 {
        return 0;
    }
    let (token, rest) = token(from, set, site);
    cursor::write(place, &rest.to_le_bytes(), site);
    token
}

#[unsafe(no_mangle)]
extern "C" fn __fh___strtok_r(string: usize, set: usize, place: usize) -> usize {
    __fh_strtok_r(string, set, place)
}

/// Performs `strtok`. As in libc, one place to go on is kept for all threads.
#[unsafe(no_mangle)]
extern "C" fn __fh_strtok(string: usize, set: usize) -> usize {
    let site = call_site();
    let from = if string == 0 { change(Common::Token, |_, kept| (kept, kept)) as usize } else { string };
    if from == 0 {
        return 0;
    }
    let (token, rest) = token(from, set, site);
    change(Common::Token, |_, _| (rest as u64, ()));
    token
}

#[unsafe(no_mangle)]
extern "C" fn __fh_strcoll(one: usize, other: usize) -> c_int {
    let site = call_site();
    let (left, right) = (gather_string(one, site), gather_string(other, site));
    // SAFETY: both are strings of the runtime's own.
    let order = unsafe { libc::strcoll(left.pointer().cast::<c_char>(), right.pointer().cast::<c_char>()) };
    right.release();
    left.release();
    order
}
