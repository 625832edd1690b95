//! Small test programs: what they mean (`Machine`, which knows nothing of the engine), and an interpreter of them on
//! top of [`Execution`], which behaves as the native runtime does.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod mazurkiewicz;
pub(crate) mod oracle;
pub(crate) mod random;

use engine::event::{Kind, Object, Site, Thread};
use engine::execution::{Ending, Execution, Next, Pending, Wakes};
use engine::explore::bounded::Bounded;
use engine::explore::trust::Trust;
use engine::explore::{Counts, Finish, Strategy, Values};
use engine::step::{Iteration, Step};
use engine::sync::machine::Machine as ObjectState;
use engine::sync::mutex::{Mutex, Type};

/// A location of the program; every location starts with 0.
pub(crate) type Location = u8;
pub(crate) const LOCATIONS: usize = 4;
pub(crate) const MUTEXES: usize = 2;

/// One operation. A thread has one register; what it reads outside a wait loop, gets or tries goes there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Op {
    Load(Location),
    Store(Location, u8),
    StoreRegister(Location),
    Exchange(Location, u8),
    Increment(Location),
    Fence,
    Lock(u8),
    TryLock(u8),
    Unlock(u8),
    Create(u8),
    Join(u8),
    // From here on: no events.
    Choose(u8),
    /// If the register has this value, so many operations are left out.
    SkipIf(u8, usize),
    Yield,
    /// Within a wait loop: if the last value that the iteration read is this, so many operations are left out, the
    /// rest of the loop among them. A body with several of these is a loop that comes back to its state after as many
    /// rounds.
    LeaveIf(u8, usize),
    /// The end of a wait loop whose body is the last so many operations: round again unless.
    Back(usize, Until),
}

/// When a wait loop ends, by the values that its last iteration read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Until {
    /// The last one is this.
    Is(u8),
    /// The last one is that of the register.
    IsRegister,
    /// None of them is 0.
    AllSet,
    /// They are the same.
    Same,
}

impl Until {
    fn holds(self, reads: &[(Location, u8)], register: u8) -> bool {
        let Some(&(_, last)) = reads.last() else { panic!("a wait loop reads") };
        match self {
            Self::Is(value) => last == value,
            Self::IsRegister => last == register,
            Self::AllSet => reads.iter().all(|&(_, value)| value != 0),
            Self::Same => reads.iter().all(|&(_, value)| value == last),
        }
    }
}

/// The code of each thread; thread 0 is main.
pub(crate) type Program = Vec<Vec<Op>>;

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Life {
    #[default]
    Absent,
    Alive,
    Ended,
}

#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Local {
    pub(crate) life: Life,
    pub(crate) next: usize,
    register: u8,
    /// Yielded since its last event.
    pub(crate) yielded: bool,
    /// The current iteration.
    iteration: Open,
}

/// What an iteration of a wait loop has done so far. A mutex is the location behind all others with its number.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Open {
    begun: bool,
    reads: Vec<(Location, u8)>,
    /// What was there when it began, of what it read or wrote; of a mutex that it tried, whether it was free.
    watched: Vec<(Location, u8)>,
    /// What was there when it began, of what it changed.
    changes: Vec<(Location, u8)>,
    /// Whether another thread has touched something while it was changed.
    seen: bool,
}

/// An event as it happened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Action {
    pub(crate) thread: usize,
    /// The index of the operation in the thread's code.
    pub(crate) at: usize,
    pub(crate) read: Option<u8>,
    pub(crate) written: Option<u8>,
    pub(crate) changed: bool,
    pub(crate) in_loop: bool,
    pub(crate) first_of_iteration: bool,
}

/// A failed iteration of a wait loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failed {
    pub(crate) watched: Vec<(Location, u8)>,
    /// Whether it has left something changed, or another thread has seen a change of it.
    pub(crate) changed: bool,
}

/// How a thread came to its next operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ran {
    pub(crate) failed: Option<Failed>,
    pub(crate) left_loop: bool,
}

/// The state of a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Machine {
    pub(crate) memory: [u8; LOCATIONS],
    pub(crate) owners: [Option<usize>; MUTEXES],
    pub(crate) locals: Vec<Local>,
}

