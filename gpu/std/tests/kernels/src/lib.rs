//! Small kernels, one a subject.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]
#![allow(clippy::undocumented_unsafe_blocks, reason = "nobody runs these")]

use core::cell::Cell;
use core::sync::atomic::AtomicU32;

use lanewise_macros::{Value, gpu_printf, kernel, shared};
use lanewise_std::atomic::*;
use lanewise_std::collective::{Sum, block_reduce};
use lanewise_std::fence::fence;
use lanewise_std::scope::{Block, Device, System};
use lanewise_std::thread::*;
use lanewise_std::warp::*;
use lanewise_std::{
    DisjointSlice, DynamicSharedArray, GlobalMut, PerBlock, SharedLine, gpu_assert,
};

#[kernel]
pub fn orders(word: GlobalMut<u32>) {
    let word = unsafe { DeviceAtomicU32::from_ptr(word.as_ptr()) };
    let old = word.load(AtomicOrdering::Acquire);
    word.store(old, AtomicOrdering::Release);
    let _ = word.compare_exchange(1, 2, AtomicOrdering::Relaxed, AtomicOrdering::Relaxed);
    word.fetch_add(old, AtomicOrdering::AcqRel);
}

#[kernel]
pub fn scopes(word: GlobalMut<u32>, float: GlobalMut<f32>) {
    let at = word.as_ptr();
    let block = unsafe { BlockAtomicU32::from_ptr(at) };
    let device = unsafe { DeviceAtomicU32::from_ptr(at) };
    let system = unsafe { SystemAtomicU32::from_ptr(at) };
    block.store(1, AtomicOrdering::Relaxed);
    device.store(2, AtomicOrdering::Relaxed);
    system.store(3, AtomicOrdering::Relaxed);
    system.fetch_max(4, AtomicOrdering::Relaxed);
    unsafe { SystemAtomicF32::from_ptr(float.as_ptr()) }.fetch_add(1.0, AtomicOrdering::Relaxed);
}

#[kernel]
pub fn shared_atomics(out: GlobalMut<u32>) {
    shared! {
        static BINS: [u32; 32];
        static SUMS: [f32; 32];
    }
    let bin = unsafe { BlockAtomicU32::from_ptr(BINS.as_ptr()) };
    let old = bin.fetch_add(1, AtomicOrdering::Relaxed);
    unsafe { BlockAtomicF32::from_ptr(SUMS.as_ptr()) }.fetch_add(1.0, AtomicOrdering::Relaxed);
    unsafe { out.set(0, old) };
}

#[kernel]
pub fn fences(out: GlobalMut<u32>) {
    unsafe { out.set(0, 1) };
    fence(Block, AtomicOrdering::AcqRel);
    unsafe { out.set(1, 1) };
    fence(Device, AtomicOrdering::AcqRel);
    unsafe { out.set(2, 1) };
    fence(System, AtomicOrdering::SeqCst);
    unsafe { out.set(3, 1) };
}

#[kernel]
pub fn shuffles(floats: GlobalMut<f64>, words: GlobalMut<i32>) {
    let lane = lane_id();
    let double = shuffle_sync(FULL_MASK, f64::from(lane), 3);
    let [first, second] = shuffle_up_sync_width(FULL_MASK, [lane as i32, 5], 1, 16);
    let word =
        shuffle_xor_sync(FULL_MASK, lane as i32, 1) + shuffle_down_sync(FULL_MASK, lane as i32, 2);
    unsafe { floats.set(0, double) };
    unsafe { words.set(0, first + second + word) };
}

#[kernel]
pub fn votes(out: GlobalMut<u32>) {
    let lane = lane_id();
    let all = u32::from(all_sync(FULL_MASK, lane < 4)) + u32::from(any_sync(FULL_MASK, lane < 4));
    let matches = match_any_sync(FULL_MASK, lane / 2) + match_any_sync(FULL_MASK, u64::from(lane));
    let sum = redux_sync_add(FULL_MASK, lane) + redux_sync_min(FULL_MASK, lane as i32) as u32;
    sync_warp(FULL_MASK);
    unsafe {
        out.set(
            0,
            all + ballot_sync(FULL_MASK, lane < 4) + matches + sum + lanemask_lt(),
        )
    };
}

#[kernel]
pub fn barriers(out: GlobalMut<u32>) {
    let first = thread_idx_x() == 0;
    let count = sync_threads_count(first);
    let and = u32::from(sync_threads_and(first));
    let or = u32::from(sync_threads_or(first));
    sync_threads();
    unsafe { out.set(0, count + and + or) };
}

