//! The pass plugin: `clang-19 -fpass-plugin=libfencehound_pass.so` sends every access that other threads could see to
//! the runtime.
//!
//! The contract with the runtime is `runtime/include/fencehound_hooks.h`. The pass runs first in clang's pipeline, so
//! that the hooks are the same at -O0, -O1, -O2 and -O3; clang optimises after it. How to read the crate:
//!
//! 1. `coerced` makes copies of accesses by which structures are passed in registers; `prepare` readies the module for SROA,
//!    which shim.cpp runs, and undoes it; `wrappers` puts the bodies of wrappers in the place of their calls.
//! 2. Decisions, while nothing is changed yet: `escape` (which memory is private) on `objects` (what pointers point to)
//!    and `effects` (what instructions do), which ask `arguments`, `calls` and `names`; `accesses` (which instructions
//!    get which hooks); `loops` (which loops get one, and what is compared) on `cfg` and `liveness`.
//! 3. Changes: `loop_hooks`, `emit`, `frames`, `brackets`, `labels` (dependencies, where POWER is explored) and `lift`
//!    (inline assembly, which `assembly` reads), which build by `hooks`; `externals` (names and attributes of
//!    functions); `globals` (sections, thread-locals). Where reads of what was never written are looked for,
//!    `unwritten` goes before and after LLVM's MemorySanitizer, which shim.cpp runs on all that.
//!
//! `abi` is the hook ABI as its header has it. `ir` and `shim` are the border to LLVM. An internal failure always ends
//! the compilation.

mod abi;
mod accesses;
mod arguments;
mod assembly;
mod atomic_library;
mod brackets;
mod calls;
mod cfg;
mod coerced;
mod effects;
mod emit;
mod escape;
mod exits;
mod expressions;
mod externals;
mod failure;
mod fencing;
mod frames;
mod globals;
mod hooks;
mod ir;
mod labels;
mod lift;
mod liveness;
mod loop_hooks;
mod loops;
mod names;
mod objects;
mod portability;
mod prepare;
mod results;
mod shim;
mod sites;
mod stubs;
mod types;
mod unwritten;
mod wrappers;

use inkwell::llvm_sys::prelude::LLVMModuleRef;

use accesses::{Accesses, Hook};
use brackets::Bracket;
use effects::Effects;
use emit::Emitter;
use escape::Privacy;
use exits::Returns;
use failure::{Failure, Result};
use frames::Locals;
use hooks::Hooks;
use ir::{Layout, Value};
use loops::{LoopPlan, Loops};
use names::Names;
use objects::Objects;
use portability::Fences;
use sites::{Places, Site};

/// Returns what clang asks for when it has loaded the plugin.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> shim::PluginInfo {
    shim::plugin_info()
}

/// Prepares the module for a run of SROA; shim.cpp calls this before each run, until it answers that no further one is needed.
///
/// # Safety
///
/// The module is live and nobody else uses it meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fencehound_prepare(module: LLVMModuleRef, round: u32) -> bool {
    end_compilation_on_panic();
    if round == 0
        && let Err(Failure(reason)) = begin(module)
    {
        shim::fatal(&format!("fencehound pass: internal error: {reason}"));
    }
    prepare::prepare(module, &Names::new(), round == 0)
}

/// Makes the changes that are made once, before all others.
fn begin(module: LLVMModuleRef) -> Result<()> {
    coerced::replace(module)?;
    if shim::wants_unwritten() {
        unwritten::mark(module)?;
    }
    Ok(())
}

/// Puts the bodies of wrappers in the place of their calls; shim.cpp calls this when SROA has run, until it answers that no
/// wrapper is left whose body stands elsewhere.
///
/// # Safety
///
/// The module is live and nobody else uses it meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fencehound_unwrap(module: LLVMModuleRef) -> bool {
    wrappers::inline(module, &Names::new())
}

/// Instruments the module; called by shim.cpp.
///
/// # Safety
///
/// The module is live and nobody else uses it meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fencehound_instrument(module: LLVMModuleRef) {
    if let Err(Failure(reason)) = instrument(module) {
        shim::fatal(&format!("fencehound pass: internal error: {reason}"));
    }
}

thread_local! {
    /// The names by which the copies of functions are judged; the user's file is read once.
    static NAMES: Names = Names::new();
}

/// Whether a function of this name, which the program does not define, is one that only the runtime has.
///
/// # Safety
///
/// The name is of this length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fencehound_is_own(name: *const std::ffi::c_char, length: usize) -> bool {
    let name = ir::text(name, length);
    stubs::is_own(&name) && NAMES.with(|names| names.is_modelled(&name))
}

