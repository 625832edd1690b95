//! The lines of JSON between the tool, an executor process and its workers (docs/cluster.md).

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use protocol::{BUILD, Division, Explore, Harvest, Identity, Manner, Unit};
use serde::{Deserialize, Serialize};

use super::surroundings::Surroundings;
use crate::exit::{Failure, Status};

/// The version of these lines.
pub(super) const PROTOCOL: u32 = 1;

/// A line from the tool, which an executor passes on to its workers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    /// The first line.
    Hello(Hello),
    /// What the slices are of.
    Program(Box<ProgramOrder>),
    /// What the search has learned since the line before of its kind.
    Learned(Box<Learned>),
    /// A slice to run.
    Slice(Box<SliceOrder>),
    /// Slices whose results are no longer wanted.
    Cancel {
        /// The epoch; that slice alone if one is named, else all of this epoch and of those before.
        epoch: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
    },
    /// The last line.
    End {},
}

/// The first line of either side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) protocol: u32,
    /// Who speaks, for people.
    pub(super) name: String,
    /// The build of Fencehound; an executor need not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) build: Option<String>,
}

impl Hello {
    /// Makes the first line of this tool.
    pub(super) fn new() -> Hello {
        let name = format!("fencehound {}", env!("CARGO_PKG_VERSION"));
        Hello { protocol: PROTOCOL, name, build: Some(String::from_utf8_lossy(&BUILD).into_owned()) }
    }
}

/// A file that a worker has to have, known by its content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Content {
    pub(super) path: String,
    pub(super) hash: String,
}

/// The program, and what its runs depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct ProgramOrder {
    /// The tool itself, which an executor may ship to its workers.
    pub(super) tool: Content,
    pub(super) executable: Content,
    /// The name by which the program knows itself, and its arguments.
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
    /// The folder that the program runs in at the tool.
    pub(super) directory: String,
    /// The environment in which workers run the program.
    pub(super) environment: BTreeMap<String, String>,
    pub(super) surroundings: Surroundings,
    pub(super) explore: Explore,
}

/// What the search has learned since the line before of its kind.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) epoch: u64,
    /// The number of the line within its epoch, from 1.
    pub(super) number: u64,
    /// What is known besides.
    pub(super) known: Vec<Identity>,
    pub(super) threads: Vec<Vec<u32>>,
    pub(super) divisions: Vec<Division>,
    pub(super) facts: Vec<u64>,
}

/// A slice to run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct SliceOrder {
    pub(super) id: u64,
    pub(super) epoch: u64,
    /// The number of the last line [`Learned`] that the slice needs.
    pub(super) learned: u64,
    pub(super) seconds: Option<f64>,
    pub(super) executions: Option<u64>,
    pub(super) manner: Manner,
    pub(super) units: Vec<Unit>,
}

/// A line to the tool. Those about slices come from workers, and an executor passes them on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The first line.
    Hello(Hello),
    /// How many workers there are from now on, and how many slices they take at a time.
    Workers {
        count: usize,
        #[serde(default)]
        slots: Option<usize>,
    },
    /// The worker can run the program.
    Ready {},
    /// A worker cannot run the program.
    Refused { why: String },
    /// The result of a slice, and the number of seconds that it took.
    Harvest { id: u64, epoch: u64, seconds: f64, harvest: Box<Harvest> },
    /// The program ended within a slice.
    Died {
        id: u64,
        epoch: u64,
        #[serde(default)]
        signal: Option<i32>,
        #[serde(default)]
        status: Option<i32>,
    },
    /// Nobody runs the slice any more, through no fault of the program.
    Lost { id: u64, epoch: u64, why: String },
    /// The search has to end.
    Failed { status: u8, message: String, help: Option<String> },
}

/// Returns the answer that a program ended in this way within a slice.
pub(super) fn died(id: u64, epoch: u64, status: ExitStatus) -> Answer {
    Answer::Died { id, epoch, signal: status.signal(), status: status.code() }
}

/// Returns how a program ended of which an answer says so.
pub(super) fn ending(signal: Option<i32>, status: Option<i32>) -> ExitStatus {
    ExitStatus::from_raw(signal.map_or((status.unwrap_or(1) & 0xff) << 8, |signal| signal & 0x7f))
}

/// Returns the answer that a failure is.
pub(super) fn failed(failure: &Failure) -> Answer {
    let Failure { status, message, help } = failure.clone();
    Answer::Failed { status: status as u8, message, help }
}

/// Returns the failure of which an answer says so.
pub(super) fn failure(status: u8, message: String, help: Option<String>) -> Failure {
    let known = [Status::Usage, Status::Incomplete, Status::Unsupported, Status::Compile];
    let status = known.into_iter().find(|&known| known as u8 == status).unwrap_or(Status::Internal);
    Failure { status, message, help }
}

/// Returns the variables of this process's environment, or the name of one whose value is no UTF-8.
pub(super) fn environment() -> Result<BTreeMap<String, String>, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        let name = name.to_string_lossy().into_owned();
        value.into_string().map(|value| (name.clone(), value)).map_err(|_| name)
    };
    std::env::vars_os().map(text).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::{Answer, Order, died, ending, failed, failure};
    use crate::exit::Failure;

    #[test]
    fn ends_and_failures_come_through() {
        for status in [ExitStatus::from_raw(9), ExitStatus::from_raw(3 << 8), ExitStatus::from_raw(70 << 8)] {
            let Answer::Died { signal, status: code, .. } = died(1, 1, status) else { panic!("it died") };
            assert_eq!(ending(signal, code), status);
        }
        for said in [Failure::internal("a"), Failure::unsupported("b", "c"), Failure::usage("d", "e")] {
            let Answer::Failed { status, message, help } = failed(&said) else { panic!("it failed") };
            assert_eq!(failure(status, message, help), said);
        }
    }

    #[test]
    fn lines_are_what_the_document_says() {
        let read = |line: &str| serde_json::from_str::<Order>(line).unwrap();
        assert_eq!(read(r#"{"cancel":{"epoch":3}}"#), Order::Cancel { epoch: 3, id: None });
        assert_eq!(read(r#"{"end":{}}"#), Order::End {});
        let heard = |line: &str| serde_json::from_str::<Answer>(line).unwrap();
        assert_eq!(heard(r#"{"workers":{"count":2}}"#), Answer::Workers { count: 2, slots: None });
        let lost = Answer::Lost { id: 1, epoch: 2, why: "gone".into() };
        assert_eq!(heard(r#"{"lost":{"id":1,"epoch":2,"why":"gone"}}"#), lost);
        assert!(serde_json::from_str::<Answer>(r#"{"harvest":{"id":1,"epoch":1,"seconds":1}}"#).is_err());
    }
}
