//! An execution graph, as text and as Graphviz: which reads read from which writes, and why no sequentially consistent execution
//! is like it: a shortest cycle of program order (po), reads-from (rf), coherence (co) and from-read (fr), in which the pairs of
//! program order that the model does not keep are marked.

use std::collections::VecDeque;
use std::fmt::Write;

use protocol::{Graph, GraphEnd, GraphEvent, Operation, TraceEvent};

use super::columns::{number, shown};
use super::cycle::{Arrow, Kept};
use super::names::{Threads, short_place};
use crate::text::printable;

/// The reason why one event of a graph comes before another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    /// The event comes first in its thread.
    Program,
    /// The other event reads what this one wrote.
    ReadsFrom,
    /// The other event wrote over what this one wrote.
    Coherence,
    /// The other event wrote over what this one read.
    FromRead,
}

impl Relation {
    fn name(self) -> &'static str {
        match self {
            Relation::Program => "po",
            Relation::ReadsFrom => "rf",
            Relation::Coherence => "co",
            Relation::FromRead => "fr",
        }
    }
}

/// Returns what an event does, in words: `write x = 1`.
fn words(event: &GraphEvent) -> String {
    let target = printable(&event.target);
    let is_bare = matches!(event.operation, Operation::Begin | Operation::End);
    let target = if is_bare { String::new() } else { target };
    let value = |value: Option<u64>, pointee: &str| {
        value.filter(|_| event.width > 0).map(|value| shown(pointee, || number(value, event.width)))
    };
    let (read, written) = (value(event.read, &event.read_pointee), value(event.written, &event.written_pointee));
    match (event.operation, read, written) {
        (Operation::Store, _, Some(written)) => format!("write {target} = {written}"),
        (Operation::Load, Some(read), _) => format!("read {target} = {read}"),
        (Operation::FutexWait, Some(read), _) => format!("futex-wait {target} = {read}"),
        (operation, Some(read), Some(written)) => format!("{operation} {target}: {read} to {written}"),
        (operation, Some(read), None) => format!("{operation} {target} = {read}, no write"),
        (operation, _, _) => format!("{operation} {target}").trim_end().to_string(),
    }
}

/// Returns the place in the coherence order of what an event reads from, 0 for the initial value; none if it does not read.
fn read_rank(graph: &Graph, event: &GraphEvent) -> Option<u32> {
    event.read?;
    let source = event.source.and_then(|source| graph.events.get(usize::try_from(source).ok()?));
    Some(source.map_or(0, |source| source.rank))
}

/// Returns the reason why the event with one index comes directly before that with the other, if it does.
fn relation(graph: &Graph, from: usize, to: usize) -> Option<Relation> {
    let (one, other) = (&graph.events[from], &graph.events[to]);
    if from == to {
        return None;
    }
    if one.thread == other.thread {
        return (one.index < other.index).then_some(Relation::Program);
    }
    if one.location != other.location {
        return None;
    }
    if other.source == u64::try_from(from).ok() {
        return Some(Relation::ReadsFrom);
    }
    if other.rank == 0 {
        return None;
    }
    if one.rank > 0 {
        return (one.rank < other.rank).then_some(Relation::Coherence);
    }
    read_rank(graph, one).filter(|&rank| rank < other.rank).map(|_| Relation::FromRead)
}

/// Returns a shortest cycle e′ →hb* prev →po e →c e′.
fn cycle_through(graph: &Graph, [delayed, previous, overtaking]: [usize; 3]) -> Option<Vec<usize>> {
    let mut path = path(graph, delayed, |at| at == previous)?;
    path.push(overtaking);
    Some(path)
}

/// Returns a shortest path from one event to one that is wanted, both included.
fn path(graph: &Graph, from: usize, is_wanted: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let mut before: Vec<Option<usize>> = vec![None; graph.events.len()];
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        if is_wanted(at) {
            let mut path = vec![at];
            while path.last() != Some(&from) {
                path.push(before[*path.last()?]?);
            }
            path.reverse();
            return Some(path);
        }
        for (next, reached) in before.iter_mut().enumerate() {
            if reached.is_none() && next != from && relation(graph, at, next).is_some() {
                *reached = Some(at);
                open.push_back(next);
            }
        }
    }
    None
}

