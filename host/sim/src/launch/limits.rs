//! The limits of a launch: what the device and the kernel allow.
//!
//! They are checked here and nowhere else. The machine asks before it runs a kernel, the simulated
//! driver when it gets a launch, and a host program when a driver has refused one without a reason:
//! [`check_shape`] needs only the figures of a device, not a simulated device.
//!
//! CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; a model's figures
//! are in its data.

use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::model::{DeviceModel, Limits};
use crate::report::LaunchError;

/// The limits that a launch is checked against.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The device's name, for messages.
    pub name: &'a str,
    /// The number of threads in a warp.
    pub warp_size: u32,
    /// The device's limits for grids and blocks.
    pub limits: &'a Limits,
}

impl<'a> From<&'a DeviceModel> for Target<'a> {
    fn from(model: &'a DeviceModel) -> Self {
        Self {
            name: &model.name,
            warp_size: model.warp_size,
            limits: &model.limits,
        }
    }
}

/// Returns the number of threads in a block, if the model allows the launch and all
/// parameters are given.
pub(crate) fn check(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<u32, LaunchError> {
    let threads = check_on_model(model, kernel, launch)?;
    let (given, wanted) = (launch.params.len(), kernel.param_bytes as usize);
    if given < wanted {
        return Err(LaunchError::Params { given, wanted });
    }
    Ok(threads)
}

/// Returns the number of threads in a block, if the model allows a launch of this shape. Does not
/// check the parameters.
pub(crate) fn check_on_model(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<u32, LaunchError> {
    let threads = check_shape(model.into(), kernel, launch)?;
    if launch.cooperative {
        all_resident(model, kernel, launch, threads)?;
    }
    Ok(threads)
}

/// Returns the number of threads in a block, if the device allows a launch of this shape. Does not
/// check the parameters, nor whether all blocks of a cooperative launch fit at once.
///
/// # Errors
/// The first limit that the shape exceeds.
pub fn check_shape(
    device: Target<'_>,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<u32, LaunchError> {
    grid_and_block(device, launch)?;
    let threads = threads(device, kernel, launch)?;
    shared_memory(device, kernel, launch)?;
    let (asked, limit) = (kernel.local_bytes, device.limits.local_per_thread);
    if asked > limit {
        return Err(LaunchError::Local { asked, limit });
    }
    cluster(device, kernel, launch)?;
    Ok(threads)
}

/// Checks that no extent of the grid or the block is 0 or above the device's limit.
fn grid_and_block(device: Target<'_>, launch: &Launch<'_>) -> Result<(), LaunchError> {
    let limits = device.limits;
    for (what, asked, limit) in [
        ("grid", launch.grid, limits.grid),
        ("block", launch.block, limits.block),
    ] {
        if (0..3).any(|axis| asked[axis] == 0 || asked[axis] > limit[axis]) {
            return Err(LaunchError::Extent { what, asked, limit });
        }
    }
    Ok(())
}

/// Returns the number of threads in a block, if the device, the kernel and its registers
/// allow that many.
fn threads(device: Target<'_>, kernel: &Kernel, launch: &Launch<'_>) -> Result<u32, LaunchError> {
    let most = device.limits.threads_per_block;
    let asked = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let too_many = |limit: u32, who: String| LaunchError::Threads { asked, limit, who };
    if asked > u64::from(most) {
        return Err(too_many(most, device.name.to_owned()));
    }
    let threads = asked as u32;
    if let Some(required) = kernel
        .required_threads
        .filter(|&required| required != launch.block)
    {
        let asked = launch.block;
        return Err(LaunchError::RequiredThreads { asked, required });
    }
    if let Some(limit) = kernel.max_threads.filter(|&limit| threads > limit) {
        return Err(too_many(limit, "the kernel, as it was compiled,".into()));
    }
    let limit = by_registers(device, kernel);
    if threads > limit {
        let registers = kernel.registers;
        return Err(LaunchError::Registers {
            asked: threads,
            registers,
            limit,
        });
    }
    Ok(threads)
}

/// Checks the size of the shared memory. A size above the default limit needs a function attribute,
/// which the driver stores. Without a driver, the device's own limit applies.
fn shared_memory(
    device: Target<'_>,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<(), LaunchError> {
    let (fixed, dynamic) = (kernel.static_shared, launch.dynamic_shared);
    let for_all = device.limits.shared_per_block_optin;
    let most = for_all.saturating_sub(fixed);
    let allowed = launch.dynamic_shared_limit.unwrap_or(most);
    if fixed > for_all || dynamic > allowed {
        return Err(LaunchError::Shared {
            fixed,
            dynamic,
            allowed,
            most,
        });
    }
    Ok(())
}

/// Checks that the launch uses the kernel's own cluster shape if it has one, that the device allows
/// the cluster, and that the grid consists of whole clusters.
fn cluster(device: Target<'_>, kernel: &Kernel, launch: &Launch<'_>) -> Result<(), LaunchError> {
    let cluster = kernel.cluster.unwrap_or(launch.cluster);
    let bad = |reason: String| LaunchError::Cluster {
        cluster,
        grid: launch.grid,
        reason,
    };
    if launch.cluster != [1; 3] && launch.cluster != cluster {
        let [x, y, z] = launch.cluster;
        return Err(bad(format!(
            "the kernel was compiled for these, and the launch asks for ({x}, {y}, {z})"
        )));
    }
    // A product that overflows 64 bits exceeds every limit.
    let blocks = cluster
        .iter()
        .fold(1, |all: u64, &extent| all.saturating_mul(u64::from(extent)));
    let limit = device.limits.cluster_blocks(launch.non_portable_cluster);
    if blocks > u64::from(limit) {
        let name = device.name;
        return Err(bad(match limit {
            1 => format!("{name} has none: they need compute capability 9.0"),
            _ if launch.non_portable_cluster => {
                format!("{name} takes {limit} blocks a cluster at most; use smaller ones")
            }
            _ => format!(
                "{name} takes {limit} blocks a cluster at most, {} where the kernel is allowed larger ones; use smaller ones",
                device.limits.cluster_blocks(true)
            ),
        }));
    }
    if blocks == 0 {
        return Err(bad("no extent of a cluster may be 0".into()));
    }
    if (0..3).any(|axis| !launch.grid[axis].is_multiple_of(cluster[axis])) {
        return Err(bad(
            "the grid must be made of whole clusters; round it up, and let the kernel check bounds"
                .into(),
        ));
    }
    Ok(())
}

/// Checks that all blocks of a cooperative launch fit on the device at once. They wait for each
/// other, so all of them must be resident.
fn all_resident(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
    threads: u32,
) -> Result<(), LaunchError> {
    let shared = kernel.static_shared + launch.dynamic_shared;
    let resident = model.occupancy(threads, kernel.registers, shared).blocks;
    let limit = u64::from(resident) * u64::from(model.multiprocessors);
    let asked = launch
        .grid
        .iter()
        .fold(1, |all: u64, &extent| all.saturating_mul(u64::from(extent)));
    if asked > limit {
        let device = model.name.clone();
        return Err(LaunchError::Cooperative {
            asked,
            limit,
            device,
        });
    }
    Ok(())
}

/// Returns the largest number of threads in a block for which the device has registers, at
/// least one warp.
fn by_registers(device: Target<'_>, kernel: &Kernel) -> u32 {
    match kernel.registers {
        0 => u32::MAX,
        registers => {
            let warps = device.limits.registers_per_block / registers / device.warp_size;
            warps.max(1) * device.warp_size
        }
    }
}

impl Kernel {
    /// Returns the most threads that a block of this kernel may have on a device of this model.
    pub fn most_threads(&self, model: &DeviceModel) -> u32 {
        let required = self
            .required_threads
            .map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        required
            .or(self.max_threads)
            .unwrap_or(u32::MAX)
            .min(by_registers(model.into(), self))
            .min(model.limits.threads_per_block)
    }
}
