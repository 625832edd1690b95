//! The reads and changes of threads, by which it is decided whether wait loops wait.

use engine::event::Object;

/// A thing that an access or another operation touches: bytes of memory, or a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thing {
    /// The address of the bytes, or the number of the object.
    pub(crate) address: usize,
    /// The width in bytes; 0 for an object.
    pub(crate) width: u8,
}

impl Thing {
    /// Makes the thing that an object is.
    pub(crate) const fn object(object: Object) -> Self {
        Self { address: object.index(), width: 0 }
    }

    /// Returns the addresses of the bytes; empty for an object.
    pub(crate) const fn bytes(self) -> std::ops::Range<usize> {
        self.address..self.address + self.width as usize
    }

    /// Whether two things share a byte, or are the same object.
    pub(crate) const fn overlaps(self, other: Self) -> bool {
        if self.width == 0 || other.width == 0 {
            return self.width == other.width && self.address == other.address;
        }
        self.address < other.bytes().end && other.address < self.bytes().end
    }
}

/// Returns what the bytes hold now.
pub(crate) fn held(thing: Thing) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the program accessed these bytes through a hook in this execution, and nothing is unmapped before its end.
    unsafe {
        std::ptr::copy_nonoverlapping(thing.address as *const u8, bytes.as_mut_ptr(), thing.width.into());
    }
    u64::from_le_bytes(bytes)
}

/// A read of a thread: a value, or what an object looked like to it.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub(crate) address: usize,
    pub(crate) value: u64,
    /// The index of the event.
    pub(crate) event: u32,
    pub(crate) width: u8,
}

impl Read {
    /// Returns the thing that was read.
    pub(crate) const fn thing(&self) -> Thing {
        Thing { address: self.address, width: self.width }
    }
}

/// A change that a thread has made: of a value, or of the state of an object.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) thing: Thing,
    /// The value, or the state of the object, before the change.
    pub(crate) before: u64,
    /// The value, or the state of the object, after the change.
    pub(crate) after: u64,
    /// The index of the event.
    pub(crate) event: u32,
}

/// The state of a thread's actions at a visit of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The number of reads of the thread.
    pub(crate) reads: usize,
    /// The number of changes of the thread.
    pub(crate) changes: usize,
    /// The number of events of the thread.
    pub(crate) events: u64,
    /// The number of events of all threads.
    pub(crate) moment: u32,
    /// The number of effects other than changes.
    pub(crate) effects: u64,
    /// The number of blocks in the thread's arena.
    pub(crate) blocks: usize,
    /// The number of bytes of the arena that are used.
    pub(crate) used: usize,
    /// The number of frees of the thread.
    pub(crate) frees: u64,
    /// The number of waits that have run out.
    pub(crate) in_vain: u64,
    /// The number of rounds in a row, up to here, that the thread went past although it was not known what they keep.
    pub(crate) gone_past: u8,
    /// Whether the last of them had no effect.
    pub(crate) in_idle: bool,
}

impl Mark {
    /// Whether the thread had as many effects, changes aside, at both marks: it had none between them, as one comes
    /// before the other.
    pub(crate) fn has_effected_as_much_as(&self, other: &Self) -> bool {
        let of = |mark: &Self| (mark.effects, mark.blocks, mark.used, mark.frees);
        of(self) == of(other)
    }
}

/// A round of a loop, which a visit of its header ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The mark at which the round began.
    pub(crate) begin: Mark,
    /// An address in the frame of the loop's function; the frames of functions that it calls are below.
    pub(crate) frame: usize,
}

/// The most changes of an iteration that may count as one without effect, as they are compared one by one.
pub(crate) const MOST_CHANGES: usize = 32;

/// The reason why a thread's next limited wait does not run out: its last one did, and so would this one.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// The index of the first read since the last wait ran out.
    pub(crate) reads: usize,
    /// The number of events that the thread had performed before those reads.
    pub(crate) events: u64,
    /// The mark at which the thread came back from the wait.
    pub(crate) back: Mark,
}

#[cfg(test)]
mod tests {
    use engine::event::Object;

    use super::Thing;

    #[test]
    fn things_overlap_if_they_share_a_byte_or_are_one_object() {
        let stretches = (0..10_usize).flat_map(|address| (1..=8_u8).map(move |width| Thing { address, width }));
        let all: Vec<Thing> = stretches.chain((0..10).map(|number| Thing::object(Object(number)))).collect();
        for &one in &all {
            for &other in &all {
                let expected = match (one.width, other.width) {
                    (0, 0) => one.address == other.address,
                    (0, _) | (_, 0) => false,
                    _ => one.bytes().any(|byte| other.bytes().contains(&byte)),
                };
                assert_eq!(
                    one.overlaps(other),
                    expected,
                    "{}+{} {}+{}",
                    one.address,
                    one.width,
                    other.address,
                    other.width
                );
            }
        }
    }
}
