//! Kernels that compute with floats, compared with exact values and with the bounds
//! that NVIDIA documents.
//!
//! The kernels are in `arithmetic-kernels`. This crate has the ways in which they were compiled,
//! the launch of one operation on columns of numbers ([`run`]), inputs ([`inputs`]), and the
//! references: [`exact`] for rounded results, [`lanewise_std::math::ulp`] and [`bounds`] for
//! approximate ones. The tests need no file of the source tree, so that a bundle carries them to a
//! GPU.

pub mod bounds;
pub mod exact;
pub mod exhaustive;
pub mod inputs;
pub mod values;

pub use lanewise_std::math::ulp;

use std::sync::{Arc, LazyLock};

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, LoadError, Module};
use lanewise_std::DisjointSlice;
use lanewise_std::kernel::Kernel;

/// The kernels as compiled in one way, with what loads them.
pub type Compiled = fn(&Device) -> Result<Arc<Module>, LoadError>;

/// By nvcc's default options.
pub const DEFAULT: Compiled = Device::module::<arithmetic_kernels::Ptx>;
/// The kernels as built with `--fast-math`.
pub const FAST_MATH: Compiled = Device::module::<arithmetic_kernels::FastMath>;
/// The kernels as built with `--fmad off`.
pub const NO_FMAD: Compiled = Device::module::<arithmetic_kernels::NoFmad>;
/// The kernels as built with `--ftz on`.
pub const FTZ: Compiled = Device::module::<arithmetic_kernels::Ftz>;
/// The kernels as built with `--prec-div off`.
pub const NO_PREC_DIV: Compiled = Device::module::<arithmetic_kernels::NoPrecDiv>;
/// The kernels as built with `--prec-sqrt off`.
pub const NO_PREC_SQRT: Compiled = Device::module::<arithmetic_kernels::NoPrecSqrt>;

/// Three operands. An operation may use fewer.
pub type Row<T> = [T; 3];

/// The parameters of a kernel of a family.
pub type Params<T> = (
    u32,
    &'static [T],
    &'static [T],
    &'static [T],
    DisjointSlice<'static, T>,
);

/// Returns what the operation `name` of a kernel gives for each row. `names` is the kernel's list.
///
/// # Panics
/// If there is no such operation, no device, or the launch fails.
#[track_caller]
pub fn run<T: DeviceCopy + Default + 'static, K: Kernel<Params = Params<T>>>(
    compiled: Compiled,
    kernel: K,
    names: &[&str],
    name: &str,
    rows: &[Row<T>],
) -> Vec<T> {
    // Of one device, the modules are loaded once.
    static DEVICE: LazyLock<Device> =
        LazyLock::new(|| Device::open().unwrap_or_else(|error| panic!("{error}")));
    let device = &*DEVICE;
    let module = compiled(device).unwrap_or_else(|error| panic!("{error}"));
    let stream = device.stream().unwrap_or_else(|error| panic!("{error}"));
    let number = names.iter().position(|it| *it == name);
    let number = number.unwrap_or_else(|| panic!("no operation is called `{name}`")) as u32;
    let buffer = |values: &[T]| {
        DeviceBuffer::from_slice(device, values).unwrap_or_else(|error| panic!("{error}"))
    };
    let column = |index: usize| buffer(&rows.iter().map(|row| row[index]).collect::<Vec<_>>());
    let (a, b, c) = (column(0), column(1), column(2));
    let mut output = buffer(&vec![T::default(); rows.len()]);
    let config = LaunchConfig::for_num_elems(rows.len());
    // SAFETY: the module is compiled from the crate of the handle, and all columns have a value
    // for each row.
    let launched = unsafe {
        module.launch_unchecked(&stream, kernel, config, (number, &a, &b, &c, &mut output))
    };
    launched.unwrap_or_else(|error| panic!("{name}: {error}"));
    output.to_vec().unwrap_or_else(|error| panic!("{error}"))
}
