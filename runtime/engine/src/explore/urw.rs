//! Uniform random walk: a thread is drawn with a probability in proportion to the events that it still has to perform.
//!
//! Source: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025. If every thread
//! performs the same number of events in all executions, never blocks, and these numbers are known, every interleaving
//! is equally likely: where a walk over threads favours the ends of short threads, this does not.
//!
//! Deviations from the paper:
//! 1. The numbers come from the executions before, the largest of each thread; the first execution draws threads
//!    evenly.
//! 2. All events are interesting: the paper's selection of a random subset of them is not there.

use super::sampler::{Draw, Random};
use super::{Performed, Previous};
use crate::event::{Kind, Thread};
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// Draws a thread by the number of its events to come.
#[derive(Debug, Default)]
pub struct Urw {
    /// How many events a thread performed, now and at most in an execution before.
    performed: PerThread<u64>,
    known: PerThread<u64>,
    /// Which thread created it.
    parents: PerThread<Option<Thread>>,
    created: PerThread<bool>,
    /// One more than the highest number of a thread.
    threads: usize,
}

impl Urw {
    /// The events that the thread and those that it is still to create have to perform, at least 1.
    fn weight(&self, thread: Thread) -> u64 {
        let own = self.known[thread].saturating_sub(self.performed[thread]);
        let uncreated = (thread.index() + 1..self.threads).map(Thread::from_index);
        let theirs: u64 = uncreated
            .filter(|&child| self.parents[child] == Some(thread) && !self.created[child])
            .map(|child| self.weight(child))
            .sum();
        (own + theirs).max(1)
    }
}

impl Draw for Urw {
    fn begin(&mut self, _random: &mut Random, _longest: u32) {
        self.performed.first(self.threads).fill(0);
        self.created.first(self.threads).fill(false);
    }

    fn draw(&mut self, random: &mut Random, _event: u32, _previous: Previous, threads: &ThreadSet) -> Thread {
        let weights = threads.iter().map(|thread| self.weight(thread));
        let mut left = random.below(weights.sum());
        for thread in threads.iter() {
            match left.checked_sub(self.weight(thread)) {
                None => return thread,
                Some(rest) => left = rest,
            }
        }
        unreachable!("the number is below the sum of the weights")
    }

    fn observes(&self) -> bool {
        true
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.performed[event.thread] += 1;
        self.threads = self.threads.max(event.thread.index() + 1);
        if let Kind::Create(child) = event.kind {
            self.threads = self.threads.max(child.index() + 1);
            self.parents[child] = Some(event.thread);
            self.created[child] = true;
        }
    }

    fn end(&mut self) {
        for index in 0..self.threads {
            let thread = Thread::from_index(index);
            self.known[thread] = self.known[thread].max(self.performed[thread]);
        }
    }
}
