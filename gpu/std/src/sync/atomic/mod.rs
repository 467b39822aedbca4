//! Atomics: operations on one value that other threads see either completely or not at all.
//!
//! [`Atomic<T, Scope>`](Atomic) has the operations of the number's type. The scope is part of the
//! type: [`scope::Device`] is atomic for all threads of the device, [`scope::Block`] for those of
//! the block, [`scope::System`] for the host and other devices as well. The aliases are named as
//! CUDA's types are: [`DeviceAtomicU32`] is `Atomic<u32, scope::Device>`. A smaller scope may be
//! cheaper: loads, stores and fences have the scope of the type. LLVM 22 writes every
//! read-modify-write operation without a scope, which means device scope in PTX. So these
//! operations of `BlockAtomic*` have a wider scope than necessary. That is always correct, and it
//! costs nothing: a GPU performs them in the same unit, which is shared memory or the L2 cache. (An
//! `atom.cta` in inline assembly would be slower, because LLVM does not see there that the address
//! is in shared memory.)
//!
//! `core::sync::atomic` works in kernels, too. It should have system scope, but it has device scope
//! for the same reason. So memory that the host accesses at the same time needs `SystemAtomic*`.
//! Orderings are those of Rust: [`AtomicOrdering`].
//!
//! `from_ptr` makes an atomic from a plain number in global or shared memory. While the atomic is
//! in use, no other kind of access to that memory is allowed. PTX ISA, "Memory Consistency Model",
//! "atom", "red"; CUDA C++ Programming Guide, "Atomic Functions".
//!
//! # The types of numbers
//!
//! Words of a device's and of a block's scope, and of one that the host reads while the kernel
//! runs:
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::SharedAtomics;
//! use lanewise_std::atomic::*;
//! use lanewise_std::thread::{grid_stride, sync_threads, thread_rank};
//!
//! const RELAXED: AtomicOrdering = AtomicOrdering::Relaxed;
//!
//! #[kernel]
//! pub fn of_a_device(
//!     values: &[f32],
//!     counts: &[DeviceAtomicU64],
//!     signs: &[DeviceAtomicI64],
//!     least: &[DeviceAtomicI32],
//!     sums: &[DeviceAtomicF32],
//!     exact: &[DeviceAtomicF64],
//! ) {
//!     let ([count], [sign], [least], [sum], [exact]) = (counts, signs, least, sums, exact) else {
//!         return;
//!     };
//!     for i in grid_stride(values.len()) {
//!         count.fetch_add(1, RELAXED);
//!         sign.fetch_add(values[i].signum() as i64, RELAXED);
//!         least.fetch_min(values[i] as i32, RELAXED);
//!         sum.fetch_add(values[i], RELAXED);
//!         exact.fetch_add(values[i].into(), RELAXED);
//!     }
//! }
//!
//! /// What the threads of a block note together.
//! struct Notes<'a> {
//!     count: &'a BlockAtomicU32,
//!     least: &'a BlockAtomicI32,
//!     ranks: &'a BlockAtomicU64,
//!     signs: &'a BlockAtomicI64,
//!     sum: &'a BlockAtomicF32,
//!     exact: &'a BlockAtomicF64,
//! }
//!
//! impl Notes<'_> {
//!     fn begin(&self) {
//!         self.count.store(0, RELAXED);
//!         self.least.store(i32::MAX, RELAXED);
//!         self.ranks.store(0, RELAXED);
//!         self.signs.store(0, RELAXED);
//!         self.sum.store(0.0, RELAXED);
//!         self.exact.store(0.0, RELAXED);
//!     }
//!
//!     fn note(&self, value: f32) {
//!         self.count.fetch_add(1, RELAXED);
//!         self.least.fetch_min(value as i32, RELAXED);
//!         self.ranks.fetch_or(1 << (thread_rank() % 64), RELAXED);
//!         self.signs.fetch_add(value.signum() as i64, RELAXED);
//!         self.sum.fetch_add(value, RELAXED);
//!         self.exact.fetch_add(value.into(), RELAXED);
//!     }
//! }
//!
//! #[kernel]
//! pub fn of_a_block(values: &[f32]) {
//!     shared! {
//!         static COUNT: SharedAtomics<u32, 1>;
//!         static LEAST: SharedAtomics<i32, 1>;
//!         static RANKS: SharedAtomics<u64, 1>;
//!         static SIGNS: SharedAtomics<i64, 1>;
//!         static SUM: SharedAtomics<f32, 1>;
//!         static EXACT: SharedAtomics<f64, 1>;
//!     }
//!     let notes = Notes {
//!         count: &COUNT[0],
//!         least: &LEAST[0],
//!         ranks: &RANKS[0],
//!         signs: &SIGNS[0],
//!         sum: &SUM[0],
//!         exact: &EXACT[0],
//!     };
//!     if thread_rank() == 0 {
//!         notes.begin();
//!     }
//!     sync_threads();
//!     for i in grid_stride(values.len()) {
//!         notes.note(values[i]);
//!     }
//! }
//!
//! #[kernel]
//! pub fn of_a_system(
//!     values: &[f32],
//!     done: &[SystemAtomicU32],
//!     least: &[SystemAtomicI32],
//!     ids: &[SystemAtomicU64],
//!     signs: &[SystemAtomicI64],
//!     sums: &[SystemAtomicF32],
//!     exact: &[SystemAtomicF64],
//! ) {
//!     let ([done], [least], [id], [sign]) = (done, least, ids, signs) else { return };
//!     let ([sum], [exact]) = (sums, exact) else { return };
//!     for i in grid_stride(values.len()) {
//!         least.fetch_min(values[i] as i32, RELAXED);
//!         id.fetch_max(i as u64, RELAXED);
//!         sign.fetch_add(values[i].signum() as i64, RELAXED);
//!         sum.fetch_add(values[i], RELAXED);
//!         exact.fetch_add(values[i].into(), RELAXED);
//!     }
//!     done.fetch_add(1, AtomicOrdering::Release);
//! }
//! ```
//!
//! Halves, pairs of them, and vectors of floats have an addition in one instruction, and 128 bits
//! an exchange. A number in memory is an atomic for as long as nothing else accesses it:
//!
//! ```
//! use lanewise_macros::kernel;
//! use lanewise_std::GlobalMut;
//! use lanewise_std::atomic::*;
//! use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
//! use lanewise_std::thread::grid_stride;
//! use lanewise_std::vector::{Float2, Float4};
//!
//! const RELAXED: AtomicOrdering = AtomicOrdering::Relaxed;
//!
//! #[kernel(min_arch = "sm_90")]
//! pub fn of_halves(
//!     values: &[Float2],
//!     halves: &[DeviceAtomicF16],
//!     pairs: &[DeviceAtomicF16x2],
//!     brains: &[DeviceAtomicBf16],
//!     brain_pairs: &[DeviceAtomicBf16x2],
//! ) {
//!     let ([half], [pair], [brain], [brain_pair]) = (halves, pairs, brains, brain_pairs) else {
//!         return;
//!     };
//!     for i in grid_stride(values.len()) {
//!         let Float2 { x, y } = values[i];
//!         half.fetch_add(F16::from_f32(x), RELAXED);
//!         pair.fetch_add(F16x2::from_f32([x, y]), RELAXED);
//!         brain.fetch_add(Bf16::from_f32(x), RELAXED);
//!         brain_pair.fetch_add(Bf16x2::from_f32([x, y]), RELAXED);
//!     }
//! }
//!
//! #[kernel(min_arch = "sm_90")]
//! pub fn of_vectors(
//!     values: &[Float4],
//!     twos: &[DeviceAtomicFloat2],
//!     fours: &[DeviceAtomicFloat4],
//!     turns: &[DeviceAtomicU128],
//! ) {
//!     let ([two], [four], [turn]) = (twos, fours, turns) else { return };
//!     for i in grid_stride(values.len()) {
//!         two.fetch_add(Float2::new(values[i].x, values[i].y), RELAXED);
//!         four.fetch_add(values[i], RELAXED);
//!         turn.fetch_update(|turn| turn.wrapping_mul(3) + 1);
//!     }
//! }
//!
//! #[kernel]
//! pub fn of_raw_memory(counts: GlobalMut<u32>, bins: &[u32]) {
//!     for i in grid_stride(bins.len()) {
//!         if (bins[i] as usize) < counts.len() {
//!             // SAFETY: in bounds, and the kernel accesses the counts in this way only.
//!             let count = unsafe { DeviceAtomicU32::from_ptr(counts.address_of(bins[i] as usize)) };
//!             count.fetch_add(1, RELAXED);
//!         }
//!     }
//! }
//! ```

