//! The checks that options fit each other, and the values of options that are left out.

use std::path::Path;

use protocol::MemoryModel;

use super::explorer::{Explored, Explorer, has_graphs, has_machines};
use super::monitors::fits_litmus;
use super::target::Target;
use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::values::{Delays, Preemptions};

/// Checks that the explorer can do what the other options ask.
pub(super) fn fits_explorer(typed: &CheckArgs, explorer: Option<protocol::Explorer>) -> Result<(), Failure> {
    let Some(explorer) = explorer else { return Ok(()) };
    if explorer.draws() && typed.executions.is_none() && typed.time.is_none() {
        let message = format!("the explorer {} has no end of its own", explorer.name());
        return Err(Failure::usage(message, "add --executions 1000 or --time 30s"));
    }
    if explorer != protocol::Explorer::Dpor {
        return Ok(());
    }
    let given = [(typed.spurious_wakeups, "--spurious-wakeups"), (typed.weak_cas_fails > 0, "--weak-cas-fails")];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(Failure::usage(
            format!("{option} does not fit the explorer dpor in this version"),
            "use --explorer bounded",
        )),
        None => Ok(()),
    }
}

/// Checks that there is a baseline to write, and that the search comes as far as what it does not list.
pub(super) fn fits_baseline(typed: &CheckArgs) -> Result<(), Failure> {
    match &typed.baseline {
        None if typed.write_baseline => {
            Err(Failure::usage("--write-baseline without a file", "name it: --baseline FILE --write-baseline"))
        }
        Some(_) if typed.stop_at_first => Err(Failure::usage(
            "--stop-at-first does not fit --baseline: the first violation may be one that is known",
            "leave out one of them",
        )),
        _ => Ok(()),
    }
}

/// Checks that it is clear who runs the slices of the search.
pub(super) fn fits_spread(typed: &CheckArgs, models: &[Explored]) -> Result<(), Failure> {
    if typed.shard.is_some() {
        fits_shard(typed, models)?;
    }
    let elsewhere = [("--executor", typed.executor.is_some()), ("--cluster", typed.cluster.is_some())];
    let mut given = elsewhere.iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option);
    match (given.next(), given.next()) {
        (Some(one), Some(other)) => {
            let message = format!("{other} does not fit {one}: each says who runs the search");
            Err(Failure::usage(message, "leave one of them out"))
        }
        (Some(option), None) if typed.jobs.is_some() => {
            let message = format!("-j does not fit {option}, whose workers run the search");
            Err(Failure::usage(message, "leave it out, and have as many workers there as you want"))
        }
        _ => Ok(()),
    }
}

/// Checks that a share of the search stands for itself.
fn fits_shard(typed: &CheckArgs, models: &[Explored]) -> Result<(), Failure> {
    let dpor = Explorer::Interleavings(protocol::Explorer::Dpor);
    if let Some((_, other)) = models.iter().find(|(model, explorer)| (*model, *explorer) != (MemoryModel::Sc, dpor)) {
        let message = format!("--shard does not fit the explorer {}: its parts depend on each other", other.name());
        return Err(Failure::usage(message, "use --model sc --explorer dpor"));
    }
    let options = [
        ("--executions", typed.executions.is_some()),
        ("--time", typed.time.is_some()),
        ("--checkpoint", typed.checkpoint.is_some()),
        ("--executor", typed.executor.is_some()),
        ("--cluster", typed.cluster.is_some()),
        ("--record", typed.record.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let message = format!("{option} does not fit --shard, which runs a share of the search to its end");
            Err(Failure::usage(message, "leave one of them out"))
        }
    }
}

