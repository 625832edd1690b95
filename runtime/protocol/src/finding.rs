//! The finding file: one failing schedule, with all that is needed to run it again.

use engine::event::Thread;
use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::explore::{Explorer, Heap, Limits};
use crate::failure::FailureKind;
use crate::schedule::{Graph, Schedule};
use crate::violation::{Role, SiteUse, Violation};

/// A finding, the content of `finding.json` in the finding's folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The word `finding`, which tells the file from any other JSON.
    pub fencehound: String,
    /// The version of the format, [`crate::VERSION`].
    pub version: u32,
    /// The id of the finding, as in the JSON report: `tso-1`.
    pub id: String,
    /// The fingerprint by which the finding is recognised in other runs and after edits elsewhere, as in the JSON
    /// report; empty for a litmus test.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// The program that was checked.
    pub program: Program,
    /// The arguments given to the program.
    pub arguments: Vec<String>,
    /// The explorer that chose the execution.
    #[serde(default)]
    pub explorer: Explorer,
    /// The monitors that watched the execution.
    pub monitors: Vec<MonitorName>,
    /// The limits of an execution.
    pub limits: Limits,
    /// The behaviour of the heap.
    #[serde(default)]
    pub heap: Heap,
    /// The violation that was found, with its schedule.
    pub violation: Violation,
    /// The schedule with which the violation was found, where a shorter one that shows it has taken its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Schedule>,
    /// The lines of help that say what to do about the finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
}

/// A program, and how to get it again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The folder from which the tool was run, absolute.
    pub directory: String,
    /// The `.c` files, or the one executable or litmus test, as the user named them.
    pub target: Vec<String>,
    /// The options that the user gave the compiler beside the files.
    pub compile_options: Vec<String>,
    /// The files that the program was made of (sources and headers, or the executable), each with a hash of its
    /// content, sorted.
    pub files: Vec<(String, String)>,
}

/// The most threads of a program.
const THREADS: usize = 255;

impl Finding {
    /// Checks that the parts of the finding fit each other, as those of each finding that the tool writes do.
    ///
    /// # Errors
    /// Returns what does not fit, in words.
    pub fn validate(&self) -> Result<(), String> {
        let of_an_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        require(!self.id.is_empty() && self.id.chars().all(of_an_id), "its id is none")?;
        self.program.validate()?;
        let texts = self.arguments.iter();
        require(texts.into_iter().all(|text| !text.contains('\0')), "an argument has a zero byte")?;
        let repeats = |index: usize| self.monitors[..index].contains(&self.monitors[index]);
        require(!(0..self.monitors.len()).any(repeats), "a monitor is named twice")?;
        require(self.limits.max_events > 0 && self.limits.local_seconds > 0, "a limit is 0")?;
        let events = self.violation.schedule.validate()?;
        require(events <= self.limits.max_events.min(u32::MAX.into()), "it has more events than its limit")?;
        self.validate_violation(events)
    }

    /// Checks that the violation fits a schedule of `length` events.
    fn validate_violation(&self, length: u64) -> Result<(), String> {
        let Violation { kind, monitor, sites, events, schedule, .. } = &self.violation;
        let threads = schedule.threads.len();
        let known = |thread: u32| usize::try_from(thread).is_ok_and(|thread| thread < threads);
        require(sites.iter().all(|site| known(site.thread)), "a site is of an unknown thread")?;
        let watched = monitor.is_some_and(|name| self.monitors.contains(&name));
        if *kind == FailureKind::Race {
            // The model of C11 detects races by itself.
            let by_model = monitor.is_none() && schedule.graph.is_some();
            require((watched || by_model) && events.is_none(), "its monitor did not watch")?;
            let roles: Vec<Role> = sites.iter().map(|site| site.role).collect();
            return require(roles == [Role::First, Role::Second], "its sites are not those of a race");
        }
        if *kind == FailureKind::Atomicity {
            require(watched && events.is_none(), "its monitor did not watch")?;
            return require(are_a_cycle(sites), "its sites are not those of a cycle");
        }
        if *kind != FailureKind::ScViolation {
            return require(monitor.is_none() && events.is_none(), "only an SC violation has a monitor and its events");
        }
        require(watched, "its monitor did not watch")?;
        let roles: Vec<Role> = sites.iter().map(|site| site.role).collect();
        require(roles == [Role::Delayed, Role::Previous, Role::Overtaking], "its sites are not those of a monitor")?;
        let [delayed, previous, overtaking] = events.ok_or("its three events are missing")?;
        if let Some(graph) = &schedule.graph {
            let known = |index| usize::try_from(index).is_ok_and(|index| index < graph.events.len());
            let all = [delayed, previous, overtaking].into_iter().all(known);
            return require(all, "its three events are not events of the graph");
        }
        let ordered = delayed < overtaking && previous < overtaking && overtaking < length;
        require(ordered, "its three events are not events of the schedule")
    }
}

