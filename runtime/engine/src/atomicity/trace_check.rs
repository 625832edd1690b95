//! The check of whether all TSO executions with one order of issues are serializable (001-enea-tacas16, sections 5 and 6,
//! definition 3; docs/monitors.md, sections 6.3 to 6.5.)
//!
//! Values are ignored, so on a program with branches the answer is a prediction, and wrong both ways; on a log it is
//! all that can be said. The question is coNP-complete, so the search has a [`CheckBudget`], and its end is no verdict.
//!
//! Read [`TraceCheck::event`], which only notes what happens, then `TraceCheck::examine`. The trace is examined in
//! windows: after each of them all transactions go that can be on no cycle any more. These are those which no possible
//! edge path leads to from a transaction that is open or has a store waiting, since only such a transaction can get an
//! edge from later events. Where threads empty their buffers now and then, windows stay small.
//!
//! Deviations from the paper:
//! 1. Theorem 5 as printed raises false alarms, and figures 3 and 4 also miss violations; this is the corrected
//!    theorem 5: the requirements of the edges are kept in the constraint graph (`trace_check/constraints.rs`), which
//!    the paper does not have.
//! 2. Chains and profiles of chains are replaced by a search with the same idea (`trace_check/search.rs`).
//! 3. Read-modify-writes, objects, creations and joins: see [`crate::atomicity`].

use std::collections::BTreeMap;

use super::program_order::{Earlier, ProgramOrder, ProgramStep};
use super::transactions::{Change, Mark, Transactions, Unbalanced};
use super::violation::{Transaction, Violation, is_nothing};
use crate::event::{Barrier, Event, EventIndex, Kind, Location, Object, Thread};
use constraints::{Commit, NEVER, Position, Requirements};
use search::{Exhausted, OUTSIDE, Search};
use window::{Arc, Variable, VariableAccess, VariableEffect, Window};

mod constraints;
mod search;
mod window;

/// The limits on what the check of a trace may cost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CheckBudget {
    /// The most steps that all searches together may take; one takes about a microsecond.
    pub steps: u64,
    /// The most accesses that may have to be kept at a time; one takes some hundred bytes.
    pub accesses: usize,
}

impl Default for CheckBudget {
    fn default() -> Self {
        Self { steps: 1_000_000, accesses: 4_000_000 }
    }
}

/// What is known of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Every execution is serializable, as far as the trace has been told.
    Serializable,
    /// Some execution is not serializable.
    Violated,
    /// The budget ended before either was known.
    Undecided,
}

/// An event, by its transaction's number.
#[derive(Clone, Copy, Debug)]
struct Point {
    transaction: u64,
    event: EventIndex,
}

/// An access of the window. What belongs to a store is in [`Store`].
#[derive(Clone, Copy, Debug)]
struct Noted {
    at: Point,
    thread: Thread,
    variable: Variable,
    effect: VariableEffect,
    issue: Position,
    /// The store that a write is, or the own store that a buffered load may read out of the buffer.
    store: Option<usize>,
}

#[derive(Clone, Debug)]
struct ThreadState {
    order: ProgramOrder<Point>,
    /// The transaction that is open, once it has an event.
    open: Option<u64>,
    /// The number of the transaction that is open.
    number: u32,
    /// The stores that have been issued since the buffer was empty.
    waiting: Vec<usize>,
    /// The last of these stores to each location.
    last: BTreeMap<Location, usize>,
}

/// A store, and its transaction.
#[derive(Clone, Copy, Debug)]
struct Store {
    commit: Commit,
    transaction: u64,
}

