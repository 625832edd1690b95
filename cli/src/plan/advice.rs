//! How long `check` looks for what forbids its findings.

use crate::args::CheckArgs;

/// How long what forbids findings is looked for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AdviceTime {
    /// Seconds for all searches together.
    pub(crate) seconds: f64,
    /// The option that says so, as it is or would be typed.
    pub(crate) limit: String,
}

/// Seconds, unless others are given.
const SECONDS: f64 = 10.0;

impl AdviceTime {
    /// What was typed means this; none if it is not to be looked for at all.
    pub(crate) fn new(typed: &CheckArgs) -> Option<AdviceTime> {
        let given = typed.advice_time.as_ref();
        let limit = given.map_or_else(|| format!("{SECONDS}s"), |time| time.typed.clone());
        let seconds = given.map_or(SECONDS, |time| time.seconds);
        (!typed.no_advice).then(|| AdviceTime { seconds, limit: format!("--advice-time {limit}") })
    }
}
