//! Every symbol that `cust_raw` 0.11 declares exists, is ours, and takes arguments of
//! the declared sizes.
//!
//! The list is `grep -o 'pub fn cu[A-Za-z0-9_]*'` over cust_raw's `cuda.rs`, by number of
//! arguments. bindgen generated cust_raw from `cuda.h`, and our table was written independently of
//! it. So this test compares two readings of the header.

use cust::sys;
use lanewise_driver::abi::CUresult;
use lanewise_driver::api;

/// Compares two functions with this many arguments: their addresses and their arguments' sizes.
macro_rules! same {
    ($($type:ident)*; $($name:ident)*) => {{
        fn sizes<$($type,)* R>(_: unsafe extern "C" fn($($type),*) -> R) -> Vec<usize> {
            vec![$(size_of::<$type>(),)* size_of::<R>()]
        }
        let mut compared = 0;
        $(
            assert_eq!(api::exported::$name as *const (), sys::$name as *const (), "{} is not ours", stringify!($name));
            assert_eq!(sizes(api::$name), sizes(sys::$name), "{}", stringify!($name));
            compared += 1;
        )*
        compared
    }};
}

#[test]
fn every_symbol_of_cust_raw_is_ours_and_has_the_declared_shape() {
    let mut compared = 0;
    compared += same!(;
        cuCtxSynchronize cuCtxResetPersistingL2Cache cuProfilerStart cuProfilerStop);
    compared += same!(A;
        cuInit cuDriverGetVersion cuDeviceGetCount cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2
        cuCtxDestroy_v2 cuCtxPushCurrent_v2 cuCtxPopCurrent_v2 cuCtxSetCurrent cuCtxGetCurrent cuCtxGetDevice
        cuCtxGetFlags cuCtxGetCacheConfig cuCtxSetCacheConfig cuCtxGetSharedMemConfig cuCtxSetSharedMemConfig
        cuCtxDetach cuModuleUnload cuLinkDestroy cuMemFree_v2 cuMemFreeHost cuIpcCloseMemHandle
        cuMemHostUnregister cuMemcpy2D_v2 cuMemcpy2DUnaligned_v2 cuMemcpy3D_v2 cuMemcpy3DPeer cuArrayDestroy
        cuMipmappedArrayDestroy cuMemRelease cuMemPoolDestroy cuThreadExchangeStreamCaptureMode cuStreamQuery
        cuStreamSynchronize cuStreamDestroy_v2 cuEventQuery cuEventSynchronize cuEventDestroy_v2
        cuDestroyExternalMemory cuDestroyExternalSemaphore cuLaunch cuDeviceGraphMemTrim cuGraphDestroyNode
        cuGraphExecDestroy cuGraphDestroy cuTexRefCreate cuTexRefDestroy cuTexObjectDestroy
        cuSurfObjectDestroy cuCtxDisablePeerAccess cuGraphicsUnregisterResource);
    compared += same!(A B;
        cuGetErrorString cuGetErrorName cuDeviceGet cuDeviceGetUuid cuDeviceGetUuid_v2 cuDeviceTotalMem_v2
        cuDeviceSetMemPool cuDeviceGetMemPool cuDeviceGetDefaultMemPool cuFlushGPUDirectRDMAWrites
        cuDeviceGetProperties cuDevicePrimaryCtxRetain cuDevicePrimaryCtxSetFlags_v2 cuCtxSetLimit
        cuCtxGetLimit cuCtxGetApiVersion cuCtxGetStreamPriorityRange cuCtxGetExecAffinity cuCtxAttach
        cuModuleLoad cuModuleLoadData cuModuleLoadFatBinary cuMemGetInfo_v2 cuMemAlloc_v2 cuMemAllocHost_v2
        cuMemHostGetFlags cuDeviceGetByPCIBusId cuIpcGetEventHandle cuIpcOpenEventHandle cuIpcGetMemHandle
        cuMemcpy2DAsync_v2 cuMemcpy3DAsync_v2 cuMemcpy3DPeerAsync cuArrayCreate_v2 cuArrayGetDescriptor_v2
        cuArrayGetSparseProperties cuMipmappedArrayGetSparseProperties cuArray3DCreate_v2
        cuArray3DGetDescriptor_v2 cuMemAddressFree cuMemUnmap cuMemGetAllocationPropertiesFromHandle
        cuMemRetainAllocationHandle cuMemFreeAsync cuMemPoolTrimTo cuMemPoolCreate cuMemPoolExportPointer
        cuStreamCreate cuStreamGetPriority cuStreamGetFlags cuStreamGetCtx cuStreamBeginCapture_v2
        cuStreamEndCapture cuStreamIsCapturing cuStreamCopyAttributes cuEventCreate cuEventRecord
        cuImportExternalMemory cuImportExternalSemaphore cuFuncSetCacheConfig cuFuncSetSharedMemConfig
        cuFuncGetModule cuFuncSetSharedSize cuParamSetSize cuGraphCreate cuGraphKernelNodeGetParams
        cuGraphKernelNodeSetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams
        cuGraphMemsetNodeGetParams cuGraphMemsetNodeSetParams cuGraphHostNodeGetParams
        cuGraphHostNodeSetParams cuGraphChildGraphNodeGetGraph cuGraphEventRecordNodeGetEvent
        cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent
        cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
        cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams
        cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams cuGraphClone cuGraphNodeGetType cuGraphUpload
        cuGraphLaunch cuGraphKernelNodeCopyAttributes cuUserObjectRetain cuUserObjectRelease
        cuTexRefSetFilterMode cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias cuTexRefSetMaxAnisotropy
        cuTexRefSetBorderColor cuTexRefSetFlags cuTexRefGetAddress_v2 cuTexRefGetArray
        cuTexRefGetMipmappedArray cuTexRefGetFilterMode cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
        cuTexRefGetMaxAnisotropy cuTexRefGetBorderColor cuTexRefGetFlags cuSurfRefGetArray
        cuTexObjectGetResourceDesc cuTexObjectGetTextureDesc cuTexObjectGetResourceViewDesc cuSurfObjectCreate
        cuSurfObjectGetResourceDesc cuCtxEnablePeerAccess cuGraphicsResourceGetMappedMipmappedArray
        cuGraphicsResourceSetMapFlags_v2 cuGetExportTable);
    compared += same!(A B C;
        cuDeviceGetName cuDeviceGetLuid cuDeviceGetAttribute cuDeviceGetNvSciSyncAttributes
        cuDeviceComputeCapability cuDevicePrimaryCtxGetState cuDeviceGetExecAffinitySupport cuCtxCreate_v2
        cuModuleGetFunction cuModuleGetTexRef cuModuleGetSurfRef cuLinkComplete cuMemGetAddressRange_v2
        cuMemHostAlloc cuMemHostGetDevicePointer_v2 cuMemAllocManaged cuDeviceGetPCIBusId
        cuIpcOpenMemHandle_v2 cuMemHostRegister_v2 cuMemcpy cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpyDtoD_v2
        cuMemsetD8_v2 cuMemsetD16_v2 cuMemsetD32_v2 cuArrayGetPlane cuMipmappedArrayCreate
        cuMipmappedArrayGetLevel cuMemMapArrayAsync cuMemGetAccess cuMemImportFromShareableHandle
        cuMemGetAllocationGranularity cuMemAllocAsync cuMemPoolSetAttribute cuMemPoolGetAttribute
        cuMemPoolSetAccess cuMemPoolGetAccess cuMemPoolImportPointer cuPointerGetAttribute
        cuPointerSetAttribute cuStreamCreateWithPriority cuStreamWaitEvent cuStreamGetCaptureInfo
        cuStreamGetAttribute cuStreamSetAttribute cuEventRecordWithFlags cuEventElapsedTime
        cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray cuFuncGetAttribute
        cuFuncSetAttribute cuLaunchCooperativeKernelMultiDevice cuLaunchHostFunc cuParamSeti cuParamSetf
        cuLaunchGrid cuParamSetTexRef cuDeviceGetGraphMemAttribute cuDeviceSetGraphMemAttribute
        cuGraphNodeFindInClone cuGraphGetNodes cuGraphGetRootNodes cuGraphNodeGetDependencies
        cuGraphNodeGetDependentNodes cuGraphInstantiateWithFlags cuGraphExecKernelNodeSetParams
        cuGraphExecHostNodeSetParams cuGraphExecChildGraphNodeSetParams cuGraphExecEventRecordNodeSetEvent
        cuGraphExecEventWaitNodeSetEvent cuGraphExecExternalSemaphoresSignalNodeSetParams
        cuGraphExecExternalSemaphoresWaitNodeSetParams cuGraphKernelNodeGetAttribute
        cuGraphKernelNodeSetAttribute cuGraphDebugDotPrint cuGraphReleaseUserObject cuTexRefSetArray
        cuTexRefSetMipmappedArray cuTexRefSetFormat cuTexRefSetAddressMode cuTexRefSetMipmapLevelClamp
        cuTexRefGetAddressMode cuTexRefGetFormat cuTexRefGetMipmapLevelClamp cuSurfRefSetArray
        cuDeviceCanAccessPeer cuGraphicsResourceGetMappedPointer_v2 cuGraphicsMapResources
        cuGraphicsUnmapResources cuProfilerInitialize);
    compared += same!(A B C D;
        cuDeviceGetTexture1DLinearMaxWidth cuModuleGetGlobal_v2 cuLinkCreate_v2 cuMemcpyDtoA_v2
        cuMemcpyAtoD_v2 cuMemcpyHtoA_v2 cuMemcpyAtoH_v2 cuMemcpyAsync cuMemcpyHtoDAsync_v2
        cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async cuMemsetD16Async cuMemsetD32Async
        cuMemCreate cuMemSetAccess cuMemExportToShareableHandle cuMemAllocFromPoolAsync
        cuMemPoolExportToShareableHandle cuMemPoolImportFromShareableHandle cuMemPrefetchAsync cuMemAdvise
        cuPointerGetAttributes cuStreamAddCallback cuStreamUpdateCaptureDependencies cuStreamAttachMemAsync
        cuSignalExternalSemaphoresAsync cuWaitExternalSemaphoresAsync cuStreamWaitValue32 cuStreamWaitValue64
        cuStreamWriteValue32 cuStreamWriteValue64 cuStreamBatchMemOp cuFuncSetBlockShape cuParamSetv
        cuLaunchGridAsync cuGraphAddEmptyNode cuGraphGetEdges cuGraphAddDependencies cuGraphRemoveDependencies
        cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams cuGraphExecUpdate
        cuGraphRetainUserObject cuOccupancyMaxActiveBlocksPerMultiprocessor
        cuOccupancyAvailableDynamicSMemPerBlock cuTexRefSetAddress_v2 cuTexRefSetAddress2D_v3
        cuTexObjectCreate cuDeviceGetP2PAttribute cuGraphicsSubResourceGetMappedArray cuGetProcAddress);
    compared += same!(A B C D E;
        cuCtxCreate_v3 cuModuleLoadDataEx cuMemAllocPitch_v2 cuMemcpyPeer cuMemcpyAtoA_v2 cuMemcpyHtoAAsync_v2
        cuMemcpyAtoHAsync_v2 cuMemsetD2D8_v2 cuMemsetD2D16_v2 cuMemsetD2D32_v2 cuMemAddressReserve cuMemMap
        cuMemRangeGetAttribute cuGraphAddKernelNode cuGraphAddHostNode cuGraphAddChildGraphNode
        cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode
        cuGraphAddExternalSemaphoresWaitNode cuGraphAddMemAllocNode cuGraphAddMemFreeNode
        cuGraphInstantiate_v2 cuUserObjectCreate cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
    compared += same!(A B C D E F;
        cuLinkAddFile_v2 cuMemcpyPeerAsync cuMemsetD2D8Async cuMemsetD2D16Async cuMemsetD2D32Async
        cuMemRangeGetAttributes cuStreamGetCaptureInfo_v2 cuGraphAddMemcpyNode cuGraphAddMemsetNode
        cuOccupancyMaxPotentialBlockSize);
    compared += same!(A B C D E F G;
        cuOccupancyMaxPotentialBlockSizeWithFlags);
    compared += same!(A B C D E F G H;
        cuLinkAddData_v2);
    compared += same!(A B C D E F G H I J;
        cuLaunchCooperativeKernel);
    compared += same!(A B C D E F G H I J K;
        cuLaunchKernel);
    assert_eq!(compared, 353);
}

#[test]
fn every_symbol_is_in_the_table_once() {
    let mut symbols: Vec<_> = api::ENTRY_POINTS.iter().map(|entry| entry.symbol).collect();
    let all = symbols.len();
    symbols.sort_unstable();
    symbols.dedup();
    assert_eq!(symbols.len(), all);
    assert!(
        api::ENTRY_POINTS
            .iter()
            .all(|entry| (2000..=13_000).contains(&entry.since))
    );
}

/// The codes of `cust_raw`'s enum, which the compiler reads from it.
fn codes_of_cust() -> Vec<u32> {
    macro_rules! numbers {
        ($($name:ident)*) => { vec![$(sys::cudaError_enum::$name as u32),*] };
    }
    numbers!(
        CUDA_SUCCESS CUDA_ERROR_INVALID_VALUE CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_NOT_INITIALIZED CUDA_ERROR_DEINITIALIZED
        CUDA_ERROR_PROFILER_DISABLED CUDA_ERROR_PROFILER_NOT_INITIALIZED CUDA_ERROR_PROFILER_ALREADY_STARTED
        CUDA_ERROR_PROFILER_ALREADY_STOPPED CUDA_ERROR_STUB_LIBRARY CUDA_ERROR_NO_DEVICE CUDA_ERROR_INVALID_DEVICE
        CUDA_ERROR_DEVICE_NOT_LICENSED CUDA_ERROR_INVALID_IMAGE CUDA_ERROR_INVALID_CONTEXT CUDA_ERROR_CONTEXT_ALREADY_CURRENT
        CUDA_ERROR_MAP_FAILED CUDA_ERROR_UNMAP_FAILED CUDA_ERROR_ARRAY_IS_MAPPED CUDA_ERROR_ALREADY_MAPPED
        CUDA_ERROR_NO_BINARY_FOR_GPU CUDA_ERROR_ALREADY_ACQUIRED CUDA_ERROR_NOT_MAPPED CUDA_ERROR_NOT_MAPPED_AS_ARRAY
        CUDA_ERROR_NOT_MAPPED_AS_POINTER CUDA_ERROR_ECC_UNCORRECTABLE CUDA_ERROR_UNSUPPORTED_LIMIT
        CUDA_ERROR_CONTEXT_ALREADY_IN_USE CUDA_ERROR_PEER_ACCESS_UNSUPPORTED CUDA_ERROR_INVALID_PTX
        CUDA_ERROR_INVALID_GRAPHICS_CONTEXT CUDA_ERROR_NVLINK_UNCORRECTABLE CUDA_ERROR_JIT_COMPILER_NOT_FOUND
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION CUDA_ERROR_JIT_COMPILATION_DISABLED CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
        CUDA_ERROR_INVALID_SOURCE CUDA_ERROR_FILE_NOT_FOUND CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED CUDA_ERROR_OPERATING_SYSTEM CUDA_ERROR_INVALID_HANDLE CUDA_ERROR_ILLEGAL_STATE
        CUDA_ERROR_NOT_FOUND CUDA_ERROR_NOT_READY CUDA_ERROR_ILLEGAL_ADDRESS CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
        CUDA_ERROR_LAUNCH_TIMEOUT CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
        CUDA_ERROR_PEER_ACCESS_NOT_ENABLED CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE CUDA_ERROR_CONTEXT_IS_DESTROYED
        CUDA_ERROR_ASSERT CUDA_ERROR_TOO_MANY_PEERS CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED CUDA_ERROR_HARDWARE_STACK_ERROR CUDA_ERROR_ILLEGAL_INSTRUCTION
        CUDA_ERROR_MISALIGNED_ADDRESS CUDA_ERROR_INVALID_ADDRESS_SPACE CUDA_ERROR_INVALID_PC CUDA_ERROR_LAUNCH_FAILED
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE CUDA_ERROR_NOT_PERMITTED CUDA_ERROR_NOT_SUPPORTED CUDA_ERROR_SYSTEM_NOT_READY
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE CUDA_ERROR_MPS_CONNECTION_FAILED
        CUDA_ERROR_MPS_RPC_FAILURE CUDA_ERROR_MPS_SERVER_NOT_READY CUDA_ERROR_MPS_MAX_CLIENTS_REACHED
        CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        CUDA_ERROR_STREAM_CAPTURE_MERGE CUDA_ERROR_STREAM_CAPTURE_UNMATCHED CUDA_ERROR_STREAM_CAPTURE_UNJOINED
        CUDA_ERROR_STREAM_CAPTURE_ISOLATION CUDA_ERROR_STREAM_CAPTURE_IMPLICIT CUDA_ERROR_CAPTURED_EVENT
        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD CUDA_ERROR_TIMEOUT CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
        CUDA_ERROR_EXTERNAL_DEVICE CUDA_ERROR_UNKNOWN
    )
}

#[test]
fn no_code_reaches_cust_that_its_enum_lacks() {
    let of_cust = codes_of_cust();
    for code in (0..=1200).chain([4242, u32::MAX]) {
        let told = CUresult(code).as_cust_has_it();
        assert!(of_cust.contains(&told.0), "{code} becomes {told:?}");
        if of_cust.contains(&code) {
            assert_eq!(told.0, code, "a code that cust has stays as it is");
        }
    }
}

#[test]
fn a_call_that_is_not_simulated_says_so_by_name() {
    // SAFETY: takes zero at any time.
    assert_eq!(unsafe { api::cuInit(0) }.0, 0);
    if lanewise_driver::backend() == Some(lanewise_driver::Backend::Cuda) {
        println!("skipped: on a GPU the call is NVIDIA's");
        return;
    }
    // All such calls come from one line of the table's macro, and look at no argument.
    let (mut name, mut mask) = ([0; 8], 0);
    // SAFETY: variables of this test's own.
    let code = unsafe { api::cuDeviceGetLuid(name.as_mut_ptr(), &mut mask, 0) };
    assert_eq!(code, lanewise_driver::abi::CUresult::ERROR_NOT_SUPPORTED);
    let message = lanewise_driver::last_message().unwrap_or_default();
    assert!(message.contains("cuDeviceGetLuid"), "{message}");
}
