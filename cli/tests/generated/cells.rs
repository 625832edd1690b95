//! Shared memory of generated programs, and the ways in which C accesses it.

use crate::random::Random;

/// What an access has to be written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    Plain,
    Volatile,
    Atomic,
}

/// A piece of shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// An expression for it.
    pub(crate) name: &'static str,
    pub(crate) flavour: Flavour,
    /// Its type, without `volatile` and `_Atomic`.
    pub(crate) kind: &'static str,
    /// The lines that declare it.
    pub(crate) declarations: &'static [&'static str],
    /// What main does before there are threads.
    pub(crate) setup: &'static [&'static str],
    /// What main does when all have ended.
    pub(crate) end: &'static [&'static str],
}

macro_rules! cell {
    ($name:literal, $flavour:ident, $kind:literal, $declarations:expr) => {
        cell!($name, $flavour, $kind, $declarations, &[], &[])
    };
    ($name:literal, $flavour:ident, $kind:literal, $declarations:expr, $setup:expr, $end:expr) => {
        Cell {
            name: $name,
            flavour: Flavour::$flavour,
            kind: $kind,
            declarations: $declarations,
            setup: $setup,
            end: $end,
        }
    };
}

const RECORD: &[&str] =
    &["struct record$ { volatile char a; volatile char b; volatile int c; };", "SHARED struct record$ s$;"];
const UNION: &[&str] =
    &["SHARED union { volatile unsigned whole; volatile unsigned short half[2]; volatile unsigned char byte[4]; } u$;"];
const PLAIN_PAIR: &[&str] = &["struct pair$ { int first, second; };", "SHARED struct pair$ q$;"];
const ARRAY: &[&str] = &["SHARED volatile int array$[2];"];
const HEAP: &[&str] = &["SHARED volatile int *heap$;"];
const LOCAL: &[&str] = &["SHARED volatile int *local$;"];

/// All pieces of memory that there are.
pub(crate) const CELLS: &[Cell] = &[
    cell!("x$", Volatile, "int", &["SHARED volatile int x$;"]),
    cell!("y$", Volatile, "int", &["SHARED volatile int y$;"]),
    cell!("l$", Volatile, "long", &["SHARED volatile long l$;"]),
    cell!("c$", Volatile, "signed char", &["SHARED volatile signed char c$;"]),
    cell!("h$", Volatile, "short", &["SHARED volatile short h$;"]),
    cell!("a$", Atomic, "int", &["SHARED atomic_int a$;"]),
    cell!("b$", Atomic, "int", &["SHARED atomic_int b$;"]),
    cell!("al$", Atomic, "long", &["SHARED atomic_long al$;"]),
    cell!("ac$", Atomic, "signed char", &["SHARED atomic_schar ac$;"]),
    cell!("p$", Plain, "int", &["SHARED int p$;"]),
    cell!("pl$", Plain, "long", &["SHARED long pl$;"]),
    cell!("q$.first", Plain, "int", PLAIN_PAIR),
    cell!("q$.second", Plain, "int", PLAIN_PAIR),
    cell!("s$.a", Volatile, "char", RECORD),
    cell!("s$.b", Volatile, "char", RECORD),
    cell!("s$.c", Volatile, "int", RECORD),
    cell!("u$.whole", Volatile, "unsigned", UNION),
    cell!("u$.half[0]", Volatile, "unsigned short", UNION),
    cell!("u$.half[1]", Volatile, "unsigned short", UNION),
    cell!("u$.byte[2]", Volatile, "unsigned char", UNION),
    cell!("array$[0]", Volatile, "int", ARRAY),
    cell!("array$[1]", Volatile, "int", ARRAY),
    cell!("heap$[0]", Volatile, "int", HEAP, &["heap$ = calloc(2, sizeof *heap$);"], &["free((void *)heap$);"]),
    cell!("heap$[1]", Volatile, "int", HEAP, &["heap$ = calloc(2, sizeof *heap$);"], &["free((void *)heap$);"]),
    cell!("local$[0]", Volatile, "int", LOCAL, &["volatile int own[2] = {0, 0};", "local$ = own;"], &[]),
    cell!("local$[1]", Volatile, "int", LOCAL, &["volatile int own[2] = {0, 0};", "local$ = own;"], &[]),
];