mod half;
#[cfg(target_arch = "nvptx64")]
mod operations;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "operations_host.rs"]
mod operations;
mod shared;
#[cfg(target_arch = "nvptx64")]
mod system;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "system_host.rs"]
mod system;
mod vector;
mod word;
mod wrapping;

use core::cell::UnsafeCell;
use core::marker::PhantomData;

pub(crate) use operations::fence;
#[doc(hidden)]
pub use operations::ordered;

pub use core::sync::atomic::Ordering as AtomicOrdering;

pub use shared::SharedAtomics;
pub use word::{Integer, Word};

use crate::half::{Bf16, Bf16x2, F16, F16x2};
use crate::kernel::SharedCell;
use crate::scope;
use crate::vector::{Float2, Float4};

/// A number that threads of one [`scope`] access atomically.
///
/// Words ([`Word`]: integers and floats of 32 and 64 bits) are loaded, stored, exchanged and added
/// to. [`Integer`]s have maxima, minima and operations on bits, and `u32` the counters of CUDA that
/// wrap around. The 16-bit floats and the vectors of floats have an addition, and `u128` has
/// exchanges.
///
/// ```
/// use lanewise_macros::kernel;
/// use lanewise_std::atomic::{Atomic, AtomicOrdering};
/// use lanewise_std::scope::Device;
/// use lanewise_std::thread::grid_stride;
///
/// #[kernel]
/// pub fn add_up(input: &[f32], sum: &[Atomic<f32, Device>]) {
///     if let Some(sum) = sum.first() {
///         for i in grid_stride(input.len()) {
///             sum.fetch_add(input[i], AtomicOrdering::Relaxed);
///         }
///     }
/// }
/// ```
///
/// A float has no operations on bits:
///
/// ```compile_fail,E0277
/// # use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicF32};
/// fn or(float: &DeviceAtomicF32) {
///     float.fetch_or(1.0, AtomicOrdering::Relaxed);
/// }
/// ```
#[derive(Debug)]
#[repr(transparent)]
pub struct Atomic<T, Scope>(UnsafeCell<T>, PhantomData<Scope>);

