//! Data races in execution graphs of C11.

use engine::event::Thread;
use engine::explore::rsmc::CompleteTrace;
use engine::graph::EventId;
use protocol::{FailureKind, Place, Role};

use crate::process::sites::Record;
use crate::search::graphs::runs::{Broken, Notes, notes};
use crate::state::failure::{Failure, site_use};
use crate::state::operation::Note;
use crate::state::violations::race_in_words;

/// Returns the line and column of a place, by which accesses are ordered.
fn place_of(note: Note) -> (u32, u32) {
    let Place { line, column, .. } = Record::behind(note.site).place();
    (line, column)
}

/// Returns the pairs of accesses that race as failures, each pair of places once.
pub(crate) fn failures<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Vec<Failure>, Broken> {
    let pairs = execution.races();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let notes = notes(execution)?;
    let mut found: Vec<Failure> = Vec::new();
    for pair in pairs {
        let race = race(&notes, pair);
        if !found.iter().any(|known| known.identity() == race.identity()) {
            found.push(race);
        }
    }
    Ok(found)
}

/// Returns a race of two accesses as a failure: the same pair of places in one order, whichever access comes first.
pub(crate) fn race(notes: &Notes, (one, other): (EventId, EventId)) -> Failure {
    let of = |event: EventId| notes[usize::from(event.thread)][usize::from(event.index)].note;
    let site = |role: Role, event: EventId| {
        site_use(role, Thread::from_index(event.thread.into()), of(event).site, of(event).operation)
    };
    let [one, other] = if place_of(of(one)) <= place_of(of(other)) { [one, other] } else { [other, one] };
    let sites = vec![site(Role::First, one), site(Role::Second, other)];
    let message = race_in_words(&sites[0], &sites[1]);
    Failure::new(FailureKind::Race, message, sites)
}
