//! What runs before `main` and when the program exits: constructors and destructors, which the pass moves into sections
//! of ours, and the functions given to `atexit`. All of it is run in each execution.

use std::ffi::{c_int, c_void};

use crate::graph;
use crate::hooks::process::program;
use crate::hooks::pthread::threads::call_site;
use crate::run::{uses, with};
use crate::schedule::objects::Class;

type Function = unsafe extern "C" fn();

/// A constructor or destructor, as LLVM keeps it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Structor {
    priority: u32,
    function: Option<Function>,
    unused: usize,
}

// SAFETY: constants of the program.
unsafe impl Sync for Structor {}

const NONE: Structor = Structor { priority: 0, function: None, unused: 0 };

macro_rules! section {
    ($own:ident, $name:literal, $start:literal, $stop:literal, $function:ident) => {
        /// One of our own, so that the section exists in every program.
        #[used]
        #[unsafe(link_section = $name)]
        static $own: Structor = NONE;

        fn $function() -> Vec<Structor> {
            unsafe extern "C" {
                #[link_name = $start]
                static START: Structor;
                #[link_name = $stop]
                static STOP: Structor;
            }
            let count = (&raw const STOP as usize - &raw const START as usize) / size_of::<Structor>();
            // SAFETY: the linker puts all of the section one after the other.
            let all = unsafe { std::slice::from_raw_parts(&raw const START, count) };
            let mut all: Vec<Structor> = all.iter().filter(|one| one.function.is_some()).copied().collect();
            all.sort_by_key(|one| one.priority);
            all
        }
    };
}
section!(OWN_CONSTRUCTOR, "fh_ctors", "__start_fh_ctors", "__stop_fh_ctors", constructors);
section!(OWN_DESTRUCTOR, "fh_dtors", "__start_fh_dtors", "__stop_fh_dtors", destructors);

/// A function to be called when the program exits.
#[derive(Clone, Copy)]
enum Handler {
    Plain(Function),
    /// Of `on_exit`: it is told the status.
    WithStatus(unsafe extern "C" fn(c_int, *mut c_void), usize),
}

impl Handler {
    fn call(self) {
        match self {
            // SAFETY: the program passed the function to be called.
            Self::Plain(function) => unsafe { function() },
            // SAFETY: as above.
            Self::WithStatus(function, argument) => unsafe { function(program::status(), argument as *mut c_void) },
        }
    }
}

/// What is to be called when the program exits in this execution; the last one first.
pub(crate) struct Exits {
    constructors: Vec<Structor>,
    destructors: Vec<Structor>,
    at_exit: Vec<Handler>,
    at_quick_exit: Vec<Handler>,
}

impl Exits {
    /// What the program's files ask for.
    pub(crate) fn new() -> Self {
        Self {
            constructors: constructors(),
            destructors: destructors(),
            at_exit: Vec::new(),
            at_quick_exit: Vec::new(),
        }
    }

    /// Forgets what the last execution asked for.
    pub(crate) fn reset(&mut self) {
        self.at_exit.clear();
        self.at_exit.extend(self.destructors.iter().filter_map(|one| one.function).map(Handler::Plain));
        self.at_quick_exit.clear();
    }
}

/// Runs the constructors of the program.
pub(crate) fn construct() {
    let constructor = |index: usize| with(|runtime| runtime.exits.constructors.get(index).copied()).flatten();
    for function in (0..).map_while(constructor).filter_map(|one| one.function) {
        Handler::Plain(function).call();
    }
}

/// Calls what is to be called before the program exits.
pub(crate) fn before_exit() {
    while let Some(Some(handler)) = with(|runtime| runtime.exits.at_exit.pop()) {
        handler.call();
    }
}

/// The same before a quick exit.
pub(crate) fn before_quick_exit() {
    while let Some(Some(handler)) = with(|runtime| runtime.exits.at_quick_exit.pop()) {
        handler.call();
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atexit(function: Function) -> c_int {
    graph::refuse("atexit", call_site());
    uses(Class::Exits);
    with(|runtime| {
        runtime.has_effect();
        runtime.exits.at_exit.push(Handler::Plain(function));
    });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_on_exit(function: unsafe extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int {
    graph::refuse("on_exit", call_site());
    uses(Class::Exits);
    with(|runtime| {
        runtime.has_effect();
        runtime.exits.at_exit.push(Handler::WithStatus(function, argument as usize));
    });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_at_quick_exit(function: Function) -> c_int {
    graph::refuse("at_quick_exit", call_site());
    uses(Class::Exits);
    with(|runtime| {
        runtime.has_effect();
        runtime.exits.at_quick_exit.push(Handler::Plain(function));
    });
    0
}
