//! The calls of "Execution Control (deprecated)": launches as before CUDA 4, where separate calls
//! set the shape and the parameters.

use super::function::usable;
use super::launch::{check, submit};
use crate::abi::{CUfunction, CUstream, c_int, c_uint, c_void};
use crate::calls::{present, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::code::launch::Shape;
use crate::objects::context;

/// Converts an int that C uses as a count.
fn count(value: c_int, what: &str) -> Result<u32> {
    match u32::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) => fail!(
            ERROR_INVALID_VALUE,
            "{what} is {value}, which is below zero"
        ),
    }
}

pub(crate) unsafe fn set_block(function: CUfunction, x: c_int, y: c_int, z: c_int) -> Result {
    let function = usable(function)?;
    let block = [count(x, "x")?, count(y, "y")?, count(z, "z")?];
    function.settings.lock().legacy.block = Some(block);
    Ok(())
}

pub(crate) unsafe fn set_shared(function: CUfunction, bytes: c_uint) -> Result {
    let function = usable(function)?;
    function.settings.lock().legacy.shared = bytes;
    Ok(())
}

pub(crate) unsafe fn set_param_size(function: CUfunction, bytes: c_uint) -> Result {
    let function = usable(function)?;
    let limit = function.context()?.device.sim.model().limits.parameters;
    ensure!(
        bytes <= limit,
        ERROR_INVALID_VALUE,
        "{bytes} bytes of parameters; kernels take {limit} at most"
    );
    function
        .settings
        .lock()
        .legacy
        .params
        .resize(bytes as usize, 0);
    Ok(())
}

pub(crate) unsafe fn set_param_u32(function: CUfunction, offset: c_int, value: c_uint) -> Result {
    set_param(function, offset, &value.to_ne_bytes())
}

pub(crate) unsafe fn set_param_f32(function: CUfunction, offset: c_int, value: f32) -> Result {
    set_param(function, offset, &value.to_ne_bytes())
}

pub(crate) unsafe fn set_param_bytes(
    function: CUfunction,
    offset: c_int,
    bytes: *mut c_void,
    len: c_uint,
) -> Result {
    present(bytes, "ptr")?;
    // SAFETY: by the caller's contract there are `len` readable bytes.
    let bytes =
        unsafe { std::slice::from_raw_parts(bytes.cast_const().cast::<u8>(), len as usize) };
    set_param(function, offset, bytes)
}

fn set_param(function: CUfunction, offset: c_int, bytes: &[u8]) -> Result {
    let function = usable(function)?;
    let start = count(offset, "offset")? as usize;
    let limit = function.context()?.device.sim.model().limits.parameters as usize;
    let end = start.saturating_add(bytes.len());
    ensure!(
        end <= limit,
        ERROR_INVALID_VALUE,
        "a parameter at byte {start} ends at {end}; kernels take {limit} bytes at most"
    );
    let mut settings = function.settings.lock();
    let params = &mut settings.legacy.params;
    // The size may be set after the parameters.
    if params.len() < end {
        params.resize(end, 0);
    }
    params[start..end].copy_from_slice(bytes);
    Ok(())
}

pub(crate) unsafe fn launch(function: CUfunction) -> Result {
    go(function, 1, 1, CUstream::DEFAULT)
}

pub(crate) unsafe fn launch_grid(function: CUfunction, width: c_int, height: c_int) -> Result {
    go(function, width, height, CUstream::DEFAULT)
}

pub(crate) unsafe fn launch_grid_async(
    function: CUfunction,
    width: c_int,
    height: c_int,
    on: CUstream,
) -> Result {
    go(function, width, height, on)
}

fn go(function: CUfunction, width: c_int, height: c_int, on: CUstream) -> Result {
    context::current()?;
    let function = usable(function)?;
    let (context, stream) = stream(on)?;
    let legacy = function.settings.lock().legacy.clone();
    let Some(block) = legacy.block else {
        fail!(
            ERROR_INVALID_VALUE,
            "the block has no shape yet; cuFuncSetBlockShape sets it"
        )
    };
    let shape = Shape::new(
        [
            count(width, "grid_width")?,
            count(height, "grid_height")?,
            1,
        ],
        block,
        legacy.shared,
    );
    check(&context, &function, &shape)?;
    let wanted = function.kernel.param_bytes as usize;
    ensure!(
        legacy.params.len() >= wanted,
        ERROR_INVALID_VALUE,
        "{} bytes of parameters were set; kernel `{}` takes {wanted}",
        legacy.params.len(),
        function.kernel.name
    );
    submit(&context, &stream, &function, shape, legacy.params)
}
