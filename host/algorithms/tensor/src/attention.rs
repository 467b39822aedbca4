//! Attention: for each query, the softmax of its products with all keys, times the values.
//!
//! A block has 128 or 192 queries of one head, and goes over the keys once, 128 at a time, from the
//! last to the first. Its sums are relative to the largest score of each query so far (the online
//! softmax), so no score is ever in memory. They stay relative to a smaller score until one is 2^8
//! times as heavy, so they are rarely corrected.
//!
//! The first warpgroup gives its registers away, and one of its threads loads tiles of keys and of
//! values by the tensor memory accelerator. The other two have 64 queries each. A warpgroup starts
//! the products with the next keys before it multiplies the weights of the last ones by their
//! values, so the tensor cores have work while it computes exponentials. The two take turns to
//! start products, so that one computes exponentials while the other one's products run. The
//! weights stay in the registers in which the products left them: the sums of one `wgmma` are what
//! the left operand of the next one has to be.
//!
//! Source: Shah, Bikshandi, Zhang, Thakkar, Ramani, Dao, "FlashAttention-3", 2024.

use core::array::from_fn;

use lanewise_macros::{Value, kernel, shared};
use lanewise_std::barrier::{Barrier, Barriers, Parity};
use lanewise_std::fence::fence_proxy_async_shared;
use lanewise_std::half::{Bf16, F16};
use lanewise_std::matrix::Element;
use lanewise_std::matrix::warp::Left;
use lanewise_std::matrix::warpgroup::{
    self, Accumulator, Across, Descriptor, MultiplyAdd, Order, Products, SumRegisters,
    decrease_registers, increase_registers, warpgroup_id,
};
use lanewise_std::scope::Block;
use lanewise_std::thread::{NamedBarrier, block_idx_x, nanosleep, thread_rank};
use lanewise_std::tma::{DynamicTiles, TensorMap, TensorMapMut, swizzled};
use lanewise_std::warp::{FULL_MASK, any_sync, lane_id, shuffle_xor_sync, sync_warp, warp_id};
use lanewise_std::{bulk, debug, fast};

use crate::element::Half;
use crate::place::Place;

/// Keys of a tile.
pub const KEYS: usize = 128;
/// Columns of a box: 128 bytes.
pub const COLUMNS: usize = 64;
/// Queries that a warp stores at once.
pub const STORED_ROWS: usize = 16;
/// Warpgroups that multiply, of a block for up to 64 columns.
pub const NARROW_GROUPS: usize = 3;
/// Warpgroups that multiply, of a block for up to 128 columns.
pub const WIDE_GROUPS: usize = 2;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = Pieces::BYTES;

/// Bytes of a box: 128 keys or values.
const PIECE: usize = KEYS * 128;
/// The boxes of the queries, and those of keys and values of each stage.
type Pieces = DynamicTiles<u8, PIECE, 10>;
/// The most stages that there are.
const MOST_STAGES: usize = 4;
/// Elements of a thread's part of 64 x 128 scores.
const SCORES: usize = KEYS / 2;
/// A score that is smaller than any.
const LEAST: f32 = -1e30;

/// What the launch says of the problem.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Shape {
    /// Queries of a head.
    pub queries: u32,
    /// Keys and values of a head.
    pub keys: u32,
    /// Heads of queries of a batch.
    pub heads: u32,
    /// Heads of queries that share a head of keys and values.
    pub group: u32,
    /// A query with the number `i` sees the keys below `i + ahead`.
    pub ahead: i32,
    /// What scores are multiplied by, times the logarithm of e to the base 2.
    pub scale: f32,
}

/// Barriers at which each warp says that it is done with a tile: those of the stages of keys, and
/// then those of the stages of values.
const EMPTY_BARRIERS: usize = 2 * MOST_STAGES;
/// Barriers of which one copy says that a tile is there: those of the stages, and the queries'.
const FULL_BARRIERS: usize = EMPTY_BARRIERS + 1;

