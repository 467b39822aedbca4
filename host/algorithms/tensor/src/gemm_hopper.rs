//! `C = alpha A B + beta C` of floats of 16 or 8 bits, with sums of `f32`, and layers of networks.
//!
//! Two blocks, a cluster, compute 256 rows and columns of `C`. Each has 128 of the rows, and loads
//! its own tiles of `A`; of each tile of `B` it loads one half, which the tensor memory accelerator
//! writes to both blocks. So L2 delivers a third less than to blocks without a cluster.
//!
//! The first warpgroup of a block gives its registers away, and one of its threads starts the
//! loads. The other two multiply, each 64 rows. The grid has as many clusters as run at once, and
//! each goes from tile to tile. So loads of the next tile are under way while `C` is stored.
//!
//! Each warp stores its 16 rows through shared memory, 128 bytes of each row at a time, by the
//! tensor memory accelerator. It goes on to the next tile while these stores are under way.

use core::array::from_fn;
use core::hint::assert_unchecked;

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::{Barrier, Barriers, Parity};
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::float8::{E4m3, E5m2};
use lanewise_std::half::{Bf16, F16};
use lanewise_std::kernel::Value;
use lanewise_std::matrix::Element;
use lanewise_std::matrix::warpgroup::{
    self, Accumulator256, Across, Descriptor, Products, decrease_registers, increase_registers,
    warpgroup_id,
};
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{block_idx_x, grid_dim_x, thread_rank};
use lanewise_std::tma::{DynamicTiles, TensorMap, TensorMapMut, swizzled};
use lanewise_std::warp::{lane_id, sync_warp, warp_id};
use lanewise_std::{bulk, cluster, debug};

use crate::element::{ALONG, Half, Output};
use crate::epilogue::{Activated, Activation, Epilogue, Scaled};
use crate::order::Tiles;
use crate::place::Place;

/// Rows of a block's tile of `C`.
pub const ROWS: usize = 128;
/// Columns of a cluster's tile of `C`.
pub const COLUMNS: usize = 256;
/// Bytes of the `k` of a step.
pub const DEPTH_BYTES: usize = 128;
/// Blocks of a cluster, one below the other.
pub const BLOCKS: u32 = 2;
/// Rows of `C` that are stored at once, 128 bytes of each.
pub const STORED_ROWS: usize = 16;
/// Threads of a block: a warpgroup that loads, and two that multiply.
pub const THREADS: u32 = 3 * warpgroup::THREADS;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = Pieces::BYTES;

/// Places for the tiles of a step.
pub const STAGES: usize = 4;
/// Warps that multiply.
pub const WARPS: usize = 8;
/// Bytes of a piece of shared memory: a tile of `A`, or half of one of `B`.
const PIECE: usize = ROWS * DEPTH_BYTES;
/// Pieces of a stage.
const OF_STAGE: usize = 3;
/// The stages, and then two pieces from which `C` is stored.
type Pieces = DynamicTiles<u8, PIECE, { STAGES * OF_STAGE + 2 }>;
/// Bytes of `C` that a warp stores at once, and how many of these it has room for.
const STORED: usize = STORED_ROWS * 128;
const PLACES: usize = 2 * PIECE / WARPS / STORED;
/// Rows and columns of a box of a factor whose rows go across the inner dimension. Its elements
/// have 16 bits.
const SIDE: usize = 64;
/// Bytes of such a box.
const BOX: usize = SIDE * SIDE * 2;

/// An element of the factors: of 16 bits, or of 8 in factors that are [`ALONG`].
pub trait Operand: Element + Value + 'static {
    /// Starts the products of a step.
    ///
    /// # Safety
    /// As for [`Products::multiply_add`].
    #[doc(hidden)]
    unsafe fn multiply<const A: u32, const B: u32>(
        products: &mut Products<'_, f32, 128>,
        a: *const u8,
        b: *const u8,
        group: u32,
    );
}

macro_rules! halves {
    ($($ty:ident)*) => {$(
        impl Operand for $ty {
            #[inline(always)]
            unsafe fn multiply<const A: u32, const B: u32>(
                products: &mut Products<'_, f32, 128>,
                a: *const u8,
                b: *const u8,
                group: u32,
            ) {
                let along = |tile: *const u8| Descriptor::<$ty>::of_tile(tile.cast());
                let across = |tile: *const u8| Descriptor::<$ty, Across>::of_tiles_across(tile.cast(), BOX as u32);
                let along_a = along(a).below(group * warpgroup::ROWS as u32);
                let across_a = across(a.wrapping_add(group as usize * BOX));
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    match (A, B) {
                        (ALONG, ALONG) => products.multiply_add(along_a, along(b)),
                        (ALONG, _) => products.multiply_add(along_a, across(b)),
                        (_, ALONG) => products.multiply_add(across_a, along(b)),
                        _ => products.multiply_add(across_a, across(b)),
                    }
                }
            }
        }
    )*};
}
halves! { F16 Bf16 }

