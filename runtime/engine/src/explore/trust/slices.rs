//! The units of the explorer `dpor`: what is left of a search, packed so that another search can take it up.
//!
//! What is still to be run is a stack of graphs, and of each of them the alternatives of its events from the last one
//! down to its bottom. A graph says by itself what is below it, and so does a *piece* of one: a part of its events, with
//! those above it taken away. What a piece says of its events means the same in every process: their threads, their
//! order, what has been tried, and no numbers of locations or objects. So before a piece is varied, the execution up to
//! there is repeated (it is counted by nobody), from which all else is taken anew.
//!
//! A unit is a stack of pieces. Those that are next are together in one unit; the events at the bottom of the stack,
//! below which most is left, are a unit each.

use super::event::{GraphEvent, Tried, What, Writes};
use super::graph::{ExecutionGraph, Expected, Generation, Mark, shared_places};
use super::numbers::Stamp;
use super::sequence::Split;
use crate::event::Thread;
use crate::explore::packed::{Corrupt, Reader, write};
use crate::explore::slice::Unit;

/// The number of events at the bottom of the stack that may have alternatives and become units of their own.
const CUTS: usize = 16;

/// The way in which a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goes {
    /// The execution is to be run.
    Running,
    /// The execution has been run: the search goes on with the alternatives of its last event.
    Varying,
}

/// A part of a graph of the stack: the events below `from` are not to be varied, those from `to` on are taken away.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    graph: &'a ExecutionGraph,
    from: Stamp,
    to: Stamp,
}

/// The packed part of a graph.
#[derive(Clone, PartialEq, Debug)]
struct Outline {
    events: Vec<Shape>,
    order: Vec<Stamp>,
    splits: Vec<Split>,
    marks: Vec<Mark>,
    fixed: Stamp,
    bottom: Stamp,
    moved: [Option<Stamp>; 2],
    expects: Option<Expected>,
}

/// The packed part of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shape {
    thread: Thread,
    what: What,
    depends: bool,
    tried: Tried,
    /// The number of places that it shares with events added before, if some of its alternatives were tried, which are numbered
    /// by its places.
    places: u32,
}

/// Returns the unit of a whole search.
pub(super) fn whole() -> Unit {
    let empty = ExecutionGraph::default();
    pack(Goes::Running, &[Piece { graph: &empty, from: Stamp::FIRST, to: Stamp::FIRST }], 1.0)
}

/// Checks that a unit can be drawn.
pub(super) fn check(unit: &Unit) -> Result<(), Corrupt> {
    read_unit(&unit.prefixes).map(drop)
}

/// Draws the graphs of a unit that has been checked, the next one last, into graphs that `spare` gives.
pub(super) fn draw(unit: &Unit, mut spare: impl FnMut() -> ExecutionGraph) -> (Goes, Vec<ExecutionGraph>) {
    let (goes, outlines) = read_unit(&unit.prefixes).expect("it was read before");
    let graphs = outlines.iter().map(|outline| {
        let mut graph = spare();
        outline.draw(&mut graph);
        graph
    });
    (goes, graphs.collect())
}

/// Whether the execution that was run last has to be run again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Last {
    IsDone,
    RunsAgain,
}

/// Cuts a search of this weight that is under way into units, from its deep end on. The graphs of its stack are given from the
/// bottom up.
pub(super) fn cut(stack: &[&ExecutionGraph], last: Last, weight: f64) -> Vec<Unit> {
    let mut single = Vec::new();
    let mut deep = Vec::new();
    for &graph in stack {
        let mut from = graph.bottom;
        if graph.generation != Generation::Unknown {
            for event in graph.bottom.up_to(graph.end()).filter(|&event| may_vary(graph, event)) {
                if single.len() == CUTS {
                    break;
                }
                single.push(Piece { graph, from: event, to: event.next() });
                from = event.next();
            }
        }
        if graph.generation == Generation::Unknown || single.len() == CUTS {
            deep.extend(pieces(graph, from));
        }
    }
    let again = stack.last().filter(|_| last == Last::RunsAgain);
    let again = again.map(|graph| Piece { graph, from: graph.end(), to: graph.end() });
    let open = single.len() + usize::from(!deep.is_empty() || again.is_some());
    // Weights are given as if each event had one alternative left, below which there is as much as above.
    let mut weights = (0..open).scan(weight, |left, _| {
        *left /= 2.0;
        Some(*left)
    });
    let alone: Vec<Unit> =
        single.iter().zip(&mut weights).map(|(&piece, weight)| pack(Goes::Varying, &[piece], weight)).collect();
    let goes = if again.is_some() { Goes::Running } else { Goes::Varying };
    deep.extend(again);
    let deep = (!deep.is_empty()).then(|| pack(goes, &deep, weights.next().unwrap_or(0.0)));
    deep.into_iter().chain(alone.into_iter().rev()).collect()
}

