//! NVIDIA's `libcuda.so.1`: finding it, opening it, and looking up its functions.
//!
//! It is opened with two flags, because its symbols and ours have the same names. With `RTLD_LOCAL`
//! its symbols do not replace ours for the rest of the program. With `RTLD_DEEPBIND` its own
//! references do not resolve to ours.
//!
//! If this crate itself is built as `libcuda.so.1` (the drop-in), the loader's search may find this
//! library again. A library that exports [`lanewise_driver_marker`] is skipped, and the usual
//! places are tried by full path.

use crate::abi::{CUresult, c_int, c_uint};
use crate::error::{Error, Result};
use crate::platform::library::{self, PLACES};
use std::ffi::CString;

/// Marks a library as this crate and not NVIDIA's driver.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn lanewise_driver_marker() {}

/// The opened library.
pub(crate) struct Library(libloading::Library);

/// Opens the machine's driver.
pub(crate) fn open() -> Result<Library> {
    for &place in PLACES {
        // SAFETY: opening NVIDIA's driver runs its initialisers, which do not depend on any state
        // of this crate.
        let Some(library) = (unsafe { library::open(place) }) else {
            continue;
        };
        let library = Library(library);
        if library.find("lanewise_driver_marker").is_none() {
            return Ok(library);
        }
    }
    Err(Error::new(
        CUresult::ERROR_NO_DEVICE,
        format_args!(
            "no {} was found by the loader or in {}; install NVIDIA's driver, or in a container pass the GPU in \
             (for example `--gpus all`)",
            PLACES[0],
            PLACES[1..].join(", ")
        ),
    ))
}

impl Library {
    /// Returns the address of a function.
    pub(crate) fn find(&self, symbol: &str) -> Option<*mut ()> {
        let symbol = CString::new(symbol).ok()?;
        // SAFETY: the address is only stored. The code that calls it states its type.
        let found = unsafe { self.0.get::<*mut ()>(symbol.as_bytes_with_nul()) }.ok()?;
        let address = *found;
        (!address.is_null()).then_some(address)
    }

    /// Initialises the driver and checks that it has a device.
    pub(crate) fn initialise(&self) -> Result {
        let init = self.find("cuInit").ok_or_else(not_a_driver)?;
        // SAFETY: `cuInit` has this signature in every version of the driver.
        let init: unsafe extern "C" fn(c_uint) -> CUresult = unsafe { std::mem::transmute(init) };
        // SAFETY: `cuInit` takes zero and may be called at any time.
        let code = unsafe { init(0) };
        if code != CUresult::SUCCESS {
            return Err(Error::new(
                code,
                format_args!(
                    "NVIDIA's driver is installed but its cuInit returned {code:?}{}",
                    hint(code)
                ),
            ));
        }
        let count = self.find("cuDeviceGetCount").ok_or_else(not_a_driver)?;
        // SAFETY: `cuDeviceGetCount` has this signature in every version of the driver.
        let count: unsafe extern "C" fn(*mut c_int) -> CUresult =
            unsafe { std::mem::transmute(count) };
        let mut devices = 0;
        // SAFETY: the driver is initialised and `devices` outlives the call.
        let code = unsafe { count(&mut devices) };
        if code != CUresult::SUCCESS || devices < 1 {
            let code = if code == CUresult::SUCCESS {
                CUresult::ERROR_NO_DEVICE
            } else {
                code
            };
            return Err(Error::new(
                code,
                "NVIDIA's driver is installed but shows no device; see what `nvidia-smi` prints, and that \
                 CUDA_VISIBLE_DEVICES does not hide them",
            ));
        }
        Ok(())
    }
}

/// Returns advice about a code that `cuInit` has returned.
fn hint(code: CUresult) -> &'static str {
    match code {
        CUresult::ERROR_NO_DEVICE => {
            "; see what `nvidia-smi` prints, and that CUDA_VISIBLE_DEVICES does not hide the devices"
        }
        CUresult::ERROR_SYSTEM_DRIVER_MISMATCH => {
            "; the library does not match the kernel module: reload the module or restart the machine"
        }
        CUresult::ERROR_SYSTEM_NOT_READY => {
            "; on NVSwitch systems the fabric manager must run: start nvidia-fabricmanager"
        }
        CUresult::ERROR_STUB_LIBRARY => {
            "; that is the toolkit's stub library: install NVIDIA's driver"
        }
        _ => "; see what `nvidia-smi` prints",
    }
}

fn not_a_driver() -> Error {
    Error::new(
        CUresult::ERROR_NO_DEVICE,
        "the libcuda.so.1 that was found is not NVIDIA's driver: it lacks cuInit",
    )
}
