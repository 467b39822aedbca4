//! Packed conversions, and conversions to the formats of tensor cores: PTX ISA 9.7.9,
//! "cvt" and "cvt.pack".
//!
//! `decode/instructions/convert.rs` decodes the other conversions of one number to one number. The
//! stochastic conversions of four numbers `{a, b, e, f}` are two operations, whose spellings here
//! end in `(a,b)` and `(e,f)`. The second operation puts its half below the result of the first.

use half::bf16;

use super::{Rows, four_rare, one_rare, three_rare, two, two_rare};
use crate::semantics::Rounding::{Up, Zero};
use crate::semantics::convert::*;
use crate::semantics::half::{pack, unpack};

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    to_halves(rows);
    tf32(rows);
    eight_bits(rows);
    fewer_bits(rows);
    scales(rows);
    stochastic(rows);
    integers(rows);
}

/// Adds conversions of two f32 to a pair of halves. The first operand is the upper half.
fn to_halves(rows: &mut Rows) {
    super::rows! { rows;
        two {
            "cvt.rn.f16x2.f32" => |a: f32, b: f32| pack([cvt_rn_f16(b), cvt_rn_f16(a)]),
            "cvt.rn.bf16x2.f32" => |a: f32, b: f32| pack([cvt_rn_bf16(b), cvt_rn_bf16(a)]),
        }
        two_rare {
            "cvt.rz.f16x2.f32" => |a: f32, b: f32| pack([b, a].map(cvt_rz_f16)),
            "cvt.rz.bf16x2.f32" => |a: f32, b: f32| pack([b, a].map(cvt_rz_bf16)),
        }
    }
    super::forms! { rows;
        two_rare {
            "cvt.rn.relu.satfinite?.f16x2.f32" =>
                |a: f32, b: f32| pack([b, a].map(|x| relu_f16(cvt_rn_f16(x)))),
                |a: f32, b: f32| pack([b, a].map(|x| satfinite_f16(relu_f16(cvt_rn_f16(x)))));
            "cvt.rz.relu.satfinite?.f16x2.f32" =>
                |a: f32, b: f32| pack([b, a].map(|x| relu_f16(cvt_rz_f16(x)))),
                |a: f32, b: f32| pack([b, a].map(|x| satfinite_f16(relu_f16(cvt_rz_f16(x)))));
            "cvt.rn.relu.satfinite?.bf16x2.f32" =>
                |a: f32, b: f32| pack([b, a].map(|x| relu_bf16(cvt_rn_bf16(x)))),
                |a: f32, b: f32| pack([b, a].map(|x| satfinite_bf16(relu_bf16(cvt_rn_bf16(x)))));
            "cvt.rz.relu.satfinite?.bf16x2.f32" =>
                |a: f32, b: f32| pack([b, a].map(|x| relu_bf16(cvt_rz_bf16(x)))),
                |a: f32, b: f32| pack([b, a].map(|x| satfinite_bf16(relu_bf16(cvt_rz_bf16(x)))));
            "cvt.rn.satfinite.f16x2.f32" => |a: f32, b: f32| pack([b, a].map(|x| satfinite_f16(cvt_rn_f16(x))));
            "cvt.rz.satfinite.f16x2.f32" => |a: f32, b: f32| pack([b, a].map(|x| satfinite_f16(cvt_rz_f16(x))));
            "cvt.rn.satfinite.bf16x2.f32" => |a: f32, b: f32| pack([b, a].map(|x| satfinite_bf16(cvt_rn_bf16(x))));
            "cvt.rz.satfinite.bf16x2.f32" => |a: f32, b: f32| pack([b, a].map(|x| satfinite_bf16(cvt_rz_bf16(x))));
        }
    }
}

