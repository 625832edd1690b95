//! Which fences a C construct implies: the one table from C11 orders to the machines' barriers.
//!
//! The source is the mapping table of the POWER design (section 5): its TSO and PSO columns here, its POWER column in
//! [`power`]. TSO and PSO read the same [`Barriers`]: TSO ignores [`Barrier::StoreStore`], and drains a thread's whole
//! buffer at each read-modify-write whatever its order (an interlocked instruction is a full fence on x86).

use crate::event::Barrier;

/// A C11 memory order. `consume` counts as `acquire`, as compilers treat it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Plain, volatile and relaxed accesses.
    Relaxed,
    /// `memory_order_acquire` and `memory_order_consume`.
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcquireRelease,
    /// `memory_order_seq_cst`.
    SequentiallyConsistent,
}

impl Order {
    /// The order with this C11 number (`relaxed` 0, `consume` 1, `acquire` 2, `release` 3, `acq_rel` 4, `seq_cst` 5);
    /// none for any other number.
    #[must_use]
    pub const fn from_c11(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Relaxed),
            1 | 2 => Some(Self::Acquire),
            3 => Some(Self::Release),
            4 => Some(Self::AcquireRelease),
            5 => Some(Self::SequentiallyConsistent),
            _ => None,
        }
    }
}

/// The barriers on both sides of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Barriers {
    /// Before the access takes effect.
    pub before: Barrier,
    /// After it has taken effect.
    pub after: Barrier,
}

impl Barriers {
    /// No barrier on either side: plain accesses.
    pub const NONE: Self = Self { before: Barrier::None, after: Barrier::None };
}

/// Of a load: none under TSO and PSO, whose loads are in order.
#[must_use]
pub const fn load(_order: Order) -> Barriers {
    Barriers::NONE
}

/// Of a store.
#[must_use]
pub const fn store(order: Order) -> Barriers {
    match order {
        Order::Relaxed | Order::Acquire => Barriers::NONE,
        Order::Release | Order::AcquireRelease => Barriers { before: Barrier::StoreStore, after: Barrier::None },
        Order::SequentiallyConsistent => Barriers { before: Barrier::StoreStore, after: Barrier::Full },
    }
}

/// Of a read-modify-write that writes.
#[must_use]
pub const fn rmw(order: Order) -> Barriers {
    match order {
        Order::Relaxed | Order::Acquire => Barriers::NONE,
        Order::Release | Order::AcquireRelease => Barriers { before: Barrier::StoreStore, after: Barrier::None },
        Order::SequentiallyConsistent => Barriers { before: Barrier::Full, after: Barrier::Full },
    }
}

/// Of a compare-and-swap that fails: what stands before it has executed already, what comes after follows the failure
/// order.
#[must_use]
pub const fn failed_rmw(success: Order, failure: Order) -> Barriers {
    Barriers { before: rmw(success).before, after: rmw(failure).after }
}

/// Of a fence between threads.
#[must_use]
pub const fn fence(order: Order) -> Barrier {
    match order {
        Order::Relaxed | Order::Acquire => Barrier::None,
        Order::Release | Order::AcquireRelease => Barrier::StoreStore,
        Order::SequentiallyConsistent => Barrier::Full,
    }
}

/// What the orders become on POWER.
pub mod power {
    use super::Order;

    /// A fence before an access, or one of its own.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Fence {
        /// None.
        None,
        /// `lwsync`.
        Lightweight,
        /// `sync`.
        Full,
    }

    /// Whether a branch that depends on what was read comes after an access, and an `isync`.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Synchronizes {
        /// Neither does.
        #[default]
        No,
        /// Both do.
        Yes,
    }

    /// What stands on both sides of an access.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Barriers {
        /// Before it.
        pub before: Fence,
        /// After it.
        pub after: Synchronizes,
    }

    const fn acquires(order: Order) -> Synchronizes {
        match order {
            Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent => Synchronizes::Yes,
            Order::Relaxed | Order::Release => Synchronizes::No,
        }
    }

    const fn releases(order: Order) -> Fence {
        match order {
            Order::Relaxed | Order::Acquire => Fence::None,
            Order::Release | Order::AcquireRelease => Fence::Lightweight,
            Order::SequentiallyConsistent => Fence::Full,
        }
    }

    /// Of a load.
    #[must_use]
    pub const fn load(order: Order) -> Barriers {
        let before = if let Order::SequentiallyConsistent = order { Fence::Full } else { Fence::None };
        Barriers { before, after: acquires(order) }
    }

    /// Of a store.
    #[must_use]
    pub const fn store(order: Order) -> Barriers {
        Barriers { before: releases(order), after: Synchronizes::No }
    }

    /// Of a read-modify-write.
    #[must_use]
    pub const fn rmw(order: Order) -> Barriers {
        Barriers { before: releases(order), after: acquires(order) }
    }

    /// Of a fence between threads.
    #[must_use]
    pub const fn fence(order: Order) -> Fence {
        match order {
            Order::Relaxed => Fence::None,
            Order::Acquire | Order::Release | Order::AcquireRelease => Fence::Lightweight,
            Order::SequentiallyConsistent => Fence::Full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_compare_and_swap_keeps_the_fence_before_it() {
        let barriers = failed_rmw(Order::SequentiallyConsistent, Order::Relaxed);
        assert_eq!(barriers, Barriers { before: Barrier::Full, after: Barrier::None });
    }

    #[test]
    fn orders_have_their_c11_numbers() {
        assert_eq!(Order::from_c11(1), Some(Order::Acquire));
        assert_eq!(Order::from_c11(5), Some(Order::SequentiallyConsistent));
        assert_eq!(Order::from_c11(6), None);
    }

    #[test]
    fn a_release_store_orders_stores_and_a_seq_cst_store_drains() {
        assert_eq!(store(Order::Release).before, Barrier::StoreStore);
        assert_eq!(store(Order::Release).after, Barrier::None);
        assert_eq!(store(Order::SequentiallyConsistent).after, Barrier::Full);
    }
}
