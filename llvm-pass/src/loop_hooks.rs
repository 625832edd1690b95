//! The building of loops' hooks: what `loops.rs` decided is carried out, with the hook at each header, the state that it is told,
//! and the flags.

use inkwell::IntPredicate;
use inkwell::llvm_sys::core::LLVMBuildFreeze;
use inkwell::values::{AsValueRef, BasicValue, BasicValueEnum, IntValue, PointerValue};

use crate::abi::{FH_LOOP_CHANGED, FH_LOOP_COMPARABLE, FH_LOOP_ENTERED};
use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Class, Instruction, Value};
use crate::loops::{ComparedVariable, FlaggedWrite, HookedLoop, LoopPlan};
use crate::shim;

/// Carries out a function's plan.
pub(crate) fn emit(hooks: &mut Hooks, function: Value, plan: &LoopPlan) -> Result<()> {
    let mut flags = Vec::new();
    for one in &plan.loops {
        let flag = if one.flagged { Some(hooks.variable(function, hooks.context.i8_type())?) } else { None };
        emit_loop(hooks, function, one, flag)?;
        flags.push(flag);
    }
    for one in &plan.endless {
        hooks.before(one.header.first_non_phi().ok_or_else(|| Failure::new("a block without an end"))?);
        let site = hooks.site(&one.site)?;
        hooks.call("__fh_endless", &[site])?;
    }
    for write in &plan.writes {
        emit_write(hooks, write, &flags)?;
    }
    Ok(())
}

/// Builds the hook at a header.
fn emit_loop<'ctx>(
    hooks: &mut Hooks<'ctx>,
    function: Value,
    one: &HookedLoop,
    flag: Option<PointerValue<'ctx>>,
) -> Result<()> {
    let phis: Vec<Value> = one.header.instructions().into_iter().take_while(|phi| phi.is(Class::Phi)).collect();
    let begin = one.header.first_non_phi().ok_or_else(|| Failure::new("a block without an end"))?;
    let record = hooks.variable(function, hooks.context.i64_type().array_type(4))?;
    hooks.before_debug_records(begin);
    let back = came_back(hooks, one)?;
    hooks.before(begin);
    let (mut state, mut always) = (Vec::new(), false);
    for phi in phis {
        if is_comparable(phi.basic()) {
            let now = settle(hooks, phi)?;
            state.push(to_words(hooks, now)?);
        } else {
            always = true;
        }
    }
    for watched in one.watched.iter().filter(|_| !always) {
        load_words(hooks, watched, &mut state)?;
    }
    let (place, words) = store_state(hooks, function, &state)?.unwrap_or((record, 0));
    let mut changed = hooks.context.bool_type().const_int(u64::from(always), false);
    if let Some(flag) = flag {
        let kind = hooks.context.i8_type();
        let value = hooks.builder.build_load(kind, flag, "")?.into_int_value();
        let set = hooks.builder.build_int_compare(IntPredicate::NE, value, kind.const_zero(), "")?;
        hooks.builder.build_store(flag, kind.const_zero())?;
        changed = hooks.builder.build_or(changed, set, "")?;
    }
    let [entered, changes, same] = [FH_LOOP_ENTERED, FH_LOOP_CHANGED, FH_LOOP_COMPARABLE].map(|one| hooks.number(one));
    let visit = hooks.builder.build_select(changed, changes, same, "")?;
    let visit = hooks.builder.build_select(back.into_int_value(), visit.into_int_value(), entered, "")?;
    let site = hooks.site(&one.site)?;
    hooks.call("__fh_loop", &[record.into(), visit, place.into(), hooks.long(words).into(), site]).map(|_| ())
}

