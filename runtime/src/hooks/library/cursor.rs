//! Reading and writing of the program's memory by modelled library functions: where other threads could see it, by
//! accesses that are events, of naturally aligned pieces of at most 8 bytes, as memcpy's; elsewhere natively.
//!
//! A piece never goes beyond what the function has to read: neither behind the byte at which it stops, nor out of the
//! object that the bytes belong to, unless the function itself does.

use std::mem::MaybeUninit;

use engine::event::Kind;
use engine::mapping::Barriers;
use protocol::Operation;

use crate::graph::dependencies;
use crate::hooks::memory::access::{piece, store_piece};
use crate::hooks::memory::unwritten::require;
use crate::process::scratch::ScratchText;
use crate::process::sites::{RecordPointer, call_site};
use crate::run::with;
use crate::state::access::Access;
use crate::state::graph::labels::Label;
use crate::state::unwritten::{self, Unwritten};
use crate::world::World;
use crate::world::memory::{self, Approach, report, turn_to_access};

/// The extent of a read.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    /// The bytes up to a zero byte.
    String,
    /// The bytes up to a zero byte, but at most this number of them.
    StringWithin(usize),
    /// All of this number of bytes.
    Bytes(usize),
    /// All of this number of bytes, which are copied and so may never have been written.
    Copied(usize),
    /// The bytes up to this one, but at most this number of them.
    Until(u8, usize),
    /// The bytes up to this one or a zero byte.
    StringUntil(u8),
}

impl Limit {
    /// Returns the most bytes that are read.
    const fn count(self) -> usize {
        match self {
            Self::String | Self::StringUntil(_) => usize::MAX,
            Self::StringWithin(count) | Self::Bytes(count) | Self::Copied(count) | Self::Until(_, count) => count,
        }
    }

    /// Whether the read ends at this byte.
    const fn stops_at(self, byte: u8) -> bool {
        match self {
            Self::String | Self::StringWithin(_) => byte == 0,
            Self::Bytes(_) | Self::Copied(_) => false,
            Self::Until(stop, _) => byte == stop,
            Self::StringUntil(stop) => byte == stop || byte == 0,
        }
    }
}

/// Whether accesses to the address are events.
pub(crate) fn is_watched(address: usize) -> bool {
    with(|runtime| runtime.memory.is_watched(runtime.running, address)).unwrap_or(false)
}

/// Reads a byte of the program's natively.
fn peek(address: usize) -> u8 {
    // SAFETY: this is the program's own access; a pointer that is not valid faults, as it would without the runtime.
    unsafe { (address as *const u8).read() }
}

/// A reader of the program's bytes, one after the other.
pub(crate) struct Cursor {
    /// The address of the byte that is loaded next.
    at: usize,
    /// The bytes that may still be loaded.
    left: usize,
    limit: Limit,
    site: RecordPointer,
    /// The bytes that were loaded and not returned yet, the next one lowest; `count` of them.
    loaded: u64,
    /// What is known of the loaded bytes: which of their bits were never written.
    unwritten: Unwritten,
    /// The number of bytes that were loaded and not returned yet.
    count: usize,
    /// Whether loads are events.
    watched: bool,
}

impl Cursor {
    /// Begins to read at the address.
    pub(crate) fn new(address: usize, limit: Limit, site: RecordPointer) -> Self {
        let watched = is_watched(address);
        let (left, unwritten) = (limit.count(), Unwritten::NONE);
        Self { at: address, left, limit, site, loaded: 0, unwritten, count: 0, watched }
    }

    /// Returns the next byte; `None` behind the limit. The byte at which the function stops is returned too; what
    /// follows it must not be asked for.
    pub(crate) fn next(&mut self) -> Option<u8> {
        if self.count == 0 {
            if self.left == 0 {
                return None;
            }
            self.load();
        }
        if !matches!(self.limit, Limit::Copied(_)) {
            require(self.unwritten.first(), self.site);
        }
        let byte = self.loaded as u8;
        self.loaded >>= 8;
        self.unwritten = self.unwritten.behind_first();
        self.count -= 1;
        Some(byte)
    }

