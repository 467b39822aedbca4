#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
//! Kernels and a static with names of the catalog's, and other parameters.

use lanewise_macros::{device, kernel};
use lanewise_std::{DeviceGlobal, DisjointSlice, thread};

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
