//! What the C library keeps for all threads beside the program's memory: the clock ([`crate::hooks::library::clock`]), the states of its generators,
//! and where `strtok` goes on. Each is an object: its uses are events, whose orders are explored. A use is indivisible and
//! drains nothing, and what it writes, but for the clock, waits in the store buffer ([`calls::LIBRARY`]).
//!
//! In a program that can use them in `main` alone ([`globals::shares_library`]) they are no events.

use engine::event::Kind;
use engine::execution::Pending;
use engine::mapping::calls;
use protocol::Operation;

use crate::graph;
use crate::hooks::library::random::Library;
use crate::hooks::pthread::threads::call_site;
use crate::run::{turn, with};
use crate::schedule::objects::Class;
use crate::state::globals;
use crate::state::recorder::Note;

/// One of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Common {
    /// The generator of `rand` and `random`.
    Additive,
    /// That of `drand48` and its sisters.
    Linear,
    /// What stands for the machine's own chance.
    Chance,
    /// Where `strtok` goes on.
    Token,
    /// The clock ([`crate::hooks::library::clock`]).
    Clock,
}

impl Common {
    /// How many there are.
    pub(crate) const COUNT: usize = 5;

    /// Waits for the running thread's turn to use it, and reports the use.
    fn arrive(self) {
        let site = call_site();
        turn(Pending::Access, site);
        let reported = with(|runtime| {
            let address = self as usize + 1;
            let object = runtime.objects.number(Class::Library, address);
            let note = Note { site, operation: Operation::Use };
            runtime.word_event(Kind::Await(object), object, calls::LIBRARY.effect, note, address)
        });
        if let Some(turn) = reported {
            turn.obey();
        }
    }
}

/// Uses it: `next` says what its state, 0 at first, is afterwards, and what comes of it.
pub(crate) fn change<R: Default>(what: Common, next: impl FnOnce(&mut Library, u64) -> (u64, R)) -> R {
    if globals::shares_library() {
        if graph::is_on() {
            return graph::objects::change(what, call_site(), next);
        }
        what.arrive();
    }
    let changed = with(|runtime| {
        runtime.has_effect();
        let before = runtime.library.states[what as usize];
        let (state, result) = next(&mut runtime.library, before);
        runtime.library.states[what as usize] = state;
        result
    });
    changed.unwrap_or_default()
}
