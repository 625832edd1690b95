//! The executions of small programs with synchronisation objects, against an enumeration that knows nothing of the
//! engine: the same schedules, each once, and the same threads left over in the end. And those of the explorer `dpor`:
//! one of each class of schedules that differ in the order of events on different objects alone.

use std::collections::{BTreeMap, BTreeSet};

use engine::event::{Kind, Object, Site, Thread};
use engine::execution::{Ending, Execution, Next, Pending, Status};
use engine::explore::bounded::Bounded;
use engine::explore::trust::Trust;
use engine::explore::{Counts, Finish, Strategy, Values};
use engine::step::Step;
use engine::sync::barrier::{Arrival, Barrier};
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::mutex::{Mutex, Type};
use engine::sync::once::{Once, OnceEntry};
use engine::sync::read_write_lock::ReadWriteLock;
use engine::sync::semaphore::Semaphore;
use engine::sync::sleepers::Sleepers;

/// One event. There is one object of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Lock,
    Unlock,
    Sleep,
    /// The other half of a wait; a limited one that runs out is followed by the event that has the mutex again.
    WakeUp(Limit),
    Signal,
    Broadcast,
    Post,
    Take(Limit),
    Read,
    Write,
    Release,
    Arrive,
    /// Left out by the last to arrive.
    Leave,
    Enter,
    /// Left out by those who do not run the function.
    Return,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Limit {
    None,
    Some,
}

/// The code of the threads that main, which does nothing else, creates.
type Program = Vec<Vec<Op>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Decision {
    Event(usize),
    Value(usize),
}

/// A schedule, and the threads that have not ended after it.
type Outcome = (Vec<Decision>, Vec<usize>);

/// The semantics in plain sets. Threads are numbered from 1; 0 is main.
#[derive(Clone, Default)]
struct State {
    created: usize,
    at: Vec<usize>,
    /// Threads whose sleep ran out, and who have to have the mutex again.
    relocks: BTreeSet<usize>,
    owner: Option<usize>,
    asleep: BTreeSet<usize>,
    woken: BTreeSet<usize>,
    tokens: usize,
    readers: Vec<usize>,
    writer: Option<usize>,
    at_barrier: BTreeSet<usize>,
    released: BTreeSet<usize>,
    runs_once: bool,
    has_run: bool,
}

const PARTIES: usize = 2;

impl State {
    fn can(&self, program: &Program, thread: usize) -> bool {
        if thread == 0 {
            return self.created < program.len();
        }
        if thread > self.created {
            return false;
        }
        if self.relocks.contains(&thread) {
            return self.owner.is_none();
        }
        match program[thread - 1].get(self.at[thread - 1]) {
            None => false,
            Some(Op::Lock) => self.owner.is_none(),
            Some(Op::WakeUp(limit)) => {
                if self.woken.contains(&thread) {
                    self.owner.is_none()
                } else {
                    *limit == Limit::Some
                }
            }
            Some(Op::Take(limit)) => self.tokens > 0 || *limit == Limit::Some,
            Some(Op::Read) => self.writer.is_none(),
            Some(Op::Write) => self.writer.is_none() && self.readers.is_empty(),
            Some(Op::Leave) => self.released.contains(&thread),
            Some(Op::Enter) => !self.runs_once,
            Some(_) => true,
        }
    }

    /// Performs the next event of the thread; who may be woken by a signal, one of whom must be.
    fn perform(&mut self, program: &Program, thread: usize) -> Vec<usize> {
        if thread == 0 {
            self.created += 1;
            self.at.push(0);
            return Vec::new();
        }
        if self.relocks.remove(&thread) {
            self.owner = Some(thread);
            return Vec::new();
        }
        let op = program[thread - 1][self.at[thread - 1]];
        self.at[thread - 1] += 1;
        match op {
            Op::Lock => self.owner = Some(thread),
            Op::Unlock => self.owner = None,
            Op::Sleep => {
                self.owner = None;
                self.asleep.insert(thread);
            }
            Op::WakeUp(_) if self.woken.remove(&thread) => self.owner = Some(thread),
            Op::WakeUp(_) => {
                self.asleep.remove(&thread);
                self.relocks.insert(thread);
            }
            Op::Signal => return self.asleep.iter().copied().collect(),
            Op::Broadcast => self.woken.append(&mut self.asleep),
            Op::Post => self.tokens += 1,
            Op::Take(_) => self.tokens = self.tokens.saturating_sub(1),
            Op::Read => self.readers.push(thread),
            Op::Write => self.writer = Some(thread),
            Op::Release if self.writer == Some(thread) => self.writer = None,
            Op::Release => self.readers.retain(|&reader| reader != thread),
            Op::Arrive if self.at_barrier.len() + 1 == PARTIES => {
                self.released.append(&mut self.at_barrier);
                self.at[thread - 1] += 1;
            }
            Op::Arrive => drop(self.at_barrier.insert(thread)),
            Op::Leave => drop(self.released.remove(&thread)),
            Op::Enter if self.has_run => self.at[thread - 1] += 1,
            Op::Enter => self.runs_once = true,
            Op::Return => (self.runs_once, self.has_run) = (false, true),
        }
        Vec::new()
    }

