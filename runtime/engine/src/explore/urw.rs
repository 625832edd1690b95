//! Uniform random walk: a thread is drawn with a probability in proportion to the events that it still has to perform.
//!
//! Source: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025. If every thread
//! performs the same number of events in all executions, never blocks, and these numbers are known, every interleaving
//! is equally likely: where a walk over threads favours the ends of short threads, this does not.
//!
//! Deviations from the paper:
//! 1. The numbers come from the executions before, of the first hundred at most ([`Urw::LESSONS`]), the largest of each
//!    thread; the first execution draws threads evenly.
//! 2. All events are interesting: the paper's selection of a random subset of them is not there.

use super::sampler::{Draw, Random};
use super::{Corrupt, Performed, Previous};
use crate::event::{Kind, Thread};
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// The scheduler of the uniform random walk: it draws a thread in proportion to the number of its events to come.
#[derive(Debug, Default)]
pub struct Urw {
    /// The number of events that each thread has performed in this execution, and the thread that created it.
    performed: PerThread<u64>,
    creators: PerThread<Option<Thread>>,
    /// One more than the highest number of a thread in any execution so far.
    threads: usize,
    /// What was learned of each thread.
    learned: Vec<Learned>,
}

/// What executions teach of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Learned {
    /// The most events that the thread performed in an execution.
    events: u64,
    /// The thread that created it; none for main.
    creator: Option<Thread>,
}

impl Urw {
    /// Returns how many events the thread and those that it is still to create have to perform, at least 1.
    fn weight(&self, thread: Thread) -> u64 {
        let most = self.learned.get(thread.index()).map_or(0, |learned| learned.events);
        let own = most.saturating_sub(self.performed[thread]);
        // Creators have lower numbers than what they create.
        let others = self.learned.iter().enumerate().skip(thread.index() + 1);
        let theirs: u64 = others
            .map(|(index, learned)| (Thread::from_index(index), learned))
            .filter(|&(child, learned)| learned.creator == Some(thread) && self.creators[child].is_none())
            .map(|(child, _)| self.weight(child))
            .sum();
        (own + theirs).max(1)
    }

    fn has(&mut self, thread: Thread) {
        self.threads = self.threads.max(thread.index() + 1);
    }
}

impl Draw for Urw {
    /// Executions that are enough to see what threads do, and few enough not to keep others waiting that could run.
    const LESSONS: u64 = 100;

    fn begin(&mut self, _random: &mut Random) {
        self.performed.first(self.threads).fill(0);
        self.creators.first(self.threads).fill(None);
    }

    fn draw(&mut self, random: &mut Random, _event: u32, _previous: Previous, threads: &ThreadSet) -> Thread {
        random.weighted(threads.iter().map(|thread| (thread, self.weight(thread))))
    }

    fn observes(&self) -> bool {
        true
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.performed[event.thread] += 1;
        self.has(event.thread);
        if let Kind::Create(child) = event.kind {
            self.has(child);
            self.creators[child] = Some(event.thread);
        }
    }

    fn learn(&mut self, _events: u32) {
        self.learned.resize(self.threads, Learned::default());
        for (index, learned) in self.learned.iter_mut().enumerate() {
            let thread = Thread::from_index(index);
            learned.events = learned.events.max(self.performed[thread]);
            learned.creator = self.creators[thread].or(learned.creator);
        }
    }

    /// Returns two numbers for each thread: its events, and 1 more than the number of its creator, or 0.
    fn learned(&self) -> Vec<u64> {
        let numbers = |learned: &Learned| {
            let creator = learned.creator.map_or(0, |creator| u64::from(creator.0) + 1);
            [learned.events, creator]
        };
        self.learned.iter().flat_map(numbers).collect()
    }

    fn recall(&mut self, learned: &[u64]) -> Result<(), Corrupt> {
        let (pairs, rest) = learned.as_chunks::<2>();
        let thread = |(index, &[events, creator]): (usize, &[u64; 2])| {
            let creator = creator.checked_sub(1).map(|creator| usize::try_from(creator).map_err(|_| Corrupt));
            match creator.transpose()? {
                Some(creator) if creator >= index => Err(Corrupt),
                creator => Ok(Learned { events, creator: creator.map(Thread::from_index) }),
            }
        };
        self.learned = pairs.iter().enumerate().map(thread).collect::<Result<_, Corrupt>>()?;
        self.threads = pairs.len();
        if rest.is_empty() && self.threads <= Thread::LIMIT { Ok(()) } else { Err(Corrupt) }
    }
}
