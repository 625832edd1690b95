//! C11: the axioms of RC11 as they are written, with fences as nodes, and random programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::armv8::name;
use super::{Acquires, Kind, Op, Program, candidates};
use crate::axioms::engine::{Random, relations_as_candidate};
use crate::axioms::{Candidate, Name, Relation, compose, is_acyclic, or_same, plus, union};
use engine::explore::rsmc::{self, Continue};
use engine::model::c11::C11;
use litmus::graphs::{MemoryModel, Threads};
use litmus::parse::parse;

/// A memory order; of what is not atomic, the first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    Strong,
}

impl Mode {
    const fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease | Self::Strong)
    }

    const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease | Self::Strong)
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Plain | Self::Relaxed => "memory_order_relaxed",
            Self::Acquire => "memory_order_acquire",
            Self::Release => "memory_order_release",
            Self::AcquireRelease => "memory_order_acq_rel",
            Self::Strong => "memory_order_seq_cst",
        }
    }
}

/// The orders of an access: where it fails, if it may; and of a fence before it.
#[derive(Clone, Copy, Debug)]
struct Orders {
    mode: Mode,
    failure: Mode,
    fences: [Option<Mode>; 2],
}

pub(crate) struct CProgram {
    program: Program,
    orders: Vec<Vec<Orders>>,
}

fn pick<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64)]
}

/// The nth program: of three kinds in turn.
pub(crate) fn any(numbers: &mut Random, nth: u32) -> CProgram {
    match nth % 3 {
        0 => random(numbers, 0),
        1 => random(numbers, 5),
        _ => fenced(numbers),
    }
}

/// Two or three threads.
fn random(random: &mut Random, updates: u64) -> CProgram {
    const FENCES: [Mode; 4] = [Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::Strong];
    let shapes: [&[usize]; 5] = [&[3, 3], &[2, 2, 2], &[2, 3], &[4, 2], &[1, 3, 2]];
    let mut made = CProgram { program: Program::default(), orders: Vec::new() };
    let locations = 2 + random.below(2) as u64;
    for &length in shapes[random.below(5)] {
        let (mut thread, mut orders) = (Vec::new(), Vec::new());
        for _ in 0..length {
            let kind = match random.below(10) as u64 {
                below if below < updates => pick(random, &[Kind::Exchange, Kind::Add, Kind::Compare]),
                _ => pick(random, &[Kind::Load, Kind::Store]),
            };
            let mode = match kind {
                Kind::Load => pick(random, &[Mode::Plain, Mode::Relaxed, Mode::Relaxed, Mode::Acquire, Mode::Strong]),
                Kind::Store => pick(random, &[Mode::Plain, Mode::Relaxed, Mode::Relaxed, Mode::Release, Mode::Strong]),
                _ => pick(random, &[Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::Strong]),
            };
            let failure = pick(random, &[Mode::Relaxed, Mode::Acquire, Mode::Strong]);
            let mut fence = |odds| (random.below(odds) == 0).then(|| pick(random, &FENCES));
            let fences = [fence(3), fence(12)];
            orders.push(Orders { mode, failure, fences });
            thread.push(Op {
                kind,
                location: random.below(locations),
                dependency: None,
                fence: None,
                acquires: Acquires::No,
                releases: false,
                retries: false,
            });
        }
        made.program.threads.push(thread);
        made.orders.push(orders);
    }
    made
}

/// Threads that hand on from one location to the next, mostly by relaxed accesses, with many fences.
fn fenced(random: &mut Random) -> CProgram {
    const FENCES: [Mode; 6] =
        [Mode::Acquire, Mode::Release, Mode::AcquireRelease, Mode::Strong, Mode::Strong, Mode::Strong];
    let mut made = CProgram { program: Program::default(), orders: Vec::new() };
    let count = 2 + random.below(2);
    let twice = random.below(6) == 0;
    for number in 0..count {
        let (mut thread, mut orders) = (Vec::new(), Vec::new());
        for step in 0..2 {
            let kind = pick(random, &[Kind::Load, Kind::Load, Kind::Store, Kind::Store, Kind::Store, Kind::Exchange]);
            let weak = if kind == Kind::Exchange { Mode::Relaxed } else { Mode::Plain };
            let mode = pick(random, &[Mode::Relaxed, Mode::Relaxed, Mode::Relaxed, Mode::Strong, weak]);
            let odds = if step == 0 { 8 } else { 3 };
            let mut fence = |odds: u64| (random.below(3 * odds) < 6).then(|| pick(random, &FENCES));
            let fences = [fence(odds), fence(odds)];
            orders.push(Orders { mode, failure: Mode::Relaxed, fences });
            let location = if twice { 0 } else { (number + step) % count };
            let (dependency, fence, acquires) = (None, None, Acquires::No);
            thread.push(Op { kind, location, dependency, fence, acquires, releases: false, retries: false });
        }
        made.program.threads.push(thread);
        made.orders.push(orders);
    }
    made
}

