//! What has to be the same, whoever explores a program.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{Batch, Checked, Ends, Extent, Optimised, Search};
use crate::program::{Program, single};

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
    /// Programs that machines with store buffers and execution graphs were compared on, by the names of the comparisons.
    pub(crate) by_machines: BTreeMap<String, u64>,
    /// Programs without races that C11 was compared with machines on, by the names of the comparisons.
    pub(crate) by_c11: BTreeMap<String, u64>,
    /// Pairs of programs that were compared, by the names of the comparisons.
    pub(crate) by_pairs: BTreeMap<String, u64>,
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
        for (name, count) in other.by_machines {
            *self.by_machines.entry(name).or_default() += count;
        }
        for (name, count) in other.by_c11 {
            *self.by_c11.entry(name).or_default() += count;
        }
        for (name, count) in other.by_pairs {
            *self.by_pairs.entry(name).or_default() += count;
        }
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

    /// Classes and interleavings must have the same outcomes. To interleavings the end of a lifetime takes place with its
    /// thread's event before it; so where something is used after its end, an execution is missing to them in which that
    /// use came between the two.
    fn outcomes(&mut self, name: &str, classes: &Checked, interleavings: &Checked) {
        let name = format!("{name}: outcomes");
        if interleavings.uses_what_has_ended() {
            self.within(&name, &interleavings.outcomes, &classes.outcomes);
        } else {
            self.equal(&name, &classes.outcomes, &interleavings.outcomes);
        }
    }

    /// The first set must be in the second one.
    fn within(&mut self, name: &str, left: &BTreeSet<String>, right: &BTreeSet<String>) {
        self.comparisons += 1;
        if !left.is_subset(right) {
            self.differ(name.to_owned(), left, &(left & right));
        }
    }

    /// Compares two programs by a search of each.
    fn pair(&mut self, relation: Relation, search: &str, one: &Checked, other: &Checked) {
        let name = format!("{}, {search}", relation.name());
        let compare = match relation {
            Relation::Fenced | Relation::Stronger => Self::within,
            Relation::Rounds | Relation::Loads | Relation::Swapped => Self::equal,
        };
        // What C11 says of a race is nothing, and a load of which nothing comes may be part of one, or use what was freed.
        let is_known = ![one, other].iter().any(|checked| checked.races() || uses_freed(checked));
        if is_known || !matches!(relation, Relation::Loads) {
            compare(self, &format!("{name}: fails"), &kinds(&one.failures), &kinds(&other.failures));
        }
        if is_known {
            let outcomes = if relation == Relation::Swapped { &exchanged(&one.outcomes) } else { &one.outcomes };
            compare(self, &format!("{name}: outcomes"), outcomes, &other.outcomes);
            *self.by_pairs.entry(name).or_default() += 1;
        }
    }

    /// Counts a search that did not come to its end; random search never does.
    fn ended(&mut self, name: &str, extent: &Extent) {
        match extent {
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

/// What is run of programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Executions of one search of a program, at most. All interleavings are run where there are about as many.
    pub(crate) executions: u32,
    /// Rounds on the machine itself.
    pub(crate) rounds: u64,
}

/// Searches of a batch of programs, each run once for all programs that it is about.
struct Searches<'a> {
    batch: &'a Batch,
    programs: &'a [Program],
    effort: Effort,
    done: BTreeMap<&'static str, BTreeMap<usize, Checked>>,
}

/// A program of a batch, being compared.
struct Comparison<'a, 'b> {
    searches: &'a mut Searches<'b>,
    number: usize,
    /// The names of the comparisons that are asked for; all if there is none.
    focus: &'a [&'a str],
    report: Report,
}

/// Compares searches of each program of a batch: all of them, or those whose comparisons have these names.
pub(crate) fn compare(batch: &Batch, programs: &[Program], effort: Effort, focus: &[&str]) -> Vec<Report> {
    let mut searches = Searches { batch, programs, effort, done: BTreeMap::new() };
    let mut reports = Vec::new();
    for (number, program) in (1..).zip(programs) {
        let mut comparison = Comparison { searches: &mut searches, number, focus, report: Report::default() };
        comparison.whole_program(program);
        reports.push(comparison.report);
    }
    for (search, checked) in &searches.done {
        for (number, checked) in checked {
            reports[number - 1].ended(search, &checked.extent);
        }
    }
    reports
}

