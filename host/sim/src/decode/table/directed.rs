//! `add`, `sub`, `mul`, `fma`, `mad`, `div`, `rcp`, `sqrt` rounded towards zero (`.rz`), down
//! (`.rm`) or up (`.rp`), and pairs of f32 in every rounding: PTX ISA 9.7.3. With a
//! half-precision operand: 9.7.5.

use half::{bf16, f16};

use super::{Rows, one_rare, three_rare, two_rare};
use crate::semantics::float::*;
use crate::semantics::half::{cvt_f32_bf16, cvt_f32_f16};

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    singles(rows);
    doubles(rows);
    pairs(rows);
    mixed(rows);
}

/// Adds the rows of `.f32`.
fn singles(rows: &mut Rows) {
    super::named! { rows;
        two_rare {
            add_rz_f32 add_rz_ftz_f32 add_rz_sat_f32 add_rz_ftz_sat_f32 add_rm_f32
            add_rm_ftz_f32 add_rm_sat_f32 add_rm_ftz_sat_f32 add_rp_f32 add_rp_ftz_f32
            add_rp_sat_f32 add_rp_ftz_sat_f32 sub_rz_f32 sub_rz_ftz_f32 sub_rz_sat_f32
            sub_rz_ftz_sat_f32 sub_rm_f32 sub_rm_ftz_f32 sub_rm_sat_f32
            sub_rm_ftz_sat_f32 sub_rp_f32 sub_rp_ftz_f32 sub_rp_sat_f32
            sub_rp_ftz_sat_f32 mul_rz_f32 mul_rz_ftz_f32 mul_rz_sat_f32
            mul_rz_ftz_sat_f32 mul_rm_f32 mul_rm_ftz_f32 mul_rm_sat_f32
            mul_rm_ftz_sat_f32 mul_rp_f32 mul_rp_ftz_f32 mul_rp_sat_f32
            mul_rp_ftz_sat_f32 div_rz_f32 div_rz_ftz_f32 div_rm_f32 div_rm_ftz_f32
            div_rp_f32 div_rp_ftz_f32
        }
        one_rare {
            rcp_rz_f32 rcp_rz_ftz_f32 rcp_rm_f32 rcp_rm_ftz_f32 rcp_rp_f32
            rcp_rp_ftz_f32 sqrt_rz_f32 sqrt_rz_ftz_f32 sqrt_rm_f32 sqrt_rm_ftz_f32
            sqrt_rp_f32 sqrt_rp_ftz_f32
        }
    }
    super::forms! { rows;
        three_rare {
            "fma.rz.ftz?.sat?.f32 mad.rz.ftz?.sat?.f32" => fma_rz_f32, fma_rz_ftz_f32, fma_rz_sat_f32, fma_rz_ftz_sat_f32;
            "fma.rm.ftz?.sat?.f32 mad.rm.ftz?.sat?.f32" => fma_rm_f32, fma_rm_ftz_f32, fma_rm_sat_f32, fma_rm_ftz_sat_f32;
            "fma.rp.ftz?.sat?.f32 mad.rp.ftz?.sat?.f32" => fma_rp_f32, fma_rp_ftz_f32, fma_rp_sat_f32, fma_rp_ftz_sat_f32;
        }
    }
}

/// Adds the rows of `.f64`.
fn doubles(rows: &mut Rows) {
    super::named! { rows;
        two_rare {
            add_rz_f64 add_rm_f64 add_rp_f64 sub_rz_f64 sub_rm_f64 sub_rp_f64
            mul_rz_f64 mul_rm_f64 mul_rp_f64 div_rz_f64 div_rm_f64 div_rp_f64
        }
        one_rare {
            rcp_rz_f64 rcp_rm_f64 rcp_rp_f64 sqrt_rz_f64 sqrt_rm_f64 sqrt_rp_f64
        }
    }
    super::rows! { rows;
        three_rare {
            "fma.rz.f64 mad.rz.f64" => fma_rz_f64,
            "fma.rm.f64 mad.rm.f64" => fma_rm_f64,
            "fma.rp.f64 mad.rp.f64" => fma_rp_f64,
        }
    }
}

/// Adds the rows of `.f32x2`.
fn pairs(rows: &mut Rows) {
    super::named! { rows;
        two_rare {
            add_rz_f32x2 add_rz_ftz_f32x2 add_rm_f32x2 add_rm_ftz_f32x2 add_rp_f32x2
            add_rp_ftz_f32x2 sub_rz_f32x2 sub_rz_ftz_f32x2 sub_rm_f32x2
            sub_rm_ftz_f32x2 sub_rp_f32x2 sub_rp_ftz_f32x2 mul_rz_f32x2
            mul_rz_ftz_f32x2 mul_rm_f32x2 mul_rm_ftz_f32x2 mul_rp_f32x2
            mul_rp_ftz_f32x2
        }
        three_rare {
            fma_rn_f32x2 fma_rn_ftz_f32x2 fma_rz_f32x2 fma_rz_ftz_f32x2 fma_rm_f32x2
            fma_rm_ftz_f32x2 fma_rp_f32x2 fma_rp_ftz_f32x2
        }
    }
    super::forms! { rows;
        two_rare {
            "add.ftz?.f32x2 add.rn.ftz?.f32x2" => add_rn_f32x2, add_rn_ftz_f32x2;
            "sub.ftz?.f32x2 sub.rn.ftz?.f32x2" => sub_rn_f32x2, sub_rn_ftz_f32x2;
            "mul.ftz?.f32x2 mul.rn.ftz?.f32x2" => mul_rn_f32x2, mul_rn_ftz_f32x2;
        }
    }
}

