//! Values of equal keys that follow each other.

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig};
use lanewise_algorithms_generic::by_key::{BLOCK, ByKeyKernels, LEAST_TILE, MOST, tile_of_pairs};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU64;
use lanewise_std::kernel::Kernel;

use crate::kernels::run_lengths::{run_lengths, tile_of_lengths};
use crate::queue::grid;
use crate::{Error, Key, Number, Queue};

/// The parameters of run lengths: input, both outputs, count and tiles.
type Lengths<W> = (
    &'static [W],
    DisjointSlice<'static, W>,
    DisjointSlice<'static, u32>,
    &'static [DeviceAtomicU64],
    &'static [DeviceAtomicU64],
);

/// Combines the values of each run of equal keys: `cub::DeviceScan::InclusiveScanByKey`,
/// `cub::DeviceReduce::ReduceByKey`, `cub::DeviceRunLengthEncode`. The operators are `Sum`, `Min`,
/// `Max`, and those for which a crate of kernels calls `lanewise_algorithms_generic::by_keys!`.
///
/// Keys are equal if their bits are. A sum of floats depends on which results of earlier tiles were
/// there first, if its run has elements of several tiles: its last bits may differ from run to run.
#[derive(Debug)]
pub struct ByKey {
    /// A status for each tile, and the tickets.
    tiles: DeviceBuffer<u64>,
}

