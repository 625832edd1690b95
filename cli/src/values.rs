//! The values of options: each is read into a type, or refused in the tool's own words.

use std::thread::available_parallelism;

use clap::builder::{PossibleValue, TypedValueParser};
use protocol::{Compared, MemoryModel, MonitorName};

use crate::exit::Failure;
use crate::plan::explorer::Explorer;
use crate::search::shares::Shard;

/// The memory models of `--model`, each once, in the order given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Models(pub(crate) Vec<MemoryModel>);

/// The monitors of `--monitor`, each once, in the order given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Monitors(pub(crate) Vec<MonitorName>);

/// The value of `--preemptions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Preemptions {
    /// There is no bound: all executions are run.
    Unbounded,
    /// There are at most this many preemptions.
    AtMost(u32),
}

/// The value of `--delays`: the number of stores that may be delayed at a time, if that is bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Delays(pub(crate) Option<u32>);

/// A time, greater than 0.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Time {
    /// The text that was typed: `30s`.
    pub(crate) typed: String,
    /// The time in seconds.
    pub(crate) seconds: f64,
}

/// The words in a value of `--cflags`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Words(pub(crate) Vec<String>);

/// The value of `--outcome`: the part of the end of an execution that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Outcomes {
    /// What memory holds and what threads return are compared, too.
    Memory,
    /// What is printed and observed is compared, too.
    Observed,
    /// Only exit statuses are compared.
    Exit,
}

impl Outcomes {
    /// Returns what the value asks of the program.
    pub(crate) const fn compared(self) -> Compared {
        match self {
            Outcomes::Memory => Compared::Memory,
            Outcomes::Observed => Compared::Observed,
            Outcomes::Exit => Compared::Exit,
        }
    }
}

/// How findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// With the source and the execution, for people.
    Text,
    /// As gcc's warnings, for editors and whatever else knows them.
    Gcc,
}

/// The condition on which a program is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Until {
    /// The program is right when it fails and ends as under sequential consistency.
    Harmless,
    /// The program is right when each execution is like an interleaving.
    Sc,
}

impl Until {
    /// Returns its name, as typed.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Until::Harmless => "harmless",
            Until::Sc => "sc",
        }
    }
}

/// The treatment of exit statuses other than 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ExitStatuses {
    /// Such statuses are violations.
    Report,
    /// Such statuses are ends as any other.
    Ignore,
}

/// Whether processors have something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Switch {
    /// They have it.
    On,
    /// They do not.
    Off,
}

/// A rule for release sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Sequences {
    /// The rule of C11 and C17: later atomic writes of the same thread belong to them.
    C11,
    /// The rule of C++20: only read-modify-writes do.
    #[value(name = "c++20")]
    Cpp20,
}

/// The most processes that may be asked for; more are a mistake.
const WORKERS: usize = 1024;

impl Preemptions {
    /// Returns the bound, if there is one.
    pub(crate) const fn bound(self) -> Option<u32> {
        match self {
            Preemptions::Unbounded => None,
            Preemptions::AtMost(bound) => Some(bound),
        }
    }
}

impl Time {
    /// Returns the time in whole seconds, rounded up.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 < seconds < 1e9")]
    pub(crate) fn whole_seconds(&self) -> u64 {
        self.seconds.ceil() as u64
    }
}

