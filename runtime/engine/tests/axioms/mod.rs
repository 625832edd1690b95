//! Brute force over rf and co, and the axioms as they are written, on matrices of bits.

pub(crate) mod engine;

use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Load,
    Store,
    Exchange,
    Add,
}

/// On an earlier read of the thread, by its index; control and what is behind it reach all later operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dependency {
    Address(usize),
    Data(usize),
    Control(usize),
    Synchronized(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fence {
    Sync,
    Lwsync,
    Eieio,
}

/// An operation; its fence and its branch come before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) location: usize,
    pub(crate) dependency: Option<Dependency>,
    pub(crate) fence: Option<Fence>,
}

pub(crate) fn op(thread: &[Op], index: usize) -> Op {
    thread[index]
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
}

/// A thread and the index of an operation in it.
pub(crate) type Name = (usize, usize);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Candidate {
    /// By the names of the reads.
    pub(crate) reads_from: Vec<(Name, Option<Name>)>,
    pub(crate) coherence: Vec<Vec<Name>>,
}

impl Program {
    /// The program as a litmus test for POWER: r20 and r21 hold the addresses, r(index) what an operation reads.
    pub(crate) fn text(&self) -> String {
        let columns: Vec<Vec<String>> = self.threads.iter().map(|thread| column(thread)).collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = "PPC random\n{ x=0; y=0;".to_owned();
        for thread in 0..columns.len() {
            write!(text, " {thread}:r20=x; {thread}:r21=y;").unwrap();
        }
        let heads: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
        writeln!(text, "}}\n{} ;", heads.join(" | ")).unwrap();
        for row in 0..rows {
            let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
            writeln!(text, "{} ;", cells.join(" | ")).unwrap();
        }
        text + "exists (x=0)\n"
    }
}

fn column(thread: &[Op]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, op) in thread.iter().enumerate() {
        let place = 20 + op.location;
        let value = index + 1;
        match op.fence {
            Some(Fence::Sync) => lines.push("sync".to_owned()),
            Some(Fence::Lwsync) => lines.push("lwsync".to_owned()),
            Some(Fence::Eieio) => lines.push("eieio".to_owned()),
            None => {}
        }
        lines.push(format!("li r19,{value}"));
        lines.push("li r18,0".to_owned());
        match op.dependency {
            Some(Dependency::Address(from)) => lines.push(format!("xor r18,r{from},r{from}")),
            Some(Dependency::Data(from)) => {
                lines.push(format!("xor r19,r{from},r{from}"));
                lines.push(format!("addi r19,r19,{value}"));
            }
            Some(Dependency::Control(from) | Dependency::Synchronized(from)) => {
                lines.push(format!("cmpw r{from},r{from}"));
                lines.push(format!("beq L{index}"));
                lines.push(format!("L{index}:"));
                if let Some(Dependency::Synchronized(_)) = op.dependency {
                    lines.push("isync".to_owned());
                }
            }
            None => {}
        }
        match op.kind {
            Kind::Load => lines.push(format!("lwzx r{index},r18,r{place}")),
            Kind::Store => lines.push(format!("stwx r19,r18,r{place}")),
            Kind::Exchange | Kind::Add => {
                lines.push(format!("lwarx r{index},r18,r{place}"));
                if op.kind == Kind::Add {
                    lines.push(format!("addi r19,r{index},1"));
                }
                lines.push(format!("stwcx. r19,r18,r{place}"));
            }
        }
    }
    lines
}

/// A relation: the successors of each node.
pub(crate) type Relation = Vec<u32>;

pub(crate) fn compose(one: &Relation, other: &Relation) -> Relation {
    let bits = |row: u32| (0..32).filter(move |bit| row >> bit & 1 == 1);
    one.iter().map(|&row| bits(row).fold(0, |all, middle| all | other[middle])).collect()
}

pub(crate) fn union(all: &[&Relation]) -> Relation {
    (0..all[0].len()).map(|node| all.iter().fold(0, |row, relation| row | relation[node])).collect()
}

