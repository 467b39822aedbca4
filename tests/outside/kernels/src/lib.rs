#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Kernels and a static with names of the catalog's, and other parameters; kernels that say how a
//! graph goes on, and one for the matrix units.

pub mod attempts;
pub mod operators;
pub mod parted;
pub mod phases;
mod tile;

use lanewise_macros::{Value, device, kernel, shared};
use lanewise_std::atomic::{AtomicOrdering, BlockAtomicU32};
use lanewise_std::barrier::{Barrier, Parity};
use lanewise_std::scope::Block;
use lanewise_std::collective::{self, block_reduce};
use lanewise_std::disjoint::Neighbors;
use lanewise_std::disjoint_matrix::{
    ColumnPerThread, Diagonal, RowPer, Threads, TilePerBlock, Transposed, Unrolled, Volume,
};
use lanewise_std::graph::Condition;
use lanewise_std::half::F16;
use lanewise_std::matrix::element::{self, S8};
use lanewise_std::matrix::sparse::{GROUPS, Metadata, TwoOfFour};
use lanewise_std::matrix::warp::{Left, Right, Sum, SumsPerWarp, multiply_add_sparse};
use lanewise_std::part_per_block::combine_own;
use lanewise_std::tma::{BoxOf, TensorMap, Tile};
use lanewise_std::vector::Float4;
use lanewise_std::{
    DeviceGlobal, DisjointMatrix, DisjointSlice, GlobalMut, Matrix, PerBlock, RowPerBlock, cache,
    cluster, thread,
};

lanewise_std::module!();
lanewise_std::module!(Trapping);

/// A number that kernels multiply by. The catalog has a `VALUE` too, an `f32`.
#[device]
pub static VALUE: DeviceGlobal<[u64; 2]> = DeviceGlobal::new([3, 5]);

/// The threads of [`counted_in_a_static`].
#[device]
pub static COUNT: DeviceGlobal<u32> = DeviceGlobal::new(0);

/// `sum[i] = first[i] * VALUE[0] + second * VALUE[1]`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add(mut sum: DisjointSlice<u64>, second: u64, first: &[u32]) {
    let i = thread::index_1d();
    if let (Some(first), Some(sum)) = (first.get(i.get()), sum.get_mut(&i)) {
        // SAFETY: no kernel writes it.
        let [a, b] = unsafe { VALUE.get() };
        *sum = u64::from(*first) * a + second * b;
    }
}

/// One step from `numbers[0]` down, if there is one; `rest` says what is left of
/// it modulo `modulus`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn step_down(mut numbers: DisjointSlice<u32>, step: u32, modulus: u32, rest: Condition) {
    if let Some(number) = numbers.get_mut(thread::index_1d()) {
        *number = number.saturating_sub(step);
        rest.set(*number % modulus);
    }
}

/// Adds to each number.
#[kernel]
#[launch_contract(dims = 1)]
pub fn add(mut numbers: DisjointSlice<u32>, more: u32) {
    if let Some(number) = numbers.get_mut(thread::index_1d()) {
        *number += more;
    }
}

/// 16 rows of 64 bytes, of which 32 are stored, times the transpose of 8 rows of 64; four elements
/// of the product a lane, at [`place`]. A number for each row and group says which two of four
/// elements are stored. Words are four elements.
#[kernel]
#[launch_contract(dims = 1, block = (32))]
pub fn sparse_product(
    stored: &[u32],
    kept: &[u32],
    right: &[u32],
    mut product: DisjointSlice<[i32; 4]>,
) {
    let index = thread::index_1d();
    let (row, word) = (index.get() % 32 / 4, index.get() % 4);
    let left = core::array::from_fn(|i| stored[(row + i % 2 * 8) * 8 + i / 2 * 4 + word]);
    let right = core::array::from_fn(|i| right[row * 16 + i * 4 + word]);
    let metadata = Metadata::<S8>::from_fn(|row, group| {
        TwoOfFour::ALL[kept[row * GROUPS + group] as usize % 6]
    });
    let sum = multiply_add_sparse(
        &Left::<S8, 4>::from_registers(left),
        metadata.part::<0>(),
        &Right::<S8, 4>::from_registers(right),
        Sum::of([0; 4]),
    );
    if let Some(product) = product.get_mut(&index) {
        *product = sum.elements();
    }
}

