//! The variables of a module: mutable ones go to sections that the runtime restores before each execution, and
//! thread-local ones become images from which the runtime makes each thread its own. Behind each variable is a gap that
//! belongs to none, and a record says where it is (`struct fh_variable`), so that an access beside it is noticed.

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{LLVMSetGlobalConstant, LLVMSetSection};
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use crate::expressions::source_name;
use crate::failure::{Failure, Result};
use crate::hooks::{Hooks, handle};
use crate::ir::{Call, Class, Constant, Global, Instruction, Layout, Value, c_text, globals};
use crate::shim;
use crate::stubs;
use crate::types::Types;

/// Moves all variables of the module to their sections, after all hooks are in place.
pub(crate) fn finish(hooks: &mut Hooks, module: LLVMModuleRef, layout: Layout) -> Result<()> {
    let types = Types::of(module);
    let mut kept = Vec::new();
    for global in globals(module) {
        let name = global.name();
        match name.as_str() {
            "llvm.global_ctors" => kept.extend(take_structors(hooks, global, "fh_ctors")?),
            "llvm.global_dtors" => kept.extend(take_structors(hooks, global, "fh_dtors")?),
            _ => {}
        }
        if name.starts_with("llvm.") || name.starts_with(".fh.") || name.starts_with("__fh_") {
            continue;
        }
        if Global(global).is_thread_local() {
            lower(hooks, global)?;
        } else if !Global(global).is_constant() && set_section(global, "fh_data", "fh_bss") {
            let (size, members) =
                (layout.allocated_size(Global(global).value_type()), types.of_variable(global, layout));
            let padded = shim::pad(global, GAP)?;
            kept.push(record(hooks, padded, size, [source_name(&name), &members])?);
        }
    }
    shim::keep(module, &kept);
    Ok(())
}

/// Hands the list of constructors or destructors to the runtime, which calls them in each execution. Where no tool
/// controls the program, the system calls them. Returns the runtime's list, which nothing names.
fn take_structors(hooks: &Hooks, list: Value, section: &str) -> Result<Option<Value>> {
    let Some(initializer) = Global(list).initializer() else { return Ok(None) };
    let kind = initializer.kind().typed();
    let copied = hooks.module.add_global(kind, None, ".fh.structors");
    copied.set_initializer(&initializer.basic());
    copied.set_constant(true);
    copied.set_linkage(inkwell::module::Linkage::Private);
    copied.set_section(Some(section));
    copied.set_alignment(8);
    stubs::guard(hooks, list)?;
    handle(&copied.as_pointer_value()).map(Some)
}

/// The number of bytes behind each variable that belong to none (`runtime/src/state/globals.rs`).
const GAP: u32 = 16;

/// Emits the record of a variable of this size, with its name and its members, and returns it: nothing names it.
fn record(hooks: &mut Hooks, variable: Value, size: u64, texts: [&str; 2]) -> Result<Value> {
    let [name, members] = texts.map(|text| hooks.string(text).into());
    let size = hooks.long(size).into();
    let value = hooks.record("fh_variable", &[variable.pointer().into(), size, name, members])?;
    let global = hooks.module.add_global(value.get_type(), None, ".fh.variable");
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_linkage(inkwell::module::Linkage::Private);
    global.set_section(Some("fh_globals"));
    global.set_alignment(8);
    handle(&global.as_pointer_value())
}

/// Puts a definition into one of two sections, for variables with a value and for zeros, and returns whether it was moved. What
/// the program put into a section of its own stays there.
fn set_section(global: Value, data: &str, zeros: &str) -> bool {
    let Some(initializer) = Global(global).initializer() else { return false };
    if !Global(global).section().is_empty() || Global(global).linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage {
        return false;
    }
    if Global(global).linkage() == LLVMLinkage::LLVMCommonLinkage {
        Global(global).set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
    }
    let zero = Constant(initializer).is_null() || initializer.is(Class::Undefined);
    let name = c_text(if zero { zeros } else { data });
    // SAFETY: the global is live, the name ends with a zero.
    unsafe { LLVMSetSection(global.raw(), name.as_ptr()) }
    true
}

/// Puts an ordinary variable, the image from which the runtime makes each thread its own, beside a thread-local one, and turns
/// each use into a call that asks for the thread's own. Where no tool controls the program, that is the thread-local variable
/// itself.
fn lower(hooks: &Hooks, global: Value) -> Result<()> {
    let image = image_of(hooks, global)?;
    shim::expand_constants(global);
    for user in global.users() {
        if !user.is(Class::Instruction) {
            return Err(Failure::new(format!("the address of the thread-local `{}` in a constant", global.name())));
        }
        if user.is_call()
            && Call(user).callee().is(Class::Function)
            && Call(user).callee().name().starts_with("llvm.threadlocal.address")
        {
            hooks.before(user);
            user.replace_by(own(hooks, image, global)?);
            user.erase();
        } else {
            lower_operands(hooks, image, global, user)?;
        }
    }
    // SAFETY: the global is live.
    unsafe { LLVMSetGlobalConstant(global.raw(), 0) }
    Ok(())
}

/// Returns the image of a thread-local variable, with its initial value where that is defined here.
fn image_of(hooks: &Hooks, global: Value) -> Result<Value> {
    let kind = Global(global).value_type().typed();
    let image = hooks.module.add_global(kind, None, &format!("__fh_image_{}", global.name()));
    if let Some(initializer) = Global(global).initializer() {
        image.set_initializer(&initializer.basic());
    }
    image.set_alignment(Global(global).alignment().max(1));
    let image = handle(&image.as_pointer_value())?;
    Global(image).set_linkage(Global(global).linkage());
    set_section(image, "fh_tdata", "fh_tbss");
    Ok(image)
}

/// Replaces the variable where an instruction uses it as it is.
fn lower_operands(hooks: &Hooks, image: Value, global: Value, user: Value) -> Result<()> {
    for position in (0..user.operand_count()).filter(|&position| user.operand(position) == global) {
        let place = if user.opcode() == Some(LLVMOpcode::LLVMPHI) {
            let incoming =
                Instruction(user).incoming().nth(position as usize).and_then(|(_, block)| block.terminator());
            incoming.ok_or_else(|| Failure::new("an edge from a block without an end"))?
        } else {
            user
        };
        hooks.before(place);
        user.set_operand(position, own(hooks, image, global)?);
    }
    Ok(())
}

/// Returns the address of the running thread's own variable.
fn own(hooks: &Hooks, image: Value, global: Value) -> Result<Value> {
    use inkwell::values::AsValueRef;
    let function = hooks.declare("__fh_tls")?;
    // A function runs in one thread from its beginning to its end, so it always gets the same answer.
    for name in ["willreturn", "memory"] {
        function.add_attribute(inkwell::attributes::AttributeLoc::Function, hooks.attribute(name));
    }
    let intrinsic = inkwell::intrinsics::Intrinsic::find("llvm.threadlocal.address")
        .and_then(|intrinsic| intrinsic.get_declaration(&hooks.module, &[hooks.pointer_type().into()]))
        .ok_or_else(|| Failure::new("LLVM has no thread-local variables"))?;
    let real = hooks.builder.build_call(intrinsic, &[global.pointer().into()], "")?;
    let real = real.try_as_basic_value().basic().ok_or_else(|| Failure::new("a variable without an address"))?;
    let call = hooks.builder.build_call(function, &[image.pointer().into(), real.into()], "")?;
    let _ = call.as_value_ref();
    handle(&call.try_as_basic_value().basic().ok_or_else(|| Failure::new("__fh_tls gives nothing"))?)
}
