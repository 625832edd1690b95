//! Values that were never written (`-mllvm -fencehound-uninitialised`). LLVM's MemorySanitizer, in its form for
//! kernels, carries a shadow beside each value; shim.cpp runs it on what the other hooks have become. Here is what goes
//! before and after it: [`mark`] gives local variables a first value before SROA turns them into values, since LLVM
//! takes a choice between nothing and something for something, and [`unmark`] makes it what an unwritten variable
//! holds; [`emit`] puts a further hook behind each hook that accesses memory, which carries the shadow of what was
//! loaded or stored; [`finish`] gives what MemorySanitizer has emitted the runtime's names, and uses and local
//! variables their places.

use std::collections::HashMap;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::LLVMDeleteFunction;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::types::{BasicType, BasicTypeEnum};
use inkwell::values::{BasicValueEnum, FunctionValue};

use crate::calls::{Callee, callee};
use crate::failure::{Failure, Result};
use crate::hooks::{Hooks, handle};
use crate::ir::{self, Call, Class, Constant, Function, Instruction, Layout, Type, Value, definitions};
use crate::names::Names;
use crate::objects::constant_offset;
use crate::sites::{Places, Site};

/// The beginning of the names of the functions that stand for first values.
const FIRST: &str = "fencehound.unwritten.";

/// The size in bytes of the largest local variable that gets a first value: each of its elements is stored.
const LARGEST: u64 = 64;

/// Stores a first value to each local variable: the result of a function about which nothing is known.
pub(crate) fn mark(module: LLVMModuleRef) -> Result<()> {
    let (hooks, layout) = (Hooks::new(module), Layout::of(module));
    let mut functions: HashMap<Type, FunctionValue> = HashMap::new();
    let instructions = definitions(module).into_iter().flat_map(|function| Function(function).instructions());
    for (number, alloca) in (0..).zip(instructions.filter(|one| one.is(Class::Alloca))) {
        let kind = Instruction(alloca).allocated_type();
        let next = alloca.next().ok_or_else(|| Failure::new("a block that ends with an alloca"))?;
        let count = alloca.operand(0);
        let is_one = count.is(Class::ConstantInt) && Constant(count).unsigned() == 1;
        if !is_one || layout.allocated_size(kind) > LARGEST {
            continue;
        }
        let known = functions.len();
        let function = functions.entry(kind).or_insert_with(|| {
            hooks.module.add_function(&format!("{FIRST}{known}"), kind.typed().fn_type(&[], false), None)
        });
        let name = format!("{}.{number}", local_name(alloca));
        alloca.set_name(&name);
        hooks.before(next);
        hooks.builder.unset_current_debug_location();
        let first = hooks.builder.build_call(*function, &[], &format!("{FIRST}{name}"))?;
        let first = first.try_as_basic_value().basic().ok_or_else(|| Failure::new("a value of no type"))?;
        hooks.builder.build_store(alloca.pointer(), first)?;
    }
    Ok(())
}

/// Takes the first values of variables that are still variables away again. The others become loads of variables that are never
/// written.
pub(crate) fn unmark(module: LLVMModuleRef) -> Result<()> {
    let (hooks, layout) = (Hooks::new(module), Layout::of(module));
    for function in ir::functions(module).into_iter().filter(|function| function.name().starts_with(FIRST)) {
        for first in function.users() {
            take_away(layout, first, first);
            if !first.users().is_empty() {
                let room = hooks.variable(first.function(), first.kind().typed())?;
                handle(&room)?.set_name(&local_name_of_first(first));
                hooks.before(first);
                let loaded = hooks.builder.build_load::<BasicTypeEnum>(first.kind().typed(), room, "")?;
                first.replace_by(handle(&loaded)?);
            }
            first.erase();
        }
        // SAFETY: the function is live and used no more.
        unsafe { LLVMDeleteFunction(function.raw()) }
    }
    Ok(())
}

fn local_name_of_first(first: Value) -> String {
    first.name().strip_prefix(FIRST).unwrap_or_default().to_owned()
}

