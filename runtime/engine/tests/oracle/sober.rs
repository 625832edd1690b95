//! SOBER as printed (003-burckhardt-cav08, figures 2 and 3), incomplete by erratum S2. Operations on threads and mutexes,
//! which the paper does not have, are interlocked operations on both sides; so are full fences.

use super::machine::Step;
use super::program::{Access, Action, Barrier};

type Stamp = Vec<u32>;

fn merge(into: &mut Stamp, from: &Stamp) {
    for (into, &from) in into.iter_mut().zip(from) {
        *into = (*into).max(from);
    }
}

/// A write in its order, with its timestamp.
struct Write {
    event: usize,
    stamp: Stamp,
}

pub(crate) struct Sober {
    threads: usize,
    run: Vec<Step>,
    /// For each event the events that happen before it, itself included.
    past: Vec<u128>,
    lc: Vec<Stamp>,
    sc: Vec<Stamp>,
    mc1: Vec<Vec<Stamp>>,
    mc2: Vec<Stamp>,
    mutexes: Vec<Stamp>,
    writes: Vec<Vec<Write>>,
}

impl Sober {
    fn new(threads: usize, addresses: usize, mutexes: usize) -> Self {
        let zero = vec![0; 2 * threads];
        Self {
            threads,
            run: Vec::new(),
            past: Vec::new(),
            lc: vec![zero.clone(); threads],
            sc: vec![zero.clone(); threads],
            mc1: vec![vec![zero.clone(); addresses]; threads],
            mc2: vec![zero.clone(); addresses],
            mutexes: vec![zero; mutexes],
            writes: (0..addresses).map(|_| Vec::new()).collect(),
        }
    }

    /// The first report of a run of accesses of one address, as e′, prev, e by their places.
    pub(crate) fn first_report(run: &[Step], past: &[u128], threads: usize) -> Option<[usize; 3]> {
        let mut sober = Self::new(threads, 8, 8);
        sober.past = past.to_vec();
        run.iter().find_map(|&step| sober.event(step))
    }

    fn event(&mut self, step: Step) -> Option<[usize; 3]> {
        let report = self.test(step);
        let stamp = self.stamp(step);
        if step.wrote {
            let address = step.action.addresses().lowest();
            self.writes[address].push(Write { event: self.run.len(), stamp });
        }
        self.run.push(step);
        report
    }

    /// Figure 2, with `p(write(E, a, c))` in line 8 (erratum S1).
    fn test(&self, step: Step) -> Option<[usize; 3]> {
        let Action::Access { access: Access::Load, addresses, .. } = step.action else { return None };
        let last = self.run.iter().rposition(|other| other.thread == step.thread);
        let previous =
            last.or_else(|| self.run.iter().rposition(|other| other.action == Action::Spawn(step.thread)))?;
        for write in self.writes[addresses.lowest()].iter().rev() {
            let thread = self.run[write.event].thread;
            let side = 2 * thread + 1;
            if thread == step.thread || self.lc[step.thread][side] >= write.stamp[side] {
                return None;
            }
            if self.past[previous] >> write.event & 1 == 1 {
                return Some([write.event, previous, self.run.len()]);
            }
        }
        None
    }

    /// Figure 3.
    fn stamp(&mut self, step: Step) -> Stamp {
        let p = step.thread;
        let a = step.action.addresses().0.trailing_zeros() as usize;
        let mut stamp = self.lc[p].clone();
        match step.action {
            Action::Access { access: Access::Load, .. } => {
                merge(&mut stamp, &self.mc1[p][a]);
                stamp[2 * p] += 1;
                self.lc[p] = stamp.clone();
                merge(&mut self.mc2[a], &stamp);
            }
            Action::Access { access: Access::Store(_), .. } => {
                merge(&mut stamp, &self.sc[p]);
                merge(&mut stamp, &self.mc2[a]);
                stamp[2 * p + 1] += 1;
                for q in (0..self.threads).filter(|&q| q != p) {
                    merge(&mut self.mc1[q][a], &stamp);
                }
                merge(&mut self.mc2[a], &stamp);
                self.sc[p] = stamp.clone();
            }
            Action::Fence(Barrier::StoreStore | Barrier::None) => {}
            action => {
                merge(&mut stamp, &self.sc[p]);
                match action {
                    Action::Access { .. } => merge(&mut stamp, &self.mc2[a]),
                    Action::Lock(mutex) | Action::Unlock(mutex) => merge(&mut stamp, &self.mutexes[mutex]),
                    Action::Join(child) => {
                        merge(&mut stamp, &self.lc[child]);
                        merge(&mut stamp, &self.sc[child]);
                    }
                    _ => {}
                }
                stamp[2 * p] += 1;
                stamp[2 * p + 1] += 1;
                match action {
                    Action::Access { .. } => {
                        (0..self.threads).for_each(|q| merge(&mut self.mc1[q][a], &stamp));
                        merge(&mut self.mc2[a], &stamp);
                    }
                    Action::Lock(mutex) | Action::Unlock(mutex) => self.mutexes[mutex] = stamp.clone(),
                    Action::Spawn(child) => {
                        self.lc[child] = stamp.clone();
                        self.sc[child] = stamp.clone();
                    }
                    _ => {}
                }
                self.lc[p] = stamp.clone();
                self.sc[p] = stamp.clone();
            }
        }
        stamp
    }
}
