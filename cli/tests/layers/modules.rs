//! A crate as its modules: each source file with its path in the crate, what it brings into scope, and the methods that it
//! gives to types. What is compiled for tests alone is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, File, ImplItem, Item, Meta, Type, UseTree};

/// The path of a module from its crate's root, `graph::search`; of the root itself, the empty one.
pub(crate) type Name = String;

/// A source file.
pub(crate) struct Module {
    pub(crate) items: Vec<Item>,
    /// Names that a `use` brings into scope, and the paths that they stand for, as written.
    pub(crate) uses: BTreeMap<String, Vec<String>>,
    /// The methods that the file gives to each type by `impl Type`.
    pub(crate) methods: BTreeMap<String, BTreeSet<String>>,
}

/// All modules of a crate.
pub(crate) struct Crate {
    pub(crate) modules: BTreeMap<Name, Module>,
}

impl Crate {
    /// Reads the crate whose sources are in this folder.
    pub(crate) fn read(folder: &Path) -> Self {
        let root = ["lib.rs", "main.rs"].map(|name| folder.join(name));
        let root = root.iter().find(|path| path.exists()).expect("a crate has a root");
        let mut read = Self { modules: BTreeMap::new() };
        read.add(root, folder, "");
        read
    }

    fn add(&mut self, file: &Path, children: &Path, name: &str) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let File { items, .. } = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let items: Vec<Item> = items.into_iter().filter(|item| !is_for_tests(attributes(item))).collect();
        for item in &items {
            if let Item::Mod(inner) = item
                && inner.content.is_none()
            {
                let child = inner.ident.to_string();
                let (file, below) = file_of(children, &child);
                self.add(&file, &below, &joined(name, &child));
            }
        }
        let mut uses = BTreeMap::new();
        let mut methods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for item in &items {
            match item {
                Item::Use(item) => names_of(&item.tree, &mut Vec::new(), &mut uses),
                Item::Impl(item) if item.trait_.is_none() => {
                    let Type::Path(of) = &*item.self_ty else { continue };
                    let of = of.path.segments.last().expect("a path has segments").ident.to_string();
                    let functions = item.items.iter().filter_map(|item| match item {
                        ImplItem::Fn(function) => Some(function.sig.ident.to_string()),
                        _ => None,
                    });
                    methods.entry(of).or_default().extend(functions);
                }
                _ => {}
            }
        }
        self.modules.insert(name.to_owned(), Module { items, uses, methods });
    }
}

/// A module's path with one name more.
pub(crate) fn joined(name: &str, child: &str) -> Name {
    if name.is_empty() { child.to_owned() } else { format!("{name}::{child}") }
}

/// The file of a module, and the folder of the modules in it.
fn file_of(folder: &Path, child: &str) -> (PathBuf, PathBuf) {
    let below = folder.join(child);
    let beside = folder.join(format!("{child}.rs"));
    if beside.exists() { (beside, below) } else { (below.join("mod.rs"), below) }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && list.tokens.to_string() == "test"
    })
}

fn names_of(tree: &UseTree, before: &mut Vec<String>, into: &mut BTreeMap<String, Vec<String>>) {
    let full = |last: String| before.iter().cloned().chain([last]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            names_of(&path.tree, before, into);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            let last = before.last().expect("`self` stands in braces").clone();
            into.insert(last, before.clone());
        }
        UseTree::Name(name) => {
            into.insert(name.ident.to_string(), full(name.ident.to_string()));
        }
        UseTree::Rename(rename) => {
            into.insert(rename.rename.to_string(), full(rename.ident.to_string()));
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| names_of(tree, before, into)),
        UseTree::Glob(_) => {
            into.insert(format!("{}::*", before.join("::")), before.clone());
        }
    }
}
