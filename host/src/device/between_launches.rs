//! Work between launches: it is done while no kernel runs on a device and no thread launches one.
//!
//! Launches of other threads are blocked meanwhile. So the thread that blocks them must not wait
//! for anything that may itself wait for a launch. A function that a stream calls on the host may
//! do that: it can wait for a thread that is about to launch. So this code first waits without
//! blocking launches. It blocks them only once everything that was launched has run. If other
//! threads launch without a pause, it blocks them for as long as the launched work takes.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::Device;
use crate::DriverError;

/// The shortest and the longest time for which launches are blocked until the running work ends.
const PATIENCE: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(10)];

/// The lock and the counter for a device's launches.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// A launch holds it for reading until it is queued. A thread that needs a time without kernels
    /// holds it for writing.
    turn: RwLock<()>,
    /// The number of launches that were queued.
    queued: AtomicU64,
}

/// The guard that a launch holds until it is queued.
pub(crate) struct Launching<'a> {
    launches: &'a Launches,
    _turn: RwLockReadGuard<'a, ()>,
}

impl Drop for Launching<'_> {
    #[inline]
    fn drop(&mut self) {
        // The count changes before the lock is released, so the next thread that locks for
        // writing sees it.
        self.launches.queued.fetch_add(1, Ordering::Release);
    }
}

impl Device {
    /// Locks for a launch, and returns the guard.
    #[inline]
    pub(crate) fn launching(&self) -> Launching<'_> {
        let launches = &self.0.launches;
        Launching {
            launches,
            _turn: launches.turn.read().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Runs `copy` while no kernel runs on the device and no thread launches one. Kernels that are
    /// launched afterwards see its result.
    pub(crate) fn between_launches(
        &self,
        at: &'static Location<'static>,
        copy: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let launches = &self.0.launches;
        loop {
            let queued = launches.queued.load(Ordering::Acquire);
            let start = Instant::now();
            self.synchronize_at(at)?;
            let patience = (2 * start.elapsed()).clamp(PATIENCE[0], PATIENCE[1]);
            // The order matters: a thread that records a graph may also launch on other streams.
            let _waiting = self.no_recordings(at)?;
            let _alone = launches
                .turn
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            let none_since = launches.queued.load(Ordering::Acquire) == queued;
            if none_since || self.finishes_within(patience, at)? {
                return copy();
            }
        }
    }

    /// Waits for everything that is queued now, but no longer than `patience`. Returns whether
    /// it has run.
    fn finishes_within(
        &self,
        patience: Duration,
        at: &'static Location<'static>,
    ) -> Result<bool, DriverError> {
        let (device, queued) = (self.clone(), self.all_queued(at)?);
        let (done, outcome) = mpsc::channel();
        let also = queued.clone();
        let wait = move || drop(done.send(device.finish(queued.as_ref(), at)));
        if thread::Builder::new().spawn(wait).is_err() {
            return self.finish(also.as_ref(), at).map(|()| true);
        }
        match outcome.recv_timeout(patience) {
            Ok(finished) => finished.map(|()| true),
            // The waiting thread ends when the work ends.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(false),
        }
    }
}
