//! Arrays in the shared memory whose size is an argument of the launch, without `unsafe`.
//!
//! [`DynamicShared`] divides the memory into arrays, whose lengths are numbers of the kernel. They
//! are used as those of a fixed size are: a [`DynamicTile`] and a [`DynamicLine`] are filled and
//! read in [phases](crate::phased), a [`DynamicPart`] changes in [steps](crate::part_per_block),
//! and there are atomics.
//!
//! # Why no two threads race
//!
//! Nothing can prove that all threads divide the memory in the same way, because a length is a
//! number that each thread computes. So every access is atomic, one word of 32 bits at a time. Two
//! accesses to one word do not race then, whatever arrays the threads take it for, and all bits are
//! a value of the elements. If the lengths differ, the kernel computes wrong numbers. The barriers
//! of `fill` give a right kernel its order, as those of a [`SharedTile`](crate::SharedTile) do.
//!
//! A load or a store of one word is the same instruction of shared memory, whether it is atomic or
//! not. Several of them do not become one of 16 bytes; for that, the size has to be fixed.

use core::array::from_fn;
use core::marker::PhantomData;
use core::panic::Location;

use crate::DynamicSharedArray;
use crate::atomic::{BlockAtomicU32, Word};
use crate::collective::Operator;
use crate::memory::bounds::{check, check_place};
use crate::memory::phased::{ByRows, CellOwner, OwnCells, exclusive};
use crate::memory::words;
use crate::part_per_block::{Halves, Order, Steps, Words};
use crate::scope::Block;
use crate::thread::{block_size, thread_rank};

/// The block's dynamic shared memory, from which a kernel takes arrays, one after another: CUDA's
/// `extern __shared__`.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::thread::{block_dim_x, block_dim_y, index_2d, thread_idx_x, thread_idx_y};
/// use lanewise_std::{DisjointMatrix, DynamicShared, Matrix};
///
/// /// Transposes each tile within itself. The launch gives the size of a tile: its side is that of
/// /// the block, and a row has one element of padding.
/// #[kernel]
/// #[launch_contract(dims = 2)]
/// pub fn transpose_tiles(input: Matrix<f32>, mut output: DisjointMatrix<f32>) {
///     let (width, height) = (block_dim_x() as usize, block_dim_y() as usize);
///     let at = index_2d();
///     let mut tile = DynamicShared::new().tile::<f32>(height, width, width + 1);
///     let tile = tile.fill::<1>(|_, _| input.get_or(at.y(), at.x(), 0.0));
///     if let Some(output) = output.get_mut(&at) {
///         *output = tile.get(thread_idx_x() as usize, thread_idx_y() as usize);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct DynamicShared {
    /// The bytes of the arrays that were taken.
    taken: usize,
}

impl Default for DynamicShared {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl DynamicShared {
    /// Returns the whole memory. Arrays that are taken from another one are the same memory.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        DynamicShared { taken: 0 }
    }

    /// Takes `length` elements.
    #[inline(always)]
    #[track_caller]
    fn take<T: Word<Block>>(&mut self, length: usize) -> *mut T {
        let array = DynamicSharedArray::<T>::offset(self.taken);
        if length > array.len() {
            // Not a panic, which would need more registers.
            let at = Location::caller();
            crate::assert::fail(
                c"the launch gives too little dynamic shared memory",
                at.file_as_c_str(),
                at.line(),
                c"lanewise_std::DynamicShared",
            );
        }
        self.taken = self.taken.next_multiple_of(align_of::<T>()) + length * size_of::<T>();
        array.as_ptr()
    }

    /// Takes a tile of `rows` rows of `columns` elements. Rows are `pitch` elements apart.
    ///
    /// If the launch gives less memory, the kernel ends with a failed assertion.
    ///
    /// # Panics
    /// If the pitch is below the columns.
    #[inline(always)]
    #[track_caller]
    pub fn tile<T: Word<Block>>(
        &mut self,
        rows: usize,
        columns: usize,
        pitch: usize,
    ) -> DynamicTile<T> {
        assert!(
            pitch >= columns,
            "rows would overlap: the pitch is below the columns"
        );
        DynamicTile {
            cells: self.take(rows.saturating_mul(pitch)),
            size: (rows, columns),
            pitch,
            owner: PhantomData,
        }
    }

