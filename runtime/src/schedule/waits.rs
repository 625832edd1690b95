//! Wait loops that end (ARCHITECTURE.md, decision 6): an iteration that changes nothing blocks its thread until something
//! that it read is different.
//!
//! At each visit of a loop's header the pass says what the private state of the loop is: the values that enter the
//! header, and the private memory that the loop writes. Where that is what it was at an earlier visit
//! ([`engine::visits`]), the rounds since then are an iteration without effect if the thread has left everything else
//! as it was, too: memory, mutexes and blocks of the heap may change in between, if they are changed back and no other
//! thread has touched them meanwhile. As long as all that the iteration read is the same, another one would do the same
//! again. A store of the value that was there already, as a test-and-set of a held lock makes, is no change.
//!
//! Two wait loops may look at each other's passing changes: a thread that tries a mutex until it is held, where
//! another one locks and unlocks it in its own wait. So where all threads wait, those whose iterations change something
//! in passing that another one reads go round for ever ([`Runtime::wake_waiting`]).

use engine::event::{Kind, Object, Thread};
use engine::execution::{Pending, Status, Wakes};
use engine::step::Iteration;
use engine::sync::machine::Wish;
use protocol::BusyLoop;

use crate::abi::number;
use crate::process::fiber::Switch;
use crate::process::layout;
use crate::process::sites::{Record, RecordPointer};
use crate::process::uncontrolled::is_alone;
use crate::run::{Access, End, Runtime, Turn, Way, WideAccess, with};
use crate::state::locals::State;
use crate::state::recorder::words;

/// `struct fh_loop` of the hook ABI, in the frame of the program's function.
#[repr(C)]
pub(crate) struct Loop {
    /// Its number among the loops that the thread is in.
    number: u64,
    unused: [u64; 3],
}

/// What an access or another operation touches: bytes of memory, or a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thing {
    /// Or the number of the object.
    address: usize,
    /// 0 for an object.
    width: u8,
}

impl Thing {
    const fn object(object: Object) -> Self {
        Self { address: object.index(), width: 0 }
    }

    const fn bytes(self) -> std::ops::Range<usize> {
        self.address..self.address + self.width as usize
    }

    const fn overlaps(self, other: Self) -> bool {
        if self.width == 0 || other.width == 0 {
            return self.width == other.width && self.address == other.address;
        }
        self.address < other.bytes().end && other.address < self.bytes().end
    }
}

/// What the bytes hold now.
fn held(thing: Thing) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the program accessed these bytes through a hook in this execution, and nothing is unmapped before its end.
    unsafe {
        std::ptr::copy_nonoverlapping(thing.address as *const u8, bytes.as_mut_ptr(), thing.width.into());
    }
    u64::from_le_bytes(bytes)
}

/// What a thread has read: a value, or what an object looked like to it.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    address: usize,
    value: u64,
    /// The index of the event.
    event: u32,
    width: u8,
}

impl Read {
    const fn thing(&self) -> Thing {
        Thing { address: self.address, width: self.width }
    }
}

/// What a thread has changed: a value, or the state of an object.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) thing: Thing,
    before: u64,
    after: u64,
    pub(crate) event: u32,
}

/// What a thread has done by the time of a visit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    reads: usize,
    pub(crate) changes: usize,
    events: u64,
    /// The events of all threads.
    pub(crate) moment: u32,
    /// Other effects than changes.
    effects: u64,
    /// Of the thread's arena.
    blocks: usize,
    used: usize,
    frees: u64,
    /// Waits that have run out.
    in_vain: u64,
}

impl Mark {
    /// Whether there are as many effects before both, changes aside: none between them, as one comes before the other.
    pub(crate) fn has_effected_as_much_as(&self, other: &Self) -> bool {
        let of = |mark: &Self| (mark.effects, mark.blocks, mark.used, mark.frees);
        of(self) == of(other)
    }
}

