//! The memory orders that a search uses instead of those of the program's atomic accesses and fences
//! ([`protocol::Ordered`]).

use engine::event::Kind;
use engine::mapping::{self, Barriers, Order};
use protocol::{Atomic, Operation, Ordered, Orders, Point};
use rustc_hash::FxHashMap;

use crate::process::sites::{Record, RecordPointer, records};
use crate::state::operation::{Note, target_of};

/// The orders that take the place of the program's, and the atomic accesses and fences that were met.
pub(crate) struct Replaced {
    table: FxHashMap<(RecordPointer, Operation), Orders>,
    seen: FxHashMap<(RecordPointer, Operation, Orders), Atomic>,
}

impl Replaced {
    /// Makes the table of these orders, by all the records that have their places.
    pub(crate) fn new(all: &[Ordered]) -> Self {
        let mut table = FxHashMap::default();
        for record in records().filter(|_| !all.is_empty()) {
            let place = record.place().in_source();
            for one in all.iter().filter(|one| one.at.place == place) {
                table.insert((std::ptr::from_ref(record), one.at.operation), one.orders);
            }
        }
        Self { table, seen: FxHashMap::default() }
    }

    /// Returns the atomic accesses and fences that were met.
    pub(crate) fn seen(&self) -> Vec<Atomic> {
        Atomic::distinct(self.seen.values().cloned())
    }

    /// Returns the orders of an access, or a fence, that has these in the program.
    fn of(&mut self, orders: Orders, note: Note, address: usize) -> Orders {
        self.seen.entry((note.site, note.operation, orders)).or_insert_with(|| {
            let record = Record::behind(note.site);
            let at = Point { place: record.place().in_source(), operation: note.operation };
            let target = target_of(&note, address);
            Atomic { ordered: Ordered { at, orders }, function: record.function().to_owned(), target }
        });
        self.table.get(&(note.site, note.operation)).copied().unwrap_or(orders)
    }

    /// Returns the order of a fence that has this one in the program.
    pub(crate) fn of_fence(&mut self, order: Order, site: RecordPointer) -> Order {
        self.of(Orders { order, failure: None }, Note { site, operation: Operation::Fence }, 0).order
    }

    /// Returns the barriers of an access to this address that has these in the program.
    pub(crate) fn of_access(&mut self, kind: Kind, barriers: Barriers, note: Note, address: usize) -> Barriers {
        let Some(order) = barriers.order else { return barriers };
        // The barriers of a failed exchange hold the order of failure, and that of success in `otherwise`.
        let (order, failure) = match (kind, barriers.otherwise) {
            (Kind::FailedRmw, Some(success)) => (success, Some(order)),
            (_, failure) => (order, failure),
        };
        let Orders { order, failure } = self.of(Orders { order, failure }, note, address);
        match (kind, failure) {
            (Kind::Load, _) => mapping::load(order),
            (Kind::Store, _) => mapping::store(order),
            (Kind::FailedRmw, Some(failure)) => mapping::failed_rmw(order, failure),
            (_, Some(failure)) => mapping::successful_rmw(order, failure),
            (_, None) => mapping::rmw(order),
        }
    }
}
