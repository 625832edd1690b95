//! `pthread_once_t`, and C11's `once_flag`. A call is one event; the end of the function, where it runs, another one.

use std::ffi::c_int;

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::{Until, Wish};
use engine::sync::once::{Entry, Once};
use protocol::Operation;

use crate::graph;
use crate::hooks::pthread::ends::{self, Handler};
use crate::run::Runtime;
use crate::schedule::objects::{Call, Class, Done};

/// A function that runs once.
pub(crate) type Function = unsafe extern "C" fn();

impl Runtime {
    fn once<R>(&mut self, object: Object, work: impl FnOnce(&mut Once, engine::event::Thread) -> R) -> R {
        self.execution
            .operate(object, |machine, thread| work(machine.once().expect("objects are numbered by class"), thread))
    }
}

/// Runs the function unless it has run.
pub(crate) fn once(call: Call, function: Function) -> c_int {
    if graph::is_on() {
        return once_in_graph(call, function);
    }
    let Some(object) = call.object(Class::Once) else { return 0 };
    let entry = call.event(Pending::Wait(Wish::Once(object), Until::Granted), |runtime| {
        let entry = runtime.once(object, Once::enter);
        if entry == Entry::Runs {
            runtime.takes_hold(object);
        }
        let path = if entry == Entry::Runs { calls::ONCE_FIRST } else { calls::ONCE_DONE };
        (Done::by(path, Kind::Lock(object), Operation::OnceEnter), entry)
    });
    if entry != Some(Entry::Runs) {
        return 0;
    }
    ends::push(Handler::AbandonOnce(call, object));
    // SAFETY: the program passes a function without parameters.
    unsafe { function() };
    ends::pop();
    call.event(Pending::Access, |runtime| {
        runtime.lets_go(object);
        runtime.once(object, |once, _| once.complete());
        (Done::by(calls::ONCE_RETURN, Kind::Lock(object), Operation::OnceReturn), ())
    });
    0
}

fn once_in_graph(call: Call, function: Function) -> c_int {
    if graph::objects::enter_once(call) == Entry::Runs {
        ends::push(Handler::AbandonOnce(call, Object(0)));
        // SAFETY: the program passes a function without parameters.
        unsafe { function() };
        ends::pop();
        graph::objects::leave_once(call, Once::complete);
    }
    0
}

/// The thread that runs the function ends in it.
pub(crate) fn abandon(call: Call, object: Object) {
    if graph::is_on() {
        return graph::objects::leave_once(call, Once::abandon);
    }
    call.event(Pending::Access, |runtime| {
        runtime.lets_go(object);
        runtime.once(object, |once, _| once.abandon());
        (Done::by(calls::ONCE_RETURN, Kind::Lock(object), Operation::OnceReturn), ())
    });
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_once(once: *mut libc::pthread_once_t, function: Function) -> c_int {
    self::once(Call::on("pthread_once", once), function)
}
