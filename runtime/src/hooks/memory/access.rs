//! The hooks of memory: loads, stores, read-modify-writes, fences, and copies of many bytes. Indivisible accesses of
//! other widths than 1, 2, 4 and 8 bytes are in [`crate::hooks::memory::wide`].

use std::ffi::c_void;

use engine::event::Kind;
use engine::graph::Fences;
use engine::mapping::{self, Barriers, MachineFence, Order};
use protocol::Operation;

use crate::abi::{number, rmw};
use crate::graph::dependencies;
use crate::process::bits::Bits;
use crate::process::scratch::ScratchText;
use crate::process::sites::RecordPointer;
use crate::process::uncontrolled::{self, Interlocked, is_alone};
use crate::run::unsupported;
use crate::state::access::Access;
use crate::state::graph::labels::{self, Label};
use crate::state::unwritten::{self, Unwritten};
use crate::world::memory::{self, Approach, fails_weakly, report, turn_to_access};

/// Reads a value of the program's natively.
#[inline]
fn read<T: Bits>(address: *const T) -> T {
    // SAFETY: this is the program's own access; a pointer that is not valid faults, as it would without the runtime.
    unsafe { address.read_unaligned() }
}

/// Writes a value of the program's natively.
#[inline]
fn write<T: Bits>(address: *mut T, value: T) {
    // SAFETY: as for `read`.
    unsafe { address.write_unaligned(value) };
}

/// Loads a value, as an event.
#[inline(never)]
fn load<T: Bits>(address: *const T, barriers: Barriers, site: RecordPointer) -> T {
    turn_to_access(Approach::Load, address as usize, size_of::<T>(), site);
    let value = read(address);
    report(Access {
        address: address as usize,
        width: T::WIDTH,
        kind: Kind::Load,
        barriers,
        operation: Operation::Load,
        site,
        before: value.wide(),
        after: value.wide(),
        expected: None,
    });
    value
}

/// Stores a value, as an event.
#[inline(never)]
pub(crate) fn store<T: Bits>(address: *mut T, value: T, barriers: Barriers, site: RecordPointer) {
    turn_to_access(Approach::Store, address as usize, size_of::<T>(), site);
    let before = read(address);
    write(address, value);
    report(Access {
        address: address as usize,
        width: T::WIDTH,
        kind: Kind::Store,
        barriers,
        operation: Operation::Store,
        site,
        before: before.wide(),
        after: value.wide(),
        expected: None,
    });
}

/// Returns the memory order with this C11 number; refuses others, which the program may have computed.
pub(crate) fn order(number: u32, site: RecordPointer) -> Order {
    Order::from_c11(number).unwrap_or_else(|| unsupported(&format!("the memory order {number}"), site))
}

/// Returns the orders of a compare-and-exchange on success and on failure.
pub(crate) fn orders(numbers: u32, site: RecordPointer) -> (Order, Order) {
    (order(numbers & 0xff, site), order(numbers >> 8 & 0xff, site))
}

/// Whether a compare-and-exchange may fail although it could succeed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    Strong,
    Weak,
}

/// Returns the result of a read-modify-write, given as `FH_RMW_…` of the hook ABI, and its name.
fn combine<T: Bits>(old: T, operand: T, operation: u32) -> (T, Operation) {
    let (a, b) = (old.wide(), operand.wide());
    let pick = |first: bool| if first { a } else { b };
    let (wide, operation) = match operation {
        rmw::EXCHANGE => (b, Operation::Exchange),
        rmw::ADD => (a.wrapping_add(b), Operation::FetchAdd),
        rmw::SUB => (a.wrapping_sub(b), Operation::FetchSub),
        rmw::AND => (a & b, Operation::FetchAnd),
        rmw::NAND => (!(a & b), Operation::FetchNand),
        rmw::OR => (a | b, Operation::FetchOr),
        rmw::XOR => (a ^ b, Operation::FetchXor),
        rmw::MAX => (pick(old.signed() >= operand.signed()), Operation::FetchMax),
        rmw::MIN => (pick(old.signed() <= operand.signed()), Operation::FetchMin),
        rmw::UMAX => (pick(a >= b), Operation::FetchMax),
        rmw::UMIN => (pick(a <= b), Operation::FetchMin),
        rmw::NEGATE => (a.wrapping_neg(), Operation::Negate),
        rmw::FADD | rmw::FSUB | rmw::FMAX | rmw::FMIN => combine_floats(a, b, T::WIDTH, operation),
        _ => panic!("the pass passes the numbers of fencehound_hooks.h, not {operation}"),
    };
    (T::narrow(wide), operation)
}