    fn wake(&mut self, thread: usize) {
        self.asleep.remove(&thread);
        self.woken.insert(thread);
    }

    /// All executions from here on.
    fn enumerate(&self, program: &Program, schedule: &mut Vec<Decision>, found: &mut Vec<Outcome>) {
        let enabled: Vec<usize> = (0..=program.len()).filter(|&thread| self.can(program, thread)).collect();
        if enabled.is_empty() {
            let left = (1..=program.len()).filter(|&thread| self.at[thread - 1] < program[thread - 1].len());
            found.push((schedule.clone(), left.collect()));
        }
        for thread in enabled {
            let mut next = self.clone();
            let choices = next.perform(program, thread);
            schedule.push(Decision::Event(thread));
            for (index, &chosen) in choices.iter().enumerate() {
                let mut next = next.clone();
                next.wake(chosen);
                schedule.extend((choices.len() > 1).then_some(Decision::Value(index)));
                next.enumerate(program, schedule, found);
                if choices.len() > 1 {
                    schedule.pop();
                }
            }
            if choices.is_empty() {
                next.enumerate(program, schedule, found);
            }
            schedule.pop();
        }
    }
}

const MUTEX: Object = Object(0);
const CONDITION: Object = Object(1);
const SEMAPHORE: Object = Object(2);
const LOCK: Object = Object(3);
const BARRIER: Object = Object(4);
const ONCE: Object = Object(5);
/// Every other round of the barrier.
const ROUND: Object = Object(6);

const fn until(limit: Limit) -> Until {
    match limit {
        Limit::None => Until::Granted,
        Limit::Some => Until::TimeOut,
    }
}

const WAKE: Wish = Wish::Wake { sleepers: CONDITION, mutex: Some(MUTEX) };

/// Runs programs on an [`Execution`], as the native runtime does.
struct Interpreter<'a> {
    program: &'a Program,
    execution: &'a mut Execution,
    at: Vec<usize>,
    relocks: BTreeSet<usize>,
    /// The round of the barrier that each thread arrived in last.
    rounds: BTreeMap<usize, u32>,
    schedule: Vec<Decision>,
}