/// What a visit of a loop's header ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// What the thread had done when it began.
    pub(crate) begin: Mark,
    /// An address in the frame of the loop's function; the frames of what that calls are below.
    pub(crate) frame: usize,
}

/// An iteration that changes more than this does not count as one without effect: it is compared change by change.
pub(crate) const MOST_CHANGES: usize = 32;

const ENTERED: u32 = number("FH_LOOP_ENTERED");
const COMPARABLE: u32 = number("FH_LOOP_COMPARABLE");

/// # Safety
/// As `fencehound_hooks.h` says it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_loop(record: *mut Loop, visit: u32, state: *const u64, words: u64, site: RecordPointer) {
    if is_alone() {
        return;
    }
    // SAFETY: the pass passes the record of this loop in the caller's frame.
    let record = unsafe { &mut *record };
    // SAFETY: the pass passes so many words, in the caller's frame too.
    let state = unsafe { std::slice::from_raw_parts(state, words as usize) };
    let turn = with(|runtime| runtime.visit_loop(record, visit, state, site).or_else(|| runtime.unrolls()));
    if let Some(turn) = turn.flatten() {
        turn.obey();
        // Woken: the round that begins now is the first since.
        with(|runtime| {
            let mark = runtime.mark();
            runtime.threads.at(runtime.running).visits.restart(state, mark);
        });
    }
}

/// # Safety
/// As `fencehound_hooks.h` says it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_endless(site: RecordPointer) {
    if let Some(turn) = with(|runtime| runtime.goes_round_for_ever(site)) {
        turn.obey();
    }
}

impl Runtime {
    /// The running thread is at the header of a loop without an exit, in which it does nothing that anybody could see; who
    /// goes on in its place.
    fn goes_round_for_ever(&mut self, site: RecordPointer) -> Turn {
        let (thread, mark) = (self.running, self.mark());
        let state = self.threads.at(thread);
        state.stands_at = Record::known(site);
        state.visits.enter(site, &[], mark);
        if self.graph.is_some() {
            return self.waits_in_graph(mark.events);
        }
        state.patience = None;
        state.passing.clear();
        // It waits for nothing.
        (state.waits, state.waits_for) = (true, mark.reads);
        self.leave_open_block();
        self.execution.wait(thread, None, Pending::Access);
        self.next()
    }

    /// What the running thread has done by now.
    pub(crate) fn mark(&mut self) -> Mark {
        let (blocks, used) = self.heap.extent(self.running);
        let moment = self.execution.history.length();
        let state = self.threads.at(self.running);
        Mark {
            reads: state.reads.len(),
            changes: state.changes.len(),
            events: state.events,
            moment,
            effects: state.effects,
            blocks,
            used,
            frees: state.frees,
            in_vain: state.waits_in_vain,
        }
    }

