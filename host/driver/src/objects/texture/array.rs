//! Arrays and mipmapped arrays: memory with a shape. Copies and textures can access
//! it, pointers cannot.
//!
//! Source: CUDA driver API reference, `cuArray3DCreate` and `cuMipmappedArrayCreate`, for shapes
//! and limits. Rows lie one after another, each at a multiple of [`ROW_ALIGNMENT`]. A GPU has an
//! order of its own, which no program can see.

use crate::abi::enums::{array_flags as flag, array_format};
use crate::abi::{CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUcontext, CUmipmappedArray};
use crate::error::{Result, ensure, fail};
use crate::objects::attributes;
use crate::objects::context::Context;
use crate::objects::handle::ledger::{self, ObjectKind};
use crate::objects::handle::origin;
use crate::objects::handle::registry::Registry;
use crate::objects::memory;
use lanewise_sim::AllocationKind;
use lanewise_sim::image::{Format, Image, Shape};
use std::sync::Arc;

static ARRAYS: Registry<CUarray, Array> = Registry::to_give_back(ObjectKind::Array);
static MIPMAPS: Registry<CUmipmappedArray, Mipmap> = Registry::to_give_back(ObjectKind::Mipmap);

/// The alignment of rows in bytes, so that every element of a surface is aligned.
const ROW_ALIGNMENT: u64 = 64;

#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) handle: CUarray,
    pub(crate) context: CUcontext,
    /// The descriptor from the program. An extent of zero means that the array does not
    /// have this axis.
    pub(crate) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    pub(crate) image: Image,
    /// Whether it is a level of a mipmapped array, and is freed with it.
    pub(crate) is_level: bool,
}

/// A chain of arrays, each half the size of the one before.
#[derive(Debug)]
pub(crate) struct Mipmap {
    pub(crate) handle: CUmipmappedArray,
    pub(crate) context: CUcontext,
    pub(crate) levels: Vec<Arc<Array>>,
}

/// Returns the format that a `CUarray_format` names.
pub(crate) fn format(number: u32) -> Result<Format> {
    Ok(match number {
        array_format::UNSIGNED_INT8 => Format::U8,
        array_format::UNSIGNED_INT16 => Format::U16,
        array_format::UNSIGNED_INT32 => Format::U32,
        array_format::SIGNED_INT8 => Format::I8,
        array_format::SIGNED_INT16 => Format::I16,
        array_format::SIGNED_INT32 => Format::I32,
        array_format::HALF => Format::F16,
        array_format::FLOAT => Format::F32,
        array_format::FIRST_SPECIAL..=array_format::LAST_SPECIAL => fail!(
            ERROR_NOT_SUPPORTED,
            "format {number:#x}: the simulator has integers of 8, 16 and 32 bits, half and float; not compressed, planar or \
             normalised formats"
        ),
        _ => fail!(ERROR_INVALID_VALUE, "{number:#x} is no CUarray_format"),
    })
}

/// Checks that a texel has a valid number of channels.
pub(crate) fn channels(count: u32) -> Result {
    ensure!(
        matches!(count, 1 | 2 | 4),
        ERROR_INVALID_VALUE,
        "{count} channels; a texel has 1, 2 or 4"
    );
    Ok(())
}