/// Row and column of a lane's element.
pub fn place(lane: usize, i: usize) -> (usize, usize) {
    Sum::<i32>::position(lane as u32, i)
}

/// The two that a number says are stored.
pub fn stored(number: u32) -> [usize; 2] {
    TwoOfFour::ALL[number as usize % 6].places()
}

/// `data[i] = the next thread's index`, of 64 threads that do not wait for each other.
#[kernel]
#[launch_contract(dims = 1)]
pub fn neighbours(data: GlobalMut<u32>) {
    let i = thread::thread_idx_x() as usize;
    // SAFETY: none: the barrier that is missing is what the test is about.
    unsafe { data.set(i, tile::pass_on(i)) };
}

/// What is known of a place: a type of the user's own, in buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
#[repr(C)]
pub struct Place {
    pub at: [f32; 2],
    pub weight: f32,
}

/// Adds to the weight of each place; a grid of any size goes over all of them.
#[kernel]
#[launch_contract(dims = 1, grid = ..=4)]
pub fn weigh(weights: &[f32], mut places: DisjointSlice<Place>) {
    for (i, place) in places.grid_stride() {
        place.weight += weights[i];
    }
}

/// The blocks of [`bounded`] that have to fit on a multiprocessor, and the blocks of a cluster of
/// [`clustered`].
pub const FIT: u32 = 3;
pub const CLUSTER: usize = 4;

/// `out[i] = THREADS`; its bounds are a const parameter and a constant.
#[kernel(instances(64, 96))]
#[launch_bounds(2 * THREADS, FIT)]
pub fn bounded<const THREADS: u32>(mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(&thread::index_1d()) {
        *out = THREADS;
    }
}

/// `out[i] = 1`, with as many registers as a constant gives.
#[kernel]
#[max_registers(8 * CLUSTER)]
pub fn lean(mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(&thread::index_1d()) {
        *out = 1;
    }
}

/// As above, in clusters.
#[kernel(min_arch = "sm_90")]
#[cluster_launch(CLUSTER / 2, 2)]
pub fn clustered(mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(&thread::index_1d()) {
        *out = 1;
    }
}

/// Tens and ones of each number.
#[kernel]
pub fn digits(numbers: &[u32], mut tens: DisjointSlice<u32>, mut ones: DisjointSlice<u32>) {
    for i in thread::grid_stride(numbers.len()).indices() {
        if let (Some(tens), Some(ones)) = (tens.get_mut(&i), ones.get_mut(&i)) {
            (*tens, *ones) = (numbers[i.get()] / 10, numbers[i.get()] % 10);
        }
    }
}

/// The transpose: the thread that reads an element of the input owns the one that it writes.
#[kernel]
pub fn turned(input: &[u32], mut output: DisjointMatrix<u32, Transposed>) {
    let columns = output.rows();
    if let Some((output, at)) = output.get_mut_indexed() {
        *output = input[at.y() * columns + at.x()];
    }
}

/// The running sum of each column.
#[kernel]
pub fn column_sums(mut numbers: DisjointMatrix<u32, ColumnPerThread>) {
    let mut sum = 0;
    numbers.for_column(thread::index_1d(), |_, number| {
        sum += *number;
        *number = sum;
    });
}

/// Three elements of a row for a thread.
#[kernel]
pub fn numbered_by_three(numbers: Matrix<u32>, mut output: DisjointMatrix<u32, Unrolled<3>>) {
    output.fill(|row, column| numbers[(row, column)]);
}

/// Two elements of a column for a thread.
#[kernel]
pub fn numbered_by_two_down(
    numbers: Matrix<u32>,
    mut output: DisjointMatrix<u32, Unrolled<2, Transposed>>,
) {
    output.fill(|row, column| numbers[(row, column)]);
}

/// An element for a thread, with blocks along diagonals.
#[kernel]
pub fn numbered_on_diagonals(numbers: Matrix<u32>, mut output: DisjointMatrix<u32, Diagonal>) {
    output.fill(|row, column| numbers.row(row)[column]);
}