macro_rules! bytes {
    ($($ty:ident)*) => {$(
        impl Operand for $ty {
            #[inline(always)]
            unsafe fn multiply<const A: u32, const B: u32>(
                products: &mut Products<'_, f32, 128>,
                a: *const u8,
                b: *const u8,
                group: u32,
            ) {
                const { assert!(A == ALONG && B == ALONG, "there is no such instruction") };
                let rows = group * warpgroup::ROWS as u32;
                let (a, b) = (Descriptor::<$ty>::of_tile(a), Descriptor::<$ty>::of_tile(b));
                // SAFETY: the caller keeps the contract of this function.
                unsafe { products.multiply_add(a.below(rows), b) };
            }
        }
    )*};
}
bytes! { E4m3 E5m2 }

/// Returns the elements of a step's `k`.
#[must_use]
pub const fn depth<E>() -> usize {
    DEPTH_BYTES / size_of::<E>()
}

/// Computes `C = alpha A B + beta C`, where `shape` is `m`, `n`, `k` and the number of products,
/// and `factors` are `alpha` and `beta`. The maps have the matrices of all products, row after row.
/// `A` has `m` rows of `k` elements if it is [`ALONG`], else it is given as its transpose. `B` has
/// `n` rows of `k` elements if it is [`ALONG`], as its transpose, and else `k` rows of `n`.
///
/// If `beta` is 0, `C` is not read. Any even number of blocks will do.
///
/// # Safety
/// The boxes have the sizes for which the kernel has room. Those of the factors have rows of 128
/// bytes; [`ALONG`], [`ROWS`] of them, and else 64. Those of `C` have
/// [`STORED_ROWS`] rows of 128 bytes. `shape` is that of the maps.
#[kernel(min_arch = "sm_90a", instances(
    (Bf16, f32, 0, 0), (Bf16, f32, 0, 1), (Bf16, f32, 1, 0), (Bf16, f32, 1, 1),
    (Bf16, Bf16, 0, 0), (Bf16, Bf16, 0, 1), (Bf16, Bf16, 1, 0), (Bf16, Bf16, 1, 1),
    (F16, f32, 0, 0), (F16, f32, 0, 1), (F16, f32, 1, 0), (F16, f32, 1, 1),
    (F16, F16, 0, 0), (F16, F16, 0, 1), (F16, F16, 1, 0), (F16, F16, 1, 1),
    (E4m3, f32, 0, 0), (E4m3, Bf16, 0, 0), (E4m3, E4m3, 0, 0),
    (E5m2, f32, 0, 0), (E5m2, Bf16, 0, 0), (E5m2, E5m2, 0, 0)
))]
#[cluster_launch(2)]
#[launch_bounds(384, 1)]
#[launch_contract(dims = 1, block = (384))]
pub unsafe fn gemm_halves<E: Operand, C: Output, const A: u32, const B: u32>(
    a: TensorMap<E, 3>,
    b: TensorMap<E, 3>,
    c: TensorMapMut<C, 3>,
    shape: [u32; 4],
    factors: [f32; 2],
) {
    shared! {
        static FULL: Barriers<Block, STAGES> = 1;
        static EMPTY: Barriers<Cluster, STAGES> = RELEASES;
        static LOADED: Barriers<Block, WARPS> = 1;
    }
    let [alpha, beta] = factors;
    let barriers = (FULL, EMPTY, LOADED);
    // SAFETY: the caller keeps the contract of this function.
    unsafe { products::<E, C, A, B>(a, b, c, shape, barriers, Scaled { alpha, beta }) }
}

/// Computes `C = f(A B + bias)`, a layer of a network; `bias` has an element for each column of
/// `C`, or none. `A` has `m` rows of `k` elements, and the rest is as in [`gemm_halves`].
///
/// # Safety
/// As for [`gemm_halves`]. The bias begins at a multiple of four bytes.
#[inline(always)]
pub unsafe fn layer<E: Operand + Half, F: Activation, const B: u32>(
    a: TensorMap<E, 3>,
    b: TensorMap<E, 3>,
    c: TensorMapMut<E, 3>,
    bias: &[E],
    shape: [u32; 4],
    barriers: OfProducts,
) {
    let activation = F::default();
    // SAFETY: the caller keeps the contract of this function.
    unsafe { products::<E, E, ALONG, B>(a, b, c, shape, barriers, Activated { bias, activation }) }
}

