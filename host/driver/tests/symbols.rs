//! Every symbol that `cust_raw` 0.11 declares exists, is ours, and takes arguments of the declared sizes.
//!
//! The list is `grep -o 'pub fn cu[A-Za-z0-9_]*'` over cust_raw's `cuda.rs`, by number of arguments; cust_raw is generated
//! from `cuda.h` by bindgen, and our table was written apart from it, so this compares two readings of the header.

use cust::sys;
use driver::api;

/// Compares two functions of so many arguments: their addresses, and the sizes of what they take.
macro_rules! same {
    ($($type:ident)*; $($name:ident)*) => {{
        fn sizes<$($type,)* R>(_: unsafe extern "C" fn($($type),*) -> R) -> Vec<usize> {
            vec![$(size_of::<$type>(),)* size_of::<R>()]
        }
        let mut compared = 0;
        $(
            assert_eq!(api::$name as *const (), sys::$name as *const (), "{} is not ours", stringify!($name));
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

#[test]
fn a_call_that_is_not_simulated_says_so_by_name() {
    // SAFETY: takes zero at any time.
    assert_eq!(unsafe { api::cuInit(0) }.0, 0);
    if driver::backend() == Some(driver::Backend::Cuda) {
        println!("skipped: on a GPU the call is NVIDIA's");
        return;
    }
    // All such calls come from one line of the table's macro, and look at no argument.
    let (mut name, mut mask) = ([0; 8], 0);
    // SAFETY: variables of this test's own.
    let code = unsafe { api::cuDeviceGetLuid(name.as_mut_ptr(), &mut mask, 0) };
    assert_eq!(code, driver::abi::CUresult::ERROR_NOT_SUPPORTED);
    let message = driver::last_message().unwrap_or_default();
    assert!(message.contains("cuDeviceGetLuid"), "{message}");
}
