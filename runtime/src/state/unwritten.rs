//! Bytes that the program has never written (`--uninitialised`): which bytes of memory hold such a value, bit by bit, and
//! where it came from.
//!
//! With the option, the pass lets LLVM's MemorySanitizer, in the form that it has for kernels, carry a *shadow* beside each
//! value of instrumented code: a bit is set where the value's bit was never written. Copies carry it along; a branch, an
//! address, a division, an argument and a result of a function are *uses*. That form asks its runtime for everything, and
//! this file is that runtime: where the shadow of some memory is ([`Metadata`]), how shadows go from call to call
//! ([`Context`]), and what a use comes to ([`__fh_unwritten_use`]). The shadow of what goes through the hooks of
//! [`crate::hooks::memory::access`] is put in place by further hooks behind them, which belong to the same event: no other thread runs
//! between the two.
//!
//! Each value that was never written has an *origin*, the number of a [`Source`]: a block of the heap or a local variable,
//! and, once a hook has loaded it, which of its bytes.

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use engine::event::Thread;
use protocol::{FailureKind, Operation, Role};
use rustc_hash::FxHashMap;

use crate::abi::rmw;
use crate::hooks::memory::access::Bits;
use crate::process::layout;
use crate::process::sites::{Record, RecordPointer};
use crate::run::{End, end_execution, with};
use crate::state::globals;
use crate::state::heap::Doer;
use crate::state::memory::{bytes, part};
use crate::state::recorder::Failure;

/// Where the shadow of the region of [`layout`] begins.
const SHADOW: usize = 0x2000_0000_0000;
/// Where its origins begin: four bytes for four bytes.
const ORIGINS: usize = 0x3000_0000_0000;
/// Where the shadow of the program's variables begins, which is at their addresses from here on.
const IMAGE_SHADOW: usize = 0x2800_0000_0000;
/// Where their origins begin.
const IMAGE_ORIGINS: usize = 0x3800_0000_0000;

/// Whether shadows are kept.
static ON: AtomicBool = AtomicBool::new(false);
/// The addresses of the program's variables.
static IMAGE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// The number of a [`Source`]; 0 is that of a value of which nothing is known but that it was never written.
type Origin = u32;

/// What was never written.
#[derive(Clone)]
struct Source {
    /// Its bytes.
    object: Range<usize>,
    /// A block of the heap, or a local variable by name and the function that it is of.
    what: What,
    maker: Doer,
    /// The bytes of it that were loaded together.
    loaded: Option<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Block,
    Local,
}

impl Source {
    /// In words: `bytes 4 to 7 of a block of 16 bytes`.
    fn words(&self) -> String {
        let size = bytes(self.object.len());
        let whole = match self.what {
            What::Block => format!("a block of {size}"),
            What::Local => {
                let (name, function) = (self.maker.1.expression(), self.maker.1.function());
                let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
                format!("the local variable{name} of `{function}`, of {size}")
            }
        };
        let Some(loaded) = &self.loaded else { return whole };
        let (first, last) = (loaded.start - self.object.start, loaded.end - 1 - self.object.start);
        if first == last { format!("byte {first} of {whole}") } else { format!("bytes {first} to {last} of {whole}") }
    }
}

/// The origins of one execution.
struct Origins {
    sources: Vec<Source>,
    /// Where each object lies that began unwritten, by its first byte: its end. No two overlap.
    objects: BTreeMap<usize, usize>,
    /// Those of bytes that were loaded, by whose they are.
    loads: FxHashMap<(Origin, usize, usize), Origin>,
    /// Some variable of the program has held what was never written.
    in_variables: bool,
}

struct Shared<T>(UnsafeCell<T>);

// SAFETY: the program runs on one OS thread.
unsafe impl<T> Sync for Shared<T> {}

static SOURCES: Shared<Option<Origins>> = Shared(UnsafeCell::new(None));

/// The origins: nobody keeps what this gives.
fn origins() -> &'static mut Origins {
    // SAFETY: one OS thread, and no caller keeps the reference over a call of another function that asks for it.
    let origins = unsafe { &mut *SOURCES.0.get() };
    origins.get_or_insert_with(|| Origins {
        sources: Vec::new(),
        objects: BTreeMap::new(),
        loads: FxHashMap::default(),
        in_variables: false,
    })
}

impl Origins {
    fn add(&mut self, source: Source) -> Origin {
        self.sources.push(source);
        self.sources.len() as Origin
    }

