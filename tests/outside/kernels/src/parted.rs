//! Attempts to make safe code race: the threads of a block part, and meet in functions that use the
//! same shared memory. `tests/parted.rs` runs each kernel with the check for races.
//!
//! Launch: one block; 96 threads, and any shape for `scans_in_any_block`.

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::AtomicOrdering;
use lanewise_std::collective::{
    Max, Sum, block_blocked_to_striped, block_broadcast, block_exclusive_scan, block_histogram,
    block_inclusive_scan, block_radix_rank, block_reduce, block_striped_to_blocked,
    radix_rank_scratch,
};
use lanewise_std::part_per_block::WarpLast;
use lanewise_std::thread::{block_size, index_1d, thread_rank};
use lanewise_std::warp::warp_id;
use lanewise_std::{DisjointSlice, DynamicShared, SharedLine, SharedPart, SharedTile};

/// The most threads of a block.
const THREADS: usize = 96;

/// Neighbours take tiles of different pitches from the same memory, so they write the same words.
/// All of them write one number.
#[kernel]
pub fn dynamic_tiles_of_two_pitches(mut output: DisjointSlice<u32>) {
    let own = thread_rank() as usize;
    let mut tile = DynamicShared::new().tile::<u32>(4, THREADS, THREADS + own % 2);
    let tile = tile.fill::<4>(|_, _| 7);
    write(&mut output, (0..4).map(|row| tile.get(row, own)).sum());
}

/// Threads take the same memory for words and for pairs of words, and count in it, too.
#[kernel]
pub fn dynamic_memory_of_three_kinds(mut output: DisjointSlice<u32>) {
    let own = thread_rank() as usize;
    let number = match own % 3 {
        0 => DynamicShared::new()
            .line::<u32>(THREADS)
            .fill::<1>(|_| 5)
            .len() as u32,
        1 => DynamicShared::new()
            .line::<u64>(THREADS)
            .fill::<1>(|_| 6)
            .len() as u32,
        _ => {
            let counters = DynamicShared::new().atomics(THREADS);
            counters[own].fetch_add(1, AtomicOrdering::Relaxed);
            DynamicShared::new()
                .line::<u32>(THREADS)
                .fill::<1>(|_| 5)
                .len() as u32
        }
    };
    write(&mut output, number);
}

/// Two parts change in turn, and each one is begun again while other warps may still read it.
#[kernel]
pub fn parts_in_turn(mut output: DisjointSlice<u32>) {
    shared! {
        static SUMS: SharedPart<u32, THREADS, WarpLast>;
        static LARGEST: SharedPart<u32, THREADS>;
    }
    let own = thread_rank();
    let mut number = 0;
    for round in 0..3 {
        let mut sums = SUMS.begin(own + round, Sum);
        while sums.has_step() {
            sums.step();
        }
        number += sums.finish(0).unwrap_or(1);
        let mut largest = LARGEST.begin(number, Max);
        while largest.has_step() {
            largest.step();
        }
        number += largest.first().unwrap_or(0);
    }
    write(&mut output, number);
}

/// The last warp leaves before the last six steps, which the first warp does.
#[kernel]
pub fn a_part_after_a_warp_left(mut output: DisjointSlice<u32>) {
    shared! { static SUMS: SharedPart<u32, THREADS, WarpLast>; }
    let mut sums = SUMS.begin(thread_rank(), Sum);
    while sums.has_step() {
        sums.step();
    }
    if warp_id() == 2 {
        return;
    }
    write(&mut output, sums.finish(0).unwrap_or(2));
}

/// One warp scans while the others broadcast.
#[kernel]
pub fn scans_beside_broadcasts(mut output: DisjointSlice<u32>) {
    let own = thread_rank();
    let number = match warp_id() {
        0 => block_inclusive_scan(own, Sum),
        1 => block_exclusive_scan(own, 7, Max),
        _ => block_broadcast(own, 40),
    };
    write(&mut output, number);
}

/// The arms reduce values of two types, whose memory is apart.
#[kernel]
pub fn collectives_of_two_types(mut output: DisjointSlice<u32>) {
    let own = thread_rank();
    let number = if warp_id() == 1 {
        block_reduce(own as f32, Sum) as u32
    } else {
        block_reduce(own, Sum)
    };
    write(&mut output, number);
}

/// Each warp reduces more often than the one before it, and leaves.
#[kernel]
pub fn loops_of_reductions(mut output: DisjointSlice<u32>) {
    let mut sum = 0;
    for round in 0..=warp_id() {
        sum += block_reduce(round + thread_rank(), Max);
    }
    write(&mut output, sum);
}

/// The last warp leaves at once, and its cell is read.
#[kernel]
pub fn reductions_after_warps_left(mut output: DisjointSlice<u32>) {
    let first = block_reduce(1, Sum);
    if warp_id() == 2 {
        return;
    }
    write(&mut output, first + block_broadcast(thread_rank(), 33));
}

