//! Revisits: an event that writes is moved before one that was added earlier, which then sees it (the paper's backward revisits).
//!
//! The paper's events access one location. Where one accesses several, it conflicts at each of them:
//!
//! 1. *Who revisits.* An event comes right before what it revisits at the places that they share. At each other place it
//!    comes right after one of the last writes, as far as those behind that one are given up: each such way is tried. Of
//!    several events that it has to precede, it revisits the one that was added first.
//! 2. *Who is revisited.* At the places that the two share, it is settled what comes right before it. At the others it has
//!    all alternatives still, some of which need what has revisited it. So it is added anew, right after that.
//! 3. *In which order.* Where an event is to be revisited by several others at different places, that happens from its
//!    first place to its last one ([`Mark::rank`]), unless who revisits it at an earlier place depends on who has done so
//!    at a later one; that place is then open again. Else there would be two ways to one class.
//!
//! An event with one access is settled where it is revisited, and stays where it was added.

use super::event::{GraphAccess, GraphEvent, Tried, Watch, What, Writes, has};
use super::graph::{ExecutionGraph, Mark};
use super::numbers::{AccessNumber, Place, Stamp};
use super::witnesses;
use crate::event::Location;
use crate::explore::Need;
use crate::sync::machine::{Until, Wish};

/// A revisit: an event comes before one that was added earlier.
pub(super) struct Revisit {
    by: Stamp,
    revisited: Stamp,
    /// The number of accesses that the revisiting event still has.
    accesses: usize,
}

/// The tables of an attempt, which hold what is known of the last one; kept for their memory.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The places of the event, each with the write that it comes right after there.
    sources: Vec<(Place, Option<AccessNumber>)>,
    /// The clock of what the event depends on, itself left out.
    clock: Vec<u32>,
    /// The stamp in the new graph of each event that is kept.
    stamps: Vec<Option<Stamp>>,
    pub(super) addresses: Addresses,
}

/// The addresses of locations that are touched together with others. Of what a step touches that frees memory or leaves local
/// variables, more may be known in one process than in another: only addresses are the same.
#[derive(Debug, Default)]
pub(super) struct Addresses(Vec<Option<u64>>);

impl Addresses {
    pub(super) fn set(&mut self, location: Location, address: u64) {
        let index = location.0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        self.0[index] = Some(address);
    }

    /// Returns a number for the first of the event's accesses that is to one of the places.
    fn rank(&self, graph: &ExecutionGraph, event: Stamp, places: &[(Place, Option<AccessNumber>)]) -> u64 {
        let accesses = graph.accesses_of(event);
        if accesses.len() == 1 && !graph.event(event).leaves {
            return 0;
        }
        let is_shared = |access: &GraphAccess| places.iter().any(|&(place, _)| place == access.place);
        let shared = accesses.iter().zip(0..).filter(|(access, _)| is_shared(access));
        shared.map(|(access, number)| self.number(access.place).unwrap_or(2 * number)).min().unwrap_or(0)
    }

    /// Returns an odd number for a location that is known; objects are touched in an order of their own.
    fn number(&self, place: Place) -> Option<u64> {
        let location = place.location()?;
        self.0.get(location.0 as usize).copied().flatten().map(|address| address << 1 | 1)
    }
}

/// Returns the next revisit that the last event can make.
pub(super) fn next(graph: &mut ExecutionGraph, last: Stamp, scratch: &mut Scratch) -> Option<Revisit> {
    loop {
        let &GraphEvent { tried, bits, .. } = graph.event(last);
        let earlier = &graph.events[..tried.revisited.index()];
        let Some(revisited) = earlier.iter().rposition(|event| event.bits & bits != 0).map(Stamp::new) else {
            graph.event_mut(last).tried.revisited = Stamp::FIRST;
            return None;
        };
        if revisited.next() < tried.revisited {
            graph.event_mut(last).tried = Tried { revisited: revisited.next(), ways: 0, ..tried };
        }
        let ways = graph.event(last).tried.ways;
        match attempt(graph, last, revisited, ways, scratch) {
            Attempt::None => {
                let tried = &mut graph.event_mut(last).tried;
                (tried.revisited, tried.ways) = (revisited, 0);
            }
            Attempt::Fails => graph.event_mut(last).tried.ways += 1,
            Attempt::Works => {
                graph.event_mut(last).tried.ways += 1;
                return Some(Revisit { by: last, revisited, accesses: scratch.sources.len() });
            }
        }
    }
}

