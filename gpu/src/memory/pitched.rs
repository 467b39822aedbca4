//! Matrices and volumes whose rows are padded: each starts at a multiple of the pitch.
//!
//! Launch: 2-D grid of 2-D blocks with at least `nx` by `ny` threads; for `scale_pitched_3d` a 3-D
//! grid with as many blocks along z as planes. Multiplies each element by `factor`, in place. A row
//! has `nx` elements, and the padding, which is neither read nor written.
//! Shows: in a matrix of 33 columns without padding, 7 of 8 rows start inside a sector; with a
//! pitch of 256 bytes or more, none does.
//! Source: CUDA C++ Programming Guide, "Device Memory"; driver API, `cuMemAllocPitch`.

use lanewise_macros::kernel;
use lanewise_std::DisjointMatrix;
use lanewise_std::disjoint_matrix::Volume;

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

/// A volume: the planes follow each other, and there is a plane for each block along z.
#[kernel]
#[launch_contract(dims = 3)]
pub fn scale_pitched_3d(mut data: DisjointMatrix<f32, Volume>, nx: u32, factor: f32) {
    if let Some((element, [_plane, _row, column])) = data.get_mut_in_plane()
        && column < nx as usize
    {
        *element *= factor;
    }
}
