//! The calls of "Execution Control" that launch kernels.
//!
//! Errors in the arguments of a launch are found before the call returns, with the codes that the
//! reference and an H200 give. Errors inside the kernel are found when the stream runs it, and stay
//! with the context.

use super::function::usable;
use crate::abi::enums::{launch_attribute as attribute, launch_extra};
use crate::abi::{CUDA_LAUNCH_PARAMS, CUfunction, CUlaunchConfig, CUstream, c_uint, c_void};
use crate::calls::{present, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::code::launch::{KernelLaunch, Shape, asked};
use crate::objects::code::module::Function;
use crate::objects::context::{self, Context};
use crate::objects::fault;
use crate::objects::graph::Kind;
use crate::objects::stream::Stream;
use lanewise_variables::CUDA_LAUNCH_BLOCKING;
use std::sync::Arc;

pub(crate) unsafe fn kernel(
    function: CUfunction,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    on: CUstream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result {
    let shape = Shape::new(
        [grid_x, grid_y, grid_z],
        [block_x, block_y, block_z],
        shared,
    );
    // SAFETY: the caller keeps the contract.
    unsafe { launch(function, shape, on, params, extra) }
}

pub(crate) unsafe fn cooperative(
    function: CUfunction,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    on: CUstream,
    params: *mut *mut c_void,
) -> Result {
    let shape = Shape::new(
        [grid_x, grid_y, grid_z],
        [block_x, block_y, block_z],
        shared,
    );
    // SAFETY: the caller keeps the contract.
    unsafe {
        launch(
            function,
            Shape {
                cooperative: true,
                ..shape
            },
            on,
            params,
            std::ptr::null_mut(),
        )
    }
}

pub(crate) unsafe fn cooperative_on_several(
    launches: *mut CUDA_LAUNCH_PARAMS,
    count: c_uint,
    _flags: c_uint,
) -> Result {
    present(launches, "launchParamsList")?;
    ensure!(
        count == 1,
        ERROR_NOT_SUPPORTED,
        "a cooperative launch on {count} devices; from CUDA 13 on there are only launches on one"
    );
    // SAFETY: the pointer is not null, so by the caller's contract it points to one element.
    let CUDA_LAUNCH_PARAMS {
        function,
        grid,
        block,
        shared_mem_bytes,
        stream,
        kernel_params,
    } = unsafe { launches.read() };
    let shape = Shape {
        cooperative: true,
        ..Shape::new(grid, block, shared_mem_bytes)
    };
    // SAFETY: the caller keeps the contract.
    unsafe { launch(function, shape, stream, kernel_params, std::ptr::null_mut()) }
}

pub(crate) unsafe fn with_attributes(
    config: *const CUlaunchConfig,
    function: CUfunction,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result {
    present(config, "config")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let config = unsafe { config.read() };
    let mut shape = Shape::new(config.grid, config.block, config.shared_mem_bytes);
    if config.num_attrs > 0 {
        present(config.attrs, "config->attrs")?;
    }
    for i in 0..config.num_attrs as usize {
        // SAFETY: by the caller's contract there are this many attributes.
        let found = unsafe { config.attrs.add(i).read() };
        match found.id {
            attribute::COOPERATIVE => shape.cooperative = found.value.word(0) != 0,
            attribute::PROGRAMMATIC_STREAM_SERIALIZATION => {
                shape.early = found.value.word(0) != 0;
            }
            attribute::CLUSTER_DIMENSION => {
                shape.cluster = [0, 1, 2].map(|axis| found.value.word(axis))
            }
            // These affect how a GPU does the work, not the result.
            attribute::IGNORE
            | attribute::ACCESS_POLICY_WINDOW
            | attribute::SYNCHRONIZATION_POLICY
            | attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE
            | attribute::PRIORITY
            | attribute::MEM_SYNC_DOMAIN_MAP
            | attribute::MEM_SYNC_DOMAIN
            | attribute::PREFERRED_CLUSTER_DIMENSION
            | attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {}
            other => fail!(
                ERROR_NOT_SUPPORTED,
                "launch attribute {other} is not simulated"
            ),
        }
    }
    // SAFETY: the caller keeps the contract.
    unsafe { launch(function, shape, config.stream, params, extra) }
}

/// Launches a kernel whose parameters are in the lists of `cuLaunchKernel`.
unsafe fn launch(
    function: CUfunction,
    shape: Shape,
    on: CUstream,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result {
    context::check_current()?;
    let function = usable(function)?;
    let (context, stream) = stream(on)?;
    check(&context, &function, &shape)?;
    // SAFETY: the caller keeps the contract.
    let bytes = unsafe { gather(&function, params, extra)? };
    submit(&context, &stream, &function, shape, bytes)
}

/// Returns the bytes of a kernel's parameters, from either of the two ways to pass them.
///
/// # Safety
/// `params` is null or has as many pointers as the kernel has parameters, each to a value of its
/// size; `extra` is null or a list as the reference describes.
pub(crate) unsafe fn gather(
    function: &Function,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<u8>> {
    let kernel = &function.kernel;
    let mut bytes = vec![0u8; kernel.param_bytes as usize];
    ensure!(
        params.is_null() || extra.is_null(),
        ERROR_INVALID_VALUE,
        "parameters are passed both by `kernelParams` and by `extra`; use one of them"
    );
    if kernel.params.is_empty() {
        return Ok(bytes);
    }
    if !extra.is_null() {
        // SAFETY: the caller keeps the contract.
        let (buffer, size) = unsafe { read_extra(extra)? };
        ensure!(
            size >= bytes.len(),
            ERROR_INVALID_VALUE,
            "a buffer of {size} bytes of parameters; kernel `{}` takes {}",
            kernel.name,
            bytes.len()
        );
        // SAFETY: by the caller's contract the buffer has `size` bytes, which are enough.
        unsafe { std::ptr::copy_nonoverlapping(buffer, bytes.as_mut_ptr(), bytes.len()) };
        return Ok(bytes);
    }
    ensure!(
        !params.is_null(),
        ERROR_INVALID_VALUE,
        "no parameters are passed; kernel `{}` takes {}",
        kernel.name,
        kernel.params.len()
    );
    for (i, param) in kernel.params.iter().enumerate() {
        // SAFETY: by the caller's contract there is a pointer for each parameter.
        let value = unsafe { params.add(i).read() };
        ensure!(
            !value.is_null(),
            ERROR_INVALID_VALUE,
            "parameter {i} (`{}`) of kernel `{}` is null; pass the address of its value",
            param.name,
            kernel.name
        );
        let (start, size) = (param.offset as usize, param.size as usize);
        let Some(to) = bytes.get_mut(start..start + size) else {
            continue;
        };
        // SAFETY: by the caller's contract the pointer points to a value of the parameter's size.
        unsafe { std::ptr::copy_nonoverlapping(value.cast(), to.as_mut_ptr(), size) };
    }
    Ok(bytes)
}

/// Returns the buffer and its size from an `extra` list.
///
/// # Safety
/// `extra` is a list of names, each with a value after it, that ends in `CU_LAUNCH_PARAM_END`.
unsafe fn read_extra(extra: *mut *mut c_void) -> Result<(*const u8, usize)> {
    let (mut buffer, mut size) = (None, None);
    let mut at = extra;
    loop {
        // SAFETY: by the caller's contract the list continues until its end marker.
        let name = unsafe { at.read() }.addr() as u32;
        if name == launch_extra::END {
            break;
        }
        // SAFETY: by the caller's contract a value follows each name but the end.
        let value = unsafe { at.add(1).read() };
        match name {
            launch_extra::BUFFER_POINTER => buffer = Some(value.cast_const().cast()),
            // SAFETY: by the caller's contract the value is the address of a size.
            launch_extra::BUFFER_SIZE => size = Some(unsafe { value.cast::<usize>().read() }),
            other => fail!(
                ERROR_INVALID_VALUE,
                "{other} in `extra` is no CU_LAUNCH_PARAM_ name"
            ),
        }
        // SAFETY: as above; a name and its value were read.
        at = unsafe { at.add(2) };
    }
    match (buffer, size) {
        (Some(buffer), Some(size)) => Ok((buffer, size)),
        _ => fail!(
            ERROR_INVALID_VALUE,
            "`extra` needs CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE"
        ),
    }
}

/// Refuses a launch that the device or the kernel does not support, with the simulator's error and
/// the kernel's name.
pub(crate) fn check(context: &Context, function: &Function, shape: &Shape) -> Result {
    let device = &context.device.sim;
    let launch = asked(device.model(), function, *shape, &[]);
    let checked = device.check(&function.kernel, &launch);
    checked.map_err(|refused| {
        let mut error = fault::refused_launch(&refused);
        error.message = format!("kernel `{}`: {}", function.kernel.name, error.message);
        error
    })
}

/// Adds a launch that was checked to a stream.
pub(super) fn submit(
    context: &Arc<Context>,
    stream: &Stream,
    function: &Arc<Function>,
    shape: Shape,
    params: Vec<u8>,
) -> Result {
    ensure!(
        function.context == context.handle,
        ERROR_INVALID_HANDLE,
        "the function belongs to context {:#x}, the stream to {:#x}; load the module in the stream's context",
        function.context.0,
        context.handle.0
    );
    let launch = KernelLaunch::new(context, function, shape, &params);
    let work = context.enqueue(stream, Kind::Kernel(launch))?;
    match work {
        Some(work) if launches_block() => {
            context.wait_for(&[work]);
            context.check()
        }
        _ => Ok(()),
    }
}

/// Returns whether `CUDA_LAUNCH_BLOCKING=1` makes each launch wait for its kernel, as it does
/// in NVIDIA's driver.
fn launches_block() -> bool {
    static BLOCK: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *BLOCK.get_or_init(|| CUDA_LAUNCH_BLOCKING.get().as_deref() == Some("1"))
}
