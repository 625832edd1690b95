//! Execution graphs of the program: each thread is run by itself, from its beginning, as far
//! as what its reads return is known. Shared memory lives in the graph.
//!
//! The engine's search ([`engine::explore::rsmc`]) asks what a thread does if its reads return this and that
//! ([`search`]). The thread's fiber is run for that with the same hooks as under the schedule explorers, and alone:
//!
//! 1. Before an access its hook asks for its turn, and comes here ([`prepare`]): the value that the graph has for the read is
//!    put into real memory.
//! 2. The hook performs the access on real memory, and reports it. It is recorded here ([`Graph::record`]), and memory gets
//!    its initial value back: between accesses, all shared memory is as it is before the program begins.
//! 3. A thread whose read has not returned yet is *parked*: its fiber is left and forgotten. Once the read returns, the
//!    thread is run from its beginning again.
//!
//! What is not modelled in graphs is refused where the program does it ([`refuse`]).

mod cycles;
mod initialisers;
pub(crate) mod labels;
pub(crate) mod lifetimes;
pub(crate) mod mutexes;
pub(crate) mod objects;
pub(crate) mod places;
pub(crate) mod search;
pub(crate) mod threads;
mod transactions;

use std::sync::atomic::{AtomicBool, Ordering};

use engine::event::{Kind, Location, Thread};
use engine::graph::{Access, Fences, Internal, Link, Reached, Value, Written};
use engine::mapping::graphs::{self, Around};
use engine::mapping::power::Synchronizes;
use engine::mapping::{MachineFence, Order};
use engine::model::MemoryModel;
use protocol::Operation;
use rustc_hash::FxHashMap;

use crate::hooks::process::program::unsupported;
use crate::hooks::pthread::threads::Start;
use crate::process::fiber::{self, Switch};
use crate::process::layout;
use crate::process::sites::{Record, RecordPointer};
use crate::run::{self, Runtime, Turn, with};
use crate::state::recorder::{Failure, Note};
use initialisers::Initialisers;
use labels::{Label, Private, Sets};
use objects::States;
use places::{Places, Unlocated};
use transactions::{Aside, What};

/// What fresh memory on stacks and in the heap holds.
const PATTERN: u64 = u64::from_ne_bytes([crate::hooks::memory::allocation::PATTERN; 8]);

/// An access that a thread has made, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) struct Recorded {
    pub(crate) access: Access,
    pub(crate) location: Location,
    pub(crate) written: Written,
    pub(crate) fences: Fences,
    pub(crate) link: Link,
    pub(crate) depends: Depends,
    pub(crate) note: Note,
    /// Of the access, or of the object; 0 if there is none.
    pub(crate) address: usize,
    /// 0 for what is no access to memory.
    pub(crate) width: u8,
}

/// The reads that an access depends on: what of it, or of which branches and addresses before it, does.
#[derive(Clone, Copy, Default)]
pub(crate) struct Depends {
    pub(crate) address: Label,
    pub(crate) value: Label,
    pub(crate) control: Label,
    pub(crate) synchronized: Label,
    pub(crate) addresses_before: Label,
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
struct Run {
    thread: Thread,
    origin: u32,
    reads: Vec<Option<Value>>,
    recorded: Vec<Recorded>,
    /// What stands between them.
    asides: Vec<Aside>,
    /// What begins and ends between them.
    milestones: Vec<lifetimes::Milestone>,
    /// So many accesses may be made.
    limit: usize,
    fences: Fences,
    created: u32,
    joined: u32,
    /// So many keys of thread-specific data has it created.
    keys: u32,
    /// The mutexes that it holds, and how many times.
    held: Vec<(usize, u32)>,
    /// The reads on which a branch so far depends.
    branches: Label,
    /// Such, at the last instruction fence.
    synchronized: Label,
    /// The reads on which the address of an access so far depends.
    addresses: Label,
    private: Private,
    /// What comes after the next access depends on what it reads.
    decides: bool,
    /// What the last compare-and-exchange compared with depends on these.
    compared: Label,
    /// The next access is a piece of a longer one, which may be cut anywhere.
    piece: bool,
    /// A wait of an iteration that changed nothing else has run out.
    patience: Option<Idle>,
    stop: Option<Stop>,
}

/// An iteration without effect in which a wait ran out: the next one waits there, if it reads the same up to there.
#[derive(Clone, Copy)]
struct Idle {
    /// The first access of the iteration.
    since: usize,
    /// The first one behind it.
    next: usize,
}

/// What is known of the program beside the search.
pub(crate) struct Graph {
    pub(crate) model: MemoryModel,
    /// So many rounds a loop may go each time it is entered.
    pub(crate) unroll: Option<u64>,
    places: Places,
    sets: Sets,
    pub(crate) states: States,
    initialisers: Initialisers,
    run: Run,
    children: FxHashMap<(Thread, u32), Thread>,
    /// How each thread came to be, from main.
    paths: Vec<Vec<u32>>,
    /// What threads run, by their origin, from 1.
    origins: Vec<Start>,
    failures: Vec<Failure>,
    /// Something that threads may use too late ends in some run of a thread.
    ends: bool,
}

/// Its name for the user.
pub(crate) const fn option_of(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "--explorer rsmc",
        MemoryModel::Tso => "--model tso",
        MemoryModel::Pso => "--model pso",
        MemoryModel::Power => "--model power",
    }
}

