//! The memory of the program under test that the runtime gives out: one region at a fixed address, so that addresses
//! repeat from execution to execution and from run to run.
//!
//! ```text
//! BASE            255 stacks of 8 MiB, each with a guard below it; thread-local variables at its top
//! BASE + HEAP     255 arenas of 256 MiB, one a thread
//! ```
//! All of it is reserved without being backed: a page costs memory once it is touched.

use engine::event::Thread;

use crate::abi::number;

/// The address at which the region begins.
pub(crate) const BASE: usize = 0x1000_0000_0000;
/// The bytes of a thread's stack, guard included.
pub(crate) const STACK: usize = 8 << 20;
/// The bytes of the guard at the low end of a stack.
pub(crate) const GUARD: usize = 1 << 20;
/// The bytes of a thread's heap arena.
pub(crate) const ARENA: usize = 256 << 20;
/// The offset of the arenas from [`BASE`].
pub(crate) const HEAP: usize = 256 * STACK;
/// The bytes of the region.
pub(crate) const LENGTH: usize = HEAP + 256 * ARENA;

/// Returns the lowest address of a thread's stack, its guard included.
pub(crate) const fn stack(thread: Thread) -> usize {
    BASE + thread.index() * STACK
}

/// Returns the lowest address of a thread's arena.
pub(crate) const fn arena(thread: Thread) -> usize {
    BASE + HEAP + thread.index() * ARENA
}

/// Returns the number of the arena that the address is in.
pub(crate) const fn arena_of(address: usize) -> Option<usize> {
    if is_heap(address) { Some((address - BASE - HEAP) / ARENA) } else { None }
}

/// Returns the number of the thread on whose stack the address is.
pub(crate) const fn stack_of(address: usize) -> Option<usize> {
    let index = address.wrapping_sub(BASE) / STACK;
    if index < Thread::LIMIT { Some(index) } else { None }
}

/// Whether the address belongs to some thread's heap arena.
pub(crate) const fn is_heap(address: usize) -> bool {
    address >= BASE + HEAP && address < BASE + LENGTH
}

/// Whether the address belongs to some thread's stack.
pub(crate) const fn is_stack(address: usize) -> bool {
    address >= BASE && address < BASE + HEAP
}

/// Maps memory that is backed only where it is touched. If `at` is 0, the system chooses the place.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn reserve(at: usize, length: usize) -> std::io::Result<*mut u8> {
    let place = if at == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
    // SAFETY: an anonymous mapping at a place that is free (MAP_FIXED_NOREPLACE) touches no memory in use.
    let mapped = unsafe {
        libc::mmap(
            at as *mut libc::c_void,
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | place,
            -1,
            0,
        )
    };
    if mapped == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(mapped.cast()) }
}

/// Maps the region. The stacks have no guards yet ([`guard`]).
///
/// # Errors
/// Returns the system's error.
pub(crate) fn map() -> std::io::Result<()> {
    reserve(BASE, LENGTH).map(drop)
}

/// Makes the guard of a thread's stack inaccessible. Each takes the system as long as two small mappings, in every process that
/// is started: those of threads that never run are left out.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn guard(thread: Thread) -> std::io::Result<()> {
    let guard = stack(thread) as *mut libc::c_void;
    // SAFETY: these pages are mapped, and hold nothing: a stack that grows into them has overflowed.
    let done = unsafe { libc::mprotect(guard, GUARD, libc::PROT_NONE) };
    if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

/// Whether the system uses other addresses in each process: the tool asks it not to, but may not be allowed to.
pub(crate) fn is_randomised() -> bool {
    // SAFETY: the call only asks, and changes nothing.
    let personality = unsafe { libc::personality(0xffff_ffff) };
    personality & libc::ADDR_NO_RANDOMIZE == 0
}

/// The byte that fills fresh memory.
pub(crate) const PATTERN: u8 = number("FH_FRESH_BYTE") as u8;

#[cfg(test)]
mod tests {
    use engine::event::Thread;

    use super::{ARENA, BASE, HEAP, LENGTH, STACK, arena, arena_of, is_heap, is_stack, stack, stack_of};

    #[test]
    fn stacks_and_arenas_are_side_by_side_and_each_address_is_of_one() {
        for index in 0..Thread::LIMIT {
            let thread = Thread::from_index(index);
            let ends = |begin: usize, length: usize| [begin, begin + length - 1];
            for address in ends(stack(thread), STACK) {
                assert_eq!((stack_of(address), arena_of(address)), (Some(index), None));
                assert!(is_stack(address) && !is_heap(address));
            }
            for address in ends(arena(thread), ARENA) {
                assert_eq!((stack_of(address), arena_of(address)), (None, Some(index)));
                assert!(is_heap(address) && !is_stack(address));
            }
        }
        for address in [0, BASE - 1, BASE + LENGTH, usize::MAX] {
            assert_eq!((stack_of(address), arena_of(address)), (None, None));
            assert!(!is_stack(address) && !is_heap(address));
        }
        assert!(is_stack(BASE) && is_heap(BASE + HEAP) && is_stack(BASE + HEAP - 1));
    }
}
