//! `C = alpha A B + beta C` in single precision, without tensor cores.
//!
//! A block computes a tile of `C` with [`SIDE`] rows and columns. Tiles of both factors come to
//! shared memory by asynchronous copies, two steps ahead of the products: a load from global memory
//! has the time of two steps. A row of a shared tile has one `k`, and what belongs to it side by
//! side. A factor whose neighbours in memory have different `k` is turned on the way, by copies of
//! one element each. The other kind is copied by sixteen bytes if its rows are aligned.
//!
//! A thread has 8 rows and 16 columns of the tile in registers. For each `k` it loads six times
//! sixteen bytes from shared memory and adds 128 products. The loads for one `k` are under way
//! while the products of the previous one are added, also from one step to the next. The copies
//! start a few at a time, so that they do not hold up the loads.
//!
//! If `k` is not a multiple of `DEPTH`, the short step comes first, and is filled up with zeros.
//! So no other step tests anything. Rows and columns outside of a matrix are read as its last ones,
//! and their products are not stored.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::async_copy::{SharedPlace, commit_group, wait_group};
use lanewise_std::math::Float;
use lanewise_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use lanewise_std::unroll::unroll;
use lanewise_std::{DisjointSlice, DynamicSharedArray, gpu_assert};

use super::sixteen::Sixteen;

/// Rows and columns of a block's tile.
pub const SIDE: usize = 128;
/// Threads of a block.
pub const THREADS: usize = 128;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = (STAGES * STAGE * size_of::<f32>()) as u32;
/// The most elements in a row of a matrix: bytes within a tile are numbers of 32 bits.
pub const MOST: usize = 1 << 23;

/// A factor whose neighbours in memory have different `k`.
pub const ALONG: u32 = 0;
/// A factor whose neighbours in memory have the same `k`, and whose rows are aligned.
pub const ACROSS: u32 = 1;
/// As [`ACROSS`], with rows that begin anywhere.
pub const ACROSS_SINGLY: u32 = 2;

/// The `k` of a step.
const DEPTH: usize = 16;
/// A step starts its copies in so many parts.
const PARTS: usize = 4;
/// Places for the tiles of a step.
const STAGES: usize = 3;
/// Elements from one row of a shared tile to the next. The four more than a tile's side put the
/// elements that a warp turns into different banks.
const PITCH: usize = SIDE + 4;
/// Elements of the tiles of a step: `A`'s and then `B`'s.
const STAGE: usize = 2 * TILE;
/// Elements of a tile.
const TILE: usize = DEPTH * PITCH;
/// Rows of tiles that blocks go through together, column by column.
const GROUP: u32 = 8;
/// The most copies of a thread for a tile.
const COPIES: usize = SIDE * DEPTH / THREADS;
/// A thread's rows are half by half in its warp's 64 rows; its columns are a quarter in each 16.
const HALVES: usize = 2;
const QUARTERS: usize = 4;

