//! The TACAS'11 monitors by their definition (docs/monitors.md, sections 2 and 3): sets of events, no clocks, no
//! cleverness.
//!
//! Extended to accesses of several addresses: e closes a cycle, too, if it overtakes e′ at one address, and at another
//! comes after some x with e′ →hb* x. So it does if all stores to that address can commit before e′.
//!
//! Events are numbered by their place in the run; a set of events is a bit mask.

use super::machine::Step;
use super::program::{Access, Action, Addresses, Barrier};

pub(crate) type Events = u128;

/// e′, prev, e by their places in the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Report {
    pub(crate) delayed: usize,
    pub(crate) previous: usize,
    pub(crate) overtaking: usize,
}

/// For each event of a run the events that happen before it, itself included, by their places.
pub(crate) fn pasts(run: &[Step]) -> Vec<Events> {
    let mut monitor = Monitor::new(Relaxed::Tso);
    run.iter().for_each(|&step| {
        monitor.event(step);
    });
    monitor.past
}

/// For each event, by thread and operation, those that happen before it, itself included.
pub(crate) type Class = Vec<(usize, usize, Events)>;

/// The class of a run. Runs of one class differ in the order of events that do not conflict alone.
pub(crate) fn class(run: &[Step]) -> Class {
    let pasts = pasts(run);
    let mut places: Vec<usize> = (0..run.len()).collect();
    places.sort_by_key(|&place| (run[place].thread, run[place].op));
    let by_name = |past: Events| set((0..run.len()).filter(|&name| past >> places[name] & 1 == 1));
    places.iter().map(|&place| (run[place].thread, run[place].op, by_name(pasts[place]))).collect()
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
    /// Those of them that commit before their thread's next event: they may be seen to wait after an access that has a
    /// full barrier after it.
    due: Events,
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
        Self { model, run: Vec::new(), past: Vec::new(), pending: 0, due: 0 }
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
        self.commit(self.due & self.pending_of(step.thread));
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
        let is_load = !step.wrote && !step.action.is_atomic();
        let is_due = after == Barrier::Full && (before == Barrier::None || before == Barrier::StoreStore && is_load);
        if before == Barrier::Full || after == Barrier::Full && !is_due {
            drained |= own;
        }
        self.commit(drained);
        if step.wrote && !step.action.is_atomic() && (after != Barrier::Full || is_due) {
            self.pending |= 1 << event;
        }
        if is_due {
            self.due |= self.pending_of(step.thread);
        }
        reports
    }

    fn test(&self, event: usize, step: Step) -> Vec<Report> {
        let mut reports = Vec::new();
        let previous = self.previous(step.thread);
        for address in step.action.addresses().iter() {
            let waits =
                |&other: &usize| self.run[other].thread != step.thread && self.addresses(other).contains(address);
            let waiting: Vec<usize> = members(self.pending).filter(waits).collect();
            let thread = |&other: &usize| self.run[other].thread;
            assert!(waiting.windows(2).all(|pair| thread(&pair[0]) == thread(&pair[1])), "Lemma 1");
            let closes = |&other: &usize| {
                previous.is_some_and(|previous| self.past[previous] >> other & 1 == 1) || self.follows(step, other)
            };
            if let Some(delayed) = waiting.into_iter().rfind(closes) {
                let report = Report { delayed, previous: previous.unwrap_or(delayed), overtaking: event };
                if !reports.contains(&report) {
                    reports.push(report);
                }
            }
        }
        reports
    }

    /// Whether the next event comes after some x with `delayed` →hb* x even if it overtakes `delayed`.
    fn follows(&self, step: Step, delayed: usize) -> bool {
        let left = self.behind(delayed);
        // A compare-and-swap that reads something else may not write.
        let writes = matches!(step.action, Action::Access { access: Access::Store(_) | Access::Exchange(_), .. });
        step.action.addresses().iter().any(|address| {
            let is_settled = members(left).all(|store| !self.addresses(store).contains(address));
            let conflicts = |&x: &usize| self.addresses(x).contains(address) && (writes || self.run[x].wrote);
            is_settled && (0..self.run.len()).filter(conflicts).any(|x| self.past[x] >> delayed & 1 == 1)
        })
    }

    /// The pending stores that cannot commit as long as this one waits, itself included.
    fn behind(&self, delayed: usize) -> Events {
        let waits = |&store: &usize| self.must_commit(1 << store) >> delayed & 1 == 1;
        set(members(self.pending).filter(waits))
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
        self.pending &= !self.must_commit(stores);
    }

    /// These stores, as far as they are pending, and all that must commit before them.
    fn must_commit(&self, stores: Events) -> Events {
        let mut committing = stores & self.pending;
        loop {
            let must = |&earlier: &usize| members(committing).any(|store| self.orders(earlier, store));
            let more = set(members(self.pending & !committing).filter(must));
            if more == 0 {
                return committing;
            }
            committing |= more;
        }
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
