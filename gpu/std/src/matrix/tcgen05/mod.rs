//! Products by one thread for its block or for two, on Blackwell's data centre GPUs
//! (`sm_100a`, `sm_103a`): `tcgen05`.
//!
//! The sum is not in registers. A multiprocessor has *tensor memory*: 128 lanes of 512 columns of 4
//! bytes. It is allocated by columns ([`TensorMemory`]), and a [`TensorAddress`] is an address in
//! it. The left operand is in tensor memory or in shared memory, and the right operand is in shared
//! memory. One thread starts a product ([`Product::multiply_add`]) and continues. After [`commit`],
//! a barrier receives an arrival when everything that the thread has started is complete.
//!
//! | step | who | by |
//! | --- | --- | --- |
//! | have room | the block | a declaration of [`TensorMemory`], [`TensorMemory::free`] |
//! | bring operands | one thread | [`crate::tma`], [`TensorAddress::copy_from`] |
//! | multiply | one thread | [`Product`], [`ScaledProduct`] |
//! | know that it is done | one thread tells, all wait | [`commit`], [`wait_for_products`] |
//! | take the sum | four warps, each its 32 lanes | [`TensorAddress::load`], [`TensorAddress::store`] |
//!
//! Shapes, element types and the number of blocks are types, and a combination that the hardware
//! does not support does not compile. ptxas accepts only one [`CtaGroup`] in a kernel. The
//! simulated GPU does not run these instructions. It rejects such a kernel with its name, and runs
//! the other kernels of the module. PTX ISA, "TensorCore 5th Generation Family Instructions".

#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unused_mut, unreachable_code, dead_code)
)]

mod copy;
mod descriptor;
mod memory;
mod product;
mod scaled;
mod transfer;

pub use copy::{CopyShape, Format, copy_shape};
pub use descriptor::{SharedDescriptor, Swizzle};
pub use memory::{TensorAddress, TensorMemory};
pub use product::{Left, Multiply, Product};
pub use scaled::{Mxf4, Mxf8f6f4, Nvf4, ScaledKind, ScaledProduct};
pub use transfer::{Shape, shape};

use crate::barrier::{Barrier, Parity};
use crate::scope::Scope;
use crate::state_space::ptx;

pub(super) mod sealed {
    pub trait Sealed {}
}

/// Defines types that are only names, of shapes or of kinds of products.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl $crate::matrix::tcgen05::sealed::Sealed for $name {}
    )*};
}
pub(crate) use names;

/// The number of blocks that multiply together.
#[doc(alias = "cta_group")]
pub trait CtaGroup: sealed::Sealed + Copy {
    /// Whether two blocks multiply together.
    const PAIR: bool;
}

names! {
    /// A block by itself: `.cta_group::1`.
    OneBlock;
    /// Two blocks of a cluster whose ranks differ in the last bit: `.cta_group::2`. Each has half
    /// of the sum's rows in its tensor memory.
    #[doc(alias = "CTA pair")]
    BlockPair;
}
impl CtaGroup for OneBlock {
    const PAIR: bool = false;
}
impl CtaGroup for BlockPair {
    const PAIR: bool = true;
}

/// Executes one instruction, with the text for each group.
macro_rules! for_group {
    ($group:ty, $name:literal: [$($before:expr),*] group [$($after:expr),*], $($operands:tt)*) => {
        if <$group as $crate::matrix::tcgen05::CtaGroup>::PAIR {
            ptx!($name: concat!($($before,)* ".cta_group::2" $(, $after)*), $($operands)*)
        } else {
            ptx!($name: concat!($($before,)* ".cta_group::1" $(, $after)*), $($operands)*)
        }
    };
}
pub(crate) use for_group;

/// Makes one arrival at `barrier` when all products and copies that this thread has started so far
/// are complete. The thread continues at once.
///
/// It includes [`fence_before_thread_sync`].
///
/// # Safety
/// The barrier exists until the arrival. The thread is the one that started the
/// products and copies.
#[doc(alias = "tcgen05.commit")]
#[inline]
pub unsafe fn commit<G: CtaGroup, S: Scope>(barrier: &Barrier<S>) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        for_group!(G, "tcgen05.commit":
            ["tcgen05.commit"] group [".mbarrier::arrive::one.shared::cluster.b64 [{barrier}];"],
            barrier = in(reg32) barrier.address(),
            options(nostack, preserves_flags),
        );
    }
}

/// Does the same as [`commit`] for the barriers at the same shared address in all blocks of the
/// cluster whose bits are in `blocks`.
///
/// # Safety
/// As for [`commit`], for each of those blocks.
#[doc(alias = "tcgen05.commit.multicast::cluster")]
#[inline]
pub unsafe fn commit_multicast<G: CtaGroup, S: Scope>(barrier: &Barrier<S>, blocks: u16) {
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        for_group!(G, "tcgen05.commit":
            ["tcgen05.commit"] group [".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [{barrier}], {blocks};"],
            barrier = in(reg32) barrier.address(),
            blocks = in(reg16) blocks,
            options(nostack, preserves_flags),
        );
    }
}

/// Waits for the phase that [`commit`] ends, and executes the fence that is necessary after it.
/// Then the sum may be loaded.
#[inline]
pub fn wait_for_products<S: Scope>(barrier: &Barrier<S>, parity: Parity) {
    barrier.wait_parity(parity);
    fence_after_thread_sync();
}

/// Orders the operations that this thread has started before those that other threads start after a
/// later barrier or flag.
#[doc(alias = "tcgen05.fence::before_thread_sync")]
#[inline]
pub fn fence_before_thread_sync() {
    // SAFETY: a fence only orders.
    unsafe {
        ptx!("tcgen05.fence": "tcgen05.fence::before_thread_sync;", options(nostack, preserves_flags));
    }
}

/// Orders the operations that this thread starts from now on after those of other threads before
/// the preceding barrier or flag.
#[doc(alias = "tcgen05.fence::after_thread_sync")]
#[inline]
pub fn fence_after_thread_sync() {
    // SAFETY: a fence only orders.
    unsafe {
        ptx!("tcgen05.fence": "tcgen05.fence::after_thread_sync;", options(nostack, preserves_flags));
    }
}
