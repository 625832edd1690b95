//! Failures of lifetimes in execution graphs: uses of freed blocks, of local variables of functions that have returned,
//! of destroyed objects, of threads that have been joined; blocks and objects that are freed or destroyed twice; and objects
//! that are destroyed while they are held or waited for.

use std::ops::Range;

use engine::event::Thread;
use engine::explore::rsmc::CompleteTrace;
use engine::graph::lifetime::{Lifetimes, Moment};
use engine::graph::trace::Node;
use engine::graph::{EventId, FREE, Labels, Value};
use protocol::{FailureKind, Operation, Role, SiteUse};

use crate::process::layout;
use crate::run::with;
use crate::search::graphs::runs::{Broken, Notes, run_each};
use crate::state::failure::{Failure, bytes, part, site_use};
use crate::state::graph::Recorded;
use crate::state::graph::milestones::{Change, Milestone};
use crate::state::graph::states::ObjectState;
use crate::state::heap::{BadFree, Block};
use crate::state::locals::Local;
use crate::state::memory::described;
use crate::state::objects::Class;

/// What the threads of a graph did in which something ends: their accesses and their milestones.
pub(crate) struct Told {
    notes: Notes,
    milestones: Vec<Milestone>,
}

/// The judge of a graph, with what each thread did in it.
struct Judge<'a, const W: usize> {
    trace: &'a engine::graph::trace::Trace<W>,
    lifetimes: &'a Lifetimes<'a, W>,
    notes: &'a Notes,
    milestones: &'a [Milestone],
    failures: Vec<Failure>,
}

/// Returns the failures of a graph in which something is used after its end, or ends twice.
pub(crate) fn failures<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Vec<Failure>, Broken> {
    let Some(told) = told(execution)? else { return Ok(Vec::new()) };
    Ok(told.failures(execution, &execution.lifetimes(&told.ends())))
}

/// Returns what the threads did, if something ends; leaves the heap as it is at the end of the graph.
pub(crate) fn told<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Option<Told>, Broken> {
    if with(|runtime| runtime.graph_mut().ends) != Some(true) {
        return Ok(None);
    }
    let (mut notes, mut milestones) = (Notes::new(), Vec::new());
    run_each(execution, |graph| {
        notes.push(graph.run.recorded.clone());
        milestones.append(&mut graph.run.milestones);
    })?;
    Ok(Some(Told { notes, milestones }))
}

impl Told {
    fn ends(&self) -> Vec<Moment> {
        self.milestones.iter().map(|milestone| milestone.moment).collect()
    }

    /// Returns the failures if these are the accesses of each thread, which may differ from the actual ones only in what orders
    /// them; none if the model does not allow the graph then.
    pub(crate) fn failures_with<const W: usize>(
        &self,
        execution: &CompleteTrace<'_, W>,
        labels: &[Labels<W>],
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut judge = |lifetimes: &Lifetimes<'_, W>| failures = self.failures(execution, lifetimes);
        execution.lifetimes_with(labels, &self.ends(), &mut judge);
        failures
    }

    fn failures<const W: usize>(&self, execution: &CompleteTrace<'_, W>, lifetimes: &Lifetimes<'_, W>) -> Vec<Failure> {
        let Self { notes, milestones } = self;
        let mut judge = Judge { trace: execution.trace, lifetimes, notes, milestones, failures: Vec::new() };
        for milestone in milestones {
            match &milestone.change {
                Change::Begins(_) => {}
                &Change::Initialises(address, class, function) => {
                    judge.initialises(milestone, (address, class), function);
                }
                &Change::Frees(address, function) => judge.frees(milestone, address, function),
                Change::Leaves(local) => judge.leaves(milestone, local),
                &Change::Destroys(address, class, function) => judge.destroys(milestone, (address, class), function),
            }
        }
        judge.joins();
        judge.failures
    }
}

