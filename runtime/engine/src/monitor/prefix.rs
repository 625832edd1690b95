//! The monitors for TSO and PSO that do not depend on the order of events without conflict (docs/monitors.md, section
//! 4).
//!
//! Let e be an access, and P the events that happen before prev(e), the event before it in its thread. P is the same in
//! all executions of a class, and P followed by e is the beginning of one of them. In it, a store is *forced* if it
//! must commit for what happens in P: if another thread has accessed its location since, or its thread has performed a
//! fence, or a later store that waits for it is forced. If the last store of P to the location of e is not forced, and
//! not one of e's own thread, then e can overtake it: w →hb* prev(e) →po e →c w. These are the reports that the
//! monitors of [`super::burnim`] make over *all* executions of the class; here one execution is enough.
//!
//! Read `Prefix::test` for the test and `Prefix::perform` for the clocks behind it. F\[t\]\[q\] is the tick through
//! which all stores of q are known to be forced in the past of t's last event; it travels along happens-before.
//!
//! Deviations from docs/monitors.md:
//! 1. Epochs are ticks: that at which the epoch of a store began, as in [`super::burnim`]. So TSO and PSO differ in the
//!    same function, [`CommitOrder::through`].
//! 2. In PSO, that another thread has accessed a store forces nothing else of its epoch, and so is kept with the store
//!    (`Prefix::accessed`). An own read-modify-write of the location counts as such an access.
//! 3. Accesses of several locations. A store is forced if it is at any of its locations, or if a store of its thread
//!    that shares a location with it and comes later is. An access may overtake w at one location and come after x at
//!    others: P is then what happens before prev and before all accesses that it conflicts with at other locations
//!    (`Prefix::test_beside`). This second P is tried only after the first one.
//! 4. A full barrier that others may come before ([`Event::fences_later`]) belongs to the thread's next event.
//!
//! Invariants: as those of [`HappensBefore`]; F\[t\]\[q\] ≤ C\[t\]\[q\].

use std::collections::BTreeSet;

use super::commit_order::{CommitOrder, Pso, Tso};
use super::happens_before::{Accesses, HappensBefore};
use super::journal::{Changed, Journal, JournalEntry};
use super::travelling::Travelling;
use super::writes::{LocationWrite, Write, WriteKind, Writes};
use super::{Monitor, MonitorName, Report, add_report};
use crate::clock::{Block, Clock, Clocks, LANES, Tick, count, join};
use crate::event::{Barrier, Event, EventIndex, Kind, Location, Thread};
use crate::model::name::MemoryModel;
use crate::per_thread::PerThread;

/// The monitor for TSO, for PSO, or for both at once.
#[derive(Debug)]
pub struct Prefix {
    pub(super) clocks: HappensBefore,
    pub(super) writes: Writes,
    /// The tick of each thread's first access that forces a write, in the row of the write's first cell; 0 if there is none.
    accessed: Clocks<1>,
    /// The tick of each thread after which its present epoch of stores began.
    epochs: PerThread<Tick>,
    /// The tick of each thread's last event, if a full barrier between that event and the next one is due; else 0.
    fenced: PerThread<Tick>,
    /// F, for TSO and then for PSO.
    forced: Travelling,
    watches_tso: bool,
    watches_pso: bool,
    journal: Journal,
    /// Whether a journal is to be kept from the next execution on.
    is_resumed: bool,
}

impl Prefix {
    /// Makes a monitor for these models.
    #[must_use]
    pub fn new(models: &[MemoryModel]) -> Self {
        Self {
            clocks: HappensBefore::default(),
            writes: Writes::default(),
            accessed: Clocks::default(),
            epochs: PerThread::default(),
            fenced: PerThread::default(),
            forced: Travelling::default(),
            watches_tso: models.contains(&MemoryModel::Tso),
            watches_pso: models.contains(&MemoryModel::Pso),
            journal: Journal::default(),
            is_resumed: false,
        }
    }

    /// Makes room in all tables alike for the threads that the event names, and returns the width of the clocks.
    #[inline]
    pub(super) fn make_room(&mut self, event: &Event) -> usize {
        let before = self.clocks.width();
        let width = self.clocks.make_room(event);
        if width > before {
            self.writes.widen(width);
            self.accessed.widen(width);
            self.forced.widen(width);
            self.journal.restart(self.clocks.next());
        }
        width
    }

