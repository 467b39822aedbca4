//! The rows of the table: CUDA's names, the driver's, the Rust forms, and the page.

use lanewise::{
    Device, DeviceBuffer, DeviceProperties, DeviceSymbol, DriverError, Event, EventOptions,
    ExecutableGraph, Graph, L2Window, LaunchConfig, ManagedBuffer, MemoryError, Module,
    PinnedBuffer, Pinning, PitchedBuffer, Stream, StreamOptions, occupancy,
};
use lanewise_std::atomic::{DeviceAtomicF32, DeviceAtomicU32};
use lanewise_std::barrier::Barrier;
use lanewise_std::groups::ClusterGroup;
use lanewise_std::scope::Block;
use lanewise_std::{
    ConstantMemory, DeviceGlobal, DynamicSharedArray, async_copy, cache, clock, cluster, fast,
    fence, groups, math, thread, warp,
};

/// Names of CUDA with one Rust form.
pub(crate) struct Row {
    /// CUDA's names, separated by commas.
    pub(crate) cuda: &'static str,
    /// The functions or constants of the driver API, likewise.
    pub(crate) driver: &'static str,
    /// Paths that the compiler has checked.
    pub(crate) rust: &'static [&'static str],
    /// What else there is to say, as Markdown.
    pub(crate) remark: &'static str,
    /// The page of the book that explains it.
    pub(crate) page: &'static str,
}

/// Takes a form, so that the compiler looks it up.
const fn exists<T: Copy>(_: &T) {}

/// Makes a row. Each form is compiled, so that it exists.
macro_rules! row {
    ($cuda:literal, $driver:literal, [$($form:expr),* $(,)?], $remark:literal, $page:literal) => {
        Row {
            cuda: $cuda,
            driver: $driver,
            rust: {
                $(exists(&$form);)*
                &[$(stringify!($form)),*]
            },
            remark: $remark,
            page: $page,
        }
    };
}

/// The sections of the page, each with its title.
pub(crate) static SECTIONS: &[(&str, &[Row])] = &[
    ("Device memory", DEVICE_MEMORY),
    ("Host memory and managed memory", HOST_MEMORY),
    ("Devices and limits", DEVICES),
    ("Errors", ERRORS),
    ("Streams", STREAMS),
    ("Events", EVENTS),
    ("Launches, attributes, graphs", LAUNCHES),
    ("Qualifiers and macros", QUALIFIERS),
    ("In kernels", KERNELS),
    ("Cooperative groups and `cuda::`", GROUPS),
    ("Compilers and their options", COMPILERS),
    ("Tools and metrics", TOOLS),
    ("Libraries and directives", LIBRARIES),
    ("Environment variables", VARIABLES),
];

