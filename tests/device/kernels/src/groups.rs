//! Each thread stores the results of its group's operations.

use lanewise_macros::kernel;
use lanewise_std::collective::{BitXor, Max, Min, Product, Sum};
use lanewise_std::groups::{Group, WarpGroup, coalesced_threads, this_thread_block};
use lanewise_std::{DisjointSlice, thread};

/// The record that a thread stores.
pub type Row = [u32; 36];

/// A function of two that is associative and not commutative: the composition of two lines
/// `x -> a x + b`.
#[must_use]
pub fn then(first: (u32, u32), second: (u32, u32)) -> (u32, u32) {
    let slope = first.0.wrapping_mul(second.0);
    (slope, first.1.wrapping_mul(second.0).wrapping_add(second.1))
}

/// Returns the line for a thread's number.
#[must_use]
pub fn line(x: u32) -> (u32, u32) {
    (x | 1, x >> 3)
}

/// All operations of a group within a warp.
fn row<G: WarpGroup>(group: G, x: u32) -> Row {
    group.sync();
    let (rank, size) = (group.rank(), group.size());
    let lines = group.reduce(line(x), then);
    let lines_before = group.exclusive_scan(line(x), (1, 7), then);
    let lines_through = group.inclusive_scan(line(x), then);
    let wide = group.reduce(u64::from(x) << 7, Sum);
    let wide_bits = group.reduce(u64::from(x) << 20, BitXor);
    [
        rank,
        size,
        group.mask(),
        group.lane_of(rank),
        u32::from(group.is_first()),
        group.shuffle(x, (rank + 1) % size),
        group.shuffle(x, 0),
        group.shuffle_up(x, 1),
        group.shuffle_up(x, 3),
        group.shuffle_down(x, 1),
        group.shuffle_down(x, 5),
        u32::from(group.any(x.is_multiple_of(5))),
        u32::from(group.all(!x.is_multiple_of(7))),
        group.ballot(x & 1 == 1),
        group.match_any(x % 3),
        u32::from(group.match_all(x % 2)),
        group.reduce(x, Sum),
        group.reduce(x, Min),
        group.reduce(x as i32, Max) as u32,
        group.reduce(x, Product),
        group.reduce(x as u8, Sum).into(),
        group.reduce(x as i8, Min) as u32,
        group.reduce((x % 1000) as f32, Sum).to_bits(),
        wide as u32,
        (wide >> 32) as u32,
        wide_bits as u32,
        (wide_bits >> 32) as u32,
        lines.0,
        lines.1,
        lines_before.0,
        lines_before.1,
        lines_through.0,
        lines_through.1,
        group.inclusive_scan(x, Sum),
        group.exclusive_scan(x, 100, Max),
        group.shuffle([x, x + 1], size - 1)[1],
    ]
}

/// A tile of the block.
#[kernel(instances(1, 2, 4, 8, 16, 32))]
pub fn tiles<const N: u32>(input: &[u32], mut output: DisjointSlice<Row>) {
    let index = thread::index_1d();
    let tile = this_thread_block().tiled_partition::<N>();
    let row = row(tile, input[index.get()]);
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// The operations that only tiles have, on tiles of 8 in tiles of 32.
#[kernel]
pub fn smaller_tiles(input: &[u32], mut output: DisjointSlice<[u32; 5]>) {
    let index = thread::index_1d();
    let x = input[index.get()];
    let block = this_thread_block();
    let tile = block.tiled_partition::<32>().tiled_partition::<8>();
    block.sync();
    let row = [
        tile.meta_group_rank(),
        tile.meta_group_size(),
        tile.shuffle_xor(x, 5),
        block.rank(),
        block.size(),
    ];
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// The lanes of the warp with the same remainder by 5.
#[kernel]
pub fn by_label(input: &[u32], mut output: DisjointSlice<Row>) {
    let index = thread::index_1d();
    let x = input[index.get()];
    let warp = this_thread_block().tiled_partition::<32>();
    let row = row(warp.labeled_partition(x % 5), x);
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// The odd lanes and the even lanes of a tile of 16.
#[kernel]
pub fn by_bit(input: &[u32], mut output: DisjointSlice<Row>) {
    let index = thread::index_1d();
    let x = input[index.get()];
    let tile = this_thread_block().tiled_partition::<16>();
    let row = row(tile.binary_partition(x & 1 == 1), x);
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// The threads that take a branch together. The others write nothing.
#[kernel]
pub fn in_a_branch(input: &[u32], mut output: DisjointSlice<Row>) {
    let index = thread::index_1d();
    let x = input[index.get()];
    if !x.is_multiple_of(3) {
        let row = row(coalesced_threads(), x);
        if let Some(output) = output.get_mut(&index) {
            *output = row;
        }
    }
}
