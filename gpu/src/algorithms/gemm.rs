//! `C = alpha A B + beta C`: a product of matrices with tiles in shared memory and tiles in registers.
//!
//! `shape` is `m`, `n` and `k`, `factors` are `alpha` and `beta`. `A` is `m` by `k`, `B` is `k` by `n`, `C` is `m` by `n`, row after row. Any shape will do; slices shorter than their matrices fail an assertion.
//! Where `beta` is 0, `C` is not read: it may hold anything.
//! Launch: 2-D grid of at least `n / 128` by `m / 128` blocks, rounded up, of 256 threads.
//! Shows: each thread has 8 x 8 elements of `C` in registers. For each step along `k` it loads 16 numbers from shared memory, four at a time, and
//! does 64 multiplications with them; `matmul_shared` loads two for one. What shared memory delivers no longer sets the pace.
//! Source: CUDA study notes, chapter 8 (cuBLAS); Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", 2008.

use core::array::from_fn;

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use lanewise_std::{DisjointSlice, gpu_assert};

/// Rows and columns of `C` that a block does.
pub const TILE: usize = 128;
/// Threads of a block: each does 8 x 8 elements.
pub const THREADS: usize = 256;
/// Columns of `A` and rows of `B` that are in shared memory at once.
const DEPTH: usize = 8;
/// Floats that are loaded at once.
const LANES: usize = 4;
/// Such groups in a tile's side.
const GROUPS: usize = TILE / LANES;
/// Elements of each of the two shared tiles that a thread brings.
const BRINGS: usize = TILE * DEPTH / THREADS;

/// Four neighbours, which one instruction loads.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Quad([f32; LANES]);

/// A thread's share of a tile: four rows or columns in the first half, and the same four in the second. Threads that are neighbours then read
/// neighbouring quads, which lie in different banks.
const HALVES: usize = 2;

/// The product of two matrices, by tiles.
#[kernel]
#[launch_contract(dims = 2, block = (THREADS))]
pub fn gemm_register_tiled(
    a: &[f32],
    b: &[f32],
    mut c: DisjointSlice<f32>,
    shape: [u32; 3],
    factors: [f32; 2],
) {
    shared! {
        static A: [[Quad; GROUPS]; DEPTH]; // A's tile turned, so that a column of it is a row here
        static B: [[Quad; GROUPS]; DEPTH];
    }
    let [m, n, k] = shape.map(|side| side as usize);
    let [alpha, beta] = factors;
    let (a, b) = (Factor::new(a, m, k), Factor::new(b, k, n));
    let (top, left) = (block_idx_y() as usize * TILE, block_idx_x() as usize * TILE);
    let thread = thread_idx_x() as usize;
    let (column, row) = (thread % 16, thread / 16);

    let mut sums = [[0.0f32; HALVES * LANES]; HALVES * LANES];
    for start in (0..k).step_by(DEPTH) {
        // What the thread brings: a row's neighbours of A are 8 threads', a row of B is 128 threads'.
        let of_a: [f32; BRINGS] = from_fn(|i| {
            let y = top + thread / DEPTH + i * (THREADS / DEPTH);
            a.get(y, start + thread % DEPTH)
        });
        let of_b: [f32; BRINGS] = from_fn(|i| {
            let y = start + thread / TILE + i * (THREADS / TILE);
            b.get(y, left + thread % TILE)
        });
        sync_threads(); // the tiles of the last step have been read
        for (i, (of_a, of_b)) in of_a.iter().zip(&of_b).enumerate() {
            let place_of_a = (thread % DEPTH) * TILE + thread / DEPTH + i * (THREADS / DEPTH);
            let place_of_b = (thread / TILE + i * (THREADS / TILE)) * TILE + thread % TILE;
            // SAFETY: below `TILE * DEPTH` floats each; no two threads have the same place.
            unsafe {
                A.as_ptr().cast::<f32>().add(place_of_a).write(*of_a);
                B.as_ptr().cast::<f32>().add(place_of_b).write(*of_b);
            }
        }
        sync_threads(); // the tiles are whole

        for depth in 0..DEPTH {
            // SAFETY: set before the barrier.
            let (rows, columns) = unsafe {
                let rows = [A.get_at(depth, row), A.get_at(depth, GROUPS / 2 + row)];
                let columns = [
                    B.get_at(depth, column),
                    B.get_at(depth, GROUPS / 2 + column),
                ];
                (rows, columns)
            };
            for (y, sums) in sums.iter_mut().enumerate() {
                for (x, sum) in sums.iter_mut().enumerate() {
                    *sum += rows[y / LANES].0[y % LANES] * columns[x / LANES].0[x % LANES];
                }
            }
        }
    }

    let first = (top + row * LANES, left + column * LANES);
    // Written out: an array that a loop goes through with a running index would have to be in memory.
    macro_rules! store {
        ($($i:literal)*) => {
            $(
                let y = first.0 + $i / LANES * (TILE / 2) + $i % LANES;
                // SAFETY: threads have rows and columns of their own.
                unsafe { store_row(&mut c, [m, n], [y, first.1], &sums[$i], [alpha, beta]) };
            )*
        };
    }
    store!(0 1 2 3 4 5 6 7);
}

/// Stores a thread's eight elements of a row of `C`: four from column `x` on, and four half a tile further. What is outside is left out.
///
/// # Safety
/// No other thread has elements of row `y` in these columns.
#[inline(always)]
unsafe fn store_row(
    c: &mut DisjointSlice<f32>,
    [m, n]: [usize; 2],
    [y, x]: [usize; 2],
    sums: &[f32; HALVES * LANES],
    [alpha, beta]: [f32; 2],
) {
    for (j, sum) in sums.iter().enumerate() {
        let x = x + j / LANES * (TILE / 2) + j % LANES;
        if y < m && x < n {
            // SAFETY: as the caller says; a row has `n` elements.
            if let Some(c) = unsafe { c.get_unique_mut(y * n + x) } {
                let kept = if beta == 0.0 { 0.0 } else { beta * *c };
                *c = alpha * sum + kept;
            }
        }
    }
}

/// A factor: zero outside of its edges, so that a tile may hang over them.
struct Factor<'a> {
    elements: &'a [f32],
    rows: usize,
    columns: usize,
}

impl<'a> Factor<'a> {
    #[inline(always)]
    fn new(elements: &'a [f32], rows: usize, columns: usize) -> Self {
        gpu_assert!(
            elements.len() >= rows * columns,
            "a factor is shorter than its shape says"
        );
        Factor {
            elements,
            rows,
            columns,
        }
    }

    #[inline(always)]
    fn get(&self, row: usize, column: usize) -> f32 {
        if row >= self.rows || column >= self.columns {
            return 0.0;
        }
        // SAFETY: inside the edges, and `new` has seen that the elements are all there.
        unsafe { *self.elements.get_unchecked(row * self.columns + column) }
    }
}