    /// Takes a line of `length` elements.
    /// If the launch gives less memory, the kernel ends with a failed assertion.
    #[inline(always)]
    #[track_caller]
    pub fn line<T: Word<Block>>(&mut self, length: usize) -> DynamicLine<T> {
        DynamicLine {
            cells: self.take(length),
            length,
        }
    }

    /// Takes an element for each thread of the block, which the block changes step by step.
    /// If the launch gives less memory, the kernel ends with a failed assertion.
    #[inline(always)]
    #[track_caller]
    pub fn part<T: Word<Block>, O: Order>(&mut self) -> DynamicPart<T, O> {
        DynamicPart {
            cells: self.take(block_size() as usize),
            order: PhantomData,
        }
    }

    /// Takes `length` counters, which begin with anything.
    /// If the launch gives less memory, the kernel ends with a failed assertion.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn atomics(&mut self, length: usize) -> &'static [BlockAtomicU32] {
        let first = self.take::<u32>(length).cast();
        // SAFETY: `take` has checked the length. The memory is there until the block ends, and all
        // accesses to it are atomic, of 32 bits.
        unsafe { core::slice::from_raw_parts(first, length) }
    }
}

/// Rows of cells in dynamic shared memory, which are filled and read in phases:
/// [`DynamicShared::tile`].
#[derive(Debug)]
pub struct DynamicTile<T, Owner = ByRows> {
    cells: *mut T,
    size: (usize, usize),
    pitch: usize,
    owner: PhantomData<Owner>,
}

impl<T: Word<Block>, O: CellOwner> DynamicTile<T, O> {
    /// Writes `value(row, column)` to each cell, and returns the view in which all threads read all
    /// cells: see [`SharedTile::fill`](crate::SharedTile::fill).
    ///
    /// # Panics
    /// If the threads of the block with `STEPS` cells each do not reach all cells.
    #[inline(always)]
    #[track_caller]
    pub fn fill<const STEPS: usize>(
        &mut self,
        mut value: impl FnMut(usize, usize) -> T,
    ) -> DynamicTileView<'_, T> {
        let own = OwnCells::<O>::of_thread(self.size, STEPS);
        let values = own.values::<_, STEPS>(&mut value);
        exclusive(|| {
            for (step, value) in values.into_iter().enumerate() {
                if let (Some((row, column)), Some(value)) = (own.cell(step), value) {
                    // SAFETY: in bounds, as the row and the column are. All accesses are atomic.
                    unsafe { words::store(self.cells.add(row * self.pitch + column), value) };
                }
            }
        });
        DynamicTileView {
            cells: self.cells,
            size: self.size,
            pitch: self.pitch,
            tile: PhantomData,
        }
    }
}

/// The cells of a [`DynamicTile`] while all threads read them.
#[derive(Clone, Copy, Debug)]
pub struct DynamicTileView<'a, T> {
    cells: *const T,
    size: (usize, usize),
    pitch: usize,
    tile: PhantomData<&'a T>,
}

impl<T: Word<Block>> DynamicTileView<'_, T> {
    /// Returns the value of the cell in this row and column.
    ///
    /// # Panics
    /// If `row` or `column` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self, row: usize, column: usize) -> T {
        check_place((row, column), self.size.0, self.size.1);
        // SAFETY: in bounds. All accesses are atomic.
        unsafe { words::load(self.cells.add(row * self.pitch + column)) }
    }
}

/// Cells in dynamic shared memory, which are filled and read in phases: [`DynamicShared::line`].
#[derive(Debug)]
pub struct DynamicLine<T> {
    cells: *mut T,
    length: usize,
}

