//! The synchronisation objects of the program. Their state is the engine's ([`engine::sync`]); which object is meant,
//! and whether it is one, is known here: by its address and by what kind of object the call takes it for. The same
//! address has the same number in every execution.
//!
//! An object comes to life by its `init` function, or by its first use if its memory holds what a static initialiser
//! puts there. Beginning and end are events, since others can come between. From its `destroy` function on its memory
//! holds [`DEAD`], until the program initialises it again.

use std::collections::BTreeMap;
use std::ops::Range;

use engine::event::{Kind, Object, Thread};
use engine::execution::Pending;
use engine::mapping::calls::Path;
use engine::sync::machine::{Machine, Wish};
use engine::sync::mutex::{Mutex, Type};
use engine::sync::once::Once;
use engine::sync::read_write_lock::ReadWriteLock;
use engine::sync::semaphore::Semaphore;
use engine::sync::sleepers::Sleepers;
use protocol::{Operation, Role};

use crate::graph;
use crate::hooks::process::program;
use crate::hooks::pthread::threads::call_site;
use crate::process::layout;
use crate::process::sites::RecordPointer;
use crate::run::{End, Runtime, end_execution, turn, turn_to_step, with};
use crate::schedule::mutexes;
use crate::state::memory;
use crate::state::recorder::{Failure, Note, site_use};
use crate::state::unwritten;

/// What a destroyed object's memory holds.
const DEAD: u8 = 0xdd;

/// What a call takes an object for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Mutex,
    SpinLock,
    Condition,
    ReadWriteLock,
    Semaphore,
    Barrier,
    /// The odd rounds of a barrier: who leaves one round has nothing to do with who arrives for the next.
    OddRound,
    Once,
    Futex,
    /// Whether a thread is cancelled, by its handle.
    Cancellation,
    /// Whether a thread has ended, by its handle.
    End,
    /// What all threads have in common beside memory: the clock.
    Clock,
    /// What the C library remembers.
    Library,
    /// Which keys of thread-specific values there are.
    Keys,
    /// The names of threads.
    Names,
    /// What is to be called at the end.
    Exits,
    /// What is to be done about signals.
    Signals,
    /// Which atomic block comes next.
    Blocks,
}

impl Class {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::SpinLock => "spin lock",
            Self::Condition => "condition variable",
            Self::ReadWriteLock => "read-write lock",
            Self::Semaphore => "semaphore",
            Self::Barrier | Self::OddRound => "barrier",
            Self::Once => "pthread_once_t",
            Self::Futex => "futex",
            Self::Cancellation | Self::End => "thread",
            Self::Clock => "clock",
            Self::Library => "state of the C library",
            Self::Keys => "keys",
            Self::Names => "names of threads",
            Self::Exits => "handlers of the end",
            Self::Signals => "signals",
            Self::Blocks => "atomic blocks",
        }
    }

    /// The bytes of the program's memory that are the object's, and no others'.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::Mutex => size_of::<libc::pthread_mutex_t>(),
            Self::SpinLock => size_of::<libc::pthread_spinlock_t>(),
            Self::Condition => size_of::<libc::pthread_cond_t>(),
            Self::ReadWriteLock => size_of::<libc::pthread_rwlock_t>(),
            Self::Semaphore => size_of::<libc::sem_t>(),
            Self::Barrier => size_of::<libc::pthread_barrier_t>(),
            Self::Once => 4,
            Self::OddRound
            | Self::Futex
            | Self::Cancellation
            | Self::End
            | Self::Clock
            | Self::Library
            | Self::Keys
            | Self::Names
            | Self::Exits
            | Self::Signals
            | Self::Blocks => 0,
        }
    }

    /// The state that memory as a static initialiser leaves it stands for, where there is such an initialiser.
    pub(crate) fn initial(self, address: usize) -> Option<Initial> {
        let zero = || (0..self.size()).all(|at| byte(address + at) == 0);
        match self {
            Self::Mutex => mutexes::static_type(address).map(Initial::Mutex),
            Self::SpinLock | Self::Semaphore | Self::Barrier => None,
            Self::Condition => zero().then(|| Initial::Machine(Machine::Sleepers(Sleepers::default()))),
            Self::ReadWriteLock => zero().then(|| Initial::Machine(Machine::ReadWriteLock(ReadWriteLock::default()))),
            Self::Once => zero().then_some(Initial::Machine(Machine::Once(Once::Fresh))),
            Self::Futex => Some(Initial::Machine(Machine::Sleepers(Sleepers::default()))),
            Self::OddRound
            | Self::Cancellation
            | Self::End
            | Self::Clock
            | Self::Library
            | Self::Keys
            | Self::Names
            | Self::Exits
            | Self::Signals
            | Self::Blocks => Some(Initial::Nothing),
        }
    }
}

