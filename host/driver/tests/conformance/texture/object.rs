//! Texture and surface objects: how they are made, and what kernels read and write through them.

use crate::fixture::{Fixture, c, holds, nothing, ok, param};
use crate::memory::array::{F32, SURFACE, U8, U32, descriptor, with_mipmap};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::{null, null_mut};

pub(crate) fn over_array(array: CUarray) -> CUDA_RESOURCE_DESC {
    // The union's other bytes are zero.
    let mut resource = CUresource { reserved: [0; 32] };
    resource.array = array;
    CUDA_RESOURCE_DESC {
        kind: 0,
        resource,
        flags: 0,
    }
}

fn over_linear(device: CUdeviceptr, bytes: usize) -> CUDA_RESOURCE_DESC {
    let linear = LinearResource {
        device,
        format: U32,
        channels: 1,
        bytes,
    };
    // The union's other bytes are zero.
    let mut resource = CUresource { reserved: [0; 32] };
    resource.linear = linear;
    CUDA_RESOURCE_DESC {
        kind: 2,
        resource,
        flags: 0,
    }
}

fn over_pitched(device: CUdeviceptr, pitch: usize) -> CUDA_RESOURCE_DESC {
    let pitched = PitchedResource {
        device,
        format: F32,
        channels: 1,
        width: 8,
        height: 2,
        pitch,
    };
    let mut resource = CUresource { reserved: [0; 32] };
    resource.pitched = pitched;
    CUDA_RESOURCE_DESC {
        kind: 3,
        resource,
        flags: 0,
    }
}

/// A texture description that clamps coordinates, with these flags and this filter.
pub(crate) fn how(flags: u32, filter_mode: u32) -> CUDA_TEXTURE_DESC {
    CUDA_TEXTURE_DESC {
        address_mode: [1; 3],
        filter_mode,
        flags,
        max_anisotropy: 0,
        mipmap_filter_mode: 0,
        mipmap_level_bias: 0.0,
        min_mipmap_level_clamp: 0.0,
        max_mipmap_level_clamp: 0.0,
        border_color: [0.0; 4],
        reserved: [0; 12],
    }
}

fn over_mipmap(mipmap: CUmipmappedArray) -> CUDA_RESOURCE_DESC {
    // The union's other bytes are zero.
    let mut resource = CUresource { reserved: [0; 32] };
    resource.mipmap = mipmap;
    CUDA_RESOURCE_DESC {
        kind: 1,
        resource,
        flags: 0,
    }
}

/// Makes a texture object and destroys it.
fn make(resource: CUDA_RESOURCE_DESC, how: CUDA_TEXTURE_DESC) -> CUresult {
    let mut object = 0;
    // SAFETY: whole descriptors.
    let code = unsafe { cuTexObjectCreate(&mut object, &resource, &how, null()) };
    if code == CUresult::SUCCESS {
        // SAFETY: it was just made.
        ok(unsafe { cuTexObjectDestroy(object) });
    }
    code
}

fn texture(resource: CUDA_RESOURCE_DESC, how: CUDA_TEXTURE_DESC) -> CUtexObject {
    let mut object = 0;
    // SAFETY: whole descriptors.
    ok(unsafe { cuTexObjectCreate(&mut object, &resource, &how, null()) });
    object
}

fn function(name: &str) -> CUfunction {
    let (mut module, mut function) = (CUmodule(0), CUfunction(0));
    // SAFETY: PTX and a name of its.
    unsafe {
        ok(cuModuleLoadData(
            &mut module,
            c(include_str!("textures.ptx")).cast(),
        ));
        ok(cuModuleGetFunction(&mut function, module, c(name)));
    }
    function
}

