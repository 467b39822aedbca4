//! Shared memory in phases: every thread writes cells of its own, a barrier follows, and then all
//! threads read. None of it is `unsafe`.
//!
//! [`SharedTile`] has rows and columns, [`SharedLine`] has one dimension, and [`SharedPerWarp`] has
//! a cell for each warp. [`SharedStages`] is filled by copies that run while the threads work.
//! `fill` computes a value for each cell of the thread, writes the values,
//! and returns a view that reads every cell:
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::thread::{block_idx_x, index_1d, thread_idx_x};
//! use lanewise_std::{DisjointSlice, SharedLine};
//!
//! /// Each block of 256 threads reverses its part.
//! #[kernel]
//! #[launch_contract(dims = 1, block = 256)]
//! pub fn reverse_parts(input: &[i32], mut output: DisjointSlice<i32>) {
//!     shared! { static PART: SharedLine<i32, 256>; }
//!     let first = block_idx_x() as usize * 256;
//!     let part = PART.fill::<1>(|i| input.get(first + i).copied().unwrap_or(0));
//!     if let Some(output) = output.get_mut(index_1d()) {
//!         *output = part.get(255 - thread_idx_x() as usize);
//!     }
//! }
//! ```
//!
//! The next `fill` borrows the array mutably, so the old view is no longer usable:
//!
//! ```compile_fail,E0499
//! # use lanewise_std::SharedLine;
//! fn stale(line: &mut SharedLine<u32, 64>) -> u32 {
//!     let first = line.fill::<1>(|i| i as u32);
//!     let second = line.fill::<1>(|i| 2 * i as u32);
//!     first.get(0) + second.get(0)
//! }
//! ```
//!
//! A view cannot outlive its array, and an array cannot be used by two names:
//!
//! ```compile_fail,E0597
//! # use lanewise_macros::shared;
//! # use lanewise_std::SharedLine;
//! let view = {
//!     shared! { static LINE: SharedLine<u32, 64>; }
//!     LINE.fill::<1>(|i| i as u32)
//! };
//! view.get(0);
//! ```
//! ```compile_fail,E0382
//! # use lanewise_macros::shared;
//! # use lanewise_std::SharedLine;
//! shared! { static LINE: SharedLine<u32, 64>; }
//! let mut other = LINE;
//! other.fill::<1>(|i| i as u32);
//! LINE.fill::<1>(|i| i as u32);
//! ```
//!
//! Elements have types of which all bits are a value, so a reference is none:
//!
//! ```compile_fail,E0277,E0599
//! # use lanewise_macros::shared;
//! # use lanewise_std::SharedLine;
//! shared! { static LINE: SharedLine<&'static u32, 64>; }
//! LINE.fill::<1>(|_| &7);
//! ```
//!
//! # Why no two threads race
//!
//! A `fill` has five parts, in this order:
//!
//! 1. It calls the closure for each cell of the thread and keeps the values in registers.
//! 2. It waits at barrier 15 of the block.
//! 3. It writes the values.
//! 4. It waits at barrier 15 again.
//! 5. It returns the view.
//!
//! Nothing else uses barrier 15: [`NamedBarrier`](crate::thread::NamedBarrier) refuses the number.
//! Between the two barriers there is no code of the kernel, only the writes. So each thread passes
//! the barrier an even number of times outside of a `fill` and an odd number of times during the
//! writes. A barrier completes when all threads of the block that have not exited wait at it. So
//! the n-th time that one thread passes barrier 15 is the n-th time for all threads. It follows:
//!
//! - **A read does not race with a write.** A read happens after an even number of barriers, a
//!   write after an odd number, and two threads whose numbers differ have a barrier between the
//!   accesses.
//! - **Two writes do not race.** They happen after the same number of barriers. In one array, a
//!   cell has one owner: the map from threads to cells depends on the array's type and on the shape
//!   of the block, and on nothing that a thread could choose. Two arrays are different memory.
//!
//! A thread that exits counts as arrived at every later barrier. It is not in the middle of a
//! `fill` then, so it has no writes behind it that others could still miss, and what it has read,
//! it has read before it exits.
//!
//! The proof says nothing about *which* `fill` a thread is in. It holds if threads part: in a
//! branch, after an early return, in loops of different lengths, in recursion, and if threads wait
//! at the barrier for different arrays. It holds for a view that is kept in a structure or outlives
//! another `fill` by way of a second declaration. A thread that does not come is waited for, which
//! the simulator reports as a barrier that cannot complete. `barrier.sync` counts threads and not
//! warps, so lanes of one warp may part, too (on `sm_70` and later).
//!
//! If threads part and meet in the `fill` of different arrays, or if a thread has exited before,
//! nobody writes the cells of that thread. A view then reads whatever the memory holds. So the
//! elements have types of which all bits are a value ([`Shuffle`](crate::warp::Shuffle)). The
//! simulator reports such a read as a read of uninitialised memory.
//!
//! # What it costs
//!
//! Two barriers for each `fill`, as a loop over tiles has with
//! [`sync_threads`](crate::thread::sync_threads). The builder removes the first one of the two
//! where nothing can have been read before: see `phases` in the passes of the builder. PTX ISA,
//! "barrier{.cta}.sync"; CUDA C++ Programming Guide, "Shared Memory".

mod line;
mod stages;
mod tile;
mod warps;

use core::marker::PhantomData;

use crate::intrinsics;
use crate::thread::PHASES;

pub use line::{LineView, SharedLine};
pub use stages::SharedStages;
pub(crate) use tile::OwnCells;
pub use tile::{ByColumns, ByRows, CellOwner, SharedTile, TileView};
pub use warps::SharedPerWarp;

/// Runs `writes` as the only accesses of this thread between two barriers. See the proof in this
/// module: `writes` contains no code of the kernel and no read.
#[inline(always)]
pub(crate) fn exclusive(writes: impl FnOnce()) {
    // SAFETY: the builder replaces the call by barrier 15, or by nothing where no thread of the
    // block has passed barrier 15 before.
    unsafe { intrinsics::__lanewise_phase_begin(PHASES) };
    writes();
    // SAFETY: barrier 15 exists, and all threads of the block take part in it.
    unsafe { intrinsics::barrier_cta_sync(PHASES) };
}

/// An array that `shared!` declares with a type of its own.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of shared memory",
    label = "`shared!` declares `[T; N]`, `SharedTile<T, ROWS, COLUMNS>`, `SharedLine<T, N>`, `SharedPerWarp<T>`, `SharedPart<T, N>` or `SharedAtomics<T, N>`"
)]
pub trait Declared: Sized {
    /// Returns the array of one declaration. The macro makes a type for each declaration.
    fn of_declaration<Declaration>() -> Self;
}

/// The memory of an array of type `Array` with cells `Cells`. The array's type is part of it, so
/// one declaration with two types is two variables.
pub(crate) struct Memory<Cells, Array> {
    #[expect(dead_code, reason = "only the size and the alignment matter")]
    cells: Cells,
    array: PhantomData<Array>,
}
