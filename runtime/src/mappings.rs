//! Memory that a program maps: what belongs to no file is a block of zeros on whole pages, like any other of the heap.

use std::ffi::{c_int, c_void};

use crate::access::load_bytes;
use crate::allocation::{allocate_zeroed, release};
use crate::fiber::{refuse_call, set_errno};
use crate::process::unsupported;
use crate::runtime::with;
use crate::threads::call_site;

const PAGE: usize = 4096;

/// The bytes of the pages that so many bytes take; none for nothing, and for more than there can be.
fn whole_pages(length: usize) -> Option<usize> {
    (length > 0).then(|| length.checked_next_multiple_of(PAGE)).flatten()
}

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

/// Whether it is the whole of a mapping, or memory that is none any more: what is wrong with that is found on its release.
fn is_whole(address: usize, length: usize) -> bool {
    use crate::heap::BadFree;
    match with(|runtime| runtime.heap.living(address)) {
        Some(Ok(block)) => block.size == length,
        Some(Err(BadFree::Double(_))) => true,
        Some(Err(BadFree::NoBlock(_))) | None => false,
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_munmap(address: *mut c_void, length: usize) -> c_int {
    let Some(length) = whole_pages(length) else { return refuse_call(libc::EINVAL) };
    if !is_whole(address as usize, length) {
        unsupported("munmap of what is not the whole of a mapping", call_site());
    }
    release(address, "munmap", call_site());
    0
}

/// The fifth argument, a wish for an address, comes with a flag that is refused. There is never room to grow in place.
#[unsafe(no_mangle)]
extern "C" fn __fh_mremap(address: *mut c_void, length: usize, wanted: usize, flags: c_int) -> *mut c_void {
    let (Some(length), Some(wanted)) = (whole_pages(length), whole_pages(wanted)) else { return failed(libc::EINVAL) };
    if flags & !libc::MREMAP_MAYMOVE != 0 {
        unsupported("mremap to a fixed address", call_site());
    }
    if !is_whole(address as usize, length) || wanted < length {
        unsupported("mremap of a part of a mapping", call_site());
    }
    if wanted == length {
        return address;
    }
    if flags & libc::MREMAP_MAYMOVE == 0 {
        return failed(libc::ENOMEM);
    }
    crate::graph::refuse("mremap", call_site());
    let new = allocate_zeroed(wanted, PAGE);
    if new.is_null() {
        return libc::MAP_FAILED;
    }
    load_bytes(address as usize, new.cast(), length, call_site());
    release(address, "mremap", call_site());
    new
}
