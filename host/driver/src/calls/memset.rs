//! "Memory Management": setting device memory to a value of 8, 16 or 32 bits.

use super::stream;
use crate::abi::{CUdeviceptr, CUstream, c_uchar, c_uint, c_ushort};
use crate::error::{Result, ensure, fail};
use crate::objects::memory;
use crate::objects::stream::Run;
use crate::time::model;
use crate::time::timeline::Cost;

/// Rows of elements to set.
struct Area {
    address: CUdeviceptr,
    pitch: usize,
    width: usize,
    height: usize,
}

/// Sets every element of `area` to `value`. All of these calls may return before the memory is set.
fn set<T: Copy + Send + 'static>(handle: CUstream, area: Area, value: T) -> Result {
    let (context, stream) = stream(handle)?;
    let Area {
        address,
        pitch,
        width,
        height,
    } = area;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let element = size_of::<T>();
    ensure!(
        address % element as u64 == 0 && (height == 1 || pitch % element == 0),
        ERROR_INVALID_VALUE,
        "address {address:#x} and pitch {pitch} must be multiples of the element's {element} bytes"
    );
    let row = width
        .checked_mul(element)
        .filter(|&row| height == 1 || row <= pitch);
    let bytes = row.and_then(|row| pitch.checked_mul(height - 1)?.checked_add(row));
    let Some((row, bytes)) = row.zip(bytes) else {
        fail!(
            ERROR_INVALID_VALUE,
            "{height} rows of {width} elements of {element} bytes do not fit a pitch of {pitch}"
        )
    };
    memory::range("dstDevice", address, bytes as u64)?;
    let cost = model::set(context.device.sim.model(), (row * height) as u64);
    let job = move |fault: Option<&crate::error::Error>| {
        if fault.is_some() {
            return Ok(Cost::NOTHING);
        }
        for y in 0..height {
            let start: *mut T = std::ptr::with_exposed_provenance_mut(address as usize + y * pitch);
            for x in 0..width {
                // SAFETY: the area was checked to be inside a live allocation, which is not freed while the stream has work,
                // and its address and pitch to be aligned.
                unsafe { start.add(x).write(value) };
            }
        }
        Ok(cost)
    };
    context.submit(&stream, Vec::new(), Run::ByWorker(Box::new(job)));
    Ok(())
}

const LEGACY: CUstream = CUstream::LEGACY;

fn line(address: CUdeviceptr, width: usize) -> Area {
    Area {
        address,
        pitch: 0,
        width,
        height: 1,
    }
}

pub(crate) unsafe fn d8(address: CUdeviceptr, value: c_uchar, count: usize) -> Result {
    set(LEGACY, line(address, count), value)
}

pub(crate) unsafe fn d16(address: CUdeviceptr, value: c_ushort, count: usize) -> Result {
    set(LEGACY, line(address, count), value)
}

pub(crate) unsafe fn d32(address: CUdeviceptr, value: c_uint, count: usize) -> Result {
    set(LEGACY, line(address, count), value)
}

pub(crate) unsafe fn d8_async(
    address: CUdeviceptr,
    value: c_uchar,
    count: usize,
    stream: CUstream,
) -> Result {
    set(stream, line(address, count), value)
}

pub(crate) unsafe fn d16_async(
    address: CUdeviceptr,
    value: c_ushort,
    count: usize,
    stream: CUstream,
) -> Result {
    set(stream, line(address, count), value)
}

pub(crate) unsafe fn d32_async(
    address: CUdeviceptr,
    value: c_uint,
    count: usize,
    stream: CUstream,
) -> Result {
    set(stream, line(address, count), value)
}

pub(crate) unsafe fn d2d8(
    address: CUdeviceptr,
    pitch: usize,
    value: c_uchar,
    width: usize,
    height: usize,
) -> Result {
    set(
        LEGACY,
        Area {
            address,
            pitch,
            width,
            height,
        },
        value,
    )
}

pub(crate) unsafe fn d2d16(
    address: CUdeviceptr,
    pitch: usize,
    value: c_ushort,
    width: usize,
    height: usize,
) -> Result {
    set(
        LEGACY,
        Area {
            address,
            pitch,
            width,
            height,
        },
        value,
    )
}

pub(crate) unsafe fn d2d32(
    address: CUdeviceptr,
    pitch: usize,
    value: c_uint,
    width: usize,
    height: usize,
) -> Result {
    set(
        LEGACY,
        Area {
            address,
            pitch,
            width,
            height,
        },
        value,
    )
}

pub(crate) unsafe fn d2d8_async(
    address: CUdeviceptr,
    pitch: usize,
    value: c_uchar,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result {
    set(
        stream,
        Area {
            address,
            pitch,
            width,
            height,
        },
        value,
    )
}

pub(crate) unsafe fn d2d16_async(
    address: CUdeviceptr,
    pitch: usize,
    value: c_ushort,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result {
    set(
        stream,
        Area {
            address,
            pitch,
            width,
            height,
        },
        value,
    )
}

pub(crate) unsafe fn d2d32_async(
    address: CUdeviceptr,
    pitch: usize,
    value: c_uint,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result {
    set(
        stream,
        Area {
            address,
            pitch,
            width,
            height,
        },
        value,
    )
}
