//! The meaning of inline assembly, as its text and constraints show it.
//!
//! A template is read as a straight line of the x86-64 instructions that lock-free C uses (AT&T syntax), or of the fences of
//! POWER, ARM and RISC-V. What is understood is built anew from hooks and ordinary code (`lift.rs`); what is not is refused where
//! it is reached, unless it only computes in registers (`computation`). How to read: `constraints` says what each operand is,
//! `operands` reads operands, `instructions` reads instructions. Templates that users explain are in `templates`.

mod computation;
pub(crate) mod conditions;
pub(crate) mod constraints;
pub(crate) mod instructions;
pub(crate) mod notation;
pub(crate) mod operands;
pub(crate) mod registers;
pub(crate) mod templates;

use constraints::Slot;
use instructions::Instruction;
use notation::{as_written, statements};
use templates::{Meaning, Templates};

/// The meaning of a piece of inline assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Assembly {
    /// The assembly does nothing that others could see: it is a compiler barrier, `pause`, a prefetch, or a computation in
    /// registers. It stays as it is.
    Nothing,
    /// The assembly is these instructions, which take its place.
    Program(AssemblyProgram),
    /// The assembly stays as it is. Its result is that of an external function of this name, known to be harmless or not, and it
    /// may be a fence.
    Native { name: String, harmless: bool, fence: Option<u32> },
    /// The assembly is not understood; the field is its text, as [`as_written`] has it.
    Unknown(String),
}

/// A program of inline assembly: instructions, and the operands that they name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AssemblyProgram {
    /// The instructions, in order.
    pub(crate) instructions: Vec<Instruction>,
    /// The outputs and inputs, in order.
    pub(crate) slots: Vec<Slot>,
}

/// Returns what inline assembly does. `bytes` are the sizes of the operands' types, where they are scalars.
pub(crate) fn understand(text: &str, constraints: &str, bytes: &[Option<u64>], templates: &Templates) -> Assembly {
    let unknown = || Assembly::Unknown(as_written(text));
    let statements = statements(text);
    let program = |instructions| Some(AssemblyProgram { instructions, slots: constraints::parse(constraints, bytes)? });
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
    let program = slots
        .and_then(|slots| Some(AssemblyProgram { instructions: instructions::parse(&statements, &slots)?, slots }));
    match program {
        Some(program) => Assembly::Program(program),
        None if computation::is_all(&statements, constraints) => Assembly::Nothing,
        None => unknown(),
    }
}

/// Whether inline assembly is for another machine, or the user has said what it means: it is understood, and not assembled.
pub(crate) fn is_foreign(text: &str, templates: &Templates) -> bool {
    let statements = statements(text);
    templates.meaning(&statements).is_some() || statements.iter().any(|one| instructions::is_foreign(one))
}

/// Returns the meaning of an instruction that stays as it is, since its result has nothing to do with other threads.
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
