//! `fencehound check`: compiles, explores, replays what was found, shows it, and says the verdict.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use protocol::{
    Cycles, ExitStatus, FailureKind, Finding, MemoryModel, Replay, ScheduleEnd, StoppedBy, Summary, Trace, VERSION,
    Violation,
};

use crate::compile::{self, Built, DebugInfo, Sources as CompileSources, hash_file};
use crate::consequences::{Consequence, Graphs, Unseen, consequence};
use crate::exit::{Failure, Status};
use crate::findings::{Findings, MARK, group_name, identify};
use crate::interrupt::{Cause, Interrupts, survive_full_files};
use crate::json::{self, Entry, Outcome, Unsupported};
use crate::litmus;
use crate::plan::{CheckPlan, Explorer, JsonTo, Target, reason};
use crate::program::{Program, Replayed};
use crate::record::Record;
use crate::replay::shows;
use crate::report::excerpt::{self, Sources};
use crate::report::verdict::{Facts, Issues, Open, Verdict, counted, judge, nothing_explored, stopped_by_name};
use crate::report::{self, Detail, Subject, Threads, printable};
use crate::screen::{PLAIN_WIDTH, Screen, complain, plain};
use crate::search::{Checkpoint, Exploration, Key, Search};
use crate::toolchain::Toolchain;

/// So many findings are run again and shown; the others are stored only.
const REPLAYED: usize = 50;
/// So many findings of one monitor or kind are shown with their source; the others in a line each.
const SHOWN: usize = 3;

/// A program to check, and what it was made of.
struct Subjects {
    program: Program,
    files: Vec<(String, String)>,
    directory: PathBuf,
    /// What was compiled for it, which keeps the executable in existence; nothing where the user named an executable.
    built: Option<Built>,
}

impl Subjects {
    /// The hash of the program as it is run; an executable that the user named is one of its files.
    fn hash_of_executable(&self) -> Result<String, Failure> {
        if self.built.is_none() {
            return Ok(self.files.iter().map(|(_, hash)| hash.clone()).collect());
        }
        let executable = &self.program.executable;
        hash_file(executable)
            .map_err(|error| Failure::internal(format!("{}: {}", executable.display(), reason(&error))))
    }
}

/// A violation on its way to the user.
struct Found {
    id: String,
    violation: Violation,
    trace: Option<Trace>,
    folder: String,
}

/// What was found under one memory model.
struct Searched {
    /// The plan, as far as it is about this model.
    plan: CheckPlan,
    exploration: Exploration,
    found: Vec<Found>,
}

impl Searched {
    fn summary(&self) -> Summary {
        self.exploration.summary.clone().unwrap_or_else(nothing_explored)
    }

    fn judge(&self, summary: &Summary, interrupts: &Interrupts) -> Verdict {
        let explore = &self.plan.explore;
        judge(&Facts {
            preemptions: self.plan.preemptions(),
            unroll: self.plan.unroll(),
            monitors: &explore.monitors,
            time: self.plan.time.as_deref(),
            budget: self.plan.budget.executions,
            interrupted_by: interrupts.cause().map_or("a signal", Cause::name),
            max_events: explore.limits.max_events,
            memory: explore.limits.memory,
            local_seconds: explore.limits.local_seconds,
            issues: Issues::All,
            open: if explore.graphs.is_some() { Open::Rounds } else { Open::NotRobust },
            given_up: match explore.graphs {
                None => "at an assumption",
                Some(_) => "where a thread waits for what comes later, or at an assumption",
            },
            summary,
            violations: &self.exploration.violations,
            unsupported: &self.exploration.unsupported,
        })
    }
}

