//! Overtaking ("revisits" in the paper): an event that writes comes before one that was added earlier.
//!
//! The paper's events access one location. Where one accesses several, it conflicts at each of them:
//!
//! 1. *Who overtakes.* An event comes right before what it overtakes at the places that they share. At each other place it
//!    comes right after one of the last writes, as far as those behind that one are given up: each such way is tried. Of
//!    several events that it has to precede, it overtakes the one that was added first.
//! 2. *Who is overtaken.* At the places that the two share, it is settled what comes right before it. At the others it has
//!    all alternatives still, some of which need what has overtaken it. So it is added anew, right after that.
//! 3. *In which order.* Where an event is to be overtaken by several others at different places, that happens from its
//!    first place to its last one ([`Mark::rank`]), unless who overtakes it at an earlier place depends on who has done so
//!    at a later one; that place is then open again. Else there would be two ways to one class.
//!
//! An event with one access is settled where it is overtaken, and stays where it was added.

use super::graph::{Access, Event, Graph, Mark, NONE, Tried, Watch, What, Writes, has, location_of, object_place};
use crate::event::Location;
use crate::explore::Need;
use crate::sync::machine::{Until, Wish};

/// An event that comes before another one.
pub(super) struct Overtaking {
    by: u32,
    overtaken: u32,
    /// How many of its accesses it still has.
    accesses: u32,
}

/// What an attempt works with, and what is known of the last one: kept for its memory.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The places of the event, and the writes that it comes right after there.
    sources: Vec<(u32, u32)>,
    /// What it depends on, but for itself.
    clock: Vec<u32>,
    /// Of each event the number in the new graph, or [`NONE`].
    numbers: Vec<u32>,
    pub(super) addresses: Addresses,
}

/// Where locations lie that are touched together with others. Of what a step touches that frees memory or leaves local
/// variables, more may be known in one process than in another one: only addresses are the same.
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

    /// A number for the first of the event's accesses that is to one of the places.
    fn rank(&self, graph: &Graph, index: u32, places: &[(u32, u32)]) -> u64 {
        let accesses = graph.accesses_of(index);
        if accesses.len() == 1 && !graph.event(index).leaves {
            return 0;
        }
        let is_shared = |access: &Access| places.iter().any(|&(place, _)| place == access.place);
        let shared = accesses.iter().zip(0..).filter(|(access, _)| is_shared(access));
        shared.map(|(access, number)| self.number(access.place).unwrap_or(2 * number)).min().unwrap_or(0)
    }

    /// An odd number for a location that is known; objects are touched in an order of their own.
    fn number(&self, place: u32) -> Option<u64> {
        let location = location_of(place)?;
        self.0.get(location.0 as usize).copied().flatten().map(|address| address << 1 | 1)
    }
}

