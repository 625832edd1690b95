//! `dpor` against brute force where wait loops change something in passing and undo it: on random small programs, the outcomes and
//! the number of classes follow from all interleavings, which are enumerated here and know nothing of the tool.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use serde_json::Value;

use crate::bench::Bench;

/// So many random programs.
const PROGRAMS: usize = 48;
/// So many of them, at least, have few enough interleavings to be enumerated.
const COMPARED: usize = 30;
/// So many beginnings of executions are enumerated at most.
const MOST: usize = 6000;
const PLACES: [&str; 5] = ["up", "v", "w", "x", "flag"];
const FLAG: usize = 4;
/// Values that a thread observes, at most.
const READS: usize = 6;
/// What stands for a value that was not read.
const UNREAD: i64 = 11;
/// What is observed is one number: those that were read, each times a power of this one.
const FACTOR: u64 = 1_000_003;

/// What a thread does in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Store {
        to: usize,
        value: i64,
    },
    Add {
        to: usize,
        value: i64,
    },
    /// In a round, of anything but the flag, the value is kept.
    Load {
        from: usize,
    },
    /// Stores the value that was kept, and this much more.
    StoreKept {
        to: usize,
        more: i64,
    },
    /// The thread ends unless the last value read is this one; this is no event.
    Expect {
        value: i64,
    },
}

/// A thread: what it does in each round of a loop that ends once the flag is up, if it has one, and then.
#[derive(Clone, Default, Debug)]
struct Thread {
    round: Vec<Step>,
    then: Vec<Step>,
}

/// An event: its thread and place, and the values before and after.
#[derive(Clone, Copy, Debug)]
struct Event {
    thread: usize,
    place: usize,
    before: i64,
    after: i64,
}

/// What an event is in its class: its place, whether it writes, and the write before it there.
type Link = (usize, bool, Option<(usize, usize)>);

/// How far a thread is: the step in its round, or in what comes then.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum At {
    Round(usize),
    Then(usize),
}

/// The beginning of an execution.
#[derive(Clone, Default)]
struct Beginning {
    at: Vec<At>,
    links: Vec<Vec<Link>>,
    reads: Vec<Vec<i64>>,
    /// What each thread keeps.
    kept: Vec<i64>,
    memory: [i64; PLACES.len()],
    last: HashMap<usize, (usize, usize)>,
    events: Vec<Event>,
}

impl Thread {
    /// The step at which the thread is, if it is not at its end.
    fn step(&self, at: At) -> Option<Step> {
        match at {
            At::Round(step) => Some(self.round[step]),
            At::Then(step) => self.then.get(step).copied(),
        }
    }
}

impl Beginning {
    fn new(threads: &[Thread]) -> Self {
        let first = |thread: &Thread| if thread.round.is_empty() { At::Then(0) } else { At::Round(0) };
        Self {
            at: threads.iter().map(first).collect(),
            links: vec![Vec::new(); threads.len()],
            reads: vec![Vec::new(); threads.len()],
            kept: vec![0; threads.len()],
            ..Self::default()
        }
    }

    /// Performs a thread's next event. None if the thread has gone through a round that nobody has seen, and would go on.
    fn next(&self, threads: &[Thread], index: usize, step: Step) -> Option<Self> {
        let mut next = self.clone();
        let (place, writes) = match step {
            Step::Store { to, .. } | Step::Add { to, .. } | Step::StoreKept { to, .. } => (to, true),
            Step::Load { from } => (from, false),
            Step::Expect { .. } => unreachable!("it was gone past"),
        };
        let before = self.memory[place];
        next.links[index].push((place, writes, self.last.get(&place).copied()));
        next.memory[place] = match step {
            Step::Store { value, .. } => value,
            Step::Add { value, .. } => before + value,
            Step::StoreKept { more, .. } => self.kept[index] + more,
            _ => before,
        };
        if writes {
            next.last.insert(place, (index, self.links[index].len()));
        }
        next.events.push(Event { thread: index, place, before, after: next.memory[place] });
        next.at[index] = match self.at[index] {
            At::Then(step) => At::Then(step + 1),
            At::Round(step) if step + 1 < threads[index].round.len() => At::Round(step + 1),
            At::Round(_) => next.after_round(&threads[index].round, index)?,
        };
        match (self.at[index], step) {
            (At::Then(_), Step::Load { .. }) => next.reads[index].push(before),
            (At::Round(_), Step::Load { from }) if from != FLAG => next.kept[index] = before,
            _ => {}
        }
        next.go_past(&threads[index], index);
        Some(next)
    }