/// Each warp that multiplies gives a place back, in both blocks.
pub const RELEASES: u32 = WARPS as u32 * BLOCKS;
/// Barriers of the places, which are full and empty, and of the elements of `C` that warps load.
pub type OfProducts = (
    Barriers<Block, STAGES>,
    Barriers<Cluster, STAGES>,
    Barriers<Block, WARPS>,
);

/// Computes the products, with this epilogue.
///
/// # Safety
/// As for [`gemm_halves`]. A bias begins at a multiple of four bytes.
#[inline(always)]
unsafe fn products<E: Operand, C: Output, const A: u32, const B: u32>(
    a: TensorMap<E, 3>,
    b: TensorMap<E, 3>,
    c: TensorMapMut<C, 3>,
    shape: [u32; 4],
    (full, empty, loaded): OfProducts,
    epilogue: impl Epilogue,
) {
    let Some(pieces) = Pieces::get() else {
        debug::trap()
    };
    let tiles = Tiles::new(shape, [BLOCKS * ROWS as u32, COLUMNS as u32]);
    let depth = const { depth::<E>() as u32 };
    let steps = shape[2].div_ceil(depth);
    let numbers = || {
        let clusters = grid_dim_x() / BLOCKS;
        (block_idx_x() / BLOCKS..tiles.all).step_by(clusters.max(1) as usize)
    };

    if warpgroup_id() == 0 {
        decrease_registers::<40>();
        if thread_rank() == 0 {
            let load = Load::<E, A, B> { a, b, pieces };
            let mut place = Place::<STAGES>::new(Parity::Odd);
            for number in numbers() {
                let corner = tiles.corner(number).map(u32::cast_signed);
                for step in 0..steps {
                    empty.at(place.stage()).wait_parity(place.parity);
                    let full = full.at(place.stage());
                    let _ = full.arrive_expect_bytes((OF_STAGE * PIECE) as u32);
                    // SAFETY: all warps of both blocks have given the place back.
                    unsafe { load.step(place.stage(), corner, step * depth, &full) };
                    place.advance();
                }
            }
        }
        // A block must not end before the other one has arrived at its barriers for the last time.
        cluster::sync_cluster();
        return;
    }

    increase_registers::<232>();
    let group = warpgroup_id() - 1;
    let give_back = |stage: usize| {
        if lane_id() == 0 {
            let empty = empty.at(stage);
            let _ = empty.arrive();
            // SAFETY: the blocks end after a barrier of the cluster.
            unsafe { empty.of_block(1 - cluster::block_rank()) }.arrive_after_reads();
        }
    };
    let mut store = Store::new(pieces, &loaded);
    let mut place = Place::<STAGES>::new(Parity::Even);
    for number in numbers() {
        let [row, column, product] = tiles.corner(number);
        let mut sum = Accumulator256::<f32>::zero();
        let first = (column + lane_id() % 4 * 2) as usize;
        // SAFETY: the caller promises this of the bias, and the column is even.
        let loaded = from_fn(|i| unsafe { epilogue.load(first + i * 8) });
        let mut products = sum.start();
        let mut previous: Option<usize> = None;
        for _ in 0..steps {
            full.at(place.stage()).wait_parity(place.parity);
            let tile = |piece| pieces.tile(place.stage() * OF_STAGE + piece).as_ptr();
            // SAFETY: the place is full, and is given back when these products were waited for.
            unsafe { E::multiply::<A, B>(&mut products, tile(0), tile(1), group) };
            products.wait_for_previous();
            if let Some(stage) = previous.replace(place.stage()) {
                give_back(stage);
            }
            place.advance();
        }
        products.finish();
        if let Some(stage) = previous {
            give_back(stage);
        }
        let row = row + cluster::block_rank() * ROWS as u32;
        if row < shape[0] {
            let at = [column, row, product].map(u32::cast_signed);
            // SAFETY: no other warp has these rows and columns of `C`.
            unsafe { store.tile(&c, &sum, at, shape[1], epilogue, &loaded) };
        }
    }
    bulk::wait_group_read::<0>();
    cluster::sync_cluster();
}

/// What loads the tiles of both factors.
struct Load<'a, E, const A: u32, const B: u32> {
    a: TensorMap<'a, E, 3>,
    b: TensorMap<'a, E, 3>,
    pieces: Pieces,
}

