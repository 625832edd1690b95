//! ARMv8 (`AArch64`, other-multi-copy-atomic), by the axioms of ARM's architecture reference manual in the form that herd7 has
//! them (7.58): see [`super::observed`] for what is asked of an execution.
//!
//! A: the read of an acquire, Q: of one that is acquire for processor consistency (`ldapr`), L: the write of a release; rmw:
//! from the read of a read-modify-write to its write, amo: where that is one instruction; lrs: from the last store of a
//! thread to a location to a read behind it there. What a thread keeps in order (lob) is the least transitive relation of
//!
//! - lws: an access before a write to its location;
//! - dob: addr, data, ctrl to a write, addr;po to a write, (addr ∪ data);lrs;
//! - pob: pick to a write, where pick is like the dependency of that kind, but goes also through the condition of a selection
//!   (`csel`) and what a compare-and-swap expects; pick-addr;po to a write;
//! - aob: rmw; rmw;lrs to an A or Q;
//! - bob: what a fence separates: a full one all, `dmb ld` reads before it (but those that go nowhere) from all, `dmb st` writes
//!   from writes, `dsb st` writes from all; an L before an A; an A or Q before all; all before an L; the write of an amo that
//!   is A and L before all;
//! - isb: ctrl, addr;po and the picks of both, with an `isb` behind, before all;
//!
//! and of pick;lob to a write: if a load picks what some access does, a write behind that is after the load, too.
//!
//! # Deviations
//! A read-modify-write is committed as one, when what comes before either of its parts is. Where something comes before its
//! write, and not before its read, executions are missed in which the read takes effect before that
//! (docs/limits.md, "ARMv8, RISC-V and C11").

use super::observed::{Before, Local, Observed, Parts};
use crate::graph::set::Set;
use crate::graph::{Access, Annotations, Internal, Label, own_store};

/// The machine ARMv8, by what its threads keep in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocallyOrdered;

/// The memory model of ARMv8.
pub type Armv8<const W: usize> = Observed<LocallyOrdered, W>;

/// The annotations of an access that acquires and releases in one instruction.
const ACQUIRE_RELEASE: Annotations = Annotations::SINGLE.and(Annotations::ACQUIRE).and(Annotations::RELEASE);

impl Local for LocallyOrdered {
    const ORDERS_LOADS_OF_A_LOCATION: bool = false;

    fn is_one<const W: usize>(label: &Label<W>) -> bool {
        label.annotations.has(ACQUIRE_RELEASE)
    }

    fn before<const W: usize>(labels: &[Label<W>], index: usize) -> Option<Before<W>> {
        let mut before = directly_before(labels, index)?;
        if picks_through_memory(&labels[..index]) {
            let held = held(labels, index);
            let through = |parts: &Parts<W>| union(&held, &parts.reads);
            before.write.reads = before.write.reads.or(&through(&before.write));
            let synchronized_from = &labels[index].synchronized_from;
            if !synchronized_from.is_empty() {
                let synchronized = union(&taken(labels, index), synchronized_from);
                before.read.reads.add(&synchronized);
                before.write.reads.add(&synchronized);
            }
        }
        Some(before)
    }
}

fn union<const W: usize>(of: &[Set<W>], members: &Set<W>) -> Set<W> {
    members.iter().fold(Set::EMPTY, |all, member| all.or(&of[member]))
}

/// Returns what comes before an access by all of lob but pick;lob.
fn directly_before<const W: usize>(labels: &[Label<W>], index: usize) -> Option<Before<W>> {
    let label = &labels[index];
    let location = label.location?;
    let mut before = Before::default();
    before.read.reads = label.address_from.or(&label.synchronized_from);
    before.known = label.control_from.or(&label.addresses_before).or(&label.decided_by);
    before.write.reads = before.read.reads.or(&label.value_from).or(&before.known);
    let own = own_store(labels, index);
    for (number, earlier) in labels[..index].iter().enumerate() {
        let is_same = earlier.location? == location;
        if earlier.access.reads() {
            let [reads, writes] = ordered_after_read(earlier, label);
            put(&mut before.read.reads, number, reads);
            put(&mut before.write.reads, number, writes || is_same);
            put(&mut before.alike, number, is_same && own.is_none_or(|own| own < number));
        }
        if earlier.access != Access::Load {
            let [reads, writes] = ordered_after_write(earlier, label);
            put(&mut before.read.writes, number, reads);
            put(&mut before.write.writes, number, writes || is_same);
        }
    }
    if let Some(own) = own {
        after_own(&labels[own], own, label, &mut before);
    }
    Some(before)
}