/// Returns a shortest cycle, as the indices of its events.
fn cycle(graph: &Graph) -> Option<Vec<usize>> {
    (0..graph.events.len()).filter_map(|start| cycle_from(graph, start)).min_by_key(Vec::len)
}

fn cycle_from(graph: &Graph, start: usize) -> Option<Vec<usize>> {
    path(graph, start, |last| relation(graph, last, start).is_some())
}

/// What the second of two events of a thread may overtake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overtaken {
    /// The first event as a whole.
    All,
    /// The write of the first event, a read-modify-write.
    Write,
}

/// Returns what an event of a cycle may be overtaken in by the next one, of the same thread, so that the cycle is allowed. The write
/// of a read-modify-write is enough where the cycle comes to that, and goes on from a read.
fn overtaken(graph: &Graph, cycle: &[usize], position: usize) -> Option<Overtaken> {
    let at = |offset: usize| cycle[(position + offset) % cycle.len()];
    let (before, from, to, behind) = (at(cycle.len() - 1), at(0), at(1), at(2));
    let (first, second) = (&graph.events[from], &graph.events[to]);
    if relation(graph, from, to) != Some(Relation::Program) || first.location == second.location {
        return None;
    }
    if second.overtakes.contains(&first.index) {
        return Some(Overtaken::All);
    }
    let is_to_write = matches!(relation(graph, before, from), Some(Relation::Coherence | Relation::FromRead));
    let is_from_read = second.rank == 0 || relation(graph, to, behind) == Some(Relation::FromRead);
    (is_to_write && is_from_read && second.passes_writes.contains(&first.index)).then_some(Overtaken::Write)
}

/// Returns the pairs of accesses of a thread that come in another order than the program's in a shortest cycle of a graph: `store
/// of x (sb.c:8) before load of y (sb.c:9)`.
pub(crate) fn relaxed_orders(graph: &Graph) -> Vec<String> {
    let Some(cycle) = cycle(graph) else { return Vec::new() };
    let told = |event: &GraphEvent| {
        let of = if event.target.is_empty() { "" } else { " of " };
        format!("{}{of}{} ({})", event.operation, event.target, short_place(&event.place))
    };
    let pair = |position: usize| {
        let half = match overtaken(graph, &cycle, position)? {
            Overtaken::All => "",
            Overtaken::Write => "write of the ",
        };
        let [first, second] = [position, (position + 1) % cycle.len()].map(|at| &graph.events[cycle[at]]);
        Some(format!("{half}{} before {}", told(first), told(second)))
    };
    (0..cycle.len()).filter_map(pair).collect()
}

/// Returns the order in which the events are shown: each thread in program order and, where that is possible, a read after the
/// write that it reads from. What the kernel does for a call beside that is left out, unless it is on the cycle.
pub(crate) fn rows(graph: &Graph) -> Vec<usize> {
    let mut left: Vec<usize> = (0..graph.events.len()).collect();
    left.sort_by_key(|&index| (graph.events[index].thread, graph.events[index].index));
    let mut rows: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let is_next = |position: &usize| {
            let event = &graph.events[left[*position]];
            !left[..*position].iter().any(|&other| graph.events[other].thread == event.thread)
        };
        let is_ready = |position: &usize| {
            let source = graph.events[left[*position]].source.and_then(|source| usize::try_from(source).ok());
            source.is_none_or(|source| rows.contains(&source))
        };
        let mut next = (0..left.len()).filter(is_next);
        let first = next.clone().next().unwrap_or(0);
        let position = next.find(is_ready).unwrap_or(first);
        rows.push(left.remove(position));
    }
    let cycle = cycle(graph).unwrap_or_default();
    rows.retain(|index| graph.events[*index].operation != Operation::FutexQueue || cycle.contains(index));
    rows
}