/// The check of traces: told a trace step by step, it says which cycles some execution of it has.
///
/// Of each part of the trace that has a cycle, one cycle is reported.
#[derive(Debug)]
pub struct TraceCheck {
    budget: CheckBudget,
    outcome: Outcome,
    /// Whether the budget is used up.
    is_over: bool,
    transactions: Transactions,
    threads: Vec<ThreadState>,
    /// The transactions of the window with their numbers, in the order in which they began, and the number of the next one.
    known: Vec<(u64, Transaction)>,
    next: u64,
    accesses: Vec<Noted>,
    stores: Vec<Store>,
    /// The pairs of events that program order, creations and joins put in order.
    fixed: Vec<[Point; 2]>,
    /// The number of accesses at which the next window is full.
    full: usize,
    /// The number of steps that are left.
    steps: u64,
    events: EventIndex,
    earlier: Vec<Earlier<Point>>,
}

/// The number of accesses and orders below which a window is not worth an examination.
const SMALL: usize = 4096;

/// The most entries that the tables of one search may have.
const TABLE: usize = 1 << 25;

const fn location(location: Location) -> Variable {
    2 * location.0 as Variable
}

const fn object(object: Object) -> Variable {
    2 * object.0 as Variable + 1
}

impl TraceCheck {
    /// Makes a check that has this budget for each trace.
    #[must_use]
    pub fn new(budget: CheckBudget) -> Self {
        Self {
            budget,
            outcome: Outcome::Serializable,
            is_over: false,
            transactions: Transactions::default(),
            threads: Vec::new(),
            known: Vec::new(),
            next: 0,
            accesses: Vec::new(),
            stores: Vec::new(),
            fixed: Vec::new(),
            full: SMALL,
            steps: budget.steps,
            events: 0,
            earlier: Vec::new(),
        }
    }

    /// Forgets the last trace; the next event is the first of a new one.
    pub fn begin(&mut self) {
        *self = Self::new(self.budget);
    }

    /// Takes a mark of the thread.
    ///
    /// # Errors
    /// If the mark ends a transaction that has not begun. The mark then changes nothing.
    pub fn mark(&mut self, thread: Thread, mark: Mark) -> Result<(), Unbalanced> {
        match self.transactions.mark(thread, mark)? {
            Change::Opened(number) => self.thread(thread).number = number,
            Change::Closed => self.thread(thread).open = None,
            Change::Nothing => {}
        }
        Ok(())
    }

    /// Takes the next event, in the order of issues. `locations` are the locations of an access, in ascending order and without
    /// duplicates; empty for an event that is no access. Appends the cycles that are found on this occasion.
    pub fn event(&mut self, event: &Event, locations: &[Location], violations: &mut Vec<Violation>) {
        let thread = event.thread;
        self.events += 1;
        if is_nothing(event) || self.is_over {
            self.transactions.single(thread);
            return;
        }
        let at = Point { transaction: self.transaction(thread), event: self.events - 1 };
        let issue = 2 * Position::from(at.event);
        if event.before == Barrier::Full {
            self.follow(thread, ProgramStep::Drain, at, issue);
        }
        match event.kind {
            Kind::Load => {
                self.follow(thread, ProgramStep::Load(locations), at, issue);
                for &place in locations {
                    let store = self.thread(thread).last.get(&place).copied();
                    self.note(Noted {
                        at,
                        thread,
                        variable: location(place),
                        effect: VariableEffect::Reads,
                        issue,
                        store,
                    });
                }
            }
            Kind::Store => self.store(thread, locations, at, issue),
            Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw => {
                let effect = if event.kind.writes() { VariableEffect::Writes } else { VariableEffect::Reads };
                self.follow(thread, ProgramStep::Drain, at, issue);
                for &place in locations {
                    self.note(Noted { at, thread, variable: location(place), effect, issue, store: None });
                }
            }
            Kind::Await(_) => {
                self.force(thread, locations, issue);
                self.follow(thread, ProgramStep::Load(locations), at, issue);
                self.store(thread, locations, at, issue);
            }
            // This is a full fence, whose effect came with the barrier before it.
            Kind::Fence => {}
            Kind::Share(of) if event.before != Barrier::Full => {
                self.follow(thread, ProgramStep::Load(&[]), at, issue);
                self.note(Noted {
                    at,
                    thread,
                    variable: object(of),
                    effect: VariableEffect::Reads,
                    issue,
                    store: None,
                });
            }
            kind => self.synchronise(thread, kind, at, issue),
        }
        if event.after == Barrier::Full {
            self.follow(thread, ProgramStep::Drain, at, issue + 1);
        }
        if self.accesses.len() + self.fixed.len() >= self.full {
            self.examine(violations);
        }
    }

