//! What has to be the same, whoever explores a program.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{Batch, Checked, Extent, Optimised};
use crate::program::{Loops, Native, Program};

/// Two searches that do not agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Difference {
    /// Which, and in what.
    pub(crate) name: String,
    /// What the first one has alone, then the second one.
    pub(crate) only: [BTreeSet<String>; 2],
}

/// What came of a program, or of many.
#[derive(Clone, Default, Debug)]
pub(crate) struct Report {
    pub(crate) differences: Vec<Difference>,
    /// Sets that were compared.
    pub(crate) comparisons: u64,
    /// Searches that a budget ended, by their names.
    pub(crate) cut: BTreeMap<String, u64>,
    /// Why searches were refused.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Rounds on the machine itself.
    pub(crate) native_rounds: u64,
    /// Programs that ran there.
    pub(crate) native_programs: u64,
}

impl Report {
    /// Takes what came of others.
    pub(crate) fn add(&mut self, other: Report) {
        self.differences.extend(other.differences);
        self.comparisons += other.comparisons;
        for (name, count) in other.cut {
            *self.cut.entry(name).or_default() += count;
        }
        for (name, count) in other.refused {
            *self.refused.entry(name).or_default() += count;
        }
        self.native_rounds += other.native_rounds;
        self.native_programs += other.native_programs;
    }

    fn differ(&mut self, name: String, left: &BTreeSet<String>, right: &BTreeSet<String>) {
        let only = [left - right, right - left];
        self.differences.push(Difference { name, only });
    }

    /// Both sets must be the same.
    fn equal(&mut self, name: &str, left: &BTreeSet<String>, right: &BTreeSet<String>) {
        self.comparisons += 1;
        if left != right {
            self.differ(name.to_owned(), left, right);
        }
    }

    /// The first set must be in the second one.
    fn within(&mut self, name: &str, left: &BTreeSet<String>, right: &BTreeSet<String>) {
        self.comparisons += 1;
        if !left.is_subset(right) {
            self.differ(name.to_owned(), left, &(left & right));
        }
    }

    /// Counts a search that did not come to its end; random search never does.
    fn ended(&mut self, name: &str, checked: &Checked) {
        match &checked.extent {
            Extent::Complete => {}
            Extent::Cut if DRAWN.contains(&name) => {}
            Extent::Cut => *self.cut.entry(name.to_owned()).or_default() += 1,
            Extent::Refused(what) => *self.refused.entry(format!("{name}: {what}")).or_default() += 1,
            Extent::Broken(why) => {
                let only = [BTreeSet::from([why.clone()]), BTreeSet::new()];
                self.differences.push(Difference { name: format!("{name}: broken"), only });
            }
        }
    }
}

/// What is run of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Executions of interleavings, at most.
    pub(crate) executions: &'static str,
    /// Rounds on the machine itself.
    pub(crate) rounds: u64,
}

/// A program of a batch, being compared.
struct Comparison<'a> {
    batch: &'a Batch,
    number: usize,
    effort: Effort,
    /// The names of the comparisons that are asked for; all if there is none.
    focus: &'a [&'a str],
    done: BTreeMap<&'static str, Checked>,
    report: Report,
}

/// Compares searches of a program of a batch: all of them, or those whose comparisons have these names.
pub(crate) fn compare(batch: &Batch, number: usize, program: &Program, effort: Effort, focus: &[&str]) -> Report {
    let (done, report) = (BTreeMap::new(), Report::default());
    let mut comparison = Comparison { batch, number, effort, focus, done, report };
    comparison.interleavings(program.loops());
    comparison.drawn(DRAWN[usize::try_from(program.seed % 3).expect("it is small")]);
    comparison.graphs();
    if let Some(known) = program.known.as_ref().filter(|_| comparison.wants("known")) {
        comparison.known(known);
    }
    if program.native == Native::Runs && effort.rounds > 0 && comparison.wants("native") {
        comparison.native();
    }
    comparison.report
}

const DRAWN: [&str; 3] = ["random", "pct", "urw"];

/// Executions of a search that is done once more in slices.
const MOST_IN_SLICES: u64 = 5000;

/// A search for each bound, of interleavings and of classes.
const BOUNDS: [[&str; 2]; 3] = [["bounded 0", "dpor 0"], ["bounded 1", "dpor 1"], ["bounded 2", "dpor 2"]];

