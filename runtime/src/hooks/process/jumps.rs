//! `setjmp` and `longjmp` within a thread. libc fills the buffer and jumps; the runtime only keeps which buffers can be
//! jumped to.

use std::ffi::{c_int, c_void};

use engine::event::Thread;

use crate::process::sites::RecordPointer;
use crate::run::{self, Runtime, stack_pointer, with};
use crate::state::jumps::JumpTarget;
use crate::state::objects::Call;
use crate::world::memory;

/// The reason why a jump is not made.
enum Wrong {
    Misuse(&'static str),
    Unsupported(&'static str),
}

/// Returns how many atomic blocks and transactions a thread is in, one within the other.
pub(crate) fn within(runtime: &mut Runtime, thread: Thread) -> (u32, u32) {
    let state = runtime.threads.at(thread);
    (state.block.depth(), state.transaction.map_or(0, |open| open.depth))
}

unsafe extern "C" {
    #[link_name = "longjmp"]
    fn jump(buffer: *mut c_void, value: c_int) -> !;
}

/// Notes that the calling function is about to call `setjmp`.
#[unsafe(no_mangle)]
extern "C" fn __fh_setjmp(buffer: *const c_void, saves_mask: u32, _site: RecordPointer) {
    with(|runtime| {
        runtime.has_effect();
        runtime.memory.globals.written_unseen();
        let thread = runtime.running;
        let (locals, within) = (runtime.memory.locals.depth(thread), within(runtime, thread));
        let blocked = (saves_mask != 0).then_some(runtime.threads.at(thread).blocked);
        let target = JumpTarget { thread, stack: stack_pointer(), locals, blocked, within };
        runtime.process.jumps.targets.insert(buffer as usize, target);
    });
}

#[unsafe(no_mangle)]
extern "C" fn __fh_longjmp(buffer: *mut c_void, value: c_int) -> ! {
    let call = Call::on("longjmp", buffer.cast_const());
    let allowed = with(|runtime| {
        runtime.has_effect();
        let Some(target) = runtime.process.jumps.targets.get(&(buffer as usize)).copied() else {
            return Err(Wrong::Unsupported("longjmp with a buffer that setjmp did not fill"));
        };
        let thread = runtime.running;
        if target.thread != thread {
            return Err(Wrong::Misuse("into another thread"));
        }
        if target.stack + HOOK < stack_pointer() {
            return Err(Wrong::Misuse("into a function that has returned"));
        }
        if within(runtime, thread) != target.within {
            return Err(Wrong::Unsupported("longjmp out of an atomic block or a transaction"));
        }
        if let Some(blocked) = target.blocked {
            runtime.threads.at(thread).blocked = blocked;
        }
        Ok(target.locals)
    });
    match allowed {
        Some(Err(Wrong::Unsupported(what))) => run::unsupported(what, call.site),
        Some(Err(Wrong::Misuse(what))) => run::misuse(call, what, None),
        Some(Ok(depth)) => memory::leave_frames(depth),
        None => {}
    }
    // SAFETY: the buffer leads into a function of this thread that has not returned; the frames between are the
    // program's, and hold nothing of the runtime's.
    unsafe { jump(buffer, value) }
}

/// The bytes of stack by which the hooks of `setjmp` and of `longjmp` may differ.
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

crate::abi::same_hooks!(__fh_setjmp);
