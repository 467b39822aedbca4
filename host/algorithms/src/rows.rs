//! Softmax and norms of the rows of a matrix.

use lanewise::{Device, DeviceBuffer, DeviceCopy, LaunchConfig, Pod};
use lanewise_std::half::Bf16;
use lanewise_std::kernel::Kernel;

use crate::kernels::rows::{self as kernels, CLUSTER, Element, OF_THREAD, RING, WARPS};
use crate::queue::grid;
use crate::{Error, Queue};

mod backward;

pub use backward::{NormBackward, softmax_backward};

/// The most threads of a block.
const THREADS: usize = WARPS * 32;
/// The most columns.
pub const COLUMNS: usize = CLUSTER as usize * THREADS * OF_THREAD[1];
/// Bytes of dynamic shared memory for a block, if a multiprocessor has two of them or one: from
/// compute capability 9.0 on it has 228 KiB, of which a block needs 1 KiB and its own variables.
const SHARED: [usize; 2] = [112 << 10, 226 << 10];

/// An element of rows: `f32` or `Bf16`. The arithmetic is in `f32`.
pub trait RowElement: Element + DeviceCopy + Pod {
    #[doc(hidden)]
    fn softmax(
        queue: impl Queue,
        input: &DeviceBuffer<Self>,
        columns: u32,
        output: &mut DeviceBuffer<Self>,
    ) -> Result<(), Error>;

    #[doc(hidden)]
    fn layer_norm(
        queue: impl Queue,
        input: &DeviceBuffer<Self>,
        factors: (&DeviceBuffer<Self>, &DeviceBuffer<Self>),
        epsilon: f32,
        output: &mut DeviceBuffer<Self>,
    ) -> Result<(), Error>;

    #[doc(hidden)]
    fn rms_norm(
        queue: impl Queue,
        input: &DeviceBuffer<Self>,
        gamma: &DeviceBuffer<Self>,
        epsilon: f32,
        output: &mut DeviceBuffer<Self>,
    ) -> Result<(), Error>;

    #[doc(hidden)]
    fn softmax_backward(
        queue: impl Queue,
        from: [&DeviceBuffer<Self>; 2],
        columns: u32,
        dx: &mut DeviceBuffer<Self>,
    ) -> Result<(), Error>;

    #[doc(hidden)]
    fn norm_backward(
        queue: impl Queue,
        from: [&DeviceBuffer<Self>; 3],
        epsilon: f32,
        dx: &mut DeviceBuffer<Self>,
        of_factors: &mut [&mut DeviceBuffer<Self>],
        partials: &mut DeviceBuffer<f32>,
    ) -> Result<(), Error>;
}

/// Launches the kernel for rows of this shape.
macro_rules! launch {
    ($queue:ident, $shape:expr, $ty:ty, $block:ident, $wide:ident, $arguments:expr) => {{
        let Some(shape) = $shape else {
            return Ok(());
        };
        let [short, long] = OF_THREAD;
        if shape.columns <= THREADS / 2 * short {
            let config = shape.blocks(short)?;
            if shape.are_aligned {
                $queue.launch(kernels::$block::<$ty, true, 16>, config, $arguments)
            } else {
                $queue.launch(kernels::$block::<$ty, false, 16>, config, $arguments)
            }
        } else if shape.columns <= THREADS * long {
            let config = shape.blocks(long)?;
            if shape.are_aligned {
                $queue.launch(kernels::$block::<$ty, true, 32>, config, $arguments)
            } else {
                $queue.launch(kernels::$block::<$ty, false, 32>, config, $arguments)
            }
        } else {
            let config = shape.clusters(long).each()?;
            if shape.are_aligned {
                $queue.launch(kernels::$wide::<$ty, true>, config, $arguments)
            } else {
                $queue.launch(kernels::$wide::<$ty, false>, config, $arguments)
            }
        }
    }};
}

