//! `C = alpha A B + beta C`: products of matrices with tiles in shared memory and
//! tiles in registers.
//!
//! `shape` is `m`, `n`, `k` and the number of products, `factors` are `alpha` and `beta`. `A` is
//! `m` by `k`, `B` is `k` by `n`, `C` is `m` by `n`, row after row. The matrices of several
//! products follow each other. Any shape is allowed; slices shorter than their matrices fail an
//! assertion. If `beta` is 0, `C` is not read, so it may hold anything. Launch: 3-D grid of at
//! least `n / TILE` by `m / TILE` blocks, rounded up, of 256 threads; any number along z. A tile
//! has [`TILE`] rows and columns, or [`TILE_F64`].
//! Shows: each thread has 8 x 8 elements of `C` in registers (4 x 4 of `f64`). For each step along
//! `k` it loads 16 numbers from shared memory, four at a time, and does 64 multiplications with
//! them; `matmul_shared` loads two for one. Shared memory's throughput is no longer the limit.
//! There are two pairs of shared tiles: while one is multiplied, the next is loaded from global
//! memory through registers into the other, with one barrier for each pair.
//! Source: Professional CUDA C Programming, chapter 8 (cuBLAS); Volkov and Demmel, "Benchmarking
//! GPUs to Tune Dense Linear Algebra", 2008.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{
    block_idx_x, block_idx_y, block_idx_z, grid_dim_z, sync_threads, thread_idx_x,
};
use lanewise_std::unroll::unroll;
use lanewise_std::vector::Sixteen;
use lanewise_std::{Cells, DisjointSlice, gpu_assert};

use super::real::Real;

/// Rows and columns of `C` that a block computes.
pub const TILE: usize = 128;
/// Rows and columns of `C` that a block computes in double precision.
pub const TILE_F64: usize = 64;
/// Threads of a block, 16 by 16.
pub const THREADS: usize = 256;
/// Threads along a tile's side.
const SIDE: usize = 16;
/// Columns of `A` and rows of `B` that are in shared memory at a time. A thread loads sixteen
/// bytes of each.
const DEPTH: usize = 8;
/// Padding of a shared tile's row, in elements. With it, the elements of a column that are stored
/// together are in different banks.
const PAD: usize = 4;
const PAD_F64: usize = 2;
/// A thread's rows and columns: as many as fit in sixteen bytes in the first half of the
/// tile, and as many in the second. Then neighbouring threads read neighbouring groups, which
/// are in different banks.
const HALVES: usize = 2;

