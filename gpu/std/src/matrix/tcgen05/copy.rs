//! Copies from shared to tensor memory: `tcgen05.cp`.

use super::{CtaGroup, SharedDescriptor, TensorAddress, for_group, names, sealed};
use crate::matrix::Element;
use crate::state_space::ptx;

/// The shape of a copy: the number of rows, their length, and the destination among the four groups
/// of 32 lanes.
pub trait CopyShape: sealed::Sealed {
    /// Starts the copy.
    #[doc(hidden)]
    unsafe fn copy<G: CtaGroup>(to: u32, from: u64, format: Format);
}

/// The format of elements that a copy widens. Each widened element has a byte in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The elements are copied as they are.
    Same,
    /// Sixteen elements of 6 bits, followed by 4 bytes of padding.
    From6Bits,
    /// Sixteen elements of 4 bits, followed by 8 bytes of padding.
    From4Bits,
}

/// The shapes that a copy can have.
pub mod copy_shape {
    super::names! {
        /// 128 rows of 32 bytes.
        Rows128Bits256;
        /// 4 rows of 32 bytes.
        Rows4Bits256;
        /// 128 rows of 16 bytes.
        Rows128Bits128;
        /// 64 rows of 16 bytes: to the first and third 32 lanes, and to the second and fourth.
        Rows64To02And13;
        /// 64 rows of 16 bytes: to the first and second 32 lanes, and to the third and fourth.
        Rows64To01And23;
        /// 32 rows of 16 bytes, to each group of 32 lanes: the layout of scale factors.
        Rows32ToAll;
    }
}

macro_rules! copies {
    ($($name:ident: $shape:literal;)*) => {$(
        impl CopyShape for copy_shape::$name {
            #[inline(always)]
            unsafe fn copy<G: CtaGroup>(to: u32, from: u64, format: Format) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    match format {
                        Format::Same => copies!(@ G, $shape, "", to, from),
                        Format::From6Bits => copies!(@ G, $shape, ".b8x16.b6x16_p32", to, from),
                        Format::From4Bits => copies!(@ G, $shape, ".b8x16.b4x16_p64", to, from),
                    }
                }
            }
        }
    )*};
    (@ $group:ty, $shape:literal, $format:literal, $to:ident, $from:ident) => {
        for_group!($group, "tcgen05.cp":
            ["tcgen05.cp"] group [$shape, $format, " [{to}], {from};"],
            to = in(reg32) $to,
            from = in(reg64) $from,
            options(nostack, preserves_flags),
        )
    };
}
copies! {
    Rows128Bits256: ".128x256b";
    Rows4Bits256: ".4x256b";
    Rows128Bits128: ".128x128b";
    Rows64To02And13: ".64x128b.warpx2::02_13";
    Rows64To01And23: ".64x128b.warpx2::01_23";
    Rows32ToAll: ".32x128b.warpx4";
}

impl TensorAddress {
    /// Starts a copy of a matrix in shared memory to this address. One thread calls it.
    /// Products that the thread starts later see the copy, and [`commit`](super::commit)
    /// reports when it is complete.
    ///
    /// # Safety
    /// This block has allocated the columns. The matrix is complete: it was written by copies that
    /// the block has waited for, or before a
    /// [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared). No thread writes the
    /// matrix or the columns until the copy is complete.
    #[doc(alias = "tcgen05.cp")]
    #[inline]
    pub unsafe fn copy_from<S: CopyShape, G: CtaGroup, E: Element>(
        self,
        matrix: SharedDescriptor<E>,
        format: Format,
    ) {
        // SAFETY: the caller keeps the contract of this function.
        unsafe { S::copy::<G>(self.bits(), matrix.bits(), format) }
    }
}
