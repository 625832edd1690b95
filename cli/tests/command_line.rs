//! The command line from outside: exit statuses, verdict lines, files, bad input.
//!
//! The pass and the runtime are stand-ins (`tests/fake`): a plugin that does nothing, and a runtime that answers with
//! canned messages. So these tests are about the tool alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use protocol::{
    FailureKind, Harvest, Identity, Message, MonitorName, MonitorTally, Operation, Packed, Place, Prefixes, Role,
    Schedule, Segment, Sighting, SiteUse, SliceEnd, Tally, Trace, TraceEvent, Unit, Violation,
};
use serde_json::Value;

/// An installation of the tool with the stand-ins.
struct Installation {
    tool: PathBuf,
    /// A program with the stand-in runtime.
    program: PathBuf,
    /// A program without.
    foreign: PathBuf,
}

fn clang(arguments: &[&dyn AsRef<std::ffi::OsStr>]) {
    let status = Command::new("clang-19").args(arguments.iter().map(AsRef::as_ref)).status().unwrap();
    assert!(status.success());
}

fn installation() -> &'static Installation {
    static INSTALLED: OnceLock<Installation> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installation");
        drop(fs::remove_dir_all(&root));
        let library = root.join("lib/fencehound");
        for folder in ["bin", "lib/fencehound", "include"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
        let tool = root.join("bin/fencehound");
        fs::copy(env!("CARGO_BIN_EXE_fencehound"), &tool).unwrap();
        fs::write(root.join("include/fencehound.h"), "#define FROM_FENCEHOUND 1\n").unwrap();
        clang(&[&"-shared", &"-fPIC", &fake.join("plugin.c"), &"-o", &library.join("libfencehound_pass.so")]);
        let object = root.join("runtime.o");
        let build = std::str::from_utf8(&protocol::BUILD).unwrap();
        clang(&[&"-c", &format!("-DBUILD=\"{build}\""), &fake.join("runtime.c"), &"-o", &object]);
        let archive = library.join("libfencehound_runtime.a");
        let status = Command::new("ar").arg("rcs").arg(&archive).arg(&object).status().unwrap();
        assert!(status.success());
        let program = root.join("program");
        clang(&[&fake.join("program.c"), &archive, &"-o", &program]);
        let foreign = root.join("foreign");
        fs::write(root.join("foreign.c"), "int main(void) { return 0; }\n").unwrap();
        clang(&[&root.join("foreign.c"), &"-o", &foreign]);
        Installation { tool, program, foreign }
    })
}

/// A folder to work in, with canned answers.
struct Bench {
    folder: tempfile::TempDir,
}

/// What the tool did.
#[derive(Debug, PartialEq)]
struct Ran {
    status: i32,
    output: String,
    errors: String,
}

impl Ran {
    fn verdict(&self) -> &str {
        self.output.lines().last().unwrap_or_default()
    }
}

/// What a slice is to give.
enum Canned {
    Reported(Box<Violation>),
    Unsupported(String, Place),
    /// The counts, and whether nothing is left.
    End(Box<Tally>, bool),
    Said(Message),
}

/// The messages of a slice.
fn messages(explored: &[Canned]) -> Vec<Message> {
    let mut found = Vec::new();
    let mut end = SliceEnd::Open;
    let mut messages = Vec::new();
    for canned in explored {
        match canned {
            Canned::Reported(violation) => {
                let number = u32::try_from(found.len()).unwrap();
                let identity = match violation.monitor {
                    Some(monitor) => Identity::Reported(monitor, number, number),
                    None => Identity::failed(violation.kind, &number.to_string(), &[]),
                };
                found.push(Sighting {
                    identity,
                    executions: 1,
                    grounds: protocol::Grounds::default(),
                    violation: Some(violation.clone()),
                    rank: None,
                });
            }
            Canned::Unsupported(what, place) => {
                end = SliceEnd::Unsupported { what: what.clone(), place: place.clone() };
            }
            Canned::End(tally, complete) => {
                let rest = Unit { weight: 0.5, prefixes: Prefixes::Packed(Packed(vec![0])) };
                messages.push(Message::Harvest(Box::new(Harvest {
                    end: end.clone(),
                    left: if *complete { Vec::new() } else { vec![rest] },
                    next: Vec::new(),
                    threads: vec![Vec::new()],
                    tally: Tally::clone(tally),
                    found: std::mem::take(&mut found),
                    recorded: String::new(),
                    divisions: Vec::new(),
                    news: Vec::new(),
                    located: Vec::new(),
                    facts: Vec::new(),
                })));
            }
            Canned::Said(message) => messages.push(message.clone()),
        }
    }
    messages
}

impl Bench {
    fn new(explored: &[Canned], replayed: &[Message]) -> Bench {
        let lines = |messages: &[Message]| {
            let line = |message| serde_json::to_string(message).unwrap() + "\n";
            messages.iter().map(line).collect::<String>()
        };
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        bench.write("explored", &lines(&messages(explored)));
        bench.write("replayed", &lines(replayed));
        fs::copy(&installation().program, bench.path("program")).unwrap();
        bench
    }

    fn empty() -> Bench {
        Bench::new(&[], &[])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&installation().tool);
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, line: &str) -> Ran {
        ran(self.command(line).output().unwrap())
    }

    /// Checks the program with the canned answers, none of which is of an execution graph.
    fn check(&self, options: &str) -> Ran {
        self.run(&format!("check program --no-judge --explorer bounded {options} -- explored replayed"))
    }
}

fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

fn counted(executions: u64, violations: u32) -> Tally {
    let count = |count: u32| MonitorTally {
        reporting: count.into(),
        triples: (0..count).map(|number| (number, number, number)).collect(),
        ..MonitorTally::default()
    };
    Tally {
        executions,
        runs: executions,
        events: 6 * executions,
        seconds: 0.5,
        monitors: vec![count(violations), count(0)],
        ..Tally::default()
    }
}

fn end(tally: Tally) -> Canned {
    Canned::End(Box::new(tally), true)
}

/// The end of a slice of which something is left.
fn open(tally: Tally) -> Canned {
    Canned::End(Box::new(tally), false)
}

fn site(role: Role, thread: u32, line: u32) -> SiteUse {
    SiteUse {
        role,
        thread,
        place: Place::new("sb.c".to_string(), line, 3),
        function: "f".to_string(),
        operation: Operation::Store,
        expression: "x".to_string(),
    }
}

fn violation(line: u32) -> Violation {
    Violation {
        kind: FailureKind::ScViolation,
        monitor: Some(MonitorName::Tso),
        message: "delayed".to_string(),
        subject: String::new(),
        sites: vec![site(Role::Delayed, 1, line), site(Role::Previous, 2, 5), site(Role::Overtaking, 2, 6)],
        events: Some([0, 1, 2]),
        program_counter: None,
        schedule: Schedule {
            threads: vec![vec![], vec![0], vec![1]],
            segments: vec![segment(1, 1, 4), segment(2, 2, 6)],
            ..Schedule::default()
        },
    }
}