impl Interpreter<'_> {
    fn set_objects(&mut self) {
        let execution = &mut *self.execution;
        execution.state.set_object(MUTEX, Machine::Mutex(Mutex::new(Type::Normal)));
        execution.state.set_object(CONDITION, Machine::Sleepers(Sleepers::default()));
        execution.state.set_object(SEMAPHORE, Machine::Semaphore(Semaphore::new(0).unwrap()));
        execution.state.set_object(LOCK, Machine::ReadWriteLock(ReadWriteLock::default()));
        execution.state.set_object(BARRIER, Machine::Barrier(Barrier::new(PARTIES as u32).unwrap()));
        execution.state.set_object(ONCE, Machine::Once(Once::Fresh));
        execution.at_hand.is_round_of(ROUND, BARRIER);
    }

    fn arrive(&mut self, thread: usize) {
        let number = Thread::from_index(thread);
        if thread == 0 {
            if self.at.len() < self.program.len() {
                self.execution.state.arrive(number, Pending::Access);
            } else {
                self.execution.state.end_thread(number);
            }
            return;
        }
        if self.relocks.contains(&thread) {
            self.execution.state.arrive(number, Pending::Lock(MUTEX));
            return;
        }
        let Some(op) = self.program[thread - 1].get(self.at[thread - 1]) else {
            self.execution.state.end_thread(number);
            return;
        };
        let pending = match *op {
            Op::Lock => Pending::Lock(MUTEX),
            Op::WakeUp(limit) => Pending::Wait(WAKE, until(limit)),
            Op::Take(limit) => Pending::Wait(Wish::Take(SEMAPHORE), until(limit)),
            Op::Read => Pending::Wait(Wish::Read(LOCK), Until::Granted),
            Op::Write => Pending::Wait(Wish::Write(LOCK), Until::Granted),
            Op::Leave => Pending::Wait(Wish::Cross(BARRIER), Until::Granted),
            Op::Enter => Pending::Wait(Wish::Once(ONCE), Until::Granted),
            _ => Pending::Access,
        };
        self.execution.state.arrive(number, pending);
    }

    fn operate<R>(&mut self, object: Object, work: impl FnOnce(&mut Machine, Thread) -> R) -> R {
        self.execution.operate(object, work)
    }

    fn lock(&mut self) {
        self.operate(MUTEX, |machine, me| machine.mutex().unwrap().lock(me)).unwrap();
    }

    fn asleep(&self) -> Vec<Thread> {
        let Some(Machine::Sleepers(sleepers)) = self.execution.state.objects.get(CONDITION) else { unreachable!() };
        let mut asleep = *sleepers.asleep();
        std::iter::from_fn(|| asleep.take_first()).collect()
    }

    fn wake(&mut self, sleeper: Thread) {
        self.operate(CONDITION, |machine, _| machine.sleepers().unwrap().wake(sleeper));
    }

    /// Performs the operation; what it is, and whether one of those who sleep is to be woken.
    fn perform(&mut self, thread: usize, op: Op) -> (Kind, bool) {
        let of_lock = |writes| if writes { Kind::Lock(LOCK) } else { Kind::Share(LOCK) };
        let mut kind = match op {
            Op::Lock | Op::Unlock => Kind::Lock(MUTEX),
            Op::Sleep => Kind::Wait { condition: CONDITION, mutex: MUTEX },
            Op::WakeUp(_) if self.execution.state.is_granted(WAKE) => Kind::Wait { condition: CONDITION, mutex: MUTEX },
            Op::WakeUp(_) | Op::Signal | Op::Broadcast => Kind::Lock(CONDITION),
            Op::Post | Op::Take(_) => Kind::Lock(SEMAPHORE),
            Op::Read | Op::Write => of_lock(op == Op::Write),
            Op::Release => of_lock(self.writes(thread)),
            Op::Arrive => {
                let rounds = self.operate(BARRIER, |machine, _| machine.barrier().unwrap().rounds());
                self.rounds.insert(thread, rounds);
                Kind::Lock(if rounds.is_multiple_of(2) { BARRIER } else { ROUND })
            }
            Op::Leave => Kind::Share(if self.rounds[&thread].is_multiple_of(2) { BARRIER } else { ROUND }),
            Op::Enter | Op::Return => Kind::Lock(ONCE),
        };
        match op {
            Op::Lock => self.lock(),
            Op::Unlock => self.operate(MUTEX, |machine, me| machine.mutex().unwrap().unlock(me)).unwrap(),
            Op::Sleep => self.execution.sleep(CONDITION, MUTEX).unwrap(),
            Op::WakeUp(_) => {
                let granted = self.execution.state.is_granted(WAKE);
                self.operate(CONDITION, |machine, thread| machine.sleepers().unwrap().leave(thread));
                if granted {
                    self.lock();
                } else {
                    self.relocks.insert(thread);
                }
            }
            Op::Signal => return (kind, true),
            Op::Broadcast => self.asleep().into_iter().for_each(|sleeper| self.wake(sleeper)),
            Op::Post => self.operate(SEMAPHORE, |machine, _| machine.semaphore().unwrap().post().unwrap()),
            Op::Take(_) => drop(self.operate(SEMAPHORE, |machine, _| machine.semaphore().unwrap().take())),
            Op::Read => self.operate(LOCK, |machine, me| machine.read_write_lock().unwrap().read(me).unwrap()),
            Op::Write => self.operate(LOCK, |machine, me| machine.read_write_lock().unwrap().write(me).unwrap()),
            Op::Release => {
                self.operate(LOCK, |machine, me| machine.read_write_lock().unwrap().unlock(me)).unwrap();
            }
            Op::Arrive => {
                let arrival = self.operate(BARRIER, |machine, me| machine.barrier().unwrap().arrive(me));
                self.at[thread - 1] += usize::from(arrival == Arrival::Completes);
            }
            Op::Leave => self.operate(BARRIER, |machine, me| machine.barrier().unwrap().leave(me)),
            Op::Enter => {
                let entry = self.operate(ONCE, |machine, me| machine.once().unwrap().enter(me));
                self.at[thread - 1] += usize::from(entry == OnceEntry::Passes);
                if entry == OnceEntry::Passes {
                    kind = Kind::Share(ONCE);
                }
            }
            Op::Return => self.operate(ONCE, |machine, _| machine.once().unwrap().complete()),
        }
        (kind, false)
    }

    fn writes(&self, thread: usize) -> bool {
        let Some(Machine::ReadWriteLock(lock)) = self.execution.state.objects.get(LOCK) else { unreachable!() };
        lock.writer() == Some(Thread::from_index(thread))
    }

    fn step(&mut self, number: Thread) {
        let thread = number.index();
        self.schedule.push(Decision::Event(thread));
        let (mut kind, mut signals) = (Kind::Lock(MUTEX), false);
        if thread == 0 {
            let child = self.execution.state.create().unwrap();
            self.at.push(0);
            assert_eq!(child.index(), self.at.len());
            kind = Kind::Create(child);
        } else if self.relocks.remove(&thread) {
            self.lock();
        } else {
            let op = self.program[thread - 1][self.at[thread - 1]];
            self.at[thread - 1] += 1;
            (kind, signals) = self.perform(thread, op);
        }
        let step = Step { thread: number, site: Site(0), kind, target: 0 };
        self.execution.performed(step, &[], Values::Unknown).unwrap();
        let asleep = if signals { self.asleep() } else { Vec::new() };
        if !asleep.is_empty() {
            let chosen = self.execution.choose_value(asleep.len() as u64).unwrap() as usize;
            self.schedule.extend((asleep.len() > 1).then_some(Decision::Value(chosen)));
            self.wake(asleep[chosen]);
            self.execution.becomes(CONDITION);
        }
        if thread == 0 {
            self.arrive(self.at.len());
        }
        self.arrive(thread);
    }
}

