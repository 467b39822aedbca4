//! What is done between launches: while no kernel runs on a device and nobody launches one.
//!
//! Launches of other threads wait meanwhile, so whoever comes between them must not wait for
//! anything that may wait for a launch. A function that a stream calls may: it can wait for a
//! thread that is about to launch. So time passes with launches let through. They are held back
//! only once all that was launched has run, or, where others launch without a pause, for as long as
//! what they launch takes.

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::Device;
use crate::DriverError;

/// How long launches are held back at least, and at most, for what is under way to end.
const PATIENCE: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(10)];

/// A device's launches.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// Held for reading by each launch until it is queued, and for writing by whoever wants no
    /// kernel to run meanwhile.
    turn: RwLock<()>,
    /// How many were queued.
    queued: AtomicU64,
}

/// What a launch holds until it is queued.
pub(crate) struct Launching<'a> {
    launches: &'a Launches,
    _turn: RwLockReadGuard<'a, ()>,
}

impl Drop for Launching<'_> {
    fn drop(&mut self) {
        // Before the turn ends: who has the next one for writing sees it.
        self.launches.queued.fetch_add(1, Ordering::Release);
    }
}

impl Device {
    /// The turn of a launch.
    pub(crate) fn launching(&self) -> Launching<'_> {
        let launches = &self.0.launches;
        Launching {
            launches,
            _turn: launches.turn.read().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Does `copy` while no kernel runs on the device, and no thread launches one; what is launched
    /// afterwards finds it done.
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
            // In this order: who records may launch, too, on other streams.
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

    /// Waits for all that is queued by now, but no longer than this; whether it has run.
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
            // The thread ends when what it waits for does.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(false),
        }
    }
}
