//! The accesses of a thread, with what a memory model has found out about them.

use std::any::Any;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use super::Label;

/// The accesses of a thread, which many states of a search share, and with them what the model has found out ([`Labels::found`]).
#[derive(Clone, Debug)]
pub struct Labels<const W: usize>(Rc<Shared<W>>);

#[derive(Debug)]
struct Shared<const W: usize> {
    labels: Box<[Label<W>]>,
    found: RefCell<Option<Rc<dyn Any>>>,
}

impl<const W: usize> Labels<W> {
    /// Returns what was found out about the accesses: what `begin` made where it was called first. Of several kinds of findings the
    /// last one that was asked for is kept.
    pub fn found<T: 'static>(&self, begin: impl FnOnce(&[Label<W>]) -> T) -> Rc<T> {
        let known = self.0.found.borrow().clone();
        if let Some(Ok(found)) = known.map(Rc::downcast::<T>) {
            return found;
        }
        let found = Rc::new(begin(&self.0.labels));
        *self.0.found.borrow_mut() = Some(found.clone());
        found
    }
}

impl<const W: usize> Deref for Labels<W> {
    type Target = [Label<W>];

    fn deref(&self) -> &[Label<W>] {
        &self.0.labels
    }
}

impl<const W: usize> From<Vec<Label<W>>> for Labels<W> {
    fn from(labels: Vec<Label<W>>) -> Self {
        Self(Rc::new(Shared { labels: labels.into(), found: RefCell::default() }))
    }
}

impl<const W: usize> FromIterator<Label<W>> for Labels<W> {
    fn from_iter<I: IntoIterator<Item = Label<W>>>(labels: I) -> Self {
        labels.into_iter().collect::<Vec<_>>().into()
    }
}

impl<const W: usize> Default for Labels<W> {
    fn default() -> Self {
        Vec::new().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Labels;

    #[test]
    fn what_is_found_out_is_kept_by_its_kind() {
        let labels: Labels<1> = Labels::default();
        assert_eq!(*labels.found(<[_]>::len), 0);
        assert_eq!(*labels.clone().found(|_| 7_usize), 0);
        assert_eq!(*labels.found(|_| "another kind"), "another kind");
        assert_eq!(*labels.found(|_| 7_usize), 7);
    }
}
