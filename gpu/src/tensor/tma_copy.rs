//! A matrix that is scaled box by box: the tensor memory accelerator loads and stores the boxes.
//! One warp requests them, and four compute.
//!
//! Launch: 1-D grid of any size, which strides over the boxes; blocks of [`THREADS`] threads. The
//! tensor maps have boxes of [`COLUMNS`] x [`ROWS`] elements, as their types say. Writes `factor`
//! times `input` to `output`, up to the shorter length. The kernel checks no bounds, because the
//! maps do.
//! Shows: one thread requests 2 KiB and continues; up to [`PLACES`] boxes are loaded at the same
//! time. A load reports its bytes to a barrier. A store belongs to a group of the thread that
//! requested it. A fence is between the threads' writes and the unit's reads.
//! Source: CUDA C++ Programming Guide, "Tensor Memory Accelerator"; PTX ISA,
//! "cp.async.bulk.tensor", "mbarrier".

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::Barrier;
use lanewise_std::bulk;
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::pipeline::Pipeline;
use lanewise_std::scope::Block;
use lanewise_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use lanewise_std::tma::{BoxOf, TensorMap, TensorMapMut, Tile};
use lanewise_std::warp::WARP_SIZE;

/// Columns of a box.
pub const COLUMNS: usize = 32;
/// Rows of a box.
pub const ROWS: usize = 16;
/// The number of boxes in flight in a block.
pub const PLACES: usize = 3;
/// Threads of a block: one warp that requests boxes, and the warps that compute with them.
pub const THREADS: u32 = WARP_SIZE + WORKERS;

/// The number of threads that compute.
const WORKERS: u32 = 128;
/// Elements of a box.
const BOX: usize = COLUMNS * ROWS;
/// The boxes of both maps. The host refuses maps of other boxes.
type Boxes = BoxOf<COLUMNS, ROWS>;
/// The most boxes in a row, and the most rows of boxes: no coordinate exceeds 32 bits.
const MOST: u32 = i32::MAX as u32 / COLUMNS as u32;

/// Computes `output = factor * input`, with `across` boxes in a row and `boxes` in all.
#[kernel(min_arch = "sm_90")]
#[launch_contract(dims = 1, block = (160))]
pub fn tma_copy(
    input: TensorMap<f32, 2, Boxes>,
    output: TensorMapMut<f32, 2, Boxes>,
    across: u32,
    boxes: u32,
    factor: f32,
) {
    shared! {
        static TILES: [Tile<[f32; BOX]>; PLACES];
        static PIPELINE: Pipeline<PLACES> = (1, WORKERS);
        static WORKED: Barrier<Block> = WORKERS;
    }
    // Boxes past these are outside of any tensor, and their coordinates would begin again at 0.
    let boxes = if across <= MOST {
        boxes.min(across.saturating_mul(MOST))
    } else {
        0
    };
    let corner = |number: u32| {
        let (column, row) = (number % across, number / across);
        [(column * COLUMNS as u32) as i32, (row * ROWS as u32) as i32]
    };
    let mine = (block_idx_x()..boxes).step_by(grid_dim_x() as usize);

    if thread_idx_x() < WARP_SIZE {
        if thread_idx_x() == 0 {
            input.prefetch_map();
            // ANCHOR: producer
            let mut producer = PIPELINE.producer();
            for number in mine {
                let place = producer.acquire().expect(size_of::<[f32; BOX]>() as u32);
                let tile = TILES.tile(place.stage());
                // SAFETY: the place is empty, has room for a box, and is read after its barrier. No
                // type is a place of a pipeline together with its tile.
                unsafe { input.load(tile.as_ptr(), corner(number), &place.barrier()) };
            }
            // ANCHOR_END: producer
        }
        return;
    }

    let worker = thread_idx_x() - WARP_SIZE;
    // ANCHOR: consumer
    let mut consumer = PIPELINE.consumer();
    for number in mine {
        let place = consumer.wait();
        let tile = TILES.tile(place.stage());
        for i in (worker as usize..BOX).step_by(WORKERS as usize) {
            // SAFETY: the place is full, and only this thread has the element. No type is a place
            // of a pipeline together with its tile.
            unsafe { tile.set(i, factor * tile.get(i)) };
        }
        fence_proxy_async_shared();
        WORKED.arrive_and_wait(); // the store below reads what all workers wrote
        if worker == 0 {
            // SAFETY: the box is written, and stays until the group has read it. Each box of the
            // output is stored once. No type is a tile that a store still reads.
            unsafe { output.store(corner(number), tile.as_ptr()) };
            bulk::commit_group();
            bulk::wait_group_read::<0>();
        }
        place.release();
    }
    // ANCHOR_END: consumer
    if worker == 0 {
        bulk::wait_group::<0>(); // shared memory is there until all is written
    }
}
