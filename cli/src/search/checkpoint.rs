//! Checkpoints: searches on disk, from which later runs go on.
//!
//! The file has two lines of JSON. The first says what the file is, with a hash of the second line; the second is the search,
//! with the program and the options that it belongs to. The file is replaced as a whole: whatever happens, the old one or the new
//! one is there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use protocol::{BUILD, Explore, VERSION};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::progress::Progress;
use crate::exit::Failure;
use crate::text::reason;

/// The value of the key `fencehound` in a checkpoint.
const MARK: &str = "checkpoint";

/// The identity of a search: one that goes on from a checkpoint must have the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    /// The target, as typed.
    target: Vec<String>,
    /// The files that the program is made of, each with its hash.
    files: Vec<(String, String)>,
    /// The hash of the executable.
    executable: String,
    compile_options: Vec<String>,
    arguments: Vec<String>,
    explore: Explore,
}

impl Key {
    /// Makes the key of a search of this program.
    pub(crate) fn new(
        target: Vec<String>,
        files: &[(String, String)],
        executable: String,
        compile_options: &[String],
        arguments: &[String],
        explore: &Explore,
    ) -> Key {
        let (files, compile_options, arguments) = (files.to_vec(), compile_options.to_vec(), arguments.to_vec());
        Key { target, files, executable, compile_options, arguments, explore: explore.clone() }
    }

    /// Returns the difference between this search and another, in words, if there is one.
    pub(super) fn difference(&self, other: &Key) -> Option<&'static str> {
        let same = [
            (self.target == other.target, "another target"),
            (self.compile_options == other.compile_options, "other options for the compiler"),
            (self.files == other.files, "another version of the program"),
            (self.executable == other.executable, "another build of the program"),
            (self.arguments == other.arguments, "other program arguments"),
            (self.explore == other.explore, "other options of `fencehound check`"),
        ];
        same.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
    }
}

/// The first line of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The text [`MARK`], which tells the file from any other.
    fencehound: String,
    version: u32,
    /// The fingerprint of the messages: what a worker of one build has said means nothing to another build.
    build: String,
    /// The hash of the second line.
    hash: String,
}

/// The second line of a checkpoint.
#[derive(Deserialize)]
struct CheckpointBody {
    key: Key,
    search: Progress,
}

/// The second line of a checkpoint, by reference, for writing.
#[derive(Serialize)]
struct BodyOf<'a> {
    key: &'a Key,
    search: &'a Progress,
}

/// The file in which a search is saved.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    file: PathBuf,
    key: Key,
}

fn build() -> String {
    String::from_utf8_lossy(&BUILD).into_owned()
}

fn hash(text: &[u8]) -> String {
    format!("sha256:{:x}", Sha256::digest(text))
}

