//! Copies and reductions from this block's shared memory to that of another block of the cluster.
//!
//! `to` and the barrier are addresses in this block. The bytes go to the same address in block
//! `rank`. They are reported to the barrier at the same address there, which expects them.
//!
//! The element types of reductions are those of
//! [`add_async`](crate::cluster::DistributedArray::add_async) and its siblings, which send one
//! element at a time.
//!
//! | trait | operations | elements |
//! | --- | --- | --- |
//! | [`BlockAdd`] | add | `u32`, `i32`, `u64` |
//! | [`BlockMinMax`] | min, max | `u32`, `i32` |
//! | [`BlockBitwise`] | and, or, xor | `u32`, `i32` |
//! | [`BlockIncDec`] | inc, dec | `u32` |

use super::copy::bytes;
use crate::barrier::Barrier;
use crate::scope::Cluster;
use crate::state_space::{self, ptx};

/// Executes one of these instructions. The arguments are its name, its text up to the state spaces,
/// and its text after them.
macro_rules! to_block {
    ($name:literal: $start:literal, $words:expr, $to:expr, $from:expr, $bytes:expr, $barrier:expr, $rank:expr) => {
        ptx!($name:
            "{{ .reg .b32 there, told; mapa.shared::cluster.u32 there, {to}, {rank}; mapa.shared::cluster.u32 told, {barrier}, {rank};",
            concat!($start, ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes", $words, " [there], [{from}], {bytes}, [told]; }}"),
            to = in(reg32) $to,
            from = in(reg32) $from,
            bytes = in(reg32) $bytes,
            barrier = in(reg32) $barrier,
            rank = in(reg32) $rank,
            options(nostack, preserves_flags),
        )
    };
}

/// Starts a copy of `count` elements from this block's shared memory to block `rank` of the
/// cluster. The copy reports its bytes to the barrier there.
///
/// # Safety
/// The cluster has block `rank`. That block has begun, and does not end before the bytes are
/// reported to its barrier. `to` and `from` are in this block's shared memory, valid for `count`
/// elements, at multiples of 16 bytes, and the number of bytes is a multiple of 16. There is a
/// [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared) between the writes of the
/// source and this call. Until the phase of the barrier there that expects the bytes has ended, no
/// thread writes the source or accesses the destination.
#[doc(alias = "cp.async.bulk.shared::cluster.shared::cta")]
#[inline]
pub unsafe fn copy_to_block<T: Copy>(
    to: *mut T,
    from: *const T,
    count: usize,
    barrier: &Barrier<Cluster>,
    rank: u32,
) {
    let [to, from] = [state_space::shared(to), state_space::shared(from)];
    // SAFETY: the caller keeps the contract of this function.
    unsafe {
        to_block!("cp.async.bulk": "cp.async.bulk", "", to, from, bytes::<T>(count), barrier.address(), rank);
    }
}

/// A sealed trait for each public trait, with the instructions for many elements and for one.
pub(super) mod sealed {
    /// The operands of a copy: destination, source, number of bytes, barrier, and the rank of
    /// the destination's block.
    #[derive(Clone, Copy)]
    pub struct Copied {
        pub to: u32,
        pub from: u32,
        pub bytes: u32,
        pub barrier: u32,
        pub rank: u32,
    }

    /// The operands for one element: the destination as an address in this block, the value, the
    /// barrier as an address in the cluster, and the rank of the destination's block.
    #[derive(Clone, Copy)]
    pub struct Element<T> {
        pub to: u32,
        pub value: T,
        pub told: u32,
        pub rank: u32,
    }

    macro_rules! operations {
        ($($name:ident: $($operation:ident)*;)*) => {$(
            pub trait $name<Operands>: Sized {$(
                unsafe fn $operation(operands: Operands);
            )*}
        )*};
    }
    operations! {
        Add: add;
        MinMax: min max;
        Bitwise: and or xor;
        IncDec: inc dec;
    }
}

