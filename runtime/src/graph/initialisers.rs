//! How synchronisation objects come to be in execution graphs: by their `init` function, or by a static initialiser that
//! the program stores. Each thread is run alone, and memory holds what it held before the program began: so what a thread
//! has stored to the bytes of an object is kept here, and counts for the threads that it creates afterwards. Where it is
//! not clear which initialiser an operation finds, that is refused.

use engine::event::Thread;
use rustc_hash::FxHashMap;

use super::{Graph, is_fresh, peek};
use crate::schedule::mutexes::{Kind, static_type};
use crate::schedule::objects::Class;

const OTHER_TYPE: &str = "a mutex that is initialised with another type than before (use another mutex)";
const UNCLEAR: &str = "a synchronisation object in whose memory a static initialiser is stored of which it is not clear \
                       that the operation finds it (use the object's init function, or a variable with static storage)";

/// What has been stored to a byte, in all runs of threads.
#[derive(Clone, Copy)]
struct Stored {
    value: u8,
    /// By one thread, and no other value.
    is_one: bool,
    thread: Thread,
    /// So many threads had it created when it first stored it.
    created: u32,
    /// The last run that stored it.
    run: u64,
    /// Some run has stored it more than once.
    again: bool,
}

/// Who made the object in eight aligned bytes by its `init` function.
#[derive(Clone, Copy)]
struct Made {
    thread: Thread,
    run: u64,
    /// They were stored to afterwards.
    stored: bool,
}

/// What is known of how objects came to be.
#[derive(Default)]
pub(super) struct Initialisers {
    /// By eight aligned bytes.
    stored: FxHashMap<usize, [Option<Stored>; 8]>,
    made: FxHashMap<usize, Made>,
    /// The types of the mutexes that `pthread_mutex_init` made.
    mutexes: FxHashMap<usize, Kind>,
    /// The bytes that operations have found in objects that no `init` function made; none where nobody had stored any.
    found: FxHashMap<usize, Option<Vec<u8>>>,
    runs: u64,
}

fn granules(address: usize, size: usize) -> impl Iterator<Item = usize> {
    (address & !7..address + size).step_by(8)
}

impl Initialisers {
    pub(super) const fn begin_run(&mut self) {
        self.runs += 1;
    }

    /// A thread that has created so many others stores a value to bytes that lie in eight aligned ones.
    pub(super) fn store(&mut self, (thread, created): (Thread, u32), address: usize, width: usize, value: u64) {
        let run = self.runs;
        let granule = self.stored.entry(address & !7).or_default();
        for (stored, value) in granule[address & 7..].iter_mut().zip(value.to_le_bytes()).take(width) {
            *stored = Some(match *stored {
                None => Stored { value, is_one: true, thread, created, run, again: false },
                Some(stored) => Stored {
                    is_one: stored.is_one && (stored.thread, stored.value) == (thread, value),
                    again: stored.again || stored.run == run,
                    run,
                    ..stored
                },
            });
        }
        if let Some(made) = self.made.get_mut(&(address & !7)) {
            made.stored |= made.thread != thread || made.run == run;
        }
    }

    fn stored(&self, address: usize) -> Option<&Stored> {
        self.stored.get(&(address & !7))?[address & 7].as_ref()
    }

    /// An object comes to life by its `init` function.
    fn make(&mut self, thread: Thread, address: usize, class: Class) {
        let made = Made { thread, run: self.runs, stored: false };
        self.made.extend(granules(address, class.size()).map(|granule| (granule, made)));
    }

    /// Whether something may have been stored over a whole object since an `init` function made it.
    fn is_overwritten(&self, address: usize, class: Class) -> bool {
        granules(address, class.size()).all(|granule| self.made.get(&granule).is_some_and(|made| made.stored))
    }
}

impl Graph {
    /// Notes that the running thread stores a value to memory.
    pub(super) fn note_store(&mut self, address: usize, width: usize, value: u64) {
        let doer = (self.run.thread, self.run.created);
        self.initialisers.store(doer, address, width, value);
    }

