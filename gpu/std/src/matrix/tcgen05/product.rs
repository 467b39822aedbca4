//! Products of matrices without scale factors: `tcgen05.mma`.

use core::marker::PhantomData;

use super::{CtaGroup, OneBlock, SharedDescriptor, TensorAddress, for_group, names, sealed};
use crate::matrix::Element;
use crate::matrix::element::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, S8, Tf32, U8};
use crate::state_space::ptx;

/// The operands of the instruction besides its descriptor.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    pub(super) sum: TensorAddress,
    pub(super) left: u64,
    /// Whether the left operand is in tensor memory. It is a constant, so the compiler keeps
    /// only one instruction.
    pub(super) left_in_memory: bool,
    pub(super) right: u64,
    /// Whether the product is added to the sum, rather than replacing it.
    pub(super) add: bool,
}

impl Operands {
    #[inline(always)]
    pub(super) fn new<A, B: Element, L: Left<A>>(
        sum: TensorAddress,
        left: L,
        right: SharedDescriptor<B>,
        add: bool,
    ) -> Self {
        Operands {
            sum,
            left: left.operand(),
            left_in_memory: L::IN_TENSOR_MEMORY,
            right: right.bits(),
            add,
        }
    }
}

/// A left operand with elements `A`: in shared memory ([`SharedDescriptor`]) or in
/// tensor memory ([`TensorAddress`]).
pub trait Left<A>: sealed::Sealed + Copy {
    #[doc(hidden)]
    const IN_TENSOR_MEMORY: bool;
    #[doc(hidden)]
    fn operand(self) -> u64;
}

impl<A> sealed::Sealed for SharedDescriptor<A> {}
impl<A: Element> Left<A> for SharedDescriptor<A> {
    const IN_TENSOR_MEMORY: bool = false;
    #[inline(always)]
    fn operand(self) -> u64 {
        self.bits()
    }
}

impl sealed::Sealed for TensorAddress {}
impl<A: Element> Left<A> for TensorAddress {
    const IN_TENSOR_MEMORY: bool = true;
    #[inline(always)]
    fn operand(self) -> u64 {
        self.bits().into()
    }
}

/// Executes the instruction with the text of its kind, for a left operand in shared or in tensor
/// memory. `$more` are operands after the two matrices.
macro_rules! multiply {
    ($group:ty, $operands:ident, $instruction:ident, $kind:tt, $sparse:literal, $before:literal, $behind:literal, $more:tt) => {
        if $operands.left_in_memory {
            multiply!(@ $group, $operands, $instruction, $kind, $sparse, "[{left}]", reg32, u32, $before, $behind, $more)
        } else {
            multiply!(@ $group, $operands, $instruction, $kind, $sparse, "{left}", reg64, u64, $before, $behind, $more)
        }
    };
    (@ $group:ty, $operands:ident, $instruction:ident, [$($kind:literal)*], $sparse:literal, $left:literal, $class:ident, $ty:ty, $before:literal, $behind:literal, [$($more:tt)*]) => {
        for_group!($group, "tcgen05.mma":
            ["{{ .reg .pred add; setp.ne.u32 add, {add}, 0; tcgen05.mma", $sparse] group [
                $($kind,)* " [{sum}], ", $left, ", {right}, ", $before, "{instruction}, ", $behind, "add; }}"
            ],
            add = in(reg32) u32::from($operands.add),
            sum = in(reg32) $operands.sum.bits(),
            left = in($class) $operands.left as $ty,
            right = in(reg64) $operands.right,
            instruction = in(reg32) $instruction,
            $($more)*
            options(nostack, preserves_flags),
        )
    };
}
pub(super) use multiply;

/// A kind of product, with its name in the instruction.
#[doc(hidden)]
pub trait Kind: sealed::Sealed {
    /// Starts a product.
    unsafe fn multiply<G: CtaGroup>(operands: Operands, instruction: u32);
    /// Starts a product of a sparse left operand, of which half is stored. The metadata
    /// select that half.
    unsafe fn multiply_sparse<G: CtaGroup>(
        operands: Operands,
        metadata: TensorAddress,
        instruction: u32,
    );
}

macro_rules! kinds {
    ($($name:ident: $kind:literal;)*) => {$(
        names! {
            #[doc(hidden)]
            $name;
        }
        impl Kind for $name {
            #[inline(always)]
            unsafe fn multiply<G: CtaGroup>(operands: Operands, instruction: u32) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe { multiply!(G, operands, instruction, [$kind], "", "", "", []) }
            }

            #[inline(always)]
            unsafe fn multiply_sparse<G: CtaGroup>(
                operands: Operands,
                metadata: TensorAddress,
                instruction: u32,
            ) {
                // SAFETY: the caller keeps the contract of this function.
                unsafe {
                    multiply!(
                        G, operands, instruction, [$kind], ".sp", "[{metadata}], ", "",
                        [metadata = in(reg32) metadata.bits(),]
                    )
                }
            }
        }
    )*};
}
kinds! {
    KindF16: ".kind::f16";
    KindTf32: ".kind::tf32";
    KindF8f6f4: ".kind::f8f6f4";
    KindI8: ".kind::i8";
}

