//! The program's variables, which are restored before each execution; of the thread-local ones each thread gets a copy.
//!
//! The pass moves mutable variables into sections of its own (`fh_data`, `fh_bss`; thread-local ones as images into
//! `fh_tdata`, `fh_tbss`). The variables of a small program are copied back whole; in a large one only the writes are
//! undone.

use std::ffi::c_char;
use std::ops::Range;

use hook_abi::members;

use crate::process::sections::{bss, data, is_variable, tls_places};
use crate::process::sites::text;
use crate::state::unwritten;

/// The most bytes of variables that are restored by copying all of them.
const COPY: usize = 64 << 10;

/// One record of section `fh_globals`, `struct fh_variable` of the hook ABI.
#[repr(C)]
struct VariableRecord {
    address: usize,
    size: usize,
    name: *const c_char,
    members: *const c_char,
}

crate::abi::same_record!(fh_variable, VariableRecord, address, size, name, members);

// SAFETY: the records are constants of the program, which nobody changes.
unsafe impl Sync for VariableRecord {}

/// A record of the runtime's own, so that the section exists in every program.
#[used]
#[unsafe(link_section = "fh_globals")]
static OWN_VARIABLE: VariableRecord =
    VariableRecord { address: 0, size: 0, name: std::ptr::null(), members: std::ptr::null() };

/// A variable of the program.
pub(crate) struct Variable {
    pub(crate) bytes: Range<usize>,
    pub(crate) name: String,
    /// The members of the variable, in the form of [`hook_abi::members`]; empty if they are not known.
    members: String,
}

/// The bytes behind each variable that belong to no variable (`llvm-pass/src/globals.rs`).
const GAP: usize = 16;

/// Returns the variables that the pass put into its sections, by address.
pub(crate) fn variables() -> Vec<Variable> {
    unsafe extern "C" {
        #[link_name = "__start_fh_globals"]
        static START: VariableRecord;
        #[link_name = "__stop_fh_globals"]
        static STOP: VariableRecord;
    }
    let count = (&raw const STOP as usize - &raw const START as usize) / size_of::<VariableRecord>();
    // SAFETY: the linker puts all records of the section one after the other, between these two symbols.
    let records = unsafe { std::slice::from_raw_parts(&raw const START, count) };
    let variable = |record: &VariableRecord| Variable {
        bytes: record.address..record.address + record.size,
        name: text(record.name),
        members: text(record.members),
    };
    let mut variables: Vec<Variable> =
        records.iter().filter(|record| record.size > 0 && is_variable(record.address)).map(variable).collect();
    // A variable that several files define is the longest of them.
    variables.sort_by_key(|variable| (variable.bytes.start, std::cmp::Reverse(variable.bytes.end)));
    variables.dedup_by_key(|variable| variable.bytes.start);
    variables
}

/// A section of variables, as it was before `main`.
struct Saved {
    address: usize,
    bytes: Vec<u8>,
}

impl Saved {
    /// Copies these bytes as they are now.
    fn of(range: &Range<usize>) -> Self {
        let mut bytes = vec![0; range.len()];
        // SAFETY: the section is mapped, and nothing else runs.
        unsafe { std::ptr::copy_nonoverlapping(range.start as *const u8, bytes.as_mut_ptr(), range.len()) };
        Self { address: range.start, bytes }
    }

    /// Returns the addresses of the section.
    const fn range(&self) -> Range<usize> {
        self.address..self.address + self.bytes.len()
    }

    /// Passes on the eight aligned bytes at the address, as far as they are saved, if they have changed.
    fn tell_change(&self, at: usize, tell: &mut impl FnMut(usize, [u8; 8], [u8; 8])) {
        let range = self.range();
        let (from, to) = (at.max(range.start), (at + 8).min(range.end));
        if from >= to {
            return;
        }
        let mut first = [0; 8];
        first[from - at..to - at].copy_from_slice(&self.bytes[from - range.start..to - range.start]);
        let mut last = first;
        // SAFETY: a part of the section, which is mapped, while no thread of the program runs.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, last[from - at..].as_mut_ptr(), to - from) };
        if first != last {
            tell(at, first, last);
        }
    }

    /// Copies the section back.
    fn restore(&self) {
        // SAFETY: the variables' section, writable, while no thread of the program runs.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes.as_ptr(), self.address as *mut u8, self.bytes.len()) };
    }
}

/// The way in which variables are restored.
enum Method {
    /// All variables are copied back.
    Copy,
    /// The old bytes of each write are put back: address, width and value.
    Undo(Vec<(usize, u8, u64)>),
}

