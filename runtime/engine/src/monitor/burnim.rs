//! The monitors for TSO and PSO of Burnim, Sen and Stergiou (000-burnim-tacas11, figures 4 and 5; docs/monitors.md,
//! section 3).
//!
//! A monitor runs a store-buffer machine beside the sequentially consistent execution that it watches, and commits
//! each store as late as it can without leaving that execution. When an access e could overtake a store e′ to the same
//! location that still waits in the buffer of another thread, and e′ →hb* prev(e), then letting e overtake closes the
//! cycle e′ →hb* prev(e) →po e →c e′: a relaxed execution that is not sequentially consistent.
//!
//! Read `Burnim::event_at_width` from top to bottom: it is the figures' monitor, one call an event. `Stores` knows
//! which stores there are, `Buffers` which of them wait; the order in which stores must commit, all in which the two
//! models differ, is a `CommitOrder`. Both models run on the same clocks and the same stores. A model that is not
//! monitored is a machine whose stores all commit at once: nothing waits in it, so it reports nothing.
//!
//! Deviations from the paper:
//! 1. There are no queues. A thread's ticks number its stores, so a committed prefix of its buffer is one tick
//!    (`Buffers::through`), and the stores that wait for a location are a chain that starts at the newest one. What is
//!    committed is left where it lies and recognised when met.
//! 2. Line 6 asks for *some* e′ that qualifies; reported is the newest one. All stores waiting for a location belong
//!    to one thread (line 11 sees to that), and older ones are →po before newer ones, so the walk from the newest stops
//!    at the first that qualifies. What it passes over the same event commits: O(1) amortised for each store. (Testing
//!    the newest store alone, appendix B, is complete but reports on fewer executions: docs/papers.md, erratum B6.)
//! 3. PSO has barriers between stores (`stbar`, release stores), which open a new *epoch*: stores of earlier epochs
//!    commit before those of later ones. The paper's PSO has no barriers, and its remark that atomic operations
//!    simulate fences is false for it (erratum B4); here fences, locks, creations and joins drain all stores of their
//!    thread.
//! 4. An event may access several locations. A store is then one entry that commits whole, an access is tested against
//!    the stores waiting for each of its locations (all tests come before all commits), and a store that could be
//!    overtaken at several locations is reported once. Such an event may also overtake e′ at one location and come
//!    after an event x at another, which closes the cycle e′ →hb* x →c e →c e′ without prev
//!    (`Buffers::follows_elsewhere`). A compare-and-swap that overtakes reads something else, and may fail then: it is
//!    taken to come after writes only, and not after loads. That is sound, and loses a compare-and-swap of several
//!    locations that succeeds only by overtaking, and whose cycle goes through a load of a part of them.
//! 5. A read-modify-write that fails drains what a successful one drains; the paper has it write. Own stores are
//!    drained after the test instead of at the end, which is the same: the test looks at other threads only.
//! 6. A full barrier after an access is a part of its event, unless others may come between the two and see the
//!    difference ([`Event::fences_later`]), as after a compare-and-swap that is relaxed if it succeeds and sequentially
//!    consistent if it fails: the barrier is then the beginning of the thread's next event (`Stores::fenced`).
//! 7. As in the paper, a report does not end the monitoring: the machine goes on along the consistent execution.
//!
//! Invariants:
//! 1. All pending stores to one location belong to one thread, and of the chain from the newest one all pending ones
//!    come first.
//! 2. With a store, every store that must commit before it has committed; a store is pending at all of its locations
//!    or at none. What is pending in TSO is pending in PSO.
//! 3. Nobody follows a link to a cell whose store is not pending, so if that cell is its location's newest, the next
//!    store to the location takes its place: memory grows with the locations, and with stores only while they wait.
//! 4. What is kept for a thread is that of the present execution from the thread's first event on, and is not asked for
//!    before: [`Monitor::begin`] is O(1).

use std::collections::BTreeSet;
use std::marker::PhantomData;

use super::commit_order::{CommitOrder, Pso, Tso};
use super::happens_before::{Accesses, HappensBefore, Past};
use super::{Monitor, MonitorName, Report, add_report};
use crate::clock::Tick;
use crate::event::{Barrier, Event, EventIndex, Kind, Location, Thread};
use crate::model::name::MemoryModel;
use crate::per_thread::PerThread;

/// The monitor for TSO, for PSO, or for both at once.
#[derive(Debug)]
pub struct Burnim {
    clocks: HappensBefore,
    stores: Stores,
    tso: Buffers<Tso>,
    pso: Buffers<Pso>,
}

