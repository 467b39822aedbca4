//! A stand-in for NVIDIA's `libcuda.so.1`, built by `tests/pass_through.rs`: one device, a few calls, recognisable answers.
//! It has no `cuMemAlloc_v2`, as an old driver lacks new calls.

use std::ffi::c_int;

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> u32 {
    if flags == 0 { 0 } else { 1 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> u32 {
    let devices = std::env::var("FAKE_DEVICES").map_or(1, |count| count.parse().unwrap());
    unsafe { count.write(devices) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> u32 {
    unsafe { version.write(4242) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> u32 {
    unsafe { device.write(77) };
    0
}

/// As the real library's internals do, calls another entry point by its public name: it must reach this library's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut usize) -> u32 {
    let mut version = 0;
    unsafe {
        cuDriverGetVersion(&mut version);
        context.write(version as usize);
    }
    0
}
