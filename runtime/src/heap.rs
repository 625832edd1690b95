//! The malloc family. Each thread has an arena of its own from which blocks are cut one after the other, so an address
//! depends on the thread and on how many bytes it has allocated, not on the schedule. A freed block is not given out
//! again in the same execution.

use std::ffi::{CStr, c_char, c_int, c_void};

use engine::event::Thread;
use protocol::{Kind, Role};

use crate::layout;
use crate::recorder::{Failure, site_use};
use crate::runtime::{End, Runtime, end_execution, with};
use crate::sites::{Record, RecordPointer};
use crate::threads::call_site;

/// What fresh memory holds.
const PATTERN: u8 = 0xa5;
/// What malloc aligns to.
const ALIGNMENT: usize = 16;

#[derive(Clone, Copy)]
struct Block {
    address: usize,
    size: usize,
    allocated: (Thread, &'static Record),
    freed: Option<(Thread, &'static Record)>,
}

/// A thread's arena: blocks in ascending order.
#[derive(Default)]
struct Arena {
    used: usize,
    blocks: Vec<Block>,
}

/// All arenas.
#[derive(Default)]
pub(crate) struct Heap {
    arenas: Vec<Arena>,
}

/// Why a block cannot be freed.
enum BadFree {
    /// It was freed before.
    Double(Block),
    /// It is no block of this heap, but in its memory.
    NoBlock,
}

impl Heap {
    /// Forgets all blocks.
    pub(crate) fn reset(&mut self) {
        for arena in &mut self.arenas {
            arena.used = 0;
            arena.blocks.clear();
        }
    }

    fn allocate(&mut self, thread: Thread, size: usize, alignment: usize, record: &'static Record) -> Option<usize> {
        if self.arenas.len() <= thread.index() {
            self.arenas.resize_with(thread.index() + 1, Arena::default);
        }
        let arena = &mut self.arenas[thread.index()];
        let start = layout::arena(thread);
        let address = (start + arena.used).next_multiple_of(alignment);
        // A gap of at least one byte after each block: its end is no other block's beginning.
        let used =
            address.checked_sub(start)?.checked_add(size)?.checked_add(1)?.checked_next_multiple_of(ALIGNMENT)?;
        if used > layout::ARENA {
            return None;
        }
        arena.used = used;
        arena.blocks.push(Block { address, size, allocated: (thread, record), freed: None });
        Some(address)
    }

    fn block(&mut self, address: usize) -> Option<&mut Block> {
        let index = address.checked_sub(layout::arena(Thread::MAIN))? / layout::ARENA;
        let blocks = &mut self.arenas.get_mut(index)?.blocks;
        let at = blocks.binary_search_by_key(&address, |block| block.address).ok()?;
        Some(&mut blocks[at])
    }

    fn free(&mut self, address: usize, thread: Thread, record: &'static Record) -> Result<(), BadFree> {
        let block = self.block(address).ok_or(BadFree::NoBlock)?;
        if block.freed.is_some() {
            return Err(BadFree::Double(*block));
        }
        block.freed = Some((thread, record));
        Ok(())
    }
}

/// Allocates for the running thread, filled with `byte`; null where there is no control yet and libc has no memory.
fn allocate(size: usize, alignment: usize, byte: u8) -> *mut c_void {
    let site = call_site();
    let allocated = with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        runtime.heap.allocate(thread, size, alignment, Record::behind(site))
    });
    match allocated {
        Some(Some(address)) => {
            // SAFETY: a block of the arena, which is mapped, writable and nobody's yet.
            unsafe { std::ptr::write_bytes(address as *mut u8, byte, size) };
            address as *mut c_void
        }
        Some(None) => out_of_memory(site),
        None => {
            // SAFETY: libc's own contract.
            let block = unsafe { libc::memalign(alignment, size) };
            if !block.is_null() {
                // SAFETY: libc just gave `size` bytes.
                unsafe { std::ptr::write_bytes(block.cast::<u8>(), byte, size) };
            }
            block
        }
    }
}

fn out_of_memory(site: RecordPointer) -> ! {
    let message = format!("a thread allocated more than {} MiB in one execution", layout::ARENA >> 20);
    fail(Kind::Crash, message, &[(Role::At, None, Record::behind(site))], "allocate")
}

