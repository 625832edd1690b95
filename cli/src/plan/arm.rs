//! What `--lse` and `--rcpc` say of the code that a compiler makes for ARMv8.

use protocol::{AcquireLoads, Code, MemoryModel, Updates};

use super::explorer::Explored;
use super::target::Target;
use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::values::Switch;

/// Returns the code that is meant: unless it is said, one that is as weak as any.
pub(super) fn code_for_arm(typed: &CheckArgs, target: &Target, models: &[Explored]) -> Result<Code, Failure> {
    let given = [("--lse", typed.lse), ("--rcpc", typed.rcpc)];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| given.is_some()) {
        if let Target::Litmus(_) = target {
            return Err(Failure::usage(
                format!("{option} does not fit litmus files"),
                "they name instructions; tests in C are for any processor",
            ));
        }
        if !models.iter().any(|&(model, _)| model == MemoryModel::Armv8) {
            return Err(Failure::usage(format!("{option} fits only the model armv8"), "add --model armv8"));
        }
    }
    let updates = match typed.lse {
        None => Updates::Either,
        Some(Switch::On) => Updates::Single,
        Some(Switch::Off) => Updates::Pairs,
    };
    let loads = if typed.rcpc == Some(Switch::Off) { AcquireLoads::Ldar } else { AcquireLoads::Ldapr };
    Ok(Code { updates, loads })
}
