//! What the command line means: every option's text becomes a typed value here and nowhere else.

use std::path::{Path, PathBuf};

use protocol::{
    Cycles, ExitStatus, Explore, Graphs, Heap, Leaks, Limits, MemoryModel, MonitorName, Recorded, Reuse, VERSION,
    Wakeups,
};

use crate::args::{CheckArgs, ExitStatusArg, MonitorArgs, ReplayArgs};
use crate::cc;
use crate::exit::Failure;
use crate::program::{file_kind, require_ours};
use crate::screen::{Channel, Color, Screen};
use crate::search::{Budget, Spread};
use crate::trust::{self, Roots};

/// What to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// `.c` files, one program.
    Sources(Vec<String>),
    /// An executable that `fencehound cc` made.
    Executable(String),
    /// `.litmus` files, each a test of its own.
    Litmus(Vec<String>),
}

/// How executions are enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Explorer {
    /// Interleavings: those that the program under test runs.
    Interleavings(protocol::Explorer),
    /// Execution graphs, by relaxed stateless model checking.
    Rsmc,
}

impl Explorer {
    /// All interleavings, by preemptions.
    pub(crate) const BOUNDED: Explorer = Explorer::Interleavings(protocol::Explorer::Bounded);

    /// The name on the command line and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Explorer::Interleavings(explorer) => explorer.name(),
            Explorer::Rsmc => "rsmc",
        }
    }
}

impl Target {
    /// The names, as typed.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Target::Sources(files) | Target::Litmus(files) => files.clone(),
            Target::Executable(file) => vec![file.clone()],
        }
    }
}

/// Where the JSON goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JsonTo {
    /// Nowhere.
    Off,
    /// The standard output; the text for people then goes to the standard error.
    Output,
    /// A file.
    File(PathBuf),
}

/// So many accesses an execution graph of a program can have.
const GRAPH_EVENTS: u64 = 1000;

/// A command `check`, understood.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CheckPlan {
    /// What to check.
    pub(crate) target: Target,
    /// The memory models, each with how its executions are enumerated.
    pub(crate) models: Vec<(MemoryModel, Explorer)>,
    /// The program's arguments.
    pub(crate) arguments: Vec<String>,
    /// Options for the compiler.
    pub(crate) compile_options: Vec<String>,
    /// Those of them that a replay takes only from the user.
    pub(crate) repeated_options: Vec<String>,
    /// What the runtime is asked.
    pub(crate) explore: Explore,
    /// What watches execution graphs, each of its model: nothing unless it is named.
    graph_monitors: Vec<MonitorName>,
    /// What ends the search before its end.
    pub(crate) budget: Budget,
    /// The bound on rounds of loops, of execution graphs.
    pub(crate) unroll: Option<u64>,
    /// How it is spread over processes.
    pub(crate) spread: Spread,
    /// Where it is kept, if it is.
    pub(crate) checkpoint: Option<PathBuf>,
    /// `--time` as typed.
    pub(crate) time: Option<String>,
    /// Where executions are recorded, if they are.
    pub(crate) record: Option<PathBuf>,
    /// The findings directory, as typed.
    pub(crate) out: PathBuf,
    /// Whether the executions that answer litmus tests' questions are kept there, too.
    pub(crate) keeps_witnesses: bool,
    /// Where the JSON goes.
    pub(crate) json: JsonTo,
    /// When to colour.
    pub(crate) color: Color,
}

