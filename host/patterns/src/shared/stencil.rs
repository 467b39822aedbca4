//! The derivative of samples, with coefficients in constant memory and in global memory.

use anyhow::Result;
use gpu::shared::stencil::{
    BLOCK, COEFFICIENTS, STENCIL, stencil_constant, stencil_ldg, stencil_readonly,
};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "stencil",
    chapter: "shared",
    summary: "neighbours through shared memory, coefficients that all lanes read through constant memory",
    source: "Professional CUDA C Programming, chapter 5",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 28),
    },
    variants: &[
        Variant::new("stencil_constant", constant),
        Variant::new("stencil_readonly", |device, setup| {
            global(device, setup, stencil_readonly)
        }),
        Variant::new("stencil_ldg", |device, setup| {
            global(device, setup, stencil_ldg)
        }),
    ],
};

/// Returns the launch, the samples, and their derivative.
fn samples(setup: Setup) -> Result<(LaunchConfig, Vec<f32>, Vec<f32>)> {
    let n = setup.elements()?;
    let samples = input::floats(n, setup.seed);
    let expected = setup.expected(|| derivative(&samples, &COEFFICIENTS));
    Ok((LaunchConfig::cover_1d(n, BLOCK as u32), samples, expected))
}

/// Returns the bytes of a run, which reads each sample once and writes each slope once.
fn work(n: usize) -> Work {
    Work::Bytes(2 * 4 * n as u64)
}

/// Prepares a kernel with coefficients in constant memory. The host writes them there as
/// CUDA's `cudaMemcpyToSymbol` would.
fn constant(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (config, samples, expected) = samples(setup)?;
    device.symbol(STENCIL)?.write(COEFFICIENTS)?;
    let n = samples.len();
    let samples = DeviceBuffer::from_slice(device, &samples)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = work(n);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| Ok(stream.launch(stencil_constant, config, (&samples, output))?),
    ))
}

/// Prepares a kernel with coefficients in global memory.
fn global<K: SafeKernel<Params = <stencil_ldg as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>> {
    let (config, samples, expected) = samples(setup)?;
    let n = samples.len();
    let samples = DeviceBuffer::from_slice(device, &samples)?;
    let coefficients = DeviceBuffer::from_slice(device, &COEFFICIENTS)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let work = work(n);
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| {
            let arguments = (&samples, &coefficients, output);
            Ok(stream.launch(kernel, config, arguments)?)
        },
    ))
}

// On the CPU.

/// Returns `sum c[j] (input[i + j] - input[i - j])` for j from 1 on, with zero past both
/// ends. Each product is added with one rounding, because contraction makes it a fused
/// operation on the device.
pub fn derivative(input: &[f32], coefficients: &[f32]) -> Vec<f32> {
    let sample = |i: Option<usize>| i.and_then(|i| input.get(i)).copied().unwrap_or(0.0);
    let at = |i: usize| {
        let terms = coefficients.iter().zip(1..).map(|(c, j)| {
            let difference = sample(i.checked_add(j)) - sample(i.checked_sub(j));
            (c, difference)
        });
        terms.fold(0.0, |slope, (c, difference)| c.mul_add(difference, slope))
    };
    (0..input.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_slope_away_from_its_ends() {
        let line: Vec<f32> = (0..20).map(|i| 3.0 * i as f32).collect();
        let slopes = derivative(&line, &[4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0]);
        assert!(slopes[4..16].iter().all(|slope| (slope - 3.0).abs() < 1e-5));
        assert!((slopes[19] - 3.0).abs() > 1.0);
    }
}
