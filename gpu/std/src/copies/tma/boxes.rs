//! Boxes of tensors: loads, prefetches, stores, and stores that join elements.

use super::instruction::{by_rank, reductions, with_coordinates};
use super::{ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax, TensorMap, TensorMapMut};
use crate::barrier::{Barrier, Scope};
use crate::cache::hinted;
use crate::state_space::{self, ptx};

/// That there are tensors of this many dimensions.
pub(super) const fn can_be(dimensions: usize) {
    assert!(
        dimensions >= 1 && dimensions <= 5,
        "a tensor has 1 to 5 dimensions"
    );
}

macro_rules! loads {
    ($($map:ident)*) => {$(
        impl<T: Copy, const RANK: usize> $map<'_, T, RANK> {
            /// Starts a load of the box that begins at these coordinates, which may lie outside of
            /// the tensor, before it too. It tells `barrier` of all bytes of the box, zeros
            /// included.
            ///
            /// # Safety
            /// `to` is in this block's shared memory, at a multiple of 128 bytes, with room for a
            /// box. Until the phase of the barrier that expects the bytes has ended, no thread
            /// touches it, and none writes that part of the tensor.
            #[doc(alias = "cp.async.bulk.tensor")]
            #[inline]
            pub unsafe fn load<S: Scope>(&self, to: *mut T, at: [i32; RANK], barrier: &Barrier<S>) {
                const { can_be(RANK) };
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller's promise; the map is of this rank.
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
            /// block `r`. The box comes to the same place in each, and tells each block's barrier
            /// at the place of this one.
            ///
            /// # Safety
            /// As for [`load`](Self::load), in each of the blocks; the cluster has them all, and
            /// none has ended.
            #[doc(alias = "cp.async.bulk.tensor.multicast::cluster")]
            #[inline]
            pub unsafe fn load_multicast<S: Scope>(&self, to: *mut T, at: [i32; RANK], barrier: &Barrier<S>, blocks: u16) {
                const { can_be(RANK) };
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller's promise; the map is of this rank.
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

            /// Has the box brought to the second-level cache, for a load that comes later.
            #[doc(alias = "cp.async.bulk.prefetch.tensor")]
            #[inline]
            pub fn prefetch(&self, at: [i32; RANK]) {
                const { can_be(RANK) };
                // SAFETY: the map is of this rank; nothing is changed.
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
        impl<T: Copy, const RANK: usize> TensorMapMut<'_, T, RANK> {$(
            $(#[$doc])*
            ///
            /// The box may reach over the tensor's end, or begin behind it, but not before it: no
            /// coordinate is negative.
            ///
            /// # Safety
            /// `from` is in this block's shared memory, at a multiple of 128 bytes, and holds a
            /// box. No thread writes it before
            /// [`bulk::wait_group_read`](crate::bulk::wait_group_read), and
            /// [`bulk::fence_proxy_async`](crate::bulk::fence_proxy_async) stands between the
            /// writes of it and this. Nobody but such instructions touches that part of the tensor
            /// before [`bulk::wait_group`](crate::bulk::wait_group).
            #[inline]
            pub unsafe fn $name(&self, at: [i32; RANK], from: *const T)
            where
                T: Copy $(+ $bound)?,
            {
                const { can_be(RANK) };
                let from = state_space::shared(from);
                // SAFETY: the caller's promise; the map is of this rank.
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
        /// Starts a store of a box to where these coordinates begin, in this thread's open group.
        /// What would lie outside of the tensor is left out.
        #[doc(alias = "cp.async.bulk.tensor.global.shared::cta")]
        store:;
    }
}
