//! Functions that are something as a whole, from where they begin to where they return: transactions (`FH_ATOMIC`, an
//! annotation), and atomic blocks (`__VERIFIER_atomic_…`, as programs for SV-COMP name them).

use std::collections::HashSet;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{self, Block, Constant, Function, Global, Value};
use crate::names::Names;
use crate::sites::Site;

/// The annotation that the macro `FH_ATOMIC` puts on a function.
const ANNOTATION: &str = "fencehound.atomic";

/// Returns the functions of a module that are transactions.
pub(crate) fn annotated(module: LLVMModuleRef) -> HashSet<Value> {
    let Some(list) = ir::globals(module).into_iter().find(|global| global.name() == "llvm.global.annotations") else {
        return HashSet::new();
    };
    let entries: Vec<Value> =
        Global(list).initializer().into_iter().flat_map(|list| list.operands().collect::<Vec<_>>()).collect();
    let is_ours = |entry: &Value| {
        let text = Global(entry.operand(1)).initializer().and_then(|text| Constant(text).text());
        text.is_some_and(|text| text.trim_end_matches('\0') == ANNOTATION)
    };
    entries.into_iter().filter(is_ours).map(|entry| entry.operand(0)).collect()
}

/// The beginning of the names of functions that are atomic blocks.
const PREFIX: &str = "__VERIFIER_atomic_";

/// What a function is as a whole: a transaction, or an atomic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bracket {
    Transaction,
    AtomicBlock,
}

impl Bracket {
    /// Returns the bracket of a function, if it is one; `annotated` are the functions of its module that are transactions.
    pub(crate) fn of(function: Value, annotated: &HashSet<Value>, names: &Names) -> Option<Self> {
        if annotated.contains(&function) {
            return Some(Self::Transaction);
        }
        let name = function.name();
        (name.starts_with(PREFIX) && !names.is_modelled(&name)).then_some(Self::AtomicBlock)
    }

    /// Returns the names of the hooks that are called where the function begins and where it ends.
    const fn hooks(self) -> [&'static str; 2] {
        match self {
            Self::Transaction => ["__fh_transaction_begin", "__fh_transaction_end"],
            Self::AtomicBlock => ["__fh_block_begin", "__fh_block_end"],
        }
    }
}

/// Puts the hooks of a bracket in place, at the beginning of the function and before each return.
pub(crate) fn emit(hooks: &mut Hooks, function: Value, (bracket, site): &(Bracket, Site)) -> Result<()> {
    let site = hooks.site(site)?;
    let [begin, end] = bracket.hooks();
    let first = Function(function).entry().and_then(Block::first_non_phi);
    hooks.before(first.ok_or_else(|| Failure::new("a function without instructions"))?);
    hooks.builder.unset_current_debug_location();
    hooks.call(begin, &[site])?;
    let returns = |one: &Value| one.opcode() == Some(LLVMOpcode::LLVMRet);
    for ret in Function(function).instructions().into_iter().filter(returns) {
        hooks.before(ret);
        hooks.builder.unset_current_debug_location();
        hooks.call(end, &[site])?;
    }
    Ok(())
}
