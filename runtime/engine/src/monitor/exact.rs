//! The most sensitive of the monitors for TSO that look at one execution (docs/monitors.md, section 5, `exact_TSO`).
//!
//! An access e can overtake a write w of another thread, which happens before prev(e), iff putting e before w leaves
//! the relaxed happens-before acyclic and no own store is overtaken: that is the test of [`super::sober`], here for
//! stores and read-modify-writes, too, which come after the thread's own stores as well. It is independent of the order
//! of events without conflict, reports all that [`super::prefix`] reports, and needs the fewest preemptions of all.
//!
//! A store or read-modify-write does not overtake a read-modify-write, which would no longer be atomic: the next older
//! write is looked at instead.
//!
//! Deviation from docs/monitors.md: a store or read-modify-write of several locations is tested as in
//! [`super::prefix`]. It would have to be placed among the accesses to each of its locations; completeness does not
//! need that.

use super::prefix::Prefix;
use super::relaxed_order::RelaxedOrder;
use super::sober::Loads;
use super::writes::WriteKind;
use super::{Cycle, Monitor, MonitorName, Report, add_report};
use crate::event::{Event, EventIndex, Kind, Location};
use crate::model::name::MemoryModel;

/// The most sensitive monitor for TSO.
#[derive(Debug)]
pub struct Exact {
    /// The monitor that tests accesses of several locations; its clocks and writes serve all tests.
    prefix: Prefix,
    order: RelaxedOrder,
    /// The reports of `prefix` on the event at hand, a field only so that its memory is reused.
    by_prefix: Vec<Report>,
}

impl Default for Exact {
    fn default() -> Self {
        Self { prefix: Prefix::new(&[MemoryModel::Tso]), order: RelaxedOrder::default(), by_prefix: Vec::new() }
    }
}

impl Exact {
    fn test_load(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let first_report = reports.len();
        let Prefix { clocks, writes, .. } = &mut self.prefix;
        let mut loads = Loads { clocks, writes, order: &self.order };
        loads.test(event.thread, locations, |write, past| {
            add_report(MonitorName::ExactTso, write.event, past, first_report, reports);
        });
    }

    /// Tests a store or read-modify-write of one location.
    fn test_write(&mut self, event: &Event, location: Location, reports: &mut Vec<Report>) {
        let thread = event.thread;
        let Prefix { clocks, writes, .. } = &mut self.prefix;
        let past = clocks.past(thread);
        let mut place = writes.known::<0>(location, &past);
        while let Some(cell) = place.and_then(|place| writes.at(place)) {
            let write = cell.write;
            if write.thread == thread
                || self.order.before_loads(thread, write.thread) >= write.stores
                || self.order.before_stores(thread, write.thread) >= write.stores
            {
                return;
            }
            if write.kind == WriteKind::Plain {
                add_report(MonitorName::ExactTso, write.event, &past, reports.len(), reports);
                return;
            }
            place = Some(cell.before);
        }
    }
}

impl Monitor for Exact {
    fn begin(&mut self) {
        self.prefix.begin();
        self.order.begin();
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let first_report = reports.len();
        let width = self.prefix.make_room(event);
        self.prefix.clocks.before(event);
        self.order.before(event);
        match (event.kind, locations) {
            (Kind::Await(_), _) => {}
            (Kind::Load, _) => self.test_load(event, locations, reports),
            (_, &[location]) => self.test_write(event, location, reports),
            _ => {}
        }
        let stores = self.order.perform(event, locations, &self.prefix.writes);
        self.by_prefix.clear();
        self.prefix.take(width, event, locations, stores, &mut self.by_prefix);
        if locations.len() > 1 {
            for report in &self.by_prefix {
                let Report::Cycle(cycle) = *report else { continue };
                let report = Report::Cycle(Cycle { monitor: MonitorName::ExactTso, ..cycle });
                if !reports[first_report..].contains(&report) {
                    reports.push(report);
                }
            }
        }
    }

    fn pending(&mut self, _monitor: MonitorName, _at_most: usize) -> Vec<EventIndex> {
        Vec::new()
    }
}
