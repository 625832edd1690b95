//! Estimates of how many executions there are: still to come, from the slices that are done ([`Samples`]), or in all, from executions
//! that were drawn ([`Drawn`], [`super::census`]).
//!
//! Source: Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975, as a weighted
//! backtrack estimator (Kilby, Slaney, Thiébaux, Walsh, AAAI 2006): a tree has weight 1, and every decision divides the
//! weight evenly among its alternatives ([`super::slice::Unit::weight`]). So many executions on so much weight as there
//! were so far are expected on the rest.
//!
//! The rounds of preemption bounding to come are extrapolated: each prefix gives as many executions as those of this
//! round, and if n points of an execution allow a preemption, those with k preemptions have n / (k + 1) points behind
//! their last one on average, as if the preemptions were spread evenly.
//!
//! The error is a standard error: of the ratio of executions to weight, and of the rest around that ratio, from the
//! differences between the slices; a round to come adds a third of its size. Slices of a depth-first search are no
//! random sample, so early estimates can be further off than their error says.

/// The slices of a round that are done, as sums.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Samples {
    slices: f64,
    weight: f64,
    executions: f64,
    next: f64,
    weight_squares: f64,
    execution_squares: f64,
    products: f64,
}

/// The work that is known to be to come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ahead {
    /// The weight that is left of this round.
    pub weight: f64,
    /// The weight that has been handed out for the next round.
    pub next: f64,
    /// The number of the present round.
    pub round: u32,
    /// The number of the last round.
    pub last: u32,
}

/// An estimate of how many executions are to come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The expected number.
    pub executions: f64,
    /// The standard error of that number; infinite where nothing is known of it.
    pub error: f64,
}

/// What drawn executions say of the number of classes, as sums; each says a number, whose mean is the estimate.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drawn {
    executions: f64,
    /// The logarithm of the unit of the sums: numbers may be too large for any other way to hold them.
    unit: f64,
    sum: f64,
    squares: f64,
}

/// The part of the time of a search that is spent on drawing executions to say how many there are, and its limits in seconds.
const DRAWING_SHARE: f64 = 0.05;
const LEAST_DRAWING: f64 = 0.2;
const MOST_DRAWING: f64 = 2.0;

/// Returns for how many seconds executions are drawn to say how many there are, after a search that took so many.
#[must_use]
pub fn seconds_of_drawing(search: f64) -> f64 {
    (search * DRAWING_SHARE).clamp(LEAST_DRAWING, MOST_DRAWING)
}

/// Returns the logarithm of the probability of one of several that have so much weight in all.
#[expect(clippy::cast_precision_loss, reason = "a probability")]
pub(super) fn share(weight: u64, all: u64) -> f64 {
    (weight as f64).ln() - (all as f64).ln()
}

/// The largest logarithm of a number that is given as a number.
const LARGEST: f64 = 690.0;

impl Drawn {
    /// Adds an execution that stands for a number of classes with this logarithm.
    pub fn add(&mut self, logarithm: f64) {
        self.measure_in(logarithm);
        let number = (logarithm - self.unit).exp();
        self.executions += 1.0;
        self.sum += number;
        self.squares += number * number;
    }

    /// Adds what other executions say.
    pub fn join(&mut self, other: &Self) {
        self.measure_in(other.unit);
        let scale = (other.unit - self.unit).exp();
        self.executions += other.executions;
        self.sum += other.sum * scale;
        self.squares += other.squares * scale * scale;
    }

    /// Makes the unit at least this large.
    fn measure_in(&mut self, unit: f64) {
        if unit > self.unit {
            let scale = (self.unit - unit).exp();
            (self.unit, self.sum, self.squares) = (unit, self.sum * scale, self.squares * scale * scale);
        }
    }

    /// Returns how many classes there are; none if nothing is known of that.
    #[must_use]
    pub fn all(&self) -> Option<Estimate> {
        if self.executions < 2.0 || self.sum <= 0.0 {
            return None;
        }
        let mean = self.sum / self.executions;
        let variance = (self.squares / self.executions - mean * mean).max(0.0) / (self.executions - 1.0);
        let number = |part: f64| (part.ln() + self.unit).min(LARGEST).exp();
        Some(Estimate { executions: number(mean), error: if variance > 0.0 { number(variance.sqrt()) } else { 0.0 } })
    }
}

/// The fraction of a round to come that its extrapolation may be wrong by.
const DOUBT: f64 = 1.0 / 3.0;

impl Samples {
    /// Adds a slice that is done: it had this weight, ran this many executions, and handed out the weight `next` for the next
    /// round.
    pub fn add(&mut self, weight: f64, executions: f64, next: f64) {
        self.slices += 1.0;
        self.weight += weight;
        self.executions += executions;
        self.next += next;
        self.weight_squares += weight * weight;
        self.execution_squares += executions * executions;
        self.products += weight * executions;
    }