fn peek(address: usize, width: usize) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the program's own access; a pointer that is not valid faults, as it would without us.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), width) };
    u64::from_le_bytes(bytes)
}

fn poke(address: usize, width: usize, value: u64) {
    let bytes = value.to_le_bytes();
    // SAFETY: as for `peek`; only the value that the program's own access finds is put there.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, width) };
}

/// Asked for at each call.
static ON: AtomicBool = AtomicBool::new(false);

/// From now on the program is run for execution graphs.
pub(crate) fn switch_on() {
    ON.store(true, Ordering::Relaxed);
}

/// Whether the program is run for execution graphs.
#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Refuses what is not modelled in execution graphs, where it is run for them.
#[inline]
pub(crate) fn refuse(what: &str, site: RecordPointer) {
    if is_on() {
        refuse_it(what, site);
    }
}

#[cold]
fn refuse_it(what: &str, site: RecordPointer) {
    if let Some(Some(option)) = with(|runtime| runtime.graph.as_ref().map(|graph| option_of(graph.model))) {
        unsupported(&format!("{what} under {option}"), site);
    }
}

/// What these bytes hold before the program begins, which hold `now` if they are a variable's.
fn initial(address: usize, width: usize, now: u64) -> u64 {
    if is_fresh(address) { PATTERN & (u64::MAX >> (64 - 8 * width)) } else { now }
}

/// Whether an address is in the heap or on a stack, but in no variable of a thread.
fn is_fresh(address: usize) -> bool {
    let is_variable = |index| crate::state::globals::tls_of(Thread::from_index(index)).contains(&address);
    layout::stack_of(address).is_some_and(|index| !is_variable(index)) || layout::is_heap(address)
}

/// Leaves the thread that runs: nothing more is known of it.
pub(crate) fn park(stop: Stop) -> ! {
    with(|runtime| runtime.graph_mut().run.stop = Some(stop));
    fiber::abandon(Switch::End)
}

/// The running thread is about to access these bytes: puts there what it reads.
pub(crate) fn prepare(address: usize, width: usize, site: RecordPointer) {
    if width == 0 {
        return;
    }
    labels::know(labels::of_address());
    let before = peek(address, width);
    let known = with(|runtime| {
        let initial = initial(address, width, before);
        runtime.graph_mut().prepare(address, width, initial)
    });
    match known {
        Some(Ok(value)) if value != before => poke(address, width, value),
        Some(Err(Unlocated::Cut)) => park(Stop::Cut),
        Some(Err(Unlocated::Mixed)) => refuse("memory accessed in pieces of different widths", site),
        Some(Err(Unlocated::Unaligned)) => refuse("an access across eight aligned bytes", site),
        Some(Ok(_)) | None => {}
    }
}

/// The running thread executes a fence.
pub(crate) fn fence(machine: Option<MachineFence>, order: Order, site: RecordPointer) {
    let fenced = with(|runtime| {
        let full = runtime.graph_mut().run.fences.full;
        let fenced = runtime.fence_in_graph(machine, order);
        let graph = runtime.graph_mut();
        if graph.run.fences.full > full {
            graph.aside(What::Fence(site));
        }
        fenced
    })
    .flatten();
    if fenced.is_none() {
        refuse("a fence between loads and what follows them", site);
    }
}

/// A compare-and-exchange that fails here would synchronise, or not, if it succeeded (or the other way round): so what
/// comes after it is not known before it is.
#[cold]
pub(crate) fn decides() {
    with(|runtime| {
        if let Some(graph) = runtime.graph.as_deref_mut() {
            graph.run.decides = true;
        }
    });
}

