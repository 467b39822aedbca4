//! Device attributes: `CUdevice_attribute` from number to value, as one table.
//!
//! Values that differ between GPUs are read from the device model. The texture and surface extents
//! are the same for every compute capability from 7.0 on (CUDA C++ Programming Guide, "Technical
//! Specifications per Compute Capability"). Features that the simulated driver does not have
//! (interprocess handles, sparse arrays and so on) are 0, so that a program that queries them first
//! does not use them.

use super::device::Device;

macro_rules! attributes {
    (|$device:ident, $m:ident, $l:ident, $s:ident, $from:ident| $($number:literal $name:ident = $value:expr,)*) => {
        /// Returns the value of an attribute, or `None` if there is no such attribute.
        pub(crate) fn value($device: &Device, attribute: u32) -> Option<i32> {
            let $m = $device.sim.model();
            let ($l, $s) = (&$m.limits, &$m.multiprocessor);
            // Whether the device is of this major compute capability or above.
            let $from = |major: u32| u32::from($m.compute_capability[0] >= major);
            // An attribute is an int in C. A value of the model that does not fit counts as
            // the largest int.
            Some(match attribute {
                $($number => i64::from($value).try_into().unwrap_or(i32::MAX),)*
                _ => return None,
            })
        }

        /// The values of `CUdevice_attribute`.
        pub mod device_attribute {
            #![allow(missing_docs, reason = "the names are those of cuda.h")]
            $(pub const $name: u32 = $number;)*
        }

        /// Every attribute, by number and name.
        #[cfg(test)]
        const NAMES: &[(u32, &str)] = &[$(($number, stringify!($name)),)*];
    };
}

