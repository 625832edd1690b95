//! Pairs of a load that reserves its location and a store on condition that the reservation holds. Each pair becomes one
//! [`Operation::Update`], which always succeeds.

use crate::code::{Code, Expression, Instruction, Operation, Register, Strength};
use crate::text::{Error, TextPosition, Token, error};
use engine::graph::Annotations;
use engine::mapping::Order;

/// A load that has reserved a location.
#[derive(Clone, Copy)]
pub(super) struct Reservation {
    /// The index of the load's operation in the code.
    pub(super) at: usize,
    /// The place of the load in the file.
    pub(super) position: TextPosition,
    /// The names of the load's instruction, and of the store's that it waits for.
    pub(super) names: [&'static str; 2],
    /// What the load is if its store never comes.
    pub(super) alone: Alone,
}

/// What a reserving load is if no store comes for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alone {
    /// The load is a load as others are.
    Loads,
    /// The load is a mistake.
    Refused,
}

/// The pairs of a thread, as they are read.
#[derive(Default)]
pub(super) struct Pairs {
    /// The load that has reserved a location, if its store is still to come.
    reservation: Option<Reservation>,
    /// What stood behind the last reserving load and keeps it from making a pair with a store: the place, and a message about it.
    interrupted: Option<(TextPosition, String)>,
}

impl Pairs {
    /// Whether a location is reserved. It is an error if one was, and something that does not fit stood behind that.
    pub(super) fn is_open(&mut self) -> Result<bool, Error> {
        match self.interrupted.take() {
            Some((position, message)) => error(position, message),
            None => Ok(self.reservation.is_some()),
        }
    }

    /// Notes that the last operation has reserved a location.
    pub(super) fn begin(&mut self, code: &mut Code, reservation: Reservation) -> Result<(), Error> {
        self.end(code).or_else(|_| {
            let [load, store] = reservation.names;
            error(reservation.position, format!("a `{load}` before the `{store}` of another one is not supported"))
        })?;
        *self = Self { reservation: Some(reservation), interrupted: None };
        Ok(())
    }

    /// Notes that something stands behind a reservation that does not only compute.
    pub(super) fn interrupt(&mut self, code: &mut Code, position: TextPosition, what: &str) -> Result<(), Error> {
        let Some(Reservation { names: [load, store], alone, .. }) = self.reservation else { return Ok(()) };
        let message = format!("{what} between `{load}` and `{store}` is not supported");
        if alone == Alone::Refused {
            return error(position, message);
        }
        self.interrupted = Some((position, message));
        self.end(code)
    }

    /// Checks that the operations from this one on only compute, as they must between the two of a pair.
    pub(super) fn only_computes(&mut self, code: &mut Code, at: usize, mnemonic: Token<'_>) -> Result<(), Error> {
        let computes = |instruction: &Instruction| matches!(instruction.operation, Operation::Assign { .. });
        if code.instructions[at..].iter().all(computes) {
            return Ok(());
        }
        self.interrupt(code, mnemonic.position, &format!("`{}`", mnemonic.text))
    }

    /// Notes that no store comes any more for what is reserved.
    pub(super) fn end(&mut self, code: &mut Code) -> Result<(), Error> {
        let Some(Reservation { at, position, names: [load, store], alone }) = self.reservation.take() else {
            return Ok(());
        };
        if alone == Alone::Refused {
            return error(position, format!("a `{load}` without its `{store}` is not supported"));
        }
        let operation = &mut code.instructions[at].operation;
        if let Operation::Update { to, address, strength: Strength::Annotated(annotations), .. } = operation {
            let (to, address, annotations) = (*to, address.clone(), *annotations);
            *operation = Operation::Load { to, address, order: Order::Relaxed, annotations };
        }
        Ok(())
    }

    /// Makes one operation of the reserving load, what was computed since, and a store of this value at this address. Returns its
    /// annotations, to which those of the store may be added if the machine has such.
    pub(super) fn join<'c>(
        &mut self,
        code: &'c mut Code,
        position: TextPosition,
        stored: &Expression,
        stored_at: &Expression,
    ) -> Result<Option<&'c mut Annotations>, Error> {
        let Reservation { at, names: [load, store], .. } = self.reservation.take().expect("the caller has looked");
        let (before, between) = code.instructions.split_at_mut(at + 1);
        let Some(Operation::Update { to, address, new, strength, .. }) =
            before.last_mut().map(|last| &mut last.operation)
        else {
            unreachable!("a reservation is an update");
        };
        let mut computed = vec![(*to, Expression::Read)];
        for instruction in between {
            if let Operation::Assign { to, value } = &instruction.operation {
                let value = substitute(value, &computed);
                computed.push((*to, value));
            }
        }
        if *address != *stored_at || substitute(address, &computed) != *address {
            let message = format!("a `{store}` to another address than that of its `{load}` is not supported");
            return error(position, message);
        }
        *new = substitute(stored, &computed);
        Ok(match strength {
            Strength::Annotated(annotations) => Some(annotations),
            _ => None,
        })
    }
}

/// Returns the expression with each register replaced by what was last computed for it.
fn substitute(expression: &Expression, computed: &[(Register, Expression)]) -> Expression {
    match expression {
        Expression::Register(register) => {
            let last = computed.iter().rev().find(|(known, _)| known == register);
            last.map_or_else(|| expression.clone(), |(_, value)| value.clone())
        }
        Expression::Binary(operator, operands) => {
            Expression::binary(*operator, substitute(&operands.0, computed), substitute(&operands.1, computed))
        }
        Expression::Select(operands) => {
            Expression::Select(Box::new(operands.each_ref().map(|operand| substitute(operand, computed))))
        }
        Expression::Number(_) | Expression::Read | Expression::Stored => expression.clone(),
    }
}
