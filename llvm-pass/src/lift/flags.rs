//! The flags of x86-64 as inline assembly leaves them.

use inkwell::IntPredicate;
use inkwell::values::IntValue;

use crate::assembly::conditions::{Condition, Test};
use crate::failure::Result;
use crate::hooks::Hooks;

/// The flags after an instruction, as far as they are known.
#[derive(Clone, Copy)]
pub(super) struct Flags<'ctx> {
    pub(super) carry: IntValue<'ctx>,
    pub(super) zero: IntValue<'ctx>,
    sign: IntValue<'ctx>,
    pub(super) overflow: IntValue<'ctx>,
}

impl<'ctx> Flags<'ctx> {
    /// Returns flags that are all off.
    pub(super) fn new(hooks: &Hooks<'ctx>) -> Self {
        let off = hooks.context.bool_type().const_zero();
        Self { carry: off, zero: off, sign: off, overflow: off }
    }

    /// Sets zero and sign after an instruction with this result.
    pub(super) fn set_after(&mut self, hooks: &Hooks<'ctx>, result: IntValue<'ctx>) -> Result<()> {
        self.zero = compare(hooks, IntPredicate::EQ, result, result.get_type().const_zero())?;
        self.sign = is_negative(hooks, result)?;
        Ok(())
    }

    /// Sets all flags after `one + other`.
    pub(super) fn set_after_sum(
        &mut self,
        hooks: &Hooks<'ctx>,
        one: IntValue<'ctx>,
        other: IntValue<'ctx>,
        sum: IntValue<'ctx>,
    ) -> Result<()> {
        self.carry = compare(hooks, IntPredicate::ULT, sum, one)?;
        let builder = &hooks.builder;
        let (left, right) = (builder.build_xor(one, sum, "")?, builder.build_xor(other, sum, "")?);
        let both = builder.build_and(left, right, "")?;
        self.overflow = is_negative(hooks, both)?;
        self.set_after(hooks, sum)
    }

    /// Sets all flags after `one - other`.
    pub(super) fn set_after_difference(
        &mut self,
        hooks: &Hooks<'ctx>,
        one: IntValue<'ctx>,
        other: IntValue<'ctx>,
        difference: IntValue<'ctx>,
    ) -> Result<()> {
        self.carry = compare(hooks, IntPredicate::ULT, one, other)?;
        let builder = &hooks.builder;
        let (left, right) = (builder.build_xor(one, other, "")?, builder.build_xor(one, difference, "")?);
        let both = builder.build_and(left, right, "")?;
        self.overflow = is_negative(hooks, both)?;
        self.set_after(hooks, difference)
    }

    /// Whether a condition holds.
    pub(super) fn holds(self, hooks: &Hooks<'ctx>, condition: Condition) -> Result<IntValue<'ctx>> {
        let Self { carry, zero, sign, overflow } = self;
        let builder = &hooks.builder;
        let holds = match condition.test {
            Test::Overflow => overflow,
            Test::Below => carry,
            Test::Equal => zero,
            Test::BelowOrEqual => builder.build_or(carry, zero, "")?,
            Test::Sign => sign,
            Test::Less => builder.build_xor(sign, overflow, "")?,
            Test::LessOrEqual => builder.build_or(zero, builder.build_xor(sign, overflow, "")?, "")?,
        };
        if condition.negated { Ok(builder.build_not(holds, "")?) } else { Ok(holds) }
    }
}

/// Compares two integers.
pub(super) fn compare<'ctx>(
    hooks: &Hooks<'ctx>,
    predicate: IntPredicate,
    one: IntValue<'ctx>,
    other: IntValue<'ctx>,
) -> Result<IntValue<'ctx>> {
    Ok(hooks.builder.build_int_compare(predicate, one, other, "")?)
}

/// Whether the highest bit of an integer is set.
fn is_negative<'ctx>(hooks: &Hooks<'ctx>, value: IntValue<'ctx>) -> Result<IntValue<'ctx>> {
    compare(hooks, IntPredicate::SLT, value, value.get_type().const_zero())
}
