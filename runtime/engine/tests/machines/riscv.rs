//! RISC-V: what a thread keeps in order, by the axioms, and programs as text.

use super::armv8::{name, table};
use crate::axioms::{Relation, union};

use super::{Acquires, Communication, Dependency, Kind, LOCATIONS, Node, Op, Program, po, po_strict, relation};

/// ppo.
pub(crate) fn preserved(nodes: &[Node], communication: &Communication) -> Relation {
    let Communication { rf, .. } = communication;
    let same = |from: &Node, to: &Node| from.op.location == to.op.location;
    let number = |node: &Node| {
        nodes
            .iter()
            .position(|one| one.name == node.name && one.writes == node.writes && one.reads == node.reads)
            .unwrap()
    };
    let source = |read: &Node| (0..nodes.len()).find(|&write| rf[write] >> number(read) & 1 == 1);
    let rfi = |from: &Node, to: &Node| from.name.0 == to.name.0 && source(to) == Some(number(from));
    let r1 = relation(nodes, |from, to| po(from, to) && same(from, to) && to.writes);
    let r2 = relation(nodes, |from, to| {
        let between = |write: &Node| write.writes && po_strict(from, write) && po_strict(write, to) && same(write, to);
        from.reads
            && to.reads
            && po_strict(from, to)
            && same(from, to)
            && !nodes.iter().any(between)
            && source(from) != source(to)
    });
    let r3 = relation(nodes, |from, to| from.op.kind.updates() && rfi(from, to));
    let r4 = relation(nodes, |from, to| {
        let between = |node: &&Node| node.name.0 == to.name.0 && po_strict(from, node) && !po_strict(to, node);
        po_strict(from, to)
            && nodes.iter().filter(between).filter_map(|node| node.op.fence).any(|fence| fence.orders(from, to))
    });
    let aq = |node: &Node| node.op.acquires == Acquires::Yes && node.reads;
    let rl = |node: &Node| node.op.releases && node.writes;
    let marked = |node: &Node| node.op.kind.updates() && (aq(node) || rl(node));
    let r5_to_7 = relation(nodes, |from, to| po(from, to) && (aq(from) || rl(to) || (marked(from) && marked(to))));
    let r8 = relation(nodes, |from, to| from.name == to.name && po(from, to));
    let [addr, data, ctrl] = dependencies(nodes);
    let r13 = relation(nodes, |from, to| {
        let middle = |node: &Node| addr[number(from)] >> number(node) & 1 == 1 && po_strict(node, to);
        to.writes && nodes.iter().any(middle)
    });
    let r12 = relation(nodes, |from, to| {
        let middle = |write: &Node| {
            let depends = (addr[number(from)] | data[number(from)]) >> number(write) & 1 == 1;
            depends && write.writes && rfi(write, to)
        };
        to.reads && nodes.iter().any(middle)
    });
    union(&[&r1, &r2, &r3, &r4, &r5_to_7, &r8, &addr, &data, &ctrl, &r12, &r13])
}

/// addr, data, and ctrl to a write.
fn dependencies(nodes: &[Node]) -> [Relation; 3] {
    let on = |from: &Node, to: &Node, dependency: Dependency| {
        from.reads && po_strict(from, to) && to.op.dependency == Some(dependency)
    };
    let addr = relation(nodes, |from, to| on(from, to, Dependency::Address(from.name.1)));
    let data = relation(nodes, |from, to| to.writes && on(from, to, Dependency::Data(from.name.1)));
    let ctrl = relation(nodes, |from, to| {
        let branches = |node: &Node| {
            let there = node.name.0 == to.name.0 && po_strict(from, node) && !po_strict(to, node);
            there && node.op.dependency == Some(Dependency::Control(from.name.1))
        };
        // The branch on the success of an `sc`, which depends on that, and on what its address depends on.
        let succeeds = from.writes && from.op.retries && po_strict(from, to);
        let through = |node: &Node| {
            node.writes
                && node.op.retries
                && po_strict(node, to)
                && from.reads
                && po_strict(from, node)
                && node.op.dependency == Some(Dependency::Address(from.name.1))
        };
        to.writes && ((from.reads && nodes.iter().any(branches)) || succeeds || nodes.iter().any(through))
    });
    [addr, data, ctrl]
}

/// The program as a litmus test: x20 to x22 hold the addresses, x(10 + index) what an access reads.
pub(crate) fn text(program: &Program) -> String {
    let columns: Vec<Vec<String>> = program.threads.iter().map(|thread| column(thread)).collect();
    let begin = |thread: usize| {
        let places = (0..LOCATIONS).map(|location| format!(" {thread}:x{}={};", 20 + location, name(location)));
        places.collect::<String>()
    };
    table("RISCV", &columns, &begin)
}

fn column(thread: &[Op]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, op) in thread.iter().enumerate() {
        let value = 10 * (index + 1);
        if let Some(fence) = op.fence {
            lines.push(fence.text.to_owned());
        }
        lines.push(format!("li x19,{value}"));
        let mut place = 20 + op.location;
        match op.dependency {
            Some(Dependency::Address(from)) => {
                let from = 10 + from;
                lines.push(format!("xor x5,x{from},x{from}"));
                lines.push(format!("add x6,x{place},x5"));
                place = 6;
            }
            Some(Dependency::Data(from)) => {
                let from = 10 + from;
                lines.push(format!("xor x19,x{from},x{from}"));
                lines.push(format!("addi x19,x19,{value}"));
            }
            Some(Dependency::Control(from)) => {
                lines.push(format!("bnez x{},L{index}", 10 + from));
                lines.push(format!("L{index}:"));
            }
            _ => {}
        }
        lines.extend(access(op, index, place));
    }
    lines
}

fn access(op: &Op, index: usize, place: usize) -> Vec<String> {
    let result = 10 + index;
    let acquires = op.acquires == Acquires::Yes;
    let both = match (acquires, op.releases) {
        (true, true) => ".aqrl",
        (true, false) => ".aq",
        (false, true) => ".rl",
        (false, false) => "",
    };
    let aq = if acquires { ".aq" } else { "" };
    let rl = if op.releases { ".rl" } else { "" };
    match op.kind {
        Kind::Load => vec![format!("lw{aq} x{result},0(x{place})")],
        Kind::Store => vec![format!("sw{rl} x19,0(x{place})")],
        Kind::Exchange => vec![format!("amoswap.w{both} x{result},x19,(x{place})")],
        Kind::Add => vec![format!("amoadd.w{both} x{result},x19,(x{place})")],
        Kind::Exclusive { dependent } => {
            let mut lines = vec![format!("M{index}: lr.w{aq} x{result},(x{place})")];
            if dependent {
                lines.push(format!("add x19,x{result},x19"));
            }
            lines.push(format!("sc.w{rl} x7,x19,(x{place})"));
            if op.retries {
                lines.push(format!("bnez x7,M{index}"));
            }
            lines
        }
        Kind::UnusedAdd | Kind::Compare => unreachable!("ARM's"),
    }
}
