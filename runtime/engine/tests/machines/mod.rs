//! Random programs for ARMv8 and RISC-V, and brute force over rf and co with the axioms as they are written, on matrices
//! of bits. Shares nothing with the engine.

pub(crate) mod armv8;
pub(crate) mod c11;
pub(crate) mod random;
pub(crate) mod riscv;

use std::collections::BTreeSet;

use crate::axioms::engine::found;
use crate::axioms::{Candidate, Name, Relation, is_acyclic, union};
use litmus::graphs::MemoryModel;

pub(crate) const LOCATIONS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Machine {
    Arm,
    Riscv,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Load,
    Store,
    /// One instruction.
    Exchange,
    /// One instruction; what it writes depends on what it reads.
    Add,
    /// The same, and its result goes nowhere (ARM).
    UnusedAdd,
    /// One instruction: expects the initial value (ARM).
    Compare,
    /// A pair of exclusive ones, and whether what it writes depends on what it reads.
    Exclusive {
        dependent: bool,
    },
}

impl Kind {
    pub(crate) fn reads(self) -> bool {
        self != Self::Store
    }

    pub(crate) fn writes(self) -> bool {
        self != Self::Load
    }

    pub(crate) fn updates(self) -> bool {
        self.reads() && self.writes()
    }

    pub(crate) fn is_single(self) -> bool {
        self.updates() && !matches!(self, Self::Exclusive { .. })
    }

    /// Whether it leaves what it has read in a register.
    pub(crate) fn returns(self) -> bool {
        self.reads() && self != Self::UnusedAdd
    }

    /// Whether its read decides on its write.
    pub(crate) fn decides(self) -> bool {
        matches!(self, Self::Add | Self::UnusedAdd | Self::Compare | Self::Exclusive { dependent: true })
    }
}

/// On what an earlier access of the thread has read, by its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dependency {
    Address(usize),
    Data(usize),
    /// Of a branch before the access.
    Control(usize),
    /// Of a branch before the access, with an instruction fence behind it (ARM).
    Synchronized(usize),
    /// The same through the condition of a selection (ARM).
    PickAddress(usize),
    PickData(usize),
    PickControl(usize),
    PickSynchronized(usize),
    /// Of what a compare-and-swap expects (ARM).
    Expected(usize),
}

impl Dependency {
    pub(crate) fn is_address(self) -> bool {
        matches!(self, Self::Address(_) | Self::PickAddress(_))
    }

    pub(crate) fn is_branch(self) -> bool {
        matches!(self, Self::Control(_) | Self::Synchronized(_) | Self::PickControl(_) | Self::PickSynchronized(_))
    }

    /// Whether an instruction fence stands behind its branch.
    pub(crate) fn is_synchronized(self) -> bool {
        matches!(self, Self::Synchronized(_) | Self::PickSynchronized(_))
    }

    pub(crate) fn source(self) -> usize {
        match self {
            Self::Address(from)
            | Self::Data(from)
            | Self::Control(from)
            | Self::Synchronized(from)
            | Self::PickAddress(from)
            | Self::PickData(from)
            | Self::PickControl(from)
            | Self::PickSynchronized(from)
            | Self::Expected(from) => from,
        }
    }
}

/// A fence, as the pairs of reads and writes that it orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fence {
    pub(crate) text: &'static str,
    /// Whether it orders reads before reads, reads before writes, writes before reads, writes before writes.
    pub(crate) pairs: [bool; 4],
    /// Whether it orders also reads that go nowhere.
    pub(crate) full: bool,
}

impl Fence {
    pub(crate) fn orders(self, from: &Node, to: &Node) -> bool {
        let pairs =
            [from.reads && to.reads, from.reads && to.writes, from.writes && to.reads, from.writes && to.writes];
        self.pairs.iter().zip(pairs).any(|(orders, pair)| *orders && pair)
    }
}

/// Whether a read is an acquire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Acquires {
    No,
    /// For processor consistency (ARM).
    ForProcessors,
    /// Of a whole `amo`, too.
    Yes,
}

/// An access; fence, then branch, stand before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) location: usize,
    pub(crate) dependency: Option<Dependency>,
    pub(crate) fence: Option<Fence>,
    pub(crate) acquires: Acquires,
    pub(crate) releases: bool,
    /// A branch on its success stands behind it (RISC-V).
    pub(crate) retries: bool,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
}