    /// Tests an access against the last stores of P to its locations.
    #[inline(always)]
    fn test<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let first_report = reports.len();
        for &location in locations {
            let past = self.clocks.past(event.thread);
            let Some(place) = self.writes.known::<WIDTH>(location, &past) else { continue };
            let write = &self.writes.cells[place as usize].write;
            if write.thread != event.thread && write.kind == WriteKind::Plain {
                self.test_store(place, event, first_report, reports);
            }
        }
        if locations.len() > 1 {
            for &location in locations {
                if self.watches_tso {
                    self.test_beside::<Tso>(event, locations, location, first_report, reports);
                }
                if self.watches_pso {
                    self.test_beside::<Pso>(event, locations, location, first_report, reports);
                }
            }
        }
    }

    /// Reports the last store of P to a location, unless it is forced.
    fn test_store(&self, place: u32, event: &Event, first_report: usize, reports: &mut Vec<Report>) {
        let past = self.clocks.past(event.thread);
        let store = self.store(place);
        let event = store.cell.write.event;
        if self.watches_tso && !store.is_forced::<Tso>(past.clock(), self.forced.with(past.thread(), Tso::INDEX)) {
            add_report(MonitorName::PrefixTso, event, &past, first_report, reports);
        }
        if self.watches_pso && !store.is_forced::<Pso>(past.clock(), self.forced.with(past.thread(), Pso::INDEX)) {
            add_report(MonitorName::PrefixPso, event, &past, first_report, reports);
        }
    }

    fn store(&self, place: u32) -> Store<'_> {
        Store { cell: &self.writes.cells[place as usize], writes: &self.writes, accessed: &self.accessed }
    }

    /// Tests whether the event can overtake a store at this location while it comes after what it conflicts with at its other
    /// locations.
    #[cold]
    fn test_beside<O: CommitOrder>(
        &self,
        event: &Event,
        locations: &[Location],
        location: Location,
        first_report: usize,
        reports: &mut Vec<Report>,
    ) {
        let past = self.clocks.past(event.thread);
        let conflicting = Accesses::in_conflict_with(event.kind);
        let others = || locations.iter().copied().filter(|&other| other != location);
        let mut prefix = past.clock().to_vec();
        let own = self.forced.with(event.thread, O::INDEX);
        let mut committed = own.map_or(vec![[0; LANES]; prefix.len()], <[_]>::to_vec);
        for other in others() {
            if let Some(clock) = self.clocks.past_of(other, conflicting) {
                join(&mut prefix, clock);
            }
            if let Some(clock) = self.forced.with_accesses(other, conflicting, O::INDEX) {
                join(&mut committed, clock);
            }
        }
        let Some(place) = self.writes.known_to(location, &prefix, None) else { return };
        let store = self.store(place);
        let write = store.cell.write;
        let follows = || {
            others().any(|other| {
                self.clocks.is_before(write.thread, write.tick, other, conflicting)
                    && !self.writes.newest(other).is_some_and(|newest| store.commits_before::<O>(newest))
            })
        };
        if write.thread != event.thread
            && write.kind == WriteKind::Plain
            && (past.contains(write.thread, write.tick) || follows())
            && !store.is_forced::<O>(&prefix, Some(&committed))
        {
            add_report(O::PREFIX, write.event, &past, first_report, reports);
        }
    }

    /// Performs the event but for happens-before, and returns the tick after which its epoch began.
    #[inline(always)]
    fn perform<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location], tick: Tick) -> Tick {
        let thread = event.thread;
        let mut through = std::mem::take(&mut self.fenced[thread]);
        match event.before {
            Barrier::None => {}
            Barrier::StoreStore => self.epochs[thread] = tick - 1,
            Barrier::Full => through = tick - 1,
        }
        let epoch = self.epochs[thread];
        match event.after {
            Barrier::None => {}
            Barrier::StoreStore => self.epochs[thread] = tick,
            Barrier::Full if event.fences_later() => self.fenced[thread] = tick,
            Barrier::Full => through = tick,
        }
        let drains = matches!(event.kind, Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw);
        if matches!(event.kind, Kind::Lock(_) | Kind::Wait { .. } | Kind::Create(_) | Kind::Join(_)) {
            through = tick;
        }
        let clocks = self.forced.receive::<WIDTH>(event, locations);
        let (tso, pso) = clocks.split_at_mut(clocks.len() / 2);
        raise(tso, thread, through);
        raise(pso, thread, through);
        if drains {
            raise(tso, thread, Tso::through(tick, epoch));
            raise(pso, thread, Pso::through(tick, epoch));
        }
        if let Kind::Join(ended) = event.kind {
            let last = self.clocks.last_tick(ended);
            raise(tso, ended, last);
            raise(pso, ended, last);
        }
        for &location in locations {
            let Some(cell) = self.writes.newest(location).map(|place| &self.writes.cells[place as usize]) else {
                continue;
            };
            let write = &cell.write;
            if write.thread != thread {
                raise(tso, write.thread, Tso::through(write.tick, write.epoch));
                raise(pso, write.thread, Pso::through(write.tick, write.epoch));
            }
            if self.watches_pso && (write.thread != thread || drains) {
                let row = self.accessed.row_of_width::<WIDTH>(cell.first as usize);
                let first = &mut row[thread.index() / LANES][thread.index() % LANES];
                *first = if *first == 0 { tick } else { *first };
            }
        }
        self.forced.send::<WIDTH>(event, locations);
        epoch
    }

    /// Takes the event, for which room has been made. `stores` is [`Write::stores`] if it writes. `WIDTH` is as in
    /// [`Clocks::row_of_width`].
    #[inline(always)]
    fn take_at_width<const WIDTH: usize>(
        &mut self,
        event: &Event,
        locations: &[Location],
        stores: Tick,
        reports: &mut Vec<Report>,
    ) {
        let thread = event.thread;
        let tick = self.clocks.next_tick_at_width::<WIDTH>(thread);
        if tick == 1 {
            self.epochs[thread] = 0;
            self.fenced[thread] = 0;
        }
        if !matches!(event.kind, Kind::Await(_)) {
            self.test::<WIDTH>(event, locations, reports);
        }
        let epoch = self.perform::<WIDTH>(event, locations, tick);
        if event.kind.writes() {
            let kind = WriteKind::of(event.kind);
            self.writes.add(Write { thread, tick, event: self.clocks.next(), epoch, kind, stores }, locations);
        }
        self.clocks.after_at_width::<WIDTH>(event, locations);
    }

    /// Takes the event when room has been made for clocks of this width. `stores` is [`Write::stores`] if it writes.
    #[inline]
    pub(super) fn take(
        &mut self,
        width: usize,
        event: &Event,
        locations: &[Location],
        stores: Tick,
        reports: &mut Vec<Report>,
    ) {
        match (width, locations) {
            (1, &[location]) => self.take_at_width::<1>(event, &[location], stores, reports),
            _ => self.take_elsewhere(event, locations, stores, reports),
        }
    }

    /// Takes an event that is not one of the common accesses, out of line.
    #[inline(never)]
    fn take_elsewhere(&mut self, event: &Event, locations: &[Location], stores: Tick, reports: &mut Vec<Report>) {
        self.take_at_width::<0>(event, locations, stores, reports);
    }

    /// Keeps in the journal what the event, for which room has been made, will change.
    #[inline(always)]
    fn keep<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location]) {
        let changed = Changed::by(event, locations);
        let Changed { thread, child, objects, .. } = changed;
        let journal = &mut self.journal;
        if journal.is_full() {
            journal.restart(self.clocks.next());
        }
        journal.entries.push(JournalEntry {
            thread,
            child,
            objects,
            tick: self.clocks.next_tick_at_width::<WIDTH>(thread),
            epoch: self.epochs[thread],
            fenced: self.fenced[thread],
            previous: self.clocks.previous_of(thread),
            previous_of_child: child.map_or(0, |child| self.clocks.previous_of(child)),
            cells: self.writes.cells.len(),
            locations: journal.locations.len(),
            blocks: journal.blocks.len(),
        });
        let blocks = &mut journal.blocks;
        changed.visit::<WIDTH, _, _>(self.clocks.rows(), |clocks| blocks.extend_from_slice(clocks));
        changed.visit::<WIDTH, _, _>(self.forced.rows(), |clocks| blocks.extend_from_slice(clocks));
        for &location in locations {
            journal.locations.push(location);
            journal.progress.push(*self.writes.progress::<WIDTH>(location, thread));
        }
    }

    /// Undoes the last event.
    fn undo<const WIDTH: usize>(&mut self) {
        let journal = &mut self.journal;
        let entry = journal.entries.pop().expect("the journal goes back so far");
        let JournalEntry { thread, child, objects, tick, epoch, fenced, previous, previous_of_child, .. } = entry;
        let locations = &journal.locations[entry.locations..];
        self.writes.truncate(entry.cells);
        for (&location, &progress) in locations.iter().zip(&journal.progress[entry.locations..]) {
            *self.writes.progress::<WIDTH>(location, thread) = progress;
            if let Some(place) = self.writes.newest(location) {
                let row = self.accessed.row_of_width::<WIDTH>(self.writes.cells[place as usize].first as usize);
                let first = &mut row[thread.index() / LANES][thread.index() % LANES];
                *first = if *first == tick { 0 } else { *first };
            }
        }
        let changed = Changed { thread, child, locations, objects };
        let mut left = &journal.blocks[entry.blocks..];
        let mut put_back = |clocks: &mut [Block]| {
            let (these, others) = left.split_at(clocks.len());
            clocks.copy_from_slice(these);
            left = others;
        };
        changed.visit::<WIDTH, _, _>(self.clocks.rows(), &mut put_back);
        changed.visit::<WIDTH, _, _>(self.forced.rows(), &mut put_back);
        if let Some(child) = child {
            self.clocks.restore_previous(child, previous_of_child);
        }
        self.clocks.restore_previous(thread, previous);
        self.clocks.step_back();
        (self.epochs[thread], self.fenced[thread]) = (epoch, fenced);
        journal.locations.truncate(entry.locations);
        journal.progress.truncate(entry.locations);
        journal.blocks.truncate(entry.blocks);
    }
}

