//! Transactions: `fh_atomic_begin`, `fh_atomic_end`, and functions that are one (`FH_ATOMIC`).
//!
//! A mark is no event: it stands between two events of its thread, and takes place with the one before it.

use engine::atomicity::Mark;
use protocol::Operation;

use crate::process::sites::{RecordPointer, call_site};
use crate::run::{Runtime, end_execution, with};
use crate::schedule::turns::misuse;
use crate::state::failure::Failure;
use crate::state::threads::Transaction;
use crate::state::turn::End;
use crate::world::library;

/// Takes a mark of the running thread, and ends the execution if it is a misuse.
fn marked(mark: Mark, site: RecordPointer) {
    if let Some(Some(failure)) = with(|runtime| mark_transaction(runtime, mark, site)) {
        end_execution(End::Failed(failure));
    }
    library::mark(mark);
}

/// Begins a function that is a transaction.
#[unsafe(no_mangle)]
extern "C" fn __fh_transaction_begin(site: RecordPointer) {
    marked(Mark::Begin, site);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_transaction_end(site: RecordPointer) {
    marked(Mark::End, site);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_atomic_begin() {
    marked(Mark::Begin, call_site());
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_atomic_end() {
    marked(Mark::End, call_site());
}

/// Takes a mark of the running thread; returns the failure if it ends no transaction.
fn mark_transaction(runtime: &mut Runtime, mark: Mark, site: RecordPointer) -> Option<Failure> {
    let thread = runtime.running;
    let transaction = &mut runtime.threads.at(thread).transaction;
    match (mark, transaction.as_mut()) {
        (Mark::Begin, None) => *transaction = Some(Transaction { depth: 1, begun: site }),
        (Mark::Begin, Some(open)) => open.depth += 1,
        (Mark::End, Some(open)) => {
            open.depth -= 1;
            if open.depth == 0 {
                *transaction = None;
            }
        }
        (Mark::End, None) => {
            return Some(misuse(
                "the end of a transaction that was not begun",
                thread,
                site,
                Operation::EndTransaction,
            ));
        }
    }
    runtime.recorder.mark(thread, mark, site);
    None
}

crate::abi::same_hooks!(__fh_transaction_begin, __fh_transaction_end);
