//! Result codes: number, name, description. The constants, `cuGetErrorName` and `cuGetErrorString`
//! are all made from one table.
//!
//! A row is `CODE NAME [newer] DESCRIPTION`. `newer` marks the codes that `cust_raw` 0.11 does not
//! have. It declares the result of every call as a Rust enum, which must not hold a number without
//! a variant. See [`CUresult::as_cust_has_it`].
//!
//! Source: CUDA driver API reference 13.0, "Data types used by CUDA driver", `CUresult`. The
//! descriptions are those that a current driver returns, since programs print them and people
//! search for them.

use std::ffi::CStr;

/// The result code of a driver call.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CUresult(pub u32);

macro_rules! codes {
    ($($code:literal $name:ident $($newer:ident)? $text:literal,)*) => {
        #[allow(missing_docs, reason = "the code's description says what it means")]
        impl CUresult {
            $(pub const $name: CUresult = CUresult($code);)*

            /// Returns the constant's name in C, such as `CUDA_ERROR_INVALID_VALUE`.
            pub fn name(self) -> Option<&'static CStr> {
                Some(match self.0 {
                    $($code => const { c_name(concat!("CUDA_", stringify!($name), "\0")) },)*
                    _ => return None,
                })
            }

            /// Returns the driver's own description.
            pub fn description(self) -> Option<&'static CStr> {
                Some(match self.0 {
                    $($code => $text,)*
                    _ => return None,
                })
            }

            /// Returns the code itself if `cust`'s enum of codes has it, else `CUDA_ERROR_UNKNOWN`.
            pub fn as_cust_has_it(self) -> CUresult {
                match self.0 {
                    $($code => codes!(@told $name $($newer)?),)*
                    _ => CUresult::ERROR_UNKNOWN,
                }
            }

            /// Returns every code of the table.
            pub fn all() -> impl Iterator<Item = CUresult> {
                [$(CUresult($code)),*].into_iter()
            }
        }
    };
    (@told $name:ident) => { CUresult::$name };
    (@told $name:ident newer) => { CUresult::ERROR_UNKNOWN };
}

/// Converts `text`, which ends in its only zero byte, to a C string.
const fn c_name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("the codes! macro ends each name in one zero byte"),
    }
}

impl std::fmt::Debug for CUresult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({})", name.to_string_lossy(), self.0),
            None => write!(f, "CUresult({})", self.0),
        }
    }
}

