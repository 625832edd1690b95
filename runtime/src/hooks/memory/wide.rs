//! The hooks of indivisible accesses to any number of bytes: atomics of 16 bytes, and atomic structs, which beyond that
//! need a lock of the compiler's library; and a compare-and-swap of two words. Each is one event, whose bytes commit as
//! a whole.

use std::ffi::{c_int, c_void};

use engine::event::{Barrier, Kind};
use engine::mapping::{self, Barriers, Order};
use protocol::Operation;

use crate::abi::rmw;
use crate::hooks::memory::access::{Strength, order, orders};
use crate::process::sites::{RecordPointer, call_site};
use crate::process::uncontrolled::{self, is_alone};
use crate::run::with;
use crate::schedule::events;
use crate::state::access::WideAccess;
use crate::state::unmodelled::Unmodelled;
use crate::world;
use crate::world::memory::{Approach, fails_weakly, report_wide, turn_to_access};

/// Reads the bytes from an address on.
fn get(from: *const c_void, length: u64) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    // SAFETY: this is the program's own access, or memory of the caller's frame that the pass passes; a pointer that is
    // not valid faults, as it would without the runtime.
    unsafe { std::ptr::copy_nonoverlapping(from.cast(), bytes.as_mut_ptr(), bytes.len()) };
    bytes
}

/// Writes bytes to an address.
fn put(to: *mut c_void, bytes: &[u8]) {
    // SAFETY: as for `get`.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
}

/// Returns the result of an `FH_RMW_…` of the hook ABI, on little-endian numbers of at most 16 bytes, or, for an
/// exchange, of any length.
fn combine(old: &[u8], operand: &[u8], operation: u32) -> (Vec<u8>, Operation) {
    if operation == rmw::EXCHANGE {
        return (operand.to_vec(), Operation::Exchange);
    }
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number: u128, &byte| number << 8 | u128::from(byte));
    let above = 128 - 8 * old.len() as u32;
    let signed = |number: u128| (number << above).cast_signed() >> above;
    let (a, b) = (number(old), number(operand));
    let pick = |first: bool| if first { a } else { b };
    let (value, operation) = match operation {
        rmw::ADD => (a.wrapping_add(b), Operation::FetchAdd),
        rmw::SUB => (a.wrapping_sub(b), Operation::FetchSub),
        rmw::AND => (a & b, Operation::FetchAnd),
        rmw::NAND => (!(a & b), Operation::FetchNand),
        rmw::OR => (a | b, Operation::FetchOr),
        rmw::XOR => (a ^ b, Operation::FetchXor),
        rmw::MAX => (pick(signed(a) >= signed(b)), Operation::FetchMax),
        rmw::MIN => (pick(signed(a) <= signed(b)), Operation::FetchMin),
        rmw::UMAX => (pick(a >= b), Operation::FetchMax),
        rmw::UMIN => (pick(a <= b), Operation::FetchMin),
        _ => panic!("the pass passes the numbers of fencehound_hooks.h, not {operation}"),
    };
    (value.to_le_bytes()[..old.len()].to_vec(), operation)
}

