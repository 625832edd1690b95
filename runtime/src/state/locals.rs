//! Local variables that other threads may know of: the pass announces each when its function begins, and says when the
//! function returns. Other local variables are never accessed through hooks.

use std::collections::BTreeMap;
use std::ops::Range;

use engine::event::Thread;
use engine::per_thread::PerThread;

use crate::process::sites::Record;
use crate::state::shadow::Shadow;

/// A local variable that other threads may know of.
#[derive(Clone)]
pub(crate) struct Local {
    pub(crate) bytes: Range<usize>,
    /// The record of the variable's declaration.
    pub(crate) record: &'static Record,
}

/// Whether a local variable may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Liveness {
    /// The variable may be used.
    Living,
    /// The function of the variable has returned.
    Dead,
}

/// The local variables of one thread.
#[derive(Default)]
struct Stack {
    /// The living variables, the oldest first.
    living: Vec<Local>,
    /// The dead variables, by address; no two overlap, nor does any overlap a living one.
    dead: BTreeMap<usize, Local>,
}

/// The local variables of all threads.
#[derive(Default)]
pub(crate) struct Locals {
    /// The variables of each thread.
    stacks: PerThread<Stack>,
    /// The number of first threads that have had any.
    used: usize,
}

impl Locals {
    /// Forgets all local variables.
    pub(crate) fn reset(&mut self, shadow: &mut Shadow) {
        for stack in self.stacks.first(self.used) {
            stack.living.drain(..).for_each(|local| shadow.hide(local.bytes));
            stack.dead.clear();
        }
    }

    /// Forgets the local variables of one thread.
    pub(crate) fn restart(&mut self, thread: Thread) {
        self.used = self.used.max(thread.index() + 1);
        self.stacks[thread].living.clear();
        self.stacks[thread].dead.clear();
    }

    /// Adds a local variable that begins to live.
    pub(crate) fn declare(&mut self, thread: Thread, local: Local, shadow: &mut Shadow) {
        self.used = self.used.max(thread.index() + 1);
        let stack = &mut self.stacks[thread];
        while let Some((&at, _)) =
            stack.dead.range(..local.bytes.end).next_back().filter(|(_, old)| old.bytes.end > local.bytes.start)
        {
            stack.dead.remove(&at);
        }
        shadow.show(local.bytes.clone());
        stack.living.push(local);
    }

    /// Returns how many local variables of the thread live.
    pub(crate) fn depth(&self, thread: Thread) -> usize {
        self.stacks[thread].living.len()
    }

    /// Returns the thread's living local variables but for the `depth` oldest ones.
    pub(crate) fn living(&self, thread: Thread, depth: usize) -> Vec<Local> {
        self.stacks[thread].living.get(depth..).unwrap_or_default().to_vec()
    }

    /// Ends the life of the thread's local variables but for the `depth` oldest ones.
    pub(crate) fn leave(&mut self, thread: Thread, depth: usize, shadow: &mut Shadow) {
        let stack = &mut self.stacks[thread];
        while stack.living.len() > depth {
            let Some(local) = stack.living.pop() else { break };
            shadow.hide(local.bytes.clone());
            // A variable may be declared twice, as in a loop: the younger one stands for both.
            stack.dead.entry(local.bytes.start).or_insert(local);
        }
    }

    /// Forgets the dead variables below this address, where code that is not instrumented may now keep variables of its
    /// own.
    pub(crate) fn forget_below(&mut self, thread: Thread, address: usize) {
        let dead = &mut self.stacks[thread].dead;
        *dead = dead.split_off(&address);
    }

    /// Returns the local variable of the thread that the address is in, the youngest living one first.
    pub(crate) fn find(&self, thread: Thread, address: usize) -> Option<(&Local, Liveness)> {
        let stack = &self.stacks[thread];
        if let Some(local) = stack.living.iter().rev().find(|local| local.bytes.contains(&address)) {
            return Some((local, Liveness::Living));
        }
        let (_, local) = stack.dead.range(..=address).next_back()?;
        local.bytes.contains(&address).then_some((local, Liveness::Dead))
    }
}