impl Burnim {
    /// Makes a monitor for these models.
    #[must_use]
    pub fn new(models: &[MemoryModel]) -> Self {
        Self {
            clocks: HappensBefore::default(),
            stores: Stores::default(),
            tso: Buffers::new(models.contains(&MemoryModel::Tso)),
            pso: Buffers::new(models.contains(&MemoryModel::Pso)),
        }
    }

    #[inline(always)]
    fn event_at_width<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let thread = event.thread;
        let tick = self.clocks.next_tick_at_width::<WIDTH>(thread);
        if tick == 1 {
            // The thread's first event: what is left from older executions goes.
            self.stores.epochs[thread] = 0;
            self.stores.fenced[thread] = 0;
            self.tso.through[thread] = self.tso.at_first;
            self.pso.through[thread] = self.pso.at_first;
        }
        // Locations are accesses' alone, so what is no access neither overtakes nor makes others commit.
        let overtakes = locations.iter().any(|&location| {
            let newest = self.stores.newest_of_others(location, thread);
            newest.is_some_and(|(_, cell)| self.tso.is_pending(cell) || self.pso.is_pending(cell))
        });
        if overtakes {
            if self.stores.is_any_fenced {
                self.fence_others(thread, locations);
            }
            if !matches!(event.kind, Kind::Await(_)) {
                self.test(event, locations, reports);
            }
            self.commit_others(thread, locations);
        }
        self.own(event, locations, tick);
        self.clocks.after_at_width::<WIDTH>(event, locations);
    }

    /// Takes an event that is not one of the common accesses, out of line so as to keep the code for those short.
    #[inline(never)]
    fn event_elsewhere<const WIDTH: usize>(
        &mut self,
        event: &Event,
        locations: &[Location],
        reports: &mut Vec<Report>,
    ) {
        self.event_at_width::<WIDTH>(event, locations, reports);
    }

    /// Tests the event against the stores of other threads that wait for its locations (line 6).
    #[inline(never)]
    fn test(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let Self { clocks, stores, tso, pso } = self;
        let past = clocks.past(event.thread);
        let first_report = reports.len();
        if let &[location] = locations
            && let Some((_, newest)) = stores.newest_of_others(location, event.thread)
        {
            tso.test(stores, newest, &past, |_| false, first_report, reports);
            pso.test(stores, newest, &past, |_| false, first_report, reports);
            return;
        }
        let overtaking = Overtaking { kind: event.kind, locations, clocks };
        for &location in locations {
            if let Some((_, newest)) = stores.newest_of_others(location, event.thread) {
                let follows = |delayed: &LocationStore| tso.follows_elsewhere(stores, delayed, &overtaking);
                tso.test(stores, newest, &past, follows, first_report, reports);
                let follows = |delayed: &LocationStore| pso.follows_elsewhere(stores, delayed, &overtaking);
                pso.test(stores, newest, &past, follows, first_report, reports);
            }
        }
    }

    /// Lets the due barriers of the threads whose stores wait for the locations take effect, where the thread has performed an
    /// event since.
    #[cold]
    fn fence_others(&mut self, thread: Thread, locations: &[Location]) {
        for &location in locations {
            if let Some((_, cell)) = self.stores.newest_of_others(location, thread) {
                let other = cell.thread;
                self.fence(other, self.clocks.last_tick(other));
            }
        }
    }

    /// Lets the thread's due barrier take effect if the event after it has come; `last` is the thread's last tick.
    fn fence(&mut self, thread: Thread, last: Tick) {
        let fenced = self.stores.fenced[thread];
        if fenced != 0 && fenced < last {
            self.stores.fenced[thread] = 0;
            self.tso.drain(thread, fenced);
            self.pso.drain(thread, fenced);
        }
    }

    /// Makes the stores of other threads that wait for the locations commit (lines 11 to 13).
    #[inline(never)]
    fn commit_others(&mut self, thread: Thread, locations: &[Location]) {
        for &location in locations {
            if let Some((place, _)) = self.stores.newest_of_others(location, thread) {
                self.tso.commit(&mut self.stores, place);
                self.pso.commit(&mut self.stores, place);
            }
        }
    }

    /// Notes a full barrier that follows the thread's event with this tick, and that events of others may come before.
    #[cold]
    fn fence_later(&mut self, thread: Thread, tick: Tick) {
        self.fence(thread, tick);
        self.stores.fenced[thread] = tick;
        self.stores.is_any_fenced = true;
    }

    /// Performs a barrier just after the thread's event with this tick.
    #[inline]
    fn barrier(&mut self, thread: Thread, barrier: Barrier, tick: Tick) {
        match barrier {
            Barrier::None => {}
            Barrier::StoreStore => self.stores.epochs[thread] = tick,
            Barrier::Full => {
                self.tso.drain(thread, tick);
                self.pso.drain(thread, tick);
            }
        }
    }

    /// Performs what the event does to the buffers of its own thread.
    #[inline(always)]
    fn own(&mut self, event: &Event, locations: &[Location], tick: Tick) {
        let thread = event.thread;
        self.barrier(thread, event.before, tick - 1);
        match event.kind {
            // An operation that only looks at an object is a load; one that drains has a barrier that says so.
            Kind::Load | Kind::Fence | Kind::Share(_) => {}
            Kind::Store | Kind::Await(_) => {
                let Self { clocks, stores, tso, pso } = self;
                let waits = |cell: &LocationStore| tso.is_pending(cell) || pso.is_pending(cell);
                stores.issue(thread, locations, tick, clocks.next(), waits);
            }
            Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw => {
                self.tso.interlock(&mut self.stores, thread, locations, tick);
                self.pso.interlock(&mut self.stores, thread, locations, tick);
            }
            Kind::Lock(_) | Kind::Wait { .. } | Kind::Create(_) => {
                self.barrier(thread, Barrier::Full, tick);
            }
            Kind::Join(ended) => {
                self.barrier(thread, Barrier::Full, tick);
                self.barrier(ended, Barrier::Full, self.clocks.last_tick(ended));
            }
        }
        if event.fences_later() {
            self.fence_later(thread, tick);
        } else {
            self.barrier(thread, event.after, tick);
        }
    }
}

