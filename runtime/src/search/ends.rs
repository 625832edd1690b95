//! The ends of slices, and the failures of threads that did not come to their end.

use protocol::{FailureKind, Operation, Role, Silence, StoppedBy};

use crate::process::faults::{self, Fault};
use crate::process::sites::{Record, call_site};
use crate::run::Runtime;
use crate::state::failure::{Failure, site_use};

/// The reason why a slice ended.
pub(crate) enum Stopped {
    /// All of the slice has been run.
    Complete,
    /// A budget is used up, or Ctrl-C was pressed.
    Open,
    /// The slice ended at its first violation, or at one after which going on makes no sense.
    Found,
    /// Memory has been divided where it was not before.
    Divided,
    /// What comes next depends on what comes first, and the slice is one of several.
    Ordered,
    /// Executions reached this limit of length or memory.
    Limit(StoppedBy),
    /// A thread performed no visible operation for as long as is allowed.
    Silent(Silence),
    Unsupported {
        what: String,
        place: protocol::Place,
    },
}

/// Returns the silence of the running thread, which has performed no visible operation for as long as is allowed, and
/// whose code was at this address. If that is not the program's code, it is in the library function that the thread
/// called last.
pub(crate) fn silence(runtime: &Runtime, program_counter: u64) -> Silence {
    let called = Record::known(call_site());
    let record = called.unwrap_or_else(|| Record::behind(runtime.threads.stands_at(runtime.running)));
    let (place, function) = (record.place(), record.function().to_owned());
    Silence { thread: runtime.running.0.into(), place, function, program_counter }
}

/// Returns the failure that a fault of the running thread is.
pub(crate) fn failure_of(runtime: &Runtime, fault: Fault, program_counter: u64) -> Failure {
    let thread = runtime.running;
    let at = match &runtime.remarks.last_external {
        Some((_, record)) if faults::comes_in_a_call(fault) => std::ptr::from_ref::<Record>(record),
        _ => runtime.threads.stands_at(thread),
    };
    let sites = vec![site_use(Role::At, thread, at, Operation::Fault)];
    let crash = Failure::new(FailureKind::Crash, faults::describe(fault), sites);
    Failure { subject: faults::name(fault), program_counter: Some(program_counter), ..crash }
}

/// Returns the failure of a stack that was used up at a hook, whose place is known.
pub(crate) fn stack_overflow(runtime: &Runtime) -> Failure {
    let sites = vec![site_use(Role::At, runtime.running, runtime.threads.stands_at(runtime.running), Operation::Fault)];
    let fault = Fault::StackOverflow;
    Failure { subject: faults::name(fault), ..Failure::new(FailureKind::Crash, faults::describe(fault), sites) }
}
