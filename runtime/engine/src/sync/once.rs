//! The state of a `pthread_once_t`, or of C11's `once_flag`.

use crate::event::Thread;

/// The outcome of a call of `pthread_once` that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnceEntry {
    /// The call runs the function.
    Runs,
    /// The call returns at once, as the function has run.
    Passes,
}

/// The state of a function that is run once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Once {
    /// No thread has called yet.
    #[default]
    Fresh,
    /// This thread runs the function.
    Running(Thread),
    /// The function has run.
    Done,
}

impl Once {
    /// Whether a call would go on now. A call from within the function itself never would.
    #[must_use]
    pub const fn would_enter(&self) -> bool {
        !matches!(self, Self::Running(_))
    }

    /// Lets a call by this thread go on.
    ///
    /// # Panics
    /// If the call would not go on ([`Once::would_enter`]).
    pub fn enter(&mut self, thread: Thread) -> OnceEntry {
        assert!(self.would_enter(), "a call that blocks does not go on");
        if *self == Self::Done {
            return OnceEntry::Passes;
        }
        *self = Self::Running(thread);
        OnceEntry::Runs
    }

    /// Notes that the function has returned.
    pub const fn complete(&mut self) {
        *self = Self::Done;
    }

    /// Notes that the thread that runs the function was cancelled in it: the state becomes that before any call.
    pub const fn abandon(&mut self) {
        *self = Self::Fresh;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All interleavings of threads that call once each; the function's end is an event of its own, and it may be cut
    /// short so many times. `left` are the threads to come.
    fn interleavings(once: Once, left: &mut Vec<Thread>, runs: u32, mut cuts: u32, ended: u32) -> u32 {
        assert!(ended <= 1 && runs <= 1);
        assert_eq!(once.would_enter(), runs == 0, "nobody goes on while the function runs");
        let mut found = u32::from(left.is_empty() && runs == 0);
        if runs == 1 {
            let mut next = once;
            next.complete();
            found += interleavings(next, left, 0, cuts, ended + 1);
            if cuts > 0 {
                cuts -= 1;
                next.abandon();
                found += interleavings(next, left, 0, cuts, ended);
            }
            return found;
        }
        for index in 0..left.len() {
            let thread = left.remove(index);
            let mut next = once;
            let entry = next.enter(thread);
            assert_eq!(entry == OnceEntry::Runs, ended == 0, "it runs unless it has run to its end");
            found += interleavings(next, left, u32::from(entry == OnceEntry::Runs), cuts, ended);
            left.insert(index, thread);
        }
        found
    }

    #[test]
    fn the_function_runs_to_its_end_once_in_all_interleavings() {
        let threads = |count| (0..count).map(Thread::from_index).collect::<Vec<_>>();
        // The end comes right after the entry: as many as there are orders of calls.
        assert_eq!(interleavings(Once::Fresh, &mut threads(3), 0, 0, 0), 6);
        // Cut short in the first call, or not; and then in the second one nothing is left to cut.
        assert_eq!(interleavings(Once::Fresh, &mut threads(2), 0, 1, 0), 2 * 2);
    }
}
