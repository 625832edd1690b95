//! The explorer `dpor` on all small programs, and on random ones: see [`oracle::small`].

mod oracle;

use oracle::classes;
use oracle::program::Program;
use oracle::random::{self, Ingredients, Random};
use oracle::small::{Watchers, check, check_all, pairs, threads};

#[test]
fn two_threads_of_up_to_three_operations() {
    // Two of 7 + 7² + 7³ = 399 threads, repetition allowed.
    let (checked, classes) = check_all(pairs(&threads(3)));
    assert_eq!(checked, 399 * 400 / 2);
    assert!(classes > checked);
}

#[test]
fn three_threads_of_up_to_two_operations() {
    let threads = threads(2);
    let three = |first: usize| {
        let threads = &threads;
        (first..threads.len()).flat_map(move |second| {
            (second..threads.len()).map(move |third| Program {
                threads: [first, second, third].map(|thread| threads[thread].clone()).to_vec(),
            })
        })
    };
    // Three of 56 threads, repetition allowed.
    assert_eq!(check_all((0..threads.len()).flat_map(three)).0, 56 * 57 * 58 / 6);
}

/// Every 1,999th of the 3.9 million programs of two threads of up to four operations; the example `classes` checks all.
#[test]
fn a_sample_of_two_threads_of_up_to_four_operations() {
    let threads = threads(4);
    // Two of 399 + 7⁴ = 2,800 threads, repetition allowed: 3,921,400.
    assert_eq!(threads.len(), 2_800);
    assert_eq!(check_all(pairs(&threads).step_by(1_999)).0, 1_962);
}

fn check_random(count: u64, with: Ingredients) {
    let mut watchers = Watchers::new();
    for seed in 0..count {
        let program = random::program(&mut Random::new(seed), with);
        check(&program, &mut watchers);
    }
}

const PLAIN: Ingredients = Ingredients { ops: 7, ..Ingredients::PLAIN };

#[test]
fn random_programs_with_guards_locks_spawns_and_joins() {
    check_random(5000, Ingredients { ordered: true, guards: true, ..PLAIN });
    check_random(5000, Ingredients { mutexes: 2, ops: 8, ..PLAIN });
    check_random(5000, Ingredients { spawns: true, guards: true, ..PLAIN });
    check_random(5000, Ingredients { ordered: true, guards: true, mutexes: 1, spawns: true, ops: 8, ..PLAIN });
}

/// The same program with its threads in another order has the same classes, but for the names of the threads.
#[test]
fn the_order_of_the_threads_makes_no_difference() {
    for seed in 0..500 {
        let program =
            random::program(&mut Random::new(seed), Ingredients { ordered: true, mutexes: 1, ops: 8, ..PLAIN });
        let count = program.threads.len();
        let turned = Program { threads: program.threads.iter().rev().cloned().collect() };
        let classes = |program: &Program| {
            let mut classes = 0;
            classes::runs(program, &mut |_| classes += 1);
            classes
        };
        assert_eq!(classes(&program), classes(&turned), "{count} threads, {program}");
    }
}
