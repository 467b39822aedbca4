//! `C = alpha A B + beta C` in double precision, in the tensor cores.
//!
//! A block computes a tile of `C`, and each of its warps a part of `WARP_ROWS` by
//! `WARP_COLUMNS` by `mma.sync`. Tiles of both factors come to shared memory by asynchronous
//! copies, some steps ahead of the products. They keep the order that they have in memory: rows of
//! `DEPTH` elements along the inner dimension, or rows across it. A row of either kind is four
//! elements longer than what it holds. So the sixteen lanes that are served at once, four
//! neighbours in each dimension, load from different banks.
//!
//! If `k` is not a multiple of `DEPTH`, the short step comes first, and is filled up with zeros.
//! Rows and columns outside of a matrix are zeros, too, and their sums are not stored.

use core::array::from_fn;

use lanewise_macros::kernel;
use lanewise_std::async_copy::{SharedPlace, commit_group, wait_group};
use lanewise_std::matrix::warp::{Sum, multiply_add_f64_deep};
use lanewise_std::thread::{sync_threads, thread_idx_x};
use lanewise_std::unroll::unroll;
use lanewise_std::warp::{lane_id, warp_id};
use lanewise_std::{DisjointSlice, DynamicSharedArray, gpu_assert};

use super::gemm::{ALONG, Tile, store};
use super::sixteen::Sixteen;

/// Rows of a block's tile.
pub const ROWS: usize = 128;
/// Columns of a block's tile.
pub const COLUMNS: usize = 128;
/// Threads of a block.
pub const THREADS: usize = ROWS / WARP_ROWS * (COLUMNS / WARP_COLUMNS) * 32;
/// Bytes of dynamic shared memory.
pub const SHARED_BYTES: u32 = (STAGES * STAGE * size_of::<f64>()) as u32;

/// Rows of a warp's part of the tile.
const WARP_ROWS: usize = 64;
/// Columns of a warp's part of the tile.
const WARP_COLUMNS: usize = 32;
/// The `k` of a step.
const DEPTH: usize = 16;
/// The `k` of an instruction.
const EACH: usize = 8;
/// A step starts its copies in so many parts, one for each `k` of an instruction.
const PARTS: usize = DEPTH / EACH;
/// Places for the tiles of a step.
const STAGES: usize = 5;
/// Elements that a row of a shared tile has more than it holds.
const MORE: usize = 4;
/// Elements of the places of the tiles of a step: `A`'s and then `B`'s. Rows of `DEPTH` need more.
const STAGE: usize = (ROWS + COLUMNS) * (DEPTH + MORE);
/// Tiles of an instruction in a warp's rows and columns.
const DOWN: usize = WARP_ROWS / 16;
const ACROSS: usize = WARP_COLUMNS / 8;

