//! Threads that inherit from another thread its modelled time and the requests of its observers.
//!
//! The requests of an [`Observer`](crate::Observer) hold for its own thread, and each thread has
//! its own place in modelled time. A program that hands a part of its work to other threads makes a
//! [`Fork`]. The other threads enter it and inherit both. When the program has waited for them, it
//! joins the fork. So times do not depend on the order in which the host ran the threads. On a GPU
//! this does nothing.

use crate::objects::device;
use crate::observe;
use crate::time::operation::Moment;
use crate::time::timeline::Clock;
use parking_lot::Mutex;
use std::marker::PhantomData;
use std::sync::Arc;

/// A point in a thread's work from which other threads continue.
#[derive(Debug)]
pub struct Fork {
    asked: observe::Requests,
    /// The thread's place in modelled time, on the simulator.
    place: Option<Moment>,
    /// The places in modelled time where the threads that entered have ended.
    ends: Mutex<Vec<Moment>>,
}

/// Returns the clock of the simulated devices, if there are any.
fn clock() -> Option<&'static Arc<Clock>> {
    Some(device::all().first()?.timeline.clock())
}

impl Fork {
    /// Makes a fork of the calling thread's work.
    pub fn new() -> Fork {
        Fork {
            asked: observe::asked(),
            place: clock().map(|clock| clock.place()),
            ends: Mutex::default(),
        }
    }

    /// Makes the calling thread a part of the work until the returned value is dropped.
    pub fn enter(&self) -> Forked<'_> {
        if let Some((clock, place)) = clock().zip(self.place.as_ref()) {
            clock.enter(place);
        }
        Forked {
            fork: self,
            before: observe::ask(self.asked.clone()),
            own: PhantomData,
        }
    }

    /// Moves the calling thread to the latest place where a thread has left the fork.
    pub fn join(self) {
        if let Some(clock) = clock() {
            clock.join(self.ends.into_inner());
        }
    }
}

impl Default for Fork {
    fn default() -> Self {
        Self::new()
    }
}

/// A thread's part in another thread's work.
#[derive(Debug)]
pub struct Forked<'a> {
    fork: &'a Fork,
    /// The requests of the thread's observers before it entered.
    before: observe::Requests,
    /// Keeps the value on its thread: it is neither `Send` nor `Sync`.
    own: PhantomData<*const ()>,
}

impl Drop for Forked<'_> {
    fn drop(&mut self) {
        observe::ask(std::mem::take(&mut self.before));
        if let Some(clock) = clock() {
            self.fork.ends.lock().push(clock.place());
        }
    }
}
