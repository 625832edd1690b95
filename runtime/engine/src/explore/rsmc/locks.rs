//! Locks: read-modify-writes that wait until their location holds [`FREE`] ([`Link::Locks`]).
//!
//! To commit a lock that finds its location held, and have the unlock that it waits for make a continuation for it, would be to
//! explore all that the others do meanwhile in a trace that is no execution. So a lock is committed where its location is free,
//! and there its alternatives are who locks next, not what it reads.
//!
//! A lock is taken last, when nothing else can be committed, and so the location is free if the last write in co says so: each
//! lock is right behind the write that it reads from, and nothing else but its own thread's unlock comes behind it. The frame of
//! a lock ([`Alternatives::Holders`]) stands for the write s that it reads from. In each execution in which others go on from
//! the run, some access takes the lock right behind s: the frame's own, or another one, l, that is not behind it in
//! commit-before, since all that is behind s in co is behind l. What is commit-before l can come with the frame's own lock:
//! nothing of it is behind s in co, so that the lock still reads the last write. So there is a trace in which l races with the
//! frame's lock, and makes a continuation: what is commit-before l, and l, which takes the place of the frame's lock. That one
//! is not committed; it waits, and is met again where the location is free. Two executions in which different accesses take
//! the lock behind s differ in that, so each is explored once.
//!
//! Where nothing can be committed but locks that are held, their threads wait for ever. They are committed then, each as a
//! read of the last write, after which nothing comes. They race as any lock does: somebody who waits for ever here locks first
//! elsewhere.

use std::collections::BTreeSet;

use super::{Alternatives, Ended, Exploration, Frame, Parameter, State, Verdict};
use crate::event::Location;
use crate::graph::{Access, EventId, FREE, Label, Link, Program};
use crate::model::Model;

/// The order in which accesses are taken that can be committed; the first of them is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Precedence {
    /// The access is a store.
    Store,
    /// The access reads, and is no lock.
    Read,
    /// The access is a lock that is free.
    Free,
    /// The access is a lock that is held.
    Held,
}

impl<const W: usize, M: Model<W>> State<M, W> {
    /// Returns how soon an access is taken that can be committed.
    pub(super) fn precedence<P: Program<W>>(&self, program: &P, label: &Label<W>) -> Precedence {
        match (label.access, label.link, label.location) {
            (Access::Store, ..) => Precedence::Store,
            (_, Link::Locks, Some(lock)) if self.is_free(program, lock) => Precedence::Free,
            (_, Link::Locks, _) => Precedence::Held,
            _ => Precedence::Read,
        }
    }

    /// Whether the last write to the location of a lock says that it is free.
    fn is_free<P: Program<W>>(&self, program: &P, lock: Location) -> bool {
        let last = self.trace.ranked(lock, self.trace.coherence(lock).len());
        last.map_or_else(|| program.initial(lock), |last| self.trace.node(last).value) == FREE
    }
}

impl<const W: usize, M: Model<W>, P: Program<W>> Exploration<'_, W, M, P> {
    /// Explores all that a lock may do where nothing but locks can be committed: it locks next, or others do; or, if it is held,
    /// it waits for ever.
    pub(super) fn lock(&mut self, event: EventId) -> Result<(), Ended<P::Fault>> {
        let location = self.state().location(event);
        let last = self.state().last(event);
        let before = self.state().ready(event);
        let own = self.state().is_free(self.program, location).then(|| {
            let trace = &self.state().trace;
            let source = trace.ranked(location, last).map(|source| trace.node(source).event);
            self.frames.push(Frame {
                alternatives: Alternatives::Holders,
                length: self.run.len(),
                waiting: Vec::new(),
                known: BTreeSet::from([vec![(event, Parameter::Source(source))]]),
            });
            self.frames.len() - 1
        });
        let verdict = self.commit(event, last, &before, own)?;
        if verdict == Verdict::Allowed {
            self.explore()?;
            self.back();
        }
        self.stuck(verdict == Verdict::Refused);
        if let Some(frame) = own {
            self.follow_all(frame)?;
        }
        Ok(())
    }
}
