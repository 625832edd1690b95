//! Iterative context bounding: every execution with at most K preemptions exactly once, those with fewer first.
//!
//! Source: Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded Programs",
//! PLDI 2007 (the explorer that the TACAS'11 paper and SOBER put their monitors on). Without a bound it is plain
//! depth-first search over all interleavings.
//!
//! How to read: an execution is a list of decisions (`nodes`), one for each point with more than one alternative.
//! Choice 0 at a point where the previous thread could go on lets it; any other choice there is a preemption. Round k
//! runs exactly the executions with k preemptions: it starts from each prefix whose last decision is the k-th
//! preemption, and from there searches depth first over the *free* decisions only. Each point met on the way at which
//! a preemption was possible becomes such a prefix for round k + 1.
//!
//! Deviations from the paper:
//! 1. The paper's work queue holds a state a prefix; ours holds one packed entry an execution ([`super::frontier`]),
//!    about one byte for each execution of the next round.
//! 2. The paper counts a switch at a blocking operation as free and has no yields; here a yield and a wait loop
//!    without effect are free too (docs/counting.md).
//!
//! Invariants: a decision is pushed at most once a prefix; no two executions have the same decisions; an execution of
//! round k has exactly k preemptions.

mod decision;
mod slices;

use std::collections::VecDeque;

use super::Corrupt;
use super::frontier::{Chunk, Entry, Frontier, Point};
use super::slice::{Leftover, Unit};
use super::{Counting, Counts, Diverged, Finish, Halt, Notice, Observer, Previous, Start, Strategy, alternative};
use crate::event::Thread;
use crate::step::Step;
use crate::thread_set::ThreadSet;
use decision::{Cost, DecisionNode, Verify, digest, narrow};
use slices::{Begins, Digest, Entries, First, Subtree, Task, alternatives, approximate};

/// The number of its shallowest open decisions at which a search is cut: there is little behind the deeper ones.
const CUTS: usize = 16;

/// The explorer `bounded`, which searches depth first within a bound on preemptions.
#[derive(Debug)]
pub struct Bounded {
    bound: Option<u32>,
    round: u32,
    nodes: Vec<DecisionNode>,
    /// The number of `nodes` that this execution has passed.
    position: usize,
    /// The number of first `nodes` that belong to the prefix and are not varied.
    fixed: usize,
    /// The weight of all that is below the prefix.
    weight: f64,
    /// The index of the first of `nodes` that takes a preemption which only repeats a failed iteration; kept only where
    /// preemptions are not bounded.
    repeating: Option<usize>,
    counts: Counts,
    state: Phase,
    rounds: Rounds,
    /// The tasks that come after `now`.
    tasks: VecDeque<Task>,
    /// The prefixes of this round, and in `next` those of the next one.
    now: Frontier,
    next: Frontier,
    entry: Entry,
    /// The number of points of `entry` that are left; the last of them comes next, with the alternative `choice`.
    points: usize,
    choice: u32,
    /// The decision before which the events are still to be compared with a digest, if there is one.
    unverified: Option<Verify>,
    /// The digest of the events of the last execution before its last possible preemption.
    digest: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Unstarted,
    Ended(Finish),
    Running,
}

/// The party that begins the rounds after the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rounds {
    /// This explorer begins them.
    Here,
    /// Whoever joins the slices begins them.
    Elsewhere,
}

impl Bounded {
    /// Makes an explorer of all executions with at most `preemptions` preemptions, or of all executions.
    #[must_use]
    pub fn new(preemptions: Option<u32>) -> Self {
        Self::of([Task::whole()].into(), preemptions, Rounds::Here)
    }

    fn of(tasks: VecDeque<Task>, preemptions: Option<u32>, rounds: Rounds) -> Self {
        Self {
            bound: preemptions,
            round: 0,
            nodes: Vec::new(),
            position: 0,
            fixed: 0,
            weight: 1.0,
            repeating: None,
            counts: Counts::Once,
            state: Phase::Unstarted,
            rounds,
            tasks,
            now: Frontier::default(),
            next: Frontier::default(),
            entry: Entry::default(),
            points: 0,
            choice: 1,
            unverified: None,
            digest: 0,
        }
    }

