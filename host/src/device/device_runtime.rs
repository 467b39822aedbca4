//! Kernels that launch kernels: their module is linked with NVIDIA's device runtime before
//! it is loaded.
//!
//! The runtime is `libcudadevrt.a`. Every CUDA toolkit has it and no driver does, so it has to be
//! found. `LANEWISE_CUDADEVRT` names the file; otherwise the places of CUDA toolkits are searched
//! (`toolkit`), including Python's package `nvidia-cuda-runtime`. The driver's own linker links the
//! two. The simulator has the runtime built in and needs no file.
//! Source: CUDA driver API, `cuLinkCreate`; CUDA programming guide, "CUDA Dynamic Parallelism",
//! "Compiling and Linking".

use std::panic::Location;

use lanewise_driver::abi::enums::limit;
use lanewise_driver::api;
use lanewise_variables::CUDADEVRT;

use crate::device::link::Linker;
use crate::device::toolkit::ToolkitLibrary;
use crate::{Backend, Device, DriverError, LoadError, Module};

const LIBRARY: ToolkitLibrary = ToolkitLibrary {
    variable: CUDADEVRT.name,
    files: &["libcudadevrt.a"],
};

impl Module {
    /// Links `ptx` with the device runtime and loads it.
    ///
    /// # Errors
    /// [`LoadError::NoDeviceRuntime`] if the device is a GPU and the library is not found;
    /// [`LoadError::Refused`] with the linker's log.
    #[track_caller]
    pub fn with_device_runtime(device: &Device, ptx: &str) -> Result<Self, LoadError> {
        if device.backend() == Backend::Sim {
            return Self::from_ptx(device, ptx);
        }
        let linker = Linker::new(device).ptx("launching.ptx", ptx)?;
        linker.device_runtime()?.link()?.load(device)
    }
}

impl Linker {
    /// Adds NVIDIA's device runtime, which kernels need to launch kernels. The simulator has
    /// it built in.
    ///
    /// # Errors
    /// [`LoadError::NoDeviceRuntime`] if the device is a GPU and the library is not found.
    pub fn device_runtime(self) -> Result<Self, LoadError> {
        if self.device().backend() == Backend::Sim {
            return Ok(self);
        }
        let found = LIBRARY.find();
        let file = found.map_err(|searched| LoadError::NoDeviceRuntime { searched })?;
        // SAFETY: the file is NVIDIA's own library.
        unsafe { self.file(&file) }
    }
}

impl Device {
    /// Sets how many launches from kernels may be pending, which means launched and not begun. The
    /// default is 2048. A launch from a kernel beyond that fails. Call this before kernels run,
    /// because the driver reserves memory for each pending launch.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn set_pending_launches(&self, count: usize) -> Result<(), DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let limit = limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT;
        // SAFETY: the call sets a limit of the current context and takes no pointer.
        let result = unsafe { api::cuCtxSetLimit(limit, count) };
        DriverError::check("cuCtxSetLimit", result, at)
    }

    /// Returns how many launches from kernels may be pending.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    #[track_caller]
    pub fn pending_launches(&self) -> Result<usize, DriverError> {
        let at = Location::caller();
        self.make_current(at)?;
        let limit = limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT;
        let mut count = 0;
        // SAFETY: the result is written to a local variable.
        let result = unsafe { api::cuCtxGetLimit(&mut count, limit) };
        DriverError::check("cuCtxGetLimit", result, at)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_library_the_error_says_where_it_was_looked_for() {
        let error = LoadError::NoDeviceRuntime {
            searched: vec!["/a/libcudadevrt.a".into(), "/b/libcudadevrt.a".into()],
        };
        assert!(
            error.to_string().contains(
                "/a/libcudadevrt.a, /b/libcudadevrt.a: name the file in LANEWISE_CUDADEVRT"
            )
        );
    }
}