/// All executions that the engine runs with this strategy, of those that count.
fn explored(program: &Program, strategy: Box<dyn Strategy>) -> Vec<Outcome> {
    let mut execution = Execution::new(strategy);
    let mut found = Vec::new();
    while execution.begin() {
        let mut interpreter = Interpreter {
            program,
            execution: &mut execution,
            at: Vec::new(),
            relocks: BTreeSet::new(),
            rounds: BTreeMap::new(),
            schedule: Vec::new(),
        };
        interpreter.set_objects();
        interpreter.arrive(0);
        let ending = loop {
            match interpreter.execution.choose() {
                Next::Run(thread) => interpreter.step(thread),
                Next::End(ending) => break ending,
            }
        };
        assert!(!matches!(ending, Ending::Diverged | Ending::Abandoned), "{program:?} {ending:?}");
        let schedule = interpreter.schedule;
        let left = (1..=program.len()).filter(|&thread| {
            !matches!(execution.state.threads.status(Thread::from_index(thread)), Status::Ended | Status::Absent)
        });
        if execution.history.counts() == Counts::Once {
            found.push((schedule, left.collect()));
        }
        execution.finish(Finish::Done);
    }
    found
}

/// An event by its thread and its number there.
type Name = (usize, usize);

/// What schedules have in common that differ in the order of events on different objects alone: of each event those
/// before it that it has to do with; what was chosen; and who was left over.
type Class = (BTreeMap<Name, BTreeSet<Name>>, Vec<(Name, usize)>, Vec<usize>);

/// The objects of the thread's next event. Who leaves a barrier has nothing to do with others, since all that he waits
/// for has happened.
fn objects(state: &State, program: &Program, thread: usize) -> Vec<u32> {
    if thread == 0 {
        return Vec::new();
    }
    if state.relocks.contains(&thread) {
        return vec![1];
    }
    match program[thread - 1][state.at[thread - 1]] {
        Op::Lock | Op::Unlock => vec![1],
        Op::Sleep => vec![1, 2],
        Op::WakeUp(_) if state.woken.contains(&thread) => vec![1, 2],
        Op::WakeUp(_) | Op::Signal | Op::Broadcast => vec![2],
        Op::Post | Op::Take(_) => vec![3],
        Op::Read | Op::Write | Op::Release => vec![4],
        Op::Enter | Op::Return => vec![5],
        Op::Arrive => vec![6],
        Op::Leave => Vec::new(),
    }
}

