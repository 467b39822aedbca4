//! The device that a test uses: each test that runs at a time has a simulated device of its own.
//!
//! Tests on one device wait for one another: a plain copy waits for all streams that keep order
//! with the default stream, and `cuMemFree` waits for everything.

use std::sync::{Mutex, Once, PoisonError};
use std::thread;

use lanewise::{Backend, Device, OpenError};

use crate::isolate;

/// The number of threads that use each device.
static USERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The number of a thread's own device, which is released when the thread ends. Each test
/// has a thread.
struct Own(usize);

thread_local! {
    static OWN: Own = Own::take();
}

impl Own {
    /// Returns the first of the devices that the fewest threads use.
    fn take() -> Self {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        users.resize(Device::count().unwrap_or(1), 0);
        let fewest = (0..users.len()).min_by_key(|&at| users[at]).unwrap_or(0);
        users[fewest] += 1;
        Self(fewest)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        users[self.0] -= 1;
    }
}

/// Returns the calling test's device. On a GPU, and in a test body that has a process of its own,
/// this is the first device.
///
/// # Panics
/// If there is none: no test can run then.
#[track_caller]
pub fn device() -> Device {
    own().unwrap_or_else(|error| panic!("{:#}", anyhow::Error::from(error)))
}

#[track_caller]
fn own() -> Result<Device, OpenError> {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        if !isolate::is_child() {
            // As many as the test harness has threads.
            lanewise::simulate_devices(thread::available_parallelism().map_or(1, usize::from));
        }
    });
    let first = Device::open()?;
    match first.backend() {
        Backend::Cuda => Ok(first),
        Backend::Sim => Device::at(OWN.with(|own| own.0)),
    }
}
