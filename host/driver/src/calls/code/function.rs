//! The calls of "Execution Control" for attributes and settings of functions.

use crate::abi::enums::function_attribute as attribute;
use crate::abi::{CUfunction, CUmodule, c_char, c_int, c_uint};
use crate::calls::{context as context_calls, put};
use crate::error::{Result, ensure, fail};
use crate::objects::code::library;
use crate::objects::code::module::Function;
use crate::objects::context;
use std::sync::Arc;

/// Returns the function of `handle`, whose context must be usable.
pub(crate) fn usable(handle: CUfunction) -> Result<Arc<Function>> {
    let function = library::function(handle)?;
    function.context()?;
    Ok(function)
}

pub(crate) unsafe fn attribute(value: *mut c_int, which: c_uint, handle: CUfunction) -> Result {
    let function = usable(handle)?;
    let found = function.attribute(function.context()?.device.sim.model(), which)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(value, found, "pi") }
}

pub(crate) unsafe fn set_attribute(handle: CUfunction, which: c_uint, value: c_int) -> Result {
    let function = usable(handle)?;
    let context = function.context()?;
    let model = context.device.sim.model();
    let mut settings = function.settings.lock();
    let count = || match u32::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => fail!(
            ERROR_INVALID_VALUE,
            "attribute {which} cannot be {value}, which is below zero"
        ),
    };
    match which {
        attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => {
            let most = model
                .limits
                .shared_per_block_optin
                .saturating_sub(function.kernel.static_shared);
            let value = count()?;
            ensure!(
                value <= most,
                ERROR_INVALID_VALUE,
                "{value} bytes of dynamic shared memory; `{}` has {} static bytes, and a block at most {} in all, so {most} are left",
                function.kernel.name,
                function.kernel.static_shared,
                model.limits.shared_per_block_optin
            );
            settings.max_dynamic_shared = Some(value);
        }
        attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {
            ensure!(
                (-1..=100).contains(&value),
                ERROR_INVALID_VALUE,
                "a carve-out of {value} %; it is -1 (none) to 100"
            );
            settings.carveout = Some(value);
        }
        attribute::CLUSTER_SIZE_MUST_BE_SET => settings.cluster_must_be_set = value != 0,
        attribute::REQUIRED_CLUSTER_WIDTH => settings.cluster[0] = count()?,
        attribute::REQUIRED_CLUSTER_HEIGHT => settings.cluster[1] = count()?,
        attribute::REQUIRED_CLUSTER_DEPTH => settings.cluster[2] = count()?,
        attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED => settings.non_portable_cluster = value != 0,
        attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
            ensure!(
                (0..=2).contains(&value),
                ERROR_INVALID_VALUE,
                "{value} is no CUclusterSchedulingPolicy"
            );
            settings.cluster_policy = count()?;
        }
        _ => fail!(
            ERROR_INVALID_VALUE,
            "function attribute {which} cannot be set"
        ),
    }
    Ok(())
}

pub(crate) unsafe fn set_cache_config(handle: CUfunction, config: c_uint) -> Result {
    usable(handle)?;
    context_calls::check_cache(config)
}

pub(crate) unsafe fn set_shared_config(handle: CUfunction, config: c_uint) -> Result {
    let function = usable(handle)?;
    context_calls::check_shared_config(config)?;
    function.settings.lock().shared_config = Some(config);
    Ok(())
}

pub(crate) unsafe fn module(module: *mut CUmodule, handle: CUfunction) -> Result {
    let function = usable(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(module, function.module, "hmod") }
}

pub(crate) unsafe fn name(name: *mut *const c_char, handle: CUfunction) -> Result {
    let function = usable(handle)?;
    // SAFETY: the caller keeps the contract. The text lives as long as the function, which the
    // registry keeps until it is unloaded.
    unsafe { put(name, function.c_name.as_ptr(), "name") }
}

pub(crate) unsafe fn param_info(
    handle: CUfunction,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Result {
    let function = usable(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put_param(&function.kernel, index, offset, size) }
}

/// Writes the offset and the size of a parameter of `kernel`.
///
/// # Safety
/// `offset` and `size` are null or valid for writes.
pub(super) unsafe fn put_param(
    kernel: &lanewise_sim::Kernel,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Result {
    let Some(param) = kernel.params.get(index) else {
        fail!(
            ERROR_INVALID_VALUE,
            "`{}` has no parameter {index}; it has {}",
            kernel.name,
            kernel.params.len()
        )
    };
    // SAFETY: the caller keeps the contract. The size may be null.
    unsafe {
        put(offset, param.offset as usize, "paramOffset")?;
        if !size.is_null() {
            size.write(param.size as usize);
        }
    }
    Ok(())
}

pub(crate) unsafe fn is_loaded(state: *mut c_uint, handle: CUfunction) -> Result {
    usable(handle)?;
    // CU_FUNCTION_LOADING_STATE_LOADED: loading is eager.
    // SAFETY: the caller keeps the contract.
    unsafe { put(state, 1, "state") }
}

pub(crate) unsafe fn load(handle: CUfunction) -> Result {
    context::current()?;
    usable(handle).map(|_| ())
}