// SAFETY: every access is atomic.
unsafe impl<T: Copy, Scope> Sync for Atomic<T, Scope> {}

impl<T, Scope> Atomic<T, Scope> {
    /// Makes an atomic with this value.
    #[inline]
    #[must_use]
    pub const fn new(value: T) -> Self {
        Atomic(UnsafeCell::new(value), PhantomData)
    }

    /// Makes an atomic from the number at `address`.
    ///
    /// # Safety
    /// For `'a`, `address` is valid and aligned (to the whole size), and only atomics of
    /// one scope access it.
    #[inline]
    #[must_use]
    pub const unsafe fn from_ptr<'a>(address: *mut T) -> &'a Self {
        // SAFETY: the caller promises that the address is valid; the layouts are the same.
        unsafe { &*address.cast() }
    }
}

// The atomics of block scope are not here, because all blocks share the memory that the host
// passes.
macro_rules! passed_by_the_host {
    ($($scope:ident)*) => {$(
        // SAFETY: the type has the layout of its number, and has any value of the number's type.
        unsafe impl<T: Copy + 'static> SharedCell for Atomic<T, scope::$scope> {
            type Value = T;
        }
    )*};
}
passed_by_the_host! { Device System }

macro_rules! aliases {
    ($($name:ident = $ty:ty, $scope:ident;)*) => {$(
        #[doc = concat!("An atomic `", stringify!($ty), "`.")]
        pub type $name = Atomic<$ty, scope::$scope>;
    )*};
}

aliases! {
    DeviceAtomicU32 = u32, Device;
    DeviceAtomicI32 = i32, Device;
    DeviceAtomicU64 = u64, Device;
    DeviceAtomicI64 = i64, Device;
    DeviceAtomicF32 = f32, Device;
    DeviceAtomicF64 = f64, Device;
    DeviceAtomicF16 = F16, Device;
    DeviceAtomicF16x2 = F16x2, Device;
    DeviceAtomicBf16 = Bf16, Device;
    DeviceAtomicBf16x2 = Bf16x2, Device;
    DeviceAtomicFloat2 = Float2, Device;
    DeviceAtomicFloat4 = Float4, Device;
    DeviceAtomicU128 = u128, Device;
    BlockAtomicU32 = u32, Block;
    BlockAtomicI32 = i32, Block;
    BlockAtomicU64 = u64, Block;
    BlockAtomicI64 = i64, Block;
    BlockAtomicF32 = f32, Block;
    BlockAtomicF64 = f64, Block;
    SystemAtomicU32 = u32, System;
    SystemAtomicI32 = i32, System;
    SystemAtomicU64 = u64, System;
    SystemAtomicI64 = i64, System;
    SystemAtomicF32 = f32, System;
    SystemAtomicF64 = f64, System;
}
