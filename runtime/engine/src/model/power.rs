//! POWER, by the axioms of "Herding Cats" (Alglave, Maranget and Tautschnig, TOPLAS 2014), with the commit-before order
//! of 004-abdulla-cav16 (section 2, there cb-power).
//!
//! With dp = addr ∪ data, rdw = po-loc ∩ (fre;rfe), detour = po-loc ∩ (coe;rfe):
//!
//! - ii0 = dp ∪ rdw ∪ rfi; ic0 = ∅; ci0 = ctrl+isync ∪ detour; cc0 = dp ∪ po-loc ∪ ctrl ∪ (addr;po);
//! - ii = ii0 ∪ ci ∪ (ic;ci) ∪ (ii;ii); ic = ic0 ∪ ii ∪ cc ∪ (ic;cc) ∪ (ii;ic); ci = ci0 ∪ (ci;ii) ∪ (cc;ci);
//!   cc = cc0 ∪ ci ∪ (ci;ic) ∪ (cc;cc), the least such;
//! - ppo = (ii ∩ R×R) ∪ (ic ∩ R×W); ffence = sync; fence = ffence ∪ (lwsync minus W×R) ∪ (eieio ∩ W×W);
//! - hb = ppo ∪ fence ∪ rfe; prop-base = rfe?;fence;hb\*;
//!   prop = (prop-base ∩ W×W) ∪ ((co ∪ rf ∪ fr)\*;prop-base\*;ffence;hb\*).
//!
//! A trace is allowed if hb and co ∪ prop are acyclic and fre;prop;hb\* is irreflexive (beside what all models share).
//!
//! # How it is checked
//! Whatever these relations draw to a node from its own thread is in the commit-before order. So when a node is
//! committed, every new pair of all of them but prop leads *to* it: each relation is kept as the set of what comes
//! before each node, and a commit computes one set more. hb is acyclic by that. Only co, and prop through it, may gain
//! pairs of older nodes; prop is made anew at each commit from the sets and the ranks.
//!
//! # Deviations from the paper
//! 1. Its commit-before order leaves `eieio` out, and then gets stuck; here stores that it separates are committed in
//!    their order.
//! 2. Read-modify-writes, which the paper does not have, are a read and a write that are committed together; nothing
//!    comes between them in co. What architects say beyond that of `lwarx` and `stwcx.` is not modelled.

use super::Model;
use crate::graph::set::Set;
use crate::graph::trace::{Node, Part, Trace};
use crate::graph::{Access, EventId, Internal, Label, Labels};

/// The model of POWER: the relations as far as they are kept, each as the set of what comes before each node.
#[derive(Debug, Default)]
pub struct Power<const W: usize> {
    ppo: Vec<Intra<W>>,
    /// The relation hb⁺.
    hb: Vec<Set<W>>,
    /// The relation prop-base.
    base: Vec<Set<W>>,
    /// The relation prop-base⁺.
    bases: Vec<Set<W>>,
    /// The relation prop-base\*;ffence;hb\*.
    strong: Vec<Set<W>>,
    /// The relation ffence;hb\*.
    full: Vec<Set<W>>,
    prop: Vec<Set<W>>,
}

/// The nodes that come before a node by the relations from which ppo is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Intra<const W: usize> {
    ii: Set<W>,
    ic: Set<W>,
    ci: Set<W>,
    cc: Set<W>,
}

impl<const W: usize> Clone for Power<W> {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        self.ppo.clone_from(&source.ppo);
        self.hb.clone_from(&source.hb);
        self.base.clone_from(&source.base);
        self.bases.clone_from(&source.bases);
        self.strong.clone_from(&source.strong);
        self.full.clone_from(&source.full);
        self.prop.clone_from(&source.prop);
    }
}

impl<const W: usize> Model<W> for Power<W> {
    type Past = Self;

    /// Returns what an access awaits: cb = (addr ∪ data ∪ ctrl ∪ (addr;po) ∪ po-loc ∪ sync ∪ lwsync ∪ (eieio ∩ W×W) ∪ rf)⁺.
    fn awaits(labels: &Labels<W>, index: usize) -> Option<Set<W>> {
        let label = &labels[index];
        label.location?;
        let mut awaited = label.address_from.or(&label.value_from).or(&label.control_from).or(&label.addresses_before);
        for (number, earlier) in labels[..index].iter().enumerate() {
            let fenced = earlier.fences.full < label.fences.full
                || earlier.fences.read_read < label.fences.read_read
                || (earlier.fences.write_write < label.fences.write_write
                    && earlier.access != Access::Load
                    && label.access != Access::Load);
            if fenced || earlier.location? == label.location? {
                awaited.insert(number);
            }
        }
        Some(awaited)
    }

