//! RISC-V (RVWMO), by the axioms of the ISA manual in the form that herd7 has them (7.58): see [`super::observed`] for what is
//! asked of an execution.
//!
//! AQ and RL are annotations, of an `amo` of the whole of it, of `lr` and `sc` of each; RCsc is an annotated `amo`, `lr` or `sc`.
//! What a thread keeps in order (ppo) is
//!
//! - r1: an access before a write to its location;
//! - r2: a read before one of its location, if no write to it is between, and they read from different writes;
//! - r3: an `amo` or `sc` before a read from it;
//! - r4: what a fence separates;
//! - r5 to r7: an AQ before all, all before an RL, an RCsc before an RCsc;
//! - r8: `lr` before its `sc`;
//! - r9 to r11: addr, data, ctrl to a write;
//! - r12: (addr ∪ data) to a write, and a read from that in its thread;
//! - r13: addr;po to a write.
//!
//! An `amo` is one node of the model: here, what comes before either of its parts comes before its read, and its write comes
//! before what comes after either. r3 and r12 are drawn whatever the read reads from: if that is another write, it follows
//! the own one in co, and they hold by that.
//!
//! # Deviations
//! `lr` and `sc` are committed as one (docs/limits.md, "ARMv8, RISC-V and C11").

use super::observed::{Before, Local, Observed, Parts};
use crate::graph::set::Set;
use crate::graph::{Access, Annotations, Label, own_store};

/// The machine RISC-V, by what its threads keep in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preserved;

/// The memory model of RISC-V.
pub type Riscv<const W: usize> = Observed<Preserved, W>;

impl Local for Preserved {
    const ORDERS_LOADS_OF_A_LOCATION: bool = true;

    fn is_one<const W: usize>(label: &Label<W>) -> bool {
        label.annotations.has(Annotations::SINGLE)
    }

    fn before<const W: usize>(labels: &[Label<W>], index: usize) -> Option<Before<W>> {
        let label = &labels[index];
        let location = label.location?;
        let own = own_store(labels, index);
        let mut before = dependencies(labels, label);
        for (number, earlier) in labels[..index].iter().enumerate() {
            let is_same = earlier.location? == location;
            let parts = [earlier.access.reads().then_some(false), (earlier.access != Access::Load).then_some(true)];
            for writes in parts.into_iter().flatten() {
                let later = [label.access.reads().then_some(false), (label.access != Access::Load).then_some(true)];
                for later_writes in later.into_iter().flatten() {
                    if (is_same && later_writes) || orders(earlier, writes, label, later_writes) {
                        let after = if later_writes { &mut before.write } else { &mut before.read };
                        insert(after, labels, number, writes);
                    }
                }
            }
            if is_same && earlier.access.reads() && own.is_none_or(|own| own < number) {
                before.alike.insert(number);
            }
        }
        if let Some(own) = own {
            let store = &labels[own];
            if store.access == Access::Store {
                insert_all(&mut before.read, labels, &store.address_from.or(&store.value_from));
                before.known.add(&store.decided_by);
            } else {
                before.read.writes.insert(own);
            }
        }
        if label.annotations.has(Annotations::SINGLE) {
            before.read.reads.add(&before.write.reads);
            before.read.writes.add(&before.write.writes);
        }
        Some(before)
    }
}

/// Returns what comes before an access by r9 to r11 and r13.
fn dependencies<const W: usize>(labels: &[Label<W>], label: &Label<W>) -> Before<W> {
    let mut before = Before::default();
    insert_all(&mut before.read, labels, &label.address_from);
    let control = label.control_from.or(&label.addresses_before);
    insert_all(&mut before.write, labels, &label.address_from.or(&label.value_from).or(&control));
    before.write.writes.add(&label.decided_by);
    before.known = control.or(&label.decided_by);
    before
}

/// Adds the read, or the write, of an access to these parts. An `amo` has one part only, which is its write, or its read if it
/// does not write.
fn insert<const W: usize>(parts: &mut Parts<W>, labels: &[Label<W>], number: usize, writes: bool) {
    let is_one = labels[number].annotations.has(Annotations::SINGLE) && labels[number].writes();
    let all = if writes || is_one { &mut parts.writes } else { &mut parts.reads };
    all.insert(number);
}

/// Adds the reads of these accesses to these parts.
fn insert_all<const W: usize>(parts: &mut Parts<W>, labels: &[Label<W>], reads: &Set<W>) {
    reads.iter().for_each(|number| insert(parts, labels, number, false));
}

fn acquires<const W: usize>(label: &Label<W>, writes: bool) -> bool {
    label.annotations.has(if writes { Annotations::WRITE_ACQUIRES } else { Annotations::ACQUIRE })
}

fn releases<const W: usize>(label: &Label<W>, writes: bool) -> bool {
    label.annotations.has(if writes { Annotations::RELEASE } else { Annotations::READ_RELEASES })
}

/// Whether the read, or the write, of an access comes before that of a later one by r4 to r7.
fn orders<const W: usize>(earlier: &Label<W>, writes: bool, later: &Label<W>, later_writes: bool) -> bool {
    let is_marked = |label: &Label<W>, writes| {
        matches!(label.access, Access::Update(_)) && (acquires(label, writes) || releases(label, writes))
    };
    earlier.fences.separate(writes, &later.fences, later_writes)
        || acquires(earlier, writes)
        || releases(later, later_writes)
        || (is_marked(earlier, writes) && is_marked(later, later_writes))
}
