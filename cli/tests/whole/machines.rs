//! What `check` says of several machines: a line for each machine, and the orders that those do not keep on which the program breaks.

use crate::bench::Bench;

#[test]
fn all_machines_are_in_one_table() {
    let ring = include_str!("../../../c-tests/weak/ring.c");
    let bench = Bench::new(&[("ring.c", ring)]);
    let ran = bench.run("check ring.c -DPUBLISH=relaxed --model all --json result.json");
    assert_eq!(ran.status, 1, "{ran:?}");
    let verdicts = ["SC", "x86 (TSO)", "ARMv8", "RISC-V", "POWER", "C11"].map(|machine| {
        let line = ran.output.lines().find_map(|line| line.strip_prefix(&format!("{machine:<11} ")));
        line.and_then(|line| line.split_whitespace().next()).unwrap_or_default().to_owned()
    });
    assert_eq!(verdicts, ["clean", "clean", "breaks", "breaks", "breaks", "breaks"], "{ran:?}");
    let [slot, tail] = ["slots[at] = 1;", "atomic_store_explicit(&tail"].map(|part| line_of(ring, part));
    let order = format!(
        "  store of slots[0] (ring.c:{slot}) before store of tail (ring.c:{tail}): ARMv8, RISC-V, POWER, C11\n"
    );
    assert!(ran.output.contains(&order), "{ran:?}");
    let enough = format!(
        "\nenough under ARMv8, RISC-V, POWER and C11, by searches with it\n  \
         memory_order_release for the store of tail at ring.c:{tail}\n"
    );
    assert!(ran.output.contains(&enough) && ran.output.contains("\nx86 hides it: "), "{ran:?}");
    let again = "riscv-assertion-1: assertion `value == 1` failed, ring.c:";
    assert!(ran.output.contains(again) && ran.output.contains(", as armv8-assertion-1\n"), "told once: {ran:?}");
    let last = "violations: breaks under ARMv8, RISC-V, POWER, C11; clean under SC, x86 (TSO)";
    assert_eq!(ran.output.lines().last(), Some(last), "{ran:?}");
    let results: serde_json::Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let models: Vec<&str> = results.as_array().unwrap().iter().filter_map(|one| one["model"].as_str()).collect();
    assert_eq!(models, ["sc", "tso", "armv8", "riscv", "power", "c11"]);
    let judged = results.as_array().unwrap().iter().map(|one| {
        let model = one["model"].as_str().unwrap_or_default();
        one["models"][model]["judgement"].as_str().unwrap_or_default().to_owned()
    });
    assert_eq!(judged.collect::<Vec<_>>(), ["", "harmless", "breaks", "breaks", "breaks", "breaks"]);
}

#[test]
fn four_machines_are_in_one_table_too() {
    let bench = Bench::new(&[("ring.c", include_str!("../../../c-tests/weak/ring.c"))]);
    let ran = bench.run("check ring.c -DPUBLISH=release --model sc,tso,armv8,riscv --monitor none");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.output.contains("\nRISC-V      clean        all "), "{ran:?}");
    assert_eq!(ran.output.lines().last(), Some("clean: under SC, x86 (TSO), ARMv8, RISC-V"), "{ran:?}");
}

#[test]
fn a_data_race_says_what_to_do() {
    let bench = Bench::new(&[("ring.c", include_str!("../../../examples/ring.c"))]);
    let ran = bench.run("check ring.c --monitor race");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("\n  help: order the two by a lock, or by a release store"), "{ran:?}");
}

#[test]
fn a_program_that_does_not_compile_is_told_where_options_stand() {
    let bench = Bench::new(&[("a.c", "#include \"b.h\"\nint main(void) { return 0; }\n")]);
    std::fs::create_dir(bench.path("include")).unwrap();
    bench.write("include/b.h", "\n");
    let ran = bench.run("check a.c -- -Iinclude");
    assert_eq!(ran.status, 5, "{ran:?}");
    assert!(ran.errors.contains("\nhelp: options for the compiler (-I, -D, -std=, -W) stand before `--`"), "{ran:?}");
    assert_eq!(bench.run("check a.c -Iinclude").status, 0);
}

/// The number of the first line of a program that has this part.
fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).expect("the program has it") + 1
}

/// What `--model all` says of who notices, and of what is enough; nothing of the latter if `enough` is empty.
fn tells(file: &str, text: &str, options: &str, notices: &str, enough: &str) {
    let bench = Bench::new(&[(file, text)]);
    let ran = bench.run(&format!("check {file} {options} --model all"));
    assert!(ran.output.contains(&format!("\n{notices}")), "{file} {options}: {ran:?}");
    let said = ran.output.lines().skip_while(|line| !line.starts_with("enough under ")).nth(1).unwrap_or_default();
    assert_eq!(said.trim(), enough, "{file} {options}: {ran:?}");
}

