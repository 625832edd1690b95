//! The execution as a table: one event a row, one column a thread, and a lane with what still waits in the store
//! buffers of the simulated machine.
//!
//! Where the columns of all threads do not fit, one column serves them all and the thread's name leads each event.

use std::collections::BTreeSet;

use owo_colors::{OwoColorize, Style};
use protocol::{Operation, TraceEvent};

use super::names::{Threads, short_place};
use crate::screen::Width;
use crate::text::printable;

/// The length up to which executions are shown whole.
const SHORT: usize = 24;
/// The number of rows shown before and after one that matters.
const CONTEXT: usize = 1;
/// The number of rows shown at the end of an execution that failed there.
const TAIL: usize = 8;
/// The least width of the lane, which is cut off where it passes the end of a terminal's line.
const LANE: usize = 40;

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    /// An event, by its index.
    Event(usize),
    /// This many events are left out.
    Elided(usize),
}

/// The store buffers that the lane shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lane {
    /// The monitor's index in [`TraceEvent::pending`].
    pub(crate) monitor: usize,
    /// The lane's heading.
    pub(crate) heading: String,
}

/// The execution that is shown, and how.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    /// The execution.
    pub(crate) events: &'a [TraceEvent],
    /// The indices of e′, prev and e.
    pub(crate) marks: Option<[usize; 3]>,
    /// The last column.
    pub(crate) lane: Option<Lane>,
    /// The names of the threads.
    pub(crate) threads: Threads,
}

/// A piece of a line and the width it is padded to.
struct PaddedText {
    text: String,
    width: usize,
    style: Style,
}

/// The widths of the columns.
struct Layout {
    index: usize,
    place: usize,
    /// The threads with a column each, in order, or none where all share one.
    threads: Vec<(u32, usize)>,
    shared: usize,
    lane: usize,
}

/// Returns the rows worth showing: all of a short execution, or else those to keep, with their neighbours. `end` is where the
/// story ends: later events are left out.
pub(crate) fn pick(end: usize, length: usize, keep: &BTreeSet<usize>) -> Vec<Row> {
    let shown = |index: usize| {
        let near = keep.range(index.saturating_sub(CONTEXT)..=index + CONTEXT).next().is_some();
        index < end && (end <= SHORT || near || index < 2 || (end == length && index + TAIL >= end))
    };
    let mut rows = Vec::new();
    let mut hidden = 0;
    for index in 0..length {
        if !shown(index) {
            hidden += 1;
            continue;
        }
        match hidden {
            0 => {}
            // One row of text says more than one row that says that a row is missing.
            1 => rows.push(Row::Event(index - 1)),
            _ => rows.push(Row::Elided(hidden)),
        }
        hidden = 0;
        rows.push(Row::Event(index));
    }
    if hidden > 0 {
        rows.push(Row::Elided(hidden));
    }
    rows
}

/// Returns the place of an event; that a thread begins or ends has no place in its source.
fn standing(event: &TraceEvent) -> String {
    let is_nowhere = event.place.file.is_empty() && matches!(event.operation, Operation::Begin | Operation::End);
    if is_nowhere { String::new() } else { short_place(&event.place) }
}

/// Returns what an event does in a few words: `write x = 1`, `read y = 0`, `exchange l: 0 to 1`, `lock m`.
pub(crate) fn event_words(event: &TraceEvent) -> String {
    let target = printable(&event.target);
    let (read, written) = (read(event), written(event));
    match (event.operation, read, written) {
        (Operation::Store, _, Some(written)) => format!("write {target} = {written}"),
        (Operation::Load, Some(read), _) => format!("read {target} = {read}"),
        (Operation::FutexWait, Some(read), _) => format!("futex-wait {target} = {read}"),
        (operation, Some(read), Some(written)) => {
            format!("{operation} {target}: {read} to {written}")
        }
        (operation, Some(read), None) => format!("{operation} {target} = {read}, no write"),
        (operation, None, Some(written)) => format!("{operation} {target} = {written}"),
        (Operation::Create(thread) | Operation::Join(thread), None, None) => {
            format!("{} {}", event.operation, Threads::Created.name(thread.0.into()))
        }
        (operation, None, None) => format!("{operation} {target}").trim_end().to_string(),
    }
}

