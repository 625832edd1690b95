//! Tests in assembly: the program is a table with one column for each thread and one instruction in each row.

use crate::code::{Code, Expression, Operation, Register};
use crate::parse::exclusive::Pairs;
use crate::parse::names::Names;
use crate::text::{Error, Kind, TextPosition, Token, Tokens, error};

/// An instruction in its cell, split at its first word.
pub(super) struct InstructionCell<'a> {
    pub(super) mnemonic: Token<'a>,
    pub(super) operands: Tokens<'a>,
    pub(super) text: String,
}

/// The labels of a thread, and the branches to them, which may come earlier.
#[derive(Default)]
pub(super) struct Labels {
    known: Vec<(String, usize)>,
    /// The branches, each with its label and where that is written.
    wanted: Vec<(usize, String, TextPosition)>,
}

impl Labels {
    /// Notes a branch to a label, and adds it to the code.
    pub(super) fn branch(
        &mut self,
        code: &mut Code,
        condition: Expression,
        cell: &InstructionCell<'_>,
        label: Token<'_>,
    ) {
        self.wanted.push((code.instructions.len(), label.text.to_owned(), label.position));
        code.push(Operation::Branch { condition, target: usize::MAX }, cell.mnemonic.position, &cell.text);
    }

    /// Whether a label has been defined before here.
    pub(super) fn is_known(&self, label: &str) -> bool {
        self.known.iter().any(|(known, _)| known == label)
    }

    fn define(&mut self, label: Token<'_>, at: usize) -> Result<(), Error> {
        if self.known.iter().any(|(known, _)| known == label.text) {
            return error(label.position, format!("the label `{}` is there twice", label.text));
        }
        self.known.push((label.text.to_owned(), at));
        Ok(())
    }

    fn resolve(self, code: &mut Code) -> Result<(), Error> {
        for (branch, label, position) in self.wanted {
            let Some((_, at)) = self.known.iter().find(|(known, _)| *known == label) else {
                return error(position, format!("there is no label `{label}` in this thread"));
            };
            let Operation::Branch { target, .. } = &mut code.instructions[branch].operation else {
                unreachable!("only branches want labels");
            };
            *target = *at;
        }
        Ok(())
    }
}

/// A thread in the making.
#[derive(Default)]
pub(super) struct Column {
    pub(super) code: Code,
    pub(super) labels: Labels,
    /// The pairs of exclusive accesses in the thread.
    pub(super) pairs: Pairs,
    /// The registers that hold whether a conditional store has stored (RISC-V, where what depends on them waits for it).
    pub(super) statuses: Vec<Register>,
}

/// Reads the table; `lower` turns one instruction into operations.
pub(super) fn program<'a>(
    tokens: &mut Tokens<'a>,
    names: &mut Names,
    mut lower: impl FnMut(&mut InstructionCell<'a>, &mut Column, &mut Names) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut columns = threads(tokens, names)?;
    while !is_clause(tokens) {
        let row = row(tokens)?;
        if row.len() > columns.len() {
            return error(row[columns.len()].position(), "this row has more columns than there are threads");
        }
        for (mut cell, column) in row.into_iter().zip(&mut columns) {
            while cell.peek_after(1).is_some_and(|next| next.text == ":") {
                let label = cell.name("a label")?;
                column.pairs.interrupt(&mut column.code, label.position, "a label")?;
                column.labels.define(label, column.code.instructions.len())?;
                cell.expect(":")?;
            }
            if cell.is_done() {
                continue;
            }
            let mnemonic = cell.name("an instruction")?;
            let text = written(&mnemonic, &cell);
            let mut cell = InstructionCell { mnemonic, operands: cell, text };
            lower(&mut cell, column, names)?;
            if !cell.operands.is_done() {
                return cell.operands.unexpected("the end of the instruction");
            }
        }
    }
    names.threads.clear();
    for mut column in columns {
        column.pairs.end(&mut column.code)?;
        column.labels.resolve(&mut column.code)?;
        names.threads.push(column.code);
    }
    Ok(())
}

fn threads(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<Vec<Column>, Error> {
    let mut columns = Vec::new();
    for mut cell in row(tokens)? {
        let name = cell.name("a thread, such as P0,")?;
        if name.text != format!("P{}", columns.len()) {
            return error(name.position, format!("this column must be headed P{}", columns.len()));
        }
        if columns.len() == engine::event::Thread::LIMIT {
            return error(name.position, format!("more than {} threads are not supported", columns.len()));
        }
        if !cell.is_done() {
            return cell.unexpected("the end of the column's head");
        }
        let code = names.new_thread();
        columns.push(Column { code, ..Column::default() });
        // The next thread gets its own initial registers by this.
        names.threads.push(Code::default());
    }
    Ok(columns)
}

fn is_clause(tokens: &Tokens<'_>) -> bool {
    const CLAUSES: [&str; 6] = ["exists", "forall", "final", "locations", "filter", "~"];
    tokens.peek().is_none_or(|token| CLAUSES.contains(&token.text))
}

/// Reads the cells up to the next `;`.
fn row<'a>(tokens: &mut Tokens<'a>) -> Result<Vec<Tokens<'a>>, Error> {
    let mut cells = Vec::new();
    let mut cell = Vec::new();
    loop {
        let position = tokens.position();
        let Some(token) = tokens.next() else { return error(position, "this row does not end with `;`") };
        match token.text {
            "|" | ";" => cells.push(Tokens::of(std::mem::take(&mut cell), position)),
            _ => cell.push(token),
        }
        if token.text == ";" {
            return Ok(cells);
        }
    }
}

/// Returns an instruction as text, each run of blanks made one.
fn written(mnemonic: &Token<'_>, operands: &Tokens<'_>) -> String {
    let mut operands = operands.clone();
    let mut text = mnemonic.text.to_owned();
    let mut before = Kind::Name;
    text.push(' ');
    while let Some(token) = operands.next() {
        if before != Kind::Sign && token.kind != Kind::Sign && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(token.text);
        before = token.kind;
    }
    text.trim_end().to_owned()
}
