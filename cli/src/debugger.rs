//! The showing of a recorded execution in gdb.

mod told;

use std::env;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;
use std::time::Duration;

use protocol::{Finding, Job, Trace};

use crate::exit::{Failure, Status};
use crate::interrupt::Interrupts;
use crate::program::{self, Program};
use crate::replayed::job;
use crate::toolchain::in_path;
use crate::workplace::Workplace;

/// The number of seconds that gdb's user may look at a thread before it counts as an endless loop: a year.
const PATIENCE: u64 = 365 * 24 * 3600;

/// The commands for gdb.
const SCRIPT: &str = include_str!("debugger/fencehound.py");

/// Opens gdb on the program, which finds its schedule waiting when it is run. `trace` is what it does then.
pub(crate) fn open_gdb(
    finding: &Finding,
    trace: &Trace,
    program: &Program,
    interrupts: &Interrupts,
) -> Result<Status, Failure> {
    let gdb =
        in_path("gdb").ok_or_else(|| Failure::usage("gdb was not found", "install it: sudo apt-get install gdb"))?;
    let broken = |error: io::Error| Failure::internal(format!("gdb cannot be run: {error}"));
    let (ours, theirs) = UnixStream::pair().map_err(broken)?;
    let folder = Workplace::new(&env::temp_dir()).map_err(broken)?;
    let script = folder.path().join("fencehound.py");
    fs::write(&script, SCRIPT).map_err(broken)?;
    fs::write(folder.path().join("execution.json"), told::execution(finding, trace).to_string()).map_err(broken)?;
    let mut command = Command::new(gdb);
    command.arg("-q").arg("-x").arg(&script).arg("--args").arg(&program.executable).args(&program.arguments);
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

/// Gives the program its job each time it is run, until gdb is left. The program's answers are not needed here.
fn attend(mut socket: UnixStream, job: &Job) {
    // The pause is so short that nobody types `run` twice in it.
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

/// Returns the number of bytes sent that have not been received.
fn unread(socket: &UnixStream) -> libc::c_int {
    let mut count: libc::c_int = 0;
    // SAFETY: TIOCOUTQ writes an int through the pointer, which is valid for that.
    let status = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut count) };
    if status == 0 { count } else { 0 }
}
