//! The order in which the stores of a thread commit: all in which TSO and PSO differ (docs/monitors.md, section 1, ww).

use super::MonitorName;
use crate::clock::Tick;

/// Which earlier stores of its thread must commit before a store does.
pub(super) trait CommitOrder {
    /// The monitor of [`super::burnim`] for the model.
    const BURNIM: MonitorName;
    /// The monitor of [`super::prefix`] for it.
    const PREFIX: MonitorName;
    /// Its place among the models.
    const INDEX: usize;

    /// All stores of the thread up to this tick commit before a store with this `tick` in an epoch that began just
    /// after the tick `epoch`. Beside these, stores that share a location commit in program order.
    fn through(tick: Tick, epoch: Tick) -> Tick;
}

/// Stores commit in program order.
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

/// Stores commit after those of earlier epochs.
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
