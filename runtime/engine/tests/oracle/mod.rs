//! The oracle: what the engine's algorithms are measured against. It is written from the definitions of
//! docs/monitors.md, sections 1 and 3, for clarity, and shares no code with the engine. Only the bridges [`replay`],
//! [`watch`], [`classes`], [`small`] and [`graphs`] know the engine.
//!
//! * [`program`]: little programs and their notation.
//! * [`machine`]: the operational machines SC, TSO and PSO; all traces, robustness, all interleavings.
//! * [`axioms`]: TSO and PSO once more, by axioms.
//! * [`atomicity`]: serializability by its definitions, over executions with all their commits.
//! * [`definition`]: the TACAS'11 monitors by their definition, over sets.
//! * [`random`]: random programs and runs, from a seed.
//! * [`sober`]: SOBER as printed, which is not complete.
//! * [`replay`]: gives a run of a program to a monitor of the engine.
//! * [`watch`]: gives an execution to a monitor of atomicity, and checks the cycles it reports.
//! * [`classes`]: gives a program to the explorer `dpor`.
//! * [`small`]: does so with all small programs, and judges it.
//! * [`graphs`]: the same, and to the search for execution graphs, and compares what they say.
#![allow(dead_code, reason = "each test binary uses a part of the oracle")]

pub(crate) mod atomicity;
pub(crate) mod axioms;
pub(crate) mod classes;
pub(crate) mod definition;
pub(crate) mod graphs;
pub(crate) mod machine;
pub(crate) mod program;
pub(crate) mod random;
pub(crate) mod replay;
pub(crate) mod small;
pub(crate) mod sober;
pub(crate) mod watch;
