//! The rule by which SC violations are judged by their consequences, and what a judgement counts for.

use protocol::{Compared, MemoryModel};

use super::limit::TimeLimit;
use super::monitors::default_models;
use crate::args::CheckArgs;

/// What an SC violation counts for in the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    /// An SC violation counts as its consequence under its model does.
    Consequence,
    /// An SC violation counts as a violation whatever its consequence, which is reported.
    Always,
    /// An SC violation counts as a violation, and its consequence is not looked for.
    Unjudged,
}

/// The rule by which SC violations are judged.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Judging {
    pub(crate) counted: Counted,
    /// The part of the ends of executions that is compared.
    pub(crate) compared: Compared,
    /// The time for all searches that judge.
    pub(crate) time: TimeLimit,
    /// The models that the user has asked for; others do not change the exit status.
    pub(crate) asked: Vec<MemoryModel>,
    /// An option that execution graphs do not know, if one is given.
    pub(crate) foreign: Option<&'static str>,
}

/// The number of seconds for judging, unless one is given for it or for the search.
const SECONDS: f64 = 60.0;

impl Judging {
    /// Makes the rule that was typed.
    pub(crate) fn new(typed: &CheckArgs) -> Judging {
        let counted = match (typed.no_judge, typed.strict) {
            (true, _) => Counted::Unjudged,
            (false, true) => Counted::Always,
            (false, false) => Counted::Consequence,
        };
        let foreign = [
            ("--heap-reuse", typed.heap_reuse),
            ("--leaks", typed.leaks),
            ("--uninitialised", typed.uninitialised),
            ("--spurious-wakeups", typed.spurious_wakeups),
            ("--weak-cas-fails", typed.weak_cas_fails > 0),
        ];
        // A user who has this much time for the search has as much for the consequences.
        let given = typed.judge_time.as_ref().or(typed.time.as_ref());
        Judging {
            counted,
            compared: typed.outcome.compared(),
            time: TimeLimit::new("--judge-time", given, SECONDS),
            asked: asked(typed),
            foreign: foreign.into_iter().find(|(_, given)| *given).map(|(option, _)| option),
        }
    }

    /// Whether violations are judged at all.
    pub(crate) fn judges(&self) -> bool {
        self.counted != Counted::Unjudged
    }
}

/// Returns the relaxed models that are named, or those of the default monitors where none is.
fn asked(typed: &CheckArgs) -> Vec<MemoryModel> {
    let named = typed.model.0.iter().copied().filter(|&model| model != MemoryModel::Sc);
    let watched = typed.monitor.iter().flat_map(|monitors| &monitors.0).filter_map(|monitor| monitor.model());
    let asked: Vec<MemoryModel> = named.chain(watched).collect();
    if asked.is_empty() && typed.monitor.is_none() { default_models() } else { asked }
}
