//! The hooks of loops: an iteration that changes nothing blocks its thread until something that it read is different.

use crate::process::sites::RecordPointer;
use crate::process::uncontrolled::is_alone;
use crate::run::with;
use crate::schedule::loops::Loop;
use crate::schedule::waits::mark;
use crate::world::loops;

/// # Safety
/// As `fencehound_hooks.h` says it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_loop(record: *mut Loop, visit: u32, state: *const u64, words: u64, site: RecordPointer) {
    if is_alone() {
        return;
    }
    // SAFETY: the pass passes the record of this loop in the caller's frame.
    let record = unsafe { &mut *record };
    // SAFETY: the pass passes `words` words, in the caller's frame too.
    let state = unsafe { std::slice::from_raw_parts(state, words as usize) };
    let turn = with(|runtime| loops::visit(runtime, record, visit, state, site));
    if let Some(turn) = turn.flatten() {
        turn.obey();
        // The thread was woken: the round that begins now is the first since.
        with(|runtime| {
            let mark = mark(runtime);
            runtime.threads.at(runtime.running).visits.restart(state, mark);
        });
    }
}

/// # Safety
/// As `fencehound_hooks.h` says it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_endless(site: RecordPointer) {
    if let Some(turn) = with(|runtime| loops::goes_round_for_ever(runtime, site)) {
        turn.obey();
    }
}

crate::abi::same_hooks!(__fh_endless, __fh_loop);