/// Returns the edges of the cycle that [`in_words`] tells.
pub(crate) fn arrows(graph: &Graph, marks: Option<[usize; 3]>) -> Vec<Arrow> {
    let cycle = marks.map_or_else(|| cycle(graph), |marks| cycle_through(graph, marks)).unwrap_or_default();
    let arrow = |position: usize| {
        let (from, to) = (cycle[position], cycle[(position + 1) % cycle.len()]);
        let relation = relation(graph, from, to)?;
        let kept = if overtaken(graph, &cycle, position).is_some() { Kept::No } else { Kept::Yes };
        Some(Arrow { from, to, relation: relation.name(), kept })
    };
    (0..cycle.len()).filter_map(arrow).collect()
}

/// Returns the index of the event that may take effect after the end that the graph is about.
fn late(graph: &Graph) -> Option<usize> {
    graph.end.as_ref().and_then(|end| usize::try_from(end.late).ok()).filter(|&late| late < graph.events.len())
}

/// Returns who ends something and where, in words: `T2 free (count.c:10)`.
fn end_in_words(end: &GraphEnd, threads: Threads) -> String {
    format!("{} {} ({})", threads.name(end.thread), printable(end.operation.name()), short_place(&end.place))
}

/// Returns the end that the graph is about as the event with the number behind all others, and the row that it has among these.
pub(crate) fn end(graph: &Graph, rows: &[usize]) -> Option<(TraceEvent, usize)> {
    let end = graph.end.as_ref()?;
    let is_earlier = |&index: &usize| {
        let event = &graph.events[index];
        event.thread == end.thread && event.index < end.index
    };
    let row = rows.iter().rposition(is_earlier).map_or(0, |last| last + 1);
    let event = TraceEvent {
        thread: end.thread,
        place: end.place.clone(),
        function: end.function.clone(),
        operation: end.operation,
        target: String::new(),
        address: 0,
        width: 0,
        read: None,
        written: None,
        read_pointee: String::new(),
        written_pointee: String::new(),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending: Vec::new(),
    };
    Some((event, row))
}

/// Returns the reason why the execution is not sequentially consistent, or that it is; if something may be used behind its end, that.
///
/// The cycle is a shortest one through the events e′, prev and e, if these are given.
pub(crate) fn in_words(graph: &Graph, marks: Option<[usize; 3]>, threads: Threads) -> String {
    let mut text = String::new();
    let name = |index: usize| {
        let event = &graph.events[index];
        format!("#{index} {} {} ({})", threads.name(event.thread), words(event), short_place(&event.place))
    };
    if let (Some(end), Some(late)) = (&graph.end, late(graph)) {
        let end = format!("#{} {}", graph.events.len(), end_in_words(end, threads));
        let (late, model) = (name(late), graph.model.title());
        let _ = writeln!(text, "  nothing orders {late} before {end} under {model}: it may take effect after that");
    }
    let Some(cycle) = marks.map_or_else(|| cycle(graph), |marks| cycle_through(graph, marks)) else {
        if graph.end.is_none() {
            let _ = writeln!(text, "  a sequentially consistent execution is like it");
        }
        return text;
    };
    let _ = writeln!(text, "  why no sequentially consistent execution is like it, under {}:", graph.model.title());
    for (position, &from) in cycle.iter().enumerate() {
        let to = cycle[(position + 1) % cycle.len()];
        let Some(relation) = relation(graph, from, to) else { continue };
        let overtaken = overtaken(graph, &cycle, position);
        let why = match relation {
            Relation::Program if overtaken == Some(Overtaken::All) => {
                "comes first in the program, but need not take effect first:"
            }
            Relation::Program if overtaken == Some(Overtaken::Write) => {
                "comes first in the program, but its write need not take effect first:"
            }
            Relation::Program => "comes first in the program, before",
            Relation::ReadsFrom => "is read by",
            Relation::Coherence => "is overwritten by",
            Relation::FromRead => "reads what is overwritten by",
        };
        let mark = if overtaken.is_some() { "!" } else { " " };
        let _ = writeln!(text, "  {mark} {}  {} {why} {}", relation.name(), name(from), name(to));
    }
    text
}

