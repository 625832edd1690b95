//! Where the machine-readable result goes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::screen::{Channel, Color, Screen};
use crate::text::reason;

/// Where the JSON goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JsonTo {
    /// Nowhere.
    Off,
    /// The standard output; the text for people then goes to the standard error.
    Output,
    /// A file.
    File(PathBuf),
}

impl JsonTo {
    /// Returns the place that a value of `--json` names, or none.
    pub(crate) fn named(typed: Option<&Path>) -> JsonTo {
        match typed {
            None => JsonTo::Off,
            Some(file) if file == Path::new("-") => JsonTo::Output,
            Some(file) => JsonTo::File(file.into()),
        }
    }

    /// Returns the way of the text for people, which gives way to JSON on the standard output.
    pub(crate) fn screen(&self, color: Color) -> Screen {
        let channel = if *self == JsonTo::Output { Channel::Error } else { Channel::Output };
        Screen::new(channel, color)
    }

    /// Tries early whether the JSON can be written.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        match self {
            JsonTo::Off | JsonTo::Output => Ok(()),
            JsonTo::File(file) => {
                let opened = fs::OpenOptions::new().append(true).create(true).open(file);
                opened.map(drop).map_err(|error| unwritable(file, &error))
            }
        }
    }

    /// Writes the JSON where it is wanted.
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