impl Monitor for Burnim {
    fn begin(&mut self) {
        self.clocks.begin();
        self.stores.cells.clear();
        self.stores.is_any_fenced = false;
        self.tso.waiting.clear();
        self.pso.waiting.clear();
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        // Nearly all accesses are of one location, and nearly all programs have few threads: for these, the loops over locations
        // and over the blocks of clocks vanish.
        match (self.clocks.make_room(event), locations) {
            (1, &[location]) => self.event_at_width::<1>(event, &[location], reports),
            (1, _) => self.event_elsewhere::<1>(event, locations, reports),
            _ => self.event_elsewhere::<0>(event, locations, reports),
        }
    }

    fn pending(&mut self, monitor: MonitorName, at_most: usize) -> Vec<EventIndex> {
        let waiting = match monitor {
            MonitorName::BurnimTso => &mut self.tso.waiting,
            MonitorName::BurnimPso => &mut self.pso.waiting,
            _ => return Vec::new(),
        };
        waiting.add(&self.stores, self.clocks.next());
        let mut stores = std::mem::take(&mut waiting.stores);
        let (mut newest, mut pending) = (Vec::new(), Vec::new());
        while pending.len() < at_most
            && let Some((event, place)) = stores.pop()
        {
            let cell = self.stores.cells[place as usize];
            self.fence(cell.thread, self.clocks.last_tick(cell.thread));
            let is_pending = match monitor {
                MonitorName::BurnimTso => self.tso.is_pending(&cell),
                _ => self.pso.is_pending(&cell),
            };
            if cell.event == event && is_pending {
                newest.push((event, place));
                pending.push(event);
            }
        }
        stores.extend(newest.into_iter().rev());
        pending.reverse();
        match monitor {
            MonitorName::BurnimTso => self.tso.waiting.stores = stores,
            _ => self.pso.waiting.stores = stores,
        }
        pending
    }
}

/// The stores that may wait in a model, kept only for [`Monitor::pending`], which drops those that have committed when it meets
/// them.
#[derive(Debug, Default)]
struct Waiting {
    /// The stores in ascending order, each once, with one of its cells.
    stores: Vec<(EventIndex, u32)>,
    /// The index of the first event that has not been looked at yet.
    next: EventIndex,
}

impl Waiting {
    fn clear(&mut self) {
        self.stores.clear();
        self.next = 0;
    }

    /// Adds the stores issued since the list was last brought up to date; the next event is `next`. Nearly always only one event
    /// has happened in between.
    fn add(&mut self, all: &Stores, next: EventIndex) {
        if self.next + 1 < next {
            let new = all.cells.iter().zip(0..).filter(|(cell, _)| cell.event >= self.next);
            let mut new: Vec<_> = new.map(|(cell, place)| (cell.event, place)).collect();
            new.sort_unstable();
            new.dedup_by_key(|&mut (event, _)| event);
            self.stores.append(&mut new);
        } else if self.next < next
            && let Some(cell) = all.cells.get(all.last as usize)
            && cell.event == self.next
        {
            self.stores.push((cell.event, all.last));
        }
        self.next = next;
    }
}

