//! Random C programs, on which all searches must agree.
//!
//! `cargo test -p fencehound --test generated` compares a fixed sample. `scripts/fuzz-c` runs the same code at length.

mod calls;
mod cells;
mod check;
mod compare;
mod generate;
mod idioms;
#[path = "../installed/mod.rs"]
mod installed;
mod program;
mod protocols;
mod random;
mod shrink;
mod unrolled;
mod variants;
mod waits;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;
use std::{env, fs};

use compare::{Effort, OF_PAIRS, Relation, Report, compare, compare_pairs};
use program::{Native, Program, file, single};
use shrink::{compiled, shrink};

/// So many programs are in one executable.
const BATCH: u64 = 40;

/// Of so many seeds of them pairs of programs are compared as well.
const WITH_PAIRS: u64 = 8;

/// A fixed sample has at least so many kinds of pairs with a search that compares them: all but those of C11, which says nothing of
/// programs that race, are sure to be there.
const FEWEST_COMPARED: usize = PAIRS.len() * (OF_PAIRS.len() - 1);

/// So many pairs are in one executable.
const AT_ONCE: usize = 20;

/// Returns the pair of a seed, if it has one.
type Make = fn(u64) -> Option<[Program; 2]>;

/// The kinds of pairs, and how the one of a seed is made, if it has one.
const PAIRS: [(Relation, Make); 5] = [
    (Relation::Rounds, unrolled::pair),
    (Relation::Fenced, variants::fenced),
    (Relation::Stronger, variants::stronger),
    (Relation::Loads, variants::with_loads),
    (Relation::Swapped, variants::swapped),
];

/// What is compared of each seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Among {
    /// Its program, and of some seeds pairs of programs.
    All,
    /// Pairs of programs alone.
    Pairs,
}

/// What is to be run.
#[derive(Clone, Debug)]
struct Plan {
    /// The tool to be asked; if none is named, it is built.
    tool: Option<PathBuf>,
    programs: u64,
    first: u64,
    effort: Effort,
    jobs: usize,
    shrinks: bool,
    /// Whether synchronisation calls are compared as well.
    calls: bool,
    /// Which programs are compared.
    among: Among,
    /// The comparisons that are made, by how their names begin; all if there is none.
    only: Vec<String>,
    /// Whether the first program on which searches differ is the last one.
    stops: bool,
    /// On so many programs each machine with store buffers has to be compared with another search.
    by_machines: u64,
}

/// The fixed sample: some programs of seeds that nobody chose.
const SAMPLE: Plan = Plan {
    tool: None,
    programs: 40,
    first: 1,
    effort: Effort { executions: 5000, rounds: 200 },
    jobs: 2,
    shrinks: false,
    calls: true,
    among: Among::All,
    only: Vec::new(),
    stops: false,
    // Two processes take their turn on a third of the programs.
    by_machines: 10,
};

const USAGE: &str = "fuzz-c [PROGRAMS [FIRST_SEED]] [--executions N] [--rounds N] [--jobs N] [--tool PATH] [--calls] [--pairs] [--only COMPARISON] [--no-shrink] [--stop] [--print]";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "fuzz" => match plan(rest) {
            Ok(plan) if rest.iter().any(|word| word == "--print") => {
                println!("{}", file(&programs(plan.first, plan.programs)));
                ExitCode::SUCCESS
            }
            Ok(plan) => run(&plan),
            Err(wrong) => {
                eprintln!("fuzz-c: {wrong}\nusage: {USAGE}");
                ExitCode::from(2)
            }
        },
        // What a test runner asks all tests.
        Some((first, _)) if first == "--list" => ExitCode::SUCCESS,
        _ => run(&SAMPLE),
    }
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan {
        programs: 1000,
        effort: Effort { rounds: 1000, ..SAMPLE.effort },
        jobs: 1,
        shrinks: true,
        calls: false,
        by_machines: 0,
        ..SAMPLE
    };
    let mut places = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            text.parse::<u64>().map_err(|_| format!("{word} {text}: not a number"))
        };
        match word.as_str() {
            "--executions" => {
                plan.effort.executions = u32::try_from(number()?).map_err(|error| error.to_string())?;
            }
            "--rounds" => plan.effort.rounds = number()?,
            "--jobs" => plan.jobs = usize::try_from(number()?).map_err(|error| error.to_string())?.max(1),
            "--tool" => plan.tool = Some(words.next().ok_or("--tool needs a path")?.into()),
            "--calls" => plan.calls = true,
            "--pairs" => plan.among = Among::Pairs,
            "--only" => plan.only.push(words.next().ok_or("--only needs a name")?.clone()),
            "--stop" => plan.stops = true,
            "--no-shrink" => plan.shrinks = false,
            "--print" => {}
            _ => places.push(word.parse().map_err(|_| format!("{word}: not a number"))?),
        }
    }
    match *places.as_slice() {
        [] => {}
        [programs] => plan.programs = programs,
        [programs, first] => (plan.programs, plan.first) = (programs, first),
        _ => return Err("too many numbers".to_owned()),
    }
    Ok(plan)
}

fn programs(first: u64, count: u64) -> Vec<Program> {
    (first..first + count).map(generate::generate).collect()
}

