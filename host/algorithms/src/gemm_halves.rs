//! Products of matrices of `F16` and `Bf16`: the kernel for Hopper, or the one for any GPU.

use lanewise::tensor_map::{Promotion, Swizzle, TensorElement, TensorMap, TensorMapMut, Tiles};
use lanewise::{ComputeCapability, DeviceBuffer, DeviceCopy};
use lanewise_algorithms_tensor::gemm as any;
use lanewise_algorithms_tensor::gemm_hopper as hopper;
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

/// Returns the map of a factor with rows of `inner` elements. A box has as many of them as 128
/// bytes.
fn map<T: TensorElement>(
    factor: &DeviceBuffer<T>,
    [inner, rows, batch]: [u32; 3],
    of_box: usize,
) -> Result<TensorMap<'_, T, 3>, Error> {
    let size = [inner, rows, batch].map(|side| side as usize);
    let tiles = Tiles::new(size, [hopper::DEPTH as u32, of_box as u32, 1]);
    let tiles = tiles.swizzle(Swizzle::B128).promotion(Promotion::B256);
    Ok(TensorMap::new(factor, tiles)?)
}

/// Returns the map of the product.
fn map_of_product<'a, T: TensorElement>(
    of: &Gemm,
    c: &'a mut DeviceBuffer<T>,
) -> Result<TensorMapMut<'a, T, 3>, Error> {
    let size = [of.n, of.m, of.batch].map(|side| side as usize);
    let columns = 128 / size_of::<T>();
    let tiles = Tiles::new(size, [columns as u32, hopper::STORED_ROWS as u32, 1]);
    Ok(TensorMapMut::new(c, tiles.swizzle(Swizzle::B128))?)
}

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
                let row_of_a = if of.is_a_transposed { of.m } else { of.k };
                let row_of_b = if of.is_b_transposed { of.k } else { of.n };
                let are_aligned = is_aligned(row_of_a, a) && is_aligned(row_of_b, b);
                let (shape, factors) = (of.shape(), [of.alpha, of.beta]);
                let properties = c.device().properties();
                let is_hopper = properties.compute_capability == HOPPER;
                if !is_hopper || !are_aligned || !is_aligned(of.n, c) || of.k == 0 {
                    let tiles = of.tiles(any::SIDE, any::SIDE);
                    let Some(config) = grid(tiles, any::THREADS as u32)? else {
                        return Ok(());
                    };
                    let config = config.with_dynamic_shared(any::SHARED_BYTES);
                    macro_rules! launch {
                        ($a:literal $b:literal) => {{
                            let kernel = any::gemm_halves::<$ty, $of_c, $a, $b>;
                            c.device().set_max_dynamic_shared(kernel, any::SHARED_BYTES)?;
                            queue.launch(kernel, config, (a, b, c, shape, factors, are_aligned))
                        }};
                    }
                    return match (of.is_a_transposed, of.is_b_transposed) {
                        (false, true) => launch!(0 0),
                        (false, false) => launch!(0 1),
                        (true, true) => launch!(1 0),
                        (true, false) => launch!(1 1),
                    };
                }
                let clusters = of.tiles(hopper::ROWS * hopper::BLOCKS as usize, hopper::COLUMNS);
                let at_once = (properties.multiprocessors / hopper::BLOCKS).max(1) as usize;
                let blocks = clusters.min(at_once) * hopper::BLOCKS as usize;
                Error::unless_few("tiles", i32::MAX as usize, clusters)?;
                let Some(config) = grid(blocks, hopper::THREADS)? else {
                    return Ok(());
                };
                let config = config.with_dynamic_shared(hopper::SHARED_BYTES);
                macro_rules! launch {
                    ($a:literal $b:literal, $rows_of_a:expr, $box_of_a:expr, $rows_of_b:expr, $box_of_b:expr) => {{
                        let kernel = hopper::gemm_halves::<$ty, $of_c, $a, $b>;
                        c.device().set_max_dynamic_shared(kernel, hopper::SHARED_BYTES)?;
                        let a = map(a, [row_of_a, $rows_of_a, of.batch], $box_of_a)?;
                        let b = map(b, [row_of_b, $rows_of_b, of.batch], $box_of_b)?;
                        let mut c = map_of_product(&of, c)?;
                        let arguments = (&a, &b, &mut c, shape, factors);
                        // SAFETY: the boxes of the maps are the kernel's, and their sizes the
                        // product's.
                        unsafe { queue.launch_unchecked(kernel, config, arguments) }
                    }};
                }
                const ROWS: usize = hopper::ROWS;
                const DEPTH: usize = hopper::DEPTH;
                match (of.is_a_transposed, of.is_b_transposed) {
                    (false, true) => launch!(0 0, of.m, ROWS, of.n, ROWS),
                    (false, false) => launch!(0 1, of.m, ROWS, of.k, DEPTH),
                    (true, true) => launch!(1 0, of.k, DEPTH, of.n, ROWS),
                    (true, false) => launch!(1 1, of.k, DEPTH, of.k, DEPTH),
                }
            }
        }
    )*};
}

factors! {
    F16 -> f32;
    F16 -> F16;
    Bf16 -> f32;
    Bf16 -> Bf16;
}