impl<const W: usize> Judge<'_, W> {
    /// Returns the first access of each thread that may come after this end, of those that are meant, unless something
    /// new begins in the memory in between.
    fn late(
        &self,
        end: &Milestone,
        memory: &Range<usize>,
        is_meant: impl Fn(&Recorded) -> bool,
    ) -> Vec<(EventId, Recorded)> {
        let of = |(thread, recorded): (usize, &Vec<Recorded>)| {
            let mut all = recorded.iter().enumerate().map(|(index, one)| (EventId::new(thread, index), *one));
            all.find(|(access, one)| is_meant(one) && self.is_late(*access, end, memory))
        };
        self.notes.iter().enumerate().filter_map(of).collect()
    }

    /// Whether an access may come after this end, unless something new begins in the memory in between.
    fn is_late(&self, access: EventId, end: &Milestone, memory: &Range<usize>) -> bool {
        self.trace.is_committed(access)
            && !self.lifetimes.precedes(access, end.moment)
            && !self
                .milestones
                .iter()
                .any(|other| begins_in(other, memory) && self.is_behind(end, other) && self.follows(access, other))
    }

    /// Whether an access is sure to take effect after this milestone. Where that is a store to the object, the access has to come
    /// behind the store itself, which what its thread does afterwards may overtake.
    fn follows(&self, access: EventId, milestone: &Milestone) -> bool {
        let begin = EventId::new(milestone.moment.thread.into(), milestone.moment.accesses.into());
        let recorded = |event: EventId| &self.notes[usize::from(event.thread)][usize::from(event.index)];
        let is_store = self.trace.is_committed(begin) && {
            let (begun, used) = (recorded(begin), recorded(access));
            begun.note.operation == Operation::Initialise && begun.location == used.location
        };
        if is_store && access != begin {
            return self.lifetimes.follows_store(access, begin);
        }
        self.lifetimes.follows(access, milestone.moment)
    }

    /// Whether one milestone is sure to come after another one.
    fn is_behind(&self, first: &Milestone, second: &Milestone) -> bool {
        if first.moment.thread == second.moment.thread {
            return first.nth < second.nth;
        }
        self.lifetimes.comes_before(first.moment, second.moment)
    }

    /// Returns the first of the milestones before this one in the list that does the same, unless something begins
    /// between them.
    fn done_before(
        &self,
        milestone: &Milestone,
        memory: &Range<usize>,
        is_same: impl Fn(&Change) -> bool,
    ) -> Option<&Milestone> {
        let is_between = |one: &Milestone, other: &Milestone, middle: &Milestone| {
            self.is_behind(one, middle) && self.is_behind(middle, other)
        };
        let separates = |other: &Milestone, middle: &Milestone| {
            begins_in(middle, memory) && (is_between(other, milestone, middle) || is_between(milestone, other, middle))
        };
        self.milestones.iter().find(|other| {
            other.id() < milestone.id()
                && is_same(&other.change)
                && !self.milestones.iter().any(|middle| separates(other, middle))
        })
    }

    /// Judges the free of a block.
    fn frees(&mut self, milestone: &Milestone, address: usize, function: &'static str) {
        let found = with(|runtime| runtime.memory.heap.living(address));
        let block = match found {
            Some(Ok(block)) => block,
            Some(Err(BadFree::NoBlock(within))) => return self.frees_no_block(milestone, within, function),
            _ => return,
        };
        let allocated = part(Role::Allocated, block.allocated, Operation::Allocate);
        let again = |change: &Change| matches!(change, Change::Frees(freed, _) if *freed == address);
        if let Some(first) = self.done_before(milestone, &block.bytes(), again) {
            let message = format!("{function} of a block of {} that was freed before", bytes(block.size));
            let others = vec![part(Role::Freed, first.doer(), Operation::Free), allocated];
            self.failures.push(milestone.failure(FailureKind::DoubleFree, message, Operation::call(function), others));
            return;
        }
        let freed = part(Role::Freed, milestone.doer(), Operation::Free);
        let where_to = format!("in a block of {} that has been freed", bytes(block.size));
        self.used((milestone, Operation::Free), &block.bytes(), &where_to, &[freed, allocated]);
    }

    /// Reports the free of something that is no block.
    fn frees_no_block(&mut self, milestone: &Milestone, within: Option<Block>, function: &'static str) {
        let message = format!("{function} of an address that is not the beginning of a block");
        let others = within.iter().map(|block| part(Role::Allocated, block.allocated, Operation::Allocate)).collect();
        self.failures.push(milestone.failure(FailureKind::InvalidFree, message, Operation::call(function), others));
    }

    /// Judges the end of a local variable.
    fn leaves(&mut self, milestone: &Milestone, local: &Local) {
        let where_to = format!("in {}, which has returned", described(local));
        self.used(
            (milestone, Operation::Leave),
            &local.bytes,
            &where_to,
            &[part(Role::Allocated, milestone.doer(), Operation::Declare)],
        );
    }

    /// Reports the accesses that may come after the end of this memory by this operation.
    fn used(&mut self, (end, by): (&Milestone, Operation), memory: &Range<usize>, where_to: &str, others: &[SiteUse]) {
        // A thread's own stack is used anew, unseen.
        let is_own = |access: EventId| matches!(end.change, Change::Leaves(_)) && access.thread == end.moment.thread;
        let mut late = self.late(end, memory, |one| touches(one, memory));
        late.retain(|&(access, _)| !is_own(access));
        for (access, one) in late {
            let (thread, operation) = (Thread::from_index(access.thread.into()), one.note.operation);
            let what = if one.width > 0 { bytes(one.width.into()) } else { "an object".to_owned() };
            let message = format!("{operation} of {what} {where_to}");
            let at = site_use(Role::At, thread, one.note.site, operation);
            let failure = Failure::new(FailureKind::UseAfterFree, message, [&[at], others].concat());
            self.failures.push(Failure { late: Some(end.before(access, by)), ..failure });
        }
    }

    /// Judges the initialisation of an object, which may be one already. A local variable that comes and goes need
    /// not be destroyed for its memory to be another one's.
    fn initialises(&mut self, milestone: &Milestone, (address, class): (usize, Class), function: &'static str) {
        if layout::is_stack(address) || self.is_written(&(address..address + class.size())) {
            return;
        }
        let is = |other: &Milestone, is_meant: fn(&Change, usize) -> bool| is_meant(&other.change, address);
        let initialised = |change: &Change, at: usize| matches!(change, &Change::Initialises(its, ..) if its == at);
        let destroyed = |change: &Change, at: usize| matches!(change, &Change::Destroys(its, ..) if its == at);
        let ends: Vec<&Milestone> = self.milestones.iter().filter(|other| is(other, destroyed)).collect();
        let begun = self.milestones.iter().find(|&other| {
            other.id() != milestone.id()
                && is(other, initialised)
                && !self.is_behind(milestone, other)
                && !ends.iter().any(|end| self.is_behind(other, end) && self.is_behind(end, milestone))
        });
        let mut earlier = begun.map(|begun| part(Role::Earlier, begun.doer(), Operation::Initialise));
        if earlier.is_none() && !ends.iter().any(|end| self.is_behind(end, milestone)) {
            let used = self.used_before(milestone, address);
            earlier = used.map(|(thread, one)| site_use(Role::Earlier, thread, one.note.site, one.note.operation));
        }
        let Some(earlier) = earlier else { return };
        if class == Class::SpinLock && begun.is_none() {
            let message = format!("{} of a {} that was never initialised", earlier.operation, class.name());
            let sites = vec![SiteUse { role: Role::At, ..earlier }];
            self.failures.push(Failure::new(FailureKind::Misuse, message, sites));
            return;
        }
        let message = format!("{function} of a {} that is initialised already", class.name());
        self.failures.push(milestone.failure(FailureKind::Misuse, message, Operation::Initialise, vec![earlier]));
    }

    /// Returns the first use of the object at this address that may come before a milestone, if it needs no `init`
    /// function: others fail.
    fn used_before(&self, milestone: &Milestone, address: usize) -> Option<(Thread, Recorded)> {
        let Change::Initialises(_, class, _) = milestone.change else { return None };
        if matches!(class, Class::Semaphore | Class::Barrier) {
            return None;
        }
        let of = |(thread, recorded): (usize, &Vec<Recorded>)| {
            let may_be = |&(index, one): &(usize, &Recorded)| {
                let access = EventId::new(thread, index);
                is_use_of(one, address) && self.trace.is_committed(access) && !self.follows(access, milestone)
            };
            let (_, one) = recorded.iter().enumerate().find(may_be)?;
            Some((Thread::from_index(thread), *one))
        };
        self.notes.iter().enumerate().find_map(of)
    }

    /// Whether a thread writes to this memory as to any other: it may make a new object of it.
    fn is_written(&self, memory: &Range<usize>) -> bool {
        self.notes.iter().flatten().any(|one| one.width > 0 && touches(one, memory))
    }

    /// Judges the destruction of an object.
    fn destroys(&mut self, milestone: &Milestone, (address, class): (usize, Class), function: &'static str) {
        let memory = address..address + class.size();
        if self.is_written(&memory) {
            return;
        }
        let what = format!("of a {} that has been destroyed", class.name());
        let earlier = part(Role::Earlier, milestone.doer(), Operation::Destroy);
        let again = |change: &Change| matches!(change, Change::Destroys(gone, ..) if *gone == address);
        if let Some(first) = self.done_before(milestone, &memory, again) {
            let others = vec![part(Role::Earlier, first.doer(), Operation::Destroy)];
            self.failures.push(milestone.failure(
                FailureKind::Misuse,
                format!("{function} {what}"),
                Operation::Destroy,
                others,
            ));
            return;
        }
        if let Some(used) = self.in_use(milestone, address, class) {
            let what = format!("of a {} that {}", class.name(), class.state_in_use());
            let others = vec![site_use(Role::Earlier, used.0, used.1.note.site, used.1.note.operation)];
            let message = format!("{function} {what}");
            self.failures.push(milestone.failure(FailureKind::Misuse, message, Operation::Destroy, others));
        }
        // A thread that unlocks it behind this holds it here.
        let is_late = |one: &Recorded| is_use_of(one, address) && one.note.operation != Operation::Unlock;
        for (access, one) in self.late(milestone, &memory, is_late) {
            let operation = one.note.operation;
            let at = site_use(Role::At, Thread::from_index(access.thread.into()), one.note.site, operation);
            let failure = Failure::new(FailureKind::Misuse, format!("{operation} {what}"), vec![at, earlier.clone()]);
            self.failures.push(Failure { late: Some(milestone.before(access, Operation::Destroy)), ..failure });
        }
    }

    /// Returns the operation behind which this destruction may come while some thread holds the object or waits for it.
    fn in_use(&self, end: &Milestone, address: usize, class: Class) -> Option<(Thread, Recorded)> {
        let is_state = |one: &&Recorded| is_use_of(one, address) && one.note.operation != Operation::BarrierComplete;
        let location = self.notes.iter().flatten().find(is_state)?.location;
        let mut writes: Vec<&Node> =
            self.trace.at(location).iter().map(|node| self.trace.node(node)).filter(|node| node.writes()).collect();
        writes.sort_unstable_by_key(|node| node.rank);
        let found = writes.iter().enumerate().find(|&(place, node)| {
            let next = writes.get(place + 1);
            is_in_use(class, node.value)
                && !self.lifetimes.follows(node.event, end.moment)
                && next.is_none_or(|next| !self.lifetimes.precedes(next.event, end.moment))
        });
        let event = found?.1.event;
        let thread = usize::from(event.thread);
        Some((Thread::from_index(thread), self.notes[thread][usize::from(event.index)]))
    }

    /// Reports the threads that are joined more than once.
    fn joins(&mut self) {
        let mut joined: Vec<(Thread, (Thread, Recorded))> = Vec::new();
        for (thread, recorded) in self.notes.iter().enumerate() {
            for (index, one) in recorded.iter().enumerate() {
                let Operation::Join(child) = one.note.operation else { continue };
                if !self.trace.is_committed(EventId::new(thread, index)) {
                    continue;
                }
                let doer = Thread::from_index(thread);
                if let Some((_, (first, earlier))) = joined.iter().find(|(known, _)| *known == child) {
                    let at = site_use(Role::At, doer, one.note.site, one.note.operation);
                    let earlier = site_use(Role::Earlier, *first, earlier.note.site, earlier.note.operation);
                    let message = "join of a thread that is joined already".to_owned();
                    let sites = vec![at, earlier];
                    self.failures.push(Failure::new(FailureKind::Misuse, message, sites));
                } else {
                    joined.push((child, (doer, *one)));
                }
            }
        }
    }
}

