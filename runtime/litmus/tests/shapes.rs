//! The classic shapes as litmus tests, each with a count that follows by argument, and the programs of the paper on
//! POWER (004-abdulla-cav16) with the counts that it gives.

use std::collections::BTreeSet;

use engine::explore::rsmc::{self, Continue, Counts};
use engine::graph::trace::Relations;
use engine::model::Model;
use engine::model::cb0::PowerByDependencies;
use engine::model::power::Power;
use litmus::condition::Observation;
use litmus::graphs::{MemoryModel, Outcome, Threads, explore};
use litmus::outcomes::Outcomes;
use litmus::parse::parse;

const MODELS: [MemoryModel; 4] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power];

fn run(text: &str, model: MemoryModel) -> (Counts, Outcomes) {
    let test = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut outcomes = Outcomes::default();
    let (counts, result) = explore(&test, model, 1000, &mut |finished| {
        let Outcome::Final(state) = finished.outcome else { panic!("a loop without an access") };
        outcomes.count(&test, &state);
        Continue::Yes
    });
    assert_eq!(result, Ok(()));
    (counts, outcomes)
}

/// A test for POWER from its columns: r10 holds x, r11 y, r12 z, and r9 the value 1.
fn power(columns: &[&str], condition: &str) -> String {
    let mut text = "PPC shape\n{".to_owned();
    for thread in 0..columns.len() {
        text += &format!(" {thread}:r10=x; {thread}:r11=y; {thread}:r12=z; {thread}:r9=1;");
    }
    text += " }\n";
    let heads: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    text += &format!("{} ;\n", heads.join(" | "));
    let cells: Vec<Vec<&str>> = columns.iter().map(|column| column.split("; ").collect()).collect();
    for row in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
        let row: Vec<&str> = cells.iter().map(|column| column.get(row).copied().unwrap_or("")).collect();
        text += &format!("{} ;\n", row.join(" | "));
    }
    text + "exists " + condition + "\n"
}

/// The weak outcome is the only one that is not sequentially consistent, so a model has three executions or four.
fn four_outcomes(columns: &[&str; 2], condition: &str, weak: [bool; 4]) {
    let text = power(columns, condition);
    for (model, weak) in MODELS.into_iter().zip(weak) {
        let (counts, outcomes) = run(&text, model);
        assert_eq!(counts.executions, 3 + u64::from(weak), "{model:?}\n{text}");
        let observation = if weak { Observation::Sometimes } else { Observation::Never };
        assert_eq!(outcomes.observation(), observation, "{model:?}\n{text}");
    }
}

#[test]
fn store_buffering() {
    let weak = "(0:r1=0 /\\ 1:r1=0)";
    four_outcomes(&["stw r9,0(r10); lwz r1,0(r11)", "stw r9,0(r11); lwz r1,0(r10)"], weak, [false, true, true, true]);
    let fenced = ["stw r9,0(r10); sync; lwz r1,0(r11)", "stw r9,0(r11); sync; lwz r1,0(r10)"];
    four_outcomes(&fenced, weak, [false; 4]);
    let light = ["stw r9,0(r10); lwsync; lwz r1,0(r11)", "stw r9,0(r11); lwsync; lwz r1,0(r10)"];
    four_outcomes(&light, weak, [false, true, true, true]);
}

#[test]
fn message_passing() {
    let weak = "(1:r1=1 /\\ 1:r2=0)";
    let reader = "lwz r1,0(r11); lwz r2,0(r10)";
    four_outcomes(&["stw r9,0(r10); stw r9,0(r11)", reader], weak, [false, false, true, true]);
    // A barrier between the stores is all that PSO needs; POWER wants the loads ordered, too.
    four_outcomes(&["stw r9,0(r10); lwsync; stw r9,0(r11)", reader], weak, [false, false, false, true]);
    let dependent = "lwz r1,0(r11); xor r3,r1,r1; lwzx r2,r3,r10";
    four_outcomes(&["stw r9,0(r10); lwsync; stw r9,0(r11)", dependent], weak, [false; 4]);
    let synchronized = "lwz r1,0(r11); cmpw r1,r1; beq L; L: isync; lwz r2,0(r10)";
    four_outcomes(&["stw r9,0(r10); lwsync; stw r9,0(r11)", synchronized], weak, [false; 4]);
    let branch = "lwz r1,0(r11); cmpw r1,r1; beq L; L: lwz r2,0(r10)";
    four_outcomes(&["stw r9,0(r10); lwsync; stw r9,0(r11)", branch], weak, [false, false, false, true]);
}

