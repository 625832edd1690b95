//! The result of `fencehound fences` as JSON has it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::answer::{Repaired, Spare};
use super::help::{Addition, Spot};
use super::told::{self, Proof, Text};
use super::universe::{Element, Universe, order_in_c};
use crate::programs::wronged::Executions;

/// The result.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) target: String,
    pub(crate) models: Vec<&'static str>,
    pub(crate) until: &'static str,
    /// `clean`, `redundant`, `repaired`, `applied`, `violations` or `incomplete`.
    pub(crate) verdict: &'static str,
    /// Failures that sequentially consistent executions have, too.
    pub(crate) failures: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) executions: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) additions: Vec<Costed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<Vec<Addition>>,
    /// What is still wrong with a repair by the letter of C11.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) in_c11: Option<String>,
    /// Fences that the program has and does not need.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) redundant: Vec<Redundant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patch: Option<Written>,
}

/// An element of a repair.
#[derive(Debug, Serialize)]
pub(crate) struct Costed {
    #[serde(flatten)]
    addition: Addition,
    cost: u64,
    times: u64,
    without: String,
    /// The reason why no text can be made for it, if none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_text: Option<String>,
}

/// A fence that is not needed, or is stronger than is needed.
#[derive(Debug, Serialize)]
pub(crate) struct Redundant {
    order: &'static str,
    /// The order that is enough, if one is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    enough: Option<&'static str>,
    at: Spot,
    /// The cost that is saved each time.
    cost: u64,
}

/// The text that is written into the source.
#[derive(Debug, Serialize)]
pub(crate) struct Written {
    cost: u64,
    additions: Vec<Addition>,
    text: String,
    applied: bool,
    /// The reason why it is not known that it does what it should, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    unproved: Option<String>,
}

impl Report {
    /// Takes in how many executions the proof took.
    pub(crate) fn proved(&mut self, executions: &Executions) {
        self.executions = executions.iter().map(|&(model, count)| (model.name(), count)).collect();
    }

    /// Takes in a repair, with why no text can be made for each of its elements, and others that cost the same.
    pub(crate) fn repaired(
        &mut self,
        repaired: &Repaired,
        refusals: &[Option<String>],
        others: &[Vec<Element>],
        universe: &Universe,
    ) {
        self.proved(&repaired.executions);
        self.cost = Some(told::whole_cost(&repaired.elements));
        let each = repaired.elements.iter().zip(&repaired.without).zip(refusals);
        self.additions = each
            .map(|((element, wronged), refusal)| Costed {
                addition: Addition::of(element, universe),
                cost: element.cost(),
                times: element.times,
                without: wronged.in_words(),
                no_text: refusal.clone(),
            })
            .collect();
        self.others = others.iter().map(|set| set.iter().map(|one| Addition::of(one, universe)).collect()).collect();
    }

    /// Takes in the fences that are not needed.
    pub(crate) fn spared(&mut self, spare: &Spare, universe: &Universe) {
        let redundant = spare.fences.iter().map(|fence| Redundant {
            order: order_in_c(fence.has),
            enough: fence.enough.map(order_in_c),
            at: Spot::of(&fence.at, universe),
            cost: fence.saved,
        });
        self.redundant = redundant.collect();
    }

    /// Takes in what is written into the source.
    pub(crate) fn written(&mut self, text: &Text, universe: &Universe) {
        self.patch = Some(Written {
            cost: told::whole_cost(&text.elements),
            additions: text.elements.iter().map(|one| Addition::of(one, universe)).collect(),
            text: text.patch.text(),
            applied: text.is_applied,
            unproved: match &text.proof {
                Proof::Right(_) => None,
                Proof::Unknown(why) | Proof::Wrong(why) => Some(why.clone()),
            },
        });
    }
}
