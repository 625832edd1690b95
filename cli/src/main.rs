//! The `fencehound` tool: compiles C programs so that every shared access can be watched, explores their thread
//! schedules, and shows what it finds.
//!
//! How to read it, from the top: [`args`] and [`values`] are what may be typed, [`settings`] what is added to it, [`usage`] what is said
//! where it is wrong, and [`plan`] what it means. [`commands`] has a file for each command; `check` works on [`programs`] or [`litmus`] tests,
//! `monitor` on event [`logs`]. [`search`] hands out slices of a search to processes of the program and joins what comes
//! back; [`compile`] (with [`clang`], [`toolchain`] and [`workplace`]) makes a program, [`program`] runs it, [`replayed`]
//! shows one execution again, [`debugger`] opens gdb on it, [`symbols`] names the line of a fault. [`findings`] owns the findings directory, [`record`]
//! writes event logs, [`editing`] changes C text, [`trust`] says what may be done at the word of a finding. [`report`], [`json`], [`sarif`],
//! [`junit`], [`html`] and [`screen`] alone know what a result looks like, [`outputs`], [`destination`] and [`whole`] where it goes, and [`exit`]
//! decides the exit status.

mod annotations;
mod args;
mod baseline;
mod clang;
mod commands;
mod compile;
mod debugger;
mod destination;
mod editing;
mod executable;
mod exit;
mod findings;
mod fingerprint;
mod hash;
mod html;
mod interrupt;
mod json;
mod junit;
mod link;
mod litmus;
mod logs;
mod outputs;
mod plan;
mod program;
mod programs;
mod record;
mod replayed;
mod report;
mod sarif;
mod screen;
mod search;
mod settings;
mod symbols;
mod text;
mod toolchain;
mod trust;
mod usage;
mod values;
mod whole;
mod workplace;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Cli, Command};
use crate::commands::cc::Driver;
use crate::commands::{cc, check, completions, doctor, fences, man, monitor, relax, replay, worker};
use crate::exit::{Failure, Status};
use crate::plan::check::CheckPlan;
use crate::plan::fences::FencesPlan;
use crate::plan::monitor::MonitorPlan;
use crate::plan::relax::RelaxPlan;
use crate::plan::replay::ReplayPlan;
use crate::screen::{Channel, Color, Screen, complain};
use crate::search::shares;
use crate::settings::Settled;

fn main() -> ExitCode {
    let work = || dispatch(named(std::env::args_os().collect()));
    if !program::has_little_stack() {
        return work().into();
    }
    match thread::Builder::new().stack_size(program::STACK).spawn(work) {
        Ok(worker) => worker.join().unwrap_or(Status::Internal).into(),
        Err(error) => fail(&Failure::usage(format!("no stack can be had: {error}"), "allow it: ulimit -s 8192")).into(),
    }
}

/// Returns the arguments with the command that the tool's own name has, if it is `fencehound-cc` or the like: a link to the tool is
/// a compiler for those who want a path.
fn named(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let own = arguments.first().and_then(|path| Path::new(path).file_name()).and_then(OsStr::to_str);
    let command = own.and_then(|name| name.strip_prefix("fencehound-")).unwrap_or_default().to_string();
    if Cli::command().find_subcommand(&command).is_some() {
        arguments.insert(1, command.into());
    }
    arguments
}

/// Reads the command line and runs the command.
fn dispatch(arguments: Vec<OsString>) -> Status {
    let compiler = arguments.get(1).and_then(|command| Driver::of_command(command));
    if let Some(driver) = compiler.filter(|_| !usage::asks_for_help(&arguments[2..])) {
        // clang's arguments are not for clap to judge.
        return fail(&cc::run(driver, &arguments[2..]));
    }
    let command = arguments.get(1).and_then(|command| command.to_str()).unwrap_or_default().to_string();
    let settled = match settings::settle(usage::clang_spelling(arguments)) {
        Ok(settled) => settled,
        Err(failure) => return fail(&failure),
    };
    let status = match parse(&settled) {
        Ok(cli) => run(cli.command, &settled).unwrap_or_else(|failure| fail(&settled.explain(failure))),
        Err(error) if !error.use_stderr() => {
            Screen::new(Channel::Output, Color::Auto).print(&error.render().ansi().to_string());
            Status::Clean
        }
        Err(error) => fail(&usage::usage_error(&error, &command)),
    };
    screen::lost().map_or(status, |lost| status.and(fail(&lost)))
}

/// Reads the command line. What was added to it may be said again in what was typed.
fn parse(settled: &Settled) -> Result<Cli, clap::Error> {
    let command = Cli::command().args_override_self(settled.is_changed());
    command.try_get_matches_from(&settled.arguments).and_then(|matches| Cli::from_arg_matches(&matches))
}

fn run(command: Command, settled: &Settled) -> Result<Status, Failure> {
    match command {
        Command::Check(typed) => {
            let command = settled.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let mut plan = CheckPlan::new(&typed)?;
            plan.command = command;
            Ok(check::run(&plan))
        }
        Command::Join { shares, json, out } => join(&shares, json, out),
        Command::Fences(typed) => Ok(fences::run(&FencesPlan::new(*typed)?)),
        Command::Relax(typed) => Ok(relax::run(&RelaxPlan::new(*typed)?)),
        Command::Replay(typed) => replay::run(&ReplayPlan::new(&typed)?),
        Command::Monitor(typed) => monitor::run(&MonitorPlan::new(&typed)?),
        Command::Cc { arguments } => Err(cc::run(Driver::C, &arguments)),
        Command::CPlusPlus { arguments } => Err(cc::run(Driver::CPlusPlus, &arguments)),
        Command::Doctor { color } => Ok(doctor::run(color)),
        Command::Completions { shell } => Ok(completions::run(shell)),
        Command::Worker { executable } => worker::run(executable.as_deref()),
        Command::Man { folder } => man::run(&folder),
    }
}

/// Joins shares of a search, and goes on as the command does by which they were run.
fn join(files: &[PathBuf], json: Option<PathBuf>, out: Option<PathBuf>) -> Result<Status, Failure> {
    let joined = shares::join(files)?;
    let command = Cli::command().args_override_self(true);
    let parsed = command.try_get_matches_from(&joined.command).and_then(|matches| Cli::from_arg_matches(&matches));
    let Ok(Cli { command: Command::Check(mut typed) }) = parsed else {
        return Err(Failure::internal("the command line of a share cannot be read"));
    };
    typed.shard = None;
    (typed.json, typed.out) = (json, out);
    (typed.sarif, typed.junit, typed.html) = (None, None, None);
    let mut plan = CheckPlan::new(&typed)?;
    plan.joined = Some(joined);
    Ok(check::run(&plan))
}

fn fail(failure: &Failure) -> Status {
    complain(failure);
    failure.status
}
