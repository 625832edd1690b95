//! Reading LLVM's IR: small copyable handles over `llvm_sys` for what typed inkwell does not reach (it panics on
//! metadata and token operands, and knows neither orderings of cmpxchg nor constant expressions).
//!
//! Invariant: a handle stands for a live object of the module that is being instrumented. Only [`Value::erase`]
//! ends one; who calls it keeps no copy.

mod handles;
mod location;
mod module;
mod text;
mod views;

pub(crate) use handles::{Block, Class, Layout, Type, Value};
pub(crate) use location::Location;
pub(crate) use module::{compilation_folder, declare, definitions, functions, globals, source_file};
pub(crate) use text::{attribute_kind, c_text, metadata_kind, text};
pub(crate) use views::{Call, Constant, Function, Global, InlineAssembly, Instruction};
