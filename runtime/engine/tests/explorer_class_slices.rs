//! Searches for classes cut into slices: however they are cut, in whatever order the slices run, and whatever numbers a
//! process gives to locations and objects, the joined executions are those of an uncut search, in the same order.

mod between;
mod programs;

use between::{Behind, Between};
use engine::event::{Location, Object};
use engine::execution::{Ending, Execution};
use engine::explore::slice::Unit;
use engine::explore::trust::Trust;
use engine::explore::{Corrupt, Counts, Finish, Need, Observer, Performed, Rounds, Touched};
use engine::sync::machine::Wish;
use programs::random::{self, Random};
use programs::{Decision, Interpreter, Op, Program, Run, Until};

/// A process that numbers locations and objects in another way.
struct Renumbered {
    /// Numbers differ in these bits.
    bits: u32,
}

impl Renumbered {
    fn touched(&self, objects: &[Touched]) -> Vec<Touched> {
        objects.iter().map(|touched| Touched { object: self.object(touched.object), ..*touched }).collect()
    }

    fn locations(&self, locations: &[Location]) -> Vec<Location> {
        locations.iter().map(|location| Location(location.0 ^ self.bits)).collect()
    }
}

impl Between for Renumbered {
    fn performed(&mut self, explorer: &mut Trust, event: &Performed<'_>) {
        let (locations, objects) = (self.locations(event.locations), self.touched(event.objects));
        let need = event.need.map(|need| self.need(need));
        explorer.performed(&Performed { locations: &locations, objects: &objects, need, ..*event });
    }

    fn object(&self, object: Object) -> Object {
        Object(object.0 ^ self.bits)
    }

    fn need(&self, need: Need) -> Need {
        let wish = match need.wish {
            Wish::Lock(object) => Wish::Lock(self.object(object)),
            wish => wish,
        };
        Need { wish, ..need }
    }
}

/// How a search is cut.
struct Knife<'a> {
    random: &'a mut Random,
    /// Executions of a slice, at most.
    budget: usize,
    /// One of so many executions has to be run again; 0 for none.
    again: usize,
    rounds: Rounds,
}

struct Slice {
    runs: Vec<Run>,
    left: Vec<Unit>,
}

impl Knife<'_> {
    /// Runs a slice in a new process, so to say.
    fn slice(&mut self, program: &Program, units: &[Unit], paths: &[Vec<u32>]) -> Slice {
        let explorer = Trust::slice(None, units).expect("units that were handed out").behind(self.rounds);
        let bits = u32::try_from(self.random.below(8)).expect("small");
        let mut execution = Execution::new(Box::new(Behind { between: Renumbered { bits }, explorer }));
        execution.state.threads.number(paths).expect("a numbering");
        let mut runs = Vec::new();
        let budget = 1 + self.random.below(self.budget);
        while runs.len() < budget && execution.begin() {
            let run = Interpreter::run(program, &mut execution);
            assert_ne!(run.ending, Ending::Diverged, "{program:?} {:?} {run:?}", execution.history.divergence());
            if self.again > 0 && self.random.below(self.again) == 0 {
                execution.finish(Finish::Again);
                // What is to be run again can be left to another slice.
                if self.random.below(2) == 0 {
                    break;
                }
                continue;
            }
            execution.finish(Finish::Done);
            if run.ending != Ending::Abandoned {
                runs.push(run);
            }
        }
        let left = execution.leave().expect("it can be cut");
        assert!(left.next.is_empty());
        Slice { runs, left: left.now }
    }
}

enum Part {
    Pending(Vec<Unit>),
    Done(Vec<Run>),
}

fn weight(units: &[Unit]) -> f64 {
    units.iter().map(|unit| unit.weight).sum()
}

/// Runs all slices in random order; the executions, joined in order, and how many slices they were.
fn search(program: &Program, paths: &[Vec<u32>], knife: &mut Knife<'_>) -> (Vec<Run>, usize) {
    let mut parts = vec![Part::Pending(vec![Trust::whole()])];
    let mut slices = 0;
    loop {
        let pending: Vec<usize> = (0..parts.len()).filter(|&at| matches!(parts[at], Part::Pending(_))).collect();
        if pending.is_empty() {
            break;
        }
        slices += 1;
        let at = pending[knife.random.below(pending.len())];
        let Part::Pending(mut units) = parts.remove(at) else { unreachable!("it is pending") };
        let begin = knife.random.below(units.len());
        let count = 1 + knife.random.below(units.len() - begin);
        let rest = units.split_off(begin + count);
        let taken = units.split_off(begin);
        let slice = knife.slice(program, &taken, paths);
        assert!(weight(&slice.left) <= weight(&taken) + 1e-9, "{program:?}");
        let new = [Part::Pending(units), Part::Done(slice.runs), Part::Pending(slice.left), Part::Pending(rest)];
        let new = new.into_iter().filter(|part| !matches!(part, Part::Pending(units) if units.is_empty()));
        parts.splice(at..at, new);
    }
    let done = |part| if let Part::Done(runs) = part { runs } else { unreachable!("nothing is pending") };
    (parts.into_iter().flat_map(done).collect(), slices)
}

/// All executions of an uncut search, if they are few.
fn explore_few(program: &Program, rounds: Rounds) -> Option<Vec<Run>> {
    let runs = programs::some(program, Box::new(Trust::new().behind(rounds)), 400);
    let all = runs.len() < 400;
    all.then(|| runs.into_iter().filter(|run| run.ending != Ending::Abandoned).collect())
}