    /// The running thread is at the header of a loop; who goes on if it has to wait.
    fn visit_loop(&mut self, record: &mut Loop, visit: u32, words: &[u64], site: RecordPointer) -> Option<Turn> {
        let thread = self.running;
        let mark = self.mark();
        let visits = &mut self.threads.at(thread).visits;
        if visit == ENTERED {
            record.number = visits.enter(site, words, mark) as u64;
            self.idle_rounds.enter(thread, record.number as usize);
            return None;
        }
        let last = visits.go_round(record.number as usize);
        // Within an atomic block, nobody else could do what the thread would wait for.
        if visit != COMPARABLE || last.effects != mark.effects || self.way == Way::Within {
            self.threads.at(thread).visits.restart(words, mark);
            return None;
        }
        if self.graph.is_some() {
            return self.visit_in_graph(words, mark);
        }
        let frame = std::ptr::from_mut(record).addr();
        if self.was_one_idle_round_too_many(record.number as usize, words, mark, frame) {
            self.end = Some(End::IdleRounds);
            return Some(Turn::Other(Switch::End));
        }
        let same = self.threads.of(thread).visits.same(words);
        let same = same.map(|begin| Round { begin, frame }).find(|round| self.had_no_effect(round));
        let Some(round) = same else {
            self.threads.at(thread).visits.keep(words, mark);
            return None;
        };
        let begin = round.begin;
        if mark.in_vain > begin.in_vain {
            // Where one wait ran out, the thread waits there: to wait here would be to hold on to whatever it holds. Of
            // several, each could go on by itself, and memory that changed in passing others may need: round again.
            let alone = mark.has_effected_as_much_as(&begin) && self.has_only_passed_mutexes(&begin);
            if mark.in_vain == begin.in_vain + 1 && alone {
                self.forget_changes(&round);
                self.grows_patient(begin.reads, begin.events);
            }
            let mark = self.mark();
            self.threads.at(thread).visits.restart(words, mark);
            return None;
        }
        self.forget_changes(&round);
        let state = self.threads.at(thread);
        state.patience = None;
        state.waits = true;
        state.waits_for = begin.reads;
        let first = state.blocking.iter().rev().find(|&&(event, _)| event <= begin.events);
        let first = first.filter(|&&(event, _)| event == begin.events).map_or(Pending::Access, |&(_, pending)| pending);
        let iteration = self.last_events(thread, mark.events - begin.events);
        self.execution.wait(thread, iteration, first);
        Some(self.next())
    }

    /// Who goes on if the loop that the running thread is in has gone round more often than asked for.
    fn unrolls(&mut self) -> Option<Turn> {
        let limit = self.graph.as_deref()?.unroll?;
        let (_, rounds) = self.threads.of(self.running).visits.active().last()?;
        (rounds > limit).then(|| self.leaves_out())
    }

    /// The same for execution graphs, where an iteration has no effect if it writes nothing.
    fn visit_in_graph(&mut self, words: &[u64], mark: Mark) -> Option<Turn> {
        if !self.graph_mut().is_private_known(words.as_ptr() as usize, size_of_val(words)) {
            self.threads.at(self.running).visits.restart(words, mark);
            return None;
        }
        let visits = &mut self.threads.at(self.running).visits;
        let same = visits.same(words).find(|earlier| earlier.has_effected_as_much_as(&mark));
        let Some(begin) = same.filter(|begin| begin.events < mark.events) else {
            visits.keep(words, mark);
            return None;
        };
        if mark.in_vain > begin.in_vain {
            visits.restart(words, mark);
            self.grows_patient_in_graph(begin.events, mark.events);
            return None;
        }
        Some(self.waits_in_graph(begin.events))
    }

    /// Whether the running thread has left everything as it was, unseen.
    fn had_no_effect(&self, round: &Round) -> bool {
        let begin = &round.begin;
        let state = self.threads.of(self.running);
        let changes = &state.changes[begin.changes..];
        if changes.len() > MOST_CHANGES
            || state.effects != begin.effects
            || !self.heap.has_freed_since(self.running, begin.blocks, state.frees - begin.frees)
        {
            return false;
        }
        let (passing, changes): (Vec<&Change>, Vec<&Change>) =
            changes.iter().partition(|change| self.is_gone(change.thing, round));
        let has_passing = !passing.is_empty() || !self.blocks_since(begin).is_empty();
        self.are_restored(&changes)
            && !was_seen_among(&changes, |thing, from, to| self.is_touched(thing, from, to))
            && !(has_passing && self.others_touch(begin.moment, |thing| self.is_gone(thing, round)))
    }

    /// Whether all that the running thread has changed since are mutexes that nobody holds or that are as they were.
    pub(crate) fn has_only_passed_mutexes(&self, since: &Mark) -> bool {
        let changes = &self.threads.of(self.running).changes[since.changes..];
        changes.iter().enumerate().all(|(index, change)| {
            let is_first = !changes[..index].iter().any(|earlier| earlier.thing == change.thing);
            change.thing.width == 0 && (!is_first || [0, change.before].contains(&self.object_state(change.thing)))
        })
    }

