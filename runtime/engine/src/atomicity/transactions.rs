//! The transactions that events belong to. A transaction inside another one is part of it: nested ones count as one.

use crate::event::Thread;
use crate::per_thread::PerThread;

/// One end of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// The transaction begins.
    Begin,
    /// The transaction ends.
    End,
}

/// The error of marks that do not fit together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unbalanced {
    /// The thread ends a transaction that it has not begun.
    NotBegun(Thread),
    /// The execution ends, and the thread has not ended its transaction.
    NotEnded(Thread),
}

impl std::fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotBegun(thread) => write!(f, "thread {} ends a transaction that it has not begun", thread.0),
            Self::NotEnded(thread) => write!(f, "thread {} does not end the transaction that it has begun", thread.0),
        }
    }
}

impl std::error::Error for Unbalanced {}

/// The nesting of transactions that a thread is in.
#[derive(Clone, Copy, Debug, Default)]
struct Nesting {
    /// The number of begins that have no end yet.
    depth: u32,
    /// The number of transactions that have begun.
    begun: u32,
}

/// The effect of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// A transaction opened, which has this number.
    Opened(u32),
    /// The open transaction closed.
    Closed,
    /// Nothing changed: the mark is one of a nested transaction.
    Nothing,
}

/// The transactions of an execution, as its marks delimit them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transactions {
    threads: PerThread<Nesting>,
    /// One more than the highest number of a thread with a mark or event.
    count: usize,
}

impl Transactions {
    /// Forgets the last execution.
    pub(crate) fn begin(&mut self) {
        self.threads.first(self.count).fill(Nesting::default());
        self.count = 0;
    }

    /// Takes a mark.
    pub(super) fn mark(&mut self, thread: Thread, mark: Mark) -> Result<Change, Unbalanced> {
        self.count = self.count.max(thread.index() + 1);
        let nesting = &mut self.threads[thread];
        match mark {
            Mark::Begin => {
                nesting.depth += 1;
                if nesting.depth > 1 {
                    return Ok(Change::Nothing);
                }
                nesting.begun += 1;
                Ok(Change::Opened(nesting.begun - 1))
            }
            Mark::End => {
                nesting.depth = nesting.depth.checked_sub(1).ok_or(Unbalanced::NotBegun(thread))?;
                Ok(if nesting.depth == 0 { Change::Closed } else { Change::Nothing })
            }
        }
    }

    /// Takes a mark, and returns the number of the transaction that it opens, if it opens one.
    pub(crate) fn opens(&mut self, thread: Thread, mark: Mark) -> Result<Option<u32>, Unbalanced> {
        Ok(match self.mark(thread, mark)? {
            Change::Opened(number) => Some(number),
            Change::Closed | Change::Nothing => None,
        })
    }

    /// Returns the number of a transaction that consists of the thread's next event alone; none if the thread is inside marks.
    pub(crate) fn single(&mut self, thread: Thread) -> Option<u32> {
        self.count = self.count.max(thread.index() + 1);
        let nesting = &mut self.threads[thread];
        (nesting.depth == 0).then(|| {
            nesting.begun += 1;
            nesting.begun - 1
        })
    }

    /// Checks that every transaction that began has ended.
    pub(super) fn end(&mut self) -> Result<(), Unbalanced> {
        let open = self.threads.first(self.count).iter().position(|nesting| nesting.depth > 0);
        open.map_or(Ok(()), |thread| Err(Unbalanced::NotEnded(Thread::from_index(thread))))
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Mark, Transactions, Unbalanced};
    use crate::event::Thread;

    #[test]
    fn nested_transactions_are_one() {
        let mut transactions = Transactions::default();
        let t = Thread(2);
        assert_eq!(transactions.single(t), Some(0));
        assert_eq!(transactions.mark(t, Mark::Begin), Ok(Change::Opened(1)));
        assert_eq!(transactions.mark(t, Mark::Begin), Ok(Change::Nothing));
        assert_eq!((transactions.single(t), transactions.single(Thread(0))), (None, Some(0)));
        assert_eq!(transactions.mark(t, Mark::End), Ok(Change::Nothing));
        assert_eq!((transactions.single(t), transactions.end()), (None, Err(Unbalanced::NotEnded(t))));
        assert_eq!(transactions.mark(t, Mark::End), Ok(Change::Closed));
        assert_eq!((transactions.single(t), transactions.end()), (Some(2), Ok(())));
        assert_eq!(transactions.mark(t, Mark::End), Err(Unbalanced::NotBegun(t)));
        transactions.begin();
        assert_eq!(transactions.single(t), Some(0));
    }
}
