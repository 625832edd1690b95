//! The names of threads: `pthread_setname_np` and `pthread_getname_np`, which are events, as each thread can learn the
//! other's name.

use std::ffi::{c_char, c_int};

use engine::event::Thread;

use crate::hooks::library::cursor::{Limit, gather};
use crate::hooks::library::results;
use crate::hooks::pthread::threads;
use crate::process::sites::call_site;
use crate::run::with;
use crate::schedule::threads::thread_of;
use crate::state::objects::Class;
use crate::state::unmodelled::Unmodelled;
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

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setname_np(handle: usize, name: *const c_char) -> c_int {
    let name = gather(name as usize, Limit::String, call_site());
    if name.bytes().len() >= LENGTH {
        name.release();
        return libc::ERANGE;
    }
    let known = named(handle);
    steps_on(Class::Names, |runtime| {
        runtime.has_effect();
        if let Some(thread) = known {
            runtime.threads.at(thread).name = Some(name.bytes().to_vec());
        }
    });
    name.release();
    if known.is_some() { 0 } else { libc::ESRCH }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_getname_np(handle: usize, into: *mut c_char, length: usize) -> c_int {
    let known = named(handle);
    let mut name = None;
    steps_on(Class::Names, |runtime| {
        name = known.map(|thread| runtime.threads.at(thread).name.clone().unwrap_or_else(|| DEFAULT.to_vec()));
    });
    let Some(name) = name else { return libc::ESRCH };
    if length <= name.len() {
        return libc::ERANGE;
    }
    let mut text = [0; LENGTH];
    text[..name.len()].copy_from_slice(&name);
    let end = name.len() + 1;
    drop(name);
    results::write(into as usize, &text[..end], call_site());
    0
}
