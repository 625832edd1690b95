//! Checks of generated programs: the tool is run, and its result read.
//!
//! All programs of a batch are in one executable, which chooses one of those that its arguments name, so that one search
//! is about many of them. Each outcome begins with the number of its program, and each failure has a line of its program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;

use crate::program::{Program, SEPARATOR, file, native_file, word};

/// Seconds of processor time that a process of one run may take: the same on an idle machine and on a busy one.
const PROCESSOR_TIME: &str = "--cpu=600";

/// How much the compiler does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Optimised {
    Not,
    Much,
    /// Nothing, and dependencies are kept for the machines that keep them in order.
    NotDependent,
    /// Much, and dependencies are kept.
    MuchDependent,
}

impl Optimised {
    /// All of them.
    pub(crate) const ALL: [Optimised; 4] =
        [Optimised::Not, Optimised::Much, Optimised::NotDependent, Optimised::MuchDependent];

    /// The option for it, the name of what is compiled, and the option for dependencies.
    const fn names(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Optimised::Not => ("-O0", "batch-0", None),
            Optimised::Much => ("-O2", "batch-2", None),
            Optimised::NotDependent => ("-O0", "batch-0-dependent", Some("--power")),
            Optimised::MuchDependent => ("-O2", "batch-2-dependent", Some("--power")),
        }
    }
}

/// Programs, compiled. They have numbers from 1.
pub(crate) struct Batch {
    folder: tempfile::TempDir,
    tool: PathBuf,
    /// The lines of the file.
    source: Vec<String>,
    /// The number of the program that each line is of; 0 of none.
    owners: Vec<usize>,
    /// About how many interleavings each program has.
    sizes: Vec<f64>,
}

/// A way to search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) level: Optimised,
    pub(crate) options: Vec<String>,
    pub(crate) ends: Ends,
}

/// What ends a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// That there is nothing left to be run; so many executions of each program at most.
    Itself(u64),
    /// That all interleavings have been run; of each program not many more than there should be, and so many at most.
    Interleavings(u64),
    /// That it has run so many executions of each program.
    Budget(u64),
    /// That there is nothing left to be run, as another search has shown that comes to its end.
    AsKnown,
}

/// How far a check came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// To its end.
    Complete,
    /// A budget ended it.
    Cut,
    /// The program does what is refused, as the result names it.
    Refused(String),
    /// The tool did not do what it should, whatever the program does.
    Broken(String),
}

/// What a check gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Checked {
    pub(crate) extent: Extent,
    pub(crate) outcomes: BTreeSet<String>,
    /// What fails: kind and places.
    pub(crate) failures: BTreeSet<String>,
    /// Pairs of places of SC violations, by model.
    pub(crate) tso: BTreeSet<String>,
    pub(crate) pso: BTreeSet<String>,
}

impl Checked {
    /// Whether it came to its end.
    pub(crate) fn is_complete(&self) -> bool {
        self.extent == Extent::Complete
    }

    /// Whether a block or a local variable is used after its end.
    pub(crate) fn uses_what_has_ended(&self) -> bool {
        self.failures.iter().any(|failure| failure.starts_with("use-after-free"))
    }

    /// Whether something races, so that C11 says nothing of the program.
    pub(crate) fn races(&self) -> bool {
        self.failures.iter().any(|failure| failure.starts_with("race"))
    }

    fn nothing(extent: Extent) -> Self {
        let none = BTreeSet::new;
        Self { extent, outcomes: none(), failures: none(), tso: none(), pso: none() }
    }
}

/// What one run of the tool gave, of one program or of many.
struct Answer {
    extent: Extent,
    /// The program because of which the search did not come to its end, if that is known.
    culprit: Option<usize>,
    /// What belongs to each program.
    parts: BTreeMap<usize, Checked>,
}

