//! What the C library remembers, and forgets before each execution.

/// The state of `random`: glibc's default generator (its `TYPE_3`), an additive one over the last 31 numbers.
pub(crate) struct Additive {
    numbers: [u32; 31],
    at: usize,
}

impl Additive {
    fn seeded(seed: u32) -> Self {
        let mut numbers = [seed.max(1); 31];
        for index in 1..31 {
            // 16807 * last modulo 2^31 - 1, of a last one that may be negative.
            let last = i64::from(numbers[index - 1].cast_signed());
            numbers[index] = (16807 * last).rem_euclid(0x7fff_ffff) as u32;
        }
        let mut generator = Self { numbers, at: 3 };
        (0..310).for_each(|_| _ = generator.next());
        generator
    }

    fn next(&mut self) -> u32 {
        let behind = (self.at + 28) % 31;
        self.numbers[self.at] = self.numbers[self.at].wrapping_add(self.numbers[behind]);
        let sum = self.numbers[self.at];
        self.at = (self.at + 1) % 31;
        sum >> 1
    }
}

/// What the C library remembers, and forgets before each execution.
#[derive(Default)]
pub(crate) struct Library {
    /// By number of [`Common`].
    pub(crate) states: [u64; Common::COUNT],
    /// The generator of `random` in this state.
    additive: Option<(u64, Additive)>,
}

impl Library {
    /// Changes the state of one of them: `next` says what it is afterwards, and what comes of it.
    pub(crate) fn change<R>(&mut self, what: Common, next: impl FnOnce(&mut Self, u64) -> (u64, R)) -> R {
        let before = self.states[what as usize];
        let (state, result) = next(self, before);
        self.states[what as usize] = state;
        result
    }

    /// Advances the clock: what it shows then.
    pub(crate) fn advance_clock(&mut self, next: impl FnOnce(u64) -> u64) -> u64 {
        let clock = &mut self.states[Common::Clock as usize];
        *clock = next(*clock);
        *clock
    }

    /// The next number of `random` in this state, behind the state after that.
    pub(crate) fn draw(&mut self, state: u64) -> (u64, u32) {
        let known = self.additive.take().filter(|&(known, _)| known == state);
        let mut generator = known.map_or_else(
            || {
                let mut generator = Additive::seeded((state >> 32) as u32 ^ 1);
                (0..state as u32).for_each(|_| _ = generator.next());
                generator
            },
            |(_, generator)| generator,
        );
        let number = generator.next();
        self.additive = Some((state + 1, generator));
        (state + 1, number)
    }
}

/// One of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Common {
    /// The generator of `rand` and `random`.
    Additive,
    /// That of `drand48` and its sisters.
    Linear,
    /// What stands for the machine's own chance.
    Chance,
    /// Where `strtok` goes on.
    Token,
    /// The clock ([`crate::hooks::library::clock`]).
    Clock,
}

impl Common {
    /// How many there are.
    pub(crate) const COUNT: usize = 5;
}

#[cfg(test)]
mod tests {
    use super::{Additive, Library};

    /// The first numbers of the C library's own generator.
    fn of_the_library(seed: u32) -> Vec<u32> {
        // SAFETY: no other test uses the generator.
        unsafe { libc::srand(seed) };
        // SAFETY: as above.
        (0..500).map(|_| unsafe { libc::rand() }.cast_unsigned()).collect()
    }

    #[test]
    fn the_numbers_are_those_of_glibc() {
        for seed in [0, 1, 2, 3, 42, 0x1234_5678, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            let mut generator = Additive::seeded(seed);
            let numbers: Vec<u32> = (0..500).map(|_| generator.next()).collect();
            assert_eq!(numbers, of_the_library(seed), "seed {seed}");
        }
    }

    #[test]
    fn a_state_gives_the_same_number_whatever_was_drawn_before() {
        let in_turn: Vec<u32> = {
            let (mut library, mut state) = (Library::default(), 0);
            let mut draw = || {
                let (next, number) = library.draw(state);
                state = next;
                number
            };
            (0..50).map(|_| draw()).collect()
        };
        let mut library = Library::default();
        for state in [49, 3, 3, 4, 0, 17, 18, 19, 2] {
            assert_eq!(library.draw(state), (state + 1, in_turn[state as usize]));
        }
    }
}
