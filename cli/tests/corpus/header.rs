//! The headers of the C programs: what to run, and what to expect. `c-tests/README.md` describes the grammar.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use libtest_mimic::{Failed, Trial};

/// A line of the source.
pub(crate) type Line = u64;

/// The monitors that a header can speak of.
pub(crate) const MONITORS: [&str; 8] =
    ["tso", "pso", "burnim_tso", "burnim_pso", "prefix_tso", "prefix_pso", "exact_tso", "sober"];

/// What comes of SC violations, in the result and in headers.
pub(crate) const CONSEQUENCES: [(&str, &str); 3] = [("fails", "fails"), ("none", "harmless"), ("undecided", "open")];

/// The judgements on what monitors report.
const JUDGEMENTS: [&str; 4] = ["breaks", "shows", "harmless", "open"];

/// The monitors of atomicity.
pub(crate) const ATOMICITY: [&str; 2] = ["sc-atomicity", "tso-atomicity"];

/// The edges of a cycle of transactions.
pub(crate) type Cycle = BTreeSet<(Line, Line)>;

const VERDICTS: [&str; 4] = ["clean", "violations", "incomplete", "unsupported"];

/// The kinds of violations that have no delayed store.
const FAILURES: [&str; 15] = [
    "assertion",
    "crash",
    "deadlock",
    "double-free",
    "exit-status",
    "invalid-free",
    "leak",
    "livelock",
    "lost-wakeup",
    "misuse",
    "nondeterministic",
    "out-of-bounds",
    "race",
    "uninitialised",
    "use-after-free",
];

/// One check of a program, and what it must give.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Run {
    /// Options of `fencehound check`.
    pub(crate) options: Vec<String>,
    /// The verdict.
    pub(crate) verdict: String,
    /// The number of executions, if it is stated.
    pub(crate) executions: Option<u64>,
    /// The most runs that the search may take, if that is stated.
    pub(crate) runs: Option<u64>,
    /// The number of executions given up at an assumption.
    pub(crate) blocked: u64,
    /// The budget that ended the search.
    pub(crate) stopped_by: Option<String>,
    /// The loop in which most of the events were that ended the search.
    pub(crate) busiest_loop: Option<Line>,
    /// By monitor: the distinct pairs of delayed store and overtaking access.
    pub(crate) pairs: BTreeMap<String, BTreeSet<(Line, Line)>>,
    /// By what comes of them, `fails`, `harmless` or `open`: the pairs of which that is said.
    pub(crate) consequences: BTreeMap<String, BTreeSet<(Line, Line)>>,
    /// Whether what the monitors report is judged, by default.
    pub(crate) is_judged: bool,
    /// By memory model under which they report something: the judgement.
    pub(crate) models: BTreeMap<String, String>,
    /// By monitor of atomicity: the cycles.
    pub(crate) cycles: BTreeMap<String, BTreeSet<Cycle>>,
    /// Whether something is left open.
    pub(crate) is_undecided: bool,
    /// By kind: for each violation the lines that take part, in order.
    pub(crate) failures: BTreeMap<String, Vec<BTreeSet<Line>>>,
    /// What is not supported: its line, and words that name it.
    pub(crate) unsupported: Option<(Line, String)>,
    /// External functions that the result lists.
    pub(crate) uninstrumented: Vec<String>,
    /// The distinct outcomes.
    pub(crate) outcomes: BTreeSet<String>,
}

impl Run {
    /// The options. Where no judgement is expected nothing is judged, and interleavings are run by the explorer `bounded`
    /// unless another one is named.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if !self.is_judged {
            arguments.push("--no-judge".to_string());
            let says = |option: &str| self.options.iter().any(|one| one.starts_with(option));
            if !says("--explorer") && !says("--model") {
                arguments.extend(["--explorer", "bounded"].map(str::to_string));
            }
        }
        // In front: what stands behind `--` is the program's.
        arguments.extend_from_slice(&self.options);
        arguments
    }
}

/// A `//@ key: value`.
#[derive(Clone, Debug)]
struct Entry {
    line: Line,
    key: String,
    value: String,
}

