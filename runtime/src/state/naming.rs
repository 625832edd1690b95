//! How the places of memory that an execution touches are called, in traces of interleavings and in graphs alike.

use std::collections::BTreeMap;

use crate::state::globals::Globals;

/// A name of something that an execution touches, as its place in the source has it, and where that is.
pub(crate) struct Named<'n> {
    /// The name; empty for what has none.
    pub(crate) name: &'n mut String,
    /// 0 for what has no address.
    pub(crate) address: u64,
}

/// Gives accesses to different places of one variable, and different objects, different names: of an array `got[1]`, else
/// `flag` for the lowest one that the execution touches, `flag+4` for the one four bytes further.
pub(crate) fn tell_apart(mut all: Vec<Named<'_>>, globals: &Globals) {
    all.retain(|named| named.address > 0 && !named.name.is_empty());
    let mut lowest: BTreeMap<String, u64> = BTreeMap::new();
    for named in &mut all {
        if let Some((name, begin)) = globals.element(named.name, named.address) {
            *named.name = name;
            lowest.entry(named.name.clone()).or_insert(begin);
        }
        let address = lowest.entry(named.name.clone()).or_insert(named.address);
        *address = named.address.min(*address);
    }
    for named in all {
        let offset = named.address - lowest[named.name.as_str()];
        if offset > 0 {
            *named.name = format!("{}+{offset}", named.name);
        }
    }
}