static DEVICE_MEMORY: &[Row] = &[
    row!(
        "cudaMalloc",
        "cuMemAlloc",
        [
            DeviceBuffer::<f32>::zeroed,
            DeviceBuffer::<f32>::from_slice,
            DeviceBuffer::<f32>::uninit
        ],
        "",
        "memory/management.md"
    ),
    row!(
        "cudaFree",
        "cuMemFree",
        [],
        "the end of the buffer's scope",
        "memory/management.md"
    ),
    row!(
        "cudaMemcpy, cudaMemcpyKind, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost",
        "cuMemcpyHtoD, cuMemcpyDtoH",
        [
            DeviceBuffer::<f32>::copy_from_slice,
            DeviceBuffer::<f32>::copy_to_slice,
            DeviceBuffer::<f32>::to_vec
        ],
        "the types say the direction",
        "memory/transfers.md"
    ),
    row!(
        "cudaMemcpyDeviceToDevice",
        "cuMemcpyDtoDAsync",
        [],
        "`stream.copy(&from, &mut to)`",
        "memory/transfers.md"
    ),
    row!(
        "cudaMemcpyHostToHost",
        "",
        [],
        "Rust: `to.copy_from_slice(&from)`",
        ""
    ),
    row!(
        "cudaMemcpyAsync",
        "cuMemcpyHtoDAsync, cuMemcpyDtoHAsync",
        [],
        "`stream.copy_in(&pinned, &mut buffer)`, `stream.copy_out(&buffer, &mut pinned)`",
        "streams/overlap.md"
    ),
    row!(
        "cudaMemset",
        "cuMemsetD8, cuMemsetD32",
        [DeviceBuffer::<f32>::fill, DeviceBuffer::<f32>::fill_zero],
        "in stream order: `stream.fill(&mut buffer, value)`",
        "memory/management.md"
    ),
    row!(
        "cudaMallocPitch, cudaMemcpy2D",
        "cuMemAllocPitch, cuMemcpy2D",
        [
            PitchedBuffer::<f32>::from_matrix,
            PitchedBuffer::<f32>::to_vec,
            PitchedBuffer::<f32>::pitch
        ],
        "",
        "memory/pitched.md"
    ),
    row!(
        "cudaMalloc3D, cudaMemcpy3D, cudaExtent, make_cudaExtent, cudaPitchedPtr",
        "cuMemAllocPitch, cuMemcpy3D",
        [
            PitchedBuffer::<f32>::from_volume,
            PitchedBuffer::<f32>::size
        ],
        "",
        "memory/pitched.md"
    ),
    row!(
        "cudaMemcpyToSymbol, cudaMemcpyFromSymbol",
        "cuModuleGetGlobal, cuMemcpyHtoD, cuMemcpyDtoH",
        [DeviceSymbol::<f32>::write, DeviceSymbol::<f32>::read],
        "",
        "basics/device_globals.md"
    ),
    row!(
        "cudaGetSymbolAddress, cudaGetSymbolSize",
        "cuModuleGetGlobal",
        [DeviceSymbol::<f32>::address, DeviceSymbol::<f32>::size],
        "",
        "basics/device_globals.md"
    ),
];

static HOST_MEMORY: &[Row] = &[
    row!(
        "cudaMallocHost, cudaHostAlloc, cudaHostAllocDefault",
        "cuMemHostAlloc",
        [PinnedBuffer::<f32>::zeroed, Pinning::Cached],
        "",
        "memory/transfers.md"
    ),
    row!(
        "cudaHostAllocWriteCombined",
        "CU_MEMHOSTALLOC_WRITECOMBINED",
        [Pinning::WriteCombined],
        "",
        "memory/transfers.md"
    ),
    row!(
        "cudaHostAllocMapped, cudaHostGetDevicePointer",
        "CU_MEMHOSTALLOC_DEVICEMAP, cuMemHostGetDevicePointer",
        [PinnedBuffer::<f32>::mapped],
        "every pinned buffer is mapped",
        "hardware/unified_memory.md"
    ),
    row!(
        "cudaHostAllocPortable",
        "CU_MEMHOSTALLOC_PORTABLE",
        [],
        "none: with unified addresses every pinned buffer is portable",
        "hardware/unified_memory.md"
    ),
    row!(
        "cudaHostRegister",
        "cuMemHostRegister",
        [PinnedBuffer::<f32>::register],
        "",
        "memory/transfers.md"
    ),
    row!(
        "cudaSetDeviceFlags, cudaDeviceMapHost",
        "cuDevicePrimaryCtxSetFlags, CU_CTX_MAP_HOST",
        [],
        "none: with unified addresses mapping is always possible",
        "hardware/unified_memory.md"
    ),
    row!(
        "cudaMallocManaged",
        "cuMemAllocManaged",
        [
            ManagedBuffer::<f32>::zeroed,
            ManagedBuffer::<f32>::as_slice,
            ManagedBuffer::<f32>::prefetch,
            ManagedBuffer::<f32>::advise
        ],
        "",
        "hardware/unified_memory.md"
    ),
];

