//! What kernels compute with floats, judged by exact values and by the bounds that NVIDIA documents.
//!
//! The kernels are in `arithmetic-kernels`; here are the texts that build.rs made of them, the launch of one operation on columns of
//! numbers ([`run`]), inputs ([`inputs`]), and the judges: [`exact`] for what is rounded, [`ulp`] for what is approximate.
//! The tests need nothing of the source tree, so that a bundle carries them to a GPU.

pub mod exact;
pub mod inputs;
pub mod ulp;

use gpu_std::DisjointSlice;
use gpu_std::kernel::Kernel;
use host::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, Module};

/// The kernels by nvcc's default options.
pub const DEFAULT: &str = include_str!(env!("ARITHMETIC_DEFAULT"));
/// `--fast-math`.
pub const FAST_MATH: &str = include_str!(env!("ARITHMETIC_FAST_MATH"));
/// `--fmad off`.
pub const NO_FMAD: &str = include_str!(env!("ARITHMETIC_NO_FMAD"));
/// `--ftz on`.
pub const FTZ: &str = include_str!(env!("ARITHMETIC_FTZ"));
/// `--prec-div off`.
pub const NO_PREC_DIV: &str = include_str!(env!("ARITHMETIC_NO_PREC_DIV"));
/// `--prec-sqrt off`.
pub const NO_PREC_SQRT: &str = include_str!(env!("ARITHMETIC_NO_PREC_SQRT"));

/// Three operands; an operation may take fewer.
pub type Row<T> = [T; 3];

/// The parameters of a kernel of a family.
pub type Params<T> = (
    u32,
    &'static [T],
    &'static [T],
    &'static [T],
    DisjointSlice<'static, T>,
);

/// What the operation `name` of a kernel gives for each row; `names` is the kernel's list.
///
/// # Panics
/// When there is no such operation, no device, or the launch fails.
#[track_caller]
pub fn run<T: DeviceCopy + Default + 'static, K: Kernel<Params = Params<T>>>(
    ptx: &str,
    kernel: K,
    names: &[&str],
    name: &str,
    rows: &[Row<T>],
) -> Vec<T> {
    let device = Device::open().unwrap_or_else(|error| panic!("{error}"));
    let module = Module::from_ptx(&device, ptx).unwrap_or_else(|error| panic!("{error}"));
    let stream = device.stream().unwrap_or_else(|error| panic!("{error}"));
    let number = names.iter().position(|it| *it == name);
    let number = number.unwrap_or_else(|| panic!("no operation is called `{name}`")) as u32;
    let buffer = |values: &[T]| {
        DeviceBuffer::from_slice(&device, values).unwrap_or_else(|error| panic!("{error}"))
    };
    let column = |index: usize| buffer(&rows.iter().map(|row| row[index]).collect::<Vec<_>>());
    let (a, b, c) = (column(0), column(1), column(2));
    let mut output = buffer(&vec![T::default(); rows.len()]);
    let config = LaunchConfig::for_num_elems(rows.len());
    // SAFETY: the module is compiled from the crate of the handle, and all columns have a value for each row.
    let launched = unsafe {
        module.launch_unchecked(&stream, kernel, config, (number, &a, &b, &c, &mut output))
    };
    launched.unwrap_or_else(|error| panic!("{name}: {error}"));
    output.to_vec().unwrap_or_else(|error| panic!("{error}"))
}
