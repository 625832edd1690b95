//! The program's memory, and which of it the program may access: living blocks of the heap, variables, living local
//! variables, and whatever is not known to be none of these. The check is made only for accesses that are not
//! [`Shadow::known`](crate::state::shadow::Shadow::known): memory that may not be accessed never is.

use std::ops::Range;

use engine::event::Thread;
use protocol::{FailureKind, Operation, Role, SiteUse};

use crate::process::{layout, sections};
use crate::state::access::WideAccess;
use crate::state::failure::{Failure, bytes, part, site_use};
use crate::state::globals::{Globals, Variable};
use crate::state::heap::{ArenaContent, Block, Heap};
use crate::state::locals::{Liveness, Local, Locals};
use crate::state::shadow::Shadow;
use crate::state::unwritten;

/// Describes a local variable to the user.
pub(crate) fn described(local: &Local) -> String {
    let (name, function) = (local.record.expression(), local.record.function());
    if name.is_empty() {
        format!("a local variable of `{function}`")
    } else {
        format!("the local variable `{name}` of `{function}`")
    }
}

/// Describes where some bytes lie from an object that they are not wholly within.
fn beside(accessed: &Range<usize>, object: &Range<usize>) -> String {
    if accessed.start >= object.end {
        match accessed.start - object.end {
            0 => "right after".to_owned(),
            distance => format!("{} after", bytes(distance)),
        }
    } else if accessed.end <= object.start {
        format!("{} before", bytes(object.start - accessed.start))
    } else if accessed.start < object.start {
        "across the beginning of".to_owned()
    } else {
        "across the end of".to_owned()
    }
}

/// The reason why an access is refused: the kind, the end of the sentence that says what is accessed, and who else
/// takes part.
pub(crate) struct RefusedAccess {
    pub(crate) kind: FailureKind,
    pub(crate) what: String,
    pub(crate) others: Vec<SiteUse>,
}

impl RefusedAccess {
    /// Makes the reason for an access to a freed block.
    fn freed(block: &Block) -> Self {
        let freed = block.freed.expect("a freed block was freed somewhere");
        let what = format!("in a block of {} that has been freed", bytes(block.size));
        let others = vec![
            part(Role::Freed, freed, Operation::Free),
            part(Role::Allocated, block.allocated, Operation::Allocate),
        ];
        Self { kind: FailureKind::UseAfterFree, what, others }
    }

    /// Makes the reason for an access beside a block, or to a heap without blocks.
    fn beside_block(accessed: &Range<usize>, block: Option<&Block>) -> Self {
        let Some(block) = block else {
            let what = "of the heap where nothing was allocated".to_owned();
            return Self { kind: FailureKind::OutOfBounds, what, others: Vec::new() };
        };
        let what = format!("{} a block of {}", beside(accessed, &block.bytes()), bytes(block.size));
        let others = vec![part(Role::Allocated, block.allocated, Operation::Allocate)];
        Self { kind: FailureKind::OutOfBounds, what, others }
    }

    /// Makes the reason for an access beside a variable.
    fn beside_variable(accessed: &Range<usize>, variable: &Variable) -> Self {
        let size = bytes(variable.bytes.len());
        let what = format!("{} the variable `{}` of {size}", beside(accessed, &variable.bytes), variable.name);
        Self { kind: FailureKind::OutOfBounds, what, others: Vec::new() }
    }

    /// Makes the reason for an access beside a living local variable, or to a dead one.
    fn local(accessed: &Range<usize>, local: &Local, thread: Thread, state: Liveness) -> Self {
        let variable = described(local);
        let others = vec![part(Role::Allocated, (thread, local.record), Operation::Declare)];
        match state {
            Liveness::Living => {
                let what = format!("{} {variable}", beside(accessed, &local.bytes));
                Self { kind: FailureKind::OutOfBounds, what, others }
            }
            Liveness::Dead => {
                let what = format!("in {variable}, which has returned");
                Self { kind: FailureKind::UseAfterFree, what, others }
            }
        }
    }
}

/// The program's memory: what lies where, and which locations it is divided into.
pub(crate) struct Memory {
    pub(crate) globals: Globals,
    pub(crate) heap: Heap,
    pub(crate) locals: Locals,
    pub(crate) shadow: Shadow,
}

impl Memory {
    /// Makes the memory of a program whose variables are now as they are before `main`.
    ///
    /// # Errors
    /// Returns the system's error if address space cannot be reserved.
    pub(crate) fn new(heap: Heap) -> std::io::Result<Self> {
        let shadow = Shadow::new(sections::image())?;
        Ok(Self { globals: Globals::save(), heap, locals: Locals::default(), shadow })
    }

