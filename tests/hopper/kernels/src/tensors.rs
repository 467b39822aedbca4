//! Boxes of tensors: loads, stores, loads into several blocks, by pixels; and plain bulk copies.

use lanewise_macros::{kernel, shared};
use lanewise_std::barrier::{Barrier, Barriers, Parity};
use lanewise_std::cache::CachePolicy;
use lanewise_std::fence::{fence_proxy_async_global, fence_proxy_async_shared};
use lanewise_std::half::{Bf16, F16};
use lanewise_std::kernel::Value;
use lanewise_std::scope::{Block, Cluster};
use lanewise_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::tma::{
    Im2colMap, Im2colMapMut, MapStorage, ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax,
    SwizzledTile, TensorMap, TensorMapMut, Tile,
};
use lanewise_std::{GlobalMut, SharedArray, bulk, cluster};

/// Words of shared memory for a box.
pub const WORDS: usize = 2048;

/// Writes the box to `output`, word by word in the order of shared memory.
#[inline(always)]
fn show(tile: &SharedArray<u32, WORDS>, output: GlobalMut<u32>) {
    for i in (thread_idx_x() as usize..WORDS.min(output.len())).step_by(block_dim_x() as usize) {
        // SAFETY: the caller has waited for the box; the element is this thread's alone.
        unsafe { output.set(i, tile.get(i)) };
    }
}

