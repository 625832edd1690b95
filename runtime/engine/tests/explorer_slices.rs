//! Searches cut into slices: however they are cut, and in whatever order the slices run, each execution is run once,
//! and joined in their order they are the same executions in the same order as those of an uncut search.

mod programs;

use std::collections::BTreeSet;

use engine::event::Thread;
use engine::execution::{Ending, Execution};
use engine::explore::bounded::Bounded;
use engine::explore::estimate::{Ahead, Samples};
use engine::explore::pct::Pct;
use engine::explore::random::Uniform;
use engine::explore::sampler::{Draw, Sampler};
use engine::explore::slice::{Leftover, Unit};
use engine::explore::urw::Urw;
use engine::explore::{Corrupt, Counts, Finish};
use programs::random::{self, Random};
use programs::{Decision, Interpreter, Op, Program, Run, Until, explore};

/// What makes an execution: its decisions, whether it counts, its preemptions.
type Shape = (Vec<Decision>, Counts, Option<u32>);

fn shape(run: &Run) -> Shape {
    (run.schedule.clone(), run.counts, run.preemptions)
}

/// How a search is cut.
struct Knife<'a> {
    random: &'a mut Random,
    /// Executions of a slice, at most.
    budget: usize,
    /// One of so many executions has to be run again; 0 for none.
    again: usize,
}

impl Knife<'_> {
    /// Runs a slice in a new process, so to say.
    fn slice(&mut self, program: &Program, bound: Option<u32>, units: &[Unit], paths: &[Vec<u32>]) -> Slice {
        let strategy = Bounded::slice(bound, units).expect("units that were handed out");
        let mut execution = Execution::new(Box::new(strategy));
        execution.state.threads.number(paths).expect("a numbering");
        let mut runs = Vec::new();
        let budget = 1 + self.random.below(self.budget);
        while runs.len() < budget && execution.begin() {
            let run = Interpreter::run(program, &mut execution);
            assert_ne!(run.ending, Ending::Diverged, "{program:?} {:?}", execution.history.divergence());
            if self.again > 0 && self.random.below(self.again) == 0 {
                execution.finish(Finish::Again);
                // What is to be run again can be left to another slice.
                if self.random.below(2) == 0 {
                    break;
                }
                continue;
            }
            assert_eq!(execution.strayed(), None, "{program:?} {:?}", run.schedule);
            execution.finish(Finish::Done);
            runs.push(run);
        }
        Slice { runs, left: execution.leave().expect("it can be cut") }
    }
}

struct Slice {
    runs: Vec<Run>,
    left: Leftover,
}

/// A part of a round.
enum Part {
    Pending(Vec<Unit>),
    Done(Vec<Run>, Vec<Unit>),
}

fn weight(units: &[Unit]) -> f64 {
    units.iter().map(|unit| unit.weight).sum()
}

/// Runs all slices of a round in random order; the executions and the units of the next round, joined in order.
fn round(
    program: &Program,
    bound: Option<u32>,
    units: Vec<Unit>,
    paths: &[Vec<u32>],
    knife: &mut Knife<'_>,
) -> (Vec<Run>, Vec<Unit>) {
    let mut parts = vec![Part::Pending(units)];
    loop {
        let pending: Vec<usize> = (0..parts.len()).filter(|&at| matches!(parts[at], Part::Pending(_))).collect();
        if pending.is_empty() {
            break;
        }
        let at = pending[knife.random.below(pending.len())];
        let Part::Pending(mut units) = parts.remove(at) else { unreachable!("it is pending") };
        let begin = knife.random.below(units.len());
        let count = 1 + knife.random.below(units.len() - begin);
        let rest = units.split_off(begin + count);
        let taken = units.split_off(begin);
        let slice = knife.slice(program, bound, &taken, paths);
        assert!(weight(&slice.left.now) <= weight(&taken) + 1e-9, "{program:?}");
        let new = [
            Part::Pending(units),
            Part::Done(slice.runs, slice.left.next),
            Part::Pending(slice.left.now),
            Part::Pending(rest),
        ];
        let new = new.into_iter().filter(|part| !matches!(part, Part::Pending(units) if units.is_empty()));
        parts.splice(at..at, new);
    }
    let (mut runs, mut next) = (Vec::new(), Vec::new());
    for part in parts {
        let Part::Done(part_runs, part_next) = part else { unreachable!("nothing is pending") };
        runs.extend(part_runs);
        next.extend(part_next);
    }
    (runs, next)
}

fn search(program: &Program, bound: Option<u32>, paths: &[Vec<u32>], knife: &mut Knife<'_>) -> Vec<Run> {
    let (mut units, mut all) = (vec![Bounded::whole()], Vec::new());
    while !units.is_empty() {
        let (runs, next) = round(program, bound, units, paths, knife);
        all.extend(runs);
        units = next;
    }
    all
}

