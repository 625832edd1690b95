//! The house as ARCHITECTURE.md draws it, held against the sources: no circle of modules, no type with too many methods.
//!
//! How to read: [`modules`] reads the crates, [`paths`] finds what a module mentions of the others, [`circles`] finds the
//! circles among them.

mod circles;
mod modules;
mod paths;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use modules::Crate;

/// The crates of the workspace that are built into something, with the folders of their sources.
const CRATES: [(&str, &str); 6] = [
    ("engine", "runtime/engine/src"),
    ("litmus", "runtime/litmus/src"),
    ("protocol", "runtime/protocol/src"),
    ("runtime", "runtime/src"),
    ("llvm-pass", "llvm-pass/src"),
    ("cli", "cli/src"),
];

/// More methods than this, and nobody knows what a type is for.
const METHODS: usize = 25;

/// The repository's folder.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Fails unless nothing wrong is found in any crate.
fn assert_none(what: &str, find: impl Fn(&Crate) -> BTreeSet<String>) {
    let mut wrong = String::new();
    for (name, folder) in CRATES {
        let all = Crate::read(&root().join(folder));
        assert!(all.modules.len() > 3, "{folder} has hardly any modules");
        for found in find(&all) {
            wrong.push_str(&format!("{name}: {found}\n"));
        }
    }
    assert!(wrong.is_empty(), "{what}:\n{wrong}");
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    assert_none("in a circle of imports", |all| {
        let edges = paths::edges(all);
        assert!(edges.values().map(BTreeSet::len).sum::<usize>() > 3, "hardly any imports were found");
        circles::in_circles(&edges)
            .into_iter()
            .map(|module| if module.is_empty() { "(root)".into() } else { module })
            .collect()
    });
}

#[test]
fn no_type_has_many_methods() {
    assert_none("more methods than anybody can keep in mind", |all| {
        let mut methods: BTreeMap<String, usize> = BTreeMap::new();
        for module in all.modules.values() {
            for (of, names) in &module.methods {
                *methods.entry(of.clone()).or_default() += names.len();
            }
        }
        assert!(!methods.is_empty(), "no methods were found");
        methods.into_iter().filter(|&(_, count)| count > METHODS).map(|(of, _)| of).collect()
    });
}

/// The layers of a crate, as ARCHITECTURE.md states them, from the top: the modules of each.
fn layers(folder: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let (_, line) = text.split_once(&format!("- `{folder}/`:")).expect("the order of each crate is stated");
    let line = line.split("\n-").next().and_then(|line| line.split("\n\n").next()).unwrap_or_default();
    let names = |layer: &str| layer.split(',').map(|name| name.trim().to_owned()).collect();
    line.split('→').map(names).collect()
}

#[test]
fn modules_use_only_what_is_below_them() {
    let mut wrong = String::new();
    for (name, folder) in CRATES {
        let layers = layers(folder);
        let top = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
        let layer = |module: &String| layers.iter().position(|layer| layer.contains(module));
        for (from, uses) in paths::edges(&Crate::read(&root().join(folder))) {
            let from = top(&from);
            for used in uses.iter().map(|used| top(used)).filter(|used| !used.is_empty() && !from.is_empty()) {
                match (layer(&from), layer(&used)) {
                    (Some(upper), Some(lower)) if upper <= lower => {}
                    (Some(_), Some(_)) => wrong.push_str(&format!("{name}: {from} uses {used}, which is above it\n")),
                    _ => wrong.push_str(&format!("{name}: {from} or {used} is in no layer\n")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "against the layers of ARCHITECTURE.md:\n{wrong}");
}