impl CheckPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &CheckArgs) -> Result<CheckPlan, Failure> {
        let models = models(typed)?;
        let explorer = models.iter().find_map(|(_, explorer)| match explorer {
            Explorer::Interleavings(explorer) => Some(*explorer),
            Explorer::Rsmc => None,
        });
        let explore = Explore {
            version: VERSION,
            explorer: explorer.unwrap_or_default(),
            seed: seed(typed, explorer)?,
            preemptions: bound(typed, explorer)?,
            monitors: monitors_of(typed, &models)?,
            limits: Limits {
                max_events: count("--max-events", &typed.max_events)?,
                memory: count("--max-memory", &typed.max_memory)?.saturating_mul(1 << 20),
                local_seconds: whole_seconds("--local-timeout", &typed.local_timeout)?,
                weak_failures: weak_failures(&typed.weak_cas_fails)?,
                wakeups: if typed.spurious_wakeups { Wakeups::Spurious } else { Wakeups::Signalled },
                exit_status: match typed.exit_status {
                    ExitStatusArg::Report => ExitStatus::Reported,
                    ExitStatusArg::Ignore => ExitStatus::Ignored,
                },
            },
            heap: heap(typed),
            stop_at_first: typed.stop_at_first,
            graphs: None,
            record: if typed.record.is_some() { Recorded::Executions } else { Recorded::Nothing },
        };
        fits_explorer(typed, explorer)?;
        fits_monitors(&explore.monitors, explorer)?;
        if typed.record.as_deref() == Some(Path::new("-")) {
            let message = "--record does not write to the standard output, where the result goes";
            return Err(Failure::usage(message, "name a file, ./- if it is to be called so"));
        }
        if typed.record.is_some() && typed.checkpoint.is_some() {
            let message = "--record does not fit --checkpoint, which does not keep executions";
            return Err(Failure::usage(message, "leave one of them out"));
        }
        if typed.record.is_some() && models.iter().any(|&(_, explorer)| explorer == Explorer::Rsmc) {
            let message = "--record does not fit an explorer of execution graphs, which have no order of events";
            return Err(Failure::usage(message, "leave it out, or say --model sc --explorer bounded"));
        }
        let target = target(&typed.targets)?;
        fits_target(typed, &target, &models)?;
        let compile_options = compile_options(typed, &models)?;
        let budget = Budget {
            executions: typed.executions.as_deref().map(|text| count("--executions", text)).transpose()?,
            seconds: typed.time.as_deref().map(|text| seconds("--time", text)).transpose()?,
        };
        let unroll = unroll(typed, &models)?;
        Ok(CheckPlan {
            target,
            models,
            arguments: typed.arguments.clone(),
            repeated_options: trust::doubtful(&compile_options),
            compile_options,
            graph_monitors: if typed.monitor.is_some() { explore.monitors.clone() } else { Vec::new() },
            explore,
            budget,
            unroll,
            spread: spread(typed)?,
            checkpoint: typed.checkpoint.clone(),
            time: typed.time.clone(),
            record: typed.record.clone(),
            out: typed.out.clone().unwrap_or_else(|| PathBuf::from("fencehound-out/")),
            keeps_witnesses: typed.out.is_some(),
            json: json_to(typed.json.as_deref()),
            color: typed.color,
        })
    }

    /// The plan for one of its models alone.
    pub(crate) fn under(&self, model: MemoryModel, explorer: Explorer) -> CheckPlan {
        let mut plan = CheckPlan { models: vec![(model, explorer)], ..self.clone() };
        if explorer == Explorer::Rsmc {
            let seconds = plan.budget.seconds;
            let cycles = if self.warns_of(model) { Cycles::Counted } else { Cycles::Ignored };
            plan.explore.graphs = Some(Graphs { model, seconds, unroll: plan.unroll, cycles });
            plan.spread = Spread { workers: 1, slice: None };
            let named = self.graph_monitors.iter().copied();
            plan.explore.monitors = named.filter(|&monitor| watches_graphs(monitor, model)).collect();
            plan.explore.limits.max_events = plan.explore.limits.max_events.min(GRAPH_EVENTS);
        }
        plan
    }

    /// Whether a monitor warns of the executions of a relaxed model: on those of SC, or named for the model itself.
    pub(crate) fn warns_of(&self, model: MemoryModel) -> bool {
        let of_model = |monitor: &MonitorName| monitor.model() == Some(model);
        let interleaves = self.models.iter().any(|&(_, explorer)| explorer != Explorer::Rsmc);
        let on_interleavings = interleaves && self.explore.monitors.iter().any(of_model);
        on_interleavings || self.graph_monitors.iter().any(of_model)
    }

    /// The bound on rounds of loops, where there is one.
    pub(crate) fn unroll(&self) -> Option<u64> {
        self.unroll.filter(|_| self.explore.graphs.is_some())
    }

    /// The preemption bound, where there is one.
    pub(crate) fn preemptions(&self) -> Option<u32> {
        self.explore.preemptions.filter(|_| self.explore.graphs.is_none())
    }

    /// Where the text for people goes.
    pub(crate) fn screen(&self) -> Screen {
        screen(&self.json, self.color)
    }
}

