//! A panic of a kernel, which ends all work on its device: a program of its own.

use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_algorithms::kernels::scan::scan;
use lanewise_std::collective::Sum;

/// More blocks than there are statuses: one would take the word of the tickets for its status, and
/// the next ticket would be given twice.
#[test]
fn a_scan_of_more_blocks_than_tiles_ends_in_a_panic() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let numbers = || DeviceBuffer::<u32>::zeroed(&device, 3 * 8192).expect("a buffer");
    let (input, mut output) = (numbers(), numbers());
    let mut tiles = DeviceBuffer::<u64>::zeroed(&device, 2).expect("a buffer");
    let queued = stream.launch(
        scan::<u32, Sum>,
        LaunchConfig::new(3, 256),
        (&input, &mut output, &mut tiles, false),
    );
    let fault = queued.map_err(|error| error.to_string());
    let fault = fault.and_then(|()| stream.synchronize().map_err(|error| error.to_string()));
    let fault = fault.expect_err("a panic");
    assert!(fault.contains("look_back.rs"), "{fault}");
}
