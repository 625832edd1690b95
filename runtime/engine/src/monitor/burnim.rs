//! The monitors for TSO and PSO of Burnim, Sen and Stergiou (000-burnim-tacas11, figures 4 and 5; monitors.md,
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
//!    the newest store alone, appendix B, is complete but reports on fewer executions: monitors.md, erratum B6.)
//! 3. PSO has barriers between stores (`stbar`, release stores), which open a new *epoch*: stores of earlier epochs
//!    commit before those of later ones. The paper's PSO has no barriers, and its remark that atomic operations simulate
//!    fences is false for it (erratum B4); here fences, locks, creations and joins drain all stores of their thread.
//! 4. An event may access several locations. A store is then one entry that commits whole, an access is tested against
//!    the stores waiting for each of its locations (all tests come before all commits), and a store that could be
//!    overtaken at several locations is reported once. For such events the monitor is sound but not complete: one may
//!    also come after an event x at one location and overtake e′ at another, where e′ →hb* x but not e′ →hb* prev.
//! 5. A read-modify-write that fails drains what a successful one drains; the paper has it write. Own stores are
//!    drained after the test instead of at the end, which is the same: the test looks at other threads only.
//! 6. A full barrier after an access is a part of its event. That loses nothing if the access writes and nothing older
//!    waits when it takes effect or can be seen to wait after it (a store or read-modify-write in TSO; in PSO, one with
//!    a barrier before it). Any other barrier after an access must be an event of its own to be monitored completely.
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

use std::marker::PhantomData;

use super::happens_before::{HappensBefore, Past};
use super::{EventIndex, Model, Monitor, Report};
use crate::clock::Tick;
use crate::event::{Barrier, Event, Kind, Location, Thread};
use crate::per_thread::PerThread;

/// The monitor for TSO, that for PSO, or both.
#[derive(Debug)]
pub struct Burnim {
    clocks: HappensBefore,
    stores: Stores,
    tso: Buffers<Tso>,
    pso: Buffers<Pso>,
}

impl Burnim {
    /// Monitors for these models.
    #[must_use]
    pub fn new(models: &[Model]) -> Self {
        Self {
            clocks: HappensBefore::default(),
            stores: Stores::default(),
            tso: Buffers::new(models.contains(&Model::Tso)),
            pso: Buffers::new(models.contains(&Model::Pso)),
        }
    }

    #[inline(always)]
    fn event_at_width<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let thread = event.thread;
        let tick = self.clocks.next_tick_at_width::<WIDTH>(thread);
        if tick == 1 {
            // The thread's first event: what is left from older executions goes.
            self.stores.epochs[thread] = 0;
            self.tso.through[thread] = self.tso.at_first;
            self.pso.through[thread] = self.pso.at_first;
        }
        // Locations are accesses' alone, so what is no access neither overtakes nor makes others commit.
        let overtakes = locations.iter().any(|&location| {
            let newest = self.stores.newest_of_others(location, thread);
            newest.is_some_and(|(_, cell)| self.tso.is_pending(cell) || self.pso.is_pending(cell))
        });
        if overtakes {
            self.test(event, locations, reports);
            self.commit_others(thread, locations);
        }
        self.own(event, locations, tick);
        self.clocks.after_at_width::<WIDTH>(event, locations);
    }

    /// The same for what is not one of the common accesses: kept out of their way.
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
        let past = clocks.before_at_width::<0>(event);
        let first_report = reports.len();
        for &location in locations {
            if let Some((_, newest)) = stores.newest_of_others(location, event.thread) {
                tso.test(stores, newest, &past, first_report, reports);
                pso.test(stores, newest, &past, first_report, reports);
            }
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

    /// What a barrier just after the thread's event with this tick does.
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

    /// What the event does to the buffers of its own thread.
    #[inline(always)]
    fn own(&mut self, event: &Event, locations: &[Location], tick: Tick) {
        let thread = event.thread;
        self.barrier(thread, event.before, tick - 1);
        match event.kind {
            Kind::Load | Kind::Fence => {}
            Kind::Store => {
                let Self { clocks, stores, tso, pso } = self;
                let waits = |cell: &Cell| tso.is_pending(cell) || pso.is_pending(cell);
                stores.issue(thread, locations, tick, clocks.next(), waits);
            }
            Kind::Rmw | Kind::FailedRmw => {
                self.tso.interlock(&mut self.stores, thread, locations, tick);
                self.pso.interlock(&mut self.stores, thread, locations, tick);
            }
            Kind::Lock(_) | Kind::Share(_) | Kind::Wait { .. } | Kind::Create(_) => {
                self.barrier(thread, Barrier::Full, tick);
            }
            Kind::Join(ended) => {
                self.barrier(thread, Barrier::Full, tick);
                self.barrier(ended, Barrier::Full, self.clocks.last_tick(ended));
            }
        }
        self.barrier(thread, event.after, tick);
    }
}

