//! Inline assembly: what it does, from its text and constraints.
//!
//! A template is read as a straight line of the x86-64 instructions that lock-free C uses (AT&T syntax), or of the
//! fences of POWER and ARM. What is understood is built anew from hooks and ordinary code (`lift.rs`); what is not is
//! refused where it is reached, unless it only computes in registers (`computation`). How to read: `constraints` says what each operand is, `operands` reads operands,
//! `instructions` reads instructions. Templates that users explain are in `templates`.

mod computation;
pub(crate) mod constraints;
pub(crate) mod instructions;
pub(crate) mod notation;
pub(crate) mod operands;
pub(crate) mod templates;

use constraints::Slot;
use instructions::Instruction;
use templates::{Meaning, Templates};

/// What inline assembly does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Assembly {
    /// It does nothing that others could see: a compiler barrier, `pause`, a prefetch, a computation in registers. It
    /// stays as it is.
    Nothing,
    /// These instructions, which take its place.
    Program(Program),
    /// It stays as it is; its result is that of an external function of this name, known to be harmless or not, and it
    /// may be a fence.
    Native { name: String, harmless: bool, fence: Option<u32> },
    /// It is not understood: its text, as [`as_written`] has it.
    Unknown(String),
}

/// Instructions and the operands that they name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Program {
    /// In order.
    pub(crate) instructions: Vec<Instruction>,
    /// Outputs and inputs, in order.
    pub(crate) slots: Vec<Slot>,
}

/// What the text means. `bytes` are the sizes of the operands' types, where they are scalars.
pub(crate) fn understand(text: &str, constraints: &str, bytes: &[Option<u64>], templates: &Templates) -> Assembly {
    let unknown = || Assembly::Unknown(as_written(text));
    let statements = statements(text);
    let program = |instructions| Some(Program { instructions, slots: constraints::parse(constraints, bytes)? });
    match templates.meaning(&statements) {
        Some(Meaning::Nothing) => return program(Vec::new()).map_or_else(unknown, Assembly::Program),
        Some(Meaning::Fence(number)) => {
            return program(vec![Instruction::Fence(*number)]).map_or_else(unknown, Assembly::Program);
        }
        Some(Meaning::Like(other)) => return understand(other, constraints, bytes, &Templates::default()),
        None => {}
    }
    if statements.iter().all(|statement| instructions::is_nothing(statement)) {
        return Assembly::Nothing;
    }
    if let [only] = statements.as_slice()
        && let Some(native) = native(only)
    {
        return native;
    }
    let slots = constraints::parse(constraints, bytes);
    let program =
        slots.and_then(|slots| Some(Program { instructions: instructions::parse(&statements, &slots)?, slots }));
    match program {
        Some(program) => Assembly::Program(program),
        None if computation::is_all(&statements, constraints) => Assembly::Nothing,
        None => unknown(),
    }
}

/// A template on one line, in C's notation: a line of a file of templates may begin with it.
pub(crate) fn as_written(text: &str) -> String {
    notation::as_c(&statements(text).join("; "))
}

/// The instructions whose result is no business of other threads.
fn native(statement: &str) -> Option<Assembly> {
    const SEQ_CST: u32 = 5;
    let (harmless, fence) = match statement {
        "rdtsc" | "rdtscp" => (false, None),
        "cpuid" => (true, Some(SEQ_CST)),
        "xgetbv" => (true, None),
        _ => return None,
    };
    Some(Assembly::Native { name: statement.to_owned(), harmless, fence })
}

/// The statements of a template in lower case, with single blanks and without comments; prefixes stand before what they
/// belong to.
pub(crate) fn statements(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain += before;
        plain.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain += rest;
    let lines = plain.lines().map(|line| line.split('#').next().unwrap_or(""));
    let mut found: Vec<String> = Vec::new();
    let mut prefix = String::new();
    for statement in lines.flat_map(|line| line.split(';')) {
        let words: Vec<String> = statement.split_whitespace().map(str::to_lowercase).collect();
        match words.join(" ").as_str() {
            "" => {}
            alone @ ("lock" | "rep") => prefix = format!("{alone} "),
            // As in `% rax`, which assemblers take for `%rax`.
            statement => found.push(std::mem::take(&mut prefix) + &statement.replace("% ", "%").replace("$$ ", "$$")),
        }
    }
    if !prefix.is_empty() {
        found.push(prefix.trim_end().to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{as_written, statements};

    #[test]
    fn what_is_not_understood_is_shown_as_the_file_of_templates_wants_it() {
        assert_eq!(as_written("movq %rax,\t${1:q}\n\tfrob $$4, $3 # x"), "movq %%rax, %q1; frob $4, %3");
    }

    #[test]
    fn statements_are_told_apart_however_they_are_spelled() {
        for text in
            ["lock; incl $0; sete $1", "lock\n\tincl   $0\n\tsete $1\n", " LOCK incl $0;/* flags */ sete $1 # z"]
        {
            assert_eq!(statements(text), ["lock incl $0", "sete $1"], "{text}");
        }
        assert_eq!(statements("rep; nop"), ["rep nop"]);
        assert_eq!(statements("lock"), ["lock"]);
        assert_eq!(statements("mov % rax, $2; lock addl $$ 0, 0(% rsp)"), ["mov %rax, $2", "lock addl $$0, 0(%rsp)"]);
        assert!(statements(" \n ; /* nothing */").is_empty());
    }
}
