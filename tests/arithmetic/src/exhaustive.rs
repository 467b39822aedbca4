//! The largest error of a function of `f32` over many arguments, or over all of them. The device
//! computes the true values too, by the function of `f64`, so that a GPU takes a second for all
//! 2^32 arguments of a function.

use anyhow::{Context, Result, ensure};
use arithmetic_kernels::{ERRORS, errors};
use lanewise::{Device, DeviceBuffer, LaunchConfig};

use crate::bounds::Bound;

/// The number of arguments of a thread, as a power of two.
const EACH: u32 = 12;

/// The largest error of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// The error in units in the last place; infinite if a result is no number and should be one,
    /// or the reverse.
    pub error: f32,
    /// The argument with this error.
    pub argument: f32,
}

/// Measures a function over 2 to this power arguments, which are spread over all floats.
///
/// # Errors
/// There is no such function of one argument, the power is not between 6 and 32, or the device's
/// error.
pub fn worst(device: &Device, name: &str, power: u32) -> Result<Worst> {
    let number = ERRORS.iter().position(|it| *it == name);
    let number = number.with_context(|| format!("no function of one argument is `{name}`"))?;
    ensure!(
        (EACH..=32).contains(&power),
        "expected a power from {EACH} to 32, found {power}"
    );
    let bound = Bound::of(name);
    let beyond = bound
        .absolute()
        .map_or(0.0, |[single, _]| single / bound.errors()[0]);
    let [left, right] = bound.except().unwrap_or([f32::NAN; 2]);
    let threads = 1usize << (power - EACH);
    let mut found = DeviceBuffer::<u64>::zeroed(device, threads)?;
    let stream = device.stream()?;
    let config = LaunchConfig::for_num_elems(threads);
    stream.launch(
        errors,
        config,
        (number as u32, 1 << EACH, beyond, left, right, &mut found),
    )?;
    let worst = found.to_vec()?.into_iter().max().unwrap_or_default();
    Ok(Worst {
        error: f32::from_bits((worst >> 32) as u32),
        argument: f32::from_bits(worst as u32),
    })
}
