//! The calls of "Memory Management" for copies of rows and of slices of rows, between memory
//! with a pitch.
//!
//! A 2-D copy is a 3-D copy of depth one. An end is described by a base, a pitch (bytes from
//! row to row), a height (rows from slice to slice) and an offset. Alternatively it is an array
//! and an offset.

use super::copy::{CopyEnd, EndKind, Mode, direction, move_bytes, submit};
use crate::abi::enums::memory_type;
use crate::abi::{CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUstream, Side2D, Side3D, c_void};
use crate::calls::{present, stream};
use crate::error::{Result, ensure, fail};
use crate::objects::context::Context;
use crate::objects::graph::{Copy, Moves};
use crate::objects::texture::array;
use crate::time::model;
use std::sync::Arc;

/// The size of a copy: `width` bytes, `height` rows and `depth` slices.
#[derive(Debug, Clone, Copy)]
struct Extent {
    width: u64,
    height: u64,
    depth: u64,
}

/// The place of an end's bytes: row `y` of slice `z` begins at `start + y * pitch + z * slice`.
#[derive(Debug, Clone, Copy)]
struct Layout {
    start: u64,
    pitch: u64,
    slice: u64,
}

impl Layout {
    fn row(&self, y: u64, z: u64) -> u64 {
        // `resolve` has checked that the last row does not overflow.
        self.start + y * self.pitch + z * self.slice
    }
}

impl From<Side2D> for Side3D {
    fn from(side: Side2D) -> Side3D {
        let Side2D {
            x_in_bytes,
            y,
            memory_type,
            host,
            device,
            array,
            pitch,
        } = side;
        Side3D {
            x_in_bytes,
            y,
            memory_type,
            host,
            device,
            array,
            pitch,
            ..Side3D::NONE
        }
    }
}

/// Checks an end that is an array, and returns the place of its bytes.
fn in_array(role: &str, side: &Side3D, extent: Extent) -> Result<(CopyEnd, Layout)> {
    let array = array::get(side.array)?;
    let image = &array.image;
    let (x, texel) = (side.x_in_bytes as u64, u64::from(image.texel_bytes()));
    ensure!(
        x.is_multiple_of(texel) && extent.width.is_multiple_of(texel),
        ERROR_INVALID_VALUE,
        "{role}: {} bytes from byte {x} of a row are no whole elements of {texel} bytes",
        extent.width
    );
    let inside =
        |from: u64, count: u64, size: u64| from.checked_add(count).is_some_and(|end| end <= size);
    ensure!(
        inside(x, extent.width, image.row_bytes())
            && inside(side.y as u64, extent.height, image.height.into())
            && inside(side.z as u64, extent.depth, image.depth.into()),
        ERROR_INVALID_VALUE,
        "{role}: {} bytes by {} rows by {} slices from ({x}, {}, {}) go past an array of {} by {} by {}",
        extent.width,
        extent.height,
        extent.depth,
        side.y,
        side.z,
        image.row_bytes(),
        image.height,
        image.depth
    );
    ensure!(
        side.lod == 0,
        ERROR_INVALID_VALUE,
        "{role}: level {}; name the level's array (cuMipmappedArrayGetLevel)",
        side.lod
    );
    let layout = Layout {
        start: image.at(x, side.y as u32, side.z as u32),
        pitch: image.row,
        slice: image.slice,
    };
    let end = CopyEnd {
        address: layout.start,
        place: EndKind::Device,
    };
    Ok((end, layout))
}

/// Checks one end and returns the place of its bytes.
fn resolve(role: &str, side: &Side3D, extent: Extent) -> Result<(CopyEnd, Layout)> {
    let Extent {
        width,
        height,
        depth,
    } = extent;
    let (base, on_host) = match side.memory_type {
        memory_type::HOST => (side.host.expose_provenance() as u64, true),
        memory_type::DEVICE | memory_type::UNIFIED => {
            (side.device, side.memory_type == memory_type::UNIFIED)
        }
        memory_type::ARRAY => return in_array(role, side, extent),
        other => fail!(ERROR_INVALID_VALUE, "{role}: {other} is no CUmemorytype"),
    };
    // A single row needs no pitch, and a single slice no height.
    let pitch = if side.pitch == 0 {
        width
    } else {
        side.pitch as u64
    };
    ensure!(
        pitch >= width.saturating_add(side.x_in_bytes as u64) || height * depth == 1,
        ERROR_INVALID_VALUE,
        "{role}: a pitch of {pitch} bytes is less than {} bytes of offset and {width} bytes of row",
        side.x_in_bytes
    );
    let rows = if side.height == 0 {
        height
    } else {
        side.height as u64
    };
    ensure!(
        depth == 1 || rows >= height.saturating_add(side.y as u64),
        ERROR_INVALID_VALUE,
        "{role}: slices of {rows} rows are less than {height} rows from row {}",
        side.y
    );
    let found = (|| {
        let slice = pitch.checked_mul(rows)?;
        let offset = slice
            .checked_mul(side.z as u64)?
            .checked_add(pitch.checked_mul(side.y as u64)?)?;
        let start = base
            .checked_add(offset)?
            .checked_add(side.x_in_bytes as u64)?;
        let bytes = slice
            .checked_mul(depth - 1)?
            .checked_add(pitch.checked_mul(height - 1)?)?
            .checked_add(width)?;
        start.checked_add(bytes)?;
        Some((
            Layout {
                start,
                pitch,
                slice,
            },
            bytes,
        ))
    })();
    let Some((layout, bytes)) = found else {
        fail!(
            ERROR_INVALID_VALUE,
            "{role}: the copy reaches past the end of the address space"
        )
    };
    let end = if on_host {
        let pointer: *const c_void = std::ptr::with_exposed_provenance(layout.start as usize);
        ensure!(
            base != 0,
            ERROR_INVALID_VALUE,
            "{role}: the host pointer is null"
        );
        CopyEnd::host(role, pointer, bytes)?
    } else {
        CopyEnd::device(role, layout.start, bytes)?
    };
    Ok((end, layout))
}

