//! The search: which hands out slices to processes of the program, joins what comes back, and keeps it on disk if asked to.
//!
//! A search begins in one process; the others start when it has lasted a while. Results are joined in the order of a
//! search in one process ([`queue`]), so that everything but the time is the same for any number of processes.

mod checkpoint;
mod progress;
mod queue;
mod shared;
mod status;
mod totals;
mod worker;

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use engine::explore::estimate::{Ahead, Estimate, Samples, seconds_of_drawing};
use protocol::{
    Explore, Explorer, Harvest, Manner, Message, Place, Prefixes, Recorded, SliceEnd, StoppedBy, Summary, Unit,
    Violation,
};

pub(crate) use checkpoint::{Checkpoint, Key};
pub(crate) use progress::{Bounds, Complete};
use progress::{End, Progress};
use shared::{Shared, dealt};
use status::{Facts, Left, Status};
use totals::agree;
use worker::{APPETITE, Errand, Heard, News, Task, Worker, WorkerId};

use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::{Program, ended_early};
use crate::record::Record;
use crate::screen::Volume;
use crate::symbols;

/// The number of seconds for which a search stays in one process.
const ALONE: f64 = 0.2;
/// The number of seconds of a slice: in a search in one process, in one of several processes, and where another process waits for
/// what the slice leaves.
const SLICE_ALONE: f64 = 0.25;
const SLICE: f64 = 0.15;
const SLICE_FOR_ANOTHER: f64 = 0.03;
/// The number of processes, ended within slices since a result was joined, at which the search fails.
const STRIKES: u32 = 3;
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

