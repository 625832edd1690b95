//! What the events of an execution changed, so that they can be undone, the last one first: an execution that begins as
//! the last one did is watched only from there on.

use crate::clock::{Block, Clocks, Tick};
use crate::event::{Event, EventIndex, Kind, Location, Object, Thread};

/// The clocks of threads, of locations and of objects: so many of each thread, and so many of each of the others.
pub(super) type Rows<'a, const OF_THREAD: usize, const OF_PLACE: usize> =
    (&'a mut Clocks<OF_THREAD>, &'a mut Clocks<OF_PLACE>, &'a mut Clocks<OF_PLACE>);

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

    /// Visits these clocks.
    #[inline(always)]
    pub(super) fn visit<const WIDTH: usize, const OF_THREAD: usize, const OF_PLACE: usize>(
        &self,
        (threads, locations, objects): Rows<'_, OF_THREAD, OF_PLACE>,
        mut visit: impl FnMut(&mut [Block]),
    ) {
        visit(threads.row_of_width::<WIDTH>(self.thread.index()));
        if let Some(child) = self.child {
            visit(threads.row_of_width::<WIDTH>(child.index()));
        }
        self.locations.iter().for_each(|location| visit(locations.row_of_width::<WIDTH>(location.index())));
        self.objects.iter().flatten().for_each(|object| visit(objects.row_of_width::<WIDTH>(object.index())));
    }
}

/// An event, and what there was before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct JournalEntry {
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
    pub(super) entries: Vec<JournalEntry>,
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
