//! Findings that were changed after they were written: whatever they say now, a replay says that they are corrupt, or
//! runs what they describe.

use std::fs;

use serde_json::{Value, json};

use crate::bench::{Bench, TOO_LONG};

/// Store buffering with a choice, an assertion and a lock on the way.
const PROGRAM: &str = "#include <assert.h>
#include <fencehound.h>
#include <pthread.h>
int x, y, r;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *body(void *unused) {
    x = 1;
    r = y;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    y = 1;
    assert(x == 0 || fh_choose(3) != 2);
    pthread_join(thread, 0);
    return 0;
}
";

/// A program that is small, since each replay reads all of it.
const SMALL: &str = "cc a.c -Wl,--gc-sections -s -o program";

/// Values that stand for what may be in the wrong place.
fn intruders() -> Vec<Value> {
    let deep = (0..100).fold(json!(0), |inner, _| json!([inner]));
    vec![
        json!(null),
        json!(-1),
        json!(0),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("/dev/zero"),
        json!("\u{0}\u{1b}[2J"),
        json!("x".repeat(200_000)),
        json!([]),
        json!([0, 0]),
        json!({}),
        deep,
    ]
}

/// What a value may be changed into.
fn changes(value: &Value) -> Vec<Value> {
    let mut all = intruders();
    match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or_default();
            all.extend([json!(number + 1), json!(number.saturating_sub(1)), json!(number * 2 + 7)]);
        }
        Value::String(text) => all.extend([json!(format!("{text}x")), json!(text.to_uppercase())]),
        Value::Array(values) if !values.is_empty() => {
            let reversed: Vec<&Value> = values.iter().rev().collect();
            let longer = [values.as_slice(), &values[..1]].concat();
            all.extend([json!(reversed), json!(longer), json!(values[1..])]);
        }
        Value::Object(fields) => {
            for key in fields.keys() {
                let mut fewer = fields.clone();
                fewer.remove(key);
                all.push(Value::Object(fewer));
            }
        }
        _ => {}
    }
    all.retain(|other| other != value);
    all
}

/// The pointers (RFC 6901) of all values in a value, itself included.
fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_string());
    match value {
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| pointers(value, &format!("{here}/{index}"), all));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| pointers(value, &format!("{here}/{key}"), all));
        }
        _ => {}
    }
}

/// Replays what is in `finding.json`, which was made by this change.
fn replay(bench: &Bench, change: &str) -> i32 {
    let ran = bench.run("replay finding.json");
    assert_ne!(ran.status, TOO_LONG, "{change}: no end");
    assert!([0, 1, 2].contains(&ran.status), "{change}: {ran:?}");
    assert!(!ran.errors.contains("panicked"), "{change}: {ran:?}");
    assert!(!format!("{}{}", ran.output, ran.errors).contains('\u{1b}'), "{change}: {ran:?}");
    ran.status
}

/// Makes every single change below the pointer; how many replays ended with each status.
fn change_all(bench: &Bench, finding: &Value, below: &str) -> [u32; 3] {
    let mut places = Vec::new();
    pointers(finding.pointer(below).unwrap(), below, &mut places);
    let mut statuses = [0; 3];
    for place in places {
        for change in changes(finding.pointer(&place).unwrap()) {
            let mut changed = finding.clone();
            *changed.pointer_mut(&place).unwrap() = change.clone();
            fs::write(bench.path("finding.json"), changed.to_string()).unwrap();
            let words: String = change.to_string().chars().take(60).collect();
            statuses[usize::try_from(replay(bench, &format!("{place} = {words}"))).unwrap()] += 1;
        }
    }
    statuses
}

fn stored(bench: &Bench, id: &str) -> Value {
    serde_json::from_str(&bench.read(&format!("fencehound-out/{id}/finding.json"))).unwrap()
}

#[test]
fn every_field_of_a_finding_may_be_wrong() {
    let bench = Bench::new(&[("a.c", PROGRAM), ("other.c", "int main(void) { return 0; }\n")]);
    bench.quietly(SMALL);
    assert_eq!(bench.run("check program -- argument").status, 1);
    // A change of the schedule makes another execution, one of the report another violation; what is only shown, or
    // has no meaning here, may be anything; most others are nonsense.
    let [other, same, refused] = change_all(&bench, &stored(&bench, "tso-1"), "");
    assert!(other > 20 && same > 5 && refused > 500, "{other} {same} {refused}");
    let [other, same, refused] = change_all(&bench, &stored(&bench, "assertion-1"), "/violation");
    assert!(other > 20 && same > 5 && refused > 300, "{other} {same} {refused}");
}

