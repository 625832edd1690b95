//! The exploration of a test's execution graphs under a memory model.

use crate::code::{Code, Expression, Fence, Operation, Strength};
use crate::condition::{Observable, State};
use crate::interpreter::{Access as Accessing, Kind, Stop, Thread};
use crate::schedules::Fault;
use crate::test::{Architecture, Test};
use engine::event::Location;
use engine::explore::rsmc::{self, CompleteTrace, Continue, Counts, Ended};
use engine::graph::causality::Causality;
use engine::graph::set::Set;
use engine::graph::trace::Part;
use engine::graph::{
    Access, Annotations, EventId, Fences, Internal, Label, Labels, Link, Program, Reached, Value, Written,
};
use engine::mapping::graphs::{self, Around, Form};
use engine::mapping::power::Synchronizes;
pub use engine::model::MemoryModel;
use engine::model::Model;
use engine::model::armv8::Armv8;
use engine::model::c11::C11;
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::riscv::Riscv;
use engine::model::sc::Sc;
use engine::model::tso::Tso;

/// The end of an execution of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The execution ends in this state.
    Final(State),
    /// The execution never ends: a thread is in a loop without an access.
    Endless {
        /// The thread.
        thread: usize,
        /// The index of an instruction in the loop.
        instruction: usize,
    },
}

/// An access of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Performed {
    /// The access.
    pub event: EventId,
    /// The index of the access's instruction.
    pub instruction: usize,
    /// The location that is accessed.
    pub location: Location,
    /// The value that is read, if the access reads.
    pub read: Option<Value>,
    /// The value that is written, if the access writes.
    pub written: Option<Value>,
    /// The access that this one reads from, by its index in the list; none for the initial value.
    pub source: Option<usize>,
    /// The place of the access's write in the coherence order of its location, from 1; 0 if it does not write.
    pub rank: usize,
    /// The accesses before this one in its thread that it may overtake under the model, by their numbers in program order.
    pub overtakes: Vec<u16>,
    /// The read-modify-writes before this one in its thread whose write it may overtake, though not their read.
    pub passes_writes: Vec<u16>,
}

/// A complete execution.
pub struct Finished<'s> {
    /// The end of the execution.
    pub outcome: Outcome,
    /// Whether a read-modify-write waits for more than its read must, so that executions like this one may have been missed.
    pub waits_as_one: bool,
    /// The instructions of two accesses that race, each with its thread, if there are such and the model knows races.
    pub race: Option<[(usize, usize); 2]>,
    performed: &'s dyn Fn() -> Vec<Performed>,
    causality: &'s dyn Fn() -> Causality,
}

impl Finished<'_> {
    /// Returns the accesses of the execution, each after what must be known before it.
    #[must_use]
    pub fn accesses(&self) -> Vec<Performed> {
        (self.performed)()
    }

    /// Returns whether program order and reads-from agree in the execution.
    #[must_use]
    pub fn causality(&self) -> Causality {
        (self.causality)()
    }
}

