//! The calls of "Library Management": code without a context, and the kernels in it.

use super::function as functions;
use super::module::{image_bytes, jit_options};
use crate::abi::{
    CUdevice, CUdeviceptr, CUfunction, CUkernel, CUlibrary, CUmodule, CUresult, c_char, c_int,
    c_uint, c_void,
};
use crate::calls::{present, put, text};
use crate::error::{Error, Result, fail};
use crate::objects::code::library;
use crate::objects::context;

/// The number of known values of `CUlibraryOption`. They affect how a GPU's driver keeps the code,
/// not what it does.
const LIBRARY_OPTIONS: c_uint = 2;

pub(crate) unsafe fn load_data(
    handle: *mut CUlibrary,
    code: *const c_void,
    jit_options: *mut c_void,
    jit_values: *mut *mut c_void,
    jit_count: c_uint,
    options: *mut c_void,
    _values: *mut *mut c_void,
    count: c_uint,
) -> Result {
    present(handle, "library")?;
    // SAFETY: the caller keeps the contract.
    unsafe {
        check_options(options.cast(), count)?;
        let image = image_bytes(code)?;
        load(handle, image, jit_options.cast(), jit_values, jit_count)
    }
}

pub(crate) unsafe fn load_file(
    handle: *mut CUlibrary,
    path: *const c_char,
    jit_options: *mut c_void,
    jit_values: *mut *mut c_void,
    jit_count: c_uint,
    options: *mut c_void,
    _values: *mut *mut c_void,
    count: c_uint,
) -> Result {
    present(handle, "library")?;
    // SAFETY: the caller keeps the contract.
    let path = unsafe {
        check_options(options.cast(), count)?;
        text(path, "fileName")?
    };
    let image = std::fs::read(path).map_err(|error| {
        Error::new(
            CUresult::ERROR_FILE_NOT_FOUND,
            format_args!("cannot read `{path}`: {error}"),
        )
    })?;
    // SAFETY: the caller keeps the contract.
    unsafe { load(handle, &image, jit_options.cast(), jit_values, jit_count) }
}

/// # Safety
/// The contracts of [`jit_options`] and [`put`] hold.
unsafe fn load(
    handle: *mut CUlibrary,
    image: &[u8],
    options: *mut c_uint,
    values: *mut *mut c_void,
    count: c_uint,
) -> Result {
    // SAFETY: the caller keeps the contract.
    let logs = unsafe { jit_options(count, options, values)? };
    let loaded = library::load(image);
    // SAFETY: by the caller's contract the buffers in the options are valid.
    unsafe { logs.write(loaded.as_ref().err()) };
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, loaded?.handle, "library") }
}

/// # Safety
/// `options` has `count` elements.
unsafe fn check_options(options: *const c_uint, count: c_uint) -> Result {
    if count > 0 {
        present(options, "libraryOptions")?;
    }
    for i in 0..count as usize {
        // SAFETY: the caller keeps the contract.
        let option = unsafe { options.add(i).read() };
        if option >= LIBRARY_OPTIONS {
            fail!(ERROR_INVALID_VALUE, "{option} is no CUlibraryOption");
        }
    }
    Ok(())
}

pub(crate) unsafe fn unload(handle: CUlibrary) -> Result {
    library::get(handle)?.unload();
    Ok(())
}

pub(crate) unsafe fn kernel(
    handle: *mut CUkernel,
    library: CUlibrary,
    name: *const c_char,
) -> Result {
    let library = library::get(library)?;
    present(handle, "pKernel")?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, library.kernel(text(name, "name")?)?, "pKernel") }
}

pub(crate) unsafe fn kernel_count(count: *mut c_uint, library: CUlibrary) -> Result {
    let kernels = library::get(library)?.code.kernels().count();
    // SAFETY: the caller keeps the contract.
    unsafe { put(count, kernels as c_uint, "count") }
}

