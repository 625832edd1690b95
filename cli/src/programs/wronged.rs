//! What is wrong with a program under a model: what it does there and under sequential consistency not.

use std::collections::BTreeSet;

use protocol::{Finals, MemoryModel, Way, Wrong};

use super::bench::{Bench, Deadline};
use super::consequences::failure_of;
use super::judged::title;
use super::judging::{Judgement, Known, Side, World, judge, values_in_words};
use crate::exit::Failure;
use crate::plan::check::CheckPlan;
use crate::search::Exploration;

/// The number of executions under each model.
pub(crate) type Executions = Vec<(MemoryModel, u64)>;

/// A wrong behaviour of a program under a model.
#[derive(Clone, Debug)]
pub(crate) struct Wronged {
    pub(crate) model: MemoryModel,
    /// The judgement that the program breaks, or shows something; none if it is only that no interleaving is like the execution,
    /// where nothing more was asked for.
    judgement: Option<Judgement>,
    exploration: Exploration,
}

impl Wronged {
    /// Returns what goes wrong, behind the name of the model: `x86 (TSO) shows r1 = 0 and r2 = 0, as no SC execution does`.
    pub(crate) fn in_words(&self) -> String {
        let model = title(self.model);
        match &self.judgement {
            Some(Judgement::Breaks(index)) => {
                let failure = failure_of(&self.exploration.violations[*index], None);
                // Races are not looked for in sequentially consistent executions.
                let suffix = if failure.is_race() { "" } else { ", as in no SC execution" };
                format!("{model} breaks, {}{suffix}", failure.in_words())
            }
            Some(Judgement::Shows(values)) if values.is_empty() => {
                format!("{model} shows an end that no SC execution has")
            }
            Some(Judgement::Shows(values)) => {
                format!("{model} shows {}, as no SC execution does", values_in_words(values))
            }
            _ => format!("{model} has an execution that no interleaving is like"),
        }
    }
}

/// The sequentially consistent executions of a program, with which those of other models are compared.
#[derive(Debug)]
pub(crate) struct Consistent<'a> {
    exploration: Exploration,
    /// The option that limits the time for all searches, with its value, as typed.
    option: &'a str,
}

impl<'a> Consistent<'a> {
    /// Searches for the sequentially consistent executions.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn search(
        check: &CheckPlan,
        bench: Bench<'_>,
        deadline: Deadline<'a>,
    ) -> Result<Consistent<'a>, Failure> {
        let exploration = bench.search(&check.to_judge(MemoryModel::Sc, deadline.left()))?;
        Ok(Consistent { exploration, option: deadline.option })
    }

    /// Returns the reason why the sequentially consistent executions are not known, if they are not.
    pub(crate) fn cut(&self) -> Option<String> {
        let leaves_out = self.exploration.summary.as_ref().is_some_and(|summary| summary.finals.leaves_out());
        let more = || format!("SC executions end in more than {} ways: --outcome observed compares less", Finals::MOST);
        side(MemoryModel::Sc, &self.exploration).cut(self.option).or_else(|| leaves_out.then(more))
    }

    /// Returns the reason why not all executions of a model are known, if they are not.
    pub(crate) fn cut_of(&self, model: MemoryModel, exploration: &Exploration) -> Option<String> {
        side(model, exploration).cut(self.option)
    }

    /// Returns which executions are wrong: those that fail or end as no sequentially consistent one does.
    pub(crate) fn unlike(&self) -> Wrong {
        Wrong::Unlike {
            failures: self.exploration.violations.iter().filter_map(Way::of).collect::<BTreeSet<Way>>(),
            finals: self.exploration.summary.as_ref().map(|summary| summary.finals.clone()),
        }
    }

    /// Returns how the program fails under sequential consistency, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.exploration.violations.iter().map(|violation| failure_of(violation, None).in_words()).collect()
    }

    /// Returns what is wrong in the executions that a search under a model has found.
    pub(crate) fn wronged(&self, model: MemoryModel, exploration: Exploration) -> Wronged {
        let known = Known { consistent: &[], foreign: None, time: self.option };
        let [sc, relaxed] = [side(MemoryModel::Sc, &self.exploration), side(model, &exploration)];
        let mut judgements = judge(&sc, &relaxed, &known).into_iter();
        let judgement = judgements.find(|one| matches!(one, Judgement::Breaks(_) | Judgement::Shows(_)));
        Wronged { model, judgement, exploration }
    }
}

fn side(model: MemoryModel, exploration: &Exploration) -> Side<'_> {
    Side::of(World::Graphs, model, exploration, None)
}