/// Explores all executions of a test under a model, each once, of at most `max_events` accesses, and gives each to `visit`.
///
/// # Errors
/// The reason why the search ended early, besides what was counted so far.
pub fn explore(
    test: &Test,
    model: MemoryModel,
    max_events: u32,
    visit: &mut dyn FnMut(Finished<'_>) -> Continue,
) -> (Counts, Result<(), Ended<Fault>>) {
    match nodes(test) {
        Some(0..=62) => explore_sized::<1>(test, model, max_events, visit),
        Some(63..=254) => explore_sized::<4>(test, model, max_events, visit),
        _ => explore_sized::<SIZE>(test, model, max_events, visit),
    }
}

/// Builds the one execution in which accesses are committed in this order, each with its rank at the time ([`rsmc::follow`]), and
/// gives it to `visit` if the model allows it; otherwise the inner error says which commit cannot be made, or that one is
/// missing.
///
/// # Errors
/// If the test does something that cannot be run.
pub fn follow(
    test: &Test,
    model: MemoryModel,
    commits: &[(EventId, usize)],
    visit: &mut dyn FnMut(Finished<'_>),
) -> Result<Result<(), usize>, Ended<Fault>> {
    let threads = Threads { test, model, accesses: Set::<SIZE>::CAPACITY };
    let mut visit = |execution: &CompleteTrace<'_, SIZE>| threads.finish(execution, visit);
    match model {
        MemoryModel::Sc => rsmc::follow::<SIZE, Sc<SIZE>, _>(&threads, commits, &mut visit),
        MemoryModel::Tso => rsmc::follow::<SIZE, Tso<SIZE>, _>(&threads, commits, &mut visit),
        MemoryModel::Pso => rsmc::follow::<SIZE, Pso<SIZE>, _>(&threads, commits, &mut visit),
        MemoryModel::Power => rsmc::follow::<SIZE, Power<SIZE>, _>(&threads, commits, &mut visit),
        MemoryModel::Armv8 => rsmc::follow::<SIZE, Armv8<SIZE>, _>(&threads, commits, &mut visit),
        MemoryModel::Riscv => rsmc::follow::<SIZE, Riscv<SIZE>, _>(&threads, commits, &mut visit),
        MemoryModel::C11 => rsmc::follow::<SIZE, C11<SIZE>, _>(&threads, commits, &mut visit),
    }
}

/// The number of words of the largest sets.
const SIZE: usize = 16;

/// Returns how many nodes an execution may have at most; none if there are loops.
fn nodes(test: &Test) -> Option<usize> {
    let mut most = 0;
    for code in &test.threads {
        for (at, instruction) in code.instructions.iter().enumerate() {
            most += match &instruction.operation {
                Operation::Branch { target, .. } if *target <= at => return None,
                // Under C11 a fence may need a place of its own.
                Operation::Load { .. } | Operation::Store { .. } | Operation::Fence(_) => 1,
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
    visit: &mut dyn FnMut(Finished<'_>) -> Continue,
) -> (Counts, Result<(), Ended<Fault>>) {
    let explore = match model {
        MemoryModel::Sc => explore_under::<W, Sc<W>>,
        MemoryModel::Tso => explore_under::<W, Tso<W>>,
        MemoryModel::Pso => explore_under::<W, Pso<W>>,
        MemoryModel::Power => explore_under::<W, Power<W>>,
        MemoryModel::Armv8 => explore_under::<W, Armv8<W>>,
        MemoryModel::Riscv => explore_under::<W, Riscv<W>>,
        MemoryModel::C11 => explore_under::<W, C11<W>>,
    };
    let accesses = usize::try_from(max_events).unwrap_or(usize::MAX).min(Set::<W>::CAPACITY);
    explore(&Threads { test, model, accesses }, visit)
}

fn explore_under<const W: usize, M: Model<W>>(
    threads: &Threads<'_>,
    visit: &mut dyn FnMut(Finished<'_>) -> Continue,
) -> (Counts, Result<(), Ended<Fault>>) {
    rsmc::explore::<W, M, _>(threads, &mut |execution| threads.finish(execution, visit))
}

/// A test as a program for the search, with its C11 orders made fences of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Threads<'t> {
    /// The test.
    pub test: &'t Test,
    /// The model, which says what the machine is.
    pub model: MemoryModel,
    /// The most accesses that a thread may make; at most as many as the sets can number.
    pub accesses: usize,
}

impl Threads<'_> {
    fn around(self, operation: &Operation) -> Around {
        if matches!(self.test.architecture, Architecture::Aarch64 | Architecture::Riscv) {
            return Around::default();
        }
        match operation {
            Operation::Load { order, .. } => graphs::load(self.model, *order),
            Operation::Store { order, .. } => graphs::store(self.model, *order),
            Operation::Update { strength: Strength::Locked, .. } => graphs::locked(),
            Operation::Update { strength: Strength::Ordered(success, failure), expected: Some(_), .. } => {
                graphs::exchange(self.model, *success, *failure)
            }
            Operation::Update { strength: Strength::Ordered(order, _), .. } => {
                graphs::update(self.model, *order, Form::Single)
            }
            _ => Around::default(),
        }
    }

    /// Returns the fences of a thread after one more fence.
    fn behind(self, mut fences: Fences, fence: Fence) -> Fences {
        fences += match fence {
            Fence::Full => graphs::FULL,
            Fence::Lightweight => graphs::LIGHTWEIGHT,
            Fence::Stores => graphs::STORES,
            Fence::Instructions | Fence::Context => graphs::NOTHING,
            Fence::Counted(fences) => fences,
            Fence::C(order) => return graphs::behind(self.model, fences, order),
        };
        fences
    }

    fn location(self, thread: usize, instruction: usize, address: Value) -> Result<Location, Fault> {
        self.test.location(address).ok_or(Fault::NoLocation { thread, instruction, address })
    }

    /// Returns what an operation orders by itself: in C, what its order becomes on the machine, and, under C11, whether it has
    /// written, if that is known.
    fn annotations(self, operation: &Operation, written: Written, around: &Around) -> Annotations {
        if self.test.architecture != Architecture::C {
            return annotations(operation);
        }
        match *operation {
            Operation::Load { annotations: Annotations::NONE, .. }
            | Operation::Store { annotations: Annotations::NONE, .. } => Annotations::NONE,
            Operation::Update { strength: Strength::Ordered(_, failure), .. }
                if self.model == MemoryModel::C11 && written == Written::Nothing =>
            {
                graphs::load(self.model, failure).annotations
            }
            _ => around.annotations,
        }
    }

    /// Passes a complete execution on to `visit`.
    fn finish<const W: usize, R>(
        self,
        execution: &CompleteTrace<'_, W>,
        visit: &mut dyn FnMut(Finished<'_>) -> R,
    ) -> R {
        let endless = execution.reached.iter().enumerate().find_map(|(thread, reached)| match *reached {
            Reached::Fails(instruction) => Some(Outcome::Endless { thread, instruction: instruction as usize }),
            _ => None,
        });
        let outcome = endless.unwrap_or_else(|| Outcome::Final(self.state(execution)));
        let waits_as_one = execution.update_that_waits_as_one().is_some();
        let race = execution.races().into_iter().next();
        let race = race.map(|(one, other)| [one, other].map(|event| self.instruction(execution, event)));
        visit(Finished {
            outcome,
            waits_as_one,
            race,
            performed: &|| self.performed(execution),
            causality: &|| execution.causality(),
        })
    }

    /// Returns the thread and the instruction of an access.
    fn instruction<const W: usize>(self, execution: &CompleteTrace<'_, W>, event: EventId) -> (usize, usize) {
        let thread = usize::from(event.thread);
        let mut all = Vec::new();
        self.run(execution, thread, &mut |instruction| all.push(instruction));
        (thread, all[usize::from(event.index)])
    }

    /// Runs a thread to its end, and gives each access to `visit`.
    fn run<const W: usize>(
        self,
        execution: &CompleteTrace<'_, W>,
        thread: usize,
        visit: &mut impl FnMut(usize),
    ) -> Thread<0> {
        let mut reads = execution.reads[thread].iter();
        let code = &self.test.threads[thread];
        let mut local = Thread::new(code);
        loop {
            match local.run(code) {
                Stop::Access(access) => {
                    visit(access.instruction);
                    let value = reads.next().copied().flatten();
                    step(&mut local, code, access.kind, value);
                }
                Stop::Fence(..) => {}
                Stop::End | Stop::Endless(_) => return local,
                Stop::Unknown => unreachable!("the execution is complete"),
            }
        }
    }

    /// Returns the final state of an execution.
    fn state<const W: usize>(self, execution: &CompleteTrace<'_, W>) -> State {
        let threads: Vec<Thread<0>> =
            (0..self.test.threads.len()).map(|thread| self.run(execution, thread, &mut |_| {})).collect();
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

    /// Returns the accesses of an execution, as [`Finished::accesses`] has them.
    fn performed<const W: usize>(self, execution: &CompleteTrace<'_, W>) -> Vec<Performed> {
        let instructions: Vec<Vec<usize>> = (0..self.test.threads.len())
            .map(|thread| {
                let mut all = Vec::new();
                self.run(execution, thread, &mut |instruction| all.push(instruction));
                all
            })
            .collect();
        let trace = execution.trace;
        let mut events: Vec<EventId> = trace.nodes().iter().map(|node| node.event).collect();
        events.dedup();
        let number = |node: usize| events.iter().position(|&event| event == trace.node(node).event);
        let performed = |&event: &EventId| {
            let parts = || trace.nodes_of(event).map(|part| trace.node(part));
            let (read, write) = (parts().find(|part| !part.writes()), parts().find(|part| part.writes()));
            let (thread, index) = (usize::from(event.thread), usize::from(event.index));
            let overtakes = |earlier: &u16| !execution.keeps(EventId { index: *earlier, ..event }, event);
            let passes_write = |earlier: &u16| execution.passes_write(EventId { index: *earlier, ..event }, event);
            Performed {
                event,
                instruction: instructions[thread][index],
                location: trace.node(trace.nodes_of(event).start).location,
                read: read.map(|part| part.value),
                written: write.map(|part| part.value),
                source: read.and_then(|part| match part.part {
                    Part::Read(source) => source.and_then(number),
                    Part::Write | Part::AtomicWrite | Part::BufferedWrite | Part::ApartWrite => None,
                }),
                rank: write.map_or(0, |part| part.rank.into()),
                overtakes: (0..event.index).filter(overtakes).collect(),
                passes_writes: (0..event.index).filter(passes_write).collect(),
            }
        };
        events.iter().map(performed).collect()
    }
}

/// Takes the thread past an access, and returns what the access writes if it is an update.
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

/// Returns the annotations that an operation has in the test.
fn annotations(operation: &Operation) -> Annotations {
    match operation {
        Operation::Load { annotations, .. }
        | Operation::Store { annotations, .. }
        | Operation::Update { strength: Strength::Annotated(annotations), .. } => *annotations,
        _ => Annotations::NONE,
    }
}

fn internal(operation: &Operation) -> Internal {
    fn reads(expression: &Expression) -> bool {
        match expression {
            Expression::Read => true,
            Expression::Binary(_, operands) => reads(&operands.0) || reads(&operands.1),
            Expression::Select(operands) => operands.iter().any(reads),
            Expression::Number(_) | Expression::Register(_) | Expression::Stored => false,
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

    fn fetch(&self, thread: usize, _origin: u32, reads: &[Option<Value>]) -> Result<(Labels<W>, Reached), Fault> {
        let mut labels = Vec::new();
        let reached = self.fetch_into(thread, reads, &mut labels)?;
        Ok((labels.into(), reached))
    }
}

impl Threads<'_> {
    /// Returns the reads on which what an access writes depends, those of a branch before it, and those that decide on it. What a
    /// compare-and-swap expects decides on ARM whether there is a write; in C on RISC-V, a branch of its own does.
    fn depends<const W: usize>(self, operation: &Operation, access: &Accessing<W>) -> [Set<W>; 3] {
        let &Accessing { value_from, expected_from, control_from, decided_by, .. } = access;
        let is_of_c = self.test.architecture == Architecture::C;
        match (operation, self.model) {
            (Operation::Update { strength: Strength::Annotated(_), .. }, _)
            | (Operation::Update { .. }, MemoryModel::Armv8) => {
                [value_from, control_from, decided_by.or(&expected_from)]
            }
            (Operation::Update { .. }, MemoryModel::Riscv) if is_of_c => {
                [value_from, control_from.or(&expected_from), decided_by]
            }
            _ => [value_from.or(&expected_from), control_from, decided_by],
        }
    }

    fn fetch_into<const W: usize>(
        self,
        thread: usize,
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
                    fences = self.behind(fences, fence);
                    continue;
                }
                Stop::Unknown => return Ok(Reached::Branch),
                Stop::End => return Ok(Reached::End),
                // The execution goes on without this thread, and shows that it is in an endless loop.
                Stop::Endless(instruction) => {
                    return Ok(Reached::Fails(u32::try_from(instruction).expect("fewer than 2^32 instructions")));
                }
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
                    let differ = success.acquires() != failure.acquires();
                    (differ && !self.model.orders_by_access()).then_some(*failure)
                }
                _ => None,
            };
            let [value_from, control_from, decided_by] = self.depends(operation, &access);
            labels.push(Label {
                access: match access.kind {
                    Kind::Load => Access::Load,
                    Kind::Store => Access::Store,
                    Kind::Update => Access::Update(internal(operation)),
                },
                location: address.transpose()?,
                written,
                address_from: access.address_from,
                value_from,
                control_from,
                synchronized_from: access.synchronized_from,
                addresses_before: access.addresses_before,
                decided_by,
                annotations: self.annotations(operation, written, &around),
                fences,
                link: Link::None,
                is_kept: false,
                gone_past: 0,
            });
            let around = match (failure, written) {
                (Some(_), Written::Unknown) => return Ok(Reached::Branch),
                (Some(failure), Written::Nothing) => graphs::update(self.model, failure, Form::Pair),
                _ => around,
            };
            fences += around.after;
            if around.synchronizes == Synchronizes::Yes {
                local.synchronize();
            }
        }
    }
}
