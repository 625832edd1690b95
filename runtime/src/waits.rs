//! Wait loops that end (decision 7 of the design): an iteration that changes nothing blocks its thread until a byte
//! that it read has another value.
//!
//! At each visit of a loop's header the pass says whether the values that enter it, and the private memory that the
//! loop writes, are those of the last visit. If they are, and the thread has written no new value anywhere since then,
//! the iteration had no effect; and as long as every byte that it read has the value that it read, another one would do
//! the same again. A store of the value that was there already, as a test-and-set of a held lock makes, is no change.

use engine::event::{Kind, Thread};
use engine::execution::{Iteration, Status, Wakes};

use crate::runtime::{Access, Runtime, Turn, with};
use crate::sites::RecordPointer;

/// `struct fh_loop` of the hook ABI: what the last visit found, in the frame of the program's function.
#[repr(C)]
pub(crate) struct Loop {
    /// How many reads the thread had made.
    reads: u64,
    /// How many effects it had had.
    effects: u64,
    /// How many events it had performed.
    events: u64,
    /// How many waits of it had run out.
    in_vain: u64,
}

/// Bytes that a thread has read.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    address: usize,
    width: u8,
    value: u64,
}

impl Read {
    pub(crate) const fn new(address: usize, width: u8, value: u64) -> Self {
        Self { address, width, value }
    }

    /// Whether memory still holds what was read.
    pub(crate) fn holds(&self) -> bool {
        let mut bytes = [0; 8];
        // SAFETY: the program read these bytes through a hook in this execution, and nothing is unmapped before its
        // end.
        unsafe {
            std::ptr::copy_nonoverlapping(self.address as *const u8, bytes.as_mut_ptr(), self.width.into());
        }
        u64::from_le_bytes(bytes) == self.value
    }
}

const ENTERED: u32 = 0;
const SAME: u32 = 2;

#[unsafe(no_mangle)]
extern "C" fn __fh_loop(record: *mut Loop, visit: u32, _site: RecordPointer) {
    // SAFETY: the pass passes the record of this loop in the caller's frame.
    let record = unsafe { &mut *record };
    if let Some(turn) = with(|runtime| runtime.visit_loop(record, visit)).flatten() {
        turn.obey();
        // Woken: the round that begins now is the first since.
        with(|runtime| runtime.visit_loop(record, ENTERED));
    }
}

impl Runtime {
    /// The running thread is at the header of a loop; who goes on if it has to wait.
    fn visit_loop(&mut self, record: &mut Loop, visit: u32) -> Option<Turn> {
        let thread = self.running;
        let state = self.threads.at(thread);
        let idle = visit == SAME && state.effects == record.effects;
        let events = state.events - record.events.min(state.events);
        let in_vain = state.waits_in_vain - record.in_vain.min(state.waits_in_vain);
        // Where one wait ran out, the thread waits there: to wait here would be to hold on to whatever it holds. Of
        // several, each could go on by itself: round again.
        if !idle || in_vain > 0 {
            let since = record.reads as usize;
            let (reads, effects, in_vain_so_far) = (state.reads.len() as u64, state.effects, state.waits_in_vain);
            *record = Loop { reads, effects, events: state.events, in_vain: in_vain_so_far };
            if idle && in_vain == 1 {
                self.grows_patient(since);
            }
            return None;
        }
        state.waits = true;
        state.waits_for = record.reads as usize;
        let iteration = self.last_events(thread, events);
        self.execution.wait(thread, iteration);
        Some(self.next())
    }

    /// The last so many events of the thread.
    fn last_events(&self, thread: Thread, events: u64) -> Option<Iteration> {
        let events = u32::try_from(events).ok().filter(|&events| events > 0)?;
        let steps = self.execution.steps();
        let mut own = (0..steps.len()).rev().filter(|&index| steps[index].thread == thread).map(|index| index as u32);
        let last = own.next()?;
        let first = if events == 1 { last } else { own.nth(events as usize - 2)? };
        Some(Iteration { first, last, events })
    }

    /// Keeps how many events a wait loop's iteration has, what it reads, and whether it changes anything.
    #[inline(always)]
    pub(crate) fn note_for_waits(&mut self, access: &Access) {
        let state = self.threads.at(self.running);
        state.events += 1;
        // A store that changes nothing would, once others have changed its bytes.
        if access.kind != Kind::Store || access.before == access.after {
            state.reads.push(Read { address: access.address, width: access.width, value: access.before });
        }
        if access.before != access.after {
            state.effects += 1;
            self.globals.writes(access.address, access.width, access.before);
        }
    }

    /// Which of the waiting threads would read something else now?
    #[cold]
    pub(crate) fn wake_waiting(&mut self) {
        for index in 0..self.threads.len() {
            let thread = Thread::from_index(index);
            self.check_patience(thread);
            if self.execution.status(thread) == Status::Waiting {
                let state = self.threads.at(thread);
                let same = state.reads[state.waits_for..].iter().all(Read::holds);
                self.execution.wake(thread, if same { Wakes::NotYet } else { Wakes::Yes });
            }
        }
    }
}
