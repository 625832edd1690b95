//! The TACAS'11 monitors by their definition (monitors.md, sections 2 and 3): sets of events, no clocks, no cleverness.
//!
//! Events are numbered by their place in the run; a set of events is a bit mask.

use super::machine::Step;
use super::program::{Action, Addresses, Barrier};

pub(crate) type Events = u128;

/// e′, prev, e by their places in the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Report {
    pub(crate) delayed: usize,
    pub(crate) previous: usize,
    pub(crate) overtaking: usize,
}

/// The relaxed model that the monitor simulates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relaxed {
    Tso,
    Pso,
}

pub(crate) struct Monitor {
    model: Relaxed,
    run: Vec<Step>,
    /// For each event the events that happen before it, itself included.
    past: Vec<Events>,
    /// The stores that have not committed in the simulation.
    pending: Events,
}

/// In ascending order.
fn members(mut events: Events) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let least = (events != 0).then(|| events.trailing_zeros() as usize);
        events &= events.wrapping_sub(1);
        least
    })
}

fn set(events: impl Iterator<Item = usize>) -> Events {
    events.fold(0, |set, event| set | 1 << event)
}

impl Monitor {
    pub(crate) fn new(model: Relaxed) -> Self {
        Self { model, run: Vec::new(), past: Vec::new(), pending: 0 }
    }

    /// The reports of a whole run.
    pub(crate) fn watch(model: Relaxed, run: &[Step]) -> Vec<Report> {
        let mut monitor = Self::new(model);
        run.iter().flat_map(|&step| monitor.event(step)).collect()
    }

    /// The stores that wait, in ascending order.
    pub(crate) fn pending(&self) -> Vec<usize> {
        members(self.pending).collect()
    }

    /// Takes the next event; the reports come in the order of the addresses at which e could overtake e′.
    pub(crate) fn event(&mut self, step: Step) -> Vec<Report> {
        let event = self.run.len();
        let reports = self.test(event, step);
        let addresses = step.action.addresses();
        for other in members(self.pending) {
            if self.run[other].thread != step.thread && self.addresses(other).meets(addresses) {
                self.commit(1 << other);
            }
        }
        self.run.push(step);
        let past = (0..event).filter(|&earlier| self.is_directly_before(earlier, event));
        self.past.push(past.fold(1 << event, |past, earlier| past | self.past[earlier]));

        let own = self.pending_of(step.thread);
        let mut drained = match step.action {
            Action::Join(other) => self.pending_of(other),
            action if action.is_atomic() => set(members(own).filter(|&store| self.orders(store, event))),
            _ => 0,
        };
        let (before, after) = step.action.barriers();
        if before == Barrier::Full || after == Barrier::Full {
            drained |= own;
        }
        self.commit(drained);
        if step.wrote && !step.action.is_atomic() && after != Barrier::Full {
            self.pending |= 1 << event;
        }
        reports
    }

    fn test(&self, event: usize, step: Step) -> Vec<Report> {
        let mut reports = Vec::new();
        let Some(previous) = self.previous(step.thread) else { return reports };
        for address in step.action.addresses().iter() {
            let waits =
                |&other: &usize| self.run[other].thread != step.thread && self.addresses(other).contains(address);
            let waiting: Vec<usize> = members(self.pending).filter(waits).collect();
            let thread = |&other: &usize| self.run[other].thread;
            assert!(waiting.windows(2).all(|pair| thread(&pair[0]) == thread(&pair[1])), "Lemma 1");
            let newest = waiting.into_iter().rfind(|&other| self.past[previous] >> other & 1 == 1);
            if let Some(delayed) = newest {
                let report = Report { delayed, previous, overtaking: event };
                if !reports.contains(&report) {
                    reports.push(report);
                }
            }
        }
        reports
    }

    fn pending_of(&self, thread: usize) -> Events {
        set(members(self.pending).filter(|&store| self.run[store].thread == thread))
    }

    /// The last event of the thread, or its creation.
    fn previous(&self, thread: usize) -> Option<usize> {
        let last = self.run.iter().rposition(|step| step.thread == thread);
        last.or_else(|| self.run.iter().rposition(|step| step.action == Action::Spawn(thread)))
    }

    /// Makes stores commit, and all that must commit before them.
    fn commit(&mut self, stores: Events) {
        let mut committing = stores & self.pending;
        loop {
            let must = |&earlier: &usize| members(committing).any(|store| self.orders(earlier, store));
            let more = set(members(self.pending & !committing).filter(must));
            if more == 0 {
                break;
            }
            committing |= more;
        }
        self.pending &= !committing;
    }

    /// ww.
    fn orders(&self, earlier: usize, later: usize) -> bool {
        earlier < later
            && self.run[earlier].thread == self.run[later].thread
            && match self.model {
                Relaxed::Tso => true,
                Relaxed::Pso => {
                    self.addresses(earlier).meets(self.addresses(later)) || self.epoch(earlier) < self.epoch(later)
                }
            }
    }

    /// The number of barriers between stores that the thread had before the event.
    fn epoch(&self, event: usize) -> usize {
        let barriers = |step: &Step| step.action.barriers();
        let earlier = self.run[..event].iter().filter(|step| step.thread == self.run[event].thread).map(barriers);
        let counted =
            |(before, after)| usize::from(before == Barrier::StoreStore) + usize::from(after == Barrier::StoreStore);
        earlier.map(counted).sum::<usize>() + usize::from(barriers(&self.run[event]).0 == Barrier::StoreStore)
    }

    fn addresses(&self, event: usize) -> Addresses {
        self.run[event].action.addresses()
    }

    fn is_directly_before(&self, earlier: usize, later: usize) -> bool {
        let (x, y) = (&self.run[earlier], &self.run[later]);
        let mutex = |step: &Step| match step.action {
            Action::Lock(mutex) | Action::Unlock(mutex) => Some(mutex),
            _ => None,
        };
        x.thread == y.thread
            || x.action == Action::Spawn(y.thread)
            || y.action == Action::Join(x.thread)
            || x.action.addresses().meets(y.action.addresses()) && (x.wrote || y.wrote)
            || mutex(x).is_some() && mutex(x) == mutex(y)
    }
}
