//! Serializability by its definitions (docs/monitors.md, section 6): conflicts between all pairs of events of an
//! execution in which every issue and every commit has its place, and cycles by transitive closure.
//!
//! For accesses of one address. Events are numbered by their place in the run, which is the order of issues.

use super::machine::{Machine, Model, State, Step};
use super::program::{Access, Action, Barrier, Program};

/// The transaction of each operation, by thread; numbers count within a thread.
pub(crate) type Numbers = Vec<Vec<usize>>;

/// The place of something in an execution. What never happens comes last.
pub(crate) type Place = usize;

pub(crate) const NEVER: Place = usize::MAX;

/// Which conflicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conflicts {
    Sc,
    Tso,
    /// Those of TSO, and all of program order.
    Contraction,
}

/// An execution: a run, and when each event was issued and when each write was committed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Execution {
    pub(crate) run: Vec<Step>,
    pub(crate) issued: Vec<Place>,
    /// Of an event that is no plain store, when it was issued.
    pub(crate) committed: Vec<Place>,
}

/// What happens in an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Happening {
    Issue(Step),
    /// The event at this place in the run commits.
    Commit(usize),
}

pub(crate) fn is_store(step: &Step) -> bool {
    step.wrote && !step.action.is_atomic()
}

/// Whether it empties the buffer of its thread before it happens.
pub(crate) fn is_drain(step: &Step) -> bool {
    match step.action {
        Action::Access { access, .. } => matches!(access, Access::Exchange(_) | Access::CompareAndSwap { .. }),
        Action::Fence(barrier) => barrier == Barrier::Full,
        _ => true,
    }
}

/// Whether it is nothing under SC and TSO.
fn is_nothing(step: &Step) -> bool {
    step.action == Action::Fence(Barrier::StoreStore)
}

fn object(step: &Step) -> Option<usize> {
    match step.action {
        Action::Lock(mutex) | Action::Unlock(mutex) => Some(mutex),
        _ => None,
    }
}

impl Execution {
    pub(crate) fn new(happenings: &[Happening]) -> Self {
        let mut execution = Self::default();
        for (place, happening) in happenings.iter().enumerate() {
            match *happening {
                Happening::Issue(step) => {
                    execution.run.push(step);
                    execution.issued.push(place);
                    execution.committed.push(if is_store(&step) { NEVER } else { place });
                }
                Happening::Commit(event) => execution.committed[event] = place,
            }
        }
        execution
    }

    /// The execution in which every store commits at once.
    pub(crate) fn at_once(run: &[Step]) -> Self {
        let places: Vec<Place> = (0..run.len()).collect();
        Self { run: run.to_vec(), issued: places.clone(), committed: places }
    }

    /// Whether stores commit in the order of their thread, after they are issued, and before the thread's next drain or
    /// the join with it.
    pub(crate) fn is_legal(&self) -> bool {
        (0..self.run.len()).filter(|&event| is_store(&self.run[event])).all(|store| {
            let thread = self.run[store].thread;
            let later = (store + 1..self.run.len())
                .filter(|&event| self.run[event].thread == thread || self.run[event].action == Action::Join(thread));
            self.committed[store] > self.issued[store]
                && later.into_iter().all(|event| {
                    let step = &self.run[event];
                    if is_store(step) {
                        self.committed[store] < self.committed[event] || self.committed[event] == NEVER
                    } else {
                        !is_drain(step) || self.committed[store] < self.issued[event]
                    }
                })
        })
    }

    /// An own store to the same address that comes before a load, without a drain in between: the last one.
    fn own_store(&self, load: usize) -> Option<usize> {
        let (thread, addresses) = (self.run[load].thread, self.run[load].action.addresses());
        let own = (0..load).rev().filter(|&event| self.run[event].thread == thread);
        let mut own = own.take_while(|&event| !is_drain(&self.run[event]));
        own.find(|&event| is_store(&self.run[event]) && self.run[event].action.addresses() == addresses)
    }