/// Adds `.f32.f16` and `.f32.bf16`. All operands but the last are halves, which are first converted
/// to f32 (this is exact).
fn mixed(rows: &mut Rows) {
    super::forms! { rows;
        two_rare {
            "add.sat?.f32.f16 add.rn.sat?.f32.f16" =>
                |a: f16, c: f32| add_rn_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| add_rn_sat_f32(cvt_f32_f16(a), c);
            "add.sat?.f32.bf16 add.rn.sat?.f32.bf16" =>
                |a: bf16, c: f32| add_rn_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| add_rn_sat_f32(cvt_f32_bf16(a), c);
            "add.rz.sat?.f32.f16" =>
                |a: f16, c: f32| add_rz_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| add_rz_sat_f32(cvt_f32_f16(a), c);
            "add.rz.sat?.f32.bf16" =>
                |a: bf16, c: f32| add_rz_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| add_rz_sat_f32(cvt_f32_bf16(a), c);
            "add.rm.sat?.f32.f16" =>
                |a: f16, c: f32| add_rm_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| add_rm_sat_f32(cvt_f32_f16(a), c);
            "add.rm.sat?.f32.bf16" =>
                |a: bf16, c: f32| add_rm_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| add_rm_sat_f32(cvt_f32_bf16(a), c);
            "add.rp.sat?.f32.f16" =>
                |a: f16, c: f32| add_rp_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| add_rp_sat_f32(cvt_f32_f16(a), c);
            "add.rp.sat?.f32.bf16" =>
                |a: bf16, c: f32| add_rp_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| add_rp_sat_f32(cvt_f32_bf16(a), c);
            "sub.sat?.f32.f16 sub.rn.sat?.f32.f16" =>
                |a: f16, c: f32| sub_rn_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| sub_rn_sat_f32(cvt_f32_f16(a), c);
            "sub.sat?.f32.bf16 sub.rn.sat?.f32.bf16" =>
                |a: bf16, c: f32| sub_rn_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| sub_rn_sat_f32(cvt_f32_bf16(a), c);
            "sub.rz.sat?.f32.f16" =>
                |a: f16, c: f32| sub_rz_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| sub_rz_sat_f32(cvt_f32_f16(a), c);
            "sub.rz.sat?.f32.bf16" =>
                |a: bf16, c: f32| sub_rz_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| sub_rz_sat_f32(cvt_f32_bf16(a), c);
            "sub.rm.sat?.f32.f16" =>
                |a: f16, c: f32| sub_rm_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| sub_rm_sat_f32(cvt_f32_f16(a), c);
            "sub.rm.sat?.f32.bf16" =>
                |a: bf16, c: f32| sub_rm_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| sub_rm_sat_f32(cvt_f32_bf16(a), c);
            "sub.rp.sat?.f32.f16" =>
                |a: f16, c: f32| sub_rp_f32(cvt_f32_f16(a), c),
                |a: f16, c: f32| sub_rp_sat_f32(cvt_f32_f16(a), c);
            "sub.rp.sat?.f32.bf16" =>
                |a: bf16, c: f32| sub_rp_f32(cvt_f32_bf16(a), c),
                |a: bf16, c: f32| sub_rp_sat_f32(cvt_f32_bf16(a), c);
        }
        three_rare {
            "fma.rn.sat?.f32.f16" =>
                |a: f16, b: f16, c: f32| fma_rn_f32(cvt_f32_f16(a), cvt_f32_f16(b), c),
                |a: f16, b: f16, c: f32| fma_rn_sat_f32(cvt_f32_f16(a), cvt_f32_f16(b), c);
            "fma.rn.sat?.f32.bf16" =>
                |a: bf16, b: bf16, c: f32| fma_rn_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c),
                |a: bf16, b: bf16, c: f32| fma_rn_sat_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c);
            "fma.rz.sat?.f32.f16" =>
                |a: f16, b: f16, c: f32| fma_rz_f32(cvt_f32_f16(a), cvt_f32_f16(b), c),
                |a: f16, b: f16, c: f32| fma_rz_sat_f32(cvt_f32_f16(a), cvt_f32_f16(b), c);
            "fma.rz.sat?.f32.bf16" =>
                |a: bf16, b: bf16, c: f32| fma_rz_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c),
                |a: bf16, b: bf16, c: f32| fma_rz_sat_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c);
            "fma.rm.sat?.f32.f16" =>
                |a: f16, b: f16, c: f32| fma_rm_f32(cvt_f32_f16(a), cvt_f32_f16(b), c),
                |a: f16, b: f16, c: f32| fma_rm_sat_f32(cvt_f32_f16(a), cvt_f32_f16(b), c);
            "fma.rm.sat?.f32.bf16" =>
                |a: bf16, b: bf16, c: f32| fma_rm_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c),
                |a: bf16, b: bf16, c: f32| fma_rm_sat_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c);
            "fma.rp.sat?.f32.f16" =>
                |a: f16, b: f16, c: f32| fma_rp_f32(cvt_f32_f16(a), cvt_f32_f16(b), c),
                |a: f16, b: f16, c: f32| fma_rp_sat_f32(cvt_f32_f16(a), cvt_f32_f16(b), c);
            "fma.rp.sat?.f32.bf16" =>
                |a: bf16, b: bf16, c: f32| fma_rp_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c),
                |a: bf16, b: bf16, c: f32| fma_rp_sat_f32(cvt_f32_bf16(a), cvt_f32_bf16(b), c);
        }
    }
}
