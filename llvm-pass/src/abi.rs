//! The hook ABI: what `runtime/include/fencehound_hooks.h` declares, as tables that `build.rs` makes from it. What the pass
//! builds into a module is checked against them, so that the pass cannot call a hook otherwise than the runtime defines it.
//!
//! Its constants (`FH_RMW_ADD`, …) have the names and the values that they have there.

/// The type of a parameter, a result or a field, as far as it matters for a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The type has no values.
    Void,
    /// An integer of this many bytes.
    Integer(u32),
    /// A pointer.
    Pointer,
    /// A struct.
    Struct,
}

/// A hook.
#[derive(Debug)]
pub(crate) struct Declaration {
    name: &'static str,
    pub(crate) result: Kind,
    pub(crate) parameters: &'static [Kind],
}

/// A field of a struct of the ABI.
#[derive(Debug)]
pub(crate) struct Field {
    /// The name of the struct.
    of: &'static str,
    name: &'static str,
    pub(crate) kind: Kind,
    /// The number of elements of the field; 1 if it is no array.
    elements: u32,
}

include!(concat!(env!("OUT_DIR"), "/abi.rs"));

/// Returns the hook with this name.
pub(crate) fn hook(name: &str) -> Option<&'static Declaration> {
    HOOKS.iter().find(|hook| hook.name == name)
}

/// Returns the fields of a struct, in order.
pub(crate) fn fields(of: &str) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.of == of)
}

/// Returns how many words of 32 bits stand before a field of `struct fh_labels`, which is made of nothing else.
pub(crate) const fn label_word(name: &str) -> u32 {
    let mut words = 0;
    let mut index = 0;
    while index < FIELDS.len() {
        let field = &FIELDS[index];
        if is_same(field.of, LABELS) {
            if is_same(field.name, name) {
                return words;
            }
            words += field.elements;
        }
        index += 1;
    }
    panic!("struct fh_labels has no such field")
}

/// Returns how many elements a field of `struct fh_labels` has.
pub(crate) const fn label_words(name: &str) -> u32 {
    let mut index = 0;
    while index < FIELDS.len() {
        let field = &FIELDS[index];
        if is_same(field.of, LABELS) && is_same(field.name, name) {
            return field.elements;
        }
        index += 1;
    }
    panic!("struct fh_labels has no such field")
}

/// The struct by which labels of dependencies go from function to function.
const LABELS: &str = "fh_labels";

/// Whether two texts are the same; for constant expressions.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}
