//! The hooks that pass the shadows of values on (`--uninitialised`), each behind a hook of
//! [`crate::hooks::memory::access`], and the findings where a value that was never written is used.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

use engine::event::Thread;
use protocol::{FailureKind, Operation, Role};

use crate::abi::rmw;
use crate::process::bits::Bits;
use crate::process::layout;
use crate::process::sites::{Record, RecordPointer};
use crate::run::{end_execution, with};
use crate::state::failure::{Failure, part};
use crate::state::turn::End;
use crate::state::unwritten::{
    Metadata, ON, Origin, Shared, Source, Unwritten, What, begin_object, copy, metadata, of, of_loaded, origins, put,
    written,
};

/// The shadows of the arguments of the next call and of the result of the last one: `struct fh_unwritten_context` of
/// the hook ABI, whose layout is LLVM's.
#[repr(C)]
pub(crate) struct Context {
    arguments: [u8; 800],
    result: [u8; 800],
    variadic: [u8; 800],
    variadic_origins: [u8; 800],
    variadic_overflow: u64,
    argument_origins: [Origin; 200],
    result_origin: Origin,
    _unused: [u32; 3],
}

static CONTEXT: Shared<Context> = Shared(UnsafeCell::new(Context {
    arguments: [0; 800],
    result: [0; 800],
    variadic: [0; 800],
    variadic_origins: [0; 800],
    variadic_overflow: 0,
    argument_origins: [0; 200],
    result_origin: 0,
    _unused: [0; 3],
}));

/// Returns the context; callers do not keep the reference over a call.
pub(crate) fn context() -> &'static mut Context {
    // SAFETY: one OS thread; instrumented code and this file touch the context in turn.
    unsafe { &mut *CONTEXT.0.get() }
}

/// The shadow that loads find for memory without one: zeros, as nobody writes them.
static NOTHING: Shared<[u64; 512]> = Shared(UnsafeCell::new([0; 512]));
/// The shadow to which stores go for memory without one, and which nobody reads.
static AWAY: Shared<[u64; 512]> = Shared(UnsafeCell::new([0; 512]));

/// Returns metadata for memory that has none, for at most 4096 bytes.
pub(crate) fn elsewhere(shared: &'static Shared<[u64; 512]>) -> Metadata {
    Metadata { shadow: shared.0.get().cast(), origins: shared.0.get().cast() }
}

/// Ends the execution if this byte was never written, as the library function that is called here uses it.
pub(crate) fn require(value: Unwritten, site: RecordPointer) {
    if value.bits != 0 {
        use_of(value.origin, site);
    }
}

/// Ends the execution: a value that was never written is used here.
#[cold]
fn use_of(origin: Origin, site: RecordPointer) {
    let source = origins().get(origin).cloned();
    let running = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let at = part(Role::At, (running, Record::behind(site)), Operation::Use);
    let of = source.as_ref().map_or_else(|| "a local variable".to_owned(), Source::words);
    let maker = source.map(|source| {
        let operation = if source.what == What::Block { Operation::Allocate } else { Operation::Declare };
        part(Role::Allocated, source.maker, operation)
    });
    let message = format!("a value that was never written is used: {of}");
    let sites = std::iter::once(at).chain(maker).collect();
    let failure = Failure::new(FailureKind::Uninitialised, message, sites);
    end_execution(End::Failed(failure));
}

/// Reports that a branch, an address, an argument or a result depends on a value that was never written.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_use(origin: Origin, site: RecordPointer) {
    if ON.load(Ordering::Relaxed) {
        use_of(origin, site);
    }
}

/// Checks the pointer by which the program is about to access memory.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_address(_pointer: *const c_void, site: RecordPointer) {
    require(argument(0), site);
}

/// Notes that the program makes room for a local variable.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_local(address: *const c_void, size: u64, site: RecordPointer) {
    let (address, size) = (address as usize, size as usize);
    if !ON.load(Ordering::Relaxed) || size == 0 {
        return;
    }
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let maker = (thread, Record::behind(site));
    begin_object(Source { object: address..address + size, what: What::Local, maker, loaded: None });
}

/// Forgets what is known of the object from this pointer on: a function that is not instrumented has got the pointer
/// and may have written it.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_forget(pointer: *const c_void) {
    let address = pointer as usize;
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    // The object is found by its address: an origin is of four aligned bytes, which may lie in two objects.
    if let Some(end) = origins().end_of_object(address) {
        written(address, end - address);
    }
}

/// Copies what is known of bytes that an indivisible access has just copied.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_copy(to: *mut c_void, from: *const c_void, length: u64) {
    copy(to as usize, from as usize, length as usize);
}