macro_rules! products {
    ($($(#[$doc:meta])* $name:ident($real:ident, $tile:ident, $pad:ident, $lanes:literal, $each:literal);)*) => {
        $(
            $(#[$doc])*
            #[kernel]
            #[launch_contract(dims = 3, block = (THREADS))]
            #[launch_bounds(256, 2)]
            pub fn $name(
                a: &[$real],
                b: &[$real],
                c: DisjointSlice<$real>,
                shape: [u32; 4],
                factors: [$real; 2],
            ) {
                shared! {
                    static A: [Sixteen<$real, $lanes>; 2 * DEPTH * ($tile + $pad) / $lanes]; // A's tiles turned, so that a column of them is a row here
                    static B: [Sixteen<$real, $lanes>; 2 * DEPTH * ($tile + $pad) / $lanes];
                }
                multiply::<$real, $lanes, $each, $tile, { $tile + $pad }>(a, b, c, shape, factors, [&A, &B]);
            }
        )*
    };
}

products! {
    /// Computes the product of two matrices in single precision, by tiles.
    gemm_register_tiled(f32, TILE, PAD, 4, 8);
    /// Computes the product of two matrices in double precision, by tiles.
    gemm_register_tiled_f64(f64, TILE_F64, PAD_F64, 2, 4);
}

/// The kernels' body. `LANES` elements have sixteen bytes, a thread computes `EACH` by `EACH`
/// elements, and `PITCH` is the stride of a shared tile's rows in elements.
#[inline(always)]
fn multiply<
    T: Real,
    const LANES: usize,
    const EACH: usize,
    const TILE: usize,
    const PITCH: usize,
>(
    a: &[T],
    b: &[T],
    mut c: DisjointSlice<T>,
    shape: [u32; 4],
    [alpha, beta]: [T; 2],
    [shared_a, shared_b]: [&Cells<Sixteen<T, LANES>>; 2],
) {
    let [m, n, k, batch] = shape.map(|side| side as usize);
    gpu_assert!(
        a.len() >= m * k * batch && b.len() >= k * n * batch && c.len() >= m * n * batch,
        "a matrix is shorter than its shape says"
    );
    let thread = thread_idx_x() as usize;
    let (top, left) = (block_idx_y() as usize * TILE, block_idx_x() as usize * TILE);
    // A warp has 8 columns and 4 rows of the threads. Lanes that differ in their first bit share a
    // row, and lanes that differ in their second bit share a column. Shared memory serves such
    // loads of sixteen bytes for more lanes at once.
    let (lane, warp) = (thread % 32, thread / 32);
    let column = warp % 2 * 8 + (lane >> 1 & 6 | lane & 1);
    let row = warp / 2 * 4 + (lane >> 3 & 2 | lane >> 1 & 1);
    // The elements of each tile that the thread loads, which are neighbours in a row.
    let (of_a, of_b) = (
        [thread / (DEPTH / LANES), thread % (DEPTH / LANES) * LANES],
        [thread / (TILE / LANES), thread % (TILE / LANES) * LANES],
    );
    let steps = k.div_ceil(DEPTH);

    for product in (block_idx_z() as usize..batch).step_by(grid_dim_z() as usize) {
        let a = Factor::<T, LANES>::new(a, product, [m, k], top + TILE <= m);
        let b = Factor::<T, LANES>::new(b, product, [k, n], left + TILE <= n);
        // ANCHOR: load
        let bring = |start: usize| {
            let is_whole = start + DEPTH <= k;
            (
                a.get(top + of_a[0], start + of_a[1], is_whole),
                b.get(start + of_b[0], left + of_b[1], is_whole),
            )
        };
        // ANCHOR_END: load
        // ANCHOR: keep
        let keep = |step: usize, (brought_a, brought_b): ([T; LANES], [T; LANES])| {
            let tile = step % 2 * DEPTH;
            // SAFETY: the places are below `2 * DEPTH * PITCH` elements in both. No two threads
            // have the same place, and no thread reads this pair of tiles. No type has two pairs of
            // tiles, one to fill and one to read.
            unsafe {
                for (i, brought) in brought_a.iter().enumerate() {
                    let place = (tile + of_a[1] + i) * PITCH + of_a[0];
                    shared_a.as_ptr().cast::<T>().add(place).write(*brought);
                }
                let place = ((tile + of_b[0]) * PITCH + of_b[1]) / LANES;
                shared_b.set_unchecked(place, Sixteen(brought_b));
            }
        };
        // ANCHOR_END: keep

        let mut sums = [[T::ZERO; EACH]; EACH];
        sync_threads(); // the tiles of the last product have been read
        if steps > 0 {
            keep(0, bring(0));
        }
        sync_threads(); // the first tiles are whole
        for step in 0..steps {
            let is_last = step + 1 == steps;
            // The next pair is loaded while this pair is multiplied.
            let next = if is_last {
                ([T::ZERO; LANES], [T::ZERO; LANES])
            } else {
                bring((step + 1) * DEPTH)
            };
            // ANCHOR: multiply
            unroll::<DEPTH>(|depth| {
                let line = (step % 2 * DEPTH + depth) * PITCH / LANES;
                // SAFETY: below `2 * DEPTH * PITCH` elements, and set before the barrier. No type
                // has two pairs of tiles, one to fill and one to read.
                let (rows, columns) = unsafe {
                    let half = SIDE;
                    (
                        [
                            shared_a.get_unchecked(line + row).0,
                            shared_a.get_unchecked(line + half + row).0,
                        ],
                        [
                            shared_b.get_unchecked(line + column).0,
                            shared_b.get_unchecked(line + half + column).0,
                        ],
                    )
                };
                for (y, sums) in sums.iter_mut().enumerate() {
                    for (x, sum) in sums.iter_mut().enumerate() {
                        *sum += rows[y / LANES][y % LANES] * columns[x / LANES][x % LANES];
                    }
                }
            });
            // ANCHOR_END: multiply
            if !is_last {
                keep(step + 1, next);
            }
            sync_threads(); // the next pair is whole, and this one has been read
        }

        let first = (top + row * LANES, left + column * LANES);
        // This loop is unrolled. An array that a loop indexes at run time would have to
        // be in memory.
        unroll::<EACH>(|i| {
            let y = first.0 + i / LANES * (TILE / HALVES) + i % LANES;
            if y < m {
                let start = (product * m + y) * n;
                // SAFETY: each thread has rows and columns of its own. No type has the rows and
                // columns of a thread in several products as owner.
                unsafe {
                    store_row::<T, LANES, EACH>(
                        &mut c,
                        start,
                        [first.1, n],
                        TILE,
                        &sums[i],
                        [alpha, beta],
                    )
                };
            }
        });
    }
}

/// Stores a thread's elements of a row of `C` that begins at `start`: one group from column `x` on,
/// and one half a tile further. Elements outside are left out.
///
/// # Safety
/// No other thread has elements of this row in these columns.
#[inline(always)]
unsafe fn store_row<T: Real, const LANES: usize, const EACH: usize>(
    c: &mut DisjointSlice<T>,
    start: usize,
    [x, n]: [usize; 2],
    tile: usize,
    sums: &[T; EACH],
    [alpha, beta]: [T; 2],
) {
    for half in 0..HALVES {
        let x = x + half * (tile / HALVES);
        let place = c.as_mut_ptr().wrapping_add(start + x);
        if x + LANES <= n && place.cast::<Sixteen<T, LANES>>().is_aligned() {
            let place = place.cast::<Sixteen<T, LANES>>();
            // SAFETY: aligned, inside the row, and this thread's, as the caller guarantees. No type
            // has such an owner.
            unsafe {
                let old = if beta == T::ZERO {
                    [T::ZERO; LANES]
                } else {
                    place.read().0.map(|old| beta * old)
                };
                place.write(Sixteen(from_fn(|i| {
                    alpha * sums[half * LANES + i] + old[i]
                })));
            }
        } else {
            for i in 0..LANES {
                if x + i < n {
                    // SAFETY: as the caller guarantees; a row has `n` elements. No type has such an
                    // owner.
                    if let Some(c) = unsafe { c.get_unique_mut(start + x + i) } {
                        let old = if beta == T::ZERO { T::ZERO } else { beta * *c };
                        *c = alpha * sums[half * LANES + i] + old;
                    }
                }
            }
        }
    }
}

/// A factor of the product. It is zero outside its edges, so a tile may extend beyond them.
struct Factor<T, const LANES: usize> {
    elements: *const T,
    rows: usize,
    columns: usize,
    /// Whether groups of elements may be loaded at once, and the block's tiles are inside those
    /// edges that the steps along `k` do not cross.
    is_inside: bool,
}

impl<T: Real, const LANES: usize> Factor<T, LANES> {
    /// Returns matrix `product` of those in `elements`, whose length the caller has checked.
    #[inline(always)]
    fn new(elements: &[T], product: usize, [rows, columns]: [usize; 2], is_inside: bool) -> Self {
        let elements = elements.as_ptr().wrapping_add(product * rows * columns);
        let is_aligned =
            columns.is_multiple_of(LANES) && elements.cast::<Sixteen<T, LANES>>().is_aligned();
        Factor {
            elements,
            rows,
            columns,
            is_inside: is_inside && is_aligned,
        }
    }

    /// Returns neighbours in a row. `is_whole` means that the step along `k` is inside.
    #[inline(always)]
    fn get(&self, row: usize, column: usize, is_whole: bool) -> [T; LANES] {
        let first = self.elements.wrapping_add(row * self.columns + column);
        if self.is_inside && is_whole {
            // SAFETY: the group is inside the edges and aligned, as `new` has checked: the columns
            // of groups are multiples of `LANES`. No index has a type that says so.
            return unsafe { first.cast::<Sixteen<T, LANES>>().read().0 };
        }
        from_fn(|i| {
            if row < self.rows && column + i < self.columns {
                // SAFETY: the element is inside the edges. No index has a type that says so.
                unsafe { first.add(i).read() }
            } else {
                T::ZERO
            }
        })
    }
}
