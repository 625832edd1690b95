//! `fencehound cc` as makefiles, configure scripts and `CMake` use a compiler.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::{Bench, ran, tool};

/// Store buffering over two files; `x` is defined in one, used in the other.
const ONE: &str = "#include \"shared.h\"
int r1;
void *one(void *unused) {
    x = VALUE;
    r1 = y;
    return unused;
}
";
const TWO: &str = "#include \"shared.h\"
int x, y, r2;
static void *two(void *unused) {
    y = VALUE;
    r2 = x;
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";
const SHARED: &str = "#include <pthread.h>\nextern int x, y;\nvoid *one(void *);\n";

fn store_buffering() -> Bench {
    Bench::new(&[("one.c", ONE), ("two.c", TWO), ("include/shared.h", SHARED)])
}

/// Store buffering has one cycle for each thread's store, under TSO and PSO alike: the pairs (delayed, overtaking).
fn assert_store_buffering(result: &Value) {
    let pair = |violation: &Value| {
        let place = |index: usize| {
            let site = &violation["sites"][index];
            let name = Path::new(site["file"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_string();
            format!("{name}:{}", site["line"])
        };
        format!("{} {} {}", violation["monitor"].as_str().unwrap(), place(0), place(2))
    };
    let mut pairs: Vec<String> = result["violations"].as_array().unwrap().iter().map(pair).collect();
    pairs.sort();
    let expected = ["one.c:4 two.c:5", "two.c:4 one.c:5"];
    let expected: Vec<String> =
        ["pso", "tso"].iter().flat_map(|model| expected.map(|pair| format!("{model} {pair}"))).collect();
    assert_eq!(pairs, expected, "{result}");
}

/// Load buffering: each thread loads, and stores what depends on that.
const LOAD_BUFFERING: &str = "#include <assert.h>
#include <pthread.h>
static volatile int x, y;
static int one_read, two_read;
static void *one(void *unused) {
    one_read = x;
    y = (one_read ^ one_read) + 1;
    return unused;
}
static void *two(void *unused) {
    two_read = y;
#ifdef DEPENDS
    x = (two_read ^ two_read) + 1;
#else
    x = 1;
#endif
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(one_read == 1 && two_read == 1));
    return 0;
}
";

/// POWER lets both loads read 1 only where one of the stores depends on nothing.
/// What make does where it calls itself in the folders of a project.
#[test]
fn sources_are_named_and_quoted_from_the_folder_of_the_check() {
    let header = "static inline void publish(void) {\n    atomic_store_explicit(&x, 1, memory_order_relaxed);\n}\n";
    let ring = "#include <stdatomic.h>\nextern atomic_int x, y;\n#include \"publish.h\"\nint left(void) {\n    publish();\n    \
                return atomic_load_explicit(&y, memory_order_relaxed);\n}\n";
    let main = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nint left(void);\n\
                static void *body(void *unused) { left(); return unused; }\nint main(void) {\n    pthread_t thread;\n    \
                pthread_create(&thread, 0, body, 0);\n    atomic_store_explicit(&y, 1, memory_order_relaxed);\n    \
                (void)atomic_load_explicit(&x, memory_order_relaxed);\n    pthread_join(thread, 0);\n}\n";
    // A file of the same name in the folder of the check is another one.
    let bench = Bench::new(&[
        ("src/ring.c", ring),
        ("include/publish.h", header),
        ("test/main.c", main),
        ("ring.c", "\n\n\n\n\nint wrong;\n"),
    ]);
    let within = |folder: &str, line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = bench.command(tool(), &arguments).current_dir(bench.path(folder)).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    within("src", "cc -c -I../include ring.c -o ring.o");
    within("test", "cc main.c ../src/ring.o -o ../program");
    let ran = bench.run("check ./program --no-judge --monitor tso");
    assert_eq!(ran.status, 1, "{ran:?}");
    let quoted = "src/ring.c:6:12, T1 in left: while this load of y goes ahead\n    6 |     return atomic_load";
    for text in [quoted, "test/main.c:9:5, main", " include/publish.h:2"] {
        assert!(ran.output.contains(text), "{text}: {}", ran.output);
    }
    assert!(!ran.output.contains("wrong") && !ran.output.contains("(unknown"), "{}", ran.output);
    assert_eq!(bench.run("replay fencehound-out/tso-1").status, 1);
    // From beside, what is not below has its whole name.
    let arguments = ["check", "../program", "--no-judge", "--monitor", "tso"];
    let output = bench.command(tool(), &arguments).current_dir(bench.path("test")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let folder = fs::canonicalize(bench.path("src")).unwrap();
    assert!(text.contains(&format!("{}/ring.c:6:12, T1 in left", folder.display())), "{text}");
    assert!(text.contains("  main.c:9:5, main"), "{text}");
}

#[test]
fn executables_with_dependencies_are_checked_under_power() {
    let bench = Bench::new(&[("lb.c", LOAD_BUFFERING)]);
    for (options, status) in [("--power -DDEPENDS", 0), ("--power", 1), ("-DDEPENDS", 4)] {
        let built = bench.run(&format!("cc {options} -o lb lb.c"));
        assert_eq!((built.status, built.errors.as_str()), (0, ""), "{built:?}");
        let ran = bench.run("check ./lb --model power");
        assert_eq!(ran.status, status, "{options}: {ran:?}");
        assert!(status < 4 || ran.output.contains("`fencehound cc --power`"), "{ran:?}");
        assert_eq!(bench.run("check ./lb --monitor none").status, 0, "{options}");
    }
}

#[test]
fn all_ways_to_a_program_are_the_same_program() {
    let bench = store_buffering();
    let flags = "-Iinclude -DVALUE=1";
    let direct = bench.check(&format!("one.c two.c {flags}"));
    assert_store_buffering(&direct);
    for line in [
        format!("cc {flags} one.c two.c -o at-once"),
        format!("cc {flags} -c one.c two.c"),
        "cc one.o two.o -lm -o of-objects".to_string(),
        format!("cc {flags} -S one.c -o one.s"),
        "cc -c one.s -o of-assembly.o".to_string(),
        "cc of-assembly.o two.o -o of-assembly".to_string(),
        format!("cc {flags} -static-pie -O3 one.c two.c -o static"),
        format!("cc {flags} -pie -fPIE one.c two.c -o pie"),
        format!("cc {flags} -Wl,--gc-sections -ffunction-sections -s one.c two.c -o collected"),
        format!("cc {flags} -Werror -Wall -Wextra -pedantic one.c two.c -o /dev/null"),
    ] {
        bench.quietly(&line);
    }
    let archived = Command::new("ar").args(["rcs", "libone.a", "one.o"]).current_dir(bench.path("")).status().unwrap();
    assert!(archived.success());
    bench.quietly("cc two.o -L. -lone -o of-library");
    fs::write(bench.path("all.rsp"), format!("{flags} one.c\n\"two.c\" -o responding")).unwrap();
    bench.quietly("cc @all.rsp");
    fs::write(bench.path("part.rsp"), format!("{flags} -c one.c -o part.o")).unwrap();
    bench.quietly("cc @part.rsp");
    for program in ["at-once", "of-objects", "of-assembly", "static", "pie", "collected", "of-library", "responding"] {
        let result = bench.check(program);
        assert_store_buffering(&result);
        assert_eq!(result["executions"], direct["executions"], "{program}");
        let alone = Command::new(bench.path(program)).output().unwrap();
        assert_eq!(alone.status.code(), Some(0), "{program}: {alone:?}");
    }
}

#[test]
fn link_time_optimisation_is_left_out_with_a_note() {
    let bench = store_buffering();
    let note =
        |option: &str| format!("note: {option} is ignored: each file is instrumented, and then optimised by itself\n");
    let ran = bench.run("cc -flto=thin -O2 -Iinclude -DVALUE=1 one.c two.c -o program");
    assert_eq!((ran.status, ran.errors), (0, note("-flto=thin")));
    assert_store_buffering(&bench.check("program"));
    let ran = bench.run("cc -flto -Iinclude -DVALUE=1 -c one.c");
    assert_eq!((ran.status, ran.errors), (0, note("-flto")));
    assert!(fs::read(bench.path("one.o")).unwrap().starts_with(b"\x7fELF"));
    let ran = bench.run("check --cflags -flto -Iinclude -DVALUE=1 one.c two.c");
    assert_eq!((ran.status, ran.errors), (1, note("-flto")));
}

#[test]
fn make_builds_a_project() {
    let makefile = "CFLAGS = -O2 -g0 -Iinclude -DVALUE=1 -MMD -MP\n\
                    LDLIBS = -lm\n\
                    program: src/two.o libone.a\n\
                    \t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ src/two.o -L. -lone $(LDLIBS)\n\
                    libone.a: src/one.o\n\
                    \t$(AR) rcs $@ $^\n\
                    -include src/one.d src/two.d\n";
    let bench =
        Bench::new(&[("src/one.c", ONE), ("src/two.c", TWO), ("include/shared.h", SHARED), ("Makefile", makefile)]);
    let compiler = format!("CC={} cc", tool().display());
    let made = ran(&bench.command("make".as_ref(), &["-s", &compiler]).output().unwrap());
    assert_eq!((made.status, made.errors.as_str()), (0, ""), "{made:?}");
    assert!(bench.read("src/one.d").contains("include/shared.h"));
    assert_store_buffering(&bench.check("program"));
}

/// What `CMake` 3.25 does before it compiles a project: it reads the compiler's identity out of an executable, learns from
/// `-v` how the compiler links, and compiles checks that must fail.
#[test]
fn cmake_knows_the_compiler() {
    let identity = "#define STRINGIFY(x) #x\n\
                    char const *info_compiler = \"INFO\" \":\" \"compiler[\" \"Clang\" \"]\";\n\
                    char const info_version[] = {'I','N','F','O',':','v','[',('0' + __clang_major__ / 10),\n\
                    ('0' + __clang_major__ % 10),']','\\0'};\n\
                    int main(int argc, char *argv[]) {\n\
                    int require = 0;\n\
                    require += info_compiler[argc];\n\
                    require += info_version[argc];\n\
                    (void)argv;\n\
                    return require;\n}\n";
    let bench = Bench::new(&[
        ("CMakeCCompilerId.c", identity),
        ("no.c", "int nothere(void);\nint main(void) { return nothere(); }\n"),
    ]);
    bench.quietly("cc CMakeCCompilerId.c");
    let executable = fs::read(bench.path("a.out")).unwrap();
    for text in ["INFO:compiler[Clang]", "INFO:v[19]"] {
        assert!(executable.windows(text.len()).any(|bytes| bytes == text.as_bytes()), "{text}");
    }
    let compiled = bench.run("cc -v -o abi.c.o -c CMakeCCompilerId.c");
    assert!(compiled.status == 0 && compiled.errors.contains("-cc1"), "{compiled:?}");
    let linked = bench.run("cc -v abi.c.o -o cmTC_1");
    let line = linked.errors.lines().find(|line| line.contains("-o cmTC_1")).unwrap_or_default();
    assert!(linked.status == 0 && line.contains("ld.lld") && line.contains("crt1.o"), "{linked:?}");
    let refused = bench.run("cc no.c -o no");
    assert!(refused.status == 1 && refused.errors.contains("undefined symbol: nothere"), "{refused:?}");
}

#[test]
fn configure_scripts_get_their_answers() {
    let bench = Bench::new(&[("conftest.c", "int main(void) { return 0; }\n")]);
    for (line, output, errors) in [
        ("--version", "clang version 19.", ""),
        ("-v", "", "clang version 19."),
        ("-dumpmachine", "x86_64", ""),
        ("-print-prog-name=ld", "ld", ""),
        ("-print-search-dirs", "libraries:", ""),
        ("-print-file-name=libc.so", "libc.so", ""),
        ("-print-libgcc-file-name", "lib", ""),
        ("-### conftest.c", "", "-cc1"),
        ("-E conftest.c", "int main(void)", ""),
        ("-M conftest.c", "conftest.o: conftest.c", ""),
        ("-dM -E -x c /dev/null", "#define __FENCEHOUND__ 1", ""),
        ("-fsyntax-only conftest.c", "", ""),
    ] {
        let ran = bench.run(&format!("cc {line}"));
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
        assert!(ran.output.contains(output) && ran.errors.contains(errors), "{line}: {ran:?}");
    }
    for line in ["-V", "-qversion", "-c no-such-file.c", "-frobnicate -c conftest.c"] {
        assert_eq!(bench.run(&format!("cc {line}")).status, 1, "{line}");
    }
    for line in ["-x c - -o piped", "-xc -o piped -"] {
        let ran = bench.run_with(&format!("cc {line}"), "int main(void) { return 0; }\n");
        assert_eq!((ran.status, ran.errors.as_str()), (0, ""), "{line}");
        assert_eq!(bench.check("piped")["verdict"], "clean");
    }
}

#[test]
fn other_languages_are_compiled_too() {
    let bench = Bench::new(&[
        ("plain.s", ".globl seven\nseven: movl $7, %eax\n ret\n.section .note.GNU-stack\n"),
        (
            "cpp.S",
            "#ifdef __FENCEHOUND__\n.globl eight\neight: movl $8, %eax\n ret\n#endif\n.section .note.GNU-stack\n",
        ),
        ("plus.cpp", "extern \"C\" int nine() { struct S { int n = 9; } s; return s.n; }\n"),
        (
            "a.c",
            "int seven(void), eight(void), nine(void);\nint main(void) { return seven() + eight() + nine() - 24; }\n",
        ),
    ]);
    bench.quietly("cc -g -c plain.s cpp.S plus.cpp");
    bench.quietly("cc a.c plain.o cpp.o plus.o -o program");
    let result = bench.check("program");
    assert_eq!((&result["verdict"], &result["uninstrumented"]), (&json!("clean"), &json!(["eight", "seven"])));
    assert_eq!(Command::new(bench.path("program")).output().unwrap().status.code(), Some(0));
}

#[test]
fn what_is_not_instrumented_is_listed_and_refused_where_it_matters() {
    let bench = Bench::new(&[
        (
            "library.c",
            "int twice(int n) { return 2 * n; }\nvoid bump(int *n) { ++*n; }\nint unused(void) { return 0; }\n",
        ),
        (
            "main.c",
            "#include <pthread.h>\nint twice(int);\nvoid bump(int *);\nint unused(void);\nint x;\n\
         static void *body(void *v) {\n    if (twice(0)) unused();\n#ifdef SHARED\n    bump(&x);\n#endif\n    return v;\n}\n\
         int main(void) {\n    pthread_t a;\n    pthread_create(&a, 0, body, 0);\n    pthread_join(a, 0);\n    return 0;\n}\n",
        ),
    ]);
    let plain = Command::new("clang-19").args(["-c", "library.c"]).current_dir(bench.path("")).status().unwrap();
    assert!(plain.success());
    bench.quietly("cc main.c library.o -o program");
    let result = bench.check("program");
    assert_eq!((&result["verdict"], &result["uninstrumented"]), (&json!("clean"), &json!(["twice"])));
    bench.quietly("cc -DSHARED main.c library.o -o program");
    let result = bench.check("program");
    assert_eq!((&result["verdict"], &result["uninstrumented"]), (&json!("unsupported"), &json!(["bump", "twice"])));
    assert_eq!(result["unsupported"][0]["line"], 9, "{result}");
}

#[test]
fn an_instrumented_shared_library_is_refused_by_name() {
    let bench = store_buffering();
    let flags = "-Iinclude -DVALUE=1";
    bench.quietly(&format!("cc {flags} -shared -fPIC -Wl,--no-undefined one.c -o libone.so"));
    bench.quietly(&format!("cc {flags} two.c -L. -lone -Wl,-rpath,$ORIGIN -o program"));
    let result = bench.check("program");
    assert_eq!(result["verdict"], "unsupported", "{result}");
    let what = result["unsupported"][0]["what"].as_str().unwrap();
    assert!(what.contains("shared library") && what.contains("libone.so"), "{what}");
    assert_eq!((&result["unsupported"][0]["file"], &result["unsupported"][0]["line"]), (&json!("one.c"), &json!(4)));
    for (file, message) in [("libone.so", "a shared library"), ("one.o", "an object file")] {
        bench.quietly(&format!("cc {flags} -c one.c"));
        let ran = bench.run(&format!("check {file}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.errors.starts_with(&format!("error: {file}: {message}\nhelp: ")), "{ran:?}");
    }
}

#[test]
fn a_library_that_ends_the_process_is_not_our_bug() {
    let bench = Bench::new(&[
        ("library.c", "#include <stdlib.h>\n#include <unistd.h>\nvoid stop(void) { END; }\n"),
        ("main.c", "void stop(void);\nint main(void) {\n    stop();\n    return 0;\n}\n"),
    ]);
    for (end, verdict, words) in [
        ("exit(3)", "unsupported", "an exit in code that is not instrumented, after a call of stop"),
        ("abort()", "violations", "abort was called in a library"),
        ("_exit(3)", "error", "code that is not instrumented ended the program with status 3"),
    ] {
        let mut plain = Command::new("clang-19");
        plain.args(["-c", "library.c", &format!("-DEND={end}")]).current_dir(bench.path(""));
        assert!(plain.status().unwrap().success());
        bench.quietly("cc main.c library.o -o program");
        let result = bench.check("program");
        assert_eq!(result["verdict"], verdict, "{result}");
        assert!(result.to_string().contains(words), "{result}");
        if verdict == "violations" {
            assert_eq!(result["violations"][0]["sites"][0]["line"], 3, "{result}");
            assert_eq!(bench.run("replay fencehound-out/crash-1").status, 1);
        }
    }
}

#[test]
fn a_link_to_the_tool_is_a_compiler() {
    let bench = store_buffering();
    std::os::unix::fs::symlink(tool(), bench.path("fencehound-cc")).unwrap();
    let arguments = ["-DVALUE=1", "-Iinclude", "one.c", "two.c", "-o", "program"];
    let made = ran(&bench.command(&bench.path("fencehound-cc"), &arguments).output().unwrap());
    assert_eq!((made.status, made.errors.as_str()), (0, ""), "{made:?}");
    assert_eq!(bench.run("check ./program").status, 1);
    std::os::unix::fs::symlink(tool(), bench.path("fencehound-19")).unwrap();
    let other = ran(&bench.command(&bench.path("fencehound-19"), &["--version"]).output().unwrap());
    assert_eq!(other.status, 0, "another name means nothing: {other:?}");
}

/// Store buffering in C++, which uses the standard library besides.
const PLUS: &str = "\
#include <atomic>
#include <cassert>
#include <pthread.h>
#include <string>
static std::atomic<int> x{0}, y{0};
static int r1, r2;
static void *one(void *unused) {
    x.store(1, std::memory_order_relaxed);
    r1 = y.load(std::memory_order_relaxed);
    return unused;
}
static void *two(void *unused) {
    y.store(1, std::memory_order_relaxed);
    r2 = x.load(std::memory_order_relaxed);
    return unused;
}
int main() {
    pthread_t a, b;
    pthread_create(&a, nullptr, one, nullptr);
    pthread_create(&b, nullptr, two, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    std::string word = std::to_string(r1 + r2);
    assert(word != \"0\");
}
";

#[test]
fn programs_in_the_other_language_are_linked_by_the_other_compiler() {
    let bench = Bench::new(&[("plus.cpp", PLUS)]);
    std::os::unix::fs::symlink(tool(), bench.path("fencehound-c++")).unwrap();
    let made = ran(&bench.command(&bench.path("fencehound-c++"), &["plus.cpp", "-o", "program"]).output().unwrap());
    assert_eq!((made.status, made.errors.as_str()), (0, ""), "{made:?}");
    let result = bench.check("./program --monitor none --model tso --explorer bounded");
    assert_eq!(result["violations"][0]["kind"], "assertion", "{result}");
    bench.quietly("c++ -c plus.cpp -o plus.o");
    bench.quietly("c++ plus.o -o again");
    assert_eq!(Command::new(bench.path("again")).output().unwrap().status.code(), Some(0));
}