    /// Makes the explorer of the first slice of a search.
    #[must_use]
    pub fn first_slice(preemptions: Option<u32>) -> Self {
        Self::of([Task::whole()].into(), preemptions, Rounds::Elsewhere)
    }

    /// Returns the unit of a whole search.
    #[must_use]
    pub fn whole() -> Unit {
        Task::whole().pack(1.0)
    }

    /// Makes an explorer of these units, which are of one round, and of nothing else: what they give for the next round is handed
    /// out by [`Strategy::leave`].
    ///
    /// # Errors
    /// [`Corrupt`], if the units are not such as [`Strategy::leave`] hands out.
    pub fn slice(preemptions: Option<u32>, units: &[Unit]) -> Result<Self, Corrupt> {
        let tasks = units.iter().map(Task::unpack).collect::<Result<VecDeque<Task>, Corrupt>>()?;
        Ok(Self::of(tasks, preemptions, Rounds::Elsewhere))
    }

    /// Steps to the next execution of the depth-first search below the prefix, and returns the number of events that it has in
    /// common with the last one; none if no execution is left. What is below the stepped decision is done with.
    fn backtrack(&mut self) -> Option<u32> {
        let stepped = (self.fixed..self.nodes.len()).rev().find(|&index| self.is_open(index));
        self.drop_from(stepped.map_or(self.fixed, |index| index + 1));
        let stepped = stepped?;
        let node = &mut self.nodes[stepped];
        node.choice += 1;
        if self.bound.is_none() {
            let here = node.waited.then_some(stepped);
            self.repeating = self.repeating.filter(|&first| first < stepped).or(here);
            self.counts = if self.repeating.is_some() { Counts::AsAnother } else { Counts::Once };
        }
        Some(node.event)
    }

    /// Whether the search varies the decision: where preemptions are bounded, they belong to the next round.
    fn varies(&self, node: &DecisionNode) -> bool {
        self.bound.is_none() || node.cost != Cost::Preemption
    }

    /// Whether the decision has an alternative that is still to be taken in this round.
    fn is_open(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        self.varies(node) && node.choice + 1 < node.count
    }

    /// Drops the nodes from `kept` on, below which everything has been run.
    fn drop_from(&mut self, kept: usize) {
        if self.bound.is_some_and(|bound| self.round < bound) {
            self.emit(kept);
        }
        self.nodes.truncate(kept);
    }

    /// Steps to the next prefix, of this round or the next, and returns the number of events in common with the last execution.
    fn advance(&mut self) -> Option<u32> {
        loop {
            // The points are taken from the last one on: once its prefix is verified, the prefixes of all are.
            if let Some(&point) = self.points.checked_sub(1).and_then(|last| self.entry.points.get(last)) {
                let choice = self.choice;
                if choice < point.alternatives {
                    self.choice += 1;
                } else {
                    (self.points, self.choice) = (self.points - 1, 1);
                }
                self.counts = point.counts;
                return Some(self.load_prefix(point.decision, choice));
            }
            if self.now.pop(&mut self.entry) {
                self.begin_entry();
                continue;
            }
            match self.tasks.pop_front() {
                Some(Task::Subtree(subtree)) => return self.enter(subtree),
                Some(Task::Entries(entries)) => self.take(entries),
                None if self.rounds == Rounds::Here && self.bound.is_some_and(|bound| self.round < bound) => {
                    std::mem::swap(&mut self.now, &mut self.next);
                    self.round += 1;
                }
                None => return None,
            }
        }
    }

