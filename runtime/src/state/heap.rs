//! The blocks of the heap. Each thread has an arena of its own from which blocks are cut one after the other, so an
//! address depends on what the thread itself has allocated and freed, not on the schedule.
//!
//! A freed block is not given out again in the same execution, unless [`Reuse::ByThread`]: then a thread that allocates
//! gets the block of the size at hand that it freed last, as from the per-thread caches of real allocators.
//!
//! Invariant: the bytes of living blocks, and no others of an arena, can be known to the [`Shadow`]; an access to
//! anything else in an arena comes to [`Heap::find`].

use std::ops::Range;

use engine::event::Thread;
use protocol::{Leaks, Reuse};
use rustc_hash::FxHashMap;

use crate::process::layout;
use crate::state::failure::Doer;
use crate::state::shadow::Shadow;

/// The alignment of blocks in bytes, as that of malloc.
pub(crate) const ALIGNMENT: usize = 16;

/// A block of the heap, living or freed.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) address: usize,
    pub(crate) size: usize,
    /// The bytes of the arena that the block takes, up to the next one.
    capacity: usize,
    /// The thread that allocated the block, and the place.
    pub(crate) allocated: Doer,
    /// The thread that freed the block, and the place, once it is freed.
    pub(crate) freed: Option<Doer>,
}

impl Block {
    /// Returns the bytes of the block.
    pub(crate) const fn bytes(&self) -> Range<usize> {
        self.address..self.address + self.size
    }
}

/// A thread's arena, with its blocks in ascending order.
#[derive(Default)]
struct Arena {
    /// The bytes of the arena that were given out.
    used: usize,
    blocks: Vec<Block>,
    /// The addresses of freed blocks, by capacity, the last freed one last.
    freed: FxHashMap<usize, Vec<usize>>,
}

/// The arenas of all threads.
pub(crate) struct Heap {
    arenas: Vec<Arena>,
    reuse: Reuse,
    pub(crate) leaks: Leaks,
}

/// The reason why a block cannot be freed.
pub(crate) enum BadFree {
    /// The block was freed before.
    Double(Block),
    /// The address is not that of a block of this heap, but in its memory: perhaps within this block.
    NoBlock(Option<Block>),
}

/// The content of some bytes of an arena.
pub(crate) enum ArenaContent {
    /// The bytes belong to a living block.
    Living,
    /// The bytes belong to this freed block.
    Freed(Block),
    /// The bytes do not all belong to a block; this one is beside them.
    Beside(Option<Block>),
}

impl Heap {
    /// Makes a heap without blocks.
    pub(crate) const fn new(behaviour: protocol::Heap) -> Self {
        Self { arenas: Vec::new(), reuse: behaviour.reuse, leaks: behaviour.leaks }
    }

    /// Forgets all blocks.
    pub(crate) fn reset(&mut self, shadow: &mut Shadow) {
        for arena in &mut self.arenas {
            arena.used = 0;
            for block in arena.blocks.drain(..).filter(|block| block.freed.is_none()) {
                shadow.hide(block.bytes());
            }
            arena.freed.clear();
        }
    }

    /// Forgets the blocks of one thread.
    pub(crate) fn restart(&mut self, thread: Thread) {
        let arena = self.arena(thread);
        arena.used = 0;
        arena.blocks.clear();
        arena.freed.clear();
    }

    /// Returns the arena of a thread, an empty one at first.
    fn arena(&mut self, thread: Thread) -> &mut Arena {
        if self.arenas.len() <= thread.index() {
            self.arenas.resize_with(thread.index() + 1, Arena::default);
        }
        &mut self.arenas[thread.index()]
    }

    /// Allocates a block and returns its address; `None` if the arena is used up.
    pub(crate) fn allocate(
        &mut self,
        size: usize,
        alignment: usize,
        (thread, record): Doer,
        shadow: &mut Shadow,
    ) -> Option<usize> {
        // There is a gap of at least one byte after each block, so that its end is no other block's beginning.
        let capacity = size.checked_add(1)?.checked_next_multiple_of(ALIGNMENT)?;
        let new = Block { address: 0, size, capacity, allocated: (thread, record), freed: None };
        let address = if let Some(address) = self.reusable(thread, capacity, alignment) {
            *self.block(address).expect("a block that was freed is one") = Block { address, ..new };
            address
        } else {
            let arena = self.arena(thread);
            let start = layout::arena(thread);
            // There is a gap before the first block, too.
            let address = (start + arena.used.max(ALIGNMENT)).checked_next_multiple_of(alignment)?;
            let used = (address - start).checked_add(capacity)?;
            if used > layout::ARENA {
                return None;
            }
            arena.used = used;
            arena.blocks.push(Block { address, ..new });
            address
        };
        shadow.show(address..address + size);
        Some(address)
    }

    /// Returns how many blocks the thread has allocated, and how many bytes of its arena they take.
    pub(crate) fn extent(&self, thread: Thread) -> (usize, usize) {
        self.arenas.get(thread.index()).map_or((0, 0), |arena| (arena.blocks.len(), arena.used))
    }

