//! A log as a file, whose lines are read in order, and again by their offsets.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use protocol::log::Line;

use crate::exit::Failure;
use crate::text::reason;

/// The most bytes that a line may have.
const LONGEST: u64 = 1 << 20;
/// The most lines that a log may have.
const MOST: LineNumber = LineNumber::MAX >> 1;
const BUFFER: usize = 1 << 18;

/// The number of a line of a log, from 1.
pub(crate) type LineNumber = u32;

/// An open log.
pub(crate) struct Log {
    /// The log's name, as typed.
    pub(super) name: String,
    file: File,
}

/// The position of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Position {
    /// The number of the line, from 1.
    pub(super) line: LineNumber,
    /// The offset of the line's first byte.
    pub(super) offset: u64,
}

impl Log {
    /// Opens a log. One that cannot be read twice, such as a pipe, is copied first.
    pub(crate) fn open(name: &str) -> Result<Self, Failure> {
        let unreadable = |error: io::Error| {
            Failure::usage(
                format!("{name}: {}", reason(&error)),
                "name event logs that exist: `check --record` makes one",
            )
        };
        let mut file = File::open(name).map_err(unreadable)?;
        let kind = file.metadata().map_err(unreadable)?;
        if kind.is_dir() {
            return Err(Failure::usage(format!("{name}: is a folder"), "name the event logs in it"));
        }
        if !kind.is_file() {
            let mut copy = tempfile::tempfile().map_err(unreadable)?;
            io::copy(&mut file, &mut copy).map_err(unreadable)?;
            file = copy;
        }
        Ok(Self { name: name.to_string(), file })
    }

    /// Gives `hear` each line from a position on, except empty ones, until it says that it has heard enough.
    ///
    /// # Errors
    /// If a line is not one of a log, or `hear` refuses one: the first such.
    pub(super) fn read(
        &self,
        from: Position,
        mut hear: impl FnMut(Position, Line<'_>) -> Result<Continue, String>,
    ) -> Result<(), Failure> {
        let broken =
            |error: io::Error| Failure::usage(format!("{}: {}", self.name, reason(&error)), "make it readable");
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from.offset)).map_err(broken)?;
        let mut input = BufReader::with_capacity(BUFFER, file);
        let mut text = Vec::new();
        let mut at = from;
        loop {
            text.clear();
            let length = input.by_ref().take(LONGEST + 1).read_until(b'\n', &mut text).map_err(broken)? as u64;
            let heard = match length {
                0 => return Ok(()),
                _ if length > LONGEST => Err(format!("a line of more than {LONGEST} bytes")),
                _ if at.line > MOST => Err(format!("a log of more than {MOST} lines")),
                _ if text.trim_ascii().is_empty() => Ok(Continue::Yes),
                _ => Line::read(text.trim_ascii_end()).and_then(|line| hear(at, line)),
            };
            match heard {
                Ok(Continue::Yes) => at = Position { line: at.line + 1, offset: at.offset + length },
                Ok(Continue::No) => return Ok(()),
                Err(words) => return Err(self.refusal(at.line, &words)),
            }
        }
    }

    /// Returns the failure that something is wrong with a line.
    pub(super) fn refusal(&self, line: LineNumber, words: &str) -> Failure {
        Failure::usage(format!("{}:{line}: {words}", self.name), "docs/event-log.md describes the lines of a log")
    }

    /// The position of the first line.
    pub(super) const START: Position = Position { line: 1, offset: 0 };
}

/// Whether to go on reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Continue {
    /// The next line is to be read.
    Yes,
    /// No further line is to be read.
    No,
}
