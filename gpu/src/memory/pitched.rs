//! Matrices and volumes whose rows are padded: each starts at a multiple of the pitch.
//!
//! Launch: 2-D grid of 2-D blocks with at least `nx` by `ny` threads; for `scale_pitched_3d` 3-D,
//! at least `nx` by `ny` by `nz`. Multiplies each element by `factor`, in place. `pitch` is the
//! elements from one row to the next. The padding is neither read nor written, and places past the
//! slice's end are left alone.
//! Shows: in a matrix of 33 columns without padding, 7 of 8 rows start inside a sector; with a
//! pitch of 256 bytes or more, none does.
//! Source: CUDA C++ Programming Guide, "Device Memory"; driver API, `cuMemAllocPitch`.

use lanewise_macros::kernel;
use lanewise_std::thread::{global_idx_x, global_idx_y, global_idx_z};
use lanewise_std::{DisjointMatrix, DisjointSlice};

/// A matrix whose rows have `nx` elements and the padding.
#[kernel]
#[launch_contract(dims = 2)]
pub fn scale_pitched_2d(mut data: DisjointMatrix<f32>, nx: u32, factor: f32) {
    if let Some((element, at)) = data.get_mut_indexed()
        && at.x() < nx as usize
    {
        *element *= factor;
    }
}

/// A volume of `[nx, ny, nz]`: a plane is `ny` rows, and the planes follow each other.
#[kernel]
#[launch_contract(dims = 3)]
pub fn scale_pitched_3d(mut data: DisjointSlice<f32>, pitch: u32, size: [u32; 3], factor: f32) {
    let (x, y, z) = (global_idx_x(), global_idx_y(), global_idx_z());
    let [nx, ny, nz] = size;
    if x < pitch.min(nx) && y < ny && z < nz {
        let row = z as usize * ny as usize + y as usize;
        // SAFETY: threads with different x < pitch, y < ny and z have different elements.
        if let Some(element) = unsafe { data.get_unique_mut(row * pitch as usize + x as usize) } {
            *element *= factor;
        }
    }
}