/// The state of an object that comes to life.
pub(crate) enum Initial {
    Mutex(mutexes::Kind),
    SpinLock,
    Machine(Machine),
    /// There is none: the object only orders events.
    Nothing,
}

fn byte(address: usize) -> u8 {
    // SAFETY: the program passes an object, all of whose memory it owns.
    unsafe { (address as *const u8).read() }
}

/// Whether memory is what glibc's initialiser of read-write locks leaves that let a waiting writer go first: zeros but
/// for `__flags`.
fn prefers_writers(address: usize) -> bool {
    const FLAGS: usize = 48;
    (0..size_of::<libc::pthread_rwlock_t>()).all(|at| byte(address + at) == if at == FLAGS { 2 } else { 0 })
}

/// An operation on an object, for reports.
#[derive(Clone, Copy)]
pub(crate) struct Use {
    thread: Thread,
    site: RecordPointer,
    operation: Operation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    /// Not seen in this execution.
    Unknown,
    /// A thread stands before an operation on it, which its memory allows: nothing has happened to it yet.
    Expected,
    Alive,
    Dead,
    /// Destroyed, and its memory returned.
    Gone,
}

#[derive(Clone, Copy)]
struct Known {
    class: Class,
    address: usize,
    life: Life,
    /// The last operation, if there was one.
    last: Option<Use>,
}

/// The objects by number, and what this execution knows of each.
#[derive(Default)]
pub(crate) struct ObjectTable {
    numbers: BTreeMap<(usize, Class), Object>,
    known: Vec<Known>,
}

impl ObjectTable {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.known.iter_mut().for_each(|known| known.life = Life::Unknown);
    }

    pub(crate) fn number(&mut self, class: Class, address: usize) -> Object {
        let next = Object(u32::try_from(self.known.len()).expect("fewer than 2^32 objects"));
        let number = *self.numbers.entry((address, class)).or_insert(next);
        if number == next {
            self.known.push(Known { class, address, life: Life::Unknown, last: None });
        }
        number
    }

    /// The memory is nobody's any more: what was in it, which is returned, is forgotten.
    pub(crate) fn forget(&mut self, memory: Range<usize>) -> Vec<Object> {
        let within = self.numbers.range((memory.start, Class::Mutex)..(memory.end, Class::Mutex));
        let objects: Vec<Object> = within.map(|(_, &object)| object).collect();
        for object in &objects {
            let life = &mut self.known[object.index()].life;
            *life = if matches!(life, Life::Dead | Life::Gone) { Life::Gone } else { Life::Unknown };
        }
        objects
    }

    /// What calls take the object for.
    pub(crate) fn class(&self, object: Object) -> Class {
        self.known[object.index()].class
    }

    /// Where the object is.
    pub(crate) fn address(&self, object: Object) -> usize {
        self.known[object.index()].address
    }

    /// The memory of the object.
    fn memory(&self, object: Object) -> Range<usize> {
        let known = &self.known[object.index()];
        known.address..known.address + known.class.size()
    }

    fn at(&mut self, object: Object) -> &mut Known {
        &mut self.known[object.index()]
    }
}

impl Runtime {
    /// Gives the object its initial state, and notes how far its life has come.
    fn gives_state(&mut self, object: Object, initial: Initial, life: Life, first: Option<Use>) {
        match initial {
            Initial::Mutex(kind) => {
                let mutex = Mutex::new(kind.kind).with(kind.robustness);
                self.execution.state.set_object(object, Machine::Mutex(mutex));
            }
            Initial::SpinLock => self.execution.state.set_object(object, Machine::Mutex(Mutex::new(Type::Normal))),
            Initial::Machine(machine) => self.execution.state.set_object(object, machine),
            Initial::Nothing => {}
        }
        let known = self.objects.at(object);
        (known.life, known.last) = (life, first);
    }

    /// The last operation on the object.
    pub(crate) fn last_use(&self, object: Object) -> Option<Use> {
        self.objects.known[object.index()].last
    }

    /// Whether somebody holds the object.
    fn is_held(&self, object: Object) -> bool {
        match self.execution.state.objects.get(object) {
            Some(Machine::ReadWriteLock(lock)) => !lock.is_free(),
            Some(Machine::Barrier(barrier)) => !barrier.waiting().is_empty(),
            _ => self.execution.state.objects.mutex(object).is_some_and(|mutex| mutex.destroy().is_err()),
        }
    }