/// Notes that all stores of the thread through this tick are forced.
#[inline(always)]
fn raise(clock: &mut Clock, thread: Thread, tick: Tick) {
    let known = &mut clock[thread.index() / LANES][thread.index() % LANES];
    *known = (*known).max(tick);
}

impl Monitor for Prefix {
    fn begin(&mut self) {
        self.clocks.begin();
        self.writes.begin();
        self.accessed.begin();
        self.forced.begin();
        self.journal.first = self.is_resumed.then_some(0);
        self.journal.restart(0);
    }

    fn can_resume(&mut self, events: EventIndex) -> bool {
        self.is_resumed = true;
        let next = self.clocks.next();
        // Undoing an event costs about a quarter of the work of watching it.
        self.journal.first.is_some_and(|first| (first..=next).contains(&events)) && (next - events) / 4 <= events
    }

    fn resume(&mut self, events: EventIndex, reports: &mut Vec<Report>) {
        while self.clocks.next() > events {
            match self.clocks.width() {
                1 => self.undo::<1>(),
                _ => self.undo::<0>(),
            }
        }
        reports.retain(|report| !matches!(report, Report::Cycle(cycle) if cycle.overtaking >= events));
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let width = self.make_room(event);
        match (self.journal.first, width) {
            (None, _) => {}
            (Some(_), 1) => self.keep::<1>(event, locations),
            (Some(_), _) => self.keep::<0>(event, locations),
        }
        self.take(width, event, locations, 0, reports);
    }