/// Waits for the thread's turn to access these bytes.
fn turn(approach: Approach, address: usize, length: u64, site: RecordPointer) {
    world::refuse(Unmodelled::Indivisible(length), site);
    turn_to_access(approach, address, length as usize, site);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atomic_read(
    address: *const c_void,
    into: *mut c_void,
    length: u64,
    number: u32,
    site: RecordPointer,
) {
    if is_alone() {
        return put(into, &uncontrolled::update_wide(address.cast_mut(), length as usize, |_| None));
    }
    let barriers = mapping::load(order(number, site));
    turn(Approach::Load, address as usize, length, site);
    let value = get(address, length);
    put(into, &value);
    access(address, Kind::Load, barriers, Operation::Load, site, [&value, &value]);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atomic_write(
    address: *mut c_void,
    from: *const c_void,
    length: u64,
    number: u32,
    site: RecordPointer,
) {
    if is_alone() {
        uncontrolled::update_wide(address, length as usize, |_| Some(get(from, length)));
        return;
    }
    let barriers = mapping::store(order(number, site));
    turn(Approach::Store, address as usize, length, site);
    let (before, after) = (get(address, length), get(from, length));
    put(address, &after);
    access(address, Kind::Store, barriers, Operation::Store, site, [&before, &after]);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atomic_rmw(
    address: *mut c_void,
    operand: *const c_void,
    old: *mut c_void,
    length: u64,
    operation: u32,
    number: u32,
    site: RecordPointer,
) {
    if is_alone() {
        let operand = get(operand, length);
        let change = |before: &[u8]| Some(combine(before, &operand, operation).0);
        return put(old, &uncontrolled::update_wide(address, length as usize, change));
    }
    let barriers = mapping::rmw(order(number, site));
    turn(Approach::Update(barriers.before), address as usize, length, site);
    let before = get(address, length);
    let (after, operation) = combine(&before, &get(operand, length), operation);
    put(address, &after);
    put(old, &before);
    access(address, Kind::Rmw, barriers, operation, site, [&before, &after]);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_atomic_cas(
    address: *mut c_void,
    expected: *mut c_void,
    desired: *const c_void,
    length: u64,
    numbers: u32,
    site: RecordPointer,
) -> bool {
    if is_alone() {
        let wanted = get(expected, length);
        let change = |before: &[u8]| (before == wanted).then(|| get(desired, length));
        let before = uncontrolled::update_wide(address, length as usize, change);
        put(expected, &before);
        return before == wanted;
    }
    let (success, failure) = orders(numbers, site);
    let strength = if numbers >> 16 & 1 == 1 { Strength::Weak } else { Strength::Strong };
    turn(Approach::Update(mapping::rmw(mapping::compiled(success, failure)).before), address as usize, length, site);
    let before = get(address, length);
    let succeeds = before == get(expected, length) && !(strength == Strength::Weak && fails_weakly());
    let (kind, barriers, after) = if succeeds {
        (Kind::CompareAndSwap, mapping::successful_rmw(success, failure), get(desired, length))
    } else {
        (Kind::FailedRmw, mapping::failed_rmw(success, failure), before.clone())
    };
    if succeeds {
        put(address, &after);
    } else {
        put(expected, &before);
    }
    access(address, kind, barriers, Operation::CompareExchange, site, [&before, &after]);
    succeeds
}

/// Reports an access that has been performed, with what memory held before and what it holds now.
fn access(
    address: *const c_void,
    kind: Kind,
    barriers: Barriers,
    operation: Operation,
    site: RecordPointer,
    [before, after]: [&[u8]; 2],
) {
    report_wide(&WideAccess { address: address as usize, kind, barriers, operation, site, before, after });
}

/// Performs `fh_double_compare_and_swap`, which no processor of today has; its order is relaxed.
#[unsafe(no_mangle)]
extern "C" fn __fh_fh_double_compare_and_swap(
    first: *mut c_void,
    second: *mut c_void,
    first_old: u64,
    second_old: u64,
    first_new: u64,
    second_new: u64,
) -> c_int {
    if is_alone() {
        let places = [first.cast(), second.cast()];
        return uncontrolled::double_compare_and_swap(places, [first_old, second_old], [first_new, second_new]).into();
    }
    let site = call_site();
    world::refuse(Unmodelled::Call("fh_double_compare_and_swap"), site);
    world::refuse_buffered("fh_double_compare_and_swap", site);
    turn_to_access(Approach::Update(Barrier::None), first as usize, 8, site);
    let places = [first, second];
    let before = places.map(|place| get(place, 8));
    let expected = [first_old, second_old].map(u64::to_le_bytes);
    let succeeds = before[0] == expected[0] && before[1] == expected[1];
    let (kind, barriers, after) = if succeeds {
        let desired = [first_new, second_new].map(|word| word.to_le_bytes().to_vec());
        (Kind::CompareAndSwap, mapping::successful_rmw(Order::Relaxed, Order::Relaxed), desired)
    } else {
        (Kind::FailedRmw, mapping::failed_rmw(Order::Relaxed, Order::Relaxed), before.clone())
    };
    let operation = Operation::CompareExchange;
    let pieces = [0, 1].map(|index| {
        let (before, after) = (&before[index][..], &after[index][..]);
        WideAccess { address: places[index] as usize, kind, barriers, operation, site, before, after }
    });
    if let Some(turn) = with(|runtime| events::scattered_access(runtime, &pieces)) {
        turn.obey();
    }
    if succeeds {
        put(first, &after[0]);
        put(second, &after[1]);
    }
    succeeds.into()
}

crate::abi::same_hooks!(__fh_atomic_cas, __fh_atomic_read, __fh_atomic_rmw, __fh_atomic_write);