/// Whether the sites are the ends of the edges of a cycle, followed by those of the stores that are delayed.
fn are_a_cycle(sites: &[SiteUse]) -> bool {
    let mut pairs = sites.chunks(2).map(|pair| pair.iter().map(|site| site.role).collect::<Vec<Role>>()).peekable();
    let mut edges = 0;
    while pairs.next_if(|pair| *pair == [Role::From, Role::To] || *pair == [Role::From, Role::Overtaken]).is_some() {
        edges += 1;
    }
    edges > 1 && pairs.all(|pair| pair == [Role::Delayed, Role::Until])
}

impl Program {
    /// Whether the program is a litmus test.
    #[must_use]
    pub fn is_litmus(&self) -> bool {
        matches!(&self.target[..], [name] if std::path::Path::new(name).extension().is_some_and(|end| end == "litmus"))
    }

    /// Checks the names of the program's folder, files and options.
    fn validate(&self) -> Result<(), String> {
        let texts = [&self.directory].into_iter().chain(&self.target).chain(&self.compile_options);
        require(texts.into_iter().all(|text| !text.contains('\0')), "the program has a name with a zero byte")?;
        require(self.directory.starts_with('/'), "the program's folder has no absolute name")?;
        let sources = self.target.iter().filter(|name| name.ends_with(".c")).count();
        let kinds = sources == self.target.len() || (sources == 0 && self.target.len() == 1);
        require(
            kinds && !self.target.is_empty(),
            "the program is neither .c files nor an executable nor a litmus test",
        )?;
        for name in &self.target {
            let plain = name.trim_start_matches("./");
            let listed = self.files.iter().any(|(file, _)| file == name || file == plain);
            require(listed, &format!("{name} is not among the program's files"))?;
        }
        Ok(())
    }
}

impl Schedule {
    /// Checks the schedule, and returns the number of its events.
    fn validate(&self) -> Result<u64, String> {
        require(self.threads.len() <= THREADS, "it has too many threads")?;
        require(self.threads.first().is_some_and(Vec::is_empty), "its first thread is not main")?;
        for (index, path) in self.threads.iter().enumerate().skip(1) {
            let before = &self.threads[..index];
            let Some((nth, parent)) = path.split_last() else { return Err("two of its threads are main".to_owned()) };
            let created = before.iter().filter(|other| other.split_last().is_some_and(|(_, of)| of == parent)).count();
            let numbered = before.iter().any(|other| other == parent) && usize::try_from(*nth) == Ok(created);
            require(numbered, "its threads are not numbered as they are created")?;
        }
        if let Some(graph) = &self.graph {
            require(self.segments.is_empty() && self.choices.is_empty(), "it has a schedule beside a graph")?;
            graph.validate(self.threads.len())?;
        }
        let mut events: u64 = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            let commits = Thread::FIRST_COMMITTER.index()..Thread::LIMIT;
            let known = usize::try_from(segment.thread)
                .is_ok_and(|thread| thread < self.threads.len() || self.machine.is_some() && commits.contains(&thread));
            require(known, "its schedule has an unknown thread")?;
            let counted = segment.events > 0 && (1..=segment.events.saturating_add(events)).contains(&segment.nth);
            require(counted, "its schedule counts events wrongly")?;
            let merged = index > 0 && self.segments[index - 1].thread == segment.thread;
            require(!merged, "its schedule has two segments where one is enough")?;
            events = events.saturating_add(segment.events);
        }
        Ok(events)
    }
}

impl Graph {
    /// Checks the numbers of the graph's events, in a program with so many threads.
    fn validate(&self, threads: usize) -> Result<(), String> {
        for (number, event) in self.events.iter().enumerate() {
            let known = usize::try_from(event.thread).is_ok_and(|thread| thread < threads);
            require(known, "an event is of an unknown thread")?;
            let small = event.index <= u32::from(u16::MAX) && event.rank <= u32::from(u16::MAX);
            let small = small
                && [&event.overtakes, &event.passes_writes].into_iter().flatten().all(|&earlier| earlier < event.index);
            require(small, "an event has a number that none has")?;
            // A load may be forwarded from a store of its thread that takes effect later.
            let comes_before = |source: u64| {
                let Some(number_of_source) = usize::try_from(source).ok() else { return false };
                let own = self
                    .events
                    .get(number_of_source)
                    .is_some_and(|other| other.thread == event.thread && other.index < event.index);
                number_of_source < number || own
            };
            require(event.source.is_none_or(comes_before), "an event reads from one that does not come before it")?;
        }
        Ok(())
    }
}

/// Returns an error with a message unless a condition holds.
fn require(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
