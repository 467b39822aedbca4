//! Texture and surface references, which are deprecated.

use crate::fixture::{Fixture, c, holds, ok, param};
use crate::memory::array::{F32, U8, U32, with_mipmap};
use crate::rows;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

fn module() -> CUmodule {
    let mut module = CUmodule(0);
    // SAFETY: PTX.
    ok(unsafe { cuModuleLoadData(&mut module, c(include_str!("references.ptx")).cast()) });
    module
}

fn texture(module: CUmodule) -> CUtexref {
    let mut reference = CUtexref(0);
    // SAFETY: a name.
    ok(unsafe { cuModuleGetTexRef(&mut reference, module, c("source")) });
    reference
}

fn surface(module: CUmodule) -> CUsurfref {
    let mut reference = CUsurfref(0);
    // SAFETY: a name.
    ok(unsafe { cuModuleGetSurfRef(&mut reference, module, c("sink")) });
    reference
}

/// A line of four words: 10, 20, 30, 40.
fn line(f: &Fixture) -> CUarray {
    let array = f.array([4, 0, 0], U32, 1);
    // SAFETY: both have 16 bytes.
    ok(unsafe { cuMemcpyHtoA_v2(array, 0, [10u32, 20, 30, 40].as_ptr().cast(), 16) });
    array
}

/// Runs the kernel, whose texture and surface are bound, and returns what it read.
fn run(f: &Fixture, module: CUmodule) -> [u32; 4] {
    let (mut function, mut out, mut got) = (CUfunction(0), f.device(), [0; 4]);
    // SAFETY: a kernel's name, and 16 bytes.
    unsafe {
        ok(cuModuleGetFunction(
            &mut function,
            module,
            c("through_references"),
        ));
        ok(f.launch(function, 1, 4, 0, &mut [param(&mut out)]));
        ok(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), out, 16));
    }
    got
}

/// A reference that belongs to no module.
fn free() -> CUtexref {
    let mut reference = CUtexref(0);
    // SAFETY: a variable.
    ok(unsafe { cuTexRefCreate(&mut reference) });
    reference
}

