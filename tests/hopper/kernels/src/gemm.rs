//! A product of matrices of `bf16` by `wgmma`, with tiles that the tensor memory accelerator brings, and warps that do one thing each.
//!
//! Launch: 2-D grid, x over the columns of `c` and y over its rows in tiles of [`TILE`]; blocks of [`THREADS`] threads with [`SHARED_BYTES`] of dynamic
//! shared memory.
//! Writes `a * b` to `c`, which has `n` columns: `a` is `m` x `k` by rows, `b` is given as its transpose, `n` x `k` by rows, both as the bits of `bf16`. Any
//! sizes will do: what lies outside is zeros when it comes, and is not stored.
//! Shows: the first warpgroup gives its registers away and asks for tiles; the other two multiply, each 64 of the tile's 128 rows. Nobody computes an
//! address of a tile, or a bound.

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::matrix::element::Bf16;
use lanewise_std::matrix::warpgroup::{
    self, Accumulator128, Descriptor, decrease_registers, increase_registers, warpgroup_id,
};
use lanewise_std::pipeline::{Pipeline, StageStorage};
use lanewise_std::thread::{block_idx_x, block_idx_y, thread_rank};
use lanewise_std::tma::{self, TensorMap};

/// Rows and columns of a block's share of `c`.
pub const TILE: usize = 128;
/// How far a tile reaches along the inner dimension: 128 bytes.
pub const DEPTH: usize = 64;
/// Threads of a block: a warpgroup that asks for tiles, and two that multiply.
pub const THREADS: u32 = 3 * warpgroup::THREADS;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = tma::dynamic_tile_bytes::<[u16; ELEMENTS]>(2 * STAGES);

/// Places of the pipeline, each with a tile of `a` and one of `b`.
const STAGES: usize = 4;
/// Elements of a tile.
const ELEMENTS: usize = TILE * DEPTH;

/// `c = a * b`.
#[kernel(min_arch = "sm_90a")]
#[launch_bounds(384, 1)]
#[launch_contract(dims = 2, block = (384))]
pub fn gemm_bf16(
    a: TensorMap<u16, 2>,
    b: TensorMap<u16, 2>,
    c: GlobalMut<f32>,
    m: u32,
    n: u32,
    k: u32,
) {
    shared! { static BARRIERS: [StageStorage; STAGES]; }
    let pipeline = Pipeline::init(&BARRIERS, 1, 2 * warpgroup::THREADS);
    let (row, column) = (block_idx_y() * TILE as u32, block_idx_x() * TILE as u32);
    let steps = k.div_ceil(DEPTH as u32);
    let tile = tma::dynamic_tile::<u16, ELEMENTS>;

    if warpgroup_id() == 0 {
        decrease_registers::<40>();
        if thread_rank() == 0 {
            a.prefetch_map();
            b.prefetch_map();
            let mut producer = pipeline.producer();
            for step in 0..steps {
                let place = producer
                    .acquire()
                    .expect(2 * size_of::<[u16; ELEMENTS]>() as u32);
                let (left, right) = (tile(2 * place.stage()), tile(2 * place.stage() + 1));
                let inner = (step * DEPTH as u32) as i32;
                // SAFETY: the place is empty, both tiles have room, and they are read after the place's barrier.
                unsafe {
                    a.load(left.as_ptr(), [inner, row as i32], &place.barrier());
                    b.load(right.as_ptr(), [inner, column as i32], &place.barrier());
                }
            }
        }
        return;
    }

    increase_registers::<232>();
    let rows = (warpgroup_id() - 1) * warpgroup::ROWS as u32;
    let mut sum = Accumulator128::<f32>::zero();
    let mut consumer = pipeline.consumer();
    for _ in 0..steps {
        let place = consumer.wait();
        let left = Descriptor::<Bf16>::of_tile(tile(2 * place.stage()).as_ptr()).below(rows);
        let right = Descriptor::<Bf16>::of_tile(tile(2 * place.stage() + 1).as_ptr());
        // SAFETY: the place is full, and is released after.
        unsafe { sum.multiply_add(left, right) };
        place.release();
    }
    sum.for_each(|i, j, element| {
        let (i, j) = ((row + rows) as usize + i, column as usize + j);
        let index = i * n as usize + j;
        if i < m as usize && j < n as usize && index < c.len() {
            // SAFETY: the element is this thread's alone.
            unsafe { c.set(index, element) };
        }
    });
}
