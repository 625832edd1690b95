//! The meaning of a command `fences`.

use protocol::MemoryModel;

use super::check::CheckPlan;
use super::costs::Costs;
use super::target::Target;
use crate::args::FencesArgs;
use crate::exit::Failure;
use crate::values::{Format, Until};

/// The meaning of a command `fences`.
#[derive(Clone, Debug)]
pub(crate) struct FencesPlan {
    /// The plan by which the program is made and searched.
    pub(crate) check: CheckPlan,
    /// The models under which the program shall be right.
    pub(crate) models: Vec<MemoryModel>,
    /// The condition on which the program is right.
    pub(crate) until: Until,
    /// Whether they are put into the source.
    pub(crate) applies: bool,
    /// The costs of fences.
    pub(crate) costs: Costs,
    /// The number of seconds for all searches together.
    pub(crate) seconds: f64,
    /// The option that sets the limit, as it is or would be typed.
    pub(crate) limit: String,
}

/// The number of seconds for all searches, unless another one is given.
const SECONDS: f64 = 300.0;

impl FencesPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &FencesArgs) -> Result<FencesPlan, Failure> {
        refuse_foreign(typed)?;
        let mut check = CheckPlan::new(&typed.check)?;
        if let Target::Litmus(_) = check.target {
            let help = "name the .c files of a program, or an executable of `fencehound cc`";
            return Err(Failure::usage("fences are not looked for in litmus tests", help));
        }
        // On ARM and RISC-V a fence does more than C11 says of it: what it is enough for there is not enough in C.
        let is_known = |model: &&MemoryModel| matches!(model, MemoryModel::Tso | MemoryModel::Pso | MemoryModel::Power);
        if let Some(model) = typed.check.model.0.iter().find(|model| !is_known(model)) {
            let message = format!("fences are not looked for under model `{}`", model.name());
            let help = "name some of these: --model tso,pso,power; `fencehound relax` is about the orders of C11";
            return Err(Failure::usage(message, help));
        }
        if let (Target::Executable(name), true) = (&check.target, typed.apply) {
            let message = format!("--apply: {} cannot be made again here", name.display());
            let help = "name the .c files, or apply the patch that is shown without it, and build again";
            return Err(Failure::usage(message, help));
        }
        let models = typed.check.model.0.clone();
        let given = typed.check.time.as_ref();
        let (seconds, limit) = given
            .map_or((SECONDS, format!("--time {SECONDS}s")), |time| (time.seconds, format!("--time {}", time.typed)));
        check.budget.seconds = None;
        let costs = typed.cost.as_deref().map_or_else(|| Ok(Costs::default()), Costs::read)?;
        Ok(FencesPlan { check, models, applies: typed.apply, until: typed.until, costs, seconds, limit })
    }
}

/// Refuses options of `check` that mean nothing here.
fn refuse_foreign(typed: &FencesArgs) -> Result<(), Failure> {
    let check = &typed.check;
    if check.model.0.contains(&MemoryModel::Sc) {
        let help = "name relaxed models: --model tso,pso,power";
        return Err(Failure::usage("under model `sc` no fence is missing", help));
    }
    let given = [
        ("--explorer", check.explorer.is_some()),
        ("--monitor", check.monitor.is_some()),
        ("--preemptions", check.preemptions.is_some()),
        ("--delays", check.delays.is_some()),
        ("--seed", check.seed.is_some()),
        ("--executions", check.executions.is_some()),
        ("--checkpoint", check.checkpoint.is_some()),
        ("--record", check.record.is_some()),
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
                "all executions are searched as graphs, within --time; `fencehound fences --help` lists the options";
            Err(Failure::usage(format!("{option} does not go with `fences`"), help))
        }
    }
}