enum Attempt {
    /// There is no such way.
    None,
    Fails,
    Works,
}

fn attempt(graph: &ExecutionGraph, last: Stamp, revisited: Stamp, mut way: u32, scratch: &mut Scratch) -> Attempt {
    let event = graph.event(last);
    let known = |other| graph.follows(last, other);
    let what = graph.event(revisited).what;
    if !what.is_performed() || what == What::Leave || known(revisited) {
        return Attempt::None;
    }
    let others = graph.accesses_of(revisited);
    let shared = |access: &GraphAccess| others.iter().find(|other| other.place == access.place);
    if !graph.accesses_of(last).iter().any(|access| shared(access).is_some()) {
        return Attempt::None;
    }
    let Scratch { sources, clock, addresses, .. } = scratch;
    sources.clear();
    let mut conflicts = false;
    for access in graph.accesses_of(last) {
        if sources.first().is_some_and(|&(place, source)| runs_out(graph, event, place, source)) {
            // A limited wait that runs out has nothing to do with the mutex.
            break;
        }
        if let Some(other) = shared(access) {
            conflicts = true;
            sources.push((access.place, other.source));
            continue;
        }
        let places = candidates(graph, last, access.place, |other| other < revisited || known(other));
        let length = u32::try_from(places.len()).unwrap_or(u32::MAX);
        sources.push((access.place, places[(way % length) as usize]));
        way /= length;
    }
    if way > 0 {
        return Attempt::None;
    }
    know(graph, last, sources, clock);
    let possible = sources.iter().all(|&(place, source)| can_perform(graph, event, place, source))
        && is_awake(graph, graph.accesses_of(last), sources.iter().map(|&(_, source)| source));
    let kept = |other| other < revisited || graph.knows(clock, other);
    let stands = |&(place, source): &(Place, Option<AccessNumber>)| {
        let mut later = graph.accesses.writes_after(place, source);
        later.all(|write| write == revisited || write == last || !kept(write))
    };
    let rank = addresses.rank(graph, revisited, sources);
    let works = conflicts
        && possible
        && !graph.knows(clock, revisited)
        && sources.iter().all(stands)
        && graph.marks.iter().all(|mark| {
            let again = mark.is_of(revisited, graph);
            // A block, of which more may be known later, comes first.
            let turns = || event.block.is_none() && (mark.rank < rank || graph.event(mark.by).block.is_some());
            mark.by != revisited && if again { turns() || graph.knows(clock, mark.by) } else { kept(mark.by) }
        })
        && revisited.up_to(last).all(|other| graph.knows(clock, other) || is_maximal(graph, clock, last, other));
    if works { Attempt::Works } else { Attempt::Fails }
}

/// Makes `clock` what the event depends on if it comes right after these writes, but for itself.
fn know(graph: &ExecutionGraph, event: Stamp, sources: &[(Place, Option<AccessNumber>)], clock: &mut Vec<u32>) {
    clock.clear();
    clock.resize(graph.clocks.width(), 0);
    let &GraphEvent { thread, previous, .. } = graph.event(event);
    for before in previous.into_iter().chain(graph.orders.of(event)) {
        graph.clocks.join_to(clock, before);
    }
    for source in sources.iter().filter_map(|&(_, source)| graph.accesses.event_of(source)) {
        graph.clocks.join_to(clock, graph.known_by(thread, source));
    }
}

/// Returns the writes that the last event may come right after at a place where it revisits nothing: the last write, and each one
/// before it as long as those after it are given up.
fn candidates(
    graph: &ExecutionGraph,
    last: Stamp,
    place: Place,
    kept: impl Fn(Stamp) -> bool,
) -> Vec<Option<AccessNumber>> {
    let mut candidates = Vec::new();
    for write in graph.accesses.chain(place) {
        let event = graph.accesses.event_of(write);
        if event == Some(last) {
            continue;
        }
        candidates.push(write);
        if event.is_some_and(&kept) {
            break;
        }
    }
    candidates
}

