//! Every atomic that is built in, on every type that has it.
//!
//! Launch: 1-D grid of at least as many threads as `input`. Each thread does every operation with
//! its element, on a cell for each; the cells are in the order of [`Cell`], and say what they start
//! with. Cells past the end of `cells` are an error.
//! Shows: whatever the order in which threads come, no operation is lost. Integers of 32 and 64
//! bits have all of them but two: `fetch_inc` and `fetch_dec` are of `u32` alone. Floats have
//! addition. What is not built in, a product here, is a loop around `compare_exchange`.
//! Source: CUDA study notes, sections 7.1.3 and 7.2.3; CUDA C++ Programming Guide, "Atomic
//! Functions"; PTX ISA, "atom".

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{
    AtomicOrdering, BlockAtomicU32, DeviceAtomicF32, DeviceAtomicF64, DeviceAtomicI32,
    DeviceAtomicI64, DeviceAtomicU32, DeviceAtomicU64, SystemAtomicU32,
};
use lanewise_std::gpu_assert;
use lanewise_std::thread::{index_1d, sync_threads, thread_rank};

/// The cells by what is done to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The element is added.
    Add,
    /// The element is subtracted.
    Sub,
    /// The element is put there, and what was there before is added to the next cell: nothing that
    /// was ever here is lost.
    Exchange,
    /// What [`Cell::Exchange`] held before.
    Exchanged,
    /// The lesser stays.
    Min,
    /// The greater stays.
    Max,
    /// The bits of both stay.
    And,
    /// The bits of either stay.
    Or,
    /// The bits of one of them stay.
    Xor,
    /// Multiplied by the element, made odd: by `compare_exchange`, in a loop.
    Product,
    /// One is added, and after [`LIMIT`] comes 0. `u32` alone.
    Inc,
    /// One is subtracted, and after 0 comes [`LIMIT`]. `u32` alone.
    Dec,
}

/// Cells of the kernels.
pub const CELLS: usize = Cell::Dec as usize + 1;
/// The greatest value of [`Cell::Inc`] and [`Cell::Dec`].
pub const LIMIT: u32 = 6;

/// What all integers have.
macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident($ty:ident, $atomic:ident);)*) => {
        $(
            $(#[$doc])*
            #[kernel]
            #[launch_contract(dims = 1)]
            pub fn $name(input: &[$ty], cells: &[$atomic]) {
                gpu_assert!(cells.len() >= CELLS, "there are too few cells");
                let Some(&element) = input.get(index_1d().get()) else {
                    return;
                };
                let cell = |cell: Cell| &cells[cell as usize];
                let order = AtomicOrdering::Relaxed;
                cell(Cell::Add).fetch_add(element, order);
                cell(Cell::Sub).fetch_sub(element, order);
                let before = cell(Cell::Exchange).swap(element, order);
                cell(Cell::Exchanged).fetch_add(before, order);
                cell(Cell::Min).fetch_min(element, order);
                cell(Cell::Max).fetch_max(element, order);
                cell(Cell::And).fetch_and(element, order);
                cell(Cell::Or).fetch_or(element, order);
                cell(Cell::Xor).fetch_xor(element, order);
                let product = cell(Cell::Product);
                let mut expected = product.load(order);
                while let Err(found) =
                    product.compare_exchange(expected, expected.wrapping_mul(element | 1), order, order)
                {
                    expected = found;
                }
            }
        )*
    };
}

integers! {
    /// The instructions for `i32`.
    atomic_i32(i32, DeviceAtomicI32);
    /// On `u32`; `fetch_inc` and `fetch_dec` are in [`atomic_inc_dec`].
    atomic_u32(u32, DeviceAtomicU32);
    /// The instructions for `i64`.
    atomic_i64(i64, DeviceAtomicI64);
    /// The instructions for `u64`.
    atomic_u64(u64, DeviceAtomicU64);
}

/// The counters that start again, which only `u32` has: by the first `threads` threads.
#[kernel]
#[launch_contract(dims = 1)]
pub fn atomic_inc_dec(threads: u32, cells: &[DeviceAtomicU32]) {
    gpu_assert!(cells.len() >= CELLS, "there are too few cells");
    if index_1d().get() < threads as usize {
        cells[Cell::Inc as usize].fetch_inc(LIMIT, AtomicOrdering::Relaxed);
        cells[Cell::Dec as usize].fetch_dec(LIMIT, AtomicOrdering::Relaxed);
    }
}

/// The sum of `f32`. Its rounding depends on the order in which threads come.
#[kernel]
#[launch_contract(dims = 1)]
pub fn atomic_f32(input: &[f32], cells: &[DeviceAtomicF32]) {
    if let (Some(&element), Some(cell)) = (input.get(index_1d().get()), cells.first()) {
        cell.fetch_add(element);
    }
}

/// The sum of `f64`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn atomic_f64(input: &[f64], cells: &[DeviceAtomicF64]) {
    if let (Some(&element), Some(cell)) = (input.get(index_1d().get()), cells.first()) {
        cell.fetch_add(element);
    }
}

/// One sum in the scope of the block, then of all blocks in the scope of the device's system; every
/// order once.
///
/// The block's cell is in shared memory: other blocks have their own. Its threads' additions are
/// ordered by the barrier, so they are relaxed. The five cells of the system are added to in the
/// five orders, which differ in what they say of *other* memory: the sums are the same.
#[kernel]
#[launch_contract(dims = 1)]
pub fn atomic_scopes(input: &[u32], cells: &[SystemAtomicU32]) {
    shared! { static SUM: [u32; 1]; }
    // SAFETY: nothing but this atomic touches it.
    let sum = unsafe { BlockAtomicU32::from_ptr(SUM.as_ptr()) };
    if thread_rank() == 0 {
        sum.store(0, AtomicOrdering::Relaxed);
    }
    sync_threads(); // shared memory starts with anything
    if let Some(&element) = input.get(index_1d().get()) {
        sum.fetch_add(element, AtomicOrdering::Relaxed);
    }
    sync_threads(); // the sum is whole
    if thread_rank() == 0 {
        let sum = sum.load(AtomicOrdering::Relaxed);
        for (cell, order) in cells.iter().zip(ORDERS) {
            cell.fetch_add(sum, order);
        }
    }
}

/// The orders, from the weakest to the strongest.
pub const ORDERS: [AtomicOrdering; 5] = [
    AtomicOrdering::Relaxed,
    AtomicOrdering::Acquire,
    AtomicOrdering::Release,
    AtomicOrdering::AcqRel,
    AtomicOrdering::SeqCst,
];