/// The searches that are run of pairs of programs.
pub(crate) const OF_PAIRS: [&str; 11] = [
    "dpor",
    "graphs sc",
    "graphs tso",
    "graphs pso",
    "graphs power",
    "graphs armv8",
    "graphs armv8 -O0",
    "graphs riscv",
    "graphs c11",
    "classes tso",
    "classes pso",
];

/// How two programs are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// Loops that wait, and the same loops with a few rounds: all is the same.
    Rounds,
    /// With more fences, and as it is: that has all that the first one has.
    Fenced,
    /// With stronger orders, and as it is: as with fences.
    Stronger,
    /// As it is, and with loads of which nothing comes: all is the same.
    Loads,
    /// As it is, and with the first two threads created the other way round: all is the same but for their names.
    Swapped,
}

impl Relation {
    /// Its name in comparisons.
    const fn name(self) -> &'static str {
        match self {
            Relation::Rounds => "rounds",
            Relation::Fenced => "fenced",
            Relation::Stronger => "stronger",
            Relation::Loads => "loads",
            Relation::Swapped => "swapped",
        }
    }
}

/// The outcomes with the names of the first two threads exchanged.
fn exchanged(outcomes: &BTreeSet<String>) -> BTreeSet<String> {
    let one = |outcome: &String| {
        let named = outcome.split("; ").filter_map(|part| part.split_once(':'));
        let mut parts: Vec<(&str, &str)> = named
            .map(|(name, values)| match name {
                "main.0" => ("main.1", values),
                "main.1" => ("main.0", values),
                _ => (name, values),
            })
            .collect();
        parts.sort_unstable();
        parts.into_iter().map(|(name, values)| format!("{name}:{values}")).collect::<Vec<_>>().join("; ")
    };
    outcomes.iter().map(one).collect()
}

/// Compares each two programs that come one after the other.
pub(crate) fn compare_pairs(batch: &Batch, programs: &[Program], relation: Relation, effort: Effort) -> Vec<Report> {
    let mut searches = Searches { batch, programs, effort, done: BTreeMap::new() };
    let mut reports = vec![Report::default(); programs.len() / 2];
    for search in OF_PAIRS {
        for (index, report) in reports.iter_mut().enumerate() {
            let mut ended = |number| searches.of(number, search).filter(Checked::is_complete);
            if let (Some(one), Some(other)) = (ended(2 * index + 1), ended(2 * index + 2)) {
                report.pair(relation, search, &one, &other);
            }
        }
    }
    for (search, checked) in &searches.done {
        for (number, checked) in checked {
            reports[(number - 1) / 2].ended(search, &checked.extent);
        }
    }
    reports
}

const DRAWN: [&str; 3] = ["random", "pct", "urw"];

/// Executions that are drawn of each program.
const DRAWS: u64 = 300;

/// The machines that keep less in order than PSO does, or something else.
const WEAK: [&str; 3] = ["graphs power", "graphs armv8", "graphs riscv"];

/// A search for each bound, of interleavings, of classes with all rounds of wait loops and of those without.
const BOUNDS: [[&str; 3]; 3] =
    [["bounded 0", "strict 0", "dpor 0"], ["bounded 1", "strict 1", "dpor 1"], ["bounded 2", "strict 2", "dpor 2"]];

/// All searches of graphs and of interleavings to their ends.
const SEARCHES: [&str; 31] = [
    "dpor",
    "strict",
    "dpor -O2",
    "dpor -j 2",
    "dpor 0",
    "dpor 1",
    "dpor 2",
    "strict 0",
    "strict 1",
    "strict 2",
    "bounded none",
    "bounded none -j 2",
    "bounded 0",
    "bounded 1",
    "bounded 2",
    "graphs sc",
    "graphs tso",
    "graphs pso",
    "graphs pso -j 2",
    "graphs power",
    "graphs power -j 2",
    "graphs armv8",
    "graphs armv8 -O0",
    "graphs riscv",
    "graphs c11",
    "machine tso",
    "machine tso 0",
    "machine pso",
    "classes tso",
    "classes pso",
    "classes pso -j 2",
];

/// So many interleavings does a program with wait loops have at most whose interleavings are run with store buffers.
const SMALL: f64 = 300.0;

