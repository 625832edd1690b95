//! What `fencehound check` says to do about findings: it does what it says, and nothing is said that was not tried.

use serde_json::Value;

use crate::bench::{Bench, Ran};

/// Threads that run these functions at a time, each a text of its own lines; main waits for them and ends with `last`.
fn program(shared: &str, functions: &[&str], last: &str) -> String {
    let mut text = format!("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n{shared}\n");
    for (number, body) in functions.iter().enumerate() {
        text += &format!("static void *f{number}(void *unused) {{\n{body}\nreturn unused;\n}}\n");
    }
    let count = functions.len();
    text += &format!("int main(void) {{\npthread_t t[{count}];\n");
    for number in 0..count {
        text += &format!("pthread_create(&t[{number}], 0, f{number}, 0);\n");
    }
    text + &format!("for (int i = 0; i < {count}; i++)\npthread_join(t[i], 0);\n{last}\nreturn 0;\n}}\n")
}

/// The lines that a finding has to say of what to do, by the id of each.
fn helps(ran: &Ran) -> Vec<(String, Vec<String>)> {
    let json: Value = serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let help = |violation: &Value| {
        let lines = violation["help"]["text"].as_array().into_iter().flatten();
        let lines = lines.map(|line| line.as_str().unwrap().to_string()).collect();
        (violation["id"].as_str().unwrap().to_string(), lines)
    };
    json["violations"].as_array().unwrap().iter().map(help).collect()
}

fn check(text: &str, options: &str) -> Ran {
    Bench::new(&[("a.c", text)]).run(&format!("check a.c --json - {options}"))
}

/// The program with the fences that findings of this model name.
fn with_fences(text: &str, ran: &Ran, model: &str) -> String {
    let json: Value = serde_json::from_str(&ran.output).unwrap();
    let of_model = json["violations"].as_array().unwrap().iter().filter(|violation| violation["model"] == model);
    let fences = of_model.flat_map(|violation| violation["help"]["fences"].as_array().into_iter().flatten());
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for fence in fences {
        let after = usize::try_from(fence["after"]["line"].as_u64().unwrap()).unwrap() - 1;
        let call = format!(" atomic_thread_fence({});", fence["order"].as_str().unwrap());
        if !lines[after].ends_with(&call) {
            lines[after].push_str(&call);
        }
    }
    lines.join("\n") + "\n"
}

/// Two pairs of flags, of which the second one leads to no failure, and a flag that is published too early.
fn several() -> String {
    program(
        "volatile int x, y, u, v;\nint r1, r2, s1, s2, data;\nstatic atomic_int ready;",
        &[
            "x = 1;\nr1 = y;",
            "y = 1;\nr2 = x;",
            "u = 1;\ns1 = v;\ndata = 7;\natomic_store_explicit(&ready, 1, memory_order_relaxed);",
            "v = 1;\ns2 = u;\nif (atomic_load_explicit(&ready, memory_order_acquire))\nassert(data == 7);",
        ],
        "assert(r1 || r2);",
    )
}

#[test]
fn each_finding_names_what_it_needs_and_no_more() {
    let text = several();
    let ran = check(&text, "");
    let (first, second) =
        ("a.c:8 and a.c:9, and between a.c:13 and a.c:14,", "a.c:18 and a.c:19, and between a.c:25 and a.c:26,");
    let all = helps(&ran);
    for (id, words) in [
        ("tso-assertion-1", format!("full fences between {first} forbid this")),
        ("pso-assertion-2", format!("full fences between {first} forbid this")),
        ("tso-1", format!("full fences between {first} forbid this")),
        ("tso-2", format!("full fences between {second} forbid this")),
        // A thread that fails goes no further, so this one has an execution with fewer accesses.
        ("pso-assertion-1", "a release fence between a.c:20 and a.c:21 forbids this".to_string()),
    ] {
        let (_, lines) = all.iter().find(|(other, _)| other == id).unwrap_or_else(|| panic!("no {id}: {all:?}"));
        assert_eq!(lines.first(), Some(&words), "{id}: {all:?}");
    }
    // Where all accesses are atomic, or enough of them are, orders do as well.
    let (_, lines) = all.iter().find(|(id, _)| id == "pso-assertion-1").unwrap();
    assert_eq!(lines[1..], ["or memory_order_release for the store of ready at a.c:21"]);
}

