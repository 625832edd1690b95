//! The destination of the machine-readable result.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::screen::{Channel, Color, Screen};
use crate::text::reason;

/// The destination of the JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JsonTo {
    /// There is no JSON.
    Off,
    /// The JSON goes to the standard output; the text for people then goes to the standard error.
    Output,
    /// The JSON goes to a file.
    File(PathBuf),
}

impl JsonTo {
    /// Returns the destination that a value of `--json` names.
    pub(crate) fn named(typed: Option<&Path>) -> JsonTo {
        match typed {
            None => JsonTo::Off,
            Some(file) if file == Path::new("-") => JsonTo::Output,
            Some(file) => JsonTo::File(file.into()),
        }
    }

    /// Returns the screen for the text for people, which leaves the standard output to JSON.
    pub(crate) fn screen(&self, color: Color) -> Screen {
        let channel = if *self == JsonTo::Output { Channel::Error } else { Channel::Output };
        Screen::new(channel, color)
    }

    /// Checks early that the JSON can be written.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        match self {
            JsonTo::Off | JsonTo::Output => Ok(()),
            JsonTo::File(file) => {
                let opened = fs::OpenOptions::new().append(true).create(true).open(file);
                opened.map(drop).map_err(|error| unwritable(file, &error))
            }
        }
    }

    /// Writes the JSON to its destination.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            JsonTo::Off => Ok(()),
            JsonTo::Output => {
                let mut output = io::stdout().lock();
                match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
                    // A reader that has gone away is no error.
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                        Err(unwritable(Path::new("standard output"), &error))
                    }
                    _ => Ok(()),
                }
            }
            JsonTo::File(file) => fs::write(file, text).map_err(|error| unwritable(file, &error)),
        }
    }
}

fn unwritable(file: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: cannot be written: {}", file.display(), reason(error));
    Failure::usage(message, "name another file with --json")
}
