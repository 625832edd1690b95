//! The mapping tables, row by row: what each C operation becomes on each machine, as the published instructions.
//!
//! Each row stands beside a neighbour, before it and behind it, and two other threads look on. The C program must have the
//! same outcomes as the litmus test in the machine's assembly that the published mapping gives, no more and no fewer. What such
//! tests allow is compared with herd7 elsewhere (benches/RESULTS.md).
//!
//! The mappings: "Mappings from C/C++11 to x86, Power, ARM" (Sewell and others), the manual of RISC-V (table A.6), and what
//! clang makes for ARM with LSE and LDAPR, and without.

mod table;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use engine::explore::rsmc::Continue;
use libtest_mimic::Failed;
use litmus::Test;
use litmus::condition::Observable;
use litmus::graphs::{MemoryModel, Outcome, explore};
use litmus::parse::parse;
use serde_json::Value;

use crate::installation::{Installation, Scratch};
use table::{COLUMNS, Column, Kind, ROWS, Row};

/// How the columns of the tables are asked for, and which of them a search must find the outcomes of.
const SEARCHES: [(&str, MemoryModel, &[&str], &[Column]); 6] = [
    ("tso", MemoryModel::Tso, &[], &[Column::X86]),
    ("power", MemoryModel::Power, &[], &[Column::Power]),
    ("riscv", MemoryModel::Riscv, &[], &[Column::Riscv]),
    ("armv8", MemoryModel::Armv8, &["--lse", "on"], &[Column::ArmNew]),
    ("armv8", MemoryModel::Armv8, &["--lse", "off", "--rcpc", "off"], &[Column::ArmOld]),
    ("armv8", MemoryModel::Armv8, &[], &[Column::ArmNew, Column::ArmOld, Column::ArmPairs]),
];

/// An access beside the row's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    AcquireLoad,
    ConsistentLoad,
    Store,
    ReleaseStore,
}

/// Where the row stands, which is at y; the others are at x. A fence stands between one at x and one at y.
#[derive(Clone, Copy)]
enum Place {
    Behind(Access),
    Before(Access),
    Between(Access, Access),
}

/// What other threads do: two accesses with a full fence between them, the first of them at x or at y, and perhaps one more
/// thread that stores there.
#[derive(Clone, Copy)]
struct Others {
    x_first: bool,
    accesses: [Access; 2],
    stores_at: Option<&'static str>,
}

/// A row in its surroundings.
struct Case {
    row: &'static Row,
    place: Place,
    others: Others,
}

fn places(kind: Kind) -> Vec<Place> {
    use Access::{AcquireLoad, ConsistentLoad, Load, ReleaseStore, Store};
    match kind {
        Kind::Fence => {
            let pairs = [[Load, Load], [Load, Store], [Store, Load], [Store, Store]];
            pairs.map(|[one, other]| Place::Between(one, other)).to_vec()
        }
        Kind::Access | Kind::Succeeds => {
            let before = [Load, Store, ReleaseStore].map(Place::Behind);
            let behind = [Load, AcquireLoad, ConsistentLoad, Store].map(Place::Before);
            [&before[..], &behind[..]].concat()
        }
    }
}

fn others(kind: Kind) -> Vec<Others> {
    use Access::{Load, Store};
    let mut all = Vec::new();
    for x_first in [false, true] {
        for accesses in [[Load, Load], [Load, Store], [Store, Load], [Store, Store]] {
            let stores_y = accesses[usize::from(x_first)] == Store;
            // What is to succeed must find what it expects.
            if kind == Kind::Succeeds && stores_y {
                continue;
            }
            all.push(Others { x_first, accesses, stores_at: None });
            if accesses == [Load, Load] {
                let third = if kind == Kind::Succeeds { ["x", "x"] } else { ["x", "y"] };
                all.push(Others { x_first, accesses, stores_at: Some(third[usize::from(x_first)]) });
            }
        }
    }
    all
}

/// All cases of a search.
fn cases(columns: &[Column]) -> Vec<Case> {
    let mut all = Vec::new();
    for row in ROWS.iter().filter(|row| columns.iter().all(|&column| row.code[COLUMNS[column as usize].code].is_some()))
    {
        for place in places(row.kind) {
            all.extend(others(row.kind).into_iter().map(|others| Case { row, place, others }));
        }
    }
    all
}