/// The barriers of the tiles of keys, or of values.
#[derive(Clone, Copy)]
struct Ring<'a> {
    barriers: (
        &'a Barriers<Block, FULL_BARRIERS>,
        &'a Barriers<Block, EMPTY_BARRIERS>,
    ),
    /// The number of the first stage's barriers.
    first_barrier: usize,
    /// The first piece of the first stage's tile.
    first: usize,
}

impl Ring<'_> {
    #[inline(always)]
    fn full(&self, stage: usize) -> Barrier<Block> {
        self.barriers.0.at(self.first_barrier + stage)
    }

    #[inline(always)]
    fn empty(&self, stage: usize) -> Barrier<Block> {
        self.barriers.1.at(self.first_barrier + stage)
    }
}

/// Returns the queries of a block with so many warpgroups that multiply.
#[must_use]
pub const fn queries(groups: usize) -> usize {
    groups * warpgroup::ROWS
}

/// Returns the threads of a block: one more warpgroup loads.
#[must_use]
pub const fn threads(groups: usize) -> u32 {
    (groups as u32 + 1) * warpgroup::THREADS
}

/// Writes the attention of all heads, with up to 64 columns. The grid has a block for each 192
/// queries of each head.
///
/// # Safety
/// The boxes have the sizes for which the kernel has room: [`COLUMNS`] columns, and [`queries`]
/// rows of `q`, [`KEYS`] of `k` and `v`, and [`STORED_ROWS`] of `o`. The maps have the heads and
/// batches of the grid.
#[kernel(min_arch = "sm_90a", instances(Bf16, F16))]
#[launch_bounds(512, 1)]
#[launch_contract(dims = 1, block = (512))]
pub unsafe fn attention_narrow<E: Half + Element<Bits = E>>(
    q: TensorMap<E, 4>,
    k: TensorMap<E, 4>,
    v: TensorMap<E, 4>,
    o: TensorMapMut<E, 4>,
    shape: Shape,
) where
    Accumulator<f32, 32>: MultiplyAdd<E, E>,
    Accumulator<f32, SCORES>: MultiplyAdd<E, E>,
    Across: Order<E>,
{
    shared! {
        static FULL: Barriers<Block, FULL_BARRIERS> = 1;
        static EMPTY: Barriers<Block, EMPTY_BARRIERS> = 4 * NARROW_GROUPS as u32;
    }
    // SAFETY: the caller keeps the contract of this function.
    unsafe { attend::<E, 32, 4, NARROW_GROUPS, 160>(q, k, v, o, shape, FULL, EMPTY) }
}

/// Writes the attention of all heads, with up to 128 columns. The grid has a block for each 128
/// queries of each head.
///
/// # Safety
/// As for [`attention_narrow`].
#[kernel(min_arch = "sm_90a", instances(Bf16, F16))]
#[launch_bounds(384, 1)]
#[launch_contract(dims = 1, block = (384))]
pub unsafe fn attention_wide<E: Half + Element<Bits = E>>(
    q: TensorMap<E, 4>,
    k: TensorMap<E, 4>,
    v: TensorMap<E, 4>,
    o: TensorMapMut<E, 4>,
    shape: Shape,
) where
    Accumulator<f32, SCORES>: MultiplyAdd<E, E>,
    Across: Order<E>,
{
    shared! {
        static FULL: Barriers<Block, FULL_BARRIERS> = 1;
        static EMPTY: Barriers<Block, EMPTY_BARRIERS> = 4 * WIDE_GROUPS as u32;
    }
    // SAFETY: the caller keeps the contract of this function.
    unsafe { attend::<E, 64, 2, WIDE_GROUPS, 240>(q, k, v, o, shape, FULL, EMPTY) }
}

