//! Foreign threads: OS threads that a library starts by itself, and that may call code of the program. Nothing of the
//! runtime can be used there. The first such thread that comes to a hook stops for good, and the search ends as
//! unsupported as soon as the controlled thread reaches a hook.

use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::process::sites::{Record, RecordPointer, UNKNOWN};
use crate::process::{channel, ticks};

/// The reason why such a thread is refused, in words.
pub(crate) const WHAT: &str = "code of the program on a thread that a library started by itself";

thread_local! {
    /// Whether this OS thread is the one that runs the program.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// The place where the first foreign thread stopped.
static REFUSED: AtomicPtr<Record> = AtomicPtr::new(std::ptr::null_mut());

/// Marks the calling OS thread as the one that runs the program.
pub(crate) fn claim_this_thread() {
    OURS.set(true);
}

/// Whether the calling OS thread is a foreign one.
#[inline]
pub(crate) fn is_this_thread() -> bool {
    !OURS.get()
}

/// Stops a foreign thread that has come to a hook at this place.
#[cold]
pub(crate) fn refuse(site: RecordPointer) -> ! {
    let site = Record::known(site).unwrap_or(&UNKNOWN);
    if !channel::is_connected() {
        let place = site.place();
        eprintln!("fencehound: {}:{}: not supported: {WHAT}", place.file, place.line);
        std::process::abort();
    }
    let new = std::ptr::from_ref(site).cast_mut();
    // If there are several, the first is named.
    let _ = REFUSED.compare_exchange(std::ptr::null_mut(), new, Ordering::Relaxed, Ordering::Relaxed);
    ticks::leave_soon();
    loop {
        // SAFETY: the call waits for a signal, and takes nothing.
        unsafe { libc::pause() };
    }
}

/// Returns the place where a foreign thread was refused, if one was.
pub(crate) fn refused() -> Option<&'static Record> {
    Record::known(REFUSED.load(Ordering::Relaxed))
}
