//! The program of a test in C, as herd7 reads it: a function a thread, whose parameters are the shared locations. Calls of
//! `stdatomic.h`, plain accesses through pointers, local variables, arithmetic, `if`, `while`.
//!
//! Expressions are taken apart into one operation an access. Local variables are registers; what is between has names
//! that no C program has.

use crate::code::{Binary, Code, Expression, Fence, Operation, Register, Strength};
use crate::parse::names::Names;
use crate::test::address;
use crate::text::{Error, Kind, Position, Token, Tokens, error};
use engine::graph::Value;
use engine::mapping::Order;

/// Reads the functions.
pub(super) fn program(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    while tokens.peek().is_some_and(|token| is_thread(token.text)) {
        let name = tokens.name("a thread")?;
        if name.text[1..].parse() != Ok(names.threads.len()) {
            return error(name.position, format!("this thread must be P{}", names.threads.len()));
        }
        let mut code = names.new_thread();
        let mut function =
            Function { tokens, code: &mut code, pointers: Vec::new(), locals: Vec::new(), temporaries: 0, operands: 0 };
        function.parameters(names)?;
        function.block()?;
        names.threads.push(code);
    }
    if names.threads.is_empty() { tokens.unexpected("a thread `P0(…) { … }`") } else { Ok(()) }
}

fn is_thread(text: &str) -> bool {
    text.strip_prefix('P').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The words of types whose values have at most 64 bits and no fraction.
const TYPES: [&str; 26] = [
    "int",
    "long",
    "short",
    "char",
    "unsigned",
    "signed",
    "volatile",
    "const",
    "_Atomic",
    "bool",
    "_Bool",
    "size_t",
    "intptr_t",
    "uintptr_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "atomic_int",
    "atomic_long",
    "atomic_uint",
    "atomic_bool",
];

/// How a pointer's target is accessed without a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Plain,
    Atomic,
}

impl Target {
    const fn order(self) -> Order {
        match self {
            Self::Plain => Order::Relaxed,
            Self::Atomic => Order::SequentiallyConsistent,
        }
    }
}