impl Checkpoint {
    /// Opens the checkpoint of this search in a file, and returns it with what has been saved there.
    pub(crate) fn open(file: &Path, key: Key) -> Result<(Checkpoint, Option<Progress>), Failure> {
        let checkpoint = Checkpoint { file: file.to_path_buf(), key };
        let saved = match fs::metadata(file) {
            Ok(metadata) if !metadata.is_file() => return Err(checkpoint.unusable("not a file")),
            // An empty file is what mktemp makes.
            Ok(metadata) if metadata.len() == 0 => None,
            Ok(_) => {
                let content = fs::read(file).map_err(|error| checkpoint.unusable(&reason(&error)))?;
                Some(checkpoint.read(&content)?)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(checkpoint.unusable(&reason(&error))),
        };
        Ok((checkpoint, saved))
    }

    fn read(&self, content: &[u8]) -> Result<Progress, Failure> {
        let foreign = || self.unusable("not a checkpoint of fencehound");
        let corrupt = || self.unusable("a corrupt checkpoint");
        let (head, body) = content.split_at(content.iter().position(|&byte| byte == b'\n').ok_or_else(foreign)?);
        let body = &body[1..];
        let head: serde_json::Value = serde_json::from_slice(head).map_err(|_| foreign())?;
        if head["fencehound"] != MARK {
            return Err(foreign());
        }
        if head["version"] != VERSION || head["build"] != build().as_str() {
            return Err(self.unusable("a checkpoint of another version of fencehound"));
        }
        let head: Head = serde_json::from_value(head).map_err(|_| corrupt())?;
        if head.hash != hash(body) {
            return Err(corrupt());
        }
        let CheckpointBody { key, search } = serde_json::from_slice(body).map_err(|_| corrupt())?;
        match self.key.difference(&key) {
            Some(what) => Err(self.unusable(&format!("a checkpoint of another search: {what}"))),
            None => Ok(search),
        }
    }

    fn unusable(&self, what: &str) -> Failure {
        Failure::usage(
            format!("{}: {what}", self.file.display()),
            "name another file with --checkpoint, or remove this one to begin anew",
        )
    }

    /// Saves the search.
    pub(crate) fn write(&self, progress: &Progress) -> Result<(), Failure> {
        let unwritable = |error: io::Error| {
            let message = format!("{}: cannot be written: {}", self.file.display(), reason(&error));
            Failure::usage(message, "name another file with --checkpoint")
        };
        self.replace(progress).map_err(unwritable)
    }

    fn replace(&self, progress: &Progress) -> io::Result<()> {
        let body = serde_json::to_vec(&BodyOf { key: &self.key, search: progress })?;
        let head = Head { fencehound: MARK.to_string(), version: VERSION, build: build(), hash: hash(&body) };
        let folder = match self.file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // The name is always the same: what is left where the tool is killed here is replaced the next time.
        let mut name = OsString::from(".");
        name.push(self.file.file_name().unwrap_or_default());
        name.push(".fencehound");
        let part = folder.join(name);
        drop(fs::remove_file(&part));
        let write = || {
            let mut file = File::create_new(&part)?;
            serde_json::to_writer(&mut file, &head)?;
            file.write_all(b"\n")?;
            file.write_all(&body)?;
            file.sync_all()?;
            fs::rename(&part, &self.file)
        };
        write().inspect_err(|_| drop(fs::remove_file(&part)))?;
        // The new name, too, is to outlive the machine.
        File::open(folder)?.sync_all()
    }

    /// Returns the file's name, as typed.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

#[cfg(test)]
mod tests {
    use protocol::{ExitStatus, Explore, Heap, Limits, MonitorName, VERSION, Wakeups};

    use super::{Checkpoint, Key};
    use crate::search::progress::Progress;

    fn key(preemptions: u32) -> Key {
        let explore = Explore {
            version: VERSION,
            explorer: protocol::Explorer::Bounded,
            seed: 0,
            preemptions: Some(preemptions),
            rounds: protocol::Rounds::default(),
            monitors: vec![MonitorName::Tso],
            limits: Limits {
                max_events: 1,
                memory: 1,
                local_seconds: 1,
                weak_failures: 0,
                wakeups: Wakeups::Signalled,
                exit_status: ExitStatus::default(),
            },
            heap: Heap::default(),
            stop_at_first: false,
            graphs: None,
            machine: None,
            compared: None,
            repair: None,
            orders: None,
            record: protocol::Recorded::Nothing,
            directory: None,
        };
        Key::new(vec!["a.c".to_string()], &[], String::new(), &[], &[], &explore)
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state");
        let (checkpoint, saved) = Checkpoint::open(&file, key(2)).unwrap();
        assert_eq!(saved, None);
        let progress = Progress::whole();
        checkpoint.write(&progress).unwrap();
        assert_eq!(Checkpoint::open(&file, key(2)).unwrap().1, Some(progress));
        let other = Checkpoint::open(&file, key(3)).unwrap_err();
        assert!(other.message.ends_with("state: a checkpoint of another search: other options of `fencehound check`"));
        // As if it had been killed while it wrote.
        std::fs::write(folder.path().join(".state.fencehound"), "{").unwrap();
        checkpoint.write(&Progress::whole()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    }

    #[test]
    fn any_cut_and_any_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state");
        Checkpoint::open(&file, key(2)).unwrap().0.write(&Progress::whole()).unwrap();
        let whole = std::fs::read(&file).unwrap();
        for length in 1..whole.len() {
            std::fs::write(&file, &whole[..length]).unwrap();
            assert!(Checkpoint::open(&file, key(2)).is_err(), "cut to {length} bytes");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&file, &changed).unwrap();
            assert!(Checkpoint::open(&file, key(2)).is_err(), "byte {at} changed");
        }
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes");
        for content in ["my notes\nmore\n", "{}\n{}\n", "{\"fencehound\":\"finding\"}\n"] {
            std::fs::write(&file, content).unwrap();
            let failure = Checkpoint::open(&file, key(2)).unwrap_err();
            assert!(failure.message.ends_with("notes: not a checkpoint of fencehound"), "{failure}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
        }
        assert!(Checkpoint::open(folder.path(), key(2)).unwrap_err().message.ends_with("not a file"));
    }
}
