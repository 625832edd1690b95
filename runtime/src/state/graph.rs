//! What is known of the program where its threads are run alone, for execution graphs, beside the engine's search.

use std::ops::Range;

use engine::atomicity::Mark;
use engine::event::{Location, Thread};
use engine::graph::{Access, Annotations, Fences, Link, Reached, Value, Written};
use engine::mapping::Order;
use engine::mapping::power::Synchronizes;
use engine::model::MemoryModel;
use protocol::{Obstacle, Wrong};
use rustc_hash::FxHashMap;

use crate::process::fiber::Switch;
use crate::process::layout;
use crate::process::sites::RecordPointer;
use crate::state::exited::Exit;
use crate::state::failure::Failure;
use crate::state::graph::initialisers::Initialisers;
use crate::state::graph::labels::{Label, Members, Private, Sets};
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
    /// Of the access, or of the object; 0 if there is none.
    pub(crate) address: usize,
    /// 0 for what is no access to memory.
    pub(crate) width: u8,
    pub(crate) spelled: Spelled,
}

/// How the source has an access.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spelled {
    /// Of an atomic access.
    pub(crate) order: Option<Order>,
    /// It is a part of a longer access.
    pub(crate) is_piece: bool,
}

/// The reads that an access depends on: what of it, or of which branches and addresses before it, does.
#[derive(Clone, Copy, Default)]
pub(crate) struct Depends {
    pub(crate) address: Label,
    pub(crate) value: Label,
    pub(crate) control: Label,
    pub(crate) synchronized: Label,
    pub(crate) addresses_before: Label,
    /// See [`engine::graph::Label::decided_by`].
    pub(crate) decided: Label,
}

/// How the run of a thread ended, beside the ends that executions have too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The graph knows no more, or there is no more.
    Reached(Reached),
    /// It makes more accesses than a graph can have.
    TooManyEvents,
    /// A location had to be cut: the search begins anew.
    Cut,
}

/// The run of one thread.
pub(crate) struct Run {
    pub(crate) thread: Thread,
    pub(crate) origin: u32,
    pub(crate) reads: Vec<Option<Value>>,
    pub(crate) recorded: Vec<Recorded>,
    /// What stands between them.
    pub(crate) asides: Vec<Aside>,
    /// What begins and ends between them.
    pub(crate) milestones: Vec<milestones::Milestone>,
    /// So many accesses may be made.
    limit: usize,
    pub(crate) fences: Fences,
    pub(crate) created: u32,
    pub(crate) joined: u32,
    /// So many keys of thread-specific data has it created.
    keys: u32,
    /// The mutexes that it holds, and how many times.
    pub(crate) held: Vec<(usize, u32)>,
    /// The reads on which a branch so far depends.
    pub(crate) branches: Label,
    /// Such, at the last instruction fence.
    pub(crate) synchronized: Label,
    /// The reads on which the address of an access so far depends.
    pub(crate) addresses: Label,
    /// The reads that pick such an address, or on what there is a branch.
    pub(crate) decided: Label,
    pub(crate) private: Private,
    /// What comes after the next access depends on what it reads.
    pub(crate) decides: bool,
    /// What the last compare-and-exchange compared with depends on these.
    pub(crate) compared: Label,
    /// The next access is a piece of a longer one, which may be cut anywhere.
    pub(crate) piece: bool,
    /// The access at hand is one.
    pub(crate) is_piece: bool,
    /// A wait of an iteration that changed nothing else has run out.
    pub(crate) patience: Option<Idle>,
    pub(crate) stop: Option<Stop>,
    pub(crate) ending: Ending,
}

/// What a thread leaves behind beside what it writes, as far as it belongs to an outcome.
#[derive(Default)]
pub(crate) struct Ending {
    /// What it has printed.
    pub(crate) printed: Vec<u8>,
    /// What of memory is not compared.
    pub(crate) ignored: Vec<Range<usize>>,
    /// How it ended the process, if it did.
    pub(crate) exit: Option<Exit>,
}

impl Ending {
    fn clear(&mut self) {
        self.printed.clear();
        self.ignored.clear();
        self.exit = None;
    }
}

/// An iteration without effect in which a wait ran out: the next one waits there, if it reads the same up to there.
#[derive(Clone, Copy)]
pub(crate) struct Idle {
    /// The first access of the iteration.
    pub(crate) since: usize,
    /// The first one behind it.
    pub(crate) next: usize,
}

/// What is known of the program beside the search.
pub(crate) struct Graph {
    pub(crate) model: MemoryModel,
    /// So many rounds a loop may go each time it is entered.
    pub(crate) unroll: Option<u64>,
    pub(crate) places: Places,
    pub(crate) sets: Sets,
    pub(crate) states: States,
    pub(crate) initialisers: Initialisers,
    pub(crate) run: Run,
    pub(crate) children: FxHashMap<(Thread, u32), Thread>,
    /// How each thread came to be, from main.
    pub(crate) paths: Vec<Vec<u32>>,
    /// What threads run, by their origin, from 1.
    pub(crate) origins: Vec<Start>,
    pub(crate) failures: Vec<Failure>,
    /// Something that threads may use too late ends in some run of a thread.
    pub(crate) ends: bool,
    /// What is stronger than the program has it.
    pub(crate) overrides: Overrides,
    /// The wrong executions that are looked for, and the first one.
    pub(crate) sought: Option<(Wrong, Option<Obstacle>)>,
}

