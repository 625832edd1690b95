//! What the explorer should run, straight from the definitions (docs/counting.md): recursion over the
//! states of a program, without the engine.

use std::collections::{BTreeMap, VecDeque};

use engine::execution::Ending;

use super::{Decision, Happened, LOCATIONS, Life, Location, Machine, Op, Program, Ran, Run};

/// What an execution is but for its schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) preemptions: u32,
    pub(crate) ending: Ending,
    pub(crate) memory: [u8; LOCATIONS],
}

/// Nothing in the program's state keeps the thread from its next event.
pub(crate) fn unblocked(machine: &Machine, program: &Program, thread: usize) -> bool {
    let local = &machine.locals[thread];
    local.life == Life::Alive
        && match machine.operation(program, thread) {
            Op::Lock(mutex) => machine.owners[usize::from(mutex)].is_none(),
            Op::Join(other) => machine.locals[usize::from(other)].life == Life::Ended,
            _ => true,
        }
}

/// A state after an event, and what happened on the way.
type Successor = (Machine, Vec<Happened>);

/// Every way in which the thread comes to its next event.
fn run_on(program: &Program, (machine, happened): &Successor, thread: usize) -> Vec<Successor> {
    let mut found = Vec::new();
    let mut scripts: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(script) = scripts.pop() {
        let mut machine = machine.clone();
        let mut rest = script.iter();
        let mut wants = 0;
        let ran = machine.run_on(program, thread, |count| {
            wants = count;
            rest.next().copied()
        });
        let Some(Ran { failed, left_loop }) = ran else {
            scripts.extend((0..wants).map(|value| [script.as_slice(), &[value]].concat()));
            continue;
        };
        let mut happened = happened.clone();
        happened.extend(script.iter().map(|&value| Happened::Value(thread, value)));
        happened.extend(failed.map(|failed| Happened::Failed(thread, failed)));
        happened.extend(left_loop.then_some(Happened::LeftLoop(thread)));
        found.push((machine, happened));
    }
    found
}

fn start(program: &Program) -> Vec<Successor> {
    run_on(program, &(Machine::new(program), Vec::new()), 0)
}

fn perform(program: &Program, machine: &Machine, thread: usize) -> Vec<Successor> {
    let mut machine = machine.clone();
    let op = machine.operation(program, thread);
    let action = machine.perform(program, thread);
    let mut runners = vec![thread];
    if let Op::Create(child) = op {
        runners.insert(0, child.into());
    }
    let mut states = vec![(machine, vec![Happened::Action(action)])];
    for runner in runners {
        states = states.iter().flat_map(|state| run_on(program, state, runner)).collect();
    }
    states
}

fn decisions(happened: &[Happened]) -> impl Iterator<Item = Decision> {
    happened.iter().filter_map(|happened| match happened {
        Happened::Action(action) => Some(Decision::Event(action.thread)),
        &Happened::Value(_, value) => Some(Decision::Value(value)),
        Happened::Failed(..) | Happened::LeftLoop(_) => None,
    })
}

/// Every execution of a program without wait loops that has at most `bound` preemptions, by its schedule; none if
/// there are more than `limit`.
pub(crate) fn executions(
    program: &Program,
    bound: Option<u32>,
    limit: usize,
) -> Option<BTreeMap<Vec<Decision>, Outcome>> {
    let mut all = BTreeMap::new();
    for (machine, happened) in start(program) {
        enumerate(program, &machine, (0, 0), decisions(&happened).collect(), (bound, limit), &mut all)?;
    }
    Some(all)
}

fn enumerate(
    program: &Program,
    machine: &Machine,
    (current, preemptions): (usize, u32),
    schedule: Vec<Decision>,
    limits: (Option<u32>, usize),
    all: &mut BTreeMap<Vec<Decision>, Outcome>,
) -> Option<()> {
    let can: Vec<usize> = (0..program.len()).filter(|&thread| unblocked(machine, program, thread)).collect();
    if can.is_empty() {
        let complete = machine.locals.iter().all(|local| local.life != Life::Alive);
        let ending = if complete { Ending::Complete } else { Ending::Deadlock };
        let twice = all.insert(schedule, Outcome { preemptions, ending, memory: machine.memory });
        assert_eq!(twice, None, "the oracle itself counts twice");
        return (all.len() <= limits.1).then_some(());
    }
    let could_go_on = can.contains(&current) && !machine.locals[current].yielded;
    for &thread in &can {
        let preemptions = preemptions + u32::from(could_go_on && thread != current);
        if limits.0.is_some_and(|bound| preemptions > bound) {
            continue;
        }
        for (machine, happened) in perform(program, machine, thread) {
            let schedule = schedule.iter().copied().chain(decisions(&happened)).collect();
            enumerate(program, &machine, (thread, preemptions), schedule, limits, all)?;
        }
    }
    Some(())
}

