//! `setjmp` and `longjmp` within a thread. libc fills the buffer and jumps; here is only kept which buffers can be
//! jumped to.

use std::ffi::{c_int, c_void};

use engine::event::Thread;
use rustc_hash::FxHashMap;

use crate::objects::Call;
use crate::process;
use crate::runtime::{stack_pointer, with};
use crate::sites::RecordPointer;

/// Where a buffer leads to.
#[derive(Clone, Copy)]
struct Target {
    thread: Thread,
    /// The stack pointer of the function that called `setjmp`, or a little less.
    stack: usize,
    /// How many local variables that others may know of the thread had.
    locals: usize,
}

/// The buffers that were filled in this execution, by address.
#[derive(Default)]
pub(crate) struct Jumps {
    targets: FxHashMap<usize, Target>,
}

impl Jumps {
    /// Forgets all buffers.
    pub(crate) fn reset(&mut self) {
        self.targets.clear();
    }
}

unsafe extern "C" {
    #[link_name = "longjmp"]
    fn jump(buffer: *mut c_void, value: c_int) -> !;
}

/// Before a call of `setjmp`, in the same function.
#[unsafe(no_mangle)]
extern "C" fn __fh_setjmp(buffer: *const c_void, _site: RecordPointer) {
    with(|runtime| {
        runtime.has_effect();
        runtime.globals.written_unseen();
        let thread = runtime.running;
        let target = Target { thread, stack: stack_pointer(), locals: runtime.locals.depth(thread) };
        runtime.jumps.targets.insert(buffer as usize, target);
    });
}

#[unsafe(no_mangle)]
extern "C" fn __fh_longjmp(buffer: *mut c_void, value: c_int) -> ! {
    let call = Call::on("longjmp", buffer.cast_const());
    let allowed = with(|runtime| {
        runtime.has_effect();
        let target = runtime.jumps.targets.get(&(buffer as usize)).copied()?;
        let thread = runtime.running;
        if target.thread != thread {
            return Some(Err("into another thread"));
        }
        if target.stack + HOOK < stack_pointer() {
            return Some(Err("into a function that has returned"));
        }
        runtime.locals.leave(thread, target.locals, &mut runtime.shadow);
        runtime.tell_hidden();
        Some(Ok(()))
    });
    match allowed {
        Some(None) => process::unsupported("longjmp with a buffer that setjmp did not fill", call.site),
        Some(Some(Err(what))) => call.misuse(what, None),
        // SAFETY: the buffer leads into a function of this thread that has not returned; the frames between are the
        // program's, and hold nothing of ours.
        None | Some(Some(Ok(()))) => unsafe { jump(buffer, value) },
    }
}

/// Bytes of stack by which the hooks of `setjmp` and of `longjmp` may differ.
const HOOK: usize = 256;

#[unsafe(no_mangle)]
extern "C" fn __fh__longjmp(buffer: *mut c_void, value: c_int) -> ! {
    __fh_longjmp(buffer, value)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_siglongjmp(buffer: *mut c_void, value: c_int) -> ! {
    __fh_longjmp(buffer, value)
}

#[unsafe(no_mangle)]
extern "C" fn __fh___longjmp_chk(buffer: *mut c_void, value: c_int) -> ! {
    __fh_longjmp(buffer, value)
}
