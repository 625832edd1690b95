//! Says to the runtime where `main` returns, so that an exit status has a place, and that the program exits elsewhere.

use inkwell::llvm_sys::LLVMOpcode;

use crate::emit::Emitter;
use crate::failure::Result;
use crate::ir::{Block, Function, Value};
use crate::sites::{Places, Site};

/// The instructions behind which `main` returns, and the places of the returns.
#[derive(Default)]
pub(crate) struct Returns(Vec<(Value, Site)>);

impl Returns {
    /// Returns the returns of a function, if it is `main`; none of any other one.
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

/// Returns the ends of the `return` statements that lead to this instruction: of several, clang makes jumps to one.
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