/// A tile of 3 x 5 for a block, whatever its shape.
#[kernel]
pub fn numbered_in_tiles(
    numbers: Matrix<u32>,
    mut output: DisjointMatrix<u32, TilePerBlock<3, 5, Transposed>>,
) {
    let (top, left) = output.corner();
    output.fill_tile::<15>(|row, column| numbers.get_or(top + row, left + column, 0));
}

/// Groups of three neighbours for a thread, each with the group's number and its own.
#[kernel]
pub fn numbered_in_threes(mut output: DisjointSlice<u32, Neighbors<3>>) {
    output.fill_groups(|group| [0, 1, 2].map(|i| 3 * group as u32 + i));
}

/// Groups of four neighbours, which one instruction stores.
#[kernel]
pub fn numbered_in_fours(mut output: DisjointSlice<u32, Neighbors<4>>) {
    output.fill_groups(|group| [0, 1, 2, 3].map(|i| 4 * group as u32 + i));
}

/// An element of a volume for a thread, in planes along z.
#[kernel]
pub fn numbered_in_planes(mut output: DisjointMatrix<u32, Volume>) {
    if let Some((output, [plane, row, column])) = output.get_mut_in_plane() {
        *output = 10_000 * plane as u32 + 100 * row as u32 + column as u32;
    }
}

/// Three elements for a thread, a block apart.
#[kernel]
pub fn numbered_apart(mut output: DisjointSlice<u32, Unrolled<3>>) {
    output.fill(|i| i as u32);
}

macro_rules! rows {
    ($($name:ident: $by:ty, $rows:expr;)*) => {$(
        /// The elements of each row, by the thread that writes for the row's owner.
        #[kernel]
        pub fn $name(mut output: DisjointMatrix<u32, RowPer<$by>>) {
            let columns = output.columns();
            for row in $rows(output.rows()) {
                for column in 0..columns {
                    if let Some(place) = output.in_row(&row, column) {
                        *place = (row.get() * columns + column) as u32;
                    }
                }
            }
        }
    )*};
}

rows! {
    rows_of_threads: Threads, (|rows| thread::grid_stride(rows).indices());
    rows_of_blocks: thread::Blocks, thread::grid_stride_by_blocks;
    rows_of_warps: thread::Warps, thread::grid_stride_by_warps;
    rows_of_tiles: thread::Tiles<8>, thread::grid_stride_by_tiles::<8>;
}

/// The same for clusters, each of which has one row.
#[kernel(min_arch = "sm_90")]
pub fn rows_of_clusters(mut output: DisjointMatrix<u32, RowPer<thread::Clusters>>) {
    let (columns, row) = (output.columns(), cluster::index());
    for column in 0..columns {
        if let Some(place) = output.in_row(&row, column) {
            *place = (row.get() * columns + column) as u32;
        }
    }
}

/// Counts the threads of all launches in a static, and what each one has found there.
#[kernel]
pub fn counted_in_a_static(mut output: DisjointSlice<u32>) {
    if let Some(output) = output.get_mut(thread::index_1d()) {
        *output = COUNT.atomic().fetch_add(1, AtomicOrdering::Relaxed);
    }
}

/// Two sums beside each other for a warp, and two warps beside each other.
#[kernel(min_arch = "sm_80")]
pub fn numbered_in_sums(
    numbers: Matrix<u32>,
    mut output: DisjointMatrix<u32, SumsPerWarp<1, 2, 2>>,
) {
    let ((top, left), (row, column)) = (output.corner(), output.part());
    output.fill_sums(|i, j, k| {
        let (y, x) = Sum::<f32>::position(thread::thread_rank() % 32, k);
        let (y, x) = (top + row + 16 * i + y, left + column + 8 * j + x);
        numbers.get_or(y, x, 0)
    });
}

