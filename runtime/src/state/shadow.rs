//! The map from addresses to locations: each eight aligned bytes that the program ever touched have a granule of the
//! engine's [`Partition`], found through a table that is as sparse as the memory it describes.
//!
//! An entry of the table can be hidden: then no access to its bytes is [`Shadow::known`], and each is located anew,
//! when it is checked whether the program may access these bytes at all ([`crate::state::memory`]). The bytes of a
//! freed block and of a local variable whose function has returned are hidden. So an access to living memory never pays
//! for the check.

use std::collections::BTreeMap;
use std::ops::Range;

use engine::event::{self, Location};
use engine::location::{Granule, Partition, Touched};
use protocol::Division;
use rustc_hash::FxHashMap;

use crate::process::layout;

/// The bit that marks an entry as hidden.
const HIDDEN: u32 = 1 << 31;

/// A table over a range of addresses, one entry for eight bytes: 0, or the granule's number plus 1, and [`HIDDEN`].
struct Table {
    /// The first address, a multiple of eight.
    from: usize,
    /// The number of bytes, a multiple of eight.
    length: usize,
    /// The entries, in mapped memory.
    entries: *mut u32,
}

impl Table {
    /// Makes a table over a range of addresses.
    fn over(range: Range<usize>) -> std::io::Result<Self> {
        let from = range.start & !7;
        let length = (range.end - from + 7) & !7;
        let entries = layout::reserve(0, (length / 8 * size_of::<u32>()).max(4096))?.cast();
        Ok(Self { from, length, entries })
    }

    /// Returns the entry of an address, if it is in the range.
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
    /// The entries of the heap and the stacks.
    region: Table,
    /// The entries of the program's variables.
    image: Table,
    /// The entries of all other memory, by the address of eight aligned bytes.
    elsewhere: FxHashMap<usize, u32>,
    /// Whether something was hidden in this execution.
    hides: bool,
    /// The locations hidden since the last [`Shadow::take_hidden`].
    hidden: Vec<Location>,
    /// The bounds within accesses at which eight aligned bytes are divided, by lasting addresses; `None` if they are
    /// not kept.
    divisions: Option<BTreeMap<u64, u8>>,
    /// Whether there are more divisions than when [`Shadow::settle`] was called, if it was.
    divides: bool,
    /// Whether [`Shadow::settle`] was called.
    settled: bool,
    /// The address of each granule.
    granules: Vec<usize>,
}

impl Shadow {
    /// Makes a map without locations. `image` are the addresses of the program's variables.
    ///
    /// # Errors
    /// Returns the system's error if address space cannot be reserved.
    pub(crate) fn new(image: Range<usize>) -> std::io::Result<Self> {
        Ok(Self {
            partition: Partition::default(),
            region: Table::over(layout::BASE..layout::BASE + layout::LENGTH)?,
            image: Table::over(image)?,
            elsewhere: FxHashMap::default(),
            hides: false,
            hidden: Vec::new(),
            divisions: None,
            divides: false,
            settled: false,
            granules: Vec::new(),
        })
    }

    /// Returns the entry of the table for the eight aligned bytes that hold the address.
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

    /// Returns the entry of an address that is in neither table.
    #[cold]
    fn entry_elsewhere(elsewhere: &mut FxHashMap<usize, u32>, address: usize) -> &mut u32 {
        elsewhere.entry(address).or_default()
    }

    /// Returns the location of the `width` bytes (1 to 8) at `address`, if an access was to exactly these before and
    /// they are one location still; otherwise [`Shadow::locate`] finds it.
    #[inline(always)]
    pub(crate) fn known(&mut self, address: usize, width: u8) -> Option<Location> {
        let number = self.entry(address).wrapping_sub(1);
        self.partition.known(Granule(number), (address & 7) as u8, width)
    }

    /// Puts the locations of the `width` bytes (at least 1) at `address` into `into`, in the order of their addresses.
    #[cold]
    pub(crate) fn locate(&mut self, address: usize, width: usize, into: &mut Vec<Location>) -> Cut {
        into.clear();
        let mut cut = Cut::No;
        let (mut at, end) = (address, address + width);
        while at < end {
            let offset = (at & 7) as u8;
            let piece = (8 - offset).min((end - at) as u8);
            let granule = self.granule(at);
            if let Touched::Several { cut: cuts } = self.partition.locate(granule, offset, piece) {
                if cuts {
                    cut = Cut::Yes;
                }
                if self.divisions.is_some() {
                    self.note_division(at & !7, self.partition.bounds_within(granule, offset, piece));
                }
            }
            into.extend(self.partition.each(granule, offset, piece));
            at += usize::from(piece);
        }
        cut
    }

    /// Notes the bounds at which the eight aligned bytes at the address are divided within accesses.
    fn note_division(&mut self, address: usize, bounds: u8) {
        let (Some(address), Some(divisions)) = (self.lasting(address), &mut self.divisions) else { return };
        let known = divisions.entry(address).or_default();
        self.divides |= self.settled && bounds & !*known != 0;
        *known |= bounds;
    }

    /// Keeps, from now on, where memory is divided within accesses, and divides it at these places.
    pub(crate) fn divide(&mut self, divisions: &[Division]) {
        for &Division { address, bounds } in divisions {
            let granule = self.granule(self.address(address));
            self.partition.divide(granule, bounds);
            *self.divisions.get_or_insert_default().entry(address).or_default() |= bounds;
        }
        self.divisions.get_or_insert_default();
    }

