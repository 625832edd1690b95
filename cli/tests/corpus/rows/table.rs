//! The tables: the C operations, and the instructions that they become.

/// How a row is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The row is an access.
    Access,
    /// The row is a compare-and-swap of 0, which succeeds.
    Succeeds,
    /// The row is a fence.
    Fence,
}

/// A column of the tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    X86,
    Power,
    Riscv,
    /// With single instructions for read-modify-writes, and with `LDAPR`.
    ArmNew,
    /// With neither.
    ArmOld,
    /// With pairs for read-modify-writes, and with `LDAPR`.
    ArmPairs,
}

/// The assembly of a column.
pub(super) struct Assembly {
    pub(super) head: &'static str,
    /// What each thread's registers hold at first.
    pub(super) initial: &'static [&'static str],
    /// A relaxed, an acquire and a sequentially consistent load; a relaxed and a release store.
    pub(super) accesses: [&'static str; 5],
    pub(super) fence: &'static str,
    pub(super) places: [&'static str; 2],
    pub(super) results: [&'static str; 2],
    pub(super) values: [&'static str; 2],
    /// Which of the codes of a row is for the column.
    pub(super) code: usize,
}

/// A C operation at ADDR that reads into DEST or stores VALUE, and its code for x86, POWER, RISC-V, and ARM with LSE and
/// without, if they have it.
///
/// A compare-and-swap that succeeds is without the branch on what `sc` says: there are processors with one instruction
/// (`amocas`). One that fails has the branch by which clang's front end stores what was read, and the load of RISC-V stands for an
/// `lr` without its `sc`.
pub(super) struct Row {
    pub(super) c: &'static str,
    pub(super) kind: Kind,
    pub(super) code: [Option<&'static str>; 5],
}

const ARM: Assembly = Assembly {
    head: "AArch64",
    initial: &["X10=x", "X11=y", "W8=1", "W9=2"],
    accesses: ["LDR DEST,[ADDR]", "LDAPR DEST,[ADDR]", "LDAR DEST,[ADDR]", "STR VALUE,[ADDR]", "STLR VALUE,[ADDR]"],
    fence: "DMB SY",
    places: ["X10", "X11"],
    results: ["W0", "W1"],
    values: ["W8", "W9"],
    code: 3,
};

/// The columns, in the order of [`Column`].
pub(super) const COLUMNS: [Assembly; 6] = [
    Assembly {
        head: "X86",
        initial: &[],
        accesses: ["MOV DEST,[ADDR]", "MOV DEST,[ADDR]", "MOV DEST,[ADDR]", "MOV [ADDR],$VALUE", "MOV [ADDR],$VALUE"],
        fence: "MFENCE",
        places: ["x", "y"],
        results: ["EAX", "EBX"],
        values: ["1", "2"],
        code: 0,
    },
    Assembly {
        head: "PPC",
        initial: &["r10=x", "r11=y", "r8=1", "r9=2"],
        accesses: [
            "lwz DEST,0(ADDR)",
            "lwz DEST,0(ADDR); cmpw DEST,DEST; beq L8; L8: isync",
            "sync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L8; L8: isync",
            "stw VALUE,0(ADDR)",
            "lwsync; stw VALUE,0(ADDR)",
        ],
        fence: "sync",
        places: ["r10", "r11"],
        results: ["r1", "r2"],
        values: ["r8", "r9"],
        code: 1,
    },
    Assembly {
        head: "RISCV",
        initial: &["x10=x", "x11=y", "x8=1", "x9=2"],
        accesses: [
            "lw DEST,0(ADDR)",
            "lw DEST,0(ADDR); fence r,rw",
            "fence rw,rw; lw DEST,0(ADDR); fence r,rw",
            "sw VALUE,0(ADDR)",
            "fence rw,w; sw VALUE,0(ADDR)",
        ],
        fence: "fence rw,rw",
        places: ["x10", "x11"],
        results: ["x5", "x6"],
        values: ["x8", "x9"],
        code: 2,
    },
    ARM,
    Assembly {
        accesses: ["LDR DEST,[ADDR]", "LDAR DEST,[ADDR]", "LDAR DEST,[ADDR]", "STR VALUE,[ADDR]", "STLR VALUE,[ADDR]"],
        code: 4,
        ..ARM
    },
    Assembly { code: 4, ..ARM },
];

/// The rows.
pub(super) const ROWS: [Row; 90] = [
    Row {
        c: "DEST = plain(ADDR)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("lwz DEST,0(ADDR)"),
            Some("lw DEST,0(ADDR)"),
            Some("LDR DEST,[ADDR]"),
            Some("LDR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = *(volatile int *)&plain(ADDR)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("lwz DEST,0(ADDR)"),
            Some("lw DEST,0(ADDR)"),
            Some("LDR DEST,[ADDR]"),
            Some("LDR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = load(ADDR, relaxed)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("lwz DEST,0(ADDR)"),
            Some("lw DEST,0(ADDR)"),
            Some("LDR DEST,[ADDR]"),
            Some("LDR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = load(ADDR, acquire)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw DEST,0(ADDR); fence r,rw"),
            Some("LDAPR DEST,[ADDR]"),
            Some("LDAR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = load(ADDR, consume)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw DEST,0(ADDR); fence r,rw"),
            Some("LDAPR DEST,[ADDR]"),
            Some("LDAR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = load(ADDR, seq_cst)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("sync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("fence rw,rw; lw DEST,0(ADDR); fence r,rw"),
            Some("LDAR DEST,[ADDR]"),
            Some("LDAR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = __atomic_load_n(&plain(ADDR), __ATOMIC_ACQUIRE)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,[ADDR]"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw DEST,0(ADDR); fence r,rw"),
            Some("LDAPR DEST,[ADDR]"),
            Some("LDAR DEST,[ADDR]"),
        ],
    },
    Row {
        c: "plain(ADDR) = VALUE",
        kind: Kind::Access,
        code: [
            Some("MOV [ADDR],$VALUE"),
            Some("stw VALUE,0(ADDR)"),
            Some("sw VALUE,0(ADDR)"),
            Some("STR VALUE,[ADDR]"),
            Some("STR VALUE,[ADDR]"),
        ],
    },
    Row {
        c: "*(volatile int *)&plain(ADDR) = VALUE",
        kind: Kind::Access,
        code: [
            Some("MOV [ADDR],$VALUE"),
            Some("stw VALUE,0(ADDR)"),
            Some("sw VALUE,0(ADDR)"),
            Some("STR VALUE,[ADDR]"),
            Some("STR VALUE,[ADDR]"),
        ],
    },
    Row {
        c: "store(ADDR, VALUE, relaxed)",
        kind: Kind::Access,
        code: [
            Some("MOV [ADDR],$VALUE"),
            Some("stw VALUE,0(ADDR)"),
            Some("sw VALUE,0(ADDR)"),
            Some("STR VALUE,[ADDR]"),
            Some("STR VALUE,[ADDR]"),
        ],
    },
    Row {
        c: "store(ADDR, VALUE, release)",
        kind: Kind::Access,
        code: [
            Some("MOV [ADDR],$VALUE"),
            Some("lwsync; stw VALUE,0(ADDR)"),
            Some("fence rw,w; sw VALUE,0(ADDR)"),
            Some("STLR VALUE,[ADDR]"),
            Some("STLR VALUE,[ADDR]"),
        ],
    },
    Row {
        c: "store(ADDR, VALUE, seq_cst)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; XCHG [ADDR],ESI"),
            Some("sync; stw VALUE,0(ADDR)"),
            Some("fence rw,w; sw VALUE,0(ADDR)"),
            Some("STLR VALUE,[ADDR]"),
            Some("STLR VALUE,[ADDR]"),
        ],
    },
    Row {
        c: "__atomic_store_n(&plain(ADDR), VALUE, __ATOMIC_RELEASE)",
        kind: Kind::Access,
        code: [
            Some("MOV [ADDR],$VALUE"),
            Some("lwsync; stw VALUE,0(ADDR)"),
            Some("fence rw,w; sw VALUE,0(ADDR)"),
            Some("STLR VALUE,[ADDR]"),
            Some("STLR VALUE,[ADDR]"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, exchange, VALUE, relaxed)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; XCHG [ADDR],DEST"),
            Some("L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("amoswap.w DEST,VALUE,(ADDR)"),
            Some("SWP VALUE,DEST,[ADDR]"),
            Some("L0: LDXR DEST,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, exchange, VALUE, relaxed)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; XCHG [ADDR],ESI"),
            Some("L0: lwarx r7,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("amoswap.w x0,VALUE,(ADDR)"),
            Some("SWP VALUE,WZR,[ADDR]"),
            Some("L0: LDXR W7,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, exchange, VALUE, acquire)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; XCHG [ADDR],DEST"),
            Some("L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("amoswap.w.aq DEST,VALUE,(ADDR)"),
            Some("SWPA VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, exchange, VALUE, acquire)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; XCHG [ADDR],ESI"),
            Some("L0: lwarx r7,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw r7,r7; beq L9; L9: isync"),
            Some("amoswap.w.aq x0,VALUE,(ADDR)"),
            Some("SWPA VALUE,WZR,[ADDR]"),
            Some("L0: LDAXR W7,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, exchange, VALUE, release)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; XCHG [ADDR],DEST"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("amoswap.w.rl DEST,VALUE,(ADDR)"),
            Some("SWPL VALUE,DEST,[ADDR]"),
            Some("L0: LDXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, exchange, VALUE, release)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; XCHG [ADDR],ESI"),
            Some("lwsync; L0: lwarx r7,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("amoswap.w.rl x0,VALUE,(ADDR)"),
            Some("SWPL VALUE,WZR,[ADDR]"),
            Some("L0: LDXR W7,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, exchange, VALUE, acq_rel)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; XCHG [ADDR],DEST"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("amoswap.w.aqrl DEST,VALUE,(ADDR)"),
            Some("SWPAL VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, exchange, VALUE, acq_rel)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; XCHG [ADDR],ESI"),
            Some("lwsync; L0: lwarx r7,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw r7,r7; beq L9; L9: isync"),
            Some("amoswap.w.aqrl x0,VALUE,(ADDR)"),
            Some("SWPAL VALUE,WZR,[ADDR]"),
            Some("L0: LDAXR W7,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, exchange, VALUE, seq_cst)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; XCHG [ADDR],DEST"),
            Some("sync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("amoswap.w.aqrl DEST,VALUE,(ADDR)"),
            Some("SWPAL VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, exchange, VALUE, seq_cst)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; XCHG [ADDR],ESI"),
            Some("sync; L0: lwarx r7,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw r7,r7; beq L9; L9: isync"),
            Some("amoswap.w.aqrl x0,VALUE,(ADDR)"),
            Some("SWPAL VALUE,WZR,[ADDR]"),
            Some("L0: LDAXR W7,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, fetch_add, VALUE, relaxed)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; LOCK XADD [ADDR],DEST"),
            Some("L0: lwarx DEST,0,ADDR; add r6,DEST,VALUE; stwcx. r6,0,ADDR; bne L0"),
            Some("amoadd.w DEST,VALUE,(ADDR)"),
            Some("LDADD VALUE,DEST,[ADDR]"),
            Some("L0: LDXR DEST,[ADDR]; ADD W6,DEST,VALUE; STXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, fetch_add, VALUE, relaxed)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; LOCK XADD [ADDR],ESI"),
            Some("L0: lwarx r7,0,ADDR; add r6,r7,VALUE; stwcx. r6,0,ADDR; bne L0"),
            Some("amoadd.w x0,VALUE,(ADDR)"),
            Some("STADD VALUE,[ADDR]"),
            Some("L0: LDXR W7,[ADDR]; ADD W6,W7,VALUE; STXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, fetch_add, VALUE, acquire)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; LOCK XADD [ADDR],DEST"),
            Some(
                "L0: lwarx DEST,0,ADDR; add r6,DEST,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync",
            ),
            Some("amoadd.w.aq DEST,VALUE,(ADDR)"),
            Some("LDADDA VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; ADD W6,DEST,VALUE; STXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, fetch_add, VALUE, acquire)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; LOCK XADD [ADDR],ESI"),
            Some("L0: lwarx r7,0,ADDR; add r6,r7,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw r7,r7; beq L9; L9: isync"),
            Some("amoadd.w.aq x0,VALUE,(ADDR)"),
            Some("LDADDA VALUE,WZR,[ADDR]"),
            Some("L0: LDAXR W7,[ADDR]; ADD W6,W7,VALUE; STXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, fetch_add, VALUE, release)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; LOCK XADD [ADDR],DEST"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; add r6,DEST,VALUE; stwcx. r6,0,ADDR; bne L0"),
            Some("amoadd.w.rl DEST,VALUE,(ADDR)"),
            Some("LDADDL VALUE,DEST,[ADDR]"),
            Some("L0: LDXR DEST,[ADDR]; ADD W6,DEST,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, fetch_add, VALUE, release)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; LOCK XADD [ADDR],ESI"),
            Some("lwsync; L0: lwarx r7,0,ADDR; add r6,r7,VALUE; stwcx. r6,0,ADDR; bne L0"),
            Some("amoadd.w.rl x0,VALUE,(ADDR)"),
            Some("STADDL VALUE,[ADDR]"),
            Some("L0: LDXR W7,[ADDR]; ADD W6,W7,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, fetch_add, VALUE, acq_rel)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; LOCK XADD [ADDR],DEST"),
            Some(
                "lwsync; L0: lwarx DEST,0,ADDR; add r6,DEST,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync",
            ),
            Some("amoadd.w.aqrl DEST,VALUE,(ADDR)"),
            Some("LDADDAL VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; ADD W6,DEST,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, fetch_add, VALUE, acq_rel)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; LOCK XADD [ADDR],ESI"),
            Some(
                "lwsync; L0: lwarx r7,0,ADDR; add r6,r7,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw r7,r7; beq L9; L9: isync",
            ),
            Some("amoadd.w.aqrl x0,VALUE,(ADDR)"),
            Some("LDADDAL VALUE,WZR,[ADDR]"),
            Some("L0: LDAXR W7,[ADDR]; ADD W6,W7,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = update(ADDR, fetch_add, VALUE, seq_cst)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; LOCK XADD [ADDR],DEST"),
            Some(
                "sync; L0: lwarx DEST,0,ADDR; add r6,DEST,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync",
            ),
            Some("amoadd.w.aqrl DEST,VALUE,(ADDR)"),
            Some("LDADDAL VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; ADD W6,DEST,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "update(ADDR, fetch_add, VALUE, seq_cst)",
        kind: Kind::Access,
        code: [
            Some("MOV ESI,$VALUE; LOCK XADD [ADDR],ESI"),
            Some("sync; L0: lwarx r7,0,ADDR; add r6,r7,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw r7,r7; beq L9; L9: isync"),
            Some("amoadd.w.aqrl x0,VALUE,(ADDR)"),
            Some("LDADDAL VALUE,WZR,[ADDR]"),
            Some("L0: LDAXR W7,[ADDR]; ADD W6,W7,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = __sync_fetch_and_add(&plain(ADDR), VALUE)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; LOCK XADD [ADDR],DEST"),
            Some(
                "sync; L0: lwarx DEST,0,ADDR; add r6,DEST,VALUE; stwcx. r6,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync",
            ),
            Some("amoadd.w.aqrl DEST,VALUE,(ADDR)"),
            Some("LDADDAL VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; ADD W6,DEST,VALUE; STLXR W5,W6,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = __sync_lock_test_and_set(&plain(ADDR), VALUE)",
        kind: Kind::Access,
        code: [
            Some("MOV DEST,$VALUE; XCHG [ADDR],DEST"),
            Some("sync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("amoswap.w.aqrl DEST,VALUE,(ADDR)"),
            Some("SWPAL VALUE,DEST,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_RELAXED, __ATOMIC_RELAXED)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("L0: lr.w DEST,0(ADDR); sc.w x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CAS DEST,VALUE,[ADDR]"),
            Some("L0: LDXR DEST,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_RELAXED, __ATOMIC_RELAXED)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: nop"),
            Some("lw DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CAS DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aq DEST,0(ADDR); sc.w x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASA DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: nop"),
            Some("lw.aq DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASA DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aq DEST,0(ADDR); sc.w x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASA DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aq DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASA DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_RELEASE, __ATOMIC_RELAXED)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("L0: lr.w DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASL DEST,VALUE,[ADDR]"),
            Some("L0: LDXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_RELEASE, __ATOMIC_RELAXED)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: nop"),
            Some("lw DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("L0: lr.w.aq DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aq DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aq DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: nop"),
            Some("lw.aq DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aq DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwsync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aq DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aqrl DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: nop"),
            Some("lw.aqrl DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aqrl DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aqrl DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aqrl DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aqrl DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0"),
            Some("L0: lr.w.aq DEST,0(ADDR); sc.w x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASA DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aq DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASA DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 0, VALUE, __ATOMIC_RELAXED, __ATOMIC_SEQ_CST)",
        kind: Kind::Succeeds,
        code: [
            Some("MOV EAX,$0; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; L0: lwarx DEST,0,ADDR; stwcx. VALUE,0,ADDR; bne L0; cmpw DEST,DEST; beq L9; L9: isync"),
            Some("L0: lr.w.aqrl DEST,0(ADDR); sc.w.rl x28,VALUE,0(ADDR)"),
            Some("MOV DEST,#0; CASAL DEST,VALUE,[ADDR]"),
            Some("L0: LDAXR DEST,[ADDR]; STLXR W5,VALUE,[ADDR]; CBNZ W5,L0"),
        ],
    },
    Row {
        c: "DEST = exchange(&ADDR, 3, VALUE, __ATOMIC_RELAXED, __ATOMIC_SEQ_CST)",
        kind: Kind::Access,
        code: [
            Some("MOV EAX,$3; MOV ESI,$VALUE; LOCK CMPXCHG [ADDR],ESI"),
            Some("sync; lwz DEST,0(ADDR); cmpw DEST,DEST; beq L9; L9: isync"),
            Some("lw.aqrl DEST,0(ADDR); bne DEST,x0,L9; L9: nop"),
            Some("MOV DEST,#3; CASAL DEST,VALUE,[ADDR]; CBNZ DEST,L9; L9: NOP"),
            Some("LDAXR DEST,[ADDR]; CBNZ DEST,L9; L9: NOP"),
        ],
    },
    Row {
        c: "atomic_thread_fence(memory_order_relaxed)",
        kind: Kind::Fence,
        code: [Some(""), Some(""), Some(""), Some(""), Some("")],
    },
    Row {
        c: "atomic_thread_fence(memory_order_acquire)",
        kind: Kind::Fence,
        code: [Some(""), Some("lwsync"), Some("fence r,rw"), Some("DMB ISHLD"), Some("DMB ISHLD")],
    },
    Row {
        c: "atomic_thread_fence(memory_order_release)",
        kind: Kind::Fence,
        code: [Some(""), Some("lwsync"), Some("fence rw,w"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "atomic_thread_fence(memory_order_acq_rel)",
        kind: Kind::Fence,
        code: [Some(""), Some("lwsync"), Some("fence.tso"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "atomic_thread_fence(memory_order_seq_cst)",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__sync_synchronize()",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "atomic_signal_fence(memory_order_seq_cst)",
        kind: Kind::Fence,
        code: [Some(""), Some(""), Some(""), Some(""), Some("")],
    },
    Row {
        c: "__asm__ volatile(\"mfence\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__asm__ volatile(\"sync\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__asm__ volatile(\"dmb ish\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__asm__ volatile(\"dmb sy\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__asm__ volatile(\"dsb sy\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), Some("DSB SY"), Some("DSB SY")],
    },
    Row {
        c: "__asm__ volatile(\"sfence\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("SFENCE"), Some("eieio"), Some("fence w,w"), Some("DMB ISHST"), Some("DMB ISHST")],
    },
    Row {
        c: "__asm__ volatile(\"eieio\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("SFENCE"), Some("eieio"), Some("fence w,w"), Some("DMB ISHST"), Some("DMB ISHST")],
    },
    Row {
        c: "__asm__ volatile(\"dmb ishst\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("SFENCE"), Some("eieio"), Some("fence w,w"), Some("DMB ISHST"), Some("DMB ISHST")],
    },
    Row {
        c: "__asm__ volatile(\"dsb st\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), None, Some("fence w,rw"), Some("DSB ST"), Some("DSB ST")],
    },
    Row {
        c: "__asm__ volatile(\"dmb ishld\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), None, Some("fence r,rw"), Some("DMB ISHLD"), Some("DMB ISHLD")],
    },
    Row {
        c: "__asm__ volatile(\"lwsync\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), Some("lwsync"), Some("fence.tso"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__asm__ volatile(\"fence.tso\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), Some("lwsync"), Some("fence.tso"), Some("DMB ISH"), Some("DMB ISH")],
    },
    Row {
        c: "__asm__ volatile(\"lfence\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), Some("isync"), Some(""), Some("ISB"), Some("ISB")],
    },
    Row {
        c: "__asm__ volatile(\"isync\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), Some("isync"), Some(""), Some("ISB"), Some("ISB")],
    },
    Row {
        c: "__asm__ volatile(\"isb\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), Some("isync"), Some(""), Some("ISB"), Some("ISB")],
    },
    Row {
        c: "__asm__ volatile(\"fence rw,rw\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), Some("sync"), Some("fence rw,rw"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence rw,w\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), None, Some("fence rw,w"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence r,rw\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), None, Some("fence r,rw"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence w,w\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), Some("eieio"), Some("fence w,w"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence w,r\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), None, Some("fence w,r"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence r,r\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), None, Some("fence r,r"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence r,w\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some(""), None, Some("fence r,w"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence rw,r\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), None, Some("fence rw,r"), None, None],
    },
    Row {
        c: "__asm__ volatile(\"fence w,rw\" ::: \"memory\")",
        kind: Kind::Fence,
        code: [Some("MFENCE"), None, Some("fence w,rw"), None, None],
    },
];