/// What went wrong after the search: the verdict stands, the exit status does not.
#[derive(Default)]
struct Troubles {
    /// A finding that did not replay.
    internal: Option<Failure>,
    /// A finding, a log or a checkpoint that could not be written.
    unwritten: Option<Failure>,
}

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
    prepare_json(&plan.json)?;
    Record::prepare(plan.record.as_deref())?;
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    // Also where the program does not compile any more: what is there afterwards is of this run.
    findings.clear()?;
    let subjects = match build(plan, &interrupts) {
        Ok(subjects) => subjects,
        Err(failure) if failure.status == Status::Incomplete => {
            let under = |&(model, explorer): &(MemoryModel, Explorer)| Searched {
                plan: plan.under(model, explorer),
                exploration: Exploration::default(),
                found: Vec::new(),
            };
            let nothing: Vec<Searched> = plan.models.iter().map(under).collect();
            return conclude(plan, &nothing, &Troubles::default(), &interrupts);
        }
        Err(failure) => return Err(failure),
    };
    let mut sources = Sources::new(source_folders(&subjects));
    let mut troubles = Troubles::default();
    let mut all = Vec::new();
    let mut record = Record::create(plan.record.as_deref())?;
    for &(model, explorer) in &plan.models {
        let plan = plan.under(model, explorer);
        let exploration = if interrupts.pressed() {
            Exploration::default()
        } else {
            explore(&plan, &subjects, &interrupts, &mut record)?
        };
        if let Some(failure) = &exploration.unsaved {
            troubles.unwritten.get_or_insert_with(|| failure.clone());
        }
        let found = collect(&plan, &subjects, &exploration, &findings, &interrupts, &mut troubles)?;
        store(&plan, &subjects, &findings, &found, &mut sources, &mut troubles);
        show(&plan, &found, &exploration, &mut sources);
        all.push(Searched { plan, exploration, found });
    }
    if let Err(failure) = record.finish() {
        troubles.unwritten.get_or_insert(failure);
    }
    conclude(plan, &all, &troubles, &interrupts)
}

/// Searches, anew or from where the checkpoint says.
fn explore(
    plan: &CheckPlan,
    subjects: &Subjects,
    interrupts: &Interrupts,
    record: &mut Record,
) -> Result<Exploration, Failure> {
    let mut search = Search::new(&subjects.program, &plan.explore, plan.budget, plan.spread, interrupts);
    if let Some(file) = &plan.checkpoint {
        let hash = subjects.hash_of_executable()?;
        let (options, arguments) = (&plan.compile_options, &plan.arguments);
        let key = Key::new(plan.target.names(), &subjects.files, hash, options, arguments, &plan.explore);
        let (checkpoint, saved) = Checkpoint::open(file, key)?;
        search.keep_in(checkpoint, saved)?;
    }
    let exploration = search.run(record)?;
    let is_kept = interrupts.pressed() && exploration.unsaved.is_none();
    if let Some(file) = plan.checkpoint.as_ref().filter(|_| is_kept) {
        let note = format!("note: the search is kept in {}: the same command goes on from there", file.display());
        complain(&note);
    }
    Ok(exploration)
}

/// The run ended before its result.
fn failed(plan: &CheckPlan, failure: &Failure) -> Status {
    if failure.status == Status::Usage {
        complain(failure);
        return failure.status;
    }
    let target = plan.target.names().join(" ");
    let written = write_json(&plan.json, &json::error(&target, &failure.message));
    if let Some(help) = &failure.help {
        complain(&format!("help: {help}"));
    }
    let kind = if failure.status == Status::Internal { "internal error: " } else { "" };
    plan.screen().print(&format!("{} {kind}{}\n", "error:".red().bold(), printable(&failure.message)));
    failure.status.and(complain_about(written))
}

