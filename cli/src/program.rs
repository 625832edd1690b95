//! The program under test as a process: it is given a job, its answers are read, and its end is understood.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use protocol::{CONTROL, Job, Message, Replay, Trace};

use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::screen::{Channel, pass_on};
use crate::symbols;
use crate::text::reason;

/// The number of file descriptors that a program may have open. Its socket is the next one: beyond its limit, so that nothing
/// that the program opens, duplicates or writes to meets it; and always the same, so that a program sees the same descriptors
/// (and the same environment) in every run.
const DESCRIPTORS: libc::rlim_t = 1024;

/// An executable with the runtime inside, and how to start it.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The executable.
    pub(crate) executable: PathBuf,
    /// The name by which the program knows itself (`argv[0]`).
    pub(crate) name: OsString,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// The folder that the program runs in.
    pub(crate) directory: PathBuf,
    /// Its environment, if it is not the tool's.
    pub(crate) environment: Option<BTreeMap<String, String>>,
}

/// The destination of the program's own output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// The output is discarded.
    Discarded,
    /// The output goes to the tool's standard output and error.
    Shown,
}

/// A program that has been started.
pub(crate) struct Started {
    /// The program's process.
    pub(crate) child: Child,
    /// The tool's end of the socket.
    pub(crate) socket: UnixStream,
    /// The threads that pass the program's own output on.
    relays: Vec<JoinHandle<()>>,
}

/// The result of a replay.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Replayed {
    /// The schedule ran to its end.
    Trace(Box<Trace>),
    /// The program did not follow the schedule; the field says what differs.
    Diverged(String),
    /// Ctrl-C ended the replay.
    Interrupted,
}

impl Program {
    /// Runs a schedule again.
    pub(crate) fn replay(&self, job: &Replay, interrupts: &Interrupts) -> Result<Replayed, Failure> {
        let output = if job.output { Output::Shown } else { Output::Discarded };
        let mut result = None;
        let mut stray = None;
        let ending = self.converse(&Job::Replay(job.clone()), output, interrupts, |message| match message {
            Message::Replayed(mut trace) => {
                for violation in &mut trace.violations {
                    symbols::locate(&self.executable, &self.directory, violation);
                }
                result = Some(Replayed::Trace(trace));
            }
            Message::Diverged(words) => result = Some(Replayed::Diverged(words)),
            Message::Internal(words) => stray = Some(words),
            Message::Harvest(_) => {}
        })?;
        if let Some(words) = stray {
            return Err(Failure::internal(format!("the runtime failed in a replay: {words}")));
        }
        match result {
            Some(result) => Ok(result),
            None if interrupts.pressed() => Ok(Replayed::Interrupted),
            None => Err(ended_early(ending, " in a replay")),
        }
    }

    /// Starts the program.
    pub(crate) fn start(&self, output: Output, interrupts: &Interrupts) -> Result<Started, Failure> {
        require_room()?;
        let refused = |error: io::Error| {
            let message = format!("{}: cannot be run: {}", self.executable.display(), reason(&error));
            Failure::usage(message, "see that the file may be executed, and that its arguments are not too long")
        };
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments).current_dir(&self.directory);
        command.arg0(&self.name);
        if let Some(environment) = &self.environment {
            command.env_clear().envs(environment);
        }
        let stream = || if output == Output::Discarded { Stdio::null() } else { Stdio::piped() };
        command.stdin(Stdio::null()).stdout(stream()).stderr(stream());
        // The program has the only copy of its end of the socket, so that the conversation ends when the program does.
        let (socket, theirs) = UnixStream::pair().map_err(|error| cannot_run(&error))?;
        prepare(&mut command, theirs.as_raw_fd());
        let mut child = interrupts.spawn(&mut command).map_err(refused)?;
        let relays = [
            child.stdout.take().map(|from| relay(from, Channel::Output)),
            child.stderr.take().map(|from| relay(from, Channel::Error)),
        ];
        Ok(Started { child, socket, relays: relays.into_iter().flatten().collect() })
    }

    /// Starts the program, gives it the job, passes each message on, and waits for the end.
    fn converse(
        &self,
        job: &Job,
        output: Output,
        interrupts: &Interrupts,
        mut hear: impl FnMut(Message),
    ) -> Result<ExitStatus, Failure> {
        let Started { mut child, mut socket, relays } = self.start(output, interrupts)?;
        // A program that has died already is noticed below, by its silence.
        drop(send(&mut socket, job));
        let heard = listen(BufReader::new(socket), &mut hear);
        if heard.is_err() {
            drop(child.kill());
        }
        let ending = child.wait().map_err(|error| cannot_run(&error));
        interrupts.forget(child.id());
        for relay in relays {
            drop(relay.join());
        }
        heard.and(ending)
    }
}