/// One event of a reduced execution: who, which operation, read, written. A value that the program got has no
/// operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Event {
    thread: usize,
    at: Option<usize>,
    read: Option<u8>,
    written: Option<u8>,
    /// Of an iteration that has not come to its end.
    open: bool,
}

/// An execution without the iterations of wait loops that had no effect.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Reduced(Vec<Event>);

impl Reduced {
    fn extend(&mut self, happened: &[Happened]) {
        for happened in happened {
            match happened {
                Happened::Action(action) => self.0.push(Event {
                    thread: action.thread,
                    at: Some(action.at),
                    read: action.read,
                    written: action.written,
                    open: action.in_loop,
                }),
                &Happened::Value(thread, value) => {
                    self.0.push(Event { thread, at: None, read: Some(value), written: None, open: false });
                }
                Happened::Failed(thread, failed) => {
                    if !failed.changed {
                        self.0.retain(|event| event.thread != *thread || !event.open);
                    }
                    self.close(*thread);
                }
                Happened::LeftLoop(thread) => self.close(*thread),
            }
        }
    }

    fn close(&mut self, thread: usize) {
        self.0.iter_mut().filter(|event| event.thread == thread).for_each(|event| event.open = false);
    }

    /// The class of an execution that the engine ran.
    pub(crate) fn of(run: &Run) -> Self {
        let mut reduced = Self::default();
        reduced.extend(&run.happened);
        reduced
    }
}

/// What an iteration reads.
type Reads = Vec<(Location, u8)>;

/// What the thread's next iteration would read if it, run alone, would have no effect.
fn idles(program: &Program, machine: &Machine, thread: usize) -> Option<Reads> {
    if !machine.at_loop_head(program, thread) {
        return None;
    }
    let mut machine = machine.clone();
    loop {
        if !unblocked(&machine, program, thread) {
            return None;
        }
        machine.perform(program, thread);
        // Only behind the loop can there be a choice.
        let ran = machine.run_on(program, thread, |_| None)?;
        if let Some(failed) = ran.failed {
            return (!failed.changed).then_some(failed.watched);
        }
        if ran.left_loop || machine.locals[thread].life == Life::Ended {
            return None;
        }
    }
}

/// Where a thread that waits begins an iteration nevertheless, and where it began to wait: an iteration right after
/// its event before would have had no effect, it did something later, and what that iteration would have read has the
/// same values then. (It succeeds or has an effect since somebody writes in the middle of it.)
fn begins_while_waiting(program: &Program, Reduced(events): &Reduced) -> Option<(usize, usize)> {
    let mut machine = Machine::new(program);
    let mut waits: Vec<Option<(usize, Reads)>> = vec![None; program.len()];
    let mut at = 0;
    let run_on = |machine: &mut Machine, at: &mut usize, thread| {
        let ran = machine.run_on(program, thread, |_| {
            let value = events[*at].read;
            *at += 1;
            value
        });
        assert!(
            ran.is_some_and(|ran| ran.failed.is_none_or(|failed| failed.changed)),
            "not an execution: {program:?} {events:?}"
        );
    };
    run_on(&mut machine, &mut at, 0);
    while at < events.len() {
        let index = at;
        let event = events[index];
        if let Some((since, reads)) = waits[event.thread].take()
            && since < index
            && machine.is_as_it_was(&reads)
        {
            return Some((since, index));
        }
        at += 1;
        let op = machine.operation(program, event.thread);
        let action = machine.perform(program, event.thread);
        assert_eq!(action.read, event.read, "not an execution: {program:?} {events:?}");
        if let Op::Create(child) = op {
            run_on(&mut machine, &mut at, child.into());
        }
        run_on(&mut machine, &mut at, event.thread);
        if !machine.locals[event.thread].yielded {
            waits[event.thread] = idles(program, &machine, event.thread).map(|reads| (at, reads));
        }
    }
    None
}

