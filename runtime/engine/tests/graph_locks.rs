//! Locks in the search for execution graphs, which are not committed while they are held ([`Link::Locks`]), and wait loops of one
//! read, on random programs:
//!
//! - under every model against the same search of the same programs with locks as read-modify-writes like others, whose threads
//!   stop if they find the lock held: the same executions, each once, without those in which it is released later;
//! - so also with locks as loops that try again, of which the search knows that their threads wait;
//! - and against itself, cut into units at random moments: the same executions, each once, and the same counts;
//! - under SC against brute force over interleavings, which shares no code with the search.

mod units;

use std::collections::BTreeSet;
use std::fmt;

use engine::event::Location;
use engine::explore::rsmc::{self, CompleteTrace, Continue, Counts};
use engine::graph::set::Set;
use engine::graph::trace::Relations;
use engine::graph::{
    self, Access, Annotations, EventId, FREE, Fences, Internal, Label, Labels, Link, Reached, Value, Written,
};
use engine::mapping::calls::{self, Path};
use engine::mapping::graphs;
use engine::mapping::power::Synchronizes;
use engine::model::armv8::Armv8;
use engine::model::c11::C11;
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::riscv::Riscv;
use engine::model::sc::Sc;
use engine::model::tso::Tso;
use engine::model::{MemoryModel, Model};
use units::{Cuts, in_units};

/// The locations of data are 0 and 1, those of locks 2 and 3.
const LOCATIONS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Load(usize),
    Store(usize),
    /// Reads until it reads an odd number.
    Await(usize),
    /// Reads two locations in rounds until it reads odd numbers in both.
    AwaitBoth(usize, usize),
    Lock(usize),
    Unlock(usize),
    /// Locks if the lock is free; else so many operations are left out.
    Try(usize, usize),
}

#[derive(Clone, Default, Debug)]
struct Program {
    threads: Vec<Vec<Op>>,
}

/// What a store writes: a number of its own.
fn value(store: EventId) -> Value {
    Value::from(10 * store.thread + store.index + 1)
}

/// Whether a thread waits at an operation that reads this value.
fn waits(op: Op, found: Value) -> bool {
    match op {
        Op::Lock(_) => found != FREE,
        Op::Await(_) => found % 2 == 0,
        _ => false,
    }
}

/// How the program under test says that it locks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Locking {
    /// By [`Link::Locks`].
    Waits,
    /// By a loop, round which it goes until the lock is free.
    Spins,
    /// By a read-modify-write behind which it stops if the lock is held.
    Reads,
}

/// What a thread comes to that stops where it has to wait, behind so many reads, if the search does not know why.
const fn stops(reads: u32) -> Reached {
    Reached::Fails(reads)
}

struct Modelled<'p> {
    program: &'p Program,
    model: MemoryModel,
    locking: Locking,
}

/// What a thread has done so far.
#[derive(Default)]
struct Walk {
    labels: Vec<Label<1>>,
    fences: Fences,
    branches: Set<1>,
    synchronized: Set<1>,
}

impl Walk {
    fn push(&mut self, access: Access, location: usize, written: Written, annotations: Annotations, link: Link) {
        self.labels.push(Label {
            access,
            location: Some(Location(u32::try_from(location).expect("few"))),
            written,
            address_from: Set::EMPTY,
            value_from: Set::EMPTY,
            control_from: self.branches,
            synchronized_from: self.synchronized,
            addresses_before: Set::EMPTY,
            decided_by: Set::EMPTY,
            annotations,
            fences: self.fences,
            link,
            is_kept: false,
            gone_past: 0,
        });
    }

    fn call(&mut self, model: MemoryModel, path: Path, access: Access, location: usize, written: Written, link: Link) {
        let around = graphs::call(model, access, path);
        self.fences += around.before;
        let index = self.labels.len();
        self.push(access, location, written, around.annotations, link);
        self.fences += around.after;
        if access.reads() {
            self.branches.insert(index);
        }
        if around.synchronizes == Synchronizes::Yes {
            self.synchronized = self.branches;
        }
    }
}

impl Modelled<'_> {
    /// What a thread comes to that waits in a round of so many reads from this one on.
    fn waits_since(&self, index: usize, reads: u32) -> Reached {
        match self.locking {
            Locking::Reads => stops(reads),
            _ => Reached::Waits { since: u16::try_from(index).expect("few") },
        }
    }
}

