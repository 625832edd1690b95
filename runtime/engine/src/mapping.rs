//! The fences that C constructs imply: the one table from C11 orders to the machines' barriers.
//!
//! The table in words is docs/power.md, section 5: its TSO and PSO columns here, its POWER column in
//! [`power`]. TSO and PSO read the same [`Barriers`]: TSO ignores [`Barrier::StoreStore`], and drains a thread's whole
//! buffer at each read-modify-write whatever its order (an interlocked instruction is a full fence on x86).

use crate::event::Barrier;
pub use crate::event::Order;
use crate::graph::Fences;

pub mod calls;
pub mod machines;

/// A fence that a processor has and C11 has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineFence {
    /// The fence orders stores among themselves: `sfence` of x86, `eieio` of POWER, `dmb ishst` of ARM.
    Stores,
    /// The fence orders loads before what follows: `dmb ishld` of ARM.
    Loads,
    /// The fence keeps later instructions from being fetched early: `isync` of POWER, `isb` of ARM, `lfence` of x86.
    Instructions,
    /// The fence orders these pairs of accesses, each 1 or 0: `fence rw,w` of RISC-V, `dsb st` of ARM.
    Pairs(Fences),
}

/// A strengthening of an access of the program, by which it orders more than it does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Strength {
    /// A fence of this order is right before the access.
    FenceBefore(Order),
    /// A fence of this order is right after the access.
    FenceAfter(Order),
    /// The access has this order in the place of its own.
    Order(Order),
}

/// The barriers on both sides of an access, and the order that they come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Barriers {
    /// The barrier before the access takes effect.
    pub before: Barrier,
    /// The barrier after the access has taken effect.
    pub after: Barrier,
    /// The C11 order, as in [`crate::event::Event::order`].
    pub order: Option<Order>,
    /// The order that a compare-and-swap would have had with the other outcome; none for other accesses.
    pub otherwise: Option<Order>,
}

impl Barriers {
    /// The barriers of plain and volatile accesses, which are not atomic: none on either side.
    pub const NONE: Self = Self { before: Barrier::None, after: Barrier::None, order: None, otherwise: None };

    const fn of(order: Order, before: Barrier, after: Barrier) -> Self {
        Self { before, after, order: Some(order), otherwise: None }
    }
}

/// Returns the barriers of an atomic load: none under TSO and PSO, whose loads are in order.
#[must_use]
pub const fn load(order: Order) -> Barriers {
    Barriers::of(order, Barrier::None, Barrier::None)
}

/// Returns the barriers of an atomic store.
#[must_use]
pub const fn store(order: Order) -> Barriers {
    let (before, after) = match order {
        Order::Relaxed | Order::Acquire => (Barrier::None, Barrier::None),
        Order::Release | Order::AcquireRelease => (Barrier::StoreStore, Barrier::None),
        Order::SequentiallyConsistent => (Barrier::StoreStore, Barrier::Full),
    };
    Barriers::of(order, before, after)
}

/// Returns the barriers of a read-modify-write that writes.
#[must_use]
pub const fn rmw(order: Order) -> Barriers {
    let (before, after) = match order {
        Order::Relaxed | Order::Acquire => (Barrier::None, Barrier::None),
        Order::Release | Order::AcquireRelease => (Barrier::StoreStore, Barrier::None),
        Order::SequentiallyConsistent => (Barrier::Full, Barrier::Full),
    };
    Barriers::of(order, before, after)
}

/// Returns the order of success that compilers take for a compare-and-swap: where the order of failure is sequentially
/// consistent, which C17 and C11 do not allow behind a weaker one, GCC and LLVM make the whole so.
#[must_use]
pub const fn compiled(success: Order, failure: Order) -> Order {
    if matches!(failure, Order::SequentiallyConsistent) { failure } else { success }
}

/// Returns the barriers of a compare-and-swap that succeeds.
#[must_use]
pub const fn successful_rmw(success: Order, failure: Order) -> Barriers {
    Barriers { otherwise: Some(failure), order: Some(success), ..rmw(compiled(success, failure)) }
}

/// Returns the barriers of a compare-and-swap that fails: those before it have been executed already, and those after it follow
/// the failure order.
#[must_use]
pub const fn failed_rmw(success: Order, failure: Order) -> Barriers {
    let before = rmw(compiled(success, failure)).before;
    Barriers { otherwise: Some(success), ..Barriers::of(failure, before, rmw(failure).after) }
}

/// Returns the barrier that a fence between threads is.
#[must_use]
pub const fn fence(order: Order) -> Barrier {
    match order {
        Order::Relaxed | Order::Acquire => Barrier::None,
        Order::Release | Order::AcquireRelease => Barrier::StoreStore,
        Order::SequentiallyConsistent => Barrier::Full,
    }
}

