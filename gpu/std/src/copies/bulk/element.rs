//! Elements that a thread sends from its registers to another block of the
//! cluster: `st.async`, `red.async`.
//!
//! A plain store to another block ([`DistributedArray::set`]) needs a barrier of the cluster after
//! it, or a remote arrival by each writer. An element that is sent asynchronously reports its bytes
//! to a barrier of the receiving block. The barrier expects them like the bytes of a bulk copy. No
//! thread arrives, and only the reader waits.
//!
//! PTX ISA, "Data Movement and Conversion Instructions: st.async", "Parallel Synchronization and
//! Communication Instructions: red.async".

use core::mem::{MaybeUninit, transmute_copy};

use super::cluster::sealed::Element;
use super::cluster::{BlockAdd, BlockBitwise, BlockIncDec, BlockMinMax, element_to_block};
use crate::barrier::Barrier;
use crate::cluster::DistributedArray;
use crate::scope::Cluster;
use crate::state_space::{self, ptx};

impl<T: Copy> DistributedArray<T> {
    /// Sends `value` to element `index` of block `rank`, and does not wait. The element's bytes are
    /// reported to the barrier at the address of `barrier` in that block, which expects them
    /// ([`Barrier::expect_bytes`]). A thread that waits at the barrier there sees the element.
    ///
    /// An element has 4, 8 or 16 bytes, and is aligned to its size:
    /// `u32`, `f64`, [`Float4`](crate::vector::Float4).
    ///
    /// # Safety
    /// Block `rank` has begun, and does not end before the bytes are reported to its barrier. From
    /// this call until the phase of the barrier there that expects the bytes has ended, no thread
    /// accesses the element.
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
            barrier.address_in_block(rank),
        );
        // SAFETY: the sizes are the same, and any bytes are a valid `MaybeUninit`. The caller
        // promises the rest.
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
            /// It does not wait, and reports the element's bytes to the barrier there,
            /// as [`set_async`](Self::set_async) does.
            ///
            /// # Safety
            /// As for [`set_async`](Self::set_async). But at the same time, other threads
            /// may update the element, by such operations or by atomics of cluster scope or
            /// a wider one.
            ///
            /// # Panics
            /// If the block or the element is past the end.
            #[inline]
            pub unsafe fn $name(&self, rank: u32, index: usize, value: T, barrier: &Barrier<Cluster>) {
                let element = Element {
                    to: state_space::shared(self.own_element(index)),
                    value,
                    told: barrier.address_in_block(rank),
                    rank,
                };
                // SAFETY: the caller keeps the contract of this function.
                unsafe { T::$operation(element) }
            }
        }
    )*};
}
joins! {
    /// Adds `value` to element `index` of block `rank`, wrapping on overflow.
    #[doc(alias = "red.async.add")]
    add_async: BlockAdd, add;
    /// Replaces element `index` of block `rank` by the minimum of it and `value`.
    #[doc(alias = "red.async.min")]
    min_async: BlockMinMax, min;
    /// Replaces element `index` of block `rank` by the maximum of it and `value`.
    #[doc(alias = "red.async.max")]
    max_async: BlockMinMax, max;
    /// Replaces element `index` of block `rank` by the bitwise AND of it and `value`.
    #[doc(alias = "red.async.and")]
    and_async: BlockBitwise, and;
    /// Replaces element `index` of block `rank` by the bitwise OR of it and `value`.
    #[doc(alias = "red.async.or")]
    or_async: BlockBitwise, or;
    /// Replaces element `index` of block `rank` by the bitwise XOR of it and `value`.
    #[doc(alias = "red.async.xor")]
    xor_async: BlockBitwise, xor;
    /// Increments element `index` of block `rank`, or sets it to 0 if it is at least `value`.
    #[doc(alias = "red.async.inc")]
    inc_async: BlockIncDec, inc;
    /// Decrements element `index` of block `rank`, or sets it to `value` if it is 0 or
    /// greater than `value`.
    #[doc(alias = "red.async.dec")]
    dec_async: BlockIncDec, dec;
}