attributes! { |device, m, l, s, from|
    1 MAX_THREADS_PER_BLOCK = l.threads_per_block,
    2 MAX_BLOCK_DIM_X = l.block[0],
    3 MAX_BLOCK_DIM_Y = l.block[1],
    4 MAX_BLOCK_DIM_Z = l.block[2],
    5 MAX_GRID_DIM_X = l.grid[0],
    6 MAX_GRID_DIM_Y = l.grid[1],
    7 MAX_GRID_DIM_Z = l.grid[2],
    8 MAX_SHARED_MEMORY_PER_BLOCK = l.shared_per_block,
    9 TOTAL_CONSTANT_MEMORY = l.constant,
    10 WARP_SIZE = m.warp_size,
    11 MAX_PITCH = m.alignment.max_pitch,
    12 MAX_REGISTERS_PER_BLOCK = l.registers_per_block,
    13 CLOCK_RATE = m.clock_khz,
    14 TEXTURE_ALIGNMENT = m.alignment.texture,
    15 GPU_OVERLAP = 1,
    16 MULTIPROCESSOR_COUNT = m.multiprocessors,
    17 KERNEL_EXEC_TIMEOUT = 0,
    18 INTEGRATED = 0,
    19 CAN_MAP_HOST_MEMORY = 1,
    20 COMPUTE_MODE = 0,
    21 MAXIMUM_TEXTURE1D_WIDTH = 131_072,
    22 MAXIMUM_TEXTURE2D_WIDTH = 131_072,
    23 MAXIMUM_TEXTURE2D_HEIGHT = 65_536,
    24 MAXIMUM_TEXTURE3D_WIDTH = 16_384,
    25 MAXIMUM_TEXTURE3D_HEIGHT = 16_384,
    26 MAXIMUM_TEXTURE3D_DEPTH = 16_384,
    27 MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 32_768,
    28 MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 32_768,
    29 MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 2_048,
    30 SURFACE_ALIGNMENT = m.alignment.texture,
    31 CONCURRENT_KERNELS = 1,
    32 ECC_ENABLED = 1,
    33 PCI_BUS_ID = device.ordinal + 1,
    34 PCI_DEVICE_ID = 0,
    35 TCC_DRIVER = 0,
    36 MEMORY_CLOCK_RATE = m.memory_clock_khz,
    37 GLOBAL_MEMORY_BUS_WIDTH = m.bus_width,
    38 L2_CACHE_SIZE = m.l2,
    39 MAX_THREADS_PER_MULTIPROCESSOR = s.threads,
    40 ASYNC_ENGINE_COUNT = m.rates.copy_engines,
    41 UNIFIED_ADDRESSING = 1,
    42 MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 32_768,
    43 MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 2_048,
    44 CAN_TEX2D_GATHER = 1,
    45 MAXIMUM_TEXTURE2D_GATHER_WIDTH = 32_768,
    46 MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 32_768,
    47 MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 8_192,
    48 MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 8_192,
    49 MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 32_768,
    50 PCI_DOMAIN_ID = 0,
    51 TEXTURE_PITCH_ALIGNMENT = m.alignment.texture_pitch,
    52 MAXIMUM_TEXTURECUBEMAP_WIDTH = 32_768,
    53 MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 32_768,
    54 MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 2_046,
    55 MAXIMUM_SURFACE1D_WIDTH = 32_768,
    56 MAXIMUM_SURFACE2D_WIDTH = 131_072,
    57 MAXIMUM_SURFACE2D_HEIGHT = 65_536,
    58 MAXIMUM_SURFACE3D_WIDTH = 16_384,
    59 MAXIMUM_SURFACE3D_HEIGHT = 16_384,
    60 MAXIMUM_SURFACE3D_DEPTH = 16_384,
    61 MAXIMUM_SURFACE1D_LAYERED_WIDTH = 32_768,
    62 MAXIMUM_SURFACE1D_LAYERED_LAYERS = 2_048,
    63 MAXIMUM_SURFACE2D_LAYERED_WIDTH = 32_768,
    64 MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 32_768,
    65 MAXIMUM_SURFACE2D_LAYERED_LAYERS = 2_048,
    66 MAXIMUM_SURFACECUBEMAP_WIDTH = 32_768,
    67 MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 32_768,
    68 MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 2_046,
    69 MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 268_435_456,
    70 MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 131_072,
    71 MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 65_000,
    72 MAXIMUM_TEXTURE2D_LINEAR_PITCH = 2_097_120,
    73 MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 32_768,
    74 MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 32_768,
    75 COMPUTE_CAPABILITY_MAJOR = m.compute_capability[0],
    76 COMPUTE_CAPABILITY_MINOR = m.compute_capability[1],
    77 MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 32_768,
    78 STREAM_PRIORITIES_SUPPORTED = 1,
    79 GLOBAL_L1_CACHE_SUPPORTED = 1,
    80 LOCAL_L1_CACHE_SUPPORTED = 1,
    81 MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = s.shared,
    82 MAX_REGISTERS_PER_MULTIPROCESSOR = s.registers,
    83 MANAGED_MEMORY = 1,
    84 MULTI_GPU_BOARD = 0,
    85 MULTI_GPU_BOARD_GROUP_ID = device.ordinal,
    86 HOST_NATIVE_ATOMIC_SUPPORTED = 0,
    87 SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = s.f32_per_clock / s.f64_per_clock.max(1),
    88 PAGEABLE_MEMORY_ACCESS = 0,
    89 CONCURRENT_MANAGED_ACCESS = from(6),
    90 COMPUTE_PREEMPTION_SUPPORTED = from(6),
    91 CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 1,
    92 CAN_USE_STREAM_MEM_OPS_V1 = 1,
    93 CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 1,
    94 CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 1,
    95 COOPERATIVE_LAUNCH = from(6),
    96 COOPERATIVE_MULTI_DEVICE_LAUNCH = 0,
    97 MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = l.shared_per_block_optin,
    98 CAN_FLUSH_REMOTE_WRITES = 0,
    99 HOST_REGISTER_SUPPORTED = 1,
    100 PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 0,
    101 DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 0,
    102 VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 1,
    103 HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 0,
    104 HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 0,
    105 HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 0,
    106 MAX_BLOCKS_PER_MULTIPROCESSOR = s.blocks,
    107 GENERIC_COMPRESSION_SUPPORTED = 0,
    108 MAX_PERSISTING_L2_CACHE_SIZE = if m.compute_capability[0] >= 8 { m.l2 / 8 * 5 } else { 0 },
    109 MAX_ACCESS_POLICY_WINDOW_SIZE = if m.compute_capability[0] >= 8 { 134_213_632 } else { 0 },
    110 GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 0,
    111 RESERVED_SHARED_MEMORY_PER_BLOCK = l.shared_reserved,
    112 SPARSE_CUDA_ARRAY_SUPPORTED = 0,
    113 READ_ONLY_HOST_REGISTER_SUPPORTED = 1,
    114 TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 0,
    115 MEMORY_POOLS_SUPPORTED = 1,
    116 GPU_DIRECT_RDMA_SUPPORTED = 0,
    117 GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 0,
    118 GPU_DIRECT_RDMA_WRITES_ORDERING = 0,
    119 MEMPOOL_SUPPORTED_HANDLE_TYPES = 0,
    120 CLUSTER_LAUNCH = u32::from(l.cluster_blocks(false) > 1),
    121 DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 0,
    122 CAN_USE_64_BIT_STREAM_MEM_OPS = 1,
    123 CAN_USE_STREAM_WAIT_VALUE_NOR = 1,
    124 DMA_BUF_SUPPORTED = 0,
    125 IPC_EVENT_SUPPORTED = 0,
    126 MEM_SYNC_DOMAIN_COUNT = if m.compute_capability[0] >= 9 { 4 } else { 1 },
    127 TENSOR_MAP_ACCESS_SUPPORTED = 0,
    128 HANDLE_TYPE_FABRIC_SUPPORTED = 0,
    129 UNIFIED_FUNCTION_POINTERS = 0,
    130 NUMA_CONFIG = 0,
    131 NUMA_ID = -1,
    132 MULTICAST_SUPPORTED = super::memory::multicast::is_supported(device),
    133 MPS_ENABLED = 0,
    134 HOST_NUMA_ID = 0,
    135 D3D12_CIG_SUPPORTED = 0,
    136 MEM_DECOMPRESS_ALGORITHM_MASK = 0,
    137 MEM_DECOMPRESS_MAXIMUM_LENGTH = 0,
    138 VULKAN_CIG_SUPPORTED = 0,
    139 GPU_PCI_DEVICE_ID = 0,
    140 GPU_PCI_SUBSYSTEM_ID = 0,
    141 HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 0,
    142 HOST_NUMA_MEMORY_POOLS_SUPPORTED = 0,
    143 HOST_NUMA_MULTINODE_IPC_SUPPORTED = 0,
    144 HOST_MEMORY_POOLS_SUPPORTED = 0,
    145 HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 0,
    146 HOST_ALLOC_DMA_BUF_SUPPORTED = 0,
    147 ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 0,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::timeline::Timeline;
    use lanewise_sim::DeviceModel;

    fn h200() -> Device {
        let model = DeviceModel::h200();
        let timeline = Timeline::new(model.rates.copy_engines);
        let sim = lanewise_sim::Device::new(model).expect("the host has a range of addresses");
        Device {
            ordinal: 0,
            sim,
            timeline,
        }
    }

    /// What `cuDeviceGetAttribute` returned on an H200 with driver 580 (2026-11-21).
    #[test]
    fn an_h200_has_the_measured_attributes() {
        let device = h200();
        let measured = [
            ("MAX_THREADS_PER_BLOCK", 1024),
            ("MAX_BLOCK_DIM_Z", 64),
            ("MAX_GRID_DIM_X", i32::MAX),
            ("MAX_GRID_DIM_Y", 65_535),
            ("MAX_GRID_DIM_Z", 65_535),
            ("MAX_SHARED_MEMORY_PER_BLOCK", 49_152),
            ("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", 232_448),
            ("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", 233_472),
            ("TOTAL_CONSTANT_MEMORY", 65_536),
            ("WARP_SIZE", 32),
            ("MAX_PITCH", i32::MAX),
            ("MULTIPROCESSOR_COUNT", 132),
            ("MAX_THREADS_PER_MULTIPROCESSOR", 2048),
            ("L2_CACHE_SIZE", 62_914_560),
            ("TEXTURE_ALIGNMENT", 512),
            ("TEXTURE_PITCH_ALIGNMENT", 32),
            ("ASYNC_ENGINE_COUNT", 3),
            ("CLOCK_RATE", 1_980_000),
            ("MEMORY_CLOCK_RATE", 3_201_000),
            ("GLOBAL_MEMORY_BUS_WIDTH", 6016),
            ("UNIFIED_ADDRESSING", 1),
            ("MANAGED_MEMORY", 1),
            ("CONCURRENT_MANAGED_ACCESS", 1),
            ("PAGEABLE_MEMORY_ACCESS", 0),
            ("CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 1),
            ("COMPUTE_PREEMPTION_SUPPORTED", 1),
            ("COOPERATIVE_LAUNCH", 1),
            ("STREAM_PRIORITIES_SUPPORTED", 1),
            ("MEMORY_POOLS_SUPPORTED", 1),
            ("SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO", 2),
            ("RESERVED_SHARED_MEMORY_PER_BLOCK", 1024),
        ];
        for (name, expected) in measured {
            let number = NAMES
                .iter()
                .find(|(_, n)| *n == name)
                .map(|(number, _)| *number);
            assert_eq!(
                number.and_then(|number| value(&device, number)),
                Some(expected),
                "{name}"
            );
        }
    }

    #[test]
    fn every_attribute_of_cuda_13_has_a_value_and_others_have_none() {
        let device = h200();
        assert_eq!(NAMES.len(), 147);
        assert!((1..=147).all(|attribute| value(&device, attribute).is_some()));
        assert!(
            [0, 148, u32::MAX]
                .iter()
                .all(|&attribute| value(&device, attribute).is_none())
        );
    }
}