/// A command `replay`, understood.
#[derive(Clone, Debug)]
pub(crate) struct ReplayPlan {
    /// The folder of the finding, or its file, as typed.
    pub(crate) finding: PathBuf,
    /// How it is shown.
    pub(crate) mode: ReplayMode,
    /// Where what it names may lie.
    pub(crate) roots: Roots,
    /// Options for the compiler that the user trusts.
    pub(crate) trusted_options: Vec<String>,
    /// When to colour.
    pub(crate) color: Color,
}

impl ReplayPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &ReplayArgs) -> Result<ReplayPlan, Failure> {
        let mut trusted_options = Vec::new();
        for flags in &typed.cflags {
            trusted_options.extend(words_of(flags)?);
        }
        Ok(ReplayPlan {
            finding: typed.finding.clone(),
            mode: replay_mode(typed),
            roots: Roots::new(&typed.source)?,
            trusted_options,
            color: typed.color,
        })
    }
}

/// The options in a value of `--cflags`.
fn words_of(flags: &str) -> Result<Vec<String>, Failure> {
    let wrong = || Failure::usage(format!("--cflags `{flags}` has an open quote"), "quote as in a shell");
    shlex::split(flags).ok_or_else(wrong)
}

/// A command `monitor`, understood.
#[derive(Clone, Debug)]
pub(crate) struct MonitorPlan {
    /// The logs, as typed.
    pub(crate) logs: Vec<String>,
    /// What watches them.
    pub(crate) monitors: Vec<MonitorName>,
    /// How many steps the search for a cycle in each execution of SC may take.
    pub(crate) search_steps: u64,
    /// Where the sources that a log names may lie.
    pub(crate) roots: Roots,
    /// Where the JSON goes.
    pub(crate) json: JsonTo,
    /// When to colour.
    pub(crate) color: Color,
}

impl MonitorPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &MonitorArgs) -> Result<MonitorPlan, Failure> {
        let monitors = monitors(typed.monitor.as_deref().unwrap_or("tso,pso"))?;
        if monitors.contains(&MonitorName::Race) {
            let message = "monitor `race` does not fit event logs, whose accesses have no C11 orders";
            return Err(Failure::usage(message, "leave it out; `fencehound check --monitor race` watches a program"));
        }
        Ok(MonitorPlan {
            logs: typed.logs.clone(),
            monitors,
            search_steps: count("--search-steps", &typed.search_steps)?,
            roots: Roots::new(&typed.source)?,
            json: json_to(typed.json.as_deref()),
            color: typed.color,
        })
    }

    /// Where the text for people goes.
    pub(crate) fn screen(&self) -> Screen {
        screen(&self.json, self.color)
    }
}

fn json_to(typed: Option<&Path>) -> JsonTo {
    match typed {
        None => JsonTo::Off,
        Some(file) if file == Path::new("-") => JsonTo::Output,
        Some(file) => JsonTo::File(file.into()),
    }
}

fn screen(json: &JsonTo, color: Color) -> Screen {
    let channel = if *json == JsonTo::Output { Channel::Error } else { Channel::Output };
    Screen::new(channel, color)
}

/// How a replay is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReplayMode {
    /// At once.
    Whole,
    /// One event at a time.
    Step,
    /// In gdb.
    Gdb,
}

/// The mode of a `replay`.
fn replay_mode(typed: &ReplayArgs) -> ReplayMode {
    match (typed.gdb, typed.step) {
        (true, _) => ReplayMode::Gdb,
        (false, true) => ReplayMode::Step,
        (false, false) => ReplayMode::Whole,
    }
}

/// More processes than that are a mistake.
const WORKERS: usize = 1024;