/// Writes the attention of a block's queries. `GROUPS` warpgroups multiply, whose threads have
/// `OWN` registers each; `REGISTERS` of them are sums.
///
/// # Safety
/// As for [`attention_narrow`].
#[inline(always)]
unsafe fn attend<
    E: Half + Element<Bits = E>,
    const REGISTERS: usize,
    const STAGES: usize,
    const GROUPS: usize,
    const OWN: u32,
>(
    q: TensorMap<E, 4>,
    k: TensorMap<E, 4>,
    v: TensorMap<E, 4>,
    o: TensorMapMut<E, 4>,
    shape: Shape,
    full: Barriers<Block, FULL_BARRIERS>,
    empty: Barriers<Block, EMPTY_BARRIERS>,
) where
    [u32; REGISTERS]: SumRegisters,
    Accumulator<f32, REGISTERS>: MultiplyAdd<E, E>,
    Accumulator<f32, SCORES>: MultiplyAdd<E, E>,
    Across: Order<E>,
{
    let Some(pieces) = Pieces::get() else {
        debug::trap()
    };
    let wide = const { 2 * REGISTERS / COLUMNS };
    // Bytes of a box of queries, and the pieces that they all take.
    let of_queries = const { queries(GROUPS) * 128 };
    let first = (wide * of_queries).div_ceil(PIECE);
    let queries_full = full.at(EMPTY_BARRIERS);
    let keys = Ring {
        barriers: (&full, &empty),
        first_barrier: 0,
        first,
    };
    let values = Ring {
        first_barrier: MOST_STAGES,
        first: first + wide,
        ..keys
    };

    // Blocks with more keys, if queries see different numbers of them, begin first.
    let of_head = shape.queries.div_ceil(queries(GROUPS) as u32).max(1);
    let (number, all_heads) = (block_idx_x() % of_head, block_idx_x() / of_head);
    let block = (of_head - 1 - number) * queries(GROUPS) as u32;
    let [head, batch] = [
        all_heads % shape.heads.max(1),
        all_heads / shape.heads.max(1),
    ];
    let seen = |query: u32| {
        let below = (query as i32).saturating_add(shape.ahead).max(0);
        (below as u32).min(shape.keys)
    };
    let tiles_before = |query: u32| seen(query.min(shape.queries) - 1).div_ceil(KEYS as u32);
    let tiles = tiles_before(block + queries(GROUPS) as u32);

    if warpgroup_id() == 0 {
        decrease_registers::<24>();
        if thread_rank() == 0 {
            let at = |head: u32, row: u32| [row, head, batch].map(u32::cast_signed);
            let load = |map: &TensorMap<E, 4>,
                        piece: usize,
                        bytes: usize,
                        at: [i32; 3],
                        full: &Barrier<Block>| {
                let _ = full.arrive_expect_bytes((wide * bytes) as u32);
                let ([row, head, batch], to) = (at, pieces.tile(piece).as_ptr());
                for i in 0..wide {
                    let to = to.wrapping_add(i * bytes).cast();
                    // SAFETY: the place has room for a box, and nothing reads it.
                    unsafe { map.load(to, [(i * COLUMNS) as i32, row, head, batch], full) };
                }
            };
            load(&q, 0, of_queries, at(head, block), &queries_full);
            let head = head / shape.group.max(1);
            let mut place = Place::<STAGES>::new(Parity::Odd);
            for tile in (0..tiles).rev() {
                let row = tile * KEYS as u32;
                for (map, ring) in [(&k, keys), (&v, values)] {
                    ring.empty(place.stage()).wait_parity(place.parity);
                    let piece = ring.first + place.stage() * 2 * wide;
                    load(map, piece, PIECE, at(head, row), &ring.full(place.stage()));
                }
                place.advance();
            }
        }
        return;
    }

    increase_registers::<OWN>();
    let group = warpgroup_id() - 1;
    let first_query = block + group * warpgroup::ROWS as u32;
    let piece = |piece: usize| pieces.tile(piece).as_ptr().cast::<E>();
    let queries_at = |number: usize| piece(0).wrapping_byte_add(number * of_queries);
    let give_back = |ring: Ring, stage: usize| {
        if lane_id() == 0 {
            let _ = ring.empty(stage).arrive();
        }
    };
    // The thread's two rows of scores, and how many keys they see.
    let row = first_query + warp_id() % 4 * 16 + lane_id() / 4;
    let limits = [seen(row), seen(row + 8)];
    let unmasked = seen(first_query);
    // The block's first tiles may be past what this warpgroup's queries see.
    let own = if GROUPS > 2 {
        tiles_before(first_query + warpgroup::ROWS as u32)
    } else {
        tiles
    };
    let skipped = tiles - own;
    let mut softmax = Softmax::new(shape.scale);
    let mut sum = Accumulator::<f32, REGISTERS>::zero();
    let mut weights = [[Left::<E>::from_registers([0; 4]); 4]; 2];
    let mut of_keys = Place::<STAGES>::new(Parity::Even);
    let mut of_values = Place::<STAGES>::new(Parity::Even);
    queries_full.wait_parity(Parity::Even);
    if group as usize == GROUPS - 1 && tiles > 0 {
        give_turn(0);
    }
    for number in 0..tiles {
        let start = (tiles - 1 - number) * KEYS as u32;
        // The last turn of all is nobody's.
        let next = (group + 1) % GROUPS as u32;
        let gives = next > 0 || number + 1 < tiles;
        if number < skipped {
            wait_for_turn(group);
            if gives {
                give_turn(next);
            }
            for (ring, place) in [(keys, &mut of_keys), (values, &mut of_values)] {
                ring.full(place.stage()).wait_parity(place.parity);
                give_back(ring, place.stage());
                place.advance();
            }
            continue;
        }
        let mut scores = Accumulator::<f32, SCORES>::zero();
        let stage = of_keys.stage();
        keys.full(stage).wait_parity(of_keys.parity);
        of_keys.advance();
        wait_for_turn(group);
        let mut products = scores.start();
        for i in 0..wide {
            let queries =
                Descriptor::<E>::of_tile(queries_at(i)).below(group * warpgroup::ROWS as u32);
            let keys = Descriptor::<E>::of_tile(piece(keys.first + stage * 2 * wide + i));
            // SAFETY: both are full, and the keys are given back after these products.
            unsafe { products.multiply_add(queries, keys) };
        }
        if number == skipped {
            if gives {
                give_turn(next);
            }
            products.finish();
            give_back(keys, stage);
            let _ = softmax.weigh(&mut scores, start, limits, unmasked);
        } else {
            // ANCHOR: next_products
            let last = of_values.stage();
            values.full(last).wait_parity(of_values.parity);
            of_values.advance();
            let mut outputs = sum.start();
            let of_stage = piece(values.first + last * 2 * wide);
            // SAFETY: the values are full, and given back after these products.
            unsafe { add_values(&mut outputs, &weights, of_stage) };
            if gives {
                give_turn(next);
            }
            // SAFETY: two calls for the other sum came after those for this one.
            unsafe { products.finish_before::<2>() };
            give_back(keys, stage);
            let factors = softmax.weigh(&mut scores, start, limits, unmasked);
            // ANCHOR_END: next_products
            outputs.finish();
            give_back(values, last);
            if any_sync(FULL_MASK, factors[0].min(factors[1]) < 1.0) {
                let mut register = 0;
                sum.map(|_, _, sum| {
                    register += 1;
                    factors[(register - 1) / 2 % 2] * sum
                });
            }
        }
        weights = left_operands(&scores);
    }
    if own > 0 {
        let last = of_values.stage();
        values.full(last).wait_parity(of_values.parity);
        let mut outputs = sum.start();
        // SAFETY: the values are full, and nothing is loaded after them.
        unsafe {
            add_values(
                &mut outputs,
                &weights,
                piece(values.first + last * 2 * wide),
            )
        };
    }

    // The queries have been multiplied, and their place is free for the output.
    wait_for_group(group);
    let factors = softmax.factors();
    let of_warp = (warp_id() as usize - 4) * STORED_ROWS;
    let lane = lane_id() as usize;
    let (mut left, mut register) = (0.0, 0);
    sum.for_each(|_, _, element| {
        if register % 2 == 1 {
            let half = register / 2 % 2;
            let (number, column) = (register / 4 * 8 / COLUMNS, register / 4 * 8 % COLUMNS);
            let in_box = (lane / 4 + half * 8) * 128 + (column + lane % 4 * 2) * size_of::<E>();
            let place = queries_at(number).wrapping_byte_add(of_warp * 128 + swizzled(in_box));
            let pair = E::narrow_pair([left, element].map(|sum| factors[half] * sum));
            // SAFETY: these rows of the place are the warp's own, and each lane has its elements.
            unsafe { place.cast::<E::Pair>().write(pair) };
        }
        left = element;
        register += 1;
    });
    fence_proxy_async_shared();
    sync_warp(FULL_MASK);
    let row = block + of_warp as u32;
    if lane == 0 && row < shape.queries {
        for i in 0..wide {
            let at = [(i * COLUMNS) as u32, row, head, batch].map(u32::cast_signed);
            let place = queries_at(i).wrapping_byte_add(of_warp * 128);
            // SAFETY: the warp has written the box, and its rows of the output are the warp's own.
            unsafe { o.store(at, place) };
        }
        bulk::commit_group();
        bulk::wait_group_read::<0>();
    }
}