static DEVICES: &[Row] = &[
    row!(
        "cudaSetDevice, cudaInitDevice",
        "cuInit, cuDevicePrimaryCtxRetain, cuCtxSetCurrent",
        [Device::open, Device::at],
        "a buffer or stream knows its device",
        "hardware/contexts.md"
    ),
    row!(
        "cudaDeviceReset",
        "cuDevicePrimaryCtxReset",
        [],
        "none: the context lives until the process ends",
        "hardware/contexts.md"
    ),
    row!(
        "cudaDeviceSynchronize, cudaThreadSynchronize",
        "cuCtxSynchronize",
        [Device::synchronize],
        "the second name is CUDA's old one",
        "hardware/contexts.md"
    ),
    row!(
        "cudaGetDeviceProperties, cudaDeviceProp",
        "cuDeviceGetAttribute",
        [Device::properties, size_of::<DeviceProperties>],
        "",
        "basics/device_query.md"
    ),
    row!(
        "name, major",
        "cuDeviceGetName, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
        [
            |p: &DeviceProperties| p.name.len(),
            |p: &DeviceProperties| p.compute_capability
        ],
        "",
        "basics/device_query.md"
    ),
    row!(
        "maxThreadsPerBlock",
        "CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK",
        [|p: &DeviceProperties| p.max_threads_per_block],
        "",
        "hardware/launch.md"
    ),
    row!(
        "asyncEngineCount",
        "CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT",
        [|p: &DeviceProperties| p.async_engines],
        "",
        "streams/overlap.md"
    ),
    row!(
        "canMapHostMemory, integrated",
        "CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, CU_DEVICE_ATTRIBUTE_INTEGRATED",
        [
            |p: &DeviceProperties| p.can_map_host_memory,
            |p: &DeviceProperties| p.integrated
        ],
        "",
        "hardware/unified_memory.md"
    ),
    row!(
        "l2CacheSize",
        "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE",
        [|p: &DeviceProperties| p.l2_cache],
        "",
        "hardware/caches.md"
    ),
    row!(
        "persistingL2CacheMaxSize, accessPolicyMaxWindowSize",
        "CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE",
        [Device::max_persisting_l2, Device::max_l2_window],
        "",
        "memory/l2_window.md"
    ),
    row!(
        "cudaDeviceSetLimit, cudaDeviceGetLimit, cudaLimit, cudaLimitPersistingL2CacheSize",
        "cuCtxSetLimit, cuCtxGetLimit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE",
        [Device::set_aside_l2],
        "the limits of stack, heap and printf keep their defaults",
        "memory/l2_window.md"
    ),
    row!(
        "cudaCtxResetPersistingL2Cache",
        "cuCtxResetPersistingL2Cache",
        [Device::reset_persisting_l2],
        "",
        "memory/l2_window.md"
    ),
    row!(
        "cudaDeviceSetCacheConfig, cudaFuncSetCacheConfig, cudaFuncCache, cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual",
        "cuCtxSetCacheConfig, cuFuncSetCacheConfig",
        [],
        "none: the driver chooses the carve-out",
        "hardware/caches.md"
    ),
    row!(
        "cudaDeviceGetSharedMemConfig, cudaDeviceSetSharedMemConfig, cudaSharedMemConfig, cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte",
        "cuCtxGetSharedMemConfig, cuCtxSetSharedMemConfig",
        [],
        "none: since Maxwell all banks have 4 bytes",
        "shared/square_tile.md"
    ),
    row!(
        "cudaFuncSetAttribute, cudaFuncAttributeMaxDynamicSharedMemorySize",
        "cuFuncSetAttribute",
        [Module::set_max_dynamic_shared],
        "`device.set_max_dynamic_shared(kernel, bytes)`",
        "hardware/caches.md"
    ),
    row!(
        "cudaOccupancyMaxPotentialClusterSize",
        "cuOccupancyMaxPotentialClusterSize",
        [],
        "none; `device.max_active_clusters(kernel, config)` answers for one size of a cluster",
        "cluster/clusters.md"
    ),
];

