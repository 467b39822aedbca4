//! The elements that are to be kept, in their order.

use lanewise::{Device, DeviceBuffer, DeviceCopy};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU64;
use lanewise_std::kernel::Kernel;

use crate::kernels::select::{self, BLOCK, Predicate, TILE};
use crate::queue::grid;
use crate::{Error, Number, Queue};

/// Copies the elements that a predicate keeps: `cub::DeviceSelect`.
#[derive(Debug)]
pub struct Select {
    /// A status for each tile, and the tickets.
    tiles: DeviceBuffer<u64>,
}

impl Select {
    /// Makes the workspace for inputs of at most `len` elements, fewer than 2^32: 8 bytes for
    /// 4096 elements.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        Ok(Self {
            tiles: DeviceBuffer::uninit(device, len.div_ceil(TILE) + 1)?,
        })
    }

    /// Writes the elements of `input` that `predicate` keeps to `output`, one after another, and
    /// their number to the first element of `count`.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`, `count` is empty, or the workspace
    /// was made for fewer elements; [`Error::TooMany`] for 2^32 elements or more;
    /// [`Error::Memory`], [`Error::Launch`], [`Error::Graph`].
    pub fn select<T, P>(
        &mut self,
        mut queue: impl Queue,
        _predicate: P,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        count: &mut DeviceBuffer<u64>,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        P: Predicate<T>,
        select::select<T, P>: Kernel<
            Params = (
                &'static [T],
                DisjointSlice<'static, T>,
                &'static [DeviceAtomicU64],
                &'static [DeviceAtomicU64],
            ),
        >,
    {
        let tiles = input.len().div_ceil(TILE);
        Error::unless_enough("an output", input.len(), output.len())?;
        Error::unless_enough("a count", 1, count.len())?;
        Error::unless_enough("a workspace", tiles + 1, self.tiles.len())?;
        // Places in the output are counted in 32 bits.
        Error::unless_few("elements", u32::MAX as usize, input.len())?;
        let Some(config) = grid(tiles, BLOCK)? else {
            return queue.clear(count);
        };
        queue.clear(&mut self.tiles)?;
        // SAFETY: all statuses are 0, and no other launch is between. The number of kept elements
        // fits into 32 bits.
        unsafe {
            queue.launch_unchecked(
                select::select::<T, P>,
                config,
                (input, output, count, &mut self.tiles),
            )
        }
    }
}
