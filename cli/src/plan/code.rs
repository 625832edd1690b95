//! What `--lse`, `--rcpc` and `--release-sequences` say of the code that a compiler makes for ARMv8, and of the language.

use protocol::{AcquireLoads, Code, MemoryModel, ReleaseSequences, Updates};

use super::explorer::Explored;
use super::target::Target;
use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::values::{Sequences, Switch};

/// Returns the code that is meant: unless it is said, one that is as weak as any.
pub(super) fn code(typed: &CheckArgs, target: &Target, models: &[Explored]) -> Result<Code, Failure> {
    const INSTRUCTIONS: &str = "they name instructions; tests in C are for any processor";
    const OF_HERD: &str = "they have the rule of C11, as those of herd7";
    let given = [
        ("--lse", typed.lse.is_some(), MemoryModel::Armv8, INSTRUCTIONS),
        ("--rcpc", typed.rcpc.is_some(), MemoryModel::Armv8, INSTRUCTIONS),
        ("--release-sequences", typed.release_sequences.is_some(), MemoryModel::C11, OF_HERD),
    ];
    if let Some((option, _, of, why)) = given.into_iter().find(|(_, given, ..)| *given) {
        if let Target::Litmus(_) = target {
            return Err(Failure::usage(format!("{option} does not fit litmus files"), why));
        }
        if !models.iter().any(|&(model, _)| model == of) {
            let name = of.name();
            return Err(Failure::usage(format!("{option} fits only the model {name}"), format!("add --model {name}")));
        }
    }
    let updates = match typed.lse {
        None => Updates::Either,
        Some(Switch::On) => Updates::Single,
        Some(Switch::Off) => Updates::Pairs,
    };
    let loads = if typed.rcpc == Some(Switch::Off) { AcquireLoads::Ldar } else { AcquireLoads::Ldapr };
    let sequences = match typed.release_sequences {
        None | Some(Sequences::C11) => ReleaseSequences::OfThread,
        Some(Sequences::Cpp20) => ReleaseSequences::Updates,
    };
    Ok(Code { updates, loads, sequences })
}
