//! The executor that is a process of its own and speaks lines of JSON (docs/cluster.md): by it, slices go to other machines.
//!
//! [`lines`] are what is said. [`serve`] is the other end, a worker that runs slices one after another; [`surroundings`] are what has
//! to be the same there. Here is what the tool knows of an executor: which slices it has, and until when they may take. Each slice has
//! a number that no other one has, so an answer that comes twice, too late, or from before the search began anew, is no one's.

mod lines;
mod serve;
mod surroundings;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use protocol::{Division, Explore};

pub(crate) use serve::serve;

use self::lines::{Answer, Content, Hello, Learned, Order, PROTOCOL, ProgramOrder, SliceOrder};
use self::surroundings::Surroundings;
use super::executor::{Errand, Executor, Lengths, Lore, News, Offer, Task};
use super::queue::Ticket;
use super::worker::{FIRST_APPETITE, appetite};
use crate::exit::Failure;
use crate::hash::hash_file;
use crate::interrupt::Interrupts;
use crate::program::{Program, in_words};
use crate::screen::complain;
use crate::text::{printable, reason};

/// The time that an executor has to say that it has workers.
const BEGINNING: Duration = Duration::from_secs(60);
/// The time between two looks at whether somebody has pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);
/// The time that an executor has to end when it was told to.
const ENDING: Duration = Duration::from_secs(2);
/// A slice may take this many times its seconds, and this many seconds besides, before another worker is given the same.
const PATIENCE: f64 = 4.0;
const PATIENCE_AT_LEAST: f64 = 60.0;
/// Slices take this part of the time that the search has taken, within these limits.
const GROWTH: f64 = 0.05;
const SHORTEST: f64 = 0.2;
const LONGEST: f64 = 60.0;
/// The number of seconds of a slice where another worker waits for what it leaves.
const FOR_ANOTHER: f64 = 0.05;

/// What comes from the executor.
enum Heard {
    Said(Box<Answer>),
    /// The executor wrote this, which is no message.
    Garbled(String),
    /// The executor has closed its output.
    Nothing,
}

/// A slice that the executor has.
struct Out {
    task: Task,
    /// When it is taken for lost.
    due: Option<Instant>,
}

/// How much of what was learned the executor has been told.
#[derive(Default)]
struct Told {
    number: u64,
    found: usize,
    threads: usize,
    divisions: BTreeMap<u64, Division>,
    facts: Vec<u64>,
}

/// An executor process.
pub(super) struct Remote {
    command: String,
    child: Child,
    orders: Option<Sender<String>>,
    heard: Receiver<Heard>,
    writer: Option<JoinHandle<()>>,
    out: BTreeMap<u64, Out>,
    ids: u64,
    epoch: u64,
    told: Told,
    workers: usize,
    slots: usize,
    appetite: usize,
    /// The factor of the patience, which doubles where a slice took too long.
    patience: f64,
}

/// How an executor is started, and what it is told first.
struct Beginning<'a> {
    words: &'a [String],
    program: &'a Program,
    job: &'a Explore,
}

impl Remote {
    /// Starts an executor, and waits until it has workers; returns none if Ctrl-C was pressed meanwhile.
    pub(super) fn start(
        words: &[String],
        program: &Program,
        job: &Explore,
        interrupts: &Interrupts,
    ) -> Result<Option<Remote>, Failure> {
        let beginning = Beginning { words, program, job };
        let mut remote = beginning.start()?;
        remote.say(&Order::Hello(Hello::new()));
        let begun = Instant::now();
        let mut is_greeted = false;
        while remote.workers == 0 {
            if interrupts.pressed() {
                remote.end();
                return Ok(None);
            }
            if begun.elapsed() >= BEGINNING {
                let lacks = if is_greeted { "has no workers" } else { "has not said hello" };
                let message = format!("{} {lacks} after {} seconds", remote.name(), BEGINNING.as_secs());
                remote.end();
                return Err(Failure::usage(message, "see that its workers can be reached; what it says is above"));
            }
            match remote.heard.recv_timeout(LOOK) {
                Ok(Heard::Said(answer)) if !is_greeted => {
                    remote.greet(&answer).inspect_err(|_| remote.end())?;
                    is_greeted = true;
                    let order = beginning.order().inspect_err(|_| remote.end())?;
                    remote.say(&Order::Program(Box::new(order)));
                }
                Ok(heard) => drop(remote.take_in(heard).inspect_err(|_| remote.end())?),
                Err(_) => {}
            }
        }
        Ok(Some(remote))
    }

    /// The executor's name in messages.
    fn name(&self) -> String {
        format!("the executor `{}`", printable(&self.command))
    }

    /// Takes in the first line.
    fn greet(&self, answer: &Answer) -> Result<(), Failure> {
        match answer {
            Answer::Hello(Hello { protocol: PROTOCOL, .. }) => Ok(()),
            Answer::Hello(Hello { protocol, .. }) => Err(Failure::usage(
                format!("{} speaks version {protocol} of the protocol, the tool version {PROTOCOL}", self.name()),
                "use the executor that belongs to this version of fencehound",
            )),
            Answer::Failed { status, message, help } => Err(lines::failure(*status, message.clone(), help.clone())),
            _ => Err(Failure::usage(format!("{} did not begin with hello", self.name()), "see docs/cluster.md")),
        }
    }

