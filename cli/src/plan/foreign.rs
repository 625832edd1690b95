//! What the commands refuse that search all executions, as graphs, for changes of a program.

use protocol::MemoryModel;

use super::target::Target;
use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::values::Format;

/// Refuses the options of `check` that mean nothing to this command, with those that mean nothing to it alone.
pub(super) fn refuse_options(check: &CheckArgs, command: &str, own: &[(&str, bool)]) -> Result<(), Failure> {
    let common = [
        ("--explorer", check.explorer.is_some()),
        ("--monitor", check.monitor.is_some()),
        ("--preemptions", check.preemptions.is_some()),
        ("--delays", check.delays.is_some()),
        ("--unroll", check.unroll.is_some()),
        ("--seed", check.seed.is_some()),
        ("--executions", check.executions.is_some()),
        ("--checkpoint", check.checkpoint.is_some()),
        ("--executor", check.executor.is_some()),
        ("--cluster", check.cluster.is_some()),
        ("--shard", check.shard.is_some()),
        ("--record", check.record.is_some()),
        ("--baseline", check.baseline.is_some()),
        ("--write-baseline", check.write_baseline),
        ("--out", check.out.is_some()),
        ("--sarif", check.sarif.is_some()),
        ("--junit", check.junit.is_some()),
        ("--html", check.html.is_some()),
        ("--format", check.format != Format::Text),
        ("-q", check.quiet),
        ("-v", check.verbose),
        ("--stop-at-first", check.stop_at_first),
        ("--strict", check.strict),
        ("--no-judge", check.no_judge),
        ("--judge-time", check.judge_time.is_some()),
        ("--advice-time", check.advice_time.is_some()),
        ("--no-advice", check.no_advice),
        ("--leaks", check.leaks),
        ("--heap-reuse", check.heap_reuse),
        ("--uninitialised", check.uninitialised),
        ("--spurious-wakeups", check.spurious_wakeups),
        ("--weak-cas-fails", check.weak_cas_fails > 0),
    ];
    let Some((option, _)) = common.iter().chain(own).find(|(_, is_given)| *is_given) else { return Ok(()) };
    let help = format!(
        "all executions are searched as graphs, within --time; `fencehound {command} --help` lists the options"
    );
    Err(Failure::usage(format!("{option} does not go with `{command}`"), help))
}

/// Leaves out the model `sc`, under which nothing is to be changed, where `all` has it among the others, and refuses it where it
/// was named: `what` says so, and `models` is an example of others.
pub(super) fn leave_out_sc(check: &mut CheckArgs, what: &str, models: &str) -> Result<(), Failure> {
    let named = &mut check.model.0;
    if *named == MemoryModel::MACHINES {
        named.retain(|model| *model != MemoryModel::Sc);
    }
    if named.contains(&MemoryModel::Sc) {
        return Err(Failure::usage(format!("under model `sc` no {what}"), format!("name {models}")));
    }
    Ok(())
}

/// Refuses litmus tests; `what` says so.
pub(super) fn refuse_litmus(target: &Target, what: &str) -> Result<(), Failure> {
    if let Target::Litmus(_) = target {
        return Err(Failure::usage(what, "name the .c files of a program, or an executable of `fencehound cc`"));
    }
    Ok(())
}