/// The executions that differ only in iterations without effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    pub(crate) ending: Ending,
    /// The preemptions of its cheapest member, where waiting costs none.
    pub(crate) preemptions: u32,
    /// A thread that waits begins no iteration before something that its last one read has another value: where it
    /// does, the class is not counted. Nothing is lost by that: with the reads of such an iteration up to the first
    /// event of another thread moved to where the thread began to wait, it is another class, no dearer. (If its
    /// iterations change nothing in passing.
    /// If they do, others may have been in the way there; then the class is run without a bound, or within a higher
    /// one.)
    pub(crate) counts: bool,
}

/// Whether iterations of wait loops may change something.
fn changes_in_passing(program: &Program) -> bool {
    let changes = |op: &Op| matches!(op, Op::Lock(_) | Op::TryLock(_) | Op::Unlock(_) | Op::Store(..));
    program.iter().any(|code| code.iter().enumerate().any(|(at, op)| changes(op) && super::in_loop(code, at)))
}

/// All classes of a program.
pub(crate) fn classes(program: &Program) -> BTreeMap<Reduced, Class> {
    let mut all = search(program);
    let left_out: Vec<Reduced> =
        all.keys().filter(|&class| begins_while_waiting(program, class).is_some()).cloned().collect();
    for reduced in &left_out {
        if changes_in_passing(program) {
            all.get_mut(reduced).expect("one of them").counts = false;
            continue;
        }
        let mut moved = reduced.clone();
        while let Some((since, index)) = begins_while_waiting(program, &moved) {
            let run = moved.0[index..].iter().take_while(|event| event.thread == moved.0[index].thread).count();
            moved.0[since..index + run].rotate_right(run);
        }
        let Some(&other) = all.get(&moved) else { panic!("nothing instead of {program:?} {reduced:?}") };
        let class = all.get_mut(reduced).expect("one of them");
        class.counts = false;
        assert!(other.ending == class.ending && other.preemptions <= class.preemptions, "{program:?} {reduced:?}");
    }
    all
}

/// Every reduced execution with how it ends and the preemptions of its cheapest member, where waiting costs none.
///
/// Breadth first by preemptions over (state, who ran last, reduced execution so far): iterations without effect lead
/// back to where they began.
fn search(program: &Program) -> BTreeMap<Reduced, Class> {
    let mut found: BTreeMap<Reduced, Class> = BTreeMap::new();
    let mut seen: BTreeMap<(Machine, usize, Reduced), u32> = BTreeMap::new();
    let mut queue = VecDeque::new();
    for (machine, happened) in start(program) {
        let mut reduced = Reduced::default();
        reduced.extend(&happened);
        queue.push_back((0, (machine, 0, reduced)));
    }
    while let Some((cost, state)) = queue.pop_front() {
        if seen.contains_key(&state) {
            continue;
        }
        seen.insert(state.clone(), cost);
        let (machine, current, reduced) = state;
        let can: Vec<usize> = (0..program.len()).filter(|&thread| unblocked(&machine, program, thread)).collect();
        let idle: Vec<usize> =
            can.iter().copied().filter(|&thread| idles(program, &machine, thread).is_some()).collect();
        if can.len() == idle.len() {
            let complete = machine.locals.iter().all(|local| local.life != Life::Alive);
            let ending = match (complete, idle.is_empty()) {
                (true, _) => Ending::Complete,
                (false, true) => Ending::Deadlock,
                (false, false) => Ending::Livelock,
            };
            let class = found.entry(reduced).or_insert(Class { ending, preemptions: cost, counts: true });
            assert_eq!(class.ending, ending);
            continue;
        }
        let could_go_on = can.contains(&current) && !machine.locals[current].yielded && !idle.contains(&current);
        for &thread in &can {
            let preempts = could_go_on && thread != current;
            for (machine, happened) in perform(program, &machine, thread) {
                let mut reduced = reduced.clone();
                reduced.extend(&happened);
                if preempts {
                    queue.push_back((cost + 1, (machine, thread, reduced)));
                } else {
                    queue.push_front((cost, (machine, thread, reduced)));
                }
            }
        }
    }
    found
}
