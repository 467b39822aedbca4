//! The sum of two vectors, read from an offset on: `--by` is the offset.

use anyhow::Result;
use gpu::memory::misaligned_read::{read_offset, read_offset_unroll2, read_offset_unroll4};
use gpu_std::kernel::{Kernel, SafeKernel};
use host::reference::misaligned_read as reference;
use host::{Device, DeviceBuffer, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The offset of the notes: not a multiple of the 8 floats of a sector.
pub(super) const OFFSET: u32 = 11;

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "misaligned_read",
    chapter: "memory",
    summary: "loads from an offset on: a fifth sector, unless the offset is a multiple of 8 floats",
    source: "notes 000, chapters 4.3.2 and 4.3.5",
    size: Size {
        of: "elements",
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("read_offset", |device, setup| {
            prepare(device, setup, read_offset, 1)
        }),
        Variant::new("read_offset_unroll2", |device, setup| {
            prepare(device, setup, read_offset_unroll2, 2)
        }),
        Variant::new("read_offset_unroll4", |device, setup| {
            prepare(device, setup, read_offset_unroll4, 4)
        }),
    ],
};

/// The inputs are longer than the output by the offset, so that every element has its sum and every warp its 32 loads.
fn prepare<K: SafeKernel<Params = <read_offset as Kernel>::Params>>(
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
        input::floats(longer, setup.seed),
        input::floats(longer, setup.seed ^ 1),
    );
    let mut expected = vec![0.0; n];
    reference::read_offset(&a, &b, &mut expected, offset as usize);

    let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
    let config = LaunchConfig::cover_1d(n.div_ceil(unroll), block);
    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let c = DeviceBuffer::zeroed(device, n)?;
    let device = device.clone();
    Ok(Filling::boxed(
        [c],
        [expected],
        Work::Bytes(3 * 4 * n as u64),
        move |stream, [c]| Ok(device.launch(stream, kernel, config, (&a, &b, c, offset))?),
    ))
}
