//! Source sites: the records that the pass puts into section `fh_sites`.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use crate::abi::number;
use crate::process::sources;
use engine::event::Site;
use protocol::{Frame, Place};

/// One record, `struct fh_site` of the hook ABI.
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

/// A local variable, or what a pointer to a struct or union points to: `struct fh_object` of the hook ABI.
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

/// What `sort` is of an object that is known by its type.
const OF_TYPE: u64 = number("FH_OBJECT_TYPE") as u64;

// SAFETY: records are constants of the program.
unsafe impl Sync for Record {}

/// A reference to a record; null is a place that is not known.
pub(crate) type RecordPointer = *const Record;

/// The place that is not known.
pub(crate) static UNKNOWN: Record = Record::NOWHERE;

impl Record {
    /// A record of no place.
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

    /// The record behind a hook's argument, if it is one.
    #[inline]
    pub(crate) fn known(pointer: RecordPointer) -> Option<&'static Self> {
        // SAFETY: the pass passes the address of a constant record, or null.
        unsafe { pointer.as_ref() }
    }

    /// The record behind a hook's argument.
    pub(crate) fn behind(pointer: RecordPointer) -> &'static Self {
        Self::known(pointer).unwrap_or(&UNKNOWN)
    }

    fn text(pointer: *const c_char) -> &'static str {
        if pointer.is_null() {
            return "";
        }
        // SAFETY: the pass makes these strings constants that end with a zero byte.
        unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
    }

    /// The place in the source.
    pub(crate) fn place(&self) -> Place {
        let stack = self.stack().iter().map(RecordFrame::frame).collect();
        Place { file: sources::path(Self::text(self.file)), line: self.line, column: self.column.into(), stack }
    }

    /// The calls through which it is reached, innermost first.
    fn stack(&self) -> &'static [RecordFrame] {
        if self.stack.is_null() {
            return &[];
        }
        // SAFETY: the pass makes `stack` the address of a constant array of `frames` elements, or null.
        unsafe { std::slice::from_raw_parts(self.stack, self.frames.into()) }
    }

    /// The function in whose source it stands.
    pub(crate) fn function(&self) -> &'static str {
        Self::text(self.function)
    }

    /// The variable accessed, or nothing.
    pub(crate) fn expression(&self) -> &'static str {
        Self::text(self.expression)
    }
}

impl Record {
    /// The object that is accessed there, and how many bytes into it, where the pass knows it.
    pub(crate) fn object(&self) -> Option<(&'static RecordObject, u64)> {
        // SAFETY: the pass makes `object` the address of a constant record, or null.
        unsafe { self.object.as_ref() }.map(|object| (object, self.offset))
    }
}

impl RecordObject {
    /// The name of the local variable, or of the type.
    pub(crate) fn name(&self) -> &'static str {
        Record::text(self.name)
    }

    /// Its members, as [`hook_abi::members`] has them.
    pub(crate) fn members(&self) -> &'static str {
        Record::text(self.members)
    }

    /// Its size in bytes.
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Whether it is known by the type of a pointer to it, and may be one of several.
    pub(crate) fn is_type(&self) -> bool {
        self.sort == OF_TYPE
    }
}

impl RecordFrame {
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

/// One record of our own, so that the section exists in a program that has no hook.
#[used]
#[unsafe(link_section = "fh_sites")]
static OWN: Record = Record::NOWHERE;

/// The records of this program.
pub(crate) fn records() -> impl Iterator<Item = &'static Record> {
    let (first, end) = (&raw const FIRST as usize, &raw const END as usize);
    (first..end).step_by(size_of::<Record>()).map(|address| Record::behind(address as RecordPointer))
}

/// Gives equal places equal numbers, the same in every process.
pub(crate) struct Sites {
    /// The number of each record's place, by its index in the section.
    numbers: Vec<u32>,
    first: usize,
    unknown: u32,
    /// A record that is none of this program, if there was one: a shared library is instrumented too.
    foreign: Option<&'static Record>,
}

impl Sites {
    /// The sites of this program.
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

    /// The number of the record's place.
    #[inline]
    pub(crate) fn site(&mut self, record: RecordPointer) -> Site {
        let index = (record as usize).wrapping_sub(self.first) / size_of::<Record>();
        match self.numbers.get(index) {
            Some(&number) => Site(number),
            None => self.no_site(record),
        }
    }

    #[cold]
    fn no_site(&mut self, record: RecordPointer) -> Site {
        self.foreign = self.foreign.or(Record::known(record));
        Site(self.unknown)
    }

    /// A place in an instrumented shared library that was come to, and the library's name.
    pub(crate) fn shared_library(&self) -> Option<(Place, String)> {
        let record = self.foreign?;
        let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr fills in what it is given, or returns 0.
        let known = unsafe { libc::dladdr(std::ptr::from_ref(record).cast(), found.as_mut_ptr()) } != 0;
        // SAFETY: all zero, or filled in.
        let name = unsafe { found.assume_init() }.dli_fname;
        Some((record.place(), if known { Record::text(name).to_owned() } else { String::new() }))
    }
}

/// A string constant of the program, or another one that it passes to a hook; empty if there is none.
pub(crate) fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: the program or the pass passes a string.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// The site of the call that the program is making.
pub(crate) fn call_site() -> RecordPointer {
    // SAFETY: written by instrumented code on this OS thread just before it called.
    unsafe { CALL_SITE }
}

/// The running thread calls a function of the C library at this place, without code of the program between.
pub(crate) fn calls_from(site: RecordPointer) {
    // SAFETY: nothing else runs on this OS thread.
    unsafe { CALL_SITE = site };
}

#[unsafe(export_name = "__fh_call_site")]
static mut CALL_SITE: RecordPointer = std::ptr::null();

crate::abi::same_record!(fh_site, Record, file, function, expression, stack, object, offset, line, column, frames);
crate::abi::same_record!(fh_object, RecordObject, name, members, size, sort);
crate::abi::same_record!(fh_frame, RecordFrame, file, function, line, column, unused);