/// Computes `C = alpha A B + beta C`, where `shape` is `m`, `n`, `k` and the number of products,
/// whose matrices follow each other. `A` has `m` rows of `k` elements if it is [`ALONG`], else it
/// is given as its transpose. `B` has `n` rows of `k` elements if it is [`ALONG`], as its
/// transpose, and else `k` rows of `n`. If `beta` is 0, `C` is not read. The grid has a block for
/// each tile of each product.
#[kernel(instances((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)))]
#[launch_bounds(128, 2)]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn gemm<const A: u32, const B: u32>(
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice<f32>,
    shape: [u32; 4],
    factors: [f32; 2],
) {
    let [m, n, k, batch] = shape.map(|side| side as usize);
    let Tile { product, top, left } = Tile::of_block([m, n], [SIDE, SIDE]);
    let shared = DynamicSharedArray::<Sixteen<f32, 4>>::get();
    let holds = |len: usize, size: usize| len >= size.saturating_mul(batch);
    gpu_assert!(
        holds(a.len(), m * k) && holds(b.len(), k * n) && holds(c.len(), m * n),
        "a matrix is shorter than its shape says"
    );
    gpu_assert!(
        m > 0 && n > 0 && m.max(n).max(k) <= MOST && product < batch,
        "expected a block for each tile, and rows that are not too long"
    );
    gpu_assert!(
        shared.len() * size_of::<Sixteen<f32, 4>>() >= SHARED_BYTES as usize,
        "expected more dynamic shared memory"
    );

    let shared = shared.as_ptr().cast::<f32>();
    let mut a = Factor::<A>::new(&a[product * m * k..], top, [m, k], shared);
    let mut b = Factor::<B>::new(
        &b[product * k * n..],
        left,
        [n, k],
        shared.wrapping_add(TILE),
    );
    let steps = k.div_ceil(DEPTH) as u32;
    let short = k - steps.saturating_sub(1) as usize * DEPTH;
    for part in 0..PARTS {
        // SAFETY: no thread accesses the place before the barrier that follows a wait. Of the first
        // step, only what has a `k` is copied.
        unsafe {
            a.start(part, 0, |k| k < short);
            b.start(part, 0, |k| k < short);
        }
    }
    commit_group();
    a.advance(short);
    b.advance(short);
    for step in 1..STAGES as u32 - 1 {
        for part in 0..PARTS {
            // SAFETY: as above. Each further step has `DEPTH` of them.
            unsafe {
                a.start(part, step * STAGE as u32, |_| step < steps);
                b.start(part, step * STAGE as u32, |_| step < steps);
            }
        }
        commit_group();
        a.advance(DEPTH);
        b.advance(DEPTH);
    }

    // A warp has 64 rows and columns of the tile. Lanes that differ in their first bit share a row,
    // and lanes that differ in their second bit share a column: shared memory serves such loads
    // of sixteen bytes for more lanes at once.
    let (lane, warp) = (thread_idx_x() as usize % 32, thread_idx_x() as usize / 32);
    let row = warp / 2 * 64 + (lane >> 1 & 1 | lane >> 2 & 6) * 4;
    let column = warp % 2 * 64 + (lane & 1 | lane >> 1 & 2) * 4;
    let load = |place: usize| {
        let place = shared.wrapping_add(place).cast::<Sixteen<f32, 4>>();
        // SAFETY: in the stages, aligned, and called for a step whose copies were waited for.
        unsafe { place.read().0 }
    };
    let of_a = |stage: u32, k: usize| -> [[f32; 4]; HALVES] {
        from_fn(|half| load(stage as usize + k * PITCH + row + half * 32))
    };
    let of_b = |stage: u32, k: usize| -> [[f32; 4]; QUARTERS] {
        from_fn(|quarter| load(stage as usize + TILE + k * PITCH + column + quarter * 16))
    };

    wait_group::<{ STAGES as u32 - 2 }>();
    sync_threads(); // the first step is in shared memory
    let next = |stage: u32| {
        if stage == (STAGES - 1) as u32 * STAGE as u32 {
            0
        } else {
            stage + STAGE as u32
        }
    };
    let mut reading = 0;
    let mut writing = (STAGES - 1) as u32 * STAGE as u32;
    let mut parts_a = [of_a(0, 0), [[0.0; 4]; HALVES]];
    let mut parts_b = [of_b(0, 0), [[0.0; 4]; QUARTERS]];
    let mut sums = [[[0.0; 4]; QUARTERS]; 8];
    for step in 0..steps {
        unroll::<DEPTH>(|k| {
            if k == DEPTH - 1 {
                reading = next(reading);
                writing = next(writing);
                wait_group::<{ STAGES as u32 - 3 }>();
                sync_threads(); // the next step is in shared memory, and this one has been read
            }
            parts_a[(k + 1) % 2] = of_a(reading, (k + 1) % DEPTH);
            parts_b[(k + 1) % 2] = of_b(reading, (k + 1) % DEPTH);
            if k % (DEPTH / PARTS) == 0 {
                let is_wanted = step + (STAGES as u32 - 1) < steps;
                // SAFETY: all threads have read what was there: the barrier of the previous step.
                unsafe {
                    a.start(k / (DEPTH / PARTS), writing, |_| is_wanted);
                    b.start(k / (DEPTH / PARTS), writing, |_| is_wanted);
                }
            }
            if k == DEPTH - 1 {
                // After the loads: LLVM moves no load over it, into the next step.
                commit_group();
                a.advance(DEPTH);
                b.advance(DEPTH);
            }
            for i in 0..8 {
                for quarter in 0..QUARTERS {
                    for j in 0..4 {
                        let (x, y) = (parts_a[k % 2][i / 4][i % 4], parts_b[k % 2][quarter][j]);
                        sums[i][quarter][j] += x * y;
                    }
                }
            }
        });
    }

    let are_aligned = n % 4 == 0 && c.as_mut_ptr().cast::<Sixteen<f32, 4>>().is_aligned();
    unroll::<8>(|i| {
        let y = top + row + i / 4 * 32 + i % 4;
        for quarter in 0..QUARTERS {
            let x = left + column + quarter * 16;
            if y < m && x < n {
                let place = c.as_mut_ptr().wrapping_add((product * m + y) * n + x);
                let count = if are_aligned { 4 } else { n - x };
                // SAFETY: inside of the row, which is in the slice as was asserted; each thread has
                // elements of its own.
                unsafe { store(place, count, are_aligned, sums[i][quarter], factors) };
            }
        }
    });
}