impl graph::Program<1> for Modelled<'_> {
    type Fault = std::convert::Infallible;

    fn threads(&self) -> usize {
        self.program.threads.len()
    }

    fn locations(&self) -> usize {
        LOCATIONS
    }

    fn initial(&self, _location: Location) -> Value {
        0
    }

    fn fetch(&self, thread: usize, _origin: u32, reads: &[Option<Value>]) -> Result<(Labels<1>, Reached), Self::Fault> {
        let mut walk = Walk::default();
        let mut at = 0;
        let owner = Value::try_from(thread).expect("few") + 1;
        let plain = if self.model == MemoryModel::C11 { Annotations::ATOMIC } else { Annotations::NONE };
        while let Some(&op) = self.program.threads[thread].get(at) {
            at += 1;
            let index = walk.labels.len();
            let read = reads.get(index).copied().flatten();
            let written = match read {
                None => Written::Unknown,
                Some(FREE) => Written::Value(owner),
                Some(_) => Written::Nothing,
            };
            let update = Access::Update(Internal::Control);
            match op {
                Op::Load(location) => walk.push(Access::Load, location, Written::Nothing, plain, Link::None),
                Op::Store(location) => {
                    let written = Written::Value(value(EventId::new(thread, index)));
                    walk.push(Access::Store, location, written, plain, Link::None);
                }
                Op::Await(location) => {
                    walk.push(Access::Load, location, Written::Nothing, plain, Link::None);
                    walk.branches.insert(index);
                }
                Op::AwaitBoth(one, other) => {
                    for (location, index) in [(one, index), (other, index + 1)] {
                        walk.push(Access::Load, location, Written::Nothing, plain, Link::None);
                        walk.branches.insert(index);
                    }
                    let found = [index, index + 1].map(|index| reads.get(index).copied().flatten());
                    match found {
                        [Some(one), Some(other)] if one % 2 == 1 && other % 2 == 1 => continue,
                        [Some(_), Some(_)] => return Ok((walk.labels.into(), self.waits_since(index, 2))),
                        _ => return Ok((walk.labels.into(), Reached::Branch)),
                    }
                }
                Op::Unlock(lock) => {
                    let written = Written::Value(FREE);
                    walk.call(self.model, calls::MUTEX_UNLOCK, Access::Store, lock, written, Link::None);
                }
                Op::Lock(lock) => {
                    let link = if self.locking == Locking::Waits { Link::Locks } else { Link::None };
                    walk.call(self.model, calls::MUTEX_LOCK, update, lock, written, link);
                }
                Op::Try(lock, left_out) => {
                    let path = if written == Written::Nothing { calls::MUTEX_BUSY } else { calls::MUTEX_LOCK };
                    walk.call(self.model, path, update, lock, written, Link::None);
                    at += if written == Written::Nothing { left_out } else { 0 };
                }
            }
            match (op, read) {
                (Op::Lock(_) | Op::Try(..) | Op::Await(_), None) => return Ok((walk.labels.into(), Reached::Branch)),
                (op, Some(found)) if waits(op, found) => return Ok((walk.labels.into(), self.waits_since(index, 1))),
                _ => {}
            }
        }
        Ok((walk.labels.into(), Reached::End))
    }
}

/// Whether no thread waits for what has changed.
fn is_execution(execution: &CompleteTrace<'_, 1>) -> bool {
    let is_last = |event: EventId| {
        let node = execution.trace.node(execution.trace.nodes_of(event).start);
        usize::from(node.rank) == execution.trace.coherence(node.location).len()
    };
    execution.reached.iter().enumerate().all(|(thread, reached)| {
        let accesses = execution.labels[thread].len();
        let since = match *reached {
            Reached::Waits { since } => since.into(),
            Reached::Fails(reads) => accesses - reads as usize,
            _ => accesses,
        };
        (since..accesses).all(|index| is_last(EventId::new(thread, index)))
    })
}

/// The executions, and how many explorations came to none.
fn search<M: Model<1>>(program: &Modelled<'_>) -> (BTreeSet<Relations>, u64) {
    let (mut found, mut given_up) = (BTreeSet::new(), 0);
    let mut visit = |execution: &CompleteTrace<'_, 1>| {
        if is_execution(execution) {
            assert!(found.insert(execution.trace.relations()), "twice under {:?}: {}", program.model, program.program);
        } else {
            given_up += 1;
        }
        Continue::Yes
    };
    let (counts, result) = rsmc::explore::<1, M, _>(program, &mut visit);
    assert_eq!(result, Ok(()));
    assert_eq!(cut::<M>(program), (found.clone(), counts), "{:?}: {}", program.model, program.program);
    (found, counts.blocked + given_up)
}