/// Sends one element from a register. The arguments are the instruction's name, its text, and the
/// kind of register of the value.
macro_rules! element_to_block {
    ($name:literal: $words:expr, $register:ident, $element:expr) => {{
        let $crate::bulk::cluster::sealed::Element { to, value, told, rank } = $element;
        ptx!($name:
            "{{ .reg .b32 there; mapa.shared::cluster.u32 there, {to}, {rank};",
            concat!($words, " [there], {value}, [{told}]; }}"),
            to = in(reg32) to,
            value = in($register) value,
            told = in(reg32) told,
            rank = in(reg32) rank,
            options(nostack, preserves_flags),
        )
    }};
}
pub(super) use element_to_block;

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident, $sealed:ident, $list:literal: { $($ty:ty: $type_name:literal $register:ident;)* } $operations:tt)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "elements of `{Self}` cannot be joined with those of another block",
            label = "the hardware has no such reduction of `{Self}`",
            note = $list
        )]
        pub trait $name: Copy + sealed::$sealed<sealed::Copied> + sealed::$sealed<sealed::Element<Self>> {}
        $(
            reductions! { @ $sealed, $ty, $type_name, $register, $operations }
            impl $name for $ty {}
        )*
    )*};
    (@ $sealed:ident, $ty:ty, $type_name:literal, $register:ident, [$($operation:ident),*]) => {
        impl sealed::$sealed<sealed::Copied> for $ty {$(
            #[inline(always)]
            unsafe fn $operation(operands: sealed::Copied) {
                let sealed::Copied { to, from, bytes, barrier, rank } = operands;
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    to_block!("cp.reduce.async.bulk":
                        "cp.reduce.async.bulk", concat!(".", stringify!($operation), $type_name), to, from, bytes, barrier, rank
                    );
                }
            }
        )*}
        impl sealed::$sealed<sealed::Element<$ty>> for $ty {$(
            #[inline(always)]
            unsafe fn $operation(element: sealed::Element<$ty>) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    element_to_block!("red.async":
                        concat!("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.", stringify!($operation), $type_name),
                        $register, element
                    );
                }
            }
        )*}
    };
}
reductions! {
    /// Elements that can be added to another block's elements, wrapping on overflow.
    BlockAdd, Add, "u32, i32, u64": { u32: ".u32" reg32; i32: ".s32" reg32; u64: ".u64" reg64; } [add]
    /// Elements for which another block can keep the minimum or the maximum.
    BlockMinMax, MinMax, "u32, i32": { u32: ".u32" reg32; i32: ".s32" reg32; } [min, max]
    /// Elements that can be combined bitwise with another block's elements.
    BlockBitwise, Bitwise, "u32, i32": { u32: ".b32" reg32; i32: ".b32" reg32; } [and, or, xor]
    /// Elements that can be the limit up to or down from which another block's elements count.
    BlockIncDec, IncDec, "u32": { u32: ".u32" reg32; } [inc, dec]
}

macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $operation:ident;)*) => {$(
        $(#[$doc])*
        /// The operation is atomic for each element separately. It reports the bytes to
        /// the barrier there.
        ///
        /// # Safety
        /// As for [`copy_to_block`]. But at the same time, other threads may update the
        /// destination's elements, by such reductions or by atomics.
        #[inline]
        pub unsafe fn $name<T: $bound>(to: *mut T, from: *const T, count: usize, barrier: &Barrier<Cluster>, rank: u32) {
            let operands = sealed::Copied {
                to: state_space::shared(to),
                from: state_space::shared(from),
                bytes: bytes::<T>(count),
                barrier: barrier.address(),
                rank,
            };
            // SAFETY: the caller keeps the contract of this function.
            unsafe { T::$operation(operands) }
        }
    )*};
}
joins! {
    /// Adds `count` elements of this block's shared memory to those of block `rank`.
    #[doc(alias = "cp.reduce.async.bulk.shared::cluster")]
    add_to_block: BlockAdd, add;
    /// Replaces each element of block `rank` by the minimum of it and this block's element.
    min_to_block: BlockMinMax, min;
    /// Replaces each element of block `rank` by the maximum of it and this block's element.
    max_to_block: BlockMinMax, max;
    /// Replaces each element of block `rank` by the bitwise AND of it and this block's element.
    and_to_block: BlockBitwise, and;
    /// Replaces each element of block `rank` by the bitwise OR of it and this block's element.
    or_to_block: BlockBitwise, or;
    /// Replaces each element of block `rank` by the bitwise XOR of it and this block's element.
    xor_to_block: BlockBitwise, xor;
    /// Increments each element of block `rank`, or sets it to 0 if it is at least
    /// this block's element.
    inc_to_block: BlockIncDec, inc;
    /// Decrements each element of block `rank`, or sets it to this block's element if it is 0 or
    /// greater than that.
    dec_to_block: BlockIncDec, dec;
}
