//! The program run by itself, without a tool that controls it: it does what it would do without instrumentation.
//!
//! Calls of modelled functions do not come here at all: the pass emits a stub for each (`llvm-pass/src/stubs.rs`),
//! which goes to the real function unless [`CONTROLLED`] is set. The other hooks ask [`is_alone`]: an access is
//! performed as the processor would have performed it, on real threads, and a call that only tells the checker
//! something does nothing.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, compiler_fence, fence};
use std::sync::{Mutex, PoisonError};

use protocol::CONTROL;

use crate::process::bits::Bits;
use crate::process::sites::{Record, call_site};

/// Whether a tool controls this process: decided before any code of the program runs, and never changed.
#[unsafe(export_name = "__fh_controlled")]
pub(crate) static CONTROLLED: AtomicBool = AtomicBool::new(false);

/// Whether no tool controls this process.
#[inline(always)]
pub(crate) fn is_alone() -> bool {
    !CONTROLLED.load(Ordering::Relaxed)
}

/// A function of section `.preinit_array`, which gets the arguments of `main`.
type Beginning = extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char);

/// The function that the C library calls before all constructors. `main` refers to it, so that no linker drops it.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".preinit_array"))]
pub(crate) static BEGINNING: Beginning = decide;

/// Sets [`CONTROLLED`] if the environment has the tool's variable.
extern "C" fn decide(_argc: c_int, _argv: *mut *mut c_char, environment: *mut *mut c_char) {
    let mut next = environment;
    loop {
        // SAFETY: the system passes a list that ends with a null pointer, which has not been reached.
        let variable = unsafe { next.read() };
        if variable.is_null() {
            return;
        }
        // SAFETY: each variable of the environment is a string that ends with a zero byte.
        let text = unsafe { CStr::from_ptr(variable) }.to_bytes();
        if text.strip_prefix(CONTROL.as_bytes()).is_some_and(|rest| rest.starts_with(b"=")) {
            return CONTROLLED.store(true, Ordering::Relaxed);
        }
        next = next.wrapping_add(1);
    }
}

/// The numbers of two memory orders, as C11 has them.
const RELAXED: u32 = 0;
const SEQ_CST: u32 = 5;

/// A number on which the processor performs atomic operations.
pub(crate) trait Interlocked: Bits {
    /// Compares and swaps; returns the old value, as a success or not.
    fn compare_exchange(address: *mut Self, expected: Self, desired: Self) -> Result<Self, Self>;
    /// Stores with a full fence.
    fn publish(address: *mut Self, value: Self);
}

macro_rules! interlocked {
    ($($number:ty, $atomic:ty);*) => {$(
        impl Interlocked for $number {
            #[inline]
            fn compare_exchange(address: *mut Self, expected: Self, desired: Self) -> Result<Self, Self> {
                // SAFETY: this is the program's own access; it accesses shared memory by hooks, which do not tear
                // either.
                let atomic = unsafe { <$atomic>::from_ptr(address) };
                atomic.compare_exchange(expected, desired, Ordering::SeqCst, Ordering::SeqCst)
            }
            #[inline]
            fn publish(address: *mut Self, value: Self) {
                // SAFETY: as above.
                unsafe { <$atomic>::from_ptr(address) }.store(value, Ordering::SeqCst);
            }
        }
    )*};
}
interlocked!(u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64);

/// Stores with a memory order, given by its C11 number.
#[inline]
pub(crate) fn store<T: Interlocked>(address: *mut T, value: T, order: u32) {
    if order == SEQ_CST {
        return T::publish(address, value);
    }
    compiler_fence(Ordering::SeqCst);
    // SAFETY: this is the program's own access: an aligned store of these widths is one store, and a release.
    unsafe { address.write_volatile(value) };
}

/// Loads with any memory order: each load of these widths is one load, and an acquire.
#[inline]
pub(crate) fn load<T: Bits>(address: *const T) -> T {
    // SAFETY: this is the program's own access, at an address that it vouches for.
    let value = unsafe { address.read_volatile() };
    compiler_fence(Ordering::SeqCst);
    value
}

/// Replaces a value by what `change` makes of it, if that is something; returns the old value.
#[inline]
pub(crate) fn update<T: Interlocked>(address: *mut T, mut change: impl FnMut(T) -> Option<T>) -> T {
    let mut old = load(address);
    while let Some(new) = change(old) {
        match T::compare_exchange(address, old, new) {
            Ok(_) => break,
            Err(current) => old = current,
        }
    }
    old
}

/// Performs a fence, given by its number in the hook ABI.
pub(crate) fn fence_by_number(number: u32) {
    match number {
        SEQ_CST => fence(Ordering::SeqCst),
        // SAFETY: a fence touches no memory.
        6 => unsafe { std::arch::x86_64::_mm_sfence() },
        pairs if pairs & 16 != 0 => fence(Ordering::SeqCst),
        // SAFETY: as above.
        8 => unsafe { std::arch::x86_64::_mm_lfence() },
        _ => compiler_fence(Ordering::SeqCst),
    }
}

/// The lock of accesses that no processor performs at once; the compiler's library has such a lock, too.
static WIDE: Mutex<()> = Mutex::new(());

/// Copies bytes of the program's.
fn bytes_at(address: *const u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    // SAFETY: this is the program's own access, at an address that it vouches for.
    unsafe { std::ptr::copy_nonoverlapping(address, bytes.as_mut_ptr(), length) };
    bytes
}

