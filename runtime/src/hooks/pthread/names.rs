//! The names of threads: `pthread_setname_np` and `pthread_getname_np`, which are events, as each thread can learn the
//! other's name.

use std::ffi::{CStr, c_char, c_int};

use engine::event::Thread;

use crate::hooks::pthread::threads;
use crate::process::sites::call_site;
use crate::run::with;
use crate::schedule::threads::thread_of;
use crate::state::objects::Class;
use crate::state::unmodelled::Unmodelled;
use crate::state::unwritten;
use crate::world::{self, steps_on};

/// The most bytes of a name, its end included.
const LENGTH: usize = 16;
/// The name of a thread that was given none: the real one would be that of the process, which is not known.
const DEFAULT: &[u8] = b"thread";

/// Returns the thread with this handle. In execution graphs only the running thread has one: how far another thread has
/// come is not known.
fn named(handle: usize) -> Option<Thread> {
    if handle == threads::current() {
        return with(|runtime| runtime.running);
    }
    world::refuse(Unmodelled::ForeignName, call_site());
    with(|runtime| thread_of(runtime, handle)).flatten()
}

/// # Safety
/// As `pthread_setname_np`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_setname_np(handle: usize, name: *const c_char) -> c_int {
    // SAFETY: the program passes a string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if name.len() >= LENGTH {
        return libc::ERANGE;
    }
    let known = named(handle);
    steps_on(Class::Names, |runtime| {
        runtime.has_effect();
        if let Some(thread) = known {
            runtime.threads.at(thread).name = Some(name.to_vec());
        }
    });
    if known.is_some() { 0 } else { libc::ESRCH }
}

/// # Safety
/// As `pthread_getname_np`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_getname_np(handle: usize, into: *mut c_char, length: usize) -> c_int {
    let known = named(handle);
    let mut name = None;
    steps_on(Class::Names, |runtime| {
        name = known.map(|thread| runtime.threads.at(thread).name.clone().unwrap_or_else(|| DEFAULT.to_vec()));
    });
    let Some(name) = name else { return libc::ESRCH };
    if length <= name.len() {
        return libc::ERANGE;
    }
    with(|runtime| runtime.memory.globals.written_unseen());
    let name = [name.as_slice(), &[0]].concat();
    // SAFETY: the program passes a buffer of `length` bytes, and the name and its end have no more.
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr().cast(), into, name.len()) };
    unwritten::written(into as usize, name.len());
    0
}
