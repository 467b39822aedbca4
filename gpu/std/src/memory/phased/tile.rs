//! [`SharedTile`]: rows and columns.

use core::array::from_fn;
use core::marker::PhantomData;

use super::{Declared, Memory, exclusive};
use crate::memory::bounds::check_place;
use crate::memory::shared::declaration;
use crate::thread::{
    block_dim_x, block_dim_y, block_dim_z, thread_idx_x, thread_idx_y, thread_idx_z,
};
use crate::warp::Shuffle;

/// Which thread fills which cell of a [`SharedTile`]: [`ByRows`] or [`ByColumns`].
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::phased::{ByColumns, ByRows, CellOwner, LineView, TileView};
/// use lanewise_std::{SharedLine, SharedTile};
/// use lanewise_std::thread::{thread_idx_x, thread_idx_y};
///
/// /// Takes a tile, whoever fills it.
/// fn corner<O: CellOwner>(tile: &mut SharedTile<u32, 8, 8, 8, O>) -> u32 {
///     let view: TileView<'_, u32, 8, 8, 8> = tile.fill::<1>(|row, column| (8 * row + column) as u32);
///     view.get(7, 7)
/// }
///
/// #[kernel]
/// #[launch_contract(dims = 2, block = (8, 8))]
/// pub fn two_owners() {
///     shared! {
///         static ROWS: SharedTile<u32, 8, 8, 8, ByRows>;
///         static COLUMNS: SharedTile<u32, 8, 8, 8, ByColumns>;
///         static OTHER: SharedTile<u32, 8, 8, 9, ByRows>;
///         static LINE: SharedLine<u32, 64>;
///     }
///     assert_eq!(corner(&mut ROWS), corner(&mut COLUMNS));
///     let (one, two) = ROWS.fill_both::<1, _, _>(&mut OTHER, |row, _| (row as u32, 2 * row as u32));
///     let (x, y) = (thread_idx_x() as usize, thread_idx_y() as usize);
///     assert_eq!(2 * one.get(y, x), two.get(y, x));
///     let line: LineView<'_, u32> = LINE.fill::<1>(|i| i as u32);
///     assert!(!line.is_empty() && line.get_or(64, 5) == 5);
/// }
/// ```
pub trait CellOwner: sealed::Owner {}

mod sealed {
    pub trait Owner: Copy {
        /// Whether positions along x are columns. Otherwise they are rows.
        const X_IS_COLUMN: bool;
    }
}

/// The thread at (x, y) has the cells in column x and every `block_dim_x`-th column after it, and
/// in row y and every `block_dim_y`-th row after it. A warp writes along rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByRows;

/// The thread at (x, y) has the cells in row x and every `block_dim_x`-th row after it, and in
/// column y and every `block_dim_y`-th column after it. A warp writes along columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByColumns;

impl CellOwner for ByRows {}
impl CellOwner for ByColumns {}
impl sealed::Owner for ByRows {
    const X_IS_COLUMN: bool = true;
}
impl sealed::Owner for ByColumns {
    const X_IS_COLUMN: bool = false;
}

/// `ROWS` rows of `COLUMNS` cells in the block's shared memory, which are filled and read in
/// phases: see [`phased`](super).
///
/// Rows are `PITCH` cells apart. A pitch of one more than the columns spreads a column over all
/// banks. [`CellOwner`] says which thread fills which cell.
///
/// ```
/// use lanewise_macros::{kernel, shared};
/// use lanewise_std::thread::{block_idx_x, block_idx_y, index_2d, thread_idx_x, thread_idx_y};
/// use lanewise_std::{DisjointMatrix, SharedTile};
///
/// /// Transposes each tile of 32 x 32 within itself.
/// #[kernel]
/// #[launch_contract(dims = 2, block = (32, 32))]
/// pub fn transpose_tiles(input: &[f32], mut output: DisjointMatrix<f32>) {
///     shared! { static TILE: SharedTile<f32, 32, 32, 33>; }
///     let columns = output.columns();
///     let (left, top) = (block_idx_x() as usize * 32, block_idx_y() as usize * 32);
///     let tile = TILE.fill::<1>(|row, column| {
///         input.get((top + row) * columns + left + column).copied().unwrap_or(0.0)
///     });
///     if let Some(output) = output.get_mut(&index_2d()) {
///         *output = tile.get(thread_idx_x() as usize, thread_idx_y() as usize);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct SharedTile<
    T,
    const ROWS: usize,
    const COLUMNS: usize,
    const PITCH: usize = COLUMNS,
    Owner = ByRows,
> {
    cells: *mut T,
    owner: PhantomData<Owner>,
}

impl<T, const ROWS: usize, const COLUMNS: usize, const PITCH: usize, O: CellOwner> Declared
    for SharedTile<T, ROWS, COLUMNS, PITCH, O>
{
    #[inline]
    fn of_declaration<Declaration>() -> Self {
        const {
            assert!(
                PITCH >= COLUMNS,
                "rows would overlap: the pitch is below the columns"
            )
        };
        SharedTile {
            cells: declaration::<Declaration, Memory<[[T; PITCH]; ROWS], Self>>().cast(),
            owner: PhantomData,
        }
    }
}