/// How wide the next piece of an access that may be cut anywhere is, if it could be so wide.
pub(crate) fn piece(address: usize, width: usize) -> usize {
    let cut = with(|runtime| {
        let graph = runtime.graph.as_deref_mut()?;
        graph.run.piece = true;
        Some(graph.places.piece(address, width))
    });
    cut.flatten().unwrap_or(width)
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
                private: Private::default(),
                decides: false,
                compared: Label::NONE,
                piece: false,
                patience: None,
                stop: None,
            },
            children: FxHashMap::default(),
            paths: vec![Vec::new()],
            origins: Vec::new(),
            failures: Vec::new(),
            ends: false,
        }
    }

    fn begin(&mut self, thread: Thread, origin: u32, reads: &[Option<Value>], limit: usize) {
        self.initialisers.begin_run();
        let run = &mut self.run;
        (run.thread, run.origin, run.limit) = (thread, origin, limit);
        run.reads.clear();
        run.reads.extend_from_slice(reads);
        run.recorded.clear();
        run.asides.clear();
        run.milestones.clear();
        run.held.clear();
        // A join's load is told apart from what follows by a number less.
        run.fences = Fences { full: 1, ..Fences::default() };
        (run.created, run.joined, run.keys) = (0, 0, 0);
        (run.piece, run.decides, run.patience, run.stop) = (false, false, None, None);
        (run.branches, run.synchronized, run.addresses) = (Label::NONE, Label::NONE, Label::NONE);
        run.private.clear();
        labels::reset();
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

    /// What the next access reads, if it reads: the initial value if that is not known.
    fn prepare(&mut self, address: usize, width: usize, initial: u64) -> Result<u64, Unlocated> {
        let piece = std::mem::take(&mut self.run.piece);
        let location = self.places.locate(address, width, piece, initial)?;
        let known = self.run.reads.get(self.run.recorded.len()).copied().flatten();
        Ok(known.unwrap_or_else(|| self.places.initial(location)).cast_unsigned())
    }

    /// What the next access reads, if that is known.
    fn next_read(&self) -> Option<Value> {
        self.run.reads.get(self.run.recorded.len()).copied().flatten()
    }

    /// The access since which the running thread waits if it has to wait now: none if its wait can run out.
    fn waits_since(&self) -> Option<usize> {
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
    const fn depends(&self) -> Depends {
        let Run { branches, synchronized, addresses, .. } = self.run;
        Depends {
            address: Label::NONE,
            value: Label::NONE,
            control: branches,
            synchronized,
            addresses_before: addresses,
        }
    }

    /// A branch that depends on the next access's read comes right after it, and an instruction fence.
    fn synchronize(&mut self) {
        self.branch();
        self.run.synchronized = self.run.branches;
    }

    /// A branch that depends on the next access's read comes right after it: the thread does not go on before it is known.
    fn branch(&mut self) {
        let read = self.sets.of(self.run.recorded.len());
        self.run.branches = self.sets.union(self.run.branches, read);
    }

    /// Takes an access in; whether the thread can go on.
    fn push(&mut self, recorded: Recorded, after: After) -> Turn {
        if self.run.recorded.len() == self.run.limit {
            self.run.stop = Some(Stop::TooManyEvents);
            return Turn::Other(Switch::End);
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

    /// Records an access to memory that has just been performed on what [`prepare`] put there.
    fn record(&mut self, access: &run::Access) -> (Turn, Effect) {
        let &run::Access { address, width, kind, barriers, operation, site, before, after, .. } = access;
        let location = self.places.at(address);
        let Around { before: fences, after: behind, synchronizes } = graphs::access(self.model, kind, barriers);
        let (of_address, of_value) = labels::given();
        self.run.compared = of_value;
        let depends = Depends { address: of_address, value: of_value, ..self.depends() };
        let known = (kind == Kind::Store || self.next_read().is_some()) && self.is_known(of_value);
        let written = match kind {
            Kind::Load => Written::Nothing,
            _ if !known => Written::Unknown,
            Kind::FailedRmw => Written::Nothing,
            _ => Written::Value(after.cast_signed()),
        };
        if let Written::Value(value) = written {
            self.note_store(address, width.into(), value.cast_unsigned());
        }
        let changes = kind == Kind::Store || (known && before != after);
        let effect = if changes { Effect::Some } else { Effect::None };
        let access = match kind {
            Kind::Load => Access::Load,
            Kind::Store => Access::Store,
            Kind::Rmw if operation == Operation::Exchange => Access::Update(Internal::None),
            Kind::Rmw => Access::Update(Internal::Data),
            _ => Access::Update(Internal::Control),
        };
        self.run.fences += fences;
        self.run.addresses = self.sets.union(self.run.addresses, of_address);
        let (fences, note, link) = (self.run.fences, Note { site, operation }, Link::None);
        if access.reads() {
            labels::gives(self.sets.of(self.run.recorded.len()));
        }
        let decides = std::mem::take(&mut self.run.decides) || synchronizes == Synchronizes::Yes;
        if synchronizes == Synchronizes::Yes {
            self.synchronize();
        } else if decides {
            self.branch();
        }
        let after = if self.model == MemoryModel::Power && !decides { After::Anything } else { After::Known };
        let turn =
            self.push(Recorded { access, location, written, fences, link, depends, note, address, width }, after);
        self.run.fences += behind;
        (turn, effect)
    }
}

/// What must be known of an access before the thread goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing.
    Anything,
    /// What it reads.
    Known,
}

/// Whether an access changed something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Some,
    None,
}

impl Runtime {
    /// The state of the search for graphs, which there is.
    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        self.graph.as_deref_mut().expect("the program is run for execution graphs")
    }

    /// Records an access, and gives memory its initial value back.
    #[cold]
    pub(crate) fn record_in_graph(&mut self, access: &run::Access) -> Turn {
        let graph = self.graph_mut();
        let (turn, effect) = graph.record(access);
        let initial = graph.places.initial(graph.places.at(access.address)).cast_unsigned();
        if access.after != initial {
            poke(access.address, access.width.into(), initial);
        }
        let state = self.threads.at(self.running);
        state.events += 1;
        if effect == Effect::Some {
            state.effects += 1;
        }
        turn
    }

    /// The running thread executes a fence of this number of the hook ABI, or of a C11 order.
    pub(crate) fn fence_in_graph(&mut self, machine: Option<MachineFence>, order: Order) -> Option<()> {
        let graph = self.graph_mut();
        if machine == Some(MachineFence::Instructions) {
            graph.run.synchronized = graph.run.branches;
        }
        graph.run.fences += match machine {
            Some(fence) => graphs::machine_fence(graph.model, fence)?,
            None => graphs::fence(graph.model, order),
        };
        Some(())
    }

    /// Records what is no access to memory but has the place of one in the graph; what it reads.
    fn record_object(&mut self, recorded: Recorded) -> (Turn, Option<Value>) {
        let thread = self.running;
        self.threads.at(thread).stands_at = Record::known(recorded.note.site);
        let state = self.threads.at(thread);
        state.events += 1;
        state.effects += u64::from(recorded.written != Written::Nothing);
        let graph = self.graph_mut();
        let value = graph.next_read();
        (graph.push(recorded, After::Known), value)
    }

    /// What the running thread does from here on is not looked at.
    pub(crate) fn leaves_out(&mut self) -> Turn {
        self.graph_mut().run.stop = Some(Stop::Reached(Reached::Assumes));
        Turn::Other(Switch::End)
    }

    /// An iteration of a wait loop, which began after so many accesses and has ended after so many, had no effect but
    /// that a wait ran out. To wait here would be to hold on to whatever the thread holds: it waits there.
    pub(crate) fn grows_patient_in_graph(&mut self, since: u64, next: u64) {
        self.graph_mut().run.patience = Some(Idle { since: since as usize, next: next as usize });
    }

    /// The iteration of a wait loop since this many accesses had no effect: the thread waits.
    pub(crate) fn waits_in_graph(&mut self, since: u64) -> Turn {
        self.recorder.leaves_out_a_round();
        let run = &mut self.graph_mut().run;
        let since = since as usize;
        let unknown = |(index, recorded): (usize, &Recorded)| {
            matches!(recorded.access, Access::Update(_)) && run.reads.get(index).copied().flatten().is_none()
        };
        if run.recorded.iter().enumerate().skip(since).any(unknown) {
            run.stop = Some(Stop::Reached(Reached::Branch));
            return Turn::Other(Switch::End);
        }
        for recorded in &mut run.recorded[since..] {
            // What a read-modify-write leaves as it is, it does not write.
            if recorded.access.reads() && recorded.width > 0 {
                recorded.written = Written::Nothing;
            }
        }
        run.stop = Some(Stop::Reached(Reached::Waits { since: since as u16 }));
        Turn::Other(Switch::End)
    }
}
