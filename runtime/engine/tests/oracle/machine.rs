//! The operational machines SC, TSO and PSO (docs/monitors.md, section 1), as one machine with three models.
//!
//! A store waits in the buffer of its thread until it commits; it may commit when no store that must commit before it
//! still waits ([`Model::orders`]). Under SC it commits at once. A state holds the whole trace so far, so that a state
//! without successors *is* the trace of a complete execution: two such states are equal iff their traces are.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::atomicity::Happening;
use super::program::{Access, Action, Address, Addresses, Barrier, Blocks, Program, Value};

pub(crate) const EVENTS: usize = 16;
pub(crate) const THREADS: usize = 4;
pub(crate) const ADDRESSES: usize = 4;
pub(crate) const MUTEXES: usize = 2;

/// An operation of the program: those of thread 0 come first.
type EventId = u8;

/// The source of a read that sees the memory's initial value.
const INITIAL: EventId = u8::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Model {
    Sc,
    Tso,
    Pso,
}

/// One step of a sequentially consistent run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) thread: usize,
    pub(crate) op: usize,
    pub(crate) action: Action,
    /// It is an access that wrote: a store, an exchange, a compare-and-swap that succeeded.
    pub(crate) wrote: bool,
}

/// A few events in some order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct List {
    len: u8,
    events: [EventId; EVENTS],
}

impl List {
    fn push(&mut self, event: EventId) {
        self.events[usize::from(self.len)] = event;
        self.len += 1;
    }

    fn remove(&mut self, position: usize) {
        let len = usize::from(self.len);
        self.events.copy_within(position + 1..len, position);
        self.events[len - 1] = 0;
        self.len -= 1;
    }

    fn as_slice(&self) -> &[EventId] {
        &self.events[..usize::from(self.len)]
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A state of the machine; if it has no successors, the trace of a complete execution.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// The next operation of each thread that is not skipped.
    next: [u8; THREADS],
    /// The events so far, as a mask.
    executed: u32,
    /// For each event and each address that it reads, the write it saw.
    sources: [[EventId; ADDRESSES]; EVENTS],
    /// For each address its writes in the order of their commits: →st.
    written: [List; ADDRESSES],
    /// For each mutex the operations on it in order.
    locked: [List; MUTEXES],
    /// The stores of each thread that have not committed, in program order.
    pending: [List; THREADS],
    /// The epoch that each thread is in, and that of each pending store.
    epoch: [u8; THREADS],
    epoch_of: [u8; EVENTS],
    /// The threads that go on only when their stores have committed, as a mask.
    fenced: u8,
}

pub(crate) struct Machine<'p> {
    program: &'p Program,
    model: Model,
    /// The event of each thread's first operation.
    first: Vec<usize>,
    /// The action of each event.
    actions: Vec<Action>,
    /// For each thread the events that spawn it, as a mask; a thread that none spawns is there from the beginning.
    spawned_by: Vec<u32>,
}

impl Model {
    /// Whether a store must commit before another one, or a read-modify-write, that is po-after it: ww.
    fn orders(self, earlier: (Addresses, u8), later: (Addresses, u8)) -> bool {
        match self {
            Self::Sc | Self::Tso => true,
            Self::Pso => earlier.0.meets(later.0) || earlier.1 < later.1,
        }
    }
}

