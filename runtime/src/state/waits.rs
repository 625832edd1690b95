//! What threads have read and changed, as wait loops look at it.

use engine::event::Object;

/// What an access or another operation touches: bytes of memory, or a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thing {
    /// Or the number of the object.
    pub(crate) address: usize,
    /// 0 for an object.
    pub(crate) width: u8,
}

impl Thing {
    pub(crate) const fn object(object: Object) -> Self {
        Self { address: object.index(), width: 0 }
    }

    pub(crate) const fn bytes(self) -> std::ops::Range<usize> {
        self.address..self.address + self.width as usize
    }

    pub(crate) const fn overlaps(self, other: Self) -> bool {
        if self.width == 0 || other.width == 0 {
            return self.width == other.width && self.address == other.address;
        }
        self.address < other.bytes().end && other.address < self.bytes().end
    }
}

/// What the bytes hold now.
pub(crate) fn held(thing: Thing) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the program accessed these bytes through a hook in this execution, and nothing is unmapped before its end.
    unsafe {
        std::ptr::copy_nonoverlapping(thing.address as *const u8, bytes.as_mut_ptr(), thing.width.into());
    }
    u64::from_le_bytes(bytes)
}

/// What a thread has read: a value, or what an object looked like to it.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub(crate) address: usize,
    pub(crate) value: u64,
    /// The index of the event.
    pub(crate) event: u32,
    pub(crate) width: u8,
}

impl Read {
    pub(crate) const fn thing(&self) -> Thing {
        Thing { address: self.address, width: self.width }
    }
}

/// What a thread has changed: a value, or the state of an object.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) thing: Thing,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) event: u32,
}

/// What a thread has done by the time of a visit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) reads: usize,
    pub(crate) changes: usize,
    pub(crate) events: u64,
    /// The events of all threads.
    pub(crate) moment: u32,
    /// Other effects than changes.
    pub(crate) effects: u64,
    /// Of the thread's arena.
    pub(crate) blocks: usize,
    pub(crate) used: usize,
    pub(crate) frees: u64,
    /// Waits that have run out.
    pub(crate) in_vain: u64,
}

impl Mark {
    /// Whether there are as many effects before both, changes aside: none between them, as one comes before the other.
    pub(crate) fn has_effected_as_much_as(&self, other: &Self) -> bool {
        let of = |mark: &Self| (mark.effects, mark.blocks, mark.used, mark.frees);
        of(self) == of(other)
    }
}

/// What a visit of a loop's header ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// What the thread had done when it began.
    pub(crate) begin: Mark,
    /// An address in the frame of the loop's function; the frames of what that calls are below.
    pub(crate) frame: usize,
}

/// An iteration that changes more than this does not count as one without effect: it is compared change by change.
pub(crate) const MOST_CHANGES: usize = 32;

/// Why a thread's next limited wait does not run out: its last one did, and so would this one.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// What it has read since then are its reads from this one on.
    pub(crate) reads: usize,
    /// How many events it had performed before those.
    pub(crate) events: u64,
    /// What it had done when it came back.
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
