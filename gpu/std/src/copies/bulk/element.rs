//! Elements that a thread sends from its registers to another block of the cluster: `st.async`,
//! `red.async`.
//!
//! A plain store to another block ([`DistributedArray::set`]) needs a barrier of the cluster after
//! it, or a remote arrival by each writer. An element that is sent in this way reports its bytes to
//! a barrier of the receiving block, which expects them as it expects those of a bulk copy. No
//! thread arrives, and only the reader waits.
//!
//! PTX ISA, "Data Movement and Conversion Instructions: st.async", "Parallel Synchronization and
//! Communication Instructions: red.async".

use core::mem::{MaybeUninit, transmute_copy};

use super::cluster::sealed::Element;
use super::cluster::{BlockAdd, BlockBitwise, BlockIncDec, BlockMinMax, element_to_block};
use crate::barrier::{Barrier, Cluster};
use crate::cluster::DistributedArray;
use crate::state_space::{self, ptx};

impl<T: Copy> DistributedArray<T> {
    /// Sends `value` to element `index` of block `rank`, and goes on. The barrier at the place of
    /// `barrier` in that block is told of the element's bytes, which it expects
    /// ([`Barrier::expect_bytes`]); who waits for it there sees the element.
    ///
    /// An element has 4, 8 or 16 bytes, and is aligned to its size: `u32`, `f64`,
    /// [`Float4`](crate::vector::Float4).
    ///
    /// # Safety
    /// Block `rank` has begun, and does not end before its barrier was told. From here until the
    /// phase of the barrier there that expects the bytes has ended, no thread touches the element.
    ///
    /// # Panics
    /// If the block or the element is past the end.
    #[doc(alias = "st.async")]
    #[inline]
    pub unsafe fn set_async(&self, rank: u32, index: usize, value: T, barrier: &Barrier<Cluster>) {
        const {
            assert!(
                matches!(size_of::<T>(), 4 | 8 | 16) && align_of::<T>() == size_of::<T>(),
                "an element that is sent has 4, 8 or 16 bytes and is aligned to its size"
            )
        };
        let (to, told) = (
            state_space::shared(self.own_element(index)),
            barrier.of_block(rank).address(),
        );
        // SAFETY: the sizes are the same, and any bytes are such a value; the rest is the caller's
        // promise.
        unsafe {
            match const { size_of::<T>() } {
                4 => {
                    let value: MaybeUninit<u32> = transmute_copy(&value);
                    let element = Element {
                        to,
                        value,
                        told,
                        rank,
                    };
                    element_to_block!("st.async": "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32", reg32, element);
                }
                8 => {
                    let value: MaybeUninit<u64> = transmute_copy(&value);
                    let element = Element {
                        to,
                        value,
                        told,
                        rank,
                    };
                    element_to_block!("st.async": "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64", reg64, element);
                }
                _ => {
                    let [low, high]: [MaybeUninit<u64>; 2] = transmute_copy(&value);
                    ptx!("st.async":
                        "{{ .reg .b32 there; mapa.shared::cluster.u32 there, {to}, {rank};",
                        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [there], {{{low}, {high}}}, [{told}]; }}",
                        to = in(reg32) to,
                        low = in(reg64) low,
                        high = in(reg64) high,
                        told = in(reg32) told,
                        rank = in(reg32) rank,
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    }
}

macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $operation:ident;)*) => {$(
        impl<T: $bound> DistributedArray<T> {
            $(#[$doc])*
            /// It goes on at once, and tells the barrier there of the element's bytes, as
            /// [`set_async`](Self::set_async) does.
            ///
            /// # Safety
            /// As for [`set_async`](Self::set_async), but that others may join values with the
            /// element meanwhile, in this way or by atomics of the cluster's scope or a wider one.
            ///
            /// # Panics
            /// If the block or the element is past the end.
            #[inline]
            pub unsafe fn $name(&self, rank: u32, index: usize, value: T, barrier: &Barrier<Cluster>) {
                let element = Element {
                    to: state_space::shared(self.own_element(index)),
                    value,
                    told: barrier.of_block(rank).address(),
                    rank,
                };
                // SAFETY: the caller's promise.
                unsafe { T::$operation(element) }
            }
        }
    )*};
}
joins! {
    /// Adds `value` to element `index` of block `rank`, wrapping.
    #[doc(alias = "red.async.add")]
    add_async: BlockAdd, add;
    /// Has block `rank` keep the lesser of `value` and its element `index`.
    #[doc(alias = "red.async.min")]
    min_async: BlockMinMax, min;
    /// Has block `rank` keep the greater of `value` and its element `index`.
    #[doc(alias = "red.async.max")]
    max_async: BlockMinMax, max;
    /// Has block `rank` keep the bits that `value` and its element `index` both have.
    #[doc(alias = "red.async.and")]
    and_async: BlockBitwise, and;
    /// Has block `rank` set the bits of its element `index` that `value` has.
    #[doc(alias = "red.async.or")]
    or_async: BlockBitwise, or;
    /// Has block `rank` change the bits of its element `index` that `value` has.
    #[doc(alias = "red.async.xor")]
    xor_async: BlockBitwise, xor;
    /// Has element `index` of block `rank` count up, and begin at 0 again from `value` on.
    #[doc(alias = "red.async.inc")]
    inc_async: BlockIncDec, inc;
    /// Has element `index` of block `rank` count down, and go to `value` from 0, or from above it.
    #[doc(alias = "red.async.dec")]
    dec_async: BlockIncDec, dec;
}
