//! Litmus tests, with verdicts and reports derived by hand from the definitions.
//!
//! For each program: under which models it can leave sequential consistency, and for one or more of its runs what each
//! monitor reports. A report is written `e′ prev e`, an event `thread.operation`. The verdict is compared with the
//! operational machines, and with whether a monitor reports on any interleaving.

mod oracle;

use engine::model::MemoryModel;
use engine::monitor::burnim::Burnim;
use oracle::definition::{self, Relaxed};
use oracle::machine::{self, Machine, Step};
use oracle::program::Program;
use oracle::replay;

/// Under which models a program can leave sequential consistency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Breaks {
    Never,
    Pso,
    TsoAndPso,
}

use Breaks::{Never, Pso, TsoAndPso};

/// A schedule, the reports for TSO and those for PSO.
type Run = (&'static str, &'static [&'static str], &'static [&'static str]);

/// `e′ prev e` for each report.
fn written(reports: &[definition::Report], run: &[Step]) -> Vec<String> {
    let event = |place: usize| format!("{}.{}", run[place].thread, run[place].op);
    let report = |report: &definition::Report| {
        format!("{} {} {}", event(report.delayed), event(report.previous), event(report.overtaking))
    };
    reports.iter().map(report).collect()
}

fn check(threads: &[&str], breaks: Breaks, runs: &[Run]) {
    let program = Program::parse(threads);
    let mut monitor = Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]);
    let mut reports = Vec::new();
    let machine = Machine::new(&program, machine::Model::Sc);

    let robust = [machine::Model::Tso, machine::Model::Pso].map(|model| Machine::new(&program, model).is_robust());
    let expected = [breaks != TsoAndPso, breaks == Never];
    assert_eq!(robust, expected, "robust under [TSO, PSO] by the machines: {program}");
    let mut silent = [true; 2];
    machine.interleavings(&mut |run, _| {
        replay::run(&mut monitor, run, &mut reports);
        silent[0] &= replay::of_model(&reports, Relaxed::Tso).is_empty();
        silent[1] &= replay::of_model(&reports, Relaxed::Pso).is_empty();
    });
    assert_eq!(silent, expected, "robust under [TSO, PSO] by the monitors: {program}");

    for (schedule, tso, pso) in runs {
        let mut state = machine.initial();
        let mut run = Vec::new();
        for digit in schedule.bytes() {
            let thread = usize::from(digit - b'0');
            assert!(machine.is_enabled(&state, thread), "{schedule} is no run of {program}");
            run.push(machine.execute(&mut state, thread));
        }
        replay::run(&mut monitor, &run, &mut reports);
        for (model, expected) in [(Relaxed::Tso, tso), (Relaxed::Pso, pso)] {
            let found = written(&replay::of_model(&reports, model), &run);
            assert_eq!(&found, expected, "{model:?}, {schedule} of {program}");
        }
    }
}

#[test]
fn store_buffering() {
    const SB: &[&str] = &["st a=1; ld b", "st b=1; ld a"];
    let broken: Run = ("0011", &["0.0 1.0 1.1"], &["0.0 1.0 1.1"]);
    // Both stores come first: neither load's thread knows of the other's store.
    check(SB, TsoAndPso, &[broken, ("1100", &["1.0 0.0 0.1"], &["1.0 0.0 0.1"]), ("0101", &[], &[])]);
    check(&["st a=1; mfence; ld b", "st b=1; mfence; ld a"], Never, &[("000111", &[], &[])]);
    // The unfenced thread must go first: its store alone can still wait.
    let fenced = &["st a=1; mfence; ld b", "st b=1; ld a"];
    check(fenced, TsoAndPso, &[("11000", &["1.0 0.1 0.2"], &["1.0 0.1 0.2"]), ("00011", &[], &[])]);
    check(&["xchg a=1; ld b", "xchg b=1; ld a"], Never, &[("0011", &[], &[])]);
    // An exchange elsewhere drains the buffer in TSO alone (erratum B4).
    let elsewhere = &["st a=1; xchg c=1; ld b", "st b=1; xchg d=1; ld a"];
    check(elsewhere, Pso, &[("000111", &[], &["0.0 1.1 1.2"])]);
    // A barrier between stores does not hold a load back.
    let stbar = &["st a=1; stbar; ld b", "st b=1; stbar; ld a"];
    check(stbar, TsoAndPso, &[("000111", &["0.0 1.1 1.2"], &["0.0 1.1 1.2"])]);
    check(&["st<w a=1; ld b", "st<w b=1; ld a"], TsoAndPso, &[broken]);
    check(&["st<w>f a=1; ld b", "st<w>f b=1; ld a"], Never, &[("0011", &[], &[])]);
    check(&["st a=1; ld<f b", "st b=1; ld<f a"], Never, &[("0011", &[], &[])]);
}

#[test]
fn store_buffering_and_compare_and_swap_that_fails() {
    // It drains what a successful one would: the whole buffer in TSO, its address in PSO.
    let elsewhere = &["st a=1; cas c=9->1; ld b", "st b=1; cas d=9->1; ld a"];
    check(elsewhere, Pso, &[("000111", &[], &["0.0 1.1 1.2"])]);
    check(&["st a=1; cas a=9->5; ld b", "st b=1; cas b=9->5; ld a"], Never, &[("000111", &[], &[])]);
    check(&["st a=1; cas<f c=9->1; ld b", "st b=1; cas<f d=9->1; ld a"], Never, &[("000111", &[], &[])]);
    // A release compare-and-swap waits for the earlier stores, even when it fails.
    check(&["st a=1; cas<w c=9->1; ld b", "st b=1; cas<w d=9->1; ld a"], Never, &[("000111", &[], &[])]);
}

#[test]
fn message_passing() {
    let broken: Run = ("0011", &[], &["0.0 1.0 1.1"]);
    check(&["st a=1; st b=1", "ld b; ld a"], Pso, &[broken, ("1001", &[], &[])]);
    check(&["st a=1; stbar; st b=1", "ld b; ld a"], Never, &[("00011", &[], &[])]);
    check(&["st a=1; mfence; st b=1", "ld b; ld a"], Never, &[("00011", &[], &[])]);
    check(&["st a=1; st<w b=1", "ld b; ld a"], Never, &[("0011", &[], &[])]);
    check(&["st a=1; st<w>f b=1", "ld b; ld a"], Never, &[("0011", &[], &[])]);
    check(&["st a=1; xchg b=1", "ld b; ld a"], Pso, &[broken]);
    check(&["st a=1; xchg<w b=1", "ld b; ld a"], Never, &[("0011", &[], &[])]);
    check(&["lock m0; st a=1; unlock m0; st b=1", "ld b; ld a"], Never, &[("000011", &[], &[])]);
    // The reader looks only when the flag is up; or only when it is not, and then there is nothing to see.
    check(&["st a=1; st b=1", "ld b; [r0!=0] ld a"], Pso, &[broken]);
    check(&["st a=1; st b=1", "ld b; [r0==0] ld a"], Never, &[("1001", &[], &[])]);
    // A barrier orders what is before it with what is after it, and nothing else.
    let epochs = &["st a=1; stbar; st b=1; st c=1", "ld c; ld b"];
    check(epochs, Pso, &[("000011", &[], &["0.2 1.0 1.1"])]);
    check(&["st a=1; stbar; st b=1; st c=1", "ld c; ld a"], Never, &[("000011", &[], &[])]);
}

#[test]
fn stores_that_overtake_stores() {
    // 2+2W.
    check(&["st a=1; st b=2", "st b=1; st a=2"], Pso, &[("0011", &[], &["0.0 1.0 1.1"])]);
    check(&["st a=1; stbar; st b=2", "st b=1; stbar; st a=2"], Never, &[("000111", &[], &[])]);
    // R: in TSO the store of the second thread must wait while its load is done (erratum B7); in PSO the first two
    // stores may also change places.
    let r = &["st a=1; st b=1", "st b=2; ld a"];
    check(r, TsoAndPso, &[("1100", &["1.0 0.0 0.1"], &["1.0 0.0 0.1"]), ("0011", &[], &["0.0 1.0 1.1"])]);
    check(&["st a=1; mfence; st b=1", "st b=2; mfence; ld a"], Never, &[("111000", &[], &[])]);
    // S.
    check(&["st a=2; st b=1", "ld b; st a=1"], Pso, &[("0011", &[], &["0.0 1.0 1.1"])]);
    check(&["st a=2; stbar; st b=1", "ld b; st a=1"], Never, &[("00011", &[], &[])]);
}

#[test]
fn what_no_store_buffer_breaks() {
    // LB, IRIW, WRC, coherence, one atomic against another (erratum B1).
    check(&["ld a; st b=1", "ld b; st a=1"], Never, &[("0011", &[], &[])]);
    check(&["st a=1", "st b=1", "ld a; ld b", "ld b; ld a"], Never, &[("022133", &[], &[])]);
    check(&["st a=1", "ld a; st b=1", "ld b; ld a"], Never, &[("01122", &[], &[])]);
    check(&["st a=1", "ld a; ld a"], Never, &[("101", &[], &[])]);
    check(&["st a=1; st a=2", "ld a; ld a"], Never, &[("0101", &[], &[])]);
    check(&["xchg a=1", "xchg a=2"], Never, &[("01", &[], &[])]);
}

#[test]
fn mutual_exclusion() {
    // Dekker's entry: the second thread would not see the first one's claim.
    let dekker = &["st a=1; ld b; [r1==0] st c=1", "st b=1; ld a; [r1==0] st c=2"];
    check(dekker, TsoAndPso, &[("00011", &["0.0 1.0 1.1"], &["0.0 1.0 1.1"])]);
    let fenced = &["st a=1; mfence; ld b; [r2==0] st c=1", "st b=1; mfence; ld a; [r2==0] st c=2"];
    check(fenced, Never, &[("0000111", &[], &[])]);
    // A test-and-set lock: in PSO, a plain store that gives it back overtakes the stores it protects.
    let plain = &["xchg a=1; [r0==0] st b=1; [r0==0] st a=0", "xchg a=1; [r0==0] ld b"];
    check(plain, Pso, &[("00011", &[], &["0.1 1.0 1.1"])]);
    let release = &["xchg a=1; [r0==0] st b=1; [r0==0] st<w a=0", "xchg a=1; [r0==0] ld b"];
    check(release, Never, &[("00011", &[], &[])]);
}

#[test]
fn locks() {
    let same = &["lock m0; st a=1; ld b; unlock m0", "lock m0; st b=1; ld a; unlock m0"];
    check(same, Never, &[("00001111", &[], &[])]);
    // Two locks protect nothing; the store waits until the unlock.
    let different = &["lock m0; st a=1; ld b; unlock m0", "lock m1; st b=1; ld a; unlock m1"];
    let late: Run = ("00001111", &[], &[]);
    check(different, TsoAndPso, &[("00011101", &["0.1 1.1 1.2"], &["0.1 1.1 1.2"]), late]);
    // A run that ends in a deadlock is a run.
    check(&["lock m0; st a=1; lock m1", "lock m1; ld a; lock m0"], Never, &[("0011", &[], &[])]);
    // prev may be a lock operation, and what it knows comes through the lock (erratum B9).
    let through = &["lock m0; st a=1; unlock m0", "lock m0; st b=2; unlock m0", "st a=3; ld b"];
    check(through, TsoAndPso, &[("22111000", &["2.0 0.0 0.1"], &["2.0 0.0 0.1"])]);
}

#[test]
fn creations_and_joins() {
    check(&["st a=1; spawn T1", "ld a"], Never, &[("001", &[], &[])]);
    check(&["spawn T1; join T1; ld a", "st a=1"], Never, &[("0100", &[], &[])]);
    // prev of a thread's first event is its creation (erratum B8).
    let created = &["st a=1; spawn T2", "st b=1; ld a", "ld b"];
    check(created, TsoAndPso, &[("11002", &["1.0 0.1 2.0"], &["1.0 0.1 2.0"])]);
    let joined = &["spawn T1; join T1; ld a", "st b=1", "st a=1; ld b"];
    check(joined, TsoAndPso, &[("220100", &["2.0 0.1 0.2"], &["2.0 0.1 0.2"])]);
}

#[test]
fn counterexamples_of_the_errata() {
    // B5: complete over all interleavings, not over one representative of each class.
    let program = &["st a=1; st b=2", "st b=3; ld a; xchg a=4"];
    let reported: Run = ("11001", &["1.0 0.0 0.1"], &["1.0 0.0 0.1"]);
    check(program, TsoAndPso, &[reported, ("11100", &[], &["1.0 0.0 0.1"])]);
    let program = &["ld a; st b=2", "st b=3; st a=4; mfence"];
    check(program, Pso, &[("11001", &[], &["1.0 0.0 0.1"]), ("11100", &[], &[])]);
    let program = &["st a=1; ld b; mfence", "st b=1; ld a; mfence"];
    check(program, TsoAndPso, &[("001101", &["0.0 1.0 1.1"], &["0.0 1.0 1.1"]), ("000111", &[], &[])]);
    // B6: an older store qualifies although the newest does not.
    let program = &["st a=1; ld b; st a=2", "st b=3; ld a"];
    check(program, TsoAndPso, &[("00011", &["0.0 1.0 1.1"], &["0.0 1.0 1.1"])]);
    // B9: a fence does not cut what prev knows.
    let program = &["st a=1; ld b", "st b=3; mfence; st a=5"];
    check(program, TsoAndPso, &[("00111", &["0.0 1.1 1.2"], &["0.0 1.1 1.2"])]);
    // S2: a load that sees an own store, which commits after another thread's (SOBER as printed misses it).
    let program = &["st a=1; st b=2", "st b=3; ld b; ld a"];
    check(program, TsoAndPso, &[("11100", &["1.0 0.0 0.1"], &["1.0 0.0 0.1"])]);
}

#[test]
fn a_report_does_not_end_the_monitoring() {
    let program = &["st a=1; st c=1; ld b", "st b=1; ld a; ld c"];
    let both = &["0.0 1.0 1.1", "0.1 1.1 1.2"];
    check(program, TsoAndPso, &[("000111", both, both)]);
    // The other way round TSO commits both stores when it commits the younger one.
    let program = &["st a=1; st c=1; ld b", "st b=1; ld c; ld a"];
    check(program, TsoAndPso, &[("000111", &["0.1 1.0 1.1"], &["0.1 1.0 1.1", "0.0 1.1 1.2"])]);
}

#[test]
fn accesses_of_several_locations() {
    // One store at two locations is reported once, two stores are reported both.
    check(&["st ab=1; ld c", "st c=1; ld ab"], TsoAndPso, &[("0011", &["0.0 1.0 1.1"], &["0.0 1.0 1.1"])]);
    let both = &["0.0 1.0 1.1", "0.1 1.0 1.1"];
    check(&["st a=1; st b=2; ld c", "st c=1; ld ab"], TsoAndPso, &[("00011", both, both)]);
    // A store commits whole, and after those that it shares a location with: the load of b makes a=1 commit, too.
    check(&["st a=1; st ab=2", "ld b; ld a"], Never, &[("0011", &[], &[])]);
    check(&["st a=1; st ab=2; st bc=3", "ld c; ld a"], Never, &[("00011", &[], &[])]);
    check(&["st a=1; st bc=3", "ld c; ld a"], Pso, &[("0011", &[], &["0.0 1.0 1.1"])]);
    // An access comes after a store to one of its locations and overtakes an older one to the other.
    check(&["st a=1; st b=2", "ld ab"], Pso, &[("001", &[], &["0.0 0.0 1.0"])]);
    check(&["st a=1; stbar; st b=2", "ld ab"], Never, &[("0001", &[], &[])]);
    check(&["st a=1; st ab=2; st b=3", "ld ab"], Never, &[("0001", &[], &[])]);
    check(&["st a=1; ld b", "st ab=2"], TsoAndPso, &[("001", &["0.0 0.0 1.0"], &["0.0 0.0 1.0"])]);
    // A compare-and-swap that overtakes reads something else: here it fails, and does not come after the load of b.
    check(&["st a=1; ld b", "cas ab=1->2"], Never, &[("001", &[], &[])]);
    // An exchange of two locations drains both.
    check(&["st a=1; xchg ac=2; ld b", "st b=1; mfence; ld a"], Never, &[("000111", &[], &[])]);
}
