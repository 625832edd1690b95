//! Visits of the headers of loops in execution graphs, where an iteration has no effect if it writes nothing.
//!
//! Machines that read out of order may read the last thing of a round, r, later than what is behind the loop. If the state
//! at the header depends on r, it is not known whether the round had an effect before r returns. So the thread *goes past*
//! one such round, into the next one or out of the loop, and r is committed last of all. What follows if the round then
//! turns out to be without effect:
//! - The thread has left the loop, or done something else in the next round: it does the same where the round is left out,
//!   so this execution is.
//! - It has read the same in the next round so far: it waits, in either of the two rounds, if that one ends the same.

use engine::graph::Reached;

use crate::graph::accesses;
use crate::process::fiber::Switch;
use crate::run::Runtime;
use crate::state::graph::{Run, Stop};
use crate::state::turn::Turn;
use crate::state::waits::Mark;

/// The most rounds in a row that a thread goes past. The search goes past one by its own choice, and past more only where
/// that is known to lead to a write that is read in one of them.
const MOST_GONE_PAST: u8 = 4;

/// Ends the run if the loop that the running thread is in has gone round more often than asked for.
pub(crate) fn unrolls(runtime: &mut Runtime) -> Option<Turn> {
    let limit = runtime.graph.as_deref()?.unroll?;
    let (_, rounds) = runtime.threads.of(runtime.running).visits.active().last()?;
    (rounds > limit).then(|| accesses::leaves_out(runtime))
}

/// Visits the header of a loop in a state that can be compared, after the visit with the mark `last`; returns who goes
/// on if the running thread has to wait.
pub(crate) fn visit(runtime: &mut Runtime, words: &[u64], last: Mark, mark: Mark) -> Option<Turn> {
    if !runtime.graph_mut().keeps_what_is_known(words.as_ptr() as usize, size_of_val(words)) {
        return goes_past(runtime, words, Mark { gone_past: last.gone_past + 1, ..mark });
    }
    let visits = &mut runtime.threads.at(runtime.running).visits;
    let same = visits.same(words).find(|earlier| earlier.has_effected_as_much_as(&mark));
    let Some(begin) = same.filter(|begin| begin.events < mark.events) else {
        if last.in_idle {
            return Some(accesses::leaves_out(runtime));
        }
        visits.keep(words, mark);
        return None;
    };
    if mark.in_vain > begin.in_vain {
        visits.restart(words, mark);
        accesses::grows_patient_in_graph(runtime, begin.events, mark.events);
        return None;
    }
    if runtime.graph_mut().run.begins_again(begin.events as usize) {
        let visits = &mut runtime.threads.at(runtime.running).visits;
        visits.restart(words, Mark { gone_past: MOST_GONE_PAST, in_idle: true, ..begin });
        return None;
    }
    Some(accesses::waits_in_graph(runtime, begin.events))
}

/// Goes on behind a round of which it is not known whether it had an effect, unless too many are.
fn goes_past(runtime: &mut Runtime, words: &[u64], mark: Mark) -> Option<Turn> {
    if mark.gone_past > MOST_GONE_PAST {
        runtime.graph_mut().run.stop = Some(Stop::Reached(Reached::Branch));
        return Some(Turn::Other(Switch::End));
    }
    runtime.threads.at(runtime.running).visits.restart(words, mark);
    let run = &mut runtime.graph_mut().run;
    run.gone_past.push((run.recorded.len(), mark.gone_past));
    None
}

impl Run {
    /// Returns how many rounds in a row the thread went past last, before this access.
    pub(crate) fn gone_past_before(&self, index: usize) -> u8 {
        self.gone_past.iter().rfind(|&&(place, _)| place <= index).map_or(0, |&(_, rounds)| rounds)
    }

    /// Whether the thread, which has come to the end of a round since this access, is known to begin the next one, and
    /// to read in it, as far as that is known, what it read in this one.
    fn begins_again(&self, since: usize) -> bool {
        let (round, next) = self.reads.split_at(self.recorded.len().min(self.reads.len()));
        let is_again = |(index, read): (usize, &Option<i64>)| read.is_none() || round.get(since + index) == Some(read);
        next.iter().any(Option::is_some) && next.iter().enumerate().all(is_again)
    }
}