    /// Whether two events of a thread conflict, the first one being the earlier one.
    fn conflict_in_thread(&self, first: usize, second: usize, conflicts: Conflicts) -> bool {
        let (x, y) = (&self.run[first], &self.run[second]);
        if conflicts != Conflicts::Tso {
            return true;
        }
        if is_nothing(x) || is_nothing(y) {
            return false;
        }
        let is_load = |step: &Step| step.action.reads() && !is_drain(step);
        let elsewhere = is_load(y) && x.action.addresses() != y.action.addresses();
        let leaves = is_store(x) || is_load(x) && self.own_store(first).is_some();
        !(elsewhere && leaves && !is_drain(x))
    }

    /// Whether two events conflict, the first one taking effect before the second one.
    pub(crate) fn is_edge(&self, first: usize, second: usize, conflicts: Conflicts) -> bool {
        let (x, y) = (&self.run[first], &self.run[second]);
        if first == second {
            return false;
        }
        if x.thread == y.thread {
            return first < second && self.conflict_in_thread(first, second, conflicts);
        }
        let is_ordered = object(x).is_some() && object(x) == object(y)
            || x.action == Action::Spawn(y.thread)
            || y.action == Action::Join(x.thread);
        if is_ordered && first < second {
            return !is_nothing(x) && !is_nothing(y);
        }
        if !x.action.addresses().meets(y.action.addresses()) || !(x.wrote || y.wrote) {
            return false;
        }
        let effect = |event: usize| if self.run[event].wrote { self.committed[event] } else { self.issued[event] };
        let apart = |load: usize, store: usize| {
            self.own_store(load).is_some_and(|own| {
                self.committed[own] > self.issued[load]
                    && self.issued[own] < self.committed[store]
                    && self.committed[store] < self.committed[own]
            })
        };
        let is_parallel =
            conflicts != Conflicts::Sc && (!x.wrote && apart(first, second) || !y.wrote && apart(second, first));
        effect(first) < effect(second) && !is_parallel
    }

    /// Whether the conflict graph has a cycle.
    pub(crate) fn is_cyclic(&self, numbers: &Numbers, conflicts: Conflicts) -> bool {
        let transaction = |event: usize| {
            let step = &self.run[event];
            if conflicts == Conflicts::Contraction { (event, 0) } else { (step.thread, numbers[step.thread][step.op]) }
        };
        let events = self.run.len();
        let edges = (0..events).flat_map(|x| (0..events).map(move |y| (x, y)));
        let edges = edges.filter(|&(x, y)| self.is_edge(x, y, conflicts));
        is_cyclic(edges.map(|(x, y)| (transaction(x), transaction(y))))
    }
}

/// Whether these edges have a cycle.
pub(crate) fn is_cyclic<T: PartialEq>(edges: impl Iterator<Item = (T, T)>) -> bool {
    let mut names: Vec<T> = Vec::new();
    let mut successors: Vec<u32> = Vec::new();
    let mut number = |name: T, successors: &mut Vec<u32>| {
        names.iter().position(|other| *other == name).unwrap_or_else(|| {
            names.push(name);
            successors.push(0);
            names.len() - 1
        })
    };
    for (from, to) in edges {
        let (from, to) = (number(from, &mut successors), number(to, &mut successors));
        if from != to {
            successors[from] |= 1 << to;
        }
    }
    let mut left: u32 = (0..successors.len()).fold(0, |mask, node| mask | 1 << node);
    loop {
        let last = (0..successors.len()).filter(|&node| left >> node & 1 == 1 && successors[node] & left == 0);
        let taken = last.fold(0, |mask, node| mask | 1 << node);
        left &= !taken;
        if taken == 0 {
            return left != 0;
        }
    }
}

/// All executions of a trace: every placement of its commits. Each store commits before the end.
pub(crate) fn executions(run: &[Step], visit: &mut impl FnMut(&[Happening])) {
    place(run, 0, &mut Vec::new(), &mut Vec::new(), visit);
}