impl<T: Word<Block>> DynamicLine<T> {
    /// Writes `value(i)` to each cell `i`, and returns the view in which all threads read all
    /// cells: see [`SharedLine::fill`](crate::SharedLine::fill).
    #[inline(always)]
    pub fn fill<const STEPS: usize>(
        &mut self,
        mut value: impl FnMut(usize) -> T,
    ) -> DynamicLineView<'_, T> {
        let (rank, threads) = (thread_rank() as usize, block_size() as usize);
        let cell = |step: usize| Some(rank + step * threads).filter(|cell| *cell < self.length);
        let values: [Option<T>; STEPS] = from_fn(|step| cell(step).map(&mut value));
        exclusive(|| {
            for (step, value) in values.into_iter().enumerate() {
                if let (Some(cell), Some(value)) = (cell(step), value) {
                    // SAFETY: below the length. All accesses are atomic.
                    unsafe { words::store(self.cells.add(cell), value) };
                }
            }
        });
        DynamicLineView {
            cells: self.cells,
            length: self.length.min(STEPS * threads),
            line: PhantomData,
        }
    }
}

/// The cells of a [`DynamicLine`] while all threads read them.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::DynamicShared;
/// use lanewise_std::atomic::AtomicOrdering;
/// use lanewise_std::collective::Sum;
/// use lanewise_std::dynamic_shared::{
///     DynamicLine, DynamicLineView, DynamicPart, DynamicTile, DynamicTileView,
/// };
/// use lanewise_std::part_per_block::Halves;
/// use lanewise_std::thread::{block_size, thread_rank};
///
/// /// Three arrays of lengths that the launch gives, one after another in one memory.
/// #[kernel]
/// #[launch_contract(dims = 1)]
/// pub fn three_arrays(length: u32, rows: u32) {
///     let mut memory = DynamicShared::new();
///     let mut line: DynamicLine<u32> = memory.line(length as usize);
///     let mut tile: DynamicTile<u32> = memory.tile(rows as usize, 4, 5);
///     let mut part: DynamicPart<u32, Halves> = memory.part();
///     let counts = memory.atomics(2);
///     let line: DynamicLineView<'_, u32> = line.fill::<2>(|i| i as u32);
///     let tile: DynamicTileView<'_, u32> = tile.fill::<4>(|row, column| (row + column) as u32);
///     if !line.is_empty() {
///         let sum = line.get(line.len() - 1) + tile.get(0, 3);
///         counts[0].fetch_add(sum, AtomicOrdering::Relaxed);
///     }
///     let mut steps = part.begin(thread_rank(), Sum);
///     while steps.has_step() {
///         steps.step();
///     }
///     assert!(steps.first().is_none_or(|sum| sum < block_size() * block_size()));
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DynamicLineView<'a, T> {
    cells: *const T,
    length: usize,
    line: PhantomData<&'a T>,
}

impl<T: Word<Block>> DynamicLineView<'_, T> {
    /// Returns the number of cells that were written.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are no cells.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the value of the cell at `index`.
    ///
    /// # Panics
    /// If `index` is past the end.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        check(index, self.length);
        // SAFETY: in bounds. All accesses are atomic.
        unsafe { words::load(self.cells.add(index)) }
    }
}

/// A cell of dynamic shared memory for each thread of the block: [`DynamicShared::part`].
#[derive(Debug)]
pub struct DynamicPart<T, Order = Halves> {
    cells: *mut T,
    order: PhantomData<Order>,
}

impl<T: Word<Block>, O: Order> DynamicPart<T, O> {
    /// Sets this thread's cell to `value`, and returns the steps in which `operator` combines the
    /// cells of the block: see [`SharedPart::begin`](crate::SharedPart::begin).
    #[inline(always)]
    pub fn begin<P: Operator<T>>(&mut self, value: T, operator: P) -> Steps<'_, T, O, P, Words> {
        // SAFETY: each thread of the block has a cell. All accesses are atomic.
        unsafe { Steps::in_shared(self.cells, block_size(), value, operator) }
    }
}
