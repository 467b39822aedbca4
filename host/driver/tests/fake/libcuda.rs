//! A stand-in for NVIDIA's `libcuda.so.1`, which `tests/pass_through.rs` builds: one device, a few
//! calls, and results that are easy to recognise. It has no `cuMemAlloc_v2`, as an old driver
//! lacks new calls.
//!
//! As with the real library, the caller of each function guarantees that its pointers are valid:
//! results have a place to go, and events come from [`cuEventCreate`].

use std::ffi::c_int;

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(flags: u32) -> u32 {
    if flags == 0 { 0 } else { 1 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> u32 {
    let devices = std::env::var("FAKE_DEVICES").map_or(1, |count| count.parse().unwrap());
    // SAFETY: the caller's word.
    unsafe { count.write(devices) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> u32 {
    // SAFETY: the caller's word.
    unsafe { version.write(4242) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> u32 {
    // SAFETY: the caller's word.
    unsafe { device.write(77) };
    0
}

/// Calls another entry point by its public name, as the real library does internally. The call must
/// reach this library's own function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut usize) -> u32 {
    let mut version = 0;
    // SAFETY: the caller's word.
    unsafe {
        cuDriverGetVersion(&mut version);
        context.write(version as usize);
    }
    0
}

/// A counter in place of a clock: each recording is one millisecond after the one before.
static TICK: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut *mut u64, _flags: u32) -> u32 {
    // SAFETY: the caller's word.
    unsafe { event.write(Box::into_raw(Box::new(0))) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: *mut u64, _stream: usize) -> u32 {
    // SAFETY: the caller's word.
    unsafe { event.write(TICK.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) };
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(_event: *mut u64) -> u32 {
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    milliseconds: *mut f32,
    start: *mut u64,
    end: *mut u64,
) -> u32 {
    // SAFETY: the caller's word.
    unsafe { milliseconds.write((end.read() - start.read()) as f32) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: *mut u64) -> u32 {
    // SAFETY: the caller's word: made by `cuEventCreate`, and not used any more.
    drop(unsafe { Box::from_raw(event) });
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing(_stream: usize, status: *mut u32) -> u32 {
    // SAFETY: the caller's word.
    unsafe { status.write(0) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetName(name: *mut *const u8, _function: usize) -> u32 {
    // SAFETY: the caller's word.
    unsafe { name.write(c"fake_kernel".as_ptr().cast()) };
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD32Async(
    _address: u64,
    _value: u32,
    _count: usize,
    _stream: usize,
) -> u32 {
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchKernel(
    _function: usize,
    _gx: u32,
    _gy: u32,
    _gz: u32,
    _bx: u32,
    _by: u32,
    _bz: u32,
    _shared: u32,
    _stream: usize,
    _params: usize,
    _extra: usize,
) -> u32 {
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress(
    _name: *const u8,
    found: *mut usize,
    _version: i32,
    _flags: u64,
) -> u32 {
    // SAFETY: the caller's word.
    unsafe { found.write(cuLaunchKernel as usize) };
    0
}

/// Returns a code that no current driver has.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCreateWithPriority(_stream: usize, _flags: u32, _priority: i32) -> u32 {
    4242
}
