//! The simulator's counters of a launch: requests, sectors, wavefronts, branches, instructions.
//!
//! A real GPU does not count: [`of`] returns `None` there. The simulator's `counters` module
//! defines each counter, and says under which name a GPU's own profiler has it.

use std::panic::Location;

pub use lanewise_driver::{Counters, Metric};
use lanewise_driver::{LaunchOverrides, Observer};

use crate::{Backend, Device, DriverError};

/// Runs `launch` and returns its result with the sum of the counters of the kernels that it
/// launched, or with `None` on a GPU.
///
/// ```
/// use kernels::vec_add;
/// use lanewise::{Device, DeviceBuffer, LaunchConfig, counters};
///
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let (sum, counters) = counters::of(&device, || -> Result<_, Box<dyn std::error::Error>> {
///     let a = DeviceBuffer::from_slice(&device, &[1.0f32; 64])?;
///     let mut c = DeviceBuffer::zeroed(&device, 64)?;
///     device.launch(&stream, vec_add, LaunchConfig::new(1, 64), (&a, &a, &mut c))?;
///     Ok(c)
/// })?;
/// assert_eq!(sum.to_vec()?, [2.0; 64]);
/// assert!(counters.is_none_or(|counters| counters.global_stores.requests == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Launches of other threads meanwhile do not count, except those of
/// [`in_threads`](crate::in_threads). They are not held back either: `launch` has the device to
/// itself only if the program sees to that, which modelled times need and counters don't.
///
/// # Errors
/// What `launch` returns, or the fault of a kernel.
#[track_caller]
pub fn of<R, E: From<DriverError>>(
    device: &Device,
    launch: impl FnOnce() -> Result<R, E>,
) -> Result<(R, Option<Counters>), E> {
    let at = Location::caller();
    if device.backend() == Backend::Cuda {
        return Ok((launch()?, None));
    }
    // If something that was launched before fails, that is reported here and not as this launch's
    // error.
    device.synchronize_at(at)?;
    let observer = Observer::start(LaunchOverrides {
        count: true,
        ..LaunchOverrides::default()
    });
    let answer = launch()?;
    device.synchronize_at(at)?;
    let mut sum = Counters::default();
    for observed in observer.take() {
        sum += observed.counters.unwrap_or_default();
    }
    Ok((answer, Some(sum)))
}