fn segment(thread: u32, events: u64, line: u32) -> Segment {
    Segment { thread, events, last: Place::new("sb.c".to_string(), line, 3), nth: 1 }
}

fn assertion() -> Violation {
    let sites = vec![site(Role::At, 1, 4)];
    Violation { kind: FailureKind::Assertion, monitor: None, events: None, sites, ..violation(4) }
}

fn trace(violations: Vec<Violation>) -> Message {
    let event = |thread, line, address, written| TraceEvent {
        thread,
        place: Place::new("sb.c".to_string(), line, 3),
        function: "f".to_string(),
        operation: if written { Operation::Store } else { Operation::Load },
        target: format!("v{address}"),
        address,
        width: 1,
        read: (!written).then_some(1),
        written: written.then_some(1),
        read_pointee: String::new(),
        written_pointee: String::new(),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending: vec![vec![0], vec![0]],
    };
    let events = vec![event(1, 4, 1, true), event(2, 5, 1, false), event(2, 6, 2, true)];
    Message::Replayed(Box::new(Trace { events, violations }))
}

fn reported(violation: Violation) -> Canned {
    Canned::Reported(Box::new(violation))
}

#[test]
fn clean_leaves_nothing_behind() {
    let bench = Bench::new(&[end(counted(3, 0))], &[]);
    let ran = bench.check("");
    let expected = "clean: all 3 executions with at most 2 preemptions; no SC violation under TSO or PSO\n";
    assert_eq!(ran, Ran { status: 0, output: expected.to_string(), errors: String::new() });
    assert!(!bench.path("fencehound-out").exists());
}

#[test]
fn violations_are_stored_shown_and_replayed() {
    let bench = Bench::new(
        &[reported(violation(4)), reported(assertion()), end(counted(3, 1))],
        &[trace(vec![violation(4), assertion()])],
    );
    bench.write("sb.c", "\n\n\n  x = 1;\n  r = x;\n  x = 2;\n");
    let first = bench.check("--json result.json");
    assert_eq!(first.status, 1, "{first:?}");
    assert_eq!(
        first.verdict(),
        "violations: 1 assertion, 1 distinct SC violation under TSO, none under PSO in 3 executions (at most 2 \
         preemptions)"
    );
    for part in ["4 |   x = 1;", "store buffers (TSO)", "cycle:", "replay: fencehound replay fencehound-out/tso-1\n"] {
        assert!(first.output.contains(part), "{part} is not in\n{}", first.output);
    }
    let json: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    assert_eq!(json["verdict"], "violations");
    assert_eq!(json["violations"][1]["finding"], "fencehound-out/assertion-1/");
    assert!(bench.read("fencehound-out/tso-1/report.txt").contains("SC violation under TSO"));
    assert_eq!(bench.check("--json result.json"), first);

    let replayed = bench.run("replay fencehound-out/tso-1/");
    assert_eq!(replayed.status, 1, "{replayed:?}");
    assert_eq!(
        replayed.verdict(),
        "reproduced: tso-1: SC violation under TSO: store x at sb.c:4 delayed, store x at sb.c:6 goes ahead"
    );
    assert_eq!(bench.run("replay fencehound-out/tso-1/finding.json"), replayed);
    let mut stepped = bench.command("replay fencehound-out/tso-1 --step");
    let stepped = ran(stepped.stdin(Stdio::null()).output().unwrap());
    assert_eq!((stepped.status, stepped.verdict()), (1, replayed.verdict()));
}

#[test]
fn findings_of_the_run_before_are_removed_and_nothing_else() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(4)])]);
    assert_eq!(bench.check("").status, 1);
    bench.write("fencehound-out/notes", "mine");
    let clean = messages(&[end(counted(3, 0))]);
    bench.write("explored", &(serde_json::to_string(&clean[0]).unwrap() + "\n"));
    assert_eq!(bench.check("").status, 0);
    assert!(!bench.path("fencehound-out/tso-1").exists());
    assert_eq!(bench.read("fencehound-out/notes"), "mine");
}

#[test]
fn many_findings_take_a_line_each() {
    let lines: Vec<u32> = (1..=60).collect();
    let mut explored: Vec<Canned> = lines.iter().map(|line| reported(violation(*line))).collect();
    explored.push(end(counted(9, 60)));
    let bench = Bench::new(&explored, &[trace(lines.iter().map(|line| violation(*line)).collect())]);
    let ran = bench.check("");
    assert_eq!(ran.status, 1);
    assert_eq!(ran.output.matches("execution, as it was run").count(), 1);
    assert_eq!(ran.output.matches("replay: fencehound").count(), 3);
    assert!(ran.output.contains("\n… and 10 more in fencehound-out/\n"), "{}", ran.output);
    assert!(bench.path("fencehound-out/tso-60/finding.json").exists());
}

#[test]
fn a_finding_that_does_not_replay_is_an_internal_error() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(5)])]);
    let ran = bench.check("--json -");
    assert_eq!(ran.status, 70, "{ran:?}");
    assert!(ran.errors.contains("internal error: finding tso-1 did not replay"), "{}", ran.errors);
    let json: Value = serde_json::from_str(&ran.output).unwrap();
    assert_eq!(json["verdict"], "error");
    assert_eq!(bench.run("replay fencehound-out/tso-1").status, 0);
}

#[test]
fn an_incomplete_search_is_never_clean() {
    let bench = Bench::new(&[open(counted(3, 0))], &[]);
    let ran = bench.run("check program --explorer bounded --time 500ms -- explored replayed slow");
    assert_eq!(ran.status, 3);
    assert_eq!(ran.verdict(), "incomplete: 3 executions, stopped by --time 500ms; nothing found");
}

#[test]
fn something_unsupported_is_named() {
    let place = Place::new("sb.c".to_string(), 7, 2);
    let unsupported = Canned::Unsupported("fork".to_string(), place);
    let bench = Bench::new(&[unsupported, end(counted(1, 0))], &[]);
    let ran = bench.check("--json result.json");
    assert_eq!((ran.status, ran.verdict()), (4, "unsupported: fork at sb.c:7:2"));
    let json: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    assert_eq!(json["unsupported"][0]["line"], 7);
}

#[test]
fn a_program_that_fails_inside_is_an_internal_error() {
    let bench = Bench::new(&[reported(violation(4))], &[]);
    for command in ["check program --explorer bounded", "fences program", "relax program"] {
        let killed = bench.run(&format!("{command} -- explored replayed segv"));
        assert_eq!(killed.status, 70, "{command}: {killed:?}");
        assert_eq!(
            killed.verdict(),
            "error: internal error: the program was killed by signal 11 (SIGSEGV) before it gave its result"
        );
        assert!(killed.errors.contains("help: this is a bug in fencehound"));
    }
    let silent = bench.check("");
    assert!(silent.verdict().contains("the program ended with status 0 before it gave its result"), "{silent:?}");

    let words = Canned::Said(Message::Internal("the clock runs backwards".to_string()));
    let ran = Bench::new(&[words], &[]).check("");
    assert_eq!(ran.status, 70);
    assert!(ran.verdict().ends_with("the runtime failed: the clock runs backwards"));

    bench.write("explored", "{\"applause\": 1}\n");
    let ran = bench.check("");
    assert_eq!(ran.status, 70);
    assert!(ran.verdict().contains("something that is no message"), "{ran:?}");
}

