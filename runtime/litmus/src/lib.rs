//! Litmus tests: small multi-threaded programs with a condition on their final states, in the format of herd7.
//!
//! [`parse::parse`] reads the text of a test; instructions of all dialects (PPC, X86, AArch64, RISCV, C) become the few
//! [`Operation`]s of `code.rs`, which [`interpreter`] runs, a thread at a time. [`schedules`] runs whole tests under an explorer
//! of interleavings, [`graphs`] under one of graphs; [`condition`] says what is asked of final states, [`outcomes`] counts them.
//!
//! # Values
//! All arithmetic is on 64 bits, whatever the width of the registers and types in the test. Addresses are values, too:
//! those of [`address`].
#![forbid(unsafe_code)]

pub mod condition;
pub mod graphs;
pub mod interpreter;
pub mod outcomes;
pub mod parse;
pub mod schedules;

mod code;
mod test;
mod text;

pub use code::{Binary, Code, Declaration, Expression, Fence, Instruction, Operation, Register, Strength};
pub use engine::graph::{Annotations, Value};
pub use test::{Architecture, Test, address};
pub use text::{Error, TextPosition};