    /// Begins with all points of the entry.
    fn begin_entry(&mut self) {
        (self.points, self.choice) = (self.entry.points.len(), 1);
        let decision = self.entry.points.last().expect("entries have points").decision as usize;
        self.unverified = Some(Verify { decision, digest: self.entry.digest });
    }

    /// Replaces `nodes` by the entry's decisions before `decision` and `choice` there, and returns the number of events in common
    /// with the last execution.
    fn load_prefix(&mut self, decision: u32, choice: u32) -> u32 {
        let length = decision as usize + 1;
        let mut shared = self.nodes.last().map_or(0, |last| last.event);
        let mut same = true;
        let mut given = self.entry.decisions.iter().peekable();
        for index in 0..length {
            let wanted = if index + 1 == length {
                choice
            } else {
                given.next_if(|&&(at, _)| at as usize == index).map_or(0, |&(_, choice)| choice)
            };
            match self.nodes.get_mut(index) {
                Some(node) if same && node.choice == wanted => {}
                Some(node) => {
                    if same {
                        shared = node.event;
                        *node = DecisionNode { choice: wanted, waited: false, ..*node };
                    } else {
                        *node = DecisionNode::unknown(wanted);
                    }
                    same = false;
                }
                None => {
                    same = false;
                    self.nodes.push(DecisionNode::unknown(wanted));
                }
            }
        }
        self.nodes.truncate(length);
        (self.fixed, self.weight) = (length, 1.0);
        shared
    }

    /// Takes the decision at this point: the choice that the prefix has for it, or 0.
    #[inline(always)]
    fn decide(&mut self, event: u32, count: u32, cost: Cost) -> Result<u32, Diverged> {
        let position = self.position;
        self.position += 1;
        let Some(node) = self.nodes.get_mut(position) else {
            self.push(DecisionNode { event, choice: 0, count, cost, waited: false });
            return Ok(0);
        };
        if node.count == 0 {
            (node.event, node.count, node.cost) = (event, count, cost);
        }
        if (node.event, node.count, node.cost) != (event, count, cost) || node.choice >= count {
            return Err(Diverged);
        }
        Ok(node.choice)
    }

    /// Adds a decision at the end. This is not inline so that the decisions that are there already do not pay for a vector that
    /// may grow.
    #[inline(never)]
    fn push(&mut self, node: DecisionNode) {
        self.nodes.push(node);
    }

    /// Puts the preemptions at the nodes from `first` on into the next round: all that these nodes allow without a
    /// preemption has been run, so it is known at which of them a thread would only have waited.
    fn emit(&mut self, first: usize) {
        let entry = &mut Entry { digest: self.digest, ..Entry::default() };
        for (index, node) in self.nodes.iter().enumerate().skip(first) {
            if node.cost == Cost::Preemption {
                let counts = if node.waited { Counts::AsAnother } else { self.counts };
                entry.points.push(Point { decision: narrow(index), alternatives: node.count - 1, counts });
            }
        }
        let Some(last) = entry.points.last() else { return };
        let prefix = self.nodes.iter().take(last.decision as usize).enumerate();
        entry.decisions.extend(prefix.filter(|(_, node)| node.choice > 0).map(|(i, node)| (narrow(i), node.choice)));
        self.next.push(entry);
    }

    /// Goes on with a search, which has no event in common with the execution before.
    fn enter(&mut self, subtree: Subtree) -> Option<u32> {
        let Subtree { round, begins, counts, repeating, fixed, weight, unverified, nodes } = subtree;
        self.round = round;
        (self.counts, self.repeating, self.nodes) = (counts, repeating, nodes);
        (self.fixed, self.weight, self.unverified) = (fixed, weight, unverified);
        if begins == Begins::Stepping {
            self.backtrack()?;
        }
        Some(0)
    }

    /// Goes on with the first of the entries.
    fn take(&mut self, entries: Entries) {
        self.round = entries.round;
        self.now = Frontier::from(entries.chunk);
        assert!(self.now.pop(&mut self.entry), "entries are at least one");
        self.begin_entry();
        self.choice = entries.first.choice;
        if entries.first.digest == Digest::Unknown {
            self.unverified = None;
        }
    }

