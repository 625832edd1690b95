//! `fencehound replay`: runs one recorded schedule again and shows it, at once, event by event, or in gdb.

use std::io::{self, BufRead, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use protocol::{FailureKind, Finding, Job, Replay, Role, ScheduleEnd, Trace, VERSION, Violation};

use crate::check::{compiled_program, print_verdict};
use crate::compile::{self, Built, DebugInfo, Sources as CompileSources, hash_file, plain_name};
use crate::exit::{Failure, Status};
use crate::findings;
use crate::interrupt::{Cause, Interrupts};
use crate::litmus;
use crate::plan::{ReplayMode, ReplayPlan};
use crate::program::{self, Program, Replayed, file_kind, require_ours};
use crate::report::columns::{Row, Table};
use crate::report::excerpt::Sources;
use crate::report::{self, Detail, Subject, Threads};
use crate::screen::{Channel, Screen, plain};
use crate::toolchain::{Toolchain, in_path};
use crate::trust::{self, is_plain_file_name};

/// Seconds that gdb's user may look at a thread before it counts as an endless loop: a year.
const PATIENCE: u64 = 365 * 24 * 3600;

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
    if plan.mode == ReplayMode::Gdb {
        return open_gdb(&finding, &program, &interrupts);
    }
    match program.replay(&job(&finding), &interrupts)? {
        Replayed::Trace(trace) => Ok(present(&finding, &trace, plan, screen)),
        Replayed::Diverged(words) => {
            print_verdict(screen, &not_followed(&words));
            Ok(Status::Clean)
        }
        Replayed::Interrupted => {
            let cause = interrupts.cause().map_or("a signal", Cause::name);
            print_verdict(screen, &format!("incomplete: stopped by {cause}"));
            Ok(Status::Incomplete)
        }
    }
}

/// That what was recorded cannot be done.
pub(crate) fn not_followed(words: &str) -> String {
    format!("not reproduced: the program did not follow the schedule: {words}")
}

/// Whether an execution shows a violation: the same in all but the schedule, which a trace does not repeat.
pub(crate) fn shows(trace: &Trace, violation: &Violation) -> bool {
    trace.violations.iter().any(|shown| {
        shown.kind == violation.kind
            && shown.monitor == violation.monitor
            && shown.message == violation.message
            && shown.sites == violation.sites
    })
}