/// All executions of an uncut search, if they are few.
fn explore_few(program: &Program, bound: Option<u32>) -> Option<Vec<Run>> {
    let mut execution = Execution::new(Box::new(Bounded::new(bound)));
    let mut runs = Vec::new();
    while execution.begin() {
        runs.push(Interpreter::run(program, &mut execution));
        execution.finish(Finish::Done);
        if runs.len() > 400 {
            return None;
        }
    }
    Some(runs)
}

/// The numbers that threads have in an uncut search.
fn paths(program: &Program, bound: Option<u32>) -> Vec<Vec<u32>> {
    let mut execution = Execution::new(Box::new(Bounded::new(bound)));
    while execution.begin() {
        Interpreter::run(program, &mut execution);
        execution.finish(Finish::Done);
    }
    execution.state.threads.paths().map(<[u32]>::to_vec).collect()
}

/// A program whose threads choose values, now and then within a wait loop.
fn choosing(random: &mut Random) -> Program {
    let mut program = random::waiting(random);
    for code in program.iter_mut().skip(1) {
        let at = random.below(code.len());
        if let Some(end) = (at..code.len()).find(|&end| matches!(code[end], Op::Back(..)))
            && let Op::Back(length, until) = code[end]
            && (end - length..end).contains(&at)
            && random.below(2) == 0
        {
            code[end] = Op::Back(length + 1, until);
            code.insert(at, Op::Choose(2));
        }
    }
    program
}

#[test]
fn any_slicing_gives_the_same_executions_in_the_same_order() {
    let mut random = Random(11);
    let (mut executions, mut repeating) = (0, 0);
    for number in 0..320 {
        let program = match number % 4 {
            0 => random::plain(&mut random),
            1 => random::waiting(&mut random),
            2 => random::polling(&mut random),
            _ => choosing(&mut random),
        };
        for bound in [None, Some(0), Some(1), Some(2)] {
            let Some(expected) = explore_few(&program, bound) else { continue };
            let paths = paths(&program, bound);
            let budget = [1, 3, 20][random.below(3)];
            let again = [0, 4][random.below(2)];
            let runs = search(&program, bound, &paths, &mut Knife { random: &mut random, budget, again });
            let (got, wanted): (Vec<Shape>, Vec<Shape>) =
                (runs.iter().map(shape).collect(), expected.iter().map(shape).collect());
            assert_eq!(got, wanted, "under {bound:?}: {program:?}");
            executions += runs.len();
            repeating += runs.iter().filter(|run| run.counts == Counts::AsAnother).count();
        }
    }
    assert!(executions > 20_000 && repeating > 300, "too easy: {executions} executions, {repeating} repeat others");
}

/// A balanced tree: every execution has the same weight.
#[test]
fn choices_weigh_what_they_are() {
    let program = vec![vec![Op::Choose(2), Op::Load(0), Op::Choose(3), Op::Load(0), Op::Choose(4), Op::Load(0)]];
    for done in 1..24 {
        let mut execution = Execution::new(Box::new(Bounded::slice(None, &[Bounded::whole()]).expect("a unit")));
        for _ in 0..done {
            assert!(execution.begin());
            Interpreter::run(&program, &mut execution);
            execution.finish(Finish::Done);
        }
        let left = execution.leave().expect("it can be cut");
        let expected = 1.0 - f64::from(done) / 24.0;
        assert!((weight(&left.now) - expected).abs() < 1e-9, "{} instead of {expected}", weight(&left.now));
        assert_eq!(left.now.is_empty(), done == 24);
        assert!(left.next.is_empty());
    }
}

/// Three threads of so many accesses that main creates and joins; it does as many itself.
fn three_threads(accesses: usize) -> Program {
    let own = vec![Op::Load(0); accesses];
    let main = [vec![Op::Create(1), Op::Create(2)], own.clone(), vec![Op::Join(1), Op::Join(2)]].concat();
    vec![main, own.clone(), own]
}

/// What is expected in all after each slice of so many executions, and the error of that; and how many there are.
fn estimates(program: &Program, bound: Option<u32>, budget: usize) -> (Vec<(usize, f64, f64)>, usize) {
    let mut random = Random(5);
    let paths = paths(program, bound);
    let (mut units, mut done, mut estimates) = (vec![Bounded::whole()], 0, Vec::new());
    let last = bound.unwrap_or(0);
    for round in 0..=last {
        let (mut samples, mut next) = (Samples::default(), Vec::new());
        while !units.is_empty() {
            let mut knife = Knife { random: &mut random, budget, again: 0 };
            let before = weight(&units);
            let slice = knife.slice(program, bound, &units, &paths);
            units = slice.left.now;
            done += slice.runs.len();
            samples.add(before - weight(&units), slice.runs.len() as f64, weight(&slice.left.next));
            next.extend(slice.left.next);
            let ahead = Ahead { weight: weight(&units), next: weight(&next), round, last };
            let left = samples.left(&ahead).expect("a slice is done");
            estimates.push((done, done as f64 + left.executions, left.error));
        }
        units = next;
    }
    (estimates, done)
}

