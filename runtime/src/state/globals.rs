//! The program's variables: restored before each execution, and the thread-local ones, a copy a thread.
//!
//! The pass moves mutable variables into sections of ours (`fh_data`, `fh_bss`; thread-local ones as images into
//! `fh_tdata`, `fh_tbss`). A small program's are copied back whole; of a large one's only what was written is undone.

use std::ffi::c_char;
use std::ops::Range;

use crate::process::layout;
use crate::process::sites::text;

/// Up to so many bytes of variables are restored by copying all of them.
const COPY: usize = 64 << 10;

macro_rules! section {
    ($own:ident, $name:literal, $start:literal, $stop:literal, $range:ident) => {
        /// One byte of our own, so that the section exists in every program.
        #[used]
        #[unsafe(link_section = $name)]
        static mut $own: u8 = 0;

        fn $range() -> Range<usize> {
            unsafe extern "C" {
                #[link_name = $start]
                static START: u8;
                #[link_name = $stop]
                static STOP: u8;
            }
            &raw const START as usize..&raw const STOP as usize
        }
    };
}

section!(OWN_DATA, "fh_data", "__start_fh_data", "__stop_fh_data", data);
section!(OWN_BSS, "fh_bss", "__start_fh_bss", "__stop_fh_bss", bss);
section!(OWN_TDATA, "fh_tdata", "__start_fh_tdata", "__stop_fh_tdata", tdata);
section!(OWN_CANCELS, "fh_cancels", "__start_fh_cancels", "__stop_fh_cancels", cancels);
section!(OWN_EXITS, "fh_exits", "__start_fh_exits", "__stop_fh_exits", exits);
section!(OWN_ASKS, "fh_asks", "__start_fh_asks", "__stop_fh_asks", asks);
section!(OWN_UNFENCED, "fh_unfenced", "__start_fh_unfenced", "__stop_fh_unfenced", unfenced);
section!(OWN_UNWRITTEN, "fh_unwritten", "__start_fh_unwritten", "__stop_fh_unwritten", unwritten);
section!(OWN_SHARES, "fh_shares", "__start_fh_shares", "__stop_fh_shares", shares);
section!(OWN_LOOKS, "fh_looks", "__start_fh_looks", "__stop_fh_looks", looks);
section!(OWN_CLOCKS, "fh_clocks", "__start_fh_clocks", "__stop_fh_clocks", clocks);
section!(OWN_UNLABELLED, "fh_unlabelled", "__start_fh_unlabelled", "__stop_fh_unlabelled", unlabelled);
section!(OWN_TBSS, "fh_tbss", "__start_fh_tbss", "__stop_fh_tbss", tbss);

/// The addresses from the first to the last variable.
pub(crate) fn image() -> Range<usize> {
    let (data, bss) = (data(), bss());
    data.start.min(bss.start)..data.end.max(bss.end)
}

/// Whether the program calls `pthread_cancel` anywhere: the pass puts a byte into this section for each file that does.
pub(crate) fn calls_cancel() -> bool {
    cancels().len() > 1
}

/// Whether the program calls `exit` or one of its sisters anywhere: the pass puts a byte into this section for each file
/// that does.
pub(crate) fn calls_exit() -> bool {
    exits().len() > 1
}

/// Whether the program asks anywhere whether a thread has ended, and does not wait for it however long it takes: the pass
/// puts a byte into this section for each file that does.
pub(crate) fn asks_for_ends() -> bool {
    asks().len() > 1
}

/// Whether the program uses what the C library keeps for all threads elsewhere than in `main`: the pass puts a byte into
/// this section for each file that does.
pub(crate) fn shares_library() -> bool {
    shares().len() > 1
}

/// Whether the program looks at a clock, and does that or sleeps elsewhere than in `main`: the pass puts a byte into one
/// section for each file that looks, and into another one for each file that does either elsewhere.
pub(crate) fn shares_clock() -> bool {
    looks().len() > 1 && clocks().len() > 1
}

