//! Thread-specific data: `pthread_key_create` and its sisters. Nobody but the thread itself can see a value, so to
//! set or get one is no event; to create and delete a key is one. Destructors run as a thread ends.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};

use engine::event::Thread;
use engine::per_thread::PerThread;

use crate::graph;
use crate::hooks::library::results;
use crate::hooks::pthread::threads::{call_site, calls_from};
use crate::process::sites::RecordPointer;
use crate::run::{Runtime, steps_on, with};
use crate::schedule::objects::Class;

/// `PTHREAD_KEYS_MAX` of glibc.
const LIMIT: u32 = 1024;
/// `PTHREAD_DESTRUCTOR_ITERATIONS` of glibc.
const ROUNDS: usize = 4;

type Destructor = unsafe extern "C" fn(*mut c_void);

#[derive(Clone, Copy)]
enum Key {
    Deleted,
    /// Its destructor, and where it was created.
    Live(Option<Destructor>, RecordPointer),
}

/// The keys, and each thread's values, by the numbers of keys.
#[derive(Default)]
pub(crate) struct Keys {
    keys: BTreeMap<u32, Key>,
    values: PerThread<BTreeMap<u32, usize>>,
    /// One more than the highest thread that has values.
    used: usize,
}

impl Keys {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.keys.clear();
        self.values.first(self.used).iter_mut().for_each(BTreeMap::clear);
    }

    /// A thread is run from its beginning.
    pub(crate) fn restart(&mut self, thread: Thread) {
        self.values[thread].clear();
    }

    /// Whether no key has been made in this execution.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// A new key, with a value of null in all threads.
    fn create(&mut self, destructor: Option<Destructor>, site: RecordPointer) -> Option<u32> {
        let key = u32::try_from(self.keys.len()).ok().filter(|&key| key < LIMIT)?;
        self.keys.insert(key, Key::Live(destructor, site));
        Some(key)
    }

    fn is_live(&self, key: u32) -> bool {
        matches!(self.keys.get(&key), Some(Key::Live(..)))
    }

    fn value(&self, thread: Thread, key: u32) -> usize {
        if !self.is_live(key) {
            return 0;
        }
        self.values[thread].get(&key).copied().unwrap_or(0)
    }

    fn set(&mut self, thread: Thread, key: u32, value: usize) {
        self.values[thread].insert(key, value);
        self.used = self.used.max(thread.index() + 1);
    }

    /// The destructor to be called next of those from this key on, which stands where the key was created; and its argument,
    /// which is forgotten.
    fn next_destructor(&mut self, thread: Thread, from: u32) -> Option<(u32, Destructor, RecordPointer, usize)> {
        for (key, value) in self.values[thread].range_mut(from..) {
            if let (Some(Key::Live(Some(destructor), site)), 1..) = (self.keys.get(key), *value) {
                return Some((*key, *destructor, *site, std::mem::take(value)));
            }
        }
        None
    }
}

/// Runs the destructors of the running thread's values, again if they leave values, up to [`ROUNDS`] times.
pub(crate) fn destroy_values() {
    for _ in 0..ROUNDS {
        let mut from = 0;
        let mut any = false;
        while let Some(Some((key, destructor, site, value))) = with(|runtime| {
            let thread = runtime.running;
            runtime.keys.next_destructor(thread, from)
        }) {
            // What a destructor of the C library does, it does for who made the key.
            calls_from(site);
            // SAFETY: the program passed the destructor with the key, and the value.
            unsafe { destructor(value as *mut c_void) };
            (from, any) = (key + 1, true);
        }
        if !any {
            return;
        }
    }
}

/// What comes of the creation of a key in execution graphs.
enum Created {
    Key(u32),
    TooMany,
    /// Another one has its number.
    Other,
}

impl Runtime {
    /// Each thread is run alone, and again and again: the nth key that it creates at a place has the same number each time, and
    /// in every process. Those of a thread are in the order in which it creates them.
    fn create_key_in_graph(&mut self, destructor: Option<Destructor>, site: RecordPointer) -> Created {
        let (thread, nth) = self.graph_mut().next_key();
        if nth > LIMIT {
            return Created::TooMany;
        }
        // Records of places are 8 bytes or more apart.
        let place = (site as usize >> 3) as u32 & 0xfff;
        let key = nth << 20 | u32::from(thread.0) << 12 | place;
        let known = *self.keys.keys.entry(key).or_insert(Key::Live(destructor, site));
        let same = matches!(known, Key::Live(other, at) if at == site && other.map(address) == destructor.map(address));
        if same { Created::Key(key) } else { Created::Other }
    }
}

fn address(destructor: Destructor) -> usize {
    destructor as usize
}

/// `pthread_key_create`.
pub(crate) fn create(into: *mut c_uint, destructor: Option<Destructor>) -> c_int {
    let site = call_site();
    let mut created = Created::TooMany;
    steps_on(Class::Keys, |runtime| {
        runtime.has_effect();
        created = match runtime.graph {
            Some(_) => runtime.create_key_in_graph(destructor, site),
            None => runtime.keys.create(destructor, site).map_or(Created::TooMany, Created::Key),
        };
    });
    match created {
        Created::TooMany => libc::EAGAIN,
        Created::Other => {
            graph::refuse("a key with different destructors in different executions", site);
            libc::EAGAIN
        }
        Created::Key(key) => {
            results::store(into.cast(), key, site);
            0
        }
    }
}

/// `pthread_key_delete`.
pub(crate) fn delete(key: c_uint) -> c_int {
    if graph::is_on() {
        return delete_in_graph(key);
    }
    let mut live = false;
    steps_on(Class::Keys, |runtime| {
        runtime.has_effect();
        live = runtime.keys.is_live(key);
        if live {
            runtime.keys.keys.insert(key, Key::Deleted);
        }
    });
    if live { 0 } else { libc::EINVAL }
}

/// The deletion is seen by the running thread alone: there must be no other one.
fn delete_in_graph(key: c_uint) -> c_int {
    if with(|runtime| runtime.graph_mut().is_alone()) != Some(true) {
        graph::refuse("pthread_key_delete while there are other threads", call_site());
    }
    let deleted = with(|runtime| {
        runtime.has_effect();
        let live = runtime.keys.is_live(key);
        if live {
            let thread = runtime.running;
            runtime.keys.set(thread, key, 0);
        }
        live
    });
    if deleted == Some(true) { 0 } else { libc::EINVAL }
}

/// `pthread_getspecific`.
pub(crate) fn get(key: c_uint) -> *mut c_void {
    with(|runtime| runtime.keys.value(runtime.running, key)).unwrap_or(0) as *mut c_void
}

/// `pthread_setspecific`.
pub(crate) fn set(key: c_uint, value: *const c_void) -> c_int {
    let set = with(|runtime| {
        runtime.has_effect();
        let live = runtime.keys.is_live(key);
        if live {
            let thread = runtime.running;
            runtime.keys.set(thread, key, value as usize);
        }
        live
    });
    if set == Some(true) { 0 } else { libc::EINVAL }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_key_create(into: *mut c_uint, destructor: Option<Destructor>) -> c_int {
    create(into, destructor)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_key_delete(key: c_uint) -> c_int {
    delete(key)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_getspecific(key: c_uint) -> *mut c_void {
    get(key)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setspecific(key: c_uint, value: *const c_void) -> c_int {
    set(key, value)
}
