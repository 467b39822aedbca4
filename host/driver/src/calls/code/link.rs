//! The `cuLink*` calls of "Module Management", with PTX as input.

use super::module::jit_options;
use crate::abi::{CUlinkState, CUresult, c_char, c_uint, c_void};
use crate::calls::{present, put, text};
use crate::error::{Error, Result, fail};
use crate::objects::code::link::{self, LINKS, Link};
use crate::objects::context;

/// `CUjitInputType`: PTX, the only kind of code that can run here, and a fatbin, which
/// may contain PTX.
const INPUT_PTX: c_uint = 1;
const INPUT_FATBIN: c_uint = 2;

/// A library. Only one is supported: it is built in.
const INPUT_LIBRARY: c_uint = 4;
/// NVIDIA's device runtime, with which kernels launch kernels. The simulator has its functions.
const DEVICE_RUNTIME: &str = "libcudadevrt.a";

pub(crate) unsafe fn create(
    count: c_uint,
    options: *mut c_uint,
    values: *mut *mut c_void,
    state: *mut CUlinkState,
) -> Result {
    context::current()?;
    present(state, "stateOut")?;
    // SAFETY: the caller keeps the contract. By the reference, the buffers must outlive the link.
    let logs = unsafe { jit_options(count, options, values)? };
    let link = LINKS.add(|handle| Link::new(handle, logs));
    // SAFETY: the caller keeps the contract.
    unsafe { put(state, link.handle, "stateOut") }
}

pub(crate) unsafe fn add_data(
    state: CUlinkState,
    kind: c_uint,
    data: *mut c_void,
    size: usize,
    name: *const c_char,
    _num_options: c_uint,
    _options: *mut c_uint,
    _option_values: *mut *mut c_void,
) -> Result {
    let link = link::get(state)?;
    check_kind(kind)?;
    present(data, "data")?;
    // SAFETY: by the caller's contract there are `size` bytes.
    let input = unsafe { std::slice::from_raw_parts(data.cast_const().cast::<u8>(), size) };
    let name = if name.is_null() {
        "<unnamed>"
    } else {
        // SAFETY: the pointer is not null, so by the caller's contract it points to a C string.
        unsafe { text(name, "name")? }
    };
    // SAFETY: the caller keeps the contract of `cuLinkCreate`.
    unsafe { logged(&link, link.add(input, name)) }
}

pub(crate) unsafe fn add_file(
    state: CUlinkState,
    kind: c_uint,
    path: *const c_char,
    _num_options: c_uint,
    _options: *mut c_uint,
    _option_values: *mut *mut c_void,
) -> Result {
    let link = link::get(state)?;
    // SAFETY: the caller keeps the contract.
    let path = unsafe { text(path, "path")? };
    if kind == INPUT_LIBRARY && path.ends_with(DEVICE_RUNTIME) {
        return Ok(());
    }
    check_kind(kind)?;
    let input = std::fs::read(path).map_err(|error| {
        Error::new(
            CUresult::ERROR_FILE_NOT_FOUND,
            format_args!("cannot read `{path}`: {error}"),
        )
    })?;
    // SAFETY: the caller keeps the contract of `cuLinkCreate`.
    unsafe { logged(&link, link.add(&input, path)) }
}

pub(crate) unsafe fn complete(
    state: CUlinkState,
    image: *mut *mut c_void,
    size: *mut usize,
) -> Result {
    let link = link::get(state)?;
    present(image, "cubinOut")?;
    let completed = link.complete();
    // SAFETY: the caller keeps the contract of `cuLinkCreate`.
    unsafe { link.logs.lock().write(completed.as_ref().err()) };
    let (found, bytes) = completed?;
    // SAFETY: the caller keeps the contract. The reference permits the size to be null.
    unsafe {
        if !size.is_null() {
            size.write(bytes);
        }
        put(image, found.cast_mut().cast(), "cubinOut")
    }
}

pub(crate) unsafe fn destroy(state: CUlinkState) -> Result {
    link::get(state)?;
    LINKS.remove(state);
    Ok(())
}

/// Returns `outcome`, and writes a failure to the link's logs too.
///
/// # Safety
/// The buffers that were given when the link was created are still valid.
unsafe fn logged(link: &Link, outcome: Result) -> Result {
    if let Err(error) = &outcome {
        // SAFETY: the caller keeps the contract.
        unsafe { link.logs.lock().write(Some(error)) };
    }
    outcome
}

fn check_kind(kind: c_uint) -> Result {
    let what = match kind {
        INPUT_PTX | INPUT_FATBIN => return Ok(()),
        0 => "a cubin",
        3 => "an object file",
        4 => "a library",
        5 => "NVVM code",
        other => fail!(ERROR_INVALID_VALUE, "{other} is no CUjitInputType"),
    };
    fail!(
        ERROR_NO_BINARY_FOR_GPU,
        "{what} as input of a link; the simulator links PTX only (CU_JIT_INPUT_PTX, 1, or in a fatbin, 2), and has {DEVICE_RUNTIME} built in"
    )
}