/// The executions of the search cut into units, and its counts.
fn cut<M: Model<1>>(program: &Modelled<'_>) -> (BTreeSet<Relations>, Counts) {
    let mut found = BTreeSet::new();
    let mut cuts = Cuts(program.program.threads.iter().map(|thread| thread.len() as u64).sum());
    let mut visit = |execution: &CompleteTrace<'_, 1>| {
        let is_new = !is_execution(execution) || found.insert(execution.trace.relations());
        assert!(is_new, "twice in units under {:?}: {}", program.model, program.program);
    };
    let (counts, _) = in_units::<M, _>(program, &mut cuts, &mut visit);
    (found, counts)
}

/// How many explorations came to no execution, of the search and of the one that it is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Blocked {
    waits: u64,
    spins: u64,
    reads: u64,
}

fn check_under<M: Model<1>>(program: &Program, model: MemoryModel, blocked: &mut Blocked) -> BTreeSet<Relations> {
    let (found, waits) = search::<M>(&Modelled { program, model, locking: Locking::Waits });
    let (same, spins) = search::<M>(&Modelled { program, model, locking: Locking::Spins });
    let (expected, reads) = search::<M>(&Modelled { program, model, locking: Locking::Reads });
    assert!(found == expected, "{model:?}: {} instead of {}: {program}", found.len(), expected.len());
    assert!(same == expected, "{model:?}: {} instead of {}: {program}", same.len(), expected.len());
    blocked.waits += waits;
    blocked.spins += spins;
    blocked.reads += reads;
    found
}

/// What one interleaving has done so far.
#[derive(Clone, Default)]
struct Machine {
    /// The operation that each thread is before, and the number of accesses it has performed.
    at: Vec<(usize, usize)>,
    holders: [Option<usize>; LOCATIONS],
    reads_from: Vec<(EventId, Option<EventId>)>,
    coherence: Vec<Vec<EventId>>,
}

impl Machine {
    fn reads(&mut self, event: EventId, location: usize) {
        self.reads_from.push((event, self.coherence[location].last().copied()));
    }

    /// Performs the next operation of a thread; returns whether it can.
    fn step(&mut self, program: &Program, thread: usize) -> bool {
        let (at, index) = self.at[thread];
        let Some(&op) = program.threads[thread].get(at) else { return false };
        let event = EventId::new(thread, index);
        let mut next = at + 1;
        match op {
            Op::Lock(lock) if self.holders[lock].is_some() => return false,
            Op::AwaitBoth(..) => return false,
            Op::Await(location) if self.coherence[location].last().is_none_or(|&store| waits(op, value(store))) => {
                return false;
            }
            Op::Load(location) | Op::Await(location) => self.reads(event, location),
            Op::Store(location) => self.coherence[location].push(event),
            Op::Unlock(lock) => {
                self.coherence[lock].push(event);
                self.holders[lock] = None;
            }
            Op::Lock(lock) | Op::Try(lock, _) => {
                self.reads(event, lock);
                if let (Op::Try(_, left_out), Some(_)) = (op, self.holders[lock]) {
                    next += left_out;
                } else {
                    self.coherence[lock].push(event);
                    self.holders[lock] = Some(thread);
                }
            }
        }
        self.at[thread] = (next, index + 1);
        true
    }

    /// Adds the traces of all ways to go on; a thread that waits for ever has read the last write.
    fn run(&self, program: &Program, found: &mut BTreeSet<Relations>) {
        let mut is_over = true;
        for thread in 0..program.threads.len() {
            let mut next = self.clone();
            if next.step(program, thread) {
                is_over = false;
                next.run(program, found);
            }
        }
        if is_over {
            let mut end = self.clone();
            for (thread, &(at, index)) in self.at.iter().enumerate() {
                if let Some(&(Op::Lock(location) | Op::Await(location))) = program.threads[thread].get(at) {
                    end.reads(EventId::new(thread, index), location);
                }
            }
            end.reads_from.sort_unstable();
            found.insert(Relations { reads_from: end.reads_from, coherence: end.coherence });
        }
    }
}

/// The traces of all interleavings.
fn interleaved(program: &Program) -> BTreeSet<Relations> {
    let mut found = BTreeSet::new();
    let machine = Machine {
        at: vec![(0, 0); program.threads.len()],
        coherence: vec![Vec::new(); LOCATIONS],
        ..Machine::default()
    };
    machine.run(program, &mut found);
    found
}