    /// Returns how many executions are to come; none as long as nothing has been done.
    #[must_use]
    pub fn left(&self, ahead: &Ahead) -> Option<Estimate> {
        if self.weight <= 0.0 || self.executions <= 0.0 {
            return None;
        }
        let a_weight = self.executions / self.weight;
        let here = a_weight * ahead.weight;
        let mut estimate = Estimate { executions: here, error: self.error(a_weight, ahead.weight) };
        let done = self.executions + here;
        let mut prefixes = ahead.next + self.next / self.weight * ahead.weight;
        let mut points = if done > 0.0 { (self.next + self.next / self.weight * ahead.weight) / done } else { 0.0 };
        for round in ahead.round..ahead.last {
            let executions = prefixes * a_weight;
            estimate.executions += executions;
            estimate.error += executions * DOUBT;
            points *= f64::from(round + 1) / f64::from(round + 2);
            prefixes = executions * points;
        }
        Some(estimate)
    }

    /// Returns the standard error of the number of executions on this much weight to come.
    fn error(&self, a_weight: f64, weight: f64) -> f64 {
        if weight <= 0.0 {
            return 0.0;
        }
        if self.slices < 2.0 {
            return f64::INFINITY;
        }
        let residues =
            self.execution_squares - 2.0 * a_weight * self.products + a_weight * a_weight * self.weight_squares;
        let variance = residues.max(0.0) / (self.slices - 1.0);
        let of_the_ratio = self.slices * variance / (self.weight * self.weight);
        let slices_to_come = weight / (self.weight / self.slices);
        (weight * weight * of_the_ratio + slices_to_come * variance).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::{Ahead, Drawn, Samples};

    #[test]
    fn what_is_drawn_is_averaged_whatever_its_size() {
        let (mut one, mut other, mut all) = (Drawn::default(), Drawn::default(), Drawn::default());
        assert_eq!(all.all(), None);
        [2.0_f64, 6.0].iter().for_each(|number| one.add(number.ln()));
        [4.0_f64, 4.0].iter().for_each(|number| other.add(number.ln()));
        [2.0_f64, 6.0, 4.0, 4.0].iter().for_each(|number| all.add(number.ln()));
        one.join(&other);
        for drawn in [one, all] {
            let estimate = drawn.all().unwrap();
            // The variance is 2; of the mean of four it is 2/3, with three degrees of freedom.
            assert!((estimate.executions - 4.0).abs() < 1e-9 && (estimate.error - (2.0_f64 / 3.0).sqrt()).abs() < 1e-9);
        }
        all.add(f64::NEG_INFINITY);
        assert!((all.all().unwrap().executions - 3.2).abs() < 1e-9);
        let mut vast = Drawn::default();
        (0..2).for_each(|_| vast.add(5000.0));
        assert!(vast.all().unwrap().executions > 1e299);
    }

    #[test]
    fn even_slices_leave_no_doubt() {
        let mut samples = Samples::default();
        let ahead = |weight| Ahead { weight, next: 0.0, round: 0, last: 0 };
        assert_eq!(samples.left(&ahead(1.0)), None);
        samples.add(0.125, 5.0, 0.0);
        assert_eq!(samples.left(&ahead(0.875)).map(|left| (left.executions, left.error)), Some((35.0, f64::INFINITY)));
        samples.add(0.125, 5.0, 0.0);
        assert_eq!(samples.left(&ahead(0.75)).map(|left| (left.executions, left.error)), Some((30.0, 0.0)));
        assert_eq!(samples.left(&ahead(0.0)).map(|left| (left.executions, left.error)), Some((0.0, 0.0)));
    }

    #[test]
    fn slices_that_differ_are_doubted() {
        let mut samples = Samples::default();
        samples.add(1.0, 10.0, 0.0);
        samples.add(1.0, 20.0, 0.0);
        let left = samples.left(&Ahead { weight: 2.0, next: 0.0, round: 0, last: 0 }).expect("there are samples");
        // The variance of a slice is 50; two to come have 100, and twice their mean, 4 · 50 / 2.
        assert_eq!((left.executions, left.error), (30.0, 200.0_f64.sqrt()));
    }

    #[test]
    fn rounds_to_come_are_binomial() {
        // n points, of which any k are preempted: one execution for each set of k.
        let n: f64 = 30.0;
        let mut samples = Samples::default();
        samples.add(1.0, 1.0, n);
        let left = samples.left(&Ahead { weight: 0.0, next: n, round: 0, last: 3 }).expect("there are samples");
        let exact = n + n * (n - 1.0) / 2.0 + n * (n - 1.0) * (n - 2.0) / 6.0;
        assert!((left.executions - exact).abs() < 0.15 * exact, "{} instead of {exact}", left.executions);
    }
}