impl Machine {
    pub(crate) fn new(program: &Program) -> Self {
        let mut locals = vec![Local::default(); program.len()];
        locals[0].life = Life::Alive;
        Self { memory: [0; LOCATIONS], owners: [None; MUTEXES], locals }
    }

    /// The operation that the thread stands before.
    pub(crate) fn operation(&self, program: &Program, thread: usize) -> Op {
        program[thread][self.locals[thread].next]
    }

    /// Runs the thread's own code up to its next event. `choose` gives a value below its argument; none stops.
    pub(crate) fn run_on(
        &mut self,
        program: &Program,
        thread: usize,
        mut choose: impl FnMut(u8) -> Option<u8>,
    ) -> Option<Ran> {
        let mut ran = Ran { failed: None, left_loop: false };
        loop {
            let local = &mut self.locals[thread];
            let Some(&op) = program[thread].get(local.next) else {
                local.life = Life::Ended;
                return Some(ran);
            };
            local.next += 1;
            match op {
                Op::Choose(count) => local.register = choose(count)?,
                Op::SkipIf(value, count) if local.register == value => local.next += count,
                Op::Yield => local.yielded = true,
                Op::Back(length, until) => {
                    let open = std::mem::take(&mut local.iteration);
                    if until.holds(&open.reads, local.register) {
                        ran.left_loop = true;
                    } else {
                        local.next -= length + 1;
                        let restored = open.changes.iter().all(|&(what, before)| self.state(what) == before);
                        ran.failed = Some(Failed { watched: open.watched, changed: open.seen || !restored });
                    }
                }
                Op::LeaveIf(value, count) if local.iteration.reads.last().is_some_and(|read| read.1 == value) => {
                    local.iteration = Open::default();
                    local.next += count;
                    ran.left_loop = true;
                }
                Op::SkipIf(..) | Op::LeaveIf(..) => {}
                _ => {
                    local.next -= 1;
                    return Some(ran);
                }
            }
        }
    }

    /// What is at a location, or who holds a mutex.
    fn state(&self, what: Location) -> u8 {
        let what = usize::from(what);
        let owner = |mutex: usize| self.owners[mutex].map_or(0, |thread| u8::try_from(thread + 1).expect("few"));
        self.memory.get(what).copied().unwrap_or_else(|| owner(what - LOCATIONS))
    }

    /// Whether everything that an iteration watched is as it was.
    pub(crate) fn is_as_it_was(&self, watched: &[(Location, u8)]) -> bool {
        watched.iter().all(|&(what, value)| match self.memory.get(usize::from(what)) {
            Some(now) => *now == value,
            None => u8::from(self.state(what) == 0) == value,
        })
    }

    /// Performs the event that the thread stands before; the new thread's code is not its business.
    pub(crate) fn perform(&mut self, program: &Program, thread: usize) -> Action {
        let at = self.locals[thread].next;
        let op = program[thread][at];
        let mutex = |mutex: u8| u8::try_from(LOCATIONS).expect("few") + mutex;
        let (read, written) = match op {
            Op::Load(location) => (Some(location), None),
            Op::Store(location, value) => (None, Some((location, value))),
            Op::StoreRegister(location) => (None, Some((location, self.locals[thread].register))),
            Op::Exchange(location, value) => (Some(location), Some((location, value))),
            Op::Increment(location) => (Some(location), Some((location, self.memory[usize::from(location)] + 1))),
            _ => (None, None),
        };
        let touched = match op {
            Op::Lock(number) | Op::TryLock(number) | Op::Unlock(number) => Some(mutex(number)),
            _ => read.or(written.map(|(location, _)| location)),
        };
        if let Some(touched) = touched {
            self.look_at(thread, touched);
        }
        let before = touched.map(|touched| self.state(touched));
        if let Some((location, value)) = written {
            self.memory[usize::from(location)] = value;
        }
        let mut value = read.and(before);
        match op {
            Op::Lock(number) => self.owners[usize::from(number)] = Some(thread),
            Op::Unlock(number) => self.owners[usize::from(number)] = None,
            Op::TryLock(number) => {
                let owner = &mut self.owners[usize::from(number)];
                value = Some(owner.is_none().into());
                owner.get_or_insert(thread);
            }
            Op::Create(child) => self.locals[usize::from(child)].life = Life::Alive,
            _ => {}
        }
        let after = touched.map(|touched| self.state(touched));
        let in_loop = in_loop(&program[thread], at);
        let local = &mut self.locals[thread];
        let first_of_iteration = in_loop && !local.iteration.begun;
        local.next += 1;
        local.yielded = false;
        if in_loop {
            local.iteration.begun = true;
            let waits_for = matches!(op, Op::Lock(_) | Op::Unlock(_));
            if let (Some(touched), Some(before)) = (touched, before) {
                local.iteration.note(
                    touched,
                    before,
                    after != Some(before),
                    if waits_for { None } else { Some(value.unwrap_or(before)) },
                );
                local.iteration.reads.extend(value.map(|value| (touched, value)));
            }
        } else {
            local.register = value.unwrap_or(local.register);
        }
        let written = written.map(|(_, value)| value);
        Action { thread, at, read: value, written, changed: before != after, in_loop, first_of_iteration }
    }

