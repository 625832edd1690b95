//! Functions that are atomic blocks as a whole: `__VERIFIER_atomic_…`, as programs for SV-COMP name them.

use inkwell::llvm_sys::LLVMOpcode;

use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::Value;
use crate::names::Names;
use crate::sites::Site;

const PREFIX: &str = "__VERIFIER_atomic_";

/// Whether the function is one.
pub(crate) fn is_one(function: Value, names: &Names) -> bool {
    let name = function.name();
    name.starts_with(PREFIX) && !names.is_modelled(&name)
}

/// Puts the marks of its beginning and of its ends in place.
pub(crate) fn emit(hooks: &mut Hooks, function: Value, site: &Site) -> Result<()> {
    let site = hooks.site(site);
    let first = function.blocks().first().and_then(|block| block.first_non_phi());
    hooks.before(first.ok_or_else(|| Failure::new("a function without instructions"))?);
    hooks.builder.unset_current_debug_location();
    hooks.call("__fh_block_begin", 0, &[site])?;
    let returns = |one: &Value| one.opcode() == Some(LLVMOpcode::LLVMRet);
    for end in function.instructions().into_iter().filter(returns) {
        hooks.before(end);
        hooks.builder.unset_current_debug_location();
        hooks.call("__fh_block_end", 0, &[site])?;
    }
    Ok(())
}
