//! The private memory of a module: local variables, and thread-local ones of one file, that no other thread can reach, because
//! their address never leaves the loads, stores and copies that use it.
//!
//! It is decided for the whole module before anything is changed (a hook's argument would look like an escape), on the
//! module as SROA leaves it, by rules that look at nothing that differs between optimisation levels.
//!
//! Invariant: an access is native only if all that it may touch is private (or constant, or the library's); so each
//! piece of memory has either hooked accesses or native ones, never both. Where an access may touch a private variable
//! and something else, the variable is not private.

use std::collections::{HashMap, HashSet};

use crate::effects::Effects;
use crate::ir::{Class, Function, Value};
use crate::objects::{Object, Objects};

/// The variables of a module that are private.
pub(crate) struct Privacy<'names> {
    objects: Objects<'names>,
    escaped: HashSet<Value>,
}

impl<'names> Privacy<'names> {
    /// Decides which variables of the functions are private.
    pub(crate) fn decide(functions: &[Value], objects: Objects<'names>, effects: &Effects) -> Self {
        let mut privacy = Self { objects, escaped: HashSet::new() };
        let mut mixed = Vec::new();
        for &function in functions {
            for instruction in Function(function).instructions() {
                for pointer in effects.kept(instruction) {
                    let roots = privacy.objects.of(pointer);
                    privacy.escaped.extend(roots.iter().copied().filter_map(variable));
                }
                for effect in effects.of(instruction) {
                    privacy.note(effect.pointer, &mut mixed);
                }
            }
        }
        privacy.spread(&mixed);
        privacy
    }

    /// Notes the objects of an access: if one of them is no variable that may be private, they all escape; several that may be
    /// escape together, and go to `mixed`.
    fn note(&mut self, pointer: Value, mixed: &mut Vec<Vec<Value>>) {
        let roots = self.objects.of(pointer);
        let variables: Vec<Value> = roots.iter().copied().filter_map(variable).collect();
        if variables.is_empty() || roots.len() == 1 {
            return;
        }
        if roots.contains(&Object::Other) {
            self.escaped.extend(variables);
        } else if variables.len() > 1 {
            mixed.push(variables);
        }
    }

    /// Lets everything escape that is accessed together with something that escapes.
    fn spread(&mut self, mixed: &[Vec<Value>]) {
        let mut groups: HashMap<Value, Vec<usize>> = HashMap::new();
        for (number, &variable) in
            mixed.iter().enumerate().flat_map(|(number, all)| all.iter().map(move |one| (number, one)))
        {
            groups.entry(variable).or_default().push(number);
        }
        let mut open: Vec<Value> = self.escaped.iter().copied().collect();
        while let Some(escaped) = open.pop() {
            // Each group is looked at once.
            for variable in groups.remove(&escaped).into_iter().flatten().flat_map(|number| &mixed[number]) {
                if self.escaped.insert(*variable) {
                    open.push(*variable);
                }
            }
        }
    }

    /// Whether accesses through a pointer stay native.
    pub(crate) fn is_native(&self, pointer: Value) -> bool {
        self.objects.is_library(pointer)
            || self.objects.all(pointer, |object| match object {
                Object::Local(value) | Object::ThreadLocal(value) => !self.escaped.contains(&value),
                Object::Constant | Object::Library => true,
                Object::Nothing | Object::Other => false,
            })
    }

    /// Whether other threads may come to know the address of a local variable.
    pub(crate) fn has_escaped(&self, local: Value) -> bool {
        self.escaped.contains(&local)
    }

    /// Returns the private variables that a native pointer may point into; none if it may point into other native memory.
    pub(crate) fn variables(&self, pointer: Value) -> Option<Vec<Value>> {
        let roots = self.objects.of(pointer);
        let known = !self.objects.is_library(pointer) && !roots.contains(&Object::Library);
        known.then(|| roots.iter().copied().filter_map(variable).collect())
    }

    /// Whether a pointer can point to no memory that others could reach, so that a hook need not hear of it.
    pub(crate) fn is_of_no_interest(&self, pointer: Value) -> bool {
        self.is_native(pointer)
            || pointer.is(Class::Function)
            || self.objects.of(pointer).iter().all(|&object| object == Object::Nothing)
    }
}

/// Returns the variable that an object is, if it is one that may be private.
fn variable(object: Object) -> Option<Value> {
    match object {
        Object::Local(value) | Object::ThreadLocal(value) => Some(value),
        Object::Constant | Object::Library | Object::Nothing | Object::Other => None,
    }
}
