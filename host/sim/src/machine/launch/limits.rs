//! Whether a launch can be: what the device and the kernel allow. The driver asks here too, so that there is one answer.
//!
//! CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the figures are the device model's.

use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::model::DeviceModel;
use crate::report::LaunchError;

/// The threads of a block, if the launch can be and has all its parameters.
pub(in crate::machine) fn check(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<u32, LaunchError> {
    let threads = shape(model, kernel, launch)?;
    let (given, wanted) = (launch.params.len(), kernel.param_bytes as usize);
    if given < wanted {
        return Err(LaunchError::Params { given, wanted });
    }
    Ok(threads)
}

/// The threads of a block, if the launch's shape can be. The parameters are not looked at.
pub(crate) fn shape(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<u32, LaunchError> {
    let threads = block_and_grid(model, kernel, launch)?;
    shared_memory(model, kernel, launch)?;
    let (asked, limit) = (kernel.local_bytes, model.limits.local_per_thread);
    if asked > limit {
        return Err(LaunchError::Local { asked, limit });
    }
    cluster(model, kernel, launch)?;
    if launch.cooperative {
        cooperative(model, kernel, launch, threads)?;
    }
    Ok(threads)
}

fn block_and_grid(
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
        return Err(too_many(limits.threads_per_block, model.name.clone()));
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
        return Err(too_many(limit, "the kernel, by its launch bounds,".into()));
    }
    let limit = by_registers(model, kernel);
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

/// What is beyond the limit without asking takes an attribute, which a driver keeps; without one the device's own limit holds.
fn shared_memory(
    model: &DeviceModel,
    kernel: &Kernel,
    launch: &Launch<'_>,
) -> Result<(), LaunchError> {
    let (fixed, dynamic) = (kernel.static_shared, launch.dynamic_shared);
    let most = model.limits.shared_per_block_optin.saturating_sub(fixed);
    let allowed = launch.dynamic_shared_limit.unwrap_or(most);
    if fixed > model.limits.shared_per_block_optin || dynamic > allowed {
        return Err(LaunchError::Shared {
            fixed,
            dynamic,
            allowed,
            most,
        });
    }
    Ok(())
}

fn cluster(model: &DeviceModel, kernel: &Kernel, launch: &Launch<'_>) -> Result<(), LaunchError> {
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
    // What is beyond 64 bits is beyond every limit.
    let blocks = cluster
        .iter()
        .fold(1, |all: u64, &extent| all.saturating_mul(u64::from(extent)));
    let limit = model.limits.cluster_blocks(launch.non_portable_cluster);
    if blocks > u64::from(limit) {
        return Err(bad(format!("{} takes {limit} at most", model.name)));
    }
    if blocks == 0 || (0..3).any(|i| !launch.grid[i].is_multiple_of(cluster[i])) {
        return Err(bad("the grid must be made of whole clusters".into()));
    }
    Ok(())
}

/// The blocks of a cooperative launch wait for each other, so all of them have to be resident.
fn cooperative(
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

/// The threads of a block for which the device's registers suffice; a warp at the least.
fn by_registers(model: &DeviceModel, kernel: &Kernel) -> u32 {
    match kernel.registers {
        0 => u32::MAX,
        registers => {
            let warps = model.limits.registers_per_block / registers / model.warp_size;
            warps.max(1) * model.warp_size
        }
    }
}

impl Kernel {
    /// The most threads that a block of it may have on a device of this model.
    pub fn most_threads(&self, model: &DeviceModel) -> u32 {
        let required = self
            .required_threads
            .map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        required
            .or(self.max_threads)
            .unwrap_or(u32::MAX)
            .min(by_registers(model, self))
            .min(model.limits.threads_per_block)
    }
}
