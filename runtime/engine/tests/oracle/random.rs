//! Random programs and random runs, the same for the same seed.

use super::machine::Step;
use super::program::{Access, Action, Addresses, Barrier, Guard, Op, Program, Value};

/// Marsaglia's xorshift64*.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Neighbouring seeds start far apart, and never at 0.
        Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn barrier(&mut self) -> Barrier {
        [Barrier::StoreStore, Barrier::Full][self.below(2)]
    }
}

/// How many addresses an access has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Widths {
    /// One.
    One,
    /// One or two neighbouring ones, but a compare-and-swap has one.
    Mixed,
    /// One or two neighbouring ones.
    MixedSwaps,
}

/// What random programs are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ingredients {
    pub(crate) threads: usize,
    /// Operations of the whole program: at most this many and two more.
    pub(crate) ops: usize,
    pub(crate) addresses: usize,
    pub(crate) widths: Widths,
    /// Compare-and-swap, and accesses with barriers.
    pub(crate) ordered: bool,
    pub(crate) guards: bool,
    pub(crate) mutexes: usize,
    pub(crate) spawns: bool,
}

impl Ingredients {
    /// Straight-line programs of loads, stores, exchanges and both fences, of three threads on two addresses.
    pub(crate) const PLAIN: Self = Self {
        threads: 3,
        ops: 0,
        addresses: 2,
        widths: Widths::One,
        ordered: false,
        guards: false,
        mutexes: 0,
        spawns: false,
    };
}

struct Cook<'r> {
    random: &'r mut Random,
    with: Ingredients,
    value: Value,
}

impl Cook<'_> {
    fn fresh_value(&mut self) -> Value {
        self.value += 1;
        self.value
    }

    fn addresses(&mut self, access: Access) -> Addresses {
        let may_be_wide = match self.with.widths {
            Widths::One => false,
            Widths::Mixed => !matches!(access, Access::CompareAndSwap { .. }),
            Widths::MixedSwaps => true,
        };
        if may_be_wide && self.random.chance(2) {
            Addresses(0b11 << self.random.below(self.with.addresses - 1))
        } else {
            Addresses(1 << self.random.below(self.with.addresses))
        }
    }

    fn barriers(&mut self) -> (Barrier, Barrier) {
        if !self.with.ordered || !self.random.chance(3) {
            return (Barrier::None, Barrier::None);
        }
        match self.random.below(5) {
            0 => (self.random.barrier(), Barrier::None),
            1 => (Barrier::None, self.random.barrier()),
            _ => (self.random.barrier(), Barrier::Full),
        }
    }

    fn action(&mut self) -> Action {
        let access = match self.random.below(if self.with.ordered { 20 } else { 18 }) {
            0..8 => Access::Store(self.fresh_value()),
            8..15 => Access::Load,
            15 | 16 => Access::Exchange(self.fresh_value()),
            17 => return Action::Fence(self.random.barrier()),
            _ => Access::CompareAndSwap { expected: self.random.below(4) as Value, new: self.fresh_value() },
        };
        let addresses = self.addresses(access);
        let (before, after) = self.barriers();
        Action::Access { access, addresses, before, after }
    }

    fn guard(&mut self, ops: &[Op]) -> Option<Guard> {
        let reads: Vec<usize> = (0..ops.len()).filter(|&op| ops[op].action.reads()).collect();
        if !self.with.guards || reads.is_empty() || !self.random.chance(3) {
            return None;
        }
        let op = reads[self.random.below(reads.len())];
        Some(Guard { op, equal: self.random.chance(2), value: self.random.below(4) as Value })
    }
}

/// A program of these ingredients.
pub(crate) fn program(random: &mut Random, with: Ingredients) -> Program {
    let mut threads = vec![Vec::new(); with.threads];
    let mut cook = Cook { random, with, value: 0 };
    let mut ops = cook.random.below(with.ops - with.threads + 1) + with.threads;
    while ops > 0 {
        let thread = cook.random.below(with.threads);
        if with.mutexes > 0 && ops >= 3 && cook.random.chance(3) {
            let mutex = cook.random.below(with.mutexes);
            let action = cook.action();
            let section = [Action::Lock(mutex), action, Action::Unlock(mutex)];
            threads[thread].extend(section.map(|action| Op { guard: None, action }));
            ops -= 3;
        } else {
            let guard = cook.guard(&threads[thread]);
            let action = cook.action();
            threads[thread].push(Op { guard, action });
            ops -= 1;
        }
    }
    if with.spawns {
        spawn_the_last(cook.random, &mut threads);
    }
    Program { threads }
}

/// Makes one of the other threads spawn the last one, and perhaps join it.
fn spawn_the_last(random: &mut Random, threads: &mut [Vec<Op>]) {
    let child = threads.len() - 1;
    let parent = &mut threads[random.below(child)];
    let place = random.below(parent.len() + 1);
    if random.chance(2) {
        let end = place + random.below(parent.len() - place + 1);
        insert(parent, end, Action::Join(child));
    }
    insert(parent, place, Action::Spawn(child));
}

/// Inserts an operation, and corrects the guards that refer to those after it.
fn insert(ops: &mut Vec<Op>, place: usize, action: Action) {
    ops.insert(place, Op { guard: None, action });
    for guard in ops.iter_mut().filter_map(|op| op.guard.as_mut()) {
        guard.op += usize::from(guard.op >= place);
    }
}

/// A run that need not be one of any program: many threads, created at any time by any thread and joined by any, and
/// accesses of at most two of `addresses`. What a read returns is of no interest to monitors.
pub(crate) fn run(random: &mut Random, threads: usize, addresses: usize, length: usize) -> Vec<Step> {
    let widths = Widths::MixedSwaps;
    let with =
        Ingredients { threads, ops: 0, addresses, widths, ordered: true, guards: false, mutexes: 0, spawns: false };
    let mut run = Vec::with_capacity(length);
    let mut running = vec![0];
    let mut unborn: Vec<usize> = (1..threads).collect();
    while run.len() < length {
        let thread = running[random.below(running.len())];
        let action = match random.below(12) {
            0 if !unborn.is_empty() => {
                let child = unborn.swap_remove(random.below(unborn.len()));
                running.push(child);
                Action::Spawn(child)
            }
            1 if running.len() > 1 && random.chance(3) => {
                let ended = running.swap_remove(random.below(running.len()));
                if ended == thread {
                    running.push(ended);
                    continue;
                }
                Action::Join(ended)
            }
            2 if random.chance(3) => Action::Lock(random.below(2)),
            _ => Cook { random: &mut *random, with, value: 0 }.action(),
        };
        let wrote = match action {
            Action::Access { access: Access::Store(_) | Access::Exchange(_), .. } => true,
            Action::Access { access: Access::CompareAndSwap { .. }, .. } => random.chance(2),
            _ => false,
        };
        run.push(Step { thread, op: run.len(), action, wrote });
    }
    run
}