/// Returns the graph for Graphviz: a cluster for each thread, po within, rf, co and fr between; the edges of the cycle in red,
/// dashed where the model lets the second event take effect first.
pub(crate) fn dot(graph: &Graph, threads: Threads) -> String {
    let quote = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = String::from("digraph execution {\n  node [shape=box, fontname=monospace];\n");
    let mut numbers: Vec<u32> = graph.events.iter().map(|event| event.thread).collect();
    numbers.sort_unstable();
    numbers.dedup();
    for thread in numbers {
        let _ = writeln!(text, "  subgraph cluster_{thread} {{\n    label=\"{}\";", threads.name(thread));
        let mut own: Vec<usize> = (0..graph.events.len()).filter(|&at| graph.events[at].thread == thread).collect();
        own.sort_by_key(|&at| graph.events[at].index);
        for &at in &own {
            let event = &graph.events[at];
            let label = format!("#{at} {}\\n{}", quote(&words(event)), quote(&short_place(&event.place)));
            let _ = writeln!(text, "    e{at} [label=\"{label}\"];");
        }
        for pair in own.windows(2) {
            let _ = writeln!(text, "    e{} -> e{} [label=po];", pair[0], pair[1]);
        }
        text.push_str("  }\n");
    }
    let cycle = cycle(graph).unwrap_or_default();
    let on_cycle = |from: usize, to: usize| {
        cycle.iter().enumerate().any(|(at, &one)| one == from && cycle[(at + 1) % cycle.len()] == to)
    };
    for (from, to) in (0..graph.events.len()).flat_map(|from| (0..graph.events.len()).map(move |to| (from, to))) {
        let Some(relation) = relation(graph, from, to) else { continue };
        if relation == Relation::Program {
            let is_overtaken = |(at, &one): (usize, &usize)| one == from && overtaken(graph, &cycle, at).is_some();
            if on_cycle(from, to) && cycle.iter().enumerate().any(is_overtaken) {
                let _ =
                    writeln!(text, "  e{from} -> e{to} [label=reordered, constraint=false, color=red, style=dashed];");
            }
            continue;
        }
        let direct = relation == Relation::ReadsFrom || is_next(graph, from, to);
        if direct || on_cycle(from, to) {
            let color = if on_cycle(from, to) { ", color=red" } else { "" };
            let _ = writeln!(text, "  e{from} -> e{to} [label={}, constraint=false{color}];", relation.name());
        }
    }
    text.push_str("}\n");
    text
}

/// Whether nothing was written between two events at a location; edges that follow from others are not drawn.
fn is_next(graph: &Graph, from: usize, to: usize) -> bool {
    let (one, other) = (&graph.events[from], &graph.events[to]);
    let rank = if one.rank > 0 { one.rank } else { read_rank(graph, one).unwrap_or(0) };
    other.rank == rank + 1
}

#[cfg(test)]
mod tests {
    use protocol::{Code, Graph, GraphEnd, GraphEvent, MemoryModel, Operation, Place};

    use super::{dot, end, in_words, relaxed_orders, rows};
    use crate::report::names::Threads;

    fn event(thread: u32, index: u32, target: &str, location: u32) -> GraphEvent {
        GraphEvent {
            thread,
            index,
            place: Place::new("sb.c".to_string(), 10 * thread + index, 1),
            function: String::new(),
            operation: Operation::Load,
            target: target.to_string(),
            address: 64 + 4 * u64::from(location),
            width: 4,
            read: Some(0),
            written: None,
            read_pointee: String::new(),
            written_pointee: String::new(),
            location,
            source: None,
            rank: 0,
            overtakes: (0..index).collect(),
            passes_writes: Vec::new(),
        }
    }

    fn store(thread: u32, index: u32, target: &str, location: u32) -> GraphEvent {
        let load = event(thread, index, target, location);
        GraphEvent { operation: Operation::Store, read: None, written: Some(1), rank: 1, ..load }
    }

    fn store_buffering() -> Graph {
        let events = vec![store(1, 0, "x", 0), event(1, 1, "y", 1), store(2, 0, "y", 1), event(2, 1, "x", 0)];
        Graph { model: MemoryModel::Tso, code: Code::default(), events, end: None }
    }

