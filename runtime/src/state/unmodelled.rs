//! The operations that execution graphs do not model: a program that comes to one of them is refused by name, file and
//! line ([`crate::world::refuse`]). docs/limits.md has each row in these words, "Execution graphs of C programs", which
//! a test compares.

use std::fmt;

/// Something that a program does and execution graphs do not model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unmodelled<'a> {
    /// A call of this function.
    Call(&'a str),
    /// An expression, in the words of the pass.
    Expression(&'a str),
    /// An access to this number of bytes, more than 8, that nothing may divide.
    Indivisible(u64),
    AtomicBlock,
    /// Two accesses that share some of their bytes.
    MixedWidths,
    Unaligned,
    /// A fence in assembly, of a processor that the model does not know.
    OtherProcessor,
    /// A value that is put together from bytes that were loaded one by one, where dependencies order.
    DependenciesByByte,
    RobustMutex,
    MutexHeldOften,
    MutexOfOtherType,
    /// A static initialiser that a thread stores, and another one may or may not find.
    UnclearInitialiser,
    /// A `realloc` of another thread's block: the size of a block is known only where its thread is run.
    ForeignRealloc,
    /// A key with different destructors: a key has one number and one destructor in all executions.
    ChangingDestructor,
    /// The deletion of a key while there are other threads: only the thread that deletes it sees that.
    KeyAmongThreads,
    ForeignName,
    /// Memory that others access, or may access, while a function that nobody looks into does.
    Passed,
    /// An access by a function of the program that one of which nobody knows the accesses calls.
    CallBack,
    /// A step that only the scheduler can take.
    Step,
}

impl fmt::Display for Unmodelled<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match *self {
            Self::Call(words) | Self::Expression(words) => words,
            Self::Indivisible(bytes) => return write!(to, "an indivisible access of {bytes} bytes"),
            Self::AtomicBlock => "an atomic block",
            Self::MixedWidths => "memory accessed in pieces of different widths",
            Self::Unaligned => "an access across eight aligned bytes",
            Self::OtherProcessor => "a fence of a processor that the model does not have",
            Self::DependenciesByByte => "a value of whose bytes each depends on other loads",
            Self::RobustMutex => "a robust mutex",
            Self::MutexHeldOften => "a wait with a mutex that is held more than once",
            Self::MutexOfOtherType => {
                "a mutex that is initialised with another type than before (use another mutex)"
            }
            Self::UnclearInitialiser => {
                "a synchronisation object in whose memory a static initialiser is stored of which it is not clear that the \
                 operation finds it (use the object's init function, or a variable with static storage)"
            }
            Self::ForeignRealloc => "realloc of a block that another thread allocated",
            Self::ChangingDestructor => "a key with different destructors in different executions",
            Self::KeyAmongThreads => "pthread_key_delete while there are other threads",
            Self::ForeignName => "the name of another thread",
            Self::Passed => {
                "memory that others can see, passed to a function that is neither modelled nor instrumented"
            }
            Self::CallBack => {
                "an access during a call of a function that is neither modelled nor instrumented, and was passed memory"
            }
            Self::Step => "this operation",
        })
    }
}
