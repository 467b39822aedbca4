//! The calls of "Module Management": loading code, and finding kernels and variables in it.

use crate::abi::enums::jit;
use crate::abi::{CUdeviceptr, CUfunction, CUmodule, CUresult, c_char, c_uint, c_void};
use crate::calls::{present, put, text};
use crate::error::{Error, Result, ensure};
use crate::objects::code::jit_options::JitOptions;
use crate::objects::code::module::{self, Module};
use crate::objects::code::{cubin, fatbin, texture_reference};
use crate::objects::context;
use std::ffi::CStr;

pub(crate) unsafe fn load(handle: *mut CUmodule, path: *const c_char) -> Result {
    let context = context::current()?;
    present(handle, "module")?;
    // SAFETY: the caller keeps the contract.
    let path = unsafe { text(path, "fname")? };
    let image = std::fs::read(path).map_err(|error| {
        Error::new(
            CUresult::ERROR_FILE_NOT_FOUND,
            format_args!("cannot read `{path}`: {error}"),
        )
    })?;
    let module = module::load(&context, &image)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, module.handle, "module") }
}

pub(crate) unsafe fn load_data(handle: *mut CUmodule, image: *const c_void) -> Result {
    let context = context::current()?;
    present(handle, "module")?;
    // SAFETY: the caller keeps the contract.
    let module = module::load(&context, unsafe { image_bytes(image)? })?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, module.handle, "module") }
}

pub(crate) unsafe fn load_data_ex(
    handle: *mut CUmodule,
    image: *const c_void,
    count: c_uint,
    options: *mut c_uint,
    values: *mut *mut c_void,
) -> Result {
    let context = context::current()?;
    present(handle, "module")?;
    // SAFETY: the caller keeps the contract.
    let logs = unsafe { jit_options(count, options, values)? };
    // SAFETY: the caller keeps the contract.
    let loaded = module::load(&context, unsafe { image_bytes(image)? });
    // SAFETY: by the caller's contract the buffers in the options are valid.
    unsafe { logs.write(loaded.as_ref().err()) };
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, loaded?.handle, "module") }
}

pub(crate) unsafe fn unload(handle: CUmodule) -> Result {
    context::check_current()?;
    let module = module::get(handle)?;
    let context = context::get(module.context)?;
    context.wait();
    module::unload(&module);
    texture_reference::forget(module.handle);
    context.check()
}

pub(crate) unsafe fn function(
    handle: *mut CUfunction,
    module: CUmodule,
    name: *const c_char,
) -> Result {
    let module = usable(module)?;
    present(handle, "hfunc")?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, module.function(text(name, "name")?)?, "hfunc") }
}

pub(crate) unsafe fn global(
    address: *mut CUdeviceptr,
    size: *mut usize,
    module: CUmodule,
    name: *const c_char,
) -> Result {
    let module = usable(module)?;
    // SAFETY: the caller keeps the contract.
    let (found, bytes) = module.global(unsafe { text(name, "name")? })?;
    // SAFETY: the caller keeps the contract. The reference permits either pointer to be null.
    unsafe {
        if !address.is_null() {
            address.write(found);
        }
        if !size.is_null() {
            size.write(bytes as usize);
        }
    }
    Ok(())
}

pub(crate) unsafe fn loading_mode(mode: *mut c_uint) -> Result {
    // CU_MODULE_EAGER_LOADING: a module is read and checked as a whole when it is loaded.
    // SAFETY: the caller keeps the contract.
    unsafe { put(mode, 1, "mode") }
}

pub(crate) unsafe fn function_count(count: *mut c_uint, module: CUmodule) -> Result {
    let module = usable(module)?;
    // SAFETY: the caller keeps the contract.
    unsafe {
        put(
            count,
            module.instance.module().kernels().count() as c_uint,
            "count",
        )
    }
}

