//! Measures the monitors of atomicity: `cargo run -p fencehound-engine --release --example atomicity [-- flat]`.
//!
//! Without argument, the time that the check of traces takes, by shape of the trace, threads, variables and length; what
//! it prints is the table of benches/RESULTS.md. With `flat`, the number of transactions and accesses that the monitors
//! keep on logs of ten million events. Exits with 1 if a verdict is not the one that the trace was built for.

use std::process::ExitCode;

use engine::atomicity::{CheckBudget, Criterion, Mark, Outcome, Serializability, TraceCheck, Violation};
use engine::event::{Barrier, Event, Kind, Location, Object, Site, Thread};

/// One step of a trace.
#[derive(Clone, Copy, Debug)]
enum Step {
    Mark(usize, Mark),
    Load(usize, usize),
    Store(usize, usize),
    Lock(usize),
    Fence(usize),
}

/// Marsaglia's xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// A kind of trace, and what is to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Transactions of two loads and two stores under one lock: serializable.
    Locked,
    /// Loads and stores alone, each its own transaction, and no fence at all: serializable.
    Single,
    /// Each thread writes a variable of its own in transactions of two stores and reads others' in transactions of two
    /// loads, with a fence after each eighth.
    Owned,
    /// Transactions of four random accesses: not serializable.
    Random,
}

impl Shape {
    fn trace(self, threads: usize, variables: usize, length: usize) -> Vec<Step> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut steps = Vec::with_capacity(2 * length);
        let mut round = 0;
        while steps.len() < length {
            let thread = random.below(threads);
            round += 1;
            match self {
                Self::Locked => {
                    steps.extend([Step::Mark(thread, Mark::Begin), Step::Lock(thread)]);
                    steps.extend([0, 1].map(|_| Step::Load(thread, random.below(variables))));
                    steps.extend([0, 1].map(|_| Step::Store(thread, random.below(variables))));
                    steps.extend([Step::Lock(thread), Step::Mark(thread, Mark::End)]);
                }
                Self::Single if random.below(2) == 0 => steps.push(Step::Load(thread, random.below(variables))),
                Self::Single => steps.push(Step::Store(thread, random.below(variables))),
                Self::Owned => {
                    let other = |random: &mut Random| random.below(threads.min(variables));
                    steps.push(Step::Mark(thread, Mark::Begin));
                    if random.below(2) == 0 {
                        steps.extend([0, 1].map(|_| Step::Store(thread, thread)));
                    } else {
                        let read = other(&mut random);
                        steps.extend([Step::Load(thread, read); 2]);
                    }
                    if round % 8 == 0 {
                        steps.push(Step::Fence(thread));
                    }
                    steps.push(Step::Mark(thread, Mark::End));
                }
                Self::Random => {
                    steps.push(Step::Mark(thread, Mark::Begin));
                    for _ in 0..2 {
                        steps.push(Step::Load(thread, random.below(variables)));
                        let other = random.below(threads);
                        steps.push(Step::Store(other, random.below(variables)));
                    }
                    steps.push(Step::Mark(thread, Mark::End));
                }
            }
        }
        steps
    }

    const fn expected(self) -> Option<Outcome> {
        match self {
            Self::Locked | Self::Single => Some(Outcome::Serializable),
            Self::Random => Some(Outcome::Violated),
            Self::Owned => None,
        }
    }
}

fn event(step: Step) -> Option<(Event, Option<Location>)> {
    let (thread, kind, before, variable) = match step {
        Step::Mark(..) => return None,
        Step::Load(thread, variable) => (thread, Kind::Load, Barrier::None, Some(variable)),
        Step::Store(thread, variable) => (thread, Kind::Store, Barrier::None, Some(variable)),
        Step::Lock(thread) => (thread, Kind::Lock(Object(0)), Barrier::None, None),
        Step::Fence(thread) => (thread, Kind::Fence, Barrier::Full, None),
    };
    let thread = Thread::from_index(thread);
    let event = Event { thread, site: Site(0), kind, before, after: Barrier::None, order: None };
    Some((event, variable.map(|variable| Location(variable as u32))))
}

fn tell_check(check: &mut TraceCheck, step: Step, violations: &mut Vec<Violation>) {
    if let Step::Mark(thread, mark) = step {
        check.mark(Thread::from_index(thread), mark).expect("balanced");
    }
    if let Some((event, location)) = event(step) {
        check.event(&event, location.as_slice(), violations);
    }
}

fn tell_monitor(monitor: &mut Serializability, step: Step, violations: &mut Vec<Violation>) {
    if let Step::Mark(thread, mark) = step {
        monitor.mark(Thread::from_index(thread), mark).expect("balanced");
    }
    if let Some((event, location)) = event(step) {
        monitor.event(&event, location.as_slice(), violations);
    }
}

/// The processor time of this process in seconds, as Linux counts it.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    let nanoseconds: u64 = text.split(' ').next().and_then(|text| text.parse().ok()).expect("a number");
    nanoseconds as f64 / 1e9
}

/// Checks a trace; its outcome and the seconds that took.
fn check(steps: &[Step]) -> (Outcome, f64) {
    let mut check = TraceCheck::new(CheckBudget::default());
    let mut violations = Vec::new();
    let start = processor_time();
    steps.iter().for_each(|&step| tell_check(&mut check, step, &mut violations));
    check.end(&mut violations).expect("balanced");
    (check.outcome(), processor_time() - start)
}

