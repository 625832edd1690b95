//! The meaning of a command `relax`.

use protocol::MemoryModel;

use super::check::CheckPlan;
use super::foreign::{leave_out_sc, refuse_litmus, refuse_options};
use super::limit::TimeLimit;
use crate::args::RelaxArgs;
use crate::exit::Failure;
use crate::values::Models;

/// The meaning of a command `relax`.
#[derive(Clone, Debug)]
pub(crate) struct RelaxPlan {
    /// The plan by which the program is made and searched.
    pub(crate) check: CheckPlan,
    /// The models under which it shall stay right: C11, and the machines that were asked for.
    pub(crate) models: Vec<MemoryModel>,
    /// The time for all searches together.
    pub(crate) time: TimeLimit,
}

/// The number of seconds for all searches, unless another one is given.
const SECONDS: f64 = 300.0;

impl RelaxPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(mut typed: RelaxArgs) -> Result<RelaxPlan, Failure> {
        let check = &mut typed.check;
        leave_out_sc(check, "order is needed", "the machines: --model c11,armv8,power")?;
        refuse_options(check, "relax", &[("--json", check.json.is_some())])?;
        // No order is weakened because machines alone allow it: a compiler may move what they keep in order.
        let machines = check.model.0.iter().copied().filter(|&model| model != MemoryModel::C11);
        let models: Vec<MemoryModel> = [MemoryModel::C11].into_iter().chain(machines).collect();
        check.model = Models(models.clone());
        let mut plan = CheckPlan::new(check)?;
        refuse_litmus(&plan.target, "orders of litmus tests are not weakened")?;
        plan.budget.seconds = None;
        Ok(RelaxPlan { check: plan, models, time: TimeLimit::new("--time", check.time.as_ref(), SECONDS) })
    }
}