/// The program at work.
fn waiting(bench: &Bench, how: &str) -> Child {
    let ready = bench.path("ready");
    let child = bench.command(&format!("check program -- explored replayed {how} ready")).spawn().unwrap();
    while !ready.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

fn interrupted(bench: &Bench, how: &str) -> Child {
    let child = waiting(bench, how);
    press(&child);
    child
}

fn press(child: &Child) {
    signal(child, "-INT");
}

#[test]
fn ctrl_c_gives_the_partial_result() {
    let bench = Bench::new(&[open(counted(3, 0))], &[]);
    let ran = ran(interrupted(&bench, "wait").wait_with_output().unwrap());
    assert_eq!((ran.status, ran.verdict()), (3, "incomplete: 3 executions, stopped by Ctrl-C; nothing found"));
}

#[test]
fn a_second_ctrl_c_kills() {
    let bench = Bench::empty();
    let child = interrupted(&bench, "stubborn");
    // The program has been told of the first one: two at once would be one signal.
    while bench.path("ready").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    press(&child);
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!((ran.status, ran.verdict()), (3, "incomplete: 0 executions, stopped by Ctrl-C; nothing found"));
}

#[test]
fn sources_are_compiled_and_changes_noticed() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(4)])]);
    bench.write("own.h", "int fake_main(int count, char **arguments);\n");
    bench.write("main.c", "#include <fencehound.h>\n#include \"own.h\"\n#if !FROM_FENCEHOUND || !__FENCEHOUND__ || !MINE\n#error\n#endif\nint other(int, char **);\nint main(int c, char **v) { return other(c, v); }\n");
    bench.write("other.c", "#include \"own.h\"\nint other(int c, char **v) { return fake_main(c, v); }\n");
    let options = "-O2 -D MINE=1 -std=c17 -pthread --cflags -Wall";
    let ran =
        bench.run(&format!("check main.c other.c --no-judge --explorer bounded {options} -- explored replayed print"));
    assert_eq!((ran.status, ran.errors.as_str()), (1, ""), "{ran:?}");
    assert!(!ran.output.contains("own words"));
    let finding: Value = serde_json::from_str(&bench.read("fencehound-out/tso-1/finding.json")).unwrap();
    let files: Vec<&str> =
        finding["program"]["files"].as_array().unwrap().iter().map(|file| file[0].as_str().unwrap()).collect();
    assert_eq!(files, ["main.c", "other.c", "own.h"]);
    let replayed = bench.run("replay fencehound-out/tso-1");
    assert_eq!(replayed.status, 1, "{replayed:?}");
    assert!(replayed.output.starts_with("the program's own words\n"), "{}", replayed.output);
    bench.write("own.h", "int fake_main(int, char **);\n");
    let changed = bench.run("replay fencehound-out/tso-1");
    assert_eq!(changed.status, 2);
    assert_eq!(
        changed.errors,
        "error: the program has changed since the finding was made: own.h is different\nhelp: check it again: \
         fencehound check main.c other.c\n"
    );
}

#[test]
fn a_c_error_is_clangs_to_explain() {
    let bench = Bench::empty();
    bench.write("a.c", "int main(void) { return x; }\n");
    let ran = bench.run("check a.c --json result.json");
    assert_eq!((ran.status, ran.verdict()), (5, "error: a.c did not compile"));
    assert!(ran.errors.contains("a.c:1:25: error: use of undeclared identifier 'x'"), "{}", ran.errors);
    let json: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    assert_eq!(json["verdict"], "error");
    assert!(!bench.path("fencehound-out").exists());
}

/// Under SC, one of the two stores is first, and the other thread's load reads it: three of the four outcomes.
const STORE_BUFFERING: &str = "\
X86 SB
{}
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
~exists (0:EAX=0 /\\ 1:EAX=0)
";

#[test]
fn a_litmus_test_under_each_model() {
    let bench = Bench::empty();
    bench.write("sb.litmus", STORE_BUFFERING);
    let ran = bench.run("check sb.litmus --model sc,tso --preemptions none --json result.json");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("Observation SB Never 0 6\n"), "{}", ran.output);
    assert!(ran.output.contains("Observation SB Sometimes 1 3\n"), "{}", ran.output);
    let json: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let (sc, tso) = (&json[0], &json[1]);
    // Six interleavings: both loads after both stores in four, one thread all before the other in two.
    let states = serde_json::json!({
        "0:EAX=0; 1:EAX=1; [x]=1; [y]=1": 1,
        "0:EAX=1; 1:EAX=0; [x]=1; [y]=1": 1,
        "0:EAX=1; 1:EAX=1; [x]=1; [y]=1": 4,
    });
    assert_eq!((&sc["states"], &sc["observation"]), (&states, &Value::from("Never")));
    assert_eq!((&sc["executions"], &sc["model"], &sc["explorer"]), (&6.into(), &"sc".into(), &"bounded".into()));
    assert_eq!(sc["distinct"], serde_json::json!({"tso": 2, "pso": 2}));
    assert_eq!(sc["violations"][0]["finding"], "fencehound-out/tso-1/");
    assert_eq!(
        (&tso["violations"][0]["finding"], &tso["witness"]),
        (&"fencehound-out/tso-assertion-1/".into(), &Value::Null)
    );
    assert_eq!((&tso["executions"], &tso["blocked"], &tso["model"]), (&4.into(), &0.into(), &"tso".into()));
    assert_eq!(tso["condition"], "~exists (0:EAX=0 /\\ 1:EAX=0)");
    assert_eq!((&tso["verdict"], &tso["violations"][0]["kind"]), (&"violations".into(), &"assertion".into()));
    assert_eq!(tso["violations"][0]["sites"][0]["line"], 6);
}

/// Store buffering has C(4, 2) interleavings: two run one thread after the other, two preempt one of them once, two switch
/// at each access. Which thread comes first costs nothing.
#[test]
fn preemptions_of_a_litmus_test_are_counted_from_its_second_event_on() {
    let bench = Bench::empty();
    bench.write("sb.litmus", STORE_BUFFERING);
    for (bound, executions) in [(0, 2), (1, 4), (2, 6), (3, 6)] {
        let ran = bench.run(&format!("check sb.litmus --explorer bounded --preemptions {bound} --json result.json"));
        let result: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
        assert_eq!(result["executions"], executions, "{bound}: {}", ran.output);
        let counted = if bound == 1 { "preemption" } else { "preemptions" };
        assert!(ran.output.contains(&format!("\nModel SC with at most {bound} {counted}\n")), "{}", ran.output);
    }
}

