//! Options that are not typed: `fencehound.toml` and `FENCEHOUND_OPTIONS`.

use serde_json::Value;

use crate::bench::{Bench, Ran, ran, tool};

/// A program with one violation under TSO, which a macro takes away.
const PROGRAM: &str = "\
#include <pthread.h>
#include <stdatomic.h>
#ifdef FIXED
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE
#endif
static atomic_int x, y;
static void *other(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    FENCE;
    atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    FENCE;
    atomic_load_explicit(&y, memory_order_relaxed);
    pthread_join(thread, 0);
    return 0;
}
";

fn with_environment(bench: &Bench, options: &str, line: &str) -> Ran {
    let words: Vec<&str> = line.split_whitespace().collect();
    ran(&bench.command(tool(), &words).env("FENCEHOUND_OPTIONS", options).output().unwrap())
}

/// The seed and the number of executions, by which it is told who had the last word.
fn executions(ran: &Ran) -> u64 {
    let result: Value = serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    result["executions"].as_u64().unwrap()
}

#[test]
fn what_is_typed_comes_before_the_environment_and_that_before_the_file() {
    let settings = "[options]\nexplorer = \"random\"\nexecutions = 3\n[target.\"two.c\"]\nexecutions = 4\n";
    let bench = Bench::new(&[("one.c", PROGRAM), ("two.c", PROGRAM), ("fencehound.toml", settings)]);
    let file = |name: &str| executions(&bench.run(&format!("check {name} --no-judge --json -")));
    assert_eq!((file("one.c"), file("two.c")), (3, 4));
    let set = |line: &str| executions(&with_environment(&bench, "--executions 5", line));
    assert_eq!(set("check two.c --no-judge --json -"), 5);
    assert_eq!(set("check two.c --no-judge --json - --executions 6"), 6);
    // From another folder it is the same file, and its folder's paths.
    std::fs::create_dir(bench.path("below")).unwrap();
    assert_eq!(executions(&bench.run_in("below", "check ../two.c --no-judge --json -")), 4);
}

#[test]
fn flags_macros_and_folders_come_from_the_file() {
    let settings = "[options]\nno-judge = true\nstd = \"c11\"\nI = [\"include\"]\nD = [\"FIXED\"]\n\
                    [target.'broken.c']\nU = 'FIXED'\nno-judge = false\n";
    let fixed = format!("#include <mine.h>\n{PROGRAM}");
    let files =
        [("fixed.c", fixed.as_str()), ("broken.c", PROGRAM), ("include/mine.h", ""), ("fencehound.toml", settings)];
    let bench = Bench::new(&files);
    let fixed = bench.run("check fixed.c -q");
    assert_eq!(
        (fixed.status, fixed.output.as_str()),
        (0, "clean: all 3 executions; no SC violation under TSO or PSO\n")
    );
    // -D comes before -U to the compiler, and judging is on again.
    let broken = bench.run("check broken.c -q");
    assert!(broken.output.starts_with("x86 (TSO): "), "{broken:?}");
    // What is another command's is left to it.
    let fences = bench.run("fences fixed.c");
    assert!(fences.status == 1 && fences.verdict().starts_with("redundant: 2 fences are not needed"), "{fences:?}");
}

