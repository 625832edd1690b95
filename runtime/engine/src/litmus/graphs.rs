//! Tests under an explorer of execution graphs, and a memory model.

use super::condition::{Observable, State};
use super::interpreter::{Access as Accessing, Kind, Stop, Thread};
use super::schedules::Fault;
use super::{Code, Expression, Fence, Operation, Strength, Test};
use crate::event::Location;
use crate::explore::rsmc::{self, Continue, Counts, Ended, Execution};
use crate::graph::set::Set;
use crate::graph::{Access, Fences, Internal, Label, Link, Program, Reached, Value, Written};
use crate::mapping::graphs::{self, Around};
use crate::mapping::power::Synchronizes;
pub use crate::model::MemoryModel;
use crate::model::Model;
use crate::model::power::Power;
use crate::model::pso::Pso;
use crate::model::sc::Sc;
use crate::model::tso::Tso;

/// Explores all executions of a test under a model, of at most so many accesses, each once, and gives the final state
/// of each to `visit`.
///
/// # Errors
/// Why the search ended early, beside what was counted so far.
pub fn explore(
    test: &Test,
    model: MemoryModel,
    max_events: u32,
    visit: &mut dyn FnMut(State) -> Continue,
) -> (Counts, Result<(), Ended<Fault>>) {
    match nodes(test) {
        Some(0..=62) => explore_sized::<1>(test, model, max_events, visit),
        Some(63..=254) => explore_sized::<4>(test, model, max_events, visit),
        _ => explore_sized::<16>(test, model, max_events, visit),
    }
}

/// How many nodes an execution may have; none if there are loops.
fn nodes(test: &Test) -> Option<usize> {
    let mut most = 0;
    for code in &test.threads {
        for (at, instruction) in code.instructions.iter().enumerate() {
            most += match &instruction.operation {
                Operation::Branch { target, .. } if *target <= at => return None,
                Operation::Load { .. } | Operation::Store { .. } => 1,
                Operation::Update { .. } => 2,
                _ => 0,
            };
        }
    }
    Some(most)
}

fn explore_sized<const W: usize>(
    test: &Test,
    model: MemoryModel,
    max_events: u32,
    visit: &mut dyn FnMut(State) -> Continue,
) -> (Counts, Result<(), Ended<Fault>>) {
    let explore = match model {
        MemoryModel::Sc => explore_under::<W, Sc<W>>,
        MemoryModel::Tso => explore_under::<W, Tso<W>>,
        MemoryModel::Pso => explore_under::<W, Pso<W>>,
        MemoryModel::Power => explore_under::<W, Power<W>>,
    };
    let accesses = usize::try_from(max_events).unwrap_or(usize::MAX).min(Set::<W>::CAPACITY);
    explore(&Threads { test, model, accesses }, visit)
}

fn explore_under<const W: usize, M: Model<W>>(
    threads: &Threads<'_>,
    visit: &mut dyn FnMut(State) -> Continue,
) -> (Counts, Result<(), Ended<Fault>>) {
    rsmc::explore::<W, M, _>(threads, &mut |execution| visit(threads.state(execution)))
}

/// A test as a program, its C11 orders made fences of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'t> {
    /// The test.
    pub test: &'t Test,
    /// The machine.
    pub model: MemoryModel,
    /// How many accesses a thread may make; at most as many as the sets can number.
    pub accesses: usize,
}

impl Threads<'_> {
    fn around(self, operation: &Operation) -> Around {
        match operation {
            Operation::Load { order, .. } => graphs::load(self.model, *order),
            Operation::Store { order, .. } => graphs::store(self.model, *order),
            Operation::Update { strength: Strength::Locked, .. } => graphs::locked(),
            Operation::Update { strength: Strength::Ordered(order, _), .. } => graphs::update(self.model, *order),
            _ => Around::default(),
        }
    }

    fn fence(self, fence: Fence) -> Fences {
        match fence {
            Fence::Full => graphs::FULL,
            Fence::Lightweight => graphs::LIGHTWEIGHT,
            Fence::Stores => graphs::STORES,
            Fence::Instructions => graphs::NOTHING,
            Fence::C(order) => graphs::fence(self.model, order),
        }
    }

    fn location(self, thread: usize, instruction: usize, address: Value) -> Result<Location, Fault> {
        self.test.location(address).ok_or(Fault::NoLocation { thread, instruction, address })
    }

    /// The final state of an execution.
    fn state<const W: usize>(self, execution: &Execution<'_, W>) -> State {
        let threads: Vec<Thread<0>> = (0..self.test.threads.len())
            .map(|thread| {
                let mut reads = execution.reads[thread].iter();
                let code = &self.test.threads[thread];
                let mut local = Thread::new(code);
                loop {
                    match local.run(code) {
                        Stop::Access(access) => {
                            let value = reads.next().copied().flatten();
                            step(&mut local, code, access.kind, value);
                        }
                        Stop::Fence(..) => {}
                        Stop::End => return local,
                        Stop::Unknown | Stop::Endless(_) => unreachable!("the execution is complete"),
                    }
                }
            })
            .collect();
        let value = |observable: &Observable| match *observable {
            Observable::Register(thread, register) => {
                threads[thread].register(register).expect("every load has returned")
            }
            Observable::Location(location) => {
                let last = execution.trace.coherence(location).next_back();
                last.map_or(self.test.initial[location.index()], |last| execution.trace.node(last).value)
            }
        };
        self.test.observables.iter().map(value).collect()
    }
}