/// The variables as they were before `main`.
pub(crate) struct Globals {
    saved: [Saved; 2],
    method: Method,
    /// Whether something may have written to variables unseen, so that all of them must be copied back this time.
    unseen: bool,
    variables: Vec<Variable>,
}

impl Globals {
    /// Saves the variables as they are now.
    pub(crate) fn save() -> Self {
        let saved = [Saved::of(&data()), Saved::of(&bss())];
        let size = saved[0].bytes.len() + saved[1].bytes.len();
        let method = if size <= COPY { Method::Copy } else { Method::Undo(Vec::new()) };
        Self { saved, method, unseen: false, variables: variables() }
    }

    /// Returns the variable that the address is in.
    pub(crate) fn variable(&self, address: usize) -> Option<&Variable> {
        let after = self.variables.partition_point(|variable| variable.bytes.start <= address);
        self.variables.get(after.checked_sub(1)?).filter(|variable| variable.bytes.contains(&address))
    }

    /// Returns the name of the variable, or of the member of one, that an access of `width` bytes (at least 1) is to:
    /// `flags[1]`, `ring.tail`. Returns `None` if it is to no variable, or to one whose members are not known.
    pub(crate) fn named(&self, address: u64, width: u64) -> Option<String> {
        self.within(address, |members, offset| members::path(members, offset, width))
    }

    /// Returns the name of the variable, or of the member of one, that begins at the address.
    pub(crate) fn beginning(&self, address: u64) -> Option<String> {
        self.within(address, members::beginning)
    }

    /// Returns the name of the variable that the address is in, followed by the path that `find` makes of members and
    /// offset.
    fn within(&self, address: u64, find: impl Fn(&str, u64) -> Option<String>) -> Option<String> {
        let variable = self.variable(usize::try_from(address).ok()?)?;
        let path = find(&variable.members, address - variable.bytes.start as u64)?;
        Some(format!("{}{path}", variable.name))
    }

    /// Returns the variable whose end these bytes, at least one, go across or come right after.
    pub(crate) fn beside(&self, bytes: &Range<usize>) -> Option<&Variable> {
        let after = self.variables.partition_point(|variable| variable.bytes.start <= bytes.start);
        let variable = self.variables.get(after.checked_sub(1)?)?;
        (bytes.end > variable.bytes.end && bytes.start < variable.bytes.end + GAP).then_some(variable)
    }

    /// Notes that the `width` bytes (1 to 8) at `address` are about to change; they hold `old`.
    #[inline]
    pub(crate) fn writes(&mut self, address: usize, width: u8, old: u64) {
        if let Method::Undo(log) = &mut self.method
            && is_variable(address)
        {
            log.push((address, width, old));
        }
    }

    /// Notes that native code may have written to variables.
    pub(crate) const fn written_unseen(&mut self) {
        self.unseen = true;
    }

    /// Passes on each eight aligned bytes that are not as before `main`, with what they held then and hold now.
    pub(crate) fn changed(&self, mut tell: impl FnMut(usize, [u8; 8], [u8; 8])) {
        for saved in &self.saved {
            match &self.method {
                Method::Undo(log) if !self.unseen => {
                    let written =
                        log.iter().flat_map(|&(address, width, _)| [address, address + usize::from(width) - 1]);
                    let mut words: Vec<usize> = written.map(|address| address & !7).collect();
                    words.sort_unstable();
                    words.dedup();
                    words.into_iter().for_each(|at| saved.tell_change(at, &mut tell));
                }
                _ => (saved.range().start & !7..saved.range().end)
                    .step_by(8)
                    .for_each(|at| saved.tell_change(at, &mut tell)),
            }
        }
    }

    /// Restores the variables as they were before `main`.
    pub(crate) fn restore(&mut self) {
        match &mut self.method {
            Method::Undo(log) if !self.unseen => {
                for (address, width, old) in log.drain(..).rev() {
                    let bytes = old.to_le_bytes();
                    // SAFETY: these bytes were written by the program through a hook; so they are writable.
                    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, width.into()) };
                }
            }
            Method::Copy => self.saved.iter().for_each(Saved::restore),
            Method::Undo(log) => {
                log.clear();
                self.saved.iter().for_each(Saved::restore);
            }
        }
        self.unseen = false;
    }
}

/// Gives a new thread fresh copies of the thread-local variables.
pub(crate) fn start_thread(thread: engine::event::Thread) {
    for (image, copy) in tls_places(thread) {
        if image.len() > 1 {
            // SAFETY: both lie in mapped memory: the section, and the top of the thread's own stack, unused so far.
            unsafe { std::ptr::copy_nonoverlapping(image.start as *const u8, copy as *mut u8, image.len()) };
            unwritten::written(copy, image.len());
        }
    }
}
