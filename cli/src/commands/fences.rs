//! `fencehound fences`: finds a cheapest set of fences with which a program is right under relaxed models.

use owo_colors::OwoColorize;
use protocol::MemoryModel;

use crate::exit::{Failure, Status};
use crate::interrupt::{Interrupts, survive_full_files};
use crate::plan::fences::FencesPlan;
use crate::programs::consequences::failure_of;
use crate::programs::repair::advisor::Advisor;
use crate::programs::repair::answer::Advice;
use crate::programs::repair::told;
use crate::programs::repair::trials::Bench;
use crate::programs::subjects::Subjects;
use crate::screen::complain;
use crate::text::{counted, printable};
use crate::values::Until;

/// Runs the command.
pub(crate) fn run(plan: &FencesPlan) -> Status {
    survive_full_files();
    advise(plan).unwrap_or_else(|failure| {
        if failure.status == Status::Usage {
            complain(&failure);
            return failure.status;
        }
        if let Some(help) = &failure.help {
            complain(&format!("help: {help}"));
        }
        plan.check.screen().print(&format!("{} {}\n", "error:".red().bold(), printable(&failure.message)));
        failure.status
    })
}

fn advise(plan: &FencesPlan) -> Result<Status, Failure> {
    plan.check.json.prepare()?;
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    let subjects = Subjects::build(&plan.check, &interrupts)?;
    let bench = Bench { subjects: &subjects, interrupts: &interrupts };
    let mut advisor = Advisor::new(plan, bench)?;
    let advice = advisor.advise()?;
    let screen = plan.check.screen();
    let fails = tell_failures(plan, &advisor);
    let models = told::models_in_words(&plan.models);
    let but = if fails { ", but for what SC executions have, too" } else { "" };
    let (status, line) = match &advice {
        Advice::Right(executions) => {
            (Status::Clean, format!("clean: right as it is under {models}{but}: {}", proof(plan, executions)))
        }
        Advice::Repaired(repaired, others) => {
            screen.print(&told::table(repaired, advisor.universe()));
            screen.print(&told::others(others, advisor.universe()));
            let cost = told::whole_cost(&repaired.elements);
            let make = told::make(&repaired.elements, advisor.universe());
            let proof = proof(plan, &repaired.executions);
            (Status::Found, format!("repaired: {make} it right under {models}{but}, cost {cost}: {proof}"))
        }
        Advice::Hopeless(wronged) => {
            let wrong = told::wronged_in_words(wronged);
            (Status::Found, format!("violations: no fence and no order repairs this: {wrong}"))
        }
        Advice::Open(why) => (Status::Incomplete, format!("incomplete: {why}")),
    };
    screen.print_verdict(&line);
    Ok(if fails { status.and(Status::Found) } else { status })
}

/// Says how the program fails under sequential consistency; whether it does.
fn tell_failures(plan: &FencesPlan, advisor: &Advisor<'_>) -> bool {
    for violation in &advisor.consistent.violations {
        let failure = failure_of(violation, None);
        let text = format!("no fence repairs this, which SC executions have, too: {}\n", failure.in_words());
        plan.check.screen().print(&text);
    }
    !advisor.consistent.violations.is_empty()
}

/// `all 14 TSO executions end as under SC`: in a failure that SC has too, or with an outcome of SC's.
fn proof(plan: &FencesPlan, executions: &[(MemoryModel, u64)]) -> String {
    let count = |&(model, count): &(MemoryModel, u64)| {
        let title = model.title();
        counted(count, &format!("{title} execution"), &format!("{title} executions"))
    };
    let all: Vec<String> = executions.iter().map(count).collect();
    let is_one = matches!(executions, [(_, 1)]);
    match (plan.until, is_one) {
        (Until::Harmless, true) => format!("{} ends as under SC", all.join(", ")),
        (Until::Harmless, false) => format!("all {} end as under SC", all.join(", ")),
        (Until::Sc, true) => format!("{} is like an interleaving", all.join(", ")),
        (Until::Sc, false) => format!("all {} are like interleavings", all.join(", ")),
    }
}
