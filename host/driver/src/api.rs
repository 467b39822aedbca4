//! The table of entry points, with one row for each call of the driver API.
//!
//! A row is `SINCE name(argument: type, ..) = function on the simulator`. Rows are in the order of
//! the CUDA 13.0 driver API reference, under the reference's section headings. `SINCE` is the CUDA
//! version that introduced the call (13000 is 13.0). A name may be followed by `| SINCE name_ptsz`:
//! the variant whose default stream is the thread's own.
//!
//! The function on the simulator is one of these:
//!
//! - A function of `calls`.
//! - `unsupported`, which returns `CUDA_ERROR_NOT_SUPPORTED` with a message.
//! - `narrow`, which does the same for the calls of CUDA 3.1 with addresses of 32 bits.
//!
//! The other columns follow, separated by commas. They are functions of `Columns`. A row generates
//! the exported symbols, the way to NVIDIA's driver, and lines in lists and pages; see `entry`.
//!
//! The calls are all that `cust_raw` 0.11 or `cuda.h` of CUDA 13.0 declares. These
//! include the old versions that `cuda.h` keeps for programs built before. Versions are
//! those in NVIDIA's `cudaTypedefs.h`.

use crate::abi::*;
use crate::calls;
use crate::entry::{self, entry_points};
use crate::entry_point::row::{CodeCall, Columns, DefaultStream, DeviceWork, StreamAt};
use crate::entry_point::{EntryPoint, PerThread, Slot, Table};
use crate::panics;
use crate::trace;
use std::sync::atomic::{AtomicPtr, Ordering};