    /// Notes that an execution has been run to its end, here or in another process: what comes next depends on where
    /// memory was divided then.
    pub(crate) const fn settle(&mut self) {
        self.settled = true;
    }

    /// Returns where memory is divided within accesses, as far as that is kept.
    pub(crate) fn divisions(&self) -> Vec<Division> {
        let divisions = self.divisions.iter().flatten();
        divisions.map(|(&address, &bounds)| Division { address, bounds }).collect()
    }

    /// Returns the address at which the location begins, in the form that is the same in every process, if there is
    /// one.
    pub(crate) fn lasting_address_of(&self, location: Location) -> u64 {
        let (granule, offset) = self.partition.begin(location);
        let address = self.granules[granule.0 as usize] + usize::from(offset);
        self.lasting(address).unwrap_or(address as u64)
    }

    /// Returns the address in the form that is the same in every process: within the program's variables, relative to
    /// these. Returns `None` for memory of libraries, which may be another one in each execution.
    fn lasting(&self, address: usize) -> Option<u64> {
        let offset = address.wrapping_sub(self.image.from);
        if offset < self.image.length {
            return Some(offset as u64);
        }
        let is_ours = address.wrapping_sub(self.region.from) < self.region.length;
        is_ours.then_some(address as u64)
    }

    /// Returns the address in this process, given its form that is the same in every process.
    fn address(&self, lasting: u64) -> usize {
        let lasting = lasting as usize;
        if lasting < self.image.length { self.image.from + lasting } else { lasting }
    }

    /// Whether memory has been divided within an access since [`Shadow::settle`].
    pub(crate) const fn divides_late(&self) -> bool {
        self.divides
    }

    /// Returns the granule of the eight aligned bytes that hold the address, a new one if they have none.
    fn granule(&mut self, address: usize) -> Granule {
        let entry = *self.entry(address);
        let number = entry & !HIDDEN;
        if number != 0 {
            return Granule(number - 1);
        }
        let granule = self.partition.granule();
        assert!(granule.0 + 1 < HIDDEN, "fewer than 2^31 granules");
        *self.entry(address) = (granule.0 + 1) | entry;
        self.granules.push(address & !7);
        granule
    }

    /// Hides these bytes: no access to them, or to others of the eight that they share with them, is known any more.
    /// Only the locations of these bytes are [taken as hidden](Self::take_hidden): the others may belong to something
    /// that lives on.
    pub(crate) fn hide(&mut self, bytes: Range<usize>) {
        self.hides = true;
        for address in (bytes.start & !7..bytes.end).step_by(8) {
            let entry = self.entry(address);
            if let Some(number) = (*entry & !HIDDEN).checked_sub(1) {
                *entry |= HIDDEN;
                let begin = bytes.start.saturating_sub(address) as u8;
                let end = (bytes.end - address).min(8) as u8;
                self.hidden.extend(self.partition.located(Granule(number), begin, end - begin));
            }
        }
    }

    /// Puts the locations of those of these bytes that were ever accessed, hidden or not, into `into`, each once.
    #[cold]
    pub(crate) fn located(&mut self, bytes: Range<usize>, into: &mut Vec<Location>) {
        for address in (bytes.start & !7..bytes.end).step_by(8) {
            if let Some(number) = (*self.entry(address) & !HIDDEN).checked_sub(1) {
                let begin = bytes.start.saturating_sub(address) as u8;
                let end = (bytes.end - address).min(8) as u8;
                into.extend(self.partition.located(Granule(number), begin, end - begin));
            }
        }
        event::make_distinct(into);
    }

    /// Returns the accessed parts of the eight aligned bytes at the address, as offsets.
    #[cold]
    pub(crate) fn pieces(&mut self, address: usize) -> Vec<Range<usize>> {
        let number = (*self.entry(address) & !HIDDEN).checked_sub(1);
        number.map_or_else(Vec::new, |number| self.partition.pieces(Granule(number)))
    }

    /// Returns how many locations there are.
    pub(crate) fn locations(&self) -> u32 {
        self.partition.locations()
    }

    /// Returns the locations hidden since the last call, each once.
    pub(crate) fn take_hidden(&mut self) -> Vec<Location> {
        let mut hidden = std::mem::take(&mut self.hidden);
        event::make_distinct(&mut hidden);
        hidden
    }

    /// Makes the bytes accessible. Of the eight that they share with others, only they can be known.
    pub(crate) fn show(&mut self, bytes: Range<usize>) {
        for address in (bytes.start & !7..bytes.end).step_by(8) {
            let entry = self.entry(address);
            // An entry that was never accessed is not touched, so that it costs no memory.
            let Some(number) = (*entry & !HIDDEN).checked_sub(1) else { continue };
            *entry &= !HIDDEN;
            let begin = bytes.start.saturating_sub(address);
            let end = (bytes.end - address).min(8);
            if (begin, end) != (0, 8) {
                self.partition.keep_known(Granule(number), begin as u8, end as u8);
            }
        }
    }

    /// Begins a new execution, in which nothing is hidden yet.
    pub(crate) fn begin(&mut self) {
        self.hides = false;
        self.hidden.clear();
    }

    /// Whether anything was hidden in this execution.
    pub(crate) const fn hides(&self) -> bool {
        self.hides
    }

    /// Whether the byte has been hidden since it was accessed.
    pub(crate) fn is_hidden(&mut self, address: usize) -> bool {
        *self.entry(address) & HIDDEN != 0
    }
}
