//! Vector addition, by one block and by a grid.

use anyhow::Result;
use gpu::basics::vector_add::{vec_add, vec_add_one_block};
use lanewise::{Device, DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::case::Filling;
use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "vector_add",
    chapter: "basics",
    summary: "one thread an element; the grid is rounded up and guarded",
    source: "Professional CUDA C Programming, chapter 2",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: Some(1 << 28),
    },
    variants: &[
        Variant::new("vec_add_one_block", |device, setup| {
            let one_block = LaunchConfig::new(1, u32::try_from(setup.at_most(1024)?.max(1))?);
            prepare(device, setup, vec_add_one_block, one_block)
        })
        .up_to(1024),
        Variant::new("vec_add", |device, setup| {
            let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
            prepare(
                device,
                setup,
                vec_add,
                LaunchConfig::cover_1d(setup.elements()?, block),
            )
        }),
    ],
};

fn prepare<K: SafeKernel<Params = <vec_add as Kernel>::Params>>(
    device: &Device,
    setup: Setup,
    kernel: K,
    config: LaunchConfig,
) -> Result<Box<dyn Case>> {
    let n = setup.elements()?;
    let a = input::floats(n, setup.seed);
    let b = input::floats(n, setup.seed ^ 1);
    let expected = setup.expected(|| vector_add(&a, &b));

    let a = DeviceBuffer::from_slice(device, &a)?;
    let b = DeviceBuffer::from_slice(device, &b)?;
    let c = DeviceBuffer::zeroed(device, n)?;
    Ok(Filling::boxed(
        [c],
        [expected],
        Work::Bytes(3 * 4 * n as u64),
        move |stream, [c]| Ok(stream.launch(kernel, config, (&a, &b, c))?),
    ))
}

// On the CPU.

/// Returns `a[i] + b[i]` for each `i` below the shorter vector's length.
pub fn vector_add(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