/// Returns a store that waits in a buffer: `x=1`.
pub(crate) fn waiting_words(store: &TraceEvent) -> String {
    let value = written(store).map_or_else(String::new, |value| format!("={value}"));
    format!("{}{value}", printable(&store.target))
}

/// Returns the value that an event reads.
fn read(event: &TraceEvent) -> Option<String> {
    event.read.map(|low| shown(&event.read_pointee, || wide_number(low, &event.read_above, event.width)))
}

/// Returns the value that an event writes.
fn written(event: &TraceEvent) -> Option<String> {
    event.written.map(|low| shown(&event.written_pointee, || wide_number(low, &event.written_above, event.width)))
}

/// Returns a value as text: the name of what it points to, if that has one, or else a number.
pub(crate) fn shown(pointee: &str, number: impl FnOnce() -> String) -> String {
    if pointee.is_empty() { number() } else { printable(pointee) }
}

/// Returns a number of any width as text, given its lowest eight bytes and those above.
fn wide_number(low: u64, above: &[u64], width: u32) -> String {
    let Some(highest) = above.iter().rposition(|&word| word > 0) else { return number(low, width) };
    let rest = above[..highest].iter().rev().chain([&low]).map(|word| format!("{word:016x}"));
    format!("{:#x}{}", above[highest], rest.collect::<String>())
}

/// Returns a number as text: a small one in decimal, signed if that is shorter, and others, above all addresses, in hexadecimal.
pub(crate) fn number(value: u64, width: u32) -> String {
    const SMALL: u64 = 1_000_000;
    let bits = (width.clamp(1, 8) * 8).min(64);
    let shift = 64 - bits;
    let signed = (value << shift).cast_signed() >> shift;
    if value < SMALL {
        value.to_string()
    } else if bits > 8 && signed < 0 && signed.unsigned_abs() < SMALL {
        signed.to_string()
    } else {
        format!("{value:#x}")
    }
}

