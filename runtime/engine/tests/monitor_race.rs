//! Data races: the monitor against C11's definitions (5.1.2.4 and 7.17.4), spelled out over sets of events, on random
//! executions.

use std::collections::BTreeSet;

use engine::event::{Barrier, Event, Kind, Location, Object, Order, Site, Thread};
use engine::monitor::race::Race;
use engine::monitor::{Monitor, Report};

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }

    fn order(&mut self) -> Order {
        [Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease, Order::SequentiallyConsistent]
            [self.below(5) as usize]
    }
}

#[derive(Clone)]
struct Step {
    event: Event,
    locations: Vec<Location>,
}

fn step(thread: u64, kind: Kind, order: Option<Order>, locations: &[u32]) -> Step {
    let thread = Thread(thread as u8);
    let event = Event { thread, site: Site(0), kind, before: Barrier::None, after: Barrier::None, order };
    Step { event, locations: locations.iter().copied().map(Location).collect() }
}

/// An execution of threads that create and join each other, as many as there are, in no particular order.
fn run(random: &mut Random, threads: u64, length: usize) -> Vec<Step> {
    let mut run: Vec<Step> =
        (1..threads).map(|child| step(0, Kind::Create(Thread(child as u8)), sync(), &[])).collect();
    let mut running: Vec<u64> = (0..threads).collect();
    while run.len() < length {
        let thread = running[random.below(running.len() as u64) as usize];
        let lowest = random.below(3) as u32;
        let locations: Vec<u32> = (lowest..=lowest + u32::from(random.below(4) == 0)).collect();
        let order = random.order();
        let next = match random.below(24) {
            0..4 => step(thread, Kind::Load, None, &locations),
            4..7 => step(thread, Kind::Store, None, &locations),
            7..11 => step(thread, Kind::Load, Some(order), &locations),
            11..15 => step(thread, Kind::Store, Some(order), &locations),
            15 | 16 => step(thread, Kind::Rmw, Some(order), &locations),
            17 => step(thread, Kind::FailedRmw, Some(order), &locations),
            18 | 19 => step(thread, Kind::Fence, Some(order), &[]),
            20 => step(thread, Kind::Lock(Object(0)), Some(order), &[]),
            21 => step(thread, Kind::Share(Object(0)), Some(order), &[]),
            22 => step(thread, Kind::Wait { condition: Object(1), mutex: Object(0) }, sync(), &[]),
            _ if running.len() > 1 && random.below(3) == 0 => {
                let ended = running[random.below(running.len() as u64) as usize];
                if ended == thread {
                    continue;
                }
                running.retain(|&other| other != ended);
                step(thread, Kind::Join(Thread(ended as u8)), sync(), &[])
            }
            _ => continue,
        };
        run.push(next);
    }
    run
}

fn sync() -> Option<Order> {
    Some(Order::AcquireRelease)
}

fn acquires(event: &Event) -> bool {
    event.order.is_some_and(Order::acquires)
}

fn releases(event: &Event) -> bool {
    event.order.is_some_and(Order::releases)
}

/// The last write to the location before this event.
fn source(run: &[Step], read: usize, location: Location) -> Option<usize> {
    (0..read).rfind(|&write| run[write].event.kind.writes() && run[write].locations.contains(&location))
}

/// Whether the write `last` is in the release sequence that the write `head` heads, or would head if it released.
fn continues(run: &[Step], head: usize, last: usize, location: Location) -> bool {
    let is_atomic_write = |event: &Event| event.kind.writes() && event.order.is_some();
    (head..=last).filter(|&write| run[write].event.kind.writes() && run[write].locations.contains(&location)).all(
        |write| {
            let event = &run[write].event;
            is_atomic_write(event)
                && (event.thread == run[head].event.thread || matches!(event.kind, Kind::Rmw | Kind::CompareAndSwap))
        },
    )
}

