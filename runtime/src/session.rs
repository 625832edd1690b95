//! The session with the tool: its orders, read from the socket, and `main`.

use std::arch::naked_asm;
use std::ffi::{c_char, c_int};
use std::io::{BufRead, BufReader};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

use protocol::{BUILD, CONTROL, Job};

use crate::hooks::process::program;
use crate::process::channel::{CONCLUDED, SOCKET, end_process, internal_error};
use crate::process::{arguments, faults, foreign, sources, uncontrolled};
use crate::search::{self, Search};

/// The build that made the program, see [`protocol::build`]. `main` refers to it, so that no linker drops it.
#[used]
#[unsafe(link_section = "fh_version")]
static BUILT_BY: [u8; BUILD.len()] = BUILD;

/// The orders of the tool that started this process.
struct Orders(BufReader<UnixStream>);

impl Orders {
    /// Connects to the tool; returns `None` if no tool started this process.
    fn listen() -> Option<Self> {
        let number: c_int = std::env::var(CONTROL).ok()?.parse().ok()?;
        // SAFETY: nothing else runs yet that could read the environment.
        unsafe { std::env::remove_var(CONTROL) };
        // SAFETY: the tool passes the number of a socket that it left open for the runtime, and that nothing else here
        // closes.
        let socket = unsafe { UnixStream::from_raw_fd(number) };
        // SAFETY: a plain system call on the runtime's own descriptor, which the program's children shall not inherit.
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
        SOCKET.store(number, Ordering::Relaxed);
        sources::begin();
        Some(Self(BufReader::new(socket)))
    }

    /// Returns the next order; `None` if the tool has no more.
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

/// Reports, as an exit handler, that the process ends before the runtime has ended it.
extern "C" fn on_exit() {
    if !CONCLUDED.load(Ordering::Relaxed) {
        search::ended_by_a_library();
        end_process(0);
    }
}

/// Starts the process, called by the system: runs the program's own `main` if no tool controls the process, else
/// [`obey`].
///
/// It leaves no frame, and no Rust frame stands above the program's `main`: `pthread_exit` and cancellation unwind the
/// stack by force, which ends the process at the first frame that does not expect it.
///
/// (The unit tests of the runtime have a `main` of their own.)
///
/// # Safety
/// It is called once, by the system, with the arguments of the process.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(no_mangle))]
#[cfg_attr(test, unsafe(export_name = "main_of_a_program"))]
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

/// Does what the tool orders, job by job.
extern "C" fn obey(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    std::hint::black_box((&BUILT_BY, &uncontrolled::BEGINNING));
    std::panic::set_hook(Box::new(|info| internal_error(&info.to_string().replace('\n', " "))));
    foreign::claim_this_thread();
    let orders = Orders::listen();
    arguments::set_arguments(argc, argv, envp);
    let Some(mut orders) = orders else { internal_error("the socket to the tool has no number") };
    // SAFETY: the call registers a function that lives as long as the process.
    unsafe { libc::atexit(on_exit) };
    let mut search = None;
    while let Some(job) = orders.next() {
        match job {
            Job::Explore(job) => {
                job.directory.iter().for_each(|folder| sources::see_from(folder));
                search = Some(Search::prepare(job));
            }
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
