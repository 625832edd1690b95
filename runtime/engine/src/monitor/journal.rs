//! What the events of an execution changed, so that they can be undone, the last one first: an execution that begins as
//! the last one did is watched only from there on.

use super::EventIndex;
use crate::clock::{Block, Tick};
use crate::event::{Event, Kind, Location, Object, Thread};

/// Whose clocks an event changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed<'a> {
    pub(super) thread: Thread,
    /// The thread that it creates.
    pub(super) child: Option<Thread>,
    pub(super) locations: &'a [Location],
    pub(super) objects: [Option<Object>; 2],
}

impl<'a> Changed<'a> {
    #[inline(always)]
    pub(super) const fn by(event: &Event, locations: &'a [Location]) -> Self {
        let (child, objects) = match event.kind {
            Kind::Create(child) => (Some(child), [None; 2]),
            Kind::Lock(object) | Kind::Share(object) => (None, [Some(object), None]),
            Kind::Wait { condition, mutex } => (None, [Some(condition), Some(mutex)]),
            _ => (None, [None; 2]),
        };
        Self { thread: event.thread, child, locations, objects }
    }
}

/// An event, and what there was before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) thread: Thread,
    pub(super) child: Option<Thread>,
    pub(super) objects: [Option<Object>; 2],
    /// Its tick.
    pub(super) tick: Tick,
    pub(super) epoch: Tick,
    pub(super) fenced: Tick,
    pub(super) previous: EventIndex,
    pub(super) previous_of_child: EventIndex,
    /// How many cells of writes there were.
    pub(super) cells: usize,
    /// Where what belongs to it begins in the journal.
    pub(super) locations: usize,
    pub(super) blocks: usize,
}

/// A journal of more blocks, 16 MB, is given up.
const MOST_BLOCKS: usize = 1 << 20;

/// The events of an execution from one on.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The first event that can be undone; none if no journal is kept.
    pub(super) first: Option<EventIndex>,
    pub(super) entries: Vec<Entry>,
    pub(super) locations: Vec<Location>,
    /// Of each of these, how far the thread knew its writes.
    pub(super) progress: Vec<u32>,
    pub(super) blocks: Vec<Block>,
}

impl Journal {
    /// Whether it takes no more events.
    pub(super) const fn is_full(&self) -> bool {
        self.blocks.len() > MOST_BLOCKS
    }

    /// Forgets all; the next event is this one.
    pub(super) fn restart(&mut self, next: EventIndex) {
        if let Some(first) = &mut self.first {
            *first = next;
        }
        self.entries.clear();
        self.locations.clear();
        self.progress.clear();
        self.blocks.clear();
    }
}
