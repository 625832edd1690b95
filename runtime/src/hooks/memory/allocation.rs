//! The malloc family, on the blocks of [`crate::state::heap`].

use std::ffi::{c_char, c_int, c_void};

use engine::event::Thread;
use protocol::{FailureKind, Operation, Role, SiteUse};

use crate::hooks::library::cursor::{self, Limit};
use crate::hooks::memory::access::{copy, fill};
use crate::process::fiber::set_errno;
use crate::process::layout::{self, PATTERN};
use crate::process::sites::{Record, RecordPointer, call_site};
use crate::run::{end_execution, with};
use crate::state::failure::{Failure, bytes, part};
use crate::state::graph::labels::Label;
use crate::state::heap::{ALIGNMENT, BadFree, Block};
use crate::state::turn::End;
use crate::state::unmodelled::Unmodelled;
use crate::state::unwritten;
use crate::world::{self, memory};

/// Allocates a block for the running thread, filled with `byte`; returns null, and sets `errno`, for more than there
/// can be.
fn allocate(size: usize, alignment: usize, byte: u8) -> *mut c_void {
    let site = call_site();
    if size.saturating_add(alignment) >= layout::ARENA {
        return out_of_memory();
    }
    let allocated = with(|runtime| {
        let doer = (runtime.running, Record::behind(site));
        runtime.memory.heap.allocate(size, alignment, doer, &mut runtime.memory.shadow)
    });
    memory::allocates();
    match allocated {
        Some(Some(address)) => {
            // SAFETY: a block of the arena is mapped, writable and nobody's yet.
            unsafe { std::ptr::write_bytes(address as *mut u8, byte, size) };
            let maker = (running(), Record::behind(site));
            match byte {
                PATTERN => unwritten::allocated(address, size, maker),
                _ => unwritten::written(address, size),
            }
            address as *mut c_void
        }
        Some(None) => {
            let message = format!("a thread allocated more than {} MiB in one execution", layout::ARENA >> 20);
            fail(FailureKind::Crash, message, site, Operation::Allocate, Vec::new())
        }
        None => {
            // SAFETY: libc's own contract holds for any size and alignment here.
            let block = unsafe { libc::memalign(alignment, size) };
            if !block.is_null() {
                // SAFETY: libc just returned `size` bytes.
                unsafe { std::ptr::write_bytes(block.cast::<u8>(), byte, size) };
            }
            block
        }
    }
}

/// Returns the running thread; main before `main` begins.
fn running() -> Thread {
    with(|runtime| runtime.running).unwrap_or(Thread::MAIN)
}

/// Sets `errno` to `ENOMEM`, and returns null.
fn out_of_memory() -> *mut c_void {
    set_errno(libc::ENOMEM);
    std::ptr::null_mut()
}