/// A read or a write, or, of an `amo` of RISC-V, both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) name: Name,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) op: Op,
}

/// The nodes of a program of which the compare-and-swaps that fail do not write, or do so virtually.
pub(crate) fn nodes(program: &Program, machine: Machine, failing: &BTreeSet<Name>, with_virtual: bool) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (thread, ops) in program.threads.iter().enumerate() {
        for (index, &op) in ops.iter().enumerate() {
            let name = (thread, index);
            let writes = op.kind.writes() && (with_virtual || !failing.contains(&name));
            if machine == Machine::Riscv && op.kind.is_single() {
                nodes.push(Node { name, reads: true, writes: true, op });
                continue;
            }
            nodes.extend(op.kind.reads().then_some(Node { name, reads: true, writes: false, op }));
            nodes.extend(writes.then_some(Node { name, reads: false, writes: true, op }));
        }
    }
    nodes
}

pub(crate) fn po(from: &Node, to: &Node) -> bool {
    from.name.0 == to.name.0 && (from.name.1 < to.name.1 || (from.name.1 == to.name.1 && !from.writes && !to.reads))
}

/// po between different instructions.
pub(crate) fn po_strict(from: &Node, to: &Node) -> bool {
    from.name.0 == to.name.0 && from.name.1 < to.name.1
}

/// The write by an earlier access of its thread that a read of its location would find, by its name.
pub(crate) fn own_write(nodes: &[Node], read: &Node) -> Option<Name> {
    let before = |write: &&Node| write.writes && po_strict(write, read) && write.op.location == read.op.location;
    nodes.iter().filter(before).map(|write| write.name).max()
}

/// All ways to choose which compare-and-swaps fail, rf and co, with nothing between the parts of an update.
pub(crate) fn candidates(program: &Program) -> Vec<(BTreeSet<Name>, Candidate)> {
    let ops = || {
        let threads = program.threads.iter().enumerate();
        threads.flat_map(|(thread, ops)| ops.iter().enumerate().map(move |(index, &op)| ((thread, index), op)))
    };
    let comparing: Vec<Name> = ops().filter(|(_, op)| op.kind == Kind::Compare).map(|(name, _)| name).collect();
    let mut found = Vec::new();
    for chosen in 0..1_u32 << comparing.len() {
        let failing: BTreeSet<Name> =
            comparing.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1).map(|(_, &name)| name).collect();
        let mut all = vec![Candidate { reads_from: Vec::new(), coherence: vec![Vec::new(); LOCATIONS] }];
        for (name, op) in ops().filter(|(name, op)| op.kind.writes() && !failing.contains(name)) {
            let extended = all.iter().flat_map(|candidate| {
                (0..=candidate.coherence[op.location].len()).map(move |place| {
                    let mut candidate = candidate.clone();
                    candidate.coherence[op.location].insert(place, name);
                    candidate
                })
            });
            all = extended.collect();
        }
        for (name, op) in ops().filter(|(_, op)| op.kind.reads()) {
            let mut extended = Vec::new();
            for candidate in &all {
                let writes = &candidate.coherence[op.location];
                for source in std::iter::once(None).chain(writes.iter().copied().map(Some)) {
                    let rank = source.map_or(0, |source| 1 + place(writes, source));
                    let fits = match op.kind {
                        Kind::Load => true,
                        Kind::Compare if failing.contains(&name) => source.is_some(),
                        Kind::Compare => source.is_none() && place(writes, name) == 0,
                        _ => place(writes, name) == rank,
                    };
                    if fits && source != Some(name) {
                        let mut candidate = candidate.clone();
                        candidate.reads_from.push((name, source));
                        extended.push(candidate);
                    }
                }
            }
            all = extended;
        }
        for mut candidate in all {
            candidate.reads_from.sort_unstable();
            found.push((failing.clone(), candidate));
        }
    }
    found
}

fn place(writes: &[Name], write: Name) -> usize {
    writes.iter().position(|one| *one == write).expect("it writes")
}

/// rf, co and fr.
pub(crate) struct Communication {
    pub(crate) rf: Relation,
    pub(crate) co: Relation,
    pub(crate) fr: Relation,
}