/// How a search is run.
fn options(search: &'static str) -> (Optimised, Vec<&'static str>) {
    let (name, rest) = search.split_once(' ').unwrap_or((search, ""));
    let quiet = ["--monitor", "none", "-j", "1"];
    let slices = ["--monitor", "none", "-j", "2", "--slice-executions"];
    let watched = ["--monitor", "tso,pso", "-j", "1"];
    match (name, rest) {
        ("dpor", "") => (Optimised::Not, [&watched[..], &["--explorer", "dpor"]].concat()),
        ("dpor", "-O2") => (Optimised::Much, [&watched[..], &["--explorer", "dpor"]].concat()),
        ("dpor", "-j 2") => (Optimised::Much, [&slices[..], &["5", "--explorer", "dpor"]].concat()),
        ("dpor", bound) => (Optimised::Much, [&quiet[..], &["--explorer", "dpor", "--preemptions", bound]].concat()),
        ("bounded", "none") => (Optimised::Not, [&watched[..], &["--preemptions", "none"]].concat()),
        ("bounded", "none -j 2") => (Optimised::Much, [&slices[..], &["50", "--preemptions", "none"]].concat()),
        ("bounded", bound) => (Optimised::Much, [&quiet[..], &["--preemptions", bound]].concat()),
        ("graphs", "sc") => (Optimised::Much, vec!["--explorer", "rsmc"]),
        ("graphs", model) => (Optimised::Much, vec!["--model", model]),
        _ => (Optimised::Much, [&quiet[..], &["--explorer", search, "--executions", "300"]].concat()),
    }
}