#[test]
fn a_fenced_litmus_test_is_clean_under_all_models() {
    let bench = Bench::empty();
    bench.write("sb.litmus", &STORE_BUFFERING.replacen(" MOV EAX", " MFENCE | MFENCE ;\n MOV EAX", 1));
    let ran = bench.run("check sb.litmus --model sc,tso,pso,power --preemptions none");
    assert_eq!(ran.status, 0, "{ran:?}");
    // 6! / (3! 3!) interleavings, and three graphs under each of the other models.
    let executions = 20 + 3 * 3;
    let verdict = format!(
        "clean: all {executions} executions of 1 litmus test under SC, TSO, PSO, POWER, watched for TSO and PSO"
    );
    assert_eq!(ran.verdict(), verdict);
}

/// Each finding of a litmus test is an execution of its own, which `replay` runs again.
#[test]
fn findings_of_litmus_tests_are_replayed() {
    let bench = Bench::empty();
    bench.write("sb.litmus", STORE_BUFFERING);
    // P0 ends, or never does, by what it reads.
    let spin = "X86 spin\n{}\n P0          | P1         ;\n MOV EAX,[y] | MOV [y],$1 ;\n CMP EAX,$1  |            ;\n \
                L: JE L     |            ;\nexists (0:EAX=0)\n";
    bench.write("spin.litmus", spin);
    let ran = bench.run("check sb.litmus spin.litmus --model sc,tso,power --preemptions none");
    assert_eq!(ran.status, 1, "{ran:?}");
    let message = "~exists (0:EAX=0 /\\ 1:EAX=0) does not hold: an execution ends with 0:EAX=0; 1:EAX=0; [x]=1; [y]=1";
    assert!(ran.output.contains(&format!("sb.litmus:6:1: {message} [tso-assertion-1]\n")), "{}", ran.output);
    // Spinning breaks nothing off: the other execution is counted under the models of graphs.
    assert!(ran.output.contains("Observation spin Always 1 0\nspin.litmus:6:5: a loop without"), "{}", ran.output);
    let mut folders: Vec<String> = fs::read_dir(bench.path("fencehound-out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let expected = ["livelock-1", "power-assertion-1", "power-livelock-1", "pso-1", "pso-2", "tso-1", "tso-2"];
    assert_eq!(folders, [&expected[..], &["tso-assertion-1", "tso-livelock-1"]].concat());
    for folder in &folders {
        let replayed = bench.run(&format!("replay fencehound-out/{folder}"));
        assert_eq!(replayed.status, 1, "{replayed:?}");
        assert!(replayed.verdict().starts_with(&format!("reproduced: {folder}: ")), "{replayed:?}");
        assert_eq!(
            bench.read(&format!("fencehound-out/{folder}/report.txt")).lines().nth(1),
            replayed.output.lines().nth(1)
        );
    }
    let replayed = bench.run("replay fencehound-out/tso-assertion-1 --step");
    assert!(replayed.output.contains("P1\n         0  sb.litmus:4  write x = 1\n"), "{}", replayed.output);
    let picture = bench.read("fencehound-out/tso-assertion-1/graph.dot");
    // The stores are committed first.
    for edge in ["e0 -> e2 [label=reordered", "e1 -> e3 [label=reordered", "e2 -> e1 [label=fr", "e3 -> e0 [label=fr"] {
        assert!(picture.contains(edge), "{edge}: {picture}");
    }
}

/// R: of its two pairs TSO lets one change places, and the other one is kept.
#[test]
fn only_the_pair_that_the_model_lets_change_places_is_marked() {
    let bench = Bench::empty();
    let test = "X86 R\n{}\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$2  ;\n MOV [y],$1  | MOV EAX,[x] ;\n\
                ~exists ([y]=2 /\\ 1:EAX=0)\n";
    bench.write("r.litmus", test);
    let text = bench.run("check r.litmus --model tso").output;
    assert!(text.contains("    po  #0 P0 write x = 1 (r.litmus:4) comes first in the program, before #"), "{text}");
    assert!(text.contains("  ! po  #"), "{text}");
    assert_eq!(text.matches("  ! po  #").count(), 1, "{text}");
    // Under PSO both do.
    let text = bench.run("check r.litmus --model pso").output;
    assert_eq!(text.matches("  ! po  #").count(), 2, "{text}");
}

/// The release waits for the load of y, is read by its own thread meanwhile, and the store of x goes on from there.
#[test]
fn a_store_that_is_forwarded_is_shown_and_replayed() {
    let bench = Bench::empty();
    let test = "AArch64 forwarded\n{ 0:X10=x; 0:X11=y; 0:X12=z; 1:X10=x; 1:X11=y; 0:X9=1; }\n P0 | P1 ;\n \
                LDR W0,[X11] | LDR W0,[X10] ;\n STLR W9,[X12] | STR W0,[X11] ;\n LDR W1,[X12] | ;\n \
                STR W1,[X10] | ;\n~exists (0:X0=1 /\\ 1:X0=1)\n";
    bench.write("forwarded.litmus", test);
    let ran = bench.run("check forwarded.litmus --model arm");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("Observation forwarded Sometimes 1 3\n"), "{}", ran.output);
    assert!(!ran.output.contains("note: "), "{}", ran.output);
    let replayed = bench.run("replay fencehound-out/armv8-assertion-1");
    assert!(replayed.verdict().starts_with("reproduced: armv8-assertion-1: "), "{replayed:?}");
    // The read of a release that is no acquire need not wait for the load of y.
    bench.write("split.litmus", &test.replace("STLR W9,[X12]", "SWPL W9,W5,[X12]").replace("forwarded", "split"));
    let ran = bench.run("check split.litmus --model armv8");
    assert!(
        ran.output.contains(
            "\nnote: executions in which a read-modify-write reads before what its write waits for are missed"
        ),
        "{}",
        ran.output
    );
}

/// A race is a violation under C11, with both accesses, and is shown again by `replay`.
#[test]
fn a_data_race_of_a_litmus_test() {
    let bench = Bench::empty();
    bench.write(
        "race.litmus",
        "C race\n{}\nP0(int* x) {\n  *x = 1;\n}\nP1(int* x) {\n  int r = *x;\n}\nexists (1:r=1)\n",
    );
    let ran = bench.run("check race.litmus --model c11");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("Observation race Sometimes 1 1\n"), "{}", ran.output);
    let replayed = bench.run("replay fencehound-out/c11-race-1");
    assert!(replayed.verdict().starts_with("reproduced: c11-race-1: "), "{replayed:?}");
    assert!(replayed.output.contains("race.litmus:4") && replayed.output.contains("race.litmus:7"), "{replayed:?}");
}

/// The instructions of ARM and RISC-V mean something under their own models, and C programs nothing under these.
#[test]
fn models_that_do_not_fit_a_test_are_refused() {
    let bench = Bench::empty();
    bench.write("arm.litmus", "AArch64 a\n{ 0:X1=x; }\n P0 ;\n STR WZR,[X1] ;\nexists (x=0)\n");
    bench.write("x86.litmus", STORE_BUFFERING);
    bench.write("a.c", "int main(void) { return 0; }\n");
    for (command, message, help) in [
        ("check arm.litmus --model sc,tso", "arm.litmus: model `tso` does not fit tests for AArch64", "sc, armv8"),
        ("check arm.litmus --model riscv", "arm.litmus: model `riscv` does not fit tests for AArch64", "sc, armv8"),
        ("check x86.litmus --model arm", "x86.litmus: model `armv8` does not fit tests for X86", "sc, tso, pso, power"),
    ] {
        let ran = bench.run(command);
        assert_eq!(ran.status, 2, "{command}: {ran:?}");
        assert!(ran.errors.contains(message) && ran.errors.contains(help), "{command}: {}", ran.errors);
    }
}