/// The next event that the last one can overtake.
pub(super) fn next(graph: &mut Graph, last: u32, scratch: &mut Scratch) -> Option<Overtaking> {
    loop {
        let &Event { tried, bits, .. } = graph.event(last);
        let earlier = &graph.events[..tried.overtaken as usize];
        let Some(overtaken) = earlier.iter().rposition(|event| event.bits & bits != 0) else {
            graph.events[last as usize].tried.overtaken = 0;
            return None;
        };
        let overtaken = u32::try_from(overtaken).expect("fewer than 2^32 events");
        if overtaken + 1 < tried.overtaken {
            graph.events[last as usize].tried = Tried { overtaken: overtaken + 1, ways: 0, ..tried };
        }
        let ways = graph.event(last).tried.ways;
        match attempt(graph, last, overtaken, ways, scratch) {
            Attempt::None => {
                let tried = &mut graph.events[last as usize].tried;
                (tried.overtaken, tried.ways) = (overtaken, 0);
            }
            Attempt::Fails => graph.events[last as usize].tried.ways += 1,
            Attempt::Works => {
                graph.events[last as usize].tried.ways += 1;
                let accesses = u32::try_from(scratch.sources.len()).expect("fewer than 2^32 accesses");
                return Some(Overtaking { by: last, overtaken, accesses });
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

fn attempt(graph: &Graph, last: u32, overtaken: u32, mut way: u32, scratch: &mut Scratch) -> Attempt {
    let event = graph.event(last);
    let known = |index| event.previous != NONE && graph.knows(graph.clock(event.previous), index);
    let what = graph.event(overtaken).what;
    if !what.is_performed() || what == What::Leave || known(overtaken) {
        return Attempt::None;
    }
    let others = graph.accesses_of(overtaken);
    let shared = |access: &Access| others.iter().find(|other| other.place == access.place);
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
        let places = candidates(graph, last, access.place, |index| index < overtaken || known(index));
        let length = u32::try_from(places.len()).unwrap_or(u32::MAX);
        sources.push((access.place, places[(way % length) as usize]));
        way /= length;
    }
    if way > 0 {
        return Attempt::None;
    }
    clock.clear();
    clock.resize(graph.width(), 0);
    if event.previous != NONE {
        graph.join(clock, event.previous);
    }
    for &(_, source) in &*sources {
        if source != NONE {
            graph.join(clock, graph.known_by(event.thread, graph.accesses[source as usize].event));
        }
    }
    let possible = sources.iter().all(|&(place, source)| can_perform(graph, event, place, source))
        && is_awake(graph, graph.accesses_of(last), sources.iter().map(|&(_, source)| source));
    let kept = |index| index < overtaken || graph.knows(clock, index);
    let stands = |&(place, source): &(u32, u32)| {
        writes_after(graph, place, source).all(|write| write == overtaken || write == last || !kept(write))
    };
    let rank = addresses.rank(graph, overtaken, sources);
    let works = conflicts
        && possible
        && !graph.knows(clock, overtaken)
        && sources.iter().all(stands)
        && graph.marks.iter().all(|mark| {
            let again = graph.is_of(mark, overtaken);
            // A block, of which more may be known later, comes first.
            let turns = || event.block == 0 && (mark.rank < rank || graph.event(mark.by).block != 0);
            mark.by != overtaken && if again { turns() || graph.knows(clock, mark.by) } else { kept(mark.by) }
        })
        && (overtaken..last).all(|index| graph.knows(clock, index) || is_last(graph, clock, last, index));
    if works { Attempt::Works } else { Attempt::Fails }
}

/// The writes that the last event may come right after where it overtakes nothing: the last one, and each one before it
/// as far as those after it are given up.
fn candidates(graph: &Graph, last: u32, place: u32, kept: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut candidates = Vec::new();
    for write in graph.chain(place) {
        let event = graph.accesses.get(write as usize).map(|access| access.event);
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

/// Whether the event is the end of a limited sleep from which nobody has woken its thread, if that happened at this
/// place, the condition variable, right after this write.
fn runs_out(graph: &Graph, event: &Event, place: u32, source: u32) -> bool {
    match event.need {
        Some(Need { wish: Wish::Wake { sleepers, .. }, until: Until::TimeOut | Until::Spurious }) => {
            let woken = graph.value_after(place, source);
            place == object_place(sleepers) && woken.is_some_and(|woken| !has(woken, event.thread))
        }
        _ => false,
    }
}

/// Whether the event can be performed and writes when the place was last written by the source.
pub(super) fn can_perform(graph: &Graph, event: &Event, place: u32, source: u32) -> bool {
    let Some(held) = graph.value_after(place, source) else { return true };
    match (event.need, event.writes) {
        (Some(need), _) => runs_out(graph, event, place, source) || grants(need, event, place, held),
        (None, Writes::Over(Some(expected))) => held == expected,
        (None, _) => true,
    }
}

/// Whether the event, whose thread waits for it, can be performed when its places were last written by these sources. Of
/// one that cannot in the end, it is known what has to change.
pub(super) fn is_granted(graph: &Graph, event: &Event, mut standing: impl Iterator<Item = (u32, u32)>) -> bool {
    let Some(need) = event.need else { return true };
    let mut runs_out = false;
    standing.all(|(place, source)| {
        runs_out |= self::runs_out(graph, event, place, source);
        let granted = graph.value_after(place, source).map(|held| grants(need, event, place, held));
        runs_out || granted.unwrap_or(event.what != What::Stuck)
    })
}

/// Whether an object in this state grants the wish ([`crate::execution`] says what the states are).
fn grants(need: Need, event: &Event, place: u32, state: u64) -> bool {
    let own = u64::from(event.thread.0) + 1;
    let free = |holder: u64| holder == 0 || holder == own && event.what != What::Stuck;
    match need.wish {
        Wish::Lock(_) => free(state),
        Wish::Read(_) => free(state & 0xff),
        Wish::Write(_) => state >> 8 == 0 && free(state & 0xff),
        Wish::Take(_) => state > 0,
        Wish::Once(_) => state == 0,
        Wish::Wake { mutex: Some(mutex), .. } if place == object_place(mutex) => free(state),
        Wish::Wake { .. } | Wish::Cross(_) => has(state, event.thread),
        Wish::Join(_) => true,
    }
}

/// Whether the thread, if it waited for these accesses, need not wait any more when they read from these sources.
pub(super) fn is_awake(graph: &Graph, accesses: &[Access], sources: impl Iterator<Item = u32>) -> bool {
    let mut waits = false;
    let differs = accesses.iter().zip(sources).any(|(access, source)| match access.watch {
        Watch::No | Watch::Never => false,
        Watch::From(before) | Watch::Aside(before) => {
            waits = true;
            let after = graph.value_after(access.place, source);
            before.is_none() || after.is_none() || before != after
        }
    });
    differs || !waits
}

/// The writes of the place after this one.
fn writes_after(graph: &Graph, place: u32, source: u32) -> impl Iterator<Item = u32> + '_ {
    let mut next = graph.write_after(place, source);
    std::iter::from_fn(move || {
        let access = graph.accesses.get(next as usize)?;
        next = access.next;
        Some(access.event)
    })
}

/// Whether the event stands where it would stand if it had been added last among what was added before it and what
/// the clock knows ("maximally added").
fn is_last(graph: &Graph, clock: &[u32], last: u32, index: u32) -> bool {
    let before = |other| other < index || graph.knows(clock, other);
    match graph.event(index).what {
        What::Value { value, .. } => value == 0,
        What::Stuck | What::Asleep(_) => true,
        What::Leave => graph
            .accesses_of(index)
            .iter()
            .all(|access| graph.accesses.get(access.source as usize).is_none_or(|source| before(source.event))),
        _ => graph.accesses_of(index).iter().all(|access| {
            let source = graph.accesses.get(access.source as usize);
            source.is_none_or(|source| before(source.event))
                && writes_after(graph, access.place, access.source)
                    .all(|write| write == index || write == last || !before(write))
        }),
    }
}

impl Overtaking {
    /// Whether the overtaken event touches a place that the other one does not.
    fn leaves_open(&self, graph: &Graph) -> bool {
        let others = &graph.accesses_of(self.by)[..self.accesses as usize];
        let accesses = graph.accesses_of(self.overtaken);
        accesses.len() > 1 && accesses.iter().any(|access| others.iter().all(|other| other.place != access.place))
    }

    /// Makes `into` the graph in which the event has overtaken; `scratch` is as [`next`] left it.
    pub(super) fn apply(&self, from: &Graph, into: &mut Graph, scratch: &mut Scratch) {
        let &Self { by, overtaken, accesses } = self;
        // A thread that waited for an object, or for something to change, may have to wait now: its event is added when
        // it can be performed.
        let watches = from.accesses_of(overtaken).iter().any(Access::waited);
        // Nor can anybody perform one before the block is over that overtakes.
        let blocked = from.event(by).block != 0;
        let present = from.event(overtaken).need.is_none() && !watches && !blocked;
        let again = present && self.leaves_open(from);
        let Scratch { sources, clock, numbers, addresses } = scratch;
        into.copy_first(from, overtaken);
        numbers.clear();
        numbers.extend(0..overtaken);
        numbers.resize(from.events.len(), NONE);
        let stays = |index| index == by || from.knows(clock, index);
        let added = (overtaken..=by).filter(|&index| stays(index) || (index == overtaken && present && !again));
        for index in added.chain(Some(overtaken).filter(|_| again)) {
            numbers[index as usize] = into.length();
            into.copy_event(from, index);
        }
        let number = |index: u32| numbers[index as usize];
        (into.fixed, into.bottom) = (into.length(), into.length());
        if again {
            into.bottom = number(overtaken);
            into.events[into.bottom as usize].tried = Tried { overtaken: into.bottom, ways: 0, older: 0 };
        }
        let order = || {
            let order = from.order.iter().filter(|&&index| index < by && index != overtaken);
            order.copied().filter(|&index| numbers[index as usize] != NONE)
        };
        let begun = |index: &u32| from.event(*index).is_with(from.event(overtaken));
        into.order.extend(order().filter(|index| !begun(index)).map(number));
        let as_there = into.order.len();
        into.order.push(number(by));
        // What overtakes an event of a block comes before the block.
        into.order.extend(order().filter(begun).map(number));
        if present {
            into.order.push(number(overtaken));
        }
        let rank = addresses.rank(from, overtaken, sources);
        let stays = |mark: &&Mark| match mark.present {
            true if mark.at == overtaken => again && mark.rank < rank,
            true => number(mark.at) != NONE,
            false => mark.at <= overtaken,
        };
        into.marks.extend(from.marks.iter().filter(stays).map(|mark| {
            let at = if mark.present { number(mark.at) } else { mark.at };
            Mark { at, by: number(mark.by), ..*mark }
        }));
        let at = if present { number(overtaken) } else { overtaken };
        let Event { thread, tick, .. } = *from.event(overtaken);
        let anew = blocked.then_some((thread, tick));
        into.marks.push(Mark { at, present, by: number(by), rank, anew });
        into.moved = [number(by), if present { number(overtaken) } else { NONE }];
        let event = &mut into.events[number(by) as usize];
        event.what = match event.what {
            What::Read if event.writes != Writes::Surely => What::Write,
            What::Stuck | What::Asleep(_) => What::Write,
            what => what,
        };
        event.accesses = accesses;
        into.rebuild_part(from, numbers, as_there);
    }
}