    fn pending(&mut self, _monitor: MonitorName, _at_most: usize) -> Vec<EventIndex> {
        Vec::new()
    }
}

/// A plain store among the writes.
struct Store<'a> {
    cell: &'a LocationWrite,
    writes: &'a Writes,
    accessed: &'a Clocks<1>,
}

impl Store<'_> {
    /// Whether the store is forced in a prefix with this clock and with `committed` as F.
    #[inline]
    fn is_forced<O: CommitOrder>(&self, prefix: &Clock, committed: Option<&Clock>) -> bool {
        let write = self.cell.write;
        committed.is_some_and(|committed| count(committed, write.thread) >= write.tick)
            || self.is_accessed(self.cell, prefix)
            || self.cell.places().len() > 1 && self.is_forced_by_a_later_one(prefix, committed)
    }

    /// Whether the prefix has an access that forces the write of the cell.
    #[inline]
    fn is_accessed(&self, cell: &LocationWrite, prefix: &Clock) -> bool {
        self.accessed.touched(cell.first as usize).is_some_and(|accessed| {
            let each = accessed.as_flattened().iter().zip(prefix.as_flattened());
            each.into_iter().any(|(&accessed, &known)| accessed != 0 && known >= accessed)
        })
    }

    /// Whether the store is forced by way of a later store of its thread in the prefix that shares a location with it, directly
    /// or through other such stores.
    #[cold]
    fn is_forced_by_a_later_one(&self, prefix: &Clock, committed: Option<&Clock>) -> bool {
        let thread = self.cell.write.thread;
        let mut seen = BTreeSet::new();
        let mut unfinished = vec![self.cell];
        while let Some(cell) = unfinished.pop() {
            for place in cell.places() {
                let Some(next) = self.writes.at(self.writes.cells[place as usize].next) else { continue };
                let write = next.write;
                if write.thread != thread || count(prefix, thread) < write.tick || !seen.insert(write.tick) {
                    continue;
                }
                if committed.is_some_and(|committed| count(committed, thread) >= write.tick)
                    || self.is_accessed(next, prefix)
                {
                    return true;
                }
                unfinished.push(next);
            }
        }
        false
    }

    /// Whether the write at `place` is the store itself, or one of its thread that must commit after it.
    fn commits_before<O: CommitOrder>(&self, place: u32) -> bool {
        let store = self.cell.write;
        let mut seen = BTreeSet::new();
        let mut unfinished = vec![place];
        while let Some(place) = unfinished.pop() {
            let Some(cell) = self.writes.at(place) else { continue };
            let write = cell.write;
            if write.thread != store.thread || write.tick < store.tick || !seen.insert(write.tick) {
                continue;
            }
            if write.kind == WriteKind::Plain
                && (write.tick == store.tick || O::through(write.tick, write.epoch) >= store.tick)
            {
                return true;
            }
            unfinished.extend(cell.places().map(|place| self.writes.cells[place as usize].before));
        }
        false
    }
}
