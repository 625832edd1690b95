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

/// The orders of which some are enough under a model, each with those that it stands in for: all that are at least as strong.
fn weakest(orders: &[&[&str]], is_right: impl Fn(&[&str]) -> bool) -> Vec<Vec<String>> {
    let is_as_strong = |one: &str, other: &str| {
        let parts = |order: &str| match order {
            "relaxed" => [false; 3],
            "acquire" => [true, false, false],
            "release" => [false, true, false],
            "acq_rel" => [true, true, false],
            _ => [true; 3],
        };
        parts(one).iter().zip(parts(other)).all(|(one, other)| *one || !other)
    };
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for these in orders {
        all = all.iter().flat_map(|set| these.iter().map(|order| [set.clone(), vec![*order]].concat())).collect();
    }
    let right: Vec<&Vec<&str>> = all.iter().filter(|set| is_right(set)).collect();
    let is_weaker = |one: &[&str], other: &[&str]| {
        one != other && one.iter().zip(other).all(|(one, other)| is_as_strong(other, one))
    };
    let is_least = |set: &&&Vec<&str>| !right.iter().any(|other| is_weaker(other, set));
    let least = right.iter().filter(is_least);
    least.map(|set| set.iter().map(|order| (*order).to_string()).collect()).collect()
}

/// The orders with which `fences` has replaced `memory_order_relaxed`, in the order of the text.
fn orders_found(text: &str, options: &str) -> Vec<String> {
    let bench = Bench::new(&[("a.c", text)]);
    let ran = bench.run(&format!("fences a.c --apply {options}"));
    let repaired = bench.read("a.c");
    let of = |line: &str| {
        let (_, rest) = line.split_once("memory_order_")?;
        let end = rest.find(|one: char| !one.is_alphanumeric() && one != '_')?;
        Some(rest[..end].to_string())
    };
    let lines = text.lines().zip(repaired.lines()).filter(|(line, _)| line.contains("memory_order_relaxed"));
    assert_eq!(text.lines().count(), repaired.lines().count(), "{ran:?}\n{repaired}");
    lines.map(|(_, line)| of(line).unwrap_or_else(|| panic!("{ran:?}\n{repaired}"))).collect()
}

/// Of the orders of a read-modify-write no more is named than is needed: by trying all, and by what is known of them. A lock's
/// exchange acquires and its store releases; a count's drop releases before the free, which for C11 has to acquire the others'
/// drops, by itself or by a fence (Boost's documentation of atomics, "Spinlock" and "Reference counting").
#[test]
fn updates_get_the_half_that_they_need() {
    const ALL: &[&str] = &["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
    const STORE: &[&str] = &["relaxed", "release", "seq_cst"];
    let lock = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        \
        static atomic_int held;\nstatic int counter;\nstatic void *add(void *unused) {\n\
        while (atomic_exchange_explicit(&held, 1, memory_order_relaxed))\n;\ncounter++;\n\
        atomic_store_explicit(&held, 0, memory_order_relaxed);\nreturn unused;\n}\nint main(void) {\npthread_t a, b;\n\
        pthread_create(&a, 0, add, 0);\npthread_create(&b, 0, add, 0);\npthread_join(a, 0);\npthread_join(b, 0);\n\
        assert(counter == 2);\n}\n";
    let count = |fence: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
             struct object {{ atomic_int references; int value; }};\nstatic void drop(struct object *object) {{\n\
             if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) == 1) {{\n{fence}\nfree(object);\n}}\n}}\n\
             static void *user(void *shared) {{\n((struct object *)shared)->value++;\ndrop(shared);\nreturn 0;\n}}\n\
             static void *holder(void *shared) {{\ndrop(shared);\nreturn 0;\n}}\nint main(void) {{\npthread_t a, b;\n\
             struct object *object = malloc(sizeof *object);\natomic_init(&object->references, 2);\nobject->value = 1;\n\
             pthread_create(&a, 0, user, object);\npthread_create(&b, 0, holder, object);\n\
             pthread_join(a, 0);\npthread_join(b, 0);\n}}\n"
        )
    };
    let (bare, fenced) = (count(""), count("atomic_thread_fence(memory_order_acquire);"));
    let (of_lock, of_count): (&[&[&str]], &[&[&str]]) = (&[ALL, STORE], &[ALL]);
    for (text, orders, model, known) in [
        (lock, of_lock, "armv8", &["acquire", "release"][..]),
        (lock, of_lock, "c11", &["acquire", "release"]),
        (&bare, of_count, "armv8", &["release"]),
        (&bare, of_count, "c11", &["acq_rel"]),
        (&fenced, of_count, "c11", &["release"]),
    ] {
        let least = weakest(orders, |set| {
            let mut text = text.to_string();
            for order in set {
                text = text.replacen("memory_order_relaxed", &format!("memory_order_{order}"), 1);
            }
            check(&text, &format!("--model {model} --no-advice")).status == 0
        });
        assert_eq!(least, [known], "{model}: {text}");
        assert_eq!(orders_found(text, &format!("--model {model}")), known, "{model}: {text}");
    }
}

