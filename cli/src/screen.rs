//! Where the human-readable text goes, in colour or not.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use owo_colors::OwoColorize;

use crate::exit::{Failure, Status};
use crate::text::{printable, reason};

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Colour everywhere.
    Always,
    /// Colour nowhere.
    Never,
}

/// Which stream carries the text for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    /// Standard output: the usual case.
    Output,
    /// Standard error: when the standard output carries JSON.
    Error,
}

/// The text's way to the user. Text is written with colour codes, which are taken out where they are not wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    channel: Channel,
    color: Color,
}

/// How wide lines may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// A terminal of so many columns: what is beyond them is cut off where the rest of the report says it as well.
    Terminal(usize),
    /// A pipe or a file, or what must be told whole: tables are laid out for [`PLAIN_WIDTH`], and nothing is cut off.
    Unlimited,
}

impl Width {
    /// Returns the columns that tables are laid out for.
    pub(crate) const fn columns(self) -> usize {
        match self {
            Width::Terminal(columns) => columns,
            Width::Unlimited => PLAIN_WIDTH,
        }
    }
}

/// The columns for which text is laid out that does not go to a terminal.
const PLAIN_WIDTH: usize = 100;

impl Screen {
    /// Text on that channel.
    pub(crate) fn new(channel: Channel, color: Color) -> Screen {
        Screen { channel, color }
    }

    /// Returns how wide lines may become: on a terminal `COLUMNS`, if that is set, or else its width, but at least 60.
    pub(crate) fn width(self) -> Width {
        let (is_terminal, size) = match self.channel {
            Channel::Output => (io::stdout().is_terminal(), terminal_size::terminal_size_of(io::stdout())),
            Channel::Error => (io::stderr().is_terminal(), terminal_size::terminal_size_of(io::stderr())),
        };
        if !is_terminal {
            return Width::Unlimited;
        }
        let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let columns = asked.or(size.map(|(width, _)| usize::from(width.0)));
        columns.map_or(Width::Unlimited, |columns| Width::Terminal(columns.max(60)))
    }

    /// Writes a text. A reader that has gone away (`| head`) is no error: the exit status still tells.
    pub(crate) fn print(self, text: &str) {
        let choice = match self.color {
            Color::Auto => None,
            Color::Always => Some(ColorChoice::Always),
            Color::Never => Some(ColorChoice::Never),
        };
        let written = match self.channel {
            Channel::Output => {
                let stream = io::stdout();
                let choice = choice.unwrap_or_else(|| AutoStream::choice(&stream));
                let mut stream = AutoStream::new(stream.lock(), choice);
                stream.write_all(text.as_bytes()).and_then(|()| stream.flush())
            }
            Channel::Error => {
                let stream = io::stderr();
                let choice = choice.unwrap_or_else(|| AutoStream::choice(&stream));
                let mut stream = AutoStream::new(stream.lock(), choice);
                stream.write_all(text.as_bytes()).and_then(|()| stream.flush())
            }
        };
        keep(written);
    }

    /// Writes a verdict, its first word in the colour of its meaning.
    pub(crate) fn print_verdict(self, line: &str) {
        let (word, rest) = line.split_once(": ").unwrap_or((line, ""));
        let word = match word {
            "clean" | "not reproduced" => format!("{}", format!("{word}:").green().bold()),
            "violations" | "reproduced" => format!("{}", format!("{word}:").red().bold()),
            _ => format!("{}", format!("{word}:").yellow().bold()),
        };
        self.print(&format!("{word} {}\n", printable(rest)));
    }
}

/// Why text for the standard output or error was lost, if it was.
static LOST: OnceLock<String> = OnceLock::new();

fn keep(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        drop(LOST.set(reason(&error)));
    }
}

/// Text that did not get where it should have: then nobody has read the result.
pub(crate) fn lost() -> Option<Failure> {
    let why = LOST.get()?;
    Some(Failure::usage(format!("the result cannot be written: {why}"), "write it to another place"))
}

/// Hands on what the program itself wrote.
pub(crate) fn pass_on(channel: Channel, bytes: &[u8]) {
    keep(match channel {
        Channel::Output => io::stdout().lock().write_all(bytes).and_then(|()| io::stdout().flush()),
        Channel::Error => io::stderr().lock().write_all(bytes),
    });
}

/// Takes the colour codes out of a text.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Whether text on the standard error is coloured.
pub(crate) fn colours_errors(color: Color) -> bool {
    match color {
        Color::Auto => AutoStream::choice(&io::stderr()) != ColorChoice::Never,
        Color::Always => true,
        Color::Never => false,
    }
}

/// Writes an error message.
pub(crate) fn complain(message: &impl std::fmt::Display) {
    drop(writeln!(io::stderr(), "{message}"));
}

/// Writes what could not be done, if something could not, and says which exit status that is.
pub(crate) fn complain_about(result: Result<(), Failure>) -> Status {
    match result {
        Ok(()) => Status::Clean,
        Err(failure) => {
            complain(&failure);
            failure.status
        }
    }
}
