//! The elements that are to be kept, in their order.

use lanewise::{Device, DeviceBuffer, DeviceCopy};
use lanewise_algorithms_generic::select::{BLOCK, Params, SelectKernels, tile_len};
use lanewise_std::kernel::{Kernel, Value};

use crate::kernels::unique::{First, unique};
use crate::queue::grid;
use crate::{Error, Number, Queue};

/// Copies the elements that a predicate keeps, or the first of each run of equal ones:
/// `cub::DeviceSelect`. The predicates are [`NotZero`](crate::NotZero) and those for which a crate
/// of kernels calls `lanewise_algorithms_generic::selections!`.
#[derive(Debug)]
pub struct Select {
    /// A status for each tile, and the tickets.
    tiles: DeviceBuffer<u64>,
}

impl Select {
    /// Makes the workspace for inputs of at most `len` elements, fewer than 2^32: 8 bytes for
    /// 5120 elements.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        Ok(Self {
            tiles: DeviceBuffer::uninit(device, len.div_ceil(tile_len::<u64>()) + 1)?,
        })
    }

    /// Writes the elements of `input` that `predicate` keeps to `output`, one after another, and
    /// their number to the first element of `count`.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `output` is shorter than `input`, `count` is empty, or the workspace
    /// was made for fewer elements; [`Error::TooMany`] for 2^32 elements or more;
    /// [`Error::Memory`], [`Error::Launch`], [`Error::Graph`].
    pub fn select<T, P, K>(
        &mut self,
        mut queue: impl Queue,
        predicate: P,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        count: &mut DeviceBuffer<u64>,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        P: SelectKernels<T, K>,
    {
        let (kernel, _) = P::KERNELS;
        self.launch(&mut queue, kernel, input, output, count, predicate)
    }

    /// Writes the elements of `input` that `predicate` keeps to `output` in their order, after them
    /// the others in the opposite order, and the number of kept ones to the first element of
    /// `count`: `cub::DevicePartition`.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::{NotZero, Select};
    ///
    /// let device = Device::open()?;
    /// let input = DeviceBuffer::from_slice(&device, &[0.0f32, 7.0, -0.0, 9.0])?;
    /// let mut output = DeviceBuffer::zeroed(&device, 4)?;
    /// let mut count = DeviceBuffer::zeroed(&device, 1)?;
    /// let mut select = Select::new(&device, 4)?;
    /// select.partition(&device.stream()?, NotZero, &input, &mut output, &mut count)?;
    /// assert_eq!((output.to_vec()?, count.to_vec()?), (vec![7.0, 9.0, -0.0, 0.0], vec![2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn partition<T, P, K>(
        &mut self,
        mut queue: impl Queue,
        predicate: P,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        count: &mut DeviceBuffer<u64>,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        P: SelectKernels<T, K>,
    {
        let (_, kernel) = P::KERNELS;
        self.launch(&mut queue, kernel, input, output, count, predicate)
    }

    /// Writes the first element of each run of equal elements to `output`, one after another, and
    /// their number to the first element of `count`: `cub::DeviceSelect::Unique`.
    ///
    /// ```
    /// use lanewise::{Device, DeviceBuffer};
    /// use lanewise_algorithms::Select;
    ///
    /// let device = Device::open()?;
    /// let input = DeviceBuffer::from_slice(&device, &[3, 3, 1, 3, 3])?;
    /// let mut output = DeviceBuffer::zeroed(&device, 5)?;
    /// let mut count = DeviceBuffer::zeroed(&device, 1)?;
    /// Select::new(&device, 5)?.unique(&device.stream()?, &input, &mut output, &mut count)?;
    /// assert_eq!((&output.to_vec()?[..3], count.to_vec()?), (&[3, 1, 3][..], vec![3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn unique<T>(
        &mut self,
        mut queue: impl Queue,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        count: &mut DeviceBuffer<u64>,
    ) -> Result<(), Error>
    where
        T: Number + DeviceCopy,
        unique<T>: Kernel<Params = Params<T, First>>,
    {
        self.launch(&mut queue, unique::<T>, input, output, count, First)
    }

    /// Queues one of the kernels.
    fn launch<T: Number + DeviceCopy, P: Value, K: Kernel<Params = Params<T, P>>>(
        &mut self,
        queue: &mut impl Queue,
        kernel: K,
        input: &DeviceBuffer<T>,
        output: &mut DeviceBuffer<T>,
        count: &mut DeviceBuffer<u64>,
        predicate: P,
    ) -> Result<(), Error> {
        let tiles = input.len().div_ceil(tile_len::<T>());
        Error::unless_enough("an output", input.len(), output.len())?;
        Error::unless_enough("a count", 1, count.len())?;
        Error::unless_enough("a workspace", tiles + 1, self.tiles.len())?;
        // Places in the output are counted in 32 bits.
        Error::unless_few("elements", u32::MAX as usize, input.len())?;
        let Some(config) = grid(tiles, BLOCK)? else {
            return queue.clear(count);
        };
        queue.clear(&mut self.tiles)?;
        let arguments = (input, output, count, &mut self.tiles, predicate);
        // SAFETY: all statuses are 0, and no other launch is between. The number of kept elements
        // fits into 32 bits. The output is at least as long as the input.
        unsafe { queue.launch_unchecked(kernel, config, arguments) }
    }
}