#[test]
fn load_buffering() {
    let weak = "(0:r1=1 /\\ 1:r1=1)";
    let free = ["lwz r1,0(r10); stw r9,0(r11)", "lwz r1,0(r11); stw r9,0(r10)"];
    four_outcomes(&free, weak, [false, false, false, true]);
    let data = "xor r3,r1,r1; addi r3,r3,1";
    let bound = [&*format!("lwz r1,0(r10); {data}; stw r3,0(r11)"), &*format!("lwz r1,0(r11); {data}; stw r3,0(r10)")];
    four_outcomes(&bound, weak, [false; 4]);
}

#[test]
fn two_stores_each() {
    let weak = "(x=2 /\\ y=2)";
    let stores = ["li r8,2; stw r8,0(r10); stw r9,0(r11)", "li r8,2; stw r8,0(r11); stw r9,0(r10)"];
    four_outcomes(&stores, weak, [false, false, true, true]);
}

/// Coherence holds everywhere: the second of two loads does not go back.
#[test]
fn reads_of_one_location() {
    let text = power(&["stw r9,0(r10)", "lwz r1,0(r10); lwz r2,0(r10)"], "(1:r1=1 /\\ 1:r2=0)");
    for model in MODELS {
        let (counts, outcomes) = run(&text, model);
        assert_eq!((counts.executions, outcomes.observation()), (3, Observation::Never));
    }
}

/// Sixteen outcomes; POWER forbids the contradicting one only with full fences between the loads.
#[test]
fn independent_reads_of_independent_writes() {
    let weak = "(2:r1=1 /\\ 2:r2=0 /\\ 3:r1=1 /\\ 3:r2=0)";
    for (fence, expected) in [("", [15, 15, 15, 16]), ("lwsync; ", [15, 15, 15, 16]), ("sync; ", [15; 4])] {
        let readers = [format!("lwz r1,0(r10); {fence}lwz r2,0(r11)"), format!("lwz r1,0(r11); {fence}lwz r2,0(r10)")];
        let text = power(&["stw r9,0(r10)", "stw r9,0(r11)", &readers[0], &readers[1]], weak);
        for (model, expected) in MODELS.into_iter().zip(expected) {
            let (counts, outcomes) = run(&text, model);
            assert_eq!(counts.executions, expected, "{model:?}\n{text}");
            assert_eq!(outcomes.positive, expected - 15);
        }
    }
}

/// Figures 2 and 9 of the paper.
#[test]
fn the_papers_small_programs() {
    let (counts, _) = run(
        &power(&["lwz r1,0(r10); addi r2,r1,1; stw r2,0(r11)", "lwz r1,0(r11); stw r9,0(r10)"], "(x=1)"),
        MemoryModel::Power,
    );
    assert_eq!(counts.executions, 4);
    // Two orders of the stores, three values for the load.
    let (counts, _) = run(&power(&["lwz r1,0(r10)", "stw r9,0(r10)", "stw r9,0(r10)"], "(x=1)"), MemoryModel::Power);
    assert_eq!(counts.executions, 6);
}

fn relations<M: Model<1>>(text: &str) -> (Counts, BTreeSet<Relations>) {
    let test = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let threads = Threads { test: &test, model: MemoryModel::Power, accesses: 62 };
    let mut all = BTreeSet::new();
    let (counts, result) = rsmc::explore::<1, M, _>(&threads, &mut |execution| {
        assert!(all.insert(execution.trace.relations()), "an execution twice\n{text}");
        Continue::Yes
    });
    assert_eq!(result, Ok(()));
    (counts, all)
}

