//! `fencehound fences`: the text of a repair, and the source with it.

use std::process::{Command, Stdio};
use std::{fs, io::Write};

use serde_json::Value;

use crate::bench::{Bench, Ran};

/// Peterson's lock as libraries write it: macros over volatile accesses, and builtins of gcc.
const PETERSON: &str = "#include <assert.h>\n#include <pthread.h>\n\
    #define smp_mb() __sync_synchronize()\n\
    #define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))\n\
    #define READ_ONCE(x) (*(volatile __typeof__(x) *)&(x))\n\
    static int want[2], turn, inside;\n\
    static void lock(int me) {\n\tWRITE_ONCE(want[me], 1);\n\tWRITE_ONCE(turn, 1 - me);\n\
    \twhile (READ_ONCE(want[1 - me]) && READ_ONCE(turn) == 1 - me)\n\t\t;\n}\n\
    static void *run(void *argument) {\n\tint me = argument != 0;\n\tlock(me);\n\tassert(inside++ == 0);\n\tinside--;\n\
    \tWRITE_ONCE(want[me], 0);\n\treturn 0;\n}\n\
    int main(void) {\n\tpthread_t a, b;\n\tpthread_create(&a, 0, run, 0);\n\tpthread_create(&b, 0, run, &a);\n\
    \tpthread_join(a, 0);\n\tpthread_join(b, 0);\n\treturn 0;\n}\n";

/// Two flags by relaxed atomics, in a file of their own, whose lines end as on other systems.
const FLAGS: [(&str, &str); 3] = [
    ("flags/flags.h", "#include <stdatomic.h>\nextern atomic_int x, y;\nextern int r1, r2;\nvoid *left(void *);\n"),
    (
        "flags/left.c",
        "#include \"flags.h\"\r\nvoid *left(void *unused) {\r\n    \
         atomic_store_explicit(&x, 1, memory_order_relaxed);\r\n    \
         if (unused) return 0; else r1 = atomic_load_explicit(&y, memory_order_relaxed);\r\n    return unused;\r\n}\r\n",
    ),
    (
        "main.c",
        "#include <pthread.h>\n#include \"flags/flags.h\"\natomic_int x, y;\nint r1, r2;\n\
         int main(void) {\n    pthread_t a;\n    pthread_create(&a, 0, left, 0);\n    \
         atomic_store_explicit(&y, 1, memory_order_relaxed);\n    r2 = atomic_load_explicit(&x, memory_order_relaxed);\n    \
         pthread_join(a, 0);\n    return 0;\n}\n",
    ),
];

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Gives this text to a command that runs in the folder.
fn pipe(bench: &Bench, command: &[&str], text: &str) {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .current_dir(bench.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{command:?} takes no\n{text}");
}

#[test]
fn a_patch_is_taken_by_patch_and_by_git_and_repairs() {
    let both = [("patch", vec!["patch", "-p1", "--binary"]), ("git", vec!["git", "apply", "--whitespace=nowarn", "-"])];
    for (name, command) in both {
        let bench = Bench::new(&FLAGS);
        let ran = bench.run("fences main.c flags/left.c");
        assert_eq!(ran.status, 1, "{ran:?}");
        pipe(&bench, &command, &ran.output);
        let text = bench.read("flags/left.c");
        assert!(text.contains("&x, 1, memory_order_seq_cst);\r\n"), "{name}: {text}");
        let ran = bench.run("check main.c flags/left.c --monitor tso");
        assert_eq!(ran.status, 0, "{name}: {ran:?}");
    }
}

#[test]
fn fences_are_written_as_the_file_writes_them() {
    let bench = Bench::new(&[("a.c", PETERSON)]);
    let ran = bench.run("fences a.c");
    let hunk = "@@ -7,6 +7,7 @@\n static void lock(int me) {\n \tWRITE_ONCE(want[me], 1);\n \tWRITE_ONCE(turn, 1 - me);\n\
                +\tsmp_mb();\n \twhile (READ_ONCE(want[1 - me]) && READ_ONCE(turn) == 1 - me)\n \t\t;\n }\n";
    assert!(ran.output.contains(&format!("--- a/a.c\n+++ b/a.c\n{hunk}repaired: ")), "{ran:?}");
    assert_eq!(bench.read("a.c"), PETERSON);
}

#[test]
fn apply_edits_and_checks_again() {
    let bench = Bench::new(&[("a.c", PETERSON)]);
    let ran = bench.run("fences a.c --model tso,pso,power --apply");
    assert_eq!(ran.status, 0, "{ran:?}");
    let last = ran.output.lines().last().unwrap();
    assert!(
        last.starts_with("applied: ") && last.contains("it right under x86 (TSO), PSO and POWER, in a.c: all "),
        "{last}"
    );
    let text = bench.read("a.c");
    // In front of what the lock protects: none can be put into the condition of the loop.
    assert!(text.contains("\tlock(me);\n\t__atomic_thread_fence(__ATOMIC_ACQ_REL);\n"), "{text}");
    let ran = bench.run("check a.c");
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran = bench.run("fences a.c --model tso,pso,power --apply");
    assert!(ran.output.starts_with("clean: right as it is under x86 (TSO), PSO and POWER: all "), "{ran:?}");
    assert_eq!(bench.read("a.c"), text);
    // Nothing else is left in the folder.
    let mut names: Vec<String> =
        fs::read_dir(bench.path("")).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.iter().filter(|name| *name != "fencehound-out").collect::<Vec<_>>(), ["a.c"]);
}

