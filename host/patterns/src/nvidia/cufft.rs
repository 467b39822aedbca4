//! cuFFT: Fourier transforms, many of one length, from one buffer to another.
//! Source: cuFFT library documentation, "cufftPlan1d()", "cufftExecC2C() and cufftExecZ2Z()".

use std::ffi::{c_int, c_void};

use anyhow::Result;
use gpu::algorithms::fft::Complex;
use gpu::algorithms::real::Real;
use lanewise::{Device, DeviceBuffer};

use super::open::{check, functions, version};
use super::{Job, Number, job};

/// `CUFFT_C2C`, `CUFFT_Z2Z`, `CUFFT_FORWARD` (cufft.h).
const SINGLE: c_int = 0x29;
const DOUBLE: c_int = 0x69;
const FORWARD: c_int = -1;

functions! { Functions "cufft":
    version b"cufftGetVersion" (*mut c_int);
    plan b"cufftPlan1d" (*mut c_int, c_int, c_int, c_int);
    destroy b"cufftDestroy" (c_int);
    set_stream b"cufftSetStream" (c_int, *mut c_void);
    single b"cufftExecC2C" (c_int, *mut c_void, *mut c_void, c_int);
    double b"cufftExecZ2Z" (c_int, *mut c_void, *mut c_void, c_int);
}

/// The functions of the library and a plan.
struct Plan {
    functions: Functions,
    handle: c_int,
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: `fft` made the plan, and nothing else uses it.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}

/// Returns a job that transforms sequences of `length` elements, which lie one after
/// another in `input`.
///
/// # Errors
/// An error if cuFFT is missing, one of its functions fails, or a length does not fit
/// in its integers.
pub fn fft<T: Real + Number>(
    device: &Device,
    length: usize,
    input: &[Complex<T>],
) -> Result<Box<dyn Job>> {
    let functions = Functions::open(&[12, 11, 10])?;
    let kind = if T::IS_DOUBLE { DOUBLE } else { SINGLE };
    let batch = c_int::try_from(input.len() / length.max(1))?;
    let (mut number, mut handle) = (0, 0);
    // SAFETY: the functions write their results to local variables.
    unsafe {
        check("cufftGetVersion", (functions.version)(&mut number))?;
        let made = (functions.plan)(&mut handle, c_int::try_from(length)?, kind, batch);
        check("cufftPlan1d", made)?;
    }
    let plan = Plan { functions, handle };
    let mut input = DeviceBuffer::from_slice(device, input)?;
    let mut output = DeviceBuffer::from_slice(device, &vec![Complex::<T>::default(); input.len()])?;
    let name = format!("cuFFT {}", version(number, 1000));
    Ok(job(name, move |stream| {
        let (from, to) = (input.write_on(stream)?, output.write_on(stream)?);
        let functions = &plan.functions;
        let run = if T::IS_DOUBLE {
            functions.double
        } else {
            functions.single
        };
        // SAFETY: both buffers have the number of elements of the plan, and their uses are ordered
        // by the stream.
        unsafe {
            check(
                "cufftSetStream",
                (functions.set_stream)(plan.handle, stream.raw().cast()),
            )?;
            let status = run(plan.handle, from as *mut c_void, to as *mut c_void, FORWARD);
            check("cufftExec", status)
        }
    }))
}
