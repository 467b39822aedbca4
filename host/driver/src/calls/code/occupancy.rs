//! The calls of "Occupancy": how many blocks of a kernel are resident at once, by the
//! rules in [`lanewise_sim::DeviceModel::occupancy`].

use super::function::usable;
use crate::abi::{CUfunction, CUlaunchConfig, CUoccupancyB2DSize, c_int, c_uint};
use crate::calls::{present, put};
use crate::error::{Result, ensure, fail};
use crate::objects::code::module::Function;
use crate::objects::context;
use lanewise_sim::DeviceModel;
use std::sync::Arc;

/// Returns how many blocks of `threads` threads a multiprocessor holds.
fn blocks(model: &DeviceModel, function: &Function, threads: u32, dynamic: u32) -> u32 {
    if threads > function.kernel.most_threads(model)
        || dynamic > function.dynamic_shared_limit(model)
    {
        return 0;
    }
    let shared = function.kernel.static_shared.saturating_add(dynamic);
    model
        .occupancy(threads, function.kernel.registers, shared)
        .blocks
}

fn model_of(function: &Function) -> Result<&'static DeviceModel> {
    Ok(function.context()?.device.sim.model())
}

/// Converts a block size, which C passes as an int that may be negative.
fn block_size(size: c_int) -> Result<u32> {
    match u32::try_from(size) {
        Ok(size) if size > 0 => Ok(size),
        _ => fail!(
            ERROR_INVALID_VALUE,
            "a block of {size} threads; it has at least one"
        ),
    }
}

fn bytes(dynamic: usize) -> u32 {
    u32::try_from(dynamic).unwrap_or(u32::MAX)
}

pub(crate) unsafe fn active_blocks(
    count: *mut c_int,
    function: CUfunction,
    size: c_int,
    dynamic: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { active_blocks_with(count, function, size, dynamic, 0) }
}

pub(crate) unsafe fn active_blocks_with(
    count: *mut c_int,
    function: CUfunction,
    size: c_int,
    dynamic: usize,
    flags: c_uint,
) -> Result {
    context::current()?;
    let function = usable(function)?;
    check_flags(flags)?;
    let found = blocks(
        model_of(&function)?,
        &function,
        block_size(size)?,
        bytes(dynamic),
    );
    // SAFETY: the caller keeps the contract.
    unsafe { put(count, found as c_int, "numBlocks") }
}

fn check_flags(flags: c_uint) -> Result {
    ensure!(
        flags <= 1,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUoccupancy_flags"
    );
    Ok(())
}

pub(crate) unsafe fn best_block_size(
    grid: *mut c_int,
    size: *mut c_int,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: c_int,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { best_block_size_with(grid, size, function, dynamic_of, dynamic, limit, 0) }
}

pub(crate) unsafe fn best_block_size_with(
    grid: *mut c_int,
    size: *mut c_int,
    function: CUfunction,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: c_int,
    flags: c_uint,
) -> Result {
    let function = usable(function)?;
    check_flags(flags)?;
    present(grid, "minGridSize")?;
    present(size, "blockSize")?;
    let model = model_of(&function)?;
    let most = function.kernel.most_threads(model);
    let most = if limit > 0 {
        most.min(limit as u32)
    } else {
        most
    };
    let dynamic_of = |threads: u32| match dynamic_of {
        // SAFETY: by the caller's contract the function has this type and may be called with
        // any block size.
        Some(function) => bytes(unsafe { function(threads as c_int) }),
        None => bytes(dynamic),
    };
    // The size with the most resident threads is chosen; among equals, the largest block.
    let sizes = (1..=most / model.warp_size)
        .map(|warps| warps * model.warp_size)
        .chain([most]);
    let best = sizes
        .map(|threads| {
            (
                threads,
                blocks(model, &function, threads, dynamic_of(threads)),
            )
        })
        .max_by_key(|&(threads, blocks)| (threads * blocks, threads));
    let Some((threads, resident)) = best.filter(|&(_, resident)| resident > 0) else {
        fail!(
            ERROR_INVALID_VALUE,
            "no block of kernel `{}` fits a multiprocessor",
            function.kernel.name
        )
    };
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(
            grid,
            (resident * model.multiprocessors) as c_int,
            "minGridSize",
        )?;
        put(size, threads as c_int, "blockSize")
    }
}

