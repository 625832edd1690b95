//! The code that the C11 orders become where accesses order by themselves: on ARMv8 (`AArch64`), on RISC-V, and in C11 itself.
//!
//! The tables in words are docs/power.md, section 5. Where compilers differ, a row is as weak as the weakest code: what
//! distributions build for ARM runs with single instructions (LSE) or with pairs of exclusive ones, as the processor has
//! them, so by default a read-modify-write orders no more than both do.

use super::{Order, compiled};
use crate::graph::{Access, Annotations};

/// Returns the annotations of an access of this order, given those that acquire and those that release.
const fn annotated(order: Order, acquires: Annotations, releases: Annotations) -> Annotations {
    let read = if order.acquires() { acquires } else { Annotations::NONE };
    let write = if order.releases() { releases } else { Annotations::NONE };
    read.and(write)
}

/// What is known of the code that a compiler makes, and of the language that it is made from; the weakest where it is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Code {
    /// The code of ARMv8 for read-modify-writes.
    pub updates: armv8::Updates,
    /// The code of ARMv8 for loads that acquire.
    pub loads: armv8::AcquireLoads,
    /// The rule for release sequences of C11.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sequences: c11::ReleaseSequences,
}

impl Code {
    /// Returns the annotations of an access on ARMv8, given those that the access has where nothing is known.
    #[must_use]
    pub const fn annotated(self, access: Access, annotations: Annotations) -> Annotations {
        match (access, self.updates, self.loads) {
            (Access::Load, _, armv8::AcquireLoads::Ldar) if annotations.has(Annotations::ACQUIRE_PC) => {
                annotations.without(Annotations::ACQUIRE_PC).and(Annotations::ACQUIRE)
            }
            (Access::Update(_), armv8::Updates::Single, _) => annotations.and(Annotations::SINGLE),
            _ => annotations,
        }
    }
}

/// Returns the order of a compare-and-swap's instructions, which are chosen before it is known whether it succeeds: it acquires
/// if either of its orders does.
#[must_use]
pub const fn of_both(success: Order, failure: Order) -> Order {
    match compiled(success, failure) {
        Order::Relaxed if failure.acquires() => Order::Acquire,
        Order::Release if failure.acquires() => Order::AcquireRelease,
        order => order,
    }
}

/// The annotations of ARMv8: `ldapr` and `ldar`, `stlr`, and read-modify-writes with `a` and `l`.
pub mod armv8 {
    use super::{Access, Annotations, Order, annotated};

    /// The code for read-modify-writes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
    pub enum Updates {
        /// Whichever the processor has: only what both keep in order is counted on.
        #[default]
        Either,
        /// Single instructions (LSE).
        Single,
        /// Loops of a pair of exclusive instructions.
        Pairs,
    }

    /// The code for loads that acquire, and are not sequentially consistent.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
    pub enum AcquireLoads {
        /// `ldapr`.
        #[default]
        Ldapr,
        /// `ldar`.
        Ldar,
    }

    /// Returns the annotations of an access of this order.
    #[must_use]
    pub const fn access(access: Access, order: Order) -> Annotations {
        match (access, order) {
            (Access::Load, Order::SequentiallyConsistent) => Annotations::ACQUIRE,
            (Access::Load, _) => annotated(order, Annotations::ACQUIRE_PC, Annotations::NONE),
            (Access::Store, _) => annotated(order, Annotations::NONE, Annotations::RELEASE),
            (Access::Update(_), _) => annotated(order, Annotations::ACQUIRE, Annotations::RELEASE),
        }
    }

    /// Returns the annotations of a read-modify-write whose result is not used: a compiler may leave the result out, and then it
    /// is no acquire.
    #[must_use]
    pub const fn unused(annotations: Annotations) -> Annotations {
        annotations.without(Annotations::ACQUIRE).and(Annotations::UNUSED)
    }
}

/// The code of RISC-V: fences around loads and stores, and read-modify-writes with `.aq` and `.rl`.
pub mod riscv {
    use super::{Annotations, Order, annotated};
    use crate::graph::Fences;
    use crate::mapping::graphs::{FULL, LIGHTWEIGHT, LOADS, NOTHING};

    /// The count of `fence rw,w`.
    pub const TO_WRITES: Fences = Fences { read_write: 1, write_write: 1, ..NOTHING };

    /// Returns the fences before and after a load of this order.
    #[must_use]
    pub const fn load(order: Order) -> [Fences; 2] {
        match order {
            Order::SequentiallyConsistent => [FULL, LOADS],
            Order::Acquire | Order::AcquireRelease => [NOTHING, LOADS],
            Order::Relaxed | Order::Release => [NOTHING, NOTHING],
        }
    }

    /// Returns the fence before a store of this order.
    #[must_use]
    pub const fn store(order: Order) -> Fences {
        if order.releases() { TO_WRITES } else { NOTHING }
    }

    /// Returns the fences that a fence of this order is.
    #[must_use]
    pub const fn fence(order: Order) -> Fences {
        match order {
            Order::Relaxed => NOTHING,
            Order::Acquire => LOADS,
            Order::Release => TO_WRITES,
            Order::AcquireRelease => LIGHTWEIGHT,
            Order::SequentiallyConsistent => FULL,
        }
    }

    /// Returns the annotations of an `amo` of this order.
    #[must_use]
    pub const fn single(order: Order) -> Annotations {
        let acquires = Annotations::ACQUIRE.and(Annotations::WRITE_ACQUIRES);
        let releases = Annotations::READ_RELEASES.and(Annotations::RELEASE);
        annotated(order, acquires, releases).and(Annotations::SINGLE)
    }

    /// Returns the annotations of a loop of `lr` and `sc` of this order.
    #[must_use]
    pub const fn pair(order: Order) -> Annotations {
        let both = annotated(order, Annotations::ACQUIRE, Annotations::RELEASE);
        match order {
            Order::SequentiallyConsistent => both.and(Annotations::READ_RELEASES),
            _ => both,
        }
    }
}

/// The annotations of C11 itself.
pub mod c11 {
    use super::{Access, Annotations, Order};

    /// The writes that a release sequence has besides the release at its head.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
    pub enum ReleaseSequences {
        /// Later atomic writes of the same thread, and read-modify-writes of any: the rule of C11 and C17.
        #[default]
        OfThread,
        /// Read-modify-writes: the rule of C++20.
        Updates,
    }

    impl ReleaseSequences {
        /// Returns the annotations of an access under C11, given those that it has by the rule of C11.
        #[must_use]
        pub const fn annotated(self, annotations: Annotations) -> Annotations {
            match self {
                Self::OfThread => annotations,
                Self::Updates => annotations.without(Annotations::CONTINUES),
            }
        }
    }

    /// Returns the annotations of an atomic access of this order.
    #[must_use]
    pub const fn access(access: Access, order: Order) -> Annotations {
        let mut all = Annotations::ATOMIC;
        if !matches!(access, Access::Load) {
            all = all.and(Annotations::CONTINUES);
        }
        if order.acquires() && !matches!(access, Access::Store) {
            all = all.and(Annotations::ACQUIRE);
        }
        if order.releases() && !matches!(access, Access::Load) {
            all = all.and(Annotations::RELEASE);
        }
        if matches!(order, Order::SequentiallyConsistent) {
            all = all.and(Annotations::SEQUENTIALLY_CONSISTENT);
        }
        all
    }
}
