//! The judgement on a program under each relaxed model of which a monitor has reported, or whose execution graphs the user has
//! asked for: the searches that it takes, and its words.

use std::collections::BTreeSet;

use protocol::{FailureKind, MemoryModel, StoppedBy, Summary, Violation, Way, Wrong};

use super::bench::{Bench, Deadline};
use super::consequences::{FirstFailure, failure_of, is_same_way};
use super::consistent::{Consistent, with_all_ends};
use super::found::{Found, Troubles, collect};
use super::judging::{Judgement, Known, Side, World, is_circular, judge, names_of_differences, values_in_words};
use super::machines::Machines;
use super::models::{Counts, End, Entry, Value};
use super::searched::Searched;
use crate::exit::{Failure, Status};
use crate::findings::Findings;
use crate::plan::check::CheckPlan;
use crate::plan::judge::Counted;
use crate::report::names::short_place;
use crate::search::Exploration;
use crate::text::{counted, listed, printable};

/// The most ends of executions that are told one by one.
const ENDS: usize = 50;

/// The judgement under one model.
pub(crate) struct Judged {
    pub(crate) model: MemoryModel,
    /// The judgements, the worst first, as [`judge`] returns them.
    pub(crate) judgements: Vec<Judgement>,
    /// The kind of executions that were searched for them.
    pub(crate) world: World,
    /// The words of the judgements that are accepted.
    accepted: Vec<&'static str>,
    /// The words of the judgements that rest on executions with a cycle of program order and reads-from alone.
    circular: Vec<&'static str>,
    /// The names of the values that differ in ends which no sequentially consistent execution has, for a baseline to know.
    pub(crate) differing: BTreeSet<Vec<String>>,
    /// Whether the user has asked for the model: only then does the judgement change the exit status.
    pub(crate) asked: bool,
    /// The plan of the model's search, its counts and its violations.
    pub(crate) plan: CheckPlan,
    pub(crate) exploration: Exploration,
    /// The findings of that search which the search for sequentially consistent executions does not have, unless it is a search
    /// that the user has asked for.
    pub(crate) found: Vec<Found>,
    /// The executions that are wrong, where the program breaks or shows something.
    pub(crate) wrong: Wrong,
    /// The violation that breaks the program, and the folder of its finding.
    failure: Option<FirstFailure>,
    /// The number of SC violations of the model that were reported.
    reported: u64,
    consistent: Counts,
}

/// Judges the program under each model of which a monitor has reported, and each whose executions were searched to be
/// compared.
pub(crate) fn judge_all(
    plan: &CheckPlan,
    all: &mut [Searched],
    bench: Bench<'_>,
    (findings, troubles): (&Findings, &mut Troubles),
) -> Result<Vec<Judged>, Failure> {
    let is_judged = |&model: &MemoryModel| reported(all, model) > 0 || is_compared(all, model);
    let models: Vec<MemoryModel> = MemoryModel::ALL.into_iter().filter(is_judged).collect();
    if !plan.judging.judges() || models.is_empty() {
        return Ok(Vec::new());
    }
    let clock = Deadline::from_now(&plan.judging.time);
    let unjudged: Vec<bool> = models.iter().map(|&model| searched_before(all, model).is_none()).collect();
    let left = unjudged.iter().filter(|is_unjudged| **is_unjudged).count();
    let mut sc = Consistent::new(plan, bench, all, searched_before(all, MemoryModel::Sc));
    if sc.is_unknown() {
        sc.graphs(clock.share(1 + left))?;
    }
    if let Some(searched) = sc.searched() {
        take_failures(all, searched, bench, (findings, troubles))?;
    }
    let mut machines = Machines::new(plan, bench, with_all_ends(all));
    let sides = (&mut sc, &mut machines);
    let judged = judge_each(&models, (plan, all), bench, (clock, left), sides, (findings, troubles))?;
    let others = [sc.searched().map(|(plan, sc)| (plan.clone(), sc.clone())), machines.searched()];
    for (plan, sc) in others.into_iter().flatten() {
        take_failures(all, (&plan, &sc), bench, (findings, troubles))?;
    }
    Ok(judged)
}

