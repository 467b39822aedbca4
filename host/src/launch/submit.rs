//! The driver call of a launch: the plain one, or the one with attributes if the launch asks for
//! more than its shape.
//!
//! Source: CUDA driver API, `cuLaunchKernel`, `cuLaunchKernelEx`, `CUlaunchAttributeID`.

use std::panic::Location;

use lanewise_driver::abi::enums::launch_attribute::{
    CLUSTER_DIMENSION, COOPERATIVE, PROGRAMMATIC_STREAM_SERIALIZATION,
};
use lanewise_driver::abi::{CUlaunchAttribute, CUlaunchAttributeValue, CUlaunchConfig, CUstream};
use lanewise_driver::api;

use super::CheckedLaunch;
use crate::{DriverError, LaunchConfig, Stream};

/// Queues the kernel.
///
/// # Safety
/// The function is a live handle of the stream's context, and the pointers point to its parameters.
/// It is sound to run with them in this shape.
pub(crate) unsafe fn submit(
    ready: CheckedLaunch<'_>,
    stream: &Stream,
    at: &'static Location<'static>,
) -> Result<(), DriverError> {
    let CheckedLaunch {
        function, config, ..
    } = ready;
    let (params, extra) = (ready.params.as_mut_ptr(), std::ptr::null_mut());
    let stream = stream.handle();
    if !has_attributes(&config) {
        let LaunchConfig {
            grid,
            block,
            dynamic_shared,
            ..
        } = config;
        // SAFETY: the caller promises the same.
        let result = unsafe {
            #[rustfmt::skip]
            let result = api::cuLaunchKernel(
                function, grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic_shared, stream, params, extra,
            );
            result
        };
        return DriverError::check("cuLaunchKernel", result, at);
    }
    let result = with_config(config, stream, |config| {
        // SAFETY: the caller promises the same, and the configuration and its attributes live until
        // the call returns.
        unsafe { api::cuLaunchKernelEx(config, function, params, extra) }
    });
    DriverError::check("cuLaunchKernelEx", result, at)
}

/// Calls `call` with the configuration in the driver's form.
pub(crate) fn with_config<T>(
    config: LaunchConfig,
    stream: CUstream,
    call: impl FnOnce(&CUlaunchConfig) -> T,
) -> T {
    let mut attributes = attributes(&config);
    call(&CUlaunchConfig {
        grid: config.grid.into(),
        block: config.block.into(),
        shared_mem_bytes: config.dynamic_shared,
        stream,
        attrs: attributes.as_mut_ptr(),
        num_attrs: attributes.len() as u32,
    })
}

/// Returns whether the launch asks for anything beyond its shape.
fn has_attributes(config: &LaunchConfig) -> bool {
    let LaunchConfig {
        grid: _,
        block: _,
        dynamic_shared: _,
        cluster,
        cooperative,
        starts_early,
    } = *config;
    cluster.is_some() || cooperative || starts_early
}

/// Returns the attributes of a launch: what it asks for beyond its shape.
pub(crate) fn attributes(config: &LaunchConfig) -> Vec<CUlaunchAttribute> {
    let cluster = config
        .cluster
        .map(|cluster| attribute(CLUSTER_DIMENSION, cluster.into()));
    let cooperative = config
        .cooperative
        .then(|| attribute(COOPERATIVE, [1, 0, 0]));
    let early = config
        .starts_early
        .then(|| attribute(PROGRAMMATIC_STREAM_SERIALIZATION, [1, 0, 0]));
    cluster
        .into_iter()
        .chain(cooperative)
        .chain(early)
        .collect()
}

/// Makes an attribute whose value consists of 32-bit words.
fn attribute(id: u32, words: [u32; 3]) -> CUlaunchAttribute {
    let mut bytes = [0; 64];
    for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_ne_bytes());
    }
    CUlaunchAttribute {
        id,
        pad: [0; 4],
        value: CUlaunchAttributeValue { bytes },
    }
}
