//! Occupancy: how many blocks of a kernel a multiprocessor holds at once, and how many it needs.
//!
//! Theoretical occupancy follows from three numbers of a kernel (threads of a block, registers of a
//! thread and shared memory of a block) and from the resources of a multiprocessor. The rules are
//! those of [`DeviceModel::occupancy`], which the simulated driver uses too.
//! [`Device::active_blocks`] asks the real driver, and a test compares the two results. Whether the
//! resident warps are busy depends on the timing, and is not computed here.
//! Source: NVIDIA's `cuda_occupancy.h`; CUDA driver API, "Occupancy"; Professional CUDA C
//! Programming, chapter 3.

use std::panic::Location;
use std::sync::{Mutex, PoisonError};

use lanewise_driver::abi::enums::function_attribute;
use lanewise_driver::api;
use lanewise_std::kernel::Kernel;
use serde::Serialize;

pub use lanewise_driver::{Allowance, DeviceModel, Occupancy, Resource};

use crate::{Device, DriverError, LaunchError, Module};

/// The resources that a block of a compiled kernel needs, as the driver's compiler determined them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KernelResources {
    /// 32-bit registers of a thread. The simulator estimates this number.
    pub registers: u32,
    /// Bytes of static shared memory of a block.
    pub static_shared: u32,
    /// Bytes of local memory of a thread.
    pub local: u32,
    /// The maximum number of threads in a block of the kernel.
    pub max_threads: u32,
    /// The target of the PTX that it was compiled from: 90 for sm_90.
    pub ptx_target: u32,
}

impl Module {
    /// Returns the resources that a block of the kernel with this name needs.
    ///
    /// # Errors
    /// The driver's error; `CUDA_ERROR_NOT_FOUND` if there is no such kernel.
    #[track_caller]
    pub fn resources(&self, kernel: &str) -> Result<KernelResources, DriverError> {
        let at = Location::caller();
        let function = self.function(kernel, at)?;
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: the function is one of a loaded module, and the result is written to
            // a local variable.
            let result = unsafe { api::cuFuncGetAttribute(&mut value, attribute, function) };
            DriverError::check("cuFuncGetAttribute", result, at)?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        Ok(KernelResources {
            registers: attribute(function_attribute::NUM_REGS)?,
            static_shared: attribute(function_attribute::SHARED_SIZE_BYTES)?,
            local: attribute(function_attribute::LOCAL_SIZE_BYTES)?,
            max_threads: attribute(function_attribute::MAX_THREADS_PER_BLOCK)?,
            ptx_target: attribute(function_attribute::PTX_VERSION)?,
        })
    }

    /// Returns the number of blocks that are resident on a multiprocessor at once, as the
    /// driver computes it. Each block has `threads` threads and `dynamic_shared` bytes of
    /// dynamic shared memory.
    ///
    /// # Errors
    /// As [`Module::resources`]; `CUDA_ERROR_INVALID_VALUE` for an empty block.
    #[track_caller]
    pub fn active_blocks(
        &self,
        kernel: &str,
        threads: u32,
        dynamic_shared: u32,
    ) -> Result<u32, DriverError> {
        let at = Location::caller();
        let function = self.function(kernel, at)?;
        let mut blocks = 0;
        // A number that does not fit in an `int` becomes the largest `int`, which no
        // device allows either.
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        // SAFETY: the function is one of a loaded module, and the result is written to
        // a local variable.
        let result = unsafe {
            api::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                function,
                threads,
                dynamic_shared as usize,
            )
        };
        DriverError::check("cuOccupancyMaxActiveBlocksPerMultiprocessor", result, at)?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Allows launches of the kernel with this name to use up to this many bytes of dynamic shared
    /// memory. Every block may have 48 KiB, the static arrays included. Kernels that ask for more
    /// can have up to
    /// [`DeviceProperties::shared_memory_per_block_optin`](crate::DeviceProperties::shared_memory_per_block_optin).
    /// What is allowed stays allowed: fewer bytes than before change nothing, for another thread
    /// may be about to launch the kernel with more.
    ///
    /// # Errors
    /// As [`Module::resources`]; `CUDA_ERROR_INVALID_VALUE` for more than the device allows.
    #[track_caller]
    pub fn set_max_dynamic_shared(&self, kernel: &str, bytes: u32) -> Result<(), DriverError> {
        let at = Location::caller();
        let function = self.function(kernel, at)?;
        let attribute = function_attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // A number that does not fit in an `int` becomes the largest `int`, which no
        // device allows either.
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // From the question to its consequence.
        static RAISING: Mutex<()> = Mutex::new(());
        let _turn = RAISING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut allowed = 0;
        // SAFETY: the function is one of a loaded module, and the result is written to a local
        // variable.
        let result = unsafe { api::cuFuncGetAttribute(&mut allowed, attribute, function) };
        DriverError::check("cuFuncGetAttribute", result, at)?;
        if bytes <= allowed {
            return Ok(());
        }
        // SAFETY: the function is one of a loaded module.
        let result = unsafe { api::cuFuncSetAttribute(function, attribute, bytes) };
        DriverError::check("cuFuncSetAttribute", result, at)
    }
}

impl Device {
    /// Returns the resources that a block of this kernel needs.
    ///
    /// # Errors
    /// An error if the embedded module does not load, or the driver's error.
    #[track_caller]
    pub fn resources<K: Kernel>(&self, _kernel: K) -> Result<KernelResources, LaunchError> {
        let refused = |source| LaunchError::Unanswered {
            kernel: K::NAME.to_owned(),
            source,
        };
        self.kernel::<K>()?
            .module
            .resources(K::NAME)
            .map_err(refused)
    }

