//! Source sites: the records of places that the pass puts into section `fh_sites`.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use crate::abi::number;
use crate::process::sources;
use engine::event::Site;
use protocol::{Frame, Place};

/// The record of a place in the source, `struct fh_site` of the hook ABI.
#[repr(C)]
pub(crate) struct Record {
    file: *const c_char,
    function: *const c_char,
    expression: *const c_char,
    stack: *const RecordFrame,
    object: *const RecordObject,
    offset: u64,
    line: u32,
    column: u16,
    frames: u16,
}

/// A local variable, or the struct or union that a pointer points to: `struct fh_object` of the hook ABI.
#[repr(C)]
pub(crate) struct RecordObject {
    name: *const c_char,
    members: *const c_char,
    size: u64,
    sort: u64,
}

/// A place in a function, `struct fh_frame` of the hook ABI.
#[repr(C)]
struct RecordFrame {
    file: *const c_char,
    function: *const c_char,
    line: u32,
    column: u16,
    unused: u16,
}

/// The value of `sort` for an object that is known by its type.
const OF_TYPE: u64 = number("FH_OBJECT_TYPE") as u64;

// SAFETY: the records are constants of the program, which nobody changes.
unsafe impl Sync for Record {}

/// A reference to a record; null stands for a place that is not known.
pub(crate) type RecordPointer = *const Record;

/// The record of a place that is not known.
pub(crate) static UNKNOWN: Record = Record::NOWHERE;

impl Record {
    /// The record of no place.
    const NOWHERE: Self = Self {
        file: c"".as_ptr(),
        function: c"".as_ptr(),
        expression: c"".as_ptr(),
        stack: std::ptr::null(),
        object: std::ptr::null(),
        offset: 0,
        line: 0,
        column: 0,
        frames: 0,
    };

    /// Returns the record that a hook's argument points to; `None` if it is null.
    #[inline]
    pub(crate) fn known(pointer: RecordPointer) -> Option<&'static Self> {
        // SAFETY: the pass passes the address of a constant record, or null.
        unsafe { pointer.as_ref() }
    }

    /// Returns the record that a hook's argument points to; [`UNKNOWN`] if it is null.
    pub(crate) fn behind(pointer: RecordPointer) -> &'static Self {
        Self::known(pointer).unwrap_or(&UNKNOWN)
    }

    /// Returns a string of the record; empty if it is null or not UTF-8.
    fn text(pointer: *const c_char) -> &'static str {
        if pointer.is_null() {
            return "";
        }
        // SAFETY: the pass makes these strings constants that end with a zero byte.
        unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
    }

    /// Returns the place in the source.
    pub(crate) fn place(&self) -> Place {
        let stack = self.stack().iter().map(RecordFrame::frame).collect();
        Place { file: sources::path(Self::text(self.file)), line: self.line, column: self.column.into(), stack }
    }

    /// Returns the calls through which the place is reached, innermost first.
    fn stack(&self) -> &'static [RecordFrame] {
        if self.stack.is_null() {
            return &[];
        }
        // SAFETY: the pass makes `stack` the address of a constant array of `frames` elements, or null.
        unsafe { std::slice::from_raw_parts(self.stack, self.frames.into()) }
    }

    /// Returns the function in whose source the place stands.
    pub(crate) fn function(&self) -> &'static str {
        Self::text(self.function)
    }

    /// Returns the variable that is accessed; empty if there is none.
    pub(crate) fn expression(&self) -> &'static str {
        Self::text(self.expression)
    }
}

impl Record {
    /// Returns the object that is accessed there, and how many bytes into it, if the pass knows it.
    pub(crate) fn object(&self) -> Option<(&'static RecordObject, u64)> {
        // SAFETY: the pass makes `object` the address of a constant record, or null.
        unsafe { self.object.as_ref() }.map(|object| (object, self.offset))
    }
}

impl RecordObject {
    /// Returns the name of the local variable, or of the type.
    pub(crate) fn name(&self) -> &'static str {
        Record::text(self.name)
    }

    /// Returns the members of the object, in the form of [`hook_abi::members`].
    pub(crate) fn members(&self) -> &'static str {
        Record::text(self.members)
    }

    /// Returns the size in bytes.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Whether the object is known by the type of a pointer to it, and may be one of several.
    pub(crate) fn is_type(&self) -> bool {
        self.sort == OF_TYPE
    }
}

