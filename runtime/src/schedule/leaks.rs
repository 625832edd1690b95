//! Lost blocks: those that nothing points to any more at the end of an execution, by the rules of `LeakSanitizer`.
//! Pointers may be held by the variables of the program and its libraries, by the thread-local variables and stacks of
//! threads that have not ended (and of the one that called `exit`), and by blocks that are reached from these. Any
//! eight aligned bytes that would be an address within a block are taken for a pointer to it.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use engine::event::Thread;
use engine::execution::{Pending, Status};
use protocol::{FailureKind, Leaks, Operation, Role};

use crate::process::{layout, sections};
use crate::run::Runtime;
use crate::state::failure::{Failure, bytes, part};
use crate::state::heap::Block;

/// The living blocks, by address, and which of them have been reached.
struct Reach<'a> {
    blocks: &'a [Block],
    reached: Vec<bool>,
}

impl<'a> Reach<'a> {
    /// Makes a set of blocks of which none is reached.
    fn nothing(blocks: &'a [Block]) -> Self {
        Self { blocks, reached: vec![false; blocks.len()] }
    }

    /// Returns the index of the block that the address is in, or that begins there.
    fn block(&self, address: usize) -> Option<usize> {
        let after = self.blocks.partition_point(|block| block.address <= address);
        let index = after.checked_sub(1)?;
        let block = &self.blocks[index];
        (block.address == address || block.bytes().contains(&address)).then_some(index)
    }

    /// Reaches all blocks that the memory points to, but for `except`.
    fn from(&mut self, memory: &Range<usize>, except: Option<usize>) {
        let mut open = vec![memory.clone()];
        while let Some(memory) = open.pop() {
            for at in (memory.start.next_multiple_of(8)..).step_by(8).take_while(|at| at + 8 <= memory.end) {
                // SAFETY: this is mapped memory of the program, no thread of which runs.
                let value = unsafe { (at as *const usize).read() };
                if !layout::is_heap(value) {
                    continue;
                }
                if let Some(index) = self.block(value).filter(|&index| !self.reached[index] && Some(index) != except) {
                    self.reached[index] = true;
                    open.push(self.blocks[index].bytes());
                }
            }
        }
    }
}

/// Returns all writable memory of the executable and its libraries.
fn variables() -> Vec<Range<usize>> {
    unsafe extern "C" fn segments(info: *mut libc::dl_phdr_info, _size: usize, into: *mut c_void) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes a valid description.
        let info = unsafe { &*info };
        // SAFETY: `into` is the vector that is passed below.
        let into = unsafe { &mut *into.cast::<Vec<Range<usize>>>() };
        for index in 0..info.dlpi_phnum {
            let header = info.dlpi_phdr.wrapping_add(index.into());
            // SAFETY: there are as many headers as `dlpi_phnum` says.
            let header = unsafe { &*header };
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
                let start = (info.dlpi_addr + header.p_vaddr) as usize;
                into.push(start..start + header.p_memsz as usize);
            }
        }
        0
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    // SAFETY: the callback gets the vector, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(segments), (&raw mut found).cast()) };
    found
}

/// Returns the lost blocks that no other lost one points to, and those in circles that none of these leads to.
fn heads(blocks: &[Block], lost: &[usize]) -> Vec<usize> {
    let reached_from = |from: &[usize]| {
        let mut reach = Reach::nothing(blocks);
        from.iter().for_each(|&index| reach.from(&blocks[index].bytes(), Some(index)));
        reach.reached
    };
    let pointed_to = reached_from(lost);
    let first: Vec<usize> = lost.iter().copied().filter(|&index| !pointed_to[index]).collect();
    let led_to = reached_from(&first);
    let circles = lost.iter().copied().filter(|&index| pointed_to[index] && !led_to[index]);
    first.iter().copied().chain(circles).collect()
}

/// Returns the lost blocks at the end of a complete execution as failures, if they are asked for.
pub(crate) fn leaks(runtime: &Runtime) -> Vec<Failure> {
    if runtime.memory.heap.leaks == Leaks::Ignored {
        return Vec::new();
    }
    let blocks: Vec<Block> = runtime.memory.heap.all_living().copied().collect();
    let mut reach = Reach::nothing(&blocks);
    roots(runtime).iter().for_each(|root| reach.from(root, None));
    let lost: Vec<usize> = (0..blocks.len()).filter(|&index| !reach.reached[index]).collect();
    let mut failures: Vec<Failure> = Vec::new();
    for index in heads(&blocks, &lost) {
        let block = &blocks[index];
        let message = format!("a block of {} is lost: nothing points to it any more", bytes(block.size));
        let sites = vec![part(Role::Allocated, block.allocated, Operation::Allocate)];
        let failure = Failure::new(FailureKind::Leak, message, sites);
        if !failures.iter().any(|other| other.identity() == failure.identity()) {
            failures.push(failure);
        }
    }
    failures
}

/// Returns the memory from which blocks are reached.
fn roots(runtime: &Runtime) -> Vec<Range<usize>> {
    let mut roots = variables();
    roots.push(sections::tls_of(Thread::MAIN));
    roots.extend(
        runtime.conclusion.exited_at.iter().map(|&(thread, pointer)| pointer..layout::stack(thread) + layout::STACK),
    );
    for index in 0..runtime.threads.len() {
        let thread = Thread::from_index(index);
        let status = runtime.execution.state.threads.status(thread);
        // For a thread that has exited, `exited_at` tells how much of its stack is in use.
        let has_exited = status == Status::Arrived(Pending::Join(thread));
        if !has_exited && matches!(status, Status::Arrived(_) | Status::Waiting(_) | Status::Running) {
            let low = layout::stack(thread);
            roots.push(low + layout::GUARD..low + layout::STACK);
        }
    }
    roots
}