fn compile(mut compiler: Command) -> Result<(), String> {
    let output = compiler.output().map_err(|error| format!("{compiler:?}: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(errors.lines().take(20).collect::<Vec<_>>().join("\n")) }
}

impl Batch {
    /// Compiles these programs for the tool.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn compile(tool: &Path, programs: &[Program], levels: &[Optimised]) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let text = file(programs);
        fs::write(folder.path().join("batch.c"), &text).map_err(|error| error.to_string())?;
        let source: Vec<String> = text.lines().map(str::to_owned).collect();
        let sizes = programs.iter().map(Program::interleavings).collect();
        let batch = Self { folder, tool: tool.to_path_buf(), owners: owners(&source), source, sizes };
        for &level in levels {
            let (option, name, dependencies) = level.names();
            let mut compiler = Command::new(&batch.tool);
            compiler.arg("cc").args(dependencies);
            compiler.args(["-w", "-pthread", option, "-o", name, "batch.c"]).current_dir(batch.folder.path());
            compile(compiler)?;
        }
        Ok(batch)
    }

    /// Compiles those programs that run natively, each under its number here, without the tool.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn compile_native(&self, programs: &[Program]) -> Result<(), String> {
        fs::write(self.folder.path().join("native.c"), native_file(programs)).map_err(|error| error.to_string())?;
        let mut compiler = Command::new("clang-19");
        compiler.args(["-w", "-pthread", "-O1", "-o", "native", "native.c"]).current_dir(self.folder.path());
        compile(compiler)
    }

    /// The outcomes of a program, run so many times on the machine itself; none if it does not end.
    pub(crate) fn run_natively(&self, number: usize, rounds: u64) -> Option<BTreeSet<String>> {
        let mut command = Command::new("timeout");
        command.args(["60", "./native", &number.to_string(), &rounds.to_string()]).current_dir(self.folder.path());
        let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(text.lines().filter_map(|line| line.split_once(' ')).map(|(_, outcome)| outcome.to_owned()).collect())
    }

    /// Checks these programs, all at once as far as that gives a result for each.
    pub(crate) fn check(&self, numbers: &[usize], search: &Search) -> BTreeMap<usize, Checked> {
        let answer = self.ask(numbers, search);
        let drawn = matches!(search.ends, Ends::Budget(_)) && answer.extent == Extent::Cut;
        if numbers.len() <= 1 || answer.extent == Extent::Complete || drawn {
            let with = |checked| Checked { extent: answer.extent.clone(), ..checked };
            return answer.parts.into_iter().map(|(number, checked)| (number, with(checked))).collect();
        }
        let (some, others) = match answer.culprit {
            Some(culprit) => numbers.iter().partition(|&&number| number == culprit),
            None => (numbers[..numbers.len() / 2].to_vec(), numbers[numbers.len() / 2..].to_vec()),
        };
        let mut all = self.check(&some, search);
        all.extend(self.check(&others, search));
        // What goes wrong for many at once is told, even if it does not for each.
        if let Extent::Broken(why) = answer.extent
            && !all.values().any(|checked| matches!(checked.extent, Extent::Broken(_)))
        {
            all.insert(numbers[0], Checked::nothing(Extent::Broken(format!("with others, {numbers:?}: {why}"))));
        }
        all
    }

    /// Runs the tool once for these programs.
    fn ask(&self, numbers: &[usize], search: &Search) -> Answer {
        let result = self.folder.path().join("result.json");
        drop(fs::remove_file(&result));
        let each = |number: usize| match search.ends {
            Ends::Itself(each) | Ends::Budget(each) => Some(each),
            Ends::Interleavings(most) => Some(most.min(100 + 4 * self.sizes[number - 1] as u64)),
            Ends::AsKnown => None,
        };
        let executions: Option<u64> = numbers.iter().map(|&number| each(number)).sum();
        let mut command = Command::new("prlimit");
        command.arg(PROCESSOR_TIME).arg(&self.tool).args([
            "check",
            search.level.names().1,
            "--no-judge",
            "--color",
            "never",
        ]);
        command.args(&search.options);
        if let Some(executions) = executions {
            command.arg("--executions").arg(executions.to_string());
        }
        command.arg("--json").arg(&result).args(["--out", "found", "--"]);
        command.args(numbers.iter().map(|&number| word(number))).current_dir(self.folder.path());
        let nothing = || numbers.iter().map(|&number| (number, Checked::nothing(Extent::Complete))).collect();
        let broken = |why| Answer { extent: Extent::Broken(why), culprit: None, parts: nothing() };
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => return broken(error.to_string()),
        };
        let parsed = fs::read_to_string(&result).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let status = output.status.code().unwrap_or(-1);
        match parsed {
            Some(value) if matches!(status, 0 | 1 | 3 | 4) => {
                let mut answer = Answer { extent: extent(&value), culprit: self.culprit(&value), parts: nothing() };
                if let Err(why) = self.read(&value, &mut answer.parts) {
                    answer.extent = Extent::Broken(why);
                }
                answer
            }
            _ => broken(format!("status {status}: {}", String::from_utf8_lossy(&output.stderr).trim())),
        }
    }

    /// Gives each program its outcomes and violations.
    ///
    /// # Errors
    /// Something belongs to none of the programs.
    fn read(&self, value: &Value, parts: &mut BTreeMap<usize, Checked>) -> Result<(), String> {
        for outcome in list(value, "outcomes").iter().filter_map(Value::as_str) {
            let (number, outcome) =
                of_program(outcome).ok_or_else(|| format!("an outcome of no program: {outcome}"))?;
            let checked = parts.get_mut(&number).ok_or_else(|| format!("an outcome of another program: {outcome}"))?;
            checked.outcomes.insert(outcome);
        }
        for violation in list(value, "violations") {
            let text = self.violation(&violation);
            let owner = list(&violation, "sites").iter().find_map(|site| self.owner(site));
            let number = owner.or_else(|| parts.keys().next().copied().filter(|_| parts.len() == 1));
            let checked = number.and_then(|number| parts.get_mut(&number));
            let checked = checked.ok_or_else(|| format!("a violation of no program: {text}"))?;
            match violation["model"].as_str() {
                _ if violation["kind"] != "sc-violation" => checked.failures.insert(text),
                Some("tso") => checked.tso.insert(text),
                _ => checked.pso.insert(text),
            };
        }
        Ok(())
    }

    /// The program that has the line of a place in the result.
    fn owner(&self, place: &Value) -> Option<usize> {
        let line = usize::try_from(place["line"].as_u64()?).ok()?;
        self.owners.get(line.checked_sub(1)?).copied().filter(|&number| number > 0)
    }

    /// The program because of which a search did not come to its end, as far as the result names a line.
    fn culprit(&self, value: &Value) -> Option<usize> {
        let unsupported = list(value, "unsupported");
        let erratic = list(value, "violations").into_iter().filter(|one| one["kind"] == "nondeterministic");
        let sites: Vec<Value> = erratic.flat_map(|one| list(&one, "sites")).collect();
        let loops = [&value["busiest_loop"], &value["silent_thread"]];
        unsupported.iter().chain(&sites).chain(loops).find_map(|place| self.owner(place))
    }

    /// A violation as what does not depend on who found it.
    fn violation(&self, violation: &Value) -> String {
        let kind = violation["kind"].as_str().unwrap_or("?");
        let mut places = BTreeSet::new();
        for site in list(violation, "sites") {
            let role = site["role"].as_str().unwrap_or("?");
            if kind == "sc-violation" && role == "previous" {
                continue;
            }
            let line = site["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(0);
            let text = self.source.get(line.wrapping_sub(1)).map_or("", |line| line.trim());
            places.insert(format!("{role} {line}:{} `{text}`", site["column"]));
        }
        format!("{kind}: {}", places.into_iter().collect::<Vec<_>>().join(", "))
    }
}