/// Adds conversions to tf32.
fn tf32(rows: &mut Rows) {
    super::named! { rows;
        one_rare {
            cvt_rna_tf32_f32 cvt_rna_satfinite_tf32_f32
        }
    }
    super::forms! { rows;
        one_rare {
            "cvt.rn.satfinite?.relu?.tf32.f32" =>
                cvt_rn_tf32_f32,
                |a| satfinite_tf32(cvt_rn_tf32_f32(a)),
                |a| cvt_rn_tf32_f32(relu_f32(a)),
                |a| satfinite_tf32(cvt_rn_tf32_f32(relu_f32(a)));
            "cvt.rz.satfinite?.relu?.tf32.f32" =>
                cvt_rz_tf32_f32,
                |a| satfinite_tf32(cvt_rz_tf32_f32(a)),
                |a| cvt_rz_tf32_f32(relu_f32(a)),
                |a| satfinite_tf32(cvt_rz_tf32_f32(relu_f32(a)));
        }
    }
}

/// Replaces negative elements of a pair of f16 by zero.
fn relu_f16x2(a: u32) -> u32 {
    pack(unpack(a).map(relu_f16))
}

/// Adds conversions to e4m3 and e5m2, two in 16 bits.
fn eight_bits(rows: &mut Rows) {
    super::forms! { rows;
        two_rare {
            "cvt.rn.satfinite.relu?.e4m3x2.f32" =>
                cvt_rn_satfinite_e4m3x2_f32,
                |a, b| cvt_rn_satfinite_e4m3x2_f32(relu_f32(a), relu_f32(b));
            "cvt.rn.satfinite.relu?.e5m2x2.f32" =>
                cvt_rn_satfinite_e5m2x2_f32,
                |a, b| cvt_rn_satfinite_e5m2x2_f32(relu_f32(a), relu_f32(b));
        }
        one_rare {
            "cvt.rn.satfinite.relu?.e4m3x2.f16x2" =>
                cvt_rn_satfinite_e4m3x2_f16x2,
                |a| cvt_rn_satfinite_e4m3x2_f16x2(relu_f16x2(a));
            "cvt.rn.satfinite.relu?.e5m2x2.f16x2" =>
                cvt_rn_satfinite_e5m2x2_f16x2,
                |a| cvt_rn_satfinite_e5m2x2_f16x2(relu_f16x2(a));
            "cvt.rn.relu?.f16x2.e4m3x2" => cvt_rn_f16x2_e4m3x2, |a| relu_f16x2(cvt_rn_f16x2_e4m3x2(a));
            "cvt.rn.relu?.f16x2.e5m2x2" => cvt_rn_f16x2_e5m2x2, |a| relu_f16x2(cvt_rn_f16x2_e5m2x2(a));
        }
    }
}

/// Adds conversions to e2m3, e3m2 and e2m1.
fn fewer_bits(rows: &mut Rows) {
    super::forms! { rows;
        two_rare {
            "cvt.rn.satfinite.relu?.e2m3x2.f32" =>
                cvt_rn_satfinite_e2m3x2_f32,
                |a, b| cvt_rn_satfinite_e2m3x2_f32(relu_f32(a), relu_f32(b));
            "cvt.rn.satfinite.relu?.e3m2x2.f32" =>
                cvt_rn_satfinite_e3m2x2_f32,
                |a, b| cvt_rn_satfinite_e3m2x2_f32(relu_f32(a), relu_f32(b));
            "cvt.rn.satfinite.relu?.e2m1x2.f32" =>
                cvt_rn_satfinite_e2m1x2_f32,
                |a, b| cvt_rn_satfinite_e2m1x2_f32(relu_f32(a), relu_f32(b));
        }
        one_rare {
            "cvt.rn.relu?.f16x2.e2m3x2" => cvt_rn_f16x2_e2m3x2, |a| relu_f16x2(cvt_rn_f16x2_e2m3x2(a));
            "cvt.rn.relu?.f16x2.e3m2x2" => cvt_rn_f16x2_e3m2x2, |a| relu_f16x2(cvt_rn_f16x2_e3m2x2(a));
            "cvt.rn.relu?.f16x2.e2m1x2" => cvt_rn_f16x2_e2m1x2, |a| relu_f16x2(cvt_rn_f16x2_e2m1x2(a));
        }
    }
}

