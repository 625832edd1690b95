//! The state of a search for execution graphs beside the engine's: what is known of the program when its threads are
//! run alone.

use std::hash::BuildHasher;
use std::ops::Range;

use engine::atomicity::Mark;
use engine::event::{Location, Thread};
use engine::graph::{Access, Annotations, Fences, Link, Reached, Value, Written};
use engine::mapping::Order;
use engine::mapping::graphs::Form;
use engine::mapping::power::Synchronizes;
use engine::model::MemoryModel;
use protocol::{Code, Obstacle, Wrong};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::process::debugger;
use crate::process::fiber::Switch;
use crate::process::layout;
use crate::process::sites::RecordPointer;
use crate::state::exited::Exit;
use crate::state::failure::Failure;
use crate::state::graph::initialisers::Initialisers;
use crate::state::graph::labels::{Label, Members, Private, Sets};
use crate::state::graph::lent::{Lent, Results, Strangers};
use crate::state::graph::orders::Replaced;
use crate::state::graph::overrides::Overrides;
use crate::state::graph::places::Places;
use crate::state::graph::states::States;
use crate::state::operation::Note;
use crate::state::threads::Start;
use crate::state::turn::Turn;

pub(crate) mod places;

/// An access that a thread has made, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) struct Recorded {
    pub(crate) access: Access,
    pub(crate) location: Location,
    pub(crate) written: Written,
    pub(crate) fences: Fences,
    pub(crate) annotations: Annotations,
    pub(crate) link: Link,
    pub(crate) depends: Depends,
    pub(crate) note: Note,
    /// The address of the access, or of the object; 0 if there is none.
    pub(crate) address: usize,
    /// The width in bytes; 0 if this is no access to memory.
    pub(crate) width: u8,
    pub(crate) spelled: Spelled,
}

/// The way in which the source spells an access.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spelled {
    /// The order of an atomic access.
    pub(crate) order: Option<Order>,
    /// Whether the access is a part of a longer one.
    pub(crate) is_piece: bool,
    /// The form in which a read-modify-write is compiled.
    pub(crate) form: Form,
}

/// The reads that an access depends on: by its address, by its value, and by the branches and addresses before it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Depends {
    /// The reads that the address is computed from.
    pub(crate) address: Label,
    /// The reads that the value is computed from.
    pub(crate) value: Label,
    /// The reads that a branch before the access depends on.
    pub(crate) control: Label,
    /// The reads that a branch before the last instruction fence depends on.
    pub(crate) synchronized: Label,
    /// The reads that the address of an earlier access depends on.
    pub(crate) addresses_before: Label,
    /// The reads that decide it, see [`engine::graph::Label::decided_by`].
    pub(crate) decided: Label,
}

/// The end of a thread's run, where it is not one that executions have too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The graph knows no more of the thread, or there is no more.
    Reached(Reached),
    /// The thread makes more accesses than a graph can have.
    TooManyEvents,
    /// A location had to be cut: the search begins anew.
    Cut,
}

/// The run of one thread, alone.
pub(crate) struct Run {
    pub(crate) thread: Thread,
    /// The number of the thread's function and argument; 0 for main.
    pub(crate) origin: u32,
    /// The values that the thread's accesses read, as far as they are known, by the index of the access.
    pub(crate) reads: Vec<Option<Value>>,
    /// The accesses that the thread has made.
    pub(crate) recorded: Vec<Recorded>,
    /// The marks and fences that stand between accesses.
    pub(crate) asides: Vec<Aside>,
    /// The milestones between accesses: what begins and ends there.
    pub(crate) milestones: Vec<milestones::Milestone>,
    /// The most accesses that may be made.
    limit: usize,
    /// The fences that the thread has executed.
    pub(crate) fences: Fences,
    /// The number of threads that the thread has created.
    pub(crate) created: u32,
    /// The number of threads that the thread has joined.
    pub(crate) joined: u32,
    /// The number of keys of thread-specific data that the thread has created.
    keys: u32,
    /// The addresses of the mutexes that the thread holds, each with how many times.
    pub(crate) held: Vec<(usize, u32)>,
    /// The reads on which some branch so far depends.
    pub(crate) branches: Label,
    /// The reads on which some branch before the last instruction fence depends.
    pub(crate) synchronized: Label,
    /// The reads on which the address of some access so far depends.
    pub(crate) addresses: Label,
    /// The reads that pick such an address, or something that a branch depends on.
    pub(crate) decided: Label,
    /// The labels of private memory.
    pub(crate) private: Private,
    /// The reads on which the arguments of the modelled function that runs depend.
    pub(crate) operands: Label,
    /// Whether what comes after the next access depends on what that reads.
    pub(crate) decides: bool,
    /// The reads on which the expected value of the last compare-and-exchange depends.
    pub(crate) compared: Label,
    /// Whether the next access is a piece of a longer one, which may be cut anywhere.
    pub(crate) piece: bool,
    /// Whether the access at hand is such a piece.
    pub(crate) is_piece: bool,
    /// The memory that the thread lends to a function that is not instrumented.
    pub(crate) lent: Lent,
    /// The reads, by their numbers, that the state of a loop depended on at its header and that had not returned.
    pub(crate) kept: Vec<usize>,
    /// The places among the accesses where the thread went past a round, and how many in a row it has gone past there.
    pub(crate) gone_past: Vec<(usize, u8)>,
    /// The last iteration whose wait ran out and which changed nothing else.
    pub(crate) patience: Option<Idle>,
    /// The reason why the run has ended, once it has.
    pub(crate) stop: Option<Stop>,
    pub(crate) ending: Ending,
}