/// Compares and swaps sixteen bytes, and returns the old ones. Every processor that runs 64-bit Linux can do so but the
/// first few.
fn exchange_sixteen(address: *mut u128, expected: u128, desired: u128) -> u128 {
    let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
    // SAFETY: this is the program's own access, aligned as the instruction needs it; rbx, which the compiler keeps for
    // itself, is put back.
    unsafe {
        std::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b xmmword ptr [rdi]",
            "mov rbx, rsi",
            in("rdi") address,
            inout("rsi") desired as u64 => _,
            in("rcx") (desired >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

/// Replaces bytes by what `change` makes of them, if that is something, indivisibly; returns the old bytes.
pub(crate) fn update_wide(
    address: *mut c_void,
    length: usize,
    mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> Vec<u8> {
    macro_rules! natural {
        ($number:ty) => {{
            let number = |bytes: Vec<u8>| bytes.try_into().ok().map(<$number>::from_le_bytes);
            let change = |old: $number| change(&old.to_le_bytes()).and_then(number);
            update(address.cast::<$number>(), change).to_le_bytes().to_vec()
        }};
    }
    match length {
        _ if !(address as usize).is_multiple_of(length.max(1)) => update_locked(address, length, change),
        1 => natural!(u8),
        2 => natural!(u16),
        4 => natural!(u32),
        8 => natural!(u64),
        16 => update_sixteen(address.cast(), change),
        _ => update_locked(address, length, change),
    }
}

/// Replaces sixteen aligned bytes as [`update_wide`] does, by the processor's own instruction.
fn update_sixteen(address: *mut u128, mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut old = exchange_sixteen(address, 0, 0);
    while let Some(Ok(new)) = change(&old.to_le_bytes()).map(TryInto::try_into) {
        let current = exchange_sixteen(address, old, u128::from_le_bytes(new));
        if current == old {
            break;
        }
        old = current;
    }
    old.to_le_bytes().to_vec()
}

/// Replaces bytes as [`update_wide`] does, under the lock.
fn update_locked(address: *mut c_void, length: usize, mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let _locked = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
    let old = bytes_at(address.cast(), length);
    if let Some(new) = change(&old) {
        // SAFETY: this is the program's own access, at an address that it vouches for.
        unsafe { std::ptr::copy_nonoverlapping(new.as_ptr(), address.cast(), length) };
    }
    old
}

/// Performs `fh_double_compare_and_swap`, which is indivisible among its own calls alone.
pub(crate) fn double_compare_and_swap(places: [*mut u64; 2], expected: [u64; 2], desired: [u64; 2]) -> bool {
    let _locked = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
    let succeeds = places.map(|place| load(place)) == expected;
    if succeeds {
        places.into_iter().zip(desired).for_each(|(place, value)| store(place, value, RELAXED));
    }
    succeeds
}

/// The lock of atomic blocks of SV-COMP, which may be nested.
struct Blocks(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: the C library's lock is made for several threads.
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks(UnsafeCell::new(libc::PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP));

/// Begins an atomic block: no other one begins before its end.
pub(crate) fn begin_block() {
    // SAFETY: the lock lives as long as the process.
    unsafe { libc::pthread_mutex_lock(BLOCKS.0.get()) };
}

/// Ends an atomic block.
pub(crate) fn end_block() {
    // SAFETY: as above; if no block has begun, the call returns an error and does nothing.
    unsafe { libc::pthread_mutex_unlock(BLOCKS.0.get()) };
}

/// Fails as `assert` would, for `fh_assert` and its sisters.
pub(crate) fn fail(what: &CStr) -> ! {
    unsafe extern "C" {
        fn __assert_fail(text: *const c_char, file: *const c_char, line: c_uint, function: *const c_char) -> !;
    }
    let site = Record::behind(call_site());
    let place = site.place();
    let [file, function] = [&*place.file, site.function()].map(|text| CString::new(text).unwrap_or_default());
    // SAFETY: all of them are strings, which live until the process has ended.
    unsafe { __assert_fail(what.as_ptr(), file.as_ptr(), place.line, function.as_ptr()) }
}

/// A cleanup handler that was pushed.
#[repr(C)]
struct Buffer {
    /// The C library's record, `struct _pthread_cleanup_buffer` of glibc.
    _theirs: [usize; 4],
    /// The handler that was pushed before it in this thread.
    below: *mut Buffer,
}

/// A cleanup handler of the program.
type Routine = unsafe extern "C" fn(*mut c_void);

unsafe extern "C" {
    fn _pthread_cleanup_push(buffer: *mut c_void, routine: Routine, argument: *mut c_void);
    fn _pthread_cleanup_pop(buffer: *mut c_void, execute: c_int);
}

thread_local! {
    /// The cleanup handler that this thread has pushed last, or null.
    static TOP: std::cell::Cell<*mut Buffer> = const { std::cell::Cell::new(std::ptr::null_mut()) };
}

/// Performs `pthread_cleanup_push`.
pub(crate) fn push_cleanup(routine: Routine, argument: *mut c_void) {
    let buffer = Buffer { _theirs: [0; 4], below: TOP.get() };
    let buffer = Box::into_raw(Box::new(buffer));
    TOP.set(buffer);
    // SAFETY: the C library fills the record, which lives until it is popped, or for ever if the thread ends first.
    unsafe { _pthread_cleanup_push(buffer.cast(), routine, argument) };
}

/// Performs `pthread_cleanup_pop`.
pub(crate) fn pop_cleanup(execute: c_int) {
    let buffer = TOP.get();
    if buffer.is_null() {
        return;
    }
    // SAFETY: the record was written by `push_cleanup`.
    TOP.set(unsafe { (*buffer).below });
    // SAFETY: the record is the last one that was pushed.
    unsafe { _pthread_cleanup_pop(buffer.cast(), execute) };
    // SAFETY: the record came from a box, and nobody refers to it any more.
    drop(unsafe { Box::from_raw(buffer) });
}
