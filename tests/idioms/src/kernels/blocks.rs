//! Work that a block does in shared memory, and grids of cells, text and records.

use lanewise_macros::{kernel, shared};
use lanewise_std::thread::{
    self, block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z,
    sync_threads, thread_idx_x, thread_idx_y, thread_idx_z,
};
use lanewise_std::{DisjointMatrix, DisjointSlice};

use super::structures::Particle;

/// The side of a block's tile of [`matmul_128`].
pub const SIDE: usize = 128;
/// The columns of `a` in each of its steps.
pub const DEPTH: usize = 8;
/// The side of a thread's elements.
const OWN: usize = 8;

/// `c = a b` with 8 x 8 elements a thread, in registers. Sizes are multiples of the tile.
#[kernel]
#[launch_contract(dims = 2, block = 256)]
pub fn matmul_128(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>, n: u32, k: u32) {
    shared! {
        static A: [[f32; SIDE]; DEPTH];
        static B: [[f32; SIDE]; DEPTH];
    }
    let (n, k) = (n as usize, k as usize);
    let tid = thread_idx_x() as usize;
    let (tx, ty) = (tid % 16, tid / 16);
    let row0 = block_idx_y() as usize * SIDE;
    let col0 = block_idx_x() as usize * SIDE;
    let mut sums = [[0.0; OWN]; OWN];
    for t in (0..k).step_by(DEPTH) {
        for e in (tid..SIDE * DEPTH).step_by(256) {
            // SAFETY: each thread sets its own cells; all have read the last tiles before the
            // barrier at the loop's end.
            unsafe {
                A.set_at(
                    e % DEPTH,
                    e / DEPTH,
                    a[(row0 + e / DEPTH) * k + t + e % DEPTH],
                );
                B.set_at(e / SIDE, e % SIDE, b[(t + e / SIDE) * n + col0 + e % SIDE]);
            }
        }
        sync_threads();
        for j in 0..DEPTH {
            let (mut of_a, mut of_b) = ([0.0; OWN], [0.0; OWN]);
            for p in 0..OWN {
                // SAFETY: set before the barrier.
                unsafe {
                    of_a[p] = A.get_at(j, ty * OWN + p);
                    of_b[p] = B.get_at(j, tx * OWN + p);
                }
            }
            for p in 0..OWN {
                for q in 0..OWN {
                    sums[p][q] += of_a[p] * of_b[q];
                }
            }
        }
        sync_threads();
    }
    for p in 0..OWN {
        for q in 0..OWN {
            let at = (row0 + ty * OWN + p) * n + col0 + tx * OWN + q;
            // SAFETY: each block has its own tile, and each thread its own elements of it.
            unsafe { c.write_unique(at, sums[p][q]) };
        }
    }
}

/// One step of diffusion in a volume, with seven points. The border stays as it is.
#[kernel]
#[launch_contract(dims = 3)]
pub fn stencil_3d_7pt(
    input: &[f32],
    mut out: DisjointSlice<f32>,
    nx: u32,
    ny: u32,
    nz: u32,
    alpha: f32,
) {
    let (nx, ny, nz) = (nx as usize, ny as usize, nz as usize);
    let x = (block_idx_x() * block_dim_x() + thread_idx_x()) as usize;
    let y = (block_idx_y() * block_dim_y() + thread_idx_y()) as usize;
    let z = (block_idx_z() * block_dim_z() + thread_idx_z()) as usize;
    if x >= nx || y >= ny || z >= nz {
        return;
    }
    let i = (z * ny + y) * nx + x;
    let c = input[i];
    let is_inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
    let value = if is_inside {
        let around = input[i - 1] + input[i + 1] + input[i - nx] + input[i + nx];
        let across = input[i - nx * ny] + input[i + nx * ny];
        c + alpha * (around + across - 6.0 * c)
    } else {
        c
    };
    // SAFETY: each thread has its own cell of the volume.
    unsafe { out.write_unique(i, value) };
}

/// The elements of a block of [`scan_block`] and [`bitonic_sort`].
pub const PIECE: usize = 1024;