fn job(finding: &Finding) -> Replay {
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

fn changed(words: &str, finding: &Finding) -> Failure {
    let message = format!("the program has changed since the finding was made: {words}");
    Failure::usage(message, format!("check it again: fencehound check {}", finding.program.target.join(" ")))
}

/// Refuses what a finding of somebody else's could do: it is data, and names files and options.
fn require_trusted(finding: &Finding, plan: &ReplayPlan) -> Result<(), Failure> {
    let made_of = &finding.program;
    let directory = Path::new(&made_of.directory);
    // What is gone is said to be gone.
    let places = made_of.target.iter().chain(made_of.files.iter().map(|(file, _)| file));
    let places = places.filter(|name| !is_of_the_system(name)).map(|name| directory.join(name));
    for place in [directory.to_path_buf()].into_iter().chain(places).filter(|place| place.exists()) {
        plan.roots.require(&place)?;
    }
    trust::require_harmless(&made_of.compile_options, directory, &plan.roots, &plan.trusted_options)
}

/// Whether it is a header of the system, at the word of its hash.
fn is_of_the_system(name: &str) -> bool {
    name.starts_with("/opt/") && name.ends_with(".h") && !name.contains("/../")
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

/// The program of a finding, compiled again if it was `.c` files.
fn rebuild(finding: &Finding, plan: &ReplayPlan, interrupts: &Interrupts) -> Result<(Program, Option<Built>), Failure> {
    let made_of = &finding.program;
    let directory = PathBuf::from(&made_of.directory);
    let arguments = finding.arguments.clone();
    if let [name] = made_of.target.as_slice()
        && Path::new(name).extension().is_none_or(|extension| extension != "c")
    {
        let executable = directory.join(name);
        let kind = file_kind(&executable).map_err(|_| changed(&format!("{name} is gone"), finding))?;
        require_ours(name, kind)?;
        return Ok((Program { executable, name: name.clone(), arguments, directory }, None));
    }
    let debug = if plan.mode == ReplayMode::Gdb { DebugInfo::Full } else { DebugInfo::Lines };
    let sources = CompileSources {
        directory: directory.clone(),
        files: made_of.target.clone(),
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
    let program = compiled_program(&built, &directory, &made_of.target, arguments);
    Ok((program, Some(built)))
}

/// Shows an execution, and says whether it is the one of the finding.
pub(crate) fn present(finding: &Finding, trace: &Trace, plan: &ReplayPlan, screen: Screen) -> Status {
    let violation = &finding.violation;
    let reproduced = shows(trace, violation);
    let threads = Threads::of(&finding.program);
    let subject = Subject {
        id: &finding.id,
        violation,
        trace: Some(trace),
        monitors: &finding.monitors,
        folder: "",
        repeated: &[],
        threads,
    };
    if plan.mode == ReplayMode::Step {
        step(&subject, trace, screen);
    }
    if reproduced || violation.kind == FailureKind::Nondeterministic {
        let mut sources = Sources::within([PathBuf::from(&finding.program.directory)], plan.roots.clone());
        let detail = if plan.mode == ReplayMode::Step { Detail::Excerpts } else { Detail::Everything };
        screen.print(&(report::finding(&subject, detail, screen.width(), &mut sources) + "\n"));
    }
    if reproduced {
        print_verdict(screen, &format!("reproduced: {}", plain(&report::line(&subject)).trim_end()));
        Status::Found
    } else {
        let events = report::verdict::counted(trace.events.len() as u64, "event", "events");
        print_verdict(
            screen,
            &format!("not reproduced: the schedule ran to its end ({events}) without this violation"),
        );
        Status::Clean
    }
}

/// One event for each line on the standard input; all that are left when it ends.
fn step(subject: &Subject<'_>, trace: &Trace, screen: Screen) {
    let (marks, lane) = (report::marks(subject.violation, trace), report::lane(subject));
    let table = Table { events: &trace.events, marks, lane, threads: subject.threads };
    let rows: Vec<Row> = (0..trace.events.len()).map(Row::Event).collect();
    let mut input = io::stdin().lock().lines();
    for (number, line) in table.lines(&rows, screen.width()).into_iter().enumerate() {
        screen.print(&format!("{line}\n"));
        if number > 0 {
            drop(input.next());
        }
    }
    screen.print("\n");
}

/// Opens gdb on the program, which finds its schedule waiting when it is run.
fn open_gdb(finding: &Finding, program: &Program, interrupts: &Interrupts) -> Result<Status, Failure> {
    let gdb =
        in_path("gdb").ok_or_else(|| Failure::usage("gdb was not found", "install it: sudo apt-get install gdb"))?;
    let broken = |error: io::Error| Failure::internal(format!("gdb cannot be run: {error}"));
    let (ours, theirs) = UnixStream::pair().map_err(broken)?;
    let mut command = Command::new(gdb);
    command.args(gdb_arguments(finding)).arg("--args").arg(&program.executable).args(&program.arguments);
    command.current_dir(&program.directory);
    program::prepare(&mut command, theirs.as_raw_fd());
    // gdb shares the terminal, and Ctrl-C is for gdb.
    interrupts.ignore();
    let mut child = command.spawn().map_err(broken)?;
    drop(theirs);
    let mut job = job(finding);
    job.limits.local_seconds = PATIENCE;
    let attendant = thread::spawn(move || attend(ours, &Job::Replay(job)));
    child.wait().map_err(broken)?;
    drop(attendant.join());
    Ok(Status::Clean)
}

fn gdb_arguments(finding: &Finding) -> Vec<String> {
    let mut commands = vec!["set breakpoint pending on".to_string()];
    // The runtime's own timers.
    commands.extend(["SIGALRM", "SIGVTALRM", "SIGPROF"].map(|signal| format!("handle {signal} nostop noprint pass")));
    let sites = finding.violation.sites.iter().filter(|site| site.role != Role::Previous && site.place.line > 0);
    let sites = sites.filter(|site| is_plain_file_name(&site.place.file));
    let mut places: Vec<String> = sites.map(|site| format!("{}:{}", site.place.file, site.place.line)).collect();
    places.dedup();
    commands.extend(places.iter().map(|place| format!("break {place}")));
    commands.push("echo fencehound: `run` starts the recorded execution\\n".to_string());
    ["-q".to_string()]
        .into_iter()
        .chain(commands.into_iter().flat_map(|command| ["-ex".to_string(), command]))
        .collect()
}

/// Gives the program its job each time it is run, until gdb is left. What it answers is of no interest here.
fn attend(mut socket: UnixStream, job: &Job) {
    // Short enough that nobody types `run` twice in between.
    let pause = Duration::from_millis(50);
    let mut ignored = [0; 1 << 16];
    if socket.set_read_timeout(Some(pause)).is_err() {
        return;
    }
    loop {
        // One job waits at any time: when the last one has been taken, the next run needs another.
        if unread(&socket) == 0 && program::send(&mut socket, job).is_err() {
            return;
        }
        match socket.read(&mut ignored) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return,
        }
    }
}

/// How much of what was sent has not been received.
fn unread(socket: &UnixStream) -> libc::c_int {
    let mut count: libc::c_int = 0;
    // SAFETY: TIOCOUTQ writes an int through the pointer, which is valid for that.
    let status = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut count) };
    if status == 0 { count } else { 0 }
}
