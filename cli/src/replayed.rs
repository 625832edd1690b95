//! The run of one execution again: what the program is asked for, and how the execution is shown.

use std::io::{self, BufRead};
use std::path::PathBuf;

use owo_colors::OwoColorize;
use protocol::{FailureKind, Finding, Replay, ScheduleEnd, Trace, VERSION};

use crate::exit::Status;
use crate::plan::replay::{ReplayMode, ReplayPlan};
use crate::report::columns::{Row, Table};
use crate::report::excerpt::Sources;
use crate::report::finding::{self, Detail, Subject};
use crate::report::names::Threads;
use crate::screen::{Screen, Width, plain};
use crate::text::{counted, printable};

/// Returns the message that what was recorded cannot be done.
pub(crate) fn not_followed(words: &str) -> String {
    format!("not reproduced: the program did not follow the schedule: {words}")
}

/// Returns the job of running the execution of a finding.
pub(crate) fn job(finding: &Finding) -> Replay {
    Replay {
        version: VERSION,
        schedule: finding.violation.schedule.clone(),
        explorer: finding.explorer,
        monitors: finding.monitors.clone(),
        limits: finding.limits.clone(),
        heap: finding.heap,
        end: ScheduleEnd::of(&finding.violation),
        output: true,
    }
}

/// Shows an execution, and returns the status by whether it is the one of the finding.
pub(crate) fn present(kept: &Finding, trace: &Trace, plan: &ReplayPlan, screen: Screen) -> Status {
    let violation = &kept.violation;
    let reproduced = trace.shows(violation);
    let threads = Threads::of(&kept.program);
    let subject = Subject {
        id: &kept.id,
        violation,
        trace: Some(trace),
        monitors: &kept.monitors,
        folder: "",
        help: &kept.help,
        again: &[],
        threads,
    };
    let mut sources = Sources::within([PathBuf::from(&kept.program.directory)], plan.roots.clone());
    if plan.mode == ReplayMode::Step {
        step(&subject, trace, &mut sources, screen);
    }
    if reproduced || violation.kind == FailureKind::Nondeterministic {
        let detail = if plan.mode == ReplayMode::Step { Detail::Excerpts } else { Detail::Everything };
        screen.print(&(finding::full(&subject, detail, Width::Unlimited, &mut sources) + "\n"));
    }
    if reproduced {
        screen.print_verdict(&format!("reproduced: {}", plain(&finding::line(&subject)).trim_end()));
        Status::Found
    } else {
        let events = counted(trace.events.len() as u64, "event", "events");
        let words = format!("not reproduced: the schedule ran to its end ({events}) without this violation");
        screen.print_verdict(&words);
        Status::Clean
    }
}

/// What the user wants to see after an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Next,
    Back,
    End,
    /// What was typed means nothing.
    Unknown,
}

/// What may be typed after an event.
const KEYS: &str = "Enter: the next event, b: back, q: to the end";

/// Shows one event with its line of the source for each line on the standard input, and all that are left when the input ends.
fn step(subject: &Subject<'_>, trace: &Trace, sources: &mut Sources, screen: Screen) {
    let (marks, lane) = (finding::marks(subject.violation, trace), finding::lane(subject));
    let table = Table { events: &trace.events, marks, lane, threads: subject.threads };
    let rows: Vec<Row> = (0..trace.events.len()).map(Row::Event).collect();
    let lines = table.lines(&rows, Width::Unlimited);
    let Some((heading, lines)) = lines.split_first() else { return };
    let mut input = io::stdin().lock().lines();
    screen.print(&format!("  {KEYS}\n{heading}\n"));
    let mut at = 0;
    'events: while let (Some(line), Some(event)) = (lines.get(at), trace.events.get(at)) {
        let place = &event.place;
        let quoted = sources.line(place).map(|text| format!("{:>9} | {}\n", place.line, printable(text.trim_end())));
        screen.print(&format!("{line}\n{}", quoted.unwrap_or_default().dimmed()));
        at = loop {
            match turn(input.next().as_ref()) {
                Turn::Next => break at + 1,
                Turn::Back => break at.saturating_sub(1),
                Turn::End => break 'events,
                Turn::Unknown => screen.print(&format!("  not understood ({KEYS})\n")),
            }
        };
    }
    screen.print("\n");
}

/// Reads what the user wants. At the end of the input it is to see all that is left.
fn turn(typed: Option<&io::Result<String>>) -> Turn {
    match typed.map(|typed| typed.as_deref().map(str::trim)) {
        None | Some(Ok("" | "n" | "next")) => Turn::Next,
        Some(Ok("b" | "back")) => Turn::Back,
        Some(Ok("q" | "quit")) => Turn::End,
        Some(_) => Turn::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::{Turn, turn};

    #[test]
    fn what_is_no_command_is_not_taken_for_one() {
        let typed = |text: &str| turn(Some(&Ok(text.to_string())));
        let turns = [typed("b"), typed(" q "), typed(""), typed("n"), typed("x"), typed("\u{1b}[A")];
        assert_eq!(turns, [Turn::Back, Turn::End, Turn::Next, Turn::Next, Turn::Unknown, Turn::Unknown]);
        assert_eq!(turn(None), Turn::Next);
    }
}
