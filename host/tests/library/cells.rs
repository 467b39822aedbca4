//! Buffers that kernels write through `&`: atomics and cells, lent to a launch as `&mut` of
//! their plain values.

use kernels::{carry, count_bins, polynomial};
use lanewise::{Device, DeviceBuffer, LaunchConfig, ManagedBuffer};

#[test]
fn a_buffer_is_lent_as_atomics() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let values: Vec<u32> = (0..1000).map(|i| i * i % 7).collect();
    let mut expected = [0u32; 7];
    for value in &values {
        expected[*value as usize] += 1;
    }
    let values = DeviceBuffer::from_slice(&device, &values).expect("memory");
    let mut bins = DeviceBuffer::<u32>::zeroed(&device, 7).expect("memory");
    let config = LaunchConfig::for_num_elems(values.len());
    let launched = stream.launch(count_bins, config, (&values, &mut bins));
    launched.expect("a launch");
    assert_eq!(bins.to_vec().expect("it ran"), expected);

    let mut managed = ManagedBuffer::<u32>::zeroed(&device, 7).expect("memory");
    let launched = stream.launch(count_bins, config, (&values, &mut managed));
    launched.expect("a launch");
    stream.synchronize().expect("it ran");
    assert_eq!(managed.as_slice().expect("it ran"), expected);
}

#[test]
fn a_buffer_is_lent_as_cells() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut totals = DeviceBuffer::from_slice(&device, &[37u64, 0]).expect("memory");
    // SAFETY: one thread runs it.
    let launched =
        unsafe { stream.launch_unchecked(carry, LaunchConfig::new(1, 1), (&mut totals,)) };
    launched.expect("a launch");
    assert_eq!(totals.to_vec().expect("it ran"), [37, 42]);
}

#[test]
fn a_parameter_has_the_size_of_its_instance() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let x = DeviceBuffer::from_slice(&device, &[0.0f32, 1.0, 2.0]).expect("memory");
    let mut y = DeviceBuffer::<f32>::zeroed(&device, 3).expect("memory");
    let config = LaunchConfig::for_num_elems(3);
    let launched = stream.launch(polynomial::<2>, config, ([1.0, 3.0], &x, &mut y));
    launched.expect("a launch");
    assert_eq!(y.to_vec().expect("it ran"), [1.0, 4.0, 7.0]);
    let launched = stream.launch(polynomial::<4>, config, ([1.0, 3.0, 0.0, 2.0], &x, &mut y));
    launched.expect("a launch");
    assert_eq!(y.to_vec().expect("it ran"), [1.0, 6.0, 23.0]);
}
