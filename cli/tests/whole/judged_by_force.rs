//! Judgements against brute force: on random small programs, what breaks, what shows and what is harmless follows from the
//! final states that machines with store buffers reach, which are enumerated here and know nothing of the tool.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use serde_json::Value;

use crate::bench::Bench;

/// So many programs, unless `FENCEHOUND_JUDGED` says how many.
const PROGRAMS: usize = 24;
const VARIABLES: [&str; 2] = ["x", "y"];
/// Values that a thread has read, at most.
const REGISTERS: usize = 4;

/// What a thread does in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Store {
        to: usize,
        value: u8,
    },
    Release {
        to: usize,
        value: u8,
    },
    Load {
        from: usize,
    },
    Exchange {
        at: usize,
        value: u8,
    },
    Fence,
    Lock,
    Unlock,
    /// The next step is left out unless the last value read is 0.
    Guard,
}

/// Two threads, and the values of their first two reads each with which an assertion fails.
struct Program {
    threads: [Vec<Step>; 2],
    fails: Option<[u8; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Machine {
    Sc,
    Tso,
    Pso,
}

/// A store that waits, and behind how many barriers of its thread.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Entry {
    to: usize,
    value: u8,
    behind: u8,
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Thread {
    done: usize,
    read: Vec<u8>,
    buffer: Vec<Entry>,
    barriers: u8,
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct State {
    threads: [Thread; 2],
    memory: [u8; 2],
    holder: Option<usize>,
}

/// Memory, and what each thread has read.
type End = ([u8; 2], [Vec<u8>; 2]);

impl Machine {
    /// The states after one step or one commit of a thread.
    fn next(self, program: &Program, state: &State, thread: usize) -> Vec<State> {
        let mut all: Vec<State> = (0..state.threads[thread].buffer.len())
            .filter(|&index| self.may_commit(&state.threads[thread].buffer, index))
            .map(|index| {
                let mut next = state.clone();
                let entry = next.threads[thread].buffer.remove(index);
                next.memory[entry.to] = entry.value;
                next
            })
            .collect();
        let Some(&step) = program.threads[thread].get(state.threads[thread].done) else { return all };
        let is_drained = state.threads[thread].buffer.is_empty();
        let mut next = state.clone();
        let own = &mut next.threads[thread];
        own.done += 1;
        match step {
            Step::Store { to, value } | Step::Release { to, value } => {
                own.barriers += u8::from(step == Step::Release { to, value });
                let entry = Entry { to, value, behind: own.barriers };
                match self {
                    Machine::Sc => next.memory[to] = value,
                    Machine::Tso | Machine::Pso => own.buffer.push(entry),
                }
            }
            Step::Load { from } => {
                let waiting = own.buffer.iter().rfind(|entry| entry.to == from).map(|entry| entry.value);
                own.read.push(waiting.unwrap_or(next.memory[from]));
            }
            Step::Guard => own.done += usize::from(own.read.last().is_some_and(|&read| read != 0)),
            _ if !is_drained => return all,
            Step::Exchange { at, value } => {
                own.read.push(next.memory[at]);
                next.memory[at] = value;
            }
            Step::Fence => {}
            Step::Lock if next.holder.is_some() => return all,
            Step::Lock => next.holder = Some(thread),
            Step::Unlock => next.holder = None,
        }
        all.push(next);
        all
    }

    fn may_commit(self, buffer: &[Entry], index: usize) -> bool {
        let entry = &buffer[index];
        let older = &buffer[..index];
        match self {
            Machine::Pso => older.iter().all(|other| other.to != entry.to && other.behind == entry.behind),
            Machine::Sc | Machine::Tso => older.is_empty(),
        }
    }

    /// All ends of the program.
    fn ends(self, program: &Program) -> BTreeSet<End> {
        let (mut ends, mut seen, mut open) = (BTreeSet::new(), HashSet::new(), vec![State::default()]);
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let next: Vec<State> = (0..2).flat_map(|thread| self.next(program, &state, thread)).collect();
            if next.is_empty() {
                ends.insert((state.memory, state.threads.map(|thread| thread.read)));
            }
            open.extend(next);
        }
        ends
    }
}

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn step(&mut self) -> Step {
        let (at, value) = (usize::from(self.below(2) == 1), 1 + u8::from(self.below(2) == 1));
        match self.below(12) {
            0..4 => Step::Store { to: at, value },
            4 => Step::Release { to: at, value },
            5..9 => Step::Load { from: at },
            9 => Step::Exchange { at, value },
            10 => Step::Fence,
            _ => Step::Guard,
        }
    }

    fn thread(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = (0..2 + self.below(3)).map(|_| self.step()).collect();
        steps.retain({
            let mut reads = 0;
            move |step| {
                reads += usize::from(matches!(step, Step::Load { .. } | Step::Exchange { .. }));
                reads <= REGISTERS
            }
        });
        if self.below(5) == 0 {
            let from = usize::from(self.below(2) == 1).min(steps.len());
            // A guard must not leave out half of a pair.
            if !steps[..from].contains(&Step::Guard) && !steps[from..].contains(&Step::Guard) {
                steps.insert(from, Step::Lock);
                steps.push(Step::Unlock);
            }
        }
        steps
    }

    fn program(&mut self) -> Program {
        let threads = [self.thread(), self.thread()];
        let has_reads = threads.iter().all(|steps| steps.iter().any(|step| matches!(step, Step::Load { .. })));
        // Both read what was there at first: most often that is what a fence is for.
        let fails = (has_reads && self.below(2) == 0).then_some([0, 0]);
        Program { threads, fails }
    }
}

impl Program {
    fn fails(&self, (_, read): &End) -> bool {
        let first = |thread: usize| read[thread].first();
        self.fails.is_some_and(|values| (0..2).all(|thread| first(thread) == Some(&values[thread])))
    }

