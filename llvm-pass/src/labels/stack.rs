//! What the end of the stack depends on, in a function that makes room of sizes that it computes: the variables of whatever it calls
//! are there.

use inkwell::values::{IntValue, PointerValue};

use super::code::Code;
use crate::failure::{Failure, Result};
use crate::ir::{Block, Class, Value};

/// The end of a function's stack.
#[derive(Clone, Copy, Default)]
pub(super) struct Stack<'ctx> {
    /// The variable that holds the label, if the function makes room of a size that is computed.
    label: Option<PointerValue<'ctx>>,
}

impl<'ctx> Stack<'ctx> {
    /// Makes that of a function that makes room of a size that is computed, given its first block.
    pub(super) fn of_computed_size(code: &Code<'_, 'ctx>, entry: Block) -> Result<Self> {
        let first = entry.first_non_phi().ok_or_else(|| Failure::new("a block without an end"))?;
        code.hooks.before(first);
        code.hooks.builder.unset_current_debug_location();
        let label = code.hooks.builder.build_alloca(code.hooks.context.i32_type(), "")?;
        code.hooks.builder.build_store(label, code.none())?;
        Ok(Self { label: Some(label) })
    }

    /// Returns the label of what the end of the stack depends on.
    pub(super) fn label(self, code: &Code<'_, 'ctx>) -> Result<IntValue<'ctx>> {
        let Some(label) = self.label else { return Ok(code.none()) };
        Ok(code.hooks.builder.build_load(code.hooks.context.i32_type(), label, "")?.into_int_value())
    }

    /// Notes what the end of the stack depends on from here on.
    pub(super) fn set(self, code: &Code<'_, 'ctx>, to: IntValue<'ctx>) -> Result<()> {
        if let Some(label) = self.label {
            code.hooks.builder.build_store(label, to)?;
        }
        Ok(())
    }
}

/// Whether an instruction makes room on the stack of a size that is computed.
pub(super) fn makes_room(instruction: Value) -> bool {
    instruction.is(Class::Alloca) && !instruction.operand(0).is(Class::ConstantInt)
}