/// Goes past an access; what it writes, if it is an update.
fn step<const W: usize>(local: &mut Thread<W>, code: &Code, kind: Kind, value: Option<Value>) -> Written {
    match kind {
        Kind::Load => {
            local.load(code, value);
            Written::Nothing
        }
        Kind::Update => local.update(code, value),
        Kind::Store => Written::Unknown,
    }
}

fn internal(operation: &Operation) -> Internal {
    fn reads(expression: &Expression) -> bool {
        match expression {
            Expression::Read => true,
            Expression::Binary(_, operands) => reads(&operands.0) || reads(&operands.1),
            Expression::Number(_) | Expression::Register(_) => false,
        }
    }
    match operation {
        Operation::Update { expected: Some(_), .. } => Internal::Control,
        Operation::Update { new, .. } if reads(new) => Internal::Data,
        _ => Internal::None,
    }
}

impl<const W: usize> Program<W> for Threads<'_> {
    type Fault = Fault;

    fn threads(&self) -> usize {
        self.test.threads.len()
    }

    fn locations(&self) -> usize {
        self.test.locations.len()
    }

    fn initial(&self, location: Location) -> Value {
        self.test.initial[location.index()]
    }

    fn fetch(
        &self,
        thread: usize,
        _origin: u32,
        reads: &[Option<Value>],
        labels: &mut Vec<Label<W>>,
    ) -> Result<Reached, Fault> {
        let code = &self.test.threads[thread];
        let mut local = Thread::<W>::new(code);
        let mut fences = Fences::default();
        loop {
            let access: Accessing<W> = match local.run(code) {
                Stop::Access(access) => access,
                Stop::Fence(_, fence) => {
                    fences += self.fence(fence);
                    continue;
                }
                Stop::Unknown => return Ok(Reached::Branch),
                Stop::End => return Ok(Reached::End),
                Stop::Endless(instruction) => return Err(Fault::Endless { thread, instruction }),
            };
            if labels.len() == self.accesses {
                return Err(Fault::TooManyEvents);
            }
            let operation = &code.instructions[access.instruction].operation;
            let around = self.around(operation);
            fences += around.before;
            let address = access.address.map(|address| self.location(thread, access.instruction, address));
            let value = reads.get(labels.len()).copied().flatten();
            let written = match step(&mut local, code, access.kind, value) {
                Written::Unknown => access.stored.map_or(Written::Unknown, Written::Value),
                written => written,
            };
            // What a compare-and-exchange orders may depend on whether it succeeds.
            let failure = match operation {
                Operation::Update { strength: Strength::Ordered(success, failure), expected: Some(_), .. } => {
                    (success.acquires() != failure.acquires()).then_some(*failure)
                }
                _ => None,
            };
            labels.push(Label {
                access: match access.kind {
                    Kind::Load => Access::Load,
                    Kind::Store => Access::Store,
                    Kind::Update => Access::Update(internal(operation)),
                },
                location: address.transpose()?,
                written,
                address_from: access.address_from,
                value_from: access.value_from,
                control_from: access.control_from,
                synchronized_from: access.synchronized_from,
                addresses_before: access.addresses_before,
                fences,
                link: Link::None,
            });
            let around = match (failure, written) {
                (Some(_), Written::Unknown) => return Ok(Reached::Branch),
                (Some(failure), Written::Nothing) => graphs::update(self.model, failure),
                _ => around,
            };
            fences += around.after;
            if around.synchronizes == Synchronizes::Yes {
                local.synchronize();
            }
        }
    }
}
