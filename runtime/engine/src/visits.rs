//! The visits of loop headers by one thread, by which it is recognised that the private state of a loop is one that it had
//! before.
//!
//! A visit is kept with a mark of its own (what the thread had done by then). The last [`RECENT`] visits are kept
//! and one older one, which moves up whenever the number of visits reaches a power of two (Brent, "An improved Monte
//! Carlo factorization algorithm", BIT 1980, for finding cycles of any length): so a state that comes back after at
//! most [`RECENT`] rounds is recognised the first time, and one that comes back after n within about 2 n further ones.
//!
//! Loops nest, so activations are a stack: a visit of one ends those that were entered after it.

/// The number of most recent visits of a loop that are kept.
pub const RECENT: usize = 8;

/// A loop that was entered and perhaps not left yet.
#[derive(Clone, Copy, Debug)]
struct Activation<L> {
    of: L,
    /// The places among `marks` and `words` at which its visits, and their states, begin.
    marks: usize,
    words: usize,
    /// The number of words of a state.
    width: usize,
    /// The number of visits, kept or dropped, since the last [`Visits::restart`], that one included.
    visits: u64,
    rounds: u64,
}

/// The loops of a thread: an `L` names one, an `M` marks a visit.
#[derive(Debug)]
pub struct Visits<L, M> {
    activations: Vec<Activation<L>>,
    /// The marks of the visits of each activation: the older one, and then the recent ones in a ring.
    marks: Vec<M>,
    words: Vec<u64>,
}

impl<L, M> Default for Visits<L, M> {
    fn default() -> Self {
        Self { activations: Vec::new(), marks: Vec::new(), words: Vec::new() }
    }
}

impl<L: Copy + PartialEq, M: Copy> Visits<L, M> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.activations.clear();
        self.marks.clear();
        self.words.clear();
    }

    /// Begins an activation of a loop in this state, and returns the number by which its further visits are told.
    pub fn enter(&mut self, of: L, state: &[u64], mark: M) -> usize {
        let (marks, words) = (self.marks.len(), self.words.len());
        self.activations.push(Activation { of, marks, words, width: state.len(), visits: 0, rounds: 0 });
        self.restart(state, mark);
        self.activations.len() - 1
    }

    /// Notes that the loop with this number goes round once more, which makes it the innermost one, and returns the mark of its
    /// last visit.
    ///
    /// # Panics
    /// If the loop is not active any more.
    #[inline]
    pub fn go_round(&mut self, number: usize) -> M {
        assert!(number < self.activations.len(), "a loop is entered before it goes round, and not ended by outer ones");
        self.activations.truncate(number + 1);
        let active = &mut self.activations[number];
        active.rounds += 1;
        // Drops what inner loops have left.
        let kept = active.visits.min(RECENT as u64 + 1) as usize;
        self.marks.truncate(active.marks + kept);
        self.words.truncate(active.words + kept * active.width);
        self.marks[active.marks + slot(active.visits - 1)]
    }

    /// Returns the mark of the last visit of the innermost loop.
    #[must_use]
    pub fn last(&self) -> Option<M> {
        let active = self.activations.last()?;
        Some(self.marks[active.marks + slot(active.visits - 1)])
    }

    /// Forgets the earlier visits of the innermost loop, and keeps this one, in this state.
    #[inline]
    pub fn restart(&mut self, state: &[u64], mark: M) {
        let Some(active) = self.activations.last_mut() else { return };
        active.visits = 1;
        self.marks.truncate(active.marks);
        self.marks.push(mark);
        self.words.truncate(active.words);
        self.words.extend_from_slice(state);
    }

    /// Returns the marks of the earlier visits of the innermost loop that found it in this state, the last one first.
    #[inline]
    pub fn same(&self, state: &[u64]) -> impl Iterator<Item = M> {
        let active = self.activations.last();
        let words = active.map_or(&[][..], |active| &self.words[active.words..]);
        let marks = active.map_or(&[][..], |active| &self.marks[active.marks..]);
        // Most often there is no such visit.
        let known = match state {
            [] => true,
            &[first, ..] => words.chunks_exact(state.len()).any(|kept| kept[0] == first && kept == state),
        };
        let visits = active.filter(|_| known).map_or(0, |active| active.visits);
        let recent = (visits.saturating_sub(RECENT as u64).max(1)..visits).rev();
        recent
            .chain((visits > 0).then_some(0))
            .map(slot)
            .filter(move |slot| words[slot * state.len()..][..state.len()] == *state)
            .map(move |slot| marks[slot])
    }

    /// Keeps this visit of the innermost loop besides the earlier ones.
    pub fn keep(&mut self, state: &[u64], mark: M) {
        let Some(active) = self.activations.last_mut() else { return };
        let visit = active.visits;
        active.visits += 1;
        let Activation { marks, words, .. } = *active;
        let at = slot(visit);
        if marks + at == self.marks.len() {
            self.marks.push(mark);
            self.words.extend_from_slice(state);
        } else {
            self.put(marks + at, words + at * state.len(), state, mark);
        }
        if visit.is_power_of_two() && visit > RECENT as u64 {
            self.put(marks, words, state, mark);
        }
    }

    fn put(&mut self, mark_at: usize, words_at: usize, state: &[u64], mark: M) {
        self.marks[mark_at] = mark;
        self.words[words_at..words_at + state.len()].copy_from_slice(state);
    }

    /// Returns the loops that are active, or were at the last visit, outermost first, and how often each has gone round.
    pub fn active(&self) -> impl Iterator<Item = (L, u64)> {
        self.activations.iter().map(|active| (active.of, active.rounds))
    }
}

