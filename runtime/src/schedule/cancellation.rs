//! Deferred cancellation, as `pthread_cancel` asks for it. Whether a thread is cancelled is tested in an event of its
//! own at each cancellation point, if the program calls `pthread_cancel` at all, and a wait that is a cancellation
//! point ends when the thread is cancelled. Output and files are no cancellation points here.
//!
//! To the explorer `dpor` the requests and the tests are operations on an object. It does not know that the end of such
//! a wait conflicts with the request: a thread that waits there and is cancelled, in whatever order, is refused.

use engine::event::Kind;
use engine::execution::Pending;
use engine::mapping::calls;
use protocol::Operation;

use crate::process::sections;
use crate::run::with;
use crate::schedule::ends;
use crate::schedule::objects::{self, Done, unnamed};
use crate::state::objects::{Call, Class};

/// The result of a thread that was cancelled, `PTHREAD_CANCELED`.
const CANCELED: usize = usize::MAX;

/// Whether the running thread is cancelled and heeds it.
pub(crate) fn is_due() -> bool {
    with(|runtime| {
        let thread = runtime.running;
        runtime.threads.at(thread).ends.cancellation.is_due()
    }) == Some(true)
}

/// Performs a cancellation point: tests whether the running thread is cancelled, and ends it if so.
pub(crate) fn point(call: Call) {
    if !sections::calls_cancel() {
        return;
    }
    let Some(object) = with(|runtime| runtime.running).and_then(|thread| unnamed(Class::Cancellation, thread.index()))
    else {
        return;
    };
    objects::event(call, Pending::Access, |_| {
        (Done::by(calls::TEST_CANCEL, Kind::Share(object), Operation::TestCancel), ())
    });
    if is_due() {
        act(call);
    }
}

/// Ends the running thread, which is cancelled.
pub(crate) fn act(call: Call) -> ! {
    ends::end_thread(call, CANCELED)
}