    /// The thread is about to touch this: the others' iterations that have changed it are seen.
    fn look_at(&mut self, thread: usize, touched: Location) {
        let now = self.state(touched);
        for (_, local) in self.locals.iter_mut().enumerate().filter(|&(other, _)| other != thread) {
            let open = &mut local.iteration;
            open.seen |= open.changes.iter().any(|&(what, before)| what == touched && before != now);
        }
    }

    /// The thread stands before the first event of an iteration.
    pub(crate) fn at_loop_head(&self, program: &Program, thread: usize) -> bool {
        let local = &self.locals[thread];
        local.life == Life::Alive && in_loop(&program[thread], local.next) && !local.iteration.begun
    }
}

impl Open {
    /// An event of the iteration: what it touched, what was there, whether it changed that, and what it tells of it.
    fn note(&mut self, touched: Location, before: u8, changes: bool, tells: Option<u8>) {
        if self.changes.iter().any(|&(what, _)| what == touched) {
            return;
        }
        self.watched.extend(tells.map(|value| (touched, value)));
        if changes {
            self.changes.push((touched, before));
        }
    }
}

fn in_loop(code: &[Op], at: usize) -> bool {
    code.iter().enumerate().any(|(end, op)| matches!(op, Op::Back(length, _) if (end - length..end).contains(&at)))
}

/// A decision of an execution, in order: who performs the next event, or what the program gets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Decision {
    Event(usize),
    Value(u8),
}

/// What happened, for reduction: an event, a value, or the end of a failed or a last iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Happened {
    Action(Action),
    Value(usize, u8),
    Failed(usize, Failed),
    LeftLoop(usize),
}

/// One execution that the engine ran.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) schedule: Vec<Decision>,
    pub(crate) happened: Vec<Happened>,
    pub(crate) ending: Ending,
    pub(crate) memory: [u8; LOCATIONS],
    pub(crate) counts: Counts,
    pub(crate) preemptions: Option<u32>,
    /// As the engine says it.
    pub(crate) threads: Vec<Thread>,
    pub(crate) choices: Vec<u64>,
}

/// Runs programs on an [`Execution`].
pub(crate) struct Interpreter<'a> {
    program: &'a Program,
    execution: &'a mut Execution,
    machine: Machine,
    /// The program's thread by the engine's number, and the other way round.
    named: Vec<usize>,
    numbers: Vec<Option<Thread>>,
    /// The events of each thread's current iteration.
    iterations: Vec<Option<Iteration>>,
    /// What each waiting thread read.
    watched: Vec<Option<Vec<(Location, u8)>>>,
    schedule: Vec<Decision>,
    happened: Vec<Happened>,
}

impl<'a> Interpreter<'a> {
    /// Runs the execution that has begun, to its end; [`Execution::finish`] is left to the caller.
    pub(crate) fn run(program: &'a Program, execution: &'a mut Execution) -> Run {
        let threads = program.len();
        let mut this = Self {
            program,
            execution,
            machine: Machine::new(program),
            named: vec![0],
            numbers: vec![None; threads],
            iterations: vec![None; threads],
            watched: vec![None; threads],
            schedule: Vec::new(),
            happened: Vec::new(),
        };
        this.numbers[0] = Some(Thread::MAIN);
        for mutex in 0..MUTEXES {
            this.execution.state.set_object(object(mutex), ObjectState::Mutex(Mutex::new(Type::Normal)));
        }
        let ending = this.perform_all();
        Run {
            schedule: this.schedule,
            happened: this.happened,
            ending,
            memory: this.machine.memory,
            counts: this.execution.history.counts(),
            preemptions: this.execution.history.preemptions(),
            threads: this.execution.history.steps().iter().map(|step| step.thread).collect(),
            choices: this.execution.history.choices().to_vec(),
        }
    }