pub(crate) fn plus(relation: &Relation) -> Relation {
    let mut closed = relation.clone();
    loop {
        let next = union(&[&closed, &compose(&closed, &closed)]);
        if next == closed {
            return closed;
        }
        closed = next;
    }
}

pub(crate) fn or_same(relation: &Relation) -> Relation {
    relation.iter().enumerate().map(|(node, row)| row | 1 << node).collect()
}

fn star(relation: &Relation) -> Relation {
    or_same(&plus(relation))
}

pub(crate) fn is_acyclic(relation: &Relation) -> bool {
    plus(relation).iter().enumerate().all(|(node, row)| row >> node & 1 == 0)
}

/// A read or a write.
#[derive(Clone, Copy)]
struct Node {
    name: Name,
    write: bool,
    location: usize,
    update: bool,
}

pub(crate) struct Oracle {
    program: Program,
    nodes: Vec<Node>,
}

/// rf, co and fr, and their parts between threads.
struct Communication {
    rf: Relation,
    co: Relation,
    fr: Relation,
}

impl Oracle {
    pub(crate) fn new(program: &Program) -> Self {
        let mut nodes = Vec::new();
        for (thread, ops) in program.threads.iter().enumerate() {
            for (index, op) in ops.iter().enumerate() {
                let update = matches!(op.kind, Kind::Exchange | Kind::Add);
                let node = |write| Node { name: (thread, index), write, location: op.location, update };
                nodes.extend((op.kind != Kind::Store).then(|| node(false)));
                nodes.extend((op.kind != Kind::Load).then(|| node(true)));
            }
        }
        Self { program: program.clone(), nodes }
    }

