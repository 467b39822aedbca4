//! Owners by the position in the plane of threads.

use core::array::from_fn;
use core::marker::PhantomData;

use super::DisjointMatrix;
use crate::thread::{
    block_dim_x, block_dim_y, block_idx_x, block_idx_y, grid_dim_y, index_2d, thread_idx_x,
    thread_idx_y,
};

/// Which of a position's two numbers is the row: [`Plane`] or [`Transposed`].
#[diagnostic::on_unimplemented(
    message = "the threads of `{Self}` do not own the element at their position",
    note = "in a `DisjointMatrix<T, ColumnPerThread>` they own columns: `output.for_column(index_1d(), ..)`"
)]
pub trait Order: sealed::Order {}

/// An owner whose elements [`fill`](DisjointMatrix::fill) sets.
#[diagnostic::on_unimplemented(
    message = "the elements of `{Self}` are not set by `fill`",
    note = "a block's tile is set by `fill_tile`, and a thread's column by `for_column`"
)]
pub trait Fill: sealed::Fill {}

mod sealed {
    use super::super::DisjointMatrix;

    pub trait Order: 'static {
        /// Returns the row and the column of the element that belongs to the position with these.
        fn turn(row: usize, column: usize) -> (usize, usize);
    }

    pub trait Fill: Sized {
        /// Sets the elements of this thread to their values.
        fn fill<T>(matrix: &mut DisjointMatrix<'_, T, Self>, value: impl FnMut(usize, usize) -> T);
    }
}

/// The thread at (x, y) owns the element in row y and column x.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plane;

/// The thread at (x, y) owns the element in row x and column y. So an element of a transpose's
/// output belongs to the thread that reads it in the input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transposed;

impl Order for Plane {}
impl Order for Transposed {}
impl sealed::Order for Plane {
    #[inline(always)]
    fn turn(row: usize, column: usize) -> (usize, usize) {
        (row, column)
    }
}
impl sealed::Order for Transposed {
    #[inline(always)]
    fn turn(row: usize, column: usize) -> (usize, usize) {
        (column, row)
    }
}

/// As [`Plane`] or [`Transposed`], but blocks with neighbouring numbers are on a diagonal of the
/// grid, not in a row. Each block keeps its column, and column b is rotated down by b rows. For a
/// launch with two dimensions: the threads of other planes have no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Diagonal<O = Plane>(PhantomData<O>);

/// The thread has `N` elements of a row, a block's width apart, so that neighbouring threads have
/// neighbours. A block has `N` times its width of a row. `O` is [`Plane`] or [`Transposed`], where
/// they are elements of a column. For a launch with two dimensions: the threads of other planes
/// have no elements.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::disjoint_matrix::{DisjointMatrix, Unrolled};
/// use lanewise_std::Matrix;
///
/// /// The four loads of a thread are under way together.
/// #[kernel]
/// #[launch_contract(dims = 2)]
/// pub fn double(input: Matrix<f32>, mut output: DisjointMatrix<f32, Unrolled<4>>) {
///     output.fill(|row, column| 2.0 * input[(row, column)]);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Unrolled<const N: usize, O = Plane>(PhantomData<O>);

impl<O: Order> Fill for O {}
impl<O: Order> sealed::Fill for O {
    #[inline(always)]
    fn fill<T>(matrix: &mut DisjointMatrix<'_, T, Self>, mut value: impl FnMut(usize, usize) -> T) {
        let at = index_2d();
        if let Some(element) = matrix.get_mut(&at) {
            let (row, column) = O::turn(at.y(), at.x());
            *element = value(row, column);
        }
    }
}

impl<O: Order> Fill for Diagonal<O> {}
impl<O: Order> sealed::Fill for Diagonal<O> {
    #[inline(always)]
    fn fill<T>(matrix: &mut DisjointMatrix<'_, T, Self>, mut value: impl FnMut(usize, usize) -> T) {
        let block = (block_idx_x() + block_idx_y()) % grid_dim_y();
        let y = block as usize * block_dim_y() as usize + thread_idx_y() as usize;
        let (row, column) = O::turn(y, index_2d().x());
        if let Some(index) = matrix.place(row, column).filter(|_| is_first_plane()) {
            let value = value(row, column);
            // SAFETY: in bounds. In a column of blocks, each one has a row of its own.
            unsafe { *matrix.pointer.add(index) = value };
        }
    }
}

impl<const N: usize, O: Order> Fill for Unrolled<N, O> {}
impl<const N: usize, O: Order> sealed::Fill for Unrolled<N, O> {
    #[inline(always)]
    fn fill<T>(matrix: &mut DisjointMatrix<'_, T, Self>, mut value: impl FnMut(usize, usize) -> T) {
        if !is_first_plane() {
            return;
        }
        let width = block_dim_x() as usize;
        let first = block_idx_x() as usize * width * N + thread_idx_x() as usize;
        let y = index_2d().y();
        let element = |step: usize| O::turn(y, first + step * width);
        let (row, column) = element(N.saturating_sub(1));
        if matrix.place(row, column).is_some() {
            // All exist if the last one does. No load waits for another, or for a store.
            let values: [T; N] = from_fn(|step| {
                let (row, column) = element(step);
                value(row, column)
            });
            for (step, value) in values.into_iter().enumerate() {
                let (row, column) = element(step);
                // SAFETY: in bounds, as the last one is. No other thread has this row and this
                // column.
                unsafe {
                    *matrix.pointer.add(row * matrix.columns() + column) = value;
                }
            }
        } else {
            for step in 0..N {
                let (row, column) = element(step);
                if let Some(index) = matrix.place(row, column) {
                    let value = value(row, column);
                    // SAFETY: in bounds, and no other thread's, as above.
                    unsafe { *matrix.pointer.add(index) = value };
                }
            }
        }
    }
}

/// Returns whether this thread is in the first plane of the launch along z.
#[inline(always)]
fn is_first_plane() -> bool {
    use crate::thread::{block_idx_z, thread_idx_z};
    (block_idx_z() | thread_idx_z()) == 0
}