    /// Ends the trace, and appends the cycles that are found in what is left of it. Stores still in a buffer may wait for ever.
    ///
    /// # Errors
    /// If a thread has not ended its transaction, which counts as ended here.
    pub fn end(&mut self, violations: &mut Vec<Violation>) -> Result<(), Unbalanced> {
        self.examine(violations);
        self.transactions.end()
    }

    /// Returns what is known of the trace. Before [`TraceCheck::end`], the last part of it has not been looked at.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns how many accesses the check keeps at present.
    #[must_use]
    pub const fn accesses(&self) -> usize {
        self.accesses.len()
    }

    fn thread(&mut self, thread: Thread) -> &mut ThreadState {
        if thread.index() >= self.threads.len() {
            let state = ThreadState {
                order: ProgramOrder::TSO,
                open: None,
                number: 0,
                waiting: Vec::new(),
                last: BTreeMap::new(),
            };
            self.threads.resize(thread.index() + 1, state);
        }
        &mut self.threads[thread.index()]
    }

    /// Returns the transaction of the thread's next event.
    fn transaction(&mut self, thread: Thread) -> u64 {
        let single = self.transactions.single(thread);
        let state = self.thread(thread);
        if single.is_none()
            && let Some(open) = state.open
        {
            return open;
        }
        let number = single.unwrap_or(state.number);
        let serial = self.next;
        self.next += 1;
        self.known.push((serial, Transaction { thread, number }));
        if single.is_none() {
            self.thread(thread).open = Some(serial);
        }
        serial
    }

    fn note(&mut self, access: Noted) {
        self.accesses.push(access);
    }

    /// Notes what the event comes after in its thread, and when the thread's buffer is empty.
    fn follow(&mut self, thread: Thread, step: ProgramStep<'_>, at: Point, place: Position) {
        if step == ProgramStep::Drain {
            self.drain(thread, place);
        }
        let mut earlier = std::mem::take(&mut self.earlier);
        self.thread(thread).order.follow(step, at, &mut earlier);
        self.fix(&mut earlier, at);
        self.earlier = earlier;
    }

    fn fix(&mut self, earlier: &mut Vec<Earlier<Point>>, at: Point) {
        let others = earlier.drain(..).filter(|earlier| earlier.event.transaction != at.transaction);
        self.fixed.extend(others.map(|earlier| [earlier.event, at]));
    }

    fn drain(&mut self, thread: Thread, place: Position) {
        let state = self.thread(thread);
        state.last.clear();
        for store in std::mem::take(&mut state.waiting) {
            self.stores[store].commit.due = place;
        }
    }

    /// Notes that what other threads have stored to these locations has committed at `place`: the thread `waiting` has waited for
    /// it.
    fn force(&mut self, waiting: Thread, locations: &[Location], place: Position) {
        for state in self.threads.iter_mut().enumerate().filter(|&(index, _)| index != waiting.index()) {
            let ThreadState { waiting, last, .. } = state.1;
            let stored = locations.iter().filter_map(|location| last.get(location)).max();
            let Some(&stored) = stored else { continue };
            let through = waiting.partition_point(|&store| store <= stored);
            for store in waiting.drain(..through) {
                self.stores[store].commit.due = place;
            }
            last.retain(|_, store| *store > stored);
        }
    }