    /// Returns all that is still to be run, as units of this round and of the next.
    fn hand_out(&mut self, steps: &[Step]) -> Leftover {
        let mut now = Vec::new();
        let entry = self.rest_of_entry(steps);
        match self.state {
            Phase::Running => panic!("an execution ends before the search does"),
            Phase::Unstarted => {}
            Phase::Ended(Finish::Again) => now.push(self.again()),
            Phase::Ended(Finish::Done) => self.cut(steps, &mut now),
        }
        now.extend(entry);
        let round = self.round;
        let waiting = |round: u32, chunk: Chunk| {
            let weight = approximate(chunk.prefixes);
            Task::Entries(Entries { round, first: First::WHOLE, chunk }).pack(weight)
        };
        now.extend(self.now.drain().map(|chunk| waiting(round, chunk)));
        now.extend(self.tasks.drain(..).map(|task| task.pack(task.weight(self.bound))));
        let next = self.next.drain().map(|chunk| waiting(round + 1, chunk)).collect();
        Leftover { now, next }
    }

    /// Returns, as a unit, the execution that has to be run again and what is open besides it.
    fn again(&self) -> Unit {
        let subtree = Subtree {
            round: self.round,
            begins: Begins::Running,
            counts: self.counts,
            repeating: self.repeating,
            fixed: self.fixed,
            weight: self.weight,
            unverified: self.unverified,
            nodes: self.nodes.clone(),
        };
        let again = Task::Subtree(subtree);
        again.pack(again.weight(self.bound))
    }

    /// Cuts the search that is under way, from its deep end on.
    fn cut(&mut self, steps: &[Step], into: &mut Vec<Unit>) {
        let open: Vec<usize> = (self.fixed..self.nodes.len()).filter(|&index| self.is_open(index)).collect();
        self.drop_from(open.last().map_or(self.fixed, |index| index + 1));
        let mut end = open.len();
        while end > 0 {
            let mut begin = end - 1;
            while begin > 0 && (begin > CUTS || !self.is_cut_above(open[begin - 1], open[begin], steps)) {
                begin -= 1;
            }
            let fixed = if begin == 0 { self.fixed } else { open[begin - 1] + 1 };
            let last = open[end - 1];
            let nodes = self.nodes[..=last].to_vec();
            let event = nodes[last].event as usize;
            let subtree = Subtree {
                round: self.round,
                begins: Begins::Stepping,
                counts: self.counts,
                repeating: self.repeating.filter(|&first| first <= last),
                fixed,
                weight: self.weight / alternatives(self.bound, &self.nodes[self.fixed..fixed]),
                unverified: Some(Verify { decision: last, digest: digest(&steps[..event]) }),
                nodes,
            };
            let part = Task::Subtree(subtree);
            into.push(part.pack(part.weight(self.bound)));
            end = begin;
        }
    }

    /// Whether what is below the open decision `lower` tells nothing to the decisions from `upper` on upwards.
    fn is_cut_above(&self, upper: usize, lower: usize, steps: &[Step]) -> bool {
        let stays = |node: &&DecisionNode| node.cost == Cost::Preemption && node.choice == 0;
        let Some(last) = self.nodes[self.fixed..=upper].iter().rev().find(stays) else { return true };
        let since = &steps[last.event as usize..self.nodes[lower].event as usize];
        since.iter().any(|step| step.thread != since[0].thread)
    }