/// Returns the barrier that a fence which only machines have is. Loads are in order under TSO and PSO.
#[must_use]
pub const fn machine_fence(fence: MachineFence) -> Barrier {
    match fence {
        MachineFence::Pairs(Fences { write_read: 1.., .. }) => Barrier::Full,
        MachineFence::Stores | MachineFence::Pairs(Fences { write_write: 1.., .. }) => Barrier::StoreStore,
        MachineFence::Loads | MachineFence::Instructions | MachineFence::Pairs(_) => Barrier::None,
    }
}

/// The code that the orders become on POWER.
pub mod power {
    use super::Order;

    /// A fence before an access, or one of its own.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Fence {
        /// There is no fence.
        None,
        /// The fence is `lwsync`.
        Lightweight,
        /// The fence is `sync`.
        Full,
    }

    /// Whether an access is followed by a branch that depends on what was read, and an `isync`.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Synchronizes {
        /// Neither follows the access.
        #[default]
        No,
        /// Both follow the access.
        Yes,
    }

    /// The code on both sides of an access.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Barriers {
        /// The fence before the access.
        pub before: Fence,
        /// The code after the access.
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

    /// Returns the code around a load.
    #[must_use]
    pub const fn load(order: Order) -> Barriers {
        let before = if let Order::SequentiallyConsistent = order { Fence::Full } else { Fence::None };
        Barriers { before, after: acquires(order) }
    }

    /// Returns the code around a store.
    #[must_use]
    pub const fn store(order: Order) -> Barriers {
        Barriers { before: releases(order), after: Synchronizes::No }
    }

    /// Returns the code around a read-modify-write.
    #[must_use]
    pub const fn rmw(order: Order) -> Barriers {
        Barriers { before: releases(order), after: acquires(order) }
    }

    /// Returns the code of a fence between threads.
    #[must_use]
    pub const fn fence(order: Order) -> Fence {
        match order {
            Order::Relaxed => Fence::None,
            Order::Acquire | Order::Release | Order::AcquireRelease => Fence::Lightweight,
            Order::SequentiallyConsistent => Fence::Full,
        }
    }
}

/// The fences before and after an access, counted, that the orders become in execution graphs.
pub mod graphs {
    use super::calls::{Effect, Path};
    use super::machines::{armv8, c11, of_both, riscv};
    use super::power::{self, Synchronizes};
    use super::{Barrier, Barriers, MachineFence, Order, Strength};
    use crate::event::Kind;
    use crate::graph::{Access, Annotations, Fences, Internal};
    use crate::model::name::MemoryModel;

    /// The count of no fence.
    pub const NOTHING: Fences = Fences { full: 0, read_read: 0, read_write: 0, write_read: 0, write_write: 0 };
    /// The count of a full fence.
    pub const FULL: Fences = Fences { full: 1, ..NOTHING };
    /// The count of a lightweight fence, which orders everything but writes before reads.
    pub const LIGHTWEIGHT: Fences = Fences { read_read: 1, read_write: 1, write_write: 1, ..NOTHING };
    /// The count of a fence that orders loads before everything.
    pub const LOADS: Fences = Fences { read_read: 1, read_write: 1, ..NOTHING };
    /// The count of a fence between stores.
    pub const STORES: Fences = Fences { write_write: 1, ..NOTHING };

    /// The orderings of an access besides those that all of the machine's accesses have; no fences where accesses order by
    /// themselves ([`crate::graph::Annotations`]).
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct Around {
        /// The fences before the access.
        pub before: Fences,
        /// The fences after the access.
        pub after: Fences,
        /// Whether a branch that depends on what the access reads, and an instruction fence, come after it.
        pub synchronizes: Synchronizes,
        /// The orderings that the access has by itself.
        pub annotations: Annotations,
    }

