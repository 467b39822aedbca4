//! The derivative of samples, with coefficients in constant memory and in global memory.

use anyhow::Result;
use gpu::shared::stencil::{
    BLOCK, COEFFICIENTS, STENCIL, stencil_constant, stencil_ldg, stencil_readonly,
};
use gpu_std::kernel::{Kernel, SafeKernel};
use host::reference::stencil::derivative;
use host::{Device, DeviceBuffer, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "stencil",
    chapter: "shared",
    summary: "neighbours through shared memory, coefficients that all lanes read through constant memory",
    source: "notes 000, chapter 5.5",
    size: Size {
        of: "elements",
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

/// The samples' blocks, the samples, and their derivative.
fn samples(setup: Setup) -> Result<(LaunchConfig, Vec<f32>, Vec<f32>)> {
    let n = setup.elements()?;
    let samples = input::floats(n, setup.seed);
    let expected = derivative(&samples, &COEFFICIENTS);
    Ok((LaunchConfig::cover_1d(n, BLOCK as u32), samples, expected))
}

/// Each sample read once, each slope written once.
fn work(n: usize) -> Work {
    Work::Bytes(2 * 4 * n as u64)
}

/// Coefficients in constant memory, written there as CUDA's `cudaMemcpyToSymbol` would.
fn constant(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let (config, samples, expected) = samples(setup)?;
    device.symbol(&STENCIL)?.write(COEFFICIENTS)?;
    let samples = DeviceBuffer::from_slice(device, &samples)?;
    let output = DeviceBuffer::zeroed(device, expected.len())?;
    let (device, work) = (device.clone(), work(expected.len()));
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| {
            Ok(device.launch(stream, stencil_constant, config, (&samples, output))?)
        },
    ))
}

/// Coefficients in global memory.
fn global<K: SafeKernel<Params = <stencil_ldg as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
) -> Result<Box<dyn Case>> {
    let (config, samples, expected) = samples(setup)?;
    let samples = DeviceBuffer::from_slice(device, &samples)?;
    let coefficients = DeviceBuffer::from_slice(device, &COEFFICIENTS)?;
    let output = DeviceBuffer::zeroed(device, expected.len())?;
    let (device, work) = (device.clone(), work(expected.len()));
    Ok(Filling::boxed(
        [output],
        [expected],
        work,
        move |stream, [output]| {
            let arguments = (&samples, &coefficients, output);
            Ok(device.launch(stream, kernel, config, arguments)?)
        },
    ))
}