macro_rules! elements {
    ($($ty:ident)*) => {$(
        impl RowElement for $ty {
            fn softmax(
                mut queue: impl Queue,
                input: &DeviceBuffer<Self>,
                columns: u32,
                output: &mut DeviceBuffer<Self>,
            ) -> Result<(), Error> {
                let shape = Shape::new(columns as usize, &[input, output])?;
                let arguments = (input, &mut *output, columns);
                launch!(queue, shape, $ty, softmax, softmax_wide, arguments)
            }

            fn layer_norm(
                mut queue: impl Queue,
                input: &DeviceBuffer<Self>,
                (gamma, beta): (&DeviceBuffer<Self>, &DeviceBuffer<Self>),
                epsilon: f32,
                output: &mut DeviceBuffer<Self>,
            ) -> Result<(), Error> {
                Error::unless_enough("a beta", gamma.len(), beta.len())?;
                let shape = Shape::new(gamma.len(), &[input, output, gamma, beta])?;
                let arguments = (input, gamma, beta, &mut *output, gamma.len() as u32, epsilon);
                launch!(queue, shape, $ty, layer_norm, layer_norm_wide, arguments)
            }

            fn rms_norm(
                mut queue: impl Queue,
                input: &DeviceBuffer<Self>,
                gamma: &DeviceBuffer<Self>,
                epsilon: f32,
                output: &mut DeviceBuffer<Self>,
            ) -> Result<(), Error> {
                let shape = Shape::new(gamma.len(), &[input, output, gamma])?;
                let arguments = (input, gamma, &mut *output, gamma.len() as u32, epsilon);
                launch!(queue, shape, $ty, rms_norm, rms_norm_wide, arguments)
            }

            fn softmax_backward(
                mut queue: impl Queue,
                [y, dy]: [&DeviceBuffer<Self>; 2],
                columns: u32,
                dx: &mut DeviceBuffer<Self>,
            ) -> Result<(), Error> {
                Error::unless_enough("a dy", y.len(), dy.len())?;
                let Some(shape) = Shape::new(columns as usize, &[y, dx, dy])? else {
                    return Ok(());
                };
                let arguments = (y, dy, &mut *dx, columns);
                let [short, long] = OF_THREAD;
                if shape.columns <= THREADS * short {
                    let config = shape.blocks(short)?;
                    if shape.are_aligned {
                        queue.launch(kernels::softmax_backward::<$ty, true>, config, arguments)
                    } else {
                        queue.launch(kernels::softmax_backward::<$ty, false>, config, arguments)
                    }
                } else if shape.are_aligned {
                    let clusters = shape.clusters(long);
                    let kernel = kernels::softmax_backward_ring::<$ty>;
                    let config = clusters.active(y.device(), kernel, clusters.ring(0))?;
                    queue.launch(kernel, config, arguments)
                } else {
                    let kernel = kernels::softmax_backward_wide::<$ty>;
                    queue.launch(kernel, shape.clusters(long).each()?, arguments)
                }
            }

            fn norm_backward(
                mut queue: impl Queue,
                [x, dy, gamma]: [&DeviceBuffer<Self>; 3],
                epsilon: f32,
                dx: &mut DeviceBuffer<Self>,
                of_factors: &mut [&mut DeviceBuffer<Self>],
                partials: &mut DeviceBuffer<f32>,
            ) -> Result<(), Error> {
                Error::unless_enough("a dy", x.len(), dy.len())?;
                for of_factor in of_factors.iter() {
                    Error::unless_enough("a gradient of factors", gamma.len(), of_factor.len())?;
                }
                let Some(shape) = Shape::new(gamma.len(), &[x, dx, dy, gamma])? else {
                    return Ok(());
                };
                let [short, long] = OF_THREAD;
                let is_short = shape.are_aligned && shape.columns <= THREADS * short;
                let clusters = shape.clusters(if is_short { short } else { long });
                let sums = of_factors.len() * clusters.bytes::<f32>();
                let most = partials.len() / (of_factors.len() * shape.columns);
                Error::unless_enough("a workspace", 1, most)?;
                macro_rules! launch {
                    ($kernel:expr, $shared:expr) => {{
                        let mut config = clusters.active(x.device(), $kernel, $shared)?;
                        let many = (config.grid.count() as usize / clusters.cluster).min(most);
                        config.grid = ((many * clusters.cluster) as u32).into();
                        let columns = shape.columns as u32;
                        let arguments = (x, dy, gamma, &mut *dx, &mut *partials, columns, epsilon);
                        queue.launch($kernel, config, arguments)?;
                        many
                    }};
                }
                let many = match (shape.are_aligned, is_short, of_factors.len()) {
                    (true, true, 1) => launch!(kernels::norm_backward::<$ty, true, 16>, clusters.ring(sums)),
                    (true, true, _) => launch!(kernels::norm_backward::<$ty, false, 16>, clusters.ring(sums)),
                    (true, false, 1) => launch!(kernels::norm_backward::<$ty, true, 32>, clusters.ring(sums)),
                    (true, false, _) => launch!(kernels::norm_backward::<$ty, false, 32>, clusters.ring(sums)),
                    (false, _, 1) => launch!(kernels::norm_backward_wide::<$ty, true>, sums),
                    (false, ..) => launch!(kernels::norm_backward_wide::<$ty, false>, sums),
                };
                for (which, of_factor) in of_factors.iter_mut().enumerate() {
                    let Some(config) = grid(shape.columns.div_ceil(32), THREADS as u32)? else {
                        return Ok(());
                    };
                    let (columns, number) = (shape.columns as u32, which as u32);
                    let arguments = (&*partials, &mut **of_factor, columns, many as u32, number);
                    queue.launch(kernels::column_sums::<$ty>, config, arguments)?;
                }
                Ok(())
            }
        }
    )*};
}
elements! { f32 Bf16 }