    /// Returns what is left of the entry at hand. The digest of the events before its last point is known if the last execution
    /// came there.
    fn rest_of_entry(&self, steps: &[Step]) -> Option<Unit> {
        let points = &self.entry.points[..self.points];
        let last = points.last()?.decision as usize;
        let event = self.nodes.get(last).filter(|node| node.count > 0).map(|node| node.event as usize);
        let before = event.and_then(|event| steps.get(..event));
        let entry = Entry {
            decisions: self.entry.decisions.iter().copied().filter(|&(index, _)| (index as usize) < last).collect(),
            points: points.to_vec(),
            digest: before.map_or(0, digest),
        };
        let digest = if before.is_some() { Digest::Known } else { Digest::Unknown };
        let mut chunk = Chunk { bytes: Vec::new(), prefixes: entry.prefixes() };
        entry.write(&mut chunk.bytes);
        let rest = Task::Entries(Entries { round: self.round, first: First { choice: self.choice, digest }, chunk });
        Some(rest.pack(rest.weight(self.bound)))
    }
}

impl Observer for Bounded {
    fn notice(&mut self, notice: Notice) {
        let Notice::Waited { event } = notice else { return };
        for node in self.nodes[..self.position].iter_mut().rev().take_while(|node| node.event >= event) {
            if node.event == event && node.cost == Cost::Preemption {
                node.waited = true;
            }
        }
    }
}

impl Strategy for Bounded {
    fn begin(&mut self) -> Option<Start> {
        let shared = match self.state {
            Phase::Running => panic!("an execution ends before the next begins"),
            Phase::Unstarted => self.advance()?,
            Phase::Ended(Finish::Again) => u32::MAX,
            Phase::Ended(Finish::Done) => match self.backtrack() {
                Some(shared) => shared,
                None => self.advance()?,
            },
        };
        self.position = 0;
        self.state = Phase::Running;
        Some(Start {
            shared,
            preemptions: self.bound.map(|_| self.round),
            counts: self.counts,
            counting: Counting::Representatives,
        })
    }

    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt> {
        let choice = match previous {
            Previous::Continues(thread) => match self.decide(event, enabled.len() + 1, Cost::Preemption)? {
                0 => return Ok(thread),
                choice => choice,
            },
            Previous::Stopped(_) => self.decide(event, enabled.len(), Cost::Free)?,
        };
        alternative(choice, previous, enabled).map_err(Halt::from)
    }

    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Halt> {
        let Some(node) = self.nodes.get(self.position) else { return Ok(()) };
        let decided_here = node.count > 0 && node.event == event && node.cost != Cost::Value;
        if only.is_none() || decided_here { Err(Halt::Diverged) } else { Ok(()) }
    }

    fn value(&mut self, event: u32, count: u64) -> Result<u64, Diverged> {
        let count = u32::try_from(count).map_err(|_| Diverged)?;
        self.decide(event, count, Cost::Value).map(u64::from)
    }

    fn strayed(&mut self, steps: &[Step]) -> Option<u32> {
        if let Some(Verify { decision, digest: expected }) = self.unverified.take() {
            let before = self.nodes[..self.position].get(decision).map(|node| node.event);
            let repeated = before.and_then(|event| steps.get(..event as usize));
            if repeated.map(digest) != Some(expected) {
                return Some(before.unwrap_or_else(|| narrow(steps.len())));
            }
        }
        if self.bound.is_some_and(|bound| self.round < bound) {
            let last = self.nodes[..self.position].iter().rev().find(|node| node.cost == Cost::Preemption);
            self.digest = last.and_then(|node| steps.get(..node.event as usize)).map_or(0, digest);
        }
        None
    }

    fn finish(&mut self, finish: Finish) {
        assert_eq!(self.state, Phase::Running, "an execution ends once");
        self.state = Phase::Ended(finish);
        if finish == Finish::Done {
            // Decisions that a cut-short execution did not reach do not belong to it.
            self.nodes.truncate(self.position);
        }
    }

    fn kept(&self) -> u64 {
        (self.now.bytes() + self.next.bytes() + self.nodes.capacity() * size_of::<DecisionNode>()) as u64
    }

    fn leave(&mut self, steps: &[Step]) -> Option<Leftover> {
        Some(self.hand_out(steps))
    }
}
