//! Transactions: `fh_atomic_begin`, `fh_atomic_end`, and functions that are one (`FH_ATOMIC`).
//!
//! A mark is no event: it stands between two events of its thread, and takes place with the one before it.

use engine::atomicity::Mark;
use engine::event::Thread;
use protocol::{FailureKind, Operation, Role};

use crate::hooks::pthread::threads::call_site;
use crate::process::sites::RecordPointer;
use crate::run::{End, Runtime, end_execution, with};
use crate::state::recorder::{Failure, site_use};

/// The transaction that a thread is in.
#[derive(Clone, Copy)]
pub(crate) struct Transaction {
    /// How many ends it still needs.
    pub(crate) depth: u32,
    /// Where the outermost one begins.
    pub(crate) begun: RecordPointer,
}

impl Runtime {
    /// Takes a mark of the running thread; what is wrong with it, if it ends nothing.
    fn mark_transaction(&mut self, mark: Mark, site: RecordPointer) -> Option<Failure> {
        let thread = self.running;
        let transaction = &mut self.threads.at(thread).transaction;
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
        self.recorder.mark(thread, mark, site);
        if let Some(graph) = self.graph.as_deref_mut() {
            graph.mark(mark);
            return None;
        }
        for monitor in &mut self.monitors {
            monitor.mark(thread, mark);
        }
        None
    }

    /// What is wrong with the end of a thread that is in a transaction.
    pub(crate) fn unfinished(&mut self, thread: Thread) -> Option<Failure> {
        let open = self.threads.at(thread).transaction?;
        Some(misuse(
            "a thread ends in the transaction that begins here",
            thread,
            open.begun,
            Operation::BeginTransaction,
        ))
    }
}

/// Where execution graphs are explored, the running thread is about to end.
pub(crate) fn require_finished() {
    if let Some(Some(failure)) = with(|runtime| runtime.unfinished(runtime.running)) {
        end_execution(End::Failed(failure));
    }
}

fn misuse(message: &str, thread: Thread, site: RecordPointer, operation: Operation) -> Failure {
    let sites = vec![site_use(Role::At, thread, site, operation)];
    Failure { kind: FailureKind::Misuse, message: message.to_owned(), sites, program_counter: None }
}

fn marked(mark: Mark, site: RecordPointer) {
    if let Some(Some(failure)) = with(|runtime| runtime.mark_transaction(mark, site)) {
        end_execution(End::Failed(failure));
    }
}

/// Of a function that is a transaction.
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

crate::abi::same_hooks!(__fh_transaction_begin, __fh_transaction_end);