    /// The form in which a read-modify-write is compiled.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum Form {
        /// It is one instruction, if the processor has that.
        #[default]
        Single,
        /// It is one instruction, if the processor has that, and its result is not used.
        Unused,
        /// It is a loop of a pair of exclusive instructions, whatever the processor has.
        Pair,
    }

    fn annotated(annotations: Annotations) -> Around {
        Around { annotations, ..Around::default() }
    }

    const fn counted(barrier: Barrier) -> Fences {
        match barrier {
            Barrier::None => NOTHING,
            Barrier::StoreStore => STORES,
            Barrier::Full => FULL,
        }
    }

    const fn of_power(fence: power::Fence) -> Fences {
        match fence {
            power::Fence::None => NOTHING,
            power::Fence::Lightweight => LIGHTWEIGHT,
            power::Fence::Full => FULL,
        }
    }

    fn buffered(barriers: Barriers) -> Around {
        Around { before: counted(barriers.before), after: counted(barriers.after), ..Around::default() }
    }

    const fn powerful(barriers: power::Barriers) -> Around {
        let annotations = Annotations::NONE;
        Around { before: of_power(barriers.before), after: NOTHING, synchronizes: barriers.after, annotations }
    }

    /// Returns the orderings of an interlocked instruction.
    #[must_use]
    pub const fn locked() -> Around {
        Around { before: FULL, after: FULL, synchronizes: Synchronizes::No, annotations: Annotations::NONE }
    }

    /// Returns the orderings of a call that synchronises threads, on this path, given its access to the object's state.
    #[must_use]
    pub fn call(model: MemoryModel, access: Access, path: Path) -> Around {
        let order = path.effect.order();
        match (model, access) {
            (MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso, _) => match path.effect {
                Effect::Fence | Effect::Update(_) => locked(),
                Effect::Store(order) => store(model, order),
                Effect::Load(_) => Around::default(),
            },
            (MemoryModel::C11, _) => annotated(c11::access(access, path.order_in_c11())),
            _ if path.effect == Effect::Fence => locked(),
            (_, Access::Store) => store(model, order),
            (_, Access::Load) => load(model, order),
            (_, Access::Update(_)) => update(model, order, Form::Single),
        }
    }

    /// Returns the orderings of an atomic load.
    #[must_use]
    pub fn load(model: MemoryModel, order: Order) -> Around {
        match model {
            MemoryModel::Power => powerful(power::load(order)),
            MemoryModel::Armv8 => annotated(armv8::access(Access::Load, order)),
            MemoryModel::Riscv => {
                let [before, after] = riscv::load(order);
                Around { before, after, ..Around::default() }
            }
            MemoryModel::C11 => annotated(c11::access(Access::Load, order)),
            _ => buffered(super::load(order)),
        }
    }

    /// Returns the orderings of an atomic store.
    #[must_use]
    pub fn store(model: MemoryModel, order: Order) -> Around {
        match model {
            MemoryModel::Power => powerful(power::store(order)),
            MemoryModel::Armv8 => annotated(armv8::access(Access::Store, order)),
            MemoryModel::Riscv => Around { before: riscv::store(order), ..Around::default() },
            MemoryModel::C11 => annotated(c11::access(Access::Store, order)),
            _ => buffered(super::store(order)),
        }
    }

    /// Returns the orderings of a read-modify-write that writes.
    #[must_use]
    pub fn update(model: MemoryModel, order: Order, form: Form) -> Around {
        const ANY: Access = Access::Update(Internal::Data);
        match model {
            MemoryModel::Power => powerful(power::rmw(order)),
            MemoryModel::Tso => locked(),
            MemoryModel::Pso => interlocked(super::rmw(order)),
            MemoryModel::Sc => buffered(super::rmw(order)),
            MemoryModel::Armv8 if form == Form::Unused => annotated(armv8::unused(armv8::access(ANY, order))),
            MemoryModel::Armv8 => annotated(armv8::access(ANY, order)),
            MemoryModel::Riscv if form == Form::Pair => annotated(riscv::pair(order)),
            MemoryModel::Riscv => annotated(riscv::single(order)),
            MemoryModel::C11 => annotated(c11::access(ANY, order)),
        }
    }

    /// Returns the orderings of a read-modify-write under PSO: it is performed when the stores before its store–store barrier are
    /// committed, whether it writes or not.
    fn interlocked(barriers: Barriers) -> Around {
        let before = match barriers.before {
            Barrier::StoreStore => FULL,
            before => counted(before),
        };
        Around { before, ..buffered(barriers) }
    }

    /// Returns the orderings of an access with these barriers: those of TSO and PSO, with the order that they come from.
    #[must_use]
    pub fn access(model: MemoryModel, kind: Kind, barriers: Barriers, form: Form) -> Around {
        let Some(order) = barriers.order else { return Around::default() };
        match kind {
            Kind::Load => load(model, order),
            Kind::Store => store(model, order),
            Kind::FailedRmw => failed(model, barriers, order),
            Kind::CompareAndSwap => match barriers.otherwise {
                Some(failure) => exchange(model, order, failure),
                None => update(model, order, Form::Pair),
            },
            _ => update(model, order, form),
        }
    }

    /// Returns the orderings of a compare-and-swap that succeeds; where its instructions are the same whether it succeeds or not,
    /// those of any compare-and-swap.
    #[must_use]
    pub fn exchange(model: MemoryModel, success: Order, failure: Order) -> Around {
        match model {
            MemoryModel::Armv8 | MemoryModel::Riscv => update(model, of_both(success, failure), Form::Pair),
            MemoryModel::C11 => update(model, success, Form::Pair),
            _ => update(model, super::compiled(success, failure), Form::Pair),
        }
    }

    /// Returns the orderings of a compare-and-swap that fails: the fences before it have been executed already, and those after
    /// it follow the failure order.
    fn failed(model: MemoryModel, barriers: Barriers, failure: Order) -> Around {
        match (model, barriers.before) {
            (MemoryModel::Power, Barrier::StoreStore) => {
                Around { before: LIGHTWEIGHT, ..update(model, failure, Form::Pair) }
            }
            (MemoryModel::Power, before) => Around { before: counted(before), ..update(model, failure, Form::Pair) },
            (MemoryModel::Tso, _) => locked(),
            (MemoryModel::Pso, _) => interlocked(barriers),
            (MemoryModel::Sc, _) => buffered(barriers),
            (MemoryModel::Armv8 | MemoryModel::Riscv, _) => {
                exchange(model, barriers.otherwise.unwrap_or(failure), failure)
            }
            (MemoryModel::C11, _) => load(model, failure),
        }
    }

    /// Returns the fences that a fence between threads is.
    #[must_use]
    const fn fence(model: MemoryModel, order: Order) -> Fences {
        match (model, order) {
            (MemoryModel::Power, _) => of_power(power::fence(order)),
            (MemoryModel::Riscv, _) => riscv::fence(order),
            (MemoryModel::Armv8, Order::Relaxed) => NOTHING,
            (MemoryModel::Armv8, Order::Acquire) => LOADS,
            (MemoryModel::Armv8, _) => FULL,
            _ => counted(super::fence(order)),
        }
    }

    /// Returns the orderings that an access gets when it is strengthened so, besides those that it has already; a read-modify-write
    /// has this form.
    #[must_use]
    pub fn strengthened(model: MemoryModel, access: Access, form: Form, strength: Strength) -> Around {
        match (strength, access) {
            (Strength::FenceBefore(order), _) => Around { before: fence(model, order), ..Around::default() },
            (Strength::FenceAfter(order), _) => Around { after: fence(model, order), ..Around::default() },
            (Strength::Order(order), Access::Load) => load(model, order),
            (Strength::Order(order), Access::Store) => store(model, order),
            (Strength::Order(order), Access::Update(_)) => update(model, order, form),
        }
    }

    /// Returns the fences of a thread after one more fence.
    #[must_use]
    pub fn behind(model: MemoryModel, mut fences: Fences, order: Order) -> Fences {
        if model == MemoryModel::C11 {
            return behind_fence_of_c(fences, order);
        }
        fences += fence(model, order);
        fences
    }

    /// Returns the fences of a thread of C11 after one more fence ([`crate::model::c11`]).
    fn behind_fence_of_c(mut fences: Fences, order: Order) -> Fences {
        fences.read_read += u16::from(order.acquires());
        if order.releases() {
            fences.write_write += 1;
            fences.read_write = fences.read_read;
        }
        fences.full += u16::from(order == Order::SequentiallyConsistent);
        fences
    }

    /// Returns the fences of a thread after one that only machines have; none for a fence that the model does not have. Fences of
    /// instructions are not counted here.
    #[must_use]
    pub fn behind_machine_fence(model: MemoryModel, mut fences: Fences, fence: MachineFence) -> Option<Fences> {
        fences += match (model, fence) {
            (MemoryModel::C11, MachineFence::Loads) => return Some(behind_fence_of_c(fences, Order::Acquire)),
            (MemoryModel::Power, MachineFence::Loads | MachineFence::Pairs(_)) | (MemoryModel::C11, _) => return None,
            (MemoryModel::Armv8 | MemoryModel::Riscv, MachineFence::Loads) => LOADS,
            (MemoryModel::Armv8 | MemoryModel::Riscv, MachineFence::Pairs(pairs)) => pairs,
            _ => counted(super::machine_fence(fence)),
        };
        Some(fences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_compare_and_swap_keeps_the_fence_before_it() {
        let barriers = failed_rmw(Order::SequentiallyConsistent, Order::Relaxed);
        let order = Some(Order::Relaxed);
        let otherwise = Some(Order::SequentiallyConsistent);
        assert_eq!(barriers, Barriers { before: Barrier::Full, after: Barrier::None, order, otherwise });
    }

    #[test]
    fn a_compare_and_swap_is_as_strong_as_its_failure() {
        let barriers = failed_rmw(Order::AcquireRelease, Order::SequentiallyConsistent);
        assert_eq!(barriers.before, Barrier::Full);
        let barriers = successful_rmw(Order::Relaxed, Order::SequentiallyConsistent);
        assert_eq!(
            (barriers.before, barriers.after, barriers.order),
            (Barrier::Full, Barrier::Full, Some(Order::Relaxed))
        );
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