fn class(program: &Program, (schedule, left): &Outcome) -> Class {
    let mut state = State::default();
    let mut past: Vec<(Name, Vec<u32>)> = Vec::new();
    let (mut events, mut values) = (BTreeMap::new(), Vec::new());
    let mut counts = vec![0; program.len() + 1];
    let mut choices = Vec::new();
    for &decision in schedule {
        match decision {
            Decision::Value(index) => {
                state.wake(choices[index]);
                values.push((past[past.len() - 1].0, index));
            }
            Decision::Event(thread) => {
                let own = objects(&state, program, thread);
                let name = (thread, counts[thread]);
                counts[thread] += 1;
                let meets = |theirs: &[u32]| own.iter().any(|one| theirs.contains(one));
                let before = past.iter().filter(|(_, theirs)| meets(theirs)).map(|&(name, _)| name).collect();
                events.insert(name, before);
                past.push((name, own));
                choices = state.perform(program, thread);
                if let [only] = choices[..] {
                    state.wake(only);
                }
            }
        }
    }
    values.sort_unstable();
    (events, values, left.clone())
}

/// The explorer `dpor` runs each class of these executions once.
fn compare_classes(program: &Program, executions: &[Outcome], preemptions: Option<u32>) {
    let expected: BTreeSet<Class> = executions.iter().map(|outcome| class(program, outcome)).collect();
    let mut seen = BTreeSet::new();
    for outcome in explored(program, Box::new(Trust::within(preemptions))) {
        let class = class(program, &outcome);
        assert!(expected.contains(&class), "no class: {program:?} {outcome:?}");
        assert!(seen.insert(class), "a class twice: {program:?} {outcome:?}");
    }
    let missing = executions.iter().find(|outcome| !seen.contains(&class(program, outcome)));
    assert_eq!(missing, None, "a class is missing: {program:?}");
}

/// Pieces of code of which a thread's is made.
fn pieces() -> Vec<Vec<Op>> {
    let wait = |limit| vec![Op::Lock, Op::Sleep, Op::WakeUp(limit), Op::Unlock];
    vec![
        wait(Limit::None),
        wait(Limit::Some),
        vec![Op::Lock, Op::Signal, Op::Unlock],
        vec![Op::Signal],
        vec![Op::Broadcast],
        vec![Op::Post],
        vec![Op::Take(Limit::None)],
        vec![Op::Take(Limit::Some)],
        vec![Op::Read, Op::Release],
        vec![Op::Write, Op::Release],
        vec![Op::Arrive, Op::Leave],
        vec![Op::Enter, Op::Return],
    ]
}

fn compare(program: &Program) -> usize {
    let mut expected = Vec::new();
    State::default().enumerate(program, &mut Vec::new(), &mut expected);
    compare_classes(program, &expected, None);
    for bound in 0..3 {
        let within = explored(program, Box::new(Bounded::new(Some(bound))));
        compare_classes(program, &within, Some(bound));
    }
    let mut found = explored(program, Box::new(Bounded::new(None)));
    let number = expected.len();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected, "{program:?}");
    number
}

#[test]
fn all_programs_of_two_threads_of_two_pieces_have_the_executions_of_the_specification() {
    let pieces = pieces();
    let codes: Vec<Vec<Op>> = pieces
        .iter()
        .flat_map(|first| pieces.iter().map(move |second| [first.as_slice(), second.as_slice()].concat()))
        .collect();
    let mut executions = 0;
    for (index, one) in codes.iter().enumerate() {
        for other in codes.iter().skip(index % 7).step_by(7) {
            executions += compare(&vec![one.clone(), other.clone()]);
        }
    }
    assert!(executions > 50_000, "{executions}");
}

#[test]
fn all_programs_of_three_threads_of_one_piece_have_the_executions_of_the_specification() {
    let pieces = pieces();
    let mut by_choices: BTreeMap<bool, usize> = BTreeMap::new();
    for one in &pieces {
        for two in &pieces {
            for three in &pieces {
                let program = vec![one.clone(), two.clone(), three.clone()];
                let chooses = program.iter().filter(|code| code.contains(&Op::Sleep)).count() == 2;
                *by_choices.entry(chooses && program.iter().flatten().any(|op| *op == Op::Signal)).or_default() +=
                    compare(&program);
            }
        }
    }
    assert!(by_choices[&true] > 1000 && by_choices[&false] > 10_000, "{by_choices:?}");
}
