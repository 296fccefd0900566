//! Things that are lent to one user at a time and wait for the next one.

use std::sync::{Mutex, PoisonError};

/// Keeps what is not in use, up to a number; whoever finds nothing here makes a new one.
#[derive(Debug)]
pub struct Idle<T> {
    waiting: Mutex<Vec<T>>,
    most: usize,
}

impl<T> Idle<T> {
    /// Keeps at most so many.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            waiting: Mutex::new(Vec::new()),
            most,
        }
    }

    /// The one given back last, which is the likeliest to be in a cache.
    pub fn take(&self) -> Option<T> {
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    /// Keeps it for the next user, or drops it when enough of them wait.
    pub fn give_back(&self, thing: T) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < self.most {
            waiting.push(thing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Idle;

    #[test]
    fn the_last_one_comes_first_and_too_many_are_dropped() {
        let idle = Idle::new(2);
        assert_eq!(idle.take(), None);
        for number in 0..3 {
            idle.give_back(number);
        }
        assert_eq!(idle.take(), Some(1));
        assert_eq!(idle.take(), Some(0));
        assert_eq!(idle.take(), None);
    }
}
