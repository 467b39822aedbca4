//! What the safe types of `lanewise` promise: uses of one buffer keep their order on whatever
//! streams they are, other work runs side by side, and memory stays until its last use is over.

mod copies;
mod counting;
mod events;
mod fault_report;
mod futures;
mod last_use;
mod managed;
mod statics;
mod two_devices;

use gpu::basics::vector_add::vec_add;
use lanewise::{Device, DeviceBuffer, LaunchConfig, PinnedBuffer, Pinning, Stream, StreamOptions};

/// Pinned memory that holds `values`.
fn pinned(device: &Device, values: &[f32]) -> PinnedBuffer<f32> {
    let mut memory = PinnedBuffer::zeroed(device, values.len(), Pinning::Cached).expect("memory");
    memory
        .as_mut_slice()
        .expect("nothing runs")
        .copy_from_slice(values);
    memory
}

/// A stream that waits for the default stream, and one that does not.
fn streams(device: &Device) -> [Stream; 2] {
    [StreamOptions::new(), StreamOptions::new().non_blocking()]
        .map(|options| device.stream_with(options).expect("a stream"))
}

/// Doubles `values` by three operations on two streams: a copy in, a kernel, a copy out. Only the
/// buffers that they share keep the three in order.
fn round_trip(device: &Device, values: &[f32], [first, second]: &[Stream; 2]) -> Vec<f32> {
    let (input, mut output) = (pinned(device, values), pinned(device, values));
    let mut a = DeviceBuffer::<f32>::zeroed(device, values.len()).expect("a buffer");
    let mut b = DeviceBuffer::<f32>::zeroed(device, values.len()).expect("a buffer");
    let up = first.copy_in(&input, &mut a).expect("a copy");
    let config = LaunchConfig::for_num_elems(values.len());
    second
        .launch(vec_add, config, (&a, &a, &mut b))
        .expect("a launch");
    let down = first.copy_out(&b, &mut output).expect("a copy");
    // Without these handles the memory still waits for its copies.
    up.detach();
    std::mem::forget(down);
    output.as_slice().expect("no fault").to_vec()
}
