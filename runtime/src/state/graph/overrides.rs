//! Accesses that a repair makes stronger than the program has them ([`protocol::Repair`]), by their records.

use engine::graph::Access;
use engine::mapping::Strength;
use engine::mapping::graphs::{Around, Form, strengthened};
use engine::mapping::power::Synchronizes;
use engine::model::MemoryModel;
use protocol::{Operation, Override};
use rustc_hash::FxHashMap;

use crate::process::sites::{RecordPointer, records};
use crate::state::operation::Note;

/// The strengths that a repair adds to accesses and operations, by record and operation.
#[derive(Default)]
pub(crate) struct Overrides(FxHashMap<(RecordPointer, Operation), Vec<Strength>>);

impl Overrides {
    /// Makes the table of these overrides, by all the records that have their places.
    pub(crate) fn new(all: &[Override]) -> Self {
        let mut table: FxHashMap<(RecordPointer, Operation), Vec<Strength>> = FxHashMap::default();
        for record in records().filter(|_| !all.is_empty()) {
            let place = record.place().in_source();
            for one in all.iter().filter(|one| one.at.place == place) {
                table.entry((std::ptr::from_ref(record), one.at.operation)).or_default().push(one.strength);
            }
        }
        Self(table)
    }

    /// Returns the fences and annotations that a repair adds to an access; a read-modify-write has this form.
    #[inline]
    pub(crate) fn around(&self, model: MemoryModel, (access, form): (Access, Form), note: Note) -> Around {
        let mut all = Around::default();
        if self.0.is_empty() {
            return all;
        }
        for &strength in self.0.get(&(note.site, note.operation)).into_iter().flatten() {
            let Around { before, after, synchronizes, annotations } = strengthened(model, access, form, strength);
            all.before += before;
            all.after += after;
            all.annotations = all.annotations.and(annotations);
            if synchronizes == Synchronizes::Yes {
                all.synchronizes = synchronizes;
            }
        }
        all
    }
}