/// Checks that the other options are for such a target.
pub(super) fn fits_target(typed: &CheckArgs, target: &Target, models: &[Explored]) -> Result<(), Failure> {
    if let Target::Litmus(_) = target {
        if typed.baseline.is_some() {
            return Err(Failure::usage("--baseline does not fit litmus files", "it is for C programs: leave it out"));
        }
        fits_litmus_files(typed, models)?;
        return fits_litmus(typed, models);
    }
    if let (Target::Executable(name), true) = (target, typed.sv_comp_transactions) {
        return Err(Failure::usage(
            format!("{}: --sv-comp-transactions needs the source", name.display()),
            "name the .c files: they are compiled for it",
        ));
    }
    if let (Target::Executable(name), true) = (target, typed.uninitialised) {
        return Err(Failure::usage(
            format!("{}: --uninitialised needs the source", name.display()),
            "name the .c files, or compile with `fencehound cc --uninitialised` and check without the option",
        ));
    }
    if let (true, true) = (has_machines(models), typed.uninitialised) {
        return Err(Failure::usage(
            "--uninitialised does not fit a machine with store buffers",
            "it is for interleavings of --model sc",
        ));
    }
    if !has_graphs(models) {
        return Ok(());
    }
    if typed.checkpoint.is_some() && models.len() > 1 {
        let message = "--checkpoint keeps one search, and each model is one";
        return Err(Failure::usage(message, "name one model"));
    }
    let options = [
        ("--heap-reuse", typed.heap_reuse),
        ("--leaks", typed.leaks),
        ("--uninitialised", typed.uninitialised),
        ("--spurious-wakeups", typed.spurious_wakeups),
        ("--weak-cas-fails", typed.weak_cas_fails > 0),
    ];
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(
            format!("{option} does not fit the explorer rsmc"),
            "it is for interleavings: --model sc --explorer bounded",
        )),
        None => Ok(()),
    }
}

/// Checks that the options are for litmus files.
fn fits_litmus_files(typed: &CheckArgs, models: &[Explored]) -> Result<(), Failure> {
    let other = |explorer: &Explorer| !matches!(explorer, &Explorer::BOUNDED | Explorer::Rsmc);
    if let Some((_, explorer)) = models.iter().find(|(_, explorer)| other(explorer)) {
        let message = format!("explorer `{}` does not fit litmus files", explorer.name());
        return Err(Failure::usage(message, "available for them are bounded and rsmc"));
    }
    let lists = [&typed.define, &typed.undefine, &typed.include, &typed.library_folder, &typed.library];
    if lists.iter().any(|list| !list.is_empty()) || !typed.cflags.is_empty() || typed.std.is_some() {
        return Err(Failure::usage("options for the compiler do not fit litmus files", "leave them out"));
    }
    if typed.record.is_some() {
        return Err(Failure::usage("--record does not fit litmus files", "it records executions of C programs"));
    }
    if !typed.arguments.is_empty() {
        return Err(Failure::usage("program arguments do not fit litmus files", "leave them out"));
    }
    if typed.unroll.is_some() {
        return Err(Failure::usage("--unroll does not fit litmus files", "for them there is --max-events"));
    }
    let options = [
        ("-j", typed.jobs.is_some()),
        ("--executor", typed.executor.is_some()),
        ("--cluster", typed.cluster.is_some()),
        ("--shard", typed.shard.is_some()),
        ("--checkpoint", typed.checkpoint.is_some()),
    ];
    for (option, given) in options {
        if given {
            let message = format!("{option} does not fit litmus files, which take one process and little time");
            return Err(Failure::usage(message, "leave it out"));
        }
    }
    if typed.uninitialised {
        return Err(Failure::usage("--uninitialised does not fit litmus files", "in them everything is written"));
    }
    Ok(())
}

