//! Wait loops of many shapes, whose failed rounds explorers may leave out: what they read in passing, leave by the side, or write
//! is what such an explorer can lose.

use crate::generate::Generator;
use crate::program::{Statement, block, line};

/// Adds a wait loop to the first thread, and to the second one what ends it.
pub(crate) fn add(generator: &mut Generator, first: usize, second: usize) {
    let kinds: [fn(&mut Generator, usize, usize); 8] =
        [transient, transient, side_exit, several_reads, exchange_lock, tested_lock, compare_and_swap, retry];
    let kind = kinds[generator.random.below(kinds.len())];
    kind(generator, first, second);
}

/// An access, and maybe another one.
fn accesses(generator: &mut Generator) -> Vec<Statement> {
    let mut statements = vec![if generator.random.percent(60) { generator.store() } else { generator.load() }];
    if generator.random.percent(40) {
        statements.push(generator.load());
    }
    statements
}

/// The thread stores this flag where it has come to some place.
fn raise(generator: &mut Generator, thread: usize) -> &'static str {
    generator.declare("SHARED atomic_int raised$;");
    let order = generator.random.of(&["memory_order_release", "memory_order_relaxed", "memory_order_seq_cst"]);
    let access = match order {
        "memory_order_release" => "atomic_load_explicit(&raised$, memory_order_acquire)",
        "memory_order_relaxed" => "atomic_load_explicit(&raised$, memory_order_relaxed)",
        _ => "raised$",
    };
    generator.insert(thread, vec![line(format!("atomic_store_explicit(&raised$, 1, {order});"))]);
    access
}

/// The waiting thread looks at a value that does not last, and does something when it sees it.
fn transient(generator: &mut Generator, first: usize, second: usize) {
    let (cell, value) = (generator.cell(), generator.number());
    let number = value.to_string();
    let come_and_go = [cell.store(&number, &mut generator.random), cell.store("0", &mut generator.random)];
    generator.insert(second, come_and_go.into_iter().map(line).collect());
    let flag = raise(generator, second);
    let load = cell.load(&mut generator.random);
    let body = accesses(generator);
    let seen = block(format!("if ({load} == {value}) {{"), body, "}");
    generator.insert(first, vec![block(format!("while (!{flag}) {{"), vec![seen], "}")]);
}

/// The waiting thread may leave its loop in the middle.
fn side_exit(generator: &mut Generator, first: usize, second: usize) {
    let flag = raise(generator, second);
    let (cell, register) = (generator.cell(), generator.register());
    let load = cell.load(&mut generator.random);
    let (one, other) =
        (format!("if ({flag}) {{ {register} = 1; break; }}"), format!("if ({load}) {{ {register} = 2; break; }}"));
    let exits = if generator.random.percent(50) { [one, other] } else { [other, one] };
    generator.insert(first, vec![block("for (;;) {", exits.into_iter().map(line).collect(), "}")]);
    if generator.random.percent(50) {
        let store = cell.store("1", &mut generator.random);
        generator.insert(second, vec![line(store)]);
    }
}

/// The waiting thread reads several things a round, and goes on when all are there.
fn several_reads(generator: &mut Generator, first: usize, second: usize) {
    let flag = raise(generator, second);
    let (cell, one, other) = (generator.cell(), generator.register(), generator.fresh());
    let load = cell.load(&mut generator.random);
    let mut reads = [format!("{one} = {load};"), format!("{other} = {flag};")];
    if generator.random.percent(50) {
        reads.reverse();
    }
    let ends = generator.random.of(&["&&", "||"]);
    let wait = format!("{{ long {other}; do {{ {} }} while (!({one} {ends} {other})); }}", reads.join(" "));
    generator.insert(first, vec![line(wait)]);
    let store = cell.store("1", &mut generator.random);
    generator.insert(second, vec![line(store)]);
}

fn unlock(generator: &mut Generator) -> &'static str {
    generator.declare("SHARED atomic_int lock$;");
    generator.random.of(&["lock$ = 0;", "atomic_store_explicit(&lock$, 0, memory_order_release);"])
}

/// Both threads take a lock by an exchange.
fn exchange_lock(generator: &mut Generator, first: usize, second: usize) {
    for thread in [first, second] {
        let body = accesses(generator);
        let unlock = unlock(generator);
        generator.insert(thread, vec![block("{ while (atomic_exchange(&lock$, 1)) ;", body, format!("{unlock} }}"))]);
    }
}

/// Both threads look whether a lock is free before they try to take it.
fn tested_lock(generator: &mut Generator, first: usize, second: usize) {
    for thread in [first, second] {
        let body = accesses(generator);
        let unlock = unlock(generator);
        let take = generator.random.of(&[
            "while (atomic_exchange(&lock$, 1)) while (lock$) ;",
            "do { while (lock$) ; } while (atomic_exchange_explicit(&lock$, 1, memory_order_acquire));",
            "for (int no$ = 0; !atomic_compare_exchange_strong(&lock$, &no$, 1); no$ = 0) ;",
        ]);
        generator.insert(thread, vec![block(format!("{{ {take}"), body, format!("{unlock} }}"))]);
    }
}

/// The waiting thread waits by a compare-and-swap that is to succeed, and so changes what it waits for.
fn compare_and_swap(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED atomic_int turn$;");
    let name = generator.fresh();
    let reset = if generator.random.percent(60) { format!("{name} = 1") } else { String::new() };
    let wait = format!("for (int {name} = 1; !atomic_compare_exchange_strong(&turn$, &{name}, 2); {reset}) ;");
    generator.insert(first, vec![line(wait)]);
    let end = generator.random.of(&["turn$ = 1;", "atomic_fetch_add(&turn$, 1);"]);
    generator.insert(second, vec![line(end)]);
    if generator.random.percent(50) {
        let register = generator.register();
        generator.insert(second, vec![line(format!("{register} = atomic_fetch_add(&turn$, 0);"))]);
    }
}

/// Both threads go round until what they have read is still so where they write.
fn retry(generator: &mut Generator, first: usize, second: usize) {
    generator.declare("SHARED atomic_int top$;");
    generator.declare("SHARED atomic_int link$;");
    for thread in [first, second] {
        let (old, other) = (generator.fresh(), generator.fresh());
        let rereads =
            if generator.random.percent(50) { format!("if ({old} != top$) continue; ") } else { String::new() };
        let register = generator.register();
        let text = format!(
            "for (;;) {{ int {old} = top$; int {other} = link$; {rereads}\
             if (atomic_compare_exchange_strong(&top$, &{old}, {old} + {other} + 1)) {{ {register} = {other}; break; }} }}"
        );
        generator.insert(thread, vec![line(text)]);
        if generator.random.percent(40) {
            generator.insert(thread, vec![line("link$ = 1;")]);
        }
    }
}