/// The numbers that threads have in an uncut search.
fn paths(program: &Program) -> Vec<Vec<u32>> {
    let mut execution = Execution::new(Box::new(Trust::new()));
    while execution.begin() {
        Interpreter::run(program, &mut execution);
        execution.finish(Finish::Done);
    }
    execution.state.threads.paths().map(<[u32]>::to_vec).collect()
}

type Shape = (Vec<Decision>, Counts, Ending);

fn shapes(runs: &[Run]) -> Vec<Shape> {
    runs.iter().map(|run| (run.schedule.clone(), run.counts, run.ending)).collect()
}

/// A program some of whose threads choose values.
fn choosing(random: &mut Random) -> Program {
    let mut program = random::plain(random);
    for code in program.iter_mut().skip(1) {
        if random.below(2) == 0 {
            // Nowhere between: that would make other skips of those that are there.
            code.insert([0, code.len()][random.below(2)], Op::Choose(2));
        }
    }
    program
}

#[test]
fn any_slicing_gives_the_same_executions_in_the_same_order() {
    let mut random = Random(21);
    let (mut executions, mut slices, mut repeating, mut stuck) = (0, 0, 0, 0);
    for number in 0..240 {
        let program = match number % 4 {
            0 => random::plain(&mut random),
            1 => random::waiting(&mut random),
            2 => random::polling(&mut random),
            _ => choosing(&mut random),
        };
        let rounds = if number < 160 { Rounds::All } else { Rounds::Passing };
        let Some(expected) = explore_few(&program, rounds) else { continue };
        let paths = paths(&program);
        for _ in 0..2 {
            let budget = [1, 3, 20][random.below(3)];
            let again = [0, 4][random.below(2)];
            let (runs, cut) = search(&program, &paths, &mut Knife { random: &mut random, budget, again, rounds });
            let (got, wanted) = (shapes(&runs), shapes(&expected));
            let differs = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
            let at = |at: usize| (&got[at], &wanted[at]);
            assert_eq!(differs.map(at), None, "execution {differs:?}: {program:?}");
            assert_eq!(got.len(), wanted.len(), "{program:?}");
            executions += runs.len();
            slices += cut;
            repeating += runs.iter().filter(|run| run.counts == Counts::AsAnother).count();
            stuck += runs.iter().filter(|run| run.ending == Ending::Deadlock).count();
        }
    }
    let told = format!("{executions} executions, {slices} slices, {repeating} repeat others, {stuck} stuck");
    assert!(executions > 5_000 && slices > 3_000 && repeating > 100 && stuck > 10, "too easy: {told}");
}

fn sbloop(n: u8) -> Program {
    let thread = |own, other| (1..=n).flat_map(|i| [Op::Store(own, i), Op::Load(other)]).collect();
    vec![vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)], thread(0, 1), thread(1, 0)]
}

/// The number of classes is known without the explorer.
#[test]
fn a_family_in_slices() {
    let program = sbloop(4);
    let paths = paths(&program);
    for seed in 0..10 {
        let mut random = Random(seed);
        let (runs, slices) =
            search(&program, &paths, &mut Knife { random: &mut random, budget: 40, again: 0, rounds: Rounds::All });
        assert_eq!(runs.len(), 1107);
        assert!(slices > 30, "{slices}");
    }
}

/// Some of the units of a search that is under way.
fn units(program: &Program, executions: usize) -> Vec<Unit> {
    let mut execution = Execution::new(Box::new(Trust::new()));
    for _ in 0..executions {
        assert!(execution.begin());
        Interpreter::run(program, &mut execution);
        execution.finish(Finish::Done);
    }
    execution.leave().expect("it can be cut").now
}

#[test]
fn a_program_that_changed_between_slices_is_noticed() {
    let program = sbloop(2);
    let mut other = program.clone();
    other[1].insert(0, Op::Fence);
    let units = units(&program, 3);
    assert!(units.len() > 2);
    for unit in units {
        let mut execution = Execution::new(Box::new(Trust::slice(None, &[unit]).expect("a unit")));
        assert!(execution.begin());
        let run = Interpreter::run(&other, &mut execution);
        assert_eq!(run.ending, Ending::Diverged, "{run:?}");
    }
}

#[test]
fn changed_units_are_corrupt_or_units() {
    let program = vec![
        vec![Op::Create(1), Op::Load(0), Op::Choose(3), Op::Load(1), Op::Back(3, Until::AllSet), Op::Join(1)],
        vec![Op::Store(0, 1), Op::Lock(0), Op::Store(1, 1), Op::Unlock(0)],
    ];
    let unit = |prefixes: &[u8]| [Unit { weight: 1.0, prefixes: prefixes.to_vec() }];
    assert_eq!(Trust::slice(None, &unit(&[])).err(), Some(Corrupt));
    assert_eq!(Trust::slice(None, &unit(&[7])).err(), Some(Corrupt));
    for Unit { prefixes, .. } in units(&program, 2).iter().chain([&Trust::whole()]) {
        for length in 0..prefixes.len() {
            assert_eq!(Trust::slice(None, &unit(&prefixes[..length])).err(), Some(Corrupt), "{length}");
        }
        for at in 0..prefixes.len() {
            let mut changed = prefixes.clone();
            changed[at] ^= 0x81;
            // Nothing but that it must not panic: some changes give other units.
            drop(Trust::slice(None, &unit(&changed)));
        }
    }
}
