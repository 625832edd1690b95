//! The order in which the stores of a thread commit: all in which TSO and PSO differ (docs/monitors.md, section 1, ww).

use super::MonitorName;
use crate::clock::Tick;

/// A store-buffer model, by which earlier stores of its thread must commit before a store does.
pub(super) trait CommitOrder {
    /// The name of the monitor of [`super::burnim`] for the model.
    const BURNIM: MonitorName;
    /// The name of the monitor of [`super::prefix`] for the model.
    const PREFIX: MonitorName;
    /// The position of the model in tables that have one entry for each model.
    const INDEX: usize;

    /// Returns the last tick of the thread whose stores must all commit before a store with this `tick` in an epoch that began
    /// just after the tick `epoch`. Besides these, stores that share a location commit in program order.
    fn through(tick: Tick, epoch: Tick) -> Tick;
}

/// TSO: stores commit in program order.
#[derive(Debug)]
pub(super) struct Tso;

impl CommitOrder for Tso {
    const BURNIM: MonitorName = MonitorName::BurnimTso;
    const PREFIX: MonitorName = MonitorName::PrefixTso;
    const INDEX: usize = 0;

    fn through(tick: Tick, _epoch: Tick) -> Tick {
        tick
    }
}

/// PSO: stores commit after those of earlier epochs.
#[derive(Debug)]
pub(super) struct Pso;

impl CommitOrder for Pso {
    const BURNIM: MonitorName = MonitorName::BurnimPso;
    const PREFIX: MonitorName = MonitorName::PrefixPso;
    const INDEX: usize = 1;

    fn through(_tick: Tick, epoch: Tick) -> Tick {
        epoch
    }
}