/// The operator of a reduction broadcasts. Not all lanes of a warp call it, so they wait forever.
#[kernel]
pub fn a_collective_in_an_operator(mut output: DisjointSlice<u32>) {
    let total = block_reduce(thread_rank(), |a: u32, b: u32| a.max(b));
    let number = block_reduce(total, |a: u32, b: u32| {
        let at_once = block_broadcast(a.max(b), 0);
        a.max(b).max(at_once)
    });
    write(&mut output, number);
}

/// The values of a line come out of a reduction, and of a fill of the same memory.
#[kernel]
pub fn a_collective_in_a_value(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, THREADS>; }
    let line = LINE.fill::<1>(|i| i as u32 + block_reduce(1, Sum) + in_function(i as u32));
    let next = (thread_rank() + 1) % block_size();
    write(&mut output, line.get(next as usize));
}

/// One arm fills a line while the other one reduces.
#[kernel]
pub fn a_reduction_beside_a_line(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, THREADS>; }
    let own = thread_rank() as usize;
    let number = if warp_id() == 0 {
        block_reduce(1, Sum)
    } else {
        LINE.fill::<1>(|i| i as u32).get(own)
    };
    write(&mut output, number + block_reduce(1, Sum));
}

/// A histogram and the ranks of a sort count in one array.
#[kernel]
pub fn a_histogram_beside_its_ranks(mut output: DisjointSlice<u32>) {
    const COUNTS: usize = radix_rank_scratch(4, THREADS);
    shared! { static BOTH: [u32; COUNTS]; }
    let own = thread_rank();
    if warp_id() == 0 {
        let histogram = block_histogram([own as usize % 4], &BOTH);
        let _ = histogram.count(0); // what the others have left there
    } else {
        let _ = block_radix_rank::<4, _>(own % 4, &BOTH);
    }
    write(&mut output, own);
}

/// The arms exchange different numbers of items through one line.
#[kernel]
pub fn exchanges_of_two_lengths(mut output: DisjointSlice<u32>) {
    shared! { static ITEMS: SharedLine<u32, { 3 * THREADS }>; }
    let own = thread_rank();
    let _ = ITEMS.fill::<3>(|i| i as u32);
    let number = if warp_id() == 0 {
        block_blocked_to_striped([own; 3], &mut ITEMS)[0]
    } else {
        block_striped_to_blocked([own, own + 1], &mut ITEMS)[1]
    };
    write(&mut output, number);
}

/// One arm exchanges through a line that the other one fills.
#[kernel]
pub fn a_line_beside_its_exchange(mut output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, { 2 * THREADS }>; }
    let own = thread_rank();
    let number = if warp_id() == 1 {
        LINE.fill::<2>(|i| 5 * i as u32).get(own as usize)
    } else {
        block_striped_to_blocked([own, own + 1], &mut LINE)[0]
    };
    write(&mut output, number);
}

/// A function has a line, and is called in each arm with values of its own.
#[kernel]
pub fn lines_in_a_function(mut output: DisjointSlice<u32>) {
    let number = match warp_id() {
        0 => in_function(1),
        1 => in_function(10) + in_function(20),
        _ => in_function(100) + block_reduce(1, Max),
    };
    write(&mut output, number);
}

#[inline(never)]
fn in_function(by: u32) -> u32 {
    shared! { static LINE: SharedLine<u32, THREADS>; }
    let next = (thread_rank() + 1) % block_size();
    LINE.fill::<1>(|i| by * i as u32).get(next as usize)
}

/// The arms fill a tile by rows and read it, one of them twice.
#[kernel]
#[launch_contract(dims = 1, block = 96)]
pub fn rows_of_a_tile_in_arms(mut output: DisjointSlice<u32>) {
    shared! { static TILE: SharedTile<u32, 2, 48, 49>; }
    let own = thread_rank() as usize;
    let (row, column) = (own / 48, own % 48);
    let number = if warp_id() == 0 {
        TILE.fill::<2>(|row, column| (row * column) as u32)
            .get(row, column)
    } else {
        TILE.fill::<2>(|row, column| (row + column) as u32)
            .get(row, column)
    };
    let tile = TILE.fill::<2>(|row, column| (100 * row + column) as u32);
    write(&mut output, number + tile.get(1 - row, column));
}

/// A function that reduces and calls itself, deeper in each warp.
#[kernel]
pub fn reductions_that_call_themselves(mut output: DisjointSlice<u32>) {
    write(&mut output, deeper(warp_id()));
}

#[inline(never)]
fn deeper(depth: u32) -> u32 {
    let all = block_reduce(depth, Max);
    if depth == 0 {
        all
    } else {
        all + deeper(depth - 1)
    }
}

/// Scans of blocks with one, two and three dimensions, whose last warp is not full.
#[kernel]
pub fn scans_in_any_block(mut output: DisjointSlice<u32>) {
    let own = thread_rank();
    let before = block_exclusive_scan(1u32, 0, Sum);
    let all = block_reduce(1u32, Sum);
    let last = block_broadcast(own, block_size() - 1);
    write(&mut output, 10000 * before + 100 * all + last);
}

fn write(output: &mut DisjointSlice<u32>, number: u32) {
    if let Some(output) = output.get_mut(index_1d()) {
        *output = number;
    }
}
