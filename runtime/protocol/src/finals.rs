//! The outcomes of executions: the ends by which the executions of a model are judged against interleavings.

use std::collections::{BTreeMap, BTreeSet};

use engine::graph::causality::Causality;
use serde::{Deserialize, Serialize};

/// The part of an execution's end that belongs to its outcome; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// The exit status alone.
    Exit,
    /// Also what each thread prints and observes (`fh_observe`).
    Observed,
    /// Also what threads return, and what memory holds in the end.
    #[default]
    Memory,
}

impl Compared {
    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Observed => "observed",
            Self::Memory => "memory",
        }
    }
}

/// A hash of 128 bits (FNV-1a) that stands for a whole outcome.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Digest(u128);

impl Digest {
    /// The digest of no bytes.
    pub const EMPTY: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    /// Adds more bytes to what the digest stands for.
    pub fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

/// An outcome for people: what differs from the beginning of the execution, as its name (`shared`,
/// `what main.0 prints`) and its value.
pub type Named = BTreeMap<String, String>;

/// The distinct outcomes of complete executions that did not fail, each described for people as one of its executions
/// had it. Two sets can be joined.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Finals {
    /// The outcomes by digest, in hexadecimal digits; without a description where there is no room for it.
    distinct: BTreeMap<String, Option<Named>>,
    /// The value of each name at the beginning of the execution.
    first: Named,
    /// The bytes of all names and values together.
    size: usize,
    /// The least outcome that has no description, since those of lesser ones take all the room.
    #[serde(default)]
    nameless_from: Option<String>,
    /// Whether there are more outcomes than [`Self::MOST`].
    leaves_out: bool,
    /// Sentences about what is not compared.
    #[serde(default)]
    not_compared: BTreeSet<String>,
    /// The outcomes that only executions have in which program order and reads-from have a cycle.
    #[serde(default)]
    circular: BTreeSet<String>,
}

/// Returns the bytes of all names and values.
fn size(named: &Named) -> usize {
    named.iter().map(|(name, value)| name.len() + value.len()).sum()
}

impl Finals {
    /// The most outcomes that are kept.
    pub const MOST: usize = 1 << 18;

    /// The bytes of names and values beyond which outcomes are kept without a description.
    pub const ROOM: usize = 4 << 20;

    /// Whether an outcome is known.
    #[must_use]
    pub fn contains(&self, digest: &str) -> bool {
        self.distinct.contains_key(digest)
    }

    /// Whether an outcome of such an execution, with this description, adds anything.
    #[must_use]
    pub fn is_new(&self, digest: &str, causality: Causality, last: &Named) -> bool {
        let is_known = match self.distinct.get(digest) {
            None => false,
            Some(None) => true,
            Some(Some(known)) => known <= last,
        };
        !is_known || (causality == Causality::Causal && self.circular.contains(digest))
    }

    /// Adds the outcome of an execution: what differs from the beginning, and the values at the beginning. Of several descriptions the
    /// least is kept, and of too many outcomes, or too many descriptions, those of the least.
    pub fn insert(&mut self, digest: String, causality: Causality, (last, first): (Named, Named)) {
        self.note_causality(&digest, causality);
        match self.distinct.get(&digest) {
            Some(None) => return,
            Some(Some(known)) if *known <= last => return,
            Some(Some(known)) => self.size -= size(known),
            None => {}
        }
        if self.nameless_from.as_ref().is_some_and(|from| digest >= *from) {
            self.distinct.insert(digest, None);
        } else {
            self.size += size(&last);
            self.first.extend(first);
            self.distinct.insert(digest, Some(last));
        }
        self.keep_the_least();
    }

    /// Notes of which kind an execution with this outcome is, before the outcome is added.
    fn note_causality(&mut self, digest: &str, causality: Causality) {
        match causality {
            Causality::Causal => drop(self.circular.remove(digest)),
            Causality::Circular if !self.contains(digest) => drop(self.circular.insert(digest.to_owned())),
            Causality::Circular => {}
        }
    }

    /// Keeps no more outcomes, and no more descriptions, than there is room for.
    fn keep_the_least(&mut self) {
        while self.distinct.len() > Self::MOST {
            if let Some((digest, named)) = self.distinct.pop_last() {
                self.size -= named.map_or(0, |named| size(&named));
                self.circular.remove(&digest);
            }
            self.leaves_out = true;
        }
        while self.size > Self::ROOM {
            let described = self.distinct.iter_mut().rev().find(|(_, named)| named.is_some());
            let Some((digest, named)) = described else { break };
            self.size -= named.take().map_or(0, |named| size(&named));
            self.nameless_from = Some(digest.clone());
        }
    }

    /// Records, as a sentence, that something is not compared.
    pub fn leave_out(&mut self, sentence: &str) {
        if !self.not_compared.contains(sentence) {
            self.not_compared.insert(sentence.to_owned());
        }
    }

