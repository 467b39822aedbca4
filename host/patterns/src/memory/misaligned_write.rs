//! The sum of two vectors, written from an offset on: `--by` is the offset.

use anyhow::Result;
use gpu::memory::misaligned_write::{write_offset, write_offset_unroll2, write_offset_unroll4};
use gpu_std::kernel::{Kernel, SafeKernel};
use host::reference::misaligned_write as reference;
use host::{Device, DeviceBuffer, LaunchConfig};

use super::misaligned_read::OFFSET;
use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "misaligned_write",
    chapter: "memory",
    summary: "stores from an offset on: a fifth sector, and two that are written in part",
    source: "notes 000, chapter 4.3.3",
    size: Size {
        of: "elements",
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("write_offset", |device, setup| {
            prepare(device, setup, write_offset, 1)
        }),
        Variant::new("write_offset_unroll2", |device, setup| {
            prepare(device, setup, write_offset_unroll2, 2)
        }),
        Variant::new("write_offset_unroll4", |device, setup| {
            prepare(device, setup, write_offset_unroll4, 4)
        }),
    ],
};

/// The output is longer than the inputs by the offset, so that every sum has its element.
fn prepare<K: SafeKernel<Params = <write_offset as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    unroll: usize,
) -> Result<Box<dyn Case>> {
    let (n, offset) = (setup.elements()?, setup.by.unwrap_or(OFFSET));
    let longer = n.saturating_add(offset as usize);
    let longer = Setup {
        size: longer,
        ..setup
    }
    .elements()?;
    let (a, b) = (
        input::floats(n, setup.seed),
        input::floats(n, setup.seed ^ 1),
    );
    let mut expected = vec![0.0; longer];
    reference::write_offset(&a, &b, &mut expected, offset as usize);

    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let config = LaunchConfig::cover_1d(n.div_ceil(unroll), block);
    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let c = DeviceBuffer::zeroed(device, longer)?;
    let device = device.clone();
    Ok(Filling::boxed(
        [c],
        [expected],
        Work::Bytes(3 * 4 * n as u64),
        move |stream, [c]| Ok(device.launch(stream, kernel, config, (&a, &b, c, offset))?),
    ))
}
