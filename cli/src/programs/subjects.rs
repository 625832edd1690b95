//! The program that is checked, and what it was made of.

use std::env;
use std::path::{Path, PathBuf};

use crate::compile::{self, Built, DebugInfo, Sources};
use crate::executable::is_written_for_x86;
use crate::exit::Failure;
use crate::hash::hash_file;
use crate::interrupt::Interrupts;
use crate::plan::check::CheckPlan;
use crate::plan::target::Target;
use crate::program::{self, Program};
use crate::symbols::files;
use crate::text::reason;
use crate::toolchain::Toolchain;

/// A program to check, and what it was made of.
pub(crate) struct Subjects {
    pub(crate) program: Program,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) directory: PathBuf,
    /// The result of compiling it, which keeps the executable in existence; none where the user named an executable.
    built: Option<Built>,
}

impl Subjects {
    /// Returns the hash of the program as it is run; an executable that the user named is one of its files.
    pub(crate) fn hash_of_executable(&self) -> Result<String, Failure> {
        if self.built.is_none() {
            return Ok(self.files.iter().map(|(_, hash)| hash.clone()).collect());
        }
        let executable = &self.program.executable;
        hash_file(executable)
            .map_err(|error| Failure::internal(format!("{}: {}", executable.display(), reason(&error))))
    }

    /// Makes the program ready to run.
    pub(crate) fn build(plan: &CheckPlan, interrupts: &Interrupts) -> Result<Subjects, Failure> {
        // clang would need the room, too, and would give a worse message.
        program::require_room()?;
        let directory = env::current_dir().map_err(|error| {
            Failure::usage(format!("no current folder: {}", reason(&error)), "change to another folder")
        })?;
        let arguments = plan.arguments.clone();
        match &plan.target {
            Target::Sources(files) => {
                let options = plan.compile_options.clone();
                let sources = Sources { directory: directory.clone(), files: files.clone(), options };
                let parts = Toolchain::locate().require()?;
                let built = compile::compile(&sources, &parts, DebugInfo::Lines, plan.color, interrupts)?;
                let program = built.program(&directory, files, arguments);
                Ok(Subjects { program, files: built.files.clone(), directory, built: Some(built) })
            }
            Target::Executable(name) => {
                let executable = directory.join(name);
                let text = name.to_string_lossy().into_owned();
                let hash = hash_file(&executable)
                    .map_err(|error| Failure::usage(format!("{text}: {}", reason(&error)), "make it readable"))?;
                let name = name.clone().into_os_string();
                let program = Program { executable, name, arguments, directory: directory.clone(), environment: None };
                Ok(Subjects { program, files: vec![(text, hash)], directory, built: None })
            }
            Target::Litmus(_) => unreachable!("litmus tests are no programs"),
        }
    }

    /// Returns where a source file is that places call so.
    pub(crate) fn source(&self, name: &str) -> PathBuf {
        let folders = self.source_folders();
        let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        found.unwrap_or_else(|| self.directory.join(name))
    }

    /// Whether the executable that the user has named is older than this file.
    pub(crate) fn is_older_than(&self, file: &Path) -> bool {
        let modified = |path: &Path| std::fs::metadata(path).and_then(|there| there.modified()).ok();
        let executable = modified(&self.program.executable).filter(|_| self.built.is_none());
        executable.zip(modified(file)).is_some_and(|(executable, file)| executable < file)
    }

    /// Whether the program has fences for x86 alone.
    pub(crate) fn is_written_for_x86(&self) -> bool {
        is_written_for_x86(&self.program.executable)
    }

    /// Returns the sources that the program is made of, without headers of the system.
    pub(crate) fn sources(&self) -> Vec<String> {
        let files = match &self.built {
            Some(_) => self.files.iter().map(|(name, _)| name.clone()).collect(),
            None => files(&self.program.executable, &self.directory),
        };
        let is_own = |name: &String| !name.starts_with("/usr/");
        files.into_iter().filter(is_own).collect()
    }

    /// Returns the folders that relative names of sources are looked for in.
    pub(crate) fn source_folders(&self) -> Vec<PathBuf> {
        let beside = self.program.executable.parent().map(Path::to_path_buf);
        [self.directory.clone()].into_iter().chain(beside).collect()
    }
}
