//! Executions as event logs ([`protocol::log`]), for `check --record`.
//!
//! A log knows accesses, fences, creations and joins. Other events are written as these:
//!
//! - The barriers that an access implies are lines of their own. A full fence that belongs to the thread's next event
//!   ([`Event::fences_later`]) comes before that one.
//! - An operation on a synchronisation object is a full fence, if it drains, then a read-modify-write of the object (a
//!   load, if such operations may be made side by side). So the operations are ordered as they are in the execution.
//! - To take a spin lock is `await` between full fences, to release it a store.
//! - A failed compare-and-swap before which nothing waits is a load.
//! - An event on several pieces of memory or objects is one line for each, and then all but the last once more: so each
//!   of them comes after all that comes before any of them.

use engine::atomicity::Mark;
use engine::event::{Barrier, Event, Kind, Object, Thread};
use engine::execution::Execution;
use engine::explore::Counts;
use protocol::log::{Address, Event as Line, FORMAT, Header, Op, stack_entry};

use crate::process::sites::{Record, RecordPointer};
use crate::state::operation::{Detail, Note};

/// The memory that an event touches.
#[derive(Clone)]
enum LoggedOperand {
    /// One piece of memory, by address and width, or nothing.
    Piece(usize, u32),
    /// Several pieces of memory, by address and width.
    Pieces(Vec<(usize, u8)>),
}

/// An event, with what a log needs of it.
struct Recorded {
    event: Event,
    note: Note,
    touched: LoggedOperand,
    /// Whether the event is an access to more than one location.
    is_divided: bool,
}

/// The beginning or the end of a transaction.
#[derive(Clone, Copy)]
struct Marked {
    /// The number of events that came before it.
    events: usize,
    thread: Thread,
    mark: Mark,
    site: RecordPointer,
}

/// The present execution, as far as a log needs it.
#[derive(Default)]
pub(crate) struct Recording {
    events: Vec<Recorded>,
    marks: Vec<Marked>,
    /// The memory that the event about to come touches.
    touched: Option<LoggedOperand>,
}

impl Recording {
    /// Forgets the last execution.
    pub(crate) fn begin(&mut self) {
        self.events.clear();
        self.marks.clear();
        self.touched = None;
    }

    /// Notes the memory that the event about to come touches.
    pub(crate) fn detail(&mut self, detail: &Detail) {
        self.touched = Some(match detail.pieces.as_slice() {
            [] => LoggedOperand::Piece(detail.address, detail.width),
            pieces => LoggedOperand::Pieces(pieces.to_vec()),
        });
    }

    /// Adds an event that has happened, at this number of locations.
    pub(crate) fn event(&mut self, event: Event, note: Note, locations: usize) {
        let touched = self.touched.take().unwrap_or(LoggedOperand::Piece(0, 0));
        self.events.push(Recorded { event, note, touched, is_divided: locations > 1 });
    }

    /// Notes that a transaction of the thread begins or ends here.
    pub(crate) fn mark(&mut self, thread: Thread, mark: Mark, site: RecordPointer) {
        self.marks.push(Marked { events: self.events.len(), thread, mark, site });
    }

    /// Returns the execution, which has ended, as a log.
    pub(crate) fn log(&self, execution: &Execution) -> String {
        let threads = u32::try_from(execution.state.threads.paths().count()).ok();
        let header = Header { threads, log: FORMAT, repeats: execution.history.counts() != Counts::Once };
        let mut text = LogLines(String::new());
        text.line(&header.text());
        // These are the fences that belong to the next event of their thread.
        let mut owed: Vec<Option<Note>> = vec![None; Thread::LIMIT];
        let mut marks = self.marks.iter().peekable();
        for (index, recorded) in self.events.iter().enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.events <= index) {
                mark.write(&mut text, &mut owed);
            }
            let thread = recorded.event.thread;
            if let Some(note) = owed[thread.index()].take() {
                text.plain(thread, note, Op::Fence);
            }
            recorded.write(&mut text);
            if recorded.event.fences_later() {
                owed[thread.index()] = Some(recorded.note);
            }
        }
        marks.for_each(|mark| mark.write(&mut text, &mut owed));
        text.0
    }
}

impl Marked {
    /// Writes the mark, behind the fence that its thread owes, if any, which belongs to what came before.
    fn write(&self, text: &mut LogLines, owed: &mut [Option<Note>]) {
        if let Some(note) = owed[self.thread.index()].take() {
            text.plain(self.thread, note, Op::Fence);
        }
        let operation = match self.mark {
            Mark::Begin => Op::Begin,
            Mark::End => Op::End,
        };
        text.event(self.site, line_of(self.thread, operation));
    }
}