/// What a complete execution was: for each read and each of its addresses the write that it saw, if any; and for each
/// address its writes in the order of their commits. Events are numbered thread by thread.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) sources: Vec<(usize, Address, Option<usize>)>,
    pub(crate) written: Vec<Vec<usize>>,
}

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program, model: Model) -> Self {
        let mut first = vec![0];
        for thread in &program.threads {
            first.push(first[first.len() - 1] + thread.len());
        }
        let actions: Vec<Action> = program.threads.iter().flatten().map(|op| op.action).collect();
        assert!(program.threads.len() <= THREADS && actions.len() <= EVENTS, "program too large");
        let spawns = |thread: usize, event: &usize| actions[*event] == Action::Spawn(thread);
        let spawned_by = (0..program.threads.len())
            .map(|thread| {
                (0..actions.len()).filter(|event| spawns(thread, event)).fold(0, |mask, event| mask | 1 << event)
            })
            .collect();
        Self { program, model, first, actions, spawned_by }
    }

    pub(crate) fn initial(&self) -> State {
        let mut state = State {
            next: [0; THREADS],
            executed: 0,
            sources: [[INITIAL; ADDRESSES]; EVENTS],
            written: [List::default(); ADDRESSES],
            locked: [List::default(); MUTEXES],
            pending: [List::default(); THREADS],
            epoch: [0; THREADS],
            epoch_of: [0; EVENTS],
            fenced: 0,
        };
        for thread in 0..self.program.threads.len() {
            self.skip(&mut state, thread);
        }
        state
    }

    /// All traces of complete executions. Blocked for ever counts as complete.
    pub(crate) fn traces(&self) -> HashSet<State, Hash> {
        let mut traces = HashSet::default();
        self.complete(|trace| {
            traces.insert(trace.clone());
            true
        });
        traces
    }

    /// A state without successors, as the trace of the execution.
    pub(crate) fn trace(&self, state: &State) -> Trace {
        let seen = |&source: &EventId| (source != INITIAL).then_some(usize::from(source));
        let reads = (0..self.actions.len()).filter(|&event| state.executed >> event & 1 == 1);
        let reads = reads.filter(|&event| self.actions[event].reads());
        let sources = reads.flat_map(|event| {
            let addresses = self.actions[event].addresses();
            addresses.iter().map(move |address| (event, address, seen(&state.sources[event][address])))
        });
        let order = |list: &List| list.as_slice().iter().map(|&write| usize::from(write)).collect();
        Trace { sources: sources.collect(), written: state.written.iter().map(order).collect() }
    }

    /// The events that were executed.
    pub(crate) fn executed(&self, state: &State) -> Vec<usize> {
        (0..self.actions.len()).filter(|&event| state.executed >> event & 1 == 1).collect()
    }

    /// Whether happens-before is acyclic in all traces.
    pub(crate) fn is_robust(&self) -> bool {
        self.complete(|trace| self.is_acyclic(trace))
    }

    /// Visits the complete traces until `visit` says no; whether it never did.
    fn complete(&self, mut visit: impl FnMut(&State) -> bool) -> bool {
        let initial = self.initial();
        let mut seen: HashSet<State, Hash> = HashSet::default();
        let mut unvisited = vec![initial.clone()];
        seen.insert(initial);
        while let Some(state) = unvisited.pop() {
            let mut is_complete = true;
            for thread in 0..self.program.threads.len() {
                for position in (0..state.pending[thread].as_slice().len()).map(Some).chain([None]) {
                    let mut next = state.clone();
                    match position {
                        Some(position) if self.may_commit(&state, thread, position) => {
                            self.commit(&mut next, thread, position);
                        }
                        None if self.is_enabled(&state, thread) => {
                            self.execute(&mut next, thread);
                        }
                        _ => continue,
                    }
                    is_complete = false;
                    if seen.insert(next.clone()) {
                        unvisited.push(next);
                    }
                }
            }
            if is_complete && !visit(&state) {
                return false;
            }
        }
        true
    }

    /// Visits every interleaving, with the number of its preemptions. (For SC.)
    pub(crate) fn interleavings(&self, visit: &mut impl FnMut(&[Step], usize)) {
        self.interleavings_of_blocks(&Blocks::default(), visit);
    }

    /// The same where nothing of another thread comes between the operations of a block.
    pub(crate) fn interleavings_of_blocks(&self, blocks: &Blocks, visit: &mut impl FnMut(&[Step], usize)) {
        assert_eq!(self.model, Model::Sc, "only an SC execution is an interleaving of its events");
        self.extend(&self.initial(), blocks, &mut Vec::new(), 0, visit);
    }

    /// Visits every execution with its commits: issues, and commits by the place of their store among the issues.
    pub(crate) fn executions(&self, visit: &mut impl FnMut(&[Happening])) {
        self.go_on(&self.initial(), &mut Vec::new(), &mut Vec::new(), &mut |_| true, visit);
    }

    /// Visits one execution of each trace, with its commits.
    pub(crate) fn representatives(&self, visit: &mut impl FnMut(&[Happening])) {
        let mut seen: HashSet<State, Hash> = HashSet::default();
        let mut is_new = |state: &State| seen.insert(state.clone());
        self.go_on(&self.initial(), &mut Vec::new(), &mut Vec::new(), &mut is_new, visit);
    }

    fn go_on(
        &self,
        state: &State,
        issued: &mut Vec<EventId>,
        happened: &mut Vec<Happening>,
        enters: &mut impl FnMut(&State) -> bool,
        visit: &mut impl FnMut(&[Happening]),
    ) {
        if !enters(state) {
            return;
        }
        let mut is_complete = true;
        for thread in 0..self.program.threads.len() {
            for position in 0..state.pending[thread].as_slice().len() {
                if self.may_commit(state, thread, position) {
                    is_complete = false;
                    let mut next = state.clone();
                    let store = state.pending[thread].as_slice()[position];
                    self.commit(&mut next, thread, position);
                    let place = issued.iter().position(|&event| event == store).expect("it was issued");
                    happened.push(Happening::Commit(place));
                    self.go_on(&next, issued, happened, enters, visit);
                    happened.pop();
                }
            }
            if self.is_enabled(state, thread) {
                is_complete = false;
                let mut next = state.clone();
                let step = self.execute(&mut next, thread);
                issued.push(self.event(thread, step.op));
                happened.push(Happening::Issue(step));
                self.go_on(&next, issued, happened, enters, visit);
                happened.pop();
                issued.pop();
            }
        }
        if is_complete {
            visit(happened);
        }
    }

    fn extend(
        &self,
        state: &State,
        blocks: &Blocks,
        run: &mut Vec<Step>,
        preemptions: usize,
        visit: &mut impl FnMut(&[Step], usize),
    ) {
        let mut is_complete = true;
        let last = run.last().map(|step| step.thread);
        let within = run.last().filter(|&&Step { thread, op, .. }| {
            self.next_op(state, thread).is_some_and(|next| blocks.join(thread, op, next))
        });
        let only = within.map(|step| step.thread);
        for thread in 0..self.program.threads.len() {
            if !self.is_enabled(state, thread) || only.is_some_and(|only| only != thread) {
                continue;
            }
            is_complete = false;
            let mut next = state.clone();
            run.push(self.execute(&mut next, thread));
            let preempts = last.is_some_and(|last| last != thread && self.is_enabled(state, last));
            self.extend(&next, blocks, run, preemptions + usize::from(preempts), visit);
            run.pop();
        }
        if is_complete {
            visit(run, preemptions);
        }
    }

    /// Whether an operation spawns the thread.
    pub(crate) fn is_spawned(&self, thread: usize) -> bool {
        self.spawned_by[thread] != 0
    }

    /// The operation that the thread stands before, if it has not come to its end.
    pub(crate) fn next(&self, state: &State, thread: usize) -> Option<Action> {
        Some(self.program.threads[thread].get(usize::from(state.next[thread]))?.action)
    }

    /// The number of that operation.
    pub(crate) fn next_op(&self, state: &State, thread: usize) -> Option<usize> {
        let op = usize::from(state.next[thread]);
        (op < self.program.threads[thread].len()).then_some(op)
    }

    /// What memory holds.
    pub(crate) fn holds(&self, state: &State, address: Address) -> Value {
        self.value(state.written[address].as_slice().last().copied().unwrap_or(INITIAL))
    }

    fn event(&self, thread: usize, op: usize) -> EventId {
        (self.first[thread] + op) as EventId
    }

    fn action(&self, event: EventId) -> Action {
        self.actions[usize::from(event)]
    }

    /// What a write writes, and a read that saw it returns.
    fn value(&self, source: EventId) -> Value {
        if source == INITIAL {
            return 0;
        }
        match self.action(source) {
            Action::Access { access: Access::Store(value) | Access::Exchange(value), .. } => value,
            Action::Access { access: Access::CompareAndSwap { new, .. }, .. } => new,
            other => panic!("{other:?} does not write"),
        }
    }

    /// What a read returned.
    fn returned(&self, state: &State, event: EventId) -> Value {
        self.value(state.sources[usize::from(event)][self.action(event).addresses().lowest()])
    }

    /// Moves the thread past operations that are not executed.
    fn skip(&self, state: &mut State, thread: usize) {
        let ops = &self.program.threads[thread];
        while let Some(op) = ops.get(usize::from(state.next[thread]))
            && let Some(guard) = op.guard
        {
            let event = self.event(thread, guard.op);
            let executed = state.executed >> event & 1 == 1;
            if executed && (self.returned(state, event) == guard.value) == guard.equal {
                return;
            }
            state.next[thread] += 1;
        }
    }

    fn has_started(&self, state: &State, thread: usize) -> bool {
        let spawned_by = self.spawned_by[thread];
        spawned_by == 0 || spawned_by & state.executed != 0
    }

    fn has_ended(&self, state: &State, thread: usize) -> bool {
        self.has_started(state, thread) && usize::from(state.next[thread]) == self.program.threads[thread].len()
    }

    /// Whether the thread can execute its next operation.
    pub(crate) fn is_enabled(&self, state: &State, thread: usize) -> bool {
        let op = usize::from(state.next[thread]);
        let Some(op) = self.program.threads[thread].get(op).copied() else { return false };
        let action = op.action;
        let pending = &state.pending[thread];
        let (before, _) = action.barriers();
        if !self.has_started(state, thread)
            || (state.fenced >> thread & 1 == 1 || before == Barrier::Full) && !pending.is_empty()
        {
            return false;
        }
        let epoch = state.epoch[thread] + u8::from(before == Barrier::StoreStore);
        match action {
            Action::Access { addresses, .. } if action.is_atomic() => !pending.as_slice().iter().any(|&store| {
                let earlier = (self.action(store).addresses(), state.epoch_of[usize::from(store)]);
                self.model.orders(earlier, (addresses, epoch))
            }),
            Action::Lock(mutex) => match state.locked[mutex].as_slice().last() {
                Some(&last) => matches!(self.action(last), Action::Unlock(_)),
                None => true,
            },
            Action::Join(other) => self.has_ended(state, other) && state.pending[other].is_empty(),
            _ => true,
        }
    }

    /// Executes the next operation of an enabled thread.
    pub(crate) fn execute(&self, state: &mut State, thread: usize) -> Step {
        let op = usize::from(state.next[thread]);
        let event = self.event(thread, op);
        let action = self.program.threads[thread][op].action;
        let (before, after) = action.barriers();
        let mut wrote = false;
        state.epoch[thread] += u8::from(before == Barrier::StoreStore);
        match action {
            Action::Access { access: Access::Store(_), .. } => {
                wrote = true;
                state.epoch_of[usize::from(event)] = state.epoch[thread];
                state.pending[thread].push(event);
                if self.model == Model::Sc {
                    self.commit(state, thread, 0);
                }
            }
            Action::Access { access, addresses, .. } => {
                for address in addresses.iter() {
                    state.sources[usize::from(event)][address] = self.visible(state, thread, address);
                }
                wrote = match access {
                    Access::CompareAndSwap { expected, .. } => self.returned_at(state, event, addresses) == expected,
                    _ => matches!(access, Access::Exchange(_)),
                };
                if wrote {
                    addresses.iter().for_each(|address| state.written[address].push(event));
                }
            }
            Action::Lock(mutex) | Action::Unlock(mutex) => state.locked[mutex].push(event),
            Action::Fence(_) | Action::Spawn(_) | Action::Join(_) => {}
        }
        state.epoch[thread] += u8::from(after == Barrier::StoreStore);
        if after == Barrier::Full && !state.pending[thread].is_empty() {
            state.fenced |= 1 << thread;
        }
        state.executed |= 1 << event;
        state.next[thread] += 1;
        self.skip(state, thread);
        Step { thread, op, action, wrote }
    }

    fn returned_at(&self, state: &State, event: EventId, addresses: Addresses) -> Value {
        self.value(state.sources[usize::from(event)][addresses.lowest()])
    }

    /// The write that a read of the address sees: the newest own store that waits, or else what memory holds.
    fn visible(&self, state: &State, thread: usize, address: Address) -> EventId {
        let covers = |store: &&EventId| self.action(**store).addresses().contains(address);
        let own = state.pending[thread].as_slice().iter().rfind(covers);
        own.or(state.written[address].as_slice().last()).copied().unwrap_or(INITIAL)
    }

    fn may_commit(&self, state: &State, thread: usize, position: usize) -> bool {
        let described = |&store: &EventId| (self.action(store).addresses(), state.epoch_of[usize::from(store)]);
        let pending = state.pending[thread].as_slice();
        let store = described(&pending[position]);
        !pending[..position].iter().map(described).any(|earlier| self.model.orders(earlier, store))
    }

    fn commit(&self, state: &mut State, thread: usize, position: usize) {
        let event = state.pending[thread].as_slice()[position];
        state.pending[thread].remove(position);
        state.epoch_of[usize::from(event)] = 0;
        for address in self.action(event).addresses().iter() {
            state.written[address].push(event);
        }
        if state.pending[thread].is_empty() {
            state.fenced &= !(1 << thread);
        }
    }

    /// Whether happens-before of a complete trace is acyclic: an event without predecessors can be taken away again and
    /// again until none is left.
    fn is_acyclic(&self, trace: &State) -> bool {
        let predecessors = self.predecessors(trace);
        let mut left = trace.executed;
        loop {
            let free = (0..EVENTS).filter(|&event| left >> event & 1 == 1 && predecessors[event] & left == 0);
            let taken = free.fold(0, |mask, event| mask | 1 << event);
            left &= !taken;
            if taken == 0 {
                return left == 0;
            }
        }
    }

    /// hb = po ∪ rf ∪ st ∪ fr ∪ spawns ∪ joins ∪ lock order: for each event those directly before it.
    fn predecessors(&self, trace: &State) -> [u32; EVENTS] {
        let mut predecessors = [0_u32; EVENTS];
        let mut add = |before: EventId, after: EventId| {
            predecessors[usize::from(after)] |= u32::from(before != after) << before;
        };
        let executed = |&event: &EventId| trace.executed >> event & 1 == 1;
        let events_of = |thread: usize| {
            (self.event(thread, 0)..self.event(thread, self.program.threads[thread].len())).filter(executed)
        };
        for thread in 0..self.program.threads.len() {
            for (before, after) in events_of(thread).zip(events_of(thread).skip(1)) {
                add(before, after);
            }
            for event in events_of(thread) {
                match self.action(event) {
                    Action::Spawn(child) => events_of(child).for_each(|first| add(event, first)),
                    Action::Join(child) => events_of(child).for_each(|last| add(last, event)),
                    action if action.reads() => {
                        for address in action.addresses().iter() {
                            let source = trace.sources[usize::from(event)][address];
                            let writes = trace.written[address].as_slice();
                            let later = match writes.iter().position(|&write| write == source) {
                                Some(position) => &writes[position + 1..],
                                None => writes,
                            };
                            later.iter().for_each(|&write| add(event, write));
                            if source != INITIAL {
                                add(source, event);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for order in trace.written.iter().chain(&trace.locked) {
            for pair in order.as_slice().windows(2) {
                add(pair[0], pair[1]);
            }
        }
        predecessors
    }
}

/// A fast hash for states: eight bytes at a time, each multiplied in.
#[derive(Default)]
pub(crate) struct Multiply(u64);

pub(crate) type Hash = BuildHasherDefault<Multiply>;

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
