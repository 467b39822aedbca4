//! Tests of kernels against CPU references, from the PTX that a program loads.
//!
//! The tests are in `tests/tests/`, one file or folder per chapter. There are three kinds:
//! *agreement* (a property test against the CPU), *claim* (what the catalog says of a variant,
//! asserted on the simulator's counters) and *fault* (a wrong program and its report). All of them
//! run on the current device. On a GPU, checks that it cannot make are skipped with a printed line.
//!
//! The test executables need no file of the source tree, so that `cargo xtask bundle` can carry
//! them to another machine.

pub mod agree;
pub mod count;
mod device;
pub mod expect;
pub mod future;
pub mod isolate;
pub mod kepler;
pub mod ptx;
pub mod report;
pub mod sizes;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use device::device;
use lanewise::{Backend, Device};

/// Waits for this test's turn, if tests must not run beside each other. That is so on a GPU: a
/// thread that blocks a stream, or measures time, disturbs all other threads of the process
/// (`cuMemFree` waits for the whole device, and host functions are called one after another).
/// Returns `None` on the simulator, where one test's streams do not wait for another's.
pub fn turn() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    (device().backend() == Backend::Cuda)
        .then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the device if it is the simulator. On a GPU it returns `None`, and prints which claim
/// was not checked and why.
pub fn simulator(claim: &str, why: &str) -> Option<Device> {
    let device = device();
    if device.backend() == Backend::Cuda {
        println!("skipped on a GPU: {claim}: {why}");
        return None;
    }
    Some(device)
}
