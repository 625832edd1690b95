//! Memory that a program maps: a mapping without a file is a block of zeros on whole pages, like any other of the heap.

use std::ffi::{c_int, c_void};

use crate::hooks::memory::access::copy;
use crate::hooks::memory::allocation::{allocate_zeroed, release};
use crate::process::fiber::{refuse_call, set_errno};
use crate::process::sites::call_site;
use crate::run::{unsupported, with};
use crate::state::graph::labels::Label;
use crate::state::heap::BadFree;
use crate::state::unmodelled::Unmodelled;

/// The bytes of a page.
const PAGE: usize = 4096;

/// Rounds a length up to whole pages; returns `None` for 0, and for more than there can be.
fn whole_pages(length: usize) -> Option<usize> {
    (length > 0).then(|| length.checked_next_multiple_of(PAGE)).flatten()
}

/// Makes a call of `mmap` fail with this error number.
fn failed(number: c_int) -> *mut c_void {
    set_errno(number);
    libc::MAP_FAILED
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mmap(
    _wish: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
    _file: c_int,
    _offset: libc::off_t,
) -> *mut c_void {
    if flags & libc::MAP_ANONYMOUS == 0 {
        unsupported("mmap of a file", call_site());
    }
    if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE | libc::MAP_GROWSDOWN) != 0 {
        unsupported("mmap at a fixed address", call_site());
    }
    if protection & !libc::PROT_EXEC != libc::PROT_READ | libc::PROT_WRITE {
        unsupported("mmap of memory that is not for reading and writing", call_site());
    }
    let Some(length) = whole_pages(length) else { return failed(libc::EINVAL) };
    let block = allocate_zeroed(length, PAGE);
    if block.is_null() { libc::MAP_FAILED } else { block }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mmap64(
    wish: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    __fh_mmap(wish, length, protection, flags, file, offset)
}

/// The memory at an address that a program unmaps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mapped {
    /// A whole mapping, of these bytes.
    Whole,
    /// A mapping of these bytes that was unmapped before.
    Nothing,
    /// Memory that is no mapping, or a part of one.
    Other,
}

/// Returns what is mapped at these bytes.
fn mapped(address: usize, length: usize) -> Mapped {
    match with(|runtime| runtime.memory.heap.living(address)) {
        Some(Ok(block)) if block.size == length => Mapped::Whole,
        Some(Err(BadFree::Double(block))) if block.size == length => Mapped::Nothing,
        _ => Mapped::Other,
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_munmap(address: *mut c_void, length: usize) -> c_int {
    let Some(length) = whole_pages(length) else { return refuse_call(libc::EINVAL) };
    match mapped(address as usize, length) {
        Mapped::Whole => release(address, "munmap", call_site()),
        Mapped::Nothing => {}
        Mapped::Other => unsupported("munmap of what is not the whole of a mapping", call_site()),
    }
    0
}

/// Performs `mremap`. The fifth argument, a wish for an address, comes with a flag that is refused. There is never room
/// to grow in place.
#[unsafe(no_mangle)]
extern "C" fn __fh_mremap(address: *mut c_void, length: usize, wanted: usize, flags: c_int) -> *mut c_void {
    let (Some(length), Some(wanted)) = (whole_pages(length), whole_pages(wanted)) else { return failed(libc::EINVAL) };
    if flags & !libc::MREMAP_MAYMOVE != 0 {
        unsupported("mremap to a fixed address", call_site());
    }
    match mapped(address as usize, length) {
        Mapped::Whole if wanted >= length => {}
        Mapped::Whole => unsupported("mremap to fewer pages", call_site()),
        Mapped::Nothing => return failed(libc::EFAULT),
        Mapped::Other => unsupported("mremap of what is not the whole of a mapping", call_site()),
    }
    if wanted == length {
        return address;
    }
    if flags & libc::MREMAP_MAYMOVE == 0 {
        return failed(libc::ENOMEM);
    }
    crate::world::refuse(Unmodelled::Call("mremap"), call_site());
    let new = allocate_zeroed(wanted, PAGE);
    if new.is_null() {
        return libc::MAP_FAILED;
    }
    copy(new as usize, address as usize, length, Label::NONE, call_site());
    release(address, "mremap", call_site());
    new
}
