//! A launch that goes wrong, to see what each tool says of it: the book's page on debugging runs
//! it under several.
//!
//! The vector `b` has its length and an address that is nobody's, as of a host that mixed up two
//! numbers. With the argument `right` it has its own address, and nothing goes wrong.

use gpu::basics::vector_add::vec_add;
use lanewise::{Device, DeviceBuffer, LaunchConfig};

/// Further than any memory that a device has.
const FAR: u64 = 1 << 44;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let (a, b): (Vec<f32>, Vec<f32>) = (0..64).map(|i| (i as f32, 100.0 * i as f32)).unzip();
    let a = DeviceBuffer::from_slice(&device, &a)?;
    let b = DeviceBuffer::from_slice(&device, &b)?;
    let mut c = DeviceBuffer::<f32>::zeroed(&device, 64)?;

    let is_right = std::env::args().any(|argument| argument == "right");
    let address = b.address().wrapping_add(if is_right { 0 } else { FAR });
    // SAFETY: it is not sound, and that is what the tools are to find. The process ends with it.
    let b = unsafe { DeviceBuffer::<f32>::borrow_raw(&device, address, 64) };
    let config = LaunchConfig::cover_1d(64, 32);
    stream.launch(vec_add, config, (&a, &*b, &mut c))?;
    stream.synchronize()?;
    println!("{:?}", &c.to_vec()?[..4]);
    Ok(())
}
