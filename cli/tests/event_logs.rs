//! `fencehound monitor` from outside: what it says of logs, and which logs it refuses.

use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder for logs.
struct Bench {
    folder: TempDir,
}

/// What the tool did.
struct Ran {
    status: Option<i32>,
    output: String,
    errors: String,
}

impl Ran {
    fn verdict(&self) -> &str {
        self.output.lines().last().unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.output).unwrap()
    }
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn run(&self, line: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencehound"));
        command.arg("monitor").args(line.split_whitespace()).current_dir(self.folder.path());
        let ran = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { status: ran.status.code(), output: text(ran.stdout), errors: text(ran.stderr) }
    }
}

/// A log of `thread op address` and the like, the line of each as its `loc`.
fn log(events: &[&str]) -> String {
    let mut text = String::new();
    for (index, event) in events.iter().enumerate() {
        let words: Vec<&str> = event.split(' ').collect();
        let mut line = format!(r#"{{"t":{},"op":"{}""#, words[0], words[1]);
        match (words[1], words.get(2)) {
            ("fork" | "join", Some(child)) => write!(line, r#","child":{child}"#).unwrap(),
            (_, Some(address)) => write!(line, r#","a":"{address}""#).unwrap(),
            _ => {}
        }
        if let Some(width) = words.get(3) {
            write!(line, r#","w":{width}"#).unwrap();
        }
        writeln!(text, r#"{line},"loc":"a.c:{}"}}"#, index + 1).unwrap();
    }
    text
}

/// The pairs of lines that each monitor of a list reports on a log.
fn pairs(events: &[&str], monitors: &str) -> Vec<(String, u64, u64)> {
    let bench = Bench::new();
    bench.write("log", &log(events));
    let ran = bench.run(&format!("log --monitor {monitors} --json -"));
    let json = ran.json();
    let violations = json["violations"].as_array().unwrap();
    let line = |violation: &Value, site: usize| violation["sites"][site]["line"].as_u64().unwrap();
    let pairs = violations.iter().map(|one| (one["monitor"].as_str().unwrap().to_string(), line(one, 0), line(one, 2)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    assert_eq!(ran.status, Some(i32::from(!pairs.is_empty())), "{}", ran.errors);
    pairs
}

fn of(monitors: &[&str], delayed: u64, overtaking: u64) -> Vec<(String, u64, u64)> {
    monitors.iter().map(|monitor| (monitor.to_string(), delayed, overtaking)).collect()
}

const SB: [&str; 4] = ["1 st x", "1 ld y", "2 st y", "2 ld x"];

#[test]
fn store_buffering_is_shown_with_its_source() {
    let bench = Bench::new();
    bench.write("a.c", "x = 1;\nr1 = y;\ny = 1;\nr2 = x;\n");
    bench.write("log", &log(&SB));
    let ran = bench.run("log");
    assert_eq!(ran.status, Some(1));
    let expected = "tso-1: SC violation under TSO
  under TSO the load at a.c:4 can take effect before the store at a.c:1, which no sequentially consistent execution explains

  a.c:1, T1: this store of x may wait in the store buffer
    1 | x = 1;
  a.c:4, T2: while this load of x goes ahead
    4 | r2 = x;
";
    assert!(ran.output.starts_with(expected), "{}", ran.output);
    assert_eq!(ran.verdict(), "violations: 1 distinct SC violation under TSO, 1 under PSO in 1 execution");
    let json = bench.run("log --json -").json();
    assert_eq!((&json["schema"], &json["verdict"]), (&1.into(), &"violations".into()));
    assert_eq!((&json["model"], &json["explorer"], &json["target"]), (&"sc".into(), &"log".into(), &"log".into()));
    assert_eq!((&json["executions"], &json["events"], &json["complete"]), (&1.into(), &4.into(), &true.into()));
    assert_eq!(json["distinct"], serde_json::json!({"tso": 1, "pso": 1}));
    assert_eq!(json["violations"][0]["sites"][1]["line"], 3);
    assert_eq!(json["violations"][0]["sites"][1]["role"], "previous");
}

#[test]
fn fences_exchanges_creations_and_joins_order() {
    let fenced = ["1 st x", "1 fence", "1 ld y", "2 st y", "2 fence", "2 ld x"];
    assert_eq!(pairs(&fenced, "tso,pso,exact_tso,sober,burnim_tso"), []);
    // An exchange is a full fence under TSO; under PSO it drains its own location.
    let exchanged = ["1 st x", "1 rmw a", "1 ld y", "2 st y", "2 rmw b", "2 ld x"];
    assert_eq!(pairs(&exchanged, "tso,pso"), of(&["pso"], 1, 6));
    // 000-burnim-tacas11: message passing breaks under PSO alone, and a store-store barrier repairs it.
    let messages = ["1 st x", "1 st y", "2 ld y", "2 ld x"];
    assert_eq!(pairs(&messages, "tso,pso"), of(&["pso"], 1, 4));
    assert_eq!(pairs(&["1 st x", "1 stbar", "1 st y", "2 ld y", "2 ld x"], "tso,pso"), []);
    // docs/papers.md, erratum B8: the event before the first one of a created thread is its creation.
    let created = ["1 st a", "1 fork 3", "2 st b", "2 ld a", "3 ld b"];
    assert_eq!(pairs(&created, "tso"), []);
    let created = ["2 st b", "2 ld a", "1 st a", "1 fork 3", "3 ld b"];
    assert_eq!(pairs(&created, "tso"), of(&["tso"], 1, 5));
    let joined = ["1 st x", "1 ld y", "2 join 1", "2 st y", "2 ld x"];
    assert_eq!(pairs(&joined, "tso,pso,exact_tso"), []);
}

#[test]
fn monitors_by_method_see_what_they_see() {
    // docs/papers.md, erratum B7: monitor_TSO reports at a store, SOBER does not.
    let run = ["1 st b", "1 ld a", "2 st a", "2 st b"];
    let expected = of(&["burnim_tso", "exact_tso", "prefix_tso"], 1, 4);
    assert_eq!(pairs(&run, "sober,prefix_tso,exact_tso,burnim_tso"), expected);
}

#[test]
fn accesses_conflict_by_bytes() {
    let at = |second: &str| ["1 st 0x1000 8", "1 ld y", "2 st y", second].map(str::to_string);
    let pairs_at = |second: &str| pairs(&at(second).each_ref().map(String::as_str), "tso");
    assert_eq!(pairs_at("2 ld 0x1004 4"), of(&["tso"], 1, 4));
    assert_eq!(pairs_at("2 ld 0x1007 1"), of(&["tso"], 1, 4));
    assert_eq!(pairs_at("2 ld 0x1008 4"), []);
    assert_eq!(pairs_at("2 ld 0xffc 8"), of(&["tso"], 1, 4));
    assert_eq!(pairs_at("2 ld 0xff8 8"), []);
    // The part of a name, and the whole of it.
    assert_eq!(pairs(&["1 st x", "1 ld y", "2 st y", "2 ld x 1", "1 st x 4"], "tso"), of(&["tso"], 1, 4));
}

#[test]
fn a_header_begins_an_execution() {
    let bench = Bench::new();
    let sb = log(&SB);
    bench.write(
        "log",
        &format!("{sb}{{\"log\":1}}\n{{\"threads\":2,\"log\":1}}\n{sb}{{\"log\":1,\"repeats\":true}}\n{sb}"),
    );
    let json = bench.run("log --monitor exact_tso --json -").json();
    assert_eq!((&json["executions"], &json["runs"], &json["events"]), (&3.into(), &4.into(), &8.into()));
    assert_eq!(json["reporting"]["exact_tso"], 2);
    assert_eq!(json["violations"].as_array().unwrap().len(), 1);
    assert_eq!(json["violations"][0]["executions"], 2);
}

#[test]
fn without_places_reports_name_lines_of_the_log() {
    let bench = Bench::new();
    let plain: String =
        log(&SB).lines().map(|line| format!("{}}}\n", line.split(",\"loc\"").next().unwrap())).collect();
    bench.write("log", &format!("\n{}", plain.repeat(2).trim_end()));
    let json = bench.run("log --monitor tso --json -").json();
    let lines: Vec<_> = json["violations"].as_array().unwrap().iter().map(|one| &one["sites"][0]).collect();
    assert!(lines.iter().all(|site| site["file"] == "log"), "{lines:?}");
    assert_eq!((&lines[0]["line"], &json["violations"][0]["sites"][2]["line"]), (&2.into(), &5.into()));
}

#[test]
fn transactions_that_do_not_balance_are_misuse() {
    let bench = Bench::new();
    bench.write("log", &log(&["1 begin", "1 begin", "1 st x", "1 end", "2 end", "1 end", "2 begin", "2 begin"]));
    let ran = bench.run("log");
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.verdict(), "violations: 2 misuses in 1 execution");
    assert!(ran.output.contains("thread 2 ends a transaction that it did not begin\n\n  a.c:5, "), "{}", ran.output);
    assert!(ran.output.contains("thread 2 does not end the transaction that it begins\n\n  a.c:7, "), "{}", ran.output);
    bench.write("log", &log(&["1 begin", "1 st x", "1 end"]));
    let ran = bench.run("log --monitor tso-atomicity");
    let verdict = "clean: the 1 execution; all transactions serializable under TSO in this order of issues";
    assert_eq!((ran.status, ran.verdict()), (Some(0), verdict));
    let ran = bench.run("log");
    assert_eq!((ran.status, ran.verdict()), (Some(0), "clean: the 1 execution; no SC violation under TSO or PSO"));
}

/// The first line that is said of a log of these lines, which is refused.
fn refused(lines: &[&str]) -> String {
    let bench = Bench::new();
    bench.write("good", &log(&SB));
    bench.write("log", &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let ran = bench.run("good log --monitor none --json result");
    assert_eq!(ran.status, Some(2), "{}{}", ran.output, ran.errors);
    assert_eq!(ran.output, "");
    assert!(!bench.folder.path().join("result").exists(), "a result is written whole, or not at all");
    let mut said = ran.errors.lines().map(str::to_string);
    let first = said.next().unwrap_or_default();
    assert!(said.next().unwrap_or_default().starts_with("help: "));
    first.strip_prefix("error: ").unwrap_or_default().to_string()
}

fn refused_events(events: &[&str]) -> String {
    let text = log(events);
    refused(&text.lines().collect::<Vec<_>>())
}

#[test]
fn malformed_lines_are_refused_by_number() {
    let good = r#"{"t":1,"op":"fence"}"#;
    assert!(refused(&[good, "", r#"{"t":1,"op":"f"#]).starts_with("log:3: no JSON: EOF"));
    assert!(refused(&[good, r#"{"t":1,"op":"load","a":"x"}"#]).starts_with("log:2: unknown variant `load`"));
    assert_eq!(refused(&[good, r#"{"t":256,"op":"fence"}"#]), "log:2: thread 256, where at most 255 can be watched");
    let header = r#"{"threads":1,"log":1}"#;
    let two = r#"{"t":1,"op":"fork","child":2}"#;
    assert_eq!(refused(&[header, two]), "log:2: thread 2, where the header says that there are 1");
    assert_eq!(refused(&[r#"{"log":7}"#]), "log:1: format 7 of the log is not known, 1 is");
    assert_eq!(
        refused(&[r#"{"t":1,"op":"ld","a":18446744073709551615,"w":2}"#]),
        "log:1: an access beyond the end of memory"
    );
    assert_eq!(refused(&[]), "log: is empty");
    assert_eq!(refused(&[&format!("{{\"t\":1{}}}", " ".repeat(1 << 20))]), "log:1: a line of more than 1048576 bytes");
    let bench = Bench::new();
    bench.write("log", "\u{0}\u{1b}[2J");
    let ran = bench.run("log");
    assert_eq!((ran.status, ran.output.as_str()), (Some(2), ""));
    assert!(!ran.errors.contains('\u{1b}'));
    assert!(bench.run("nothing").errors.starts_with("error: nothing: no such file or directory\nhelp: "));
    assert!(bench.run(".").errors.starts_with("error: .: is a folder\nhelp: "));
}

#[test]
fn what_no_execution_does_is_refused_by_number() {
    let same = |events: &[&str], words: &str| assert_eq!(refused_events(events), words);
    same(
        &["1 fork 2", "2 st x", "1 join 2", "2 ld x"],
        "log:4: thread 2 goes on, which had ended when it was joined in line 3",
    );
    same(&["2 st x", "1 fork 2"], "log:2: thread 2 is created, which has done something in line 1");
    same(&["1 fork 2", "1 fork 2"], "log:2: thread 2 is created again, after line 1");
    same(&["1 fork 1"], "log:1: thread 1 is created by itself");
    same(&["1 join 1"], "log:1: thread 1 waits for itself");
    same(&["1 join 2"], "log:1: thread 2 is joined, which was not created and did nothing");
    same(&["1 fork 2", "1 join 2", "3 join 2"], "log:3: thread 2 is joined again, after line 2");
    same(
        &["1 st x", "1 st y", "1 commit y"],
        "log:3: a commit of another store than that of line 1, the oldest one of thread 1",
    );
    same(&["1 st x", "1 commit x", "1 commit x"], "log:3: a commit of thread 1, all of whose stores are committed");
    same(&["1 st x", "1 st y", "1 commit x", "1 fence"], "log:4: a full fence before the store in line 2 is committed");
    same(
        &["2 st x", "1 st x", "1 commit x", "1 join 2"],
        "log:4: thread 2 is joined before its store in line 1 is committed",
    );
}

#[test]
fn monitors_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    bench.write("log", &log(&SB));
    let ran = bench.run("log --monitor race");
    assert_eq!(ran.status, Some(2));
    let words = "error: monitor `race` does not fit event logs, whose accesses have no C11 orders\n";
    assert!(ran.errors.starts_with(words), "{}", ran.errors);
    bench.write("tso", &log(&["1 st x", "1 ld y", "1 commit x"]));
    let ran = bench.run("tso --monitor exact_tso");
    assert_eq!(ran.status, Some(2));
    let words = "error: tso:3: with commits it is an execution of TSO, and monitor `exact_tso` watches those of SC\n";
    assert!(ran.errors.starts_with(words), "{}", ran.errors);
}

/// The edges, as lines, of the cycles that a monitor of transactions reports on a log; the exit status fits them.
fn cycles(events: &[&str], monitor: &str) -> Vec<Vec<(u64, u64)>> {
    let bench = Bench::new();
    bench.write("log", &log(events));
    let ran = bench.run(&format!("log --monitor {monitor} --json -"));
    let json = ran.json();
    let violations = json["violations"].as_array().unwrap();
    assert_eq!(ran.status, Some(i32::from(!violations.is_empty())), "{}", ran.errors);
    let edges = |violation: &Value| {
        let sites = violation["sites"].as_array().unwrap();
        let edges = sites.chunks(2).filter(|edge| edge[0]["role"] == "from");
        let mut edges: Vec<_> =
            edges.map(|edge| (edge[0]["line"].as_u64().unwrap(), edge[1]["line"].as_u64().unwrap())).collect();
        edges.sort_unstable();
        edges
    };
    let mut cycles: Vec<_> = violations.iter().map(edges).collect();
    cycles.sort();
    cycles
}

#[test]
fn transactions_with_something_in_between_are_cycles() {
    let torn = ["1 begin", "1 ld x", "2 st x", "1 st x", "1 end"];
    for monitor in ["sc-atomicity", "tso-atomicity"] {
        assert_eq!(cycles(&torn, monitor), [[(2, 3), (3, 4)]], "{monitor}");
        assert!(cycles(&["1 ld x", "2 st x", "1 st x"], monitor).is_empty(), "{monitor}");
        // What two threads do before and after they are created and joined.
        let joined = ["1 begin", "1 fork 2", "2 st x", "1 join 2", "1 end"];
        assert_eq!(cycles(&joined, monitor), [[(2, 3), (3, 4)]], "{monitor}");
    }
}

/// A store that comes first, and under TSO may wait until the transaction has read.
#[test]
fn a_store_in_front_of_a_transaction_may_fall_into_it_under_tso() {
    let before = ["2 st x", "1 begin", "1 ld x", "1 st x", "1 end"];
    assert!(cycles(&before, "sc-atomicity").is_empty());
    assert_eq!(cycles(&before, "tso-atomicity"), [[(1, 4), (3, 1)]]);
}

/// Two transactions one after the other: under TSO the stores of the first one can wait.
#[test]
fn the_order_of_issues_stands_for_all_commits() {
    let late = ["1 begin", "1 st x", "1 ld y", "1 end", "2 begin", "2 st y", "2 ld x", "2 end"];
    assert!(cycles(&late, "sc-atomicity").is_empty());
    assert_eq!(cycles(&late, "tso-atomicity"), [[(3, 6), (7, 2)]]);
    let fenced = ["1 begin", "1 st x", "1 ld y", "1 fence", "1 end", "2 begin", "2 st y", "2 ld x", "2 end"];
    assert!(cycles(&fenced, "tso-atomicity").is_empty());
    let bench = Bench::new();
    bench.write("log", &log(&late));
    let ran = bench.run("log --monitor tso-atomicity");
    for words in [
        "T2: takes effect before this earlier store of x, which waits in the store buffer",
        "T1: this store of x may wait in the store buffer",
        "T2: until this load of x has taken effect",
    ] {
        // The first thread of a log is 1.
        assert!(ran.output.contains(&words[4..]), "{}", ran.output);
    }
    let ran = bench.run("log --monitor tso-atomicity --search-steps 1");
    assert_eq!(ran.status, Some(3));
    assert_eq!(
        ran.verdict(),
        "incomplete: 1 execution; nothing found, but the search for a cycle in 1 of them came to the end of its budget, \
         so serializability under TSO is undecided"
    );
    assert_eq!(bench.run("log --monitor tso-atomicity --search-steps 1 --json -").json()["undecided"], 1);
}

/// The programs of section 4.2 of the TACAS 2016 paper, in a TSO execution each.
#[test]
fn executions_of_tso_are_measured_as_they_are() {
    let buffering = ["1 st x", "1 ld y", "2 st y", "2 ld x", "1 commit x", "2 commit y"];
    assert_eq!(cycles(&buffering, "sc-equivalence"), [[(1, 2), (2, 3), (3, 4), (4, 1)]]);
    assert!(cycles(&buffering, "tso-atomicity").is_empty());
    let in_order = ["1 st x", "1 commit x", "1 ld y", "2 st y", "2 commit y", "2 ld x"];
    assert!(cycles(&in_order, "sc-equivalence").is_empty());
    let one = ["1 st x", "1 ld y", "2 begin", "2 ld x", "2 st y", "2 commit y", "2 end", "1 commit x"];
    assert!(cycles(&one, "tso-atomicity").is_empty());
    let both =
        ["1 begin", "1 st x", "1 ld y", "1 end", "2 begin", "2 st y", "2 ld x", "2 end", "1 commit x", "2 commit y"];
    assert_eq!(cycles(&both, "tso-atomicity"), [[(3, 6), (7, 2)]]);
    let bench = Bench::new();
    bench.write("log", &log(&both));
    let json = bench.run("log --monitor tso-atomicity,sc-equivalence --json -").json();
    assert_eq!((&json["model"], &json["violations"][0]["model"]), (&"tso".into(), &"tso".into()));
    assert_eq!(json["violations"][0]["kind"], "atomicity");
    assert_eq!(json["violations"][1]["kind"], "sc-violation");
}

#[test]
fn monitors_of_tso_executions_and_of_sc_executions_are_told_apart() {
    let bench = Bench::new();
    bench.write("tso", &log(&["1 st x", "1 ld y", "1 commit x"]));
    bench.write("sc", &log(&["1 st x", "1 ld y"]));
    let ran = bench.run("tso --monitor tso-atomicity,sc-atomicity");
    assert_eq!(ran.status, Some(2));
    let words =
        "error: tso:3: with commits it is an execution of TSO, and monitor `sc-atomicity` watches those of SC\n";
    assert!(ran.errors.starts_with(words), "{}", ran.errors);
    let ran = bench.run("sc --monitor sc-equivalence");
    assert_eq!(ran.status, Some(2));
    let words = "error: sc: without commits it is an execution of SC, which is equivalent to itself\n";
    assert!(ran.errors.starts_with(words), "{}", ran.errors);
    assert_eq!(bench.run("sc --search-steps 0").status, Some(2));
}

#[test]
fn several_logs_have_one_verdict() {
    let bench = Bench::new();
    bench.write("bad", &log(&SB));
    bench.write("good", &log(&["1 st x", "2 ld x"]));
    let ran = bench.run("bad good");
    assert_eq!((ran.status, ran.verdict()), (Some(1), "violations: 1 of 2 logs with violations; 2 executions"));
    let json = bench.run("good bad --json -").json();
    assert_eq!((&json[0]["verdict"], &json[1]["verdict"]), (&"clean".into(), &"violations".into()));
    assert_eq!(bench.run("good good").verdict(), "clean: 2 executions of 2 logs");
}

#[test]
fn a_pipe_is_read_as_a_file_is() {
    let bench = Bench::new();
    // Located otherwise at the end than at the beginning: the log is read twice.
    bench.write("log", &log(&["1 st x 8", "1 ld y", "2 st y", "2 ld x 4"]));
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencehound"));
    command.args(["monitor", "/dev/stdin"]).current_dir(bench.folder.path());
    let mut cat = Command::new("cat").arg(bench.folder.path().join("log")).stdout(Stdio::piped()).spawn().unwrap();
    let ran = command.stdin(cat.stdout.take().unwrap()).output().unwrap();
    cat.wait().unwrap();
    assert_eq!(ran.status.code(), Some(1));
}
