//! `pthread_barrier_t`. Crossing one is an event as the thread arrives, and, for all but the last to arrive, another
//! one as it leaves: after all arrivals of its round, and not ordered with others that leave.

use std::ffi::{c_int, c_uint};

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::barrier::{Arrival, Barrier};
use engine::sync::machine::{Machine, Until, Wish};
use protocol::Operation;

use crate::graph;
use crate::run::Runtime;
use crate::schedule::objects::{Call, Class, Done, Initial};

type Pointer = *mut libc::pthread_barrier_t;

impl Runtime {
    fn barrier<R>(&mut self, object: Object, work: impl FnOnce(&mut Barrier, engine::event::Thread) -> R) -> R {
        self.execution
            .operate(object, |machine, thread| work(machine.barrier().expect("objects are numbered by class"), thread))
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_barrier_init(
    barrier: Pointer,
    _attributes: *const libc::pthread_barrierattr_t,
    count: c_uint,
) -> c_int {
    let Some(state) = Barrier::new(count) else { return libc::EINVAL };
    Call::on("pthread_barrier_init", barrier).initialise(Class::Barrier, Initial::Machine(Machine::Barrier(state)));
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_barrier_destroy(barrier: Pointer) -> c_int {
    Call::on("pthread_barrier_destroy", barrier).destroy(Class::Barrier);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_barrier_wait(barrier: Pointer) -> c_int {
    let call = Call::on("pthread_barrier_wait", barrier);
    if graph::is_on() {
        return match graph::objects::cross(call) {
            Arrival::Completes => libc::PTHREAD_BARRIER_SERIAL_THREAD,
            Arrival::Waits => 0,
        };
    }
    let (Some(object), Some(odd)) = (call.object(Class::Barrier), call.object(Class::OddRound)) else { return 0 };
    let arrived = call.event(Pending::Access, |runtime| {
        let (round, arrival) = runtime.barrier(object, |barrier, thread| (barrier.rounds(), barrier.arrive(thread)));
        let round = if round % 2 == 0 { object } else { odd };
        runtime.execution.at_hand.is_round_of(odd, object);
        let done = Done::by(calls::BARRIER_ARRIVE, Kind::Lock(round), Operation::BarrierArrive);
        (done, (round, arrival))
    });
    match arrived {
        None => 0,
        Some((_, Arrival::Completes)) => libc::PTHREAD_BARRIER_SERIAL_THREAD,
        Some((round, Arrival::Waits)) => {
            call.event(Pending::Wait(Wish::Cross(object), Until::Granted), |runtime| {
                runtime.barrier(object, Barrier::leave);
                (Done::by(calls::BARRIER_LEAVE, Kind::Share(round), Operation::BarrierLeave), ())
            });
            0
        }
    }
}
