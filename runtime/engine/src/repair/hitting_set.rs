//! Cheapest hitting sets: sets of elements that have one of each of some clauses, exactly, by branch and bound.

/// Returns the cheapest sets of elements that have an element of each clause, at most `most` of them; nothing if some clause is
/// empty. Elements are numbers whose costs are above 0. Sets are sorted, and so are their elements.
///
/// # Panics
/// If an element has no cost.
#[must_use]
pub fn cheapest(costs: &[u64], clauses: &[Vec<usize>], most: usize) -> Vec<Vec<usize>> {
    let mut branching = Branching {
        costs,
        clauses,
        most,
        excluded: vec![false; costs.len()],
        chosen: Vec::new(),
        best: u64::MAX,
        found: Vec::new(),
    };
    branching.extend(0);
    let mut found = branching.found;
    found.iter_mut().for_each(|set| set.sort_unstable());
    found.sort();
    found
}

/// Returns the cost of all elements of a set together.
#[must_use]
pub fn cost(costs: &[u64], set: &[usize]) -> u64 {
    set.iter().map(|&element| costs[element]).sum()
}

struct Branching<'a> {
    costs: &'a [u64],
    clauses: &'a [Vec<usize>],
    most: usize,
    /// The elements that the sets still looked for do not have.
    excluded: Vec<bool>,
    chosen: Vec<usize>,
    /// The least cost of a set found.
    best: u64,
    found: Vec<Vec<usize>>,
}

impl Branching<'_> {
    /// Finds the sets that have what is chosen, which costs `spent`, and nothing that is excluded.
    fn extend(&mut self, spent: u64) {
        let (shortest, least) = self.left();
        if spent.saturating_add(least) > self.best {
            return;
        }
        let Some(clause) = shortest else { return self.take(spent) };
        let branches: Vec<usize> =
            self.clauses[clause].iter().copied().filter(|&element| !self.excluded[element]).collect();
        for &element in &branches {
            self.chosen.push(element);
            self.extend(spent + self.costs[element]);
            self.chosen.pop();
            // All sets with this element have been found.
            self.excluded[element] = true;
        }
        for element in branches {
            self.excluded[element] = false;
        }
    }

    fn take(&mut self, spent: u64) {
        if spent < self.best {
            (self.best, self.found) = (spent, Vec::new());
        }
        if self.found.len() < self.most {
            self.found.push(self.chosen.clone());
        }
    }

    /// Returns the clause with the fewest elements of which nothing is chosen, and the least that the rest can cost: clauses
    /// without a common element need an element each.
    fn left(&self) -> (Option<usize>, u64) {
        let is_left = |clause: &&Vec<usize>| !clause.iter().any(|element| self.chosen.contains(element));
        let open = |clause: &Vec<usize>| clause.iter().copied().filter(|&element| !self.excluded[element]).collect();
        let left: Vec<(usize, Vec<usize>)> = self
            .clauses
            .iter()
            .enumerate()
            .filter(|(_, clause)| is_left(clause))
            .map(|(at, one)| (at, open(one)))
            .collect();
        let mut counted = vec![false; self.costs.len()];
        let mut least: u64 = 0;
        for (_, clause) in &left {
            if !clause.iter().any(|&element| counted[element]) {
                let cheapest = clause.iter().map(|&element| self.costs[element]).min();
                least = least.saturating_add(cheapest.unwrap_or(u64::MAX));
                clause.iter().for_each(|&element| counted[element] = true);
            }
        }
        (left.iter().min_by_key(|(_, clause)| clause.len()).map(|&(at, _)| at), least)
    }
}

#[cfg(test)]
mod tests {
    use super::{cheapest, cost};

    /// All cheapest sets, by trying each.
    fn by_force(costs: &[u64], clauses: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let sets = (0..1_usize << costs.len())
            .map(|bits| (0..costs.len()).filter(|element| bits >> element & 1 == 1).collect::<Vec<usize>>());
        let hits = |set: &Vec<usize>| clauses.iter().all(|clause| clause.iter().any(|element| set.contains(element)));
        let mut hitting: Vec<Vec<usize>> = sets.filter(hits).collect();
        let least = hitting.iter().map(|set| cost(costs, set)).min();
        hitting.retain(|set| Some(cost(costs, set)) == least);
        hitting.sort();
        hitting
    }

    /// A fixed sequence of numbers that look random (xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }
    }

    #[test]
    fn sets_are_those_that_brute_force_finds() {
        let mut numbers = Numbers(88_172_645_463_325_252);
        for _ in 0..2000 {
            let elements = 1 + numbers.below(8);
            let costs: Vec<u64> = (0..elements).map(|_| 1 + numbers.below(4)).collect();
            let clauses: Vec<Vec<usize>> = (0..numbers.below(7))
                .map(|_| (0..costs.len()).filter(|_| numbers.below(3) == 0).collect::<Vec<usize>>())
                .collect();
            assert_eq!(cheapest(&costs, &clauses, usize::MAX), by_force(&costs, &clauses), "{costs:?} {clauses:?}");
        }
    }

    #[test]
    fn nothing_hits_an_empty_clause_and_nothing_is_enough_for_none() {
        assert_eq!(cheapest(&[1], &[vec![0], vec![]], 8), Vec::<Vec<usize>>::new());
        assert_eq!(cheapest(&[1], &[], 8), [Vec::<usize>::new()]);
    }

    #[test]
    fn no_more_sets_are_kept_than_asked_for() {
        let clauses = [vec![0, 1, 2], vec![3, 4, 5]];
        assert_eq!(cheapest(&[1; 6], &clauses, 4).len(), 4);
    }
}