/// The text with some of these orders, given by the line and the order, in the place of `memory_order_relaxed`.
fn with_orders_at(text: &str, orders: &Put) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for (line, order) in orders {
        assert!(lines[line - 1].contains("memory_order_relaxed"), "{line} {order}: {text}");
        lines[line - 1] = lines[line - 1].replace("memory_order_relaxed", order);
    }
    lines.join("\n") + "\n"
}

/// What is put into lines of a text, by their numbers.
type Put = [(usize, String)];

/// Fails unless each set of fences, and each of orders, that a finding of this kind has as advice forbids it, and none of their
/// parts does so alone.
fn assert_advice_is_minimal(text: &str, model: &str, kind: &str) {
    let options = format!("--model {model} --no-advice");
    let is_right = |text: &str| check(text, &options).status == 0;
    let ran = check(text, &format!("--model {model}"));
    let json: Value = serde_json::from_str(&ran.output).unwrap();
    let violations = json["violations"].as_array().unwrap();
    let one = violations.iter().find(|violation| violation["kind"] == kind).unwrap_or_else(|| panic!("{ran:?}"));
    let line = |place: &Value| usize::try_from(place["line"].as_u64().unwrap()).unwrap();
    let order = |addition: &Value| addition["order"].as_str().unwrap().to_string();
    let of = |what: &str| one["help"][what].as_array().cloned().unwrap_or_default();
    let fences: Vec<(usize, String)> = of("fences")
        .iter()
        .map(|fence| (line(&fence["after"]), format!(" atomic_thread_fence({});", order(fence))))
        .collect();
    let orders: Vec<(usize, String)> = of("orders").iter().map(|one| (line(&one["at"]), order(one))).collect();
    assert!(!orders.is_empty() && (model == "c11") == fences.is_empty(), "{model}: {ran:?}");
    let fenced = |some: &Put| {
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        some.iter().for_each(|(after, fence)| lines[after - 1] += fence);
        lines.join("\n") + "\n"
    };
    let assert_minimal = |whole: &Put, repaired: &dyn Fn(&Put) -> String| {
        assert!(is_right(&repaired(whole)), "{model}: {}", repaired(whole));
        for left_out in 0..whole.len() {
            let mut part = whole.to_vec();
            part.remove(left_out);
            assert!(!is_right(&repaired(&part)), "{model}: {}", repaired(&part));
        }
    };
    assert_minimal(&orders, &|some| with_orders_at(text, some));
    if !fences.is_empty() {
        assert_minimal(&fences, &fenced);
    }
}

/// A block that is freed once a flag says that it was used, a mutex that is destroyed then, and a lock that is used once a flag says
/// that it was made: the use and the end, or the beginning, have to be ordered, by the flag's store and load.
#[test]
fn what_is_told_of_lifetimes_is_enough_and_needed() {
    let freed = program(
        "#include <stdlib.h>\nstatic int *block;\nstatic atomic_int flag;",
        &["*block = 3;\natomic_store_explicit(&flag, 1, memory_order_relaxed);"],
        "",
    );
    let freed = freed
        .replace("pthread_t t[1];\n", "pthread_t t[1];\nblock = malloc(sizeof *block);\n")
        .replace("for (int i", "if (atomic_load_explicit(&flag, memory_order_relaxed))\nfree(block);\nfor (int i");
    let made = |object: &str, make: &str, using: &str| {
        program(
            &format!("static {object} object;\nstatic atomic_int flag;"),
            &[
                &format!("{make};\natomic_store_explicit(&flag, 1, memory_order_relaxed);"),
                &format!("if (atomic_load_explicit(&flag, memory_order_relaxed))\n{using};"),
            ],
            "",
        )
    };
    let read_write = made("pthread_rwlock_t", "pthread_rwlock_init(&object, 0)", "pthread_rwlock_rdlock(&object)");
    let mutex = made("pthread_mutex_t", "pthread_mutex_init(&object, 0)", "pthread_mutex_lock(&object)");
    let destroyed = made(
        "pthread_mutex_t",
        "pthread_mutex_lock(&object);\npthread_mutex_unlock(&object)",
        "pthread_mutex_destroy(&object)",
    );
    for model in ["armv8", "riscv", "power", "c11"] {
        assert_advice_is_minimal(&freed, model, "use-after-free");
        assert_advice_is_minimal(&read_write, model, "misuse");
        assert_advice_is_minimal(&destroyed, model, "misuse");
    }
    assert_advice_is_minimal(&mutex, "c11", "misuse");
}
