//! The shape of a launch: grid, block, dynamic shared memory.
//!
//! A grid consists of blocks and a block of threads, each in up to three dimensions. The `cover_*`
//! constructors round up, so that every element has a thread; a kernel's bounds check keeps the
//! surplus threads idle. A grid has at least one block (CUDA refuses an empty one), so a launch for
//! no elements has one block, whose threads do nothing.
//! Source: CUDA programming guide, "Thread Hierarchy"; Professional CUDA C Programming, chapter 2.

use std::fmt;

/// Blocks of a grid or threads of a block in x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim3 {
    /// The number along x, the dimension in which neighbouring threads follow each other.
    pub x: u32,
    /// The number along y.
    pub y: u32,
    /// The number along z.
    pub z: u32,
}

impl Dim3 {
    /// Returns the product of the three numbers.
    pub fn count(self) -> u64 {
        // The product saturates. Three 32-bit numbers may not fit in it, and such a launch
        // is refused anyway.
        u64::from(self.x)
            .saturating_mul(u64::from(self.y))
            .saturating_mul(u64::from(self.z))
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self { x, y, z }
    }
}

impl From<Dim3> for [u32; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> Self {
        [x, y, z]
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// Grid, block and dynamic shared memory of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory for each block.
    pub dynamic_shared: u32,
    /// Blocks of a cluster. With `None` the kernel decides: one block for each cluster, or the size
    /// in its `#[cluster_launch]`.
    pub cluster: Option<Dim3>,
    /// Whether all blocks are resident on the device at once, so that they may wait for each other.
    /// A kernel with `#[cooperative_launch]` is always launched in this way.
    pub cooperative: bool,
    /// Whether the kernel may begin before the kernel before it in the stream has ended. Setting it
    /// is unsafe, so the field is not public.
    pub(crate) starts_early: bool,
}

impl LaunchConfig {
    /// The default number of threads in a block: eight warps, which suits most kernels.
    pub const DEFAULT_BLOCK: u32 = 256;

    /// Makes a shape from a grid and a block, in one, two or three dimensions:
    /// `LaunchConfig::new((4, 4), (16, 16))`.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
            dynamic_shared: 0,
            cluster: None,
            cooperative: false,
            starts_early: false,
        }
    }

    /// Makes a shape with at least one thread for each of `n` elements, in
    /// blocks of [`Self::DEFAULT_BLOCK`].
    pub fn for_num_elems(n: usize) -> Self {
        Self::cover_1d(n, Self::DEFAULT_BLOCK)
    }

    /// Makes a shape with at least one thread for each of `n` elements, in blocks
    /// of `block` threads.
    pub fn cover_1d(n: usize, block: u32) -> Self {
        Self::new(blocks(n, block), block)
    }

    /// Makes a shape with at least one thread for each element of a matrix of `nx` columns
    /// and `ny` rows.
    pub fn cover_2d((nx, ny): (usize, usize), block: (u32, u32)) -> Self {
        Self::new((blocks(nx, block.0), blocks(ny, block.1)), block)
    }

    /// Makes a shape with at least one thread for each element of a volume.
    pub fn cover_3d((nx, ny, nz): (usize, usize, usize), block: (u32, u32, u32)) -> Self {
        Self::new(
            (
                blocks(nx, block.0),
                blocks(ny, block.1),
                blocks(nz, block.2),
            ),
            block,
        )
    }

    /// Sets the size of dynamic shared memory for each block, in bytes.
    pub fn with_dynamic_shared(self, bytes: u32) -> Self {
        Self {
            dynamic_shared: bytes,
            ..self
        }
    }

    /// Divides the grid into clusters of this many blocks, from compute capability 9.0:
    /// `config.with_cluster(4)`. The grid must be a multiple of the cluster along each axis. A
    /// kernel with `#[cluster_launch]` accepts only its own size. Every such device allows up to 8
    /// blocks; see [`Device::allow_large_clusters`](crate::Device::allow_large_clusters) for more.
    pub fn with_cluster(self, blocks: impl Into<Dim3>) -> Self {
        Self {
            cluster: Some(blocks.into()),
            ..self
        }
    }

    /// Allows the kernel to begin before the kernel before it in the stream has ended. This is
    /// programmatic dependent launch, from compute capability 9.0. On other devices and drivers it
    /// has no effect: one kernel runs after the other.
    ///
    /// # Safety
    /// The kernel calls `lanewise_std::programmatic::wait` before it accesses memory that earlier
    /// work in the stream accesses.
    pub unsafe fn with_programmatic_start(self) -> Self {
        Self {
            starts_early: true,
            ..self
        }
    }

    /// Makes the launch cooperative: see [`Self::cooperative`]. This is for kernels that are not
    /// written in Rust. A Rust kernel has the attribute `#[cooperative_launch]` instead.
    pub fn cooperatively(self) -> Self {
        Self {
            cooperative: true,
            ..self
        }
    }
}

/// Returns the number of blocks that cover `n` elements, at least one. A number that does not fit
/// saturates, and the driver refuses it.
fn blocks(n: usize, block: u32) -> u32 {
    let blocks = n.div_ceil(block.max(1) as usize).max(1);
    u32::try_from(blocks).unwrap_or(u32::MAX)
}

impl fmt::Display for LaunchConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "grid {}, block {}", self.grid, self.block)?;
        if self.dynamic_shared > 0 {
            let bytes = self.dynamic_shared;
            write!(out, ", {bytes} bytes of dynamic shared memory")?;
        }
        match self.cluster {
            Some(cluster) => write!(out, ", clusters of {cluster}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covering_rounds_up_and_never_gives_an_empty_grid() {
        for (n, expected) in [
            (0, 1),
            (1, 1),
            (255, 1),
            (256, 1),
            (257, 2),
            (1 << 20, 4096),
        ] {
            assert_eq!(
                LaunchConfig::for_num_elems(n).grid,
                Dim3::from(expected),
                "{n} elements"
            );
        }
        assert_eq!(
            LaunchConfig::cover_2d((33, 7), (32, 8)).grid,
            Dim3::from((2, 1))
        );
        assert_eq!(
            LaunchConfig::cover_3d((5, 0, 9), (2, 2, 4)).grid,
            Dim3::from((3, 1, 3))
        );
    }

    #[test]
    fn counts_too_large_for_a_grid_saturate() {
        assert_eq!(LaunchConfig::cover_1d(usize::MAX, 1).grid.x, u32::MAX);
        assert_eq!(Dim3::from((u32::MAX, u32::MAX, u32::MAX)).count(), u64::MAX);
    }
}
