//! A count of classes by drawing: an estimate of how many executions `dpor` runs in all.
//!
//! An interleaving is drawn, with a probability p: the product over its events of the weight of its thread there among the weights of all
//! threads that can go on. Now let an interleaving be drawn from its class alone, with the same weights, from those threads of
//! which all that their next event comes after has happened: that has a probability q. The q of all interleavings of a class add
//! up to 1, so the expected value of q / p over what is drawn is the number of classes. It is Knuth's estimate ("Estimating the
//! efficiency of backtrack programs", Mathematics of Computation 29, 1975) with the interleavings of a class taken together. If no
//! events conflict, p is q, and each drawing says 1; of n threads that write one variable once, each drawing says n!.
//!
//! All weights would do. The numbers that are drawn differ least if what concerns nobody, most of all the creation of threads, comes first: so
//! what none of the first executions of a seed has seen to touch anything has most of the weight, and all else is even.
//!
//! `dpor` takes rounds of wait loops without effect back. So an interleaving with such a round is none of those to be counted, and
//! says 0. A free belongs to the event before it here, and is a step of its own to `dpor`; and where a thread fails all stop
//! here, and the others go on there. So the number is near that of `dpor`'s executions, and need not be the same.

use std::collections::BTreeMap;

use super::estimate::share;
use super::sampler::{Draw, Random};
use super::trust::{Happening, happening};
use super::{Corrupt, Notice, Performed, Previous, Standing};
use crate::event::Thread;
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// The draws of a count of classes, with what is known of the present execution.
#[derive(Debug, Default)]
pub struct Census {
    /// What is known of the first events of each thread.
    first: PerThread<First>,
    /// The number of events that each thread has performed.
    performed: PerThread<u32>,
    /// The logarithm of the probability with which each event was drawn.
    drawn: Vec<f64>,
    /// The events that have happened.
    events: Vec<Happened>,
    /// The number of first events that have to have happened before the next event of each thread.
    behind: PerThread<usize>,
    /// One more than the highest number of a thread.
    threads: usize,
    /// For each place the number of first events up to the last write there, and up to the last access.
    places: BTreeMap<usize, (usize, usize)>,
    /// The logarithm of the number of ways in which values could be chosen.
    choices: f64,
    /// Whether the execution is one that is not counted.
    is_left_out: bool,
}

/// The first events of a thread, as bits: those that touched nothing in some execution, and those that touched something.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct First {
    apart: u64,
    touching: u64,
}

impl First {
    /// Returns the weight of the thread before the event with this number.
    fn weight(self, event: u32) -> u64 {
        let is_apart = 1_u64.checked_shl(event).is_some_and(|bit| self.apart & !self.touching & bit != 0);
        if is_apart { APART } else { 1 }
    }
}

/// The weight of a thread whose next event most likely touches nothing; others have 1.
const APART: u64 = 1000;

/// An event that has happened.
#[derive(Clone, Copy, Debug)]
struct Happened {
    thread: Thread,
    /// Whether it touches something, or waits for another thread.
    touches: bool,
    /// The number of first events that have to have happened before it can.
    ready: usize,
}

impl Census {
    /// Notes that the thread's next event comes after the first `events` events.
    fn comes_after(&mut self, thread: Thread, events: usize) {
        self.threads = self.threads.max(thread.index() + 1);
        self.behind[thread] = self.behind[thread].max(events);
    }

    /// Returns the logarithm of the probability with which the interleaving is drawn from its class.
    fn of_its_class(&self) -> f64 {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.threads];
        for event in self.events.iter().rev() {
            next[event.thread.index()].push(event.ready);
        }
        let mut performed = vec![0; self.threads];
        let mut logarithm = 0.0;
        for (index, event) in self.events.iter().enumerate() {
            let weight = |thread: usize| self.first[Thread::from_index(thread)].weight(performed[thread]);
            let can = |thread: &usize| next[*thread].last().is_some_and(|&ready| ready <= index);
            let all = (0..self.threads).filter(can).map(weight).sum();
            logarithm += share(weight(event.thread.index()), all);
            next[event.thread.index()].pop();
            performed[event.thread.index()] += 1;
        }
        logarithm
    }
}

