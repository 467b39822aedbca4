//! The simulator's counters of a launch: requests, sectors, wavefronts, branches, instructions.
//!
//! A real GPU does not count these: [`of`] returns `None` there. The simulator's `counters` module
//! defines each counter, and gives its name in the profiler of a GPU.

use std::panic::Location;

pub use lanewise_driver::{Counters, Metric, profilers, table};
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
///     stream.launch(vec_add, LaunchConfig::new(1, 64), (&a, &a, &mut c))?;
///     Ok(c)
/// })?;
/// assert_eq!(sum.to_vec()?, [2.0; 64]);
/// assert!(counters.is_none_or(|counters| counters.global_stores.requests == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Launches of other threads are not counted, except those of [`in_threads`](crate::in_threads).
/// They are not blocked either. If `launch` must have the device to itself, the program has to
/// ensure that. Modelled times need it, and counters don't.
///
/// # Errors
/// The error that `launch` returns, or the fault of a kernel.
#[track_caller]
pub fn of<R, E: From<DriverError>>(
    device: &Device,
    launch: impl FnOnce() -> Result<R, E>,
) -> Result<(R, Option<Counters>), E> {
    let at = Location::caller();
    if device.backend() == Backend::Cuda {
        return Ok((launch()?, None));
    }
    // If earlier work fails, the error is returned here, and not as an error of this launch.
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
