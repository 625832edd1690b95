//! A strict partial order that grows by one element at a time.

use super::set::Set;

/// A transitive, irreflexive relation on the numbers below its length.
#[derive(Debug, Default)]
pub struct Order<const W: usize> {
    before: Vec<Set<W>>,
}

impl<const W: usize> Clone for Order<W> {
    fn clone(&self) -> Self {
        Self { before: self.before.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.before.clone_from(&source.before);
    }
}

/// The error that the new pairs would put an element before itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cycle;

impl<const W: usize> Order<W> {
    /// Adds an element, after all of `before` and before all of `after`.
    ///
    /// # Errors
    /// [`Cycle`], if an element would come before itself; the order is then as it was.
    pub fn add(&mut self, before: Set<W>, after: Set<W>) -> Result<(), Cycle> {
        let mut all_before = Set::EMPTY;
        for element in before.iter_back() {
            // All that is before an element is before whatever the element is before.
            if !all_before.contains(element) {
                all_before.insert(element);
                all_before.add(&self.before[element]);
            }
        }
        if all_before.meets(&after) {
            return Err(Cycle);
        }
        if !after.is_empty() {
            let mut down = all_before;
            down.insert(self.before.len());
            for (element, earlier) in self.before.iter_mut().enumerate() {
                if after.contains(element) || earlier.meets(&after) {
                    earlier.add(&down);
                }
            }
        }
        self.before.push(all_before);
        Ok(())
    }

    /// Puts an element that is in the order before all of `after`.
    ///
    /// # Errors
    /// [`Cycle`], if an element would come before itself; the order is then as it was.
    pub fn put_before(&mut self, element: usize, after: &Set<W>) -> Result<(), Cycle> {
        let mut down = self.before[element];
        down.insert(element);
        if down.meets(after) {
            return Err(Cycle);
        }
        if !after.is_empty() {
            for (later, earlier) in self.before.iter_mut().enumerate() {
                if after.contains(later) || earlier.meets(after) {
                    earlier.add(&down);
                }
            }
        }
        Ok(())
    }

    /// Returns what comes before an element.
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn before(&self, element: usize) -> &Set<W> {
        &self.before[element]
    }
}

#[cfg(test)]
mod tests {
    use super::{Cycle, Order, Set};

    #[test]
    fn an_element_between_two_others_orders_them() {
        let mut order = Order::<1>::default();
        assert_eq!(order.add(Set::EMPTY, Set::EMPTY), Ok(()));
        assert_eq!(order.add(Set::EMPTY, Set::EMPTY), Ok(()));
        assert!(order.before(1).is_empty());
        assert_eq!(order.add(Set::of(0), Set::of(1)), Ok(()));
        assert_eq!(*order.before(1), [0, 2].into_iter().collect());
        assert_eq!(order.add(Set::of(1), Set::of(0)), Err(Cycle));
        assert_eq!(order.add(Set::of(1), Set::EMPTY), Ok(()));
        assert_eq!(*order.before(3), [0, 1, 2].into_iter().collect());
    }

    #[test]
    fn elements_are_put_into_order_later() {
        let mut order = Order::<1>::default();
        for before in [Set::EMPTY, Set::EMPTY, Set::of(1)] {
            assert_eq!(order.add(before, Set::EMPTY), Ok(()));
        }
        assert_eq!(order.put_before(0, &Set::EMPTY), Ok(()));
        assert_eq!(order.put_before(2, &Set::of(1)), Err(Cycle));
        assert_eq!(order.put_before(0, &Set::of(1)), Ok(()));
        assert_eq!(*order.before(2), [0, 1].into_iter().collect());
        assert_eq!(order.put_before(2, &Set::of(0)), Err(Cycle));
    }
}
