//! Random programs.

use super::{Acquires, Dependency, Fence, Kind, LOCATIONS, Machine, Op, Program};
use crate::axioms::engine::Random;

const ARM: [Fence; 4] = [
    fence("DMB SY", [true, true, true, true], true),
    fence("DMB LD", [true, true, false, false], false),
    fence("DMB ST", [false, false, false, true], false),
    fence("DSB ST", [false, false, true, true], false),
];

const RISCV: [Fence; 8] = [
    fence("fence rw,rw", [true, true, true, true], true),
    fence("fence.tso", [true, true, false, true], false),
    fence("fence r,rw", [true, true, false, false], false),
    fence("fence rw,w", [false, true, false, true], false),
    fence("fence w,w", [false, false, false, true], false),
    fence("fence w,r", [false, false, true, false], false),
    fence("fence r,r", [true, false, false, false], false),
    fence("fence rw,r", [true, false, true, false], false),
];

const fn fence(text: &'static str, pairs: [bool; 4], full: bool) -> Fence {
    Fence { text, pairs, full }
}

/// Which programs.
#[derive(Clone, Copy)]
pub(crate) struct Mix {
    pub(crate) machine: Machine,
    /// So many of 10 accesses are read-modify-writes.
    pub(crate) updates: u64,
    /// Whether dependencies may go through selections and comparisons.
    pub(crate) picks: bool,
}

fn kind(random: &mut Random, mix: Mix) -> Kind {
    if (random.below(10) as u64) >= mix.updates {
        return if random.below(2) == 0 { Kind::Load } else { Kind::Store };
    }
    match (random.below(6), mix.machine) {
        (0, Machine::Arm) => Kind::UnusedAdd,
        (1, Machine::Arm) => Kind::Compare,
        (0 | 2, _) => Kind::Add,
        (1 | 3, _) => Kind::Exchange,
        (4, _) => Kind::Exclusive { dependent: false },
        _ => Kind::Exclusive { dependent: true },
    }
}

fn dependency(random: &mut Random, mix: Mix, thread: &[Op], kind: Kind) -> Option<Dependency> {
    let returning: Vec<usize> = (0..thread.len()).filter(|&index| thread[index].kind.returns()).collect();
    if returning.is_empty() {
        return None;
    }
    let from = returning[random.below(returning.len() as u64)];
    let is_arm = mix.machine == Machine::Arm;
    match random.below(if mix.picks { 12 } else { 7 }) {
        0 => Some(Dependency::Address(from)),
        1 | 2 if kind.writes() => Some(Dependency::Data(from)),
        3 => Some(Dependency::Control(from)),
        4 if is_arm => Some(Dependency::Synchronized(from)),
        7 => Some(Dependency::PickAddress(from)),
        8 if kind.writes() => Some(Dependency::PickData(from)),
        9 => Some(Dependency::PickControl(from)),
        10 => Some(Dependency::PickSynchronized(from)),
        11 if kind == Kind::Compare => Some(Dependency::Expected(from)),
        _ => None,
    }
}

fn op(random: &mut Random, mix: Mix, thread: &[Op], kind: Kind, location: usize) -> Op {
    let fence = (random.below(6) == 0).then(|| match mix.machine {
        Machine::Arm => ARM[random.below(4)],
        Machine::Riscv => RISCV[random.below(8)],
    });
    let dependency = dependency(random, mix, thread, kind);
    let acquires = match random.below(4) {
        0 if kind.reads() => Acquires::Yes,
        1 if kind == Kind::Load && mix.machine == Machine::Arm => Acquires::ForProcessors,
        _ => Acquires::No,
    };
    Op {
        kind,
        location,
        dependency,
        fence,
        acquires,
        releases: kind.writes() && random.below(3) == 0,
        retries: mix.machine == Machine::Riscv && matches!(kind, Kind::Exclusive { .. }) && random.below(2) == 0,
    }
}

/// Two or three threads of any accesses.
pub(crate) fn any(random: &mut Random, mix: Mix) -> Program {
    let shapes: [&[usize]; 4] = [&[3, 3], &[2, 2, 2], &[2, 3], &[4, 2]];
    let mut program = Program::default();
    let locations = 2 + random.below(2) as u64;
    for &length in shapes[random.below(4)] {
        let mut thread: Vec<Op> = Vec::new();
        for _ in 0..length {
            let kind = kind(random, mix);
            let location = random.below(locations);
            thread.push(op(random, mix, &thread, kind, location));
        }
        program.threads.push(thread);
    }
    program
}

/// A thread that reads x, writes y and reads it, perhaps more than once, and writes z; another one that hands z on to x;
/// and more.
pub(crate) fn forwarding(random: &mut Random, mix: Mix) -> Program {
    let mut thread: Vec<Op> = Vec::new();
    let first = if random.below(3) == 0 { kind(random, mix) } else { Kind::Load };
    thread.push(op(random, mix, &thread, first, 0));
    for _ in 0..=random.below(2) {
        let written = loop {
            let kind = kind(random, mix);
            if kind.writes() {
                break kind;
            }
        };
        thread.push(op(random, mix, &thread, written, 1));
    }
    for _ in 0..=random.below(2) {
        let location = if random.below(5) == 0 { random.below(LOCATIONS as u64) } else { 1 };
        thread.push(op(random, mix, &thread, Kind::Load, location));
    }
    thread.push(op(random, mix, &thread, Kind::Store, 2));
    let last = thread.len() - 1;
    let read = last - 1;
    if random.below(2) == 0 {
        thread[last].dependency =
            Some(if random.below(2) == 0 { Dependency::Data(read) } else { Dependency::Address(read) });
    }
    let mut other: Vec<Op> = Vec::new();
    other.push(op(random, mix, &other, Kind::Load, 2));
    let handing = op(random, mix, &other, Kind::Store, 0);
    other.push(Op { dependency: Some(Dependency::Data(0)), ..handing });
    if random.below(2) == 0 {
        let kind = kind(random, mix);
        let added = op(random, mix, &other, kind, 1);
        other.push(added);
    }
    Program { threads: if random.below(2) == 0 { vec![thread, other] } else { vec![other, thread] } }
}