/// Returns where the visit with this number is kept: visit 0 is the older one, and the others are in the ring.
const fn slot(visit: u64) -> usize {
    if visit == 0 { 0 } else { 1 + ((visit - 1) % RECENT as u64) as usize }
}

#[cfg(test)]
mod tests {
    use super::{RECENT, Visits};

    /// Returns the states of a loop that runs through `states` once and then through its end from `back` on for ever.
    fn state(states: u64, back: u64, visit: u64) -> [u64; 2] {
        let at = if visit < states { visit } else { back + (visit - back) % (states - back) };
        [7, at]
    }

    #[test]
    fn short_cycles_are_found_at_once_and_long_ones_soon() {
        for states in 1..60 {
            for back in 0..states {
                let mut visits = Visits::default();
                let number = visits.enter('a', &state(states, back, 0), 0_u64);
                let mut found = None;
                for visit in 1..300 {
                    assert_eq!(visits.go_round(number), visit - 1);
                    // An inner loop, of another width.
                    let inner = visits.enter('b', &[visit], 1000);
                    visits.go_round(inner);
                    visits.keep(&[visit, visit][..1], 1001);
                    visits.go_round(number);
                    let now = state(states, back, visit);
                    let all: Vec<u64> = visits.same(&now).collect();
                    if let Some(&before) = all.first() {
                        assert_eq!(state(states, back, before), now);
                        assert!(all.iter().all(|&other| other <= before));
                        found = Some((before, visit));
                        break;
                    }
                    visits.keep(&now, visit);
                }
                let (before, visit) = found.expect("it comes back");
                let period = states - back;
                assert_eq!((visit - before) % period, 0);
                if period <= RECENT as u64 {
                    assert_eq!((before, visit), (back, states), "the first time");
                }
                assert!(visit <= 3 * states.max(RECENT as u64), "{states} {back}: {visit}");
            }
        }
    }

    #[test]
    fn a_restart_forgets_and_rounds_are_counted() {
        let mut visits = Visits::default();
        let outer = visits.enter('a', &[], 0);
        let inner = visits.enter('b', &[5], 1);
        visits.go_round(inner);
        assert_eq!(visits.same(&[5]).collect::<Vec<_>>(), [1]);
        visits.restart(&[6], 2);
        visits.go_round(inner);
        assert_eq!(visits.same(&[5]).count(), 0);
        assert_eq!(visits.active().collect::<Vec<_>>(), [('a', 0), ('b', 2)]);
        assert_eq!(visits.go_round(outer), 0);
        assert_eq!(visits.active().collect::<Vec<_>>(), [('a', 1)]);
        assert_eq!(visits.same(&[]).collect::<Vec<_>>(), [0]);
    }
}
