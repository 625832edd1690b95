//! The code of a thread, as its operations are put together.

use crate::code::{Code, Expression, Operation, Register};
use crate::text::TextPosition;
use engine::graph::Annotations;
use engine::mapping::Order;

/// A thread's code in the making.
pub(super) struct Making<'t> {
    pub(super) code: &'t mut Code,
    temporaries: usize,
}

impl<'t> Making<'t> {
    pub(super) const fn new(code: &'t mut Code) -> Self {
        Self { code, temporaries: 0 }
    }

    /// Adds an operation.
    pub(super) fn push(&mut self, operation: Operation, position: TextPosition) {
        let text = match &operation {
            Operation::Load { .. } => "load",
            Operation::Store { .. } => "store",
            Operation::Update { .. } => "read-modify-write",
            Operation::Fence(_) => "fence",
            Operation::Assign { .. } => "assignment",
            Operation::Branch { .. } => "branch",
        };
        self.code.push(operation, position, text);
    }

    /// Returns a new register, which no C program names.
    pub(super) fn temporary(&mut self) -> Register {
        self.temporaries += 1;
        self.code.register(&format!("#{}", self.temporaries))
    }

    /// Adds a branch, whose target is still to be set ([`Making::lands_here`]), and returns its index.
    pub(super) fn branch(&mut self, condition: Expression, position: TextPosition) -> usize {
        self.push(Operation::Branch { condition, target: usize::MAX }, position);
        self.code.instructions.len() - 1
    }

    /// Makes the branch with this index lead to what is added next.
    pub(super) fn lands_here(&mut self, branch: usize) {
        let here = self.code.instructions.len();
        if let Operation::Branch { target, .. } = &mut self.code.instructions[branch].operation {
            *target = here;
        }
    }

    /// Adds a load, and returns its value.
    pub(super) fn load(
        &mut self,
        address: Expression,
        order: Order,
        annotations: Annotations,
        position: TextPosition,
    ) -> Expression {
        let to = self.temporary();
        self.push(Operation::Load { to, address, order, annotations }, position);
        Expression::Register(to)
    }
}