/// Whether the event is the end of a limited sleep from which no thread has woken its thread, if it happened at this place, the
/// condition variable, right after this write.
fn runs_out(graph: &ExecutionGraph, event: &GraphEvent, place: Place, source: Option<AccessNumber>) -> bool {
    match event.need {
        Some(Need { wish: Wish::Wake { sleepers, .. }, until: Until::TimeOut | Until::Spurious }) => {
            let woken = graph.accesses.value_after(place, source);
            place == Place::of_object(sleepers) && woken.is_some_and(|woken| !has(woken, event.thread))
        }
        _ => false,
    }
}

/// Whether the event can be performed and writes when the place was last written by the source.
pub(super) fn can_perform(
    graph: &ExecutionGraph,
    event: &GraphEvent,
    place: Place,
    source: Option<AccessNumber>,
) -> bool {
    let Some(held) = graph.accesses.value_after(place, source) else { return true };
    match (event.need, event.writes) {
        (Some(need), _) => runs_out(graph, event, place, source) || grants(need, event, place, held),
        (None, Writes::Over(Some(expected))) => held == expected,
        (None, _) => true,
    }
}

/// Whether the event, for which its thread waits, can be performed when its places were last written by these sources. If an
/// event cannot be performed in the end, what has to change for it is known.
pub(super) fn is_granted(
    graph: &ExecutionGraph,
    event: &GraphEvent,
    mut standing: impl Iterator<Item = (Place, Option<AccessNumber>)>,
) -> bool {
    let Some(need) = event.need else { return true };
    let mut runs_out = false;
    standing.all(|(place, source)| {
        runs_out |= self::runs_out(graph, event, place, source);
        let granted = graph.accesses.value_after(place, source).map(|held| grants(need, event, place, held));
        runs_out || granted.unwrap_or(event.what != What::Stuck)
    })
}

/// Whether an object in this state grants the wish ([`crate::execution`] describes the states).
fn grants(need: Need, event: &GraphEvent, place: Place, state: u64) -> bool {
    let own = u64::from(event.thread.0) + 1;
    let free = |holder: u64| holder == 0 || holder == own && event.what != What::Stuck;
    match need.wish {
        Wish::Lock(_) => free(state),
        Wish::Read(_) => free(state & 0xff),
        Wish::Write(_) => state >> 8 == 0 && free(state & 0xff),
        Wish::Take(_) => state > 0,
        Wish::Once(_) => state == 0,
        Wish::Wake { mutex: Some(mutex), .. } if place == Place::of_object(mutex) => free(state),
        Wish::Wake { .. } | Wish::Cross(_) => has(state, event.thread),
        Wish::Join(_) => true,
    }
}

/// Whether the thread, if it waited for these accesses, need not wait any more when they read from these sources.
pub(super) fn is_awake(
    graph: &ExecutionGraph,
    accesses: &[GraphAccess],
    sources: impl Iterator<Item = Option<AccessNumber>>,
) -> bool {
    let mut waits = false;
    let differs = accesses.iter().zip(sources).any(|(access, source)| match access.watch {
        Watch::No | Watch::Never => false,
        Watch::From(before) | Watch::Aside(before) => {
            waits = true;
            let after = graph.accesses.value_after(access.place, source);
            before.is_none() || after.is_none() || before != after
        }
    });
    differs || !waits
}

/// Whether the event is maximally added: it stands where it would stand if it had been added last among what was added
/// before it and what the clock knows.
fn is_maximal(graph: &ExecutionGraph, clock: &[u32], last: Stamp, event: Stamp) -> bool {
    let before = |other| other < event || graph.knows(clock, other);
    let reads_before = |access: &GraphAccess| graph.accesses.event_of(access.source).is_none_or(before);
    match graph.event(event).what {
        What::Value { value, .. } | What::Witness { value, .. } => value == 0,
        What::Stuck | What::Asleep(_) => true,
        What::Leave => graph.accesses_of(event).iter().all(reads_before),
        _ => graph.accesses_of(event).iter().all(|access| {
            let mut later = graph.accesses.writes_after(access.place, access.source);
            reads_before(access) && later.all(|write| write == event || write == last || !before(write))
        }),
    }
}