pub(crate) fn relation(nodes: &[Node], holds: impl Fn(&Node, &Node) -> bool) -> Relation {
    let row =
        |from: &Node| nodes.iter().enumerate().fold(0, |row, (to, node)| row | u32::from(holds(from, node)) << to);
    nodes.iter().map(row).collect()
}

pub(crate) fn communication(nodes: &[Node], candidate: &Candidate) -> Communication {
    let source = |read: &Node| candidate.reads_from.iter().find(|(name, _)| *name == read.name).expect("it reads").1;
    let rank = |location: usize, write: Option<Name>| {
        write.map_or(0, |write| 1 + place(&candidate.coherence[location], write))
    };
    let same = |from: &Node, to: &Node| from.op.location == to.op.location;
    Communication {
        rf: relation(nodes, |from, to| from.writes && to.reads && source(to) == Some(from.name)),
        co: relation(nodes, |from, to| {
            let location = from.op.location;
            from.writes
                && to.writes
                && same(from, to)
                && rank(location, Some(from.name)) < rank(location, Some(to.name))
        }),
        fr: relation(nodes, |from, to| {
            let location = from.op.location;
            let differ = from.name != to.name || from.writes != to.writes || from.reads != to.reads;
            from.reads
                && to.writes
                && differ
                && same(from, to)
                && rank(location, source(from)) < rank(location, Some(to.name))
        }),
    }
}

pub(crate) fn external(nodes: &[Node], of: &Relation) -> Relation {
    let other = relation(nodes, |from, to| from.name.0 != to.name.0);
    of.iter().zip(other).map(|(row, other)| row & other).collect()
}

/// Coherence of each location.
pub(crate) fn is_coherent(nodes: &[Node], communication: &Communication) -> bool {
    let po_loc = relation(nodes, |from, to| po(from, to) && from.op.location == to.op.location);
    let Communication { rf, co, fr } = communication;
    is_acyclic(&union(&[&po_loc, rf, co, fr]))
}

/// The accesses of a thread, and of which of them there are writes.
struct Fetched {
    ops: Vec<Op>,
    writes: Vec<bool>,
}

impl Fetched {
    fn of(nodes: &[Node], thread: usize) -> Self {
        let mut all: Vec<(Name, Op)> =
            nodes.iter().filter(|node| node.name.0 == thread).map(|node| (node.name, node.op)).collect();
        all.dedup_by_key(|(name, _)| *name);
        let writes = |name: &Name| nodes.iter().any(|node| node.name == *name && node.writes);
        Self {
            writes: all.iter().map(|(name, _)| writes(name)).collect(),
            ops: all.into_iter().map(|(_, op)| op).collect(),
        }
    }

    /// Whether an access is commit-before a later one beside what the thread keeps in order.
    fn awaits(&self, first: usize, second: usize) -> bool {
        let ops = &self.ops;
        let reaches = |at: usize| {
            let by = ops[at].dependency.is_some_and(|dependency| {
                let everywhere = dependency.is_address() || dependency.is_branch();
                dependency.source() == first && (everywhere || at == second)
            });
            by || (at < second && ops[at].retries && at == first)
        };
        (0..=second).any(reaches) || (ops[second].kind == Kind::Load && self.loads_after(first, second))
    }

    /// The same of what an own store, if there is one, waits for so that its value is known, and of loads of the location.
    fn loads_after(&self, first: usize, second: usize) -> bool {
        let ops = &self.ops;
        let own = (0..second).rev().find(|&at| ops[at].kind.writes() && ops[at].location == ops[second].location);
        let of_own = own.is_some_and(|own| {
            let value = ops[own].dependency.is_some_and(|one| !one.is_branch() && one.source() == first);
            // A compare-and-swap that fails is no store.
            value || (own == first && (ops[own].kind.decides() || !self.writes[own]))
        });
        let is_alike = ops[first].kind.reads() && ops[first].location == ops[second].location;
        of_own || (is_alike && own.is_none_or(|own| own < first))
    }
}

