//! POWER with the weaker of the two commit-before orders of 004-abdulla-cav16 (section 2):
//! cb0 = (addr ∪ data ∪ ctrl ∪ rf)⁺.
//!
//! It allows the same traces, but not every part of one can be completed (the paper's figure 5): the search blocks where
//! that of [`super::power`] does not. It is here to show that, not to be used: a commit may add pairs between nodes
//! that are there already, so the axioms, which are those of [`super::power`], are evaluated anew at each commit.

use super::Model;
use super::power::{Separation, separation};
use crate::graph::set::Set;
use crate::graph::trace::{Part, Trace};
use crate::graph::{Access, EventId, Internal, Label, Labels};

/// A relation between nodes: for each node, what comes directly before it.
type Relation<const W: usize> = Vec<Set<W>>;

/// The model of POWER whose commit-before order is made of dependencies and rf alone.
#[derive(Clone, Debug, Default)]
pub struct PowerByDependencies<const W: usize> {
    /// The label of each node.
    labels: Vec<Label<W>>,
}

impl<const W: usize> Model<W> for PowerByDependencies<W> {
    type Past = Self;

    const IS_DEADLOCK_FREE: bool = false;

    fn awaits(labels: &Labels<W>, index: usize) -> Option<Set<W>> {
        let label = &labels[index];
        label.location?;
        Some(label.address_from.or(&label.value_from).or(&label.control_from))
    }

    fn admits(&mut self, trace: &Trace<W>, labels: &Labels<W>) -> bool {
        let last = trace.nodes().last().expect("a node").event.index;
        self.labels.push(labels[usize::from(last)]);
        let axioms = Axioms::of(trace, &self.labels);
        axioms.is_coherent() && axioms.hold()
    }

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool {
        let axioms = Axioms::of(trace, &self.labels);
        axioms.fence(Separation::Light)[second].contains(first) || axioms.preserved()[second].contains(first)
    }
}

fn empty<const W: usize>(nodes: usize) -> Relation<W> {
    vec![Set::EMPTY; nodes]
}

fn compose<const W: usize>(first: &Relation<W>, second: &Relation<W>) -> Relation<W> {
    let before = |middle: &Set<W>| middle.iter().fold(Set::EMPTY, |all, middle| all.or(&first[middle]));
    second.iter().map(before).collect()
}

fn union<const W: usize>(all: &[&Relation<W>]) -> Relation<W> {
    (0..all[0].len()).map(|node| all.iter().fold(Set::EMPTY, |before, one| before.or(&one[node]))).collect()
}

fn or_same<const W: usize>(relation: &Relation<W>) -> Relation<W> {
    relation.iter().enumerate().map(|(node, before)| before.or(&Set::of(node))).collect()
}

/// Returns the reflexive transitive closure.
fn star<const W: usize>(relation: &Relation<W>) -> Relation<W> {
    let mut all = or_same(relation);
    loop {
        let next = compose(&all, &all);
        if next == all {
            return all;
        }
        all = next;
    }
}

fn is_irreflexive<const W: usize>(relation: &Relation<W>) -> bool {
    relation.iter().enumerate().all(|(node, before)| !before.contains(node))
}

fn is_acyclic<const W: usize>(relation: &Relation<W>) -> bool {
    is_irreflexive(&compose(&star(relation), relation))
}

/// The relations between the nodes of a trace.
struct Axioms<'t, const W: usize> {
    trace: &'t Trace<W>,
    labels: &'t [Label<W>],
    po: Relation<W>,
    /// Program order between accesses to one location.
    po_loc: Relation<W>,
    /// rf, co and fr between different threads, in this and the next two fields.
    rfe: Relation<W>,
    coe: Relation<W>,
    fre: Relation<W>,
}

impl<'t, const W: usize> Axioms<'t, W> {
    fn of(trace: &'t Trace<W>, labels: &'t [Label<W>]) -> Self {
        let nodes = 0..trace.nodes().len();
        let po: Relation<W> = nodes.clone().map(|node| trace.program_before(node)).collect();
        let same = |node: usize| trace.at(trace.node(node).location);
        let po_loc = nodes.clone().map(|node| po[node].and(same(node))).collect();
        let rfe = nodes.clone().map(|node| trace.external_source(node).map_or(Set::EMPTY, Set::of)).collect();
        let before_write = |node: usize| {
            let lower = |other: &usize| trace.node(*other).rank < trace.node(node).rank;
            let before = if trace.node(node).writes() { *same(node) } else { Set::EMPTY };
            before.without(trace.of_thread(trace.node(node).event.thread)).iter().filter(lower).collect::<Set<W>>()
        };
        let coe = nodes.clone().map(|node| before_write(node).and(trace.writes())).collect();
        let fre = nodes.map(|node| before_write(node).without(trace.writes())).collect();
        Self { trace, labels, po, po_loc, rfe, coe, fre }
    }

