//! What modules mention of each other: by any path, in macros too, and by calls of methods that another file gives to a
//! type.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ExprMethodCall, Macro};

use crate::modules::{Crate, Module, Name, joined};

/// The modules that each module mentions.
pub(crate) type Edges = BTreeMap<Name, BTreeSet<Name>>;

/// All edges of a crate.
pub(crate) fn edges(all: &Crate) -> Edges {
    let scattered = scattered_methods(all);
    let of = |(name, module): (&Name, &Module)| {
        let mut found = Mentions { all, name, module, scattered: &scattered, to: BTreeSet::new() };
        for item in &module.items {
            found.visit_item(item);
        }
        for path in module.uses.values() {
            found.mention(path);
        }
        found.to.remove(name);
        (name.clone(), found.to)
    };
    all.modules.iter().map(of).collect()
}

/// The files of methods whose types have methods in several files, where no other type has a method of that name.
fn scattered_methods(all: &Crate) -> BTreeMap<String, Name> {
    let mut files: BTreeMap<&str, BTreeSet<&Name>> = BTreeMap::new();
    let mut owners: BTreeMap<&str, BTreeSet<(&str, &Name)>> = BTreeMap::new();
    for (name, module) in &all.modules {
        for (of, methods) in &module.methods {
            files.entry(of).or_default().insert(name);
            for method in methods {
                owners.entry(method).or_default().insert((of, name));
            }
        }
    }
    let mut scattered = BTreeMap::new();
    for (method, owners) in owners {
        let [(of, file)] = owners.into_iter().collect::<Vec<_>>()[..] else { continue };
        if files[of].len() > 1 {
            scattered.insert(method.to_owned(), file.clone());
        }
    }
    scattered
}

/// What one module mentions.
struct Mentions<'a> {
    all: &'a Crate,
    name: &'a Name,
    module: &'a Module,
    scattered: &'a BTreeMap<String, Name>,
    to: BTreeSet<Name>,
}

impl Mentions<'_> {
    /// Notes the module that a path as written here leads to, if it is one of this crate. `crate` alone is none: it says
    /// who may see an item, in a macro.
    fn mention(&mut self, path: &[String]) {
        if path == ["crate"] {
            return;
        }
        if let Some(to) = self.resolve(path, 8) {
            self.to.insert(to);
        }
    }

    /// The innermost module on a path. Names from `use` are followed so many times.
    fn resolve(&self, path: &[String], times: u8) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        let begin = match first.as_str() {
            "crate" => String::new(),
            "self" => self.name.clone(),
            "super" => self.name.rsplit_once("::").map(|(parent, _)| parent.to_owned()).unwrap_or_default(),
            name => {
                let child = joined(self.name, name);
                if self.all.modules.contains_key(&child) {
                    return Some(self.innermost(child, rest));
                }
                let full = self.module.uses.get(name).filter(|full| times > 0 && full[..] != path[..1])?;
                let full: Vec<String> = full.iter().chain(rest).cloned().collect();
                return self.resolve(&full, times - 1);
            }
        };
        Some(self.innermost(begin, rest))
    }

    fn innermost(&self, mut module: Name, rest: &[String]) -> Name {
        for segment in rest {
            if segment == "super" {
                module = module.rsplit_once("::").map(|(parent, _)| parent.to_owned()).unwrap_or_default();
                continue;
            }
            let child = joined(&module, segment);
            if !self.all.modules.contains_key(&child) {
                break;
            }
            module = child;
        }
        module
    }

    /// Paths in what a macro is given, which is no syntax yet.
    fn mention_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.mention(&std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && colons < 2 => colons += 1,
                TokenTree::Group(group) => {
                    self.mention(&std::mem::take(&mut path));
                    self.mention_tokens(group.stream());
                    colons = 0;
                }
                _ => {
                    self.mention(&std::mem::take(&mut path));
                    colons = 0;
                }
            }
        }
        self.mention(&path);
    }
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.mention(&path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    /// Who may see an item is no mention of them.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.mention_tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if let Some(file) = self.scattered.get(&call.method.to_string()) {
            self.to.insert(file.clone());
        }
        visit::visit_expr_method_call(self, call);
    }
}
