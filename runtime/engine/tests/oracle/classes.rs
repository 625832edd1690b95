//! The bridge from the oracle to the explorer `dpor`: one run of each class of a little program.

use engine::event::{Kind, Object, Thread};
use engine::execution::{Ending, Execution, Next, Pending};
use engine::explore::trust::Trust;
use engine::explore::{Counts, Finish, Notice, Values};
use engine::step::Step as EngineStep;
use engine::sync::machine::Machine as ObjectState;
use engine::sync::mutex::Mutex;

use super::machine::{self, Machine, State, Step};
use super::program::{Access, Action, Blocks, Program};
use super::replay;

/// Visits a run of each class. Threads that no operation spawns are created by a thread of its own, whose events are not
/// in the runs.
///
/// # Panics
/// If the explorer takes the program to be not deterministic.
pub(crate) fn runs(program: &Program, visit: &mut impl FnMut(&[Step])) {
    run_some(program, &mut Execution::new(Box::new(Trust::new())), usize::MAX, visit);
}

/// The same of an execution's strategy that may stand for a part of all classes, until so many of them have been run.
///
/// # Panics
/// As [`runs`].
pub(crate) fn run_some(program: &Program, execution: &mut Execution, count: usize, visit: &mut impl FnMut(&[Step])) {
    run_blocks(program, &Blocks::default(), execution, count, visit);
}

/// The same of a program with blocks.
///
/// # Panics
/// As [`runs`].
pub(crate) fn run_blocks(
    program: &Program,
    blocks: &Blocks,
    execution: &mut Execution,
    count: usize,
    visit: &mut impl FnMut(&[Step]),
) {
    let machine = Machine::new(program, machine::Model::Sc);
    let unspawned = (0..program.threads.len()).filter(|&thread| !machine.is_spawned(thread)).collect();
    let mut runner = Runner {
        program,
        blocks,
        machine,
        state: None,
        unspawned,
        names: vec![usize::MAX; Thread::LIMIT],
        numbers: vec![None; program.threads.len()],
        run: Vec::new(),
    };
    let mut visited = 0;
    while visited < count && execution.begin() {
        match runner.run(execution) {
            Ending::Abandoned => {}
            Ending::Diverged => panic!("{program}: {:?}", execution.history.divergence()),
            _ => {
                if execution.history.counts() == Counts::Once {
                    visit(&runner.run);
                }
                visited += 1;
            }
        }
        execution.finish(Finish::Done);
    }
}

struct Runner<'p> {
    program: &'p Program,
    blocks: &'p Blocks,
    machine: Machine<'p>,
    state: Option<State>,
    unspawned: Vec<usize>,
    /// The threads of the program by their numbers in the execution, and the other way round.
    names: Vec<usize>,
    numbers: Vec<Option<Thread>>,
    run: Vec<Step>,
}

