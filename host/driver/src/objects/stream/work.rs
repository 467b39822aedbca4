//! One operation of a stream: what it waits for, and whether it has run.
//!
//! All ordering between operations is this one relation. A stream's operations wait for one another in turn; an operation
//! on the legacy default stream waits for all blocking streams and they for it; `cuStreamWaitEvent` waits for the operation that
//! an event recorded. Operations can only wait for earlier ones, so there are no cycles.

use crate::objects::order::Ticket;
use crate::time::timeline::Node;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// What is done when an operation has run.
struct Then(Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for Then {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function")
    }
}

/// An operation that was submitted.
#[derive(Debug)]
pub(crate) struct Work {
    done: Mutex<bool>,
    /// What is done when it has run.
    then: Mutex<Vec<Then>>,
    finished: Condvar,
    /// Its place in modelled time.
    pub(crate) node: Arc<Node>,
    /// Its place in the order, where somebody asked for the check of races.
    pub(crate) ticket: Option<Arc<Ticket>>,
}

impl Work {
    /// An operation that has not run.
    pub(crate) fn new(node: Arc<Node>, ticket: Option<Arc<Ticket>>) -> Arc<Work> {
        Arc::new(Work {
            done: Mutex::new(false),
            then: Mutex::default(),
            finished: Condvar::new(),
            node,
            ticket,
        })
    }

    /// Whether it has run.
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

    /// Waits until it has run, or so long: whether it has.
    pub(crate) fn wait_at_most(&self, time: Duration) -> bool {
        let mut done = self.done.lock();
        let _ = self.finished.wait_while_for(&mut done, |done| !*done, time);
        *done
    }

    /// Notes that it has run and wakes who waits.
    pub(crate) fn finish(&self) {
        let mut done = self.done.lock();
        *done = true;
        for Then(then) in self.then.lock().drain(..) {
            then();
        }
        drop(done);
        self.finished.notify_all();
    }

    /// Has this done when it has run: at once, if it has. It takes next to no time.
    pub(crate) fn then(&self, then: impl FnOnce() + Send + 'static) {
        let done = self.done.lock();
        if *done {
            then();
        } else {
            self.then.lock().push(Then(Box::new(then)));
        }
    }
}
