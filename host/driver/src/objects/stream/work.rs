//! One operation of a stream: what it waits for, and whether it has run.
//!
//! All ordering between operations is this one relation. A stream's operations wait for one another
//! in turn. An operation on the legacy default stream waits for all blocking streams, and they wait
//! for it. `cuStreamWaitEvent` waits for the operation that an event recorded. Operations can wait
//! only for earlier ones, so there are no cycles.

use crate::objects::order::Ticket;
use crate::time::operation::Node;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// A function to be called when an operation has run.
struct Completion(Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function")
    }
}

/// An operation that was submitted.
#[derive(Debug)]
pub(crate) struct Work {
    done: Mutex<bool>,
    /// The functions to be called when it has run.
    then: Mutex<Vec<Completion>>,
    finished: Condvar,
    /// Its place in modelled time.
    pub(crate) node: Arc<Node>,
    /// Its place in the order, if the check of races is on.
    pub(crate) ticket: Option<Arc<Ticket>>,
    needs: Needs,
    /// The earlier operations before it that may need the host. The list is cleared when it has
    /// run, so that no long chains are kept alive.
    behind: Mutex<Vec<Arc<Work>>>,
}

/// What an operation needs to end, once its turn has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// Something that the program does elsewhere. A host function may wait for anything, and a wait
    /// for a word of memory needs a write to that word.
    PerhapsTheHost,
}

impl Work {
    /// Makes an operation that has not run and waits for these operations.
    pub(crate) fn new(
        node: Arc<Node>,
        ticket: Option<Arc<Ticket>>,
        after: &[Arc<Work>],
        needs: Needs,
    ) -> Arc<Work> {
        let mut behind: Vec<Arc<Work>> = Vec::new();
        for earlier in after {
            behind.extend(earlier.behind.lock().iter().cloned());
            if earlier.needs == Needs::PerhapsTheHost {
                behind.push(earlier.clone());
            }
        }
        behind.retain(|earlier| !earlier.is_done());
        behind.sort_by_key(Arc::as_ptr);
        behind.dedup_by(|a, b| Arc::ptr_eq(a, b));
        Arc::new(Work {
            done: Mutex::new(false),
            then: Mutex::default(),
            finished: Condvar::new(),
            node,
            ticket,
            needs,
            behind: Mutex::new(behind),
        })
    }

    /// Returns whether it, or an operation before it, may need something that the host does later.
    pub(crate) fn may_wait_for_host(&self) -> bool {
        let behind = self.behind.lock();
        self.needs == Needs::PerhapsTheHost || behind.iter().any(|earlier| !earlier.is_done())
    }

    /// Returns whether it has run.
    pub(crate) fn is_done(&self) -> bool {
        *self.done.lock()
    }

    /// Waits until it has run.
    pub(crate) fn wait(&self) {
        let mut done = self.done.lock();
        while !*done {
            self.finished.wait(&mut done);
        }
    }

    /// Waits until it has run, but at most for this time. Returns whether it has run.
    pub(crate) fn wait_at_most(&self, time: Duration) -> bool {
        let mut done = self.done.lock();
        let _ = self.finished.wait_while_for(&mut done, |done| !*done, time);
        *done
    }

    /// Notes that it has run and wakes the threads that wait for it.
    pub(crate) fn finish(&self) {
        let mut done = self.done.lock();
        *done = true;
        self.behind.lock().clear();
        for Completion(then) in self.then.lock().drain(..) {
            then();
        }
        drop(done);
        self.finished.notify_all();
    }

    /// Calls the function when the operation has run, or at once if it has run already. The
    /// function must take next to no time.
    pub(crate) fn then(&self, then: impl FnOnce() + Send + 'static) {
        let done = self.done.lock();
        if *done {
            then();
        } else {
            self.then.lock().push(Completion(Box::new(then)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::operation::Lane;
    use crate::time::timeline::Timeline;
    use std::slice::from_ref;

    #[test]
    fn what_is_behind_a_function_may_wait_until_that_has_run() {
        let timeline = Timeline::new(1);
        let work = |after: &[Arc<Work>], needs| {
            let node = timeline.submit(vec![], Lane::default());
            Work::new(node, None, after, needs)
        };
        let kernel = work(&[], Needs::Nothing);
        let function = work(from_ref(&kernel), Needs::PerhapsTheHost);
        let other = work(&[], Needs::PerhapsTheHost);
        let copy = work(from_ref(&function), Needs::Nothing);
        let last = work(&[copy.clone(), other.clone()], Needs::Nothing);
        assert!(!kernel.may_wait_for_host());
        assert!(function.may_wait_for_host() && copy.may_wait_for_host());
        kernel.finish();
        function.finish();
        assert!(!copy.may_wait_for_host() && last.may_wait_for_host());
        other.finish();
        assert!(!last.may_wait_for_host());
        // An operation that has run blocks no other operation.
        assert!(!work(&[function, other], Needs::Nothing).may_wait_for_host());
    }
}