    /// Goes past what the thread expects of what it has read.
    fn go_past(&mut self, thread: &Thread, index: usize) {
        while let Some(Step::Expect { value }) = thread.step(self.at[index]) {
            let At::Then(step) = self.at[index] else { unreachable!("rounds expect nothing") };
            let is_there = self.reads[index].last() == Some(&value);
            self.at[index] = At::Then(if is_there { step + 1 } else { thread.then.len() });
        }
    }

    /// Where the thread is whose round is over. None if it has left everything as it was, and nobody has seen what was different.
    fn after_round(&self, round: &[Step], index: usize) -> Option<At> {
        let own: Vec<usize> = (0..self.events.len()).filter(|&at| self.events[at].thread == index).collect();
        let own = &own[own.len() - round.len()..];
        if own.iter().any(|&at| self.events[at].place == FLAG && self.events[at].before == 1) {
            return Some(At::Then(0));
        }
        let is_change = |at: &&usize| self.events[**at].before != self.events[**at].after;
        let changes: Vec<usize> = own.iter().filter(is_change).copied().collect();
        let of = |place: usize| changes.iter().copied().filter(move |&at| self.events[at].place == place);
        let (mut is_restored, mut is_seen) = (true, false);
        for &change in &changes {
            let Event { place, after, .. } = self.events[change];
            let original = self.events[of(place).next()?].before;
            is_restored &= self.events[of(place).next_back()?].after == original;
            let later = own.iter().filter(|&&at| at >= change && self.events[at].place == place);
            let later: Vec<Event> = later.map(|&at| self.events[at]).collect();
            // Others have written there between two of its events.
            is_restored &= later.windows(2).all(|two| two[1].before == two[0].after);
            let until = of(place).find(|&later| later > change).unwrap_or(self.events.len());
            let sees = |event: &Event| event.thread != index && event.place == place;
            is_seen |= after != original && self.events[change..until].iter().any(sees);
        }
        (!is_restored || is_seen).then_some(At::Round(0))
    }

    /// What is observed, as one number.
    fn outcome(&self) -> i64 {
        let padded =
            |reads: &Vec<i64>| (0..READS).map(|at| reads.get(at).copied().unwrap_or(UNREAD)).collect::<Vec<_>>();
        let all = self.reads.iter().flat_map(padded);
        let all = all.fold(0_u64, |all, value| all.wrapping_mul(FACTOR).wrapping_add_signed(value));
        (all >> 1).cast_signed()
    }
}

