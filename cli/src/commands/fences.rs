//! `fencehound fences`: finds a cheapest set of fences with which a program is right under relaxed models.

use protocol::MemoryModel;

use super::failed::failed;
use crate::exit::{Failure, Status};
use crate::interrupt::{Interrupts, survive_full_files};
use crate::json;
use crate::plan::fences::FencesPlan;
use crate::plan::target::Target;
use crate::programs::bench::Bench;
use crate::programs::judged::titles;
use crate::programs::repair::advisor::Advisor;
use crate::programs::repair::answer::{Advice, Repaired};
use crate::programs::repair::patched::{self, Patch, Texts};
use crate::programs::repair::report::Report;
use crate::programs::repair::told::{self, Proof, Text};
use crate::programs::repair::universe::Element;
use crate::programs::subjects::Subjects;
use crate::screen::complain_about;
use crate::text::{counted, listed};
use crate::values::Until;
use crate::workplace::Workplace;

/// Runs the command.
pub(crate) fn run(plan: &FencesPlan) -> Status {
    survive_full_files();
    advise(plan).unwrap_or_else(|failure| failed(&plan.check, &failure))
}

fn advise(plan: &FencesPlan) -> Result<Status, Failure> {
    plan.check.json.prepare()?;
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    let subjects = Subjects::build(&plan.check, &interrupts)?;
    let bench = Bench { subjects: &subjects, interrupts: &interrupts };
    let mut advisor = Advisor::new(plan, bench)?;
    let advice = advisor.advise()?;
    let mut report = Report {
        target: plan.check.target.names().join(" "),
        models: plan.models.iter().map(|model| model.name()).collect(),
        until: plan.until.name(),
        failures: advisor.consistent.failures(),
        ..Report::default()
    };
    for failure in &report.failures {
        let text = format!("no fence repairs this, which SC executions have, too: {failure}\n");
        plan.check.screen().print(&text);
    }
    let fails = !report.failures.is_empty();
    let models = titles(&plan.models);
    let but = if fails { ", but for what SC executions have, too" } else { "" };
    let (status, line) = match &advice {
        Advice::Right(executions) => {
            let spare = advisor.spare(&[])?;
            report.spared(&spare, advisor.universe());
            plan.check.screen().print(&told::spare(&spare, advisor.universe()));
            if spare.fences.is_empty() {
                report.proved(executions);
                (Status::Clean, format!("clean: right as it is under {models}{but}: {}", proof(plan, executions)))
            } else {
                report.proved(&spare.executions);
                let (spared, proof) = (told::spared(&spare, &models), proof(plan, &spare.executions));
                (Status::Found, format!("redundant: {spared}{but}: {proof} without"))
            }
        }
        Advice::Repaired(repaired, others) => {
            repair(plan, (&mut advisor, bench), (repaired, others), &mut report, but)?
        }
        Advice::Hopeless(wronged) => {
            let wrong = wronged.in_words();
            report.why = Some(wrong.clone());
            let nothing = if plan.models.contains(&MemoryModel::C11) { "no order" } else { "no fence and no order" };
            (Status::Found, format!("violations: {nothing} repairs this: {wrong}"))
        }
        Advice::Open(why) => {
            report.why = Some(why.clone());
            (Status::Incomplete, format!("incomplete: {why}"))
        }
    };
    report.verdict = match line.split(':').next() {
        Some("clean") => "clean",
        Some("redundant") => "redundant",
        Some("repaired") => "repaired",
        Some("applied") => "applied",
        Some("violations") => "violations",
        _ => "incomplete",
    };
    let written = complain_about(plan.check.json.write(&json::fences(&report)));
    plan.check.screen().print_verdict(&line);
    Ok(if fails { status.and(Status::Found) } else { status }.and(written))
}

