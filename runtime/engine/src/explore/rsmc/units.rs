//! Units: parts of a search for execution graphs that stand for themselves, so that any process can take them up.
//!
//! The commits of a run, in order, with the frames that begin between them, are a node of the tree of all runs. What is below a node
//! depends on nothing but the node. So a unit is a node, as bytes, and maybe a continuation that is to be followed from there, which
//! belongs to the last frame then; without one, all traces that extend the run are to be explored.
//!
//! A frame is named by the bytes of its node. A continuation that comes up in one unit may belong to a frame that others share: then
//! it goes home ([`News`]), where each is made a unit once. The bytes of a unit are those of its node, and those of the continuation
//! behind them.

use super::state::Parameter;
use crate::explore::packed::{Corrupt, Reader, write};
use crate::graph::EventId;

/// What must come before a write, the write, and the read from it.
pub(super) type Continuation = Vec<(EventId, Parameter)>;

/// What the alternatives of a frame differ in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Alternatives {
    /// In what the read of the frame reads from.
    Sources,
    /// In who locks next.
    Holders,
}

/// A step on the way to a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// A frame begins.
    Begin(Alternatives),
    /// An access is committed with this number, in the frame with this number, if it is in one.
    Commit { event: EventId, rank: usize, frame: Option<usize> },
}

/// A unit that has been read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Unit {
    pub(super) steps: Vec<Step>,
    pub(super) continuation: Continuation,
}

/// What is known of the continuations of a frame that others share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct News {
    /// The name of the frame.
    pub frame: Vec<u8>,
    /// The continuations that have been seen to: followed, or made units.
    pub done: Vec<Vec<u8>>,
    /// The continuations that are to be followed, unless others have come to them, too. The unit of one is its bytes behind the name
    /// of the frame.
    pub found: Vec<Vec<u8>>,
}

/// What is left of a search that has paused.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// The units that are to be run, the smallest first.
    pub units: Vec<Vec<u8>>,
    /// What is known of frames that these units share with others.
    pub news: Vec<News>,
}

/// The kinds of steps and of parameters, as the lowest digit of a number whose others are that of a thread.
const KINDS: u64 = 9;
const BEGIN_SOURCES: u64 = 0;
const BEGIN_HOLDERS: u64 = 1;
const COMMIT: u64 = 2;
const COMMIT_IN_FRAME: u64 = 3;
const ANY: u64 = 4;
const PLACE: u64 = 5;
const INITIAL: u64 = 6;
const SOURCE: u64 = 7;
const OWN: u64 = 8;

fn write_event(into: &mut Vec<u8>, kind: u64, event: EventId) {
    write(into, u64::from(event.thread) * KINDS + kind);
    write(into, event.index.into());
}

/// Appends a step.
pub(super) fn write_step(into: &mut Vec<u8>, step: Step) {
    match step {
        Step::Begin(Alternatives::Sources) => write(into, BEGIN_SOURCES),
        Step::Begin(Alternatives::Holders) => write(into, BEGIN_HOLDERS),
        Step::Commit { event, rank, frame } => {
            write_event(into, if frame.is_some() { COMMIT_IN_FRAME } else { COMMIT }, event);
            write(into, rank as u64);
            if let Some(frame) = frame {
                write(into, frame as u64);
            }
        }
    }
}

/// Returns the bytes of a continuation.
pub(super) fn pack(continuation: &[(EventId, Parameter)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * continuation.len());
    for &(event, parameter) in continuation {
        match parameter {
            Parameter::Any => write_event(&mut bytes, ANY, event),
            Parameter::Place(place) => {
                write_event(&mut bytes, PLACE, event);
                write(&mut bytes, place.into());
            }
            Parameter::Source(None) => write_event(&mut bytes, INITIAL, event),
            Parameter::Source(Some(source)) => {
                write_event(&mut bytes, SOURCE, event);
                write(&mut bytes, source.thread.into());
                write(&mut bytes, source.index.into());
            }
            Parameter::Own => write_event(&mut bytes, OWN, event),
        }
    }
    bytes
}

