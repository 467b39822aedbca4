//! One operation of a stream: what it waits for, and whether it has run.
//!
//! All ordering between operations is this one relation. A stream's operations wait for one another in turn; an operation
//! on the legacy default stream waits for all blocking streams and they for it; `cuStreamWaitEvent` waits for the operation that
//! an event recorded. Operations can only wait for earlier ones, so there are no cycles.

use super::order::Ticket;
use crate::time::timeline::Node;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

/// An operation that was submitted.
#[derive(Debug)]
pub(crate) struct Work {
    done: Mutex<bool>,
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

    /// Notes that it has run and wakes who waits.
    pub(crate) fn finish(&self) {
        *self.done.lock() = true;
        self.finished.notify_all();
    }
}