    /// Why the object cannot be destroyed, if it cannot, and the operation before.
    fn is_indestructible(&mut self, class: Class, address: usize) -> Option<(&'static str, Option<Use>)> {
        let object = self.objects.number(class, address);
        let (life, last) = (self.objects.at(object).life, self.objects.at(object).last);
        match life {
            Life::Dead => return Some(("has been destroyed", last)),
            Life::Unknown | Life::Gone if class.initial(address).is_none() => {
                return Some(("was never initialised", None));
            }
            Life::Unknown | Life::Gone | Life::Expected => return None,
            Life::Alive => {}
        }
        let is_lock = matches!(class, Class::Mutex | Class::SpinLock | Class::ReadWriteLock);
        let how = if is_lock { "is held" } else { "threads wait for" };
        (self.is_held(object) || self.has_sleepers(object)).then_some((how, last))
    }

    /// Whether a thread sleeps on the object. One that stands before an operation on it has done nothing to it yet.
    fn has_sleepers(&self, object: Object) -> bool {
        // Those who are awake already need it no more.
        matches!(self.execution.state.objects.get(object), Some(Machine::Sleepers(sleepers)) if !sleepers.asleep().is_empty())
    }
}

/// What a call has done.
#[derive(Clone, Copy)]
pub(crate) struct Done {
    kind: Kind,
    path: Path,
    operation: Operation,
    /// The object whose word was accessed, where that is what orders it with others.
    word: Option<Object>,
}

impl Done {
    /// An operation by this path. One that drains nothing has only looked.
    pub(crate) const fn by(path: Path, kind: Kind, operation: Operation) -> Self {
        let kind = match kind {
            Kind::Lock(object) | Kind::Wait { mutex: object, .. } if !path.effect.drains() => Kind::Share(object),
            kind => kind,
        };
        Self { kind, path, operation, word: None }
    }

    /// An access to the word of an object, which may wait in a store buffer.
    pub(crate) const fn at_word(path: Path, kind: Kind, object: Object, operation: Operation) -> Self {
        Self { kind, path, operation, word: Some(object) }
    }

    const fn objects(&self) -> [Option<Object>; 2] {
        match self.kind {
            _ if self.word.is_some() => [self.word, None],
            Kind::Lock(object) | Kind::Share(object) => [Some(object), None],
            Kind::Wait { condition, mutex } => [Some(condition), Some(mutex)],
            _ => [None, None],
        }
    }
}

/// A call of the program on an object. Made as the call comes in: the place of a call is overwritten by the next one.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) site: RecordPointer,
    address: usize,
}

impl Call {
    pub(crate) fn on<T>(name: &'static str, address: *const T) -> Self {
        Self { name, site: call_site(), address: address as usize }
    }

    /// What is done at the end of a thread, after the last operation that it stood before.
    pub(crate) fn at_the_end() -> Self {
        let site = with(|runtime| runtime.threads.stands_at(runtime.running)).unwrap_or(std::ptr::null());
        Self { name: "the end of the thread", site, address: 0 }
    }

    /// The call, for reports.
    const fn operation(&self) -> Operation {
        Operation::call(self.name)
    }

    fn as_use(&self) -> Use {
        let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
        Use { thread, site: self.site, operation: self.operation() }
    }

    /// The object, which comes to life if this is its first use in the execution. None where there is no control yet.
    pub(crate) fn object(&self, class: Class) -> Option<Object> {
        let (object, life, last) = with(|runtime| {
            let object = runtime.objects.number(class, self.address);
            let known = runtime.objects.at(object);
            (object, known.life, known.last)
        })?;
        if matches!(life, Life::Alive | Life::Expected) {
            return Some(object);
        }
        self.require(class);
        let Some(initial) = class.initial(self.address) else {
            return self.awaits_life(class, object, last);
        };
        with(|runtime| runtime.gives_state(object, initial, Life::Expected, None));
        Some(object)
    }

    /// The object, which is none now, but may be when this thread's turn has come.
    fn awaits_life(&self, class: Class, object: Object, last: Option<Use>) -> Option<Object> {
        if class == Class::ReadWriteLock && prefers_writers(self.address) {
            program::unsupported("PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP", self.site);
        }
        let name = class.name();
        turn_to_step(self.site);
        self.note(class, Operation::Destroy);
        match with(|runtime| runtime.objects.at(object).life)? {
            Life::Alive | Life::Expected => Some(object),
            Life::Dead => self.misuse(&format!("of a {name} that has been destroyed"), last),
            Life::Unknown | Life::Gone => self.misuse(&format!("of a {name} that was never initialised"), None),
        }
    }