pub(crate) unsafe fn available_shared(
    found: *mut usize,
    function: CUfunction,
    resident: c_int,
    size: c_int,
) -> Result {
    let function = usable(function)?;
    let model = model_of(&function)?;
    let threads = block_size(size)?;
    let resident = block_size(resident)?;
    let without = blocks(model, &function, threads, 0);
    ensure!(
        resident <= without,
        ERROR_INVALID_VALUE,
        "{resident} blocks of {threads} threads are not resident at once even without dynamic shared memory; {without} are"
    );
    let sm = &model.multiprocessor;
    // The share of each block, without the part that the system reserves, in whole units.
    let share = sm.shared / resident / sm.shared_unit.max(1) * sm.shared_unit;
    let most = share
        .saturating_sub(model.limits.shared_reserved)
        .min(model.limits.shared_per_block_optin);
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(
            found,
            most.saturating_sub(function.kernel.static_shared) as usize,
            "dynamicSmemSize",
        )
    }
}

/// Returns the function and the cluster of a launch configuration, with the threads and dynamic
/// shared memory of a block.
unsafe fn configured(
    function: CUfunction,
    config: *const CUlaunchConfig,
) -> Result<(Arc<Function>, [u32; 3], u32, u32)> {
    let function = usable(function)?;
    present(config, "config")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let config = unsafe { config.read() };
    let mut cluster = function.settings.lock().cluster;
    for i in 0..config.num_attrs as usize {
        present(config.attrs, "config->attrs")?;
        // SAFETY: by the caller's contract there are this many attributes.
        let found = unsafe { config.attrs.add(i).read() };
        if found.id == crate::abi::enums::launch_attribute::CLUSTER_DIMENSION {
            cluster = [0, 1, 2].map(|axis| found.value.word(axis));
        }
    }
    let threads = config
        .block
        .iter()
        .fold(1u32, |all, &extent| all.saturating_mul(extent));
    Ok((
        function,
        cluster.map(|extent| extent.max(1)),
        threads,
        config.shared_mem_bytes,
    ))
}

pub(crate) unsafe fn best_cluster(
    size: *mut c_int,
    function: CUfunction,
    config: *const CUlaunchConfig,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let (function, _, threads, dynamic) = unsafe { configured(function, config)? };
    let model = model_of(&function)?;
    ensure!(
        model.limits.cluster_blocks(false) > 1,
        ERROR_NOT_SUPPORTED,
        "{} has no clusters",
        model.name
    );
    ensure!(
        blocks(model, &function, threads, dynamic) > 0,
        ERROR_INVALID_VALUE,
        "no block of {threads} threads and {dynamic} bytes of dynamic shared memory fits a multiprocessor"
    );
    let non_portable = function.settings.lock().non_portable_cluster;
    let most = model.limits.cluster_blocks(non_portable);
    // SAFETY: the caller keeps the contract.
    unsafe { put(size, most as c_int, "clusterSize") }
}

pub(crate) unsafe fn active_clusters(
    count: *mut c_int,
    function: CUfunction,
    config: *const CUlaunchConfig,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let (function, cluster, threads, dynamic) = unsafe { configured(function, config)? };
    let model = model_of(&function)?;
    let resident = blocks(model, &function, threads, dynamic) * model.multiprocessors;
    let of = cluster
        .iter()
        .fold(1u32, |all, &extent| all.saturating_mul(extent));
    // SAFETY: the caller keeps the contract.
    unsafe { put(count, (resident / of) as c_int, "numClusters") }
}