/// Ends the execution with a failure of the running thread, in which the other sites have a part.
fn fail(kind: FailureKind, message: String, site: RecordPointer, operation: Operation, others: Vec<SiteUse>) -> ! {
    let at = part(Role::At, (running(), Record::behind(site)), operation);
    let sites = [vec![at], others].concat();
    end_execution(End::Failed(Failure::new(kind, message, sites)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_malloc(size: usize) -> *mut c_void {
    allocate(size, ALIGNMENT, PATTERN)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_calloc(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(size) => allocate_zeroed(size, ALIGNMENT),
        None => out_of_memory(),
    }
}

/// Allocates a block of zeros, which are written by stores if others may see the block before them.
pub(crate) fn allocate_zeroed(size: usize, alignment: usize) -> *mut c_void {
    if !world::zeros_may_wait() {
        return allocate(size, alignment, 0);
    }
    let site = call_site();
    let block = allocate(size, alignment, PATTERN);
    if !block.is_null() {
        fill(block as usize, 0, size, site);
        // Accesses that others cannot see go to real memory.
        // SAFETY: the block has that size and is this thread's alone.
        unsafe { std::ptr::write_bytes(block.cast::<u8>(), 0, size) };
    }
    block
}

#[unsafe(no_mangle)]
extern "C" fn __fh_aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    require_power_of_two(alignment, "aligned_alloc");
    if !size.is_multiple_of(alignment) {
        let message = format!("aligned_alloc of {}, which is no multiple of the alignment {alignment}", bytes(size));
        fail(FailureKind::Misuse, message, call_site(), Operation::call("aligned_alloc"), Vec::new());
    }
    allocate(size, alignment.max(ALIGNMENT), PATTERN)
}

/// Ends the execution if the alignment is no power of two. The C standard leaves open what comes of such a call, and so
/// does glibc for `memalign`; `posix_memalign` has to return `EINVAL`, which a program may count on.
fn require_power_of_two(alignment: usize, function: &'static str) {
    if !alignment.is_power_of_two() {
        let message = format!("{function} with the alignment {alignment}, which is no power of two");
        fail(FailureKind::Misuse, message, call_site(), Operation::call(function), Vec::new());
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memalign(alignment: usize, size: usize) -> *mut c_void {
    require_power_of_two(alignment, "memalign");
    allocate(size, alignment.max(ALIGNMENT), PATTERN)
}

/// # Safety
/// As `posix_memalign`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_posix_memalign(into: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = allocate(size, alignment.max(ALIGNMENT), PATTERN);
    if block.is_null() {
        return libc::ENOMEM;
    }
    cursor::write(into as usize, &(block as usize).to_le_bytes(), call_site());
    0
}

/// Frees a block on behalf of the function that was called, or ends the execution if that cannot be done.
pub(crate) fn release(block: *mut c_void, function: &'static str, site: RecordPointer) {
    let address = block as usize;
    if !layout::is_heap(address) {
        let variable = crate::process::sections::is_variable(address) || layout::is_stack(address);
        if variable && with(|_| ()).is_some() {
            let message = format!("{function} of memory that malloc did not give");
            fail(FailureKind::InvalidFree, message, site, Operation::call(function), Vec::new());
        }
        // SAFETY: this is a block that libc allocated inside one of its own functions.
        unsafe { libc::free(block) };
        return;
    }
    if let Err(bad) = memory::free(address, function, site) {
        fail_to_free(&bad, function, FailureKind::DoubleFree, site);
    }
}

/// Ends the execution as this block cannot be freed; `freed` is the kind of the failure if it was freed before.
fn fail_to_free(bad: &BadFree, function: &'static str, freed: FailureKind, site: RecordPointer) -> ! {
    let allocated = |block: &Block| part(Role::Allocated, block.allocated, Operation::Allocate);
    match bad {
        BadFree::NoBlock(within) => {
            let message = format!("{function} of an address that is not the beginning of a block");
            fail(
                FailureKind::InvalidFree,
                message,
                site,
                Operation::call(function),
                within.iter().map(allocated).collect(),
            )
        }
        BadFree::Double(block) => {
            let first = block.freed.expect("a double free has a first free");
            let message = format!("{function} of a block of {} that was freed before", bytes(block.size));
            let others = vec![part(Role::Freed, first, Operation::Free), allocated(block)];
            fail(freed, message, site, Operation::call(function), others)
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_free(block: *mut c_void) {
    if !block.is_null() {
        release(block, "free", call_site());
    }
}

/// Returns the size of a block, whoever allocated it.
fn size_of_block(block: *mut c_void, function: &'static str, freed: FailureKind, site: RecordPointer) -> usize {
    if !layout::is_heap(block as usize) {
        // SAFETY: this is a block of libc's.
        return unsafe { libc::malloc_usable_size(block) };
    }
    match with(|runtime| runtime.memory.heap.living(block as usize)) {
        Some(Err(bad)) => fail_to_free(&bad, function, freed, site),
        Some(Ok(block)) => block.size,
        None => 0,
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let site = call_site();
    if old.is_null() {
        return allocate(size, ALIGNMENT, PATTERN);
    }
    if size == 0 {
        release(old, "realloc", site);
        return std::ptr::null_mut();
    }
    let address = old as usize;
    if !is_of_running_thread(address) {
        world::refuse(Unmodelled::ForeignRealloc, site);
    }
    let kept = size_of_block(old, "realloc", FailureKind::DoubleFree, site).min(size);
    let new = allocate(size, ALIGNMENT, PATTERN);
    if !new.is_null() {
        copy(new as usize, address, kept, Label::NONE, site);
        release(old, "realloc", site);
    }
    new
}

/// Whether the address is in the running thread's arena.
fn is_of_running_thread(address: usize) -> bool {
    let arena = layout::arena(running());
    (arena..arena + layout::ARENA).contains(&address)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_reallocarray(old: *mut c_void, count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(size) => __fh_realloc(old, size),
        None => out_of_memory(),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_malloc_usable_size(block: *mut c_void) -> usize {
    if block.is_null() {
        return 0;
    }
    size_of_block(block, "malloc_usable_size", FailureKind::UseAfterFree, call_site())
}

/// # Safety
/// As `strdup`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_strdup(string: *const c_char) -> *mut c_char {
    duplicate(string, Limit::String)
}

/// # Safety
/// As `strndup`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_strndup(string: *const c_char, limit: usize) -> *mut c_char {
    duplicate(string, Limit::StringWithin(limit))
}

/// Allocates a block with a copy of a string.
fn duplicate(string: *const c_char, limit: Limit) -> *mut c_char {
    let site = call_site();
    let text = cursor::gather(string as usize, limit, site);
    let copy = new_block(text.bytes());
    text.release();
    copy.cast()
}

/// Allocates a block with these bytes and a zero byte; returns null if there is no room.
pub(crate) fn new_block(bytes: &[u8]) -> *mut c_void {
    let block = allocate(bytes.len() + 1, ALIGNMENT, PATTERN);
    if !block.is_null() {
        // Nobody else knows of the block yet, but stores of its address could overtake these.
        cursor::write(block as usize, &[bytes, &[0]].concat(), call_site());
    }
    block
}
