//! The system call `futex`, through `syscall`; nearly all other system calls are refused.

use std::ffi::{c_int, c_long};

use crate::hooks::library::cursor::Passed;
use crate::process::fiber;
use crate::run::{self, with};
use crate::state::objects::Call;
use crate::world::futexes;

const WAIT: c_int = libc::FUTEX_WAIT;
const WAKE: c_int = libc::FUTEX_WAKE;
const WAIT_BITSET: c_int = libc::FUTEX_WAIT_BITSET;
const WAKE_BITSET: c_int = libc::FUTEX_WAKE_BITSET;

/// Makes the call fail with this error number.
fn fail(error: c_int) -> c_long {
    fiber::set_errno(error);
    -1
}

/// Performs `syscall`, whose arguments are passed as those of a function with this many parameters.
#[unsafe(no_mangle)]
extern "C" fn __fh_syscall(
    number: c_long,
    word: *mut u32,
    operation: c_long,
    value: c_long,
    time: *const libc::timespec,
    _second: *mut u32,
    bits: c_long,
) -> c_long {
    let call = Call::on("futex", word);
    if number == libc::SYS_sched_yield {
        crate::hooks::pthread::sleeping::yields();
        return 0;
    }
    match number {
        libc::SYS_futex => {}
        libc::SYS_gettid => return crate::hooks::pthread::threads::__fh_gettid().into(),
        libc::SYS_getrandom => {
            let count = usize::try_from(operation).unwrap_or(0);
            return crate::hooks::library::random::__fh_getrandom(word.addr(), count, value as u32) as c_long;
        }
        // The system may be one without `membarrier`: callers have another way.
        libc::SYS_membarrier => {
            with(|runtime| runtime.remarks.assumptions.insert("the system has no membarrier".into()));
            return fail(libc::ENOSYS);
        }
        _ => run::unsupported(&format!("syscall({number}, …)"), call.site),
    }
    let operation = operation as c_int;
    let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    let bits = bits as u32;
    match command {
        WAIT => wait(futexes::wait(call, word, value as u32, Passed::room().at(time), futexes::ANY)),
        WAKE => futexes::wake(call, word, value as c_int, futexes::ANY),
        WAIT_BITSET | WAKE_BITSET if bits == 0 => fail(libc::EINVAL),
        WAIT_BITSET => wait(futexes::wait(call, word, value as u32, Passed::room().at(time), bits)),
        WAKE_BITSET => futexes::wake(call, word, value as c_int, bits),
        _ => run::unsupported(&format!("futex operation {command}"), call.site),
    }
}

/// Returns what a wait that ended so returns to the program.
fn wait(ended: Result<(), c_int>) -> c_long {
    ended.map_or_else(fail, |()| 0)
}