/// Erases the stores of a first value, or of a part of it, to its own variable.
fn take_away(layout: Layout, first: Value, part: Value) {
    let variable = local_name_of_first(first);
    for user in part.users() {
        match user.opcode() {
            Some(LLVMOpcode::LLVMStore) if user.operand(0) == part => {
                let base = constant_offset(layout, user.operand(1)).0.name();
                let rest = base.strip_prefix(&variable);
                if rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_digit())) {
                    user.erase();
                }
            }
            Some(LLVMOpcode::LLVMExtractValue) => {
                take_away(layout, first, user);
                if user.users().is_empty() {
                    user.erase();
                }
            }
            _ => {}
        }
    }
}

/// Puts the hooks of shadows behind the others of a function.
pub(crate) fn emit(hooks: &Hooks, function: Value, names: &Names) -> Result<()> {
    for call in Function(function)
        .instructions()
        .into_iter()
        .filter(|&one| one.is_call() && Call(one).callee().is(Class::Function))
    {
        let name = Call(call).callee().name();
        match name.strip_prefix("__fh_") {
            Some(hook) => behind_hook(hooks, call, hook)?,
            None => behind_native(hooks, call, names)?,
        }
    }
    Ok(())
}

/// Makes what is built from now on stand behind a call.
fn go_behind(hooks: &Hooks, call: Value) -> Result<()> {
    hooks.before(call.next().ok_or_else(|| Failure::new("a call that ends a block"))?);
    Ok(())
}

/// Calls a hook whose first argument is the result of a call, and which stands for that result from now on.
fn replace_result<'ctx>(hooks: &Hooks<'ctx>, call: Value, name: &str, rest: &[Value]) -> Result<()> {
    let arguments: Vec<BasicValueEnum<'ctx>> =
        std::iter::once(call.basic()).chain(rest.iter().map(|one| one.basic())).collect();
    let seen = handle(&hooks.call(name, &arguments)?)?;
    call.replace_by(seen);
    seen.set_operand(0, call);
    Ok(())
}

/// Splits `load4` into its name and its width.
fn width(hook: &str) -> Option<(&str, u32)> {
    let digit = hook.chars().last().and_then(|last| last.to_digit(10))?;
    Some((&hook[..hook.len() - 1], digit))
}

/// Builds a check, before a hook uses an address, of whether that was ever written. The address of a variable always is.
fn ask_for_address(hooks: &Hooks, call: Value, pointer: Value, site: Value) -> Result<()> {
    if !pointer.is(Class::Instruction) || pointer.is(Class::Alloca) {
        return Ok(());
    }
    hooks.before(call);
    hooks.call("__fh_unwritten_address", &[pointer.basic(), site.basic()]).map(drop)
}

/// The hooks of accesses, by the beginnings of their names.
const ACCESSES: [&str; 9] = ["load", "store", "rmw", "cas", "weak_cas", "atomic_", "read", "write", "fill"];

fn behind_hook(hooks: &Hooks, call: Value, hook: &str) -> Result<()> {
    let last = || call.operand(call.operand_count() - 2);
    if ACCESSES.iter().any(|prefix| hook.starts_with(prefix)) || hook == "copy" {
        ask_for_address(hooks, call, call.operand(0), last())?;
    }
    if hook == "copy" {
        ask_for_address(hooks, call, call.operand(1), last())?;
    }
    go_behind(hooks, call)?;
    let operand = |index| call.operand(index);
    match width(hook) {
        Some(("load" | "atomic_load", bytes)) => {
            replace_result(hooks, call, &format!("__fh_unwritten_load{bytes}"), &[operand(0)])
        }
        Some(("store" | "atomic_store", bytes)) => {
            let arguments = [operand(0), operand(1)].map(Value::basic);
            hooks.call(&format!("__fh_unwritten_store{bytes}"), &arguments).map(drop)
        }
        Some(("rmw", bytes)) => {
            let rest = [operand(0), operand(1), operand(2)];
            replace_result(hooks, call, &format!("__fh_unwritten_rmw{bytes}"), &rest)
        }
        Some(("cas", bytes)) => {
            let rest = [operand(0), operand(1), operand(2), last()];
            replace_result(hooks, call, &format!("__fh_unwritten_cas{bytes}"), &rest)
        }
        Some(("weak_cas", bytes)) => {
            let rest = [operand(0), operand(2), operand(4), last()];
            replace_result(hooks, call, &format!("__fh_unwritten_weak_cas{bytes}"), &rest)
        }
        _ => behind_wide(hooks, call, hook),
    }
}

