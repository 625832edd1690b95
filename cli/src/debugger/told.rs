//! What the script in gdb is told of an execution, as JSON.

use std::collections::BTreeMap;

use protocol::{FailureKind, Finding, Role, Trace};
use serde_json::{Value, json};

use crate::report::buffers::Buffers;
use crate::report::columns::{event_words, mark, waiting_words};
use crate::report::finding::{self, Subject};
use crate::report::names::{Threads, short_place};
use crate::screen::plain;
use crate::trust::is_plain_file_name;

/// Returns the execution of a finding.
pub(super) fn execution(finding: &Finding, trace: &Trace) -> Value {
    let violation = &finding.violation;
    let subject = Subject {
        id: &finding.id,
        violation,
        trace: Some(trace),
        monitors: &finding.monitors,
        folder: "",
        help: &[],
        again: &[],
        threads: Threads::Created,
    };
    let (marks, buffers) = (finding::marks(violation, trace), Buffers::of(&subject, trace));
    let mut performed: BTreeMap<u32, u64> = BTreeMap::new();
    let runs = violation.schedule.graph.as_ref().map(|graph| &graph.events);
    let events = trace.events.iter().enumerate().map(|(index, event)| {
        // In a graph threads are run one after the other, and what one has performed is counted alone.
        let of_graph = runs.and_then(|events| events.get(index));
        let run = of_graph.map_or(0, |event| event.thread);
        let count = performed.entry(run).or_default();
        *count += 1;
        let nth = of_graph.map_or(*count, |event| u64::from(event.index) + 1);
        let waiting = buffers.iter().flat_map(|buffers| buffers.after(index)).filter_map(|store| {
            let store = trace.events.get(store)?;
            Some(format!("{}: {}", Threads::Created.name(store.thread), waiting_words(store)))
        });
        json!({
            "thread": event.thread,
            "words": event_words(event),
            "place": if event.place.file.is_empty() { String::new() } else { short_place(&event.place) },
            "mark": mark(marks, index),
            "run": run,
            "nth": nth,
            "waiting": waiting.collect::<Vec<_>>(),
        })
    });
    json!({
        "graph": runs.is_some(),
        "headline": plain(finding::line(&subject).trim_end()),
        "buffers": buffers.as_ref().map(|buffers| buffers.machine().unwrap_or("store buffers")),
        "cycle": plain(&finding::cycle_in_words(&subject, trace)),
        "events": events.collect::<Vec<_>>(),
        "sites": sites(finding),
    })
}

/// Returns the lines at which the program stops besides the events that are marked: those of a failure.
fn sites(finding: &Finding) -> Vec<Value> {
    let violation = &finding.violation;
    if violation.kind == FailureKind::ScViolation {
        return Vec::new();
    }
    let sites = violation.sites.iter().filter(|site| site.role != Role::Previous && site.place.line > 0);
    let mut places: Vec<Value> = sites
        .filter(|site| is_plain_file_name(&site.place.file))
        .map(|site| json!({ "file": site.place.file, "line": site.place.line }))
        .collect();
    places.dedup();
    places
}
