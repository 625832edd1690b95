//! The costs of fences and orders on the machines, in processor cycles or whatever unit a file of costs uses.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use protocol::{MemoryModel, Operation, Order, Override, Strength};

use crate::exit::Failure;
use crate::text::{printable, reason};

/// The cost of each instruction, by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Costs(BTreeMap<&'static str, u64>);

const MFENCE: &str = "mfence";
const XCHG: &str = "xchg";
const MEMBAR: &str = "membar";
const STBAR: &str = "stbar";
const SYNC: &str = "sync";
const LWSYNC: &str = "lwsync";
const ISYNC: &str = "isync";
const DMB: &str = "dmb";
const DMB_LOADS: &str = "dmb-ld";
const ORDERED: &str = "ldar-stlr";
const FENCE: &str = "fence";
const FENCE_TSO: &str = "fence.tso";

/// The usual costs of instructions: of x86, of SPARC under PSO, of POWER (`isync` with its branch), of ARM, of RISC-V (`fence.tso`
/// with the other fences that are not full).
const USUAL: [(&str, u64); 12] = [
    (MFENCE, 33),
    (XCHG, 20),
    (MEMBAR, 33),
    (STBAR, 10),
    (SYNC, 50),
    (LWSYNC, 20),
    (ISYNC, 8),
    (DMB, 20),
    (DMB_LOADS, 10),
    (ORDERED, 5),
    (FENCE, 20),
    (FENCE_TSO, 10),
];

impl Default for Costs {
    fn default() -> Costs {
        Costs(USUAL.into())
    }
}

impl Costs {
    /// Reads the costs in a file, which has a line for each instruction whose cost is not the usual one: its name, and a number
    /// from 1 on.
    pub(crate) fn read(file: &Path) -> Result<Costs, Failure> {
        let name = printable(&file.to_string_lossy());
        let text = fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("--cost {name}: {}", reason(&error)), "name a file of costs"))?;
        Costs::parse(&text).map_err(|(line, what)| {
            let names = USUAL.map(|(name, _)| name).join(", ");
            let help = format!("a line is a name and a number from 1 on, such as `mfence 33`; names are {names}");
            Failure::usage(format!("--cost {name}:{line}: {}", printable(&what)), help)
        })
    }

    /// Reads costs from text; an error is the number of a line, and what is wrong with it.
    fn parse(text: &str) -> Result<Costs, (usize, String)> {
        let mut costs = Costs::default();
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
            let (name, cost) = match words[..] {
                [] => continue,
                [name, cost] => (name, cost),
                _ => return Err((number, format!("`{}` is no name and number", line.trim()))),
            };
            let Some((_, entry)) = costs.0.iter_mut().find(|(known, _)| **known == name) else {
                return Err((number, format!("unknown instruction `{name}`")));
            };
            let cost: Option<u64> = cost.parse().ok().filter(|cost| (1..=1_000_000).contains(cost));
            *entry = cost.ok_or_else(|| (number, format!("the cost of `{name}` is no number from 1 to 1000000")))?;
        }
        Ok(costs)
    }

    fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(1)
    }

    /// Returns the cost of performing a strengthened access once, on the machines of these models together; at least 1.
    pub(crate) fn once(&self, one: &Override, models: &[MemoryModel]) -> u64 {
        self.together(one, models).max(1)
    }

    /// Returns the cost of what a strengthened access has more than the access itself, on the machines of these models together; 0
    /// if that is no instruction.
    pub(crate) fn together(&self, one: &Override, models: &[MemoryModel]) -> u64 {
        models.iter().map(|&model| self.on(one, model)).sum()
    }

    fn on(&self, one: &Override, model: MemoryModel) -> u64 {
        let (operation, strength) = (one.at.operation, one.strength);
        let names: &[&str] = match model {
            MemoryModel::Sc | MemoryModel::C11 => &[],
            MemoryModel::Tso => x86(operation, strength),
            MemoryModel::Pso => sparc(operation, strength),
            MemoryModel::Power => power(operation, strength),
            MemoryModel::Armv8 => arm(operation, strength),
            MemoryModel::Riscv => riscv(operation, strength),
        };
        names.iter().map(|name| self.of(name)).sum()
    }
}