static ERRORS: &[Row] = &[
    row!(
        "cudaError_t, cudaSuccess",
        "CUresult, CUDA_SUCCESS",
        [size_of::<Result<(), DriverError>>, DriverError::code],
        "",
        "basics/errors.md"
    ),
    row!(
        "cudaGetErrorString",
        "cuGetErrorString, cuGetErrorName",
        [DriverError::text, DriverError::name],
        "",
        "basics/errors.md"
    ),
    row!(
        "cudaGetLastError",
        "",
        [],
        "none: each call returns its own error",
        "basics/errors.md"
    ),
    row!(
        "CUDA_CHECK, cudaSafeCall, cutilSafeCall",
        "",
        [],
        "Rust: `?`",
        "basics/errors.md"
    ),
    row!(
        "cudaErrorMemoryAllocation",
        "CUDA_ERROR_OUT_OF_MEMORY",
        [size_of::<MemoryError>],
        "its variant `OutOfMemory`",
        "memory/management.md"
    ),
    row!(
        "cudaErrorInvalidDevicePointer",
        "CUDA_ERROR_INVALID_VALUE",
        [],
        "does not compile: a buffer cannot be freed twice",
        "memory/management.md"
    ),
    row!(
        "cudaErrorNotReady",
        "CUDA_ERROR_NOT_READY",
        [Stream::is_done, Event::is_done],
        "`false`, which is no error",
        "streams/host_overlap.md"
    ),
];

static STREAMS: &[Row] = &[
    row!(
        "cudaStream_t, cudaStreamCreate, cudaStreamDefault",
        "CUstream, cuStreamCreate, CU_STREAM_DEFAULT",
        [Device::stream, Stream::raw],
        "",
        "streams/scheduling.md"
    ),
    row!(
        "cudaStreamCreateWithFlags, cudaStreamNonBlocking",
        "cuStreamCreate, CU_STREAM_NON_BLOCKING",
        [Device::stream_with, StreamOptions::non_blocking],
        "",
        "streams/default_stream.md"
    ),
    row!(
        "cudaStreamCreateWithPriority, cudaDeviceGetStreamPriorityRange",
        "cuStreamCreateWithPriority, cuCtxGetStreamPriorityRange",
        [StreamOptions::priority, Device::stream_priorities],
        "",
        "streams/dependencies.md"
    ),
    row!(
        "cudaStreamDestroy",
        "cuStreamDestroy",
        [],
        "the end of the stream's scope",
        "streams/scheduling.md"
    ),
    row!(
        "cudaStreamSynchronize",
        "cuStreamSynchronize",
        [Stream::synchronize, Stream::finished],
        "",
        "streams/futures_and_pools.md"
    ),
    row!(
        "cudaStreamQuery",
        "cuStreamQuery",
        [Stream::is_done],
        "",
        "streams/host_overlap.md"
    ),
    row!(
        "cudaStreamWaitEvent",
        "cuStreamWaitEvent",
        [Stream::wait_event, Stream::wait_for],
        "",
        "streams/dependencies.md"
    ),
    row!(
        "cudaStreamAddCallback, cudaStreamCallback_t, CUDART_CB",
        "cuLaunchHostFunc",
        [],
        "`stream.call(\\|\\| ..)`",
        "streams/host_overlap.md"
    ),
];