/// Figure 5: by cb0, the store of 2 may be committed first, before the store of 3 in coherence order. Then the store of
/// what was read comes before both, but if it read 1, the full fence puts it behind the store of 3: it has no place.
#[test]
fn the_papers_deadlock() {
    let columns =
        ["lwz r1,0(r11); stw r1,0(r10); li r2,2; stw r2,0(r10)", "li r3,3; stw r3,0(r10); sync; stw r9,0(r11)"];
    let text = power(&columns, "(x=1)");
    let (counts, traces) = relations::<Power<1>>(&text);
    assert_eq!((counts.blocked, counts.executions), (0, 4));
    // The store of 2 comes behind that of what was read. The store of 3 may have three places among them, if the load
    // reads 0, and one if it reads 1.
    let (weaker, weaker_traces) = relations::<PowerByDependencies<1>>(&text);
    assert!(weaker.blocked > 0);
    assert_eq!(weaker_traces, traces);
}

/// Where it does not block, the weaker order gives the same traces, once each.
#[test]
fn both_commit_before_orders_give_the_same_traces() {
    for fence in ["", "lwsync; ", "eieio; ", "sync; "] {
        for dependent in ["xor r3,r1,r1; lwzx r2,r3,r10", "cmpw r1,r1; beq L; L: isync; lwz r2,0(r10)", "lwz r2,0(r10)"]
        {
            let writer = format!("stw r9,0(r10); {fence}stw r9,0(r11)");
            let text = power(&[&writer, &format!("lwz r1,0(r11); {dependent}")], "(1:r1=1 /\\ 1:r2=0)");
            let (_, traces) = relations::<Power<1>>(&text);
            let (_, weaker) = relations::<PowerByDependencies<1>>(&text);
            assert_eq!(weaker, traces, "{text}");
        }
    }
}

/// Figure 11. With fences, at most one of the threads gets to its ten stores. Without them both may, and their stores
/// come in C(20, 10) orders: three executions in which a thread leaves, and 184756.
#[test]
fn the_papers_critical_section() {
    let text = |fence: &str| {
        let stores = ["stw r9,0(r12)"; 10].join("; ");
        let thread = |own: &str, other: &str| {
            format!("stw r9,0({own}); {fence}lwz r1,0({other}); cmpwi r1,1; beq L; {stores}; L:")
        };
        power(&[&thread("r10", "r11"), &thread("r11", "r10")], "(0:r1=0 /\\ 1:r1=0)")
    };
    let (counts, _) = run(&text("sync; "), MemoryModel::Power);
    assert_eq!(counts.executions, 3);
    let (counts, outcomes) = run(&text(""), MemoryModel::Power);
    assert_eq!((counts.executions, outcomes.positive), (184_759, 184_756));
}

/// A lock that is taken by an exchange is had by one thread alone.
#[test]
fn locked_instructions() {
    let text = "X86 updates\n{ y=5; }\n P0 | P1 ;\n MOV EAX,$1 | MOV EAX,$1 ;\n XCHG [x],EAX | XCHG [x],EAX ;\n \
                LOCK INC [y] | LOCK XADD [y],EBX ;\n exists (0:EAX=0 /\\ 1:EAX=0)\n";
    for model in MODELS {
        let (counts, outcomes) = run(text, model);
        // Either order at x, and either at y: who is first at x need not be first at y.
        assert_eq!(counts.executions, 4, "{model:?}");
        assert_eq!(outcomes.observation(), Observation::Never);
        assert!(outcomes.states.keys().all(|state| state.contains(&6)));
    }
}

/// One of two compare-and-exchanges from 0 finds it, the other one what the first one wrote.
#[test]
fn compare_and_exchange() {
    let text = "X86 cas\n{ 0:EBX=1; 1:EBX=2; }\n P0 | P1 ;\n LOCK CMPXCHG [x],EBX | LOCK CMPXCHG [x],EBX ;\n \
                exists ((0:EAX=0 /\\ 1:EAX=1 /\\ x=1) \\/ (0:EAX=2 /\\ 1:EAX=0 /\\ x=2))\n";
    for model in MODELS {
        let (counts, outcomes) = run(text, model);
        assert_eq!((counts.executions, outcomes.observation()), (2, Observation::Always), "{model:?}");
    }
}

