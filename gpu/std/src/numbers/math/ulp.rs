//! The error of an approximation, in units in the last place (ULP).
//!
//! The unit is that of the type at the true value, as in the tables of the CUDA programming guide:
//! the distance between the two neighbouring floats around that value. For `f64` the true value is
//! itself computed in `f64`, so every bound includes half a unit for its error.

/// Returns the distance between neighbouring floats with 24 bits of precision (`f32`) around `x`.
pub fn unit_f32(x: f64) -> f64 {
    // This is the exponent of a normal double. Subnormal doubles are far below the smallest unit.
    let exponent = (x.abs().to_bits() >> 52) as i64 - 1023;
    let unit = (exponent - 23).max(-149);
    f64::from_bits(((unit + 1023) as u64) << 52)
}

/// Returns the distance between neighbouring floats with 53 bits of precision (`f64`) around `x`.
pub fn unit_f64(x: f64) -> f64 {
    let x = x.abs().min(f64::MAX / 2.0);
    f64::from_bits(x.to_bits() + 1) - x
}

/// Returns the error of `found` in units if both values are numbers. It is infinite if only one is
/// a number, or if a sign is wrong.
pub fn error(found: f64, truth: f64, unit: f64, largest: f64) -> f64 {
    if found.is_nan() && truth.is_nan() || found == truth {
        return 0.0;
    }
    if truth.abs() > largest {
        // The true value is too large for the type. Infinity with the right sign and the largest
        // number are correct.
        let is_right = found.abs() >= largest && found.signum() == truth.signum();
        return if is_right { 0.0 } else { f64::INFINITY };
    }
    if found.is_infinite() && truth.abs() > largest * (1.0 - 1e-6) {
        return 1.0;
    }
    let error = ((found - truth) / unit).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_the_distance_of_neighbours() {
        for x in [
            1.0f32,
            1.5,
            1.999_999_9,
            2.0,
            0.1,
            1e-40,
            f32::MIN_POSITIVE,
            3e38,
        ] {
            let unit = f64::from(x.next_up()) - f64::from(x);
            assert_eq!(unit_f32(x.into()), unit, "{x}");
            assert_eq!(unit_f32((-x).into()), unit, "{x}");
        }
        assert_eq!(unit_f32(0.0), f64::from(f32::from_bits(1)));
        assert_eq!(unit_f64(1.0), f64::EPSILON);
    }

    #[test]
    fn errors_are_in_units_and_infinite_where_there_is_no_number() {
        let largest = f32::MAX.into();
        assert_eq!(
            error(1.0 + 2f64.powi(-23), 1.0, unit_f32(1.0), largest),
            1.0
        );
        assert_eq!(error(f64::NAN, f64::NAN, 1.0, largest), 0.0);
        assert_eq!(error(f64::NAN, 1.0, 1.0, largest), f64::INFINITY);
        assert_eq!(error(f64::INFINITY, 1e39, 1.0, largest), 0.0);
        assert_eq!(error(f64::NEG_INFINITY, 1e39, 1.0, largest), f64::INFINITY);
    }
}