/// Whether inline assembly is understood here, and may be none of this machine.
///
/// # Safety
///
/// The text is of this length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fencehound_is_foreign(text: *const std::ffi::c_char, length: usize) -> bool {
    NAMES.with(|names| assembly::is_foreign(&ir::text(text, length), &names.templates))
}

/// Finishes a module on which shim.cpp has run MemorySanitizer after its instrumentation.
///
/// # Safety
///
/// The module is live and nobody else uses it meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fencehound_finish_unwritten(module: LLVMModuleRef) {
    if let Err(Failure(reason)) = unwritten::finish(module) {
        shim::fatal(&format!("fencehound pass: internal error: {reason}"));
    }
}

/// Makes a panic an error of the compilation rather than a crash of clang.
fn end_compilation_on_panic() {
    std::panic::set_hook(Box::new(|panic| shim::fatal(&format!("fencehound pass: internal error: {panic}"))));
}

/// The changes to be made to a function.
struct Plan {
    function: Value,
    hooks: Vec<Hook>,
    loops: LoopPlan,
    locals: Locals,
    returns: Returns,
    /// The bracket that the function is, if it is one, and its place.
    bracket: Option<(Bracket, Site)>,
}

/// The changes to be made to a module.
struct Plans {
    functions: Vec<Plan>,
    /// Whether it is known that no store waits between transactions.
    is_fenced: bool,
}

/// Instruments a module.
fn instrument(module: LLVMModuleRef) -> Result<()> {
    let names = Names::new();
    if shim::wants_unwritten() {
        unwritten::unmark(module)?;
    }
    prepare::finish(module, &names);
    let layout = Layout::of(module);
    let fences = Fences::of(module, &names);
    let Plans { functions: plans, is_fenced } = plan(module, &names, layout);
    let mut hooks = Hooks::new(module);
    for plan in &plans {
        loop_hooks::emit(&mut hooks, plan.function, &plan.loops)?;
        let mut emitter = Emitter { hooks: &mut hooks, layout };
        plan.hooks.iter().try_for_each(|hook| emitter.emit(hook))?;
        exits::emit(&mut emitter, &plan.returns)?;
        frames::emit(&mut hooks, plan.function, &plan.locals, layout)?;
        plan.bracket.iter().try_for_each(|bracket| brackets::emit(&mut hooks, plan.function, bracket))?;
        if shim::wants_labels() {
            labels::emit(&hooks, plan.function, &names, layout)?;
        }
        if shim::wants_unwritten() {
            unwritten::emit(&hooks, plan.function, &names)?;
        } else {
            frames::fill(&hooks, &plan.locals, layout)?;
        }
    }
    externals::finish(&hooks, module, &names);
    if shim::wants_unwritten() {
        externals::say_that_unwritten_is_tracked(&hooks);
    }
    if !is_fenced {
        externals::say_that_it_is_unfenced(&hooks);
    }
    if !shim::wants_labels() {
        externals::say_that_it_is_unlabelled(&hooks);
    }
    externals::say_how_it_is_fenced(&hooks, fences);
    globals::finish(&mut hooks, module, layout)?;
    hooks.module.verify().map_err(Failure::new)
}

/// Decides what is to be done to each function of a module.
fn plan(module: LLVMModuleRef, names: &Names, layout: Layout) -> Plans {
    let functions = ir::definitions(module);
    let effects = Effects::new(names, layout);
    let privacy = Privacy::decide(&functions, Objects::new(names, layout), &effects);
    let places = Places::new(module, layout);
    let accesses = Accesses { names, layout, privacy: &privacy, places: &places };
    let thread_locals = Loops::written_thread_locals(&functions, &privacy, &effects);
    let hooked: Vec<(Value, Vec<Hook>)> =
        functions.into_iter().map(|function| (function, accesses.of(function))).collect();
    let quiet = loops::quiet(&hooked, names);
    let quiet = &quiet;
    let loops = Loops { names, layout, privacy: &privacy, effects: &effects, places: &places, quiet, thread_locals };
    let annotated = brackets::annotated(module);
    let is_fenced = fencing::is_fenced(module, &hooked, &annotated, names, &privacy);
    let functions = hooked
        .into_iter()
        .map(|(function, hooks)| {
            let loops = loops.of(function, &hooks);
            let bracket = Bracket::of(function, &annotated, names).map(|one| (one, places.of_function(function)));
            let (locals, returns) = (Locals::of(function, &privacy, &places), Returns::of(function, &places));
            Plan { function, hooks, loops, locals, returns, bracket }
        })
        .collect();
    Plans { functions, is_fenced }
}
