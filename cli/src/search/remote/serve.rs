//! A worker: it reads lines of the tool on its standard input, runs the slices one after another, and writes what became of each on
//! its standard output (docs/cluster.md). An executor needs nothing else on the machines that it has.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender};
use protocol::{BUILD, Division, Explore, Identity, Message, Telling};

use super::super::crew::unwanted;
use super::super::executor::{Errand, Lore, Task};
use super::super::queue::Ticket;
use super::super::worker::{Heard, Said, Worker, WorkerId};
use super::lines::{self, Answer, Hello, Learned, Order, PROTOCOL, ProgramOrder, SliceOrder};
use super::surroundings::Surroundings;
use crate::exit::Failure;
use crate::hash::hash_file;
use crate::interrupt::Interrupts;
use crate::program::{self, Program};

/// What the search has learned, as far as the worker was told.
#[derive(Default)]
struct Gathered {
    number: u64,
    found: Vec<Identity>,
    threads: Vec<Vec<u32>>,
    divisions: BTreeMap<u64, Division>,
    facts: Vec<u64>,
}

/// The slice that is run.
#[derive(Clone, Copy)]
struct Running {
    id: u64,
    begun: Instant,
}

/// A worker.
struct Service<'a> {
    interrupts: &'a Interrupts,
    /// Where the executable is, if it is not where the tool has it.
    executable: Option<PathBuf>,
    subject: Option<(Program, Explore)>,
    epoch: u64,
    gathered: Gathered,
    waiting: VecDeque<SliceOrder>,
    process: Option<Worker>,
    /// The number of processes that were started.
    hired: u64,
    running: Option<Running>,
    said: (Sender<Heard>, Receiver<Heard>),
}

/// Whether a worker goes on.
#[derive(PartialEq, Eq)]
enum Course {
    GoesOn,
    Ends,
}

/// Serves until the standard input ends.
///
/// # Errors
/// If a line cannot be read or written.
pub(crate) fn serve(executable: Option<&Path>, interrupts: &Interrupts) -> Result<(), Failure> {
    let (sender, orders) = crossbeam_channel::unbounded();
    std::thread::spawn(move || read(&sender));
    let mut service = Service {
        interrupts,
        executable: executable.map(Path::to_path_buf),
        subject: None,
        epoch: 0,
        gathered: Gathered::default(),
        waiting: VecDeque::new(),
        process: None,
        hired: 0,
        running: None,
        said: crossbeam_channel::unbounded(),
    };
    let result = service.work(&orders);
    service.stop();
    result
}

fn read(orders: &Sender<Result<Order, String>>) {
    for line in io::stdin().lock().lines() {
        let order = line.map_err(|error| error.to_string());
        let order = order.and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()));
        if orders.send(order).is_err() {
            return;
        }
    }
}

fn answer(answer: &Answer) -> Result<(), Failure> {
    let mut line = serde_json::to_vec(answer).expect("answers are plain data");
    line.push(b'\n');
    let mut output = io::stdout().lock();
    let written = output.write_all(&line).and_then(|()| output.flush());
    written
        .map_err(|error| Failure::usage(format!("nobody reads what the worker writes: {error}"), "see docs/cluster.md"))
}