/// The stores of the execution that may still wait in some buffer.
#[derive(Debug, Default)]
struct Stores {
    /// The place among `cells` of the newest store to each location. The table is left as it is from one execution to the next:
    /// an entry counts only if the cell there is one of its location.
    newest: Vec<u32>,
    cells: Vec<LocationStore>,
    /// The place of a cell of the newest store of all.
    last: u32,
    /// The tick of each thread after which its present epoch began.
    epochs: PerThread<Tick>,
    /// The tick of each thread's last event that ends with a full barrier which takes effect only just before the thread's next
    /// event; 0 if there is none, or it has taken effect. An entry is looked at when other threads meet stores that the barrier
    /// concerns.
    fenced: PerThread<Tick>,
    /// Whether `fenced` may have an entry in this execution.
    is_any_fenced: bool,
}

/// A store at one of its locations: a cell of [`Stores`].
#[derive(Clone, Copy, Debug)]
struct LocationStore {
    location: Location,
    thread: Thread,
    /// Whether, in PSO, the store has committed although stores before it may not have. In TSO it has then committed with them,
    /// since TSO commits whenever PSO does, and more.
    committed: bool,
    tick: Tick,
    event: EventIndex,
    /// The tick after which the store's epoch began.
    epoch: Tick,
    /// The cell of the preceding store to this location, if that still waited in some model when this one was issued; else
    /// [`LocationStore::NONE`].
    older: u32,
    /// The cell of the same store at its next location; at its last location, the cell at its first.
    next_location: u32,
}

impl LocationStore {
    /// The place that stands for no cell.
    const NONE: u32 = u32::MAX;
}

impl Stores {
    /// Returns the newest store to the location, with the place of its cell.
    #[inline]
    fn newest(&self, location: Location) -> Option<(u32, &LocationStore)> {
        let place = *self.newest.get(location.index())?;
        let cell = self.cells.get(place as usize)?;
        (cell.location == location).then_some((place, cell))
    }

    /// Returns the newest store to the location, with the place of its cell, unless `thread` made it.
    #[inline]
    fn newest_of_others(&self, location: Location, thread: Thread) -> Option<(u32, &LocationStore)> {
        self.newest(location).filter(|(_, cell)| cell.thread != thread)
    }

    /// Adds a store; `waits` tells which of the older ones still wait in some model.
    #[inline(always)]
    fn issue(
        &mut self,
        thread: Thread,
        locations: &[Location],
        tick: Tick,
        event: EventIndex,
        waits: impl Fn(&LocationStore) -> bool,
    ) {
        let epoch = self.epochs[thread];
        let mut first = LocationStore::NONE;
        for &location in locations {
            let (place, older) = match self.newest(location) {
                Some((place, cell)) if waits(cell) => (self.cells.len() as u32, place),
                Some((place, _)) => (place, LocationStore::NONE),
                None => (self.cells.len() as u32, LocationStore::NONE),
            };
            let mut cell =
                LocationStore { location, thread, committed: false, tick, event, epoch, older, next_location: place };
            if let Some(first) = self.cells.get_mut(first as usize) {
                cell.next_location = std::mem::replace(&mut first.next_location, place);
            } else {
                first = place;
            }
            if let Some(unused) = self.cells.get_mut(place as usize) {
                *unused = cell;
            } else {
                self.cells.push(cell);
            }
            self.last = place;
            if location.index() >= self.newest.len() {
                self.newest.resize(location.index() + 1, LocationStore::NONE);
            }
            self.newest[location.index()] = place;
        }
    }
}

/// An access of several locations that may overtake stores.
struct Overtaking<'a> {
    kind: Kind,
    locations: &'a [Location],
    clocks: &'a HappensBefore,
}

/// The store buffers of all threads in one model, as a record of which stores wait.
#[derive(Debug)]
struct Buffers<O> {
    /// The tick of each thread through which all its stores have committed.
    through: PerThread<Tick>,
    /// The value that `through` starts from: the end of time if the model is not monitored.
    at_first: Tick,
    /// Cells that [`Buffers::commit_at_locations`] has still to look at; empty between calls.
    unfinished: Vec<u32>,
    waiting: Waiting,
    order: PhantomData<O>,
}