/// Layers of a bipartite graph: a path through all layers that meets each vertex once is a cycle of the trace, and a
/// complete bipartite graph of `left` and `right` vertices has one iff these differ by at most one. After the reduction
/// from Hamiltonian path of 001-enea-tacas16, section 6.1, whose construction is not printed.
///
/// Each vertex is a thread that stores once for each edge and layer, the last layer first; one transaction of one more
/// thread stores before the first layer and after the last one. Nothing is fenced, so commits take any order that is
/// first in, first out; and along the path they are one after the other.
fn layers(left: usize, right: usize) -> Vec<Step> {
    let vertices = left + right;
    let joins = |u: usize, v: usize| (u < left) != (v < left);
    // The variable of the edge from u in a layer to v in the next one; then the first and the last one.
    let edge = |layer: usize, u: usize, v: usize| (layer * vertices + u) * vertices + v;
    let (first, last) = (edge(vertices, 0, 0), edge(vertices, 0, 1));
    let mut steps = Vec::new();
    for vertex in 0..vertices {
        let others = || (0..vertices).filter(|&other| joins(vertex, other));
        for layer in (0..vertices).rev() {
            if layer == 0 {
                steps.push(Step::Store(vertex, first));
            } else {
                steps.extend(others().map(|other| Step::Store(vertex, edge(layer - 1, other, vertex))));
            }
            if layer == vertices - 1 {
                steps.push(Step::Store(vertex, last));
            } else {
                steps.extend(others().map(|other| Step::Store(vertex, edge(layer, vertex, other))));
            }
        }
    }
    steps.push(Step::Mark(vertices, Mark::Begin));
    steps.extend([Step::Store(vertices, first), Step::Store(vertices, last)]);
    steps.push(Step::Mark(vertices, Mark::End));
    steps
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Serializable => "serializable",
        Outcome::Violated => "violated",
        Outcome::Undecided => "undecided",
    }
}

/// Whether an outcome is right, or none.
fn is_right(outcome: Outcome, expected: Option<Outcome>) -> bool {
    expected.is_none_or(|expected| outcome == expected || outcome == Outcome::Undecided)
}

fn table() -> bool {
    let mut is_right_so_far = true;
    println!("| trace | threads | variables | events | outcome | processor seconds |\n|---|---|---|---|---|---|");
    for (left, right) in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (3, 5)] {
        let steps = layers(left, right);
        let (outcome, seconds) = check(&steps);
        let expected = if right > left + 1 { Outcome::Serializable } else { Outcome::Violated };
        is_right_so_far &= is_right(outcome, Some(expected));
        let threads = left + right + 1;
        println!(
            "| layers of K({left}, {right}) | {threads} | – | {} | {} | {seconds:.3} |",
            steps.len(),
            word(outcome)
        );
    }
    for shape in [Shape::Locked, Shape::Owned, Shape::Random, Shape::Single] {
        for (threads, variables) in [(2, 1), (2, 16), (4, 4), (8, 1), (8, 16)] {
            for length in [1000, 10_000, 100_000, 1_000_000] {
                let steps = shape.trace(threads, variables, length);
                let (outcome, seconds) = check(&steps);
                is_right_so_far &= is_right(outcome, shape.expected());
                let outcome = word(outcome);
                println!("| {shape:?} | {threads} | {variables} | {length} | {outcome} | {seconds:.3} |");
            }
        }
    }
    is_right_so_far
}

/// Ten million events: what the monitors keep, at most.
fn flat() -> bool {
    const EVENTS: usize = 10_000_000;
    let mut violations = Vec::new();
    let mut most = [0; 3];
    let start = processor_time();
    let mut monitors = [Criterion::Sc, Criterion::TsoAtOnce].map(Serializability::new);
    let mut check = TraceCheck::new(CheckBudget::default());
    let mut told = 0;
    while told < EVENTS {
        // The lock orders the pieces as if they were one log.
        let piece = Shape::Locked.trace(8, 16, 1_000_000);
        for &step in &piece {
            for (monitor, most) in monitors.iter_mut().zip(&mut most) {
                tell_monitor(monitor, step, &mut violations);
                *most = (*most).max(monitor.transactions());
            }
            tell_check(&mut check, step, &mut violations);
            most[2] = most[2].max(check.accesses());
            told += usize::from(!matches!(step, Step::Mark(..)));
        }
    }
    let seconds = processor_time() - start;
    println!("locked: {told} events in {seconds:.1} s, at most {most:?} kept, {} cycles", violations.len());

    // One transaction that lasts from the beginning to the end, and everything else behind it.
    let (mut monitor, mut most) = (Serializability::new(Criterion::Sc), 0);
    tell_monitor(&mut monitor, Step::Mark(0, Mark::Begin), &mut violations);
    tell_monitor(&mut monitor, Step::Store(0, 0), &mut violations);
    let mut random = Random(1);
    for _ in 0..EVENTS {
        let (thread, variable) = (1 + random.below(7), random.below(16));
        let step = if random.below(2) == 0 { Step::Load(thread, variable) } else { Step::Store(thread, variable) };
        tell_monitor(&mut monitor, step, &mut violations);
        most = most.max(monitor.transactions());
    }
    let before = violations.len();
    tell_monitor(&mut monitor, Step::Load(0, 1), &mut violations);
    println!("one long transaction: at most {most} kept, cycle of {:?}", violations[before].transactions.len());
    before == 0 && most < 2000 && violations.len() == 1
}

fn main() -> ExitCode {
    let is_right = match std::env::args().nth(1).as_deref() {
        None => table(),
        Some("flat") => flat(),
        Some(other) => {
            eprintln!("unknown argument {other:?}\nhelp: give none, or flat");
            return ExitCode::from(2);
        }
    };
    ExitCode::from(u8::from(!is_right))
}