/// All outcomes, and the number of classes in which no thread goes on behind a round that had no effect; none if there are too many
/// beginnings.
fn by_force(threads: &[Thread]) -> Option<(BTreeSet<i64>, usize)> {
    let (mut outcomes, mut classes, mut seen) = (BTreeSet::new(), HashSet::new(), HashSet::new());
    let mut open = vec![Beginning::new(threads)];
    while let Some(beginning) = open.pop() {
        if !seen.insert((beginning.at.clone(), beginning.links.clone())) {
            continue;
        }
        if seen.len() > MOST {
            return None;
        }
        let steps: Vec<(usize, Step)> = (0..threads.len())
            .filter_map(|thread| threads[thread].step(beginning.at[thread]).map(|step| (thread, step)))
            .collect();
        if steps.is_empty() {
            outcomes.insert(beginning.outcome());
            classes.insert(beginning.links.clone());
        }
        open.extend(steps.into_iter().filter_map(|(thread, step)| beginning.next(threads, thread, step)));
    }
    Some((outcomes, classes.len()))
}

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).expect("it is below a usize")]
    }

    /// A thread that changes something, looks at the flag, and undoes the change, until the flag is up.
    fn passing(&mut self) -> Thread {
        let adds = self.below(2) == 0;
        let to = if self.below(3) == 0 { 1 } else { 0 };
        let [change, undo] = [(1, 1), (0, -1)].map(|(stored, added)| {
            if adds { Step::Add { to, value: added } } else { Step::Store { to, value: stored } }
        });
        let mut round = vec![change, Step::Load { from: FLAG }, undo];
        if self.below(5) == 0 {
            round.insert(1, Step::Load { from: self.of(&[0, 3]) });
        }
        if self.below(3) == 0 {
            let [change, undo] = [1, 0].map(|more| Step::StoreKept { to, more });
            round = vec![Step::Load { from: FLAG }, Step::Load { from: to }, change, undo];
        }
        let then = if self.below(5) > 0 { vec![Step::Store { to: self.of(&[2, 3]), value: 1 }] } else { Vec::new() };
        Thread { round, then }
    }

    /// A thread that looks at what others change.
    fn looking(&mut self) -> Thread {
        let mut then = Vec::new();
        for _ in 0..1 + self.below(4) {
            if self.below(4) == 0 {
                then.push(Step::Store { to: self.of(&[2, 3, 0]), value: self.of(&[1, 3]) });
                continue;
            }
            then.push(Step::Load { from: self.of(&[0, 0, 0, 1, 2, 3]) });
            if self.below(5) < 2 {
                then.push(Step::Expect { value: self.of(&[0, 1, 1]) });
            }
        }
        Thread { round: Vec::new(), then }
    }

    fn program(&mut self) -> Vec<Thread> {
        let mut threads = vec![self.passing()];
        if self.below(4) == 0 {
            threads.push(self.passing());
        }
        let mut raises = vec![Step::Store { to: FLAG, value: 1 }];
        if self.below(3) == 0 {
            raises.insert(0, Step::Load { from: self.of(&[0, 2, 3]) });
        }
        threads.push(Thread { round: Vec::new(), then: raises });
        for _ in 0..1 + self.below(2) {
            threads.push(self.looking());
        }
        for last in (1..threads.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).expect("it is below a usize");
            threads.swap(last, other);
        }
        threads
    }
}

/// The last of these threads sees the first rounds of the loop one by one, before the first can have seen what comes behind them.
fn seen_one_by_one(rounds: usize) -> Vec<Thread> {
    let looks = [1, 0].map(|value| [Step::Load { from: 0 }, Step::Expect { value }]);
    let [change, undo] = [1, 0].map(|value| Step::Store { to: 0, value });
    vec![
        Thread { round: Vec::new(), then: vec![Step::Load { from: 2 }] },
        Thread { round: Vec::new(), then: looks.as_flattened().repeat(rounds) },
        Thread { round: vec![change, Step::Load { from: FLAG }, undo], then: vec![Step::Store { to: 2, value: 1 }] },
        Thread { round: Vec::new(), then: vec![Step::Store { to: FLAG, value: 1 }] },
    ]
}

