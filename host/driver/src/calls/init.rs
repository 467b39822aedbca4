//! "Initialization" and "Version Management".

use super::put;
use crate::abi::{CUresult, c_int, c_uint};
use crate::at_end;
use crate::backend::{self, Backend, Choice};
use crate::entry_point;
use crate::entry_point::row::Columns;
use crate::error::{Error, Result, ensure};
use crate::objects::device;
use crate::summary;
use crate::trace;

/// The version that the simulated driver says it is: CUDA 13.0, whose reference it follows.
const VERSION: c_int = 13_000;

pub(crate) unsafe fn init(flags: c_uint) -> Result {
    match backend::choice() {
        Choice::Impossible(error) => return Err(error.clone()),
        // The choice has just been made, and this call did not know it yet.
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
    summary::begin(first.map_or("no device", |device| &device.sim.model().name));
    at_end::begin();
    backend::initialised();
    Ok(())
}

pub(crate) unsafe fn version(version: *mut c_int) -> Result {
    if let Choice::Made(Backend::Cuda) = backend::choice() {
        let function = real("cuDriverGetVersion")?;
        // SAFETY: the real driver's function of this name, whose C signature this is, or the
        // stand-in, which has it.
        let function: unsafe extern "C" fn(*mut c_int) -> CUresult =
            unsafe { std::mem::transmute(function) };
        // SAFETY: the caller's contract.
        return again(
            "cuDriverGetVersion",
            &[trace::real::word(&version)],
            || unsafe { function(version) },
        );
    }
    // SAFETY: the caller's contract.
    unsafe { put(version, VERSION, "driverVersion") }
}

fn real_init(flags: c_uint) -> Result {
    let function = real("cuInit")?;
    // SAFETY: the real driver's function of this name, whose C signature this is, or the stand-in,
    // which has it.
    let function: unsafe extern "C" fn(c_uint) -> CUresult =
        unsafe { std::mem::transmute(function) };
    // SAFETY: cuInit takes any flags at any time.
    again("cuInit", &[u64::from(flags)], || unsafe { function(flags) })
}

/// The real driver's function, to which calls go from now on.
fn real(symbol: &'static str) -> Result<*mut ()> {
    match entry_point::real(symbol) {
        Some(function) => Ok(function),
        None => Err(Error::new(
            CUresult::ERROR_UNKNOWN,
            format_args!("NVIDIA's driver answers, and {symbol} of it is not known"),
        )),
    }
}

/// Makes a call that came before the choice once more, of the real driver: by way of the trace,
/// where one is made.
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
