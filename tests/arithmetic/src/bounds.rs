//! The errors that the functions of `lanewise_std::math` may have, as CUDA's guide documents them
//! for the functions of the same names.
//!
//! A bound is the difference from the correctly rounded result, in units in the last place. So the
//! error itself can be half a unit more ([`Bound::errors`]). CUDA programming guide, "Mathematical
//! Functions: Standard Functions".

/// The largest differences of a function's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The name of the method in Rust.
    pub name: &'static str,
    /// The name of the function in C.
    pub c: &'static str,
    /// The largest difference for `f32`.
    pub single: u32,
    /// The largest difference for `f64`.
    pub double: u32,
}

macro_rules! bounds {
    ($($name:ident, $c:ident: $single:literal, $double:literal;)*) => {
        /// Every function, in the order of the book's table.
        pub const BOUNDS: &[Bound] = &[
            $(Bound { name: stringify!($name), c: stringify!($c), single: $single, double: $double }),*
        ];
    };
}

bounds! {
    exp, exp: 2, 1;
    exp2, exp2: 2, 1;
    exp10, exp10: 2, 1;
    exp_m1, expm1: 1, 1;
    ln, log: 1, 1;
    log2, log2: 1, 1;
    log10, log10: 2, 1;
    ln_1p, log1p: 1, 1;
    powf, pow: 4, 2;
    powi, pow: 4, 2;
    sqrt, sqrt: 0, 0;
    rsqrt, rsqrt: 2, 1;
    cbrt, cbrt: 1, 1;
    rcbrt, rcbrt: 1, 1;
    hypot, hypot: 3, 2;
    sin, sin: 2, 2;
    cos, cos: 2, 2;
    tan, tan: 4, 2;
    sin_pi, sinpi: 1, 2;
    cos_pi, cospi: 1, 2;
    asin, asin: 2, 2;
    acos, acos: 2, 2;
    atan, atan: 2, 2;
    atan2, atan2: 3, 2;
    sinh, sinh: 3, 2;
    cosh, cosh: 2, 1;
    tanh, tanh: 2, 1;
    asinh, asinh: 3, 3;
    acosh, acosh: 4, 3;
    atanh, atanh: 3, 2;
    erf, erf: 2, 2;
    erfc, erfc: 4, 5;
    erfcx, erfcx: 4, 4;
    erf_inv, erfinv: 2, 5;
    erfc_inv, erfcinv: 4, 6;
    norm_cdf, normcdf: 5, 5;
    norm_cdf_inv, normcdfinv: 5, 7;
    gamma, tgamma: 5, 10;
    ln_gamma, lgamma: 6, 4;
    mul_add, fma: 0, 0;
}

impl Bound {
    /// Returns the bound of the method with this name, which may be one of the two that come as a
    /// pair (`sin_of_pair`).
    ///
    /// # Panics
    /// If there is no such function.
    pub fn of(name: &str) -> &'static Bound {
        let found = BOUNDS
            .iter()
            .find(|bound| bound.name == name.trim_end_matches("_of_pair"));
        found.unwrap_or_else(|| panic!("no bound for `{name}`"))
    }

    /// Returns the largest error of `f32` and `f64` that the bounds allow: half a unit of it is
    /// that of the correctly rounded result.
    pub fn errors(&self) -> [f64; 2] {
        [self.single, self.double].map(|units| f64::from(units) + 0.5)
    }
}
