//! Operations: the actions of programs, by the names that reports give them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use engine::event::Thread;
use serde::{Deserialize, Deserializer, Serialize};

/// Defines the type of operations, with a name for each.
macro_rules! operations {
    ($($(#[$doc:meta])* $operation:ident $(($of:ty))? = $name:literal,)*) => {
        /// The action of an event, or of a place that takes part in a violation, in the program's terms.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Operation {
            $($(#[$doc])* $operation $(($of))?,)*
            /// A call of a library function of which only the name is known.
            Call(Function),
        }

        impl Operation {
            /// Returns the name in reports and in JSON. An attempt that failed has the name of the attempt.
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
    /// A write that reads what it overwrites, in one step.
    Exchange = "exchange",
    /// An addition to what memory holds, in one step.
    FetchAdd = "fetch-add",
    /// A subtraction from what memory holds, in one step.
    FetchSub = "fetch-sub",
    /// A bitwise and with what memory holds, in one step.
    FetchAnd = "fetch-and",
    /// The complement of a bitwise and with what memory holds, in one step.
    FetchNand = "fetch-nand",
    /// A bitwise or with what memory holds, in one step.
    FetchOr = "fetch-or",
    /// A bitwise exclusive or with what memory holds, in one step.
    FetchXor = "fetch-xor",
    /// A replacement of what memory holds by the greater of it and another number, in one step.
    FetchMax = "fetch-max",
    /// A replacement of what memory holds by the lesser of it and another number, in one step.
    FetchMin = "fetch-min",
    /// A replacement of what memory holds by its negative, in one step.
    Negate = "negate",
    /// An exchange, if the value read is the one expected, in one step.
    CompareExchange = "compare-exchange",
    /// A fence of all accesses.
    Fence = "fence",
    /// A fence of stores alone, in an event log.
    StoreBarrier = "store-barrier",
    /// The arrival of a store in memory: in an event log, and where the explorer `dpor` takes commits as events.
    Commit = "commit",
    /// Taking a mutex or a spin lock.
    Lock = "lock",
    /// Taking a mutex or a spin lock without waiting.
    TryLock = "trylock",
    /// A try for a mutex or a spin lock that failed.
    TryLockFailed = "trylock",
    /// A try for a read lock that failed.
    TryReadLockFailed = "read-trylock",
    /// A try for a write lock that failed.
    TryWriteLockFailed = "write-trylock",
    /// A try for a semaphore that failed.
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
    /// The return of a thread from its sleep after another thread has woken it.
    WakeUp = "wake-up",
    /// The return of a thread from its wait since the time is up.
    TimeOut = "time-out",
    /// The return of a thread from its sleep for no reason.
    SpuriousWakeUp = "spurious-wake-up",
    /// Waking one thread that sleeps on a condition variable.
    Signal = "signal",
    /// Waking all threads that sleep on a condition variable.
    Broadcast = "broadcast",
    /// The reading of a futex's word by a call that waits if it holds what is expected, in an execution graph.
    FutexWait = "futex-wait",
    /// A step of such a call at the queue of the futex, in an execution graph.
    FutexQueue = "futex-queue",
    /// Waking threads that sleep on a futex.
    FutexWake = "futex-wake",
    /// Taking one unit from a semaphore.
    SemaphoreWait = "semaphore-wait",
    /// Taking one unit from a semaphore without waiting.
    SemaphoreTryWait = "semaphore-trywait",
    /// Adding one unit to a semaphore.
    Post = "post",
    /// Reading the value of a semaphore.
    GetValue = "getvalue",
    /// The arrival of a thread at a barrier.
    BarrierArrive = "barrier-arrive",
    /// The departure of a thread from a barrier.
    BarrierLeave = "barrier-leave",
    /// The arrival of the last thread at a barrier, which lets the others go, in an execution graph.
    BarrierComplete = "barrier-complete",
    /// The initialisation of an object, in an execution graph.
    Initialise = "initialise",
    /// The choice of a number, in an execution graph.
    Choose = "choose",
    /// The release of a heap block. This and the operations up to the beginning of an atomic block are events under the
    /// explorer `dpor` alone.
    Free = "free",
    /// The end of a function's local variables.
    Leave = "leave",
    /// The destruction of an object, or the discovery that it was never initialised.
    Destroy = "destroy",
    /// The use of something that all threads share, or of a value that was never written.
    Use = "use",
    /// The end of the process by a thread.
    Exit = "exit",
    /// The beginning of an atomic block.
    BeginBlock = "atomic-begin",
    /// The entry of a thread into a once: it runs the function, or finds that it was run.
    OnceEnter = "once-enter",
    /// The return of the function of a once.
    OnceReturn = "once-return",
    /// The end of a thread that holds a robust mutex.
    OwnerDies = "owner-dies",
    /// The request that this thread be cancelled.
    Cancel(Thread) = "cancel",
    /// A test whether the thread itself has been asked to end.
    TestCancel = "testcancel",
    /// A test whether this thread has ended.
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
    /// The allocation of a heap block.
    Allocate = "allocate",
    /// The beginning of a local variable's life.
    Declare = "declare",
    /// An assertion.
    Assert = "assert",
    /// An instruction that the processor cannot execute.
    Fault = "fault",
    /// The return of `main`.
    Return = "return",
    /// A round of a loop.
    Loop = "loop",
    /// The condition of a litmus test.
    Condition = "condition",
    /// An event that the previous execution did not have at this point.
    Other = "other event",
}

impl Operation {
    /// Makes a call of the library function with this name.
    #[must_use]
    pub const fn call(function: &'static str) -> Self {
        Self::Call(Function(function))
    }

    /// Whether the operation only reads the state of an object that is not a mutex, and leaves it as it is.
    #[must_use]
    pub const fn looks_only(self) -> bool {
        matches!(
            self,
            Self::TryReadLockFailed | Self::TryWriteLockFailed | Self::SemaphoreTryWaitFailed | Self::GetValue
        )
    }

    /// Whether the operation is an attempt that failed, which synchronises with nothing.
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

    /// Whether the operation reads memory, so that a loop may wait for what it reads.
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

/// The names of functions that were read, each kept once and for ever: there are no more of them than functions.
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