impl Recorded {
    /// Writes the lines of the event.
    fn write(&self, text: &mut LogLines) {
        let Event { thread, kind, before, after, .. } = self.event;
        let drained = before == Barrier::Full;
        // A creation and a join are full fences by themselves.
        match kind {
            Kind::Create(_) | Kind::Join(_) => {}
            Kind::Lock(_) | Kind::Wait { .. } => text.barrier(thread, self.note, Barrier::Full),
            _ => text.barrier(thread, self.note, before),
        }
        match kind {
            Kind::Load => self.access(text, Op::Ld),
            Kind::Store => self.access(text, Op::St),
            Kind::CompareAndSwap if self.is_divided => self.access(text, Op::Cas),
            Kind::Rmw | Kind::CompareAndSwap => self.access(text, Op::Rmw),
            Kind::FailedRmw if drained => self.access(text, Op::Ld),
            Kind::FailedRmw => self.access(text, Op::CasFail),
            Kind::Await(_) => self.access(text, Op::Await),
            Kind::Fence => {}
            Kind::Lock(object) => self.objects(text, Op::Rmw, &[object]),
            Kind::Share(object) => self.objects(text, Op::Ld, &[object]),
            Kind::Wait { condition, mutex } => self.objects(text, Op::Rmw, &[condition, mutex]),
            Kind::Create(child) => text.child(thread, self.note, Op::Fork, child),
            Kind::Join(child) => text.child(thread, self.note, Op::Join, child),
        }
        // After a full fence and an access that drains, nothing waits.
        let stores = matches!(kind, Kind::Store | Kind::Await(_));
        if after == Barrier::StoreStore || (after == Barrier::Full && stores && !self.event.fences_later()) {
            text.barrier(thread, self.note, after);
        }
    }

    /// Writes the access to each piece of memory that the event touches.
    fn access(&self, text: &mut LogLines, operation: Op) {
        let mut line = |address: usize, width: u32| {
            text.access(self.event.thread, self.note, operation, Address::Number(address as u64), Some(width));
        };
        match &self.touched {
            LoggedOperand::Piece(address, width) => line(*address, *width),
            LoggedOperand::Pieces(pieces) => {
                for &(address, width) in repeated(pieces) {
                    line(address, width.into());
                }
            }
        }
    }

    /// Writes the operation on each of these objects, as an access.
    fn objects(&self, text: &mut LogLines, operation: Op, objects: &[Object]) {
        for object in repeated(objects) {
            let address = Address::Name(format!("object {}", object.0).into());
            text.access(self.event.thread, self.note, operation, address, None);
        }
    }
}

/// Returns all elements, and then all but the last once more.
fn repeated<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().chain(&all[..all.len().saturating_sub(1)])
}

/// The lines of a log.
struct LogLines(String);

impl LogLines {
    /// Writes a line.
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Writes an event, with its place in the source.
    fn event(&mut self, site: RecordPointer, line: Line<'_>) {
        let place = Record::behind(site).place();
        let loc = match place.column {
            0 => format!("{}:{}", place.file, place.line),
            column => format!("{}:{}:{column}", place.file, place.line),
        };
        let stack = place.stack.iter().map(|frame| stack_entry(frame).into()).collect();
        self.line(&Line { loc: Some(loc.into()), stack, ..line }.text());
    }

    /// Writes an event that has no address.
    fn plain(&mut self, thread: Thread, note: Note, operation: Op) {
        self.event(note.site, line_of(thread, operation));
    }

    /// Writes a barrier, if it is one.
    fn barrier(&mut self, thread: Thread, note: Note, barrier: Barrier) {
        match barrier {
            Barrier::None => {}
            Barrier::StoreStore => self.plain(thread, note, Op::Stbar),
            Barrier::Full => self.plain(thread, note, Op::Fence),
        }
    }

    /// Writes an access.
    fn access(&mut self, thread: Thread, note: Note, operation: Op, address: Address<'_>, width: Option<u32>) {
        let expression = Record::behind(note.site).expression();
        let name = (!expression.is_empty()).then(|| expression.into());
        self.event(note.site, Line { a: Some(address), w: width, name, ..line_of(thread, operation) });
    }

    /// Writes the creation of a thread, or the wait for its end.
    fn child(&mut self, thread: Thread, note: Note, operation: Op, child: Thread) {
        self.event(note.site, Line { child: Some(number(child)), ..line_of(thread, operation) });
    }
}

/// Returns the number of a thread in a log, from 1.
fn number(thread: Thread) -> u32 {
    u32::from(thread.0) + 1
}

/// Makes an event without anything but its thread and its action.
fn line_of(thread: Thread, op: Op) -> Line<'static> {
    Line { t: number(thread), op, a: None, w: None, child: None, loc: None, stack: Vec::new(), name: None }
}