/// Returns a phi that is false on the edges from outside and true on the back edges.
fn came_back<'ctx>(hooks: &Hooks<'ctx>, one: &HookedLoop) -> Result<BasicValueEnum<'ctx>> {
    let kind = hooks.context.bool_type();
    let phi = hooks.builder.build_phi(kind, "")?;
    for &(block, is_back) in &one.edges {
        let block = block.typed().ok_or_else(|| Failure::new("an edge from no block"))?;
        let value = kind.const_int(u64::from(is_back), false);
        phi.add_incoming(&[(&value as &dyn BasicValue, block)]);
    }
    Ok(phi.as_basic_value())
}

/// Whether `to_words` takes values like this one.
fn is_comparable(value: BasicValueEnum) -> bool {
    matches!(value, BasicValueEnum::IntValue(_) | BasicValueEnum::PointerValue(_) | BasicValueEnum::FloatValue(_))
}

/// Returns the bits of an integer, a pointer or a floating-point number, as an integer of whole words.
fn to_words<'ctx>(hooks: &Hooks<'ctx>, value: BasicValueEnum<'ctx>) -> Result<IntValue<'ctx>> {
    let builder = &hooks.builder;
    let bits = match value {
        BasicValueEnum::IntValue(value) => value,
        BasicValueEnum::PointerValue(value) => builder.build_ptr_to_int(value, hooks.context.i64_type(), "")?,
        BasicValueEnum::FloatValue(value) => {
            let bits = hooks.integer_type(value.get_type().get_bit_width())?;
            builder.build_bit_cast(value, bits, "")?.into_int_value()
        }
        _ => return Err(Failure::new("a comparison of values that are not simple")),
    };
    let width = bits.get_type().get_bit_width().next_multiple_of(64);
    if bits.get_type().get_bit_width() == width {
        return Ok(bits);
    }
    Ok(builder.build_int_z_extend(bits, hooks.integer_type(width)?, "")?)
}

/// Loads the words of a variable, without the bytes that do not matter.
fn load_words<'ctx>(hooks: &Hooks<'ctx>, watched: &ComparedVariable, into: &mut Vec<IntValue<'ctx>>) -> Result<()> {
    for offset in (0..watched.size).step_by(8) {
        let length = (watched.size - offset).min(8);
        let mask = (0..length)
            .filter(|byte| watched.bytes.contains(offset + byte))
            .fold(0, |mask: u64, byte| mask | 0xff << (8 * byte));
        if mask == 0 {
            continue;
        }
        let kind = hooks.integer_type(u32::try_from(8 * length).map_err(Failure::new)?)?;
        let mask = kind.const_int(mask, false);
        let now = load_word(hooks, watched.variable.pointer(), offset, kind)?;
        let now = if mask == kind.const_all_ones() { now } else { hooks.builder.build_and(now, mask, "")? };
        into.push(to_words(hooks, now.into())?);
    }
    Ok(())
}

/// Stores the state of a loop in the frame, and returns where, and how many words it has; none if it has no words.
fn store_state<'ctx>(
    hooks: &Hooks<'ctx>,
    function: Value,
    state: &[IntValue<'ctx>],
) -> Result<Option<(PointerValue<'ctx>, u64)>> {
    let bytes: u32 = state.iter().map(|word| word.get_type().get_bit_width() / 8).sum();
    if bytes == 0 {
        return Ok(None);
    }
    let place = hooks.variable(function, hooks.context.i64_type().array_type(bytes / 8))?;
    let mut offset = 0;
    for word in state {
        let at = displaced(hooks, place, offset)?;
        hooks.builder.build_store(at, *word)?.set_alignment(8).map_err(Failure::new)?;
        offset += u64::from(word.get_type().get_bit_width() / 8);
    }
    Ok(Some((place, u64::from(bytes / 8))))
}

/// Whether two integers, pointers or floating-point numbers differ in a bit.
fn differ<'ctx>(hooks: &Hooks<'ctx>, one: BasicValueEnum<'ctx>, other: BasicValueEnum<'ctx>) -> Result<IntValue<'ctx>> {
    let (one, other) = (to_words(hooks, one)?, to_words(hooks, other)?);
    Ok(hooks.builder.build_int_compare(IntPredicate::NE, one, other, "")?)
}