/// A copy whose ends were checked.
struct Prepared {
    extent: Extent,
    from: (CopyEnd, Layout),
    to: (CopyEnd, Layout),
}

/// Checks a copy. Returns `None` if it has no bytes.
fn prepare(copy: &CUDA_MEMCPY3D) -> Result<Option<Prepared>> {
    let extent = Extent {
        width: copy.width_in_bytes as u64,
        height: copy.height as u64,
        depth: copy.depth as u64,
    };
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return Ok(None);
    }
    Ok(Some(Prepared {
        extent,
        from: resolve("source", &copy.src, extent)?,
        to: resolve("destination", &copy.dst, extent)?,
    }))
}

/// Copies rows that `resolve` checked.
fn rows(extent: Extent, from: Layout, to: Layout) {
    for z in 0..extent.depth {
        for y in 0..extent.height {
            // SAFETY: `resolve` checked that device ranges are live. They stay live
            // while the stream has work. Host ranges belong to the caller and are valid
            // by the call's contract.
            unsafe { move_bytes(to.row(y, z), from.row(y, z), extent.width as usize) };
        }
    }
}

impl Prepared {
    /// Makes an operation from the copy.
    fn operation(&self, context: &Arc<Context>, described: &CUDA_MEMCPY3D) -> Copy {
        let (extent, (from, from_layout), (to, to_layout)) = (self.extent, self.from, self.to);
        let bytes = extent.width * extent.height * extent.depth;
        Copy {
            context: context.clone(),
            described: *described,
            moves: Moves(Arc::new(move || rows(extent, from_layout, to_layout))),
            cost: model::copy(
                context.device.sim.model(),
                direction(from.place, to.place),
                bytes,
            ),
            bytes,
        }
    }
}

/// Makes the copy for a graph's node.
pub(crate) fn node(context: &Arc<Context>, described: &CUDA_MEMCPY3D) -> Result<Copy> {
    match prepare(described)? {
        Some(prepared) => Ok(prepared.operation(context, described)),
        None => fail!(
            ERROR_INVALID_VALUE,
            "a copy node of {} by {} by {} bytes, which is none",
            described.width_in_bytes,
            described.height,
            described.depth
        ),
    }
}

fn shaped(handle: CUstream, mode: Mode, copy: &CUDA_MEMCPY3D) -> Result {
    let (context, stream) = stream(handle)?;
    let Some(prepared) = prepare(copy)? else {
        return Ok(());
    };
    let (extent, (from, from_layout), (to, to_layout)) =
        (prepared.extent, prepared.from, prepared.to);
    submit(
        (&context, &stream),
        mode,
        (from.place, to.place),
        prepared.operation(&context, copy),
        || {
            // The rows are packed, so that the caller may change its memory when the
            // call has returned.
            let (pitch, slice) = (extent.width, extent.width * extent.height);
            let mut packed = vec![0u8; (slice * extent.depth) as usize];
            let start = packed.as_mut_ptr().expose_provenance() as u64;
            rows(
                extent,
                from_layout,
                Layout {
                    start,
                    pitch,
                    slice,
                },
            );
            Box::new(move || {
                let start = packed.as_ptr().expose_provenance() as u64;
                rows(
                    extent,
                    Layout {
                        start,
                        pitch,
                        slice,
                    },
                    to_layout,
                );
            })
        },
    )
}

unsafe fn two(handle: CUstream, mode: Mode, copy: *const CUDA_MEMCPY2D) -> Result {
    present(copy, "pCopy")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    let copy = unsafe { copy.read() };
    let CUDA_MEMCPY2D {
        src,
        dst,
        width_in_bytes,
        height,
    } = copy;
    shaped(
        handle,
        mode,
        &CUDA_MEMCPY3D {
            src: src.into(),
            dst: dst.into(),
            width_in_bytes,
            height,
            depth: 1,
        },
    )
}

unsafe fn three(handle: CUstream, mode: Mode, copy: *const CUDA_MEMCPY3D) -> Result {
    present(copy, "pCopy")?;
    // SAFETY: the pointer is not null, so it is valid by the caller's contract.
    shaped(handle, mode, &unsafe { copy.read() })
}

pub(crate) unsafe fn copy_2d(copy: *const CUDA_MEMCPY2D) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { two(CUstream::DEFAULT, Mode::Synchronous, copy) }
}

pub(crate) unsafe fn copy_2d_async(copy: *const CUDA_MEMCPY2D, stream: CUstream) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { two(stream, Mode::Asynchronous, copy) }
}

pub(crate) unsafe fn copy_3d(copy: *const CUDA_MEMCPY3D) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { three(CUstream::DEFAULT, Mode::Synchronous, copy) }
}

pub(crate) unsafe fn copy_3d_async(copy: *const CUDA_MEMCPY3D, stream: CUstream) -> Result {
    // SAFETY: the caller keeps the contract.
    unsafe { three(stream, Mode::Asynchronous, copy) }
}