/// The traces that a thread leaves beside what it writes, as far as they belong to an outcome.
#[derive(Default)]
pub(crate) struct Ending {
    /// The bytes that the thread has printed.
    pub(crate) printed: Vec<u8>,
    /// The memory that is not compared.
    pub(crate) ignored: Vec<Range<usize>>,
    /// The thread's end of the process, if it made one.
    pub(crate) exit: Option<Exit>,
}

impl Ending {
    /// Forgets what the last run left.
    fn clear(&mut self) {
        self.printed.clear();
        self.ignored.clear();
        self.exit = None;
    }
}

/// An iteration without effect in which a wait ran out: the next one waits there, if it reads the same up to there.
#[derive(Clone, Copy)]
pub(crate) struct Idle {
    /// The index of the first access of the iteration.
    pub(crate) since: usize,
    /// The index of the first access behind the iteration.
    pub(crate) next: usize,
}

/// The state of a search for execution graphs beside the engine's.
pub(crate) struct Graph {
    pub(crate) model: MemoryModel,
    /// The code that a compiler makes for ARMv8.
    pub(crate) code: Code,
    /// The most rounds of a loop each time it is entered; `None` if there is no limit.
    pub(crate) unroll: Option<u64>,
    pub(crate) places: Places,
    pub(crate) sets: Sets,
    pub(crate) states: States,
    pub(crate) initialisers: Initialisers,
    pub(crate) run: Run,
    /// The thread that each thread has created, by its number among those.
    pub(crate) children: FxHashMap<(Thread, u32), Thread>,
    /// The creation path of each thread, from main.
    pub(crate) paths: Vec<Vec<u32>>,
    /// The function and argument that threads run, by their origin, from 1.
    pub(crate) origins: Vec<Start>,
    /// The failures that threads come to, by the numbers that graphs give them.
    pub(crate) failures: Vec<Failure>,
    /// Whether something that threads may use too late ends in some run of a thread.
    pub(crate) ends: bool,
    /// What functions that are not instrumented have changed.
    pub(crate) results: Results,
    /// What is known of local variables that threads lend, and of those that others access.
    pub(crate) strangers: Strangers,
    /// The accesses that a repair makes stronger than the program has them.
    pub(crate) overrides: Overrides,
    /// The orders that take the place of the program's; `None` if none may.
    pub(crate) orders: Option<Replaced>,
    /// The wrong executions that are looked for, and the first one that was found.
    pub(crate) sought: Option<(Wrong, Option<Obstacle>)>,
}

impl Graph {
    /// Makes the state of a search that has not begun.
    pub(crate) fn new(model: MemoryModel, unroll: Option<u64>) -> Self {
        Self {
            model,
            code: Code::default(),
            unroll,
            places: Places::default(),
            sets: Sets::default(),
            states: States::default(),
            initialisers: Initialisers::default(),
            run: Run {
                thread: Thread::MAIN,
                origin: 0,
                reads: Vec::new(),
                recorded: Vec::new(),
                asides: Vec::new(),
                milestones: Vec::new(),
                limit: 0,
                fences: Fences::default(),
                created: 0,
                joined: 0,
                keys: 0,
                held: Vec::new(),
                branches: Label::NONE,
                synchronized: Label::NONE,
                addresses: Label::NONE,
                decided: Label::NONE,
                private: Private::default(),
                operands: Label::NONE,
                decides: false,
                compared: Label::NONE,
                piece: false,
                is_piece: false,
                lent: Lent::default(),
                kept: Vec::new(),
                gone_past: Vec::new(),
                patience: None,
                stop: None,
                ending: Ending::default(),
            },
            children: FxHashMap::default(),
            paths: vec![Vec::new()],
            origins: Vec::new(),
            failures: Vec::new(),
            ends: false,
            results: Results::default(),
            strangers: Strangers::default(),
            overrides: Overrides::default(),
            orders: None,
            sought: None,
        }
    }