    /// All ways to choose rf and co with nothing between the parts of an update.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let mut all = vec![Candidate { reads_from: Vec::new(), coherence: vec![Vec::new(); 2] }];
        for node in self.nodes.iter().filter(|node| node.write) {
            let extended = all.iter().flat_map(|candidate| {
                (0..=candidate.coherence[node.location].len()).map(|place| {
                    let mut candidate = candidate.clone();
                    candidate.coherence[node.location].insert(place, node.name);
                    candidate
                })
            });
            all = extended.collect();
        }
        for node in self.nodes.iter().filter(|node| !node.write) {
            let extended = all.iter().flat_map(|candidate| {
                let writes = &candidate.coherence[node.location];
                let sources = std::iter::once(None).chain(writes.iter().copied().map(Some));
                let fits = |source: &Option<Name>| {
                    let own = writes.iter().position(|write| *write == node.name);
                    let rank = source.map_or(0, |source| 1 + writes.iter().position(|one| *one == source).unwrap());
                    !node.update || own == Some(rank)
                };
                sources
                    .filter(fits)
                    .map(|source| {
                        let mut candidate = candidate.clone();
                        candidate.reads_from.push((node.name, source));
                        candidate
                    })
                    .collect::<Vec<_>>()
            });
            all = extended.collect();
        }
        for candidate in &mut all {
            candidate.reads_from.sort_unstable();
        }
        all
    }

    fn relation(&self, holds: impl Fn(&Node, &Node) -> bool) -> Relation {
        let row = |from: &Node| {
            self.nodes.iter().enumerate().fold(0, |row, (to, node)| row | u32::from(holds(from, node)) << to)
        };
        self.nodes.iter().map(row).collect()
    }

    fn po(from: &Node, to: &Node) -> bool {
        from.name.0 == to.name.0 && (from.name.1 < to.name.1 || (from.name.1 == to.name.1 && !from.write && to.write))
    }

    fn communication(&self, candidate: &Candidate) -> Communication {
        let source = |read: &Node| {
            let found = candidate.reads_from.iter().find(|(name, _)| *name == read.name);
            found.expect("every read reads").1
        };
        let rank = |location: usize, write: Option<Name>| {
            write.map_or(0, |write| 1 + candidate.coherence[location].iter().position(|one| *one == write).unwrap())
        };
        Communication {
            rf: self.relation(|from, to| from.write && !to.write && source(to) == Some(from.name)),
            co: self.relation(|from, to| {
                from.write
                    && to.write
                    && from.location == to.location
                    && rank(from.location, Some(from.name)) < rank(to.location, Some(to.name))
            }),
            fr: self.relation(|from, to| {
                !from.write
                    && to.write
                    && from.location == to.location
                    && rank(from.location, source(from)) < rank(to.location, Some(to.name))
            }),
        }
    }

    fn external(&self, relation: &Relation) -> Relation {
        let other = self.relation(|from, to| from.name.0 != to.name.0);
        relation.iter().zip(other).map(|(row, other)| row & other).collect()
    }

    fn of(&self, relation: &Relation, first_writes: bool, second_writes: bool) -> Relation {
        let of = self.relation(|from, to| from.write == first_writes && to.write == second_writes);
        relation.iter().zip(of).map(|(row, of)| row & of).collect()
    }

    fn is_coherent(&self, communication: &Communication) -> bool {
        let po_loc = self.relation(|from, to| Self::po(from, to) && from.location == to.location);
        let Communication { rf, co, fr } = communication;
        is_acyclic(&union(&[&po_loc, rf, co, fr]))
    }

    /// Program order with such a fence between.
    fn fenced(&self, kinds: &[Fence]) -> Relation {
        self.relation(|from, to| {
            let between = from.name.1 + 1..to.name.1 + 1;
            from.name.0 == to.name.0
                && between.into_iter().any(|index| {
                    self.program.threads[to.name.0][index].fence.is_some_and(|fence| kinds.contains(&fence))
                })
        })
    }

    fn global(&self, candidate: &Candidate, preserved: impl Fn(&Node, &Node) -> bool, fences: &Relation) -> bool {
        let communication = self.communication(candidate);
        let ppo = self.relation(|from, to| Self::po(from, to) && preserved(from, to));
        let rfe = self.external(&communication.rf);
        self.is_coherent(&communication)
            && is_acyclic(&union(&[&ppo, fences, &rfe, &communication.co, &communication.fr]))
    }

    pub(crate) fn sc(&self, candidate: &Candidate) -> bool {
        self.global(candidate, |_, _| true, &vec![0; self.nodes.len()])
    }

    pub(crate) fn tso(&self, candidate: &Candidate) -> bool {
        let full = self.fenced(&[Fence::Sync]);
        self.global(candidate, |from, to| !from.write || to.write || from.update, &full)
    }

    pub(crate) fn pso(&self, candidate: &Candidate) -> bool {
        let stores = self.of(&self.fenced(&[Fence::Lwsync, Fence::Eieio]), true, true);
        let fences = union(&[&self.fenced(&[Fence::Sync]), &stores]);
        self.global(candidate, |from, _| !from.write || from.update, &fences)
    }

    /// addr, data, ctrl and ctrl+isync.
    fn dependencies(&self) -> [Relation; 4] {
        let reaches = |from: &Node, to: &Node, wanted: fn(Dependency) -> Option<usize>| {
            let ops = &self.program.threads[to.name.0];
            let found = |index: usize| ops[index].dependency.and_then(wanted) == Some(from.name.1);
            !from.write && from.name.0 == to.name.0 && (0..=to.name.1).any(found)
        };
        let own = |from: &Node, to: &Node, wanted: Dependency| {
            let dependency = self.program.threads[to.name.0][to.name.1].dependency;
            !from.write && from.name.0 == to.name.0 && dependency == Some(wanted)
        };
        let internal = |from: &Node, to: &Node| {
            from.name == to.name && !from.write && to.write && {
                self.program.threads[to.name.0][to.name.1].kind == Kind::Add
            }
        };
        [
            self.relation(|from, to| own(from, to, Dependency::Address(from.name.1))),
            self.relation(|from, to| (to.write && own(from, to, Dependency::Data(from.name.1))) || internal(from, to)),
            self.relation(|from, to| {
                reaches(from, to, |dependency| match dependency {
                    Dependency::Control(from) | Dependency::Synchronized(from) => Some(from),
                    _ => None,
                })
            }),
            self.synchronized(),
        ]
    }

    /// An isync orders what is behind it after every read that a branch before it depends on.
    fn synchronized(&self) -> Relation {
        self.relation(|from, to| {
            let ops = &self.program.threads[to.name.0];
            let branch = |at: usize| match ops[at].dependency {
                Some(Dependency::Control(on) | Dependency::Synchronized(on)) => on == from.name.1,
                _ => false,
            };
            let fence = |at: usize| matches!(ops[at].dependency, Some(Dependency::Synchronized(_)));
            !from.write && from.name.0 == to.name.0 && (0..=to.name.1).any(|at| fence(at) && (0..=at).any(branch))
        })
    }

    fn ppo(&self, communication: &Communication) -> Relation {
        let Communication { rf, co, fr } = communication;
        let (rfe, coe, fre) = (self.external(rf), self.external(co), self.external(fr));
        let po = self.relation(Self::po);
        let po_loc = self.relation(|from, to| Self::po(from, to) && from.location == to.location);
        let both = |one: &Relation, other: &Relation| -> Relation {
            one.iter().zip(other).map(|(one, other)| one & other).collect()
        };
        let rfi: Relation = rf.iter().zip(&rfe).map(|(rf, rfe)| rf & !rfe).collect();
        let [addr, data, ctrl, synchronized] = self.dependencies();
        let dp = union(&[&addr, &data]);
        let ii0 = union(&[&dp, &both(&po_loc, &compose(&fre, &rfe)), &rfi]);
        let ci0 = union(&[&synchronized, &both(&po_loc, &compose(&coe, &rfe))]);
        let cc0 = union(&[&dp, &po_loc, &ctrl, &compose(&addr, &po)]);
        let (mut ii, mut ic, mut ci, mut cc) = (ii0.clone(), vec![0; self.nodes.len()], ci0.clone(), cc0.clone());
        loop {
            let next = (
                union(&[&ii0, &ci, &compose(&ic, &ci), &compose(&ii, &ii)]),
                union(&[&ii, &cc, &compose(&ic, &cc), &compose(&ii, &ic)]),
                union(&[&ci0, &compose(&ci, &ii), &compose(&cc, &ci)]),
                union(&[&cc0, &ci, &compose(&ci, &ic), &compose(&cc, &cc)]),
            );
            if next == (ii.clone(), ic.clone(), ci.clone(), cc.clone()) {
                return union(&[&self.of(&ii, false, false), &self.of(&ic, false, true)]);
            }
            (ii, ic, ci, cc) = next;
        }
    }

    pub(crate) fn power(&self, candidate: &Candidate) -> bool {
        let communication = self.communication(candidate);
        let Communication { rf, co, fr } = &communication;
        let full = self.fenced(&[Fence::Sync]);
        let lwsync = self.fenced(&[Fence::Lwsync]);
        let write_read = self.of(&lwsync, true, false);
        let lwsync: Relation = lwsync.iter().zip(write_read).map(|(row, without)| row & !without).collect();
        let fence = union(&[&full, &lwsync, &self.of(&self.fenced(&[Fence::Eieio]), true, true)]);
        let hb = union(&[&self.ppo(&communication), &fence, &self.external(rf)]);
        let after = star(&hb);
        let base = compose(&compose(&or_same(&self.external(rf)), &fence), &after);
        let com = star(&union(&[co, rf, fr]));
        let strong = compose(&compose(&compose(&com, &star(&base)), &full), &after);
        let prop = union(&[&self.of(&base, true, true), &strong]);
        let observed = compose(&compose(&self.external(fr), &prop), &after);
        self.is_coherent(&communication)
            && is_acyclic(&hb)
            && observed.iter().enumerate().all(|(node, row)| row >> node & 1 == 0)
            && is_acyclic(&union(&[co, &prop]))
    }
}
