//! A monitor that resumes an execution reports what one reports that watches it from its beginning.

use engine::event::{Barrier, Event, Kind, Location, Object, Site, Thread};
use engine::model::MemoryModel;
use engine::monitor::prefix::Prefix;
use engine::monitor::{Monitor, Report};

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % bound as u64).expect("below a usize")
    }

    fn barrier(&mut self) -> Barrier {
        match self.below(16) {
            0 => Barrier::StoreStore,
            1 => Barrier::Full,
            _ => Barrier::None,
        }
    }

    fn locations(&mut self) -> Vec<Location> {
        let (lowest, more) = (self.below(4), [0, 0, 0, 1, 2][self.below(5)]);
        (lowest..=lowest + more).map(|location| Location(u32::try_from(location).expect("small"))).collect()
    }
}

#[derive(Clone, Debug)]
struct Step {
    event: Event,
    locations: Vec<Location>,
}

/// Which threads run after these steps, and how many there have been.
fn running(steps: &[Step]) -> (Vec<Thread>, u8) {
    let (mut running, mut created) = (vec![Thread::MAIN], 1);
    for step in steps {
        match step.event.kind {
            Kind::Create(child) => {
                running.push(child);
                created += 1;
            }
            Kind::Join(ended) => running.retain(|&thread| thread != ended),
            _ => {}
        }
    }
    (running, created)
}

fn next(random: &mut Random, steps: &[Step], most_threads: u8) -> Step {
    let (mut running, created) = running(steps);
    let thread = running.remove(random.below(running.len()));
    let object = |random: &mut Random| Object(u32::try_from(random.below(2)).expect("small"));
    let kind = match random.below(40) {
        0..12 => Kind::Load,
        12..26 => Kind::Store,
        26 => Kind::Rmw,
        27 => Kind::CompareAndSwap,
        28 => Kind::FailedRmw,
        29 => Kind::Lock(object(random)),
        30 => Kind::Share(object(random)),
        31 => Kind::Wait { condition: Object(2), mutex: object(random) },
        32..36 if created < most_threads => Kind::Create(Thread(created)),
        36 if thread == Thread::MAIN && !running.is_empty() => Kind::Join(running[random.below(running.len())]),
        _ => Kind::Fence,
    };
    let is_access = kind.writes() || matches!(kind, Kind::Load | Kind::FailedRmw);
    let locations = if is_access { random.locations() } else { Vec::new() };
    let (before, after) = if is_access || kind == Kind::Fence {
        (random.barrier(), if is_access { random.barrier() } else { Barrier::None })
    } else {
        (Barrier::None, Barrier::None)
    };
    Step { event: Event { thread, site: Site(0), kind, before, after, order: None }, locations }
}

fn watch(monitor: &mut dyn Monitor, steps: &[Step], reports: &mut Vec<Report>) {
    steps.iter().for_each(|step| monitor.event(&step.event, &step.locations, reports));
}

/// Executions that begin as the ones before them; how many events were not watched again, and how many reports there were.
fn check(random: &mut Random, models: &[MemoryModel], most_threads: u8) -> (usize, usize) {
    let mut monitor = Prefix::new(models);
    let (mut steps, mut reports): (Vec<Step>, Vec<Report>) = (Vec::new(), Vec::new());
    let (mut saved, mut reported) = (0, 0);
    for execution in 0..40 {
        let shared = random.below(steps.len() + 1);
        steps.truncate(shared);
        for _ in 0..random.below(20) {
            let step = next(random, &steps, most_threads);
            steps.push(step);
        }
        let known = u32::try_from(shared).expect("short");
        if monitor.can_resume(known) {
            monitor.resume(known, &mut reports);
            watch(&mut monitor, &steps[shared..], &mut reports);
            saved += shared;
        } else {
            monitor.begin();
            reports.clear();
            watch(&mut monitor, &steps, &mut reports);
        }
        let (mut expected, mut fresh) = (Vec::new(), Prefix::new(models));
        fresh.begin();
        watch(&mut fresh, &steps, &mut expected);
        assert_eq!(reports, expected, "execution {execution}, from event {shared} on: {steps:#?}");
        reported += reports.len();
    }
    (saved, reported)
}

#[test]
fn resumed_executions_have_the_reports_of_whole_ones() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for models in [&[MemoryModel::Tso, MemoryModel::Pso][..], &[MemoryModel::Tso], &[MemoryModel::Pso]] {
        // Clocks of one block, and of more.
        for most_threads in [3, 4, 6, 9] {
            let (mut saved, mut reported) = (0, 0);
            for _ in 0..400 {
                let (events, reports) = check(&mut random, models, most_threads);
                (saved, reported) = (saved + events, reported + reports);
            }
            assert!(saved > 10_000 && reported > 1_000, "{saved} events, {reported} reports");
        }
    }
}

#[test]
fn only_what_is_known_is_resumed() {
    let mut random = Random(7);
    let mut monitor = Prefix::new(&[MemoryModel::Tso]);
    monitor.begin();
    assert!(!monitor.can_resume(0), "nothing was kept yet");
    monitor.begin();
    let (mut steps, mut reports) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let step = next(&mut random, &steps, 2);
        steps.push(step);
    }
    watch(&mut monitor, &steps, &mut reports);
    assert!((1..=5).all(|events| monitor.can_resume(events)));
    assert!(!monitor.can_resume(6), "it never was there");
}
