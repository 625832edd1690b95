//! What `check` says of several machines: a line for each machine, and the orders that those do not keep on which the program breaks.

use crate::bench::Bench;

#[test]
fn all_machines_are_in_one_table() {
    let bench = Bench::new(&[("ring.c", include_str!("../../../c-tests/weak/ring.c"))]);
    let ran = bench.run("check ring.c -DPUBLISH=relaxed --model all --json result.json");
    assert_eq!(ran.status, 1, "{ran:?}");
    let verdicts = ["SC", "x86 (TSO)", "ARMv8", "RISC-V", "POWER", "C11"].map(|machine| {
        let line = ran.output.lines().find_map(|line| line.strip_prefix(&format!("{machine:<11} ")));
        line.and_then(|line| line.split_whitespace().next()).unwrap_or_default().to_owned()
    });
    assert_eq!(verdicts, ["clean", "clean", "breaks", "breaks", "breaks", "breaks"], "{ran:?}");
    let order = "  store of slots[0] (ring.c:58) before store of tail (ring.c:59): ARMv8, RISC-V, POWER, C11\n";
    assert!(ran.output.contains(order), "{ran:?}");
    let again = "riscv-assertion-1: assertion `value == 1` failed, ring.c:";
    assert!(ran.output.contains(again) && ran.output.contains(", as armv8-assertion-1\n"), "told once: {ran:?}");
    let last = "violations: breaks under ARMv8, RISC-V, POWER, C11; clean under SC, x86 (TSO)";
    assert_eq!(ran.output.lines().last(), Some(last), "{ran:?}");
    let results: serde_json::Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let models: Vec<&str> = results.as_array().unwrap().iter().filter_map(|one| one["model"].as_str()).collect();
    assert_eq!(models, ["sc", "tso", "armv8", "riscv", "power", "c11"]);
    let judged = results.as_array().unwrap().iter().map(|one| {
        let model = one["model"].as_str().unwrap_or_default();
        one["models"][model]["judgement"].as_str().unwrap_or_default().to_owned()
    });
    assert_eq!(judged.collect::<Vec<_>>(), ["", "harmless", "breaks", "breaks", "breaks", "breaks"]);
}

#[test]
fn four_machines_are_in_one_table_too() {
    let bench = Bench::new(&[("ring.c", include_str!("../../../c-tests/weak/ring.c"))]);
    let ran = bench.run("check ring.c -DPUBLISH=release --model sc,tso,armv8,riscv --monitor none");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.output.contains("\nRISC-V      clean        all "), "{ran:?}");
    assert_eq!(ran.output.lines().last(), Some("clean: under SC, x86 (TSO), ARMv8, RISC-V"), "{ran:?}");
}

#[test]
fn a_data_race_says_what_to_do() {
    let bench = Bench::new(&[("ring.c", include_str!("../../../examples/ring.c"))]);
    let ran = bench.run("check ring.c --monitor race");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("\n  help: order the two by a lock, or by a release store"), "{ran:?}");
}

#[test]
fn a_program_that_does_not_compile_is_told_where_options_stand() {
    let bench = Bench::new(&[("a.c", "#include \"b.h\"\nint main(void) { return 0; }\n")]);
    std::fs::create_dir(bench.path("include")).unwrap();
    bench.write("include/b.h", "\n");
    let ran = bench.run("check a.c -- -Iinclude");
    assert_eq!(ran.status, 5, "{ran:?}");
    assert!(ran.errors.contains("\nhelp: options for the compiler (-I, -D, -std=, -l) stand before `--`"), "{ran:?}");
    assert_eq!(bench.run("check a.c -Iinclude").status, 0);
}