fn fail(kind: Kind, message: String, uses: &[(Role, Option<Thread>, &'static Record)], operation: &str) -> ! {
    let running = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let sites = uses
        .iter()
        .map(|&(role, thread, record)| {
            let name = match role {
                Role::Freed => "free",
                Role::Allocated => "allocate",
                _ => operation,
            };
            site_use(role, thread.unwrap_or(running), record, name)
        })
        .collect();
    end_execution(End::Failed(Failure { kind, message, sites, program_counter: None }))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_malloc(size: usize) -> *mut c_void {
    allocate(size, ALIGNMENT, PATTERN)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_calloc(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(size) => allocate(size, ALIGNMENT, 0),
        None => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    if !alignment.is_power_of_two() {
        return std::ptr::null_mut();
    }
    allocate(size, alignment.max(ALIGNMENT), PATTERN)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_memalign(alignment: usize, size: usize) -> *mut c_void {
    __fh_aligned_alloc(alignment, size)
}

/// # Safety
/// As `posix_memalign`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_posix_memalign(into: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = allocate(size, alignment.max(ALIGNMENT), PATTERN);
    with(|runtime| runtime.globals.written_unseen());
    // SAFETY: the program passes where the address goes.
    unsafe { into.write_unaligned(block) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_free(block: *mut c_void) {
    let address = block as usize;
    if block.is_null() {
        return;
    }
    if !layout::is_heap(address) {
        let variable = crate::globals::is_variable(address) || layout::is_stack(address);
        if variable && with(|_| ()).is_some() {
            let message = "free of memory that malloc did not give".to_owned();
            fail(Kind::InvalidFree, message, &[(Role::At, None, Record::behind(call_site()))], "free");
        }
        // SAFETY: a block that libc allocated inside one of its own functions.
        unsafe { libc::free(block) };
        return;
    }
    let record = Record::behind(call_site());
    let freed = with(|runtime: &mut Runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        let size = runtime.heap.block(address).map_or(0, |block| block.size);
        runtime.objects.forget(address..address + size);
        runtime.heap.free(address, thread, record)
    });
    match freed {
        None | Some(Ok(())) => {}
        Some(Err(BadFree::NoBlock)) => {
            let message = "free of an address that is not the beginning of a block".to_owned();
            fail(Kind::InvalidFree, message, &[(Role::At, None, record)], "free")
        }
        Some(Err(BadFree::Double(old))) => {
            let (freed_by, freed_at) = old.freed.expect("a double free has a first free");
            let (allocated_by, allocated_at) = old.allocated;
            let uses = [
                (Role::At, None, record),
                (Role::Freed, Some(freed_by), freed_at),
                (Role::Allocated, Some(allocated_by), allocated_at),
            ];
            fail(
                Kind::DoubleFree,
                format!("free of a block of {} bytes that was freed before", old.size),
                &uses,
                "free",
            )
        }
    }
}

/// The size of a block, whoever allocated it.
fn size_of_block(block: *mut c_void) -> usize {
    if layout::is_heap(block as usize) {
        with(|runtime| runtime.heap.block(block as usize).map(|block| block.size)).flatten().unwrap_or(0)
    } else {
        // SAFETY: a block of libc's.
        unsafe { libc::malloc_usable_size(block) }
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let new = allocate(size, ALIGNMENT, PATTERN);
    if !old.is_null() && !new.is_null() {
        let kept = size_of_block(old).min(size);
        // SAFETY: both blocks have at least `kept` bytes; the new one is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), kept) };
        __fh_free(old);
    }
    new
}

#[unsafe(no_mangle)]
extern "C" fn __fh_reallocarray(old: *mut c_void, count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(size) => __fh_realloc(old, size),
        None => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_malloc_usable_size(block: *mut c_void) -> usize {
    if block.is_null() { 0 } else { size_of_block(block) }
}

/// # Safety
/// As `strdup`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_strdup(string: *const c_char) -> *mut c_char {
    // SAFETY: the program passes a string.
    unsafe { __fh_strndup(string, usize::MAX) }
}

/// # Safety
/// As `strndup`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_strndup(string: *const c_char, limit: usize) -> *mut c_char {
    // SAFETY: the program passes a string of at least `limit` bytes or with an end.
    let length = unsafe { libc::strnlen(string, limit) };
    let copy = allocate(length + 1, ALIGNMENT, 0).cast::<c_char>();
    // SAFETY: `length` bytes are readable, and the copy has one more.
    unsafe { std::ptr::copy_nonoverlapping(string, copy, length) };
    copy
}

/// A string constant of the program, or another one that it passes to a hook; empty if there is none.
pub(crate) fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the program or the pass passes a string.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
