//! A phase never pairs with another barrier. The kernel's fault stays with the device, so the test
//! has a process of its own.
#![forbid(unsafe_code)]

use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig};
use own_kernels::phases::beside_another_barrier;

#[test]
fn a_phase_beside_another_barrier_is_reported() {
    let device = Device::open().unwrap();
    if device.backend() == Backend::Cuda {
        return; // a GPU waits forever
    }
    let stream = device.stream().unwrap();
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 4).unwrap();
    let config = LaunchConfig::new(1, 4);
    stream.launch(beside_another_barrier, config, (&mut output,))
        .unwrap();
    let error = stream.synchronize().unwrap_err().to_string();
    assert!(
        error.contains("deadlock: all remaining threads wait"),
        "{error}"
    );
    assert!(error.contains("2 threads wait at barrier 0"), "{error}");
    assert!(error.contains("2 threads wait at barrier 1"), "{error}");
}