#[test]
fn estimates_come_near_known_totals() {
    // Counted by paths in `explorer_schedules`: the estimate does not know them.
    for (accesses, bound) in [(4, Some(2)), (6, Some(2)), (6, Some(3)), (8, Some(2))] {
        let program = three_threads(accesses);
        let (estimates, total) = estimates(&program, bound, 40);
        let exact = total as f64;
        for &(done, expected, error) in &estimates {
            let (share, off) = (done as f64 / exact, (expected - exact).abs() / exact);
            let allowed = if share > 0.5 {
                0.1
            } else if share > 0.2 {
                0.3
            } else if share > 0.05 {
                0.6
            } else {
                f64::INFINITY
            };
            assert!(off <= allowed, "{accesses} accesses, {bound:?}: {expected} ± {error} at {done} of {total}");
        }
        let within =
            estimates.iter().filter(|(_, expected, error)| (expected - exact).abs() <= 2.0 * error + 1.0).count();
        assert!(within * 10 >= estimates.len() * 7, "{within} of {} within two errors: {estimates:?}", estimates.len());
        assert_eq!(estimates.last().map(|&(_, expected, error)| (expected, error)), Some((exact, 0.0)));
    }
}

#[test]
fn binomial_trees_are_estimated() {
    // C(14, 7) interleavings of 7 accesses with 7; nothing is bounded.
    let program =
        vec![[vec![Op::Create(1)], vec![Op::Load(0); 7], vec![Op::Join(1)]].concat(), vec![Op::Store(0, 1); 7]];
    let (estimates, total) = estimates(&program, None, 60);
    assert_eq!(total, 3432);
    for (done, expected, error) in estimates {
        if done * 2 > total {
            assert!((expected - 3432.0).abs() <= 0.5 * 3432.0, "{expected} ± {error} at {done}");
        }
    }
}

#[test]
fn a_program_that_changed_between_slices_is_noticed() {
    let program = vec![
        vec![Op::Create(1), Op::Load(0), Op::Load(0), Op::Load(0), Op::Join(1)],
        vec![Op::Store(0, 1), Op::Store(0, 1), Op::Store(0, 1)],
    ];
    let mut other = program.clone();
    other[0].insert(0, Op::Fence);
    for (bound, executions) in [(None, 5), (Some(1), 1)] {
        let mut execution = Execution::new(Box::new(Bounded::slice(bound, &[Bounded::whole()]).expect("a unit")));
        for _ in 0..executions {
            assert!(execution.begin());
            Interpreter::run(&program, &mut execution);
            assert_eq!(execution.strayed(), None);
            execution.finish(Finish::Done);
        }
        let Leftover { now, next } = execution.leave().expect("it can be cut");
        let units = if bound.is_some() { next } else { now };
        assert!(!units.is_empty());
        for unit in units {
            let mut execution = Execution::new(Box::new(Bounded::slice(bound, &[unit]).expect("a unit")));
            assert!(execution.begin());
            let run = Interpreter::run(&other, &mut execution);
            assert!(run.ending == Ending::Diverged || execution.strayed().is_some(), "{run:?}");
        }
    }
}

#[test]
fn changed_units_are_corrupt_or_units() {
    let program = three_threads(3);
    let mut units = vec![Bounded::whole()];
    let mut execution = Execution::new(Box::new(Bounded::slice(Some(2), &units).expect("a unit")));
    for _ in 0..1 {
        assert!(execution.begin());
        Interpreter::run(&program, &mut execution);
        execution.finish(Finish::Done);
    }
    let left = execution.leave().expect("it can be cut");
    units.extend(left.now);
    units.extend(left.next);
    assert!(units.len() > 2);
    let unit = |prefixes: &[u8]| [Unit { weight: 1.0, prefixes: prefixes.to_vec() }];
    assert_eq!(Bounded::slice(None, &unit(&[])).err(), Some(Corrupt));
    assert_eq!(Bounded::slice(None, &unit(&[7])).err(), Some(Corrupt));
    for Unit { prefixes, .. } in &units {
        for length in 0..prefixes.len() {
            assert_eq!(Bounded::slice(Some(2), &unit(&prefixes[..length])).err(), Some(Corrupt), "{length}");
        }
    }
}

