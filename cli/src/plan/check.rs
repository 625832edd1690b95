//! The meaning of a command `check`.

use std::path::PathBuf;

use protocol::{
    Code, Cycles, ExitStatus, Explore, Graphs, Heap, Leaks, Limits, Machine, MemoryModel, MonitorName, Recorded, Reuse,
    Rounds, VERSION, Wakeups,
};

use super::code::code;
use super::compiler::compile_options;
use super::enumeration::{explored, unfit};
use super::explorer::{Explored, Explorer, has_interleavings};
use super::fits::{bound, delays, fits_baseline, fits_explorer, fits_files, fits_spread, fits_target, seed, unroll};
use super::judge::Judging;
use super::limit::TimeLimit;
use super::monitors::{fits_monitors, monitors_of, watches_graphs};
use super::target::{Target, target};
use crate::args::CheckArgs;
use crate::destination::{self, Destination};
use crate::exit::Failure;
use crate::hash::plain_name;
use crate::screen::{Color, Screen, Volume};
use crate::search::shares::{Joined, Shard};
use crate::search::{Budget, Spread};
use crate::values::{ExitStatuses, Format, Preemptions, Time, Words, cores};

/// The number of seconds of a search within more and more preemptions, unless another budget is given.
const AUTO_SECONDS: f64 = 60.0;

/// The number of seconds for what forbids findings, unless another one is given.
const ADVICE_SECONDS: f64 = 10.0;

/// The most accesses that an execution graph of a program can have.
const GRAPH_EVENTS: u64 = 1000;

/// The monitors that watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Watching {
    /// The monitors that the user has named watch.
    Named,
    /// The monitors watch that watch where none is named.
    Default,
    /// Of the default monitors, those of x86 watch.
    ForX86,
}

/// The meaning of a command `check`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CheckPlan {
    /// The target of the check.
    pub(crate) target: Target,
    /// The memory models, each with how its executions are enumerated.
    pub(crate) models: Vec<Explored>,
    /// The program's arguments.
    pub(crate) arguments: Vec<String>,
    /// The options for the compiler.
    pub(crate) compile_options: Vec<String>,
    /// The options that the user adds to the command that replays a finding; empty until the program has been made.
    pub(crate) again: Vec<String>,
    /// The job that the runtime is given.
    pub(crate) explore: Explore,
    /// The monitors that watch execution graphs, each those of its model; none unless it is named.
    graph_monitors: Vec<MonitorName>,
    /// The choice of monitors.
    watching: Watching,
    /// The limits that end the search before its end.
    pub(crate) budget: Budget,
    /// The number of seconds of a search within more and more preemptions, unless another one is given; none where all executions
    /// are asked for.
    auto_seconds: Option<f64>,
    /// The option that keeps the explorer `dpor` from being used, where another explorer takes its place.
    pub(crate) unfit: Option<String>,
    /// The bound on rounds of loops in execution graphs.
    pub(crate) unroll: Option<u64>,
    /// The bound on stores that are delayed at a time, on a machine with store buffers.
    delays: Option<u32>,
    /// The code that a compiler makes for ARMv8.
    code: Code,
    /// The division of the search among processes.
    pub(crate) spread: Spread,
    /// The share of the search that is run, if not all is.
    pub(crate) shard: Option<Shard>,
    /// The search, if it was joined from shares.
    pub(crate) joined: Option<Joined>,
    /// The command line, as it was understood.
    pub(crate) command: Vec<String>,
    /// The file of the checkpoint, if the search is kept in one.
    pub(crate) checkpoint: Option<PathBuf>,
    /// The value of `--time`.
    pub(crate) time: Option<Time>,
    /// The file in which executions are recorded, if they are.
    pub(crate) record: Option<PathBuf>,
    /// The file with the findings that are known, if there is one.
    pub(crate) baseline: Option<PathBuf>,
    /// Whether the baseline is written anew with what is found.
    pub(crate) writes_baseline: bool,
    /// The findings directory, as typed.
    pub(crate) out: PathBuf,
    /// Whether the executions that answer litmus tests' questions are kept in the findings directory, too.
    pub(crate) keeps_witnesses: bool,
    /// Where the JSON goes.
    pub(crate) json: Destination,
    /// Where the SARIF log goes.
    pub(crate) sarif: Destination,
    /// Where the `JUnit` report goes.
    pub(crate) junit: Destination,
    /// Where the page goes.
    pub(crate) html: Destination,
    /// How findings are shown.
    pub(crate) format: Format,
    /// How much is shown.
    pub(crate) volume: Volume,
    /// The time in which what forbids findings is looked for, if it is.
    pub(crate) advice: Option<TimeLimit>,
    /// The rule by which SC violations are judged.
    pub(crate) judging: Judging,
    /// Whether text is coloured.
    pub(crate) color: Color,
}

