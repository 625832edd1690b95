//! An SC execution, kept so that the cycle of transactions behind a report on robustness can be told.
//!
//! The report says that some TSO execution lets an access e take effect before a store e′, though e′ →hb* e in the SC
//! execution. Where every transaction is known to be fenced, each step of that path within a thread is a conflict of
//! transactions under TSO, too, unless it stays inside one (theorem 3 of 001-enea-tacas16); so the transactions on it are
//! a cycle.

use std::collections::{BTreeMap, VecDeque};

use crate::atomicity::{Delay, Edge, Mark, Transaction, Transactions, Violation};
use crate::event::{Event, EventIndex, Kind, Location, Object, Thread};
use crate::per_thread::PerThread;

/// An entity whose accesses order events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum OrderedBy {
    /// A location of memory.
    Location(Location),
    /// A synchronisation object.
    Object(Object),
    /// The beginning of a thread.
    Begin(Thread),
    /// The end of a thread.
    End(Thread),
}

/// The way in which an event accesses an [`OrderedBy`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AccessMode {
    Reads,
    Writes,
}

/// An SC execution, with the transaction and the accesses of each event.
#[derive(Debug, Default)]
pub(super) struct History {
    marks: Transactions,
    /// The number of the transaction that each thread is in.
    open: PerThread<u32>,
    /// The transaction of each event.
    transactions: Vec<Transaction>,
    /// The accesses of all events, in the order of the events.
    accesses: Vec<(EventIndex, OrderedBy, AccessMode)>,
}

impl History {
    /// Forgets the last execution.
    pub(super) fn begin(&mut self) {
        self.marks.begin();
        self.transactions.clear();
        self.accesses.clear();
    }

    /// Takes a mark of a transaction's beginning or end.
    pub(super) fn mark(&mut self, thread: Thread, mark: Mark) {
        if let Ok(Some(number)) = self.marks.opens(thread, mark) {
            self.open[thread] = number;
        }
    }

    /// Takes the next event.
    pub(super) fn event(&mut self, event: &Event, locations: &[Location]) {
        let index = EventIndex::try_from(self.transactions.len()).unwrap_or(EventIndex::MAX);
        let thread = event.thread;
        let number = self.marks.single(thread).unwrap_or(self.open[thread]);
        self.transactions.push(Transaction { thread, number });
        let mut access = |place, access| self.accesses.push((index, place, access));
        let how = if event.kind.writes() { AccessMode::Writes } else { AccessMode::Reads };
        locations.iter().for_each(|&location| access(OrderedBy::Location(location), how));
        match event.kind {
            Kind::Lock(object) => access(OrderedBy::Object(object), AccessMode::Writes),
            Kind::Share(object) => access(OrderedBy::Object(object), AccessMode::Reads),
            Kind::Wait { condition, mutex } => {
                access(OrderedBy::Object(condition), AccessMode::Writes);
                access(OrderedBy::Object(mutex), AccessMode::Writes);
            }
            Kind::Create(child) => access(OrderedBy::Begin(child), AccessMode::Writes),
            Kind::Join(child) => access(OrderedBy::End(child), AccessMode::Reads),
            Kind::Load
            | Kind::Store
            | Kind::Rmw
            | Kind::CompareAndSwap
            | Kind::FailedRmw
            | Kind::Await(_)
            | Kind::Fence => {}
        }
    }

    /// Returns the cycle of the transaction of `delayed`, which waits until `overtaking` has taken effect, and of those between
    /// the two.
    ///
    /// # Panics
    /// If nothing leads from the one to the other.
    pub(super) fn cycle(&self, delayed: EventIndex, overtaking: EventIndex) -> Violation {
        let [first, last] = [delayed, overtaking].map(|event| self.transactions[event as usize]);
        let edges = self.edges(delayed, overtaking);
        let mut reached: BTreeMap<Transaction, Edge> = BTreeMap::new();
        let mut next = VecDeque::from([first]);
        while let Some(transaction) = next.pop_front()
            && !reached.contains_key(&last)
        {
            for edge in edges.get(&transaction).into_iter().flatten() {
                let to = self.transactions[edge.to as usize];
                if to != first && !reached.contains_key(&to) {
                    reached.insert(to, *edge);
                    next.push_back(to);
                }
            }
        }
        assert!(reached.contains_key(&last), "a report comes with a path");
        let (mut transactions, mut path) = (vec![last], vec![Edge { from: overtaking, to: delayed }]);
        while let Some(&edge) = reached.get(&transactions[transactions.len() - 1]) {
            path.push(edge);
            transactions.push(self.transactions[edge.from as usize]);
        }
        transactions.reverse();
        path.reverse();
        Violation { transactions, edges: path, delays: vec![Delay { store: delayed, after: overtaking }] }
    }

    /// Returns the conflicts that lead from each transaction to others when `overtaking` takes effect before `delayed`.
    fn edges(&self, delayed: EventIndex, overtaking: EventIndex) -> BTreeMap<Transaction, Vec<Edge>> {
        let mut edges: BTreeMap<Transaction, Vec<Edge>> = BTreeMap::new();
        let mut add = |from: EventIndex, to: EventIndex| {
            let transaction = self.transactions[from as usize];
            if transaction != self.transactions[to as usize] {
                edges.entry(transaction).or_default().push(Edge { from, to });
            }
        };
        let mut writes: BTreeMap<OrderedBy, EventIndex> = BTreeMap::new();
        let mut reads: BTreeMap<OrderedBy, Vec<EventIndex>> = BTreeMap::new();
        let mut previous: PerThread<Option<EventIndex>> = PerThread::default();
        let mut accesses = self.accesses.iter().peekable();
        for (event, transaction) in (0..=overtaking).zip(&self.transactions) {
            let thread = transaction.thread;
            match previous[thread].replace(event) {
                Some(before) => add(before, event),
                None => writes.get(&OrderedBy::Begin(thread)).into_iter().for_each(|&create| add(create, event)),
            }
            writes.insert(OrderedBy::End(thread), event);
            while let Some(&(_, place, access)) = accesses.next_if(|(index, ..)| *index == event) {
                // The access overtakes what is delayed, so it does not come after it.
                if event == overtaking && self.is_accessed(place, delayed) {
                    continue;
                }
                writes.get(&place).into_iter().for_each(|&write| add(write, event));
                match access {
                    AccessMode::Reads => reads.entry(place).or_default().push(event),
                    AccessMode::Writes => {
                        reads.remove(&place).into_iter().flatten().for_each(|read| add(read, event));
                        writes.insert(place, event);
                    }
                }
            }
        }
        edges
    }

    fn is_accessed(&self, place: OrderedBy, by: EventIndex) -> bool {
        let first = self.accesses.partition_point(|&(event, ..)| event < by);
        self.accesses[first..].iter().take_while(|(event, ..)| *event == by).any(|&(_, accessed, _)| accessed == place)
    }
}
