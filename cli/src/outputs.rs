//! Results in each machine-readable form that is wanted.

use std::env;
use std::path::PathBuf;

use crate::destination::Destination;
use crate::exit::{Failure, Status};
use crate::html;
use crate::json::{self, Outcome};
use crate::junit;
use crate::plan::check::CheckPlan;
use crate::report::excerpt::Sources;
use crate::sarif;

/// Tries early whether they can be written.
pub(crate) fn prepare(plan: &CheckPlan) -> Result<(), Failure> {
    plan.results().into_iter().try_for_each(Destination::prepare)
}

/// Writes the results of a run that ends with this status. Of several that cannot be written, the first is the failure.
pub(crate) fn write(
    plan: &CheckPlan,
    outcomes: &[Outcome<'_>],
    status: Status,
    sources: &mut Sources,
) -> Result<(), Failure> {
    let sarif = if plan.sarif.is_wanted() {
        plan.sarif.write(&sarif::results(outcomes, &folder(), status, sources))
    } else {
        Ok(())
    };
    let junit = if plan.junit.is_wanted() { plan.junit.write(&junit::results(outcomes)) } else { Ok(()) };
    let html = if plan.html.is_wanted() { plan.html.write(&html::results(outcomes, sources)) } else { Ok(()) };
    plan.json.write(&json::results(outcomes)).and(sarif).and(junit).and(html)
}

/// Writes that the run has failed.
pub(crate) fn write_error(plan: &CheckPlan, failure: &Failure) -> Result<(), Failure> {
    let target = plan.target.names().join(" ");
    let (message, status) = (&failure.message, failure.status);
    let json = plan.json.write(&json::error(&target, message));
    let sarif = plan.sarif.write(&sarif::error(&target, message, &folder(), status));
    let junit = plan.junit.write(&junit::error(&target, message));
    json.and(sarif).and(junit).and(plan.html.write(&html::error(&target, message)))
}

fn folder() -> PathBuf {
    env::current_dir().unwrap_or_default()
}
