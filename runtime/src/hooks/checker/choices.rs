//! `fh_assume`, `fh_choose`, `fh_assert`, and the functions of SV-COMP programs.

use std::ffi::{c_char, c_int, c_long, c_short, c_uchar, c_uint, c_ulong, c_ushort};

use protocol::{FailureKind, Operation};

use crate::graph;
use crate::hooks::process::program;
use crate::hooks::pthread::threads::call_site;
use crate::process::uncontrolled::{self, is_alone};
use crate::run::{End, Turn, end_execution, with};
use crate::state::recorder::Note;

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_assume(condition: c_int) {
    if condition == 0 && with(|_| ()).is_some() {
        end_execution(End::Assumed);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_assert(condition: c_int) {
    if condition == 0 && is_alone() {
        uncontrolled::fail(c"fh_assert");
    }
    if condition == 0 {
        program::fail(FailureKind::Assertion, "fh_assert failed".to_owned(), call_site(), Operation::Assert);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_choose(count: c_ulong) -> c_ulong {
    if graph::is_on() {
        return choose_in_graph(count);
    }
    let chosen = with(|runtime| {
        runtime.has_effect();
        runtime.execution.choose_value(count).map_err(|_| runtime.diverges())
    });
    match chosen {
        None => 0,
        Some(Ok(value)) => value,
        Some(Err(turn)) => {
            turn.obey();
            0
        }
    }
}

fn choose_in_graph(count: c_ulong) -> c_ulong {
    let note = Note { site: call_site(), operation: Operation::Choose };
    match u16::try_from(count) {
        Ok(0 | 1) => 0,
        Ok(among) => graph::objects::choose(among, note),
        Err(_) => program::unsupported("a choice among more than 65535", note.site),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh___VERIFIER_assume(condition: c_int) {
    __fh_fh_assume(condition);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_reach_error() -> ! {
    if is_alone() {
        uncontrolled::fail(c"reach_error");
    }
    program::fail(
        FailureKind::Assertion,
        "reach_error was called".to_owned(),
        call_site(),
        Operation::call("reach_error"),
    )
}

#[unsafe(no_mangle)]
extern "C" fn __fh___VERIFIER_error() -> ! {
    if is_alone() {
        uncontrolled::fail(c"__VERIFIER_error");
    }
    program::fail(
        FailureKind::Assertion,
        "__VERIFIER_error was called".to_owned(),
        call_site(),
        Operation::call("reach_error"),
    )
}

/// Weak compare-and-exchanges that fail although they could succeed: bounded, so that each execution ends.
#[derive(Clone, Copy, Default)]
pub(crate) struct WeakFailures {
    /// So many in an execution at most.
    pub(crate) limit: u32,
    /// So many in this one.
    so_far: u32,
}

impl WeakFailures {
    /// A new execution.
    pub(crate) const fn begin(&mut self) {
        self.so_far = 0;
    }
}

/// Whether the weak compare-and-exchange that is being performed, and could succeed, fails.
pub(crate) fn fails_weakly() -> bool {
    let chosen = with(|runtime| {
        if runtime.weak_failures.so_far == runtime.weak_failures.limit || runtime.graph.is_some() {
            return Ok::<bool, Turn>(false);
        }
        let fails = runtime.execution.choose_value(2).map_err(|_| runtime.diverges())? == 1;
        if fails {
            runtime.weak_failures.so_far += 1;
            // The next try is another one: the loop around it does not wait for others.
            runtime.has_effect();
        }
        Ok(fails)
    });
    match chosen {
        None => false,
        Some(Ok(fails)) => fails,
        Some(Err(turn)) => {
            turn.obey();
            false
        }
    }
}

/// Values that a `__VERIFIER_nondet_*` function gives: 0 and 1.
const NONDET: c_ulong = 2;

macro_rules! nondet {
    ($($name:ident: $type:ty),*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> $type {
            __fh_fh_choose(NONDET) as $type
        }
    )*};
}
nondet!(
    __fh___VERIFIER_nondet_int: c_int,
    __fh___VERIFIER_nondet_uint: c_uint,
    __fh___VERIFIER_nondet_bool: c_int,
    __fh___VERIFIER_nondet_char: c_char,
    __fh___VERIFIER_nondet_uchar: c_uchar,
    __fh___VERIFIER_nondet_short: c_short,
    __fh___VERIFIER_nondet_ushort: c_ushort,
    __fh___VERIFIER_nondet_long: c_long,
    __fh___VERIFIER_nondet_ulong: c_ulong
);

#[unsafe(no_mangle)]
extern "C" fn __fh___VERIFIER_nondet_pointer() {
    if with(|_| ()).is_some() {
        program::unsupported("__VERIFIER_nondet_pointer", call_site());
    }
}