    /// The addresses of the blocks that the running thread has allocated since.
    fn blocks_since(&self, begin: &Mark) -> std::ops::Range<usize> {
        let start = layout::arena(self.running);
        let (_, used) = self.heap.extent(self.running);
        start + begin.used..start + used
    }

    /// Whether the bytes came into being in the running thread's round and are no more: in a block allocated since, or
    /// in a local variable of a function that was called and has returned. The next round makes them anew.
    pub(crate) fn is_gone(&self, thing: Thing, round: &Round) -> bool {
        if thing.width == 0 {
            return false;
        }
        let frames = layout::stack(self.running)..round.frame;
        let is_living = || matches!(self.locals.find(self.running, thing.address), Some((_, State::Living)));
        self.blocks_since(&round.begin).contains(&thing.address) || (frames.contains(&thing.address) && !is_living())
    }

    /// Whether everything is as it was before these changes.
    pub(crate) fn are_restored(&self, changes: &[&Change]) -> bool {
        changes.iter().enumerate().all(|(index, change)| {
            let mut earlier = changes[..index].iter().filter(|earlier| earlier.thing.overlaps(change.thing));
            match earlier.next() {
                None if change.thing.width == 0 => self.object_state(change.thing) == change.before,
                None => held(change.thing) == change.before,
                // Undone with the first one, if that was one of the same bytes.
                Some(first) => first.thing == change.thing,
            }
        })
    }

    fn object_state(&self, thing: Thing) -> u64 {
        self.execution.state.objects.mutex_state(Object(thing.address as u32))
    }

    /// Whether another thread has read or changed the thing between two events.
    fn is_touched(&self, thing: Thing, from: u32, to: u32) -> bool {
        self.others().any(|other| {
            let reads = other.reads.iter().rev().take_while(|read| read.event > from);
            let changes = other.changes.iter().rev().take_while(|change| change.event > from);
            reads.filter(|read| read.event < to).any(|read| read.thing().overlaps(thing))
                || changes.filter(|change| change.event < to).any(|change| change.thing.overlaps(thing))
        })
    }