    fn say(&mut self, order: &Order) {
        let mut line = serde_json::to_string(order).expect("orders are plain data");
        line.push('\n');
        // An executor that is gone is noticed by its silence.
        drop(self.orders.as_ref().map(|orders| orders.send(line)));
    }

    /// Tells the executor what has been learned since it was last told.
    fn tell(&mut self, lore: &Lore<'_>) {
        let known: Vec<_> = lore.found.iter().skip(self.told.found).map(|&found| found.clone()).collect();
        let threads = lore.threads.get(self.told.threads..).unwrap_or_default().to_vec();
        let is_new = |division: &&Division| self.told.divisions.get(&division.address) != Some(division);
        let divisions: Vec<Division> = lore.divisions.iter().filter(is_new).copied().collect();
        let facts = if self.told.facts == lore.facts { Vec::new() } else { lore.facts.to_vec() };
        if known.is_empty() && threads.is_empty() && divisions.is_empty() && facts.is_empty() {
            return;
        }
        self.told.number += 1;
        self.told.found += known.len();
        self.told.threads += threads.len();
        self.told.divisions.extend(divisions.iter().map(|&division| (division.address, division)));
        self.told.facts = lore.facts.to_vec();
        let (epoch, number) = (self.epoch, self.told.number);
        self.say(&Order::Learned(Box::new(Learned { epoch, number, known, threads, divisions, facts })));
    }

    /// Takes the slice with this number from the executor, if it has it; what was cancelled or answered before it has not.
    fn take_back(&mut self, id: u64, epoch: u64) -> Option<Task> {
        if epoch != self.epoch {
            return None;
        }
        self.out.remove(&id).map(|out| out.task)
    }

    fn take_in(&mut self, heard: Heard) -> Result<Option<News>, Failure> {
        let answer = match heard {
            Heard::Said(answer) => *answer,
            Heard::Garbled(line) => {
                let message = format!("{} wrote a line that is no message: {line:?}", self.name());
                return Err(Failure::usage(message, "see docs/cluster.md for what it may write"));
            }
            Heard::Nothing => return Err(self.has_ended()),
        };
        match answer {
            Answer::Hello(_) | Answer::Ready {} => Ok(None),
            Answer::Workers { count, slots } => {
                (self.workers, self.slots) = (count, if count == 0 { 0 } else { slots.unwrap_or(2 * count) });
                Ok(None)
            }
            Answer::Refused { why } => {
                complain(&format!("note: a worker cannot run the program: {}", printable(&why)));
                Ok(None)
            }
            Answer::Harvest { id, epoch, harvest, .. } => Ok(self.take_back(id, epoch).map(|task| {
                self.appetite = appetite(self.appetite, task.units, harvest.left.len());
                News::Harvest(task, harvest)
            })),
            Answer::Died { id, epoch, signal, status } => {
                let died = |task| News::Died(task, lines::ending(signal, status));
                Ok(self.take_back(id, epoch).map(died))
            }
            Answer::Lost { id, epoch, why } => Ok(self.take_back(id, epoch).map(|task| News::Lost(task, why))),
            Answer::Failed { status, message, help } => Err(lines::failure(status, message, help)),
        }
    }

    /// Returns the failure that the executor has ended before the search.
    fn has_ended(&mut self) -> Failure {
        self.orders = None;
        let begun = Instant::now();
        let mut status = None;
        while status.is_none() && begun.elapsed() < ENDING {
            status = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(5));
        }
        let how = status.map_or("closed its output".to_string(), in_words);
        Failure::usage(
            format!("{} {how} before the search was over", self.name()),
            "what it says of that is above; --checkpoint FILE would keep the search",
        )
    }

    /// Returns the slice that has been out for too long, if there is one.
    fn overdue(&mut self) -> Option<Task> {
        let now = Instant::now();
        let is_due = |out: &Out| out.due.is_some_and(|due| due <= now);
        let id = self.out.iter().find(|(_, out)| is_due(out)).map(|(&id, _)| id)?;
        self.patience *= 2.0;
        self.say(&Order::Cancel { epoch: self.epoch, id: Some(id) });
        self.out.remove(&id).map(|out| out.task)
    }

    /// Returns the number of workers that there are at present.
    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    /// Ends the executor: it is told to end, and killed with what it has started if it does not.
    pub(super) fn end(&mut self) {
        self.say(&Order::End {});
        self.orders = None;
        let begun = Instant::now();
        while begun.elapsed() < ENDING && self.child.try_wait().ok().flatten().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Ok(group) = i32::try_from(self.child.id()) {
            // SAFETY: kill takes no pointers; the group is the executor's own, whatever is left of it.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        drop(self.child.wait());
        // A writer that is blocked is freed by the end of whoever was to read.
        drop(self.writer.take().map(JoinHandle::join));
    }
}

impl Executor for Remote {
    fn places(&self) -> usize {
        self.slots
    }