pub(crate) unsafe fn kernels(handles: *mut CUkernel, room: c_uint, library: CUlibrary) -> Result {
    let library = library::get(library)?;
    present(handles, "kernels")?;
    for (i, found) in library.code.kernels().take(room as usize).enumerate() {
        let kernel = library.kernel(&found.name)?;
        // SAFETY: by the caller's contract there is room for `room` handles.
        unsafe { handles.add(i).write(kernel) };
    }
    Ok(())
}

pub(crate) unsafe fn module(handle: *mut CUmodule, library: CUlibrary) -> Result {
    let module = library::get(library)?.module(&*context::current()?)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(handle, module.handle, "pMod") }
}

pub(crate) unsafe fn global(
    address: *mut CUdeviceptr,
    size: *mut usize,
    library: CUlibrary,
    name: *const c_char,
) -> Result {
    let module = library::get(library)?.module(&*context::current()?)?;
    // SAFETY: the caller keeps the contract.
    unsafe { super::module::global(address, size, module.handle, name) }
}

pub(crate) unsafe fn managed(
    _address: *mut CUdeviceptr,
    _size: *mut usize,
    library: CUlibrary,
    name: *const c_char,
) -> Result {
    library::get(library)?;
    // SAFETY: the caller keeps the contract.
    let name = unsafe { text(name, "name")? };
    fail!(
        ERROR_NOT_FOUND,
        "the library has no managed variable `{name}`; in PTX, variables are managed by `.attribute(.managed)`, which is not \
         simulated"
    )
}

pub(crate) unsafe fn unified_function(
    _function: *mut *mut c_void,
    library: CUlibrary,
    name: *const c_char,
) -> Result {
    library::get(library)?;
    // SAFETY: the caller keeps the contract.
    let name = unsafe { text(name, "symbol")? };
    // A GPU's driver returns this code here, while it returns NOT_FOUND for other names that
    // are not found.
    fail!(
        ERROR_INVALID_VALUE,
        "the library has no unified function `{name}`; in PTX they are marked by `.attribute(.unified)`, which is not simulated"
    )
}

pub(crate) unsafe fn function(function: *mut CUfunction, handle: CUkernel) -> Result {
    let found = library::kernel(handle)?.function(&*context::current()?)?;
    // SAFETY: the caller keeps the contract.
    unsafe { put(function, found, "pFunc") }
}

pub(crate) unsafe fn library_of(library: *mut CUlibrary, handle: CUkernel) -> Result {
    let found = library::kernel(handle)?.library;
    // SAFETY: the caller keeps the contract.
    unsafe { put(library, found, "pLib") }
}

pub(crate) unsafe fn attribute(
    value: *mut c_int,
    which: c_uint,
    handle: CUkernel,
    device: CUdevice,
) -> Result {
    let function = library::kernel(handle)?.function_on(device)?;
    // SAFETY: the caller keeps the contract.
    unsafe { functions::attribute(value, which, function) }
}

pub(crate) unsafe fn set_attribute(
    which: c_uint,
    value: c_int,
    handle: CUkernel,
    device: CUdevice,
) -> Result {
    let function = library::kernel(handle)?.function_on(device)?;
    // SAFETY: the caller keeps the contract.
    unsafe { functions::set_attribute(function, which, value) }
}

pub(crate) unsafe fn set_cache_config(
    handle: CUkernel,
    config: c_uint,
    device: CUdevice,
) -> Result {
    let function = library::kernel(handle)?.function_on(device)?;
    // SAFETY: the caller keeps the contract.
    unsafe { functions::set_cache_config(function, config) }
}

pub(crate) unsafe fn kernel_name(name: *mut *const c_char, handle: CUkernel) -> Result {
    let kernel = library::kernel(handle)?;
    // SAFETY: the caller keeps the contract. The text lives as long as the kernel, which the
    // registry keeps until it is unloaded.
    unsafe { put(name, kernel.c_name.as_ptr(), "name") }
}

pub(crate) unsafe fn param_info(
    handle: CUkernel,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> Result {
    let kernel = library::kernel(handle)?;
    // SAFETY: the caller keeps the contract.
    unsafe { functions::put_param(&kernel.kernel, index, offset, size) }
}