impl<O: CommitOrder> Buffers<O> {
    fn new(is_monitored: bool) -> Self {
        let at_first = if is_monitored { 0 } else { Tick::MAX };
        Self {
            through: PerThread::default(),
            at_first,
            unfinished: Vec::new(),
            waiting: Waiting::default(),
            order: PhantomData,
        }
    }

    #[inline]
    fn is_pending(&self, cell: &LocationStore) -> bool {
        cell.tick > self.through[cell.thread] && !cell.committed
    }

    /// Makes all stores of the thread up to this tick commit.
    #[inline]
    fn drain(&mut self, thread: Thread, tick: Tick) {
        let through = &mut self.through[thread];
        *through = (*through).max(tick);
    }

    /// Reports the newest waiting store to a location that is in the past of prev, or that the event `follows` even if it
    /// overtakes the store. `newest` is the newest store to the location.
    #[inline]
    fn test(
        &self,
        stores: &Stores,
        newest: &LocationStore,
        past: &Past<'_>,
        follows: impl Fn(&LocationStore) -> bool,
        first_report: usize,
        reports: &mut Vec<Report>,
    ) {
        if !self.is_pending(newest) {
            return;
        }
        let mut cell = newest;
        while !past.contains(cell.thread, cell.tick) && !follows(cell) {
            match stores.cells.get(cell.older as usize) {
                Some(older) if self.is_pending(older) => cell = older,
                _ => return,
            }
        }
        add_report(O::BURNIM, cell.event, past, first_report, reports);
    }

    /// Whether the event, though it overtakes this store, comes after some x at another of its locations with `delayed` →hb* x.
    ///
    /// This holds if all stores to that location can commit while `delayed` still waits: then every access to the location so far
    /// comes before the event.
    #[cold]
    fn follows_elsewhere(&self, stores: &Stores, delayed: &LocationStore, overtaking: &Overtaking<'_>) -> bool {
        let Overtaking { kind, locations, clocks } = overtaking;
        let conflicting = Accesses::in_conflict_with(*kind);
        locations.iter().any(|&location| {
            clocks.is_before(delayed.thread, delayed.tick, location, conflicting)
                && !self.commits_after(stores, location, delayed)
        })
    }

    /// Whether the newest store to the location waits and cannot commit before `delayed`, or is `delayed` itself.
    fn commits_after(&self, stores: &Stores, location: Location, delayed: &LocationStore) -> bool {
        let Some((place, newest)) = stores.newest(location) else { return false };
        if newest.thread != delayed.thread {
            return false;
        }
        // The stores of the thread that must commit before the newest one, and are not older than `delayed`.
        let mut seen = BTreeSet::new();
        let mut unfinished = vec![place];
        while let Some(place) = unfinished.pop() {
            let Some(cell) = stores.cells.get(place as usize) else { continue };
            if cell.tick < delayed.tick || !self.is_pending(cell) || !seen.insert(place) {
                continue;
            }
            if cell.tick == delayed.tick || O::through(cell.tick, cell.epoch) >= delayed.tick {
                return true;
            }
            unfinished.extend([cell.next_location, cell.older]);
        }
        false
    }

    /// Makes a store commit if it waits, and before it all stores that must.
    #[inline]
    fn commit(&mut self, stores: &mut Stores, place: u32) {
        let cell = stores.cells[place as usize];
        if self.is_pending(&cell) {
            self.drain(cell.thread, O::through(cell.tick, cell.epoch));
            if self.is_pending(&cell) {
                self.commit_at_locations(stores, place);
            }
        }
    }

    /// Makes those of the thread's own stores commit that must do so before a read-modify-write of the locations.
    #[inline]
    fn interlock(&mut self, stores: &mut Stores, thread: Thread, locations: &[Location], tick: Tick) {
        self.drain(thread, O::through(tick, stores.epochs[thread]));
        for &location in locations {
            // Others' stores to it have committed already, so what waits here is the thread's own.
            if let Some((place, _)) = stores.newest(location) {
                self.commit(stores, place);
            }
        }
    }

    /// Makes a store commit, and before it the waiting stores that share a location with it, those that share one with these, and
    /// so on. Each cell is looked at once in all, since looking at it commits it.
    fn commit_at_locations(&mut self, stores: &mut Stores, place: u32) {
        self.unfinished.push(place);
        while let Some(mut place) = self.unfinished.pop() {
            while let Some(cell) = stores.cells.get_mut(place as usize)
                && self.is_pending(cell)
            {
                cell.committed = true;
                if cell.next_location != place {
                    self.unfinished.push(cell.next_location);
                }
                place = cell.older;
            }
        }
    }
}
