//! The functions that run before `main` and when the program exits: constructors and destructors, which the pass moves
//! into sections of its own, and the functions passed to `atexit`. All of them are run in each execution.

use std::ffi::{c_int, c_void};

use crate::process::sites::call_site;
use crate::run::with;
use crate::state::exits::{Function, Handler};
use crate::state::objects::Class;
use crate::state::unmodelled::Unmodelled;
use crate::world::{self, uses};

/// Runs the constructors of the program.
pub(crate) fn construct() {
    let constructor = |index: usize| with(|runtime| runtime.process.exits.constructors.get(index).copied()).flatten();
    for function in (0..).map_while(constructor).filter_map(|one| one.function) {
        Handler::Plain(function).call();
    }
}

/// Calls the functions that are to be called before the program exits.
pub(crate) fn before_exit() {
    while let Some(Some(handler)) = with(|runtime| runtime.process.exits.at_exit.pop()) {
        handler.call();
    }
}

/// Calls the functions that are to be called before the program exits quickly.
pub(crate) fn before_quick_exit() {
    while let Some(Some(handler)) = with(|runtime| runtime.process.exits.at_quick_exit.pop()) {
        handler.call();
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atexit(function: Function) -> c_int {
    world::refuse(Unmodelled::Call("atexit"), call_site());
    uses(Class::Exits);
    with(|runtime| {
        runtime.has_effect();
        runtime.process.exits.at_exit.push(Handler::Plain(function));
    });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_on_exit(function: unsafe extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int {
    world::refuse(Unmodelled::Call("on_exit"), call_site());
    uses(Class::Exits);
    with(|runtime| {
        runtime.has_effect();
        runtime.process.exits.at_exit.push(Handler::WithStatus(function, argument as usize));
    });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_at_quick_exit(function: Function) -> c_int {
    world::refuse(Unmodelled::Call("at_quick_exit"), call_site());
    uses(Class::Exits);
    with(|runtime| {
        runtime.has_effect();
        runtime.process.exits.at_quick_exit.push(Handler::Plain(function));
    });
    0
}
