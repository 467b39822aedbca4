//! The owner of an element of a volume: the thread at its position.

use super::DisjointMatrix;
use crate::thread::{
    block_dim_y, block_idx_y, block_idx_z, grid_dim_z, index_2d, thread_idx_y, thread_idx_z,
};

/// The rows are divided evenly into as many planes as the launch has blocks along z: plane after
/// plane, as in a pitched buffer of a volume. In plane z, the thread at (x, y) owns the element in
/// row y and column x. Blocks have one thread along z; others own nothing.
///
/// The number of planes is a property of the launch, and not a number of the kernel's: two numbers
/// would give two threads the same element.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::disjoint_matrix::{DisjointMatrix, Volume};
///
/// /// Multiplies each element by the number of its plane.
/// #[kernel]
/// #[launch_contract(dims = 3)]
/// pub fn by_plane(mut volume: DisjointMatrix<f32, Volume>) {
///     if let Some((element, [plane, _, _])) = volume.get_mut_in_plane() {
///         *element *= plane as f32;
///     }
/// }
/// ```
///
/// An element by a position in the plane of all threads is refused:
///
/// ```compile_fail,E0277
/// use lanewise_std::disjoint_matrix::{DisjointMatrix, Volume};
/// use lanewise_std::thread::index_2d;
///
/// fn both(mut output: DisjointMatrix<f32, Volume>) {
///     let _ = output.get_mut(&index_2d());
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Volume;

impl<T> DisjointMatrix<'_, T, Volume> {
    /// Returns this thread's element with its plane, its row in the plane and its column. Returns
    /// `None` outside of the plane: the grid is rounded up to whole blocks.
    #[inline]
    pub fn get_mut_in_plane(&mut self) -> Option<(&mut T, [usize; 3])> {
        let (plane, rows) = (block_idx_z(), self.rows / grid_dim_z());
        let row = block_idx_y() * block_dim_y() + thread_idx_y();
        if row >= rows || thread_idx_z() != 0 {
            return None;
        }
        let column = index_2d().x();
        let index = self.place((plane * rows + row) as usize, column)?;
        // SAFETY: in bounds. All planes have the same number of rows, and the row is below it, so
        // two positions are two elements. No other thread has this position, and this thread's
        // reference borrows the matrix.
        let element = unsafe { &mut *self.pointer.add(index) };
        Some((element, [plane as usize, row as usize, column]))
    }
}