/// Loads the box at `at`, of `bytes` bytes, and writes its words in the order of shared memory.
#[kernel(instances(1, 2, 3, 4, 5))]
#[launch_contract(dims = 1)]
pub fn load_box<const RANK: usize>(
    map: TensorMap<u32, RANK>,
    at: [i32; RANK],
    bytes: u32,
    output: GlobalMut<u32>,
) {
    shared! {
        static BOX: [SwizzledTile<[u32; WORDS]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    let tile = BOX.tile(0);
    if thread_idx_x() == 0 {
        map.prefetch_map();
        map.prefetch(at);
        let _ = BARRIER.arrive_expect_bytes(bytes);
        // SAFETY: there is room, at a multiple of 1024 bytes; it is read after the wait.
        unsafe { map.load(tile.as_ptr(), at, &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    show(&tile, output);
}

/// The ways to store, by number.
macro_rules! store_by {
    ($map:expr, $at:expr, $tile:expr, $how:expr) => {
        match $how {
            0 => $map.store($at, $tile.as_ptr()),
            1 => $map.store_add($at, $tile.as_ptr()),
            2 => $map.store_min($at, $tile.as_ptr()),
            3 => $map.store_max($at, $tile.as_ptr()),
            4 => $map.store_and($at, $tile.as_ptr()),
            5 => $map.store_or($at, $tile.as_ptr()),
            6 => $map.store_xor($at, $tile.as_ptr()),
            7 => $map.store_inc($at, $tile.as_ptr()),
            _ => $map.store_dec($at, $tile.as_ptr()),
        }
    };
}

/// How a box changes the elements that are there.
#[kernel(instances(1, 2, 3, 4, 5))]
#[launch_contract(dims = 1)]
pub fn store_box<const RANK: usize>(
    map: TensorMapMut<u32, RANK>,
    at: [i32; RANK],
    input: &[u32],
    how: u32,
) {
    shared! { static BOX: [Tile<[u32; WORDS]>; 1]; }
    let tile = BOX.tile(0);
    for i in (thread_idx_x() as usize..input.len().min(WORDS)).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's alone until the barrier.
        unsafe { tile.set(i, input[i]) };
    }
    fence_proxy_async_shared();
    sync_threads();
    if thread_idx_x() == 0 {
        // SAFETY: the box is written, and no thread writes it again.
        unsafe { store_by!(map, at, tile, how) };
        wait_for_stores();
    }
}

/// Elements of the box that each kernel of `joins!` stores.
pub const JOINED: usize = 32;

/// Copies elements of `input` to shared memory, and makes them visible to the tensor unit.
#[inline(always)]
fn joined<T: Value>(input: &[T], piece: SharedArray<T, JOINED>) {
    for i in (thread_idx_x() as usize..input.len().min(JOINED)).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's alone until the barrier.
        unsafe { piece.set(i, input[i]) };
    }
    fence_proxy_async_shared();
    sync_threads();
}

/// Waits until the thread's stores are complete.
#[inline(always)]
fn wait_for_stores() {
    bulk::commit_group();
    bulk::wait_group::<0>();
}

/// Kernels of one block that combine `JOINED` elements with those that are there, one entry point
/// for each type that the hardware supports: by a box from `at` on, and one after another by
/// plain bulk copies.
macro_rules! joins {
    ($($(#[$doc:meta])* $of_boxes:ident $plain:ident: $bound:ident of [$($ty:ty),*], by $($number:literal $how:ident),*;)*) => {$(
        $(#[$doc])*
        #[kernel(instances($($ty),*))]
        #[launch_contract(dims = 1)]
        pub fn $of_boxes<T: $bound + Value>(map: TensorMapMut<T, 1>, at: i32, input: &[T], how: u32) {
            shared! { static BOX: [Tile<[T; JOINED]>; 1]; }
            joined(input, BOX.tile(0));
            if thread_idx_x() == 0 {
                // SAFETY: the box is written, and no thread writes it again.
                unsafe {
                    match how {
                        $($number => map.$how([at], BOX.tile(0).as_ptr()),)*
                        _ => {}
                    }
                }
                wait_for_stores();
            }
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// The output begins at a multiple of 16 bytes.
        #[kernel(instances($($ty),*))]
        #[launch_contract(dims = 1)]
        pub unsafe fn $plain<T: $bound + Value>(output: GlobalMut<T>, input: &[T], how: u32) {
            shared! { static PIECE: [Tile<[T; JOINED]>; 1]; }
            joined(input, PIECE.tile(0));
            if thread_idx_x() == 0 && output.len() >= JOINED && block_idx_x() == 0 {
                // SAFETY: in bounds, aligned as the caller says; no thread writes the piece again.
                unsafe {
                    match how {
                        $($number => bulk::$how(output.address_of(0), PIECE.tile(0).as_ptr(), JOINED),)*
                        _ => {}
                    }
                }
                wait_for_stores();
            }
        }
    )*};
}
joins! {
    /// Adds to the elements that are there.
    add_elements add_plain: ReduceAdd of [u32, i32, u64, F16, Bf16, f32, f64], by 0 store_add;
    /// Keeps the minimum, or the maximum.
    bound_elements bound_plain: ReduceMinMax of [u32, i32, u64, i64, F16, Bf16], by 0 store_min, 1 store_max;
    /// Combines bits: and, or, xor.
    join_bits join_plain: ReduceBitwise of [u32, i32, u64], by 0 store_and, 1 store_or, 2 store_xor;
    /// Counts up, or down.
    count_elements count_plain: ReduceIncDec of [u32], by 0 store_inc, 1 store_dec;
}

/// Loads one box into all blocks of the cluster. Each block writes it after the previous one's.
#[kernel]
#[launch_contract(dims = 1)]
pub fn load_for_all(map: TensorMap<u32, 2>, at: [i32; 2], bytes: u32, output: GlobalMut<u32>) {
    shared! {
        static BOX: [Tile<[u32; WORDS]>; 1];
        static BARRIER: Barrier<Cluster> = 1;
    }
    let tile = BOX.tile(0);
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(bytes);
        if cluster::block_rank() == 0 {
            let all = ((1u32 << cluster::num_blocks()) - 1) as u16;
            // SAFETY: there is room in each block, which all have begun; it is read after the wait.
            unsafe { map.load_multicast(tile.as_ptr(), at, &BARRIER, all) };
        }
    }
    BARRIER.wait_parity(Parity::Even);
    let words = bytes as usize / 4;
    show(&tile, output.part(block_idx_x() as usize * words, words));
    cluster::sync_cluster();
}

/// A column of pixels.
#[kernel]
#[launch_contract(dims = 1)]
pub fn load_pixels(
    map: Im2colMap<u32, 4>,
    at: [i32; 4],
    offsets: [u16; 2],
    bytes: u32,
    output: GlobalMut<u32>,
) {
    shared! {
        static BOX: [Tile<[u32; WORDS]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    let tile = BOX.tile(0);
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(bytes);
        // SAFETY: there is room; it is read after the wait.
        unsafe { map.load(tile.as_ptr(), at, offsets, &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    show(&tile, output);
}

/// Prefetches a column of pixels and loads it into all blocks of the cluster, with a policy for the
/// L2 cache. Each block writes it after the previous one's.
#[kernel]
#[launch_contract(dims = 1)]
pub fn load_pixels_for_all(
    map: Im2colMap<u32, 4>,
    at: [i32; 4],
    offsets: [u16; 2],
    bytes: u32,
    output: GlobalMut<u32>,
) {
    shared! {
        static BOX: [Tile<[u32; WORDS]>; 1];
        static BARRIER: Barrier<Cluster> = 1;
    }
    let tile = BOX.tile(0);
    if thread_idx_x() == 0 {
        let _ = BARRIER.arrive_expect_bytes(bytes);
        if cluster::block_rank() == 0 {
            let all = ((1u32 << cluster::num_blocks()) - 1) as u16;
            let map = map.with_policy(CachePolicy::evict_last());
            map.prefetch(at, offsets);
            // SAFETY: there is room in each block, which all have begun; it is read after the wait.
            unsafe { map.load_multicast(tile.as_ptr(), at, offsets, &BARRIER, all) };
        }
    }
    BARRIER.wait_parity(Parity::Even);
    let words = bytes as usize / 4;
    show(&tile, output.part(block_idx_x() as usize * words, words));
    cluster::sync_cluster();
}

/// Stores or combines a column of pixels, each with a cache policy.
#[kernel]
#[launch_contract(dims = 1)]
pub fn store_pixels(map: Im2colMapMut<u32, 4>, at: [i32; 4], input: &[u32], how: u32) {
    shared! { static BOX: [Tile<[u32; WORDS]>; 1]; }
    let tile = BOX.tile(0);
    for i in (thread_idx_x() as usize..input.len().min(WORDS)).step_by(block_dim_x() as usize) {
        // SAFETY: the element is this thread's alone until the barrier.
        unsafe { tile.set(i, input[i]) };
    }
    fence_proxy_async_shared();
    sync_threads();
    if thread_idx_x() == 0 {
        let map = map.with_policy(CachePolicy::evict_first_of(0.5));
        // SAFETY: the pixels are written, and no thread writes them again.
        unsafe { store_by!(map, at, tile, how) };
        wait_for_stores();
    }
}

/// The number of boxes that a cluster loads at a time.
const PLACES: usize = 3;
/// Columns and rows that are loaded at once.
const COLUMNS: usize = 64;
const ROWS: usize = 8;
/// Threads that compute sums. One more warp requests the boxes.
pub const ADDERS: u32 = 128;

/// Each thread's sum over all rows of the tensor. Each block of a cluster needs all rows. It
/// requests its part of them, and has this part sent to all blocks.
///
/// The tensor has 64 columns. The map's boxes have 64 columns and 8 rows divided by the number of
/// blocks in the cluster.
#[kernel(instances(1, 2, 4))]
#[launch_contract(dims = 1, block = (160))]
pub fn add_rows_of_all<const BLOCKS: u32>(
    map: TensorMap<u32, 2>,
    boxes: u32,
    output: GlobalMut<u32>,
) {
    shared! {
        static TILES: [Tile<[u32; COLUMNS * ROWS]>; PLACES];
        static FULL: Barriers<Cluster, PLACES> = 1;
        static EMPTY: Barriers<Cluster, PLACES> = BLOCKS * ADDERS;
    }
    let (blocks, rank) = (cluster::num_blocks(), cluster::block_rank());
    // A box goes to all blocks, so all of them have to be done with its place.
    let place = |number: u32| (number as usize % PLACES, number / PLACES as u32);
    let thread = thread_idx_x();
    if thread == ADDERS {
        let rows = ROWS as u32 / blocks;
        for number in 0..boxes {
            let (place, round) = place(number);
            EMPTY.at(place).wait_parity(Parity::of(round).next()); // at first, of a phase that never was
            let _ = FULL
                .at(place)
                .arrive_expect_bytes((4 * COLUMNS * ROWS) as u32);
            let to = TILES.tile(place).as_ptr();
            let row = number * ROWS as u32 + rank * rows;
            // SAFETY: the place is empty in all blocks, which are there until the end, and has room
            // for the parts of all.
            unsafe {
                let part = to.add((rank * rows) as usize * COLUMNS);
                map.load_multicast(
                    part,
                    [0, row as i32],
                    &FULL.at(place),
                    ((1u32 << blocks) - 1) as u16,
                );
            }
        }
    }
    if thread < ADDERS {
        let mut sum = 0u32;
        for number in 0..boxes {
            let (place, round) = place(number);
            FULL.at(place).wait_parity(Parity::of(round));
            let tile = TILES.tile(place);
            for i in (thread as usize..COLUMNS * ROWS).step_by(ADDERS as usize) {
                // SAFETY: the place is full, until all have arrived below.
                sum = sum.wrapping_add(unsafe { tile.get(i) });
            }
            for block in 0..blocks {
                // SAFETY: the blocks end after a barrier of the cluster.
                unsafe { EMPTY.at(place).of_block(block) }.arrive();
            }
        }
        // SAFETY: the element is this thread's alone.
        unsafe { output.set((block_idx_x() * ADDERS + thread) as usize, sum) };
    }
    cluster::sync_cluster();
}

/// Of a map of some matrix each block makes one of its own, `columns` wide, of as many rows of
/// `all` as its number says; a second warp of it loads the box at `at`, and shows it.
///
/// # Safety
/// There is a place in `maps` for each block, `all` begins at a multiple of 16 bytes, and `columns`
/// is a multiple of 4.
#[kernel(min_arch = "sm_90a")]
#[launch_contract(dims = 1, block = (64))]
pub unsafe fn load_by_changed_maps(
    map: TensorMap<u32, 2>,
    all: &[u32],
    columns: u32,
    at: [i32; 2],
    maps: GlobalMut<MapStorage>,
    output: GlobalMut<u32>,
) {
    shared! {
        static CHANGED: [MapStorage; 1];
        static BOX: [Tile<[u32; BOX_WORDS]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    const BOX_WORDS: usize = 8 * 4;
    let block = block_idx_x();
    let place = maps.address_of(block as usize);
    if thread_idx_x() < 32 {
        // SAFETY: one warp; the place is the block's, and so is what is shared. The matrix is there
        // until the launch has ended.
        let own = unsafe {
            map.changed(&CHANGED, place, |change| {
                change.set_address(all.as_ptr());
                change.set_size::<0>(columns);
                change.set_size::<1>(block + 1);
                change.set_stride::<1>(4 * u64::from(columns));
                change.set_box::<0>(8);
                change.set_box::<1>(4);
            })
        };
        own.prefetch_map();
    }
    sync_threads();
    let tile = BOX.tile(0);
    if thread_idx_x() == 32 {
        let _ = BARRIER.arrive_expect_bytes(size_of::<[u32; BOX_WORDS]>() as u32);
        // SAFETY: the first warp has made it, before the barrier; there is room, and it is read
        // after the wait.
        unsafe { TensorMap::<u32, 2>::published(place).load(tile.as_ptr(), at, &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    if (thread_idx_x() as usize) < BOX_WORDS {
        let i = thread_idx_x() as usize;
        // SAFETY: it has come; the element is this thread's alone.
        unsafe { output.set(block as usize * BOX_WORDS + i, tile.get(i)) };
    }
}

/// Threads write words. A copy in the same launch loads them to shared memory, and another stores
/// them to `output`. Each block has its own words.
///
/// # Safety
/// `words` begins at a multiple of 16 bytes.
#[kernel]
#[launch_contract(dims = 1, block = (64))]
pub unsafe fn copy_what_was_written(words: GlobalMut<u32>, output: GlobalMut<u32>) {
    shared! {
        static CAME: [Tile<[u32; 64]>; 1];
        static BARRIER: Barrier<Block> = 1;
    }
    let (start, thread) = (block_idx_x() as usize * 64, thread_idx_x() as usize);
    let came = CAME.tile(0);
    // SAFETY: each element is one thread's; the copy comes after the fences and the barrier.
    unsafe { words.set(start + thread, (start + 3 * thread) as u32) };
    fence_proxy_async_global();
    sync_threads();
    if thread == 0 {
        let _ = BARRIER.arrive_expect_bytes(4 * 64);
        // SAFETY: in bounds, aligned as the caller says; no thread writes the words any more, and
        // they are read after the wait.
        unsafe { bulk::load(came.as_ptr(), words.address_of(start), 64, &BARRIER) };
    }
    BARRIER.wait_parity(Parity::Even);
    // SAFETY: it has come; the element is this thread's alone.
    unsafe { output.set(start + thread, came.get(thread)) };
}
