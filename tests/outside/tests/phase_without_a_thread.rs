//! A cell whose thread has exited is uninitialised. The kernel's fault stays with the device, so
//! the test has a process of its own.
#![forbid(unsafe_code)]

use lanewise::checks::Checking;
use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig};
use own_kernels::phases::without_an_exited_thread;

#[test]
fn the_cell_of_an_exited_thread_is_reported() {
    let device = Device::open().unwrap();
    if device.backend() == Backend::Cuda {
        return; // a GPU has no such check
    }
    let stream = device.stream().unwrap();
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 4).unwrap();
    let _checking = Checking::init().start();
    let config = LaunchConfig::new(1, 4);
    let launched = stream.launch(without_an_exited_thread, config, (&mut output,));
    let error = match launched {
        Err(error) => error.to_string(),
        Ok(()) => stream.synchronize().unwrap_err().to_string(),
    };
    assert!(error.contains("uninitialised"), "{error}");
}
