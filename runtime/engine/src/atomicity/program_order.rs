//! The part of program order that the transactions of one thread keep: under SC all of it, under TSO what 001-enea-tacas16,
//! section 4.1, (2) says.
//!
//! Under TSO, of two events of a thread the later one does not conflict with the earlier one iff it is a load, and the
//! earlier one is a store or a buffered load, at another location. A load is *buffered* iff the thread has stored to
//! its location before, without a full fence in between: statically, whether or not the store still waited. (A load of
//! several locations is buffered iff that holds for all of them: otherwise some part of it reads memory.)
//!
//! [`ProgramOrder::follow`] gives, for each new event, a few earlier ones that it conflicts with, from which all others
//! that it conflicts with can be reached. A few is a constant number a location, amortised.

use std::collections::BTreeMap;

use crate::event::Location;

/// The effect of an event on its thread's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProgramStep<'a> {
    /// The event loads these locations, or the state of an object if there are none.
    Load(&'a [Location]),
    /// The event stores to these locations, through the buffer.
    Store(&'a [Location]),
    /// The event empties the buffer first: a full fence, a read-modify-write, or an operation on an object or thread.
    Drain,
}

/// An earlier event of the thread that an event conflicts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Earlier<T> {
    /// The earlier event.
    pub(super) event: T,
    /// The location that both events access, if that is why they conflict.
    pub(super) location: Option<Location>,
}

/// The relation of an event to all others of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rank {
    /// Whether the event conflicts with all earlier ones.
    pub(super) after_all: bool,
    /// Whether the event conflicts with all later ones.
    pub(super) before_all: bool,
}

/// The events of one thread so far, as far as they matter to the next one.
#[derive(Clone, Debug)]
pub(super) enum ProgramOrder<T> {
    /// All of program order is kept: the field is the last event.
    Total(Option<T>),
    /// Program order is kept as by TSO.
    Tso(Tso<T>),
}

/// The events of one thread that matter to the next one under TSO.
#[derive(Clone, Debug)]
pub(super) struct Tso<T> {
    /// The last event that is no load, which conflicts with all before it.
    last_hard: Option<T>,
    /// The last event that empties the buffer, and the last load that is not buffered, which conflict with all after them.
    last_drain: Option<T>,
    last_ordered_load: Option<T>,
    /// The last store to each location since then.
    stores: BTreeMap<Location, T>,
    /// The last buffered load of each location since then.
    loads: BTreeMap<Location, Loaded<T>>,
    /// The locations of these loads that were loaded after `last_hard`.
    soft: Vec<Location>,
}

/// A buffered load.
#[derive(Clone, Copy, Debug)]
struct Loaded<T> {
    event: T,
    /// Whether this load or an earlier one of the same location came after `last_hard`: the location is then among the soft ones.
    is_soft: bool,
}

impl<T: Copy> ProgramOrder<T> {
    /// The order that TSO keeps, before the first event.
    pub(super) const TSO: Self = Self::Tso(Tso::EMPTY);

    /// Takes the next event of the thread and appends the earlier ones that it comes after.
    pub(super) fn follow(&mut self, step: ProgramStep<'_>, event: T, earlier: &mut Vec<Earlier<T>>) -> Rank {
        match self {
            Self::Total(last) => {
                earlier.extend(last.replace(event).map(|event| Earlier { event, location: None }));
                Rank { after_all: true, before_all: true }
            }
            Self::Tso(tso) => tso.follow(step, event, earlier),
        }
    }

    /// Appends events from which all earlier events of the thread can be reached.
    pub(super) fn all(&self, earlier: &mut Vec<Earlier<T>>) {
        match self {
            Self::Total(last) => earlier.extend(last.map(|event| Earlier { event, location: None })),
            Self::Tso(tso) => tso.before_hard(earlier),
        }
    }

    /// Returns all events that the next one may come after.
    pub(super) fn held(&self) -> impl Iterator<Item = T> + '_ {
        let (last, tso) = match self {
            Self::Total(last) => (*last, None),
            Self::Tso(tso) => (None, Some(tso)),
        };
        last.into_iter().chain(tso.into_iter().flat_map(Tso::held))
    }
}

impl<T: Copy> Tso<T> {
    const EMPTY: Self = Self {
        last_hard: None,
        last_drain: None,
        last_ordered_load: None,
        stores: BTreeMap::new(),
        loads: BTreeMap::new(),
        soft: Vec::new(),
    };

    fn follow(&mut self, step: ProgramStep<'_>, event: T, earlier: &mut Vec<Earlier<T>>) -> Rank {
        match step {
            ProgramStep::Load(locations) => {
                let anything = [self.last_drain, self.last_ordered_load];
                earlier.extend(anything.into_iter().flatten().map(|event| Earlier { event, location: None }));
                let is_buffered =
                    !locations.is_empty() && locations.iter().all(|location| self.stores.contains_key(location));
                for &location in locations {
                    let loaded = self.loads.get(&location).map(|loaded| loaded.event);
                    let own = self.stores.get(&location).copied().into_iter().chain(loaded);
                    earlier.extend(own.map(|event| Earlier { event, location: Some(location) }));
                    if is_buffered {
                        let before = self.loads.insert(location, Loaded { event, is_soft: true });
                        if !before.is_some_and(|before| before.is_soft) {
                            self.soft.push(location);
                        }
                    }
                }
                if !is_buffered {
                    self.last_ordered_load = Some(event);
                }
                Rank { after_all: false, before_all: !is_buffered }
            }
            ProgramStep::Store(locations) => {
                self.before_hard(earlier);
                for location in self.soft.drain(..) {
                    self.loads.entry(location).and_modify(|loaded| loaded.is_soft = false);
                }
                self.last_hard = Some(event);
                self.stores.extend(locations.iter().map(|&location| (location, event)));
                Rank { after_all: true, before_all: false }
            }
            ProgramStep::Drain => {
                self.before_hard(earlier);
                *self = Self { last_hard: Some(event), last_drain: Some(event), ..Self::EMPTY };
                Rank { after_all: true, before_all: true }
            }
        }
    }

    /// Appends the events that an event which is no load comes after.
    fn before_hard(&self, earlier: &mut Vec<Earlier<T>>) {
        let anything = [self.last_hard, self.last_ordered_load].into_iter().flatten();
        let buffered = self.soft.iter().map(|location| self.loads[location].event);
        earlier.extend(anything.chain(buffered).map(|event| Earlier { event, location: None }));
    }

    fn held(&self) -> impl Iterator<Item = T> + '_ {
        let last = [self.last_hard, self.last_drain, self.last_ordered_load];
        last.into_iter()
            .flatten()
            .chain(self.stores.values().copied())
            .chain(self.loads.values().map(|loaded| loaded.event))
    }
}