static EVENTS: &[Row] = &[
    row!(
        "cudaEvent_t, cudaEventCreate, cudaEventDefault",
        "CUevent, cuEventCreate, CU_EVENT_DEFAULT",
        [Device::event, Event::raw],
        "",
        "streams/dependencies.md"
    ),
    row!(
        "cudaEventCreateWithFlags",
        "cuEventCreate",
        [Device::event_with, EventOptions::new],
        "",
        "streams/dependencies.md"
    ),
    row!(
        "cudaEventBlockingSync",
        "CU_EVENT_BLOCKING_SYNC",
        [EventOptions::blocking_wait],
        "the host sleeps until the event, where it else keeps asking",
        "streams/host_overlap.md"
    ),
    row!(
        "cudaEventDisableTiming",
        "CU_EVENT_DISABLE_TIMING",
        [EventOptions::without_time],
        "",
        "streams/dependencies.md"
    ),
    row!(
        "cudaEventInterprocess",
        "CU_EVENT_INTERPROCESS",
        [EventOptions::interprocess],
        "",
        "multi_gpu/processes.md"
    ),
    row!(
        "cudaEventRecord",
        "cuEventRecord",
        [Event::record, Stream::record],
        "",
        "streams/dependencies.md"
    ),
    row!(
        "cudaEventSynchronize",
        "cuEventSynchronize",
        [Event::synchronize],
        "",
        "hardware/contexts.md"
    ),
    row!(
        "cudaEventQuery",
        "cuEventQuery",
        [Event::is_done],
        "",
        "streams/host_overlap.md"
    ),
    row!(
        "cudaEventElapsedTime",
        "cuEventElapsedTime",
        [Event::since],
        "`Timer` measures a section",
        "basics/timing.md"
    ),
    row!(
        "cudaEventDestroy",
        "cuEventDestroy",
        [],
        "the end of the event's scope",
        "streams/dependencies.md"
    ),
];

static LAUNCHES: &[Row] = &[
    row!(
        "cudaLaunchKernelEx, cudaLaunchConfig_t",
        "cuLaunchKernelEx, CUlaunchConfig",
        [LaunchConfig::for_num_elems, LaunchConfig::cover_2d],
        "`stream.launch(kernel, config, arguments)`",
        "hardware/launch.md"
    ),
    row!(
        "dynamicSmemBytes",
        "sharedMemBytes",
        [LaunchConfig::with_dynamic_shared],
        "",
        "hardware/launch.md"
    ),
    row!(
        "cudaLaunchAttribute, attrs, numAttrs",
        "CUlaunchAttribute",
        [LaunchConfig::cooperatively],
        "methods of `LaunchConfig`, and attributes of the kernel",
        "hardware/launch.md"
    ),
    row!(
        "cudaLaunchAttributeClusterDimension, clusterDim",
        "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
        [],
        "`config.with_cluster((2, 1, 1))`",
        "cluster/clusters.md"
    ),
    row!(
        "cudaStreamSetAttribute, cudaStreamAttrValue, cudaStreamAttributeAccessPolicyWindow, accessPolicyWindow",
        "cuStreamSetAttribute, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW",
        [
            Stream::set_l2_window::<f32>,
            Stream::clear_l2_window,
            size_of::<L2Window>
        ],
        "",
        "memory/l2_window.md"
    ),
    row!(
        "base_ptr, num_bytes, hitRatio",
        "CUaccessPolicyWindow",
        [Stream::l2_window],
        "`L2Window`: `address`, `bytes`, `hit_ratio`",
        "memory/l2_window.md"
    ),
    row!(
        "hitProp, missProp, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming",
        "CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_STREAMING",
        [],
        "fixed: a window's hits persist, its misses stream",
        "memory/l2_window.md"
    ),
    row!(
        "cudaAccessPropertyNormal",
        "CU_ACCESS_PROPERTY_NORMAL",
        [],
        "none for a window; `reset_persisting_l2` makes all lines normal",
        "memory/l2_window.md"
    ),
    row!(
        "cudaGraphNode_t",
        "CUgraphNode",
        [size_of::<Graph>, ExecutableGraph::launch],
        "`device.build_graph(..)` has the nodes",
        "streams/graphs.md"
    ),
    row!(
        "cudaGraphKernelNodeSetAttribute, cudaKernelNodeAttrValue, cudaKernelNodeAttributeAccessPolicyWindow",
        "cuGraphKernelNodeSetAttribute",
        [],
        "none: windows are set on streams",
        "memory/l2_window.md"
    ),
];

