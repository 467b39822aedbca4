//! What several of the tests need: a device, and numbers without a pattern.

use lanewise::{Device, Stream};

/// Opens the device, with a stream.
pub(crate) fn device() -> (Device, Stream) {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    (device, stream)
}

/// Returns a generator of numbers without a pattern, the same in each run.
pub(crate) fn random() -> impl FnMut() -> u64 {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// Returns as many words of [`random`].
pub(crate) fn words(len: usize) -> Vec<u32> {
    let mut next = random();
    (0..len).map(|_| (next() >> 16) as u32).collect()
}
