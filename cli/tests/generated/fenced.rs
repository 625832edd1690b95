//! Programs beside the same programs with more fences, which have no other outcomes.

use crate::generate::{self, Generator};
use crate::program::{Program, Statement, block, line};

/// The program of this seed, first with more fences than it has, then as it is.
pub(crate) fn pair(seed: u64) -> [Program; 2] {
    let program = generate::generate(seed);
    let mut generator = Generator::new(seed, |_| Vec::new());
    let mut fenced = program.clone();
    for thread in fenced.threads.iter_mut().chain([&mut fenced.main]) {
        *thread = with_fences(thread, &mut generator);
    }
    [fenced, program].map(|program| Program { known: None, ..program })
}

/// The statements with fences in front of some of them.
fn with_fences(statements: &[Statement], generator: &mut Generator) -> Vec<Statement> {
    let mut all = Vec::new();
    for statement in statements {
        let (Statement::Line(begin) | Statement::Block { open: begin, .. }) = statement;
        if !begin.starts_with("else") && generator.random.percent(35) {
            let fences = ["seq_cst", "seq_cst", "acq_rel", "acquire", "release"];
            let order = fences[generator.random.below(fences.len())];
            all.push(line(format!("atomic_thread_fence(memory_order_{order});")));
        }
        all.push(match statement {
            Statement::Line(_) => statement.clone(),
            Statement::Block { open, body, close } => block(open.clone(), with_fences(body, generator), close.clone()),
        });
    }
    all
}