/// So many executions of what is left, of which some have to be run again first.
fn draw(program: &Program, execution: &mut Execution, count: usize, random: &mut Random) -> Vec<Vec<Decision>> {
    let mut schedules = Vec::new();
    while schedules.len() < count && execution.begin() {
        let schedule = Interpreter::run(program, execution).schedule;
        if random.below(3) == 0 {
            execution.finish(Finish::Again);
            continue;
        }
        schedules.push(schedule);
        execution.finish(Finish::Done);
    }
    schedules
}

/// Executions of a seed, drawn at one go and in slices, some of which run before those in front of them.
fn draws_the_same_in_slices<D: Draw + 'static>(program: &Program, new: impl Fn() -> D) {
    let mut random = Random(3);
    let mut uncut = Execution::new(Box::new(Sampler::new(9, new())));
    let mut whole = Vec::new();
    while whole.len() < 400 && uncut.begin() {
        whole.push(Interpreter::run(program, &mut uncut).schedule);
        uncut.finish(Finish::Done);
    }
    assert!(whole.iter().collect::<BTreeSet<_>>().len() > 20);
    let mut execution = Execution::new(Box::new(Sampler::new(9, new())));
    let mut parts = draw(program, &mut execution, 7, &mut random);
    let mut units = execution.leave().expect("it can be cut").now;
    let mut slices = 1;
    while parts.len() < whole.len() {
        let slice = |taken: &[Unit], count: usize, random: &mut Random| {
            let mut execution = Execution::new(Box::new(Sampler::slice(9, new(), taken).expect("units")));
            let drawn = draw(program, &mut execution, count, random);
            (drawn, execution.leave().expect("it can be cut").now)
        };
        if units.len() > 2 {
            // What comes later does not have to come later.
            let (later, _) = slice(&units[2..3], 5, &mut random);
            let (mut before, _) = slice(&units[..2], usize::MAX, &mut random);
            before.extend(later);
            let next = &whole[parts.len()..];
            assert!(before.iter().zip(next).all(|(drawn, expected)| drawn == expected));
        }
        let taken: Vec<Unit> = units.drain(..units.len().min(3)).collect();
        let (drawn, left) = slice(&taken, 11, &mut random);
        parts.extend(drawn);
        units.splice(0..0, left);
        slices += 1;
    }
    assert_eq!(parts[..whole.len()], whole);
    assert!(slices > 30);
    assert!(Sampler::slice(9, new(), &[Bounded::whole()]).is_err());
    assert!(Sampler::slice(9, new(), &[]).is_err());
    let Unit { prefixes, .. } = &units[0];
    for length in 0..prefixes.len() {
        let cut = Unit { weight: 0.0, prefixes: prefixes[..length].to_vec() };
        assert!(Sampler::slice(9, new(), &[cut]).is_err(), "{length}");
    }
}

#[test]
fn drawn_executions_are_the_same_in_slices() {
    // As long as main's wait loop goes round, an execution is longer than others: there is something to learn.
    let mut program = three_threads(3);
    program[0].insert(3, Op::Back(1, Until::AllSet));
    program[1].push(Op::Store(0, 1));
    draws_the_same_in_slices(&program, || Uniform);
    draws_the_same_in_slices(&program, || Pct::new(3, 1));
    draws_the_same_in_slices(&program, Urw::default);
}

#[test]
fn numbers_of_threads_are_extended_but_not_changed() {
    let mut execution = Execution::new(Box::new(Bounded::new(None)));
    execution.state.threads.number(&[vec![], vec![0]]).expect("a numbering");
    execution.state.threads.number(&[vec![], vec![0], vec![0, 0]]).expect("more of it");
    execution.state.threads.number(&[vec![]]).expect("less of it");
    assert!(execution.state.threads.number(&[vec![], vec![0], vec![1]]).is_err());
    let paths: BTreeSet<&[u32]> = execution.state.threads.paths().collect();
    assert_eq!(paths, BTreeSet::from([&[][..], &[0], &[0, 0]]));
    assert_eq!(Thread::from_index(2), Thread(2));
}

#[test]
fn a_wait_loop_that_chooses_is_cut_with_care() {
    // Whether the iteration that begins at main's first load fails is known only after both values.
    let program = vec![
        vec![Op::Create(1), Op::Load(0), Op::Choose(2), Op::Load(1), Op::Back(3, Until::AllSet), Op::Join(1)],
        vec![Op::Store(0, 1), Op::Store(1, 1)],
    ];
    for bound in [None, Some(1), Some(3)] {
        let expected: Vec<Shape> = explore(&program, bound).iter().map(shape).collect();
        let paths = paths(&program, bound);
        for seed in 0..50 {
            let mut random = Random(seed);
            let runs = search(&program, bound, &paths, &mut Knife { random: &mut random, budget: 2, again: 0 });
            assert_eq!(runs.iter().map(shape).collect::<Vec<_>>(), expected);
        }
    }
}
