//! What is wrong with an execution, and the words for it.

use engine::event::Thread;
use engine::execution::Execution;
use protocol::{FailureKind, Identity, Operation, Role, SiteUse};

use crate::process::sites::{Record, RecordPointer};

/// How much of an execution there has been.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) events: usize,
    pub(crate) choices: usize,
}

impl Extent {
    /// As much as there has been so far.
    pub(crate) fn of(execution: &Execution) -> Self {
        Self { events: execution.history.steps().len(), choices: execution.history.choices().len() }
    }
}

/// What made an execution fail.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
    /// What it is about, as [`protocol::Violation::subject`].
    pub(crate) subject: String,
    pub(crate) sites: Vec<SiteUse>,
    /// Where in the program's code, if a signal ended it.
    pub(crate) program_counter: Option<u64>,
}

impl Failure {
    /// A failure that its kind and its sites tell from others, in these words.
    pub(crate) const fn new(kind: FailureKind, message: String, sites: Vec<SiteUse>) -> Self {
        Self { kind, message, subject: String::new(), sites, program_counter: None }
    }

    /// What failures have in common that are the same.
    pub(crate) fn identity(&self) -> Identity {
        Identity::failed(self.kind, &self.subject, &self.sites)
    }
}

/// A place in the program's source, with a part in a failure.
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

/// A thread's name in messages.
pub(crate) fn name(thread: Thread) -> String {
    if thread == Thread::MAIN { "main".to_owned() } else { format!("T{}", thread.0) }
}

/// A part in a failure that some thread took at some place.
pub(crate) fn part(role: Role, (thread, record): Doer, operation: Operation) -> SiteUse {
    site_use(role, thread, record, operation)
}

/// So many bytes, in words.
pub(crate) fn bytes(count: usize) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// Who did something, and where.
pub(crate) type Doer = (Thread, &'static Record);