    fn admits(&mut self, trace: &Trace<W>, labels: &Labels<W>) -> bool {
        let number = trace.nodes().len() - 1;
        let before = trace.program_before(number);
        let label = &labels[usize::from(trace.node(number).event.index)];
        let intra = self.intra(trace, label, &before);
        self.ppo.push(intra);
        self.happens_before(trace, &intra, &before);
        if self.strong.iter().all(Set::is_empty) && self.base.iter().all(Set::is_empty) {
            self.prop.clear();
            return true;
        }
        self.propagate(trace);
        self.observes(trace) && self.propagates(trace)
    }

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool {
        let (earlier, later) = (trace.node(first), trace.node(second));
        separation(earlier, later).is_some() || (!earlier.writes() && self.preserved(later, second).contains(first))
    }
}

/// The way in which fences separate two nodes of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Separation {
    /// The relation fence holds between the two nodes, but ffence does not.
    Light,
    /// The relation ffence holds between the two nodes.
    Full,
}

/// Returns how fences separate two nodes of a thread, given in program order, if they do.
pub(super) fn separation(earlier: &Node, later: &Node) -> Option<Separation> {
    // Apart from full fences, `lwsync` is the only fence of POWER that orders reads before reads.
    let lightweight = earlier.fences.read_read < later.fences.read_read;
    let stores = earlier.fences.write_write < later.fences.write_write;
    if earlier.fences.full < later.fences.full {
        return Some(Separation::Full);
    }
    let light =
        (lightweight && (!earlier.writes() || later.writes())) || (stores && earlier.writes() && later.writes());
    light.then_some(Separation::Light)
}

/// Returns the nodes of some accesses of a thread at which dependencies start: their reads.
fn reads_of<const W: usize>(trace: &Trace<W>, thread: u16, indices: &Set<W>) -> Set<W> {
    indices.iter().map(|index| trace.nodes_of(EventId::new(thread.into(), index)).start).collect()
}

impl<const W: usize> Power<W> {
    /// Returns what comes before a node by ii, or by ic if it writes; the reads among these are before it by ppo.
    fn preserved(&self, node: &Node, number: usize) -> &Set<W> {
        let intra = &self.ppo[number];
        if node.writes() { &intra.ic } else { &intra.ii }
    }

    /// Returns what comes before the last node of the trace by ii, ic, ci and cc.
    fn intra(&self, trace: &Trace<W>, label: &Label<W>, before: &Set<W>) -> Intra<W> {
        let mut new = Self::base_of_intra(trace, label, before);
        loop {
            let old = new;
            new.ii.add(&old.ci);
            new.ic.add(&old.ii.or(&old.cc));
            new.cc.add(&old.ci);
            for middle in old.ii.iter() {
                new.ii.add(&self.ppo[middle].ii);
                new.ci.add(&self.ppo[middle].ci);
            }
            for middle in old.ic.iter() {
                new.ic.add(&self.ppo[middle].ii);
                new.cc.add(&self.ppo[middle].ci);
            }
            for middle in old.ci.iter() {
                new.ii.add(&self.ppo[middle].ic);
                new.ci.add(&self.ppo[middle].cc);
            }
            for middle in old.cc.iter() {
                new.ic.add(&self.ppo[middle].ic);
                new.cc.add(&self.ppo[middle].cc);
            }
            if new == old {
                return new;
            }
        }
    }

