//! Thread-specific data: `pthread_key_create` and its sisters. Only the thread itself can see a value, so setting or
//! getting one is no event; creating and deleting a key is one. Destructors run as a thread ends.

use std::ffi::{c_int, c_uint, c_void};

use crate::graph::dependencies;
use crate::hooks::library::results;
use crate::process::sites::call_site;
use crate::run::with;
use crate::state::graph::labels;
use crate::state::keys::{Destructor, Value};
use crate::world::library;

/// Performs `pthread_key_create`.
pub(crate) fn create(into: *mut c_uint, destructor: Option<Destructor>) -> c_int {
    let site = call_site();
    match library::create_key(destructor, site) {
        None => libc::EAGAIN,
        Some(key) => {
            results::store(into.cast(), key, site);
            0
        }
    }
}

/// Performs `pthread_key_delete`.
pub(crate) fn delete(key: c_uint) -> c_int {
    library::delete_key(key)
}

/// Performs `pthread_getspecific`.
pub(crate) fn get(key: c_uint) -> *mut c_void {
    let held = with(|runtime| runtime.process.keys.value(runtime.running, key)).unwrap_or_default();
    labels::returns(held.label);
    held.value as *mut c_void
}

/// Performs `pthread_setspecific`.
pub(crate) fn set(key: c_uint, value: *const c_void) -> c_int {
    let value = Value { value: value as usize, label: dependencies::of_operands() };
    let set = with(|runtime| {
        runtime.has_effect();
        let live = runtime.process.keys.is_live(runtime.running, key);
        if live {
            let thread = runtime.running;
            runtime.process.keys.set(thread, key, value);
        }
        live
    });
    if set == Some(true) { 0 } else { libc::EINVAL }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_key_create(into: *mut c_uint, destructor: Option<Destructor>) -> c_int {
    create(into, destructor)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_key_delete(key: c_uint) -> c_int {
    delete(key)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_getspecific(key: c_uint) -> *mut c_void {
    get(key)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setspecific(key: c_uint, value: *const c_void) -> c_int {
    set(key, value)
}