fn build(plan: &CheckPlan, interrupts: &Interrupts) -> Result<Subjects, Failure> {
    let directory = env::current_dir().map_err(|error| {
        Failure::usage(format!("no current folder: {}", reason(&error)), "change to another folder")
    })?;
    let arguments = plan.arguments.clone();
    match &plan.target {
        Target::Sources(files) => {
            let options = plan.compile_options.clone();
            let sources = CompileSources { directory: directory.clone(), files: files.clone(), options };
            let parts = Toolchain::locate().require()?;
            let built = compile::compile(&sources, &parts, DebugInfo::Lines, plan.color, interrupts)?;
            let program = compiled_program(&built, &directory, files, arguments);
            Ok(Subjects { program, files: built.files.clone(), directory, built: Some(built) })
        }
        Target::Executable(name) => {
            let executable = directory.join(name);
            let hash = hash_file(&executable)
                .map_err(|error| Failure::usage(format!("{name}: {}", reason(&error)), "make it readable"))?;
            let program = Program { executable, name: name.clone(), arguments, directory: directory.clone() };
            Ok(Subjects { program, files: vec![(name.clone(), hash)], directory, built: None })
        }
        Target::Litmus(_) => unreachable!("litmus tests are no programs"),
    }
}

/// A program made of `.c` files: its name is that of the first.
pub(crate) fn compiled_program(built: &Built, directory: &Path, files: &[String], arguments: Vec<String>) -> Program {
    let name = files.first().and_then(|file| Path::new(file).file_stem()).unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    Program { executable: built.executable.clone(), name, arguments, directory: directory.to_path_buf() }
}

fn source_folders(subjects: &Subjects) -> Vec<PathBuf> {
    let beside = subjects.program.executable.parent().map(Path::to_path_buf);
    [subjects.directory.clone()].into_iter().chain(beside).collect()
}

/// Names the violations and runs each again.
fn collect(
    plan: &CheckPlan,
    subjects: &Subjects,
    exploration: &Exploration,
    findings: &Findings,
    interrupts: &Interrupts,
    troubles: &mut Troubles,
) -> Result<Vec<Found>, Failure> {
    let erratic = exploration.violations.iter().any(|violation| violation.kind == FailureKind::Nondeterministic);
    let mut all = Vec::new();
    let prefix = plan.explore.graphs.map_or(String::new(), |_| format!("{}-", plan.models[0].0.name()));
    for (id, violation) in identify(&exploration.violations).into_iter().zip(&exploration.violations) {
        let id = format!("{prefix}{id}");
        let mut trace = None;
        if all.len() < REPLAYED && violation.kind != FailureKind::Nondeterministic {
            match run_again(plan, subjects, violation, interrupts)? {
                Ok(again) => trace = again,
                // Of a program that is nondeterministic, nothing else can be expected.
                Err(_) if erratic => {}
                Err(why) => {
                    let failure = Failure::internal(format!("finding {id} did not replay: {why}"));
                    troubles.internal.get_or_insert(failure);
                }
            }
        }
        let folder = findings.path(&id);
        all.push(Found { id, violation: violation.clone(), trace, folder });
    }
    Ok(all)
}

/// The execution of a violation, none after Ctrl-C, or why it could not be had.
fn run_again(
    plan: &CheckPlan,
    subjects: &Subjects,
    violation: &Violation,
    interrupts: &Interrupts,
) -> Result<Result<Option<Trace>, String>, Failure> {
    let job = Replay {
        version: VERSION,
        schedule: violation.schedule.clone(),
        explorer: plan.explore.explorer,
        monitors: plan.explore.monitors.clone(),
        limits: plan.explore.limits.clone(),
        heap: plan.explore.heap,
        end: ScheduleEnd::of(violation),
        output: false,
    };
    Ok(match subjects.program.replay(&job, interrupts)? {
        Replayed::Trace(trace) if shows(&trace, violation) => Ok(Some(*trace)),
        Replayed::Trace(_) => Err("the execution does not show the violation".to_string()),
        Replayed::Diverged(words) => Err(words),
        Replayed::Interrupted => Ok(None),
    })
}

impl Found {
    fn subject<'a>(&'a self, plan: &'a CheckPlan) -> Subject<'a> {
        Subject {
            id: &self.id,
            violation: &self.violation,
            trace: self.trace.as_ref(),
            monitors: &plan.explore.monitors,
            folder: &self.folder,
            repeated: &plan.repeated_options,
            threads: Threads::Created,
        }
    }
}

