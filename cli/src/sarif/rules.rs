//! The rules of a SARIF log: one for each kind of violation and memory model.

use protocol::{FailureKind, MemoryModel};
use serde_json::{Value, json};

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Topic {
    /// Violations of a kind.
    Violation(FailureKind),
    /// Ends that no sequentially consistent execution has.
    End,
}

impl Topic {
    fn name(self) -> &'static str {
        match self {
            Topic::Violation(kind) => kind.name(),
            Topic::End => "outcome",
        }
    }

    /// The topic in a few words; what is wrong; what to do.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Topic::Violation(kind) => words(kind),
            Topic::End => (
                "Outcome",
                "An execution under this memory model ends in a way in which no interleaving of the threads ends.",
                "Put fences between the accesses that change places, or give them stronger orders; `fencehound fences` finds \
                 the cheapest.",
            ),
        }
    }
}

/// A rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    pub(super) topic: Topic,
    /// The name of the memory model, as `--model` has it.
    pub(super) model: &'static str,
}

impl Rule {
    /// Its identity: `sc-violation/tso`.
    pub(super) fn id(self) -> String {
        format!("{}/{}", self.topic.name(), self.model)
    }

    /// Its description.
    pub(super) fn descriptor(self) -> Value {
        let model = MemoryModel::ALL.into_iter().find(|model| model.name() == self.model);
        let title = model.map_or(self.model, MemoryModel::title);
        let (what, why, help) = self.topic.words();
        json!({
            "id": self.id(),
            "name": camel_case(&[self.topic.name(), self.model]),
            "shortDescription": { "text": format!("{what} under {title}") },
            "fullDescription": { "text": why },
            "help": { "text": help },
            "defaultConfiguration": { "level": "error" },
            "properties": {
                "tags": ["concurrency", "correctness", self.model],
                "precision": "very-high",
                "problem.severity": "error",
            },
        })
    }
}

/// `ScViolationTso`.
fn camel_case(names: &[&str]) -> String {
    let words = names.iter().flat_map(|name| name.split('-'));
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    words.map(capital).collect()
}

/// A kind of violation in a few words; what is wrong; what to do.
const fn words(kind: FailureKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        FailureKind::ScViolation => (
            "SC violation",
            "Hardware with this memory model can run the program in a way that no interleaving of its threads explains.",
            "Put a fence between the two accesses, or give them stronger orders; `fencehound fences` finds the cheapest.",
        ),
        FailureKind::Race => (
            "Data race",
            "Two accesses to the same memory are not ordered, one of them writes, and not both are atomic: C11 gives such a \
             program no meaning.",
            "Make both accesses atomic, or order them by a lock or by release and acquire.",
        ),
        FailureKind::Atomicity => (
            "Transactions not serializable",
            "An execution has a result that transactions which run one after the other cannot have.",
            "Protect the accesses of the transaction by one lock.",
        ),
        FailureKind::Assertion => (
            "Assertion failed",
            "An assertion of the program fails in an execution.",
            "Replay the finding to see the execution.",
        ),
        FailureKind::ExitStatus => (
            "Exit status",
            "An execution ends with another exit status than 0.",
            "Replay the finding to see the execution; --exit-status ignore lets such ends be.",
        ),
        FailureKind::Crash => (
            "Crash",
            "An execution is ended by a signal.",
            "Replay the finding in a debugger: fencehound replay FINDING --gdb.",
        ),
        FailureKind::Deadlock => (
            "Deadlock",
            "Threads wait for each other, and none of them can go on.",
            "Take locks in one order everywhere.",
        ),
        FailureKind::LostWakeup => (
            "Lost wake-up",
            "A thread sleeps, and nobody is left to wake it.",
            "Look at the condition and fall asleep under one lock, in a loop.",
        ),
        FailureKind::Livelock => (
            "Livelock",
            "Threads run, and nothing that they do can end it.",
            "See to it that somebody ends the loop that is named.",
        ),
        FailureKind::DoubleFree
        | FailureKind::InvalidFree
        | FailureKind::UseAfterFree
        | FailureKind::OutOfBounds
        | FailureKind::Leak
        | FailureKind::Uninitialised => words_of_memory(kind),
        FailureKind::Misuse => (
            "Misuse",
            "A call of pthreads is not allowed there, such as an unlock by a thread that does not hold the lock.",
            "Replay the finding to see the execution.",
        ),
        FailureKind::Nondeterministic => (
            "Nondeterministic",
            "The program behaves differently although its threads take the same steps: by the time, by chance, or by what an \
             earlier execution left.",
            "Take what it depends on out of the test.",
        ),
        FailureKind::Witness => ("Witness", "An execution answers the question of a litmus test.", "Nothing is wrong."),
    }
}

/// The same of a wrong use of memory.
const fn words_of_memory(kind: FailureKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        FailureKind::DoubleFree => {
            ("Double free", "A block of memory is freed twice.", "Let one thread alone free the block.")
        }
        FailureKind::InvalidFree => {
            ("Invalid free", "Something is freed that is no block of memory.", "Free what malloc has returned.")
        }
        FailureKind::UseAfterFree => (
            "Use after free",
            "Memory is used that has been freed, or belongs to a function that has returned.",
            "Free memory when no other thread can use it any more: hazard pointers, epochs, reference counts.",
        ),
        FailureKind::OutOfBounds => (
            "Access out of bounds",
            "An access is beside the block or variable that it is meant for.",
            "Replay the finding to see the execution.",
        ),
        FailureKind::Leak => ("Leak", "Nothing points to a block of memory at the end.", "Free the block."),
        _ => (
            "Use of a value never written",
            "The program decides or computes by memory that nobody has written.",
            "Write it first, or order the read after the write.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use protocol::FailureKind;

    use super::{Rule, Topic, camel_case};

    #[test]
    fn a_rule_is_named_by_kind_and_model() {
        let rule = Rule { topic: Topic::Violation(FailureKind::ScViolation), model: "tso" };
        assert_eq!(rule.id(), "sc-violation/tso");
        assert_eq!(camel_case(&["use-after-free", "armv8"]), "UseAfterFreeArmv8");
        assert_eq!(rule.descriptor()["shortDescription"]["text"], "SC violation under TSO");
    }
}