#[test]
fn mistakes_are_named_by_file_and_line() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let cases = [
        ("[options]\nmodle = \"tso\"\n", "fencehound.toml:2: unknown key `modle`\nhelp: similar ones are `model`"),
        ("[options]\n--time = \"3s\"\n", "fencehound.toml:2: unknown key `--time`\nhelp: similar ones are `time`"),
        (
            "[options]\nzzz = 1\n",
            "fencehound.toml:2: unknown key `zzz`\nhelp: a key is an option of `fencehound check --help` without its dashes",
        ),
        (
            "\n\n[options]\ntime = \"30\"\n",
            "fencehound.toml:4: --time `30` is no time\nhelp: give a number and a unit: 500ms, 30s, 2m, 1h",
        ),
        ("[options]\nleaks = 1\n", "fencehound.toml:2: `leaks` is a flag\nhelp: give true or false"),
        (
            "time = \"3s\"\n",
            "fencehound.toml:1: unknown table or key `time`\nhelp: options stand under [options], or under \
             [target.\"ring.c\"] for that target",
        ),
        (
            "[options]\nj = 1\n[target.\"other\"]\nseed = []\nseeed = 1\n",
            "fencehound.toml:5: unknown key `seeed`\nhelp: similar ones are `seed`",
        ),
        (
            "[target.\"b.c\"]\nseed = 1\n",
            "fencehound.toml:1: target b.c is not there\nhelp: name the file by its path from this one",
        ),
    ];
    for (settings, said) in cases {
        bench.write("fencehound.toml", settings);
        let ran = bench.run("check a.c");
        assert_eq!((ran.status, ran.errors.trim_end()), (2, format!("error: {said}").as_str()), "{settings}");
    }
    bench.write("fencehound.toml", "[options\n");
    let ran = bench.run("check a.c");
    assert!(ran.status == 2 && ran.errors.starts_with("error: fencehound.toml:1: "), "{ran:?}");
    // What only together is wrong says where the rest comes from.
    bench.write("fencehound.toml", "[options]\nexplorer = \"rsmc\"\n");
    let ran = bench.run("check a.c --preemptions 2");
    assert!(ran.status == 2 && ran.errors.contains("; fencehound.toml adds --explorer=rsmc"), "{ran:?}");
}

#[test]
fn a_folder_of_somebody_elses_runs_and_writes_nothing() {
    let bench = Bench::new(&[("theirs/a.c", PROGRAM), ("plugin.so", ""), ("secret/b.h", "")]);
    for (key, value) in [
        ("cflags", "\"-fplugin=./plugin.so\""),
        ("cflags", "\"-O2 -Xclang -load -Xclang ./plugin.so\""),
        ("cflags", "\"-MF stolen -MD\""),
        ("cflags", "\"-include ../secret/b.h\""),
        ("D", "[\"X=system(1)\"]"),
        ("l", "\":../../evil.a\""),
        ("I", "\"../secret\""),
        ("asm-templates", "\"../secret/b.h\""),
        ("cost", "\"/etc/passwd\""),
        ("json", "\"stolen\""),
        ("out", "\"../stolen\""),
        ("write-baseline", "true"),
        ("baseline", "\"known.json\""),
        ("apply", "true"),
        ("record", "\"stolen\""),
    ] {
        bench.write("theirs/fencehound.toml", &format!("[options]\n{key} = {value}\n"));
        let ran = bench.run_in("theirs", "check a.c");
        assert_eq!(ran.status, 2, "{key} = {value}: {ran:?}");
        assert!(ran.errors.starts_with("error: fencehound.toml:2: ") && ran.errors.contains("\nhelp: "), "{ran:?}");
        assert!(!bench.path("theirs/stolen").exists() && !bench.path("stolen").exists(), "{key} = {value}");
    }
    // What the user repeats is trusted.
    bench.write("theirs/fencehound.toml", "[options]\ncflags = \"-Rpass=x\"\nno-judge = true\n");
    assert_eq!(bench.run_in("theirs", "check a.c -q").status, 2);
    assert_eq!(bench.run_in("theirs", "check a.c -q --cflags -Rpass=x").status, 1);
}

#[test]
fn the_variable_holds_options_alone() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    for (options, said) in [
        ("--zigzag", "FENCEHOUND_OPTIONS: unexpected argument '--zigzag' found"),
        ("b.c", "FENCEHOUND_OPTIONS names a target or the program's arguments"),
        ("-- x", "FENCEHOUND_OPTIONS names a target or the program's arguments"),
        ("--time 3", "FENCEHOUND_OPTIONS: --time `3` is no time"),
        ("'", "FENCEHOUND_OPTIONS cannot be read: it has an open quote, or is no UTF-8"),
    ] {
        let ran = with_environment(&bench, options, "check a.c");
        let first = ran.errors.lines().next().unwrap_or_default();
        assert_eq!((ran.status, first), (2, format!("error: {said}").as_str()), "{options}");
    }
    let ran = with_environment(&bench, "-q --no-judge -DFIXED", "check a.c");
    assert_eq!((ran.status, ran.output.lines().count()), (0, 1), "{ran:?}");
}
