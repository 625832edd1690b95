//! Uses of the C library's state, which all threads share, as events.

use engine::event::Kind;
use engine::execution::Pending;
use engine::mapping::calls;
use protocol::Operation;

use crate::process::sites::call_site;
use crate::run::with;
use crate::schedule::turns::turn;
use crate::schedule::{commits, events, steps};
use crate::state::library::Common;
use crate::state::objects::Class;
use crate::state::operation::Note;
use crate::state::turn::Turn;

/// Waits for the running thread's turn to use a part of the state, and reports the use.
pub(crate) fn arrive(what: Common) {
    let site = call_site();
    with(steps::awaits_all);
    turn(Pending::Access, site);
    let reported = with(|runtime| {
        let turn = commits::hidden_fence(runtime);
        if turn != Turn::Ours {
            return turn;
        }
        let address = what as usize + 1;
        let object = runtime.objects.number(Class::Library, address);
        let note = Note { site, operation: Operation::Use };
        events::word_event(runtime, Kind::Await(object), object, calls::LIBRARY.effect, note, address)
    });
    if let Some(turn) = reported {
        turn.obey();
    }
}
