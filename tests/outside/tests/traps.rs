//! Kernels that were built with `--panic trap`. One test, for no kernel runs after a panic.

use lanewise::{Device, DeviceBuffer, LaunchConfig};

#[test]
fn a_panic_is_only_a_trap() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let module = device.module::<own_kernels::Trapping>().expect("it loads");
    let values = DeviceBuffer::from_slice(&device, &[1u32, 2, 3, 4]).expect("a buffer");
    let mut sums = DeviceBuffer::<u32>::zeroed(&device, 2).expect("a buffer");
    let mut launch = |further: usize| {
        let arguments = (&values, &mut sums, further);
        let config = LaunchConfig::for_num_elems(2);
        // SAFETY: the module was compiled from the crate that has the kernel's handle.
        let launched =
            unsafe { module.launch_unchecked(&stream, own_kernels::windows, config, arguments) };
        launched.expect("it is launched");
        stream.synchronize()
    };
    launch(2).expect("all are in bounds");
    let error = launch(3).expect_err("an index is wrong").to_string();
    assert!(error.contains("trap"), "{error}");
    assert!(!error.contains("index out of bounds"), "{error}");
}