/// Writes the softmax of each row of `input`, which has rows of `columns` elements.
///
/// # Errors
/// [`Error::TooShort`] if `output` is shorter than `input`; [`Error::TooMany`] if a row has more
/// than [`COLUMNS`] elements; [`Error::Launch`], [`Error::Graph`].
///
/// ```
/// use lanewise::{Device, DeviceBuffer};
/// use lanewise_algorithms::softmax;
///
/// let device = Device::open()?;
/// let input = DeviceBuffer::from_slice(&device, &[1.0f32, 1.0, 5.0, 5.0])?;
/// let mut output = DeviceBuffer::<f32>::zeroed(&device, 4)?;
/// softmax(&device.stream()?, &input, 2, &mut output)?;
/// assert_eq!(output.to_vec()?, [0.5; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn softmax<E: RowElement>(
    queue: impl Queue,
    input: &DeviceBuffer<E>,
    columns: u32,
    output: &mut DeviceBuffer<E>,
) -> Result<(), Error> {
    E::softmax(queue, input, columns, output)
}

/// Writes each row of `input` less its mean, over the root of its variance and `epsilon`, times
/// `gamma` plus `beta`.
///
/// # Errors
/// As [`softmax`]; [`Error::TooShort`] if `gamma` or `beta` has fewer elements than a row.
pub fn layer_norm<E: RowElement>(
    queue: impl Queue,
    input: &DeviceBuffer<E>,
    factors: (&DeviceBuffer<E>, &DeviceBuffer<E>),
    epsilon: f32,
    output: &mut DeviceBuffer<E>,
) -> Result<(), Error> {
    E::layer_norm(queue, input, factors, epsilon, output)
}

/// Writes each row of `input` over the root of its mean square and `epsilon`, times `gamma`.
///
/// # Errors
/// As [`layer_norm`].
pub fn rms_norm<E: RowElement>(
    queue: impl Queue,
    input: &DeviceBuffer<E>,
    gamma: &DeviceBuffer<E>,
    epsilon: f32,
    output: &mut DeviceBuffer<E>,
) -> Result<(), Error> {
    E::rms_norm(queue, input, gamma, epsilon, output)
}

