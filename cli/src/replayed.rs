//! The run of one execution again: what the program is asked for, and how the execution is shown.

use std::io::{self, BufRead};
use std::path::PathBuf;

use protocol::{FailureKind, Finding, Replay, ScheduleEnd, Trace, VERSION};

use crate::exit::Status;
use crate::plan::replay::{ReplayMode, ReplayPlan};
use crate::report::columns::{Row, Table};
use crate::report::excerpt::Sources;
use crate::report::finding::{self, Detail, Subject};
use crate::report::names::Threads;
use crate::screen::{Screen, Width, plain};
use crate::text::counted;

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
    if plan.mode == ReplayMode::Step {
        step(&subject, trace, screen);
    }
    if reproduced || violation.kind == FailureKind::Nondeterministic {
        let mut sources = Sources::within([PathBuf::from(&kept.program.directory)], plan.roots.clone());
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

/// Shows one event for each line on the standard input, and all that are left when the input ends.
fn step(subject: &Subject<'_>, trace: &Trace, screen: Screen) {
    let (marks, lane) = (finding::marks(subject.violation, trace), finding::lane(subject));
    let table = Table { events: &trace.events, marks, lane, threads: subject.threads };
    let rows: Vec<Row> = (0..trace.events.len()).map(Row::Event).collect();
    let mut input = io::stdin().lock().lines();
    for (number, line) in table.lines(&rows, Width::Unlimited).into_iter().enumerate() {
        screen.print(&format!("{line}\n"));
        if number > 0 {
            drop(input.next());
        }
    }
    screen.print("\n");
}
