//! Copies and reductions from this block's shared memory to another's of the cluster.
//!
//! `to` and the barrier are this block's. The bytes go to the same place in block `rank`, and are
//! reported to the barrier at the same place there, which expects them.
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
use crate::barrier::{Barrier, Cluster};
use crate::state_space::{self, ptx};

/// One of these instructions: its name, its words up to the spaces, and its words behind them.
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
/// cluster, which tells the barrier there of its bytes.
///
/// # Safety
/// The cluster has block `rank`, which has begun and does not end before its barrier was told. `to`
/// and `from` are in this block's shared memory, valid for so many elements, at multiples of 16
/// bytes, and the bytes are a multiple of 16. [`fence_proxy_async`](super::fence_proxy_async)
/// stands between the writes of the source and this. Until the phase of the barrier there that
/// expects the bytes has ended, no thread writes the source or touches the destination.
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
    // SAFETY: the caller's promise.
    unsafe {
        to_block!("cp.async.bulk": "cp.async.bulk", "", to, from, bytes::<T>(count), barrier.address(), rank);
    }
}

/// Of each trait one that nobody else can implement, with the instructions: of many elements, and
/// of one.
pub(super) mod sealed {
    /// Where from and where to, how many bytes, the barrier, and whose.
    #[derive(Clone, Copy)]
    pub struct Copied {
        pub to: u32,
        pub from: u32,
        pub bytes: u32,
        pub barrier: u32,
        pub rank: u32,
    }

    /// Where to, as this block has it; the value; the barrier, as the cluster has it; and whose.
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

/// One element from a register: the instruction's name, its words, and its value's register.
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
                // SAFETY: the caller's promise.
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
                // SAFETY: the caller's promise.
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
    /// Elements that are added to another block's, wrapping.
    BlockAdd, Add, "u32, i32, u64": { u32: ".u32" reg32; i32: ".s32" reg32; u64: ".u64" reg64; } [add]
    /// Elements of which another block keeps the lesser or the greater.
    BlockMinMax, MinMax, "u32, i32": { u32: ".u32" reg32; i32: ".s32" reg32; } [min, max]
    /// Elements whose bits are joined with another block's.
    BlockBitwise, Bitwise, "u32, i32": { u32: ".b32" reg32; i32: ".b32" reg32; } [and, or, xor]
    /// Elements up to or down from which another block's count.
    BlockIncDec, IncDec, "u32": { u32: ".u32" reg32; } [inc, dec]
}

macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $operation:ident;)*) => {$(
        $(#[$doc])*
        /// Each is an atomic of its own, and the barrier there is told of the bytes.
        ///
        /// # Safety
        /// As for [`copy_to_block`], but that others may join elements with the destination's
        /// meanwhile, by such copies or by atomics.
        #[inline]
        pub unsafe fn $name<T: $bound>(to: *mut T, from: *const T, count: usize, barrier: &Barrier<Cluster>, rank: u32) {
            let operands = sealed::Copied {
                to: state_space::shared(to),
                from: state_space::shared(from),
                bytes: bytes::<T>(count),
                barrier: barrier.address(),
                rank,
            };
            // SAFETY: the caller's promise.
            unsafe { T::$operation(operands) }
        }
    )*};
}
joins! {
    /// Adds `count` elements of this block's shared memory to those of block `rank`.
    #[doc(alias = "cp.reduce.async.bulk.shared::cluster")]
    add_to_block: BlockAdd, add;
    /// Has block `rank` keep the lesser of each element and its own.
    min_to_block: BlockMinMax, min;
    /// Has block `rank` keep the greater of each element and its own.
    max_to_block: BlockMinMax, max;
    /// Has block `rank` keep the bits that both have.
    and_to_block: BlockBitwise, and;
    /// Has block `rank` set the bits that either has.
    or_to_block: BlockBitwise, or;
    /// Has block `rank` set the bits that one of the two has.
    xor_to_block: BlockBitwise, xor;
    /// Has block `rank` count up, and begin at 0 again from the element that comes on.
    inc_to_block: BlockIncDec, inc;
    /// Has block `rank` count down, and go to the element that comes from 0, or from above it.
    dec_to_block: BlockIncDec, dec;
}