/// Returns what is known of the argument of this hook at this position; each takes eight bytes of the context.
pub(crate) fn argument(position: usize) -> Unwritten {
    let context = context();
    let bits = context.arguments.as_chunks::<8>().0[position];
    let bits = u64::from_le_bytes(bits);
    Unwritten { bits, origin: context.argument_origins[2 * position] }
}

/// Sets what is known of the result of this hook.
pub(crate) fn give(value: Unwritten) {
    let context = context();
    context.result[..8].copy_from_slice(&value.bits.to_le_bytes());
    context.result_origin = value.origin;
}

/// Returns what is known of the lowest `width` bytes of a value.
pub(crate) const fn narrow(value: Unwritten, width: usize) -> Unwritten {
    Unwritten { bits: value.bits & (u64::MAX >> (64 - 8 * width)), ..value }
}

/// Sets what is known of the result of this hook to what is known of memory that an access of the program has just
/// loaded.
pub(crate) fn load<T: Bits>(value: T, address: usize) -> T {
    give(of_loaded(address, usize::from(T::WIDTH)));
    value
}

/// Whether none of these bytes was ever written: then a comparison with them means nothing, even if it is of padding.
const fn is_all(value: Unwritten, width: usize) -> bool {
    value.bits == u64::MAX >> (64 - 8 * width)
}

/// Passes on the shadows of a compare-and-exchange that has been performed.
fn exchanged<T: Bits>(address: usize, desired: Unwritten, succeeded: bool, site: RecordPointer) {
    let width = usize::from(T::WIDTH);
    let before = of_loaded(address, width);
    if is_all(before, width) {
        use_of(before.origin, site);
    }
    if succeeded {
        put(address, width, desired);
    }
    give(Unwritten::NONE);
}

macro_rules! hooks {
    ($type:ty, $shadow_load:ident, $shadow_store:ident, $load:ident, $store:ident, $rmw:ident, $cas:ident, $weak:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $shadow_load(address: usize) -> Metadata {
            metadata(address).unwrap_or_else(|| elsewhere(&NOTHING))
        }
        #[unsafe(no_mangle)]
        extern "C" fn $shadow_store(address: usize) -> Metadata {
            metadata(address).unwrap_or_else(|| elsewhere(&AWAY))
        }
        #[unsafe(no_mangle)]
        extern "C" fn $load(value: $type, address: usize) -> $type {
            load(value, address)
        }
        #[unsafe(no_mangle)]
        extern "C" fn $store(address: usize, _value: $type) {
            put(address, size_of::<$type>(), narrow(argument(1), size_of::<$type>()));
        }
        #[unsafe(no_mangle)]
        extern "C" fn $rmw(old: $type, address: usize, _: $type, operation: u32) -> $type {
            let operand = narrow(argument(2), size_of::<$type>());
            let before = of(address, size_of::<$type>());
            let old = load(old, address);
            let both = before.beside(operand, 0);
            let after = match operation {
                rmw::EXCHANGE => operand,
                _ if both.bits == 0 => both,
                _ => narrow(Unwritten { bits: u64::MAX, ..both }, size_of::<$type>()),
            };
            put(address, size_of::<$type>(), after);
            old
        }
        #[unsafe(no_mangle)]
        extern "C" fn $cas(old: $type, address: usize, expected: $type, _: $type, site: RecordPointer) -> $type {
            let desired = narrow(argument(3), size_of::<$type>());
            exchanged::<$type>(address, desired, old == expected, site);
            old
        }
        #[unsafe(no_mangle)]
        extern "C" fn $weak(old: $type, address: usize, _: $type, succeeded: *const u8, site: RecordPointer) -> $type {
            let desired = narrow(argument(2), size_of::<$type>());
            // SAFETY: this is the variable of the caller's frame to which the access has just written.
            let success = unsafe { succeeded.read() } != 0;
            written(succeeded as usize, 1);
            exchanged::<$type>(address, desired, success, site);
            old
        }
        crate::abi::same_hooks!($shadow_load, $shadow_store, $load, $store, $rmw, $cas, $weak);
    };
}
hooks!(
    u8,
    __fh_msan_metadata_ptr_for_load_1,
    __fh_msan_metadata_ptr_for_store_1,
    __fh_unwritten_load1,
    __fh_unwritten_store1,
    __fh_unwritten_rmw1,
    __fh_unwritten_cas1,
    __fh_unwritten_weak_cas1
);
hooks!(
    u16,
    __fh_msan_metadata_ptr_for_load_2,
    __fh_msan_metadata_ptr_for_store_2,
    __fh_unwritten_load2,
    __fh_unwritten_store2,
    __fh_unwritten_rmw2,
    __fh_unwritten_cas2,
    __fh_unwritten_weak_cas2
);
hooks!(
    u32,
    __fh_msan_metadata_ptr_for_load_4,
    __fh_msan_metadata_ptr_for_store_4,
    __fh_unwritten_load4,
    __fh_unwritten_store4,
    __fh_unwritten_rmw4,
    __fh_unwritten_cas4,
    __fh_unwritten_weak_cas4
);
hooks!(
    u64,
    __fh_msan_metadata_ptr_for_load_8,
    __fh_msan_metadata_ptr_for_store_8,
    __fh_unwritten_load8,
    __fh_unwritten_store8,
    __fh_unwritten_rmw8,
    __fh_unwritten_cas8,
    __fh_unwritten_weak_cas8
);