impl Entry {
    fn wrong(&self, why: impl Display) -> String {
        format!("line {}, `{}`: {why}", self.line, self.key)
    }

    fn number(&self) -> Result<u64, String> {
        self.value.parse().map_err(|_| self.wrong("not a number"))
    }
}

/// Reads the header of a program.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn parse(text: &str) -> Result<Vec<Run>, String> {
    let mut shared = Vec::new();
    let mut blocks: Vec<Vec<Entry>> = Vec::new();
    for entry in entries(text)? {
        if entry.key == "run" {
            blocks.push(vec![entry]);
        } else {
            blocks.last_mut().unwrap_or(&mut shared).push(entry);
        }
    }
    if !shared.iter().any(|entry| entry.key == "why") {
        return Err("no `why` before the first run".to_string());
    }
    if blocks.is_empty() {
        blocks.push(Vec::new());
    }
    let mut labels = Labels::read(text)?;
    let runs = blocks.iter().map(|block| run(&shared, block, &mut labels)).collect::<Result<Vec<Run>, String>>()?;
    labels.all_used()?;
    Ok(runs)
}

/// The lines at the top of the file that begin with `//@`; one that is indented belongs to the one before it.
fn entries(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut over = false;
    for (line, text) in (1..).zip(text.lines()) {
        let Some(rest) = text.strip_prefix("//@") else {
            over = true;
            continue;
        };
        if over {
            return Err(format!("line {line}: part of the header, but not at the top of the file"));
        }
        if let (true, Some(last)) = (rest.starts_with("  "), entries.last_mut()) {
            last.value = format!("{} {}", last.value, rest.trim());
            continue;
        }
        let (key, value) = rest.split_once(':').ok_or_else(|| format!("line {line}: not `key: value`"))?;
        entries.push(Entry { line, key: key.trim().to_string(), value: value.trim().to_string() });
    }
    Ok(entries)
}

/// Names of lines: `// @name` at their end.
struct Labels {
    lines: BTreeMap<String, Line>,
    unused: BTreeSet<String>,
}

impl Labels {
    fn read(text: &str) -> Result<Labels, String> {
        let mut lines = BTreeMap::new();
        for (line, text) in (1..).zip(text.lines()) {
            let Some((_, label)) = text.rsplit_once("// @") else { continue };
            if lines.insert(label.to_string(), line).is_some() {
                return Err(format!("line {line}: there is another line `@{label}`"));
            }
        }
        let unused = lines.keys().cloned().collect();
        Ok(Labels { lines, unused })
    }

    fn line(&mut self, entry: &Entry, label: &str) -> Result<Line, String> {
        self.unused.remove(label);
        self.lines.get(label).copied().ok_or_else(|| entry.wrong(format!("no line is `@{label}`")))
    }

    fn lines(&mut self, entry: &Entry, labels: &str) -> Result<BTreeSet<Line>, String> {
        labels.split_whitespace().map(|label| self.line(entry, label)).collect()
    }

    fn pair(&mut self, entry: &Entry, pair: &str) -> Result<(Line, Line), String> {
        let (delayed, overtaking) = pair.split_once("->").ok_or_else(|| entry.wrong("not `line -> line`"))?;
        Ok((self.line(entry, delayed.trim())?, self.line(entry, overtaking.trim())?))
    }

    fn all_used(&self) -> Result<(), String> {
        match self.unused.first() {
            Some(label) => Err(format!("the header does not mention the line `@{label}`")),
            None => Ok(()),
        }
    }
}

