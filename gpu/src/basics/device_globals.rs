//! Statics on the device that the host fills and reads by name.
//!
//! Launch: any grid and block; `read_constant_table` and `follow_device_pointer` in one dimension,
//! with at least one thread for each element of `output`. `bump_global` prints `VALUE` and adds 2
//! to it, once for each thread; `read_constant_table` repeats `TABLE` over `output`;
//! `follow_device_pointer` copies to `output` what `POINTER` points to.
//! Shows: memory that belongs to the module, not to a launch. The host accesses it through its
//! symbol. The driver has the symbol's address and size, and a value stays there from one launch
//! to the next.
//! Source: Professional CUDA C Programming, chapter 4; CUDA C++ Programming Guide, "Device Memory".

use lanewise_macros::{device, gpu_printf, kernel};
use lanewise_std::atomic::AtomicOrdering;
use lanewise_std::thread;
use lanewise_std::{ConstantMemory, DeviceGlobal, DisjointSlice};

/// Elements of [`TABLE`].
pub const TABLE_LENGTH: usize = 256;

/// A number in global memory.
#[device]
pub static VALUE: DeviceGlobal<f32> = DeviceGlobal::new(0.0);

/// A table in constant memory.
#[device]
pub static TABLE: ConstantMemory<[f32; TABLE_LENGTH]> = ConstantMemory::new([0.0; TABLE_LENGTH]);

/// A place for the address of an array that the host has allocated.
#[device]
pub static POINTER: DeviceGlobal<*const f32> = DeviceGlobal::new(core::ptr::null());

/// Each thread prints the number it finds and adds 2 to it.
#[kernel]
pub fn bump_global() {
    let found = VALUE.atomic().fetch_add(2.0, AtomicOrdering::Relaxed);
    gpu_printf!("Device: the value of the global variable is {:.6}\n", found);
}

/// Each thread reads one element of the table. Threads of a warp read different ones, for which
/// constant memory is slow.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_constant_table(mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    if let Some(output) = output.get_mut(&index) {
        *output = TABLE.at(index.get() % TABLE_LENGTH);
    }
}

/// Each thread reads one element of the array that the pointer points to.
///
/// # Safety
/// `POINTER` holds the address of at least as many elements as `output` has, and nothing writes to
/// them during the launch.
#[kernel]
#[launch_contract(dims = 1)]
pub unsafe fn follow_device_pointer(mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    if let Some(output) = output.get_mut(&index) {
        // SAFETY: no kernel writes `POINTER`, and the array has enough elements, as the caller
        // guarantees. No type is a static slice, which the host lends for a launch.
        *output = unsafe { *POINTER.get().add(index.get()) };
    }
}
