//! What a launch costs beside the driver's own call.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::CString;
use std::ptr::null_mut;

use cust::sys;
use kernels::vec_add;
use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::Kernel;

thread_local! {
    /// The allocations of this thread so far.
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts.
struct Counting;

// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATED.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer is from `alloc`, that is from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the fewest allocations of this thread in one of some calls, which begin when the stream
/// is empty. The simulated driver may grow a table in any call, but not in all of them.
fn fewest(stream: &Stream, mut call: impl FnMut()) -> u64 {
    let mut count = || {
        stream.synchronize().expect("no fault");
        let before = ALLOCATED.get();
        call();
        ALLOCATED.get() - before
    };
    (0..20).map(|_| count()).min().expect("some calls")
}

fn succeeded(result: sys::CUresult) {
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
}

#[test]
fn a_launch_allocates_no_more_than_the_driver() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let ones = DeviceBuffer::from_slice(&device, &[1.0f32; 32]).expect("a buffer");
    let mut sums = DeviceBuffer::<f32>::zeroed(&device, 32).expect("a buffer");
    let config = LaunchConfig::for_num_elems(32);
    let by_library = fewest(&stream, || {
        let arguments = (&ones, &ones, &mut sums);
        let launched = stream.launch(vec_add, config, arguments);
        launched.expect("a launch");
    });

    let text = CString::new(device.ptx::<kernels::Ptx>().expect("PTX").plain).expect("no NUL");
    let name = CString::new(<vec_add as Kernel>::NAME).expect("no NUL");
    let (mut module, mut function) = (null_mut(), null_mut());
    // SAFETY: text and name end with NUL, and the results are written to variables.
    unsafe {
        succeeded(sys::cuModuleLoadData(&mut module, text.as_ptr().cast()));
        succeeded(sys::cuModuleGetFunction(
            &mut function,
            module,
            name.as_ptr(),
        ));
    }
    let mut words = [&ones, &ones, &sums].map(|buffer| [buffer.address(), buffer.len() as u64]);
    let by_driver = fewest(&stream, || {
        let params = words.as_flattened_mut().iter_mut();
        let mut params = params.map(|word| std::ptr::from_mut(word).cast());
        let mut params: [_; 6] = std::array::from_fn(|_| params.next().expect("six words"));
        let (grid, block) = (config.grid, config.block);
        // SAFETY: the kernel takes three slices, whose buffers are live.
        succeeded(unsafe {
            #[rustfmt::skip]
            let code = sys::cuLaunchKernel(
                function, grid.x, grid.y, grid.z, block.x, block.y, block.z, 0, stream.raw(), params.as_mut_ptr(), null_mut(),
            );
            code
        });
    });
    assert_eq!(by_library, by_driver);
    assert_eq!(sums.to_vec().expect("no fault"), [2.0; 32]);
}