/// A block's tile.
pub(super) struct Tile {
    /// The number of the product.
    pub product: usize,
    /// Its first row.
    pub top: usize,
    /// Its first column.
    pub left: usize,
}

impl Tile {
    /// Returns the tile of this block, one of so many rows and columns. Blocks that run at the same
    /// time have tiles near each other.
    #[inline(always)]
    pub(super) fn of_block([m, n]: [usize; 2], [rows, columns]: [usize; 2]) -> Self {
        let (down, across) = (m.div_ceil(rows) as u32, n.div_ceil(columns) as u32);
        let of_product = (down * across).max(1);
        let (product, block) = (block_idx_x() / of_product, block_idx_x() % of_product);
        let together = (GROUP * across).max(1);
        let (first, inside) = (block / together * GROUP, block % together);
        let height = down.saturating_sub(first).clamp(1, GROUP);
        Tile {
            product: product as usize,
            top: (first + inside % height) as usize * rows,
            left: (inside / height) as usize * columns,
        }
    }
}

/// Stores some sums, or the first `count` if these are fewer.
///
/// # Safety
/// `place` has as many elements, which no other thread accesses; it has the alignment of
/// [`Sixteen`] if `is_aligned`.
#[inline(always)]
pub(super) unsafe fn store<T: Float, const N: usize>(
    place: *mut T,
    count: usize,
    is_aligned: bool,
    sums: [T; N],
    [alpha, beta]: [T; 2],
) {
    let zero = T::default();
    if is_aligned {
        let place = place.cast::<Sixteen<T, N>>();
        // SAFETY: as the caller promises.
        unsafe {
            let old = if beta == zero {
                [zero; N]
            } else {
                place.read().0.map(|old| beta * old)
            };
            place.write(Sixteen(from_fn(|j| alpha * sums[j] + old[j])));
        }
        return;
    }
    for j in 0..N {
        if j < count {
            let place = place.wrapping_add(j);
            // SAFETY: as the caller promises.
            unsafe {
                let old = if beta == zero {
                    zero
                } else {
                    beta * place.read()
                };
                place.write(alpha * sums[j] + old);
            }
        }
    }
}

/// A factor of the product: where the block's part of it is, and what the thread copies of that.
struct Factor<const KIND: u32> {
    /// The block's first element of the next step.
    next: *const f32,
    /// Bytes from there to the elements that the thread copies.
    offsets: [u32; COPIES],
    /// Elements from one `k` to the next.
    pitch: usize,
    /// The place of the thread's first copy, in the first stage.
    place: SharedPlace<f32>,
}

