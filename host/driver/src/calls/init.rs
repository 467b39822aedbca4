//! "Initialization" and "Version Management".

use super::put;
use crate::abi::{CUresult, c_int, c_uint};
use crate::api;
use crate::backend::{self, Backend, Choice};
use crate::entry;
use crate::error::{Error, Result, ensure};
use crate::objects::device;
use crate::summary;

/// The version that the simulated driver says it is: CUDA 13.0, whose reference it follows.
const VERSION: c_int = 13_000;

pub(crate) unsafe fn init(flags: c_uint) -> Result {
    match backend::choice() {
        Choice::Impossible(error) => return Err(error.clone()),
        // The choice has just been made, and this call did not know it yet.
        Choice::Made(Backend::Cuda) => return passed(real_init(flags)),
        Choice::Made(Backend::Sim) => {}
    }
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "cuInit takes no flags; {flags:#x} was passed, pass 0"
    );
    device::make()?;
    summary::begin();
    entry::initialised();
    Ok(())
}

pub(crate) unsafe fn version(version: *mut c_int) -> Result {
    if let Choice::Made(Backend::Cuda) = backend::choice() {
        // SAFETY: the caller's contract; the symbol now goes to the real driver.
        return passed(unsafe { api::cuDriverGetVersion(version) });
    }
    // SAFETY: the caller's contract.
    unsafe { put(version, VERSION, "driverVersion") }
}

fn real_init(flags: c_uint) -> CUresult {
    // SAFETY: cuInit takes any flags at any time; the symbol now goes to the real driver.
    unsafe { api::cuInit(flags) }
}

/// The real driver's answer as ours.
fn passed(code: CUresult) -> Result {
    match code {
        CUresult::SUCCESS => Ok(()),
        code => Err(Error::new(code, "NVIDIA's driver refused the call")),
    }
}
