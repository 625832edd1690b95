//! `fencehound check`: compiles, explores, replays what was found, shows it, and gives the verdict.

use protocol::{MemoryModel, StoppedBy, Summary};

use super::failed::failed;
use crate::baseline::Baseline;
use crate::exit::{Failure, Status};
use crate::findings::Findings;
use crate::interrupt::{Interrupts, survive_full_files};
use crate::json::{Entry, Outcome};
use crate::litmus;
use crate::outputs;
use crate::plan::check::CheckPlan;
use crate::plan::explorer::Explorer;
use crate::plan::judge::Counted;
use crate::plan::target::Target;
use crate::programs::accepted::{Unmatched, accept};
use crate::programs::bench::Bench;
use crate::programs::consequences::Consequence;
use crate::programs::found::{REPLAYED, Troubles, collect, store};
use crate::programs::grounds::explain;
use crate::programs::iterated;
use crate::programs::judged::{Judged, judge_all};
use crate::programs::named::with_judgement;
use crate::programs::portable;
use crate::programs::remedies::{Enough, advise, enough};
use crate::programs::results::{consequences, entries, line, result};
use crate::programs::searched::Searched;
use crate::programs::shown::show;
use crate::programs::subjects::Subjects;
use crate::record::Record;
use crate::report::excerpt::Sources;
use crate::report::verdict::Verdict;
use crate::screen::{Volume, complain, complain_about};
use crate::search::shares::{self, Shard};
use crate::search::{Checkpoint, Exploration, Key, Search};
use crate::text::{counted, printable};
use crate::trust;
use crate::values::Format;

/// The assumption that the verdict rests on where PSO is left out.
const FOR_X86: &str = "the program is written for x86: assembly and compiler barriers are its only fences; PSO is not watched \
                       unless it is asked for (--monitor tso,pso)";

/// Runs the command.
pub(crate) fn run(plan: &CheckPlan) -> Status {
    survive_full_files();
    if let Target::Litmus(files) = &plan.target {
        return litmus::run(plan, files);
    }
    search(plan).unwrap_or_else(|failure| failed(plan, &failure))
}

fn search(plan: &CheckPlan) -> Result<Status, Failure> {
    let findings = Findings::prepare(&plan.out)?;
    outputs::prepare(plan)?;
    Record::prepare(plan.record.as_deref())?;
    let mut baseline = match &plan.baseline {
        Some(file) if plan.writes_baseline => Some(Baseline::to_write(file)?),
        Some(file) => Some(Baseline::read(file)?),
        None => None,
    };
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    // Also where the program does not compile any more: what is there afterwards belongs to this run.
    findings.clear()?;
    let subjects = match Subjects::build(plan, &interrupts) {
        Ok(subjects) => subjects,
        Err(failure) if failure.status == Status::Incomplete => {
            let under = |&(model, explorer): &(MemoryModel, Explorer)| Searched {
                plan: plan.under(model, explorer),
                exploration: Exploration::default(),
                found: Vec::new(),
            };
            let nothing: Vec<Searched> = plan.models.iter().map(under).collect();
            return conclude(
                plan,
                (&nothing, &[], None),
                &[],
                &Troubles::default(),
                (&interrupts, &mut Sources::new([])),
            );
        }
        Err(failure) => return Err(failure),
    };
    let bench = Bench { subjects: &subjects, interrupts: &interrupts };
    let for_x86 = subjects.is_written_for_x86().then(|| plan.for_x86());
    let plan = for_x86.as_ref().unwrap_or(plan);
    let again = trust::arguments(&subjects.directory, &subjects.files, &plan.compile_options);
    let mut sources = Sources::new(subjects.source_folders());
    let mut troubles = Troubles::default();
    let mut all = Vec::new();
    let mut record = Record::create(plan.record.as_deref())?;
    for &(model, explorer) in &plan.models {
        let mut plan = plan.under(model, explorer);
        plan.again.clone_from(&again);
        if let Some(shard) = plan.shard {
            return run_share(&plan, shard, bench);
        }
        let mut exploration = explore(&mut plan, &subjects, &interrupts, &mut record)?;
        if let (true, Some(summary)) = (plan.leaves_out_pso(), &mut exploration.summary) {
            summary.assumptions.push(FOR_X86.to_string());
        }
        if let Some(failure) = &exploration.unsaved {
            troubles.unwritten.get_or_insert_with(|| failure.clone());
        }
        let found = collect(&plan, bench, &exploration, (&findings, &mut troubles))?;
        all.push(Searched { plan, exploration, found });
    }
    let mut judged = judge_all(plan, &mut all, bench, (&findings, &mut troubles))?;
    judged.iter_mut().for_each(|one| one.plan.again.clone_from(&again));
    let files = subjects.sources();
    let accepted = accept(plan, baseline.as_mut(), (&mut all, &mut judged), &files, &mut sources)?;
    let enough = help(plan, (&mut all, &mut judged), bench)?;
    let judged_too = judged.iter().map(|one| (&one.plan, &one.found));
    for (plan, found) in all.iter().map(|searched| (&searched.plan, &searched.found)).chain(judged_too) {
        store(plan, &subjects, &findings, found, &mut sources, &mut troubles);
    }
    show(plan, (&all, &judged), &accepted, &mut sources);
    if let Err(failure) = record.finish() {
        troubles.unwritten.get_or_insert(failure);
    }
    conclude(plan, (&all, &judged, enough.as_ref()), &accepted.unmatched, &troubles, (&interrupts, &mut sources))
}

