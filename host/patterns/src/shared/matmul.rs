//! Matrix multiplication through tiles in shared memory.

use anyhow::Result;
use gpu::shared::matmul::{matmul_naive, matmul_shared};
use gpu_std::kernel::{Kernel, SafeKernel};
use host::compare::{self, Agreement, Expected, Mismatch};
use host::{Device, DeviceBuffer, LaunchConfig, Stream, reference};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern.
pub static PATTERN: Pattern = Pattern {
    name: "matmul",
    chapter: "shared",
    summary: "each element is loaded once for a whole tile of results",
    source: "notes 004, Shared Memory",
    size: Size {
        of: "rows and columns",
        default: 256,
        bench: Some(4096),
    },
    variants: &[
        Variant::new("matmul_naive", |device, setup| {
            Matmul::prepare(device, setup, matmul_naive, 16)
        }),
        Variant::new("matmul_shared_16", |device, setup| {
            Matmul::prepare(device, setup, matmul_shared::<16>, 16)
        }),
        Variant::new("matmul_shared_32", |device, setup| {
            Matmul::prepare(device, setup, matmul_shared::<32>, 32)
        }),
    ],
};

/// Above this many multiplications the CPU checks a sample: all of them would take minutes.
const CHECK_ALL: usize = 1 << 26;

/// Elements of such a sample.
const SAMPLE: usize = 4096;

struct Matmul<K> {
    device: Device,
    kernel: K,
    config: LaunchConfig,
    shape: (usize, usize, usize),
    host: (Vec<f32>, Vec<f32>),
    a: DeviceBuffer<f32>,
    b: DeviceBuffer<f32>,
    c: DeviceBuffer<f32>,
}

impl<K: SafeKernel<Params = <matmul_naive as Kernel>::Params>> Matmul<K> {
    fn prepare(device: &Device, setup: Setup, kernel: K, block: u32) -> Result<Box<dyn Case>> {
        let (m, n, k) = setup.product()?;
        let (a, b) = (
            input::floats(m * k, setup.seed),
            input::floats(k * n, setup.seed ^ 1),
        );
        Ok(Box::new(Self {
            kernel,
            config: LaunchConfig::cover_2d((n, m), (block, block)),
            shape: (m, n, k),
            a: DeviceBuffer::from_slice(device, &a)?,
            b: DeviceBuffer::from_slice(device, &b)?,
            c: DeviceBuffer::zeroed(device, m * n)?,
            host: (a, b),
            device: device.clone(),
        }))
    }

    /// What the product should be: all of it, or elements spread over it.
    fn expected(&self) -> Vec<Expected> {
        let ((m, n, k), (a, b)) = (self.shape, &self.host);
        if m * n * k <= CHECK_ALL {
            return reference::matmul::matmul(a, b, self.shape);
        }
        // Odd strides through a prime's multiples reach every row, column and tile position.
        let element = |i: usize| (i * 7919) % (m * n);
        (0..SAMPLE)
            .map(element)
            .map(|i| reference::matmul::element(a, b, (n, k), (i / n, i % n)))
            .collect()
    }
}

impl<K: SafeKernel<Params = <matmul_naive as Kernel>::Params>> Case for Matmul<K> {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let Self {
            device,
            kernel,
            config,
            shape: (m, n, k),
            a,
            b,
            c,
            ..
        } = self;
        let (m, n, k) = (u32::try_from(*m)?, u32::try_from(*n)?, u32::try_from(*k)?);
        Ok(device.launch(stream, *kernel, *config, (&*a, &*b, c, m, n, k))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(compare::within(&self.c.to_vec()?, self.expected()))
    }

    fn work(&self) -> Work {
        let (m, n, k) = self.shape;
        Work::Flops(2 * m as u64 * n as u64 * k as u64)
    }
}
