//! Arrays that kernels write as surfaces.

use lanewise_macros::kernel;
use lanewise_std::surface::{Surface1d, Surface2d, Surface3d};
use lanewise_std::texture::Texture2d;
use lanewise_std::{DisjointSlice, thread};

/// The texel that [`paint_2d`] and the others write: the old number, and the position.
pub fn painted(before: f32, x: u32, y: u32, z: u32) -> f32 {
    2.0 * before + (x + 100 * y + 10_000 * z) as f32
}

/// Each thread paints one texel, and as many past the end as the launch has threads too many.
#[kernel]
#[launch_contract(dims = 1)]
pub fn paint_1d(line: Surface1d) {
    let x = thread::global_idx_x();
    // SAFETY: one thread a texel.
    unsafe { line.set(x, painted(line.get(x), x, 0, 0)) };
}

/// The same for a plane.
#[kernel]
#[launch_contract(dims = 2)]
pub fn paint_2d(plane: Surface2d) {
    let (x, y) = (thread::global_idx_x(), thread::global_idx_y());
    // SAFETY: one thread a texel.
    unsafe { plane.set(x, y, painted(plane.get(x, y), x, y, 0)) };
}

/// The same for a volume. A thread has a column of it, `depth` texels deep.
#[kernel]
#[launch_contract(dims = 2)]
pub fn paint_3d(volume: Surface3d, depth: u32) {
    let (x, y) = (thread::global_idx_x(), thread::global_idx_y());
    for z in 0..depth {
        // SAFETY: one thread a texel.
        unsafe { volume.set(x, y, z, painted(volume.get(x, y, z), x, y, z)) };
    }
}

/// The texels of a row, through a sampler, and what a surface returns outside, for as many again.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_row(image: Texture2d, row: u32, mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let x = index.get() as f32 + 0.5;
    if let Some(output) = output.get_mut(&index) {
        *output = image.sample(x, row as f32 + 0.5);
    }
}

/// What a surface returns outside of a line, also far away.
#[kernel]
#[launch_contract(dims = 1)]
pub fn read_outside(line: Surface1d, first: u32, mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let x = first.wrapping_add(index.get() as u32 * 0x0800_0001);
    if let Some(output) = output.get_mut(&index) {
        // SAFETY: no thread writes the line.
        *output = unsafe { line.get(x) };
    }
}
