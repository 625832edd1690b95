//! Barriers under the scheduler. Crossing one is an event as the thread arrives, and, for all but the last to arrive,
//! another one as it leaves: after all arrivals of its round, and not ordered with others that leave.

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::barrier::{Arrival, Barrier};
use engine::sync::machine::{Until, Wish};
use protocol::Operation;

use crate::run::Runtime;
use crate::schedule::objects::{self, Done};
use crate::state::objects::{Call, Class};

/// Performs `pthread_barrier_wait`.
pub(crate) fn wait(call: Call) -> Arrival {
    let (Some(object), Some(odd)) = (objects::object(call, Class::Barrier), objects::object(call, Class::OddRound))
    else {
        return Arrival::Waits;
    };
    let arrived = objects::event(call, Pending::Access, |runtime| {
        let (round, arrival) =
            on_barrier(runtime, object, |barrier, thread| (barrier.rounds(), barrier.arrive(thread)));
        let round = if round % 2 == 0 { object } else { odd };
        runtime.execution.at_hand.is_round_of(odd, object);
        let done = Done::by(calls::BARRIER_ARRIVE, Kind::Lock(round), Operation::BarrierArrive);
        (done, (round, arrival))
    });
    match arrived {
        None => Arrival::Waits,
        Some((_, Arrival::Completes)) => Arrival::Completes,
        Some((round, Arrival::Waits)) => {
            objects::event(call, Pending::Wait(Wish::Cross(object), Until::Granted), |runtime| {
                on_barrier(runtime, object, Barrier::leave);
                (Done::by(calls::BARRIER_LEAVE, Kind::Share(round), Operation::BarrierLeave), ())
            });
            Arrival::Waits
        }
    }
}

/// Operates on a barrier.
fn on_barrier<R>(
    runtime: &mut Runtime,
    object: Object,
    work: impl FnOnce(&mut Barrier, engine::event::Thread) -> R,
) -> R {
    runtime
        .execution
        .operate(object, |machine, thread| work(machine.barrier().expect("objects are numbered by class"), thread))
}
