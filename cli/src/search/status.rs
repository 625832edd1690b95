//! The display of how far a search has come, for whoever waits: one line that changes on a terminal, one line every ten seconds
//! elsewhere.

use std::fs;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use engine::explore::estimate::Estimate;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen::Volume;
use crate::text::{counted, rounded};

/// The time from one line to the next where lines are not replaced.
const SELDOM: Duration = Duration::from_secs(10);
/// The time from one change of the line to the next.
const OFTEN: Duration = Duration::from_millis(200);

/// The facts that are displayed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Facts {
    pub(super) executions: u64,
    /// The number of executions a second, of late.
    pub(super) rate: f64,
    /// The number of preemptions of this round, and the highest one.
    pub(super) bound: Option<(u32, u32)>,
    /// The number of executions to come.
    pub(super) left: Left,
    pub(super) findings: usize,
    /// The number of workers of the executor, if there is one.
    pub(super) workers: Option<usize>,
    /// The number of bytes that all processes together use.
    pub(super) memory: u64,
}

/// The number of executions to come, as far as it is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Left {
    /// The number is not known.
    Unknown,
    /// The number is estimated.
    About(Estimate),
    /// The number is exactly this: a random search has no end, and its budget says how many executions are wanted.
    Exactly(u64),
}

impl Left {
    /// The estimate, where it is one and something is known of its error.
    pub(super) fn estimate(self) -> Option<Estimate> {
        match self {
            Left::About(estimate) if estimate.error.is_finite() => Some(estimate),
            Left::Unknown | Left::About(_) | Left::Exactly(_) => None,
        }
    }
}

/// The line, or the lines.
pub(super) struct Status {
    /// The line on a terminal.
    bar: Option<ProgressBar>,
    /// When something is said next, if anything is.
    due: Option<Instant>,
}

impl Status {
    /// Says nothing yet, and never anything where quiet is wanted.
    pub(super) fn new(volume: Volume) -> Status {
        let wait = if io::stderr().is_terminal() { OFTEN } else { SELDOM };
        Status { bar: None, due: (volume != Volume::Quiet).then(|| Instant::now() + wait) }
    }

    /// Whether it is time to show something.
    pub(super) fn is_due(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    /// Shows the facts.
    pub(super) fn say(&mut self, facts: &Facts) {
        let line = line(facts);
        if io::stderr().is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                bar.set_style(ProgressStyle::with_template("{wide_msg}").expect("a constant"));
                bar
            });
            bar.set_message(line);
            bar.tick();
            self.due = Some(Instant::now() + OFTEN);
        } else {
            crate::screen::complain(&line);
            self.due = Some(Instant::now() + SELDOM);
        }
    }

    /// Ends the display: the line on a terminal is taken away.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Returns the number of bytes of memory that these processes use.
pub(super) fn memory(processes: impl Iterator<Item = u32>) -> u64 {
    let pages = |process: u32| {
        let text = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        text.split(' ').nth(1)?.parse::<u64>().ok()
    };
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    processes.filter_map(pages).sum::<u64>() * u64::try_from(page).unwrap_or(4096)
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn line(facts: &Facts) -> String {
    let mut parts = vec![counted(facts.executions, "execution", "executions"), format!("{}/s", rounded(facts.rate))];
    if let Some((now, most)) = facts.bound {
        parts.push(format!("{now} of at most {}", counted(most.into(), "preemption", "preemptions")));
    }
    let done = facts.executions as f64;
    let share = |all: f64| format!("{:.0} %", (100.0 * done / all).min(99.0));
    match facts.left {
        Left::Unknown => {}
        Left::Exactly(left) => {
            let all = facts.executions + left;
            parts.push(format!("{} of {all}", share(all as f64)));
        }
        Left::About(Estimate { executions: left, error }) => {
            let all = done + left;
            let error = if error.is_finite() { format!(" ± {}", rounded(error)) } else { String::new() };
            parts.push(format!("{} of about {}{error}", share(all), rounded(all)));
        }
    }
    parts.push(counted(facts.findings as u64, "finding", "findings"));
    parts.extend(facts.workers.map(|workers| counted(workers as u64, "worker", "workers")));
    parts.push(format!("{} MB", facts.memory >> 20));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use engine::explore::estimate::Estimate;

    use super::{Facts, Left, line, memory};

    #[test]
    fn a_line_says_how_far_it_is() {
        let facts = Facts {
            executions: 1000,
            rate: 52_000.0,
            bound: Some((1, 2)),
            left: Left::About(Estimate { executions: 3000.0, error: 250.0 }),
            findings: 1,
            workers: None,
            memory: 84 << 20,
        };
        assert_eq!(
            line(&facts),
            "1000 executions, 52000/s, 1 of at most 2 preemptions, 25 % of about 4000 ± 250, 1 finding, 84 MB"
        );
        let unknown = Facts { bound: None, left: Left::Unknown, findings: 0, ..facts };
        assert_eq!(line(&unknown), "1000 executions, 52000/s, 0 findings, 84 MB");
        assert_eq!(
            line(&Facts { workers: Some(3), ..unknown }),
            "1000 executions, 52000/s, 0 findings, 3 workers, 84 MB"
        );
        let drawn = Facts { left: Left::Exactly(4321), ..unknown };
        assert_eq!(line(&drawn), "1000 executions, 52000/s, 19 % of 5321, 0 findings, 84 MB");
        let doubtful = Facts { left: Left::About(Estimate { executions: 1.0, error: f64::INFINITY }), ..unknown };
        assert_eq!(line(&doubtful), "1000 executions, 52000/s, 99 % of about 1000, 0 findings, 84 MB");
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(memory([std::process::id()].into_iter()) > 1 << 19);
        assert_eq!(memory([u32::MAX].into_iter()), 0);
    }
}
