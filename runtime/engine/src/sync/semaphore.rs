//! The state of an unnamed `sem_t`.

/// The reason why a call on a semaphore failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The semaphore's value is 0 (`EAGAIN`).
    Empty,
    /// The semaphore's value is [`Semaphore::LIMIT`] (`EOVERFLOW`).
    Full,
}

/// A semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Semaphore {
    value: u32,
}

impl Semaphore {
    /// The greatest value of a semaphore, `SEM_VALUE_MAX` of glibc.
    pub const LIMIT: u32 = i32::MAX as u32;

    /// Makes a semaphore with this value; none if it is above [`Semaphore::LIMIT`].
    #[must_use]
    pub const fn new(value: u32) -> Option<Self> {
        if value > Self::LIMIT { None } else { Some(Self { value }) }
    }

    /// Returns the semaphore's value, which is never below 0: waiting threads do not count.
    #[must_use]
    pub const fn value(&self) -> u32 {
        self.value
    }

    /// Performs `sem_post`.
    ///
    /// # Errors
    /// [`Refusal::Full`].
    pub const fn post(&mut self) -> Result<(), Refusal> {
        if self.value == Self::LIMIT {
            return Err(Refusal::Full);
        }
        self.value += 1;
        Ok(())
    }

    /// Performs `sem_trywait`; `sem_wait` returns when this would succeed.
    ///
    /// # Errors
    /// [`Refusal::Empty`].
    pub const fn take(&mut self) -> Result<(), Refusal> {
        if self.value == 0 {
            return Err(Refusal::Empty);
        }
        self.value -= 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sequences_of_ten_calls_keep_value_equal_to_posts_less_takes() {
        for start in 0..3 {
            for sequence in 0..1_u32 << 10 {
                let mut semaphore = Semaphore::new(start).unwrap();
                let mut tokens = vec![(); start as usize];
                for call in 0..10 {
                    if sequence >> call & 1 == 0 {
                        assert_eq!(semaphore.post(), Ok(()));
                        tokens.push(());
                    } else {
                        assert_eq!(semaphore.take(), tokens.pop().ok_or(Refusal::Empty));
                    }
                    assert_eq!(semaphore.value() as usize, tokens.len());
                }
            }
        }
    }

    #[test]
    fn the_value_has_a_limit() {
        assert_eq!(Semaphore::new(Semaphore::LIMIT + 1), None);
        assert_eq!(Semaphore::new(Semaphore::LIMIT).unwrap().post(), Err(Refusal::Full));
    }
}
