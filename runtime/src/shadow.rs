//! From addresses to locations: each eight aligned bytes that the program ever touched have a granule of the engine's
//! [`Partition`], found through a table that is as sparse as the memory it describes.

use std::collections::HashMap;
use std::ops::Range;

use engine::event::Location;
use engine::location::{Granule, Partition, Touched};

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

/// What an access touches.
#[derive(Default)]
pub(crate) struct Locations {
    list: Vec<Location>,
}

impl Locations {
    pub(crate) fn as_slice(&self) -> &[Location] {
        &self.list
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
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
    elsewhere: HashMap<usize, u32>,
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
            elsewhere: HashMap::new(),
        })
    }

    #[inline]
    fn granule(&mut self, address: usize) -> Granule {
        let entry = match self.region.entry(address) {
            Some(entry) => entry,
            None => match self.image.entry(address) {
                Some(entry) => entry,
                None => self.elsewhere.entry(address & !7).or_default(),
            },
        };
        if *entry == 0 {
            *entry = self.partition.granule().0 + 1;
        }
        Granule(*entry - 1)
    }

    /// Puts the locations of `width` bytes (1 to 8) at `address` into `into`.
    #[inline]
    pub(crate) fn locate(&mut self, address: usize, width: u8, into: &mut Locations) -> Cut {
        into.list.clear();
        let offset = (address & 7) as u8;
        if offset + width <= 8 {
            let granule = self.granule(address);
            if let Touched::One(location) = self.partition.locate(granule, offset, width) {
                into.list.push(location);
                return Cut::No;
            }
        }
        self.locate_several(address, width, into)
    }

    #[cold]
    fn locate_several(&mut self, address: usize, width: u8, into: &mut Locations) -> Cut {
        let mut cut = Cut::No;
        let (mut at, end) = (address, address + usize::from(width));
        while at < end {
            let offset = (at & 7) as u8;
            let piece = (8 - offset).min((end - at) as u8);
            let granule = self.granule(at);
            if self.partition.locate(granule, offset, piece) == (Touched::Several { cut: true }) {
                cut = Cut::Yes;
            }
            into.list.extend(self.partition.each(granule, offset, piece));
            at += usize::from(piece);
        }
        into.list.sort_unstable();
        cut
    }
}
