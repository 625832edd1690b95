//! Tests in C, as herd7 reads them: a function for each thread, whose parameters are the shared locations, with calls of
//! `stdatomic.h`, plain accesses through pointers, local variables, arithmetic, `if` and `while`.
//!
//! Expressions are taken apart into one operation for each access. Local variables are registers; intermediate values have names
//! that no C program has.

mod expressions;
mod making;

use crate::code::{Binary, Expression, Operation};
use crate::parse::names::Names;
use crate::test::address;
use crate::text::{Error, Kind, Tokens, error};
use expressions::{Expressions, Pointee, number};
use making::Making;

/// Reads the functions of the program.
pub(super) fn program(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    while tokens.peek().is_some_and(|token| is_thread(token.text)) {
        let name = tokens.name("a thread")?;
        if name.text[1..].parse() != Ok(names.threads.len()) {
            return error(name.position, format!("this thread must be P{}", names.threads.len()));
        }
        let mut code = names.new_thread();
        let mut function = Function {
            terms: Expressions {
                tokens,
                making: Making::new(&mut code),
                pointers: Vec::new(),
                locals: Vec::new(),
                operands: 0,
            },
        };
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

/// A thread in the making, whose statements are read.
struct Function<'t, 'a> {
    terms: Expressions<'t, 'a>,
}

impl Function<'_, '_> {
    fn parameters(&mut self, names: &mut Names) -> Result<(), Error> {
        self.terms.tokens.expect("(")?;
        if self.terms.tokens.take(")") || (self.terms.tokens.take("void") && self.terms.tokens.take(")")) {
            return Ok(());
        }
        loop {
            let target = self.of_type()?;
            let star = self.terms.tokens.position();
            if !self.terms.tokens.take("*") {
                return error(star, "a parameter that is no pointer to a shared location is not supported");
            }
            let name = self.terms.tokens.name("a parameter")?;
            if self.terms.pointers.iter().any(|(known, _)| *known == name.text) {
                return error(name.position, format!("the parameter `{}` is there twice", name.text));
            }
            let location = names.location(name.text);
            let register = self.terms.making.code.register(name.text);
            self.terms.making.code.registers[register.index()].initial = address(location);
            self.terms.pointers.push((name.text, target));
            if !self.terms.tokens.take(",") {
                return self.terms.tokens.expect(")");
            }
        }
    }

    fn is_type(&self) -> bool {
        self.terms.tokens.peek().is_some_and(|token| token.kind == Kind::Name)
            && self.terms.tokens.peek_after(1).is_some_and(|next| next.kind == Kind::Name || next.text == "*")
            && !self.terms.tokens.is_next("else")
    }

    /// Reads the words of a type, and returns how a pointer to it accesses its target.
    fn of_type(&mut self) -> Result<Pointee, Error> {
        let mut target = Pointee::Plain;
        let mut words = 0;
        while self.terms.tokens.peek_after(1).is_some_and(|next| next.kind == Kind::Name || next.text == "*") {
            let word = self.terms.tokens.name("a type")?;
            if !TYPES.contains(&word.text) {
                return error(word.position, format!("the type `{}` is not supported", word.text));
            }
            if word.text.starts_with("atomic_") || word.text == "_Atomic" {
                target = Pointee::Atomic;
            }
            words += 1;
            if self.terms.tokens.is_next("*") {
                break;
            }
        }
        if words == 0 { self.terms.tokens.unexpected("a type") } else { Ok(target) }
    }

    fn block(&mut self) -> Result<(), Error> {
        self.terms.tokens.expect("{")?;
        while !self.terms.tokens.take("}") {
            self.statement()?;
        }
        Ok(())
    }

    fn body(&mut self) -> Result<(), Error> {
        if self.terms.tokens.is_next("{") { self.block() } else { self.statement() }
    }

    fn statement(&mut self) -> Result<(), Error> {
        self.terms.operands = 0;
        self.terms.tokens.enter()?;
        self.one_statement()?;
        self.terms.tokens.leave();
        Ok(())
    }

    fn one_statement(&mut self) -> Result<(), Error> {
        if self.terms.tokens.take(";") {
            return Ok(());
        }
        if self.terms.tokens.is_next("{") {
            return self.block();
        }
        if self.terms.tokens.take("if") {
            return self.conditional();
        }
        if self.terms.tokens.take("while") {
            return self.repeated();
        }
        if self.is_type() && !self.terms.tokens.is_next("*") {
            return self.declaration();
        }
        let position = self.terms.tokens.position();
        if self.terms.tokens.take("*") {
            let (pointer, target) = self.terms.pointer()?;
            self.terms.tokens.expect("=")?;
            let value = self.terms.expression()?;
            self.terms.making.push(
                Operation::Store { address: pointer, value, order: target.order(), annotations: target.annotations() },
                position,
            );
        } else if self.terms.tokens.peek_after(1).is_some_and(|next| next.text == "=") {
            let to = self.terms.local()?;
            self.terms.tokens.expect("=")?;
            let value = self.terms.expression()?;
            self.terms.making.push(Operation::Assign { to, value }, position);
        } else {
            self.terms.expression()?;
        }
        self.terms.tokens.expect(";")
    }

    fn declaration(&mut self) -> Result<(), Error> {
        self.of_type()?;
        loop {
            let name = self.terms.tokens.name("a variable that is no pointer")?;
            if !self.terms.locals.contains(&name.text) {
                self.terms.locals.push(name.text);
            }
            let to = self.terms.making.code.register(name.text);
            self.terms.making.code.loads(to);
            if self.terms.tokens.take("=") {
                let value = self.terms.expression()?;
                self.terms.making.push(Operation::Assign { to, value }, name.position);
            }
            if !self.terms.tokens.take(",") {
                return self.terms.tokens.expect(";");
            }
        }
    }

    /// Reads the condition of a statement, and returns the index of the branch that is taken where the condition does not hold,
    /// whose target is still to be set.
    fn unless(&mut self) -> Result<usize, Error> {
        let position = self.terms.tokens.position();
        self.terms.tokens.expect("(")?;
        let condition = self.terms.expression()?;
        self.terms.tokens.expect(")")?;
        let unless = Expression::binary(Binary::Equal, condition, number(0));
        Ok(self.terms.making.branch(unless, position))
    }

    fn conditional(&mut self) -> Result<(), Error> {
        let otherwise = self.unless()?;
        self.body()?;
        let position = self.terms.tokens.position();
        if self.terms.tokens.take("else") {
            let end = self.terms.making.branch(number(1), position);
            self.terms.making.lands_here(otherwise);
            self.body()?;
            self.terms.making.lands_here(end);
        } else {
            self.terms.making.lands_here(otherwise);
        }
        Ok(())
    }

    fn repeated(&mut self) -> Result<(), Error> {
        let position = self.terms.tokens.position();
        let begin = self.terms.making.code.instructions.len();
        let end = self.unless()?;
        self.body()?;
        self.terms.making.push(Operation::Branch { condition: number(1), target: begin }, position);
        self.terms.making.lands_here(end);
        Ok(())
    }
}
