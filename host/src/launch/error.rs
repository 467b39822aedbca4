//! Errors of launches.

use std::panic::Location;

use lanewise_std::kernel::{BrokenContract, LaunchBounds};

use super::nearest::did_you_mean;
use super::{Dim3, LaunchConfig};
use crate::error::in_words;
use crate::{DriverError, LoadError};

/// Why a kernel could not be launched.
#[derive(thiserror::Error)]
pub enum LaunchError {
    /// The module has no kernel of this name.
    #[error("the module has no kernel `{name}`{}", did_you_mean(.name, .known))]
    UnknownKernel {
        /// The name in the launch.
        name: String,
        /// The kernels of the module.
        known: Vec<String>,
        /// The driver's error: `CUDA_ERROR_NOT_FOUND`.
        source: DriverError,
    },
    /// The block is larger than the kernel was compiled for.
    #[error(
        "kernel `{kernel}` has #[launch_bounds({})] and was launched at {at} with {threads} threads a block: use blocks of at most {}",
        .bounds.max_threads, .bounds.max_threads
    )]
    LaunchBounds {
        /// The name of the kernel.
        kernel: String,
        /// Threads of a block in this launch.
        threads: u64,
        /// The bounds that the kernel was compiled with.
        bounds: LaunchBounds,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The kernel's launch contract does not allow this shape.
    #[error(
        "`{kernel}` was launched at {at} with {config}, which its #[launch_contract] does not allow"
    )]
    Contract {
        /// The name of the kernel.
        kernel: String,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// The clause that is broken, and what it requires.
        source: BrokenContract,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The kernel was compiled for another cluster.
    #[error(
        "kernel `{kernel}` has #[cluster_launch({}, {}, {})] and was launched at {at} in clusters of {given}: leave `with_cluster` out",
        .wanted[0], .wanted[1], .wanted[2]
    )]
    Cluster {
        /// The name of the kernel.
        kernel: String,
        /// The blocks of a cluster that the kernel was compiled for.
        wanted: [u32; 3],
        /// The blocks of a cluster in this launch.
        given: Dim3,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The blocks of a cooperative launch wait for each other, and the device does not hold all of
    /// them at once.
    #[error(
        "`{kernel}` was launched at {at} with {config}: {} blocks that wait for each other, of which {device} holds {} at once, \
         {each} on each of {multiprocessors} multiprocessors; use fewer blocks, and let each do more",
        .config.grid.count(), u64::from(*.each) * u64::from(*.multiprocessors)
    )]
    Cooperative {
        /// The name of the kernel.
        kernel: String,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// The name of the device.
        device: String,
        /// The most blocks of this shape that a multiprocessor holds.
        each: u32,
        /// How many multiprocessors the device has.
        multiprocessors: u32,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The driver refused the launch.
    #[error("cannot launch `{kernel}` with {config}{reason}")]
    Refused {
        /// The name of the kernel.
        kernel: String,
        /// The shape that was asked for.
        config: LaunchConfig,
        /// Which part of the shape exceeds the limits of the device or the kernel, and what to do.
        /// Empty if the shape is not the reason.
        reason: String,
        /// The driver's error.
        source: DriverError,
    },
    /// The stream is of another device.
    #[error(
        "`{kernel}` was launched at {at} by device {module} on a stream of device {stream}: use a stream that this device has made"
    )]
    OtherDevice {
        /// The name of the kernel.
        kernel: String,
        /// The number of the device that the stream is on.
        stream: usize,
        /// The number of the device that the kernel was launched with.
        module: usize,
        /// The line of the program that launched the kernel.
        at: &'static Location<'static>,
    },
    /// The launch could not be ordered after the other uses of an argument.
    #[error("an argument of `{kernel}` cannot be used on this stream")]
    Argument {
        /// The name of the kernel.
        kernel: String,
        /// The driver's error.
        source: DriverError,
    },
    /// The driver did not answer a query about a kernel.
    #[error("the driver does not say what `{kernel}` takes")]
    Unanswered {
        /// The name of the kernel.
        kernel: String,
        /// The driver's error.
        source: DriverError,
    },
    /// The kernel's module could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

in_words! { LaunchError }