    /// Returns what comes before the last node by ii0, ic0, ci0 and cc0.
    fn base_of_intra(trace: &Trace<W>, label: &Label<W>, before: &Set<W>) -> Intra<W> {
        let number = trace.nodes().len() - 1;
        let node = trace.node(number);
        let reads = |indices: &Set<W>| reads_of(trace, node.event.thread, indices);
        let mut dp = reads(&label.address_from);
        let mut control = reads(&label.control_from);
        if node.writes() {
            dp.add(&reads(&label.value_from));
        }
        if node.part.updates() {
            match label.access {
                Access::Update(Internal::Data | Internal::Buffered | Internal::Apart) => dp.insert(number - 1),
                Access::Update(Internal::Control) => control.insert(number - 1),
                _ => {}
            }
        }
        let same_location = trace.at(node.location).and(before);
        let mut new = Intra {
            ii: dp,
            ic: Set::EMPTY,
            ci: reads(&label.synchronized_from),
            cc: dp.or(&same_location).or(&control).or(&reads(&label.addresses_before)),
        };
        if let Part::Read(Some(source)) = node.part {
            if trace.external_source(number).is_none() {
                new.ii.insert(source);
            } else {
                for earlier in same_location.iter() {
                    // Here the pair is in fre;rfe or coe;rfe, through the source.
                    if trace.node(earlier).rank < node.rank {
                        let relation = if trace.node(earlier).writes() { &mut new.ci } else { &mut new.ii };
                        relation.insert(earlier);
                    }
                }
            }
        }
        new
    }

    /// Adds what comes before the last node by hb⁺, prop-base, prop-base⁺ and the strong part of prop.
    fn happens_before(&mut self, trace: &Trace<W>, intra: &Intra<W>, before: &Set<W>) {
        let number = trace.nodes().len() - 1;
        let node = trace.node(number);
        let (mut full, mut fence) = (Set::EMPTY, Set::EMPTY);
        for other in before.iter() {
            let Some(between) = separation(trace.node(other), node) else { continue };
            fence.insert(other);
            if between == Separation::Full {
                full.insert(other);
            }
        }
        let ppo = if node.writes() { &intra.ic } else { &intra.ii }.without(trace.writes());
        let mut direct = ppo.or(&fence);
        direct.add(&trace.external_source(number).map_or(Set::EMPTY, Set::of));
        let (mut hb, mut base) = (direct, fence);
        for fenced in fence.without(trace.writes()).iter() {
            base.add(&trace.external_source(fenced).map_or(Set::EMPTY, Set::of));
        }
        for other in direct.iter() {
            hb.add(&self.hb[other]);
            base.add(&self.base[other]);
            full.add(&self.full[other]);
        }
        let mut bases = base;
        for other in base.iter() {
            bases.add(&self.bases[other]);
        }
        let mut strong = full;
        for other in full.iter() {
            strong.add(&self.bases[other]);
        }
        self.hb.push(hb);
        self.base.push(base);
        self.bases.push(bases);
        self.full.push(full);
        self.strong.push(strong);
    }

    /// Computes prop of all nodes.
    fn propagate(&mut self, trace: &Trace<W>) {
        self.prop.clear();
        for (number, node) in trace.nodes().iter().enumerate() {
            let weak = if node.writes() { self.base[number].and(trace.writes()) } else { Set::EMPTY };
            let strong = self.strong[number];
            let mut prop = weak.or(&strong);
            for other in strong.iter() {
                prop.add(&trace.communicating_with(other));
            }
            self.prop.push(prop);
        }
    }

    /// Whether fre;prop;hb\* is irreflexive.
    fn observes(&self, trace: &Trace<W>) -> bool {
        trace.nodes().iter().enumerate().filter(|(_, node)| !node.writes()).all(|(read, node)| {
            let mut overwriting =
                trace.at(node.location).and(trace.writes()).without(trace.of_thread(node.event.thread));
            for write in overwriting.iter() {
                if trace.node(write).rank <= node.rank {
                    overwriting.remove(write);
                }
            }
            let meets = |end: usize| self.prop[end].meets(&overwriting);
            overwriting.is_empty() || !(meets(read) || self.hb[read].iter().any(meets))
        })
    }

    /// Whether co ∪ prop is acyclic.
    fn propagates(&self, trace: &Trace<W>) -> bool {
        let mut left: Set<W> = (0..trace.nodes().len()).collect();
        loop {
            let mut progress = false;
            for number in left.iter() {
                let node = trace.node(number);
                let overwritten = node.writes()
                    && trace
                        .at(node.location)
                        .and(trace.writes())
                        .and(&left)
                        .iter()
                        .any(|other| trace.node(other).rank < node.rank);
                if !overwritten && !self.prop[number].meets(&left) {
                    left.remove(number);
                    progress = true;
                }
            }
            if !progress {
                return left.is_empty();
            }
        }
    }
}