#[test]
fn the_fences_that_are_named_make_the_program_clean() {
    let text = several();
    let ran = check(&text, "");
    assert_eq!(ran.status, 1, "{ran:?}");
    for model in ["tso", "pso"] {
        let repaired = with_fences(&text, &ran, model);
        assert_ne!(repaired, text);
        let again = check(&repaired, &format!("--monitor {model}"));
        assert_eq!(again.status, 0, "{model}:\n{repaired}\n{again:?}");
    }
}

#[test]
fn atomic_accesses_may_be_stronger_instead() {
    let atomics = "static atomic_int x, y;\nint r1, r2;\n#define ST(at) atomic_store_explicit(&(at), 1, memory_order_relaxed)\n\
                   #define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)";
    let text = program(atomics, &["ST(x);\nr1 = LD(y);", "ST(y);\nr2 = LD(x);"], "assert(r1 || r2);");
    let bench = Bench::new(&[("a.c", &text)]);
    let ran = bench.run("check a.c --monitor tso");
    let help = "\n  help: full fences between a.c:9 and a.c:10, and between a.c:14 and a.c:15, forbid this\n        \
                or memory_order_seq_cst for the store of x at a.c:9 and the store of y at a.c:14\n\n  replay: ";
    assert_eq!(ran.output.matches(help).count(), 3, "{}", ran.output);
    // It is kept with the finding.
    let ran = bench.run("replay fencehound-out/tso-1");
    assert!(ran.output.contains(help.trim_end_matches("\n  replay: ")), "{}", ran.output);
}

#[test]
fn unjudged_violations_say_what_makes_the_program_sequentially_consistent() {
    let text = program("volatile int x, y;", &["x = 1;\n(void)y;", "y = 1;\n(void)x;"], "");
    assert!(helps(&check(&text, "")).iter().all(|(_, lines)| lines.is_empty()));
    for option in ["--strict", "--no-judge"] {
        let all = helps(&check(&text, option));
        let words = "full fences between a.c:6 and a.c:7, and between a.c:11 and a.c:12, forbid this";
        assert!(all.len() == 4 && all.iter().all(|(_, lines)| lines == &[words]), "{option}: {all:?}");
    }
}

#[test]
fn nothing_is_named_that_was_not_tried() {
    // Execution graphs do not know accesses of several widths to a place.
    let mixed = "union { volatile int whole; volatile char part; } x;\nvolatile int y;\nint r1, r2;";
    let text = program(mixed, &["x.part = 1;\nr1 = y;", "y = 1;\nr2 = x.whole;"], "assert(r1 || r2);");
    let all = helps(&check(&text, "--monitor tso"));
    let unknown = "which fences forbid this is not known: execution graphs do not support ";
    assert!(!all.is_empty() && all.iter().all(|(_, lines)| lines[0].starts_with(unknown)), "{all:?}");
    let text = several();
    let all = helps(&check(&text, "--no-advice"));
    assert!(!all.is_empty() && all.iter().all(|(_, lines)| lines.is_empty()), "{all:?}");
    let all = helps(&check(&text, "--advice-time 1ms --no-judge"));
    let unknown = "which fences forbid this is not known: stopped by --advice-time 1ms: give it more";
    assert!(all.iter().all(|(_, lines)| lines == &[unknown]), "{all:?}");
}

/// What fails under sequential consistency, too, needs no fence.
#[test]
fn failures_of_interleavings_have_no_help() {
    let text = program("volatile int x;", &["x = 1;", "assert(x == 0);"], "");
    let all = helps(&check(&text, ""));
    assert!(all.len() == 1 && all[0].1.is_empty(), "{all:?}");
    let all = helps(&check(&text, "--model tso"));
    assert_eq!(all, [("tso-assertion-1".to_string(), vec!["no fence and no stronger order forbids this".to_string()])]);
}