/// A test in C with x and y, atomic, and z, which is not.
fn c(threads: &[&str], condition: &str) -> String {
    let functions: Vec<String> = threads
        .iter()
        .enumerate()
        .map(|(number, body)| format!("P{number} (atomic_int *x, atomic_int* y, volatile int* z) {{ {body} }}\n"))
        .collect();
    format!("C shape\n{{ [x]=0; }}\n{}exists {condition}\n", functions.concat())
}

fn counts(text: &str, expected: [u64; 4]) {
    for (model, expected) in MODELS.into_iter().zip(expected) {
        assert_eq!(run(text, model).0.executions, expected, "{model:?}\n{text}");
    }
}

/// Two loads with two stores each to read from make four executions, one of which is relaxed.
#[test]
fn message_passing_in_c() {
    let text = |release: &str, acquire: &str| {
        let writer = format!("*z = 1; // data\n atomic_store_explicit(x, 1, memory_order_{release});");
        let reader = format!("int r0 = atomic_load_explicit(x, memory_order_{acquire}); /* flag */ int r1 = *z;");
        c(&[&writer, &reader], "(1:r0=1 /\\ 1:r1=0)")
    };
    counts(&text("relaxed", "relaxed"), [3, 3, 4, 4]);
    counts(&text("release", "relaxed"), [3, 3, 3, 4]);
    counts(&text("release", "acquire"), [3, 3, 3, 3]);
    counts(&text("seq_cst", "seq_cst"), [3, 3, 3, 3]);
    let guarded = "int r0 = atomic_load_explicit(x, memory_order_acquire); if (r0 == 1) { int r1 = *z; }";
    let writer = "*z = 1; atomic_store_explicit(x, 1, memory_order_release);";
    // Without the flag, or with it and the data.
    counts(&c(&[writer, guarded], "(1:r0=1)"), [2, 2, 2, 2]);
}

#[test]
fn store_buffering_in_c() {
    let text = |order: &str, between: &str| {
        let thread = |own: &str, other: &str| {
            format!(
                "atomic_store_explicit({own}, 1, {order}); {between} int r = atomic_load_explicit({other}, {order});"
            )
        };
        c(&[&thread("x", "y"), &thread("y", "x")], "(0:r=0 /\\ 1:r=0)")
    };
    counts(&text("memory_order_relaxed", ""), [3, 4, 4, 4]);
    counts(&text("memory_order_seq_cst", ""), [3, 3, 3, 3]);
    counts(&text("memory_order_relaxed", "atomic_thread_fence(memory_order_acq_rel);"), [3, 4, 4, 4]);
    counts(&text("memory_order_relaxed", "atomic_thread_fence(memory_order_seq_cst);"), [3, 3, 3, 3]);
    let plain = c(&["*x = 1; int r = *y;", "*y = 1; int r = *x;"], "(0:r=0 /\\ 1:r=0)");
    counts(&plain, [3, 3, 3, 3]);
}

#[test]
fn read_modify_writes_in_c() {
    // Two increments come in either order; their results are all values below the end.
    let adds = c(
        &["int r = atomic_fetch_add(x, 2);", "int r = atomic_fetch_add_explicit(x, 2, memory_order_relaxed);"],
        "(0:r=0 /\\ 1:r=2 /\\ x=4)",
    );
    counts(&adds, [2; 4]);
    assert_eq!(run(&adds, MemoryModel::Power).1.positive, 1);
    // One of two exchanges finds what the other one put.
    let exchanges = c(&["int r = atomic_exchange(x, 1);", "int r = atomic_exchange(x, 2);"], "(0:r=2 /\\ 1:r=0)");
    assert_eq!(run(&exchanges, MemoryModel::Power).1.positive, 1);
    // One compare-and-exchange succeeds; the other one is told what it found, and tries again with that.
    let body = |new: u32| {
        format!(
            "int e = 0; while (!atomic_compare_exchange_strong_explicit(x, &e, e + {new}, memory_order_acq_rel, \
             memory_order_relaxed)) ;"
        )
    };
    let swaps = c(&[&body(1), &body(10)], "(x=11 /\\ ((0:e=0 /\\ 1:e=1) \\/ (0:e=10 /\\ 1:e=0)))");
    for model in MODELS {
        let (counts, outcomes) = run(&swaps, model);
        assert_eq!((counts.executions, outcomes.observation()), (2, Observation::Always), "{model:?}");
    }
}