/// One run: what its block says, and otherwise what is said before the first block.
fn run(shared: &[Entry], block: &[Entry], labels: &mut Labels) -> Result<Run, String> {
    let mut run = Run::default();
    let mut seen = BTreeSet::new();
    for (index, entry) in block.iter().chain(shared).enumerate() {
        let new = seen.insert((entry.key.as_str(), index < block.len()));
        if !new {
            return Err(entry.wrong("said before"));
        }
        let overridden = index >= block.len() && seen.contains(&(entry.key.as_str(), true));
        if !overridden {
            take(&mut run, entry, labels)?;
        }
    }
    if run.verdict.is_empty() {
        return Err("a run without a verdict".to_string());
    }
    if (run.verdict == "unsupported") != (run.unsupported.is_some() || run.failures.contains_key("nondeterministic")) {
        return Err("the verdict `unsupported` and the key that says what is not go together".to_string());
    }
    let is_open = run.stopped_by.is_some() || run.is_undecided;
    if run.verdict == "incomplete" && !is_open && run.executions != Some(0) {
        return Err(
            "the verdict `incomplete` asks for the key `stopped-by` or `undecided`, or no executions".to_string()
        );
    }
    if is_open && !["incomplete", "violations"].contains(&run.verdict.as_str()) {
        return Err("the keys `stopped-by` and `undecided` go with `incomplete` and `violations` alone".to_string());
    }
    Ok(run)
}

fn take(run: &mut Run, entry: &Entry, labels: &mut Labels) -> Result<(), String> {
    let value = entry.value.as_str();
    let parts = || value.split(',').map(str::trim);
    match entry.key.as_str() {
        "why" if value.is_empty() => return Err(entry.wrong("no reason given")),
        "why" => {}
        "run" => run.options = value.split_whitespace().map(str::to_string).collect(),
        "verdict" if VERDICTS.contains(&value) => run.verdict = value.to_string(),
        "verdict" => return Err(entry.wrong(format!("none of {VERDICTS:?}"))),
        "executions" => run.executions = Some(entry.number()?),
        "runs" => run.runs = Some(entry.number()?),
        "blocked" => run.blocked = entry.number()?,
        "stopped-by" => run.stopped_by = Some(value.to_string()),
        "undecided" if value == "yes" => run.is_undecided = true,
        "undecided" => return Err(entry.wrong("not `yes`")),
        "busiest-loop" => run.busiest_loop = Some(labels.line(entry, value)?),
        "models" => {
            run.is_judged = true;
            for part in parts().filter(|part| *part != "none") {
                let (model, judgement) = part.split_once(' ').ok_or_else(|| entry.wrong("not `model judgement`"))?;
                if !JUDGEMENTS.contains(&judgement) {
                    return Err(entry.wrong(format!("none of {JUDGEMENTS:?}")));
                }
                run.models.insert(model.to_string(), judgement.to_string());
            }
        }
        "outcomes" => run.outcomes = value.split('|').map(|outcome| outcome.trim().to_string()).collect(),
        "uninstrumented" => run.uninstrumented = value.split_whitespace().map(str::to_string).collect(),
        "unsupported" => {
            let (label, words) = value.split_once(' ').ok_or_else(|| entry.wrong("not `label words`"))?;
            run.unsupported = Some((labels.line(entry, label)?, words.trim().to_string()));
        }
        monitor if MONITORS.contains(&monitor) => {
            let pairs = parts().map(|pair| labels.pair(entry, pair)).collect::<Result<_, String>>()?;
            run.pairs.insert(monitor.to_string(), pairs);
        }
        word if CONSEQUENCES.iter().any(|(_, known)| *known == word) => {
            let pairs = parts().map(|pair| labels.pair(entry, pair)).collect::<Result<_, String>>()?;
            run.consequences.insert(word.to_string(), pairs);
        }
        monitor if ATOMICITY.contains(&monitor) => {
            let mut cycle = |text: &str| text.split('&').map(|edge| labels.pair(entry, edge)).collect();
            let cycles = parts().map(&mut cycle).collect::<Result<_, String>>()?;
            run.cycles.insert(monitor.to_string(), cycles);
        }
        kind if FAILURES.contains(&kind) => {
            let mut lines = parts().map(|set| labels.lines(entry, set)).collect::<Result<Vec<_>, String>>()?;
            lines.sort();
            run.failures.insert(kind.to_string(), lines);
        }
        _ => return Err(entry.wrong("unknown key")),
    }
    Ok(())
}