/// Judges the program under each of these models.
fn judge_each(
    models: &[MemoryModel],
    (plan, all): (&CheckPlan, &[Searched]),
    bench: Bench<'_>,
    (clock, mut left): (Deadline<'_>, usize),
    (sc, machines): (&mut Consistent<'_>, &mut Machines<'_>),
    (findings, troubles): (&Findings, &mut Troubles),
) -> Result<Vec<Judged>, Failure> {
    let consistent: Vec<&Violation> =
        all.iter().filter(|one| is_consistent(one)).flat_map(|searched| &searched.exploration.violations).collect();
    let threads = numbered(all);
    let known = Known { consistent: &consistent, foreign: plan.judging.foreign, time: clock.option };
    let mut judged = Vec::new();
    for (index, &model) in models.iter().enumerate() {
        let before = searched_before(all, model);
        let (plan_of, exploration) = if let Some(searched) = before {
            (searched.plan.clone(), searched.exploration.clone())
        } else {
            let plan_of = plan.to_judge(model, clock.share(left));
            left -= 1;
            // What is refused under one model is refused under all.
            let is_refused = sc.searched().is_some_and(|(_, graphs)| !graphs.unsupported.is_empty());
            let exploration = if is_refused { Exploration::default() } else { bench.search(&plan_of)? };
            (plan_of, exploration)
        };
        let new = Judged {
            model,
            judgements: Vec::new(),
            world: World::Graphs,
            accepted: Vec::new(),
            circular: Vec::new(),
            differing: BTreeSet::new(),
            asked: plan.judging.asked.contains(&model),
            plan: plan_of,
            exploration: Exploration::default(),
            found: Vec::new(),
            wrong: Wrong::Inconsistent,
            failure: None,
            reported: reported(all, model),
            consistent: Counts::default(),
        };
        let by_graphs = new.by_graphs(sc, exploration, (clock, 1 + left), &known)?;
        let sides = sc.searched().into_iter().map(|(_, graphs)| graphs).chain([&by_graphs.exploration]);
        let is_out_of_time = |summary: &Summary| summary.stopped_by == Some(StoppedBy::Time);
        let is_spent = sides.filter_map(|one| one.summary.as_ref()).any(is_out_of_time);
        let is_open = matches!(by_graphs.judgement(), Judgement::Open(_));
        let fits_machines = by_graphs.is_reported() && Machines::fit(plan, model);
        let mut one = if is_open && !is_spent && fits_machines {
            by_graphs.anew(machines, (clock, models.len() - index), &known)?
        } else {
            by_graphs
        };
        one.judgements.iter_mut().for_each(|judgement| judgement.name_threads(&threads));
        let before = before.filter(|_| one.world == World::Graphs);
        let beside = machines.violations().iter().filter(|_| one.world == World::Machines).chain(sc.violations());
        let consistent: Vec<&Violation> = consistent.iter().copied().chain(beside).collect();
        judged.push(one.with_findings(before, &consistent, bench, (findings, troubles))?);
    }
    Ok(judged)
}

/// Returns the creation paths of threads by their numbers in reports, as far as any of the searches knows them.
fn numbered(all: &[Searched]) -> Vec<Vec<u32>> {
    let known = all.iter().flat_map(|searched| &searched.found).map(|one| &one.violation.schedule.threads);
    known.max_by_key(|threads| threads.len()).cloned().unwrap_or_default()
}

/// Returns how many SC violations under this model were reported.
fn reported(all: &[Searched], model: MemoryModel) -> u64 {
    let of_model = |one: &&Found| is_of(&one.violation, model);
    all.iter().map(|searched| searched.found.iter().filter(of_model).count() as u64).max().unwrap_or_default()
}

fn is_consistent(searched: &Searched) -> bool {
    searched.plan.models[0].0 == MemoryModel::Sc
}

/// Moves failures of sequentially consistent executions into the result of the search that the user has asked for: such
/// executions may fail beyond its bound.
fn take_failures(
    all: &mut [Searched],
    (plan, sc): (&CheckPlan, &Exploration),
    bench: Bench<'_>,
    (findings, troubles): (&Findings, &mut Troubles),
) -> Result<(), Failure> {
    let Some(searched) = all.iter_mut().find(|searched| is_consistent(searched)) else { return Ok(()) };
    let is_known = |one: &Violation| searched.exploration.violations.iter().any(|other| is_same_way(one, other));
    let new = sc.only(|one| one.monitor.is_none() && !is_known(one));
    if new.violations.is_empty() {
        return Ok(());
    }
    let found = collect(plan, bench, &new, (findings, troubles))?;
    let Some(summary) = &mut searched.exploration.summary else { return Ok(()) };
    summary.violation_executions.resize(searched.exploration.violations.len() + found.len(), 1);
    searched.exploration.violations.extend(new.violations);
    searched.found.extend(found);
    Ok(())
}

/// Returns the search for the model's execution graphs that the user has asked for, if its outcomes are known.
fn searched_before(all: &[Searched], model: MemoryModel) -> Option<&Searched> {
    all.iter().find(|searched| {
        searched.plan.models[0].0 == model
            && searched.plan.explore.graphs.is_some()
            && searched.plan.explore.compared.is_some()
    })
}

/// Whether the user has asked for the execution graphs of this model, which is relaxed, and they can be compared.
fn is_compared(all: &[Searched], model: MemoryModel) -> bool {
    let is_supported = |searched: &Searched| searched.exploration.unsupported.is_empty();
    model != MemoryModel::Sc && searched_before(all, model).is_some_and(is_supported)
}

/// Whether a violation is an SC violation under this model.
pub(crate) fn is_of(violation: &Violation, model: MemoryModel) -> bool {
    violation.kind == FailureKind::ScViolation
        && violation.monitor.is_some_and(|monitor| monitor.model() == Some(model))
}

impl Judged {
    /// Judges the model by these searches of both sides.
    fn by(self, world: World, sc: &Exploration, exploration: Exploration, known: &Known<'_>) -> Judged {
        let unroll = self.plan.unroll();
        let sides = [(MemoryModel::Sc, sc), (self.model, &exploration)];
        let [sc_side, relaxed] = sides.map(|(model, searched)| Side::of(world, model, searched, unroll));
        let judgements = judge(&sc_side, &relaxed, known);
        let grounds = relaxed.summary.map_or(&[][..], |summary| &summary.grounds);
        let is_circular = |judgement: &&Judgement| match judgement {
            Judgement::Breaks(index) => grounds.get(*index).is_some_and(|grounds| grounds.circular),
            Judgement::Shows(values) => is_circular(values, &sc_side, &relaxed),
            Judgement::Harmless | Judgement::Open(_) => false,
        };
        let circular = judgements.iter().filter(is_circular).map(Judgement::word).collect();
        let shows = self.plan.baseline.is_some() && judgements.iter().any(|one| matches!(one, Judgement::Shows(_)));
        let differing = if shows { names_of_differences(&sc_side, &relaxed) } else { BTreeSet::new() };
        let consistent = Counts::of(sc.summary.as_ref());
        let wrong = wrong(&sc_side, known);
        Judged { judgements, world, circular, differing, exploration, wrong, consistent, ..self }
    }

    /// Judges the model by its execution graphs: by the ends of interleavings, where all are known and enough, or else by the
    /// execution graphs of sequential consistency, for which there is time with `searches` others.
    fn by_graphs(
        self,
        sc: &mut Consistent<'_>,
        exploration: Exploration,
        (clock, searches): (Deadline<'_>, usize),
        known: &Known<'_>,
    ) -> Result<Judged, Failure> {
        let is_cut = exploration.summary.as_ref().is_none_or(|summary| !summary.complete);
        let is_refused = !exploration.unsupported.is_empty();
        let Some(interleavings) = sc.interleavings() else {
            return Ok(self.by(World::Graphs, sc.graphs(clock.share(searches))?, exploration, known));
        };
        let judged = self.by(World::Graphs, interleavings, exploration, known);
        match judged.judgement() {
            Judgement::Harmless => Ok(judged),
            Judgement::Open(_) if is_cut && !is_refused => Ok(judged),
            _ => {
                let exploration = judged.exploration.clone();
                Ok(judged.by(World::Graphs, sc.graphs(clock.share(searches))?, exploration, known))
            }
        }
    }

    /// Judges the model by interleavings, where execution graphs left it open.
    fn anew(
        self,
        machines: &mut Machines<'_>,
        (clock, models): (Deadline<'_>, usize),
        known: &Known<'_>,
    ) -> Result<Judged, Failure> {
        machines.consistent(clock.share(1 + models))?;
        let (plan, exploration) = machines.relaxed(self.model, clock.share(models))?;
        let sc = machines.consistent(clock.share(1))?;
        let foreign = known.foreign.filter(|&option| option == "--heap-reuse");
        let known = Known { foreign, ..*known };
        Ok(Judged { plan, ..self }.by(World::Machines, sc, exploration, &known))
    }

    /// Runs the new failures under the model again, and keeps them.
    fn with_findings(
        mut self,
        before: Option<&Searched>,
        consistent: &[&Violation],
        bench: Bench<'_>,
        kept: (&Findings, &mut Troubles),
    ) -> Result<Judged, Failure> {
        let &Judgement::Breaks(index) = self.judgement() else { return Ok(self) };
        let breaking = self.exploration.violations[index].clone();
        if before.is_none() {
            let is_new =
                |one: &Violation| one.monitor.is_none() && !consistent.iter().any(|other| is_same_way(one, other));
            self.found = collect(&self.plan, bench, &self.exploration.only(is_new), kept)?;
        }
        let found = before.map_or(&self.found, |searched| &searched.found);
        let folder = found.iter().find(|one| one.violation == breaking).map(|one| one.folder.clone());
        self.failure = Some(failure_of(&breaking, folder));
        Ok(self)
    }

    /// Returns the violations of the model's search, with the folders of those that are kept with the judgement.
    pub(crate) fn failures(&self) -> Vec<(&Violation, &str)> {
        let folder = |violation: &Violation| {
            self.found.iter().find(|one| one.violation == *violation).map_or("", |one| one.folder.as_str())
        };
        self.exploration.violations.iter().map(|violation| (violation, folder(violation))).collect()
    }

    /// Whether monitors have reported SC violations of the model, which is why it is judged.
    pub(crate) fn is_reported(&self) -> bool {
        self.reported > 0
    }

    /// Returns how many executions of the model's search show a violation.
    pub(crate) fn executions_of(&self, violation: &Violation) -> u64 {
        let index = self.exploration.violations.iter().position(|one| one == violation);
        let counts = self.exploration.summary.as_ref().map(|summary| &summary.violation_executions);
        index.and_then(|index| counts?.get(index)).copied().unwrap_or(1)
    }

    /// Returns the judgement: the worst of all.
    pub(crate) fn judgement(&self) -> &Judgement {
        &self.judgements[0]
    }

    /// Returns the worst judgement that is not accepted, if there is one.
    pub(crate) fn standing(&self) -> Option<&Judgement> {
        self.judgements.iter().find(|judgement| !self.accepted.contains(&judgement.word()))
    }

    /// Returns the values of an end that no sequentially consistent execution has, if that is accepted.
    pub(crate) fn accepted_end(&self) -> Option<&[(String, String)]> {
        let is_accepted = |judgement: &&Judgement| self.accepted.contains(&judgement.word());
        self.judgements.iter().filter(is_accepted).find_map(|judgement| match judgement {
            Judgement::Shows(values) => Some(values.as_slice()),
            _ => None,
        })
    }

    /// Accepts the judgement for which `is_accepted` holds, if there is one.
    pub(crate) fn accept(&mut self, is_accepted: impl Fn(&Judgement) -> bool) {
        self.accepted.extend(self.judgements.iter().filter(|judgement| is_accepted(judgement)).map(Judgement::word));
    }

    /// Notes that `new` SC violations of the model are not accepted. Where another end that no sequentially consistent execution
    /// has is accepted, the consequences of these are not known: at least the same end, perhaps with other values.
    pub(crate) fn distrust(&mut self, new: usize) {
        if let (false, Some(last @ Judgement::Harmless)) = (self.accepted.is_empty(), self.judgements.last_mut()) {
            let these = counted(new as u64, "SC violation is", "SC violations are");
            *last = Judgement::Open(format!("{these} new beside what is accepted"));
        }
    }

    /// Returns the exit status that the judgement leads to.
    pub(crate) fn status(&self, counted: Counted) -> Status {
        match self.standing() {
            standing if !self.asked || standing.is_none() => Status::Clean,
            Some(_) if counted == Counted::Always && self.is_reported() => Status::Found,
            Some(Judgement::Breaks(_) | Judgement::Shows(_)) => Status::Found,
            Some(Judgement::Open(_)) => Status::Incomplete,
            None | Some(Judgement::Harmless) => Status::Clean,
        }
    }

    /// Returns the judgement in words, behind the name of the model.
    pub(crate) fn in_words(&self) -> String {
        let standing = match self.standing() {
            None => "clean".to_string(),
            Some(Judgement::Harmless) if !self.accepted.is_empty() => "clean".to_string(),
            Some(judgement) => self.words_of(judgement),
        };
        let is_accepted = |judgement: &&Judgement| self.accepted.contains(&judgement.word());
        let accepted = self.judgements.iter().filter(is_accepted).map(|judgement| match judgement {
            Judgement::Breaks(_) => self.failure.as_ref().map_or_else(String::new, FirstFailure::in_words),
            Judgement::Shows(values) => values_in_words(values),
            Judgement::Harmless | Judgement::Open(_) => counted(self.reported, "SC violation", "SC violations"),
        });
        accepted.fold(standing, |words, accepted| format!("{words}, {accepted} accepted"))
    }

    /// Returns one of the judgements in words.
    pub(crate) fn words_of(&self, judgement: &Judgement) -> String {
        let these = counted(self.reported, "SC violation", "SC violations");
        let by = match self.world {
            World::Graphs if self.is_circular(judgement) => ", in circular executions alone",
            World::Graphs => "",
            World::Machines => ", by interleavings with store buffers",
        };
        match judgement {
            Judgement::Breaks(_) => match &self.failure {
                // Races are not looked for under SC here.
                Some(failure) if failure.is_race() => format!("breaks, {}{by}", failure.in_words()),
                Some(failure) => format!("breaks, {}, as in no SC execution{by}", failure.in_words()),
                None => "breaks".to_string(),
            },
            Judgement::Shows(values) if values.is_empty() => format!("shows an end that no SC execution has{by}"),
            Judgement::Shows(values) => format!("shows {}, as no SC execution does{by}", values_in_words(values)),
            Judgement::Harmless if self.reported == 1 => format!("clean, {these} is harmless{by}"),
            Judgement::Harmless => format!("clean, {these} are harmless{by}"),
            Judgement::Open(why) => format!("open, {these}: {why}"),
        }
    }

    /// Whether a judgement rests on executions with a cycle of program order and reads-from alone.
    fn is_circular(&self, judgement: &Judgement) -> bool {
        self.circular.contains(&judgement.word())
    }

    /// Whether what is wrong with the program shows in executions with a cycle of program order and reads-from alone.
    pub(crate) fn is_wrong_in_circles(&self) -> bool {
        self.asked && self.standing().is_some_and(|judgement| self.is_circular(judgement))
    }

    /// Returns the judgement as the JSON has it.
    pub(crate) fn as_json(&self, counted: Counted) -> Entry<'_> {
        let difference = match self.judgement() {
            Judgement::Shows(values) => values.iter().map(|(name, value)| Value { name, value }).collect(),
            _ => Vec::new(),
        };
        let why = match self.judgement() {
            Judgement::Open(why) => Some(why.as_str()),
            _ => None,
        };
        let verdict = match self.standing() {
            None => "clean",
            Some(Judgement::Harmless) if !self.is_reported() => "clean",
            Some(Judgement::Open(_)) if counted == Counted::Consequence => "incomplete",
            Some(Judgement::Harmless) if counted == Counted::Consequence => "clean",
            Some(_) => "violations",
        };
        Entry {
            judgement: self.judgement().word(),
            accepted: &self.accepted,
            verdict,
            by: self.world.word(),
            circular: self.is_circular(self.judgement()),
            asked: self.asked,
            failure: self.failure.as_ref(),
            difference,
            why,
            relaxed: Counts::of(self.exploration.summary.as_ref()),
            consistent: self.consistent,
            ends: self.ends(),
        }
    }

    /// Returns the first ends of the model's executions, each with whether a sequentially consistent one ends so: all do where the
    /// violations are harmless.
    fn ends(&self) -> Vec<End<'_>> {
        let Some(summary) = &self.exploration.summary else { return Vec::new() };
        let known = match &self.wrong {
            Wrong::Unlike { finals, .. } => finals.as_ref(),
            _ => None,
        };
        let is_harmless = *self.judgement() == Judgement::Harmless;
        let finals = &summary.finals;
        let told = || finals.all().take(ENDS);
        let names: BTreeSet<&String> = told().filter_map(|(_, named)| named).flat_map(|named| named.keys()).collect();
        let ends = told().map(|(digest, named)| {
            let values = named.into_iter().flat_map(|named| {
                names.iter().filter_map(|&name| Some(Value { name, value: finals.value(named, name)? }))
            });
            let is_consistent = known.map(|known| known.contains(digest)).or(is_harmless.then_some(true));
            End { values: values.collect(), is_consistent }
        });
        ends.collect()
    }
}

/// Returns which executions are wrong: those that fail as no sequentially consistent one does, and those that end as none does,
/// where all of these are known.
fn wrong(sc: &Side<'_>, known: &Known<'_>) -> Wrong {
    let violations = sc.violations.iter().chain(known.consistent.iter().copied());
    let finals = sc.summary.map(|summary| summary.finals.clone()).filter(|finals| !finals.leaves_out());
    Wrong::Unlike {
        failures: violations.filter_map(Way::of).collect(),
        finals: finals.filter(|_| known.foreign.is_none() && sc.cut(known.time).is_none()),
    }
}

/// Returns the name of a model at the beginning of its verdict.
pub(crate) fn title(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Tso => "x86 (TSO)",
        other => other.title(),
    }
}

