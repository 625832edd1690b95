//! The way in which executions are enumerated, where the user has asked for an explorer or for none.

use std::path::PathBuf;

use protocol::{MemoryModel, MonitorName};

use super::explorer::{Explored, Explorer};
use crate::args::CheckArgs;
use crate::exit::Failure;

/// Chooses how the executions of each model are enumerated.
pub(crate) fn explored(typed: &CheckArgs) -> Result<Vec<Explored>, Failure> {
    let asked = typed.explorer.filter(|asked| !matches!(asked, Explorer::Auto(_)));
    let choose = |&model: &MemoryModel| {
        let by_graphs = model != MemoryModel::Sc || is_compared_alone(typed);
        let usual = if by_graphs { Explorer::Rsmc } else { usual(typed) };
        if let Some(Explorer::Interleavings(explorer)) = asked {
            fits_model(typed, explorer, model)?;
        }
        Ok((model, asked.unwrap_or(usual)))
    };
    let models = &typed.model.0;
    models.iter().map(choose).collect()
}

/// Checks that the explorer runs interleavings of the model: those of SC, or of a machine with store buffers.
fn fits_model(typed: &CheckArgs, explorer: protocol::Explorer, model: MemoryModel) -> Result<(), Failure> {
    let help = match (model, explorer) {
        (MemoryModel::Tso | MemoryModel::Pso, _) if has_litmus(typed) => {
            "of litmus files it runs the interleavings of sc; rsmc fits every model"
        }
        (MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso, _) => return Ok(()),
        _ => "it runs interleavings of sc, tso and pso; rsmc fits every model",
    };
    Err(Failure::usage(format!("explorer `{}` does not fit model `{}`", explorer.name(), model.name()), help))
}

/// Returns how interleavings are enumerated where the user has not said: within more and more preemptions, by classes if the
/// other options allow it. A log has each execution once, and litmus tests are small, so these are run by interleavings within no
/// further bound.
fn usual(typed: &CheckArgs) -> Explorer {
    if typed.record.is_some() || has_litmus(typed) {
        return Explorer::BOUNDED;
    }
    Explorer::Auto(if unfit(typed).is_some() { protocol::Explorer::Bounded } else { protocol::Explorer::Dpor })
}

/// Whether the executions of SC are there to be compared with those of other models alone: then they are graphs, too, and none is
/// beyond a bound. That is so of litmus tests, if no monitor watches interleavings and no bound is given.
fn is_compared_alone(typed: &CheckArgs) -> bool {
    let models = &typed.model.0;
    let watches = match &typed.monitor {
        Some(named) => !named.0.is_empty(),
        None => !MemoryModel::are_all_machines(models.iter().copied()),
    };
    has_litmus(typed) && models.len() > 1 && !watches && typed.preemptions.is_none()
}

fn has_litmus(typed: &CheckArgs) -> bool {
    let is_litmus = |target: &PathBuf| target.extension().is_some_and(|extension| extension == "litmus");
    typed.targets.iter().any(is_litmus)
}

/// Returns the option that keeps the explorer `dpor` from being used, if one is given.
pub(crate) fn unfit(typed: &CheckArgs) -> Option<String> {
    let partial = |monitor: &&MonitorName| matches!(monitor, MonitorName::BurnimTso | MonitorName::BurnimPso);
    let monitor = typed.monitor.iter().flat_map(|monitors| &monitors.0).find(partial);
    let options = [(typed.spurious_wakeups, "--spurious-wakeups"), (typed.weak_cas_fails > 0, "--weak-cas-fails")];
    let option = options.into_iter().find(|(given, _)| *given).map(|(_, option)| option.to_string());
    option.or_else(|| monitor.map(|monitor| format!("--monitor {}", monitor.name())))
}
