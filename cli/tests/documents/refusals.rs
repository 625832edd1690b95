//! docs/limits.md has what execution graphs refuse, in the words in which it is refused.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};

use crate::text;

/// All string literals of an item.
#[derive(Default)]
struct Literals(Vec<String>);

impl<'ast> Visit<'ast> for Literals {
    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.0.push(literal.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Ok(literal) = call.parse_body_with(format) {
            self.0.push(literal);
        }
        visit::visit_macro(self, call);
    }
}

/// The format of `write!(to, "…")`.
fn format(input: syn::parse::ParseStream<'_>) -> syn::Result<String> {
    input.parse::<syn::Expr>()?;
    input.parse::<syn::Token![,]>()?;
    Ok(input.parse::<syn::LitStr>()?.value().replace("{bytes}", "N"))
}

/// The words of the runtime's table.
fn of_the_runtime() -> BTreeSet<String> {
    let file = syn::parse_file(&text("runtime/src/state/unmodelled.rs")).expect("it is Rust");
    let mut literals = Literals::default();
    for item in file.items.iter().filter(|item| matches!(item, syn::Item::Impl(_))) {
        literals.visit_item(item);
    }
    literals.0.into_iter().collect()
}

/// What the pass has the program refuse.
fn of_the_pass() -> BTreeSet<String> {
    let text = text("llvm-pass/src/labels.rs");
    let words = text.split("code.refuse(\"").skip(1).filter_map(|rest| rest.split_once('"'));
    words.map(|(words, _)| words.to_owned()).collect()
}

#[test]
fn the_table_of_what_graphs_refuse_is_that_of_the_program() {
    let text = text("docs/limits.md");
    let table = text.split_once("| what execution graphs refuse | instead |\n|---|---|\n").expect("the table begins").1;
    let table = table.split_once("\n\n").expect("the table ends").0;
    let rows = table.lines().map(|row| row.trim_start_matches("| ").split(" |").next().unwrap_or_default());
    let rows: BTreeSet<String> =
        rows.filter(|row| !row.starts_with("the name of a function")).map(str::to_owned).collect();
    let runtime = of_the_runtime();
    assert!(runtime.len() > 10, "the words are found: {runtime:?}");
    assert_eq!(rows, &runtime | &of_the_pass());
}
