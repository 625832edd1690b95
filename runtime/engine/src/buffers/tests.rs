use std::ops::Range;

use super::waiting::Due;
use super::{Batch, Demand, StoreBuffers, StoreEntry, Which};
use crate::event::Thread;
use crate::model::MemoryModel;

const ONE: Thread = Thread(1);
const TWO: Thread = Thread(2);

fn entry(event: u32, address: usize, width: usize) -> StoreEntry {
    StoreEntry::new(event, address, vec![event as u8; width])
}

fn buffers(model: MemoryModel, entries: &[(Thread, StoreEntry)]) -> StoreBuffers {
    let mut buffers = StoreBuffers::of(model).expect("it has store buffers");
    entries.iter().for_each(|(thread, entry)| buffers.store(*thread, entry.clone()));
    buffers
}

fn may_commit(buffers: &StoreBuffers) -> Vec<u32> {
    buffers.all().filter(|&(which, _)| buffers.may_commit(which)).map(|(_, entry)| entry.event).collect()
}

fn loads(thread: Thread, bytes: Range<usize>) -> Batch {
    Batch::before(Demand { thread: Some(thread), bytes: vec![bytes], awaits: false })
}

fn offered(batch: &Batch, buffers: &StoreBuffers) -> (Vec<u32>, bool) {
    let offers = batch.offers(buffers);
    (offers.commits.iter().map(|&which| buffers.entry(which).event).collect(), offers.performs)
}

#[test]
fn only_two_models_have_store_buffers() {
    let with = MemoryModel::ALL.into_iter().filter(|&model| StoreBuffers::of(model).is_some());
    assert!(with.eq([MemoryModel::Tso, MemoryModel::Pso]));
}

#[test]
fn under_tso_the_oldest_entry_of_each_thread_commits() {
    let stores = [(ONE, entry(0, 8, 4)), (ONE, entry(1, 16, 4)), (TWO, entry(2, 16, 4))];
    assert_eq!(may_commit(&buffers(MemoryModel::Tso, &stores)), [0, 2]);
}

#[test]
fn under_pso_entries_commit_that_overlap_no_older_one_and_stand_behind_no_barrier() {
    let mut pso = buffers(MemoryModel::Pso, &[(ONE, entry(0, 8, 4)), (ONE, entry(1, 16, 4)), (ONE, entry(2, 10, 1))]);
    assert_eq!(may_commit(&pso), [0, 1]);
    pso.separate(ONE);
    pso.store(ONE, entry(3, 32, 8));
    assert_eq!(may_commit(&pso), [0, 1]);
    pso.commit(Which { thread: ONE, index: 0 });
    assert_eq!(may_commit(&pso), [1, 2]);
    pso.commit(Which { thread: ONE, index: 1 });
    pso.commit(Which { thread: ONE, index: 0 });
    assert_eq!(may_commit(&pso), [3]);
}

#[test]
fn a_read_modify_write_of_pso_waits_for_its_bytes_and_for_what_a_barrier_separates() {
    let mut pso = buffers(MemoryModel::Pso, &[(ONE, entry(0, 8, 4)), (ONE, entry(1, 16, 4))]);
    pso.drain_for(ONE, &(18..19));
    let due = |buffers: &StoreBuffers| buffers.all().filter(|(_, entry)| entry.due == Due::Now).count();
    assert_eq!(due(&pso), 1);
    pso.separate(ONE);
    pso.drain_for(ONE, &(64..65));
    assert_eq!(due(&pso), 2);
    let mut tso = buffers(MemoryModel::Tso, &[(ONE, entry(0, 8, 4)), (ONE, entry(1, 16, 4))]);
    tso.drain_for(ONE, &(64..65));
    assert_eq!(due(&tso), 2);
}

