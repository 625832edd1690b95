//! One thread of a test, run from one access to the next.
//!
//! What a load returns may be given later, or never: registers then hold no value, and a thread goes on until a branch
//! depends on one. Beside its value, a register has the accesses that the value depends on, through registers, as the
//! syntax has it (`xor r,a,a` depends on `a`).

use crate::code::{Code, Expression, Fence, Operation, Register};
use engine::graph::Value;
use engine::graph::Written;
use engine::graph::set::Set;

/// The value of a register, and the thread's reads that it depends on.
#[derive(Clone, Copy, Debug)]
struct Content<const W: usize> {
    value: Option<Value>,
    from: Set<W>,
    /// The accesses that have decided on the value besides those ([`engine::graph::Label::decided_by`]).
    decided_by: Set<W>,
}

/// A thread that is being run. Its sets are of its accesses, by their number in program order.
#[derive(Clone, Debug)]
pub struct Thread<const W: usize> {
    next: usize,
    registers: Vec<Content<W>>,
    accesses: usize,
    /// The number of instructions since the last access.
    idle: usize,
    /// The reads on which a branch so far depends.
    branches: Set<W>,
    /// The value of `branches` at the last instruction fence.
    synchronized: Set<W>,
    /// The reads on which the address of an access so far depends.
    addresses: Set<W>,
    /// The accesses that have decided on branches and addresses so far besides those.
    decided_by: Set<W>,
    /// The reads on which the address of the last update depends.
    stored_at: Set<W>,
}

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The access reads.
    Load,
    /// The access writes.
    Store,
    /// The access reads and writes, or only reads if it finds something else than expected.
    Update,
}

/// An access, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Access<const W: usize> {
    /// The index of its instruction.
    pub instruction: usize,
    /// The kind of the access.
    pub kind: Kind,
    /// The address; none if it is not known yet.
    pub address: Option<Value>,
    /// The value that a store writes; for an update, see [`Thread::update`].
    pub stored: Option<Value>,
    /// The reads on which the address depends.
    pub address_from: Set<W>,
    /// The reads on which the value that is written depends, besides the access's own.
    pub value_from: Set<W>,
    /// The reads on which the value that a compare-and-swap expects depends.
    pub expected_from: Set<W>,
    /// The accesses that decide on this one besides those ([`engine::graph::Label::decided_by`]).
    pub decided_by: Set<W>,
    /// The reads on which a branch before the access depends.
    pub control_from: Set<W>,
    /// The reads on which a branch depends that has an instruction fence behind it, before the access.
    pub synchronized_from: Set<W>,
    /// The reads on which the address of an earlier access depends.
    pub addresses_before: Set<W>,
}

/// The place where a thread stops.
#[derive(Clone, Copy, Debug)]
pub enum Stop<const W: usize> {
    /// The thread stops at an access: go on with [`Thread::load`], [`Thread::update`] or, after a store, at once.
    Access(Access<W>),
    /// The thread stops at a fence, given with the index of its instruction.
    Fence(usize, Fence),
    /// The thread stops at a branch that depends on a value that is not known.
    Unknown,
    /// The thread stops at its end.
    End,
    /// The thread stops at a branch back, after so many instructions since the last access that it will never end.
    Endless(usize),
}

/// The number of instructions without an access after which a thread is taken never to make one: tests are far smaller, and
/// registers change only by computing. Between two accesses there are no more fences than this, so fences can be counted.
const PATIENCE: usize = 50_000;

impl<const W: usize> Thread<W> {
    /// Makes a thread that stands before its first instruction.
    #[must_use]
    pub fn new(code: &Code) -> Self {
        let content = |initial| Content { value: Some(initial), from: Set::EMPTY, decided_by: Set::EMPTY };
        Self {
            next: 0,
            registers: code.registers.iter().map(|register| content(register.initial)).collect(),
            accesses: 0,
            idle: 0,
            branches: Set::EMPTY,
            synchronized: Set::EMPTY,
            addresses: Set::EMPTY,
            decided_by: Set::EMPTY,
            stored_at: Set::EMPTY,
        }
    }

    /// Returns the value that a register holds; none if it is not known yet.
    #[must_use]
    pub fn register(&self, register: Register) -> Option<Value> {
        self.registers[register.index()].value
    }

    fn evaluate(&self, expression: &Expression, read: Option<Value>) -> Content<W> {
        let constant = |value| Content { value, from: Set::EMPTY, decided_by: Set::EMPTY };
        match expression {
            Expression::Number(value) => constant(Some(*value)),
            Expression::Register(register) => self.registers[register.index()],
            Expression::Read => constant(read),
            Expression::Binary(operator, operands) => {
                let (left, right) = (self.evaluate(&operands.0, read), self.evaluate(&operands.1, read));
                let value = left.value.zip(right.value).map(|(left, right)| operator.apply(left, right));
                let decided_by = left.decided_by.or(&right.decided_by);
                Content { value, from: left.from.or(&right.from), decided_by }
            }
            Expression::Select(operands) => {
                let [condition, one, other] = operands.each_ref().map(|operand| self.evaluate(operand, read));
                let chosen = match condition.value {
                    Some(0) => other,
                    Some(_) => one,
                    None => Content { value: None, from: one.from.or(&other.from), ..other },
                };
                let decided_by = chosen.decided_by.or(&condition.from).or(&condition.decided_by);
                Content { decided_by, ..chosen }
            }
            Expression::Stored => {
                Content { value: Some(0), from: self.stored_at, decided_by: Set::of(self.accesses - 1) }
            }
        }
    }

