//! The calls of "Initialization" and "Version Management".

use super::put;
use crate::abi::{CUresult, c_int, c_uint};
use crate::at_end;
use crate::backend::{self, Backend, Choice};
use crate::entry_point;
use crate::entry_point::row::Columns;
use crate::error::{Error, Result, ensure};
use crate::objects::device;
use crate::trace;
use crate::{record, summary};

/// The version that the simulated driver reports: CUDA 13.0, whose reference it follows.
const VERSION: c_int = 13_000;

pub(crate) unsafe fn init(flags: c_uint) -> Result {
    match backend::choice() {
        Choice::Impossible(error) => return Err(error.clone()),
        // The choice was made during this call, so the call was not passed to the real driver.
        Choice::Made(Backend::Cuda) => return real_init(flags),
        Choice::Made(Backend::Sim) => {}
    }
    ensure!(
        flags == 0,
        ERROR_INVALID_VALUE,
        "cuInit takes no flags; {flags:#x} was passed, pass 0"
    );
    if backend::is_forked() {
        return Err(backend::forked());
    }
    device::make()?;
    let first = device::all().first();
    record::begin();
    summary::begin(first.map_or("no device", |device| &device.sim.model().name));
    at_end::begin();
    backend::initialised();
    Ok(())
}

pub(crate) unsafe fn version(version: *mut c_int) -> Result {
    if let Choice::Made(Backend::Cuda) = backend::choice() {
        let function = real("cuDriverGetVersion")?;
        // SAFETY: this is the real driver's function of this name, or the stand-in. Both have
        // this C signature.
        let function: unsafe extern "C" fn(*mut c_int) -> CUresult =
            unsafe { std::mem::transmute(function) };
        // SAFETY: the caller keeps the contract.
        return again(
            "cuDriverGetVersion",
            &[trace::real::word(&version)],
            || unsafe { function(version) },
        );
    }
    // SAFETY: the caller keeps the contract.
    unsafe { put(version, VERSION, "driverVersion") }
}

fn real_init(flags: c_uint) -> Result {
    let function = real("cuInit")?;
    // SAFETY: this is the real driver's function of this name, or the stand-in. Both have
    // this C signature.
    let function: unsafe extern "C" fn(c_uint) -> CUresult =
        unsafe { std::mem::transmute(function) };
    // SAFETY: cuInit accepts any flags at any time.
    again("cuInit", &[u64::from(flags)], || unsafe { function(flags) })
}

/// Returns the real driver's function, which calls go to from now on.
fn real(symbol: &'static str) -> Result<*mut ()> {
    match entry_point::real(symbol) {
        Some(function) => Ok(function),
        None => Err(Error::new(
            CUresult::ERROR_UNKNOWN,
            format_args!("NVIDIA's driver answers, and {symbol} of it is not known"),
        )),
    }
}

/// Repeats a call that was made before the choice, on the real driver. It goes through the trace,
/// if one is made.
fn again(symbol: &'static str, arguments: &[u64], mut call: impl FnMut() -> CUresult) -> Result {
    let code = match trace::real::is_on() {
        true => trace::real::call(symbol, &Columns::NONE.always(), arguments, &mut call),
        false => call(),
    };
    match code {
        CUresult::SUCCESS => Ok(()),
        code => Err(Error::new(code, "NVIDIA's driver refused the call")),
    }
}
