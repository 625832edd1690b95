//! The units of the explorer `dpor`: what is left of a search, packed so that another one can take it up.
//!
//! What is still to be run is a stack of graphs, and of each of them the alternatives of its events from the last one
//! down to its bottom. A graph says by itself what is below it, and so does a *piece* of one: a part of its events, with
//! those above it taken away. What a piece says of its events means the same in every process: their threads, their
//! order, what has been tried, and no numbers of locations or objects. So before a piece is varied, the execution up to
//! there is repeated (it is counted by nobody), from which all else is taken anew.
//!
//! A unit is a stack of pieces. Those that are next are together in one unit; the events at the bottom of the stack,
//! below which most is left, are a unit each.

use super::graph::{Event, Expected, Graph, Mark, NONE, Split, Tried, What, Writes};
use crate::event::Thread;
use crate::explore::packed::{Corrupt, Reader, write};
use crate::explore::slice::Unit;

/// So many of the events at the bottom of the stack that may have alternatives are units of their own.
const CUTS: usize = 16;

/// The generation of a graph of which no event is known to this process.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// How a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goes {
    /// The execution is to be run.
    Running,
    /// It has been run: with the alternatives of its last event.
    Varying,
}

/// A part of a graph of the stack: the events below `from` are not to be varied, those from `to` on are taken away.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    graph: &'a Graph,
    from: u32,
    to: u32,
}

/// What is packed of a graph.
#[derive(Clone, PartialEq, Debug, Default)]
struct Outline {
    events: Vec<Shape>,
    order: Vec<u32>,
    splits: Vec<Split>,
    marks: Vec<Mark>,
    fixed: u32,
    bottom: u32,
    moved: [Option<u32>; 2],
    expects: Option<Expected>,
}

/// What is packed of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shape {
    thread: Thread,
    what: What,
    depends: bool,
    tried: Tried,
    /// How many places it shares with events added before, if some of its alternatives were tried: they are numbered by
    /// its places.
    places: u32,
}

/// The unit of a whole search.
pub(super) fn whole() -> Unit {
    let empty = Graph::default();
    pack(Goes::Running, &[Piece { graph: &empty, from: 0, to: 0 }], 1.0)
}

/// Whether a unit can be drawn.
pub(super) fn check(unit: &Unit) -> Result<(), Corrupt> {
    read_unit(&unit.prefixes).map(drop)
}

/// Draws the graphs of a unit that has been checked, the next one last, into graphs that `spare` gives.
pub(super) fn draw(unit: &Unit, mut spare: impl FnMut() -> Graph) -> (Goes, Vec<Graph>) {
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

/// Cuts a search of this weight that is under way, from its deep end on. The graphs of its stack are given from the bottom
/// up.
pub(super) fn cut(stack: &[&Graph], last: Last, weight: f64) -> Vec<Unit> {
    let mut single = Vec::new();
    let mut deep = Vec::new();
    for &graph in stack {
        let mut from = graph.bottom;
        if graph.generation != UNKNOWN {
            for index in (graph.bottom..graph.length()).filter(|&index| may_vary(graph, index)) {
                if single.len() == CUTS {
                    break;
                }
                single.push(Piece { graph, from: index, to: index + 1 });
                from = index + 1;
            }
        }
        if graph.generation == UNKNOWN || single.len() == CUTS {
            deep.extend(pieces(graph, from));
        }
    }
    let again = stack.last().filter(|_| last == Last::RunsAgain);
    let again = again.map(|graph| Piece { graph, from: graph.length(), to: graph.length() });
    let open = single.len() + usize::from(!deep.is_empty() || again.is_some());
    // As if each of them had one alternative left, below which is as much as above.
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

/// The graph from this event on, cut where a thread that cannot go on is kept: others of that kind are of no use then.
fn pieces(graph: &Graph, from: u32) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    if graph.generation == UNKNOWN {
        return vec![Piece { graph, from, to: graph.length() }];
    }
    for index in from..graph.length() {
        let performed = graph.event(index).what.is_performed();
        match pieces.last_mut() {
            Some(last) if performed && graph.event(last.to - 1).what.is_performed() => last.to = index + 1,
            _ => pieces.push(Piece { graph, from: index, to: index + 1 }),
        }
    }
    pieces
}

/// Whether the event may have alternatives left.
fn may_vary(graph: &Graph, index: u32) -> bool {
    let event = graph.event(index);
    let earlier = || graph.events[..index as usize].iter().enumerate();
    let shares = |other: &Event| other.bits & event.bits != 0 && other.thread != event.thread;
    let overtakes = || {
        let tried = event.tried.overtaken as usize;
        earlier().any(|(at, other)| at < tried && shares(other))
    };
    let reads_older = || earlier().any(|(_, other)| other.writes() && shares(other));
    match event.what {
        What::Value { value, count } => value + 1 < count,
        What::Leave | What::Local | What::Create(_) | What::Join(_) => false,
        What::Read | What::Write | What::Stuck | What::Asleep(_) => overtakes() || reads_older(),
    }
}

impl Piece<'_> {
    /// Its events but those of threads that cannot go on, of which only the last one can be varied.
    fn outline(&self) -> Outline {
        let &Self { graph, from, to } = self;
        if graph.generation == UNKNOWN {
            return Outline::of(graph, from, to);
        }
        let varies = from < to;
        let last = to.checked_sub(1).filter(|_| varies);
        // The last one stands where it was added: whether it can stand where it reads something older may not be known.
        let older = graph.splits.iter().any(|split| Some(split.index) == last);
        let kept = |index: u32| {
            let event = graph.event(index);
            event.what.is_performed() && !(older && Some(index) == last && event.slept)
        };
        let mut numbers = vec![NONE; to as usize];
        let mut counts = vec![0; to as usize + 1];
        let mut outline = Outline::default();
        for index in 0..to {
            let number = outline.events.len() as u32;
            counts[index as usize] = number;
            if kept(index) {
                numbers[index as usize] = number;
                outline.events.push(Shape::of(graph, index));
            }
        }
        counts[to as usize] = outline.events.len() as u32;
        let before = |index: u32| counts[index.min(to) as usize];
        for shape in &mut outline.events {
            shape.tried.overtaken = before(shape.tried.overtaken);
        }
        if let Some(last) = last.filter(|&last| !kept(last)) {
            let (event, index) = (graph.event(last), last);
            let tried = Tried { overtaken: before(event.tried.overtaken), ..event.tried };
            outline.expects = Some(Expected { thread: event.thread, tried, places: places(graph, index) });
        }
        let stays = |index: &u32| *index < to && kept(*index);
        let number = |index: u32| numbers[index as usize];
        let standing = last.filter(|&last| older && kept(last));
        let order = graph.order_before(if older { to - 1 } else { to });
        outline.order = order.into_iter().chain(standing).map(number).collect();
        let varied = from..if older { to - 1 } else { to };
        let splits = graph.splits.iter().filter(|split| varied.contains(&split.index));
        outline.splits = splits.map(|split| Split { index: number(split.index), ..split.clone() }).collect();
        let mark = |mark: &Mark| {
            let at = if mark.present { number(mark.at) } else { before(mark.at) };
            Mark { at, by: number(mark.by), ..*mark }
        };
        outline.marks = graph.marks.iter().map(mark).collect();
        outline.fixed = before(graph.fixed);
        outline.bottom = before(from);
        // What is repeated is as it was.
        let moved = |index: u32| Some(index).filter(|index| !varies && stays(index)).map(number);
        outline.moved = graph.moved.map(moved);
        outline
    }
}