/// A thread in the making.
struct Function<'t, 'a> {
    tokens: &'t mut Tokens<'a>,
    code: &'t mut Code,
    pointers: Vec<(&'a str, Target)>,
    locals: Vec<&'a str>,
    temporaries: usize,
    /// Operands of the present statement, so far.
    operands: usize,
}

/// Nobody writes statements of more operands, and computing them takes stack.
const OPERANDS: usize = 1000;

/// Binary operators, those of a row binding alike, the loosest first; and whether their operands change places.
const OPERATORS: [&[(&str, Binary)]; 7] = [
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[("<", Binary::Less), ("<=", Binary::LessOrEqual)],
    &[("<<", Binary::ShiftLeft)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
];

fn number(value: Value) -> Expression {
    Expression::Number(value)
}

fn truth(value: Expression) -> Expression {
    Expression::binary(Binary::NotEqual, value, number(0))
}

impl<'a> Function<'_, 'a> {
    fn parameters(&mut self, names: &mut Names) -> Result<(), Error> {
        self.tokens.expect("(")?;
        if self.tokens.take(")") || (self.tokens.take("void") && self.tokens.take(")")) {
            return Ok(());
        }
        loop {
            let target = self.of_type()?;
            let star = self.tokens.position();
            if !self.tokens.take("*") {
                return error(star, "a parameter that is no pointer to a shared location is not supported");
            }
            let name = self.tokens.name("a parameter")?;
            if self.pointers.iter().any(|(known, _)| *known == name.text) {
                return error(name.position, format!("the parameter `{}` is there twice", name.text));
            }
            let location = names.location(name.text);
            let register = self.code.register(name.text);
            self.code.registers[register.index()].initial = address(location);
            self.pointers.push((name.text, target));
            if !self.tokens.take(",") {
                return self.tokens.expect(")");
            }
        }
    }

    fn is_type(&self) -> bool {
        self.tokens.peek().is_some_and(|token| token.kind == Kind::Name)
            && self.tokens.peek_after(1).is_some_and(|next| next.kind == Kind::Name || next.text == "*")
            && !self.tokens.is_next("else")
    }

    /// The words of a type.
    fn of_type(&mut self) -> Result<Target, Error> {
        let mut target = Target::Plain;
        let mut words = 0;
        while self.tokens.peek_after(1).is_some_and(|next| next.kind == Kind::Name || next.text == "*") {
            let word = self.tokens.name("a type")?;
            if !TYPES.contains(&word.text) {
                return error(word.position, format!("the type `{}` is not supported", word.text));
            }
            if word.text.starts_with("atomic_") || word.text == "_Atomic" {
                target = Target::Atomic;
            }
            words += 1;
            if self.tokens.is_next("*") {
                break;
            }
        }
        if words == 0 { self.tokens.unexpected("a type") } else { Ok(target) }
    }

    fn block(&mut self) -> Result<(), Error> {
        self.tokens.expect("{")?;
        while !self.tokens.take("}") {
            self.statement()?;
        }
        Ok(())
    }

    fn body(&mut self) -> Result<(), Error> {
        if self.tokens.is_next("{") { self.block() } else { self.statement() }
    }

    fn statement(&mut self) -> Result<(), Error> {
        self.operands = 0;
        self.tokens.enter()?;
        self.one_statement()?;
        self.tokens.leave();
        Ok(())
    }

    fn one_statement(&mut self) -> Result<(), Error> {
        if self.tokens.take(";") {
            return Ok(());
        }
        if self.tokens.is_next("{") {
            return self.block();
        }
        if self.tokens.take("if") {
            return self.conditional();
        }
        if self.tokens.take("while") {
            return self.repeated();
        }
        if self.is_type() && !self.tokens.is_next("*") {
            return self.declaration();
        }
        let position = self.tokens.position();
        if self.tokens.take("*") {
            let (pointer, target) = self.pointer()?;
            self.tokens.expect("=")?;
            let value = self.expression()?;
            self.push(Operation::Store { address: pointer, value, order: target.order() }, position);
        } else if self.tokens.peek_after(1).is_some_and(|next| next.text == "=") {
            let to = self.local()?;
            self.tokens.expect("=")?;
            let value = self.expression()?;
            self.push(Operation::Assign { to, value }, position);
        } else {
            self.expression()?;
        }
        self.tokens.expect(";")
    }

    fn declaration(&mut self) -> Result<(), Error> {
        self.of_type()?;
        loop {
            let name = self.tokens.name("a variable that is no pointer")?;
            if !self.locals.contains(&name.text) {
                self.locals.push(name.text);
            }
            let to = self.code.register(name.text);
            self.code.loads(to);
            if self.tokens.take("=") {
                let value = self.expression()?;
                self.push(Operation::Assign { to, value }, name.position);
            }
            if !self.tokens.take(",") {
                return self.tokens.expect(";");
            }
        }
    }

    /// The condition of a statement, and the branch that is taken where it does not hold, to be told where to.
    fn unless(&mut self) -> Result<usize, Error> {
        let position = self.tokens.position();
        self.tokens.expect("(")?;
        let condition = self.expression()?;
        self.tokens.expect(")")?;
        let unless = Expression::binary(Binary::Equal, condition, number(0));
        Ok(self.branch(unless, position))
    }

    fn branch(&mut self, condition: Expression, position: Position) -> usize {
        self.push(Operation::Branch { condition, target: usize::MAX }, position);
        self.code.instructions.len() - 1
    }

    fn lands_here(&mut self, branch: usize) {
        let here = self.code.instructions.len();
        if let Operation::Branch { target, .. } = &mut self.code.instructions[branch].operation {
            *target = here;
        }
    }

    fn conditional(&mut self) -> Result<(), Error> {
        let otherwise = self.unless()?;
        self.body()?;
        let position = self.tokens.position();
        if self.tokens.take("else") {
            let end = self.branch(number(1), position);
            self.lands_here(otherwise);
            self.body()?;
            self.lands_here(end);
        } else {
            self.lands_here(otherwise);
        }
        Ok(())
    }

    fn repeated(&mut self) -> Result<(), Error> {
        let position = self.tokens.position();
        let begin = self.code.instructions.len();
        let end = self.unless()?;
        self.body()?;
        self.push(Operation::Branch { condition: number(1), target: begin }, position);
        self.lands_here(end);
        Ok(())
    }

    fn push(&mut self, operation: Operation, position: Position) {
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

    fn temporary(&mut self) -> Register {
        self.temporaries += 1;
        self.code.register(&format!("#{}", self.temporaries))
    }

    fn local(&mut self) -> Result<Register, Error> {
        let name = self.tokens.name("a variable")?;
        if self.locals.contains(&name.text) {
            return Ok(self.code.register(name.text));
        }
        error(name.position, format!("`{}` is no local variable", name.text))
    }

    /// A pointer to a shared location.
    fn pointer(&mut self) -> Result<(Expression, Target), Error> {
        let parentheses = self.tokens.take("(");
        let name = self.tokens.name("a pointer")?;
        let Some(&(_, target)) = self.pointers.iter().find(|(known, _)| *known == name.text) else {
            return error(name.position, format!("`{}` is no parameter", name.text));
        };
        if parentheses {
            self.tokens.expect(")")?;
        }
        Ok((Expression::Register(self.code.register(name.text)), target))
    }

    fn expression(&mut self) -> Result<Expression, Error> {
        let mut left = self.conjunction()?;
        while self.is_doubled("|") {
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

    /// `&&` and `||`: the right operand must be one that may as well be computed.
    fn operands_of(
        &mut self,
        operator: Binary,
        left: Expression,
        right: impl FnOnce(&mut Self) -> Result<Expression, Error>,
    ) -> Result<Expression, Error> {
        let (position, before) = (self.tokens.position(), self.code.instructions.len());
        let right = right(self)?;
        if self.code.instructions.len() > before {
            return error(position, "an access behind `&&` or `||` is not supported");
        }
        Ok(Expression::binary(operator, truth(left), truth(right)))
    }

    /// Whether this sign stands here twice in a row: of those that tests in assembly use singly side by side.
    fn is_doubled(&self, sign: &str) -> bool {
        let (Some(one), Some(other)) = (self.tokens.peek(), self.tokens.peek_after(1)) else { return false };
        let adjacent = one.position.line == other.position.line && one.position.column + 1 == other.position.column;
        one.text == sign && other.text == sign && adjacent
    }

    fn operation(&mut self, level: usize) -> Result<Expression, Error> {
        let Some(operators) = OPERATORS.get(level) else { return self.product() };
        let mut left = self.operation(level + 1)?;
        loop {
            if level == 4 && self.tokens.is_next(">") && !self.is_doubled(">") {
                self.tokens.next();
                left = Expression::binary(Binary::Less, self.operation(level + 1)?, left);
            } else if level == 4 && self.tokens.take(">=") {
                left = Expression::binary(Binary::LessOrEqual, self.operation(level + 1)?, left);
            } else if level == 5 && self.is_doubled(">") {
                self.tokens.next();
                self.tokens.next();
                left = Expression::binary(Binary::ShiftRight, left, self.operation(level + 1)?);
            } else if let Some(&(_, operator)) = operators.iter().find(|(sign, _)| self.tokens.is_next(sign))
                && !self.is_doubled("|")
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
            return Ok(self.load(address, target.order(), position));
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

    fn load(&mut self, address: Expression, order: Order, position: Position) -> Expression {
        let to = self.temporary();
        self.push(Operation::Load { to, address, order }, position);
        Expression::Register(to)
    }

    fn order(&mut self) -> Result<Order, Error> {
        let name = self.tokens.name("a memory order")?;
        Ok(match name.text {
            "memory_order_relaxed" => Order::Relaxed,
            "memory_order_acquire" | "memory_order_consume" => Order::Acquire,
            "memory_order_release" => Order::Release,
            "memory_order_acq_rel" => Order::AcquireRelease,
            "memory_order_seq_cst" => Order::SequentiallyConsistent,
            other => return error(name.position, format!("`{other}` is no memory order")),
        })
    }

    /// The order behind the other arguments of a function that has one.
    fn last_order(&mut self, explicit: bool) -> Result<Order, Error> {
        if !explicit {
            return Ok(Order::SequentiallyConsistent);
        }
        self.tokens.expect(",")?;
        self.order()
    }

    fn call(&mut self, name: Token<'a>) -> Result<Expression, Error> {
        self.tokens.expect("(")?;
        let (function, explicit) = match name.text.strip_suffix("_explicit") {
            Some(function) => (function, true),
            None => (name.text, false),
        };
        let result = match function {
            "atomic_thread_fence" => {
                let order = self.order()?;
                self.push(Operation::Fence(Fence::C(order)), name.position);
                number(0)
            }
            "atomic_load" => {
                let (address, _) = self.pointer()?;
                let order = self.last_order(explicit)?;
                self.load(address, order, name.position)
            }
            "atomic_store" => {
                let (address, _) = self.pointer()?;
                self.tokens.expect(",")?;
                let value = self.expression()?;
                let order = self.last_order(explicit)?;
                self.push(Operation::Store { address, value, order }, name.position);
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

    /// `atomic_exchange` and `atomic_fetch_…`.
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
        let to = self.temporary();
        let strength = Strength::Ordered(order, order);
        self.push(Operation::Update { to, address, expected: None, new, strength }, name.position);
        Ok(Expression::Register(to))
    }

    /// What is expected stands in a shared location, or a local variable, which gets what is found if it is not that.
    fn compare_exchange(&mut self, position: Position, explicit: bool) -> Result<Expression, Error> {
        let (address, _) = self.pointer()?;
        self.tokens.expect(",")?;
        let local = if self.tokens.take("&") { Some(self.local()?) } else { None };
        let shared = if local.is_none() { Some(self.pointer()?.0) } else { None };
        let expected = self.temporary();
        match (local, &shared) {
            (Some(local), _) => {
                self.push(Operation::Assign { to: expected, value: Expression::Register(local) }, position);
            }
            (None, Some(place)) => {
                self.push(Operation::Load { to: expected, address: place.clone(), order: Order::Relaxed }, position);
            }
            (None, None) => unreachable!("it is one of both"),
        }
        self.tokens.expect(",")?;
        let new = self.expression()?;
        let success = self.last_order(explicit)?;
        let failure = self.last_order(explicit)?;
        let (to, wanted) = (self.temporary(), Expression::Register(expected));
        let strength = Strength::Ordered(success, failure);
        self.push(Operation::Update { to, address, expected: Some(wanted.clone()), new, strength }, position);
        let found = Expression::Register(to);
        let succeeded = Expression::binary(Binary::Equal, found.clone(), wanted);
        let done = self.branch(succeeded.clone(), position);
        match (local, shared) {
            (Some(local), _) => self.push(Operation::Assign { to: local, value: found }, position),
            (None, Some(address)) => {
                self.push(Operation::Store { address, value: found, order: Order::Relaxed }, position);
            }
            (None, None) => unreachable!("it is one of both"),
        }
        self.lands_here(done);
        Ok(succeeded)
    }
}