/// Checks that executions can be recorded, and the search kept, where the user wants them.
pub(super) fn fits_files(typed: &CheckArgs, models: &[Explored]) -> Result<(), Failure> {
    for (option, file) in [("--record", &typed.record), ("--checkpoint", &typed.checkpoint)] {
        if file.as_deref() == Some(Path::new("-")) {
            let message = format!("{option} does not write to the standard output, where the result goes");
            return Err(Failure::usage(message, "name a file, ./- if it is to be called so"));
        }
    }
    if typed.record.is_some() && typed.checkpoint.is_some() {
        let message = "--record does not fit --checkpoint, which does not keep executions";
        return Err(Failure::usage(message, "leave one of them out"));
    }
    if typed.record.is_some() && has_machines(models) {
        let message = "--record does not fit a machine with store buffers in this version";
        return Err(Failure::usage(message, "leave it out, or say --model sc"));
    }
    if typed.record.is_some() && has_graphs(models) {
        let message = "--record does not fit an explorer of execution graphs, which have no order of events";
        return Err(Failure::usage(message, "leave it out, or say --model sc --explorer bounded"));
    }
    Ok(())
}

/// Returns the preemption bound that is given, or else 2 for `bounded` and none for the other explorers.
pub(super) fn bound(
    typed: &CheckArgs,
    models: &[Explored],
    explorer: Option<protocol::Explorer>,
) -> Result<Option<u32>, Failure> {
    let is_auto = models.iter().any(|(_, explorer)| matches!(explorer, Explorer::Auto(_)));
    let usual = match explorer {
        _ if is_auto => Preemptions::Unbounded,
        None | Some(protocol::Explorer::Bounded) => Preemptions::AtMost(2),
        Some(_) => Preemptions::Unbounded,
    };
    match (explorer, typed.preemptions) {
        (None, Some(Preemptions::AtMost(bound))) => Err(Failure::usage(
            format!("--preemptions `{bound}` does not fit the explorer rsmc"),
            "it is for interleavings: --model sc --explorer bounded",
        )),
        (Some(explorer), Some(Preemptions::AtMost(_))) if explorer.draws() => Err(Failure::usage(
            format!("--preemptions does not fit the explorer {}", explorer.name()),
            "it bounds the explorers bounded and dpor",
        )),
        (_, Some(Preemptions::AtMost(_))) if models.iter().copied().any(is_by_classes) => Err(Failure::usage(
            "--preemptions does not fit the explorer dpor on a machine with store buffers in this version",
            "leave it out, or use --explorer bounded",
        )),
        (_, given) => Ok(given.unwrap_or(usual).bound()),
    }
}

/// Returns the bound on rounds of loops, if one is given.
pub(super) fn unroll(typed: &CheckArgs, models: &[Explored]) -> Result<Option<u64>, Failure> {
    if typed.unroll.is_some() && !has_graphs(models) {
        return Err(Failure::usage(
            "--unroll fits only the explorer rsmc",
            "add --model power, tso or pso, or --explorer rsmc; for interleavings there is --max-events",
        ));
    }
    Ok(typed.unroll)
}

/// Whether the commits of a machine with store buffers are explored by classes.
fn is_by_classes((model, explorer): Explored) -> bool {
    model != MemoryModel::Sc && explorer.of_interleavings() == Some(protocol::Explorer::Dpor)
}

/// Returns the bound on stores that are delayed at a time, if one is given.
pub(super) fn delays(typed: &CheckArgs, models: &[Explored]) -> Result<Option<u32>, Failure> {
    match typed.delays {
        Some(_) if !has_machines(models) => Err(Failure::usage(
            "--delays fits only a machine with store buffers",
            "add --model tso or pso with --explorer bounded, random, pct or urw",
        )),
        Some(Delays(Some(_))) if models.iter().copied().any(is_by_classes) => Err(Failure::usage(
            "--delays does not fit the explorer dpor",
            "it bounds the explorers bounded, random, pct and urw",
        )),
        given => Ok(given.and_then(|Delays(most)| most)),
    }
}

/// Returns the seed of a random search.
pub(super) fn seed(typed: &CheckArgs, explorer: Option<protocol::Explorer>) -> Result<u64, Failure> {
    if typed.seed.is_some() && !explorer.is_some_and(protocol::Explorer::draws) {
        return Err(Failure::usage("--seed fits only random search", "add --explorer random, pct or urw"));
    }
    Ok(typed.seed.unwrap_or_default())
}