/// Tells a repair, with its text, and puts it into the source where that is wanted: the status, and the last line.
fn repair(
    plan: &FencesPlan,
    (advisor, bench): (&mut Advisor<'_>, Bench<'_>),
    (repaired, others): (&Repaired, &[Vec<Element>]),
    report: &mut Report,
    but: &str,
) -> Result<(Status, String), Failure> {
    let screen = plan.check.screen();
    let mut texts = Texts::new(bench.subjects);
    let refusals: Vec<Option<String>> =
        repaired.elements.iter().map(|element| texts.changes(element, advisor.universe()).err()).collect();
    report.repaired(repaired, &refusals, others, advisor.universe());
    screen.print(&told::table(repaired, &refusals, advisor.universe()));
    screen.print(&told::others(others, advisor.universe()));
    if let Some(wronged) = advisor.wrong_in_c11(&repaired.elements)? {
        report.in_c11 = Some(wronged.in_words());
        screen.print(&told::in_c11(&wronged));
    }
    let spare = advisor.spare(&repaired.elements)?;
    report.spared(&spare, advisor.universe());
    screen.print(&told::spare(&spare, advisor.universe()));
    let text = match advisor.written(&repaired.elements, &mut texts)? {
        Some((elements, patch)) => Some(write(plan, bench, elements, patch)?),
        None => None,
    };
    if let Some(text) = &text {
        report.written(text, advisor.universe());
        screen.print(&told::text(text, &repaired.elements, advisor.universe()));
    } else {
        screen.print("note: no patch: no such set can be written into the text safely\n");
    }
    let models = titles(&plan.models);
    if let Some(Text { elements, patch, is_applied: true, proof: Proof::Right(executions) }) = text {
        let (make, files) = (told::make(&elements, advisor.universe()), patch.names());
        let proof = proof(plan, &executions);
        return Ok((Status::Clean, format!("applied: {make} it right under {models}{but}, in {files}: {proof}")));
    }
    let cost = told::whole_cost(&repaired.elements);
    let make = told::make(&repaired.elements, advisor.universe());
    let proof = proof(plan, &repaired.executions);
    Ok((Status::Found, format!("repaired: {make} it right under {models}{but}, cost {cost}: {proof}")))
}

/// Makes the program of the new text, and searches it: of the files themselves where they are to be edited, and else of
/// copies.
fn write(plan: &FencesPlan, bench: Bench<'_>, elements: Vec<Element>, patch: Patch) -> Result<Text, Failure> {
    if !plan.applies {
        let proof = match &plan.check.target {
            Target::Sources(_) => prove_copies(plan, bench, &patch)?,
            Target::Executable(_) | Target::Litmus(_) => {
                Proof::Unknown("the executable is to be built again for that".to_string())
            }
        };
        return Ok(Text { elements, patch, is_applied: false, proof });
    }
    patched::write(&patch)?;
    let proof = prove(plan, bench);
    let is_applied = matches!(proof, Ok(Proof::Right(_)));
    if !is_applied {
        patched::restore(&patch.files)?;
    }
    Ok(Text { elements, patch, is_applied, proof: proof? })
}

fn prove(plan: &FencesPlan, bench: Bench<'_>) -> Result<Proof, Failure> {
    let subjects = Subjects::build(&plan.check, bench.interrupts)?;
    Advisor::new(plan, Bench { subjects: &subjects, ..bench })?.prove()
}

/// Makes the program of copies of the files, which the compiler takes for the files, and searches it.
fn prove_copies(plan: &FencesPlan, bench: Bench<'_>, patch: &Patch) -> Result<Proof, Failure> {
    let failed =
        |error: std::io::Error| Failure::usage(format!("no temporary folder: {error}"), "free some disk space");
    let folder = Workplace::new(&std::env::temp_dir()).map_err(failed)?;
    let mut roots = Vec::new();
    for (number, file) in patch.files.iter().enumerate() {
        let copy = folder.path().join(format!("copy-{number}"));
        std::fs::write(&copy, &file.new).map_err(failed)?;
        roots.push(serde_json::json!({ "name": file.path, "type": "file", "external-contents": copy }));
    }
    let overlay = folder.path().join("overlay");
    let text = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots });
    std::fs::write(&overlay, text.to_string()).map_err(failed)?;
    let mut plan = plan.clone();
    plan.check.compile_options.extend(["-ivfsoverlay".to_string(), overlay.to_string_lossy().into_owned()]);
    prove(&plan, bench)
}

/// Returns the proof in words: `all 14 TSO executions end as under SC`, that is, in a failure that SC has too, or with an outcome
/// of SC's.
fn proof(plan: &FencesPlan, executions: &[(MemoryModel, u64)]) -> String {
    let count = |&(model, count): &(MemoryModel, u64)| {
        let title = model.title();
        counted(count, &format!("{title} execution"), &format!("{title} executions"))
    };
    let all: Vec<String> = executions.iter().map(count).collect();
    let is_one = matches!(executions, [(_, 1)]);
    match (plan.until, is_one) {
        (Until::Harmless, true) => format!("{} ends as under SC", listed(&all)),
        (Until::Harmless, false) => format!("all {} end as under SC", listed(&all)),
        (Until::Sc, true) => format!("{} is like an interleaving", listed(&all)),
        (Until::Sc, false) => format!("all {} are like interleavings", listed(&all)),
    }
}
