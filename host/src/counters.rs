//! What the simulator counted: requests, sectors, wavefronts, branches, instructions of a launch.
//!
//! A real GPU does not count: [`of`] answers `None` there. Definitions: the simulator's `counters` module. A GPU's own profiler counts the same
//! by the names given there.

use std::panic::Location;

pub use lanewise_driver::{Counters, Metric};
use lanewise_driver::{LaunchOverrides, Observer};

use crate::{Backend, Device, DriverError};

/// Runs `launch` and returns the counters of the kernels that it launched, added up; `None` where nobody counts.
///
/// What other threads launch meanwhile is not in the sum, but for those of [`in_threads`](crate::in_threads). Nobody waits for them either: `launch` has
/// the device for itself only if the program sees to that, which modelled times need and counters don't.
///
/// # Errors
/// What `launch` answers, or the fault of a kernel.
#[track_caller]
pub fn of<E: From<DriverError>>(
    device: &Device,
    launch: impl FnOnce() -> Result<(), E>,
) -> Result<Option<Counters>, E> {
    let at = Location::caller();
    if device.backend() == Backend::Cuda {
        launch()?;
        return Ok(None);
    }
    // What was launched before may fail: that is not said of this launch.
    device.synchronize_at(at)?;
    let observer = Observer::start(LaunchOverrides {
        count: true,
        ..LaunchOverrides::default()
    });
    launch()?;
    device.synchronize_at(at)?;
    let mut sum = Counters::default();
    for observed in observer.take() {
        sum += observed.counters.unwrap_or_default();
    }
    Ok(Some(sum))
}