/// Whether each transaction of the program, and each store outside of them, is known to be followed by a full fence: the
/// pass puts a byte into this section for each file of which it is not.
pub(crate) fn is_fenced() -> bool {
    unfenced().len() == 1
}

/// Whether the program was compiled with `--uninitialised`: the pass puts a byte into this section for each file that was.
pub(crate) fn tracks_unwritten() -> bool {
    unwritten().len() > 1
}

/// Whether all instrumented files of the program have labels of dependencies: the pass puts a byte into this section for
/// each that has none.
pub(crate) fn has_labels() -> bool {
    unlabelled().len() == 1
}

/// Whether the address is in a variable of the program.
pub(crate) fn is_variable(address: usize) -> bool {
    data().contains(&address) || bss().contains(&address)
}

/// One record of section `fh_globals`, `struct fh_variable` of the hook ABI.
#[repr(C)]
struct VariableRecord {
    address: usize,
    size: usize,
    name: *const c_char,
    element: usize,
}

crate::abi::same_record!(fh_variable, VariableRecord, address, size, name, element);

// SAFETY: records are constants of the program.
unsafe impl Sync for VariableRecord {}

/// One record of our own, so that the section exists in every program.
#[used]
#[unsafe(link_section = "fh_globals")]
static OWN_VARIABLE: VariableRecord = VariableRecord { address: 0, size: 0, name: std::ptr::null(), element: 0 };

/// A variable of the program.
pub(crate) struct Variable {
    pub(crate) bytes: Range<usize>,
    pub(crate) name: String,
    /// Bytes of each element, of an array; else 0.
    element: usize,
}

/// So many bytes behind each variable belong to none (`llvm-pass/src/globals.rs`).
const GAP: usize = 16;

/// The variables that the pass put into our sections, by address.
fn variables() -> Vec<Variable> {
    unsafe extern "C" {
        #[link_name = "__start_fh_globals"]
        static START: VariableRecord;
        #[link_name = "__stop_fh_globals"]
        static STOP: VariableRecord;
    }
    let count = (&raw const STOP as usize - &raw const START as usize) / size_of::<VariableRecord>();
    // SAFETY: the linker puts all records of the section one after the other.
    let records = unsafe { std::slice::from_raw_parts(&raw const START, count) };
    let variable = |record: &VariableRecord| Variable {
        bytes: record.address..record.address + record.size,
        name: text(record.name),
        element: record.element,
    };
    let mut variables: Vec<Variable> =
        records.iter().filter(|record| record.size > 0 && is_variable(record.address)).map(variable).collect();
    // A variable that several files define is the longest of them.
    variables.sort_by_key(|variable| (variable.bytes.start, std::cmp::Reverse(variable.bytes.end)));
    variables.dedup_by_key(|variable| variable.bytes.start);
    variables
}

struct Saved {
    address: usize,
    bytes: Vec<u8>,
}

impl Saved {
    fn of(range: &Range<usize>) -> Self {
        let mut bytes = vec![0; range.len()];
        // SAFETY: the section is mapped, and nothing else runs.
        unsafe { std::ptr::copy_nonoverlapping(range.start as *const u8, bytes.as_mut_ptr(), range.len()) };
        Self { address: range.start, bytes }
    }

    fn restore(&self) {
        // SAFETY: the variables' section, writable, while no thread of the program runs.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes.as_ptr(), self.address as *mut u8, self.bytes.len()) };
    }
}

enum Method {
    /// Everything is copied back.
    Copy,
    /// The old bytes of each write are kept: address, width, value.
    Undo(Vec<(usize, u8, u64)>),
}

/// The variables as they were before `main`.
pub(crate) struct Globals {
    saved: [Saved; 2],
    method: Method,
    /// Something wrote to variables unseen: copy this time.
    unseen: bool,
    variables: Vec<Variable>,
}

