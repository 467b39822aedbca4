//! Functions that streams call on the host. Each checks whether the functions that must come before
//! it have been called.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lanewise::Stream;

/// How many functions of a stream have been called.
pub(super) type Count = Arc<AtomicUsize>;

/// Functions that have been called at a point: so many of each of these streams.
#[derive(Debug, Clone, Default)]
pub(super) struct Called(Vec<(Count, usize)>);

impl Called {
    /// Adds what has been called at another point.
    pub(super) fn also(&mut self, other: &Self) {
        for (count, number) in &other.0 {
            match self
                .0
                .iter_mut()
                .find(|(there, _)| Arc::ptr_eq(there, count))
            {
                Some((_, least)) => *least = (*least).max(*number),
                None => self.0.push((count.clone(), *number)),
            }
        }
    }

    /// Checks whether they have been called.
    pub(super) fn check(&self, when: &str) -> Result<(), String> {
        let missing = |(count, number): &(Count, usize)| {
            let called = count.load(Ordering::Acquire);
            (called < *number)
                .then(|| format!("{when}: {called} of {number} functions have been called"))
        };
        self.0.iter().find_map(missing).map_or(Ok(()), Err)
    }
}

/// What a stream is to the default stream of its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Default,
    Blocking,
    Free,
}

/// A stream, and the functions that were queued on it.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    pub(super) stream: Stream,
    pub(super) kind: Kind,
    queued: Arc<Mutex<Queued>>,
}

#[derive(Debug, Default)]
struct Queued {
    count: Count,
    functions: usize,
    /// What comes before the next.
    before: Called,
}

impl Queue {
    pub(super) fn new(stream: Stream, kind: Kind) -> Self {
        Self {
            stream,
            kind,
            queued: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queued> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has been called at its end as it is now.
    pub(super) fn end(&self) -> Called {
        let queued = self.lock();
        let mut all = queued.before.clone();
        all.also(&Called(vec![(queued.count.clone(), queued.functions)]));
        all
    }

    /// Notes that what is queued from now on comes after that.
    pub(super) fn waits_for(&self, called: &Called) {
        self.lock().before.also(called);
    }

    /// Queues a function that checks whether everything before it has been called, and
    /// does some work.
    pub(super) fn call(
        &self,
        wrong: &Arc<Mutex<Vec<String>>>,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), lanewise::DriverError> {
        let mut queued = self.lock();
        let (before, count, number) = (
            queued.before.clone(),
            queued.count.clone(),
            queued.functions,
        );
        let wrong = wrong.clone();
        self.stream.call(move || {
            let own = Called(vec![(count.clone(), number)]);
            let checked = before
                .check("in a function")
                .and_then(|()| own.check("in its turn"));
            if let Err(why) = checked {
                wrong
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(why);
            }
            work();
            count.store(number + 1, Ordering::Release);
        })?;
        queued.functions += 1;
        Ok(())
    }
}
