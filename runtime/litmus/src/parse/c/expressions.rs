//! Expressions of C, each of which is taken apart into one operation for each access.

use super::making::Making;
use crate::code::{Binary, Expression, Fence, Operation, Register, Strength};
use crate::text::{Error, Kind, TextPosition, Token, Tokens, error};
use engine::graph::{Annotations, Value};
use engine::mapping::Order;

/// The way in which a pointer's target is accessed without a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointee {
    Plain,
    Atomic,
}

impl Pointee {
    pub(super) const fn order(self) -> Order {
        match self {
            Self::Plain => Order::Relaxed,
            Self::Atomic => Order::SequentiallyConsistent,
        }
    }

    pub(super) const fn annotations(self) -> Annotations {
        match self {
            Self::Plain => Annotations::NONE,
            Self::Atomic => Annotations::ATOMIC,
        }
    }
}

/// The reader of a thread's expressions.
pub(super) struct Expressions<'t, 'a> {
    pub(super) tokens: &'t mut Tokens<'a>,
    pub(super) making: Making<'t>,
    /// The names of the parameters, which are pointers to shared locations.
    pub(super) pointers: Vec<(&'a str, Pointee)>,
    /// The names of the local variables.
    pub(super) locals: Vec<&'a str>,
    /// The number of operands of the present statement so far.
    pub(super) operands: usize,
}

/// The most operands of a statement: no test has more, and computing them takes stack.
const OPERANDS: usize = 1000;

/// The binary operators in rows of those that bind alike, the loosest first.
const OPERATORS: [&[(&str, Binary)]; 7] = [
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[("<", Binary::Less), ("<=", Binary::LessOrEqual)],
    &[("<<", Binary::ShiftLeft)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
];

pub(super) const fn number(value: Value) -> Expression {
    Expression::Number(value)
}

fn truth(value: Expression) -> Expression {
    Expression::binary(Binary::NotEqual, value, number(0))
}

/// Whether this sign stands here twice without a blank between, as an operator of C that tests in assembly do not have.
fn is_doubled(tokens: &Tokens<'_>, sign: &str) -> bool {
    let (Some(one), Some(other)) = (tokens.peek(), tokens.peek_after(1)) else { return false };
    let adjacent = one.position.line == other.position.line && one.position.column + 1 == other.position.column;
    one.text == sign && other.text == sign && adjacent
}

fn order(tokens: &mut Tokens<'_>) -> Result<Order, Error> {
    let name = tokens.name("a memory order")?;
    Ok(match name.text {
        "memory_order_relaxed" => Order::Relaxed,
        "memory_order_acquire" | "memory_order_consume" => Order::Acquire,
        "memory_order_release" => Order::Release,
        "memory_order_acq_rel" => Order::AcquireRelease,
        "memory_order_seq_cst" => Order::SequentiallyConsistent,
        other => return error(name.position, format!("`{other}` is no memory order")),
    })
}

impl<'a> Expressions<'_, 'a> {
    pub(super) fn local(&mut self) -> Result<Register, Error> {
        let name = self.tokens.name("a variable")?;
        if self.locals.contains(&name.text) {
            return Ok(self.making.code.register(name.text));
        }
        error(name.position, format!("`{}` is no local variable", name.text))
    }

    /// Reads a pointer to a shared location.
    pub(super) fn pointer(&mut self) -> Result<(Expression, Pointee), Error> {
        let parentheses = self.tokens.take("(");
        let name = self.tokens.name("a pointer")?;
        let Some(&(_, target)) = self.pointers.iter().find(|(known, _)| *known == name.text) else {
            return error(name.position, format!("`{}` is no parameter", name.text));
        };
        if parentheses {
            self.tokens.expect(")")?;
        }
        Ok((Expression::Register(self.making.code.register(name.text)), target))
    }

    pub(super) fn expression(&mut self) -> Result<Expression, Error> {
        let mut left = self.conjunction()?;
        while is_doubled(self.tokens, "|") {
            left = self.short_cut(Binary::Or, left, Self::conjunction)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expression, Error> {
        let mut left = self.operation(0)?;
        while self.tokens.is_next("&&") {
            self.tokens.next();
            left = self.operands_of(Binary::And, left, |function| function.operation(0))?;
        }
        Ok(left)
    }

    fn short_cut(
        &mut self,
        operator: Binary,
        left: Expression,
        right: fn(&mut Self) -> Result<Expression, Error>,
    ) -> Result<Expression, Error> {
        self.tokens.next();
        self.tokens.next();
        self.operands_of(operator, left, right)
    }

    /// Computes `&&` and `||`, whose right operand must be one that may be computed in any case.
    fn operands_of(
        &mut self,
        operator: Binary,
        left: Expression,
        right: impl FnOnce(&mut Self) -> Result<Expression, Error>,
    ) -> Result<Expression, Error> {
        let (position, before) = (self.tokens.position(), self.making.code.instructions.len());
        let right = right(self)?;
        if self.making.code.instructions.len() > before {
            return error(position, "an access behind `&&` or `||` is not supported");
        }
        Ok(Expression::binary(operator, truth(left), truth(right)))
    }

    fn operation(&mut self, level: usize) -> Result<Expression, Error> {
        let Some(operators) = OPERATORS.get(level) else { return self.product() };
        let mut left = self.operation(level + 1)?;
        loop {
            if level == 4 && self.tokens.is_next(">") && !is_doubled(self.tokens, ">") {
                self.tokens.next();
                left = Expression::binary(Binary::Less, self.operation(level + 1)?, left);
            } else if level == 4 && self.tokens.take(">=") {
                left = Expression::binary(Binary::LessOrEqual, self.operation(level + 1)?, left);
            } else if level == 5 && is_doubled(self.tokens, ">") {
                self.tokens.next();
                self.tokens.next();
                left = Expression::binary(Binary::ShiftRight, left, self.operation(level + 1)?);
            } else if let Some(&(_, operator)) = operators.iter().find(|(sign, _)| self.tokens.is_next(sign))
                && !is_doubled(self.tokens, "|")
            {
                self.tokens.next();
                left = Expression::binary(operator, left, self.operation(level + 1)?);
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Expression, Error> {
        const PRODUCTS: [(&str, Binary); 2] = [("*", Binary::Multiply), ("/", Binary::Divide)];
        let mut left = self.unary()?;
        while let Some(&(_, operator)) = PRODUCTS.iter().find(|(sign, _)| self.tokens.is_next(sign)) {
            self.tokens.next();
            left = Expression::binary(operator, left, self.unary()?);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Error> {
        self.operands += 1;
        if self.operands > OPERANDS {
            return error(self.tokens.position(), format!("a statement with more than {OPERANDS} operands"));
        }
        self.tokens.enter()?;
        let value = self.operand()?;
        self.tokens.leave();
        Ok(value)
    }

    fn operand(&mut self) -> Result<Expression, Error> {
        let position = self.tokens.position();
        if self.tokens.take("-") {
            return Ok(Expression::binary(Binary::Subtract, number(0), self.unary()?));
        }
        if self.tokens.take("!") {
            return Ok(Expression::binary(Binary::Equal, self.unary()?, number(0)));
        }
        if self.tokens.take("~") {
            return Ok(Expression::binary(Binary::Xor, self.unary()?, number(-1)));
        }
        if self.tokens.take("*") {
            let (address, target) = self.pointer()?;
            return Ok(self.making.load(address, target.order(), target.annotations(), position));
        }
        if self.tokens.take("(") {
            let value = self.expression()?;
            self.tokens.expect(")")?;
            return Ok(value);
        }
        if self.tokens.peek().is_some_and(|token| token.kind == Kind::Number) {
            return Ok(number(self.tokens.number()?));
        }
        if self.tokens.peek_after(1).is_some_and(|next| next.text == "(") {
            let name = self.tokens.name("a function")?;
            return self.call(name);
        }
        self.local().map(Expression::Register)
    }

    /// Reads the order behind the other arguments of a function that has one.
    fn last_order(&mut self, explicit: bool) -> Result<Order, Error> {
        if !explicit {
            return Ok(Order::SequentiallyConsistent);
        }
        self.tokens.expect(",")?;
        order(self.tokens)
    }

    fn call(&mut self, name: Token<'a>) -> Result<Expression, Error> {
        self.tokens.expect("(")?;
        let (function, explicit) = match name.text.strip_suffix("_explicit") {
            Some(function) => (function, true),
            None => (name.text, false),
        };
        let result = match function {
            "atomic_thread_fence" => {
                let order = order(self.tokens)?;
                self.making.push(Operation::Fence(Fence::C(order)), name.position);
                number(0)
            }
            "atomic_load" => {
                let (address, _) = self.pointer()?;
                let order = self.last_order(explicit)?;
                self.making.load(address, order, Annotations::ATOMIC, name.position)
            }
            "atomic_store" => {
                let (address, _) = self.pointer()?;
                self.tokens.expect(",")?;
                let value = self.expression()?;
                let order = self.last_order(explicit)?;
                self.making
                    .push(Operation::Store { address, value, order, annotations: Annotations::ATOMIC }, name.position);
                number(0)
            }
            "atomic_compare_exchange_strong" | "atomic_compare_exchange_weak" => {
                self.compare_exchange(name.position, explicit)?
            }
            _ => self.update(function, name, explicit)?,
        };
        self.tokens.expect(")")?;
        Ok(result)
    }

    /// Reads a call of `atomic_exchange` or `atomic_fetch_…`.
    fn update(&mut self, function: &str, name: Token<'a>, explicit: bool) -> Result<Expression, Error> {
        let operator = match function {
            "atomic_exchange" => None,
            "atomic_fetch_add" => Some(Binary::Add),
            "atomic_fetch_sub" => Some(Binary::Subtract),
            "atomic_fetch_and" => Some(Binary::And),
            "atomic_fetch_or" => Some(Binary::Or),
            "atomic_fetch_xor" => Some(Binary::Xor),
            _ => return error(name.position, format!("the function `{}` is not supported", name.text)),
        };
        let (address, _) = self.pointer()?;
        self.tokens.expect(",")?;
        let operand = self.expression()?;
        let order = self.last_order(explicit)?;
        let new = match operator {
            None => operand,
            Some(operator) => Expression::binary(operator, Expression::Read, operand),
        };
        let to = self.making.temporary();
        let strength = Strength::Ordered(order, order);
        self.making.push(Operation::Update { to, address, expected: None, new, strength }, name.position);
        Ok(Expression::Register(to))
    }

    /// Reads a call of a compare-and-exchange. What is expected stands in a shared location, or in a local variable, which gets
    /// what is found if the two differ.
    fn compare_exchange(&mut self, position: TextPosition, explicit: bool) -> Result<Expression, Error> {
        let (address, _) = self.pointer()?;
        self.tokens.expect(",")?;
        let local = if self.tokens.take("&") { Some(self.local()?) } else { None };
        let shared = if local.is_none() { Some(self.pointer()?.0) } else { None };
        let expected = self.making.temporary();
        match (local, &shared) {
            (Some(local), _) => {
                self.making.push(Operation::Assign { to: expected, value: Expression::Register(local) }, position);
            }
            (None, Some(place)) => {
                self.making.push(
                    Operation::Load {
                        to: expected,
                        address: place.clone(),
                        order: Order::Relaxed,
                        annotations: Annotations::NONE,
                    },
                    position,
                );
            }
            (None, None) => unreachable!("it is one of both"),
        }
        self.tokens.expect(",")?;
        let new = self.expression()?;
        let success = self.last_order(explicit)?;
        let failure = self.last_order(explicit)?;
        let (to, wanted) = (self.making.temporary(), Expression::Register(expected));
        let strength = Strength::Ordered(success, failure);
        self.making.push(Operation::Update { to, address, expected: Some(wanted.clone()), new, strength }, position);
        let found = Expression::Register(to);
        let succeeded = Expression::binary(Binary::Equal, found.clone(), wanted);
        let done = self.making.branch(succeeded.clone(), position);
        match (local, shared) {
            (Some(local), _) => self.making.push(Operation::Assign { to: local, value: found }, position),
            (None, Some(address)) => {
                self.making.push(
                    Operation::Store { address, value: found, order: Order::Relaxed, annotations: Annotations::NONE },
                    position,
                );
            }
            (None, None) => unreachable!("it is one of both"),
        }
        self.making.lands_here(done);
        Ok(succeeded)
    }
}
