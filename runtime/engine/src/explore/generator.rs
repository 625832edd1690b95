//! A small random generator whose numbers are the same everywhere: `SplitMix64` (Steele, Lea, Flood, "Fast Splittable
//! Pseudorandom Number Generators", OOPSLA 2014).

/// A generator of pseudorandom numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Generator {
    state: u64,
}

impl Generator {
    /// Makes the generator of one execution of a seed; its numbers do not depend on other executions.
    pub(super) fn new(seed: u64, execution: u64) -> Self {
        let start = Self { state: seed }.next();
        Self { state: start ^ Self { state: execution }.next() }
    }

    /// Returns any number; all are equally likely.
    pub(super) const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `count`, which is at least 1; all are equally likely.
    pub(super) const fn below(&mut self, count: u64) -> u64 {
        // Numbers from the incomplete last round would make the small ones likelier.
        let whole = u64::MAX - u64::MAX % count;
        loop {
            let number = self.next();
            if number < whole {
                return number % count;
            }
        }
    }

    /// Returns one of several choices, each as likely as its weight says; the weights add up to at least 1.
    pub(super) fn weighted<T>(&mut self, choices: impl Iterator<Item = (T, u64)> + Clone) -> T {
        let mut left = self.below(choices.clone().map(|(_, weight)| weight).sum());
        for (choice, weight) in choices {
            match left.checked_sub(weight) {
                None => return choice,
                Some(rest) => left = rest,
            }
        }
        unreachable!("the number is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn the_numbers_are_those_of_the_reference_implementation() {
        // The first numbers of the authors' `splitmix64.c` with state 1234567.
        let mut generator = Generator { state: 1_234_567 };
        let numbers: Vec<u64> = (0..3).map(|_| generator.next()).collect();
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_below_a_count_are_spread_evenly() {
        let mut generator = Generator::new(1, 2);
        let mut seen = [0; 3];
        (0..30_000).for_each(|_| seen[usize::try_from(generator.below(3)).unwrap()] += 1);
        // Ten standard deviations of a binomial count.
        assert!(seen.iter().all(|&count: &i32| (count - 10_000).abs() < 820), "{seen:?}");
    }
}
