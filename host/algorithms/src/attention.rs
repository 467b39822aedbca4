//! Attention by the tensor cores of Hopper.

use lanewise::tensor_map::{Promotion, Swizzle, TensorElement, TensorMap, TensorMapMut, Tiles};
use lanewise::{DeviceBuffer, DeviceCopy};
use lanewise_algorithms_tensor::attention::{self as kernels, Shape};
use lanewise_std::half::{Bf16, F16};

use crate::queue::grid;
use crate::{Error, Queue};

/// Attention: for each query, the softmax of its products with all keys, times the values.
///
/// Each head is a problem of its own, with matrices of queries, keys and values, and of one result
/// for each query. Products are divided by the root of the number of columns. They are added up in
/// `f32`; the weights are rounded to the type of the elements before they are multiplied by the
/// values. A result is the same in each run. The scores are never in memory.
///
/// It needs a GPU of compute capability 9.0 (Hopper), and rows that begin at multiples of sixteen
/// bytes. There are at most 128 columns; 64 and 128 are fastest.
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::Attention;
/// use lanewise_std::half::Bf16;
///
/// let device = Device::open()?;
/// // Two heads, each with three queries, which are 0, and two keys and values.
/// let queries = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(0.0); 2 * 3 * 64])?;
/// let keys = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(1.0); 2 * 2 * 64])?;
/// let values: Vec<Bf16> = (0..2 * 2 * 64).map(|i| Bf16::from_f32((i / 64) as f32)).collect();
/// let values = DeviceBuffer::from_slice(&device, &values)?;
/// let mut results = DeviceBuffer::from_slice(&device, &[Bf16::from_f32(0.0); 2 * 3 * 64])?;
/// let attention = Attention::new(2, 3, 2, 64);
/// attention.forward(&device.stream()?, &queries, &keys, &values, &mut results)?;
/// // All keys have the same weight.
/// let results = results.to_vec()?;
/// assert_eq!([results[0], results[3 * 64]].map(Bf16::to_f32), [0.5, 2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// The number of sequences.
    pub batch: u32,
    /// Heads of queries of a sequence.
    pub heads: u32,
    /// Heads of keys and values of a sequence, of which `heads` is a multiple. As many neighbouring
    /// heads of queries share one: all of them if it is 1.
    pub key_heads: u32,
    /// Queries of a head.
    pub queries: u32,
    /// Keys and values of a head.
    pub keys: u32,
    /// Elements of a query, a key, a value and a result.
    pub columns: u32,
    /// Whether the last query sees all keys, and each query before it one key less than the next
    /// one. A query that sees none has zeros as its result.
    pub is_causal: bool,
    /// Where queries, keys, values and results are. Without strides, the heads of a sequence
    /// follow each other, and so do the rows of a head.
    pub strides: [Option<Strides>; 4],
}

/// Where the rows of a tensor are: how many elements are from one to the next. The elements of a
/// row follow each other. All are multiples of sixteen bytes.
///
/// ```
/// use lanewise_algorithms::{Attention, Strides};
///
/// // Queries as most layers make them: of each position, all eight heads.
/// let queries = Strides { row: 8 * 64, head: 64, batch: 1024 * 8 * 64 };
/// let mut attention = Attention::new(8, 1024, 1024, 64);
/// attention.strides[0] = Some(queries);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// From one row to the next.
    pub row: usize,
    /// From one head to the next.
    pub head: usize,
    /// From one sequence to the next.
    pub batch: usize,
}

/// An element of an [`Attention`]: `F16` or `Bf16`.
pub trait AttentionElement: TensorElement + DeviceCopy {
    /// Queues the kernel.
    #[doc(hidden)]
    fn queue(
        of: Attention,
        queue: impl Queue,
        from: [&DeviceBuffer<Self>; 3],
        results: &mut DeviceBuffer<Self>,
    ) -> Result<(), Error>;
}

impl Attention {
    /// Returns the attention of one sequence: heads, queries and keys of a head, and columns.
    #[must_use]
    pub fn new(heads: u32, queries: u32, keys: u32, columns: u32) -> Self {
        Attention {
            batch: 1,
            heads,
            key_heads: heads,
            queries,
            keys,
            columns,
            is_causal: false,
            strides: [None; 4],
        }
    }