/// Commit-before: nodes by their access.
pub(crate) fn commit_before(nodes: &[Node], local: &Relation, rf: &Relation) -> Relation {
    let threads = nodes.iter().map(|node| node.name.0 + 1).max().unwrap_or(0);
    let fetched: Vec<Fetched> = (0..threads).map(|thread| Fetched::of(nodes, thread)).collect();
    let rfe = external(nodes, rf);
    let direct = |one: usize, other: usize| {
        let (from, to) = (&nodes[one], &nodes[other]);
        let reads_from = rf[one] >> other & 1 == 1;
        // A load that reads from another write than its own comes after that.
        let own = to.op.kind == Kind::Load && from.writes && own_write(nodes, to) == Some(from.name) && !reads_from;
        let update_reads = reads_from && to.op.kind != Kind::Load;
        let awaited = po_strict(from, to) && fetched[from.name.0].awaits(from.name.1, to.name.1);
        local[one] >> other & 1 == 1 || rfe[one] >> other & 1 == 1 || awaited || own || update_reads
    };
    let of = |name: Name| (0..nodes.len()).filter(move |&node| nodes[node].name == name);
    relation(nodes, |from, to| {
        from.name != to.name && of(from.name).any(|one| of(to.name).any(|other| direct(one, other)))
    })
}

/// Whether the machine allows a candidate.
fn allows(machine: Machine, program: &Program, failing: &BTreeSet<Name>, candidate: &Candidate) -> bool {
    let nodes = nodes(program, machine, failing, false);
    let communication = communication(&nodes, candidate);
    if !is_coherent(&nodes, &communication) {
        return false;
    }
    let Communication { rf, co, fr } = &communication;
    let rfe = external(&nodes, rf);
    match machine {
        Machine::Arm => {
            let obs = [&rfe, &external(&nodes, co), &external(&nodes, fr)].map(Clone::clone);
            let lob = armv8::locally_ordered(&nodes);
            is_acyclic(&union(&[&obs[0], &obs[1], &obs[2], &lob]))
        }
        Machine::Riscv => is_acyclic(&union(&[co, &rfe, fr, &riscv::preserved(&nodes, &communication)])),
    }
}

/// Whether the accesses of an allowed candidate can be committed one after the other, a read-modify-write at once.
fn is_in_reach(machine: Machine, program: &Program, failing: &BTreeSet<Name>, candidate: &Candidate) -> bool {
    let nodes = nodes(program, machine, failing, true);
    let real = self::nodes(program, machine, failing, false);
    let communication = communication(&real, candidate);
    // Writes that are not there are in no communication.
    let place = |node: &Node| {
        real.iter().position(|one| one.name == node.name && one.writes == node.writes && one.reads == node.reads)
    };
    let lifted = |of: &Relation| {
        relation(&nodes, |from, to| match (place(from), place(to)) {
            (Some(from), Some(to)) => of[from] >> to & 1 == 1,
            _ => false,
        })
    };
    let rf = lifted(&communication.rf);
    let local = match machine {
        Machine::Arm => armv8::locally_ordered(&nodes),
        Machine::Riscv => {
            let Communication { co, fr, .. } = &communication;
            riscv::preserved(&nodes, &Communication { rf: rf.clone(), co: lifted(co), fr: lifted(fr) })
        }
    };
    is_acyclic(&commit_before(&nodes, &local, &rf))
}

/// What was compared.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Compared {
    /// Executions that are allowed.
    pub(crate) allowed: usize,
    /// Those of them that cannot be had with read-modify-writes at once.
    pub(crate) out_of_reach: usize,
}

/// Compares all executions of a program; whatever the engine misses must be out of reach.
pub(crate) fn compare(machine: Machine, program: &Program) -> Compared {
    let text = match machine {
        Machine::Arm => armv8::text(program),
        Machine::Riscv => riscv::text(program),
    };
    let model = match machine {
        Machine::Arm => MemoryModel::Armv8,
        Machine::Riscv => MemoryModel::Riscv,
    };
    let mut compared = Compared::default();
    let mut expected = BTreeSet::new();
    for (failing, candidate) in candidates(program) {
        if !allows(machine, program, &failing, &candidate) {
            continue;
        }
        compared.allowed += 1;
        if is_in_reach(machine, program, &failing, &candidate) {
            expected.insert(candidate);
        } else {
            let is_split = program.threads.iter().flatten().any(|op| op.kind.updates());
            assert!(is_split, "no order of commits for {candidate:?}\n{text}");
            compared.out_of_reach += 1;
        }
    }
    let found = found(&text, model);
    assert_eq!(found, expected, "under {model:?}\n{text}");
    compared
}
