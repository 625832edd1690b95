//! What programs do, as reports name it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use engine::event::Thread;
use serde::{Deserialize, Deserializer, Serialize};

/// Makes the type of operations, with a name for each.
macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident $(($of:ty))? = $name:literal,)*) => {
        /// What an event, or a place that takes part in a violation, does in the program's terms.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Operation {
            $($(#[$doc])* $operation $(($of))?,)*
            /// A call of a library function, of which no more is known than its name.
            Call(Function),
        }

        impl Operation {
            /// The name in reports and in JSON. An attempt that failed has that of the attempt.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$operation { .. } => $name,)*
                    Self::Call(function) => function.0,
                }
            }
        }
    };
}

operations! {
    /// A read of memory.
    Load = "load",
    /// A write of memory.
    Store = "store",
    /// A write that reads what it overwrites, in one step; so are those that follow.
    Exchange = "exchange",
    /// An addition.
    FetchAdd = "fetch-add",
    /// A subtraction.
    FetchSub = "fetch-sub",
    /// A bitwise and.
    FetchAnd = "fetch-and",
    /// The complement of a bitwise and.
    FetchNand = "fetch-nand",
    /// A bitwise or.
    FetchOr = "fetch-or",
    /// A bitwise exclusive or.
    FetchXor = "fetch-xor",
    /// The greater of two numbers.
    FetchMax = "fetch-max",
    /// The lesser of two numbers.
    FetchMin = "fetch-min",
    /// The negative of a number.
    Negate = "negate",
    /// An exchange, if the value read is the one expected.
    CompareExchange = "compare-exchange",
    /// A fence of all accesses.
    Fence = "fence",
    /// A fence of stores alone, in an event log.
    StoreBarrier = "store-barrier",
    /// A store of the thread reaches memory, in an event log.
    Commit = "commit",
    /// Taking a mutex or a spin lock.
    Lock = "lock",
    /// Taking a mutex or a spin lock without waiting.
    TryLock = "trylock",
    /// A try for a mutex or a spin lock that got nothing.
    TryLockFailed = "trylock",
    /// A try for a read lock that got nothing.
    TryReadLockFailed = "read-trylock",
    /// A try for a write lock that got nothing.
    TryWriteLockFailed = "write-trylock",
    /// A try for a semaphore that got nothing.
    SemaphoreTryWaitFailed = "semaphore-trywait",
    /// Releasing any lock.
    Unlock = "unlock",
    /// Taking a read-write lock together with other readers.
    ReadLock = "read-lock",
    /// Taking a read-write lock together with other readers, without waiting.
    TryReadLock = "read-trylock",
    /// Taking a read-write lock alone.
    WriteLock = "write-lock",
    /// Taking a read-write lock alone, without waiting.
    TryWriteLock = "write-trylock",
    /// Falling asleep on a condition variable or a futex.
    Wait = "wait",
    /// Going on after another thread has woken this one.
    WakeUp = "wake-up",
    /// Going on since the time is up.
    TimeOut = "time-out",
    /// Going on for no reason.
    SpuriousWakeUp = "spurious-wake-up",
    /// Waking one thread that sleeps on a condition variable.
    Signal = "signal",
    /// Waking all threads that sleep on a condition variable.
    Broadcast = "broadcast",
    /// Waking threads that sleep on a futex.
    FutexWake = "futex-wake",
    /// Taking one from a semaphore.
    SemaphoreWait = "semaphore-wait",
    /// Taking one from a semaphore without waiting.
    SemaphoreTryWait = "semaphore-trywait",
    /// Adding one to a semaphore.
    Post = "post",
    /// Looking at a semaphore.
    GetValue = "getvalue",
    /// Coming to a barrier.
    BarrierArrive = "barrier-arrive",
    /// Leaving a barrier.
    BarrierLeave = "barrier-leave",
    /// The last one to arrive lets the others go, in an execution graph.
    BarrierComplete = "barrier-complete",
    /// An object comes to life, in an execution graph.
    Initialise = "initialise",
    /// A number is chosen, in an execution graph.
    Choose = "choose",
    /// A block is freed; this and the next ones up to the beginning of an atomic block are events under the explorer dpor
    /// alone.
    Free = "free",
    /// A function's local variables come to their end.
    Leave = "leave",
    /// An object comes to its end, or is found to have no life.
    Destroy = "destroy",
    /// Something is used that all threads have in common; or a value that was never written.
    Use = "use",
    /// A thread ends the process.
    Exit = "exit",
    /// An atomic block begins.
    BeginBlock = "atomic-begin",
    /// A thread runs the function of a once, or finds that it was run.
    OnceEnter = "once-enter",
    /// The function of a once returns.
    OnceReturn = "once-return",
    /// A thread ends that holds a robust mutex.
    OwnerDies = "owner-dies",
    /// A request that this thread end.
    Cancel(Thread) = "cancel",
    /// A look whether this thread has been asked to end.
    TestCancel = "testcancel",
    /// A look whether this thread has ended.
    TryJoin(Thread) = "tryjoin",
    /// The beginning of a thread, in an execution graph.
    Begin = "begin",
    /// The end of a thread, in an execution graph.
    End = "end",
    /// The creation of this thread.
    Create(Thread) = "create",
    /// The wait for the end of this thread.
    Join(Thread) = "join",
    /// The beginning of a transaction.
    BeginTransaction = "begin",
    /// The end of a transaction.
    EndTransaction = "end",
    /// A block comes to be.
    Allocate = "allocate",
    /// A local variable comes to be.
    Declare = "declare",
    /// An assertion.
    Assert = "assert",
    /// An instruction that the machine cannot perform.
    Fault = "fault",
    /// `main` returns.
    Return = "return",
    /// A round of a loop.
    Loop = "loop",
    /// The condition of a litmus test.
    Condition = "condition",
    /// Something else than it was before.
    Other = "other event",
}

