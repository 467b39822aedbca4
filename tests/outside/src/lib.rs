//! A program with kernels of two crates: `own_kernels` and the catalog.
#![forbid(unsafe_code)]

use std::error::Error;

use lanewise::{Device, DeviceBuffer, LaunchConfig};
use own_kernels::{add, sparse_product, step_down};

/// What the two kernels called `vec_add` give: ours of numbers and one second term, the catalog's
/// of floats with themselves. Both slices have one length.
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
    stream.launch(
        own_kernels::vec_add,
        config,
        (&mut own, second, &first),)?;

    let a = DeviceBuffer::from_slice(&device, floats)?;
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, floats.len())?;
    stream.launch(
        gpu::basics::vector_add::vec_add,
        config,
        (&a, &a, &mut sum),)?;
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

/// What a graph makes of a number that decides its way: a loop takes 3 until the rest is a multiple
/// of 4, a switch adds 10 for a rest of 0 and 20 for 1 of 3, an `if` adds 100 to what is odd and
/// 200 to the rest, and another 1000 to what is not zero.
pub fn decided(start: u32) -> Result<u32, Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut number = DeviceBuffer::from_slice(&device, &[start])?;
    let one = LaunchConfig::new(1, 1);
    let (template, ()) = device.build_graph(|graph| {
        let (rest, setter) = graph.condition(1)?;
        graph.launch(&[], step_down, one, (&mut number, 3, 4, &setter))?;
        graph.while_loop(&[], rest, |body| {
            body.launch(&[], step_down, one, (&mut number, 3, 4, &setter))?;
            Ok(())
        })?;
        let (rest, setter) = graph.condition(0)?;
        graph.launch(&[], step_down, one, (&mut number, 0, 3, &setter))?;
        graph.switch(&[], rest, 2, |i, body| {
            body.launch(&[], add, one, (&mut number, 10 * (i as u32 + 1)))?;
            Ok(())
        })?;
        let (rest, setter) = graph.condition(0)?;
        graph.launch(&[], step_down, one, (&mut number, 0, 2, &setter))?;
        graph.if_else(&[], rest, |odd, even| {
            odd.launch(&[], add, one, (&mut number, 100))?;
            even.launch(&[], add, one, (&mut number, 200))?;
            Ok(())
        })?;
        let (rest, setter) = graph.condition(0)?;
        graph.launch(&[], step_down, one, (&mut number, 0, u32::MAX, &setter))?;
        graph.if_then(&[], rest, |body| {
            body.launch(&[], add, one, (&mut number, 1000))?;
            Ok(())
        })?;
        Ok(())
    })?;
    template.instantiate()?.launch(&stream)?;
    Ok(number.to_vec()?[0])
}

/// The product of 16 rows, half of which is stored, with 8: by the matrix unit.
pub fn product(
    stored: &[i8],
    kept: &[u32],
    right: &[i8],
) -> Result<[[i32; 8]; 16], Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let words = |bytes: &[i8]| {
        let words = bytes.chunks_exact(4);
        let words: Vec<u32> = words
            .map(|four| u32::from_le_bytes([0, 1, 2, 3].map(|i| four[i] as u8)))
            .collect();
        DeviceBuffer::from_slice(&device, &words)
    };
    let (stored, right) = (words(stored)?, words(right)?);
    let kept = DeviceBuffer::from_slice(&device, kept)?;
    let mut lanes = DeviceBuffer::from_slice(&device, &[[0i32; 4]; 32])?;
    let arguments = (&stored, &kept, &right, &mut lanes);
    stream.launch(sparse_product, LaunchConfig::new(1, 32), arguments)?;
    let mut product = [[0; 8]; 16];
    for (lane, elements) in lanes.to_vec()?.into_iter().enumerate() {
        for (i, element) in elements.into_iter().enumerate() {
            let (row, column) = own_kernels::place(lane, i);
            product[row][column] = element;
        }
    }
    Ok(product)
}

/// What `own_kernels::windows` makes of values, of which each thread has one.
pub fn windows(values: &[u32], threads: usize, further: usize) -> Result<Vec<u32>, Box<dyn Error>> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let values = DeviceBuffer::from_slice(&device, values)?;
    let mut sums = DeviceBuffer::<u32>::zeroed(&device, threads)?;
    let config = LaunchConfig::for_num_elems(threads);
    let arguments = (&values, &mut sums, further);
    stream.launch(own_kernels::windows, config, arguments)?;
    stream.synchronize()?;
    Ok(sums.to_vec()?)
}