/// Element types `Self` and `B` whose products can be added to a sum of `D`.
pub trait Multiply<B, D: Copy>: Element + sealed::Sealed {
    #[doc(hidden)]
    type Kind: Kind;
    /// The numbers of the types of the left operand, the right operand and the sum in
    /// the instruction's descriptor.
    #[doc(hidden)]
    const FORMATS: [u32; 3];
    /// Whether the elements are integers.
    #[doc(hidden)]
    const INTEGERS: bool;
}

macro_rules! types {
    ($($kind:ident $integers:literal: [$($a:ident $a_format:literal,)*] $b:tt $d:tt;)*) => {$(
        types! { @ $kind $integers [$($a $a_format,)*] $b $d }
    )*};
    (@ $kind:ident $integers:literal [$($a:ident $a_format:literal,)*] $b:tt $d:tt) => {$(
        types! { # $kind $integers $a $a_format $b $d }
    )*};
    (# $kind:ident $integers:literal $a:ident $a_format:literal [$($b:ident $b_format:literal,)*] $d:tt) => {$(
        types! { + $kind $integers $a $a_format $b $b_format $d }
    )*};
    (+ $kind:ident $integers:literal $a:ident $a_format:literal $b:ident $b_format:literal [$($d:ident $d_format:literal,)*]) => {$(
        impl Multiply<$b, $d> for $a {
            type Kind = $kind;
            const FORMATS: [u32; 3] = [$a_format, $b_format, $d_format];
            const INTEGERS: bool = $integers;
        }
    )*};
}
// PTX ISA, "Instruction descriptor": the numbers of the types, each within its kind.
types! {
    KindF16 false: [F16 0,] [F16 0,] [F16 0, f32 1,];
    KindF16 false: [Bf16 1,] [Bf16 1,] [f32 1,];
    KindTf32 false: [Tf32 2,] [Tf32 2,] [f32 1,];
    KindF8f6f4 false: [E4m3 0, E5m2 1, E2m3 3, E3m2 4, E2m1 5,] [E4m3 0, E5m2 1, E2m3 3, E3m2 4, E2m1 5,] [F16 0, f32 1,];
    KindI8 true: [U8 0, S8 1,] [U8 0, S8 1,] [i32 2,];
}

/// Bytes along the inner dimension that one instruction takes.
const STEP: u32 = 32;
/// Bytes of a row of a tile, along the inner dimension.
const ROW: u32 = 128;

/// A product of a left operand of `M` rows with elements `A` and a right one of `N` columns with
/// elements `B`, whose sum has elements `D`.
///
/// Make it once, outside of the loop:
/// `const { Product::<Bf16, Bf16, f32, 128, 128>::new() }`. By default, the rows of the left
/// operand and the columns of the right operand are along the inner dimension.
#[doc(alias = "instruction descriptor")]
#[doc(alias = "UMMA::InstrDescriptor")]
#[derive(Clone, Copy, Debug)]
pub struct Product<A, B, D, const M: u32, const N: u32, G = OneBlock> {
    instruction: u32,
    types: PhantomData<(A, B, D, G)>,
}

