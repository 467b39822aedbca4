//! Reading through a texture: a table with blends between its entries, an image at another size, an image moved.
//!
//! Launch: any grid and block of one dimension (`texture_1d`) or two; at least one thread for each element of `output`.
//! Each thread fetches once and writes once; elements past the end of `output` are left alone.
//! Shows: the sampler does what index arithmetic and branches do elsewhere: it blends neighbours, with weights of 9 bits, and answers
//! outside of the image with its edge, with the image again, or with a border. There is no bounds check in these kernels' reads.
//! Source: programming model notes, "Texture and Surface Memory"; CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA, `tex`.

use lanewise_macros::kernel;
use lanewise_std::texture::{Texture1d, Texture2d};
use lanewise_std::{DisjointSlice, thread};

/// `output[i]` is the table at `at[i]`, a coordinate in entries: entry `n` is the whole of `n + 0.5`.
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

/// The image at `width` x `height` pixels. Its coordinates are normalised: they run from 0 to 1, whatever its own size is.
#[kernel]
#[launch_contract(dims = 2)]
pub fn texture_2d_linear(
    image: Texture2d,
    mut output: DisjointSlice<f32>,
    width: u32,
    height: u32,
) {
    let at = thread::index_2d();
    if at.x() < width as usize && at.y() < height as usize {
        // Centres of pixels, as centres of texels are at halves.
        let x = (at.x() as f32 + 0.5) / width as f32;
        let y = (at.y() as f32 + 0.5) / height as f32;
        // SAFETY: `width` is the launch's, so threads with different x < width and y have different elements.
        if let Some(pixel) = unsafe { output.get_unique_mut(at.y() * width as usize + at.x()) } {
            *pixel = image.sample(x, y);
        }
    }
}

/// The image of `width` columns moved right by `dx` and down by `dy`. Where it came from outside, the sampler says what is there.
#[kernel]
#[launch_contract(dims = 2)]
pub fn texture_2d_border(
    image: Texture2d,
    mut output: DisjointSlice<f32>,
    width: u32,
    dx: i32,
    dy: i32,
) {
    let at = thread::index_2d();
    if at.x() < width as usize {
        let (column, row) = (at.x() as i32 - dx, at.y() as i32 - dy);
        // SAFETY: `width` is the launch's, so threads with different x < width and y have different elements.
        if let Some(pixel) = unsafe { output.get_unique_mut(at.y() * width as usize + at.x()) } {
            *pixel = image.sample(column as f32 + 0.5, row as f32 + 0.5);
        }
    }
}