impl ByKey {
    /// Makes the workspace for at most `len` keys, fewer than 2^30: 8 bytes for 3072 keys.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        Ok(Self {
            tiles: DeviceBuffer::uninit(device, len.div_ceil(LEAST_TILE) + 1)?,
        })
    }

    /// Writes to each element of `output` the values up to and including its own, from the
    /// beginning of its run of equal keys, combined.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::ByKey;
    /// use lanewise_std::collective::Sum;
    ///
    /// let device = Device::open()?;
    /// let keys = DeviceBuffer::from_slice(&device, &[7u32, 7, 5, 7, 7])?;
    /// let values = DeviceBuffer::from_slice(&device, &[1, 2, 3, 4, 5])?;
    /// let mut sums = DeviceBuffer::<i32>::zeroed(&device, 5)?;
    /// let mut by_key = ByKey::new(&device, 5)?;
    /// by_key.inclusive(&device.stream()?, Sum, &keys, &values, &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 3, 4, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooShort`] if there are fewer values than keys, `output` is shorter than `keys`, or
    /// the workspace was made for fewer keys; [`Error::TooMany`] for 2^30 keys or more;
    /// [`Error::Memory`], [`Error::Launch`], [`Error::Graph`].
    pub fn inclusive<K, V, O, Kernels>(
        &mut self,
        queue: impl Queue,
        operator: O,
        keys: &DeviceBuffer<K>,
        values: &DeviceBuffer<V>,
        output: &mut DeviceBuffer<V>,
    ) -> Result<(), Error>
    where
        K: Key,
        V: Number + DeviceCopy,
        O: ByKeyKernels<K::Word, V, Kernels>,
    {
        self.scan(queue, operator, keys, values, output, false)
    }

    /// Writes to each element of `output` the values before its own, from the beginning of its run
    /// of equal keys, combined; to the first of a run, the operator's neutral element.
    ///
    /// # Errors
    /// As [`Self::inclusive`].
    pub fn exclusive<K, V, O, Kernels>(
        &mut self,
        queue: impl Queue,
        operator: O,
        keys: &DeviceBuffer<K>,
        values: &DeviceBuffer<V>,
        output: &mut DeviceBuffer<V>,
    ) -> Result<(), Error>
    where
        K: Key,
        V: Number + DeviceCopy,
        O: ByKeyKernels<K::Word, V, Kernels>,
    {
        self.scan(queue, operator, keys, values, output, true)
    }

    fn scan<K, V, O, Kernels>(
        &mut self,
        mut queue: impl Queue,
        _operator: O,
        keys: &DeviceBuffer<K>,
        values: &DeviceBuffer<V>,
        output: &mut DeviceBuffer<V>,
        is_exclusive: bool,
    ) -> Result<(), Error>
    where
        K: Key,
        V: Number + DeviceCopy,
        O: ByKeyKernels<K::Word, V, Kernels>,
    {
        Error::unless_enough("values", keys.len(), values.len())?;
        Error::unless_enough("an output", keys.len(), output.len())?;
        let (kernel, _) = O::KERNELS;
        let Some(config) = self.config(keys.len(), tile_of_pairs::<K>())? else {
            return Ok(());
        };
        queue.clear(&mut self.tiles)?;
        let arguments = (&keys.cast(), values, output, &mut self.tiles, is_exclusive);
        // SAFETY: all statuses are 0, and there are no more keys than they can count.
        unsafe { queue.launch_unchecked(kernel, config, arguments) }
    }

    /// Writes the key of each run of equal keys to `found`, the run's values combined to `output`,
    /// and the number of runs to the first element of `count`.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::ByKey;
    /// use lanewise_std::collective::Max;
    ///
    /// let device = Device::open()?;
    /// let keys = DeviceBuffer::from_slice(&device, &[7u32, 7, 5, 7, 7])?;
    /// let values = DeviceBuffer::from_slice(&device, &[1.5f32, 2.0, -3.0, 0.5, 0.25])?;
    /// let mut found = DeviceBuffer::zeroed(&device, 5)?;
    /// let mut most = DeviceBuffer::zeroed(&device, 5)?;
    /// let mut count = DeviceBuffer::zeroed(&device, 1)?;
    /// let mut by_key = ByKey::new(&device, 5)?;
    /// let output = (&mut found, &mut most);
    /// by_key.reduce(&device.stream()?, Max, &keys, &values, output, &mut count)?;
    /// assert_eq!(count.to_vec()?, [3]);
    /// assert_eq!(found.slice(..3).to_vec()?, [7, 5, 7]);
    /// assert_eq!(most.slice(..3).to_vec()?, [2.0, -3.0, 0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::inclusive`]; also [`Error::TooShort`] if `count` is empty.
    pub fn reduce<K, V, O, Kernels>(
        &mut self,
        mut queue: impl Queue,
        _operator: O,
        keys: &DeviceBuffer<K>,
        values: &DeviceBuffer<V>,
        (found, output): (&mut DeviceBuffer<K>, &mut DeviceBuffer<V>),
        count: &mut DeviceBuffer<u64>,
    ) -> Result<(), Error>
    where
        K: Key,
        V: Number + DeviceCopy,
        O: ByKeyKernels<K::Word, V, Kernels>,
    {
        Error::unless_enough("values", keys.len(), values.len())?;
        Error::unless_enough("an output of keys", keys.len(), found.len())?;
        Error::unless_enough("an output of values", keys.len(), output.len())?;
        Error::unless_enough("a count", 1, count.len())?;
        let (_, kernel) = O::KERNELS;
        let Some(config) = self.config(keys.len(), tile_of_pairs::<K>())? else {
            return queue.clear(count);
        };
        queue.clear(&mut self.tiles)?;
        let (keys, mut found) = (keys.cast(), found.cast_mut());
        let arguments = (&keys, values, &mut found, output, count, &mut self.tiles);
        // SAFETY: all statuses are 0, there are no more keys than they can count, and the outputs
        // are as long as the keys.
        unsafe { queue.launch_unchecked(kernel, config, arguments) }
    }

    /// Writes the first element of each run of equal elements to `found`, the number of elements in
    /// the run to `lengths`, and the number of runs to the first element of `count`.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::ByKey;
    ///
    /// let device = Device::open()?;
    /// let input = DeviceBuffer::from_slice(&device, &[3i64, 3, 3, -1, 3])?;
    /// let mut found = DeviceBuffer::zeroed(&device, 5)?;
    /// let mut lengths = DeviceBuffer::zeroed(&device, 5)?;
    /// let mut count = DeviceBuffer::zeroed(&device, 1)?;
    /// let mut by_key = ByKey::new(&device, 5)?;
    /// let output = (&mut found, &mut lengths);
    /// by_key.run_lengths(&device.stream()?, &input, output, &mut count)?;
    /// assert_eq!(count.to_vec()?, [3]);
    /// assert_eq!(found.slice(..3).to_vec()?, [3, -1, 3]);
    /// assert_eq!(lengths.slice(..3).to_vec()?, [3, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::reduce`].
    pub fn run_lengths<K>(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<K>,
        (found, lengths): (&mut DeviceBuffer<K>, &mut DeviceBuffer<u32>),
        count: &mut DeviceBuffer<u64>,
    ) -> Result<(), Error>
    where
        K: Key,
        run_lengths<K::Word>: Kernel<Params = Lengths<K::Word>>,
    {
        Error::unless_enough("an output of keys", input.len(), found.len())?;
        Error::unless_enough("an output of lengths", input.len(), lengths.len())?;
        Error::unless_enough("a count", 1, count.len())?;
        let kernel = run_lengths::<K::Word>;
        let Some(config) = self.config(input.len(), tile_of_lengths::<K>())? else {
            return queue.clear(count);
        };
        queue.clear(&mut self.tiles)?;
        let (input, mut found) = (input.cast(), found.cast_mut());
        let arguments = (&input, &mut found, lengths, count, &mut self.tiles);
        // SAFETY: as for `reduce`.
        unsafe { queue.launch_unchecked(kernel, config, arguments) }
    }

    /// Returns the launch for this many keys in tiles of this length, or `None` if there are none.
    fn config(&self, len: usize, tile: usize) -> Result<Option<LaunchConfig>, Error> {
        let tiles = len.div_ceil(tile);
        Error::unless_enough("a workspace", tiles + 1, self.tiles.len())?;
        Error::unless_few("keys", MOST, len)?;
        grid(tiles, BLOCK)
    }
}