/// Defines functions that use the barrier of a warpgroup with this number.
macro_rules! barriers {
    ($($(#[$doc:meta])* fn $name:ident = $method:ident of $groups:literal: $first:literal $second:literal $third:literal;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name(group: u32) {
            let threads = $groups * warpgroup::THREADS;
            match group {
                0 => NamedBarrier::<$first>::of(threads).$method(),
                1 => NamedBarrier::<$second>::of(threads).$method(),
                _ => NamedBarrier::<$third>::of(threads).$method(),
            }
        }
    )*};
}

barriers! {
    /// Waits for the other warps of the warpgroup.
    fn wait_for_group = sync of 1: 1 2 3;
    /// Waits until the warpgroup before this one has started its products.
    fn wait_for_turn = sync of 2: 4 5 6;
    /// Lets a warpgroup start its products.
    fn give_turn = arrive of 2: 4 5 6;
}

/// Starts to add the values of a tile, times their weights.
///
/// # Safety
/// As for [`Products::multiply_add`], for the tile.
#[inline(always)]
unsafe fn add_values<E: Half + Element<Bits = E>, const REGISTERS: usize>(
    outputs: &mut Products<'_, f32, REGISTERS>,
    weights: &Weights<E>,
    tile: *const E,
) where
    [u32; REGISTERS]: SumRegisters,
    Accumulator<f32, REGISTERS>: MultiplyAdd<E, E>,
    Across: Order<E>,
{
    for (i, weights) in weights.iter().enumerate() {
        let rows = tile.wrapping_byte_add(i * COLUMNS * 128);
        let values = Descriptor::<E, Across>::of_tiles_across(rows, PIECE as u32);
        // SAFETY: the caller keeps the contract of this function.
        unsafe { outputs.multiply_add_registers_tile(weights, values) };
    }
}

