//! Keys in their order, alone or with a value each.

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, Pod};
use lanewise_std::DisjointSlice;
use lanewise_std::atomic::DeviceAtomicU32;
use lanewise_std::kernel::{Kernel, SafeKernel};

use crate::kernels::sort::{self, BLOCK, BLOCK_COUNT, DIGIT_BITS, DIGITS, Word, tile_len};
use crate::queue::{grid, stride_grid};
use crate::{Error, Number, Queue};

/// The most keys: what a tile publishes has 30 bits for their number.
const MOST: usize = (1 << 30) - 1;
/// The number of blocks for each multiprocessor that count digits: as many as have room there.
const BLOCKS: usize = 4;

/// The direction of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The least key comes first.
    Ascending,
    /// The greatest key comes first.
    Descending,
}

/// A number that is sorted by its bits.
///
/// Floats are in the order of [`f32::total_cmp`]: -0 is less than 0, and what is not a number is
/// less or greater than all numbers, by its sign.
pub trait Key: Number + DeviceCopy + Pod {
    /// The unsigned number with as many bits.
    type Word: Word + DeviceCopy + Pod;
    /// The bits to turn over in keys whose highest bit is one.
    #[doc(hidden)]
    const NEGATIVE: Self::Word;
    /// The bits to turn over in all keys.
    #[doc(hidden)]
    const ALL: Self::Word;
}

macro_rules! keys {
    ($($key:ident: $word:ident, $negative:expr, $all:expr;)*) => {
        $(
            impl Key for $key {
                type Word = $word;
                const NEGATIVE: $word = $negative;
                const ALL: $word = $all;
            }
        )*
    };
}

keys! {
    u32: u32, 0, 0;
    i32: u32, 0, 1 << 31;
    f32: u32, !(1 << 31), 1 << 31;
    u64: u64, 0, 0;
    i64: u64, 0, 1 << 63;
    f64: u64, !(1 << 63), 1 << 63;
}

/// What the kernel takes that counts.
type Counting<W> = (&'static [W], &'static [DeviceAtomicU32], W, W);
/// What a pass takes.
type Keys<W> = (
    &'static [W],
    DisjointSlice<'static, W>,
    &'static [u32],
    &'static [DeviceAtomicU32],
    u32,
    W,
    W,
);
/// What a pass takes that moves values, too.
type Pairs<W, V> = (
    &'static [W],
    DisjointSlice<'static, W>,
    &'static [V],
    DisjointSlice<'static, V>,
    &'static [u32],
    &'static [DeviceAtomicU32],
    u32,
    W,
    W,
);

/// What both kinds of sort need: counts and statuses.
#[derive(Debug)]
struct Workspace {
    /// How often each digit has each value.
    counts: DeviceBuffer<u32>,
    /// 256 for each tile, and the number of tickets taken.
    statuses: DeviceBuffer<u32>,
}

impl Workspace {
    fn new<W: Word, V>(device: &Device, len: usize) -> Result<Self, Error> {
        let tiles = len.div_ceil(tile_len::<W, V>());
        Ok(Self {
            counts: DeviceBuffer::uninit(device, W::COUNT * DIGITS)?,
            statuses: DeviceBuffer::uninit(device, tiles * DIGITS + 1)?,
        })
    }