/// The events that an atomic read synchronises with, or would if it acquired: heads of release sequences, and fences
/// before heads.
fn released_to(run: &[Step], read: usize) -> BTreeSet<usize> {
    let mut released = BTreeSet::new();
    for &location in &run[read].locations {
        let Some(source) = source(run, read, location) else { continue };
        for head in 0..=source {
            let event = &run[head].event;
            let is_write = event.kind.writes() && event.order.is_some() && run[head].locations.contains(&location);
            if !is_write || !continues(run, head, source, location) {
                continue;
            }
            if releases(event) {
                released.insert(head);
            }
            let is_fence = |&x: &usize| {
                run[x].event.thread == event.thread && run[x].event.kind == Kind::Fence && releases(&run[x].event)
            };
            released.extend((0..head).filter(is_fence));
        }
    }
    released
}

fn operates(event: &Event) -> Vec<(Object, bool)> {
    match event.kind {
        Kind::Lock(object) => vec![(object, true)],
        Kind::Share(object) => vec![(object, false)],
        Kind::Wait { condition, mutex } => vec![(condition, true), (mutex, true)],
        _ => Vec::new(),
    }
}

/// x synchronises with y, x before y.
fn synchronizes(run: &[Step], x: usize, y: usize) -> bool {
    let (one, other) = (&run[x].event, &run[y].event);
    let is_atomic_read = |event: &Event| event.kind.reads() && event.order.is_some();
    if one.kind == Kind::Create(other.thread) || other.kind == Kind::Join(one.thread) {
        return true;
    }
    if is_atomic_read(other) && acquires(other) && released_to(run, y).contains(&x) {
        return true;
    }
    if other.kind == Kind::Fence && acquires(other) {
        let reads = (x + 1..y).filter(|&r| run[r].event.thread == other.thread && is_atomic_read(&run[r].event));
        return reads.into_iter().any(|read| released_to(run, read).contains(&x));
    }
    releases(one)
        && acquires(other)
        && operates(one)
            .iter()
            .any(|&(object, ordered)| operates(other).iter().any(|&(same, also)| same == object && (ordered || also)))
}

/// For each event those that happen before it, itself included.
fn happens_before(run: &[Step]) -> Vec<u128> {
    let mut past: Vec<u128> = Vec::new();
    for y in 0..run.len() {
        let before = (0..y).filter(|&x| run[x].event.thread == run[y].event.thread || synchronizes(run, x, y));
        past.push(before.fold(1 << y, |past_of_y, x| past_of_y | past[x]));
    }
    past
}

/// All races (x, y), of those with the same thread, kind and atomicity of x the last at some location.
fn races(run: &[Step]) -> BTreeSet<(u32, u32)> {
    let past = happens_before(run);
    let mut races = BTreeSet::new();
    for y in 0..run.len() {
        for location in &run[y].locations {
            let mut last = BTreeSet::new();
            for x in (0..y).rev().filter(|&x| run[x].locations.contains(location)) {
                let (one, other) = (&run[x].event, &run[y].event);
                let what = (one.thread, one.kind.writes(), one.order.is_some());
                let conflicts = (one.kind.writes() || other.kind.writes())
                    && (one.order.is_none() || other.order.is_none())
                    && one.thread != other.thread;
                if conflicts && past[y] >> x & 1 == 0 && last.insert(what) {
                    races.insert((x as u32, y as u32));
                }
            }
        }
    }
    races
}

fn found(monitor: &mut Race, run: &[Step]) -> BTreeSet<(u32, u32)> {
    let mut reports = Vec::new();
    monitor.begin();
    run.iter().for_each(|step| monitor.event(&step.event, &step.locations, &mut reports));
    let race = |report: &Report| match *report {
        Report::Race { earlier, later } => (earlier, later),
        report => panic!("no race: {report:?}"),
    };
    reports.iter().map(race).collect()
}