/// Running sums of each piece of 1024 elements.
#[kernel]
#[launch_contract(dims = 1, block = PIECE)]
pub fn scan_block(x: &[u32], mut out: DisjointSlice<u32>) {
    shared! { static SUMS: [u32; PIECE]; }
    let tid = thread_idx_x() as usize;
    let i = thread::index_1d();
    let mut sum = x.get(i.get()).copied().unwrap_or(0);
    let mut distance = 1;
    // SAFETY: each thread sets its own cell, and barriers keep the steps apart.
    unsafe {
        SUMS.set(tid, sum);
        sync_threads();
        while distance < PIECE {
            let before = if tid >= distance {
                SUMS.get(tid - distance)
            } else {
                0
            };
            sync_threads();
            sum = sum.wrapping_add(before);
            SUMS.set(tid, sum);
            sync_threads();
            distance *= 2;
        }
    }
    if let Some(out) = out.get_mut(&i) {
        *out = sum;
    }
}

/// Sorts each piece of 1024 elements by a network of comparisons.
#[kernel]
#[launch_contract(dims = 1, block = PIECE)]
pub fn bitonic_sort(mut keys: DisjointSlice<u32>) {
    shared! { static KEYS: [u32; PIECE]; }
    let tid = thread_idx_x() as usize;
    let own = thread::index_1d();
    let key = keys.get_mut(&own).map_or(u32::MAX, |key| *key);
    // SAFETY: each pair of cells has one thread, and barriers keep the steps apart.
    let key = unsafe {
        KEYS.set(tid, key);
        sync_threads();
        let mut size = 2;
        while size <= PIECE {
            let mut distance = size / 2;
            while distance > 0 {
                let other = tid ^ distance;
                if other > tid {
                    let (a, b) = (KEYS.get(tid), KEYS.get(other));
                    let rises = tid & size == 0;
                    if (a > b) == rises {
                        KEYS.set(tid, b);
                        KEYS.set(other, a);
                    }
                }
                sync_threads();
                distance /= 2;
            }
            size *= 2;
        }
        KEYS.get(tid)
    };
    if let Some(out) = keys.get_mut(&own) {
        *out = key;
    }
}

/// A step of Conway's Game of Life on a torus; a cell is alive if it is not 0.
#[kernel]
#[launch_contract(dims = 2)]
pub fn life_u8(cells: &[u8], mut out: DisjointMatrix<u8>) {
    let (w, h) = (out.columns(), out.rows());
    let at = thread::index_2d();
    if let Some(out) = out.get_mut(&at) {
        let mut alive = 0;
        for dy in [h - 1, 0, 1] {
            for dx in [w - 1, 0, 1] {
                let (x, y) = ((at.x() + dx) % w, (at.y() + dy) % h);
                if (dx, dy) != (0, 0) && cells[y * w + x] != 0 {
                    alive += 1;
                }
            }
        }
        let is_alive = cells[at.y() * w + at.x()] != 0;
        *out = u8::from(alive == 3 || (is_alive && alive == 2));
    }
}

/// Marks each place of the text at which the pattern begins.
#[kernel]
#[launch_contract(dims = 1)]
pub fn string_search(text: &[u8], pattern: &[u8], mut found: DisjointSlice<u8>) {
    let i = thread::index_1d();
    if let Some(found) = found.get_mut(&i) {
        let i = i.get();
        *found = u8::from(i + pattern.len() <= text.len() && text[i..].starts_with(pattern));
    }
}

/// Transposes a matrix of structures, one a thread.
#[kernel]
#[launch_contract(dims = 2)]
pub fn transpose_records(
    input: &[Particle],
    mut out: DisjointSlice<Particle>,
    rows: u32,
    cols: u32,
) {
    let at = thread::index_2d();
    let (rows, cols) = (rows as usize, cols as usize);
    if at.x() < cols && at.y() < rows {
        let record = input[at.y() * cols + at.x()];
        // SAFETY: each thread has its own element of the transposed matrix.
        unsafe { out.write_unique(at.x() * rows + at.y(), record) };
    }
}