    /// Runs up to the next access or fence.
    pub fn run(&mut self, code: &Code) -> Stop<W> {
        while self.idle < PATIENCE {
            self.idle += 1;
            let Some(instruction) = code.instructions.get(self.next) else { return Stop::End };
            let at = self.next;
            match &instruction.operation {
                Operation::Assign { to, value } => self.registers[to.index()] = self.evaluate(value, None),
                Operation::Branch { condition, target } => {
                    let condition = self.evaluate(condition, None);
                    let Some(value) = condition.value else { return Stop::Unknown };
                    self.branches.add(&condition.from);
                    self.decided_by.add(&condition.decided_by);
                    if value != 0 {
                        self.next = *target;
                        continue;
                    }
                }
                Operation::Fence(fence) => {
                    match fence {
                        Fence::Instructions => self.synchronized = self.branches,
                        Fence::Context => self.synchronized = self.branches.or(&self.addresses).or(&self.decided_by),
                        _ => {}
                    }
                    self.next += 1;
                    return Stop::Fence(at, *fence);
                }
                Operation::Load { address, .. } => return self.access(at, Kind::Load, address, None, None),
                Operation::Store { address, value, .. } => {
                    let access = self.access(at, Kind::Store, address, Some(value), None);
                    self.next += 1;
                    self.accesses += 1;
                    return access;
                }
                Operation::Update { address, expected, new, .. } => {
                    return self.access(at, Kind::Update, address, Some(new), expected.as_ref());
                }
            }
            self.next += 1;
        }
        Stop::Endless(self.next)
    }

    fn access(
        &mut self,
        instruction: usize,
        kind: Kind,
        address: &Expression,
        value: Option<&Expression>,
        expected: Option<&Expression>,
    ) -> Stop<W> {
        self.idle = 0;
        let address = self.evaluate(address, None);
        let written = value.map(|value| self.evaluate(value, None));
        let value_from = written.map_or(Set::EMPTY, |written| written.from);
        let mut decided_by = self.decided_by.or(&address.decided_by);
        let expected = expected.map(|expected| self.evaluate(expected, None));
        for operand in written.iter().chain(&expected) {
            decided_by.add(&operand.decided_by);
        }
        let access = Access {
            instruction,
            kind,
            address: address.value,
            stored: written.and_then(|written| written.value).filter(|_| kind == Kind::Store),
            address_from: address.from,
            value_from,
            expected_from: expected.map_or(Set::EMPTY, |expected| expected.from),
            decided_by,
            control_from: self.branches,
            synchronized_from: self.synchronized,
            addresses_before: self.addresses,
        };
        self.addresses.add(&address.from);
        self.decided_by.add(&address.decided_by);
        self.stored_at = address.from;
        Stop::Access(access)
    }

    /// Takes the thread through a branch that depends on the last access, and an instruction fence.
    ///
    /// # Panics
    /// If there was no access.
    pub fn synchronize(&mut self) {
        self.branches.insert(self.accesses - 1);
        self.synchronized = self.branches;
    }

    fn returns(&mut self, to: Register, value: Option<Value>) {
        self.registers[to.index()] = Content { value, from: Set::of(self.accesses), decided_by: Set::EMPTY };
        self.next += 1;
        self.accesses += 1;
    }

    /// Takes the thread past the load at which it stopped, which returns `value`, or something not known yet.
    ///
    /// # Panics
    /// If the thread did not stop at a load.
    pub fn load(&mut self, code: &Code, value: Option<Value>) {
        let Operation::Load { to, .. } = code.instructions[self.next].operation else { panic!("no load") };
        self.returns(to, value);
    }

    /// Takes the thread past the update at which it stopped, whose read returns `value`, or something not known yet, and returns
    /// what the update writes.
    ///
    /// # Panics
    /// If the thread did not stop at an update.
    pub fn update(&mut self, code: &Code, value: Option<Value>) -> Written {
        let Operation::Update { to, expected, new, .. } = &code.instructions[self.next].operation else {
            panic!("no update");
        };
        let expected = expected.as_ref().map(|expected| self.evaluate(expected, None).value);
        let written = match (value, expected) {
            (None, Some(_)) | (_, Some(None)) => Written::Unknown,
            (Some(found), Some(Some(expected))) if found != expected => Written::Nothing,
            _ => self.evaluate(new, value).value.map_or(Written::Unknown, Written::Value),
        };
        self.returns(*to, value);
        written
    }
}