    /// Refuses an object in memory that may not be accessed, when the turn of the thread has come.
    fn require(&self, class: Class) {
        if self.is_forbidden(class) {
            turn_to_step(self.site);
            self.require_now(class);
        }
    }

    /// Refuses an object in memory that may not be accessed, of a thread whose turn it is already.
    fn require_now(&self, class: Class) {
        if self.is_forbidden(class) {
            self.note(class, Operation::Destroy);
            memory::require(self.memory(class), self.operation(), self.site);
        }
    }

    fn memory(&self, class: Class) -> Range<usize> {
        self.address..self.address + class.size()
    }

    fn is_forbidden(&self, class: Class) -> bool {
        let memory = self.memory(class);
        with(|runtime| !memory.is_empty() && runtime.is_forbidden(&memory)) == Some(true)
    }

    /// The object comes to life by its `init` function, which puts zeros into its memory.
    pub(crate) fn initialise(&self, class: Class, initial: Initial) {
        if graph::is_on() {
            return self.initialise_in_graph(class, initial);
        }
        turn_to_step(self.site);
        self.require_now(class);
        let before = with(|runtime| {
            let object = runtime.objects.number(class, self.address);
            let (life, last) = (runtime.objects.at(object).life, runtime.objects.at(object).last);
            // A local variable that comes and goes need not be destroyed for its memory to be another one's.
            let stays = !layout::is_stack(self.address) || runtime.has_sleepers(object);
            (life == Life::Alive && stays).then_some(last)
        });
        if let Some(Some(last)) = before {
            self.note(class, Operation::Initialise);
            self.misuse(&format!("of a {} that is initialised already", class.name()), last);
        }
        self.fill(class, 0);
        let first = self.as_use();
        with(|runtime| {
            runtime.has_effect();
            let object = runtime.objects.number(class, self.address);
            runtime.gives_state(object, initial, Life::Alive, Some(first));
        });
        // Who waits for the object waits for what it is now.
        self.note(class, Operation::Initialise);
    }

    /// The object's end by its `destroy` function. Who stands before an operation on it by then comes too late.
    pub(crate) fn destroy(&self, class: Class) {
        if graph::is_on() {
            graph::lifetimes::destroys(self.address, class, self.site);
            with(Runtime::has_effect);
            return;
        }
        turn_to_step(self.site);
        self.require_now(class);
        let Some(refusal) = with(|runtime| runtime.is_indestructible(class, self.address)) else { return };
        if let Some((why, last)) = refusal {
            self.note(class, Operation::Destroy);
            self.misuse(&format!("of a {} that {why}", class.name()), last);
        }
        self.fill(class, DEAD);
        let last = self.as_use();
        with(|runtime| {
            runtime.has_effect();
            let object = runtime.objects.number(class, self.address);
            if let (Class::Semaphore, Some(semaphore)) = (class, Semaphore::new(1)) {
                // Who waits for it finds that it is no more.
                runtime.execution.state.set_object(object, Machine::Semaphore(semaphore));
            }
            let known = runtime.objects.at(object);
            (known.life, known.last) = (Life::Dead, Some(last));
        });
        self.note(class, Operation::Destroy);
    }

    /// What the call does, whose turn it is, concerns whoever operates on the object.
    fn note(&self, class: Class, operation: Operation) {
        let note = Note { site: self.site, operation };
        let turn = with(|runtime| {
            let object = runtime.objects.number(class, self.address);
            runtime.steps_on(object, note, self.address)
        });
        if let Some(turn) = turn {
            turn.obey();
        }
    }

    fn initialise_in_graph(&self, class: Class, initial: Initial) {
        with(Runtime::has_effect);
        self.fill(class, 0);
        graph::lifetimes::begins(self.address..self.address + class.size(), self.site);
        let kind = match &initial {
            &Initial::Mutex(kind) => Some(kind),
            _ => None,
        };
        if let Some(Err(what)) = with(|runtime| runtime.graph_mut().makes(self.address, class, kind)) {
            graph::refuse(what, self.site);
        }
        if !matches!(class, Class::Mutex | Class::SpinLock) {
            graph::objects::initialise(*self, initial);
        }
    }

    fn fill(&self, class: Class, value: u8) {
        // A variable that is written like this is restored whole.
        with(|runtime| runtime.globals.written_unseen());
        // SAFETY: the program passes memory for an object of this class.
        unsafe { std::ptr::write_bytes(self.address as *mut u8, value, class.size()) };
        unwritten::written(self.address, class.size());
    }