    /// What the judgement has to be.
    fn judgement(&self, machine: Machine) -> &'static str {
        let ends = |machine: Machine| -> (Vec<End>, Vec<End>) {
            machine.ends(self).into_iter().partition(|end| self.fails(end))
        };
        let ((failing, consistent), (fails, others)) = (ends(Machine::Sc), ends(machine));
        match () {
            () if failing.is_empty() && !fails.is_empty() => "breaks",
            () if others.iter().any(|end| !consistent.contains(end)) => "shows",
            () => "harmless",
        }
    }

    /// Its functions in C.
    fn write(&self, number: usize, into: &mut String) {
        for (thread, steps) in self.threads.iter().enumerate() {
            let _ = writeln!(
                into,
                "static void *p{number}_{thread}(void *unused) {{\n    long got[{REGISTERS}] = {{0}};\n    int n = 0;"
            );
            for step in steps {
                let line = match *step {
                    Step::Store { to, value } => format!("ST({}, {value}, relaxed);", VARIABLES[to]),
                    Step::Release { to, value } => format!("ST({}, {value}, release);", VARIABLES[to]),
                    Step::Load { from } => format!("got[n++] = LD({});", VARIABLES[from]),
                    Step::Exchange { at, value } => format!("got[n++] = atomic_exchange(&{}, {value});", VARIABLES[at]),
                    Step::Fence => "atomic_thread_fence(memory_order_seq_cst);".to_string(),
                    Step::Lock => "pthread_mutex_lock(&mutex);".to_string(),
                    Step::Unlock => "pthread_mutex_unlock(&mutex);".to_string(),
                    Step::Guard => "if (n == 0 || got[n - 1] == 0)".to_string(),
                };
                let _ = writeln!(into, "    {line}");
            }
            // Behind what a guard at the end would leave out: the values, a digit each, and how many there are.
            let _ = writeln!(
                into,
                "    ;\n    long all = 0;\n    for (int i = {REGISTERS}; i > 0; i--)\n        all = all * 10 + got[i - 1];\n    \
                 return (void *)(all * 10 + n + (long)unused);\n}}"
            );
        }
        let condition = self.fails.map_or("0".to_string(), |[one, other]| {
            format!("one % 10 > 0 && other % 10 > 0 && one / 10 % 10 == {one} && other / 10 % 10 == {other}")
        });
        let _ = writeln!(into, "static int p{number}_fails(long one, long other) {{ return {condition}; }}");
    }
}