/// A statement or instruction, given what it is at, the register or variable that it reads into, and what it stores.
fn written(text: &str, at: &str, to: &str, value: &str) -> String {
    text.replace("ADDR", at).replace("DEST", to).replace("VALUE", value)
}

/// How accesses are written in one language.
struct Language {
    accesses: [&'static str; 5],
    fence: &'static str,
    /// The places x and y.
    places: [&'static str; 2],
    /// What a load reads into.
    results: [&'static str; 2],
    /// The values 1 and 2.
    values: [&'static str; 2],
}

impl Language {
    fn access(&self, access: Access, at: usize, result: usize, value: usize) -> String {
        written(self.accesses[access as usize], self.places[at], self.results[result], self.values[value])
    }

    /// The thread of the row. The row reads into the first result.
    fn own(&self, text: &str, place: Place) -> String {
        let row = written(text, self.places[1], self.results[0], self.values[0]);
        let parts = match place {
            Place::Behind(access) => vec![self.access(access, 0, 1, 0), row],
            Place::Before(access) => vec![row, self.access(access, 0, 1, 0)],
            Place::Between(one, other) => vec![self.access(one, 0, 1, 0), row, self.access(other, 1, 0, 0)],
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join("; ")
    }

    /// The other threads.
    fn others(&self, others: Others) -> Vec<String> {
        let order = if others.x_first { [0, 1] } else { [1, 0] };
        let [first, second] = [0, 1].map(|number| self.access(others.accesses[number], order[number], number, 1));
        let mut all = vec![format!("{first}; {}; {second}", self.fence)];
        let at = others.stores_at.map(|at| usize::from(at == "y"));
        all.extend(at.map(|at| self.access(Access::Store, at, 0, 1)));
        all
    }
}

const C: Language = Language {
    accesses: [
        "DEST = load(ADDR, relaxed)",
        "DEST = load(ADDR, acquire)",
        "DEST = load(ADDR, seq_cst)",
        "store(ADDR, VALUE, relaxed)",
        "store(ADDR, VALUE, release)",
    ],
    fence: "atomic_thread_fence(memory_order_seq_cst)",
    places: ["x", "y"],
    results: ["a", "b"],
    values: ["1", "2"],
};

/// The C program of these cases: `fh_choose` picks one.
fn program(cases: &[Case]) -> Result<String, std::fmt::Error> {
    let mut text = String::from(
        "#include <fencehound.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#define plain(v) (*(int *)&v)\n\
         #define load(v, o) atomic_load_explicit(&v, memory_order_##o)\n\
         #define store(v, n, o) atomic_store_explicit(&v, n, memory_order_##o)\n\
         #define update(v, f, n, o) atomic_##f##_explicit(&v, n, memory_order_##o)\n\
         static int exchange(_Atomic int *v, int e, int n, int s, int f) {\n\
         __atomic_compare_exchange_n((int *)v, &e, n, 0, s, f); return e; }\n_Atomic int x, y;\nint r[4];\n",
    );
    let mut known: Vec<String> = Vec::new();
    let mut table = String::new();
    let mut function = |body: String, result: usize| -> Result<usize, std::fmt::Error> {
        let whole =
            format!("(void *u) {{ int a = 0, b = 0; {body}; r[{result}] = a; r[{}] = b; return u; }}", result + 1);
        if let Some(number) = known.iter().position(|one| *one == whole) {
            return Ok(number);
        }
        writeln!(text, "static void *f{}{whole}", known.len())?;
        known.push(whole);
        Ok(known.len() - 1)
    };
    for Case { row, place, others } in cases {
        write!(table, "{{f{}", function(C.own(row.c, *place), 0)?)?;
        for (number, body) in C.others(*others).into_iter().enumerate() {
            let body = if number == 0 { function(body, 2)? } else { function(format!("{body}; return u"), 0)? };
            write!(table, ", f{body}")?;
        }
        table += "},\n";
    }
    write!(
        text,
        "static void *(*const all[][4])(void *) = {{\n{table}}};\n\
         int main(void) {{\npthread_t t[4];\nint n = 0, one = fh_choose(sizeof all / sizeof *all);\n\
         for (; n < 4 && all[one][n]; n++) pthread_create(&t[n], 0, all[one][n], 0);\n\
         while (n > 0) pthread_join(t[--n], 0);\n\
         fh_observe(((((one * 4 + r[0]) * 4 + r[1]) * 4 + r[2]) * 4 + r[3]) * 16 + plain(x) * 4 + plain(y));\n\
         return 0;\n}}\n"
    )?;
    Ok(text)
}

/// The litmus test of a case.
fn litmus(case: &Case, column: Column) -> String {
    let machine = &COLUMNS[column as usize];
    let language = Language {
        accesses: machine.accesses,
        fence: machine.fence,
        places: machine.places,
        results: machine.results,
        values: machine.values,
    };
    let code = case.row.code[machine.code].expect("the row is for this column");
    let mut threads = vec![language.own(code, case.place)];
    threads.extend(language.others(case.others));
    let mut text = format!("{} row\n{{", machine.head);
    for thread in 0..threads.len() {
        for initial in machine.initial {
            write!(text, " {thread}:{initial};").expect("a string takes text");
        }
    }
    let heads: Vec<String> = (0..threads.len()).map(|thread| format!("P{thread}")).collect();
    writeln!(text, " }}\n{} ;", heads.join(" | ")).expect("a string takes text");
    let cells: Vec<Vec<&str>> = threads.iter().map(|thread| thread.split("; ").collect()).collect();
    for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
        let line: Vec<&str> = cells.iter().map(|cells| cells.get(line).copied().unwrap_or("")).collect();
        writeln!(text, "{} ;", line.join(" | ")).expect("a string takes text");
    }
    text + "exists (x=0 /\\ y=0)\n"
}

/// The place of a value in the number that the C program observes.
fn digit(test: &Test, observable: Observable, results: [&str; 2]) -> Option<u32> {
    match observable {
        Observable::Location(location) => Some(u32::from(test.locations[location.index()] == "x")),
        Observable::Register(thread, register) => {
            let name = &test.threads[thread].registers[register.index()].name;
            let result = results.iter().position(|result| *name == result.replace('W', "X"))?;
            [5, 4, 3, 2].get(2 * thread + result).copied()
        }
    }
}

/// The outcomes of the litmus test of a case, as the C program observes them.
fn outcomes(case: &Case, column: Column, model: MemoryModel) -> Result<BTreeSet<u64>, String> {
    let text = litmus(case, column);
    let test = parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    let mut found = BTreeSet::new();
    let mut visit = |finished: litmus::graphs::Finished<'_>| {
        let Outcome::Final(state) = finished.outcome else { panic!("no row has a loop without an access") };
        let digits = test.observables.iter().zip(&state);
        let parts = digits.filter_map(|(&observable, value)| {
            let place = digit(&test, observable, COLUMNS[column as usize].results)?;
            u64::try_from(*value).ok().map(|value| value << (2 * place))
        });
        found.insert(parts.sum());
        Continue::Yes
    };
    let (_, result) = explore(&test, model, 1000, &mut visit);
    result.map_err(|ended| format!("{ended:?}\n{text}"))?;
    Ok(found)
}

/// Checks the programs, and compares their outcomes with those of the tables.
pub(crate) fn test(installation: &Installation) -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("rows.c");
    let mut problems = String::new();
    for (name, model, options, columns) in SEARCHES {
        let cases = cases(columns);
        fs::write(&file, program(&cases)?).map_err(|error| error.to_string())?;
        let fixed = ["--model", name, "--explorer", "rsmc", "-O0", "--cflags=-w", "--no-judge"];
        let all: Vec<String> = fixed.iter().chain(options).map(ToString::to_string).collect();
        let check = installation.check(&Scratch::new(), &file.to_string_lossy(), &all)?;
        if check.json["complete"] != true {
            return Err(format!("not complete:\n{}", check.text).into());
        }
        let mut found: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); cases.len()];
        for outcome in check.json["outcomes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let number: u64 = outcome.strip_prefix("main: ").ok_or("an outcome of main")?.parse()?;
            found[usize::try_from(number >> 12)?].insert(number & 0xfff);
        }
        for (case, found) in cases.iter().zip(found) {
            let mut wanted = BTreeSet::new();
            for &column in columns {
                wanted.extend(outcomes(case, column, model)?);
            }
            if found != wanted {
                let more: Vec<_> = found.difference(&wanted).map(|one| format!("{one:06o}")).collect();
                let less: Vec<_> = wanted.difference(&found).map(|one| format!("{one:06o}")).collect();
                writeln!(problems, "{name} {options:?}: {}: more {more:?}, less {less:?} than", case.row.c)?;
                writeln!(problems, "{}", litmus(case, columns[0]))?;
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}
