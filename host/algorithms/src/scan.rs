//! Each element combined with all before it.

use lanewise::{Device, DeviceBuffer, DeviceCopy};
use lanewise_algorithms_generic::scan::{BLOCK, ScanKernel, TILE, words};

use crate::queue::grid;
use crate::{Error, Number, Queue};

/// Combines each element of a buffer with all before it: `cub::DeviceScan`. The operators are
/// `Sum`, `Min`, `Max`, and those for which a crate of kernels calls
/// `lanewise_algorithms_generic::scans!`.
///
/// A sum of floats depends on which results of earlier tiles were there first: its last bits may
/// differ from run to run.
#[derive(Debug)]
pub struct Scan {
    /// A status for each tile, and the tickets.
    tiles: DeviceBuffer<u64>,
}

impl Scan {
    /// Makes the workspace for inputs of at most `len` elements, of 32 or 64 bits: 16 bytes for
    /// 4096 elements.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        Ok(Self {
            tiles: DeviceBuffer::uninit(device, words::<u64>(len))?,
        })
    }

    /// Writes to each element of `output` the elements of `input` up to and including this one,
    /// combined.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`, or the workspace was made for
    /// fewer elements; [`Error::Memory`], [`Error::Launch`], [`Error::Graph`].
    pub fn inclusive<T, O, K>(
        &mut self,
        queue: impl Queue,
        operator: O,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        O: ScanKernel<T, K>,
    {
        self.queue(queue, operator, input, output, false)
    }

    /// Writes to each element of `output` the elements of `input` before this one, combined; to
    /// the first, the operator's neutral element.
    ///
    /// # Errors
    /// As [`Self::inclusive`].
    pub fn exclusive<T, O, K>(
        &mut self,
        queue: impl Queue,
        operator: O,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        O: ScanKernel<T, K>,
    {
        self.queue(queue, operator, input, output, true)
    }

    fn queue<T, O, K>(
        &mut self,
        mut queue: impl Queue,
        _operator: O,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        is_exclusive: bool,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        O: ScanKernel<T, K>,
    {
        Error::unless_enough("an output", input.len(), output.len())?;
        Error::unless_enough("a workspace", words::<T>(input.len()), self.tiles.len())?;
        let Some(config) = grid(input.len().div_ceil(TILE / size_of::<T>()), BLOCK)? else {
            return Ok(());
        };
        queue.clear(&mut self.tiles)?;
        let arguments = (input, output, &mut self.tiles, is_exclusive);
        queue.launch(O::KERNEL, config, arguments)
    }
}
