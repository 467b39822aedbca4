//! Mathematical functions, and arithmetic with a rounding mode.
//!
//! [`Float`] gives `f32` and `f64` the methods that they have in `std` but not in `core`:
//! `x.sin()`, `x.powf(y)`. Their errors are at most those that NVIDIA documents for CUDA's
//! functions; the book has them. On the device their code is Lanewise's own, or that of NVIDIA's
//! libdevice if the build has `--libdevice`. On the host it is that of the crate `libm`, where that
//! has the function.
//!
//! On the host, the methods of `std` take precedence; `Float::sin(x)` is the method of this trait
//! on host and device. So a module that is compiled for both does not use the import on the host.
//! The `src/kernels.rs` that `cargo lanewise new` makes allows that.
//!
//! The functions of [`crate::fast`] are the hardware's approximations. `--fast-math` uses them
//! instead of these.
//!
//! The free functions perform one operation with the rounding that their name ends in: to nearest
//! (`rn`), towards zero (`rz`), up (`ru`) or down (`rd`). They are never fused with another
//! operation. PTX ISA, "Rounding Modifiers"; CUDA Math API, "Single Precision Intrinsics".

#[cfg_attr(
    not(target_arch = "nvptx64"),
    allow(
        dead_code,
        unused_imports,
        reason = "the host calls libm where that has the function"
    )
)]
mod functions;
mod library;
mod parts;
mod rounded;
pub mod ulp;

pub use library::{Float, norm, rnorm};
pub use rounded::{
    Rounded, add_rd, add_rn, add_ru, add_rz, div_rd, div_rn, div_ru, div_rz, fma_rd, fma_rn,
    fma_ru, fma_rz, mul_rd, mul_rn, mul_ru, mul_rz, rcp_rd, rcp_rn, rcp_ru, rcp_rz, sqrt_rd,
    sqrt_rn, sqrt_ru, sqrt_rz, sub_rd, sub_rn, sub_ru, sub_rz,
};

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// The marker of `#[fast_math]`, which the builder finds.
    #[doc(hidden)]
    pub fn __lanewise_fast_math();
    /// The marker of `#[no_fma]`, which the builder finds.
    #[doc(hidden)]
    pub fn __lanewise_no_fma();
}