    /// Queues counting the digits, and then `pass` for each digit.
    fn sort<W: Word + DeviceCopy, V, Q: Queue>(
        &mut self,
        queue: &mut Q,
        input: &DeviceBuffer<W>,
        (negative, all): (W, W),
        mut pass: impl FnMut(&mut Q, LaunchConfig, &mut Self, u32) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        sort::count_digits<W>: SafeKernel<Params = Counting<W>>,
    {
        let tiles = input.len().div_ceil(tile_len::<W, V>());
        Error::unless_enough("a workspace", tiles * DIGITS + 1, self.statuses.len())?;
        Error::unless_few("keys", MOST, input.len())?;
        let Some(config) = grid(tiles, BLOCK)? else {
            return Ok(());
        };
        queue.clear(&mut self.counts)?;
        queue.launch(
            sort::count_digits::<W>,
            stride_grid(input, BLOCKS, BLOCK_COUNT, 16 * size_of::<W>()),
            (input, &mut self.counts, negative, all),
        )?;
        for digit in 0..W::COUNT as u32 {
            queue.clear(&mut self.statuses)?;
            pass(queue, config, self, digit)?;
        }
        Ok(())
    }
}

/// Returns what a pass reads and what it writes. The last pass, which has an odd number, writes
/// the output.
fn between<'a, T>(
    digit: u32,
    input: &'a T,
    output: &'a mut T,
    other: &'a mut T,
) -> (&'a T, &'a mut T) {
    match digit {
        0 => (input, other),
        digit if digit % 2 == 1 => (other, output),
        _ => (output, other),
    }
}

/// Returns which bits of a key are turned over for this order.
pub(crate) fn bits<K: Key>(order: Order) -> (K::Word, K::Word) {
    match order {
        Order::Ascending => (K::NEGATIVE, K::ALL),
        Order::Descending => (K::NEGATIVE, K::ALL ^ K::Word::ONES),
    }
}

/// Sorts keys: `cub::DeviceRadixSort::SortKeys`.
#[derive(Debug)]
pub struct Sort<K: Key> {
    workspace: Workspace,
    /// What every second pass writes.
    keys: DeviceBuffer<K>,
}

impl<K: Key> Sort<K> {
    /// Makes the workspace for at most `len` keys, fewer than 2^30: as much memory as the keys
    /// have, and 1 KiB for 8832 keys of 32 bits or 4224 of 64.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        Ok(Self {
            workspace: Workspace::new::<K::Word, ()>(device, len)?,
            keys: DeviceBuffer::uninit(device, len)?,
        })
    }

    /// Writes the keys of `input` to `output` in their order.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::{Order, Sort};
    ///
    /// let device = Device::open()?;
    /// let keys = DeviceBuffer::from_slice(&device, &[0.5, -1.0, 7.0f32])?;
    /// let mut sorted = DeviceBuffer::zeroed(&device, 3)?;
    /// Sort::new(&device, 3)?.sort(&device.stream()?, Order::Descending, &keys, &mut sorted)?;
    /// assert_eq!(sorted.to_vec()?, [7.0, 0.5, -1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`, or the workspace was made for
    /// fewer keys; [`Error::TooMany`] for 2^30 keys or more; [`Error::Memory`],
    /// [`Error::Launch`], [`Error::Graph`].
    pub fn sort(
        &mut self,
        mut queue: impl Queue,
        order: Order,
        input: &DeviceBuffer<K>,
        output: &mut DeviceBuffer<K>,
    ) -> Result<(), Error>
    where
        sort::count_digits<K::Word>: SafeKernel<Params = Counting<K::Word>>,
        sort::sort_keys<K::Word>: Kernel<Params = Keys<K::Word>>,
    {
        Error::unless_enough("an output", input.len(), output.len())?;
        Error::unless_enough("a workspace", input.len(), self.keys.len())?;
        let (negative, all) = bits::<K>(order);
        let keys = &mut self.keys;
        let pass = |queue: &mut _, config, workspace: &mut Workspace, digit| {
            let (from, to) = between(digit, input, &mut *output, &mut *keys);
            let Workspace { counts, statuses } = workspace;
            let (from, mut to) = (from.cast(), to.cast_mut());
            let shift = digit * DIGIT_BITS;
            // SAFETY: the digits are counted, statuses are 0, and all are as many as
            // the kernel needs.
            unsafe {
                Queue::launch_unchecked(
                    queue,
                    sort::sort_keys::<K::Word>,
                    config,
                    (&from, &mut to, &*counts, statuses, shift, negative, all),
                )
            }
        };
        self.workspace
            .sort::<K::Word, (), _>(&mut queue, &input.cast(), (negative, all), pass)
    }
}