impl Graph {
    /// Nothing is known yet.
    pub(crate) fn new(model: MemoryModel, unroll: Option<u64>) -> Self {
        Self {
            model,
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
                decides: false,
                compared: Label::NONE,
                piece: false,
                is_piece: false,
                patience: None,
                stop: None,
                ending: Ending::default(),
            },
            children: FxHashMap::default(),
            paths: vec![Vec::new()],
            origins: Vec::new(),
            failures: Vec::new(),
            ends: false,
            overrides: Overrides::default(),
            sought: None,
        }
    }

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
        // A join's load is told apart from what follows by a number less; under C11 by what it orders itself.
        run.fences = Fences { full: u16::from(self.model != MemoryModel::C11), ..Fences::default() };
        (run.created, run.joined, run.keys) = (0, 0, 0);
        (run.piece, run.decides, run.patience, run.stop) = (false, false, None, None);
        (run.branches, run.synchronized, run.addresses) = (Label::NONE, Label::NONE, Label::NONE);
        run.decided = Label::NONE;
        run.private.clear();
        run.ending.clear();
        labels::reset();
    }

    /// Whether a wrong execution was looked for and found.
    pub(crate) fn is_obstructed(&self) -> bool {
        self.sought.as_ref().is_some_and(|(_, obstacle)| obstacle.is_some())
    }

    /// The next key that the running thread creates: its nth, from 1.
    pub(crate) const fn next_key(&mut self) -> (Thread, u32) {
        self.run.keys += 1;
        (self.run.thread, self.run.keys)
    }

    /// Whether the running thread is main, and has joined all that it has created.
    pub(crate) fn is_alone(&self) -> bool {
        self.run.thread == Thread::MAIN && self.run.created == self.run.joined
    }

    /// What the next access reads, if that is known.
    pub(crate) fn next_read(&self) -> Option<Value> {
        self.run.reads.get(self.run.recorded.len()).copied().flatten()
    }

    /// The access since which the running thread waits if it has to wait now: none if its wait can run out.
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

    /// What an access depends on here, but for its address and value.
    pub(crate) fn depends(&mut self) -> Depends {
        self.depends_on(Label::NONE, Label::NONE, Label::NONE)
    }

    /// What an access depends on here, given on what its address, its value and what it expects do. On ARM what it expects
    /// picks whether it writes; on RISC-V that, and what picks anything else, is as weak as a branch.
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

    /// The address of the access that has been made depends on this.
    pub(crate) fn has_address(&mut self, label: Label) {
        let [computing, picking] = self.parts(label);
        self.run.addresses = self.sets.union(self.run.addresses, computing);
        self.run.decided = self.sets.union(self.run.decided, picking);
    }

    /// A branch depends on this.
    pub(crate) fn branch_on(&mut self, label: Label) {
        let [computing, picking] = self.parts(label);
        self.run.branches = self.sets.union(self.run.branches, computing);
        self.run.decided = self.sets.union(self.run.decided, picking);
    }

    fn parts(&mut self, label: Label) -> [Label; 2] {
        [Members::Computing, Members::Picking].map(|meant| self.sets.of_members(label, meant))
    }

    /// An instruction fence: what comes later is not fetched before the branches so far are decided, nor, on ARM, before the
    /// addresses so far are known.
    pub(crate) fn fence_instructions(&mut self) {
        self.run.synchronized = self.run.branches;
        if self.model == MemoryModel::Armv8 {
            for label in [self.run.addresses, self.run.decided] {
                self.run.synchronized = self.sets.union(self.run.synchronized, label);
            }
        }
    }

    /// A branch that depends on the next access's read comes right after it, and an instruction fence.
    pub(crate) fn synchronize(&mut self) {
        self.branch();
        self.run.synchronized = self.run.branches;
    }

    /// A branch that depends on the next access's read comes right after it: the thread does not go on before it is known.
    pub(crate) fn branch(&mut self) {
        let read = self.sets.of(self.run.recorded.len());
        self.run.branches = self.sets.union(self.run.branches, read);
    }

    /// Takes an access in; whether the thread can go on.
    pub(crate) fn push(&mut self, mut recorded: Recorded, mut after: After) -> Turn {
        if self.run.recorded.len() == self.run.limit {
            self.run.stop = Some(Stop::TooManyEvents);
            return Turn::Other(Switch::End);
        }
        let around = self.overrides.around(self.model, recorded.access, recorded.note);
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
        if unknown && after == After::Known {
            self.run.stop = Some(Stop::Reached(Reached::Branch));
            return Turn::Other(Switch::End);
        }
        Turn::Ours
    }
}

/// What must be known of an access before the thread goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing.
    Anything,
    /// What it reads.
    Known,
}

/// Whether an access changed something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Some,
    None,
}

/// What stands between two accesses.
#[derive(Clone, Copy)]
pub(crate) enum AsideOperation {
    Mark(Mark),
    /// A full one.
    Fence(RecordPointer),
}

/// Something between two accesses.
#[derive(Clone, Copy)]
pub(crate) struct Aside {
    pub(crate) what: AsideOperation,
    /// How many accesses come before it.
    pub(crate) accesses: usize,
    /// How many full fences come before it, and are it.
    pub(crate) full: u16,
}
pub(crate) mod initialisers;
pub(crate) mod labels;
pub(crate) mod milestones;
pub(crate) mod overrides;
pub(crate) mod states;