static QUALIFIERS: &[Row] = &[
    row!("__global__", "", [], "`#[kernel] fn`", "basics/hello.md"),
    row!(
        "__device__, __host__",
        "",
        [size_of::<DeviceGlobal<f32>>],
        "a function needs no mark; a variable is `#[device] static`",
        "basics/device_globals.md"
    ),
    row!(
        "__constant__",
        "",
        [size_of::<ConstantMemory<f32>>],
        "`#[device] static`",
        "shared/stencil.md"
    ),
    row!(
        "__shared__",
        "",
        [DynamicSharedArray::<f32>::get],
        "`shared! { static TILE: [[f32; 33]; 32]; }`",
        "using/phases.md"
    ),
    row!(
        "__restrict__",
        "",
        [],
        "in the types: `&[T]`, `DisjointSlice<T>`",
        "memory/cache_operators.md"
    ),
    row!(
        "__align__, __alignof",
        "",
        [align_of::<f32>],
        "Rust: `#[repr(align(16))]`",
        "memory/aos_soa.md"
    ),
    row!(
        "__inline__",
        "",
        [],
        "Rust: `#[inline]`",
        "reference/names.md"
    ),
    row!(
        "__launch_bounds__",
        "",
        [],
        "`#[launch_bounds(256, 2)]`",
        "execution/occupancy.md"
    ),
    row!(
        "__cluster_dims__",
        "",
        [],
        "`#[cluster_launch(2, 1, 1)]`",
        "cluster/clusters.md"
    ),
    row!(
        "__CUDACC__",
        "",
        [],
        "Rust: `#[cfg(target_arch = \"nvptx64\")]`",
        "using/pipeline.md"
    ),
    row!(
        "__FILE__, __LINE__",
        "",
        [],
        "Rust: `file!()`, `line!()`; errors name their place by themselves",
        "basics/errors.md"
    ),
    row!(
        "volatile",
        "",
        [<*const f32>::read_volatile],
        "between threads an atomic",
        "shared/fences.md"
    ),
    row!(
        "#pragma unroll",
        "",
        [],
        "`unroll::unroll::<N>(..)`",
        "execution/reduce_unrolled.md"
    ),
];

static KERNELS: &[Row] = &[
    row!(
        "threadIdx, blockIdx, blockDim, gridDim",
        "",
        [
            thread::thread_idx_x,
            thread::block_idx_x,
            thread::block_dim_x,
            thread::grid_dim_x
        ],
        "also `_y`, `_z`",
        "basics/thread_index.md"
    ),
    row!(
        "dim3, uint3",
        "",
        [size_of::<lanewise::Dim3>],
        "a number, a pair or a triple: `LaunchConfig::new((8, 8), 256)`",
        "hardware/launch.md"
    ),
    row!(
        "warpSize",
        "",
        [warp::lane_id],
        "32: the lane and the width are constants of the library",
        "hardware/multiprocessor.md"
    ),
    row!(
        "__syncthreads",
        "",
        [thread::sync_threads],
        "",
        "shared/fences.md"
    ),
    row!(
        "__threadfence, __threadfence_block, __threadfence_system",
        "",
        [
            fence::threadfence,
            fence::threadfence_block,
            fence::threadfence_system
        ],
        "",
        "shared/fences.md"
    ),
    row!(
        "__shfl, __shfl_up, __shfl_down, __shfl_xor",
        "",
        [
            warp::shuffle_sync::<f32>,
            warp::shuffle_up_sync::<f32>,
            warp::shuffle_down_sync::<f32>,
            warp::shuffle_xor_sync::<f32>
        ],
        "with a mask, as in CUDA since Volta",
        "warp/shuffles.md"
    ),
    row!(
        "__ldg",
        "",
        [cache::ldg::<f32>],
        "a `&[T]` is read so by itself",
        "memory/cache_operators.md"
    ),
    row!(
        "__fdividef",
        "",
        [fast::div],
        "",
        "instruction/functions.md"
    ),
    row!(
        "__fmul, __fmul_rn, __dmul, __dsqrt_rn",
        "",
        [math::mul_rn::<f32>, math::sqrt_rn::<f32>],
        "for `f32` and `f64`",
        "instruction/fma.md"
    ),
    row!(
        "atomicAdd, atomicExch, atomicCAS",
        "",
        [
            DeviceAtomicU32::fetch_add,
            DeviceAtomicU32::swap,
            DeviceAtomicU32::compare_exchange,
            DeviceAtomicF32::fetch_add
        ],
        "",
        "instruction/atomics.md"
    ),
    row!(
        "printf",
        "",
        [],
        "`gpu_printf!(\"{}\\n\", i)`",
        "basics/hello.md"
    ),
    row!(
        "clock, clock_t",
        "",
        [clock::cycles, clock::cycles_32],
        "on the host: `std::time::Instant`",
        "basics/timing.md"
    ),
];