/// Two threads that answer each other in turn need three preemptions. Beside other models SC has no bound, unless one is given, or
/// monitors watch its interleavings.
#[test]
fn a_litmus_test_under_sc_is_not_bounded_beside_other_models() {
    let bench = Bench::empty();
    let test = "X86 turns\n{}\n P0          | P1          ;\n MOV [x],$1  | MOV EAX,[x] ;\n MOV EAX,[y] | MOV [y],$1  ;\n \
                MOV [x],$2  | MOV EBX,[x] ;\n MOV EBX,[y] | MOV [y],$2  ;\n\
                exists (0:EAX=1 /\\ 0:EBX=2 /\\ 1:EAX=1 /\\ 1:EBX=2)\n";
    bench.write("turns.litmus", test);
    let observed = |options: &str| {
        bench.run(&format!("check turns.litmus {options} --json result.json"));
        let result: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
        let all = result.as_array().cloned().unwrap_or_else(|| vec![result.clone()]);
        let words = |one: &Value| ["model", "explorer", "observation"].map(|key| one[key].as_str().unwrap().to_owned());
        all.iter().map(words).collect::<Vec<_>>()
    };
    let sometimes = ["sc", "tso", "pso", "power"].map(|model| [model, "rsmc", "Sometimes"].map(str::to_owned));
    assert_eq!(observed("--model all"), [&sometimes[..2], &sometimes[3..]].concat());
    assert_eq!(observed("--model sc,tso,pso,power --monitor none"), sometimes);
    let bounded = ["sc", "bounded", "Never"].map(str::to_owned);
    for options in ["--model sc", "--model sc,tso", "--model all --preemptions 2"] {
        assert_eq!(observed(options)[0], bounded, "{options}");
    }
}

/// A model that only some of the tests have refuses the others by name, which are not in the way of these.
#[test]
fn a_folder_of_litmus_tests_goes_on_behind_one_of_another_machine() {
    let bench = Bench::empty();
    bench.write("arm.litmus", "AArch64 a\n{ 0:X1=x; }\n P0 ;\n STR WZR,[X1] ;\nexists (x=0)\n");
    bench.write("riscv.litmus", "RISCV d\n{ 0:x5=x; }\n P0 ;\n sw x0,0(x5) ;\nexists (x=0)\n");
    let ran = bench.run("check arm.litmus riscv.litmus --model sc,armv8 --json all.json");
    assert_eq!(ran.status, 4, "{ran:?}");
    let refused = "riscv.litmus:1:1: error: a test for RISCV under model `armv8` (available for it: sc, riscv)\n";
    assert!(ran.output.contains(refused), "{ran:?}");
    assert!(ran.verdict().contains("; 3 executions of 2 litmus tests under SC, ARMv8"), "{ran:?}");
    let json: Vec<Value> = serde_json::from_str(&bench.read("all.json")).unwrap();
    let words = json.iter().map(|one| ["target", "model", "verdict"].map(|key| one[key].as_str().unwrap()));
    let expected = [
        ["arm.litmus", "sc", "clean"],
        ["arm.litmus", "armv8", "clean"],
        ["riscv.litmus", "armv8", "unsupported"],
        ["riscv.litmus", "sc", "clean"],
    ];
    assert_eq!(words.collect::<Vec<_>>(), expected);
    assert_eq!(bench.run("check arm.litmus riscv.litmus --model tso").status, 2);
}

