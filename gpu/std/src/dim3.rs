//! Sizes of grids and blocks: CUDA's `dim3`.

/// Numbers along x, y and z: the size of a grid in blocks, the size of a block in threads, or a
/// position in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Dim3 {
    /// The number along x.
    pub x: u32,
    /// The number along y.
    pub y: u32,
    /// The number along z.
    pub z: u32,
}

impl From<u32> for Dim3 {
    #[inline]
    fn from(x: u32) -> Self {
        Dim3 { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    #[inline]
    fn from((x, y): (u32, u32)) -> Self {
        Dim3 { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    #[inline]
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3 { x, y, z }
    }
}
