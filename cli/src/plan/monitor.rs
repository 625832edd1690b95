//! What a command `monitor` means.

use protocol::MonitorName;

use crate::args::MonitorArgs;
use crate::destination::JsonTo;
use crate::exit::Failure;
use crate::screen::{Color, Screen};
use crate::trust::Roots;

/// A command `monitor`, understood.
#[derive(Clone, Debug)]
pub(crate) struct MonitorPlan {
    /// The logs, as typed.
    pub(crate) logs: Vec<String>,
    /// What watches them.
    pub(crate) monitors: Vec<MonitorName>,
    /// How many steps the search for a cycle in each execution of SC may take.
    pub(crate) search_steps: u64,
    /// Where the sources that a log names may lie.
    pub(crate) roots: Roots,
    /// Where the JSON goes.
    pub(crate) json: JsonTo,
    /// When to colour.
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
            json: JsonTo::named(typed.json.as_deref()),
            color: typed.color,
        })
    }

    /// Returns where the text for people goes.
    pub(crate) fn screen(&self) -> Screen {
        self.json.screen(self.color)
    }
}