    /// Restores memory as it was before `main`, for a new execution.
    pub(crate) fn begin(&mut self) {
        self.globals.restore();
        self.heap.reset(&mut self.shadow);
        self.locals.reset(&mut self.shadow);
        self.shadow.begin();
        unwritten::begin();
    }

    /// Returns the failure that the access is if the program may not access these bytes, and undoes what it wrote.
    #[cold]
    pub(crate) fn refuse(&self, thread: Thread, access: &WideAccess<'_>) -> Option<Failure> {
        let accessed = access.address..access.address + access.before.len();
        let refusal = self.refusal(&accessed)?;
        if access.kind.writes() {
            let before = access.before.as_ptr();
            // SAFETY: the access just wrote these bytes; nobody else has run since.
            unsafe { std::ptr::copy_nonoverlapping(before, access.address as *mut u8, access.before.len()) };
        }
        let operation = access.operation;
        let at = site_use(Role::At, thread, access.site, operation);
        let message = format!("{operation} of {} {}", bytes(accessed.len()), refusal.what);
        let sites = [vec![at], refusal.others].concat();
        Some(Failure::new(refusal.kind, message, sites))
    }

    /// Whether the program may not access these bytes, at least one.
    pub(crate) fn is_forbidden(&self, accessed: &Range<usize>) -> bool {
        self.refusal(accessed).is_some()
    }

    /// Returns the reason why the program may not access these bytes, if it may not.
    pub(crate) fn refusal(&self, accessed: &Range<usize>) -> Option<RefusedAccess> {
        if layout::is_heap(accessed.start) {
            return match self.heap.find(accessed) {
                ArenaContent::Living => None,
                ArenaContent::Freed(block) => Some(RefusedAccess::freed(&block)),
                ArenaContent::Beside(block) => Some(RefusedAccess::beside_block(accessed, block.as_ref())),
            };
        }
        if let Some(index) = layout::stack_of(accessed.start) {
            let thread = Thread::from_index(index);
            let (local, state) = self.locals.find(thread, accessed.start)?;
            let fine = state == Liveness::Living && accessed.end <= local.bytes.end;
            return (!fine).then(|| RefusedAccess::local(accessed, local, thread, state));
        }
        let variable = self.globals.beside(accessed)?;
        Some(RefusedAccess::beside_variable(accessed, variable))
    }

    /// Returns how many bytes from the address on belong to the same object; `None` if that is not known.
    pub(crate) fn left_of_object(&self, address: usize) -> Option<usize> {
        let end = if layout::is_heap(address) {
            self.heap.object(address)?.end
        } else if let Some(index) = layout::stack_of(address) {
            let (local, state) = self.locals.find(Thread::from_index(index), address)?;
            (state == Liveness::Living).then_some(local.bytes.end)?
        } else {
            self.globals.variable(address)?.bytes.end
        };
        Some(end - address)
    }

    /// Whether accesses to the address by the thread's instrumented code are events: it is in the heap, in a variable,
    /// on another thread's stack, or in a local variable that other threads may know of.
    pub(crate) fn is_watched(&self, thread: Thread, address: usize) -> bool {
        match layout::stack_of(address) {
            Some(index) if index == thread.index() => self.locals.find(thread, address).is_some(),
            Some(_) => true,
            None => layout::is_heap(address) || sections::is_variable(address),
        }
    }
}

/// The value that eight fresh bytes on stacks and in the heap hold.
pub(crate) const PATTERN: u64 = u64::from_ne_bytes([layout::PATTERN; 8]);

/// Reads `width` bytes, at most 8, on behalf of the program.
pub(crate) fn peek(address: usize, width: usize) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: this is the program's own access; a pointer that is not valid faults, as it would without the runtime.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), width) };
    u64::from_le_bytes(bytes)
}

/// Writes the `width` lowest bytes of a value, at most 8, on behalf of the program.
pub(crate) fn poke(address: usize, width: usize, value: u64) {
    let bytes = value.to_le_bytes();
    // SAFETY: as for `peek`; only the value that the program's own access finds is put there.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, width) };
}

/// Returns what these bytes hold before the program begins, given that they hold `now` if they are a variable's.
pub(crate) fn initial(address: usize, width: usize, now: u64) -> u64 {
    if is_fresh(address) { PATTERN & (u64::MAX >> (64 - 8 * width)) } else { now }
}

/// Whether an address is in the heap or on a stack, but in no thread-local variable.
pub(crate) fn is_fresh(address: usize) -> bool {
    let is_variable = |index| sections::tls_of(Thread::from_index(index)).contains(&address);
    layout::stack_of(address).is_some_and(|index| !is_variable(index)) || layout::is_heap(address)
}