    /// An object comes to life by its `init` function, which gives it this type if it is a mutex.
    ///
    /// # Errors
    ///
    /// What cannot be told: a mutex that has or had another type.
    pub(crate) fn makes(&mut self, address: usize, class: Class, kind: Option<Kind>) -> Result<(), &'static str> {
        self.initialisers.make(self.run.thread, address, class);
        let Some(kind) = kind else { return Ok(()) };
        let found = self.initialisers.found.get(&address);
        let was_other = found.is_some_and(|bytes| type_in(bytes.as_deref()) != Some(kind));
        if was_other || *self.initialisers.mutexes.entry(address).or_insert(kind) != kind {
            return Err(OTHER_TYPE);
        }
        Ok(())
    }

    /// The type of a mutex; none if nothing has initialised it.
    ///
    /// # Errors
    ///
    /// What cannot be told: its initialiser is not clear.
    pub(super) fn type_of(&mut self, mutex: usize) -> Result<Option<Kind>, &'static str> {
        match self.initialisers.mutexes.get(&mutex) {
            Some(_) if self.initialisers.is_overwritten(mutex, Class::Mutex) => Err(UNCLEAR),
            Some(&kind) => Ok(Some(kind)),
            None => Ok(type_in(self.initialiser(mutex, Class::Mutex)?.as_deref())),
        }
    }

    /// Whether nothing has been stored over an object that lives.
    ///
    /// # Errors
    ///
    /// What cannot be told: which of several initialisers counts.
    pub(super) fn keeps_state(&self, address: usize, class: Class) -> Result<(), &'static str> {
        let again = |byte| self.initialisers.stored(byte).is_some_and(|stored| stored.again);
        let is_stored_again = class == Class::Once && (address..address + class.size()).any(again);
        if is_stored_again || self.initialisers.is_overwritten(address, class) { Err(UNCLEAR) } else { Ok(()) }
    }

    /// The bytes of an object that no `init` function made, as the running thread finds them; none if nothing has been
    /// stored to fresh memory.
    ///
    /// # Errors
    ///
    /// What cannot be told: an initialiser that may not be what the thread finds.
    pub(super) fn initialiser(&mut self, address: usize, class: Class) -> Result<Option<Vec<u8>>, &'static str> {
        let bytes = self.bytes(address, class.size())?;
        let known = self.initialisers.found.entry(address).or_insert_with(|| bytes.clone());
        if *known == bytes { Ok(bytes) } else { Err(UNCLEAR) }
    }

    fn bytes(&self, address: usize, size: usize) -> Result<Option<Vec<u8>>, &'static str> {
        let stored = |at| self.initialisers.stored(at);
        let object = address..address + size;
        let count = object.clone().filter(|&at| stored(at).is_some()).count();
        if count == 0 && is_fresh(address) {
            return Ok(None);
        }
        if count > 0 && count < size && is_fresh(address) {
            return Err(UNCLEAR);
        }
        let byte = |at: usize| match stored(at) {
            None => Ok(peek(at, 1).to_le_bytes()[0]),
            Some(stored) if self.finds(stored) => Ok(stored.value),
            Some(_) => Err(UNCLEAR),
        };
        object.map(byte).collect::<Result<Vec<u8>, _>>().map(Some)
    }

    /// Whether the running thread finds what was stored: it has stored it itself, or was created afterwards.
    fn finds(&self, stored: &Stored) -> bool {
        let created_then = || {
            let [doer, own] = [stored.thread, self.run.thread].map(|thread| self.paths[thread.index()].as_slice());
            own.strip_prefix(doer).and_then(|path| path.first()).is_some_and(|&nth| nth >= stored.created)
        };
        stored.is_one && (stored.thread == self.run.thread || created_then())
    }
}

fn type_in(bytes: Option<&[u8]>) -> Option<Kind> {
    bytes.and_then(|bytes| static_type(bytes.as_ptr().addr()))
}
