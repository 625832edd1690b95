//! The reasons why no thread can go on: which thread waits for what, which threads could end that, and what is at the bottom of
//! it.
//!
//! A thread that waits for a lock waits for the threads that hold it, one that joins for the thread that it joins. What is at the
//! bottom is a cycle of such waits; or a lock whose holder has ended; or a thread that waits for something that no particular
//! thread owes it: to be woken, company at a barrier, or for a change that its wait loop would see.

use crate::event::{Object, Thread};

/// What a thread that cannot go on waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waits {
    /// The thread waits until the threads that hold the object release it.
    Release(Object),
    /// The thread waits until this thread ends.
    End(Thread),
    /// The thread waits until another one wakes it, by way of the object.
    Wake(Object),
    /// The thread waits until the other threads arrive at the barrier.
    Arrival(Object),
    /// The thread waits until something changes that its wait loop reads.
    Change,
}

/// A thread that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The thread.
    pub thread: Thread,
    /// The thing that it waits for.
    pub waits: Waits,
    /// The threads that could end the wait, as far as that is up to particular threads. They may have ended.
    pub by: Vec<Thread>,
}

/// A cause of an execution's end in which no thread can go on; the surest kind of cause is the least.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// Each of these threads waits for the next one, and the last for the first; the least of them comes first.
    Cycle(Vec<Thread>),
    /// The thread waits for a lock whose holder has ended.
    NeverReleased(Thread),
    /// The thread waits to be woken, and nobody is left to do so.
    NeverWoken(Thread),
    /// The thread waits at a barrier, and nobody is left to arrive there.
    NeverJoined(Thread),
    /// The thread goes round in a loop that nobody is left to end.
    Loop(Thread),
}

/// Returns the causes of the end of an execution in which exactly these threads, ascending by number, cannot go on, and no other
/// thread can.
#[must_use]
pub fn causes(blocked: &[Blocked]) -> Vec<Cause> {
    let find = |thread: Thread| blocked.iter().find(|one| one.thread == thread);
    let mut causes: Vec<Cause> = Vec::new();
    for one in blocked {
        if let Some(cycle) = cycle_from(one.thread, blocked) {
            causes.push(Cause::Cycle(cycle));
        } else if one.by.iter().all(|&thread| find(thread).is_none()) {
            causes.push(match one.waits {
                Waits::Release(_) | Waits::End(_) => Cause::NeverReleased(one.thread),
                Waits::Wake(_) => Cause::NeverWoken(one.thread),
                Waits::Arrival(_) => Cause::NeverJoined(one.thread),
                Waits::Change => Cause::Loop(one.thread),
            });
        }
    }
    causes.sort();
    causes.dedup();
    causes
}

/// Returns the shortest cycle of waits through a thread, if the thread is the least on it.
fn cycle_from(start: Thread, blocked: &[Blocked]) -> Option<Vec<Thread>> {
    let mut ways = vec![vec![start]];
    let mut reached = vec![start];
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let last = way.last().and_then(|&last| blocked.iter().find(|one| one.thread == last));
            for &next in last.into_iter().flat_map(|last| &last.by) {
                if next == start {
                    return Some(way);
                }
                if next > start && !reached.contains(&next) {
                    reached.push(next);
                    longer.push([way.as_slice(), &[next]].concat());
                }
            }
        }
        ways = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Blocked, Cause, Waits, causes};
    use crate::event::{Object, Thread};

    fn lock(thread: u8, holder: u8) -> Blocked {
        Blocked { thread: Thread(thread), waits: Waits::Release(Object(holder.into())), by: vec![Thread(holder)] }
    }

    fn join(thread: u8, other: u8) -> Blocked {
        Blocked { thread: Thread(thread), waits: Waits::End(Thread(other)), by: vec![Thread(other)] }
    }

    fn alone(thread: u8, waits: Waits) -> Blocked {
        Blocked { thread: Thread(thread), waits, by: Vec::new() }
    }

    #[test]
    fn cycles_are_found_once_and_those_who_wait_for_them_are_no_cause() {
        let cycle = |threads: &[u8]| Cause::Cycle(threads.iter().map(|&thread| Thread(thread)).collect());
        assert_eq!(causes(&[join(0, 1), lock(1, 2), lock(2, 1)]), [cycle(&[1, 2])]);
        assert_eq!(causes(&[join(0, 1), lock(1, 3), lock(2, 1), lock(3, 2)]), [cycle(&[1, 3, 2])]);
        assert_eq!(causes(&[lock(1, 1)]), [cycle(&[1])]);
        assert_eq!(
            causes(&[join(0, 2), lock(1, 0), lock(2, 1), alone(3, Waits::Change)]),
            [cycle(&[0, 2, 1]), Cause::Loop(Thread(3))]
        );
        assert_eq!(causes(&[lock(1, 2), lock(2, 1), lock(3, 4), lock(4, 3)]), [cycle(&[1, 2]), cycle(&[3, 4])]);
    }

    #[test]
    fn without_a_cycle_the_cause_is_where_the_waits_end() {
        assert_eq!(causes(&[join(0, 1), lock(1, 2)]), [Cause::NeverReleased(Thread(1))]);
        let asleep = alone(2, Waits::Wake(Object(0)));
        assert_eq!(causes(&[join(0, 1), lock(1, 2), asleep.clone()]), [Cause::NeverWoken(Thread(2))]);
        assert_eq!(
            causes(&[join(0, 2), alone(1, Waits::Change), asleep]),
            [Cause::NeverWoken(Thread(2)), Cause::Loop(Thread(1))]
        );
    }

    #[test]
    fn of_several_holders_one_on_the_cycle_is_enough() {
        let readers = Blocked { by: vec![Thread(5), Thread(2)], ..lock(1, 5) };
        assert_eq!(causes(&[readers, lock(2, 1)]), [Cause::Cycle(vec![Thread(1), Thread(2)])]);
    }
}