/// Builds the copying of shadows for an indivisible access of any width.
fn behind_wide(hooks: &Hooks, call: Value, hook: &str) -> Result<()> {
    let basic = |index| call.operand(index).basic();
    match hook {
        "atomic_read" => hooks.call("__fh_unwritten_copy", &[basic(1), basic(0), basic(2)]).map(drop),
        "atomic_write" => hooks.call("__fh_unwritten_copy", &[basic(0), basic(1), basic(2)]).map(drop),
        "atomic_rmw" => {
            let arguments = [basic(0), basic(1), basic(2), basic(3), basic(4)];
            hooks.call("__fh_unwritten_atomic_rmw", &arguments).map(drop)
        }
        "atomic_cas" => {
            let arguments = [basic(0), basic(1), basic(2), basic(3), call.basic()];
            hooks.call("__fh_unwritten_atomic_cas", &arguments).map(drop)
        }
        _ => Ok(()),
    }
}

/// Marks as written what the pointers that a function without instrumentation was given point to, behind its call.
fn behind_native(hooks: &Hooks, call: Value, names: &Names) -> Result<()> {
    if !matches!(callee(call, names), Callee::External(_) | Callee::AtomicLibrary(_)) || call.next().is_none() {
        return Ok(());
    }
    go_behind(hooks, call)?;
    for (_, argument) in Call(call).arguments().filter(|(_, argument)| argument.kind().is_pointer()) {
        hooks.call("__fh_unwritten_forget", &[argument.basic()])?;
    }
    Ok(())
}

/// Gives the calls that MemorySanitizer has built the runtime's names, and the places of the source.
pub(crate) fn finish(module: LLVMModuleRef) -> Result<()> {
    let places = Places::new(module, Layout::of(module));
    let mut hooks = Hooks::new(module);
    for function in definitions(module) {
        for call in
            Function(function).instructions().into_iter().filter(|one| one.opcode() == Some(LLVMOpcode::LLVMCall))
        {
            if !Call(call).callee().is(Class::Function) {
                continue;
            }
            match Call(call).callee().name().as_str() {
                "__msan_warning" => {
                    let site = named(places.site(call, None));
                    place(&mut hooks, call, "__fh_unwritten_use", &[call.operand(0)], &site)?;
                }
                "__msan_poison_alloca" => {
                    let site = named(places.of_function(function));
                    let site = Site { expression: local_name(call.operand(0)), ..site };
                    let arguments = [call.operand(0), call.operand(1)];
                    place(&mut hooks, call, "__fh_unwritten_local", &arguments, &site)?;
                }
                _ => {}
            }
        }
    }
    for function in ir::functions(module) {
        if let Some(name) = function.name().strip_prefix("__msan_") {
            function.set_name(&format!("__fh_msan_{name}"));
        }
    }
    hooks.module.verify().map_err(Failure::new)
}

/// Returns a site with the name that its function has in the source: `main` has been renamed by now.
fn named(site: Site) -> Site {
    let function = site.function.strip_prefix("__fh_").unwrap_or(&site.function).to_owned();
    Site { function, ..site }
}

/// Returns the name of a local variable in the source, where clang was asked to keep it.
fn local_name(pointer: Value) -> String {
    pointer.name().split('.').next().unwrap_or_default().to_owned()
}

/// Replaces a call by that of a hook with a place.
fn place(hooks: &mut Hooks, call: Value, name: &str, arguments: &[Value], site: &Site) -> Result<()> {
    hooks.before(call);
    let site = hooks.site(site)?;
    let arguments: Vec<BasicValueEnum> = arguments.iter().map(|one| one.basic()).chain([site]).collect();
    hooks.call(name, &arguments)?;
    call.erase();
    Ok(())
}