    /// A new object, which is there instead of those that it overlaps.
    fn begin(&mut self, source: Source) -> Origin {
        let Range { start, end } = source.object;
        while let Some((&other, _)) = self.objects.range(..end).next_back().filter(|&(_, &other_end)| other_end > start)
        {
            self.objects.remove(&other);
        }
        self.objects.insert(start, end);
        self.add(source)
    }

    /// The end of the object that this address is in.
    fn end_of_object(&self, address: usize) -> Option<usize> {
        self.objects.range(..=address).next_back().map(|(_, &end)| end).filter(|&end| address < end)
    }

    fn get(&self, origin: Origin) -> Option<&Source> {
        self.sources.get((origin as usize).checked_sub(1)?)
    }

    /// The origin of these bytes of what this one is of.
    fn loaded(&mut self, origin: Origin, accessed: Range<usize>) -> Origin {
        let Some(source) = self.get(origin) else { return origin };
        let inside = accessed.start >= source.object.start && accessed.end <= source.object.end;
        if source.loaded.is_some() || !inside {
            return origin;
        }
        let source = Source { loaded: Some(accessed.clone()), ..source.clone() };
        let key = (origin, accessed.start, accessed.end);
        if let Some(&known) = self.loads.get(&key) {
            return known;
        }
        let new = self.add(source);
        self.loads.insert(key, new);
        new
    }
}

/// `struct fh_unwritten_context` of the hook ABI, which LLVM lays down: the shadows of the arguments of the next call and
/// of the result of the last one.
#[repr(C)]
struct Context {
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

/// The context: nobody keeps what this gives.
fn context() -> &'static mut Context {
    // SAFETY: one OS thread; instrumented code and this file touch the context in turn.
    unsafe { &mut *CONTEXT.0.get() }
}

/// Where the shadow of some memory is, and where its origins are.
#[repr(C)]
#[derive(Clone, Copy)]
struct Metadata {
    shadow: *mut u8,
    origins: *mut Origin,
}

/// What memory without a shadow has: zeros, as nobody writes them.
static NOTHING: Shared<[u64; 512]> = Shared(UnsafeCell::new([0; 512]));
/// Where the shadow of what is written to memory without one goes.
static AWAY: Shared<[u64; 512]> = Shared(UnsafeCell::new([0; 512]));

/// Metadata of memory that has none, for at most 4096 bytes.
fn elsewhere(shared: &'static Shared<[u64; 512]>) -> Metadata {
    Metadata { shadow: shared.0.get().cast(), origins: shared.0.get().cast() }
}

/// The metadata of the byte at the address, if its memory has any.
fn metadata(address: usize) -> Option<Metadata> {
    if !ON.load(Ordering::Relaxed) {
        return None;
    }
    let (shadow, origins) = if layout::is_stack(address) || layout::is_heap(address) {
        (address - layout::BASE + SHADOW, address - layout::BASE + ORIGINS)
    } else if (IMAGE[0].load(Ordering::Relaxed)..IMAGE[1].load(Ordering::Relaxed)).contains(&address) {
        origins_of_variables();
        (address + IMAGE_SHADOW, address + IMAGE_ORIGINS)
    } else {
        return None;
    };
    Some(Metadata { shadow: shadow as *mut u8, origins: (origins & !3) as *mut Origin })
}

fn origins_of_variables() {
    origins().in_variables = true;
}

/// What is known of the bits of a value of at most 8 bytes: which were never written, and where these come from.
#[derive(Clone, Copy, Default)]
pub(crate) struct Unwritten {
    bits: u64,
    origin: Origin,
}

impl Unwritten {
    /// All bits were written.
    pub(crate) const NONE: Self = Self { bits: 0, origin: 0 };

    /// The first byte of the value.
    pub(crate) const fn first(self) -> Self {
        Self { bits: self.bits & 0xff, origin: self.origin }
    }

    /// The bytes behind the first one.
    pub(crate) const fn behind_first(self) -> Self {
        Self { bits: self.bits >> 8, origin: self.origin }
    }

    /// This value with another one's, moved up by so many bytes, beside it.
    pub(crate) const fn beside(self, other: Self, offset: usize) -> Self {
        let origin = if other.bits == 0 { self.origin } else { other.origin };
        Self { bits: self.bits | other.bits << (8 * offset), origin }
    }
}