/// Returns the result of an `FH_RMW_…` of the hook ABI on two floating-point numbers of 4 or 8 bytes, given by their
/// bits.
fn combine_floats(a: u64, b: u64, width: u8, operation: u32) -> (u64, Operation) {
    macro_rules! apply {
        ($float:ty, $a:expr, $b:expr) => {{
            let (a, b) = (<$float>::from_bits($a), <$float>::from_bits($b));
            match operation {
                rmw::FADD => (a + b, Operation::FetchAdd),
                rmw::FSUB => (a - b, Operation::FetchSub),
                rmw::FMAX => (a.max(b), Operation::FetchMax),
                _ => (a.min(b), Operation::FetchMin),
            }
        }};
    }
    if width == 4 {
        let (value, operation) = apply!(f32, a as u32, b as u32);
        return (value.to_bits().into(), operation);
    }
    let (value, operation) = apply!(f64, a, b);
    (value.to_bits(), operation)
}

/// Performs a read-modify-write, and returns the old value.
fn rmw<T: Bits>(address: *mut T, operand: T, operation: u32, number: u32, site: RecordPointer) -> T {
    let barriers = mapping::rmw(order(number, site));
    turn_to_access(Approach::Update(barriers.before), address as usize, size_of::<T>(), site);
    let old = read(address);
    let (new, operation) = combine(old, operand, operation);
    write(address, new);
    report(Access {
        address: address as usize,
        width: T::WIDTH,
        kind: Kind::Rmw,
        barriers,
        operation,
        site,
        before: old.wide(),
        after: new.wide(),
        expected: None,
    });
    old
}

/// Performs a compare-and-exchange; returns the old value, and whether it succeeded.
fn compare_exchange<T: Bits>(
    address: *mut T,
    expected: T,
    desired: T,
    numbers: u32,
    strength: Strength,
    site: RecordPointer,
) -> (T, bool) {
    let (success, failure) = orders(numbers, site);
    let approach = Approach::Update(mapping::rmw(mapping::compiled(success, failure)).before);
    turn_to_access(approach, address as usize, size_of::<T>(), site);
    let old = read(address);
    let (kind, barriers, after) = if old == expected && !(strength == Strength::Weak && fails_weakly()) {
        write(address, desired);
        (Kind::CompareAndSwap, mapping::successful_rmw(success, failure), desired)
    } else {
        (Kind::FailedRmw, mapping::failed_rmw(success, failure), old)
    };
    if success.acquires() != failure.acquires() {
        memory::decides();
    }
    report(Access {
        address: address as usize,
        width: T::WIDTH,
        kind,
        barriers,
        operation: Operation::CompareExchange,
        site,
        before: old.wide(),
        after: after.wide(),
        expected: Some(expected.wide()),
    });
    (old, kind == Kind::CompareAndSwap)
}

