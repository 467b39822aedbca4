//! The properties of a device: limits, sizes and clock rates.
//!
//! These are the properties that a program decides by, with their names in the driver API
//! (`CU_DEVICE_ATTRIBUTE_...`) and their units.
//! Source: CUDA driver API, "Device Management"; Professional CUDA C Programming, chapter 2.

use std::ffi::CStr;
use std::fmt;
use std::panic::Location;

use lanewise_driver::abi::CUdevice;
use lanewise_driver::api;
use lanewise_driver::device_attribute;
use serde::Serialize;

use crate::DriverError;

/// A device's or a PTX target's compute capability; `sm_90` is 9.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ComputeCapability {
    /// The generation: 9 is Hopper.
    pub major: u32,
    /// The variant within the generation.
    pub minor: u32,
}

impl ComputeCapability {
    /// Ten times the capability, as in a target's name: 90 for 9.0.
    pub(crate) fn sm(self) -> u32 {
        self.major * 10 + self.minor
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sm_{}{}", self.major, self.minor)
    }
}

/// Every property as a struct of numbers, from one list of name, attribute and meaning.
macro_rules! properties {
    ($($(#[doc = $meaning:literal])* $name:ident: $attribute:ident,)*) => {
        /// The properties of a device, as the driver reports them. Sizes are in bytes, clock
        /// rates in kHz.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        pub struct DeviceProperties {
            /// The name that the driver gives the device.
            pub name: String,
            /// The compute capability: which instructions the device has.
            pub compute_capability: ComputeCapability,
            /// Bytes of device memory.
            pub total_memory: u64,
            $($(#[doc = $meaning])* pub $name: u32,)*
        }

        impl DeviceProperties {
            /// Reads each property from the driver.
            pub(crate) fn read(device: CUdevice, at: &'static Location<'static>) -> Result<Self, DriverError> {
                let attribute = |attribute| {
                    let mut value = 0;
                    // SAFETY: the driver returned this device, and the result is written to
                    // a local variable.
                    let result = unsafe { api::cuDeviceGetAttribute(&mut value, attribute, device) };
                    DriverError::check("cuDeviceGetAttribute", result, at)?;
                    Ok(u32::try_from(value).unwrap_or(0))
                };
                let (mut name, mut total_memory) = ([0u8; 256], 0);
                // SAFETY: as above, and the name has room for this many bytes.
                let result = unsafe { api::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32, device) };
                DriverError::check("cuDeviceGetName", result, at)?;
                // SAFETY: as above.
                let result = unsafe { api::cuDeviceTotalMem_v2(&mut total_memory, device) };
                DriverError::check("cuDeviceTotalMem", result, at)?;
                let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
                Ok(Self {
                    name: name.to_string_lossy().into_owned(),
                    compute_capability: ComputeCapability {
                        major: attribute(device_attribute::COMPUTE_CAPABILITY_MAJOR)?,
                        minor: attribute(device_attribute::COMPUTE_CAPABILITY_MINOR)?,
                    },
                    total_memory: total_memory as u64,
                    $($name: attribute(device_attribute::$attribute)?,)*
                })
            }

            /// Returns the name, value and meaning of each numeric property, for a table.
            pub fn rows(&self) -> Vec<(&'static str, u32, &'static str)> {
                vec![$((stringify!($name), self.$name, concat!($($meaning),*).trim_ascii()),)*]
            }
        }
    };
}

properties! {
    /// How many streaming multiprocessors it has.
    multiprocessors: MULTIPROCESSOR_COUNT,
    /// Threads of a warp.
    warp_size: WARP_SIZE,
    /// Most threads a block may have.
    max_threads_per_block: MAX_THREADS_PER_BLOCK,
    /// Most threads resident on a multiprocessor.
    max_threads_per_multiprocessor: MAX_THREADS_PER_MULTIPROCESSOR,
    /// Largest block in x.
    max_block_x: MAX_BLOCK_DIM_X,
    /// Largest block in y.
    max_block_y: MAX_BLOCK_DIM_Y,
    /// Largest block in z.
    max_block_z: MAX_BLOCK_DIM_Z,
    /// Largest grid in x.
    max_grid_x: MAX_GRID_DIM_X,
    /// Largest grid in y.
    max_grid_y: MAX_GRID_DIM_Y,
    /// Largest grid in z.
    max_grid_z: MAX_GRID_DIM_Z,
    /// Bytes of shared memory a block may have without asking for more.
    shared_memory_per_block: MAX_SHARED_MEMORY_PER_BLOCK,
    /// Bytes of shared memory of a multiprocessor.
    shared_memory_per_multiprocessor: MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    /// Bytes of shared memory a block may have when the kernel's attribute asks for them.
    shared_memory_per_block_optin: MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    /// Bytes of shared memory that the system keeps in each block.
    reserved_shared_memory_per_block: RESERVED_SHARED_MEMORY_PER_BLOCK,
    /// Most blocks resident on a multiprocessor.
    max_blocks_per_multiprocessor: MAX_BLOCKS_PER_MULTIPROCESSOR,
    /// 32-bit registers a block may have.
    registers_per_block: MAX_REGISTERS_PER_BLOCK,
    /// 32-bit registers of a multiprocessor.
    registers_per_multiprocessor: MAX_REGISTERS_PER_MULTIPROCESSOR,
    /// Bytes of constant memory.
    constant_memory: TOTAL_CONSTANT_MEMORY,
    /// Bytes of L2 cache.
    l2_cache: L2_CACHE_SIZE,
    /// Bytes of L2 that persisting accesses may set aside.
    persisting_l2_cache_max_size: MAX_PERSISTING_L2_CACHE_SIZE,
    /// Bytes of the largest window of an access policy.
    access_policy_max_window_size: MAX_ACCESS_POLICY_WINDOW_SIZE,
    /// Bytes of the longest row of a pitched copy.
    max_pitch: MAX_PITCH,
    /// What a texture's base address is a multiple of, bytes.
    texture_alignment: TEXTURE_ALIGNMENT,
    /// What the rows of a texture in linear memory are a multiple of, bytes.
    texture_pitch_alignment: TEXTURE_PITCH_ALIGNMENT,
    /// The peak clock of the multiprocessors, kHz.
    clock_rate: CLOCK_RATE,
    /// The peak clock of the memory, kHz.
    memory_clock_rate: MEMORY_CLOCK_RATE,
    /// Width of the memory bus, bits.
    memory_bus_width: GLOBAL_MEMORY_BUS_WIDTH,
    /// Copy engines that work beside kernels.
    async_engines: ASYNC_ENGINE_COUNT,
    /// 1 when kernels may run at the same time.
    concurrent_kernels: CONCURRENT_KERNELS,
    /// 1 when host memory can be mapped for the device.
    can_map_host_memory: CAN_MAP_HOST_MEMORY,
    /// 1 when host and device share one address space.
    unified_addressing: UNIFIED_ADDRESSING,
    /// 1 when managed memory is there.
    managed_memory: MANAGED_MEMORY,
    /// 1 when host and device may touch managed memory at the same time.
    concurrent_managed_access: CONCURRENT_MANAGED_ACCESS,
    /// 1 when the device may touch memory that the host allocated by itself.
    pageable_memory_access: PAGEABLE_MEMORY_ACCESS,
    /// 1 when a registered host pointer is also the device's.
    can_use_host_pointer_for_registered_memory: CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
    /// 1 when all blocks of a grid may wait for each other.
    cooperative_launch: COOPERATIVE_LAUNCH,
    /// 1 when kernels can be interrupted between instructions.
    compute_preemption: COMPUTE_PREEMPTION_SUPPORTED,
    /// How many times faster f32 arithmetic is than f64.
    single_to_double_ratio: SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
    /// 0 when any number of processes may use the device, 2 none, 3 one.
    compute_mode: COMPUTE_MODE,
    /// 1 when kernels that run for long are ended.
    kernel_timeout: KERNEL_EXEC_TIMEOUT,
    /// 1 when the device shares the host's memory.
    integrated: INTEGRATED,
    /// 1 when memory comes from pools in stream order.
    memory_pools: MEMORY_POOLS_SUPPORTED,
    /// 1 when streams have priorities.
    stream_priorities: STREAM_PRIORITIES_SUPPORTED,
    /// 1 when memory errors are corrected.
    ecc: ECC_ENABLED,
}

impl DeviceProperties {
    /// Returns the theoretical bandwidth of device memory in bytes per second: two transfers per
    /// clock cycle on each bit of the bus.
    pub fn theoretical_bandwidth(&self) -> f64 {
        f64::from(self.memory_clock_rate) * 1e3 * 2.0 * f64::from(self.memory_bus_width) / 8.0
    }
}
