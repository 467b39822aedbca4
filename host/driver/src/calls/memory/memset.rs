//! The calls of "Memory Management" that set device memory to a value of 8, 16 or 32 bits.

use crate::abi::{CUDA_MEMSET_NODE_PARAMS, CUdeviceptr, CUstream, c_uchar, c_uint, c_ushort};
use crate::calls::stream;
use crate::error::{Result, ensure, fail};
use crate::objects::context::Context;
use crate::objects::graph::{Kind, Moves, Set};
use crate::objects::memory;
use crate::time::model;
use std::sync::Arc;

/// Rows of elements to set.
struct Area {
    address: CUdeviceptr,
    pitch: usize,
    width: usize,
    height: usize,
}

impl Area {
    fn line(address: CUdeviceptr, width: usize) -> Area {
        Area {
            address,
            pitch: 0,
            width,
            height: 1,
        }
    }
}

/// The types of values that memory can be set to: 8, 16 and 32 bits.
pub(crate) trait Element: Copy + Into<u32> + Send + Sync + 'static {}

impl Element for c_uchar {}
impl Element for c_ushort {}
impl Element for c_uint {}

/// Bytes that are copied at once. They stay in the first-level cache of the host's core.
const COPIED: usize = 16 << 10;

/// Sets `width` elements from `start`, with the library's set and copy functions. A loop over the
/// elements is slow if this crate is not optimised.
///
/// # Safety
/// There are this many elements, at an address that is aligned for one.
unsafe fn fill_row<T: Element>(start: *mut T, width: usize, value: T) {
    let bytes = &Into::<u32>::into(value).to_le_bytes()[..size_of::<T>()];
    if width == 0 || bytes.iter().all(|byte| *byte == bytes[0]) {
        // SAFETY: the caller keeps the contract.
        return unsafe {
            start
                .cast::<u8>()
                .write_bytes(bytes[0], width * size_of::<T>())
        };
    }
    // SAFETY: there is a first element.
    unsafe { start.write(value) };
    let mut done = 1;
    while done < width {
        let more = done.min(width - done).min(COPIED / size_of::<T>());
        // SAFETY: `done` elements are set. `more` elements follow them and are inside the row.
        unsafe { start.copy_to_nonoverlapping(start.add(done), more) };
        done += more;
    }
}

/// Checks `area`. The operation sets every element of it to `value`. There is none if the
/// area is empty.
fn prepare<T: Element>(context: &Arc<Context>, area: &Area, value: T) -> Result<Option<Set>> {
    let &Area {
        address,
        pitch,
        width,
        height,
    } = area;
    if width == 0 || height == 0 {
        return Ok(None);
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
    let fill = move || {
        for y in 0..height {
            memory::written(address + (y * pitch) as u64, row as u64);
            let start: *mut T = std::ptr::with_exposed_provenance_mut(address as usize + y * pitch);
            // SAFETY: the area was checked to be inside a live allocation, which is not freed while
            // the stream has work. Its address and pitch were checked to be aligned.
            unsafe { fill_row(start, width, value) };
        }
    };
    let bytes = (row * height) as u64;
    Ok(Some(Set {
        context: context.clone(),
        described: CUDA_MEMSET_NODE_PARAMS {
            dst: address,
            pitch,
            value: value.into(),
            element_size: element as c_uint,
            width,
            height,
        },
        moves: Moves(Arc::new(fill)),
        cost: model::set(context.device.sim.model(), bytes),
        bytes,
    }))
}

/// Whether a call returns before the memory is set. By the reference ("API
/// synchronization behavior"), calls without `Async` do, unless the host can access the
/// memory: pinned or managed memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Synchronous,
    Asynchronous,
}

/// Sets every element of `area` to `value`.
fn set<T: Element>((handle, mode): (CUstream, Mode), area: Area, value: T) -> Result {
    let (context, stream) = stream(handle)?;
    let Some(set) = prepare(&context, &area, value)? else {
        return Ok(());
    };
    let work = context.enqueue(&stream, Kind::Set(set))?;
    let is_seen =
        || memory::locate(area.address).is_some_and(|found| found.allocation.kind.on_host());
    match work {
        Some(work) if mode == Mode::Synchronous && is_seen() => {
            context.wait_for(&[work]);
            context.check()
        }
        _ => Ok(()),
    }
}

/// Makes the memset for a graph's node.
pub(crate) fn node(context: &Arc<Context>, described: &CUDA_MEMSET_NODE_PARAMS) -> Result<Set> {
    let &CUDA_MEMSET_NODE_PARAMS {
        dst: address,
        pitch,
        value,
        element_size,
        width,
        height,
    } = described;
    let area = Area {
        address,
        pitch,
        width,
        height,
    };
    let set = match element_size {
        1 => prepare(context, &area, value as u8)?,
        2 => prepare(context, &area, value as u16)?,
        4 => prepare(context, &area, value)?,
        other => fail!(
            ERROR_INVALID_VALUE,
            "elements of {other} bytes; a memset node has elements of 1, 2 or 4"
        ),
    };
    match set {
        Some(set) => Ok(set),
        None => fail!(
            ERROR_INVALID_VALUE,
            "a memset node of {height} rows of {width} elements, which is none"
        ),
    }
}

const NOW: (CUstream, Mode) = (CUstream::DEFAULT, Mode::Synchronous);

fn on(stream: CUstream) -> (CUstream, Mode) {
    (stream, Mode::Asynchronous)
}

pub(crate) unsafe fn line<T: Element>(address: CUdeviceptr, value: T, count: usize) -> Result {
    set(NOW, Area::line(address, count), value)
}

pub(crate) unsafe fn line_async<T: Element>(
    address: CUdeviceptr,
    value: T,
    count: usize,
    stream: CUstream,
) -> Result {
    set(on(stream), Area::line(address, count), value)
}

pub(crate) unsafe fn rows<T: Element>(
    address: CUdeviceptr,
    pitch: usize,
    value: T,
    width: usize,
    height: usize,
) -> Result {
    let area = Area {
        address,
        pitch,
        width,
        height,
    };
    set(NOW, area, value)
}

pub(crate) unsafe fn rows_async<T: Element>(
    address: CUdeviceptr,
    pitch: usize,
    value: T,
    width: usize,
    height: usize,
    stream: CUstream,
) -> Result {
    let area = Area {
        address,
        pitch,
        width,
        height,
    };
    set(on(stream), area, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_set_and_what_is_beside_it_is_not() {
        for width in [
            0,
            1,
            2,
            3,
            7,
            64,
            1000,
            COPIED / 4 - 1,
            COPIED,
            3 * COPIED + 5,
        ] {
            for value in [0, 0x0101_0101, 0x1234_5678_u32] {
                let mut row = vec![u32::MAX; width + 2];
                // SAFETY: there are two more elements.
                unsafe { fill_row(row.as_mut_ptr().wrapping_add(1), width, value) };
                assert_eq!((row[0], row[width + 1]), (u32::MAX, u32::MAX), "{width}");
                assert!(row[1..=width].iter().all(|it| *it == value), "{width}");
            }
        }
        let mut halves = [0u16; 5];
        // SAFETY: there are this many elements.
        unsafe { fill_row(halves.as_mut_ptr(), 5, 0xabcd_u16) };
        assert_eq!(halves, [0xabcd; 5]);
    }
}