/// The tests of the grammar.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("header: what a header says", || {
            let text = "//@ why: a\n//@   reason\n//@ verdict: clean\n//@ outcomes: main: 1; main.0: 2 |\n//@ run: -DA --time 1s\n//@ executions: 3\n\
                        //@ run: -DB\n//@ verdict: violations\n//@ tso: a -> b, a -> a\n//@ sc-atomicity: a -> b & b -> a, a -> a\n//@ deadlock: b a, a\n\
                        x = 1; // @a\ny = 1; // @b\n";
            let outcomes = BTreeSet::from(["main: 1; main.0: 2".to_string(), String::new()]);
            let clean = Run {
                options: ["-DA", "--time", "1s"].map(str::to_string).to_vec(),
                verdict: "clean".to_string(),
                executions: Some(3),
                outcomes: outcomes.clone(),
                ..Run::default()
            };
            let broken = Run {
                options: vec!["-DB".to_string()],
                verdict: "violations".to_string(),
                outcomes,
                pairs: BTreeMap::from([("tso".to_string(), BTreeSet::from([(12, 13), (12, 12)]))]),
                cycles: BTreeMap::from([(
                    "sc-atomicity".to_string(),
                    BTreeSet::from([BTreeSet::from([(12, 13), (13, 12)]), BTreeSet::from([(12, 12)])]),
                )]),
                failures: BTreeMap::from([(
                    "deadlock".to_string(),
                    vec![BTreeSet::from([12]), BTreeSet::from([12, 13])],
                )]),
                ..Run::default()
            };
            same(&parse(text), &Ok(vec![clean, broken]))
        }),
        Trial::test("header: what is wrong is said", || {
            let header = "//@ why: a reason\n//@ verdict: clean\n";
            for (text, why) in [
                (format!("{header}//@ sc-atomicity: a & b\n"), "line 3, `sc-atomicity`: not `line -> line`"),
                (format!("{header}//@ models: tso\n"), "line 3, `models`: not `model judgement`"),
                (format!("{header}//@ models: tso fine\n"), "line 3, `models`: none of"),
                (format!("{header}//@ undecided: 3\n"), "line 3, `undecided`: not `yes`"),
                ("int x;\n".to_string(), "no `why` before the first run"),
                ("//@ why: a reason\n".to_string(), "a run without a verdict"),
                (format!("{header}//@ run: -DA\n//@ verdict: fine\n"), "line 4, `verdict`: none of"),
                (format!("{header}//@ verdict: clean\n"), "line 3, `verdict`: said before"),
                (format!("{header}//@ vredict: clean\n"), "line 3, `vredict`: unknown key"),
                (format!("{header}//@ tso\n"), "line 3: not `key: value`"),
                (format!("{header}//@ tso: a -> b\n"), "line 3, `tso`: no line is `@a`"),
                (format!("{header}//@ tso: a\n"), "line 3, `tso`: not `line -> line`"),
                (format!("{header}//@ executions: some\n"), "line 3, `executions`: not a number"),
                (format!("{header}//@ run: -DA\n//@ verdict: incomplete\n"), "the verdict `incomplete` asks"),
                (format!("{header}//@ stopped-by: time\n"), "the keys `stopped-by` and `undecided` go with"),
                (format!("{header}//@ run: -DA\n//@ verdict: unsupported\n"), "the verdict `unsupported` and"),
                (format!("{header}x; // @a\n"), "the header does not mention the line `@a`"),
                (format!("{header}x; // @a\ny; // @a\n"), "line 4: there is another line `@a`"),
                (format!("{header}int x;\n//@ executions: 1\n"), "line 4: part of the header, but"),
            ] {
                let error = parse(&text).err().unwrap_or_default();
                if !error.starts_with(why) {
                    return Err(Failed::from(format!("{text}gives {error:?} instead of {why:?}")));
                }
            }
            Ok(())
        }),
    ]
}

fn same(found: &Result<Vec<Run>, String>, wanted: &Result<Vec<Run>, String>) -> Result<(), Failed> {
    if found == wanted { Ok(()) } else { Err(Failed::from(format!("{found:#?}\nis not\n{wanted:#?}"))) }
}