#[test]
fn a_load_is_offered_what_others_have_stored_there_and_what_commits_before_that() {
    let stores = [(ONE, entry(0, 8, 4)), (ONE, entry(1, 16, 4)), (TWO, entry(2, 32, 4))];
    let mut tso = buffers(MemoryModel::Tso, &stores);
    let mut batch = loads(TWO, 16..20);
    assert_eq!(offered(&batch, &tso), (vec![0], true));
    batch.commit(&mut tso, Which { thread: ONE, index: 0 });
    // Having begun it must go on: else the first commit could have come later.
    assert_eq!(offered(&batch, &tso), (vec![1], false));
    batch.commit(&mut tso, Which { thread: ONE, index: 0 });
    assert_eq!(offered(&batch, &tso), (vec![], true));
    let pso = buffers(MemoryModel::Pso, &stores);
    assert_eq!(offered(&loads(TWO, 16..20), &pso), (vec![1], true));
    assert_eq!(offered(&loads(ONE, 16..20), &pso), (vec![], true), "its own buffer holds all bytes");
}

#[test]
fn a_load_of_what_waits_in_its_own_buffer_can_see_a_later_store_of_another_thread() {
    let mut tso = buffers(MemoryModel::Tso, &[(ONE, entry(0, 8, 4)), (TWO, entry(1, 8, 4))]);
    let mut batch = loads(ONE, 8..12);
    assert_eq!(offered(&batch, &tso), (vec![0, 1], true));
    batch.commit(&mut tso, Which { thread: ONE, index: 0 });
    assert_eq!(offered(&batch, &tso), (vec![1], false));
    batch.commit(&mut tso, Which { thread: TWO, index: 0 });
    assert_eq!(offered(&batch, &tso), (vec![], true));
}

#[test]
fn what_is_due_commits_in_either_order_with_what_it_overlaps() {
    let mut tso = buffers(MemoryModel::Tso, &[(ONE, entry(0, 8, 4)), (TWO, entry(1, 8, 4)), (TWO, entry(2, 64, 4))]);
    tso.drain(ONE);
    let fence = Batch::before(Demand { thread: Some(ONE), bytes: Vec::new(), awaits: false });
    assert_eq!(offered(&fence, &tso), (vec![0, 1], false));
    let (mut first, mut left) = (fence.clone(), tso.clone());
    first.commit(&mut left, Which { thread: ONE, index: 0 });
    assert_eq!(offered(&first, &left), (vec![], true));
}

#[test]
fn independent_commits_are_made_in_one_order() {
    let mut tso = buffers(MemoryModel::Tso, &[(ONE, entry(0, 8, 4)), (TWO, entry(1, 16, 4))]);
    let everything = Demand { thread: None, bytes: Vec::new(), awaits: false };
    tso.drain(ONE);
    tso.drain(TWO);
    let mut batch = Batch::before(everything.clone());
    batch.commit(&mut tso, Which { thread: ONE, index: 0 });
    assert_eq!(offered(&batch, &tso), (vec![1], false));
}

#[test]
fn who_waits_for_a_store_goes_on_behind_one() {
    let mut tso = buffers(MemoryModel::Tso, &[(ONE, entry(0, 8, 4))]);
    let mut batch = Batch::before(Demand { thread: Some(TWO), bytes: vec![Range { start: 8, end: 9 }], awaits: true });
    assert_eq!(offered(&batch, &tso), (vec![0], false));
    batch.commit(&mut tso, Which { thread: ONE, index: 0 });
    assert_eq!(offered(&batch, &tso), (vec![], true));
}

#[test]
fn the_entries_of_a_frame_that_ends_are_no_more() {
    let mut tso = buffers(MemoryModel::Tso, &[(ONE, entry(0, 8, 4)), (ONE, entry(1, 16, 4)), (TWO, entry(2, 8, 4))]);
    tso.discard(ONE, &(8..12));
    assert_eq!(tso.all().map(|(_, entry)| entry.event).collect::<Vec<_>>(), [1, 2]);
    tso.begin();
    assert!(tso.is_empty() && tso.all().next().is_none());
}
