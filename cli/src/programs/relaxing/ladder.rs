//! The strength of orders: which are weaker than others, and which ones an access can have.

use std::cmp::Reverse;

use protocol::{Operation, Order, Orders};

/// The orders that are tried, from those that much is known to be stronger than to those that much is known to be weaker than.
pub(crate) const RUNGS: [Order; 4] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease];

/// One of the orders of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Part {
    /// The access's order; for a compare-and-exchange, that of success.
    Order,
    /// The order of failure of a compare-and-exchange.
    Failure,
}

/// Whether an order keeps less than another one.
pub(crate) fn is_weaker(one: Order, other: Order) -> bool {
    let sides = |order: Order| (order.acquires(), order.releases(), order == Order::SequentiallyConsistent);
    let (less, more) = (sides(one), sides(other));
    one != other && less.0 <= more.0 && less.1 <= more.1 && less.2 <= more.2
}

/// Returns the strongest order of failure that goes with this order of success: it is not stronger, and does not release.
const fn strongest_failure(success: Order) -> Order {
    match success {
        Order::Relaxed | Order::Release => Order::Relaxed,
        Order::Acquire | Order::AcquireRelease => Order::Acquire,
        Order::SequentiallyConsistent => Order::SequentiallyConsistent,
    }
}

/// Returns the orders of an access with `part` of them replaced by `to`, if that is weaker and the access can have it.
pub(crate) fn lowered(operation: Operation, orders: Orders, part: Part, to: Order) -> Option<Orders> {
    let fits = match (operation, part) {
        (Operation::Load, _) | (_, Part::Failure) => !to.releases(),
        (Operation::Store, _) => !to.acquires(),
        _ => true,
    };
    if !fits {
        return None;
    }
    match part {
        Part::Order if is_weaker(to, orders.order) => {
            let most = strongest_failure(to);
            let failure = orders.failure.map(|failure| if is_weaker(most, failure) { most } else { failure });
            Some(Orders { order: to, failure })
        }
        Part::Failure if is_weaker(to, orders.failure?) => Some(Orders { failure: Some(to), ..orders }),
        _ => None,
    }
}

/// Returns a key that sorts orders by their cost on processors, the dearest first: full fences, then what writes, then what
/// reads.
pub(crate) fn dearness(operation: Operation, order: Order, part: Part) -> Reverse<(bool, u8)> {
    let kind = match (operation, part) {
        (_, Part::Failure) => 0,
        (Operation::Load, _) => 1,
        (Operation::Store, _) => 2,
        (Operation::Fence, _) => 4,
        _ => 3,
    };
    Reverse((order == Order::SequentiallyConsistent, kind))
}

#[cfg(test)]
mod tests {
    use protocol::{Operation, Order, Orders};

    use super::{Part, RUNGS, is_weaker, lowered};

    #[test]
    fn acquire_and_release_are_neither_weaker_than_the_other() {
        assert!(!is_weaker(Order::Acquire, Order::Release) && !is_weaker(Order::Release, Order::Acquire));
        let all = [Order::Relaxed, Order::Acquire, Order::AcquireRelease, Order::SequentiallyConsistent];
        for (index, &one) in all.iter().enumerate() {
            for (other_index, &other) in all.iter().enumerate() {
                assert_eq!(is_weaker(one, other), index < other_index, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn an_access_has_the_orders_that_c_allows() {
        let rungs = |operation, failure: Option<Order>, part| -> Vec<Order> {
            let orders = Orders { order: Order::SequentiallyConsistent, failure };
            RUNGS.into_iter().filter(|&to| lowered(operation, orders, part, to).is_some()).collect()
        };
        assert_eq!(rungs(Operation::Load, None, Part::Order), [Order::Relaxed, Order::Acquire]);
        assert_eq!(rungs(Operation::Store, None, Part::Order), [Order::Relaxed, Order::Release]);
        assert_eq!(rungs(Operation::FetchAdd, None, Part::Order), RUNGS);
        let sc = Some(Order::SequentiallyConsistent);
        assert_eq!(rungs(Operation::CompareExchange, sc, Part::Failure), [Order::Relaxed, Order::Acquire]);
    }

    #[test]
    fn failure_is_never_stronger_than_success() {
        let sc = Order::SequentiallyConsistent;
        let orders = Orders { order: sc, failure: Some(sc) };
        for (to, failure) in [
            (Order::Relaxed, Order::Relaxed),
            (Order::Release, Order::Relaxed),
            (Order::Acquire, Order::Acquire),
            (Order::AcquireRelease, Order::Acquire),
        ] {
            let expected = Some(Orders { order: to, failure: Some(failure) });
            assert_eq!(lowered(Operation::CompareExchange, orders, Part::Order, to), expected);
        }
    }
}
