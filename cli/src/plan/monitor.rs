//! The meaning of a command `monitor`.

use protocol::MonitorName;

use crate::args::MonitorArgs;
use crate::destination::{self, Destination};
use crate::exit::Failure;
use crate::screen::{Color, Screen};
use crate::trust::Roots;

/// The meaning of a command `monitor`.
#[derive(Clone, Debug)]
pub(crate) struct MonitorPlan {
    /// The logs, as typed.
    pub(crate) logs: Vec<String>,
    /// The monitors that watch the logs.
    pub(crate) monitors: Vec<MonitorName>,
    /// The number of steps that the search for a cycle in each execution of SC may take.
    pub(crate) search_steps: u64,
    /// The folders in which the sources that a log names may lie.
    pub(crate) roots: Roots,
    /// The place that the JSON goes to.
    pub(crate) json: Destination,
    /// Whether text is coloured.
    pub(crate) color: Color,
}

impl MonitorPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &MonitorArgs) -> Result<MonitorPlan, Failure> {
        let monitors = typed.monitor.0.clone();
        if monitors.contains(&MonitorName::Race) {
            let message = "monitor `race` does not fit event logs, whose accesses have no C11 orders";
            return Err(Failure::usage(message, "leave it out; `fencehound check --monitor race` watches a program"));
        }
        Ok(MonitorPlan {
            logs: typed.logs.clone(),
            monitors,
            search_steps: typed.search_steps,
            roots: Roots::new(&typed.source)?,
            json: Destination::named("--json", typed.json.as_deref()),
            color: typed.color,
        })
    }

    /// Returns the screen for the text for people.
    pub(crate) fn screen(&self) -> Screen {
        destination::screen(&[&self.json], self.color)
    }
}
