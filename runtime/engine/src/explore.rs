//! Explorers: how the executions of a program are enumerated.
//!
//! A [`Strategy`] decides at each point where more than one thing can happen, and as an [`Observer`] is told what has
//! happened; everything else about an execution is [`crate::execution`]. One strategy is one file named after its method.

pub mod bounded;
pub mod estimate;
mod frontier;
mod generator;
mod packed;
pub mod pct;
pub mod random;
pub mod replay;
pub mod rsmc;
pub mod sampler;
pub mod slice;
pub mod trust;
pub mod urw;

pub use packed::Corrupt;

use crate::event::{Kind, Location, Object, Thread};
use crate::explore::slice::Leftover;
use crate::step::{Iteration, Step};
use crate::sync::machine::{Until, Wish};
use crate::thread_set::ThreadSet;

/// How an execution begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// The first so many events are those of the execution before, if the program is deterministic.
    /// Larger than that execution is long: all of them.
    pub shared: u32,
    /// How many preemptions it has; none where they are not bounded.
    pub preemptions: Option<u32>,
    /// Whether it counts, as far as that is known at its beginning: see [`crate::execution`], "What counts".
    pub counts: Counts,
    /// Which executions count.
    pub counting: Counting,
}

/// Which executions of a search count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Of those that differ only in iterations of wait loops without effect, one.
    #[default]
    Representatives,
    /// Each one, whatever its wait loops did: so it is where executions are drawn, since the one that stands for the others
    /// might not be drawn in a lifetime.
    EveryRun,
}

/// Whether an execution counts, or only repeats another one but for iterations of a wait loop without effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counts {
    /// It counts.
    #[default]
    Once,
    /// Another execution stands for it; the monitors watch it all the same.
    AsAnother,
    /// It needs more preemptions than the bound allows, and was run on the way to others; the monitors watch it all the same.
    BeyondBound,
}

/// The thread that performed the last event, at a decision who goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Previous {
    /// It could go on: choosing another thread is a preemption.
    Continues(Thread),
    /// It has ended, blocks, waits or yields: choosing another thread is free.
    Stopped(Thread),
}

/// What became of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// It ran to its end.
    Done,
    /// It has to run once more with the same decisions.
    Again,
}

/// The program did not offer the alternative that it offered before, at the same point: it is not deterministic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diverged;

/// Why an execution does not go on as a strategy wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The program did not offer the alternative that it offered before.
    Diverged,
    /// The strategy ends the execution because what it tried is not possible, or because all that it wanted to see has been
    /// repeated, and not because the program is not deterministic.
    Abandoned,
}

impl From<Diverged> for Halt {
    fn from(Diverged: Diverged) -> Self {
        Self::Diverged
    }
}

/// What an event read and wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// It is not known.
    Unknown,
    /// Its location held one value before and another one now, or the same.
    Known {
        /// Before.
        before: u64,
        /// Now.
        after: u64,
        /// Of a compare-and-swap: what it writes only over.
        expected: Option<u64>,
    },
}

/// What an operation did to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The object.
    pub object: Object,
    /// What its state meant to those who wait for it, before and now; none if that takes more than 64 bits.
    pub states: Option<(u64, u64)>,
    /// Who sees it.
    pub effect: Effect,
}

/// Whether operations on an object see each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// All others.
    Seen,
    /// Those that are seen; not those that are unseen as well.
    Unseen,
    /// All others, but nobody waits for it.
    Aside,
}

/// What a thread waited for, or waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// What it wants.
    pub wish: Wish,
    /// How long it waits for that.
    pub until: Until,
}

/// An event that has been performed. A fence that touches something stands for whatever else concerns others, as `free`
/// does: whoever touches that does it before or after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Performed<'a> {
    /// Who.
    pub thread: Thread,
    /// What.
    pub kind: Kind,
    /// What it touched, in an order that does not depend on the numbers.
    pub locations: &'a [Location],
    /// What it read and wrote.
    pub values: Values,
    /// The objects that it operated on.
    pub objects: &'a [Touched],
    /// What its thread waited for, if it could not be performed at any time.
    pub need: Option<Need>,
}

/// Where a thread stands that waits for something to be different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// In a wait loop, before another iteration like the last one.
    InALoop,
    /// Before a wait with a limit, which would run out as the last one did.
    BeforeALimitedWait,
}

