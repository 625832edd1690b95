//! The explorer `dpor` with something between it and the execution: a test that changes or measures what it is told says
//! only that, and everything else goes through.

use engine::event::{Object, Thread};
use engine::explore::slice::Leftover;
use engine::explore::trust::Trust;
use engine::explore::{Counts, Diverged, Finish, Halt, Need, Notice, Observer, Performed, Previous, Start, Strategy};
use engine::step::Step;
use engine::thread_set::ThreadSet;

/// What stands in between.
pub(crate) trait Between {
    fn begin(&mut self, explorer: &mut Trust) -> Option<Start> {
        explorer.begin()
    }

    fn performed(&mut self, explorer: &mut Trust, event: &Performed<'_>) {
        explorer.performed(event);
    }

    /// What an object is called by the explorer.
    fn object(&self, object: Object) -> Object {
        object
    }

    /// What a thread needs, by the explorer's names.
    fn need(&self, need: Need) -> Need {
        need
    }
}

/// The explorer behind it.
pub(crate) struct Behind<B> {
    pub(crate) between: B,
    pub(crate) explorer: Trust,
}

impl<B: Between> Observer for Behind<B> {
    fn observes(&self) -> bool {
        self.explorer.observes()
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.between.performed(&mut self.explorer, event);
    }

    fn notice(&mut self, notice: Notice) {
        self.explorer.notice(match notice {
            Notice::Blocked { thread, need } => Notice::Blocked { thread, need: self.between.need(need) },
            Notice::Becomes { object, state } => Notice::Becomes { object: self.between.object(object), state },
            other => other,
        });
    }
}

impl<B: Between> Strategy for Behind<B> {
    fn begin(&mut self) -> Option<Start> {
        self.between.begin(&mut self.explorer)
    }

    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt> {
        self.explorer.thread(event, previous, enabled)
    }

    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Halt> {
        self.explorer.undecided(event, only)
    }

    fn value(&mut self, event: u32, count: u64) -> Result<u64, Diverged> {
        self.explorer.value(event, count)
    }

    fn follows_left_block(&mut self, thread: Thread) -> bool {
        self.explorer.follows_left_block(thread)
    }

    fn judge(&mut self) -> Option<Counts> {
        self.explorer.judge()
    }

    fn omits(&self) -> engine::explore::Omitted {
        self.explorer.omits()
    }

    fn strayed(&mut self, steps: &[Step]) -> Option<u32> {
        self.explorer.strayed(steps)
    }

    fn finish(&mut self, finish: Finish) {
        self.explorer.finish(finish);
    }

    fn leave(&mut self, steps: &[Step]) -> Option<Leftover> {
        self.explorer.leave(steps)
    }
}
