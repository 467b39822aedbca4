//! Arrays and mipmapped arrays.

use crate::fixture::{Fixture, holds, nothing, ok};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// `CU_AD_FORMAT_UNSIGNED_INT32`, `_UNSIGNED_INT8` and `_FLOAT`.
pub(crate) const U32: u32 = 3;
pub(crate) const U8: u32 = 1;
pub(crate) const F32: u32 = 32;
/// `CUDA_ARRAY3D_LAYERED`, `_SURFACE_LDST`, `_CUBEMAP` and `_TEXTURE_GATHER`.
const LAYERED: u32 = 1;
pub(crate) const SURFACE: u32 = 2;
const CUBEMAP: u32 = 4;
const GATHER: u32 = 8;

pub(crate) fn descriptor(
    [width, height, depth]: [usize; 3],
    format: u32,
    channels: u32,
    flags: u32,
) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        width,
        height,
        depth,
        format,
        channels,
        flags,
    }
}

/// Makes an array of one 32-bit channel with these extents and flags.
fn make(extents: [usize; 3], flags: u32) -> CUresult {
    let mut array = CUarray(0);
    // SAFETY: a whole descriptor and a variable.
    let code = unsafe { cuArray3DCreate_v2(&mut array, &descriptor(extents, U32, 1, flags)) };
    if code == CUresult::SUCCESS {
        // SAFETY: it was just made.
        ok(unsafe { cuArrayDestroy(array) });
    }
    code
}

impl Fixture {
    /// An array that surfaces may use, of 32-bit words or of `format`.
    pub(crate) fn array(&self, extents: [usize; 3], format: u32, channels: u32) -> CUarray {
        let mut array = CUarray(0);
        let descriptor = descriptor(extents, format, channels, SURFACE);
        // SAFETY: a whole descriptor and a variable.
        ok(unsafe { cuArray3DCreate_v2(&mut array, &descriptor) });
        array
    }

    /// A mipmapped array of 16 x 16 floats.
    pub(crate) fn mipmap(&self, levels: u32) -> CUmipmappedArray {
        let mut mipmap = CUmipmappedArray(0);
        let descriptor = descriptor([16, 16, 0], F32, 1, 0);
        // SAFETY: a whole descriptor and a variable.
        ok(unsafe { cuMipmappedArrayCreate(&mut mipmap, &descriptor, levels) });
        mipmap
    }
}

/// Runs `row` with a mipmapped array of 16 x 16 floats and destroys the array afterwards. An H200's
/// driver ends the process when a context is destroyed that still has one.
pub(crate) fn with_mipmap(
    f: &Fixture,
    levels: u32,
    row: impl FnOnce(CUmipmappedArray) -> CUresult,
) -> CUresult {
    let mipmap = f.mipmap(levels);
    let code = row(mipmap);
    // SAFETY: it was made above.
    ok(unsafe { cuMipmappedArrayDestroy(mipmap) });
    code
}

/// The extents of a level.
fn level(mipmap: CUmipmappedArray, level: u32) -> [usize; 3] {
    let (mut array, mut found) = (CUarray(0), descriptor([0; 3], 0, 0, 0));
    // SAFETY: variables to write to.
    unsafe {
        ok(cuMipmappedArrayGetLevel(&mut array, mipmap, level));
        ok(cuArray3DGetDescriptor_v2(&mut found, array));
    }
    [found.width, found.height, found.depth]
}