    #[test]
    fn the_cycle_of_store_buffering() {
        let text = in_words(&store_buffering(), None, Threads::Created);
        assert_eq!(
            text,
            "  why no sequentially consistent execution is like it, under TSO:\n\
             \x20 ! po  #0 T1 write x = 1 (sb.c:10) comes first in the program, but need not take effect first: #1 T1 read y = 0 (sb.c:11)\n\
             \x20   fr  #1 T1 read y = 0 (sb.c:11) reads what is overwritten by #2 T2 write y = 1 (sb.c:20)\n\
             \x20 ! po  #2 T2 write y = 1 (sb.c:20) comes first in the program, but need not take effect first: #3 T2 read x = 0 (sb.c:21)\n\
             \x20   fr  #3 T2 read x = 0 (sb.c:21) reads what is overwritten by #0 T1 write x = 1 (sb.c:10)\n"
        );
        let dot = dot(&store_buffering(), Threads::Created);
        assert!(dot.contains("e1 -> e2 [label=fr, constraint=false, color=red];"), "{dot}");
        assert!(dot.contains("e0 -> e1 [label=reordered, constraint=false, color=red, style=dashed];"), "{dot}");
    }

    /// One of the threads has a fence between its two accesses: R, the other one's need not.
    #[test]
    fn a_pair_that_the_model_keeps_is_not_marked() {
        let mut graph = store_buffering();
        graph.events[1].overtakes.clear();
        let text = in_words(&graph, None, Threads::Declared);
        assert!(
            text.contains("\n    po  #0 P1 write x = 1 (sb.c:10) comes first in the program, before #1 "),
            "{text}"
        );
        assert!(text.contains("\n  ! po  #2 P2 write y = 1 (sb.c:20) comes first in the program, but "), "{text}");
        assert!(!dot(&graph, Threads::Declared).contains("e0 -> e1 [label=reordered"));
    }

    /// Exchanges in the place of the stores, whose reads the loads behind them may not overtake.
    #[test]
    fn the_write_of_an_exchange_may_be_overtaken_alone() {
        let mut graph = store_buffering();
        for at in [0, 2] {
            graph.events[at].operation = Operation::Exchange;
            graph.events[at].read = Some(0);
            graph.events[at + 1].overtakes.clear();
            graph.events[at + 1].passes_writes = vec![0];
        }
        let text = in_words(&graph, None, Threads::Created);
        let words = "\n  ! po  #2 T2 exchange y: 0 to 1 (sb.c:20) comes first in the program, but its write need not take effect \
                     first: #3 T2 read x = 0 (sb.c:21)\n";
        assert!(text.contains(words), "{text}");
        assert_eq!(relaxed_orders(&graph)[0], "write of the exchange of x (sb.c:10) before load of y (sb.c:11)");
        assert!(dot(&graph, Threads::Created).contains("e0 -> e1 [label=reordered"));
        // Behind what a read reads, the whole exchange comes first.
        graph.events[1].passes_writes.clear();
        assert!(!in_words(&graph, None, Threads::Created).contains("! po  #0"));
    }

    #[test]
    fn an_ordinary_execution_has_no_cycle() {
        let mut graph = store_buffering();
        graph.events[3].source = Some(0);
        assert_eq!(in_words(&graph, None, Threads::Created), "  a sequentially consistent execution is like it\n");
    }

    #[test]
    fn an_end_that_comes_too_early_is_told_and_shown_behind_its_thread() {
        let mut graph = store_buffering();
        graph.events[3].source = Some(0);
        let place = Place::new("sb.c".to_string(), 30, 1);
        let (function, operation) = (String::new(), Operation::Free);
        graph.end = Some(GraphEnd { thread: 2, index: 1, place, function, operation, late: 0 });
        assert_eq!(
            in_words(&graph, None, Threads::Created),
            "  nothing orders #0 T1 write x = 1 (sb.c:10) before #4 T2 free (sb.c:30) under TSO: it may take effect after that\n"
        );
        let (event, row) = end(&graph, &[0, 1, 2, 3]).unwrap();
        assert_eq!((event.thread, event.operation, row), (2, Operation::Free, 3));
    }

    #[test]
    fn reads_are_shown_after_what_they_read() {
        let mut graph = store_buffering();
        graph.events[1].source = Some(2);
        assert_eq!(rows(&graph), [0, 2, 1, 3]);
    }
}