/// What is known of so many bytes of memory, at most 8.
pub(crate) fn of(address: usize, width: usize) -> Unwritten {
    let Some(Metadata { shadow, origins }) = metadata(address) else { return Unwritten::NONE };
    let mut bits = [0; 8];
    // SAFETY: the shadow of as many bytes is mapped.
    unsafe { std::ptr::copy_nonoverlapping(shadow, bits.as_mut_ptr(), width) };
    let bits = u64::from_le_bytes(bits);
    if bits == 0 {
        return Unwritten::NONE;
    }
    let first = bits.trailing_zeros() as usize / 8;
    let at = origins.wrapping_byte_add(((address & 3) + first) & !3);
    // SAFETY: the origins of as many bytes are mapped, and the place is aligned.
    Unwritten { bits, origin: unsafe { at.read() } }
}

/// What is known of so many bytes of memory, at most 8, that the C library loads together: the origin says which they are.
pub(crate) fn of_loaded(address: usize, width: usize) -> Unwritten {
    let mut loaded = of(address, width);
    if loaded.bits != 0 {
        loaded.origin = origins().loaded(loaded.origin, address..address + width);
    }
    loaded
}

/// From now on a value of which this is known is in so many bytes of memory, at most 8.
pub(crate) fn put(address: usize, width: usize, value: Unwritten) {
    let Some(Metadata { shadow, origins }) = metadata(address) else { return };
    // SAFETY: the shadow of as many bytes is mapped.
    unsafe { std::ptr::copy_nonoverlapping(value.bits.to_le_bytes().as_ptr(), shadow, width) };
    if value.bits == 0 {
        return;
    }
    for word in 0..((address & 3) + width).div_ceil(4) {
        // SAFETY: the origins of as many bytes are mapped, and the place is aligned.
        unsafe { origins.wrapping_add(word).write(value.origin) };
    }
}

/// From now on these bytes are written.
pub(crate) fn written(address: usize, length: usize) {
    fill(address, length, 0);
}

fn fill(address: usize, length: usize, byte: u8) {
    if let Some(Metadata { shadow, .. }) = metadata(address) {
        // SAFETY: the shadow of as many bytes of one object is mapped.
        unsafe { std::ptr::write_bytes(shadow, byte, length) };
    }
}

/// Copies what is known of so many bytes.
pub(crate) fn copy(to: usize, from: usize, length: usize) {
    if !ON.load(Ordering::Relaxed) || length == 0 {
        return;
    }
    let Some(target) = metadata(to) else { return };
    let Some(source) = metadata(from) else { return written(to, length) };
    // SAFETY: the shadows of both are mapped.
    unsafe { std::ptr::copy(source.shadow, target.shadow, length) };
    let words = ((to & 3) + length).div_ceil(4);
    // SAFETY: so are the origins, of all words that the bytes lie in.
    unsafe { std::ptr::copy(source.origins, target.origins, words) };
}

/// A new object that nobody has written.
fn begin_object(source: Source) {
    let object = source.object.clone();
    let Some(Metadata { origins: place, .. }) = metadata(object.start) else { return };
    fill(object.start, object.len(), 0xff);
    let origin = origins().begin(source);
    for word in 0..((object.start & 3) + object.len()).div_ceil(4) {
        // SAFETY: the origins of the object are mapped.
        unsafe { place.wrapping_add(word).write(origin) };
    }
}

/// A block of the heap was allocated, and not filled.
pub(crate) fn allocated(address: usize, size: usize, maker: Doer) {
    if ON.load(Ordering::Relaxed) && size > 0 {
        begin_object(Source { object: address..address + size, what: What::Block, maker, loaded: None });
    }
}

/// Ends the execution if the byte of which this is known is one that was never written, and the library function that is
/// called here uses it.
pub(crate) fn require(value: Unwritten, site: RecordPointer) {
    if value.bits != 0 {
        use_of(value.origin, site);
    }
}

/// Whether the program was compiled for it, and memory for shadows is to be had: from now on they are kept.
///
/// # Errors
/// What the system says to a reservation of address space.
pub(crate) fn start() -> std::io::Result<()> {
    if !globals::tracks_unwritten() {
        return Ok(());
    }
    let image = globals::image();
    let (first, last) = (image.start & !0xfff, (image.end + 0xfff) & !0xfff);
    layout::reserve(SHADOW, layout::LENGTH)?;
    layout::reserve(ORIGINS, layout::LENGTH)?;
    layout::reserve(IMAGE_SHADOW + first, last - first)?;
    layout::reserve(IMAGE_ORIGINS + first, last - first)?;
    IMAGE[0].store(image.start, Ordering::Relaxed);
    IMAGE[1].store(image.end, Ordering::Relaxed);
    ON.store(true, Ordering::Relaxed);
    Ok(())
}