impl Outline {
    /// Of a graph of which nothing is known but its outline.
    fn of(graph: &Graph, from: u32, to: u32) -> Self {
        Self {
            events: (0..graph.length()).map(|index| Shape::of(graph, index)).collect(),
            order: graph.order.clone(),
            splits: graph.splits.clone(),
            marks: graph.marks.clone(),
            fixed: graph.fixed,
            bottom: from,
            moved: graph.moved.map(|index| Some(index).filter(|&index| index != NONE && from == to)),
            expects: graph.expects,
        }
    }

    /// Makes `graph` a graph of this outline.
    fn draw(&self, graph: &mut Graph) {
        graph.clear();
        for shape in &self.events {
            graph.sketch(shape.thread, shape.what, if shape.depends { Writes::Over(None) } else { Writes::Surely });
            let event = graph.events.last_mut().expect("it was just added");
            (event.tried, event.places) = (shape.tried, shape.places);
        }
        graph.order.clone_from(&self.order);
        graph.splits.clone_from(&self.splits);
        graph.marks.clone_from(&self.marks);
        (graph.fixed, graph.bottom, graph.expects) = (self.fixed, self.bottom, self.expects);
        graph.moved = self.moved.map(|index| index.unwrap_or(NONE));
        graph.generation = UNKNOWN;
    }

    /// Whether numbers mean events, and the order is one.
    fn check(self) -> Result<Self, Corrupt> {
        let length = self.events.len();
        let is_event = |index: u32| (index as usize) < length;
        let mut stands = vec![false; length];
        let ordered =
            self.order.iter().all(|&index| is_event(index) && !std::mem::replace(&mut stands[index as usize], true));
        let marked =
            self.marks.iter().all(|mark| is_event(mark.by) && mark.at as usize <= length - usize::from(mark.present));
        let moved = self.moved.iter().flatten().all(|&index| is_event(index));
        let known = self.fixed as usize <= length && self.bottom as usize <= length;
        // Those below are not varied, and may speak of a graph that had more events.
        let mut varied = self.events.iter().zip(0..).skip(self.bottom as usize);
        let tried = varied.all(|(shape, index)| shape.tried.overtaken <= index);
        let mut order = self.order.clone();
        let mut above = length;
        let split = self.splits.iter().rev().all(|split| {
            let index = split.index as usize;
            let falls = (self.bottom as usize..above).contains(&index) && split.fits(&order);
            if falls {
                split.undo(&mut order, &mut Vec::new());
                order.retain(|&other| (other as usize) < index);
                above = index;
            }
            falls
        });
        if split && ordered && self.order.len() == length && marked && moved && known && tried {
            Ok(self)
        } else {
            Err(Corrupt)
        }
    }

