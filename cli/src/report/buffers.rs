//! What waits in store buffers, event by event.

use protocol::Trace;

use super::columns::Lane;
use super::finding::{Subject, lane, marks};

/// The store buffers of an execution.
pub(crate) enum Buffers<'a> {
    /// Those of the machine on which it ran, or of the monitor that reported.
    Kept(&'a Trace, Lane),
    /// What the report says of an execution that was run without: from the one event to the other, the first one waits.
    Said(usize, usize),
}

impl<'a> Buffers<'a> {
    /// Returns the store buffers of an execution, if there is something to say of them.
    pub(crate) fn of(subject: &Subject<'_>, trace: &'a Trace) -> Option<Buffers<'a>> {
        if let Some(lane) = lane(subject) {
            return Some(Buffers::Kept(trace, lane));
        }
        let marks = marks(subject.violation, trace).filter(|_| subject.violation.schedule.graph.is_none());
        marks.map(|[delayed, _, overtaking]| Buffers::Said(delayed, overtaking))
    }

    /// Returns the name of the machine that has these buffers, if it is one that was run.
    pub(crate) fn machine(&self) -> Option<&str> {
        match self {
            Buffers::Kept(_, lane) => Some(&lane.heading),
            Buffers::Said(..) => None,
        }
    }

    /// Returns the stores that wait after an event, by their indices.
    pub(crate) fn after(&self, index: usize) -> Vec<usize> {
        match self {
            Buffers::Kept(trace, lane) => {
                let waiting = trace.events.get(index).and_then(|event| event.pending.get(lane.monitor));
                waiting.into_iter().flatten().filter_map(|&store| usize::try_from(store).ok()).collect()
            }
            Buffers::Said(delayed, overtaking) if (*delayed..=*overtaking).contains(&index) => vec![*delayed],
            Buffers::Said(..) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Buffers;
    use crate::report::samples;

    #[test]
    fn a_store_waits_until_it_is_overtaken() {
        let (violation, mut trace) = (samples::store_buffering(), samples::trace());
        let [delayed, _, overtaking] = violation.events.unwrap().map(|index| usize::try_from(index).unwrap());
        let said = |trace: &protocol::Trace| {
            let subject = samples::subject(&violation, Some(trace));
            let buffers = Buffers::of(&subject, trace).unwrap();
            (buffers.machine().is_some(), (0..trace.events.len()).map(|index| buffers.after(index)).collect::<Vec<_>>())
        };
        let (is_kept, after) = said(&trace);
        let kept: Vec<Vec<usize>> =
            trace.events.iter().map(|event| event.pending[0].iter().map(|&at| at as usize).collect()).collect();
        assert!(is_kept && after == kept && kept.iter().any(|waiting| !waiting.is_empty()), "{after:?}");
        trace.events.iter_mut().for_each(|event| event.pending.clear());
        let (is_kept, after) = said(&trace);
        assert!(!is_kept);
        for (index, waiting) in after.iter().enumerate() {
            let expected = if (delayed..=overtaking).contains(&index) { vec![delayed] } else { Vec::new() };
            assert_eq!(*waiting, expected, "{index}");
        }
    }
}