#[kernel]
pub fn dynamic_shared(out: GlobalMut<f32>) {
    let floats = DynamicSharedArray::<f32>::offset(64);
    unsafe { floats.set(thread_idx_x() as usize, 1.0) };
    sync_threads();
    unsafe { out.set(0, floats.get(0)) };
}

#[kernel]
pub fn prints(x: f32) {
    let yes = x > 1.0;
    gpu_printf!("{} {:.3} {:02x} {yes} 100 %\n", -1i64, x, 255u8);
}

#[kernel]
pub fn asserts(n: u32) {
    gpu_assert!(n > 3, "n is small");
}

#[kernel]
pub fn panics(input: &[u32], out: GlobalMut<u32>) {
    let i = index_1d().get();
    unsafe { out.set(0, input[i]) };
}

#[kernel]
pub fn panics_with_a_number(n: u32) {
    assert!(n > 3, "{n} is small");
}

#[kernel]
pub fn cannot_panic(input: &[u32], out: GlobalMut<u32>) {
    let i = thread_idx_x() as usize;
    if i < input.len() && i < out.len() {
        unsafe { out.set(i, input[i]) };
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Parameters(pub u32);

unsafe impl lanewise_std::kernel::Value for Parameters {}

/// Names that the expansion of `#[kernel]` uses too (the host's
/// side is `gpu/macros/tests/hygiene.rs`).
#[kernel]
pub fn names(buffer: &[f32], buffer_length: u32, parameters: Parameters, r#type: GlobalMut<u32>) {
    unsafe { r#type.set(buffer.len() + buffer_length as usize, parameters.0) };
}

/// Slices of atomics: LLVM once crashed on a load from one that was said to be read-only.
#[kernel]
pub fn atomic_slices(words: &[DeviceAtomicU64], counts: &[AtomicU32], mut out: DisjointSlice<u64>) {
    if let (Some((out, _)), Some(word)) = (out.get_mut_indexed(), words.first()) {
        *out = word.load(AtomicOrdering::Relaxed);
        word.store(*out + 1, AtomicOrdering::Relaxed);
        if let Some(count) = counts.first() {
            count.fetch_add(1, AtomicOrdering::Relaxed);
        }
    }
}

/// A structure with an atomic in it.
pub struct Slot {
    pub key: u32,
    pub count: DeviceAtomicU32,
}

#[kernel]
pub fn slots_with_atomics(slots: &[Slot], key: u32) {
    if let Some(slot) = slots.first()
        && slot.key == key
    {
        slot.count.fetch_add(1, AtomicOrdering::Relaxed);
    }
}

/// The store through a cell was once left out: the slice was said to be read-only.
#[kernel]
pub unsafe fn cells(totals: &[Cell<u64>]) {
    if let [from, to, ..] = totals {
        to.set(from.get() + 5);
    }
}

/// A parameter whose type names a const parameter.
#[kernel(instances(2, 4))]
pub fn polynomial<const N: usize>(coefficients: [f32; N], x: f32, mut out: DisjointSlice<f32>) {
    if let Some((out, _)) = out.get_mut_indexed() {
        *out = coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    }
}

#[derive(Clone, Copy, Value)]
#[repr(C, align(16))]
pub struct Float4 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub w: f32,
}

#[kernel]
pub fn copies_whole_structures(from: &[Float4], mut to: DisjointSlice<Float4>) {
    if let Some((to, index)) = to.get_mut_indexed()
        && let Some(from) = from.get(index.get())
    {
        *to = *from;
    }
}

/// Fields of several widths, 16 bytes in all.
#[derive(Clone, Copy, Value)]
#[repr(C, align(16))]
pub struct Mixed {
    pub id: u64,
    pub weight: f32,
    pub kind: u16,
    pub flags: [u8; 2],
}

#[kernel]
pub fn copies_mixed_structures(from: &[Mixed], mut to: DisjointSlice<Mixed>) {
    if let Some((to, index)) = to.get_mut_indexed()
        && let Some(from) = from.get(index.get())
    {
        *to = *from;
    }
}

#[kernel]
pub fn copies_arrays_of_structures(from: &[[Mixed; 2]], mut to: DisjointSlice<[Mixed; 2]>) {
    if let Some((to, index)) = to.get_mut_indexed()
        && let Some(from) = from.get(index.get())
    {
        *to = *from;
    }
}

#[kernel]
#[launch_contract(dims = 1, whole_warps)]
pub fn sums_whole_warps(input: &[f32], mut sums: PerBlock<f32>) {
    let value = input.get(index_1d().get()).copied();
    let sum = block_reduce(value.unwrap_or_default(), Sum);
    if let Some(output) = sums.get_mut() {
        *output = sum;
    }
}

#[kernel]
#[launch_contract(dims = 1)]
pub fn shares_of_a_block_and_of_a_warp(input: &[u32], mut sums: PerBlock<u32>) {
    let mut sum = 0u32;
    for i in block_stride(input.len()).chain(warp_stride(input.len())) {
        sum = sum.wrapping_add(input[i]);
    }
    if let Some(output) = sums.get_mut() {
        *output = sum;
    }
}

#[kernel]
#[launch_bounds(512)]
#[launch_contract(dims = 2, block = (32, 8))]
pub fn has_one_shape(mut output: DisjointSlice<u32>) {
    if let Some((output, _)) = output.get_mut_indexed() {
        *output = block_size();
    }
}

/// Rust aligns the elements to one byte and to four.
#[kernel]
pub fn copies_small_arrays(
    bytes: &[[u8; 4]],
    floats: &[[f32; 4]],
    mut to_bytes: DisjointSlice<[u8; 4]>,
    mut to_floats: DisjointSlice<[f32; 4]>,
) {
    if let Some((to, index)) = to_bytes.get_mut_indexed()
        && let Some(from) = bytes.get(index.get())
    {
        *to = *from;
    }
    if let Some((to, index)) = to_floats.get_mut_indexed()
        && let Some(from) = floats.get(index.get())
    {
        *to = *from;
    }
}

#[kernel]
pub fn copies_structures_through_shared(from: &[Mixed], mut to: DisjointSlice<Mixed>) {
    shared! { static TILE: [Mixed; 64]; }
    let thread = thread_idx_x() as usize;
    if let Some(from) = from.get(thread) {
        unsafe { TILE.set(thread, *from) };
    }
    sync_threads();
    if let Some((to, _)) = to.get_mut_indexed() {
        *to = unsafe { TILE.get(63 - thread) };
    }
}

/// One phase: nothing was read before its writes.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn one_phase(output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, 64>; }
    let line = LINE.fill::<1>(|i| i as u32);
    write_own(output, line.get(63 - thread_idx_x() as usize));
}

/// The second phase begins with a barrier, as others may still read the first one.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn two_phases(output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, 64>; }
    let first = LINE
        .fill::<1>(|i| i as u32)
        .get(63 - thread_idx_x() as usize);
    let second = LINE
        .fill::<1>(|i| 2 * i as u32)
        .get(thread_idx_x() as usize ^ 1);
    write_own(output, first + second);
}

