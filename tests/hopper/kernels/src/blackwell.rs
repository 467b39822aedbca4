//! The features of Blackwell: products by `tcgen05`, and blocks that take the work of others.
//!
//! Neither a GPU of the project nor the simulator runs the products. NVIDIA's ptxas checks them.
//! [`steal`] runs everywhere, and [`gather_rows`] on the simulated B200.

use lanewise_macros::{kernel, shared};
use lanewise_std::GlobalMut;
use lanewise_std::barrier::{Barrier, Parity};
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::launch_control::{self, WorkStealing};
use lanewise_std::matrix::element::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, S8, Tf32, U8};
use lanewise_std::matrix::tcgen05::shape::{
    Lanes16Bits64, Lanes16Bits128, Lanes16Bits256, Lanes16Split, Lanes32,
};
use lanewise_std::matrix::tcgen05::{
    self, BlockPair, CtaGroup, Format, Mxf4, Mxf8f6f4, Nvf4, OneBlock, Product, ScaledProduct,
    SharedDescriptor, Swizzle, TensorMemory, copy_shape,
};
use lanewise_std::pipeline::Pipeline;
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{
    self, block_dim_x, block_idx_x, block_idx_y, thread_idx_x, thread_rank,
};
use lanewise_std::tma::{SwizzledTile, TensorMap, TensorMapMut, Tile};
use lanewise_std::{bulk, cluster, warp};

/// Rows and columns of a block's part of `c`.
pub const TILE: usize = 128;
/// How far a tile reaches along the inner dimension: 128 bytes.
pub const DEPTH: usize = 64;
/// Stages of the pipeline, each with a tile of `a` and one of `b`.
const STAGES: usize = 1;

/// `c = a * b` as in the catalog's `gemm_bf16` for Hopper, with a tile of 128 x 128 for each block
/// of four warps: one thread requests tiles, one multiplies, and all store.
#[kernel(min_arch = "sm_100a")]
#[launch_bounds(128, 1)]
#[launch_contract(dims = 2, block = (128))]
pub fn tcgen05_gemm(
    a: TensorMap<u16, 2>,
    b: TensorMap<u16, 2>,
    c: GlobalMut<f32>,
    m: u32,
    n: u32,
    k: u32,
) {
    shared! {
        static LEFT: [SwizzledTile<[u16; TILE * DEPTH]>; STAGES];
        static RIGHT: [SwizzledTile<[u16; TILE * DEPTH]>; STAGES];
        static PIPELINE: Pipeline<STAGES> = (1, 1);
        static DONE: Barrier<Block> = 1;
        static MEMORY: TensorMemory<{ TILE as u32 }>;
    }
    let (row, column) = (block_idx_y() * TILE as u32, block_idx_x() * TILE as u32);
    let steps = k.div_ceil(DEPTH as u32);
    if thread_rank() == 0 {
        let mut producer = PIPELINE.producer();
        for step in 0..steps {
            let place = producer
                .acquire()
                .expect(2 * size_of::<[u16; TILE * DEPTH]>() as u32);
            let inner = (step * DEPTH as u32) as i32;
            // SAFETY: the place is empty, both tiles have room, and they are read after
            // the place's barrier.
            unsafe {
                a.load(LEFT.tile(0).as_ptr(), [inner, row as i32], &place.barrier());
                b.load(
                    RIGHT.tile(0).as_ptr(),
                    [inner, column as i32],
                    &place.barrier(),
                );
            }
        }
    } else if thread_rank() == 32 {
        // ANCHOR: multiply
        let product = const { Product::<Bf16, Bf16, f32, 128, 128>::new() };
        let mut consumer = PIPELINE.consumer();
        for step in 0..steps {
            let place = consumer.wait();
            tcgen05::fence_after_thread_sync();
            let left = SharedDescriptor::of_tile(LEFT.tile(0).as_ptr().cast());
            let right = SharedDescriptor::of_tile(RIGHT.tile(0).as_ptr().cast());
            // SAFETY: the block's columns; the place is full, and empty when the products are done.
            unsafe { product.multiply_add(MEMORY.address(), left, right, step > 0) };
            place.release_with_products::<OneBlock>();
        }
        // SAFETY: the thread that has started the products.
        unsafe { tcgen05::commit::<OneBlock, _>(&DONE) };
        // ANCHOR_END: multiply
    }
    // ANCHOR: store
    tcgen05::wait_for_products(&DONE, Parity::Even);
    // Lane `i` of the tensor memory is row `i` of the tile, and this thread's.
    let lanes = MEMORY.address().at_lane(thread_rank() / 32 * 32);
    let i = row as usize + thread_rank() as usize;
    for first in (0..TILE).step_by(32) {
        warp::sync_warp(warp::FULL_MASK);
        // SAFETY: all lanes of the warp, in its lanes; the products were waited for.
        let sums = unsafe { lanes.at_column(first as u32).load::<Lanes32, 32>() };
        for (j, sum) in sums.into_iter().enumerate() {
            let j = column as usize + first + j;
            let index = i * n as usize + j;
            if i < m as usize && j < n as usize && index < c.len() {
                // SAFETY: the element is this thread's alone.
                unsafe { c.set(index, if k > 0 { f32::from_bits(sum) } else { 0.0 }) };
            }
        }
    }
    // SAFETY: everything was waited for.
    unsafe { MEMORY.free() };
    // ANCHOR_END: store
}