impl CheckPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &CheckArgs) -> Result<CheckPlan, Failure> {
        let models = explored(typed)?;
        let delays = delays(typed, &models)?;
        let explorer = models.iter().find_map(|(_, explorer)| explorer.of_interleavings());
        let explore = explore(typed, &models, explorer)?;
        fits_explorer(typed, explorer)?;
        fits_monitors(&explore.monitors, explorer)?;
        fits_files(typed, &models)?;
        fits_baseline(typed)?;
        fits_spread(typed, &models)?;
        let target = target(&typed.targets)?;
        fits_target(typed, &target, &models)?;
        let compile_options = compile_options(typed, &models);
        let unroll = unroll(typed, &models)?;
        let code = code(typed, &target, &models)?;
        let out = typed.out.as_deref().map_or_else(|| PathBuf::from("fencehound-out/"), |out| target.name_in(out));
        let plan = CheckPlan {
            target,
            models,
            arguments: typed.arguments.clone(),
            again: Vec::new(),
            compile_options,
            graph_monitors: if typed.monitor.is_some() { explore.monitors.clone() } else { Vec::new() },
            explore,
            watching: if typed.monitor.is_some() { Watching::Named } else { Watching::Default },
            budget: Budget { executions: typed.executions, seconds: typed.time.as_ref().map(|time| time.seconds) },
            unfit: unfit(typed),
            auto_seconds: (typed.preemptions != Some(Preemptions::Unbounded)).then_some(AUTO_SECONDS),
            unroll,
            code,
            delays,
            spread: Spread {
                workers: typed.jobs.unwrap_or_else(cores),
                executor: typed.executor.clone().or(typed.cluster.clone()).map(|Words(words)| words),
                slice: typed.slice_executions,
            },
            shard: typed.shard,
            joined: None,
            command: Vec::new(),
            checkpoint: typed.checkpoint.clone(),
            time: typed.time.clone(),
            record: typed.record.clone(),
            baseline: typed.baseline.clone(),
            writes_baseline: typed.write_baseline,
            out,
            keeps_witnesses: typed.out.is_some(),
            advice: advice_time(typed),
            json: Destination::named("--json", typed.json.as_deref()),
            sarif: Destination::named("--sarif", typed.sarif.as_deref()),
            junit: Destination::named("--junit", typed.junit.as_deref()),
            html: Destination::named("--html", typed.html.as_deref()),
            format: typed.format,
            volume: volume(typed),
            judging: Judging::new(typed),
            color: typed.color,
        };
        destination::apart(&plan.results())?;
        Ok(plan)
    }

    /// Returns the plan for a program that has fences for x86 alone: PSO, which keeps less in order than x86, is not watched
    /// unless it is asked for.
    pub(crate) fn for_x86(&self) -> CheckPlan {
        let is_asked = self.models.iter().any(|(model, _)| *model == MemoryModel::Pso);
        let mut plan = self.clone();
        if self.watching == Watching::Default && has_interleavings(&self.models) && !is_asked {
            plan.watching = Watching::ForX86;
            plan.explore.monitors.retain(|monitor| monitor.model() != Some(MemoryModel::Pso));
            plan.judging.asked.retain(|model| *model != MemoryModel::Pso);
        }
        plan
    }

    /// Whether PSO is not watched because the program is written for x86.
    pub(crate) fn leaves_out_pso(&self) -> bool {
        self.watching == Watching::ForX86
    }

    /// Returns the plan for one of its models alone.
    pub(crate) fn under(&self, model: MemoryModel, explorer: Explorer) -> CheckPlan {
        let mut plan = CheckPlan { models: vec![(model, explorer)], ..self.clone() };
        if let (Explorer::Auto(_), None, Some(seconds)) = (explorer, plan.budget.seconds, self.auto_seconds) {
            plan.budget.seconds = Some(seconds);
            plan.time = Some(Time { typed: format!("{seconds}s"), seconds });
        }
        // A search that comes to all classes knows the ends with which those under other models are compared.
        if matches!(explorer, Explorer::Auto(_)) && model == MemoryModel::Sc && self.may_be_judged() {
            plan.explore.compared = Some(self.judging.compared);
        }
        if explorer == Explorer::Rsmc {
            let cycles = if self.warns_of(model) { Cycles::Counted } else { Cycles::Ignored };
            let compared = self.is_judged_by(model).then_some(self.judging.compared);
            plan.explore.graphs = Some(Graphs { model, unroll: plan.unroll, cycles, code: plan.code });
            plan.explore.compared = compared;
            let named = self.graph_monitors.iter().copied();
            plan.explore.monitors = named.filter(|&monitor| watches_graphs(monitor, model)).collect();
            plan.explore.limits.max_events = plan.explore.limits.max_events.min(GRAPH_EVENTS);
        } else if model != MemoryModel::Sc {
            plan.explore.machine = Some(Machine { model, delays: self.delays });
            plan.explore.monitors = Vec::new();
        }
        plan
    }

    /// Returns the plan by which SC violations are judged on the execution graphs of a model, in this many seconds.
    pub(crate) fn to_judge(&self, model: MemoryModel, seconds: f64) -> CheckPlan {
        let budget = Budget { executions: None, seconds: Some(seconds) };
        let whole = CheckPlan { budget, checkpoint: None, joined: None, graph_monitors: Vec::new(), ..self.clone() };
        let mut plan = whole.under(model, Explorer::Rsmc);
        plan.explore.stop_at_first = false;
        plan.explore.heap = Heap::default();
        plan.explore.record = Recorded::Nothing;
        plan.explore.compared = Some(self.judging.compared);
        plan
    }

    /// Returns the plan by which SC violations are judged on all interleavings of a model, in this many seconds; they are those
    /// of a machine with store buffers if the model is relaxed.
    pub(crate) fn to_judge_by_machines(
        &self,
        model: MemoryModel,
        explorer: protocol::Explorer,
        seconds: f64,
    ) -> CheckPlan {
        let budget = Budget { executions: None, seconds: Some(seconds) };
        let whole = CheckPlan {
            budget,
            checkpoint: None,
            joined: None,
            delays: None,
            graph_monitors: Vec::new(),
            ..self.clone()
        };
        let mut plan = whole.under(model, Explorer::Interleavings(explorer));
        let compared = Some(self.judging.compared);
        let record = Recorded::Nothing;
        plan.explore = Explore {
            explorer,
            preemptions: None,
            monitors: Vec::new(),
            stop_at_first: false,
            compared,
            record,
            ..plan.explore
        };
        plan
    }

    /// Whether a monitor watches interleavings whose reports are judged by the ends of executions.
    fn may_be_judged(&self) -> bool {
        let of_model = |monitor: &MonitorName| monitor.model().is_some();
        let is_bounded = self.explore.preemptions.is_some() || self.explore.stop_at_first;
        let is_foreign = self.judging.foreign.is_some() || self.unroll.is_some();
        self.judging.judges() && !is_bounded && !is_foreign && self.explore.monitors.iter().any(of_model)
    }

    /// Whether the ends of this model's execution graphs are compared with others. They are for a model that a monitor warns of,
    /// and of all relaxed ones that are asked for, unless rounds of loops are left out, and of SC beside them.
    fn is_judged_by(&self, model: MemoryModel) -> bool {
        let is_relaxed = |&(model, explorer): &Explored| model != MemoryModel::Sc && explorer == Explorer::Rsmc;
        let is_whole = self.unroll.is_none() && self.models.iter().any(is_relaxed);
        self.judging.judges() && (is_whole || self.warns_of(model))
    }

    /// Whether a monitor warns of the executions of a relaxed model: one that watches executions of SC, or one that is named for
    /// the model itself.
    pub(crate) fn warns_of(&self, model: MemoryModel) -> bool {
        let of_model = |monitor: &MonitorName| monitor.model() == Some(model);
        let on_interleavings = has_interleavings(&self.models) && self.explore.monitors.iter().any(of_model);
        on_interleavings || self.graph_monitors.iter().any(of_model)
    }

    /// Returns the bound on rounds of loops, where there is one.
    pub(crate) fn unroll(&self) -> Option<u64> {
        self.unroll.filter(|_| self.explore.graphs.is_some())
    }

    /// Returns the preemption bound, where there is one.
    pub(crate) fn preemptions(&self) -> Option<u32> {
        self.explore.preemptions.filter(|_| self.explore.graphs.is_none())
    }

    /// Returns the bound on delayed stores, where there is one.
    pub(crate) fn delays(&self) -> Option<u32> {
        self.explore.machine.and_then(|machine| machine.delays)
    }

    /// Returns the name that a baseline has for the target.
    pub(crate) fn baseline_target(&self) -> String {
        let names = self.target.names();
        names.iter().map(|name| plain_name(name)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the screen for the text for people.
    pub(crate) fn screen(&self) -> Screen {
        destination::screen(&self.results(), self.color)
    }

    /// The machine-readable results.
    pub(crate) fn results(&self) -> [&Destination; 4] {
        [&self.json, &self.sarif, &self.junit, &self.html]
    }
}

/// Returns the job that the runtime is given.
fn explore(typed: &CheckArgs, models: &[Explored], explorer: Option<protocol::Explorer>) -> Result<Explore, Failure> {
    Ok(Explore {
        version: VERSION,
        explorer: explorer.unwrap_or_default(),
        seed: seed(typed, explorer)?,
        preemptions: bound(typed, models, explorer)?,
        rounds: if typed.strict { Rounds::All } else { Rounds::Passing },
        monitors: monitors_of(typed, models)?,
        limits: Limits {
            max_events: typed.max_events,
            memory: typed.max_memory.saturating_mul(1 << 20),
            local_seconds: typed.local_timeout.whole_seconds(),
            weak_failures: typed.weak_cas_fails,
            wakeups: if typed.spurious_wakeups { Wakeups::Spurious } else { Wakeups::Signalled },
            exit_status: match typed.exit_status {
                ExitStatuses::Report => ExitStatus::Reported,
                ExitStatuses::Ignore => ExitStatus::Ignored,
            },
        },
        heap: heap(typed),
        stop_at_first: typed.stop_at_first,
        graphs: None,
        machine: None,
        compared: None,
        repair: None,
        orders: None,
        record: if typed.record.is_some() { Recorded::Executions } else { Recorded::Nothing },
        directory: None,
    })
}

/// Returns the time in which what forbids findings is looked for, if it is.
fn advice_time(typed: &CheckArgs) -> Option<TimeLimit> {
    (!typed.no_advice).then(|| TimeLimit::new("--advice-time", typed.advice_time.as_ref(), ADVICE_SECONDS))
}

fn volume(typed: &CheckArgs) -> Volume {
    match (typed.quiet, typed.verbose) {
        (true, _) => Volume::Quiet,
        (false, true) => Volume::Verbose,
        (false, false) => Volume::Usual,
    }
}

fn heap(typed: &CheckArgs) -> Heap {
    Heap {
        reuse: if typed.heap_reuse { Reuse::ByThread } else { Reuse::Never },
        leaks: if typed.leaks { Leaks::Reported } else { Leaks::Ignored },
    }
}