/// Whether the strength is sequentially consistent.
fn is_full(strength: Strength) -> bool {
    let (Strength::FenceBefore(order) | Strength::FenceAfter(order) | Strength::Order(order)) = strength;
    order == Order::SequentiallyConsistent
}

fn x86(operation: Operation, strength: Strength) -> &'static [&'static str] {
    match (strength, operation) {
        _ if !is_full(strength) => &[],
        (Strength::Order(_), Operation::Store) => &[XCHG],
        (Strength::Order(_), _) => &[],
        (Strength::FenceBefore(_) | Strength::FenceAfter(_), _) => &[MFENCE],
    }
}

fn sparc(operation: Operation, strength: Strength) -> &'static [&'static str] {
    match (strength, operation) {
        // Loads stay in order by themselves.
        (Strength::Order(_), Operation::Load)
        | (Strength::FenceBefore(Order::Acquire) | Strength::FenceAfter(Order::Acquire), _) => &[],
        (Strength::Order(_), _) if is_full(strength) => &[STBAR, MEMBAR],
        _ if is_full(strength) => &[MEMBAR],
        _ => &[STBAR],
    }
}

fn power(operation: Operation, strength: Strength) -> &'static [&'static str] {
    let full = is_full(strength);
    match (strength, operation) {
        (Strength::FenceBefore(_) | Strength::FenceAfter(_), _) | (Strength::Order(_), Operation::Store) => {
            if full {
                &[SYNC]
            } else {
                &[LWSYNC]
            }
        }
        (Strength::Order(_), Operation::Load) | (Strength::Order(Order::Acquire), _) if !full => &[ISYNC],
        (Strength::Order(Order::Release), _) => &[LWSYNC],
        (Strength::Order(_), _) => {
            if full {
                &[SYNC, ISYNC]
            } else {
                &[LWSYNC, ISYNC]
            }
        }
    }
}

/// A read-modify-write has a load and a store, each of which may be ordered.
fn arm(operation: Operation, strength: Strength) -> &'static [&'static str] {
    match (strength, operation) {
        (Strength::Order(Order::Acquire | Order::Release), _)
        | (Strength::Order(_), Operation::Load | Operation::Store) => &[ORDERED],
        (Strength::Order(_), _) => &[ORDERED, ORDERED],
        (Strength::FenceBefore(Order::Acquire) | Strength::FenceAfter(Order::Acquire), _) => &[DMB_LOADS],
        (Strength::FenceBefore(_) | Strength::FenceAfter(_), _) => &[DMB],
    }
}

fn riscv(operation: Operation, strength: Strength) -> &'static [&'static str] {
    match (strength, operation) {
        (Strength::FenceBefore(_) | Strength::FenceAfter(_), _) if is_full(strength) => &[FENCE],
        (Strength::Order(_), Operation::Load) if is_full(strength) => &[FENCE, FENCE_TSO],
        (Strength::Order(Order::AcquireRelease | Order::SequentiallyConsistent), operation)
            if !matches!(operation, Operation::Load | Operation::Store) =>
        {
            &[FENCE_TSO, FENCE_TSO]
        }
        _ => &[FENCE_TSO],
    }
}

#[cfg(test)]
mod tests {
    use super::Costs;

    #[test]
    fn a_file_says_what_costs_something_else() {
        let costs = Costs::parse("# of my machine\nmfence 40\n\nsync  70 # slow\n").unwrap();
        assert_eq!((costs.of("mfence"), costs.of("sync"), costs.of("lwsync")), (40, 70, 20));
    }

    #[test]
    fn what_is_no_cost_is_refused_by_its_line() {
        for (text, line, word) in [
            ("mfence", 1, "no name and number"),
            ("xchg 3\nlfence 3", 2, "unknown instruction `lfence`"),
            ("sync 0", 1, "no number from 1"),
            ("sync -4", 1, "no number from 1"),
            ("sync 5 6", 1, "no name and number"),
        ] {
            let (number, what) = Costs::parse(text).unwrap_err();
            assert!(number == line && what.contains(word), "{text}: {number} {what}");
        }
    }
}