/// Whether an object of this class is held or waited for in the state that its location holds with this value.
fn is_in_use(class: Class, value: Value) -> bool {
    if matches!(class, Class::Mutex | Class::SpinLock) {
        return value != FREE;
    }
    let known = with(|runtime| runtime.graph_mut().states.get(value).is_some_and(ObjectState::is_in_use));
    known == Some(true)
}

/// Whether something begins to live in this memory.
fn begins_in(milestone: &Milestone, memory: &Range<usize>) -> bool {
    let begun = match &milestone.change {
        Change::Begins(begun) => begun.clone(),
        &Change::Initialises(address, class, _) => address..address + class.size(),
        _ => return false,
    };
    begun.start < memory.end && memory.start < begun.end
}

/// Whether an access is to this memory, or an operation on an object in it.
pub(crate) fn touches(one: &Recorded, memory: &Range<usize>) -> bool {
    let end = one.address + usize::from(one.width.max(1));
    one.address > 0 && one.address < memory.end && memory.start < end && is_a_use(one.note.operation)
}

/// Whether this is an operation on the object at an address.
fn is_use_of(one: &Recorded, address: usize) -> bool {
    one.width == 0 && one.address == address && is_a_use(one.note.operation)
}

/// Whether an operation needs what it is on; leaving a barrier and waking up do not.
fn is_a_use(operation: Operation) -> bool {
    !matches!(operation, Operation::BarrierLeave | Operation::WakeUp | Operation::Initialise)
}
