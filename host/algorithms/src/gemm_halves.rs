//! Products of matrices of `F16` and `Bf16`: the kernel for Hopper, or the one for any GPU. Those
//! of floats of 8 bits have the kernel for Hopper alone.

use lanewise::tensor_map::{Promotion, Swizzle, TensorElement, TensorMap, TensorMapMut, Tiles};
use lanewise::{ComputeCapability, Device, DeviceBuffer, DeviceCopy, LaunchConfig};
use lanewise_algorithms_tensor::gemm as any;
use lanewise_algorithms_tensor::gemm_hopper as hopper;
use lanewise_std::float8::{E4m3, E5m2};
use lanewise_std::half::{Bf16, F16};

use crate::gemm::{Factor, Gemm};
use crate::queue::grid;
use crate::{Error, Queue};

/// The only GPUs that run the kernel for Hopper.
const HOPPER: ComputeCapability = ComputeCapability { major: 9, minor: 0 };

/// Returns whether rows of so many elements begin at multiples of sixteen bytes.
fn is_aligned<T: DeviceCopy>(row: u32, buffer: &DeviceBuffer<T>) -> bool {
    (row as usize * size_of::<T>()).is_multiple_of(16) && buffer.address().is_multiple_of(16)
}

/// Returns whether all rows of the factors begin at multiples of sixteen bytes.
pub(crate) fn are_aligned<T: DeviceCopy>(of: &Gemm, [a, b]: [&DeviceBuffer<T>; 2]) -> bool {
    is_aligned(row_of_a(of), a) && is_aligned(row_of_b(of), b)
}

fn row_of_a(of: &Gemm) -> u32 {
    if of.is_a_transposed { of.m } else { of.k }
}

fn row_of_b(of: &Gemm) -> u32 {
    if of.is_b_transposed { of.k } else { of.n }
}

/// Returns whether the kernel for Hopper can write this product, if its factors are aligned.
pub(crate) fn is_for_hopper<C: DeviceCopy>(of: &Gemm, c: &DeviceBuffer<C>) -> bool {
    let is_hopper = c.device().properties().compute_capability == HOPPER;
    is_hopper && is_aligned(of.n, c) && of.k > 0
}

/// Returns the launch of the kernel for any GPU.
pub(crate) fn launch_of_any(of: &Gemm) -> Result<Option<LaunchConfig>, Error> {
    let config = grid(of.tiles(any::SIDE, any::SIDE), any::THREADS as u32)?;
    Ok(config.map(|config| config.with_dynamic_shared(any::SHARED_BYTES)))
}

/// Returns the launch of the kernel for Hopper: as many blocks as run at once.
pub(crate) fn launch_of_hopper(of: &Gemm, device: &Device) -> Result<Option<LaunchConfig>, Error> {
    let clusters = of.tiles(hopper::ROWS * hopper::BLOCKS as usize, hopper::COLUMNS);
    let at_once = (device.properties().multiprocessors / hopper::BLOCKS).max(1) as usize;
    let blocks = clusters.min(at_once) * hopper::BLOCKS as usize;
    Error::unless_few("tiles", i32::MAX as usize, clusters)?;
    let config = grid(blocks, hopper::THREADS)?;
    Ok(config.map(|config| config.with_dynamic_shared(hopper::SHARED_BYTES)))
}

/// Returns the map of a factor with rows of `inner` elements, in boxes of `of_box` rows of 128
/// bytes.
fn map<T: TensorElement>(
    factor: &DeviceBuffer<T>,
    [inner, rows, batch]: [u32; 3],
    of_box: usize,
) -> Result<TensorMap<'_, T, 3>, Error> {
    let size = [inner, rows, batch].map(|side| side as usize);
    let tiles = Tiles::new(size, [hopper::depth::<T>() as u32, of_box as u32, 1]);
    let tiles = tiles.swizzle(Swizzle::B128).promotion(Promotion::B256);
    Ok(TensorMap::new(factor, tiles)?)
}

/// Returns the map of `A`.
pub(crate) fn map_of_a<'a, T: TensorElement>(
    of: &Gemm,
    a: &'a DeviceBuffer<T>,
) -> Result<TensorMap<'a, T, 3>, Error> {
    let (rows, of_box) = if of.is_a_transposed {
        (of.k, hopper::depth::<T>())
    } else {
        (of.m, hopper::ROWS)
    };
    map(a, [row_of_a(of), rows, of.batch], of_box)
}

/// Returns the map of `B`.
pub(crate) fn map_of_b<'a, T: TensorElement>(
    of: &Gemm,
    b: &'a DeviceBuffer<T>,
) -> Result<TensorMap<'a, T, 3>, Error> {
    let (rows, of_box) = if of.is_b_transposed {
        (of.n, hopper::COLUMNS / hopper::BLOCKS as usize)
    } else {
        (of.k, hopper::depth::<T>())
    };
    map(b, [row_of_b(of), rows, of.batch], of_box)
}