impl Runner<'_> {
    fn run(&mut self, execution: &mut Execution) -> Ending {
        self.state = Some(self.machine.initial());
        self.run.clear();
        self.numbers.fill(None);
        for mutex in 0..machine::MUTEXES {
            execution.state.set_object(object(mutex), ObjectState::Mutex(Mutex::default()));
        }
        let mut created = 0;
        execution.state.arrive(Thread::MAIN, Pending::Access);
        loop {
            let number = match execution.choose() {
                Next::Run(number) => number,
                Next::End(ending) => return ending,
            };
            let performed = if number == Thread::MAIN {
                let child = self.unspawned[created];
                created += 1;
                self.create(execution, number, child).is_ok()
            } else {
                match self.perform_all(execution, number) {
                    Next::Run(_) => true,
                    Next::End(ending) => return ending,
                }
            };
            if !performed {
                return Ending::Diverged;
            }
            match (number, created == self.unspawned.len()) {
                (Thread::MAIN, true) => execution.state.end_thread(number),
                (Thread::MAIN, false) => execution.state.arrive(number, Pending::Access),
                _ => self.go_on(execution, number),
            }
        }
    }

    /// A thread creates another one, which runs up to its first operation.
    fn create(
        &mut self,
        execution: &mut Execution,
        creator: Thread,
        child: usize,
    ) -> Result<(), engine::explore::Diverged> {
        let number = execution.state.create().expect("few threads");
        self.names[number.index()] = child;
        self.numbers[child] = Some(number);
        let step = EngineStep { thread: creator, site: engine::event::Site(0), kind: Kind::Create(number), target: 0 };
        execution.performed(step, &[], Values::Unknown)?;
        self.go_on(execution, number);
        Ok(())
    }

    fn go_on(&self, execution: &mut Execution, number: Thread) {
        let thread = self.names[number.index()];
        let state = self.state.as_ref().expect("it runs");
        match self.machine.next(state, thread) {
            None => execution.state.end_thread(number),
            Some(Action::Lock(mutex)) => execution.state.arrive(number, Pending::Lock(object(mutex))),
            Some(Action::Join(other)) => {
                let other = self.numbers[other].expect("only a thread that has been spawned is joined");
                execution.state.arrive(number, Pending::Join(other));
            }
            Some(_) => execution.state.arrive(number, Pending::Access),
        }
    }

    /// Performs the operation that the thread stands before, or the whole block that begins there.
    fn perform_all(&mut self, execution: &mut Execution, number: Thread) -> Next {
        const DIVERGED: Next = Next::End(Ending::Diverged);
        let thread = self.names[number.index()];
        let next = |this: &Self| this.machine.next_op(this.state.as_ref().expect("it runs"), thread);
        let first = next(self).expect("it stands before an operation");
        if self.blocks.of(thread, first).is_none() {
            return if self.perform(execution, number) { Next::Run(number) } else { DIVERGED };
        }
        execution.notify(Notice::BlockOpens(number));
        execution.at_hand.concerns(&[BLOCKS]);
        let site = engine::event::Site(u32::MAX);
        let begins = EngineStep { thread: number, site, kind: Kind::Fence, target: 0 };
        if execution.performed(begins, &[], Values::Unknown).is_err() {
            return DIVERGED;
        }
        while next(self).is_some_and(|op| self.blocks.join(thread, first, op)) {
            match execution.goes_on() {
                Next::Run(_) => {}
                end @ Next::End(_) => return end,
            }
            if !self.perform(execution, number) {
                return DIVERGED;
            }
        }
        execution.notify(Notice::BlockCloses);
        Next::Run(number)
    }

    fn perform(&mut self, execution: &mut Execution, number: Thread) -> bool {
        let thread = self.names[number.index()];
        let state = self.state.as_mut().expect("it runs");
        let held = |state: &State, action: Action| match action {
            Action::Access { addresses, .. } => self.machine.holds(state, addresses.lowest()).into(),
            _ => 0,
        };
        let action = self.machine.next(state, thread).expect("it stands before an operation");
        let before = held(state, action);
        let step = self.machine.execute(state, thread);
        let after = held(state, action);
        self.run.push(step);
        match action {
            Action::Spawn(child) => return self.create(execution, number, child).is_ok(),
            Action::Lock(mutex) => drop(on_mutex(execution, mutex, Mutex::lock).expect("a normal mutex")),
            Action::Unlock(mutex) => on_mutex(execution, mutex, Mutex::unlock).expect("it holds it"),
            _ => {}
        }
        let expected = match action {
            Action::Access { access: Access::CompareAndSwap { expected, .. }, .. } => Some(expected.into()),
            _ => None,
        };
        let mut event = replay::event(&step);
        if let (Kind::Join(_), Action::Join(other)) = (event.kind, action) {
            event.kind = Kind::Join(self.numbers[other].expect("it has been joined"));
        }
        let mut buffer = [engine::event::Location(0); 8];
        let locations = replay::locations(action.addresses(), &mut buffer);
        let target = locations.first().map_or(0, |location| location.0);
        let step = EngineStep { thread: number, site: event.site, kind: event.kind, target };
        let values = match locations {
            // The runtime does not say either what each of several locations held.
            [_, _, ..] => Values::Unknown,
            _ => Values::Known { before, after, expected },
        };
        execution.performed(step, locations, values).is_ok()
    }
}

/// What all blocks have in common.
const BLOCKS: Object = Object(machine::MUTEXES as u32);

fn object(mutex: usize) -> Object {
    Object(u32::try_from(mutex).expect("few mutexes"))
}

fn on_mutex<R>(execution: &mut Execution, mutex: usize, operation: fn(&mut Mutex, Thread) -> R) -> R {
    execution.operate(object(mutex), |state, thread| operation(state.mutex().expect("it is one"), thread))
}