impl Service<'_> {
    fn work(&mut self, orders: &Receiver<Result<Order, String>>) -> Result<(), Failure> {
        let said = self.said.1.clone();
        loop {
            self.go_on()?;
            if self.running.is_none() && self.interrupts.pressed() {
                return Ok(());
            }
            let course = crossbeam_channel::select! {
                recv(orders) -> order => match order {
                    Ok(Ok(order)) => self.obey(order)?,
                    Ok(Err(why)) => {
                        let message = format!("a line for the worker cannot be read: {why}");
                        return Err(Failure::usage(message, "see docs/cluster.md for what it reads"));
                    }
                    Err(_) => Course::Ends,
                },
                recv(said) -> heard => match heard {
                    Ok((id, said)) => self.hear(id, said)?,
                    Err(_) => Course::Ends,
                },
                default(std::time::Duration::from_millis(200)) => Course::GoesOn,
            };
            if course == Course::Ends {
                return Ok(());
            }
        }
    }

    fn obey(&mut self, order: Order) -> Result<Course, Failure> {
        match order {
            Order::Hello(Hello { protocol: PROTOCOL, build, .. }) if build.as_deref() == Some(own_build().as_str()) => {
                answer(&Answer::Hello(Hello::new()))?;
            }
            Order::Hello(hello) => {
                let why =
                    format!("the worker is {}, the search is of another build: {}", Hello::new().name, hello.name);
                answer(&Answer::Refused { why })?;
            }
            Order::Program(order) => {
                self.stop();
                (self.epoch, self.gathered) = (0, Gathered::default());
                match self.prepare(&order) {
                    Ok(program) => {
                        let explore = Explore { directory: Some(order.directory.clone()), ..order.explore };
                        self.subject = Some((program, explore));
                        answer(&Answer::Ready {})?;
                    }
                    Err(why) => answer(&Answer::Refused { why })?,
                }
            }
            Order::Learned(learned) => self.learn(*learned),
            Order::Slice(slice) => {
                self.begin_epoch(slice.epoch);
                if slice.epoch == self.epoch {
                    self.waiting.push_back(*slice);
                }
            }
            Order::Cancel { epoch, id } => self.cancel(epoch, id),
            Order::End {} => return Ok(Course::Ends),
        }
        Ok(Course::GoesOn)
    }

    /// Returns the program of the tool as it is here, or why it cannot be run here.
    fn prepare(&self, order: &ProgramOrder) -> Result<Program, String> {
        program::require_room().map_err(|failure| failure.message)?;
        let executable = self.executable.clone().unwrap_or_else(|| PathBuf::from(&order.executable.path));
        let hash = hash_file(&executable).map_err(|error| format!("{}: {error}", executable.display()))?;
        if hash != order.executable.hash {
            return Err(format!("{}: another executable than at the search", executable.display()));
        }
        let environment = order.environment.clone();
        let surroundings = Surroundings::of(&executable, &environment).map_err(|failure| failure.message)?;
        if let Some(difference) = surroundings.difference(&order.surroundings) {
            return Err(difference);
        }
        let directory = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
        let (name, arguments) = (order.name.clone().into(), order.arguments.clone());
        Ok(Program { executable, name, arguments, directory, environment: Some(environment) })
    }

    /// Forgets what belongs to epochs before this one.
    fn begin_epoch(&mut self, epoch: u64) {
        if epoch > self.epoch {
            self.stop();
            (self.epoch, self.gathered) = (epoch, Gathered::default());
        }
    }

    fn learn(&mut self, learned: Learned) {
        self.begin_epoch(learned.epoch);
        if learned.epoch < self.epoch || learned.number <= self.gathered.number {
            return;
        }
        let gathered = &mut self.gathered;
        gathered.number = learned.number;
        gathered.found.extend(learned.known);
        gathered.threads.extend(learned.threads);
        gathered.divisions.extend(learned.divisions.into_iter().map(|division| (division.address, division)));
        if !learned.facts.is_empty() {
            gathered.facts = learned.facts;
        }
    }

    fn cancel(&mut self, epoch: u64, id: Option<u64>) {
        let is_meant = |of: u64, number: u64| of <= epoch && id.is_none_or(|id| id == number);
        self.waiting.retain(|slice| !is_meant(slice.epoch, slice.id));
        if self.running.is_some_and(|running| is_meant(self.epoch, running.id)) {
            self.end_process();
        }
    }

    /// Ends what runs, and forgets what waits.
    fn stop(&mut self) {
        self.waiting.clear();
        self.end_process();
    }

    fn end_process(&mut self) {
        self.running = None;
        if let Some(mut process) = self.process.take() {
            process.end(self.interrupts);
        }
    }

    /// Begins the next slice, if none runs and one waits.
    fn go_on(&mut self) -> Result<(), Failure> {
        if self.running.is_some() || self.interrupts.pressed() {
            return Ok(());
        }
        let Some(slice) = self.waiting.pop_front() else { return Ok(()) };
        let (id, epoch) = (slice.id, slice.epoch);
        if slice.learned > self.gathered.number {
            let why = "the worker was not told what the search has learned".to_string();
            return answer(&Answer::Lost { id, epoch, why });
        }
        // A process that has given numbers to threads which the search does not know would give the next one another number.
        let knows_more = |process: &Worker| !self.gathered.threads.starts_with(&process.threads);
        if self.process.as_ref().is_some_and(knows_more) {
            self.end_process();
        }
        if let Err(failure) = self.start() {
            return answer(&lines::failed(&failure));
        }
        let Gathered { found, threads, divisions, facts, .. } = &self.gathered;
        let divisions = divisions.values().copied().collect();
        let lore = Lore { found: found.iter().collect(), threads, divisions, facts };
        let (budget, units) = (slice.executions, slice.units.len());
        let task = Task { ticket: Ticket::default(), budget, started: 0.0, weight: 0.0, units };
        let errand = Errand { task, units: slice.units, seconds: slice.seconds, manner: slice.manner };
        self.running = Some(Running { id, begun: Instant::now() });
        if let Some(process) = &mut self.process {
            process.run(errand, &lore, Telling::Everything);
        }
        Ok(())
    }

    /// Starts a process of the program, unless there is one.
    fn start(&mut self) -> Result<(), Failure> {
        if self.process.is_some() {
            return Ok(());
        }
        let Some((program, job)) = &self.subject else {
            return Err(Failure::usage("a slice of no program", "see docs/cluster.md for the order of lines"));
        };
        self.hired += 1;
        let news = self.said.0.clone();
        self.process = Some(Worker::start(WorkerId(self.hired), program, job, self.interrupts, news)?);
        Ok(())
    }

    fn hear(&mut self, id: WorkerId, said: Said) -> Result<Course, Failure> {
        // There may still be news of a process that was ended.
        let Some(process) = self.process.as_mut().filter(|process| process.id == id) else {
            return Ok(Course::GoesOn);
        };
        let epoch = self.epoch;
        match (said, self.running.take()) {
            (Said::Message(Message::Harvest(harvest)), Some(Running { id, begun })) => {
                process.has_run(&harvest)?;
                answer(&Answer::Harvest { id, epoch, seconds: begun.elapsed().as_secs_f64(), harvest })?;
            }
            (Said::Message(other), _) => {
                answer(&lines::failed(&unwanted(other)))?;
                self.end_process();
            }
            (Said::Garbled(failure), _) => {
                answer(&lines::failed(&failure))?;
                self.end_process();
            }
            (Said::Nothing, running) => {
                let status = process.wait(self.interrupts);
                self.process = None;
                if self.interrupts.pressed() {
                    return Ok(Course::Ends);
                }
                if let (Some(Running { id, .. }), Some(status)) = (running, status) {
                    answer(&lines::died(id, epoch, status))?;
                }
            }
        }
        Ok(Course::GoesOn)
    }
}

fn own_build() -> String {
    String::from_utf8_lossy(&BUILD).into_owned()
}
