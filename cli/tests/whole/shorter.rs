//! Schedules, made shorter than they were found.

use serde_json::Value;

use crate::bench::Bench;

/// Two threads lose an update. Each does much besides, which the other one does not see.
const LOST_UPDATE: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter, noise[2];
static void *increment(void *own) {
    atomic_int *mine = own;
    for (int i = 0; i < 4; i++)
        atomic_fetch_add(mine, 1);
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    for (int i = 0; i < 4; i++)
        atomic_fetch_add(mine, 1);
    return NULL;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, increment, &noise[0]);
    pthread_create(&other, NULL, increment, &noise[1]);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
";

/// The number of runs of events of one thread.
fn runs(schedule: &Value) -> usize {
    schedule["segments"].as_array().unwrap().len()
}

#[test]
fn random_findings_have_as_few_switches_as_they_need() {
    let bench = Bench::new(&[("lost.c", LOST_UPDATE)]);
    for explorer in ["random", "pct", "urw"] {
        for seed in 0..3 {
            let line = format!(
                "check lost.c --explorer {explorer} --seed {seed} --executions 300 --monitor none --stop-at-first"
            );
            let ran = bench.run(&line);
            assert_eq!(ran.status, 1, "{line}: {ran:?}");
            let finding: Value = serde_json::from_str(&bench.read("fencehound-out/assertion-1/finding.json")).unwrap();
            // main creates; one thread has read when the other one runs as a whole, then it writes; main joins and asserts.
            let schedule = &finding["violation"]["schedule"];
            assert_eq!(runs(schedule), 5, "{line}: {schedule}");
            let original = &finding["original"];
            assert!(original.is_null() || runs(original) > 5, "{line}: {original}");
            let again = bench.run("replay fencehound-out/assertion-1");
            assert!(again.status == 1 && again.verdict().starts_with("reproduced: assertion-1"), "{again:?}");
        }
    }
    // Of a fair coin's schedules of 20 events hardly any is as short by itself.
    let ran = bench.run("check lost.c --explorer random --seed 1 --executions 300 --monitor none");
    assert_eq!(ran.status, 1);
    assert!(bench.read("fencehound-out/assertion-1/finding.json").contains("\"original\""));
}

#[test]
fn searches_of_all_executions_show_a_simple_one() {
    let bench = Bench::new(&[("lost.c", LOST_UPDATE)]);
    // On a machine each thread that commits stores has a run of its own; a class is found with all its commits apart.
    let machine = "--model tso --explorer";
    for (explorer, id, expected) in [
        ("--explorer auto", "assertion-1", 5),
        ("--explorer dpor", "assertion-1", 5),
        ("--explorer bounded", "assertion-1", 5),
        (&format!("{machine} bounded"), "tso-assertion-1", 5),
        (&format!("{machine} random --seed 1 --executions 300"), "tso-assertion-1", 5),
        (&format!("{machine} dpor"), "tso-assertion-1", 8),
    ] {
        assert_eq!(bench.run(&format!("check lost.c {explorer} --monitor none")).status, 1, "{explorer}");
        let finding = format!("fencehound-out/{id}");
        let kept: Value = serde_json::from_str(&bench.read(&format!("{finding}/finding.json"))).unwrap();
        let schedule = &kept["violation"]["schedule"];
        assert_eq!(runs(schedule), expected, "{explorer}: {schedule}");
        assert!(kept["original"].is_null() || runs(&kept["original"]) > expected, "{explorer}: {kept}");
        let again = bench.run(&format!("replay {finding}"));
        assert!(again.status == 1 && again.verdict().starts_with("reproduced: "), "{explorer}: {again:?}");
    }
}

#[test]
fn a_replay_goes_step_by_step_forward_and_back() {
    let bench = Bench::new(&[("lost.c", LOST_UPDATE)]);
    assert_eq!(bench.run("check lost.c --monitor none --stop-at-first").status, 1);
    let rows = |output: &str| -> Vec<u64> {
        let numbers = output.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let number = words.next()?.parse().ok()?;
            words.next().filter(|place| place.starts_with("lost.c:")).map(|_| number)
        });
        numbers.collect()
    };
    let line = "replay fencehound-out/assertion-1 --step";
    let stepped = bench.run_with(line, "\n\nb\n\nq\n");
    assert_eq!((stepped.status, rows(&stepped.output)), (1, vec![0, 1, 2, 1, 2]), "{stepped:?}");
    assert!(stepped.output.contains("17 |     pthread_create(&one, NULL, increment, &noise[0]);"), "{stepped:?}");
    // Without anybody who types it is shown whole.
    let whole = rows(&bench.run_with(line, "").output);
    assert!(whole.len() > 10 && whole == (0..whole.len() as u64).collect::<Vec<_>>(), "{whole:?}");
}