fn store(
    plan: &CheckPlan,
    subjects: &Subjects,
    findings: &Findings,
    found: &[Found],
    sources: &mut Sources,
    troubles: &mut Troubles,
) {
    for one in found {
        let finding = Finding {
            fencehound: MARK.to_string(),
            version: VERSION,
            id: one.id.clone(),
            program: protocol::Program {
                directory: subjects.directory.to_string_lossy().into_owned(),
                target: plan.target.names(),
                compile_options: plan.compile_options.clone(),
                files: subjects.files.clone(),
            },
            arguments: plan.arguments.clone(),
            explorer: plan.explore.explorer,
            monitors: plan.explore.monitors.clone(),
            limits: plan.explore.limits.clone(),
            heap: plan.explore.heap,
            violation: one.violation.clone(),
        };
        let text = report::finding(&one.subject(plan), Detail::Everything, PLAIN_WIDTH, sources);
        if let Err(failure) = findings.store(&finding, &plain(&text)) {
            troubles.unwritten.get_or_insert(failure);
            // Where one cannot be written, the others cannot either.
            return;
        }
    }
}

/// The findings, as many of them and as much of each as a reader can take.
fn show(plan: &CheckPlan, found: &[Found], exploration: &Exploration, sources: &mut Sources) {
    let screen = plan.screen();
    let width = screen.width();
    let mut before: Vec<&str> = Vec::new();
    for one in found.iter().take(REPLAYED) {
        let group = group_name(&one.violation);
        let subject = one.subject(plan);
        let text = match before.iter().filter(|other| **other == group).count() {
            0 => report::finding(&subject, Detail::Execution, width, sources) + "\n",
            shown if shown < SHOWN => report::finding(&subject, Detail::Excerpts, width, sources) + "\n",
            _ => report::line(&subject),
        };
        before.push(group);
        screen.print(&text);
    }
    if found.len() > REPLAYED {
        screen.print(&format!("… and {} more in {}\n", found.len() - REPLAYED, plan.out.display()));
    }
    for (what, place) in &exploration.unsupported {
        let words = format!("not supported: {}", printable(what));
        screen.print(&(excerpt::excerpt(place, &words, sources) + "\n"));
    }
    let unwatched = exploration.summary.as_ref().map_or(&[][..], |summary| &summary.uninstrumented);
    if !unwatched.is_empty() {
        let names = printable(&unwatched.join(", "));
        screen.print(&format!("note: called, but not watched inside: {names}\n"));
    }
    for assumption in exploration.summary.iter().flat_map(|summary| &summary.assumptions) {
        screen.print(&format!("note: {assumption}\n"));
    }
    for left in exploration.summary.iter().flat_map(|summary| &summary.left_waiting) {
        let message = printable(&left.message);
        screen.print(&format!("note: a thread still waits for ever when the process has ended: {message}\n"));
    }
    if let Some(help) = exploration.summary.as_ref().and_then(|summary| summary.stopped_by).and_then(help) {
        screen.print(&format!("help: {help}\n"));
    }
    let statuses = exploration.summary.iter().flat_map(|summary| &summary.exit_statuses);
    for (status, executions) in statuses.filter(|_| plan.explore.limits.exit_status == ExitStatus::Ignored) {
        let count = counted(*executions, "execution", "executions");
        screen.print(&format!("note: the program ends with exit status {status} in {count}, which is no violation\n"));
    }
}

/// What to do where a search was stopped by this.
const fn help(by: StoppedBy) -> Option<&'static str> {
    match by {
        StoppedBy::LocalTimeout => Some(
            "if that takes long and ends, raise --local-timeout; if it waits for another thread there, let it read what \
             changes by an access that is watched (README.md, \"How it works\")",
        ),
        StoppedBy::Rounds => Some(
            "threads get in each other's way there, and may do so for ever: executions with more and more such rounds have \
             no end; --preemptions 2 looks at those with few",
        ),
        StoppedBy::Memory => {
            Some("if the program ends in each execution, raise --max-memory; --preemptions 2 looks at fewer of them")
        }
        StoppedBy::Time | StoppedBy::Executions | StoppedBy::Events | StoppedBy::Interrupt => None,
    }
}