/// The first element of a box of 8 x 4 for each block, with room for no more.
#[kernel(min_arch = "sm_90")]
#[launch_contract(dims = 1, block = 32)]
pub fn corners(input: TensorMap<u32, 2, BoxOf<8, 4>>, mut output: PerBlock<u32>) {
    shared! {
        static BOX: [Tile<[u32; 32]>; 1];
        static LOADED: Barrier<Block> = 1;
    }
    let tile = BOX.tile(0);
    if thread::thread_idx_x() == 0 {
        let _ = LOADED.arrive_expect_bytes(128);
        let corner = [0, 4 * thread::block_idx_x() as i32];
        // SAFETY: a box has the size of the tile, as the map's type says, and no thread accesses
        // the tile before the barrier's phase has ended.
        unsafe { input.load(tile.as_ptr(), corner, &LOADED) };
    }
    LOADED.wait_parity(Parity::Even);
    if let Some(output) = output.get_mut() {
        // SAFETY: nothing writes the tile any more.
        *output = unsafe { tile.get(0) };
    }
}

/// The sum of an element of the matrix and those left and right of it.
#[kernel]
pub fn row_stencil(input: &[u32], mut output: DisjointMatrix<u32>) {
    let columns = output.columns();
    if let Some((output, at)) = output.get_mut_indexed() {
        let row = &input[at.y() * columns..][..columns];
        let near = at.x().saturating_sub(1)..columns.min(at.x() + 2);
        *output = row[near].iter().sum();
    }
}

/// How many even numbers there are at each block's places: the threads of a block, in whatever
/// shape, count together.
#[kernel]
pub fn even_by_block(numbers: &[u32], mut counts: PerBlock<u32>) {
    let is_even = thread::grid_stride(numbers.len()).filter(|i| numbers[*i].is_multiple_of(2));
    let all = block_reduce(is_even.count() as u32, collective::Sum);
    if let Some(count) = counts.get_mut() {
        *count = all;
    }
}

/// How many numbers of its row are smaller than each number: a block, in whatever shape, has a row.
#[kernel]
pub fn ranks_in_row(numbers: &[u32], mut ranks: RowPerBlock<u32>) {
    let columns = ranks.columns();
    let Some(row) = ranks.row() else { return };
    let row = &numbers[row * columns..][..columns];
    for (column, rank) in ranks.block_stride() {
        *rank = row.iter().filter(|other| **other < row[column]).count() as u32;
    }
}

/// Each number twice as a half float, which the matrix units take, too.
#[kernel]
pub fn doubled(numbers: &[element::F16], mut out: DisjointSlice<F16>) {
    for (i, out) in out.grid_stride() {
        *out = numbers[i] + numbers[i];
    }
}

/// The greatest of the block's numbers, by exchanges that have to find what was there.
#[kernel]
#[launch_contract(dims = 1, grid = 1)]
pub fn greatest(numbers: &[u32], mut out: DisjointSlice<u32>) {
    shared! { static GREATEST: [u32; 1]; }
    let index = thread::index_1d();
    if index.get() == 0 {
        // SAFETY: the others come behind the barrier.
        unsafe { GREATEST.set(0, 0) };
    }
    thread::sync_threads();
    // SAFETY: between the barriers there is no other access.
    let greatest = unsafe { BlockAtomicU32::from_ptr(GREATEST.as_ptr()) };
    for i in thread::grid_stride(numbers.len()) {
        let mut old = greatest.load(AtomicOrdering::Relaxed);
        while let Err(now) = {
            let new = old.max(numbers[i]);
            greatest.compare_exchange(old, new, AtomicOrdering::AcqRel, AtomicOrdering::Relaxed)
        } {
            old = now;
        }
    }
    thread::sync_threads();
    if let Some(out) = out.get_mut(&index) {
        *out = greatest.load(AtomicOrdering::Relaxed);
    }
}

/// The greatest number of each block's part, of which a thread has three numbers; 0 if there are
/// none.
#[kernel]
pub fn greatest_of_parts(numbers: &[u32], mut out: PerBlock<u32>) {
    let own = combine_own::<3, _>(numbers, collective::Max).unwrap_or(0);
    let most = block_reduce(own, collective::Max);
    if let Some(out) = out.get_mut() {
        *out = most;
    }
}

/// An output under a name of one's own.
pub type Out<'a> = DisjointSlice<'a, f32>;

