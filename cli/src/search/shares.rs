//! Shares of a search, which run where nobody hears of the others, and the search that they are together.
//!
//! Whoever runs a share begins the search in the same way, in slices of so many executions, until enough units wait. Unit u is of share
//! u modulo the number of shares, and is run to its end by itself. Its results are those that it has in the whole search, where
//! they stand in the place of the unit: so the shares are joined unit by unit, in the order of the units.

use std::fs;
use std::path::{Path, PathBuf};

use protocol::{BUILD, Explore, Unit, VERSION};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::checkpoint::Key;
use super::hands::Spread;
use super::progress::{End, Progress};
use super::queue::Queue;
use super::totals::{Totals, agree};
use super::{Budget, Extent, Search};
use crate::exit::{Failure, Status};
use crate::interrupt::Interrupts;
use crate::program::Program;
use crate::record::Record;
use crate::screen::Volume;
use crate::text::reason;

/// The number of units for each share, and the executions of a slice at the beginning.
const UNITS: usize = 16;
const STEP: u64 = 8;
/// The number of units for each share where tests cut short searches, too.
const UNITS_OF_TESTS: usize = 2;
/// The value of the key `fencehound` in the file of a share.
const MARK: &str = "share";

/// A share: its number, from 1, and the number of shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shard {
    pub(crate) number: usize,
    pub(crate) of: usize,
}

/// The results of a unit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Part {
    index: usize,
    totals: Totals,
    end: End,
}

/// The results of a share.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Share {
    key: Key,
    /// The command line.
    command: Vec<String>,
    shard: Shard,
    /// What all shares have run, with a hash of what it left.
    beginning: Totals,
    end: Option<End>,
    units: usize,
    hash: String,
    parts: Vec<Part>,
    seconds: f64,
}

/// The first line of the file of a share.
#[derive(Serialize, Deserialize)]
struct Head {
    fencehound: String,
    version: u32,
    build: String,
    hash: String,
}

/// A search that was joined from shares.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Joined {
    key: Key,
    /// The command line of the first share.
    pub(crate) command: Vec<String>,
    progress: Progress,
}

fn hash(text: &[u8]) -> String {
    format!("sha256:{:x}", Sha256::digest(text))
}

fn plain(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("results are plain data")
}

/// Runs a share of a search.
///
/// # Errors
/// If it did not come to its end.
pub(crate) fn run(
    (program, job): (&Program, &Explore),
    (key, command): (Key, Vec<String>),
    (shard, spread): (Shard, &Spread),
    interrupts: &Interrupts,
) -> Result<Share, Failure> {
    let budget = Budget::default();
    let steps = Spread { workers: 1, executor: None, slice: spread.slice.or(Some(STEP)) };
    let units = if spread.slice.is_some() { UNITS_OF_TESTS } else { UNITS };
    let mut search = Search::new(program, job, budget, (&steps, Volume::Quiet), interrupts);
    search.extent = Extent::Beginning(units * shard.of);
    conclude(&mut search)?;
    let seconds = |search: &Search<'_>| search.begun.elapsed().as_secs_f64();
    let (beginning, end) = (search.progress.totals.clone(), search.progress.end.clone());
    let units: Vec<Unit> = if end.is_some() { Vec::new() } else { search.progress.queue.units().cloned().collect() };
    let left = (&units, &beginning.threads, beginning.divisions(), beginning.tally.executions);
    let mut share = Share {
        key,
        command,
        shard,
        end,
        units: units.len(),
        hash: hash(&plain(&left)),
        parts: Vec::new(),
        seconds: seconds(&search),
        beginning,
    };
    for (index, unit) in units.into_iter().enumerate().filter(|(index, _)| index % shard.of == shard.number - 1) {
        let mut search = Search::new(program, job, budget, (spread, Volume::Quiet), interrupts);
        search.extent = Extent::Share;
        search.progress = Progress { totals: share.beginning.known(), queue: Queue::new(unit), ..Progress::whole() };
        conclude(&mut search)?;
        share.seconds += seconds(&search);
        let Some(end) = search.progress.end.take() else { return Err(interrupted()) };
        share.parts.push(Part { index, totals: search.progress.totals, end });
    }
    Ok(share)
}

fn interrupted() -> Failure {
    let message = "the share was not run to its end".to_string();
    Failure { status: Status::Incomplete, message, help: Some("the same command begins it anew".to_string()) }
}

fn conclude(search: &mut Search<'_>) -> Result<(), Failure> {
    let result = search.explore(&mut Record::create(None)?);
    search.hands.stay_here();
    result?;
    if search.stopped.is_some() { Err(interrupted()) } else { Ok(()) }
}