/// Runs the plan; fails if two searches differ.
fn run(plan: &Plan) -> ExitCode {
    let tool = plan.tool.clone().unwrap_or_else(check::tool);
    let begun = Instant::now();
    let next = AtomicU64::new(0);
    let calls =
        if plan.calls { batch(&tool, &calls::programs(), plan, &["known", "native"]) } else { Report::default() };
    let total = Mutex::new(calls);
    let batches = plan.programs.div_ceil(BATCH);
    thread::scope(|scope| {
        for _ in 0..plan.jobs {
            scope.spawn(|| {
                while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < batches) {
                    if plan.stops && !total.lock().expect("nobody failed").differences.is_empty() {
                        break;
                    }
                    let first = plan.first + index * BATCH;
                    let count = BATCH.min(plan.programs - index * BATCH);
                    let only: Vec<&str> = plan.only.iter().map(String::as_str).collect();
                    let mut report = Report::default();
                    if plan.among == Among::All {
                        report.add(batch(&tool, &programs(first, count), plan, &only));
                    }
                    let with_pairs = match plan.among {
                        Among::All => count.min(WITH_PAIRS),
                        Among::Pairs => count,
                    };
                    if only.is_empty() {
                        report.add(pairs_of(&tool, first..first + with_pairs, plan));
                    }
                    let mut total = total.lock().expect("nobody failed");
                    total.add(report);
                    if plan.programs > BATCH {
                        let seconds = begun.elapsed().as_secs();
                        eprintln!(
                            "seeds to {}: {} differences, {seconds} s",
                            first + count - 1,
                            total.differences.len()
                        );
                    }
                }
            });
        }
    });
    let total = total.into_inner().expect("nobody failed");
    summarise(plan, &total, begun);
    let too_few = total.by_machines.len() < 3 || total.by_machines.values().any(|&count| count < plan.by_machines);
    if plan.by_machines > 0 && total.by_pairs.len() < FEWEST_COMPARED {
        println!("too few pairs of programs were compared");
        return ExitCode::FAILURE;
    }
    if plan.by_machines > 0 && too_few {
        println!("too few programs were compared on machines with store buffers");
        return ExitCode::FAILURE;
    }
    if total.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn summarise(plan: &Plan, total: &Report, begun: Instant) {
    println!(
        "{} programs from seed {}, {} comparisons of sets, {} differences, {} s",
        plan.programs,
        plan.first,
        total.comparisons,
        total.differences.len(),
        begun.elapsed().as_secs()
    );
    println!("natively: {} programs, {} rounds", total.native_programs, total.native_rounds);
    for (name, count) in total.by_machines.iter().chain(&total.by_c11).chain(&total.by_pairs) {
        println!("compared: {count} of {name}");
    }
    for (name, count) in &total.cut {
        println!("did not end, and were not compared: {count} of {name}");
    }
    for (name, count) in &total.refused {
        println!("refused: {count} of {name}");
    }
}

/// Compares a batch of programs, by all searches or by the comparisons of these names, and says what differs.
fn batch(tool: &Path, programs: &[Program], plan: &Plan, focus: &[&str]) -> Report {
    let mut total = Report::default();
    let batch = match compiled(tool, programs) {
        Ok(batch) => batch,
        Err(errors) => panic!("programs from seed {} do not compile:\n{errors}", programs[0].seed),
    };
    for (program, report) in programs.iter().zip(compare(&batch, programs, plan.effort, focus)) {
        print(program.seed, &report);
        if let Some(difference) = report.differences.first().filter(|_| plan.shrinks) {
            keep(&shrink(tool, program, &difference.name, plan.effort), &difference.name);
        }
        total.add(report);
    }
    total
}

/// Compares all pairs of programs of these seeds.
fn pairs_of(tool: &Path, seeds: Range<u64>, plan: &Plan) -> Report {
    let mut total = Report::default();
    for (relation, make) in PAIRS {
        let all: Vec<[Program; 2]> = seeds.clone().filter_map(make).collect();
        for some in all.chunks(AT_ONCE) {
            total.add(pairs(tool, some.as_flattened(), relation, plan));
        }
    }
    total
}

/// Compares pairs of programs, which come one after the other, and says what differs.
fn pairs(tool: &Path, programs: &[Program], relation: Relation, plan: &Plan) -> Report {
    let batch = match compiled(tool, programs) {
        Ok(batch) => batch,
        Err(errors) => panic!("pairs from seed {} do not compile:\n{errors}", programs[0].seed),
    };
    let mut total = Report::default();
    for (pair, report) in programs.chunks(2).zip(compare_pairs(&batch, programs, relation, plan.effort)) {
        print(pair[0].seed, &report);
        if !report.differences.is_empty() {
            pair.iter().for_each(|program| println!("{}", single(program)));
        }
        total.add(report);
    }
    total
}

/// Prints the differences between searches of the program of this seed.
fn print(seed: u64, report: &Report) {
    for difference in &report.differences {
        println!("seed {seed}: {}", difference.name);
        for (who, only) in ["first", "second"].iter().zip(&difference.only) {
            for text in only {
                println!("    only the {who}: {text}");
            }
        }
    }
}

/// Prints a program on which searches differ, and leaves it in a file.
fn keep(program: &Program, name: &str) {
    let text = format!("/* seed {}: {name} */\n{}", program.seed, single(program));
    let place = env::temp_dir().join(format!("fuzz-c-{}.c", program.seed));
    let kept = fs::write(&place, &text);
    let native = if program.native == Native::Runs { "" } else { " (not run natively)" };
    println!("shrunk{native}, in {} ({kept:?}):\n{text}", place.display());
}
