//! A collective within the operator of another one deadlocks. The kernel's fault stays with the
//! device, so the test has a process of its own.
#![forbid(unsafe_code)]

use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig};
use own_kernels::parted::a_collective_in_an_operator;

#[test]
fn a_collective_in_an_operator_is_reported() {
    let device = Device::open().unwrap();
    if device.backend() == Backend::Cuda {
        return; // a GPU waits forever
    }
    let stream = device.stream().unwrap();
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 96).unwrap();
    let config = LaunchConfig::new(1, 96);
    stream.launch(a_collective_in_an_operator, config, (&mut output,))
        .unwrap();
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(
        error.contains("deadlock: all remaining threads wait"),
        "{error}"
    );
}
