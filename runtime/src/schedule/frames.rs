//! The ends of local variables that other threads may know of.

use engine::execution::Pending;

use crate::run::with;
use crate::schedule::events;
use crate::schedule::turns::turn;

/// Ends the life of the running thread's local variables but for the `depth` oldest ones.
pub(crate) fn leave(depth: usize) {
    let aside =
        with(|runtime| events::leaves_aside(runtime, depth).then(|| runtime.threads.stands_at(runtime.running)));
    if let Some(Some(site)) = aside {
        turn(Pending::Access, site);
    }
    if let Some(turn) = with(|runtime| events::leave_locals(runtime, depth)) {
        turn.obey();
    }
}