impl Monitor for Burnim {
    fn begin(&mut self) {
        self.clocks.begin();
        self.stores.cells.clear();
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        // Nearly all accesses are of one location, and nearly all programs have few threads: for these, the loops over
        // locations and over the blocks of clocks are none.
        match (self.clocks.make_room(event), locations) {
            (1, &[location]) => self.event_at_width::<1>(event, &[location], reports),
            (1, _) => self.event_elsewhere::<1>(event, locations, reports),
            _ => self.event_elsewhere::<0>(event, locations, reports),
        }
    }

    fn pending(&self, model: Model) -> Vec<EventIndex> {
        match model {
            Model::Tso => self.tso.pending(&self.stores),
            Model::Pso => self.pso.pending(&self.stores),
        }
    }
}

/// Which earlier stores of its thread must commit before a store does.
trait CommitOrder {
    const MODEL: Model;

    /// All stores of the thread up to this tick commit before a store with this `tick` in an epoch that began just
    /// after the tick `epoch`. Beside these, stores that share a location commit in program order.
    fn through(tick: Tick, epoch: Tick) -> Tick;
}

/// Stores commit in program order.
#[derive(Debug)]
struct Tso;

impl CommitOrder for Tso {
    const MODEL: Model = Model::Tso;

    fn through(tick: Tick, _epoch: Tick) -> Tick {
        tick
    }
}

/// Stores commit after those of earlier epochs.
#[derive(Debug)]
struct Pso;

impl CommitOrder for Pso {
    const MODEL: Model = Model::Pso;

    fn through(_tick: Tick, epoch: Tick) -> Tick {
        epoch
    }
}

/// The stores of the execution, as far as they may still wait in some buffer.
#[derive(Debug, Default)]
struct Stores {
    /// The place among `cells` of the newest store to each location. Left as it is from one execution to the next:
    /// it counts only if the cell there is one of this location.
    newest: Vec<u32>,
    cells: Vec<Cell>,
    /// For each thread the tick after which its present epoch began.
    epochs: PerThread<Tick>,
}

/// One store at one of its locations.
#[derive(Clone, Copy, Debug)]
struct Cell {
    location: Location,
    thread: Thread,
    /// In PSO, the store committed although stores before it may not have. In TSO it has then committed with them:
    /// TSO commits whenever PSO does, and more.
    committed: bool,
    tick: Tick,
    event: EventIndex,
    /// The tick after which the store's epoch began.
    epoch: Tick,
    /// The cell of the store before it to this location, if that still waited in some model; else [`Cell::NONE`].
    older: u32,
    /// The cell of the same store at its next location; at its last one, that at its first.
    next_location: u32,
}

impl Cell {
    /// A place where no cell is.
    const NONE: u32 = u32::MAX;
}

