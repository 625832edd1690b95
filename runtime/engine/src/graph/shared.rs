//! Lists that many states of a search share, with what was found out about them.

use std::any::Any;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// A list that many share, and with it what they have found out about it ([`Shared::found`]).
#[derive(Debug)]
pub struct Shared<T>(Rc<List<T>>);

#[derive(Debug)]
struct List<T> {
    items: Box<[T]>,
    found: RefCell<Option<Rc<dyn Any>>>,
}

impl<T> Shared<T> {
    /// Returns what was found out about the list: what `begin` made where it was called first. Of several kinds of findings the last
    /// one that was asked for is kept.
    pub fn found<F: 'static>(&self, begin: impl FnOnce(&[T]) -> F) -> Rc<F> {
        let known = self.0.found.borrow().clone();
        if let Some(Ok(found)) = known.map(Rc::downcast::<F>) {
            return found;
        }
        let found = Rc::new(begin(&self.0.items));
        *self.0.found.borrow_mut() = Some(found.clone());
        found
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.items
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(items: Vec<T>) -> Self {
        Self(Rc::new(List { items: items.into(), found: RefCell::default() }))
    }
}

impl<T> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn what_is_found_out_is_kept_by_its_kind() {
        let list: Shared<u8> = [1, 2].into_iter().collect();
        assert_eq!(*list.found(<[_]>::len), 2);
        assert_eq!(*list.clone().found(|_| 7_usize), 2);
        assert_eq!(*list.found(|_| "another kind"), "another kind");
        assert_eq!(*list.found(|_| 7_usize), 7);
    }
}
