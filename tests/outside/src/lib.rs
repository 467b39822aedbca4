//! A program with kernels of two crates: `own_kernels` and the catalog.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer, LaunchConfig};

/// What the two kernels called `vec_add` give: ours of numbers and one second term, the catalog's of floats with themselves. Both slices have one length.
pub fn sums(
    numbers: &[u32],
    second: u64,
    floats: &[f32],
) -> Result<(Vec<u64>, Vec<f32>), Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let config = LaunchConfig::for_num_elems(numbers.len());

    let first = DeviceBuffer::from_slice(&device, numbers)?;
    let mut own = DeviceBuffer::<u64>::zeroed(&device, numbers.len())?;
    device.launch(
        &stream,
        own_kernels::vec_add,
        config,
        (&mut own, second, &first),
    )?;

    let a = DeviceBuffer::from_slice(&device, floats)?;
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, floats.len())?;
    device.launch(
        &stream,
        gpu::basics::vector_add::vec_add,
        config,
        (&a, &a, &mut sum),
    )?;
    Ok((own.to_vec()?, sum.to_vec()?))
}

/// What the two statics called `VALUE` hold once each was written.
pub fn values() -> Result<([u64; 2], f32), Box<dyn Error>> {
    let device = Device::open()?;
    let own = device.symbol(own_kernels::VALUE)?;
    let catalog = device.symbol(gpu::basics::device_globals::VALUE)?;
    catalog.write(1.5)?;
    Ok((own.read()?, catalog.read()?))
}
