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
    /// The largest errors of `f32` and of `f64` that were found, for the book; empty if they are
    /// not listed there. An `s` is for a device that rounds approximations correctly.
    pub found: [&'static str; 2],
}

macro_rules! bounds {
    ($($name:ident, $c:ident: $single:literal $found:literal, $double:literal $also_found:literal;)*) => {
        /// Every function, in the order of the book's table.
        pub const BOUNDS: &[Bound] = &[
            $(Bound {
                name: stringify!($name),
                c: stringify!($c),
                single: $single,
                double: $double,
                found: [$found, $also_found],
            }),*
        ];
    };
}

bounds! {
    exp, exp: 2 "1.93", 1 "1.00";
    exp2, exp2: 2 "2.38", 1 "1.00";
    exp10, exp10: 2 "2.07", 1 "1.08";
    exp_m1, expm1: 1 "1.28", 1 "1.36";
    ln, log: 1 "0.93", 1 "0.56";
    log2, log2: 1 "1.45", 1 "0.58";
    log10, log10: 2 "2.48", 1 "0.55";
    ln_1p, log1p: 1 "1.18", 1 "1.24";
    powf, pow: 4 "0.85 s", 2 "1.08";
    powi, pow: 4 "", 2 "";
    sqrt, sqrt: 0 "", 0 "";
    rsqrt, rsqrt: 2 "1.51", 1 "";
    cbrt, cbrt: 1 "0.90", 1 "0.74";
    rcbrt, rcbrt: 1 "0.99", 1 "0.98";
    hypot, hypot: 3 "1.57", 2 "1.16";
    rhypot, rhypot: 2 "1.16 s", 1 "0.50";
    norm3d, norm3d: 3 "1.22 s", 2 "1.40";
    rnorm3d, rnorm3d: 2 "1.27 s", 1 "0.50";
    norm4d, norm4d: 3 "0.93 s", 2 "1.57";
    rnorm4d, rnorm4d: 2 "1.10 s", 1 "0.50";
    sin, sin: 2 "1.54", 2 "1.54";
    cos, cos: 2 "1.54", 2 "1.54";
    tan, tan: 4 "3.20", 2 "2.02";
    sin_pi, sinpi: 1 "0.96", 2 "1.74";
    cos_pi, cospi: 1 "0.88", 2 "1.76";
    asin, asin: 2 "1.95", 2 "2.23";
    acos, acos: 2 "1.74", 2 "1.16";
    atan, atan: 2 "1.61", 2 "1.84";
    atan2, atan2: 3 "1.64 s", 2 "1.85";
    sinh, sinh: 3 "3.01", 2 "1.63";
    cosh, cosh: 2 "2.42", 1 "1.34";
    tanh, tanh: 2 "1.77", 1 "1.10";
    asinh, asinh: 3 "1.73", 3 "1.71";
    acosh, acosh: 4 "2.31", 3 "1.86";
    atanh, atanh: 3 "1.76", 2 "1.63";
    erf, erf: 2 "1.24", 2 "1.17";
    erfc, erfc: 4 "4.28", 5 "3.81";
    erfcx, erfcx: 4 "3.66", 4 "2.26";
    erf_inv, erfinv: 2 "2.34", 5 "3.58";
    erfc_inv, erfcinv: 4 "2.76", 6 "2.96";
    norm_cdf, normcdf: 5 "4.96", 5 "3.17";
    norm_cdf_inv, normcdfinv: 5 "4.10", 7 "4.18";
    gamma, tgamma: 5 "4.81", 10 "3.75";
    ln_gamma, lgamma: 6 "4.93", 4 "2.89";
    norm, norm: 3 "", 2 "";
    rnorm, rnorm: 2 "", 2 "";
    j0, j0: 9 "4.94", 7 "4.00";
    j1, j1: 9 "4.82", 7 "4.00";
    y0, y0: 9 "2.69 s", 7 "4.00";
    y1, y1: 9 "6.19", 7 "4.00";
    jn, jn: 15 "", 15 "";
    yn, yn: 15 "", 15 "";
    cyl_bessel_i0, cyl_bessel_i0: 6 "1.93 s", 6 "4.00";
    cyl_bessel_i1, cyl_bessel_i1: 6 "1.85 s", 6 "4.00";
    mul_add, fma: 0 "", 0 "";
}

/// Returns the lines of the book's table, those of functions whose errors were measured.
pub fn table() -> String {
    let mut text = String::new();
    for Bound {
        name,
        c,
        single,
        double,
        found: [found, also_found],
    } in BOUNDS
    {
        if !found.is_empty() {
            text +=
                &format!("| `{name}` | `{c}` | {single} | {found} | {double} | {also_found} |\n");
        }
    }
    text
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

    /// Returns the largest absolute errors of a Bessel function for arguments from 8 on, where no
    /// relative one is documented.
    pub fn absolute(&self) -> Option<[f64; 2]> {
        matches!(self.name, "j0" | "j1" | "y0" | "y1" | "jn" | "yn").then_some([2.2e-6, 5e-12])
    }

    /// Returns an interval of `f32` where the bound does not hold: `ln_gamma` has zeros there.
    pub fn except(&self) -> Option<[f32; 2]> {
        (self.name == "ln_gamma").then_some([-10.001, -2.264])
    }

    /// Returns the largest error of `f32` and `f64` that the bounds allow: half a unit of it is
    /// that of the correctly rounded result.
    pub fn errors(&self) -> [f64; 2] {
        [self.single, self.double].map(|units| f64::from(units) + 0.5)
    }
}
