//! What a process learns of the program over many runs of its threads, and takes into account in later ones: which threads there are,
//! where memory is divided, what is stored to synchronisation objects, what local variables others access.
//!
//! If one process of a search learned something that another one has to know, the result would depend on who runs what. So the first
//! slice says what it has learned, and if a later one learns more, the search is run in sequence.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::run::Runtime;

/// Returns all that the process has learned, as sorted hashes, which are the same in every process.
pub(super) fn learned(runtime: &mut Runtime) -> Vec<u64> {
    let mut facts = Vec::new();
    let mut learn = |kind: u8, fact: &dyn Fn(&mut rustc_hash::FxHasher)| {
        let mut hasher = FxBuildHasher.build_hasher();
        kind.hash(&mut hasher);
        fact(&mut hasher);
        facts.push(std::hash::Hasher::finish(&hasher));
    };
    let graph = runtime.graph_mut();
    for path in graph.paths.iter().enumerate() {
        learn(0, &|hasher| path.hash(hasher));
    }
    for division in graph.places.divisions() {
        learn(1, &|hasher| (division.address, division.bounds).hash(hasher));
    }
    graph.strangers.facts(|fact| learn(2, &|hasher| fact.hash(hasher)));
    for fact in graph.initialisers.facts() {
        learn(3, &|hasher| fact.hash(hasher));
    }
    facts.sort_unstable();
    facts.dedup();
    facts
}
