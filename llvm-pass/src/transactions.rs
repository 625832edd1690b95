//! Functions that are transactions: `FH_ATOMIC`, an annotation.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{self, Value};
use crate::sites::Site;

/// What `FH_ATOMIC` annotates a function with.
const ANNOTATION: &str = "fencehound.atomic";

/// The functions of a module that are transactions.
pub(crate) fn annotated(module: LLVMModuleRef) -> Vec<Value> {
    let Some(list) = ir::globals(module).into_iter().find(|global| global.name() == "llvm.global.annotations") else {
        return Vec::new();
    };
    let entries: Vec<Value> =
        list.initializer().into_iter().flat_map(|list| list.operands().collect::<Vec<_>>()).collect();
    let is_ours = |entry: &Value| {
        let text = entry.operand(1).initializer().and_then(Value::constant_text);
        text.is_some_and(|text| text.trim_end_matches('\0') == ANNOTATION)
    };
    entries.into_iter().filter(is_ours).map(|entry| entry.operand(0)).collect()
}

/// Puts the marks of a function that is a transaction in place.
pub(crate) fn emit(hooks: &mut Hooks, function: Value, site: &Site) -> Result<()> {
    let site = hooks.site(site);
    let first = function.blocks().first().and_then(|block| block.first_non_phi());
    hooks.before(first.ok_or_else(|| Failure::new("a function without instructions"))?);
    hooks.builder.unset_current_debug_location();
    hooks.call("__fh_transaction_begin", 0, &[site])?;
    let returns = |one: &Value| one.opcode() == Some(LLVMOpcode::LLVMRet);
    for end in function.instructions().into_iter().filter(returns) {
        hooks.before(end);
        hooks.builder.unset_current_debug_location();
        hooks.call("__fh_transaction_end", 0, &[site])?;
    }
    Ok(())
}
