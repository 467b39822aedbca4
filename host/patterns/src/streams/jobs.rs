//! The work that the streams chapter schedules: chains of kernels, and chunks that are copied to
//! the device, processed and copied back.

use std::time::Duration;

use anyhow::Result;
use gpu::streams::advance::{FACTOR, INCREMENT, advance};
use lanewise::{Device, DeviceBuffer, LaunchConfig, PinnedBuffer, Pinning, Stream, StreamOptions};

use super::schedule::Job;

/// Makes this many streams with these options.
///
/// # Errors
/// The driver's error. After a fault in a kernel, every call on its context returns that error.
pub fn streams(device: &Device, count: usize, options: StreamOptions) -> Result<Vec<Stream>> {
    let make = |_| Ok(device.stream_with(options)?);
    (0..count).map(make).collect()
}

/// Returns the time of `work` on the device: from the present end of `main` to the end of the work
/// that `work` makes `main` wait for.
///
/// # Errors
/// The error that `work` returns, or a fault.
pub fn timed(main: &Stream, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = main.record()?;
    work()?;
    let end = main.record()?;
    end.synchronize()?;
    Ok(end.since(&start)?)
}

/// Queues `advance` on `stream`.
///
/// # Errors
/// The driver's error. After a fault in a kernel, every call on its context returns that error.
pub fn queue(
    stream: &Stream,
    from: &DeviceBuffer<u32>,
    to: &mut DeviceBuffer<u32>,
    rounds: u32,
) -> Result<()> {
    let config = LaunchConfig::for_num_elems(from.len());
    Ok(stream.launch(advance, config, (from, to, rounds))?)
}

/// A chain of kernels, each of which reads the output of the kernel before it.
#[derive(Debug)]
pub struct Chain {
    buffers: [DeviceBuffer<u32>; 2],
    kernels: usize,
    rounds: u32,
}

impl Chain {
    /// Makes a chain that starts from `values`.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    pub fn new(device: &Device, values: &[u32], kernels: usize, rounds: u32) -> Result<Self> {
        let buffer = || DeviceBuffer::from_slice(device, values);
        Ok(Self {
            buffers: [buffer()?, buffer()?],
            kernels,
            rounds,
        })
    }

    /// Returns the result of the last kernel.
    ///
    /// # Errors
    /// The fault of a kernel that ran before on this context.
    pub fn result(&self) -> Result<Vec<u32>> {
        Ok(self.buffers[self.kernels % 2].to_vec()?)
    }
}

impl Job for Chain {
    fn steps(&self) -> usize {
        self.kernels
    }

    fn step(&mut self, step: usize, stream: &Stream) -> Result<()> {
        let [even, odd] = &mut self.buffers;
        let (from, to) = if step.is_multiple_of(2) {
            (even, odd)
        } else {
            (odd, even)
        };
        queue(stream, from, to, self.rounds)
    }
}

/// A chunk of a larger array, in pinned memory of its own and on the device.
#[derive(Debug)]
pub struct Chunk {
    input: PinnedBuffer<u32>,
    output: PinnedBuffer<u32>,
    from: DeviceBuffer<u32>,
    to: DeviceBuffer<u32>,
    rounds: u32,
    stages: &'static [Stage],
}

/// A step in the processing of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It is copied to the device.
    CopyIn,
    /// A kernel processes it.
    Kernel,
    /// The kernel's result is copied back.
    CopyOut,
}

/// All three stages: to the device, the kernel, and back.
pub const ROUND_TRIP: &[Stage] = &[Stage::CopyIn, Stage::Kernel, Stage::CopyOut];

impl Chunk {
    /// Makes the chunks of `values`, of `len` elements each.
    ///
    /// # Errors
    /// The driver's error. After a fault in a kernel, every call on its context returns that error.
    pub fn all(device: &Device, values: &[u32], len: usize, rounds: u32) -> Result<Vec<Self>> {
        let chunk = |values: &[u32]| -> Result<Self> {
            let pinned = || PinnedBuffer::zeroed(device, values.len(), Pinning::Cached);
            let mut input = pinned()?;
            input.as_mut_slice()?.copy_from_slice(values);
            Ok(Self {
                input,
                output: pinned()?,
                from: DeviceBuffer::zeroed(device, values.len())?,
                to: DeviceBuffer::zeroed(device, values.len())?,
                rounds,
                stages: ROUND_TRIP,
            })
        };
        values.chunks(len.max(1)).map(chunk).collect()
    }

    /// Limits the chunk to these stages from now on.
    pub fn only(&mut self, stages: &'static [Stage]) {
        self.stages = stages;
    }

    /// Returns the result that was copied back.
    ///
    /// # Errors
    /// The fault of a kernel that ran before on this context.
    pub fn output(&self) -> Result<&[u32]> {
        Ok(self.output.as_slice()?)
    }

    /// Returns the kernel's result on the device.
    ///
    /// # Errors
    /// The fault of a kernel that ran before on this context.
    pub fn on_device(&self) -> Result<Vec<u32>> {
        Ok(self.to.to_vec()?)
    }
}

impl Job for Chunk {
    fn steps(&self) -> usize {
        self.stages.len()
    }

    fn step(&mut self, step: usize, stream: &Stream) -> Result<()> {
        match self.stages[step] {
            // Nothing else uses the chunk's memory, and every reader of the output waits for
            // the copy there.
            Stage::CopyIn => stream.copy_in(&self.input, &mut self.from)?.detach(),
            Stage::Kernel => queue(stream, &self.from, &mut self.to, self.rounds)?,
            Stage::CopyOut => stream.copy_out(&self.to, &mut self.output)?.detach(),
        }
        Ok(())
    }
}

// On the CPU.

/// Returns each of `values` after `rounds` steps of the generator.
pub fn advanced(values: &[u32], rounds: u32) -> Vec<u32> {
    // A step is `x -> a x + c`, and a sequence of steps has the same form. Doubling finds it.
    let (mut factor, mut increment) = (1u32, 0u32);
    let (mut a, mut c) = (FACTOR, INCREMENT);
    let mut left = rounds;
    while left > 0 {
        if left % 2 == 1 {
            factor = factor.wrapping_mul(a);
            increment = increment.wrapping_mul(a).wrapping_add(c);
        }
        c = c.wrapping_mul(a).wrapping_add(c);
        a = a.wrapping_mul(a);
        left /= 2;
    }
    let on = |x: &u32| x.wrapping_mul(factor).wrapping_add(increment);
    values.iter().map(on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_are_as_many_single_ones() {
        let mut values = vec![0, 1, 2, u32::MAX, 12_345];
        for rounds in 0..40 {
            assert_eq!(advanced(&[0, 1, 2, u32::MAX, 12_345], rounds), values);
            values = advanced(&values, 1);
        }
    }
}
