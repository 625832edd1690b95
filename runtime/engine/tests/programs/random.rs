//! Random small programs, from a seed.

use super::{Op, Program, Until};

/// `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count as u64).expect("below a usize")
    }

    fn byte(&mut self, count: usize) -> u8 {
        u8::try_from(self.below(count)).expect("small")
    }
}

fn access(random: &mut Random) -> Op {
    let location = random.byte(2);
    match random.below(5) {
        0 | 1 => Op::Load(location),
        2 => Op::Store(location, 1 + random.byte(2)),
        3 => Op::Exchange(location, 1 + random.byte(2)),
        _ => Op::StoreRegister(location),
    }
}

/// Some operations of one thread, locks properly nested.
fn piece(random: &mut Random, code: &mut Vec<Op>) {
    match random.below(10) {
        0 => code.push(Op::Yield),
        1 => code.push(Op::Choose(1 + random.byte(3))),
        2 => {
            let mutex = random.byte(2);
            code.push(Op::Lock(mutex));
            for _ in 0..random.below(3) {
                piece(random, code);
            }
            code.push(Op::Unlock(mutex));
        }
        3 => {
            let mutex = random.byte(2);
            code.extend([Op::TryLock(mutex), Op::SkipIf(0, 2), access(random), Op::Unlock(mutex)]);
        }
        4 => code.extend([Op::Load(random.byte(2)), Op::SkipIf(0, 1), access(random)]),
        5 => code.push(Op::Fence),
        _ => code.push(access(random)),
    }
}

/// A program of 2 to 4 threads without wait loops. Each thread is created by an earlier one, and joined or not.
pub(crate) fn plain(random: &mut Random) -> Program {
    let threads = 2 + random.below(3);
    let mut program: Program = (0..threads)
        .map(|_| {
            let mut code = Vec::new();
            for _ in 0..1 + random.below(3) {
                piece(random, &mut code);
            }
            code
        })
        .collect();
    for child in (1..threads).rev() {
        let parent = random.below(child);
        let created = u8::try_from(child).expect("few threads");
        if random.below(3) > 0 {
            program[parent].push(Op::Join(created));
        }
        // In front, so that no branch leaves it out and it comes before its join.
        program[parent].insert(0, Op::Create(created));
        if random.below(3) == 0 {
            program[parent].insert(0, access(random));
        }
    }
    program
}

fn wait(random: &mut Random) -> Vec<Op> {
    match random.below(6) {
        0 => vec![Op::Load(0), Op::Back(1, Until::Is(1))],
        1 => vec![Op::Load(1), Op::Back(1, Until::Is(2))],
        2 => vec![Op::Load(0), Op::Load(1), Op::Back(2, Until::AllSet)],
        3 => vec![Op::Load(0), Op::Load(1), Op::Back(2, Until::Same)],
        4 => vec![Op::Exchange(2, 1), Op::Back(1, Until::Is(0)), access(random), Op::Store(2, 0)],
        _ => vec![Op::Load(0), Op::Yield, Op::Back(2, Until::Is(1))],
    }
}

/// A wait loop whose iterations change something in passing, or whose state comes back after several rounds.
fn poll(random: &mut Random) -> Vec<Op> {
    match random.below(7) {
        0 => vec![Op::Lock(0), Op::Load(0), Op::Unlock(0), Op::Back(3, Until::Is(1))],
        1 => vec![Op::TryLock(0), Op::Back(1, Until::Is(1)), access(random), Op::Unlock(0)],
        2 => vec![Op::Load(1), Op::Lock(0), Op::Load(0), Op::Unlock(0), Op::Back(4, Until::AllSet)],
        // Not quite a lock of the textbooks: it backs off.
        3 => vec![Op::Store(3, 1), Op::Load(0), Op::LeaveIf(1, 2), Op::Store(3, 0), Op::Back(4, Until::Is(9))],
        4 => vec![Op::Load(0), Op::LeaveIf(1, 2), Op::Load(1), Op::Back(3, Until::Is(1))],
        5 => vec![Op::Load(0), Op::LeaveIf(2, 3), Op::Load(1), Op::Load(0), Op::Back(4, Until::Is(1))],
        _ => vec![Op::Store(1, 1), Op::Load(0), Op::Back(2, Until::Is(1))],
    }
}

/// A program of 2 or 3 threads of which one or two poll; what an iteration of theirs changes in passing, no other
/// wait loop looks at.
pub(crate) fn polling(random: &mut Random) -> Program {
    let mut program = waiting(random);
    let pollers = 1 + random.below(2);
    for thread in (0..program.len()).rev().take(pollers) {
        program[thread].retain(|op| matches!(op, Op::Create(_) | Op::Store(..) | Op::Join(_)));
        let at =
            program[thread].len() - program[thread].iter().rev().take_while(|op| matches!(op, Op::Join(_))).count();
        let mut code = poll(random);
        if random.below(2) == 0 {
            code.push(access(random));
        }
        program[thread].splice(at..at, code);
    }
    let other = random.below(program.len());
    let critical = match random.below(3) {
        0 => vec![Op::Lock(0), access(random), Op::Unlock(0)],
        1 => vec![Op::TryLock(0), Op::SkipIf(0, 2), access(random), Op::Unlock(0)],
        _ => vec![Op::Load(3)],
    };
    let at = program[other].iter().take_while(|op| matches!(op, Op::Create(_))).count();
    program[other].splice(at..at, critical);
    program
}

/// A program of 2 or 3 threads with wait loops; some of them wait for ever.
pub(crate) fn waiting(random: &mut Random) -> Program {
    let threads = 2 + random.below(2);
    let mut program: Program = (0..threads)
        .map(|_| {
            let mut code = Vec::new();
            for _ in 0..1 + random.below(3) {
                match random.below(9) {
                    0..3 => code.extend(wait(random)),
                    3 => code.push(Op::Yield),
                    4 => code.push(Op::Choose(2)),
                    5 => code.push(Op::Store(0, 1)),
                    6 => code.push(Op::Store(1, 1 + random.byte(2))),
                    7 => code.push(Op::StoreRegister(random.byte(2))),
                    _ => code.push(access(random)),
                }
            }
            code
        })
        .collect();
    for child in (1..threads).rev() {
        let parent = random.below(child);
        let created = u8::try_from(child).expect("few threads");
        if random.below(3) > 0 {
            program[parent].push(Op::Join(created));
        }
        program[parent].insert(0, Op::Create(created));
    }
    program
}
