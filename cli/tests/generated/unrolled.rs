//! Wait loops beside the same loops with a few rounds and no more, which have the same outcomes: what the last rounds leave
//! behind is all that the programs here observe of a loop, so that more rounds have nothing to add.

use crate::cells::{CELLS, Cell, Flavour};
use crate::generate::Generator;
use crate::program::{Program, Statement, block, line};

/// So many rounds has a loop that does not wait: one for each of the two statements in it that leave something behind, and one
/// to spare.
const ROUNDS: usize = 3;

/// How the loops of a program are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// They go round until a flag is raised.
    Waits,
    /// They go round [`ROUNDS`] times at most; an execution in which the flag is not raised by then is none.
    Counts,
}

/// Where a loop looks at its flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Looks {
    First,
    Last,
}

/// The program of this seed, with loops that wait and with loops that count.
pub(crate) fn pair(seed: u64) -> Option<[Program; 2]> {
    Some([Form::Waits, Form::Counts].map(|form| program(seed, form)))
}

/// The program of this seed: the same choices are made for both forms.
fn program(seed: u64, form: Form) -> Program {
    let mut generator = Generator::new(seed, cells);
    generator.share();
    generator.differs_natively();
    let mut waiting = generator.accesses(1);
    let mut raising = generator.accesses(3);
    let loops = if generator.random.percent(15) { 2 } else { 1 };
    for index in 0..loops {
        let flag = flag(&mut generator, index);
        let at = generator.random.below(raising.len() + 1);
        raising.insert(at, line(flag.store("1", &mut generator.random)));
        waiting.push(wait(&mut generator, form, &flag));
        waiting.extend(generator.accesses(2));
    }
    let mut threads = vec![waiting, raising];
    if generator.random.percent(40) {
        threads.push(generator.accesses(2));
    }
    generator.program.created = threads.len();
    generator.program.threads = threads;
    generator.program
}

/// Two or three pieces of memory, none of which has a part of another one.
fn cells(generator: &mut Generator) -> Vec<Cell> {
    let whole: Vec<&Cell> = CELLS.iter().filter(|cell| !cell.name.starts_with("u$")).collect();
    let count = 2 + generator.random.below(2);
    let mut chosen: Vec<Cell> = Vec::new();
    while chosen.len() < count {
        let cell = whole[generator.random.below(whole.len())];
        // Plain memory races, which ends what C11 says of a program.
        let is_taken = cell.flavour != Flavour::Plain || generator.random.percent(20);
        if is_taken && !chosen.iter().any(|other| other.name == cell.name) {
            chosen.push(cell.clone());
        }
    }
    chosen
}

/// The flag for the loop with this index.
fn flag(generator: &mut Generator, index: usize) -> Cell {
    let atomic = CELLS.iter().find(|cell| cell.name == "a$").expect("it is one of the cells");
    let (name, declarations): (_, &[&str]) = match index {
        0 => ("raised$", &["SHARED atomic_int raised$;"]),
        _ => ("again$", &["SHARED atomic_int again$;"]),
    };
    generator.declare(declarations[0]);
    Cell { name, declarations, ..atomic.clone() }
}

/// A loop that goes round until the flag is raised.
fn wait(generator: &mut Generator, form: Form, flag: &Cell) -> Statement {
    let looks = if generator.random.percent(70) { Looks::First } else { Looks::Last };
    let load = flag.load(&mut generator.random);
    let body = round(generator);
    let (count, done) = (generator.fresh(), generator.fresh());
    let look = line(format!("if ({load}) {{ {done} = 1; break; }}"));
    match (form, looks) {
        (Form::Waits, Looks::First) => block(format!("while (!{load}) {{"), body, "}"),
        (Form::Waits, Looks::Last) => block("do {", body, format!("}} while (!{load});")),
        (Form::Counts, looks) => {
            let (round, last) = match looks {
                Looks::First => ([vec![look], body].concat(), load),
                Looks::Last => ([body, vec![look]].concat(), "0".to_owned()),
            };
            let rounds = block(format!("for (int {count} = 0; {count} < {ROUNDS}; {count}++) {{"), round, "}");
            let end = line(format!("if (!{done}) fh_assume({last});"));
            block(format!("{{ int {done} = 0;"), vec![rounds, end], "}")
        }
    }
}

/// What a loop does in each round: one or two loads whose values it keeps, maybe only where something else is there; few loops
/// store, which always is the same value.
fn round(generator: &mut Generator) -> Vec<Statement> {
    let mut statements = Vec::new();
    for register in ["r0", "r1"].iter().take(1 + generator.random.below(2)) {
        let (cell, other) = (generator.cell(), generator.cell());
        let load = cell.load(&mut generator.random);
        let looked_at = other.load(&mut generator.random);
        let number = generator.number();
        statements.push(line(match generator.random.below(10) {
            0..4 => format!("{register} = {load};"),
            4..6 => format!("if ({looked_at} == {number}) {register} = {load};"),
            6..8 => format!("{{ long value = {load}; if (value == {number}) {register} = value; }}"),
            8 => format!("{register} = {load} + {looked_at};"),
            _ => cell.store(&number.to_string(), &mut generator.random),
        }));
    }
    statements
}
