//! The places where `main` returns, which the runtime is told, so that an exit status has a place.

use inkwell::llvm_sys::LLVMOpcode;

use crate::emit::Emitter;
use crate::failure::Result;
use crate::ir::{Block, Function, Value};
use crate::sites::{Places, Site};

/// The instructions behind which `main` returns, each with the place of its `return` statement.
#[derive(Default)]
pub(crate) struct Returns(Vec<(Value, Site)>);

impl Returns {
    /// Returns the returns of a function if it is `main`, and none of any other.
    pub(crate) fn of(function: Value, places: &Places) -> Self {
        if function.name() != "main" {
            return Self::default();
        }
        let blocks = Function(function).blocks();
        let is_return = |end: &Value| end.opcode() == Some(LLVMOpcode::LLVMRet);
        let ends = blocks.iter().filter_map(|block| block.terminator()).filter(is_return);
        let told = ends.flat_map(|end| statements(&blocks, end));
        Self(told.map(|end| (end, places.site(end, None))).collect())
    }
}

/// Returns the ends of the `return` statements that lead to this instruction; where there are several, clang makes them jumps to
/// one instruction.
fn statements(blocks: &[Block], end: Value) -> Vec<Value> {
    let before: Vec<Value> = blocks
        .iter()
        .filter(|block| block.successors().contains(&end.block()))
        .filter_map(|block| block.terminator())
        .collect();
    let jumps = |end: &Value| end.block().successors().len() == 1 && end.location().is_some();
    if before.len() > 1 && before.iter().all(jumps) { before } else { vec![end] }
}

/// Stores the place of each return where the runtime looks for the place of a call.
pub(crate) fn emit(emitter: &mut Emitter<'_, '_>, returns: &Returns) -> Result<()> {
    for (end, site) in &returns.0 {
        emitter.hooks.before(*end);
        let site = emitter.hooks.site(site)?;
        emitter.store_site(site)?;
    }
    Ok(())
}
