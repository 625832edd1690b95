//! Machines with store buffers against execution graphs, on random programs with guards: sections that are left out by what was
//! read before, among them those of a lock that is tried. As sets, the ends of the machine, which is written here anew, are
//! those of the search for execution graphs, under SC, TSO and PSO.
//!
//! `FENCEHOUND_GUARDED=20000 cargo test --release -p fencehound-engine --test guarded_programs` looks at more of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

use engine::explore::rsmc::Continue;
use litmus::graphs::{MemoryModel, Outcome, explore};
use litmus::outcomes::show;
use litmus::parse::parse;

/// So many programs, unless `FENCEHOUND_GUARDED` says how many.
const PROGRAMS: usize = 300;
const VARIABLES: [&str; 3] = ["x", "y", "lock"];
const LOCK: usize = 2;
const REGISTERS: [&str; 4] = ["EAX", "EBX", "ECX", "EDX"];

/// What a thread does in one step; each read has a register of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Load {
        from: usize,
    },
    Store {
        to: usize,
        value: u8,
    },
    Exchange {
        at: usize,
        value: u8,
    },
    Fence,
    /// Orders stores with stores alone.
    Stores,
    /// So many of the next steps are left out unless the value read last is this.
    Guard {
        unless: u8,
        skip: usize,
    },
}

type Program = Vec<Vec<Step>>;

/// Registers and variables that are not 0, by name.
type End = BTreeMap<String, u64>;

/// A store that waits, and behind how many barriers of its thread.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Entry {
    to: usize,
    value: u8,
    behind: u8,
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Thread {
    next: usize,
    /// By the number of the step that reads.
    read: Vec<(usize, u8)>,
    waiting: Vec<Entry>,
    barriers: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    memory: [u8; VARIABLES.len()],
}

impl State {
    /// What can come of this in one step or commit.
    fn successors(&self, program: &Program, model: MemoryModel) -> Vec<State> {
        let mut all = Vec::new();
        for (thread, steps) in program.iter().enumerate() {
            let own = &self.threads[thread];
            for index in 0..own.waiting.len() {
                let (entry, older) = (&own.waiting[index], &own.waiting[..index]);
                let goes_ahead = |other: &Entry| other.to != entry.to && other.behind == entry.behind;
                if older.is_empty() || (model == MemoryModel::Pso && older.iter().all(goes_ahead)) {
                    let mut next = self.clone();
                    let entry = next.threads[thread].waiting.remove(index);
                    next.memory[entry.to] = entry.value;
                    all.push(next);
                }
            }
            if let Some(&step) = steps.get(own.next) {
                all.extend(self.after(thread, step, model));
            }
        }
        all
    }

    /// The state after a step of a thread, if it can be taken.
    fn after(&self, thread: usize, step: Step, model: MemoryModel) -> Option<State> {
        let mut next = self.clone();
        let own = &mut next.threads[thread];
        let number = own.next;
        own.next += 1;
        match step {
            Step::Load { from } => {
                let waiting = own.waiting.iter().rfind(|entry| entry.to == from).map(|entry| entry.value);
                own.read.push((number, waiting.unwrap_or(next.memory[from])));
            }
            Step::Store { to, value } if model == MemoryModel::Sc => next.memory[to] = value,
            Step::Store { to, value } => own.waiting.push(Entry { to, value, behind: own.barriers }),
            Step::Stores => own.barriers += 1,
            Step::Guard { unless, skip } => {
                own.next += if own.read.last().is_some_and(|&(_, read)| read == unless) { 0 } else { skip };
            }
            Step::Exchange { .. } | Step::Fence if !own.waiting.is_empty() => return None,
            Step::Fence => {}
            Step::Exchange { at, value } => {
                own.read.push((number, next.memory[at]));
                next.memory[at] = value;
            }
        }
        Some(next)
    }

    fn end(&self, program: &Program) -> End {
        let mut end = End::new();
        for (number, (thread, steps)) in self.threads.iter().zip(program).enumerate() {
            for &(step, value) in &thread.read {
                end.insert(format!("{number}:{}", register(steps, step)), value.into());
            }
        }
        end.extend(VARIABLES.iter().zip(self.memory).map(|(name, value)| (format!("[{name}]"), value.into())));
        end.retain(|_, value| *value != 0);
        end
    }
}

/// The ends of the machine.
fn by_machine(program: &Program, model: MemoryModel) -> BTreeSet<End> {
    let start = State { threads: vec![Thread::default(); program.len()], memory: [0; VARIABLES.len()] };
    let (mut ends, mut seen, mut open) = (BTreeSet::new(), HashSet::new(), vec![start]);
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let next = state.successors(program, model);
        if next.is_empty() {
            ends.insert(state.end(program));
        }
        open.extend(next);
    }
    ends
}

/// The register of a step that reads.
fn register(steps: &[Step], step: usize) -> &'static str {
    REGISTERS[steps[..step].iter().filter(|step| reads(step)).count()]
}

fn reads(step: &Step) -> bool {
    matches!(step, Step::Load { .. } | Step::Exchange { .. })
}

