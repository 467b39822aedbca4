//! The simulator's counters of a launch: requests, sectors, wavefronts, branches, instructions.
//!
//! A real GPU does not count: [`of`] returns `None` there. The simulator's `counters` module
//! defines each counter, and says under which name a GPU's own profiler has it.

use std::panic::Location;

pub use lanewise_driver::{Counters, Metric};
use lanewise_driver::{LaunchOverrides, Observer};

use crate::{Backend, Device, DriverError};

/// Runs `launch` and returns the sum of the counters of the kernels that it launched, or `None` on
/// a GPU.
///
/// Launches of other threads meanwhile do not count, except those of
/// [`in_threads`](crate::in_threads). They are not held back either: `launch` has the device to
/// itself only if the program sees to that, which modelled times need and counters don't.
///
/// # Errors
/// What `launch` returns, or the fault of a kernel.
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
    // If something that was launched before fails, that is reported here and not as this launch's
    // error.
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
