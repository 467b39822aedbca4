//! Logic, shifts, bit fields and moves: PTX ISA 9.7.1, 9.7.8, 9.7.9.

use super::{Rows, four, four_rare, one, one_rare, three, three_rare, two, two_rare};
use crate::semantics::{int, logic};

/// Adds this subject's rows.
pub(super) fn rows(rows: &mut Rows) {
    super::rows! { rows;
        one {
            "not.b32" => logic::not_b32,
            "not.b64" => logic::not_b64,
            "popc.b32" => int::popc_b32,
            "clz.b32" => int::clz_b32,
            "brev.b32" => int::brev_b32,
        }
        one_rare {
            "popc.b64" => int::popc_b64,
            "clz.b64" => int::clz_b64,
            "brev.b64" => int::brev_b64,
            "bfind.u32" => int::bfind_u32,
            "bfind.shiftamt.u32" => int::bfind_shiftamt_u32,
            "bfind.s32" => int::bfind_s32,
            "bfind.shiftamt.s32" => int::bfind_shiftamt_s32,
            "bfind.u64" => int::bfind_u64,
            "bfind.shiftamt.u64" => int::bfind_shiftamt_u64,
            "bfind.s64" => int::bfind_s64,
            "bfind.shiftamt.s64" => int::bfind_shiftamt_s64,
            "not.b16" => logic::not_b16,
            "cnot.b16" => logic::cnot_b16,
            "cnot.b32" => logic::cnot_b32,
            "cnot.b64" => logic::cnot_b64,
        }
        two {
            "and.b32" => logic::and_b32,
            "and.b64" => logic::and_b64,
            "or.b32" => logic::or_b32,
            "or.b64" => logic::or_b64,
            "xor.b32" => logic::xor_b32,
            "xor.b64" => logic::xor_b64,
            "shl.b32" => logic::shl_b32,
            "shl.b64" => logic::shl_b64,
            "shr.u32 shr.b32" => logic::shr_u32,
            "shr.s32" => logic::shr_s32,
            "shr.u64 shr.b64" => logic::shr_u64,
        }
        two_rare {
            "and.b16" => logic::and_b16,
            "or.b16" => logic::or_b16,
            "xor.b16" => logic::xor_b16,
            "shl.b16" => logic::shl_b16,
            "shr.u16 shr.b16" => logic::shr_u16,
            "shr.s16" => logic::shr_s16,
            "shr.s64" => logic::shr_s64,
            "bmsk.clamp.b32" => int::bmsk_clamp_b32,
            "szext.clamp.u32" => int::szext_clamp_u32,
            "szext.clamp.s32" => int::szext_clamp_s32,
            "bmsk.wrap.b32" => int::bmsk_wrap_b32,
            "szext.wrap.u32" => int::szext_wrap_u32,
            "szext.wrap.s32" => int::szext_wrap_s32,
        }
        three {
            "shf.l.wrap.b32" => logic::shf_l_wrap_b32,
            "shf.r.wrap.b32" => logic::shf_r_wrap_b32,
            "prmt.b32" => logic::prmt_b32,
            "bfe.u32" => int::bfe_u32,
            "bfe.s32" => int::bfe_s32,
        }
        three_rare {
            "shf.l.clamp.b32" => logic::shf_l_clamp_b32,
            "shf.r.clamp.b32" => logic::shf_r_clamp_b32,
            "prmt.b32.f4e" => logic::prmt_f4e_b32,
            "prmt.b32.b4e" => logic::prmt_b4e_b32,
            "prmt.b32.rc8" => logic::prmt_rc8_b32,
            "prmt.b32.ecl" => logic::prmt_ecl_b32,
            "prmt.b32.ecr" => logic::prmt_ecr_b32,
            "prmt.b32.rc16" => logic::prmt_rc16_b32,
            "bfe.u64" => int::bfe_u64,
            "bfe.s64" => int::bfe_s64,
            "fns.b32" => int::fns_b32,
        }
        four {
            "bfi.b32" => int::bfi_b32,
            "lop3.b32" => |a, b, c, table: u32| logic::lop3_b32(a, b, c, table as u8),
        }
        four_rare {
            "bfi.b64" => int::bfi_b64,
        }
    }
}
