//! The size of a map's boxes as part of the map's type.

/// Says which boxes the maps of a type have: [`AnyBox`] or [`BoxOf`].
pub trait BoxSize: 'static {
    /// The number of elements in each dimension, and 1 in those that the map does not have. `None`
    /// if the maps may have any boxes.
    const SIZE: Option<[usize; 5]>;
}

/// A map with boxes of any size. The kernel has to trust that it has room for a box.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::tma::{AnyBox, TensorMap};
///
/// /// Brings the map, which may have boxes of any size, before it is used.
/// #[kernel(min_arch = "sm_90")]
/// pub fn prefetch(input: TensorMap<f32, 2, AnyBox>) {
///     input.prefetch_map();
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AnyBox;

/// A map with boxes of `A` x `B` x `C` x `D` x `E` elements, the contiguous dimension first: of
/// columns and rows for a matrix. Of images in columns of pixels, it is channels and pixels. The
/// host refuses to launch the kernel with a map of other boxes.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::barrier::{Barrier, Parity};
/// use lanewise_std::scope::Block;
/// use lanewise_std::thread::{block_idx_x, thread_idx_x};
/// use lanewise_std::tma::{BoxOf, TensorMap, Tile};
/// use lanewise_std::PerBlock;
///
/// /// Writes the first element of each block's box.
/// #[kernel(min_arch = "sm_90")]
/// #[launch_contract(dims = 1, block = 32)]
/// pub fn corners(input: TensorMap<f32, 2, BoxOf<32, 8>>, mut output: PerBlock<f32>) {
///     shared! {
///         static BOX: [Tile<[f32; 32 * 8]>; 1];
///         static LOADED: Barrier<Block> = 1;
///     }
///     let tile = BOX.tile(0);
///     if thread_idx_x() == 0 {
///         let _ = LOADED.arrive_expect_bytes(size_of::<[f32; 32 * 8]>() as u32);
///         let corner = [0, 8 * block_idx_x() as i32];
///         // SAFETY: the type of the map says that a box has as many elements as the tile, and no
///         // thread accesses the tile before the barrier's phase has ended.
///         unsafe { input.load(tile.as_ptr(), corner, &LOADED) };
///     }
///     LOADED.wait_parity(Parity::Even);
///     if let Some(output) = output.get_mut() {
///         // SAFETY: nothing writes the tile any more.
///         *output = unsafe { tile.get(0) };
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoxOf<
    const A: usize,
    const B: usize = 1,
    const C: usize = 1,
    const D: usize = 1,
    const E: usize = 1,
>;

impl BoxSize for AnyBox {
    const SIZE: Option<[usize; 5]> = None;
}

impl<const A: usize, const B: usize, const C: usize, const D: usize, const E: usize> BoxSize
    for BoxOf<A, B, C, D, E>
{
    const SIZE: Option<[usize; 5]> = Some([A, B, C, D, E]);
}