/// The orders are those of the literature: on all machines at once, not on the one that is told first.
#[test]
fn what_is_enough_is_enough_everywhere() {
    let dekker = include_str!("../../../c-tests/weak/dekker.c");
    let [set, get] = ["store_explicit(&flags", "load_explicit(&flags"].map(|part| line_of(dekker, part));
    let flags = format!(
        "memory_order_seq_cst for the store of flags[…] at dekker.c:{set} and the load of flags[…] at dekker.c:{get}"
    );
    tells("dekker.c", dekker, "-DSET=release -DGET=acquire", "x86 shows it", &flags);
    let count = include_str!("../../../c-tests/weak/reference-count.c");
    let at = line_of(count, "fetch_sub_explicit(&references");
    let drop = format!("memory_order_acq_rel for the fetch-sub of references at reference-count.c:{at}");
    tells("reference-count.c", count, "-DDROP=relaxed", "x86 hides it: ", &drop);
    tells(
        "reference-count.c",
        count,
        "-DDROP=release",
        "on the machines the program fails and ends as under SC, ",
        &drop,
    );
}

/// A race of two plain accesses that nothing atomic is near has no order that could be stronger.
#[test]
fn no_order_is_named_where_none_helps() {
    let text = "#include <pthread.h>\nint x;\nstatic void *f(void *unused) { x++; return unused; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); }\n";
    tells("race.c", text, "", "on the machines the program fails and ends as under SC, ", "");
    let ran = Bench::new(&[("race.c", text)]).run("check race.c --model c11");
    let help = "no stronger order of an atomic access orders the two: make them atomic, or hold one mutex around both";
    assert!(ran.output.contains(help), "{ran:?}");
}

/// Two threads that each read what the other one writes afterwards, and two that publish data too early, all relaxed; the program
/// fails if what `fails` says holds.
fn buffered_loads(fails: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x, y, data, flag;\n\
         static int r, s, seen, got;\n\
         #define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)\n\
         #define STORE(p) atomic_store_explicit(p, 1, memory_order_relaxed)\n\
         static void *left(void *unused) {{ r = LOAD(&x); STORE(&y); STORE(&data); STORE(&flag); return unused; }}\n\
         static void *right(void *unused) {{ s = LOAD(&y); STORE(&x); seen = LOAD(&flag); got = LOAD(&data); return unused; }}\n\
         int main(void) {{\n  pthread_t a, b;\n  pthread_create(&a, 0, left, 0);\n  pthread_create(&b, 0, right, 0);\n  \
         pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(!({fails}));\n}}\n"
    )
}

/// The words of the table of machines, and whether each result, and its first violation, is said to be circular.
fn circles(fails: &str) -> (String, Vec<[bool; 2]>) {
    let bench = Bench::new(&[("a.c", &buffered_loads(fails))]);
    let ran = bench.run("check a.c --model all --outcome exit --json result.json");
    let results: serde_json::Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let circular = |one: &serde_json::Value| {
        let model = one["model"].as_str().unwrap_or_default();
        [&one["models"][model]["circular"], &one["violations"][0]["circular"]].map(|value| value == true)
    };
    (ran.output, results.as_array().unwrap().iter().map(circular).collect())
}

/// C11 is clean where load buffering fails on machines, and that is said beside each of these, and with each finding.
#[test]
fn executions_that_c11_leaves_out_are_named() {
    let (output, circular) = circles("r && s");
    assert_eq!(circular, [[false; 2], [false; 2], [true; 2], [true; 2], [true; 2], [false; 2]], "{output}");
    assert_eq!(
        output
            .matches("breaks       assertion at a.c:16, as in no SC execution, in circular executions alone;")
            .count(),
        3
    );
    let note = "\nnote: circular executions have a cycle of program order and reads-from: C11 as it is modelled (RC11) leaves them out,";
    assert!(
        output.contains(note) && output.contains(" POWER, ARMv8 and RISC-V have them: `clean` under C11 says"),
        "{output}"
    );
    let help = "\n        each execution that shows this has a cycle of program order and reads-from: C11 as it is modelled (RC11) leaves\n";
    assert!(output.contains(help), "{output}");
    assert!(output.contains("\nC11         clean  "), "{output}");
}

/// The same failure comes of executions without such a cycle, or only of these: there is nothing that C11 leaves out.
#[test]
fn executions_that_c11_has_are_not_said_to_be_left_out() {
    for fails in ["seen && !got", "(r && s) || (seen && !got)"] {
        let (output, circular) = circles(fails);
        assert_eq!(circular, [[false; 2]; 6], "{output}");
        assert!(!output.contains("circular") && !output.contains("each execution that shows"), "{output}");
        assert!(output.contains("\nC11         breaks "), "{output}");
    }
}

