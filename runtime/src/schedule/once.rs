//! Functions that run once, of `pthread_once_t` and C11's `once_flag`, under the scheduler. A call is one event; the
//! end of the function, if it runs, is another one.

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::{Until, Wish};
use engine::sync::once::{Once, OnceEntry};
use protocol::Operation;

use crate::run::Runtime;
use crate::schedule::objects::{self, Done};
use crate::schedule::waits;
use crate::state::objects::{Call, Class};

/// Performs a call of `pthread_once` up to the function; returns the object if the function is to be run.
pub(crate) fn enter(call: Call) -> Option<Object> {
    let object = objects::object(call, Class::Once)?;
    let entry = objects::event(call, Pending::Wait(Wish::Once(object), Until::Granted), |runtime| {
        let entry = on_once(runtime, object, Once::enter);
        if entry == OnceEntry::Runs {
            waits::takes_hold(runtime, object);
        }
        let path = if entry == OnceEntry::Runs { calls::ONCE_FIRST } else { calls::ONCE_DONE };
        (Done::by(path, Kind::Lock(object), Operation::OnceEnter), entry)
    });
    (entry == Some(OnceEntry::Runs)).then_some(object)
}

/// Ends the function: it has returned, or its thread ends in it.
pub(crate) fn leave(call: Call, object: Object, end: fn(&mut Once)) {
    objects::event(call, Pending::Access, |runtime| {
        waits::lets_go(runtime, object);
        on_once(runtime, object, |once, _| end(once));
        (Done::by(calls::ONCE_RETURN, Kind::Lock(object), Operation::OnceReturn), ())
    });
}

/// Operates on a once.
fn on_once<R>(runtime: &mut Runtime, object: Object, work: impl FnOnce(&mut Once, engine::event::Thread) -> R) -> R {
    runtime
        .execution
        .operate(object, |machine, thread| work(machine.once().expect("objects are numbered by class"), thread))
}
