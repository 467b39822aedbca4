//! Reads through a texture: a table with interpolation between its entries, an image at another
//! size, and an image that is moved.
//!
//! Launch: any grid and block of one dimension (`texture_1d`) or two; at least one thread for each
//! element of `output`. Each thread fetches once and writes once; elements past the end of `output`
//! are left alone.
//! Shows: the sampler replaces index arithmetic and branches. It interpolates neighbours with
//! weights of 9 bits. Outside of the image it returns its edge, the image again, or a border. The
//! reads of these kernels have no bounds check.
//! Source: CUDA C++ Programming Guide, "Texture and Surface Memory", "Texture Fetching"; PTX ISA,
//! `tex`.

use lanewise_macros::kernel;
use lanewise_std::texture::{Texture1d, Texture2d};
use lanewise_std::{DisjointMatrix, DisjointSlice, thread};

/// `output[i]` is the table at `at[i]`, a coordinate in entries: at `n + 0.5` the value is that of
/// entry `n` alone.
#[kernel]
#[launch_contract(dims = 1)]
pub fn texture_1d(table: Texture1d, at: &[f32], mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let Some(&x) = at.get(index.get()) else {
        return;
    };
    if let Some(value) = output.get_mut(&index) {
        *value = table.sample(x);
    }
}

/// Resizes the image to the number of pixels of `output`. Its coordinates are normalised: they run
/// from 0 to 1 for any image size.
#[kernel]
#[launch_contract(dims = 2)]
pub fn texture_2d_linear(image: Texture2d, mut output: DisjointMatrix<f32>) {
    let (width, height) = (output.columns() as f32, output.rows() as f32);
    if let Some((pixel, at)) = output.get_mut_indexed() {
        // These are centres of pixels, because centres of texels are at halves.
        let (x, y) = (at.x() as f32 + 0.5, at.y() as f32 + 0.5);
        *pixel = image.sample(x / width, y / height);
    }
}

/// Moves the image, which has the size of `output`, right by `dx` and down by `dy`. Outside of the
/// image, the sampler defines the values.
#[kernel]
#[launch_contract(dims = 2)]
pub fn texture_2d_border(image: Texture2d, mut output: DisjointMatrix<f32>, dx: i32, dy: i32) {
    if let Some((pixel, at)) = output.get_mut_indexed() {
        let (column, row) = (at.x() as i32 - dx, at.y() as i32 - dy);
        *pixel = image.sample(column as f32 + 0.5, row as f32 + 0.5);
    }
}
