//! The search: which hands out slices to processes of the program, joins what comes back, and keeps it on disk if asked to.
//!
//! A search begins in one process; the others start when it has lasted a while. Results are joined in the order of a
//! search in one process ([`queue`]), so that everything but the time is the same for any number of processes.

mod checkpoint;
mod crew;
mod executor;
mod hands;
mod progress;
mod queue;
mod remote;
mod shared;
pub(crate) mod shares;
mod status;
mod totals;
mod worker;

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use engine::explore::estimate::{Ahead, Estimate, Samples, seconds_of_drawing};
use protocol::{
    Explore, Explorer, FailureKind, Harvest, Identity, Manner, Place, Recorded, SliceEnd, StoppedBy, Summary, Unit,
    Violation,
};

pub(crate) use checkpoint::{Checkpoint, Key};
use executor::{Errand, Lengths, News, Task};
use hands::Hands;
pub(crate) use hands::Spread;
pub(crate) use progress::{Bounds, Complete};
use progress::{End, Progress};
pub(crate) use remote::serve;
use shared::{Shared, dealt};
use status::{Facts, Left, Status};
use totals::agree;
use worker::APPETITE;

use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::{Program, ended_early};
use crate::record::Record;
use crate::screen::{Volume, complain};
use crate::symbols;
use crate::text::printable;

/// The number of seconds for which a search stays in one process.
const ALONE: f64 = 0.2;
/// The number of seconds of a slice in a search in one process.
const SLICE_ALONE: f64 = 0.25;
/// The number of processes, ended within slices since a result was joined, at which the search fails.
const STRIKES: u32 = 3;
/// The number of slices lost since a result was joined at which the search fails.
const LOSSES: u32 = 1000;
/// The time between two looks at the clock.
const LOOK: Duration = Duration::from_millis(50);
/// The time between two checkpoints, as a multiple of the time that it takes to write one.
const SAVE_SHARE: u32 = 10;
/// The time until a checkpoint that could not be written is written again.
const RETRY: Duration = Duration::from_secs(1);

/// The limits that end a search before its end.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Budget {
    /// The most executions that are run.
    pub(crate) executions: Option<u64>,
    /// The most seconds that the search may take.
    pub(crate) seconds: Option<f64>,
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Exploration {
    /// The violations in the order of discovery.
    pub(crate) violations: Vec<Violation>,
    /// The things that the program needs and that are not supported, each with its place.
    pub(crate) unsupported: Vec<(String, Place)>,
    /// The counts; none if Ctrl-C ended the search before there were any.
    pub(crate) summary: Option<Summary>,
    /// The creation paths of the threads that have numbers.
    pub(crate) threads: Vec<Vec<u32>>,
    /// How many executions there are in all, if the search was stopped before its end and that can be said.
    pub(crate) whole: Option<Estimate>,
    /// Why the checkpoint is not that of the end, if it could not be written.
    pub(crate) unsaved: Option<Failure>,
}

impl Exploration {
    /// Returns the result with those violations alone for which `is_wanted` holds.
    pub(crate) fn only(&self, is_wanted: impl Fn(&Violation) -> bool) -> Exploration {
        let mut only = self.clone();
        let wanted: Vec<bool> = self.violations.iter().map(is_wanted).collect();
        let is_left = |index: usize| wanted.get(index).copied().unwrap_or(true);
        only.violations = keep(&self.violations, is_left);
        if let Some(summary) = &mut only.summary {
            summary.violation_executions = keep(&summary.violation_executions, is_left);
            summary.grounds = keep(&summary.grounds, is_left);
        }
        only
    }
}

/// Returns the elements whose indices are wanted.
fn keep<T: Clone>(all: &[T], is_wanted: impl Fn(usize) -> bool) -> Vec<T> {
    all.iter().enumerate().filter(|(index, _)| is_wanted(*index)).map(|(_, one)| one.clone()).collect()
}

/// How much of a search is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// All of it is run.
    Whole,
    /// Its beginning is run, until so many units wait, as any process on any machine would run it.
    Beginning(usize),
    /// A part is run, of which nobody else hears before it is over.
    Share,
}