static GROUPS: &[Row] = &[
    row!(
        "cooperative_groups, cooperative_groups.h",
        "",
        [groups::this_thread_block],
        "",
        "warp/groups.md"
    ),
    row!(
        "cg::this_grid",
        "cuLaunchCooperativeKernel",
        [groups::this_grid],
        "in a kernel with `#[cooperative_launch]`",
        "warp/grid.md"
    ),
    row!(
        "cg::this_cluster, cg::cluster_group",
        "",
        [groups::this_cluster, size_of::<ClusterGroup>],
        "",
        "cluster/clusters.md"
    ),
    row!(
        "num_threads, num_blocks, block_rank, thread_rank",
        "",
        [
            cluster::num_threads,
            cluster::num_blocks,
            cluster::block_rank,
            cluster::thread_rank
        ],
        "",
        "cluster/clusters.md"
    ),
    row!(
        "dim_blocks, dim_threads",
        "",
        [cluster::dim_blocks],
        "the threads: `dim_blocks()` times `block_dim_x()`",
        "cluster/clusters.md"
    ),
    row!(
        "map_shared_rank",
        "",
        [cluster::map_shared_rank::<f32>],
        "",
        "cluster/cluster_histogram.md"
    ),
    row!(
        "sync",
        "",
        [cluster::sync_cluster],
        "a method of each group",
        "warp/groups.md"
    ),
    row!(
        "cuda::barrier",
        "",
        [size_of::<Barrier<Block>>],
        "",
        "shared/async_copy.md"
    ),
    row!(
        "cuda::pipeline",
        "",
        [],
        "`phased::SharedStages<T, N, STAGES>`, `pipeline::Pipeline<STAGES>`",
        "shared/async_copy.md"
    ),
    row!(
        "cuda::memcpy_async, cooperative_groups::memcpy_async",
        "",
        [async_copy::copy_async::<f32>],
        "",
        "shared/async_copy.md"
    ),
];

static COMPILERS: &[Row] = &[
    row!(
        "nvcc",
        "",
        [],
        "`cargo build`; `cargo xtask build-ptx` for PTX alone",
        "using/pipeline.md"
    ),
    row!(
        "-arch, -code",
        "",
        [],
        "`cargo xtask build-ptx --arch sm_90`; in a build script `PtxBuilder::arch`",
        "development/compilation.md"
    ),
    row!(
        "-rdc=true, -lcudadevrt",
        "cuLinkCreate",
        [],
        "the builder links; `#[kernel(launches)]` for dynamic parallelism",
        "execution/nested_hello.md"
    ),
    row!(
        "-Xptxas, -dlcm=ca, -dlcm=cg",
        "",
        [cache::load_ca::<f32>, cache::load_cg::<f32>],
        "for each load by itself",
        "memory/cache_operators.md"
    ),
    row!(
        "--fmad=false",
        "",
        [],
        "`--fmad off` for a build, `#[no_fma]` for a function",
        "instruction/fma.md"
    ),
    row!(
        "-use_fast_math",
        "",
        [],
        "`--fast-math` for a build, `#[fast_math]` for a function",
        "instruction/functions.md"
    ),
    row!(
        "-ptx, -keep",
        "",
        [],
        "`cargo xtask build-ptx` writes the PTX, `--emit` other outputs",
        "using/pipeline.md"
    ),
    row!(
        "-ptxas-options=-v",
        "CU_JIT_INFO_LOG_BUFFER",
        [occupancy::in_flight],
        "`cargo xtask check-ptx`; `Module::compile` returns the driver's log",
        "development/compilation.md"
    ),
    row!(
        "NVRTC",
        "",
        [],
        "none: kernels are compiled with the program; `Module::from_ptx` loads PTX at run time",
        "development/compilation.md"
    ),
    row!(
        "PTX, cubin",
        "cuModuleLoadDataEx",
        [Module::from_ptx],
        "",
        "development/compilation.md"
    ),
    row!(
        "ld.local, st.local",
        "",
        [],
        "`.local` in `cargo xtask inspect KERNEL`",
        "shared/local_memory.md"
    ),
    row!(
        "cuda_runtime.h, cuda_runtime_api.h, libcudart",
        "cuda.h, libcuda.so.1",
        [],
        "the crate `lanewise`, over the driver API",
        "using/getting_started.md"
    ),
];

