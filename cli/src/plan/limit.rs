//! The limits on the time that several searches have together.

use crate::values::Time;

/// The time that several searches have together.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TimeLimit {
    /// The number of seconds.
    pub(crate) seconds: f64,
    /// The option that sets the limit, with its value, as it is or would be typed: `--time 5m`.
    pub(crate) option: String,
}

impl TimeLimit {
    /// Makes the limit that this option sets: the time given, or else this usual number of seconds.
    pub(crate) fn new(option: &str, given: Option<&Time>, usual: f64) -> TimeLimit {
        match given {
            Some(time) => TimeLimit { seconds: time.seconds, option: format!("{option} {}", time.typed) },
            None => TimeLimit { seconds: usual, option: format!("{option} {usual}s") },
        }
    }
}
