//! Threads that inherit from another thread: its modelled time, and what it asks of launches.
//!
//! What an [`Observer`](crate::Observer) asks holds for its own thread, and each thread has its own
//! place in modelled time. A program that hands a part of its work to other threads means them to
//! be a part of it: they enter the [`Fork`] that it made, and when it has waited for them it joins
//! them. So times do not depend on which thread the host ran first. On a GPU this does nothing.

use crate::objects::device;
use crate::observe;
use crate::time::operation::Moment;
use crate::time::timeline::Clock;
use parking_lot::Mutex;
use std::marker::PhantomData;
use std::sync::Arc;

/// A point in a thread's work at which others take part.
#[derive(Debug)]
pub struct Fork {
    asked: observe::Requests,
    /// Where the thread was, on the simulator.
    place: Option<Moment>,
    /// Where those that entered have ended.
    ends: Mutex<Vec<Moment>>,
}

/// The clock of the simulated devices, where there are any.
fn clock() -> Option<&'static Arc<Clock>> {
    Some(device::all().first()?.timeline.clock())
}

impl Fork {
    /// A fork of the calling thread's work.
    pub fn new() -> Fork {
        Fork {
            asked: observe::asked(),
            place: clock().map(|clock| clock.place()),
            ends: Mutex::default(),
        }
    }

    /// Takes part in the work until what is returned is dropped.
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

    /// Moves the calling thread to where the last of those was that took part and have left.
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

/// A thread's part in another's work.
#[derive(Debug)]
pub struct Forked<'a> {
    fork: &'a Fork,
    /// What the thread asked before.
    before: observe::Requests,
    /// It belongs to its thread.
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
