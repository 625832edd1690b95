//! The behaviour of a program that no tool controls: modelled functions are the real ones, and constructors and destructors are
//! called by the system. A byte of the runtime's, `__fh_controlled`, says whether there is a tool.

use inkwell::IntPredicate;
use inkwell::llvm_sys::core::{LLVMAppendModuleInlineAsm, LLVMSetInitializer};
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::module::Linkage;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, PointerValue};

use crate::failure::{Failure, Result};
use crate::hooks::Hooks;
use crate::ir::{Global, Value};

/// The byte of the runtime's that is 1 where a tool controls the program.
const CONTROLLED: &str = "__fh_controlled";

/// Whether a modelled function is one that only checkers have.
pub(crate) fn is_own(function: &str) -> bool {
    ["fh_", "__VERIFIER_", "reach_error"].iter().any(|own| function.starts_with(own))
}

/// Returns the name by which a modelled function is called from now on. A function that only checkers have is always the
/// runtime's own; for any other the module gets a stub, which passes all arguments on as they are, however many there are.
pub(crate) fn name_of(module: LLVMModuleRef, function: &str) -> String {
    let model = format!("__fh_{function}");
    if is_own(function) {
        return model;
    }
    let stub = format!("__fh_call_{function}");
    // `movq byte@GOTPCREL(%rip), %r11` and `cmpb $0, (%r11)`, in a form that -masm=intel does not change.
    let text = format!(
        ".section .text.{stub},\"axG\",@progbits,{stub},comdat\n\
         .weak {stub}\n\
         .type {stub},@function\n\
         .p2align 4\n\
         {stub}:\n\
         .byte 0x4c, 0x8b, 0x1d\n\
         .long {CONTROLLED}@GOTPCREL - 4\n\
         .byte 0x41, 0x80, 0x3b, 0\n\
         je {function}@PLT\n\
         jmp {model}@PLT\n\
         .size {stub}, .-{stub}\n\
         .text\n"
    );
    // SAFETY: the module is live; pointer and length are of one string.
    unsafe { LLVMAppendModuleInlineAsm(module, text.as_ptr().cast(), text.len()) }
    stub
}

/// Makes the system call the functions of a list (`llvm.global_ctors`, `llvm.global_dtors`) only where no tool controls
/// the program: in each execution of a check the runtime calls them.
pub(crate) fn guard(hooks: &Hooks, list: Value) -> Result<()> {
    let Some(initializer) = Global(list).initializer() else { return Ok(()) };
    let guarded = initializer.operands().map(|entry| guarded(hooks, entry)).collect::<Result<Vec<_>>>()?;
    let Some(first) = guarded.first() else { return Ok(()) };
    let array = first.get_type().const_array(&guarded);
    // SAFETY: both are live, and of the same type.
    unsafe { LLVMSetInitializer(list.raw(), inkwell::values::AsValueRef::as_value_ref(&array)) }
    Ok(())
}

/// Returns an entry of a list with its function guarded; an entry is a priority, a function, and what it belongs to.
fn guarded<'ctx>(hooks: &Hooks<'ctx>, entry: Value) -> Result<inkwell::values::StructValue<'ctx>> {
    let [priority, function, data] = [0, 1, 2].map(|index| entry.operand(index));
    let guard: BasicValueEnum = guard_of(hooks, function.pointer())?.into();
    Ok(hooks.context.const_struct(&[priority.basic(), guard, data.basic()], false))
}

/// Returns a function that calls this one with what the system passes to constructors if no tool controls the program, and else
/// does nothing.
fn guard_of<'ctx>(hooks: &Hooks<'ctx>, function: PointerValue<'ctx>) -> Result<PointerValue<'ctx>> {
    let pointer: BasicMetadataTypeEnum = hooks.pointer_type().into();
    let kind = hooks.context.void_type().fn_type(&[hooks.context.i32_type().into(), pointer, pointer], false);
    let guard = hooks.module.add_function("__fh_guard", kind, Some(Linkage::Internal));
    let [start, alone, end] = ["", "", ""].map(|name| hooks.context.append_basic_block(guard, name));
    let byte = hooks.context.i8_type();
    let controlled =
        hooks.module.get_global(CONTROLLED).unwrap_or_else(|| hooks.module.add_global(byte, None, CONTROLLED));
    let builder = hooks.context.create_builder();
    builder.position_at_end(start);
    let controlled = builder.build_load(byte, controlled.as_pointer_value(), "")?;
    let BasicValueEnum::IntValue(controlled) = controlled else { return Err(Failure::new("a byte is no number")) };
    let is_alone = builder.build_int_compare(IntPredicate::EQ, controlled, byte.const_zero(), "")?;
    builder.build_conditional_branch(is_alone, alone, end)?;
    builder.position_at_end(alone);
    let arguments: Vec<BasicMetadataValueEnum> = guard.get_param_iter().map(BasicMetadataValueEnum::from).collect();
    builder.build_indirect_call(kind, function, &arguments, "")?;
    builder.build_unconditional_branch(end)?;
    builder.position_at_end(end);
    builder.build_return(None)?;
    Ok(guard.as_global_value().as_pointer_value())
}