entry_points! {
    "Error Handling" {
        6000 cuGetErrorString(error: CUresult, p_str: *mut *const c_char) = error::string, always;
        6000 cuGetErrorName(error: CUresult, p_str: *mut *const c_char) = error::name, always;
    }
    "Initialization" {
        2000 cuInit(flags: c_uint) = init::init, always;
    }
    "Version Management" {
        2020 cuDriverGetVersion(driver_version: *mut c_int) = init::version, always;
    }
    "Device Management" {
        2000 cuDeviceGet(device: *mut CUdevice, ordinal: c_int) = device::get;
        2000 cuDeviceGetCount(count: *mut c_int) = device::count;
        2000 cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice) = device::name;
        9020 cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice) = device::uuid;
        11040 cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) = device::uuid;
        10000 cuDeviceGetLuid(luid: *mut c_char, device_node_mask: *mut c_uint, dev: CUdevice) = unsupported;
        3020 cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) = device::total_memory;
        11010 cuDeviceGetTexture1DLinearMaxWidth(
            max_width_in_elements: *mut usize, format: c_uint, num_channels: c_uint, dev: CUdevice,
        ) = device::linear_texture_width;
        2000 cuDeviceGetAttribute(pi: *mut c_int, attrib: c_uint, dev: CUdevice) = device::attribute;
        13000 cuDeviceGetHostAtomicCapabilities(
            capabilities: *mut c_uint, operations: *const c_uint, count: c_uint, dev: CUdevice,
        ) = unsupported;
        10020 cuDeviceGetNvSciSyncAttributes(
            nv_sci_sync_attr_list: *mut c_void, dev: CUdevice, flags: c_int,
        ) = unsupported;
        11020 cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) = memory::pool::set;
        11020 cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) = memory::pool::current;
        11020 cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice) = memory::pool::default;
        11040 cuDeviceGetExecAffinitySupport(pi: *mut c_int, kind: c_uint, dev: CUdevice) = device::exec_affinity;
        11030 cuFlushGPUDirectRDMAWrites(target: c_uint, scope: c_uint) = unsupported;
    }
    "Device Management (deprecated)" {
        2000 cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice) = device::properties;
        2000 cuDeviceComputeCapability(
            major: *mut c_int, minor: *mut c_int, dev: CUdevice,
        ) = device::compute_capability;
    }
    "Primary Context Management" {
        7000 cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) = primary::retain;
        11000 cuDevicePrimaryCtxRelease_v2(dev: CUdevice) = primary::release, ends_events;
        11000 cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint) = primary::set_flags;
        7000 cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut c_uint, active: *mut c_int) = primary::state;
        11000 cuDevicePrimaryCtxReset_v2(dev: CUdevice) = primary::reset, ends_events;
    }
    "Context Management" {
        3020 cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) = context::create;
        11040 cuCtxCreate_v3(
            pctx: *mut CUcontext, params_array: *mut c_void, num_params: c_int, flags: c_uint, dev: CUdevice,
        ) = context::create_v3;
        12050 cuCtxCreate_v4(
            pctx: *mut CUcontext, ctx_create_params: *mut c_void, flags: c_uint, dev: CUdevice,
        ) = context::create_v4;
        4000 cuCtxDestroy_v2(ctx: CUcontext) = context::destroy, ends_events;
        4000 cuCtxPushCurrent_v2(ctx: CUcontext) = context::push;
        4000 cuCtxPopCurrent_v2(pctx: *mut CUcontext) = context::pop;
        4000 cuCtxSetCurrent(ctx: CUcontext) = context::set_current;
        4000 cuCtxGetCurrent(pctx: *mut CUcontext) = context::get_current;
        2000 cuCtxGetDevice(device: *mut CUdevice) = context::device;
        13000 cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext) = context::device_of;
        7000 cuCtxGetFlags(flags: *mut c_uint) = context::flags;
        12010 cuCtxSetFlags(flags: c_uint) = context::set_flags;
        12000 cuCtxGetId(ctx: CUcontext, ctx_id: *mut c_ulonglong) = context::id;
        2000 cuCtxSynchronize() = context::synchronize;
        13000 cuCtxSynchronize_v2(ctx: CUcontext) = context::synchronize_of;
        3010 cuCtxSetLimit(limit: c_uint, value: usize) = context::set_limit;
        3010 cuCtxGetLimit(pvalue: *mut usize, limit: c_uint) = context::limit;
        3020 cuCtxGetCacheConfig(pconfig: *mut c_uint) = context::cache_config;
        3020 cuCtxSetCacheConfig(config: c_uint) = context::set_cache_config;
        3020 cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint) = context::api_version;
        5050 cuCtxGetStreamPriorityRange(
            least_priority: *mut c_int, greatest_priority: *mut c_int,
        ) = context::priority_range;
        11000 cuCtxResetPersistingL2Cache() = context::reset_persisting_l2;
        11040 cuCtxGetExecAffinity(p_exec_affinity: *mut c_void, kind: c_uint) = unsupported;
        12050 cuCtxRecordEvent(h_ctx: CUcontext, h_event: CUevent) = context::record_event;
        12050 cuCtxWaitEvent(h_ctx: CUcontext, h_event: CUevent) = context::wait_event;
    }
    "Context Management (deprecated)" {
        2000 cuCtxAttach(pctx: *mut CUcontext, flags: c_uint) = context::attach;
        2000 cuCtxDetach(ctx: CUcontext) = context::detach;
        4020 cuCtxGetSharedMemConfig(p_config: *mut c_uint) = context::shared_config;
        4020 cuCtxSetSharedMemConfig(config: c_uint) = context::set_shared_config;
    }
    "Module Management" {
        2000 cuModuleLoad(module: *mut CUmodule, fname: *const c_char) = code::module::load, code(CodeCall::LoadsModule);
        2000 cuModuleLoadData(module: *mut CUmodule, image: *const c_void) = code::module::load_data, code(CodeCall::LoadsModule);
        2010 cuModuleLoadDataEx(
            module: *mut CUmodule, image: *const c_void, num_options: c_uint, options: *mut c_uint,
            option_values: *mut *mut c_void,
        ) = code::module::load_data_ex, code(CodeCall::LoadsModule);
        2000 cuModuleLoadFatBinary(module: *mut CUmodule, fat_cubin: *const c_void) = code::module::load_data, code(CodeCall::LoadsModule);
        2000 cuModuleUnload(hmod: CUmodule) = code::module::unload, code(CodeCall::UnloadsModule);
        11070 cuModuleGetLoadingMode(mode: *mut c_uint) = code::module::loading_mode;
        2000 cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char) = code::module::function;
        12040 cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule) = code::module::function_count;
        12040 cuModuleEnumerateFunctions(
            functions: *mut CUfunction, num_functions: c_uint, module: CUmodule,
        ) = code::module::functions;
        3020 cuModuleGetGlobal_v2(
            dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char,
        ) = code::module::global;
        6050 cuLinkCreate_v2(
            num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void, state_out: *mut CUlinkState,
        ) = code::link::create;
        6050 cuLinkAddData_v2(
            state: CUlinkState, kind: c_uint, data: *mut c_void, size: usize, name: *const c_char,
            num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void,
        ) = code::link::add_data;
        6050 cuLinkAddFile_v2(
            state: CUlinkState, kind: c_uint, path: *const c_char, num_options: c_uint, options: *mut c_uint,
            option_values: *mut *mut c_void,
        ) = code::link::add_file;
        5050 cuLinkComplete(state: CUlinkState, cubin_out: *mut *mut c_void, size_out: *mut usize) = code::link::complete;
        5050 cuLinkDestroy(state: CUlinkState) = code::link::destroy;
    }
    "Module Management (deprecated)" {
        2000 cuModuleGetTexRef(p_tex_ref: *mut CUtexref, hmod: CUmodule, name: *const c_char) = texture::reference::of_module;
        3000 cuModuleGetSurfRef(p_surf_ref: *mut CUsurfref, hmod: CUmodule, name: *const c_char) = texture::reference::surface_of_module;
    }
    "Library Management" {
        12000 cuLibraryLoadData(
            library: *mut CUlibrary, code: *const c_void, jit_options: *mut c_void,
            jit_options_values: *mut *mut c_void, num_jit_options: c_uint, library_options: *mut c_void,
            library_option_values: *mut *mut c_void, num_library_options: c_uint,
        ) = code::library::load_data, code(CodeCall::LoadsLibrary);
        12000 cuLibraryLoadFromFile(
            library: *mut CUlibrary, file_name: *const c_char, jit_options: *mut c_void,
            jit_options_values: *mut *mut c_void, num_jit_options: c_uint, library_options: *mut c_void,
            library_option_values: *mut *mut c_void, num_library_options: c_uint,
        ) = code::library::load_file, code(CodeCall::LoadsLibrary);
        12000 cuLibraryUnload(library: CUlibrary) = code::library::unload, code(CodeCall::UnloadsLibrary);
        12000 cuLibraryGetKernel(p_kernel: *mut CUkernel, library: CUlibrary, name: *const c_char) = code::library::kernel, code(CodeCall::UsesLibrary);
        12040 cuLibraryGetKernelCount(count: *mut c_uint, lib: CUlibrary) = code::library::kernel_count;
        12040 cuLibraryEnumerateKernels(kernels: *mut CUkernel, num_kernels: c_uint, lib: CUlibrary) = code::library::kernels;
        12000 cuLibraryGetModule(p_mod: *mut CUmodule, library: CUlibrary) = code::library::module, code(CodeCall::UsesLibrary);
        12000 cuKernelGetFunction(p_func: *mut CUfunction, kernel: CUkernel) = code::library::function;
        12050 cuKernelGetLibrary(p_lib: *mut CUlibrary, kernel: CUkernel) = code::library::library_of;
        12000 cuLibraryGetGlobal(
            dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char,
        ) = code::library::global;
        12000 cuLibraryGetManaged(
            dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char,
        ) = code::library::managed;
        12000 cuLibraryGetUnifiedFunction(
            fptr: *mut *mut c_void, library: CUlibrary, symbol: *const c_char,
        ) = code::library::unified_function;
        12000 cuKernelGetAttribute(pi: *mut c_int, attrib: c_uint, kernel: CUkernel, dev: CUdevice) = code::library::attribute;
        12000 cuKernelSetAttribute(attrib: c_uint, val: c_int, kernel: CUkernel, dev: CUdevice) = code::library::set_attribute;
        12000 cuKernelSetCacheConfig(kernel: CUkernel, config: c_uint, dev: CUdevice) = code::library::set_cache_config;
        12030 cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel) = code::library::kernel_name;
        12040 cuKernelGetParamInfo(
            kernel: CUkernel, param_index: usize, param_offset: *mut usize, param_size: *mut usize,
        ) = code::library::param_info;
    }
    "Memory Management" {
        3020 cuMemGetInfo_v2(free: *mut usize, total: *mut usize) = memory::info;
        3020 cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) = memory::allocate, unsafe_in_capture;
        3020 cuMemAllocPitch_v2(
            dptr: *mut CUdeviceptr, p_pitch: *mut usize, width_in_bytes: usize, height: usize,
            element_size_bytes: c_uint,
        ) = memory::allocate_pitched, unsafe_in_capture;
        3020 cuMemFree_v2(dptr: CUdeviceptr) = memory::free, unsafe_in_capture;
        3020 cuMemGetAddressRange_v2(
            pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr,
        ) = memory::address_range;
        3020 cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize) = memory::host::allocate, unsafe_in_capture;
        2000 cuMemFreeHost(p: *mut c_void) = memory::host::free, unsafe_in_capture;
        2020 cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, flags: c_uint) = memory::host::allocate_with, unsafe_in_capture;
        3020 cuMemHostGetDevicePointer_v2(
            pdptr: *mut CUdeviceptr, p: *mut c_void, flags: c_uint,
        ) = memory::host::device_pointer;
        2030 cuMemHostGetFlags(p_flags: *mut c_uint, p: *mut c_void) = memory::host::flags;
        6000 cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint) = memory::allocate_managed, unsafe_in_capture;
        12040 cuDeviceRegisterAsyncNotification(
            device: CUdevice, callback_func: *mut c_void, user_data: *mut c_void,
            callback: *mut CUasyncCallbackHandle,
        ) = unsupported;
        12040 cuDeviceUnregisterAsyncNotification(device: CUdevice, callback: CUasyncCallbackHandle) = unsupported;
        4010 cuDeviceGetByPCIBusId(dev: *mut CUdevice, pci_bus_id: *const c_char) = device::by_pci_address;
        4010 cuDeviceGetPCIBusId(pci_bus_id: *mut c_char, len: c_int, dev: CUdevice) = device::pci;
        4010 cuIpcGetEventHandle(p_handle: *mut CUipcEventHandle, event: CUevent) = memory::ipc::event;
        4010 cuIpcOpenEventHandle(ph_event: *mut CUevent, handle: CUipcEventHandle) = memory::ipc::open_event;
        4010 cuIpcGetMemHandle(p_handle: *mut CUipcMemHandle, dptr: CUdeviceptr) = memory::ipc::memory;
        11000 cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint) = memory::ipc::open_memory;
        4010 cuIpcCloseMemHandle(dptr: CUdeviceptr) = memory::ipc::close_memory;
        6050 cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, flags: c_uint) = memory::host::register, unsafe_in_capture;
        4000 cuMemHostUnregister(p: *mut c_void) = memory::host::unregister, unsafe_in_capture;
        4000 cuMemcpy | 7000 cuMemcpy_ptds(dst: CUdeviceptr, src: CUdeviceptr, byte_count: usize) = memory::copy::any, work(DeviceWork::Copy("copy", 2), StreamAt::Default);
        4000 cuMemcpyPeer | 7000 cuMemcpyPeer_ptds(
            dst_device: CUdeviceptr, dst_context: CUcontext, src_device: CUdeviceptr, src_context: CUcontext,
            byte_count: usize,
        ) = memory::copy::peer;
        3020 cuMemcpyHtoD_v2 | 7000 cuMemcpyHtoD_v2_ptds(dst_device: CUdeviceptr, src_host: *const c_void, byte_count: usize) = memory::copy::to_device, work(DeviceWork::Copy("copy to device", 2), StreamAt::Default);
        3020 cuMemcpyDtoH_v2 | 7000 cuMemcpyDtoH_v2_ptds(dst_host: *mut c_void, src_device: CUdeviceptr, byte_count: usize) = memory::copy::to_host, work(DeviceWork::Copy("copy to host", 2), StreamAt::Default);
        3020 cuMemcpyDtoD_v2 | 7000 cuMemcpyDtoD_v2_ptds(dst_device: CUdeviceptr, src_device: CUdeviceptr, byte_count: usize) = memory::copy::within_device, work(DeviceWork::Copy("copy within device", 2), StreamAt::Default);
        3020 cuMemcpyDtoA_v2 | 7000 cuMemcpyDtoA_v2_ptds(
            dst_array: CUarray, dst_offset: usize, src_device: CUdeviceptr, byte_count: usize,
        ) = memory::copy_array::from_device;
        3020 cuMemcpyAtoD_v2 | 7000 cuMemcpyAtoD_v2_ptds(
            dst_device: CUdeviceptr, src_array: CUarray, src_offset: usize, byte_count: usize,
        ) = memory::copy_array::to_device;
        3020 cuMemcpyHtoA_v2 | 7000 cuMemcpyHtoA_v2_ptds(
            dst_array: CUarray, dst_offset: usize, src_host: *const c_void, byte_count: usize,
        ) = memory::copy_array::from_host;
        3020 cuMemcpyAtoH_v2 | 7000 cuMemcpyAtoH_v2_ptds(
            dst_host: *mut c_void, src_array: CUarray, src_offset: usize, byte_count: usize,
        ) = memory::copy_array::to_host_now;
        3020 cuMemcpyAtoA_v2 | 7000 cuMemcpyAtoA_v2_ptds(
            dst_array: CUarray, dst_offset: usize, src_array: CUarray, src_offset: usize, byte_count: usize,
        ) = memory::copy_array::among;
        3020 cuMemcpy2D_v2 | 7000 cuMemcpy2D_v2_ptds(p_copy: *const CUDA_MEMCPY2D) = memory::copy_shaped::copy_2d;
        3020 cuMemcpy2DUnaligned_v2 | 7000 cuMemcpy2DUnaligned_v2_ptds(p_copy: *const CUDA_MEMCPY2D) = memory::copy_shaped::copy_2d;
        3020 cuMemcpy3D_v2 | 7000 cuMemcpy3D_v2_ptds(p_copy: *const CUDA_MEMCPY3D) = memory::copy_shaped::copy_3d;
        4000 cuMemcpy3DPeer | 7000 cuMemcpy3DPeer_ptds(p_copy: *const CUDA_MEMCPY3D) = memory::copy_shaped::copy_3d;
        4000 cuMemcpyAsync | 7000 cuMemcpyAsync_ptsz(dst: CUdeviceptr, src: CUdeviceptr, byte_count: usize, h_stream: CUstream) = memory::copy::any_async, work(DeviceWork::Copy("copy", 2), StreamAt::Argument(3));
        4000 cuMemcpyPeerAsync | 7000 cuMemcpyPeerAsync_ptsz(
            dst_device: CUdeviceptr, dst_context: CUcontext, src_device: CUdeviceptr, src_context: CUcontext,
            byte_count: usize, h_stream: CUstream,
        ) = memory::copy::peer_async;
        3020 cuMemcpyHtoDAsync_v2 | 7000 cuMemcpyHtoDAsync_v2_ptsz(
            dst_device: CUdeviceptr, src_host: *const c_void, byte_count: usize, h_stream: CUstream,
        ) = memory::copy::to_device_async, work(DeviceWork::Copy("copy to device", 2), StreamAt::Argument(3));
        3020 cuMemcpyDtoHAsync_v2 | 7000 cuMemcpyDtoHAsync_v2_ptsz(
            dst_host: *mut c_void, src_device: CUdeviceptr, byte_count: usize, h_stream: CUstream,
        ) = memory::copy::to_host_async, work(DeviceWork::Copy("copy to host", 2), StreamAt::Argument(3));
        3020 cuMemcpyDtoDAsync_v2 | 7000 cuMemcpyDtoDAsync_v2_ptsz(
            dst_device: CUdeviceptr, src_device: CUdeviceptr, byte_count: usize, h_stream: CUstream,
        ) = memory::copy::within_device_async, work(DeviceWork::Copy("copy within device", 2), StreamAt::Argument(3));
        3020 cuMemcpyHtoAAsync_v2 | 7000 cuMemcpyHtoAAsync_v2_ptsz(
            dst_array: CUarray, dst_offset: usize, src_host: *const c_void, byte_count: usize, h_stream: CUstream,
        ) = memory::copy_array::from_host_async;
        3020 cuMemcpyAtoHAsync_v2 | 7000 cuMemcpyAtoHAsync_v2_ptsz(
            dst_host: *mut c_void, src_array: CUarray, src_offset: usize, byte_count: usize, h_stream: CUstream,
        ) = memory::copy_array::to_host_async;
        3020 cuMemcpy2DAsync_v2 | 7000 cuMemcpy2DAsync_v2_ptsz(p_copy: *const CUDA_MEMCPY2D, h_stream: CUstream) = memory::copy_shaped::copy_2d_async;
        3020 cuMemcpy3DAsync_v2 | 7000 cuMemcpy3DAsync_v2_ptsz(p_copy: *const CUDA_MEMCPY3D, h_stream: CUstream) = memory::copy_shaped::copy_3d_async;
        4000 cuMemcpy3DPeerAsync | 7000 cuMemcpy3DPeerAsync_ptsz(p_copy: *const CUDA_MEMCPY3D, h_stream: CUstream) = memory::copy_shaped::copy_3d_async;
        13000 cuMemcpyBatchAsync_v2 | 13000 cuMemcpyBatchAsync_v2_ptsz(
            dsts: *mut CUdeviceptr, srcs: *mut CUdeviceptr, sizes: *mut usize, count: usize, attrs: *mut c_void,
            attrs_idxs: *mut usize, num_attrs: usize, h_stream: CUstream,
        ) = memory::copy::batch;
        13000 cuMemcpy3DBatchAsync_v2 | 13000 cuMemcpy3DBatchAsync_v2_ptsz(
            num_ops: usize, op_list: *mut c_void, flags: c_ulonglong, h_stream: CUstream,
        ) = unsupported;
        3020 cuMemsetD8_v2 | 7000 cuMemsetD8_v2_ptds(dst_device: CUdeviceptr, uc: c_uchar, n: usize) = memory::memset::line;
        3020 cuMemsetD16_v2 | 7000 cuMemsetD16_v2_ptds(dst_device: CUdeviceptr, us: c_ushort, n: usize) = memory::memset::line;
        3020 cuMemsetD32_v2 | 7000 cuMemsetD32_v2_ptds(dst_device: CUdeviceptr, ui: c_uint, n: usize) = memory::memset::line;
        3020 cuMemsetD2D8_v2 | 7000 cuMemsetD2D8_v2_ptds(
            dst_device: CUdeviceptr, dst_pitch: usize, uc: c_uchar, width: usize, height: usize,
        ) = memory::memset::rows;
        3020 cuMemsetD2D16_v2 | 7000 cuMemsetD2D16_v2_ptds(
            dst_device: CUdeviceptr, dst_pitch: usize, us: c_ushort, width: usize, height: usize,
        ) = memory::memset::rows;
        3020 cuMemsetD2D32_v2 | 7000 cuMemsetD2D32_v2_ptds(
            dst_device: CUdeviceptr, dst_pitch: usize, ui: c_uint, width: usize, height: usize,
        ) = memory::memset::rows;
        3020 cuMemsetD8Async | 7000 cuMemsetD8Async_ptsz(dst_device: CUdeviceptr, uc: c_uchar, n: usize, h_stream: CUstream) = memory::memset::line_async, work(DeviceWork::Set(2, 1), StreamAt::Argument(3));
        3020 cuMemsetD16Async | 7000 cuMemsetD16Async_ptsz(dst_device: CUdeviceptr, us: c_ushort, n: usize, h_stream: CUstream) = memory::memset::line_async, work(DeviceWork::Set(2, 2), StreamAt::Argument(3));
        3020 cuMemsetD32Async | 7000 cuMemsetD32Async_ptsz(dst_device: CUdeviceptr, ui: c_uint, n: usize, h_stream: CUstream) = memory::memset::line_async, work(DeviceWork::Set(2, 4), StreamAt::Argument(3));
        3020 cuMemsetD2D8Async | 7000 cuMemsetD2D8Async_ptsz(
            dst_device: CUdeviceptr, dst_pitch: usize, uc: c_uchar, width: usize, height: usize, h_stream: CUstream,
        ) = memory::memset::rows_async;
        3020 cuMemsetD2D16Async | 7000 cuMemsetD2D16Async_ptsz(
            dst_device: CUdeviceptr, dst_pitch: usize, us: c_ushort, width: usize, height: usize, h_stream: CUstream,
        ) = memory::memset::rows_async;
        3020 cuMemsetD2D32Async | 7000 cuMemsetD2D32Async_ptsz(
            dst_device: CUdeviceptr, dst_pitch: usize, ui: c_uint, width: usize, height: usize, h_stream: CUstream,
        ) = memory::memset::rows_async;
        3020 cuArrayCreate_v2(p_handle: *mut CUarray, p_allocate_array: *const CUDA_ARRAY_DESCRIPTOR) = memory::array::create, unsafe_in_capture;
        3020 cuArrayGetDescriptor_v2(p_array_descriptor: *mut CUDA_ARRAY_DESCRIPTOR, h_array: CUarray) = memory::array::descriptor;
        11010 cuArrayGetSparseProperties(sparse_properties: *mut c_void, array: CUarray) = memory::array::sparse;
        11010 cuMipmappedArrayGetSparseProperties(
            sparse_properties: *mut c_void, mipmap: CUmipmappedArray,
        ) = memory::array::mipmap_sparse;
        11060 cuArrayGetMemoryRequirements(
            memory_requirements: *mut c_void, array: CUarray, device: CUdevice,
        ) = memory::array::requirements;
        11060 cuMipmappedArrayGetMemoryRequirements(
            memory_requirements: *mut c_void, mipmap: CUmipmappedArray, device: CUdevice,
        ) = memory::array::mipmap_requirements;
        11020 cuArrayGetPlane(p_plane_array: *mut CUarray, h_array: CUarray, plane_idx: c_uint) = memory::array::plane;
        2000 cuArrayDestroy(h_array: CUarray) = memory::array::destroy, unsafe_in_capture;
        3020 cuArray3DCreate_v2(p_handle: *mut CUarray, p_allocate_array: *const CUDA_ARRAY3D_DESCRIPTOR) = memory::array::create_3d, unsafe_in_capture;
        3020 cuArray3DGetDescriptor_v2(p_array_descriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, h_array: CUarray) = memory::array::descriptor_3d;
        5000 cuMipmappedArrayCreate(
            p_handle: *mut CUmipmappedArray, p_mipmapped_array_desc: *const CUDA_ARRAY3D_DESCRIPTOR, num_mipmap_levels: c_uint,
        ) = memory::array::create_mipmap;
        5000 cuMipmappedArrayGetLevel(
            p_level_array: *mut CUarray, h_mipmapped_array: CUmipmappedArray, level: c_uint,
        ) = memory::array::level;
        5000 cuMipmappedArrayDestroy(h_mipmapped_array: CUmipmappedArray) = memory::array::destroy_mipmap;
        11070 cuMemGetHandleForAddressRange(
            handle: *mut c_void, dptr: CUdeviceptr, size: usize, handle_type: c_uint, flags: c_ulonglong,
        ) = unsupported;
        12060 cuMemBatchDecompressAsync | 12060 cuMemBatchDecompressAsync_ptsz(
            params_array: *mut c_void, count: usize, flags: c_uint, error_index: *mut usize, stream: CUstream,
        ) = unsupported;
    }
    "Virtual Memory Management" {
        10020 cuMemAddressReserve(
            ptr: *mut CUdeviceptr, size: usize, alignment: usize, addr: CUdeviceptr, flags: c_ulonglong,
        ) = memory::virtual_memory::reserve;
        10020 cuMemAddressFree(ptr: CUdeviceptr, size: usize) = memory::virtual_memory::unreserve;
        10020 cuMemCreate(
            handle: *mut CUmemGenericAllocationHandle, size: usize, prop: *const CUmemAllocationProp, flags: c_ulonglong,
        ) = memory::virtual_memory::create;
        10020 cuMemRelease(handle: CUmemGenericAllocationHandle) = memory::virtual_memory::release;
        10020 cuMemMap(
            ptr: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: c_ulonglong,
        ) = memory::virtual_memory::map;
        11010 cuMemMapArrayAsync | 11010 cuMemMapArrayAsync_ptsz(map_info_list: *mut c_void, count: c_uint, h_stream: CUstream) = unsupported;
        10020 cuMemUnmap(ptr: CUdeviceptr, size: usize) = memory::virtual_memory::unmap;
        10020 cuMemSetAccess(ptr: CUdeviceptr, size: usize, desc: *const CUmemAccessDesc, count: usize) = memory::virtual_memory::set_access;
        10020 cuMemGetAccess(flags: *mut c_ulonglong, location: *const CUmemLocation, ptr: CUdeviceptr) = memory::virtual_memory::access;
        10020 cuMemExportToShareableHandle(
            shareable_handle: *mut c_void, handle: CUmemGenericAllocationHandle, handle_type: c_uint,
            flags: c_ulonglong,
        ) = unsupported;
        10020 cuMemImportFromShareableHandle(
            handle: *mut CUmemGenericAllocationHandle, os_handle: *mut c_void, sh_handle_type: c_uint,
        ) = unsupported;
        10020 cuMemGetAllocationGranularity(granularity: *mut usize, prop: *const CUmemAllocationProp, option: c_uint) = memory::virtual_memory::granularity;
        10020 cuMemGetAllocationPropertiesFromHandle(
            prop: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle,
        ) = memory::virtual_memory::properties;
        11000 cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, addr: *mut c_void) = memory::virtual_memory::retain;
    }
    "Stream Ordered Memory Allocator" {
        11020 cuMemFreeAsync | 11020 cuMemFreeAsync_ptsz(dptr: CUdeviceptr, h_stream: CUstream) = memory::pool::free;
        11020 cuMemAllocAsync | 11020 cuMemAllocAsync_ptsz(dptr: *mut CUdeviceptr, bytesize: usize, h_stream: CUstream) = memory::pool::allocate;
        11020 cuMemPoolTrimTo(pool: CUmemoryPool, min_bytes_to_keep: usize) = memory::pool::trim;
        11020 cuMemPoolSetAttribute(pool: CUmemoryPool, attr: c_uint, value: *mut c_void) = memory::pool::set_attribute;
        11020 cuMemPoolGetAttribute(pool: CUmemoryPool, attr: c_uint, value: *mut c_void) = memory::pool::attribute;
        11020 cuMemPoolSetAccess(pool: CUmemoryPool, map: *const c_void, count: usize) = memory::pool::set_access;
        11020 cuMemPoolGetAccess(
            flags: *mut c_uint, mem_pool: CUmemoryPool, location: *mut CUmemLocation,
        ) = memory::pool::access;
        11020 cuMemPoolCreate(pool: *mut CUmemoryPool, pool_props: *const c_void) = memory::pool::create;
        11020 cuMemPoolDestroy(pool: CUmemoryPool) = memory::pool::destroy;
        13000 cuMemGetDefaultMemPool(
            pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, kind: c_uint,
        ) = unsupported;
        13000 cuMemGetMemPool(pool: *mut CUmemoryPool, location: *mut CUmemLocation, kind: c_uint) = unsupported;
        13000 cuMemSetMemPool(location: *mut CUmemLocation, kind: c_uint, pool: CUmemoryPool) = unsupported;
        11020 cuMemAllocFromPoolAsync | 11020 cuMemAllocFromPoolAsync_ptsz(
            dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, h_stream: CUstream,
        ) = memory::pool::allocate_from;
        11020 cuMemPoolExportToShareableHandle(
            handle_out: *mut c_void, pool: CUmemoryPool, handle_type: c_uint, flags: c_ulonglong,
        ) = unsupported;
        11020 cuMemPoolImportFromShareableHandle(
            pool_out: *mut CUmemoryPool, handle: *mut c_void, handle_type: c_uint, flags: c_ulonglong,
        ) = unsupported;
        11020 cuMemPoolExportPointer(share_data_out: *mut c_void, ptr: CUdeviceptr) = unsupported;
        11020 cuMemPoolImportPointer(
            ptr_out: *mut CUdeviceptr, pool: CUmemoryPool, share_data: *mut c_void,
        ) = unsupported;
    }
    "Multicast Object Management" {
        12010 cuMulticastCreate(mc_handle: *mut CUmemGenericAllocationHandle, prop: *const CUmulticastObjectProp) = memory::multicast::create;
        12010 cuMulticastAddDevice(mc_handle: CUmemGenericAllocationHandle, dev: CUdevice) = memory::multicast::add_device;
        12010 cuMulticastBindMem(
            mc_handle: CUmemGenericAllocationHandle, mc_offset: usize, mem_handle: CUmemGenericAllocationHandle,
            mem_offset: usize, size: usize, flags: c_ulonglong,
        ) = memory::multicast::bind_memory;
        12010 cuMulticastBindAddr(
            mc_handle: CUmemGenericAllocationHandle, mc_offset: usize, memptr: CUdeviceptr, size: usize,
            flags: c_ulonglong,
        ) = memory::multicast::bind_address;
        12010 cuMulticastUnbind(
            mc_handle: CUmemGenericAllocationHandle, dev: CUdevice, mc_offset: usize, size: usize,
        ) = memory::multicast::unbind;
        12010 cuMulticastGetGranularity(
            granularity: *mut usize, prop: *const CUmulticastObjectProp, option: c_uint,
        ) = memory::multicast::granularity;
    }
    "Unified Addressing" {
        4000 cuPointerGetAttribute(data: *mut c_void, attribute: c_uint, ptr: CUdeviceptr) = memory::pointer::attribute;
        8000 cuMemPrefetchAsync | 8000 cuMemPrefetchAsync_ptsz(
            dev_ptr: CUdeviceptr, count: usize, dst_device: CUdevice, h_stream: CUstream,
        ) = memory::pointer::prefetch;
        12020 cuMemPrefetchAsync_v2 | 12020 cuMemPrefetchAsync_v2_ptsz(
            dev_ptr: CUdeviceptr, count: usize, location: CUmemLocation, flags: c_uint, h_stream: CUstream,
        ) = memory::pointer::prefetch_v2;
        8000 cuMemAdvise(dev_ptr: CUdeviceptr, count: usize, advice: c_uint, device: CUdevice) = memory::pointer::advise;
        12020 cuMemAdvise_v2(
            dev_ptr: CUdeviceptr, count: usize, advice: c_uint, location: CUmemLocation,
        ) = memory::pointer::advise_v2;
        13000 cuMemPrefetchBatchAsync | 13000 cuMemPrefetchBatchAsync_ptsz(
            dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetch_locs: *mut CUmemLocation,
            prefetch_loc_idxs: *mut usize, num_prefetch_locs: usize, flags: c_ulonglong, h_stream: CUstream,
        ) = unsupported;
        13000 cuMemDiscardBatchAsync | 13000 cuMemDiscardBatchAsync_ptsz(
            dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: c_ulonglong, h_stream: CUstream,
        ) = unsupported;
        13000 cuMemDiscardAndPrefetchBatchAsync | 13000 cuMemDiscardAndPrefetchBatchAsync_ptsz(
            dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetch_locs: *mut CUmemLocation,
            prefetch_loc_idxs: *mut usize, num_prefetch_locs: usize, flags: c_ulonglong, h_stream: CUstream,
        ) = unsupported;
        8000 cuMemRangeGetAttribute(
            data: *mut c_void, data_size: usize, attribute: c_uint, dev_ptr: CUdeviceptr, count: usize,
        ) = memory::range_attribute::attribute;
        8000 cuMemRangeGetAttributes(
            data: *mut *mut c_void, data_sizes: *mut usize, attributes: *mut c_uint, num_attributes: usize,
            dev_ptr: CUdeviceptr, count: usize,
        ) = memory::range_attribute::attributes;
        6000 cuPointerSetAttribute(value: *const c_void, attribute: c_uint, ptr: CUdeviceptr) = memory::pointer::set_attribute;
        7000 cuPointerGetAttributes(
            num_attributes: c_uint, attributes: *mut c_uint, data: *mut *mut c_void, ptr: CUdeviceptr,
        ) = memory::pointer::attributes;
    }
    "Stream Management" {
        2000 cuStreamCreate(ph_stream: *mut CUstream, flags: c_uint) = stream::create;
        5050 cuStreamCreateWithPriority(
            ph_stream: *mut CUstream, flags: c_uint, priority: c_int,
        ) = stream::create_with_priority;
        5050 cuStreamGetPriority | 7000 cuStreamGetPriority_ptsz(h_stream: CUstream, priority: *mut c_int) = stream::priority;
        12080 cuStreamGetDevice | 12080 cuStreamGetDevice_ptsz(h_stream: CUstream, device: *mut CUdevice) = stream::device;
        5050 cuStreamGetFlags | 7000 cuStreamGetFlags_ptsz(h_stream: CUstream, flags: *mut c_uint) = stream::flags;
        12000 cuStreamGetId | 12000 cuStreamGetId_ptsz(h_stream: CUstream, stream_id: *mut c_ulonglong) = stream::id;
        9020 cuStreamGetCtx | 9020 cuStreamGetCtx_ptsz(h_stream: CUstream, pctx: *mut CUcontext) = stream::context;
        12050 cuStreamGetCtx_v2 | 12050 cuStreamGetCtx_v2_ptsz(h_stream: CUstream, p_ctx: *mut CUcontext, p_green_ctx: *mut CUgreenCtx) = unsupported;
        3020 cuStreamWaitEvent | 7000 cuStreamWaitEvent_ptsz(h_stream: CUstream, h_event: CUevent, flags: c_uint) = stream::wait_event;
        5000 cuStreamAddCallback | 7000 cuStreamAddCallback_ptsz(
            h_stream: CUstream, callback: CUstreamCallback, user_data: *mut c_void, flags: c_uint,
        ) = stream::add_callback;
        10010 cuStreamBeginCapture_v2 | 10010 cuStreamBeginCapture_v2_ptsz(h_stream: CUstream, mode: c_uint) = graph::capture::begin;
        12030 cuStreamBeginCaptureToGraph | 12030 cuStreamBeginCaptureToGraph_ptsz(
            h_stream: CUstream, h_graph: CUgraph, dependencies: *const CUgraphNode, dependency_data: *const c_void,
            num_dependencies: usize, mode: c_uint,
        ) = graph::capture::begin_to_graph;
        10010 cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) = graph::capture::exchange_mode;
        10000 cuStreamEndCapture | 10000 cuStreamEndCapture_ptsz(h_stream: CUstream, ph_graph: *mut CUgraph) = graph::capture::end;
        10000 cuStreamIsCapturing | 10000 cuStreamIsCapturing_ptsz(h_stream: CUstream, capture_status: *mut c_uint) = graph::capture::is_capturing;
        10010 cuStreamGetCaptureInfo | 10010 cuStreamGetCaptureInfo_ptsz(
            h_stream: CUstream, capture_status_out: *mut c_uint, id_out: *mut u64,
        ) = graph::capture::info;
        11030 cuStreamGetCaptureInfo_v2 | 11030 cuStreamGetCaptureInfo_v2_ptsz(
            h_stream: CUstream, capture_status_out: *mut c_uint, id_out: *mut u64, graph_out: *mut CUgraph,
            dependencies_out: *mut *const CUgraphNode, num_dependencies_out: *mut usize,
        ) = graph::capture::info_v2;
        12030 cuStreamGetCaptureInfo_v3 | 12030 cuStreamGetCaptureInfo_v3_ptsz(
            h_stream: CUstream, capture_status_out: *mut c_uint, id_out: *mut u64, graph_out: *mut CUgraph,
            dependencies_out: *mut *const CUgraphNode, edge_data_out: *mut *const c_void,
            num_dependencies_out: *mut usize,
        ) = graph::capture::info_v3;
        11030 cuStreamUpdateCaptureDependencies | 11030 cuStreamUpdateCaptureDependencies_ptsz(
            h_stream: CUstream, dependencies: *mut CUgraphNode, num_dependencies: usize, flags: c_uint,
        ) = graph::capture::update_dependencies;
        12030 cuStreamUpdateCaptureDependencies_v2 | 12030 cuStreamUpdateCaptureDependencies_v2_ptsz(
            h_stream: CUstream, dependencies: *mut CUgraphNode, dependency_data: *const c_void,
            num_dependencies: usize, flags: c_uint,
        ) = graph::capture::update_dependencies_v2;
        6000 cuStreamAttachMemAsync | 7000 cuStreamAttachMemAsync_ptsz(
            h_stream: CUstream, dptr: CUdeviceptr, length: usize, flags: c_uint,
        ) = memory::pointer::attach;
        2000 cuStreamQuery | 7000 cuStreamQuery_ptsz(h_stream: CUstream) = stream::query;
        2000 cuStreamSynchronize | 7000 cuStreamSynchronize_ptsz(h_stream: CUstream) = stream::synchronize;
        4000 cuStreamDestroy_v2(h_stream: CUstream) = stream::destroy;
        11000 cuStreamCopyAttributes | 11000 cuStreamCopyAttributes_ptsz(dst: CUstream, src: CUstream) = stream::attribute::copy;
        11000 cuStreamGetAttribute | 11000 cuStreamGetAttribute_ptsz(
            h_stream: CUstream, attr: c_uint, value_out: *mut CUlaunchAttributeValue,
        ) = stream::attribute::get;
        11000 cuStreamSetAttribute | 11000 cuStreamSetAttribute_ptsz(
            h_stream: CUstream, attr: c_uint, value: *const CUlaunchAttributeValue,
        ) = stream::attribute::set;
    }
    "Event Management" {
        2000 cuEventCreate(ph_event: *mut CUevent, flags: c_uint) = stream::event::create;
        2000 cuEventRecord | 7000 cuEventRecord_ptsz(h_event: CUevent, h_stream: CUstream) = stream::event::record;
        11010 cuEventRecordWithFlags | 11010 cuEventRecordWithFlags_ptsz(h_event: CUevent, h_stream: CUstream, flags: c_uint) = stream::event::record_with;
        2000 cuEventQuery(h_event: CUevent) = stream::event::query;
        2000 cuEventSynchronize(h_event: CUevent) = stream::event::synchronize;
        4000 cuEventDestroy_v2(h_event: CUevent) = stream::event::destroy;
        2000 cuEventElapsedTime(p_milliseconds: *mut f32, h_start: CUevent, h_end: CUevent) = stream::event::elapsed;
        12080 cuEventElapsedTime_v2(p_milliseconds: *mut f32, h_start: CUevent, h_end: CUevent) = stream::event::elapsed;
    }
    "External Resource Interoperability" {
        10000 cuImportExternalMemory(ext_mem_out: *mut CUexternalMemory, mem_handle_desc: *const c_void) = unsupported;
        10000 cuExternalMemoryGetMappedBuffer(
            dev_ptr: *mut CUdeviceptr, ext_mem: CUexternalMemory, buffer_desc: *const c_void,
        ) = unsupported;
        10000 cuExternalMemoryGetMappedMipmappedArray(
            mipmap: *mut CUmipmappedArray, ext_mem: CUexternalMemory, mipmap_desc: *const c_void,
        ) = unsupported;
        10000 cuDestroyExternalMemory(ext_mem: CUexternalMemory) = unsupported;
        10000 cuImportExternalSemaphore(
            ext_sem_out: *mut CUexternalSemaphore, sem_handle_desc: *const c_void,
        ) = unsupported;
        10000 cuSignalExternalSemaphoresAsync | 10000 cuSignalExternalSemaphoresAsync_ptsz(
            ext_sem_array: *const CUexternalSemaphore, params_array: *const c_void, num_ext_sems: c_uint,
            stream: CUstream,
        ) = unsupported;
        10000 cuWaitExternalSemaphoresAsync | 10000 cuWaitExternalSemaphoresAsync_ptsz(
            ext_sem_array: *const CUexternalSemaphore, params_array: *const c_void, num_ext_sems: c_uint,
            stream: CUstream,
        ) = unsupported;
        10000 cuDestroyExternalSemaphore(ext_sem: CUexternalSemaphore) = unsupported;
    }
    "Stream Memory Operations" {
        8000 cuStreamWaitValue32 | 8000 cuStreamWaitValue32_ptsz(stream: CUstream, addr: CUdeviceptr, value: u32, flags: c_uint) = stream::memory::wait_32;
        11070 cuStreamWaitValue32_v2 | 11070 cuStreamWaitValue32_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: u32, flags: c_uint) = stream::memory::wait_32;
        9000 cuStreamWaitValue64 | 9000 cuStreamWaitValue64_ptsz(stream: CUstream, addr: CUdeviceptr, value: u64, flags: c_uint) = stream::memory::wait_64;
        11070 cuStreamWaitValue64_v2 | 11070 cuStreamWaitValue64_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: u64, flags: c_uint) = stream::memory::wait_64;
        8000 cuStreamWriteValue32 | 8000 cuStreamWriteValue32_ptsz(stream: CUstream, addr: CUdeviceptr, value: u32, flags: c_uint) = stream::memory::write_32;
        11070 cuStreamWriteValue32_v2 | 11070 cuStreamWriteValue32_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: u32, flags: c_uint) = stream::memory::write_32;
        9000 cuStreamWriteValue64 | 9000 cuStreamWriteValue64_ptsz(stream: CUstream, addr: CUdeviceptr, value: u64, flags: c_uint) = stream::memory::write_64;
        11070 cuStreamWriteValue64_v2 | 11070 cuStreamWriteValue64_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: u64, flags: c_uint) = stream::memory::write_64;
        8000 cuStreamBatchMemOp | 8000 cuStreamBatchMemOp_ptsz(stream: CUstream, count: c_uint, param_array: *mut c_void, flags: c_uint) = stream::memory::batch;
        11070 cuStreamBatchMemOp_v2 | 11070 cuStreamBatchMemOp_v2_ptsz(
            stream: CUstream, count: c_uint, param_array: *mut c_void, flags: c_uint,
        ) = stream::memory::batch;
    }
    "Execution Control" {
        2020 cuFuncGetAttribute(pi: *mut c_int, attrib: c_uint, hfunc: CUfunction) = code::function::attribute;
        9000 cuFuncSetAttribute(hfunc: CUfunction, attrib: c_uint, value: c_int) = code::function::set_attribute;
        3000 cuFuncSetCacheConfig(hfunc: CUfunction, config: c_uint) = code::function::set_cache_config;
        11000 cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction) = code::function::module;
        12030 cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction) = code::function::name;
        12040 cuFuncGetParamInfo(
            func: CUfunction, param_index: usize, param_offset: *mut usize, param_size: *mut usize,
        ) = code::function::param_info;
        12040 cuFuncIsLoaded(state: *mut c_uint, function: CUfunction) = code::function::is_loaded;
        12040 cuFuncLoad(function: CUfunction) = code::function::load;
        4000 cuLaunchKernel | 7000 cuLaunchKernel_ptsz(
            f: CUfunction, grid_dim_x: c_uint, grid_dim_y: c_uint, grid_dim_z: c_uint, block_dim_x: c_uint,
            block_dim_y: c_uint, block_dim_z: c_uint, shared_mem_bytes: c_uint, h_stream: CUstream,
            kernel_params: *mut *mut c_void, extra: *mut *mut c_void,
        ) = code::launch::kernel, work(DeviceWork::Kernel, StreamAt::Argument(8));
        11060 cuLaunchKernelEx | 11060 cuLaunchKernelEx_ptsz(
            config: *const CUlaunchConfig, f: CUfunction, kernel_params: *mut *mut c_void, extra: *mut *mut c_void,
        ) = code::launch::with_attributes, work(DeviceWork::Kernel, StreamAt::Config);
        9000 cuLaunchCooperativeKernel | 9000 cuLaunchCooperativeKernel_ptsz(
            f: CUfunction, grid_dim_x: c_uint, grid_dim_y: c_uint, grid_dim_z: c_uint, block_dim_x: c_uint,
            block_dim_y: c_uint, block_dim_z: c_uint, shared_mem_bytes: c_uint, h_stream: CUstream,
            kernel_params: *mut *mut c_void,
        ) = code::launch::cooperative, work(DeviceWork::Kernel, StreamAt::Argument(8));
        9000 cuLaunchCooperativeKernelMultiDevice(
            launch_params_list: *mut CUDA_LAUNCH_PARAMS, num_devices: c_uint, flags: c_uint,
        ) = code::launch::cooperative_on_several;
        10000 cuLaunchHostFunc | 10000 cuLaunchHostFunc_ptsz(h_stream: CUstream, fn_: CUhostFn, user_data: *mut c_void) = stream::host_function;
    }
    "Execution Control (deprecated)" {
        2000 cuFuncSetBlockShape(hfunc: CUfunction, x: c_int, y: c_int, z: c_int) = code::launch_legacy::set_block;
        2000 cuFuncSetSharedSize(hfunc: CUfunction, bytes: c_uint) = code::launch_legacy::set_shared;
        2000 cuParamSetSize(hfunc: CUfunction, numbytes: c_uint) = code::launch_legacy::set_param_size;
        2000 cuParamSeti(hfunc: CUfunction, offset: c_int, value: c_uint) = code::launch_legacy::set_param_u32;
        2000 cuParamSetf(hfunc: CUfunction, offset: c_int, value: f32) = code::launch_legacy::set_param_f32;
        2000 cuParamSetv(
            hfunc: CUfunction, offset: c_int, ptr: *mut c_void, numbytes: c_uint,
        ) = code::launch_legacy::set_param_bytes;
        2000 cuLaunch(f: CUfunction) = code::launch_legacy::launch;
        2000 cuLaunchGrid(f: CUfunction, grid_width: c_int, grid_height: c_int) = code::launch_legacy::launch_grid;
        2000 cuLaunchGridAsync(
            f: CUfunction, grid_width: c_int, grid_height: c_int, h_stream: CUstream,
        ) = code::launch_legacy::launch_grid_async;
        2000 cuParamSetTexRef(hfunc: CUfunction, texunit: c_int, h_tex_ref: CUtexref) = texture::reference::set_parameter;
        4020 cuFuncSetSharedMemConfig(hfunc: CUfunction, config: c_uint) = code::function::set_shared_config;
    }
    "Graph Management" {
        10000 cuGraphCreate(ph_graph: *mut CUgraph, flags: c_uint) = graph::topology::create;
        10000 cuGraphAddKernelNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *const c_void,
        ) = graph::add::kernel_v1;
        12000 cuGraphAddKernelNode_v2(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *const c_void,
        ) = graph::add::kernel;
        10000 cuGraphKernelNodeGetParams(h_node: CUgraphNode, node_params: *mut c_void) = graph::node::kernel_v1;
        12000 cuGraphKernelNodeGetParams_v2(h_node: CUgraphNode, node_params: *mut c_void) = graph::node::kernel;
        10000 cuGraphKernelNodeSetParams(h_node: CUgraphNode, node_params: *const c_void) = graph::node::set_kernel_v1;
        12000 cuGraphKernelNodeSetParams_v2(h_node: CUgraphNode, node_params: *const c_void) = graph::node::set_kernel;
        10000 cuGraphAddMemcpyNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, copy_params: *const CUDA_MEMCPY3D, ctx: CUcontext,
        ) = graph::add::copy;
        10000 cuGraphMemcpyNodeGetParams(h_node: CUgraphNode, node_params: *mut CUDA_MEMCPY3D) = graph::node::copy;
        10000 cuGraphMemcpyNodeSetParams(h_node: CUgraphNode, node_params: *const CUDA_MEMCPY3D) = graph::node::set_copy;
        10000 cuGraphAddMemsetNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, memset_params: *const c_void, ctx: CUcontext,
        ) = graph::add::memset;
        10000 cuGraphMemsetNodeGetParams(h_node: CUgraphNode, node_params: *mut c_void) = graph::node::memset;
        10000 cuGraphMemsetNodeSetParams(h_node: CUgraphNode, node_params: *const c_void) = graph::node::set_memset;
        10000 cuGraphAddHostNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *const c_void,
        ) = graph::add::host;
        10000 cuGraphHostNodeGetParams(h_node: CUgraphNode, node_params: *mut c_void) = graph::node::host;
        10000 cuGraphHostNodeSetParams(h_node: CUgraphNode, node_params: *const c_void) = graph::node::set_host;
        10000 cuGraphAddChildGraphNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, child_graph: CUgraph,
        ) = graph::add::child;
        10000 cuGraphChildGraphNodeGetGraph(h_node: CUgraphNode, ph_graph: *mut CUgraph) = graph::node::child;
        10000 cuGraphAddEmptyNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize,
        ) = graph::add::empty;
        11010 cuGraphAddEventRecordNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, event: CUevent,
        ) = graph::add::record;
        11010 cuGraphEventRecordNodeGetEvent(h_node: CUgraphNode, event_out: *mut CUevent) = graph::node::recorded;
        11010 cuGraphEventRecordNodeSetEvent(h_node: CUgraphNode, event: CUevent) = graph::node::set_recorded;
        11010 cuGraphAddEventWaitNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, event: CUevent,
        ) = graph::add::wait;
        11010 cuGraphEventWaitNodeGetEvent(h_node: CUgraphNode, event_out: *mut CUevent) = graph::node::awaited;
        11010 cuGraphEventWaitNodeSetEvent(h_node: CUgraphNode, event: CUevent) = graph::node::set_awaited;
        11020 cuGraphAddExternalSemaphoresSignalNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *const c_void,
        ) = unsupported;
        11020 cuGraphExternalSemaphoresSignalNodeGetParams(h_node: CUgraphNode, params_out: *mut c_void) = unsupported;
        11020 cuGraphExternalSemaphoresSignalNodeSetParams(
            h_node: CUgraphNode, node_params: *const c_void,
        ) = unsupported;
        11020 cuGraphAddExternalSemaphoresWaitNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *const c_void,
        ) = unsupported;
        11020 cuGraphExternalSemaphoresWaitNodeGetParams(h_node: CUgraphNode, params_out: *mut c_void) = unsupported;
        11020 cuGraphExternalSemaphoresWaitNodeSetParams(h_node: CUgraphNode, node_params: *const c_void) = unsupported;
        11070 cuGraphAddBatchMemOpNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *const c_void,
        ) = unsupported;
        11070 cuGraphBatchMemOpNodeGetParams(h_node: CUgraphNode, node_params_out: *mut c_void) = unsupported;
        11070 cuGraphBatchMemOpNodeSetParams(h_node: CUgraphNode, node_params: *const c_void) = unsupported;
        11070 cuGraphExecBatchMemOpNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *const c_void,
        ) = unsupported;
        11040 cuGraphAddMemAllocNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *mut c_void,
        ) = graph::add::allocation;
        11040 cuGraphMemAllocNodeGetParams(h_node: CUgraphNode, params_out: *mut c_void) = graph::memory::params;
        11040 cuGraphAddMemFreeNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, dptr: CUdeviceptr,
        ) = graph::add::free;
        11040 cuGraphMemFreeNodeGetParams(h_node: CUgraphNode, dptr_out: *mut CUdeviceptr) = graph::node::freed;
        11040 cuDeviceGraphMemTrim(device: CUdevice) = graph::memory::trim;
        11040 cuDeviceGetGraphMemAttribute(device: CUdevice, attr: c_uint, value: *mut c_void) = graph::memory::attribute;
        11040 cuDeviceSetGraphMemAttribute(device: CUdevice, attr: c_uint, value: *mut c_void) = graph::memory::set_attribute;
        10000 cuGraphClone(ph_graph_clone: *mut CUgraph, original_graph: CUgraph) = graph::topology::clone;
        10000 cuGraphNodeFindInClone(
            ph_node: *mut CUgraphNode, h_original_node: CUgraphNode, h_cloned_graph: CUgraph,
        ) = graph::topology::find_in_clone;
        10000 cuGraphNodeGetType(h_node: CUgraphNode, type_: *mut c_uint) = graph::topology::node_type;
        10000 cuGraphGetNodes(h_graph: CUgraph, nodes: *mut CUgraphNode, num_nodes: *mut usize) = graph::topology::all_nodes;
        10000 cuGraphGetRootNodes(
            h_graph: CUgraph, root_nodes: *mut CUgraphNode, num_root_nodes: *mut usize,
        ) = graph::topology::roots;
        10000 cuGraphGetEdges(
            h_graph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, num_edges: *mut usize,
        ) = graph::topology::edges;
        12030 cuGraphGetEdges_v2(
            h_graph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, edge_data: *mut c_void,
            num_edges: *mut usize,
        ) = graph::topology::edges_v2;
        10000 cuGraphNodeGetDependencies(
            h_node: CUgraphNode, dependencies: *mut CUgraphNode, num_dependencies: *mut usize,
        ) = graph::topology::dependencies;
        12030 cuGraphNodeGetDependencies_v2(
            h_node: CUgraphNode, dependencies: *mut CUgraphNode, edge_data: *mut c_void,
            num_dependencies: *mut usize,
        ) = graph::topology::dependencies_v2;
        10000 cuGraphNodeGetDependentNodes(
            h_node: CUgraphNode, dependent_nodes: *mut CUgraphNode, num_dependent_nodes: *mut usize,
        ) = graph::topology::dependents;
        12030 cuGraphNodeGetDependentNodes_v2(
            h_node: CUgraphNode, dependent_nodes: *mut CUgraphNode, edge_data: *mut c_void,
            num_dependent_nodes: *mut usize,
        ) = graph::topology::dependents_v2;
        10000 cuGraphAddDependencies(
            h_graph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, num_dependencies: usize,
        ) = graph::topology::add_dependencies;
        12030 cuGraphAddDependencies_v2(
            h_graph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edge_data: *const c_void,
            num_dependencies: usize,
        ) = graph::topology::add_dependencies_v2;
        10000 cuGraphRemoveDependencies(
            h_graph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, num_dependencies: usize,
        ) = graph::topology::remove_dependencies;
        12030 cuGraphRemoveDependencies_v2(
            h_graph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edge_data: *const c_void,
            num_dependencies: usize,
        ) = graph::topology::remove_dependencies_v2;
        10000 cuGraphDestroyNode(h_node: CUgraphNode) = graph::topology::destroy_node;
        10000 cuGraphInstantiate(
            ph_graph_exec: *mut CUgraphExec, h_graph: CUgraph, ph_error_node: *mut CUgraphNode,
            log_buffer: *mut c_char, buffer_size: usize,
        ) = graph::exec::instantiate_v2;
        11000 cuGraphInstantiate_v2(
            ph_graph_exec: *mut CUgraphExec, h_graph: CUgraph, ph_error_node: *mut CUgraphNode,
            log_buffer: *mut c_char, buffer_size: usize,
        ) = graph::exec::instantiate_v2;
        11040 cuGraphInstantiateWithFlags(
            ph_graph_exec: *mut CUgraphExec, h_graph: CUgraph, flags: c_ulonglong,
        ) = graph::exec::instantiate, also_called("cuGraphInstantiate", 12000);
        12000 cuGraphInstantiateWithParams | 12000 cuGraphInstantiateWithParams_ptsz(
            ph_graph_exec: *mut CUgraphExec, h_graph: CUgraph, instantiate_params: *mut c_void,
        ) = graph::exec::instantiate_with_params;
        12000 cuGraphExecGetFlags(h_graph_exec: CUgraphExec, flags: *mut u64) = graph::exec::flags;
        10010 cuGraphExecKernelNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *const c_void,
        ) = graph::exec::set_kernel_v1;
        12000 cuGraphExecKernelNodeSetParams_v2(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *const c_void,
        ) = graph::exec::set_kernel;
        10020 cuGraphExecMemcpyNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, copy_params: *const CUDA_MEMCPY3D, ctx: CUcontext,
        ) = graph::exec::set_copy;
        10020 cuGraphExecMemsetNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, memset_params: *const c_void, ctx: CUcontext,
        ) = graph::exec::set_memset;
        10020 cuGraphExecHostNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *const c_void,
        ) = graph::exec::set_host;
        11010 cuGraphExecChildGraphNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, child_graph: CUgraph,
        ) = graph::exec::set_child;
        11010 cuGraphExecEventRecordNodeSetEvent(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, event: CUevent,
        ) = graph::exec::set_recorded_event;
        11010 cuGraphExecEventWaitNodeSetEvent(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, event: CUevent,
        ) = graph::exec::set_awaited_event;
        11020 cuGraphExecExternalSemaphoresSignalNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *const c_void,
        ) = unsupported;
        11020 cuGraphExecExternalSemaphoresWaitNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *const c_void,
        ) = unsupported;
        11060 cuGraphNodeSetEnabled(h_graph_exec: CUgraphExec, h_node: CUgraphNode, is_enabled: c_uint) = graph::exec::enable;
        11060 cuGraphNodeGetEnabled(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, is_enabled: *mut c_uint,
        ) = graph::exec::is_enabled;
        11010 cuGraphUpload | 11010 cuGraphUpload_ptsz(h_graph_exec: CUgraphExec, h_stream: CUstream) = graph::exec::upload;
        10000 cuGraphLaunch | 10000 cuGraphLaunch_ptsz(h_graph_exec: CUgraphExec, h_stream: CUstream) = graph::exec::launch, work(DeviceWork::Graph, StreamAt::Argument(1));
        10000 cuGraphExecDestroy(h_graph_exec: CUgraphExec) = graph::exec::destroy;
        10000 cuGraphDestroy(h_graph: CUgraph) = graph::topology::destroy;
        10020 cuGraphExecUpdate(
            h_graph_exec: CUgraphExec, h_graph: CUgraph, h_error_node_out: *mut CUgraphNode,
            update_result_out: *mut c_uint,
        ) = graph::exec::update;
        12000 cuGraphExecUpdate_v2(h_graph_exec: CUgraphExec, h_graph: CUgraph, result_info: *mut c_void) = graph::exec::update_v2;
        11000 cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode) = graph::attributes::copy;
        11000 cuGraphKernelNodeGetAttribute(
            h_node: CUgraphNode, attr: c_uint, value_out: *mut CUlaunchAttributeValue,
        ) = graph::attributes::get;
        11000 cuGraphKernelNodeSetAttribute(
            h_node: CUgraphNode, attr: c_uint, value: *const CUlaunchAttributeValue,
        ) = graph::attributes::set;
        11030 cuGraphDebugDotPrint(h_graph: CUgraph, path: *const c_char, flags: c_uint) = graph::topology::print;
        11030 cuUserObjectCreate(
            object_out: *mut CUuserObject, ptr: *mut c_void, destroy: CUhostFn, initial_refcount: c_uint,
            flags: c_uint,
        ) = graph::user_object::create;
        11030 cuUserObjectRetain(object: CUuserObject, count: c_uint) = graph::user_object::retain;
        11030 cuUserObjectRelease(object: CUuserObject, count: c_uint) = graph::user_object::release;
        11030 cuGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: c_uint, flags: c_uint) = graph::user_object::graph_retain;
        11030 cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint) = graph::user_object::graph_release;
        12030 cuGraphAddNode_v2(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            dependency_data: *const c_void, num_dependencies: usize, node_params: *mut c_void,
        ) = graph::add::any;
        12020 cuGraphNodeSetParams(h_node: CUgraphNode, node_params: *mut c_void) = graph::node::set_any;
        12020 cuGraphExecNodeSetParams(
            h_graph_exec: CUgraphExec, h_node: CUgraphNode, node_params: *mut c_void,
        ) = graph::exec::set_any;
        12030 cuGraphConditionalHandleCreate(
            p_handle_out: *mut CUgraphConditionalHandle, h_graph: CUgraph, ctx: CUcontext,
            default_launch_value: c_uint, flags: c_uint,
        ) = graph::condition::create;
    }
    "Occupancy" {
        6050 cuOccupancyMaxActiveBlocksPerMultiprocessor(
            num_blocks: *mut c_int, func: CUfunction, block_size: c_int, dynamic_smem_size: usize,
        ) = code::occupancy::active_blocks;
        7000 cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            num_blocks: *mut c_int, func: CUfunction, block_size: c_int, dynamic_smem_size: usize, flags: c_uint,
        ) = code::occupancy::active_blocks_with;
        6050 cuOccupancyMaxPotentialBlockSize(
            min_grid_size: *mut c_int, block_size: *mut c_int, func: CUfunction,
            block_size_to_dynamic_smem_size: CUoccupancyB2DSize, dynamic_smem_size: usize, block_size_limit: c_int,
        ) = code::occupancy::best_block_size;
        7000 cuOccupancyMaxPotentialBlockSizeWithFlags(
            min_grid_size: *mut c_int, block_size: *mut c_int, func: CUfunction,
            block_size_to_dynamic_smem_size: CUoccupancyB2DSize, dynamic_smem_size: usize, block_size_limit: c_int,
            flags: c_uint,
        ) = code::occupancy::best_block_size_with;
        10020 cuOccupancyAvailableDynamicSMemPerBlock(
            dynamic_smem_size: *mut usize, func: CUfunction, num_blocks: c_int, block_size: c_int,
        ) = code::occupancy::available_shared;
        11070 cuOccupancyMaxPotentialClusterSize(
            cluster_size: *mut c_int, func: CUfunction, config: *const CUlaunchConfig,
        ) = code::occupancy::best_cluster;
        11070 cuOccupancyMaxActiveClusters(
            num_clusters: *mut c_int, func: CUfunction, config: *const CUlaunchConfig,
        ) = code::occupancy::active_clusters;
    }
    "Texture Reference Management (deprecated)" {
        2000 cuTexRefSetArray(h_tex_ref: CUtexref, h_array: CUarray, flags: c_uint) = texture::reference::set_array;
        5000 cuTexRefSetMipmappedArray(
            h_tex_ref: CUtexref, h_mipmapped_array: CUmipmappedArray, flags: c_uint,
        ) = texture::reference::set_mipmap;
        3020 cuTexRefSetAddress_v2(
            byte_offset: *mut usize, h_tex_ref: CUtexref, dptr: CUdeviceptr, bytes: usize,
        ) = texture::reference::set_address;
        3020 cuTexRefSetAddress2D_v2(
            h_tex_ref: CUtexref, desc: *const CUDA_ARRAY_DESCRIPTOR, dptr: CUdeviceptr, pitch: usize,
        ) = texture::reference::set_address_2d;
        4010 cuTexRefSetAddress2D_v3(
            h_tex_ref: CUtexref, desc: *const CUDA_ARRAY_DESCRIPTOR, dptr: CUdeviceptr, pitch: usize,
        ) = texture::reference::set_address_2d;
        2000 cuTexRefSetFormat(h_tex_ref: CUtexref, fmt: c_uint, num_packed_components: c_int) = texture::reference::set_format;
        2000 cuTexRefSetAddressMode(h_tex_ref: CUtexref, dim: c_int, am: c_uint) = texture::reference::set_address_mode;
        2000 cuTexRefSetFilterMode(h_tex_ref: CUtexref, fm: c_uint) = texture::reference::set_filter_mode;
        5000 cuTexRefSetMipmapFilterMode(h_tex_ref: CUtexref, fm: c_uint) = texture::reference::set_mipmap_filter_mode;
        5000 cuTexRefSetMipmapLevelBias(h_tex_ref: CUtexref, bias: f32) = texture::reference::set_mipmap_bias;
        5000 cuTexRefSetMipmapLevelClamp(
            h_tex_ref: CUtexref, min_mipmap_level_clamp: f32, max_mipmap_level_clamp: f32,
        ) = texture::reference::set_mipmap_clamp;
        5000 cuTexRefSetMaxAnisotropy(h_tex_ref: CUtexref, max_aniso: c_uint) = texture::reference::set_anisotropy;
        8000 cuTexRefSetBorderColor(h_tex_ref: CUtexref, p_border_color: *mut f32) = texture::reference::set_border;
        2000 cuTexRefSetFlags(h_tex_ref: CUtexref, flags: c_uint) = texture::reference::set_flags;
        3020 cuTexRefGetAddress_v2(pdptr: *mut CUdeviceptr, h_tex_ref: CUtexref) = texture::reference::address;
        2000 cuTexRefGetArray(ph_array: *mut CUarray, h_tex_ref: CUtexref) = texture::reference::array;
        5000 cuTexRefGetMipmappedArray(ph_mipmapped_array: *mut CUmipmappedArray, h_tex_ref: CUtexref) = texture::reference::mipmap;
        2000 cuTexRefGetAddressMode(pam: *mut c_uint, h_tex_ref: CUtexref, dim: c_int) = texture::reference::address_mode;
        2000 cuTexRefGetFilterMode(pfm: *mut c_uint, h_tex_ref: CUtexref) = texture::reference::filter_mode;
        2000 cuTexRefGetFormat(p_format: *mut c_uint, p_num_channels: *mut c_int, h_tex_ref: CUtexref) = texture::reference::format;
        5000 cuTexRefGetMipmapFilterMode(pfm: *mut c_uint, h_tex_ref: CUtexref) = texture::reference::mipmap_filter_mode;
        5000 cuTexRefGetMipmapLevelBias(pbias: *mut f32, h_tex_ref: CUtexref) = texture::reference::mipmap_bias;
        5000 cuTexRefGetMipmapLevelClamp(
            pmin_mipmap_level_clamp: *mut f32, pmax_mipmap_level_clamp: *mut f32, h_tex_ref: CUtexref,
        ) = texture::reference::mipmap_clamp;
        5000 cuTexRefGetMaxAnisotropy(pmax_aniso: *mut c_int, h_tex_ref: CUtexref) = texture::reference::anisotropy;
        8000 cuTexRefGetBorderColor(p_border_color: *mut f32, h_tex_ref: CUtexref) = texture::reference::border;
        2000 cuTexRefGetFlags(p_flags: *mut c_uint, h_tex_ref: CUtexref) = texture::reference::flags;
        2000 cuTexRefCreate(p_tex_ref: *mut CUtexref) = texture::reference::create;
        2000 cuTexRefDestroy(h_tex_ref: CUtexref) = texture::reference::destroy;
    }
    "Surface Reference Management (deprecated)" {
        3000 cuSurfRefSetArray(h_surf_ref: CUsurfref, h_array: CUarray, flags: c_uint) = texture::reference::set_surface_array;
        3000 cuSurfRefGetArray(ph_array: *mut CUarray, h_surf_ref: CUsurfref) = texture::reference::surface_array;
    }
    "Texture Object Management" {
        5000 cuTexObjectCreate(
            p_tex_object: *mut CUtexObject, p_res_desc: *const CUDA_RESOURCE_DESC, p_tex_desc: *const CUDA_TEXTURE_DESC,
            p_res_view_desc: *const CUDA_RESOURCE_VIEW_DESC,
        ) = texture::create;
        5000 cuTexObjectDestroy(tex_object: CUtexObject) = texture::destroy;
        5000 cuTexObjectGetResourceDesc(p_res_desc: *mut CUDA_RESOURCE_DESC, tex_object: CUtexObject) = texture::resource;
        5000 cuTexObjectGetTextureDesc(p_tex_desc: *mut CUDA_TEXTURE_DESC, tex_object: CUtexObject) = texture::how;
        5000 cuTexObjectGetResourceViewDesc(p_res_view_desc: *mut CUDA_RESOURCE_VIEW_DESC, tex_object: CUtexObject) = texture::view;
    }
    "Surface Object Management" {
        5000 cuSurfObjectCreate(p_surf_object: *mut CUsurfObject, p_res_desc: *const CUDA_RESOURCE_DESC) = texture::create_surface;
        5000 cuSurfObjectDestroy(surf_object: CUsurfObject) = texture::destroy_surface;
        5000 cuSurfObjectGetResourceDesc(p_res_desc: *mut CUDA_RESOURCE_DESC, surf_object: CUsurfObject) = texture::surface_resource;
    }
    "Tensor Map Object Management" {
        12000 cuTensorMapEncodeTiled(
            tensor_map: *mut CUtensorMap, tensor_data_type: c_uint, tensor_rank: u32, global_address: *mut c_void,
            global_dim: *const u64, global_strides: *const u64, box_dim: *const u32, element_strides: *const u32,
            interleave: c_uint, swizzle: c_uint, l2_promotion: c_uint, oob_fill: c_uint,
        ) = texture::tensor_map::tiled;
        12000 cuTensorMapEncodeIm2col(
            tensor_map: *mut CUtensorMap, tensor_data_type: c_uint, tensor_rank: u32, global_address: *mut c_void,
            global_dim: *const u64, global_strides: *const u64, pixel_box_lower_corner: *const c_int,
            pixel_box_upper_corner: *const c_int, channels_per_pixel: u32, pixels_per_column: u32,
            element_strides: *const u32, interleave: c_uint, swizzle: c_uint, l2_promotion: c_uint, oob_fill: c_uint,
        ) = texture::tensor_map::im2col;
        12080 cuTensorMapEncodeIm2colWide(
            tensor_map: *mut CUtensorMap, tensor_data_type: c_uint, tensor_rank: u32, global_address: *mut c_void,
            global_dim: *const u64, global_strides: *const u64, pixel_box_lower_corner_width: c_int,
            pixel_box_upper_corner_width: c_int, channels_per_pixel: u32, pixels_per_column: u32,
            element_strides: *const u32, interleave: c_uint, mode: c_uint, swizzle: c_uint, l2_promotion: c_uint,
            oob_fill: c_uint,
        ) = unsupported;
        12000 cuTensorMapReplaceAddress(tensor_map: *mut CUtensorMap, global_address: *mut c_void) = texture::tensor_map::replace_address;
    }
    "Peer Context Memory Access" {
        4000 cuDeviceCanAccessPeer(can_access_peer: *mut c_int, dev: CUdevice, peer_dev: CUdevice) = peer::can_access;
        4000 cuCtxEnablePeerAccess(peer_context: CUcontext, flags: c_uint) = peer::enable;
        4000 cuCtxDisablePeerAccess(peer_context: CUcontext) = peer::disable;
        8000 cuDeviceGetP2PAttribute(
            value: *mut c_int, attrib: c_uint, src_device: CUdevice, dst_device: CUdevice,
        ) = peer::attribute;
        13000 cuDeviceGetP2PAtomicCapabilities(
            capabilities: *mut c_uint, operations: *const c_uint, count: c_uint, src_device: CUdevice,
            dst_device: CUdevice,
        ) = unsupported;
    }
    "Graphics Interoperability" {
        3000 cuGraphicsUnregisterResource(resource: CUgraphicsResource) = unsupported;
        3000 cuGraphicsSubResourceGetMappedArray(
            p_array: *mut CUarray, resource: CUgraphicsResource, array_index: c_uint, mip_level: c_uint,
        ) = unsupported;
        5000 cuGraphicsResourceGetMappedMipmappedArray(
            p_mipmapped_array: *mut CUmipmappedArray, resource: CUgraphicsResource,
        ) = unsupported;
        3020 cuGraphicsResourceGetMappedPointer_v2(
            p_dev_ptr: *mut CUdeviceptr, p_size: *mut usize, resource: CUgraphicsResource,
        ) = unsupported;
        6050 cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: c_uint) = unsupported;
        3000 cuGraphicsMapResources | 7000 cuGraphicsMapResources_ptsz(
            count: c_uint, resources: *mut CUgraphicsResource, h_stream: CUstream,
        ) = unsupported;
        3000 cuGraphicsUnmapResources | 7000 cuGraphicsUnmapResources_ptsz(
            count: c_uint, resources: *mut CUgraphicsResource, h_stream: CUstream,
        ) = unsupported;
    }
    "Driver Entry Point Access" {
        11030 cuGetProcAddress(
            symbol: *const c_char, pfn: *mut *mut c_void, cuda_version: c_int, flags: u64,
        ) = proc_address::get, always;
        12000 cuGetProcAddress_v2(
            symbol: *const c_char, pfn: *mut *mut c_void, cuda_version: c_int, flags: u64,
            symbol_status: *mut c_uint,
        ) = proc_address::get_v2, always;
    }
    "Coredump Attributes Control API" {
        12010 cuCoredumpGetAttribute(attrib: c_uint, value: *mut c_void, size: *mut usize) = unsupported;
        12010 cuCoredumpGetAttributeGlobal(attrib: c_uint, value: *mut c_void, size: *mut usize) = unsupported;
        12010 cuCoredumpSetAttribute(attrib: c_uint, value: *mut c_void, size: *mut usize) = unsupported;
        12010 cuCoredumpSetAttributeGlobal(attrib: c_uint, value: *mut c_void, size: *mut usize) = unsupported;
        3000 cuGetExportTable(pp_export_table: *mut *const c_void, p_export_table_id: *const CUuuid) = unsupported, optional;
    }
    "Green Contexts" {
        12040 cuGreenCtxCreate(
            ph_ctx: *mut CUgreenCtx, desc: CUdevResourceDesc, dev: CUdevice, flags: c_uint,
        ) = unsupported;
        12040 cuGreenCtxDestroy(h_ctx: CUgreenCtx) = unsupported;
        12040 cuCtxFromGreenCtx(p_context: *mut CUcontext, h_ctx: CUgreenCtx) = unsupported;
        12040 cuDeviceGetDevResource(device: CUdevice, resource: *mut c_void, kind: c_uint) = unsupported;
        12040 cuCtxGetDevResource(h_ctx: CUcontext, resource: *mut c_void, kind: c_uint) = unsupported;
        12040 cuGreenCtxGetDevResource(h_ctx: CUgreenCtx, resource: *mut c_void, kind: c_uint) = unsupported;
        12040 cuDevSmResourceSplitByCount(
            result: *mut c_void, nb_groups: *mut c_uint, input: *const c_void, remaining: *mut c_void,
            use_flags: c_uint, min_count: c_uint,
        ) = unsupported;
        12040 cuDevResourceGenerateDesc(
            ph_desc: *mut CUdevResourceDesc, resources: *mut c_void, nb_resources: c_uint,
        ) = unsupported;
        12040 cuGreenCtxRecordEvent(h_ctx: CUgreenCtx, h_event: CUevent) = unsupported;
        12040 cuGreenCtxWaitEvent(h_ctx: CUgreenCtx, h_event: CUevent) = unsupported;
        12040 cuStreamGetGreenCtx(h_stream: CUstream, ph_ctx: *mut CUgreenCtx) = unsupported;
        12050 cuGreenCtxStreamCreate(
            ph_stream: *mut CUstream, green_ctx: CUgreenCtx, flags: c_uint, priority: c_int,
        ) = unsupported;
        12090 cuGreenCtxGetId(green_ctx: CUgreenCtx, green_ctx_id: *mut c_ulonglong) = unsupported;
    }
    "Error Log Management Functions" {
        12090 cuLogsRegisterCallback(
            callback_func: *mut c_void, user_data: *mut c_void, callback_out: *mut CUlogsCallbackHandle,
        ) = unsupported;
        12090 cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) = unsupported;
        12090 cuLogsCurrent(iterator_out: *mut c_uint, flags: c_uint) = unsupported;
        12090 cuLogsDumpToFile(iterator: *mut c_uint, path_to_file: *const c_char, flags: c_uint) = unsupported;
        12090 cuLogsDumpToMemory(
            iterator: *mut c_uint, buffer: *mut c_char, size: *mut usize, flags: c_uint,
        ) = unsupported;
    }
    "CUDA Checkpointing" {
        12080 cuCheckpointProcessGetRestoreThreadId(pid: c_int, tid: *mut c_int) = unsupported;
        12080 cuCheckpointProcessGetState(pid: c_int, state: *mut c_uint) = unsupported;
        12080 cuCheckpointProcessLock(pid: c_int, args: *mut c_void) = unsupported;
        12080 cuCheckpointProcessCheckpoint(pid: c_int, args: *mut c_void) = unsupported;
        12080 cuCheckpointProcessRestore(pid: c_int, args: *mut c_void) = unsupported;
        12080 cuCheckpointProcessUnlock(pid: c_int, args: *mut c_void) = unsupported;
    }
    "Profiler Control" {
        4000 cuProfilerInitialize(
            config_file: *const c_char, output_file: *const c_char, output_mode: c_uint,
        ) = unsupported;
        4000 cuProfilerStart() = profiler::start;
        4000 cuProfilerStop() = profiler::stop;
    }
    "Old versions" {
        2000 cuDeviceTotalMem(bytes: *mut c_uint, dev: CUdevice) = narrow;
        7000 cuDevicePrimaryCtxRelease(dev: CUdevice) = primary::release, ends_events;
        7000 cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: c_uint) = primary::set_flags;
        7000 cuDevicePrimaryCtxReset(dev: CUdevice) = primary::reset, ends_events;
        2000 cuCtxCreate(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) = context::create;
        2000 cuCtxDestroy(ctx: CUcontext) = context::destroy, ends_events;
        2000 cuCtxPushCurrent(ctx: CUcontext) = context::push;
        2000 cuCtxPopCurrent(pctx: *mut CUcontext) = context::pop;
        2000 cuModuleGetGlobal(
            dptr: *mut c_uint, bytes: *mut c_uint, hmod: CUmodule, name: *const c_char,
        ) = narrow;
        5050 cuLinkCreate(
            num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void, state_out: *mut CUlinkState,
        ) = code::link::create;
        5050 cuLinkAddData(
            state: CUlinkState, kind: c_uint, data: *mut c_void, size: usize, name: *const c_char,
            num_options: c_uint, options: *mut c_uint, option_values: *mut *mut c_void,
        ) = code::link::add_data;
        5050 cuLinkAddFile(
            state: CUlinkState, kind: c_uint, path: *const c_char, num_options: c_uint, options: *mut c_uint,
            option_values: *mut *mut c_void,
        ) = code::link::add_file;
        2000 cuMemGetInfo(free: *mut c_uint, total: *mut c_uint) = narrow;
        2000 cuMemAlloc(dptr: *mut c_uint, bytesize: c_uint) = narrow;
        2000 cuMemAllocPitch(
            dptr: *mut c_uint, p_pitch: *mut c_uint, width_in_bytes: c_uint, height: c_uint, element_size_bytes: c_uint,
        ) = narrow;
        2000 cuMemFree(dptr: c_uint) = narrow;
        2000 cuMemGetAddressRange(pbase: *mut c_uint, psize: *mut c_uint, dptr: c_uint) = narrow;
        2000 cuMemAllocHost(pp: *mut *mut c_void, bytesize: c_uint) = memory::host::allocate_v1, unsafe_in_capture;
        2020 cuMemHostGetDevicePointer(pdptr: *mut c_uint, p: *mut c_void, flags: c_uint) = narrow;
        4000 cuMemHostRegister(p: *mut c_void, bytesize: usize, flags: c_uint) = memory::host::register, unsafe_in_capture;
        4010 cuIpcOpenMemHandle(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint) = memory::ipc::open_memory;
        2000 cuMemcpyHtoD(dst_device: c_uint, src_host: *const c_void, byte_count: c_uint) = narrow;
        2000 cuMemcpyDtoH(dst_host: *mut c_void, src_device: c_uint, byte_count: c_uint) = narrow;
        2000 cuMemcpyDtoD(dst_device: c_uint, src_device: c_uint, byte_count: c_uint) = narrow;
        2000 cuMemcpyDtoA(dst_array: CUarray, dst_offset: c_uint, src_device: c_uint, byte_count: c_uint) = narrow;
        2000 cuMemcpyAtoD(dst_device: c_uint, src_array: CUarray, src_offset: c_uint, byte_count: c_uint) = narrow;
        2000 cuMemcpyHtoA(dst_array: CUarray, dst_offset: c_uint, src_host: *const c_void, byte_count: c_uint) = narrow;
        2000 cuMemcpyAtoH(dst_host: *mut c_void, src_array: CUarray, src_offset: c_uint, byte_count: c_uint) = narrow;
        2000 cuMemcpyAtoA(
            dst_array: CUarray, dst_offset: c_uint, src_array: CUarray, src_offset: c_uint, byte_count: c_uint,
        ) = narrow;
        2000 cuMemcpyHtoAAsync(
            dst_array: CUarray, dst_offset: c_uint, src_host: *const c_void, byte_count: c_uint, h_stream: CUstream,
        ) = narrow;
        2000 cuMemcpyAtoHAsync(
            dst_host: *mut c_void, src_array: CUarray, src_offset: c_uint, byte_count: c_uint, h_stream: CUstream,
        ) = narrow;
        2000 cuMemcpy2D(p_copy: *const c_void) = narrow;
        2000 cuMemcpy2DUnaligned(p_copy: *const c_void) = narrow;
        2000 cuMemcpy3D(p_copy: *const c_void) = narrow;
        2000 cuMemcpyHtoDAsync(
            dst_device: c_uint, src_host: *const c_void, byte_count: c_uint, h_stream: CUstream,
        ) = narrow;
        2000 cuMemcpyDtoHAsync(
            dst_host: *mut c_void, src_device: c_uint, byte_count: c_uint, h_stream: CUstream,
        ) = narrow;
        3000 cuMemcpyDtoDAsync(
            dst_device: c_uint, src_device: c_uint, byte_count: c_uint, h_stream: CUstream,
        ) = narrow;
        2000 cuMemcpy2DAsync(p_copy: *const c_void, h_stream: CUstream) = narrow;
        2000 cuMemcpy3DAsync(p_copy: *const c_void, h_stream: CUstream) = narrow;
        12080 cuMemcpyBatchAsync | 12080 cuMemcpyBatchAsync_ptsz(
            dsts: *mut CUdeviceptr, srcs: *mut CUdeviceptr, sizes: *mut usize, count: usize, attrs: *mut c_void,
            attrs_idxs: *mut usize, num_attrs: usize, fail_idx: *mut usize, h_stream: CUstream,
        ) = memory::copy::batch_v1;
        12080 cuMemcpy3DBatchAsync | 12080 cuMemcpy3DBatchAsync_ptsz(
            num_ops: usize, op_list: *mut c_void, fail_idx: *mut usize, flags: c_ulonglong, h_stream: CUstream,
        ) = unsupported;
        2000 cuMemsetD8(dst_device: c_uint, uc: c_uchar, n: c_uint) = narrow;
        2000 cuMemsetD16(dst_device: c_uint, us: c_ushort, n: c_uint) = narrow;
        2000 cuMemsetD32(dst_device: c_uint, ui: c_uint, n: c_uint) = narrow;
        2000 cuMemsetD2D8(
            dst_device: c_uint, dst_pitch: c_uint, uc: c_uchar, width: c_uint, height: c_uint,
        ) = narrow;
        2000 cuMemsetD2D16(
            dst_device: c_uint, dst_pitch: c_uint, us: c_ushort, width: c_uint, height: c_uint,
        ) = narrow;
        2000 cuMemsetD2D32(
            dst_device: c_uint, dst_pitch: c_uint, ui: c_uint, width: c_uint, height: c_uint,
        ) = narrow;
        2000 cuArrayCreate(p_handle: *mut CUarray, p_allocate_array: *const c_void) = narrow;
        2000 cuArrayGetDescriptor(p_array_descriptor: *mut c_void, h_array: CUarray) = narrow;
        2000 cuArray3DCreate(p_handle: *mut CUarray, p_allocate_array: *const c_void) = narrow;
        2000 cuArray3DGetDescriptor(p_array_descriptor: *mut c_void, h_array: CUarray) = narrow;
        10000 cuStreamBeginCapture | 10000 cuStreamBeginCapture_ptsz(h_stream: CUstream) = graph::capture::begin_v1;
        2000 cuStreamDestroy(h_stream: CUstream) = stream::destroy;
        2000 cuEventDestroy(h_event: CUevent) = stream::event::destroy;
        12020 cuGraphAddNode(
            ph_graph_node: *mut CUgraphNode, h_graph: CUgraph, dependencies: *const CUgraphNode,
            num_dependencies: usize, node_params: *mut c_void,
        ) = graph::add::any_v1;
        2000 cuTexRefSetAddress(
            byte_offset: *mut c_uint, h_tex_ref: CUtexref, dptr: c_uint, bytes: c_uint,
        ) = narrow;
        2020 cuTexRefSetAddress2D(
            h_tex_ref: CUtexref, desc: *const c_void, dptr: c_uint, pitch: c_uint,
        ) = narrow;
        2000 cuTexRefGetAddress(pdptr: *mut c_uint, h_tex_ref: CUtexref) = narrow;
        3000 cuGraphicsResourceGetMappedPointer(
            p_dev_ptr: *mut c_uint, p_size: *mut c_uint, resource: CUgraphicsResource,
        ) = narrow;
        3000 cuGraphicsResourceSetMapFlags(resource: CUgraphicsResource, flags: c_uint) = unsupported;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry_point::know;
    use crate::entry_point::lookup::{Missing, newest};

    #[track_caller]
    fn is(name: &str, version: u32, symbol: &str) {
        know(&TABLE);
        let found = newest(name, version).map(|entry| entry.symbol);
        assert_eq!(found, Ok(symbol), "{name} of {version}");
    }

    #[test]
    fn the_newest_version_that_the_caller_knows_is_found() {
        for (version, symbol) in [
            (2000, "cuCtxCreate"),
            (3020, "cuCtxCreate_v2"),
            (11_080, "cuCtxCreate_v3"),
            (13_000, "cuCtxCreate_v4"),
        ] {
            is("cuCtxCreate", version, symbol);
        }
        is("cuInit", 13_000, "cuInit");
        is("cuLinkCreate", 5050, "cuLinkCreate");
        is("cuStreamBeginCapture", 10_000, "cuStreamBeginCapture");
        is("cuMemcpyBatchAsync", 12_080, "cuMemcpyBatchAsync");
        is("cuMemcpyBatchAsync", 13_000, "cuMemcpyBatchAsync_v2");
        is("cuGraphInstantiate", 10_000, "cuGraphInstantiate");
        is("cuGraphInstantiate", 11_080, "cuGraphInstantiate_v2");
        is("cuGraphInstantiate", 12_000, "cuGraphInstantiateWithFlags");
    }

    #[test]
    fn what_is_missing_is_told_from_what_is_too_new() {
        know(&TABLE);
        let error = |name, version| newest(name, version).map(|entry| entry.symbol);
        assert_eq!(error("cuLaunchKernelEx", 11_000), Err(Missing::TooNew));
        assert_eq!(error("cuTeleport", 13_000), Err(Missing::Unknown));
    }

    #[test]
    fn a_panic_in_a_call_is_a_fault_of_its_context() {
        use crate::objects::context::{CONTEXTS, Context, stack};
        use crate::objects::device;

        device::make().expect("a simulated device");
        let context = Context::make(&device::all()[0], 0, false);
        stack(|stack| stack.push(context.handle));
        let columns = Columns::NONE.always();
        let mut body = || panic!("with what the call changes half changed");
        let code = entry::answer(&TABLE, "cuTest", &columns, DefaultStream::Legacy, &mut body);
        assert_eq!(code, CUresult::ERROR_UNKNOWN);
        let fault = context.check().expect_err("the context cannot be used");
        assert_eq!(fault.code, CUresult::ERROR_UNKNOWN);
        stack(|stack| stack.pop());
        CONTEXTS.remove(context.handle);
    }
}
