//! `cust`, the crate that programs use for the driver API, on whatever device there is.
//!
//! What cust's documentation shows and what its own tests ask of a driver, said again here in our
//! words and for both devices: each test expects the same of the simulator and of a GPU. Where cust
//! 0.3.2 itself is in the way, a comment says how.

mod array;
mod context;
mod device;
mod device_memory;
mod event;
mod launch;
mod linker;
mod locked;
mod module;
mod pointer;
mod stream;
mod unified;

use cust::context::Context;

/// The kernels that these tests launch.
const PTX: &str = include_str!("kernels.ptx");

/// The device's primary context, current on this thread; it must outlive what is made in it.
#[track_caller]
fn context() -> Context {
    // Linking `host` is what gives the program the driver's symbols; opening the device says
    // which one answers.
    let _ = tests::device();
    cust::quick_init().expect("a device was opened")
}