pub(crate) unsafe fn functions(handles: *mut CUfunction, room: c_uint, module: CUmodule) -> Result {
    let module = usable(module)?;
    present(handles, "functions")?;
    let names: Vec<_> = module
        .instance
        .module()
        .kernels()
        .map(|kernel| kernel.name.clone())
        .collect();
    for (i, name) in names.iter().take(room as usize).enumerate() {
        let function = module.function(name)?;
        // SAFETY: by the caller's contract there is room for `room` handles.
        unsafe { handles.add(i).write(function) };
    }
    Ok(())
}

/// Returns the module of `handle`, whose context must be usable.
fn usable(handle: CUmodule) -> Result<std::sync::Arc<Module>> {
    context::check_current()?;
    let module = module::get(handle)?;
    context::get(module.context)?.check()?;
    Ok(module)
}

/// Returns an image's bytes: PTX up to its zero byte, or a fatbin or cubin of the length
/// in its header.
///
/// # Safety
/// `image` is null, or points to PTX that ends in a zero byte, to a cubin or fatbin, or to the
/// struct that points to a fatbin.
pub(crate) unsafe fn image_bytes<'a>(image: *const c_void) -> Result<&'a [u8]> {
    present(image, "image")?;
    // SAFETY: by the caller's contract there is a cubin's or fatbin's header or a text here.
    // Every binary kind has a byte of 4 or more before its first zero byte. A text is read up to
    // its zero byte.
    let start = unsafe { CStr::from_ptr(image.cast()) }.to_bytes();
    if start.starts_with(&fatbin::WRAPPER) {
        // SAFETY: by the caller's contract there is a magic number, a version, and the
        // fatbin's address here.
        return unsafe { image_bytes(image.cast::<*const c_void>().add(1).read()) };
    }
    if start.starts_with(&fatbin::MAGIC) {
        // SAFETY: by the caller's contract there is a fatbin's header here, which has 16 bytes.
        let header: &[u8; 16] = unsafe { &*image.cast() };
        let size = fatbin::size(header).unwrap_or(start.len());
        // SAFETY: by the caller's contract there is a whole fatbin here.
        return Ok(unsafe { std::slice::from_raw_parts(image.cast(), size) });
    }
    if start.starts_with(&cubin::MAGIC) {
        // SAFETY: by the caller's contract there is a cubin's header here, which has 64 bytes.
        let header: &[u8; cubin::HEADER] = unsafe { &*image.cast() };
        let size = cubin::size(header).unwrap_or(start.len());
        // SAFETY: by the caller's contract there is a whole cubin here.
        return Ok(unsafe { std::slice::from_raw_parts(image.cast(), size) });
    }
    Ok(start)
}

/// Reads the two lists of a JIT compilation's options.
///
/// # Safety
/// `options` and `values` have `count` elements, and buffers are as large as the options specify.
pub(crate) unsafe fn jit_options(
    count: c_uint,
    options: *mut c_uint,
    values: *mut *mut c_void,
) -> Result<JitOptions> {
    let mut read = JitOptions::default();
    if count == 0 {
        return Ok(read);
    }
    present(options, "options")?;
    present(values, "optionValues")?;
    for i in 0..count as usize {
        // SAFETY: `i` is below `count`, which the caller states for both lists.
        let (option, place) = unsafe { (options.add(i).read(), values.add(i)) };
        // SAFETY: as above.
        let value = unsafe { place.read() };
        match option {
            jit::INFO_LOG_BUFFER => read.info.buffer = Some(value.cast()),
            jit::INFO_LOG_BUFFER_SIZE_BYTES => read.info.sized(place, value),
            jit::ERROR_LOG_BUFFER => read.error.buffer = Some(value.cast()),
            jit::ERROR_LOG_BUFFER_SIZE_BYTES => read.error.sized(place, value),
            jit::WALL_TIME => read.wall_time = Some(place),
            known => {
                ensure!(
                    known < jit::COUNT,
                    ERROR_INVALID_VALUE,
                    "{known} is no CUjit_option of CUDA 13.0"
                );
            }
        }
    }
    Ok(read)
}
