//! A litmus test as a value, and the addresses of its locations.

use engine::event::{Location, Site};
use engine::graph::Value;
use engine::model::MemoryModel;

use crate::code::{Code, Instruction};
use crate::condition::{Condition, Observable};

/// The address of the first location, far from the numbers that tests compute with.
const FIRST_ADDRESS: Value = 1 << 40;
const DISTANCE: Value = 64;

/// Returns the address of a location.
#[must_use]
pub fn address(location: Location) -> Value {
    FIRST_ADDRESS + DISTANCE * Value::from(location.0)
}

/// The instruction set that a test is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Architecture {
    /// POWER assembly.
    PowerPc,
    /// x86 assembly.
    X86,
    /// ARMv8 assembly, 64 bits.
    Aarch64,
    /// RISC-V assembly.
    Riscv,
    /// C11.
    C,
}

impl Architecture {
    /// Returns the models under which tests that are written in this architecture mean something.
    #[must_use]
    pub const fn models(self) -> &'static [MemoryModel] {
        match self {
            Self::PowerPc | Self::X86 => &[MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power],
            Self::C => &MemoryModel::ALL,
            Self::Aarch64 => &[MemoryModel::Sc, MemoryModel::Armv8],
            Self::Riscv => &[MemoryModel::Sc, MemoryModel::Riscv],
        }
    }

    /// Returns the name that stands at the head of a test.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PowerPc => "PPC",
            Self::X86 => "X86",
            Self::Aarch64 => "AArch64",
            Self::Riscv => "RISCV",
            Self::C => "C",
        }
    }
}

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The test's name.
    pub name: String,
    /// The architecture that the test is written in.
    pub architecture: Architecture,
    /// The names of the shared locations, ascending.
    pub locations: Vec<String>,
    /// The initial value of each location.
    pub initial: Vec<Value>,
    /// The threads.
    pub threads: Vec<Code>,
    /// The question about the final states.
    pub condition: Condition,
    /// The items that a final state lists, in order.
    pub observables: Vec<Observable>,
}

impl Test {
    /// Returns the location at an address, if there is one.
    #[must_use]
    pub fn location(&self, address: Value) -> Option<Location> {
        let offset = address.checked_sub(FIRST_ADDRESS).filter(|offset| offset % DISTANCE == 0)?;
        let location = u32::try_from(offset / DISTANCE).ok()?;
        ((location as usize) < self.locations.len()).then_some(Location(location))
    }

    /// Returns a value as text: an address as the name of its location.
    #[must_use]
    pub fn show(&self, value: Value) -> String {
        self.location(value).map_or_else(|| value.to_string(), |location| self.locations[location.index()].clone())
    }

    /// Returns the number of an instruction among those of all threads.
    ///
    /// # Panics
    /// If there are more than 2³² instructions.
    #[must_use]
    pub fn site(&self, thread: usize, instruction: usize) -> Site {
        let before: usize = self.threads[..thread].iter().map(|code| code.instructions.len()).sum();
        Site(u32::try_from(before + instruction).expect("fewer than 2^32 instructions"))
    }

    /// Returns the thread and the instruction with this number.
    #[must_use]
    pub fn at_site(&self, site: Site) -> Option<(usize, &Instruction)> {
        let mut instruction = site.index();
        for (thread, code) in self.threads.iter().enumerate() {
            match code.instructions.get(instruction) {
                Some(found) => return Some((thread, found)),
                None => instruction -= code.instructions.len(),
            }
        }
        None
    }
}
