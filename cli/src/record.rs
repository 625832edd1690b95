//! The event log that `check --record` writes: the executions of a search, one after the other, each beginning with its
//! header.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::screen::complain;
use crate::text::reason;

/// The log that is being written, or none.
pub(crate) struct Record {
    log: Option<(PathBuf, BufWriter<File>)>,
    /// Whether something has been written.
    begun: bool,
    /// The first error.
    trouble: Option<io::Error>,
}

impl Record {
    /// Checks early that the log can be written, and leaves what is there.
    pub(crate) fn prepare(file: Option<&Path>) -> Result<(), Failure> {
        let Some(file) = file else { return Ok(()) };
        let opened = OpenOptions::new().append(true).create(true).open(file);
        opened.map(drop).map_err(|error| unwritable(file, &error))
    }

    /// Begins the log, if there is to be one.
    pub(crate) fn create(file: Option<&Path>) -> Result<Self, Failure> {
        let create = |file: &Path| match File::create(file) {
            Ok(opened) => Ok((file.to_path_buf(), BufWriter::new(opened))),
            Err(error) => Err(unwritable(file, &error)),
        };
        Ok(Self { log: file.map(create).transpose()?, begun: false, trouble: None })
    }

    /// Adds an execution.
    pub(crate) fn write(&mut self, text: &str) {
        if let Some((_, log)) = &mut self.log
            && self.trouble.is_none()
        {
            self.begun |= !text.is_empty();
            self.trouble = log.write_all(text.as_bytes()).err();
        }
    }

    /// Removes what has been written.
    pub(crate) fn begin_anew(&mut self) {
        if let Some((_, log)) = &mut self.log
            && self.begun
            && self.trouble.is_none()
        {
            // Text that still waits to be written would otherwise stand where the log begins.
            let empty = |log: &mut BufWriter<File>| {
                log.flush()?;
                log.get_ref().set_len(0)?;
                log.rewind()
            };
            self.trouble = empty(log).err();
            self.begun = false;
        }
    }

    /// Ends the log, and tells the user if nothing was recorded at all.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Some((file, mut log)) = self.log else { return Ok(()) };
        if !self.begun {
            complain(&format!("note: no execution was recorded in {}", file.display()));
        }
        let trouble = self.trouble.or_else(|| log.flush().err());
        trouble.map_or(Ok(()), |error| Err(unwritable(&file, &error)))
    }
}

fn unwritable(file: &Path, error: &io::Error) -> Failure {
    Failure::usage(
        format!("{}: the executions cannot be recorded: {}", file.display(), reason(error)),
        "name another file with --record",
    )
}