impl Share {
    /// Writes the share into a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Failure> {
        let body = plain(self);
        let build = String::from_utf8_lossy(&BUILD).into_owned();
        let head = Head { fencehound: MARK.to_string(), version: VERSION, build, hash: hash(&body) };
        let text = [plain(&head), b"\n".to_vec(), body].concat();
        fs::write(file, text).map_err(|error| {
            let message = format!("{}: cannot be written: {}", file.display(), reason(&error));
            Failure::usage(message, "change to a folder that can be written")
        })
    }

    /// Returns how many executions the share has run, besides those that all shares run.
    pub(crate) fn executions(&self) -> u64 {
        self.parts.iter().map(|part| part.totals.tally.executions).sum()
    }

    fn read(file: &Path) -> Result<Share, Failure> {
        let refused = |what: &str| {
            Failure::usage(format!("{}: {what}", file.display()), "name the files that `check --shard` has written")
        };
        let content = fs::read(file).map_err(|error| refused(&reason(&error)))?;
        let foreign = || refused("not a share of a search of fencehound");
        let end = content.iter().position(|&byte| byte == b'\n').ok_or_else(foreign)?;
        let (head, body) = (&content[..end], &content[end + 1..]);
        let head: Head = serde_json::from_slice(head).map_err(|_| foreign())?;
        if head.fencehound != MARK {
            return Err(foreign());
        }
        if head.version != VERSION || head.build.as_bytes() != BUILD {
            return Err(refused("a share of another version of fencehound"));
        }
        if head.hash != hash(body) {
            return Err(refused("a corrupt share"));
        }
        serde_json::from_slice(body).map_err(|_| refused("a corrupt share"))
    }
}

/// Returns the difference between two shares that keeps them from being of one search, if there is one.
fn difference(one: &Share, other: &Share) -> Option<&'static str> {
    if let Some(what) = one.key.difference(&other.key) {
        return Some(what);
    }
    let began_so = (one.hash == other.hash) && (one.units, &one.end) == (other.units, &other.end);
    let same = [
        (one.shard.of == other.shard.of, "another number of shares"),
        (began_so, "a search that began otherwise, although the program is the same: it is not deterministic"),
    ];
    same.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
}

/// Joins the shares in these files.
///
/// # Errors
/// If they are not all the shares of one search, each once.
pub(crate) fn join(files: &[PathBuf]) -> Result<Joined, Failure> {
    let help = "name the files of all shares of one search, each once";
    let shares = files.iter().map(|file| Share::read(file)).collect::<Result<Vec<_>, Failure>>()?;
    let Some(first) = shares.first() else { return Err(Failure::usage("no share is named", help)) };
    let mut of: Vec<Option<&Share>> = vec![None; first.shard.of];
    for (file, share) in files.iter().zip(&shares) {
        let refused = |what: String| Err(Failure::usage(format!("{}: {what}", file.display()), help));
        if let Some(what) = difference(first, share) {
            return refused(format!("a share of another search than {}: {what}", files[0].display()));
        }
        match share.shard.number.checked_sub(1).and_then(|index| of.get_mut(index)) {
            Some(place @ None) => *place = Some(share),
            Some(Some(_)) => {
                return refused(format!("share {} of {} for the second time", share.shard.number, of.len()));
            }
            None => return refused("a corrupt share".to_string()),
        }
    }
    if let Some(lacking) = of.iter().position(Option::is_none) {
        return Err(Failure::usage(format!("share {} of {} is missing", lacking + 1, of.len()), help));
    }
    let mut parts: Vec<&Part> = shares.iter().flat_map(|share| &share.parts).collect();
    parts.sort_by_key(|part| part.index);
    if parts.iter().map(|part| part.index).ne(0..first.units) {
        return Err(Failure::internal("the shares do not have each unit once"));
    }
    let seconds = shares.iter().map(|share| share.seconds).sum();
    let progress = Progress { seconds, ..joined(first, &parts)? };
    Ok(Joined { key: first.key.clone(), command: first.command.clone(), progress })
}

/// Joins units, in their order, up to the first one that ends the search.
fn joined(first: &Share, parts: &[&Part]) -> Result<Progress, Failure> {
    let mut totals = first.beginning.clone();
    let mut end = first.end.clone();
    for part in parts {
        if !agree(&totals.threads, &part.totals.threads) {
            return Err(Failure::unsupported(
                "which threads the program has depends on the schedule, so that shares give them different numbers",
                "run the search in one piece",
            ));
        }
        totals.append(&part.totals, first.seconds);
        end = Some(part.end.clone());
        if part.end != End::Complete {
            break;
        }
    }
    let end = end.or(Some(End::Complete));
    Ok(Progress { totals, queue: Queue::default(), end, ..Progress::whole() })
}

impl Joined {
    /// Makes a search the one that was joined, which has been run, if that has this key.
    ///
    /// # Errors
    /// If it is another one.
    pub(crate) fn take_place_of(&self, search: &mut Search<'_>, key: &Key) -> Result<(), Failure> {
        match self.key.difference(key) {
            None => {
                (search.before, search.progress) = (self.progress.seconds, self.progress.clone());
                Ok(())
            }
            Some(what) => Err(Failure::usage(
                format!("the shares are of another search: {what}"),
                "join them in the folder where they were run, with the program as it was",
            )),
        }
    }
}