impl Operation {
    /// A call of the library function with this name.
    #[must_use]
    pub const fn call(function: &'static str) -> Self {
        Self::Call(Function(function))
    }

    /// Whether it only looks at an object that is no mutex, and leaves it as it is.
    #[must_use]
    pub const fn looks_only(self) -> bool {
        matches!(
            self,
            Self::TryReadLockFailed | Self::TryWriteLockFailed | Self::SemaphoreTryWaitFailed | Self::GetValue
        )
    }

    /// Whether it is an attempt that failed, which synchronises with nothing.
    #[must_use]
    pub const fn gets_nothing(self) -> bool {
        matches!(
            self,
            Self::TryLockFailed
                | Self::TryReadLockFailed
                | Self::TryWriteLockFailed
                | Self::SemaphoreTryWaitFailed
                | Self::TimeOut
                | Self::TryJoin(_)
        )
    }

    /// Whether it reads memory, and a loop may wait for what it reads.
    #[must_use]
    pub const fn reads_memory(self) -> bool {
        matches!(
            self,
            Self::Load
                | Self::Exchange
                | Self::FetchAdd
                | Self::FetchSub
                | Self::FetchAnd
                | Self::FetchNand
                | Self::FetchOr
                | Self::FetchXor
                | Self::FetchMax
                | Self::FetchMin
                | Self::CompareExchange
        )
    }
}

/// The name of a library function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Function(&'static str);

/// Names that were read, each kept once and for ever: there are not more of them than functions.
static READ: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl<'de> Deserialize<'de> for Function {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.get(name.as_str()).copied();
        let kept = known.unwrap_or_else(|| {
            let kept: &'static str = name.leak();
            read.insert(kept);
            kept
        });
        Ok(Self(kept))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use engine::event::Thread;

    use super::Operation;

    #[test]
    fn what_is_written_is_read_with_all_that_its_name_does_not_say() {
        let operations = [
            (Operation::TryLockFailed, "\"try-lock-failed\"", "trylock"),
            (Operation::TryLock, "\"try-lock\"", "trylock"),
            (Operation::Create(Thread(2)), "{\"create\":2}", "create"),
            (Operation::Free, "\"free\"", "free"),
            (Operation::call("free"), "{\"call\":\"free\"}", "free"),
        ];
        for (operation, text, name) in operations {
            assert_eq!(serde_json::to_string(&operation).unwrap(), text);
            assert_eq!(serde_json::from_str::<Operation>(text).unwrap(), operation);
            assert_eq!(operation.name(), name);
        }
        assert!(serde_json::from_str::<Operation>("\"frobnicate\"").is_err());
    }
}