static TOOLS: &[Row] = &[
    row!(
        "nvprof, nvvp, Nsight, ncu",
        "",
        [],
        "on a GPU Nsight Systems (`nsys`) and Nsight Compute (`ncu`); without one counters and traces",
        "hardware/profiling.md"
    ),
    row!(
        "achieved_occupancy, sm__warps_active.avg.pct_of_peak_sustained_active",
        "",
        [],
        "only on a GPU",
        "hardware/latency.md"
    ),
    row!(
        "branch_efficiency, smsp__sass_thread_inst_executed_op_control_pred_on.sum",
        "",
        [],
        "`cargo xtask profile`. The metric of `ncu` counts the lanes of control instructions, and is no efficiency",
        "development/heat.md"
    ),
    row!(
        "gld_efficiency, smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct, l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "",
        [],
        "`cargo xtask profile`",
        "development/heat.md"
    ),
    row!(
        "gld_throughput, gst_throughput, l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second, l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second",
        "",
        [],
        "only on a GPU",
        "hardware/profiling.md"
    ),
    row!(
        "inst_per_warp, smsp__average_inst_executed_per_warp",
        "",
        [],
        "`inst_executed` over the number of warps",
        "development/heat.md"
    ),
    row!(
        "shared_efficiency, smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
        "",
        [],
        "`cargo xtask profile`",
        "development/heat.md"
    ),
    row!(
        "deviceQuery",
        "",
        [],
        "`cargo xtask device`",
        "basics/device_query.md"
    ),
    row!(
        "bandwidthTest",
        "",
        [],
        "`cargo xtask run transfers`",
        "memory/transfers.md"
    ),
];

static LIBRARIES: &[Row] = &[
    row!(
        "cuBLAS, cuSPARSE, cuFFT, cuRAND",
        "",
        [],
        "none as bindings; `lanewise-algorithms` and kernels to read",
        "hardware/libraries.md"
    ),
    row!(
        "#pragma acc kernels",
        "",
        [],
        "none: a loop becomes a kernel by hand",
        "levels/gang_worker_vector.md"
    ),
    row!(
        "#pragma omp parallel, omp_set_num_threads, omp_get_thread_num",
        "",
        [],
        "Rust: `std::thread::scope`; devices and streams may be shared",
        "streams/scheduling.md"
    ),
    row!(
        "cutil_math.h",
        "",
        [],
        "`vector::Float4` and the others have operators",
        "memory/aos_soa.md"
    ),
];

static VARIABLES: &[Row] = &[
    row!(
        "CUDA_DEVICE_MAX_CONNECTIONS",
        "",
        [],
        "the same, on the simulator too",
        "streams/scheduling.md"
    ),
    row!(
        "CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT",
        "",
        [],
        "read by NVIDIA's MPS service",
        "memory/l2_window.md"
    ),
];