fn check(program: &Program, blocked: &mut Blocked) {
    let found = check_under::<Sc<1>>(program, MemoryModel::Sc, blocked);
    if !program.threads.iter().flatten().any(|op| matches!(op, Op::AwaitBoth(..))) {
        let expected = interleaved(program);
        assert!(found == expected, "{} instead of {}: {program}", found.len(), expected.len());
    }
    check_under::<Tso<1>>(program, MemoryModel::Tso, blocked);
    check_under::<Pso<1>>(program, MemoryModel::Pso, blocked);
    check_under::<Power<1>>(program, MemoryModel::Power, blocked);
    check_under::<Armv8<1>>(program, MemoryModel::Armv8, blocked);
    check_under::<Riscv<1>>(program, MemoryModel::Riscv, blocked);
    check_under::<C11<1>>(program, MemoryModel::C11, blocked);
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.threads.iter().try_for_each(|thread| write!(f, "{thread:?}; "))
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn access(&mut self) -> Op {
        let location = self.below(2);
        if self.below(2) == 0 { Op::Load(location) } else { Op::Store(location) }
    }

    /// A piece of a thread: an access; a critical section, which may have another one in it or never end; a try.
    fn piece(&mut self, thread: &mut Vec<Op>) {
        let lock = 2 + self.below(2);
        match self.below(9) {
            0 | 1 => thread.push(self.access()),
            8 => thread.push(Op::Await(lock - 2)),
            2 => {
                thread.extend([Op::Lock(lock), Op::Lock(5 - lock), Op::Unlock(lock), Op::Unlock(5 - lock)]);
            }
            3 => {
                let access = self.access();
                thread.extend([Op::Try(lock, 2), access, Op::Unlock(lock)]);
            }
            4 => {
                let access = self.access();
                thread.extend([Op::Lock(lock), access]);
                if self.below(3) > 0 {
                    thread.push(Op::Unlock(lock));
                }
            }
            _ => {
                let access = self.access();
                thread.extend([Op::Lock(lock), access, Op::Unlock(lock)]);
            }
        }
    }

    fn program(&mut self, threads: usize, operations: usize) -> Program {
        let mut program = Program::default();
        for _ in 0..threads {
            let mut thread = Vec::new();
            while thread.len() < operations {
                self.piece(&mut thread);
            }
            program.threads.push(thread);
        }
        program
    }
}

/// Checks 300 random programs of waits and accesses, with fences of locks that nobody waits for between some.
fn check_waits(seed: u64, threads: usize, operations: usize) {
    let mut numbers = Random(seed);
    let mut blocked = Blocked::default();
    for _ in 0..300 {
        let mut program = Program { threads: vec![Vec::new(); threads] };
        for thread in &mut program.threads {
            for _ in 0..operations {
                let location = numbers.below(2);
                match numbers.below(6) {
                    0 => thread.push(Op::Await(location)),
                    1 => thread.push(Op::AwaitBoth(location, 1 - location)),
                    2 => thread.extend([Op::Load(location), Op::Unlock(2)]),
                    _ => thread.push(numbers.access()),
                }
            }
        }
        check(&program, &mut blocked);
    }
    assert!(blocked.reads > 2 * blocked.spins, "{blocked:?}");
}

#[test]
fn two_threads_that_wait() {
    check_waits(3, 2, 4);
}

#[test]
fn three_threads_that_wait() {
    check_waits(4, 3, 3);
}

/// Checks so many random programs, of which few explorations come to no execution.
fn check_random(seed: u64, threads: usize, operations: usize) {
    let mut numbers = Random(seed);
    let mut blocked = Blocked::default();
    for _ in 0..400 {
        check(&numbers.program(threads, operations), &mut blocked);
    }
    assert!(blocked.reads > 10 * blocked.waits && blocked.reads > blocked.spins, "{blocked:?}");
}

#[test]
fn two_threads() {
    check_random(1, 2, 4);
}

#[test]
fn three_threads() {
    check_random(2, 3, 2);
}

/// Threads that lock one after the other: n! orders of each lock, independently, since each thread takes them in the same order.
#[test]
fn critical_sections_come_in_any_order() {
    let section = |lock: usize| [Op::Lock(lock), Op::Store(lock - 2), Op::Unlock(lock)];
    for (threads, expected) in [(2, 4), (3, 36), (4, 576)] {
        let program = Program { threads: vec![[section(2), section(3)].concat(); threads] };
        let mut blocked = Blocked::default();
        assert_eq!(check_under::<Sc<1>>(&program, MemoryModel::Sc, &mut blocked).len(), expected);
        assert_eq!(blocked.waits, 0);
    }
}

/// Two threads that take two locks in opposite orders: either comes first, or each has one and waits for the other.
#[test]
fn a_deadlock_is_an_execution() {
    let thread = |one: usize, other: usize| vec![Op::Lock(one), Op::Lock(other), Op::Unlock(other), Op::Unlock(one)];
    let program = Program { threads: vec![thread(2, 3), thread(3, 2)] };
    let mut blocked = Blocked::default();
    check(&program, &mut blocked);
    assert_eq!(check_under::<Sc<1>>(&program, MemoryModel::Sc, &mut blocked).len(), 3);
    assert_eq!(blocked.waits, 0);
}
