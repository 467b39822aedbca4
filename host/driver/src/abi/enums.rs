//! Enumerators and flags of `cuda.h`, as constants in one module per C enumeration.
//!
//! Only the constants that a simulated call or the host crate uses are here. Device attributes are
//! a table in `objects::attributes`.

macro_rules! enumerators {
    ($($(#[$doc:meta])* mod $module:ident { $($name:ident = $value:expr,)* })*) => {$(
        $(#[$doc])*
        pub mod $module {
            #![allow(missing_docs, reason = "the names are those of cuda.h")]
            $(pub const $name: u32 = $value;)*
        }
    )*};
}

enumerators! {
    /// The values of `CUctx_flags`.
    mod context_flags {
        SCHED_MASK = 0x07,
        MAP_HOST = 0x08,
        LMEM_RESIZE_TO_MAX = 0x10,
        COREDUMP_ENABLE = 0x20,
        USER_COREDUMP_ENABLE = 0x40,
        SYNC_MEMOPS = 0x80,
        MASK = 0xff,
    }
    /// The values of `CUlimit`.
    mod limit {
        STACK_SIZE = 0,
        PRINTF_FIFO_SIZE = 1,
        MALLOC_HEAP_SIZE = 2,
        DEV_RUNTIME_SYNC_DEPTH = 3,
        DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
        MAX_L2_FETCH_GRANULARITY = 5,
        PERSISTING_L2_CACHE_SIZE = 6,
        COUNT = 7,
    }
    /// The smallest and the largest valid value of `CUfunc_cache`.
    mod func_cache {
        PREFER_NONE = 0,
        PREFER_EQUAL = 3,
    }
    /// The values of `CUsharedconfig`.
    mod shared_config {
        DEFAULT_BANK_SIZE = 0,
        FOUR_BYTE_BANK_SIZE = 1,
        EIGHT_BYTE_BANK_SIZE = 2,
    }
    /// The values of `CUstream_flags`.
    mod stream_flags {
        NON_BLOCKING = 1,
    }
    /// The values of `CUevent_flags`.
    mod event_flags {
        BLOCKING_SYNC = 1,
        DISABLE_TIMING = 2,
        INTERPROCESS = 4,
        ALL = 7,
    }
    /// The values of `CUmemAttach_flags`.
    mod attach {
        GLOBAL = 1,
        HOST = 2,
        SINGLE = 4,
    }
    /// The values of `CU_MEMHOSTALLOC_*`.
    mod host_alloc {
        PORTABLE = 1,
        DEVICEMAP = 2,
        WRITECOMBINED = 4,
        ALL = 7,
    }
    /// The values of `CU_MEMHOSTREGISTER_*`.
    mod host_register {
        DEVICEMAP = 2,
        ALL = 0xf,
    }
    /// The values of `CUmemorytype`.
    mod memory_type {
        HOST = 1,
        DEVICE = 2,
        ARRAY = 3,
        UNIFIED = 4,
    }
    /// The values of `CUarray_format`.
    mod array_format {
        UNSIGNED_INT8 = 0x01,
        UNSIGNED_INT16 = 0x02,
        UNSIGNED_INT32 = 0x03,
        SIGNED_INT8 = 0x08,
        SIGNED_INT16 = 0x09,
        SIGNED_INT32 = 0x0a,
        HALF = 0x10,
        FLOAT = 0x20,
        FIRST_SPECIAL = 0x50,
        LAST_SPECIAL = 0xcc,
    }
    /// The values of `CUDA_ARRAY3D_*`.
    mod array_flags {
        LAYERED = 0x01,
        SURFACE_LDST = 0x02,
        CUBEMAP = 0x04,
        TEXTURE_GATHER = 0x08,
        DEPTH_TEXTURE = 0x10,
        COLOR_ATTACHMENT = 0x20,
        SPARSE = 0x40,
        DEFERRED_MAPPING = 0x80,
        ALL = 0xff,
    }
    /// The values of `CUresourcetype`.
    mod resource_type {
        ARRAY = 0,
        MIPMAPPED_ARRAY = 1,
        LINEAR = 2,
        PITCH2D = 3,
    }
    /// The values of `CUaddress_mode`.
    mod address_mode {
        WRAP = 0,
        CLAMP = 1,
        MIRROR = 2,
        BORDER = 3,
    }
    /// The values of `CUfilter_mode`.
    mod filter_mode {
        POINT = 0,
        LINEAR = 1,
    }
    /// The values of `CU_TRSF_*`.
    mod texture_flags {
        READ_AS_INTEGER = 0x01,
        NORMALIZED_COORDINATES = 0x02,
        SRGB = 0x10,
        DISABLE_TRILINEAR_OPTIMIZATION = 0x20,
        SEAMLESS_CUBEMAP = 0x40,
        ALL = 0x73,
    }
    /// The values of `CU_TRSA_*`.
    mod reference_flags {
        OVERRIDE_FORMAT = 1,
    }
    /// The values of `CUpointer_attribute`.
    mod pointer_attribute {
        CONTEXT = 1,
        MEMORY_TYPE = 2,
        DEVICE_POINTER = 3,
        HOST_POINTER = 4,
        P2P_TOKENS = 5,
        SYNC_MEMOPS = 6,
        BUFFER_ID = 7,
        IS_MANAGED = 8,
        DEVICE_ORDINAL = 9,
        IS_LEGACY_CUDA_IPC_CAPABLE = 10,
        RANGE_START_ADDR = 11,
        RANGE_SIZE = 12,
        MAPPED = 13,
        ALLOWED_HANDLE_TYPES = 14,
        IS_GPU_DIRECT_RDMA_CAPABLE = 15,
        ACCESS_FLAGS = 16,
        MEMPOOL_HANDLE = 17,
        MAPPING_SIZE = 18,
        MAPPING_BASE_ADDR = 19,
        MEMORY_BLOCK_ID = 20,
        IS_HW_DECOMPRESS_CAPABLE = 21,
    }
    /// The values of `CUfunction_attribute`.
    mod function_attribute {
        MAX_THREADS_PER_BLOCK = 0,
        SHARED_SIZE_BYTES = 1,
        CONST_SIZE_BYTES = 2,
        LOCAL_SIZE_BYTES = 3,
        NUM_REGS = 4,
        PTX_VERSION = 5,
        BINARY_VERSION = 6,
        CACHE_MODE_CA = 7,
        MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
        CLUSTER_SIZE_MUST_BE_SET = 10,
        REQUIRED_CLUSTER_WIDTH = 11,
        REQUIRED_CLUSTER_HEIGHT = 12,
        REQUIRED_CLUSTER_DEPTH = 13,
        NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
        CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
    }
    /// The values of `CUjit_option`.
    mod jit {
        MAX_REGISTERS = 0,
        WALL_TIME = 2,
        INFO_LOG_BUFFER = 3,
        INFO_LOG_BUFFER_SIZE_BYTES = 4,
        ERROR_LOG_BUFFER = 5,
        ERROR_LOG_BUFFER_SIZE_BYTES = 6,
        OPTIMIZATION_LEVEL = 7,
        GENERATE_DEBUG_INFO = 11,
        LOG_VERBOSE = 12,
        GENERATE_LINE_INFO = 13,
        CACHE_MODE = 14,
        COUNT = 35,
    }
    /// The values of `CUjitInputType`.
    mod jit_input {
        CUBIN = 0,
        PTX = 1,
        FATBINARY = 2,
        OBJECT = 3,
        LIBRARY = 4,
        NVVM = 5,
    }
    /// The values of `CUlaunchAttributeID` and `CUstreamAttrID`.
    mod launch_attribute {
        IGNORE = 0,
        ACCESS_POLICY_WINDOW = 1,
        COOPERATIVE = 2,
        SYNCHRONIZATION_POLICY = 3,
        CLUSTER_DIMENSION = 4,
        CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
        PROGRAMMATIC_STREAM_SERIALIZATION = 6,
        PROGRAMMATIC_EVENT = 7,
        PRIORITY = 8,
        MEM_SYNC_DOMAIN_MAP = 9,
        MEM_SYNC_DOMAIN = 10,
        PREFERRED_CLUSTER_DIMENSION = 11,
        LAUNCH_COMPLETION_EVENT = 12,
        PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
    }
    /// The values of `CUmem_advise`.
    mod advise {
        SET_READ_MOSTLY = 1,
        UNSET_READ_MOSTLY = 2,
        SET_PREFERRED_LOCATION = 3,
        UNSET_PREFERRED_LOCATION = 4,
        SET_ACCESSED_BY = 5,
        UNSET_ACCESSED_BY = 6,
    }
    /// The values of `CUaccessProperty`.
    mod access_property {
        NORMAL = 0,
        STREAMING = 1,
        PERSISTING = 2,
    }
    /// The values of `CUmemLocationType` that memory of a GPU has.
    mod memory_location {
        DEVICE = 1,
    }
    /// The values of `CUmemAllocationType` that pools have.
    mod memory_allocation {
        PINNED = 1,
    }
    /// The values of `CUmemPool_attribute` that are numbers of bytes.
    mod pool_attribute {
        RELEASE_THRESHOLD = 4,
        RESERVED_MEM_CURRENT = 5,
        RESERVED_MEM_HIGH = 6,
        USED_MEM_CURRENT = 7,
        USED_MEM_HIGH = 8,
    }
    /// The values of `CUdevice_P2PAttribute`.
    mod p2p {
        FIRST = 1,
        LAST = 5,
    }
    /// The identifiers of entries in `cuLaunchKernel`'s `extra` list.
    mod launch_extra {
        END = 0,
        BUFFER_POINTER = 1,
        BUFFER_SIZE = 2,
    }
    /// The values of `CUgraphNodeType`.
    mod graph_node_type {
        KERNEL = 0,
        MEMCPY = 1,
        MEMSET = 2,
        HOST = 3,
        GRAPH = 4,
        EMPTY = 5,
        WAIT_EVENT = 6,
        EVENT_RECORD = 7,
        MEM_ALLOC = 10,
        MEM_FREE = 11,
        CONDITIONAL = 13,
    }
    /// The values of `CUgraphConditionalNodeType`.
    mod graph_conditional {
        IF = 0,
        WHILE = 1,
        SWITCH = 2,
    }
    /// The values of `CUgraphInstantiate_flags`.
    mod graph_instantiate {
        AUTO_FREE_ON_LAUNCH = 1,
        UPLOAD = 2,
        DEVICE_LAUNCH = 4,
        USE_NODE_PRIORITY = 8,
        ALL = 15,
    }
    /// The values of `CUgraphInstantiateResult`.
    mod graph_instantiate_result {
        SUCCESS = 0,
        ERROR = 1,
        INVALID_STRUCTURE = 2,
        NODE_OPERATION_NOT_SUPPORTED = 3,
    }
    /// The values of `CUgraphExecUpdateResult`.
    mod graph_update {
        SUCCESS = 0,
        ERROR = 1,
        TOPOLOGY_CHANGED = 2,
        NODE_TYPE_CHANGED = 3,
        FUNCTION_CHANGED = 4,
        PARAMETERS_CHANGED = 5,
        NOT_SUPPORTED = 6,
        UNSUPPORTED_FUNCTION_CHANGE = 7,
    }
    /// The values of `CUgraphMem_attribute`.
    mod graph_memory_attribute {
        USED_MEM_CURRENT = 0,
        USED_MEM_HIGH = 1,
        RESERVED_MEM_CURRENT = 2,
        RESERVED_MEM_HIGH = 3,
    }
    /// The values of `CUstreamCaptureMode`.
    mod capture_mode {
        GLOBAL = 0,
        THREAD_LOCAL = 1,
        RELAXED = 2,
    }
    /// The values of `CUstreamCaptureStatus`.
    mod capture_status {
        NONE = 0,
        ACTIVE = 1,
        INVALIDATED = 2,
    }
    /// The values of `CUevent_record_flags` and `CUevent_wait_flags`.
    mod event_use {
        EXTERNAL = 1,
    }
}
