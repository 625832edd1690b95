//! ARMv8: what a thread keeps in order, by the axioms, and programs as text.

use std::fmt::Write;

use super::{Acquires, Dependency, Kind, LOCATIONS, Node, Op, Program, own_write, po, po_strict, relation};
use crate::axioms::{Relation, compose, or_same, plus, union};

/// lob, and pick;lob to a write.
pub(crate) fn locally_ordered(nodes: &[Node]) -> Relation {
    let dependencies = Dependencies::of(nodes);
    let lws = relation(nodes, |from, to| po(from, to) && to.writes && from.op.location == to.op.location);
    let all = [lws, dependencies.dob(nodes), dependencies.pob(nodes), dependencies.aob(nodes), bob(nodes)];
    let isb = dependencies.synchronized(nodes);
    let lob = plus(&union(&[&all[0], &all[1], &all[2], &all[3], &all[4], &isb]));
    let pick = to_writes(nodes, &compose(&plus(&dependencies.picks), &lob));
    plus(&union(&[&lob, &pick]))
}

fn to_writes(nodes: &[Node], of: &Relation) -> Relation {
    let writes = relation(nodes, |_, to| to.writes);
    of.iter().zip(writes).map(|(row, writes)| row & writes).collect()
}

/// The relations between a read and what depends on it, through registers.
struct Dependencies {
    addr: Relation,
    data: Relation,
    ctrl: Relation,
    /// The same through selections and comparisons.
    pick_addr: Relation,
    pick_data: Relation,
    pick_ctrl: Relation,
    /// One step: the three of addr, data, pick-addr, pick-data, within an instruction, and then through memory.
    picks: Relation,
    lrs: Relation,
}

impl Dependencies {
    fn of(nodes: &[Node]) -> Self {
        let direct = |wanted: fn(Dependency) -> Option<usize>, to_write: bool| {
            relation(nodes, move |from, to| {
                from.reads
                    && po_strict(from, to)
                    && (!to_write || to.writes)
                    && to.op.dependency.and_then(wanted) == Some(from.name.1)
            })
        };
        let addr = direct(|one| if let Dependency::Address(from) = one { Some(from) } else { None }, false);
        let data = direct(|one| if let Dependency::Data(from) = one { Some(from) } else { None }, true);
        let pick_addr = direct(|one| if let Dependency::PickAddress(from) = one { Some(from) } else { None }, false);
        let pick_data = direct(
            |one| match one {
                Dependency::PickData(from) | Dependency::Expected(from) => Some(from),
                _ => None,
            },
            true,
        );
        let branch = |wanted: fn(Dependency) -> bool| {
            relation(nodes, move |from, to| {
                let branches = |node: &Node| {
                    let there = po_strict(from, node) && !po_strict(to, node) && node.name.0 == to.name.0;
                    let dependency = node.op.dependency.filter(|&one| wanted(one));
                    there && dependency.map(Dependency::source) == Some(from.name.1)
                };
                from.reads && nodes.iter().any(branches)
            })
        };
        let ctrl = branch(|one| matches!(one, Dependency::Control(_) | Dependency::Synchronized(_)));
        let pick_ctrl = branch(|one| matches!(one, Dependency::PickControl(_) | Dependency::PickSynchronized(_)));
        let lrs = relation(nodes, |from, to| from.writes && to.reads && own_write(nodes, to) == Some(from.name));
        let within =
            relation(nodes, |from, to| from.name == to.name && from.reads && to.writes && from.op.kind.decides());
        let step = union(&[&addr, &data, &pick_addr, &pick_data, &within]);
        let picks = union(&[&step, &compose(&step, &lrs)]);
        Self { addr, data, ctrl, pick_addr, pick_data, pick_ctrl, picks, lrs }
    }

    fn dob(&self, nodes: &[Node]) -> Relation {
        let later = relation(nodes, po_strict);
        let both = union(&[&self.addr, &self.data]);
        union(&[
            &both,
            &to_writes(nodes, &self.ctrl),
            &to_writes(nodes, &compose(&self.addr, &later)),
            &compose(&both, &self.lrs),
        ])
    }