/// Adds one more than each block's position to its elements, whichever block does the work.
#[kernel]
#[launch_contract(dims = 1)]
pub fn steal(sums: GlobalMut<u32>) {
    shared! { static BLOCKS: WorkStealing; }
    BLOCKS.for_each(|block| {
        let index = (block.x * block_dim_x() + thread_idx_x()) as usize;
        if index < sums.len() {
            // SAFETY: each position is one block's, so the element is this thread's alone.
            unsafe { sums.set(index, sums.get(index) + block.x + 1) };
        }
    });
}

/// Every kind of product, copy and transfer once, for ptxas to check. Nothing launches it.
#[inline(always)]
fn everything<G: CtaGroup>(
    output: GlobalMut<u32>,
    barrier: Barrier<Block>,
    memory: TensorMemory<512, G>,
) {
    shared! {
        static TILES: [SwizzledTile<[u16; TILE * DEPTH]>; 1];
    }
    let sum = memory.address();
    let [left, scales, others] = [128, 256, 384].map(|column| sum.at_column(column));
    let pointer = TILES.tile(0).as_ptr();
    macro_rules! tile {
        ($element:ty) => {
            SharedDescriptor::<$element>::new(pointer.cast(), 16, 1024, Swizzle::Bytes128)
        };
    }
    macro_rules! products {
        ($($a:ty, $b:ty, $d:ty;)*) => {$(
            let product = const { Product::<$a, $b, $d, 128, 64, G>::new() };
            product.multiply_add(sum, tile!($a), tile!($b), false);
            product.multiply_step(sum, left, tile!($b), true);
            product.multiply_sparse(sum, tile!($a), tile!($b), (others, 1), true);
            product.multiply_sparse(sum, left, tile!($b), (others, 1), true);
        )*};
    }
    if thread_rank() == 0 {
        // SAFETY: this kernel is never launched.
        unsafe {
            products! {
                F16, F16, F16;
                Bf16, Bf16, f32;
                Tf32, Tf32, f32;
                E4m3, E5m2, f32;
                E2m3, E3m2, F16;
                S8, U8, i32;
            }
            macro_rules! copies {
                ($($shape:ident)*) => {$(
                    for format in [Format::Same, Format::From6Bits, Format::From4Bits] {
                        scales.copy_from::<copy_shape::$shape, G, _>(tile!(E2m1), format);
                    }
                )*};
            }
            copies! { Rows128Bits256 Rows4Bits256 Rows128Bits128 Rows64To02And13 Rows64To01And23 Rows32ToAll }
            left.shift_down::<G>();
            tcgen05::commit_multicast::<G, _>(&barrier, 1);
        }
    }
    tcgen05::wait_for_products(&barrier, Parity::Even);
    // SAFETY: this kernel is never launched.
    unsafe {
        macro_rules! transfers {
            ($($shape:ty, $registers:literal;)*) => {$(
                let mut values = sum.load::<$shape, $registers>();
                for (value, more) in values.iter_mut().zip(left.load_packed::<$shape, $registers>()) {
                    *value += more;
                }
                others.store::<$shape, $registers>(&values);
                others.store_unpacked::<$shape, $registers>(&values);
                output.set(thread_rank() as usize, values[0]);
            )*};
        }
        transfers! {
            Lanes32, 1;
            Lanes32, 128;
            Lanes16Bits64, 2;
            Lanes16Bits128, 16;
            Lanes16Bits256, 8;
            Lanes16Split<32>, 4;
        }
        memory.free();
    }
}

/// `everything` for one block.
#[kernel(min_arch = "sm_100a")]
#[launch_contract(dims = 1)]
pub fn tcgen05_of_one_block(output: GlobalMut<u32>) {
    shared! {
        static BARRIER: Barrier<Block> = 1;
        static MEMORY: TensorMemory<512, OneBlock>;
    }
    everything::<OneBlock>(output, BARRIER, MEMORY);
}

/// `everything` for a pair of blocks.
#[kernel(min_arch = "sm_100a")]
#[cluster_launch(2, 1, 1)]
#[launch_contract(dims = 1)]
pub fn tcgen05_of_a_pair(output: GlobalMut<u32>) {
    shared! {
        static BARRIER: Barrier<Block> = 1;
        static MEMORY: TensorMemory<512, BlockPair>;
    }
    everything::<BlockPair>(output, BARRIER, MEMORY);
}

