//! The tests' example: store buffering, run as T1 T1 T2 T2.

use engine::event::Thread;
use protocol::{FailureKind, MonitorName, Operation, Place, Role, Schedule, SiteUse, Trace, TraceEvent, Violation};

use super::finding::Subject;
use super::names::Threads;

pub(crate) const SOURCE: &str = "\
#include <pthread.h>
#include <stdio.h>

int x, y, r1, r2;

void *left(void *unused)
{
    x = 1;
    r1 = y;
    return NULL;
}
void *right(void *unused)
{
    y = 1;
\tr2 = x;
    return NULL;
}
";

pub(crate) const REPORT: &str = "\
tso-1: SC violation under TSO
  the store may be delayed past the load

  sb.c:8:5, T1 in left: this store of x may wait in the store buffer
    8 |     x = 1;
      |     ^
  sb.c:15:7, T2 in right: while this load of x goes ahead
   15 |     r2 = x;
      |          ^

  execution, as it was run:
         #  at       main       T1           T2           store buffers (TSO)
         0  sb.c:22  create T1
         1  sb.c:23  create T2
  e′     2  sb.c:8              write x = 1               T1: x=1
         3  sb.c:9              read y = 0                T1: x=1
  prev   4  sb.c:14                          write y = 1  T1: x=1  T2: y=1
  e      5  sb.c:15                          read x = 1   T2: y=1
       … 2 more events

  cycle: e′ →hb* prev →po e →c e′
   1.        sb.c:8   T1 write x = 1  may still wait in T1's store buffer  [e′]
   2. po     sb.c:9   T1 read y = 0   comes after 1 in T1
   3. fr     sb.c:14  T2 write y = 1  overwrites what 2 read  [prev]
   4. po     sb.c:15  T2 read x = 1   comes after 3 in T2  [e]
      c      under TSO, 4 can take place while 1 still waits, and read the value from before 1:
             then 4 comes before 1 as well, and no interleaving explains the execution

  replay: fencehound replay fencehound-out/tso-1
";

pub(crate) const DEADLOCK_REPORT: &str = "\
deadlock-1: deadlock
  2 threads wait for each other

  sb.c:9:10, T1 in left: waits here in lock for m
    9 |     r1 = y;
      |          ^
  (unknown place), T2 in right: waits here in lock for n
";

fn place(line: u32, column: u32) -> Place {
    Place::new("sb.c".to_string(), line, column)
}

fn site(role: Role, thread: u32, place: Place, operation: Operation, expression: &str) -> SiteUse {
    let function = if thread == 1 { "left" } else { "right" }.to_string();
    SiteUse { role, thread, place, function, operation, expression: expression.to_string() }
}

pub(crate) fn store_buffering() -> Violation {
    Violation {
        kind: FailureKind::ScViolation,
        monitor: Some(MonitorName::Tso),
        message: "the store may be delayed past the load".to_string(),
        subject: String::new(),
        sites: vec![
            site(Role::Delayed, 1, place(8, 5), Operation::Store, "x"),
            site(Role::Previous, 2, place(14, 5), Operation::Store, "y"),
            site(Role::Overtaking, 2, place(15, 7), Operation::Load, "x"),
        ],
        events: Some([2, 4, 5]),
        program_counter: None,
        schedule: Schedule::default(),
    }
}

pub(crate) fn deadlock() -> Violation {
    Violation {
        kind: FailureKind::Deadlock,
        monitor: None,
        message: "2 threads wait for each other".to_string(),
        subject: String::new(),
        sites: vec![
            site(Role::Waits, 1, place(9, 10), Operation::Lock, "m"),
            site(Role::Waits, 2, Place::default(), Operation::Lock, "n"),
        ],
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    }
}

pub(crate) fn event(thread: u32, line: u32, operation: Operation, target: &str) -> TraceEvent {
    TraceEvent {
        thread,
        place: place(line, 5),
        function: String::new(),
        operation,
        target: target.to_string(),
        address: 0,
        width: 0,
        read: None,
        written: None,
        read_pointee: String::new(),
        written_pointee: String::new(),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending: vec![Vec::new()],
    }
}

pub(crate) fn access(thread: u32, line: u32, target: &str, read: Option<u64>, written: Option<u64>) -> TraceEvent {
    let operation = match (read, written) {
        (Some(_), Some(_)) => Operation::Exchange,
        (Some(_), None) => Operation::Load,
        _ => Operation::Store,
    };
    let address = 0x1000 + 8 * u64::from(target.as_bytes()[0]);
    TraceEvent { address, width: 4, read, written, ..event(thread, line, operation, target) }
}

pub(crate) fn subject<'a>(violation: &'a Violation, trace: Option<&'a Trace>) -> Subject<'a> {
    const MONITORS: &[MonitorName] = &[MonitorName::Tso];
    let folder = "fencehound-out/tso-1/";
    Subject {
        id: "tso-1",
        violation,
        trace,
        monitors: MONITORS,
        folder,
        help: &[],
        again: &[],
        threads: Threads::Created,
    }
}

pub(crate) fn trace() -> Trace {
    let pending = |event: TraceEvent, waiting: &[u64]| TraceEvent { pending: vec![waiting.to_vec()], ..event };
    Trace {
        events: vec![
            event(0, 22, Operation::Create(Thread(1)), "T1"),
            event(0, 23, Operation::Create(Thread(2)), "T2"),
            pending(access(1, 8, "x", None, Some(1)), &[2]),
            pending(access(1, 9, "y", Some(0), None), &[2]),
            pending(access(2, 14, "y", None, Some(1)), &[2, 4]),
            pending(access(2, 15, "x", Some(1), None), &[4]),
            pending(event(0, 24, Operation::Join(Thread(1)), "T1"), &[4]),
            event(0, 25, Operation::Join(Thread(2)), "T2"),
        ],
        violations: vec![store_buffering()],
    }
}
