//! `fencehound fences` on the programs of the papers' experiments (benches/PAPERS.md): the fences found are those that the
//! algorithms are known to need, and no cheaper ones do in the places that the programs number.
//!
//! A fence that a program has in place `n` stands there as `FENCE(n, …)`; without `FENCED` none is there. A gap without a place
//! is given by the lines of the accesses that it is between, `?` for one that is not the same each time.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::bench::Bench;

/// A program, and the fences that it needs under TSO and PSO.
struct Known {
    file: &'static str,
    options: &'static str,
    /// A cheapest set under TSO, and one under PSO: kinds of fences with the numbers of their places.
    tso: &'static [&'static str],
    pso: &'static [&'static str],
    why: &'static str,
}

const PROGRAMS: [Known; 16] = [
    Known {
        file: "mutual-exclusion/dekker.c",
        options: "-DROUNDS=2",
        tso: &["full 1", "full 3"],
        pso: &["full 1", "full 3", "light 4"],
        why: "Store buffering: each time a thread raises its flag it goes on to look at the other's. Lowering it before \
              a wait (2) lets nobody in. Under PSO the next one inside sees the flag down before what was done inside (4).",
    },
    Known {
        file: "mutual-exclusion/bakery.c",
        options: "",
        tso: &["full 1", "full 3"],
        pso: &["full 1", "full 2", "light 4"],
        why: "Who chooses says so before he reads the numbers (1), and shows his own before he looks at the others' (2 or \
              3: either is between the two). Under PSO the number has to be there before `choosing` is over, so only 2 does \
              both. The critical section ends before its number is given back (4).",
    },
    Known {
        file: "mutual-exclusion/peterson.c",
        options: "",
        tso: &["full 2"],
        pso: &["light 1", "full 2", "light 3"],
        why: "The flag and the turn are there before the other's flag is read (2); under PSO in this order (1), and the critical \
              section ends before the flag is lowered (3).",
    },
    Known {
        file: "queues/michael-scott.c",
        options: "",
        tso: &[],
        pso: &["order release at } else if (CAS(&last->next, NULL, node, LINK)) {"],
        why: "A node is written before it is linked, by a compare-and-swap: TSO keeps that order, PSO does not.",
    },
    Known {
        file: "papers/two-lock-queue.c",
        options: "",
        tso: &[],
        pso: &["light 1", "light 2"],
        why: "A node is written before it is linked (1), and the tail before its lock is given back (2), by plain stores.",
    },
    Known {
        file: "papers/two-lock-queue.c",
        options: "-DDEQUEUERS=2",
        tso: &[],
        pso: &["light 1", "light 3"],
        why: "As with one dequeuer; but with one enqueuer nobody else takes the lock of the tail, and two take that of the head (3).",
    },
    Known {
        file: "papers/harris-list.c",
        options: "",
        tso: &[],
        pso: &["light 1"],
        why: "A node is written before it is linked.",
    },
    Known {
        file: "papers/lazy-list.c",
        options: "",
        tso: &[],
        pso: &["light 1"],
        why: "A node is written before it is linked. With one thread that adds, one that removes and one that looks, what the \
              locks protect is not seen in two orders by the end: 2 and 4 are for two that remove.",
    },
    Known {
        file: "papers/take-queue.c",
        options: "",
        tso: &["full 1", "full 2"],
        pso: &["full 1", "full 2", "light 3"],
        why: "THE protocol (Cilk-5): owner and thief each announce with a store what they take, and then look at the other's \
              end. Under PSO a task is there before the tail that shows it (3).",
    },
    Known {
        file: "papers/idle-consumer.c",
        options: "",
        tso: &["full 1", "full 2"],
        pso: &["full 1", "full 2"],
        why: "Figure 4(b) of CAV 2008 is store buffering.",
    },
    Known {
        file: "papers/lamport.c",
        options: "",
        tso: &["full 2", "full 3"],
        pso: &["full 2", "full 3", "light 5"],
        why: "Lamport's fast mutex: x is written before y is read (2), and y before x is read again (3). Under PSO the critical \
              section ends before y and b are given back (5).",
    },
    Known {
        file: "papers/szymanski.c",
        options: "",
        tso: &["full 1", "full 2"],
        pso: &["full 1", "full 2", "light 5"],
        why: "The intention (1) and the door (2) are shown before the other's flag is read. The flags behind the door (2 and 4 of \
              the algorithm) are only waited for: who sees them late waits longer. Under PSO the critical section ends before the \
              flag is lowered (5).",
    },
    Known {
        file: "papers/parker.c",
        options: "",
        tso: &["full 1"],
        pso: &["full 1"],
        why: "The bug of HotSpot's parker (JDK-6822370): the permit is taken by a plain store, behind which `done` is read; who sets \
              `done` takes the mutex before he looks at the permit, which is a full fence.",
    },
    Known {
        file: "papers/pgsql.c",
        options: "",
        tso: &[],
        pso: &["light 3"],
        why: "The work is there before the latch that says so (postgres, 2011); the other two stores are followed by a wait.",
    },
    Known {
        file: "papers/dcl-singleton.c",
        options: "",
        tso: &[],
        pso: &["light 1"],
        why: "Double-checked locking: the object is written before the pointer to it.",
    },
    Known {
        file: "papers/fib-bench.c",
        options: "",
        tso: &["full 1", "full 2"],
        pso: &["full 1", "full 2"],
        why: "Each thread reads the other's number right behind the store to its own, in turns.",
    },
];