impl CProgram {
    pub(crate) fn text(&self) -> String {
        let mut text = "C random\n{}\n".to_owned();
        for (number, (thread, orders)) in self.program.threads.iter().zip(&self.orders).enumerate() {
            writeln!(text, "P{number}(volatile int* x, volatile int* y, volatile int* z) {{").unwrap();
            for (index, (op, orders)) in thread.iter().zip(orders).enumerate() {
                for fence in orders.fences.into_iter().flatten() {
                    writeln!(text, "  atomic_thread_fence({});", fence.text()).unwrap();
                }
                writeln!(text, "  {}", statement(op, *orders, index)).unwrap();
            }
            text += "}\n";
        }
        text + "exists (x=0 /\\ y=0 /\\ z=0)\n"
    }
}

fn statement(op: &Op, orders: Orders, index: usize) -> String {
    let (place, order, value) = (name(op.location), orders.mode.text(), 10 * (index + 1));
    let is_plain = orders.mode == Mode::Plain;
    match op.kind {
        Kind::Load if is_plain => format!("int r{index} = *{place};"),
        Kind::Load => format!("int r{index} = atomic_load_explicit({place}, {order});"),
        Kind::Store if is_plain => format!("*{place} = {value};"),
        Kind::Store => format!("atomic_store_explicit({place}, {value}, {order});"),
        Kind::Exchange => format!("int r{index} = atomic_exchange_explicit({place}, {value}, {order});"),
        Kind::Compare => format!(
            "int e{index} = 0; int r{index} = atomic_compare_exchange_strong_explicit({place}, &e{index}, {value}, \
             {order}, {});",
            orders.failure.text()
        ),
        _ => format!("int r{index} = atomic_fetch_add_explicit({place}, {value}, {order});"),
    }
}

/// An access, or a fence.
#[derive(Clone, Copy)]
struct Node {
    name: Name,
    /// Its place in its thread, fences included.
    place: usize,
    fence: bool,
    reads: bool,
    writes: bool,
    location: usize,
    mode: Mode,
}

impl Node {
    const fn updates(&self) -> bool {
        self.reads && self.writes
    }

    fn is_strong(&self) -> bool {
        self.mode == Mode::Strong
    }
}

fn nodes(program: &CProgram, fails: impl Fn(Name) -> bool) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (thread, (ops, orders)) in program.program.threads.iter().zip(&program.orders).enumerate() {
        for (index, (op, orders)) in ops.iter().zip(orders).enumerate() {
            let name = (thread, index);
            let fence = Node {
                name,
                place: 3 * index,
                fence: true,
                reads: false,
                writes: false,
                location: usize::MAX,
                mode: Mode::Plain,
            };
            for (number, mode) in orders.fences.into_iter().enumerate() {
                nodes.extend(mode.map(|mode| Node { mode, place: 3 * index + number, ..fence }));
            }
            let failed = op.kind == Kind::Compare && fails(name);
            nodes.push(Node {
                name,
                place: 3 * index + 2,
                fence: false,
                reads: op.kind.reads(),
                writes: op.kind.writes() && !failed,
                location: op.location,
                mode: if failed { orders.failure } else { orders.mode },
            });
        }
    }
    nodes
}

fn relation(nodes: &[Node], holds: impl Fn(&Node, &Node) -> bool) -> Relation {
    let row =
        |from: &Node| nodes.iter().enumerate().fold(0, |row, (to, node)| row | u32::from(holds(from, node)) << to);
    nodes.iter().map(row).collect()
}

fn same(nodes: &[Node], of: impl Fn(&Node) -> bool) -> Relation {
    nodes.iter().enumerate().map(|(number, node)| u32::from(of(node)) << number).collect()
}

fn path(steps: &[&Relation]) -> Relation {
    steps[1..].iter().fold(steps[0].clone(), |path, step| compose(&path, step))
}

fn both(one: &Relation, other: &Relation) -> Relation {
    one.iter().zip(other).map(|(one, other)| one & other).collect()
}

struct Axioms<'n> {
    nodes: &'n [Node],
    sb: Relation,
    rf: Relation,
    mo: Relation,
    rb: Relation,
    hb: Relation,
}

impl<'n> Axioms<'n> {
    fn of(nodes: &'n [Node], candidate: &Candidate) -> Self {
        let source = |read: &Node| candidate.reads_from.iter().find(|(name, _)| *name == read.name).unwrap().1;
        let rank = |location: usize, write: Option<Name>| {
            let place = |write: Name| candidate.coherence[location].iter().position(|one| *one == write).unwrap();
            write.map_or(0, |write| 1 + place(write))
        };
        let sb = relation(nodes, |from, to| from.name.0 == to.name.0 && from.place < to.place);
        let rf = relation(nodes, |from, to| from.writes && to.reads && source(to) == Some(from.name));
        let at = |from: &Node, to: &Node| from.location == to.location && !from.fence;
        let mo = relation(nodes, |from, to| {
            from.writes
                && to.writes
                && at(from, to)
                && rank(from.location, Some(from.name)) < rank(to.location, Some(to.name))
        });
        let rb = relation(nodes, |from, to| {
            from.reads
                && to.writes
                && at(from, to)
                && (from.name != to.name)
                && rank(from.location, source(from)) < rank(to.location, Some(to.name))
        });
        let mut axioms = Self { nodes, sb, rf, mo, rb, hb: Vec::new() };
        axioms.hb = plus(&union(&[&axioms.sb, &axioms.synchronizes()]));
        axioms
    }

