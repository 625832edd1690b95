//! How the places of memory that an execution touches are called, in traces of interleavings and in graphs alike.

use std::collections::BTreeMap;

use hook_abi::members;

use crate::process::sites::{Record, RecordObject, RecordPointer};
use crate::state::globals::Globals;

/// A name of something that an execution touches, as its place in the source has it, and where that is.
pub(crate) struct Named<'n> {
    /// The name; empty for what has none.
    pub(crate) name: &'n mut String,
    /// 0 for what has no address.
    pub(crate) address: u64,
    /// In bytes; 0 of an object of the C library's.
    pub(crate) width: u64,
    /// The place in the source that touches it.
    pub(crate) site: RecordPointer,
}

/// Gives accesses to one place one name, and accesses to different places different ones: `ring.tail` of a variable
/// with static storage, `node#2.next` of the second one that the execution touches of what pointers to `struct node` point to,
/// `done` of a local variable. Where no types are known, what the source says stands: `flag` for the lowest place of
/// that name, `flag+4` for the one four bytes further.
pub(crate) fn tell_apart(mut all: Vec<Named<'_>>, globals: &Globals) {
    all.retain(|named| named.address > 0 && !named.name.is_empty());
    all.retain_mut(|named| rename(named, globals.named(named.address, named.width.max(1))));
    let objects = Objects::of(&all);
    all.retain_mut(|named| rename(named, objects.named(named.address, named.width.max(1))));
    let mut lowest: BTreeMap<String, u64> = BTreeMap::new();
    for named in &all {
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

/// Gives it the name that is known; says whether none is.
fn rename(named: &mut Named<'_>, known: Option<String>) -> bool {
    let is_known = known.is_some();
    if let Some(name) = known {
        *named.name = name;
    }
    !is_known
}

/// The local variables and the targets of pointers that an execution touches, by address.
struct Objects(BTreeMap<u64, Object>);

struct Object {
    record: &'static RecordObject,
    /// Which of those of its name it is, counted from 1 in the order in which they are touched; none of a local variable
    /// that is the only one.
    number: Option<usize>,
}

impl Objects {
    fn of(all: &[Named<'_>]) -> Self {
        let mut found: Vec<(u64, &'static RecordObject)> = Vec::new();
        for named in all {
            if let Some((record, offset)) = Record::behind(named.site).object()
                && let Some(begin) = named.address.checked_sub(offset)
                && !found.iter().any(|&(other, of)| other == begin && of.size() >= record.size())
            {
                found.push((begin, record));
            }
        }
        let is_within = |&(begin, record): &(u64, &RecordObject)| {
            found.iter().any(|&(other, of)| {
                let larger = of.size() > record.size();
                larger && other <= begin && begin + record.size() <= other + of.size()
            })
        };
        let outermost: Vec<_> = found.iter().copied().filter(|one| !is_within(one)).collect();
        let mut objects = BTreeMap::new();
        for (index, &(begin, record)) in outermost.iter().enumerate() {
            let alike = |&&(_, other): &&(u64, &RecordObject)| other.name() == record.name();
            let several = record.is_type() || outermost.iter().filter(alike).count() > 1;
            let number = several.then(|| outermost[..=index].iter().filter(alike).count());
            objects.insert(begin, Object { record, number });
        }
        Self(objects)
    }

    fn named(&self, address: u64, width: u64) -> Option<String> {
        let (begin, Object { record, number }) = self.0.range(..=address).next_back()?;
        let path = members::path(record.members(), address - begin, width)?;
        let number = number.map(|number| format!("#{number}")).unwrap_or_default();
        Some(format!("{}{number}{path}", record.name()))
    }
}