    /// Begins the run of a thread, whose accesses read these values; it may make at most `limit` accesses.
    pub(crate) fn begin(&mut self, thread: Thread, origin: u32, reads: &[Option<Value>], limit: usize) {
        self.initialisers.begin_run();
        let run = &mut self.run;
        (run.thread, run.origin, run.limit) = (thread, origin, limit);
        run.reads.clear();
        run.reads.extend_from_slice(reads);
        run.recorded.clear();
        run.asides.clear();
        run.milestones.clear();
        run.held.clear();
        run.kept.clear();
        run.gone_past.clear();
        // The load of a join is told apart from what follows by one full fence less; under C11 by what it orders
        // itself.
        run.fences = Fences { full: u16::from(self.model != MemoryModel::C11), ..Fences::default() };
        (run.created, run.joined, run.keys) = (0, 0, 0);
        (run.piece, run.decides, run.patience, run.stop) = (false, false, None, None);
        (run.branches, run.synchronized, run.addresses) = (Label::NONE, Label::NONE, Label::NONE);
        (run.decided, run.operands) = (Label::NONE, Label::NONE);
        run.private.clear();
        run.lent.abandon();
        run.ending.clear();
        labels::reset();
    }

    /// Takes back what the running thread has lent to a function; returns whether the function did what it has done
    /// whenever the thread came there with the same reads.
    pub(crate) fn take_back(&mut self) -> bool {
        let run = &mut self.run;
        run.lent.take_back(&self.places);
        let so_far = (run.thread, run.origin, &run.reads[..run.reads.len().min(run.recorded.len())]);
        self.results.repeat(FxBuildHasher.hash_one(so_far), run.lent.digest())
    }

    /// Whether a wrong execution was looked for and found.
    pub(crate) fn is_obstructed(&self) -> bool {
        self.sought.as_ref().is_some_and(|(_, obstacle)| obstacle.is_some())
    }

    /// Returns the next key that the running thread creates, as the thread and the key's number among its own, from 1.
    pub(crate) const fn next_key(&mut self) -> (Thread, u32) {
        self.run.keys += 1;
        (self.run.thread, self.run.keys)
    }

    /// Whether the running thread is main, and has joined all threads that it has created.
    pub(crate) fn is_alone(&self) -> bool {
        self.run.thread == Thread::MAIN && self.run.created == self.run.joined
    }

    /// Returns the value that the next access reads, if it is known.
    pub(crate) fn next_read(&self) -> Option<Value> {
        self.run.reads.get(self.run.recorded.len()).copied().flatten()
    }

    /// Returns the index of the access since which the running thread waits if it has to wait now; `None` if its wait
    /// can run out.
    pub(crate) fn waits_since(&self) -> Option<usize> {
        let run = &self.run;
        let Idle { since, next } = run.patience?;
        let read = |index: usize| run.reads.get(index).copied().flatten();
        let same = |(ago, now): (usize, usize)| {
            let (one, other) = (&run.recorded[ago], &run.recorded[now]);
            (one.location, one.access, one.written, read(ago))
                == (other.location, other.access, other.written, read(now))
        };
        (since..next).zip(next..run.recorded.len()).all(same).then_some(since)
    }

    /// Returns the reads that what a modelled function does depends on: its object is that of its arguments.
    pub(crate) fn depends(&mut self) -> Depends {
        let depends = self.depends_on(self.run.operands, Label::NONE, Label::NONE);
        self.has_address(self.run.operands);
        depends
    }

