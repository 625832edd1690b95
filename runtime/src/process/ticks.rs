//! How time goes by: the ticks of the timer, Ctrl-C, and how long the program has performed no visible operation.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Milliseconds from one tick of the timer to the next.
pub(crate) const TICK: i64 = 20;
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static TICKS: AtomicU64 = AtomicU64::new(0);
/// Counts executions and events: a value that stays the same over many ticks means a thread that only computes, or waits
/// for the system.
static PROGRESS: AtomicU64 = AtomicU64::new(0);
static SEEN: AtomicU64 = AtomicU64::new(0);
/// The nanoseconds of processor time that there were at the last tick.
static COMPUTED: AtomicU64 = AtomicU64::new(0);
/// How often the process had waited for the system by the last tick.
static WAITED: AtomicU64 = AtomicU64::new(0);
/// The nanoseconds since the last progress, as [`silent_time`] counts them.
static SILENT: AtomicU64 = AtomicU64::new(0);
/// So many of them are allowed.
static PATIENCE: AtomicU64 = AtomicU64::new(u64::MAX);

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// How many ticks of the timer have passed.
pub(crate) fn ticks() -> u64 {
    TICKS.load(Ordering::Relaxed)
}

/// The program does something.
#[inline]
pub(crate) fn progress() {
    PROGRESS.store(PROGRESS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// The program is allowed so many seconds without a visible operation, in which it computes or waits for the system; not
/// those in which others have the processor.
pub(crate) fn set_patience(seconds: u64) {
    PATIENCE.store(seconds.saturating_mul(1_000_000_000), Ordering::Relaxed);
}

/// The nanoseconds of processor time that the process has used.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that writes the time.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// How often the process has given up the processor because it waited for the system.
pub(crate) fn waits() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: a plain system call that writes the usage.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    // SAFETY: an all-zero rusage is a valid one.
    unsafe { usage.assume_init() }.ru_nvcsw.unsigned_abs()
}

/// The nanoseconds since the last tick in which the program was at work: the processor time that it used; or the whole
/// tick, if it waited for the system, as for a file from which nothing comes. A machine that is busy with others does not
/// make a program silent.
pub(crate) fn silent_time() -> u64 {
    let (computed, waited) = (processor_time(), waits());
    let computed = computed.saturating_sub(COMPUTED.swap(computed, Ordering::Relaxed));
    let has_waited = WAITED.swap(waited, Ordering::Relaxed) != waited;
    if has_waited { computed.max(TICK.unsigned_abs() * 1_000_000) } else { computed }
}

/// The search is to end: a thread that comes to no hook, in an endless loop or a library, is left at the next tick.
pub(crate) fn leave_soon() {
    PATIENCE.store(0, Ordering::Relaxed);
}

/// The timer has ticked: whether the program has performed no visible operation for as long as is allowed.
pub(crate) fn tick() -> bool {
    TICKS.fetch_add(1, Ordering::Relaxed);
    let progress = PROGRESS.load(Ordering::Relaxed);
    let time = silent_time();
    if SEEN.swap(progress, Ordering::Relaxed) != progress {
        SILENT.store(0, Ordering::Relaxed);
        return false;
    }
    SILENT.fetch_add(time, Ordering::Relaxed) + time >= PATIENCE.load(Ordering::Relaxed)
}

/// What the program has done without a visible operation so far is forgotten.
pub(crate) fn forgive() {
    SILENT.store(0, Ordering::Relaxed);
}

/// Ctrl-C was pressed.
pub(crate) fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
    leave_soon();
}
