//! Where machine-readable results go.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::screen::{Channel, Color, Screen};
use crate::text::reason;
use crate::whole::{try_to_write, write_whole};

/// Where a result goes, and the option that says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Destination {
    option: &'static str,
    to: To,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum To {
    /// Nowhere.
    Off,
    /// The JSON goes to the standard output; the text for people then goes to the standard error.
    Output,
    /// The JSON goes to a file.
    File(PathBuf),
}

impl Destination {
    /// The place that a value of this option names, or none.
    pub(crate) fn named(option: &'static str, typed: Option<&Path>) -> Destination {
        let to = match typed {
            None => To::Off,
            Some(file) if file == Path::new("-") => To::Output,
            Some(file) => To::File(file.into()),
        };
        Destination { option, to }
    }

    /// Whether there is one.
    pub(crate) fn is_wanted(&self) -> bool {
        self.to != To::Off
    }

    /// Tries early whether the result can be written.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        match &self.to {
            To::Off | To::Output => Ok(()),
            To::File(file) => try_to_write(file).map_err(|error| self.cannot(file, &error)),
        }
    }

    /// Writes the result where it is wanted.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        match &self.to {
            To::Off => Ok(()),
            To::Output => {
                let mut output = io::stdout().lock();
                match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
                    // A reader that has gone away is no error.
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                        Err(self.cannot(Path::new("standard output"), &error))
                    }
                    _ => Ok(()),
                }
            }
            To::File(file) => write_whole(file, text).map_err(|error| self.cannot(file, &error)),
        }
    }

    fn cannot(&self, file: &Path, error: &io::Error) -> Failure {
        let message = format!("{}: cannot be written: {}", file.display(), reason(error));
        Failure::usage(message, format!("name another file with {}", self.option))
    }
}

/// The way of the text for people, which gives way to a result on the standard output.
pub(crate) fn screen(results: &[&Destination], color: Color) -> Screen {
    let gives_way = results.iter().any(|result| result.to == To::Output);
    Screen::new(if gives_way { Channel::Error } else { Channel::Output }, color)
}

/// Refuses two results in one place.
pub(crate) fn apart(results: &[&Destination]) -> Result<(), Failure> {
    for (index, one) in results.iter().enumerate() {
        if let Some(other) = results[..index].iter().find(|other| other.is_wanted() && other.to == one.to) {
            let message = format!("{} and {} go to the same place", other.option, one.option);
            return Err(Failure::usage(message, "name a file for each"));
        }
    }
    Ok(())
}