/// Returns models in words: `C11, x86 (TSO) and ARMv8`.
pub(crate) fn titles(models: &[MemoryModel]) -> String {
    listed(&models.iter().map(|&model| title(model)).collect::<Vec<&str>>())
}

/// Returns the harmless SC violations in a few lines, each pair of places once, with its models.
pub(crate) fn harmless_notes<'a>(found: impl Iterator<Item = &'a Found>, judged: &[Judged]) -> String {
    let harmless: Vec<&Judged> = judged.iter().filter(|one| *one.judgement() == Judgement::Harmless).collect();
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for one in found.filter(|one| one.accepted.is_none()) {
        let Some(model) = harmless.iter().find(|judged| is_of(&one.violation, judged.model)) else { continue };
        let Some(words) = pair_in_words(&one.violation) else { continue };
        match lines.iter_mut().find(|(other, _)| *other == words) {
            Some((_, models)) if models.contains(&model.model.title()) => {}
            Some((_, models)) => models.push(model.model.title()),
            None => lines.push((words, vec![model.model.title()])),
        }
    }
    if lines.is_empty() {
        return String::new();
    }
    let these = counted(lines.len() as u64, "harmless SC violation", "harmless SC violations");
    let mut text = format!("note: {these}: what the program does is what it does without\n");
    for (words, models) in lines.iter().take(LINES) {
        text.push_str(&format!("  {} ({})\n", words, models.join(", ")));
    }
    if lines.len() > LINES {
        text.push_str(&format!("  … and {} more\n", lines.len() - LINES));
    }
    text
}

/// The most harmless SC violations that are listed.
const LINES: usize = 8;

fn pair_in_words(violation: &Violation) -> Option<String> {
    let at = |role| violation.sites.iter().find(|site| site.role == role);
    let (delayed, overtaking) = (at(protocol::Role::Delayed)?, at(protocol::Role::Overtaking)?);
    let word = |site: &protocol::SiteUse| {
        let what = format!("{} {}", printable(site.operation.name()), printable(&site.expression));
        format!("{} at {}", what.trim_end(), short_place(&site.place))
    };
    Some(format!("{} may wait while {} goes ahead", word(delayed), word(overtaking)))
}
