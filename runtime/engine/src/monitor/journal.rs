//! A journal of what the events of an execution changed, by which they can be undone, the last one first: an execution that
//! begins as the last one did is watched only from where the two part.

use crate::clock::{Block, Clocks, Tick};
use crate::event::{Event, EventIndex, Kind, Location, Object, Thread};

/// The clocks of threads, of locations and of objects: `OF_THREAD` clocks for each thread, and `OF_PLACE` for each location and
/// each object.
pub(super) type Rows<'a, const OF_THREAD: usize, const OF_PLACE: usize> =
    (&'a mut Clocks<OF_THREAD>, &'a mut Clocks<OF_PLACE>, &'a mut Clocks<OF_PLACE>);

/// The thread, child, locations and objects whose clocks an event changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed<'a> {
    pub(super) thread: Thread,
    /// The thread that the event creates.
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

    /// Calls `visit` with the clocks of each of them.
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

/// An event of the journal, with the state that it replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct JournalEntry {
    pub(super) thread: Thread,
    pub(super) child: Option<Thread>,
    pub(super) objects: [Option<Object>; 2],
    /// The tick of the event.
    pub(super) tick: Tick,
    pub(super) epoch: Tick,
    pub(super) fenced: Tick,
    pub(super) previous: EventIndex,
    pub(super) previous_of_child: EventIndex,
    /// The number of cells of writes before the event.
    pub(super) cells: usize,
    /// The lengths of `Journal::locations` and of `Journal::blocks` before the event: what belongs to it begins there.
    pub(super) locations: usize,
    pub(super) blocks: usize,
}

/// The most blocks that a journal holds, 16 MB; a longer one is given up.
const MOST_BLOCKS: usize = 1 << 20;

/// The events of an execution from one event on.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The first event that can be undone; none if no journal is kept.
    pub(super) first: Option<EventIndex>,
    pub(super) entries: Vec<JournalEntry>,
    pub(super) locations: Vec<Location>,
    /// How far the thread of the event knew the writes to each of `locations`, before the event.
    pub(super) progress: Vec<u32>,
    pub(super) blocks: Vec<Block>,
}

impl Journal {
    /// Whether the journal takes no more events.
    pub(super) const fn is_full(&self) -> bool {
        self.blocks.len() > MOST_BLOCKS
    }

    /// Forgets all entries; the next event taken is `next`.
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
