//! The calls of "Memory Management" for copies of bytes to, from and among one-dimensional arrays.
//!
//! Source: the pages of `cuMemcpyAtoD` and the similar calls. Offsets and sizes are in bytes.
//! Between arrays and the device they must be whole elements. Arrays of more dimensions are
//! copied by [`super::copy_shaped`].

use super::copy::{CopyEnd, EndKind, Mode, linear};
use crate::abi::{CUarray, CUdeviceptr, CUstream, c_void};
use crate::error::{Result, ensure};
use crate::objects::texture::array::{self, Array};
use std::sync::Arc;

/// Returns the end of a copy that consists of `bytes` of an array from `offset` on.
fn part(role: &str, array: &Array, offset: usize, bytes: usize) -> Result<CopyEnd> {
    let image = &array.image;
    ensure!(
        image.height == 1 && image.depth == 1,
        ERROR_INVALID_VALUE,
        "{role}: the array {:#x} has more than one dimension; copy it with cuMemcpy2D or cuMemcpy3D",
        array.handle.0
    );
    let end = (offset as u64).checked_add(bytes as u64);
    ensure!(
        end.is_some_and(|end| end <= image.row_bytes()),
        ERROR_INVALID_VALUE,
        "{role}: {bytes} bytes from byte {offset} go past the end of an array of {} bytes",
        image.row_bytes()
    );
    Ok(CopyEnd {
        address: image.address + offset as u64,
        place: EndKind::Device,
    })
}

/// Checks that offset and size are whole elements of the array.
fn whole(role: &str, array: &Array, offset: usize, bytes: usize) -> Result {
    let texel = array.image.texel_bytes() as usize;
    ensure!(
        offset.is_multiple_of(texel) && bytes.is_multiple_of(texel),
        ERROR_INVALID_VALUE,
        "{role}: {bytes} bytes from byte {offset} are no whole elements of {texel} bytes"
    );
    Ok(())
}

/// Returns the array at one end of a copy whose other end is device memory or an array.
fn of_elements(role: &str, handle: CUarray, offset: usize, bytes: usize) -> Result<Arc<Array>> {
    let array = array::get(handle)?;
    whole(role, &array, offset, bytes)?;
    Ok(array)
}

const NOW: (CUstream, Mode) = (CUstream::DEFAULT, Mode::Synchronous);

pub(crate) unsafe fn from_device(
    to: CUarray,
    offset: usize,
    from: CUdeviceptr,
    bytes: usize,
) -> Result {
    let array = of_elements("dstArray", to, offset, bytes)?;
    let to = part("dstArray", &array, offset, bytes);
    let from = CopyEnd::device("srcDevice", from, bytes as u64);
    linear(NOW.0, NOW.1, to, from, bytes)
}

pub(crate) unsafe fn to_device(
    to: CUdeviceptr,
    from: CUarray,
    offset: usize,
    bytes: usize,
) -> Result {
    let array = of_elements("srcArray", from, offset, bytes)?;
    let from = part("srcArray", &array, offset, bytes);
    let to = CopyEnd::device("dstDevice", to, bytes as u64);
    linear(NOW.0, NOW.1, to, from, bytes)
}

pub(crate) unsafe fn among(
    to: CUarray,
    to_offset: usize,
    from: CUarray,
    from_offset: usize,
    bytes: usize,
) -> Result {
    let target = of_elements("dstArray", to, to_offset, bytes)?;
    let source = of_elements("srcArray", from, from_offset, bytes)?;
    ensure!(
        target.image.texel_bytes() == source.image.texel_bytes(),
        ERROR_INVALID_VALUE,
        "elements of {} bytes to an array with elements of {}",
        source.image.texel_bytes(),
        target.image.texel_bytes()
    );
    let to = part("dstArray", &target, to_offset, bytes);
    let from = part("srcArray", &source, from_offset, bytes);
    linear(NOW.0, NOW.1, to, from, bytes)
}

unsafe fn host_to(
    (stream, mode): (CUstream, Mode),
    (to, offset): (CUarray, usize),
    from: *const c_void,
    bytes: usize,
) -> Result {
    let array = array::get(to)?;
    let to = part("dstArray", &array, offset, bytes);
    linear(
        stream,
        mode,
        to,
        CopyEnd::host("srcHost", from, bytes as u64),
        bytes,
    )
}

unsafe fn to_host(
    (stream, mode): (CUstream, Mode),
    to: *mut c_void,
    (from, offset): (CUarray, usize),
    bytes: usize,
) -> Result {
    let array = array::get(from)?;
    let from = part("srcArray", &array, offset, bytes);
    linear(
        stream,
        mode,
        CopyEnd::host("dstHost", to, bytes as u64),
        from,
        bytes,
    )
}

pub(crate) unsafe fn from_host(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    bytes: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { host_to(NOW, (to, offset), from, bytes) }
}

pub(crate) unsafe fn from_host_async(
    to: CUarray,
    offset: usize,
    from: *const c_void,
    bytes: usize,
    stream: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { host_to((stream, Mode::Asynchronous), (to, offset), from, bytes) }
}

pub(crate) unsafe fn to_host_now(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    bytes: usize,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { to_host(NOW, to, (from, offset), bytes) }
}

pub(crate) unsafe fn to_host_async(
    to: *mut c_void,
    from: CUarray,
    offset: usize,
    bytes: usize,
    stream: CUstream,
) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { to_host((stream, Mode::Asynchronous), to, (from, offset), bytes) }
}