impl Revisit {
    /// Whether the revisited event touches a place that the other one does not.
    fn leaves_open(&self, graph: &ExecutionGraph) -> bool {
        let others = &graph.accesses_of(self.by)[..self.accesses];
        let accesses = graph.accesses_of(self.revisited);
        accesses.len() > 1 && accesses.iter().any(|access| others.iter().all(|other| other.place != access.place))
    }

    /// Makes `into` the graph in which the event has revisited the other one; `scratch` is as [`next`] left it.
    pub(super) fn apply(&self, from: &ExecutionGraph, into: &mut ExecutionGraph, scratch: &mut Scratch) {
        let &Self { by, revisited, accesses } = self;
        // A thread that waited for an object, or for something to change, may have to wait now, so its event is added when it can
        // be performed.
        let watches = from.accesses_of(revisited).iter().any(GraphAccess::waited);
        // The revisited event cannot be performed either before the block of the revisiting event is over.
        let blocked = from.event(by).block.is_some();
        let present = from.event(revisited).need.is_none() && !watches && !blocked;
        let again = present && self.leaves_open(from);
        let Scratch { sources, clock, stamps, addresses } = scratch;
        into.restrict(from, revisited);
        stamps.clear();
        stamps.extend(Stamp::FIRST.up_to(revisited).map(Some));
        stamps.resize(from.events.len(), None);
        let stays = |event| event == by || from.knows(clock, event);
        let kept =
            revisited.up_to(by.next()).filter(|&event| stays(event) || (event == revisited && present && !again));
        for event in kept.chain(Some(revisited).filter(|_| again)) {
            stamps[event.index()] = Some(into.keep(from, event));
        }
        let stamp = |event: Stamp| stamps[event.index()].expect("it is kept");
        for event in revisited.up_to(by.next()).filter(|event| stamps[event.index()].is_some()) {
            into.orders.set(stamp(event), from.orders.of(event).map(stamp));
        }
        witnesses::keep(into, from, |event| stamps[event.index()]);
        (into.fixed, into.bottom) = (into.end(), into.end());
        if again {
            into.bottom = stamp(revisited);
            into.event_mut(stamp(revisited)).tried = Tried::nothing(stamp(revisited));
        }
        let order = || {
            let order = from.sequence.order.iter().filter(|&&event| event < by && event != revisited);
            order.copied().filter(|event| stamps[event.index()].is_some())
        };
        let begun = |event: &Stamp| from.event(*event).is_with(from.event(revisited));
        into.sequence.order.extend(order().filter(|event| !begun(event)).map(stamp));
        let as_there = into.sequence.order.len();
        into.sequence.order.push(stamp(by));
        // What revisits an event of a block comes before the block.
        into.sequence.order.extend(order().filter(begun).map(stamp));
        let revisited_there = present.then(|| stamp(revisited));
        into.sequence.order.extend(revisited_there);
        let rank = addresses.rank(from, revisited, sources);
        let stays = |mark: &&Mark| match mark.present {
            true if mark.at == revisited => again && mark.rank < rank,
            true => stamps[mark.at.index()].is_some(),
            false => mark.at <= revisited,
        };
        into.marks.extend(from.marks.iter().filter(stays).map(|mark| {
            let at = if mark.present { stamp(mark.at) } else { mark.at };
            Mark { at, by: stamp(mark.by), ..*mark }
        }));
        let GraphEvent { thread, tick, .. } = *from.event(revisited);
        let anew = blocked.then_some((thread, tick));
        into.marks.push(Mark { at: revisited_there.unwrap_or(revisited), present, by: stamp(by), rank, anew });
        into.moved = [Some(stamp(by)), revisited_there];
        let event = into.event_mut(stamp(by));
        event.what = match event.what {
            What::Read if event.writes != Writes::Surely => What::Write,
            What::Stuck | What::Asleep(_) => What::Write,
            what => what,
        };
        event.accesses = event.accesses.first(accesses);
        into.rebuild_part(from, stamps, as_there);
    }
}
