//! What a device is: limits, sizes, clocks.
//!
//! The properties that the notes read, by their names in the driver API (`CU_DEVICE_ATTRIBUTE_...`), with units.
//! Source: CUDA driver API, "Device Management"; notes 000, item 12, and 001, "device query".

use std::fmt;
use std::panic::Location;

use cust::device::{Device as CustDevice, DeviceAttribute as Attribute};
use serde::Serialize;

use crate::DriverError;

/// A device's or a PTX target's compute capability; `sm_90` is 9.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ComputeCapability {
    /// The generation: 9 is Hopper.
    pub major: u32,
    /// The variant in it.
    pub minor: u32,
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sm_{}{}", self.major, self.minor)
    }
}

/// Every property as a struct of numbers, from one list of name, attribute and meaning.
macro_rules! properties {
    ($($(#[doc = $meaning:literal])* $name:ident: $attribute:ident,)*) => {
        /// What the driver says of a device. Sizes are in bytes, clocks in kHz.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        pub struct DeviceProperties {
            /// The device's name.
            pub name: String,
            /// Which instructions it has.
            pub compute_capability: ComputeCapability,
            /// Bytes of device memory.
            pub total_memory: u64,
            $($(#[doc = $meaning])* pub $name: u32,)*
        }

        impl DeviceProperties {
            /// Asks the driver for each.
            pub(crate) fn read(device: CustDevice, at: &'static Location<'static>) -> Result<Self, DriverError> {
                let call = |name| move |error| DriverError::from_cust(name, error, at);
                let attribute = |attribute| {
                    let value = device.get_attribute(attribute).map_err(call("cuDeviceGetAttribute"))?;
                    Ok(u32::try_from(value).unwrap_or(0))
                };
                Ok(Self {
                    name: device.name().map_err(call("cuDeviceGetName"))?,
                    compute_capability: ComputeCapability {
                        major: attribute(Attribute::ComputeCapabilityMajor)?,
                        minor: attribute(Attribute::ComputeCapabilityMinor)?,
                    },
                    total_memory: device.total_memory().map_err(call("cuDeviceTotalMem"))? as u64,
                    $($name: attribute(Attribute::$attribute)?,)*
                })
            }

            /// Name, value and meaning of each numeric property, for a table.
            pub fn rows(&self) -> Vec<(&'static str, u32, &'static str)> {
                vec![$((stringify!($name), self.$name, concat!($($meaning),*).trim_ascii()),)*]
            }
        }
    };
}

properties! {
    /// Streaming multiprocessors.
    multiprocessors: MultiprocessorCount,
    /// Threads of a warp.
    warp_size: WarpSize,
    /// Most threads a block may have.
    max_threads_per_block: MaxThreadsPerBlock,
    /// Most threads resident on a multiprocessor.
    max_threads_per_multiprocessor: MaxThreadsPerMultiprocessor,
    /// Largest block in x.
    max_block_x: MaxBlockDimX,
    /// Largest block in y.
    max_block_y: MaxBlockDimY,
    /// Largest block in z.
    max_block_z: MaxBlockDimZ,
    /// Largest grid in x.
    max_grid_x: MaxGridDimX,
    /// Largest grid in y.
    max_grid_y: MaxGridDimY,
    /// Largest grid in z.
    max_grid_z: MaxGridDimZ,
    /// Bytes of shared memory a block may have without asking for more.
    shared_memory_per_block: MaxSharedMemoryPerBlock,
    /// Bytes of shared memory of a multiprocessor.
    shared_memory_per_multiprocessor: MaxSharedMemoryPerMultiprocessor,
    /// 32-bit registers a block may have.
    registers_per_block: MaxRegistersPerBlock,
    /// 32-bit registers of a multiprocessor.
    registers_per_multiprocessor: MaxRegistersPerMultiprocessor,
    /// Bytes of constant memory.
    constant_memory: TotalConstantMemory,
    /// Bytes of L2 cache.
    l2_cache: L2CacheSize,
    /// Core clock, kHz.
    clock_rate: ClockRate,
    /// Memory clock, kHz.
    memory_clock_rate: MemoryClockRate,
    /// Width of the memory bus, bits.
    memory_bus_width: GlobalMemoryBusWidth,
    /// Copy engines that work beside kernels.
    async_engines: AsyncEngineCount,
    /// 1 when kernels may run at the same time.
    concurrent_kernels: ConcurrentKernels,
    /// 1 when host memory can be mapped for the device.
    can_map_host_memory: CanMapHostMemory,
    /// 1 when host and device share one address space.
    unified_addressing: UnifiedAddressing,
    /// 1 when managed memory is there.
    managed_memory: ManagedMemory,
    /// 1 when streams have priorities.
    stream_priorities: StreamPrioritiesSupported,
    /// 1 when memory errors are corrected.
    ecc: EccEnabled,
}

impl DeviceProperties {
    /// The most bytes that device memory can move in a second: two transfers a clock on each bit of the bus..
    pub fn theoretical_bandwidth(&self) -> f64 {
        f64::from(self.memory_clock_rate) * 1e3 * 2.0 * f64::from(self.memory_bus_width) / 8.0
    }
}