fn heap(typed: &CheckArgs) -> Heap {
    Heap {
        reuse: if typed.heap_reuse { Reuse::ByThread } else { Reuse::Never },
        leaks: if typed.leaks { Leaks::Reported } else { Leaks::Ignored },
    }
}

fn monitors(list: &str) -> Result<Vec<MonitorName>, Failure> {
    let available = || {
        let names = MonitorName::ALL.map(MonitorName::name);
        format!("available are {}, and none alone", names.join(", "))
    };
    let mut chosen = Vec::new();
    if list == "none" {
        return Ok(chosen);
    }
    for name in list.split(',') {
        let name = name.trim();
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
    Ok(chosen)
}

/// Whether a monitor watches the execution graphs of a model.
fn watches_graphs(monitor: MonitorName, model: MemoryModel) -> bool {
    match monitor {
        MonitorName::TsoAtomicity | MonitorName::Tso => model == MemoryModel::Tso,
        MonitorName::Pso => model == MemoryModel::Pso,
        _ => false,
    }
}

/// The monitors, each of which has something to watch.
fn monitors_of(typed: &CheckArgs, models: &[(MemoryModel, Explorer)]) -> Result<Vec<MonitorName>, Failure> {
    let chosen = monitors(typed.monitor.as_deref().unwrap_or("tso,pso"))?;
    if typed.monitor.is_none() || models.iter().any(|(_, explorer)| *explorer != Explorer::Rsmc) {
        return Ok(chosen);
    }
    let is_idle = |monitor: &&MonitorName| !models.iter().any(|&(model, _)| watches_graphs(**monitor, model));
    match chosen.iter().find(is_idle) {
        Some(&MonitorName::TsoAtomicity) if models.iter().any(|(model, _)| *model != MemoryModel::Sc) => {
            let names: Vec<&str> = models.iter().map(|(model, _)| model.name()).collect();
            Err(Failure::usage(
                format!("--monitor `tso-atomicity` does not fit --model {}", names.join(",")),
                "it watches the execution graphs of --model tso, and the interleavings of --model sc",
            ))
        }
        Some(&monitor) => Err(Failure::usage(
            format!("--monitor `{}` does not fit the explorer rsmc", monitor.name()),
            "it is for interleavings: --model sc --explorer bounded; --model tso fits --monitor tso and tso-atomicity, \
             --model pso --monitor pso",
        )),
        None => Ok(chosen),
    }
}

/// The models, and how their executions are enumerated.
fn models(typed: &CheckArgs) -> Result<Vec<(MemoryModel, Explorer)>, Failure> {
    const MODELS: &str = "available are sc, tso, pso and power";
    const EXPLORERS: &str = "available are bounded, dpor, random, pct and urw (for sc), and rsmc";
    let interleavings = INTERLEAVINGS.iter().find(|explorer| typed.explorer.as_deref() == Some(explorer.name()));
    let asked = match typed.explorer.as_deref() {
        None => None,
        Some("rsmc") => Some(Explorer::Rsmc),
        Some(_) if interleavings.is_some() => interleavings.copied().map(Explorer::Interleavings),
        Some(name) => return Err(Failure::usage(format!("unknown explorer `{name}`"), EXPLORERS)),
    };
    let mut chosen: Vec<(MemoryModel, Explorer)> = Vec::new();
    for name in typed.model.split(',').map(str::trim) {
        let Some(model) = MemoryModel::ALL.into_iter().find(|known| known.name() == name) else {
            return Err(Failure::usage(format!("unknown model `{name}`"), MODELS));
        };
        let usual = if model == MemoryModel::Sc { Explorer::BOUNDED } else { Explorer::Rsmc };
        if let Some(Explorer::Interleavings(explorer)) = asked
            && usual == Explorer::Rsmc
        {
            return Err(Failure::usage(
                format!("explorer `{}` does not fit model `{name}`", explorer.name()),
                "it runs interleavings of sc; rsmc fits every model",
            ));
        }
        if chosen.iter().all(|(known, _)| *known != model) {
            chosen.push((model, asked.unwrap_or(usual)));
        }
    }
    Ok(chosen)
}

/// The explorers that run the program.
const INTERLEAVINGS: [protocol::Explorer; 5] = [
    protocol::Explorer::Bounded,
    protocol::Explorer::Dpor,
    protocol::Explorer::Random,
    protocol::Explorer::Pct,
    protocol::Explorer::Urw,
];

/// The preemption bound: 2 for `bounded` and none for the others, unless one is given.
fn bound(typed: &CheckArgs, explorer: Option<protocol::Explorer>) -> Result<Option<u32>, Failure> {
    let given = fits_interleavings("--preemptions", &typed.preemptions, explorer.is_some())?;
    let usual = if matches!(explorer, None | Some(protocol::Explorer::Bounded)) { "2" } else { "none" };
    match (explorer, preemptions(given.unwrap_or(usual))?) {
        (Some(explorer), Some(_)) if explorer.draws() => Err(Failure::usage(
            format!("--preemptions does not fit the explorer {}", explorer.name()),
            "it bounds the explorers bounded and dpor",
        )),
        (_, bound) => Ok(bound),
    }
}

/// The bound on rounds of loops, if one is given.
fn unroll(typed: &CheckArgs, models: &[(MemoryModel, Explorer)]) -> Result<Option<u64>, Failure> {
    let Some(text) = typed.unroll.as_deref() else { return Ok(None) };
    if models.iter().all(|(_, explorer)| *explorer != Explorer::Rsmc) {
        return Err(Failure::usage(
            "--unroll fits only the explorer rsmc",
            "add --model power, tso or pso, or --explorer rsmc; for interleavings there is --max-events",
        ));
    }
    count("--unroll", text).map(Some)
}

fn seed(typed: &CheckArgs, explorer: Option<protocol::Explorer>) -> Result<u64, Failure> {
    let Some(text) = typed.seed.as_deref() else { return Ok(0) };
    if !explorer.is_some_and(protocol::Explorer::draws) {
        return Err(Failure::usage("--seed fits only random search", "add --explorer random, pct or urw"));
    }
    let wrong = |_| Failure::usage(format!("--seed `{text}` is no seed"), "give a whole number from 0");
    text.parse().map_err(wrong)
}

/// Whether the explorer can do what the other options ask.
fn fits_explorer(typed: &CheckArgs, explorer: Option<protocol::Explorer>) -> Result<(), Failure> {
    let Some(explorer) = explorer else { return Ok(()) };
    if explorer.draws() && typed.executions.is_none() && typed.time.is_none() {
        let message = format!("the explorer {} has no end of its own", explorer.name());
        return Err(Failure::usage(message, "add --executions 1000 or --time 30s"));
    }
    if explorer != protocol::Explorer::Dpor {
        return Ok(());
    }
    let given = [(typed.spurious_wakeups, "--spurious-wakeups"), (typed.weak_cas_fails != "0", "--weak-cas-fails")];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(Failure::usage(
            format!("{option} does not fit the explorer dpor in this version"),
            "use --explorer bounded",
        )),
        None => Ok(()),
    }
}