fn put<const W: usize>(set: &mut Set<W>, number: usize, belongs: bool) {
    if belongs {
        set.insert(number);
    }
}

/// Returns whether the read of `earlier` comes before the read, and before the write, of `later`, by what the two are and by
/// fences.
fn ordered_after_read<const W: usize>(earlier: &Label<W>, later: &Label<W>) -> [bool; 2] {
    let acquires = earlier.annotations.has(Annotations::ACQUIRE) || earlier.annotations.has(Annotations::ACQUIRE_PC);
    let fenced = |writes| {
        if earlier.annotations.has(Annotations::UNUSED) {
            earlier.fences.full < later.fences.full
        } else {
            earlier.fences.separate(false, &later.fences, writes)
        }
    };
    let releases = later.annotations.has(Annotations::RELEASE);
    [acquires || fenced(false), acquires || fenced(true) || releases]
}

/// Returns whether the write of `earlier` comes before the read, and before the write, of `later`, by what the two are and by
/// fences.
fn ordered_after_write<const W: usize>(earlier: &Label<W>, later: &Label<W>) -> [bool; 2] {
    let is_both = earlier.annotations.has(ACQUIRE_RELEASE);
    let acquires = later.annotations.has(Annotations::ACQUIRE) && earlier.annotations.has(Annotations::RELEASE);
    let releases = later.annotations.has(Annotations::RELEASE);
    let fenced = |writes| earlier.fences.separate(true, &later.fences, writes);
    [is_both || acquires || fenced(false), is_both || fenced(true) || releases]
}

/// Adds what comes before a read because its thread has a store to its location before it; `number` is that store's.
fn after_own<const W: usize>(store: &Label<W>, number: usize, label: &Label<W>, before: &mut Before<W>) {
    before.read.reads.add(&store.address_from.or(&store.value_from));
    before.known.add(&store.decided_by);
    let Access::Update(internal) = store.access else { return };
    if internal != Internal::None {
        before.known.insert(number);
    }
    if label.annotations.has(Annotations::ACQUIRE) || label.annotations.has(Annotations::ACQUIRE_PC) {
        before.read.reads.insert(number);
    }
}

/// Whether some of these stores may be picked by a read, and with them whatever reads from them.
fn picks_through_memory<const W: usize>(labels: &[Label<W>]) -> bool {
    let depends = |label: &Label<W>| matches!(label.access, Access::Update(internal) if internal != Internal::None);
    labels.iter().any(|label| label.access != Access::Load && (depends(label) || !label.decided_by.is_empty()))
}

/// Returns, for each access, the reads that pick what it reads from a store of its own thread.
fn taken<const W: usize>(labels: &[Label<W>], count: usize) -> Vec<Set<W>> {
    let mut all: Vec<Set<W>> = Vec::with_capacity(count);
    for index in 0..count {
        let mut taken = Set::EMPTY;
        if labels[index].access.reads()
            && let Some(own) = own_store(labels, index)
        {
            let store = &labels[own];
            taken = store.decided_by;
            let mut sources = store.decided_by.or(&store.value_from).or(&store.address_from);
            if matches!(store.access, Access::Update(internal) if internal != Internal::None) {
                taken.insert(own);
                sources.insert(own);
            }
            taken.add(&union(&all, &sources));
        }
        all.push(taken);
    }
    all
}

/// Returns, for each access before `count`, all of known location, the reads that pick what is read by it or by a read that is
/// before it by lob through reads alone.
fn held<const W: usize>(labels: &[Label<W>], count: usize) -> Vec<Set<W>> {
    let mut all = taken(labels, count);
    let Some(first) = all.iter().position(|taken| !taken.is_empty()) else { return all };
    let mut holding: Set<W> = Set::EMPTY;
    for index in first..count {
        let label = &labels[index];
        let mut before = Before::default();
        before.read.reads = label.address_from.or(&label.synchronized_from);
        if let Some(own) = own_store(labels, index) {
            after_own(&labels[own], own, label, &mut before);
        }
        for earlier in holding.iter() {
            let [ordered, _] = ordered_after_read(&labels[earlier], label);
            if before.read.reads.contains(earlier) || ordered {
                let through = all[earlier];
                all[index].add(&through);
            }
        }
        put(&mut holding, index, label.access.reads() && !all[index].is_empty());
    }
    all
}