fn place(
    run: &[Step],
    issued: usize,
    waiting: &mut Vec<usize>,
    happened: &mut Vec<Happening>,
    visit: &mut impl FnMut(&[Happening]),
) {
    if issued == run.len() && waiting.is_empty() {
        visit(happened);
        return;
    }
    for index in 0..waiting.len() {
        let store = waiting[index];
        if waiting[..index].iter().any(|&other| run[other].thread == run[store].thread) {
            continue;
        }
        waiting.remove(index);
        happened.push(Happening::Commit(store));
        place(run, issued, waiting, happened, visit);
        happened.pop();
        waiting.insert(index, store);
    }
    let Some(step) = run.get(issued) else { return };
    let ended = |thread: usize| step.action == Action::Join(thread);
    let blocks = |&store: &usize| {
        let thread = run[store].thread;
        is_drain(step) && (thread == step.thread || ended(thread))
    };
    if !waiting.iter().any(blocks) {
        happened.push(Happening::Issue(*step));
        if is_store(step) {
            waiting.push(issued);
        }
        place(run, issued + 1, waiting, happened, visit);
        if is_store(step) {
            waiting.pop();
        }
        happened.pop();
    }
}

/// Whether all SC executions of a program are serializable: one of each class.
pub(crate) fn is_sc_serializable(program: &Program, numbers: &Numbers) -> bool {
    let mut is_serializable = true;
    Machine::new(program, Model::Sc).representatives(&mut |happenings| {
        let run = Execution::new(happenings).run;
        is_serializable &= !Execution::at_once(&run).is_cyclic(numbers, Conflicts::Sc);
    });
    is_serializable
}

/// Whether all TSO executions of a program are serializable: by their traces (docs/monitors.md, section 6.2).
pub(crate) fn is_tso_serializable(program: &Program, numbers: &Numbers) -> bool {
    let machine = Machine::new(program, Model::Tso);
    machine.traces().iter().all(|trace| !is_trace_cyclic(program, numbers, &machine, trace))
}

fn is_trace_cyclic(program: &Program, numbers: &Numbers, machine: &Machine<'_>, trace: &State) -> bool {
    let executed = machine.executed(trace);
    let relations = machine.trace(trace);
    // A run of the threads one after the other, for what program order keeps.
    let mut run = Vec::new();
    let mut names = Vec::new();
    for (name, (thread, op)) in program_events(program).enumerate() {
        if executed.contains(&name) {
            let action = program.threads[thread][op].action;
            let wrote = relations.written.iter().any(|writes| writes.contains(&name));
            run.push(Step { thread, op, action, wrote });
            names.push(name);
        }
    }
    let execution = Execution::at_once(&run);
    let transaction = |event: usize| (run[event].thread, numbers[run[event].thread][run[event].op]);
    let event_of = |name: usize| names.iter().position(|&other| other == name).expect("executed");
    let mut edges = Vec::new();
    for x in 0..run.len() {
        let later = (x + 1..run.len()).filter(|&y| run[x].thread == run[y].thread);
        edges.extend(later.filter(|&y| execution.conflict_in_thread(x, y, Conflicts::Tso)).map(|y| (x, y)));
    }
    for writes in &relations.written {
        for (place, &first) in writes.iter().enumerate() {
            edges.extend(writes[place + 1..].iter().map(|&second| (event_of(first), event_of(second))));
        }
    }
    for &(read, address, source) in &relations.sources {
        let writes = &relations.written[address];
        let seen = source.map_or(0, |source| writes.iter().position(|&write| write == source).unwrap() + 1);
        // A write that the read has seen, and one that it has not; an exchange is no write before itself.
        edges.extend(writes[..seen].last().map(|&write| (event_of(write), event_of(read))));
        let later = writes[seen..].iter().filter(|&&write| write != read);
        edges.extend(later.map(|&write| (event_of(read), event_of(write))));
    }
    let between = edges.into_iter().filter(|&(x, y)| x != y);
    is_cyclic(between.map(|(x, y)| (transaction(x), transaction(y))))
}

fn program_events(program: &Program) -> impl Iterator<Item = (usize, usize)> + '_ {
    program.threads.iter().enumerate().flat_map(|(thread, ops)| (0..ops.len()).map(move |op| (thread, op)))
}
