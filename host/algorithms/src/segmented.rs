//! Keys of each segment in their order.

use lanewise::{Device, DeviceBuffer};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::kernel::Kernel;

use crate::kernels::segmented::{self as kernels, BLOCK_SHORT, COUNTS};
use crate::kernels::sort::{BLOCK, tile_len};
use crate::queue::grid;
use crate::sort::bits;
use crate::{Error, Key, Order, Queue};

/// The number of blocks for each multiprocessor that sort short segments: as many as have room.
const BLOCKS_SHORT: usize = 4;
/// The same of long segments.
const BLOCKS_LONG: usize = 3;

/// The parameters of the kernel for short segments.
type Short<W> = (
    &'static [W],
    DisjointSlice<'static, W>,
    &'static [u32],
    W,
    W,
);
/// The parameters of the kernels for other segments.
type Long<W> = (
    &'static [W],
    DisjointSlice<'static, W>,
    DisjointSlice<'static, W>,
    &'static [u32],
    &'static [u32],
    &'static [DeviceAtomicU32],
    W,
    W,
);

/// Sorts the keys of each segment by itself: `cub::DeviceSegmentedSort::SortKeys`.
///
/// Made for many segments: one of up to 512 keys has a warp, and a longer one has a block. So a few
/// long segments leave most of a GPU without work; for those, call [`Sort`](crate::Sort) for each.
#[derive(Debug)]
pub struct SegmentedSort<K: Key> {
    /// What every second pass over a long segment writes.
    keys: DeviceBuffer<K>,
    /// The segments of more than a warp: those of a tile from the front, the longer ones from the
    /// back.
    list: DeviceBuffer<u32>,
    /// How many there are of both, and how many were taken.
    counts: DeviceBuffer<u32>,
}

impl<K: Key> SegmentedSort<K> {
    /// Makes the workspace for at most `len` keys in at most so many segments: as much memory as
    /// the keys have, and four bytes for each segment.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize, segments: usize) -> Result<Self, Error> {
        Ok(Self {
            keys: DeviceBuffer::uninit(device, len)?,
            list: DeviceBuffer::zeroed(device, segments)?,
            counts: DeviceBuffer::zeroed(device, COUNTS)?,
        })
    }

    /// Writes the keys of each segment of `input` to `output` in their order. Segment `i` has the
    /// keys from `starts[i]` to `starts[i + 1]`: there is one start more than there are segments.
    /// Elements of `output` that are in no segment stay as they are.
    ///
    /// A segment that ends before it begins, or past the input, is a panic of the kernel: the next
    /// synchronisation returns it as an error, and the device can't be used any more.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::{Order, SegmentedSort};
    ///
    /// let device = Device::open()?;
    /// let keys = DeviceBuffer::from_slice(&device, &[3.0f32, -1.0, 7.0, 0.5, 2.5])?;
    /// let starts = DeviceBuffer::from_slice(&device, &[0u32, 3, 3, 5])?;
    /// let mut sorted = DeviceBuffer::zeroed(&device, 5)?;
    /// let mut sort = SegmentedSort::new(&device, 5, 3)?;
    /// sort.sort(&device.stream()?, Order::Descending, &keys, &starts, &mut sorted)?;
    /// assert_eq!(sorted.to_vec()?, [7.0, 3.0, -1.0, 2.5, 0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`, or the workspace was made for fewer
    /// keys or segments; [`Error::TooMany`] for 2^32 keys; [`Error::Memory`], [`Error::Launch`],
    /// [`Error::Graph`].
    pub fn sort(
        &mut self,
        mut queue: impl Queue,
        order: Order,
        input: &DeviceBuffer<K>,
        starts: &DeviceBuffer<u32>,
        output: &mut DeviceBuffer<K>,
    ) -> Result<(), Error>
    where
        kernels::sort_short<K::Word>: Kernel<Params = Short<K::Word>>,
        kernels::sort_medium<K::Word>: Kernel<Params = Long<K::Word>>,
        kernels::sort_long<K::Word>: Kernel<Params = Long<K::Word>>,
    {
        let segments = starts.len().saturating_sub(1);
        Error::unless_enough("an output", input.len(), output.len())?;
        Error::unless_enough("a workspace of keys", input.len(), self.keys.len())?;
        Error::unless_enough("a workspace of segments", segments, self.list.len())?;
        Error::unless_few("keys", u32::MAX as usize, input.len())?;
        let of_list = segments.div_ceil(BLOCK_SHORT as usize);
        let Some(config) = grid(of_list, BLOCK_SHORT)? else {
            return Ok(());
        };
        let multiprocessors = input.device().properties().multiprocessors as usize;
        let (negative, all) = bits::<K>(order);
        let (keys, mut sorted) = (input.cast(), output.cast_mut());
        queue.clear(&mut self.counts)?;
        let (len, tile) = (input.len(), tile_len::<K::Word, ()>());
        let (list, counts) = (&mut self.list, &mut self.counts);
        let arguments = (starts, len as u32, tile as u32, &mut *list, &mut *counts);
        // SAFETY: the counts are 0, and the list is long enough.
        unsafe { queue.launch_unchecked(kernels::list_segments, config, arguments)? };

        let most = segments.div_ceil(BLOCK_SHORT as usize / 32);
        if let Some(config) = grid(most.min(multiprocessors * BLOCKS_SHORT), BLOCK_SHORT)? {
            let kernel = kernels::sort_short::<K::Word>;
            let arguments = (&keys, &mut sorted, starts, negative, all);
            // SAFETY: the segments are those of this input, and the output is as long.
            unsafe { queue.launch_unchecked(kernel, config, arguments)? };
        }
        let mut other = self.keys.cast_mut();
        macro_rules! by_blocks {
            ($($kernel:ident($shorter:expr);)*) => {$(
                // There are no more segments that are longer than this.
                let most = (len / ($shorter + 1)).min(segments);
                if let Some(config) = grid(most.min(multiprocessors * BLOCKS_LONG), BLOCK)? {
                    let kernel = kernels::$kernel::<K::Word>;
                    let (to, other) = (&mut sorted, &mut other);
                    let arguments = (&keys, to, other, starts, &*list, &mut *counts, negative, all);
                    // SAFETY: the list is of these segments; the workspace has as many keys.
                    unsafe { queue.launch_unchecked(kernel, config, arguments)? };
                }
            )*};
        }
        by_blocks! {
            sort_medium(kernels::SHORT);
            sort_long(tile);
        }
        Ok(())
    }
}