    /// Returns the number of blocks of this kernel that are resident on a multiprocessor at once,
    /// as the driver computes it.
    ///
    /// # Errors
    /// As [`Device::resources`].
    #[track_caller]
    pub fn active_blocks<K: Kernel>(
        &self,
        _kernel: K,
        threads: u32,
        dynamic_shared: u32,
    ) -> Result<u32, LaunchError> {
        let refused = |source| LaunchError::Unanswered {
            kernel: K::NAME.to_owned(),
            source,
        };
        self.kernel::<K>()?
            .module
            .active_blocks(K::NAME, threads, dynamic_shared)
            .map_err(refused)
    }

    /// Returns the number of blocks of this kernel that the whole device holds at once. A
    /// cooperative launch of the kernel can have at most so many.
    ///
    /// # Errors
    /// As [`Device::resources`].
    #[track_caller]
    pub fn resident_blocks<K: Kernel>(
        &self,
        kernel: K,
        threads: u32,
        dynamic_shared: u32,
    ) -> Result<u32, LaunchError> {
        let each = self.active_blocks(kernel, threads, dynamic_shared)?;
        Ok(each * self.properties().multiprocessors)
    }

    /// Allows launches of this kernel to use up to this many bytes of dynamic
    /// shared memory, also if fewer are asked for later: [`Module::set_max_dynamic_shared`].
    ///
    /// # Errors
    /// As [`Device::resources`]; the driver's error for more than the device allows.
    #[track_caller]
    pub fn set_max_dynamic_shared<K: Kernel>(
        &self,
        _kernel: K,
        bytes: u32,
    ) -> Result<(), LaunchError> {
        let refused = |source| LaunchError::Unanswered {
            kernel: K::NAME.to_owned(),
            source,
        };
        self.kernel::<K>()?
            .module
            .set_max_dynamic_shared(K::NAME, bytes)
            .map_err(refused)
    }

    /// Returns the model of this device, found by the driver's name for the device. Returns `None`
    /// for a GPU without a model.
    pub fn model(&self) -> Option<DeviceModel> {
        let models = DeviceModel::names().filter_map(|name| DeviceModel::named(name).ok());
        models
            .into_iter()
            .find(|model| model.name == self.properties().name)
    }
}

/// Returns how many items have to be in flight at once to keep a pipeline busy: latency times
/// throughput (Little's law).
///
/// The latency is in cycles and the throughput in items per cycle. An item is whatever
/// the throughput counts.
///
/// ```
/// // 20 cycles until an addition is done, 128 lanes start one in each cycle: 2560 under way, 80 warps' worth.
/// assert_eq!(lanewise::occupancy::in_flight(20.0, 128.0), 2560.0);
/// ```
pub fn in_flight(latency: f64, throughput: f64) -> f64 {
    latency * throughput
}

/// The warps that one multiprocessor of a device needs to hide a latency, by Little's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarpsNeeded {
    /// Warps with one independent instruction each.
    pub warps: f64,
    /// The same number as a fraction of the warps that a multiprocessor holds. Above 1, each thread
    /// needs several independent instructions.
    pub occupancy: f64,
}

/// Returns the warps that a multiprocessor needs so that f32 arithmetic of this latency never
/// waits. Each thread has `independent` instructions in flight.
pub fn to_hide_arithmetic(
    model: &DeviceModel,
    latency_cycles: f64,
    independent: f64,
) -> WarpsNeeded {
    let lanes = f64::from(model.multiprocessor.f32_per_clock);
    needed(model, in_flight(latency_cycles, lanes), independent)
}

/// Returns the warps that a multiprocessor needs so that memory of this latency is always busy.
/// Each thread requests `bytes` bytes at a time. The bandwidth is the device's bytes per cycle,
/// divided by the number of its multiprocessors.
pub fn to_hide_memory(model: &DeviceModel, latency_cycles: f64, bytes: f64) -> WarpsNeeded {
    let a_cycle = model.rates.memory / (f64::from(model.clock_khz) * 1e3);
    let share = a_cycle / f64::from(model.multiprocessors);
    needed(model, in_flight(latency_cycles, share), bytes)
}

/// Returns the warps for `amount` items in flight, if each thread
/// contributes `of_each_thread` items.
fn needed(model: &DeviceModel, amount: f64, of_each_thread: f64) -> WarpsNeeded {
    let warps = amount / of_each_thread / f64::from(model.warp_size);
    WarpsNeeded {
        warps,
        occupancy: warps / f64::from(model.warps_per_multiprocessor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn littles_law_on_an_h200() {
        let h200 = DeviceModel::h200();
        // 128 lanes a cycle and 20 cycles: 2560 operations, 80 warps, more than the 64 there are.
        let alone = to_hide_arithmetic(&h200, 20.0, 1.0);
        assert_eq!((alone.warps, alone.occupancy), (80.0, 1.25));
        // Two independent operations in each thread need half the warps.
        assert_eq!(to_hide_arithmetic(&h200, 20.0, 2.0).warps, 40.0);
        // 4.4 TB/s at 1.98 GHz are 2222 bytes a cycle, 16.8 for each of 132; 600 cycles: 10 KB, 79
        // warps of 4-byte loads.
        let loads = to_hide_memory(&h200, 600.0, 4.0);
        assert!((78.0..80.0).contains(&loads.warps), "{loads:?}");
        assert!(to_hide_memory(&h200, 600.0, 32.0).occupancy < 0.16);
    }
}
