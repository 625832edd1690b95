//! The local variables of functions. The runtime is told of those that other threads may come to know of: each when its function
//! begins (or when the program makes room for it), all when the function returns. So an access to one whose function has returned
//! is noticed.
//!
//! The others are filled: an uninitialised one must not hold what an earlier function left there, since wait loops compare it,
//! and since it is not the same at each optimisation level.

use inkwell::IntPredicate;
use inkwell::values::{BasicValueEnum, IntValue};

use crate::abi::{FH_FRESH_BYTE, FH_FRESH_BYTES};
use crate::escape::Privacy;
use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Block, Call, Class, Function, Instruction, Layout, Type, Value, attribute_kind};
use crate::sites::{Places, Site};
use inkwell::llvm_sys::LLVMOpcode;

/// The local variables of a function.
pub(crate) struct Locals {
    /// The variables that are announced to the runtime.
    locals: Vec<Value>,
    /// The variables of which no other thread can know.
    private: Vec<Value>,
    /// Parameters that are the function's own copies (`byval`), and their types.
    copies: Vec<(Value, Type)>,
    site: Site,
}

impl Locals {
    /// Finds the local variables of a function.
    pub(crate) fn of(function: Value, privacy: &Privacy, places: &Places) -> Self {
        let variables = Function(function).instructions().into_iter().filter(|one| one.is(Class::Alloca));
        let (locals, private) = variables.partition(|one| privacy.has_escaped(*one));
        let byval = attribute_kind("byval");
        let own = Function(function);
        let copies = (0..own.parameter_count())
            .map(|index| (own.parameter(index), own.parameter_type_attribute(index, byval)))
            .filter_map(|(parameter, kind)| Some((parameter, kind?)))
            .filter(|&(parameter, _)| privacy.has_escaped(parameter))
            .collect();
        Self { locals, private, copies, site: places.of_function(function) }
    }
}

/// Announces the variables of a function, and their end, after all its other hooks are in place.
pub(crate) fn emit(hooks: &mut Hooks, function: Value, variables: &Locals, layout: Layout) -> Result<()> {
    if variables.locals.is_empty() && variables.copies.is_empty() {
        return Ok(());
    }
    let site = hooks.site(&variables.site)?;
    let first = Function(function).entry().and_then(Block::first_non_phi);
    hooks.before(first.ok_or_else(|| Failure::new("a function without instructions"))?);
    hooks.builder.unset_current_debug_location();
    let depth = hooks.call("__fh_frame", &[])?;
    for &(copy, kind) in &variables.copies {
        let size = hooks.long(layout.allocated_size(kind));
        hooks.call("__fh_by_value", &[copy.basic(), size.into(), site])?;
    }
    for &local in &variables.locals {
        hooks.before(local.next().ok_or_else(|| Failure::new("a block that ends with an alloca"))?);
        hooks.builder.unset_current_debug_location();
        let size = size(hooks, local, layout)?;
        hooks.call("__fh_local", &[local.basic(), size.into(), site])?;
    }
    for block in Function(function).blocks() {
        let end = block.terminator().filter(|end| end.opcode() == Some(LLVMOpcode::LLVMRet));
        if let Some(end) = end.filter(|end| !follows_tail_call(*end)) {
            hooks.before(end);
            hooks.builder.unset_current_debug_location();
            hooks.call("__fh_leave", &[BasicValueEnum::from(depth)])?;
        }
    }
    Ok(())
}

/// Fills the private variables of a function, after all other changes, so that no hook sees it.
pub(crate) fn fill(hooks: &Hooks, variables: &Locals, layout: Layout) -> Result<()> {
    for &variable in &variables.private {
        hooks.before(variable.next().ok_or_else(|| Failure::new("a block that ends with an alloca"))?);
        hooks.builder.unset_current_debug_location();
        let most = hooks.long(u64::from(FH_FRESH_BYTES));
        let size = size(hooks, variable, layout)?;
        let is_small = hooks.builder.build_int_compare(IntPredicate::ULT, size, most, "")?;
        let size = hooks.builder.build_select(is_small, size, most, "")?.into_int_value();
        let pattern = hooks.context.i8_type().const_int(u64::from(FH_FRESH_BYTE), false);
        hooks.builder.build_memset(variable.pointer(), 1, pattern, size).map_err(Failure::new)?;
    }
    Ok(())
}

/// Returns how many bytes an alloca makes room for.
fn size<'ctx>(hooks: &Hooks<'ctx>, local: Value, layout: Layout) -> Result<IntValue<'ctx>> {
    let each = hooks.long(layout.allocated_size(Instruction(local).allocated_type()));
    let count: IntValue = local.operand(0).integer();
    let count = hooks.builder.build_int_z_extend_or_bit_cast(count, hooks.context.i64_type(), "")?;
    Ok(hooks.builder.build_int_mul(count, each, "")?)
}

/// Whether a return must stay right behind the call before it.
fn follows_tail_call(end: Value) -> bool {
    let instructions = end.block().instructions();
    let before = instructions.len().checked_sub(2).map(|index| instructions[index]);
    before.is_some_and(|before| before.is_call() && Call(before).is_must_tail_call())
}
