//! A product of matrices of `bf16` by `wgmma`, with tiles that the tensor memory accelerator
//! brings, and warps that do one thing each.
//!
//! Launch: 1-D grid of [`blocks`] blocks of [`THREADS`] threads with [`SHARED_BYTES`] of dynamic
//! shared memory. Writes `a * b` to `c`, which has `n` columns: `a` is `m` x `k` by rows, `b` is
//! given as its transpose, `n` x `k` by rows, both as the bits of `bf16`; the maps have boxes of
//! [`DEPTH`] columns and [`ROWS`] (of `b` [`COLUMNS`]) rows. Any sizes will do: what lies outside
//! is zeros when it comes, and is not stored.
//! Shows: the first warpgroup gives its registers away and asks for tiles; the other two multiply,
//! each 64 of the tile's 128 rows. The products of a tile begin before those of the previous tile
//! have ended. The previous tile's stage is released when they have. Blocks that run at the same
//! time have tiles near each other, so that they find each other's operands in the L2 cache.
//! Nothing panics: a kernel that calls a function, as a panic does, has its products one after
//! another (ptxas says so: C7510) and keeps its registers (C7504).

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::debug;
use lanewise_std::matrix::element::Bf16;
use lanewise_std::matrix::warpgroup::{
    self, Accumulator256, Descriptor, decrease_registers, increase_registers, warpgroup_id,
};
use lanewise_std::pipeline::{HeldStage, Pipeline};
use lanewise_std::thread::{block_idx_x, thread_rank};
use lanewise_std::tma::{BoxOf, DynamicTiles, TensorMap};

/// Rows of a block's share of `c`.
pub const ROWS: usize = 128;
/// Columns of a block's share of `c`.
pub const COLUMNS: usize = 256;
/// How far a tile reaches along the inner dimension: 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: a warpgroup that asks for tiles, and two that multiply.
pub const THREADS: u32 = 3 * warpgroup::THREADS;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = Tiles::BYTES;

/// Places of the pipeline, each with a tile of `a` and one of `b` below it.
const STAGES: usize = 4;
/// Elements of both.
const ELEMENTS: usize = (ROWS + COLUMNS) * DEPTH;
type Tiles = DynamicTiles<u16, ELEMENTS, STAGES>;

/// Rows of tiles that blocks go through together, column by column.
const GROUP: u32 = 8;

/// Blocks for a product of `m` rows and `n` columns.
#[must_use]
pub const fn blocks(m: u32, n: u32) -> u32 {
    m.div_ceil(ROWS as u32) * n.div_ceil(COLUMNS as u32)
}

/// Row and column of a block's first element of `c`.
#[inline(always)]
fn corner(block: u32, m: u32, n: u32) -> (u32, u32) {
    let (down, across) = (m.div_ceil(ROWS as u32), n.div_ceil(COLUMNS as u32).max(1));
    let together = GROUP.saturating_mul(across);
    let (first, inside) = (block / together * GROUP, block % together);
    let rows = down.saturating_sub(first).clamp(1, GROUP);
    (
        (first + inside % rows) * ROWS as u32,
        inside / rows * COLUMNS as u32,
    )
}

/// `c = a * b`.
#[kernel(min_arch = "sm_90a")]
#[launch_bounds(384, 1)]
#[launch_contract(dims = 1, block = (384))]
pub fn gemm_bf16(
    a: TensorMap<u16, 2, BoxOf<DEPTH, ROWS>>,
    b: TensorMap<u16, 2, BoxOf<DEPTH, COLUMNS>>,
    c: GlobalMut<f32>,
    m: u32,
    n: u32,
    k: u32,
) {
    shared! { static PIPELINE: Pipeline<STAGES> = (1, 2 * warpgroup::THREADS); }
    let Some(tiles) = Tiles::get() else {
        debug::trap()
    };
    if block_idx_x() >= blocks(m, n) {
        return; // it would have the corner of another block
    }
    let (row, column) = corner(block_idx_x(), m, n);
    let steps = k.div_ceil(DEPTH as u32);

    if warpgroup_id() == 0 {
        // ANCHOR: producer
        decrease_registers::<40>();
        if thread_rank() == 0 {
            a.prefetch_map();
            b.prefetch_map();
            let mut producer = PIPELINE.producer();
            for step in 0..steps {
                let place = producer
                    .acquire()
                    .expect(size_of::<[u16; ELEMENTS]>() as u32);
                let tile = tiles.tile(place.stage()).as_ptr();
                let inner = (step * DEPTH as u32) as i32;
                // SAFETY: the place is empty, both tiles have room, and they are read after
                // the place's barrier.
                unsafe {
                    a.load(tile, [inner, row as i32], &place.barrier());
                    b.load(
                        tile.add(ROWS * DEPTH),
                        [inner, column as i32],
                        &place.barrier(),
                    );
                }
            }
        }
        return;
        // ANCHOR_END: producer
    }

    // ANCHOR: consumer
    increase_registers::<232>();
    let rows = (warpgroup_id() - 1) * warpgroup::ROWS as u32;
    let mut sum = Accumulator256::<f32>::zero();
    let mut products = sum.start();
    let mut consumer = PIPELINE.consumer();
    let mut previous: Option<HeldStage> = None;
    for _ in 0..steps {
        let place = consumer.wait();
        let tile = Descriptor::<Bf16>::of_tile(tiles.tile(place.stage()).as_ptr().cast());
        // SAFETY: the place is full, and is released when these products were waited for.
        unsafe { products.multiply_add(tile.below(rows), tile.below(ROWS as u32)) };
        products.wait_for_previous();
        previous.replace(place.keep());
    }
    products.finish();
    drop(previous);
    // ANCHOR_END: consumer
    sum.for_each(|i, j, element| {
        let (i, j) = ((row + rows) as usize + i, column as usize + j);
        let index = i * n as usize + j;
        if i < m as usize && j < n as usize && index < c.len() {
            // SAFETY: the element is this thread's alone.
            unsafe { c.set_unchecked(index, element) };
        }
    });
}