/// How a search is run.
fn search(name: &'static str, effort: Effort) -> Search {
    let (explorer, rest) = name.split_once(' ').unwrap_or((name, ""));
    let quiet = "--monitor none -j 1";
    let slices = "--monitor none -j 2 --slice-executions";
    let watched = "--monitor tso,pso -j 1";
    let (level, options) = match (explorer, rest) {
        ("dpor", "") => (Optimised::Not, format!("{watched} --explorer dpor")),
        ("strict", bound @ ("0" | "1" | "2")) => {
            (Optimised::Much, format!("{quiet} --explorer dpor --strict --preemptions {bound}"))
        }
        ("strict", _) => (Optimised::Not, format!("{watched} --explorer dpor --strict")),
        ("dpor", "-O2") => (Optimised::Much, format!("{watched} --explorer dpor")),
        ("dpor", "-j 2") => (Optimised::Much, format!("{slices} 5 --explorer dpor")),
        ("dpor", bound) => (Optimised::Much, format!("{quiet} --explorer dpor --preemptions {bound}")),
        ("bounded", "none") => (Optimised::Not, format!("{watched} --explorer bounded --preemptions none")),
        ("bounded", "none -j 2") => (Optimised::Much, format!("{slices} 50 --explorer bounded --preemptions none")),
        ("bounded", bound) => (Optimised::Much, format!("{quiet} --explorer bounded --preemptions {bound}")),
        ("machine", "tso") => (Optimised::Not, "--model tso --explorer bounded --preemptions none -j 1".to_owned()),
        ("machine", "pso") => (Optimised::Much, "--model pso --explorer bounded --preemptions none -j 1".to_owned()),
        ("machine", _) => {
            (Optimised::Much, "--model tso --explorer bounded --preemptions none --delays 0 -j 1".to_owned())
        }
        ("classes", "tso") => (Optimised::Not, "--model tso --explorer dpor -j 1".to_owned()),
        ("classes", "pso") => (Optimised::Much, "--model pso --explorer dpor -j 1".to_owned()),
        ("classes", _) => (Optimised::Much, "--model pso --explorer dpor -j 2 --slice-executions 5".to_owned()),
        ("graphs", "sc") => (Optimised::Much, "--explorer rsmc".to_owned()),
        ("graphs", "pso -j 2") => (Optimised::Much, "--model pso -j 2 --slice-executions 5".to_owned()),
        ("graphs", "power -j 2") => (Optimised::MuchDependent, "--model power -j 2 --slice-executions 5".to_owned()),
        ("graphs", "armv8 -O0") => (Optimised::NotDependent, "--model armv8".to_owned()),
        ("graphs", model @ ("power" | "armv8")) => (Optimised::MuchDependent, format!("--model {model}")),
        ("graphs", "riscv") => (Optimised::NotDependent, "--model riscv".to_owned()),
        ("graphs", "c11") => (Optimised::Not, "--model c11".to_owned()),
        ("graphs", model) => (Optimised::Much, format!("--model {model}")),
        _ => (Optimised::Much, format!("{quiet} --explorer {explorer}")),
    };
    let most = u64::from(effort.executions);
    let ends = match name {
        "bounded none" | "bounded none -j 2" => Ends::Interleavings(most),
        "graphs pso -j 2" | "graphs power -j 2" => Ends::AsKnown,
        _ if DRAWN.contains(&name) => Ends::Budget(DRAWS),
        _ => Ends::Itself(most),
    };
    Search { level, options: options.split(' ').map(str::to_owned).collect(), ends }
}

