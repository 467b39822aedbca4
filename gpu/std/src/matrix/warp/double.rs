//! Products of a warp in double precision.

use super::Sum;
use crate::state_space::ptx;

/// Returns `left * right + sum` in double precision, computed by all lanes of the warp: 8 rows, 8
/// columns, 4 deep. Lane `l` has the element in row `l / 4` of the left operand at position
/// `l % 4`, and the element in column `l / 4` of the right operand at position `l % 4`. Of the sum,
/// it has row `l / 4`, columns `2 * (l % 4)` and the next.
#[doc(alias = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64")]
#[inline]
#[must_use]
pub fn multiply_add_f64(left: f64, right: f64, mut sum: [f64; 2]) -> [f64; 2] {
    // SAFETY: the instruction accesses registers only.
    unsafe {
        ptx!("mma.sync":
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{{c0}, {c1}}}, {{{a}}}, {{{b}}}, {{{c0}, {c1}}};",
            c0 = inout(reg64) sum[0],
            c1 = inout(reg64) sum[1],
            a = in(reg64) left,
            b = in(reg64) right,
            options(nomem, nostack, preserves_flags),
        );
    }
    sum
}

macro_rules! product {
    ($shape:literal, $left:ident, $right:ident, $sum:ident, [$($a:ident $ai:literal),*], [$($b:ident $bi:literal),*]) => {
        ptx!("mma.sync":
            concat!(
                "mma.sync.aligned.", $shape, ".row.col.f64.f64.f64.f64 {{{c0}, {c1}, {c2}, {c3}}}, ",
                $crate::state_space::list!($($a)*), ", ", $crate::state_space::list!($($b)*), ", {{{c0}, {c1}, {c2}, {c3}}};",
            ),
            c0 = inout(reg64) $sum[0],
            c1 = inout(reg64) $sum[1],
            c2 = inout(reg64) $sum[2],
            c3 = inout(reg64) $sum[3],
            $($a = in(reg64) $left[$ai],)*
            $($b = in(reg64) $right[$bi],)*
            options(nomem, nostack, preserves_flags),
        )
    };
}

/// Returns `left * right + sum` in double precision, computed by all lanes of the warp: 16 rows, 8
/// columns, and 4 deep for each element of the right operand in a lane (1, 2 or 4). Needs `sm_90`.
///
/// Element `i` of lane `l` of the left operand is in row `l / 4 + 8 * (i % 2)` at position
/// `l % 4 + 4 * (i / 2)`. That of the right operand is in column `l / 4` at position
/// `l % 4 + 4 * i`. [`Sum::position`] returns the position in the sum.
///
/// The left operand has twice as many elements as the right one:
/// ```compile_fail,E0080
/// lanewise_std::matrix::warp::multiply_add_f64_deep([0.0; 4], [0.0; 4], Default::default());
/// ```
#[doc(alias = "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64")]
#[inline]
#[must_use]
pub fn multiply_add_f64_deep<const LEFT: usize, const RIGHT: usize>(
    left: [f64; LEFT],
    right: [f64; RIGHT],
    sum: Sum<f64>,
) -> Sum<f64> {
    const {
        assert!(
            LEFT == 2 * RIGHT && matches!(RIGHT, 1 | 2 | 4),
            "a lane has 2, 4 or 8 elements of the left operand, and half as many of the right one"
        )
    };
    let a: [f64; 8] = core::array::from_fn(|i| left.get(i).copied().unwrap_or(0.0));
    let b: [f64; 4] = core::array::from_fn(|i| right.get(i).copied().unwrap_or(0.0));
    let Sum(mut c) = sum;
    // SAFETY: the instruction accesses registers only.
    unsafe {
        match RIGHT {
            1 => product!("m16n8k4", a, b, c, [a0 0, a1 1], [b0 0]),
            2 => product!("m16n8k8", a, b, c, [a0 0, a1 1, a2 2, a3 3], [b0 0, b1 1]),
            _ => product!(
                "m16n8k16", a, b, c,
                [a0 0, a1 1, a2 2, a3 3, a4 4, a5 5, a6 6, a7 7], [b0 0, b1 1, b2 2, b3 3]
            ),
        }
    }
    Sum(c)
}