    fn store(&mut self, thread: Thread, locations: &[Location], at: Point, issue: Position) {
        self.follow(thread, ProgramStep::Store(locations), at, issue);
        let number = self.stores.len();
        let commit = Commit { issue, due: NEVER, thread };
        self.stores.push(Store { commit, transaction: at.transaction });
        let state = self.thread(thread);
        state.waiting.push(number);
        state.last.extend(locations.iter().map(|&location| (location, number)));
        for &place in locations {
            let (variable, store) = (location(place), Some(number));
            self.note(Noted { at, thread, variable, effect: VariableEffect::Writes, issue, store });
        }
    }

    fn synchronise(&mut self, thread: Thread, kind: Kind, at: Point, issue: Position) {
        self.follow(thread, ProgramStep::Drain, at, issue);
        let mut operation = |of: Object, effect: VariableEffect| {
            self.note(Noted { at, thread, variable: object(of), effect, issue, store: None });
        };
        match kind {
            Kind::Lock(object) => operation(object, VariableEffect::Writes),
            Kind::Share(object) => operation(object, VariableEffect::Reads),
            Kind::Wait { condition, mutex } => {
                operation(condition, VariableEffect::Writes);
                operation(mutex, VariableEffect::Writes);
            }
            Kind::Create(child) => {
                // The creation counts as the first event of the new thread, too.
                let mut earlier = std::mem::take(&mut self.earlier);
                self.thread(child).order.follow(ProgramStep::Drain, at, &mut earlier);
                earlier.clear();
                self.earlier = earlier;
            }
            Kind::Join(ended) => {
                self.drain(ended, issue);
                let mut earlier = std::mem::take(&mut self.earlier);
                self.thread(ended).order.all(&mut earlier);
                self.fix(&mut earlier, at);
                self.earlier = earlier;
            }
            _ => {}
        }
    }