    /// Whether po-loc ∪ rf ∪ co ∪ fr is acyclic.
    fn is_coherent(&self) -> bool {
        let back = |node: usize| {
            self.po_loc[node].iter().any(|earlier| self.trace.node(node).communicates(self.trace.node(earlier)))
        };
        !(0..self.po.len()).any(back)
    }

    fn fence(&self, least: Separation) -> Relation<W> {
        let between = |node: usize| {
            let fenced = |&earlier: &usize| {
                let separation = separation(self.trace.node(earlier), self.trace.node(node));
                separation.is_some_and(|separation| separation >= least)
            };
            self.po[node].iter().filter(fenced).collect()
        };
        (0..self.po.len()).map(between).collect()
    }

    /// Returns the relations dp, ctrl, ctrl+isync and addr;po.
    fn dependencies(&self) -> [Relation<W>; 4] {
        let mut all = [(); 4].map(|()| empty(self.po.len()));
        for (number, (node, label)) in self.trace.nodes().iter().zip(self.labels).enumerate() {
            let reads = |indices: &Set<W>| -> Set<W> {
                let events = indices.iter().map(|index| EventId::new(node.event.thread.into(), index));
                events
                    .filter(|&event| self.trace.is_committed(event))
                    .map(|event| self.trace.nodes_of(event).start)
                    .collect()
            };
            all[0][number] = reads(&label.address_from);
            all[1][number] = reads(&label.control_from);
            all[2][number] = reads(&label.synchronized_from);
            all[3][number] = reads(&label.addresses_before);
            if node.writes() {
                all[0][number].add(&reads(&label.value_from));
            }
            if node.part.updates() {
                match label.access {
                    Access::Update(Internal::Data | Internal::Buffered | Internal::Apart) => {
                        all[0][number].insert(number - 1);
                    }
                    Access::Update(Internal::Control) => all[1][number].insert(number - 1),
                    _ => {}
                }
            }
        }
        all
    }

    /// Returns the relation ppo.
    fn preserved(&self) -> Relation<W> {
        let [dp, ctrl, synchronized, addresses] = self.dependencies();
        let rfi = (0..self.po.len()).map(|node| match self.trace.node(node).part {
            Part::Read(source) => source.map_or(Set::EMPTY, Set::of).without(&self.rfe[node]),
            Part::Write | Part::AtomicWrite | Part::BufferedWrite | Part::ApartWrite => Set::EMPTY,
        });
        let within = |relation: Relation<W>| -> Relation<W> {
            relation.iter().zip(&self.po_loc).map(|(before, po_loc)| before.and(po_loc)).collect()
        };
        let ii0 = union(&[&dp, &within(compose(&self.fre, &self.rfe)), &rfi.collect()]);
        let ci0 = union(&[&synchronized, &within(compose(&self.coe, &self.rfe))]);
        let cc0 = union(&[&dp, &self.po_loc, &ctrl, &addresses]);
        let (mut ii, mut ic, mut ci, mut cc) = (ii0.clone(), empty(self.po.len()), ci0.clone(), cc0.clone());
        loop {
            let next = (
                union(&[&ii0, &ci, &compose(&ic, &ci), &compose(&ii, &ii)]),
                union(&[&ii, &cc, &compose(&ic, &cc), &compose(&ii, &ic)]),
                union(&[&ci0, &compose(&ci, &ii), &compose(&cc, &ci)]),
                union(&[&cc0, &ci, &compose(&ci, &ic), &compose(&cc, &cc)]),
            );
            if next == (ii.clone(), ic.clone(), ci.clone(), cc.clone()) {
                break;
            }
            (ii, ic, ci, cc) = next;
        }
        let writes = self.trace.writes();
        let of = |(node, (ii, ic)): (usize, (&Set<W>, &Set<W>))| {
            if writes.contains(node) { ic.without(writes) } else { ii.without(writes) }
        };
        ii.iter().zip(&ic).enumerate().map(of).collect()
    }

    /// Whether the axioms other than coherence hold.
    fn hold(&self) -> bool {
        let trace = self.trace;
        let (fence, ffence) = (self.fence(Separation::Light), self.fence(Separation::Full));
        let hb = union(&[&self.preserved(), &fence, &self.rfe]);
        if !is_acyclic(&hb) {
            return false;
        }
        let after = star(&hb);
        let base = compose(&compose(&or_same(&self.rfe), &fence), &after);
        let writes = |(node, before): (usize, &Set<W>)| {
            if trace.node(node).writes() { before.and(trace.writes()) } else { Set::EMPTY }
        };
        let weak: Relation<W> = base.iter().enumerate().map(writes).collect();
        let communication: Relation<W> = (0..self.po.len()).map(|node| trace.communicating_with(node)).collect();
        let strong = compose(&compose(&compose(&or_same(&communication), &star(&base)), &ffence), &after);
        let prop = union(&[&weak, &strong]);
        let co = communication.iter().enumerate().map(writes).collect();
        is_irreflexive(&compose(&compose(&self.fre, &prop), &after)) && is_acyclic(&union(&[&co, &prop]))
    }
}