impl<const KIND: u32> Factor<KIND> {
    /// Elements of a copy.
    const EACH: usize = if KIND == ACROSS { 4 } else { 1 };
    /// Threads that copy what has the same `k`, or of [`ALONG`], the threads whose copies
    /// are neighbours: each row gives 32 bytes, a sector, to a warp.
    const ABREAST: usize = if KIND == ALONG { 8 } else { SIDE / Self::EACH };

    /// Returns where the thread's first copy is: its row or column in the tile, and its `k`.
    #[inline(always)]
    fn first() -> (usize, usize) {
        let (of, rest) = (
            thread_idx_x() as usize / Self::ABREAST,
            thread_idx_x() as usize % Self::ABREAST,
        );
        if KIND == ALONG {
            (of, rest)
        } else {
            (rest * Self::EACH, of)
        }
    }

    /// Returns how far another copy of the thread is from its first one.
    #[inline(always)]
    const fn further(copy: usize) -> (usize, usize) {
        if KIND == ALONG {
            let rounds = DEPTH / Self::ABREAST;
            (
                copy / rounds * (THREADS / Self::ABREAST),
                copy % rounds * Self::ABREAST,
            )
        } else {
            (0, copy * (THREADS / Self::ABREAST))
        }
    }

    /// Returns the part from row or column `start` on of a factor with `side` of them.
    #[inline(always)]
    fn new(elements: &[f32], start: usize, [side, depth]: [usize; 2], tile: *mut f32) -> Self {
        let elements = elements.as_ptr();
        gpu_assert!(
            KIND != ACROSS || side % 4 == 0 && elements.cast::<Sixteen<f32, 4>>().is_aligned(),
            "expected rows that are aligned to sixteen bytes"
        );
        let (first, first_k) = Self::first();
        let last = side - start - Self::EACH;
        let (next, pitch) = if KIND == ALONG {
            (elements.wrapping_add(start * depth), 1)
        } else {
            (elements.wrapping_add(start), side)
        };
        let offsets = from_fn(|copy| {
            let (more, more_k) = Self::further(copy);
            let index = (first + more).min(last);
            let element = if KIND == ALONG {
                // The distance of the `k` is a part of the instruction.
                index * depth + first_k
            } else {
                (first_k + more_k) * side + index
            };
            (element * size_of::<f32>()) as u32
        });
        let place = SharedPlace::new(tile).wrapping_add((first_k * PITCH + first) as u32);
        Factor {
            next,
            offsets,
            pitch,
            place,
        }
    }

    /// Starts a part of a step's copies to a stage. Where a `k` is not wanted there are zeros.
    ///
    /// # Safety
    /// The elements of the wanted `k` are in the matrix, and no thread accesses the place until the
    /// copies were waited for.
    #[inline(always)]
    unsafe fn start(&self, part: usize, stage: u32, is_wanted: impl Fn(usize) -> bool) {
        let copies = const { SIDE * DEPTH / Self::EACH / THREADS };
        let to = self.place.wrapping_add(stage);
        unroll::<COPIES>(|copy| {
            if copy >= copies || copy / (copies / PARTS) != part {
                return;
            }
            let (more, more_k) = Self::further(copy);
            let from = self.next.wrapping_byte_add(self.offsets[copy] as usize);
            let to = to.wrapping_add((more_k * PITCH + more) as u32);
            let is_wanted = is_wanted(Self::first().1 + more_k);
            // SAFETY: as the caller promises; a copy of sixteen bytes is aligned, as asserted.
            unsafe {
                if KIND == ACROSS {
                    let bytes = if is_wanted { 16 } else { 0 };
                    to.cast::<Sixteen<f32, 4>>()
                        .copy_async_prefix(from.cast(), bytes);
                } else {
                    let from = if KIND == ALONG {
                        from.wrapping_add(more_k)
                    } else {
                        from
                    };
                    let bytes = if is_wanted { 4 } else { 0 };
                    to.copy_async_prefix(from, bytes);
                }
            }
        });
    }

    /// Goes on by some `k`.
    #[inline(always)]
    fn advance(&mut self, k: usize) {
        self.next = self.next.wrapping_add(k * self.pitch);
    }
}
