//! Unwritten values (`--uninitialised`): which bits of memory hold a value that the program has never written, and
//! where it came from.
//!
//! With the option, the pass lets LLVM's MemorySanitizer, in the form that it has for kernels, carry a *shadow* beside each
//! value of instrumented code: a bit is set where the value's bit was never written. Copies carry it along; a branch, an
//! address, a division, an argument and a result of a function are *uses*. That form asks its runtime for everything;
//! this file and the hooks of [`crate::hooks::memory::unwritten`] are that runtime: here is where the shadow of some
//! memory lies ([`Metadata`]), there how shadows go from call to call and what a use comes to. The shadow of a value
//! that goes through the hooks of [`crate::hooks::memory::access`] is put in place by further hooks behind them, which
//! belong to the same event: no other thread runs between the two.
//!
//! Each value that was never written has an *origin*, the number of a [`Source`]: a block of the heap or a local variable,
//! and, once a hook has loaded it, which of its bytes.

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::process::{layout, sections};
use crate::state::failure::{Doer, bytes};

/// The address at which the shadow of the region of [`layout`] begins.
const SHADOW: usize = 0x2000_0000_0000;
/// The address at which the origins of the region begin: four bytes for four bytes.
const ORIGINS: usize = 0x3000_0000_0000;
/// The offset of the shadow of a variable of the program from the variable itself.
const IMAGE_SHADOW: usize = 0x2800_0000_0000;
/// The offset of the origins of a variable of the program from the variable itself.
const IMAGE_ORIGINS: usize = 0x3800_0000_0000;

/// Whether shadows are kept.
pub(crate) static ON: AtomicBool = AtomicBool::new(false);
/// The first address of the program's variables, and the one behind the last.
static IMAGE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// The number of a [`Source`]; 0 stands for a value of which only is known that it was never written.
pub(crate) type Origin = u32;

/// A source of unwritten values: an object that was never written.
#[derive(Clone)]
pub(crate) struct Source {
    /// The bytes of the object.
    pub(crate) object: Range<usize>,
    /// The kind of the object: a block of the heap, or a local variable.
    pub(crate) what: What,
    /// The thread by which the object came to be, and the place.
    pub(crate) maker: Doer,
    /// The bytes of the object that were loaded together, if a load has read them.
    pub(crate) loaded: Option<Range<usize>>,
}

/// The kind of an object that was never written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A block of the heap.
    Block,
    /// A local variable.
    Local,
}

