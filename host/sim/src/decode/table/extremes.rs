//! `min` and `max` of floats: PTX ISA 9.7.3.
//!
//! Minimum and maximum of three operands have the same spelling as those of two. Here `(a,b,c)`
//! follows their type.

use super::{Rows, three_rare, two, two_rare};
use crate::semantics::float::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::named! { rows;
        two {
            min_f32 max_f32 min_ftz_f32 max_ftz_f32 min_f64 max_f64
        }
    }
    super::forms! { rows;
        two {
            "min.ftz?.NaN.f32" => min_nan_f32, min_ftz_nan_f32;
            "max.ftz?.NaN.f32" => max_nan_f32, max_ftz_nan_f32;
        }
        two_rare {
            "min.ftz?.NaN?.xorsign.abs.f32" =>
                min_xorsign_abs_f32, min_ftz_xorsign_abs_f32, min_nan_xorsign_abs_f32, min_ftz_nan_xorsign_abs_f32;
            "max.ftz?.NaN?.xorsign.abs.f32" =>
                max_xorsign_abs_f32, max_ftz_xorsign_abs_f32, max_nan_xorsign_abs_f32, max_ftz_nan_xorsign_abs_f32;
        }
        three_rare {
            "min.ftz?.NaN?.f32(a,b,c)" => min3_f32, min3_ftz_f32, min3_nan_f32, min3_ftz_nan_f32;
            "max.ftz?.NaN?.f32(a,b,c)" => max3_f32, max3_ftz_f32, max3_nan_f32, max3_ftz_nan_f32;
            "min.ftz?.NaN?.abs.f32(a,b,c)" =>
                |a: f32, b: f32, c: f32| min3_f32(a.abs(), b.abs(), c.abs()),
                |a: f32, b: f32, c: f32| min3_ftz_f32(a.abs(), b.abs(), c.abs()),
                |a: f32, b: f32, c: f32| min3_nan_f32(a.abs(), b.abs(), c.abs()),
                |a: f32, b: f32, c: f32| min3_ftz_nan_f32(a.abs(), b.abs(), c.abs());
            "max.ftz?.NaN?.abs.f32(a,b,c)" =>
                |a: f32, b: f32, c: f32| max3_f32(a.abs(), b.abs(), c.abs()),
                |a: f32, b: f32, c: f32| max3_ftz_f32(a.abs(), b.abs(), c.abs()),
                |a: f32, b: f32, c: f32| max3_nan_f32(a.abs(), b.abs(), c.abs()),
                |a: f32, b: f32, c: f32| max3_ftz_nan_f32(a.abs(), b.abs(), c.abs());
        }
    }
}