    /// Adds the outcomes of other executions of the same program.
    pub fn join(&mut self, others: &Self) {
        self.leaves_out |= others.leaves_out;
        self.not_compared.extend(others.not_compared.iter().cloned());
        for (name, value) in &others.first {
            self.first.entry(name.clone()).or_insert_with(|| value.clone());
        }
        for (digest, named) in &others.distinct {
            let causality = others.causality(digest);
            if let Some(named) = named {
                self.insert(digest.clone(), causality, (named.clone(), Named::new()));
            } else {
                self.note_causality(digest, causality);
                self.distinct.entry(digest.clone()).or_default();
                self.keep_the_least();
            }
        }
        if let Some(from) = &others.nameless_from
            && self.nameless_from.as_ref().is_none_or(|own| from < own)
        {
            self.nameless_from = Some(from.clone());
            for named in self.distinct.range_mut(from.clone()..).map(|(_, named)| named) {
                self.size -= named.take().map_or(0, |named| size(&named));
            }
        }
    }

    /// Returns whether program order and reads-from agree in some execution that has this outcome.
    #[must_use]
    pub fn causality(&self, digest: &str) -> Causality {
        if self.circular.contains(digest) { Causality::Circular } else { Causality::Causal }
    }

    /// Returns the number of outcomes that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.distinct.len()
    }

    /// Whether there is no outcome: no execution completed without a failure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.distinct.is_empty()
    }

    /// Whether there are more outcomes than are kept.
    #[must_use]
    pub const fn leaves_out(&self) -> bool {
        self.leaves_out
    }

    /// Returns the sentences about what is not compared, sorted.
    pub fn not_compared(&self) -> impl Iterator<Item = &str> {
        self.not_compared.iter().map(String::as_str)
    }

    /// Returns all outcomes that are kept, in the order of their digests.
    pub fn all(&self) -> impl Iterator<Item = (&str, Option<&Named>)> {
        self.distinct.iter().map(|(digest, named)| (digest.as_str(), named.as_ref()))
    }

    /// Returns the value of a name in an outcome: the value at the beginning unless the outcome has another one.
    #[must_use]
    pub fn value<'a>(&'a self, outcome: &'a Named, name: &str) -> Option<&'a str> {
        outcome.get(name).or_else(|| self.first.get(name)).map(String::as_str)
    }

    /// Returns the value of a name at the beginning of the execution.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        self.first.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use engine::graph::causality::Causality;

    use super::{Digest, Finals, Named};

    fn named(value: &str) -> (Named, Named) {
        let one = |value: &str| Named::from([("x".to_owned(), value.to_owned())]);
        (one(value), one("0"))
    }

    #[test]
    fn a_digest_is_that_of_the_algorithm() {
        let mut digest = Digest::EMPTY;
        digest.add(b"a");
        // FNV-1a's own test vector.
        assert_eq!(digest.to_string(), "d228cb696f1a8caf78912b704e4a8964");
    }

    #[test]
    fn outcomes_of_two_slices_are_joined() {
        let (mut one, mut other) = (Finals::default(), Finals::default());
        one.insert("a".to_owned(), Causality::Causal, named("1"));
        other.insert("a".to_owned(), Causality::Causal, named("1"));
        other.insert("b".to_owned(), Causality::Causal, named("2"));
        one.join(&other);
        assert_eq!(one.len(), 2);
        assert!(one.contains("b") && !one.leaves_out());
        let empty = Named::new();
        assert_eq!(one.value(&empty, "x"), Some("0"));
        assert_eq!(one.all().filter_map(|(_, named)| one.value(named?, "x")).collect::<Vec<_>>(), ["1", "2"]);
    }

    #[test]
    fn names_are_dropped_where_there_is_no_room_for_them() {
        let mut finals = Finals::default();
        finals.insert("a".to_owned(), Causality::Causal, named(&"1".repeat(Finals::ROOM)));
        finals.insert("b".to_owned(), Causality::Causal, named("2"));
        assert!(finals.contains("b") && !finals.leaves_out());
        assert!(finals.all().any(|(digest, named)| digest == "b" && named.is_none()));
    }

    #[test]
    fn an_outcome_is_circular_if_all_that_have_it_are() {
        let all = |causalities: &[Causality]| {
            let mut finals = Finals::default();
            causalities.iter().for_each(|&one| finals.insert("a".to_owned(), one, named("1")));
            finals
        };
        let (causal, circular) = (Causality::Causal, Causality::Circular);
        for (some, others, joined) in [
            (&[circular][..], &[circular][..], circular),
            (&[circular], &[causal, circular], causal),
            (&[circular, causal], &[circular], causal),
            (&[], &[circular], circular),
            (&[causal], &[circular], causal),
        ] {
            let mut finals = all(some);
            finals.join(&all(others));
            assert_eq!(finals.causality("a"), joined, "{some:?} {others:?}");
        }
    }
}