    /// Looks for cycles in the window, and drops what can be on none any more.
    fn examine(&mut self, violations: &mut Vec<Violation>) {
        if self.is_over {
            return;
        }
        let window = self.window();
        let before = violations.len();
        let searched = cycles(&window, &mut self.steps, violations);
        if violations.len() > before {
            self.outcome = Outcome::Violated;
            // What these cycles are made of is dropped, or they would be found again.
            self.keep(&vec![false; self.known.len()]);
        } else {
            let live = self.live();
            self.keep(&window.possible.reachable(live.into_iter()));
        }
        let size = self.accesses.len() + self.fixed.len();
        self.full = SMALL.max(2 * size);
        if searched.is_err() || size > self.budget.accesses {
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        self.is_over = true;
        if self.outcome == Outcome::Serializable {
            self.outcome = Outcome::Undecided;
        }
        self.threads.clear();
        self.keep(&vec![false; self.known.len()]);
    }

    /// Returns the number of a transaction in the window; none if it has been dropped.
    fn local(&self, transaction: u64) -> Option<usize> {
        self.known.binary_search_by_key(&transaction, |&(serial, _)| serial).ok()
    }

    /// Returns the transactions that may yet get edges from later events.
    fn live(&self) -> Vec<usize> {
        let open = self.threads.iter().filter_map(|thread| thread.open);
        let waiting = self.threads.iter().flat_map(|thread| &thread.waiting);
        let live = open.chain(waiting.map(|&store| self.stores[store].transaction));
        live.filter_map(|transaction| self.local(transaction)).collect()
    }

    fn window(&self) -> Window {
        let access = |noted: &Noted| {
            let commit = noted.store.map(|store| self.stores[store].commit);
            let (due, source) = match noted.effect {
                VariableEffect::Reads => (noted.issue, commit),
                VariableEffect::Writes => (commit.map_or(noted.issue, |commit| commit.due), None),
            };
            Some(VariableAccess {
                variable: noted.variable,
                thread: noted.thread,
                effect: noted.effect,
                issue: noted.issue,
                due,
                source,
                transaction: self.local(noted.at.transaction)?,
                event: noted.at.event,
            })
        };
        let arc = |[from, to]: &[Point; 2]| {
            let (source, target) = (self.local(from.transaction)?, self.local(to.transaction)?);
            Some(Arc { from: source, to: target, events: [from.event, to.event] })
        };
        let transactions = self.known.iter().map(|&(_, transaction)| transaction).collect();
        let accesses = self.accesses.iter().filter_map(access).collect();
        Window::new(transactions, accesses, self.fixed.iter().filter_map(arc).collect())
    }

    /// Drops the transactions of the window that are not to be kept, with their accesses.
    fn keep(&mut self, kept: &[bool]) {
        let mut keep = kept.iter();
        self.known.retain(|_| *keep.next().expect("one for each transaction"));
        let known = &self.known;
        let is_known = |point: &Point| known.binary_search_by_key(&point.transaction, |&(serial, _)| serial).is_ok();
        self.accesses.retain(|access| is_known(&access.at));
        self.fixed.retain(|[from, to]| is_known(from) && is_known(to));

        let mut number = vec![None; self.stores.len()];
        let mut stores = Vec::new();
        let mut moved = |store: &mut usize| {
            *store = *number[*store].get_or_insert_with(|| {
                stores.push(self.stores[*store]);
                stores.len() - 1
            });
        };
        self.accesses.iter_mut().filter_map(|access| access.store.as_mut()).for_each(&mut moved);
        for thread in &mut self.threads {
            thread.waiting.iter_mut().chain(thread.last.values_mut()).for_each(&mut moved);
        }
        self.stores = stores;
    }
}

/// Appends a cycle of each part of the window that has one.
fn cycles(window: &Window, steps: &mut u64, violations: &mut Vec<Violation>) -> Result<(), Exhausted> {
    let certain = window.certain.components();
    let possible = window.possible.components();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); possible.iter().max().map_or(0, |most| most + 1)];
    for (transaction, &component) in possible.iter().enumerate() {
        members[component].push(transaction);
    }
    members.retain(|members| members.len() > 1);
    let mut part = vec![OUTSIDE; window.transactions.len()];
    for (number, members) in members.iter().enumerate() {
        members.iter().for_each(|&member| part[member] = number);
    }
    let mut accesses: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    for (number, access) in window.accesses.iter().enumerate() {
        if let Some(accesses) = accesses.get_mut(part[access.transaction]) {
            accesses.push(number);
        }
    }
    let mut local = vec![OUTSIDE; window.transactions.len()];
    let mut result = Ok(());
    for (members, accesses) in members.iter_mut().zip(accesses) {
        // Certain edges lead from later ones to earlier ones.
        members.sort_by_key(|&member| certain[member]);
        if let Some(pair) = members.windows(2).find(|pair| certain[pair[0]] == certain[pair[1]]) {
            violations.push(certain_cycle(window, &certain, pair[0]));
            continue;
        }
        members.iter().enumerate().for_each(|(place, &member)| local[member] = place);
        let search = Search::new(window, members, accesses, &local, steps, TABLE);
        match search.ok_or(Exhausted).and_then(Search::run) {
            Ok(found) => violations.extend(found),
            Err(exhausted) => result = Err(exhausted),
        }
        members.iter().for_each(|&member| local[member] = OUTSIDE);
    }
    result
}

/// Returns a cycle of certain edges through this transaction, which is on one.
fn certain_cycle(window: &Window, components: &[usize], on: usize) -> Violation {
    let inside = window.certain.from(on).iter().filter(|arc| components[arc.to] == components[on]);
    let ways = inside.filter_map(|first| {
        let mut way = vec![*first];
        way.extend(window.certain.path(first.to, |node| node == on)?);
        Some(way)
    });
    let shortest = ways.min_by_key(Vec::len).expect("it is on a cycle");
    search::violation(&window.transactions, &shortest, &Requirements::default())
}