/// Returns the pieces of the graph from this event on. It is cut where a thread that cannot go on is kept: other threads of that
/// kind are of no use then.
fn pieces(graph: &ExecutionGraph, from: Stamp) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    if graph.generation == Generation::Unknown {
        return vec![Piece { graph, from, to: graph.end() }];
    }
    let performed = |event: Stamp| graph.event(event).what.is_performed();
    for event in from.up_to(graph.end()) {
        match pieces.last_mut() {
            Some(last) if performed(event) && last.last().is_some_and(performed) => last.to = event.next(),
            _ => pieces.push(Piece { graph, from: event, to: event.next() }),
        }
    }
    pieces
}

/// Whether the event may have alternatives left.
fn may_vary(graph: &ExecutionGraph, event: Stamp) -> bool {
    let earlier = &graph.events[..event.index()];
    let event = graph.event(event);
    let shares = |other: &GraphEvent| other.bits & event.bits != 0 && other.thread != event.thread;
    let revisits = || earlier.iter().take(event.tried.revisited.index()).any(shares);
    let reads_older = || earlier.iter().any(|other| other.writes() && shares(other));
    match event.what {
        What::Value { value, count } | What::Witness { value, count } => value + 1 < count,
        What::Leave | What::Local | What::Create(_) | What::Join(_) => false,
        What::Read | What::Write | What::Stuck | What::Asleep(_) => revisits() || reads_older(),
    }
}

impl Piece<'_> {
    /// Returns the piece's last event, which is varied, if there is one.
    fn last(&self) -> Option<Stamp> {
        self.to.previous().filter(|_| self.from < self.to)
    }

    /// Returns the outline of the piece's events, without those of threads that cannot go on, of which only the last event can be
    /// varied.
    fn outline(&self) -> Outline {
        let &Self { graph, from, to } = self;
        if graph.generation == Generation::Unknown {
            return Outline::of(graph, from, to);
        }
        let varied = self.last();
        // The last event stands where it was added: whether it can stand where it reads something older may not be known.
        let older = varied.filter(|&last| graph.sequence.splits.iter().any(|split| split.event == last));
        let kept = |event: Stamp| {
            let this = graph.event(event);
            this.what.is_performed() && !(older == Some(event) && this.slept)
        };
        let mut stamps = vec![None; to.index()];
        let mut counts = Vec::with_capacity(to.index() + 1);
        let mut events: Vec<Shape> = Vec::new();
        for event in Stamp::FIRST.up_to(to) {
            let stamp = Stamp::new(events.len());
            counts.push(stamp);
            if kept(event) {
                stamps[event.index()] = Some(stamp);
                events.push(Shape::of(graph, event));
            }
        }
        counts.push(Stamp::new(events.len()));
        let before = |event: Stamp| counts[event.min(to).index()];
        for shape in &mut events {
            shape.tried.revisited = before(shape.tried.revisited);
        }
        let stamp = |event: Stamp| stamps[event.index()].expect("it is kept");
        let expects = varied.filter(|&last| !kept(last)).map(|last| {
            let event = graph.event(last);
            let tried = Tried { revisited: before(event.tried.revisited), ..event.tried };
            Expected { thread: event.thread, tried, places: places(graph, last) }
        });
        let stays = |event: &Stamp| *event < to && kept(*event);
        let order = graph.sequence.before(older.unwrap_or(to));
        let below = from..older.unwrap_or(to);
        let splits = graph.sequence.splits.iter().filter(|split| below.contains(&split.event));
        let mark = |mark: &Mark| {
            let at = if mark.present { stamp(mark.at) } else { before(mark.at) };
            Mark { at, by: stamp(mark.by), ..*mark }
        };
        // An execution that is only repeated stays as it was.
        let moved = |event: Option<Stamp>| event.filter(|event| varied.is_none() && stays(event)).map(stamp);
        Outline {
            order: order.into_iter().chain(older.filter(|&last| kept(last))).map(stamp).collect(),
            splits: splits.map(|split| Split { event: stamp(split.event), ..split.clone() }).collect(),
            marks: graph.marks.iter().map(mark).collect(),
            fixed: before(graph.fixed),
            bottom: before(from),
            moved: graph.moved.map(moved),
            events,
            expects,
        }
    }
}