/// The monitors that are complete over all interleavings alone say nothing of a class of which one is run.
fn fits_monitors(monitors: &[MonitorName], explorer: Option<protocol::Explorer>) -> Result<(), Failure> {
    if monitors.contains(&MonitorName::ScEquivalence) {
        let message = "monitor `sc-equivalence` fits only event logs with commits";
        return Err(Failure::usage(
            message,
            "leave it out; `--monitor tso` says whether executions are equivalent to SC ones",
        ));
    }
    let partial = |monitor: &&MonitorName| matches!(monitor, MonitorName::BurnimTso | MonitorName::BurnimPso);
    match monitors.iter().find(partial) {
        Some(&monitor) if explorer == Some(protocol::Explorer::Dpor) => Err(Failure::usage(
            format!(
                "--monitor {} does not fit the explorer dpor: it is complete over all interleavings alone",
                monitor.name()
            ),
            "use prefix_tso, prefix_pso or exact_tso, or --explorer bounded",
        )),
        _ => Ok(()),
    }
}

/// An option that is about interleavings, if it was given.
fn fits_interleavings<'a>(
    option: &str,
    typed: &'a Option<String>,
    interleaves: bool,
) -> Result<Option<&'a str>, Failure> {
    match typed.as_deref() {
        Some(value) if !interleaves && value != "none" => Err(Failure::usage(
            format!("{option} `{value}` does not fit the explorer rsmc"),
            "it is for interleavings: --model sc --explorer bounded",
        )),
        value => Ok(value),
    }
}

