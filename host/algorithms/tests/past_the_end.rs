//! An index past the end, which ends all work on its device: a program of its own.

use lanewise::{Device, DeviceBuffer};
use lanewise_algorithms::gather;

#[test]
fn an_index_past_the_end_is_a_panic() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &[1u32, 2, 3]).expect("an input");
    let indices = DeviceBuffer::from_slice(&device, &[0u32, 3]).expect("indices");
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 2).expect("an output");
    let queued = gather(&stream, &input, &indices, &mut output).map_err(|error| error.to_string());
    let fault = queued.and_then(|()| stream.synchronize().map_err(|error| error.to_string()));
    let fault = fault.expect_err("a panic");
    assert!(fault.contains("gather.rs"), "{fault}");
}