    /// Whether the thread's last `frees` frees were those of all blocks that it has allocated since it had `blocks`.
    pub(crate) fn has_freed_since(&self, thread: Thread, blocks: usize, frees: u64) -> bool {
        let since = self.arenas.get(thread.index()).map_or(&[][..], |arena| &arena.blocks[blocks..]);
        since.len() as u64 == frees && since.iter().all(|block| block.freed.is_some_and(|(by, _)| by == thread))
    }

    /// Takes back all blocks that the thread has allocated, and freed, since its arena had this extent.
    pub(crate) fn forget_since(&mut self, thread: Thread, blocks: usize, used: usize) {
        if let Some(arena) = self.arenas.get_mut(thread.index()) {
            arena.blocks.truncate(blocks);
            arena.used = used;
            let end = layout::arena(thread) + used;
            arena.freed.values_mut().for_each(|freed| freed.retain(|&address| address < end));
        }
    }

    /// Takes the block with this capacity and alignment that the thread freed last, and returns its address.
    fn reusable(&mut self, thread: Thread, capacity: usize, alignment: usize) -> Option<usize> {
        let freed = self.arena(thread).freed.get_mut(&capacity)?;
        let last = freed.iter().rposition(|address| address.is_multiple_of(alignment))?;
        Some(freed.remove(last))
    }

    /// Returns the block, living or freed, that begins at the address.
    fn block(&mut self, address: usize) -> Option<&mut Block> {
        let index = layout::arena_of(address)?;
        let blocks = &mut self.arenas.get_mut(index)?.blocks;
        let at = blocks.binary_search_by_key(&address, |block| block.address).ok()?;
        Some(&mut blocks[at])
    }

    /// Returns the living block that begins at the address.
    pub(crate) fn living(&self, address: usize) -> Result<Block, BadFree> {
        let block = self.beside(address).filter(|block| block.bytes().contains(&address) || block.address == address);
        match block {
            Some(block) if block.address != address => Err(BadFree::NoBlock(Some(block))),
            Some(block) if block.freed.is_some() => Err(BadFree::Double(block)),
            Some(block) => Ok(block),
            None => Err(BadFree::NoBlock(None)),
        }
    }

    /// Returns the bytes of the living block that the address is in.
    pub(crate) fn object(&self, address: usize) -> Option<Range<usize>> {
        let block = self.beside(address)?;
        (block.freed.is_none() && block.bytes().contains(&address)).then(|| block.bytes())
    }

    /// Returns the living block that the address is in.
    pub(crate) fn block_at(&self, address: usize) -> Option<Block> {
        self.beside(address).filter(|block| block.freed.is_none() && block.bytes().contains(&address))
    }

    /// Frees a block, and returns it as it was before.
    pub(crate) fn free(&mut self, address: usize, doer: Doer, shadow: &mut Shadow) -> Result<Block, BadFree> {
        let living = self.living(address)?;
        self.block(address).expect("a living block is one").freed = Some(doer);
        shadow.hide(living.bytes());
        if self.reuse == Reuse::ByThread {
            self.arena(doer.0).freed.entry(living.capacity).or_default().push(address);
        }
        Ok(living)
    }

    /// Returns the last block that begins at or before the address, else the first one of its arena.
    fn beside(&self, address: usize) -> Option<Block> {
        let blocks = &self.arenas.get(layout::arena_of(address)?)?.blocks;
        let after = blocks.partition_point(|block| block.address <= address);
        blocks.get(after.saturating_sub(1)).copied()
    }

    /// Returns what is at these bytes, at least one, of an arena.
    pub(crate) fn find(&self, bytes: &Range<usize>) -> ArenaContent {
        let Some(block) = self.beside(bytes.start) else { return ArenaContent::Beside(None) };
        let all = block.bytes();
        if !all.contains(&bytes.start) {
            return ArenaContent::Beside(Some(self.nearest(bytes, block)));
        }
        match block.freed {
            Some(_) => ArenaContent::Freed(block),
            None if bytes.end <= all.end => ArenaContent::Living,
            None => ArenaContent::Beside(Some(block)),
        }
    }

    /// Returns the block that bytes outside of all blocks are meant for: the one before them, or the next if it is
    /// nearer.
    fn nearest(&self, bytes: &Range<usize>, before: Block) -> Block {
        let Some(index) = layout::arena_of(bytes.start) else { return before };
        let blocks = &self.arenas[index].blocks;
        let next = blocks.iter().find(|block| block.address > bytes.start).copied();
        let distance = bytes.start.saturating_sub(before.bytes().end);
        match next {
            Some(next) if next.address.saturating_sub(bytes.end) < distance => next,
            _ => before,
        }
    }

    /// Returns all blocks that have not been freed.
    pub(crate) fn all_living(&self) -> impl Iterator<Item = &Block> {
        self.arenas.iter().flat_map(|arena| &arena.blocks).filter(|block| block.freed.is_none())
    }
}

