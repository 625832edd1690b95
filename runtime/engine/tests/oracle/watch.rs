//! The bridge from the oracle to the engine's monitors of atomicity, and the check of what they report.

use engine::atomicity::{Criterion, Delay, Mark, Serializability, TraceCheck, Transaction, Violation};
use engine::event::{Location, Thread};
use engine::monitor::atomicity::Atomicity;
use engine::monitor::{Monitor, Report};

use super::atomicity::{Conflicts, Execution, Happening, Numbers, is_store};
use super::machine::Step;
use super::random::Random;
use super::replay;

/// Told an execution, step by step.
pub(crate) trait Watch {
    fn mark(&mut self, thread: Thread, mark: Mark);
    fn event(&mut self, step: &Step, violations: &mut Vec<Violation>);
    fn commit(&mut self, thread: Thread, violations: &mut Vec<Violation>);
    fn end(&mut self, violations: &mut Vec<Violation>);
}

fn locations(step: &Step) -> Vec<Location> {
    step.action.addresses().iter().map(|address| Location(address as u32)).collect()
}

impl Watch for Serializability {
    fn mark(&mut self, thread: Thread, mark: Mark) {
        self.mark(thread, mark).expect("balanced");
    }

    fn event(&mut self, step: &Step, violations: &mut Vec<Violation>) {
        self.event(&replay::event(step), &locations(step), violations);
    }

    fn commit(&mut self, thread: Thread, violations: &mut Vec<Violation>) {
        assert!(self.commit(thread, violations), "a store waits");
    }

    fn end(&mut self, violations: &mut Vec<Violation>) {
        self.end(violations).expect("balanced");
    }
}

/// Of an SC execution.
impl Watch for Atomicity {
    fn mark(&mut self, thread: Thread, mark: Mark) {
        Monitor::mark(self, thread, mark);
    }

    fn event(&mut self, step: &Step, violations: &mut Vec<Violation>) {
        let mut reports = Vec::new();
        Monitor::event(self, &replay::event(step), &locations(step), &mut reports);
        for report in reports {
            if let Report::Transactions { violation, .. } = report {
                violations.push(self.violation(violation).expect("it was reported").clone());
            }
        }
    }

    fn commit(&mut self, _thread: Thread, _violations: &mut Vec<Violation>) {
        panic!("stores commit at once");
    }

    fn end(&mut self, _violations: &mut Vec<Violation>) {}
}

impl Watch for TraceCheck {
    fn mark(&mut self, thread: Thread, mark: Mark) {
        self.mark(thread, mark).expect("balanced");
    }

    fn event(&mut self, step: &Step, violations: &mut Vec<Violation>) {
        self.event(&replay::event(step), &locations(step), violations);
    }

    fn commit(&mut self, _thread: Thread, _violations: &mut Vec<Violation>) {
        panic!("a trace has no commits");
    }

    fn end(&mut self, violations: &mut Vec<Violation>) {
        self.end(violations).expect("balanced");
    }
}

/// Gives an execution to a monitor; the transaction of each event comes back, as the monitor numbers them. A transaction
/// of one event is marked or not.
pub(crate) fn give(
    watch: &mut impl Watch,
    happenings: &[Happening],
    numbers: &Numbers,
    violations: &mut Vec<Violation>,
) -> Vec<Transaction> {
    let run: Vec<Step> = happenings
        .iter()
        .filter_map(|happening| match happening {
            Happening::Issue(step) => Some(*step),
            Happening::Commit(_) => None,
        })
        .collect();
    let number = |step: &Step| numbers[step.thread][step.op];
    let mut begun = vec![0; numbers.len()];
    let mut names = Vec::new();
    for happening in happenings {
        let step = match happening {
            Happening::Issue(step) => step,
            Happening::Commit(event) => {
                watch.commit(Thread::from_index(run[*event].thread), violations);
                continue;
            }
        };
        let place = names.len();
        let belongs = |other: &&Step| other.thread == step.thread && number(other) == number(step);
        let is_first = !run[..place].iter().any(|other| belongs(&other));
        let is_last = !run[place + 1..].iter().any(|other| belongs(&other));
        let is_marked = !(is_first && is_last) || number(step).is_multiple_of(2);
        let thread = Thread::from_index(step.thread);
        if is_first {
            begun[step.thread] += 1;
            if is_marked {
                watch.mark(thread, Mark::Begin);
            }
        }
        watch.event(step, violations);
        names.push(Transaction { thread, number: begun[step.thread] - 1 });
        if is_last && is_marked {
            watch.mark(thread, Mark::End);
        }
    }
    watch.end(violations);
    names
}

pub(crate) fn issues(run: &[Step]) -> Vec<Happening> {
    run.iter().map(|&step| Happening::Issue(step)).collect()
}

pub(crate) const fn conflicts(criterion: Criterion) -> Conflicts {
    match criterion {
        Criterion::Sc => Conflicts::Sc,
        Criterion::TsoAtOnce | Criterion::Tso => Conflicts::Tso,
        Criterion::ScEquivalence => Conflicts::Contraction,
    }
}

/// The execution of a run in which these stores are delayed, as the engine's documentation says it.
pub(crate) fn delayed(run: &[Step], delays: &[Delay]) -> Execution {
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); 8];
    let mut happenings = Vec::new();
    let is_delayed = |store: usize| delays.iter().any(|delay| delay.store as usize == store);
    for (event, &step) in run.iter().enumerate() {
        happenings.push(Happening::Issue(step));
        if is_store(&step) {
            let queue = &mut waiting[step.thread];
            queue.push(event);
            if queue.len() == 1 && !is_delayed(event) {
                queue.clear();
                happenings.push(Happening::Commit(event));
            }
        }
        for delay in delays.iter().filter(|delay| delay.after as usize == event) {
            let store = delay.store as usize;
            let queue = &mut waiting[run[store].thread];
            assert_eq!(queue.first(), Some(&store), "first in, first out: {delays:?}");
            queue.remove(0);
            happenings.push(Happening::Commit(store));
            while let Some(&next) = queue.first()
                && !is_delayed(next)
            {
                happenings.push(Happening::Commit(queue.remove(0)));
            }
        }
    }
    assert!(waiting.iter().all(Vec::is_empty), "every store commits: {delays:?}");
    let execution = Execution::new(&happenings);
    assert!(execution.is_legal(), "{delays:?}");
    execution
}

/// Checks that a violation is a cycle of this execution.
pub(crate) fn check(violation: &Violation, execution: &Execution, names: &[Transaction], conflicts: Conflicts) {
    let Violation { transactions, edges, .. } = violation;
    assert!(transactions.len() >= 2 && edges.len() == transactions.len(), "{violation:?}");
    for (place, edge) in edges.iter().enumerate() {
        let next = (place + 1) % transactions.len();
        assert!(!transactions[..place].contains(&transactions[place]), "each once: {violation:?}");
        let (from, to) = (edge.from as usize, edge.to as usize);
        assert_eq!([names[from], names[to]], [transactions[place], transactions[next]], "{violation:?}");
        assert!(execution.is_edge(from, to, conflicts), "{edge:?} of {violation:?} in {execution:?}");
    }
}

/// A random division of each thread into transactions.
pub(crate) fn numbers(random: &mut Random, lengths: impl Iterator<Item = usize>) -> Numbers {
    let one_in = 2 + random.below(3);
    let mut thread = |length: usize| {
        let mut number = 0;
        (0..length)
            .map(|op| {
                number += usize::from(op > 0 && random.chance(one_in));
                number
            })
            .collect()
    };
    lengths.map(&mut thread).collect()
}