/// Every kind of scaled product once, for ptxas to check.
#[kernel(min_arch = "sm_100a")]
#[launch_contract(dims = 1)]
pub fn tcgen05_scaled() {
    shared! {
        static TILES: [SwizzledTile<[u8; TILE * TILE]>; 1];
        static BARRIER: Barrier<Block> = 1;
        static MEMORY: TensorMemory<512>;
    }
    let sum = MEMORY.address();
    let [left, a, b] = [128, 256, 384].map(|column| sum.at_column(column));
    let pointer = TILES.tile(0).as_ptr();
    if thread_rank() == 0 {
        macro_rules! products {
            ($($kind:ty, $a:ty, $b:ty;)*) => {$(
                let product = const { ScaledProduct::<$kind, $a, $b, 128, 64>::new() };
                let right = SharedDescriptor::of_tile(pointer);
                product.multiply_step(sum, SharedDescriptor::of_tile(pointer), right, [a, b], false);
                product.scales_in_byte(1, 1).multiply_step(sum, left, right, [a, b], true);
            )*};
        }
        fence_proxy_async_shared();
        // SAFETY: this kernel is never launched.
        unsafe {
            products! {
                Mxf8f6f4, E4m3, E2m1;
                Mxf4, E2m1, E2m1;
                Nvf4, E2m1, E2m1;
            }
            tcgen05::commit::<OneBlock, _>(&BARRIER);
        }
    }
    tcgen05::wait_for_products(&BARRIER, Parity::Even);
    // SAFETY: everything was waited for.
    unsafe { MEMORY.free() };
}

/// Asks to cancel another cluster; all blocks of this cluster get the answer.
#[kernel(min_arch = "sm_100a")]
#[cluster_launch(2, 1, 1)]
#[launch_contract(dims = 1)]
pub fn cancels_for_its_cluster(output: GlobalMut<u32>) {
    shared! {
        static RESPONSE: [launch_control::CancelResponse; 1];
        static BARRIER: Barrier<lanewise_std::scope::Cluster> = 1;
    }
    if thread_rank() == 0 {
        let _ = BARRIER.arrive_expect_bytes(launch_control::CancelResponse::BYTES);
    }
    lanewise_std::cluster::sync_cluster();
    if thread_rank() == 0 && lanewise_std::cluster::block_rank() == 0 {
        // SAFETY: one thread of the cluster, once; every block expects the answer. The work of the
        // other cluster is to do nothing.
        unsafe { launch_control::try_cancel_multicast(RESPONSE.as_ptr(), &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    // SAFETY: the answer is there; one thread of each block stores it.
    unsafe {
        if let Some(block) = RESPONSE.get(0).canceled()
            && thread_rank() == 0
        {
            output.set(block_idx_x() as usize, block.x);
        }
    }
    lanewise_std::cluster::sync_cluster();
}

/// Elements of a row that [`gather_rows`] moves.
pub const WIDTH: usize = 16;

/// Copies pieces of four rows, anywhere in a matrix, to four rows of another. Each block loads
/// them, the first block also for all; the last block stores them if both loads agree.
#[kernel(min_arch = "sm_100a")]
#[launch_contract(dims = 1)]
pub fn gather_rows(
    input: TensorMap<u16, 2>,
    output: TensorMapMut<u16, 2>,
    column: i32,
    from: [i32; 4],
    to: [i32; 4],
) {
    shared! {
        static ROWS: [Tile<[u16; 4 * WIDTH]>; 2];
        static BARRIER: Barrier<Cluster> = 1;
    }
    let (rank, blocks) = (cluster::block_rank(), cluster::num_blocks());
    let [own, all] = [0, 1].map(|i| ROWS.tile(i).as_ptr());
    if thread_idx_x() == 0 {
        input.prefetch_gather4(column, from);
        let _ = BARRIER.arrive_expect_bytes(2 * size_of::<[u16; 4 * WIDTH]>() as u32);
        // SAFETY: there is room, in each block, which all have begun; it is read after the wait.
        unsafe {
            input.gather4(own, column, from, &BARRIER);
            if rank == 0 {
                let everybody = ((1u32 << blocks) - 1) as u16;
                input.gather4_multicast(all, column, from, &BARRIER, everybody);
            }
        }
    }
    BARRIER.wait_parity(Parity::Even);
    let mut same = true;
    for i in (thread_idx_x() as usize..4 * WIDTH).step_by(block_dim_x() as usize) {
        // SAFETY: they have come.
        same &= unsafe { ROWS.tile(0).get(i) == ROWS.tile(1).get(i) };
    }
    if thread::sync_threads_and(same) && rank + 1 == blocks && thread_idx_x() == 0 {
        // SAFETY: no thread writes the rows, which differ, and no other thread accesses the output.
        unsafe { output.scatter4(column, to, all) };
        bulk::commit_group();
        bulk::wait_group::<0>();
    }
    cluster::sync_cluster();
}
