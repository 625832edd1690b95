//! The destination of the human-readable text, in colour or not.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use owo_colors::OwoColorize;

use crate::exit::{Failure, Status};
use crate::text::{printable, reason};

/// The rule for colouring text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Color {
    /// Text is coloured on a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Text is coloured everywhere.
    Always,
    /// Text is coloured nowhere.
    Never,
}

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Volume {
    /// The verdict alone, and errors.
    Quiet,
    /// As much as a reader can take.
    Usual,
    /// All that there is.
    Verbose,
}

/// The stream that carries the text for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    /// The text goes to the standard output, as it usually does.
    Output,
    /// The text goes to the standard error, since the standard output carries JSON.
    Error,
}

/// The way of text to the user. Text is written with colour codes, which are taken out where they are not wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    channel: Channel,
    color: Color,
}

/// The width that lines may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// Lines go to a terminal of this many columns: what is beyond them is cut off where the rest of the report says it as well.
    Terminal(usize),
    /// Lines go to a pipe or a file, or must be told whole: tables are laid out for [`PLAIN_WIDTH`], and nothing is cut off.
    Unlimited,
}

impl Width {
    /// Returns the number of columns that tables are laid out for.
    pub(crate) const fn columns(self) -> usize {
        match self {
            Width::Terminal(columns) => columns,
            Width::Unlimited => PLAIN_WIDTH,
        }
    }
}

/// The number of columns for which text is laid out that does not go to a terminal.
const PLAIN_WIDTH: usize = 100;

impl Screen {
    /// Makes a screen on this channel.
    pub(crate) fn new(channel: Channel, color: Color) -> Screen {
        Screen { channel, color }
    }

    /// Returns the width that lines may have: on a terminal `COLUMNS` if that is set, or else its width, but at least 60.
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
        let Some((word, rest)) = line.split_once(": ") else { return self.print(&format!("{}\n", printable(line))) };
        let word = match word {
            "clean" | "not reproduced" => format!("{}", format!("{word}:").green().bold()),
            "violations" | "reproduced" => format!("{}", format!("{word}:").red().bold()),
            _ => format!("{}", format!("{word}:").yellow().bold()),
        };
        self.print(&format!("{word} {}\n", printable(rest)));
    }
}

/// The reason why text for the standard output or error was lost, if it was.
static LOST: OnceLock<String> = OnceLock::new();

fn keep(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        drop(LOST.set(reason(&error)));
    }
}

/// Returns the failure that text was lost, if it was: then nobody has read the result.
pub(crate) fn lost() -> Option<Failure> {
    let why = LOST.get()?;
    Some(Failure::usage(format!("the result cannot be written: {why}"), "write it to another place"))
}

/// Passes on what the program itself wrote.
pub(crate) fn pass_on(channel: Channel, bytes: &[u8]) {
    keep(match channel {
        Channel::Output => io::stdout().lock().write_all(bytes).and_then(|()| io::stdout().flush()),
        Channel::Error => io::stderr().lock().write_all(bytes),
    });
}

/// Returns a text without its colour codes.
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

/// Writes the failure that a result is, if it is one, and returns the exit status.
pub(crate) fn complain_about(result: Result<(), Failure>) -> Status {
    match result {
        Ok(()) => Status::Clean,
        Err(failure) => {
            complain(&failure);
            failure.status
        }
    }
}