impl<E: Operand, const A: u32, const B: u32> Load<'_, E, A, B> {
    /// Starts the loads of a step: the block's own tile of `A`, and for both blocks of the cluster
    /// its half of the tile of `B`.
    ///
    /// # Safety
    /// No thread of the cluster reads the stage until the barrier says that it is full.
    #[inline(always)]
    unsafe fn step(&self, stage: usize, corner: [i32; 3], k: u32, full: &Barrier<Block>) {
        let [row, column, product] = corner;
        let (rank, k) = (cluster::block_rank() as usize, k as i32);
        let row = row + (rank * ROWS) as i32;
        let column = column + (rank * COLUMNS / 2) as i32;
        let piece = |piece| {
            self.pieces
                .tile(stage * OF_STAGE + piece)
                .as_ptr()
                .cast::<E>()
        };
        let (to_a, to_b) = (piece(0), piece(1 + rank));
        let next = BOX / size_of::<E>();
        // SAFETY: both have room for their boxes.
        unsafe {
            if A == ALONG {
                self.a.load(to_a, [k, row, product], full);
            } else {
                for i in 0..2 {
                    let at = [row + (i * SIDE) as i32, k, product];
                    self.a.load(to_a.wrapping_add(i * next), at, full);
                }
            }
            if B == ALONG {
                self.b
                    .load_multicast(to_b, [k, column, product], full, 0b11);
            } else {
                for i in 0..2 {
                    let at = [column + (i * SIDE) as i32, k, product];
                    self.b
                        .load_multicast(to_b.wrapping_add(i * next), at, full, 0b11);
                }
            }
        }
    }
}

/// What stores a warp's rows of `C`.
struct Store {
    /// The warp's part of shared memory.
    place: *mut u8,
    /// What says that elements of `C` were loaded.
    loaded: Barrier<Block>,
    parity: Parity,
}

impl Store {
    #[inline(always)]
    fn new(pieces: Pieces, loaded: &Barriers<Block, WARPS>) -> Self {
        let warp = warp_id() as usize - 4;
        // SAFETY: the block has twelve warps, and the first four store nothing.
        unsafe { assert_unchecked(warp < WARPS) };
        Store {
            place: pieces
                .tile(STAGES * OF_STAGE)
                .as_ptr()
                .wrapping_add(warp * PLACES * STORED),
            loaded: loaded.at(warp),
            parity: Parity::Even,
        }
    }

    /// Stores the warp's rows of the tile that begins at this column and row.
    ///
    /// # Safety
    /// No other warp reads or writes them.
    #[inline(always)]
    unsafe fn tile<C: Output>(
        &mut self,
        c: &TensorMapMut<C, 3>,
        sum: &Accumulator256<f32>,
        [column, row, product]: [i32; 3],
        n: u32,
        epilogue: impl Epilogue,
        loaded: &[u32; COLUMNS / 8],
    ) {
        let beta = epilogue.beta();
        let columns = const { 128 / size_of::<C>() };
        let lane = lane_id() as usize;
        let row = row + ((warp_id() as usize - 4) * STORED_ROWS) as i32;
        let (mut left, mut register) = (0.0f32, 0);
        sum.for_each(|_, _, element| {
            // Of each four registers, two are neighbours in a row, and two eight rows below.
            let of_column = register / 4 * 8 % columns;
            let number = register / 4 * 8 / columns;
            let at = [column + (number * columns) as i32, row, product];
            let place = self.place.wrapping_add(number % PLACES * STORED);
            let is_inside = (at[0] as u32) < n;
            if register % 4 == 0 && of_column == 0 {
                if lane == 0 {
                    bulk::wait_group_read::<{ PLACES as u32 - 1 }>();
                    if beta != 0.0 && is_inside {
                        let _ = self.loaded.arrive_expect_bytes(STORED as u32);
                        // SAFETY: what was in this place has been stored.
                        unsafe { c.load(place.cast(), at, &self.loaded) };
                    }
                }
                sync_warp(u32::MAX);
                if beta != 0.0 && is_inside {
                    self.loaded.wait_parity(self.parity);
                    self.parity = self.parity.next();
                }
            }
            if register % 2 == 1 && is_inside {
                let in_row = (of_column + lane % 4 * 2) * size_of::<C>();
                let in_place = swizzled((lane / 4 + register / 2 % 2 * 8) * 128 + in_row);
                let pair = place.wrapping_add(in_place).cast::<C::Pair>();
                let mut sums = epilogue.add([left, element], loaded[register / 4]);
                sums = sums.map(|sum| epilogue.finish(sum));
                if beta != 0.0 {
                    // SAFETY: the place is this lane's alone until the warp's next barrier.
                    let before = C::widen_pair(unsafe { pair.read() });
                    sums = [0, 1].map(|i| sums[i] + beta * before[i]);
                }
                // SAFETY: as above.
                unsafe { pair.write(C::narrow_pair(sums)) };
            }
            if register % 4 == 3 && of_column + 8 == columns {
                fence_proxy_async_shared();
                sync_warp(u32::MAX);
                if lane == 0 && is_inside {
                    // SAFETY: the warp has written the box, and the caller promises that these
                    // elements are the warp's.
                    unsafe { c.store(at, place.cast()) };
                }
                if lane == 0 {
                    bulk::commit_group();
                }
            }
            left = element;
            register += 1;
        });
    }
}