impl Outline {
    /// The outline of a graph without events.
    const EMPTY: Self = Self {
        events: Vec::new(),
        order: Vec::new(),
        splits: Vec::new(),
        marks: Vec::new(),
        fixed: Stamp::FIRST,
        bottom: Stamp::FIRST,
        moved: [None; 2],
        expects: None,
    };

    /// Returns the outline of a graph of which nothing but its outline is known.
    fn of(graph: &ExecutionGraph, from: Stamp, to: Stamp) -> Self {
        Self {
            events: Stamp::FIRST.up_to(graph.end()).map(|event| Shape::of(graph, event)).collect(),
            order: graph.sequence.order.clone(),
            splits: graph.sequence.splits.clone(),
            marks: graph.marks.clone(),
            fixed: graph.fixed,
            bottom: from,
            moved: graph.moved.map(|event| event.filter(|_| from == to)),
            expects: graph.expects,
        }
    }

    /// Makes `graph` a graph of this outline.
    fn draw(&self, graph: &mut ExecutionGraph) {
        graph.clear();
        for shape in &self.events {
            let writes = if shape.depends { Writes::Over(None) } else { Writes::Surely };
            let event = graph.sketch(shape.thread, shape.what, writes);
            (event.tried, event.places) = (shape.tried, shape.places);
        }
        graph.sequence.order.clone_from(&self.order);
        graph.sequence.splits.clone_from(&self.splits);
        graph.marks.clone_from(&self.marks);
        (graph.fixed, graph.bottom, graph.expects) = (self.fixed, self.bottom, self.expects);
        graph.moved = self.moved;
        graph.generation = Generation::Unknown;
    }

    /// Checks that stamps stand for events, and that the order is one.
    fn check(self) -> Result<Self, Corrupt> {
        let end = Stamp::new(self.events.len());
        let mut stands = vec![false; self.events.len()];
        let ordered =
            self.order.iter().all(|&event| event < end && !std::mem::replace(&mut stands[event.index()], true));
        let stays = |mark: &Mark| if mark.present { mark.at < end } else { mark.at <= end };
        let marked = self.marks.iter().all(|mark| mark.by < end && stays(mark));
        let moved = self.moved.iter().flatten().all(|&event| event < end);
        let known = self.fixed <= end && self.bottom <= end;
        // The events below are not varied, and may speak of a graph that had more events.
        let mut varied = self.bottom.up_to(end).map(|event| (event, &self.events[event.index()]));
        let tried = known && varied.all(|(event, shape)| shape.tried.revisited <= event);
        let mut order = self.order.clone();
        let mut above = end;
        let split = self.splits.iter().rev().all(|split| {
            let falls = self.bottom <= split.event && split.event < above && split.fits(&order);
            if falls {
                split.undo(&mut order, &mut Vec::new());
                order.retain(|&other| other < split.event);
                above = split.event;
            }
            falls
        });
        if split && ordered && self.order.len() == self.events.len() && marked && moved && known && tried {
            Ok(self)
        } else {
            Err(Corrupt)
        }
    }