/// A plane of 8 x 2 floats: 0 to 7, and 100 to 107.
fn plane(f: &Fixture) -> CUarray {
    let values: Vec<f32> = (0..8).chain(100..108).map(|x| x as f32).collect();
    let array = f.array([8, 2, 0], F32, 1);
    let side = |memory_type, host, array| Side2D {
        x_in_bytes: 0,
        y: 0,
        memory_type,
        host,
        device: 0,
        array,
        pitch: 32,
    };
    let copy = CUDA_MEMCPY2D {
        src: side(1, values.as_ptr().cast_mut().cast(), CUarray(0)),
        dst: side(3, null_mut(), array),
        width_in_bytes: 32,
        height: 2,
    };
    // SAFETY: both ends have 2 rows of 32 bytes.
    ok(unsafe { cuMemcpy2D_v2(&copy) });
    array
}

/// Returns what 8 threads read at height `y`.
fn fetched(f: &Fixture, mut object: CUtexObject, mut y: f32) -> [f32; 8] {
    let mut out = f.device();
    let mut got = [0f32; 8];
    let params = &mut [param(&mut object), param(&mut out), param(&mut y)];
    ok(f.launch(function("fetch_2d"), 1, 8, 0, params));
    // SAFETY: 8 floats.
    ok(unsafe { cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), out, 32) });
    got
}

/// Launches a kernel that stores below the last row of a surface.
pub(crate) fn store_outside(f: &Fixture) {
    let (array, mut object, mut value) = (f.array([8, 2, 0], U32, 1), 0, 7u32);
    // SAFETY: a whole descriptor.
    ok(unsafe { cuSurfObjectCreate(&mut object, &over_array(array)) });
    let params = &mut [param(&mut object), param(&mut value)];
    ok(f.launch(function("store_2d"), 1, 8, 0, params));
}

/// Launches a kernel that fetches through a number that is no texture.
pub(crate) fn fetch_through_nothing(f: &Fixture) {
    let (mut out, mut none, mut at) = (f.device(), 0u64, 0f32);
    let params = &mut [param(&mut none), param(&mut out), param(&mut at)];
    ok(f.launch(function("fetch_2d"), 1, 8, 0, params));
}

