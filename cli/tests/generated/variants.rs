//! Programs beside variants of them that have the same outcomes, or no more.

use crate::generate::{self, Generator};
use crate::program::{Program, Statement, block, line};

/// The program of this seed with more fences, and as it is.
pub(crate) fn fenced(seed: u64) -> Option<[Program; 2]> {
    changed(seed, |statements, generator| {
        let mut all = Vec::new();
        for statement in statements {
            let (Statement::Line(begin) | Statement::Block { open: begin, .. }) = &statement;
            if !begin.starts_with("else") && generator.random.percent(35) {
                let fences = ["seq_cst", "seq_cst", "acq_rel", "acquire", "release"];
                let order = fences[generator.random.below(fences.len())];
                all.push(line(format!("atomic_thread_fence(memory_order_{order});")));
            }
            all.push(statement);
        }
        all
    })
}

/// The program of this seed with stronger orders, and as it is; none if it has no order that is not the strongest.
pub(crate) fn stronger(seed: u64) -> Option<[Program; 2]> {
    changed(seed, |statements, generator| {
        let strengthen = |mut text: String, generator: &mut Generator| {
            for weak in ["relaxed", "acquire", "release", "acq_rel"] {
                if generator.random.percent(70) {
                    text = text.replace(&format!("memory_order_{weak}"), "memory_order_seq_cst");
                }
            }
            text
        };
        let one = |statement| match statement {
            Statement::Line(text) => Statement::Line(strengthen(text, generator)),
            Statement::Block { open, body, close } => block(strengthen(open, generator), body, close),
        };
        statements.into_iter().map(one).collect()
    })
}

/// The program of this seed, and with loads at the ends of its threads of which nothing comes.
pub(crate) fn with_loads(seed: u64) -> Option<[Program; 2]> {
    let program = plain(seed);
    let mut generator = Generator::new(seed, |_| Vec::new());
    generator.cells = generate::cells(seed);
    let mut more = program.clone();
    for thread in &mut more.threads {
        let cell = generator.cell();
        let load = cell.load(&mut generator.random);
        thread.push(line(format!("(void)({load});")));
    }
    Some([program, more])
}

/// The program of this seed, and with its first two threads created the other way round; none if there is more than main that
/// creates threads, or main does something in between.
pub(crate) fn swapped(seed: u64) -> Option<[Program; 2]> {
    let program = plain(seed);
    if program.created < 2 || program.created != program.threads.len() || !program.main.is_empty() {
        return None;
    }
    let mut other = program.clone();
    other.threads.swap(0, 1);
    Some([program, other])
}

/// The program of this seed, of which nothing is known.
fn plain(seed: u64) -> Program {
    Program { known: None, ..generate::generate(seed) }
}

/// The program of this seed with all lists of statements changed, and as it is; none if it stays as it is.
fn changed(seed: u64, change: fn(Vec<Statement>, &mut Generator) -> Vec<Statement>) -> Option<[Program; 2]> {
    fn all(
        statements: &[Statement],
        generator: &mut Generator,
        change: fn(Vec<Statement>, &mut Generator) -> Vec<Statement>,
    ) -> Vec<Statement> {
        let mut inside = |statement: &Statement| match statement {
            Statement::Line(_) => statement.clone(),
            Statement::Block { open, body, close } => block(open.clone(), all(body, generator, change), close.clone()),
        };
        let statements = statements.iter().map(&mut inside).collect();
        change(statements, generator)
    }
    let program = plain(seed);
    let mut generator = Generator::new(seed, |_| Vec::new());
    let mut other = program.clone();
    for thread in other.threads.iter_mut().chain([&mut other.main]) {
        *thread = all(thread, &mut generator, change);
    }
    (other != program).then_some([other, program])
}
