//! Scopes: the threads for which an atomic operation, a fence or a barrier object counts. PTX ISA,
//! "Memory Consistency Model: Scope".
//!
//! A scope is a type. It is a parameter of [`Atomic`](crate::atomic::Atomic) and of
//! [`Barrier`](crate::barrier::Barrier), and an argument of [`fence`](crate::fence::fence):
//!
//! ```
//! use lanewise_macros::kernel;
//! use lanewise_std::atomic::{Atomic, AtomicOrdering};
//! use lanewise_std::fence::fence;
//! use lanewise_std::scope::Device;
//! use lanewise_std::thread::block_idx_x;
//!
//! /// The first block publishes a number, and the others take it if it is there.
//! #[kernel]
//! pub fn publish(number: &[Atomic<u32, Device>], ready: &[Atomic<u32, Device>]) {
//!     let (Some(number), Some(ready)) = (number.first(), ready.first()) else {
//!         return;
//!     };
//!     if block_idx_x() == 0 {
//!         number.store(42, AtomicOrdering::Relaxed);
//!         fence(Device, AtomicOrdering::Release);
//!         ready.store(1, AtomicOrdering::Relaxed);
//!     } else if ready.load(AtomicOrdering::Relaxed) == 1 {
//!         fence(Device, AtomicOrdering::Acquire);
//!         assert_eq!(number.load(AtomicOrdering::Relaxed), 42);
//!     }
//! }
//! ```

mod sealed {
    pub trait Sealed {}
}

/// A scope: [`Block`], [`Cluster`], [`Device`] or [`System`].
pub trait Scope: sealed::Sealed {
    /// The argument of `__lanewise_atomic_scope`.
    #[doc(hidden)]
    const NUMBER: u32;

    /// Whether it is the cluster, whose instructions are others.
    #[doc(hidden)]
    const IS_CLUSTER: bool = Self::NUMBER == Cluster::NUMBER;
}

/// The threads of the block: `.cta`.
#[doc(alias = "cuda::thread_scope_block")]
#[derive(Clone, Copy, Debug)]
pub struct Block;

/// The threads of the cluster: `.cluster`. Before `sm_90` a fence has the scope of the device.
/// Barriers need `sm_90`.
#[derive(Clone, Copy, Debug)]
pub struct Cluster;

/// The threads of the device: `.gpu`.
#[doc(alias = "cuda::thread_scope_device")]
#[derive(Clone, Copy, Debug)]
pub struct Device;

/// All threads of all devices, and the host: `.sys`.
#[doc(alias = "cuda::thread_scope_system")]
#[derive(Clone, Copy, Debug)]
pub struct System;

impl sealed::Sealed for Block {}
impl sealed::Sealed for Cluster {}
impl sealed::Sealed for Device {}
impl sealed::Sealed for System {}

impl Scope for System {
    const NUMBER: u32 = 0;
}

impl Scope for Device {
    const NUMBER: u32 = 1;
}

impl Scope for Block {
    const NUMBER: u32 = 2;
}

impl Scope for Cluster {
    const NUMBER: u32 = 3;
}
