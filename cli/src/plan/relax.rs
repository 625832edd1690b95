//! The meaning of a command `relax`.

use protocol::MemoryModel;

use super::check::CheckPlan;
use super::target::Target;
use crate::args::{CheckArgs, RelaxArgs};
use crate::exit::Failure;
use crate::values::{Format, Models};

/// The meaning of a command `relax`.
#[derive(Clone, Debug)]
pub(crate) struct RelaxPlan {
    /// The plan by which the program is made and searched.
    pub(crate) check: CheckPlan,
    /// The models under which it shall stay right: C11, and the machines that were asked for.
    pub(crate) models: Vec<MemoryModel>,
    /// The number of seconds for all searches together, and in `typed_time` the option that sets it.
    pub(crate) seconds: f64,
    pub(crate) typed_time: String,
}

/// The number of seconds for all searches, unless another one is given.
const SECONDS: f64 = 300.0;

impl RelaxPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(mut typed: RelaxArgs) -> Result<RelaxPlan, Failure> {
        let check = &mut typed.check;
        refuse_foreign(check)?;
        // No order is weakened because machines alone allow it: a compiler may move what they keep in order.
        let machines = check.model.0.iter().copied().filter(|&model| model != MemoryModel::C11);
        let models: Vec<MemoryModel> = [MemoryModel::C11].into_iter().chain(machines).collect();
        check.model = Models(models.clone());
        let mut plan = CheckPlan::new(check)?;
        if let Target::Litmus(_) = plan.target {
            let help = "name the .c files of a program, or an executable of `fencehound cc`";
            return Err(Failure::usage("orders of litmus tests are not weakened", help));
        }
        let given = check.time.as_ref();
        let (seconds, typed_time) =
            given.map_or((SECONDS, format!("{SECONDS}s")), |time| (time.seconds, time.typed.clone()));
        plan.budget.seconds = None;
        Ok(RelaxPlan { check: plan, models, seconds, typed_time })
    }
}

/// Refuses options of `check` that mean nothing here.
fn refuse_foreign(check: &CheckArgs) -> Result<(), Failure> {
    if check.model.0.contains(&MemoryModel::Sc) {
        let help = "name the machines: --model c11,armv8,power";
        return Err(Failure::usage("under model `sc` no order is needed", help));
    }
    let given = [
        ("--explorer", check.explorer.is_some()),
        ("--monitor", check.monitor.is_some()),
        ("--preemptions", check.preemptions.is_some()),
        ("--delays", check.delays.is_some()),
        ("--unroll", check.unroll.is_some()),
        ("--seed", check.seed.is_some()),
        ("--executions", check.executions.is_some()),
        ("--checkpoint", check.checkpoint.is_some()),
        ("--record", check.record.is_some()),
        ("--json", check.json.is_some()),
        ("--baseline", check.baseline.is_some()),
        ("--out", check.out.is_some()),
        ("--sarif", check.sarif.is_some()),
        ("--junit", check.junit.is_some()),
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
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let help =
                "all executions are searched as graphs, within --time; `fencehound relax --help` lists the options";
            Err(Failure::usage(format!("{option} does not go with `relax`"), help))
        }
    }
}