/// The weights of 128 keys: for each 64, four left operands.
type Weights<E> = [[Left<E>; 4]; 2];

/// Returns the weights as left operands. The sums of a product have the order of such operands.
#[inline(always)]
fn left_operands<E: Half + Element<Bits = E>>(weights: &Accumulator<f32, SCORES>) -> Weights<E> {
    let (mut registers, mut left, mut number) = ([[[0; 4]; 4]; 2], 0.0, 0);
    weights.for_each(|_, _, weight| {
        if number % 2 == 1 {
            registers[number / 32][number / 8 % 4][number / 2 % 4] = E::bits_of([left, weight]);
        }
        left = weight;
        number += 1;
    });
    registers.map(|four| four.map(Left::from_registers))
}

/// The softmax of the two rows of which a thread has scores, as far as it has gone.
struct Softmax {
    scale: f32,
    largest: [f32; 2],
    /// The sums of this thread's weights, relative to the largest score.
    totals: [f32; 2],
}

impl Softmax {
    #[inline(always)]
    fn new(scale: f32) -> Self {
        Softmax {
            scale,
            largest: [LEAST; 2],
            totals: [0.0; 2],
        }
    }

    /// Replaces the scores of the keys from `start` on by their weights. Row `i` sees the keys
    /// below `limits[i]`, and all see those below `unmasked`. Returns what earlier sums have to be
    /// multiplied by.
    #[inline(always)]
    fn weigh(
        &mut self,
        scores: &mut Accumulator<f32, SCORES>,
        start: u32,
        limits: [u32; 2],
        unmasked: u32,
    ) -> [f32; 2] {
        if start + KEYS as u32 > unmasked {
            // The columns of a thread are these and its first one.
            let first = start + lane_id() % 4 * 2;
            let limits = limits.map(|limit| limit.saturating_sub(first));
            let mut register = 0;
            scores.map(|_, _, score| {
                let column = register / 4 * 8 + register % 2;
                let limit = limits[register as usize / 2 % 2];
                register += 1;
                if column < limit {
                    score
                } else {
                    f32::NEG_INFINITY
                }
            });
        }
        // Two maxima of each row, so that fewer instructions wait for one before them.
        let (mut parts, mut register) = ([self.largest; 2], 0);
        scores.for_each(|_, _, score| {
            let part = &mut parts[register % 2][register / 2 % 2];
            *part = part.max(score);
            register += 1;
        });
        // Weights may be as large as 2^8, so most larger scores change nothing.
        let larger: [f32; 2] = from_fn(|row| {
            let larger = over_row(parts[0][row].max(parts[1][row]), f32::max);
            let is_far = (larger - self.largest[row]) * self.scale > 8.0;
            if is_far { larger } else { self.largest[row] }
        });
        let factors =
            from_fn(|row| fast::exp2_flushed((self.largest[row] - larger[row]) * self.scale));
        let bases: [f32; 2] = from_fn(|row| larger[row] * self.scale);
        self.largest = larger;
        let (mut sums, mut register) = ([[0.0; 2]; 2], 0);
        scores.map(|_, _, score| {
            let row = register / 2 % 2;
            let weight = fast::exp2_flushed(score * self.scale - bases[row]);
            sums[register % 2][row] += weight;
            register += 1;
            weight
        });
        let sums: [f32; 2] = from_fn(|row| sums[0][row] + sums[1][row]);
        // ptxas would move the wait that follows to before the exponentials. It can't move it up
        // past a branch that needs all of them.
        if sums[0].min(sums[1]) < 0.0 {
            nanosleep(1);
        }
        self.totals = from_fn(|row| self.totals[row] * factors[row] + sums[row]);
        factors
    }

    /// Returns what the sums have to be multiplied by in the end: 0 for a row that sees no key.
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        self.totals.map(|total| {
            let total = over_row(total, |a, b| a + b);
            if total > 0.0 { 1.0 / total } else { 0.0 }
        })
    }
}

/// Combines the values of the four lanes that have elements of the same row.
#[inline(always)]
fn over_row(value: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
    let value = combine(value, shuffle_xor_sync(FULL_MASK, value, 1));
    combine(value, shuffle_xor_sync(FULL_MASK, value, 2))
}
