//! A stream as a future: `stream.finished().await`.
//!
//! It needs no runtime of its own and works with any. The stream calls back when it comes to the point at which the future was made, and that
//! wakes the task.
//! Source: CUDA driver API, `cuStreamAddCallback`; Rust's `std::future`.

use std::ffi::c_void;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use cust::sys::{self, CUresult, CUstream};

use crate::stream::to_its_end;
use crate::{DriverError, Event, EventOptions, Stream};

/// Resolves when everything that was queued on a stream when it was made has run.
#[derive(Debug)]
#[must_use = "a future that nobody awaits tells nobody"]
pub struct Finished {
    done: Event,
    shared: Arc<Mutex<Shared>>,
}

/// What the stream's call and the task have in common.
#[derive(Debug, Default)]
struct Shared {
    reached: bool,
    waker: Option<Waker>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream {
    /// A future of the moment at which everything queued so far has run. It gives the fault of a kernel that ran before, if there was one.
    ///
    /// The task is woken from a thread of the driver's, where no call of CUDA is allowed: an executor that runs the task right there, and does not
    /// hand it to a thread of its own, gets `CUDA_ERROR_NOT_PERMITTED`. On a GPU that thread calls for all streams, one call after another: a
    /// function that [`Stream::call`] queued and that waits for something holds up the futures of other streams, too.
    ///
    /// # Errors
    /// The driver's answer; after a kernel's fault every call on its context answers with that fault.
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
        // Unlike `cuLaunchHostFunc`'s, such a function is called after a fault too, which a task must not miss.
        // SAFETY: the stream is live, and the function is given what it takes, once.
        let result = unsafe {
            sys::cuStreamAddCallback(self.raw(), Some(reached), data.cast_mut().cast(), 0)
        };
        let queued = DriverError::check("cuStreamAddCallback", result, at);
        if queued.is_err() {
            // SAFETY: the driver has refused the function, so this reference is still this function's.
            drop(unsafe { Arc::from_raw(data) });
        }
        queued.map(|()| Finished { done, shared })
    }
}

/// Called by the driver when the stream has come to it.
unsafe extern "C" fn reached(_: CUstream, _: CUresult, data: *mut c_void) {
    // SAFETY: the reference that `finished` has given away, once.
    let shared = unsafe { Arc::from_raw(data.cast_const().cast::<Mutex<Shared>>()) };
    let waker = {
        let mut shared = lock(&shared);
        shared.reached = true;
        shared.waker.take()
    };
    to_its_end(|| waker.into_iter().for_each(Waker::wake));
}

impl Future for Finished {
    type Output = Result<(), DriverError>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Cloned and dropped while nothing is held: that is the program's own code, and may end a task that waits for the stream.
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
        // The event is before the call in the stream, so nobody waits here.
        Poll::Ready(self.done.synchronize())
    }
}