/// One factor for each block: a value of one's own that is called like an output of the library.
pub mod factors {
    /// Two factors, of the even and of the odd blocks.
    #[derive(Clone, Copy, lanewise_macros::Value)]
    #[repr(C)]
    pub struct PerBlock<T> {
        /// The factor of even blocks.
        pub even: T,
        /// The factor of odd blocks.
        pub odd: T,
    }
}

/// `out[i] = factor * input[i]`, with the factor of the block. Parameters are known by their types,
/// not by the names of these.
#[kernel]
pub fn scaled_by_block(
    input: &[f32],
    factor: factors::PerBlock<f32>,
    mut out: Out<'_>,
    mut again: Out,
) {
    let i = thread::index_1d();
    let at = i.get();
    let factor = match thread::block_idx_x() % 2 {
        0 => factor.even,
        _ => factor.odd,
    };
    if let (Some(x), Some(out), Some(again)) = (input.get(at), out.get_mut(&i), again.get_mut(&i)) {
        (*out, *again) = (factor * x, factor * x + 1.0);
    }
}

/// A value that is aligned to two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Value)]
#[repr(C)]
pub struct Reading {
    /// Any number of 16 bits.
    pub sensor: u16,
    /// Any three numbers of 16 bits.
    pub values: [i16; 3],
}

/// Twice each vector, past the caches, and each value of other sizes as it is.
#[kernel]
#[launch_contract(dims = 1)]
pub fn twice_past_caches(
    vectors: &[Float4],
    readings: &[Reading],
    bytes: &[[u8; 3]],
    wide: &[u128],
    mut out: DisjointSlice<Float4>,
    mut out_readings: DisjointSlice<Reading>,
    mut out_bytes: DisjointSlice<[u8; 3]>,
    mut out_wide: DisjointSlice<u128>,
) {
    for (i, out) in out.grid_stride() {
        let Float4 { x, y, z, w } = cache::load_cs(&vectors[i]);
        cache::store_cs(out, Float4::new(2.0 * x, 2.0 * y, 2.0 * z, 2.0 * w));
    }
    for (i, out) in out_readings.grid_stride() {
        cache::store_cg(out, cache::load_cg(&readings[i]));
    }
    for (i, out) in out_bytes.grid_stride() {
        cache::store_wt(out, cache::load_ca(&bytes[i]));
    }
    for (i, out) in out_wide.grid_stride() {
        cache::store_cs(out, cache::load_cs(&wide[i]));
    }
}

/// Twice each vector that the input has.
#[kernel]
#[launch_contract(dims = 1)]
pub fn doubled_vectors(input: &[Float4], mut output: DisjointSlice<Float4>) {
    let i = thread::index_1d();
    if let (Some(&Float4 { x, y, z, w }), Some(output)) = (input.get(i.get()), output.get_mut(&i)) {
        *output = Float4::new(2.0 * x, 2.0 * y, 2.0 * z, 2.0 * w);
    }
}

/// Sums of a value and of those next to it, and of one that is `further` on. The compiler checks
/// all of these indices before the first load.
#[kernel]
#[launch_contract(dims = 1)]
pub fn windows(values: &[u32], mut sums: DisjointSlice<u32>, further: usize) {
    let i = thread::index_1d();
    let at = i.get();
    if let Some(sum) = sums.get_mut(&i) {
        *sum = values[at];
        if at > 0 {
            *sum += values[at - 1] + values[at + 1];
        }
        if further > 1 {
            *sum += values[at + further];
        }
    }
}

// ANCHOR: matrix_sum
/// `c = a + b` for matrices of `rows` rows of `columns` numbers. Its contract has the lengths, so
/// no index is checked on the device.
#[kernel]
#[launch_contract(dims = 1, len(c) == rows * columns, len(a) == len(c), len(b) >= len(c))]
pub fn matrix_sum(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, rows: u32, columns: usize) {
    let _ = (rows, columns);
    let i = thread::index_1d();
    if let Some(c) = c.get_mut(&i) {
        *c = a[i.get()] + b[i.get()];
    }
}
// ANCHOR_END: matrix_sum
