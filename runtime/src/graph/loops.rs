//! Visits of the headers of loops in execution graphs, where an iteration has no effect if it writes nothing.

use crate::graph::accesses;
use crate::run::Runtime;
use crate::state::turn::Turn;
use crate::state::waits::Mark;

/// Ends the run if the loop that the running thread is in has gone round more often than asked for.
pub(crate) fn unrolls(runtime: &mut Runtime) -> Option<Turn> {
    let limit = runtime.graph.as_deref()?.unroll?;
    let (_, rounds) = runtime.threads.of(runtime.running).visits.active().last()?;
    (rounds > limit).then(|| accesses::leaves_out(runtime))
}

/// Visits the header of a loop in a state that can be compared; returns who goes on if the running thread has to wait.
pub(crate) fn visit(runtime: &mut Runtime, words: &[u64], mark: Mark) -> Option<Turn> {
    if !runtime.graph_mut().is_private_known(words.as_ptr() as usize, size_of_val(words)) {
        runtime.threads.at(runtime.running).visits.restart(words, mark);
        return None;
    }
    let visits = &mut runtime.threads.at(runtime.running).visits;
    let same = visits.same(words).find(|earlier| earlier.has_effected_as_much_as(&mark));
    let Some(begin) = same.filter(|begin| begin.events < mark.events) else {
        visits.keep(words, mark);
        return None;
    };
    if mark.in_vain > begin.in_vain {
        visits.restart(words, mark);
        accesses::grows_patient_in_graph(runtime, begin.events, mark.events);
        return None;
    }
    Some(accesses::waits_in_graph(runtime, begin.events))
}
