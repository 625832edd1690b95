//! Making the monitors that names stand for.

use super::Monitor;
use super::atomicity::Atomicity;
use super::burnim::Burnim;
use super::exact::Exact;
use super::name::MonitorName;
use super::prefix::Prefix;
use super::race::Race;
use super::sober::Sober;
use crate::atomicity::Fencing;
use crate::model::name::MemoryModel;

/// Makes the monitors of these names, each of which must be a method ([`MonitorName::method`]), for programs whose transactions
/// are fenced as `fencing` says. Names whose monitors share their work yield one monitor.
#[must_use]
pub fn monitors(names: &[MonitorName], fencing: Fencing) -> Vec<Box<dyn Monitor>> {
    let models = |of: [MonitorName; 2]| -> Vec<MemoryModel> {
        of.into_iter().filter(|name| names.contains(name)).filter_map(MonitorName::model).collect()
    };
    let burnim = models([MonitorName::BurnimTso, MonitorName::BurnimPso]);
    let prefix = models([MonitorName::PrefixTso, MonitorName::PrefixPso]);
    let mut monitors: Vec<Box<dyn Monitor>> = Vec::new();
    if !burnim.is_empty() {
        monitors.push(Box::new(Burnim::new(&burnim)));
    }
    if !prefix.is_empty() {
        monitors.push(Box::new(Prefix::new(&prefix)));
    }
    if names.contains(&MonitorName::ExactTso) {
        monitors.push(Box::new(Exact::default()));
    }
    if names.contains(&MonitorName::Sober) {
        monitors.push(Box::new(Sober::default()));
    }
    let transactions = Atomicity::new(names, fencing);
    if !transactions.is_idle() {
        monitors.push(Box::new(transactions));
    }
    if names.contains(&MonitorName::Race) {
        monitors.push(Box::new(Race::default()));
    }
    monitors
}
