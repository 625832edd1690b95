//! From addresses to locations: each eight aligned bytes that the program ever touched have a granule of the engine's
//! [`Partition`], found through a table that is as sparse as the memory it describes.

use std::ops::Range;

use engine::event::Location;
use engine::location::{Granule, Partition, Touched};
use rustc_hash::FxHashMap;

use crate::layout;

/// A table over a range of addresses, one entry for eight bytes: 0, or the granule's number plus 1.
struct Table {
    from: usize,
    length: usize,
    entries: *mut u32,
}

impl Table {
    fn over(range: Range<usize>) -> std::io::Result<Self> {
        let from = range.start & !7;
        let length = (range.end - from + 7) & !7;
        let entries = layout::reserve(0, (length / 8 * size_of::<u32>()).max(4096))?.cast();
        Ok(Self { from, length, entries })
    }

    #[inline]
    fn entry(&mut self, address: usize) -> Option<&mut u32> {
        let offset = address.wrapping_sub(self.from);
        if offset >= self.length {
            return None;
        }
        // SAFETY: `offset / 8` is below the number of entries that were mapped.
        let entry = unsafe { self.entries.add(offset / 8) };
        // SAFETY: mapped memory of our own, which only this table reaches; zero is a valid entry.
        Some(unsafe { &mut *entry })
    }
}

/// Whether an access had to cut a location in two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    Yes,
    No,
}

/// The locations of the program's memory.
pub(crate) struct Shadow {
    partition: Partition,
    region: Table,
    image: Table,
    elsewhere: FxHashMap<usize, u32>,
}

impl Shadow {
    /// No locations yet. `image` are the addresses of the program's variables.
    ///
    /// # Errors
    /// What the system says to a reservation of address space.
    pub(crate) fn new(image: Range<usize>) -> std::io::Result<Self> {
        Ok(Self {
            partition: Partition::default(),
            region: Table::over(layout::BASE..layout::BASE + layout::LENGTH)?,
            image: Table::over(image)?,
            elsewhere: FxHashMap::default(),
        })
    }

    /// The entry of the table for the eight aligned bytes that hold the address.
    #[inline(always)]
    fn entry(&mut self, address: usize) -> &mut u32 {
        if let Some(entry) = self.region.entry(address) {
            return entry;
        }
        match self.image.entry(address) {
            Some(entry) => entry,
            None => Self::entry_elsewhere(&mut self.elsewhere, address & !7),
        }
    }

    #[cold]
    fn entry_elsewhere(elsewhere: &mut FxHashMap<usize, u32>, address: usize) -> &mut u32 {
        elsewhere.entry(address).or_default()
    }

    /// The location of the `width` bytes (1 to 8) at `address`, if an access was to exactly these before and they are
    /// one location still; else ask [`Shadow::locate`].
    #[inline(always)]
    pub(crate) fn known(&mut self, address: usize, width: u8) -> Option<Location> {
        let number = self.entry(address).wrapping_sub(1);
        self.partition.known(Granule(number), (address & 7) as u8, width)
    }

    /// Puts the locations of the `width` bytes (at least 1) at `address` into `into`, in ascending order.
    #[cold]
    pub(crate) fn locate(&mut self, address: usize, width: usize, into: &mut Vec<Location>) -> Cut {
        into.clear();
        let mut cut = Cut::No;
        let (mut at, end) = (address, address + width);
        while at < end {
            let offset = (at & 7) as u8;
            let piece = (8 - offset).min((end - at) as u8);
            let granule = self.granule(at);
            if self.partition.locate(granule, offset, piece) == (Touched::Several { cut: true }) {
                cut = Cut::Yes;
            }
            into.extend(self.partition.each(granule, offset, piece));
            at += usize::from(piece);
        }
        into.sort_unstable();
        cut
    }

    fn granule(&mut self, address: usize) -> Granule {
        let number = *self.entry(address);
        if number != 0 {
            return Granule(number - 1);
        }
        let granule = self.partition.granule();
        *self.entry(address) = granule.0 + 1;
        granule
    }
}