impl Globals {
    /// Takes the variables as they are now.
    pub(crate) fn save() -> Self {
        let saved = [Saved::of(&data()), Saved::of(&bss())];
        let size = saved[0].bytes.len() + saved[1].bytes.len();
        let method = if size <= COPY { Method::Copy } else { Method::Undo(Vec::new()) };
        Self { saved, method, unseen: false, variables: variables() }
    }

    /// The variable that the address is in.
    pub(crate) fn variable(&self, address: usize) -> Option<&Variable> {
        let after = self.variables.partition_point(|variable| variable.bytes.start <= address);
        self.variables.get(after.checked_sub(1)?).filter(|variable| variable.bytes.contains(&address))
    }

    /// The element of the array of this name that the address is in, `got[1]`, and where it begins.
    pub(crate) fn element(&self, name: &str, address: u64) -> Option<(String, u64)> {
        let address = usize::try_from(address).ok()?;
        let array = self.variable(address).filter(|variable| variable.name == name && variable.element > 0)?;
        let index = (address - array.bytes.start) / array.element;
        Some((format!("{name}[{index}]"), (array.bytes.start + index * array.element) as u64))
    }

    /// The variable that these bytes, at least one, are across the end of or right after.
    pub(crate) fn beside(&self, bytes: &Range<usize>) -> Option<&Variable> {
        let after = self.variables.partition_point(|variable| variable.bytes.start <= bytes.start);
        let variable = self.variables.get(after.checked_sub(1)?)?;
        (bytes.end > variable.bytes.end && bytes.start < variable.bytes.end + GAP).then_some(variable)
    }

    /// The `width` bytes (1 to 8) at `address` are about to change; they hold `old`.
    #[inline]
    pub(crate) fn writes(&mut self, address: usize, width: u8, old: u64) {
        if let Method::Undo(log) = &mut self.method
            && is_variable(address)
        {
            log.push((address, width, old));
        }
    }

    /// Native code may have written to variables.
    pub(crate) const fn written_unseen(&mut self) {
        self.unseen = true;
    }

    /// Puts everything back.
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

/// Bytes that a thread's copies of the thread-local variables take, a multiple of 64.
pub(crate) fn tls_length() -> usize {
    let length = |range: Range<usize>| (range.len() + 63) & !63;
    // A thread's copies keep the alignment of their images to 64 bytes.
    length(tdata()) + length(tbss()) + 128
}

/// Where a thread's copies begin: at the top of its stack.
fn tls_block(thread: engine::event::Thread) -> usize {
    layout::stack(thread) + layout::STACK - tls_length()
}

/// The thread-local variables of a thread.
pub(crate) fn tls_of(thread: engine::event::Thread) -> Range<usize> {
    tls_block(thread)..layout::stack(thread) + layout::STACK
}

fn tls_places(thread: engine::event::Thread) -> [(Range<usize>, usize); 2] {
    let aligned_after = |at: usize, like: usize| at + ((like.wrapping_sub(at)) & 63);
    let data_at = aligned_after(tls_block(thread), tdata().start);
    let bss_at = aligned_after(data_at + tdata().len(), tbss().start);
    [(tdata(), data_at), (tbss(), bss_at)]
}

/// Gives a new thread fresh copies of the thread-local variables.
pub(crate) fn start_thread(thread: engine::event::Thread) {
    for (image, copy) in tls_places(thread) {
        if image.len() > 1 {
            // SAFETY: both lie in mapped memory: the section, and the top of the thread's own stack, unused so far.
            unsafe { std::ptr::copy_nonoverlapping(image.start as *const u8, copy as *mut u8, image.len()) };
            crate::state::unwritten::written(copy, image.len());
        }
    }
}

/// The address of the thread's copy of the variable whose image is at `image`.
pub(crate) fn tls_address(thread: engine::event::Thread, image: usize) -> usize {
    tls_places(thread)
        .into_iter()
        .find(|(range, _)| range.contains(&image))
        .map_or(image, |(range, copy)| copy + (image - range.start))
}