/// Sorts keys that have a value each: `cub::DeviceRadixSort::SortPairs`.
///
/// Values of equal keys keep their order.
#[derive(Debug)]
pub struct SortPairs<K: Key, V: Key> {
    workspace: Workspace,
    /// What every second pass writes.
    keys: DeviceBuffer<K>,
    values: DeviceBuffer<V>,
}

impl<K: Key, V: Key> SortPairs<K, V> {
    /// Makes the workspace for at most `len` keys with their values, fewer than 2^30: as much
    /// memory as they have, and 1 KiB for 8832 of them, or for 4224 if a key or a value has 64
    /// bits.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        Ok(Self {
            workspace: Workspace::new::<K::Word, V::Word>(device, len)?,
            keys: DeviceBuffer::uninit(device, len)?,
            values: DeviceBuffer::uninit(device, len)?,
        })
    }

    /// Writes the keys of `input` to `output` in their order, and their values in the same.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::{Order, SortPairs};
    ///
    /// let device = Device::open()?;
    /// let keys = DeviceBuffer::from_slice(&device, &[3u64, 1, 3])?;
    /// let indices = DeviceBuffer::from_slice(&device, &[0u32, 1, 2])?;
    /// let mut sorted = (DeviceBuffer::zeroed(&device, 3)?, DeviceBuffer::zeroed(&device, 3)?);
    /// let mut sort = SortPairs::new(&device, 3)?;
    /// let (keys_there, indices_there) = (&mut sorted.0, &mut sorted.1);
    /// let stream = device.stream()?;
    /// sort.sort(&stream, Order::Ascending, (&keys, &indices), (keys_there, indices_there))?;
    /// assert_eq!((sorted.0.to_vec()?, sorted.1.to_vec()?), (vec![1, 3, 3], vec![1, 0, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooShort`] if there are fewer values than keys, one of `output` is shorter than
    /// the keys of `input`, or the workspace was made for fewer keys; [`Error::TooMany`] for 2^30
    /// keys or more; [`Error::Memory`], [`Error::Launch`], [`Error::Graph`].
    pub fn sort(
        &mut self,
        mut queue: impl Queue,
        order: Order,
        input: (&DeviceBuffer<K>, &DeviceBuffer<V>),
        output: (&mut DeviceBuffer<K>, &mut DeviceBuffer<V>),
    ) -> Result<(), Error>
    where
        sort::count_digits<K::Word>: SafeKernel<Params = Counting<K::Word>>,
        sort::sort_pairs<K::Word, V::Word>: Kernel<Params = Pairs<K::Word, V::Word>>,
    {
        let len = input.0.len();
        Error::unless_enough("values", len, input.1.len())?;
        Error::unless_enough("an output of keys", len, output.0.len())?;
        Error::unless_enough("an output of values", len, output.1.len())?;
        Error::unless_enough("a workspace", len, self.keys.len())?;
        let (negative, all) = bits::<K>(order);
        let (keys, values) = (&mut self.keys, &mut self.values);
        let pass = |queue: &mut _, config, workspace: &mut Workspace, digit| {
            let (from, to) = between(digit, input.0, &mut *output.0, &mut *keys);
            let (values, sorted) = between(digit, input.1, &mut *output.1, &mut *values);
            let Workspace { counts, statuses } = workspace;
            let (from, mut to) = (from.cast(), to.cast_mut());
            let (values, mut sorted) = (values.cast(), sorted.cast_mut());
            let shift = digit * DIGIT_BITS;
            // SAFETY: as for keys alone; there are as many values.
            unsafe {
                Queue::launch_unchecked(
                    queue,
                    sort::sort_pairs::<K::Word, V::Word>,
                    config,
                    (
                        &from,
                        &mut to,
                        &values,
                        &mut sorted,
                        &*counts,
                        statuses,
                        shift,
                        negative,
                        all,
                    ),
                )
            }
        };
        let input = input.0.cast();
        self.workspace
            .sort::<K::Word, V::Word, _>(&mut queue, &input, (negative, all), pass)
    }
}
