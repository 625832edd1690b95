//! Vector clocks, in tables that a new execution resets without touching them.
//!
//! A clock counts, for each thread, how many of that thread's events are known. Clocks live side by side in one flat
//! vector, in blocks of [`LANES`] counts, so that a join is a loop over blocks that the compiler vectorises. Read
//! [`join`] first, then [`Clocks::row`], through which every access to a table goes. Nearly all programs have at most
//! [`LANES`] threads: code that is generic over the width of a clock ([`Clocks::row_of_width`]) has no loop for them.
//!
//! Invariants:
//! 1. A row whose stamp is not that of the present execution counts as all zero, whatever it holds; [`Clocks::row`]
//!    clears it when it is first asked for. So [`Clocks::begin`] is O(1), and an execution costs what it touches.
//! 2. All rows of a table are equally wide. A table is widened, never narrowed: the width is that of the execution
//!    with the most threads so far, and in the steady state nothing is allocated.
//! 3. Whoever owns several tables widens them together, so that clocks of different tables can be joined.

use crate::event::Thread;

/// A number of events of one thread: 1 stands for its first event, 0 for none.
pub type Tick = u32;

/// The number of threads whose counts make one block.
pub const LANES: usize = 4;

/// The counts of threads 4i … 4i+3 of a clock.
pub type Block = [Tick; LANES];

/// One vector clock.
pub type Clock = [Block];

/// Returns the number of blocks of a clock for this many threads.
#[must_use]
pub const fn blocks_for(threads: usize) -> usize {
    threads.div_ceil(LANES)
}

/// Makes `into` the least clock that is not below either of the two.
#[inline]
pub fn join(into: &mut Clock, from: &Clock) {
    for (into, from) in into.iter_mut().zip(from) {
        for (into, &from) in into.iter_mut().zip(from) {
            *into = (*into).max(from);
        }
    }
}

/// Returns how many events of `thread` the clock knows.
#[inline]
#[must_use]
pub fn count(clock: &Clock, thread: Thread) -> Tick {
    clock[thread.index() / LANES][thread.index() % LANES]
}

/// Counts one more event of `thread`.
#[inline]
pub fn tick(clock: &mut Clock, thread: Thread) {
    const ONE: [Block; LANES] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
    // The whole block is written, as the next join reads it: a read of more than was last written would have to wait
    // for the write.
    let block = &mut clock[thread.index() / LANES];
    for (count, one) in block.iter_mut().zip(ONE[thread.index() % LANES]) {
        *count += one;
    }
}

/// A table of rows, each of `PER_ROW` clocks that are used together.
#[derive(Debug)]
pub struct Clocks<const PER_ROW: usize> {
    blocks: Vec<Block>,
    /// The execution that last touched each row.
    stamps: Vec<u32>,
    /// The present execution; never 0, which is the stamp of a row that no execution has touched.
    execution: u32,
    /// The number of blocks of one clock.
    width: usize,
}

impl<const PER_ROW: usize> Default for Clocks<PER_ROW> {
    fn default() -> Self {
        Self { blocks: Vec::new(), stamps: Vec::new(), execution: 1, width: 1 }
    }
}

impl<const PER_ROW: usize> Clocks<PER_ROW> {
    /// Sets every clock to zero.
    pub fn begin(&mut self) {
        self.execution = self.execution.checked_add(1).unwrap_or_else(|| {
            // Old stamps would come alive again: forget them all, once in four thousand million executions.
            self.stamps.fill(0);
            1
        });
    }

    /// Returns the number of blocks of one clock.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Makes every clock `width` blocks wide, keeping what the clocks hold.
    ///
    /// # Panics
    /// If that would narrow them.
    pub fn widen(&mut self, width: usize) {
        assert!(width >= self.width, "clocks are never narrowed");
        let mut blocks = vec![[0; LANES]; self.stamps.len() * PER_ROW * width];
        for (new, old) in blocks.chunks_exact_mut(width).zip(self.blocks.chunks_exact(self.width)) {
            new[..self.width].copy_from_slice(old);
        }
        self.blocks = blocks;
        self.width = width;
    }

    /// Returns the clocks of one row, one after the other, each [`Clocks::width`] blocks long.
    #[inline]
    pub fn row(&mut self, row: usize) -> &mut [Block] {
        self.row_of_width::<0>(row)
    }

    /// Returns what [`Clocks::row`] does, for clocks that are known to be `WIDTH` blocks wide; for 0, nothing is known.
    #[inline(always)]
    pub fn row_of_width<const WIDTH: usize>(&mut self, row: usize) -> &mut [Block] {
        if self.stamps.get(row) != Some(&self.execution) {
            self.touch::<WIDTH>(row);
        }
        self.row_again::<WIDTH>(row)
    }