    /// Appends the outline, without what it has in common with the one before it.
    fn write(&self, before: &Self, into: &mut Vec<u8>) {
        let common = self.events.iter().zip(&before.events).take_while(|(new, old)| new == old).count();
        write(into, common as u64);
        write(into, (self.events.len() - common) as u64);
        self.events[common..].iter().for_each(|shape| shape.write(into));
        let common = self.order.iter().zip(&before.order).take_while(|(new, old)| new == old).count();
        write(into, common as u64);
        write(into, (self.order.len() - common) as u64);
        self.order[common..].iter().for_each(|&event| write_stamp(event, into));
        write(into, self.splits.len() as u64);
        for split in &self.splits {
            write_stamp(split.event, into);
            write(into, split.follows.len() as u64);
            let bits = |part: &[bool]| part.iter().rev().fold(0, |bits, &follows| bits << 1 | u8::from(follows));
            into.extend(split.follows.chunks(8).map(bits));
        }
        write(into, self.marks.len() as u64);
        for mark in &self.marks {
            write(into, u64::from(mark.at.number()) << 1 | u64::from(mark.present));
            write_stamp(mark.by, into);
            write(into, mark.rank);
            write(into, mark.anew.map_or(0, |(thread, _)| u64::from(thread.0) + 1));
            mark.anew.iter().for_each(|&(_, tick)| write(into, tick.into()));
        }
        write_stamp(self.fixed, into);
        write_stamp(self.bottom, into);
        self.moved.iter().for_each(|moved| write(into, moved.map_or(0, |event| u64::from(event.number()) + 1)));
        match self.expects {
            None => write(into, 0),
            Some(Expected { thread, tried, places }) => {
                write(into, u64::from(thread.0) + 1);
                write_tried(tried, into);
                write(into, places.into());
            }
        }
    }

    fn read(before: &Self, from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let common = before.events.get(..from.narrow()? as usize).ok_or(Corrupt)?;
        let mut events = common.to_vec();
        for _ in 0..from.count()? {
            events.push(Shape::read(from)?);
        }
        let common = before.order.get(..from.narrow()? as usize).ok_or(Corrupt)?;
        let mut order = common.to_vec();
        for _ in 0..from.count()? {
            order.push(read_stamp(from)?);
        }
        let mut splits = Vec::new();
        for _ in 0..from.count()? {
            let (event, length) = (read_stamp(from)?, from.narrow()? as usize);
            let bytes = from.bytes(length.div_ceil(8))?;
            let follows = (0..length).map(|at| bytes[at / 8] >> (at % 8) & 1 == 1).collect();
            splits.push(Split { event, follows });
        }
        let mut marks = Vec::new();
        for _ in 0..from.count()? {
            let at = from.number()?;
            let present = at & 1 == 1;
            let at = stamp(at >> 1)?;
            let (by, rank) = (read_stamp(from)?, from.number()?);
            let anew = match from.number()?.checked_sub(1) {
                None => None,
                Some(thread) => Some((Thread(u8::try_from(thread).map_err(|_| Corrupt)?), from.narrow()?)),
            };
            marks.push(Mark { at, present, by, rank, anew });
        }
        let (fixed, bottom) = (read_stamp(from)?, read_stamp(from)?);
        let moved = [read_stamp(from)?.previous(), read_stamp(from)?.previous()];
        let expects = match from.number()?.checked_sub(1) {
            None => None,
            Some(thread) => {
                let thread = Thread(u8::try_from(thread).map_err(|_| Corrupt)?);
                Some(Expected { thread, tried: read_tried(from)?, places: from.narrow()? })
            }
        };
        Self { events, order, splits, marks, fixed, bottom, moved, expects }.check()
    }
}

impl Shape {
    fn of(graph: &ExecutionGraph, event: Stamp) -> Self {
        let &GraphEvent { thread, what, writes, tried, .. } = graph.event(event);
        Self { thread, what, depends: writes != Writes::Surely, tried, places: places(graph, event) }
    }