/// A test that is not understood does not keep the others from being explored, and who asks for all machines gets those of each test.
#[test]
fn a_folder_of_litmus_tests_goes_on_behind_one_that_is_refused() {
    let bench = Bench::empty();
    let asks = |what: &str| format!("AArch64 a\n{{ 0:X1=x; }}\n P0 ;\n {what} ;\nexists (x=0)\n");
    bench.write("a.litmus", &asks("STP X2,X3,[X1]"));
    bench.write("b.litmus", &asks("STR WZR,[X1]"));
    bench.write("c.litmus", "C c\n{}\nP0 (__int128* x) { *x = 1; }\nexists (x=1)\n");
    bench.write("d.litmus", "RISCV d\n{ 0:x5=x; }\n P0 ;\n sw x0,0(x5) ;\nexists (x=0)\n");
    let ran = bench.run("check a.litmus b.litmus c.litmus d.litmus --model all --json all.json");
    assert_eq!(ran.status, 4, "{ran:?}");
    assert!(ran.output.contains("a.litmus:4:2: error: `STP`: "), "{}", ran.output);
    assert!(ran.output.contains("c.litmus:3:5: error: the type `__int128` is not supported\n"), "{}", ran.output);
    assert!(ran.verdict().starts_with("unsupported: a.litmus: `STP`: "), "{}", ran.verdict());
    assert!(ran.verdict().contains("; 4 executions of 4 litmus tests under SC, ARMv8, "), "{}", ran.verdict());
    assert!(ran.errors.contains("help: docs/limits.md says "), "{}", ran.errors);
    let json: Vec<Value> = serde_json::from_str(&bench.read("all.json")).unwrap();
    let of = |file: &str| {
        let of = json.iter().filter(|one| one["target"] == file);
        of.map(|one| (one["model"].as_str().unwrap(), one["verdict"].as_str().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(of("a.litmus"), [("sc", "unsupported"), ("armv8", "unsupported")]);
    assert_eq!(of("b.litmus"), [("sc", "clean"), ("armv8", "clean")]);
    assert_eq!(of("c.litmus").len(), 6);
    assert_eq!(of("d.litmus"), [("sc", "clean"), ("riscv", "clean")]);
    assert_eq!(json[0]["unsupported"][0]["line"], 4);
    bench.write("alone.litmus", "PPC alone\n{0:r2=x;}\n P0 ; nop  ;  stb r1,0(r2) ;\nexists (x=1)\n");
    let ran = bench.run("check alone.litmus");
    let said = "unsupported: the instruction `stb` is not supported at alone.litmus:3:15";
    assert_eq!((ran.status, ran.verdict()), (4, said), "{ran:?}");
    // A violation counts for more, and is not hidden by what is refused.
    bench.write("sb.litmus", STORE_BUFFERING);
    let ran = bench.run("check a.litmus sb.litmus --model all --monitor none");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.verdict().starts_with("violations: 2 results of 5 with violations, 2 unsupported; "),
        "{}",
        ran.verdict()
    );
    // By itself it is refused as well, not taken for an error of the command line.
    let ran = bench.run("check a.litmus --model armv8");
    assert_eq!(ran.status, 4, "{ran:?}");
    assert!(ran.verdict().ends_with(" at a.litmus:4:2 (ARMv8)"), "{}", ran.verdict());
}

/// A question has no violation, but `--out` keeps the execution that answers it.
#[test]
fn what_a_litmus_test_asks_for_is_kept_where_a_folder_is_named() {
    let bench = Bench::empty();
    bench.write("sb.litmus", &STORE_BUFFERING.replace("~exists", "exists"));
    let ran = bench.run("check sb.litmus --model tso");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(!bench.path("fencehound-out").exists());
    let ran = bench.run("check sb.litmus --model sc,tso --monitor none --out kept --json result.json");
    assert_eq!(ran.status, 0, "{ran:?}");
    let json: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    assert_eq!((&json[0]["witness"], &json[1]["witness"]), (&Value::Null, &"kept/tso-witness-1/".into()));
    assert_eq!(json[1]["violations"], serde_json::json!([]));
    let replayed = bench.run("replay kept/tso-witness-1");
    assert_eq!(replayed.status, 1, "{replayed:?}");
    assert!(replayed.verdict().starts_with("reproduced: tso-witness-1: witness: exists "), "{replayed:?}");
}

#[test]
fn findings_of_litmus_tests_that_cannot_be_replayed() {
    let bench = Bench::empty();
    bench.write("sb.litmus", STORE_BUFFERING);
    assert_eq!(bench.run("check sb.litmus --model sc,tso --preemptions none").status, 1);
    let refused = |line: &str| {
        let ran = bench.run(line);
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{ran:?}");
        ran.errors
    };
    assert!(refused("replay fencehound-out/tso-1 --gdb").starts_with("error: --gdb does not fit litmus tests\n"));
    let rewrite = |folder: &str, from: &str, to: &str| {
        let file = format!("fencehound-out/{folder}/finding.json");
        let text = bench.read(&file);
        assert!(text.contains(from), "{text}");
        bench.write(&file, &text.replacen(from, to, 1));
    };
    // A load cannot read what comes after it, nor can a store come seventh of one.
    rewrite("tso-assertion-1", "\"source\": null", "\"source\": 9");
    assert!(
        refused("replay fencehound-out/tso-assertion-1").contains("an event reads from one that does not come before")
    );
    rewrite("tso-assertion-1", "\"source\": 9", "\"source\": null");
    rewrite("tso-assertion-1", "\"rank\": 1", "\"rank\": 7");
    let ran = bench.run("replay fencehound-out/tso-assertion-1");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.verdict().starts_with("not reproduced: "), "{ran:?}");
    // Not even a comment may change.
    bench.write("sb.litmus", &STORE_BUFFERING.replace("X86 SB", "X86 SB "));
    let errors = refused("replay fencehound-out/pso-1");
    assert!(errors.contains("has changed since the finding was made: sb.litmus is different\nhelp: "), "{errors}");
    fs::remove_file(bench.path("sb.litmus")).unwrap();
    assert!(refused("replay fencehound-out/pso-1").contains("sb.litmus is gone"));
}

#[test]
fn a_litmus_test_that_goes_astray() {
    let bench = Bench::empty();
    bench.write("astray.litmus", "PPC astray\n{0:r2=x;}\n P0 ;\n stw r1,4(r2) ;\nexists (x=1)\n");
    bench.write("spin.litmus", "X86 spin\n{}\n P0 ;\n L: MOV EAX,[x] ;\n CMP EAX,$1 ;\n JNE L ;\nexists (0:EAX=1)\n");
    for model in ["sc", "power"] {
        let ran = bench.run(&format!("check astray.litmus --model {model}"));
        assert_eq!(ran.status, 4, "{ran:?}");
        assert!(ran.verdict().contains("no location is, at astray.litmus:4:2"), "{ran:?}");
        let ran = bench.run(&format!("check spin.litmus --model {model} --max-events 100"));
        assert_eq!(ran.status, 3, "{ran:?}");
        assert!(ran.verdict().contains("stopped by --max-events 100"), "{ran:?}");
    }
}

#[test]
fn what_does_not_go_with_store_buffers_is_a_usage_error() {
    let bench = Bench::empty();
    for (line, message) in [
        (
            "check x.c --model tso --explorer dpor --preemptions 2",
            "--preemptions does not fit the explorer dpor on a machine with store buffers in this version",
        ),
        ("check x.c --model tso --explorer dpor --delays 2", "--delays does not fit the explorer dpor"),
        ("check x.c --model power --explorer bounded", "explorer `bounded` does not fit model `power`"),
        ("check x.c --delays 1", "--delays fits only a machine with store buffers"),
        ("check x.c --model tso --delays x --explorer bounded", "--delays `x` is no bound"),
        (
            "check x.c --model tso --explorer bounded --monitor race",
            "--monitor `race` does not fit a machine with store buffers",
        ),
        (
            "check x.c --model tso --explorer bounded --record x",
            "--record does not fit a machine with store buffers in this version",
        ),
    ] {
        let ran = bench.run(line);
        assert_eq!(ran.status, 2, "{line}: {}", ran.errors);
        assert_eq!(ran.errors.lines().next(), Some(format!("error: {message}").as_str()), "{line}");
    }
}

#[test]
fn bad_input_is_a_usage_error_with_help() {
    let bench = Bench::empty();
    symlink(&installation().foreign, bench.path("foreign")).unwrap();
    bench.write("text", "");
    bench.write("a.c", "int main(void) { return 0; }\n");
    fs::create_dir(bench.path("folder.c")).unwrap();
    let cases = [
        ("check no-such-file.c", "no-such-file.c: no such file or directory"),
        ("check no-such-file", "no-such-file: no such file or directory"),
        ("check foreign", "foreign: not built by fencehound cc"),
        ("check text", "text: neither a .c file nor an executable"),
        ("check folder.c", "folder.c: is a folder"),
        ("check program a.c", "program: an executable cannot be combined with other targets"),
        ("check a.c --frobnicate", "unexpected argument '--frobnicate' found"),
        ("check a.c --model alpha", "unknown model `alpha`"),
        ("check a.c --model tso,pso --checkpoint state", "--checkpoint keeps one search, and each model is one"),
        ("check a.c --model tso --leaks", "--leaks does not fit the explorer rsmc"),
        ("check a.c --explorer rsmc --heap-reuse", "--heap-reuse does not fit the explorer rsmc"),
        ("check x.litmus --model tso --explorer bounded", "explorer `bounded` does not fit model `tso`"),
        ("check x.litmus --model tso --preemptions 1", "--preemptions `1` does not fit the explorer rsmc"),
        ("check x.litmus --model tso --monitor pso", "--monitor `pso` does not fit the explorer rsmc"),
        ("check a.c -O0 -O9", "unknown optimisation level -O9"),
        ("check x.litmus -DX", "options for the compiler do not fit litmus files"),
        ("check x.litmus a.c", "x.litmus: litmus files cannot be combined with other targets"),
        ("check a.c --explorer depor", "unknown explorer `depor`"),
        ("check a.c --explorer pct --executions 9 --preemptions 2", "--preemptions does not fit the explorer pct"),
        (
            "check a.c --explorer dpor --monitor tso,burnim_pso",
            "--monitor burnim_pso does not fit the explorer dpor: it is complete over all interleavings alone",
        ),
        (
            "check a.c --explorer dpor --spurious-wakeups",
            "--spurious-wakeups does not fit the explorer dpor in this version",
        ),
        ("check a.c --explorer random", "the explorer random has no end of its own"),
        ("check a.c --seed 1", "--seed fits only random search"),
        ("check x.litmus --explorer dpor", "explorer `dpor` does not fit litmus files"),
        (
            "check x.litmus --monitor tso-atomicity",
            "monitor `tso-atomicity` does not fit litmus files, which have no transactions",
        ),
        ("check a.c --time 30", "--time `30` is no time"),
        ("check a.c --preemptions few", "--preemptions `few` is no bound"),
        ("check a.c --out text/out", "text/out: findings cannot be written: not a directory"),
        ("check a.c --out text", "text: findings cannot be written: file exists"),
        ("check a.c --json text/j", "text/j: cannot be written: not a directory"),
        ("check a.c -O9", "unknown optimisation level -O9"),
        ("check x.litmus", "x.litmus: no such file or directory"),
        ("replay nothing", "nothing: no such file or directory"),
        ("frobnicate", "unrecognized subcommand 'frobnicate'"),
        ("monitor log", "log: no such file or directory"),
        ("check x.litmus --record r", "--record does not fit litmus files"),
        ("check a.c --record r --checkpoint c", "--record does not fit --checkpoint, which does not keep executions"),
    ];
    for (line, message) in cases {
        let ran = bench.run(line);
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{line}: {ran:?}");
        assert_eq!(ran.errors.lines().next(), Some(format!("error: {message}").as_str()), "{line}");
        assert!(ran.errors.contains("\nhelp: "), "{line}: {}", ran.errors);
    }
    assert!(!bench.path("fencehound-out").exists());
}

#[test]
fn a_monitor_that_does_not_fit_is_refused_for_what_it_does_not_fit() {
    let bench = Bench::empty();
    bench.write("a.c", "int main(void) { return 0; }\n");
    for (options, what) in [
        ("--model pso", "--model pso"),
        ("--model pso,power", "--model pso,power"),
        ("--explorer rsmc", "the explorer rsmc"),
    ] {
        let ran = bench.run(&format!("check a.c {options} --monitor tso-atomicity"));
        let expected = format!("error: --monitor `tso-atomicity` does not fit {what}\nhelp: ");
        assert!(ran.status == 2 && ran.errors.starts_with(&expected), "{ran:?}");
    }
}

#[test]
fn corrupt_and_foreign_findings_are_refused() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(4)])]);
    assert_eq!(bench.check("").status, 1);
    let whole = bench.read("fencehound-out/tso-1/finding.json");
    let truncated = &whole[..whole.len() / 2];
    let other_version = whole.replacen("\"version\": 3", "\"version\": 2", 1);
    let without_schedule = whole.replacen("\"schedule\"", "\"plan\"", 1);
    let cases = [
        (truncated, "not a finding, or a corrupt one"),
        ("", "not a finding, or a corrupt one"),
        ("\u{0}\u{1}", "not a finding, or a corrupt one"),
        ("{\"name\": \"something else\"}", "not a finding of fencehound"),
        ("[1, 2]", "not a finding of fencehound"),
        (other_version.as_str(), "format version 2, where this fencehound has 3"),
        (without_schedule.as_str(), "a corrupt finding: missing field `schedule`"),
    ];
    for (text, message) in cases {
        bench.write("finding.json", text);
        let ran = bench.run("replay finding.json");
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{text}: {ran:?}");
        assert!(ran.errors.contains(message) && ran.errors.contains("\nhelp: "), "{text}: {}", ran.errors);
    }
}

