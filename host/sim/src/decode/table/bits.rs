//! Logic, shifts, bit fields and moves: PTX ISA 9.7.1, 9.7.8, 9.7.9.

use super::{Rows, four, four_rare, one, one_rare, three, three_rare, two, two_rare};
use crate::semantics::int::*;
use crate::semantics::logic::*;

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::named! { rows;
        one {
            not_b32 not_b64 popc_b32 clz_b32 brev_b32
        }
        one_rare {
            popc_b64 clz_b64 brev_b64 bfind_u32 bfind_shiftamt_u32 bfind_s32
            bfind_shiftamt_s32 bfind_u64 bfind_shiftamt_u64 bfind_s64
            bfind_shiftamt_s64 not_b16 cnot_b16 cnot_b32 cnot_b64
        }
        two {
            and_b32 and_b64 or_b32 or_b64 xor_b32 xor_b64 shl_b32 shl_b64 shr_s32
        }
        two_rare {
            and_b16 or_b16 xor_b16 shl_b16 shr_s16 shr_s64 bmsk_clamp_b32
            szext_clamp_u32 szext_clamp_s32 bmsk_wrap_b32 szext_wrap_u32
            szext_wrap_s32
        }
        three {
            shf_l_wrap_b32 shf_r_wrap_b32 prmt_b32 bfe_u32 bfe_s32
        }
        three_rare {
            shf_l_clamp_b32 shf_r_clamp_b32 bfe_u64 bfe_s64 fns_b32
        }
        four {
            bfi_b32
        }
        four_rare {
            bfi_b64
        }
    }
    super::rows! { rows;
        two {
            "shr.u32 shr.b32" => shr_u32,
            "shr.u64 shr.b64" => shr_u64,
        }
        two_rare {
            "shr.u16 shr.b16" => shr_u16,
        }
        three_rare {
            "prmt.b32.f4e" => prmt_f4e_b32,
            "prmt.b32.b4e" => prmt_b4e_b32,
            "prmt.b32.rc8" => prmt_rc8_b32,
            "prmt.b32.ecl" => prmt_ecl_b32,
            "prmt.b32.ecr" => prmt_ecr_b32,
            "prmt.b32.rc16" => prmt_rc16_b32,
        }
        four {
            "lop3.b32" => |a, b, c, table: u32| lop3_b32(a, b, c, table as u8),
        }
    }
}