    fn perform_all(&mut self) -> Ending {
        if !self.run_on(0) {
            return Ending::Diverged;
        }
        loop {
            match self.execution.choose() {
                Next::End(ending) => return ending,
                Next::Run(number) => {
                    let thread = self.named[number.index()];
                    if !self.perform(thread) {
                        return Ending::Diverged;
                    }
                }
            }
        }
    }

    fn on_mutex<R>(&mut self, mutex: u8, operation: fn(&mut Mutex, Thread) -> R) -> R {
        let object = object(mutex.into());
        self.execution.operate(object, |state, me| operation(state.mutex().expect("it is one"), me))
    }

    fn number(&self, thread: usize) -> Thread {
        self.numbers[thread].expect("a thread that was created")
    }

    /// False if the engine finds a divergence.
    fn perform(&mut self, thread: usize) -> bool {
        let number = self.number(thread);
        let op = self.machine.operation(self.program, thread);
        self.watched[thread] = None;
        let index = self.execution.history.length();
        let memory = self.machine.memory;
        let action = self.machine.perform(self.program, thread);
        if action.first_of_iteration {
            self.execution.at_hand.is_at_header(number);
        }
        if action.in_loop {
            let iteration = self.iterations[thread].get_or_insert(Iteration { first: index, last: index, events: 0 });
            if action.first_of_iteration {
                *iteration = Iteration { first: index, last: index, events: 0 };
            }
            (iteration.last, iteration.events) = (index, iteration.events + 1);
        }
        let mut child = None;
        let (kind, target) = match op {
            Op::Load(location) => (Kind::Load, location),
            Op::Store(location, _) | Op::StoreRegister(location) => (Kind::Store, location),
            Op::Exchange(location, _) | Op::Increment(location) => (Kind::Rmw, location),
            Op::Lock(mutex) => {
                self.on_mutex(mutex, Mutex::lock).expect("a normal mutex");
                (Kind::Lock(object(mutex.into())), mutex)
            }
            Op::TryLock(mutex) => {
                let got = self.on_mutex(mutex, Mutex::try_lock).is_ok();
                assert_eq!(action.read, Some(got.into()));
                (Kind::Lock(object(mutex.into())), mutex)
            }
            Op::Unlock(mutex) => {
                self.on_mutex(mutex, Mutex::unlock).expect("it holds it");
                (Kind::Lock(object(mutex.into())), mutex)
            }
            Op::Create(created) => {
                let new = self.execution.state.create().expect("few threads");
                self.named.resize(self.named.len().max(new.index() + 1), usize::MAX);
                self.named[new.index()] = created.into();
                self.numbers[usize::from(created)] = Some(new);
                child = Some(usize::from(created));
                (Kind::Create(new), 0)
            }
            Op::Join(other) => (Kind::Join(self.number(other.into())), other),
            _ => (Kind::Fence, 0),
        };
        self.schedule.push(Decision::Event(thread));
        self.happened.push(Happened::Action(action));
        let site = Site(u32::try_from(thread * 100 + action.at).expect("small"));
        let touched = matches!(kind, Kind::Load | Kind::Store | Kind::Rmw);
        let locations = touched.then_some(engine::event::Location(target.into()));
        let before = memory.get(usize::from(target)).copied().unwrap_or(0).into();
        let values = Values::Known { before, after: action.written.unwrap_or(0).into(), expected: None };
        let step = Step { thread: number, site, kind, target: target.into() };
        if self.execution.performed(step, locations.as_slice(), values).is_err() {
            return false;
        }
        for (waiting, watched) in self.watched.iter().enumerate() {
            if let Some(reads) = watched {
                let wakes = if self.machine.is_as_it_was(reads) { Wakes::NotYet } else { Wakes::Yes };
                self.execution.state.wake(self.numbers[waiting].expect("it waits"), wakes);
            }
        }
        child.is_none_or(|child| self.run_on(child)) && self.run_on(thread)
    }

