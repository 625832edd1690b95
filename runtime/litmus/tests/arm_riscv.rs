//! The classic shapes on ARMv8 and RISC-V, each with a count that follows by argument, what sets the two apart from other
//! machines, and what of their tests is refused.

use std::collections::BTreeSet;

use engine::explore::rsmc::{self, Continue, Counts};
use engine::graph::trace::Relations;
use engine::model::Model;
use engine::model::armv8::Armv8;
use engine::model::riscv::Riscv;
use litmus::condition::Observation;
use litmus::graphs::{MemoryModel, Outcome, Threads, explore};
use litmus::outcomes::Outcomes;
use litmus::parse::parse;

fn run(text: &str, model: MemoryModel) -> (Counts, Outcomes) {
    let test = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut outcomes = Outcomes::default();
    let (counts, result) = explore(&test, model, 1000, &mut |finished| {
        let Outcome::Final(state) = finished.outcome else { panic!("a loop without an access") };
        outcomes.count(&test, &state);
        Continue::Yes
    });
    assert_eq!(result, Ok(()));
    (counts, outcomes)
}

/// A test of these columns, in which three registers of each thread hold the addresses of x, y and z.
fn table(head: &str, registers: [&str; 3], columns: &[&str], condition: &str) -> String {
    let mut text = format!("{head} shape\n{{");
    for thread in 0..columns.len() {
        for (register, location) in registers.into_iter().zip(["x", "y", "z"]) {
            text += &format!(" {thread}:{register}={location};");
        }
    }
    text += " }\n";
    let heads: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    text += &format!("{} ;\n", heads.join(" | "));
    let cells: Vec<Vec<&str>> = columns.iter().map(|column| column.split("; ").collect()).collect();
    for row in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
        let row: Vec<&str> = cells.iter().map(|column| column.get(row).copied().unwrap_or("")).collect();
        text += &format!("{} ;\n", row.join(" | "));
    }
    text + "exists " + condition + "\n"
}

