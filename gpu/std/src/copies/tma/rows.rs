//! Copies of any four rows of a matrix: a gather into shared memory, and a scatter from there.
//! Blackwell's data centre GPUs have them, from `sm_100a`.
//!
//! PTX ISA, "Tensors: .tile::scatter4 and .tile::gather4 modes".
//!
//! ```
//! use lanewise_macros::{kernel, shared};
//! use lanewise_std::barrier::{Barrier, Parity};
//! use lanewise_std::bulk;
//! use lanewise_std::cluster::{block_rank, sync_cluster};
//! use lanewise_std::scope::Cluster;
//! use lanewise_std::thread::thread_idx_x;
//! use lanewise_std::tma::{TensorMap, TensorMapMut, Tile};
//!
//! /// Copies four rows to both blocks of a cluster, and from one of them to four other rows.
//! ///
//! /// # Safety
//! /// The maps have boxes of one row of 32 columns.
//! #[kernel(min_arch = "sm_100a")]
//! #[cluster_launch(2)]
//! #[launch_contract(dims = 1, block = 32)]
//! pub unsafe fn copy_rows(input: TensorMap<f32, 2>, output: TensorMapMut<f32, 2>) {
//!     shared! {
//!         static ROWS: [Tile<[f32; 4 * 32]>; 2];
//!         static LOADED: Barrier<Cluster> = 1;
//!     }
//!     let (own, both) = (ROWS.tile(0), ROWS.tile(1));
//!     if thread_idx_x() == 0 {
//!         let rows = [9, 2, 30, 4];
//!         input.prefetch_gather4(0, rows);
//!         let _ = LOADED.arrive_expect_bytes(2 * size_of::<[f32; 4 * 32]>() as u32);
//!         // SAFETY: each block expects four rows of its own and four for both. Nobody accesses
//!         // the tiles before, and the blocks end after the cluster's barrier.
//!         unsafe {
//!             input.gather4(own.as_ptr(), 0, rows, &LOADED);
//!             if block_rank() == 0 {
//!                 input.gather4_multicast(both.as_ptr(), 32, rows, &LOADED, 0b11);
//!             }
//!         }
//!         LOADED.wait_parity(Parity::Even);
//!         if block_rank() == 0 {
//!             // SAFETY: the tile stays until the group is done, and the rows are different.
//!             unsafe { output.scatter4(0, [0, 1, 2, 3], own.as_ptr()) };
//!             bulk::commit_group();
//!             bulk::wait_group::<0>();
//!         }
//!     }
//!     sync_cluster();
//! }
//! ```

use super::instruction::with_coordinates;
use super::{TensorMap, TensorMapMut};
use crate::barrier::Barrier;
use crate::cache::hinted;
use crate::scope::Scope;
use crate::state_space::{self, ptx};

macro_rules! gathers {
    ($($map:ident)*) => {$(
        impl<T: Copy> $map<'_, T, 2> {
            /// Starts a load of a part of four rows of a matrix, from `column` on. The rows are one
            /// after another in shared memory. The map's boxes have one row
            /// (`Tiles::new([columns, rows], [width, 1])`). A row outside the matrix is loaded as
            /// zeros. It reports the bytes of four boxes to `barrier`. Needs `sm_100a`.
            ///
            /// # Safety
            /// As for [`TensorMap::load`], with memory for four boxes of one row each.
            #[doc(alias = "cp.async.bulk.tensor.tile::gather4")]
            #[inline]
            pub unsafe fn gather4<S: Scope>(&self, to: *mut T, column: i32, rows: [i32; 4], barrier: &Barrier<S>) {
                let (to, barrier) = (state_space::shared(to), barrier.address());
                let [r0, r1, r2, r3] = rows;
                // SAFETY: the caller keeps the contract of this function, and the map
                // has two dimensions.
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

            /// Does the same as [`gather4`](Self::gather4) for several blocks of the cluster: bit
            /// `r` of `blocks` is block `r`. The rows go to the same shared address in each block.
            /// Their bytes are reported to each block's barrier at the address of this one.
            ///
            /// # Safety
            /// As for [`gather4`](Self::gather4), in each of the blocks; the cluster has all of
            /// these blocks, and none has ended.
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
                // SAFETY: the caller keeps the contract of this function, and the map
                // has two dimensions.
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

            /// Starts a prefetch of four rows into the second-level cache, for a later
            /// [`gather4`](Self::gather4). Needs `sm_100a`.
            #[doc(alias = "cp.async.bulk.prefetch.tensor.tile::gather4")]
            #[inline]
            pub fn prefetch_gather4(&self, column: i32, rows: [i32; 4]) {
                let [r0, r1, r2, r3] = rows;
                // SAFETY: the map has two dimensions, and a prefetch changes no memory.
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
    /// Starts a store of four parts of rows to four rows of a matrix, from `column` on, as part of
    /// this thread's open group. The parts are one after another in shared memory. The map's boxes
    /// have one row. Rows after the last row of the matrix are not stored. Needs `sm_100a`.
    ///
    /// # Safety
    /// As for [`store`](Self::store), for four boxes of one row each. The four rows are different.
    #[doc(alias = "cp.async.bulk.tensor.tile::scatter4")]
    #[inline]
    pub unsafe fn scatter4(&self, column: i32, rows: [i32; 4], from: *const T) {
        let from = state_space::shared(from);
        let [r0, r1, r2, r3] = rows;
        // SAFETY: the caller keeps the contract of this function, and the map has two dimensions.
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