/// Loads a word of a variable, which may be uninitialised.
fn load_word<'ctx>(
    hooks: &Hooks<'ctx>,
    variable: PointerValue<'ctx>,
    offset: u64,
    kind: inkwell::types::IntType<'ctx>,
) -> Result<IntValue<'ctx>> {
    let place = displaced(hooks, variable, offset)?;
    let word = hooks.builder.build_load(kind, place, "")?;
    let load = word.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
    load.set_alignment(1).map_err(Failure::new)?;
    Ok(freeze(hooks, word).into_int_value())
}

/// Returns a pointer `offset` bytes further.
fn displaced<'ctx>(hooks: &Hooks<'ctx>, pointer: PointerValue<'ctx>, offset: u64) -> Result<PointerValue<'ctx>> {
    // SAFETY: the offset is within the variable.
    Ok(unsafe { hooks.builder.build_gep(hooks.context.i8_type(), pointer, &[hooks.long(offset)], "") }?)
}

/// Returns a value that is the same at each use, even if it is undefined.
fn freeze<'ctx>(hooks: &Hooks<'ctx>, value: BasicValueEnum<'ctx>) -> BasicValueEnum<'ctx> {
    // SAFETY: the builder is positioned, the value is live, the name ends with a zero.
    let frozen = unsafe { LLVMBuildFreeze(hooks.builder.as_mut_ptr(), value.as_value_ref(), c"".as_ptr()) };
    // SAFETY: LLVM built a value of the same type.
    unsafe { BasicValueEnum::new(frozen) }
}

/// Makes a phi the same value at each use. A phi that has no value yet when the loop is entered (a variable that only later
/// iterations use) is undefined, and would otherwise differ from itself as optimisation pleases. Where uses of what was never
/// written are looked for, the other uses keep the phi: a frozen value counts as written.
fn settle<'ctx>(hooks: &Hooks<'ctx>, phi: Value) -> Result<BasicValueEnum<'ctx>> {
    let frozen = freeze(hooks, phi.basic());
    let value = Value::from_raw(frozen.as_value_ref()).ok_or_else(|| Failure::new("a freeze that was not built"))?;
    if !shim::wants_unwritten() {
        phi.replace_by(value);
        value.set_operand(0, phi);
    }
    Ok(frozen)
}

/// Sets the flags of the loops around a write, if it changes something.
fn emit_write<'ctx>(hooks: &Hooks<'ctx>, write: &FlaggedWrite, flags: &[Option<PointerValue<'ctx>>]) -> Result<()> {
    use inkwell::llvm_sys::LLVMOpcode::LLVMStore;
    hooks.before(write.instruction);
    let kind = hooks.context.i8_type();
    let scalar = write.instruction.opcode() == Some(LLVMStore)
        && !Instruction(write.instruction).is_volatile()
        && is_comparable(write.instruction.operand(0).basic());
    let changes = if scalar {
        let new = write.instruction.operand(0);
        let old = hooks.builder.build_load(new.basic().get_type(), write.instruction.operand(1).pointer(), "")?;
        let load = old.as_instruction_value().ok_or_else(|| Failure::new("a load that is no instruction"))?;
        load.set_alignment(1).map_err(Failure::new)?;
        let differs = differ(hooks, freeze(hooks, old), freeze(hooks, new.basic()))?;
        hooks.builder.build_int_z_extend(differs, kind, "")?
    } else {
        kind.const_int(1, false)
    };
    for flag in write.loops.iter().filter_map(|&one| flags[one]) {
        let before = hooks.builder.build_load(kind, flag, "")?.into_int_value();
        let after = hooks.builder.build_or(before, changes, "")?;
        hooks.builder.build_store(flag, after)?;
    }
    Ok(())
}
