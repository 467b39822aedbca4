//! Products of matrices with scale factors, one for each 16 or 32 elements along the inner
//! dimension: `tcgen05.mma` with `.block_scale`.

use core::marker::PhantomData;

use super::product::{Operands, multiply};
use super::{CtaGroup, Left, OneBlock, SharedDescriptor, TensorAddress, for_group, names, sealed};
use crate::matrix::Element;
use crate::matrix::element::{E2m1, E2m3, E3m2, E4m3, E5m2};
use crate::state_space::ptx;

/// A kind of scaled product: its elements, their storage, and the number of elements that
/// share a factor.
pub trait ScaledKind: sealed::Sealed + Copy {
    /// Whether factors are powers of two (`UE8M0`) rather than small floats (`UE4M3`).
    #[doc(hidden)]
    const POWERS_OF_TWO: bool;
    #[doc(hidden)]
    unsafe fn multiply<G: CtaGroup>(
        operands: Operands,
        scales: [TensorAddress; 2],
        instruction: u32,
    );
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $powers:literal: $kind:literal;)*) => {$(
        names! {
            $(#[$doc])*
            $name;
        }
        impl ScaledKind for $name {
            const POWERS_OF_TWO: bool = $powers;
            #[inline(always)]
            unsafe fn multiply<G: CtaGroup>(
                operands: Operands,
                [a, b]: [TensorAddress; 2],
                instruction: u32,
            ) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    multiply!(
                        G, operands, instruction, [$kind], "", "", "[{a}], [{b}], ",
                        [a = in(reg32) a.bits(), b = in(reg32) b.bits(),]
                    )
                }
            }
        }
    )*};
}
kinds! {
    /// Elements of 8, 6 or 4 bits, each in a byte, with a power of two for each 32 elements
    /// ("MXFP8", "MXFP6", "MXFP4").
    Mxf8f6f4 true: ".kind::mxf8f6f4.block_scale.scale_vec::1X";
    /// Elements of 4 bits, two in a byte, with a power of two for each 32 elements ("MXFP4").
    Mxf4 true: ".kind::mxf4.block_scale.scale_vec::2X";
    /// Elements of 4 bits, two in a byte, with an unsigned float of 8 bits for each
    /// 16 elements ("NVFP4").
    Nvf4 false: ".kind::mxf4nvf4.block_scale.scale_vec::4X";
}

/// Element types that products of kind `K` take.
#[doc(hidden)]
pub trait Scalable<K>: Element {
    /// The number of the type in the descriptor.
    const FORMAT: u32;
}
macro_rules! formats {
    ($($kind:ident: $($element:ident $format:literal)*;)*) => {$($(
        impl Scalable<$kind> for $element {
            const FORMAT: u32 = $format;
        }
    )*)*};
}
formats! {
    Mxf8f6f4: E4m3 0 E5m2 1 E2m3 3 E3m2 4 E2m1 5;
    Mxf4: E2m1 1;
    Nvf4: E2m1 1;
}

/// A product of kind `K` of a left operand of `M` rows with elements `A` and a right one of `N`
/// columns with elements `B`, each with its factors; the sum is `f32`.
///
/// Factors are in tensor memory, four bytes of a lane for each row of the left operand and each
/// column of the right one: PTX ISA, "Scale Factor A/B layouts". Copy them there with
/// [`TensorAddress::copy_from`] and the shape [`Rows32ToAll`](super::copy_shape::Rows32ToAll).
#[doc(alias = "block_scale")]
#[derive(Clone, Copy, Debug)]
pub struct ScaledProduct<K, A, B, const M: u32, const N: u32, G = OneBlock> {
    instruction: u32,
    types: PhantomData<(K, A, B, G)>,
}

impl<K: ScaledKind, A: Scalable<K>, B: Scalable<K>, const M: u32, const N: u32, G: CtaGroup> Default
    for ScaledProduct<K, A, B, M, N, G>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ScaledKind, A: Scalable<K>, B: Scalable<K>, const M: u32, const N: u32, G: CtaGroup>
    ScaledProduct<K, A, B, M, N, G>
{
    const VALID: () = {
        let shape = match (G::PAIR, M) {
            (false, 128) => N.is_multiple_of(8),
            (true, 256) => N.is_multiple_of(16),
            _ => false,
        };
        assert!(
            shape && N >= 8 && N <= 256,
            "one block multiplies 128 rows and 8, 16, .. 256 columns, two blocks 256 rows and 16, 32, .. 256 columns"
        );
    };

    /// Makes the descriptor of the product.
    #[must_use]
    pub const fn new() -> Self {
        const { Self::VALID };
        ScaledProduct {
            instruction: A::FORMAT << 7
                | B::FORMAT << 10
                | (N >> 3) << 17
                | (K::POWERS_OF_TWO as u32) << 23
                | (M >> 4) << 24,
            types: PhantomData,
        }
    }

    /// Takes the factors from byte `left` (or `right`) of their four bytes, 0 to 3. So several
    /// steps share a column of tensor memory.
    #[must_use]
    pub const fn scales_in_byte(self, left: u32, right: u32) -> Self {
        let others = self.instruction & !(3 << 29 | 3 << 4);
        ScaledProduct {
            instruction: others | (left & 3) << 29 | (right & 3) << 4,
            ..self
        }
    }

    /// Returns the descriptor, as the instruction takes it.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.instruction
    }

    /// Starts one step: 32 bytes of each operand's rows, with the factors of the left and the right
    /// operand. Where `add` is not set the sum is replaced. One thread calls it.
    ///
    /// # Safety
    /// As for [`Product::multiply_step`](super::Product::multiply_step), for the factors too.
    #[doc(alias = "tcgen05.mma.block_scale")]
    #[inline(always)]
    pub unsafe fn multiply_step<L: Left<A>>(
        self,
        sum: TensorAddress,
        left: L,
        right: SharedDescriptor<B>,
        scales: [TensorAddress; 2],
        add: bool,
    ) {
        let operands = Operands::new(sum, left, right, add);
        // SAFETY: the caller keeps the contract of this function.
        unsafe { K::multiply::<G>(operands, scales, self.instruction) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mxf4, Mxf8f6f4, Nvf4, ScaledProduct};
    use crate::matrix::element::{E2m1, E4m3};

    #[test]
    fn types_and_factors_are_in_the_descriptor() {
        let wide = ScaledProduct::<Mxf8f6f4, E4m3, E2m1, 128, 64>::new();
        assert_eq!(wide.bits(), 5 << 10 | 8 << 17 | 1 << 23 | 8 << 24);
        let narrow = ScaledProduct::<Mxf4, E2m1, E2m1, 128, 8>::new();
        assert_eq!(
            narrow.bits(),
            1 << 7 | 1 << 10 | 1 << 17 | 1 << 23 | 8 << 24
        );
        let nv = ScaledProduct::<Nvf4, E2m1, E2m1, 128, 8>::new();
        assert_eq!(nv.bits() ^ narrow.bits(), 1 << 23);
        let third = nv.scales_in_byte(2, 1);
        assert_eq!(third.bits() ^ nv.bits(), 2 << 29 | 1 << 4);
        assert_eq!(third.scales_in_byte(0, 0).bits(), nv.bits());
    }
}
