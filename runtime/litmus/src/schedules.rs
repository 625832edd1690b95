//! The runs of a test under an explorer of interleavings: one sequentially consistent execution after the other.
//!
//! All threads are there from the start, and no event creates them. Instruction fences order nothing among
//! interleavings and are no events.

use crate::code::{Fence, Operation, Strength};
use crate::condition::{Observable, State};
use crate::interpreter::{Access, Kind as AccessKind, Stop, Thread as Local};
use crate::test::{Test, address};
use engine::event::{Barrier, Event, Kind, Location, Thread};
use engine::execution::{Ending, Execution, Next, Pending};
use engine::explore::Values;
use engine::graph::Value;
use engine::graph::Written;
use engine::mapping::{self, Barriers, Order};
use engine::step::Step;

/// The reason why an execution cannot be run to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An instruction accesses an address at which there is no location.
    NoLocation {
        /// The thread.
        thread: usize,
        /// The index of the instruction.
        instruction: usize,
        /// The address.
        address: Value,
    },
    /// A loop without an access has no end.
    Endless {
        /// The thread.
        thread: usize,
        /// The index of an instruction in the loop.
        instruction: usize,
    },
    /// The limit of events was reached.
    TooManyEvents,
}

/// An event that has happened.
#[derive(Clone, Copy, Debug)]
pub struct Happened {
    /// The event.
    pub event: Event,
    /// The location, if the event is an access.
    pub location: Option<Location>,
    /// The value that was read, if the event read.
    pub read: Option<Value>,
    /// The value that was written, if the event wrote.
    pub written: Option<Value>,
}

/// The runner of a test's executions.
#[derive(Debug)]
pub struct Schedules<'t> {
    test: &'t Test,
    max_events: u32,
    memory: Vec<Value>,
    threads: Vec<Local<0>>,
    /// The place at which each thread has stopped.
    stops: Vec<Stop<0>>,
    numbers: Vec<Thread>,
}

impl<'t> Schedules<'t> {
    /// Makes a runner of executions of at most `max_events` events.
    #[must_use]
    pub fn new(test: &'t Test, max_events: u32) -> Self {
        Self { test, max_events, memory: Vec::new(), threads: Vec::new(), stops: Vec::new(), numbers: Vec::new() }
    }

    /// Runs the execution that has begun to its end, and gives each event to `watch`. [`Execution::finish`] is left to
    /// the caller.
    ///
    /// # Errors
    /// [`Fault`], if the execution cannot be run to its end.
    ///
    /// # Panics
    /// If the test has more threads than an execution may have, which [`crate::parse`] does not let through.
    pub fn run(&mut self, execution: &mut Execution, watch: &mut impl FnMut(&Happened)) -> Result<Ending, Fault> {
        self.memory.clone_from(&self.test.initial);
        self.threads.clear();
        self.threads.extend(self.test.threads.iter().map(Local::new));
        self.stops.clear();
        self.stops.resize(self.threads.len(), Stop::End);
        self.numbers.clear();
        self.numbers.push(Thread::MAIN);
        for _ in 1..self.threads.len() {
            self.numbers.push(execution.state.create().expect("as few threads as an execution may have"));
        }
        for thread in 0..self.threads.len() {
            self.run_on(execution, thread)?;
        }
        // No thread has run yet: whichever comes first, that is no preemption.
        execution.state.yields(Thread::MAIN);
        loop {
            match execution.choose() {
                Next::End(ending) => return Ok(ending),
                Next::Run(number) => {
                    let thread = number.index();
                    let happened = self.perform(thread)?;
                    let Happened { event, location, .. } = happened;
                    if execution.history.length() == self.max_events {
                        return Err(Fault::TooManyEvents);
                    }
                    let target = location.map_or(0, |location| location.0);
                    let step = Step { thread: number, site: event.site, kind: event.kind, target };
                    if execution.performed(step, &[], Values::Unknown).is_err() {
                        return Ok(Ending::Diverged);
                    }
                    watch(&happened);
                    self.run_on(execution, thread)?;
                }
            }
        }
    }

    /// Returns the final state.
    ///
    /// # Panics
    /// If no execution has been run to its end.
    #[must_use]
    pub fn state(&self) -> State {
        let value = |observable: &Observable| match *observable {
            Observable::Register(thread, register) => {
                self.threads[thread].register(register).expect("every load has returned")
            }
            Observable::Location(location) => self.memory[location.index()],
        };
        self.test.observables.iter().map(value).collect()
    }