fn source(file: &str) -> String {
    fs::read_to_string(format!("{}/../c-tests/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// What JSON says `fences` adds, in the terms of [`Known`]: by the numbered place in the gap, if there is one.
fn named(addition: &Value, lines: &[&str]) -> String {
    let kind = match addition["order"].as_str().unwrap() {
        "memory_order_seq_cst" => "full",
        "memory_order_release" | "memory_order_acq_rel" => "light",
        other => panic!("{other}"),
    };
    let line = |side: &str| addition[side]["line"].as_u64().map(|line| usize::try_from(line).unwrap());
    if let Some(at) = line("at") {
        let order = addition["order"].as_str().unwrap().trim_start_matches("memory_order_");
        return format!("order {order} at {}", lines[at - 1].trim());
    }
    let (after, before) = (line("after"), line("before"));
    let leads = |from: usize, to: usize| from < to && lines[from..to].iter().all(|line| !line.starts_with('}'));
    let places: Vec<(usize, &str)> =
        (1..).zip(lines.iter().map(|line| line.trim())).filter(|(_, line)| line.starts_with("FENCE(")).collect();
    let between = |number: usize| match (after, before) {
        (Some(after), Some(before)) => leads(after, before) && (after..before).contains(&number),
        _ => false,
    };
    // In a gap that leads round a loop, or out of a function, the place is next to either side.
    let find = |is_here: &dyn Fn(usize) -> bool| places.iter().find(|(number, _)| is_here(*number));
    let place = find(&between)
        .or_else(|| find(&|number| Some(number - 1) == after))
        .or_else(|| find(&|number| Some(number + 1) == before));
    if let Some(place) = place.and_then(|(_, line)| line.split(['(', ',']).nth(1)) {
        return format!("{kind} {place}");
    }
    let text = |line: Option<usize>| line.map_or("?", |line| lines[line - 1].trim());
    format!("{kind} between `{}` and `{}`", text(after), text(before))
}

/// All sets that `fences` names, the first one first, and the whole result.
fn found(file: &str, options: &str) -> (Vec<BTreeSet<String>>, Value) {
    let text = source(file);
    let ran = Bench::new(&[("a.c", &text)]).run(&format!("fences a.c {options} --json -"));
    let json: Value = serde_json::from_str(&ran.output).unwrap_or_else(|_| panic!("{ran:?}"));
    let lines: Vec<&str> = text.lines().collect();
    let name = |set: &Value| -> BTreeSet<String> {
        set.as_array().into_iter().flatten().map(|addition| named(addition, &lines)).collect()
    };
    let others = json["others"].as_array().into_iter().flatten().map(name);
    (std::iter::once(name(&json["additions"])).chain(others).collect(), json)
}

/// Fails unless `fences` names this set first, or as one that costs the same.
fn assert_found(file: &str, options: &str, expected: &[&str], why: &str) {
    let (sets, json) = found(file, options);
    let expected: BTreeSet<String> = expected.iter().map(|&one| one.to_string()).collect();
    let verdict = if expected.is_empty() { "clean" } else { "repaired" };
    assert_eq!(json["verdict"], verdict, "{file} {options}: {json}");
    assert!(sets.contains(&expected), "{file} {options}: {sets:#?}\n{why}");
}

#[test]
fn the_fences_found_are_those_known() {
    for Known { file, options, tso, pso, why } in &PROGRAMS {
        assert_found(file, &format!("{options} --model tso"), tso, why);
        assert_found(file, &format!("{options} --model pso"), pso, why);
    }
}

/// What the lazy list's locks protect is seen in two orders, though nothing comes of it where one thread removes.
#[test]
fn the_lazy_list_is_sequentially_consistent_with_the_fences_of_its_locks() {
    let options = "-DOPERATIONS=remove_key,add,remove_key --until sc --model pso";
    let why = "A new node is written before it is linked (1); what add (2) and remove (4) do is there before the locks are free.";
    assert_found("papers/lazy-list.c", options, &["light 1", "light 2", "light 4"], why);
}

/// Execution graphs know no compare-and-swap of two words, which no processor has: the place is named.
#[test]
fn what_cannot_be_proved_is_said() {
    let ran = Bench::new(&[("a.c", &source("papers/snark.c"))]).run("fences a.c --model pso");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(
        ran.verdict().starts_with("incomplete: execution graphs do not support fh_double_compare_and_swap"),
        "{ran:?}"
    );
    assert!(ran.verdict().contains("a.c:67"), "{ran:?}");
}

/// The programs of the POWER paper's table, and their fences under POWER: `full` is `sync`, `light` is `lwsync`.
const POWER: [(&str, &[&str], &str); 14] = [
    (
        "mutual-exclusion/dekker.c",
        &["full 1", "light between `while (flag[other]) { // @look` and `int before = entered; // @read`", "light 4"],
        "Store buffering at the entry; with one round who gives way comes back to nobody (3). What is inside stays behind the \
         look, and in front of the flag's fall.",
    ),
    (
        "papers/lamport.c",
        &["full 2", "full 3", "light between `while (b[i])` and `if (y == me)`", "light 5"],
        "As under PSO; and the wait for the others' b comes before the look at y, and before what is inside.",
    ),
    (
        "mutual-exclusion/peterson.c",
        &["full 1", "full 2", "light between `?` and `int before = entered; // @read`", "light 3"],
        "Flag and turn of one thread against turn and look of the other are the shape R, for which lwsync is too little \
         (R+lwsync+sync is allowed): both gaps have a sync. What is inside stays inside.",
    ),
    (
        "papers/szymanski.c",
        &["full 1", "full 2", "light between `while (*other >= 2)` and `int before = entered;`", "light 5"],
        "As under PSO; and what is inside stays behind the last wait.",
    ),
    (
        "papers/parker.c",
        &["full 1", "full between `done = true;` and `pthread_mutex_lock(&mutex);`"],
        "Store buffering; under POWER a mutex is taken with isync or lwsync, which is no full fence.",
    ),
    ("papers/pgsql.c", &["light 1", "light 3"], "Message passing: the writer's order (3), and the reader's (1)."),
    (
        "papers/dcl-singleton.c",
        &["light 1"],
        "The object before its pointer; who reads the pointer has an address dependency.",
    ),
    ("papers/fib-bench.c", &["full 1", "full 2"], "Store buffering in turns."),
    (
        "papers/fib-bench.c -DOFF_BY_ONE",
        &["full 1", "full 2"],
        "The same, of a program that fails under SC already, but not in as many ways.",
    ),
    ("papers/indexer.c", &[], "Compare-and-swaps decide alone."),
    (
        "papers/last-zero.c",
        &[
            "light between `while (array[at] != 0)` and `?`",
            "light between `array[(intptr_t)at] = array[(intptr_t)at - 1] + 1;` and \
             `array[(intptr_t)at] = array[(intptr_t)at - 1] + 1;`",
        ],
        "Write-to-read causality (WRC): data dependencies are not cumulative, lwsync is; and the seeker's loads stay in order.",
    ),
    ("papers/sigma.c", &[], "It fails under SC, and under POWER in no other way."),
    ("papers/stack.c", &[], "A mutex protects all."),
    ("papers/stack.c -DUNCHECKED", &[], "A mutex protects all, what fails under SC fails likewise."),
];

#[test]
fn the_power_papers_programs_get_their_fences() {
    for (program, expected, why) in POWER {
        let (file, options) = program.split_once(' ').unwrap_or((program, ""));
        assert_found(file, &format!("{options} --model power"), expected, why);
    }
}

/// The name of a shape, the statements of its threads, and the fences that it needs under TSO, PSO, POWER, ARMv8 and RISC-V.
type Shape = (&'static str, &'static [&'static [&'static str]], [&'static str; 5]);

/// The shapes of two to four threads that the literature on POWER names, each with the fences under each model that it is known to
/// need: `f` full, `l` light. ARM and RISC-V show a store to all others at once, so that nothing has to be cumulative there; ARM has no
/// light fence.
const SHAPES: [Shape; 12] = [
    ("MP", &[&["x = 1;", "y = 1;"], &["r1 = y;", "r2 = x;"]], ["", "l", "ll", "ff", "ll"]),
    ("SB", &[&["x = 1;", "r1 = y;"], &["y = 1;", "r2 = x;"]], ["ff", "ff", "ff", "ff", "ff"]),
    ("LB", &[&["r1 = x;", "y = 1;"], &["r2 = y;", "x = 1;"]], ["", "", "ll", "ff", "ll"]),
    ("2+2W", &[&["x = 1;", "y = 2;"], &["y = 1;", "x = 2;"]], ["", "ll", "ll", "ff", "ll"]),
    ("R", &[&["x = 1;", "y = 1;"], &["y = 2;", "r1 = x;"]], ["f", "lf", "ff", "ff", "lf"]),
    ("S", &[&["x = 2;", "y = 1;"], &["r1 = y;", "x = 1;"]], ["", "l", "ll", "ff", "ll"]),
    ("WRC", &[&["x = 1;"], &["r1 = x;", "y = 1;"], &["r2 = y;", "r3 = x;"]], ["", "", "ll", "ff", "ll"]),
    ("ISA2", &[&["x = 1;", "y = 1;"], &["r1 = y;", "z = 1;"], &["r2 = z;", "r3 = x;"]], ["", "l", "lll", "fff", "lll"]),
    ("RWC", &[&["x = 1;"], &["r1 = x;", "r2 = y;"], &["y = 1;", "r3 = x;"]], ["f", "f", "ff", "ff", "lf"]),
    (
        "W+RWC",
        &[&["x = 1;", "y = 1;"], &["r1 = y;", "r2 = z;"], &["z = 1;", "r3 = x;"]],
        ["f", "lf", "lff", "fff", "llf"],
    ),
    (
        "3.SB",
        &[&["x = 1;", "r1 = y;"], &["y = 1;", "r2 = z;"], &["z = 1;", "r3 = x;"]],
        ["fff", "fff", "fff", "fff", "fff"],
    ),
    ("IRIW", &[&["x = 1;"], &["y = 1;"], &["r1 = x;", "r2 = y;"], &["r3 = y;", "r4 = x;"]], ["", "", "ff", "ff", "ll"]),
];

/// A shape's threads, with these fences in their gaps, counted over all threads.
fn shape(threads: &[&[&str]], fences: &[&str]) -> String {
    let mut text = "#include <pthread.h>\nvolatile int x, y, z, r1, r2, r3, r4;\n".to_string();
    let mut fences = fences.iter();
    for (number, statements) in threads.iter().enumerate() {
        text += &format!("static void *f{number}(void *unused) {{\n{}\n", statements[0]);
        for statement in &statements[1..] {
            text += match *fences.next().unwrap_or(&"") {
                "" => "",
                "light" => "__atomic_thread_fence(__ATOMIC_ACQ_REL);\n",
                _ => "__atomic_thread_fence(__ATOMIC_SEQ_CST);\n",
            };
            text += &format!("{statement}\n");
        }
        text += "return unused;\n}\n";
    }
    text += &format!("int main(void) {{\npthread_t t[{}];\n", threads.len());
    for number in 0..threads.len() {
        text += &format!("pthread_create(&t[{number}], 0, f{number}, 0);\n");
    }
    text + &format!("for (int i = 0; i < {}; i++)\npthread_join(t[i], 0);\nreturn 0;\n}}\n", threads.len())
}

/// Under each model the fences found cost what those known cost, and brute force finds none that cost less.
#[test]
fn shapes_get_the_fences_that_the_literature_knows() {
    for (name, threads, all) in SHAPES {
        let (all_kinds, full): (&[&str], &[&str]) = (&["", "light", "full"], &["", "full"]);
        let models = [("tso", full), ("pso", all_kinds), ("power", all_kinds), ("armv8", full), ("riscv", all_kinds)];
        for ((model, kinds), known) in models.into_iter().zip(all) {
            let kind = |letter| if letter == 'f' { "full" } else { "light" };
            let least: u64 = known.chars().map(|letter| cost_under(model, kind(letter))).sum();
            let ran = Bench::new(&[("a.c", &shape(threads, &[]))]).run(&format!("fences a.c --model {model} --json -"));
            let json: Value = serde_json::from_str(&ran.output).unwrap_or_else(|_| panic!("{ran:?}"));
            assert_eq!(json["cost"].as_u64().unwrap_or(0), least, "{name} {model}: {json}");
            let gaps = threads.iter().map(|statements| statements.len() - 1).sum();
            // Of more threads that would be another hundred searches.
            if threads.len() > 2 && matches!(model, "armv8" | "riscv") {
                continue;
            }
            for set in largest_below(least, gaps, model, kinds) {
                let bench = Bench::new(&[("a.c", &shape(threads, &set))]);
                let ran = bench.run(&format!("check a.c --model {model} --monitor none --no-advice"));
                assert_eq!(ran.status, 1, "{name} {model} {set:?}: {ran:?}");
            }
        }
    }
}

/// The cost of a fence on the machines of a model.
fn cost_under(model: &str, kind: &str) -> u64 {
    match (kind, model) {
        ("", _) => 0,
        ("light", "power") => 20,
        ("light", _) => 10,
        (_, "power") => 50,
        (_, "armv8" | "riscv") => 20,
        _ => 33,
    }
}

/// Sets of fences in the numbered places by kind, `""` for none, that cost less than `limit`: the largest ones.
fn largest_below(limit: u64, places: usize, model: &str, kinds: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
    for _ in 0..places {
        all = all.iter().flat_map(|set| kinds.iter().map(|&kind| [&set[..], &[kind]].concat())).collect();
    }
    let cost = |kind: &str| cost_under(model, kind);
    all.retain(|set| set.iter().map(|kind| cost(kind)).sum::<u64>() < limit);
    let is_part = |one: &[&str], other: &[&str]| one.iter().zip(other).all(|(one, other)| cost(one) <= cost(other));
    let is_largest = |set: &&Vec<&'static str>| !all.iter().any(|other| other != *set && is_part(set, other));
    all.iter().filter(is_largest).cloned().collect()
}

/// The program with fences in its numbered places.
fn with_fences(text: &str, set: &[&str]) -> String {
    let bits =
        |kind: &str| (1..).zip(set).filter(|(_, one)| **one == kind).map(|(place, _)| 1_u32 << place).sum::<u32>();
    let define = "#define FENCE(number, order) ((FENCES >> (number) & 1) ? atomic_thread_fence(order) : (void)0)";
    assert!(text.contains(define));
    let chosen = format!(
        "#define FENCE(number, order) ({} >> (number) & 1 ? atomic_thread_fence(memory_order_seq_cst) : \
         {} >> (number) & 1 ? atomic_thread_fence(memory_order_release) : (void)0)",
        bits("full"),
        bits("light")
    );
    text.replace(define, &chosen)
}

/// The number of the highest numbered place.
fn places(text: &str) -> usize {
    let places = text.lines().filter_map(|line| line.trim().strip_prefix("FENCE(")?.split(',').next()?.parse().ok());
    places.max().unwrap_or(0)
}

/// Brute force: no set of fences in numbered places that costs less than the known one makes the program right, counting each
/// place once. The fences are compiled in, so nothing of what `fences` goes by takes part.
#[test]
fn no_cheaper_set_of_numbered_places_is_right() {
    for known in &PROGRAMS {
        let text = source(known.file);
        let kinds: [(&str, &[&str], &[&str]); 2] =
            [("tso", known.tso, &["", "full"]), ("pso", known.pso, &["", "light", "full"])];
        for (model, expected, kinds) in kinds {
            let of_numbered = expected.iter().all(|one| one.split(' ').count() == 2);
            let limit = expected.iter().map(|one| cost_under(model, one.split(' ').next().unwrap())).sum();
            let most = if of_numbered { places(&text) } else { 0 };
            for set in largest_below(limit, most, model, kinds) {
                let text = if most > 0 { with_fences(&text, &set) } else { text.clone() };
                let bench = Bench::new(&[("a.c", &text)]);
                let line = format!("check a.c {} --model {model} --monitor none --no-advice", known.options);
                let mut ran = bench.run(&line);
                if ran.status == 3 {
                    // Loops may go on for ever without fences: what is wrong is found within a few rounds.
                    ran = bench.run(&format!("{line} --unroll 4"));
                }
                assert_eq!(ran.status, 1, "{} {model} {set:?}: {ran:?}", known.file);
            }
        }
    }
}