fn source(programs: &[Program]) -> String {
    let mut text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
        #define ST(at, value, order) atomic_store_explicit(&at, value, memory_order_##order)\n\
        #define LD(at) atomic_load_explicit(&at, memory_order_relaxed)\n\
        static atomic_int x, y;\n\n\
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
        #ifdef FUTEX\n#include <linux/futex.h>\n#include <sys/syscall.h>\nlong syscall(long, ...);\nstatic int queue;\n\
        #define REFUSED() syscall(SYS_futex, &queue, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1)\n#else\n#define REFUSED()\n#endif\n"
        .to_string();
    for (number, program) in programs.iter().enumerate() {
        program.write(number, &mut text);
    }
    text.push_str("int main(int count_of, char **arguments) {\n    pthread_t a, b;\n    void *one, *other;\n    (void)count_of;\n    REFUSED();\n    switch (atoi(arguments[1])) {\n");
    for number in 0..programs.len() {
        let _ = writeln!(
            text,
            "    case {number}:\n        pthread_create(&a, NULL, p{number}_0, NULL);\n        pthread_create(&b, NULL, p{number}_1, NULL);\n        \
             pthread_join(a, &one);\n        pthread_join(b, &other);\n        assert(!p{number}_fails((long)one, (long)other));\n        break;"
        );
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

/// Store buffering, and random ones.
fn programs() -> Vec<Program> {
    let asked = std::env::var("FENCEHOUND_JUDGED").ok().and_then(|count| count.parse().ok());
    let mut random = Random(17);
    let first = [[0, 1], [1, 0]].map(|[to, from]| vec![Step::Store { to, value: 1 }, Step::Load { from }]);
    let store_buffering = Program { threads: first, fails: Some([0, 0]) };
    std::iter::once(store_buffering).chain((1..asked.unwrap_or(PROGRAMS)).map(|_| random.program())).collect()
}

fn checked(bench: &Bench, command: &str) -> Value {
    let ran = bench.run(&format!("check {command}"));
    serde_json::from_str(&bench.read("result.json")).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn judgements_are_those_of_machines_with_store_buffers() {
    let programs = programs();
    let bench = Bench::new(&[("programs.c", &source(&programs))]);
    bench.quietly("cc -w programs.c -o graphs");
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for (number, program) in programs.iter().enumerate() {
        let result = checked(&bench, &format!("graphs -j 1 --json result.json -- {number}"));
        for (model, machine) in [("tso", Machine::Tso), ("pso", Machine::Pso)] {
            // Where no monitor reports, the model has no other executions.
            let found = result["models"][model]["judgement"].as_str();
            let expected = program.judgement(machine);
            let told = (program.fails, &program.threads);
            assert_eq!(found.unwrap_or("harmless"), expected, "{model} {number}: {told:?}\n{result}");
            seen.insert((model.to_string(), found.unwrap_or("none").to_string()));
        }
    }
    // There was something to judge.
    for model in ["tso", "pso"] {
        for judgement in ["breaks", "shows", "harmless", "none"] {
            assert!(seen.contains(&(model.to_string(), judgement.to_string())), "{model} {judgement}: {seen:?}");
        }
    }
}

/// So many judgements are by interleavings, which are many: of some programs they do not come to an end.
const COMPARED: usize = 4;

#[test]
fn judgements_by_interleavings_are_those_of_machines_and_of_graphs() {
    let programs = programs();
    let bench = Bench::new(&[("programs.c", &source(&programs))]);
    bench.quietly("cc -w programs.c -o graphs");
    // Execution graphs refuse a futex with a bit set.
    bench.quietly("cc -w -DFUTEX programs.c -o machines");
    let mut compared = 0;
    for (number, program) in programs.iter().enumerate() {
        let by_graphs = checked(&bench, &format!("graphs -j 1 --json result.json -- {number}"));
        let options = "-j 1 --judge-time 4s --json result.json";
        let by_machines = checked(&bench, &format!("machines {options} -- {number}"));
        for (model, machine) in [("tso", Machine::Tso), ("pso", Machine::Pso)] {
            let [one, other] = [&by_graphs, &by_machines].map(|result| &result["models"][model]);
            let Some(found) = other["judgement"].as_str() else {
                assert_eq!(one, &Value::Null, "{model} {number}");
                continue;
            };
            assert_eq!([&one["by"], &other["by"]], ["graphs", "machines"], "{model} {number}");
            let is_cut = other["complete"] == false;
            assert!(found == program.judgement(machine) || (found == "open" && is_cut), "{model} {number}: {other}");
            if !is_cut {
                let ends = |judged: &Value| [judged["outcomes"].clone(), judged["sc"]["outcomes"].clone()];
                assert_eq!(ends(one), ends(other), "{model} {number}: {:?}", program.threads);
            }
            compared += usize::from(found != "open");
        }
    }
    assert!(compared >= COMPARED, "only {compared} were compared");
}