impl Searches<'_> {
    /// What a search gives of a program, if it is run of that one.
    fn of(&mut self, number: usize, name: &'static str) -> Option<Checked> {
        if !self.done.contains_key(name) {
            let mut numbers: Vec<usize> =
                (1..=self.programs.len()).filter(|&number| self.is_run(number, name)).collect();
            // Where a search does not end, its second half is the one to be blamed.
            numbers.sort_by(|&one, &other| self.size(one).total_cmp(&self.size(other)));
            let checked = self.batch.check(&numbers, &search(name, self.effort));
            self.done.insert(name, checked);
        }
        self.done[name].get(&number).cloned()
    }

    fn size(&self, number: usize) -> f64 {
        self.programs[number - 1].interleavings()
    }

    /// Whether a search is run of a program: not where a cheaper one did not come to its end, and one that draws or is
    /// in slices in turns.
    fn is_run(&self, number: usize, name: &'static str) -> bool {
        let complete =
            |name| self.done.get(name).is_none_or(|done| done.get(&number).is_some_and(Checked::is_complete));
        let turn = usize::try_from(self.programs[number - 1].seed % 3).expect("it is small");
        let in_turn = DRAWN.iter().position(|&drawn| drawn == name).is_none_or(|index| index == turn);
        in_turn
            && complete("dpor")
            && match name {
                "graphs pso -j 2" => turn == 0 && complete("graphs pso"),
                "graphs power -j 2" => turn == 1 && complete("graphs power"),
                "graphs armv8 -O0" => turn == 2 && complete("graphs armv8"),
                "graphs tso" | "graphs pso" | "graphs power" | "graphs armv8" | "graphs riscv" | "graphs c11" => {
                    complete("graphs sc")
                }
                "machine tso" | "machine tso 0" | "machine pso" => {
                    // Each combination of rounds of wait loops and commits is run, and few of them count.
                    let is_small = !self.programs[number - 1].waits() || self.size(number) <= SMALL;
                    is_small && complete("graphs tso") && complete("bounded none")
                }
                "classes tso" | "classes pso" => complete("graphs tso"),
                "classes pso -j 2" => turn == 2 && complete("classes pso"),
                "bounded none" => self.size(number) <= self.effort.executions.into(),
                "bounded none -j 2" => turn == 0 && complete("bounded none"),
                "dpor -j 2" => turn == 1,
                _ => true,
            }
    }
}

impl Comparison<'_, '_> {
    fn whole_program(&mut self, program: &Program) {
        for search in SEARCHES.into_iter().chain(DRAWN) {
            if self.focus.contains(&format!("{search}: broken").as_str()) {
                self.ended(search);
            }
        }
        self.interleavings();
        for explorer in DRAWN {
            self.drawn(explorer);
        }
        self.graphs();
        self.weak(program);
        self.machines();
        if let Some(known) = program.known.as_ref().filter(|_| self.wants("known")) {
            self.known(known);
        }
        if program.runs_natively() && self.searches.effort.rounds > 0 && self.wants("native") {
            self.native();
        }
    }

    /// Whether a comparison is asked for whose name begins so.
    fn wants(&self, name: &str) -> bool {
        self.focus.is_empty() || self.focus.iter().any(|focus| focus.starts_with(name))
    }

    /// The search, if it came to its end.
    fn ended(&mut self, search: &'static str) -> Option<Checked> {
        self.searches.of(self.number, search).filter(Checked::is_complete)
    }

    /// All that the program can do, by a search that came to its end.
    fn whole(&mut self) -> Option<Checked> {
        self.ended("bounded none").or_else(|| self.ended("dpor"))
    }