impl Table<'_> {
    /// Returns the heading and the rows, each as a line.
    pub(crate) fn lines(&self, rows: &[Row], width: Width) -> Vec<String> {
        let layout = self.layout(rows, width);
        let mut lines = vec![self.heading(&layout)];
        lines.extend(rows.iter().map(|row| match row {
            Row::Event(index) => self.row(*index, &layout),
            Row::Elided(1) => format!("{}", "       … 1 more event".dimmed()),
            Row::Elided(count) => format!("{}", format!("       … {count} more events").dimmed()),
        }));
        lines
    }

    fn layout(&self, rows: &[Row], width: Width) -> Layout {
        let shown: Vec<usize> = rows
            .iter()
            .filter_map(|row| match row {
                Row::Event(index) => Some(*index),
                Row::Elided(_) => None,
            })
            .collect();
        let widest =
            |cell: &dyn Fn(usize) -> String| shown.iter().map(|index| length(&cell(*index))).max().unwrap_or(0);
        let index = self.events.len().saturating_sub(1).to_string().len().max(2);
        let place = widest(&|index| standing(&self.events[index]));
        let whole =
            widest(&|index| self.pending(index)).max(self.lane.as_ref().map_or(0, |lane| length(&lane.heading)));
        let lane = whole.min(LANE);
        let numbers: BTreeSet<u32> = shown.iter().map(|index| self.events[*index].thread).collect();
        let natural = |thread: u32| {
            let cells = shown.iter().filter(|index| self.events[**index].thread == thread);
            let widest = cells.map(|index| length(&event_words(&self.events[*index]))).max().unwrap_or(0);
            widest.max(length(&self.threads.name(thread)))
        };
        let mut threads: Vec<(u32, usize)> = numbers.into_iter().map(|thread| (thread, natural(thread))).collect();
        // Around the threads' columns there are two spaces, a mark and a space, and two spaces between columns.
        let room = width.columns().saturating_sub(7 + index + 2 + place + 2 + lane);
        let taken = |threads: &[(u32, usize)]| threads.iter().map(|(_, width)| width + 2).sum::<usize>();
        if taken(&threads) > room {
            threads.clear();
        }
        let shared = shown.iter().map(|index| length(&self.shared_cell(*index))).max().unwrap_or(0);
        // The lane gets the room that the threads leave.
        let events = if threads.is_empty() { shared + 2 } else { taken(&threads) };
        let lane = match width {
            Width::Terminal(_) => lane.max(room.saturating_sub(events) + lane),
            Width::Unlimited => whole,
        };
        Layout { index, place, threads, shared, lane }
    }

    fn heading(&self, layout: &Layout) -> String {
        let style = Style::new().bold();
        let cell = |text: &str, width| PaddedText { text: text.to_string(), width, style };
        let mut cells = vec![cell("", 4), cell(&format!("{:>1$}", "#", layout.index), layout.index)];
        cells.push(cell("at", layout.place));
        if layout.threads.is_empty() {
            cells.push(cell("event", layout.shared));
        }
        cells.extend(layout.threads.iter().map(|(thread, width)| cell(&self.threads.name(*thread), *width)));
        cells.push(cell(self.lane.as_ref().map_or("", |lane| &lane.heading), layout.lane));
        join(cells)
    }

    fn row(&self, index: usize, layout: &Layout) -> String {
        let event = &self.events[index];
        let mark = self.mark(index);
        let marked = if mark.is_empty() { Style::new() } else { Style::new().bold() };
        let cell = |text: String, width, style| PaddedText { text, width, style };
        let mut cells = vec![cell(mark.to_string(), 4, Style::new().red().bold())];
        cells.push(cell(format!("{index:>0$}", layout.index), layout.index, Style::new().dimmed()));
        cells.push(cell(standing(event), layout.place, Style::new().dimmed()));
        if layout.threads.is_empty() {
            cells.push(cell(self.shared_cell(index), layout.shared, marked));
        }
        cells.extend(layout.threads.iter().map(|(thread, width)| {
            let text = if *thread == event.thread { event_words(event) } else { String::new() };
            cell(text, *width, marked)
        }));
        cells.push(cell(cut(&self.pending(index), layout.lane), layout.lane, Style::new().cyan()));
        join(cells)
    }

    fn mark(&self, index: usize) -> &'static str {
        mark(self.marks, index)
    }

    fn shared_cell(&self, index: usize) -> String {
        let event = &self.events[index];
        format!("{}: {}", self.threads.name(event.thread), event_words(event))
    }

    /// Returns what waits in the store buffers after an event: `T1: x=1, y=2  T2: z=3`.
    fn pending(&self, index: usize) -> String {
        let Some(lane) = &self.lane else { return String::new() };
        let waiting = self.events[index].pending.get(lane.monitor).map_or(&[][..], Vec::as_slice);
        let stores = waiting.iter().filter_map(|store| self.events.get(usize::try_from(*store).ok()?));
        let mut buffers: Vec<(u32, Vec<String>)> = Vec::new();
        for store in stores {
            let entry = waiting_words(store);
            match buffers.iter_mut().find(|(thread, _)| *thread == store.thread) {
                Some((_, entries)) => entries.push(entry),
                None => buffers.push((store.thread, vec![entry])),
            }
        }
        buffers.sort_by_key(|(thread, _)| *thread);
        let words =
            buffers.iter().map(|(thread, entries)| format!("{}: {}", self.threads.name(*thread), entries.join(", ")));
        words.collect::<Vec<_>>().join("  ")
    }
}

