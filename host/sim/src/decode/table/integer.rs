//! Integer arithmetic: PTX ISA 9.7.1, and with the carry flag, 9.7.2.

use super::{Rows, carry2, carry3, one, one_rare, three, three_rare, two, two_rare};
use crate::semantics::int::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::named! { rows;
        two {
            max_s64 min_s64 max_u64 min_u64 min_u32 min_s32 max_u32 max_s32 mul_hi_u32
            mul_wide_u32 mul_wide_s32 mul_hi_s32 mul_hi_u64
        }
        three {
            mad_wide_u32 mad_wide_s32 dp4a_u32_u32 dp4a_s32_s32
        }
        one {
            abs_s32 neg_s32
        }
        one_rare {
            abs_s16 abs_s64 neg_s16 neg_s64
        }
        two_rare {
            add_u16 add_s16 add_sat_s32 sub_u16 sub_s16 sub_sat_s32 div_u16 div_s16
            div_u32 div_s32 div_u64 div_s64 rem_u16 rem_s16 rem_u32 rem_s32 rem_u64
            rem_s64 min_u16 min_s16 max_u16 max_s16 min_relu_s32 max_relu_s32
            add_u16x2 add_s16x2 min_u16x2 min_s16x2 max_u16x2 max_s16x2 min_relu_s16x2
            max_relu_s16x2 mul_lo_u16 mul_lo_s16 mul_hi_u16 mul_hi_s16 mul_hi_s64
            mul_wide_u16 mul_wide_s16 mul24_lo_u32 mul24_lo_s32 mul24_hi_u32
            mul24_hi_s32
        }
        three_rare {
            sad_u16 sad_s16 sad_u32 sad_s32 sad_u64 sad_s64 mad_lo_u16 mad_lo_s16
            mad_hi_u16 mad_hi_s16 mad_hi_u32 mad_hi_s32 mad_hi_u64 mad_hi_s64
            mad_hi_sat_s32 mad_wide_u16 mad_wide_s16 mad24_lo_u32 mad24_lo_s32
            mad24_hi_u32 mad24_hi_s32 mad24_hi_sat_s32 dp2a_lo_u32_u32 dp2a_hi_u32_u32
            dp4a_u32_s32 dp2a_lo_u32_s32 dp2a_hi_u32_s32 dp4a_s32_u32 dp2a_lo_s32_u32
            dp2a_hi_s32_u32 dp2a_lo_s32_s32 dp2a_hi_s32_s32
        }
    }
    super::rows! { rows;
        two {
            "add.u32 add.s32" => add_u32,
            "add.u64 add.s64" => add_u64,
            "sub.u32 sub.s32" => sub_u32,
            "sub.u64 sub.s64" => sub_u64,
            "mul.lo.u32 mul.lo.s32" => mul_lo_u32,
            "mul.lo.u64 mul.lo.s64" => mul_lo_u64,
        }
        three {
            "mad.lo.u32 mad.lo.s32" => mad_lo_u32,
            "mad.lo.u64 mad.lo.s64" => mad_lo_u64,
        }
        carry2 {
            "add.cc.u32 add.cc.s32" => |a, b, _, _| addc_u32(a, b, false),
            "addc.u32 addc.s32 addc.cc.u32 addc.cc.s32" => |a, b, _, carry| addc_u32(a, b, carry),
            "sub.cc.u32 sub.cc.s32" => |a, b, _, _| subc_u32(a, b, true),
            "subc.u32 subc.s32 subc.cc.u32 subc.cc.s32" => |a, b, _, carry| subc_u32(a, b, carry),
            "add.cc.u64 add.cc.s64" => |a, b, _, _| addc_u64(a, b, false),
            "addc.u64 addc.s64 addc.cc.u64 addc.cc.s64" => |a, b, _, carry| addc_u64(a, b, carry),
            "sub.cc.u64 sub.cc.s64" => |a, b, _, _| subc_u64(a, b, true),
            "subc.u64 subc.s64 subc.cc.u64 subc.cc.s64" => |a, b, _, carry| subc_u64(a, b, carry),
        }
        carry3 {
            "mad.lo.cc.u32 mad.lo.cc.s32" => |a, b, c, _| madc_lo_u32(a, b, c, false),
            "madc.lo.u32 madc.lo.s32 madc.lo.cc.u32 madc.lo.cc.s32" => madc_lo_u32,
            "mad.hi.cc.u32" => |a, b, c, _| madc_hi_u32(a, b, c, false),
            "madc.hi.u32 madc.hi.cc.u32" => madc_hi_u32,
            "mad.hi.cc.s32" => |a, b, c, _| madc_hi_s32(a, b, c, false),
            "madc.hi.s32 madc.hi.cc.s32" => madc_hi_s32,
            "mad.lo.cc.u64 mad.lo.cc.s64" => |a, b, c, _| madc_lo_u64(a, b, c, false),
            "madc.lo.u64 madc.lo.s64 madc.lo.cc.u64 madc.lo.cc.s64" => madc_lo_u64,
            "mad.hi.cc.u64" => |a, b, c, _| madc_hi_u64(a, b, c, false),
            "madc.hi.u64 madc.hi.cc.u64" => madc_hi_u64,
            "mad.hi.cc.s64" => |a, b, c, _| madc_hi_s64(a, b, c, false),
            "madc.hi.s64 madc.hi.cc.s64" => madc_hi_s64,
        }
    }
}
