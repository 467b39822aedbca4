//! Reading through a texture: a table with blends between its entries, an image at another size, an
//! image moved.
//!
//! Launch: any grid and block of one dimension (`texture_1d`) or two; at least one thread for each
//! element of `output`. Each thread fetches once and writes once; elements past the end of `output`
//! are left alone.
//! Shows: the sampler does what index arithmetic and branches do elsewhere: it blends neighbours,
//! with weights of 9 bits, and answers outside of the image with its edge, with the image again, or
//! with a border. There is no bounds check in these kernels' reads.
//! Source: programming model notes, "Texture and Surface Memory"; CUDA C++ Programming Guide,
//! "Texture Fetching"; PTX ISA, `tex`.

use lanewise_macros::kernel;
use lanewise_std::texture::{Texture1d, Texture2d};
use lanewise_std::{DisjointMatrix, DisjointSlice, thread};

/// `output[i]` is the table at `at[i]`, a coordinate in entries: entry `n` is the whole of
/// `n + 0.5`.
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

/// The image with as many pixels as `output` has elements. Its coordinates are normalised: they run
/// from 0 to 1, whatever its own size is.
#[kernel]
#[launch_contract(dims = 2)]
pub fn texture_2d_linear(image: Texture2d, mut output: DisjointMatrix<f32>) {
    let (width, height) = (output.columns() as f32, output.rows() as f32);
    if let Some((pixel, at)) = output.get_mut_indexed() {
        // Centres of pixels, as centres of texels are at halves.
        let (x, y) = (at.x() as f32 + 0.5, at.y() as f32 + 0.5);
        *pixel = image.sample(x / width, y / height);
    }
}

/// The image, which has the size of `output`, moved right by `dx` and down by `dy`. Where it came
/// from outside, the sampler says what is there.
#[kernel]
#[launch_contract(dims = 2)]
pub fn texture_2d_border(image: Texture2d, mut output: DisjointMatrix<f32>, dx: i32, dy: i32) {
    if let Some((pixel, at)) = output.get_mut_indexed() {
        let (column, row) = (at.x() as i32 - dx, at.y() as i32 - dy);
        *pixel = image.sample(column as f32 + 0.5, row as f32 + 0.5);
    }
}
