//! Boxes of tensors: loads, prefetches, stores, and stores that combine elements.

use super::instruction::{by_rank, reductions, with_coordinates};
use super::{ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax, TensorMap, TensorMapMut};
use crate::barrier::Barrier;
use crate::cache::hinted;
use crate::scope::Scope;
use crate::state_space::{self, ptx};

/// Asserts that a tensor can have this many dimensions.
pub(super) const fn can_be(dimensions: usize) {
    assert!(
        dimensions >= 1 && dimensions <= 5,
        "a tensor has 1 to 5 dimensions"
    );
}

macro_rules! loads {
    ($($map:ident)*) => {$(
        impl<T: Copy, const RANK: usize, Size> $map<'_, T, RANK, Size> {
            /// Starts a load of the box that begins at these coordinates. They may be outside
            /// of the tensor, and may be negative. It reports all bytes of the box to
            /// `barrier`, including zeros.
            ///
            /// # Safety
            /// `to` is in this block's shared memory, at a multiple of 128 bytes, and has memory
            /// for a box. Until the phase of the barrier that expects the bytes has ended, no
            /// thread accesses that memory, and none writes that part of the tensor.
            #[doc(alias = "cp.async.bulk.tensor")]
            #[inline]
            pub unsafe fn load<S: Scope>(&self, to: *mut T, at: [i32; RANK], barrier: &Barrier<S>) {
                const { can_be(RANK) };
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller keeps the contract of this function, and the map
                // has this rank.
                unsafe {
                    by_rank!("cp.async.bulk.tensor", self.policy, RANK, at,
                        ["cp.async.bulk.tensor."], [".shared::cluster.global.tile.mbarrier::complete_tx::bytes"],
                        " [{to}], [{map}, ", ["], [{barrier}]"],
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                    );
                }
            }

            /// Starts a load of one box into several blocks of the cluster: bit `r` of `blocks` is
            /// block `r`. The box goes to the same shared address in each block. Its bytes are
            /// reported to each block's barrier at the address of this one.
            ///
            /// # Safety
            /// As for [`load`](Self::load), in each of the blocks; the cluster has all of these
            /// blocks, and none has ended.
            #[doc(alias = "cp.async.bulk.tensor.multicast::cluster")]
            #[inline]
            pub unsafe fn load_multicast<S: Scope>(&self, to: *mut T, at: [i32; RANK], barrier: &Barrier<S>, blocks: u16) {
                const { can_be(RANK) };
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller keeps the contract of this function, and the map
                // has this rank.
                unsafe {
                    by_rank!("cp.async.bulk.tensor", self.policy, RANK, at,
                        ["cp.async.bulk.tensor."], [".shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"],
                        " [{to}], [{map}, ", ["], [{barrier}], {blocks}"],
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                        blocks = in(reg16) blocks,
                    );
                }
            }

            /// Starts a prefetch of the box into the second-level cache, for a later load.
            #[doc(alias = "cp.async.bulk.prefetch.tensor")]
            #[inline]
            pub fn prefetch(&self, at: [i32; RANK]) {
                const { can_be(RANK) };
                // SAFETY: the map has this rank, and a prefetch changes no memory.
                unsafe {
                    by_rank!("cp.async.bulk.prefetch.tensor", self.policy, RANK, at,
                        ["cp.async.bulk.prefetch.tensor."], [".L2.global.tile"],
                        " [{map}, ", ["]"],
                        map = in(reg64) self.encoded,
                    );
                }
            }
        }
    )*};
}
loads! { TensorMap TensorMapMut }

macro_rules! stores {
    ($($(#[$doc:meta])* $name:ident: $($bound:path, $operation:literal)?;)*) => {
        impl<T: Copy, const RANK: usize, Size> TensorMapMut<'_, T, RANK, Size> {$(
            $(#[$doc])*
            ///
            /// The box may extend past the tensor's end, or begin after it. But it must not begin
            /// before the tensor: no coordinate may be negative.
            ///
            /// # Safety
            /// `from` is in this block's shared memory, at a multiple of 128 bytes, and
            /// contains a box. No thread writes the box before
            /// [`bulk::wait_group_read`](crate::bulk::wait_group_read). There is a
            /// [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared) between the
            /// writes of the box and this call. Only such instructions access that part of the
            /// tensor before [`bulk::wait_group`](crate::bulk::wait_group).
            #[inline]
            pub unsafe fn $name(&self, at: [i32; RANK], from: *const T)
            where
                T: Copy $(+ $bound)?,
            {
                const { can_be(RANK) };
                let from = state_space::shared(from);
                // SAFETY: the caller keeps the contract of this function, and the map
                // has this rank.
                unsafe { stores!(@ self, at, from, $($operation)?) }
            }
        )*}
    };
    (@ $self:ident, $at:ident, $from:ident, $($operation:literal)?) => {
        by_rank!("cp.async.bulk.tensor", $self.policy, RANK, $at,
            ["cp.", $(stores!(# $operation),)? "async.bulk.tensor."], [".global.shared::cta", $(".", $operation,)? ".tile.bulk_group"],
            " [{map}, ", ["], [{from}]"],
            map = in(reg64) $self.encoded,
            from = in(reg32) $from,
        )
    };
    (# $operation:literal) => { "reduce." };
}
reductions! {
    stores! {
        /// Starts a store of a box that begins at these coordinates, as part of this thread's open
        /// group. Elements outside of the tensor are not stored.
        #[doc(alias = "cp.async.bulk.tensor.global.shared::cta")]
        store:;
    }
}