impl<T: Shuffle, const ROWS: usize, const COLUMNS: usize, const PITCH: usize, O: CellOwner>
    SharedTile<T, ROWS, COLUMNS, PITCH, O>
{
    /// Writes `value(row, column)` to each cell, and returns the view in which all threads read all
    /// cells. All threads of the block have to call it, as with a barrier.
    ///
    /// Each thread has up to `STEPS` cells: see [`CellOwner`]. For a block of 32 x 8 threads and a
    /// tile of 32 x 32, there are 4.
    ///
    /// # Panics
    /// If the threads of the block with `STEPS` cells each do not reach all cells.
    #[inline(always)]
    #[track_caller]
    pub fn fill<const STEPS: usize>(
        &mut self,
        mut value: impl FnMut(usize, usize) -> T,
    ) -> TileView<'_, T, ROWS, COLUMNS, PITCH> {
        let cells = OwnCells::<O>::of_thread((ROWS, COLUMNS), STEPS);
        let values = cells.values::<_, STEPS>(&mut value);
        exclusive(|| self.write(cells, &values));
        self.view()
    }

    /// Fills two tiles in one phase: `value(row, column)` returns the cell of this tile and of the
    /// other one. Everything else is as for [`fill`](Self::fill).
    ///
    /// # Panics
    /// As for [`fill`](Self::fill).
    #[inline(always)]
    #[track_caller]
    pub fn fill_both<'a, const STEPS: usize, U: Shuffle, const OTHER: usize>(
        &'a mut self,
        other: &'a mut SharedTile<U, ROWS, COLUMNS, OTHER, O>,
        mut value: impl FnMut(usize, usize) -> (T, U),
    ) -> (
        TileView<'a, T, ROWS, COLUMNS, PITCH>,
        TileView<'a, U, ROWS, COLUMNS, OTHER>,
    ) {
        let cells = OwnCells::<O>::of_thread((ROWS, COLUMNS), STEPS);
        let values = cells.values::<_, STEPS>(&mut value);
        let first = values.map(|pair| pair.map(|pair| pair.0));
        let second = values.map(|pair| pair.map(|pair| pair.1));
        exclusive(|| {
            self.write(cells, &first);
            other.write(cells, &second);
        });
        (self.view(), other.view())
    }

    /// Writes this thread's cells.
    #[inline(always)]
    fn write(&self, cells: OwnCells<O>, values: &[Option<T>]) {
        for (step, value) in values.iter().enumerate() {
            if let (Some((row, column)), Some(value)) = (cells.cell(step), value) {
                // SAFETY: in bounds, as the row and the column are. No other thread has this cell,
                // and nobody reads now.
                unsafe { self.cells.add(row * PITCH + column).write(*value) };
            }
        }
    }

    #[inline(always)]
    fn view(&self) -> TileView<'_, T, ROWS, COLUMNS, PITCH> {
        TileView {
            cells: self.cells,
            tile: PhantomData,
        }
    }
}

/// The cells of a tile that belong to this thread.
#[derive(Clone, Copy)]
pub(crate) struct OwnCells<O> {
    /// The size of the tile along the block's x and along its y.
    size: (usize, usize),
    along_x: usize,
    along_y: usize,
    /// The distance of two steps along the block's x.
    width: usize,
    /// The distance of two steps along the block's y.
    height: usize,
    owner: PhantomData<O>,
}

impl<O: CellOwner> OwnCells<O> {
    /// Returns the thread's cells of a tile of this many rows and columns.
    ///
    /// # Panics
    /// If the threads of the block with `steps` cells each do not reach all cells.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn of_thread((rows, columns): (usize, usize), steps: usize) -> Self {
        let width = block_dim_x() as usize;
        let height = block_dim_y() as usize * block_dim_z() as usize;
        let size = if O::X_IS_COLUMN {
            (columns, rows)
        } else {
            (rows, columns)
        };
        let reached = if width >= size.0 {
            steps * height
        } else {
            steps / size.0.div_ceil(width) * height
        };
        assert!(
            reached >= size.1,
            "the block is too small for this tile and this number of steps"
        );
        OwnCells {
            size,
            width,
            along_x: thread_idx_x() as usize,
            along_y: thread_idx_z() as usize * block_dim_y() as usize + thread_idx_y() as usize,
            height,
            owner: PhantomData,
        }
    }

    /// Returns the row and the column of this step's cell, if it is one of the tile's.
    #[inline(always)]
    pub(crate) fn cell(self, step: usize) -> Option<(usize, usize)> {
        // Of a block that is as wide as the tile, all steps are along y.
        let (across, down) = if self.width >= self.size.0 {
            (0, step)
        } else {
            let steps_across = self.size.0.div_ceil(self.width);
            (step % steps_across, step / steps_across)
        };
        let (x, y) = (
            self.along_x + across * self.width,
            self.along_y + down * self.height,
        );
        let is_inside = x < self.size.0 && y < self.size.1;
        is_inside.then_some(if O::X_IS_COLUMN { (y, x) } else { (x, y) })
    }

    /// Calls the kernel's function for each cell.
    #[inline(always)]
    pub(crate) fn values<T, const STEPS: usize>(
        self,
        value: &mut impl FnMut(usize, usize) -> T,
    ) -> [Option<T>; STEPS] {
        from_fn(|step| self.cell(step).map(|(row, column)| value(row, column)))
    }
}

/// The cells of a [`SharedTile`] while all threads read them.
#[derive(Clone, Copy, Debug)]
pub struct TileView<'a, T, const ROWS: usize, const COLUMNS: usize, const PITCH: usize> {
    cells: *const T,
    tile: PhantomData<&'a T>,
}

impl<T: Shuffle, const ROWS: usize, const COLUMNS: usize, const PITCH: usize>
    TileView<'_, T, ROWS, COLUMNS, PITCH>
{
    /// Returns the value of the cell in this row and column.
    ///
    /// # Panics
    /// If `row` or `column` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self, row: usize, column: usize) -> T {
        check_place((row, column), ROWS, COLUMNS);
        // SAFETY: in bounds. No thread writes now, and all bits are a value: see `phased`.
        unsafe { self.cells.add(row * PITCH + column).read() }
    }
}
