//! The numbers of executions that `c-tests/counts` states, recomputed: every interleaving is walked, one event at a
//! time, and its preemptions are counted as docs/counting.md says. Nothing of the tool is used.

use crate::header::Run;

/// The threads of a program: main creates the others, does some accesses, and joins the others in order.
#[derive(Clone)]
struct Program {
    /// Accesses of main between the creations and the joins.
    by_main: u64,
    /// Accesses of each other thread.
    by_others: Vec<u64>,
}

/// How far each thread has come.
#[derive(Clone)]
struct State {
    main: u64,
    others: Vec<u64>,
}

/// Main is thread 0, the others are 1, 2, …
const MAIN: usize = 0;

impl Program {
    fn creations(&self) -> u64 {
        self.by_others.len() as u64
    }

    /// Whether a thread has an event that it can perform.
    fn enabled(&self, state: &State, thread: usize) -> bool {
        if thread != MAIN {
            let created = state.main >= thread as u64;
            return created && state.others[thread - 1] < self.by_others[thread - 1];
        }
        let joins_from = self.creations() + self.by_main;
        match state.main.checked_sub(joins_from) {
            None => true,
            Some(joined) => {
                let next = usize::try_from(joined).expect("few threads");
                next < self.by_others.len() && state.others[next] == self.by_others[next]
            }
        }
    }

    /// The interleavings from a state on, with at most so many preemptions. `last` performed the last event.
    fn interleavings(&self, state: &State, last: usize, preemptions: Option<u64>) -> u64 {
        let enabled: Vec<usize> = (MAIN..=self.by_others.len()).filter(|&one| self.enabled(state, one)).collect();
        if enabled.is_empty() {
            return 1;
        }
        let mut sum = 0;
        for &thread in &enabled {
            let preempts = thread != last && enabled.contains(&last);
            let left = match preemptions {
                Some(0) if preempts => continue,
                Some(left) => Some(left - u64::from(preempts)),
                None => None,
            };
            let mut next = state.clone();
            match thread {
                MAIN => next.main += 1,
                other => next.others[other - 1] += 1,
            }
            sum += self.interleavings(&next, thread, left);
        }
        sum
    }

    fn executions(&self, preemptions: Option<u64>) -> u64 {
        let begin = State { main: 0, others: vec![0; self.by_others.len()] };
        self.interleavings(&begin, MAIN, preemptions)
    }
}

/// How many ways there are to choose `k` of `n`.
fn binomial(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |product, i| product * (n - k + i) / i)
}

/// Recomputes the number of executions of a run; an error if the header says another.
///
/// # Errors
/// What differs, in words.
pub(crate) fn recompute(run: &Run) -> Result<(), String> {
    let value = |option: &str| run.options.iter().find_map(|one| one.strip_prefix(option)?.parse::<u64>().ok());
    let position = run.options.iter().position(|option| option == "--preemptions");
    let preemptions = match position.and_then(|position| run.options.get(position + 1)).map(String::as_str) {
        Some("none") => None,
        bound => Some(bound.and_then(|bound| bound.parse().ok()).ok_or("counts need a bound, or none")?),
    };
    let program = match (value("-DMAIN="), value("-DCHILD="), value("-DTHREADS="), value("-DACCESSES=")) {
        (Some(by_main), Some(by_child), None, None) => Program { by_main, by_others: vec![by_child] },
        (None, None, Some(threads), Some(accesses)) => {
            Program { by_main: 0, by_others: (0..threads).map(|_| accesses).collect() }
        }
        _ => return Err("counts need -DMAIN= and -DCHILD=, or -DTHREADS= and -DACCESSES=".to_string()),
    };
    let counted = program.executions(preemptions);
    if let (&[by_child], None) = (program.by_others.as_slice(), preemptions) {
        let closed = binomial(program.by_main + by_child, by_child);
        if counted != closed {
            return Err(format!("{counted} interleavings, but the closed form gives {closed}"));
        }
    }
    match run.executions {
        Some(stated) if stated == counted => Ok(()),
        stated => Err(format!("the header says {stated:?} executions, there are {counted}")),
    }
}
