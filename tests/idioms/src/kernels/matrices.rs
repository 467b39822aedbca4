//! Products and a transpose through shared memory.

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{
    self, block_idx_x, block_idx_y, sync_threads, thread_idx_x, thread_idx_y,
};
use lanewise_std::warp::{FULL_MASK, shuffle_down_sync};
use lanewise_std::{DisjointMatrix, DisjointSlice};

/// The side of a tile of [`matmul_tiled_32`] and [`transpose_padded`].
pub const TILE: usize = 32;

/// `c = a b` with one element a thread; tiles that reach past an edge are filled with zeros.
#[kernel]
#[launch_contract(dims = 2, block = (TILE, TILE))]
pub fn matmul_tiled_32(a: &[f32], b: &[f32], mut c: DisjointMatrix<f32>, m: u32, n: u32, k: u32) {
    shared! {
        static A: [[f32; TILE]; TILE];
        static B: [[f32; TILE]; TILE];
    }
    let (m, n, k) = (m as usize, n as usize, k as usize);
    let (tx, ty) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let row = block_idx_y() as usize * TILE + ty;
    let col = block_idx_x() as usize * TILE + tx;
    let mut acc = 0.0;
    for t in (0..k).step_by(TILE) {
        let left = if row < m && t + tx < k {
            a[row * k + t + tx]
        } else {
            0.0
        };
        let right = if t + ty < k && col < n {
            b[(t + ty) * n + col]
        } else {
            0.0
        };
        // SAFETY: each thread sets its own cells; all have read the last tiles before the barrier
        // below.
        unsafe {
            A.set_at(ty, tx, left);
            B.set_at(ty, tx, right);
        }
        sync_threads();
        for j in 0..TILE {
            // SAFETY: set before the barrier.
            acc += unsafe { A.get_at(ty, j) * B.get_at(j, tx) };
        }
        sync_threads();
    }
    if let Some(c) = c.get_mut(&thread::index_2d()) {
        *c = acc;
    }
}

/// The side of a block's tile of [`matmul_regtile_64`].
pub const WIDE: usize = 64;
/// The columns of `a` in each step of [`matmul_regtile_64`].
pub const DEEP: usize = 16;
/// The side of a thread's elements of [`matmul_regtile_64`].
pub const EACH: usize = 4;

/// `c = a b` with 4 x 4 elements a thread, in registers. Sizes are multiples of the tile.
#[kernel]
#[launch_contract(dims = 2, block = (256))]
pub fn matmul_regtile_64(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, n: u32, k: u32) {
    shared! {
        static A: [[f32; DEEP]; WIDE];
        static B: [[f32; WIDE]; DEEP];
    }
    let (n, k) = (n as usize, k as usize);
    let tid = thread_idx_x() as usize;
    let (tx, ty) = (tid % 16, tid / 16);
    let row0 = block_idx_y() as usize * WIDE;
    let col0 = block_idx_x() as usize * WIDE;
    let mut acc = [[0.0; EACH]; EACH];
    for t in (0..k).step_by(DEEP) {
        for e in (tid..WIDE * DEEP).step_by(256) {
            let left = a[(row0 + e / DEEP) * k + t + e % DEEP];
            let right = b[(t + e / WIDE) * n + col0 + e % WIDE];
            // SAFETY: each thread sets its own cells; all have read the last tiles before the
            // barrier below.
            unsafe {
                A.set_at(e / DEEP, e % DEEP, left);
                B.set_at(e / WIDE, e % WIDE, right);
            }
        }
        sync_threads();
        for j in 0..DEEP {
            let mut of_a = [0.0; EACH];
            let mut of_b = [0.0; EACH];
            for p in 0..EACH {
                // SAFETY: set before the barrier.
                of_a[p] = unsafe { A.get_at(ty * EACH + p, j) };
            }
            for q in 0..EACH {
                // SAFETY: set before the barrier.
                of_b[q] = unsafe { B.get_at(j, tx * EACH + q) };
            }
            for p in 0..EACH {
                for q in 0..EACH {
                    acc[p][q] += of_a[p] * of_b[q];
                }
            }
        }
        sync_threads();
    }
    for p in 0..EACH {
        for q in 0..EACH {
            let at = (row0 + ty * EACH + p) * n + col0 + tx * EACH + q;
            // SAFETY: each block has its own tile, and each thread its own elements of it.
            unsafe { c.write_unique(at, acc[p][q]) };
        }
    }
}

/// Transposes through a tile whose rows have one element of padding.
#[kernel]
#[launch_contract(dims = 2, block = (TILE, 8))]
pub fn transpose_padded(input: &[f32], mut out: DisjointSlice<f32>, rows: u32, cols: u32) {
    shared! { static T: [[f32; TILE + 1]; TILE]; }
    let (rows, cols) = (rows as usize, cols as usize);
    let (tx, ty) = (thread_idx_x() as usize, thread_idx_y() as usize);
    let (left, top) = (block_idx_x() as usize * TILE, block_idx_y() as usize * TILE);
    let (x, y) = (left + tx, top + ty);
    for j in (0..TILE).step_by(8) {
        if x < cols && y + j < rows {
            // SAFETY: each thread sets its own cells.
            unsafe { T.set_at(ty + j, tx, input[(y + j) * cols + x]) };
        }
    }
    sync_threads();
    let (x, y) = (top + tx, left + ty);
    for j in (0..TILE).step_by(8) {
        if x < rows && y + j < cols {
            // SAFETY: the cell was set before the barrier, and the element of the output is this
            // thread's alone.
            unsafe { out.write_unique((y + j) * rows + x, T.get_at(tx, ty + j)) };
        }
    }
}

/// `y = a x` with a row for each warp.
#[kernel]
#[launch_contract(dims = 1)]
pub fn gemv_warp(a: &[f32], x: &[f32], mut y: DisjointSlice<f32>, rows: u32, cols: u32) {
    let row = thread::global_idx_x() / 32;
    let lane = thread_idx_x() as usize % 32;
    if row >= rows {
        return;
    }
    let (row, cols) = (row as usize, cols as usize);
    let mut acc = 0.0;
    for c in (lane..cols).step_by(32) {
        acc += a[row * cols + c] * x[c];
    }
    let mut k = 16;
    while k > 0 {
        acc += shuffle_down_sync(FULL_MASK, acc, k);
        k /= 2;
    }
    if lane == 0 {
        // SAFETY: one lane of the one warp that has this row is here.
        unsafe { y.write_unique(row, acc) };
    }
}