/// Returns the shape of a descriptor, with its extents as counts.
fn shape(context: &Context, asked: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<(Shape, [u32; 3])> {
    let CUDA_ARRAY3D_DESCRIPTOR {
        width,
        height,
        depth,
        flags,
        ..
    } = *asked;
    ensure!(width > 0, ERROR_INVALID_VALUE, "an array of width 0");
    ensure!(
        flags & !flag::ALL == 0,
        ERROR_INVALID_VALUE,
        "{flags:#x} are no CUDA_ARRAY3D_ flags"
    );
    ensure!(
        flags & flag::DEPTH_TEXTURE == 0,
        ERROR_INVALID_VALUE,
        "a depth texture (flags {flags:#x}); those are graphics', and an H200's driver makes none either"
    );
    ensure!(
        flags & (flag::SPARSE | flag::DEFERRED_MAPPING) == 0,
        ERROR_NOT_SUPPORTED,
        "sparse arrays and arrays that are mapped later are not simulated (flags {flags:#x})"
    );
    let (layered, cube) = (flags & flag::LAYERED != 0, flags & flag::CUBEMAP != 0);
    // The numbers are those of the MAXIMUM_TEXTURE... attributes. Layers and faces are counted
    // in the depth.
    let (shape, limits): (_, &[[u32; 3]]) = match (cube, layered, height, depth) {
        (true, false, h, 6) if h == width => (Shape::Cube, &[[52, 52, 0]]),
        (true, true, h, d) if h == width && d > 0 && d % 6 == 0 => {
            (Shape::LayeredCube, &[[53, 53, 54]])
        }
        (true, ..) => fail!(
            ERROR_INVALID_VALUE,
            "a cubemap of {width} x {height} x {depth}; faces are square, and there are six of them in each cube"
        ),
        (false, true, _, 0) => fail!(ERROR_INVALID_VALUE, "a layered array without layers"),
        (false, true, 0, _) => (Shape::Layered1, &[[42, 0, 43]]),
        (false, true, ..) => (Shape::Layered2, &[[27, 28, 29]]),
        (false, false, 0, 0) => (Shape::D1, &[[21, 0, 0]]),
        (false, false, 0, _) => fail!(
            ERROR_INVALID_VALUE,
            "an array of height 0 and depth {depth}; a volume has all three extents, and layers need CUDA_ARRAY3D_LAYERED"
        ),
        (false, false, _, 0) if flags & flag::TEXTURE_GATHER != 0 => (Shape::D2, &[[45, 46, 0]]),
        (false, false, _, 0) => (Shape::D2, &[[22, 23, 0]]),
        (false, false, ..) => (Shape::D3, &[[24, 25, 26], [47, 48, 49]]),
    };
    ensure!(
        flags & flag::TEXTURE_GATHER == 0 || shape == Shape::D2,
        ERROR_INVALID_VALUE,
        "CUDA_ARRAY3D_TEXTURE_GATHER is for planes, not for {width} x {height} x {depth}"
    );
    let fits = |limits: &[u32; 3]| {
        let limit = |number| attributes::value(context.device, number).unwrap_or(i32::MAX);
        limits
            .iter()
            .zip([width, height, depth])
            .all(|(&number, extent)| number == 0 || extent as u64 <= limit(number) as u64)
    };
    ensure!(
        limits.iter().any(fits),
        ERROR_INVALID_VALUE,
        "{width} x {height} x {depth} is more than the device's largest {shape:?} array (CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE...)"
    );
    Ok((
        shape,
        [width, height, depth].map(|extent| extent.max(1) as u32),
    ))
}

/// Allocates an array's memory and makes the array.
fn make(context: &Context, asked: &CUDA_ARRAY3D_DESCRIPTOR, is_level: bool) -> Result<Arc<Array>> {
    let format = format(asked.format)?;
    channels(asked.channels)?;
    let (shape, [width, height, depth]) = shape(context, asked)?;
    let row = (u64::from(width) * u64::from(asked.channels * format.bytes()))
        .next_multiple_of(ROW_ALIGNMENT);
    // There are at most 2^17 texels of 16 bytes by 2^16 rows by 2^15 slices, which is
    // far below 2^64.
    let slice = row * u64::from(height);
    let bytes = slice * u64::from(depth);
    let address = memory::allocate(context, bytes as usize, AllocationKind::Array, 0)?;
    let image = Image {
        address,
        format,
        channels: asked.channels,
        shape,
        width,
        height,
        depth,
        row,
        slice,
    };
    let array = ARRAYS.add(|handle| Array {
        handle,
        context: context.handle,
        descriptor: *asked,
        image,
        is_level,
    });
    ledger::weigh(ObjectKind::Array, array.handle.0 as u64, bytes);
    Ok(array)
}

/// Makes a new array in `context`.
pub(crate) fn create(context: &Context, asked: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<Arc<Array>> {
    make(context, asked, false)
}

/// Returns the array that `handle` names.
pub(crate) fn get(handle: CUarray) -> Result<Arc<Array>> {
    match ARRAYS.get(handle) {
        Some(array) => Ok(array),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live array: it was destroyed, or never was one",
            handle.0
        ),
    }
}

/// Removes an array and frees its memory.
pub(crate) fn destroy(handle: CUarray) -> Result {
    let array = get(handle)?;
    ensure!(
        !array.is_level,
        ERROR_INVALID_HANDLE,
        "{:#x} is a level of a mipmapped array; destroy that",
        handle.0
    );
    ARRAYS.remove(handle);
    free(&array)
}

fn free(array: &Array) -> Result {
    memory::free(
        array.image.address,
        |kind| *kind == AllocationKind::Array,
        "an array",
    )
}

/// Makes a new mipmapped array of at most `levels` levels.
pub(crate) fn create_mipmap(
    context: &Context,
    asked: &CUDA_ARRAY3D_DESCRIPTOR,
    levels: u32,
) -> Result<Arc<Mipmap>> {
    let (shape, [width, height, depth]) = shape(context, asked)?;
    // The number of layers and faces stays the same. Lengths are halved.
    let longest = match shape {
        Shape::D3 => width.max(height).max(depth),
        _ => width.max(height),
    };
    ensure!(
        levels > 0,
        ERROR_INVALID_VALUE,
        "a mipmapped array without levels"
    );
    let levels = levels.min(longest.ilog2() + 1);
    let halved = |extent: usize, level: u32| match extent {
        0 => 0,
        extent => (extent >> level).max(1),
    };
    let mut made: Vec<Arc<Array>> = Vec::new();
    for level in 0..levels {
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            width: halved(asked.width, level),
            height: halved(asked.height, level),
            depth: match shape {
                Shape::D3 => halved(asked.depth, level),
                _ => asked.depth,
            },
            ..*asked
        };
        match origin::aside(|| make(context, &descriptor, true)) {
            Ok(array) => made.push(array),
            Err(error) => {
                for array in made {
                    ARRAYS.remove(array.handle);
                    // Its memory was allocated above.
                    let _ = free(&array);
                }
                return Err(error);
            }
        }
    }
    let sizes = made
        .iter()
        .map(|level| level.image.slice * u64::from(level.image.depth));
    let bytes = sizes.sum();
    let mipmap = MIPMAPS.add(|handle| Mipmap {
        handle,
        context: context.handle,
        levels: made,
    });
    ledger::weigh(ObjectKind::Mipmap, mipmap.handle.0 as u64, bytes);
    Ok(mipmap)
}

/// Returns the mipmapped array that `handle` names.
pub(crate) fn mipmap(handle: CUmipmappedArray) -> Result<Arc<Mipmap>> {
    match MIPMAPS.get(handle) {
        Some(mipmap) => Ok(mipmap),
        None => fail!(
            ERROR_INVALID_HANDLE,
            "{:#x} is not a live mipmapped array: it was destroyed, or never was one",
            handle.0
        ),
    }
}

/// Removes a mipmapped array and its levels.
pub(crate) fn destroy_mipmap(handle: CUmipmappedArray) -> Result {
    let mipmap = mipmap(handle)?;
    MIPMAPS.remove(handle);
    for level in &mipmap.levels {
        ARRAYS.remove(level.handle);
        free(level)?;
    }
    Ok(())
}

/// Removes the arrays of a context. Their memory is freed with it.
pub(crate) fn forget_all(context: CUcontext) {
    ARRAYS.remove_where(|array| array.context == context);
    MIPMAPS.remove_where(|mipmap| mipmap.context == context);
}
