//! `qsort` and `bsearch`, whose comparison is the program's own code: it may access shared memory and be switched away
//! from, so it runs on the thread's stack with no frame of libc's below it. Both branch on what it says: where that depends on
//! reads that have not returned, the thread goes no further.
//!
//! `qsort` compares the elements where they are, as a merge sort does (glibc's order of comparisons, and stable, as
//! glibc's is), and moves them once the order is known: all are read, then all are written.

use std::ffi::{c_int, c_void};

use crate::graph::dependencies;
use crate::hooks::library::cursor::{self, Limit, gather};
use crate::process::scratch::ScratchText;
use crate::process::sites::call_site;
use crate::state::graph::labels::{self, Label};

/// The program's comparison of two elements, by their addresses.
type Comparison<'a> = &'a dyn Fn(usize, usize) -> c_int;

/// The numbers of elements, in scratch memory.
struct Numbers {
    text: ScratchText,
}

impl Numbers {
    /// Makes `count` numbers, all of them 0.
    fn count(count: usize) -> Self {
        Self { text: ScratchText::zeros(count * size_of::<usize>()) }
    }

    /// Returns the number at an index.
    fn get(&self, index: usize) -> usize {
        let bytes = &self.text.bytes()[index * size_of::<usize>()..][..size_of::<usize>()];
        usize::from_le_bytes(bytes.try_into().unwrap_or_default())
    }

    /// Sets the number at an index.
    fn set(&self, index: usize, number: usize) {
        let at = self.text.pointer().cast::<usize>().wrapping_add(index);
        // SAFETY: the scratch memory holds more than `index` numbers.
        unsafe { at.write_unaligned(number) };
    }
}

/// Returns what a comparison of the program's says, on which the function that called it branches.
fn said(compare: impl FnOnce() -> c_int) -> c_int {
    labels::returns(Label::NONE);
    let order = compare();
    dependencies::branch_on_result();
    order
}

/// Sorts the numbers from `begin` to `end`, stably; `room` is as long as `numbers`.
fn merge_sort(numbers: &Numbers, room: &Numbers, begin: usize, end: usize, compare: Comparison) {
    if end - begin < 2 {
        return;
    }
    let middle = begin + (end - begin) / 2;
    merge_sort(numbers, room, begin, middle, compare);
    merge_sort(numbers, room, middle, end, compare);
    let (mut left, mut right) = (begin, middle);
    for to in begin..end {
        let from_left = right == end || (left < middle && compare(numbers.get(left), numbers.get(right)) <= 0);
        let from = if from_left { &mut left } else { &mut right };
        room.set(to, numbers.get(*from));
        *from += 1;
    }
    (begin..end).for_each(|index| numbers.set(index, room.get(index)));
}

/// Sorts elements of the program's: compares them where they are, then reads and writes all of them.
fn sort(base: usize, count: usize, size: usize, compare: Comparison) {
    if count < 2 || size == 0 {
        return;
    }
    let site = call_site();
    let (numbers, room) = (Numbers::count(count), Numbers::count(count));
    (0..count).for_each(|index| numbers.set(index, index));
    merge_sort(&numbers, &room, 0, count, &|a, b| compare(base + a * size, base + b * size));
    let old = gather(base, Limit::Copied(count * size), site);
    let sorted = ScratchText::new();
    for index in 0..count {
        old.bytes()[numbers.get(index) * size..][..size].iter().for_each(|&byte| sorted.push(byte));
    }
    cursor::write(base, sorted.bytes(), site);
    sorted.release();
    old.release();
    room.text.release();
    numbers.text.release();
}

/// A comparison that the program passes to `qsort`.
type Compare = unsafe extern "C" fn(usize, usize) -> c_int;
/// A comparison that the program passes to `qsort_r`, with one more argument.
type CompareWith = unsafe extern "C" fn(usize, usize, *mut c_void) -> c_int;

#[unsafe(no_mangle)]
extern "C" fn __fh_qsort(base: usize, count: usize, size: usize, compare: Compare) {
    // SAFETY: the program passes a function that compares two elements.
    sort(base, count, size, &|a, b| said(|| unsafe { compare(a, b) }));
}

#[unsafe(no_mangle)]
extern "C" fn __fh_qsort_r(base: usize, count: usize, size: usize, compare: CompareWith, with: *mut c_void) {
    // SAFETY: the program passes a function that compares two elements.
    sort(base, count, size, &|a, b| said(|| unsafe { compare(a, b, with) }));
}

#[unsafe(no_mangle)]
extern "C" fn __fh_bsearch(key: usize, base: usize, count: usize, size: usize, compare: Compare) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let at = base + middle * size;
        // SAFETY: the program passes a function that compares a key with an element.
        match said(|| unsafe { compare(key, at) }) {
            0 => return at,
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    0
}
