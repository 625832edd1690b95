//! Ctrl-C and SIGTERM: the first asks what runs to end with what it has, the second kills it.
//!
//! A child runs in its own process group, so that a Ctrl-C of the terminal reaches the tool alone and the child gets
//! exactly one signal, however many processes the terminal or a `kill` addressed.

use std::io;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::{Failure, Status};

/// Makes a write to a file that may not grow any more (`ulimit -f`) fail with an error, which is reported, instead of ending the
/// tool.
pub(crate) fn survive_full_files() {
    // SAFETY: takes numbers.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// The signal that asked the tool to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// The signal is SIGINT, of Ctrl-C or whatever else sends it.
    CtrlC,
    /// The signal is SIGTERM.
    Terminate,
}

impl Cause {
    /// Returns the signal's name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cause::CtrlC => "Ctrl-C",
            Cause::Terminate => "SIGTERM",
        }
    }

    /// Returns the failure of a command that was interrupted before it had anything to report.
    pub(crate) fn failure(self) -> Failure {
        Failure { status: Status::Incomplete, message: format!("stopped by {}", self.name()), help: None }
    }
}

/// The presses so far, and the children that are told of them.
#[derive(Clone, Debug)]
pub(crate) struct Interrupts {
    state: Arc<Mutex<Interruptions>>,
}

#[derive(Debug, Default)]
struct Interruptions {
    presses: u32,
    /// The cause of the first press.
    cause: Option<Cause>,
    /// The process groups that run at present.
    groups: Vec<i32>,
    /// Whether somebody else cares for Ctrl-C.
    ignored: bool,
}

impl Interrupts {
    /// Starts to listen for the signals.
    pub(crate) fn listen() -> io::Result<Interrupts> {
        let interrupts = Interrupts { state: Arc::default() };
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let heard = interrupts.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                heard.press(if signal == SIGTERM { Cause::Terminate } else { Cause::CtrlC });
            }
        });
        Ok(interrupts)
    }

    /// Whether the tool was asked to stop.
    pub(crate) fn pressed(&self) -> bool {
        self.lock().presses > 0
    }

    /// Returns the first signal that asked for an end, if there was one.
    pub(crate) fn cause(&self) -> Option<Cause> {
        self.lock().cause
    }

    /// Starts a child that is told of every press until [`Interrupts::forget`].
    pub(crate) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        // The lock is held while the child starts: a press in between reaches the new child.
        let mut state = self.lock();
        let child = std::os::unix::process::CommandExt::process_group(command, 0).spawn()?;
        state.groups.extend(i32::try_from(child.id()));
        Ok(child)
    }

    /// Notes that the child with this number has ended.
    pub(crate) fn forget(&self, child: u32) {
        self.lock().groups.retain(|&group| u32::try_from(group) != Ok(child));
    }

    /// Leaves Ctrl-C to another program that shares the terminal.
    pub(crate) fn ignore(&self) {
        self.lock().ignored = true;
    }

    fn press(&self, cause: Cause) {
        let mut state = self.lock();
        if state.ignored {
            return;
        }
        state.presses += 1;
        state.cause.get_or_insert(cause);
        let signal = if state.presses == 1 { SIGINT } else { libc::SIGKILL };
        for &group in &state.groups {
            // SAFETY: kill takes no pointers; the group is that of a child not waited for yet.
            unsafe { libc::kill(-group, signal) };
        }
        if state.groups.is_empty() && state.presses > 1 {
            std::process::exit(Status::Incomplete as i32);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Interruptions> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