macro_rules! hooks {
    ($type:ty, $load:ident, $store:ident, $atomic_load:ident, $atomic_store:ident, $rmw:ident, $cas:ident, $weak:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $load(address: *const $type, site: RecordPointer) -> $type {
            if is_alone() {
                return read(address);
            }
            load(address, Barriers::NONE, site)
        }
        #[unsafe(no_mangle)]
        extern "C" fn $store(address: *mut $type, value: $type, site: RecordPointer) {
            if is_alone() {
                return write(address, value);
            }
            store(address, value, Barriers::NONE, site);
        }
        #[unsafe(no_mangle)]
        extern "C" fn $atomic_load(address: *const $type, number: u32, site: RecordPointer) -> $type {
            if is_alone() {
                return uncontrolled::load(address);
            }
            load(address, mapping::load(order(number, site)), site)
        }
        #[unsafe(no_mangle)]
        extern "C" fn $atomic_store(address: *mut $type, value: $type, number: u32, site: RecordPointer) {
            if is_alone() {
                return uncontrolled::store(address, value, number);
            }
            store(address, value, mapping::store(order(number, site)), site);
        }
        #[unsafe(no_mangle)]
        extern "C" fn $rmw(a: *mut $type, operand: $type, operation: u32, number: u32, site: RecordPointer) -> $type {
            if is_alone() {
                return uncontrolled::update(a, |old| Some(combine(old, operand, operation).0));
            }
            rmw(a, operand, operation, number, site)
        }
        #[unsafe(no_mangle)]
        extern "C" fn $cas(a: *mut $type, old: $type, new: $type, orders: u32, site: RecordPointer) -> $type {
            if is_alone() {
                return <$type>::compare_exchange(a, old, new).unwrap_or_else(|current| current);
            }
            compare_exchange(a, old, new, orders, Strength::Strong, site).0
        }
        #[unsafe(no_mangle)]
        extern "C" fn $weak(
            address: *mut $type,
            old: $type,
            new: $type,
            orders: u32,
            succeeded: *mut bool,
            site: RecordPointer,
        ) -> $type {
            if is_alone() {
                let result = <$type>::compare_exchange(address, old, new);
                // SAFETY: as below: the pass passes a variable of the caller's frame.
                unsafe { *succeeded = result.is_ok() };
                return result.unwrap_or_else(|current| current);
            }
            let (old, success) = compare_exchange(address, old, new, orders, Strength::Weak, site);
            // SAFETY: the pass passes a variable of the caller's frame.
            unsafe { *succeeded = success };
            dependencies::put(succeeded as usize, 1, dependencies::of_success());
            old
        }
        crate::abi::same_hooks!($load, $store, $atomic_load, $atomic_store, $rmw, $cas, $weak);
    };
}
hooks!(u8, __fh_load1, __fh_store1, __fh_atomic_load1, __fh_atomic_store1, __fh_rmw1, __fh_cas1, __fh_weak_cas1);
hooks!(u16, __fh_load2, __fh_store2, __fh_atomic_load2, __fh_atomic_store2, __fh_rmw2, __fh_cas2, __fh_weak_cas2);
hooks!(u32, __fh_load4, __fh_store4, __fh_atomic_load4, __fh_atomic_store4, __fh_rmw4, __fh_cas4, __fh_weak_cas4);
hooks!(u64, __fh_load8, __fh_store8, __fh_atomic_load8, __fh_atomic_store8, __fh_rmw8, __fh_cas8, __fh_weak_cas8);

const STORES: u32 = number("FH_FENCE_STORES");
const LOADS: u32 = number("FH_FENCE_LOADS");
const INSTRUCTIONS: u32 = number("FH_FENCE_INSTRUCTIONS");

const PAIRS: u32 = number("FH_FENCE_PAIRS");