    /// Computes the results of all queries.
    ///
    /// # Errors
    /// [`Error::Heads`] if the heads of queries cannot share those of keys evenly;
    /// [`Error::TooMany`] if there are more than 128 columns, 2^31 keys or 2^31 blocks of queries;
    /// [`Error::TensorMap`] if a buffer is too short, a row does not begin at a multiple of sixteen
    /// bytes, there are no keys, or the GPU is older than Hopper; [`Error::Launch`],
    /// [`Error::Graph`].
    pub fn forward<T: AttentionElement>(
        self,
        queue: impl Queue,
        queries: &DeviceBuffer<T>,
        keys: &DeviceBuffer<T>,
        values: &DeviceBuffer<T>,
        results: &mut DeviceBuffer<T>,
    ) -> Result<(), Error> {
        let (heads, key_heads) = (self.heads, self.key_heads);
        if heads > 0 && heads.checked_rem(key_heads) != Some(0) {
            return Err(Error::Heads { heads, key_heads });
        }
        let most = i32::MAX as usize;
        Error::unless_few("columns", 2 * kernels::COLUMNS, self.columns as usize)?;
        Error::unless_few(
            "queries or keys",
            most,
            self.queries.max(self.keys) as usize,
        )?;
        T::queue(self, queue, [queries, keys, values], results)
    }

    /// Returns the tensor with this number in `strides`, in boxes of so many rows.
    fn tiles<T>(&self, number: usize, of_box: usize) -> Tiles<4> {
        let (rows, heads) = match number {
            1 | 2 => (self.keys, self.key_heads),
            _ => (self.queries, self.heads),
        };
        let size = [self.columns, rows, heads, self.batch].map(|side| side as usize);
        let tiles = Tiles::new(size, [kernels::COLUMNS as u32, of_box as u32, 1, 1]);
        let tiles = tiles.swizzle(Swizzle::B128).promotion(Promotion::B256);
        match self.strides[number] {
            Some(Strides { row, head, batch }) => tiles
                .strides(&[row, head, batch].map(|stride| stride.saturating_mul(size_of::<T>()))),
            None => tiles,
        }
    }

    /// Returns the shape as the kernel takes it.
    fn shape(&self) -> Shape {
        let ahead = if self.is_causal {
            self.keys.cast_signed() - self.queries.cast_signed() + 1
        } else {
            i32::MAX
        };
        Shape {
            queries: self.queries,
            keys: self.keys,
            heads: self.heads,
            group: self.heads / self.key_heads.max(1),
            ahead,
            scale: std::f32::consts::LOG2_E / (self.columns as f32).sqrt(),
        }
    }
}

macro_rules! elements {
    ($($ty:ident)*) => {$(
        impl AttentionElement for $ty {
            fn queue(
                of: Attention,
                mut queue: impl Queue,
                [queries, keys, values]: [&DeviceBuffer<$ty>; 3],
                results: &mut DeviceBuffer<$ty>,
            ) -> Result<(), Error> {
                macro_rules! launch {
                    ($kernel:ident $groups:expr) => {{
                        let of_block = kernels::queries($groups);
                        let of_head = (of.queries as usize).div_ceil(of_block);
                        let heads = (of.heads as usize).saturating_mul(of.batch as usize);
                        let blocks = of_head.saturating_mul(heads);
                        let Some(config) = grid(blocks, kernels::threads($groups))? else {
                            return Ok(());
                        };
                        let config = config.with_dynamic_shared(kernels::SHARED_BYTES);
                        let queries = TensorMap::new(queries, of.tiles::<$ty>(0, of_block))?;
                        let keys = TensorMap::new(keys, of.tiles::<$ty>(1, kernels::KEYS))?;
                        let values = TensorMap::new(values, of.tiles::<$ty>(2, kernels::KEYS))?;
                        let kernel = kernels::$kernel::<$ty>;
                        results.device().set_max_dynamic_shared(kernel, kernels::SHARED_BYTES)?;
                        let of_results = of.tiles::<$ty>(3, kernels::STORED_ROWS);
                        let mut results = TensorMapMut::new(results, of_results)?;
                        let arguments = (&queries, &keys, &values, &mut results, of.shape());
                        // SAFETY: the boxes of the maps are the kernel's, and a block's head is one
                        // of theirs.
                        unsafe { queue.launch_unchecked(kernel, config, arguments) }
                    }};
                }
                if of.columns as usize <= kernels::COLUMNS {
                    launch!(attention_narrow kernels::NARROW_GROUPS)
                } else {
                    launch!(attention_wide kernels::WIDE_GROUPS)
                }
            }
        }
    )*};
}

elements! { F16 Bf16 }