    /// sw
    fn synchronizes(&self) -> Relation {
        let nodes = self.nodes;
        let fence = same(nodes, |node| node.fence);
        let atomic_write = same(nodes, |node| node.writes && node.mode != Mode::Plain);
        let atomic_read = same(nodes, |node| node.reads && node.mode != Mode::Plain);
        let at_once = both(&self.sb, &relation(nodes, |from, to| !from.fence && from.location == to.location));
        let updates = plus_or_same(&compose(&self.rf, &same(nodes, Node::updates)));
        let sequence = path(&[&same(nodes, |node| node.writes), &or_same(&at_once), &atomic_write, &updates]);
        let behind_fence = or_same(&compose(&fence, &self.sb));
        let before_fence = or_same(&compose(&self.sb, &fence));
        let releases = same(nodes, |node| node.mode.releases() && (node.fence || node.writes));
        let acquires = same(nodes, |node| node.mode.acquires() && (node.fence || node.reads));
        path(&[&releases, &behind_fence, &sequence, &self.rf, &atomic_read, &before_fence, &acquires])
    }

    fn allows(&self) -> bool {
        let eco = plus(&union(&[&self.rf, &self.mo, &self.rb]));
        let around = union(&[&self.hb, &compose(&self.hb, &eco)]);
        let is_irreflexive = |of: &Relation| of.iter().enumerate().all(|(node, row)| row >> node & 1 == 0);
        let update_loop = compose(&same(self.nodes, Node::updates), &eco);
        is_irreflexive(&around)
            && is_irreflexive(&update_loop)
            && is_acyclic(&union(&[&self.sb, &self.rf]))
            && is_acyclic(&self.psc(&eco))
    }

    fn psc(&self, eco: &Relation) -> Relation {
        let nodes = self.nodes;
        let strong = same(nodes, Node::is_strong);
        let fence = same(nodes, |node| node.fence && node.is_strong());
        let at_once = relation(nodes, |from, to| !from.fence && from.location == to.location);
        let elsewhere = self.sb.iter().zip(&at_once).map(|(sb, at_once)| sb & !at_once).collect();
        let scb = union(&[
            &self.sb,
            &path(&[&elsewhere, &self.hb, &elsewhere]),
            &both(&self.hb, &at_once),
            &self.mo,
            &self.rb,
        ]);
        let perhaps = or_same(&self.hb);
        let left = union(&[&strong, &compose(&fence, &perhaps)]);
        let right = union(&[&strong, &compose(&perhaps, &fence)]);
        let base = path(&[&left, &scb, &right]);
        let between = union(&[&self.hb, &path(&[&self.hb, eco, &self.hb])]);
        union(&[&base, &path(&[&fence, &between, &fence])])
    }

    fn has_race(&self) -> bool {
        let races = relation(self.nodes, |one, other| {
            !one.fence
                && !other.fence
                && one.name.0 != other.name.0
                && one.location == other.location
                && (one.writes || other.writes)
                && (one.mode == Mode::Plain || other.mode == Mode::Plain)
        });
        let ordered = |one: usize, other: usize| (self.hb[one] >> other | self.hb[other] >> one) & 1 == 1;
        (0..self.nodes.len())
            .any(|one| (0..self.nodes.len()).any(|other| races[one] >> other & 1 == 1 && !ordered(one, other)))
    }
}

fn plus_or_same(relation: &Relation) -> Relation {
    or_same(&plus(relation))
}

/// Compares all executions of a program, and which of them have a race; how many there are.
pub(crate) fn compare(program: &CProgram) -> usize {
    let mut expected = BTreeMap::new();
    for (failing, candidate) in candidates(&program.program) {
        let nodes = nodes(program, |name| failing.contains(&name));
        let axioms = Axioms::of(&nodes, &candidate);
        if axioms.allows() {
            expected.insert(candidate, axioms.has_race());
        }
    }
    let text = program.text();
    let test = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let threads = Threads { test: &test, model: MemoryModel::C11, accesses: 64 };
    let mut found = BTreeMap::new();
    let (_, result) = rsmc::explore::<1, C11<1>, _>(&threads, &mut |execution| {
        let candidate = relations_as_candidate(&execution.trace.relations());
        let known = found.insert(candidate, !execution.races().is_empty());
        assert!(known.is_none(), "an execution twice\n{text}");
        Continue::Yes
    });
    assert_eq!(result, Ok(()), "{text}");
    assert_eq!(found, expected, "{text}");
    found.len()
}