#[test]
fn findings_that_cannot_be_written_are_said_after_the_verdict() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(4)])]);
    fs::create_dir(bench.path("fencehound-out")).unwrap();
    // The folder's name is taken by a file, as the disk might be full.
    bench.write("fencehound-out/tso-1", "");
    let ran = bench.check("");
    assert_eq!(ran.status, 2);
    assert!(ran.verdict().starts_with("violations: 1 distinct"), "{ran:?}");
    assert!(ran.errors.contains("findings cannot be written"), "{ran:?}");
}

#[test]
fn cc_is_a_drop_in_compiler() {
    let bench = Bench::empty();
    bench.write("a.c", "#include <fencehound.h>\nint value(void) { return FROM_FENCEHOUND + __FENCEHOUND__; }\n");
    bench.write("main.c", "int value(void);\nint main(void) { return value(); }\n");
    for line in ["cc -c a.c -o a.o", "cc -g0 -c main.c", "cc -o main a.o main.o -lm", "cc -shared -fPIC a.c -o a.so"] {
        let ran = bench.run(line);
        assert_eq!(ran, Ran { status: 0, output: String::new(), errors: String::new() }, "{line}");
    }
    assert_eq!(Command::new(bench.path("main")).status().unwrap().code(), Some(2));
    assert!(bench.run("cc --version").output.contains("clang version 19."));
    assert!(bench.run("cc -dumpmachine").output.contains("linux"));
    assert!(bench.run("cc -E a.c").output.contains("return 1 + 1"));
    assert!(bench.run("cc -v").errors.contains("clang version 19."));
    assert_eq!(bench.run("cc").status, 1);
    assert_eq!(bench.run("cc -c missing.c").status, 1);
    assert!(bench.run("cc --help").output.contains("drop-in"));
}

#[test]
fn doctor_finds_the_parts() {
    let ran = Bench::empty().run("doctor");
    assert!(ran.output.contains("ok       compiler plugin"), "{}", ran.output);
    assert_eq!((ran.status, ran.verdict()), (0, "ready: everything that is needed is here"));
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let bench = Bench::new(&[end(counted(3, 0))], &[]);
    assert!(!bench.check("").output.contains('\u{1b}'));
    assert!(bench.check("--color always").output.contains('\u{1b}'));
    assert!(!bench.check("--color never").output.contains('\u{1b}'));
}

#[test]
fn what_a_program_does_to_its_own_process_is_no_bug_of_the_tool() {
    let bench = Bench::empty();
    bench.write("explored", "this is no message\n");
    let ran = bench.check("");
    assert_eq!(ran.status, 4, "{ran:?}");
    assert!(ran.verdict().contains("wrote into the file descriptor of fencehound's own socket"), "{ran:?}");
    let ran = bench.run("check program -- explored");
    assert_eq!(ran.status, 4, "{ran:?}");
    assert!(ran.verdict().ends_with("ended the program with status 9 before it gave its result"), "{ran:?}");
}