    fn pob(&self, nodes: &[Node]) -> Relation {
        let later = relation(nodes, po_strict);
        let from_far = or_same(&plus(&self.picks));
        let addresses = compose(&from_far, &union(&[&self.addr, &self.pick_addr]));
        let branches = compose(&from_far, &union(&[&self.ctrl, &self.pick_ctrl]));
        let direct = compose(&from_far, &union(&[&self.data, &self.pick_data]));
        let all = union(&[&addresses, &direct, &branches, &compose(&addresses, &later)]);
        let reads = relation(nodes, |from, _| from.reads);
        to_writes(nodes, &all).iter().zip(reads).map(|(row, reads)| row & reads).collect()
    }

    fn aob(&self, nodes: &[Node]) -> Relation {
        let rmw = relation(nodes, |from, to| from.name == to.name && from.reads && to.writes);
        let acquires = relation(nodes, |_, to| is_acquire(to) || is_acquire_pc(to));
        let through = compose(&rmw, &self.lrs);
        let through = through.iter().zip(acquires).map(|(row, acquires)| row & acquires).collect();
        union(&[&rmw, &through])
    }

    /// isb
    fn synchronized(&self, nodes: &[Node]) -> Relation {
        let from_far = or_same(&plus(&self.picks));
        let addresses = compose(&from_far, &union(&[&self.addr, &self.pick_addr]));
        let fences = |node: &Node| node.op.dependency.is_some_and(Dependency::is_synchronized);
        // An instruction fence stands just before its access, behind the branch.
        let behind = relation(nodes, |from, to| {
            let there = |fence: &Node| fences(fence) && po_strict(from, fence) && !po_strict(to, fence);
            nodes.iter().any(|fence| fence.name.0 == to.name.0 && there(fence))
        });
        let branching = relation(nodes, |from, to| {
            let branches = |node: &Node| {
                let is_branch = node.op.dependency.is_some_and(Dependency::is_branch);
                let on = node.op.dependency.map(Dependency::source) == Some(from.name.1);
                let fenced = |fence: &Node| {
                    fences(fence) && fence.name.0 == node.name.0 && !po_strict(fence, node) && !po_strict(to, fence)
                };
                node.name.0 == to.name.0 && po_strict(from, node) && is_branch && on && nodes.iter().any(fenced)
            };
            from.reads && from.name.0 == to.name.0 && nodes.iter().any(branches)
        });
        let reads = relation(nodes, |from, _| from.reads);
        let all = union(&[&compose(&from_far, &branching), &compose(&addresses, &behind)]);
        all.iter().zip(reads).map(|(row, reads)| row & reads).collect()
    }
}

fn is_acquire(node: &Node) -> bool {
    node.reads && node.op.acquires == Acquires::Yes && node.op.kind != Kind::UnusedAdd
}

fn is_acquire_pc(node: &Node) -> bool {
    node.reads && node.op.acquires == Acquires::ForProcessors
}

fn is_release(node: &Node) -> bool {
    node.writes && node.op.releases
}

fn bob(nodes: &[Node]) -> Relation {
    relation(nodes, |from, to| {
        if !po(from, to) {
            return false;
        }
        let is_between = |node: &&Node| po_strict(from, node) && !po_strict(to, node) && node.name.0 == to.name.0;
        let fenced =
            nodes.iter().filter(is_between).filter_map(|node| node.op.fence).any(|fence| {
                fence.full || (fence.orders(from, to) && !(from.reads && from.op.kind == Kind::UnusedAdd))
            });
        let both = from.writes && from.op.kind.is_single() && is_release(from) && {
            nodes.iter().any(|read| read.name == from.name && is_acquire(read))
        };
        fenced
            || (is_release(from) && is_acquire(to))
            || is_acquire(from)
            || is_acquire_pc(from)
            || is_release(to)
            || (both && po_strict(from, to))
    })
}

/// The program as a litmus test: X20 to X22 hold the addresses, X(index) what an access reads.
pub(crate) fn text(program: &Program) -> String {
    let columns: Vec<Vec<String>> = program.threads.iter().map(|thread| column(thread)).collect();
    let begin = |thread: usize| {
        let places = (0..LOCATIONS).map(|location| format!(" {thread}:X{}={};", 20 + location, name(location)));
        places.collect::<String>()
    };
    table("AArch64", &columns, &begin)
}

