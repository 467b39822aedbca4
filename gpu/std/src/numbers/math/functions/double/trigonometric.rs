//! Sine, cosine and tangent of angles in radians.

/// Computes the sine and the cosine.
#[inline(always)]
pub(crate) fn sincos(x: f64, sine: &mut f64, cosine: &mut f64) {
    *sine = libm::sin(x);
    *cosine = libm::cos(x);
}
