//! Calls of functions that are neither modelled nor instrumented: they are listed in the result. What of them is
//! refused is in [`crate::hooks::process::lending`].

use std::ffi::c_char;

use engine::event::Thread;

use crate::process::sites::{Record, RecordPointer, calls_from, text};
use crate::process::uncontrolled::is_alone;
use crate::process::{layout, sections};
use crate::run::{stack_pointer, with};

/// Whether threads other than this one are likely to see the memory at the address. A local variable of the thread
/// itself counts as its own, though its address may have been given away: else no thread could call `read`.
pub(crate) fn is_shared(address: usize, thread: Thread) -> bool {
    let own = layout::stack(thread)..layout::stack(thread) + layout::STACK;
    let on_a_stack = layout::is_stack(address) && !own.contains(&address);
    on_a_stack || layout::is_heap(address) || sections::is_variable(address)
}

/// The most bytes of this hook's stack, which the function about to be called will use.
const HOOK: usize = 1024;

/// Notes the call of an external function; `__fh_external_pointer` is then called for each of its pointers.
#[unsafe(no_mangle)]
extern "C" fn __fh_external(name: *const c_char, known: u32, site: RecordPointer) {
    if is_alone() {
        return;
    }
    calls_from(site);
    let name = text(name);
    with(|runtime| {
        if let Some(graph) = &mut runtime.graph {
            graph.run.lent.follows = known == 0;
        }
        if known == 0 {
            runtime.has_effect();
            runtime.process.files.called(&name);
            runtime.memory.locals.forget_below(runtime.running, stack_pointer() + HOOK);
            runtime.remarks.uninstrumented.insert(name.clone());
        }
        runtime.remarks.last_external = Some((name, Record::behind(site)));
    });
}

/// Returns the name of the external function about to be called.
pub(crate) fn external() -> String {
    let name = with(|runtime| runtime.remarks.last_external.as_ref().map(|(name, _)| name.clone())).flatten();
    name.unwrap_or_default()
}

crate::abi::same_hooks!(__fh_external);
