//! What an event touches is distinct: of locations that is asked of whoever performs events, of objects it is made so.

use engine::event::{self, Kind, Location, Object, Site, Thread};
use engine::execution::{Execution, Next, Pending};
use engine::explore::trust::Trust;
use engine::explore::{Finish, Values};
use engine::step::Step;

/// The number of classes of a program of two threads besides main. Each performs a step that means nothing by itself, but
/// concerns these objects and touches these locations.
fn classes_of_two_steps(locations: &[Location], objects: &[Object]) -> usize {
    let mut execution = Execution::new(Box::new(Trust::new()));
    let mut classes = 0;
    while execution.begin() {
        let mut left = [2_u32, 1, 1];
        execution.state.arrive(Thread::MAIN, Pending::Access);
        while let Next::Run(thread) = execution.choose() {
            let kind = if thread == Thread::MAIN {
                let child = execution.state.create().expect("two threads");
                execution.state.arrive(child, Pending::Access);
                Kind::Create(child)
            } else {
                execution.at_hand.concerns(objects);
                Kind::Fence
            };
            let touched = if kind == Kind::Fence { locations } else { &[] };
            let step = Step { thread, site: Site(thread.0.into()), kind, target: 0 };
            execution.performed(step, touched, Values::Unknown).expect("the same as before");
            left[thread.index()] -= 1;
            if left[thread.index()] == 0 {
                execution.state.end_thread(thread);
            } else {
                execution.state.arrive(thread, Pending::Access);
            }
        }
        execution.finish(Finish::Done);
        classes += 1;
    }
    classes
}

const A: Location = Location(3);
const B: Location = Location(5);

#[test]
fn steps_at_common_places_come_in_both_orders() {
    assert_eq!(classes_of_two_steps(&[], &[]), 1);
    assert_eq!(classes_of_two_steps(&[A], &[]), 2);
    assert_eq!(classes_of_two_steps(&[B, A], &[]), 2);
    assert_eq!(classes_of_two_steps(&[B, A], &[Object(0)]), 2);
}

#[test]
#[should_panic(expected = "an event touches a location once")]
fn an_event_that_touches_a_location_twice_is_refused() {
    classes_of_two_steps(&[A, B, A], &[]);
}

#[test]
fn an_object_that_is_named_twice_is_one() {
    assert_eq!(classes_of_two_steps(&[], &[Object(1), Object(0), Object(1)]), 2);
    assert_eq!(classes_of_two_steps(&[A], &[Object(0), Object(0)]), 2);
}

#[test]
fn locations_are_made_distinct_in_their_order() {
    let mut locations = vec![B, A, B, A, Location(9)];
    assert!(!event::are_distinct(&locations));
    event::make_distinct(&mut locations);
    assert_eq!(locations, [B, A, Location(9)]);
    assert!(event::are_distinct(&locations));
}