impl Stores {
    /// The newest store to the location and its cell.
    #[inline]
    fn newest(&self, location: Location) -> Option<(u32, &Cell)> {
        let place = *self.newest.get(location.index())?;
        let cell = self.cells.get(place as usize)?;
        (cell.location == location).then_some((place, cell))
    }

    /// The newest store to the location, if it is not one of `thread`.
    #[inline]
    fn newest_of_others(&self, location: Location, thread: Thread) -> Option<(u32, &Cell)> {
        self.newest(location).filter(|(_, cell)| cell.thread != thread)
    }

    /// Adds a store, given which of the older ones still wait in some model.
    #[inline(always)]
    fn issue(
        &mut self,
        thread: Thread,
        locations: &[Location],
        tick: Tick,
        event: EventIndex,
        waits: impl Fn(&Cell) -> bool,
    ) {
        let epoch = self.epochs[thread];
        let mut first = Cell::NONE;
        for &location in locations {
            let (place, older) = match self.newest(location) {
                Some((place, cell)) if waits(cell) => (self.cells.len() as u32, place),
                Some((place, _)) => (place, Cell::NONE),
                None => (self.cells.len() as u32, Cell::NONE),
            };
            let mut cell = Cell { location, thread, committed: false, tick, event, epoch, older, next_location: place };
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
            if location.index() >= self.newest.len() {
                self.newest.resize(location.index() + 1, Cell::NONE);
            }
            self.newest[location.index()] = place;
        }
    }
}

/// The store buffers of all threads in one model: which of the stores wait.
#[derive(Debug)]
struct Buffers<O> {
    /// For each thread the tick through which all its stores have committed.
    through: PerThread<Tick>,
    /// What `through` is at first: the end of time if the model is not monitored.
    at_first: Tick,
    /// Cells that [`Buffers::commit_at_locations`] has still to look at; empty between calls.
    unfinished: Vec<u32>,
    order: PhantomData<O>,
}

impl<O: CommitOrder> Buffers<O> {
    fn new(is_monitored: bool) -> Self {
        let at_first = if is_monitored { 0 } else { Tick::MAX };
        Self { through: PerThread::default(), at_first, unfinished: Vec::new(), order: PhantomData }
    }

    #[inline]
    fn is_pending(&self, cell: &Cell) -> bool {
        cell.tick > self.through[cell.thread] && !cell.committed
    }

    /// Makes all stores of the thread up to this tick commit.
    #[inline]
    fn drain(&mut self, thread: Thread, tick: Tick) {
        let through = &mut self.through[thread];
        *through = (*through).max(tick);
    }

    /// Reports the newest store to a location that waits and is in the past, given the newest one.
    fn test(&self, stores: &Stores, newest: &Cell, past: &Past<'_>, first_report: usize, reports: &mut Vec<Report>) {
        if !self.is_pending(newest) {
            return;
        }
        let mut cell = newest;
        while !past.contains(cell.thread, cell.tick) {
            match stores.cells.get(cell.older as usize) {
                Some(older) if self.is_pending(older) => cell = older,
                _ => return,
            }
        }
        // Nothing is known of a thread without a previous event, so there is one.
        let Some(previous) = past.previous() else { return };
        let report = Report { monitor: O::MODEL, delayed: cell.event, previous, overtaking: past.next() };
        if !reports[first_report..].contains(&report) {
            reports.push(report);
        }
    }

    /// Makes a store commit, if it waits, and before it all that must.
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

    /// Makes the thread's own stores commit that must do so before a read-modify-write of the locations.
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

    /// Makes a store commit, and before it those that share a location with it, and those that share one with them,
    /// and so on. Each cell is looked at once in all, since it commits.
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

    fn pending(&self, stores: &Stores) -> Vec<EventIndex> {
        let waiting = stores.cells.iter().filter(|cell| self.is_pending(cell));
        let mut pending: Vec<_> = waiting.map(|cell| cell.event).collect();
        pending.sort_unstable();
        pending.dedup();
        pending
    }
}