/// Adds conversions to ue8m0, which has an exponent only: two f32 or a pair of bf16 to two of them.
/// The first operand or the upper half goes to the upper byte.
fn scales(rows: &mut Rows) {
    /// Joins the lower number and the upper one.
    fn pair([low, high]: [u8; 2]) -> u16 {
        u16::from_le_bytes([low, high])
    }
    /// Returns a pair's numbers as f32, which is exact.
    fn wide(a: u32) -> [f32; 2] {
        unpack::<bf16>(a).map(crate::semantics::half::cvt_f32_bf16)
    }
    super::forms! { rows;
        two_rare {
            "cvt.rz.satfinite?.ue8m0x2.f32" =>
                |a: f32, b: f32| pair([b, a].map(|x| cvt_ue8m0_f32(x, Zero, false))),
                |a: f32, b: f32| pair([b, a].map(|x| cvt_ue8m0_f32(x, Zero, true)));
            "cvt.rp.satfinite?.ue8m0x2.f32" =>
                |a: f32, b: f32| pair([b, a].map(|x| cvt_ue8m0_f32(x, Up, false))),
                |a: f32, b: f32| pair([b, a].map(|x| cvt_ue8m0_f32(x, Up, true)));
        }
        one_rare {
            "cvt.rz.satfinite?.ue8m0x2.bf16x2" =>
                |a| pair(wide(a).map(|x| cvt_ue8m0_f32(x, Zero, false))),
                |a| pair(wide(a).map(|x| cvt_ue8m0_f32(x, Zero, true)));
            "cvt.rp.satfinite?.ue8m0x2.bf16x2" =>
                |a| pair(wide(a).map(|x| cvt_ue8m0_f32(x, Up, false))),
                |a| pair(wide(a).map(|x| cvt_ue8m0_f32(x, Up, true)));
            "cvt.rn.bf16x2.ue8m0x2" => |a: u16| pack(a.to_le_bytes().map(cvt_bf16_ue8m0));
        }
    }
}