/// The conditions under which a compare-and-exchange that fails synchronises are its second order.
#[test]
fn a_failed_compare_and_exchange_orders_by_its_second_order() {
    let text = |failure: &str| {
        let reader = format!(
            "int e = 5; int s = atomic_compare_exchange_strong_explicit(x, &e, 7, memory_order_acquire, \
             memory_order_{failure}); int r = *z;"
        );
        c(&["*z = 1; atomic_store_explicit(x, 1, memory_order_release);", &reader], "(1:e=1 /\\ 1:r=0)")
    };
    assert_eq!(run(&text("relaxed"), MemoryModel::Power).1.observation(), Observation::Sometimes);
    assert_eq!(run(&text("acquire"), MemoryModel::Power).1.observation(), Observation::Never);
    counts(&text("relaxed"), [3, 3, 3, 4]);
    counts(&text("acquire"), [3, 3, 3, 3]);
}

#[test]
fn operators_in_c() {
    let cases = [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("7 / 2", 3),
        ("-3 + 5", 2),
        ("!0 + !4", 1),
        ("~0 + 1", 0),
        ("1 << 3 >> 1", 4),
        ("3 < 4", 1),
        ("4 > 3 && 3 >= 3", 1),
        ("0 || 2", 1),
        ("6 & 3 | 8 ^ 9", 3),
        ("5 == 5 != 0", 1),
    ];
    for (expression, value) in cases {
        let text = c(&[&format!("int r = {expression};")], &format!("(0:r={value})"));
        assert_eq!(run(&text, MemoryModel::Sc).1.positive, 1, "{expression}");
    }
}

/// What is nested without end takes no stack.
#[test]
fn what_is_nested_too_deeply_is_refused() {
    let condition = |text: &str| format!("X86 a\n{{}}\nP0 ;\nNOP ;\nexists {text}");
    let body = |text: &str| format!("C a\n{{}}\nP0(atomic_int *x) {{ int r = 0; {text}");
    let many = |text: &str| text.repeat(100_000);
    let deep = "nested deeper than 100 times";
    let cases = [
        (condition(&many("(")), deep),
        (condition(&many("~")), deep),
        (condition(&many("x=1 => ")), deep),
        (body(&format!("r = {}", many("("))), deep),
        (body(&format!("r = {}", many("!"))), deep),
        (body(&format!("r = 1{}", many(" + 1"))), "a statement with more than 1000 operands"),
        (body(&many("{")), deep),
        (body(&many("if (1) ")), deep),
    ];
    for (text, message) in cases {
        let error = parse(&text).expect_err("it cannot be read").to_string();
        assert!(error.contains(message), "{error}");
    }
    // As many as a person writes, and more.
    let conjunction = vec!["x=0"; 5000].join(" /\\ ");
    assert!(parse(&condition(&format!("({conjunction})"))).is_ok());
    assert!(parse(&format!("{} r = {}1{}; }}\nexists (x=0)", body(""), "(".repeat(40), ")".repeat(40))).is_ok());
}

/// A fence is no access: a loop of fences never ends, and shows itself.
#[test]
fn a_loop_of_fences_has_no_end() {
    let test = parse("X86 a\n{}\nP0 ;\nL: MFENCE ;\nJMP L ;\nexists (x=1)").unwrap();
    for model in MODELS {
        let mut outcomes = Vec::new();
        let (counts, result) = explore(&test, model, 1000, &mut |finished| {
            outcomes.push(finished.outcome);
            Continue::Yes
        });
        assert_eq!((counts.executions, result), (1, Ok(())));
        assert!(matches!(outcomes[..], [Outcome::Endless { thread: 0, .. }]), "{outcomes:?}");
    }
}

