//! `.f16`, `.bf16` and pairs of them: PTX ISA 9.7.4.

use super::{Rows, one_rare, three, three_rare, two, two_rare};
use crate::semantics::half::*;

/// Adds rows of a half type and, with `x2` after it, of pairs. For pairs, the function is applied
/// to both halves.
macro_rules! halves {
    ($rows:ident; $($arity:ident, $ty:literal { $($spellings:literal => $($f:path),+;)* })*) => {
        $($({
            super::add($rows, &typed($spellings, $ty), &[$($arity($f)),+]);
            super::add($rows, &typed($spellings, concat!($ty, "x2")), &[$($arity(halves!(@ $arity, $f))),+]);
        })*)*
    };
    (@ one_rare, $f:path) => {
        |a: u32| pack(unpack(a).map($f))
    };
    (@ two, $f:path) => {
        halves!(@ two_rare, $f)
    };
    (@ two_rare, $f:path) => {
        |a: u32, b: u32| {
            let (a, b) = (unpack(a), unpack(b));
            pack([$f(a[0], b[0]), $f(a[1], b[1])])
        }
    };
    (@ three_rare, $f:path) => {
        |a: u32, b: u32, c: u32| {
            let (a, b, c) = (unpack(a), unpack(b), unpack(c));
            pack([$f(a[0], b[0], c[0]), $f(a[1], b[1], c[1])])
        }
    };
}

/// Returns each word with a type after it.
fn typed(words: &str, ty: &str) -> String {
    words
        .split_whitespace()
        .map(|word| format!("{word}.{ty} "))
        .collect()
}

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    common(rows);
    halves! { rows;
        one_rare, "f16" {
            "neg.ftz?" => neg_f16, neg_ftz_f16;
            "abs.ftz?" => abs_f16, abs_ftz_f16;
        }
        one_rare, "bf16" {
            "neg" => neg_bf16;
            "abs" => abs_bf16;
        }
        two_rare, "f16" {
            "add.ftz.sat? add.rn.ftz.sat?" => add_rn_ftz_f16, add_rn_ftz_sat_f16;
            "add.sat add.rn.sat" => add_rn_sat_f16;
            "sub.ftz.sat? sub.rn.ftz.sat?" => sub_rn_ftz_f16, sub_rn_ftz_sat_f16;
            "sub.sat sub.rn.sat" => sub_rn_sat_f16;
            "mul.ftz.sat? mul.rn.ftz.sat?" => mul_rn_ftz_f16, mul_rn_ftz_sat_f16;
            "mul.sat mul.rn.sat" => mul_rn_sat_f16;
            "min.ftz.NaN?" => min_ftz_f16, min_ftz_nan_f16;
            "min.ftz?.NaN?.xorsign.abs" =>
                min_xorsign_abs_f16, min_ftz_xorsign_abs_f16, min_nan_xorsign_abs_f16, min_ftz_nan_xorsign_abs_f16;
            "max.ftz.NaN?" => max_ftz_f16, max_ftz_nan_f16;
            "max.ftz?.NaN?.xorsign.abs" =>
                max_xorsign_abs_f16, max_ftz_xorsign_abs_f16, max_nan_xorsign_abs_f16, max_ftz_nan_xorsign_abs_f16;
        }
        two, "f16" {
            "min.NaN?" => min_f16, min_nan_f16;
            "max.NaN?" => max_f16, max_nan_f16;
        }
        two_rare, "bf16" {
            "min.NaN?" => min_bf16, min_nan_bf16;
            "min.NaN?.xorsign.abs" => min_xorsign_abs_bf16, min_nan_xorsign_abs_bf16;
            "max.NaN?" => max_bf16, max_nan_bf16;
            "max.NaN?.xorsign.abs" => max_xorsign_abs_bf16, max_nan_xorsign_abs_bf16;
        }
        three_rare, "f16" {
            "fma.rn.ftz.sat?" => fma_rn_ftz_f16, fma_rn_ftz_sat_f16;
            "fma.rn.sat" => fma_rn_sat_f16;
            "fma.rn.ftz?.relu" => fma_rn_relu_f16, fma_rn_ftz_relu_f16;
            "fma.rn.oob.relu?" => fma_rn_oob_f16, fma_rn_oob_relu_f16;
        }
        three_rare, "bf16" {
            "fma.rn.relu" => fma_rn_relu_bf16;
            "fma.rn.oob.relu?" => fma_rn_oob_bf16, fma_rn_oob_relu_bf16;
        }
    }
}

/// Adds sums and products. Compilers emit those of `.f16` and of pairs, so these have vector code.
fn common(rows: &mut Rows) {
    super::named! { rows;
        three_rare {
            fma_rn_bf16
        }
        three {
            fma_rn_f16 fma_rn_f16x2 fma_rn_bf16x2
        }
    }
    super::rows! { rows;
        two_rare {
            "add.rn?.bf16" => add_rn_bf16,
            "sub.rn?.bf16" => sub_rn_bf16,
            "mul.rn?.bf16" => mul_rn_bf16,
        }
        two {
            "add.rn?.f16" => add_rn_f16,
            "add.rn?.f16x2" => add_rn_f16x2,
            "sub.rn?.f16" => sub_rn_f16,
            "sub.rn?.f16x2" => sub_rn_f16x2,
            "mul.rn?.f16" => mul_rn_f16,
            "mul.rn?.f16x2" => mul_rn_f16x2,
            "add.rn?.bf16x2" => add_rn_bf16x2,
            "sub.rn?.bf16x2" => sub_rn_bf16x2,
            "mul.rn?.bf16x2" => mul_rn_bf16x2,
        }
    }
}