/// Something that happens in an execution and is no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The thread that was chosen to perform the event with this index, and had performed the one before it, went through
    /// an iteration of a wait loop that had no effect, with no event of others in between. Every strategy is told of
    /// this, also one that does not observe.
    Waited {
        /// The first event of the iteration.
        event: u32,
    },
    /// The thread waits until something that this iteration read, if it had events, is different.
    Waits {
        /// Who.
        thread: Thread,
        /// What it waits after.
        iteration: Option<Iteration>,
        /// Where.
        standing: Standing,
    },
    /// The thread that performs the next event had yielded before it.
    Yielded,
    /// What the thread performs from here on is one block: nothing of another thread comes in between, and each of its events
    /// [goes on](crate::execution::Execution::goes_on) after the one before. Its first event operates on an object that
    /// all blocks have in common.
    BlockOpens(Thread),
    /// The block is over.
    BlockCloses,
    /// The running thread stops in the middle of its block, and others go on.
    BlockLeft,
    /// Nobody can go on, and this thread waits for that.
    Blocked {
        /// Who.
        thread: Thread,
        /// For what.
        need: Need,
    },
    /// The location begins at this address, which is the same in every process of a search. Said of each location that an
    /// event is about to touch that touches several, or may do so in another process.
    Lies {
        /// The location.
        location: Location,
        /// Its address.
        address: u64,
    },
    /// After the last event, as a part of it, the state of the object became this to those who wait.
    Becomes {
        /// The object.
        object: Object,
        /// What its state means now; none if that takes more than 64 bits.
        state: Option<u64>,
    },
}

/// Is told what happens in an execution.
pub trait Observer {
    /// Whether it wants to be told: if not, it is told of [`Notice::Waited`] alone.
    fn observes(&self) -> bool {
        false
    }

    /// An event has been performed.
    fn performed(&mut self, _event: &Performed<'_>) {}

    /// Something else has happened.
    fn notice(&mut self, _notice: Notice) {}
}

/// Decides, for each point of each execution, what happens.
pub trait Strategy: Observer {
    /// Starts the next execution; none if all are done.
    fn begin(&mut self) -> Option<Start>;

    /// Who performs the event with this index? `enabled` are the threads that can go on, without the previous one if
    /// it continues; there are at least two alternatives.
    ///
    /// # Errors
    /// [`Halt`].
    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt>;

    /// Nothing is to be decided before the event with this index: only this thread can go on, or nobody.
    ///
    /// # Errors
    /// [`Halt`]: something was decided here before, or is still to be decided.
    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Halt>;

    /// Which of the values below `count` (at least 2) does the program get, before the event with this index?
    ///
    /// # Errors
    /// [`Diverged`].
    fn value(&mut self, event: u32, count: u64) -> Result<u64, Diverged>;

    /// Nobody can go on. Whether the execution counts, if the strategy has an opinion.
    fn judge(&mut self) -> Option<Counts> {
        None
    }

    /// Whether what this thread has done depends on a block that another one has left in its middle.
    fn follows_left_block(&mut self, _thread: Thread) -> bool {
        false
    }

    /// Whether the execution that has come to its end, of which these are the events, did not repeat those that it was
    /// to repeat, as far as [`Start::shared`] does not cover them: how many those are.
    fn strayed(&mut self, _steps: &[Step]) -> Option<u32> {
        None
    }

    /// Ends the execution.
    fn finish(&mut self, finish: Finish);

    /// Ends the search between two executions: what is still to be run. `steps` are the events of the last execution. An
    /// execution that has to run once more is still to be run. None if the explorer cannot hand that out: then it has
    /// not ended, and can go on.
    fn leave(&mut self, _steps: &[Step]) -> Option<Leftover> {
        None
    }

    /// Returns how many bytes it keeps of what is still to be run.
    fn kept(&self) -> u64 {
        0
    }

    /// Returns what it leaves out of what it was to run.
    fn omits(&self) -> Omitted {
        Omitted::default()
    }
}

/// What a strategy leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Omitted {
    /// What it would have to take into account and does not, so that its search would not be complete.
    pub lacks: Option<&'static str>,
    /// Whether it has come to something that is beyond its bound on preemptions; where it does not know, no.
    pub beyond_bound: bool,
}

/// Returns the alternatives at a decision, in the order in which they are tried: the previous thread first if it can go on, the
/// others by their number; or, where it stopped, the others from the next number round to itself. `enabled` is as in
/// [`Strategy::thread`].
///
/// # Errors
/// [`Diverged`] if there are not so many.
#[inline(never)]
pub fn alternative(choice: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Diverged> {
    let thread = match previous {
        Previous::Continues(thread) => match choice.checked_sub(1) {
            None => Some(thread),
            Some(other) => enabled.nth(other),
        },
        Previous::Stopped(_) if choice >= enabled.len() => None,
        Previous::Stopped(thread) => (0..=choice).try_fold(thread, |at, _| enabled.next_round(at)),
    };
    thread.ok_or(Diverged)
}
