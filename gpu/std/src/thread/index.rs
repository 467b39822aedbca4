//! Witnesses: indices that no other thread of the launch has.
//!
//! An output slice may hand out a `&mut` to an element if each thread asks for a different one. A
//! number cannot prove that; a [`ThreadIndex`] can. It has no public constructor, cannot be copied,
//! and cannot leave its thread, so no two threads hold equal ones.
//!
//! The x position alone would not be enough: in a block of 32 x 8 threads, eight have the same x,
//! and in a grid of 2^31 - 1 blocks it passes 2^32. So an index here has 64 bits, and it also
//! counts the dimensions that a kernel did not expect.

use core::marker::PhantomData;

use super::*;

/// An index that this thread alone has: of the whole grid ([`index_1d`]), or as many apart as the
/// grid has threads ([`GridStride::indices`]). Both divide the numbers in the same way.
///
/// It cannot be copied,
/// ```compile_fail,E0382
/// # use lanewise_std::thread::ThreadIndex;
/// fn twice(index: ThreadIndex) -> [ThreadIndex; 2] { [index, index] }
/// ```
/// nor made of a number,
/// ```compile_fail,E0451
/// # use lanewise_std::thread::ThreadIndex;
/// fn forge() -> ThreadIndex { ThreadIndex { value: 0, own: core::marker::PhantomData } }
/// ```
/// nor handed to another thread:
/// ```compile_fail,E0277
/// # use lanewise_std::thread::ThreadIndex;
/// fn needs_send<T: Send>() {}
/// needs_send::<ThreadIndex>();
/// ```
#[derive(Debug)]
pub struct ThreadIndex {
    value: usize,
    /// Neither `Send` nor `Sync`: it is this thread's.
    own: PhantomData<*mut ()>,
}

impl ThreadIndex {
    /// This thread's index, or one that follows from it and from nothing that threads could differ
    /// in.
    #[inline]
    pub(super) fn own(value: usize) -> Self {
        ThreadIndex {
            value,
            own: PhantomData,
        }
    }

    /// The index as a number.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.value
    }
}

/// This thread's index in a 1-D launch: `block_idx_x * block_dim_x + thread_idx_x`.
///
/// In a launch with y or z, where threads share an x, it is the thread's number in the order in
/// which CUDA numbers them: blocks one after another, within a block x fastest.
#[inline]
#[must_use]
pub fn index_1d() -> ThreadIndex {
    // All four are the launch's, so the branch is the same for every thread, and costs no time
    // beside the loads of tid.
    let value = if (block_dim_y() | block_dim_z() | grid_dim_y() | grid_dim_z()) == 1 {
        block_idx_x() as usize * block_dim_x() as usize + thread_idx_x() as usize
    } else {
        block_number() * block_size() as usize + thread_rank() as usize
    };
    ThreadIndex::own(value)
}

/// A position in a plane that this thread alone has; see [`index_2d`].
#[derive(Debug)]
pub struct ThreadIndex2D {
    x: usize,
    y: usize,
    /// Neither `Send` nor `Sync`: it is this thread's.
    own: PhantomData<*mut ()>,
}

impl ThreadIndex2D {
    /// The column, counted along x.
    #[inline]
    #[must_use]
    pub fn x(&self) -> usize {
        self.x
    }

    /// The row, counted along y.
    #[inline]
    #[must_use]
    pub fn y(&self) -> usize {
        self.y
    }
}

/// This thread's position in a 2-D launch: `global_idx_x()` and `global_idx_y()`, in 64 bits.
///
/// In a launch with z, the planes lie one below the other: y goes on counting.
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
