//! Repairs: what must be added to a program so that a memory model forbids some of its executions.
//!
//! A repair is a set of *candidates*, each of which strengthens some accesses. The method is that of implicit hitting
//! sets (Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization problems", 2013):
//! an execution that a set leaves allowed gives *clauses* ([`clauses`]), of each of which every repair has an element; the
//! next set to be tried is a cheapest one that has an element of each clause known ([`hitting_set`]); the first one under
//! which no wrong execution is left is a cheapest repair. Clauses are right since all models here are monotone: what an
//! execution has more never makes it allowed.

pub mod hitting_set;
pub mod rebuilt;

use crate::graph::set::Set;
use crate::graph::{EventId, Label, Labels};
use crate::mapping::graphs::Around;
use crate::mapping::power::Synchronizes;

/// A thing that could be added to a program, given by what then stands around which of its accesses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Candidate {
    /// The accesses, each with what is added to it.
    pub around: Vec<(EventId, Around)>,
}

/// Returns the accesses of each thread with these candidates added.
fn strengthened<const W: usize>(labels: &[Labels<W>], chosen: &[&Candidate]) -> Vec<Labels<W>> {
    let mut all: Vec<Vec<Label<W>>> = labels.iter().map(|labels| labels.to_vec()).collect();
    for &(event, around) in chosen.iter().flat_map(|candidate| &candidate.around) {
        strengthen(&mut all[usize::from(event.thread)], event.index.into(), around);
    }
    all.into_iter().map(Labels::from).collect()
}

/// Adds orderings around the access with this number among those of a thread.
///
/// # Panics
/// If there is no access with this number.
pub fn strengthen<const W: usize>(labels: &mut [Label<W>], index: usize, around: Around) {
    let decided = labels[index].control_from.or(&Set::of(index));
    labels[index].fences += around.before;
    labels[index].annotations = labels[index].annotations.and(around.annotations);
    for later in &mut labels[index + 1..] {
        later.fences += around.before;
        later.fences += around.after;
        if around.synchronizes == Synchronizes::Yes {
            later.control_from.insert(index);
            later.synchronized_from.add(&decided);
        }
    }
}

/// Returns clauses: sets of candidates, by their numbers, of each of which every repair has an element. They are found from the
/// accesses of an execution that must be forbidden and is not, and from `allows`, which says whether the model allows it with
/// other accesses.
///
/// Each clause is what a largest set that leaves the execution allowed does not have. There are at most `most` of them, without
/// common elements as far as that is possible. If all candidates together leave the execution allowed, the clause is empty.
pub fn clauses<const W: usize>(
    labels: &[Labels<W>],
    candidates: &[Candidate],
    most: usize,
    allows: &dyn Fn(&[Labels<W>]) -> bool,
) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    while found.len() < most {
        // The elements of known clauses go into the largest set first, so that the next clause is another one.
        let is_known = |number: &usize| found.iter().any(|clause| clause.contains(number));
        let (mut order, others): (Vec<usize>, Vec<usize>) = (0..candidates.len()).partition(is_known);
        order.extend(others);
        let clause = left_out_of_largest(&order, |set: &[usize]| {
            let chosen: Vec<&Candidate> = set.iter().map(|&number| &candidates[number]).collect();
            allows(&strengthened(labels, &chosen))
        });
        let is_last = clause.is_empty();
        if found.contains(&clause) {
            break;
        }
        found.push(clause);
        if is_last {
            break;
        }
    }
    found
}

/// Returns what is not in a largest set of numbers that is allowed; the set is made by trying one number after the other.
fn left_out_of_largest(order: &[usize], allows: impl Fn(&[usize]) -> bool) -> Vec<usize> {
    if allows(order) {
        return Vec::new();
    }
    let (mut set, mut left_out) = (Vec::new(), Vec::new());
    for &number in order {
        set.push(number);
        if !allows(&set) {
            set.pop();
            left_out.push(number);
        }
    }
    left_out.sort_unstable();
    left_out
}

#[cfg(test)]
mod tests {
    use super::left_out_of_largest;

    #[test]
    fn a_clause_meets_whatever_forbids() {
        // Forbidden where 0 is, or 1 and 2 together are.
        let forbids = |set: &[usize]| set.contains(&0) || (set.contains(&1) && set.contains(&2));
        let allows = |set: &[usize]| !forbids(set);
        assert_eq!(left_out_of_largest(&[0, 1, 2, 3], allows), [0, 2]);
        assert_eq!(left_out_of_largest(&[2, 3, 1, 0], allows), [0, 1]);
        assert_eq!(left_out_of_largest(&[3], allows), [0; 0]);
    }
}