/// The lines of a thread, for x86. A guard compares the last read on its path: a guard behind a section that may be left
/// out, and reads, would not know its register, so there is none.
fn lines(number: usize, steps: &[Step]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut labels: Vec<(usize, String)> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        for (_, label) in labels.iter().filter(|(at, _)| *at == index) {
            lines.push(format!("{label}:"));
        }
        match *step {
            Step::Load { from } => lines.push(format!("MOV {},[{}]", register(steps, index), VARIABLES[from])),
            Step::Store { to, value } => lines.push(format!("MOV [{}],${value}", VARIABLES[to])),
            Step::Exchange { at, value } => {
                lines.push(format!("MOV {},${value}", register(steps, index)));
                lines.push(format!("XCHG [{}],{}", VARIABLES[at], register(steps, index)));
            }
            Step::Fence => lines.push("MFENCE".to_string()),
            Step::Stores => lines.push("SFENCE".to_string()),
            Step::Guard { unless, skip } => {
                let last = steps[..index].iter().rposition(reads).expect("a guard is behind a read");
                let label = format!("L{number}{index}");
                lines.push(format!("CMP {},${unless}", register(steps, last)));
                lines.push(format!("JNE {label}"));
                labels.push((index + 1 + skip, label));
            }
        }
    }
    lines.extend(labels.iter().filter(|(at, _)| *at == steps.len()).map(|(_, label)| format!("{label}:")));
    lines
}

fn text(program: &Program) -> String {
    let columns: Vec<Vec<String>> = program.iter().enumerate().map(|(number, steps)| lines(number, steps)).collect();
    let heads: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    let mut text = format!("X86 guarded\n{{ x=0; y=0; lock=0; }}\n{} ;\n", heads.join(" | "));
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or_default() {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
        let _ = writeln!(text, "{} ;", cells.join(" | "));
    }
    text + "exists (x=0 /\\ y=0 /\\ lock=0)\n"
}

/// The ends of the execution graphs.
fn by_graphs(program: &Program, model: MemoryModel) -> BTreeSet<End> {
    let text = text(program);
    let test = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut ends = BTreeSet::new();
    let (_, result) = explore(&test, model, 64, &mut |finished| {
        let Outcome::Final(state) = finished.outcome else { panic!("no loop\n{text}") };
        let shown = show(&test, &state);
        let values = shown.split("; ").filter_map(|one| one.split_once('='));
        let end: End = values.map(|(name, value)| (name.to_string(), value.parse().expect("a number"))).collect();
        ends.insert(end.into_iter().filter(|(_, value)| *value != 0).collect());
        Continue::Yes
    });
    assert_eq!(result, Ok(()), "{text}");
    ends
}

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit).expect("small")
    }

    fn value(&mut self) -> u8 {
        if self.below(2) == 0 { 1 } else { 2 }
    }

    /// A step that is no guard.
    fn step(&mut self) -> Step {
        let at = self.below(2);
        match self.below(14) {
            0..5 => Step::Load { from: at },
            5..10 => Step::Store { to: at, value: self.value() },
            10 => Step::Exchange { at, value: self.value() },
            11 => Step::Fence,
            12 => Step::Stores,
            _ => Step::Store { to: at, value: 0 },
        }
    }

    /// A lock that is tried, and a section in it; sometimes it is given back behind a barrier.
    fn section(&mut self, thread: &mut Vec<Step>) {
        let mut inside: Vec<Step> = (0..1 + self.below(2)).map(|_| self.step()).collect();
        if self.below(2) == 0 {
            inside.push(Step::Stores);
        }
        inside.push(Step::Store { to: LOCK, value: 0 });
        thread.extend([Step::Exchange { at: LOCK, value: 1 }, Step::Guard { unless: 0, skip: inside.len() }]);
        thread.extend(inside);
    }

    fn thread(&mut self) -> Vec<Step> {
        let mut thread: Vec<Step> = (0..1 + self.below(2)).map(|_| self.step()).collect();
        match self.below(3) {
            0 => self.section(&mut thread),
            1 => {
                thread.push(Step::Load { from: self.below(2) });
                let inside: Vec<Step> = (0..1 + self.below(2)).map(|_| self.step()).collect();
                let unless = u8::try_from(self.below(2)).expect("small");
                thread.push(Step::Guard { unless, skip: inside.len() });
                thread.extend(inside);
            }
            _ => {}
        }
        thread.extend((0..self.below(2)).map(|_| self.step()));
        thread
    }

    /// A program each thread of which has registers for its reads.
    fn program(&mut self) -> Program {
        loop {
            let program: Program = (0..2 + usize::from(self.below(4) == 0)).map(|_| self.thread()).collect();
            let fits = |steps: &Vec<Step>| steps.iter().filter(|step| reads(step)).count() <= REGISTERS.len();
            if program.iter().all(fits) {
                return program;
            }
        }
    }
}

#[test]
fn ends_of_machines_are_those_of_graphs() {
    let asked = std::env::var("FENCEHOUND_GUARDED").ok().and_then(|count| count.parse().ok());
    let mut random = Random(5);
    let (mut under_tso, mut under_pso, mut told) = (0, 0, 0);
    for _ in 0..asked.unwrap_or(PROGRAMS) {
        let program = random.program();
        let ends = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(|model| {
            let ends = by_machine(&program, model);
            assert_eq!(by_graphs(&program, model), ends, "{model:?} {program:?}\n{}", text(&program));
            ends
        });
        let [sc, tso, pso] = ends;
        assert!(sc.is_subset(&tso) && tso.is_subset(&pso), "{program:?}");
        under_tso += usize::from(tso != sc);
        under_pso += usize::from(pso != tso);
        told += usize::from(program.iter().flatten().any(|step| matches!(step, Step::Guard { .. })));
    }
    println!("{under_tso} differ under TSO, {under_pso} more under PSO; {told} have guards");
    assert!(under_tso > 10 && under_pso > 10 && told > 100, "{under_tso} {under_pso} {told}");
}
