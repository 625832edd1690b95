//! Findings in gdb: the sessions of `docs/debugging.md`, typed into gdb, print what stands there.

use std::fs;
use std::path::Path;

use crate::bench::Bench;
use crate::guide::{examples, is_quoted};

/// A command and what it prints.
type Quote = (String, Vec<String>);

/// The blocks of the document, each as its commands for the shell and for gdb.
fn sessions(document: &str) -> Vec<Vec<Quote>> {
    let blocks = document.split("```console\n").skip(1).map(|rest| rest.split_once("```").expect("the block ends").0);
    let of_block = |block: &str| {
        let mut quotes: Vec<Quote> = Vec::new();
        for line in block.lines() {
            match line.strip_prefix("$ fencehound ").or(line.strip_prefix("(gdb) ")) {
                Some(command) => quotes.push((command.to_owned(), Vec::new())),
                None => quotes.last_mut().expect("a command stands first").1.push(line.to_owned()),
            }
        }
        quotes
    };
    blocks.map(of_block).collect()
}

/// A line without what differs between builds of Fencehound: addresses, and the numbers of frames. What follows `…` in a line is not
/// compared.
fn settled(line: &str) -> String {
    let line = match line.split_once(" at ") {
        Some((frame, place)) if frame.starts_with('#') => {
            let function = frame.split_once("in ").map_or(frame, |(_, function)| function);
            let function = function.trim_start_matches(|letter: char| letter == '#' || letter.is_ascii_digit());
            format!("# {} at {place}", function.trim_start())
        }
        _ => line.to_owned(),
    };
    line.trim_end().to_owned()
}

/// Whether lines are as quoted.
fn are_quoted(printed: &str, quoted: &[String]) -> bool {
    let mut quoted: Vec<String> = quoted.iter().map(|line| settled(line)).collect();
    let mut printed: Vec<String> = printed.trim_end().lines().map(settled).collect();
    while quoted.last().is_some_and(String::is_empty) {
        quoted.pop();
    }
    // Of a line that is left open its beginning is compared.
    for line in &mut quoted {
        let Some(beginning) = line.strip_suffix('…').filter(|beginning| !beginning.is_empty()) else { continue };
        let beginning = beginning.to_owned();
        for full in printed.iter_mut().filter(|full| full.starts_with(&beginning)) {
            full.clone_from(&beginning);
        }
        *line = beginning;
    }
    is_quoted(&printed.iter().map(String::as_str).collect::<Vec<_>>(), &quoted)
}

#[test]
fn gdb_shows_what_the_document_quotes() {
    let files = examples();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/debugging.md"));
    let sessions = sessions(&fs::read_to_string(path).expect("the document is there"));
    assert_eq!(sessions.len(), 3);
    for session in sessions {
        let bench = Bench::new(&files);
        let [check, replay, typed @ ..] = &session[..] else {
            panic!("a check, a replay and what is typed: {session:?}")
        };
        assert_eq!(bench.run(&check.0).status, 1, "{check:?}");
        let input: String = typed.iter().map(|(command, _)| format!("{command}\n")).collect();
        let ran = bench.run_with(&replay.0, &input);
        let mut answers = ran.output.split("(gdb) ").skip(1);
        for (command, quoted) in typed {
            let printed = answers.next().unwrap_or_default();
            assert!(are_quoted(printed, quoted), "{command}: {printed}\nquoted: {quoted:?}\n{ran:?}");
        }
    }
}

/// Two threads lose an update, deep in their stacks, and main calls back from the C library.
const DEEP: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int counter;
static int compare(const void *one, const void *other) {
    int calls = atomic_fetch_add(&counter, 1);
    return calls >= 0 ? *(const int *)one - *(const int *)other : 0;
}
__attribute__((noinline)) static int inner(void) {
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return seen;
}
static void *increment(void *own) {
    long mine[2] = {(long)own, (long)own};
    mine[inner() & 1]++;
    return mine[(long)own & 1] > 0 ? own : NULL;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, increment, (void *)7);
    pthread_create(&other, NULL, increment, (void *)8);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, compare);
    assert(counter == 3);
    return 0;
}
";

