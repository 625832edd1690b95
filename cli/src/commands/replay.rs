//! `fencehound replay`: runs one recorded schedule again and shows it, at once, event by event, or in gdb.

use std::path::{Path, PathBuf};

use protocol::{Finding, Replay};

use crate::compile::{self, Built, DebugInfo, Sources};
use crate::debugger::open_gdb;
use crate::executable::{file_kind, require_ours};
use crate::exit::{Failure, Status};
use crate::findings;
use crate::hash::{hash_file, plain_name};
use crate::interrupt::{Cause, Interrupts};
use crate::litmus;
use crate::plan::replay::{ReplayMode, ReplayPlan};
use crate::program::{Program, Replayed};
use crate::replayed::{job, not_followed, present};
use crate::screen::{Channel, Screen};
use crate::toolchain::Toolchain;
use crate::trust;

/// Runs the command.
pub(crate) fn run(plan: &ReplayPlan) -> Result<Status, Failure> {
    let finding = findings::load(&plan.finding)?;
    require_trusted(&finding, plan)?;
    require_unchanged(&finding)?;
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    let screen = Screen::new(Channel::Output, plan.color);
    if finding.program.is_litmus() {
        return litmus::replay(&finding, plan, screen);
    }
    let (program, _built) = rebuild(&finding, plan, &interrupts)?;
    let is_for_gdb = plan.mode == ReplayMode::Gdb;
    // In gdb the program prints when it is run there.
    match program.replay(&Replay { output: !is_for_gdb, ..job(&finding) }, &interrupts)? {
        Replayed::Trace(trace) if is_for_gdb => open_gdb(&finding, &trace, &program, &interrupts),
        Replayed::Trace(trace) => Ok(present(&finding, &trace, plan, screen)),
        Replayed::Diverged(words) => {
            screen.print_verdict(&not_followed(&words));
            Ok(Status::Clean)
        }
        Replayed::Interrupted => {
            let cause = interrupts.cause().map_or("a signal", Cause::name);
            screen.print_verdict(&format!("incomplete: stopped by {cause}"));
            Ok(Status::Incomplete)
        }
    }
}

fn changed(words: &str, finding: &Finding) -> Failure {
    let message = format!("the program has changed since the finding was made: {words}");
    Failure::usage(message, format!("check it again: fencehound check {}", finding.program.target.join(" ")))
}

/// Checks that the user allows all that the finding would do, since somebody else may have made it: it is data, and names files
/// and options.
fn require_trusted(finding: &Finding, plan: &ReplayPlan) -> Result<(), Failure> {
    let made_of = &finding.program;
    let directory = Path::new(&made_of.directory);
    // A file that is gone is reported as gone.
    let places = made_of.target.iter().chain(made_of.files.iter().map(|(file, _)| file));
    let places = places.filter(|name| !trust::is_of_the_system(name)).map(|name| directory.join(name));
    for place in [directory.to_path_buf()].into_iter().chain(places).filter(|place| place.exists()) {
        plan.roots.require(&place)?;
    }
    trust::require_harmless(&made_of.compile_options, directory, &plan.roots, &plan.trusted_options)
}

fn require_unchanged(finding: &Finding) -> Result<(), Failure> {
    let directory = Path::new(&finding.program.directory);
    if !directory.is_dir() {
        return Err(changed(&format!("{} is gone", directory.display()), finding));
    }
    let unknown = |name: &&String| !finding.program.files.iter().any(|(file, _)| plain_name(file) == plain_name(name));
    if let Some(name) = finding.program.target.iter().find(unknown) {
        return Err(changed(&format!("the finding has no hash of {name}"), finding));
    }
    for (file, hash) in &finding.program.files {
        match hash_file(&directory.join(file)) {
            Ok(now) if now == *hash => {}
            Ok(_) => return Err(changed(&format!("{file} is different"), finding)),
            Err(_) => return Err(changed(&format!("{} is gone", directory.join(file).display()), finding)),
        }
    }
    Ok(())
}

/// Returns the program of a finding, compiled again if it was `.c` files.
fn rebuild(finding: &Finding, plan: &ReplayPlan, interrupts: &Interrupts) -> Result<(Program, Option<Built>), Failure> {
    let made_of = &finding.program;
    let directory = PathBuf::from(&made_of.directory);
    let arguments = finding.arguments.clone();
    if let [name] = made_of.target.as_slice()
        && Path::new(name).extension().is_none_or(|extension| extension != "c")
    {
        let executable = directory.join(name);
        let kind = file_kind(&executable).map_err(|_| changed(&format!("{name} is gone"), finding))?;
        require_ours(Path::new(name), kind)?;
        return Ok((Program { executable, name: name.into(), arguments, directory, environment: None }, None));
    }
    let debug = if plan.mode == ReplayMode::Gdb { DebugInfo::Full } else { DebugInfo::Lines };
    let sources = Sources {
        directory: directory.clone(),
        files: made_of.target.iter().map(PathBuf::from).collect(),
        options: made_of.compile_options.clone(),
    };
    let parts = Toolchain::locate().require()?;
    let built =
        compile::compile(&sources, &parts, debug, plan.color, interrupts).map_err(|failure| match failure.status {
            Status::Compile => changed("it does not compile any more", finding),
            _ => failure,
        })?;
    if built.files != made_of.files {
        return Err(changed("it is made of other files", finding));
    }
    let program = built.program(&directory, &sources.files, arguments);
    Ok((program, Some(built)))
}
