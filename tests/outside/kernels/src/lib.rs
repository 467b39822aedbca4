#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Kernels and a static with names of the catalog's, and other parameters; kernels that say how a graph goes on, and one for the matrix units.

mod tile;

use lanewise_macros::{device, kernel};
use lanewise_std::graph::Condition;
use lanewise_std::matrix::element::S8;
use lanewise_std::matrix::sparse::{GROUPS, Metadata, TwoOfFour};
use lanewise_std::matrix::warp::{Left, Right, Sum, multiply_add_sparse};
use lanewise_std::{DeviceGlobal, DisjointSlice, GlobalMut, thread};

lanewise_std::module!();

/// A number that kernels multiply by. The catalog has a `VALUE` too, an `f32`.
#[device]
pub static VALUE: DeviceGlobal<[u64; 2]> = DeviceGlobal::new([3, 5]);

/// `sum[i] = first[i] * VALUE[0] + second * VALUE[1]`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add(mut sum: DisjointSlice<u64>, second: u64, first: &[u32]) {
    let i = thread::index_1d();
    if let (Some(first), Some(sum)) = (first.get(i.get()), sum.get_mut(&i)) {
        // SAFETY: no kernel writes it.
        let [a, b] = unsafe { VALUE.get() };
        *sum = u64::from(*first) * a + second * b;
    }
}

/// One step from `numbers[0]` down, if there is one; `rest` says what is left of it modulo `modulus`.
#[kernel]
#[launch_contract(dims = 1)]
pub fn step_down(mut numbers: DisjointSlice<u32>, step: u32, modulus: u32, rest: Condition) {
    if let Some(number) = numbers.get_mut(thread::index_1d()) {
        *number = number.saturating_sub(step);
        rest.set(*number % modulus);
    }
}

/// Adds to each number.
#[kernel]
#[launch_contract(dims = 1)]
pub fn add(mut numbers: DisjointSlice<u32>, more: u32) {
    if let Some(number) = numbers.get_mut(thread::index_1d()) {
        *number += more;
    }
}

/// 16 rows of 64 bytes, of which 32 are stored, times the transpose of 8 rows of 64; four elements of the product a lane, at [`place`]. A number for each
/// row and group says which two of four elements are stored. Words are four elements.
#[kernel]
#[launch_contract(dims = 1, block = (32))]
pub fn sparse_product(
    stored: &[u32],
    kept: &[u32],
    right: &[u32],
    mut product: DisjointSlice<[i32; 4]>,
) {
    let index = thread::index_1d();
    let (row, word) = (index.get() % 32 / 4, index.get() % 4);
    let left = core::array::from_fn(|i| stored[(row + i % 2 * 8) * 8 + i / 2 * 4 + word]);
    let right = core::array::from_fn(|i| right[row * 16 + i * 4 + word]);
    let metadata = Metadata::<S8>::from_fn(|row, group| {
        TwoOfFour::ALL[kept[row * GROUPS + group] as usize % 6]
    });
    let sum = multiply_add_sparse(
        &Left::<S8, 4>::from_registers(left),
        metadata.part::<0>(),
        &Right::<S8, 4>::from_registers(right),
        Sum::of([0; 4]),
    );
    if let Some(product) = product.get_mut(&index) {
        *product = sum.elements();
    }
}

/// Row and column of a lane's element.
pub fn place(lane: usize, i: usize) -> (usize, usize) {
    Sum::<i32>::position(lane as u32, i)
}

/// The two that a number says are stored.
pub fn stored(number: u32) -> [usize; 2] {
    TwoOfFour::ALL[number as usize % 6].places()
}

/// `data[i] = the next thread's index`, of 64 threads that do not wait for each other.
#[kernel]
#[launch_contract(dims = 1)]
pub fn neighbours(data: GlobalMut<u32>) {
    let i = thread::thread_idx_x() as usize;
    // SAFETY: none: the barrier that is missing is what the test is about.
    unsafe { data.set(i, tile::pass_on(i)) };
}
