//! Scratch memory: bytes that a hook keeps while other threads run. They do not belong to the hook's frame, so that a
//! hook that is cut short has nothing to drop.

use std::cell::UnsafeCell;

use crate::process::busy::Busy;

/// The texts of all hooks, by slot.
#[derive(Default)]
struct Slots {
    /// The bytes of each slot.
    bytes: Vec<Vec<u8>>,
    /// The slots that are free.
    free: Vec<usize>,
}

/// The texts, as a global variable.
struct Global {
    slots: UnsafeCell<Option<Slots>>,
}

// SAFETY: the program runs on one OS thread.
unsafe impl Sync for Global {}

static GLOBAL: Global = Global { slots: UnsafeCell::new(None) };

fn with_slots<R>(work: impl FnOnce(&mut Slots) -> R) -> R {
    // No handler of a signal may leave the fiber meanwhile.
    let busy = Busy::new();
    // SAFETY: one OS thread, and `work` asks for no slots: this is the only reference.
    let slots = unsafe { &mut *GLOBAL.slots.get() };
    let result = work(slots.get_or_insert_default());
    drop(busy);
    result
}

/// Drops all that was kept; no thread of the program may be running.
pub(crate) fn reset() {
    with_slots(|slots| {
        slots.bytes.clear();
        slots.free.clear();
    });
}

/// A text in scratch memory, kept until [`ScratchText::release`] or the end of the execution.
pub(crate) struct ScratchText {
    slot: usize,
}

impl ScratchText {
    /// Makes an empty text.
    pub(crate) fn new() -> Self {
        let slot = with_slots(|slots| {
            slots.free.pop().unwrap_or_else(|| {
                slots.bytes.push(Vec::new());
                slots.bytes.len() - 1
            })
        });
        Self { slot }
    }

    /// Makes a text of `length` zero bytes.
    pub(crate) fn zeros(length: usize) -> Self {
        let text = Self::new();
        with_slots(|slots| slots.bytes[text.slot].resize(length, 0));
        text
    }

    /// Appends a byte.
    pub(crate) fn push(&self, byte: u8) {
        with_slots(|slots| slots.bytes[self.slot].push(byte));
    }

    /// Returns the bytes; they must not be held over [`ScratchText::push`].
    pub(crate) fn bytes(&self) -> &[u8] {
        let (pointer, length) = with_slots(|slots| (slots.bytes[self.slot].as_ptr(), slots.bytes[self.slot].len()));
        // SAFETY: the bytes stay where they are until they are released or pushed to.
        unsafe { std::slice::from_raw_parts(pointer, length) }
    }

    /// Returns the address of the bytes, for libc to read or fill; it must not be used after [`ScratchText::push`].
    pub(crate) fn pointer(&self) -> *mut u8 {
        with_slots(|slots| slots.bytes[self.slot].as_mut_ptr())
    }

    /// Drops all but the first `length` bytes.
    pub(crate) fn truncate(&self, length: usize) {
        with_slots(|slots| slots.bytes[self.slot].truncate(length));
    }

    /// Returns a number by which [`ScratchText::kept`] finds the text again.
    pub(crate) const fn keep(self) -> usize {
        self.slot
    }

    /// Returns the text for which [`ScratchText::keep`] returned this number.
    pub(crate) const fn kept(slot: usize) -> Self {
        Self { slot }
    }

    /// Drops the bytes.
    pub(crate) fn release(self) {
        with_slots(|slots| {
            slots.bytes[self.slot].clear();
            slots.free.push(self.slot);
        });
    }
}
