//! A program with kernels of two crates: `own_kernels` and the catalog.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer, LaunchConfig};

/// What the two kernels called `vec_add` give: ours of numbers, the catalog's of floats.
pub fn sums() -> Result<(Vec<u64>, Vec<f32>), Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let config = LaunchConfig::for_num_elems(3);

    let first = DeviceBuffer::from_slice(&device, &[1u32, 2, 3])?;
    let mut own = DeviceBuffer::<u64>::zeroed(&device, 3)?;
    device.launch(
        &stream,
        own_kernels::vec_add,
        config,
        (&mut own, 100u64, &first),
    )?;

    let a = DeviceBuffer::from_slice(&device, &[1.0f32, 2.0, 3.0])?;
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, 3)?;
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