/// The division of a search among processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spread {
    /// The most processes that run.
    pub(crate) workers: usize,
    /// The most executions of a slice, after each of which the search is saved. This is for tests, which count steps and not
    /// moments.
    pub(crate) slice: Option<u64>,
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
    crew: Vec<Worker>,
    workers: u64,
    news: (Sender<Heard>, Receiver<Heard>),
    /// The number of processes that have ended in a slice since a result was joined.
    strikes: u32,
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
        (spread, volume): (Spread, Volume),
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
            spread,
            interrupts,
            checkpoint: None,
            progress,
            begun: Instant::now(),
            before: 0.0,
            executions_before: 0,
            stopped: None,
            crew: Vec::new(),
            workers: 0,
            news: crossbeam_channel::unbounded(),
            strikes: 0,
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
        let alone = Spread { workers: 1, slice: None };
        let mut search = Search::new(program, &job, budget, (alone, Volume::Quiet), interrupts);
        search.explore(&mut Record::create(None)?)?;
        search.end_crew();
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
        for mut worker in std::mem::take(&mut self.crew) {
            if let Some(task) = &worker.task {
                self.progress.queue.give_back(task.ticket);
            }
            worker.end(self.interrupts);
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
                self.strikes = 0;
            }
            if self.is_joined() {
                return Ok(());
            }
            self.look_at_the_clock();
            if self.stopped.is_none() {
                self.hand_out()?;
            } else if self.crew.iter().all(|worker| worker.task.is_none()) {
                return Ok(());
            }
            match self.news.1.recv_timeout(LOOK) {
                Ok((id, news)) => self.hear(id, news, record)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
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

    /// Gives slices to the processes that have none, and starts processes while more of them are allowed.
    fn hand_out(&mut self) -> Result<(), Failure> {
        let elapsed = self.begun.elapsed().as_secs_f64();
        let is_ordered = self.progress.is_in_sequence();
        let alone = elapsed < ALONE && self.before == 0.0 && self.spread.slice.is_none();
        let allowed = if alone || is_ordered { 1 } else { self.spread.workers };
        loop {
            let pending = self.progress.queue.pending();
            let index = match self.idle() {
                _ if pending == 0 => return Ok(()),
                Some(index) => index,
                None if self.crew.len() < allowed => self.hire()?,
                None => return Ok(()),
            };
            let share = if allowed == 1 { pending } else { pending.div_ceil(2 * allowed) };
            // What execution graphs leave says nothing of how much a slice can take.
            let most = if self.job.graphs.is_some() { APPETITE } else { self.crew[index].appetite };
            let count = share.min(most);
            let Some((ticket, units)) = self.progress.queue.take(count) else { return Ok(()) };
            let others_wait =
                count == pending && self.crew.iter().filter(|worker| worker.task.is_some()).count() + 1 < allowed;
            let seconds = match allowed {
                _ if alone => ALONE,
                1 => SLICE_ALONE,
                _ if others_wait => SLICE_FOR_ANOTHER,
                _ => SLICE,
            };
            let time_left = self.budget.seconds.map(|limit| limit - elapsed);
            let seconds = Some(seconds).filter(|_| !is_ordered).into_iter().chain(time_left).reduce(f64::min);
            let executions_left = self.budget.executions.map(|limit| limit - self.progress.totals.tally.executions);
            let steps = self.spread.slice.filter(|_| !is_ordered);
            let task = Task {
                ticket,
                budget: executions_left.into_iter().chain(steps).min(),
                started: self.seconds(),
                weight: units.iter().map(|unit| unit.weight).sum(),
                units: units.len(),
            };
            let totals = &self.progress.totals;
            let worker = &mut self.crew[index];
            let (threads, divisions) = (totals.threads.clone(), totals.divisions());
            // Of execution graphs the least stands for all that show a violation, and each process knows its own.
            let known = if self.job.graphs.is_some() { Vec::new() } else { totals.found_since(worker.told) };
            let Shared { manner, ref facts, .. } = self.progress.shared;
            let facts = if is_first(&units) { Vec::new() } else { facts.clone() };
            worker.run(Errand { task, units, threads, divisions, seconds, known, manner, facts });
        }
    }

    /// Returns a process that waits for a slice. One that has given numbers to threads of which the search does not know yet is
    /// of no use: a thread found next would get another number than in a search in one process.
    fn idle(&mut self) -> Option<usize> {
        let threads = &self.progress.totals.threads;
        let interrupts = self.interrupts;
        self.crew.retain_mut(|worker| {
            let stays = worker.task.is_some() || threads.starts_with(&worker.threads);
            if !stays {
                worker.end(interrupts);
            }
            stays
        });
        self.crew.iter().position(|worker| worker.task.is_none())
    }

    fn hire(&mut self) -> Result<usize, Failure> {
        self.workers += 1;
        let news = self.news.0.clone();
        self.crew.push(Worker::start(WorkerId(self.workers), self.program, self.job, self.interrupts, news)?);
        Ok(self.crew.len() - 1)
    }

    fn hear(&mut self, id: WorkerId, news: News, record: &mut Record) -> Result<(), Failure> {
        // There may still be news of a worker that was ended.
        let Some(index) = self.crew.iter().position(|worker| worker.id == id) else { return Ok(()) };
        match news {
            News::Said(Message::Harvest(harvest)) if harvest.end == SliceEnd::Divided => {
                record.begin_anew();
                self.begin_anew(index, &harvest);
                Ok(())
            }
            News::Said(Message::Harvest(harvest))
                if harvest.end == SliceEnd::Ordered || !self.progress.shared.agrees(&harvest.located) =>
            {
                self.begin_in_sequence();
                Ok(())
            }
            News::Said(Message::Harvest(harvest)) => self.take_in(index, harvest),
            News::Said(Message::Internal(words)) => Err(Failure::internal(format!("the runtime failed: {words}"))),
            News::Said(Message::Replayed(_) | Message::Diverged(_)) => {
                Err(Failure::internal("the runtime failed: a replay that nobody asked for"))
            }
            News::Garbled(failure) => Err(failure),
            News::Silent => {
                let mut worker = self.crew.remove(index);
                let status = worker.wait(self.interrupts);
                match worker.task {
                    Some(task) => self.lose(task, status),
                    None => Ok(()),
                }
            }
        }
    }

    fn take_in(&mut self, index: usize, mut harvest: Box<Harvest>) -> Result<(), Failure> {
        let worker = &mut self.crew[index];
        let Some(task) = worker.has_run(harvest.left.len()) else {
            return Err(Failure::internal("the runtime failed: a result that nobody asked for"));
        };
        worker.threads.clone_from(&harvest.threads);
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
        Ok(())
    }

    /// Ends all processes, whatever they do.
    fn end_crew(&mut self) {
        for mut worker in std::mem::take(&mut self.crew) {
            worker.end(self.interrupts);
        }
    }

    /// Begins the search anew, in one process, since its result depends on who runs what.
    fn begin_in_sequence(&mut self) {
        self.end_crew();
        self.progress.begin_in_sequence();
        (self.executions_before, self.strikes, self.unsaved) = (0, 0, true);
    }

    /// Begins the search anew, since what is left, here and with the processes at work, depends on where memory is divided within
    /// accesses.
    fn begin_anew(&mut self, index: usize, harvest: &Harvest) {
        let started = self.crew[index].task.map_or(0.0, |task| task.started);
        self.end_crew();
        self.progress.begin_anew(harvest, started);
        (self.samples, self.batch, self.sampled) = (Samples::default(), Batch::default(), 0);
        (self.executions_before, self.strikes, self.unsaved) = (0, 0, true);
    }

    /// Notes that a process has ended within a slice. Another process runs the slice, unless that has been tried often enough.
    fn lose(&mut self, task: Task, status: Option<ExitStatus>) -> Result<(), Failure> {
        self.progress.queue.give_back(task.ticket);
        if self.interrupts.pressed() {
            return Ok(());
        }
        let Some(status) = status else {
            return Err(Failure::internal("the program ended, and nobody knows how"));
        };
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
        let processes = self.crew.iter().map(Worker::process).chain([std::process::id()]);
        Facts {
            executions,
            rate: ran / self.begun.elapsed().as_secs_f64(),
            bound: self.rounds().map(|most| (queue.round(), most)),
            left: self.left(),
            findings: self.progress.totals.findings(),
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

/// Whether these units are the whole search.
fn is_first(units: &[Unit]) -> bool {
    units.iter().any(|unit| unit.prefixes == Prefixes::Whole)
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