/// The orders of C11 that a store can have.
const STORES: [&str; 4] = ["relaxed", "relaxed", "release", "seq_cst"];
const LOADS: [&str; 4] = ["relaxed", "relaxed", "acquire", "seq_cst"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const FAILURES: [&str; 3] = ["relaxed", "acquire", "seq_cst"];

/// A word of `memory_order_…`, and the same of `__ATOMIC_…`.
fn order(random: &mut Random, orders: &[&'static str]) -> (String, String) {
    let word = orders[random.below(orders.len())];
    (format!("memory_order_{word}"), format!("__ATOMIC_{}", word.to_uppercase()))
}

impl Cell {
    /// An expression that reads it.
    pub(crate) fn load(&self, random: &mut Random) -> String {
        let name = self.name;
        let (c11, gnu) = order(random, &LOADS);
        match self.flavour {
            Flavour::Atomic if random.percent(70) => format!("atomic_load_explicit(&{name}, {c11})"),
            Flavour::Volatile if random.percent(15) => format!("__atomic_load_n(&{name}, {gnu})"),
            _ => name.to_owned(),
        }
    }

    /// A statement that writes an expression there.
    pub(crate) fn store(&self, value: &str, random: &mut Random) -> String {
        let name = self.name;
        let (c11, gnu) = order(random, &STORES);
        match self.flavour {
            Flavour::Atomic if random.percent(80) => format!("atomic_store_explicit(&{name}, {value}, {c11});"),
            Flavour::Volatile if random.percent(15) => format!("__atomic_store_n(&{name}, {value}, {gnu});"),
            _ => format!("{name} = {value};"),
        }
    }

    /// An expression that reads and writes it in one step.
    pub(crate) fn update(&self, number: usize, random: &mut Random) -> String {
        let name = self.name;
        let (c11, gnu) = order(random, &UPDATES);
        match (self.flavour, random.below(6)) {
            (Flavour::Atomic, 0) => format!("atomic_exchange_explicit(&{name}, {number}, {c11})"),
            (Flavour::Atomic, 1) => format!("atomic_fetch_or_explicit(&{name}, {number}, {c11})"),
            (Flavour::Atomic, 2) => format!("{name}++"),
            (Flavour::Atomic, _) => format!("atomic_fetch_add_explicit(&{name}, {number}, {c11})"),
            (_, 0) => format!("__sync_lock_test_and_set(&{name}, {number})"),
            (_, 1) => format!("__sync_add_and_fetch(&{name}, {number})"),
            (_, 2) => format!("__sync_val_compare_and_swap(&{name}, 0, {number})"),
            (_, 3) => format!("__atomic_exchange_n(&{name}, {number}, {gnu})"),
            (_, 4) => format!("__atomic_fetch_sub(&{name}, {number}, {gnu})"),
            _ => format!("__sync_fetch_and_add(&{name}, {number})"),
        }
    }

    /// An expression that compares it with what `expected` holds, writes there what is found if that is different,
    /// and else `desired` to the cell.
    pub(crate) fn compare_exchange(&self, expected: &str, desired: &str, random: &mut Random) -> String {
        let name = self.name;
        let ((c11, gnu), (c11_fails, gnu_fails)) = (order(random, &UPDATES), order(random, &FAILURES));
        let weak = random.percent(30);
        match self.flavour {
            Flavour::Atomic => {
                let strength = if weak { "weak" } else { "strong" };
                format!(
                    "atomic_compare_exchange_{strength}_explicit(&{name}, &{expected}, {desired}, {c11}, {c11_fails})"
                )
            }
            _ => format!(
                "__atomic_compare_exchange_n(&{name}, &{expected}, {desired}, {}, {gnu}, {gnu_fails})",
                u8::from(weak)
            ),
        }
    }
}
