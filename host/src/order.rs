//! On which streams a buffer was used, so that the next use waits for those before.
//!
//! A launch says first that it uses the buffer, and is queued on its stream a moment later. Between the two another thread may launch
//! with the same buffer (both only read it): its stream can't wait for what isn't queued yet. So a stream is remembered until every
//! launch that was under way has been queued; only then is waiting for the latest one waiting for all.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// The uses of one piece of memory. Clones are the same piece's.
#[derive(Debug)]
pub(crate) struct Order<S>(Arc<Mutex<Uses<S>>>);

#[derive(Debug)]
struct Uses<S> {
    /// The streams whose work the next use on another stream has to wait for.
    streams: Vec<S>,
    /// Launches that have said that they use it, and may not be queued yet.
    under_way: usize,
}

/// A launch that uses the memory, from before its arguments are made until it is queued.
#[derive(Debug)]
pub(crate) struct Use<S>(Order<S>);

impl<S> Clone for Order<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Default for Order<S> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Uses {
            streams: Vec::new(),
            under_way: 0,
        })))
    }
}

impl<S: Clone + PartialEq> Order<S> {
    /// Begins a use on `stream`: calls `wait` with each stream that has to be waited for.
    pub(crate) fn begin<E>(
        &self,
        stream: &S,
        mut wait: impl FnMut(&S) -> Result<(), E>,
    ) -> Result<Use<S>, E> {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for earlier in uses.streams.iter().filter(|earlier| *earlier != stream) {
            wait(earlier)?;
        }
        if uses.under_way == 0 {
            // All that was launched is queued, and this stream waits for it.
            uses.streams = vec![stream.clone()];
        } else if !uses.streams.contains(stream) {
            uses.streams.push(stream.clone());
        }
        uses.under_way += 1;
        Ok(Use(self.clone()))
    }

    /// Forgets the uses so far, so that the next waits for none.
    pub(crate) fn forget(&self) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(mem::take(&mut uses.streams));
    }
}

impl<S> Drop for Use<S> {
    fn drop(&mut self) {
        let mut uses = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.under_way -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Begins a use, and gives the streams that it waited for.
    fn begin(
        order: &Order<&'static str>,
        stream: &'static str,
    ) -> (Use<&'static str>, Vec<&'static str>) {
        let mut waited = Vec::new();
        let begun = order.begin(&stream, |earlier| {
            waited.push(*earlier);
            Ok::<(), ()>(())
        });
        (begun.expect("waiting succeeds"), waited)
    }

    #[test]
    fn a_use_waits_for_the_last_one_on_another_stream() {
        let order = Order::default();
        assert_eq!(begin(&order, "a").1, [""; 0]);
        assert_eq!(begin(&order, "a").1, [""; 0]);
        assert_eq!(begin(&order, "b").1, ["a"]);
        assert_eq!(begin(&order, "b").1, [""; 0]);
        order.forget();
        assert_eq!(begin(&order, "a").1, [""; 0]);
    }

    /// Two threads read; the second can't wait for the first, which isn't queued. A writer on the second's stream has to.
    #[test]
    fn a_use_that_was_not_queued_yet_is_waited_for_later() {
        let order = Order::default();
        let (first, _) = begin(&order, "a");
        let (second, waited) = begin(&order, "b");
        assert_eq!(waited, ["a"]);
        drop((first, second));
        assert_eq!(begin(&order, "b").1, ["a"]);
        // Now it has been waited for.
        assert_eq!(begin(&order, "b").1, [""; 0]);
    }

    #[test]
    fn a_use_that_could_not_wait_is_none() {
        let order = Order::default();
        drop(begin(&order, "a"));
        assert!(order.begin(&"b", |_| Err(())).is_err());
        assert_eq!(begin(&order, "b").1, ["a"]);
    }
}