impl Extent {
    /// Whether only the beginning is to be run, and has been.
    fn is_run(self, progress: &Progress) -> bool {
        let Extent::Beginning(units) = self else { return false };
        progress.executions() >= (units * BEGINNING) as u64 || progress.queue.pending() >= units
    }
}

/// The executions of the beginning of a search, for each unit that is wanted, after which fewer units are enough.
const BEGINNING: usize = 50;

/// A search under way.
pub(crate) struct Search<'a> {
    program: &'a Program,
    job: &'a Explore,
    budget: Budget,
    spread: Spread,
    interrupts: &'a Interrupts,
    checkpoint: Option<Checkpoint>,
    progress: Progress,
    begun: Instant,
    /// The number of seconds that earlier runs of the search took.
    before: f64,
    executions_before: u64,
    stopped: Option<StoppedBy>,
    extent: Extent,
    hands: Hands<'a>,
    /// The number of processes that have ended in a slice since a result was joined, and of slices that got lost.
    strikes: u32,
    losses: u32,
    samples: Samples,
    batch: Batch,
    /// The round that the samples are of.
    sampled: u32,
    status: Status,
    /// Whether results have come since the search was saved.
    unsaved: bool,
    next_save: Instant,
}

impl<'a> Search<'a> {
    /// Makes a search that has not begun.
    pub(crate) fn new(
        program: &'a Program,
        job: &'a Explore,
        budget: Budget,
        (spread, volume): (&Spread, Volume),
        interrupts: &'a Interrupts,
    ) -> Search<'a> {
        // Where a search ends before its end, or says what came first, the order counts.
        let is_counted = budget.executions.is_some() || job.explorer == Explorer::Census;
        let is_ordered = job.stop_at_first || is_counted || !job.monitors.is_empty();
        let manner = if job.graphs.is_some() && is_ordered { Manner::InSequence } else { Manner::HandsOut };
        let progress = Progress { shared: Shared::new(manner), ..Progress::whole() };
        Search {
            program,
            job,
            budget,
            spread: spread.clone(),
            interrupts,
            checkpoint: None,
            progress,
            begun: Instant::now(),
            before: 0.0,
            executions_before: 0,
            stopped: None,
            extent: Extent::Whole,
            hands: Hands::new((program, job), spread, interrupts),
            strikes: 0,
            losses: 0,
            samples: Samples::default(),
            batch: Batch::default(),
            sampled: 0,
            status: Status::new(volume),
            unsaved: false,
            next_save: Instant::now(),
        }
    }

    /// Estimates how many executions a search for classes runs in all, by drawing some of them, after a search that took
    /// so many seconds.
    pub(crate) fn estimate(
        program: &Program,
        job: &Explore,
        seconds: f64,
        interrupts: &Interrupts,
    ) -> Result<Option<Estimate>, Failure> {
        let (explorer, monitors, seconds) = (Explorer::Census, Vec::new(), Some(seconds_of_drawing(seconds)));
        let (compared, record) = (None, Recorded::Nothing);
        let job = Explore { explorer, monitors, preemptions: None, compared, record, ..job.clone() };
        let budget = Budget { executions: None, seconds };
        let alone = Spread { workers: 1, executor: None, slice: None };
        let mut search = Search::new(program, &job, budget, (&alone, Volume::Quiet), interrupts);
        search.explore(&mut Record::create(None)?)?;
        search.hands.stay_here();
        Ok(search.progress.all().tally.drawn.all())
    }

    /// Keeps the search in a checkpoint, and goes on with what is saved there.
    ///
    /// # Errors
    /// If the search cannot be kept there.
    pub(crate) fn keep_in(&mut self, checkpoint: Checkpoint, saved: Option<Progress>) -> Result<(), Failure> {
        let is_of_use =
            |saved: &Progress| saved.end.is_some() || !self.progress.is_in_sequence() && !saved.is_in_sequence();
        if let Some(saved) = saved.filter(|saved| self.job.graphs.is_none() || is_of_use(saved)) {
            self.before = saved.seconds;
            self.executions_before = saved.executions();
            self.sampled = saved.queue.round();
            self.progress = saved;
        }
        // A failure now is better than one when the work is done.
        checkpoint.write(&self.progress)?;
        self.checkpoint = Some(checkpoint);
        Ok(())
    }

    /// Makes the search go on from searches within fewer preemptions.
    pub(crate) fn begin_after(&mut self, bounds: Bounds) {
        self.progress.before = bounds;
    }

    /// Makes the search begin with these numbers of threads, which another search has given.
    pub(crate) fn number(&mut self, threads: &[Vec<u32>]) {
        self.progress.totals.threads = threads.to_vec();
    }

    /// Searches, to the end or until a budget is used up.
    pub(crate) fn run(mut self, record: &mut Record) -> Result<Exploration, Failure> {
        if self.progress.end.is_some() {
            return Ok(self.exploration());
        }
        let result = self.explore(record);
        if !self.is_joined() {
            let done = self.progress.queue.waiting();
            let counted = done.filter(|done| agree(&self.progress.totals.threads, &done.harvest.threads));
            counted.for_each(|done| record.write(&done.harvest.recorded));
        }
        self.status.end();
        for ticket in self.hands.stay_here() {
            self.progress.queue.give_back(ticket);
        }
        self.progress.seconds = self.seconds();
        let saved = self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.write(&self.progress));
        match (result, &self.checkpoint) {
            (Err(failure), Some(checkpoint)) if saved.is_ok() => {
                let kept = format!("the search up to there is kept in {}", checkpoint.file().display());
                let help = failure.help.map_or_else(|| kept.clone(), |help| format!("{help}; {kept}"));
                Err(Failure { help: Some(help), ..failure })
            }
            (result, _) => {
                result?;
                let drawn = self.draw()?;
                let exploration = self.exploration();
                Ok(Exploration { unsaved: saved.err(), whole: exploration.whole.or(drawn), ..exploration })
            }
        }
    }

    /// Estimates how many execution graphs there are, by drawing some of them, where a budget has ended the search for them.
    fn draw(&self) -> Result<Option<Estimate>, Failure> {
        let is_cut =
            matches!(self.stopped, Some(StoppedBy::Time | StoppedBy::Executions)) && self.progress.end.is_none();
        let is_wanted = self.job.graphs.is_some() && self.job.repair.is_none() && self.job.explorer != Explorer::Census;
        if !is_cut || !is_wanted {
            return Ok(None);
        }
        Search::estimate(self.program, self.job, self.seconds(), self.interrupts)
    }

    fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    /// Whether only results that were joined count.
    fn is_joined(&self) -> bool {
        self.progress.end.is_some() || self.stopped == Some(StoppedBy::Executions)
    }

    fn explore(&mut self, record: &mut Record) -> Result<(), Failure> {
        loop {
            let joined = self.progress.totals.tally.executions;
            self.stopped = self.stopped.or(self.progress.join(self.budget.executions));
            record.write(&std::mem::take(&mut self.progress.recorded));
            if self.progress.totals.tally.executions > joined {
                (self.strikes, self.losses) = (0, 0);
            }
            let is_idle = self.hands.now().busy() == 0;
            if self.is_joined() || is_idle && self.extent.is_run(&self.progress) {
                return Ok(());
            }
            self.look_at_the_clock();
            if self.stopped.is_none() {
                self.hand_out()?;
            } else if self.hands.now().busy() == 0 || self.hands.is_elsewhere() && self.interrupts.pressed() {
                return Ok(());
            }
            if let Some(news) = self.hands.now().hear(LOOK)? {
                self.hear(news, record)?;
            }
        }
    }

    fn look_at_the_clock(&mut self) {
        if self.interrupts.pressed() {
            self.stopped = Some(StoppedBy::Interrupt);
        }
        let elapsed = self.begun.elapsed().as_secs_f64();
        if self.stopped.is_none() && self.budget.seconds.is_some_and(|limit| elapsed >= limit) {
            self.stopped = Some(StoppedBy::Time);
        }
        if self.status.is_due() {
            let facts = self.facts();
            self.status.say(&facts);
        }
        let now = Instant::now();
        let is_due = now >= self.next_save || self.spread.slice.is_some();
        if let Some(checkpoint) = self.checkpoint.as_ref().filter(|_| self.unsaved && is_due) {
            self.progress.seconds = self.before + elapsed;
            // What cannot be written now is tried again, and reported at the end: the search itself goes on.
            let rest = match checkpoint.write(&self.progress) {
                Ok(()) => {
                    self.unsaved = false;
                    now.elapsed() * SAVE_SHARE
                }
                Err(_) => RETRY,
            };
            self.next_save = Instant::now() + rest;
        }
    }

    /// Hands out slices while somebody has a place for another one.
    fn hand_out(&mut self) -> Result<(), Failure> {
        let elapsed = self.begun.elapsed().as_secs_f64();
        let is_ordered = self.progress.is_in_sequence();
        let alone = elapsed < ALONE && self.before == 0.0 && self.spread.slice.is_none();
        if self.progress.queue.pending() == 0 || !(alone || is_ordered || self.hands.recruit()?) {
            return Ok(());
        }
        let hands = self.hands.now();
        let allowed = if alone || is_ordered { 1 } else { hands.places() };
        loop {
            let pending = self.progress.queue.pending();
            if pending == 0 {
                return Ok(());
            }
            let Some(offer) = hands.offer(allowed, &self.progress.totals.threads)? else { return Ok(()) };
            let share = if allowed == 1 { pending } else { pending.div_ceil(2 * allowed) };
            // What execution graphs leave says nothing of how much a slice can take.
            let most = if self.job.graphs.is_some() { APPETITE } else { offer.units };
            let count = share.min(most);
            let Some((ticket, units)) = self.progress.queue.take(count) else { return Ok(()) };
            let others_wait = count == pending && hands.busy() + 1 < allowed;
            let Lengths { usual, for_another } = hands.lengths(elapsed);
            let seconds = match allowed {
                _ if alone => ALONE,
                1 => SLICE_ALONE,
                _ if others_wait => for_another,
                _ => usual,
            };
            let time_left = self.budget.seconds.map(|limit| limit - elapsed);
            let is_timed = !is_ordered && !matches!(self.extent, Extent::Beginning(_));
            let seconds = Some(seconds).filter(|_| is_timed).into_iter().chain(time_left).reduce(f64::min);
            let executions_left = self.budget.executions.map(|limit| limit - self.progress.totals.tally.executions);
            let steps = self.spread.slice.filter(|_| !is_ordered);
            let task = Task {
                ticket,
                budget: executions_left.into_iter().chain(steps).min(),
                started: self.before + elapsed,
                weight: units.iter().map(|unit| unit.weight).sum(),
                units: units.len(),
            };
            let Shared { manner, .. } = self.progress.shared;
            hands.run(offer, Errand { task, units, seconds, manner }, &self.progress.lore(self.job));
        }
    }

    fn hear(&mut self, news: News, record: &mut Record) -> Result<(), Failure> {
        match news {
            News::Harvest(_, harvest) if harvest.end == SliceEnd::Divided && self.extent == Extent::Share => {
                Err(Failure::unsupported(
                    "accesses divide memory otherwise than at the beginning of the search, of which other shares do not hear",
                    "run the search in one piece",
                ))
            }
            News::Harvest(task, harvest) if harvest.end == SliceEnd::Divided => {
                record.begin_anew();
                self.begin_anew(task, &harvest);
                Ok(())
            }
            News::Harvest(_, harvest)
                if harvest.end == SliceEnd::Ordered || !self.progress.shared.agrees(&harvest.located) =>
            {
                self.begin_in_sequence();
                Ok(())
            }
            News::Harvest(task, harvest) if self.hands.is_elsewhere() && is_doubtful(&harvest) => {
                self.doubt(task);
                Ok(())
            }
            News::Harvest(task, harvest) => {
                self.take_in(task, harvest);
                Ok(())
            }
            News::Died(task, status) => self.lose(task, status),
            News::Lost(task, why) => self.lose_out_of_sight(task, &why),
        }
    }

    /// Goes on with processes on this machine alone, which have to see themselves that the program is not deterministic: a worker on
    /// another machine may just be of another kind.
    fn doubt(&mut self, task: Task) {
        let tickets = self.hands.stay_here();
        tickets.into_iter().chain([task.ticket]).for_each(|ticket| self.progress.queue.give_back(ticket));
        complain(&"note: on a worker the program did not do the same again; the search goes on on this machine alone");
    }

    /// Notes that a slice got lost, through no fault of the program. It is handed out again, unless nothing else has happened for long.
    fn lose_out_of_sight(&mut self, task: Task, why: &str) -> Result<(), Failure> {
        self.progress.queue.give_back(task.ticket);
        self.losses += 1;
        if self.losses < LOSSES {
            return Ok(());
        }
        let message = format!("{LOSSES} slices were lost, and none of them came back: {}", printable(why));
        Err(Failure::usage(message, "see what becomes of the workers of the executor"))
    }

    fn take_in(&mut self, task: Task, mut harvest: Box<Harvest>) {
        self.unsaved = true;
        let (queue, shared) = (&mut self.progress.queue, &mut self.progress.shared);
        if self.job.graphs.is_some() {
            harvest.left.extend(shared.take(std::mem::take(&mut harvest.news)));
            harvest.left = dealt(harvest.left, 2 * self.spread.workers);
            if !harvest.facts.is_empty() {
                shared.facts = std::mem::take(&mut harvest.facts);
            }
        }
        if self.sampled != queue.round() {
            (self.samples, self.batch, self.sampled) = (Samples::default(), Batch::default(), queue.round());
        }
        let weight = |units: &[Unit]| units.iter().map(|unit| unit.weight).sum::<f64>();
        let done = task.weight - weight(&harvest.left);
        self.batch.take(done, approximate(harvest.tally.executions), weight(&harvest.next), &mut self.samples);
        queue.finish(task.ticket, task.budget, task.started, harvest);
        shared.forget(queue.units());
    }

    /// Begins the search anew, in one process, since its result depends on who runs what.
    fn begin_in_sequence(&mut self) {
        self.hands.stay_here();
        self.progress.begin_in_sequence();
        (self.executions_before, self.strikes, self.unsaved) = (0, 0, true);
    }

    /// Begins the search anew, since what is left, here and with the processes at work, depends on where memory is divided within
    /// accesses.
    fn begin_anew(&mut self, task: Task, harvest: &Harvest) {
        self.hands.now().give_up();
        self.progress.begin_anew(harvest, task.started);
        (self.samples, self.batch, self.sampled) = (Samples::default(), Batch::default(), 0);
        (self.executions_before, self.strikes, self.unsaved) = (0, 0, true);
    }

    /// Notes that a process has ended within a slice. Another process runs the slice, unless that has been tried often enough.
    fn lose(&mut self, task: Task, status: ExitStatus) -> Result<(), Failure> {
        self.progress.queue.give_back(task.ticket);
        if self.interrupts.pressed() {
            return Ok(());
        }
        self.strikes += 1;
        let by_signal = std::os::unix::process::ExitStatusExt::signal(&status).is_some();
        if !by_signal || self.strikes >= STRIKES {
            return Err(ended_early(status, " before it gave its result"));
        }
        Ok(())
    }

    /// The most preemptions of a search that goes by their number.
    fn rounds(&self) -> Option<u32> {
        // The others know no rounds.
        let in_rounds = self.job.explorer == Explorer::Bounded && self.job.graphs.is_none();
        self.job.preemptions.filter(|_| in_rounds)
    }

    /// How many executions are to come.
    fn left(&self) -> Left {
        let queue = &self.progress.queue;
        let (weight, next) = queue.weights();
        let ahead = Ahead { weight, next, round: queue.round(), last: self.rounds().unwrap_or(0) };
        let known = self.sampled == queue.round() && weight + next > 0.0;
        match (self.budget.executions, self.samples.left(&ahead)) {
            (Some(limit), _) if self.job.explorer.draws() => {
                Left::Exactly(limit.saturating_sub(self.progress.executions()))
            }
            // Which alternatives an event has is known only when all have been tried: a guess would be off many times.
            (_, Some(left)) if known && self.job.explorer != Explorer::Dpor => Left::About(left),
            _ => Left::Unknown,
        }
    }

    /// How many executions there are in all, if the search was stopped before its end and that can be said.
    fn whole(&self) -> Option<Estimate> {
        let left = self.left().estimate().filter(|_| self.stopped.is_some())?;
        Some(Estimate { executions: approximate(self.progress.executions()) + left.executions, ..left })
    }

    fn facts(&self) -> Facts {
        let queue = &self.progress.queue;
        let executions = self.progress.executions();
        let ran = approximate(executions.saturating_sub(self.executions_before));
        let processes = self.hands.processes().into_iter().chain([std::process::id()]);
        Facts {
            executions,
            rate: ran / self.begun.elapsed().as_secs_f64(),
            bound: self.rounds().map(|most| (queue.round(), most)),
            left: self.left(),
            findings: self.progress.totals.findings(),
            workers: self.hands.workers(),
            memory: status::memory(processes),
        }
    }

    fn exploration(self) -> Exploration {
        let whole = self.whole();
        let Progress { end, seconds, .. } = &self.progress;
        let mut totals = if self.is_joined() { self.progress.totals.clone() } else { self.progress.all() };
        // A search in sequence finds all again, unless it does not come as far.
        if !self.progress.is_in_sequence() || self.stopped.is_some() {
            totals.recall(&self.progress.earlier);
        }
        let mut summary = Summary { seconds: *seconds, ..totals.summary(&self.job.monitors) };
        let mut unsupported = Vec::new();
        match end {
            Some(End::Complete) => summary.complete = true,
            Some(End::Found) => {}
            Some(End::Limit { by, busiest }) => {
                (summary.stopped_by, summary.busiest) = (Some(*by), busiest.clone());
            }
            Some(End::Silent(silence)) => {
                let mut silence = silence.clone();
                symbols::locate_silence(&self.program.executable, &self.program.directory, &mut silence);
                (summary.stopped_by, summary.silence) = (Some(StoppedBy::LocalTimeout), Some(silence));
            }
            Some(End::Unsupported { what, place }) => unsupported.push((what.clone(), place.clone())),
            None => summary.stopped_by = self.stopped,
        }
        let mut violations = totals.violations();
        for violation in &mut violations {
            symbols::locate(&self.program.executable, &self.program.directory, violation);
        }
        let threads = totals.threads.clone();
        Exploration { violations, unsupported, summary: Some(summary), threads, whole, unsaved: None }
    }
}

