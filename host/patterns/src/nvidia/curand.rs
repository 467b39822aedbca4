//! cuRAND: random numbers by Philox. The numbers differ from ours, because cuRAND gives each thread
//! a stream of its own.
//! Source: cuRAND library documentation, "Host API Overview".

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use anyhow::Result;
use lanewise::{Device, DeviceBuffer};

use super::open::{check, functions, version};
use super::{Job, Number, job};

/// `CURAND_RNG_PSEUDO_PHILOX4_32_10` of curand.h, which is the algorithm of our generator.
const PHILOX: c_int = 161;

functions! { Functions "curand":
    version b"curandGetVersion" (*mut c_int);
    create b"curandCreateGenerator" (*mut *mut c_void, c_int);
    destroy b"curandDestroyGenerator" (*mut c_void);
    set_seed b"curandSetPseudoRandomGeneratorSeed" (*mut c_void, u64);
    set_stream b"curandSetStream" (*mut c_void, *mut c_void);
    uniform b"curandGenerateUniform" (*mut c_void, *mut f32, usize);
    uniform_double b"curandGenerateUniformDouble" (*mut c_void, *mut f64, usize);
    normal b"curandGenerateNormal" (*mut c_void, *mut f32, usize, f32, f32);
    normal_double b"curandGenerateNormalDouble" (*mut c_void, *mut f64, usize, f64, f64);
}

/// The functions of the library and a generator.
struct Generator {
    functions: Functions,
    handle: *mut c_void,
}

impl Drop for Generator {
    fn drop(&mut self) {
        // SAFETY: `random` made the generator, and nothing else uses it.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}

/// Returns a job that generates `n` numbers, distributed uniformly or normally. Normal numbers come
/// in pairs, so there is one less if `n` is odd.
///
/// # Errors
/// An error if cuRAND is missing or one of its functions fails.
pub fn random<T: Number>(
    device: &Device,
    n: usize,
    seed: u64,
    is_normal: bool,
) -> Result<Box<dyn Job>> {
    let functions = Functions::open(&[10])?;
    let (mut number, mut handle) = (0, null_mut());
    // SAFETY: the functions write their results to local variables.
    unsafe {
        check("curandGetVersion", (functions.version)(&mut number))?;
        check(
            "curandCreateGenerator",
            (functions.create)(&mut handle, PHILOX),
        )?;
    }
    let generator = Generator { functions, handle };
    // SAFETY: the generator was made above.
    let seeded = unsafe { (generator.functions.set_seed)(handle, seed) };
    check("curandSetPseudoRandomGeneratorSeed", seeded)?;
    let mut output = DeviceBuffer::<T>::zeroed(device, n)?;
    let name = format!("cuRAND {}", version(number, 1000));
    Ok(job(name, move |stream| {
        let (functions, handle) = (&generator.functions, generator.handle);
        let (at, even) = (output.write_on(stream)?, n / 2 * 2);
        // SAFETY: the output has this many numbers of this type, and its uses are ordered
        // by the stream.
        unsafe {
            check(
                "curandSetStream",
                (functions.set_stream)(handle, stream.raw().cast()),
            )?;
            let status = match (T::IS_DOUBLE, is_normal) {
                (false, false) => (functions.uniform)(handle, at as *mut f32, n),
                (false, true) => (functions.normal)(handle, at as *mut f32, even, 0.0, 1.0),
                (true, false) => (functions.uniform_double)(handle, at as *mut f64, n),
                (true, true) => (functions.normal_double)(handle, at as *mut f64, even, 0.0, 1.0),
            };
            check("curandGenerate", status)
        }
    }))
}
