//! Numbers as bytes, for prefixes that wait in memory, in a file or for another process: LEB128.

/// The error that bytes are not such as this version writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corrupt;

/// Appends a number in LEB128: seven bits a byte, the low ones first.
pub(super) fn write(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    into.push((value & 0x7f) as u8);
}

/// A reader of numbers that were written by [`write`], from the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Returns how many bytes are left.
    pub(super) const fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Takes this many bytes as they are.
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Corrupt> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(Corrupt)?;
        self.bytes = rest;
        Ok(taken)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, Corrupt> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first().ok_or(Corrupt)?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift).ok_or(Corrupt)?;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    pub(super) fn narrow(&mut self) -> Result<u32, Corrupt> {
        u32::try_from(self.number()?).map_err(|_| Corrupt)
    }

    /// Reads the number of items that follow, of which each takes at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, Corrupt> {
        let count = usize::try_from(self.number()?).map_err(|_| Corrupt)?;
        if count <= self.left() { Ok(count) } else { Err(Corrupt) }
    }

    /// Reads a number that must be below `count`.
    pub(super) fn below(&mut self, count: u32) -> Result<u32, Corrupt> {
        self.narrow().and_then(|number| if number < count { Ok(number) } else { Err(Corrupt) })
    }
}

#[cfg(test)]
mod tests {
    use super::{Corrupt, Reader, write};

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| write(&mut bytes, number));
        let mut reader = Reader::new(&bytes);
        assert!(numbers.iter().all(|&number| reader.number() == Ok(number)));
        assert_eq!((reader.left(), reader.number()), (0, Err(Corrupt)));
    }

    #[test]
    fn what_was_not_written_is_corrupt() {
        assert_eq!(Reader::new(&[0x80]).number(), Err(Corrupt));
        assert_eq!(Reader::new(&[0xff; 11]).number(), Err(Corrupt));
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x7f]).narrow(), Err(Corrupt));
        assert_eq!(Reader::new(&[5, 0]).count(), Err(Corrupt));
        assert_eq!(Reader::new(&[5]).below(5), Err(Corrupt));
        assert_eq!(Reader::new(&[5]).bytes(2), Err(Corrupt));
    }
}