fn small(number: u64) -> Result<u16, Corrupt> {
    u16::try_from(number).map_err(|_| Corrupt)
}

fn size(number: u64) -> Result<usize, Corrupt> {
    usize::try_from(number).map_err(|_| Corrupt)
}

/// Reads what comes next in a unit.
fn read_next(reader: &mut Reader<'_>, unit: &mut Unit) -> Result<(), Corrupt> {
    let number = reader.number()?;
    let kind = number % KINDS;
    if matches!(kind, BEGIN_SOURCES | BEGIN_HOLDERS) {
        let alternatives = if kind == BEGIN_SOURCES { Alternatives::Sources } else { Alternatives::Holders };
        unit.steps.push(Step::Begin(alternatives));
        return Ok(());
    }
    let event = EventId { thread: small(number / KINDS)?, index: small(reader.number()?)? };
    let parameter = match kind {
        COMMIT | COMMIT_IN_FRAME => {
            let rank = size(reader.number()?)?;
            let frame = if kind == COMMIT { None } else { Some(size(reader.number()?)?) };
            unit.steps.push(Step::Commit { event, rank, frame });
            return Ok(());
        }
        ANY => Parameter::Any,
        PLACE => Parameter::Place(small(reader.number()?)?),
        INITIAL => Parameter::Source(None),
        SOURCE => {
            let source = EventId { thread: small(reader.number()?)?, index: small(reader.number()?)? };
            Parameter::Source(Some(source))
        }
        _ => Parameter::Own,
    };
    unit.continuation.push((event, parameter));
    Ok(())
}

/// Reads a unit.
pub(super) fn read(bytes: &[u8]) -> Result<Unit, Corrupt> {
    let (mut reader, mut unit) = (Reader::new(bytes), Unit::default());
    while reader.left() > 0 {
        read_next(&mut reader, &mut unit)?;
    }
    Ok(unit)
}

/// Returns the names of the frames that a unit is in, the shortest first.
///
/// # Errors
/// [`Corrupt`], if these bytes are no unit.
pub fn frames(bytes: &[u8]) -> Result<Vec<&[u8]>, Corrupt> {
    let (mut reader, mut unit, mut names) = (Reader::new(bytes), Unit::default(), Vec::new());
    while reader.left() > 0 {
        unit.steps.clear();
        read_next(&mut reader, &mut unit)?;
        if let Some(Step::Begin(_)) = unit.steps.last() {
            names.push(&bytes[..bytes.len() - reader.left()]);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::{Alternatives, EventId, Parameter, Step, Unit, frames, pack, read, write_step};

    fn unit() -> Unit {
        let commit = |thread, index, rank, frame| Step::Commit { event: EventId::new(thread, index), rank, frame };
        Unit {
            steps: vec![
                commit(0, 0, 3, None),
                Step::Begin(Alternatives::Sources),
                commit(200, 1000, 300, Some(0)),
                Step::Begin(Alternatives::Holders),
            ],
            continuation: vec![
                (EventId::new(1, 2), Parameter::Any),
                (EventId::new(2, 2), Parameter::Place(400)),
                (EventId::new(3, 0), Parameter::Source(None)),
                (EventId::new(3, 1), Parameter::Source(Some(EventId::new(1, 2)))),
                (EventId::new(3, 2), Parameter::Own),
            ],
        }
    }

    fn bytes(unit: &Unit) -> Vec<u8> {
        let mut bytes = Vec::new();
        unit.steps.iter().for_each(|&step| write_step(&mut bytes, step));
        bytes.extend(pack(&unit.continuation));
        bytes
    }

    #[test]
    fn a_unit_comes_back() {
        assert_eq!(read(&bytes(&unit())), Ok(unit()));
        let packed = bytes(&unit());
        assert!(read(&packed[..packed.len() - 1]).is_err());
    }

    #[test]
    fn a_frame_is_named_by_all_that_comes_before_it() {
        let unit = unit();
        let name = |steps: usize| bytes(&Unit { steps: unit.steps[..steps].to_vec(), continuation: Vec::new() });
        assert_eq!(frames(&bytes(&unit)).unwrap(), [name(2), name(4)]);
    }
}
