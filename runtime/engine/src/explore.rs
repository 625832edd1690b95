//! Explorers, which enumerate the executions of a program.
//!
//! A [`Strategy`] decides at each point where more than one thing can happen, and as an [`Observer`] is told what has
//! happened; everything else about an execution is [`crate::execution`]. One strategy is one file named after its method.

pub mod bounded;
pub mod census;
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

/// The beginning of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// The number of first events that are those of the execution before, if the program is deterministic; if it is larger than
    /// that execution is long, all of its events.
    pub shared: u32,
    /// The number of preemptions that the execution has; none where they are not bounded.
    pub preemptions: Option<u32>,
    /// Whether the execution counts, as far as that is known at its beginning: see [`crate::execution`], "What counts".
    pub counts: Counts,
    /// The rule by which executions of the search count.
    pub counting: Counting,
}

/// The rule by which executions of a search count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Of the executions that differ only in iterations of wait loops without effect, one counts.
    #[default]
    Representatives,
    /// Each execution counts, whatever its wait loops did. This is the rule where executions are drawn, since the one that stands
    /// for the others might not be drawn in a lifetime.
    EveryRun,
}

/// Whether an execution counts, or only repeats another one but for iterations of a wait loop without effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counts {
    /// The execution counts.
    #[default]
    Once,
    /// The execution does not count, since another one stands for it; the monitors watch it all the same.
    AsAnother,
    /// The execution does not count, since it needs more preemptions than the bound allows and was run on the way to others; the
    /// monitors watch it all the same.
    BeyondBound,
}

/// The thread that performed the last event, at a decision which thread goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Previous {
    /// The thread could go on: choosing another one is a preemption.
    Continues(Thread),
    /// The thread has ended, blocks, waits or yields: choosing another one is free.
    Stopped(Thread),
}

/// The end of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// The execution ran to its end.
    Done,
    /// The execution has to run once more with the same decisions.
    Again,
}

/// The error that the program did not offer an alternative that it offered before at the same point: it is not deterministic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diverged;

/// The reason why an execution does not go on as a strategy wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The program did not offer the alternative that it offered before.
    Diverged,
    /// The strategy ends the execution because what it tried is not possible, or because all that it wanted to see has been
    /// repeated. This says nothing against the program's determinism.
    Abandoned,
    /// A thread stands behind an iteration of a wait loop that had no effect, and was led there by what the strategy tried:
    /// other executions, without that iteration, stand for all that could follow.
    Blocked,
}

/// Which iterations of wait loops without effect an explorer of classes goes on behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Rounds {
    /// All of them.
    #[default]
    All,
    /// Those alone that change something in passing; the others are taken back.
    Passing,
}

impl From<Diverged> for Halt {
    fn from(Diverged: Diverged) -> Self {
        Self::Diverged
    }
}

/// The values that an event read and wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// The values are not known.
    Unknown,
    /// The event's location held one value before and holds the same or another one now.
    Known {
        /// The value before the event.
        before: u64,
        /// The value after the event.
        after: u64,
        /// The value that a compare-and-swap expects, without which it does not write; none for other events.
        expected: Option<u64>,
    },
}

/// The effect of an operation on an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The object.
    pub object: Object,
    /// What the object's state meant to the threads that wait for it, before the operation and after; none if that takes more
    /// than 64 bits.
    pub states: Option<(u64, u64)>,
    /// The operations that see this one.
    pub effect: Effect,
}

/// The operations on an object that see an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// All other operations see it.
    Seen,
    /// The operations that are seen see it; those that are unseen as well do not.
    Unseen,
    /// All other operations see it, but no thread waits for it.
    Aside,
}

/// What a thread waited for, or waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// The thing that the thread wants.
    pub wish: Wish,
    /// The condition on which the thread stops waiting.
    pub until: Until,
}

/// An event that has been performed. A fence that touches something stands for whatever else concerns other threads, as `free`
/// does: whoever touches the same does it before or after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Performed<'a> {
    /// The thread that performed the event.
    pub thread: Thread,
    /// The operation that was performed.
    pub kind: Kind,
    /// The locations that it touched, in an order that does not depend on their numbers.
    pub locations: &'a [Location],
    /// The values that it read and wrote.
    pub values: Values,
    /// The objects that it operated on.
    pub objects: &'a [Touched],
    /// What its thread waited for, if it could not have been performed at any time.
    pub need: Option<Need>,
    /// It may be the first one of an iteration of a wait loop.
    pub begins_round: bool,
}

/// The place of a thread that waits for something to be different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The thread stands in a wait loop, before another iteration like the last one.
    InALoop,
    /// The thread stands before a wait with a limit, which would run out as the last one did.
    BeforeALimitedWait,
}