#[test]
fn what_of_c_cannot_be_read_is_refused_where_it_stands() {
    let cases = [
        ("P0 (__int128_t* x) { }", "3:5: the type `__int128_t` is not supported"),
        ("P0 (int x) { }", "3:9: a parameter that is no pointer"),
        ("P1 (int* x) { }", "3:1: this thread must be P0"),
        ("P0 (int* x) { *y = 1; }", "3:16: `y` is no parameter"),
        ("P0 (int* x) { r = 1; }", "3:15: `r` is no local variable"),
        ("P0 (int* x) { frob(x); }", "3:15: the function `frob` is not supported"),
        ("P0 (int* x) { int r = 1 && *x; }", "3:28: an access behind `&&` or `||`"),
        ("P0 (int* x) { atomic_load_explicit(x, strong); }", "3:39: `strong` is no memory order"),
    ];
    for (program, message) in cases {
        let text = format!("C a\n{{}}\n{program}\nexists (x=1)\n");
        let error = parse(&text).err().unwrap_or_else(|| panic!("{text:?} was read")).to_string();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
}

/// A thread that waits for a flag in a loop has no end to its executions: the limit says so.
#[test]
fn a_loop_reaches_the_limit() {
    let text = "X86 spin\n{}\n P0 | P1 ;\n MOV [x],$1 | L: MOV EAX,[x] ;\n | CMP EAX,$1 ;\n | JNE L ;\n exists (x=1)\n";
    let test = parse(text).unwrap();
    let (_, result) = explore(&test, MemoryModel::Power, 20, &mut |_| Continue::Yes);
    assert!(result.is_err());
}

#[test]
fn what_cannot_be_read_is_refused_where_it_stands() {
    let cases = [
        ("", "1:1: a litmus test starts with its architecture and its name"),
        ("ARM a\n{}", "1:1: tests for `ARM` are not supported"),
        ("X86", "1:1: the name of the test is missing"),
        ("X86 a\n", "2:1: the initial state in braces is missing"),
        ("X86 a\n{ x=1\n", "2:1: this brace is not closed"),
        ("X86 a\n{ x=; }\n", "2:5: a number is missing before `;`"),
        ("X86 a\n{ int x[2]; }\n", "2:7: `x` is an array"),
        ("X86 a\n{}\nP1 ;\nexists (x=1)", "3:1: this column must be headed P0"),
        ("X86 a\n{}\nP0 ;\nMOV [x],$1 | NOP ;\nexists (x=1)", "4:14: this row has more columns"),
        ("X86 a\n{}\nP0 ;\nMOV [x],$1", "4:11: this row does not end with `;`"),
        ("X86 a\n{}\nP0 ;\nMOV [x],[y] ;\nexists (x=1)", "4:1: an instruction has at most one operand in memory"),
        ("X86 a\n{}\nP0 ;\nJMP L ;\nexists (x=1)", "4:5: there is no label `L`"),
        ("X86 a\n{}\nP0 ;\nNOP ;\n", "5:1: a condition is missing"),
        ("X86 a\n{}\nP0 ;\nNOP ;\nexists (x=1", "5:12: `)` is missing before the end"),
        ("X86 a\n{}\nP0 ;\nNOP ;\nexists (3:EAX=1)", "5:11: there is no thread 3"),
        ("X86 a\n{}\nP0 ;\nNOP ;\nexists (x=1) x", "5:14: the end is missing before `x`"),
        ("PPC a\n{}\nP0 ;\nlwarx r1,0,r2 ;\nexists (x=1)", "4:1: a `lwarx` without its `stwcx.`"),
        ("PPC a\n{}\nP0 ;\nstwcx. r1,0,r2 ;\nexists (x=1)", "4:1: a `stwcx.` without its `lwarx`"),
        ("PPC a\n{ 1:r1=x; }\nP0 ;\nnop ;\nexists (x=1)", "2:3: thread 1 has no column"),
    ];
    for (text, message) in cases {
        let error = parse(text).err().unwrap_or_else(|| panic!("{text:?} was read")).to_string();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
}
