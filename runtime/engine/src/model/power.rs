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
//! # What is sure to take effect before an end
//! The end of a block or a variable is as a store s to all of its memory, behind a `sync`. A real one may overtake what its thread
//! has done, but not the reads on which it depends that it comes at all; what it overtakes otherwise could as well be as it was
//! before. An access is too late in an execution if the model allows it to follow s: to be after s in co, or to read from s. So it
//! is sure to be in time if that contradicts
//!
//! - coherence: co, rf and fr lead from it to an access at its location by the thread of s, before s;
//! - for a write, propagation: (co ∪ prop)⁺ leads from it to s;
//! - for a read, hb: hb⁺ leads from it to s;
//! - for a read, observation: hb\* leads from it to a read r, and fre;prop;hb\* from r to s;
//! - for a read, propagation: (co ∪ prop)⁺ leads to s from a write to which fence;hb\* leads from it, or from a node to which
//!   prop-base\*;ffence;hb\* does, since with the rf from s these are in prop.
//!
//! That a write happens before s is not enough: who reads a flag need not see what was written before the flag, if no fence is
//! between the two writes. A read-modify-write is in time if one of its parts is, as nothing comes between them.
//!
//! # Deviations from the paper
//! 1. Its commit-before order leaves `eieio` out, and then gets stuck; here stores that it separates are committed in
//!    their order.
//! 2. Read-modify-writes, which the paper does not have, are a read and a write that are committed together; nothing
//!    comes between them in co. What architects say beyond that of `lwarx` and `stwcx.` is not modelled.

use super::Model;
use crate::graph::lifetime::{Lifetimes, Moment};
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

/// What comes before a node by the relations that propagate, as [`Power`] has them.
struct Predecessors<const W: usize> {
    hb: Set<W>,
    base: Set<W>,
    bases: Set<W>,
    full: Set<W>,
    strong: Set<W>,
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

    /// Ends are ordered among themselves by all of program order.
    fn lifetimes<'t>(&self, trace: &'t Trace<W>, ends: &[Moment]) -> Lifetimes<'t, W> {
        Lifetimes::new(trace, ends, |_, _| true).with_ends(|end| self.before_end(trace, end))
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

/// Returns what comes before a node by prop, given what does by prop-base, if it is a write, and by prop-base\*;ffence;hb\*.
fn propagation<const W: usize>(trace: &Trace<W>, base: &Set<W>, strong: &Set<W>) -> Set<W> {
    let mut prop = base.and(trace.writes()).or(strong);
    for other in strong.iter() {
        prop.add(&trace.communicating_with(other));
    }
    prop
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
        let past = self.past(trace, &direct, fence, full);
        self.hb.push(past.hb);
        self.base.push(past.base);
        self.bases.push(past.bases);
        self.full.push(past.full);
        self.strong.push(past.strong);
    }

    /// Returns what comes before a node, given what is directly before it by hb, by fences, and by full ones.
    fn past(&self, trace: &Trace<W>, direct: &Set<W>, fence: Set<W>, full: Set<W>) -> Predecessors<W> {
        let mut past = Predecessors { hb: *direct, base: fence, bases: Set::EMPTY, full, strong: Set::EMPTY };
        for fenced in fence.without(trace.writes()).iter() {
            past.base.add(&trace.external_source(fenced).map_or(Set::EMPTY, Set::of));
        }
        for other in direct.iter() {
            past.hb.add(&self.hb[other]);
            past.base.add(&self.base[other]);
            past.full.add(&self.full[other]);
        }
        past.bases = past.base;
        for other in past.base.iter() {
            past.bases.add(&self.bases[other]);
        }
        past.strong = past.full;
        for other in past.full.iter() {
            past.strong.add(&self.bases[other]);
        }
        past
    }

    /// Returns the nodes that are sure to take effect before this end, as the module describes it.
    fn before_end(&self, trace: &Trace<W>, end: Moment) -> Set<W> {
        let mut own = *trace.of_thread(end.thread);
        for node in own.iter() {
            if trace.node(node).event.index >= end.accesses {
                own.remove(node);
            }
        }
        let past = self.past(trace, &own, own, own);
        let propagated = propagation(trace, &past.base, &past.strong);
        let before = self.before_by_propagation(trace, &propagated);
        let writes = *trace.writes();
        let mut sure = before.and(&writes).or(&past.hb.without(&writes));
        for node in own.iter() {
            sure.add(&trace.communicating_with(node));
        }
        let overwriting = past.hb.iter().fold(propagated, |all, node| all.or(&self.propagated(node)));
        for write in overwriting.and(&writes).iter() {
            let this = trace.node(write);
            for read in trace.at(this.location).without(&writes).without(trace.of_thread(this.event.thread)).iter() {
                if trace.node(read).rank < this.rank {
                    sure.insert(read);
                    sure.add(&self.hb[read].without(&writes));
                }
            }
        }
        for node in before.iter() {
            sure.add(&self.strong[node].without(&writes));
            if writes.contains(node) {
                sure.add(&self.base[node].without(&writes));
            }
        }
        sure
    }

    /// Returns the nodes that come before a node by prop.
    fn propagated(&self, node: usize) -> Set<W> {
        self.prop.get(node).copied().unwrap_or(Set::EMPTY)
    }

    /// Returns these nodes, and those from which co ∪ prop leads to them.
    fn before_by_propagation(&self, trace: &Trace<W>, to: &Set<W>) -> Set<W> {
        let (mut before, mut left) = (*to, *to);
        while let Some(node) = left.iter().next() {
            left.remove(node);
            let this = trace.node(node);
            let mut directly = self.propagated(node);
            if this.writes() {
                directly.add(&trace.coherence(this.location).take(usize::from(this.rank) - 1).collect());
            }
            left.add(&directly.without(&before));
            before.add(&directly);
        }
        before
    }

    /// Computes prop of all nodes.
    fn propagate(&mut self, trace: &Trace<W>) {
        self.prop.clear();
        for (number, node) in trace.nodes().iter().enumerate() {
            let weak = if node.writes() { self.base[number] } else { Set::EMPTY };
            self.prop.push(propagation(trace, &weak, &self.strong[number]));
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