/// X10 holds x, X11 y, X12 z, and W9 the value 1, W8 2.
fn arm(columns: &[&str], condition: &str) -> String {
    let columns: Vec<String> = columns.iter().map(|column| format!("MOV W9,#1; MOV W8,#2; {column}")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    table("AArch64", ["X10", "X11", "X12"], &columns, condition)
}

/// x10 holds x, x11 y, x12 z, and x9 the value 1, x8 2.
fn riscv(columns: &[&str], condition: &str) -> String {
    let columns: Vec<String> = columns.iter().map(|column| format!("li x9,1; li x8,2; {column}")).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    table("RISCV", ["x10", "x11", "x12"], &columns, condition)
}

/// How many executions there are, and whether what the condition asks for is among them.
fn expect(text: &str, model: MemoryModel, executions: u64, observed: bool) {
    let (counts, outcomes) = run(text, model);
    let observation = if observed { Observation::Sometimes } else { Observation::Never };
    assert_eq!((counts.executions, outcomes.observation()), (executions, observation), "{text}");
}

fn expect_arm(columns: &[&str], condition: &str, executions: u64, observed: bool) {
    expect(&arm(columns, condition), MemoryModel::Armv8, executions, observed);
}

fn expect_riscv(columns: &[&str], condition: &str, executions: u64, observed: bool) {
    expect(&riscv(columns, condition), MemoryModel::Riscv, executions, observed);
}

/// Of the four ways to read from two stores, the one in question is the only one that is not sequentially consistent.
fn four_arm(columns: [&str; 2], condition: &str, weak: bool) {
    expect_arm(&columns, condition, 3 + u64::from(weak), weak);
}

fn four_riscv(columns: [&str; 2], condition: &str, weak: bool) {
    expect_riscv(&columns, condition, 3 + u64::from(weak), weak);
}

#[test]
fn store_buffering_on_arm() {
    let weak = "(0:X1=0 /\\ 1:X1=0)";
    let shape = |store: &str, between: &str, load: &str, allowed: bool| {
        let thread = |own: &str, other: &str| format!("{store} W9,[{own}]; {between}{load} W1,[{other}]");
        four_arm([&thread("X10", "X11"), &thread("X11", "X10")], weak, allowed);
    };
    shape("STR", "", "LDR", true);
    shape("STR", "DMB SY; ", "LDR", false);
    shape("STR", "DMB ISHST; ", "LDR", true);
    shape("STR", "DMB ISHLD; ", "LDR", true);
    // A DSB between stores and what follows orders them before loads, too.
    shape("STR", "DSB ISHST; ", "LDR", false);
    shape("STR", "ISB; ", "LDR", true);
    shape("STLR", "", "LDAR", false);
    shape("STLR", "", "LDAPR", true);
    shape("STLR", "", "LDR", true);
}

/// A read-modify-write is no fence, but for one instruction that acquires and releases, whose store orders what follows.
#[test]
fn read_modify_writes_are_no_fences_on_arm() {
    let shape = |update: &dyn Fn(&str) -> String, executions: u64, allowed: bool| {
        let thread = |own: &str, other: &str| format!("{}; LDR W1,[{other}]", update(own));
        expect_arm(&[&thread("X10", "X11"), &thread("X11", "X10")], "(0:X1=0 /\\ 1:X1=0)", executions, allowed);
    };
    shape(&|place| format!("SWP W9,W5,[{place}]"), 4, true);
    shape(&|place| format!("SWPA W9,W5,[{place}]"), 4, true);
    shape(&|place| format!("SWPAL W9,W5,[{place}]"), 3, false);
    shape(&|place| format!("CASAL W5,W9,[{place}]"), 3, false);
    // A later load overtakes the store of a pair.
    shape(&|place| format!("LDAXR W5,[{place}]; STLXR W6,W9,[{place}]"), 4, true);
}

#[test]
fn message_passing_on_arm() {
    let weak = "(1:X1=1 /\\ 1:X2=0)";
    let reader = "LDR W1,[X11]; LDR W2,[X10]";
    let fenced = "STR W9,[X10]; DMB ST; STR W9,[X11]";
    four_arm(["STR W9,[X10]; STR W9,[X11]", reader], weak, true);
    four_arm([fenced, reader], weak, true);
    for (ordered, allowed) in [
        ("LDR W1,[X11]; DMB LD; LDR W2,[X10]", false),
        ("LDR W1,[X11]; DMB ST; LDR W2,[X10]", true),
        ("LDAR W1,[X11]; LDR W2,[X10]", false),
        ("LDAPR W1,[X11]; LDR W2,[X10]", false),
        ("LDR W1,[X11]; EOR W3,W1,W1; LDR W2,[X10,W3,SXTW]", false),
        ("LDR W1,[X11]; CBNZ W1,L; L: LDR W2,[X10]", true),
        ("LDR W1,[X11]; CBNZ W1,L; L: ISB; LDR W2,[X10]", false),
        ("LDR W1,[X11]; ISB; LDR W2,[X10]", true),
        // A selection carries no dependency to a load.
        ("LDR W1,[X11]; CMP W1,#1; CSEL W3,WZR,WZR,EQ; LDR W2,[X10,W3,SXTW]", true),
        ("LDR W1,[X11]; CMP W1,#1; CSEL W3,WZR,WZR,EQ; CBNZ W3,L; L: ISB; LDR W2,[X10]", false),
    ] {
        four_arm([fenced, ordered], weak, allowed);
        four_arm(["STR W9,[X10]; STLR W9,[X11]", ordered], weak, allowed);
    }
}

#[test]
fn load_buffering_on_arm() {
    let weak = "(0:X1=1 /\\ 1:X1=1)";
    let shape = |between: &str, store: &str, allowed: bool| {
        let thread = |own: &str, other: &str| format!("LDR W1,[{own}]; {between}{store},[{other}]");
        four_arm([&thread("X10", "X11"), &thread("X11", "X10")], weak, allowed);
    };
    shape("", "STR W9", true);
    shape("", "STLR W9", false);
    shape("DMB LD; ", "STR W9", false);
    shape("EOR W3,W1,W1; ADD W3,W3,#1; ", "STR W3", false);
    shape("CBNZ W1,L; L: ", "STR W9", false);
    shape("CMP W1,#1; CSEL W3,W9,W9,EQ; ", "STR W3", false);
    // A store to the same location in front takes effect in order; what is behind it need not.
    expect_arm(&["LDR W1,[X10]; STR W9,[X11]", "LDR W1,[X11]; STR W9,[X10]; STR W8,[X10]"], weak, 6, true);
}

/// The load of a store that has to wait is forwarded, and its value goes out before the store does: r0 comes before the
/// release, which is read by r1, on which the store of x depends.
#[test]
fn a_store_that_waits_is_forwarded() {
    let handing = |first: &str, store: &str| {
        format!("LDR W0,[X11]; {first}; {store}; LDR W1,[X12]; EOR W2,W1,W1; ADD W2,W2,#1; STR W2,[X10]")
    };
    let other = "LDR W0,[X10]; EOR W2,W0,W0; ADD W2,W2,#1; STR W2,[X11]";
    let weak = "(0:X0=1 /\\ 1:X0=1)";
    expect_arm(&[&handing("NOP", "STLR W9,[X12]"), other], weak, 4, true);
    // The same behind a store to the location, in an exchange, in a pair, but not if the value is computed from what waits.
    expect_arm(&[&handing("STR W0,[X12]", "STR W9,[X12]"), other], weak, 4, true);
    expect_arm(&[&handing("EOR W3,W0,W0; ADD W3,W3,#1", "STR W3,[X12]"), other], weak, 3, false);
    expect_arm(&[&handing("SWP W0,W5,[X12]", "STR W9,[X12]"), other], weak, 4, true);
    let riscv_other = "lw x5,0(x10); xor x6,x5,x5; ori x6,x6,1; sw x6,0(x11)";
    let riscv_handing =
        |store: &str| format!("lw x5,0(x11); {store}; lw x7,0(x12); xor x6,x7,x7; ori x6,x6,1; sw x6,0(x10)");
    let weak = "(0:x5=1 /\\ 1:x5=1)";
    expect_riscv(&[&riscv_handing("fence r,w; sw x9,0(x12)"), riscv_other], weak, 3, false);
    expect_riscv(&[&riscv_handing("sw.rl x9,0(x12)"), riscv_other], weak, 4, true);
    expect_riscv(&[&riscv_handing("amoswap.w.rl x13,x9,(x12)"), riscv_other], weak, 3, false);
}

#[test]
fn store_buffering_on_riscv() {
    let weak = "(0:x1=0 /\\ 1:x1=0)";
    let shape = |between: &str, allowed: bool| {
        let thread = |own: &str, other: &str| format!("sw x9,0({own}); {between}lw x1,0({other})");
        four_riscv([&thread("x10", "x11"), &thread("x11", "x10")], weak, allowed);
    };
    shape("", true);
    shape("fence rw,rw; ", false);
    shape("fence; ", false);
    shape("fence w,r; ", false);
    shape("fence.tso; ", true);
    shape("fence r,rw; fence rw,w; ", true);
    let thread = |own: &str, other: &str| format!("amoswap.w.aqrl x5,x9,({own}); lw x1,0({other})");
    four_riscv([&thread("x10", "x11"), &thread("x11", "x10")], weak, false);
    let thread = |own: &str, other: &str| format!("amoswap.w.rl x5,x9,({own}); lw x1,0({other})");
    four_riscv([&thread("x10", "x11"), &thread("x11", "x10")], weak, true);
}

#[test]
fn message_passing_on_riscv() {
    let weak = "(1:x1=1 /\\ 1:x2=0)";
    let reader = "lw x1,0(x11); fence r,r; lw x2,0(x10)";
    for (between, allowed) in
        [("", true), ("fence w,w; ", false), ("fence rw,w; ", false), ("fence r,rw; ", true), ("fence.tso; ", false)]
    {
        four_riscv([&format!("sw x9,0(x10); {between}sw x9,0(x11)"), reader], weak, allowed);
    }
    let writer = "sw x9,0(x10); fence w,w; sw x9,0(x11)";
    for (between, allowed) in [
        ("", true),
        ("fence w,w; ", true),
        ("fence.i; ", true),
        ("bnez x1,L; L: ", true),
        ("bnez x1,L; L: fence.i; ", true),
        ("fence r,rw; ", false),
    ] {
        four_riscv([writer, &format!("lw x1,0(x11); {between}lw x2,0(x10)")], weak, allowed);
    }
    four_riscv([writer, "lw x1,0(x11); xor x3,x1,x1; add x4,x10,x3; lw x2,0(x4)"], weak, false);
}

/// What follows the branch on the success of a conditional store waits for it, as far as it stores.
#[test]
fn a_retry_loop_orders_stores_on_riscv() {
    let reader = "lw x1,0(x11); fence r,r; lw x2,0(x10)";
    let pair = |branch: &str| format!("M: lr.w x5,(x10); sc.w x6,x9,(x10); {branch}sw x9,0(x11)");
    let weak = "(1:x1=1 /\\ 1:x2=0)";
    four_riscv([&pair(""), reader], weak, true);
    four_riscv([&pair("bnez x6,M; "), reader], weak, false);
    // Not so on ARM.
    let arm_pair = "M: LDXR W5,[X10]; STXR W6,W9,[X10]; CBNZ W6,M; STR W9,[X11]";
    four_arm([arm_pair, "LDAR W1,[X11]; LDR W2,[X10]"], "(1:X1=1 /\\ 1:X2=0)", true);
}

/// Both threads read the same write at most once in a row: later loads of a location are in order unless they read it.
#[test]
fn four_independent_threads() {
    let readers = |between: &str| {
        [format!("LDR W1,[X10]; {between}LDR W2,[X11]"), format!("LDR W1,[X11]; {between}LDR W2,[X10]")]
    };
    let weak = "(2:X1=1 /\\ 2:X2=0 /\\ 3:X1=1 /\\ 3:X2=0)";
    for (between, executions) in [("", 16), ("DMB LD; ", 15), ("DMB SY; ", 15)] {
        let [one, other] = readers(between);
        expect_arm(&["STR W9,[X10]", "STR W9,[X11]", &one, &other], weak, executions, executions == 16);
    }
    let reading = |place: &str| format!("lw x1,0({place}); fence r,r; lw x2,0(x10)");
    expect_riscv(&["sw x9,0(x10)", &reading("x10")], "(1:x1=1 /\\ 1:x2=0)", 3, false);
}

fn relations<M: Model<1>>(text: &str, model: MemoryModel) -> BTreeSet<Relations> {
    let test = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let threads = Threads { test: &test, model, accesses: 62 };
    let mut all = BTreeSet::new();
    let (_, result) = rsmc::explore::<1, M, _>(&threads, &mut |execution| {
        assert!(all.insert(execution.trace.relations()), "an execution twice\n{text}");
        Continue::Yes
    });
    assert_eq!(result, Ok(()));
    all
}

/// Three read-modify-writes of one location come in any order, however they are written.
#[test]
fn updates_of_one_location() {
    for update in [
        "SWP W9,W1,[X10]",
        "LDADDAL W9,W1,[X10]",
        "STADD W9,[X10]",
        "LDXR W1,[X10]; STXR W2,W9,[X10]",
        "LDXR W1,[X10]; ADD W1,W1,#1; STLXR W2,W1,[X10]",
    ] {
        assert_eq!(relations::<Armv8<1>>(&arm(&[update; 3], "(x=1)"), MemoryModel::Armv8).len(), 6);
    }
    for update in ["amoadd.w x1,x9,(x10)", "lr.w x1,(x10); sc.w x2,x9,(x10)"] {
        assert_eq!(relations::<Riscv<1>>(&riscv(&[update; 3], "(x=1)"), MemoryModel::Riscv).len(), 6);
    }
    // One compare-and-swap succeeds, and each other one reads what that has written.
    let swaps = arm(&["CAS W1,W9,[X10]"; 3], "(x=1)");
    assert_eq!(relations::<Armv8<1>>(&swaps, MemoryModel::Armv8).len(), 3);
    let (_, outcomes) = run(&swaps, MemoryModel::Armv8);
    assert_eq!(outcomes.observation(), Observation::Always);
}

/// A conditional store that nothing was reserved for fails; a load that reserves, and no more, is a load.
#[test]
fn exclusive_accesses_that_are_no_pairs() {
    let (_, outcomes) = run(&arm(&["STXR W1,W9,[X10]"], "(x=0 /\\ 0:X1=1)"), MemoryModel::Armv8);
    assert_eq!(outcomes.observation(), Observation::Always);
    expect_arm(&["LDXR W1,[X10]; STR W9,[X11]", "STR W9,[X10]"], "(0:X1=1)", 2, true);
}

#[test]
fn what_cannot_be_read_is_refused_where_it_stands() {
    let cases = [
        ("AArch64 a\n{}\nP0 ;\nLDRB W1,[X0] ;\nexists (x=1)", "4:1: `LDRB`: accesses of 8 or 16 bits are not"),
        ("AArch64 a\n{}\nP0 ;\nLDP X1,X2,[X0] ;\nexists (x=1)", "4:1: `LDP`: accesses of pairs of registers"),
        ("AArch64 a\n{}\nP0 ;\nCASP X0,X1,X2,X3,[X5] ;\nexists (x=1)", "4:1: `CASP`: accesses of pairs"),
        ("AArch64 a\n{}\nP0 ;\nLDXP X1,X2,[X0] ;\nexists (x=1)", "4:1: `LDXP`: accesses of pairs of registers"),
        ("AArch64 a\n{}\nP0 ;\nSWPAH W1,W2,[X0] ;\nexists (x=1)", "4:1: `SWPAH`: accesses of 8 or 16 bits"),
        (
            "AArch64 a\n{ 0:X0=x; }\nP0 ;\nLDR W1,[X0] ;\nSTR X1,[X0] ;\nexists (x=1)",
            "5:8: accesses of 32 and of 64 bits to `x`: mixed sizes are not supported",
        ),
        ("AArch64 a\n{}\nP0 ;\nLDR W1,[X0,#4]! ;\nexists (x=1)", "4:8: an address that changes its register"),
        ("AArch64 a\n{}\nP0 ;\nFROB W1 ;\nexists (x=1)", "4:1: the instruction `FROB` is not supported"),
        ("AArch64 a\n{}\nP0 ;\nDMB NSH ;\nexists (x=1)", "4:5: `DMB NSH` is not supported"),
        ("AArch64 a\n{}\nP0 ;\nMOV W31,#1 ;\nexists (x=1)", "4:5: `W31` is no register"),
        (
            "AArch64 a\n{}\nP0 ;\nLDXR W1,[X0] ;\nSTR W1,[X2] ;\nSTXR W3,W1,[X0] ;\nexists (x=1)",
            "5:1: `STR` between `LDXR` and `STXR` is not supported",
        ),
        ("RISCV a\n{}\nP0 ;\nlb x1,0(x2) ;\nexists (x=1)", "4:1: `lb`: accesses of 8 or 16 bits"),
        ("RISCV a\n{}\nP0 ;\nfence q,w ;\nexists (x=1)", "4:7: `q` is no set of accesses"),
        ("RISCV a\n{}\nP0 ;\nlr.w x1,(x2) ;\nexists (x=1)", "4:1: a `lr` without its `sc`"),
        (
            "RISCV a\n{}\nP0 ;\nlr.w x1,(x2) ;\nsc.w x3,x1,(x2) ;\nadd x4,x3,x3 ;\nexists (x=1)",
            "6:8: the result of `sc` elsewhere than in a branch",
        ),
    ];
    for (text, message) in cases {
        let error = parse(text).err().unwrap_or_else(|| panic!("{text:?} was read")).to_string();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }
}