impl<A: Multiply<B, D>, B: Element, D: Copy, const M: u32, const N: u32, G: CtaGroup> Default
    for Product<A, B, D, M, N, G>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Multiply<B, D>, B: Element, D: Copy, const M: u32, const N: u32, G: CtaGroup>
    Product<A, B, D, M, N, G>
{
    /// PTX ISA, "Matrix Shape" of `tcgen05.mma`.
    const VALID: () = {
        let most = N >= 8 && N <= 256;
        let shape = match (G::PAIR, M) {
            (false, 64) if A::INTEGERS => N == 8 || N.is_multiple_of(16),
            (false, 64) => N.is_multiple_of(8),
            (false, 128) => N.is_multiple_of(16),
            (true, 128 | 256) => N.is_multiple_of(32),
            _ => false,
        };
        assert!(
            most && shape,
            "one block multiplies 64 rows and 8, 16, .. 256 columns or 128 rows and 16, 32, .. 256 columns, two blocks 128 or 256 rows and 32, 64, .. 256 columns"
        );
    };

    /// Makes the descriptor of the product.
    #[must_use]
    pub const fn new() -> Self {
        const { Self::VALID };
        let [a, b, d] = A::FORMATS;
        Product {
            instruction: d << 4 | a << 7 | b << 10 | (N >> 3) << 17 | (M >> 4) << 24,
            types: PhantomData,
        }
    }

    const fn with(self, bits: u32) -> Self {
        Product {
            instruction: self.instruction | bits,
            ..self
        }
    }

    /// Negates the left operand. Not for integers.
    #[must_use]
    pub const fn negate_left(self) -> Self {
        const { assert!(!A::INTEGERS, "integers have no sign to turn") };
        self.with(1 << 13)
    }

    /// Negates the right operand. Not for integers.
    #[must_use]
    pub const fn negate_right(self) -> Self {
        const { assert!(!A::INTEGERS, "integers have no sign to turn") };
        self.with(1 << 14)
    }

    /// Takes a left operand that is stored transposed, with contiguous columns ("MN-major").
    #[must_use]
    pub const fn transpose_left(self) -> Self {
        self.with(1 << 15)
    }

    /// Takes a right operand that is stored transposed, with contiguous rows ("MN-major").
    #[must_use]
    pub const fn transpose_right(self) -> Self {
        self.with(1 << 16)
    }

    /// Makes integer sums saturate.
    #[must_use]
    pub const fn saturate(self) -> Self {
        const { assert!(A::INTEGERS, "only integers stop at the ends of their range") };
        self.with(1 << 3)
    }

    /// Returns the descriptor, as the instruction takes it.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.instruction
    }

    /// Starts one step: 32 bytes of each operand's rows. If `add` is false, the product replaces
    /// the sum. One thread calls it. For a pair of blocks, it is a thread of the first block.
    ///
    /// # Safety
    /// This block has allocated the sum's `N` columns. The operands are complete: they were loaded
    /// by copies whose barrier was waited for, or written by threads before
    /// [`fence_proxy_async_shared`](crate::fence::fence_proxy_async_shared) and a barrier. Until
    /// [`commit`](super::commit) has reported the end of the product, nothing writes the operands
    /// or uses the sum.
    #[doc(alias = "tcgen05.mma")]
    #[inline(always)]
    pub unsafe fn multiply_step<L: Left<A>>(
        self,
        sum: TensorAddress,
        left: L,
        right: SharedDescriptor<B>,
        add: bool,
    ) {
        let operands = Operands::new(sum, left, right, add);
        // SAFETY: the caller keeps the contract of this function.
        unsafe { A::Kind::multiply::<G>(operands, self.instruction) }
    }

    /// Starts the product of two tiles with rows of 128 bytes in shared memory, in four steps. If
    /// `add` is false, the product replaces the sum.
    ///
    /// # Safety
    /// As for [`multiply_step`](Self::multiply_step).
    #[inline(always)]
    pub unsafe fn multiply_add(
        self,
        sum: TensorAddress,
        left: SharedDescriptor<A>,
        right: SharedDescriptor<B>,
        add: bool,
    ) {
        let mut at = 0;
        while at < ROW {
            // SAFETY: the caller keeps the contract of this function.
            unsafe {
                self.multiply_step(sum, left.advance(at), right.advance(at), add || at > 0);
            }
            at += STEP;
        }
    }

    /// Like [`multiply_step`](Self::multiply_step), for a sparse left operand: two of four elements
    /// are stored (one of two for `Tf32`). The metadata in tensor memory select them, and
    /// `selector`, 0 to 3, is the part of their columns. The right operand's step is 64 bytes.
    ///
    /// # Safety
    /// As for [`multiply_step`](Self::multiply_step), also for the metadata.
    #[doc(alias = "tcgen05.mma.sp")]
    #[inline(always)]
    pub unsafe fn multiply_sparse<L: Left<A>>(
        self,
        sum: TensorAddress,
        left: L,
        right: SharedDescriptor<B>,
        (metadata, selector): (TensorAddress, u32),
        add: bool,
    ) {
        /// The left operand is sparse.
        const SPARSE: u32 = 1 << 2;
        let operands = Operands::new(sum, left, right, add);
        let instruction = self.instruction | SPARSE | selector & 3;
        // SAFETY: the caller keeps the contract of this function.
        unsafe { A::Kind::multiply_sparse::<G>(operands, metadata, instruction) }
    }
}

#[cfg(test)]
mod tests {
    use super::Product;
    use crate::matrix::element::{Bf16, E2m1, E5m2, F16, S8, U8};
    use crate::matrix::tcgen05::BlockPair;

    #[test]
    fn types_shapes_and_signs_are_in_the_descriptor() {
        let bf16 = Product::<Bf16, Bf16, f32, 128, 256>::new();
        assert_eq!(bf16.bits(), 1 << 4 | 1 << 7 | 1 << 10 | 32 << 17 | 8 << 24);
        let half = Product::<F16, F16, F16, 64, 8>::new();
        assert_eq!(half.bits(), 1 << 17 | 4 << 24);
        let pair = Product::<E5m2, E2m1, f32, 256, 32, BlockPair>::new();
        assert_eq!(pair.bits(), 1 << 4 | 1 << 7 | 5 << 10 | 4 << 17 | 16 << 24);
        let signs = pair.negate_left().negate_right().transpose_left();
        assert_eq!(signs.bits() ^ pair.bits(), 0b111 << 13);
        let bytes = Product::<S8, U8, i32, 128, 16>::new();
        assert_eq!(
            bytes.saturate().bits(),
            1 << 3 | 2 << 4 | 1 << 7 | 2 << 17 | 8 << 24
        );
        assert_eq!(
            bytes.transpose_right().bits() ^ bytes.bits(),
            1 << 16,
            "the right one"
        );
    }
}