#[cfg(test)]
mod tests {
    use engine::event::Thread;
    use protocol::{Leaks, Reuse};

    use super::{ALIGNMENT, ArenaContent, BadFree, Block, Heap};
    use crate::process::sites::Record;
    use crate::state::failure::Doer;
    use crate::state::shadow::Shadow;

    fn main_thread() -> Doer {
        (Thread::MAIN, Record::behind(std::ptr::null()))
    }

    /// A generator of numbers, the same in each run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % count
        }
    }

    fn heap(reuse: Reuse) -> (Heap, Shadow) {
        (Heap::new(protocol::Heap { reuse, leaks: Leaks::default() }), Shadow::new(0..0).expect("addresses are free"))
    }

    /// Returns what is at the byte, by a list of the last blocks that were given out at each address, each with whether
    /// it lives.
    fn expected(blocks: &[(Block, bool)], byte: usize) -> &'static str {
        match blocks.iter().find(|(block, _)| block.bytes().contains(&byte)) {
            Some((_, true)) => "living",
            Some((_, false)) => "freed",
            None => "beside",
        }
    }

    fn found(heap: &Heap, byte: usize) -> &'static str {
        match heap.find(&(byte..byte + 1)) {
            ArenaContent::Living => "living",
            ArenaContent::Freed(_) => "freed",
            ArenaContent::Beside(_) => "beside",
        }
    }

    #[test]
    fn blocks_are_apart_and_each_byte_is_of_the_block_around_it() {
        for reuse in [Reuse::Never, Reuse::ByThread] {
            let (mut heap, mut shadow) = heap(reuse);
            let (mut blocks, mut random): (Vec<(Block, bool)>, _) = (Vec::new(), Numbers(7));
            for _ in 0..300 {
                let living: Vec<usize> = (0..blocks.len()).filter(|&index| blocks[index].1).collect();
                if random.below(3) > 0 || living.is_empty() {
                    let (size, alignment) = (random.below(40), ALIGNMENT << random.below(3));
                    let address = heap.allocate(size, alignment, main_thread(), &mut shadow).expect("there is room");
                    assert!(address.is_multiple_of(alignment));
                    let block = heap.living(address).unwrap_or_else(|_| panic!("a new block lives"));
                    assert_eq!((block.address, block.size), (address, size));
                    let apart = |other: &Block| block.address > other.bytes().end || other.address > block.bytes().end;
                    assert!(blocks.iter().all(|(other, lives)| !lives || apart(other)));
                    // Of a block that was freed there nothing is known any more.
                    blocks.retain(|(other, _)| other.address != address);
                    blocks.push((block, true));
                } else {
                    let index = living[random.below(living.len())];
                    let address = blocks[index].0.address;
                    assert!(heap.free(address, main_thread(), &mut shadow).is_ok());
                    assert!(matches!(heap.free(address, main_thread(), &mut shadow), Err(BadFree::Double(_))));
                    blocks[index].1 = false;
                }
            }
            let (first, last) =
                (blocks[0].0.address - ALIGNMENT, blocks.iter().map(|(block, _)| block.bytes().end).max());
            for byte in first..last.expect("there are blocks") + ALIGNMENT {
                assert_eq!(found(&heap, byte), expected(&blocks, byte));
            }
            assert_eq!(heap.all_living().count(), blocks.iter().filter(|(_, lives)| *lives).count());
        }
    }

    #[test]
    fn a_thread_gets_back_what_it_freed_last_if_that_is_asked_for() {
        for (reuse, same) in [(Reuse::Never, false), (Reuse::ByThread, true)] {
            let (mut heap, mut shadow) = heap(reuse);
            let mut allocate =
                |heap: &mut Heap| heap.allocate(24, ALIGNMENT, main_thread(), &mut shadow).expect("there is room");
            let [one, other] = [allocate(&mut heap), allocate(&mut heap)];
            let mut shadow_of_frees = Shadow::new(0..0).expect("addresses are free");
            for address in [one, other] {
                assert!(heap.free(address, main_thread(), &mut shadow_of_frees).is_ok());
            }
            assert_eq!((allocate(&mut heap) == other, allocate(&mut heap) == one), (same, same));
        }
    }

    #[test]
    fn what_lies_beside_blocks_names_the_nearer_one() {
        let (mut heap, mut shadow) = heap(Reuse::Never);
        let [first, second] =
            [40, 8].map(|size| heap.allocate(size, 64, main_thread(), &mut shadow).expect("there is room"));
        assert_eq!(second - first, 64);
        for (byte, nearer) in [(first + 40, first), (first + 51, first), (second - 1, second)] {
            assert!(
                matches!(heap.find(&(byte..byte + 1)), ArenaContent::Beside(Some(block)) if block.address == nearer)
            );
        }
        // These bytes begin in a block and go on behind it.
        assert!(
            matches!(heap.find(&(first + 36..first + 44)), ArenaContent::Beside(Some(block)) if block.address == first)
        );
    }
}