/// The least number of samples that slices are combined into: neighbouring slices are alike, and as samples of their own they
/// would make an estimate look better than it is.
const BATCHES: u32 = 16;

/// Whether a harvest says that the program is not deterministic.
fn is_doubtful(harvest: &Harvest) -> bool {
    let of_chance = |kind: FailureKind| kind == FailureKind::Nondeterministic;
    harvest.found.iter().any(|found| matches!(found.identity, Identity::Failed { kind, .. } if of_chance(kind)))
}

/// Slices that do not make a sample yet.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Batch {
    weight: f64,
    executions: f64,
    next: f64,
    slices: u32,
    /// The number of slices in all batches of the round.
    all: u32,
}

impl Batch {
    /// Adds a slice; a batch that is large enough becomes a sample.
    fn take(&mut self, weight: f64, executions: f64, next: f64, samples: &mut Samples) {
        self.weight += weight;
        self.executions += executions;
        self.next += next;
        self.slices += 1;
        self.all += 1;
        if self.slices * BATCHES >= self.all {
            samples.add(self.weight, self.executions, self.next);
            *self = Batch { all: self.all, ..Batch::default() };
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn approximate(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use engine::explore::estimate::{Ahead, Samples};

    use super::Batch;

    #[test]
    fn neighbours_that_are_alike_do_not_make_an_estimate_look_good() {
        // The slices give one execution more every hundred: 1 to 10.
        let ahead = Ahead { weight: 9000.0, next: 0.0, round: 0, last: 0 };
        let (mut each, mut samples, mut batch) = (Samples::default(), Samples::default(), Batch::default());
        for slice in 0..1000 {
            let executions = f64::from(1 + slice / 100);
            each.add(1.0, executions, 0.0);
            batch.take(1.0, executions, 0.0, &mut samples);
        }
        let (each, batched) = (each.left(&ahead).unwrap(), samples.left(&ahead).unwrap());
        assert_eq!(each.executions, 5.5 * 9000.0);
        assert!((batched.executions - each.executions).abs() < 0.1 * each.executions, "{batched:?}");
        assert!(batched.error > 4.0 * each.error, "{batched:?} {each:?}");
    }
}
