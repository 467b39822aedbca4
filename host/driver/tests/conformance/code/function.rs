//! Functions: attributes, settings, occupancy.

use crate::fixture::{Fixture, c, holds, ok};
use crate::rows;
use lanewise_driver::abi::enums::function_attribute as attribute;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::CStr;
use std::ptr::null_mut;

fn attribute_of(function: CUfunction, which: u32) -> i32 {
    let mut value = -99;
    // SAFETY: a variable to write to.
    ok(unsafe { cuFuncGetAttribute(&mut value, which, function) });
    value
}

/// A launch configuration with blocks of 64 threads and clusters of two blocks.
fn clusters(attribute: &mut CUlaunchAttribute) -> CUlaunchConfig {
    attribute.id = 4;
    for (word, extent) in [2u32, 1, 1].iter().enumerate() {
        attribute.value.bytes[4 * word..4 * word + 4].copy_from_slice(&extent.to_ne_bytes());
    }
    CUlaunchConfig {
        grid: [2, 1, 1],
        block: [64, 1, 1],
        shared_mem_bytes: 0,
        stream: CUstream(0),
        attrs: attribute,
        num_attrs: 1,
    }
}

fn no_attribute() -> CUlaunchAttribute {
    CUlaunchAttribute {
        id: 0,
        pad: [0; 4],
        value: CUlaunchAttributeValue { bytes: [0; 64] },
    }
}

/// What a block may have after it asked: the device attribute.
fn most_shared(f: &Fixture) -> i32 {
    f.attribute(97)
}