pub(crate) fn name(location: usize) -> &'static str {
    ["x", "y", "z"][location]
}

/// A litmus test of these columns.
pub(crate) fn table(architecture: &str, columns: &[Vec<String>], begin: &dyn Fn(usize) -> String) -> String {
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = format!("{architecture} random\n{{ x=0; y=0; z=0;");
    for thread in 0..columns.len() {
        text += &begin(thread);
    }
    let heads: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    writeln!(text, "}}\n{} ;", heads.join(" | ")).unwrap();
    for row in 0..rows {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
        writeln!(text, "{} ;", cells.join(" | ")).unwrap();
    }
    text + "exists (x=0)\n"
}

fn column(thread: &[Op]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, op) in thread.iter().enumerate() {
        let place = 20 + op.location;
        let value = 10 * (index + 1);
        if let Some(fence) = op.fence {
            lines.push(fence.text.to_owned());
        }
        lines.push(format!("MOV W19,#{value}"));
        let mut address = format!("[X{place}]");
        if op.kind == Kind::Compare {
            lines.push(format!("MOV W{index},#0"));
        }
        match op.dependency {
            Some(Dependency::Address(from)) => {
                lines.push(format!("EOR W18,W{from},W{from}"));
                address = format!("[X{place},W18,SXTW]");
            }
            Some(Dependency::PickAddress(from)) => {
                lines.push(format!("CMP W{from},#5"));
                lines.push("CSEL W18,W16,W16,EQ".to_owned());
                address = format!("[X{place},W18,SXTW]");
            }
            Some(Dependency::Data(from)) => {
                lines.push(format!("EOR W19,W{from},W{from}"));
                lines.push(format!("ADD W19,W19,#{value}"));
            }
            Some(Dependency::PickData(from)) => {
                lines.push(format!("CMP W{from},#5"));
                lines.push("CSEL W19,W19,W19,EQ".to_owned());
            }
            Some(Dependency::Control(from) | Dependency::Synchronized(from)) => {
                lines.push(format!("CBNZ W{from},L{index}"));
                lines.push(format!("L{index}:"));
            }
            Some(Dependency::PickControl(from) | Dependency::PickSynchronized(from)) => {
                lines.push(format!("CMP W{from},#5"));
                lines.push("CSEL W17,W16,W16,EQ".to_owned());
                lines.push(format!("CBNZ W17,L{index}"));
                lines.push(format!("L{index}:"));
            }
            Some(Dependency::Expected(from)) => lines.push(format!("EOR W{index},W{from},W{from}")),
            None => {}
        }
        if op.dependency.is_some_and(Dependency::is_synchronized) {
            lines.push("ISB".to_owned());
        }
        lines.extend(access(op, index, &address));
    }
    lines
}

fn access(op: &Op, index: usize, address: &str) -> Vec<String> {
    let acquires = op.acquires == Acquires::Yes;
    let suffix = match (acquires, op.releases) {
        (true, true) => "AL",
        (true, false) => "A",
        (false, true) => "L",
        (false, false) => "",
    };
    match op.kind {
        Kind::Load if acquires => vec![format!("LDAR W{index},{address}")],
        Kind::Load if op.acquires == Acquires::ForProcessors => vec![format!("LDAPR W{index},{address}")],
        Kind::Load => vec![format!("LDR W{index},{address}")],
        Kind::Store if op.releases => vec![format!("STLR W19,{address}")],
        Kind::Store => vec![format!("STR W19,{address}")],
        Kind::Exchange => vec![format!("SWP{suffix} W19,W{index},{address}")],
        Kind::Add => vec![format!("LDADD{suffix} W19,W{index},{address}")],
        Kind::UnusedAdd => vec![format!("LDADD{suffix} W19,WZR,{address}")],
        Kind::Compare => vec![format!("CAS{suffix} W{index},W19,{address}")],
        Kind::Exclusive { dependent } => {
            let load = if acquires { "LDAXR" } else { "LDXR" };
            let store = if op.releases { "STLXR" } else { "STXR" };
            let mut lines = vec![format!("{load} W{index},{address}")];
            if dependent {
                lines.push(format!("ADD W19,W{index},W19"));
            }
            lines.push(format!("{store} W15,W19,{address}"));
            lines
        }
    }
}