    /// Runs the thread up to its next event and says so. False if the engine finds a divergence.
    fn run_on(&mut self, thread: usize) -> bool {
        let (execution, schedule, happened) = (&mut self.execution, &mut self.schedule, &mut self.happened);
        let ran = self.machine.run_on(self.program, thread, |count| {
            let value = execution.choose_value(count.into()).ok()?;
            let value = u8::try_from(value).expect("below count");
            schedule.push(Decision::Value(value));
            happened.push(Happened::Value(thread, value));
            Some(value)
        });
        let Some(ran) = ran else { return false };
        let number = self.number(thread);
        if ran.left_loop {
            self.happened.push(Happened::LeftLoop(thread));
        }
        if self.machine.locals[thread].yielded {
            self.execution.state.yields(number);
        }
        if let Some(failed) = ran.failed {
            self.happened.push(Happened::Failed(thread, failed.clone()));
            let fresh = self.machine.is_as_it_was(&failed.watched);
            if !failed.changed {
                let first = self.pending(thread);
                self.execution.wait(number, self.iterations[thread], first);
                if !fresh {
                    self.execution.state.wake(number, Wakes::Yes);
                }
                self.watched[thread] = Some(failed.watched);
                return true;
            }
        }
        if self.machine.locals[thread].life == Life::Ended {
            self.execution.state.end_thread(number);
            return true;
        }
        let pending = self.pending(thread);
        self.execution.state.arrive(number, pending);
        true
    }

    fn pending(&self, thread: usize) -> Pending {
        match self.machine.operation(self.program, thread) {
            Op::Lock(mutex) => Pending::Lock(object(mutex.into())),
            Op::Join(other) => Pending::Join(self.number(other.into())),
            _ => Pending::Access,
        }
    }
}

fn object(mutex: usize) -> Object {
    Object(u32::try_from(mutex).expect("few mutexes"))
}

/// All executions that the strategy wants. `again` says whether one has to be run once more.
pub(crate) fn run_all(program: &Program, strategy: Box<dyn Strategy>, mut again: impl FnMut() -> bool) -> Vec<Run> {
    let mut execution = Execution::new(strategy);
    let mut runs: Vec<Run> = Vec::new();
    let mut repeats: Option<Run> = None;
    while execution.begin() {
        let run = Interpreter::run(program, &mut execution);
        assert_ne!(run.ending, Ending::Diverged, "{program:?} {:?}: {run:?}", execution.history.divergence());
        if let Some(before) = repeats.take() {
            assert_eq!((&run.schedule, run.counts), (&before.schedule, before.counts), "{program:?}");
            assert_eq!((run.preemptions, run.memory), (before.preemptions, before.memory), "{program:?}");
        }
        if again() {
            execution.finish(Finish::Again);
            repeats = Some(run);
        } else {
            execution.finish(Finish::Done);
            runs.push(run);
        }
    }
    runs
}

/// The first so many executions of a strategy that has no end.
pub(crate) fn some(program: &Program, strategy: Box<dyn Strategy>, count: usize) -> Vec<Run> {
    let mut execution = Execution::new(strategy);
    let mut runs = Vec::new();
    while runs.len() < count && execution.begin() {
        runs.push(Interpreter::run(program, &mut execution));
        execution.finish(Finish::Done);
    }
    runs
}

/// All executions of the explorer `bounded`.
pub(crate) fn explore(program: &Program, bound: Option<u32>) -> Vec<Run> {
    run_all(program, Box::new(Bounded::new(bound)), || false)
}

/// All executions of the explorer `dpor`.
pub(crate) fn explore_classes(program: &Program) -> Vec<Run> {
    explore_classes_within(program, None)
}

/// Those with an execution of at most so many preemptions count.
pub(crate) fn explore_classes_within(program: &Program, preemptions: Option<u32>) -> Vec<Run> {
    let runs = run_all(program, Box::new(Trust::within(preemptions)), || false);
    runs.into_iter().filter(|run| run.ending != Ending::Abandoned).collect()
}
