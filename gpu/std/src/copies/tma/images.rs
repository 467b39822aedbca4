//! Columns of pixels in the order of a convolution: loads, prefetches, stores, and stores
//! that combine elements.

use super::instruction::{reductions, with_coordinates};
use super::{Im2colMap, Im2colMapMut, ReduceAdd, ReduceBitwise, ReduceIncDec, ReduceMinMax};
use crate::barrier::Barrier;
use crate::cache::hinted;
use crate::scope::Scope;
use crate::state_space::{self, ptx};

macro_rules! loads {
    ($map:ident; $rank:literal, $dimensions:literal, $c:tt, $spatial:literal, [$($o:ident)*]) => {
        impl<T: Copy, Size> $map<'_, T, $rank, Size> {
            /// Starts a load of a column of pixels. It starts at the pixel with these coordinates
            /// (channel, then the spatial dimensions with width first, then the image), moved by
            /// `offsets` in each spatial dimension. The map contains the number of pixels. It
            /// reports all bytes to `barrier`, including zeros.
            ///
            /// # Safety
            /// As for [`TensorMap::load`](super::TensorMap::load).
            #[doc(alias = "cp.async.bulk.tensor.im2col")]
            #[inline]
            pub unsafe fn load<S: Scope>(&self, to: *mut T, at: [i32; $rank], offsets: [u16; $spatial], barrier: &Barrier<S>) {
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller keeps the contract of this function, and the map
                // has this rank.
                unsafe {
                    pixels!("cp.async.bulk.tensor", self, at, $dimensions, $c, offsets, [$($o)*]:
                        ["cp.async.bulk.tensor."], [".shared::cluster.global.im2col.mbarrier::complete_tx::bytes"],
                        " [{to}], [{map}, ", ["], [{barrier}], ", $crate::state_space::list!($($o)*)],
                        to = in(reg32) to,
                        barrier = in(reg32) barrier,
                    );
                }
            }

            /// Starts a load of one column of pixels into several blocks of the cluster: bit `r` of
            /// `blocks` is block `r`. The column goes to the same shared address in each block. Its
            /// bytes are reported to each block's barrier at the address of this one.
            ///
            /// # Safety
            /// As for [`TensorMap::load_multicast`](super::TensorMap::load_multicast).
            #[doc(alias = "cp.async.bulk.tensor.im2col.multicast::cluster")]
            #[inline]
            pub unsafe fn load_multicast<S: Scope>(
                &self,
                to: *mut T,
                at: [i32; $rank],
                offsets: [u16; $spatial],
                barrier: &Barrier<S>,
                blocks: u16,
            ) {
                let (to, barrier) = (state_space::shared(to), barrier.address());
                // SAFETY: the caller keeps the contract of this function, and the map
                // has this rank.
                unsafe {
                    pixels!("cp.async.bulk.tensor", self, at, $dimensions, $c, offsets, [$($o)*]:
                        ["cp.async.bulk.tensor."], [".shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"],
                        " [{to}], [{map}, ", ["], [{barrier}], ", $crate::state_space::list!($($o)*), ", {blocks}"],
                        to = in(reg32) to,
                        barrier = in(reg32) barrier,
                        blocks = in(reg16) blocks,
                    );
                }
            }

            /// Starts a prefetch of a column of pixels into the second-level cache, for
            /// a later load.
            #[doc(alias = "cp.async.bulk.prefetch.tensor.im2col")]
            #[inline]
            pub fn prefetch(&self, at: [i32; $rank], offsets: [u16; $spatial]) {
                // SAFETY: the map has this rank, and a prefetch changes no memory.
                unsafe {
                    pixels!("cp.async.bulk.prefetch.tensor", self, at, $dimensions, $c, offsets, [$($o)*]:
                        ["cp.async.bulk.prefetch.tensor."], [".L2.global.im2col"],
                        " [{map}, ", ["], ", $crate::state_space::list!($($o)*)],
                    );
                }
            }
        }
    };
}

/// Executes one instruction with its coordinates and offsets.
macro_rules! pixels {
    (
        $name:literal, $self:ident, $at:ident, $dimensions:literal, [$($c:ident)*], $offsets:expr, [$($o:ident)*]:
        $start:tt, $words:tt, $before:expr, $behind:tt, $($operands:tt)*
    ) => {{
        let ([$($c),*], [$($o),*]) = ($at, $offsets);
        with_coordinates!($name, $self.policy, $dimensions, [$($c)*]:
            $start, $words, $before, $behind,
            map = in(reg64) $self.encoded,
            $($o = in(reg16) $o,)*
            $($operands)*
        )
    }};
}

macro_rules! stores {
    ($rank:literal, $dimensions:literal, $c:tt; $($(#[$doc:meta])* $name:ident: $($bound:path, $operation:literal)?;)*) => {
        impl<T: Copy, Size> Im2colMapMut<'_, T, $rank, Size> {$(
            stores! { @ $rank, $dimensions, $c; $(#[$doc])* $name: $($bound, $operation)? }
        )*}
    };
    (@ $rank:literal, $dimensions:literal, $c:tt; $(#[$doc:meta])* $name:ident: $($bound:path, $operation:literal)?) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// As for [`TensorMapMut::store`](super::TensorMapMut::store).
        #[doc(alias = "cp.async.bulk.tensor.im2col_no_offs")]
        #[inline]
        pub unsafe fn $name(&self, at: [i32; $rank], from: *const T)
        where
            T: Copy $(+ $bound)?,
        {
            let from = state_space::shared(from);
            let none: [u16; 0] = [];
            // SAFETY: the caller keeps the contract of this function, and the map has this rank.
            unsafe {
                pixels!("cp.async.bulk.tensor", self, at, $dimensions, $c, none, []:
                    ["cp.", $(stores!(# $operation),)? "async.bulk.tensor."],
                    [".global.shared::cta", $(".", $operation,)? ".im2col_no_offs.bulk_group"],
                    " [{map}, ", ["], [{from}]"],
                    from = in(reg32) from,
                );
            }
        }
    };
    (# $operation:literal) => { "reduce." };
}

macro_rules! images {
    ($($rank:literal, $dimensions:literal, $c:tt, $spatial:literal, $o:tt;)*) => {$(
        loads! { Im2colMap; $rank, $dimensions, $c, $spatial, $o }
        loads! { Im2colMapMut; $rank, $dimensions, $c, $spatial, $o }
        reductions! {
            stores! {
                $rank, $dimensions, $c;
                /// Starts a store of a column of pixels, from the pixel at these coordinates on, as
                /// part of this thread's open group. Pixels after the last image are not stored.
                /// The first pixel must be in the map's box, which is inside the image, and no
                /// coordinate may be negative.
                store:;
            }
        }
    )*};
}
images! {
    3, "3d", [c0 c1 c2], 1, [o0];
    4, "4d", [c0 c1 c2 c3], 2, [o0 o1];
    5, "5d", [c0 c1 c2 c3 c4], 3, [o0 o1 o2];
}
