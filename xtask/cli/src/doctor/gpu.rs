//! Finds out which CUDA driver and GPU the machine has.
//!
//! The driver is opened by name at run time, as `host/driver` does, so xtask does not
//! link to NVIDIA's libraries. CUDA Driver API reference: Initialization, Version
//! Management, Device Management.

use std::ffi::{c_char, c_int, c_uint};
use std::fs;
use std::path::{Path, PathBuf};

use libloading::Library;

/// A `CUresult`: 0 is success.
pub(crate) type Status = c_int;

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
const CAPABILITY: (c_int, c_int) = (75, 76);

/// A loaded driver: NVIDIA's, or the simulated one that replaces it.
pub(crate) struct Driver(Library);

/// The properties of a GPU that the doctor shows.
pub(super) struct Device {
    pub(super) name: String,
    /// Compute capability: `(9, 0)` is `sm_90`.
    pub(super) capability: (c_int, c_int),
}

impl Driver {
    /// Opens `libcuda.so.1`. Returns `None` if the machine has none.
    pub(super) fn load() -> Option<Self> {
        // SAFETY: opening runs the initialisers of NVIDIA's driver library, as in any program
        // that uses CUDA.
        unsafe { Library::new("libcuda.so.1") }.ok().map(Self)
    }

    /// Opens the library in this file.
    pub(crate) fn at(file: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: opening runs only the initialisers of a driver library, as above.
        unsafe { Library::new(file) }.map(Self)
    }

    /// Returns the file that was opened, as the kernel lists it for this process.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let maps = fs::read_to_string("/proc/self/maps").ok()?;
        let path = maps
            .lines()
            .filter_map(|line| line.split_whitespace().last())
            .find(|path| path.contains("/libcuda.so"));
        path.map(PathBuf::from)
    }

    /// Returns the CUDA version that the driver supports: `13.0`.
    pub(super) fn cuda_version(&self) -> Option<String> {
        let mut version: c_int = 0;
        // SAFETY: the type is the function's in cuda.h, and the pointer is valid during the call.
        let status = unsafe {
            let get = self
                .0
                .get::<unsafe extern "C" fn(*mut c_int) -> Status>(b"cuDriverGetVersion\0")
                .ok()?;
            get(&mut version)
        };
        (status == 0).then(|| format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// Returns device 0, or the driver's error code.
    pub(super) fn first_device(&self) -> Result<Device, Status> {
        self.initialise()?;
        let device = self.device(0)?;
        Ok(Device {
            name: self.name(device)?,
            capability: (
                self.attribute(CAPABILITY.0, device)?,
                self.attribute(CAPABILITY.1, device)?,
            ),
        })
    }

    /// Initialises the driver. Every other call must come after this one.
    pub(crate) fn initialise(&self) -> Result<(), Status> {
        // SAFETY: the type is the function's in cuda.h, whose flags must be 0.
        let status = unsafe {
            let init = self
                .0
                .get::<unsafe extern "C" fn(c_uint) -> Status>(b"cuInit\0")
                .map_err(not_found)?;
            init(0)
        };
        check(status)
    }

    fn device(&self, ordinal: c_int) -> Result<c_int, Status> {
        let mut device = 0;
        // SAFETY: the type is the function's in cuda.h, and the pointer is valid during the call.
        let status = unsafe {
            let get = self
                .0
                .get::<unsafe extern "C" fn(*mut c_int, c_int) -> Status>(b"cuDeviceGet\0");
            get.map_err(not_found)?(&mut device, ordinal)
        };
        check(status).map(|()| device)
    }

    fn name(&self, device: c_int) -> Result<String, Status> {
        let mut name = [0u8; 256];
        // SAFETY: the type is the function's in cuda.h, and it writes at most the given
        // number of bytes.
        let status = unsafe {
            let get = self
                .0
                .get::<unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status>(
                    b"cuDeviceGetName\0",
                );
            get.map_err(not_found)?(name.as_mut_ptr().cast(), name.len() as c_int, device)
        };
        let text = String::from_utf8_lossy(&name);
        check(status).map(|()| text.split('\0').next().unwrap_or_default().to_owned())
    }

    fn attribute(&self, attribute: c_int, device: c_int) -> Result<c_int, Status> {
        let mut value = 0;
        // SAFETY: the type is the function's in cuda.h, and the pointer is valid during the call.
        let status = unsafe {
            let get = self
                .0
                .get::<unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Status>(
                    b"cuDeviceGetAttribute\0",
                );
            get.map_err(not_found)?(&mut value, attribute, device)
        };
        check(status).map(|()| value)
    }
}

fn check(status: Status) -> Result<(), Status> {
    if status == 0 { Ok(()) } else { Err(status) }
}

/// `CUDA_ERROR_NOT_FOUND`: the library lacks the symbol.
fn not_found(_: libloading::Error) -> Status {
    500
}