impl Comparison<'_> {
    /// Whether a comparison is asked for whose name begins so.
    fn wants(&self, name: &str) -> bool {
        self.focus.is_empty() || self.focus.iter().any(|focus| focus.starts_with(name))
    }

    /// Runs a search, once. Counts it if it did not come to its end.
    fn search(&mut self, search: &'static str) -> Checked {
        if let Some(checked) = self.done.get(search) {
            return checked.clone();
        }
        let (level, mut words) = options(search);
        if !words.contains(&"--executions") {
            words.extend(["--executions", self.effort.executions]);
        }
        let checked = self.batch.check(self.number, level, &words);
        self.report.ended(search, &checked);
        self.done.insert(search, checked.clone());
        checked
    }

    /// The search, if it came to its end.
    fn ended(&mut self, search: &'static str) -> Option<Checked> {
        Some(self.search(search)).filter(Checked::is_complete)
    }

    /// All that the program can do, by a search that came to its end.
    fn whole(&mut self) -> Option<Checked> {
        self.ended("bounded none").or_else(|| self.ended("dpor"))
    }

    fn interleavings(&mut self, loops: Loops) {
        if self.wants("dpor, bounded none") {
            self.classes();
        }
        if self.wants("dpor -O0, -O2")
            && let (Some(plain), Some(optimised)) = (self.ended("dpor"), self.ended("dpor -O2"))
        {
            self.report.equal("dpor -O0, -O2: outcomes", &plain.outcomes, &optimised.outcomes);
            self.report.equal("dpor -O0, -O2: failures", &plain.failures, &optimised.failures);
            self.report.equal("dpor -O0, -O2: tso", &plain.tso, &optimised.tso);
            self.report.equal("dpor -O0, -O2: pso", &plain.pso, &optimised.pso);
        }
        for [bounded, classes] in BOUNDS {
            self.within_bound(bounded, classes, loops);
        }
        for (whole, slices) in [("dpor", "dpor -j 2"), ("bounded none", "bounded none -j 2")] {
            if self.wants(slices)
                && let Some(whole) = self.ended(whole).filter(|whole| whole.executions <= MOST_IN_SLICES)
                && let Some(slices_ended) = self.ended(slices)
            {
                self.report.equal(&format!("{slices}: outcomes"), &slices_ended.outcomes, &whole.outcomes);
                self.report.equal(&format!("{slices}: failures"), &slices_ended.failures, &whole.failures);
            }
        }
    }

    /// What one execution of each class and all interleavings show. An interleaving ends where a thread fails; in a class
    /// the others go on, and so more can be found behind a failure.
    fn classes(&mut self) {
        let (Some(classes), Some(every)) = (self.ended("dpor"), self.ended("bounded none")) else { return };
        let (report, name) = (&mut self.report, "dpor, bounded none");
        report.equal(&format!("{name}: outcomes"), &classes.outcomes, &every.outcomes);
        report.within(&format!("{name}: failures"), &every.failures, &classes.failures);
        if every.failures.is_empty() {
            report.equal(&format!("{name}: more failures"), &classes.failures, &every.failures);
            report.equal(&format!("{name}: tso"), &classes.tso, &every.tso);
            report.equal(&format!("{name}: pso"), &classes.pso, &every.pso);
        } else {
            report.within(&format!("{name}: tso"), &every.tso, &classes.tso);
            report.within(&format!("{name}: pso"), &every.pso, &classes.pso);
        }
    }

    /// With wait loops, a class is within a bound if it is so without the rounds that do nothing: the switch away from
    /// such a round is free to interleavings, and may be a preemption without it.
    fn within_bound(&mut self, bounded: &'static str, classes: &'static str, loops: Loops) {
        let name = format!("{classes}, {bounded}");
        if self.wants(&name)
            && let (Some(classes), Some(bounded)) = (self.ended(classes), self.ended(bounded))
        {
            self.report.within(&format!("{name}: outcomes"), &classes.outcomes, &bounded.outcomes);
            if loops == Loops::None {
                self.report.within(&format!("{name}: fewer outcomes"), &bounded.outcomes, &classes.outcomes);
                self.report.within(&format!("{name}: failures"), &bounded.failures, &classes.failures);
            }
        }
        let name = format!("{bounded} in bounded none");
        if self.wants(&name)
            && let (Some(bounded), Some(every)) = (self.ended(bounded), self.ended("bounded none"))
        {
            self.report.within(&format!("{name}: outcomes"), &bounded.outcomes, &every.outcomes);
            self.report.within(&format!("{name}: failures"), &bounded.failures, &every.failures);
        }
    }

    /// What is drawn is there.
    fn drawn(&mut self, explorer: &'static str) {
        if !self.wants(explorer) {
            return;
        }
        let Some(whole) = self.whole() else { return };
        let drawn = self.search(explorer);
        if matches!(drawn.extent, Extent::Complete | Extent::Cut) {
            self.report.within(&format!("{explorer}: outcomes"), &drawn.outcomes, &whole.outcomes);
            self.report.within(&format!("{explorer}: failures"), &drawn.failures, &whole.failures);
        }
    }

    fn graphs(&mut self) {
        // Graphs do not look for uses of freed memory (docs/limits.md).
        if self.wants("graphs sc")
            && let Some(whole) = self.whole().filter(|whole| !kinds(&whole.failures).contains("use-after-free"))
            && let Some(sc) = self.ended("graphs sc")
        {
            self.report.equal("graphs sc: outcomes", &sc.outcomes, &whole.outcomes);
            self.report.equal("graphs sc: fails", &kinds(&sc.failures), &kinds(&whole.failures));
        }
        let refused = self.done.get("graphs sc").is_some_and(|sc| matches!(sc.extent, Extent::Refused(_)));
        if refused {
            return;
        }
        for (less, more) in [("graphs sc", "graphs tso"), ("graphs tso", "graphs pso")] {
            let name = format!("{less} in {more}");
            if self.wants(&name)
                && let (Some(less), Some(more)) = (self.ended(less), self.ended(more))
            {
                self.report.within(&format!("{name}: outcomes"), &less.outcomes, &more.outcomes);
                self.report.within(&format!("{name}: failures"), &less.failures, &more.failures);
            }
        }
        for graphs in ["graphs tso", "graphs pso"] {
            self.robust(graphs);
        }
    }

    /// Where no SC violation is found, the relaxed model has no other executions.
    fn robust(&mut self, graphs: &'static str) {
        let name = format!("robust, {graphs}");
        if !self.wants(&name) {
            return;
        }
        let Some(classes) = self.ended("dpor") else { return };
        let reported = if graphs == "graphs tso" { &classes.tso } else { &classes.pso };
        if reported.is_empty()
            && let (Some(sc), Some(relaxed)) = (self.ended("graphs sc"), self.ended(graphs))
        {
            self.report.equal(&format!("{name}: outcomes"), &relaxed.outcomes, &sc.outcomes);
            self.report.equal(&format!("{name}: failures"), &relaxed.failures, &sc.failures);
        }
    }

    /// Both engines find what is known. An SC violation is found if and only if TSO has more outcomes than SC.
    fn known(&mut self, outcomes: &BTreeSet<String>) {
        if let (Some(sc), Some(tso)) = (self.ended("dpor"), self.ended("graphs tso")) {
            let more = tso.outcomes != sc.outcomes;
            self.report.equal("known: outcomes", &tso.outcomes, outcomes);
            let say = |violated: bool| BTreeSet::from([if violated { "violated" } else { "robust" }.to_owned()]);
            self.report.equal("known: violation", &say(!sc.tso.is_empty()), &say(more));
        }
    }

    /// What the machine itself shows is allowed: by the graphs of TSO, or where there is no SC violation by SC. A program
    /// that fails is not run there, as it might not end.
    fn native(&mut self) {
        let tso = self.search("graphs tso");
        let allowed = if tso.is_complete() {
            tso
        } else {
            match self.ended("dpor") {
                Some(classes) if classes.tso.is_empty() => classes,
                _ => return,
            }
        };
        if !allowed.failures.is_empty() {
            return;
        }
        match self.batch.run_natively(self.number, self.effort.rounds) {
            None => *self.report.cut.entry("native".to_owned()).or_default() += 1,
            Some(seen) => {
                self.report.native_programs += 1;
                self.report.native_rounds += self.effort.rounds;
                self.report.within("native: outcomes", &seen, &allowed.outcomes);
            }
        }
    }
}

/// The kinds of failures alone: which accesses are told as those for which a thread waits differs.
fn kinds(failures: &BTreeSet<String>) -> BTreeSet<String> {
    failures.iter().map(|text| text.split(':').next().unwrap_or_default().to_owned()).collect()
}