/// The verdict line, the JSON, and the exit status.
fn conclude(
    plan: &CheckPlan,
    all: &[Searched],
    troubles: &Troubles,
    interrupts: &Interrupts,
) -> Result<Status, Failure> {
    if let Some(failure) = &troubles.internal {
        return Err(failure.clone());
    }
    let summaries: Vec<Summary> = all.iter().map(Searched::summary).collect();
    let verdicts: Vec<Verdict> =
        all.iter().zip(&summaries).map(|(searched, summary)| searched.judge(summary, interrupts)).collect();
    let target = plan.target.names().join(" ");
    let consequences = consequences(all, &summaries);
    tell(plan, all, &consequences);
    let each = all.iter().zip(&summaries).zip(&consequences);
    let entries: Vec<Vec<Entry<'_>>> =
        each.map(|((searched, summary), consequences)| entries(searched, summary, consequences)).collect();
    let outcomes = all.iter().zip(&summaries).zip(verdicts.iter().zip(&entries));
    let outcomes =
        outcomes.map(|((searched, summary), (verdict, entries))| result(&target, searched, summary, verdict, entries));
    let written = write_json(&plan.json, &json::results(outcomes));
    let status = verdicts.iter().map(|verdict| verdict.status).fold(Status::Clean, Status::and);
    print_verdict(plan.screen(), &line(all, &verdicts, status));
    let unwritten = complain_about(troubles.unwritten.clone().map_or(Ok(()), Err));
    Ok(status.and(unwritten).and(complain_about(written)))
}

/// The verdict line: that of the only model, or the worst word, and what was found under each.
fn line(all: &[Searched], verdicts: &[Verdict], status: Status) -> String {
    let under = |searched: &Searched, line: &str| match searched.plan.explore.graphs {
        None => line.to_string(),
        Some(_) => format!("{line} ({})", searched.plan.models[0].0.title()),
    };
    if let ([searched], [verdict]) = (all, verdicts) {
        return under(searched, &verdict.line);
    }
    let worst = verdicts.iter().find(|verdict| verdict.status == status).map_or("", |verdict| verdict.word);
    let each = all.iter().zip(verdicts).map(|(searched, verdict)| {
        let title = searched.plan.models[0].0.title();
        let words = verdict.line.split_once(": ").map_or("", |(_, words)| words);
        let word = if verdict.word == worst { String::new() } else { format!("{}, ", verdict.word) };
        format!("{title}: {word}{words}")
    });
    format!("{worst}: {}", each.collect::<Vec<_>>().join("; "))
}

/// Says what could not be done; its exit status.
pub(crate) fn complain_about(result: Result<(), Failure>) -> Status {
    match result {
        Ok(()) => Status::Clean,
        Err(failure) => {
            complain(&failure);
            failure.status
        }
    }
}

/// The verdict, its first word in the colour of its meaning.
pub(crate) fn print_verdict(screen: Screen, line: &str) {
    let (word, rest) = line.split_once(": ").unwrap_or((line, ""));
    let word = match word {
        "clean" | "not reproduced" => format!("{}", format!("{word}:").green().bold()),
        "violations" | "reproduced" => format!("{}", format!("{word}:").red().bold()),
        _ => format!("{}", format!("{word}:").yellow().bold()),
    };
    screen.print(&format!("{word} {}\n", printable(rest)));
}

