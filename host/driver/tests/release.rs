//! Kernels that spin on a flag in the device's memory: something outside of them sets it, or
//! nothing ever will. The outcome does not depend on how long that takes.

use super::{Context, answer::ok};
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use std::ffi::CString;
use std::ptr::{from_mut, null_mut};
use std::thread;
use std::time::Duration;

/// `spin` waits until the first word is not 0, and then stores it in the second. `set` makes the
/// first word 7, from every block.
const TEXT: &str = "
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry spin(.param .u64 flag) {
        .reg .b64 %d; .reg .b32 %r; .reg .pred %p;
        ld.param.u64 %d, [flag];
    L:  ld.relaxed.sys.u32 %r, [%d]; setp.eq.u32 %p, %r, 0; @%p bra L;
        st.relaxed.sys.u32 [%d+4], %r;
        ret;
    }
    .visible .entry set(.param .u64 flag) {
        .reg .b64 %d; .reg .b32 %r;
        ld.param.u64 %d, [flag];
        st.relaxed.sys.u32 [%d], 7;
        ret;
    }";

/// Long enough for a kernel that spins to be taken for one that never ends.
const LATER: Duration = Duration::from_millis(300);

/// A flag in device memory, and the kernels.
struct Spin {
    context: Context,
    module: CUmodule,
    flag: CUdeviceptr,
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
impl Spin {
    fn new() -> Spin {
        let context = Context::new();
        let text = CString::new(TEXT).unwrap();
        let mut module = CUmodule::default();
        ok(unsafe { cuModuleLoadData(&mut module, text.as_ptr().cast()) });
        let flag = context.device(8);
        ok(unsafe { cuMemsetD8_v2(flag, 0, 8) });
        Spin {
            context,
            module,
            flag,
        }
    }

    /// Launches a kernel of so many blocks in `stream`.
    fn launch(&self, kernel: &str, blocks: u32, stream: CUstream, flag: CUdeviceptr) {
        let name = CString::new(kernel).unwrap();
        let mut function = CUfunction::default();
        ok(unsafe { cuModuleGetFunction(&mut function, self.module, name.as_ptr()) });
        let mut flag = flag;
        let mut params = [from_mut(&mut flag).cast()];
        let params = params.as_mut_ptr();
        ok(unsafe {
            cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                32,
                1,
                1,
                0,
                stream,
                params,
                null_mut(),
            )
        });
    }

    /// Returns the second word, which the kernel has written.
    fn answer(&self) -> u32 {
        let mut answer = 0u32;
        let to = from_mut(&mut answer).cast();
        ok(unsafe { cuMemcpyDtoH_v2(to, self.flag + 4, 4) });
        answer
    }
}

#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "driver calls with arguments of this file's own"
)]
fn synchronize(stream: CUstream) -> CUresult {
    unsafe { cuStreamSynchronize(stream) }
}

/// The flag is set by `set`, in another stream than the kernel's.
fn released_by(set: impl FnOnce(&Spin, CUstream)) {
    let spin = Spin::new();
    let [first, second] = [(); 2].map(|()| spin.context.stream(1));
    spin.launch("spin", 1, first, spin.flag);
    thread::sleep(LATER);
    set(&spin, second);
    ok(synchronize(first));
    assert_eq!(spin.answer(), 7);
}

#[test]
fn a_kernel_of_another_stream_releases_it() {
    released_by(|spin, stream| spin.launch("set", 1, stream, spin.flag));
}

#[test]
fn a_memset_releases_it() {
    // SAFETY: the word is the flag's.
    released_by(|spin, stream| ok(unsafe { cuMemsetD32Async(spin.flag, 7, 1, stream) }));
}

#[test]
fn a_written_value_releases_it() {
    // SAFETY: the word is the flag's.
    released_by(|spin, stream| ok(unsafe { cuStreamWriteValue32_v2(stream, spin.flag, 7, 0) }));
}

/// The kernel that waits has more blocks than the host has cores. It leaves them to the kernel that
/// releases it.
#[test]
fn a_grid_that_waits_leaves_the_cores_to_others() {
    let spin = Spin::new();
    let [first, second] = [(); 2].map(|()| spin.context.stream(1));
    spin.launch("spin", 200, first, spin.flag);
    thread::sleep(LATER);
    spin.launch("set", 200, second, spin.flag);
    ok(synchronize(first));
    assert_eq!(spin.answer(), 7);
}

/// The thread that releases the kernel calls the driver for the first time when all others wait.
#[test]
fn another_thread_releases_it() {
    let spin = Spin::new();
    let [first, second] = [(); 2].map(|()| spin.context.stream(1));
    spin.launch("spin", 1, first, spin.flag);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(LATER);
            // SAFETY: the context lives until this thread has ended.
            ok(unsafe { cuCtxSetCurrent(spin.context.0) });
            spin.launch("set", 1, second, spin.flag);
        });
        ok(synchronize(first));
    });
    assert_eq!(spin.answer(), 7);
}

/// The kernel that releases the first waits for a value that comes later.
#[test]
fn a_stream_behind_a_wait_releases_it() {
    let spin = Spin::new();
    let [first, second] = [(); 2].map(|()| spin.context.stream(1));
    let word = spin.context.device(4);
    // SAFETY: the words are this test's.
    ok(unsafe { cuMemsetD32_v2(word, 0, 1) });
    spin.launch("spin", 1, first, spin.flag);
    // SAFETY: as above.
    ok(unsafe { cuStreamWaitValue32_v2(second, word, 1, 0) });
    spin.launch("set", 1, second, spin.flag);
    thread::sleep(LATER);
    // SAFETY: as above.
    ok(unsafe { cuStreamWriteValue32_v2(spin.context.stream(1), word, 1, 0) });
    ok(synchronize(first));
    assert_eq!(spin.answer(), 7);
}

/// The only thread that could release the kernel waits for it.
#[test]
fn a_kernel_that_nothing_can_release_is_a_deadlock() {
    let spin = Spin::new();
    let stream = spin.context.stream(1);
    spin.launch("spin", 3, stream, spin.flag);
    assert_eq!(synchronize(stream), CUresult::ERROR_LAUNCH_TIMEOUT);
}

/// Two kernels spin, and each could release the other only after that.
#[test]
fn kernels_that_wait_for_each_other_are_a_deadlock() {
    let spin = Spin::new();
    let other = spin.context.device(8);
    // SAFETY: the words are this test's.
    ok(unsafe { cuMemsetD8_v2(other, 0, 8) });
    let [first, second] = [(); 2].map(|()| spin.context.stream(1));
    spin.launch("spin", 1, first, spin.flag);
    spin.launch("set", 1, first, other);
    spin.launch("spin", 1, second, other);
    spin.launch("set", 1, second, spin.flag);
    assert_eq!(synchronize(first), CUresult::ERROR_LAUNCH_TIMEOUT);
}