/// Runs a share of the search, and writes it into a file.
fn run_share(plan: &CheckPlan, shard: Shard, bench: Bench<'_>) -> Result<Status, Failure> {
    let told = (key(plan, bench.subjects)?, plan.command.clone());
    let share = shares::run((&bench.subjects.program, &plan.explore), told, (shard, &plan.spread), bench.interrupts)?;
    let Shard { number, of } = shard;
    let file = format!("fencehound-shard-{number}-of-{of}");
    share.write(file.as_ref())?;
    let executions = counted(share.executions(), "execution", "executions");
    plan.screen()
        .print_verdict(&format!("share {number} of {of}: {executions}, in {file}; `fencehound join` joins all"));
    Ok(Status::Clean)
}

/// Returns the key of the search.
fn key(plan: &CheckPlan, subjects: &Subjects) -> Result<Key, Failure> {
    let hash = subjects.hash_of_executable()?;
    let (options, arguments) = (&plan.compile_options, &plan.arguments);
    Ok(Key::new(plan.target.names(), &subjects.files, hash, options, arguments, &plan.explore))
}

/// Adds to each finding what to do about it, and what there is to know of its executions; returns what is enough on all machines, if
/// that was looked for.
fn help(
    plan: &CheckPlan,
    (all, judged): (&mut [Searched], &mut [Judged]),
    bench: Bench<'_>,
) -> Result<Option<Enough>, Failure> {
    let enough = if portable::are_many(all) { enough(plan, judged, bench)? } else { None };
    advise(plan, (&mut *all, &mut *judged), enough.as_ref(), bench)?;
    explain(all, judged);
    Ok(enough)
}

/// Searches, and says how many executions there are in all if a budget ended the search and that can be estimated.
fn explore(
    plan: &mut CheckPlan,
    subjects: &Subjects,
    interrupts: &Interrupts,
    record: &mut Record,
) -> Result<Exploration, Failure> {
    if interrupts.pressed() {
        return Ok(Exploration::default());
    }
    let within = plan.explore.preemptions;
    let mut exploration = explore_within(plan, subjects, interrupts, record)?;
    let by_classes = plan.explore.explorer == protocol::Explorer::Dpor
        && plan.explore.graphs.is_none()
        && plan.explore.machine.is_none()
        && within.is_none();
    if let Some(summary) = exploration.summary.as_ref().filter(|_| by_classes && exploration.whole.is_none())
        && summary.stopped_by.is_some_and(StoppedBy::is_budget)
    {
        exploration.whole = Search::estimate(&subjects.program, &plan.explore, summary.seconds, interrupts)?;
    }
    Ok(exploration)
}

/// Searches, from the beginning or from where the checkpoint has come to.
fn explore_within(
    plan: &mut CheckPlan,
    subjects: &Subjects,
    interrupts: &Interrupts,
    record: &mut Record,
) -> Result<Exploration, Failure> {
    if let (_, Explorer::Auto(_)) = plan.models[0] {
        return iterated::explore(plan, subjects, interrupts, record);
    }
    let mut search =
        Search::new(&subjects.program, &plan.explore, plan.budget, (&plan.spread, plan.volume), interrupts);
    if let Some(file) = &plan.checkpoint {
        let (checkpoint, saved) = Checkpoint::open(file, key(plan, subjects)?)?;
        search.keep_in(checkpoint, saved)?;
    }
    if let Some(joined) = &plan.joined {
        joined.take_place_of(&mut search, &key(plan, subjects)?)?;
    }
    let exploration = search.run(record)?;
    let is_kept = interrupts.pressed() && exploration.unsaved.is_none();
    if let Some(file) = plan.checkpoint.as_ref().filter(|_| is_kept) {
        let note = format!("note: the search is kept in {}: the same command goes on from there", file.display());
        complain(&note);
    }
    Ok(exploration)
}

