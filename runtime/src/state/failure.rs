//! Failures of executions, and the words for them.

use engine::event::Thread;
use engine::execution::Execution;
use engine::graph::EventId;
use engine::graph::lifetime::Moment;
use protocol::{FailureKind, GraphEnd, GraphEvent, Identity, Operation, Role, SiteUse};

use crate::process::sites::{Record, RecordPointer};

/// The extent of an execution at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) events: usize,
    pub(crate) choices: usize,
}

impl Extent {
    /// Returns how far the execution has come so far.
    pub(crate) fn of(execution: &Execution) -> Self {
        Self { events: execution.history.steps().len(), choices: execution.history.choices().len() }
    }
}

/// A failure: what made an execution fail.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    /// The subject of the failure, as [`protocol::Violation::subject`].
    pub(crate) subject: String,
    pub(crate) sites: Vec<SiteUse>,
    /// The address in the program's code at which a signal ended the execution, if one did.
    pub(crate) program_counter: Option<u64>,
    /// What nothing orders in an execution graph, if that is the failure.
    pub(crate) late: Option<Late>,
}

/// An access that may take effect behind the end of what it uses.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    pub(crate) access: EventId,
    pub(crate) end: Moment,
    /// The operation that ends it.
    pub(crate) site: SiteUse,
}

impl Late {
    /// Returns the end as it is stored with a graph of these events.
    pub(crate) fn described(&self, events: &[GraphEvent]) -> Option<GraphEnd> {
        let Self { access, end, site } = self;
        let is_late = |event: &GraphEvent| (event.thread, event.index) == (access.thread.into(), access.index.into());
        let late = events.iter().position(is_late)? as u64;
        let SiteUse { place, function, operation, .. } = site.clone();
        Some(GraphEnd { thread: end.thread.into(), index: end.accesses.into(), place, function, operation, late })
    }
}

impl Failure {
    /// Makes a failure without a subject: its kind and its sites alone tell it from others.
    pub(crate) const fn new(kind: FailureKind, message: String, sites: Vec<SiteUse>) -> Self {
        Self { kind, message, subject: String::new(), sites, program_counter: None, late: None }
    }

    /// Returns the identity of the failure, which equal failures share.
    pub(crate) fn identity(&self) -> Identity {
        Identity::failed(self.kind, &self.subject, &self.sites)
    }
}

/// Makes a site: an operation at a place in the program's source, with its part in a failure.
pub(crate) fn site_use(role: Role, thread: Thread, record: RecordPointer, operation: Operation) -> SiteUse {
    let record = Record::behind(record);
    SiteUse {
        role,
        thread: thread.0.into(),
        place: record.place(),
        function: record.function().to_owned(),
        operation,
        expression: record.expression().to_owned(),
    }
}

/// Returns a thread's name in messages.
pub(crate) fn name(thread: Thread) -> String {
    if thread == Thread::MAIN { "main".to_owned() } else { format!("T{}", thread.0) }
}

/// Makes the site of an operation by this thread at this place, with its part in a failure.
pub(crate) fn part(role: Role, (thread, record): Doer, operation: Operation) -> SiteUse {
    site_use(role, thread, record, operation)
}

/// Writes a number of bytes in words.
pub(crate) fn bytes(count: usize) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// The thread that did something, and the record of the place where it did it.
pub(crate) type Doer = (Thread, &'static Record);