/// The functions of a program in C, and what `main` does.
fn write(number: usize, threads: &[Thread], into: &mut String, main: &mut String) {
    for (index, thread) in threads.iter().enumerate() {
        let _ = writeln!(into, "static void *p{number}_{index}(void *unused) {{\n    int n = 0;\n    (void)n;");
        let line = |step: &Step, in_round: bool| match *step {
            Step::Store { to, value } => format!("atomic_store(&{}, {value});", PLACES[to]),
            Step::Add { to, value } => format!("atomic_fetch_add(&{}, {value});", PLACES[to]),
            Step::Load { from: FLAG } if in_round => "up_now = atomic_load(&flag);".to_string(),
            Step::Load { from } if in_round => format!("kept = atomic_load(&{});", PLACES[from]),
            Step::StoreKept { to, more } => format!("atomic_store(&{}, kept + {more});", PLACES[to]),
            Step::Load { from } => format!("got[{index}][n++] = atomic_load(&{});", PLACES[from]),
            Step::Expect { value } => format!("if (got[{index}][n - 1] != {value}) return unused;"),
        };
        if !thread.round.is_empty() {
            let round: Vec<String> = thread.round.iter().map(|step| line(step, true)).collect();
            let _ = writeln!(
                into,
                "    long up_now;\n    do {{\nlong kept = 0;\n(void)kept;\n{}\n    }} while (!up_now);",
                round.join("\n")
            );
        }
        let then: Vec<String> = thread.then.iter().map(|step| line(step, false)).collect();
        let _ = writeln!(into, "{}\n    return unused;\n}}", then.join("\n"));
    }
    let each = |what: &dyn Fn(usize) -> String| (0..threads.len()).map(what).collect::<String>();
    let _ = writeln!(
        main,
        "    case {number}:\n{}{}        threads = {};\n        break;",
        each(&|index| format!("        pthread_create(&t[{index}], NULL, p{number}_{index}, NULL);\n")),
        each(&|index| format!("        pthread_join(t[{index}], NULL);\n")),
        threads.len()
    );
}

fn source(programs: &[Vec<Thread>]) -> String {
    let mut text = format!(
        "#include <fencehound.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         static atomic_long {};\nstatic long got[6][{READS}];\n",
        PLACES.join(", ")
    );
    let mut main = String::new();
    for (number, threads) in programs.iter().enumerate() {
        write(number, threads, &mut text, &mut main);
    }
    let _ = writeln!(
        text,
        "int main(int count, char **arguments) {{\n    pthread_t t[6];\n    int threads = 0;\n    unsigned long all = 0;\n    (void)count;\n    \
         for (int i = 0; i < 6 * {READS}; i++)\n        got[i / {READS}][i % {READS}] = {UNREAD};\n    \
         switch (atoi(arguments[1])) {{\n{main}    }}\n    \
         for (int i = 0; i < threads * {READS}; i++)\n        all = all * {FACTOR} + (unsigned long)got[i / {READS}][i % {READS}];\n    \
         fh_observe((long)(all >> 1));\n    return 0;\n}}"
    );
    text
}

#[test]
fn classes_with_rounds_that_are_undone_are_those_of_all_interleavings() {
    let mut random = Random(29);
    let fixed = (1..=3).map(seen_one_by_one);
    let programs: Vec<Vec<Thread>> = fixed.chain((0..PROGRAMS).map(|_| random.program())).collect();
    let bench = Bench::new(&[("programs.c", &source(&programs))]);
    bench.quietly("cc -w programs.c -o programs");
    let mut compared = 0;
    for (number, threads) in programs.iter().enumerate() {
        let Some((outcomes, classes)) = by_force(threads) else { continue };
        let ran = bench.run(&format!(
            "check programs --explorer dpor --monitor none --no-judge --time 60s --json result.json -- {number}"
        ));
        let result: Value = serde_json::from_str(&bench.read("result.json")).unwrap_or_else(|_| panic!("{ran:?}"));
        let found = result["outcomes"].as_array().expect("there are outcomes").iter();
        let found: BTreeSet<i64> = found
            .map(|outcome| {
                outcome.as_str().and_then(|text| text.strip_prefix("main: ")?.parse().ok()).expect("a number")
            })
            .collect();
        assert_eq!(result["verdict"], "clean", "{number}: {threads:?}");
        assert_eq!(found, outcomes, "{number}: {threads:?}");
        assert_eq!(result["executions"], classes, "{number}: {threads:?}");
        compared += 1;
    }
    assert!(compared >= COMPARED, "only {compared} were compared");
}

#[test]
fn rounds_seen_one_by_one_have_sixteen_classes_each_and_two() {
    for rounds in 1..=3 {
        let (_, classes) = by_force(&seen_one_by_one(rounds)).expect("they are few");
        assert_eq!(classes, 16 * rounds + 2);
    }
}
