//! The places, in the log and in the source, of the events of the present execution: a window on the newest ones, and the log
//! itself for the older ones, so that memory does not grow with the log.

use engine::event::EventIndex;
use std::borrow::Cow;

use protocol::log::{Event, Line, Op};
use rustc_hash::FxHashMap;

use super::log::{Continue, Log, Position};
use crate::exit::Failure;

/// The number of newest events that are kept.
const WINDOW: usize = 1 << 16;
/// The distance of the older events of which the place is kept: those whose number is a multiple of this.
const MARK: EventIndex = 1 << 12;

/// The number of a place in the source, or in the log if that is all that is known.
pub(super) type Site = u32;

/// The places of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Seat {
    /// The place in the log.
    pub(super) at: Position,
    /// The place in the source.
    pub(super) site: Site,
}

/// The places in the source, by number.
#[derive(Default)]
pub(super) struct Sites {
    numbers: FxHashMap<Box<str>, Site>,
}

impl Sites {
    /// The bit that marks numbers that are lines of the log.
    const OF_THE_LOG: Site = 1 << 31;

    /// Returns the number of an event's place.
    pub(super) fn number(&mut self, event: &Event<'_>, at: Position) -> Site {
        let Some(loc) = event.loc.as_deref() else { return at.line | Self::OF_THE_LOG };
        let mut place = Cow::Borrowed(loc);
        for entry in &event.stack {
            let place = place.to_mut();
            place.push('\n');
            place.push_str(entry);
        }
        if let Some(&number) = self.numbers.get(&*place) {
            return number;
        }
        let next = u32::try_from(self.numbers.len()).expect("fewer places than lines");
        self.numbers.insert(place.into(), next);
        next
    }
}

/// The events of the present execution.
#[derive(Default)]
pub(super) struct History {
    window: Vec<Seat>,
    marks: Vec<Position>,
    next: EventIndex,
}

/// Whether monitors see the operation as an event.
pub(super) const fn is_event(operation: Op) -> bool {
    !matches!(operation, Op::Begin | Op::End | Op::Commit)
}

impl History {
    /// Begins a new execution.
    pub(super) fn begin(&mut self) {
        self.marks.clear();
        self.next = 0;
    }

    /// Returns how many events there are so far.
    pub(super) const fn length(&self) -> EventIndex {
        self.next
    }

    /// Adds the next event.
    pub(super) fn push(&mut self, seat: Seat) {
        let place = self.next as usize % WINDOW;
        if place < self.window.len() {
            self.window[place] = seat;
        } else {
            self.window.push(seat);
        }
        if self.next.is_multiple_of(MARK) {
            self.marks.push(seat.at);
        }
        self.next += 1;
    }

    /// Returns the places of an event.
    pub(super) fn seat(&self, event: EventIndex, log: &Log, sites: &mut Sites) -> Result<Seat, Failure> {
        if (self.next - event) as usize <= WINDOW {
            return Ok(self.window[event as usize % WINDOW]);
        }
        let mut left = event % MARK;
        let mut seat = Seat::default();
        log.read(self.marks[(event / MARK) as usize], |at, line| match line {
            Line::Event(line) if !is_event(line.op) => Ok(Continue::Yes),
            Line::Event(line) if left == 0 => {
                seat = Seat { at, site: sites.number(&line, at) };
                Ok(Continue::No)
            }
            Line::Event(_) => {
                left -= 1;
                Ok(Continue::Yes)
            }
            Line::Header(_) => Err("the log has changed while it was read".to_string()),
        })?;
        Ok(seat)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use protocol::log::{Line, Op};

    use super::super::log::{Continue, Log};
    use super::{History, Seat, Sites, WINDOW, is_event};

    #[test]
    fn events_behind_the_window_are_found_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        let mut text = String::from("{\"log\":1}\n\n");
        let length = WINDOW + 10_000;
        for event in 0..length {
            let loc = if event % 3 == 0 { format!(",\"loc\":\"a.c:{}\"", event % 7) } else { String::new() };
            if event % 5 == 0 {
                text.push_str("{\"t\":1,\"op\":\"begin\"}\n");
            }
            writeln!(text, "{{\"t\":1,\"op\":\"ld\",\"a\":\"x\"{loc}}}").unwrap();
        }
        std::fs::write(&file, text).unwrap();
        let log = Log::open(file.to_str().unwrap()).unwrap();
        let (mut history, mut sites, mut all) = (History::default(), Sites::default(), Vec::new());
        log.read(Log::START, |at, line| {
            if let Line::Event(event) = line
                && is_event(event.op)
            {
                assert_eq!(event.op, Op::Ld);
                let seat = Seat { at, site: sites.number(&event, at) };
                history.push(seat);
                all.push(seat);
            }
            Ok(Continue::Yes)
        })
        .unwrap();
        assert_eq!(history.length() as usize, length);
        for event in (0..length).step_by(997).chain([0, 1, 4095, 4096, 4097, length - WINDOW - 1, length - WINDOW]) {
            let found = history.seat(event.try_into().unwrap(), &log, &mut sites).unwrap();
            assert_eq!(found, all[event], "{event}");
        }
    }
}