/// A thing that happens in an execution and is no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The thread that was chosen to perform the event with this index, and had performed the one before it, went through
    /// an iteration of a wait loop that had no effect, with no event of others in between. Every strategy is told of
    /// this, also one that does not observe.
    Waited {
        /// The first event of the iteration.
        event: u32,
    },
    /// The thread waits until something that this iteration read is different; if the iteration had no events, there is none.
    Waits {
        /// The thread that waits.
        thread: Thread,
        /// The iteration after which it waits.
        iteration: Option<Iteration>,
        /// The place where it waits.
        standing: Standing,
    },
    /// The thread that performs the next event had yielded before it.
    Yielded,
    /// What the thread performs from here on is one block: nothing of another thread comes in between, and each of its events
    /// [goes on](crate::execution::Execution::goes_on) after the one before. Its first event operates on an object that all
    /// blocks have in common.
    BlockOpens(Thread),
    /// The block is over.
    BlockCloses,
    /// The running thread stops in the middle of its block, and others go on.
    BlockLeft,
    /// No thread can go on, and this one waits for something.
    Blocked {
        /// The thread that waits.
        thread: Thread,
        /// The thing that it waits for.
        need: Need,
    },
    /// The location begins at this address, which is the same in every process of a search. This notice comes for each location
    /// of an event that touches several locations, or may do so in another process, before the event.
    Lies {
        /// The location.
        location: Location,
        /// The address at which the location begins.
        address: u64,
    },
    /// The thread's next event comes after this one of the execution, whatever the two touch.
    After {
        /// The thread whose event it is.
        thread: Thread,
        /// The index of the earlier event.
        event: u32,
    },
    /// The thread goes on behind an iteration of a wait loop that it has undone, since this event of the execution saw what it
    /// changed: it would wait otherwise.
    Seen {
        /// The thread that goes on.
        thread: Thread,
        /// The index of the event.
        event: u32,
    },
    /// The state of the object became this to the threads that wait for it: after the last event, and as a part of it.
    Becomes {
        /// The object.
        object: Object,
        /// What the state means now; none if that takes more than 64 bits.
        state: Option<u64>,
    },
}

/// A listener that is told what happens in an execution.
pub trait Observer {
    /// Whether the observer wants to be told; if not, it is told of [`Notice::Waited`] alone.
    fn observes(&self) -> bool {
        false
    }

    /// Notes that an event has been performed.
    fn performed(&mut self, _event: &Performed<'_>) {}

    /// Notes something else that has happened.
    fn notice(&mut self, _notice: Notice) {}
}

/// An explorer's way of deciding what happens at each point of each execution.
pub trait Strategy: Observer {
    /// Starts the next execution; none if all are done.
    fn begin(&mut self) -> Option<Start>;

    /// Returns the thread that performs the event with this index. `enabled` are the threads that can go on, without the previous
    /// one if it continues; there are at least two alternatives.
    ///
    /// # Errors
    /// [`Halt`], if the execution does not go on as the strategy wanted.
    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt>;

    /// Checks that the strategy has nothing to decide before the event with this index, where only this thread can go on, or
    /// none.
    ///
    /// # Errors
    /// [`Halt`], if something was decided here before, or is still to be decided.
    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Halt>;

    /// Returns the value below `count` (at least 2) that the program gets before the event with this index.
    ///
    /// # Errors
    /// [`Diverged`], if the program did not offer this choice before.
    fn value(&mut self, event: u32, count: u64) -> Result<u64, Diverged>;

    /// Returns whether the execution counts, if the strategy has an opinion. Called when no thread can go on.
    fn judge(&mut self) -> Option<Counts> {
        None
    }

    /// Whether what this thread has done depends on a block that another one has left in its middle.
    fn follows_left_block(&mut self, _thread: Thread) -> bool {
        false
    }

    /// Returns how many events the execution was to repeat, if it did not repeat them, as far as [`Start::shared`] does not cover
    /// them. Called at the end of the execution, of which `steps` are the events.
    fn strayed(&mut self, _steps: &[Step]) -> Option<u32> {
        None
    }

    /// Ends the execution.
    fn finish(&mut self, finish: Finish);

    /// Ends the search between two executions, and returns what is still to be run, which includes an execution that has to run
    /// once more. `steps` are the events of the last execution. Returns none if the explorer cannot hand that out: then it has
    /// not ended, and can go on.
    fn leave(&mut self, _steps: &[Step]) -> Option<Leftover> {
        None
    }

    /// Returns the logarithm of how many classes the execution stands for, which was drawn and has ended; none if the strategy does
    /// not estimate their number.
    fn stands_for(&self) -> Option<f64> {
        None
    }

    /// Returns how many bytes the strategy keeps of what is still to be run.
    fn kept(&self) -> u64 {
        0
    }

    /// Returns what the strategy leaves out of what it was to run.
    fn omits(&self) -> Omitted {
        Omitted::default()
    }
}

/// What a strategy leaves out of what it was to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Omitted {
    /// The thing that the strategy would have to take into account and does not, so that its search is not complete.
    pub lacks: Option<&'static str>,
    /// Whether the strategy has come to something that is beyond its bound on preemptions; false where it does not know.
    pub beyond_bound: bool,
}

/// Returns the alternative with the number `choice` at a decision. Alternatives are tried in this order: the previous thread
/// first if it can go on, and the others by their number; or, where it stopped, the others from the next number round to itself.
/// `enabled` is as in [`Strategy::thread`].
///
/// # Errors
/// [`Diverged`], if there are not so many alternatives.
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