/// Whether the other options are for such a target.
fn fits_target(typed: &CheckArgs, target: &Target, models: &[(MemoryModel, Explorer)]) -> Result<(), Failure> {
    if let Target::Litmus(_) = target {
        let other = |explorer: &Explorer| !matches!(explorer, &Explorer::BOUNDED | Explorer::Rsmc);
        if let Some((_, explorer)) = models.iter().find(|(_, explorer)| other(explorer)) {
            let message = format!("explorer `{}` does not fit litmus files", explorer.name());
            return Err(Failure::usage(message, "available for them are bounded and rsmc"));
        }
        let lists =
            [&typed.define, &typed.undefine, &typed.include, &typed.library_folder, &typed.library, &typed.cflags];
        if lists.iter().any(|list| !list.is_empty()) || typed.std.is_some() {
            return Err(Failure::usage("options for the compiler do not fit litmus files", "leave them out"));
        }
        if typed.record.is_some() {
            return Err(Failure::usage("--record does not fit litmus files", "it records executions of C programs"));
        }
        if !typed.arguments.is_empty() {
            return Err(Failure::usage("program arguments do not fit litmus files", "leave them out"));
        }
        if typed.unroll.is_some() {
            return Err(Failure::usage("--unroll does not fit litmus files", "for them there is --max-events"));
        }
        for (option, given) in [("-j", typed.jobs.is_some()), ("--checkpoint", typed.checkpoint.is_some())] {
            if given {
                let message = format!("{option} does not fit litmus files, which take one process and little time");
                return Err(Failure::usage(message, "leave it out"));
            }
        }
        if typed.uninitialised {
            return Err(Failure::usage("--uninitialised does not fit litmus files", "in them everything is written"));
        }
        return fits_litmus(typed, models);
    }
    if let (Target::Executable(name), true) = (target, typed.sv_comp_transactions) {
        return Err(Failure::usage(
            format!("{name}: --sv-comp-transactions needs the source"),
            "name the .c files: they are compiled for it",
        ));
    }
    if let (Target::Executable(name), true) = (target, typed.uninitialised) {
        return Err(Failure::usage(
            format!("{name}: --uninitialised needs the source"),
            "name the .c files, or compile with `fencehound cc --uninitialised` and check without the option",
        ));
    }
    if models.iter().all(|(_, explorer)| *explorer != Explorer::Rsmc) {
        return Ok(());
    }
    let options = [
        ("--heap-reuse", typed.heap_reuse),
        ("--leaks", typed.leaks),
        ("--uninitialised", typed.uninitialised),
        ("--spurious-wakeups", typed.spurious_wakeups),
        ("--weak-cas-fails", typed.weak_cas_fails != "0"),
        ("--checkpoint", typed.checkpoint.is_some()),
        ("--slice-executions", typed.slice_executions.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(
            format!("{option} does not fit the explorer rsmc"),
            "it is for interleavings: --model sc --explorer bounded",
        )),
        None => Ok(()),
    }
}

/// Whether the monitors are for litmus tests.
fn fits_litmus(typed: &CheckArgs, models: &[(MemoryModel, Explorer)]) -> Result<(), Failure> {
    let named = |one: &str| typed.monitor.iter().any(|list| list.split(',').any(|name| name.trim() == one));
    if named("race") {
        let message = "monitor `race` does not fit litmus files, whose accesses have no C11 orders";
        return Err(Failure::usage(message, "leave it out"));
    }
    let interleaves = models.iter().any(|(_, explorer)| *explorer != Explorer::Rsmc);
    if let Some(name) = ["tso", "pso"].into_iter().find(|name| !interleaves && named(name)) {
        let message = format!("monitor `{name}` does not fit the execution graphs of litmus files");
        return Err(Failure::usage(
            message,
            "it watches their interleavings: --model sc; or compare two models' states",
        ));
    }
    if let Some(name) = ["sc-atomicity", "tso-atomicity"].into_iter().find(|name| named(name)) {
        let message = format!("monitor `{name}` does not fit litmus files, which have no transactions");
        return Err(Failure::usage(message, "leave it out"));
    }
    Ok(())
}

