//! A stream as a future: `stream.finished().await`.
//!
//! The future works with any executor. When the stream reaches the point at which the future was
//! made, the driver calls a function that wakes the task.
//! Source: CUDA driver API, `cuStreamAddCallback`; Rust's `std::future`.

use std::ffi::c_void;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use lanewise_driver::abi::{CUresult, CUstream};
use lanewise_driver::api;

use crate::late::run_host_function;
use crate::{DriverError, Event, EventOptions, Stream};

/// A future that resolves when everything queued on a stream before it was made has run.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished {
    done: Event,
    shared: Arc<Mutex<Shared>>,
}

/// The state that the stream's callback and the task share.
#[derive(Debug, Default)]
struct Shared {
    reached: bool,
    waker: Option<Waker>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    /// Returns a future that resolves when everything queued so far has run. If a kernel that ran
    /// before had a fault, the future resolves with that error.
    ///
    /// A thread of the driver wakes the task, and no CUDA calls are allowed on that thread. An
    /// executor that runs the task directly on it, and not on a thread of its own, gets
    /// `CUDA_ERROR_NOT_PERMITTED`. On a GPU one thread makes the callbacks of all streams, one
    /// after another. A function of [`Stream::call`] that waits therefore delays the futures of
    /// other streams too.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn finished(&self) -> Result<Finished, DriverError> {
        let at = Location::caller();
        let done = self
            .device()
            .event_with(EventOptions::new().without_time())?;
        done.record(self)?;
        let shared = Arc::<Mutex<Shared>>::default();
        let data = Arc::into_raw(shared.clone());
        self.device().make_current(at)?;
        // A function of `cuStreamAddCallback` is called after a fault too, and a task must hear of
        // a fault. One of `cuLaunchHostFunc` is not. SAFETY: the stream is live, and `data` is the
        // reference that `reached` takes, once.
        let result = unsafe {
            api::cuStreamAddCallback(self.handle(), Some(reached), data.cast_mut().cast(), 0)
        };
        let queued = DriverError::check("cuStreamAddCallback", result, at);
        if queued.is_err() {
            // SAFETY: the driver has refused the function, so this code still owns the reference.
            drop(unsafe { Arc::from_raw(data) });
        }
        queued.map(|()| Finished { done, shared })
    }
}

/// Marks the point as reached and wakes the task. The driver calls it when the stream
/// reaches the point.
unsafe extern "C" fn reached(_: CUstream, _: CUresult, data: *mut c_void) {
    // SAFETY: `data` is the reference that `finished` gave to the driver, and it is
    // taken back once.
    let shared = unsafe { Arc::from_raw(data.cast_const().cast::<Mutex<Shared>>()) };
    let waker = {
        let mut shared = lock(&shared);
        shared.reached = true;
        shared.waker.take()
    };
    run_host_function(|| waker.into_iter().for_each(Waker::wake));
}

impl Future for Finished {
    type Output = Result<(), DriverError>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Wakers are cloned and dropped while the lock is not held: both run the program's own
        // code, which may end a task that waits for the stream.
        let mut waker = Some(context.waker().clone());
        let reached = {
            let mut shared = lock(&self.shared);
            if !shared.reached {
                std::mem::swap(&mut shared.waker, &mut waker);
            }
            shared.reached
        };
        drop(waker);
        if !reached {
            return Poll::Pending;
        }
        // The event comes before the callback in the stream, so this does not wait.
        Poll::Ready(self.done.synchronize())
    }
}
