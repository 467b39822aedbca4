//! The device library, compared with plain Rust on the host.
//!
//! The kernels are in `device-kernels`. This crate compiles and launches them. The tests are one
//! program, `tests/device`, with a file for each part of the library. They need no file of the
//! source tree, so that a bundle carries them to a GPU.

use std::sync::Arc;

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, LoadError, Module};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

/// The kernels as compiled for one target.
pub type Compiled = fn(&Device) -> Result<Arc<Module>, LoadError>;

/// For each embedded target: its name, and what loads it.
pub const TARGETS: [(&str, Compiled); 2] = [
    ("sm_80", Device::module::<device_kernels::Ptx>),
    ("sm_70", Device::module::<device_kernels::Volta>),
];

/// Returns the process's device.
///
/// # Panics
/// If there is none: no test can run then.
#[track_caller]
pub fn device() -> Device {
    Device::open().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a kernel with an input and an output for each thread, and returns the output. `empty` is
/// the value before.
///
/// # Panics
/// If the launch fails.
#[track_caller]
pub fn run<K, I, O>(
    compiled: Compiled,
    kernel: K,
    config: LaunchConfig,
    input: &[I],
    empty: O,
) -> Vec<O>
where
    K: SafeKernel<Params = (&'static [I], DisjointSlice<'static, O>)>,
    I: DeviceCopy + 'static,
    O: DeviceCopy + 'static,
{
    let device = device();
    let module = compiled(&device).unwrap_or_else(|error| panic!("{error}"));
    let stream = device.stream().unwrap_or_else(|error| panic!("{error}"));
    let threads = (config.grid.count() * config.block.count()) as usize;
    let input = DeviceBuffer::from_slice(&device, input).unwrap_or_else(|error| panic!("{error}"));
    let output = DeviceBuffer::from_slice(&device, &vec![empty; threads]);
    let mut output = output.unwrap_or_else(|error| panic!("{error}"));
    // SAFETY: the module is compiled from the crate of the handle, and a `SafeKernel` asks nothing
    // of its caller.
    let launched =
        unsafe { module.launch_unchecked(&stream, kernel, config, (&input, &mut output)) };
    launched.unwrap_or_else(|error| panic!("{}: {error}", K::NAME));
    output
        .to_vec()
        .unwrap_or_else(|error| panic!("{}: {error}", K::NAME))
}

/// Random-looking numbers, the same for the same seed: SplitMix64 (Steele, Lea, Flood, 2014).
pub fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