/// Returns the map of the product.
pub(crate) fn map_of_product<'a, T: TensorElement>(
    of: &Gemm,
    c: &'a mut DeviceBuffer<T>,
) -> Result<TensorMapMut<'a, T, 3>, Error> {
    let size = [of.n, of.m, of.batch].map(|side| side as usize);
    let columns = 128 / size_of::<T>();
    let tiles = Tiles::new(size, [columns as u32, hopper::STORED_ROWS as u32, 1]);
    Ok(TensorMapMut::new(c, tiles.swizzle(Swizzle::B128))?)
}

/// Queues a kernel for Hopper that takes the maps of the factors and of the product, and then these
/// arguments. Evaluates to the result.
macro_rules! queue_on_hopper {
    ($kernel:expr, $of:ident, $queue:ident, [$a:ident, $b:ident], $c:ident, $($more:expr),*) => {{
        let Some(config) = $crate::gemm_halves::launch_of_hopper(&$of, $c.device())? else {
            return Ok(());
        };
        $c.device().set_max_dynamic_shared($kernel, ::lanewise_algorithms_tensor::gemm_hopper::SHARED_BYTES)?;
        let (a, b) = ($crate::gemm_halves::map_of_a(&$of, $a)?, $crate::gemm_halves::map_of_b(&$of, $b)?);
        let mut c = $crate::gemm_halves::map_of_product(&$of, $c)?;
        // SAFETY: the boxes of the maps are the kernel's, and their sizes the product's.
        unsafe { $queue.launch_unchecked($kernel, config, (&a, &b, &mut c, $($more),*)) }
    }};
}
pub(crate) use queue_on_hopper;

macro_rules! factors {
    ($($ty:ident -> $of_c:ident;)*) => {$(
        impl Factor<$of_c> for $ty {
            type Sum = f32;

            fn queue(
                of: Gemm,
                mut queue: impl Queue,
                [a, b]: [&DeviceBuffer<$ty>; 2],
                c: &mut DeviceBuffer<$of_c>,
            ) -> Result<(), Error> {
                let are_aligned = are_aligned(&of, [a, b]);
                let (shape, factors) = (of.shape(), [of.alpha, of.beta]);
                if are_aligned && is_for_hopper(&of, c) {
                    macro_rules! launch {
                        ($a:literal $b:literal) => {
                            queue_on_hopper!(hopper::gemm_halves::<$ty, $of_c, $a, $b>, of, queue, [a, b], c, shape, factors)
                        };
                    }
                    return match (of.is_a_transposed, of.is_b_transposed) {
                        (false, true) => launch!(0 0),
                        (false, false) => launch!(0 1),
                        (true, true) => launch!(1 0),
                        (true, false) => launch!(1 1),
                    };
                }
                let Some(config) = launch_of_any(&of)? else {
                    return Ok(());
                };
                macro_rules! launch {
                    ($a:literal $b:literal) => {{
                        let kernel = any::gemm_halves::<$ty, $of_c, $a, $b>;
                        c.device().set_max_dynamic_shared(kernel, any::SHARED_BYTES)?;
                        queue.launch(kernel, config, (a, b, c, shape, factors, are_aligned))
                    }};
                }
                match (of.is_a_transposed, of.is_b_transposed) {
                    (false, true) => launch!(0 0),
                    (false, false) => launch!(0 1),
                    (true, true) => launch!(1 0),
                    (true, false) => launch!(1 1),
                }
            }
        }
    )*};
}

macro_rules! bytes {
    ($($ty:ident -> $of_c:ident;)*) => {$(
        impl Factor<$of_c> for $ty {
            type Sum = f32;

            fn queue(
                of: Gemm,
                mut queue: impl Queue,
                [a, b]: [&DeviceBuffer<$ty>; 2],
                c: &mut DeviceBuffer<$of_c>,
            ) -> Result<(), Error> {
                if of.is_a_transposed || !of.is_b_transposed {
                    return Err(Error::Unsupported("floats of 8 bits are multiplied along the rows of `A` and of the transpose of `B`"));
                }
                if !are_aligned(&of, [a, b]) || !is_for_hopper(&of, c) {
                    return Err(Error::Unsupported("products of floats of 8 bits need Hopper, and rows that are not empty and begin at multiples of sixteen bytes"));
                }
                let factors = [of.alpha, of.beta];
                queue_on_hopper!(hopper::gemm_halves::<$ty, $of_c, 0, 0>, of, queue, [a, b], c, of.shape(), factors)
            }
        }
    )*};
}

bytes! {
    E4m3 -> f32;
    E4m3 -> Bf16;
    E4m3 -> E4m3;
    E5m2 -> f32;
    E5m2 -> Bf16;
    E5m2 -> E5m2;
}

factors! {
    F16 -> f32;
    F16 -> F16;
    Bf16 -> f32;
    Bf16 -> Bf16;
}
