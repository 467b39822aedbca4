//! Mathematical functions: as accurate as on a CPU, or as fast as the GPU can.
//!
//! Launch: 1-D grid of at least as many threads as elements. Each thread computes the function of
//! its element (of its elements of `a` and `b`) and writes it to `output`. Elements past the end of
//! the shortest slice are left alone.
//! Shows: a *standard* function is a small program whose error is at most about one unit in the
//! last place. An *intrinsic* is an approximation of the hardware, with a multiplication or two
//! around it. The pattern's table shows its error.
//! Source: Professional CUDA C Programming, chapter 7; CUDA C++ Programming Guide, "Mathematical
//! Functions".

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;
use lanewise_std::fast;
use lanewise_std::math::Float;
use lanewise_std::thread::index_1d;

/// Kernels of one operand.
macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident = |$x:ident| $value:expr;)*) => {
        $(
            $(#[$doc])*
            #[kernel]
            #[launch_contract(dims = 1)]
            pub fn $name(input: &[f32], mut output: DisjointSlice<f32>) {
                let index = index_1d();
                let place = output.get_mut(&index);
                if let (Some(&$x), Some(place)) = (input.get(index.get()), place) {
                    *place = $value;
                }
            }
        )*
    };
}

/// Kernels of two operands.
macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = |$a:ident, $b:ident| $value:expr;)*) => {
        $(
            $(#[$doc])*
            #[kernel]
            #[launch_contract(dims = 1)]
            pub fn $name(a: &[f32], b: &[f32], mut output: DisjointSlice<f32>) {
                let index = index_1d();
                let (a, b) = (a.get(index.get()), b.get(index.get()));
                if let (Some(&$a), Some(&$b), Some(place)) = (a, b, output.get_mut(&index)) {
                    *place = $value;
                }
            }
        )*
    };
}

of_one! {
    /// The sine, by Rust's own library.
    sin_standard = |x| Float::sin(x);
    /// Sine, CUDA's `__sinf`.
    sin_intrinsic = |x| fast::sin(x);
    /// The cosine, by Rust's own library.
    cos_standard = |x| Float::cos(x);
    /// Cosine, CUDA's `__cosf`.
    cos_intrinsic = |x| fast::cos(x);
    /// The tangent, by Rust's own library.
    tan_standard = |x| Float::tan(x);
    /// Tangent, CUDA's `__tanf`.
    tan_intrinsic = |x| fast::tan(x);
    /// The exponential, by Rust's own library.
    exp_standard = |x| Float::exp(x);
    /// The exponential, CUDA's `__expf`.
    exp_intrinsic = |x| fast::exp(x);
    /// The natural logarithm.
    log_standard = |x| Float::ln(x);
    /// The natural logarithm, CUDA's `__logf`.
    log_intrinsic = |x| fast::log(x);
    /// The square root, rounded correctly.
    sqrt_standard = |x| Float::sqrt(x);
    /// The square root, `sqrt.approx`.
    sqrt_intrinsic = |x| fast::sqrt(x);
}

of_two! {
    /// A quotient, rounded correctly.
    div_standard = |a, b| a / b;
    /// A quotient, CUDA's `__fdividef`.
    div_intrinsic = |a, b| fast::div(a, b);
    /// A power, by Rust's own library.
    pow_standard = |a, b| Float::powf(a, b);
    /// A power, CUDA's `__powf`: an exponential of a logarithm.
    pow_intrinsic = |a, b| fast::pow(a, b);
}
