//! Functions that run once: `pthread_once`.

use std::ffi::c_int;

use crate::state::objects::Call;
use crate::world::objects::{Function, run_once};

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_once(once: *mut libc::pthread_once_t, function: Function) -> c_int {
    run_once(Call::on("pthread_once", once), function);
    0
}
