//! A random walk: at every event, each thread that can go on is equally likely.
//!
//! This is the random scheduler of the technical report to the TACAS'11 paper (002-burnim-tr10). An interleaving with
//! few alternatives on its way is likelier than one with many.

use super::Previous;
use super::sampler::{Draw, Random};
use crate::event::Thread;
use crate::thread_set::ThreadSet;

/// The uniform scheduler: it draws each thread with the same probability.
#[derive(Debug, Default)]
pub struct Uniform;

impl Draw for Uniform {
    fn begin(&mut self, _random: &mut Random) {}

    fn draw(&mut self, random: &mut Random, _event: u32, _previous: Previous, threads: &ThreadSet) -> Thread {
        let nth = if threads.len() == 1 { 0 } else { random.below(threads.len().into()) };
        let nth = u32::try_from(nth).expect("below a number of threads");
        threads.nth(nth).expect("there are so many threads")
    }
}
