//! What threads observe (`fh_observe`), and the outcome of an execution.

use std::ffi::c_long;
use std::fmt::Write;

use protocol::Outcomes;

/// What a thread has observed in the execution.
#[derive(Default)]
pub(crate) struct Observed {
    /// The values, each with a blank before it, as far as there is room.
    text: String,
    /// Of those behind them.
    rest: Option<Hash>,
}

impl Observed {
    pub(crate) fn add(&mut self, value: c_long) {
        match &mut self.rest {
            Some(hash) => hash.add(&value.to_le_bytes()),
            None if self.text.len() < Outcomes::LONGEST => {
                write!(self.text, " {value}").expect("a string takes what is written");
            }
            none => none.insert(Hash::EMPTY).add(&value.to_le_bytes()),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.rest = None;
    }
}

/// FNV-1a of 128 bits.
#[derive(Clone, Copy)]
struct Hash(u128);

impl Hash {
    const EMPTY: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    fn add(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

/// What threads with these paths of creation observed.
pub(crate) fn outcome<'a>(threads: impl Iterator<Item = (&'a [u32], &'a Observed)>) -> String {
    let mut threads: Vec<_> = threads.filter(|(_, observed)| !observed.text.is_empty()).collect();
    threads.sort_unstable_by_key(|&(path, _)| path);
    let parts = threads.into_iter().map(|(path, observed)| {
        let name: String = path.iter().map(|child| format!(".{child}")).collect();
        let rest = observed.rest.map_or(String::new(), |hash| format!(" #{:032x}", hash.0));
        format!("main{name}:{}{rest}", observed.text)
    });
    let mut text = parts.collect::<Vec<_>>().join("; ");
    if text.len() > Outcomes::LONGEST {
        let mut hash = Hash::EMPTY;
        hash.add(text.as_bytes());
        text.truncate(Outcomes::LONGEST);
        write!(text, " #{:032x}", hash.0).expect("a string takes what is written");
    }
    text
}
