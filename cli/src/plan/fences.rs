//! The meaning of a command `fences`.

use protocol::MemoryModel;

use super::check::CheckPlan;
use super::costs::Costs;
use super::foreign::{leave_out_sc, refuse_litmus, refuse_options};
use super::limit::TimeLimit;
use super::target::Target;
use crate::args::FencesArgs;
use crate::exit::Failure;
use crate::values::Until;

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
    /// The time for all searches together.
    pub(crate) time: TimeLimit,
}

/// The number of seconds for all searches, unless another one is given.
const SECONDS: f64 = 300.0;

impl FencesPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(mut typed: FencesArgs) -> Result<FencesPlan, Failure> {
        leave_out_sc(&mut typed.check, "fence is missing", "relaxed models: --model tso,pso,power")?;
        refuse_options(&typed.check, "fences", &[])?;
        let mut check = CheckPlan::new(&typed.check)?;
        refuse_litmus(&check.target, "fences are not looked for in litmus tests")?;
        if let (Target::Executable(name), true) = (&check.target, typed.apply) {
            let message = format!("--apply: {} cannot be made again here", name.display());
            let help = "name the .c files, or apply the patch that is shown without it, and build again";
            return Err(Failure::usage(message, help));
        }
        let models = typed.check.model.0;
        let time = TimeLimit::new("--time", typed.check.time.as_ref(), SECONDS);
        check.budget.seconds = None;
        let costs = typed.cost.as_deref().map_or_else(|| Ok(Costs::default()), Costs::read)?;
        Ok(FencesPlan { check, models, applies: typed.apply, until: typed.until, costs, time })
    }
}