fn preemptions(typed: &str) -> Result<Option<u32>, Failure> {
    if typed == "none" {
        return Ok(None);
    }
    let wrong = |_| Failure::usage(format!("--preemptions `{typed}` is no bound"), "give 0, 1, 2, … or none");
    typed.parse().map(Some).map_err(wrong)
}

/// As many processes as there are cores, unless told otherwise.
fn spread(typed: &CheckArgs) -> Result<Spread, Failure> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let workers = match typed.jobs.as_deref().map(|text| (text, text.parse())) {
        None => cores(),
        Some((_, Ok(workers @ 1..=WORKERS))) => workers,
        Some((text, _)) => {
            let message = format!("-j `{text}` is no number of processes");
            return Err(Failure::usage(message, format!("give a whole number from 1 to {WORKERS}")));
        }
    };
    let slice = typed.slice_executions.as_deref().map(|text| count("--slice-executions", text)).transpose()?;
    Ok(Spread { workers, slice })
}

fn weak_failures(typed: &str) -> Result<u32, Failure> {
    let wrong = |_| Failure::usage(format!("--weak-cas-fails `{typed}` is no count"), "give 0, 1, 2, …");
    typed.parse().map_err(wrong)
}

fn count(option: &str, typed: &str) -> Result<u64, Failure> {
    match typed.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(Failure::usage(format!("{option} `{typed}` is no count"), "give a whole number from 1")),
    }
}

/// `500ms`, `30s`, `1.5m`, `1h`.
fn seconds(option: &str, typed: &str) -> Result<f64, Failure> {
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
        Ok(value) if digits && value > 0.0 && value * scale < 1e9 => Ok(value * scale),
        _ => Err(wrong()),
    }
}

/// A time in whole seconds, rounded up.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds() gives 0 < t < 1e9")]
fn whole_seconds(option: &str, typed: &str) -> Result<u64, Failure> {
    seconds(option, typed).map(|seconds| seconds.ceil() as u64)
}

/// Whether POWER is among the models.
fn has_power(models: &[(MemoryModel, Explorer)]) -> bool {
    models.iter().any(|(model, _)| *model == MemoryModel::Power)
}

fn compile_options(typed: &CheckArgs, models: &[(MemoryModel, Explorer)]) -> Result<Vec<String>, Failure> {
    let mut options = vec![format!("-O{}", typed.optimise)];
    if !["0", "1", "2", "3", "s", "z", "g", "fast"].contains(&typed.optimise.as_str()) {
        return Err(Failure::usage(
            format!("unknown optimisation level -O{}", typed.optimise),
            "give -O0, -O1, -O2 or -O3",
        ));
    }
    let mut add = |flag: &str, values: &[String]| options.extend(values.iter().map(|value| format!("{flag}{value}")));
    add("-D", &typed.define);
    add("-U", &typed.undefine);
    add("-I", &typed.include);
    add("-L", &typed.library_folder);
    add("-l", &typed.library);
    add("-std=", typed.std.as_slice());
    if typed.sv_comp_transactions {
        let names = ["begin", "end"].map(|end| format!("-D__VERIFIER_atomic_{end}=fh_atomic_{end}"));
        options.extend(names);
    }
    if let Some(file) = &typed.asm_templates {
        options.extend(cc::templates(file));
    }
    if has_power(models) {
        options.extend(cc::labels());
    }
    if typed.uninitialised {
        options.extend(cc::uninitialised());
    }
    for flags in &typed.cflags {
        options.extend(words_of(flags)?);
    }
    Ok(options)
}

