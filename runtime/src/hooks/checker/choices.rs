//! `fh_assume`, `fh_choose`, `fh_assert`, and the functions of SV-COMP programs.

use std::ffi::{c_char, c_int, c_long, c_short, c_uchar, c_uint, c_ulong, c_ushort};

use protocol::{FailureKind, Operation};

use crate::process::sites::call_site;
use crate::process::uncontrolled::{self, is_alone};
use crate::run::{self, end_execution, with};
use crate::state::turn::End;
use crate::world::library::choose;

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
        run::fail(FailureKind::Assertion, "fh_assert failed".to_owned(), call_site(), Operation::Assert);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_choose(count: c_ulong) -> c_ulong {
    choose(count)
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
    run::fail(FailureKind::Assertion, "reach_error was called".to_owned(), call_site(), Operation::call("reach_error"))
}

#[unsafe(no_mangle)]
extern "C" fn __fh___VERIFIER_error() -> ! {
    if is_alone() {
        uncontrolled::fail(c"__VERIFIER_error");
    }
    run::fail(
        FailureKind::Assertion,
        "__VERIFIER_error was called".to_owned(),
        call_site(),
        Operation::call("reach_error"),
    )
}

/// The number of values that a `__VERIFIER_nondet_*` function chooses from: 0 and 1.
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
        run::unsupported("__VERIFIER_nondet_pointer", call_site());
    }
}