    fn busy(&self) -> usize {
        self.out.len()
    }

    fn lengths(&self, elapsed: f64) -> Lengths {
        Lengths { usual: (elapsed * GROWTH).clamp(SHORTEST, LONGEST), for_another: FOR_ANOTHER }
    }

    fn offer(&mut self, most: usize, _threads: &[Vec<u32>]) -> Result<Option<Offer>, Failure> {
        let has_place = self.out.len() < most.min(self.slots);
        Ok(has_place.then_some(Offer { place: 0, units: self.appetite }))
    }

    fn run(&mut self, _offer: Offer, errand: Errand, lore: &Lore<'_>) {
        self.tell(lore);
        let Errand { task, units, seconds, manner } = errand;
        self.ids += 1;
        let (id, epoch, learned, executions) = (self.ids, self.epoch, self.told.number, task.budget);
        let patience = |seconds: f64| Duration::from_secs_f64((seconds * PATIENCE + PATIENCE_AT_LEAST) * self.patience);
        // What is ahead of a slice in its worker's queue counts, too.
        let due = seconds.map(|seconds| Instant::now() + patience(2.0 * seconds));
        self.out.insert(id, Out { task, due });
        let slice = SliceOrder { id, epoch, learned, seconds, executions, manner, units };
        self.say(&Order::Slice(Box::new(slice)));
    }

    fn hear(&mut self, wait: Duration) -> Result<Option<News>, Failure> {
        if let Some(task) = self.overdue() {
            return Ok(Some(News::Lost(task, "no answer came".to_string())));
        }
        match self.heard.recv_timeout(wait) {
            Ok(heard) => self.take_in(heard),
            Err(_) => Ok(None),
        }
    }

    fn give_up(&mut self) -> Vec<Ticket> {
        self.say(&Order::Cancel { epoch: self.epoch, id: None });
        self.epoch += 1;
        self.told = Told::default();
        std::mem::take(&mut self.out).into_values().map(|out| out.task.ticket).collect()
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.child.id()]
    }
}

impl Beginning<'_> {
    fn start(&self) -> Result<Remote, Failure> {
        let text = self.words.join(" ");
        let refused = |error: std::io::Error| {
            let message = format!("the executor `{}` cannot be run: {}", printable(&text), reason(&error));
            Failure::usage(message, "name a command that speaks the protocol of docs/cluster.md")
        };
        let (name, arguments) = self.words.split_first().expect("an executor has a name");
        let mut command = Command::new(name);
        // Ctrl-C at the terminal is for the tool, which ends the executor.
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(refused)?;
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let (orders, to_write) = crossbeam_channel::unbounded();
        let (news, heard) = crossbeam_channel::unbounded();
        let writer = Some(std::thread::spawn(move || write(input, &to_write)));
        std::thread::spawn(move || listen(BufReader::new(output), &news));
        Ok(Remote {
            command: text,
            child,
            orders: Some(orders),
            heard,
            writer,
            out: BTreeMap::new(),
            ids: 0,
            epoch: 1,
            told: Told::default(),
            workers: 0,
            slots: 0,
            appetite: FIRST_APPETITE,
            patience: 1.0,
        })
    }

    /// Returns what workers have to know of the program.
    fn order(&self) -> Result<ProgramOrder, Failure> {
        let own = std::env::current_exe()
            .map_err(|error| Failure::internal(format!("the tool does not know where it is: {}", reason(&error))))?;
        let content = |file: &std::path::Path| {
            let unread = |error| Failure::internal(format!("{}: {}", file.display(), reason(&error)));
            Ok(Content { path: text(&file.to_string_lossy(), file.to_str())?, hash: hash_file(file).map_err(unread)? })
        };
        let Program { executable, name, arguments, directory, environment: _ } = self.program;
        let environment = lines::environment().map_err(|name| not_text(&format!("the variable {name}")))?;
        Ok(ProgramOrder {
            tool: content(&own)?,
            executable: content(executable)?,
            name: text(&name.to_string_lossy(), name.to_str())?,
            arguments: arguments.clone(),
            directory: text(&directory.to_string_lossy(), directory.to_str())?,
            surroundings: Surroundings::of(executable, &environment)?,
            environment,
            explore: self.job.clone(),
        })
    }
}

/// Returns the text that a name is.
fn text(shown: &str, text: Option<&str>) -> Result<String, Failure> {
    text.map(str::to_string).ok_or_else(|| not_text(shown))
}

fn not_text(what: &str) -> Failure {
    Failure::usage(format!("{}: not UTF-8, which an executor cannot be told", printable(what)), "give it another name")
}

fn write(mut input: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

fn listen(output: impl BufRead, news: &Sender<Heard>) {
    for line in output.split(b'\n') {
        let Ok(line) = line else { break };
        let heard = match serde_json::from_slice(&line) {
            Ok(answer) => Heard::Said(Box::new(answer)),
            Err(_) => Heard::Garbled(String::from_utf8_lossy(&line).chars().take(80).collect()),
        };
        if news.send(heard).is_err() {
            return;
        }
    }
    drop(news.send(Heard::Nothing));
}