/// A flag is published before its data: on ARM and RISC-V a fence or a release keeps the two in order, under C11 the release.
#[test]
fn weak_machines_and_c11_have_advice_too() {
    let shared = "static int data;\nstatic atomic_int ready;\n#define ORDER(kind) memory_order_##kind";
    let text = program(
        shared,
        &[
            "data = 7;\natomic_store_explicit(&ready, 1, ORDER(relaxed));",
            "if (atomic_load_explicit(&ready, ORDER(acquire)))\nassert(data == 7);",
        ],
        "",
    );
    let order = "memory_order_release for the store of ready at a.c:9";
    for (model, fence) in [("armv8", "a full fence"), ("riscv", "an acquire-release fence")] {
        let fence = format!("{fence} between a.c:8 and a.c:9 forbids this");
        let all = helps(&check(&text, &format!("--model {model}")));
        assert_eq!(all, [(format!("{model}-assertion-1"), vec![fence, format!("or {order}")])]);
    }
    let all = helps(&check(&text, "--model c11"));
    let forbids = format!("{order} forbids this");
    let is_told = |id: &str| all.contains(&(id.to_string(), vec![forbids.clone()]));
    assert!(all.len() == 2 && is_told("c11-assertion-1") && is_told("c11-race-1"), "{all:?}");
    // With what is named the program is right.
    let repaired = text.replace("ORDER(relaxed)", "ORDER(release)");
    let ran = check(&repaired, "--model armv8,riscv,power,c11");
    assert_eq!(ran.status, 0, "{repaired}\n{ran:?}");
}

/// The program with the orders that its findings name in the place of `ORDER(…)`, of which a line has one.
fn with_orders(text: &str, ran: &Ran) -> String {
    let json: Value = serde_json::from_str(&ran.output).unwrap();
    let violations = json["violations"].as_array().unwrap().iter();
    let orders: Vec<&Value> =
        violations.flat_map(|violation| violation["help"]["orders"].as_array().into_iter().flatten()).collect();
    assert!(!orders.is_empty(), "{ran:?}");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for order in orders {
        let line = &mut lines[usize::try_from(order["at"]["line"].as_u64().unwrap()).unwrap() - 1];
        let (before, rest) = line.split_once("ORDER(").expect("an order stands there");
        let (_, after) = rest.split_once(')').expect("it ends");
        *line = format!("{before}{}{after}", order["order"].as_str().unwrap());
    }
    lines.join("\n") + "\n"
}

/// The second thread adds to the flag, and does not look at what was there.
fn unused_result() -> String {
    program(
        "static atomic_int data, flag;\nstatic int seen, found;\n#define ORDER(kind) memory_order_##kind",
        &[
            "atomic_store_explicit(&data, 1, ORDER(relaxed));\natomic_store_explicit(&flag, 1, ORDER(release));",
            "atomic_fetch_add_explicit(&flag, 1, ORDER(relaxed));\natomic_thread_fence(ORDER(acquire));\n\
             found = atomic_load_explicit(&data, ORDER(relaxed));",
        ],
        "assert(atomic_load(&flag) != 2 || found);",
    )
}

