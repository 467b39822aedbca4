//! Indices that no other thread of the launch has, as types that prove it.
//!
//! An output slice may hand out a `&mut` to an element if each thread takes a different element. A
//! number cannot prove that, but a [`ThreadIndex`] can. It has no public constructor, cannot be
//! copied, and cannot leave its thread. So no two threads hold equal indices.
//!
//! The x position alone would not be enough. In a block of 32 x 8 threads, eight threads have the
//! same x. In a grid of 2^31 - 1 blocks, x can exceed 2^32. So an index here has 64 bits, and it
//! also includes the dimensions that a kernel did not expect.

use core::marker::PhantomData;

use super::*;

/// An index that only this thread has. It is the thread's index in the grid ([`index_1d`]), or that
/// index plus a multiple of the grid's number of threads ([`GridStride::indices`]). Both assign the
/// same numbers to the same thread.
///
/// It cannot be copied,
/// ```compile_fail,E0382
/// # use lanewise_std::thread::ThreadIndex;
/// fn twice(index: ThreadIndex) -> [ThreadIndex; 2] { [index, index] }
/// ```
/// nor made from a number,
/// ```compile_fail,E0451
/// # use lanewise_std::thread::ThreadIndex;
/// fn forge() -> ThreadIndex { ThreadIndex { value: 0, own: core::marker::PhantomData } }
/// ```
/// nor sent to another thread:
/// ```compile_fail,E0277
/// # use lanewise_std::thread::ThreadIndex;
/// fn needs_send<T: Send>() {}
/// needs_send::<ThreadIndex>();
/// ```
#[derive(Debug)]
pub struct ThreadIndex {
    value: usize,
    /// Makes the type neither `Send` nor `Sync`, because the index belongs to this thread.
    own: PhantomData<*mut ()>,
}

impl ThreadIndex {
    /// Makes an index from this thread's own index, or from a number computed from it and from
    /// values that are the same in all threads.
    #[inline]
    pub(super) fn own(value: usize) -> Self {
        ThreadIndex {
            value,
            own: PhantomData,
        }
    }

    /// Returns the index as a number.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.value
    }
}

/// Returns this thread's index in a 1-D launch: `block_idx_x * block_dim_x + thread_idx_x`.
///
/// In a launch with y or z, several threads have the same x. There the index is the thread's number
/// in CUDA's order: block after block, and x fastest within a block.
#[inline]
#[must_use]
pub fn index_1d() -> ThreadIndex {
    // All four are properties of the launch, so the branch is uniform. It costs no time beside the
    // loads of tid.
    let value = if (block_dim_y() | block_dim_z() | grid_dim_y() | grid_dim_z()) == 1 {
        block_idx_x() as usize * block_dim_x() as usize + thread_idx_x() as usize
    } else {
        block_number() * block_size() as usize + thread_rank() as usize
    };
    ThreadIndex::own(value)
}

/// A position in a plane that only this thread has; see [`index_2d`].
#[derive(Debug)]
pub struct ThreadIndex2D {
    x: usize,
    y: usize,
    /// Makes the type neither `Send` nor `Sync`, because the index belongs to this thread.
    own: PhantomData<*mut ()>,
}

impl ThreadIndex2D {
    /// Returns the column, counted along x.
    #[inline]
    #[must_use]
    pub fn x(&self) -> usize {
        self.x
    }

    /// Returns the row, counted along y.
    #[inline]
    #[must_use]
    pub fn y(&self) -> usize {
        self.y
    }
}

/// Returns this thread's position in a 2-D launch: `global_idx_x()` and `global_idx_y()`,
/// in 64 bits.
///
/// In a launch with z, the planes follow each other along y: each plane's rows are numbered after
/// those of the plane before it.
#[inline]
#[must_use]
pub fn index_2d() -> ThreadIndex2D {
    let x = block_idx_x() as usize * block_dim_x() as usize + thread_idx_x() as usize;
    let mut y = block_idx_y() as usize * block_dim_y() as usize + thread_idx_y() as usize;
    if (block_dim_z() | grid_dim_z()) != 1 {
        let z = block_idx_z() as usize * block_dim_z() as usize + thread_idx_z() as usize;
        y += z * grid_dim_y() as usize * block_dim_y() as usize;
    }
    ThreadIndex2D {
        x,
        y,
        own: PhantomData,
    }
}