rows! {
    "cuModuleGetTexRef: a name" => SUCCESS, |_| {
        let module = module();
        holds(texture(module) == texture(module))
    };
    "cuModuleGetTexRef: no such name" => ERROR_NOT_FOUND, |_| cuModuleGetTexRef(&mut CUtexref(0), module(), c("nobody"));
    "cuModuleGetSurfRef: a name" => SUCCESS, |_| cuModuleGetSurfRef(&mut CUsurfref(0), module(), c("sink"));
    "cuModuleGetSurfRef: no such name" => ERROR_NOT_FOUND, |_| cuModuleGetSurfRef(&mut CUsurfref(0), module(), c("nobody"));
    "cuTexRefSetArray: a kernel reads it" (sim: "not compared with a GPU's since integers read zeros of an array, as an H200's do") => SUCCESS, |f| {
        let (module, array, to, mut found) = (module(), line(f), line(f), CUarray(0));
        let (texture, surface) = (texture(module), surface(module));
        ok(cuTexRefSetFlags(texture, 1));
        ok(cuTexRefSetArray(texture, array, 1));
        ok(cuSurfRefSetArray(surface, to, 0));
        ok(cuTexRefGetArray(&mut found, texture));
        let (got, mut written) = (run(f, module), [0u32; 4]);
        ok(cuMemcpyAtoH_v2(written.as_mut_ptr().cast(), to, 0, 16));
        holds(found == array && got == [0; 4] && written == [7, 8, 9, 10])
    };
    "cuTexRefSetArray: without the flag" (sim: "documented; a GPU's driver does not look") => ERROR_INVALID_VALUE, |f| cuTexRefSetArray(texture(module()), line(f), 0);
    "cuTexRefGetArray: nothing bound" => ERROR_INVALID_VALUE, |_| cuTexRefGetArray(&mut CUarray(0), texture(module()));
    "cuSurfRefSetArray: with flags" => ERROR_INVALID_VALUE, |f| cuSurfRefSetArray(surface(module()), line(f), 1);
    "cuSurfRefGetArray: the one that was bound" => SUCCESS, |f| {
        let (reference, array, mut found) = (surface(module()), line(f), CUarray(0));
        ok(cuSurfRefSetArray(reference, array, 0));
        ok(cuSurfRefGetArray(&mut found, reference));
        holds(found == array)
    };
    "cuTexRefSetAddress_v2: linear memory" => SUCCESS, |f| {
        let (module, device, mut offset, mut found) = (module(), f.device(), 9, 0);
        let reference = texture(module);
        ok(cuMemsetD32_v2(device, 6, 3));
        ok(cuTexRefSetFormat(reference, U32, 1));
        ok(cuTexRefSetFlags(reference, 1));
        ok(cuTexRefSetAddress_v2(&mut offset, reference, device, 12));
        ok(cuTexRefGetAddress_v2(&mut found, reference));
        ok(cuSurfRefSetArray(surface(module), line(f), 0));
        holds(offset == 0 && found == device && run(f, module) == [6, 6, 6, 0])
    };
    "cuTexRefSetAddress_v2: misaligned, and no place for the offset" => ERROR_INVALID_VALUE, |f| {
        let reference = free();
        ok(cuTexRefSetFormat(reference, U32, 1));
        cuTexRefSetAddress_v2(null_mut(), reference, f.device() + 4, 12)
    };
    "cuTexRefSetAddress_v2: misaligned" => SUCCESS, |f| {
        let (reference, mut offset) = (free(), 0);
        ok(cuTexRefSetFormat(reference, U32, 1));
        ok(cuTexRefSetAddress_v2(&mut offset, reference, f.device() + 4, 12));
        holds(offset == 4)
    };
    "cuTexRefGetAddress_v2: nothing bound" => ERROR_INVALID_VALUE, |_| cuTexRefGetAddress_v2(&mut 0, free());
    "cuTexRefSetAddress2D_v2: memory with a pitch" => SUCCESS, |f| {
        let descriptor = CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: F32, channels: 1 };
        cuTexRefSetAddress2D_v2(free(), &descriptor, f.device(), 64)
    };
    "cuTexRefSetAddress2D_v3: memory with a pitch" => SUCCESS, |f| {
        let descriptor = CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: F32, channels: 1 };
        cuTexRefSetAddress2D_v3(free(), &descriptor, f.device(), 64)
    };
    "cuTexRefSetAddress2D_v3: misaligned" => ERROR_INVALID_VALUE, |f| {
        let descriptor = CUDA_ARRAY_DESCRIPTOR { width: 8, height: 4, format: F32, channels: 1 };
        cuTexRefSetAddress2D_v3(free(), &descriptor, f.device() + 4, 64)
    };
    "cuTexRefSetMipmappedArray: levels" => SUCCESS, |f| {
        with_mipmap(f, 3, |mipmap| {
            let (reference, mut found) = (free(), CUmipmappedArray(0));
            ok(cuTexRefSetFlags(reference, 2));
            ok(cuTexRefSetMipmappedArray(reference, mipmap, 1));
            ok(cuTexRefGetMipmappedArray(&mut found, reference));
            ok(cuTexRefDestroy(reference));
            holds(found == mipmap)
        })
    };
    "cuTexRefGetMipmappedArray: nothing bound" => ERROR_INVALID_VALUE, |_| cuTexRefGetMipmappedArray(&mut CUmipmappedArray(0), free());
    "cuTexRefSetFormat: read back" => SUCCESS, |_| {
        let (reference, mut format, mut channels) = (free(), 0, 0);
        ok(cuTexRefSetFormat(reference, U8, 4));
        ok(cuTexRefGetFormat(&mut format, &mut channels, reference));
        holds((format, channels) == (U8, 4))
    };
    "cuTexRefGetFormat: to null" => SUCCESS, |_| cuTexRefGetFormat(null_mut(), null_mut(), free());
    "cuTexRefSetFormat: three channels" => ERROR_INVALID_VALUE, |_| cuTexRefSetFormat(free(), U8, 3);
    "cuTexRefSetAddressMode: read back" => SUCCESS, |_| {
        let (reference, mut mode) = (free(), 9);
        ok(cuTexRefSetAddressMode(reference, 1, 2));
        ok(cuTexRefGetAddressMode(&mut mode, reference, 1));
        holds(mode == 2)
    };
    "cuTexRefSetAddressMode: of a fourth axis" => ERROR_INVALID_VALUE, |_| cuTexRefSetAddressMode(free(), 3, 0);
    "cuTexRefGetAddressMode: of a fourth axis" => ERROR_INVALID_VALUE, |_| cuTexRefGetAddressMode(&mut 0, free(), 3);
    "cuTexRefSetFilterMode: read back" => SUCCESS, |_| {
        let (reference, mut mode) = (free(), 9);
        ok(cuTexRefSetFilterMode(reference, 1));
        ok(cuTexRefGetFilterMode(&mut mode, reference));
        holds(mode == 1)
    };
    "cuTexRefGetFilterMode: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetFilterMode(null_mut(), free());
    "cuTexRefSetMipmapFilterMode: read back" => SUCCESS, |_| {
        let (reference, mut mode) = (free(), 9);
        ok(cuTexRefSetMipmapFilterMode(reference, 1));
        ok(cuTexRefGetMipmapFilterMode(&mut mode, reference));
        holds(mode == 1)
    };
    "cuTexRefGetMipmapFilterMode: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetMipmapFilterMode(null_mut(), free());
    "cuTexRefSetMipmapLevelBias: read back" => SUCCESS, |_| {
        let (reference, mut bias) = (free(), 9.0);
        ok(cuTexRefSetMipmapLevelBias(reference, 1.5));
        ok(cuTexRefGetMipmapLevelBias(&mut bias, reference));
        holds(bias == 1.5)
    };
    "cuTexRefGetMipmapLevelBias: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetMipmapLevelBias(null_mut(), free());
    "cuTexRefSetMipmapLevelClamp: read back" => SUCCESS, |_| {
        let (reference, mut least, mut most) = (free(), 9.0, 9.0);
        ok(cuTexRefSetMipmapLevelClamp(reference, 0.5, 2.5));
        ok(cuTexRefGetMipmapLevelClamp(&mut least, &mut most, reference));
        holds((least, most) == (0.5, 2.5))
    };
    "cuTexRefGetMipmapLevelClamp: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetMipmapLevelClamp(null_mut(), null_mut(), free());
    "cuTexRefSetMaxAnisotropy: read back" => SUCCESS, |_| {
        let (reference, mut most) = (free(), 9);
        ok(cuTexRefSetMaxAnisotropy(reference, 4));
        ok(cuTexRefGetMaxAnisotropy(&mut most, reference));
        holds(most == 4)
    };
    "cuTexRefGetMaxAnisotropy: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetMaxAnisotropy(null_mut(), free());
    "cuTexRefSetBorderColor: read back" => SUCCESS, |_| {
        let (reference, mut color) = (free(), [9.0f32; 4]);
        ok(cuTexRefSetBorderColor(reference, [0.0, 0.25, 0.5, 1.0].as_mut_ptr()));
        ok(cuTexRefGetBorderColor(color.as_mut_ptr(), reference));
        holds(color == [0.0, 0.25, 0.5, 1.0])
    };
    "cuTexRefSetBorderColor: of null" => ERROR_INVALID_VALUE, |_| cuTexRefSetBorderColor(free(), null_mut());
    "cuTexRefGetBorderColor: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetBorderColor(null_mut(), free());
    "cuTexRefSetFlags: read back" => SUCCESS, |_| {
        let (reference, mut flags) = (free(), 9);
        ok(cuTexRefSetFlags(reference, 3));
        ok(cuTexRefGetFlags(&mut flags, reference));
        holds(flags == 3)
    };
    "cuTexRefGetFlags: to null" => ERROR_INVALID_VALUE, |_| cuTexRefGetFlags(null_mut(), free());
    "cuTexRefCreate: to null" => ERROR_INVALID_VALUE, |_| cuTexRefCreate(null_mut());
    "cuTexRefDestroy: its own" => SUCCESS, |_| cuTexRefDestroy(free());
    "cuTexRefDestroy: null" => ERROR_INVALID_HANDLE, |_| cuTexRefDestroy(CUtexref(0));
    "cuParamSetTexRef: of a kernel" (sim: "an H200 refuses it, which has not been looked into") => SUCCESS, |_| {
        let (module, mut function) = (module(), CUfunction(0));
        ok(cuModuleGetFunction(&mut function, module, c("through_references")));
        cuParamSetTexRef(function, -1, texture(module))
    };
    "cuParamSetTexRef: to a unit" => ERROR_INVALID_VALUE, |_| {
        let (module, mut function) = (module(), CUfunction(0));
        ok(cuModuleGetFunction(&mut function, module, c("through_references")));
        cuParamSetTexRef(function, 0, texture(module))
    };
}