#[test]
fn the_result_is_there_as_json() {
    let bench = Bench::new(&FLAGS);
    let found = json(&bench.run("fences main.c flags/left.c --json -"));
    assert_eq!(
        (&found["verdict"], &found["cost"], &found["schema"]),
        (&"repaired".into(), &40.into(), &1.into()),
        "{found}"
    );
    let orders: Vec<&Value> =
        found["additions"].as_array().unwrap().iter().map(|one| &one["at"]["expression"]).collect();
    assert_eq!(orders, ["x", "y"], "{found}");
    assert_eq!(found["patch"]["applied"], false);
    assert!(
        found["patch"]["text"].as_str().unwrap().starts_with("--- a/flags/left.c\n+++ b/flags/left.c\n@@ "),
        "{found}"
    );
    let applied = json(&bench.run("fences main.c flags/left.c --apply --json -"));
    assert_eq!((&applied["verdict"], &applied["patch"]["applied"]), (&"applied".into(), &true.into()), "{applied}");
    let clean = json(&bench.run("fences main.c flags/left.c --json -"));
    assert_eq!((&clean["verdict"], &clean["executions"]["tso"]), (&"clean".into(), &3.into()), "{clean}");
    assert!(clean.get("patch").is_none(), "{clean}");
}

/// What stands in a macro cannot be edited; what is as good and can be is written.
#[test]
fn what_has_no_text_is_named() {
    let atomics = "#define ST(at) atomic_store_explicit(&(at), 1, memory_order_relaxed)\n";
    let main = FLAGS[2].1.replace("atomic_store_explicit(&y, 1, memory_order_relaxed)", "ST(y)");
    let main = main.replace("atomic_int x, y;", &format!("{atomics}atomic_int x, y;"));
    let bench = Bench::new(&[FLAGS[0], FLAGS[1], ("main.c", &main)]);
    let ran = bench.run("fences main.c flags/left.c");
    assert!(ran.output.contains("     no text for it: it is inside the macro ST\n"), "{ran:?}");
    let said = "the cheapest that can be written into the text: memory_order_seq_cst at flags/left.c:3 (store x), and full fence between main.c:9";
    assert!(ran.output.contains(said), "{ran:?}");
    assert!(ran.output.contains("+    atomic_thread_fence(memory_order_seq_cst);\n"), "{ran:?}");
    // Two accesses in one expression have no room for a fence.
    let one = "#include <pthread.h>\nvolatile int x, y;\nint r1, r2;\n\
               static void *left(void *unused) { r1 = (x = 1, y); return unused; }\n\
               int main(void) { pthread_t a; pthread_create(&a, 0, left, 0); r2 = (y = 1, x); pthread_join(a, 0); return 0; }\n";
    let ran = Bench::new(&[("a.c", one)]).run("fences a.c");
    assert!(ran.output.contains("no text for it: it is inside an expression\n"), "{ran:?}");
    assert!(
        ran.output.contains("note: no patch: no such set can be written into the text safely\nrepaired: "),
        "{ran:?}"
    );
}

#[test]
fn files_elsewhere_are_not_edited() {
    let bench = Bench::new(&FLAGS);
    fs::create_dir(bench.path("work")).unwrap();
    let ran = bench.run_in("work", "fences ../main.c ../flags/left.c");
    let why = "no text for it: it is in ../main.c, which is outside of this folder\n";
    assert!(ran.output.contains(why) && !ran.output.contains("+++"), "{ran:?}");
}

#[test]
fn apply_refuses_what_it_cannot_do() {
    let bench = Bench::new(&[("a.c", PETERSON)]);
    let ran = bench.run("cc -g a.c -o a");
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran = bench.run("fences ./a --apply");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.errors.contains("error: --apply: ./a cannot be made again here\nhelp: name the .c files"), "{ran:?}");
    // Of an executable the patch is shown, and not searched.
    let ran = bench.run("fences ./a");
    assert!(
        ran.output.contains("note: the program of the new text was not searched: the executable is to be built again"),
        "{ran:?}"
    );
    assert!(ran.output.contains("+\tsmp_mb();\n"), "{ran:?}");
    let mut permissions = fs::metadata(bench.path("a.c")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(bench.path("a.c"), permissions).unwrap();
    let ran = bench.run("fences a.c --apply");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.errors.contains("error: a.c is not edited: it may not be written\nhelp: make it writable"), "{ran:?}");
    assert_eq!(bench.read("a.c"), PETERSON);
}
