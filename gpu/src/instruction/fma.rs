//! `a * b + c`: rounded once or twice, and in which direction.
//!
//! Launch: 1-D grid of at least as many threads as elements. Writes `a[i] * b[i] + c[i]` to
//! `output[i]`. Elements past the end of the shortest slice are left alone.
//! Shows: one instruction computes product and sum, and rounds once. The compiler uses it where it
//! is allowed, as nvcc does. A CPU's compiler does not, so the last digits differ. A function with
//! an attribute, and an operation with the rounding in its name, are not changed.
//! Source: Professional CUDA C Programming, chapter 7; CUDA C++ Programming Guide, "Floating-Point
//! Standard"; PTX ISA, "fma".

use lanewise_macros::{kernel, no_fma};
use lanewise_std::DisjointSlice;
use lanewise_std::math::{add_rn, fma_rd, fma_rn, fma_ru, fma_rz, mul_rn};
use lanewise_std::thread::index_1d;

/// Kernels of three operands.
macro_rules! of_three {
    ($($(#[$attribute:meta])* $name:ident = |$a:ident, $b:ident, $c:ident| $value:expr;)*) => {
        $(
            #[kernel]
            #[launch_contract(dims = 1)]
            $(#[$attribute])*
            pub fn $name(a: &[f32], b: &[f32], c: &[f32], mut output: DisjointSlice<f32>) {
                let index = index_1d();
                let i = index.get();
                let operands = (a.get(i), b.get(i), c.get(i), output.get_mut(&index));
                if let (Some(&$a), Some(&$b), Some(&$c), Some(place)) = operands {
                    *place = $value;
                }
            }
        )*
    };
}

of_three! {
    /// The compiler makes one instruction from it, unless the build has `--fmad off`.
    mul_add_contracted = |a, b, c| a * b + c;
    /// The attribute makes the compiler round products and sums separately.
    #[no_fma]
    mul_add_separate = |a, b, c| a * b + c;
    /// Two operations with a rounding each, which are never combined into one.
    mul_add_by_name = |a, b, c| add_rn(mul_rn(a, b), c);
    /// Rounded once, to the nearest.
    mul_add_rn = |a, b, c| fma_rn(a, b, c);
    /// Rounded once, towards zero.
    mul_add_rz = |a, b, c| fma_rz(a, b, c);
    /// Rounded once, up.
    mul_add_ru = |a, b, c| fma_ru(a, b, c);
    /// Rounded once, down.
    mul_add_rd = |a, b, c| fma_rd(a, b, c);
}
