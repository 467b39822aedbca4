//! A table that is read repeatedly while other data streams through the cache, with and without an
//! L2 window over the table. `--by` is the table's length.

use anyhow::Result;
use gpu::memory::l2_window::l2_reuse;
use lanewise::{Device, DeviceBuffer, LaunchConfig};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The number of elements in the table, unless the setup gives one: 1 MiB, a small part of any L2.
const TABLE: u32 = 1 << 18;

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "l2_window",
    chapter: "memory",
    summary: "a part of L2 set aside for the accesses in a window",
    source: "CUDA C++ Programming Guide, Device Memory L2 Access Management",
    size: Size {
        of: "elements of the stream",
        is_square: false,
        default: 1 << 22,
        bench: None,
    },
    variants: &[
        Variant::new("l2_reuse", |device, setup| prepare(device, setup, false)),
        Variant::new("l2_reuse_window", |device, setup| {
            prepare(device, setup, true)
        })
        .runs("l2_reuse"),
    ],
};

/// Prepares the kernel, on a stream with a window over the table if `window` is set and the
/// device supports it.
fn prepare(device: &Device, setup: Setup, window: bool) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let length = setup.by.unwrap_or(TABLE) as usize;
    Setup {
        size: length,
        ..setup
    }
    .elements()?;
    let table = input::floats(length, setup.seed);
    let once = input::floats(n, setup.seed ^ 1);
    let expected = reuse(&table, &once);

    let config = LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK));
    let table = DeviceBuffer::from_slice(device, &table)?;
    let once = DeviceBuffer::from_slice(device, &once)?;
    let output = DeviceBuffer::zeroed(device, n)?;
    let most = device.max_persisting_l2()?;
    let hit_ratio = if window && most > 0 {
        let aside = device.set_aside_l2(most.min(4 * length))?;
        // If less memory is set aside than the window has, this fraction of the window fits.
        Some((aside as f32 / (4 * length).max(1) as f32).min(1.0))
    } else {
        None
    };
    Ok(Filling::boxed(
        [output],
        [expected],
        Work::Bytes(3 * 4 * n as u64),
        move |stream, [output]| {
            if let Some(hit_ratio) = hit_ratio {
                stream.set_l2_window(&table, hit_ratio)?;
            }
            stream.launch(l2_reuse, config, (&table, &once, output))?;
            if hit_ratio.is_some() {
                stream.clear_l2_window()?;
            }
            Ok(())
        },
    ))
}

// On the CPU.

/// Returns `stream[i] + table[i % table.len()]`, or zeroes if the table is empty.
pub fn reuse(table: &[f32], stream: &[f32]) -> Vec<f32> {
    if table.is_empty() {
        return vec![0.0; stream.len()];
    }
    stream
        .iter()
        .zip(table.iter().cycle())
        .map(|(once, kept)| kept + once)
        .collect()
}
