//! Launches that complete, and launches that are refused.

use crate::fixture::{Fixture, c, holds, nothing, ok, param};
use crate::rows;
use lanewise_driver::abi::enums::function_attribute as attribute;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ptr::null_mut;

/// Launches `fill` over 100 words with 7 in blocks of 32, in the given way. Returns whether it
/// filled these words and no others.
fn fill(f: &Fixture, launch: impl FnOnce(CUfunction, &mut [*mut c_void]) -> CUresult) -> CUresult {
    let (mut out, mut n, mut value) = (f.device(), 100u32, 7u32);
    // SAFETY: the memory is large enough.
    ok(unsafe { cuMemsetD8_v2(out, 0, 4096) });
    let code = launch(
        f.function("fill"),
        &mut [param(&mut out), param(&mut n), param(&mut value)],
    );
    if code != CUresult::SUCCESS {
        return code;
    }
    // SAFETY: may be called at any time.
    ok(unsafe { cuCtxSynchronize() });
    holds(f.word(out) == 7 && f.word(out + 396) == 7 && f.word(out + 400) == 0)
}

/// A `CU_LAUNCH_PARAM_` name, which C passes as a pointer.
fn name(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

fn config(grid: u32, block: u32, attrs: &mut [CUlaunchAttribute]) -> CUlaunchConfig {
    CUlaunchConfig {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared_mem_bytes: 0,
        stream: CUstream(0),
        num_attrs: attrs.len() as u32,
        attrs: attrs.as_mut_ptr(),
    }
}

fn cluster(extent: u32) -> CUlaunchAttribute {
    let mut value = CUlaunchAttributeValue { bytes: [0; 64] };
    for (word, extent) in [extent, 1, 1].iter().enumerate() {
        value.bytes[4 * word..4 * word + 4].copy_from_slice(&extent.to_ne_bytes());
    }
    CUlaunchAttribute {
        id: 4,
        pad: [0; 4],
        value,
    }
}

/// Launches `nothing` with two parameters that the calls of CUDA 3 set.
fn legacy_fill(f: &Fixture, launch: impl FnOnce(CUfunction) -> CUresult) -> CUresult {
    fill(f, |function, params| {
        // SAFETY: the parameters are of these types; see `fill`.
        unsafe {
            ok(cuFuncSetBlockShape(function, 128, 1, 1));
            ok(cuParamSetv(function, 0, params[0], 8));
            ok(cuParamSeti(function, 8, params[1].cast::<u32>().read()));
            ok(cuParamSeti(function, 12, params[2].cast::<u32>().read()));
            ok(cuParamSetSize(function, 16));
        }
        launch(function)
    })
}

rows! {
    "cuLaunchKernel: a kernel without parameters" => SUCCESS, |f| {
        ok(f.launch_bare(f.function("nothing"), [1, 1, 1], [32, 1, 1], 0));
        cuCtxSynchronize()
    };
    "cuLaunchKernel: with parameters" => SUCCESS, |f| fill(f, |function, params| f.launch(function, 4, 32, 0, params));
    "cuLaunchKernel: with a buffer of parameters" => SUCCESS, |f| fill(f, |function, params| {
        let mut buffer = [0u8; 16];
        buffer[..8].copy_from_slice(&params[0].cast::<u64>().read().to_ne_bytes());
        buffer[8..12].copy_from_slice(&params[1].cast::<u32>().read().to_ne_bytes());
        buffer[12..].copy_from_slice(&params[2].cast::<u32>().read().to_ne_bytes());
        let mut size = 16usize;
        let mut extra = [name(1), buffer.as_mut_ptr().cast(), name(2), param(&mut size), null_mut()];
        cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, CUstream(0), null_mut(), extra.as_mut_ptr())
    });
    "cuLaunchKernel: module variables" => SUCCESS, |f| {
        let mut out = f.device();
        ok(f.launch(f.function("read_variables"), 1, 1, 0, &mut [param(&mut out)]));
        ok(cuCtxSynchronize());
        holds(f.word(out) == 10)
    };
    "cuLaunchKernel: a block of 1025 threads" => ERROR_INVALID_VALUE, |f| {
        f.launch_bare(f.function("nothing"), [1, 1, 1], [1025, 1, 1], 0)
    };
    "cuLaunchKernel: 32 x 33 threads" => ERROR_INVALID_VALUE, |f| {
        f.launch_bare(f.function("nothing"), [1, 1, 1], [32, 33, 1], 0)
    };
    "cuLaunchKernel: a block 65 deep" => ERROR_INVALID_VALUE, |f| f.launch_bare(f.function("nothing"), [1, 1, 1], [1, 1, 65], 0);
    "cuLaunchKernel: a block of no threads" => ERROR_INVALID_VALUE, |f| f.launch_bare(f.function("nothing"), [1, 1, 1], [0, 1, 1], 0);
    "cuLaunchKernel: a grid of no blocks" => ERROR_INVALID_VALUE, |f| f.launch_bare(f.function("nothing"), [0, 1, 1], [32, 1, 1], 0);
    "cuLaunchKernel: a grid 65536 high" => ERROR_INVALID_VALUE, |f| f.launch_bare(f.function("nothing"), [1, 65_536, 1], [32, 1, 1], 0);
    "cuLaunchKernel: more than its launch bounds" => ERROR_INVALID_VALUE, |f| {
        f.launch_bare(f.function("at_most_64"), [1, 1, 1], [65, 1, 1], 0)
    };
    "cuLaunchKernel: not its required block" => ERROR_INVALID_VALUE, |f| {
        f.launch_bare(f.function("exactly_32"), [1, 1, 1], [64, 1, 1], 0)
    };
    "cuLaunchKernel: its required block" => SUCCESS, |f| f.launch_bare(f.function("exactly_32"), [1, 1, 1], [32, 1, 1], 0);
    "cuLaunchKernel: 48 KiB of shared memory" => SUCCESS, |f| {
        let (mut out, mut bytes) = (f.device(), 48u32 << 10);
        ok(f.launch(f.function("use_dynamic"), 1, 1, bytes, &mut [param(&mut out), param(&mut bytes)]));
        ok(cuCtxSynchronize());
        holds(f.word(out) == 42)
    };
    "cuLaunchKernel: more without asking" => ERROR_INVALID_VALUE, |f| {
        let (mut out, mut bytes) = (f.device(), (48u32 << 10) + 16);
        f.launch(f.function("use_dynamic"), 1, 1, bytes, &mut [param(&mut out), param(&mut bytes)])
    };
    "cuLaunchKernel: more after asking" => SUCCESS, |f| {
        let (function, most) = (f.function("use_dynamic"), f.attribute(97));
        ok(cuFuncSetAttribute(function, attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
        let (mut out, mut bytes) = (f.device(), most as u32);
        ok(f.launch(function, 1, 1, bytes, &mut [param(&mut out), param(&mut bytes)]));
        ok(cuCtxSynchronize());
        holds(f.word(out) == 42)
    };
    "cuLaunchKernel: parameters in both ways" (sim: "documented; a GPU's driver takes one of them") => ERROR_INVALID_VALUE, |f| fill(f, |function, params| {
        let mut extra = [null_mut()];
        cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, CUstream(0), params.as_mut_ptr(), extra.as_mut_ptr())
    });
    "cuLaunchKernel: no parameters" (sim: "a GPU's driver looks through the null pointer") => ERROR_INVALID_VALUE, |f| {
        f.launch_bare(f.function("fill"), [1, 1, 1], [32, 1, 1], 0)
    };
    "cuLaunchKernel: no function" => ERROR_INVALID_HANDLE, |f| f.launch_bare(CUfunction(0), [1, 1, 1], [32, 1, 1], 0);
    "cuLaunchKernel: of an unloaded module" (sim: "a GPU's driver looks through the handle") => ERROR_INVALID_HANDLE, |f| {
        let (module, mut function) = (f.module(), CUfunction(0));
        ok(cuModuleGetFunction(&mut function, module, c("nothing")));
        ok(cuModuleUnload(module));
        f.launch_bare(function, [1, 1, 1], [32, 1, 1], 0)
    };
    "cuLaunchKernel: without a context" => ERROR_INVALID_CONTEXT, |f| {
        let function = f.function("nothing");
        ok(cuCtxPopCurrent_v2(null_mut()));
        f.launch_bare(function, [1, 1, 1], [32, 1, 1], 0)
    };
    "cuLaunchKernel: in a stream, without a context" => SUCCESS, |f| {
        let (function, stream) = (f.function("nothing"), f.stream());
        ok(cuCtxPopCurrent_v2(null_mut()));
        ok(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, null_mut(), null_mut()));
        cuStreamSynchronize(stream)
    };
    "cuLaunchKernelEx: without attributes" => SUCCESS, |f| fill(f, |function, params| {
        cuLaunchKernelEx(&config(4, 32, &mut []), function, params.as_mut_ptr(), null_mut())
    });
    "cuLaunchKernelEx: in clusters of two" => SUCCESS, |f| fill(f, |function, params| {
        cuLaunchKernelEx(&config(4, 32, &mut [cluster(2)]), function, params.as_mut_ptr(), null_mut())
    });
    "cuLaunchKernelEx: in clusters of nothing" => ERROR_INVALID_CLUSTER_SIZE, |f| fill(f, |function, params| {
        cuLaunchKernelEx(&config(4, 32, &mut [cluster(0)]), function, params.as_mut_ptr(), null_mut())
    });
    "cuLaunchKernelEx: in clusters of 32" => ERROR_INVALID_CLUSTER_SIZE, |f| fill(f, |function, params| {
        cuLaunchKernelEx(&config(32, 32, &mut [cluster(32)]), function, params.as_mut_ptr(), null_mut())
    });
    "cuLaunchKernelEx: null" => ERROR_INVALID_VALUE, |f| {
        cuLaunchKernelEx(nothing(), f.function("nothing"), null_mut(), null_mut())
    };
    "cuLaunchCooperativeKernel: that fits" => SUCCESS, |f| fill(f, |function, params| {
        cuLaunchCooperativeKernel(function, 4, 1, 1, 32, 1, 1, 0, CUstream(0), params.as_mut_ptr())
    });
    "cuLaunchCooperativeKernel: that does not fit" => ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, |f| fill(f, |function, params| {
        cuLaunchCooperativeKernel(function, 1 << 20, 1, 1, 32, 1, 1, 0, CUstream(0), params.as_mut_ptr())
    });
    "cuLaunchCooperativeKernelMultiDevice: on one" (sim: "CUDA 13 took it away") => SUCCESS, |f| fill(f, |function, params| {
        let mut launch = CUDA_LAUNCH_PARAMS {
            function, grid: [4, 1, 1], block: [32, 1, 1], shared_mem_bytes: 0, stream: CUstream(0),
            kernel_params: params.as_mut_ptr(),
        };
        cuLaunchCooperativeKernelMultiDevice(&mut launch, 1, 0)
    });
    "cuLaunch: one block" => SUCCESS, |f| legacy_fill(f, |function| cuLaunch(function));
    "cuLaunchGrid: two blocks" => SUCCESS, |f| legacy_fill(f, |function| cuLaunchGrid(function, 2, 1));
    "cuLaunchGridAsync: on the default stream" => SUCCESS, |f| {
        legacy_fill(f, |function| cuLaunchGridAsync(function, 2, 1, CUstream(0)))
    };
    "cuLaunch: without a block shape" (sim: "a GPU's driver launches a block of some shape") => ERROR_INVALID_VALUE, |f| cuLaunch(f.function("nothing"));
    "cuFuncSetBlockShape: below zero" => ERROR_INVALID_VALUE, |f| cuFuncSetBlockShape(f.function("nothing"), -1, 1, 1);
    "cuFuncSetSharedSize: some" => SUCCESS, |f| cuFuncSetSharedSize(f.function("nothing"), 64);
    "cuParamSetSize: some" => SUCCESS, |f| cuParamSetSize(f.function("fill"), 16);
    "cuParamSetSize: more than a kernel can have" => ERROR_INVALID_VALUE, |f| cuParamSetSize(f.function("fill"), 1 << 20);
    "cuParamSeti: a number" => SUCCESS, |f| cuParamSeti(f.function("fill"), 8, 1);
    "cuParamSetf: a number" => SUCCESS, |f| cuParamSetf(f.function("fill"), 8, 1.0);
    "cuParamSetv: some bytes" => SUCCESS, |f| cuParamSetv(f.function("fill"), 0, [0u8; 8].as_mut_ptr().cast(), 8);
}
