//! Vector addition, by one block and by a grid.

use anyhow::Result;
use gpu::basics::vector_add::{vec_add, vec_add_one_block};
use gpu_std::kernel::{Kernel, SafeKernel};
use host::compare::{self, Agreement, Mismatch};
use host::{Device, DeviceBuffer, LaunchConfig, Stream, reference};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "vector_add",
    chapter: "basics",
    summary: "one thread an element; the grid is rounded up and guarded",
    source: "notes 000, items 8 to 12",
    size: Size {
        of: "elements",
        default: 1 << 20,
        bench: Some(1 << 28),
    },
    variants: &[
        Variant::new("vec_add_one_block", |device, setup| {
            let one_block = LaunchConfig::new(1, u32::try_from(setup.at_most(1024)?.max(1))?);
            VectorAdd::prepare(device, setup, vec_add_one_block, one_block)
        })
        .up_to(1024),
        Variant::new("vec_add", |device, setup| {
            let block = setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK);
            VectorAdd::prepare(
                device,
                setup,
                vec_add,
                LaunchConfig::cover_1d(setup.elements()?, block),
            )
        }),
    ],
};

struct VectorAdd<K> {
    device: Device,
    kernel: K,
    config: LaunchConfig,
    expected: Vec<f32>,
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl<K: SafeKernel<Params = <vec_add as Kernel>::Params>> VectorAdd<K> {
    fn prepare(
        device: &Device,
        setup: Setup,
        kernel: K,
        config: LaunchConfig,
    ) -> Result<Box<dyn Case>> {
        let n = setup.elements()?;
        let (a, b) = (
            input::floats(n, setup.seed),
            input::floats(n, setup.seed ^ 1),
        );
        Ok(Box::new(Self {
            kernel,
            config,
            expected: reference::vector_add::vector_add(&a, &b),
            a: DeviceBuffer::from_slice(device, &a)?,
            b: DeviceBuffer::from_slice(device, &b)?,
            c: DeviceBuffer::zeroed(device, n)?,
            device: device.clone(),
        }))
    }
}

impl<K: SafeKernel<Params = <vec_add as Kernel>::Params>> Case for VectorAdd<K> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Self {
            device,
            kernel,
            config,
            a,
            b,
            c,
            ..
        } = self;
        Ok(device.launch(stream, *kernel, *config, (&*a, &*b, c))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        // One addition rounds once, the same way on both sides: equality is the right test.
        Ok(compare::equal(&self.c.to_vec()?, &self.expected))
    }

    fn work(&self) -> Work {
        Work::Bytes(3 * 4 * self.expected.len() as u64)
    }
}
