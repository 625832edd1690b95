//! The end of a command that comes to no result.

use owo_colors::OwoColorize;

use crate::exit::{Failure, Status};
use crate::outputs;
use crate::plan::check::CheckPlan;
use crate::screen::{complain, complain_about};
use crate::text::printable;

/// Reports, in the place of a result, why a command has none, and returns the exit status.
pub(super) fn failed(plan: &CheckPlan, failure: &Failure) -> Status {
    if failure.status == Status::Usage {
        complain(failure);
        return failure.status;
    }
    let written = outputs::write_error(plan, failure);
    if let Some(help) = &failure.help {
        complain(&format!("help: {help}"));
    }
    let kind = if failure.status == Status::Internal { "internal error: " } else { "" };
    plan.screen().print(&format!("{} {kind}{}\n", "error:".red().bold(), printable(&failure.message)));
    failure.status.and(complain_about(written))
}
