//! The monitors that watch, and the checks that they have something to watch.

use protocol::{MemoryModel, MonitorName};

use super::explorer::{Explored, has_interleavings, has_machines};
use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::values::Monitors;

/// Whether a monitor watches the execution graphs of a model.
pub(super) fn watches_graphs(monitor: MonitorName, model: MemoryModel) -> bool {
    match monitor {
        MonitorName::TsoAtomicity | MonitorName::Tso => model == MemoryModel::Tso,
        MonitorName::Pso => model == MemoryModel::Pso,
        _ => false,
    }
}

/// Returns the models of the monitors that watch where none is named.
pub(super) fn default_models() -> Vec<MemoryModel> {
    DEFAULT.iter().filter_map(|monitor| monitor.model()).collect()
}

/// The monitors that watch where none is named.
const DEFAULT: [MonitorName; 2] = [MonitorName::Tso, MonitorName::Pso];

/// Returns the monitors that watch, each of which has something to watch.
pub(super) fn monitors_of(typed: &CheckArgs, models: &[Explored]) -> Result<Vec<MonitorName>, Failure> {
    // With `--model all`, the executions of each machine are looked at themselves.
    let is_all = MemoryModel::are_all_machines(models.iter().map(|&(model, _)| model));
    let Some(Monitors(named)) = &typed.monitor else { return Ok(if is_all { Vec::new() } else { DEFAULT.to_vec() }) };
    let chosen = named.clone();
    if has_interleavings(models) {
        return Ok(chosen);
    }
    let is_idle = |monitor: &&MonitorName| !models.iter().any(|&(model, _)| watches_graphs(**monitor, model));
    match chosen.iter().find(is_idle) {
        Some(&monitor) if has_machines(models) => Err(Failure::usage(
            format!("--monitor `{}` does not fit a machine with store buffers", monitor.name()),
            "leave it out: monitors watch the interleavings of --model sc",
        )),
        Some(&MonitorName::TsoAtomicity) if models.iter().any(|(model, _)| *model != MemoryModel::Sc) => {
            let names: Vec<&str> = models.iter().map(|(model, _)| model.name()).collect();
            Err(Failure::usage(
                format!("--monitor `tso-atomicity` does not fit --model {}", names.join(",")),
                "it watches the execution graphs of --model tso, and the interleavings of --model sc",
            ))
        }
        Some(&monitor) => Err(Failure::usage(
            format!("--monitor `{}` does not fit the explorer rsmc", monitor.name()),
            "it is for interleavings: --model sc --explorer bounded; --model tso fits --monitor tso and tso-atomicity, \
             --model pso --monitor pso",
        )),
        None => Ok(chosen),
    }
}

/// Checks that the monitors fit the explorer: those that are complete over all interleavings alone say nothing where one
/// interleaving of a class is run.
pub(super) fn fits_monitors(monitors: &[MonitorName], explorer: Option<protocol::Explorer>) -> Result<(), Failure> {
    if monitors.contains(&MonitorName::ScEquivalence) {
        let message = "monitor `sc-equivalence` fits only event logs with commits";
        return Err(Failure::usage(
            message,
            "leave it out; `--monitor tso` says whether executions are equivalent to SC ones",
        ));
    }
    let partial = |monitor: &&MonitorName| matches!(monitor, MonitorName::BurnimTso | MonitorName::BurnimPso);
    match monitors.iter().find(partial) {
        Some(&monitor) if explorer == Some(protocol::Explorer::Dpor) => Err(Failure::usage(
            format!(
                "--monitor {} does not fit the explorer dpor: it is complete over all interleavings alone",
                monitor.name()
            ),
            "use prefix_tso, prefix_pso or exact_tso, or --explorer bounded",
        )),
        _ => Ok(()),
    }
}

/// Checks that the monitors are for litmus tests.
pub(super) fn fits_litmus(typed: &CheckArgs, models: &[Explored]) -> Result<(), Failure> {
    let named = |one: MonitorName| typed.monitor.iter().any(|Monitors(named)| named.contains(&one));
    if named(MonitorName::Race) {
        let message = "monitor `race` does not fit litmus files, whose accesses have no C11 orders";
        return Err(Failure::usage(message, "leave it out"));
    }
    let of_models = [MonitorName::Tso, MonitorName::Pso];
    if let Some(monitor) = of_models.into_iter().find(|&monitor| !has_interleavings(models) && named(monitor)) {
        let message = format!("monitor `{}` does not fit the execution graphs of litmus files", monitor.name());
        return Err(Failure::usage(
            message,
            "it watches their interleavings: --model sc; or compare two models' states",
        ));
    }
    let of_transactions = [MonitorName::ScAtomicity, MonitorName::TsoAtomicity];
    if let Some(monitor) = of_transactions.into_iter().find(|&monitor| named(monitor)) {
        let message = format!("monitor `{}` does not fit litmus files, which have no transactions", monitor.name());
        return Err(Failure::usage(message, "leave it out"));
    }
    Ok(())
}
