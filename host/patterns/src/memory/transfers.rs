//! The sum of two vectors that start and end in host memory. There are six kinds of memory, and the
//! result is the same.
//!
//! A run consists of the copies to the device, the kernel and the copy back, or of what replaces
//! the copies. So the throughput in a line is mostly that of transfers between host and device, and
//! the kernel is a small part.

use crate::basics::vector_add::vector_add;
use anyhow::Result;
use gpu::basics::vector_add::vec_add;
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{Device, DeviceBuffer, LaunchConfig, ManagedBuffer, PinnedBuffer, Pinning, Stream};

use crate::{Case, Pattern, Setup, Size, Variant, Work, input};

/// The pattern as `cargo xtask list` shows it and `cargo xtask run` runs it.
pub static PATTERN: Pattern = Pattern {
    name: "transfers",
    chapter: "memory",
    summary: "copies in both directions: pageable, pinned, registered, write-combined, zero-copy, managed",
    source: "Professional CUDA C Programming, chapter 4; CUDA C++ Best Practices Guide, \"Memory Optimizations\"",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 20,
        bench: None,
    },
    variants: &[
        Variant::new("pageable", |device, setup| {
            Copied::prepare(device, setup, |_, data| Ok(HostMemory::Pageable(data)))
        })
        .runs("vec_add"),
        Variant::new("pinned", |device, setup| {
            Copied::prepare(device, setup, |device, data| {
                pinned(device, &data, Pinning::Cached)
            })
        })
        .runs("vec_add"),
        Variant::new("registered", |device, setup| {
            Copied::prepare(device, setup, |device, data| {
                Ok(HostMemory::Pinned(PinnedBuffer::register(device, data)?))
            })
        })
        .runs("vec_add"),
        Variant::new("write_combined", |device, setup| {
            Copied::prepare(device, setup, |device, data| {
                pinned(device, &data, Pinning::WriteCombined)
            })
        })
        .runs("vec_add"),
        Variant::new("zero_copy", ZeroCopy::prepare).runs("vec_add"),
        Variant::new("managed", Managed::prepare).runs("vec_add"),
    ],
};

/// Two input vectors and their sum.
struct Sum {
    a: Vec<f32>,
    b: Vec<f32>,
    expected: Vec<f32>,
    config: LaunchConfig,
}

impl Sum {
    fn new(setup: Setup) -> Result<Self> {
        let n = setup.elements()?;
        let (a, b) = (
            input::floats(n, setup.seed),
            input::floats(n, setup.seed ^ 1),
        );
        Ok(Self {
            expected: vector_add(&a, &b),
            a,
            b,
            config: LaunchConfig::cover_1d(n, setup.block.unwrap_or(LaunchConfig::DEFAULT_BLOCK)),
        })
    }
}

/// Returns the bytes of the copies: two vectors go to the device, and one comes back.
fn work(expected: &[f32]) -> Work {
    Work::Bytes(3 * 4 * expected.len() as u64)
}

/// Host memory to copy from and to.
enum HostMemory {
    Pageable(Vec<f32>),
    Pinned(PinnedBuffer<f32>),
}

fn pinned(device: &Device, data: &[f32], pinning: Pinning) -> Result<HostMemory> {
    let mut memory = PinnedBuffer::zeroed(device, data.len(), pinning)?;
    memory.as_mut_slice()?.copy_from_slice(data);
    Ok(HostMemory::Pinned(memory))
}

impl HostMemory {
    fn as_slice(&self) -> Result<&[f32]> {
        Ok(match self {
            Self::Pageable(memory) => memory,
            Self::Pinned(memory) => memory.as_slice()?,
        })
    }

    /// Copies the memory to the device. The host continues during the copy if the memory is pinned,
    /// and waits if it is pageable.
    fn send(&self, stream: &Stream, to: &mut DeviceBuffer<f32>) -> Result<()> {
        match self {
            Self::Pageable(memory) => to.copy_from_slice(memory)?,
            // The next access to the memory waits for the copy.
            Self::Pinned(memory) => stream.copy_in(memory, to)?.detach(),
        }
        Ok(())
    }

