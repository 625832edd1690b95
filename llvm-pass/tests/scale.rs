//! The work of the pass grows with the size of a file, and not with its square. Counted is the processor's time of clang and the
//! pass, for a file and for one that is eight times as long: between eight and sixty-four times as much lies enough to tell the
//! two apart on a busy machine.

#[path = "support/building.rs"]
mod building;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use building::{plugin, run};

/// The number of pieces of the shorter file; the longer one has [`TIMES`] as many.
const PIECES: usize = 500;
const TIMES: usize = 8;

/// The most that the longer file may take, in times of the shorter one.
const MOST: u64 = 24;

/// How often files are compiled that take longer; the shortest time counts.
const TRIALS: usize = 3;

/// Returns a file of this many pieces.
fn source(pieces: usize, piece: fn(&mut String, usize) -> std::fmt::Result) -> String {
    let mut text =
        String::from("#include <pthread.h>\n#include <stdatomic.h>\nextern int other;\nvoid foreign(int *);\n");
    (0..pieces).try_for_each(|number| piece(&mut text, number)).expect("a string can be written to");
    text
}

/// Each is a way for the pass to compare all of something with all of it.
#[test]
fn the_pass_takes_time_that_is_linear_in_the_size_of_the_file() {
    let plugin = plugin();
    check(&plugin, "variables", |text, one| {
        writeln!(text, "int v{one}; struct s{one} {{ int a, b; }} w{one} = {{ 1, 2 }};")
    });
    check(&plugin, "functions that do nothing visible", |text, one| {
        writeln!(text, "void f{}(void); void f{one}(void) {{ f{}(); }}", one + 1, one + 1)
    });
    check(&plugin, "calls that are followed for fences", |text, one| {
        writeln!(text, "int f{}(void); int f{one}(void) {{ return other + f{}(); }}", one + 1, one + 1)
    });
    check(&plugin, "wrappers", |text, one| {
        writeln!(text, "static inline int g{one}(int *p) {{ return __atomic_load_n(p, 2); }}")?;
        writeln!(text, "int u{one}(int *p) {{ return g{one}(p) + g{one}(p + 1); }}")
    });
    check(&plugin, "locks", |text, one| {
        writeln!(text, "pthread_mutex_t m{one} = PTHREAD_MUTEX_INITIALIZER;")?;
        writeln!(text, "void f{one}(void) {{ pthread_mutex_lock(&m{one}); other++; pthread_mutex_unlock(&m{one}); }}")
    });
    check(&plugin, "loops, locals, calls", |text, one| {
        writeln!(text, "int f{one}(int n) {{ int l = n, a[4] = {{ n }}; foreign(&l);")?;
        writeln!(text, "for (int i = 0; i < l; i++) a[i & 3] += other; return a[n & 3]; }}")
    });
    check_body(&plugin, "compare-and-exchanges in a function", |text, one| {
        writeln!(text, "atomic_compare_exchange_weak(&p[{one}], &n, n);")
    });
    check_body(&plugin, "branches in a function", |text, one| writeln!(text, "if (p[{one}] == n) return n + {one};"));
    check_body(&plugin, "locals of a function", |text, one| writeln!(text, "int l{one} = n; foreign(&l{one});"));
}

/// Compares files of pieces.
fn check(plugin: &Path, what: &str, piece: fn(&mut String, usize) -> std::fmt::Result) {
    compare(plugin, what, [PIECES, TIMES * PIECES].map(|pieces| source(pieces, piece)));
}

/// Compares files of one function with pieces in it.
fn check_body(plugin: &Path, what: &str, piece: fn(&mut String, usize) -> std::fmt::Result) {
    let inside = |pieces| {
        let (head, all) = (source(0, piece), source(pieces, piece));
        format!("{head}int f(atomic_int *p, int n) {{\n{}return 0; }}\n", &all[head.len()..])
    };
    compare(plugin, what, [PIECES, TIMES * PIECES].map(inside));
}

fn compare(plugin: &Path, what: &str, files: [String; 2]) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let [short, long] = [folder.path().join("short.c"), folder.path().join("long.c")];
    [&short, &long]
        .into_iter()
        .zip(files)
        .for_each(|(file, text)| fs::write(file, text).expect("a file can be written"));
    let mut least = [u64::MAX; 2];
    for _ in 0..TRIALS {
        least = [ticks(plugin, &short).min(least[0]), ticks(plugin, &long).min(least[1])];
        if least[1] <= MOST * least[0].max(2) {
            return;
        }
    }
    panic!("{what}: {} ticks become {} where there are {TIMES} times as many", least[0], least[1]);
}

/// Compiles a file, and returns the ticks of the processor that it took.
fn ticks(plugin: &Path, file: &Path) -> u64 {
    let before = ticks_of_children();
    let mut clang = Command::new("clang-19");
    clang.arg(format!("-fpass-plugin={}", plugin.display()));
    clang.args(["-g", "-O0", "-w", "-fno-common", "-S", "-emit-llvm", "-o", "/dev/null"]).arg(file);
    run(&mut clang);
    ticks_of_children() - before
}

/// Returns the ticks of the processor that children which were waited for took, as the system counts them (`man 5 proc`).
fn ticks_of_children() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").expect("the system tells of processes");
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields[13].parse().expect("the system counts the time of children")
}
