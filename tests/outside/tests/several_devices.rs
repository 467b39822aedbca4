//! A device for each thread, as tests take them that run side by side.
#![forbid(unsafe_code)]

use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig};
use own_kernels::digits;

#[test]
fn each_thread_has_a_simulated_device_of_its_own() {
    lanewise::simulate_devices(3);
    let first = Device::open().expect("a device");
    if first.backend() == Backend::Cuda {
        return; // it has as many as it has
    }
    std::thread::scope(|scope| {
        for number in 0..3 {
            scope.spawn(move || {
                let device = Device::at(number).expect("a device");
                assert_eq!(device.ordinal(), number);
                let stream = device.stream().unwrap();
                let numbers = DeviceBuffer::from_slice(&device, &[number as u32; 100]).unwrap();
                let mut tens = DeviceBuffer::<u32>::zeroed(&device, 100).unwrap();
                let mut ones = DeviceBuffer::<u32>::zeroed(&device, 100).unwrap();
                let config = LaunchConfig::for_num_elems(100);
                stream.launch(digits, config, (&numbers, &mut tens, &mut ones))
                    .unwrap();
                assert_eq!(ones.to_vec().unwrap(), [number as u32; 100]);
            });
        }
    });
    assert!(Device::at(3).is_err());
    // Too late: the devices are there.
    lanewise::simulate_devices(4);
    assert!(Device::at(3).is_err());
}