/// Returns the pairs of accesses that a fence with this number orders.
const fn pairs(fence: u32) -> Fences {
    const fn count(fence: u32, pair: u32) -> u16 {
        if fence & pair == 0 { 0 } else { 1 }
    }
    Fences {
        full: 0,
        read_read: count(fence, number("FH_FENCE_READ_READ")),
        read_write: count(fence, number("FH_FENCE_READ_WRITE")),
        write_read: count(fence, number("FH_FENCE_WRITE_READ")),
        write_write: count(fence, number("FH_FENCE_WRITE_WRITE")),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fence(number: u32, site: RecordPointer) {
    if is_alone() {
        return uncontrolled::fence_by_number(number);
    }
    let machine = match number {
        STORES => Some(MachineFence::Stores),
        LOADS => Some(MachineFence::Loads),
        INSTRUCTIONS => Some(MachineFence::Instructions),
        _ if number & PAIRS == PAIRS => Some(MachineFence::Pairs(pairs(number))),
        _ => None,
    };
    // C11 knows nothing of a processor's own fences: nothing synchronises by them.
    let (barrier, order) = match machine {
        Some(fence) => (mapping::machine_fence(fence), Order::Relaxed),
        None => (mapping::fence(order(number, site)), order(number, site)),
    };
    turn_to_access(Approach::Fence, 0, 0, site);
    memory::fence(machine, Barriers { before: barrier, ..Barriers::NONE }, order, site);
}

/// Returns the width of the widest naturally aligned piece at `address` of at most `left` bytes.
pub(crate) const fn piece(address: usize, left: usize) -> usize {
    let mut width = 8;
    while width > left || !address.is_multiple_of(width) {
        width /= 2;
    }
    width
}

/// Loads a piece of 1, 2, 4 or 8 bytes.
pub(crate) fn load_piece(address: usize, width: usize, site: RecordPointer) -> u64 {
    match width {
        1 => load(address as *const u8, Barriers::NONE, site).wide(),
        2 => load(address as *const u16, Barriers::NONE, site).wide(),
        4 => load(address as *const u32, Barriers::NONE, site).wide(),
        _ => load(address as *const u64, Barriers::NONE, site),
    }
}

/// Stores a piece of 1, 2, 4 or 8 bytes.
pub(crate) fn store_piece(address: usize, width: usize, value: u64, site: RecordPointer) {
    match width {
        1 => store(address as *mut u8, u8::narrow(value), Barriers::NONE, site),
        2 => store(address as *mut u16, u16::narrow(value), Barriers::NONE, site),
        4 => store(address as *mut u32, u32::narrow(value), Barriers::NONE, site),
        _ => store(address as *mut u64, value, Barriers::NONE, site),
    }
}

/// Loads `length` bytes, piece by piece, and passes each piece to `take`: its offset, its width, its value.
fn load_pieces(from: usize, length: usize, site: RecordPointer, mut take: impl FnMut(usize, usize, u64)) {
    let mut done = 0;
    let (address, _) = labels::given();
    while done < length {
        labels::give(address, Label::NONE);
        let width = memory::piece(from + done, piece(from + done, length - done));
        take(done, width, load_piece(from + done, width, site));
        done += width;
    }
}

/// The value of a piece, the label of what it depends on, and which of its bits were never written.
struct Piece {
    value: u64,
    label: Label,
    unwritten: Unwritten,
}

/// Stores `length` bytes, piece by piece: `give` returns the piece with this offset and width.
fn store_pieces(to: usize, length: usize, site: RecordPointer, mut give: impl FnMut(usize, usize) -> Piece) {
    let mut done = 0;
    let (address, stored) = labels::given();
    while done < length {
        let width = memory::piece(to + done, piece(to + done, length - done));
        let Piece { value, label, unwritten } = give(done, width);
        labels::give(address, dependencies::union(stored, label));
        // A load that `give` made was a piece itself, so this store has to be marked as one anew.
        memory::piece(to + done, width);
        store_piece(to + done, width, value, site);
        unwritten::put(to + done, width, unwritten);
        done += width;
    }
}

/// Writes a piece to memory that is private to the caller.
fn put_private(into: *mut c_void, offset: usize, width: usize, value: u64) {
    let bytes = value.to_le_bytes();
    // SAFETY: the pass passes private memory of the length that it asks for.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), into.cast::<u8>().wrapping_add(offset), width) };
}

/// Reads a piece of memory that is private to the caller.
fn get_private(from: *const c_void, offset: usize, width: usize) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: as for `put_private`.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>().wrapping_add(offset), bytes.as_mut_ptr(), width) };
    u64::from_le_bytes(bytes)
}

/// Loads `length` bytes, piece by piece, into private memory of the caller's.
pub(crate) fn load_bytes(from: usize, into: *mut c_void, length: usize, site: RecordPointer) {
    load_pieces(from, length, site, |offset, width, value| {
        put_private(into, offset, width, value);
        dependencies::put(into as usize + offset, width, labels::loaded());
        unwritten::copy(into as usize + offset, from + offset, width);
    });
}

/// Copies bytes natively, as `memmove` does.
fn move_bytes(to: *mut c_void, from: *const c_void, length: u64) {
    // SAFETY: this is the program's own access, at addresses that it vouches for.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length as usize) };
}

