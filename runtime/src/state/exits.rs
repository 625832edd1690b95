//! The functions to be called when the program begins and when it exits.

use std::ffi::{c_int, c_void};

use crate::process::arguments;

/// A constructor or destructor of the program.
pub(crate) type Function = unsafe extern "C" fn();

/// An entry of LLVM's tables of constructors and destructors.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Structor {
    priority: u32,
    pub(crate) function: Option<Function>,
    unused: usize,
}

// SAFETY: the records are constants of the program, which nobody changes.
unsafe impl Sync for Structor {}

/// An entry without a function.
pub(crate) const NONE: Structor = Structor { priority: 0, function: None, unused: 0 };

macro_rules! section {
    ($own:ident, $name:literal, $start:literal, $stop:literal, $function:ident) => {
        /// An entry of the runtime's own, so that the section exists in every program.
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
            // SAFETY: the linker puts all entries of the section one after the other, between these two symbols.
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
pub(crate) enum Handler {
    Plain(Function),
    /// A function of `on_exit`, which is passed the status and this argument.
    WithStatus(unsafe extern "C" fn(c_int, *mut c_void), usize),
}

impl Handler {
    /// Calls the function.
    pub(crate) fn call(self) {
        match self {
            // SAFETY: the program passed the function to be called at its exit.
            Self::Plain(function) => unsafe { function() },
            // SAFETY: the program passed the function and its argument to `on_exit`.
            Self::WithStatus(function, argument) => unsafe { function(arguments::status(), argument as *mut c_void) },
        }
    }
}

/// The functions to be called when the program begins and when it exits, in this execution.
pub(crate) struct Exits {
    /// The constructors of the program's files, in the order in which they run.
    pub(crate) constructors: Vec<Structor>,
    /// The destructors of the program's files, in the order in which `at_exit` gets them.
    destructors: Vec<Structor>,
    /// The functions to be called at an exit, the last of which is called first.
    pub(crate) at_exit: Vec<Handler>,
    /// The functions to be called at a quick exit, the last of which is called first.
    pub(crate) at_quick_exit: Vec<Handler>,
}

impl Exits {
    /// Makes the list of functions that the program's files ask for.
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
