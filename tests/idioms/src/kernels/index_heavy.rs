//! Kernels whose work is mostly the computation of indices.

use lanewise_macros::{device, kernel};
use lanewise_std::{ConstantMemory, DisjointMatrix, DisjointSlice, thread};

/// Rows of `table`, chosen by `ids`; an id that is no row of the table gives zeros.
#[kernel]
#[launch_contract(dims = 1)]
pub fn gather_rows(table: &[f32], ids: &[i32], mut out: DisjointSlice<f32>, vocab: u32, dim: u32) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(&i) {
        let (row, col) = (i.get() / dim as usize, i.get() % dim as usize);
        let id = ids[row];
        *out = if id >= 0 && id < vocab as i32 {
            table[id as usize * dim as usize + col]
        } else {
            0.0
        };
    }
}

/// Writes each element to the place that `idx` gives, if there is one.
#[kernel]
#[launch_contract(dims = 1)]
pub fn scatter_guard(x: &[f32], idx: &[i32], mut out: DisjointSlice<f32>) {
    let i = thread::global_idx_x() as usize;
    if i < x.len() {
        let j = idx[i];
        if j >= 0 && (j as usize) < out.len() {
            // SAFETY: the indices that are in bounds are distinct.
            unsafe { out.write_unique(j as usize, x[i]) };
        }
    }
}

/// One step of diffusion on a grid, with five points.
#[kernel]
#[launch_contract(dims = 2)]
pub fn stencil_2d_5pt(input: &[f32], mut out: DisjointMatrix<f32>, alpha: f32) {
    let (nx, ny) = (out.columns(), out.rows());
    let at = thread::index_2d();
    let (x, y) = (at.x(), at.y());
    if let Some(out) = out.get_mut(&at) {
        let i = y * nx + x;
        let c = input[i];
        *out = if x > 0 && x < nx - 1 && y > 0 && y < ny - 1 {
            let lap = input[i - 1] + input[i + 1] + input[i - nx] + input[i + nx] - 4.0 * c;
            c + alpha * lap
        } else {
            c
        };
    }
}

/// The weights of [`conv2d_5x5`], row by row.
#[device]
pub static CONV_WEIGHTS: ConstantMemory<[f32; 25]> = ConstantMemory::new([0.0; 25]);

/// A convolution with 5 x 5 weights; the image is zero outside of its edges.
#[kernel]
#[launch_contract(dims = 2)]
pub fn conv2d_5x5(input: &[f32], mut out: DisjointMatrix<f32>) {
    let (w, h) = (out.columns() as i32, out.rows() as i32);
    let at = thread::index_2d();
    let (x, y) = (at.x() as i32, at.y() as i32);
    if let Some(out) = out.get_mut(&at) {
        let mut acc = 0.0;
        for dy in -2..=2 {
            for dx in -2..=2 {
                let (xx, yy) = (x + dx, y + dy);
                if xx >= 0 && xx < w && yy >= 0 && yy < h {
                    let weight = CONV_WEIGHTS.at(((dy + 2) * 5 + dx + 2) as usize);
                    acc += weight * input[(yy * w + xx) as usize];
                }
            }
        }
        *out = acc;
    }
}