#[test]
fn an_executable_of_another_build_is_refused() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(4)])]);
    let mut other = fs::read(bench.path("program")).unwrap();
    let at = other.windows(protocol::BUILD.len()).position(|bytes| bytes == protocol::BUILD).unwrap();
    other[at] ^= 1;
    fs::copy(bench.path("program"), bench.path("other")).unwrap();
    fs::write(bench.path("other"), &other).unwrap();
    let expected = "error: other: built by another version of fencehound\n\
                    help: build it again with this `fencehound cc`\n";
    let ran = bench.run("check other --no-judge");
    assert_eq!(ran, Ran { status: 2, output: String::new(), errors: expected.to_string() });

    // As a finding that says that the executable is what it was.
    assert_eq!(bench.check("").status, 1);
    let mut finding: Value = serde_json::from_str(&bench.read("fencehound-out/tso-1/finding.json")).unwrap();
    finding["program"]["target"][0] = "other".into();
    finding["program"]["files"][0] = serde_json::json!(["other", sha256(&bench.path("other"))]);
    bench.write("finding.json", &finding.to_string());
    let ran = bench.run("replay finding.json");
    assert_eq!(ran, Ran { status: 2, output: String::new(), errors: expected.to_string() });
}

fn sha256(file: &Path) -> String {
    let output = Command::new("sha256sum").arg(file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    format!("sha256:{}", text.split(' ').next().unwrap())
}

#[test]
fn a_result_that_nobody_gets_is_not_clean() {
    let bench = Bench::new(&[end(counted(3, 0))], &[]);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for line in ["check program -- explored replayed", "check program --json - -- explored replayed", "--help"] {
        let ran = ran(bench.command(line).stdout(full()).output().unwrap());
        assert_eq!(ran.status, 2, "{line}: {ran:?}");
        assert!(ran.errors.contains("cannot be written: no space left on device\nhelp: "), "{line}: {ran:?}");
    }
}

#[test]
fn a_reader_that_goes_away_changes_no_status() {
    let bench = Bench::new(&[reported(violation(4)), end(counted(3, 1))], &[trace(vec![violation(4)])]);
    let print = |line: &str| {
        let mut child = bench.command(line).spawn().unwrap();
        drop(child.stdout.take());
        ran(child.wait_with_output().unwrap())
    };
    for line in
        ["check program --no-judge --explorer bounded -- explored replayed print", "replay fencehound-out/tso-1"]
    {
        assert_eq!(print(line), Ran { status: 1, output: String::new(), errors: String::new() }, "{line}");
    }
}

#[test]
fn sigterm_is_not_called_ctrl_c() {
    let bench = Bench::new(&[open(counted(3, 0))], &[]);
    let child = waiting(&bench, "wait");
    signal(&child, "-TERM");
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!((ran.status, ran.verdict()), (3, "incomplete: 3 executions, stopped by SIGTERM; nothing found"));
}

#[test]
fn a_program_without_main_is_said_to_be_one() {
    let bench = Bench::empty();
    bench.write("a.c", "int f(void) { return 1; }\n");
    bench.write("empty.c", "");
    for files in ["empty.c", "a.c empty.c"] {
        let ran = bench.run(&format!("check {files}"));
        assert_eq!(ran.status, 5, "{ran:?}");
        assert_eq!(ran.verdict(), format!("error: {files}: the function `main` is missing"));
        assert!(ran.errors.starts_with("help: name all .c files of the program"), "{}", ran.errors);
    }
    for name in ["one.c", "two.c"] {
        bench.write(name, "int main(void) { return 0; }\n");
    }
    let two = bench.run("check one.c two.c");
    assert_eq!(two.status, 5, "{two:?}");
    assert_eq!(two.verdict(), "error: one.c two.c: more than one of them defines the function `main`");
    assert!(two.errors.contains("help: several .c files are one program"), "{}", two.errors);
    let ran = bench.run("check a.c --cflags -c");
    assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{ran:?}");
    assert!(ran.errors.starts_with("error: with the options -O1 -c, clang makes no executable of a.c\n"), "{ran:?}");
}

#[test]
fn what_a_finding_says_cannot_steer_the_terminal() {
    let evil = "a\u{1b}[2Jb\u{7}c\u{9b}1md\u{202e}e\nerror: f";
    let mut odd = violation(4);
    odd.message = evil.to_string();
    for site in &mut odd.sites {
        for text in [&mut site.place.file, &mut site.function, &mut site.expression] {
            *text = evil.to_string();
        }
        site.operation = Operation::call(evil);
    }
    let mut unwatched = counted(3, 1);
    unwatched.uninstrumented = [evil.to_string()].into();
    let unsupported = Canned::Unsupported(evil.to_string(), odd.sites[0].place.clone());
    let bench = Bench::new(&[reported(odd.clone()), unsupported, end(unwatched)], &[trace(vec![odd])]);
    let harmless = |ran: &Ran| {
        let text = format!("{}{}", ran.output, ran.errors);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{ran:?}");
        assert!(!text.contains("\nerror: f"), "{ran:?}");
    };
    let checked = bench.check("");
    assert_eq!(checked.status, 1, "{checked:?}");
    harmless(&checked);
    let whole = bench.run("replay fencehound-out/tso-1");
    assert_eq!(whole.status, 1, "{whole:?}");
    harmless(&whole);
    let text = bench.read("fencehound-out/tso-1/finding.json");
    for key in ["directory", "target", "files", "compile_options"] {
        let mut finding: Value = serde_json::from_str(&text).unwrap();
        put_everywhere(&mut finding["program"][key], evil);
        bench.write("finding.json", &finding.to_string());
        let ran = bench.run("replay finding.json");
        harmless(&ran);
    }
}

/// Replaces all texts of a JSON value.
fn put_everywhere(value: &mut Value, text: &str) {
    match value {
        Value::String(old) => *old = format!("/{text}"),
        Value::Array(values) => values.iter_mut().for_each(|value| put_everywhere(value, text)),
        _ => {}
    }
}

#[test]
fn a_program_that_is_killed_is_not_taken_for_a_bug() {
    let bench = Bench::empty();
    let mut child = waiting(&bench, "stubborn");
    // Others run the slice of one that was killed, but not for ever.
    while child.try_wait().unwrap().is_none() {
        let path = format!("/proc/{0}/task/{0}/children", child.id());
        for program in fs::read_to_string(path).unwrap_or_default().split_whitespace() {
            // It may have ended meanwhile.
            Command::new("kill").args(["-KILL", program]).stderr(Stdio::null()).status().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.status, 70, "{ran:?}");
    assert!(ran.verdict().ends_with("was killed by signal 9 (SIGKILL) before it gave its result"), "{ran:?}");
    assert!(ran.errors.starts_with("help: somebody killed it, or the system did for want of memory"), "{ran:?}");
}

#[test]
fn a_program_that_may_not_be_run_is_named() {
    let bench = Bench::empty();
    fs::copy(&installation().program, bench.path("locked")).unwrap();
    fs::set_permissions(bench.path("locked"), fs::Permissions::from_mode(0o644)).unwrap();
    let ran = bench.run("check locked");
    assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{ran:?}");
    assert!(ran.errors.contains("/locked: cannot be run: permission denied\nhelp: "), "{ran:?}");
}