    fn write(&self, into: &mut Vec<u8>) {
        write(into, self.thread.0.into());
        let (kind, numbers) = match self.what {
            What::Local => (0, None),
            What::Read => (1, None),
            What::Write => (2, None),
            What::Leave => (3, None),
            What::Create(thread) => (4, Some((u32::from(thread.0), 0))),
            What::Join(thread) => (5, Some((u32::from(thread.0), 0))),
            What::Value { value, count } => (6, Some((value, count))),
            What::Witness { value, count } => (7, Some((value, count))),
            What::Stuck | What::Asleep(_) => unreachable!("what is not performed has no shape"),
        };
        write(into, kind << 1 | u64::from(self.depends));
        if let Some((first, second)) = numbers {
            write(into, u64::from(first));
            write(into, u64::from(second));
        }
        write_tried(self.tried, into);
        write(into, self.places.into());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let thread = read_thread(from)?;
        let flags = from.number()?;
        let what = match flags >> 1 {
            0 => What::Local,
            1 => What::Read,
            2 => What::Write,
            3 => What::Leave,
            4 => What::Create(read_other(from)?),
            5 => What::Join(read_other(from)?),
            6 => What::Value { value: from.narrow()?, count: from.narrow()? },
            7 => What::Witness { value: from.narrow()?, count: from.narrow()? },
            _ => return Err(Corrupt),
        };
        let depends = flags & 1 == 1;
        Ok(Self { thread, what, depends, tried: read_tried(from)?, places: from.narrow()? })
    }
}

/// Returns how many of the places by which the event's alternatives are numbered matter, if some were tried; else 0.
fn places(graph: &ExecutionGraph, event: Stamp) -> u32 {
    let GraphEvent { tried, places, .. } = *graph.event(event);
    match tried {
        Tried { ways: 0, older: 0, .. } => 0,
        // Nothing of it is known here.
        _ if graph.generation == Generation::Unknown => places,
        _ => shared_places(graph, event),
    }
}

fn read_thread(from: &mut Reader<'_>) -> Result<Thread, Corrupt> {
    from.number().and_then(|number| u8::try_from(number).map(Thread).map_err(|_| Corrupt))
}

fn read_other(from: &mut Reader<'_>) -> Result<Thread, Corrupt> {
    let thread = read_thread(from)?;
    from.below(1).map(|_| thread)
}

fn write_stamp(event: Stamp, into: &mut Vec<u8>) {
    write(into, event.number().into());
}

fn read_stamp(from: &mut Reader<'_>) -> Result<Stamp, Corrupt> {
    from.number().and_then(stamp)
}

/// Returns the stamp with this number, which must not be near 2³².
fn stamp(number: u64) -> Result<Stamp, Corrupt> {
    let number = u32::try_from(number).ok().filter(|&number| number < u32::MAX - 1).ok_or(Corrupt)?;
    Ok(Stamp::new(number as usize))
}

fn write_tried(tried: Tried, into: &mut Vec<u8>) {
    write_stamp(tried.revisited, into);
    write(into, tried.ways.into());
    write(into, tried.older.into());
}

fn read_tried(from: &mut Reader<'_>) -> Result<Tried, Corrupt> {
    Ok(Tried { revisited: read_stamp(from)?, ways: from.narrow()?, older: from.narrow()? })
}

fn pack(goes: Goes, pieces: &[Piece<'_>], weight: f64) -> Unit {
    let mut bytes = Vec::new();
    write(&mut bytes, u64::from(goes == Goes::Varying));
    write(&mut bytes, pieces.len() as u64);
    let mut before = Outline::EMPTY;
    for piece in pieces {
        let outline = piece.outline();
        outline.write(&before, &mut bytes);
        before = outline;
    }
    Unit { weight, prefixes: bytes }
}

fn read_unit(bytes: &[u8]) -> Result<(Goes, Vec<Outline>), Corrupt> {
    let mut reader = Reader::new(bytes);
    let goes = if reader.below(2)? == 0 { Goes::Running } else { Goes::Varying };
    let mut outlines: Vec<Outline> = Vec::new();
    let first = Outline::EMPTY;
    for _ in 0..reader.count()? {
        let outline = Outline::read(outlines.last().unwrap_or(&first), &mut reader)?;
        outlines.push(outline);
    }
    if outlines.is_empty() || reader.left() > 0 { Err(Corrupt) } else { Ok((goes, outlines)) }
}