rows! {
    "cuArrayCreate_v2: a plane" => SUCCESS, |_| {
        let asked = CUDA_ARRAY_DESCRIPTOR { width: 10, height: 20, format: F32, channels: 4 };
        let (mut array, mut found) = (CUarray(0), CUDA_ARRAY_DESCRIPTOR { width: 0, height: 0, format: 0, channels: 0 });
        ok(cuArrayCreate_v2(&mut array, &asked));
        ok(cuArrayGetDescriptor_v2(&mut found, array));
        ok(cuArrayDestroy(array));
        holds(found == asked)
    };
    "cuArrayCreate_v2: to null" => ERROR_INVALID_VALUE, |_| {
        cuArrayCreate_v2(null_mut(), &CUDA_ARRAY_DESCRIPTOR { width: 1, height: 1, format: F32, channels: 1 })
    };
    "cuArrayCreate_v2: of null" => ERROR_INVALID_VALUE, |_| cuArrayCreate_v2(&mut CUarray(0), nothing());
    "cuArrayCreate_v2: no width" => ERROR_INVALID_VALUE, |_| {
        cuArrayCreate_v2(&mut CUarray(0), &CUDA_ARRAY_DESCRIPTOR { width: 0, height: 1, format: F32, channels: 1 })
    };
    "cuArrayCreate_v2: three channels" => ERROR_INVALID_VALUE, |_| {
        cuArrayCreate_v2(&mut CUarray(0), &CUDA_ARRAY_DESCRIPTOR { width: 1, height: 1, format: F32, channels: 3 })
    };
    "cuArrayCreate_v2: no format" => ERROR_INVALID_VALUE, |_| {
        cuArrayCreate_v2(&mut CUarray(0), &CUDA_ARRAY_DESCRIPTOR { width: 1, height: 1, format: 77, channels: 1 })
    };
    "cuArrayGetDescriptor_v2: to null" => ERROR_INVALID_VALUE, |f| cuArrayGetDescriptor_v2(null_mut(), f.array([4, 0, 0], U32, 1));
    "cuArray3DCreate_v2: a line" => SUCCESS, |_| make([10, 0, 0], 0);
    "cuArray3DCreate_v2: a volume" => SUCCESS, |_| make([10, 11, 12], 0);
    "cuArray3DCreate_v2: layers of lines" => SUCCESS, |_| make([10, 0, 12], LAYERED);
    "cuArray3DCreate_v2: layers of planes" => SUCCESS, |_| make([10, 11, 12], LAYERED);
    "cuArray3DCreate_v2: a cubemap" => SUCCESS, |_| make([10, 10, 6], CUBEMAP);
    "cuArray3DCreate_v2: cubemaps in layers" => SUCCESS, |_| make([10, 10, 12], CUBEMAP | LAYERED);
    "cuArray3DCreate_v2: for gathers" => SUCCESS, |_| make([10, 10, 0], GATHER);
    "cuArray3DCreate_v2: depths of graphics" => ERROR_INVALID_VALUE, |_| make([10, 10, 0], 0x10);
    "cuArray3DCreate_v2: depth without height" => ERROR_INVALID_VALUE, |_| make([10, 0, 12], 0);
    "cuArray3DCreate_v2: no layers" => ERROR_INVALID_VALUE, |_| make([10, 10, 0], LAYERED);
    "cuArray3DCreate_v2: a cubemap of oblongs" => ERROR_INVALID_VALUE, |_| make([10, 11, 6], CUBEMAP);
    "cuArray3DCreate_v2: a cubemap of five faces" => ERROR_INVALID_VALUE, |_| make([10, 10, 5], CUBEMAP);
    "cuArray3DCreate_v2: gathers in a volume" => ERROR_INVALID_VALUE, |_| make([10, 10, 10], GATHER);
    "cuArray3DCreate_v2: wider than the device's widest" => ERROR_INVALID_VALUE, |_| make([1 << 20, 0, 0], 0);
    "cuArray3DCreate_v2: too many layers" => ERROR_INVALID_VALUE, |_| make([4, 4, 5000], LAYERED);
    "cuArray3DGetDescriptor_v2: as it was made" => SUCCESS, |_| {
        let asked = descriptor([10, 11, 12], U8, 2, LAYERED | SURFACE);
        let (mut array, mut found) = (CUarray(0), descriptor([0; 3], 0, 0, 0));
        ok(cuArray3DCreate_v2(&mut array, &asked));
        ok(cuArray3DGetDescriptor_v2(&mut found, array));
        holds(found == asked)
    };
    "cuArrayDestroy: null" => ERROR_INVALID_HANDLE, |_| cuArrayDestroy(CUarray(0));
    "cuArrayDestroy: twice" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        let array = f.array([4, 4, 0], U32, 1);
        ok(cuArrayDestroy(array));
        cuArrayDestroy(array)
    };
    "cuArrayDestroy: gives its memory back" (sim: "a GPU's driver keeps pages for later") => SUCCESS, |f| {
        let free = || {
            let (mut free, mut total) = (0, 0);
            ok(cuMemGetInfo_v2(&mut free, &mut total));
            free
        };
        let before = free();
        let array = f.array([1000, 1000, 0], U32, 4);
        let during = free();
        ok(cuArrayDestroy(array));
        holds(before - during >= 16_000_000 && free() == before)
    };
    "cuArrayGetPlane: of no planar format" => ERROR_INVALID_VALUE, |f| {
        cuArrayGetPlane(&mut CUarray(0), f.array([4, 4, 0], U8, 1), 0)
    };
    "cuArrayGetSparseProperties: of an array with memory" => ERROR_INVALID_VALUE, |f| {
        cuArrayGetSparseProperties([0u64; 16].as_mut_ptr().cast(), f.array([4, 4, 0], U8, 1))
    };
    "cuMipmappedArrayGetSparseProperties: of an array with memory" => ERROR_INVALID_VALUE, |f| {
        with_mipmap(f, 2, |mipmap| cuMipmappedArrayGetSparseProperties([0u64; 16].as_mut_ptr().cast(), mipmap))
    };
    "cuArrayGetMemoryRequirements: of an array with memory" => ERROR_INVALID_VALUE, |f| {
        cuArrayGetMemoryRequirements([0u64; 8].as_mut_ptr().cast(), f.array([4, 4, 0], U8, 1), 0)
    };
    "cuMipmappedArrayGetMemoryRequirements: of an array with memory" => ERROR_INVALID_VALUE, |f| {
        with_mipmap(f, 2, |mipmap| cuMipmappedArrayGetMemoryRequirements([0u64; 8].as_mut_ptr().cast(), mipmap, 0))
    };
    "cuMipmappedArrayCreate: levels are halves" => SUCCESS, |f| {
        let mipmap = f.mipmap(5);
        let sizes: Vec<_> = (0..5).map(|n| level(mipmap, n)).collect();
        ok(cuMipmappedArrayDestroy(mipmap));
        holds(sizes == [16, 8, 4, 2, 1].map(|side| [side, side, 0]))
    };
    "cuMipmappedArrayCreate: layers stay as many" => SUCCESS, |_| {
        let mut mipmap = CUmipmappedArray(0);
        ok(cuMipmappedArrayCreate(&mut mipmap, &descriptor([9, 4, 3], F32, 1, LAYERED), 3));
        let sizes = [level(mipmap, 1), level(mipmap, 2)];
        ok(cuMipmappedArrayDestroy(mipmap));
        holds(sizes == [[4, 2, 3], [2, 1, 3]])
    };
    "cuMipmappedArrayCreate: more levels than halves" => SUCCESS, |f| {
        with_mipmap(f, 100, |mipmap| cuMipmappedArrayGetLevel(&mut CUarray(0), mipmap, 4))
    };
    "cuMipmappedArrayCreate: of null" => ERROR_INVALID_VALUE, |_| cuMipmappedArrayCreate(&mut CUmipmappedArray(0), nothing(), 1);
    "cuMipmappedArrayGetLevel: past the last" => ERROR_INVALID_VALUE, |f| with_mipmap(f, 2, |mipmap| cuMipmappedArrayGetLevel(&mut CUarray(0), mipmap, 2));
    "cuMipmappedArrayDestroy: null" => ERROR_INVALID_HANDLE, |_| cuMipmappedArrayDestroy(CUmipmappedArray(0));
}
