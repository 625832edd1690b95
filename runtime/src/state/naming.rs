//! The names of the memory that an execution touches, in traces of interleavings and in graphs alike.

use std::collections::BTreeMap;

use hook_abi::members;

use crate::process::sites::{Record, RecordObject, RecordPointer};
use crate::state::globals::Globals;

/// The name of something that an execution touches, at first as its place in the source has it, and where that is.
pub(crate) struct Named<'n> {
    /// The name; empty for something that has none.
    pub(crate) name: &'n mut String,
    /// The address; 0 for something that has none.
    pub(crate) address: u64,
    /// The width in bytes; 0 for an object of the C library's.
    pub(crate) width: u64,
    /// The place in the source that touches it.
    pub(crate) site: RecordPointer,
    /// The values that are read and written, and what they point to.
    pub(crate) pointees: [(Option<u64>, &'n mut String); 2],
}

/// The bytes of a pointer.
const POINTER: u64 = 8;

/// Gives accesses to one place one name, and accesses to different places different ones: `ring.tail` of a variable
/// with static storage, `node#2.next` of the second one that the execution touches of what pointers to `struct node` point to,
/// `done` of a local variable. Where no types are known, what the source says stands: `flag` for the lowest place of
/// that name, `flag+4` for the one four bytes further.
pub(crate) fn tell_apart(mut all: Vec<Named<'_>>, globals: &Globals) {
    all.retain(|named| named.address > 0 && !named.name.is_empty());
    let objects = Objects::of(&all, globals);
    let begins = |address| globals.beginning(address).or_else(|| objects.within(address, members::beginning));
    for named in all.iter_mut().filter(|named| named.width == POINTER) {
        for (value, pointee) in &mut named.pointees {
            let found = value.and_then(begins);
            **pointee = found.map(|name| format!("&{name}")).unwrap_or_default();
        }
    }
    all.retain_mut(|named| {
        let (address, width) = (named.address, named.width.max(1));
        let within = || objects.within(address, |members, offset| members::path(members, offset, width));
        let known = globals.named(address, width).or_else(within);
        let is_known = known.is_some();
        known.into_iter().for_each(|name| *named.name = name);
        !is_known
    });
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

/// The local variables and the targets of pointers that an execution touches, by address.
struct Objects(BTreeMap<u64, Object>);

/// A local variable, or the target of a pointer.
struct Object {
    record: &'static RecordObject,
    /// The object's number among those of its name, from 1 in the order in which they are touched; `None` for a local
    /// variable that is the only one of its name.
    number: Option<usize>,
}

impl Objects {
    /// Finds the objects that these accesses touch, but for the program's variables; of objects one within the other it
    /// keeps the outermost.
    fn of(all: &[Named<'_>], globals: &Globals) -> Self {
        let mut found: Vec<(u64, &'static RecordObject)> = Vec::new();
        for named in all.iter().filter(|named| globals.named(named.address, 1).is_none()) {
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

    /// Returns the name of the object that the address is in, followed by the path that `find` makes of members and
    /// offset.
    fn within(&self, address: u64, find: impl Fn(&str, u64) -> Option<String>) -> Option<String> {
        let (begin, Object { record, number }) = self.0.range(..=address).next_back()?;
        let path = find(record.members(), address - begin)?;
        let number = number.map(|number| format!("#{number}")).unwrap_or_default();
        Some(format!("{}{number}{path}", record.name()))
    }
}