/// What gdb answers to each of these commands.
fn answers(bench: &Bench, replay: &str, typed: &[&str]) -> Vec<String> {
    let ran = bench.run_with(replay, &(typed.join("\n") + "\n"));
    let answers: Vec<String> = ran.output.split("(gdb) ").skip(1).map(str::to_owned).collect();
    assert!(answers.len() >= typed.len(), "{ran:?}");
    answers
}

/// The functions of a backtrace.
fn functions(backtrace: &str) -> Vec<&str> {
    let frames = backtrace.lines().filter(|line| line.starts_with('#'));
    frames
        .map(|line| {
            let words = line.split_once(" in ").map_or_else(|| line.split_once("  ").unwrap().1, |(_, rest)| rest);
            words.split(" (").next().unwrap()
        })
        .collect()
}

#[test]
fn each_thread_has_its_stack_and_its_variables() {
    let bench = Bench::new(&[("deep.c", DEEP)]);
    assert_eq!(bench.run("check deep.c --monitor none").status, 1);
    let replay = "replay fencehound-out/assertion-1 --gdb";
    // Both threads have read, and the first one has written, when this event is over.
    let events = answers(&bench, replay, &["fh-events"]).remove(0);
    let write = events.lines().position(|line| line.contains("write counter = 1")).expect("somebody writes");
    let writer = if events.lines().nth(write).unwrap().contains("T1:") { 1 } else { 2 };
    let go = format!("fh-event {write}");
    let (own, other) = (format!("thread {writer}"), format!("thread {}", 3 - writer));
    let typed =
        [&go, "bt", &other, "bt", "up", "print mine[0]", &own, "bt", "thread 0", "bt", "thread 7", "fh-buffers"];
    let answers = answers(&bench, replay, &typed);
    let stack = ["inner", "increment"];
    assert_eq!([1, 3, 7].map(|index| functions(&answers[index])), [stack; 3], "{answers:?}");
    let others = if writer == 1 { "$1 = 8" } else { "$1 = 7" };
    assert_eq!((answers[5].trim(), functions(&answers[9])), (others, vec!["main"]), "{answers:?}");
    // Where the C library calls back, nothing between is shown.
    let events: Vec<&str> = events.lines().collect();
    let compared = events.iter().position(|line| line.contains("deep.c:7")).expect("compare is called");
    let typed = [format!("fh-event {compared}"), "bt".to_owned()];
    let back = self::answers(&bench, replay, &typed.each_ref().map(String::as_str));
    assert_eq!(functions(&back[1]), ["compare", "main"], "{back:?}");
}

#[test]
fn going_back_over_and_over_shows_the_same_events() {
    let bench = Bench::new(&[("deep.c", DEEP)]);
    assert_eq!(bench.run("check deep.c --monitor none --model tso").status, 1);
    assert_eq!(bench.run("check deep.c --monitor none --model tso --explorer bounded --out machine").status, 1);
    for finding in ["fencehound-out/tso-assertion-1", "machine/tso-assertion-1"] {
        let replay = format!("replay {finding} --gdb");
        let typed = ["fh-next", "fh-next", "fh-next", "fh-back", "fh-back", "fh-next", "fh-next"];
        let answers = answers(&bench, &replay, &typed);
        let event =
            |answer: &String| answer.lines().find(|line| line.starts_with("event ")).unwrap_or_default().to_owned();
        let events: Vec<String> = answers.iter().map(event).take(typed.len()).collect();
        assert!(events[..3].iter().all(|event| !event.is_empty()), "{finding}: {answers:?}");
        let same = [[1, 3], [0, 4], [1, 5], [2, 6]];
        assert!(same.iter().all(|[one, other]| events[*one] == events[*other]), "{finding}: {events:?}");
        assert!(events[0] != events[1] && events[1] != events[2], "{finding}: {events:?}");
    }
}
