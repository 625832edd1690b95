//! Notes of events: what they are in the program's terms.

use protocol::Operation;

use crate::process::sites::{Record, RecordPointer};

/// An event in the program's terms, as reports need it.
#[derive(Clone, Copy)]
pub(crate) struct Note {
    pub(crate) site: RecordPointer,
    pub(crate) operation: Operation,
}

/// The details of an event that a trace needs beside its note.
#[derive(Clone, Default)]
pub(crate) struct Detail {
    /// The address of the access, or of the object; 0 if there is none.
    pub(crate) address: usize,
    /// The width in bytes; 0 if the event is no access.
    pub(crate) width: u32,
    /// The first eight bytes before the event.
    pub(crate) before: u64,
    /// The first eight bytes after the event.
    pub(crate) after: u64,
    /// The bytes of an access of more than eight bytes beyond the first eight, eight by eight, before the event.
    pub(crate) before_above: Vec<u64>,
    /// The bytes beyond the first eight, eight by eight, after the event.
    pub(crate) after_above: Vec<u64>,
    /// The address and width of each piece of memory of an event on several pieces.
    pub(crate) pieces: Vec<(usize, u8)>,
}

impl Detail {
    /// Makes the details of an access to any number of bytes.
    pub(crate) fn wide(address: usize, before: &[u8], after: &[u8]) -> Self {
        let split = |bytes| {
            let mut words = words(bytes);
            (words.next().unwrap_or(0), words.collect())
        };
        let width = u32::try_from(before.len()).unwrap_or(u32::MAX);
        let ((before, before_above), (after, after_above)) = (split(before), split(after));
        Self { address, width, before, after, before_above, after_above, pieces: Vec::new() }
    }
}

/// Splits bytes into little-endian numbers of eight, the last one with zeros above.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

/// Returns the name of what an event is on.
pub(crate) fn target(note: &Note, detail: &Detail) -> String {
    target_of(note, detail.address)
}

/// Returns the name of what an operation on this address is on.
pub(crate) fn target_of(note: &Note, address: usize) -> String {
    let expression = Record::behind(note.site).expression();
    match note.operation {
        Operation::Create(thread)
        | Operation::Join(thread)
        | Operation::TryJoin(thread)
        | Operation::Cancel(thread) => format!("T{}", thread.0),
        Operation::Fence
        | Operation::Begin
        | Operation::End
        | Operation::Choose
        | Operation::Leave
        | Operation::Use
        | Operation::Exit
        | Operation::BeginBlock => String::new(),
        _ if !expression.is_empty() => expression.to_owned(),
        _ => format!("{address:#x}"),
    }
}
