//! Instructions without an operator in Rust, each through its function.

use lanewise_macros::{kernel, shared};
use lanewise_std::bits::{
    byte_permute, dp2a_high, dp2a_low, dp4a, funnel_shift_left, funnel_shift_left_clamped,
    funnel_shift_right, funnel_shift_right_clamped,
};
use lanewise_std::thread::NamedBarrier;
use lanewise_std::unroll::unroll;
use lanewise_std::vector::{Float4, UInt2, Vector, vectors_of};
use lanewise_std::{DisjointSlice, GlobalMut, cache, clock, thread, warp};

/// Dot products of all signs, permutations and funnel shifts of three words.
#[kernel]
pub fn bits(input: &[[u32; 3]], mut output: DisjointSlice<[u32; 13]>) {
    let index = thread::index_1d();
    let Some(&[a, b, c]) = input.get(index.get()) else {
        return;
    };
    let (x, y) = (a.to_le_bytes(), b.to_le_bytes());
    let signed = |bytes: [u8; 4]| bytes.map(|byte| byte as i8);
    let halves = [a as u16, (a >> 16) as u16];
    let row = [
        dp4a(signed(x), signed(y), c),
        dp4a(signed(x), y, c),
        dp4a(x, signed(y), c),
        dp4a(x, y, c),
        dp2a_low(halves.map(|it| it as i16), signed(y), c),
        dp2a_low(halves, signed(y), c),
        dp2a_high(halves.map(|it| it as i16), y, c),
        dp2a_high(halves, y, c),
        byte_permute(a, b, c),
        funnel_shift_left(a, b, c),
        funnel_shift_right(a, b, c),
        funnel_shift_left_clamped(a, b, c),
        funnel_shift_right_clamped(a, b, c),
    ];
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// Clocks and positions, checked as far as that is possible: `[1, 1, 1, 1]`.
#[kernel]
pub fn clocks(mut output: DisjointSlice<[u32; 4]>) {
    let index = thread::index_1d();
    let (cycles, short, time) = (clock::cycles(), clock::cycles_32(), clock::nanoseconds());
    thread::nanosleep(100);
    let row = [
        u32::from(clock::cycles() > cycles && clock::cycles_32() != short),
        u32::from(clock::nanoseconds() >= time),
        u32::from(clock::multiprocessor() < clock::multiprocessors()),
        u32::from(clock::warp_slot() < clock::warp_slots()),
    ];
    let _ = clock::launch();
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// Loads each number past the caches in three ways, and stores it in three.
///
/// # Safety
/// The output has three elements for each thread, and each thread writes its own.
#[kernel]
pub unsafe fn hints(input: &[u64], output: GlobalMut<u64>) {
    let at = thread::index_1d().get();
    let Some(next) = input.get((at + 1) % input.len()) else {
        return;
    };
    cache::prefetch_l1(next);
    cache::prefetch_l2(next);
    if let Some(place) = input.get(at) {
        // SAFETY: each thread has three elements of the output.
        let [a, b, c] = [0, 1, 2].map(|i| unsafe { &mut *output.address_of(3 * at + i) });
        cache::store_cg(a, cache::load_cs(place));
        cache::store_cs(b, cache::load_cg(place));
        cache::store_wt(c, cache::load_ca(place));
    }
}

/// Each output twice its input, by vectors as far as there are whole ones: the first half of the
/// vectors through a slice, in which each thread has one, the others through cells.
///
/// # Safety
/// The outputs are different memory.
#[kernel]
pub unsafe fn vector_outputs(input: &[f32], output: DisjointSlice<f32>, cells: GlobalMut<f32>) {
    let index = thread::index_1d();
    let Some((from, _)) = vectors_of::<Float4>(input) else {
        return;
    };
    let twice = |Float4 { x, y, z, w }: &Float4| Float4::new(2.0 * x, 2.0 * y, 2.0 * z, 2.0 * w);
    // SAFETY: no thread uses the slice itself.
    if let Some((mut to, mut rest)) = unsafe { output.into_vectors::<Float4>() } {
        if let (Some(from), Some(to)) = (from.get(index.get()), to.get_mut(&index)) {
            *to = twice(from);
        }
        if let Some(rest) = rest.get_mut(&index) {
            *rest = 2.0 * input[4 * to.len() + index.get()];
        }
    }
    if let Some((to, rest)) = cells.vectors::<Float4>() {
        if let Some(from) = from.get(index.get()) {
            // SAFETY: each thread has its own vector.
            unsafe { to.set(index.get(), twice(from)) };
        }
        if index.get() < rest.len() {
            // SAFETY: each thread has its own element, after the vectors.
            unsafe { rest.set(index.get(), 2.0 * input[4 * to.len() + index.get()]) };
        }
    }
}

/// Sums of fours: one load of a vector, four loads of numbers if the slice is not aligned, and a
/// loop without vectors.
#[kernel]
pub fn vectors(input: &[f32], first: usize, mut output: DisjointSlice<[f32; 3]>) {
    let index = thread::index_1d();
    let (at, part) = (index.get(), input.get(first..).unwrap_or_default());
    let mut row = [-1.0, 0.0, 0.0];
    if let Some((vectors, rest)) = vectors_of::<Float4>(part) {
        let Float4 { x, y, z, w } = vectors.get(at).copied().unwrap_or_default();
        row[0] = x + y + z + w;
        row[2] = rest.len() as f32;
    }
    unroll::<{ Float4::LANES }>(|lane| row[1] += part.get(4 * at + lane).copied().unwrap_or(0.0));
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}

/// Vectors as elements and by value.
#[kernel]
pub fn swap_pairs(add: UInt2, input: &[UInt2], mut output: DisjointSlice<UInt2>) {
    let index = thread::index_1d();
    if let (Some(pair), Some(output)) = (input.get(index.get()), output.get_mut(&index)) {
        *output = UInt2::new(pair.y + add.x, pair.x + add.y);
    }
}

/// One warp produces for another, twice. Barrier 1 signals that data is there, barrier 2 that there
/// is room. The other two warps count votes at barrier 3, which only they use.
#[kernel]
#[launch_contract(dims = 1, block = (128))]
pub fn named_barriers(input: &[u32], mut output: DisjointSlice<[u32; 4]>) {
    shared! { static PLACES: [u32; 32]; }
    let index = thread::index_1d();
    let lane = warp::lane_id() as usize;
    let x = input[index.get()];
    let mut row = [0; 4];
    let (full, empty, votes) = (
        NamedBarrier::<1>::of(64),
        NamedBarrier::<2>::of(64),
        NamedBarrier::<3>::of(64),
    );
    // ANCHOR: two_warps
    match warp::warp_id() {
        0 => {
            for round in 0..2 {
                empty.sync();
                // SAFETY: the consumer has read what was there, and each lane has a place
                // of its own.
                unsafe { PLACES.set(lane, x + round) };
                full.arrive();
            }
        }
        1 => {
            for place in &mut row[..2] {
                empty.arrive();
                full.sync();
                // SAFETY: set before the barrier; the producer waits for the next one.
                *place = unsafe { PLACES.get(31 - lane) };
            }
        }
        // ANCHOR_END: two_warps
        _ => {
            row = [
                votes.sync_count(x.is_multiple_of(3)),
                votes.sync_and(x < u32::MAX / 2).into(),
                votes.sync_or(x.is_multiple_of(64)).into(),
                9,
            ];
        }
    }
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}