rows! {
    "cuTexObjectCreate: points of an array" => SUCCESS, |f| {
        let object = texture(over_array(plane(f)), how(0, 0));
        let got = (fetched(f, object, 0.5), fetched(f, object, 1.5));
        ok(cuTexObjectDestroy(object));
        holds(got.0[7] == 7.0 && got.1[3] == 103.0)
    };
    "cuTexObjectCreate: blends of an array" => SUCCESS, |f| {
        let object = texture(over_array(plane(f)), how(0, 1));
        holds(fetched(f, object, 1.0)[2] == 52.0 && fetched(f, object, 0.75)[2] == 27.0)
    };
    "cuTexObjectCreate: 8-bit integers read as floats" => SUCCESS, |f| {
        let array = f.array([8, 2, 0], U8, 1);
        let bytes = [255u8, 0, 51, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let side = |memory_type, host, array| Side2D { x_in_bytes: 0, y: 0, memory_type, host, device: 0, array, pitch: 8 };
        ok(cuMemcpy2D_v2(&CUDA_MEMCPY2D {
            src: side(1, bytes.as_ptr().cast_mut().cast(), CUarray(0)),
            dst: side(3, null_mut(), array),
            width_in_bytes: 8,
            height: 2,
        }));
        let got = fetched(f, texture(over_array(array), how(0, 0)), 0.5);
        holds(got[0] == 1.0 && got[1] == 0.0 && got[2] == 51.0 / 255.0)
    };
    "cuTexObjectCreate: linear memory" => SUCCESS, |f| {
        let (device, mut out, function) = (f.device(), f.device(), function("fetch_1d"));
        ok(cuMemsetD32_v2(device, 9, 16));
        let mut object = texture(over_linear(device, 16), how(0, 0));
        ok(f.launch(function, 1, 8, 0, &mut [param(&mut object), param(&mut out)]));
        // Word -1 and those past the 4th are outside.
        holds([0, 4, 16, 20].map(|at| f.word(out + at)) == [0, 9, 9, 0])
    };
    "cuTexObjectCreate: memory with a pitch" => SUCCESS, |f| {
        let device = f.device();
        ok(cuMemsetD32_v2(device, 2f32.to_bits(), 8));
        ok(cuMemsetD32_v2(device + 64, 4f32.to_bits(), 8));
        let object = texture(over_pitched(device, 64), how(0, 0));
        holds(fetched(f, object, 0.5)[7] == 2.0 && fetched(f, object, 1.5)[0] == 4.0)
    };
    "cuTexObjectCreate: to null" => ERROR_INVALID_VALUE, |f| {
        cuTexObjectCreate(null_mut(), &over_array(plane(f)), &how(0, 0), nothing())
    };
    "cuTexObjectCreate: of null" => ERROR_INVALID_VALUE, |_| cuTexObjectCreate(&mut 0, nothing(), &how(0, 0), nothing());
    "cuTexObjectCreate: without a description" => ERROR_INVALID_VALUE, |f| {
        cuTexObjectCreate(&mut 0, &over_array(plane(f)), nothing(), nothing())
    };
    "cuTexObjectCreate: of no kind of resource" => ERROR_INVALID_VALUE, |f| {
        make(CUDA_RESOURCE_DESC { kind: 77, ..over_array(plane(f)) }, how(0, 0))
    };
    "cuTexObjectCreate: linear memory that is misaligned" => ERROR_INVALID_VALUE, |f| make(over_linear(f.device() + 4, 16), how(0, 0));
    "cuTexObjectCreate: no linear memory" (sim: "documented; a GPU's driver does not look") => ERROR_INVALID_VALUE, |f| make(over_linear(f.device(), 0), how(0, 0));
    "cuTexObjectCreate: a pitch of 33 bytes" => ERROR_INVALID_VALUE, |f| make(over_pitched(f.device(), 33), how(0, 0));
    "cuTexObjectCreate: a mipmapped array by texels" (sim: "documented; a GPU's driver does not look") => ERROR_INVALID_VALUE, |f| {
        with_mipmap(f, 3, |mipmap| make(over_mipmap(mipmap), how(0, 0)))
    };
    "cuTexObjectCreate: a mipmapped array" => SUCCESS, |f| {
        with_mipmap(f, 3, |mipmap| make(over_mipmap(mipmap), how(2, 0)))
    };
    "cuTexObjectCreate: no address mode" => ERROR_INVALID_VALUE, |f| {
        make(over_array(plane(f)), CUDA_TEXTURE_DESC { address_mode: [9; 3], ..how(0, 0) })
    };
    "cuTexObjectCreate: no filter" => ERROR_INVALID_VALUE, |f| make(over_array(plane(f)), how(0, 9));
    "cuTexObjectCreate: blends of integers" (sim: "documented; a GPU's driver does not look") => ERROR_INVALID_VALUE, |f| {
        make(over_array(f.array([8, 2, 0], U8, 1)), how(1, 1))
    };
    "cuTexObjectGetResourceDesc: as it was made" => SUCCESS, |f| {
        let array = plane(f);
        let (object, mut found) = (texture(over_array(array), how(0, 0)), over_array(CUarray(0)));
        ok(cuTexObjectGetResourceDesc(&mut found, object));
        holds(found.kind == 0 && found.resource.array == array)
    };
    "cuTexObjectGetTextureDesc: as it was made" => SUCCESS, |f| {
        let asked = CUDA_TEXTURE_DESC { address_mode: [1, 3, 1], ..how(0, 1) };
        let (object, mut found) = (texture(over_array(plane(f)), asked), how(0, 0));
        ok(cuTexObjectGetTextureDesc(&mut found, object));
        holds(found.address_mode[1] == 3 && found.filter_mode == 1)
    };
    "cuTexObjectGetResourceViewDesc: a view of layers" => SUCCESS, |_| {
        let mut layers = CUarray(0);
        ok(cuArray3DCreate_v2(&mut layers, &descriptor([8, 2, 4], F32, 1, 1)));
        let view = CUDA_RESOURCE_VIEW_DESC {
            format: 0x16, width: 8, height: 2, depth: 4, first_mipmap_level: 0, last_mipmap_level: 0, first_layer: 1, last_layer: 2,
            reserved: [0; 16],
        };
        let (mut object, mut found) = (0, CUDA_RESOURCE_VIEW_DESC { first_layer: 9, ..view });
        ok(cuTexObjectCreate(&mut object, &over_array(layers), &how(0, 0), &view));
        ok(cuTexObjectGetResourceViewDesc(&mut found, object));
        holds(found.first_layer == 1 && found.last_layer == 2)
    };
    "cuTexObjectGetResourceViewDesc: where none was given" => SUCCESS, |f| {
        let mut found = CUDA_RESOURCE_VIEW_DESC {
            format: 0, width: 0, height: 0, depth: 0, first_mipmap_level: 0, last_mipmap_level: 0, first_layer: 0, last_layer: 0,
            reserved: [0; 16],
        };
        cuTexObjectGetResourceViewDesc(&mut found, texture(over_array(plane(f)), how(0, 0)))
    };
    "cuTexObjectDestroy: twice" (sim: "not compared with a GPU's yet") => ERROR_INVALID_VALUE, |f| {
        let object = texture(over_array(plane(f)), how(0, 0));
        ok(cuTexObjectDestroy(object));
        cuTexObjectDestroy(object)
    };
    "cuSurfObjectCreate: and a kernel that writes" => SUCCESS, |f| {
        let (array, mut object) = (f.array([8, 2, 0], U32, 1), 0);
        ok(cuSurfObjectCreate(&mut object, &over_array(array)));
        ok(f.launch(function("store_2d"), 1, 8, 0, &mut [param(&mut object), param(&mut 1u32)]));
        let mut got = [0u32; 8];
        let side = |memory_type, host, array, y| Side2D { x_in_bytes: 0, y, memory_type, host, device: 0, array, pitch: 32 };
        ok(cuMemcpy2D_v2(&CUDA_MEMCPY2D {
            src: side(3, null_mut(), array, 1),
            dst: side(1, got.as_mut_ptr().cast(), CUarray(0), 0),
            width_in_bytes: 32,
            height: 1,
        }));
        ok(cuSurfObjectDestroy(object));
        holds(got == [100, 101, 102, 103, 104, 105, 106, 107])
    };
    "cuSurfObjectCreate: of linear memory" => ERROR_INVALID_VALUE, |f| cuSurfObjectCreate(&mut 0, &over_linear(f.device(), 64));
    "cuSurfObjectCreate: of an array without the flag" (sim: "documented; a GPU's driver does not look") => ERROR_INVALID_VALUE, |_| {
        let mut array = CUarray(0);
        ok(cuArray3DCreate_v2(&mut array, &descriptor([8, 2, 0], U32, 1, 0)));
        cuSurfObjectCreate(&mut 0, &over_array(array))
    };
    "cuSurfObjectCreate: of null" => ERROR_INVALID_VALUE, |_| cuSurfObjectCreate(&mut 0, nothing());
    "cuSurfObjectGetResourceDesc: as it was made" => SUCCESS, |_| {
        let (mut array, mut object, mut found) = (CUarray(0), 0, over_array(CUarray(0)));
        ok(cuArray3DCreate_v2(&mut array, &descriptor([8, 2, 0], U32, 1, SURFACE)));
        ok(cuSurfObjectCreate(&mut object, &over_array(array)));
        ok(cuSurfObjectGetResourceDesc(&mut found, object));
        holds(found.resource.array == array)
    };
    "cuSurfObjectDestroy: twice" (sim: "not compared with a GPU's yet") => ERROR_INVALID_VALUE, |f| {
        let mut object = 0;
        ok(cuSurfObjectCreate(&mut object, &over_array(f.array([8, 2, 0], U32, 1))));
        ok(cuSurfObjectDestroy(object));
        cuSurfObjectDestroy(object)
    };
}