/// Adds the rows of `cvt.rs`.
fn stochastic(rows: &mut Rows) {
    super::forms! { rows;
        three_rare {
            "cvt.rs.relu?.satfinite?.f16x2.f32" =>
                cvt_rs_f16x2_f32,
                |a, b, r| cvt_rs_f16x2_f32(relu_f32(a), relu_f32(b), r),
                cvt_rs_satfinite_f16x2_f32,
                |a, b, r| cvt_rs_satfinite_f16x2_f32(relu_f32(a), relu_f32(b), r);
            "cvt.rs.relu?.satfinite?.bf16x2.f32" =>
                cvt_rs_bf16x2_f32,
                |a, b, r| cvt_rs_bf16x2_f32(relu_f32(a), relu_f32(b), r),
                cvt_rs_satfinite_bf16x2_f32,
                |a, b, r| cvt_rs_satfinite_bf16x2_f32(relu_f32(a), relu_f32(b), r);
            "cvt.rs.relu?.satfinite.e4m3x4.f32(a,b)" =>
                |a, b, r: u32| cvt_rs_satfinite_e4m3x2_f32(a, b, r >> 16) << 16,
                |a, b, r: u32| cvt_rs_satfinite_e4m3x2_f32(relu_f32(a), relu_f32(b), r >> 16) << 16;
            "cvt.rs.relu?.satfinite.e5m2x4.f32(a,b)" =>
                |a, b, r: u32| cvt_rs_satfinite_e5m2x2_f32(a, b, r >> 16) << 16,
                |a, b, r: u32| cvt_rs_satfinite_e5m2x2_f32(relu_f32(a), relu_f32(b), r >> 16) << 16;
            "cvt.rs.relu?.satfinite.e2m3x4.f32(a,b)" =>
                |a, b, r: u32| cvt_rs_satfinite_e2m3x2_f32(a, b, r >> 16) << 16,
                |a, b, r: u32| cvt_rs_satfinite_e2m3x2_f32(relu_f32(a), relu_f32(b), r >> 16) << 16;
            "cvt.rs.relu?.satfinite.e3m2x4.f32(a,b)" =>
                |a, b, r: u32| cvt_rs_satfinite_e3m2x2_f32(a, b, r >> 16) << 16,
                |a, b, r: u32| cvt_rs_satfinite_e3m2x2_f32(relu_f32(a), relu_f32(b), r >> 16) << 16;
            "cvt.rs.relu?.satfinite.e2m1x4.f32(a,b)" =>
                |a, b, r: u32| cvt_rs_satfinite_e2m1x2_f32(a, b, r >> 8) << 8,
                |a, b, r: u32| cvt_rs_satfinite_e2m1x2_f32(relu_f32(a), relu_f32(b), r >> 8) << 8;
        }
        four_rare {
            "cvt.rs.relu?.satfinite.e4m3x4.f32(e,f)" =>
                |e, f, r, above: u32| above | cvt_rs_satfinite_e4m3x2_f32(e, f, r),
                |e, f, r, above: u32| above | cvt_rs_satfinite_e4m3x2_f32(relu_f32(e), relu_f32(f), r);
            "cvt.rs.relu?.satfinite.e5m2x4.f32(e,f)" =>
                |e, f, r, above: u32| above | cvt_rs_satfinite_e5m2x2_f32(e, f, r),
                |e, f, r, above: u32| above | cvt_rs_satfinite_e5m2x2_f32(relu_f32(e), relu_f32(f), r);
            "cvt.rs.relu?.satfinite.e2m3x4.f32(e,f)" =>
                |e, f, r, above: u32| above | cvt_rs_satfinite_e2m3x2_f32(e, f, r),
                |e, f, r, above: u32| above | cvt_rs_satfinite_e2m3x2_f32(relu_f32(e), relu_f32(f), r);
            "cvt.rs.relu?.satfinite.e3m2x4.f32(e,f)" =>
                |e, f, r, above: u32| above | cvt_rs_satfinite_e3m2x2_f32(e, f, r),
                |e, f, r, above: u32| above | cvt_rs_satfinite_e3m2x2_f32(relu_f32(e), relu_f32(f), r);
            "cvt.rs.relu?.satfinite.e2m1x4.f32(e,f)" =>
                |e, f, r, above: u32| above | cvt_rs_satfinite_e2m1x2_f32(e, f, r),
                |e, f, r, above: u32| above | cvt_rs_satfinite_e2m1x2_f32(relu_f32(e), relu_f32(f), r);
        }
    }
}

/// Adds `cvt.pack`: two integers are saturated and packed. Integers of 8 bits and fewer go below
/// the contents of `c`.
fn integers(rows: &mut Rows) {
    super::rows! { rows;
        two_rare {
            "cvt.pack.sat.u16.s32" => |a, b| cvt_pack_sat::<16, false>(a, b, 0),
            "cvt.pack.sat.s16.s32" => |a, b| cvt_pack_sat::<16, true>(a, b, 0),
        }
        three_rare {
            "cvt.pack.sat.u8.s32.b32" => cvt_pack_sat::<8, false>,
            "cvt.pack.sat.s8.s32.b32" => cvt_pack_sat::<8, true>,
            "cvt.pack.sat.u4.s32.b32" => cvt_pack_sat::<4, false>,
            "cvt.pack.sat.s4.s32.b32" => cvt_pack_sat::<4, true>,
            "cvt.pack.sat.u2.s32.b32" => cvt_pack_sat::<2, false>,
            "cvt.pack.sat.s2.s32.b32" => cvt_pack_sat::<2, true>,
        }
    }
}