/// What reads a value, and knows names that shells and the manual may offer.
#[derive(Clone, Debug)]
pub(crate) struct Named<T> {
    read: fn(&str) -> Result<T, Failure>,
    names: Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&clap::Arg>,
        typed: &std::ffi::OsStr,
    ) -> Result<T, clap::Error> {
        self.read.parse_ref(command, option, typed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// What reads `--model`.
pub(crate) fn models_named() -> Named<Models> {
    let names = MemoryModel::ALL.into_iter().map(MemoryModel::name).chain(["all"]).collect();
    Named { read: models, names }
}

/// What reads `--monitor`.
pub(crate) fn monitors_named() -> Named<Monitors> {
    let names = MonitorName::ALL.into_iter().map(MonitorName::name).chain(["none"]).collect();
    Named { read: monitors, names }
}

/// What reads `--explorer`.
pub(crate) fn explorer_named() -> Named<Explorer> {
    Named { read: explorer, names: Explorer::ALL.into_iter().map(Explorer::name).collect() }
}

/// Reads a list of memory models: `sc,tso`, or `all`, which is all but PSO.
pub(crate) fn models(list: &str) -> Result<Models, Failure> {
    let mut chosen = Vec::new();
    for name in list.split(',').map(str::trim) {
        let name = if name == "arm" { MemoryModel::Armv8.name() } else { name };
        let one = || MemoryModel::ALL.into_iter().find(|known| known.name() == name).map(|model| vec![model]);
        let named = if name == "all" { Some(MemoryModel::MACHINES.to_vec()) } else { one() };
        let Some(named) = named else {
            let available = "available are sc, tso, pso, power, armv8, riscv, c11, and all (but pso)";
            return Err(Failure::usage(format!("unknown model `{name}`"), available));
        };
        for model in named {
            if !chosen.contains(&model) {
                chosen.push(model);
            }
        }
    }
    Ok(Models(chosen))
}

/// Reads a list of monitors: `tso,race`, or `none`.
pub(crate) fn monitors(list: &str) -> Result<Monitors, Failure> {
    let available = || format!("available are {}, and none alone", MonitorName::ALL.map(MonitorName::name).join(", "));
    let mut chosen = Vec::new();
    if list == "none" {
        return Ok(Monitors(chosen));
    }
    for name in list.split(',').map(str::trim) {
        let monitor = match MonitorName::ALL.into_iter().find(|known| known.name() == name) {
            Some(monitor) => monitor,
            None if name == "none" => {
                return Err(Failure::usage("monitor `none` cannot be combined with others", available()));
            }
            None => return Err(Failure::usage(format!("unknown monitor `{name}`"), available())),
        };
        if !chosen.contains(&monitor) {
            chosen.push(monitor);
        }
    }
    Ok(Monitors(chosen))
}

/// Reads the name of an explorer.
pub(crate) fn explorer(name: &str) -> Result<Explorer, Failure> {
    const AVAILABLE: &str = "available are auto, bounded, dpor, random, pct and urw (for sc), and rsmc";
    let known = Explorer::ALL.into_iter().find(|explorer| explorer.name() == name);
    known.ok_or_else(|| Failure::usage(format!("unknown explorer `{name}`"), AVAILABLE))
}

/// Reads a bound on preemptions: a number, or `none`.
pub(crate) fn preemptions(typed: &str) -> Result<Preemptions, Failure> {
    if typed == "none" {
        return Ok(Preemptions::Unbounded);
    }
    let wrong = |_| Failure::usage(format!("--preemptions `{typed}` is no bound"), "give 0, 1, 2, … or none");
    typed.parse().map(Preemptions::AtMost).map_err(wrong)
}

/// Reads a bound on delayed stores: a number, or `none`.
pub(crate) fn delays(typed: &str) -> Result<Delays, Failure> {
    if typed == "none" {
        return Ok(Delays(None));
    }
    let wrong = |_| Failure::usage(format!("--delays `{typed}` is no bound"), "give 0, 1, 2, … or none");
    typed.parse().map(|most| Delays(Some(most))).map_err(wrong)
}

/// Reads the seed of a random search.
pub(crate) fn seed(typed: &str) -> Result<u64, Failure> {
    let wrong = |_| Failure::usage(format!("--seed `{typed}` is no seed"), "give a whole number from 0");
    typed.parse().map_err(wrong)
}

/// Reads a number of processes.
pub(crate) fn workers(typed: &str) -> Result<usize, Failure> {
    if let Ok(workers @ 1..=WORKERS) = typed.parse() {
        return Ok(workers);
    }
    let message = format!("-j `{typed}` is no number of processes");
    Err(Failure::usage(message, format!("give a whole number from 1 to {WORKERS}")))
}

/// Returns the number of processes that are used unless the user gives one: one for each core.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Reads the number of weak compare-and-exchanges that may fail.
pub(crate) fn weak_failures(typed: &str) -> Result<u32, Failure> {
    let wrong = |_| Failure::usage(format!("--weak-cas-fails `{typed}` is no count"), "give 0, 1, 2, …");
    typed.parse().map_err(wrong)
}

/// Reads a count of this option, which is at least 1.
pub(crate) fn count(option: &str, typed: &str) -> Result<u64, Failure> {
    match typed.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(Failure::usage(format!("{option} `{typed}` is no count"), "give a whole number from 1")),
    }
}

/// Reads a time of this option: `500ms`, `30s`, `1.5m`, `1h`.
pub(crate) fn time(option: &str, typed: &str) -> Result<Time, Failure> {
    let wrong =
        || Failure::usage(format!("{option} `{typed}` is no time"), "give a number and a unit: 500ms, 30s, 2m, 1h");
    let unit = typed.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = typed.split_at(unit);
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let digits = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    match number.parse::<f64>() {
        Ok(value) if digits && value > 0.0 && value * scale < 1e9 => {
            Ok(Time { typed: typed.to_string(), seconds: value * scale })
        }
        _ => Err(wrong()),
    }
}

/// Reads clang's level of optimisation.
pub(crate) fn optimisation(level: &str) -> Result<String, Failure> {
    if ["0", "1", "2", "3", "s", "z", "g", "fast"].contains(&level) {
        return Ok(level.to_string());
    }
    Err(Failure::usage(format!("unknown optimisation level -O{level}"), "give -O0, -O1, -O2 or -O3"))
}

/// Reads options of the compiler, quoted as in a shell.
pub(crate) fn words(flags: &str) -> Result<Words, Failure> {
    let wrong = || Failure::usage(format!("--cflags `{flags}` has an open quote"), "quote as in a shell");
    shlex::split(flags).map(Words).ok_or_else(wrong)
}

/// Reads a command, quoted as in a shell.
pub(crate) fn command(typed: &str) -> Result<Words, Failure> {
    let wrong = || {
        let message = format!("--executor `{typed}` is no command");
        Failure::usage(message, "give a program and its arguments, quoted as in a shell")
    };
    shlex::split(typed).filter(|words| !words.is_empty()).map(Words).ok_or_else(wrong)
}

/// Reads the address of a scheduler of dask.distributed; the words are the command of the executor that speaks with it.
pub(crate) fn cluster(address: &str) -> Result<Words, Failure> {
    let is_address = address.split_once("://").is_some_and(|(kind, place)| !kind.is_empty() && !place.is_empty());
    if !is_address || address.contains(char::is_whitespace) {
        let message = format!("--cluster `{address}` is no address");
        return Err(Failure::usage(message, "give that of a scheduler of dask.distributed: tcp://10.0.0.1:8786"));
    }
    let words = ["python3", "-m", "fencehound_dask", "--scheduler", address];
    Ok(Words(words.map(str::to_string).to_vec()))
}

/// The most shares of a search.
const SHARES: usize = 1000;

/// Reads the number of a share, and that of all.
pub(crate) fn shard(typed: &str) -> Result<Shard, Failure> {
    let numbers = typed.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of @ 1..=SHARES)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
        _ => Err(Failure::usage(
            format!("--shard `{typed}` is no share"),
            format!("give its number, from 1, and that of all, at most {SHARES}: 2/8"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use protocol::MonitorName;

    use super::{Preemptions, count, monitors, preemptions, time};

    #[test]
    fn times() {
        let given = |text| time("--time", text).ok().map(|time| time.seconds);
        assert_eq!(given("30s"), Some(30.0));
        assert_eq!(given("500ms"), Some(0.5));
        assert_eq!(given("2m"), Some(120.0));
        assert_eq!(given("1.5h"), Some(5400.0));
        for wrong in ["30", "s", "-1s", "1d", "1 s", "0s", "", "inf s", "1e99h", "1.2.3s", "∞s"] {
            assert_eq!(given(wrong), None, "{wrong}");
        }
        assert_eq!(time("--local-timeout", "500ms").unwrap().whole_seconds(), 1);
    }

    #[test]
    fn bounds_and_counts() {
        assert_eq!(preemptions("none").unwrap(), Preemptions::Unbounded);
        assert_eq!(preemptions("3").unwrap(), Preemptions::AtMost(3));
        assert!(preemptions("-1").is_err());
        assert_eq!(count("--executions", "7").unwrap(), 7);
        assert!(count("--executions", "0").is_err());
        assert!(count("--executions", "many").is_err());
    }

    #[test]
    fn monitor_lists() {
        let monitors = |list| monitors(list).map(|monitors| monitors.0);
        assert_eq!(monitors("pso,tso,pso").unwrap(), [MonitorName::Pso, MonitorName::Tso]);
        assert_eq!(monitors("none").unwrap(), []);
        assert_eq!(monitors("tso,none").unwrap_err().message, "monitor `none` cannot be combined with others");
        assert_eq!(monitors("race, prefix_tso").unwrap(), [MonitorName::Race, MonitorName::PrefixTso]);
        assert_eq!(monitors("sc-atomicity").unwrap(), [MonitorName::ScAtomicity]);
        let unknown = monitors("tsoo").unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "error: unknown monitor `tsoo`\nhelp: available are tso, pso, burnim_tso, burnim_pso, prefix_tso, \
             prefix_pso, exact_tso, sober, race, sc-atomicity, tso-atomicity, sc-equivalence, and none alone"
        );
    }
}