    /// Waits for the thread's turn, operates on objects, and reports what `work` says that was done as one event.
    pub(crate) fn event<R>(&self, pending: Pending, work: impl FnOnce(&mut Runtime) -> (Done, R)) -> Option<R> {
        self.wait(pending);
        let (done, result) = with(work)?;
        let Done { kind, path, operation, .. } = done;
        let objects = done.objects();
        let left = left_by(pending);
        for object in objects.into_iter().flatten() {
            // Its destruction waits for those who only leave it, and may be followed by a free.
            let life = with(|runtime| runtime.objects.at(object).life);
            if left != Some(object) || !matches!(life, Some(Life::Dead | Life::Gone)) {
                self.require_memory_of(object, kind, operation);
            }
        }
        for object in objects.into_iter().flatten().filter(|&object| left != Some(object)) {
            self.refuse_dead(object, kind, operation);
        }
        let turn = with(|runtime| {
            let used = Some(Use { thread: runtime.running, site: self.site, operation });
            for object in objects.into_iter().flatten() {
                let known = runtime.objects.at(object);
                known.last = used;
                if known.life == Life::Expected {
                    known.life = Life::Alive;
                }
            }
            let before = path.effect.before();
            match (done.word, kind) {
                (Some(object), _) => {
                    let note = Note { site: self.site, operation };
                    runtime.word_event(kind, object, path.effect, note, self.address)
                }
                // What mutexes look like, and their changes, are noted.
                (None, Kind::Lock(object) | Kind::Share(object))
                    if runtime.execution.state.objects.mutex(object).is_some() =>
                {
                    runtime.unlasting(kind, before, operation, self.site, self.address)
                }
                (None, Kind::Lock(object) | Kind::Share(object)) if operation.looks_only() => {
                    runtime.looks_at(object);
                    runtime.unlasting(kind, before, operation, self.site, self.address)
                }
                (None, _) => runtime.no_access(kind, before, operation, self.site, self.address),
            }
        })?;
        turn.obey();
        Some(result)
    }

    /// Ends the execution if another thread has freed the object while this one waited for its turn.
    fn require_memory_of(&self, object: Object, kind: Kind, operation: Operation) {
        let memory = with(|runtime| {
            let memory = runtime.objects.memory(object);
            if !memory.is_empty() && runtime.is_forbidden(&memory) {
                runtime.note_refused_operation(kind, Note { site: self.site, operation }, self.address);
            }
            memory
        });
        memory::require(memory.unwrap_or_default(), self.operation(), self.site);
    }

    /// Ends the execution if the object was destroyed while the thread waited for its turn.
    fn refuse_dead(&self, object: Object, kind: Kind, operation: Operation) {
        let dead = with(|runtime| {
            let Known { class, life, last, .. } = runtime.objects.known[object.index()];
            (life == Life::Dead).then(|| {
                runtime.note_refused_operation(kind, Note { site: self.site, operation }, self.address);
                (class, last)
            })
        });
        if let Some(Some((class, last))) = dead {
            self.misuse(&format!("of a {} that has been destroyed", class.name()), last);
        }
    }

    /// Where the object is.
    pub(crate) const fn address(&self) -> usize {
        self.address
    }

    /// Waits for the thread's turn.
    pub(crate) fn wait(&self, pending: Pending) {
        graph::refuse(self.name, self.site);
        if matches!(pending, Pending::Wait(..)) {
            with(Runtime::before_a_wait);
        }
        turn(pending, self.site);
        if matches!(pending, Pending::Wait(..)) {
            with(Runtime::after_a_wait);
        }
    }

    /// Ends the execution: the call breaks its contract. `what` goes on after the function's name.
    pub(crate) fn misuse(&self, what: &str, earlier: Option<Use>) -> ! {
        let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
        let mut sites = vec![site_use(Role::At, thread, self.site, self.operation())];
        sites.extend(earlier.map(|used| site_use(Role::Earlier, used.thread, used.site, used.operation)));
        let message = format!("{} {what}", self.name);
        end_execution(End::Failed(Failure {
            kind: protocol::FailureKind::Misuse,
            message,
            sites,
            program_counter: None,
        }))
    }
}

/// The object that a thread only leaves by what it waits for: who wakes up needs its condition variable no more, and who
/// passes a barrier not the barrier.
const fn left_by(pending: Pending) -> Option<Object> {
    match pending {
        Pending::Wait(Wish::Wake { sleepers: object, .. } | Wish::Cross(object), _) => Some(object),
        _ => None,
    }
}

/// The number of an object that no memory of the program is: its calls are none of the program's.
pub(crate) fn unnamed(class: Class, key: usize) -> Option<Object> {
    with(|runtime| runtime.objects.number(class, key))
}
