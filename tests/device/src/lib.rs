//! What the device library does, compared with plain Rust on the host.
//!
//! The kernels are in `device-kernels`; here is how they are compiled and launched. The tests are
//! one program, `tests/device`, with a file for each part of the library. They need nothing of the
//! source tree, so that a bundle carries them to a GPU.

use std::sync::Arc;

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, LoadError, Module};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::SafeKernel;

/// The kernels as compiled for one target.
pub type Compiled = fn(&Device) -> Result<Arc<Module>, LoadError>;

/// For each target that is embedded: its name, and what loads it.
pub const TARGETS: [(&str, Compiled); 2] = [
    ("sm_80", Device::module::<device_kernels::Ptx>),
    ("sm_70", Device::module::<device_kernels::Volta>),
];

/// The process's device.
///
/// # Panics
/// When there is none: no test can run then.
#[track_caller]
pub fn device() -> Device {
    Device::open().unwrap_or_else(|error| panic!("{error}"))
}

/// What a kernel with an input and an output for each thread writes; `empty` is what is there
/// before.
///
/// # Panics
/// When the launch fails.
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

/// Numbers that look random, the same for the same seed: SplitMix64 (Steele, Lea, Flood, 2014).
pub fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