#[unsafe(no_mangle)]
extern "C" fn __fh_read(address: *const c_void, into: *mut c_void, length: u64, site: RecordPointer) {
    if is_alone() {
        return move_bytes(into, address, length);
    }
    load_bytes(address as usize, into, length as usize, site);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_write(address: *mut c_void, from: *const c_void, length: u64, site: RecordPointer) {
    if is_alone() {
        return move_bytes(address, from, length);
    }
    store_pieces(address as usize, length as usize, site, |offset, width| {
        let at = from as usize + offset;
        let (label, unwritten) = (dependencies::get(at, width), unwritten::of(at, width));
        Piece { value: get_private(from, offset, width), label, unwritten }
    });
}

/// Stores bytes once more, piece by piece, that are at the address already and whose native stores nobody has seen.
pub(crate) fn store_anew(address: usize, length: usize, site: RecordPointer) {
    let held = ScratchText::new();
    (0..length).for_each(|offset| held.push(get_private(address as *const c_void, offset, 1) as u8));
    store_pieces(address, length, site, |offset, width| {
        let at = address + offset;
        let (label, unwritten) = (dependencies::get(at, width), unwritten::of(at, width));
        Piece { value: get_private(held.pointer().cast(), offset, width), label, unwritten }
    });
    held.release();
}

#[unsafe(no_mangle)]
extern "C" fn __fh_copy(to: *mut c_void, from: *const c_void, length: u64, site: RecordPointer) {
    if is_alone() {
        return move_bytes(to, from, length);
    }
    let (to, from, length) = (to as usize, from as usize, length as usize);
    let (of_to, of_from) = labels::given();
    labels::give(of_to, Label::NONE);
    if from < to && to - from < length {
        // They overlap, and the low end of the target is the high end of the source: the copy goes from the end.
        let mut left = length;
        while left > 0 {
            let mut width = piece_before(to + left, left);
            while memory::piece(to + left - width, width) < width {
                width /= 2;
            }
            left -= width;
            let Piece { value, label, unwritten } = gather(from + left, width, of_from, site);
            labels::give(of_to, label);
            memory::piece(to + left, width);
            store_piece(to + left, width, value, site);
            unwritten::put(to + left, width, unwritten);
        }
    } else {
        copy(to, from, length, of_from, site);
    }
}

/// Copies `length` bytes, piece by piece, from an address with this label.
pub(crate) fn copy(to: usize, from: usize, length: usize, of_from: Label, site: RecordPointer) {
    store_pieces(to, length, site, |offset, width| gather(from + offset, width, of_from, site));
}

/// Returns the width of the widest naturally aligned piece that ends at `end`, of at most `left` bytes.
const fn piece_before(end: usize, left: usize) -> usize {
    let mut width = 8;
    while width > left || !end.is_multiple_of(width) {
        width /= 2;
    }
    width
}

/// Loads `width` bytes, which may lie across aligned pieces, at an address with this label.
fn gather(from: usize, width: usize, address: Label, site: RecordPointer) -> Piece {
    let mut whole = Piece { value: 0, label: Label::NONE, unwritten: Unwritten::NONE };
    labels::give(address, Label::NONE);
    load_pieces(from, width, site, |offset, width, part| {
        whole.value |= part << (8 * offset);
        whole.label = dependencies::union(whole.label, labels::loaded());
        whole.unwritten = whole.unwritten.beside(unwritten::of(from + offset, width), offset);
    });
    whole
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fill(to: *mut c_void, byte: u32, length: u64, site: RecordPointer) {
    if is_alone() {
        // SAFETY: this is the program's own access, at an address that it vouches for.
        return unsafe { std::ptr::write_bytes(to.cast::<u8>(), byte as u8, length as usize) };
    }
    fill(to as usize, byte, length as usize, site);
}

/// Stores this byte `length` times, piece by piece.
pub(crate) fn fill(to: usize, byte: u32, length: usize, site: RecordPointer) {
    let value = u64::from(byte & 0xff) * 0x0101_0101_0101_0101;
    store_pieces(to, length, site, |_, width| {
        let value = value & (u64::MAX >> (64 - 8 * width));
        Piece { value, label: Label::NONE, unwritten: Unwritten::NONE }
    });
}

crate::abi::same_hooks!(__fh_copy, __fh_fence, __fh_fill, __fh_read, __fh_write);