/// Computes `C = alpha A B + beta C`, where `shape` is `m`, `n`, `k` and the number of products,
/// whose matrices follow each other. `A` has `m` rows of `k` elements if it is [`ALONG`], else it
/// is given as its transpose. `B` has `n` rows of `k` elements if it is [`ALONG`], as its
/// transpose, and else `k` rows of `n`. If rows are `ALIGNED`, those of both factors begin at
/// multiples of sixteen bytes. If `beta` is 0, `C` is not read. The grid has a block for each tile
/// of each product.
#[kernel(min_arch = "sm_90", instances(
    (0, 0, false), (0, 1, false), (1, 0, false), (1, 1, false),
    (0, 0, true), (0, 1, true), (1, 0, true), (1, 1, true)
))]
#[launch_bounds(256, 1)]
#[launch_contract(dims = 1, block = (THREADS))]
pub fn gemm_f64<const A: u32, const B: u32, const ALIGNED: bool>(
    a: &[f64],
    b: &[f64],
    mut c: DisjointSlice<f64>,
    shape: [u32; 4],
    factors: [f64; 2],
) {
    let [m, n, k, batch] = shape.map(|side| side as usize);
    let tile = Tile::of_block([m, n], [ROWS, COLUMNS]);
    let shared = DynamicSharedArray::<Sixteen<f64, 2>>::get();
    let holds = |len: usize, size: usize| len >= size.saturating_mul(batch);
    gpu_assert!(
        holds(a.len(), m * k) && holds(b.len(), k * n) && holds(c.len(), m * n),
        "a matrix is shorter than its shape says"
    );
    gpu_assert!(
        m > 0 && n > 0 && tile.product < batch,
        "expected a block for each tile"
    );
    gpu_assert!(
        shared.len() * size_of::<Sixteen<f64, 2>>() >= SHARED_BYTES as usize,
        "expected more dynamic shared memory"
    );
    let shared = shared.as_ptr().cast::<f64>();
    let of_b = shared.wrapping_add(ROWS * (DEPTH + MORE));
    let mut a =
        Factor::<A, ALIGNED, ROWS>::new(&a[tile.product * m * k..], tile.top, [m, k], shared);
    let mut b =
        Factor::<B, ALIGNED, COLUMNS>::new(&b[tile.product * k * n..], tile.left, [n, k], of_b);
    let steps = k.div_ceil(DEPTH);
    let short = k - steps.saturating_sub(1) * DEPTH;
    for step in 0..STAGES - 1 {
        let depth = match step {
            0 => short,
            _ if step < steps => DEPTH,
            _ => 0,
        };
        for part in 0..PARTS {
            // SAFETY: no thread accesses the place before the barrier that follows a wait, and so
            // many `k` are left.
            unsafe {
                a.start(part, (step * STAGE) as u32, depth);
                b.start(part, (step * STAGE) as u32, depth);
            }
        }
        commit_group();
        a.advance(depth);
        b.advance(depth);
    }

    let (lane, warp) = (lane_id() as usize, warp_id() as usize);
    let row = warp % (ROWS / WARP_ROWS) * WARP_ROWS;
    let column = warp / (ROWS / WARP_ROWS) * WARP_COLUMNS;
    let first_a = shared.wrapping_add(place::<A, ROWS>(row + lane / 4, lane % 4));
    let first_b = of_b.wrapping_add(place::<B, COLUMNS>(column + lane / 4, lane % 4));
    // SAFETY: of both, in the stages, aligned, and called for a step whose copies were waited for.
    let load = |place: *const f64| unsafe { place.read() };
    let parts_of_a = |stage: u32, part: usize| -> [[f64; EACH / 2]; DOWN] {
        let first = first_a.wrapping_add(stage as usize);
        from_fn(|tile| {
            from_fn(|i| {
                let (row, k) = (tile * 16 + i % 2 * 8, part * EACH + i / 2 * 4);
                load(first.wrapping_add(place::<A, ROWS>(row, k)))
            })
        })
    };
    let parts_of_b = |stage: u32, part: usize| -> [[f64; EACH / 4]; ACROSS] {
        let first = first_b.wrapping_add(stage as usize);
        from_fn(|tile| {
            from_fn(|i| {
                load(first.wrapping_add(place::<B, COLUMNS>(tile * 8, part * EACH + i * 4)))
            })
        })
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
    let mut parts_a = [parts_of_a(0, 0), [[0.0; EACH / 2]; DOWN]];
    let mut parts_b = [parts_of_b(0, 0), [[0.0; EACH / 4]; ACROSS]];
    let mut sums = [[Sum::<f64>::default(); ACROSS]; DOWN];
    for step in 0..steps {
        unroll::<PARTS>(|part| {
            let depth = if step + STAGES - 1 < steps { DEPTH } else { 0 };
            // SAFETY: all threads have read what was there: the barrier of the previous step.
            unsafe {
                a.start(part, writing, depth);
                b.start(part, writing, depth);
            }
            if part == PARTS - 1 {
                commit_group();
                a.advance(depth);
                b.advance(depth);
                reading = next(reading);
                writing = next(writing);
                wait_group::<{ STAGES as u32 - 2 }>();
                sync_threads(); // the next step is in shared memory, and this one has been read
            }
            parts_a[(part + 1) % 2] = parts_of_a(reading, (part + 1) % PARTS);
            parts_b[(part + 1) % 2] = parts_of_b(reading, (part + 1) % PARTS);
            for i in 0..DOWN {
                for j in 0..ACROSS {
                    let (x, y) = (parts_a[part % 2][i], parts_b[part % 2][j]);
                    sums[i][j] = multiply_add_f64_deep(x, y, sums[i][j]);
                }
            }
        });
    }

    let are_aligned = n % 2 == 0 && c.as_mut_ptr().cast::<Sixteen<f64, 2>>().is_aligned();
    unroll::<DOWN>(|i| {
        for half in 0..2 {
            let y = tile.top + row + i * 16 + half * 8 + lane / 4;
            for j in 0..ACROSS {
                let x = tile.left + column + j * 8 + lane % 4 * 2;
                if y < m && x < n {
                    let place = c.as_mut_ptr().wrapping_add((tile.product * m + y) * n + x);
                    let count = if are_aligned { 2 } else { n - x };
                    let sums = [0, 1].map(|x| sums[i][j].elements()[half * 2 + x]);
                    // SAFETY: inside of the row, which is in the slice as was asserted; each thread
                    // has elements of its own.
                    unsafe { store(place, count, are_aligned, sums, factors) };
                }
            }
        }
    });
}

/// Returns where an element of a tile is in its place: the element of a row or column of the
/// matrix, at this `k`.
const fn place<const KIND: u32, const SIDE: usize>(side: usize, k: usize) -> usize {
    if KIND == ALONG {
        side * (DEPTH + MORE) + k
    } else {
        k * (SIDE + MORE) + side
    }
}

/// A factor of the product: where the block's part of it is, and what the thread copies of that.
struct Factor<const KIND: u32, const ALIGNED: bool, const SIDE: usize> {
    /// The thread's first element of the next step.
    next: *const f64,
    /// Elements of a row in memory.
    pitch: usize,
    /// Rows or columns of the matrix from the thread's first one on.
    left: usize,
    /// The place of the thread's first copy, in the first stage.
    place: SharedPlace<f64>,
}

impl<const KIND: u32, const ALIGNED: bool, const SIDE: usize> Factor<KIND, ALIGNED, SIDE> {
    /// Elements of a copy.
    const OF_COPY: usize = if ALIGNED { 2 } else { 1 };
    /// Copies of a thread for a step.
    const COPIES: usize = SIDE * DEPTH / Self::OF_COPY / THREADS;
    /// Threads whose copies are neighbours in memory.
    const ABREAST: usize = (if KIND == ALONG { DEPTH } else { SIDE }) / Self::OF_COPY;
    /// Rows in memory from one copy of a thread to the next.
    const FURTHER: usize = THREADS / Self::ABREAST;

    /// Returns the row or column of the thread's first copy in the tile, and its `k`.
    #[inline(always)]
    fn first() -> (usize, usize) {
        let thread = thread_idx_x() as usize;
        let (of, rest) = (
            thread / Self::ABREAST,
            thread % Self::ABREAST * Self::OF_COPY,
        );
        if KIND == ALONG {
            (of, rest)
        } else {
            (rest, of)
        }
    }

    /// Returns the part from row or column `start` on of a factor with `side` of them.
    #[inline(always)]
    fn new(elements: &[f64], start: usize, [side, depth]: [usize; 2], tile: *mut f64) -> Self {
        let elements = elements.as_ptr();
        let pitch = if KIND == ALONG { depth } else { side };
        gpu_assert!(
            !ALIGNED || pitch % 2 == 0 && elements.cast::<Sixteen<f64, 2>>().is_aligned(),
            "expected rows that are aligned to sixteen bytes"
        );
        let (first, k) = Self::first();
        let index = if KIND == ALONG {
            (start + first) * pitch + k
        } else {
            k * pitch + start + first
        };
        Factor {
            next: elements.wrapping_add(index),
            pitch,
            left: side.saturating_sub(start + first),
            place: SharedPlace::new(tile).wrapping_add(place::<KIND, SIDE>(first, k) as u32),
        }
    }

    /// Starts a part of a step's copies to a stage. Outside of the matrix, and from the `k` of
    /// number `depth` on, there are zeros.
    ///
    /// # Safety
    /// The matrix has so many `k` left, and no thread accesses the place until the copies were
    /// waited for.
    #[inline(always)]
    unsafe fn start(&self, part: usize, stage: u32, depth: usize) {
        let to = self.place.wrapping_add(stage);
        let k = Self::first().1;
        unroll::<16>(|copy| {
            if copy >= Self::COPIES || copy * PARTS / Self::COPIES != part {
                return;
            }
            let further = copy * Self::FURTHER;
            let from = self.next.wrapping_add(further * self.pitch);
            let (is_wanted, more) = if KIND == ALONG {
                (
                    further < self.left && k < depth,
                    place::<KIND, SIDE>(further, 0),
                )
            } else {
                (
                    self.left > 0 && k + further < depth,
                    place::<KIND, SIDE>(0, further),
                )
            };
            let to = to.wrapping_add(more as u32);
            // SAFETY: as the caller promises; a copy of sixteen bytes is aligned, as asserted, and
            // all of it is inside: rows are whole copies.
            unsafe {
                if ALIGNED {
                    let bytes = if is_wanted { 16 } else { 0 };
                    to.cast::<Sixteen<f64, 2>>()
                        .copy_async_prefix(from.cast(), bytes);
                } else {
                    to.copy_async_prefix(from, if is_wanted { 8 } else { 0 });
                }
            }
        });
    }

    /// Goes on by some `k`.
    #[inline(always)]
    fn advance(&mut self, k: usize) {
        let elements = if KIND == ALONG { k } else { k * self.pitch };
        self.next = self.next.wrapping_add(elements);
    }
}
