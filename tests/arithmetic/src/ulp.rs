//! How far an approximation is from the truth, in units in the last place.
//!
//! The unit is that of the type at the true value, as in the tables of the CUDA programming guide: the distance between the two
//! neighbouring floats around it (for `f64`, whose truth is itself computed in `f64`, half a unit of the truth's own error is part of
//! every bound).

/// The distance between floats of 24 bits around `x`.
pub fn unit_f32(x: f64) -> f64 {
    let exponent = if x == 0.0 {
        -149
    } else {
        (x.abs().log2().floor() as i32 - 23).max(-149)
    };
    (exponent as f64).exp2()
}

/// The distance between floats of 53 bits around `x`.
pub fn unit_f64(x: f64) -> f64 {
    let x = x.abs().min(f64::MAX / 2.0);
    f64::from_bits(x.to_bits() + 1) - x
}

/// The error of `found` in units, where both are numbers; infinite where one is a number and the other is not or a sign is wrong.
pub fn error(found: f64, truth: f64, unit: f64, largest: f64) -> f64 {
    if found.is_nan() && truth.is_nan() || found == truth {
        return 0.0;
    }
    if truth.abs() > largest {
        // Too large for the type: infinity of the right sign, or the largest number.
        let is_right = found.abs() >= largest && found.signum() == truth.signum();
        return if is_right { 0.0 } else { f64::INFINITY };
    }
    if found.is_infinite() && truth.abs() > largest * (1.0 - 1e-6) {
        return 1.0;
    }
    let error = ((found - truth) / unit).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}
