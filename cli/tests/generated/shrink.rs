//! Programs on which searches differ, made as small as they can be.

use std::path::Path;

use crate::check::{Batch, Optimised};
use crate::compare::{Effort, Report, compare};
use crate::program::{Program, Statement};

/// So many smaller programs are compiled at once.
const AT_ONCE: usize = 24;

/// The smallest program found on which the comparison of this name still fails.
pub(crate) fn shrink(tool: &Path, program: &Program, name: &str, effort: Effort) -> Program {
    let mut smallest = program.clone();
    loop {
        let candidates = smaller(&smallest);
        let found = candidates.chunks(AT_ONCE).find_map(|some| first_that_differs(tool, some, name, effort));
        match found {
            Some(next) => smallest = next,
            None => return smallest,
        }
    }
}

/// The first of these programs on which the comparison fails. One that does not compile is none of them.
fn first_that_differs(tool: &Path, programs: &[Program], name: &str, effort: Effort) -> Option<Program> {
    let Ok(batch) = compiled(tool, programs) else {
        // What keeps the others from compiling is left out.
        return (programs.len() > 1).then(|| {
            let (left, right) = programs.split_at(programs.len() / 2);
            first_that_differs(tool, left, name, effort).or_else(|| first_that_differs(tool, right, name, effort))
        })?;
    };
    let reports = compare(&batch, programs, effort, &[name]);
    let differs = |report: &Report| report.differences.iter().any(|difference| difference.name == name);
    programs.iter().zip(&reports).find(|(_, report)| differs(report)).map(|(program, _)| program.clone())
}

/// The programs, compiled for all that may be compared.
///
/// # Errors
/// What the compiler says.
pub(crate) fn compiled(tool: &Path, programs: &[Program]) -> Result<Batch, String> {
    let batch = Batch::compile(tool, programs, &Optimised::ALL)?;
    if programs.iter().any(Program::runs_natively) {
        batch.compile_native(programs)?;
    }
    Ok(batch)
}

/// The program with a part less, each of them.
fn smaller(program: &Program) -> Vec<Program> {
    // Nothing is known of those.
    let program = &Program { known: None, ..program.clone() };
    let mut all = Vec::new();
    if program.created > 1 && program.threads.len() == program.created {
        for index in 0..program.created {
            let mut less = program.clone();
            less.threads.remove(index);
            less.created -= 1;
            all.push(less);
        }
    }
    for index in 0..program.threads.len() {
        for less in lists(&program.threads[index]) {
            let mut whole = program.clone();
            whole.threads[index] = less;
            all.push(whole);
        }
    }
    all.extend(lists(&program.main).into_iter().map(|main| Program { main, ..program.clone() }));
    all.extend(lists(&program.end).into_iter().map(|end| Program { end, ..program.clone() }));
    all.extend(lists(&program.setup).into_iter().map(|setup| Program { setup, ..program.clone() }));
    all.sort_by_key(Program::size);
    all
}

/// The statements with one less, or with what is in a block instead of it.
fn lists(statements: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (index, statement) in statements.iter().enumerate() {
        let around = |inside: &[Statement]| [&statements[..index], inside, &statements[index + 1..]].concat();
        all.push(around(&[]));
        if let Statement::Block { open, body, close } = statement {
            all.push(around(body));
            for body in lists(body) {
                all.push(around(&[Statement::Block { open: open.clone(), body, close: close.clone() }]));
            }
        }
    }
    all
}