    /// Loads the next piece.
    fn load(&mut self) {
        let width = if self.watched {
            // In a graph a location has one width, so that of a piece must not depend on what is read.
            let width = if World::now().has_accesses_alone() { self.fixed_width() } else { 1 };
            turn_to_access(Approach::Load, self.at, width, self.site);
            let width = if World::now().has_accesses_alone() { width } else { self.width() };
            let value = (0..width).rev().fold(0, |value, byte| value << 8 | u64::from(peek(self.at + byte)));
            self.loaded = value;
            report(Access {
                address: self.at,
                width: width as u8,
                kind: Kind::Load,
                barriers: Barriers::NONE,
                operation: Operation::Load,
                site: self.site,
                before: value,
                after: value,
                expected: None,
            });
            dependencies::branch_on_loaded();
            width
        } else {
            dependencies::branch_on_private(self.at, 1);
            self.loaded = peek(self.at).into();
            1
        };
        self.unwritten = unwritten::of_loaded(self.at, width);
        self.at += width;
        self.left -= width;
        self.count = width;
    }

    /// Returns the width of the next piece, which does not depend on what is read.
    fn fixed_width(&self) -> usize {
        match self.limit {
            Limit::Bytes(_) | Limit::Copied(_) => memory::piece(self.at, piece(self.at, self.left)),
            _ => 1,
        }
    }

    /// Returns the width of the next piece, now that it is this thread's turn to load it.
    fn width(&self) -> usize {
        let object = with(|runtime| runtime.memory.left_of_object(self.at)).flatten().unwrap_or(8);
        let mut width = piece(self.at, self.left.min(object));
        while width > 1 && (0..width - 1).any(|byte| self.limit.stops_at(peek(self.at + byte))) {
            width /= 2;
        }
        width
    }
}

/// Reads the bytes up to the limit, without the one at which it stops.
pub(crate) fn gather(address: usize, limit: Limit, site: RecordPointer) -> ScratchText {
    let text = ScratchText::new();
    let mut cursor = Cursor::new(address, limit, site);
    while let Some(byte) = cursor.next().filter(|&byte| !limit.stops_at(byte)) {
        text.push(byte);
    }
    text
}

/// Reads the string at the address, with its zero byte.
pub(crate) fn gather_string(address: usize, site: RecordPointer) -> ScratchText {
    let text = gather(address, Limit::String, site);
    text.push(0);
    text
}

/// Room for something that the program passes by a pointer.
pub(crate) struct Passed<T>(MaybeUninit<T>);

impl<T> Passed<T> {
    /// Makes room.
    pub(crate) const fn room() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// Returns a pointer by which a hook can read natively what the program passes by this one: to a copy where memory does
    /// not hold what the thread reads there.
    pub(crate) fn at(&mut self, from: *const T) -> *const T {
        if !World::now().has_accesses_alone() || from.is_null() {
            return from;
        }
        if !is_watched(from as usize) {
            dependencies::branch_on_private(from as usize, size_of::<T>());
            return from;
        }
        let bytes = gather(from as usize, Limit::Copied(size_of::<T>()), call_site());
        // SAFETY: there is room for all bytes of a value, of which as many were gathered.
        unsafe { std::ptr::copy_nonoverlapping(bytes.pointer(), self.0.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
        bytes.release();
        self.0.as_ptr()
    }
}

/// Writes bytes, which must not be the program's own, to the program's memory.
pub(crate) fn write(address: usize, bytes: &[u8], site: RecordPointer) {
    if !is_watched(address) {
        dependencies::put(address, bytes.len(), Label::NONE);
        unwritten::written(address, bytes.len());
        // SAFETY: the program passes memory for this number of bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        return;
    }
    let mut done = 0;
    while done < bytes.len() {
        let width = memory::piece(address + done, piece(address + done, bytes.len() - done));
        let value = bytes[done..done + width].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        store_piece(address + done, width, value, site);
        unwritten::written(address + done, width);
        done += width;
    }
}