/// Without an assertion the ends differ, and of these one is of circular executions alone.
#[test]
fn ends_that_c11_leaves_out_are_named() {
    let text = buffered_loads("0")
        .replace("STORE(&data); STORE(&flag);", "")
        .replace("seen = LOAD(&flag); got = LOAD(&data);", "");
    let bench = Bench::new(&[("a.c", &text)]);
    let ran = bench.run("check a.c --model c11,armv8 --json result.json");
    let shows = "ARMv8: shows r = 1 and s = 1, as no SC execution does, in circular executions alone; all 4 executions";
    assert!(ran.output.contains(shows) && ran.output.contains("\nnote: circular executions have"), "{ran:?}");
    let results: serde_json::Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    assert_eq!(results[1]["models"]["armv8"]["circular"], true);
}

#[test]
fn states_that_c11_leaves_out_are_named() {
    let thread = |number: u32, from: &str, to: &str| {
        format!(
            "P{number}(atomic_int* x, atomic_int* y) {{\n  int r = atomic_load_explicit({from}, memory_order_relaxed);\n  \
             atomic_store_explicit({to}, 1, memory_order_relaxed);\n}}\n"
        )
    };
    let text = format!("C LB\n{{}}\n{}{}exists (0:r=1 /\\ 1:r=1)\n", thread(0, "x", "y"), thread(1, "y", "x"));
    let bench = Bench::new(&[("lb.litmus", &text)]);
    let ran = bench.run("check lb.litmus --model all --json result.json");
    let note = "\nnote: C11 as it is modelled (RC11) leaves out what ends in 0:r=1; 1:r=1; [x]=1; [y]=1: ";
    assert_eq!(ran.output.matches(note).count(), 3, "{ran:?}");
    let results: serde_json::Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let named: Vec<&str> = results
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["circular_states"].is_array())
        .map(|one| one["model"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["armv8", "riscv", "power"]);
}

/// Accesses to a part of what others access are refused in graphs, and what is said to follow them does.
#[test]
fn mixed_widths_are_told_where_they_can_be_checked() {
    let text = "#include <pthread.h>\n#include <stdint.h>\nstatic volatile union { uint32_t word; uint8_t bytes[4]; } u;\n\
                static void *f(void *unused) { u.bytes[1] = 1; return unused; }\nint main(void) {\n  pthread_t t;\n  \
                pthread_create(&t, 0, f, 0);\n  uint32_t seen = u.word;\n  pthread_join(t, 0);\n  return seen == 7;\n}\n";
    let bench = Bench::new(&[("a.c", text)]);
    for (options, help) in [
        ("--model tso", "--model tso --explorer bounded (or dpor) runs interleavings with store buffers, which do\n"),
        ("--model sc --explorer rsmc", "without --explorer rsmc interleavings are run, which do\n"),
        ("--model armv8", "under ARMv8 there is nothing else: let all accesses there be of one width; --model tso,pso"),
    ] {
        let ran = bench.run(&format!("check a.c {options}"));
        assert!(ran.status == 4 && ran.output.contains(help), "{options}: {ran:?}");
    }
    for options in ["--model tso --explorer bounded", "--model pso --explorer dpor", "--model sc"] {
        let ran = bench.run(&format!("check a.c {options}"));
        assert_eq!(ran.status, 0, "{options}: {ran:?}");
    }
}

/// A wait of a futex is one line, which says what the word holds, and a wake another.
#[test]
fn what_the_kernel_does_for_a_futex_is_not_in_tables() {
    let text = "#include <assert.h>\n#include <linux/futex.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <sys/syscall.h>\n\
                #include <unistd.h>\nstatic atomic_int word, data;\nstatic void *f(void *unused) {\n  \
                atomic_store_explicit(&data, 1, memory_order_relaxed);\n  atomic_store_explicit(&word, 1, memory_order_relaxed);\n  \
                syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);\n  return unused;\n}\nint main(void) {\n  pthread_t t; int late = 0;\n  \
                pthread_create(&t, 0, f, 0);\n  while (atomic_load_explicit(&word, memory_order_relaxed) == 0)\n    \
                late = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0) != 0;\n  \
                assert(!late);\n  pthread_join(t, 0);\n}\n";
    let ran = Bench::new(&[("a.c", text)]).run("check a.c --model armv8");
    let rows = |part: &str| ran.output.lines().filter(|line| line.contains("  a.c:18") && line.contains(part)).count();
    assert_eq!((rows("futex-wait word = "), rows("")), (1, 1), "{ran:?}");
    assert!(ran.output.contains("futex-wake word\n") && !ran.output.contains("futex-queue"), "{ran:?}");
}
