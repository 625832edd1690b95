//! The state of the C library, which is forgotten before each execution.

/// The state of `random`: glibc's default generator (its `TYPE_3`), an additive one over the last 31 numbers.
pub(crate) struct Additive {
    /// The last 31 numbers, of which each is replaced in turn.
    numbers: [u32; 31],
    /// The index of the number that is replaced next.
    at: usize,
}

impl Additive {
    /// Makes the generator that `srandom` leaves with this seed.
    fn seeded(seed: u32) -> Self {
        let mut numbers = [seed.max(1); 31];
        for index in 1..31 {
            // This is 16807 * last modulo 2^31 - 1, for a last number that may be negative.
            let last = i64::from(numbers[index - 1].cast_signed());
            numbers[index] = (16807 * last).rem_euclid(0x7fff_ffff) as u32;
        }
        let mut generator = Self { numbers, at: 3 };
        (0..310).for_each(|_| _ = generator.next());
        generator
    }

    /// Returns the next number.
    fn next(&mut self) -> u32 {
        let behind = (self.at + 28) % 31;
        self.numbers[self.at] = self.numbers[self.at].wrapping_add(self.numbers[behind]);
        let sum = self.numbers[self.at];
        self.at = (self.at + 1) % 31;
        sum >> 1
    }
}

/// The state of the C library, which is forgotten before each execution.
#[derive(Default)]
pub(crate) struct Library {
    /// The state of each part, by its number in [`Common`].
    pub(crate) states: [u64; Common::COUNT],
    /// The generator of `random`, and the state that it is in.
    additive: Option<(u64, Additive)>,
}

impl Library {
    /// Changes the state of a part: `next` returns the state afterwards and the result.
    pub(crate) fn change<R>(&mut self, what: Common, next: impl FnOnce(&mut Self, u64) -> (u64, R)) -> R {
        let before = self.states[what as usize];
        let (state, result) = next(self, before);
        self.states[what as usize] = state;
        result
    }

    /// Advances the clock, and returns what it shows then.
    pub(crate) fn advance_clock(&mut self, next: impl FnOnce(u64) -> u64) -> u64 {
        let clock = &mut self.states[Common::Clock as usize];
        *clock = next(*clock);
        *clock
    }

    /// Returns the state after this one, and the number that `random` draws in this one.
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

/// A part of the C library's state, which all threads share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Common {
    /// The generator of `rand` and `random`.
    Additive,
    /// The generator of `drand48` and its sisters.
    Linear,
    /// The generator that stands for the machine's own chance.
    Chance,
    /// The place where `strtok` goes on.
    Token,
    /// The clock ([`crate::hooks::library::clock`]).
    Clock,
}

impl Common {
    /// The number of parts.
    pub(crate) const COUNT: usize = 5;
}

#[cfg(test)]
mod tests {
    use super::{Additive, Library};

    /// Returns the first numbers of the C library's own generator.
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
