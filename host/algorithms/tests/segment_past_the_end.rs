//! A segment past the end, which ends all work on its device: a program of its own.

use lanewise::{Device, DeviceBuffer};
use lanewise_algorithms::{Order, SegmentedSort};

#[test]
fn a_segment_past_the_input_is_a_panic() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &[3u32, 1, 2]).expect("an input");
    let starts = DeviceBuffer::from_slice(&device, &[0u32, 2, 4]).expect("starts");
    let mut output = DeviceBuffer::<u32>::zeroed(&device, 3).expect("an output");
    let mut sort = SegmentedSort::new(&device, 3, 2).expect("a workspace");
    // Whether the kernels after it are still queued depends on when the first one panics.
    let _ = sort.sort(&stream, Order::Ascending, &input, &starts, &mut output);
    let fault = stream.synchronize().expect_err("a panic").to_string();
    assert!(fault.contains("segmented.rs"), "{fault}");
}