    /// Returns the reads that an access depends on here, given those for its address, its value and the value that it
    /// expects. On ARM the expected value picks whether the access writes; on RISC-V it does so too, and what picks
    /// anything else is as weak as a branch.
    pub(crate) fn depends_on(&mut self, address: Label, value: Label, expected: Label) -> Depends {
        let Run { branches, synchronized, addresses, decided, .. } = self.run;
        let sets = &mut self.sets;
        let mut depends = Depends {
            address: sets.of_members(address, Members::Computing),
            value: sets.of_members(value, Members::Computing),
            control: branches,
            synchronized,
            addresses_before: addresses,
            decided: Label::NONE,
        };
        if !self.model.orders_by_access() {
            depends.value = sets.union(value, expected);
            return depends;
        }
        let of_expected = sets.picking(expected);
        let given = [address, value, of_expected].map(|label| sets.of_members(label, Members::Picking));
        depends.decided = given.into_iter().fold(decided, |all, one| sets.union(all, one));
        if self.model == MemoryModel::Riscv {
            depends.control = sets.union(branches, std::mem::take(&mut depends.decided));
        }
        depends
    }

    /// Notes that the address of the access that has been made depends on these reads.
    pub(crate) fn has_address(&mut self, label: Label) {
        let [computing, picking] = self.parts(label);
        self.run.addresses = self.sets.union(self.run.addresses, computing);
        self.run.decided = self.sets.union(self.run.decided, picking);
    }

    /// Notes a branch that depends on these reads.
    pub(crate) fn branch_on(&mut self, label: Label) {
        let [computing, picking] = self.parts(label);
        self.run.branches = self.sets.union(self.run.branches, computing);
        self.run.decided = self.sets.union(self.run.decided, picking);
    }

    /// Splits a set into the reads that something is computed from and those that pick it.
    fn parts(&mut self, label: Label) -> [Label; 2] {
        [Members::Computing, Members::Picking].map(|meant| self.sets.of_members(label, meant))
    }

    /// Performs an instruction fence: what comes later is not fetched before the branches so far are decided, nor, on
    /// ARM, before the addresses so far are known.
    pub(crate) fn fence_instructions(&mut self) {
        self.run.synchronized = self.run.branches;
        if self.model == MemoryModel::Armv8 {
            for label in [self.run.addresses, self.run.decided] {
                self.run.synchronized = self.sets.union(self.run.synchronized, label);
            }
        }
    }

    /// Notes that a branch that depends on the next access's read comes right after it, and then an instruction fence.
    pub(crate) fn synchronize(&mut self) {
        self.branch();
        self.run.synchronized = self.run.branches;
    }

    /// Notes that a branch that depends on the next access's read comes right after it, so that the thread does not go
    /// on before the value is known.
    pub(crate) fn branch(&mut self) {
        let read = self.sets.of(self.run.recorded.len());
        self.run.branches = self.sets.union(self.run.branches, read);
    }

    /// Adds an access to the run, and returns whether the thread can go on.
    pub(crate) fn push(&mut self, mut recorded: Recorded, mut after: After) -> Turn {
        if self.run.recorded.len() == self.run.limit {
            self.run.stop = Some(Stop::TooManyEvents);
            return Turn::Other(Switch::End);
        }
        let around = self.overrides.around(self.model, (recorded.access, recorded.spelled.form), recorded.note);
        recorded.fences += around.before;
        recorded.annotations = recorded.annotations.and(around.annotations);
        self.run.fences += around.before;
        self.run.fences += around.after;
        if around.synchronizes == Synchronizes::Yes {
            self.synchronize();
            after = After::Known;
        }
        let unknown = recorded.access.reads() && self.next_read().is_none();
        self.ends |= layout::stack_of(recorded.address).is_some_and(|index| index != self.run.thread.index());
        self.run.recorded.push(recorded);
        debugger::performed(self.run.recorded.len());
        if unknown && after == After::Known {
            self.run.stop = Some(Stop::Reached(Reached::Branch));
            return Turn::Other(Switch::End);
        }
        Turn::Ours
    }
}

/// The part of an access that must be known before the thread goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// The thread goes on whatever is known.
    Anything,
    /// The value that is read must be known.
    Known,
}

/// Whether an access changed something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Some,
    None,
}

/// An operation between two accesses that is no access.
#[derive(Clone, Copy)]
pub(crate) enum AsideOperation {
    Mark(Mark),
    /// A full fence.
    Fence(RecordPointer),
}

/// An operation between two accesses of a thread, and its place among them.
#[derive(Clone, Copy)]
pub(crate) struct Aside {
    pub(crate) what: AsideOperation,
    /// The number of accesses that come before it.
    pub(crate) accesses: usize,
    /// The number of full fences up to it, itself included.
    pub(crate) full: u16,
}
pub(crate) mod initialisers;
pub(crate) mod labels;
pub(crate) mod lent;
pub(crate) mod milestones;
pub(crate) mod orders;
pub(crate) mod overrides;
pub(crate) mod states;
