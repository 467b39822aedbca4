//! Kernels against CPU references, from the PTX that would be loaded.
//!
//! The tests are in `tests/tests/`, one file or folder a chapter. Of three kinds: *agreement* (a
//! property test against the CPU), *claim* (what the catalog says of a variant, asserted on the
//! simulator's counters) and *fault* (a wrong program and its report). All of them run on whatever
//! device there is; what a GPU cannot answer is skipped there with a printed line.
//!
//! The test executables need nothing of the source tree, so that `cargo xtask bundle` can carry
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

/// This test's turn, where tests must not run beside each other: on a GPU, to which a thread that
/// holds a stream up, or counts how long something takes, is in the way of all other threads of the
/// process (`cuMemFree` waits for the whole device, functions of the host are called one after
/// another). `None` on the simulator, where streams are each other's only by what the program says.
pub fn turn() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    (device().backend() == Backend::Cuda)
        .then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The device if it is the simulator. On a GPU, `None`, with a line that says which claim was not
/// looked at and why.
pub fn simulator(claim: &str, why: &str) -> Option<Device> {
    let device = device();
    if device.backend() == Backend::Cuda {
        println!("skipped on a GPU: {claim}: {why}");
        return None;
    }
    Some(device)
}
