//! Mathematical functions, and arithmetic with a rounding mode.
//!
//! [`Float`] gives `f32` and `f64` the methods that they have in `std` but not in `core`:
//! `x.sin()`, `x.powf(y)`. They are as accurate as on a CPU: the code is that of the crate `libm`,
//! or of NVIDIA's libdevice where the build asks for it (`--libdevice`). On the host, where `std`
//! exists, its own methods take precedence; `Float::sin(x)` is this one on both sides. So a module
//! that is compiled for both finds the import unused on the host. The `src/kernels.rs` that `cargo
//! lanewise new` makes allows that.
//!
//! The functions of [`crate::fast`] are the hardware's approximations; `--fast-math` puts them in
//! place of these.
//!
//! The free functions round one operation as their name says: to nearest (`rn`), towards zero
//! (`rz`), up (`ru`) or down (`rd`). They are never fused with another operation. PTX ISA,
//! "Rounding Modifiers"; CUDA Math API, "Single Precision Intrinsics".

mod library;
mod rounded;

pub use library::Float;
pub use rounded::{
    Rounded, add_rd, add_rn, add_ru, add_rz, div_rd, div_rn, div_ru, div_rz, fma_rd, fma_rn,
    fma_ru, fma_rz, mul_rd, mul_rn, mul_ru, mul_rz, rcp_rd, rcp_rn, rcp_ru, rcp_rz, sqrt_rd,
    sqrt_rn, sqrt_ru, sqrt_rz, sub_rd, sub_rn, sub_ru, sub_rz,
};

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// What `#[fast_math]` leaves for the builder.
    #[doc(hidden)]
    pub fn __lanewise_fast_math();
    /// What `#[no_fma]` leaves for the builder.
    #[doc(hidden)]
    pub fn __lanewise_no_fma();
}