/// The verdict line, the results for machines, and the exit status.
fn conclude(
    plan: &CheckPlan,
    (all, judged, enough): (&[Searched], &[Judged], Option<&Enough>),
    unmatched: &[Unmatched],
    troubles: &Troubles,
    (interrupts, sources): (&Interrupts, &mut Sources),
) -> Result<Status, Failure> {
    if let Some(failure) = &troubles.internal {
        return Err(failure.clone());
    }
    let counted = plan.judging.counted;
    let apart: Vec<MemoryModel> = match counted {
        Counted::Consequence => judged.iter().filter(|one| one.is_reported()).map(|one| one.model).collect(),
        Counted::Always | Counted::Unjudged => Vec::new(),
    };
    let summaries: Vec<Summary> = all.iter().map(Searched::summary).collect();
    let verdict = |(searched, summary): (&Searched, &Summary)| {
        let verdict = searched.judge(summary, interrupts, &apart);
        let model = searched.plan.models[0].0;
        let named = judged.iter().find(|one| one.model == model);
        let result = named.map_or_else(|| verdict.clone(), |judged| with_judgement(&verdict, judged));
        // What was reported of a model, beside its own result, is told by the line before all results.
        let is_told = named.is_some_and(Judged::is_reported);
        (if is_told { verdict } else { result.clone() }, result)
    };
    let (verdicts, results): (Vec<Verdict>, Vec<Verdict>) = all.iter().zip(&summaries).map(verdict).unzip();
    let target = plan.target.names().join(" ");
    let consequences = consequences(all, &summaries, judged);
    tell(plan, all, &consequences);
    let each = all.iter().zip(&summaries).zip(&consequences);
    let entries: Vec<Vec<Entry<'_>>> =
        each.map(|((searched, summary), consequences)| entries(searched, summary, consequences, judged)).collect();
    let outcomes = all.iter().zip(&summaries).zip(results.iter().zip(&entries));
    let outcomes = outcomes.enumerate().map(|(index, ((searched, summary), (verdict, entries)))| {
        // What matches nothing is reported once.
        let unmatched = if index == 0 { unmatched } else { &[] };
        result(&target, searched, summary, (verdict, judged, unmatched), entries)
    });
    let outcomes: Vec<Outcome<'_>> = outcomes.collect();
    let judgements = judged.iter().map(|one| one.status(counted));
    let status = verdicts.iter().map(|verdict| verdict.status).chain(judgements).fold(Status::Clean, Status::and);
    let written = outputs::write(plan, &outcomes, status, sources);
    let rows = portable::rows(all, &verdicts, judged);
    if rows.is_empty() {
        plan.screen().print_verdict(&line(plan, all, &verdicts, judged));
    } else {
        if plan.volume != Volume::Quiet {
            plan.screen().print(&portable::table(&rows, all, enough));
        }
        plan.screen().print_verdict(&portable::line(&rows, &verdicts));
    }
    troubles.gone.iter().for_each(complain);
    let unwritten = complain_about(troubles.unwritten.clone().map_or(Ok(()), Err));
    Ok(status.and(unwritten).and(complain_about(written)))
}

/// Prints the consequences of SC violations; for those that were judged, only where something fails.
fn tell(plan: &CheckPlan, all: &[Searched], consequences: &[Vec<Option<Consequence>>]) {
    let found = all.iter().flat_map(|searched| &searched.found).zip(consequences.iter().flatten());
    let found = found.filter_map(|(one, consequence)| Some((one, consequence.as_ref()?)));
    if plan.volume == Volume::Quiet || plan.format == Format::Gcc {
        return;
    }
    let is_told = |consequence: &Consequence| plan.judging.counted != Counted::Consequence || consequence.fails();
    for (one, consequence) in found.filter(|(_, consequence)| is_told(consequence)).take(REPLAYED) {
        plan.screen().print(&format!("{}: {}\n", printable(&one.id), printable(&consequence.in_words())));
    }
}