/// What comes of each SC violation, where the execution graphs of its model were searched.
fn consequences(all: &[Searched], summaries: &[Summary]) -> Vec<Vec<Option<Consequence>>> {
    let found: Vec<Vec<(&Violation, &str)>> = all
        .iter()
        .map(|searched| searched.found.iter().map(|one| (&one.violation, one.folder.as_str())).collect())
        .collect();
    let searches = || all.iter().zip(summaries).zip(&found);
    let is_consistent = |searched: &&Searched| searched.plan.models[0].0 == MemoryModel::Sc;
    let consistent: Vec<&Violation> =
        all.iter().filter(is_consistent).flat_map(|searched| &searched.found).map(|one| &one.violation).collect();
    let graphs: Vec<Graphs<'_>> = searches()
        .filter(|((searched, _), _)| {
            searched.plan.explore.graphs.is_some_and(|graphs| graphs.cycles == Cycles::Counted)
        })
        .map(|((searched, summary), found)| {
            let unseen = Unseen::of(searched.plan.unroll(), found, &consistent);
            Graphs { model: searched.plan.models[0].0, summary, found, consistent: &consistent, unseen }
        })
        .collect();
    let of = |one: &Found| graphs.iter().find_map(|graphs| consequence(&one.violation, graphs));
    all.iter().map(|searched| searched.found.iter().map(of).collect()).collect()
}

/// Says what comes of SC violations.
fn tell(plan: &CheckPlan, all: &[Searched], consequences: &[Vec<Option<Consequence>>]) {
    let found = all.iter().flat_map(|searched| &searched.found).zip(consequences.iter().flatten());
    for (one, consequence) in found.filter_map(|(one, consequence)| Some((one, consequence.as_ref()?))).take(REPLAYED) {
        plan.screen().print(&format!("{}: {}\n", printable(&one.id), printable(&consequence.in_words())));
    }
}

fn entries<'a>(searched: &'a Searched, summary: &Summary, consequences: &'a [Option<Consequence>]) -> Vec<Entry<'a>> {
    let entry = |(index, one): (usize, &'a Found)| Entry {
        id: &one.id,
        finding: Some(&one.folder),
        violation: &one.violation,
        executions: summary.violation_executions.get(index).copied().unwrap_or(1),
        consequence: consequences.get(index).and_then(Option::as_ref),
    };
    searched.found.iter().enumerate().map(entry).collect()
}

fn result<'a>(
    target: &'a str,
    searched: &'a Searched,
    summary: &'a Summary,
    verdict: &Verdict,
    entries: &'a [Entry<'a>],
) -> Outcome<'a> {
    let unsupported = searched.exploration.unsupported.iter().map(|(what, place)| Unsupported {
        what,
        file: &place.file,
        line: place.line,
        column: place.column,
    });
    let (model, explorer) = searched.plan.models[0];
    Outcome {
        target,
        model: model.name(),
        explorer: explorer.name(),
        litmus: None,
        preemptions: searched.plan.preemptions(),
        unroll: searched.plan.unroll(),
        monitors: &searched.plan.explore.monitors,
        verdict: verdict.word,
        stopped_by: summary.stopped_by.map(stopped_by_name),
        summary,
        violations: entries,
        unsupported: unsupported.collect(),
    }
}

/// Tries early whether the JSON can be written.
pub(crate) fn prepare_json(to: &JsonTo) -> Result<(), Failure> {
    match to {
        JsonTo::Off | JsonTo::Output => Ok(()),
        JsonTo::File(file) => {
            let opened = fs::OpenOptions::new().append(true).create(true).open(file);
            opened.map(drop).map_err(|error| unwritable(file, &error))
        }
    }
}

/// Writes the JSON where it is wanted.
pub(crate) fn write_json(to: &JsonTo, text: &str) -> Result<(), Failure> {
    match to {
        JsonTo::Off => Ok(()),
        JsonTo::Output => {
            let mut output = io::stdout().lock();
            match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
                // A reader that has gone away is no error.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    Err(unwritable(Path::new("standard output"), &error))
                }
                _ => Ok(()),
            }
        }
        JsonTo::File(file) => fs::write(file, text).map_err(|error| unwritable(file, &error)),
    }
}

fn unwritable(file: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: cannot be written: {}", file.display(), reason(error));
    Failure::usage(message, "name another file with --json")
}
