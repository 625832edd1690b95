//! The explorer `dpor` with something between it and the execution: a test that changes or measures what it is told says
//! only that, and everything else goes through.

use engine::event::{Location, Object, Thread};
use engine::execution::{Iteration, Step};
use engine::explore::slice::Leftover;
use engine::explore::trust::Trust;
use engine::explore::{Counts, Diverged, Finish, Need, Performed, Previous, Standing, Start, Strategy};
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

impl<B: Between> Strategy for Behind<B> {
    fn begin(&mut self) -> Option<Start> {
        self.between.begin(&mut self.explorer)
    }

    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Diverged> {
        self.explorer.thread(event, previous, enabled)
    }

    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Diverged> {
        self.explorer.undecided(event, only)
    }

    fn value(&mut self, event: u32, count: u64) -> Result<u64, Diverged> {
        self.explorer.value(event, count)
    }

    fn waited(&mut self, event: u32) {
        self.explorer.waited(event);
    }

    fn observes(&self) -> bool {
        self.explorer.observes()
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.between.performed(&mut self.explorer, event);
    }

    fn yielded(&mut self) {
        self.explorer.yielded();
    }

    fn opens_block(&mut self, thread: Thread) {
        self.explorer.opens_block(thread);
    }

    fn closes_block(&mut self) {
        self.explorer.closes_block();
    }

    fn leaves_block(&mut self) {
        self.explorer.leaves_block();
    }

    fn follows_left_block(&mut self, thread: Thread) -> bool {
        self.explorer.follows_left_block(thread)
    }

    fn blocked(&mut self, thread: Thread, need: Need) {
        self.explorer.blocked(thread, self.between.need(need));
    }

    fn lies(&mut self, location: Location, address: u64) {
        self.explorer.lies(location, address);
    }

    fn becomes(&mut self, object: Object, state: Option<u64>) {
        self.explorer.becomes(self.between.object(object), state);
    }

    fn waits(&mut self, thread: Thread, iteration: Option<Iteration>, standing: Standing) {
        self.explorer.waits(thread, iteration, standing);
    }

    fn judge(&mut self) -> Option<Counts> {
        self.explorer.judge()
    }

    fn abandons(&self) -> bool {
        self.explorer.abandons()
    }

    fn lacks(&self) -> Option<&'static str> {
        self.explorer.lacks()
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