/// An addition of which nobody uses the result is not ordered by the acquire fence behind it (`stadd`, `dmb ishld`). Each of the
/// remedies that are told mends it: a fence, orders, using the result, and code without LSE.
#[test]
fn a_finding_says_that_it_rests_on_an_unused_result() {
    let text = unused_result();
    let line = 1 + text.lines().position(|line| line.contains("fetch_add")).unwrap();
    let ran = check(&text, "--model armv8");
    let told = |unless: &str| {
        [
            format!(
                "the result of the fetch-add of flag at a.c:{line} is not used, so that it may be one instruction of ARM (LSE) that \
                 does"
            ),
            format!("not acquire, nor wait for an acquire fence: use the result{unless}"),
        ]
    };
    let lines = |ran: &Ran| helps(ran).into_iter().flat_map(|(_, lines)| lines).collect::<Vec<String>>();
    let unless = ", or pass --lse off if the code is never built with LSE";
    assert!(lines(&ran).ends_with(&told(unless)), "{ran:?}");
    let with_lse = check(&text, "--model armv8 --lse on");
    assert!(lines(&with_lse).ends_with(&told("")), "{with_lse:?}");
    let used = text.replace("atomic_fetch_add", "seen = atomic_fetch_add");
    for repaired in [with_fences(&text, &ran, "armv8"), with_orders(&text, &ran), used] {
        assert_ne!(repaired, text);
        let ran = check(&repaired, "--model armv8");
        assert_eq!(ran.status, 0, "{repaired}\n{ran:?}");
    }
    assert_eq!(check(&text, "--model armv8 --lse off").status, 0);
}

/// Two flags, each set by one thread and then looked at by the other, so that one of them sees the other's.
fn flags(of: impl Fn(&str, &str, &str) -> String) -> String {
    let shared = "static atomic_int x, y;\nstatic int r, s;\n#define ORDER(kind) memory_order_##kind";
    program(shared, &[&of("x", "y", "r"), &of("y", "x", "s")], "assert(r || s);")
}

/// Two exchanges are before the loads behind them as single instructions, and not as loops of exclusives. What loads may do by
/// themselves does not rest on that.
#[test]
fn a_finding_says_that_it_rests_on_exclusives() {
    let text = flags(|flag, other, result| {
        format!(
            "int before = atomic_exchange_explicit(&{flag}, 1, ORDER(acq_rel));\n\
             {result} = atomic_load_explicit(&{other}, ORDER(relaxed)) + before;"
        )
    });
    let ran = check(&text, "--model armv8");
    let [(_, lines)] = &helps(&ran)[..] else { panic!("{ran:?}") };
    let [pairs, end] = &lines[lines.len() - 2..] else { panic!("{ran:?}") };
    assert!(
        pairs.starts_with("built as exclusive loads and stores of ARM (without LSE), the exchange of x at a.c:"),
        "{pairs}"
    );
    assert!(pairs.contains(" and the exchange of y at a.c:") && end.contains("pass --lse on if"), "{pairs}\n{end}");
    assert_eq!(check(&text, "--model armv8 --lse on").status, 0);
    let repaired = with_orders(&text, &ran);
    assert_eq!(check(&repaired, "--model armv8").status, 0, "{repaired}");
    for options in ["--model armv8 --lse off", "--model power"] {
        let ran = check(&text, options);
        assert!(ran.status == 1 && !ran.output.contains("LSE"), "{options}: {ran:?}");
    }
    let stores = flags(|flag, other, result| {
        format!(
            "atomic_store_explicit(&{flag}, 1, ORDER(release));\natomic_fetch_add_explicit(&{flag}, 1, ORDER(relaxed));\n\
             {result} = atomic_load_explicit(&{other}, ORDER(acquire));"
        )
    });
    let ran = check(&stores, "--model armv8");
    assert!(ran.status == 1 && !ran.output.contains("LSE"), "{ran:?}");
}

/// A stronger compare-and-exchange is still a loop of `lr` and `sc` on RISC-V, which the load behind it may overtake: what is named
/// helps.
#[test]
fn stronger_pairs_are_not_named_where_they_do_not_help() {
    let text = flags(|flag, other, result| {
        format!(
            "int no = 0;\natomic_compare_exchange_strong_explicit(&{flag}, &no, 1, ORDER(relaxed), memory_order_relaxed);\n\
             {result} = atomic_load_explicit(&{other}, ORDER(relaxed));"
        )
    });
    let ran = check(&text, "--model riscv");
    for repaired in [with_fences(&text, &ran, "riscv"), with_orders(&text, &ran)] {
        assert_ne!(repaired, text);
        let ran = check(&repaired, "--model riscv");
        assert_eq!(ran.status, 0, "{repaired}\n{ran:?}");
    }
}