/// Passes on the shadows of an indivisible read-modify-write of any width that has been performed; `old` is where the
/// old value went.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_atomic_rmw(
    address: *mut c_void,
    operand: *const c_void,
    old: *mut c_void,
    length: u64,
    operation: u32,
) {
    let (address, operand, old, length) = (address as usize, operand as usize, old as usize, length as usize);
    for offset in 0..length {
        let (before, new) = (of(address + offset, 1), of(operand + offset, 1));
        put(address + offset, 1, if operation == rmw::EXCHANGE { new } else { before.beside(new, 0) });
        put(old + offset, 1, before);
    }
}

/// Passes on the shadows of an indivisible compare-and-exchange of any width that has been performed.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_atomic_cas(
    address: *mut c_void,
    expected: *mut c_void,
    desired: *const c_void,
    length: u64,
    success: u8,
) {
    if success == 0 {
        copy(expected as usize, address as usize, length as usize);
    } else {
        copy(address as usize, desired as usize, length as usize);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_msan_get_context_state() -> *mut c_void {
    CONTEXT.0.get().cast()
}

/// Returns metadata for `length` bytes of memory that has none.
pub(crate) fn large(shared: &'static Shared<[u64; 512]>, length: usize) -> Metadata {
    if length <= size_of::<[u64; 512]>() {
        return elsewhere(shared);
    }
    // This is rare: a vector or struct of that size in memory that is not the program's own.
    match layout::reserve(0, length) {
        Ok(room) => Metadata { shadow: room, origins: room.cast() },
        Err(_) => elsewhere(shared),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_msan_metadata_ptr_for_load_n(address: usize, length: u64) -> Metadata {
    metadata(address).unwrap_or_else(|| large(&NOTHING, length as usize))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_msan_metadata_ptr_for_store_n(address: usize, length: u64) -> Metadata {
    metadata(address).unwrap_or_else(|| large(&AWAY, length as usize))
}

/// Returns the origin as it is: an origin keeps its number where its value is stored.
#[unsafe(no_mangle)]
extern "C" fn __fh_msan_chain_origin(origin: Origin) -> Origin {
    origin
}

/// Notes that memory is written which inline assembly that stays native may write.
#[unsafe(no_mangle)]
extern "C" fn __fh_msan_instrument_asm_store(address: usize, length: u64) {
    written(address, length as usize);
}

/// # Safety
/// As `memmove`, on private memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_msan_memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    // SAFETY: this is the caller's own copy.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length) };
    copy(to as usize, from as usize, length);
    to
}

/// # Safety
/// As `memcpy`, on private memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_msan_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    // SAFETY: the caller promises the same.
    unsafe { __fh_msan_memmove(to, from, length) }
}

/// # Safety
/// As `memset`, on private memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_msan_memset(to: *mut c_void, byte: i32, length: usize) -> *mut c_void {
    // SAFETY: this is the caller's own fill.
    unsafe { std::ptr::write_bytes(to.cast::<u8>(), byte as u8, length) };
    written(to as usize, length);
    to
}

crate::abi::same_hooks!(
    __fh_msan_chain_origin,
    __fh_msan_get_context_state,
    __fh_msan_instrument_asm_store,
    __fh_msan_memcpy,
    __fh_msan_memmove,
    __fh_msan_memset,
    __fh_msan_metadata_ptr_for_load_n,
    __fh_msan_metadata_ptr_for_store_n,
    __fh_unwritten_address,
    __fh_unwritten_atomic_cas,
    __fh_unwritten_atomic_rmw,
    __fh_unwritten_copy,
    __fh_unwritten_forget,
    __fh_unwritten_local,
    __fh_unwritten_use
);
