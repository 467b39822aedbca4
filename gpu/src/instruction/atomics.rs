//! Every built-in atomic operation, on every type that has it.
//!
//! Launch: 1-D grid of at least as many threads as `input`. Each thread does every operation with
//! its element, each on a cell of its own. The cells have the order of [`Cell`], which describes
//! them. Cells past the end of `cells` are an error.
//! Shows: no operation is lost, in any order of the threads. Integers of 32 and 64 bits have all
//! operations except two: only `u32` has `fetch_inc` and `fetch_dec`. Floats have addition. An
//! operation that is not built in, such as a product, is a loop around `compare_exchange`.
//! Source: Professional CUDA C Programming, chapter 7; CUDA C++ Programming Guide, "Atomic
//! Functions"; PTX ISA, "atom".

use lanewise_macros::{kernel, shared};
use lanewise_std::atomic::{
    AtomicOrdering, DeviceAtomicF32, DeviceAtomicF64, DeviceAtomicI32, DeviceAtomicI64,
    DeviceAtomicU32, DeviceAtomicU64, SystemAtomicU32,
};
use lanewise_std::thread::{index_1d, sync_threads, thread_rank};
use lanewise_std::{SharedAtomics, gpu_assert};

/// The cells, named by their operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The element is added.
    Add,
    /// The element is subtracted.
    Sub,
    /// The element is stored, and the old value is added to the next cell. So the sum of both
    /// contains every value that was stored.
    Exchange,
    /// The sum of the values that [`Cell::Exchange`] held before.
    Exchanged,
    /// The lesser value is kept.
    Min,
    /// The greater value is kept.
    Max,
    /// The bits that both have are kept.
    And,
    /// The bits that at least one has are kept.
    Or,
    /// The bits that exactly one has are kept.
    Xor,
    /// Multiplied by the element, which is made odd, with `compare_exchange` in a loop.
    Product,
    /// One is added, and 0 follows [`LIMIT`]. Only `u32` has it.
    Inc,
    /// One is subtracted, and [`LIMIT`] follows 0. Only `u32` has it.
    Dec,
}

/// The number of cells of a kernel.
pub const CELLS: usize = Cell::Dec as usize + 1;
/// The greatest value of [`Cell::Inc`] and [`Cell::Dec`].
pub const LIMIT: u32 = 6;

/// The operations that all integers have.
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
    /// The instructions for `u32`; `fetch_inc` and `fetch_dec` are in [`atomic_inc_dec`].
    atomic_u32(u32, DeviceAtomicU32);
    /// The instructions for `i64`.
    atomic_i64(i64, DeviceAtomicI64);
    /// The instructions for `u64`.
    atomic_u64(u64, DeviceAtomicU64);
}

/// The counters that wrap around, which only `u32` has. The first `threads` threads run them.
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
        cell.fetch_add(element, AtomicOrdering::Relaxed);
    }
}

/// The sum of `f64`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn atomic_f64(input: &[f64], cells: &[DeviceAtomicF64]) {
    if let (Some(&element), Some(cell)) = (input.get(index_1d().get()), cells.first()) {
        cell.fetch_add(element, AtomicOrdering::Relaxed);
    }
}

/// Computes one sum in the scope of the block, then the sum of all blocks in the scope of the
/// system, once with every order.
///
/// The block's cell is in shared memory, and each block has its own. The barrier orders its
/// threads' additions, so they are relaxed. The five cells of the system use the five orders. These
/// differ only in their effect on *other* memory, so the sums are the same.
#[kernel]
#[launch_contract(dims = 1)]
pub fn atomic_scopes(input: &[u32], cells: &[SystemAtomicU32]) {
    shared! { static SUM: SharedAtomics<u32, 1>; }
    let [sum] = &*SUM;
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
