//! Time: the ticks of the timer, Ctrl-C, and for how long the program has performed no visible operation.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The milliseconds from one tick of the timer to the next.
pub(crate) const TICK: i64 = 20;
/// Whether Ctrl-C was pressed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The number of ticks of the timer that have passed.
static TICKS: AtomicU64 = AtomicU64::new(0);
/// A count of executions and events: a value that stays the same over many ticks means that a thread only computes, or
/// waits for the system.
static PROGRESS: AtomicU64 = AtomicU64::new(0);
/// The value of [`PROGRESS`] at the last tick.
static SEEN: AtomicU64 = AtomicU64::new(0);
/// The nanoseconds of processor time used by the last tick.
static COMPUTED: AtomicU64 = AtomicU64::new(0);
/// The number of times that the process had waited for the system by the last tick.
static WAITED: AtomicU64 = AtomicU64::new(0);
/// The nanoseconds since the last progress, in the measure of [`silent_time`].
static SILENT: AtomicU64 = AtomicU64::new(0);
/// The nanoseconds in that measure that are allowed.
static PATIENCE: AtomicU64 = AtomicU64::new(u64::MAX);

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Returns how many ticks of the timer have passed.
pub(crate) fn ticks() -> u64 {
    TICKS.load(Ordering::Relaxed)
}

/// Notes that the program does something.
#[inline]
pub(crate) fn progress() {
    PROGRESS.store(PROGRESS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Sets the seconds that the program may go without a visible operation, while it computes or waits for the system; the
/// time in which others have the processor does not count.
pub(crate) fn set_patience(seconds: u64) {
    PATIENCE.store(seconds.saturating_mul(1_000_000_000), Ordering::Relaxed);
}

/// Returns the nanoseconds of processor time that the process has used.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that writes the time.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Returns how often the process has given up the processor because it waited for the system.
pub(crate) fn waits() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: a plain system call that writes the usage.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    // SAFETY: an all-zero rusage is a valid one.
    unsafe { usage.assume_init() }.ru_nvcsw.unsigned_abs()
}

/// Returns the nanoseconds since the last tick in which the program was at work: the processor time that it used; or
/// the whole tick, if it waited for the system, as for a file from which nothing comes. A machine that is busy with
/// others does not make a program silent.
pub(crate) fn silent_time() -> u64 {
    let (computed, waited) = (processor_time(), waits());
    let computed = computed.saturating_sub(COMPUTED.swap(computed, Ordering::Relaxed));
    let has_waited = WAITED.swap(waited, Ordering::Relaxed) != waited;
    if has_waited { computed.max(TICK.unsigned_abs() * 1_000_000) } else { computed }
}

/// Makes the search end: a thread that reaches no hook, in an endless loop or a library, is left at the next tick.
pub(crate) fn leave_soon() {
    PATIENCE.store(0, Ordering::Relaxed);
}

/// Counts a tick of the timer; returns whether the program has performed no visible operation for as long as is
/// allowed.
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

/// Forgets for how long the program has performed no visible operation.
pub(crate) fn forgive() {
    SILENT.store(0, Ordering::Relaxed);
}

/// Notes that Ctrl-C was pressed.
pub(crate) fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
    leave_soon();
}
