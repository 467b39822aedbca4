//! The reason why a driver refused a launch, with advice for the user.
//!
//! A driver only returns an error code. The simulator checks launches with [`check_shape`], which
//! describes the error in words. This module calls the same function, with the limits of the device
//! and the resources of the kernel that the driver reports.

use lanewise_driver::abi::enums::function_attribute as attribute;
use lanewise_driver::abi::{CUfunction, CUresult};
use lanewise_driver::api;
use lanewise_driver::launch_limits::{
    Kernel, Launch, LaunchError as Refusal, Limits, Target, check_shape,
};

use crate::{DeviceProperties, DriverError, LaunchConfig};

/// Returns the part of the shape that exceeds the limits of the device or the kernel, as `: words`,
/// and the rest of the driver's error. The words are empty if the shape is not the reason.
///
/// # Safety
/// The function is a handle from the driver, and its module is loaded.
pub(super) unsafe fn explain(
    answer: DriverError,
    device: &DeviceProperties,
    function: CUfunction,
    config: LaunchConfig,
) -> (String, DriverError) {
    // SAFETY: the caller promises the same.
    let Err(refusal) = (unsafe { judge(device, function, config) }) else {
        return (String::new(), answer);
    };
    let said = refusal.to_string();
    // The simulated driver calls the same check, and reports the same words.
    let repeats = answer
        .report()
        .is_some_and(|report| report.ends_with(&said));
    let answer = if repeats {
        answer.without_report()
    } else {
        answer
    };
    let by = match refusal {
        Refusal::Shared { allowed, most, .. } if most > allowed => {
            " by `Device::set_max_dynamic_shared`"
        }
        _ => "",
    };
    (format!(": {said}{by}"), answer)
}

/// # Safety
/// As for [`explain`].
unsafe fn judge(
    device: &DeviceProperties,
    function: CUfunction,
    config: LaunchConfig,
) -> Result<u32, Refusal> {
    let limits = limits(device);
    let target = Target {
        name: &device.name,
        warp_size: device.warp_size,
        limits: &limits,
    };
    let ask = |attribute| {
        let mut value = 0;
        // SAFETY: the caller promises the same, and the result is written to a local variable.
        let answer = unsafe { api::cuFuncGetAttribute(&mut value, attribute, function) };
        u32::try_from(value)
            .ok()
            .filter(|_| answer == CUresult::SUCCESS)
    };
    let (grid, block) = (config.grid.into(), config.block.into());
    let launch = Launch {
        cluster: config.cluster.map_or([1; 3], <[u32; 3]>::from),
        non_portable_cluster: ask(attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == Some(1),
        dynamic_shared: config.dynamic_shared,
        dynamic_shared_limit: ask(attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES),
        ..Launch::new("", grid, block, &[])
    };
    check_shape(target, &kernel(ask), &launch)
}

/// Converts a device's properties to the limits of a model.
fn limits(device: &DeviceProperties) -> Limits {
    let mut limits = Limits::default();
    limits.threads_per_block = device.max_threads_per_block;
    limits.block = [device.max_block_x, device.max_block_y, device.max_block_z];
    limits.grid = [device.max_grid_x, device.max_grid_y, device.max_grid_z];
    limits.shared_per_block = device.shared_memory_per_block;
    limits.shared_per_block_optin = device.shared_memory_per_block_optin;
    limits.registers_per_block = device.registers_per_block;
    // A driver does not report the next two limits. Devices with clusters allow 8 blocks. The local
    // memory of a loaded kernel always fits.
    limits.cluster = if device.compute_capability.major < 9 {
        1
    } else {
        8
    };
    limits.local_per_thread = u32::MAX;
    limits
}

/// Returns the resources of a kernel as the driver reports them. A value that the driver does not
/// report counts as no limit.
fn kernel(ask: impl Fn(u32) -> Option<u32>) -> Kernel {
    let mut kernel = Kernel::default();
    kernel.registers = ask(attribute::NUM_REGS).unwrap_or(0);
    kernel.static_shared = ask(attribute::SHARED_SIZE_BYTES).unwrap_or(0);
    kernel.max_threads = ask(attribute::MAX_THREADS_PER_BLOCK);
    let cluster = [
        attribute::REQUIRED_CLUSTER_WIDTH,
        attribute::REQUIRED_CLUSTER_HEIGHT,
        attribute::REQUIRED_CLUSTER_DEPTH,
    ];
    let cluster = cluster.map(|extent| ask(extent).unwrap_or(0));
    kernel.cluster = Some(cluster).filter(|cluster| !cluster.contains(&0));
    kernel
}