/// Returns the name of an event among e′, prev and e; empty if it is none of them.
pub(crate) fn mark(marks: Option<[usize; 3]>, index: usize) -> &'static str {
    match marks {
        Some([delayed, _, _]) if index == delayed => "e′",
        Some([_, previous, _]) if index == previous => "prev",
        Some([_, _, overtaking]) if index == overtaking => "e",
        _ => "",
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_string();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Returns a line of cells, two spaces apart, without spaces at its end.
fn join(cells: Vec<PaddedText>) -> String {
    let mut line = String::from("  ");
    let mut owed = 0;
    for cell in cells {
        let space = cell.width.saturating_sub(length(&cell.text)) + 2;
        if !cell.text.is_empty() {
            line.push_str(&" ".repeat(owed));
            owed = 0;
            line.push_str(&cell.text.style(cell.style).to_string());
        }
        owed += space;
    }
    line
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use engine::event::Thread;
    use protocol::Operation;

    use super::{Lane, Row, Table, event_words, number, pick, wide_number};
    use crate::report::names::Threads;
    use crate::report::samples::{access, event};
    use crate::screen::{Width, plain};

    #[test]
    fn only_what_waits_is_cut_off_and_only_on_a_terminal() {
        let long = "a_ring_with_a_name_that_takes_its_room.slots[12].value";
        let mut events: Vec<_> = (0..4).map(|at| access(1, 1, long, None, Some(1000 + at))).collect();
        for (at, event) in (0..).zip(&mut events) {
            event.pending = vec![(0..=at).collect()];
        }
        let rows: Vec<Row> = (0..4).map(Row::Event).collect();
        let lane = Some(Lane { monitor: 0, heading: "store buffers (TSO)".to_owned() });
        let table = Table { events: &events, marks: None, lane, threads: Threads::Created };
        let whole = table.lines(&rows, Width::Unlimited).join("\n");
        assert!(!whole.contains('…') && whole.matches("=1003").count() == 1, "{whole}");
        let cut = table.lines(&rows, Width::Terminal(100)).join("\n");
        assert!(cut.contains('…') && cut.contains(&format!("write {long} = 1003")), "{cut}");
    }

    #[test]
    fn events_in_words() {
        let words = |event| event_words(&event);
        assert_eq!(words(access(1, 1, "x", None, Some(1))), "write x = 1");
        assert_eq!(words(access(1, 1, "x", Some(0), None)), "read x = 0");
        assert_eq!(words(access(1, 1, "x", Some(0), Some(7))), "exchange x: 0 to 7");
        assert_eq!(words(event(1, 1, Operation::Fence, "")), "fence");
        assert_eq!(words(event(1, 1, Operation::Lock, "m")), "lock m");
        assert_eq!(words(event(0, 1, Operation::Create(Thread(2)), "T2")), "create T2");
        assert_eq!(words(event(2, 1, Operation::Join(Thread(0)), "T0")), "join main");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(number(0, 4), "0");
        assert_eq!(number(255, 1), "255");
        assert_eq!(number(0xffff_ffff, 4), "-1");
        assert_eq!(number(u64::MAX - 1, 8), "-2");
        assert_eq!(number(0x7fff_0000_1000, 8), "0x7fff00001000");
        assert_eq!(number(999_999, 4), "999999");
    }

    #[test]
    fn wide_numbers_have_all_their_digits() {
        assert_eq!(wide_number(5, &[0], 16), "5");
        assert_eq!(wide_number(5, &[0x12, 0], 24), "0x120000000000000005");
        assert_eq!(wide_number(u64::MAX, &[u64::MAX], 16), "0xffffffffffffffffffffffffffffffff");
    }

    #[test]
    fn short_executions_are_shown_whole() {
        let rows = pick(3, 5, &BTreeSet::new());
        assert_eq!(rows, [Row::Event(0), Row::Event(1), Row::Event(2), Row::Elided(2)]);
    }

    #[test]
    fn long_executions_keep_what_matters() {
        let rows = pick(100, 103, &BTreeSet::from([50, 53, 99]));
        let shown: Vec<Row> = [
            Row::Event(0),
            Row::Event(1),
            Row::Elided(47),
            Row::Event(49),
            Row::Event(50),
            Row::Event(51),
            Row::Event(52),
            Row::Event(53),
            Row::Event(54),
            Row::Elided(43),
            Row::Event(98),
            Row::Event(99),
            Row::Elided(3),
        ]
        .into();
        assert_eq!(rows, shown);
        let failed = pick(100, 100, &BTreeSet::from([10]));
        assert_eq!(failed.last(), Some(&Row::Event(99)));
        assert!(failed.contains(&Row::Event(92)) && !failed.contains(&Row::Event(91)));
    }

    #[test]
    fn many_threads_share_a_column() {
        let events: Vec<_> = (0..20).map(|thread| access(thread, 1, "x", None, Some(u64::from(thread)))).collect();
        let rows: Vec<Row> = (0..20).map(Row::Event).collect();
        let table = Table { events: &events, marks: None, lane: None, threads: Threads::Created };
        let lines = table.lines(&rows, Width::Terminal(100));
        assert!(lines.iter().all(|line| plain(line).chars().count() <= 100));
        assert_eq!(plain(&lines[20]), "        19  sb.c:1  T19: write x = 19");
    }
}