rows! {
    "cuFuncGetAttribute: threads of an ordinary kernel" => SUCCESS, |f| {
        holds(attribute_of(f.function("fill"), attribute::MAX_THREADS_PER_BLOCK) == 1024)
    };
    "cuFuncGetAttribute: threads of a kernel with launch bounds" => SUCCESS, |f| {
        holds(attribute_of(f.function("at_most_64"), attribute::MAX_THREADS_PER_BLOCK) == 64)
    };
    "cuFuncGetAttribute: static shared memory" => SUCCESS, |f| {
        holds(attribute_of(f.function("fill"), attribute::SHARED_SIZE_BYTES) == 0)
    };
    "cuFuncGetAttribute: dynamic shared memory" => SUCCESS, |f| {
        holds(attribute_of(f.function("fill"), attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES) == 48 << 10)
    };
    "cuFuncGetAttribute: none" => ERROR_INVALID_VALUE, |f| cuFuncGetAttribute(&mut 0, 1000, f.function("fill"));
    "cuFuncGetAttribute: of no function" => ERROR_INVALID_HANDLE, |_| cuFuncGetAttribute(&mut 0, 0, CUfunction(0));
    "cuFuncSetAttribute: more shared memory" => SUCCESS, |f| {
        let function = f.function("use_dynamic");
        ok(cuFuncSetAttribute(function, attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, most_shared(f)));
        holds(attribute_of(function, attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES) == most_shared(f))
    };
    "cuFuncSetAttribute: too much shared memory" => ERROR_INVALID_VALUE, |f| {
        cuFuncSetAttribute(f.function("use_dynamic"), attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, most_shared(f) + 1)
    };
    "cuFuncSetAttribute: one that is fixed" => ERROR_INVALID_VALUE, |f| {
        cuFuncSetAttribute(f.function("fill"), attribute::NUM_REGS, 32)
    };
    "cuFuncSetAttribute: a carve-out" => SUCCESS, |f| {
        let function = f.function("fill");
        ok(cuFuncSetAttribute(function, attribute::PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
        holds(attribute_of(function, attribute::PREFERRED_SHARED_MEMORY_CARVEOUT) == 50)
    };
    "cuFuncSetAttribute: a carve-out above 100" => ERROR_INVALID_VALUE, |f| {
        cuFuncSetAttribute(f.function("fill"), attribute::PREFERRED_SHARED_MEMORY_CARVEOUT, 101)
    };
    "cuFuncSetCacheConfig: shared" => SUCCESS, |f| cuFuncSetCacheConfig(f.function("fill"), 1);
    "cuFuncSetCacheConfig: none" => ERROR_INVALID_VALUE, |f| cuFuncSetCacheConfig(f.function("fill"), 99);
    "cuFuncSetSharedMemConfig: eight bytes" => SUCCESS, |f| cuFuncSetSharedMemConfig(f.function("fill"), 2);
    "cuFuncSetSharedMemConfig: none" => ERROR_INVALID_VALUE, |f| cuFuncSetSharedMemConfig(f.function("fill"), 99);
    "cuFuncGetModule: of a function" => SUCCESS, |f| {
        let (module, mut found, mut function) = (f.module(), CUmodule(0), CUfunction(0));
        ok(cuModuleGetFunction(&mut function, module, c("fill")));
        ok(cuFuncGetModule(&mut found, function));
        holds(found == module)
    };
    "cuFuncGetName: of a function" => SUCCESS, |f| {
        let mut name = std::ptr::null();
        ok(cuFuncGetName(&mut name, f.function("fill")));
        holds(CStr::from_ptr(name) == c"fill")
    };
    "cuFuncGetParamInfo: of the second" => SUCCESS, |f| {
        let (mut offset, mut size) = (0, 0);
        ok(cuFuncGetParamInfo(f.function("fill"), 1, &mut offset, &mut size));
        holds((offset, size) == (8, 4))
    };
    "cuFuncGetParamInfo: of one that is not there" => ERROR_INVALID_VALUE, |f| {
        cuFuncGetParamInfo(f.function("fill"), 3, &mut 0, null_mut())
    };
    "cuFuncIsLoaded: of a function" => SUCCESS, |f| cuFuncIsLoaded(&mut 0, f.function("fill"));
    "cuFuncLoad: of a function" => SUCCESS, |f| cuFuncLoad(f.function("fill"));

    "cuOccupancyMaxActiveBlocksPerMultiprocessor: of whole blocks" => SUCCESS, |f| {
        let mut blocks = 0;
        ok(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, f.function("nothing"), 1024, 0));
        holds(blocks == f.attribute(39) / 1024)
    };
    "cuOccupancyMaxActiveBlocksPerMultiprocessor: without a context" => ERROR_INVALID_CONTEXT, |f| {
        let function = f.function("nothing");
        ok(cuCtxPopCurrent_v2(null_mut()));
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut 0, function, 32, 0)
    };
    "cuOccupancyMaxActiveBlocksPerMultiprocessor: of no threads" => ERROR_INVALID_VALUE, |f| {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut 0, f.function("nothing"), 0, 0)
    };
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: limited by shared memory" => SUCCESS, |f| {
        let mut blocks = 0;
        ok(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&mut blocks, f.function("nothing"), 32, 48 << 10, 0));
        holds(blocks == f.attribute(81) / ((48 << 10) + f.attribute(111)))
    };
    "cuOccupancyMaxPotentialBlockSize: of a small kernel" => SUCCESS, |f| {
        let (mut grid, mut block) = (0, 0);
        ok(cuOccupancyMaxPotentialBlockSize(&mut grid, &mut block, f.function("nothing"), None, 0, 0));
        holds(block == 1024 && grid == f.attribute(16) * f.attribute(39) / 1024)
    };
    "cuOccupancyMaxPotentialBlockSizeWithFlags: with a limit" => SUCCESS, |f| {
        let (mut grid, mut block) = (0, 0);
        ok(cuOccupancyMaxPotentialBlockSizeWithFlags(&mut grid, &mut block, f.function("nothing"), None, 0, 256, 0));
        holds(block <= 256 && block > 0)
    };
    "cuOccupancyAvailableDynamicSMemPerBlock: for one block" => SUCCESS, |f| {
        let mut bytes = 0;
        ok(cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, f.function("nothing"), 1, 1024));
        holds(bytes > 0 && bytes <= most_shared(f) as usize)
    };
    "cuOccupancyMaxPotentialClusterSize: of a small kernel" => SUCCESS, |f| {
        let (mut size, mut none) = (0, no_attribute());
        let config = CUlaunchConfig { num_attrs: 0, ..clusters(&mut none) };
        ok(cuOccupancyMaxPotentialClusterSize(&mut size, f.function("nothing"), &config));
        holds(size == 8)
    };
    "cuOccupancyMaxActiveClusters: of two blocks" => SUCCESS, |f| {
        let (mut count, mut attribute) = (0, no_attribute());
        ok(cuOccupancyMaxActiveClusters(&mut count, f.function("nothing"), &clusters(&mut attribute)));
        holds(count > 0)
    };
}