    fn interleavings(&mut self) {
        if self.wants("strict, bounded none") {
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
        if self.wants("dpor, strict") {
            self.rounds();
        }
        for [bounded, classes, less] in BOUNDS {
            self.within_bound(bounded, classes);
            self.rounds_within_bound(bounded, less);
        }
        for (whole, slices) in [
            ("dpor", "dpor -j 2"),
            ("bounded none", "bounded none -j 2"),
            ("graphs pso", "graphs pso -j 2"),
            ("graphs power", "graphs power -j 2"),
        ] {
            if self.wants(slices)
                && let Some(whole) = self.ended(whole)
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
        let (Some(classes), Some(every)) = (self.ended("strict"), self.ended("bounded none")) else { return };
        let (report, name) = (&mut self.report, "strict, bounded none");
        report.outcomes(name, &classes, &every);
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

    /// Where iterations of wait loops without effect are taken back, all that comes of an execution is found all the same. What
    /// monitors report may be less: what nothing comes of ([`Self::robust`]).
    fn rounds(&mut self) {
        let (Some(less), Some(all)) = (self.ended("dpor"), self.ended("strict")) else { return };
        self.report.equal("dpor, strict: outcomes", &less.outcomes, &all.outcomes);
        self.report.equal("dpor, strict: failures", &less.failures, &all.failures);
        self.report.within("dpor, strict: tso", &less.tso, &all.tso);
        self.report.within("dpor, strict: pso", &less.pso, &all.pso);
    }

    /// What is within a bound is the same to both. A search for classes runs some that need more on the way, and what fails in
    /// these is reported as well.
    fn within_bound(&mut self, bounded: &'static str, classes: &'static str) {
        let name = format!("{classes}, {bounded}");
        if self.wants(&name)
            && let (Some(classes), Some(bounded)) = (self.ended(classes), self.ended(bounded))
        {
            self.report.outcomes(&name, &classes, &bounded);
            self.report.within(&format!("{name}: failures"), &bounded.failures, &classes.failures);
        }
        let name = format!("{bounded} in bounded none");
        if self.wants(&name)
            && let (Some(bounded), Some(every)) = (self.ended(bounded), self.ended("bounded none"))
        {
            self.report.within(&format!("{name}: outcomes"), &bounded.outcomes, &every.outcomes);
            self.report.within(&format!("{name}: failures"), &bounded.failures, &every.failures);
        }
    }

    /// Where iterations of wait loops without effect are taken back, all that is within a bound is found, and of what is beyond it
    /// what such an iteration could bring within it.
    fn rounds_within_bound(&mut self, bounded: &'static str, classes: &'static str) {
        let name = format!("{classes}, {bounded}");
        if self.wants(&name)
            && let (Some(classes), Some(bounded)) = (self.ended(classes), self.ended(bounded))
        {
            self.report.within(&format!("{name}: outcomes"), &bounded.outcomes, &classes.outcomes);
            self.report.within(&format!("{name}: failures"), &bounded.failures, &classes.failures);
        }
        let name = format!("{classes} in dpor");
        if self.wants(&name)
            && let (Some(classes), Some(every)) = (self.ended(classes), self.ended("dpor"))
        {
            self.report.within(&format!("{name}: outcomes"), &classes.outcomes, &every.outcomes);
            self.report.within(&format!("{name}: failures"), &classes.failures, &every.failures);
        }
    }

    /// What is drawn is there.
    fn drawn(&mut self, explorer: &'static str) {
        if !self.wants(explorer) {
            return;
        }
        if let Some(whole) = self.whole()
            && let Some(drawn) = self.searches.of(self.number, explorer)
            && matches!(drawn.extent, Extent::Complete | Extent::Cut)
        {
            self.report.within(&format!("{explorer}: outcomes"), &drawn.outcomes, &whole.outcomes);
            self.report.within(&format!("{explorer}: failures"), &drawn.failures, &whole.failures);
        }
    }

    /// Execution graphs of SC show what interleavings show. Where nothing orders a use of memory and its end, one graph stands
    /// for both orders, and fails; and its thread goes on behind that, so that more may fail.
    fn graphs(&mut self) {
        if self.wants("graphs sc")
            && let (Some(whole), Some(sc)) = (self.whole(), self.ended("graphs sc"))
        {
            let (fails, expected) = (kinds(&sc.failures), kinds(&whole.failures));
            self.report.within("graphs sc: outcomes", &sc.outcomes, &whole.outcomes);
            self.report.within("graphs sc: fails", &expected, &fails);
            if !uses_freed(&whole) {
                self.report.within("graphs sc: fewer outcomes", &whole.outcomes, &sc.outcomes);
                self.report.within("graphs sc: fails more", &fails, &expected);
            }
        }
        for (less, more) in [("graphs sc", "graphs tso"), ("graphs tso", "graphs pso")] {
            let name = format!("{less} in {more}");
            if self.wants(&name)
                && let (Some(less), Some(more)) = (self.ended(less), self.ended(more))
            {
                if !uses_freed(&more) {
                    self.report.within(&format!("{name}: outcomes"), &less.outcomes, &more.outcomes);
                }
                self.report.within(&format!("{name}: failures"), &less.failures, &more.failures);
            }
        }
        for graphs in ["graphs tso", "graphs pso"] {
            self.robust(graphs);
        }
    }

    /// Each machine has the executions of SC, whatever the compiler does; and where nothing races, C11 has those of SC and of
    /// all machines, unless a load of them may take effect after a store behind it.
    fn weak(&mut self, program: &Program) {
        for machine in WEAK {
            let name = format!("graphs sc in {machine}");
            if self.wants(&name)
                && let (Some(sc), Some(machine)) = (self.ended("graphs sc"), self.ended(machine))
            {
                if !uses_freed(&machine) {
                    self.report.within(&format!("{name}: outcomes"), &sc.outcomes, &machine.outcomes);
                }
                self.report.within(&format!("{name}: failures"), &sc.failures, &machine.failures);
            }
        }
        let name = "graphs armv8 -O0, -O2";
        if self.wants(name)
            && let (Some(plain), Some(optimised)) = (self.ended("graphs armv8 -O0"), self.ended("graphs armv8"))
        {
            self.report.equal(&format!("{name}: outcomes"), &plain.outcomes, &optimised.outcomes);
            self.report.equal(&format!("{name}: failures"), &plain.failures, &optimised.failures);
        }
        let in_order = ["graphs sc", "graphs tso", "graphs pso"];
        let machines = WEAK.into_iter().filter(|_| !single(program).contains("relaxed"));
        for machine in in_order.into_iter().chain(machines) {
            let name = format!("{machine} in graphs c11");
            if self.wants(&name)
                && let (Some(machine), Some(c11)) = (self.ended(machine), self.ended("graphs c11"))
                && !c11.races()
            {
                *self.report.by_c11.entry(name.clone()).or_default() += 1;
                if !uses_freed(&c11) {
                    self.report.within(&format!("{name}: outcomes"), &machine.outcomes, &c11.outcomes);
                }
                self.report.within(&format!("{name}: failures"), &machine.failures, &c11.failures);
            }
        }
    }

    /// The machines with store buffers show what execution graphs show, and SC's interleavings where no store is delayed.
    fn machines(&mut self) {
        for (machine, other) in [
            ("machine tso", "graphs tso"),
            ("machine pso", "graphs pso"),
            ("machine tso 0", "bounded none"),
            ("classes tso", "graphs tso"),
            ("classes pso", "graphs pso"),
            ("classes tso", "machine tso"),
            ("classes pso", "machine pso"),
            ("classes pso -j 2", "classes pso"),
        ] {
            let name = format!("{machine}, {other}");
            if self.wants(&name)
                && let (Some(machine), Some(other)) = (self.ended(machine), self.ended(other))
            {
                *self.report.by_machines.entry(name.clone()).or_default() += 1;
                let (fails, expected) = (kinds(&machine.failures), kinds(&other.failures));
                self.report.within(&format!("{name}: fails"), &fails, &expected);
                self.report.within(&format!("{name}: fails less"), &expected, &fails);
                if !uses_freed(&machine) && !uses_freed(&other) {
                    self.report.equal(&format!("{name}: outcomes"), &machine.outcomes, &other.outcomes);
                }
            }
        }
    }

    /// Where no SC violation is found, the relaxed model has no other executions, but for stores that reach freed memory: to
    /// monitors a free is no access.
    fn robust(&mut self, graphs: &'static str) {
        let name = format!("robust, {graphs}");
        if !self.wants(&name) {
            return;
        }
        let Some(classes) = self.ended("dpor") else { return };
        let reported = if graphs == "graphs tso" { &classes.tso } else { &classes.pso };
        if reported.is_empty()
            && let (Some(sc), Some(relaxed)) = (self.ended("graphs sc"), self.ended(graphs))
            && !uses_freed(&relaxed)
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
        let classes = self.ended("dpor");
        let robust = classes.filter(|classes| classes.tso.is_empty());
        let Some(allowed) = self.ended("graphs tso").or(robust) else { return };
        if !allowed.failures.is_empty() {
            return;
        }
        match self.searches.batch.run_natively(self.number, self.searches.effort.rounds) {
            None => *self.report.cut.entry("native".to_owned()).or_default() += 1,
            Some(seen) => {
                self.report.native_programs += 1;
                self.report.native_rounds += self.searches.effort.rounds;
                self.report.within("native: outcomes", &seen, &allowed.outcomes);
            }
        }
    }
}

/// Whether memory is used that was freed, or left by its function.
fn uses_freed(checked: &Checked) -> bool {
    kinds(&checked.failures).contains("use-after-free")
}

/// The kinds of failures alone: which accesses are told as those for which a thread waits differs.
fn kinds(failures: &BTreeSet<String>) -> BTreeSet<String> {
    failures.iter().map(|text| text.split(':').next().unwrap_or_default().to_owned()).collect()
}
