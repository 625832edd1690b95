//! The time in which `check` looks for what forbids its findings.

use crate::args::CheckArgs;

/// The time in which what forbids findings is looked for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AdviceTime {
    /// The number of seconds for all searches together.
    pub(crate) seconds: f64,
    /// The option that sets the limit, as it is or would be typed.
    pub(crate) limit: String,
}

/// The number of seconds, unless another one is given.
const SECONDS: f64 = 10.0;

impl AdviceTime {
    /// Makes the limit that was typed; none if what forbids findings is not to be looked for at all.
    pub(crate) fn new(typed: &CheckArgs) -> Option<AdviceTime> {
        let given = typed.advice_time.as_ref();
        let limit = given.map_or_else(|| format!("{SECONDS}s"), |time| time.typed.clone());
        let seconds = given.map_or(SECONDS, |time| time.seconds);
        (!typed.no_advice).then(|| AdviceTime { seconds, limit: format!("--advice-time {limit}") })
    }
}