fn list(value: &Value, key: &str) -> Vec<Value> {
    value[key].as_array().cloned().unwrap_or_default()
}

fn extent(value: &Value) -> Extent {
    if value["verdict"] == "unsupported" {
        let what = |one: &Value| one["what"].as_str().unwrap_or("?").to_owned();
        let named: Vec<String> = list(value, "unsupported").iter().map(what).collect();
        return Extent::Refused(if named.is_empty() { "nondeterministic".to_owned() } else { named.join(", ") });
    }
    if value["complete"] == true { Extent::Complete } else { Extent::Cut }
}

/// Splits an outcome into the number of its program, which main observes first, and what is observed beside that.
fn of_program(outcome: &str) -> Option<(usize, String)> {
    let (main, others) = outcome.split_once("; ").unwrap_or((outcome, ""));
    let mut values = main.strip_prefix("main: ")?.splitn(2, ' ');
    let number = values.next()?.parse().ok()?;
    let main = values.next().map_or(String::new(), |values| format!("main: {values}"));
    let parts = [main.as_str(), others];
    Some((number, parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")))
}

/// The number of the program that each line is of.
fn owners(source: &[String]) -> Vec<usize> {
    let count = |number: &mut usize, line: &String| {
        *number += usize::from(line.starts_with(SEPARATOR));
        Some(*number)
    };
    source.iter().scan(0, count).collect()
}

/// The tool, built and put together.
pub(crate) fn tool() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    drop(fs::remove_dir_all(&folder));
    crate::installed::install(&folder)
}