impl RecordFrame {
    /// Returns the place as the protocol has it.
    fn frame(&self) -> Frame {
        Frame {
            function: Record::text(self.function).to_owned(),
            file: sources::path(Record::text(self.file)),
            line: self.line,
            column: self.column.into(),
        }
    }
}

unsafe extern "C" {
    #[link_name = "__start_fh_sites"]
    static FIRST: Record;
    #[link_name = "__stop_fh_sites"]
    static END: Record;
}

/// A record of the runtime's own, so that the section exists in a program that has no hook.
#[used]
#[unsafe(link_section = "fh_sites")]
static OWN: Record = Record::NOWHERE;

/// Returns the records of this program.
pub(crate) fn records() -> impl Iterator<Item = &'static Record> {
    let (first, end) = (&raw const FIRST as usize, &raw const END as usize);
    (first..end).step_by(size_of::<Record>()).map(|address| Record::behind(address as RecordPointer))
}

/// The numbers of places: equal places have equal numbers, the same in every process.
pub(crate) struct Sites {
    /// The number of each record's place, by the record's index in the section.
    numbers: Vec<u32>,
    /// The address of the first record.
    first: usize,
    /// The number of a place that is not known.
    unknown: u32,
    /// A record of a shared library, if one was met: a library may be instrumented, too.
    foreign: Option<&'static Record>,
}

impl Sites {
    /// Numbers the places of this program.
    pub(crate) fn new() -> Self {
        let first = &raw const FIRST as usize;
        let mut places: HashMap<Place, u32> = HashMap::new();
        let mut number = |record: &'static Record| {
            let next = u32::try_from(places.len()).expect("fewer than 2^32 places");
            *places.entry(record.place()).or_insert(next)
        };
        let unknown = number(&UNKNOWN);
        let numbers = records().map(number).collect();
        Self { numbers, first, unknown, foreign: None }
    }

    /// Returns the number of the record's place.
    #[inline]
    pub(crate) fn site(&mut self, record: RecordPointer) -> Site {
        let index = (record as usize).wrapping_sub(self.first) / size_of::<Record>();
        match self.numbers.get(index) {
            Some(&number) => Site(number),
            None => self.no_site(record),
        }
    }

    /// Returns the number of the unknown place, and keeps the record, which is none of this program.
    #[cold]
    fn no_site(&mut self, record: RecordPointer) -> Site {
        self.foreign = self.foreign.or(Record::known(record));
        Site(self.unknown)
    }

    /// Returns a place in an instrumented shared library that was reached, and the library's name.
    pub(crate) fn shared_library(&self) -> Option<(Place, String)> {
        let record = self.foreign?;
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr fills in what it is passed, or returns 0.
        let known = unsafe { libc::dladdr(std::ptr::from_ref(record).cast(), found.as_mut_ptr()) } != 0;
        // SAFETY: the record is all zero, or filled in.
        let name = unsafe { found.assume_init() }.dli_fname;
        Some((record.place(), if known { Record::text(name).to_owned() } else { String::new() }))
    }
}

/// Returns a string that the program or the pass passes to a hook; empty if it is null.
pub(crate) fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the program or the pass passes a string that ends with a zero byte.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// Returns the site of the call that the program is making.
pub(crate) fn call_site() -> RecordPointer {
    // SAFETY: instrumented code wrote it on this OS thread just before it called.
    unsafe { CALL_SITE }
}

/// Sets the site of a call of the C library that the running thread makes without code of the program in between.
pub(crate) fn calls_from(site: RecordPointer) {
    // SAFETY: nothing else runs on this OS thread.
    unsafe { CALL_SITE = site };
}

#[unsafe(export_name = "__fh_call_site")]
static mut CALL_SITE: RecordPointer = std::ptr::null();

crate::abi::same_record!(fh_site, Record, file, function, expression, stack, object, offset, line, column, frames);
crate::abi::same_record!(fh_object, RecordObject, name, members, size, sort);
crate::abi::same_record!(fh_frame, RecordFrame, file, function, line, column, unused);
