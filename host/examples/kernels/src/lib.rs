#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! A kernel crate as a user writes it: three lines of setup, and kernels.

use core::cell::Cell;

use lanewise_macros::{device, kernel};
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicU32};
use lanewise_std::graph::Condition;
use lanewise_std::{DeviceGlobal, DisjointSlice, programmatic, thread};

lanewise_std::module!();

pub mod names;

/// Computes `c[i] = a[i] + b[i]`, with one thread per element.
#[kernel]
#[launch_contract(dims = 1)]
pub fn vec_add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let (Some(a), Some(b), Some(c)) = (a.get(i.get()), b.get(i.get()), c.get_mut(&i)) {
        *c = a + b;
    }
}

/// Halves a number, increments a counter, and sets the condition to whether the number can
/// be halved again.
#[kernel]
#[launch_contract(dims = 1)]
pub fn halve(mut number: DisjointSlice<u32>, mut times: DisjointSlice<u32>, is_even: Condition) {
    let i = thread::index_1d();
    if let (Some(number), Some(times)) = (number.get_mut(&i), times.get_mut(&i)) {
        *number /= 2;
        *times += 1;
        is_even.set(u32::from(*number > 0 && number.is_multiple_of(2)));
    }
}

/// The number of threads that have run [`count_up`].
#[device]
pub static COUNT: DeviceGlobal<u32> = DeviceGlobal::new(0);

/// Each thread adds 1 to [`COUNT`].
#[kernel]
pub fn count_up() {
    // SAFETY: all accesses of kernels to `COUNT` are atomic.
    unsafe { DeviceAtomicU32::from_ptr(COUNT.as_ptr()) }.fetch_add(1, AtomicOrdering::Relaxed);
}

/// Each thread counts the bin of its value.
#[kernel]
pub fn count_bins(values: &[u32], bins: &[DeviceAtomicU32]) {
    if let Some(&value) = values.get(thread::index_1d().get())
        && let Some(bin) = bins.get(value as usize)
    {
        bin.fetch_add(1, AtomicOrdering::Relaxed);
    }
}

/// Adds 5 to the first total, and puts that into the second.
///
/// # Safety
/// Only one thread runs it, because several threads would race on the totals.
#[kernel]
pub unsafe fn carry(totals: &[Cell<u64>]) {
    if let [from, to, ..] = totals {
        to.set(from.get() + 5);
    }
}

/// Computes `y = c[0] + c[1] x + c[2] x^2 + ...`, one element per thread.
#[kernel(instances(2, 4))]
#[launch_contract(dims = 1)]
pub fn polynomial<const N: usize>(coefficients: [f32; N], x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let (Some(x), Some(y)) = (x.get(i.get()), y.get_mut(&i)) {
        *y = coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    }
}

/// Writes `value` to all elements. The next kernel in the stream may begin meanwhile.
#[kernel]
#[launch_contract(dims = 1)]
pub fn fill(mut output: DisjointSlice<f32>, value: f32) {
    programmatic::launch_dependents();
    programmatic::wait();
    let index = thread::index_1d();
    if let Some(element) = output.get_mut(&index) {
        *element = value;
    }
}

/// Adds `1 / (i + 1)` to element `i`. The division may happen before the kernel before this one has
/// ended, but not the addition.
#[kernel]
#[launch_contract(dims = 1)]
pub fn add_inverse(mut output: DisjointSlice<f32>) {
    let index = thread::index_1d();
    let inverse = 1.0 / (index.get() + 1) as f32;
    programmatic::wait();
    if let Some(element) = output.get_mut(&index) {
        *element += inverse;
    }
}