#[test]
fn random_executions() {
    let random = &mut Random(7);
    let mut monitor = Race::default();
    let (mut with, mut without) = (0, 0);
    for number in 0..20_000 {
        if number % 1000 == 0 {
            // So that tables grow in the middle of executions again and again.
            monitor = Race::default();
        }
        let (threads, length) = (2 + random.below(5), 6 + random.below(40) as usize);
        let run = run(random, threads, length);
        let races = races(&run);
        assert_eq!(found(&mut monitor, &run), races, "run {number}");
        if races.is_empty() { without += 1 } else { with += 1 }
    }
    assert!(with > 1000 && without > 1000, "too one-sided: {with} with races, {without} without");
}

/// What the two threads do in turn, and whether that is a race.
fn is_race(steps: &[Step]) -> bool {
    let mut run = vec![step(0, Kind::Create(Thread(1)), sync(), &[]), step(0, Kind::Create(Thread(2)), sync(), &[])];
    run.extend_from_slice(steps);
    let found = found(&mut Race::default(), &run);
    assert_eq!(found, races(&run));
    !found.is_empty()
}

#[test]
fn message_passing() {
    use Order::{Acquire, Relaxed, Release, SequentiallyConsistent};
    let (data, flag) = (&[0], &[1]);
    let passed = |store, load| {
        is_race(&[
            step(1, Kind::Store, None, data),
            step(1, Kind::Store, store, flag),
            step(2, Kind::Load, load, flag),
            step(2, Kind::Load, None, data),
        ])
    };
    assert!(!passed(Some(Release), Some(Acquire)));
    assert!(!passed(Some(SequentiallyConsistent), Some(SequentiallyConsistent)));
    assert!(passed(Some(Release), Some(Relaxed)) && passed(Some(Relaxed), Some(Acquire)));
    assert!(passed(None, None));
}

#[test]
fn release_sequences() {
    use Order::{Acquire, Relaxed, Release};
    let (data, flag) = (&[0], &[1]);
    let through = |thread, kind, order| {
        is_race(&[
            step(1, Kind::Store, None, data),
            step(1, Kind::Store, Some(Release), flag),
            step(thread, kind, order, flag),
            step(2, Kind::Load, Some(Acquire), flag),
            step(2, Kind::Load, None, data),
        ])
    };
    assert!(!through(0, Kind::Rmw, Some(Relaxed)) && !through(1, Kind::Store, Some(Relaxed)));
    assert!(through(0, Kind::Store, Some(Relaxed)) && through(0, Kind::Store, Some(Release)));
}

#[test]
fn fences() {
    use Order::{Acquire, Relaxed, Release};
    let (data, flag) = (&[0], &[1]);
    let fenced = |release, acquire| {
        is_race(&[
            step(1, Kind::Store, None, data),
            step(1, Kind::Fence, Some(release), &[]),
            step(1, Kind::Store, Some(Relaxed), flag),
            step(2, Kind::Load, Some(Relaxed), flag),
            step(2, Kind::Fence, Some(acquire), &[]),
            step(2, Kind::Load, None, data),
        ])
    };
    assert!(!fenced(Release, Acquire));
    assert!(fenced(Relaxed, Acquire) && fenced(Release, Relaxed) && fenced(Acquire, Release));
}

#[test]
fn what_overlaps_conflicts_and_what_is_atomic_does_not() {
    use Order::Relaxed;
    assert!(is_race(&[step(1, Kind::Store, None, &[0, 1]), step(2, Kind::Load, None, &[1, 2])]));
    assert!(!is_race(&[step(1, Kind::Store, None, &[0, 1]), step(2, Kind::Load, None, &[2, 3])]));
    assert!(!is_race(&[step(1, Kind::Store, Some(Relaxed), &[0]), step(2, Kind::Store, Some(Relaxed), &[0])]));
    assert!(is_race(&[step(1, Kind::Store, Some(Relaxed), &[0]), step(2, Kind::Load, None, &[0])]));
    assert!(!is_race(&[step(1, Kind::Load, None, &[0]), step(2, Kind::FailedRmw, Some(Relaxed), &[0])]));
}
