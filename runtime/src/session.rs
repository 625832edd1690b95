//! The socket to the tool, and `main`.

use std::arch::naked_asm;
use std::ffi::{c_char, c_int, c_uint};
use std::io::{BufRead, BufReader};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use protocol::{BUILD, CONTROL, Job, Message};

use crate::hooks::process::program;
use crate::process::uncontrolled;
use crate::process::{faults, fiber, foreign};
use crate::run::{Runtime, with};
use crate::search;
use crate::search::Search;

/// The socket's descriptor, or -1. The program's limit of descriptors is below it (the tool sees to that), so that no
/// `open`, `dup2` or `write` of the program meets it; what closes descriptors that are there already is modelled below.
static SOCKET: AtomicI32 = AtomicI32::new(-1);

/// The result has been told: what comes now is only the end of the process.
static CONCLUDED: AtomicBool = AtomicBool::new(false);

/// See [`protocol::build`]. `main` refers to it, so that no linker takes it for garbage.
#[used]
#[unsafe(link_section = "fh_version")]
static BUILT_BY: [u8; BUILD.len()] = BUILD;

/// Tells the tool something. A tool that is gone needs no answer: the process ends.
pub(crate) fn send(message: &Message) {
    let mut line = serde_json::to_vec(message).expect("messages are plain data");
    line.push(b'\n');
    let socket = SOCKET.load(Ordering::Relaxed);
    let mut left = line.as_slice();
    while socket >= 0 && !left.is_empty() {
        // SAFETY: the bytes are there; a tool that is gone is an error rather than a signal.
        let sent = unsafe { libc::send(socket, left.as_ptr().cast(), left.len(), libc::MSG_NOSIGNAL) };
        match usize::try_from(sent) {
            Ok(sent) => left = &left[sent..],
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => end_process(70),
        }
    }
}

/// Whether a tool listens.
pub(crate) fn is_connected() -> bool {
    SOCKET.load(Ordering::Relaxed) >= 0
}

/// Ends the process without the program's exit handlers.
fn end_process(status: c_int) -> ! {
    CONCLUDED.store(true, Ordering::Relaxed);
    // SAFETY: takes a number.
    unsafe { libc::_exit(status) }
}

/// An error inside the runtime: tells the tool, or whoever reads stderr, and ends the process.
pub(crate) fn internal_error(what: &str) -> ! {
    if is_connected() {
        send(&Message::Internal(what.to_owned()));
    } else {
        eprintln!("fencehound: internal error: {what}");
    }
    end_process(70)
}

/// What the tool that started this process has to say.
struct Orders(BufReader<UnixStream>);

impl Orders {
    /// None if nobody started this process to check it.
    fn listen() -> Option<Self> {
        let number: c_int = std::env::var(CONTROL).ok()?.parse().ok()?;
        // SAFETY: nothing else runs yet that could read the environment.
        unsafe { std::env::remove_var(CONTROL) };
        // SAFETY: the tool passes the number of a socket that it left open for us, and that nothing else here closes.
        let socket = unsafe { UnixStream::from_raw_fd(number) };
        // SAFETY: a plain system call on our own descriptor: the program's children shall not inherit it.
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
        SOCKET.store(number, Ordering::Relaxed);
        Some(Self(BufReader::new(socket)))
    }

    /// The next one; none if the tool is done.
    fn next(&mut self) -> Option<Job> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).map_err(|error| error.to_string());
        if read == Ok(0) {
            return None;
        }
        match read.and_then(|_| serde_json::from_str(&line).map_err(|error| error.to_string())) {
            Ok(job) => Some(job),
            Err(error) => internal_error(&format!("the job cannot be read: {error}")),
        }
    }
}

/// An exit handler: the process ends, and not because we are done.
extern "C" fn on_exit() {
    if !CONCLUDED.load(Ordering::Relaxed) {
        search::ended_by_a_library();
        end_process(0);
    }
}

/// What the system starts: the program's own `main` if nobody controls the process, else [`obey`].
///
/// It leaves no frame, and none of Rust's stands above the program's `main`: `pthread_exit` and cancellation unwind the
/// stack by force, which ends the process at the first frame that does not expect it.
///
/// # Safety
/// Called once, by the system, with the arguments of the process.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    naked_asm!(
        "cmp byte ptr [rip + {controlled}], 0",
        "je {program}",
        "jmp {obey}",
        controlled = sym uncontrolled::CONTROLLED,
        program = sym program::main_of_the_program,
        obey = sym obey,
    )
}

/// Does what the tool says, job by job.
extern "C" fn obey(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    std::hint::black_box((&BUILT_BY, &uncontrolled::BEGINNING));
    std::panic::set_hook(Box::new(|info| internal_error(&info.to_string().replace('\n', " "))));
    foreign::claim_this_thread();
    let orders = Orders::listen();
    program::set_arguments(argc, argv, envp);
    let Some(mut orders) = orders else { internal_error("the socket to the tool has no number") };
    // SAFETY: registers a function that lives as long as the process.
    unsafe { libc::atexit(on_exit) };
    let mut search = None;
    while let Some(job) = orders.next() {
        match job {
            Job::Explore(job) => search = Some(Search::prepare(job)),
            Job::Slice(slice) => match &search {
                Some(search) => {
                    search.explore(&slice);
                    faults::end_if_interrupted();
                }
                None => internal_error("a slice of no search"),
            },
            Job::Replay(job) => {
                search::replay(&job);
                break;
            }
        }
    }
    end_process(0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_close(descriptor: c_int) -> c_int {
    with(Runtime::has_effect);
    if descriptor == SOCKET.load(Ordering::Relaxed) {
        return fiber::refuse_call(libc::EBADF);
    }
    // SAFETY: the program's own call, of a descriptor that is not ours.
    unsafe { libc::close(descriptor) }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_closefrom(lowest: c_int) {
    __fh_close_range(lowest.max(0).cast_unsigned(), c_uint::MAX, 0);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    with(Runtime::has_effect);
    let ours = SOCKET.load(Ordering::Relaxed);
    match c_uint::try_from(ours) {
        Ok(ours) if (first..=last).contains(&ours) => {
            let below = if first < ours { close_range(first, ours - 1, flags) } else { 0 };
            let above = if ours < last { close_range(ours + 1, last, flags) } else { 0 };
            below.min(above)
        }
        _ => close_range(first, last, flags),
    }
}

fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    // SAFETY: the program's own call, of descriptors that are not ours.
    let status = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if status == 0 { 0 } else { -1 }
}
