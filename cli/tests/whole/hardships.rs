//! What a system may do to the tool: limits, full disks, other searches in the same folder, strange files.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;
use std::time::Duration;

use crate::bench::{Bench, Ran, tool};

/// Two threads store and load, so often that a search of all executions lasts, and its checkpoint is long.
const LONG: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
static void *body(void *mine) {
    for (int i = 0; i < 6; i++) {
        atomic_fetch_add((atomic_int *)mine, 1);
        atomic_load(mine == &x ? &y : &x);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, body, &x);
    pthread_create(&b, 0, body, &y);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// An assertion fails in each execution.
const FAILS: &str = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x == 2); }\n";

/// The assertion fails in the third run of the program since the file was made, and in no other.
const ONCE: &str = "#include <assert.h>
#include <fcntl.h>
#include <unistd.h>
volatile int x;
int main(void) {
    int file = open(\"runs\", O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert(write(file, \"x\", 1) == 1);
    assert(lseek(file, 0, SEEK_END) != 3);
    close(file);
    return x;
}
";

/// Runs the tool under limits of bash.
fn limited(bench: &Bench, limits: &str, line: &str) -> Ran {
    let script = format!("{limits}; exec {} {line}", tool().display());
    crate::bench::ran(&bench.command("bash".as_ref(), &["-c", &script]).output().unwrap())
}

#[test]
fn what_does_not_come_again_is_laid_to_files_that_outlive_executions() {
    let bench = Bench::new(&[("once.c", ONCE)]);
    let ran = bench.run("check once.c --explorer random --executions 5");
    assert_eq!(ran.status, 1, "{ran:?}");
    let note = "note: assertion-1 did not come again when its schedule was run once more: ";
    assert!(ran.errors.contains(note), "{ran:?}");
    assert!(ran.errors.contains("help: let each execution begin alike: what lseek, open, write may reach"), "{ran:?}");
}

#[test]
fn limits_of_memory_are_named_or_do_not_matter() {
    let bench = Bench::new(&[("a.c", FAILS)]);
    bench.quietly("cc a.c -o program");
    for (limits, said) in [
        (
            "ulimit -v 4000000",
            "about 100 GiB of addresses, and may have 4000000 KiB\nhelp: allow it: ulimit -v unlimited",
        ),
        ("ulimit -s 500", "1024 KiB of stack, and may have 500 KiB\nhelp: allow it: ulimit -s 8192\n"),
        ("ulimit -s 80", "1024 KiB of stack, and may have 80 KiB\nhelp: allow it: ulimit -s 8192\n"),
    ] {
        for target in ["program", "a.c"] {
            let ran = limited(&bench, limits, &format!("check {target}"));
            assert_eq!(ran.status, 2, "{limits}: {ran:?}");
            assert!(ran.errors.contains(said), "{limits}: {ran:?}");
        }
    }
    // What the user may allow again needs no word.
    for limits in ["ulimit -S -v 4000000", "ulimit -S -s 500"] {
        let ran = limited(&bench, limits, "check program");
        assert_eq!(ran.status, 1, "{limits}: {ran:?}");
    }
}

#[test]
fn a_full_disk_loses_no_result() {
    let bench = Bench::new(&[("long.c", LONG), ("fails.c", FAILS)]);
    bench.quietly("cc -O1 long.c -o long");
    bench.quietly("cc -O1 fails.c -o fails");
    let search = "check long --explorer bounded --preemptions 4 --slice-executions 500 -j 1 --monitor none";
    let whole = bench.run(search);
    assert!(whole.status == 0 && whole.verdict().starts_with("clean: all "), "{whole:?}");
    // Files of at most 4 KiB: a search that has just begun can be saved, and one that is over, but none between.
    let ran = limited(&bench, "ulimit -f 4", &format!("{search} --checkpoint state"));
    assert_eq!((ran.status, ran.verdict()), (0, whole.verdict()), "{ran:?}");
    fs::remove_file(bench.path("state")).unwrap();
    let search = format!("{search} --executions 5000");
    let part = bench.run(&search);
    assert_eq!(part.status, 3, "{part:?}");
    let ran = limited(&bench, "ulimit -f 4", &format!("{search} --checkpoint state"));
    assert_eq!((ran.status, ran.verdict()), (2, part.verdict()), "{ran:?}");
    assert!(ran.errors.contains("error: state: cannot be written: "), "{ran:?}");
    let ran = limited(&bench, "ulimit -f 4", &format!("check fails -- {}", "x".repeat(5000)));
    assert!(ran.status == 2 && ran.verdict().starts_with("violations: "), "{ran:?}");
    assert!(ran.errors.contains("findings cannot be written: "), "{ran:?}");
    assert_eq!(fs::read_dir(bench.path("fencehound-out")).map_or(0, Iterator::count), 0, "no half of a finding");
}

#[test]
fn two_searches_do_not_mix_their_findings() {
    let bench = Bench::new(&[("long.c", LONG), ("fails.c", FAILS)]);
    bench.quietly("cc -O1 long.c -o long");
    let mut command = Command::new(tool());
    command
        .args(["check", "long", "--explorer", "bounded", "--preemptions", "none", "--checkpoint", "state"])
        .current_dir(bench.path("."));
    let mut first = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    while !bench.path("state").exists() {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = bench.run("check fails.c");
    assert_eq!((second.status, second.output.as_str()), (2, ""), "{second:?}");
    let said = "error: fencehound-out/: another search writes its findings there\nhelp: wait for its end, or name";
    assert!(second.errors.starts_with(said), "{second:?}");
    assert_eq!(bench.run("check fails.c --out elsewhere").status, 1);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(bench.run("check fails.c").status, 1);
}

#[test]
fn findings_of_a_program_that_does_not_compile_any_more_are_removed() {
    let bench = Bench::new(&[("a.c", FAILS), ("fencehound-out/mine/notes", "mine\n")]);
    assert_eq!(bench.run("check a.c").status, 1);
    assert!(bench.path("fencehound-out/assertion-1").exists());
    fs::write(bench.path("a.c"), "int main(void) { return }\n").unwrap();
    assert_eq!(bench.run("check a.c").status, 5);
    assert!(!bench.path("fencehound-out/assertion-1").exists());
    assert_eq!(bench.read("fencehound-out/mine/notes"), "mine\n");
}

#[test]
fn pipes_are_no_sources_and_a_log_is_a_file() {
    let bench = Bench::new(&[("a.c", FAILS)]);
    for name in ["pipe.c", "pipe.litmus"] {
        assert!(Command::new("mkfifo").arg(bench.path(name)).status().unwrap().success());
        let ran = bench.run(&format!("check {name}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.errors.starts_with(&format!("error: {name}: is no file but a pipe or a device\n")), "{ran:?}");
    }
    for option in ["--record", "--checkpoint"] {
        let ran = bench.run(&format!("check a.c {option} -"));
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{ran:?}");
        let refused = format!("error: {option} does not write to the standard output");
        assert!(ran.errors.starts_with(&refused), "{ran:?}");
        assert!(!bench.path("-").exists());
    }
}

#[test]
fn files_that_are_written_may_have_any_name() {
    let bench = Bench::new(&[("a.c", FAILS)]);
    let name = |prefix: &[u8]| OsString::from_vec([prefix, b"\xff\xfe"].concat());
    let mut command = bench.command(tool(), &["check", "a.c", "--out"]);
    command.arg(name(b"out")).arg("--json").arg(name(b"json")).arg("--checkpoint").arg(name(b"state"));
    let ran = crate::bench::ran(&command.output().unwrap());
    assert_eq!(ran.status, 1, "{ran:?}");
    let folder = bench.path("");
    for file in [name(b"json"), name(b"state")] {
        assert!(folder.join(file).is_file(), "{ran:?}");
    }
    let mut command = bench.command(tool(), &["replay"]);
    let again = crate::bench::ran(&command.arg(folder.join(name(b"out")).join("assertion-1")).output().unwrap());
    assert_eq!(again.status, 1, "{again:?}");
}

#[test]
fn what_is_checked_may_have_any_name() {
    let bench = Bench::new(&[("sb.litmus", "X86 SB\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")]);
    let name = |end: &str| OsString::from_vec([b"n\xff\xfe", end.as_bytes()].concat());
    fs::write(bench.path("").join(name(".c")), FAILS).unwrap();
    fs::copy(bench.path("sb.litmus"), bench.path("").join(name(".litmus"))).unwrap();
    let compiled = bench.command(tool(), &["cc", "-o"]).arg(name("")).arg(name(".c")).status().unwrap();
    assert!(compiled.success());
    for (end, status, said) in [(".c", 1, "n\u{fffd}\u{fffd}.c:3:"), ("", 1, "assertion"), (".litmus", 0, "Test SB")] {
        let ran = crate::bench::ran(&bench.command(tool(), &["check"]).arg(name(end)).output().unwrap());
        assert_eq!(ran.status, status, "{ran:?}");
        assert!(ran.output.contains(said), "{ran:?}");
    }
}

#[test]
fn what_is_not_supported_comes_with_what_to_do() {
    let assembly =
        "int x;\nint main(void) { __asm__ volatile(\"vmovups (%0), %%ymm0\" : : \"r\"(&x) : \"memory\"); }\n";
    let fork = "#include <unistd.h>\nint main(void) { return fork() < 0; }\n";
    let bench = Bench::new(&[("assembly.c", assembly), ("fork.c", fork)]);
    for file in ["assembly.c", "fork.c"] {
        let ran = bench.run(&format!("check {file}"));
        assert_eq!(ran.status, 4, "{ran:?}");
        assert!(ran.output.contains("\nhelp: docs/limits.md says what can be run under control"), "{ran:?}");
        assert!(ran.output.contains("--asm-templates FILE (docs/inline-assembly.md)"), "{ran:?}");
    }
}