fn cannot_run(error: &io::Error) -> Failure {
    Failure::internal(format!("the program cannot be run: {error}"))
}

/// Passes on what the program writes. It goes through the tool, so that a reader that goes away (`| head`) does not concern the
/// program, which does in a replay what it did in the search.
fn relay(mut from: impl Read + Send + 'static, to: Channel) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut bytes = [0; 1 << 13];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            pass_on(to, &bytes[..length]);
        }
    })
}

/// Gives the program its job.
pub(crate) fn send(socket: &mut UnixStream, job: &Job) -> io::Result<()> {
    let mut line = serde_json::to_string(job)?;
    line.push('\n');
    socket.write_all(line.as_bytes())
}

/// The bytes of address space that a program under test reserves at most (`runtime/src/process/layout.rs`), plus what its code
/// needs.
const ADDRESS_SPACE: libc::rlim_t = 128 << 30;
/// The bytes of stack that a program under test has as long as its own threads do not run.
pub(crate) const STACK: usize = 8 << 20;
/// The fewest bytes of stack with which it can run.
const SMALLEST_STACK: libc::rlim_t = 1 << 20;

/// Refuses to start a program where the limits of the system leave it too little.
pub(crate) fn require_room() -> Result<(), Failure> {
    let space = limits(libc::RLIMIT_AS);
    if space.rlim_max < ADDRESS_SPACE {
        return Err(Failure::usage(
            format!(
                "a program under test reserves about 100 GiB of addresses, and may have {} KiB",
                space.rlim_max >> 10
            ),
            "allow it: ulimit -v unlimited (what is reserved takes no memory)",
        ));
    }
    let stack = limits(libc::RLIMIT_STACK);
    if stack.rlim_max < SMALLEST_STACK {
        return Err(Failure::usage(
            format!("a program under test needs 1024 KiB of stack, and may have {} KiB", stack.rlim_max >> 10),
            "allow it: ulimit -s 8192",
        ));
    }
    Ok(())
}

/// Whether this process may have less stack than the tool itself needs (`ulimit -s`).
pub(crate) fn has_little_stack() -> bool {
    limits(libc::RLIMIT_STACK).rlim_cur < SMALLEST_STACK
}

/// Returns this process's limits of a resource.
fn limits(resource: libc::__rlimit_resource_t) -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: getrlimit writes the limits through the pointer, which is valid for that.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    limit
}

