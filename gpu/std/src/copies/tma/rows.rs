//! Four rows of a matrix at a time, wherever they are: gathered into shared memory, scattered from
//! there. Blackwell's data centre GPUs have it, from `sm_100a`.
//!
//! PTX ISA, "Tensors: .tile::scatter4 and .tile::gather4 modes".

use super::instruction::with_coordinates;
use super::{TensorMap, TensorMapMut};
use crate::barrier::{Barrier, Scope};
use crate::cache::hinted;
use crate::state_space::{self, ptx};

macro_rules! gathers {
    ($($map:ident)*) => {$(
        impl<T: Copy> $map<'_, T, 2> {
            /// Starts a load of a piece of four rows of a matrix, from `column` on: one row behind
            /// the other in shared memory. The map's boxes are of one row
            /// (`Tiles::new([columns, rows], [width, 1])`), and a row that the matrix has not is
            /// zeros. It tells `barrier` of the bytes of four boxes. From `sm_100a`.
            ///
            /// # Safety
            /// As for [`TensorMap::load`], with room for four boxes, of one row each.
            #[doc(alias = "cp.async.bulk.tensor.tile::gather4")]
            #[inline]
            pub unsafe fn gather4<S: Scope>(&self, to: *mut T, column: i32, rows: [i32; 4], barrier: &Barrier<S>) {
                let (to, barrier) = (state_space::shared(to), barrier.address());
                let [r0, r1, r2, r3] = rows;
                // SAFETY: the caller's promise; the map is of a matrix.
                unsafe {
                    with_coordinates!("cp.async.bulk.tensor", self.policy, "2d", [column r0 r1 r2 r3]:
                        ["cp.async.bulk.tensor."], [".shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes"],
                        " [{to}], [{map}, ", ["], [{barrier}]"],
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                    );
                }
            }

            /// [`gather4`](Self::gather4) into several blocks of the cluster: bit `r` of `blocks`
            /// is block `r`. The rows come to the same place in each, and tell each block's barrier
            /// at the place of this one.
            ///
            /// # Safety
            /// As for [`gather4`](Self::gather4), in each of the blocks; the cluster has them all,
            /// and none has ended.
            #[doc(alias = "cp.async.bulk.tensor.tile::gather4.multicast::cluster")]
            #[inline]
            pub unsafe fn gather4_multicast<S: Scope>(
                &self,
                to: *mut T,
                column: i32,
                rows: [i32; 4],
                barrier: &Barrier<S>,
                blocks: u16,
            ) {
                let (to, barrier) = (state_space::shared(to), barrier.address());
                let [r0, r1, r2, r3] = rows;
                // SAFETY: the caller's promise; the map is of a matrix.
                unsafe {
                    with_coordinates!("cp.async.bulk.tensor", self.policy, "2d", [column r0 r1 r2 r3]:
                        ["cp.async.bulk.tensor."], [".shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster"],
                        " [{to}], [{map}, ", ["], [{barrier}], {blocks}"],
                        to = in(reg32) to,
                        map = in(reg64) self.encoded,
                        barrier = in(reg32) barrier,
                        blocks = in(reg16) blocks,
                    );
                }
            }

            /// Has four rows brought to the second-level cache, for a [`gather4`](Self::gather4)
            /// that comes later. From `sm_100a`.
            #[doc(alias = "cp.async.bulk.prefetch.tensor.tile::gather4")]
            #[inline]
            pub fn prefetch_gather4(&self, column: i32, rows: [i32; 4]) {
                let [r0, r1, r2, r3] = rows;
                // SAFETY: the map is of a matrix; nothing is changed.
                unsafe {
                    with_coordinates!("cp.async.bulk.prefetch.tensor", self.policy, "2d", [column r0 r1 r2 r3]:
                        ["cp.async.bulk.prefetch.tensor."], [".L2.global.tile::gather4"],
                        " [{map}, ", ["]"],
                        map = in(reg64) self.encoded,
                    );
                }
            }
        }
    )*};
}
gathers! { TensorMap TensorMapMut }

impl<T: Copy> TensorMapMut<'_, T, 2> {
    /// Starts a store of four pieces of rows, which are one behind the other in shared memory, to
    /// four rows of a matrix from `column` on, in this thread's open group. The map's boxes are of
    /// one row; rows behind the last are left out. From `sm_100a`.
    ///
    /// # Safety
    /// As for [`store`](Self::store), of four boxes of one row each, to four rows that differ.
    #[doc(alias = "cp.async.bulk.tensor.tile::scatter4")]
    #[inline]
    pub unsafe fn scatter4(&self, column: i32, rows: [i32; 4], from: *const T) {
        let from = state_space::shared(from);
        let [r0, r1, r2, r3] = rows;
        // SAFETY: the caller's promise; the map is of a matrix.
        unsafe {
            with_coordinates!("cp.async.bulk.tensor", self.policy, "2d", [column r0 r1 r2 r3]:
                ["cp.async.bulk.tensor."], [".global.shared::cta.tile::scatter4.bulk_group"],
                " [{map}, ", ["], [{from}]"],
                map = in(reg64) self.encoded,
                from = in(reg32) from,
            );
        }
    }
}