fn target(names: &[String]) -> Result<Target, Failure> {
    const KINDS: &str = "a target is .c files, an executable made by `fencehound cc`, or .litmus files";
    let mut sources = Vec::new();
    let mut executables = Vec::new();
    let mut litmus = Vec::new();
    for name in names {
        let unreadable = |error| Failure::usage(format!("{name}: {}", reason(&error)), KINDS);
        match Path::new(name).extension().and_then(|extension| extension.to_str()) {
            Some("c") => {
                require_file(name, KINDS)?;
                std::fs::File::open(name).map_err(unreadable)?;
                sources.push(name.clone());
            }
            Some("litmus") => {
                require_file(name, KINDS)?;
                litmus.push(name.clone());
            }
            _ => {
                require_ours(name, file_kind(Path::new(name)).map_err(unreadable)?)?;
                executables.push(name.clone());
            }
        }
    }
    if let Some(first) = litmus.first() {
        let message = format!("{first}: litmus files cannot be combined with other targets");
        if !sources.is_empty() || !executables.is_empty() {
            return Err(Failure::usage(message, "check them in a command of their own"));
        }
        return Ok(Target::Litmus(litmus));
    }
    match (executables.pop(), executables.is_empty(), sources.is_empty()) {
        (None, _, _) => Ok(Target::Sources(sources)),
        (Some(executable), true, true) => Ok(Target::Executable(executable)),
        (Some(executable), _, _) => Err(Failure::usage(
            format!("{executable}: an executable cannot be combined with other targets"),
            "check executables one at a time",
        )),
    }
}

/// Refuses folders, and what may have no end: pipes and devices.
fn require_file(name: &str, help: &str) -> Result<(), Failure> {
    match std::fs::metadata(name) {
        Ok(there) if there.is_dir() => Err(Failure::usage(format!("{name}: is a folder"), help)),
        Ok(there) if !there.is_file() => {
            Err(Failure::usage(format!("{name}: is no file but a pipe or a device"), help))
        }
        // What is not there is said where it is read.
        _ => Ok(()),
    }
}

/// The cause of an error without the system's number for it: `no such file or directory`.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use protocol::MonitorName;

    use super::{count, monitors, preemptions, reason, seconds, target, whole_seconds};

    #[test]
    fn times() {
        let given = |text| seconds("--time", text).ok();
        assert_eq!(given("30s"), Some(30.0));
        assert_eq!(given("500ms"), Some(0.5));
        assert_eq!(given("2m"), Some(120.0));
        assert_eq!(given("1.5h"), Some(5400.0));
        for wrong in ["30", "s", "-1s", "1d", "1 s", "0s", "", "inf s", "1e99h", "1.2.3s", "∞s"] {
            assert_eq!(given(wrong), None, "{wrong}");
        }
        assert_eq!(whole_seconds("--local-timeout", "500ms").unwrap(), 1);
    }

    #[test]
    fn bounds_and_counts() {
        assert_eq!(preemptions("none").unwrap(), None);
        assert_eq!(preemptions("3").unwrap(), Some(3));
        assert!(preemptions("-1").is_err());
        assert_eq!(count("--executions", "7").unwrap(), 7);
        assert!(count("--executions", "0").is_err());
        assert!(count("--executions", "many").is_err());
    }

    #[test]
    fn monitor_lists() {
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

    #[test]
    fn targets() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        std::fs::write(name("a.c"), "").unwrap();
        std::fs::write(name("text"), "").unwrap();
        assert!(target(&[name("a.c")]).is_ok());
        let message = |file: &str| target(&[name(file)]).unwrap_err().message;
        assert!(message("b.c").ends_with("b.c: no such file or directory"));
        assert!(message("text").ends_with("text: neither a .c file nor an executable"));
        assert!(target(&[name("x.litmus"), name("y.litmus")]).is_ok());
        let mixed = target(&[name("x.litmus"), name("a.c")]).unwrap_err().message;
        assert!(mixed.ends_with("x.litmus: litmus files cannot be combined with other targets"));
        let own = std::env::current_exe().unwrap().to_str().unwrap().to_string();
        assert!(target(&[own]).unwrap_err().message.ends_with("not built by fencehound cc"));
    }

    #[test]
    fn reasons_have_no_numbers() {
        let error = std::fs::read("/no/such/file").unwrap_err();
        assert_eq!(reason(&error), "no such file or directory");
    }
}