    /// Returns what [`Clocks::row_of_width`] does, for a row that this execution has touched.
    #[inline(always)]
    pub fn row_again<const WIDTH: usize>(&mut self, row: usize) -> &mut [Block] {
        debug_assert!(WIDTH == 0 || WIDTH == self.width, "clocks have another width");
        debug_assert_eq!(self.stamps[row], self.execution, "not touched");
        let blocks = if WIDTH == 0 { self.width } else { WIDTH } * PER_ROW;
        &mut self.blocks[row * blocks..(row + 1) * blocks]
    }

    /// Makes the row one of this execution, with all its clocks zero.
    #[inline(never)]
    fn touch<const WIDTH: usize>(&mut self, row: usize) {
        if row >= self.stamps.len() {
            self.grow(row + 1);
        }
        self.stamps[row] = self.execution;
        for block in self.row_again::<WIDTH>(row) {
            *block = [0; LANES];
        }
    }

    /// Returns the clocks of a row that this execution has touched; none for any other row, whose clocks are zero.
    #[inline]
    #[must_use]
    pub fn touched(&self, row: usize) -> Option<&[Block]> {
        let width = self.width * PER_ROW;
        (*self.stamps.get(row)? == self.execution).then(|| &self.blocks[row * width..][..width])
    }

    #[cold]
    fn grow(&mut self, rows: usize) {
        self.stamps.resize(rows, 0);
        self.blocks.resize(rows * PER_ROW * self.width, [0; LANES]);
    }
}

impl<const PER_ROW: usize> Clocks<PER_ROW> {
    /// Joins the clocks of one row of the table into those of another one. `WIDTH` is as in [`Clocks::row_of_width`].
    #[inline]
    pub fn join_rows<const WIDTH: usize>(&mut self, into: usize, from: usize) {
        // Both rows are asked for, so that both exist and neither is left over from an older execution.
        self.row_of_width::<WIDTH>(into);
        let blocks = self.row_of_width::<WIDTH>(from).len();
        for block in 0..blocks {
            let known = self.blocks[from * blocks + block];
            join(std::slice::from_mut(&mut self.blocks[into * blocks + block]), &[known]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clocks, blocks_for, count, join, tick};
    use crate::event::Thread;

    #[test]
    fn a_join_is_the_least_upper_bound() {
        let mut into = [[1, 5, 0, 7], [0, 0, 9, u32::MAX]];
        join(&mut into, &[[2, 4, 0, u32::MAX], [1, 0, 8, 0]]);
        assert_eq!(into, [[2, 5, 0, u32::MAX], [1, 0, 9, u32::MAX]]);
    }

    #[test]
    fn a_new_execution_sees_zero_clocks() {
        let mut clocks = Clocks::<2>::default();
        tick(clocks.row(7), Thread(3));
        assert_eq!(clocks.row(7), [[0, 0, 0, 1], [0; 4]]);
        assert!(clocks.touched(7).is_some() && clocks.touched(6).is_none() && clocks.touched(8).is_none());
        clocks.begin();
        assert_eq!(clocks.touched(7), None);
        assert_eq!(clocks.row(7), [[0; 4]; 2]);
    }

    #[test]
    fn a_stamp_that_comes_round_again_does_not_revive_a_row() {
        let mut clocks = Clocks::<1>::default();
        tick(clocks.row(0), Thread(0));
        let stamp = clocks.execution;
        clocks.execution = u32::MAX;
        clocks.begin();
        assert_eq!(clocks.execution, stamp);
        assert_eq!(clocks.row(0), [[0; 4]]);
    }

    #[test]
    fn widening_keeps_the_counts() {
        let mut clocks = Clocks::<2>::default();
        for row in 0..3 {
            let blocks = clocks.row(row);
            blocks[0][row] = 5;
            blocks[1][3] = 6;
        }
        clocks.widen(blocks_for(9));
        assert_eq!(clocks.width(), 3);
        for row in 0..3 {
            let (first, second) = clocks.row(row).split_at(3);
            for thread in 0..12 {
                assert_eq!(count(first, Thread(thread)), if usize::from(thread) == row { 5 } else { 0 });
                assert_eq!(count(second, Thread(thread)), if thread == 3 { 6 } else { 0 });
            }
        }
    }

    #[test]
    fn rows_of_one_table_join_either_way_round() {
        let mut clocks = Clocks::<1>::default();
        clocks.row(1)[0] = [1, 2, 3, 4];
        clocks.row(4)[0] = [4, 3, 2, 1];
        clocks.join_rows::<0>(1, 4);
        assert_eq!((clocks.row(1)[0], clocks.row(4)[0]), ([4, 3, 3, 4], [4, 3, 2, 1]));
        clocks.join_rows::<0>(4, 2);
        clocks.join_rows::<0>(4, 4);
        assert_eq!(clocks.row(4)[0], [4, 3, 2, 1]);
        clocks.join_rows::<0>(4, 1);
        assert_eq!(clocks.row(4)[0], [4, 3, 3, 4]);
    }
}