impl Source {
    /// Describes the source in words: `bytes 4 to 7 of a block of 16 bytes`.
    pub(crate) fn words(&self) -> String {
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
pub(crate) struct Origins {
    sources: Vec<Source>,
    /// The objects that began unwritten: the end of each, by its first byte. No two overlap.
    objects: BTreeMap<usize, usize>,
    /// The origins of bytes that were loaded, by the origin of their object, their first address and their end.
    loads: FxHashMap<(Origin, usize, usize), Origin>,
    /// Whether some variable of the program has held an unwritten value.
    in_variables: bool,
}

/// A global variable of the one OS thread.
pub(crate) struct Shared<T>(pub(crate) UnsafeCell<T>);

// SAFETY: the program runs on one OS thread.
unsafe impl<T> Sync for Shared<T> {}

static SOURCES: Shared<Option<Origins>> = Shared(UnsafeCell::new(None));

/// Returns the origins; callers do not keep the reference.
pub(crate) fn origins() -> &'static mut Origins {
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
    /// Adds a new object, which takes the place of those that it overlaps.
    fn begin(&mut self, source: Source) -> Origin {
        let Range { start, end } = source.object;
        while let Some((&other, _)) = self.objects.range(..end).next_back().filter(|&(_, &other_end)| other_end > start)
        {
            self.objects.remove(&other);
        }
        self.objects.insert(start, end);
        self.add(source)
    }

    /// Returns the end of the object that this address is in.
    pub(crate) fn end_of_object(&self, address: usize) -> Option<usize> {
        self.objects.range(..=address).next_back().map(|(_, &end)| end).filter(|&end| address < end)
    }

    /// Adds a source, and returns its number.
    fn add(&mut self, source: Source) -> Origin {
        self.sources.push(source);
        self.sources.len() as Origin
    }

    /// Returns the source of an origin.
    pub(crate) fn get(&self, origin: Origin) -> Option<&Source> {
        self.sources.get((origin as usize).checked_sub(1)?)
    }

    /// Returns the origin of these bytes of the object of an origin.
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

/// The addresses of the shadow and of the origins of some memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Metadata {
    /// The address of the shadow: a byte for each byte.
    pub(crate) shadow: *mut u8,
    /// The address of the origin of the four aligned bytes.
    pub(crate) origins: *mut Origin,
}

/// Returns the metadata of the byte at the address, if its memory has any.
pub(crate) fn metadata(address: usize) -> Option<Metadata> {
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

/// Notes that variables of the program may hold unwritten values.
fn origins_of_variables() {
    origins().in_variables = true;
}

/// The bits of a value of at most 8 bytes that were never written, and their origin.
#[derive(Clone, Copy, Default)]
pub(crate) struct Unwritten {
    /// The bits that were never written.
    pub(crate) bits: u64,
    /// The origin of these bits.
    pub(crate) origin: Origin,
}

impl Unwritten {
    /// The knowledge that all bits were written.
    pub(crate) const NONE: Self = Self { bits: 0, origin: 0 };

    /// Returns what is known of the first byte of the value.
    pub(crate) const fn first(self) -> Self {
        Self { bits: self.bits & 0xff, origin: self.origin }
    }

    /// Returns what is known of the bytes behind the first one.
    pub(crate) const fn behind_first(self) -> Self {
        Self { bits: self.bits >> 8, origin: self.origin }
    }

    /// Joins what is known of this value and of another one that stands beside it, `offset` bytes further up.
    pub(crate) const fn beside(self, other: Self, offset: usize) -> Self {
        let origin = if other.bits == 0 { self.origin } else { other.origin };
        Self { bits: self.bits | other.bits << (8 * offset), origin }
    }
}

/// Returns what is known of `width` bytes of memory, at most 8.
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

/// Returns what is known of `width` bytes of memory, at most 8, that the C library loads together: the origin says
/// which they are.
pub(crate) fn of_loaded(address: usize, width: usize) -> Unwritten {
    let mut loaded = of(address, width);
    if loaded.bits != 0 {
        loaded.origin = origins().loaded(loaded.origin, address..address + width);
    }
    loaded
}

/// Puts a value of which this is known into `width` bytes of memory, at most 8.
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

/// Notes that these bytes are written.
pub(crate) fn written(address: usize, length: usize) {
    fill(address, length, 0);
}

/// Fills the shadow of these bytes with a byte.
pub(crate) fn fill(address: usize, length: usize, byte: u8) {
    if let Some(Metadata { shadow, .. }) = metadata(address) {
        // SAFETY: the shadow of as many bytes of one object is mapped.
        unsafe { std::ptr::write_bytes(shadow, byte, length) };
    }
}

/// Copies what is known of `length` bytes.
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

/// Adds a new object that nobody has written.
pub(crate) fn begin_object(source: Source) {
    let object = source.object.clone();
    let Some(Metadata { origins: place, .. }) = metadata(object.start) else { return };
    fill(object.start, object.len(), 0xff);
    let origin = origins().begin(source);
    for word in 0..((object.start & 3) + object.len()).div_ceil(4) {
        // SAFETY: the origins of the object are mapped.
        unsafe { place.wrapping_add(word).write(origin) };
    }
}

/// Notes that a block of the heap was allocated, and not filled.
pub(crate) fn allocated(address: usize, size: usize, maker: Doer) {
    if ON.load(Ordering::Relaxed) && size > 0 {
        begin_object(Source { object: address..address + size, what: What::Block, maker, loaded: None });
    }
}

/// Starts to keep shadows, if the program was compiled for it.
///
/// # Errors
/// Returns the system's error if address space cannot be reserved.
pub(crate) fn start() -> std::io::Result<()> {
    if !sections::tracks_unwritten() {
        return Ok(());
    }
    let image = sections::image();
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

/// Forgets the last execution: all variables are written.
pub(crate) fn begin() {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    let origins = origins();
    origins.sources.clear();
    origins.objects.clear();
    origins.loads.clear();
    if std::mem::take(&mut origins.in_variables) {
        let image = sections::image();
        fill(image.start, image.len(), 0);
        self::origins().in_variables = false;
    }
}

crate::abi::same_record!(fh_unwritten_metadata, Metadata, shadow, origins);

impl crate::abi::Passed for Metadata {
    const KIND: crate::abi::Kind = crate::abi::Kind::Struct(size_of::<Self>());
}