#[test]
fn the_sources_and_options_of_a_finding_may_be_wrong() {
    let bench = Bench::new(&[("a.c", PROGRAM), ("other.c", "int main(void) { return 0; }\n")]);
    assert_eq!(bench.check("a.c -DMACRO=1")["verdict"], "violations");
    let finding = stored(&bench, "tso-1");
    let [_, _, refused] = change_all(&bench, &finding, "/program");
    assert!(refused > 100, "{refused}");
    let options =
        ["-DMACRO=2", "-c", "-S", "--version", "-###", "-O77", "no-such-file", "other.c", "-shared", "-nostdlib"];
    for option in options {
        let mut changed = finding.clone();
        changed["program"]["compile_options"] = json!(["-O1", option]);
        fs::write(bench.path("finding.json"), changed.to_string()).unwrap();
        let expected = if option == "-DMACRO=2" || option == "-O77" { 1 } else { 2 };
        assert_eq!(replay(&bench, option), expected, "{option}");
    }
}

#[test]
fn every_byte_of_a_finding_may_be_wrong() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    bench.quietly(SMALL);
    assert_eq!(bench.check("program")["verdict"], "violations");
    let whole = bench.read("fencehound-out/assertion-1/finding.json").into_bytes();
    for (index, step) in (0..whole.len()).step_by(23).zip(1_usize..) {
        let mut changed = whole.clone();
        changed[index] = u8::try_from(step * 37 % 256).unwrap();
        fs::write(bench.path("finding.json"), &changed).unwrap();
        replay(&bench, &format!("byte {index}"));
    }
}

#[test]
fn what_is_no_file_is_no_finding() {
    let bench = Bench::new(&[]);
    for name in ["/dev/zero", "/dev/null"] {
        let ran = bench.run(&format!("replay {name}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.errors.starts_with(&format!("error: {name}: not a file\nhelp: ")), "{ran:?}");
    }
}

#[test]
fn a_replay_whose_output_nobody_reads_is_the_same_replay() {
    let talkative =
        PROGRAM.replace("    y = 1;\n", "    for (int i = 0; i < 100000; i++) puts(\"words\");\n    y = 1;\n");
    let bench = Bench::new(&[("a.c", &format!("#include <stdio.h>\n{talkative}"))]);
    assert_eq!(bench.check("a.c")["verdict"], "violations");
    let mut child = bench.command(crate::bench::tool(), &["replay", "fencehound-out/tso-1"]).spawn().unwrap();
    drop(child.stdout.take());
    let ran = crate::bench::ran(&child.wait_with_output().unwrap());
    assert_eq!((ran.status, ran.errors.as_str()), (1, ""), "{ran:?}");
    let ran = bench.run("replay fencehound-out/tso-1");
    assert!(ran.output.starts_with("words\nwords\n") && ran.verdict().starts_with("reproduced: "), "{}", ran.verdict());
}

/// Members of a variable, reached by its name and by a pointer, of two blocks of the heap, and of a local variable; and
/// elements whose indices only the run knows.
const MEMBERS: &str = "#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
static struct { int a; struct { char tag; int count; } many[2]; pthread_mutex_t lock; } s;
static int got[2];
static struct node *list;
static void raise(int *count, int by) { *count += by; }
static void *work(void *done) {
    pthread_mutex_lock(&s.lock);
    s.a = 4;
    for (int i = 0; i < 2; i++)
        raise(&s.many[i].count, i + 5);
    pthread_mutex_unlock(&s.lock);
    list->next->key = got[1] = 7;
    *(int *)done = 1;
    return NULL;
}
int main(void) {
    pthread_t thread;
    int done = 0;
    list = calloc(1, sizeof *list);
    list->next = calloc(1, sizeof *list);
    pthread_create(&thread, 0, work, &done);
    pthread_join(thread, 0);
    assert(list->next->key == 0 && done);
    return 0;
}
";

#[test]
fn members_and_elements_have_names_of_their_own_in_interleavings_and_in_graphs() {
    let bench = Bench::new(&[("members.c", MEMBERS)]);
    for options in ["--monitor none", "--model tso"] {
        let ran = bench.run(&format!("check members.c {options}"));
        assert_eq!(ran.status, 1, "{ran:?}");
        let words = [
            "lock s.lock",
            "write s.a = 4",
            "write s.many[0].count = 5",
            "write s.many[1].count = 6",
            "write got[1] = 7",
            "write list = &node#1",
            "write node#1.next = &node#2",
            "read node#1.next = &node#2",
            "write node#2.key = 7",
            "read node#2.key = 7",
            "write done = 1",
        ];
        let missing: Vec<_> = words.iter().filter(|word| !ran.output.contains(**word)).collect();
        assert!(missing.is_empty(), "{options}: no {missing:?} in {}", ran.output);
    }
}

#[test]
fn members_without_types_are_told_apart_by_their_distance() {
    let bench = Bench::new(&[("members.c", MEMBERS)]);
    assert_eq!(bench.run("cc -gline-tables-only members.c -o members").status, 0);
    let ran = bench.run("check members --monitor none");
    let words = ["write s = 4", "write s+8 = 5", "write s+16 = 6", "write got[1] = 7"];
    let missing: Vec<_> = words.iter().filter(|word| !ran.output.contains(**word)).collect();
    assert!(ran.status == 1 && missing.is_empty(), "no {missing:?} in {}", ran.output);
}
