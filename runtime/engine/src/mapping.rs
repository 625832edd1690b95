//! Which fences a C construct implies: the one table from C11 orders to the machines' barriers.
//!
//! The source is the mapping table of the POWER design (section 5): its TSO and PSO columns here, its POWER column in
//! [`power`]. TSO and PSO read the same [`Barriers`]: TSO ignores [`Barrier::StoreStore`], and drains a thread's whole
//! buffer at each read-modify-write whatever its order (an interlocked instruction is a full fence on x86).

use crate::event::Barrier;
pub use crate::event::Order;

/// A fence that a processor has and C11 has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineFence {
    /// Orders stores among themselves: `sfence` of x86, `eieio` of POWER, `dmb ishst` of ARM.
    Stores,
    /// Orders loads before what follows: `dmb ishld` of ARM.
    Loads,
    /// Keeps later instructions from being fetched early: `isync` of POWER, `isb` of ARM, `lfence` of x86.
    Instructions,
}

/// The barriers on both sides of an access, and the order that they come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Barriers {
    /// Before the access takes effect.
    pub before: Barrier,
    /// After it has taken effect.
    pub after: Barrier,
    /// [`crate::event::Event::order`].
    pub order: Option<Order>,
}

impl Barriers {
    /// No barrier on either side: plain and volatile accesses, which are not atomic.
    pub const NONE: Self = Self { before: Barrier::None, after: Barrier::None, order: None };

    const fn of(order: Order, before: Barrier, after: Barrier) -> Self {
        Self { before, after, order: Some(order) }
    }
}

/// Of an atomic load: none under TSO and PSO, whose loads are in order.
#[must_use]
pub const fn load(order: Order) -> Barriers {
    Barriers::of(order, Barrier::None, Barrier::None)
}

/// Of an atomic store.
#[must_use]
pub const fn store(order: Order) -> Barriers {
    let (before, after) = match order {
        Order::Relaxed | Order::Acquire => (Barrier::None, Barrier::None),
        Order::Release | Order::AcquireRelease => (Barrier::StoreStore, Barrier::None),
        Order::SequentiallyConsistent => (Barrier::StoreStore, Barrier::Full),
    };
    Barriers::of(order, before, after)
}

/// Of a read-modify-write that writes.
#[must_use]
pub const fn rmw(order: Order) -> Barriers {
    let (before, after) = match order {
        Order::Relaxed | Order::Acquire => (Barrier::None, Barrier::None),
        Order::Release | Order::AcquireRelease => (Barrier::StoreStore, Barrier::None),
        Order::SequentiallyConsistent => (Barrier::Full, Barrier::Full),
    };
    Barriers::of(order, before, after)
}

/// Of a compare-and-swap that fails: what stands before it has executed already, what comes after follows the failure
/// order.
#[must_use]
pub const fn failed_rmw(success: Order, failure: Order) -> Barriers {
    Barriers::of(failure, rmw(success).before, rmw(failure).after)
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

/// Of a fence that only machines have: loads are in order under TSO and PSO.
#[must_use]
pub const fn machine_fence(fence: MachineFence) -> Barrier {
    match fence {
        MachineFence::Stores => Barrier::StoreStore,
        MachineFence::Loads | MachineFence::Instructions => Barrier::None,
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
        let order = Some(Order::Relaxed);
        assert_eq!(barriers, Barriers { before: Barrier::Full, after: Barrier::None, order });
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