    /// Appends it, but for what it has in common with the one before it.
    fn write(&self, before: &Self, into: &mut Vec<u8>) {
        let common = self.events.iter().zip(&before.events).take_while(|(new, old)| new == old).count();
        write(into, common as u64);
        write(into, (self.events.len() - common) as u64);
        self.events[common..].iter().for_each(|shape| shape.write(into));
        let common = self.order.iter().zip(&before.order).take_while(|(new, old)| new == old).count();
        write(into, common as u64);
        write(into, (self.order.len() - common) as u64);
        self.order[common..].iter().for_each(|&index| write(into, index.into()));
        write(into, self.splits.len() as u64);
        for split in &self.splits {
            write(into, split.index.into());
            write(into, split.follows.len() as u64);
            let bits = |part: &[bool]| part.iter().rev().fold(0, |bits, &follows| bits << 1 | u8::from(follows));
            into.extend(split.follows.chunks(8).map(bits));
        }
        write(into, self.marks.len() as u64);
        for mark in &self.marks {
            write(into, u64::from(mark.at) << 1 | u64::from(mark.present));
            write(into, mark.by.into());
            write(into, mark.rank);
            write(into, mark.anew.map_or(0, |(thread, _)| u64::from(thread.0) + 1));
            mark.anew.iter().for_each(|&(_, tick)| write(into, tick.into()));
        }
        write(into, self.fixed.into());
        write(into, self.bottom.into());
        self.moved.iter().for_each(|moved| write(into, moved.map_or(0, |index| u64::from(index) + 1)));
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
            order.push(from.narrow()?);
        }
        let mut splits = Vec::new();
        for _ in 0..from.count()? {
            let (index, length) = (from.narrow()?, from.narrow()? as usize);
            let bytes = from.bytes(length.div_ceil(8))?;
            let follows = (0..length).map(|at| bytes[at / 8] >> (at % 8) & 1 == 1).collect();
            splits.push(Split { index, follows });
        }
        let mut marks = Vec::new();
        for _ in 0..from.count()? {
            let at = from.number()?;
            let present = at & 1 == 1;
            let at = u32::try_from(at >> 1).map_err(|_| Corrupt)?;
            let (by, rank) = (from.narrow()?, from.number()?);
            let anew = match from.number()?.checked_sub(1) {
                None => None,
                Some(thread) => Some((Thread(u8::try_from(thread).map_err(|_| Corrupt)?), from.narrow()?)),
            };
            marks.push(Mark { at, present, by, rank, anew });
        }
        let (fixed, bottom) = (from.narrow()?, from.narrow()?);
        let moved = [from.narrow()?.checked_sub(1), from.narrow()?.checked_sub(1)];
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
    fn of(graph: &Graph, index: u32) -> Self {
        let &Event { thread, what, writes, tried, .. } = graph.event(index);
        Self { thread, what, depends: writes != Writes::Surely, tried, places: places(graph, index) }
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
            _ => return Err(Corrupt),
        };
        let depends = flags & 1 == 1;
        Ok(Self { thread, what, depends, tried: read_tried(from)?, places: from.narrow()? })
    }
}

/// How many of the places by which its alternatives are numbered matter, if some were tried; else 0.
fn places(graph: &Graph, index: u32) -> u32 {
    let event = graph.event(index);
    match event.tried {
        Tried { ways: 0, older: 0, .. } => 0,
        // Nothing of it is known here.
        _ if graph.generation == UNKNOWN => event.places,
        _ => graph.shared_places(index),
    }
}

fn read_thread(from: &mut Reader<'_>) -> Result<Thread, Corrupt> {
    from.number().and_then(|number| u8::try_from(number).map(Thread).map_err(|_| Corrupt))
}

fn read_other(from: &mut Reader<'_>) -> Result<Thread, Corrupt> {
    let thread = read_thread(from)?;
    from.below(1).map(|_| thread)
}

fn write_tried(tried: Tried, into: &mut Vec<u8>) {
    for number in [tried.overtaken, tried.ways, tried.older] {
        write(into, number.into());
    }
}

fn read_tried(from: &mut Reader<'_>) -> Result<Tried, Corrupt> {
    Ok(Tried { overtaken: from.narrow()?, ways: from.narrow()?, older: from.narrow()? })
}

fn pack(goes: Goes, pieces: &[Piece<'_>], weight: f64) -> Unit {
    let mut bytes = Vec::new();
    write(&mut bytes, u64::from(goes == Goes::Varying));
    write(&mut bytes, pieces.len() as u64);
    let mut before = Outline::default();
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
    let first = Outline::default();
    for _ in 0..reader.count()? {
        let outline = Outline::read(outlines.last().unwrap_or(&first), &mut reader)?;
        outlines.push(outline);
    }
    if outlines.is_empty() || reader.left() > 0 { Err(Corrupt) } else { Ok((goes, outlines)) }
}