/// The first phase of some threads is the second one of others, so all begin with a barrier.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn a_phase_in_one_arm(output: DisjointSlice<u32>, both: u32) {
    shared! { static LINE: SharedLine<u32, 64>; }
    let mut first = 0;
    if both > 0 {
        first = LINE
            .fill::<1>(|i| i as u32)
            .get(63 - thread_idx_x() as usize);
    }
    let second = LINE
        .fill::<1>(|i| 2 * i as u32)
        .get(thread_idx_x() as usize ^ 1);
    write_own(output, first + second);
}

/// Barrier 0 is the kernel's, so the phase has barrier 1.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn a_phase_beside_a_barrier(output: DisjointSlice<u32>) {
    shared! { static LINE: SharedLine<u32, 64>; }
    let line = LINE.fill::<1>(|i| i as u32);
    sync_threads();
    write_own(output, line.get(63 - thread_idx_x() as usize));
}

/// A function that is not inlined may be called after other phases, so each of its phases begins
/// with a barrier, and the number is the library's.
#[kernel]
#[launch_contract(dims = 1, block = 64)]
pub fn a_phase_in_a_function(output: DisjointSlice<u32>, depth: u32) {
    write_own(output, descend(depth));
}

#[inline(never)]
fn descend(depth: u32) -> u32 {
    shared! { static LINE: SharedLine<u32, 64>; }
    let own = LINE
        .fill::<1>(|i| i as u32 + depth)
        .get(thread_idx_x() as usize ^ 1);
    if depth == 0 {
        own
    } else {
        own * descend(depth - 1)
    }
}

fn write_own(mut output: DisjointSlice<u32>, number: u32) {
    if let Some(output) = output.get_mut(index_1d()) {
        *output = number;
    }
}