    /// Whether another thread has read or changed such a thing, from this event on, or waits for it to change.
    fn others_touch(&self, since: u32, which: impl Fn(Thing) -> bool) -> bool {
        self.others().any(|other| {
            let awaited = if other.waits { &other.reads[other.waits_for..] } else { &[] };
            let reads = other.reads.iter().rev().take_while(|read| read.event >= since);
            let changes = other.changes.iter().rev().take_while(|change| change.event >= since);
            awaited.iter().chain(reads).map(Read::thing).any(&which) || changes.map(|change| change.thing).any(&which)
        })
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = &crate::hooks::pthread::threads::ThreadState> {
        let threads = (0..self.threads.len()).map(Thread::from_index).filter(|&thread| thread != self.running);
        threads.map(|thread| self.threads.of(thread))
    }

    /// The running thread's iteration has had no effect: what it changed in passing, it has not changed; and what it
    /// read of its own is what was there when it began.
    fn forget_changes(&mut self, round: &Round) {
        let begin = &round.begin;
        let thread = self.running;
        let state = self.threads.at(thread);
        let changes: Vec<Change> = state.changes.drain(begin.changes..).collect();
        let tail: Vec<Read> = state.reads.drain(begin.reads..).collect();
        state.passing.clear();
        let mut reads: Vec<Read> = tail.into_iter().filter(|read| !self.is_gone(read.thing(), round)).collect();
        let changes: Vec<Change> = changes.into_iter().filter(|change| !self.is_gone(change.thing, round)).collect();
        for read in &mut reads {
            if read.width == 0 {
                if changes.iter().any(|change| change.thing == read.thing()) {
                    read.value = self.execution.state.objects.seen(Object(read.address as u32), thread);
                }
                continue;
            }
            let (mut bytes, now) = (read.value.to_le_bytes(), held(read.thing()).to_le_bytes());
            for (offset, address) in read.thing().bytes().enumerate() {
                if changes.iter().any(|change| change.thing.overlaps(Thing { address, width: 1 })) {
                    bytes[offset] = now[offset];
                }
            }
            read.value = u64::from_le_bytes(bytes);
        }
        // Once others have written there, the same stores would have an effect.
        reads.extend(changes.iter().filter(|change| change.thing.width > 0).map(|change| Read {
            address: change.thing.address,
            width: change.thing.width,
            value: held(change.thing),
            event: change.event,
        }));
        let (frees, effects) = (begin.frees, begin.effects);
        let state = self.threads.at(thread);
        state.reads.extend(reads);
        state.passing.extend(changes.iter().map(|change| change.thing));
        (state.frees, state.effects) = (frees, effects);
        self.heap.forget_since(thread, begin.blocks, begin.used);
    }

    /// The last so many events of the thread.
    pub(crate) fn last_events(&self, thread: Thread, events: u64) -> Option<Iteration> {
        let events = u32::try_from(events).ok().filter(|&events| events > 0)?;
        let steps = self.execution.history.steps();
        let mut own = (0..steps.len()).rev().filter(|&index| steps[index].thread == thread).map(|index| index as u32);
        let last = own.next()?;
        let first = if events == 1 { last } else { own.nth(events as usize - 2)? };
        Some(Iteration { first, last, events })
    }

    /// Keeps how many events a wait loop's iteration has, what it reads, and what it changes.
    #[inline(always)]
    pub(crate) fn note_for_waits(&mut self, access: &Access) {
        let event = self.execution.history.length();
        let state = self.threads.at(self.running);
        state.events += 1;
        let &Access { address, width, before, after, .. } = access;
        // A store that changes nothing would, once others have changed its bytes.
        if access.kind != Kind::Store || before == after {
            state.reads.push(Read { address, value: before, event, width });
        }
        if before != after {
            state.changes.push(Change { thing: Thing { address, width }, before, after, event });
            self.globals.writes(address, width, before);
        }
    }

    /// The running thread is about to perform an operation on an object that is in this state.
    pub(crate) fn note_object(&mut self, object: Object, before: u64, looks: Looks) {
        let after = self.execution.state.objects.mutex_state(object);
        let event = self.execution.history.length();
        let state = self.threads.at(self.running);
        if let Looks::Like(value) = looks {
            state.reads.push(Read { address: object.index(), value, event, width: 0 });
        }
        if before != after {
            state.changes.push(Change { thing: Thing::object(object), before, after, event });
        }
    }

    /// The running thread is about to look at an object that is no mutex, and to leave it as it is.
    pub(crate) fn looks_at(&mut self, object: Object) {
        let (value, event) = (self.execution.state.objects.seen(object, self.running), self.execution.history.length());
        let reads = &mut self.threads.at(self.running).reads;
        reads.push(Read { address: object.index(), value, event, width: 0 });
    }

    /// What the running thread has done since this mark was without effect.
    pub(crate) fn has_done_nothing(&mut self, since: Option<Mark>) {
        let Some(since) = since else { return };
        let state = self.threads.at(self.running);
        state.effects = since.effects;
        state.changes.truncate(since.changes);
    }

    /// The running thread has read these bytes.
    pub(crate) fn reads(&mut self, address: usize, width: u8, value: u64) {
        let event = self.execution.history.length();
        self.threads.at(self.running).reads.push(Read { address, value, event, width });
    }

    /// Whether the thread would read the same again, from this one of its reads on.
    pub(crate) fn reads_the_same(&self, thread: Thread, since: usize) -> bool {
        self.threads.of(thread).reads[since..].iter().all(|read| match read.width {
            0 => self.execution.state.objects.seen(Object(read.address as u32), thread) == read.value,
            _ => held(read.thing()) == read.value,
        })
    }

    /// Whether the thread waits for bytes that may not be accessed any more.
    #[cold]
    fn waits_for_lost(&mut self, thread: Thread) -> bool {
        let (first, last) = (self.threads.of(thread).waits_for, self.threads.of(thread).reads.len());
        (first..last).any(|index| {
            let thing = self.threads.of(thread).reads[index].thing();
            thing.width > 0 && self.shadow.is_hidden(thing.address) && self.is_forbidden(&thing.bytes())
        })
    }

    /// The same as [`Runtime::note_for_waits`] for an access to any number of bytes, in one piece or several.
    pub(crate) fn note_wide_for_waits(&mut self, pieces: &[WideAccess<'_>]) {
        self.threads.at(self.running).events += 1;
        pieces.iter().for_each(|piece| self.note_piece_for_waits(piece));
    }

    fn note_piece_for_waits(&mut self, access: &WideAccess<'_>) {
        let event = self.execution.history.length();
        let changes = access.before != access.after;
        let state = self.threads.at(self.running);
        for (index, (before, after)) in words(access.before).zip(words(access.after)).enumerate() {
            let (address, width) = (access.address + 8 * index, (access.before.len() - 8 * index).min(8) as u8);
            if access.kind != Kind::Store || !changes {
                state.reads.push(Read { address, value: before, event, width });
            }
            if changes {
                state.changes.push(Change { thing: Thing { address, width }, before, after, event });
                self.globals.writes(address, width, before);
            }
        }
    }

    /// Which of the waiting threads would read something else now?
    #[cold]
    pub(crate) fn wake_waiting(&mut self) {
        for index in 0..self.threads.len() {
            self.check_patience(Thread::from_index(index));
        }
        for thread in self.waiting_threads() {
            let since = self.threads.of(thread).waits_for;
            let same = self.reads_the_same(thread, since) && !(self.shadow.hides() && self.waits_for_lost(thread));
            self.execution.state.wake(thread, if same { Wakes::NotYet } else { Wakes::Yes });
        }
        if self.execution.state.is_stuck() {
            for thread in self.waiting_threads() {
                if self.is_watched_in_passing(thread) {
                    self.execution.state.wake(thread, Wakes::Yes);
                }
            }
            for thread in (0..self.threads.len()).map(Thread::from_index) {
                if self.execution.state.is_patient(thread) {
                    self.note_mutex_of_wait(thread);
                    if self.is_watched_in_passing(thread) {
                        self.execution.state.lose_patience(thread);
                    }
                }
            }
        }
    }

    fn waiting_threads(&self) -> Vec<Thread> {
        let threads = (0..self.threads.len()).map(Thread::from_index);
        threads.filter(|&thread| matches!(self.execution.state.threads.status(thread), Status::Waiting(_))).collect()
    }

    /// Whether a wait loop lets go in passing of a mutex that another thread waits for. Then nobody is stuck: other
    /// executions, in which that thread takes it then, stand for all that can follow.
    pub(crate) fn lets_go_in_passing(&self) -> bool {
        let waiting = self.waiting_threads();
        let passes = |object| waiting.iter().any(|&one| self.threads.of(one).passing.contains(&Thing::object(object)));
        (0..self.threads.len()).any(|index| match self.execution.state.threads.status(Thread::from_index(index)) {
            Status::Arrived(Pending::Lock(object) | Pending::Wait(Wish::Lock(object), _)) => passes(object),
            _ => false,
        })
    }

    /// A thread that waits on a condition variable in a loop holds the mutex before and after.
    fn note_mutex_of_wait(&mut self, thread: Thread) {
        let status = self.execution.state.threads.status(thread);
        if let Status::Arrived(Pending::Wait(Wish::Wake { mutex: Some(mutex), .. }, _)) = status {
            self.threads.at(thread).passing.push(Thing::object(mutex));
        }
    }

    /// Whether what this thread, which waits, changes in passing is something that another one waits for.
    fn is_watched_in_passing(&self, thread: Thread) -> bool {
        let passing = &self.threads.of(thread).passing;
        !passing.is_empty()
            && self.waiting_threads().iter().filter(|&&other| other != thread).any(|&other| {
                let state = self.threads.of(other);
                let mut reads = state.reads[state.waits_for..].iter();
                reads.any(|read| passing.iter().any(|thing| thing.overlaps(read.thing())))
            })
    }
}

/// What an operation on an object tells its thread about it.
#[derive(Clone, Copy)]
pub(crate) enum Looks {
    /// Nothing: it happens in one state of the object only, and is waited for.
    Alike,
    /// This, of what [`engine::execution::Objects::seen`] gives.
    Like(u64),
}

/// Whether a thread that looks (at a thing, between two events) finds some of the changes.
fn was_seen_among(changes: &[&Change], touched: impl Fn(Thing, u32, u32) -> bool) -> bool {
    changes.iter().enumerate().any(|(index, change)| {
        let original = changes.iter().find(|first| first.thing.overlaps(change.thing)).map(|first| first.before);
        let next = changes[index + 1..].iter().find(|later| later.thing == change.thing);
        let until = next.map_or(u32::MAX, |later| later.event);
        original != Some(change.after) && touched(change.thing, change.event, until)
    })
}

impl Runtime {
    /// The event by which the thread came to hold the object.
    pub(crate) fn acquired(&self, holder: Thread, object: Object) -> Option<u32> {
        let thing = Thing::object(object);
        let changes = || self.threads.of(holder).changes.iter().rev().filter(|change| change.thing == thing);
        let mutex = changes().find(|change| change.before == 0).or_else(|| changes().next()).map(|change| change.event);
        let other = || self.threads.of(holder).holds.iter().find(|&&(held, _)| held == object).map(|&(_, event)| event);
        mutex.or_else(other)
    }

    /// The running thread's next event is the one by which it comes to hold the object, which is no mutex.
    pub(crate) fn takes_hold(&mut self, object: Object) {
        let event = self.execution.history.length();
        self.threads.at(self.running).holds.push((object, event));
    }

    /// The running thread holds it no longer, or one time less.
    pub(crate) fn lets_go(&mut self, object: Object) {
        let holds = &mut self.threads.at(self.running).holds;
        if let Some(last) = holds.iter().rposition(|&(held, _)| held == object) {
            holds.remove(last);
        }
    }

    /// The events at which the thread, which waits in a loop, read what it waits for.
    pub(crate) fn waits_for(&self, thread: Thread) -> impl Iterator<Item = u32> {
        let state = self.threads.of(thread);
        let first = self.patient_since(thread).unwrap_or(state.waits_for);
        state.reads[first..].iter().map(|read| read.event)
    }
}

impl Runtime {
    /// The loop that has gone round most often since it was entered.
    pub(crate) fn busiest_loop(&self) -> Option<BusyLoop> {
        let threads = (0..self.threads.len()).map(Thread::from_index);
        let loops = threads.flat_map(|thread| {
            self.threads.of(thread).visits.active().map(move |(site, rounds)| (thread, site, rounds))
        });
        let (thread, site, rounds) = loops.filter(|&(_, _, rounds)| rounds > 0).max_by_key(|&(_, _, rounds)| rounds)?;
        let record = Record::behind(site);
        let function = record.function().to_owned();
        Some(BusyLoop { thread: thread.0.into(), place: record.place(), function, rounds })
    }
}

crate::abi::same_hooks!(__fh_endless, __fh_loop);

crate::abi::same_record!(fh_loop, Loop, number, unused);