    /// Runs the thread up to its next event.
    fn run_on(&mut self, execution: &mut Execution, thread: usize) -> Result<(), Fault> {
        let stop = loop {
            match self.threads[thread].run(&self.test.threads[thread]) {
                Stop::Fence(_, Fence::Instructions | Fence::Context) => {}
                stop => break stop,
            }
        };
        self.stops[thread] = stop;
        match stop {
            Stop::Access(_) | Stop::Fence(..) => execution.state.arrive(self.numbers[thread], Pending::Access),
            Stop::End => execution.state.end_thread(self.numbers[thread]),
            Stop::Endless(instruction) => return Err(Fault::Endless { thread, instruction }),
            Stop::Unknown => unreachable!("every load has returned"),
        }
        Ok(())
    }

    fn perform(&mut self, thread: usize) -> Result<Happened, Fault> {
        match self.stops[thread] {
            Stop::Access(access) => {
                let value = access.address.expect("every load has returned");
                let Some(location) = self.test.location(value) else {
                    return Err(Fault::NoLocation { thread, instruction: access.instruction, address: value });
                };
                let before = self.memory[location.index()];
                let (kind, barriers) = self.access(thread, &access, location);
                Ok(Happened {
                    event: self.event(thread, access.instruction, kind, barriers),
                    location: Some(location),
                    read: kind.reads().then_some(before),
                    written: kind.writes().then_some(self.memory[location.index()]),
                })
            }
            Stop::Fence(instruction, fence) => {
                let before = match fence {
                    Fence::Full => Barrier::Full,
                    Fence::Lightweight | Fence::Stores => Barrier::StoreStore,
                    Fence::Counted(fences) if fences.full > 0 || fences.write_read > 0 => Barrier::Full,
                    Fence::Counted(fences) if fences.write_write > 0 => Barrier::StoreStore,
                    Fence::Instructions | Fence::Context | Fence::Counted(_) => Barrier::None,
                    Fence::C(order) => mapping::fence(order),
                };
                let barriers = Barriers { before, after: Barrier::None, order: Some(Order::Relaxed), ..Barriers::NONE };
                let event = self.event(thread, instruction, Kind::Fence, barriers);
                Ok(Happened { event, location: None, read: None, written: None })
            }
            Stop::End | Stop::Unknown | Stop::Endless(_) => unreachable!("the thread has not arrived"),
        }
    }

    fn event(&self, thread: usize, instruction: usize, kind: Kind, barriers: Barriers) -> Event {
        let Barriers { before, after, order, .. } = barriers;
        let (thread, site) = (self.numbers[thread], self.test.site(thread, instruction));
        Event { thread, site, kind, before, after, order }
    }

    fn access(&mut self, thread: usize, access: &Access<0>, location: Location) -> (Kind, Barriers) {
        let code = &self.test.threads[thread];
        let place = &mut self.memory[location.index()];
        debug_assert_eq!(access.address, Some(address(location)));
        match (access.kind, &code.instructions[access.instruction].operation) {
            (AccessKind::Load, Operation::Load { order, .. }) => {
                self.threads[thread].load(code, Some(*place));
                (Kind::Load, mapping::load(*order))
            }
            (AccessKind::Store, Operation::Store { order, .. }) => {
                *place = access.stored.expect("every load has returned");
                (Kind::Store, mapping::store(*order))
            }
            (AccessKind::Update, Operation::Update { strength, .. }) => {
                let kind = match self.threads[thread].update(code, Some(*place)) {
                    Written::Value(value) => {
                        *place = value;
                        Kind::Rmw
                    }
                    Written::Nothing => Kind::FailedRmw,
                    Written::Unknown => unreachable!("every load has returned"),
                };
                (kind, update_barriers(*strength, kind))
            }
            _ => unreachable!("an access is what its instruction is"),
        }
    }
}

fn update_barriers(strength: Strength, kind: Kind) -> Barriers {
    match strength {
        Strength::Locked => Barriers {
            before: Barrier::Full,
            after: Barrier::Full,
            order: Some(Order::SequentiallyConsistent),
            ..Barriers::NONE
        },
        Strength::Reserved | Strength::Annotated(_) => Barriers::NONE,
        Strength::Ordered(success, failure) if kind == Kind::FailedRmw => mapping::failed_rmw(success, failure),
        Strength::Ordered(success, _) => mapping::rmw(success),
    }
}