/// A new execution begins: all variables are written.
pub(crate) fn begin() {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    let origins = origins();
    origins.sources.clear();
    origins.loads.clear();
    origins.objects.clear();
    if std::mem::take(&mut origins.in_variables) {
        let image = globals::image();
        fill(image.start, image.len(), 0);
        self::origins().in_variables = false;
    }
}

/// What was never written is used here: a finding.
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
    let failure = Failure { kind: FailureKind::Uninitialised, message, sites, program_counter: None };
    end_execution(End::Failed(failure));
}

/// A branch, an address, an argument or a result depends on what was never written.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_use(origin: Origin, site: RecordPointer) {
    if ON.load(Ordering::Relaxed) {
        use_of(origin, site);
    }
}

/// The program is about to access what this pointer points to.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_address(_pointer: *const c_void, site: RecordPointer) {
    require(argument(0), site);
}

/// The program makes room for a local variable.
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

/// A function that is not instrumented has got this pointer: what of the object it may have written is not known.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_forget(pointer: *const c_void) {
    let address = pointer as usize;
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    // Asked by address: an origin is of four aligned bytes, which may lie in two objects.
    if let Some(end) = origins().end_of_object(address) {
        written(address, end - address);
    }
}

/// Copies what is known of so many bytes, which an indivisible access has just copied.
#[unsafe(no_mangle)]
extern "C" fn __fh_unwritten_copy(to: *mut c_void, from: *const c_void, length: u64) {
    copy(to as usize, from as usize, length as usize);
}

/// What is known of the argument of this hook at this position: each takes eight bytes of the context.
fn argument(position: usize) -> Unwritten {
    let context = context();
    let bits = context.arguments.as_chunks::<8>().0[position];
    let bits = u64::from_le_bytes(bits);
    Unwritten { bits, origin: context.argument_origins[2 * position] }
}

/// Says what is known of the result of this hook.
fn give(value: Unwritten) {
    let context = context();
    context.result[..8].copy_from_slice(&value.bits.to_le_bytes());
    context.result_origin = value.origin;
}

const fn narrow(value: Unwritten, width: usize) -> Unwritten {
    Unwritten { bits: value.bits & (u64::MAX >> (64 - 8 * width)), ..value }
}

/// What is known of memory that an access of the program has just loaded, which goes to its result.
fn load<T: Bits>(value: T, address: usize) -> T {
    give(of_loaded(address, usize::from(T::WIDTH)));
    value
}

/// Whether none of so many bytes was ever written: what is compared then means nothing, even where padding is compared.
const fn is_all(value: Unwritten, width: usize) -> bool {
    value.bits == u64::MAX >> (64 - 8 * width)
}

/// A compare-and-exchange has been performed.
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
            // SAFETY: the variable of the caller's frame to which the access has just written.
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

/// An indivisible read-modify-write of any width has been performed: `old` is where the old value went.
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

/// An indivisible compare-and-exchange of any width has been performed.
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

/// Metadata of so many bytes, where the memory has none.
fn large(shared: &'static Shared<[u64; 512]>, length: usize) -> Metadata {
    if length <= size_of::<[u64; 512]>() {
        return elsewhere(shared);
    }
    // Rare: a vector or struct of that size in memory that is not the program's own.
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

/// An origin keeps its number where its value is stored.
#[unsafe(no_mangle)]
extern "C" fn __fh_msan_chain_origin(origin: Origin) -> Origin {
    origin
}

/// What inline assembly that stays native may write, it writes.
#[unsafe(no_mangle)]
extern "C" fn __fh_msan_instrument_asm_store(address: usize, length: u64) {
    written(address, length as usize);
}

/// # Safety
/// As `memmove`, on private memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_msan_memmove(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    // SAFETY: the caller's own copy.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length) };
    copy(to as usize, from as usize, length);
    to
}

/// # Safety
/// As `memcpy`, on private memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_msan_memcpy(to: *mut c_void, from: *const c_void, length: usize) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe { __fh_msan_memmove(to, from, length) }
}

/// # Safety
/// As `memset`, on private memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_msan_memset(to: *mut c_void, byte: i32, length: usize) -> *mut c_void {
    // SAFETY: the caller's own fill.
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

crate::abi::same_record!(fh_unwritten_metadata, Metadata, shadow, origins);

impl crate::abi::Passed for Metadata {
    const KIND: crate::abi::Kind = crate::abi::Kind::Struct(size_of::<Self>());
}