codes! {
    0 SUCCESS c"no error",
    1 ERROR_INVALID_VALUE c"invalid argument",
    2 ERROR_OUT_OF_MEMORY c"out of memory",
    3 ERROR_NOT_INITIALIZED c"initialization error",
    4 ERROR_DEINITIALIZED c"driver shutting down",
    5 ERROR_PROFILER_DISABLED c"profiler disabled while using external profiling tool",
    6 ERROR_PROFILER_NOT_INITIALIZED c"profiler not initialized: call cudaProfilerInitialize()",
    7 ERROR_PROFILER_ALREADY_STARTED c"profiler already started",
    8 ERROR_PROFILER_ALREADY_STOPPED c"profiler already stopped",
    34 ERROR_STUB_LIBRARY c"CUDA driver is a stub library",
    36 ERROR_CALL_REQUIRES_NEWER_DRIVER newer c"API call is not supported in the installed CUDA driver",
    46 ERROR_DEVICE_UNAVAILABLE newer c"CUDA-capable device(s) is/are busy or unavailable",
    100 ERROR_NO_DEVICE c"no CUDA-capable device is detected",
    101 ERROR_INVALID_DEVICE c"invalid device ordinal",
    102 ERROR_DEVICE_NOT_LICENSED c"device doesn't have valid Grid license",
    200 ERROR_INVALID_IMAGE c"device kernel image is invalid",
    201 ERROR_INVALID_CONTEXT c"invalid device context",
    202 ERROR_CONTEXT_ALREADY_CURRENT c"context already current",
    205 ERROR_MAP_FAILED c"mapping of buffer object failed",
    206 ERROR_UNMAP_FAILED c"unmapping of buffer object failed",
    207 ERROR_ARRAY_IS_MAPPED c"array is mapped",
    208 ERROR_ALREADY_MAPPED c"resource already mapped",
    209 ERROR_NO_BINARY_FOR_GPU c"no kernel image is available for execution on the device",
    210 ERROR_ALREADY_ACQUIRED c"resource already acquired",
    211 ERROR_NOT_MAPPED c"resource not mapped",
    212 ERROR_NOT_MAPPED_AS_ARRAY c"resource not mapped as array",
    213 ERROR_NOT_MAPPED_AS_POINTER c"resource not mapped as pointer",
    214 ERROR_ECC_UNCORRECTABLE c"uncorrectable ECC error encountered",
    215 ERROR_UNSUPPORTED_LIMIT c"limit is not supported on this architecture",
    216 ERROR_CONTEXT_ALREADY_IN_USE c"exclusive-thread device already in use by a different thread",
    217 ERROR_PEER_ACCESS_UNSUPPORTED c"peer access is not supported between these two devices",
    218 ERROR_INVALID_PTX c"a PTX JIT compilation failed",
    219 ERROR_INVALID_GRAPHICS_CONTEXT c"invalid OpenGL or DirectX context",
    220 ERROR_NVLINK_UNCORRECTABLE c"uncorrectable NVLink error detected during the execution",
    221 ERROR_JIT_COMPILER_NOT_FOUND c"PTX JIT compiler library not found",
    222 ERROR_UNSUPPORTED_PTX_VERSION c"the provided PTX was compiled with an unsupported toolchain.",
    223 ERROR_JIT_COMPILATION_DISABLED c"PTX JIT compilation was disabled",
    224 ERROR_UNSUPPORTED_EXEC_AFFINITY c"the provided execution affinity is not supported",
    225 ERROR_UNSUPPORTED_DEVSIDE_SYNC newer c"the provided PTX contains unsupported call to cudaDeviceSynchronize",
    226 ERROR_CONTAINED newer c"Invalid access of peer GPU memory over nvlink or a hardware error",
    300 ERROR_INVALID_SOURCE c"device kernel image is invalid",
    301 ERROR_FILE_NOT_FOUND c"file not found",
    302 ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND c"shared object symbol not found",
    303 ERROR_SHARED_OBJECT_INIT_FAILED c"shared object initialization failed",
    304 ERROR_OPERATING_SYSTEM c"OS call failed or operation not supported on this OS",
    400 ERROR_INVALID_HANDLE c"invalid resource handle",
    401 ERROR_ILLEGAL_STATE c"the operation cannot be performed in the present state",
    402 ERROR_LOSSY_QUERY newer c"attempted introspection would be semantically lossy",
    500 ERROR_NOT_FOUND c"named symbol not found",
    600 ERROR_NOT_READY c"device not ready",
    700 ERROR_ILLEGAL_ADDRESS c"an illegal memory access was encountered",
    701 ERROR_LAUNCH_OUT_OF_RESOURCES c"too many resources requested for launch",
    702 ERROR_LAUNCH_TIMEOUT c"the launch timed out and was terminated",
    703 ERROR_LAUNCH_INCOMPATIBLE_TEXTURING c"launch uses incompatible texturing mode",
    704 ERROR_PEER_ACCESS_ALREADY_ENABLED c"peer access is already enabled",
    705 ERROR_PEER_ACCESS_NOT_ENABLED c"peer access has not been enabled",
    708 ERROR_PRIMARY_CONTEXT_ACTIVE c"cannot set while device is active in this process",
    709 ERROR_CONTEXT_IS_DESTROYED c"context is destroyed",
    710 ERROR_ASSERT c"device-side assert triggered",
    711 ERROR_TOO_MANY_PEERS c"peer mapping resources exhausted",
    712 ERROR_HOST_MEMORY_ALREADY_REGISTERED c"part or all of the requested memory range is already mapped",
    713 ERROR_HOST_MEMORY_NOT_REGISTERED c"pointer does not correspond to a registered memory region",
    714 ERROR_HARDWARE_STACK_ERROR c"hardware stack error",
    715 ERROR_ILLEGAL_INSTRUCTION c"an illegal instruction was encountered",
    716 ERROR_MISALIGNED_ADDRESS c"misaligned address",
    717 ERROR_INVALID_ADDRESS_SPACE c"operation not supported on global/shared address space",
    718 ERROR_INVALID_PC c"invalid program counter",
    719 ERROR_LAUNCH_FAILED c"unspecified launch failure",
    720 ERROR_COOPERATIVE_LAUNCH_TOO_LARGE c"too many blocks in cooperative launch",
    721 ERROR_TENSOR_MEMORY_LEAK newer c"Tensor memory not completely freed",
    800 ERROR_NOT_PERMITTED c"operation not permitted",
    801 ERROR_NOT_SUPPORTED c"operation not supported",
    802 ERROR_SYSTEM_NOT_READY c"system not yet initialized",
    803 ERROR_SYSTEM_DRIVER_MISMATCH c"system has unsupported display driver / cuda driver combination",
    804 ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE c"forward compatibility was attempted on non supported HW",
    805 ERROR_MPS_CONNECTION_FAILED c"MPS client failed to connect to the MPS control daemon or the MPS server",
    806 ERROR_MPS_RPC_FAILURE c"the remote procedural call between the MPS server and the MPS client failed",
    807 ERROR_MPS_SERVER_NOT_READY c"MPS server is not ready to accept new MPS client requests",
    808 ERROR_MPS_MAX_CLIENTS_REACHED c"the hardware resources required to create MPS client have been exhausted",
    809 ERROR_MPS_MAX_CONNECTIONS_REACHED c"the hardware resources required to support device connections have been exhausted",
    810 ERROR_MPS_CLIENT_TERMINATED newer c"the MPS client has been terminated by the server",
    811 ERROR_CDP_NOT_SUPPORTED newer c"is not supported by CUDA Dynamic Parallelism",
    812 ERROR_CDP_VERSION_MISMATCH newer c"unsupported interaction between different versions of CUDA Dynamic Parallelism",
    900 ERROR_STREAM_CAPTURE_UNSUPPORTED c"operation not permitted when stream is capturing",
    901 ERROR_STREAM_CAPTURE_INVALIDATED c"operation failed due to a previous error during capture",
    902 ERROR_STREAM_CAPTURE_MERGE c"operation would result in a merge of separate capture sequences",
    903 ERROR_STREAM_CAPTURE_UNMATCHED c"capture was not ended in the same stream as it began",
    904 ERROR_STREAM_CAPTURE_UNJOINED c"capturing stream has unjoined work",
    905 ERROR_STREAM_CAPTURE_ISOLATION c"dependency created on uncaptured work in another stream",
    906 ERROR_STREAM_CAPTURE_IMPLICIT c"operation would make the legacy stream depend on a capturing blocking stream",
    907 ERROR_CAPTURED_EVENT c"operation not permitted on an event last recorded in a capturing stream",
    908 ERROR_STREAM_CAPTURE_WRONG_THREAD c"attempt to terminate a thread-local capture sequence from another thread",
    909 ERROR_TIMEOUT c"wait operation timed out",
    910 ERROR_GRAPH_EXEC_UPDATE_FAILURE c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update",
    911 ERROR_EXTERNAL_DEVICE c"an async error has occurred in an external entity outside of CUDA",
    912 ERROR_INVALID_CLUSTER_SIZE newer c"a kernel launch error has occurred due to cluster misconfiguration",
    913 ERROR_FUNCTION_NOT_LOADED newer c"the function handle is not loaded",
    914 ERROR_INVALID_RESOURCE_TYPE newer c"the resource type is invalid",
    915 ERROR_INVALID_RESOURCE_CONFIGURATION newer c"the resource configuration is invalid",
    916 ERROR_KEY_ROTATION newer c"key rotation has occurred",
    999 ERROR_UNKNOWN c"unknown error",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_and_a_description() {
        assert!(CUresult::all().count() > 90);
        for code in CUresult::all() {
            assert!(
                code.name()
                    .is_some_and(|name| name.to_bytes().starts_with(b"CUDA_")),
                "{}",
                code.0
            );
            assert!(
                code.description().is_some_and(|text| !text.is_empty()),
                "{}",
                code.0
            );
        }
        assert_eq!(CUresult(12_345).name(), None);
    }
}