impl Draw for Census {
    const LESSONS: u64 = 100;

    fn begin(&mut self, _random: &mut Random) {
        self.drawn.clear();
        self.events.clear();
        self.behind.first(self.threads).fill(0);
        self.performed.first(self.threads).fill(0);
        self.places.clear();
        (self.choices, self.is_left_out) = (0.0, false);
    }

    fn draw(&mut self, random: &mut Random, event: u32, _previous: Previous, threads: &ThreadSet) -> Thread {
        let weight = |thread: Thread| self.first[thread].weight(self.performed[thread]);
        let thread = random.weighted(threads.iter().map(|thread| (thread, weight(thread))));
        let probability = share(weight(thread), threads.iter().map(weight).sum());
        self.drawn.resize(event as usize + 1, 0.0);
        self.drawn[event as usize] = probability;
        thread
    }

    fn observes(&self) -> bool {
        true
    }

    fn performed(&mut self, event: &Performed<'_>) {
        let now = self.events.len() + 1;
        let (happening, places) = happening(event);
        if let Happening::Joins(child) = happening {
            self.comes_after(event.thread, self.behind[child]);
        }
        let mut ready = self.behind[event.thread];
        for place in places {
            let (written, accessed) = self.places.entry(place).or_default();
            match happening {
                Happening::Reads => ready = ready.max(*written),
                Happening::Writes => ready = ready.max(*accessed),
                _ => continue,
            }
            *accessed = now;
            if happening == Happening::Writes {
                *written = now;
            }
        }
        let creates = if let Happening::Creates(child) = happening { Some(child) } else { None };
        self.performed[event.thread] += 1;
        self.events.push(Happened {
            thread: event.thread,
            touches: matches!(happening, Happening::Reads | Happening::Writes | Happening::Joins(_)),
            ready,
        });
        for thread in creates.into_iter().chain([event.thread]) {
            self.comes_after(thread, now);
        }
    }

    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::After { thread, event } => self.comes_after(thread, event as usize + 1),
            // What is in a block cannot be drawn one by one.
            Notice::BlockOpens(_) | Notice::Waits { standing: Standing::InALoop, iteration: Some(_), .. } => {
                self.is_left_out = true;
            }
            _ => {}
        }
    }

    fn chosen(&mut self, count: u64) {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let ways = (count as f64).ln();
        self.choices += ways;
    }

    fn stands_for(&self) -> Option<f64> {
        let drawn = self.drawn.iter().take(self.events.len()).sum::<f64>() - self.choices;
        Some(if self.is_left_out { f64::NEG_INFINITY } else { self.of_its_class() - drawn })
    }

    fn learn(&mut self, _events: u32) {
        let mut performed = vec![0_u32; self.threads];
        for event in &self.events {
            let number = &mut performed[event.thread.index()];
            let bit = 1_u64.checked_shl(*number).unwrap_or(0);
            let first = &mut self.first[event.thread];
            *(if event.touches { &mut first.touching } else { &mut first.apart }) |= bit;
            *number += 1;
        }
    }

    /// Returns two numbers for each thread, of its first events: those that touched nothing, and those that touched something.
    fn learned(&self) -> Vec<u64> {
        let first = (0..self.threads).map(|thread| self.first[Thread::from_index(thread)]);
        first.flat_map(|first| [first.apart, first.touching]).collect()
    }

    fn recall(&mut self, learned: &[u64]) -> Result<(), Corrupt> {
        let (pairs, rest) = learned.as_chunks::<2>();
        if !rest.is_empty() || pairs.len() > Thread::LIMIT {
            return Err(Corrupt);
        }
        self.threads = pairs.len();
        for (first, &[apart, touching]) in self.first.first(pairs.len()).iter_mut().zip(pairs) {
            *first = First { apart, touching };
        }
        Ok(())
    }
}