fn set_limit(resource: libc::__rlimit_resource_t, soft: libc::rlim_t, hard: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: setrlimit reads the limits through the pointer; it may be called between fork and exec.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// Lets a command inherit the socket (which must be open until the command has started), fixes its addresses, and
/// ends it when the tool ends.
pub(crate) fn prepare(command: &mut Command, socket: RawFd) {
    let libc::rlimit { rlim_cur: soft, rlim_max: hard } = limits(libc::RLIMIT_NOFILE);
    let (space, stack) = (limits(libc::RLIMIT_AS), limits(libc::RLIMIT_STACK));
    let number = DESCRIPTORS.min(hard.saturating_sub(1));
    let place = RawFd::try_from(number).expect("a small number");
    command.env(CONTROL, number.to_string());
    let in_child = move || {
        // SAFETY: personality takes no pointers and may be called between fork and exec. If it fails, the runtime
        // still works, unless addresses matter.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        // SAFETY: prctl with PR_SET_PDEATHSIG takes a number; it may be called between fork and exec.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        set_limit(libc::RLIMIT_AS, space.rlim_max, space.rlim_max);
        set_limit(libc::RLIMIT_STACK, stack.rlim_cur.max((STACK as libc::rlim_t).min(stack.rlim_max)), stack.rlim_max);
        set_limit(libc::RLIMIT_NOFILE, number + 1, hard);
        // SAFETY: dup2 takes no pointers and may be called between fork and exec; the copy is inherited.
        let copy = unsafe { libc::dup2(socket, place) };
        // SAFETY: fcntl with F_SETFD takes a number; it may be called between fork and exec.
        let kept = unsafe { libc::fcntl(place, libc::F_SETFD, 0) };
        set_limit(libc::RLIMIT_NOFILE, number.min(soft), hard);
        if copy == place && kept == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: the closure makes system calls only: no allocation, no lock.
    unsafe { command.pre_exec(in_child) };
}

fn listen(lines: impl BufRead, hear: &mut impl FnMut(Message)) -> Result<(), Failure> {
    for line in lines.split(b'\n') {
        // A program that is killed with data unread resets the connection; the silence that follows says enough.
        let Ok(line) = line else { break };
        match serde_json::from_slice(&line) {
            Ok(message) => hear(message),
            Err(error) if is_cut_short(&line, &error) => break,
            Err(error) => return Err(no_message(&line, &error)),
        }
    }
    Ok(())
}

/// Whether a line is the beginning of a message whose sender was killed; how the sender ended is reported elsewhere.
pub(crate) fn is_cut_short(line: &[u8], error: &serde_json::Error) -> bool {
    line.starts_with(b"{") && error.is_eof()
}

/// Returns the failure that a line is no message. The program itself has written it, unless it is JSON, which the runtime writes.
pub(crate) fn no_message(line: &[u8], error: &serde_json::Error) -> Failure {
    let start: String = String::from_utf8_lossy(line).chars().take(80).collect();
    if error.is_data() {
        return Failure::internal(format!("the program sent something that is no message ({error}): {start:?}"));
    }
    Failure::unsupported(
        format!("the program wrote into the file descriptor of fencehound's own socket: {start:?}"),
        "see that it writes only to files that it has opened",
    )
}

/// Returns the failure that the program ended without a result. The runtime never ends with another status than 0 or 70.
pub(crate) fn ended_early(ending: ExitStatus, when: &str) -> Failure {
    match ending.code() {
        Some(code) if code != 0 && code != 70 => Failure::unsupported(
            format!("code that is not instrumented ended the program with status {code}{when}"),
            "see that no library that the program calls ends the process",
        ),
        _ if ending.signal() == Some(libc::SIGKILL) => {
            let help = "somebody killed it, or the system did for want of memory; run it again".to_string();
            Failure { help: Some(help), ..Failure::internal(format!("the program {}{when}", in_words(ending))) }
        }
        _ => Failure::internal(format!("the program {}{when}", in_words(ending))),
    }
}

/// Returns the end of a program in words: `was killed by signal 11 (SIGSEGV)`, `ended with status 3`.
pub(crate) fn in_words(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("was killed by signal {signal} ({name})"),
            None => format!("was killed by signal {signal}"),
        },
        None => format!("ended with status {}", status.code().unwrap_or(-1)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::{in_words, is_cut_short};

    #[test]
    fn the_beginning_of_a_message_is_no_garbage() {
        let parse = |line: &str| serde_json::from_str::<protocol::Message>(line).unwrap_err();
        for (line, is_cut) in
            [("{\"har", true), ("{\"harvest\":{\"left\":[", true), ("words", false), ("{words", false)]
        {
            assert_eq!(is_cut_short(line.as_bytes(), &parse(line)), is_cut, "{line}");
        }
    }

    #[test]
    fn endings_in_words() {
        assert_eq!(in_words(ExitStatus::from_raw(11)), "was killed by signal 11 (SIGSEGV)");
        assert_eq!(in_words(ExitStatus::from_raw(3 << 8)), "ended with status 3");
    }
}
