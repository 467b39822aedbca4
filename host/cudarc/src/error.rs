//! Errors of launches.

use cudarc::driver::{DriverError, LaunchConfig};
use lanewise_std::kernel::{BrokenContract, LaunchBounds};

/// Why a kernel could not be launched.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The kernel's crate embeds no PTX.
    #[error(
        "the crate of `{kernel}` was compiled without its PTX: give it a build.rs with `fn main() {{ lanewise_builder::build() }}`, and \
         `lanewise_std::module!();` where its kernels begin"
    )]
    NoPtx {
        /// The name of the kernel.
        kernel: &'static str,
    },
    /// All embedded PTX is for other devices.
    #[error(
        "the PTX of `{module}` is for {}, and the device is sm_{device}: add its target in the build.rs of `{module}`",
        .targets.join(", ")
    )]
    OtherDevices {
        /// The crate of the kernels.
        module: &'static str,
        /// The compute capability of the device: 90 is 9.0.
        device: u32,
        /// The targets that the crate was compiled for.
        targets: Vec<&'static str>,
    },
    /// The block is larger than the kernel was compiled for.
    #[error(
        "kernel `{kernel}` has #[launch_bounds({})] and was launched with {threads} threads a block: use blocks of at most {}",
        .bounds.max_threads, .bounds.max_threads
    )]
    LaunchBounds {
        /// The name of the kernel.
        kernel: &'static str,
        /// Threads of a block in this launch.
        threads: u64,
        /// The bounds that the kernel was compiled with.
        bounds: LaunchBounds,
    },
    /// The kernel's launch contract does not allow this shape, or these lengths.
    #[error("`{kernel}` was launched with {config:?}, which its #[launch_contract] does not allow")]
    Contract {
        /// The name of the kernel.
        kernel: &'static str,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// The clause that is broken, and what it requires.
        source: BrokenContract,
    },
    /// The stream or a slice belongs to another context than the one that the kernels are loaded
    /// in.
    #[error(
        "{what} of the launch of `{kernel}` belongs to another `CudaContext` than the kernels: make both from one"
    )]
    OtherContext {
        /// The name of the kernel.
        kernel: &'static str,
        /// The stream, or the argument by its parameter's name.
        what: String,
    },
    /// The stream is captured into a graph, which could be launched after the slices and the
    /// kernels are gone.
    #[error(
        "`{kernel}` was launched on a stream that is captured into a graph: use `launch_unchecked`, whose caller promises that the \
         slices and the kernels outlive the graph"
    )]
    Captured {
        /// The name of the kernel.
        kernel: &'static str,
    },
    /// A slice is not aligned as the kernel assumes.
    #[error(
        "argument `{parameter}` of `{kernel}`: expected an address that is a multiple of {expected}, found {address:#x}"
    )]
    Alignment {
        /// The name of the kernel.
        kernel: &'static str,
        /// The name of the parameter.
        parameter: &'static str,
        /// The alignment in bytes that follows from the size of the elements.
        expected: usize,
        /// The address of the slice.
        address: u64,
    },
    /// The driver refused the module or the launch.
    #[error("the driver refused `{kernel}`")]
    Driver {
        /// The name of the kernel.
        kernel: &'static str,
        /// The driver's error.
        source: DriverError,
    },
}
