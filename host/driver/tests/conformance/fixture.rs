//! What each row runs with: a fresh context with a few objects in it.

pub(crate) use crate::answer::ok;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Receiver, Sender, channel};

/// The bytes of [`Fixture::device`].
pub(crate) const BYTES: usize = 4096;

/// A fresh context, current on this thread. It is destroyed, with all its objects, after the row.
pub(crate) struct Fixture {
    pub(crate) context: CUcontext,
}

/// `cuInit`, which must succeed.
pub(crate) fn initialise() {
    // SAFETY: takes zero at any time.
    ok(unsafe { cuInit(0) });
}

/// `SUCCESS` if the condition that a row checks holds.
pub(crate) fn holds(condition: bool) -> CUresult {
    if condition {
        CUresult::SUCCESS
    } else {
        CUresult::ERROR_UNKNOWN
    }
}

/// The text as a C string, which is kept for the rest of the process.
pub(crate) fn c(text: &str) -> *const c_char {
    CString::new(text)
        .expect("test texts hold no zero byte")
        .into_raw()
}

/// Keeps a stream busy until the returned value is dropped, however long that takes.
pub(crate) fn hold(stream: CUstream) -> Sender<()> {
    /// Waits for a message that never comes: the wait ends when the sender is dropped.
    unsafe extern "C" fn wait(held: *mut c_void) {
        // SAFETY: the box below, which is passed once.
        let held = unsafe { Box::from_raw(held.cast::<Receiver<()>>()) };
        let _ = held.recv();
    }
    let (hold, held) = channel();
    let held = Box::into_raw(Box::new(held));
    // SAFETY: a function that takes what it is passed.
    ok(unsafe { cuLaunchHostFunc(stream, Some(wait), held.cast()) });
    hold
}

/// The rows' kernels.
pub(crate) fn ptx() -> *const c_void {
    c(include_str!("kernels.ptx")).cast()
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Fixture {
    pub(crate) fn new() -> Fixture {
        let mut context = CUcontext::default();
        ok(unsafe { cuCtxCreate_v2(&mut context, 0, 0) });
        Fixture { context }
    }

    /// [`BYTES`] of device memory.
    pub(crate) fn device(&self) -> CUdeviceptr {
        let mut address = 0;
        ok(unsafe { cuMemAlloc_v2(&mut address, BYTES) });
        address
    }

    /// [`BYTES`] of pinned memory.
    pub(crate) fn pinned(&self) -> *mut c_void {
        let mut pointer = null_mut();
        ok(unsafe { cuMemAllocHost_v2(&mut pointer, BYTES) });
        pointer
    }

    pub(crate) fn managed(&self) -> CUdeviceptr {
        let mut address = 0;
        ok(unsafe { cuMemAllocManaged(&mut address, BYTES, 1) });
        address
    }

    pub(crate) fn stream(&self) -> CUstream {
        let mut stream = CUstream::default();
        ok(unsafe { cuStreamCreate(&mut stream, 1) });
        stream
    }

    pub(crate) fn event(&self) -> CUevent {
        let mut event = CUevent::default();
        ok(unsafe { cuEventCreate(&mut event, 0) });
        event
    }

    pub(crate) fn module(&self) -> CUmodule {
        let mut module = CUmodule::default();
        ok(unsafe { cuModuleLoadData(&mut module, ptx()) });
        module
    }

    pub(crate) fn function(&self, name: &str) -> CUfunction {
        let mut function = CUfunction::default();
        ok(unsafe { cuModuleGetFunction(&mut function, self.module(), c(name)) });
        function
    }

    /// Launches `function` with parameters, on the legacy default stream.
    pub(crate) fn launch(
        &self,
        function: CUfunction,
        grid: u32,
        block: u32,
        shared: u32,
        params: &mut [*mut c_void],
    ) -> CUresult {
        let params = if params.is_empty() {
            null_mut()
        } else {
            params.as_mut_ptr()
        };
        unsafe {
            cuLaunchKernel(
                function,
                grid,
                1,
                1,
                block,
                1,
                1,
                shared,
                CUstream::default(),
                params,
                null_mut(),
            )
        }
    }

    /// Launches `function` without parameters.
    pub(crate) fn launch_bare(
        &self,
        function: CUfunction,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
    ) -> CUresult {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        unsafe {
            cuLaunchKernel(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shared,
                CUstream::default(),
                null_mut(),
                null_mut(),
            )
        }
    }

    /// The first word at a device address.
    pub(crate) fn word(&self, address: CUdeviceptr) -> u32 {
        let mut word = 0u32;
        ok(unsafe { cuMemcpyDtoH_v2((&raw mut word).cast(), address, 4) });
        word
    }

    /// A device attribute's value.
    pub(crate) fn attribute(&self, which: u32) -> i32 {
        let mut value = 0;
        ok(unsafe { cuDeviceGetAttribute(&mut value, which, 0) });
        value
    }
}

/// The address of a parameter's value.
pub(crate) fn param<T>(value: &mut T) -> *mut c_void {
    (value as *mut T).cast()
}

/// A null pointer to read from.
pub(crate) fn nothing<T>() -> *const T {
    null()
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // A row may have destroyed it, or faulted in it.
        // SAFETY: any value is allowed.
        let _ = unsafe { cuCtxDestroy_v2(self.context) };
    }
}

/// The address of a variable in the program's own memory, which is no allocation of the driver.
pub(crate) fn foreign() -> u64 {
    static OWN: u64 = 0;
    (&raw const OWN).expose_provenance() as u64
}
