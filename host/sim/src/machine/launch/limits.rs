//! Whether a launch can be: what the device and the kernel allow.
//!
//! CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the figures are the device model's.

use crate::launch::{Launch, LaunchError};
use crate::model::DeviceModel;
use crate::module::Kernel;

/// The threads of a block, if the launch can be.
pub(in crate::machine) fn check(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<u32, LaunchError> {
    let limits = &model.limits;
    for (what, asked, limit) in [
        ("a grid", launch.grid, limits.grid),
        ("a block", launch.block, limits.block),
    ] {
        if (0..3).any(|i| asked[i] == 0 || asked[i] > limit[i]) {
            return Err(LaunchError::Extent { what, asked, limit });
        }
    }
    let asked = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let too_many = |limit: u32, who: String| LaunchError::Threads { asked, limit, who };
    if asked > u64::from(limits.threads_per_block) {
        return Err(too_many(
            limits.threads_per_block,
            format!("{} (the device)", model.name),
        ));
    }
    if let Some(limit) = kernel.max_threads.filter(|&limit| asked > u64::from(limit)) {
        return Err(too_many(
            limit,
            format!("kernel `{}` (by its launch bounds)", kernel.name),
        ));
    }
    if let Some(required) = kernel
        .required_threads
        .filter(|&required| required != launch.block)
    {
        let kernel = kernel.name.clone();
        return Err(LaunchError::RequiredThreads {
            kernel,
            asked: launch.block,
            required,
        });
    }
    let (fixed, dynamic) = (kernel.static_shared, launch.dynamic_shared);
    // What is beyond the limit without asking takes an attribute that the driver keeps; here the device's own limit holds.
    let limit = limits.shared_per_block_optin;
    if fixed.checked_add(dynamic).is_none_or(|sum| sum > limit) {
        return Err(LaunchError::Shared {
            fixed,
            dynamic,
            limit,
        });
    }
    if launch.params.len() < kernel.param_bytes as usize {
        let (given, wanted) = (launch.params.len(), kernel.param_bytes as usize);
        return Err(LaunchError::Params {
            kernel: kernel.name.clone(),
            given,
            wanted,
        });
    }
    let cluster = kernel.cluster.unwrap_or(launch.cluster);
    let bad = |reason: &str| LaunchError::Cluster {
        cluster,
        grid: launch.grid,
        reason: reason.into(),
    };
    if cluster.contains(&0) || (0..3).any(|i| !launch.grid[i].is_multiple_of(cluster[i])) {
        return Err(bad("the grid must be a multiple of the cluster"));
    }
    let blocks = cluster.iter().map(|&n| u64::from(n)).product::<u64>();
    if blocks > u64::from(limits.cluster.max(1)) {
        return Err(bad(&format!(
            "{blocks} blocks; the device takes {}",
            limits.cluster
        )));
    }
    if kernel.local_bytes > limits.local_per_thread {
        let (asked, limit) = (u64::from(kernel.local_bytes), limits.local_per_thread);
        return Err(LaunchError::Local {
            kernel: kernel.name.clone(),
            asked,
            limit,
        });
    }
    Ok(asked as u32)
}