/// The rows of a matrix.
struct Shape {
    /// At least one.
    rows: usize,
    /// From 1 to [`COLUMNS`].
    columns: usize,
    /// Whether rows of all buffers are aligned to sixteen bytes.
    are_aligned: bool,
}

impl Shape {
    /// Returns the rows of this length. `None` if there are none. The first two buffers are the
    /// input and the output.
    fn new<E: RowElement>(
        columns: usize,
        buffers: &[&DeviceBuffer<E>],
    ) -> Result<Option<Self>, Error> {
        let (input, output) = (buffers[0], buffers[1]);
        Error::unless_enough("an output", input.len(), output.len())?;
        Error::unless_few("columns", COLUMNS, columns)?;
        let rows = input.len().checked_div(columns).unwrap_or(0);
        let mut addresses = buffers.iter().map(|buffer| buffer.address());
        let are_aligned =
            addresses.all(|address| address.is_multiple_of(16)) && columns.is_multiple_of(E::LANES);
        Ok((rows > 0).then_some(Shape {
            rows,
            columns,
            are_aligned,
        }))
    }

    /// Returns the launch of a block for each row, whose threads have this many elements.
    fn blocks(&self, of_thread: usize) -> Result<LaunchConfig, Error> {
        let threads = self.columns.div_ceil(of_thread).next_multiple_of(32);
        Error::unless_few("rows", i32::MAX as usize, self.rows)?;
        Ok(LaunchConfig::new(self.rows as u32, threads as u32))
    }

    /// Returns the clusters for rows, whose threads have this many elements.
    fn clusters(&self, of_thread: usize) -> Clusters {
        let threads = self.columns.div_ceil(of_thread);
        let cluster = threads.div_ceil(THREADS).next_power_of_two();
        Clusters {
            rows: self.rows,
            cluster,
            threads: threads.div_ceil(cluster).next_multiple_of(32),
            of_thread,
        }
    }
}

/// Clusters, each for one row or for several rows one after another.
struct Clusters {
    rows: usize,
    /// Blocks of a cluster, threads of a block, and elements of a thread.
    cluster: usize,
    threads: usize,
    of_thread: usize,
}

impl Clusters {
    /// Returns the bytes of a block's part of a row of `T`.
    fn bytes<T>(&self) -> usize {
        self.of_thread * self.threads * size_of::<T>()
    }

    /// Returns the shared memory of a block that keeps this many bytes in front of its ring. A
    /// multiprocessor has two blocks, if there is room for three places in each.
    fn ring(&self, kept: usize) -> usize {
        let [of_place, most] = [RING[0] * self.threads * 16, RING[1]];
        let [of_two, of_one] = SHARED;
        let room = if kept + 3 * of_place <= of_two {
            of_two
        } else {
            of_one
        };
        kept + ((room - kept) / of_place).min(most) * of_place
    }

    /// Returns the launch of a cluster for each row.
    fn each(&self) -> Result<LaunchConfig, Error> {
        Error::unless_few("blocks", i32::MAX as usize, self.rows * self.cluster)?;
        Ok(self.config(self.rows, 0))
    }

    fn config(&self, clusters: usize, shared: usize) -> LaunchConfig {
        LaunchConfig::new((clusters * self.cluster) as u32, self.threads as u32)
            .with_cluster((self.cluster as u32, 1, 1))
            .with_dynamic_shared(shared as u32)
    }

    /// Returns the launch of as many clusters as run at once.
    fn active<K: Kernel + Copy>(
        &self,
        device: &Device,
        kernel: K,
        shared: usize,
    ) -> Result<LaunchConfig, Error> {
        device.set_max_dynamic_shared(kernel, shared as u32)?;
        let active = device.max_active_clusters(kernel, self.config(1, shared))?;
        Ok(self.config(self.rows.min(active as usize).max(1), shared))
    }
}
