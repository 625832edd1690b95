//! `fencehound relax`: finds the weakest memory orders with which a program stays right.

use super::failed::failed;
use crate::exit::{Failure, Status};
use crate::interrupt::{Interrupts, survive_full_files};
use crate::plan::relax::RelaxPlan;
use crate::programs::bench::Bench;
use crate::programs::judged::titles;
use crate::programs::relaxing::told;
use crate::programs::relaxing::weakening::{Answer, Weakening};
use crate::programs::subjects::Subjects;
use crate::text::counted;

/// The note on how far the orders are enough.
const NOTE: &str = "note: these are enough for this program and its input: what it does not come to is not listed, and \
                    another use of the same code may need more\n";

/// Runs the command.
pub(crate) fn run(plan: &RelaxPlan) -> Status {
    survive_full_files();
    relax(plan).unwrap_or_else(|failure| failed(&plan.check, &failure))
}

fn relax(plan: &RelaxPlan) -> Result<Status, Failure> {
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    let subjects = Subjects::build(&plan.check, &interrupts)?;
    let bench = Bench { subjects: &subjects, interrupts: &interrupts };
    let mut weakening = Weakening::new(plan, bench)?;
    let answer = weakening.weaken()?;
    let searches = counted(weakening.searches, "search", "searches");
    let is_weaker = weakening.atomics.iter().any(|one| one.needs != one.atomic.ordered.orders);
    let screen = plan.check.screen();
    let models = titles(&plan.models);
    screen.print(&told::table(&weakening.atomics));
    if is_weaker {
        screen.print(NOTE);
    }
    let weaker = told::weaker_in_words(&weakening.atomics);
    let (status, line) = match answer {
        Answer::Weakest(executions) => {
            let proof = format!("{}; {searches}", told::proof(&executions));
            if is_weaker {
                (Status::Found, format!("weaker: {weaker} under {models}: {proof}"))
            } else {
                (Status::Clean, format!("clean: no order can be weaker under {models}: {proof}"))
            }
        }
        Answer::Wrong(wronged) => {
            let why = wronged.in_words();
            (Status::Found, format!("violations: not right as it is: {why}"))
        }
        Answer::Open(why) if is_weaker => (
            Status::Incomplete,
            format!("incomplete: {weaker} under {models}, others perhaps as well: {why}; {searches}"),
        ),
        Answer::Open(why) => (Status::Incomplete, format!("incomplete: {why}")),
    };
    screen.print_verdict(&line);
    Ok(status)
}