    /// Copies the device's buffer to this memory.
    fn receive(&mut self, stream: &Stream, from: &DeviceBuffer<f32>) -> Result<()> {
        match self {
            Self::Pageable(memory) => from.copy_to_slice(memory)?,
            Self::Pinned(memory) => stream.copy_out(from, memory)?.detach(),
        }
        Ok(())
    }
}

/// Host memory of one kind, copied to device memory and back.
struct Copied {
    config: LaunchConfig,
    host: [HostMemory; 3],
    buffers: [DeviceBuffer<f32>; 3],
    expected: Vec<f32>,
}

impl Copied {
    fn prepare(
        device: &Device,
        setup: Setup,
        make: impl Fn(&Device, Vec<f32>) -> Result<HostMemory>,
    ) -> Result<Box<dyn Case>> {
        let Sum {
            a,
            b,
            expected,
            config,
        } = Sum::new(setup)?;
        let n = expected.len();
        let buffer = || DeviceBuffer::zeroed(device, n);
        Ok(Box::new(Self {
            config,
            buffers: [buffer()?, buffer()?, buffer()?],
            host: [
                make(device, a)?,
                make(device, b)?,
                make(device, vec![0.0; n])?,
            ],
            expected,
        }))
    }
}

impl Case for Copied {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let ([from_a, from_b, to_c], [a, b, c]) = (&mut self.host, &mut self.buffers);
        from_a.send(stream, a)?;
        from_b.send(stream, b)?;
        stream.launch(vec_add, self.config, (&*a, &*b, &mut *c))?;
        to_c.receive(stream, c)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(self.host[2].as_slice()?, &self.expected))
    }

    fn work(&self) -> Work {
        work(&self.expected)
    }
}

/// Pinned memory that the kernel accesses in place.
struct ZeroCopy {
    config: LaunchConfig,
    memory: [PinnedBuffer<f32>; 3],
    expected: Vec<f32>,
}

impl ZeroCopy {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let Sum {
            a,
            b,
            expected,
            config,
        } = Sum::new(setup)?;
        let filled = |data: &[f32]| -> Result<_> {
            let mut memory = PinnedBuffer::zeroed(device, data.len(), Pinning::Cached)?;
            memory.as_mut_slice()?.copy_from_slice(data);
            Ok(memory)
        };
        let zeroes = vec![0.0; expected.len()];
        Ok(Box::new(Self {
            config,
            memory: [filled(&a)?, filled(&b)?, filled(&zeroes)?],
            expected,
        }))
    }
}

impl Case for ZeroCopy {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [a, b, c] = &mut self.memory;
        let (a, b, mut c) = (a.mapped()?, b.mapped()?, c.mapped()?);
        Ok(stream.launch(vec_add, self.config, (&a, &b, &mut c))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(self.memory[2].as_slice()?, &self.expected))
    }

    fn work(&self) -> Work {
        work(&self.expected)
    }
}

/// Managed memory, whose pages move to the host or the device that accesses them.
struct Managed {
    config: LaunchConfig,
    memory: [ManagedBuffer<f32>; 3],
    expected: Vec<f32>,
}

impl Managed {
    fn prepare(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
        let Sum {
            a,
            b,
            expected,
            config,
        } = Sum::new(setup)?;
        let filled = |data: &[f32]| -> Result<_> {
            let mut memory = ManagedBuffer::zeroed(device, data.len())?;
            memory.as_mut_slice()?.copy_from_slice(data);
            Ok(memory)
        };
        let zeroes = vec![0.0; expected.len()];
        Ok(Box::new(Self {
            config,
            memory: [filled(&a)?, filled(&b)?, filled(&zeroes)?],
            expected,
        }))
    }
}

impl Case for Managed {
    fn launch(&mut self, stream: &Stream) -> Result<()> {
        let [a, b, c] = &mut self.memory;
        Ok(stream.launch(vec_add, self.config, (&*a, &*b, c))?)
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        Ok(testing::equal(self.memory[2].as_slice()?, &self.expected))
    }

    fn work(&self) -> Work {
        work(&self.expected)
    }
}
